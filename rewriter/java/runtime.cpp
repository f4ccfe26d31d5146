// SPDX-License-Identifier: Apache-2.0
#include "rewriter/java/runtime.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "rewriter/edits.hpp"
#include "rewriter/templates.hpp"
#include "src/core/error.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

std::string with_package(const std::string& package) {
  return package.empty() ? std::string{} : fmt::format("package {};", package);
}

/// A Java Card short constant: literals above 0x7FFF are int and need the cast.
std::string as_short(std::uint32_t value) {
  return fmt::format("(short)0x{:04X}", value & 0xFFFFU);
}

/// Numbers that an INS and a status word must keep clear of.
struct TakenNumbers {
  std::set<std::uint32_t> bytes;
  std::set<std::uint32_t> words;

  void add(const std::vector<std::uint32_t>& literals) {
    for (const std::uint32_t literal : literals) {
      bytes.insert(literal & 0xFFU);
      words.insert(literal & 0xFFFFU);
    }
  }
};

}  // namespace

CardArming choose_arming(const std::vector<SourceModel>& models) {
  TakenNumbers code;
  for (const SourceModel& model : models) code.add(model.literals);
  TakenNumbers all = code;
  for (const SourceModel& model : models) all.add(model.table_literals);
  CardArming arming{.cla = 0x80, .ins = 0, .stop_status = 0};
  // T=0 takes INS 6x and 9x for itself, and ISO 7816-4 wants it even. GlobalPlatform's own INS are kept clear
  // of.
  constexpr std::array<std::uint8_t, 16> candidates{0xF4, 0xF6, 0xF8, 0xFA, 0xFC, 0xFE, 0xEC, 0xEE,
                                                    0xBC, 0xBE, 0xAC, 0xAE, 0x7C, 0x7E, 0x3C, 0x3E};
  // The tables of a curve or of a hash name every byte; they are kept clear of only while that is possible.
  for (const TakenNumbers& taken : {std::cref(all), std::cref(code)}) {
    for (const std::uint8_t ins : candidates)
      if (arming.ins == 0 && !taken.bytes.contains(ins)) arming.ins = ins;
    for (std::uint16_t status = 0x6FB5; arming.stop_status == 0 && status < 0x6FFF; ++status)
      if (!taken.words.contains(status)) arming.stop_status = status;
  }
  if (arming.ins == 0 || arming.stop_status == 0)
    throw UserError(Fault{.message = "the sources name every INS that could arm a trap",
                          .hint = R"(give one: "arming": {"cla": "80", "ins": "F4", "status": "6FB5"})"});
  return arming;
}

RuntimeNames choose_names(const std::vector<SourceModel>& models, const std::set<std::string>& taken) {
  const auto is_free = [&](const std::string& name) {
    return !taken.contains(name) && std::ranges::none_of(models, [&](const SourceModel& model) {
      return !model.is_old_runtime && model.declared.contains(name);
    });
  };
  RuntimeNames names;
  for (std::string prefix = "Jcprof"; !is_free(names.pm) || !is_free(names.pmc); prefix += "X")
    names = {.pm = prefix + "PM", .pmc = prefix + "PMC"};
  return names;
}

std::string pm_source(const std::string& package, const RuntimeNames& names,
                      const std::set<std::string>& named) {
  std::string text(pm_template);
  std::string constants;
  for (const std::string& constant : named)
    if (constant == "PM.set()")  // how the ancestor's successor arms a trap
      constants += "    public static void set(APDU apdu) { }\n";
    else if (constant.starts_with("PM."))
      constants += fmt::format("    public static final short {0} = PMC.{0};\n", constant.substr(3));
  text.insert(text.rfind('}'), constants);
  replace_all(text, "/*package*/", with_package(package));
  if (names.pm != "PM" || names.pmc != "PMC") {
    replace_all(text, "class PM ", "class " + names.pm + " ");
    replace_all(text, "PMC.", names.pmc + ".");
    replace_all(text, "PM.", names.pm + ".");
  }
  return fmt::format("// {}. Do not edit.\n{}", generated_mark, text);
}

std::string pmc_source(const std::string& package, const RuntimeNames& names, const TrapMap& map,
                       const std::set<std::string>& named) {
  std::string text = fmt::format("// {}. Do not edit.\n{}\n\npublic class {} {{\n", generated_mark,
                                 with_package(package), names.pmc);
  const auto constant = [&](std::string_view type, std::string_view name, const std::string& value) {
    text += fmt::format("  public static final {} {} = {};\n", type, name, value);
  };
  constant("byte", "CLA", fmt::format("(byte)0x{:02X}", map.card.cla));
  constant("byte", "INS", fmt::format("(byte)0x{:02X}", map.card.ins));
  constant("short", "STOP", as_short(map.card.stop_status));
  constant("short", "BUILD_HIGH", as_short(map.build >> 16));
  constant("short", "BUILD_LOW", as_short(map.build));
  constant("short", "CALIBRATION", as_short(static_cast<std::uint32_t>(map.traps.size()) + 1));
  std::set<std::string> others;
  for (const std::string& name : named)
    if (!name.ends_with(')')) others.insert(name.substr(name.find('.') + 1));
  for (const Trap& trap : map.traps) {
    constant("short", trap.name, as_short(number(trap.id)));
    others.erase(trap.name);
  }
  for (const std::string& name : others) constant("short", name, as_short(number(run_to_end)));
  return text + "}\n";
}

Placeholders values_of(const RuntimeNames& names) {
  return {{"pm", names.pm}, {"pmc", names.pmc}};
}

}  // namespace jcprof::rewriter

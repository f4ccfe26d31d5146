// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/agreement.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace jcprof::test {
namespace {

using nlohmann::json;

struct EachCall {
  double low = 0;
  double high = 0;
};

std::optional<EachCall> each_call(const json& profile, const std::string& function) {
  const json& all = profile["functions"];
  const auto found =
      std::ranges::find(all, function, [](const json& f) { return f["function"].get<std::string>(); });
  if (found == all.end()) return std::nullopt;
  // A recording sums all calls, dear ones too. Stops tell that as the mean, beside the typical time. In
  // instructions, a mean would have the interrupts of the machine, too.
  const json& inclusive = (*found)["inclusive"];
  const bool has_mean = inclusive.contains("mean") && profile["unit"] != "instructions";
  const json& ticks = has_mean ? inclusive["mean"] : inclusive["ticks"];
  // Cycles as nanoseconds, which is what a recording has.
  const double unit = profile["unit"] == "cycles" ? profile["hz"].get<double>() / 1e9 : 1;
  const double calls = unit * (*found)["calls"].get<double>();
  // A recording of one run has a value alone.
  const auto end = [&](const char* name) {
    return ticks[ticks[name].is_null() ? "value" : name].get<double>();
  };
  return EachCall{end("low") / calls, end("high") / calls};
}

}  // namespace

bool is_known_to(const json& profile, const std::string& function, double part) {
  const std::optional<EachCall> each = each_call(profile, function);
  return !each || each->high - each->low <= part * (each->low + each->high);
}

std::vector<std::string> disagreements(const json& stopped, const json& recorded,
                                       const std::vector<std::string>& functions, double slack) {
  std::vector<std::string> texts;
  for (const std::string& function : functions) {
    const std::optional<EachCall> a = each_call(stopped, function);
    const std::optional<EachCall> b = each_call(recorded, function);
    if (!a || !b)
      texts.push_back(function + " is missing");
    else if (a->low > b->high * (1 + slack) || b->low > a->high * (1 + slack))
      texts.push_back(fmt::format("{}: {} to {} by stops, {} to {} recorded", function, a->low, a->high,
                                  b->low, b->high));
  }
  return texts;
}

}  // namespace jcprof::test

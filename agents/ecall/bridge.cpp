// SPDX-License-Identifier: Apache-2.0
#include "agents/ecall/bridge.hpp"

#include <algorithm>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/core/error.hpp"
#include "src/core/text.hpp"

namespace jcprof::ecall {
namespace {

namespace fs = std::filesystem;

std::string loader_says() {
  const char* words = ::dlerror();
  return words != nullptr ? words : "no reason";
}

/// Never closed: a reload that needs the code afresh gets a process afresh.
void* opened(const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored))
    throw environment_error(fmt::format("there is no bridge \"{}\"", file.string()),
                            "it is built from edge/bridge.c; docs/sgx.md, \"The bridge\"");
  // With its folder, or the loader would look for it in its own places.
  void* library = ::dlopen(fs::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw environment_error(fmt::format("cannot load the bridge \"{}\": {}", file.string(), loader_says()),
                            "`ldd` lists what it needs");
  return library;
}

const jcprof_bridge* functions_of(const fs::path& file) {
  void* symbol = ::dlsym(opened(file), "jcprof_plugin");
  if (symbol == nullptr)
    throw environment_error(fmt::format("\"{}\" is no bridge: it has no \"jcprof_plugin\"", file.string()),
                            "jcprof_plugin.h declares what it must define");
  const jcprof_bridge* functions = reinterpret_cast<const jcprof_bridge* (*)()>(symbol)();
  if (functions == nullptr)
    throw environment_error(fmt::format("jcprof_plugin() of \"{}\" returns nothing", file.string()));
  if (functions->version != JCPROF_PLUGIN_VERSION)
    throw environment_error(
        fmt::format("the bridge \"{}\" is of version {}, this jcprof {} knows version {}", file.string(),
                    functions->version, JCPROF_VERSION, JCPROF_PLUGIN_VERSION),
        "build it with the jcprof_plugin.h of this jcprof");
  return functions;
}

std::vector<std::string> ecalls_of(const jcprof_bridge& functions) {
  std::vector<std::string> names;
  for (const char* const* name = functions.ecalls; name != nullptr && *name != nullptr; ++name)
    names.emplace_back(*name);
  return names;
}

std::uint32_t index_of(const std::string& wanted, const std::vector<std::string>& names,
                       const fs::path& file) {
  if (names.empty()) throw environment_error(fmt::format("the bridge \"{}\" makes no ecall", file.string()));
  const std::string all = fmt::format("it makes {}", fmt::join(names, ", "));
  if (wanted.empty() && names.size() > 1)
    throw UserError(
        Fault{.message = fmt::format("the bridge makes {} ecalls, and the trigger names none", names.size()),
              .hint = fmt::format(R"("trigger": {{"ecall": "{}"}}; {})", names.front(), all)});
  const auto found = wanted.empty() ? names.begin() : std::ranges::find(names, wanted);
  if (found != names.end()) return static_cast<std::uint32_t>(found - names.begin());
  const std::string guess = did_you_mean(wanted, names);
  throw UserError(Fault{.message = fmt::format("the bridge makes no ecall \"{}\"", wanted),
                        .hint = guess.empty() ? all : guess});
}

}  // namespace

Bridge::Bridge(const BridgeChoice& choice)
    : functions_(functions_of(choice.file)),
      ecall_(index_of(choice.ecall, ecalls_of(*functions_), choice.file)) {}

std::string Bridge::note() const {
  const bool has_notes = (functions_->flags & JCPROF_PLUGIN_NOTES) != 0 && functions_->notes != nullptr;
  const char* words = has_notes ? functions_->notes[ecall_] : nullptr;
  return words != nullptr ? words : "";
}

std::string Bridge::why(int code) const {
  const char* words = functions_->why(code);
  return words != nullptr ? words : fmt::format("code {}", code);
}

}  // namespace jcprof::ecall

// SPDX-License-Identifier: Apache-2.0
// Options, and parts of them, that several verbs have.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "programs/options.hpp"
#include "src/core/text.hpp"

namespace jcprof::cli {

inline void add_quiet(CLI::App& app, bool& quiet) {
  app.add_flag("-q,--quiet", quiet, "print errors only");
}

inline void add_out(CLI::App& app, std::string& out, const char* help) {
  app.add_option("-o,--out", out, help)->type_name("DIR");
}

inline void add_consent(CLI::App& app, bool& yes) {
  app.add_flag("--yes", yes, "run the project's programs without asking first (also: JCPROF_YES=1)")
      ->envname("JCPROF_YES");
}

template <class Value, std::size_t size>
std::vector<std::string> names_in(const NameTable<Value, size>& table) {
  std::vector<std::string> names;
  for (const auto& [value, name] : table) names.emplace_back(name);
  return names;
}

/// An option that takes one of some names, which stand where `help` has {}. completions/ reads them from "one
/// of …".
template <class Value, std::size_t size>
CLI::Option* add_choice(CLI::App& app, const std::string& option, Value& value,
                        const NameTable<Value, size>& table, fmt::format_string<std::string> help) {
  const std::vector<std::string> names = names_in(table);
  const auto known = [names](const std::string& name) {
    if (is_one_of(name, names)) return std::string();
    const std::string meant = did_you_mean(name, names);
    return fmt::format("\"{}\" is none of {}{}", name, fmt::join(names, ", "),
                       meant.empty() ? "" : "; " + meant);
  };
  return app
      .add_option_function<std::string>(
          option, [&value, &table](const std::string& name) { value = value_in(table, name).value(); },
          fmt::format(help, fmt::format("{}", fmt::join(names, ", "))))
      ->check(CLI::Validator(known, ""));
}

inline void add_colour(CLI::App& app, ColourWish& colour) {
  add_choice(app, "--color", colour, colour_wishes, "color tables: one of {} (default: auto)")
      ->type_name("WHEN");
}

inline constexpr const char* usual_out = "output folder (default: jcprof-out beside the project file)";
inline constexpr const char* about_project =
    "jcprof.json, or a folder that holds one (default: the current folder)";
inline constexpr const char* about_profile =
    "jcprof.json, a folder that holds one, or a profile.jcprof (default: the current folder)";

inline CLI::Option* add_common(CLI::App& app, CommonOptions& options, const char* json) {
  options.project = std::string(".");  // g++ 12 warns of a literal, wrongly
  CLI::Option* const project = app.add_option("PROJECT", options.project, about_project);
  add_out(app, options.out, usual_out);
  add_quiet(app, options.quiet);
  add_consent(app, options.yes);
  app.add_flag("--json", options.json, json);
  return project;
}

inline CLI::Option* add_transport(CLI::App& app, std::string& transport) {
  return app
      .add_option("--transport", transport, "reach the target this way (default: the project's transport)")
      ->type_name("URI");
}

/// Both ways to the target; returns --devices.
inline CLI::Option* add_devices(CLI::App& app, RunOptions& options) {
  CLI::Option* const transport = add_transport(app, options.transport);
  return app
      .add_option("--devices", options.devices,
                  "measure on all devices of FILE at once, one profile each (docs/fleet.md)")
      ->type_name("FILE")
      ->excludes(transport);
}

/// Hidden: words for one process of --devices.
inline void add_device_of_several(CLI::App& app, RunOptions& options) {
  const std::string hidden;
  app.add_option("--as-device", options.as_device)->group(hidden);
  app.add_flag("--installs", options.installs)->group(hidden);
}

/// A number within limits, which only the error message names.
inline CLI::Validator within(const CLI::Validator& limits) {
  CLI::Validator silent = limits;
  return silent.description("");
}

}  // namespace jcprof::cli

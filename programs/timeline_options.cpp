// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>

#include "programs/verb_options.hpp"

namespace jcprof::cli {

void add_timeline(CLI::App& app, TimelineOptions& options) {
  auto* const file =
      app.add_option("--timeline", options.file,
                     "write the calls in order of time to FILE: a trace for Perfetto if it ends with .json, "
                     "else text")
          ->type_name("FILE");
  CLI::Validator in_ns =
      CLI::AsNumberWithUnit(std::map<std::string, double>{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}},
                            CLI::AsNumberWithUnit::UNIT_REQUIRED, "TIME");
  in_ns.description("");
  const auto add_time = [&](const char* name, double& ns, const char* help) {
    app.add_option(name, ns, help)->type_name("TIME")->needs(file)->transform(in_ns);
  };
  add_time("--from", options.from_ns, "begin the time line so long after the first event, such as 20ms");
  add_time("--to", options.to_ns, "end the time line so long after the first event, such as 1.5s");
  add_time("--min-time", options.least_ns, "leave calls out of the time line that take less, such as 10us");
}

}  // namespace jcprof::cli

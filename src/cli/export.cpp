// SPDX-License-Identifier: Apache-2.0
// jcprof export: a profile in another format.
#include <memory>
#include <string>

#include <fmt/format.h>

#include "annotator/estimates.hpp"
#include "annotator/exports.hpp"
#include "annotator/run_data.hpp"
#include "src/cli/verbs.hpp"
#include "src/core/file.hpp"
#include "src/core/store.hpp"

namespace jcprof::cli {

Work export_verb(CLI::App& verb) {
  struct Options {
    std::string profile;
    std::string format = "json";
    std::string out;
  };
  const auto options = std::make_shared<Options>();
  verb.add_option("PROFILE", options->profile, "a profile.jcprof")->required();
  verb.add_option("--format", options->format, "of the output")
      ->required()
      ->check(CLI::IsMember({"json", "csv"}));
  verb.add_option("-o,--out", options->out, "where to (default: standard output)")->type_name("FILE");
  return [options] {
    const annotator::Profile profile =
        annotator::estimate(annotator::load_newest_run(Store(options->profile, OpenMode::read_only)));
    const std::string text =
        options->format == "json" ? annotator::to_json(profile) : annotator::to_csv(profile);
    if (options->out.empty())
      fmt::print("{}", text);
    else
      write_file(options->out, text);
    return ExitCode::done;
  };
}

}  // namespace jcprof::cli

// SPDX-License-Identifier: Apache-2.0
// jcprof export: a profile in another format.
#include <memory>
#include <string>

#include <fmt/format.h>

#include "annotator/estimates.hpp"
#include "annotator/exports.hpp"
#include "annotator/gmon.hpp"
#include "annotator/recorded_profile.hpp"
#include "annotator/stacks.hpp"
#include "src/cli/verbs.hpp"
#include "src/core/file.hpp"
#include "src/core/store.hpp"

namespace jcprof::cli {

namespace {

struct Options {
  std::string profile;
  std::string format;
  std::string elf;
  std::string out;
};

/// What the formats of call trees are made of.
std::string of_recorded(const Options& options, const Store& store) {
  if (options.format == "gmon" && options.elf.empty())
    throw UserError(
        Fault{.message = "gmon needs --elf FILE", .hint = "the program that gprof is to be given"});
  const annotator::RecordedRun recorded = annotator::load_recorded_run(store);
  if (options.format == "folded") return annotator::to_folded(recorded.recording);
  if (options.format == "speedscope") return annotator::to_speedscope(recorded);
  return annotator::to_gmon(recorded, annotator::read_binary(options.elf));
}

std::string exported(const Options& options) {
  const Store store(options.profile, OpenMode::read_only);
  if (options.format != "json" && options.format != "csv") return of_recorded(options, store);
  const annotator::Profile profile = annotator::newest_profile(store);
  return options.format == "json" ? annotator::to_json(profile) : annotator::to_csv(profile);
}

}  // namespace

Work export_verb(CLI::App& verb) {
  const auto options = std::make_shared<Options>();
  verb.add_option("PROFILE", options->profile, "a profile.jcprof")->required();
  verb.add_option("--format", options->format, "of the output; folded, gmon and speedscope of recorded runs")
      ->required()
      ->check(CLI::IsMember({"json", "csv", "folded", "gmon", "speedscope"}));
  verb.add_option("--elf", options->elf, "for gmon: the program or library that gprof is to be given")
      ->type_name("FILE");
  verb.add_option("-o,--out", options->out, "where to (default: standard output)")->type_name("FILE");
  return [options] {
    const std::string text = exported(*options);
    if (options->out.empty())
      fmt::print("{}", text);
    else
      write_file(options->out, text);
    return ExitCode::done;
  };
}

}  // namespace jcprof::cli

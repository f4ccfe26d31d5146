// SPDX-License-Identifier: Apache-2.0
// jcprof export: a profile in another format.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "annotator/annotated_tree.hpp"
#include "annotator/export/exports.hpp"
#include "annotator/export/gmon.hpp"
#include "annotator/record/profile.hpp"
#include "programs/verbs.hpp"
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

struct Format {
  std::string name;
  std::string (*write)(const annotator::Profile& profile);
  bool is_binary = false;
  bool is_of_project = false;  // names sources as the project does, not as the system
};

const std::vector<Format>& formats() {
  using namespace annotator;
  static const std::vector<Format> all{{.name = "json", .write = annotator::to_json},
                                       {.name = "csv", .write = to_csv},
                                       {.name = "folded", .write = to_folded},
                                       {.name = "speedscope", .write = to_speedscope},
                                       {.name = "callgrind", .write = to_callgrind},
                                       {.name = "pprof", .write = to_pprof, .is_binary = true},
                                       {.name = "sarif", .write = to_sarif, .is_of_project = true},
                                       {.name = "markdown", .write = to_markdown, .is_of_project = true}};
  return all;
}

constexpr std::string_view gmon = "gmon";  // needs more than a profile

std::vector<std::string> names_of_formats() {
  std::vector<std::string> names;
  for (const Format& format : formats()) names.push_back(format.name);
  names.emplace_back(gmon);
  return names;
}

std::string as_gmon(const Options& options, const Store& store) {
  if (options.elf.empty())
    throw UserError(
        Fault{.message = "gmon needs --elf FILE", .hint = "the program that gprof is to be given"});
  return annotator::to_gmon(annotator::load_recorded_run(store), annotator::read_binary(options.elf));
}

std::string exported(const Options& options) {
  const auto format = std::ranges::find(formats(), options.format, &Format::name);
  const bool is_binary = format == formats().end() || format->is_binary;
  if (is_binary && options.out.empty() && ::isatty(STDOUT_FILENO) == 1)
    throw UserError(Fault{.message = fmt::format("{} is binary, and this is a terminal", options.format),
                          .hint = "-o FILE writes it to a file"});
  const Store store(options.profile, OpenMode::read_only);
  if (format == formats().end()) return as_gmon(options, store);
  annotator::Profile profile = annotator::newest_run(store).profile;
  if (format->is_of_project) annotator::make_relative(profile, annotator::root_of_sources(profile));
  return format->write(profile);
}

}  // namespace

Work export_verb(CLI::App& verb) {
  const auto options = std::make_shared<Options>();
  verb.add_option("PROFILE", options->profile, "a profile.jcprof")->required();
  verb.add_option("--format", options->format, "of the output; gmon of recorded runs")
      ->required()
      ->check(CLI::IsMember(names_of_formats()));
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

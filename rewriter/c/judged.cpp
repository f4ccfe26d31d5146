// SPDX-License-Identifier: Apache-2.0
#include "rewriter/c/judged.hpp"

#include <sys/stat.h>

#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "rewriter/c/runtime.hpp"
#include "rewriter/edits.hpp"
#include "rewriter/project_programs.hpp"
#include "src/core/file.hpp"

namespace jcprof::rewriter {
namespace {

namespace fs = std::filesystem;

/// The source as it is written to the tree, but for the numbers of its traps.
std::string text_without_numbers(const SourceModel& model, FilePlan plan) {
  if (!plan.instrumented) return model.text;
  for (PlannedTrap& planned : plan.traps) planned.trap.id = {};
  return rewritten_source(model, plan, {{"runtime", c_runtime_from(model.path)}}).text;
}

}  // namespace

JudgedUnits::JudgedUnits(fs::path file, std::string runtime)
    : file_(std::move(file)), runtime_(std::move(runtime)) {
  if (!fs::exists(file_)) return;
  std::istringstream lines(read_file(file_));
  for (std::string line; std::getline(lines, line);) known_.insert(line);
}

void JudgedUnits::look_at(const Instrumentation& work) {
  digests_.clear();
  for (std::size_t i = 0; i < work.models.size(); ++i)
    digests_.push_back(work.models[i].path + ' ' +
                       sha256(text_without_numbers(work.models[i], work.plan.files[i])));
}

std::string JudgedUnits::digest_of(const CompileUnit& unit, const std::vector<std::size_t>& sources,
                                   const std::vector<std::string>& others) {
  std::string all = fmt::format("{}\n{}\n{}\n{}\n{}\n", JCPROF_VERSION, runtime_, unit.path,
                                unit.folder.string(), unit.inlines);
  for (const std::string& argument : unit.arguments) all += argument + '\n';
  all += stamp_of(file_of_program(unit.arguments.front(), unit.folder)) + '\n';
  for (const std::size_t source : sources) all += digests_.at(source) + '\n';
  for (const std::string& file : others) all += stamp_of(unit.folder / file) + '\n';
  return sha256(all);
}

void JudgedUnits::write() const {
  std::string text;
  for (const std::string& digest : good_) text += digest + '\n';
  write_own_file(file_, text);
}

/// Links count as what they lead to.
const std::string& JudgedUnits::stamp_of(const fs::path& file) {
  const auto [known, is_new] = stamps_.try_emplace(file);
  struct stat status = {};
  if (is_new && ::stat(file.c_str(), &status) == 0)
    known->second = fmt::format("{} {} {}.{}", file.string(), status.st_size, status.st_mtim.tv_sec,
                                status.st_mtim.tv_nsec);
  return known->second;
}

}  // namespace jcprof::rewriter

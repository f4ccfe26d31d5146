// SPDX-License-Identifier: Apache-2.0
#include "rewriter/c/judged.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rewriter/c/runtime.hpp"
#include "rewriter/edits.hpp"
#include "rewriter/program_files.hpp"
#include "src/core/file.hpp"

namespace jcprof::rewriter {
namespace {

namespace fs = std::filesystem;

/// The running program, even if another was installed over it.
constexpr const char* own_program = "/proc/self/exe";

/// The source as it is written to the tree, but for the numbers of its traps.
std::string text_without_numbers(const SourceModel& model, FilePlan plan) {
  if (!plan.instrumented) return model.text;
  for (PlannedTrap& planned : plan.traps) planned.trap.id = {};
  return rewritten_source(model, plan, {{"runtime", c_runtime_from(model.path)}}).text;
}

std::string digest_in(const std::string& line) {
  return line.substr(0, line.find(' '));
}

/// The names behind tabs.
std::vector<std::string> files_in(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream text(line);
  for (std::string field; std::getline(text, field, '\t');) fields.push_back(field);
  if (!fields.empty()) fields.erase(fields.begin());
  return fields;
}

}  // namespace

JudgedUnits::JudgedUnits(fs::path file, std::string runtime, const fs::path& made)
    : file_(std::move(file)),
      runtime_(std::move(runtime)),
      made_(made.empty() ? "" : fs::absolute(made).lexically_normal().string()) {
  if (!fs::exists(file_)) return;
  std::istringstream lines(read_file(file_));
  for (std::string line; std::getline(lines, line);) before_.push_back(line);
  for (std::size_t i = 0; i < before_.size(); ++i) known_.emplace(digest_in(before_[i]), i);
}

void JudgedUnits::look_at(const Instrumentation& work, const std::set<std::size_t>& sources) {
  digests_.clear();
  for (const std::size_t i : sources)
    digests_[i] =
        work.models[i].path + ' ' + sha256(text_without_numbers(work.models[i], work.plan.files[i]));
}

std::string JudgedUnits::digest_of(const CompileUnit& unit, const FoundCompiler& compiler,
                                   const std::vector<std::size_t>& sources,
                                   const std::vector<std::string>& others) {
  std::string all = fmt::format("{}\n{}\n{}\n{}\n{}\n", noted(own_program), runtime_, unit.path,
                                unit.folder.string(), unit.inlines);
  for (const std::string& argument : unit.arguments) all += lasting(argument) + '\n';
  all += noted(compiler.file) + '\n' + compiler.version + '\n';
  for (const std::size_t source : sources) all += digests_.at(source) + '\n';
  for (const std::string& file : others) all += noted(unit.folder / file) + '\n';
  return sha256(all);
}

void JudgedUnits::write(std::size_t most) const {
  if (std::ranges::any_of(states_, [&](const auto& noted) { return noted.second != state_of(noted.first); }))
    return;
  std::vector<std::string> lines;
  for (const auto& [digest, line] : good_) lines.push_back(line);
  std::ranges::copy_if(before_, std::back_inserter(lines),
                       [&](const std::string& line) { return !good_.contains(digest_in(line)); });
  lines.resize(std::min(lines.size(), most));
  write_own_file(file_, fmt::format("{}\n", fmt::join(lines, "\n")));
}

bool JudgedUnits::recalls(const std::string& digest) {
  const auto known = known_.find(digest);
  if (known == known_.end()) return false;
  const std::string& line = before_[known->second];
  if (line_of(digest, files_in(line)) != line) return false;
  good_[digest] = line;
  return true;
}

void JudgedUnits::remember(const std::string& digest, const std::vector<fs::path>& besides) {
  std::vector<std::string> names;
  for (const fs::path& file : besides) {
    if (file.string().find_first_of("\t\n") != std::string::npos) return;
    if (!noted(file).empty()) names.push_back(file.string());
  }
  good_[digest] = line_of(digest, names);
}

std::string JudgedUnits::line_of(const std::string& digest, const std::vector<std::string>& besides) {
  std::string states;
  std::string line;
  for (const std::string& file : besides) {
    states += noted(file) + '\n';
    line += '\t' + file;
  }
  return digest + ' ' + sha256(states) + line;
}

const std::string& JudgedUnits::noted(const fs::path& file) {
  const auto [known, is_new] = states_.try_emplace(file);
  if (is_new) known->second = state_of(file);
  return known->second;
}

/// A file's size and time of writing can be put back, but not the time of its last change of any kind. Links
/// count as what they lead to. Empty: the file is not there.
std::string JudgedUnits::state_of(const fs::path& file) const {
  struct stat status = {};
  if (::stat(file.c_str(), &status) != 0) return {};
  if (!made_.empty() && lies_in(file.lexically_normal(), made_))
    return fmt::format("{} {}", lasting(file.string()), sha256(read_file(file)));
  return fmt::format("{} {}:{} {} {}.{} {}.{}", file.string(), status.st_dev, status.st_ino, status.st_size,
                     status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
                     status.st_ctim.tv_nsec);
}

std::string JudgedUnits::lasting(std::string word) const {
  const std::size_t at = made_.empty() ? std::string::npos : word.find(made_);
  return at == std::string::npos ? word : word.replace(at, made_.size(), "jcprof");
}

}  // namespace jcprof::rewriter

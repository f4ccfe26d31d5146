// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/exact_truth.hpp"

#include <algorithm>
#include <iterator>
#include <regex>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <catch2/catch.hpp>

namespace jcprof::test {
namespace {

using Address = std::uint64_t;

constexpr Address end_of_program = Address{1} << 32;  // without PIE it lies low, libraries lie high

/// The line in "/folder/src/moves.c:17 (discriminator 2)"; 0 where it is another file's.
int line_in(const std::string& place, const std::string& source) {
  const std::size_t colon = place.find(source + ':');
  return colon == std::string::npos ? 0 : std::stoi(place.substr(colon + source.size() + 1));
}

}  // namespace

TracedProgram::TracedProgram(const Workplace& place, const std::filesystem::path& project, std::string source,
                             const std::string& standard)
    : place_(place), project_(project), source_(std::move(source)) {
  // g++ has the values of members stand where the constructor does, which clang has not.
  const bool is_cpp = source_.ends_with(".cpp");
  const std::string compiler = is_cpp ? (source_ == "initialisers.cpp" ? "clang++-19" : "g++") : "gcc";
  for (const std::string part : {"traced", "started"})
    said_by({"gcc", "-O0", "-g", "-c", "-o", part + ".o", "device/" + part + ".c"});
  said_by({compiler, standard, "-O0", "-g", "-no-pie", "-pthread", "-o", "traced", "src/" + source_,
           "traced.o", "started.o"});
}

std::string TracedProgram::said_by(const std::vector<std::string>& argv) const {
  const Said said = place_.run(argv, project_.string());
  INFO(said.err);
  REQUIRE(said.status == 0);
  return said.out;
}

std::vector<TracedStep> TracedProgram::trace(int group) const {
  std::vector<TracedStep> result;
  std::istringstream lines(said_by({"./traced", std::to_string(group)}));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    TracedStep step;
    words >> step.steps;
    for (std::string word; words >> word;)
      if (const Address address = std::stoull(word, nullptr, 16); address < end_of_program)
        step.returns.push_back(address);
    result.push_back(std::move(step));
  }
  return result;
}

std::map<Address, int> TracedProgram::lines_at(const std::set<Address>& addresses) const {
  std::vector<std::string> argv{"addr2line", "-e", "traced"};
  for (const Address address : addresses) argv.push_back(fmt::format("{:#x}", address));
  std::istringstream said(said_by(argv));
  std::map<Address, int> lines;
  std::string place;
  for (const Address address : addresses)
    if (std::getline(said, place)) lines[address] = line_in(place, "/src/" + source_);
  return lines;
}

std::map<Address, UnderWay> TracedProgram::calls_of(const std::vector<TracedStep>& steps) const {
  std::vector<Address> starts;  // of functions
  std::istringstream symbols(said_by({"nm", "-n", "--defined-only", "traced"}));
  std::set<Address>
      closures;  // their destructors and copies, which are the compiler's and begin where the lambda does
  const std::regex closure("Ul.*E[0-9]*_(D[0-2]Ev|C[12]E[OR].*)$");
  for (std::string address, kind, name; symbols >> address >> kind >> name;) {
    if (std::string("tTwW").find(kind) == std::string::npos) continue;
    starts.push_back(std::stoull(address, nullptr, 16));
    if (std::regex_search(name, closure)) closures.insert(starts.back());
  }

  std::map<Address, Address> starts_of_calls;
  std::set<Address> asked;
  for (const TracedStep& step : steps)
    for (const Address address : step.returns) {
      const Address start = *std::prev(std::ranges::upper_bound(starts, address - 1));
      starts_of_calls[address] = start;
      asked.insert({start, address - 1});
    }
  const std::map<Address, int> lines = lines_at(asked);
  std::map<Address, UnderWay> calls;
  for (const auto& [address, start] : starts_of_calls)
    if (!closures.contains(start))
      calls[address] = {.function = lines.at(start), .line = lines.at(address - 1)};
  return calls;
}

std::vector<UnderWay> TracedProgram::split(const UnderWay& call, const std::set<int>& values) {
  if (!values.contains(call.line)) return {call};
  return {{.function = call.line, .line = call.line}, {.function = call.function}};
}

TrueCosts TracedProgram::costs(int group, const std::set<int>& seen, const std::set<int>& values) const {
  const std::vector<TracedStep> steps = trace(group);
  const std::map<Address, UnderWay> calls = calls_of(steps);
  TrueCosts costs;
  for (const TracedStep& step : steps) {
    costs.total += step.steps;
    std::vector<UnderWay> all;
    for (const Address address : step.returns)
      if (const auto found = calls.find(address); found != calls.end() && found->second.function != 0)
        std::ranges::copy(split(found->second, values), std::back_inserter(all));
    std::set<int> under_way;
    for (const UnderWay& call : all) {
      if (!seen.contains(call.function)) {
        costs.unseen.insert(call.function);
        continue;
      }
      if (under_way.empty()) {
        costs.functions[call.function].own += step.steps;
        costs.lines[call.line] += step.steps;
      }
      if (under_way.insert(call.function).second) costs.functions[call.function].with_calls += step.steps;
    }
  }
  return costs;
}

}  // namespace jcprof::test

// SPDX-License-Identifier: Apache-2.0
// Reads what a profile is exported as, each format by itself, and holds the numbers against each other.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <zlib.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <protozero/pbf_reader.hpp>

#include "annotator/estimate/quantity.hpp"
#include "annotator/export/exports.hpp"
#include "annotator/tables.hpp"

namespace jcprof::test {

/// Own costs by "name" of a function, and by "A.java:12" of a line.
using Costs = std::map<std::string, double>;

inline Costs costs_in_folded(const std::string& text) {
  Costs costs;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t number = line.rfind(' ');
    const double cost = std::stod(line.substr(number));
    std::vector<std::string> frames;
    std::istringstream stack(line.substr(0, number));
    for (std::string frame; std::getline(stack, frame, ';');) frames.push_back(frame);
    costs[frames.back()] += cost;
    if (frames.size() > 1)
      costs[frames.at(frames.size() - 2).substr(0, frames.at(frames.size() - 2).find(' '))] += cost;
  }
  return costs;
}

inline Costs costs_in_callgrind(const std::string& text) {
  Costs costs;
  std::map<std::string, std::string> names;  // by kind and number
  const auto named = [&](const std::string& kind, const std::string& word) {
    const std::size_t end = word.find(')') + 1;
    std::string& name = names[kind + word.substr(0, end)];
    if (end < word.size()) name = word.substr(end + 1);
    return name;
  };
  std::istringstream lines(text);
  std::string file, function;
  bool is_call = false;
  for (std::string line; std::getline(lines, line);) {
    const std::string kind = line.substr(0, 3);
    if (kind == "fl=" || kind == "fi=" || kind == "fe=") file = named("file", line.substr(3));
    if (kind == "fn=") function = named("function", line.substr(3));
    if (kind == "cfi") named("file", line.substr(4));
    if (kind == "cfn") named("function", line.substr(4));
    if (line.starts_with("calls=")) is_call = true;
    if (line.empty() || line.front() < '0' || line.front() > '9') continue;
    const double cost = std::stod(line.substr(line.find(' ')));
    if (!is_call && !file.empty() && file != "???")
      costs[file + ":" + line.substr(0, line.find(' '))] += cost;
    if (!is_call) costs[function] += cost;
    is_call = false;
  }
  return costs;
}

inline std::string unpacked(const std::string& gzip) {
  z_stream stream{};
  REQUIRE(inflateInit2(&stream, MAX_WBITS + 16) == Z_OK);
  std::string text(std::size_t{64} << 20U, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));
  stream.avail_in = static_cast<uInt>(gzip.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

inline Costs costs_in_pprof(const std::string& gzip) {
  const std::string bytes = unpacked(gzip);
  struct Function {
    std::uint64_t name = 0, file = 0;
  };
  std::vector<std::string> strings;
  std::map<std::uint64_t, Function> functions;
  std::map<std::uint64_t, std::pair<std::uint64_t, std::int64_t>> locations;  // function and line
  std::vector<std::pair<std::uint64_t, std::int64_t>> samples;                // location and cost
  for (protozero::pbf_reader all(bytes); all.next();) {
    if (all.tag() == 6) {
      strings.push_back(all.get_string());
    } else if (all.tag() == 5) {
      std::uint64_t id = 0;
      Function function;
      for (protozero::pbf_reader one = all.get_message(); one.next();)
        if (one.tag() == 1)
          id = one.get_uint64();
        else if (one.tag() == 2)
          function.name = static_cast<std::uint64_t>(one.get_int64());
        else if (one.tag() == 4)
          function.file = static_cast<std::uint64_t>(one.get_int64());
        else
          one.skip();
      functions[id] = function;
    } else if (all.tag() == 4) {
      std::uint64_t id = 0;
      std::pair<std::uint64_t, std::int64_t> place;
      for (protozero::pbf_reader one = all.get_message(); one.next();)
        if (one.tag() == 1)
          id = one.get_uint64();
        else if (one.tag() == 4)
          for (protozero::pbf_reader line = one.get_message(); line.next();)
            if (line.tag() == 1)
              place.first = line.get_uint64();
            else if (line.tag() == 2)
              place.second = line.get_int64();
            else
              line.skip();
        else
          one.skip();
      locations[id] = place;
    } else if (all.tag() == 2) {
      std::pair<std::uint64_t, std::int64_t> sample;
      for (protozero::pbf_reader one = all.get_message(); one.next();)
        if (one.tag() == 1)
          sample.first = *one.get_packed_uint64().begin();
        else if (one.tag() == 2)
          sample.second = *std::next(one.get_packed_int64().begin());
        else
          one.skip();
      samples.push_back(sample);
    } else {
      all.skip();
    }
  }
  Costs costs;
  for (const auto& [location, cost] : samples) {
    const auto& [function, line] = locations.at(location);
    const std::string& file = strings.at(functions.at(function).file);
    costs[strings.at(functions.at(function).name)] += static_cast<double>(cost);
    if (!file.empty()) costs[file + ":" + std::to_string(line)] += static_cast<double>(cost);
  }
  return costs;
}

inline Costs costs_in_json(const nlohmann::json& document) {
  Costs costs;
  const auto add = [&](const std::string& name, const nlohmann::json& value) {
    if (!value.is_null() && value.get<double>() > 0) costs[name] += value.get<double>();
  };
  for (const auto& line : document.at("lines"))
    add(line.at("path").get<std::string>() + ":" + std::to_string(line.at("line").get<int>()),
        line.at("ticks").at("value"));
  for (const auto& function : document.at("functions"))
    add(function.at("function").get<std::string>(), function.at("exclusive").at("ticks").at("value"));
  if (!document.at("between").is_null()) add("between", document.at("between").at("value"));
  return costs;
}

/// A format in whole ticks may round each stack once.
inline void check_agree(const char* format, Costs found, const Costs& wanted, double stacks) {
  INFO(format);
  if (const auto between = found.extract("between commands")) found["between"] += between.mapped();
  for (const auto& [name, cost] : wanted) {
    INFO(name);
    CHECK(std::abs((found.contains(name) ? found.at(name) : 0) - cost) <= stacks);
  }
  for (const auto& [name, cost] : found) {
    INFO(name);
    CHECK((wanted.contains(name) || cost <= stacks));
  }
}

/// For a measured run: lines add up to functions, all to the total, and every format has the same number
/// for each line and function.
inline void check_exports_agree(const annotator::Profile& profile) {
  using namespace annotator;
  const nlohmann::json document = nlohmann::json::parse(to_json(profile));
  const Costs wanted = costs_in_json(document);
  const auto stacks = static_cast<double>(profile.tree.nodes.size());
  check_agree("folded", costs_in_folded(to_folded(profile)), wanted, stacks);
  check_agree("callgrind", costs_in_callgrind(to_callgrind(profile)), wanted, stacks);
  check_agree("pprof", costs_in_pprof(to_pprof(profile)), wanted, stacks);

  std::istringstream csv(to_csv(profile));
  std::istringstream table(line_table(profile, {.width = 200, .rows = 100'000}));
  std::string row;
  std::getline(csv, row);
  std::getline(table, row);
  for (const auto& line : document.at("lines")) {
    std::getline(csv, row);
    const auto& value = line.at("ticks").at("value");
    const std::regex form(R"("[^"]*",[0-9]+,"[^"]*",[0-9]+,[0-9]+,([^,]*),.*\r)");
    std::smatch match;
    REQUIRE(std::regex_match(row, match, form));
    if (value.is_null())
      CHECK(match[1].str().empty());
    else
      CHECK(std::stod(match[1].str()) == value.get<double>());
    std::getline(table, row);
    INFO(row);
    if (value.is_null()) CHECK(row.find("not measured") != std::string::npos);
    if (line.at("resolved").get<bool>()) {
      const Interval ticks{value.get<double>(), line.at("ticks").at("low").get<double>(),
                           line.at("ticks").at("high").get<double>()};
      CHECK(row.find(quantity(ticks, profile.run.unit).value) != std::string::npos);
    }
  }

  double lines = 0;
  double functions = 0;
  for (const LineEstimate& line : profile.lines) lines += line.cost.ticks.value;
  for (const FunctionEstimate& function : profile.functions) {
    functions += function.exclusive.ticks.value;
    CHECK(function.inclusive.ticks.value >= function.exclusive.ticks.value);
  }
  CHECK(functions == Approx(lines).epsilon(1e-12));
  if (!was_measured(profile.total)) return;
  const double between = profile.between ? profile.between->ticks.value : 0;
  CHECK(profile.entry.ticks.value + between + lines + profile.unattributed.value ==
        Approx(profile.total.ticks.value).epsilon(1e-12));
}

}  // namespace jcprof::test

// SPDX-License-Identifier: Apache-2.0
// Parts of SARIF 2.1.0 that all of our documents have. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "annotator/estimate/estimates.hpp"

namespace jcprof::annotator::sarif {

using Json = nlohmann::ordered_json;

Json text(std::string_view words);
/// The text of a message, in which brackets and braces are only themselves.
Json message(std::string_view words);

struct Rule {
  const char* id = "";
  const char* name = "";
  const char* words = "";  // a sentence
  const char* more = "";
  const char* help = "";
  const char* level = "warning";
};
Json rule(const Rule& rule);

struct Invocation {
  bool is_successful = true;
  std::string started = {};  // of the measurement
  std::vector<std::string> warnings = {};
};
/// The beginning of a run: jcprof with these rules, its invocation, and the folder that paths begin in.
Json begin_run(Json rules, const Invocation& of);

/// A viewer opens what a result names, and a path from a profile may lead anywhere.
bool leaves_the_root(const std::string& path);
Json artifact_location(const std::string& path);

struct Place {
  std::string function = {};  // empty: none
  std::string path = {};      // empty: none
  std::size_t line = 0;
};
/// Where the command begins, as far as that lies within the root.
Place entry_of(const Profile& profile);
/// GitHub refuses results without a file. A place that has none within the root is shown at `entry`.
Json location(const Place& place, const Place& entry);

/// A document of one run.
std::string document(const Json& run);

}  // namespace jcprof::annotator::sarif

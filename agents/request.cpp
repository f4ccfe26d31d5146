// SPDX-License-Identifier: Apache-2.0
#include "agents/request.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "src/core/project_text.hpp"
#include "src/core/text.hpp"

namespace jcprof::agents {

using nlohmann::json;

UserError mistake(std::string message, std::string hint) {
  return UserError(Fault{.message = std::move(message), .hint = std::move(hint)});
}

std::string text_of(const json& object, const char* key) {
  if (!object.contains(key)) return "";
  if (!object.at(key).is_string()) throw mistake(fmt::format("\"{}\" is not a string", key));
  return object.at(key);
}

std::uint64_t natural(const json& object, const char* key, std::uint64_t otherwise, std::uint64_t highest) {
  if (!object.contains(key)) return otherwise;
  const json& value = object.at(key);
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > highest)
    throw mistake(fmt::format("\"{}\" is not a whole number from 0 to {}", key, highest));
  return value;
}

void refuse_others(const json& object, const std::string& where, const std::vector<std::string>& known) {
  for (const auto& [key, value] : object.items()) {
    if (std::ranges::find(known, key) != known.end()) continue;
    throw mistake(fmt::format("{} has no \"{}\"", where, key), did_you_mean(key, known));
  }
}

std::chrono::milliseconds duration(const json& object, const char* key, std::chrono::milliseconds otherwise) {
  if (!object.contains(key)) return otherwise;
  std::chrono::milliseconds time = otherwise;
  const std::string text = object.at(key).dump();
  JsonFaults faults(key, text);
  read_duration(parse_json(text, faults), time, faults);
  faults.throw_if_any();
  return time;
}

std::chrono::milliseconds timeout_of(const json& session) {
  return duration(session, "timeout", std::chrono::seconds{10});
}

}  // namespace jcprof::agents

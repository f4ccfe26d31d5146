// SPDX-License-Identifier: Apache-2.0
#include "agents/teec/wishes.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agents/request.hpp"
#include "src/core/hex.hpp"
#include "src/core/json_text.hpp"
#include "src/core/name_table.hpp"

namespace jcprof::teec {
namespace {

using agents::mistake;
using nlohmann::json;

constexpr std::size_t digits = 8;

Uuid read_uuid(const std::string& text) {
  std::string hex = text;
  bool is_good = text.size() == 36;
  for (const std::size_t dash : {23U, 18U, 13U, 8U}) {
    is_good = is_good && text[dash] == '-';
    if (is_good) hex.erase(dash, 1);
  }
  const std::optional<Bytes> bytes = is_good ? parse_hex(hex) : std::nullopt;
  Uuid uuid{};
  if (!bytes || bytes->size() != uuid.size() || hex.find(' ') != std::string::npos)
    throw mistake(fmt::format("trigger: \"ta\": \"{}\" is no UUID", text),
                  "such as 8aaaf200-2450-11e4-abe2-0002a5d5c51b; the TA's makefile calls it BINARY");
  std::ranges::copy(*bytes, uuid.begin());
  return uuid;
}

std::string read_expect(const json& step, const std::string& where) {
  const std::string text = step.contains("expect") ? agents::text_of(step, "expect") : "0";
  const bool is_good = !text.empty() && text.size() <= digits &&
                       text.find_first_not_of("0123456789abcdefABCDEF?") == std::string::npos;
  if (!is_good)
    throw mistake(fmt::format("{}: \"expect\" is \"{}\", not up to eight hexadecimal digits", where, text),
                  "such as \"ffff000?\"");
  std::string expect(digits - text.size(), '0');
  for (const char c : text) expect += c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  return expect;
}

/// "login" of the trigger, and of a group its number.
Identity read_identity(const json& trigger) {
  constexpr NameTable<Login, 6> logins{{{Login::everybody, "public"},
                                        {Login::user, "user"},
                                        {Login::group, "group"},
                                        {Login::application, "application"},
                                        {Login::user_application, "user-application"},
                                        {Login::group_application, "group-application"}}};
  const std::string name = trigger.contains("login") ? agents::text_of(trigger, "login") : "public";
  const std::optional<Login> login = value_in(logins, name);
  if (!login)
    throw mistake(fmt::format("trigger: \"login\" is \"{}\"", name),
                  "there are public, user, group, application, user-application and group-application");
  const bool is_group = *login == Login::group || *login == Login::group_application;
  if (is_group != trigger.contains("group"))
    throw mistake(is_group ? "trigger: which \"group\"?" : "trigger: \"group\" is for a login as a group",
                  R"(such as "login": "group", "group": 1000)");
  return {.login = *login, .group = is_group ? read_number(trigger.at("group"), "trigger: \"group\"") : 0};
}

agents::Reset read_reset(const json& step, const std::string& where) {
  const std::string how = agents::text_of(step, "reset");
  if (how == "session") return agents::Reset::session;
  if (how == "target") return agents::Reset::target;
  throw mistake(fmt::format("{}: \"reset\" is \"{}\"", where, how), R"(there are "session" and "target")");
}

Step read_step(const json& step, const std::string& where, std::uint32_t& next_block) {
  if (step.is_object() && step.contains("command")) {
    agents::refuse_others(step, where, {"command", "params", "expect"});
    return CommandStep{.invocation = read_invocation(step, where, next_block),
                       .expect = read_expect(step, where)};
  }
  if (step.is_object() && step.contains("wait")) {
    agents::refuse_others(step, where, {"wait"});
    return agents::duration(step, "wait", {});
  }
  if (!step.is_object() || !step.contains("reset"))
    throw mistake(where + " is no step for a TA",
                  R"(there are {"command", "params", "expect"}, {"wait"} and {"reset"})");
  agents::refuse_others(step, where, {"reset"});
  return read_reset(step, where);
}

Script read_script(const json& session, const char* key, std::uint32_t& next_block) {
  Script script;
  if (!session.contains(key)) return script;
  const json& list = session.at(key);
  if (!list.is_array()) throw mistake(fmt::format("session: \"{}\" is no list", key));
  for (std::size_t i = 0; i < list.size(); ++i)
    script.push_back(read_step(list.at(i), fmt::format("session: \"{}\"[{}]", key, i), next_block));
  return script;
}

/// Such a script runs when the session has been opened.
void refuse_resets(const Script& script, const char* key) {
  const auto is_reset = [](const Step& step) { return std::holds_alternative<agents::Reset>(step); };
  if (std::ranges::any_of(script, is_reset))
    throw mistake(fmt::format("session: a reset within \"{}\" would never end", key));
}

}  // namespace

Wishes read_wishes(const AgentGreeting& greeting) {
  const json trigger = parse_line(greeting.trigger);
  const json session = parse_line(greeting.session);
  const json arming = parse_line(greeting.arming);
  agents::refuse_others(trigger, "the trigger of a TA",
                        {"ta", "command", "params", "open", "login", "group"});
  if (!arming.contains("command") || !arming.contains("build"))
    throw mistake("the hello does not say how this TA is armed",
                  "generate its tree with \"target\": \"optee-ta\", by a jcprof of the same time");
  Wishes wishes;
  std::uint32_t next_block = first_block;
  wishes.name = agents::text_of(trigger, "ta");
  wishes.ta = read_uuid(wishes.name);
  wishes.identity = read_identity(trigger);
  wishes.trigger = read_invocation(trigger, "trigger", next_block);
  wishes.open = read_params(trigger.value("open", json::array()), "trigger: \"open\"", next_block);
  wishes.once = read_script(session, "once", next_block);
  wishes.after_reset = read_script(session, "after_reset", next_block);
  wishes.before_each = read_script(session, "before_each", next_block);
  wishes.after_each = read_script(session, "after_each", next_block);
  refuse_resets(wishes.once, "once");
  refuse_resets(wishes.after_reset, "after_reset");
  wishes.timeout = agents::timeout_of(session);
  wishes.our_command = read_number(arming.at("command"), "arming: \"command\"");
  wishes.build = read_number(arming.at("build"), "arming: \"build\"");
  return wishes;
}

bool matches(const std::string& expect, std::uint32_t code) {
  return std::ranges::equal(expect, fmt::format("{:08x}", code),
                            [](char wanted, char got) { return wanted == '?' || wanted == got; });
}

}  // namespace jcprof::teec

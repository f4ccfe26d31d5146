// SPDX-License-Identifier: Apache-2.0
#include "tests/teec_agent/fake_tee.hpp"

#include <algorithm>
#include <cstring>

#include "agents/teec/app_session.hpp"
#include "src/core/path_signature.hpp"

namespace jcprof::test {

using nlohmann::json;
using teec::Answer;
using teec::Origin;

namespace {

constexpr std::uint32_t our_command = 77;
constexpr std::uint32_t out_of_memory = 0xFFFF000C;

std::uint32_t signature_of(const std::vector<std::uint32_t>& ids) {
  std::vector<TrapId> traps;
  for (const std::uint32_t id : ids) traps.push_back(TrapId{id});
  return path_signature(traps);
}

/// The hello of a project with this trigger, and what else it says.
json whole_hello(json hello) {
  const json usual{{"do", "hello"},
                   {"protocol", 1},
                   {"trigger",
                    {{"ta", "01234567-89ab-cdef-0123-456789abcdef"},
                     {"command", 1},
                     {"params", {{{"value", "inout"}, {"a", "{input}"}, {"b", 9}}}}}},
                   {"arming", {{"command", our_command}, {"build", 7}}}};
  json whole = usual;
  whole.update(hello, true);
  return whole;
}

}  // namespace

Answer FakeTee::open(const teec::Identity& as, teec::Params&) {
  log.emplace_back(as.login == teec::Login::everybody
                       ? "open"
                       : "open as " + std::to_string(static_cast<std::uint32_t>(as.login)) + " of " +
                             std::to_string(as.group));
  if (faults_.open_code != 0) return {.code = faults_.open_code, .origin = Origin::tee};
  if (!instance_) instance_ = std::make_unique<Instance>();
  is_dead_ = false;
  return {};
}

void FakeTee::close() {
  log.emplace_back("close");
  if (!faults_.outlives_sessions) instance_.reset();
}

Answer FakeTee::panic() {
  log.emplace_back("panic");
  instance_.reset();
  is_dead_ = true;
  return {.code = teec::target_dead, .origin = Origin::tee};
}

Answer FakeTee::invoke(std::uint32_t command, teec::Params& params, teec::Timing timing) {
  if (is_dead_) return {.code = teec::target_dead, .origin = Origin::tee};
  if (command == our_command && !faults_.is_plain) return serve(params);
  log.push_back(std::to_string(command));
  Answer answer{.code = 0xFFFF0006};
  if (command == 1) answer = trigger(params);
  if (command == 2) answer = {};
  if (timing == teec::Timing::untimed) answer.ticks = 0;
  return answer;
}

Answer FakeTee::serve(teec::Params& params) {
  auto& memory = std::get<teec::Memory>(params[0]).bytes;
  const auto& value = std::get<teec::Value>(params[1]);
  const auto verb = static_cast<teec::Verb>(value.a);
  jcprof_window wish{};
  std::memcpy(&wish, memory.data(), sizeof(wish));
  Instance& instance = *instance_;
  if (verb == teec::Verb::panic) return panic();
  if (verb == teec::Verb::arm) {
    instance.wish = wish;
    instance.is_armed = true;
    instance.head = {
        .magic = {'J'}, .from = wish.from, .room = std::min<std::uint64_t>(wish.room, faults_.room)};
  }
  if (verb == teec::Verb::report)
    for (std::size_t i = value.b, at = sizeof(wish); i < instance.ids.size() && at + 4 <= memory.size();
         ++i, at += 4)
      std::memcpy(memory.data() + at, &instance.ids[i], 4);
  instance.head.build = faults_.build;
  std::memcpy(memory.data(), &instance.head, sizeof(instance.head));
  return {.ticks = static_cast<Ticks>(50 + wish.passes * value.a)};
}

Answer FakeTee::trigger(teec::Params& params) {
  auto& value = std::get<teec::Value>(params[0]);
  ++runs_;
  std::vector<std::uint32_t> path{1, 2};
  path.insert(path.end(), value.a, 3);
  path.push_back(4);
  if (faults_.varies) path.front() = runs_;
  Instance& instance = *instance_;
  const bool is_worn = instance.stops >= faults_.bears;
  const jcprof_window wish = std::exchange(instance.is_armed, false) ? instance.wish : jcprof_window{};
  if (is_worn && faults_.panics_then) return panic();
  if (is_worn) return {.code = out_of_memory, .ticks = 40};
  if (wish.room > 0) trace(path);
  std::uint64_t hits = 0;
  Ticks ticks = 1000;
  for (const std::uint32_t trap : path) {
    ticks += 10;
    if (trap == faults_.panics_at) return panic();
    if (trap != wish.trap || ++hits != wish.hit || wish.room > 0) continue;
    instance.head.trap = trap;
    instance.head.hit = hits;
    ++instance.stops;
    return {.ticks = ticks};
  }
  value.a *= 2;
  return {.ticks = ticks};
}

void FakeTee::trace(const std::vector<std::uint32_t>& path) {
  jcprof_window& head = instance_->head;
  const std::size_t from = std::min<std::size_t>(head.from, path.size());
  const auto begin = path.begin() + static_cast<std::ptrdiff_t>(from);
  const auto held = static_cast<std::ptrdiff_t>(std::min<std::size_t>(head.room, path.size() - from));
  head.events = path.size();
  head.before = signature_of({path.begin(), begin});
  head.all = signature_of(path);
  instance_->ids = {begin, begin + held};
}

Ticks FakeTee::time(teec::Rung rung) {
  return 100 * (1 + static_cast<Ticks>(rung));
}

Conversation::Conversation(const Faults& faults, json hello, const teec::Place& place)
    : tee_(std::make_shared<FakeTee>(faults)),
      service_(
          [this, place](const AgentGreeting& greeting, const auto&) {
            return teec::greet(greeting, place, [this](const teec::Uuid&, teec::Counts) { return tee_; });
          },
          [this](const std::string& line) { answers_.push_back(json::parse(line)); }) {
  greeted_ = ask(whole_hello(std::move(hello))).back();
}

std::vector<json> Conversation::ask(json request) {
  request["id"] = 1;
  answers_.clear();
  service_.serve(request.dump());
  for (json& answer : answers_) answer.erase("id");
  return answers_;
}

std::vector<json> Conversation::measure(const std::vector<std::uint32_t>& traps, const std::string& input) {
  json shots = json::array();
  for (const std::uint32_t trap : traps) shots.push_back({{"trap", trap}, {"hit", 1}, {"input", input}});
  std::vector<json> samples;
  for (json& answer : ask({{"do", "measure"}, {"shots", shots}}))
    if (answer.contains("sample")) samples.push_back(answer["sample"]);
  return samples;
}

std::vector<std::string> Conversation::log() {
  return std::exchange(tee_->log, {});
}

}  // namespace jcprof::test

// SPDX-License-Identifier: Apache-2.0
// The synthetic device as an agent on standard input and output. Its time is the device's own: it never
// waits. The project's `trigger` says which device:
//   {"device": "card", "noise": "grid-1ms", "situation": "sleep-1ms", "blocks": 20, "shape": "skew", "seed":
//   1,
//    "path": [1, {"loop": [2], "passes": 100000}, {"call": [3]}, {"chance": [[4], []]}, {"input": [[5],
//    [6]]}], "trap": 40, "counting": 25, "frame": 60, "state": FILE}
// all of it optional. An agent that is started again goes on from `state`. Its own argument, in the same
// form, goes before the trigger, and tells devices of a fleet apart: {"seed": 7, "slow": {"block": 3,
// "by": 1.1}}.
#include <cmath>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "harness/path.hpp"
#include "src/core/file.hpp"
#include "src/core/hex.hpp"
#include "src/core/path_signature.hpp"
#include "tests/support/synthetic_device.hpp"
#include "tests/support/synthetic_path.hpp"

namespace jcprof::test {
namespace {

using nlohmann::json;

/// What the other side got wrong.
struct BadRequest : std::runtime_error {
  using std::runtime_error::runtime_error;
};

constexpr double ns_per_us = 1000;
constexpr std::uint16_t good_status = 0x9000;

std::vector<Step> steps_of(const json& list);

Step branches(Step::Kind kind, const json& arms) {
  Step step{.kind = kind};
  for (const json& arm : arms) step.arms.push_back(steps_of(arm));
  if (step.arms.empty()) throw BadRequest("a branch without arms");
  return step;
}

Step step_of(const json& value) {
  if (value.is_number_unsigned()) return {.trap = TrapId{value.get<std::uint32_t>()}};
  if (value.contains("loop"))
    return {.kind = Step::Kind::loop, .passes = value.at("passes"), .arms = {steps_of(value.at("loop"))}};
  if (value.contains("call")) return {.kind = Step::Kind::call, .arms = {steps_of(value.at("call"))}};
  if (value.contains("chance")) return branches(Step::Kind::by_chance, value.at("chance"));
  if (value.contains("input")) return branches(Step::Kind::by_input, value.at("input"));
  throw BadRequest("\"path\" holds traps, \"loop\", \"call\", \"chance\" and \"input\"");
}

std::vector<Step> steps_of(const json& list) {
  std::vector<Step> steps;
  for (const json& each : list) steps.push_back(step_of(each));
  return steps;
}

DeviceModel model_of(const json& options) {
  const std::string name = options.value("device", "card");
  std::optional<DeviceModel> model = device_named(name);
  if (!model) throw BadRequest("no device \"" + name + "\"");
  if (options.contains("noise")) {
    const std::string noise = options.at("noise");
    model = with_noise(*model, noise);
    if (!model) throw BadRequest("no noise \"" + noise + "\"");
  }
  if (options.contains("situation")) {
    const std::string name = options.at("situation");
    const std::optional<DeviceModel> at = situation_named(name);
    if (!at) throw BadRequest("no situation \"" + name + "\"");
    model->situation = at->situation;
  }
  model->trap = options.value("trap", model->trap);
  return *model;
}

SyntheticCommand command_of(const json& options, const DeviceModel& model) {
  const std::size_t blocks = options.value("blocks", std::size_t{20});
  const Shape shape = options.value("shape", "skew") == "flat" ? Shape::flat : Shape::skew;
  std::vector<double> costs = block_costs(blocks, model.work, shape);
  if (options.contains("slow"))
    costs.at(options.at("slow").at("block")) *= options.at("slow").at("by").get<double>();
  return {
      options.contains("path") ? steps_of(options.at("path")) : straight(blocks),
      std::move(costs),
      {.pass = model.trap, .counting = options.value("counting", 0.0), .frame = options.value("frame", 0.0)},
      options.value("seed", std::uint64_t{1})};
}

class Agent {
 public:
  explicit Agent(const json& options)
      : options_(options),
        device_(model_of(options), options.value("seed", std::uint64_t{1})),
        command_(command_of(options, device_.model())) {
    const std::string file = options.value("state", "");
    if (file.empty() || !std::filesystem::exists(file)) return;
    const json state = json::parse(read_file(file));
    device_.go_on_from({.executions = state.at("executions"),
                        .since_reset = state.at("since_reset"),
                        .time = state.at("time"),
                        .mode = state.at("mode"),
                        .wander = state.at("wander"),
                        .gear = state.at("gear"),
                        .step = state.at("step")});
  }

  json hello() const {
    return {{"protocol", 1},
            {"agent", "synthetic/1"},
            {"device", options_.value("device", "card")},
            {"simulated", true},
            {"clock",
             {{"name", "device time"},
              {"unit", "ns"},
              {"resolution", device_.model().tick * ns_per_us},
              {"exact", false}}},
            {"max_batch", 1024},
            {"can", {"trace", "calibrate", "reset"}}};
  }

  json measure(const json& shot) {
    device_.pause(shot.value("delay_ns", 0.0) / ns_per_us);
    const Event stop{.trap = TrapId{shot.value("trap", 0U)}, .hit = shot.value("hit", 1U)};
    const Route& route = route_of(shot);
    const std::optional<double> work = command_.work_to(stop);
    const bool is_stopped = work && stop.trap != run_to_end;
    const std::optional<double> reading = device_.execute(work.value_or(route.whole), !is_stopped);
    save();
    if (!reading) return {{"outcome", "lost"}, {"why", "the device was reset"}};
    json sample{{"outcome", is_stopped ? "stopped" : "ended"}, {"ticks", std::llround(*reading * ns_per_us)}};
    if (is_stopped) {
      sample["trap"] = number(stop.trap);
      sample["hit"] = stop.hit;
    } else {
      sample["status"] = good_status;
      sample["reply"] = "";
    }
    sample["signature"] = path_signature(passed(route, stop, is_stopped));
    return sample;
  }

  json trace(const json& request) {
    const Route& route = route_of(request);
    if (!device_.execute(route.whole)) throw BadRequest("the device was reset");
    save();
    const std::span<const TrapId> traps = route.traps;
    const std::size_t from = std::min(request.at("from").get<std::size_t>(), traps.size());
    const std::size_t count = std::min(request.at("count").get<std::size_t>(), traps.size() - from);
    json events = json::array();
    for (const TrapId trap : traps.subspan(from, count)) events.push_back(number(trap));
    return {{"events", events},
            {"more", from + count < traps.size()},
            {"signature", path_signature(traps.first(from))}};
  }

  json calibrate(const json& request) {
    const std::string kind = request.at("kind");
    const double passes = request.at("passes");
    double each = device_.model().trap;
    if (kind == "counting") each += options_.value("counting", 0.0);
    if (kind == "unwind") each = options_.value("frame", 0.0);
    if (kind != "unarmed" && kind != "counting" && kind != "unwind")
      throw BadRequest("cannot calibrate \"" + kind + "\"");
    const std::optional<double> reading = device_.execute(passes * each);
    save();
    if (!reading) throw BadRequest("the device was reset");
    return {{"ticks", std::llround(*reading * ns_per_us)}};
  }

  json reset(const json& request) {
    if (request.value("how", "session") == "target") {
      DeviceState state = device_.state();
      state.since_reset = 0;
      state.time += device_.model().loss_time;
      device_.go_on_from(state);
      save();
    }
    return json::object();
  }

 private:
  const Route& route_of(const json& request) {
    const std::optional<Bytes> input = parse_hex(request.value("input", ""));
    if (!input) throw BadRequest("\"input\" is not hex");
    return command_.route(device_.state().executions, *input);
  }

  static std::span<const TrapId> passed(const Route& route, const Event& stop, bool is_stopped) {
    const std::span<const TrapId> all = route.traps;
    std::uint32_t hit = 0;
    for (std::size_t i = 0; is_stopped && i < all.size(); ++i)
      if (all[i] == stop.trap && ++hit == stop.hit) return all.first(i);
    return all;
  }

  void save() const {
    const std::string file = options_.value("state", "");
    if (file.empty()) return;
    const DeviceState& state = device_.state();
    const json values{{"executions", state.executions},
                      {"since_reset", state.since_reset},
                      {"time", state.time},
                      {"mode", state.mode},
                      {"wander", state.wander},
                      {"gear", state.gear},
                      {"step", state.step}};
    write_file(file, values.dump());
  }

  json options_;
  SyntheticDevice device_;
  SyntheticCommand command_;
};

class Service {
 public:
  /// `own`: options that go before those of the trigger.
  explicit Service(json own) : own_(std::move(own)) {}

  /// Whether there is more to serve.
  bool serve(const std::string& line) {
    json id;
    try {
      const json request = json::parse(line);
      id = request.value("id", json());
      const std::string verb = request.at("do");
      say({{"id", id}, {"ok", answer(verb, request)}});
      return verb != "bye";
    } catch (const json::exception& fault) {
      say({{"id", id}, {"error", {{"message", fault.what()}}}});
    } catch (const std::runtime_error& fault) {
      say({{"id", id}, {"error", {{"message", fault.what()}}}});
    }
    return true;
  }

 private:
  json answer(const std::string& verb, const json& request) {
    if (verb == "bye") return json::object();
    if (verb == "hello") {
      json options = request.value("trigger", json::object());
      options.update(own_);
      agent_.emplace(options);
    }
    if (!agent_) throw BadRequest("\"hello\" comes first");
    if (verb == "hello") return agent_->hello();
    if (verb == "measure") return measure(request);
    if (verb == "trace") return agent_->trace(request);
    if (verb == "calibrate") return agent_->calibrate(request);
    if (verb == "reset") return agent_->reset(request);
    throw BadRequest("cannot do \"" + verb + "\"");
  }

  json measure(const json& request) {
    std::size_t n = 0;
    for (const json& shot : request.at("shots"))
      say({{"id", request.at("id")}, {"n", n++}, {"sample", agent_->measure(shot)}});
    return json::object();
  }

  static void say(const json& line) { std::cout << line.dump() << '\n' << std::flush; }

  json own_;
  std::optional<Agent> agent_;
};

}  // namespace
}  // namespace jcprof::test

int main(int argc, char** argv) {
  using nlohmann::json;
  jcprof::test::Service service(argc > 1 ? json::parse(argv[1]) : json::object());
  for (std::string line; std::getline(std::cin, line);)
    if (!service.serve(line)) break;
  return 0;
}

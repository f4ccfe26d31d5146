// SPDX-License-Identifier: Apache-2.0
// The agent protocol (docs/agent-protocol.md) as our agents have it in common: lines in, lines out. What is
// done about them is the Target's, and what a hello makes of its request each agent's own.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "agents/target.hpp"

namespace jcprof::agents {

struct ClockFacts {
  std::string name;
  std::string unit;
  double hz = 0;  // ticks a second
  std::uint64_t resolution = 1;
  bool is_exact = false;
};

/// What an agent says of itself.
struct Facts {
  std::string agent;
  std::string device;
  bool is_simulated = false;
  ClockFacts clock;
};

/// What comes of a hello.
struct Greeting {
  using Verb = std::function<nlohmann::json(Target&, const nlohmann::json& request)>;

  std::unique_ptr<Target> target;
  Facts facts;
  std::map<std::string, Verb> verbs = {};  // beyond those of every agent
};

class Service {
 public:
  using Hello = std::function<Greeting(const nlohmann::json& request)>;

  /// `say` gets each answer, without its newline, and passes it on at once.
  Service(Hello hello, std::function<void(const std::string&)> say)
      : hello_(std::move(hello)), say_(std::move(say)) {}

  /// Whether there is more to serve.
  bool serve(std::string_view line);
  /// How often the subject was loaded, and why, for the log; empty before the first hello.
  std::string account() const;

 private:
  nlohmann::json hello(const nlohmann::json& request);
  nlohmann::json carry_out(const std::string& verb, const nlohmann::json& request);
  nlohmann::json measure(const nlohmann::json& request);

  Hello hello_;
  std::function<void(const std::string&)> say_;
  Greeting greeting_;
};

}  // namespace jcprof::agents

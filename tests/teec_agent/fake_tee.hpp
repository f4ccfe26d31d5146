// SPDX-License-Identifier: Apache-2.0
// A TEE with one trusted application, instrumented, whose command 1 passes the traps 1, 2, then 3 as often as
// its input says, and 4; it answers twice the input. What it does wrong is a setting.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agents/teec/hello.hpp"
#include "templates/jcprof_plugin.h"

namespace jcprof::test {

struct Faults {
  std::uint32_t open_code = 0;  // of each opening, but for 0
  bool is_plain = false;        // not instrumented
  std::uint32_t build = 7;
  std::size_t room = 16'384;  // ids that it keeps of a trace
  bool outlives_sessions = false;
  std::uint32_t bears = UINT32_MAX;  // stops in an instance; after those it answers 0xFFFF000C
  bool panics_then = false;          // instead
  std::uint32_t panics_at = 0;       // this trap, however it is armed
  bool varies = false;               // the path of each run is another
};

class FakeTee : public teec::Tee {
 public:
  explicit FakeTee(Faults faults) : faults_(faults) {}

  teec::Answer open(const teec::Identity& as, teec::Params& params) override;
  void close() override;
  teec::Answer invoke(std::uint32_t command, teec::Params& params, teec::Timing timing) override;
  Ticks time(teec::Rung rung) override;

  std::vector<std::string>
      log;  // "open", "open as 2 of 1000", "close", "panic", and commands but ours as numbers

 private:
  /// What lives as long as the TA's memory.
  struct Instance {
    jcprof_window head{};  // the last report
    bool is_armed = false;
    jcprof_window wish{};
    std::vector<std::uint32_t> ids{};
    std::uint32_t stops = 0;
  };

  teec::Answer serve(teec::Params& params);
  teec::Answer trigger(teec::Params& params);
  void trace(const std::vector<std::uint32_t>& path);
  teec::Answer panic();

  Faults faults_;
  std::unique_ptr<Instance> instance_;
  bool is_dead_ = false;
  std::uint32_t runs_ = 0;
};

/// Answers to requests, without their ids; a hello comes first.
class Conversation {
 public:
  explicit Conversation(const Faults& faults = {}, nlohmann::json hello = nlohmann::json::object(),
                        const teec::Place& place = {.device = "a pretended TEE"});

  /// All lines that answer it.
  std::vector<nlohmann::json> ask(nlohmann::json request);
  /// The samples of shots at these traps, each at its first hit.
  std::vector<nlohmann::json> measure(const std::vector<std::uint32_t>& traps,
                                      const std::string& input = "02");
  const nlohmann::json& greeted() const { return greeted_; }
  /// Empties it.
  std::vector<std::string> log();
  std::string account() const { return service_.account(); }

 private:
  std::shared_ptr<FakeTee> tee_;
  std::vector<nlohmann::json> answers_;
  agents::Service service_;
  nlohmann::json greeted_;
};

}  // namespace jcprof::test

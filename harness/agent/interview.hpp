// SPDX-License-Identifier: Apache-2.0
// Talks with an agent one request at a time and keeps everything that it said, faults included. Judges only
// whether it was an answer at all.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "harness/agent/link.hpp"
#include "harness/transport.hpp"
#include "src/core/types.hpp"

namespace jcprof::harness {

/// An agent's answer to one request.
struct Talk {
  std::vector<Sample> samples;
  std::vector<AgentProcess::Clock::time_point> arrivals;  // of the samples
  nlohmann::json end;                                     // the line with "ok" or "error"
  std::string fault;                                      // why it is no answer
  bool is_ok() const { return fault.empty() && end.contains("ok"); }
};

/// A shot as it stands in a request; `input` in hex.
nlohmann::json shot_at(Event stop, const std::string& input);
/// "stopped at trap 3, hit 1", "lost: it caught fire".
std::string in_words(const Sample& sample);

class AgentInterview {
 public:
  explicit AgentInterview(AgentSettings settings) : settings_(std::move(settings)) {}

  const AgentSettings& settings() const { return settings_; }
  /// Ends the agent; the next question starts another.
  void drop();
  /// A fresh agent that was said nothing to.
  AgentProcess& spawn();
  /// One that has answered hello, whatever it said.
  AgentProcess& agent();
  std::uint64_t next_id() { return ++last_id_; }

  Talk say_hello();
  /// The request gets an id of its own.
  Talk ask(nlohmann::json request);
  /// Another number of answers than of shots is a fault.
  Talk measure(nlohmann::json shots);
  Talk listen(std::uint64_t id, std::chrono::milliseconds timeout);
  /// The answer of the last ask(), as text.
  template <class T>
  AgentAnswer<T> last_answer(const Talk& talk) const {
    return read_answer<T>(talk.end.dump(), last_id_);
  }
  /// The fault of its end, which is due now; empty when it ends with status 0.
  std::string fault_of_end();

 private:
  std::string words_for(LineState state);

  AgentSettings settings_;
  LogStart log_start_ = LogStart::empty;
  std::optional<AgentProcess> agent_;
  std::uint64_t last_id_ = 0;
};

}  // namespace jcprof::harness

// SPDX-License-Identifier: Apache-2.0
// A subject as something that stands by what it says: loaded anew after so many stops, and asked again on a
// fresh one where an answer is suspect (docs/sgx.md, "The agent"). Knows nothing of JSON.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agents/known.hpp"
#include "agents/reload_policy.hpp"
#include "agents/subject.hpp"
#include "src/core/agent_protocol.hpp"

namespace jcprof::agents {

struct TargetSettings {
  std::string what;                                             // that is loaded, in messages
  std::chrono::nanoseconds timeout = std::chrono::seconds{10};  // for one shot, whatever it takes to make it
  double ticks_per_ns = 1;
  bool is_fresh_always = false;  // after each stop a load, without a look
};

/// For the log, at the end.
struct Account {
  std::uint64_t loads = 0;
  std::uint64_t stops = 0;
  std::uint64_t suspects = 0;    // answers that were asked for again
  std::uint64_t blamed = 0;      // of those: the stops before were to blame
  std::uint64_t deviations = 0;  // found before a planned load
  std::uint64_t losses = 0;      // on a fresh one
};

enum class Reset : std::uint8_t { session, target };

class Target {
 public:
  using Sink = std::function<void(const Sample&)>;

  /// Brings the subject up. UserError when it cannot.
  Target(std::unique_ptr<Subject> subject, TargetSettings settings);

  const Account& account() const { return account_; }

  /// Gives the sample of each shot to `sink` as soon as it counts. Shots name their input by its index.
  void measure(std::span<const Shot> shots, std::span<const Bytes> inputs, const Sink& sink);
  // UserError when the subject is lost in one of these.
  AgentWindow trace(const Bytes& input, std::uint64_t from, std::uint64_t count);
  /// So many passes, beyond those of an empty loop; or a call with so many entries.
  Ticks calibrate(Passes kind, std::uint64_t passes);
  /// Runs the trigger once with each input on a fresh one that is warm, recorded into the log in that file,
  /// or where the subject shares no memory into its own, which is returned.
  Bytes record(std::span<const Bytes> inputs, const std::filesystem::path& log);
  void reset(Reset how);

 private:
  /// An input of the request, and what is known of it.
  struct Input {
    Placed placed;
    Known* known = nullptr;
  };

  void take_request(std::span<const Bytes> inputs);
  std::size_t measure_some(std::span<const Shot> shots, const Sink& sink);
  std::vector<Order> orders_for(std::span<const Shot> shots) const;
  Order order_for(const Shot& shot, std::uint32_t stops) const;
  Order whole_run(const Input& input) const;
  bool needs_fresh(const Shot& shot) const;
  bool is_good(const Shot& shot, const Result& result) const;
  void note(const Shot& shot, const Result& result);
  Sample sample_of(const Result& result) const;
  Sample lost(const std::string& why);
  /// On a fresh one this is how it is.
  Sample settled(const Shot& shot, const Run& run);
  Sample asked_again(const Shot& shot);
  void blame(std::uint32_t stops, Event last);
  void see_hang(const Run& run);

  Run carried_out(std::span<const Order> orders, std::string_view doing);
  std::string make_ready(const Input& input, bool is_fresh_wanted);
  std::string make_fresh(const Input& input);
  void load();
  void warm_up(const Input& input);
  void look_back(const Input& input);
  bool goes_as_usual(const Input& input);
  bool takes_as_usual(const Input& input);

  const Input& input_of(const Shot& shot) const { return inputs_.at(shot.input); }
  std::int64_t remaining_ns() const;
  std::int64_t suspicious_ns(const Known& known) const;
  std::uint32_t stops_allowed(const Input& input) const;
  bool is_never_looked_at(const Known& known) const;

  TargetSettings settings_;
  std::unique_ptr<Subject> subject_;
  std::map<Bytes, Known> known_;
  std::vector<Input> inputs_;  // of the request
  ReloadPolicy policy_;
  std::set<Event> harmful_;       // after a stop at one of these always a load
  bool hangs_when_used_ = false;  // it has, behind a stop
  std::set<Event> slow_once_;     // behind these it has hung for a short wait
  bool is_in_doubt_ = false;      // whether the last hang was one
  bool is_warm_ = false;          // the first run, which may make what lasts, is over
  bool is_spoilt_ = false;        // to be loaded anew before it is used again
  std::uint32_t stops_ = 0;       // since the load
  Event last_stop_;
  std::int64_t answered_ = 0;  // when the last answer went out, or the request came in
  Account account_;
};

}  // namespace jcprof::agents

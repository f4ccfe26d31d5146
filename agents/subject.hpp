// SPDX-License-Identifier: Apache-2.0
// What an agent stands in front of, wherever it lives at the moment: an enclave, a session with a trusted
// application. It is loaded, given orders, and if it is lost says why. When to load it is for others to say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "src/core/types.hpp"

namespace jcprof::agents {

inline constexpr std::size_t most_orders = 256;
inline constexpr std::uint64_t window_room = 262'144;

enum class Task : std::uint32_t { load, call, calibrate };

/// What lets the next order be carried out without a look at this one.
enum class Expected : std::uint32_t { anything, the_stop, the_answer };

/// The work of a calibration; the numbers are those of the verbs of our ecall and of our command.
enum class Passes : std::uint32_t { empty = 1, unarmed = 2, counting = 3, returned = 8, stop = 9 };

/// It enters an armed function, in place of passing a trap.
inline bool is_of_entries(Passes kind) {
  return kind == Passes::returned || kind == Passes::stop;
}

/// One thing to do. A plain value, as it may lie in memory that processes share.
struct Order {
  Task task = Task::call;
  Expected expected = Expected::anything;
  std::uint32_t trap = 0;  // 0: to the end
  Passes kind = Passes::empty;
  std::uint64_t hit = 1;
  std::uint64_t from = 0;    // of a trace
  std::uint64_t room = 0;    // above 0: traced
  std::uint64_t passes = 0;  // of a calibration
  std::uint64_t answer = 0;  // the digest that is expected
  std::int64_t delay_ns = 0;
  std::int64_t limit_ns = 0;  // then it hangs; without the delay
  std::uint32_t input = 0;    // as it was placed
  std::uint32_t input_size = 0;
  bool is_recorded = false;  // docs/record.md
};

enum class Came : std::uint32_t { back, refused, failed };

struct Result {
  Came came = Came::failed;  // refused, failed: the subject says why
  std::uint32_t trap = 0;    // 0: it ended
  std::uint64_t hit = 0;
  std::int64_t ticks = 0;
  std::uint32_t status = 0;
  std::uint32_t reply = 0;  // offset among the replies
  std::uint32_t reply_size = 0;
  std::uint64_t answer = 0;  // digest of status and reply
};

enum class ListEnd : std::uint8_t { finished, died, hung };

inline bool is_as_expected(const Order& order, const Result& result) {
  if (result.came != Came::back) return false;
  switch (order.expected) {
    case Expected::anything:
      return true;
    case Expected::the_stop:
      return result.trap == order.trap && result.hit == order.hit;
    case Expected::the_answer:
      return result.trap == 0 && result.answer == order.answer;
  }
  return false;
}

/// A list of orders that was carried out, or the beginning of one.
struct Run {
  ListEnd end = ListEnd::finished;
  std::vector<Result> results;
};

/// Where an order finds an input.
struct Placed {
  std::uint32_t at = 0;
  std::uint32_t size = 0;
};

/// What the last traced run went through.
struct Window {
  std::uint64_t events = 0;  // of the whole run
  std::uint32_t before = 0;  // signature of those before the window
  std::uint32_t all = 0;
  std::span<const std::uint32_t> ids;
};

class Subject {
 public:
  using Take = std::function<void(std::size_t, const Result&)>;

  virtual ~Subject() = default;
  virtual bool is_loaded() const = 0;
  /// Afresh, in so much time at most. UserError when it cannot be.
  virtual void load(std::int64_t limit_ns) = 0;
  virtual void end() = 0;
  /// The same, with all that would outlive it.
  virtual void kill() { end(); }
  /// Whether something of what was loaded before may be left in it.
  virtual bool is_second_of_its_kind() const { return false; }
  /// There shall be no second one.
  virtual void replace_from_now_on() { end(); }

  /// `take` gets each result with its number; it may be fewer than the orders, as what is not as expected
  /// ends the list. Where it does not finish the subject is gone.
  virtual Run run(std::span<const Order> orders, const Take& take = [](std::size_t, const Result&) {}) = 0;
  /// In words, what became of the last order of `run`, which did not come back.
  virtual std::string why(const Run& run) const = 0;
  /// A way out of the last refusal; empty: none is known.
  virtual std::string way_out() const { return {}; }
  virtual Window window() const = 0;
  /// Until the next run().
  virtual std::span<const std::uint8_t> reply(const Result& result) const = 0;
  /// For the orders up to the next call. UserError where there is no room for all.
  virtual std::vector<Placed> place(std::span<const Bytes> inputs) = 0;

  /// From the next load on calls that are recorded go into the log in that file, or where it shares no memory
  /// into one of its own.
  virtual void record_into(const std::filesystem::path& log) = 0;
  /// Its own since it was loaded; empty where it is that of the file. UserError when it cannot be had.
  virtual Bytes own_log() { return {}; }
};

}  // namespace jcprof::agents

// SPDX-License-Identifier: Apache-2.0
// How much the commands of an enclave or a TA differ, so that a recording of several tells how far another
// one of as many would be from it. One command tells nothing of that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

namespace jcprof::annotator {

/// The sums that are followed. Each is of a function or a line by number; the total has number 0.
enum class Followed : std::uint8_t { own, with_calls, line, total };

/// The log is not trusted: there is a limit for kinds, and memory only for what took time.
class CommandTally {
 public:
  /// A command that is under way, in one thread.
  class Command {
   public:
    void add(Followed what, std::size_t number, std::uint64_t ticks);
    /// Calls of a function that are open.
    std::uint32_t& under_way(std::uint32_t function) { return under_way_[function]; }

   private:
    friend CommandTally;
    std::unordered_map<std::uint64_t, std::uint64_t> ticks_;      // by key_of
    std::unordered_map<std::uint32_t, std::uint32_t> under_way_;  // by function
  };

  /// The command has ended. `kind`: the function by which it was entered.
  void take(const Command& command, std::uint32_t kind);

  /// Commands in all.
  std::uint64_t commands() const { return commands_; }
  /// By how much the sum over another recording of the same commands differs from this one, in 95 of 100:
  /// Student's prediction interval, for each kind of command by itself. Infinite where there are fewer than
  /// seven of a kind in which it takes time, or too many kinds.
  double half_width(Followed what, std::size_t number) const;

 private:
  struct Sums {
    double ticks = 0;
    double squares = 0;
  };
  struct Kind {
    std::uint64_t commands = 0;
    std::unordered_map<std::uint64_t, Sums> sums;  // by key_of
  };
  static constexpr std::size_t most_kinds = 64;
  static std::uint64_t key_of(Followed what, std::size_t number) {
    return std::uint64_t{number} * 4 + static_cast<std::uint64_t>(what);
  }

  std::map<std::uint32_t, Kind> kinds_;
  bool has_more_kinds_ = false;
  std::uint64_t commands_ = 0;
};

/// How far another recording of as many commands would be from this one, in ticks; infinite where these are
/// too few to tell.
struct CommandSpread {
  double own = 0;
  double with_calls = 0;
};
struct Spreads {
  std::uint64_t commands = 0;
  std::vector<CommandSpread> by_symbol;
};

/// `symbol_of`: by function. Hooks and traps may have shown parts of one: at worst these move together.
Spreads spreads_of(const CommandTally& commands, std::span<const std::uint32_t> symbol_of,
                   std::size_t symbols);

}  // namespace jcprof::annotator

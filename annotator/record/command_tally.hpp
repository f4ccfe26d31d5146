// SPDX-License-Identifier: Apache-2.0
// How much the commands of an enclave or a TA differ, so that a recording of several tells how far another
// one of as many would be from it. One command tells nothing of that.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace jcprof::annotator {

/// The sums that are followed. Each is of a function or a line by number; the total has number 0.
enum class Followed : std::uint8_t { own, with_calls, line, total };

class CommandTally {
 public:
  /// What one command takes, thread by thread.
  class Command {
   public:
    void add(Followed what, std::size_t number, std::uint64_t ticks);

   private:
    friend CommandTally;
    std::array<std::vector<std::uint64_t>, 4> ticks_;
    std::array<std::vector<std::uint32_t>, 4> touched_;
  };

  /// The command has ended, and is empty then. `kind`: the function by which it was entered.
  void take(Command& command, std::uint32_t kind);

  /// Commands in all.
  std::uint64_t commands() const { return commands_; }
  /// By how much the sum over another recording of the same commands differs from this one, in 95 of 100:
  /// Student's prediction interval, for each kind of command by itself. Infinite where there are fewer than
  /// seven of a kind in which it takes time.
  double half_width(Followed what, std::size_t number) const;

 private:
  struct Sums {
    double ticks = 0;
    double squares = 0;
  };
  struct Kind {
    std::uint64_t commands = 0;
    std::array<std::vector<Sums>, 4> sums;
  };
  std::map<std::uint32_t, Kind> kinds_;
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

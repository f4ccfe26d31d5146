// SPDX-License-Identifier: Apache-2.0
// The trusted side as the agent sees it: one session at a time with one trusted application, and invocations
// that are timed. Behind it is libteec, or in tests a TA that is pretended.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "src/core/types.hpp"

namespace jcprof::teec {

enum class Direction : std::uint8_t { in = 1, out = 2, inout = 3 };

struct Value {
  Direction direction = Direction::in;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
};

struct Memory {
  Direction direction = Direction::in;
  Bytes bytes{};  // its size is the reference's; afterwards as many as the TA says
  std::uint32_t block =
      0;  // 0: a temporary reference; else the number of a shared block, kept for the session
  std::uint32_t whole =
      0;                 // bytes of the shared block where the reference is a part of it; 0: it is all of it
  std::uint32_t at = 0;  // where in that block it begins
  bool is_null = false;  // a reference to nothing, of a size
  std::uint32_t size = 0;  // of that one; afterwards what the TA says
};

using Param = std::variant<std::monostate, Value, Memory>;
using Params = std::array<Param, 4>;

// Shared blocks are numbered: those of our command's window, with ids behind it or none, then the project's.
inline constexpr std::uint32_t window_block = 1;
inline constexpr std::uint32_t ids_block = 2;
inline constexpr std::uint32_t first_block = 3;

inline constexpr std::uint32_t target_dead = 0xFFFF3024;

enum class Origin : std::uint32_t { api = 1, comms = 2, tee = 3, ta = 4 };

/// How a session is opened, which the TA can ask for. The numbers are those of TEEC_LOGIN_….
enum class Login : std::uint32_t {
  everybody = 0,
  user = 1,
  group = 2,
  application = 4,
  user_application = 5,
  group_application = 6,
};

/// Logins as a group name it.
struct Identity {
  Login login = Login::everybody;
  std::uint32_t group = 0;
};

struct Answer {
  std::uint32_t code = 0;  // TEEC_Result
  Origin origin = Origin::ta;
  Ticks ticks = 0;  // of the invocation alone, where it was timed
};

/// "TEEC_ERROR_TARGET_DEAD (0xffff3024), from the trusted OS".
std::string in_words(const Answer& answer);

enum class Timing : std::uint8_t { untimed, timed };

/// Calls of increasing depth that need no TA of the user's (docs/optee.md, "Layers").
enum class Rung : std::uint8_t { clock, driver, core, client };

class Tee {
 public:
  virtual ~Tee() = default;
  /// Opens the session, with these parameters.
  virtual Answer open(const Identity& as, Params& params) = 0;
  /// Closes it, also one whose TA has died.
  virtual void close() = 0;
  /// Parameters that go out come back in `params`.
  virtual Answer invoke(std::uint32_t command, Params& params, Timing timing) = 0;
  /// UserError where there is no such call to be made.
  virtual Ticks time(Rung rung) = 0;
};

}  // namespace jcprof::teec

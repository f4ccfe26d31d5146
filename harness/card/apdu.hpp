// SPDX-License-Identifier: Apache-2.0
// Command APDUs as bytes: from the text of a project file to what goes to the card (ISO 7816-4, cases 1 to 4,
// short and extended), status words, and the follow-ups that 61xx and 6Cxx ask for. Sends nothing itself.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/card/channel.hpp"
#include "src/core/project.hpp"
#include "src/core/types.hpp"

namespace jcprof::harness {

/// An APDU as its parts; encode() chooses the case and the short form where it is enough.
struct Apdu {
  std::uint8_t cla = 0, ins = 0, p1 = 0, p2 = 0;
  Bytes data = {};                       // at most 65,535 bytes
  std::optional<std::uint32_t> le = {};  // 0: as many as there are; at most 65,536
};
Bytes encode(const Apdu& apdu);

/// The fault of `bytes` as a command APDU, in words for a person; empty when there is none. A card must
/// never get one of these: the stock simulator does not answer it at all.
std::string fault_of_apdu(std::span<const std::uint8_t> bytes);

/// The command as T=0 carries it (ISO 7816-3, 12.1): without Le behind data, with P3 where there is neither.
/// Empty for an extended one, which T=0 cannot carry.
Bytes to_tpdu(std::span<const std::uint8_t> apdu);

/// An APDU as it is written in a project file: hex with placeholders.
struct ApduText {
  std::string text;
  std::string where;                     // for messages: "trigger"
  std::optional<std::uint32_t> le = {};  // appended when given
};

/// Fills the placeholders in and checks the result. `{input}` straight after a 4-byte header gets its Lc,
/// extended where it is longer than 255 bytes; `{lc}` is the Lc of all that follows it. UserError naming
/// `where`.
Bytes make_apdu(const ApduText& apdu, const Placeholders& values);

using StatusWord = std::uint16_t;
std::string to_text(StatusWord status);  // "6A80"

/// Status words as the project file writes them: "9000", "63C?" ('?' or 'x' for any digit), alternatives by
/// '|'.
class StatusPattern {
 public:
  /// UserError naming `where` for anything else.
  StatusPattern(std::string_view text, const std::string& where);
  bool matches(StatusWord status) const;

 private:
  struct Alternative {
    StatusWord mask = 0;
    StatusWord value = 0;
  };
  std::vector<Alternative> alternatives_;
};

/// The answer to one command, with all that its 61xx and 6Cxx fetched.
struct Answer {
  ExchangeState state = ExchangeState::lost;
  StatusWord status = 0;
  std::int64_t ticks = 0;       // sum over the exchanges, in ns
  std::uint32_t exchanges = 0;  // that the answer took
  Bytes data;
  std::string why;  // when it was not answered
};

/// Says what to send next on account of an answer: GET RESPONSE for 61xx, the same command with another Le
/// for 6Cxx. A state machine: one object a command, asked after each answer.
class FollowUp {
 public:
  explicit FollowUp(std::span<const std::uint8_t> command) : command_(command) {}
  /// Nothing when the answer is final. The same Le is never asked for twice, and the number of steps is
  /// bounded.
  std::optional<Bytes> after(StatusWord status);

 private:
  Bytes get_response(std::uint8_t le) const;
  std::optional<Bytes> with_le(std::uint8_t le) const;

  std::span<const std::uint8_t> command_;
  std::uint32_t steps_ = 0;
  bool fetching_ = false;   // the last thing sent was a GET RESPONSE
  bool corrected_ = false;  // and its Le was put right already
};

using ExchangeFunction = std::function<Exchange(std::span<const std::uint8_t>)>;

/// One command to its final answer, into `answer`, whose buffer is used again. The status word `stop` is
/// final.
void exchange_whole(std::span<const std::uint8_t> command, StatusWord stop, const ExchangeFunction& exchange,
                    Answer& answer);

}  // namespace jcprof::harness

// SPDX-License-Identifier: Apache-2.0
// Status words of cards in words: what each says (ISO 7816-4, 5.6; Java Card's ISO7816), and what a person
// can do about it in a project file. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "harness/card/apdu.hpp"

namespace jcprof::harness {

struct StatusMeaning {
  std::string_view meaning;  // "wrong length"
  std::string_view remedy;   // of a command that is part of a trigger or a script
};
StatusMeaning meaning_of(StatusWord status);

/// "6700 (wrong length)"
std::string in_words(StatusWord status);

/// A status word that says that the command was not carried out.
bool is_error(StatusWord status);

/// Commands after whose failure a card counts a try of a PIN or key: VERIFY, CHANGE REFERENCE DATA, RESET
/// RETRY COUNTER and EXTERNAL AUTHENTICATE (ISO 7816-4), of whatever class. Without data nothing is tried.
bool counts_tries(std::span<const std::uint8_t> command);

/// The remedy for that answer to a command of a script. It names the AID where that command is a SELECT by
/// AID, or the installation of an applet that a simulator has loaded (80B8).
std::string remedy_for(std::span<const std::uint8_t> command, StatusWord status);

}  // namespace jcprof::harness

// SPDX-License-Identifier: Apache-2.0
// The name of the card with a given ATR, by the list that pcsc-tools keeps (smartcard_list.txt): ATRs,
// in which '.' stands for any digit, each followed by indented lines of text.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "src/core/types.hpp"

namespace jcprof::harness {

/// The first line of text of the last entry that fits: later ones are more special.
std::optional<std::string> find_card_name(const Bytes& atr, std::string_view list);

/// The name in the user's list or the system's; "card 3b…" where neither knows it.
std::string name_of_card(const Bytes& atr);

}  // namespace jcprof::harness

// SPDX-License-Identifier: Apache-2.0
#include "agents/reload_policy.hpp"

#include <algorithm>

namespace jcprof::agents {
namespace {

// A load takes some milliseconds: shared by so many stops it is no longer worth a risk.
constexpr std::uint32_t most = 1024;
constexpr std::uint32_t longest_patience = 64;

}  // namespace

void ReloadPolicy::held() {
  if (stops_ >= too_many_) {
    too_many_ = UINT32_MAX;
    patience_ = 1;
  }
  const std::uint32_t wanted = 2 * stops_ >= too_many_ ? patience_ : 1;
  if (++held_in_a_row_ < wanted) return;
  held_in_a_row_ = 0;
  stops_ = std::min(2 * stops_, most);
}

void ReloadPolicy::deviated() {
  held_in_a_row_ = 0;
  patience_ = std::min(2 * patience_, longest_patience);
  too_many_ = std::max(stops_, 2U);
  stops_ = std::max(stops_ / 2, 1U);
}

}  // namespace jcprof::agents

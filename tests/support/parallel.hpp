// SPDX-License-Identifier: Apache-2.0
// One function over many items on all cores, results in the items' order: how many cores there are shows in
// the time only.
#pragma once

#include <type_traits>
#include <vector>

#include "src/core/parallel.hpp"

namespace jcprof::test {

template <typename Item, typename Function>
auto parallel_map(const std::vector<Item>& items, const Function& function) {
  std::vector<std::invoke_result_t<Function, const Item&>> results(items.size());
  in_parallel(items.size(), [&](std::size_t i) { results[i] = function(items[i]); });
  return results;
}

}  // namespace jcprof::test

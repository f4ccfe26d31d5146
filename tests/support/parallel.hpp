// SPDX-License-Identifier: Apache-2.0
// One function over many items on all cores, results in the items' order: how many cores there are shows in
// the time only.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace jcprof::test {

template <typename Item, typename Function>
auto parallel_map(const std::vector<Item>& items, const Function& function) {
  std::vector<std::invoke_result_t<Function, const Item&>> results(items.size());
  std::atomic<std::size_t> next = 0;
  std::exception_ptr fault;
  std::atomic_flag has_fault;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < items.size(); i = next++) results[i] = function(items[i]);
    } catch (...) {  // carried to the caller's thread
      if (!has_fault.test_and_set()) fault = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
      threads.emplace_back(work);
  }
  if (fault) std::rethrow_exception(fault);
  return results;
}

}  // namespace jcprof::test

// SPDX-License-Identifier: Apache-2.0
// The agent's side of the process that holds the enclave: forked from the agent, which has never loaded
// anything, given lists of orders, watched, and killed where it hangs. Decides nothing about what came back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include <sys/types.h>

#include "agents/ecall/enclave_child.hpp"
#include "agents/ecall/exchange.hpp"
#include "agents/subject.hpp"
#include "src/core/unique_fd.hpp"

namespace jcprof::ecall {

using agents::ListEnd;

class EnclaveProcess {
 public:
  /// UserError (environment) when there is no process to be had.
  EnclaveProcess(Exchange& exchange, const ChildSettings& settings);
  /// Kills it, and waits for its end.
  ~EnclaveProcess();
  EnclaveProcess(const EnclaveProcess&) = delete;
  EnclaveProcess& operator=(const EnclaveProcess&) = delete;

  /// At most most_orders. `take` gets each result, with its number, in order; it may be fewer than the
  /// orders, as the child stops behind one that is not as expected. Unless it finished it is gone.
  ListEnd run(std::span<const Order> orders, const std::function<void(std::size_t, const Result&)>& take);
  /// How it ended: "was ended by signal 11 (Segmentation fault)".
  const std::string& ending() const { return ending_; }

 private:
  [[noreturn]] void become_child(const ChildSettings& settings, Pipe& orders, Pipe& results,
                                 pid_t parent) noexcept;
  void hand_over(std::span<const Order> orders);
  bool is_finished() const;
  /// Waits for news, or the child's end, which is true. For a moment at most: the child rings late.
  bool has_ended(std::int64_t deadline);
  void kill_and_reap();

  Exchange& exchange_;
  pid_t pid_ = -1;
  UniqueFd pidfd_;
  UniqueFd orders_;
  UniqueFd results_;
  std::string ending_;
  std::uint32_t list_ = 0;
};

}  // namespace jcprof::ecall

// SPDX-License-Identifier: Apache-2.0
// The memory that the agent shares with the process of the enclave: orders one way, results the other, and
// the window that the enclave writes to. What stands in there was written beside foreign code: who reads it
// trusts no length in it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "agents/subject.hpp"
#include "templates/jcprof_plugin.h"

namespace jcprof::ecall {

using agents::most_orders;
using agents::Order;
using agents::Result;
using agents::window_room;

// A line of the protocol has 16 MiB, and the inputs of a request are hex in it.
inline constexpr std::size_t inputs_room = std::size_t{8} << 20U;
inline constexpr std::size_t replies_room = std::size_t{8} << 20U;
// What a reply has behind that is neither compared nor told.
inline constexpr std::size_t reply_room = std::size_t{1} << 20U;

struct Exchange {
  // The list that is worked on, so many results of it are there, and the last list that is done with.
  std::uint32_t list = 0;
  std::uint32_t count = 0;
  std::atomic<std::uint32_t> done = 0;
  std::atomic<std::uint32_t> finished = 0;
  std::array<Order, most_orders> orders;
  std::array<Result, most_orders> results;
  // Of the bridge, once it is loaded.
  std::uint32_t flags = 0;
  std::array<char, 256> device = {};
  std::array<char, 1024> note = {};  // on the ecall
  // In words, with a zero at the end.
  std::array<char, 2048> why = {};
  std::array<char, 1024> hint = {};
  struct Window {
    jcprof_window head;
    std::array<std::uint32_t, window_room> ids;
  } window;
  std::array<std::uint8_t, inputs_room> inputs;
  std::array<std::uint8_t, replies_room> replies;
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "processes share it");
static_assert(offsetof(Exchange::Window, ids) == sizeof(jcprof_window), "ids stand behind the head");

struct Unmap {
  void operator()(Exchange* exchange) const;
};
/// Shared with the processes that are forked later. UserError (environment) where there is no memory.
std::unique_ptr<Exchange, Unmap> make_exchange();

/// As much of `text` as fits.
void put_text(std::string_view text, char* to, std::size_t room);
template <std::size_t N>
void put_text(std::string_view text, std::array<char, N>& to) {
  put_text(text, to.data(), N);
}
template <std::size_t N>
std::string text_in(const std::array<char, N>& from) {
  const std::string_view text(from.data(), N);
  return std::string(text.substr(0, text.find('\0')));
}

}  // namespace jcprof::ecall

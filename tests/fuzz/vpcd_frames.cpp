// SPDX-License-Identifier: Apache-2.0
// A virtual card that answers with anything, in any pieces.
#include <array>
#include <thread>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/card/vpcd.hpp"
#include "tests/fuzz/fuzzing.hpp"

using namespace jcprof;
using namespace jcprof::harness;

namespace {

int dial(std::uint16_t port) {
  const int card = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  check(::connect(card, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0, "a card dials in");
  return card;
}

/// Sends the next piece of the input, its length in front, for each request that wants an answer: all but
/// those of one byte for power and reset, and the ATR is byte 4.
void answer_all(int card, fuzzing::Input input) {
  std::array<std::uint8_t, 256> request{};
  while (!input.empty() && ::recv(card, request.data(), 2, MSG_WAITALL) == 2) {
    const std::size_t size = request[1];
    if (::recv(card, request.data(), size, MSG_WAITALL) != static_cast<ssize_t>(size)) return;
    if (size == 1 && request[0] != 4) continue;
    const fuzzing::Input piece = fuzzing::take(input, fuzzing::take_byte(input));
    ::send(card, piece.data(), piece.size(), MSG_NOSIGNAL);
  }
  ::shutdown(card, SHUT_RDWR);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using std::chrono::milliseconds;
  constexpr std::array<std::uint8_t, 5> command{0x80, 0xB0, 0x00, 0x00, 0x00};
  const std::unique_ptr<ApduChannel> channel = make_vpcd_channel({.port = {}, .timeout = milliseconds{2}});
  const int card = dial(static_cast<std::uint16_t>(std::stoi(channel->port())));
  std::jthread answering(answer_all, card, fuzzing::Input{data, size});
  const int result = fuzzing::survives([&] {
    if (channel->connect(milliseconds{5})) return;
    while (channel->exchange(command).state == ExchangeState::answered) channel->reset(ResetMode::warm);
  });
  ::shutdown(card, SHUT_RDWR);
  answering.join();
  ::close(card);
  return result;
}

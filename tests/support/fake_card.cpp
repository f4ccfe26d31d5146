// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_card.hpp"

#include <array>
#include <chrono>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/path.hpp"
#include "src/core/error.hpp"
#include "src/core/path_signature.hpp"

namespace jcprof::test {
namespace {

void append_u16(Bytes& bytes, std::size_t value) {
  bytes.push_back(static_cast<std::uint8_t>(value >> 8U));
  bytes.push_back(static_cast<std::uint8_t>(value));
}

void append_u32(Bytes& bytes, std::size_t value) {
  append_u16(bytes, value >> 16U);
  append_u16(bytes, value);
}

std::uint32_t u16(std::span<const std::uint8_t> bytes, std::size_t at) {
  return static_cast<std::uint32_t>(bytes[at] << 8U | bytes[at + 1]);
}

}  // namespace

FakeReply framed(Bytes data) {
  FakeReply reply;
  append_u16(reply.raw, data.size());
  reply.raw.insert(reply.raw.end(), data.begin(), data.end());
  return reply;
}

Bytes FakeApplet::process(std::span<const std::uint8_t> apdu) {
  if (apdu[1] == 0xA4) return {0x90, 0x00};
  if (apdu[0] != arming.cla || apdu[1] != arming.ins) return run();
  return is_instrumented ? serve(apdu) : Bytes{0x6D, 0x00};
}

void FakeApplet::reset() {
  pending_ = false;
  traces_ = false;
  left_ = 0;
  hits_ = 0;
  armed_commands_ = 0;
  logged_.clear();
}

Bytes FakeApplet::serve(std::span<const std::uint8_t> apdu) {
  Bytes reply;
  switch (apdu[2]) {
    case 0:
      reply.push_back(protocol);
      append_u32(reply, build);
      append_u16(reply, window);
      break;
    case 1:
      reset();
      stop_ = {.trap = TrapId{u16(apdu, 5)}, .hit = u16(apdu, 7) << 16U | u16(apdu, 9)};
      left_ = apdu[11];
      pending_ = left_ > 0;
      break;
    case 2:
      reset();
      from_ = u16(apdu, 5) << 16U | u16(apdu, 7);
      left_ = apdu[9];
      pending_ = traces_ = left_ > 0;
      break;
    case 3:
      return read_trace(u16(apdu, 5));
    case 4:
      break;
    default:
      return {0x6A, 0x86};
  }
  append_u16(reply, 0x9000);
  return reply;
}

Bytes FakeApplet::read_trace(std::size_t offset) const {
  std::vector<TrapId> traps;
  for (const std::uint16_t id : logged_) traps.push_back(TrapId{id});
  const std::size_t from = std::min<std::size_t>(from_, traps.size());
  const std::size_t in_window = std::min(window, traps.size() - from);
  Bytes reply;
  append_u32(reply, traps.size());
  for (const std::span<const TrapId> part :
       {std::span<const TrapId>(traps).first(from), std::span<const TrapId>(traps)}) {
    append_u32(reply, path_signature(part));
    append_u16(reply, path_mix(part));
  }
  append_u16(reply, in_window);
  // Three an answer, so that reading takes more than one command.
  for (std::size_t i = offset; i < in_window && i < offset + 3; ++i) append_u16(reply, logged_[from + i]);
  append_u16(reply, 0x9000);
  return reply;
}

Bytes FakeApplet::run() {
  ++commands;
  const bool armed = pending_ && left_-- > 0;
  if (!armed) return answer;
  const std::vector<std::uint16_t>& passed = paths.empty() ? path : paths[armed_commands_++ % paths.size()];
  for (const std::uint16_t id : passed) {
    if (traces_) {
      logged_.push_back(id);
    } else if (TrapId{id} == stop_.trap && ++hits_ == stop_.hit) {
      left_ = 0;
      return {static_cast<std::uint8_t>(arming.stop_status >> 8U),
              static_cast<std::uint8_t>(arming.stop_status)};
    }
  }
  return answer;
}

FakeCard::FakeCard(std::uint16_t port, Behaviour behaviour, std::function<void()> on_reset)
    : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      behaviour_(std::move(behaviour)),
      on_reset_(std::move(on_reset)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  check(::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0,
        "the fake card connects");
  const int on = 1;
  ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  thread_ = std::thread([this] {
    serve();
    ::shutdown(fd_, SHUT_RDWR);
    ended_ = true;
  });
}

FakeCard::~FakeCard() {
  ::shutdown(fd_, SHUT_RDWR);
  thread_.join();
  ::close(fd_);
}

void FakeCard::serve() {
  while (true) {
    std::array<std::uint8_t, 2> length{};
    if (!read_all(length)) return;
    Bytes frame(u16(length, 0));
    if (!read_all(frame)) return;
    if (frame.size() == 1) {
      if (frame[0] == 2 && on_reset_) on_reset_();
      if (frame[0] == 4 && !send(framed({0x3B, 0x80, 0x01, 0x81}))) return;
      continue;
    }
    const FakeReply reply = behaviour_(frame);
    if (!send(reply) || reply.dies) return;
  }
}

bool FakeCard::read_all(std::span<std::uint8_t> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got = ::recv(fd_, bytes.data(), bytes.size(), 0);
    if (got <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

bool FakeCard::send(const FakeReply& reply) const {
  const std::size_t step = reply.trickles ? 1 : std::max<std::size_t>(reply.raw.size(), 1);
  for (std::size_t at = 0; at < reply.raw.size(); at += step) {
    if (::send(fd_, reply.raw.data() + at, step, MSG_NOSIGNAL) < 0) return false;
    if (reply.trickles) std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  return true;
}

}  // namespace jcprof::test

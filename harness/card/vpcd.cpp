// SPDX-License-Identifier: Apache-2.0
#include "harness/card/vpcd.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "harness/clock.hpp"
#include "src/core/cancellation.hpp"
#include "src/core/error.hpp"
#include "src/core/unique_fd.hpp"

namespace jcprof::harness {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::size_t length_size = 2;
constexpr std::size_t longest_frame = 65535;
// An ATR has at most 33 bytes (ISO 7816-3, 8.2.1).
constexpr std::size_t longest_atr = 33;

// A stream that is out of step shows at the first pause: an answer is there that nobody asked for. To look
// for it before each command would cost 2 % of the rate.
constexpr std::int64_t pause_ns = 100'000;

// How late a wish to end is noticed in a command that takes long.
constexpr suseconds_t look_us = 50'000;

enum class Control : std::uint8_t { power_off = 0, power_on = 1, reset = 2, get_atr = 4 };

/// True once something can be read (or the other side has gone).
bool readable(int fd, Clock::time_point deadline) {
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
    pollfd wait{.fd = fd, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&wait, 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000)));
    if (ready > 0) return true;
    if (ready < 0 && errno == EINTR && left > 0) continue;
    return false;
  }
}

UniqueFd listen_on(std::optional<std::uint16_t> port) {
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket.get() < 0)
    throw environment_error(fmt::format("cannot make a socket: {}", std::strerror(errno)));
  const int on = 1;
  // Without it a second run within a minute finds the port of the first still taken.
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port.value_or(0));
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket.get(), 1) != 0)
    throw environment_error(
        fmt::format("cannot wait for a virtual card on 127.0.0.1:{}: {}", port.value_or(0),
                    std::strerror(errno)),
        "another jcprof or pcscd with vpcd may hold the port; \"vpcd:\" without a number takes any free one");
  return socket;
}

std::uint16_t port_of(const UniqueFd& socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  check(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0,
        "a bound socket has a name");
  return ntohs(address.sin_port);
}

class VpcdChannel final : public ApduChannel {
 public:
  explicit VpcdChannel(const VpcdOptions& options)
      : timeout_(options.timeout), listener_(listen_on(options.port)), port_(port_of(listener_)) {
    out_.resize(length_size + longest_frame);
    // One byte more than any frame, so that a card that sends too much is noticed.
    in_.resize(length_size + longest_frame + 1);
  }

  std::optional<Absence> connect(milliseconds timeout) override {
    if (dialled_in(Clock::now() + timeout)) return std::nullopt;
    return Absence{.why = fmt::format(" on 127.0.0.1:{}", port_),
                   .hint =
                       "a virtual card must connect to that port: give it {port} in \"start\", or name one: "
                       "\"vpcd:35963\""};
  }

  Exchange exchange(std::span<const std::uint8_t> command) override {
    if (state_ != State::ready) return {.why = "the card is not connected"};
    if (command.size() < 2 || command.size() > longest_frame)
      return {.why = "the command is too long for the card"};
    out_[0] = static_cast<std::uint8_t>(command.size() >> 8);
    out_[1] = static_cast<std::uint8_t>(command.size());
    std::memcpy(out_.data() + length_size, command.data(), command.size());
    return timed_round_trip(length_size + command.size());
  }

  bool reset(ResetMode mode) override {
    if (mode == ResetMode::never) return state_ == State::ready;
    if (state_ != State::ready) return false;
    const bool sent = mode == ResetMode::warm
                          ? send_control(Control::reset)
                          : send_control(Control::power_off) && send_control(Control::power_on);
    // The ATR is asked for because a reset itself is not answered: once it is here, the reset is done.
    if (!sent || !send_control(Control::get_atr)) return false;
    return read_atr();
  }

  ChannelDescription describe() const override {
    // A program dials in here, or stands between.
    return {.transport = "vpcd",
            .agent = "jcprof/" JCPROF_VERSION,
            .reader = "",
            .protocol = "",
            .atr = atr_,
            .simulated = true};
  }

  std::string port() const override { return std::to_string(port_); }

 private:
  enum class State : std::uint8_t { closed, waiting_for_atr, ready };

  bool dialled_in(Clock::time_point deadline) {
    // A card may have connected in an earlier call and still be starting (the stock simulator sleeps for 3
    // s).
    if (state_ != State::waiting_for_atr) {
      connection_ = UniqueFd();
      state_ = State::closed;
      if (!readable(listener_.get(), deadline)) return false;
      if (!accept()) return false;
    }
    if (!readable(connection_.get(), deadline)) return false;
    return read_atr();
  }

  bool accept() {
    connection_ = UniqueFd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (connection_.get() < 0) return false;
    const int on = 1;
    ::setsockopt(connection_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const timeval limit{.tv_sec = timeout_.count() / 1000, .tv_usec = timeout_.count() % 1000 * 1000};
    ::setsockopt(connection_.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    // recv() is called again until the time is over.
    const timeval look{.tv_sec = 0, .tv_usec = look_us};
    ::setsockopt(connection_.get(), SOL_SOCKET, SO_RCVTIMEO, &look, sizeof look);
    if (!send_control(Control::power_on) || !send_control(Control::get_atr)) return false;
    state_ = State::waiting_for_atr;
    return true;
  }

  bool send_control(Control control) {
    const std::array<std::uint8_t, 3> frame{0, 1, static_cast<std::uint8_t>(control)};
    return send_all(frame);
  }

  bool read_atr() {
    const Exchange answer = receive(now_ns());
    if (answer.state != ExchangeState::answered) return false;
    if (answer.reply.size() > longest_atr) {
      drop(ExchangeState::lost, "");
      return false;
    }
    atr_.assign(answer.reply.begin(), answer.reply.end());
    state_ = State::ready;
    return true;
  }

  bool has_unasked_bytes() {
    std::uint8_t byte = 0;
    return ::recv(connection_.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) > 0;
  }

  bool send_all(std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(connection_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return false;
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
    return true;
  }

  Exchange timed_round_trip(std::size_t size) {
    std::int64_t start = now_ns();
    if (start - last_stop_ > pause_ns) {
      if (has_unasked_bytes()) return drop(ExchangeState::lost, "the card sent data without a request");
      start = now_ns();
    }
    if (!send_all({out_.data(), size})) return drop(ExchangeState::lost, "the card closed the connection");
    Exchange done = receive(start);
    // The shortest answer is a status word.
    if (done.state == ExchangeState::answered && done.reply.size() < 2)
      return drop(ExchangeState::lost, fmt::format("the card sent an answer of {} bytes", done.reply.size()));
    return done;
  }

  /// One frame. The first recv brings all of it, as a rule; what trickles in is held to the time-out as a
  /// whole.
  Exchange receive(std::int64_t start) {
    std::size_t have = 0;
    while (true) {
      const ssize_t got = ::recv(connection_.get(), in_.data() + have, in_.size() - have, 0);
      const std::int64_t stop = now_ns();
      if (got < 0 && errno == EINTR) continue;
      if (got == 0) return drop(ExchangeState::lost, "the card closed the connection");
      if (got < 0 && errno != EAGAIN) return drop(ExchangeState::lost, std::strerror(errno));
      if (got > 0) have += static_cast<std::size_t>(got);
      const std::size_t size = have < length_size ? longest_frame : in_[0] * 256U + in_[1];
      if (have == length_size + size) {
        last_stop_ = stop;
        return {ExchangeState::answered, {in_.data() + length_size, size}, start, stop, {}};
      }
      if (have > length_size + size) return drop(ExchangeState::lost, "the card sent more than an answer");
      if (cancellation().is_urgent() || std::chrono::nanoseconds(stop - start) >= timeout_)
        return drop(ExchangeState::timed_out, fmt::format("no answer within {} ms", timeout_.count()));
    }
  }

  Exchange drop(ExchangeState state, std::string why) {
    connection_ = UniqueFd();
    state_ = State::closed;
    return {.state = state, .why = std::move(why)};
  }

  milliseconds timeout_;
  UniqueFd listener_;
  std::uint16_t port_;
  UniqueFd connection_;
  State state_ = State::closed;
  Bytes out_;
  Bytes in_;
  Bytes atr_;
  std::int64_t last_stop_ = 0;
};

}  // namespace

std::unique_ptr<ApduChannel> make_vpcd_channel(const VpcdOptions& options) {
  return std::make_unique<VpcdChannel>(options);
}

}  // namespace jcprof::harness

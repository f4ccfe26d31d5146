// SPDX-License-Identifier: Apache-2.0
// A PC/SC daemon of a test's own, with two virtual readers and a socket that only those find who inherit this
// process's environment, and virtual cards for them. A system's daemon is neither used nor disturbed.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "src/core/process.hpp"

namespace jcprof::test {

/// The first of two neighbours that nobody has, below those that the kernel gives away.
std::uint16_t free_ports();
/// A program waits for connections at it.
bool is_listening(std::uint16_t port);

enum class Readers : std::uint8_t { none, two };

class PrivatePcscd {
 public:
  static constexpr std::array<std::string_view, 2> names{"Virtual PCD 00 00", "Virtual PCD 00 01"};

  /// Why there can be none on this machine.
  static std::optional<std::string> obstacle();

  /// Started. Sets PCSCLITE_CSOCK_NAME for as long as it lives.
  PrivatePcscd();
  ~PrivatePcscd();
  PrivatePcscd(const PrivatePcscd&) = delete;
  PrivatePcscd& operator=(const PrivatePcscd&) = delete;

  /// The readers' ports stay the same. Returns once virtual cards can connect.
  void start(Readers readers = Readers::two);
  /// SIGKILL.
  void kill();
  pid_t pid() const { return pid_; }
  /// Where the virtual card for a reader connects: 0 or 1.
  std::uint16_t port(int reader) const { return static_cast<std::uint16_t>(port_ + reader); }

 private:
  bool serves(Readers readers) const;

  std::filesystem::path folder_;
  std::uint16_t port_ = 0;
  std::optional<BackgroundProcess> daemon_;
  pid_t pid_ = 0;
};

/// What VirtualCard.java needs to be found, for a JVM's class path.
std::string virtual_card_classpath();

}  // namespace jcprof::test

// SPDX-License-Identifier: Apache-2.0
// The sessions of one build, which lie below its output folder: DIR/sessions/1/profile.jcprof, 2, and so on;
// and DIR/sessions/sessions.json, which says what they are of. Measures nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace jcprof::cli {

/// Sessions that have the same of all of this may stand beside each other.
struct SessionSubject {
  std::string build;  // a digest of all that decides what is measured
  std::filesystem::path with =
      {};  // output folder of the other build, with which they alternate; empty: none
  std::string with_build = {};
  bool operator==(const SessionSubject&) const = default;
};

enum class StoredSessions : std::uint8_t {
  none,
  same,           // of the same subject: they go on
  other_build,    // of another build, or alternating with another state of the same other one
  measured_apart  // alone where others alternate, or with another build, or it is not known how
};

class SessionSet {
 public:
  /// `out`: an output folder.
  SessionSet(const std::filesystem::path& out, SessionSubject subject);

  /// UserError if sessions.json is damaged, or of a newer version.
  StoredSessions stored() const;
  /// DIR/sessions
  const std::filesystem::path& folder() const { return folder_; }
  /// From 1.
  std::filesystem::path folder_of(std::uint32_t session) const;

  /// Removes all sessions but `kept`, which has begun (0: none), and notes what those are of that follow.
  void begin_anew(std::uint32_t kept) const;

 private:
  /// Those that have a profile.
  std::vector<std::uint32_t> sessions() const;
  std::filesystem::path note() const;

  std::filesystem::path folder_;
  SessionSubject subject_;
};

}  // namespace jcprof::cli

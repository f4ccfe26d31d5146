// SPDX-License-Identifier: Apache-2.0
// Tells whether a shot came to its stop on a given path. An input may take several paths. A shot belongs to
// one of them where all pass the stop after the same events, or where the shot carries the signature of its
// events.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "annotator/estimate/taken_paths.hpp"
#include "src/core/store.hpp"

namespace jcprof::annotator {

/// The shot ended as it was asked to.
bool is_timed(const StoredSample& sample);

/// The signatures that shots on a path have, as the target computes them.
class Digest {
 public:
  /// Some targets digest the event that they stopped at too. Agents may have a foreign signature, of which
  /// none is ours: then the signature of most shots at a stop is taken for that of the path.
  Digest(const TakenPath& path, std::span<const StoredSample* const> samples);

  bool is_foreign() const { return form_ == Form::foreign; }
  /// The signature of a shot that came to that position on `path`, unless the digest is foreign.
  std::uint32_t expected(const TakenPath& path, std::size_t position) const;
  std::uint32_t usual_at(std::size_t position) const { return usual_[position].signature; }

 private:
  /// The most frequent vote, found in one pass (Boyer & Moore 1981).
  struct Majority {
    std::uint32_t signature = 0;
    std::uint32_t lead = 0;

    void add(std::uint32_t vote);
  };
  enum class Form : std::uint8_t { before_stop, through_stop, foreign };
  Form form_ = Form::before_stop;
  std::vector<Majority> usual_;
};

enum class Match : std::uint8_t {
  this_path,
  other_path,
  untraced,  // a path that nobody knows
  vague,     // cannot be told
};

class PathMatcher {
 public:
  /// `others`: the paths besides `path` that the same input takes. Keeps references.
  PathMatcher(const TakenPath& path, std::vector<const TakenPath*> others, const Digest& digest);

  /// `position`: of the event that the shot asked for.
  Match match(const StoredSample& sample, std::size_t position) const;

 private:
  bool is_vague(std::size_t position) const { return !is_vague_.empty() && is_vague_[position]; }

  const TakenPath& path_;
  std::vector<const TakenPath*> others_;
  const Digest& digest_;
  std::vector<bool> is_vague_;  // for shots without a signature; empty: nowhere
};

}  // namespace jcprof::annotator

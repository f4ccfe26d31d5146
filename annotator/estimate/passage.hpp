// SPDX-License-Identifier: Apache-2.0
// Whether a shot came to its stop on the way that is asked about. An input may take several ways; then a stop
// tells them apart where they pass it after the same events, or where the shot carries a signature of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "annotator/estimate/ways.hpp"
#include "src/core/store.hpp"

namespace jcprof::annotator {

/// It ended as it was asked to.
bool is_timed(const StoredSample& sample);

/// The signatures of a way's shots, as the target computes them.
class Digest {
 public:
  /// Agents may have one of their own: then none of theirs is ours, and what most shots at a stop have is
  /// taken for the traced way. Others digest the event that they stopped at too.
  Digest(const Way& way, std::span<const StoredSample* const> samples);

  bool is_foreign() const { return form_ == Form::foreign; }
  /// Where it is not foreign: of a shot that came to that position on `way`.
  std::uint32_t expected(const Way& way, std::size_t position) const;
  std::uint32_t usual_at(std::size_t position) const { return usual_[position].signature; }

 private:
  /// What most have, in one pass (Boyer & Moore 1981).
  struct Majority {
    std::uint32_t signature = 0;
    std::uint32_t lead = 0;

    void add(std::uint32_t vote);
  };
  enum class Form : std::uint8_t { before_stop, through_stop, foreign };
  Form form_ = Form::before_stop;
  std::vector<Majority> usual_;
};

class Passage {
 public:
  /// `others`: the ways besides `way` that the same input takes. Keeps references.
  Passage(const Way& way, std::vector<const Way*> others, const Digest& digest);

  enum class Verdict : std::uint8_t {
    this_way,
    other_way,
    untraced,  // no way that is known
    vague,     // cannot be told
  };
  /// `position`: of what the shot asked for.
  Verdict judge(const StoredSample& sample, std::size_t position) const;

 private:
  bool is_vague(std::size_t position) const { return !is_vague_.empty() && is_vague_[position]; }

  const Way& way_;
  std::vector<const Way*> others_;
  const Digest& digest_;
  std::vector<bool> is_vague_;  // for shots without a signature; empty: nowhere
};

}  // namespace jcprof::annotator

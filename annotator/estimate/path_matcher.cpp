// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/path_matcher.hpp"

#include <algorithm>
#include <utility>

namespace jcprof::annotator {
namespace {

/// `other` passes the event at that position of `path` too, but after other events.
bool comes_otherwise(const TakenPath& other, const TakenPath& path, std::size_t position) {
  const auto at = other.position(position == path.end() ? Event{} : path.events()[position]);
  return at && (*at != position || other.signature_before(*at) != path.signature_before(position));
}

}  // namespace

bool is_timed(const StoredSample& sample) {
  return sample.asked.trap == run_to_end ? sample.outcome == Outcome::ended
                                         : sample.outcome == Outcome::stopped;
}

void Digest::Majority::add(std::uint32_t vote) {
  if (lead == 0) signature = vote;
  if (signature == vote)
    ++lead;
  else
    --lead;
}

Digest::Digest(const TakenPath& path, std::span<const StoredSample* const> samples) {
  std::size_t before = 0;
  std::size_t through = 0;
  bool has_any = false;
  for (const StoredSample* sample : samples) {
    if (!sample->signature || !is_timed(*sample)) continue;
    const auto position = path.position(sample->asked);
    if (!position || *position == 0) continue;  // before the first event there is nothing to digest
    has_any = true;
    if (*sample->signature == path.signature_before(*position)) ++before;
    if (*position < path.end() && *sample->signature == path.signature_before(*position + 1)) ++through;
  }
  if (through > before) form_ = Form::through_stop;
  if (!has_any || before + through > 0) return;
  form_ = Form::foreign;
  usual_.resize(path.end() + 1);
  for (const StoredSample* sample : samples)
    if (const auto position = path.position(sample->asked);
        position && sample->signature && is_timed(*sample))
      usual_[*position].add(*sample->signature);
}

std::uint32_t Digest::expected(const TakenPath& path, std::size_t position) const {
  const bool counts_stop = form_ == Form::through_stop && position < path.end();
  return path.signature_before(counts_stop ? position + 1 : position);
}

PathMatcher::PathMatcher(const TakenPath& path, std::vector<const TakenPath*> others, const Digest& digest)
    : path_(path), others_(std::move(others)), digest_(digest) {
  if (others_.empty()) return;
  is_vague_.resize(path.end() + 1);
  for (std::size_t i = 0; i <= path.end(); ++i)
    is_vague_[i] = std::ranges::any_of(
        others_, [&](const TakenPath* other) { return comes_otherwise(*other, path, i); });
}

Match PathMatcher::match(const StoredSample& sample, std::size_t position) const {
  if (!sample.signature) return is_vague(position) ? Match::vague : Match::this_path;
  if (digest_.is_foreign()) {
    if (is_vague(position)) return Match::vague;
    return *sample.signature == digest_.usual_at(position) ? Match::this_path : Match::untraced;
  }
  if (*sample.signature == digest_.expected(path_, position)) return Match::this_path;
  const bool is_traced = std::ranges::any_of(others_, [&](const TakenPath* other) {
    const auto at = other->position(sample.asked);
    return at && digest_.expected(*other, *at) == *sample.signature;
  });
  return is_traced ? Match::other_path : Match::untraced;
}

}  // namespace jcprof::annotator

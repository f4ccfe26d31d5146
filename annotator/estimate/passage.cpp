// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/passage.hpp"

#include <algorithm>
#include <utility>

namespace jcprof::annotator {
namespace {

/// Whether `other` passes what is at that position of `way` as well, but after other events.
bool comes_otherwise(const Way& other, const Way& way, std::size_t position) {
  const auto at = other.position(position == way.end() ? Event{} : way.events()[position]);
  return at && (*at != position || other.signature_before(*at) != way.signature_before(position));
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

Digest::Digest(const Way& way, std::span<const StoredSample* const> samples) {
  std::size_t before = 0;
  std::size_t through = 0;
  bool has_any = false;
  for (const StoredSample* sample : samples) {
    if (!sample->signature || !is_timed(*sample)) continue;
    const auto position = way.position(sample->asked);
    if (!position || *position == 0) continue;  // before the first event there is nothing to digest
    has_any = true;
    if (*sample->signature == way.signature_before(*position)) ++before;
    if (*position < way.end() && *sample->signature == way.signature_before(*position + 1)) ++through;
  }
  if (through > before) form_ = Form::through_stop;
  if (!has_any || before + through > 0) return;
  form_ = Form::foreign;
  usual_.resize(way.end() + 1);
  for (const StoredSample* sample : samples)
    if (const auto position = way.position(sample->asked); position && sample->signature && is_timed(*sample))
      usual_[*position].add(*sample->signature);
}

std::uint32_t Digest::expected(const Way& way, std::size_t position) const {
  const bool counts_stop = form_ == Form::through_stop && position < way.end();
  return way.signature_before(counts_stop ? position + 1 : position);
}

Passage::Passage(const Way& way, std::vector<const Way*> others, const Digest& digest)
    : way_(way), others_(std::move(others)), digest_(digest) {
  if (others_.empty()) return;
  is_vague_.resize(way.end() + 1);
  for (std::size_t i = 0; i <= way.end(); ++i)
    is_vague_[i] =
        std::ranges::any_of(others_, [&](const Way* other) { return comes_otherwise(*other, way, i); });
}

Passage::Verdict Passage::judge(const StoredSample& sample, std::size_t position) const {
  if (!sample.signature) return is_vague(position) ? Verdict::vague : Verdict::this_way;
  if (digest_.is_foreign()) {
    if (is_vague(position)) return Verdict::vague;
    return *sample.signature == digest_.usual_at(position) ? Verdict::this_way : Verdict::untraced;
  }
  if (*sample.signature == digest_.expected(way_, position)) return Verdict::this_way;
  const bool is_traced = std::ranges::any_of(others_, [&](const Way* other) {
    const auto at = other->position(sample.asked);
    return at && digest_.expected(*other, *at) == *sample.signature;
  });
  return is_traced ? Verdict::other_way : Verdict::untraced;
}

}  // namespace jcprof::annotator

// SPDX-License-Identifier: Apache-2.0
#include "annotator/record/quantile_sketch.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace jcprof::annotator {

std::size_t QuantileSketch::widen_to(std::size_t low, std::size_t high) {
  const std::size_t before = counts_.capacity();
  const std::size_t first = std::min(counts_.empty() ? low : first_, low) / per_octave * per_octave;
  const std::size_t last = std::max(counts_.empty() ? high : first_ + counts_.size() - 1, high);
  std::vector<std::uint32_t> counts((last / per_octave + 1) * per_octave - first);
  if (!counts_.empty())
    std::ranges::copy(counts_, counts.begin() + static_cast<std::ptrdiff_t>(first_ - first));
  counts_ = std::move(counts);
  first_ = first;
  return (counts_.capacity() - before) * sizeof counts_.front();
}

std::size_t QuantileSketch::widen(std::uint64_t value) {
  return widen_to(bucket_of(value), bucket_of(value));
}

void QuantileSketch::add_nearest(std::uint64_t value) {
  ++counts_[std::clamp(bucket_of(value), first_, first_ + counts_.size() - 1) - first_];
}

void QuantileSketch::add(const QuantileSketch& other) {
  if (other.counts_.empty()) return;
  widen_to(other.first_, other.first_ + other.counts_.size() - 1);
  for (std::size_t i = 0; i < other.counts_.size(); ++i)
    counts_[other.first_ - first_ + i] += other.counts_[i];
}

std::uint64_t QuantileSketch::quantile(double part) const {
  const std::uint64_t count = std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
  const auto rank = static_cast<std::uint64_t>(std::ceil(part * static_cast<double>(count)));
  std::uint64_t passed = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    passed += counts_[i];
    if (passed == 0 || passed < rank) continue;
    const std::size_t bucket = first_ + i;
    const std::size_t shift = bucket < 2 * per_octave ? 0 : bucket / per_octave - 1;
    const std::uint64_t low = static_cast<std::uint64_t>(bucket - shift * per_octave) << shift;
    return low + ((std::uint64_t{1} << shift) - 1) / 2;
  }
  return 0;
}

}  // namespace jcprof::annotator

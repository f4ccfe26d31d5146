// SPDX-License-Identifier: Apache-2.0
// How often values came, in buckets that are at most 1/64 wide of what they hold: quantiles are right to 0.8
// %, values below 128 exactly. Memory for the octaves between the least and the most value.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace jcprof::annotator {

class QuantileSketch {
 public:
  bool is_empty() const { return counts_.empty(); }
  /// True while it has room for that value as it is.
  bool holds(std::uint64_t value) const { return bucket_of(value) - first_ < counts_.size(); }
  /// Makes room; returns by how many bytes it grew.
  std::size_t widen(std::uint64_t value);
  /// The value must fit: holds().
  void add(std::uint64_t value) { ++counts_[bucket_of(value) - first_]; }
  /// For a sketch that must not grow: the value counts as the nearest that it holds.
  void add_nearest(std::uint64_t value);
  void add(const QuantileSketch& other);

  /// The middle of the bucket that holds the value of rank ceil(part * count), from 1; 0 of no values.
  std::uint64_t quantile(double part) const;

 private:
  static constexpr std::size_t per_octave = 64;

  static std::size_t bucket_of(std::uint64_t value) {
    const auto shift = static_cast<std::size_t>(std::bit_width(value | per_octave) - 7);
    return shift * per_octave + static_cast<std::size_t>(value >> shift);
  }
  std::size_t widen_to(std::size_t low, std::size_t high);

  std::size_t first_ = 0;  // bucket of counts_[0], at the begin of an octave
  std::vector<std::uint32_t> counts_;
};

}  // namespace jcprof::annotator

// SPDX-License-Identifier: Apache-2.0
// The rival of leaks: dudect, written anew from its paper (Reparaz, Balasch & Verbauwhede 2017): Welch's t
// between the times of two classes, raw, cropped at many percentiles, and of squared distances from the mean.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "src/engine/evidence.hpp"

namespace jcprof::bench {

class Dudect {
 public:
  void add(const engine::ClassedTime& time);
  /// The largest |t| of all its tests so far. The paper calls 4.5 strong evidence; the program of its authors
  /// asks for 10, because it looks again and again.
  double t() const;

 private:
  /// Mean and variance of each class as they come in (Welford 1962).
  class Welch {
   public:
    void add(double value, bool is_second);
    double t() const;

   private:
    struct Moments {
      double count = 0;
      double mean = 0;
      double squares = 0;
    };
    std::array<Moments, 2> classes_;
  };

  void set_crops();

  std::vector<double> first_;  // they give the percentiles, and take no other part
  double mean_ = 0;            // of them
  static constexpr std::size_t crops = 100;
  std::array<double, crops> crops_{};
  Welch raw_;
  Welch squared_;
  std::array<Welch, crops> cropped_;
};

}  // namespace jcprof::bench

// SPDX-License-Identifier: Apache-2.0
// What must hold, printed with whether it does.
#pragma once

#include <string>

#include <fmt/format.h>

namespace jcprof::bench {

class Bars {
 public:
  void at_least(const std::string& what, double value, double least) {
    note(value >= least, fmt::format("{}: {:.3g}, at least {:.3g}", what, value, least));
  }
  void at_most(const std::string& what, double value, double most) {
    note(value <= most, fmt::format("{}: {:.3g}, at most {:.3g}", what, value, most));
  }
  int missed() const { return missed_; }

 private:
  void note(bool is_met, const std::string& text) {
    fmt::print("{:6} {}\n", is_met ? "met" : "MISSED", text);
    if (!is_met) ++missed_;
  }

  int missed_ = 0;
};

}  // namespace jcprof::bench

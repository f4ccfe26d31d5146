// SPDX-License-Identifier: Apache-2.0
// The calls of a log in the order in which they began, with marks, losses and pauses between them: as text,
// or as a trace that Perfetto and chrome://tracing open (Trace Event Format). Bounded: it takes the calls of
// a window, and refuses more than a viewer shows. docs/record.md, "Time line".
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "annotator/record/recording.hpp"

namespace jcprof::annotator {

enum class TimelineFormat : std::uint8_t { text, trace };

struct TimelineWish {
  TimelineFormat format = TimelineFormat::text;
  // Calls that run in [from, to), from the first event on; ns, or ticks where nothing calibrates them.
  double from = 0;
  double to = std::numeric_limits<double>::infinity();
  double least = 0;  // shorter calls are left out
  std::size_t most = 500'000;
};

/// UserError when the log cannot be analysed, or has more than `most` calls, marks and gaps there.
std::string timeline(const RecordedLog& log, const TimelineWish& wish);

}  // namespace jcprof::annotator

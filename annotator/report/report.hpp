// SPDX-License-Identifier: Apache-2.0
// report.html: the page that was compiled in, with a profile's data in it. One file that asks for nothing.
#pragma once

#include <string>

#include "annotator/report/data.hpp"

namespace jcprof::annotator {

/// At most 10,000,000 bytes.
std::string report_html(const ReportSubject& subject);

}  // namespace jcprof::annotator

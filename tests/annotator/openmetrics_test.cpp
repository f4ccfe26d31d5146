// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <sstream>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "annotator/export/exports.hpp"
#include "annotator/record/profile.hpp"
#include "tests/annotator/foreign_reader.hpp"
#include "tests/annotator/some_measured.hpp"
#include "tests/annotator/some_recording.hpp"

namespace jcprof::annotator {
namespace {

/// The samples as Prometheus' own client reads them: "name labels value", in order of the text.
std::string read_by_prometheus(const std::string& text) {
  const test::ForeignReader reader;
  if (std::system("/usr/bin/python3 -c 'import prometheus_client' 2>/dev/null") != 0) {
    WARN("SKIPPED: python3-prometheus-client is not installed: scripts/setup --test");
    return "";
  }
  reader.write("metrics", text);
  reader.write("read.py", R"(from prometheus_client.openmetrics.parser import text_string_to_metric_families
for family in text_string_to_metric_families(open('metrics', newline='').read()):
    for sample in family.samples:
        assert family.type == 'gauge' and family.name.endswith(family.unit)
        print(sample.name, ' '.join(f'{k}={v}' for k, v in sample.labels.items()), sample.value)
)");
  return reader.says({"/usr/bin/python3", "read.py"});
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("Prometheus reads a measured run: total, lines and functions in seconds, with their intervals") {
  const std::string read = read_by_prometheus(to_openmetrics(test::some_measured()));
  if (read.empty()) return;
  INFO(read);
  CHECK(holds(
      read,
      "jcprof_run_start_time_seconds project=pin device=synthetic tool=jcprof 0.1.0 transport=vpcd unit=ns "
      "simulated=true 1767323045.678\n"));
  CHECK(holds(read, "jcprof_total_seconds project=pin device=synthetic 1.098e-05"));
  CHECK(holds(read, "jcprof_line_seconds project=pin device=synthetic path=A.java line=20 function=p 1.12"));
  CHECK(holds(read, "jcprof_line_low_seconds project=pin device=synthetic path=A.java line=20 function=p "));
  CHECK(holds(read,
              "jcprof_line_share_high_ratio project=pin device=synthetic path=A.java line=20 function=p 0."));
  CHECK(holds(read, "jcprof_function_own_seconds project=pin device=synthetic function=g path=A.java"));
  CHECK(holds(read, "jcprof_function_calls project=pin device=synthetic function=p path=A.java"));
}

TEST_CASE("Prometheus reads a recording without lines") {
  const std::string read = read_by_prometheus(to_openmetrics(recorded_profile(test::some_recording())));
  if (read.empty()) return;
  INFO(read);
  CHECK(holds(read,
              "jcprof_function_own_seconds project=words device=host function=put path=/src/words.c line=1 "
              "5.996e-07\n"));
  CHECK_FALSE(holds(read, "jcprof_line"));
}

TEST_CASE("metrics of cycles have that unit, and hostile names and twins stay apart") {
  Profile profile = test::some_measured();
  profile.run.unit = ClockUnit::cycles;
  profile.functions[0].function = profile.functions[1].function = "a\\b\"c\nd";
  profile.functions[0].path = profile.functions[1].path = "";
  profile.functions[0].line = profile.functions[1].line = 0;
  const std::string read = read_by_prometheus(to_openmetrics(profile));
  if (read.empty()) return;
  INFO(read);
  CHECK(holds(read, "jcprof_total_cycles project=pin device=synthetic 10980"));
  CHECK(holds(read, "jcprof_function_calls project=pin device=synthetic function=a\\b\"c?d path= line=0 "));
  CHECK(holds(read, "function=a\\b\"c?d path= line=0 copy=2 "));
}

TEST_CASE(
    "metrics have no value where a measurement contradicts itself, and no more than a bound where noise "
    "hides it") {
  Profile profile = test::some_measured();
  profile.lines[0].cost.unreliable = true;
  profile.lines[1].cost.resolved = false;
  const std::string text = to_openmetrics(profile);
  INFO(text);
  const auto label = [](const LineEstimate& line) { return fmt::format("line=\"{}\"", line.line); };
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("jcprof_line_") || line.starts_with("jcprof_line_hits")) continue;
    CHECK_FALSE(holds(line, label(profile.lines[0])));
    if (holds(line, label(profile.lines[1]))) CHECK(holds(line, "_high_"));
  }
  CHECK(text.ends_with("\n# EOF\n"));
}

}  // namespace jcprof::annotator

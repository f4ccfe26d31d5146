// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
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
  CHECK(holds(read,
              "jcprof_run_start_time_seconds project=pin device=synthetic simulated=true tool=jcprof 0.1.0 "
              "transport=vpcd "
              "unit=ns 1767323045.678\n"));
  CHECK(holds(read, "jcprof_total_seconds project=pin device=synthetic simulated=true 1.098e-05"));
  CHECK(holds(
      read,
      "jcprof_line_seconds project=pin device=synthetic simulated=true path=A.java line=20 function=p 1.12"));
  CHECK(holds(
      read,
      "jcprof_line_low_seconds project=pin device=synthetic simulated=true path=A.java line=20 function=p "));
  CHECK(holds(read,
              "jcprof_line_share_high_ratio project=pin device=synthetic simulated=true path=A.java line=20 "
              "function=p 0."));
  CHECK(holds(
      read,
      "jcprof_function_own_seconds project=pin device=synthetic simulated=true function=g path=A.java"));
  CHECK(holds(read,
              "jcprof_function_calls project=pin device=synthetic simulated=true function=p path=A.java"));
}

TEST_CASE("Prometheus reads a recording without lines") {
  const std::string read = read_by_prometheus(to_openmetrics(recorded_profile(test::some_recording())));
  if (read.empty()) return;
  INFO(read);
  CHECK(holds(read,
              "jcprof_function_own_seconds project=words device=host simulated=false function=put "
              "path=/src/words.c line=1 "
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
  CHECK(holds(read, "jcprof_total_cycles project=pin device=synthetic simulated=true 10980"));
  CHECK(holds(
      read,
      "jcprof_function_calls project=pin device=synthetic simulated=true function=a\\b\"c?d path= line=0 "));
  CHECK(holds(read, "function=a\\b\"c?d path= line=0 copy=2 "));
  CHECK_FALSE(holds(to_openmetrics(profile), "Time"));
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

TEST_CASE("a namesake has the same labels in all families of metrics, in whatever order they come") {
  Profile profile = test::some_measured();
  for (FunctionEstimate& function : profile.functions) {
    function.function = "f";
    function.path = "A.java";
    function.line = 1;
    function.calls = 1;
  }
  profile.functions[0].calls = 7;
  profile.functions[0].exclusive.resolved = false;
  const auto has = [&](const std::string& family, const std::string& copy) {
    return holds(to_openmetrics(profile), family +
                                              "{project=\"pin\",device=\"synthetic\",simulated=\"true\"," +
                                              "function=\"f\",path=\"A.java\",line=\"1\"" + copy + "} ");
  };
  const std::string dearest = fmt::format(",copy=\"{}\"", profile.functions.size());
  for (int turn = 0; turn < 2; ++turn) {
    CHECK(has("jcprof_function_calls", dearest));
    CHECK(has("jcprof_function_own_high_seconds", dearest));
    CHECK_FALSE(has("jcprof_function_own_seconds", dearest));
    CHECK(has("jcprof_function_own_seconds", ""));
    std::ranges::reverse(profile.functions);
  }
}

TEST_CASE(
    "metrics have the parts of the total, no start that nobody knows, and promise no 95 % of recordings") {
  const std::string measured = to_openmetrics(test::some_measured());
  INFO(measured);
  CHECK(holds(measured, "jcprof_entry_seconds{"));
  CHECK(holds(measured, "jcprof_unattributed_seconds{"));
  CHECK_FALSE(holds(measured, "jcprof_total_share"));
  RecordedRun run = test::some_recording();
  run.info.started = "";
  const std::string recorded = to_openmetrics(recorded_profile(run));
  CHECK_FALSE(holds(recorded, "start_time"));
  CHECK_FALSE(holds(recorded, "95 %"));
}

}  // namespace jcprof::annotator

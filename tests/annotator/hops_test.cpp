// SPDX-License-Identifier: Apache-2.0
#include "annotator/hops/hops.hpp"

#include <algorithm>
#include <iterator>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "annotator/hops/hop_reports.hpp"
#include "src/engine/random.hpp"

namespace jcprof::annotator {
namespace {

constexpr std::array way{Component::libteec, Component::kmodule, Component::core,
                         Component::core,    Component::kmodule, Component::libteec};

/// Timestamps by hand: each core has its own counter, which goes on by `cycles` with each.
class Writer {
 public:
  Writer& stamp(std::uint32_t core, Component component, std::uint64_t cycles) {
    counters_[core] += cycles;
    stamps.push_back({core, counters_[core], 0x1000, component});
    return *this;
  }
  /// Hops of 1, 2, … times `cycles`.
  Writer& call(std::uint32_t core, std::uint64_t cycles) {
    for (std::size_t i = 0; i < way.size(); ++i) stamp(core, way.at(i), i == 0 ? 10'000 : i * cycles);
    return *this;
  }
  /// Its parts from the `from`-th timestamp up to the `to`-th.
  Writer& part(std::uint32_t core, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) stamp(core, way.at(i), 64);
    return *this;
  }
  std::vector<Stamp> stamps;

 private:
  std::map<std::uint32_t, std::uint64_t> counters_{{0, 1'000'000}, {1, 7'000'000'000}};
};

Hops tally(const std::vector<Stamp>& stamps) {
  HopTally tally;
  for (const Stamp& stamp : stamps) tally.take(stamp);
  return tally.finish();
}

std::vector<double> cycles_of(const Hops& hops, Component from, Component to, std::uint32_t core) {
  for (const Hop& hop : hops.hops)
    if (hop.from == from && hop.to == to && hop.times.cycles.contains(core)) return hop.times.cycles.at(core);
  return {};
}

std::vector<double> round_trips(const Hops& hops, std::uint32_t core) {
  return hops.round_trip.cycles.contains(core) ? hops.round_trip.cycles.at(core) : std::vector<double>{};
}

}  // namespace

TEST_CASE("calls are told apart, and their hops, on each core") {
  const Hops hops = tally(Writer().call(0, 64).call(0, 128).call(1, 640).stamps);
  REQUIRE(hops.hops.size() == 5);
  CHECK(cycles_of(hops, Component::libteec, Component::kmodule, 0) == std::vector<double>{64, 128});
  CHECK(cycles_of(hops, Component::libteec, Component::kmodule, 1) == std::vector<double>{640});
  CHECK(cycles_of(hops, Component::core, Component::core, 0) == std::vector<double>{192, 384});
  CHECK(cycles_of(hops, Component::kmodule, Component::libteec, 1) == std::vector<double>{3200});
  CHECK(round_trips(hops, 0) == std::vector<double>{15 * 64, 15 * 128});
  CHECK(round_trips(hops, 1) == std::vector<double>{15 * 640});
  CHECK(hops.stamps == 18);
  CHECK(hops.unpaired == 0);
}

TEST_CASE("sessions on several cores at the same time do not mix") {
  Writer writer;
  for (const Component component : way)
    for (const std::uint32_t core : {0U, 1U}) writer.stamp(core, component, core == 0 ? 64 : 640);
  const Hops hops = tally(writer.stamps);
  CHECK(round_trips(hops, 0) == std::vector<double>{5 * 64});
  CHECK(round_trips(hops, 1) == std::vector<double>{5 * 640});
  CHECK(hops.round_trip.crossings == 0);
  CHECK(hops.unpaired == 0);
}

TEST_CASE("calls whose beginning was overwritten are left out, wherever it ends") {
  for (std::size_t from = 1; from < way.size(); ++from) {
    INFO(from);
    const Hops hops = tally(Writer().part(0, from, way.size()).call(0, 64).stamps);
    CHECK(round_trips(hops, 0) == std::vector<double>{15 * 64});
    CHECK(hops.hops.size() == 5);
    CHECK(hops.unpaired == way.size() - from);
  }
}

TEST_CASE("a call without an end is left out") {
  for (std::size_t to = 1; to < way.size(); ++to) {
    INFO(to);
    const Hops hops = tally(Writer().call(0, 64).part(0, 0, to).stamps);
    CHECK(round_trips(hops, 0).size() == 1);
    CHECK(hops.unpaired == to);
  }
}

TEST_CASE("a call that loses timestamps in its middle is left out, and the next is not") {
  const Hops hops = tally(Writer().part(0, 0, 1).part(0, 2, 6).call(0, 64).stamps);
  CHECK(round_trips(hops, 0) == std::vector<double>{15 * 64});
  CHECK(hops.unpaired == 5);
}

TEST_CASE("a call that changes cores is counted there, and timed where it stays") {
  for (std::size_t to = 1; to < way.size(); ++to) {
    INFO(to);
    Writer writer;
    writer.call(0, 64).call(1, 64).part(0, 0, to).part(1, to, way.size()).call(1, 64).call(0, 64);
    const Hops hops = tally(writer.stamps);
    CHECK(hops.unpaired == 0);
    CHECK(hops.round_trip.crossings == 1);
    CHECK(round_trips(hops, 0) == std::vector<double>{15 * 64, 15 * 64});
    CHECK(round_trips(hops, 1) == std::vector<double>{15 * 64, 15 * 64});
    for (const Hop& hop : hops.hops) {
      const bool has_crossed = hop.from == way.at(to - 1) && hop.to == way.at(to);
      CHECK(hop.times.crossings == (has_crossed ? 1 : 0));
      CHECK(cycles_of(hops, hop.from, hop.to, 0).size() + cycles_of(hops, hop.from, hop.to, 1).size() ==
            (has_crossed ? 4 : 5));
    }
  }
}

TEST_CASE("where two calls may have come from elsewhere, neither is guessed") {
  Writer writer;
  writer.call(0, 64).call(1, 64).call(2, 64).part(0, 0, 2).part(1, 0, 2).part(2, 2, 3);
  const Hops hops = tally(writer.stamps);
  CHECK(hops.round_trip.crossings == 0);
  CHECK(hops.unpaired == 5);
}

TEST_CASE("a counter that steps back ends the call that it is in") {
  Writer writer;
  writer.call(0, 64).part(0, 0, 3);
  std::vector<Stamp> stamps = writer.stamps;
  Writer behind;  // whose counter begins as the other did
  behind.part(0, 3, 6).call(0, 128);
  std::ranges::copy(behind.stamps, std::back_inserter(stamps));
  const Hops hops = tally(stamps);
  CHECK(hops.steps_back == 1);
  CHECK(round_trips(hops, 0) == std::vector<double>{15 * 64, 15 * 128});
}

TEST_CASE("an overrun buffer, which is read out of order and again, gives no call twice and no wrong one") {
  Writer writer;
  for (int i = 0; i < 20; ++i) writer.call(0, 64);
  const std::vector<Stamp> written = writer.stamps;
  // 80 were written before the first was read: the reader takes what stands in each place of the buffer
  // of 32.
  std::vector<Stamp> read;
  for (std::size_t tail = 0; tail < written.size(); ++tail) {
    const std::size_t newest = tail < 80 ? 79 : tail;
    read.push_back(written.at(newest - (newest - tail) % 32));
  }
  const Hops hops = tally(read);
  CHECK(hops.stamps == written.size());
  CHECK(hops.repeated == 48);
  CHECK(hops.steps_back > 0);
  CHECK_FALSE(round_trips(hops, 0).empty());
  CHECK(round_trips(hops, 0).size() < 20);
  for (const double cycles : round_trips(hops, 0)) CHECK(cycles == 15 * 64);
  CHECK(hops.hops.size() == 5);
}

TEST_CASE("timestamps that somebody added are hops of their own") {
  Writer writer;
  for (const Component component :
       {Component::libteec, Component::kmodule, Component::core, Component::core, Component::libutee,
        Component::other, Component::core, Component::kmodule, Component::libteec})
    writer.stamp(0, component, 64);
  const Hops hops = tally(writer.stamps);
  CHECK(hops.unknown == 1);
  CHECK(cycles_of(hops, Component::core, Component::libutee, 0) == std::vector<double>{64});
  CHECK(cycles_of(hops, Component::libutee, Component::other, 0) == std::vector<double>{64});
  CHECK(cycles_of(hops, Component::other, Component::core, 0) == std::vector<double>{64});
  CHECK(round_trips(hops, 0) == std::vector<double>{8 * 64});
}

TEST_CASE("every timestamp is of a call that was counted, or left out, whatever they are") {
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    HopTally tally;
    std::uint64_t counter = 1000;
    for (std::uint64_t i = 0; i < 200; ++i) {
      const auto pick = [&](std::uint64_t what, std::uint64_t bound) {
        return engine::draw(trial, what, i, bound);
      };
      // Mostly one deeper or higher than before, so that calls come about.
      const auto component =
          static_cast<Component>(pick(0, 8) == 0 ? pick(1, 5) : std::min(i % 6, 5 - i % 6));
      counter = pick(2, 20) == 0 ? counter - 500 : counter + 64 * pick(3, 3);
      tally.take({static_cast<std::uint32_t>(pick(4, 1 + trial % 3)), counter, 0, component});
    }
    CHECK(tally.finish().stamps == 200);  // which checks that it has no others
  }
}

TEST_CASE("hops as a table") {
  Writer writer;
  writer.call(0, 64).call(0, 128).call(1, 640).part(0, 0, 2).part(1, 2, 6).part(0, 0, 1);
  const Hops hops = tally(writer.stamps);
  CHECK(to_text(hops, {.file = "hello\x1b.ts", .end = FileEnd::cut_off}) ==
        "hello?.ts: 25 timestamps\n"
        "cycles             core  count  average  least   p50   p95   p99  most\n"
        "libteec → kmodule   all      4      224     64    96   563   625   640\n"
        "                      0      3       85     64    64   122   127   128\n"
        "                      1      1      640    640   640   640   640   640\n"
        "kmodule → core      all      3      555    128   256  1178  1260  1280\n"
        "                      0      2      192    128   192   250   255   256\n"
        "                      1      1     1280   1280  1280  1280  1280  1280\n"
        "core → core         all      4      640     64   288  1690  1874  1920\n"
        "                      0      2      288    192   288   374   382   384\n"
        "                      1      2      992     64   992  1827  1901  1920\n"
        "core → kmodule      all      4      848     64   384  2253  2499  2560\n"
        "                      0      2      384    256   384   499   509   512\n"
        "                      1      2     1312     64  1312  2435  2535  2560\n"
        "kmodule → libteec   all      4     1056     64   480  2816  3123  3200\n"
        "                      0      2      480    320   480   624   637   640\n"
        "                      1      2     1632     64  1632  3043  3169  3200\n"
        "round trip          all      3     4160    960  1920  8832  9446  9600\n"
        "                      0      2     1440    960  1440  1872  1910  1920\n"
        "                      1      1     9600   9600  9600  9600  9600  9600\n"
        "\n"
        "calls that changed cores: 1; each core has its own counter, so these calls are not timed\n"
        "timestamps of calls without beginning or end: 1\n"
        "the file was cut off\n");
}

TEST_CASE("with a frequency there are times too") {
  const Hops hops = tally(Writer().call(0, 640).stamps);
  CHECK(to_text(hops, {.file = "a.ts", .hz = 1e9}) ==
        "a.ts: 6 timestamps\n"
        "cycles             core  count  average  least   p50   p95   p99  most\n"
        "libteec → kmodule   all      1      640    640   640   640   640   640\n"
        "kmodule → core      all      1     1280   1280  1280  1280  1280  1280\n"
        "core → core         all      1     1920   1920  1920  1920  1920  1920\n"
        "core → kmodule      all      1     2560   2560  2560  2560  2560  2560\n"
        "kmodule → libteec   all      1     3200   3200  3200  3200  3200  3200\n"
        "round trip          all      1     9600   9600  9600  9600  9600  9600\n"
        "\n"
        "time               core  count  average    least      p50      p95      p99     most\n"
        "libteec → kmodule   all      1   640 ns   640 ns   640 ns   640 ns   640 ns   640 ns\n"
        "kmodule → core      all      1  1.28 µs  1.28 µs  1.28 µs  1.28 µs  1.28 µs  1.28 µs\n"
        "core → core         all      1  1.92 µs  1.92 µs  1.92 µs  1.92 µs  1.92 µs  1.92 µs\n"
        "core → kmodule      all      1  2.56 µs  2.56 µs  2.56 µs  2.56 µs  2.56 µs  2.56 µs\n"
        "kmodule → libteec   all      1  3.20 µs  3.20 µs  3.20 µs  3.20 µs  3.20 µs  3.20 µs\n"
        "round trip          all      1  9.60 µs  9.60 µs  9.60 µs  9.60 µs  9.60 µs  9.60 µs\n");
  const auto json = nlohmann::json::parse(to_json(hops, {.file = "a.ts", .hz = 2e9}));
  CHECK(json.at("format") == "jcprof-hops");
  CHECK(json.at("hops").at(1).at("from") == "kmodule");
  CHECK(json.at("hops").at(1).at("to") == "core");
  CHECK(json.at("hops").at(1).at("cores").at(0).at("core") == 0);
  CHECK(json.at("hops").at(1).at("cores").at(0).at("ns").at("p95") == 640);
  CHECK(json.at("round_trip") == nlohmann::json::parse(R"({"crossings": 0,
    "all": {"count": 1,
            "cycles": {"average": 9600.0, "least": 9600.0, "p50": 9600.0, "p95": 9600.0, "p99": 9600.0, "most": 9600.0},
            "ns": {"average": 4800.0, "least": 4800.0, "p50": 4800.0, "p95": 4800.0, "p99": 4800.0, "most": 4800.0}},
    "cores": [{"core": 0, "count": 1,
            "cycles": {"average": 9600.0, "least": 9600.0, "p50": 9600.0, "p95": 9600.0, "p99": 9600.0, "most": 9600.0},
            "ns": {"average": 4800.0, "least": 4800.0, "p50": 4800.0, "p95": 4800.0, "p99": 4800.0, "most": 4800.0}}]})"));
}

}  // namespace jcprof::annotator

// SPDX-License-Identifier: Apache-2.0
// What the tests of measure() share: a project of five traps, a target that passes them, and a profile in a
// folder of its own.
#pragma once

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "harness/measure.hpp"
#include "tests/support/fake_transport.hpp"

namespace jcprof::test {

struct MeasureBench {
  MeasureBench()
      : folder(std::filesystem::temp_directory_path() / fmt::format("jcprof-measure-{}", ::getpid())) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    project.name = "test";
    project.digest = "d1";
    map.language = "java";
    for (std::uint32_t id = 1; id <= 5; ++id)
      map.traps.push_back({.id = TrapId{id},
                           .key = std::to_string(id),
                           .name = fmt::format("TRAP_run_{}", id),
                           .kind = TrapKind::before,
                           .function = "A.run",
                           .path = "A.java",
                           .line = 10 + id});
    target.paths[0] = {TrapId{1}, TrapId{2}, TrapId{3}, TrapId{2}, TrapId{3}, TrapId{4}};
    options.rounds = 4;
    options.calibrations = 2;
    options.cancellation = &cancellation;
  }
  ~MeasureBench() { std::filesystem::remove_all(folder); }
  MeasureBench(const MeasureBench&) = delete;
  MeasureBench& operator=(const MeasureBench&) = delete;

  harness::Measured run() {
    Store store(folder / "profile.jcprof", OpenMode::read_write);
    harness::Measured measured = harness::measure(project, map, target, store, options);
    samples = store.samples(measured.run.id);
    path = store.paths(measured.run.id).at(0).events;
    calibrations = store.calibrations(measured.run.id);
    looks = store.looks(measured.run.id);
    store.close();
    return measured;
  }

  std::uint64_t in_rounds() const {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(samples, [](const StoredSample& s) { return s.round > 0; }));
  }

  std::filesystem::path folder;
  Project project;
  TrapMap map;
  FakeTransport target;
  harness::MeasureOptions options;
  Cancellation cancellation;
  std::vector<StoredSample> samples;
  std::vector<Event> path;
  std::vector<StoredCalibration> calibrations;
  std::vector<StoredLook> looks;
};

inline bool has(const std::vector<Warning>& warnings, const std::string& text) {
  return std::ranges::any_of(
      warnings, [&](const Warning& one) { return to_text(one).find(text) != std::string::npos; });
}

}  // namespace jcprof::test

// SPDX-License-Identifier: Apache-2.0
#include "annotator/hops/benchmark_stamps.hpp"

#include <sstream>
#include <vector>

#include <catch2/catch.hpp>

#include "src/core/error.hpp"

namespace jcprof::annotator {
namespace {

const std::string two_stamps =
    "timestamps:\n"
    "- core: 0\n"
    "  counter: 4096\n"
    "  address: 0x1f2e\n"
    "  component: libteec\n"
    "- core: 3\n"
    "  counter: 18446744073709551552\n"
    "  address: 0xffff800010c3a4b8\n"
    "  component: '-'\n"
    "...\n";

struct Read {
  FileEnd end = FileEnd::whole;
  std::vector<Stamp> stamps;
};

Read read(const std::string& text) {
  std::istringstream stream(text);
  Read result;
  result.end = read_stamps("a.ts", stream, [&](const Stamp& stamp) { result.stamps.push_back(stamp); });
  return result;
}

std::string fault_of(const std::string& text) {
  try {
    read(text);
  } catch (const UserError& error) {
    return error.what();
  }
  return "(no fault)";
}

}  // namespace

TEST_CASE("timestamps are read as optee_benchmark writes them") {
  const Read whole = read(two_stamps);
  CHECK(whole.end == FileEnd::whole);
  CHECK(whole.stamps == std::vector<Stamp>{{0, 4096, 0x1f2e, Component::libteec},
                                           {3, 18446744073709551552U, 0xffff800010c3a4b8, Component::other}});
}

TEST_CASE("of a file that was cut off anywhere behind its first timestamp the whole ones are read") {
  const std::size_t first_end = two_stamps.find("- core: 3");
  const std::size_t last_start = two_stamps.find("'-'");
  for (std::size_t size = first_end; size < two_stamps.size() - 1; ++size) {
    INFO(two_stamps.substr(0, size));
    const bool is_whole = size >= two_stamps.size() - 1;
    const Read part = read(two_stamps.substr(0, size));
    CHECK((part.end == FileEnd::cut_off) == !is_whole);
    CHECK(part.stamps.size() >= 1);
    if (size < last_start) CHECK(part.stamps.size() == 1);
    CHECK(part.stamps.front() == Stamp{0, 4096, 0x1f2e, Component::libteec});
  }
}

TEST_CASE("components that are not known, and fields, do not end the reading") {
  const Read read_all = read(
      "timestamps:\n"
      "- core: 1\n"
      "  counter: 64\n"
      "  address: 0x0\n"
      "  session: 7\n"
      "  component: tee-supplicant\n"
      "...\n");
  CHECK(read_all.stamps == std::vector<Stamp>{{1, 64, 0, Component::other}});
}

TEST_CASE("what is no file of timestamps is refused with its line") {
  const std::string hint =
      "\n"
      "hint: jcprof reads the output of optee_benchmark: \"timestamps:\", a list of core, counter, address, "
      "component";
  CHECK(fault_of("") == "a.ts:1: this is no list of timestamps" + hint);
  CHECK(fault_of("export const a = 1;\n") == "a.ts:1: this is no list of timestamps" + hint);
  CHECK(fault_of("stamps:\n- core: 1\n...\n") == "a.ts:1: this is no list of timestamps" + hint);
  CHECK(fault_of("timestamps:\n- 7\n...\n") == "a.ts:2: this is no timestamp" + hint);
  CHECK(fault_of("timestamps:\n- [1, 2]\n...\n") == "a.ts:2: this is no timestamp" + hint);
  CHECK(fault_of("timestamps:\n- core: [1]\n...\n") == "a.ts:2: this is no field of a timestamp" + hint);
  CHECK(fault_of("timestamps:\n- core: 1\n  counter: 2\n...\n") ==
        "a.ts:2: a timestamp has core, counter, address and component" + hint);
  CHECK(fault_of("timestamps:\n- core: 1\n  counter: 0x\n- core: 1\n") ==
        "a.ts:3: \"counter\" cannot be \"0x\"" + hint);
  CHECK(fault_of("timestamps:\n- core: 1024\n  counter: 1\n- core: 1\n") ==
        "a.ts:2: \"core\" cannot be \"1024\"" + hint);
  CHECK(fault_of(two_stamps + "---\ntimestamps: []\n") == "a.ts:11: something follows the timestamps" + hint);
  CHECK(fault_of("timestamps:\n\t- core: 1\n") ==
        "a.ts:2: this is no YAML: found character that cannot start any token" + hint);
  CHECK(fault_of(std::string("timestamps:\n- core: \x01\n")) ==
        "a.ts:1: this is no YAML: control characters are not allowed" + hint);
  CHECK(fault_of("timestamps: []\n...\n") ==
        "a.ts: the file has no timestamps\nhint: was all of OP-TEE built with CFG_TEE_BENCHMARK=y?");
}

}  // namespace jcprof::annotator

// SPDX-License-Identifier: Apache-2.0
// `jcprof profile` on enclaves, as host builds: no SDK is needed.
#include <cstdlib>
#include <string>

#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "src/core/store.hpp"
#include "tests/end_to_end/known_work.hpp"
#include "tests/end_to_end/profiled.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::check_known_work;
using test::line_with;
using test::profiled;
using test::Said;
using test::TestClock;
using test::Workplace;

TEST_CASE("known work in an enclave has its shares: nested, in handlers, while it unwinds, beside a thread") {
  const Workplace place("known-enclave", TestClock::virtual_time);
  const fs::path project = place.copied("tests/end_to_end/known_enclave");
  const fs::path source = project / "enclave/work.cpp";
  test::spin_in_virtual_time(source, R"(  uint32_t x = units;
  for (unsigned long passes = units * 12000UL; passes > 0; passes--) {
    x = x * 5U + 1U;
    __asm__ volatile("" : "+r"(x));
  }
)");
  test::replace_in(project / "jcprof.json",
                   "\"session\":", R"("agent": {"options": {"clock": "monotonic"}}, "session":)");
  const json profile = profiled(place, project, 12);
  check_known_work(profile, source,
                   {{"spin(4)", 4.0 / 40},
                    {"spin(5)", 5.0 / 40},
                    {"spin(2)", 2.0 / 40},
                    {"spin(16)", 16.0 / 40},
                    {"spin(3)", 12.0 / 40, 4}});
  CHECK(profile["transport"] == "agent");
  CHECK(profile["device"] == "host build, no enclave");
  CHECK(profile["simulated"] == true);
}

TEST_CASE("of several recorded runs the host's time between them is in no total, and they tell what ± is") {
  const Workplace place("enclave-runs");
  const fs::path project = place.copied("tests/end_to_end/known_enclave");
  const Said said = place.run({"jcprof", "record", "--project", project.string(), "--runs", "8"});
  INFO(said.out << said.err);
  REQUIRE(said.status == 0);
  const fs::path profile = project / "jcprof-out/record/profile.jcprof";
  const auto answer = [&](const std::string& sql) {
    return query(profile, "SELECT " + sql).rows.at(0).at(0);
  };
  CHECK(answer("calls FROM function WHERE function = 'ecall_work'") == "8");
  CHECK(answer("rounds > 1 FROM estimate WHERE scope = 'function' AND function = 'ecall_work'") == "1");
  CHECK(answer("outside > 0 FROM thread WHERE thread = 1") == "1");
  CHECK(answer("max(abs(last - first - recorded - overhead - outside)) < 1 FROM thread") == "1");
  CHECK(answer("(SELECT sum(recorded) FROM thread) - (SELECT sum(exclusive) FROM function) < 1") == "1");
}

TEST_CASE("the enclave of the examples is profiled, and the digest of what is handed in is what it takes") {
  const Workplace place("enclave-kv");
  const fs::path project = place.copied("examples/enclave-kv");
  const Said said = place.run({"jcprof", "profile", project.string(), "--rounds", "20", "--max-time", "60s"});
  INFO(said.out << said.err);
  REQUIRE(said.status == 0);
  CHECK(said.out.find("host build, no enclave") != std::string::npos);
  const Said exported =
      place.run({"jcprof", "export", (project / "jcprof-out/profile.jcprof").string(), "--format", "json"});
  const json profile = json::parse(exported.out);
  const json hot = line_with(profile, project / "enclave/kv.cpp", "many_rounds)");
  for (const json& line : profile["lines"]) CHECK(line["share"]["value"] <= hot["share"]["value"]);
}

TEST_CASE("the enclave of the examples is profiled with the SDK") {
  if (const char* const sdk = std::getenv("SGX_SDK"); sdk == nullptr || *sdk == '\0') {
    WARN("SKIP SGX SDK: SGX_SDK is not set");
    return;
  }
  const Workplace place("enclave-kv-sdk");
  const fs::path project = place.copied("examples/enclave-kv");
  const Said said =
      place.run({"jcprof", "profile", project.string(), "--rounds", "10", "--max-time", "120s"});
  INFO(said.out << said.err);
  REQUIRE(said.status == 0);
  CHECK(said.out.find("SGX") != std::string::npos);
}

TEST_CASE("what is wrong with an enclave's project is told of with its place") {
  const Workplace place("enclave-faults");
  const fs::path project = place.copied("examples/enclave-kv");
  test::replace_in(project / "jcprof.json", "\"entry\": \"ecall_get\"", "\"entry\": \"ecall_got\"");
  const Said entry = place.run({"jcprof-gen", project.string()});
  CHECK(entry.status == 2);
  CHECK(entry.err ==
        "enclave/kv.edl:5: the entry \"ecall_got\" is no ecall of enclave/kv.edl\n"
        "  5 |         public uint32_t ecall_get(uint64_t key, [out, size=32] uint8_t* value);\n"
        "    |                         ^\n"
        "hint: did you mean \"ecall_get\"?\n");
  test::replace_in(project / "jcprof.json", "\"ecall_got\"", "\"ecall_get\"");
  test::replace_in(project / "enclave/kv.edl", "void ecall_put(", "void ecall_put");
  const Said syntax = place.run({"jcprof-gen", project.string()});
  CHECK(syntax.status == 2);
  CHECK(syntax.err ==
        "enclave/kv.edl:8: \",\" cannot stand in the declaration of a function\n"
        "  8 |         void ecall_putuint64_t key, [in, size=32] const uint8_t* value);\n"
        "    |                                   ^\n"
        "hint: a function is: int f([in, size=n] const char* bytes, size_t n);\n");
  fs::remove(project / "enclave/kv.edl");
  const Said missing = place.run({"jcprof-gen", project.string()});
  CHECK(missing.status == 2);
  CHECK(missing.err ==
        "jcprof.json:6: there is no EDL file in the project's folder\n"
        "  6 |   \"entry\": \"ecall_get\",\n"
        "    |            ^\n"
        "hint: name it in \"compile.edl\"\n");
  CHECK(!fs::exists(project / "jcprof-out/tree"));
}

}  // namespace
}  // namespace jcprof

// SPDX-License-Identifier: Apache-2.0
// jcprof profile looks at the path of a program before it measures: programs that behave otherwise when they
// are traced.
#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof::cli {
namespace {

constexpr const char* before_main =
    "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
    "static volatile unsigned sum;\nvoid work(void) {\n  sum++;\n}\n"
    "int is_traced(void) { return getenv(\"JCPROF_TRACE\") != 0; }\n";

constexpr const char* half_a_second = R"("session": {"timeout": "500ms"})";

/// The words of jcprof profile for that program; its entry is work().
ProcessResult profiled(const std::string& main, const std::string& options,
                       const std::string& settings = R"("session": {"timeout": "10s"})",
                       const test::TemporaryFolder& folder = test::TemporaryFolder()) {
  write_file(folder / "a.c", before_main + main);
  write_file(folder / "jcprof.json", R"({"format": "jcprof-project", "version": 1, "target": "program",
  "sources": ["*.c"], "entry": "work", "build": [{"run": ["cc", "-o", "{out}/a", "a.c"]}],
  )" + settings + R"(, "trigger": {"run": ["{out}/a"], "cwd": "{project}"}})");
  return run_and_wait({.argv = {"sh", "-c", JCPROF_BIN_DIR "/jcprof profile . --yes " + options + " 2>&1"},
                       .cwd = folder.path()},
                      {}, std::chrono::seconds{100});
}

TEST_CASE("a plain run gets no more than the time-out of the project") {
  const ProcessResult result =
      profiled("int main(void) { usleep(1500000); work(); return 0; }\n", "", half_a_second);
  CHECK(result.exit_status != 0);
  CHECK_THAT(result.tail, Catch::Contains("did not end within 500 ms") && !Catch::Contains("functions only"));
}

TEST_CASE("a program whose traced runs of a short path take longer than the time-out is recorded") {
  const ProcessResult result =
      profiled("int main(void) { if (is_traced()) usleep(1500000); work(); return 0; }\n", "", half_a_second);
  CHECK(result.exit_status == 0);
  CHECK_THAT(result.tail,
             Catch::Contains(
                 "record: the command ends within its \"timeout\" without traps, but not with them. jcprof "
                 "records one run of it instead\n") &&
                 Catch::Contains("work"));
}

TEST_CASE(
    "a program that can be recorded gets one time-out for a traced run, and more if it asks for rounds") {
  const char* main =
      "int main(void) {\n  if (is_traced()) {\n    fputc('x', fopen(\"traced\", \"a\"));\n    "
      "fflush(NULL);\n    usleep(1500000);\n  }\n  work();\n  return 0;\n}\n";
  const test::TemporaryFolder once;
  CHECK(profiled(main, "", half_a_second, once).exit_status == 0);
  CHECK(read_file(once / "traced") == "x");
  const test::TemporaryFolder twice;
  profiled(main, "--rounds 1", half_a_second, twice);
  CHECK(read_file(twice / "traced").size() > 1);
}

constexpr const char* busy_thread =
    "#include <pthread.h>\nstatic void* spin(void* p) {\n  unsigned s = 0;\n"
    "  for (unsigned i = 0; i < 2000000; i++) {\n    s++;\n    s ^= i;\n    s++;\n  }\n"
    "  sum += s;\n  return p;\n}\n"
    "int main(void) {\n  pthread_t other;\n  pthread_create(&other, NULL, spin, NULL);\n"
    "  pthread_join(other, NULL);\n  work();\n  return 0;\n}\n";
constexpr const char* at_functions =
    "record: to record all statements takes longer than the command: traps stay at functions\n";

TEST_CASE("where another thread passes too many statements, functions are recorded") {
  const ProcessResult result = profiled(busy_thread, "", R"("measure": {"max_time": "100ms"})");
  INFO(result.tail);
  CHECK(result.exit_status == 0);
  CHECK_THAT(result.tail, Catch::Contains(at_functions) && Catch::Contains("spin"));
}

TEST_CASE("where a lighter recording fails, the one before it is shown") {
  // The tree, the one without traps, the recording, and then that at functions.
  const ProcessResult result = profiled(busy_thread, "",
                                        R"("measure": {"max_time": "100ms"},
      "install": [{"run": ["sh", "-c", "echo >>steps; test $(wc -l <steps) -lt 4"], "cwd": "{project}"}])");
  INFO(result.tail);
  CHECK(result.exit_status == 0);
  CHECK_THAT(result.tail, Catch::Contains(at_functions) &&
                              Catch::Contains("the install step failed with status 1") &&
                              Catch::Contains("a.c:22") && Catch::Contains("report:    "));
}

TEST_CASE("one traced run that is lost ends no profile") {
  const ProcessResult result = profiled(
      "int main(void) {\n  if (is_traced()) {\n    FILE* f = fopen(\"traced\", \"a\");\n    fputc('x', f);\n"
      "    long runs = ftell(f);\n    fclose(f);\n    if (runs == 2) abort();\n  }\n  work();\n  return "
      "0;\n}\n",
      "--rounds 2");
  INFO(result.tail);
  CHECK(result.exit_status == 0);
}

}  // namespace
}  // namespace jcprof::cli

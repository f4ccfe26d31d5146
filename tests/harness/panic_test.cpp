// SPDX-License-Identifier: Apache-2.0
// Deaths of trusted applications in OP-TEE's log.
#include "harness/agent/panic.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "harness/agent/link.hpp"
#include "src/core/file.hpp"
#include "tests/core/temporary_folder.hpp"
#include "tests/support/agents.hpp"

namespace jcprof::harness {
namespace {

const std::string panic_log =
    "E/TC:?? 0 TA panicked with code 0xffff000f\n"
    "E/LD:  Status of TA 8aaaf200-2450-11e4-abe2-0002a5d5c51b\n"
    "E/LD:   region  4: va 0x0000000040023000 pa 0x000000000e300000 size 0x012000 flags r-xs [0]\n"
    "E/LD:   [0] 8aaaf200-2450-11e4-abe2-0002a5d5c51b @ 0x0000000040023000\n"
    "E/LD:  Call stack:\n"
    "E/LD:   0x0000000040024a1c\n"
    "E/LD:   0x0000000040023b30\n"
    "D/TC:? 0 user_ta_enter: 0xffff3024\n";

TEST_CASE("a panic is read from OP-TEE's log, with its code and where in the binary it was") {
  CHECK(panic_in("I/TC: all is well\n").empty());
  CHECK(panic_in(panic_log) ==
        "it panicked with code 0xffff000f (TEEC_ERROR_SECURITY), at 0x1a1c of "
        "8aaaf200-2450-11e4-abe2-0002a5d5c51b.elf, called from 0xb30");
  CHECK(panic_in("E/TC:? 0 TA panicked with code 0x0\n" + panic_log +
                 "E/TC:? 0 TA panicked with code 0x0\n") == "it panicked with code 0x0");
}

const std::string abort_log =
    "E/TC:? 0 User mode data-abort at address 0x8 (translation fault)\n"
    "E/TC:? 0  esr 0x92000005  ttbr0 0x200000e1a5020   ttbr1 0x00000000   cidr 0x0\n"
    "E/LD:   [0] 11111111-2450-11e4-abe2-0002a5d5c51b @ 0x0000000050000000\n"
    "E/LD:  Call stack:\n"
    "E/LD:   0x0000000050000040\n";

TEST_CASE("an abort is reported as an abort, without the panic before it") {
  const std::string abort =
      "it ended in a data-abort at address 0x8, at 0x40 of 11111111-2450-11e4-abe2-0002a5d5c51b.elf";
  CHECK(panic_in(panic_log + abort_log) == abort);
  CHECK(panic_in(abort_log + panic_log) == panic_in(panic_log));
  CHECK(panic_in(panic_log + abort_log.substr(0, abort_log.find('\n') + 1)) ==
        "it ended in a data-abort at address 0x8");
}

TEST_CASE("the last of two panics is reported, and the last of two stacks of one panic") {
  const std::string other =
      "E/TC:?? 0 TA panicked with code 0x1\n"
      "E/LD:   [0] 11111111-2450-11e4-abe2-0002a5d5c51b @ 0x0000000050000000\n"
      "E/LD:  Call stack:\nE/LD:   0x0000000050000010\n";
  const std::string told = "it panicked with code 0x1, at 0x10 of 11111111-2450-11e4-abe2-0002a5d5c51b.elf";
  CHECK(panic_in(panic_log + other) == told);
  CHECK(panic_in(other + "E/LD:  Call stack:\nE/LD:   0x0000000050000010\n") == told);
}

// As OP-TEE 4.5.0 wrote it when an application of ours read from address 8.
const std::string captured_log =
    "D/TC:0 0 abort_handler:560 [abort] abort in User mode (TA will panic)\n"
    "E/TC:? 0 \n"
    "E/TC:? 0 User mode data-abort at address 0x8 (translation fault)\n"
    "E/TC:? 0  esr 0x92000005  ttbr0 0x200000e1d0000   ttbr1 0x00000000   cidr 0x0\n"
    "E/TC:? 0  cpu #0          cpsr 0x00000100\n"
    "E/TC:? 0  x0  0000000000000008 x1  0000000000000000\n"
    "E/TC:? 0  x30 0000000040072eb4 elr 000000004007282c\n"
    "E/TC:? 0  sp_el0 0000000040018590\n"
    "E/LD:  Status of TA 3b8e2c10-6f4d-4a7b-8c55-0e9d71a2f364\n"
    "E/LD:   arch: aarch64\n"
    "E/LD:  region  0: va 0x40005000 pa 0x0e1dc000 size 0x002000 flags rw-s (ldelf)\n"
    "E/LD:  region  6: va 0x40072000 pa 0x0e1ed000 size 0x01c000 flags r-xs [0]\n"
    "E/LD:   [0] 3b8e2c10-6f4d-4a7b-8c55-0e9d71a2f364 @ 0x40072000\n"
    "E/LD:  Call stack:\n"
    "E/LD:   0x4007282c\n"
    "E/LD:   0x40072eb0\n"
    "E/LD:   0x40077a84\n"
    "E/LD:   0x40073650\n"
    "D/TC:? 0 user_ta_enter:195 tee_user_ta_enter: TA panicked with code 0xdeadbeef\n"
    "D/TC:? 0 release_ta_ctx:674 Releasing panicked TA ctx\n"
    "D/TC:? 0 tee_ta_invoke_command:802 Error: ffff3024 of 3\n";

TEST_CASE("a death that the core tells of once more after its report is one death") {
  const std::string place =
      ", at 0x82c of 3b8e2c10-6f4d-4a7b-8c55-0e9d71a2f364.elf, called from 0xeb0, 0x5a84, 0x1650";
  CHECK(panic_in(captured_log) == "it ended in a data-abort at address 0x8" + place);
  const std::string again =
      "D/TC:? 0 user_ta_enter:195 tee_user_ta_enter: TA panicked with code 0xffff000f\n";
  CHECK(panic_in(panic_log + again) == panic_in(panic_log));
}

TEST_CASE(
    "a report whose beginning the log has lost says where it was, and how if the core says it once more") {
  const std::string rest = captured_log.substr(captured_log.find("E/LD:  region  6"));
  const std::size_t again = rest.find("D/TC:? 0 user_ta_enter");
  const std::string place =
      ", at 0x82c of 3b8e2c10-6f4d-4a7b-8c55-0e9d71a2f364.elf, called from 0xeb0, 0x5a84, 0x1650";
  CHECK(panic_in(rest) == "it ended in an abort" + place);
  CHECK(panic_in(rest.substr(0, again)) == "it died" + place);
  CHECK(panic_in(rest.substr(again)).empty());
}

TEST_CASE("a log has gained the lines behind those that are known, also where its front is gone") {
  CHECK(gained("", "a\nb\n") == "a\nb\n");
  CHECK(gained("a\nb\n", "a\nb\n").empty());
  CHECK(gained("a\nb\n", "b\nc\n") == "c\n");
  CHECK(gained("a\nb\n", "c\nd\n") == "c\nd\n");
}

TEST_CASE("a panic that was told does not explain the next death") {
  const test::TemporaryFolder folder;
  write_file(folder / "log", panic_log);
  write_file(folder / "later", panic_log);
  const std::string agent = fmt::format(
      "cat {0} >&2; (i=0; while [ ! -e {1} ] && [ $i -lt 200 ]; do sleep 0.05; i=$((i+1)); done; cat {2} "
      ">&2) & exec {3} '{4}'",
      (folder / "log").string(), (folder / "go").string(), (folder / "later").string(), JCPROF_FAULTY_AGENT,
      R"({"fault":"shot_lost","shot":3,"why":"TEEC_ERROR_TARGET_DEAD"})");
  AgentLink link(test::agent_setup({"sh", "-c", agent}).settings, nullptr);
  link.open("");
  const std::string told = link.explained("TARGET_DEAD");
  CHECK_THAT(told, Catch::Contains("it panicked with code 0xffff000f"));
  CHECK(link.explained("TARGET_DEAD") == "TARGET_DEAD");
  // The log has had panics: one without a report does not end the looking for others.
  write_file(folder / "go", "");
  std::string third;
  for (int i = 0; i < 20 && third.find("panicked") == std::string::npos; ++i)
    third = link.explained("TARGET_DEAD");
  CHECK_THAT(third, Catch::Contains("it panicked with code 0xffff000f"));
}

}  // namespace
}  // namespace jcprof::harness

// SPDX-License-Identifier: Apache-2.0
#include "src/core/status_form.hpp"

#include <catch2/catch.hpp>

using namespace jcprof;

TEST_CASE("a status is written as its target does, and success is its own") {
  CHECK(in_form(status_form(TargetKind::applet), 0x9000) == "9000");
  CHECK(in_form(status_form(TargetKind::program), 3) == "3");
  CHECK(in_form(status_form(TargetKind::optee_ta), 0xFFFF0006) == "FFFF0006");
  CHECK(in_form(status_form(TargetKind::sgx_enclave), 0x2006) == "00002006");
  CHECK(success_of(StatusForm::word) == 0x9000);
  CHECK(success_of(StatusForm::decimal) == 0);
}

TEST_CASE("alternatives match digit by digit") {
  CHECK(is_among(0x63C2, "9000|63c?", StatusForm::word));
  CHECK_FALSE(is_among(0x6300, "9000|63C?", StatusForm::word));
  CHECK(is_among(12, "0|1?", StatusForm::decimal));
  CHECK_FALSE(is_among(1, "0|1?", StatusForm::decimal));
  CHECK(is_among(0xFFFF0010, "FFFF00??", StatusForm::code));
}

TEST_CASE("an alternative of another form is a fault") {
  CHECK(fault_of_status("63C?", StatusForm::word).empty());
  CHECK(fault_of_status("63C", StatusForm::word) == "\"63C\" is not a status word");
  CHECK(fault_of_status("", StatusForm::decimal) == "\"\" is not an exit status");
  CHECK(fault_of_status("1a", StatusForm::decimal) == "\"1a\" is not an exit status");
  CHECK(fault_of_status("0x6", StatusForm::code) == "\"0x6\" is not a result code");
}

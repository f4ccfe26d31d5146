// SPDX-License-Identifier: Apache-2.0
#include "src/core/status_form.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace jcprof {
namespace {

bool is_digit_of(StatusForm form, char c) {
  const auto byte = static_cast<unsigned char>(c);
  return c == '?' || (form == StatusForm::decimal ? std::isdigit(byte) : std::isxdigit(byte)) != 0;
}

bool has_length_of(StatusForm form, std::size_t length) {
  switch (form) {
    case StatusForm::word:
      return length == 4;
    case StatusForm::decimal:
      return length >= 1 && length <= 10;
    case StatusForm::code:
      return length == 8;
  }
  return false;
}

std::string_view name_of(StatusForm form) {
  switch (form) {
    case StatusForm::word:
      return "status word";
    case StatusForm::decimal:
      return "exit status";
    case StatusForm::code:
      return "result code";
  }
  return "";
}

}  // namespace

StatusForm status_form(TargetKind target) {
  switch (target) {
    case TargetKind::applet:
      return StatusForm::word;
    case TargetKind::program:
      return StatusForm::decimal;
    case TargetKind::optee_ta:
    case TargetKind::sgx_enclave:
      return StatusForm::code;
  }
  return StatusForm::code;
}

std::string in_form(StatusForm form, std::uint32_t status) {
  switch (form) {
    case StatusForm::word:
      return fmt::format("{:04X}", status);
    case StatusForm::decimal:
      return std::to_string(status);
    case StatusForm::code:
      return fmt::format("{:08X}", status);
  }
  return "";
}

std::uint32_t success_of(StatusForm form) {
  return form == StatusForm::word ? 0x9000 : 0;
}

std::string fault_of_status(std::string_view alternative, StatusForm form) {
  const bool is_one = has_length_of(form, alternative.size()) &&
                      std::ranges::all_of(alternative, [form](char c) { return is_digit_of(form, c); });
  return is_one ? ""
                : fmt::format("\"{}\" is not a{} {}", alternative, form == StatusForm::decimal ? "n" : "",
                              name_of(form));
}

std::string_view example_of(StatusForm form) {
  switch (form) {
    case StatusForm::word:
      return "four hexadecimal digits or \"?\", such as \"9000\", \"63C?\" or \"9000|6300\"";
    case StatusForm::decimal:
      return "a whole number, with \"?\" for any digit, such as \"0\", \"1\" or \"0|1\"";
    case StatusForm::code:
      return "eight hexadecimal digits or \"?\", such as \"00000000\" or \"FFFF0006|FFFF000?\"";
  }
  return "";
}

bool is_among(std::uint32_t status, std::string_view alternatives, StatusForm form) {
  const std::string digits = in_form(form, status);
  const auto is_same = [](char wanted, char got) {
    return wanted == '?' || std::toupper(static_cast<unsigned char>(wanted)) == got;
  };
  while (true) {
    if (std::ranges::equal(alternatives.substr(0, alternatives.find('|')), digits, is_same)) return true;
    if (alternatives.find('|') == std::string_view::npos) return false;
    alternatives.remove_prefix(alternatives.find('|') + 1);
  }
}

}  // namespace jcprof

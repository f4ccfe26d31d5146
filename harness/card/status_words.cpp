// SPDX-License-Identifier: Apache-2.0
#include "harness/card/status_words.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "src/core/hex.hpp"
#include "src/core/iso7816.hpp"

namespace jcprof::harness {
namespace {

struct KnownStatus {
  StatusWord mask;
  StatusWord value;
  StatusMeaning meaning;
};

constexpr std::string_view wants_state =
    "send what the applet wants first (VERIFY, its set-up): \"after_reset\" or \"before_each\" in "
    "\"session\"";
constexpr std::string_view wants_data = "correct its data: the source of the applet shows what it needs";

// The first that fits counts.
constexpr std::array known_statuses = std::to_array<KnownStatus>({
    {0xFFFF, 0x9000, {"success", ""}},
    {0xFFFF, 0x6300, {"not verified", "correct the PIN or key that is sent"}},
    {0xFFF0,
     0x63C0,
     {"not verified, the last digit is how many tries are left", "correct the PIN or key that is sent"}},
    {0xFFFF, 0x6700, {"wrong length", "correct Lc and data, or how much it is to answer (\"le\")"}},
    {0xFFFF, 0x6881, {"logical channel not supported", "correct the CLA"}},
    {0xFFFF, 0x6882, {"secure messaging not supported", "correct the CLA"}},
    {0xFFFF, 0x6981, {"command not possible with this file", "correct the file that it selects, or INS"}},
    {0xFFFF, 0x6982, {"security status not satisfied", wants_state}},
    {0xFFFF, 0x6983, {"the PIN or key is blocked", "unblock it first, or install the applet again"}},
    {0xFFFF, 0x6984, {"data invalid", wants_data}},
    {0xFFFF, 0x6985, {"conditions of use not satisfied", wants_state}},
    {0xFFFF, 0x6986, {"command not allowed", "SELECT the applet: \"after_reset\" in \"session\""}},
    {0xFFFF, 0x6999, {"the applet was not selected", "SELECT an applet that is installed: correct the AID"}},
    {0xFFFF, 0x6A80, {"wrong data", wants_data}},
    {0xFFFF, 0x6A81, {"function not supported", "correct INS, P1 and P2"}},
    {0xFFFF, 0x6A82, {"file or applet not found", "correct the AID or file that it names"}},
    {0xFFFF, 0x6A83, {"record not found", "correct P1 and P2"}},
    {0xFFFF, 0x6A84, {"not enough memory", "install the applet again, or make room on the card"}},
    {0xFFFF, 0x6A86, {"wrong P1 or P2", "correct P1 and P2"}},
    {0xFFFF, 0x6A88, {"referenced data not found", "correct P1 and P2"}},
    {0xFFFF, 0x6B00, {"wrong P1 or P2", "correct P1 and P2"}},
    {0xFF00, 0x6C00, {"wrong Le", "correct how much it is to answer (\"le\")"}},
    {0xFFFF, 0x6D00, {"INS not supported", "correct the INS: it is none of the applet that is selected"}},
    {0xFFFF, 0x6E00, {"CLA not supported", "correct the CLA: it is none of the applet that is selected"}},
    {0xFFFF, 0x6F00, {"an exception that the applet did not catch", "correct what is sent, or the applet"}},
    {0xFF00, 0x6F00, {"no precise diagnosis", "correct what is sent, or the applet"}},
    {0xFF00, 0x6200, {"a warning", "check if the command did its work"}},
    {0xFF00, 0x6300, {"a warning", "check if the command did its work"}},
    {0xFF00, 0x6400, {"an error of the card", "correct what is sent, or the applet"}},
    {0xFF00, 0x6500, {"the card's memory failed", "take another card"}},
    {0, 0, {"a status word of the applet's own", "look it up in the source of the applet"}},
});

}  // namespace

StatusMeaning meaning_of(StatusWord status) {
  return std::ranges::find_if(known_statuses,
                              [status](const KnownStatus& one) { return (status & one.mask) == one.value; })
      ->meaning;
}

std::string in_words(StatusWord status) {
  return fmt::format("{} ({})", to_text(status), meaning_of(status).meaning);
}

bool is_error(StatusWord status) {
  const unsigned high = status >> 8U;
  return status != 0x9000 && high != 0x61 && high != 0x62;
}

bool counts_tries(std::span<const std::uint8_t> command) {
  constexpr std::size_t without_data = 5;
  return command.size() > without_data &&
         std::ranges::find(ins_counting_tries, command[1]) != ins_counting_tries.end();
}

std::string remedy_for(std::span<const std::uint8_t> command, StatusWord status) {
  constexpr std::size_t header = 5;
  const bool is_select = command.size() > header && command[1] == 0xA4 && command[2] == 0x04;
  const bool is_installation = command.size() > header && command[0] == 0x80 && command[1] == 0xB8;
  const std::size_t begin = is_select ? header : header + 1;
  std::string general(meaning_of(status).remedy);
  if ((!is_select && !is_installation) || !is_error(status)) return general;
  const std::size_t length = command[begin - 1];
  if (length == 0 || command.size() < begin + length) return general;
  const std::string aid = to_hex(command.subspan(begin, length));
  if (is_installation)
    return fmt::format(
        "the applet of the AID {0} did not install: correct the AID and what loads the applet "
        "(\"start\"), or give its install method the data that it reads (\"once\": 80B80000 Lc "
        "{1:02X} {0} 00 LENGTH DATA 00){2}",
        aid, length,
        status == 0x6444U  // jCardSim's, for any exception
            ? "; or its constructor threw an exception, say for an algorithm or a class that the simulator "
              "lacks"
            : "");
  // jCardSim and cards answer an unknown AID so, and 6999 an applet whose select method says no.
  if (status == 0x6999U || status == 0x6A82U)
    return fmt::format(
        "there is no applet of the AID {}: correct it, or what installs the applet "
        "(\"install\", \"start\", \"once\"){}",
        aid, status == 0x6999U ? "; or its select method refuses" : "");
  return fmt::format(
      "the applet of the AID {} refuses to be selected: look at its select and process "
      "methods, or at what \"install\" and \"once\" should do first",
      aid);
}

}  // namespace jcprof::harness

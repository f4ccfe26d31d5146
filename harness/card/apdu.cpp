// SPDX-License-Identifier: Apache-2.0
#include "harness/card/apdu.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "src/core/error.hpp"
#include "src/core/hex.hpp"

namespace jcprof::harness {
namespace {

constexpr std::size_t header_size = 4;
constexpr std::size_t longest_short_data = 255;
constexpr std::size_t longest_data = 65535;
constexpr std::uint32_t longest_short_le = 256;
constexpr std::uint32_t longest_le = 65536;
// 64 KiB in pieces of 256 bytes, and one more for a 6Cxx in between: a card that asks for more is in a loop.
constexpr std::uint32_t most_steps = 258;

void append_u16(Bytes& bytes, std::size_t value) {
  bytes.push_back(static_cast<std::uint8_t>(value >> 8));
  bytes.push_back(static_cast<std::uint8_t>(value));
}

void append_lc(Bytes& bytes, std::size_t length, bool extended) {
  if (extended) {
    bytes.push_back(0);
    append_u16(bytes, length);
  } else {
    bytes.push_back(static_cast<std::uint8_t>(length));
  }
}

std::string fault_of_extended(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < 7) return "an extended length (5th byte 00) has two more bytes";
  if (bytes.size() == 7) return {};
  const std::size_t lc = static_cast<std::size_t>(bytes[5]) << 8 | bytes[6];
  const std::size_t follow = bytes.size() - 7;
  if (lc == 0) return "its extended Lc is 0";
  if (follow == lc || follow == lc + 2) return {};
  return fmt::format("its extended Lc says {} bytes of data, {} follow", lc, follow);
}

std::string without_blanks(std::string_view text) {
  std::string result(text);
  std::erase(result, ' ');
  return result;
}

UserError bad_apdu(const ApduText& apdu, const std::string& why) {
  return UserError(Fault{
      .message = fmt::format("{}: \"{}\" is no command APDU: {}", apdu.where, apdu.text, why),
      .hint = "CLA INS P1 P2, then Lc and data, then Le, each as hex; {input} straight after the header gets "
              "its Lc"});
}

std::string lc_of(std::size_t hex_digits) {
  Bytes lc;
  append_lc(lc, hex_digits / 2, hex_digits / 2 > longest_short_data);
  return to_hex(lc);
}

/// `{lc}` filled in, and an Lc put where `{input}` stands straight after the header.
std::string with_lengths(std::string text, const Placeholders& values) {
  constexpr std::string_view lc = "{lc}";
  if (text.find("{input}") == 2 * header_size) text.insert(2 * header_size, lc);
  const std::size_t at = text.find(lc);
  if (at == std::string::npos) return fill_in(text, values);
  const std::string rest = fill_in(std::string_view(text).substr(at + lc.size()), values);
  // No data means no Lc at all: case 1 or 2.
  return fill_in(std::string_view(text).substr(0, at), values) + (rest.empty() ? "" : lc_of(rest.size())) +
         rest;
}

bool has_le(std::span<const std::uint8_t> bytes) {
  if (bytes.size() <= header_size + 1) return bytes.size() == header_size + 1;
  const bool is_extended = bytes[header_size] == 0;
  if (!is_extended) return bytes.size() == header_size + 2 + bytes[header_size];
  const std::size_t lc = static_cast<std::size_t>(bytes[5]) << 8 | bytes[6];
  return bytes.size() == 7 || bytes.size() == 9 + lc;
}

/// Le in the form that the length of the command so far calls for.
void append_le(Bytes& bytes, std::uint32_t le) {
  const bool has_data = bytes.size() > header_size;
  const bool extended_data = has_data && bytes[header_size] == 0;
  if (!extended_data && le <= longest_short_le) {
    bytes.push_back(static_cast<std::uint8_t>(le));
    return;
  }
  if (has_data && !extended_data) bytes.insert(bytes.begin() + header_size, {0, 0});
  if (!has_data) bytes.push_back(0);
  append_u16(bytes, le);
}

}  // namespace

Bytes encode(const Apdu& apdu) {
  check(apdu.data.size() <= longest_data && apdu.le.value_or(0) <= longest_le, "APDU too long to encode");
  Bytes bytes{apdu.cla, apdu.ins, apdu.p1, apdu.p2};
  if (!apdu.data.empty()) {
    append_lc(bytes, apdu.data.size(), apdu.data.size() > longest_short_data);
    bytes.insert(bytes.end(), apdu.data.begin(), apdu.data.end());
  }
  if (apdu.le) append_le(bytes, *apdu.le);
  return bytes;
}

Bytes to_tpdu(std::span<const std::uint8_t> apdu) {
  if (apdu.size() > header_size + 1 && apdu[header_size] == 0) return {};
  Bytes tpdu(apdu.begin(), apdu.end());
  if (tpdu.size() == header_size) tpdu.push_back(0);
  if (tpdu.size() > header_size + 1) tpdu.resize(header_size + 1 + tpdu[header_size]);
  return tpdu;
}

std::string fault_of_apdu(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < header_size) return fmt::format("{} bytes, it has at least 4", bytes.size());
  // The longest: header, extended Lc, data, extended Le. The vpcd frame holds no more than 65,535 of it.
  if (bytes.size() > longest_data) return fmt::format("{} bytes, at most 65,535 can be sent", bytes.size());
  if (bytes.size() <= header_size + 1) return {};
  const std::size_t lc = bytes[header_size];
  if (lc == 0) return fault_of_extended(bytes);
  const std::size_t follow = bytes.size() - header_size - 1;
  if (follow == lc || follow == lc + 1) return {};
  return fmt::format("its Lc says {} bytes of data, {} follow", lc, follow);
}

Bytes make_apdu(const ApduText& apdu, const Placeholders& values) {
  const std::string filled = with_lengths(without_blanks(apdu.text), values);
  std::optional<Bytes> bytes = parse_hex(filled);
  if (!bytes) throw bad_apdu(apdu, "not whole bytes of hex");
  std::string fault = fault_of_apdu(*bytes);
  if (!fault.empty()) throw bad_apdu(apdu, fault);
  if (!apdu.le) return *bytes;
  if (*apdu.le > longest_le)
    throw bad_apdu(apdu, fmt::format("its le is {}, at most 65536 can be asked for", *apdu.le));
  if (has_le(*bytes)) throw bad_apdu(apdu, "it ends with an Le, and \"le\" says another");
  append_le(*bytes, *apdu.le);
  fault = fault_of_apdu(*bytes);
  if (!fault.empty()) throw bad_apdu(apdu, fault);
  return *bytes;
}

std::string to_text(StatusWord status) {
  return fmt::format("{:04X}", status);
}

StatusPattern::StatusPattern(std::string_view text, const std::string& where) {
  std::string_view rest = text;
  while (true) {
    const std::string one = without_blanks(rest.substr(0, rest.find('|')));
    if (one.size() != 4)
      throw UserError(Fault{.message = fmt::format("{}: \"{}\" is no status word", where, text),
                            .hint = "four hex digits, ? for any of them, alternatives by |: \"9000|63C?\""});
    Alternative alternative;
    for (const char c : one) {
      const bool any = c == '?' || c == 'x' || c == 'X';
      const std::optional<Bytes> digit = parse_hex(std::string{'0', any ? '0' : c});
      if (!digit)
        throw UserError(
            Fault{.message = fmt::format("{}: \"{}\" is no status word", where, text),
                  .hint = "four hex digits, ? for any of them, alternatives by |: \"9000|63C?\""});
      alternative.mask = static_cast<StatusWord>(alternative.mask << 4 | (any ? 0 : 0xF));
      alternative.value = static_cast<StatusWord>(alternative.value << 4 | digit->front());
    }
    alternatives_.push_back(alternative);
    if (rest.find('|') == std::string_view::npos) return;
    rest.remove_prefix(rest.find('|') + 1);
  }
}

bool StatusPattern::matches(StatusWord status) const {
  return std::ranges::any_of(alternatives_,
                             [status](const Alternative& one) { return (status & one.mask) == one.value; });
}

std::optional<Bytes> FollowUp::after(StatusWord status) {
  const auto sw1 = static_cast<std::uint8_t>(status >> 8);
  const auto sw2 = static_cast<std::uint8_t>(status);
  if (steps_++ >= most_steps) return std::nullopt;
  if (sw1 == 0x61) {
    fetching_ = true;
    corrected_ = false;
    return get_response(sw2);
  }
  if (sw1 != 0x6C || corrected_) return std::nullopt;
  corrected_ = true;
  return fetching_ ? get_response(sw2) : with_le(sw2);
}

Bytes FollowUp::get_response(std::uint8_t le) const {
  // The class byte keeps the logical channel alone (ISO 7816-4, 5.4.1).
  const std::uint8_t cla = command_[0];
  return {static_cast<std::uint8_t>((cla & 0x40U) != 0 ? cla & 0x4FU : cla & 0x03U), 0xC0, 0x00, 0x00, le};
}

std::optional<Bytes> FollowUp::with_le(std::uint8_t le) const {
  const std::size_t lc = command_.size() > header_size + 1 ? command_[header_size] : 0;
  const bool is_extended = command_.size() > header_size + 1 && lc == 0;
  if (is_extended) return std::nullopt;  // SW2 cannot say an extended length
  Bytes again(command_.begin(), command_.end());
  again.resize(lc == 0 ? header_size : header_size + 1 + lc);
  again.push_back(le);
  return again;
}

void exchange_whole(std::span<const std::uint8_t> command, StatusWord stop, const ExchangeFunction& exchange,
                    Answer& answer) {
  answer.data.clear();
  answer.ticks = 0;
  answer.exchanges = 0;
  answer.why.clear();
  FollowUp follow_up(command);
  Bytes next;
  while (true) {
    Exchange done = exchange(command);
    ++answer.exchanges;
    answer.state = done.state;
    answer.ticks += done.stop_ns - done.start_ns;
    answer.why = std::move(done.why);
    if (done.state != ExchangeState::answered) return;
    const std::size_t size = done.reply.size();
    answer.status = static_cast<StatusWord>(done.reply[size - 2] << 8 | done.reply[size - 1]);
    answer.data.insert(answer.data.end(), done.reply.begin(), done.reply.end() - 2);
    if (answer.status == stop) return;
    std::optional<Bytes> follows = follow_up.after(answer.status);
    if (!follows) return;
    next = std::move(*follows);
    command = next;
  }
}

}  // namespace jcprof::harness

// SPDX-License-Identifier: Apache-2.0
// gmon.out of a program that was built with -pg. Its addresses are those of the program's file.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "annotator/export/gmon.hpp"
#include "annotator/import/flat.hpp"
#include "annotator/import/formats.hpp"
#include "annotator/record/symbols.hpp"
#include "src/core/error.hpp"

namespace jcprof::annotator {
namespace {

constexpr std::string_view gmon_magic = "gmon";

/// Little-endian numbers, which may end anywhere.
class GmonReader {
 public:
  GmonReader(std::string file, std::string_view text)
      : file_(std::move(file)), rest_(text), size_(text.size()) {}

  bool is_at_end() const { return rest_.empty(); }
  std::string_view bytes(std::uint64_t count) {
    if (rest_.size() < count) refuse("the file is cut off");
    const std::string_view bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return bytes;
  }
  std::uint64_t number(std::size_t count) {
    std::uint64_t value = 0;
    std::size_t shift = 0;
    for (const char byte : bytes(count))
      value |= std::uint64_t{static_cast<unsigned char>(byte)} << (8 * shift++);
    return value;
  }
  [[noreturn]] void refuse(const std::string& message) const {
    throw UserError(Fault{.message = fmt::format("{} (byte {})", message, size_ - rest_.size()),
                          .place = {.file = file_},
                          .hint = "jcprof reads version 1 of gmon.out, as glibc writes it"});
  }

 private:
  std::string file_;
  std::string_view rest_;
  std::size_t size_;
};

class GmonParser {
 public:
  GmonParser(const ForeignFile& file, std::string_view text)
      : reader_(file.path.string(), text),
        pointer_bytes_(read_binary(file.elf).pointer_bytes),
        symbols_({.written = std::filesystem::last_write_time(file.path), .modules = segments_of(file.elf)},
                 {}),
        functions_(functions_in(file.elf)) {
    profile_.is_sampled = true;
    profile_.info.agent = "gprof";
    profile_.info.project = file.elf.filename().string();
    profile_.info.unit = ClockUnit::ns;
  }

  FlatProfile read() && {
    constexpr std::size_t spare = 12;
    reader_.bytes(gmon_magic.size());
    if (reader_.number(4) != 1) reader_.refuse("this is another version of gmon.out");
    reader_.bytes(spare);
    while (!reader_.is_at_end()) {
      const std::uint64_t tag = reader_.number(1);
      if (tag == 0)
        read_histogram();
      else if (tag == 1)
        read_arc();
      else if (tag == 2)
        reader_.bytes(reader_.number(4) * 2 * pointer_bytes_);  // counts of basic blocks
      else
        reader_.refuse(fmt::format("tag {} has no meaning", tag));
    }
    return finish();
  }

 private:
  void read_histogram() {
    const std::uint64_t low = reader_.number(pointer_bytes_);
    const std::uint64_t high = reader_.number(pointer_bytes_);
    const std::uint64_t bins = reader_.number(4);
    const std::uint64_t rate = reader_.number(4);
    const std::string_view dimension = reader_.bytes(16);
    if (!dimension.starts_with("seconds")) reader_.refuse("the histogram is not in seconds");
    if (rate == 0 || high < low || bins == 0) reader_.refuse("the histogram has no bins, or no rate");
    const double ns = 1e9 / static_cast<double>(rate);
    profile_.info.resolution = std::max(profile_.info.resolution, ns);
    const std::string_view counts = reader_.bytes(2 * bins);
    const double width = static_cast<double>(high - low) / static_cast<double>(bins);
    for (std::uint64_t bin = 0; bin < bins; ++bin) {
      const auto byte = [&](std::uint64_t at) { return static_cast<unsigned char>(counts[at]); };
      const unsigned count = byte(2 * bin) | unsigned{byte(2 * bin + 1)} << 8U;
      if (count == 0) continue;
      samples_ += count;
      const auto at = [&](std::uint64_t place) {
        return low + static_cast<std::uint64_t>(std::floor(width * static_cast<double>(place)));
      };
      share({.begin = at(bin), .end = at(bin + 1)}, ns * count);
    }
  }

  /// A bin may hold the end of a function and the begin of the next.
  void share(const AddressRange& bin, double ns) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> parts;  // address and bytes
    auto next = std::ranges::upper_bound(functions_, bin.begin, {}, &AddressRange::begin);
    if (next != functions_.begin()) --next;
    std::uint64_t bytes = 0;
    for (; next != functions_.end() && next->begin < bin.end; ++next) {
      const std::uint64_t begin = std::max(next->begin, bin.begin);
      const std::uint64_t end = std::min(next->end, bin.end);
      if (begin >= end) continue;
      parts.emplace_back(begin, end - begin);
      bytes += end - begin;
    }
    if (parts.empty()) {
      nameless_ += ns;
      profile_.functions[function_at(bin.begin)].own += ns;
    }
    for (const auto& [address, size] : parts)
      profile_.functions[function_at(address)].own +=
          ns * static_cast<double>(size) / static_cast<double>(bytes);
  }

  void read_arc() {
    const std::uint64_t from = reader_.number(pointer_bytes_);
    const std::uint64_t self = reader_.number(pointer_bytes_);
    const std::uint64_t count = reader_.number(4);
    arcs_[{function_at(from), function_at(self)}] += count;
    const auto next = std::ranges::upper_bound(functions_, self, {}, &AddressRange::begin);
    has_callee_ = has_callee_ || (next != functions_.begin() && self < std::prev(next)->end);
  }

  /// By name and place: a function has many addresses.
  std::uint32_t function_at(std::uint64_t address) {
    const auto [found, is_new] = by_address_.try_emplace(address);
    if (!is_new) return found->second;
    const StoredSymbol symbol = symbols_.at(address);
    const auto [function, is_unknown] = by_name_.try_emplace(
        {symbol.name, symbol.path, symbol.line}, static_cast<std::uint32_t>(profile_.functions.size()));
    if (is_unknown) profile_.functions.push_back({.symbol = symbol});
    return found->second = function->second;
  }

  FlatProfile finish() {
    if (!arcs_.empty() && !has_callee_)
      reader_.refuse("no call of the file leads to a function of the program");
    double total = 0;
    for (const FlatFunction& function : profile_.functions) total += function.own;
    for (const auto& [ends, count] : arcs_)
      profile_.arcs.push_back({.caller = ends.first, .callee = ends.second, .count = count});
    profile_.warnings = symbols_.warnings();
    profile_.warnings.push_back(
        {.kind = WarningKind::coarse_clock,
         .text =
             fmt::format("times are {} samples, one each {:g} ms: a function of few samples may have taken "
                         "another time, and one without may have run",
                         samples_, profile_.info.resolution / 1e6)});
    if (nameless_ > 0)
      profile_.warnings.push_back(
          {.text = fmt::format("{:.1f} % of the time lies where the program has no symbol",
                               100 * nameless_ / total)});
    return std::move(profile_);
  }

  GmonReader reader_;
  std::size_t pointer_bytes_;
  Symbols symbols_;
  std::vector<AddressRange> functions_;
  FlatProfile profile_;
  std::uint64_t samples_ = 0;
  double nameless_ = 0;      // ns
  bool has_callee_ = false;  // of an arc
  std::map<std::uint64_t, std::uint32_t> by_address_;
  std::map<std::tuple<std::string, std::string, std::size_t>, std::uint32_t> by_name_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> arcs_;
};

}  // namespace

bool is_gmon(std::string_view text) {
  return text.starts_with(gmon_magic);
}

RecordedRun read_gmon(const ForeignFile& file, std::string_view text) {
  if (file.elf.empty())
    throw UserError(Fault{.message = "gmon.out holds addresses and no names",
                          .place = {.file = file.path.string()},
                          .hint = "name the program that wrote it: --elf PROGRAM"});
  return recorded_run(GmonParser(file, text).read());
}

}  // namespace jcprof::annotator

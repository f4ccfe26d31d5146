// SPDX-License-Identifier: Apache-2.0
#include "annotator/export/gmon.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>

#include "src/core/error.hpp"
#include "src/core/hex.hpp"
#include "src/core/unique_fd.hpp"

namespace jcprof::annotator {
namespace {

constexpr double fullest = std::numeric_limits<std::uint16_t>::max();  // bin

static_assert(std::endian::native == std::endian::little);

class GmonWriter {
 public:
  explicit GmonWriter(std::size_t pointer_bytes) : pointer_bytes_(pointer_bytes) {}
  void number(std::uint64_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) bytes_ += static_cast<char>(value >> (8 * i));
  }
  void address(std::uint64_t value) { number(value, pointer_bytes_); }
  /// Cut or filled with zeros.
  void text(std::string_view text, std::size_t bytes) {
    std::string field(text.substr(0, bytes));
    field.resize(bytes);
    bytes_ += field;
  }
  std::string bytes() && { return std::move(bytes_); }

 private:
  std::size_t pointer_bytes_;
  std::string bytes_;
};

/// A build-id tells a binary, whatever its name is now.
bool is_in(const StoredSymbol& symbol, const Binary& binary) {
  if (symbol.address == 0) return false;
  if (!symbol.build_id.empty() && !binary.build_id.empty()) return symbol.build_id == binary.build_id;
  std::error_code error;
  return std::filesystem::equivalent(symbol.module, binary.file, error);
}

struct Totals {
  std::map<std::uint64_t, double> exclusive;                              // by address
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> arcs;  // caller and callee
};

Totals totals_in(const StoredRecording& recording, const Binary& binary) {
  std::vector<std::uint64_t> address;  // by symbol; 0: elsewhere
  for (const StoredSymbol& symbol : recording.symbols)
    address.push_back(is_in(symbol, binary) ? symbol.address : 0);
  Totals totals;
  for (const StoredCall& call : recording.calls) {
    const std::uint64_t callee = address[call.symbol];
    if (callee == 0) continue;
    totals.exclusive[callee] += call.exclusive;
    if (!recording.arcs.empty()) continue;
    const std::uint64_t caller = call.parent == 0 ? 0 : address[recording.calls[call.parent - 1].symbol];
    totals.arcs[{caller == 0 ? binary.entry : caller, callee}] += call.count;
  }
  for (const StoredArc& arc : recording.arcs)
    if (address[arc.callee] != 0)
      totals.arcs[{address[arc.caller] == 0 ? binary.entry : address[arc.caller], address[arc.callee]}] +=
          arc.count;
  return totals;
}

/// The unit that gprof counts in: seconds, or 10^9 cycles or instructions; a thousand times that where the
/// rate, a whole number, would have to be below 1.
struct Dimension {
  double ticks = 1e9;
  std::string name;
};

Dimension dimension_for(double longest, ClockUnit unit) {
  const bool is_time = unit == ClockUnit::ns;
  const std::array<std::string_view, 3> prefixes = is_time ? std::array<std::string_view, 3>{"", "k", "M"}
                                                           : std::array<std::string_view, 3>{"G", "T", "P"};
  double ticks = 1e9;
  std::size_t step = 0;
  for (; longest / ticks > fullest && step + 1 < prefixes.size(); ++step) ticks *= 1e3;
  return {.ticks = ticks,
          .name = fmt::format("{}{}", prefixes.at(step), is_time ? "seconds" : name_of(unit))};
}

/// Each function is a histogram of one bin of 16 bits, at its first bytes. All share one rate: with it the
/// longest function fills its bin.
void add_times(GmonWriter& out, const Totals& totals, ClockUnit unit) {
  constexpr std::uint64_t bin_bytes = 2;
  constexpr double most = std::numeric_limits<std::int32_t>::max();
  double longest = 1;
  for (const auto& [address, ticks] : totals.exclusive) longest = std::max(longest, ticks);
  const Dimension dimension = dimension_for(longest, unit);
  const double rate = std::clamp(std::floor(fullest / (longest / dimension.ticks)), 1.0, most);
  for (const auto& [address, ticks] : totals.exclusive) {
    out.number(0, 1);
    out.address(address);
    out.address(address + bin_bytes);
    out.number(1, 4);
    out.number(static_cast<std::uint64_t>(rate), 4);
    out.text(dimension.name, 15);
    out.text(dimension.name, 1);
    out.number(static_cast<std::uint64_t>(std::min(std::round(ticks / dimension.ticks * rate), fullest)), 2);
  }
}

/// gprof sums arcs that come again, so that a count need not fit in one.
void add_arcs(GmonWriter& out, const Totals& totals) {
  constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
  for (const auto& [ends, count] : totals.arcs)
    for (std::uint64_t left = count; left > 0; left -= std::min(left, most)) {
      out.number(1, 1);
      out.address(ends.first);
      out.address(ends.second);
      out.number(std::min(left, most), 4);
    }
}

/// The entry of a program, or the first function of a library: gprof counts no arc that begins outside of all
/// functions.
std::uint64_t start_of_text(Elf* elf, const GElf_Ehdr& head) {
  std::uint64_t first = 0;
  Elf_Scn* section = nullptr;
  while (head.e_entry == 0 && (section = elf_nextscn(elf, section)) != nullptr) {
    GElf_Shdr shape;
    if (gelf_getshdr(section, &shape) == nullptr || shape.sh_entsize == 0) continue;
    if (shape.sh_type != SHT_SYMTAB && shape.sh_type != SHT_DYNSYM) continue;
    Elf_Data* const data = elf_getdata(section, nullptr);
    for (int i = 0; data != nullptr && i < static_cast<int>(shape.sh_size / shape.sh_entsize); ++i) {
      GElf_Sym symbol;
      if (gelf_getsym(data, i, &symbol) == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
      if (symbol.st_value != 0 && (first == 0 || symbol.st_value < first)) first = symbol.st_value;
    }
  }
  return head.e_entry != 0 ? head.e_entry : first;
}

}  // namespace

Binary read_binary(const std::filesystem::path& file) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  elf_version(EV_CURRENT);
  const std::unique_ptr<Elf, int (*)(Elf*)> elf(elf_begin(fd.get(), ELF_C_READ_MMAP, nullptr), elf_end);
  GElf_Ehdr head;
  if (gelf_getehdr(elf.get(), &head) == nullptr || head.e_ident[EI_DATA] != ELFDATA2LSB)
    throw UserError(Fault{.message = "cannot be read as an ELF file of this byte order",
                          .place = {.file = file.string()},
                          .hint = "name the program that was recorded"});
  const void* id = nullptr;
  const ssize_t bytes = dwelf_elf_gnu_build_id(elf.get(), &id);
  return {.file = file,
          .build_id = bytes > 0
                          ? to_hex({static_cast<const std::uint8_t*>(id), static_cast<std::size_t>(bytes)})
                          : "",
          .pointer_bytes = gelf_getclass(elf.get()) == ELFCLASS32 ? 4U : 8U,
          .entry = start_of_text(elf.get(), head)};
}

std::string to_gmon(const RecordedRun& recorded, const Binary& binary) {
  const Totals totals = totals_in(recorded.recording, binary);
  if (totals.exclusive.empty())
    throw UserError(Fault{.message = "none of the recorded functions is in it",
                          .place = {.file = binary.file.string()},
                          .hint = "name the program or library that hooks recorded, of the very build"});
  GmonWriter out(binary.pointer_bytes);
  out.text("gmon", 4);
  out.number(1, 4);
  out.text("", 12);
  add_times(out, totals, recorded.info.unit);
  add_arcs(out, totals);
  return std::move(out).bytes();
}

}  // namespace jcprof::annotator

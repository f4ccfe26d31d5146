// SPDX-License-Identifier: Apache-2.0
#include "annotator/record/symbols.hpp"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "src/core/hex.hpp"

namespace jcprof::annotator {
namespace {

namespace fs = std::filesystem;

struct Free {
  void operator()(char* text) const { std::free(text); }  // NOLINT: what __cxa_demangle gives
};
struct EndDwfl {
  void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
};

/// One file, at the addresses that stand in it.
class ElfFile {
 public:
  /// Nullopt where it is no ELF file.
  static std::optional<ElfFile> open(const fs::path& file) {
    static constexpr Dwfl_Callbacks callbacks{.find_elf = dwfl_linux_proc_find_elf,
                                              .find_debuginfo = dwfl_standard_find_debuginfo,
                                              .section_address = dwfl_offline_section_address,
                                              .debuginfo_path = nullptr};
    ElfFile elf;
    elf.dwfl_.reset(dwfl_begin(&callbacks));
    if (!elf.dwfl_ || !fs::is_regular_file(file)) return std::nullopt;
    dwfl_report_begin(elf.dwfl_.get());
    elf.module_ = dwfl_report_elf(elf.dwfl_.get(), file.filename().c_str(), file.c_str(), -1, 0, true);
    if (elf.module_ == nullptr || dwfl_report_end(elf.dwfl_.get(), nullptr, nullptr) != 0)
      return std::nullopt;
    GElf_Addr bias = 0;
    elf.elf_ = dwfl_module_getelf(elf.module_, &bias);
    if (elf.elf_ == nullptr) return std::nullopt;
    elf.bias_ = bias;
    elf.unit_ranges_ = unit_ranges(elf.module_);
    return elf;
  }

  std::string build_id() const {
    const unsigned char* bits = nullptr;
    GElf_Addr at = 0;
    const int size = dwfl_module_build_id(module_, &bits, &at);
    return size > 0 ? to_hex({bits, static_cast<std::size_t>(size)}) : "";
  }

  /// The address that the file gives to what lies at that offset of it.
  std::optional<std::uint64_t> address_of_offset(std::uint64_t offset) const {
    std::optional<std::uint64_t> address;
    each_segment([&](const GElf_Phdr& segment) {
      if (offset >= segment.p_offset && offset - segment.p_offset < segment.p_filesz && !address)
        address = offset - segment.p_offset + segment.p_vaddr;
    });
    return address;
  }

  bool covers(std::uint64_t address) const {
    bool is_covered = false;
    each_segment([&](const GElf_Phdr& segment) {
      is_covered |= address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_memsz;
    });
    return is_covered;
  }

  std::optional<std::uint64_t> address_of(std::string_view name) const {
    const int symbols = dwfl_module_getsymtab(module_);
    for (int i = 1; i < symbols; ++i) {
      GElf_Sym symbol{};
      GElf_Addr address = 0;
      const char* text = dwfl_module_getsym_info(module_, i, &symbol, &address, nullptr, nullptr, nullptr);
      if (text != nullptr && text == name && symbol.st_shndx != SHN_UNDEF) return address - bias_;
    }
    return std::nullopt;
  }

  std::vector<AddressRange> functions() const {
    std::vector<AddressRange> ranges;
    const int symbols = dwfl_module_getsymtab(module_);
    for (int i = 1; i < symbols; ++i) {
      GElf_Sym symbol{};
      GElf_Addr address = 0;
      dwfl_module_getsym_info(module_, i, &symbol, &address, nullptr, nullptr, nullptr);
      if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF && symbol.st_size > 0)
        ranges.push_back({.begin = address - bias_, .end = address - bias_ + symbol.st_size});
    }
    std::ranges::sort(ranges, {}, &AddressRange::begin);
    const auto others = std::ranges::unique(ranges, {}, &AddressRange::begin);
    ranges.erase(others.begin(), others.end());
    return ranges;
  }

  /// Name, path and line as far as they are known.
  void describe(std::uint64_t address, StoredSymbol& symbol) const {
    GElf_Off offset = 0;
    GElf_Sym entry{};
    const char* name =
        dwfl_module_addrinfo(module_, address + bias_, &offset, &entry, nullptr, nullptr, nullptr);
    // An odd address is that of Thumb code.
    if (name != nullptr && (offset <= 1 || offset < entry.st_size)) symbol.name = demangled(name);
    const UnitRange* range = range_of(address + bias_);
    if (range == nullptr) return;
    const Dwarf_Addr there = address + bias_ - range->bias;
    Dwarf_Die* scopes = nullptr;
    const int count = dwarf_getscopes(range->unit, there, &scopes);
    for (int i = 0; i < count; ++i) {
      if (dwarf_tag(&scopes[i]) != DW_TAG_subprogram) continue;
      describe_by(scopes[i], *range->unit, symbol);
      break;
    }
    std::free(scopes);  // NOLINT: what libdw asks for
    if (symbol.path.empty() || symbol.line == 0) describe_by_line(*range->unit, there, symbol);
  }

  template <class Visit>
  void each_segment(Visit visit) const {
    std::size_t count = 0;
    if (elf_getphdrnum(elf_, &count) != 0) return;
    for (std::size_t i = 0; i < count; ++i) {
      GElf_Phdr segment{};
      if (gelf_getphdr(elf_, static_cast<int>(i), &segment) != nullptr && segment.p_type == PT_LOAD)
        visit(segment);
    }
  }

 private:
  /// Addresses of a unit, as libdwfl has them.
  struct UnitRange {
    Dwarf_Addr begin = 0;
    Dwarf_Addr end = 0;
    Dwarf_Addr bias = 0;  // of them over the unit's own
    Dwarf_Die* unit = nullptr;
  };

  /// The units are asked themselves: clang writes no table of all addresses (.debug_aranges).
  static std::vector<UnitRange> unit_ranges(Dwfl_Module* module) {
    std::vector<UnitRange> ranges;
    Dwarf_Addr bias = 0;
    for (Dwarf_Die* unit = nullptr; (unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr;) {
      Dwarf_Addr base = 0;
      Dwarf_Addr begin = 0;
      Dwarf_Addr end = 0;
      for (std::ptrdiff_t at = 0; (at = dwarf_ranges(unit, at, &base, &begin, &end)) > 0;)
        ranges.push_back({.begin = begin + bias, .end = end + bias, .bias = bias, .unit = unit});
    }
    std::ranges::sort(ranges, {}, &UnitRange::begin);
    return ranges;
  }

  const UnitRange* range_of(Dwarf_Addr address) const {
    const auto next = std::ranges::upper_bound(unit_ranges_, address, {}, &UnitRange::begin);
    if (next == unit_ranges_.begin() || address >= std::prev(next)->end) return nullptr;
    return &*std::prev(next);
  }

  static void describe_by(Dwarf_Die& function, Dwarf_Die& unit, StoredSymbol& symbol) {
    Dwarf_Attribute attribute{};
    const char* linkage = dwarf_formstring(dwarf_attr_integrate(&function, DW_AT_linkage_name, &attribute));
    const char* name = linkage != nullptr ? linkage : dwarf_diename(&function);
    if (symbol.name.empty() && name != nullptr) symbol.name = demangled(name);
    int line = 0;
    if (dwarf_decl_line(&function, &line) == 0 && line > 0) symbol.line = static_cast<std::size_t>(line);
    const char* file = dwarf_decl_file(&function);
    if (file != nullptr) symbol.path = path_in(unit, file);
  }

  /// The line of its first instruction, for functions that have no place of their own (lambdas of gcc, units
  /// whose DWARF lies in another file), and for a file that libdw does not know by its number (clang's DWARF
  /// 5).
  static void describe_by_line(Dwarf_Die& unit, Dwarf_Addr address, StoredSymbol& symbol) {
    Dwarf_Line* row = dwarf_getsrc_die(&unit, address);
    const char* file = row == nullptr ? nullptr : dwarf_linesrc(row, nullptr, nullptr);
    int line = 0;
    if (file == nullptr || dwarf_lineno(row, &line) != 0 || line <= 0) return;
    const std::string path = path_in(unit, file);
    if (!symbol.path.empty() && symbol.path != path) return;
    if (symbol.line == 0) symbol.line = static_cast<std::size_t>(line);
    symbol.path = path;
  }

  static std::string path_in(Dwarf_Die& unit, const char* file) {
    Dwarf_Attribute attribute{};
    const char* folder = dwarf_formstring(dwarf_attr(&unit, DW_AT_comp_dir, &attribute));
    return (fs::path(folder == nullptr ? "" : folder) / file).lexically_normal().generic_string();
  }

  std::unique_ptr<Dwfl, EndDwfl> dwfl_;
  Dwfl_Module* module_ = nullptr;
  Elf* elf_ = nullptr;
  GElf_Addr bias_ = 0;  // of libdwfl's addresses over the file's
  std::vector<UnitRange> unit_ranges_;
};

}  // namespace

std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, Free> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status));
  return text ? text.get() : name;
}

std::vector<LogModule> segments_of(const fs::path& program) {
  std::vector<LogModule> modules;
  if (const auto file = ElfFile::open(program))
    file->each_segment([&](const GElf_Phdr& segment) {
      modules.push_back({.begin = segment.p_vaddr,
                         .end = segment.p_vaddr + segment.p_memsz,
                         .offset = segment.p_offset,
                         .file = program.string()});
    });
  return modules;
}

std::vector<AddressRange> functions_in(const fs::path& program) {
  const auto file = ElfFile::open(program);
  return file ? file->functions() : std::vector<AddressRange>();
}

struct Symbols::State {
  std::vector<LogModule> modules;
  std::vector<fs::path> elf;
  std::uint64_t anchor = 0;
  std::map<std::string, std::optional<ElfFile>> files;  // by path
  fs::file_time_type recorded{};
  std::set<std::string> missing;
  std::set<std::string> changed;             // since then, perhaps
  std::set<std::string> others;              // of another build for sure
  std::optional<std::string> anchored = {};  // the one of `elf` that has the anchor,
  std::uint64_t base = 0;                    // and what to add to its addresses

  const ElfFile* file_at(const fs::path& path) {
    auto place = files.find(path.string());
    if (place == files.end()) place = files.emplace(path.string(), ElfFile::open(path)).first;
    return place->second ? &*place->second : nullptr;
  }

  /// The module's file, or one of that name among those that were given: of the build that was recorded.
  const ElfFile* file_of(const LogModule& module) {
    const auto is_other = [&](const ElfFile& file) {
      return !module.build_id.empty() && !file.build_id().empty() && file.build_id() != module.build_id;
    };
    for (const fs::path& path : elf)
      if (path.filename() == fs::path(module.file).filename())
        if (const ElfFile* file = file_at(path); file != nullptr && !is_other(*file)) return file;
    const ElfFile* file = file_at(module.file);
    if (file == nullptr) {
      if (!module.file.starts_with('[')) missing.insert(module.file);
      return nullptr;
    }
    if (is_other(*file)) {
      others.insert(module.file);
      return nullptr;
    }
    std::error_code ignored;
    const bool is_newer = fs::last_write_time(module.file, ignored) > recorded;
    if (is_newer && (module.build_id.empty() || file->build_id().empty())) changed.insert(module.file);
    return file;
  }

  void find_anchor() {
    for (const fs::path& path : elf) {
      const ElfFile* file = file_at(path);
      if (file == nullptr) missing.insert(path.string());
      const auto address = file == nullptr ? std::nullopt : file->address_of("jcprof_log_anchor");
      if (!address || anchor == 0) continue;
      anchored = path.string();
      base = anchor - *address;
    }
  }
};

Symbols::Symbols(const LogFacts& log, const std::vector<fs::path>& elf)
    : state_(
          new State{.modules = log.modules, .elf = elf, .anchor = log.head.anchor, .recorded = log.written}) {
  state_->find_anchor();
}

Symbols::~Symbols() = default;

StoredSymbol Symbols::at(std::uint64_t address) {
  StoredSymbol symbol{.address = address};
  const auto holds = [&](const LogModule& module) { return module.begin <= address && address < module.end; };
  // Several modules may have lain there, one after the other: the last one counts.
  const auto module = std::find_if(state_->modules.rbegin(), state_->modules.rend(), holds);
  const ElfFile* file = nullptr;
  if (module != state_->modules.rend()) {
    symbol.module = module->file;
    file = state_->file_of(*module);
    const std::uint64_t offset = address - module->begin + module->offset;
    const auto in_file = file == nullptr ? std::nullopt : file->address_of_offset(offset);
    symbol.address = in_file.value_or(offset);
    if (!in_file) file = nullptr;
  } else if (state_->anchored) {
    file = state_->file_at(*state_->anchored);
    if (!file->covers(address - state_->base)) file = nullptr;
    if (file != nullptr) {
      symbol.module = *state_->anchored;
      symbol.address = address - state_->base;
    }
  }
  if (file != nullptr) {
    symbol.build_id = file->build_id();
    file->describe(symbol.address, symbol);
  }
  if (symbol.name.empty()) symbol.name = fmt::format("{:#x}", symbol.address);
  return symbol;
}

std::vector<Warning> Symbols::warnings() const {
  std::vector<Warning> warnings;
  const auto warn = [&](const std::set<std::string>& files, const char* text, const char* advice) {
    for (const std::string& file : files)
      warnings.push_back({.text = fmt::format("{}: {}", file, text), .advice = advice});
  };
  warn(state_->missing, "not a readable ELF file, so its functions have no names",
       "name a copy of it with --elf");
  warn(state_->others, "not the build that was recorded, so its functions have no names",
       "name a copy of that build with --elf, or record again");
  warn(state_->changed, "changed after the recording, so names and lines may be wrong",
       "name the file as it was with --elf, or record again");
  return warnings;
}

}  // namespace jcprof::annotator

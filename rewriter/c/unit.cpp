// SPDX-License-Identifier: Apache-2.0
#include "rewriter/c/unit.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>

#include <clang-c/Index.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "rewriter/c/arguments.hpp"
#include "rewriter/c/cursors.hpp"
#include "rewriter/program_files.hpp"
#include "src/core/install_hint.hpp"

namespace jcprof::rewriter {
namespace {

// Fowler, Noll, Vo 1991
constexpr std::uint64_t fnv_prime = 0x100000001B3;

struct Dispose {
  void operator()(CXIndex index) const { clang_disposeIndex(index); }
  void operator()(CXTranslationUnit unit) const { clang_disposeTranslationUnit(unit); }
};
using Index = std::unique_ptr<void, Dispose>;
using Unit = std::unique_ptr<CXTranslationUnitImpl, Dispose>;

bool has_error(CXTranslationUnit unit) {
  for (unsigned i = 0; i < clang_getNumDiagnostics(unit); ++i) {
    CXDiagnostic diagnostic = clang_getDiagnostic(unit, i);
    const bool is_error = clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error;
    clang_disposeDiagnostic(diagnostic);
    if (is_error) return true;
  }
  return false;
}

/// gcc only warns of it, and clang's tree is whole.
bool is_mere_strictness(CXDiagnostic diagnostic) {
  return taken(clang_getDiagnosticSpelling(diagnostic)).starts_with("fallthrough annotation ");
}

/// gcc takes a parameter of that kind from C++14 on, and clang from C++20 on.
bool is_about_auto_parameter(const Fault& fault) {
  return fault.message == "'auto' not allowed in function prototype";
}

/// The processor, or a feature of it, is one of gcc's.
bool drops_processor(CXDiagnostic diagnostic) {
  return taken(clang_getDiagnosticSpelling(diagnostic)).find("'target") != std::string::npos;
}

/// An empty file is read with it.
bool takes(CXIndex index, const std::vector<std::string>& target, const std::string& flag) {
  constexpr const char* name = "jcprof_flag.cpp";
  std::vector<const char*> words{"clang++", "-Wno-everything"};
  for (const std::string& word : target) words.push_back(word.c_str());
  words.insert(words.end(), {flag.c_str(), name});
  CXUnsavedFile file{.Filename = name, .Contents = "\n", .Length = 1};
  CXTranslationUnit made = nullptr;
  const CXErrorCode code = clang_parseTranslationUnit2FullArgv(
      index, nullptr, words.data(), static_cast<int>(words.size()), &file, 1, CXTranslationUnit_None, &made);
  const Unit unit(made);
  return code == CXError_Success && made != nullptr && !has_error(made);
}

void sort_outer_first(std::vector<CRange>& ranges) {
  std::ranges::sort(ranges, [](const CRange& a, const CRange& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
}

/// Sorted, and without those that lie within another.
std::vector<CRange> outermost(std::vector<CRange> ranges) {
  sort_outer_first(ranges);
  std::vector<CRange> result;
  for (const CRange& range : ranges)
    if (result.empty() || range.begin >= result.back().end) result.push_back(range);
  return result;
}

/// A file that is included again is skipped as a whole the second time; what counts is that it was compiled.
void drop_compiled(CView& view) {
  std::erase_if(view.skipped, [&](const CRange& range) {
    return std::ranges::any_of(view.functions, [&](const CFunction& function) {
      return range.begin <= function.definition && function.definition < range.end;
    });
  });
  view.skipped = outermost(std::move(view.skipped));
}

class UnitReader {
 public:
  UnitReader(const CompileUnit& unit, std::size_t index, const CReadingRoom& room)
      : unit_(unit), index_(index), room_(room) {}

  CUnitReading read() {
    parse();
    if (unit_handle_ == nullptr || !reading_.faults.empty()) return std::move(reading_);
    const CXCursor root = clang_getTranslationUnitCursor(unit_handle_.get());
    clang_getInclusions(unit_handle_.get(), on_inclusion, this);
    clang_visitChildren(root, on_preprocessed, this);
    read_skipped();
    const std::uint64_t switches = switches_digest();
    for (auto& [file, view] : views_) {
      reading_.seen.push_back(file);
      view.definitions = (view.definitions ^ switches) * fnv_prime;
      view.macros = outermost(std::move(view.macros));
      view.markers = outermost(std::move(view.markers));
      if (room_.claims.claim(file, index_, view))
        files_.emplace(file, CSourceFile{.text = &room_.texts[file], .view = &view, .index = file});
    }
    read_functions(unit_handle_.get(), {.source_of = [this](void* file) { return claimed(file); },
                                        .is_cpp = is_cpp(unit_),
                                        .statements_in_constexpr = has_statements_in_constexpr(unit_),
                                        .destructors_in_constexpr = has_destructors_in_constexpr(unit_),
                                        .drops_processors = drops_processors_});
    for (auto& [file, view] : views_)
      if (files_.contains(file)) {
        drop_compiled(view);
        reading_.views.emplace_back(file, std::move(view));
      }
    return std::move(reading_);
  }

 private:
  void parse() {
    const std::vector<std::string> arguments = clang_arguments(unit_, room_.refused);
    parse(arguments);
    if (!std::ranges::any_of(reading_.faults, is_about_auto_parameter) || is_of_clang(unit_)) return;
    reading_.faults.clear();
    parse(with_auto_parameters(arguments));
  }

  void parse(const std::vector<std::string>& arguments) {
    std::vector<const char*> words;
    for (const std::string& argument : arguments) words.push_back(argument.c_str());
    // A header that is a pipe would be waited for.
    constexpr std::string_view refusal = "#error jcprof reads regular files only, and this is none\n";
    std::vector<CXUnsavedFile> irregular;
    for (const std::string& file : room_.irregular)
      irregular.push_back({.Filename = file.c_str(), .Contents = refusal.data(), .Length = refusal.size()});
    CXTranslationUnit made = nullptr;
    const CXErrorCode code = clang_parseTranslationUnit2FullArgv(
        clang_.get(), nullptr, words.data(), static_cast<int>(words.size()), irregular.data(),
        static_cast<unsigned>(irregular.size()),
        CXTranslationUnit_DetailedPreprocessingRecord | CXTranslationUnit_KeepGoing, &made);
    unit_handle_.reset(made);
    if (code != CXError_Success || made == nullptr) {
      reading_.faults.push_back(
          {.message = fmt::format("clang cannot read it (error {})", static_cast<int>(code)),
           .place = {.file = unit_.path},
           .hint = "see the flags that \"compile\" gives for it"});
      return;
    }
    for (unsigned i = 0; i < clang_getNumDiagnostics(made); ++i) {
      CXDiagnostic diagnostic = clang_getDiagnostic(made, i);
      if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error && !is_mere_strictness(diagnostic))
        reading_.faults.push_back(fault(diagnostic));
      drops_processors_ |= drops_processor(diagnostic);
      clang_disposeDiagnostic(diagnostic);
    }
  }

  Fault fault(CXDiagnostic diagnostic) const {
    const CPoint at = point_of(clang_getDiagnosticLocation(diagnostic));
    Fault result{.message = taken(clang_getDiagnosticSpelling(diagnostic)), .place = {.file = unit_.path}};
    result.hint = hint(result.message);
    if (at.file == nullptr) return result;
    result.place = {.file = taken(clang_getFileName(at.file)), .line = at.line, .column = at.column};
    std::size_t size = 0;
    if (const char* content = clang_getFileContents(unit_handle_.get(), at.file, &size); content != nullptr)
      result.place = place_at(result.place.file, std::string_view(content, size), at.offset);
    return result;
  }

  /// A cross compiler brings the headers of its machine.
  std::string hint(const std::string& message) const {
    const std::string compiler = unit_.arguments.empty() ? "cc" : unit_.arguments.front();
    if (message.ends_with("file not found") && file_of_program(compiler, unit_.folder).empty())
      return fmt::format("its compiler, \"{}\", is not there, nor may be its headers: {}", compiler,
                         way_to_install(compiler));
    if (message == "function definition is not allowed here")
      return "clang, by which jcprof reads, has no functions within functions: they are an extension of "
             "gcc's";
    return fmt::format("clang 19 read {} with the flags that \"compile\" gives for it", unit_.path);
  }

  std::optional<std::size_t> source(CXFile file) {
    if (file == nullptr) return std::nullopt;
    if (const auto known = by_handle_.find(file); known != by_handle_.end()) return known->second;
    CXFileUniqueID id = {};
    std::optional<std::size_t> found;
    if (clang_getFileUniqueID(file, &id) == 0)
      if (const auto source = room_.sources.find({id.data[0], id.data[1]}); source != room_.sources.end())
        found = source->second;
    by_handle_.emplace(file, found);
    return found;
  }

  const CSourceFile* claimed(CXFile file) {
    const std::optional<std::size_t> i = source(file);
    const auto found = i ? files_.find(*i) : files_.end();
    return found == files_.end() ? nullptr : &found->second;
  }

  CView* view(CXFile file) {
    const std::optional<std::size_t> i = source(file);
    if (!i) return nullptr;
    CView& view = views_[*i];
    view.is_cpp = is_cpp(unit_);
    return &view;
  }

  static void on_inclusion(CXFile file, CXSourceLocation* /*stack*/, unsigned /*depth*/, CXClientData data) {
    auto* self = static_cast<UnitReader*>(data);
    if (self->view(file) == nullptr) self->reading_.others.push_back(taken(clang_getFileName(file)));
  }

  /// The preprocessor's records come first among the children of a unit.
  static CXChildVisitResult on_preprocessed(CXCursor cursor, CXCursor /*parent*/, CXClientData data) {
    auto* self = static_cast<UnitReader*>(data);
    const CXCursorKind kind = clang_getCursorKind(cursor);
    if (clang_isPreprocessing(kind) == 0) return CXChildVisit_Break;
    if (kind == CXCursor_MacroExpansion) self->macro_use(cursor);
    return CXChildVisit_Continue;
  }

  void macro_use(CXCursor cursor) {
    const CXSourceRange range = clang_getCursorExtent(cursor);
    const CPoint begin = point_of(clang_getRangeStart(range));
    CView* seen = view(begin.file);
    if (seen == nullptr) return;
    const CRange use{begin.offset, point_of(clang_getRangeEnd(range)).offset};
    seen->macros.push_back(use);
    const CPoint definition = point_of(clang_getCursorLocation(clang_getCursorReferenced(cursor)));
    for (const std::uint64_t part : {name_digest(definition.file), std::uint64_t{definition.offset}})
      seen->definitions = (seen->definitions ^ part) * fnv_prime;
    if (taken(clang_getCursorSpelling(cursor)) == "PM_CHECK") seen->markers.push_back(use);
  }

  /// Macros of the command line are defined nowhere, and others by them.
  std::uint64_t switches_digest() const {
    std::uint64_t digest = 0;
    bool is_value = false;
    for (const std::string& word : unit_.arguments) {
      const bool is_switch = word.starts_with("-D") || word.starts_with("-U");
      if (is_switch || is_value) digest = (digest ^ std::hash<std::string>{}(word)) * fnv_prime;
      is_value = is_switch && word.size() == 2;
    }
    return digest;
  }

  std::uint64_t name_digest(CXFile file) {
    const auto [known, is_new] = name_digests_.emplace(file, 0);
    if (is_new && file != nullptr) known->second = std::hash<std::string>{}(taken(clang_getFileName(file)));
    return known->second;
  }

  void read_skipped() {
    const auto dispose = [](CXSourceRangeList* list) { clang_disposeSourceRangeList(list); };
    const std::unique_ptr<CXSourceRangeList, decltype(dispose)> list(
        clang_getAllSkippedRanges(unit_handle_.get()), dispose);
    for (unsigned i = 0; list != nullptr && i < list->count; ++i) {
      const CPoint begin = point_of(clang_getRangeStart(list->ranges[i]));
      if (CView* seen = view(begin.file); seen != nullptr)
        seen->skipped.push_back({begin.offset, point_of(clang_getRangeEnd(list->ranges[i])).offset});
    }
    for (auto& [file, view] : views_) sort_outer_first(view.skipped);
  }

  const CompileUnit& unit_;
  const std::size_t index_;
  const CReadingRoom& room_;
  const Index clang_{clang_createIndex(0, 0)};
  std::unordered_map<void*, std::optional<std::size_t>>
      by_handle_;  // a file has one for each name it is found by
  std::unordered_map<void*, std::uint64_t> name_digests_;
  Unit unit_handle_;
  std::map<std::size_t, CView> views_;
  std::map<std::size_t, CSourceFile> files_;  // that this unit is to read
  CUnitReading reading_;
  bool drops_processors_ = false;
};

}  // namespace

CFileId file_id(const std::filesystem::path& file) {
  struct stat status = {};
  if (stat(file.c_str(), &status) != 0) return {};
  return {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino)};
}

bool CClaims::claim(std::size_t file, std::size_t unit, const CView& view) {
  const std::lock_guard lock(mutex_);
  std::vector<Claim>& claims = claims_[file];
  const auto earlier = [&](const Claim& claim) { return claim.unit < unit && claim.view.same_as(view); };
  if (std::ranges::any_of(claims, earlier)) return false;
  claims.push_back({unit, view});
  return true;
}

RefusedFlags refused_flags(const std::vector<CompileUnit>& units) {
  const Index index(clang_createIndex(0, 0));
  RefusedFlags refused;
  std::map<std::vector<std::string>, std::set<std::string>> asked;
  for (const CompileUnit& unit : units) {
    const std::vector<std::string> target = target_flags(unit);
    std::set<std::string>& of_target = refused[target];
    for (const std::string& flag : doubtful_flags(unit))
      if (asked[target].insert(flag).second && !takes(index.get(), target, flag)) of_target.insert(flag);
  }
  return refused;
}

CUnitReading read_unit(const CompileUnit& unit, std::size_t index, const CReadingRoom& room) {
  return UnitReader(unit, index, room).read();
}

}  // namespace jcprof::rewriter

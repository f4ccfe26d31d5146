// SPDX-License-Identifier: Apache-2.0
#include "rewriter/c/flags.hpp"

#include <memory>

#include <clang-c/Index.h>

#include "rewriter/c/arguments.hpp"

namespace jcprof::rewriter {
namespace {

bool has_error(CXTranslationUnit unit) {
  for (unsigned i = 0; i < clang_getNumDiagnostics(unit); ++i) {
    CXDiagnostic diagnostic = clang_getDiagnostic(unit, i);
    const bool is_error = clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error;
    clang_disposeDiagnostic(diagnostic);
    if (is_error) return true;
  }
  return false;
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
  const std::unique_ptr<CXTranslationUnitImpl, decltype(&clang_disposeTranslationUnit)> unit(
      made, clang_disposeTranslationUnit);
  return code == CXError_Success && made != nullptr && !has_error(made);
}

}  // namespace

RefusedFlags refused_flags(const std::vector<CompileUnit>& units) {
  const std::unique_ptr<void, decltype(&clang_disposeIndex)> index(clang_createIndex(0, 0),
                                                                   clang_disposeIndex);
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

}  // namespace jcprof::rewriter

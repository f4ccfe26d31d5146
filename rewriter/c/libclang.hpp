// SPDX-License-Identifier: Apache-2.0
// Owners of what libclang's C API hands out. Internal to what includes its headers.
#pragma once

#include <memory>

#include <clang-c/Index.h>

namespace jcprof::rewriter {

struct ClangDispose {
  void operator()(CXIndex index) const { clang_disposeIndex(index); }
  void operator()(CXTranslationUnit unit) const { clang_disposeTranslationUnit(unit); }
};
using ClangIndex = std::unique_ptr<void, ClangDispose>;
using ClangUnit = std::unique_ptr<CXTranslationUnitImpl, ClangDispose>;

}  // namespace jcprof::rewriter

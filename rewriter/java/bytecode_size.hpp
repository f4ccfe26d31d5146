// SPDX-License-Identifier: Apache-2.0
// Says, with numbers and the way out, where the instrumented code may not fit onto a card. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace jcprof::rewriter {

struct MethodSize {
  std::string class_name;  // "com/example/Outer$Inner"
  std::string name;
  std::size_t bytes = 0;
};

/// How much bytecode each method of a compiled class has (Java Virtual Machine Specification, chapter 4).
/// Empty where it is no class file, or is cut off.
std::vector<MethodSize> method_sizes(std::string_view class_file);

/// `methods` are those of all compiled classes, empty when nothing was compiled: then the traps alone are
/// judged. `package` is the applet's.
std::vector<std::string> size_notes(const std::vector<MethodSize>& methods, const std::string& package,
                                    std::size_t traps);

}  // namespace jcprof::rewriter

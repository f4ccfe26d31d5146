// SPDX-License-Identifier: Apache-2.0
// How much bytecode the methods of a compiled class have: the Java Virtual Machine Specification, chapter 4,
// as far as that needs it.
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

/// Nothing where it is no class file, or is cut off.
std::vector<MethodSize> method_sizes(std::string_view class_file);

}  // namespace jcprof::rewriter

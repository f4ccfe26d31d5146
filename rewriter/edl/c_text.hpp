// SPDX-License-Identifier: Apache-2.0
// Functions of an EDL as C writes them, for the files of edge. Knows no calling convention.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "rewriter/edl/model.hpp"

namespace jcprof::rewriter {

/// "const char* name", "int name[2][3]"
std::string c_declared(const EdlParameter& parameter);

/// What stands in the parentheses of a declaration; `first` are parameters in front of the EDL's, such as
/// "int* result".
std::string c_parameters(const EdlFunction& function, const std::string& first = "");

/// Replaces each $KEY$ of a template.
std::string c_filled(std::string_view form, const std::map<std::string, std::string>& values);

}  // namespace jcprof::rewriter

// SPDX-License-Identifier: Apache-2.0
#include "rewriter/edl/c_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace jcprof::rewriter {

std::string c_declared(const EdlParameter& parameter) {
  std::string text = parameter.type + " " + parameter.name;
  for (const std::string& dimension : parameter.dimensions) text += fmt::format("[{}]", dimension);
  return text;
}

std::string c_parameters(const EdlFunction& function, const std::string& first) {
  std::vector<std::string> parameters;
  if (!first.empty()) parameters.push_back(first);
  for (const EdlParameter& parameter : function.parameters) parameters.push_back(c_declared(parameter));
  return parameters.empty() ? "void" : fmt::format("{}", fmt::join(parameters, ", "));
}

std::string c_filled(std::string_view form, const std::map<std::string, std::string>& values) {
  std::string text;
  for (std::size_t at = 0; at < form.size();) {
    const std::size_t begin = form.find('$', at);
    const std::size_t end = begin == std::string_view::npos ? begin : form.find('$', begin + 1);
    text += form.substr(at, begin == std::string_view::npos ? begin : begin - at);
    if (begin == std::string_view::npos) return text;
    text += values.at(std::string(form.substr(begin + 1, end - begin - 1)));
    at = end + 1;
  }
  return text;
}

}  // namespace jcprof::rewriter

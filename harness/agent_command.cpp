// SPDX-License-Identifier: Apache-2.0
#include "harness/agent_command.hpp"

#include <fmt/format.h>

#include "src/core/error.hpp"

namespace jcprof::harness {
namespace {

constexpr std::string_view blanks = " \t\n";

class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  std::vector<std::string> words() {
    while ((at_ = std::min(text_.find_first_not_of(blanks, at_), text_.size())) < text_.size()) {
      words_.emplace_back();
      while (at_ < text_.size() && blanks.find(text_[at_]) == std::string_view::npos) take();
    }
    return words_;
  }

 private:
  void take() {
    const char c = text_[at_++];
    if (c == '\'' || c == '"')
      take_quoted(c);
    else if (c == '\\' && at_ < text_.size())
      words_.back() += text_[at_++];
    else
      words_.back() += c;
  }

  void take_quoted(char quote) {
    for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
      const bool escapes = quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size() &&
                           (text_[at_ + 1] == '"' || text_[at_ + 1] == '\\');
      if (escapes) ++at_;
      words_.back() += text_[at_];
    }
    if (at_++ >= text_.size())
      throw UserError(Fault{.message = fmt::format("a quote in \"{}\" is not closed", text_),
                            .hint = "the agent's command is split at blanks; '…', \"…\" and \\ quote"});
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string> words_;
};

}  // namespace

std::vector<std::string> agent_argv(std::string_view text, const Placeholders& values) {
  std::vector<std::string> argv = Splitter(text).words();
  if (argv.empty())
    throw UserError(Fault{.message = "\"agent:\" needs the agent's command behind it",
                          .hint = "such as \"agent:python3 {project}/agent.py\""});
  for (std::string& argument : argv) argument = fill_in(argument, values);
  return argv;
}

}  // namespace jcprof::harness

// SPDX-License-Identifier: Apache-2.0
#include "programs/help.hpp"

#include <cstddef>
#include <memory>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "src/core/text.hpp"

namespace jcprof::cli {
namespace {

constexpr std::size_t screen = 80;
constexpr std::size_t name_columns = 28;

std::string wrapped(const std::string& text, std::size_t width) {
  std::istringstream words(text);
  std::string result;
  std::size_t column = 0;
  for (std::string word; words >> word;) {
    const bool fits = column == 0 || column + 1 + word.size() <= width;
    if (column > 0) result += fits ? ' ' : '\n';
    column = fits && column > 0 ? column + 1 + word.size() : word.size();
    result += word;
  }
  return result;
}

std::string names_of(const std::set<CLI::Option*>& options) {
  std::string names;
  for (const CLI::Option* option : options) names += (names.empty() ? "" : ", ") + option->get_name();
  return names;
}

bool repeats(const CLI::Option* option) {
  return option->get_expected_max() >= CLI::detail::expected_max_vector_size;
}

class Help : public CLI::Formatter {
 public:
  Help() { column_width(name_columns); }

  std::string make_description(const CLI::App* app) const override { return app->get_description() + "\n\n"; }

  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string usage = CLI::Formatter::make_usage(app, name);
    if (app->get_prefix_command()) usage.insert(usage.find('\n'), " -- COMMAND [ARGUMENT]...");
    return usage;
  }

  std::string make_option_usage(const CLI::Option* option) const override {
    const std::string name = make_option_name(option, true);
    const bool lacks_dots = repeats(option) && name.find("...") == std::string::npos;
    const std::string shown = name + (lacks_dots ? "..." : "");
    return option->get_required() ? shown : "[" + shown + "]";
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_positional() || option->get_type_size() == 0) return "";
    return " " + option->get_type_name() + (repeats(option) ? " ..." : "");
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    std::string text = option->get_description();
    if (option->get_required() && !option->get_positional()) text += "; required";
    if (!option->get_needs().empty()) text += fmt::format("; only with {}", names_of(option->get_needs()));
    if (!option->get_excludes().empty())
      text += fmt::format("; not with {}", names_of(option->get_excludes()));
    return wrapped(text, screen - name_columns);
  }

  std::string make_footer(const CLI::App* app) const override { return "Examples:\n" + app->get_footer(); }
};

}  // namespace

void set_up_help(CLI::App& app, const std::string& examples) {
  app.formatter(std::make_shared<Help>());
  app.footer(examples);
  app.set_help_flag("-h,--help", "print this help");
}

Fault unknown_option(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  std::string hint = did_you_mean(word.substr(0, word.find('=')), names);
  if (hint.empty()) hint = fmt::format("`{} --help` lists the options", app.get_name());
  return {.message = fmt::format("{} has no option \"{}\"", app.get_name(), word), .hint = hint};
}

Fault fault_of(const CLI::App& app, const CLI::ParseError& error) {
  for (const std::string& word : app.remaining()) {
    if (word.size() > 1 && word.front() == '-' && word != "--") return unknown_option(app, word);
    if (word == "--" || app.get_prefix_command()) break;  // a command of the user's follows
  }
  const std::string hint = fmt::format("`{} --help` shows how it is called", app.get_name());
  const bool is_extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  if (is_extra && !app.remaining().empty())
    return {.message = fmt::format("\"{}\" is one argument too many", app.remaining().front()), .hint = hint};
  return {.message = error.what(), .hint = hint};
}

}  // namespace jcprof::cli

// SPDX-License-Identifier: Apache-2.0
#include "harness/labgrid/places.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pwd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/core/process.hpp"
#include "src/core/text.hpp"
#include "src/core/unique_fd.hpp"

namespace jcprof::harness {
namespace {

// A coordinator that does not answer is given up by the client itself, sooner.
constexpr std::chrono::minutes longest_look{2};
constexpr std::size_t longest_list = std::size_t{16} << 20U;

std::vector<std::string> listed(std::string_view text) {
  const std::vector<std::string_view> items = split(text, ", ");
  return {items.begin(), items.end()};
}

/// The text behind `key` in a line of a place's.
std::optional<std::string_view> value_in_line(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return std::nullopt;
  return line.substr(key.size());
}

/// A name goes before aliases. An alias may stand in the name space of a user, for whom alone it holds:
/// "alice:board".
std::vector<LabPlace> named(const std::string& name, const std::vector<LabPlace>& all,
                            const std::string& user) {
  if (const auto exact = std::ranges::find(all, name, &LabPlace::name); exact != all.end()) return {*exact};
  std::vector<LabPlace> found;
  std::ranges::copy_if(all, std::back_inserter(found), [&](const LabPlace& place) {
    return std::ranges::any_of(place.aliases, [&](const std::string& alias) {
      return alias == name || alias == fmt::format("{}:{}", user, name);
    });
  });
  return found;
}

std::string names_of(const std::vector<LabPlace>& places) {
  std::vector<std::string> names;
  std::ranges::transform(places, std::back_inserter(names), &LabPlace::name);
  return fmt::format("{}", fmt::join(names, ", "));
}

bool has_tags(const LabPlace& place, const std::vector<std::string>& tags) {
  return std::ranges::all_of(tags, [&](const std::string& tag) {
    return tag == "name=" + place.name || std::ranges::find(place.tags, tag) != place.tags.end();
  });
}

}  // namespace

std::vector<LabPlace> read_places(std::string_view text) {
  std::vector<LabPlace> places;
  for (const std::string_view line : lines_of(text)) {
    if (auto name = value_in_line(line, "Place '"))
      places.push_back({.name = std::string(name->substr(0, name->rfind('\'')))});
    if (places.empty()) continue;
    if (const auto aliases = value_in_line(line, "  aliases: ")) places.back().aliases = listed(*aliases);
    if (const auto tags = value_in_line(line, "  tags: ")) places.back().tags = listed(*tags);
    if (const auto holder = value_in_line(line, "  acquired: "); holder && *holder != "None")
      places.back().holder = *holder;
  }
  return places;
}

std::string lab_user() {
  if (const char* const user = std::getenv("LG_USERNAME")) return user;
  for (const char* variable : {"LOGNAME", "USER", "LNAME", "USERNAME"})
    if (const char* const user = std::getenv(variable); user != nullptr && *user != '\0') return user;
  passwd entry{};
  passwd* us = nullptr;
  std::array<char, 16384> texts{};
  ::getpwuid_r(::getuid(), &entry, texts.data(), texts.size(), &us);
  return us == nullptr ? "" : us->pw_name;
}

std::vector<LabPlace> places_at(const LabAddress& address, const std::vector<LabPlace>& all,
                                const std::string& user) {
  std::vector<LabPlace> found;
  if (address.place.empty())
    std::ranges::copy_if(all, std::back_inserter(found),
                         [&](const LabPlace& place) { return has_tags(place, address.tags); });
  else
    found = named(address.place, all, user);
  if (!address.place.empty() && found.size() > 1)
    throw UserError(Fault{.message = fmt::format("\"{}\" is an alias of several places of labgrid: {}",
                                                 address.place, names_of(found)),
                          .hint = "use the name of the place itself"});
  if (!found.empty()) return found;
  if (address.place.empty())
    throw UserError(Fault{
        .message = fmt::format("no place of labgrid has the tags \"{}\"", fmt::join(address.tags, ", ")),
        .hint = "`labgrid-client -v places` shows the tags of each"});
  std::vector<std::string> names;
  std::ranges::transform(all, std::back_inserter(names), &LabPlace::name);
  const std::string guess = did_you_mean(address.place, names);
  throw UserError(Fault{.message = fmt::format("labgrid has no place \"{}\"", address.place),
                        .hint = guess.empty() ? "`labgrid-client places` lists them" : guess});
}

std::string cause_in(std::string_view said) {
  while (said.ends_with('\n')) said.remove_suffix(1);
  std::string_view line = said.substr(said.find_last_of('\n') + 1);
  for (const std::string_view prefix : {"labgrid-client: ", "Server error: ", "Error: "})
    if (line.starts_with(prefix)) line.remove_prefix(prefix.size());
  return std::string(line);
}

UserError lab_error(const std::string& doing, std::string_view said) {
  const std::string cause = cause_in(said);
  if (cause.find("connect to coordinator") == std::string::npos)
    return environment_error(fmt::format("{}: {}", doing, cause),
                             "labgrid-client must do the same on the command line");
  const char* const named = std::getenv("LG_COORDINATOR");
  return environment_error(
      fmt::format("{}: no coordinator of labgrid answers at \"{}\"", doing,
                  named == nullptr ? "127.0.0.1:20408" : named),
      "start it, or name it by LG_COORDINATOR=HOST:PORT; `labgrid-client places` tries it");
}

const std::vector<std::pair<std::string, std::string>>& client_environment() {
  static const std::vector<std::pair<std::string, std::string>> none{
      {"LG_ENV", ""}, {"LG_STATE", ""}, {"LG_INITIAL_STATE", ""}};
  return none;
}

std::vector<LabPlace> places_of_lab() {
  const UniqueFd list(::memfd_create("places", MFD_CLOEXEC));
  if (list.get() < 0) throw environment_error("cannot make a file in memory", "too many files are open");
  ProcessResult result;
  try {
    result = run_and_wait({.argv = {"labgrid-client", "-v", "places"},
                           .cwd = std::filesystem::current_path(),
                           .environment = client_environment()},
                          {.keep_bytes = longest_list, .descriptor = list.get()}, longest_look);
  } catch (const UserError&) {
    throw environment_error("labgrid-client cannot be started, and the transport is \"labgrid:\"",
                            "`pip install labgrid` brings it; its folder must be in PATH");
  }
  if (result.exit_status != 0 || result.timed_out)
    throw lab_error("labgrid-client lists no places", result.timed_out ? "it does not end" : result.tail);
  std::string text(size_of_file(list.get()), '\0');
  const ssize_t size = ::pread(list.get(), text.data(), text.size(), 0);
  return read_places(std::string_view(text).substr(0, static_cast<std::size_t>(std::max<ssize_t>(size, 0))));
}

}  // namespace jcprof::harness

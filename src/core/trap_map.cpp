// SPDX-License-Identifier: Apache-2.0
#include "src/core/trap_map.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "src/core/object_reader.hpp"

namespace jcprof {
namespace {

constexpr std::string_view map_format = "jcprof-traps";
constexpr std::uint64_t map_version = 1;
// In a warning.
constexpr std::size_t most_named = 5;

template <class Names>
std::string some_of(const Names& names) {
  const std::size_t named = std::min(names.size(), most_named);
  const auto end = std::next(names.begin(), static_cast<std::ptrdiff_t>(named));
  const std::string others = names.size() > named ? fmt::format(" and {} others", names.size() - named) : "";
  return fmt::format("{}{}", fmt::join(names.begin(), end, ", "), others);
}

using Text = fmt::memory_buffer;

void add_line(Text& to, const SourceDigest& source) {
  fmt::format_to(std::back_inserter(to), R"({{"path":{},"sha256":"{}"}})", json_string(source.path),
                 source.sha256);
}

void add_line(Text& to, const Trap& trap) {
  fmt::format_to(
      std::back_inserter(to),
      R"({{"id":{},"key":{},"name":{},"kind":"{}","function":{},"path":{},"line":{},"column":{},"offset":{},"end_line":{},"end_offset":{},"guards":{})",
      number(trap.id), json_string(trap.key), json_string(trap.name), name_of(trap.kind),
      json_string(trap.function), json_string(trap.path), trap.line, trap.column, trap.offset, trap.end_line,
      trap.end_offset, trap.guards);
  if (!trap.unseen.empty())
    fmt::format_to(std::back_inserter(to), R"(,"unseen":{})", json_string(trap.unseen));
  to.push_back('}');
}

void add_line(Text& to, const LeftOutFunction& one) {
  fmt::format_to(std::back_inserter(to), R"({{"function":{},"calls":{}}})", json_string(one.function),
                 one.calls);
}

void add_line(Text& to, const UnreadSource& source) {
  fmt::format_to(std::back_inserter(to), R"({{"path":{},"reason":{}}})", json_string(source.path),
                 json_string(source.reason));
}

template <class Items>
void add_lines(Text& to, const Items& items) {
  to.append(std::string_view("[\n"));
  for (const auto& item : items) {
    if (&item != &items.front()) to.append(std::string_view(",\n"));
    add_line(to, item);
  }
  to.append(std::string_view("\n]"));
}

/// Everything that the build is a digest of.
Text content_of(const TrapMap& map) {
  Text text;
  const auto end = std::back_inserter(text);
  fmt::format_to(end, "{{\"format\":\"{}\",\"version\":{},\"language\":{},\n\"sources\":", map_format,
                 map_version, json_string(map.language));
  add_lines(text, map.sources);
  text.append(std::string_view(",\n\"traps\":"));
  add_lines(text, map.traps);
  if (map.card != CardArming{})
    fmt::format_to(end, ",\n\"card\":{{\"cla\":\"{:02x}\",\"ins\":\"{:02x}\",\"stop_status\":\"{:04x}\"}}",
                   map.card.cla, map.card.ins, map.card.stop_status);
  if (map.command != 0) fmt::format_to(end, ",\n\"arming\":{{\"command\":{}}}", map.command);
  return text;
}

std::string_view view_of(const Text& text) {
  return {text.data(), text.size()};
}

std::uint32_t build_of_content(const Text& content) {
  const std::string digest = sha256(view_of(content));
  std::uint32_t build = 0;
  std::from_chars(digest.data(), digest.data() + 8, build, 16);
  return build;
}

/// Exactly `digits` lower-case hexadecimal digits.
struct LowerHex {
  std::size_t digits;

  void operator()(const JsonNode& node, std::string& to, JsonFaults& faults) const {
    const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    if (node.kind == JsonKind::string && node.text.size() == digits &&
        std::ranges::all_of(node.text, is_digit))
      to = node.text;
    else
      faults.add(node, fmt::format("{} lower-case hexadecimal digits are expected here", digits));
  }
  template <class T>
  void operator()(const JsonNode& node, T& to, JsonFaults& faults) const {
    std::string text;
    (*this)(node, text, faults);
    std::from_chars(text.data(), text.data() + text.size(), to, 16);
  }
};

/// A file of somebody else must not make us read or write outside of the project.
void read_source_path(const JsonNode& node, std::string& to, JsonFaults& faults) {
  read_string(node, to, faults);
  const std::filesystem::path path(to);
  if (path.is_absolute() || std::ranges::find(path, "..") != path.end() || to.find('\\') != std::string::npos)
    faults.add(node, fmt::format("\"{}\" is not a path within the project", to));
}

void read_kind(const JsonNode& node, TrapKind& to, JsonFaults& faults) {
  if (!is_kind(node, JsonKind::string, faults)) return;
  if (const std::optional<TrapKind> kind = trap_kind(node.text))
    to = *kind;
  else
    faults.add(node, fmt::format("unknown kind of trap \"{}\"", node.text));
}

void read_source(const JsonNode& node, SourceDigest& to, JsonFaults& faults) {
  ObjectReader object(node, faults);
  object.required("path", to.path, read_source_path);
  object.required("sha256", to.sha256, LowerHex{64});
  object.refuse_the_rest();
}

void read_trap(const JsonNode& node, Trap& to, JsonFaults& faults) {
  ObjectReader object(node, faults);
  object.required("id", to.id, Natural{.lowest = 1, .highest = UINT32_MAX});
  object.required("key", to.key, read_string);
  object.required("name", to.name, read_string);
  object.required("kind", to.kind, read_kind);
  object.required("function", to.function, read_string);
  object.required("path", to.path, read_source_path);
  object.required("line", to.line, Natural{.lowest = 1});
  object.required("column", to.column, Natural{.lowest = 1});
  object.required("offset", to.offset, Natural{});
  to.end_line = to.line;
  to.end_offset = to.offset;
  object.optional("end_line", to.end_line, Natural{.lowest = 1});
  object.optional("end_offset", to.end_offset, Natural{});
  object.optional("guards", to.guards, Natural{.highest = UINT32_MAX});
  object.optional("unseen", to.unseen, read_string);
  object.refuse_the_rest();
}

void read_traps(const JsonNode& node, std::vector<Trap>& to, JsonFaults& faults) {
  if (!is_kind(node, JsonKind::array, faults)) return;
  for (const JsonNode& element : node.elements) {
    Trap& trap = to.emplace_back();
    read_trap(element, trap, faults);
    if (number(trap.id) != to.size())
      faults.add(element, fmt::format("trap {} is expected here, not {}", to.size(), number(trap.id)));
    if (trap.end_line < trap.line || trap.end_offset < trap.offset)
      faults.add(element, fmt::format("trap {} ends before it begins", to.size()));
  }
}

void read_left_out(const JsonNode& node, LeftOutFunction& to, JsonFaults& faults) {
  ObjectReader object(node, faults);
  object.required("function", to.function, read_string);
  object.required("calls", to.calls, Natural{});
  object.refuse_the_rest();
}

void read_unread(const JsonNode& node, UnreadSource& to, JsonFaults& faults) {
  ObjectReader object(node, faults);
  object.required("path", to.path, read_string);
  object.required("reason", to.reason, read_string);
  object.refuse_the_rest();
}

template <auto read>
struct ListOf {
  template <class T>
  void operator()(const JsonNode& node, std::vector<T>& to, JsonFaults& faults) const {
    if (!is_kind(node, JsonKind::array, faults)) return;
    for (const JsonNode& element : node.elements) read(element, to.emplace_back(), faults);
  }
};

void read_card(const JsonNode& node, CardArming& to, JsonFaults& faults) {
  ObjectReader object(node, faults);
  object.required("cla", to.cla, LowerHex{2});
  object.required("ins", to.ins, LowerHex{2});
  object.required("stop_status", to.stop_status, LowerHex{4});
  object.refuse_the_rest();
}

void read_command(const JsonNode& node, std::uint32_t& to, JsonFaults& faults) {
  ObjectReader object(node, faults);
  object.required("command", to, Natural{.lowest = 1, .highest = UINT32_MAX});
  object.refuse_the_rest();
}

void read_format(const JsonNode& node, std::string& to, JsonFaults& faults) {
  to = node.text;
  if (node.text != map_format)
    faults.add(node, fmt::format("\"format\" is not \"{}\": this is no trap map", map_format));
  faults.throw_if_any();
}

void read_version(const JsonNode& node, std::uint64_t& to, JsonFaults& faults) {
  to = node.natural.value_or(0);
  if (to > map_version)
    faults.add(node,
               fmt::format("version {} of the trap map is newer than version {}, which this jcprof {} reads",
                           to, map_version, JCPROF_VERSION),
               "use the jcprof that wrote it, or run jcprof-gen again");
  else if (to != map_version)
    faults.add(node, fmt::format("there is no such version; this jcprof reads version {}", map_version));
  faults.throw_if_any();
}

void check_paths_are_sources(const JsonNode& traps, const TrapMap& map, JsonFaults& faults) {
  if (map.sources.empty()) return;  // written by hand, for a target whose sources nobody looks at
  std::set<std::string_view> paths;
  for (const SourceDigest& source : map.sources) paths.insert(source.path);
  for (std::size_t i = 0; i < map.traps.size(); ++i)
    if (!paths.contains(map.traps[i].path))
      faults.add(traps.elements[i], fmt::format("\"{}\" is not among the sources", map.traps[i].path));
}

}  // namespace

const Trap& TrapMap::at(TrapId id) const {
  check(number(id) >= 1 && number(id) <= traps.size(), "a trap that is asked for is in the map");
  return traps[number(id) - 1];
}

std::string digest_of(const TrapMap& map) {
  return sha256(view_of(content_of(map)));
}

std::uint32_t build_of(const TrapMap& map) {
  return build_of_content(content_of(map));
}

std::string in_words(const LeftOutFunction& function) {
  return fmt::format("{} (about {} calls)", function.function, function.calls);
}

std::vector<Warning> warnings_of_left_out(const TrapMap& map) {
  std::vector<Warning> warnings;
  const auto warn = [&](std::string_view which, const std::vector<std::string>& names, std::string advice) {
    if (!names.empty())
      warnings.push_back(
          {.text = fmt::format("these {}: {}. Their time counts for their callers", which, some_of(names)),
           .advice = std::move(advice)});
  };
  std::vector<std::string> functions;
  for (const LeftOutFunction& one : map.left_out) functions.push_back(in_words(one));
  warn("functions have no traps, because they are called too often", functions,
       "`jcprof record` or perf shows their own time");
  std::vector<std::string> sources;
  for (const UnreadSource& source : map.unread)
    sources.push_back(fmt::format("{} ({})", source.path, source.reason));
  warn("sources have no traps, because jcprof cannot read them", sources,
       "if the build makes a file that they include, build the project in its own folder first");
  return warnings;
}

std::vector<Warning> warnings_of_unseen(const TrapMap& map, const std::vector<bool>& passed) {
  std::map<std::string, std::set<std::string>> functions;  // by reason
  for (const Trap& trap : map.traps)
    if (!trap.unseen.empty() && passed[number(trap.id) - 1]) functions[trap.unseen].insert(trap.function);
  std::vector<Warning> warnings;
  for (const auto& [reason, names] : functions)
    warnings.push_back({.text = fmt::format("{}: {}", some_of(names), reason)});
  return warnings;
}

std::string write_trap_map(const TrapMap& map) {
  Text text = content_of(map);
  const std::uint32_t build = build_of_content(text);
  const auto add = [&](std::string_view name, const auto& items) {
    if (items.empty()) return;
    fmt::format_to(std::back_inserter(text), ",\n\"{}\":", name);
    add_lines(text, items);
  };
  add("left_out", map.left_out);
  add("unread", map.unread);
  fmt::format_to(std::back_inserter(text), ",\n\"build\":\"{:08x}\"}}\n", build);
  return fmt::to_string(text);
}

TrapMap parse_trap_map(const std::string& file, std::string_view text) {
  JsonFaults faults(file, text);
  const JsonNode root = parse_json(text, faults);
  TrapMap map;
  std::string format;
  std::uint64_t version = 0;
  ObjectReader object(root, faults);
  object.required("format", format, read_format);
  object.required("version", version, read_version);
  object.required("language", map.language, read_string);
  object.required("sources", map.sources, ListOf<read_source>{});
  object.required("traps", map.traps, read_traps);
  object.optional("card", map.card, read_card);
  object.optional("arming", map.command, read_command);
  object.optional("left_out", map.left_out, ListOf<read_left_out>{});
  object.optional("unread", map.unread, ListOf<read_unread>{});
  const bool has_build = object.optional("build", map.build, LowerHex{8});
  object.refuse_the_rest();
  faults.throw_if_any();
  check_paths_are_sources(*object.find("traps"), map, faults);
  const std::uint32_t build = build_of(map);
  if (!has_build) map.build = build;
  if (map.build != build)
    faults.add(*object.find("build"), "the trap map was changed after jcprof-gen wrote it",
               "run jcprof-gen again");
  faults.throw_if_any();
  return map;
}

TrapMap read_trap_map(const std::filesystem::path& file) {
  return parse_trap_map(file.string(), read_file(file));
}

}  // namespace jcprof

// SPDX-License-Identifier: Apache-2.0
#include "tests/support/export_readers.hpp"

#include <algorithm>
#include <iterator>
#include <regex>
#include <sstream>
#include <stdexcept>

#include <zlib.h>
#include <nlohmann/json.hpp>
#include <protozero/pbf_reader.hpp>

namespace jcprof::test {
namespace {

std::vector<std::string> split(const std::string& text, const std::string& at) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(at); end != std::string::npos; end = text.find(at, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + at.size();
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> lines = split(text, "\n");
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

bool is_place(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  return colon != std::string::npos && colon + 1 < text.size() &&
         text.find_first_not_of("0123456789", colon + 1) == std::string::npos;
}

/// "f (A.java:12)", or a name alone.
Frame frame_of(const std::string& text) {
  const std::size_t open = text.rfind(" (");
  if (open != std::string::npos && text.ends_with(')')) {
    const std::string place = text.substr(open + 2, text.size() - open - 3);
    if (is_place(place)) return {.name = common_name(text.substr(0, open)), .file = "", .place = place};
  }
  return {.name = common_name(text), .file = ""};
}

std::string unpacked(const std::string& gzip) {
  z_stream stream{};
  if (inflateInit2(&stream, MAX_WBITS + 16) != Z_OK) throw std::runtime_error("zlib does not begin");
  std::string text;
  std::string room(std::size_t{1} << 20U, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));
  stream.avail_in = static_cast<uInt>(gzip.size());
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(room.data());
    stream.avail_out = static_cast<uInt>(room.size());
    status = inflate(&stream, Z_NO_FLUSH);
    text.append(room, 0, room.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("the gzip file is damaged");
  return text;
}

using Fields = std::map<std::uint32_t, std::int64_t>;  // numbers of a message

Fields numbers_in(protozero::pbf_reader message) {
  Fields fields;
  while (message.next())
    if (message.wire_type() == protozero::pbf_wire_type::varint)
      fields[message.tag()] = message.get_int64();
    else
      message.skip();
  return fields;
}

}  // namespace

std::string common_name(std::string name) {
  std::ranges::replace(name, ' ', '_');
  std::ranges::replace(name, ';', '_');
  return name.empty() || name == "???" ? "?" : name;
}

std::string common_place(const std::string& file, std::int64_t line) {
  if (file.empty() || file == "???") return "";
  return file.substr(file.rfind('/') + 1) + ":" + std::to_string(line);
}

std::vector<Stack> stacks_in_folded(const std::string& text) {
  std::vector<Stack> stacks;
  for (const std::string& line : lines_in(text)) {
    const std::size_t number = line.rfind(' ');
    std::vector<std::string> frames = split(line.substr(0, number), ";");
    Stack stack{.calls = {}, .line = {}, .cost = std::stod(line.substr(number))};
    // A thread has the name that it gave itself, and is the first one.
    const bool has_line = frames.size() > 1 && is_place(frames.back());
    const std::string place = has_line ? frames.back() : "";
    if (has_line) frames.pop_back();
    for (const std::string& frame : frames) stack.calls.push_back(frame_of(frame));
    if (has_line) stack.line = {.name = stack.calls.back().name, .file = "", .place = place};
    stacks.push_back(std::move(stack));
  }
  return stacks;
}

std::vector<Stack> stacks_in_speedscope(const std::string& text) {
  const auto document = nlohmann::json::parse(text);
  std::vector<Frame> frames;
  std::vector<bool> is_line;
  for (const auto& frame : document.at("shared").at("frames")) {
    const auto name = frame.at("name").get<std::string>();
    const auto file = frame.value("file", std::string());
    const std::string place = common_place(file, frame.value("line", std::int64_t{0}));
    frames.push_back({.name = common_name(name), .file = file, .place = place});
    is_line.push_back(!place.empty() && name == place);
  }
  std::vector<Stack> stacks;
  for (const auto& profile : document.at("profiles"))
    for (std::size_t i = 0; i < profile.at("samples").size(); ++i) {
      Stack stack{.calls = {}, .line = {}, .cost = profile.at("weights").at(i).get<double>()};
      for (const auto& index : profile.at("samples").at(i)) {
        const auto at = index.get<std::size_t>();
        if (is_line.at(at))
          stack.line = frames[at];
        else
          stack.calls.push_back(frames.at(at));
      }
      stacks.push_back(std::move(stack));
    }
  return stacks;
}

Callgrind read_callgrind(const std::string& text) {
  Callgrind result;
  std::map<std::string, std::string> names;  // by kind and number
  const auto named = [&](const char* kind, const std::string& line) {
    const std::string word = line.substr(line.find('=') + 1);
    const std::size_t end = word.find(')') + 1;
    std::string& name = names[kind + word.substr(0, end)];
    if (end < word.size()) name = word.substr(end + 1);
    return name;
  };
  std::string file, function, callee, callee_file;
  std::string called_at;  // line of the callee, behind "calls="
  for (const std::string& line : lines_in(text)) {
    if (line.starts_with("fl=") || line.starts_with("fi=") || line.starts_with("fe="))
      file = named("file", line);
    if (line.starts_with("fn=")) function = named("function", line);
    if (line.starts_with("cfi=")) callee_file = named("file", line);
    if (line.starts_with("cfn=")) callee = named("function", line);
    if (line.starts_with("calls=")) called_at = line.substr(line.find(' ') + 1);
    if (line.starts_with("summary: ")) result.summary = std::stoll(line.substr(9));
    if (line.starts_with("totals: ")) result.totals = std::stoll(line.substr(8));
    if (line.empty() || line.front() < '0' || line.front() > '9') continue;
    const std::int64_t cost = std::stoll(line.substr(line.find(' ')));
    if (called_at.empty())
      result.own[{common_name(function), common_place(file, std::stoll(line))}] += cost;
    else
      result.called[{common_name(callee), common_place(callee_file, std::stoll(called_at))}] += cost;
    called_at.clear();
  }
  return result;
}

WholeTicks own_costs_in_pprof(const std::string& gzip) {
  enum Tag : std::uint32_t { sample = 2, location = 4, function = 5, string_table = 6 };
  const std::string bytes = unpacked(gzip);
  std::vector<std::string> strings;
  std::map<std::int64_t, Fields> functions;                    // id 1, name 2, file 4
  std::map<std::int64_t, Fields> places;                       // by location: function 1, line 2
  std::vector<std::pair<std::int64_t, std::int64_t>> samples;  // location and cost
  for (protozero::pbf_reader all(bytes); all.next();) {
    if (all.tag() == string_table) {
      strings.push_back(all.get_string());
    } else if (all.tag() == function) {
      const Fields fields = numbers_in(all.get_message());
      functions[fields.at(1)] = fields;
    } else if (all.tag() == location) {
      const protozero::pbf_reader message = all.get_message();
      protozero::pbf_reader line = message;
      line.next(4);
      places[numbers_in(message).at(1)] = numbers_in(line.get_message());
    } else if (all.tag() == sample) {
      std::pair<std::int64_t, std::int64_t> one;
      for (protozero::pbf_reader message = all.get_message(); message.next();)
        if (message.tag() == 1)
          one.first = static_cast<std::int64_t>(*message.get_packed_uint64().begin());
        else if (message.tag() == 2)
          one.second = *std::next(message.get_packed_int64().begin());
        else
          message.skip();
      samples.push_back(one);
    } else {
      all.skip();
    }
  }
  const auto string = [&](Fields& fields, std::uint32_t tag) {
    return strings.at(static_cast<std::size_t>(fields[tag]));
  };
  WholeTicks costs;
  for (const auto& [id, cost] : samples) {
    Fields& place = places.at(id);
    Fields& owner = functions.at(place.at(1));
    costs[{common_name(string(owner, 2)), common_place(string(owner, 4), place[2])}] += cost;
  }
  return costs;
}

std::vector<std::vector<std::string>> rows_in_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' && is_quoted && i + 1 < text.size() && text[i + 1] == '"')
      row.back() += text[++i];
    else if (text[i] == '"')
      is_quoted = !is_quoted;
    else if (text[i] == ',' && !is_quoted)
      row.emplace_back();
    else if (text[i] == '\n' && !is_quoted)
      rows.push_back(std::exchange(row, {""}));
    else if (text[i] != '\r' || is_quoted)
      row.back() += text[i];
  }
  if (!rows.empty()) rows.erase(rows.begin());
  return rows;
}

std::vector<std::vector<std::string>> rows_in_table(const std::string& text) {
  static const std::regex gap("  +");
  std::vector<std::vector<std::string>> rows;
  for (const std::string& line : lines_in(text)) {
    std::vector<std::string>& cells = rows.emplace_back();
    std::copy_if(std::sregex_token_iterator(line.begin(), line.end(), gap, -1), std::sregex_token_iterator(),
                 std::back_inserter(cells), [](const auto& cell) { return cell.length() > 0; });
    // A number with fewer digits than the column is wide begins with a blank.
    for (std::string& cell : cells) cell.erase(0, cell.find_first_not_of(' '));
  }
  if (!rows.empty()) rows.erase(rows.begin());
  return rows;
}

}  // namespace jcprof::test

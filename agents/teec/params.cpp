// SPDX-License-Identifier: Apache-2.0
#include "agents/teec/params.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agents/request.hpp"
#include "src/core/hex.hpp"
#include "src/core/name_table.hpp"
#include "src/core/project_text.hpp"

namespace jcprof::teec {
namespace {

using agents::mistake;
using nlohmann::json;

// A TA's whole memory is smaller.
constexpr std::size_t largest_memory = std::size_t{16} << 20U;

constexpr NameTable<Direction, 3> directions{
    {{Direction::in, "in"}, {Direction::out, "out"}, {Direction::inout, "inout"}}};

Direction direction_of(const json& param, const char* key, const std::string& where) {
  const json& value = param.at(key);
  const auto direction =
      value.is_string() ? value_in(directions, value.get<std::string>()) : std::optional<Direction>();
  if (!direction)
    throw mistake(fmt::format("{}: \"{}\" is {}", where, key, value.dump()),
                  R"(there are "in", "out" and "inout")");
  return *direction;
}

Number number_or_input(const json& param, const char* key, const std::string& where) {
  if (!param.contains(key)) return 0;
  if (param.at(key) == "{input}") return std::nullopt;
  return read_number(param.at(key), fmt::format("{}: \"{}\"", where, key));
}

Bytes bytes_of(std::string_view hex, const std::string& where) {
  std::optional<Bytes> bytes = parse_hex(hex);
  if (!bytes) throw mistake(fmt::format("{}: \"{}\" is no hex of whole bytes", where, hex));
  return std::move(*bytes);
}

std::vector<std::optional<Bytes>> pieces_of(const std::string& text, const std::string& where) {
  std::vector<std::optional<Bytes>> pieces;
  std::size_t at = 0;
  while (const auto use = next_placeholder(text, at)) {
    if (use->name != "input")
      throw mistake(fmt::format("{}: \"{{{}}}\" is not known here", where, use->name), "{input} is");
    pieces.emplace_back(bytes_of(std::string_view(text).substr(at, use->offset - at), where));
    pieces.emplace_back(std::nullopt);
    at = use->offset + use->length;
  }
  pieces.emplace_back(bytes_of(std::string_view(text).substr(at), where));
  return pieces;
}

bool flag_of(const json& param, const char* key, const std::string& where) {
  const json flag = param.value(key, json(false));
  if (!flag.is_boolean()) throw mistake(fmt::format("{}: \"{}\" is true or false", where, key));
  return flag.get<bool>();
}

ParamSpec read_param(const json& param, const std::string& where, std::uint32_t& next_block) {
  if (param.is_null()) return {};
  if (param.is_object() && param.contains("value")) {
    agents::refuse_others(param, where, {"value", "a", "b"});
    return ValueSpec{.direction = direction_of(param, "value", where),
                     .a = number_or_input(param, "a", where),
                     .b = number_or_input(param, "b", where)};
  }
  if (!param.is_object() || !param.contains("memref"))
    throw mistake(fmt::format("{} is neither a value nor a memref, nor null", where),
                  R"(such as {"value": "in", "a": 1} or {"memref": "in", "bytes": "{input}"})");
  agents::refuse_others(param, where, {"memref", "bytes", "size", "shared", "part_of", "at", "null"});
  const bool is_part = param.contains("part_of");
  MemorySpec spec{.direction = direction_of(param, "memref", where),
                  .pieces = pieces_of(agents::text_of(param, "bytes"), where + ": \"bytes\""),
                  .size = agents::natural(param, "size", 0, largest_memory),
                  .block = is_part || flag_of(param, "shared", where) ? next_block++ : 0,
                  .whole = static_cast<std::uint32_t>(agents::natural(param, "part_of", 0, largest_memory)),
                  .at = static_cast<std::uint32_t>(agents::natural(param, "at", 0, largest_memory)),
                  .is_null = flag_of(param, "null", where)};
  if (is_part && spec.whole == 0) throw mistake(where + ": \"part_of\" is 0: a part of nothing");
  if (param.contains("at") && !is_part)
    throw mistake(where + ": \"at\" without \"part_of\"",
                  R"(such as {"memref": "in", "part_of": 4096, "at": 64})");
  if (spec.is_null && (param.contains("bytes") || spec.block != 0))
    throw mistake(where + ": \"null\" has no bytes and is not shared",
                  R"(such as {"memref": "out", "null": true})");
  return spec;
}

struct Filling {
  const Bytes& input;

  Param operator()(std::monostate) const { return {}; }
  Param operator()(const ValueSpec& spec) const {
    return Value{.direction = spec.direction,
                 .a = spec.a ? *spec.a : number_of_input(),
                 .b = spec.b ? *spec.b : number_of_input()};
  }
  Param operator()(const MemorySpec& spec) const {
    Memory memory{.direction = spec.direction,
                  .block = spec.block,
                  .whole = spec.whole,
                  .at = spec.at,
                  .is_null = spec.is_null};
    if (spec.is_null) {
      memory.size = static_cast<std::uint32_t>(spec.size);
      return memory;
    }
    for (const std::optional<Bytes>& piece : spec.pieces) {
      const Bytes& bytes = piece ? *piece : input;
      memory.bytes.insert(memory.bytes.end(), bytes.begin(), bytes.end());
    }
    memory.bytes.resize(std::max(memory.bytes.size(), spec.size));
    if (spec.whole != 0 && spec.at + memory.bytes.size() > spec.whole)
      throw mistake(fmt::format("a reference of {} bytes at {} is no part of a block of {}",
                                memory.bytes.size(), spec.at, spec.whole));
    return memory;
  }

 private:
  std::uint32_t number_of_input() const {
    if (input.size() > sizeof(std::uint32_t))
      throw mistake(fmt::format("an input of {} bytes is no number of 32 bits", input.size()));
    std::uint32_t number = 0;
    for (const std::uint8_t byte : input) number = number << 8U | byte;
    return number;
  }
};

bool comes_back(Direction direction) {
  return direction != Direction::in;
}

}  // namespace

std::uint32_t read_number(const json& value, const std::string& where) {
  if (value.is_number_unsigned() && value.get<std::uint64_t>() <= UINT32_MAX) return value;
  const std::string text = value.is_string() ? value.get<std::string>() : "";
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  const bool is_octal = !is_hex && text.size() > 1 && text.front() == '0';
  const char* end = text.data() + text.size();
  std::uint32_t number = 0;
  const auto [stop, error] = std::from_chars(text.data() + (is_hex ? 2 : 0), end, number,
                                             is_hex     ? 16
                                             : is_octal ? 8
                                                        : 10);
  if (error == std::errc() && stop == end) return number;
  throw mistake(fmt::format("{} is {}, no number of 32 bits", where, value.dump()));
}

std::array<ParamSpec, 4> read_params(const json& list, const std::string& where, std::uint32_t& next_block) {
  std::array<ParamSpec, 4> params;
  if (!list.is_array() || list.size() > params.size())
    throw mistake(fmt::format("{} is no list of at most four parameters", where));
  for (std::size_t i = 0; i < list.size(); ++i)
    params.at(i) = read_param(list.at(i), fmt::format("{}[{}]", where, i), next_block);
  return params;
}

Invocation read_invocation(const json& object, const std::string& where, std::uint32_t& next_block) {
  if (!object.contains("command")) throw mistake(fmt::format("{} has no \"command\"", where));
  return {.command = read_number(object.at("command"), where + ": \"command\""),
          .params = read_params(object.value("params", json::array()), where + ": \"params\"", next_block)};
}

Params filled(const std::array<ParamSpec, 4>& specs, const Bytes& input) {
  Params params;
  for (std::size_t i = 0; i < specs.size(); ++i) params.at(i) = std::visit(Filling{input}, specs.at(i));
  return params;
}

Bytes reply_of(const Params& params) {
  Bytes reply;
  const auto add = [&](std::uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) reply.push_back(static_cast<std::uint8_t>(number >> shift));
  };
  for (const Param& param : params) {
    const auto* memory = std::get_if<Memory>(&param);
    if (memory != nullptr && comes_back(memory->direction)) {
      reply.insert(reply.end(), memory->bytes.begin(), memory->bytes.end());
      if (memory->is_null) add(memory->size);
    }
    const auto* value = std::get_if<Value>(&param);
    if (value == nullptr || !comes_back(value->direction)) continue;
    add(value->a);
    add(value->b);
  }
  return reply;
}

}  // namespace jcprof::teec

// SPDX-License-Identifier: Apache-2.0
// Parameters of commands as the project file describes them (docs/optee.md, "Trigger"), and their values with
// one input. Calls nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "agents/teec/tee.hpp"

namespace jcprof::teec {

/// A number, or nothing: the input is it.
using Number = std::optional<std::uint32_t>;

struct ValueSpec {
  Direction direction = Direction::in;
  Number a = 0;
  Number b = 0;
};

struct MemorySpec {
  Direction direction = Direction::in;
  std::vector<std::optional<Bytes>> pieces{};  // one behind the other; nothing: the input
  std::size_t size = 0;                        // where it is larger than those
  std::uint32_t block = 0;                     // above 0: shared, under this number
  std::uint32_t whole = 0;                     // of that block, where the reference is a part of it
  std::uint32_t at = 0;                        // where it begins there
  bool is_null = false;
};

using ParamSpec = std::variant<std::monostate, ValueSpec, MemorySpec>;

/// What is sent to the TA: a command, and its parameters.
struct Invocation {
  std::uint32_t command = 0;
  std::array<ParamSpec, 4> params{};
};

/// Blocks of shared memory are numbered from `next_block` on. UserError names `where` and what is wrong
/// there.
std::array<ParamSpec, 4> read_params(const nlohmann::json& list, const std::string& where,
                                     std::uint32_t& next_block);
/// A number as a number, or in C's spelling.
std::uint32_t read_number(const nlohmann::json& value, const std::string& where);
/// Of {"command", "params"}.
Invocation read_invocation(const nlohmann::json& object, const std::string& where, std::uint32_t& next_block);

/// UserError where the input is no number of 32 bits but one is wanted.
Params filled(const std::array<ParamSpec, 4>& specs, const Bytes& input);

/// What came back, as the reply of a sample: of values four bytes each, of memory as many as there are.
Bytes reply_of(const Params& params);

}  // namespace jcprof::teec

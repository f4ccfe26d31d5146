// SPDX-License-Identifier: Apache-2.0
// A UserError on its way from one process of ours to another, in JSON. Both write it in CBOR, because names
// of files need not be UTF-8.
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "src/core/error.hpp"

namespace jcprof {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Place, file, line, column, source_line)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Fault, message, place, hint)

inline nlohmann::json in_json(const UserError& error) {
  return {{"faults", error.faults()}, {"code", error.exit_code()}};
}

inline UserError error_from(const nlohmann::json& said) {
  return {said.at("faults").get<std::vector<Fault>>(), said.at("code").get<ExitCode>()};
}

}  // namespace jcprof

// SPDX-License-Identifier: Apache-2.0
#include "agents/teec/tee.hpp"

#include <fmt/format.h>

#include "src/core/tee_result.hpp"

namespace jcprof::teec {
namespace {

std::string_view name_of(Origin origin) {
  switch (origin) {
    case Origin::api:
      return "the client library";
    case Origin::comms:
      return "the way to the TEE";
    case Origin::tee:
      return "the trusted OS";
    case Origin::ta:
      return "the TA";
  }
  return "nowhere that is known";
}

}  // namespace

std::string in_words(const Answer& answer) {
  const std::string name = tee_result(answer.code);
  const std::string code =
      name.empty() ? fmt::format("0x{:08x}", answer.code) : fmt::format("{} (0x{:08x})", name, answer.code);
  return fmt::format("{}, from {}", code, name_of(answer.origin));
}

}  // namespace jcprof::teec

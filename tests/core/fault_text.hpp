// SPDX-License-Identifier: Apache-2.0
// What a person would see of the UserError that something throws.
#pragma once

#include <string>

#include "src/core/error.hpp"

namespace jcprof::test {

template <class Action>
std::string fault_text(const Action& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "(no error)";
}

}  // namespace jcprof::test

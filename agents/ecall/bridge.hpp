// SPDX-License-Identifier: Apache-2.0
// A bridge (templates/jcprof_plugin.h) that was loaded into this process, with the ecall that was chosen. The
// agent's own process never has one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "templates/jcprof_plugin.h"

namespace jcprof::ecall {

struct BridgeChoice {
  std::filesystem::path file;
  std::string ecall;  // empty: its only one
};

class Bridge {
 public:
  /// UserError when there is no such bridge, it is none, or one of another version, or has no such ecall.
  explicit Bridge(const BridgeChoice& choice);

  const jcprof_bridge& functions() const { return *functions_; }
  std::uint32_t ecall() const { return ecall_; }
  /// A warning of the ecall's profiles; empty: there is none.
  std::string note() const;
  /// What `code` of one of the functions means.
  std::string why(int code) const;

 private:
  const jcprof_bridge* functions_ = nullptr;
  std::uint32_t ecall_ = 0;
};

}  // namespace jcprof::ecall

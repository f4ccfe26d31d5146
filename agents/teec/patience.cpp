// SPDX-License-Identifier: Apache-2.0
#include "agents/teec/patience.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "agents/request.hpp"
#include "src/core/error.hpp"
#include "src/core/json_text.hpp"

namespace jcprof::teec {
namespace {

namespace fs = std::filesystem;

// jcprof waits for 60 s behind the last line of the log, or for the session's timeout where that is longer.
std::chrono::seconds longest(const AgentGreeting& greeting) {
  constexpr std::chrono::seconds usual{50};
  constexpr std::chrono::seconds to_say_so{5};
  const auto timeout = agents::timeout_of(parse_line(greeting.session));
  return std::max(usual, std::chrono::duration_cast<std::chrono::seconds>(timeout) - to_say_so);
}

bool runs(const std::string& program) {
  std::error_code error;
  for (const fs::directory_entry& process : fs::directory_iterator("/proc", error)) {
    std::string name;
    std::getline(std::ifstream(process.path() / "comm"), name);
    if (name == program) return true;
  }
  return false;
}

AgentError error_after(std::chrono::seconds waited) {
  const char* hint = runs("tee-supplicant")
                         ? "tee-supplicant runs: what does its log say, and that of the TEE?"
                         : "no tee-supplicant runs here, and it loads TAs: start it";
  return {.message = fmt::format("the session with the TA is not opened within {} s", waited.count()),
          .hint = hint};
}

}  // namespace

Patience::Patience(const AgentGreeting& greeting, agents::Service::Refuse refuse)
    : thread_([this, refuse = std::move(refuse), wait = longest(greeting)] {
        std::unique_lock lock(mutex_);
        if (over_.wait_for(lock, wait, [&] { return is_over_; })) return;
        refuse(error_after(wait));
        ::_exit(static_cast<int>(ExitCode::environment));
      }) {}

Patience::~Patience() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  over_.notify_one();
  thread_.join();
}

}  // namespace jcprof::teec

// SPDX-License-Identifier: Apache-2.0
#include "harness/awake.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>

namespace jcprof::harness {

AwakeProcessors::AwakeProcessors(const std::filesystem::path& request)
    : request_(::open(request.c_str(), O_WRONLY | O_CLOEXEC)) {
  constexpr std::int32_t latency_us = 0;
  if (request_.get() >= 0 && ::write(request_.get(), &latency_us, sizeof latency_us) != sizeof latency_us)
    request_ = {};
}

}  // namespace jcprof::harness

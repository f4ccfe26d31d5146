// SPDX-License-Identifier: Apache-2.0
// The trusted side through libteec, and, for the rungs of a ladder, through the driver itself.
#pragma once

#include <memory>

#include "agents/teec/stopwatch.hpp"
#include "agents/teec/tee.hpp"
#include "agents/teec/wishes.hpp"

namespace jcprof::teec {

/// UserError (environment) when there is no TEE here.
std::shared_ptr<Tee> make_tee(const Uuid& ta, Counts counts);

}  // namespace jcprof::teec

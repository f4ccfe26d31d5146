// SPDX-License-Identifier: Apache-2.0
// Says how a program that is not there can be had.
#pragma once

#include <string>
#include <string_view>

namespace jcprof {

/// `install it`, with the name of Debian's package if it is known: `install it (Debian:
/// gcc-aarch64-linux-gnu)`. No package has a program whose name leads into a folder (`./gen.sh`): `put it
/// there, and make it executable`.
std::string way_to_install(std::string_view program);

}  // namespace jcprof

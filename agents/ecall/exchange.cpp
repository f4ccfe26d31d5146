// SPDX-License-Identifier: Apache-2.0
#include "agents/ecall/exchange.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include <fmt/format.h>
#include <sys/mman.h>

#include "src/core/error.hpp"

namespace jcprof::ecall {

void Unmap::operator()(Exchange* exchange) const {
  ::munmap(exchange, sizeof(Exchange));
}

std::unique_ptr<Exchange, Unmap> make_exchange() {
  void* memory = ::mmap(nullptr, sizeof(Exchange), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw environment_error(
        fmt::format("no memory to share with the enclave's process: {}", std::strerror(errno)));
  // Without parentheses: the large arrays stay untouched, and cost nothing until they are used.
  return std::unique_ptr<Exchange, Unmap>(new (memory) Exchange);
}

void put_text(std::string_view text, char* to, std::size_t room) {
  const std::size_t size = std::min(text.size(), room - 1);
  std::copy_n(text.begin(), size, to);
  to[size] = '\0';
}

}  // namespace jcprof::ecall

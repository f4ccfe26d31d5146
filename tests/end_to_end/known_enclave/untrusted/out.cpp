// The ocall of the enclave; from the first one on another thread makes ecalls too.
#include <chrono>
#include <thread>

#include <sgx_urts.h>

#include "work_u.h"

extern sgx_enclave_id_t global_eid;

static void beside() {
  for (;;) {
    ecall_aside(global_eid);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void ocall_out(uint32_t n) {
  static const bool is_begun = (std::thread(beside).detach(), true);
  static_cast<void>(is_begun);
  ecall_inner(global_eid, n);
}

// SPDX-License-Identifier: Apache-2.0
// The host's side: hands in what the enclave does not have, and has another thread tell it what was asked
// for.
#include <condition_variable>
#include <mutex>
#include <thread>

#include <sgx_urts.h>

#include "kv_u.h"

extern sgx_enclave_id_t global_eid;  // the bridge's, or the application's

namespace {

/// Makes ecalls of its own, for as long as the process lives.
class Notary {
 public:
  Notary() {
    std::thread([this] { work(); }).detach();
  }

  void note(uint64_t key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    key_ = key;
    is_new_ = true;
    changed_.notify_one();
  }

 private:
  void work() {
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [this] { return is_new_; });
      is_new_ = false;
      const uint64_t key = key_;
      lock.unlock();
      ecall_note(global_eid, key);
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t key_ = 0;
  bool is_new_ = false;
};

}  // namespace

void ocall_fetch(uint64_t key) {
  static Notary& notary = *new Notary;  // its thread outlives what exit() destroys
  notary.note(key);
  uint8_t value[32];
  for (unsigned i = 0; i < sizeof value; i++) value[i] = static_cast<uint8_t>(key + i);
  ecall_put(global_eid, key, value);
}

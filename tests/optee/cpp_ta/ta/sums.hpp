// SPDX-License-Identifier: Apache-2.0
// What C++ adds to C where traps stand: templates, destructors, virtual calls, lambdas, references.
#pragma once

#include <stddef.h>
#include <stdint.h>

// It does not say so itself.
extern "C" {
#include <tee_internal_api.h>
}

namespace sums {

/// Memory of the TA's heap, until the end of the block.
class Buffer {
 public:
  explicit Buffer(size_t size) : bytes_(static_cast<uint8_t*>(TEE_Malloc(size, 0))), size_(size) {}
  ~Buffer() { TEE_Free(bytes_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  bool is_there() const { return bytes_ != nullptr; }
  uint8_t* begin() { return bytes_; }
  uint8_t* end() { return bytes_ + size_; }

 private:
  uint8_t* bytes_;
  size_t size_;
};

struct Sum {
  virtual void add(uint8_t byte) = 0;
  virtual uint32_t value() const = 0;

 protected:
  ~Sum() = default;
};

struct Adler32 final : Sum {
  void add(uint8_t byte) override {
    low = (low + byte) % 65521;
    high = (high + low) % 65521;
  }
  uint32_t value() const override { return high << 16 | low; }

  uint32_t low = 1;
  uint32_t high = 0;
};

struct Fnv1a final : Sum {
  void add(uint8_t byte) override {
    state ^= byte;
    state *= 16777619u;
  }
  uint32_t value() const override { return state; }

  uint32_t state = 2166136261u;
};

template <typename Bytes, typename Change>
void change_each(Bytes& bytes, Change change) {
  for (uint8_t& byte : bytes) byte = change(byte);
}

}  // namespace sums

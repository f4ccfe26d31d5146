// SPDX-License-Identifier: Apache-2.0
// A hash table of fixed size, filled when the enclave is made, with one place for what was fetched last.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace kv {

struct Record {
  uint64_t key;  // 0: none
  uint8_t value[32];
};

/// Thrown where nothing is stored under a key.
struct Missing {
  uint64_t key;
};

uint64_t hash(uint64_t key);
uint32_t digest(const uint8_t (&value)[32], unsigned rounds);

class Table {
 public:
  Table();

  const Record& find(uint64_t key) const;
  void keep(uint64_t key, const uint8_t* value);
  void forget() { fetched_.key = 0; }

 private:
  static constexpr size_t size = 4096;

  Record& place_for(uint64_t key);

  Record records_[size];
  Record fetched_;
};

}  // namespace kv

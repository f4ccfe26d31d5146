// SPDX-License-Identifier: Apache-2.0
#include "table.h"

#include <string.h>

namespace kv {
namespace {

// 19 in 20: searches for what is not there are long.
constexpr unsigned stored = 3890;

}  // namespace

uint64_t hash(uint64_t key) {
  uint64_t h = key;
  for (int i = 0; i < 3; i++) {
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdU;
  }
  return h;
}

uint32_t digest(const uint8_t (&value)[32], unsigned rounds) {
  uint32_t sum = 0x811c9dc5U;
  for (unsigned round = 0; round < rounds; round++) {
    for (const uint8_t byte : value) {
      sum = (sum ^ byte) * 0x01000193U;
    }
  }
  return sum;
}

Table::Table() : records_(), fetched_() {
  for (unsigned i = 1; i <= stored; i++) {
    Record& record = place_for(2 * i);
    record.key = 2 * i;
    memset(record.value, static_cast<int>(i & 0xFFU), sizeof record.value);
  }
}

Record& Table::place_for(uint64_t key) {
  size_t at = hash(key) % size;
  while (records_[at].key != 0) at = (at + 1) % size;
  return records_[at];
}

const Record& Table::find(uint64_t key) const {
  if (fetched_.key == key) return fetched_;
  size_t at = hash(key) % size;
  while (records_[at].key != key) {
    if (records_[at].key == 0) throw Missing{key};
    at = (at + 1) % size;
  }
  return records_[at];
}

void Table::keep(uint64_t key, const uint8_t* value) {
  fetched_.key = key;
  memcpy(fetched_.value, value, sizeof fetched_.value);
}

}  // namespace kv

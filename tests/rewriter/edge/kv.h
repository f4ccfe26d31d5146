/* SPDX-License-Identifier: Apache-2.0 */
/* What the EDL of the feature "edge" includes. */
#ifndef KV_H
#define KV_H
#include <stdint.h>
typedef enum { KV_GOOD, KV_BAD = 7 } kv_status_t;
typedef struct kv_thing *kv_handle_t;
typedef int kv_table_t[4];
typedef double kv_time_t;
#endif

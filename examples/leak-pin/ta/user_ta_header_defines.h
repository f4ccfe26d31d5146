/* SPDX-License-Identifier: Apache-2.0 */
#ifndef USER_TA_HEADER_DEFINES_H
#define USER_TA_HEADER_DEFINES_H

#include "leak_ta.h"

#define TA_UUID LEAK_TA_UUID
#define TA_FLAGS 0
#define TA_STACK_SIZE (8 * 1024)
#define TA_DATA_SIZE (32 * 1024)
#define TA_VERSION "1.0"
#define TA_DESCRIPTION "A PIN compared in three ways"

#endif

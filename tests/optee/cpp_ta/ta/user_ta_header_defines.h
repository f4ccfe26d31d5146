/* SPDX-License-Identifier: Apache-2.0 */
#ifndef USER_TA_HEADER_DEFINES_H
#define USER_TA_HEADER_DEFINES_H

#define TA_UUID {0x1c0f4a52, 0x93a5, 0x4d5e, {0x9a, 0x63, 0x7d, 0x2b, 0x1f, 0x0c, 0x6a, 0x11}}
#define TA_FLAGS 0
#define TA_STACK_SIZE (8 * 1024)
#define TA_DATA_SIZE (32 * 1024)
#define TA_VERSION "1.0"
#define TA_DESCRIPTION "Sums, in C++ without exceptions and RTTI"

#endif

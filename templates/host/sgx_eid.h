/* SPDX-License-Identifier: Apache-2.0 */
/* As much of the SDK's header of this name as a host build needs. */
#ifndef _SGX_EID_H_
#define _SGX_EID_H_

#include <stdint.h>

typedef uint64_t sgx_enclave_id_t;

#endif

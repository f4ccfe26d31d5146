/* SPDX-License-Identifier: Apache-2.0 */
/* As much of the SDK's header of this name as a host build needs: an enclave is a shared object, and one at a time is
   open. */
#ifndef _SGX_URTS_H_
#define _SGX_URTS_H_

#include <stdint.h>

#include <sgx_eid.h>
#include <sgx_error.h>

/* There is no enclave, whatever the names say. */
#define JCPROF_HOST_BUILD 1

#define SGX_DEBUG_FLAG 1
#define SGX_CDECL

#ifdef __cplusplus
extern "C" {
#endif

typedef uint8_t sgx_launch_token_t[1024];

typedef struct _sgx_misc_attribute_t {
  uint64_t secs_attr[2];
  uint32_t misc_select;
} sgx_misc_attribute_t;

/* A path without a slash is one in the working directory, as with the SDK. */
sgx_status_t sgx_create_enclave(const char *file_name, const int debug, sgx_launch_token_t *launch_token,
                                int *launch_token_updated, sgx_enclave_id_t *enclave_id,
                                sgx_misc_attribute_t *misc_attr);

sgx_status_t sgx_destroy_enclave(const sgx_enclave_id_t enclave_id);

#ifdef __cplusplus
}
#endif

#endif

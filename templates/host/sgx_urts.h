/* SPDX-License-Identifier: Apache-2.0 */
/* As much of the SDK's header of this name as a host build needs: an enclave is a shared object, and one at a time is
   open. */
#ifndef _SGX_URTS_H_
#define _SGX_URTS_H_

#include <stdint.h>

#include <sgx_eid.h>
#include <sgx_error.h>

#include "jcprof_sdk_types.h"

/* There is no enclave, whatever the names say. */
#define JCPROF_HOST_BUILD 1

#define SGX_DEBUG_FLAG 1
#define SGX_CDECL

#ifdef __cplusplus
extern "C" {
#endif

typedef uint8_t sgx_launch_token_t[1024];

/* A path without a slash is one in the working directory, as with the SDK. */
sgx_status_t sgx_create_enclave(const char *file_name, const int debug, sgx_launch_token_t *launch_token,
                                int *launch_token_updated, sgx_enclave_id_t *enclave_id,
                                sgx_misc_attribute_t *misc_attr);

#define SGX_CREATE_ENCLAVE_EX_PCL (1U << 0)
#define SGX_CREATE_ENCLAVE_EX_SWITCHLESS_BIT_IDX 1U
#define SGX_CREATE_ENCLAVE_EX_SWITCHLESS (1U << SGX_CREATE_ENCLAVE_EX_SWITCHLESS_BIT_IDX)
#define SGX_CREATE_ENCLAVE_EX_KSS (1U << 2)

/* The features are left out. */
static __inline__ __attribute__((__unused__)) sgx_status_t sgx_create_enclave_ex(
    const char *file_name, const int debug, sgx_launch_token_t *launch_token, int *launch_token_updated,
    sgx_enclave_id_t *enclave_id, sgx_misc_attribute_t *misc_attr, const uint32_t features, const void *of_features[32]) {
  (void)features, (void)of_features;
  return sgx_create_enclave(file_name, debug, launch_token, launch_token_updated, enclave_id, misc_attr);
}

/* It is not encrypted. */
static __inline__ __attribute__((__unused__)) sgx_status_t sgx_create_encrypted_enclave(
    const char *file_name, const int debug, sgx_launch_token_t *launch_token, int *launch_token_updated,
    sgx_enclave_id_t *enclave_id, sgx_misc_attribute_t *misc_attr, uint8_t *sealed_key) {
  (void)sealed_key;
  return sgx_create_enclave(file_name, debug, launch_token, launch_token_updated, enclave_id, misc_attr);
}

sgx_status_t sgx_destroy_enclave(const sgx_enclave_id_t enclave_id);

#ifdef __cplusplus
}
#endif

#endif

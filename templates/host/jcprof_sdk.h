/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the SDK's trusted libraries that a host build has, under the names of their headers. It is enough to run, and
   it protects nothing: anybody can read sealed data, and no exception is ever reported. */
#ifndef JCPROF_SDK_H
#define JCPROF_SDK_H

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <sgx_eid.h>
#include <sgx_error.h>

#include "jcprof_sdk_types.h"

#define SGXAPI
#ifndef SGX_CDECL
#define SGX_CDECL
#endif
#define JCPROF_SDK static __inline__ __attribute__((__unused__))

#ifdef __cplusplus
extern "C" {
#endif

/* ---- sgx_trts.h: all memory is one ---- */

JCPROF_SDK int sgx_is_within_enclave(const void *address, size_t size) {
  return (const char *)address + size >= (const char *)address;
}
JCPROF_SDK int sgx_is_outside_enclave(const void *address, size_t size) { return sgx_is_within_enclave(address, size); }
JCPROF_SDK int sgx_is_enclave_crashed(void) { return 0; }

JCPROF_SDK sgx_status_t sgx_read_rand(unsigned char *bytes, size_t size) {
  FILE *const source = bytes == NULL || size == 0 ? NULL : fopen("/dev/urandom", "rb");
  size_t taken = 0;
  if (bytes == NULL || size == 0) return SGX_ERROR_INVALID_PARAMETER;
  if (source != NULL) taken = fread(bytes, 1, size, source);
  if (source != NULL) fclose(source);
  return taken == size ? SGX_SUCCESS : SGX_ERROR_UNEXPECTED;
}

/* ---- sgx_thread.h, sgx_spinlock.h ---- */

typedef uintptr_t sgx_thread_t;
typedef struct { pthread_mutex_t own; } sgx_thread_mutex_t;
typedef struct { pthread_cond_t own; } sgx_thread_cond_t;
typedef struct { unsigned char none; } sgx_thread_mutexattr_t, sgx_thread_condattr_t, sgx_thread_rwlockattr_t;
#define SGX_THREAD_T_NULL ((sgx_thread_t)0)
#define SGX_THREAD_NONRECURSIVE_MUTEX_INITIALIZER {PTHREAD_MUTEX_INITIALIZER}
#define SGX_THREAD_MUTEX_INITIALIZER SGX_THREAD_NONRECURSIVE_MUTEX_INITIALIZER
#ifdef PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP
#define SGX_THREAD_RECURSIVE_MUTEX_INITIALIZER {PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP}
#endif
#define SGX_THREAD_COND_INITIALIZER {PTHREAD_COND_INITIALIZER}

JCPROF_SDK int sgx_thread_mutex_init(sgx_thread_mutex_t *mutex, const sgx_thread_mutexattr_t *none) {
  (void)none;
  return pthread_mutex_init(&mutex->own, NULL);
}
JCPROF_SDK int sgx_thread_mutex_destroy(sgx_thread_mutex_t *mutex) { return pthread_mutex_destroy(&mutex->own); }
JCPROF_SDK int sgx_thread_mutex_lock(sgx_thread_mutex_t *mutex) { return pthread_mutex_lock(&mutex->own); }
JCPROF_SDK int sgx_thread_mutex_trylock(sgx_thread_mutex_t *mutex) { return pthread_mutex_trylock(&mutex->own); }
JCPROF_SDK int sgx_thread_mutex_unlock(sgx_thread_mutex_t *mutex) { return pthread_mutex_unlock(&mutex->own); }

JCPROF_SDK int sgx_thread_cond_init(sgx_thread_cond_t *cond, const sgx_thread_condattr_t *none) {
  (void)none;
  return pthread_cond_init(&cond->own, NULL);
}
JCPROF_SDK int sgx_thread_cond_destroy(sgx_thread_cond_t *cond) { return pthread_cond_destroy(&cond->own); }
JCPROF_SDK int sgx_thread_cond_wait(sgx_thread_cond_t *cond, sgx_thread_mutex_t *mutex) {
  return pthread_cond_wait(&cond->own, &mutex->own);
}
JCPROF_SDK int sgx_thread_cond_signal(sgx_thread_cond_t *cond) { return pthread_cond_signal(&cond->own); }
JCPROF_SDK int sgx_thread_cond_broadcast(sgx_thread_cond_t *cond) { return pthread_cond_broadcast(&cond->own); }

/* Strict C has no such locks. */
#ifdef PTHREAD_RWLOCK_INITIALIZER
typedef struct { pthread_rwlock_t own; } sgx_thread_rwlock_t;
#define SGX_THREAD_LOCK_INITIALIZER {PTHREAD_RWLOCK_INITIALIZER}
JCPROF_SDK int sgx_thread_rwlock_init(sgx_thread_rwlock_t *lock, const sgx_thread_rwlockattr_t *none) {
  (void)none;
  return pthread_rwlock_init(&lock->own, NULL);
}
JCPROF_SDK int sgx_thread_rwlock_destroy(sgx_thread_rwlock_t *lock) { return pthread_rwlock_destroy(&lock->own); }
JCPROF_SDK int sgx_thread_rwlock_rdlock(sgx_thread_rwlock_t *lock) { return pthread_rwlock_rdlock(&lock->own); }
JCPROF_SDK int sgx_thread_rwlock_wrlock(sgx_thread_rwlock_t *lock) { return pthread_rwlock_wrlock(&lock->own); }
JCPROF_SDK int sgx_thread_rwlock_tryrdlock(sgx_thread_rwlock_t *lock) { return pthread_rwlock_tryrdlock(&lock->own); }
JCPROF_SDK int sgx_thread_rwlock_trywrlock(sgx_thread_rwlock_t *lock) { return pthread_rwlock_trywrlock(&lock->own); }
JCPROF_SDK int sgx_thread_rwlock_unlock(sgx_thread_rwlock_t *lock) { return pthread_rwlock_unlock(&lock->own); }
JCPROF_SDK int sgx_thread_rwlock_rdunlock(sgx_thread_rwlock_t *lock) { return pthread_rwlock_unlock(&lock->own); }
JCPROF_SDK int sgx_thread_rwlock_wrunlock(sgx_thread_rwlock_t *lock) { return pthread_rwlock_unlock(&lock->own); }
#endif

JCPROF_SDK sgx_thread_t sgx_thread_self(void) { return (sgx_thread_t)pthread_self(); }
JCPROF_SDK int sgx_thread_equal(sgx_thread_t a, sgx_thread_t b) { return a == b; }

typedef volatile uint32_t sgx_spinlock_t;
#define SGX_SPINLOCK_INITIALIZER 0
JCPROF_SDK uint32_t sgx_spin_lock(sgx_spinlock_t *lock) {
  while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE) != 0) continue;
  return 0;
}
JCPROF_SDK uint32_t sgx_spin_unlock(sgx_spinlock_t *lock) {
  __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
  return 0;
}

/* ---- sgx_cpuid.h, sgx_lfence.h ---- */

#if defined(__x86_64__) || defined(__i386__)
JCPROF_SDK sgx_status_t sgx_cpuidex(int cpuinfo[4], int leaf, int subleaf) {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (cpuinfo == NULL) return SGX_ERROR_INVALID_PARAMETER;
  __cpuid_count((unsigned)leaf, (unsigned)subleaf, a, b, c, d);
  cpuinfo[0] = (int)a, cpuinfo[1] = (int)b, cpuinfo[2] = (int)c, cpuinfo[3] = (int)d;
  return SGX_SUCCESS;
}
JCPROF_SDK sgx_status_t sgx_cpuid(int cpuinfo[4], int leaf) { return sgx_cpuidex(cpuinfo, leaf, 0); }
JCPROF_SDK void sgx_lfence(void) { __asm__ __volatile__("lfence" : : : "memory"); }
#else
JCPROF_SDK void sgx_lfence(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
#endif

/* ---- sgx_tseal.h: the sizes are the SDK's ---- */

typedef struct {
  uint32_t payload_size;
  uint8_t reserved[12];
  uint8_t payload_tag[16];
#ifdef __cplusplus
  uint8_t payload[0];
#else
  uint8_t payload[];
#endif
} sgx_aes_gcm_data_t;
typedef struct {
  sgx_key_request_t key_request;
  uint32_t plain_text_offset;
  uint8_t reserved[12];
  sgx_aes_gcm_data_t aes_data;
} sgx_sealed_data_t;

JCPROF_SDK uint32_t sgx_calc_sealed_data_size(const uint32_t plain, const uint32_t secret) {
  const uint64_t size = (uint64_t)sizeof(sgx_sealed_data_t) + plain + secret;
  return size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
}
JCPROF_SDK uint32_t sgx_get_add_mac_txt_len(const sgx_sealed_data_t *sealed) {
  if (sealed == NULL || sealed->plain_text_offset > sealed->aes_data.payload_size) return UINT32_MAX;
  return sealed->aes_data.payload_size - sealed->plain_text_offset;
}
JCPROF_SDK uint32_t sgx_get_encrypt_txt_len(const sgx_sealed_data_t *sealed) {
  if (sealed == NULL || sealed->plain_text_offset > sealed->aes_data.payload_size) return UINT32_MAX;
  return sealed->plain_text_offset;
}

/* By Fowler, Noll and Vo. It finds an accident, not a forger. */
JCPROF_SDK uint64_t jcprof_sdk_tag(const sgx_sealed_data_t *sealed) {
  uint64_t tag = 0xCBF29CE484222325u ^ sealed->plain_text_offset;
  uint32_t i;
  for (i = 0; i < sealed->aes_data.payload_size; i++) tag = (tag ^ sealed->aes_data.payload[i]) * 0x100000001B3u;
  return tag;
}

JCPROF_SDK sgx_status_t sgx_seal_data(const uint32_t plain_size, const uint8_t *plain, const uint32_t secret_size,
                                      const uint8_t *secret, const uint32_t size, sgx_sealed_data_t *sealed) {
  uint64_t tag;
  uint32_t i;
  if (sealed == NULL || secret == NULL || secret_size == 0 || (plain == NULL && plain_size != 0) ||
      size != sgx_calc_sealed_data_size(plain_size, secret_size))
    return SGX_ERROR_INVALID_PARAMETER;
  memset(sealed, 0, sizeof *sealed);
  sealed->plain_text_offset = secret_size;
  sealed->aes_data.payload_size = secret_size + plain_size;
  for (i = 0; i < secret_size; i++) sealed->aes_data.payload[i] = (uint8_t)(secret[i] ^ 0xA5u);
  if (plain_size != 0) memcpy(sealed->aes_data.payload + secret_size, plain, plain_size);
  tag = jcprof_sdk_tag(sealed);
  memcpy(sealed->aes_data.payload_tag, &tag, sizeof tag);
  return SGX_SUCCESS;
}

JCPROF_SDK sgx_status_t sgx_unseal_data(const sgx_sealed_data_t *sealed, uint8_t *plain, uint32_t *plain_size,
                                        uint8_t *secret, uint32_t *secret_size) {
  const uint32_t behind = sgx_get_add_mac_txt_len(sealed);
  const uint32_t within = sgx_get_encrypt_txt_len(sealed);
  uint64_t tag;
  uint32_t i;
  if (behind == UINT32_MAX || within == UINT32_MAX || secret == NULL || secret_size == NULL || *secret_size < within ||
      (behind != 0 && (plain == NULL || plain_size == NULL || *plain_size < behind)))
    return SGX_ERROR_INVALID_PARAMETER;
  tag = jcprof_sdk_tag(sealed);
  if (memcmp(sealed->aes_data.payload_tag, &tag, sizeof tag) != 0) return SGX_ERROR_MAC_MISMATCH;
  for (i = 0; i < within; i++) secret[i] = (uint8_t)(sealed->aes_data.payload[i] ^ 0xA5u);
  if (behind != 0) memcpy(plain, sealed->aes_data.payload + within, behind);
  *secret_size = within;
  if (plain_size != NULL) *plain_size = behind;
  return SGX_SUCCESS;
}

/* ---- sgx_trts_exception.h, sgx_trts_aex.h: nothing ever leaves by itself ---- */

#define EXCEPTION_CONTINUE_SEARCH 0
#define EXCEPTION_CONTINUE_EXECUTION (-1)
typedef struct { uint32_t exception_valid; } sgx_exception_info_t;
typedef int (*sgx_exception_handler_t)(sgx_exception_info_t *info);
JCPROF_SDK void *sgx_register_exception_handler(int is_first, sgx_exception_handler_t handler) {
  void *handle = NULL;
  (void)is_first;
  memcpy(&handle, &handler, sizeof handle);
  return handle;
}
JCPROF_SDK int sgx_unregister_exception_handler(void *handle) { return handle != NULL; }

typedef void (*sgx_aex_mitigation_fn_t)(const sgx_exception_info_t *info, const void *args);
typedef struct jcprof_sdk_aex {
  sgx_aex_mitigation_fn_t handler;
  const void *args;
  struct jcprof_sdk_aex *next;
} sgx_aex_mitigation_node_t;
JCPROF_SDK sgx_status_t sgx_set_ssa_aexnotify(int is_on) {
  (void)is_on;
  return SGX_SUCCESS;
}
JCPROF_SDK sgx_status_t sgx_register_aex_handler(sgx_aex_mitigation_node_t *node, sgx_aex_mitigation_fn_t handler,
                                                 const void *args) {
  (void)args;
  return node == NULL || handler == NULL ? SGX_ERROR_INVALID_PARAMETER : SGX_SUCCESS;
}
JCPROF_SDK sgx_status_t sgx_unregister_aex_handler(sgx_aex_mitigation_fn_t handler) {
  return handler == NULL ? SGX_ERROR_INVALID_PARAMETER : SGX_SUCCESS;
}

/* ---- sgx_uswitchless.h: calls are ordinary ones ---- */

typedef struct {
  uint64_t switchless_calls_pool_size_qwords;
  uint64_t num_uworkers;
  uint64_t num_tworkers;
  uint64_t retries_before_fallback;
  uint64_t retries_before_sleep;
  void *callback_func[4];
} sgx_uswitchless_config_t;
#define SGX_USWITCHLESS_CONFIG_INITIALIZER {0, 1, 1, 0, 0, {0}}

#ifdef __cplusplus
}
#endif

#endif

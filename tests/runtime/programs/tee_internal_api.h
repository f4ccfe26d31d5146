/* What of OP-TEE's header of that name an application of the tests needs. */
#ifndef TEE_INTERNAL_API_H
#define TEE_INTERNAL_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t TEE_Result;

typedef union {
  struct {
    void *buffer;
    size_t size;
  } memref;
  struct {
    uint32_t a, b;
  } value;
} TEE_Param;

TEE_Result TA_InvokeCommandEntryPoint(void *session, uint32_t command, uint32_t types, TEE_Param params[4]);

#ifdef __cplusplus
}
#endif

#endif

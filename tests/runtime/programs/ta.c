/* A trusted application of two files, wrapped as jcprof-gen wraps it; C90 and C++. Says what it does by what it
   returns. */
#define JCPROF_ROOT_HERE
#include <jcprof.h>

#include "tee_internal_api.h"

#ifdef __cplusplus
extern "C"
#endif
uint32_t ta_part(uint32_t n);

#if JCPROF_LIVE
#define TA_InvokeCommandEntryPoint jcprof_body_TA_InvokeCommandEntryPoint
#ifdef __cplusplus
extern "C" JCPROF_BODY TEE_Result TA_InvokeCommandEntryPoint(void *, uint32_t, uint32_t, __typeof__(TEE_Param[4]));
#else
static JCPROF_BODY TEE_Result TA_InvokeCommandEntryPoint(void *, uint32_t, uint32_t, __typeof__(TEE_Param[4]));
#endif
#endif
TEE_Result TA_InvokeCommandEntryPoint(void *session, uint32_t command, uint32_t types, TEE_Param params[4])
#if JCPROF_LIVE
#undef TA_InvokeCommandEntryPoint
#endif
{
  JCPROF_TRAP_D(1);
  uint32_t i, sum;
  JCPROF_TRAP(2);
  sum = params[0].value.a;
  if (command == 2) {
    JCPROF_TRAP_V(3, sum);
    sum += TA_InvokeCommandEntryPoint(session, 1, types, params);
    JCPROF_TRAP_V(4, sum);
  }
  for (i = 0; i < command; i++) {
    JCPROF_TRAP(70000);
    sum += ta_part(i);
  }
  if (sum == 0) {
    JCPROF_TRAP(5);
    sum = 1;
  } else if (JCPROF_TRAP_E(6), sum > 100) {
    JCPROF_TRAP(7);
    sum = 100;
  }
  JCPROF_TRAP_V(8, sum);
  return sum;
}
#if JCPROF_LIVE
#ifdef __cplusplus
extern "C"
#endif
JCPROF_WRAPPER TEE_Result TA_InvokeCommandEntryPoint(__typeof__(void *) jcprof_1, __typeof__(uint32_t) jcprof_2,
                                      __typeof__(uint32_t) jcprof_3, __typeof__(TEE_Param[4]) jcprof_4) {
  JCPROF_TA(TEE_Result, jcprof_1, jcprof_2, jcprof_3, jcprof_4);
  return jcprof_body_TA_InvokeCommandEntryPoint(jcprof_1, jcprof_2, jcprof_3, jcprof_4);
}
#endif

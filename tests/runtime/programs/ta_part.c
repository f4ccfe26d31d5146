/* The other file, which has no root. */
#include <jcprof.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C"
#endif
uint32_t ta_part(uint32_t n);

uint32_t ta_part(uint32_t n) {
  JCPROF_TRAP(20);
#ifdef PAUSES
  JCPROF_PAUSE();
#endif
  n *= 2;
  JCPROF_TRAP_V(21, n);
  return n;
}

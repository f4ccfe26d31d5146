/* SPDX-License-Identifier: Apache-2.0 */
/* Goes into the machine's BL31. A stock firmware keeps the counters from trusted applications; here they may read the
   cycle counter, which counts in the secure world only. The normal world finds its own settings as it left them. */
#include <arch_helpers.h>
#include <context.h>
#include <lib/el3_runtime/context_mgmt.h>
#include <lib/el3_runtime/pubsub_events.h>
#include <plat/common/platform.h>
#include <platform_def.h>

#define CYCLE_COUNTER (UINT64_C(1) << 31)
#define READ_ALL UINT64_C(0xf) /* PMUSERENR_EL0.{EN,SW,CR,ER} */
#define COUNT UINT64_C(1)      /* PMCR_EL0.E */
#define NOT_IF_PROHIBITED (UINT64_C(1) << 5) /* PMCR_EL0.DP */

static struct {
	uint64_t user;
	uint64_t enabled;
} normal_world[PLATFORM_CORE_COUNT];

static void *open_counter(const void *unused)
{
	unsigned int core = plat_my_core_pos();
	el3_state_t *secure = get_el3state_ctx(cm_get_context(SECURE));
	uint64_t control = read_ctx_reg(secure, CTX_PMCR_EL0);
	uint64_t debug = read_ctx_reg(secure, CTX_MDCR_EL3);

	(void)unused;
	__asm__ volatile("mrs %0, pmuserenr_el0" : "=r"(normal_world[core].user));
	__asm__ volatile("mrs %0, pmcntenset_el0" : "=r"(normal_world[core].enabled));
	__asm__ volatile("msr pmuserenr_el0, %0" : : "r"(READ_ALL));
	__asm__ volatile("msr pmcntenset_el0, %0" : : "r"(CYCLE_COUNTER));
	write_ctx_reg(secure, CTX_PMCR_EL0, (control | COUNT) & ~NOT_IF_PROHIBITED);
	write_ctx_reg(secure, CTX_MDCR_EL3, (debug | MDCR_SPME_BIT) & ~MDCR_SCCD_BIT);
	isb();
	return NULL;
}
SUBSCRIBE_TO_EVENT(cm_entering_secure_world, open_counter);

static void *close_counter(const void *unused)
{
	unsigned int core = plat_my_core_pos();

	(void)unused;
	__asm__ volatile("msr pmuserenr_el0, %0" : : "r"(normal_world[core].user));
	if ((normal_world[core].enabled & CYCLE_COUNTER) == 0)
		__asm__ volatile("msr pmcntenclr_el0, %0" : : "r"(CYCLE_COUNTER));
	isb();
	return NULL;
}
SUBSCRIBE_TO_EVENT(cm_entering_normal_world, close_counter);

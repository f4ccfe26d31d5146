/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that a program closes: another one may be loaded in the place of one, and its functions are others. */
#ifndef JCPROF_MODULES_H
#define JCPROF_MODULES_H

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

#include "templates/jcprof.h"

static int jcprof_take_unloads(struct dl_phdr_info *info, size_t size, void *unloads) {
  (void)size;
  *(unsigned long long *)unloads = info->dlpi_subs;
  return 1;
}

static unsigned long long jcprof_unloads(void) {
  unsigned long long unloads = 0;
  dl_iterate_phdr(jcprof_take_unloads, &unloads);
  return unloads;
}

static int jcprof_holds(struct dl_phdr_info *info, size_t size, void *module) {
  const struct jcprof_log_entry *const entry = module;
  int i;
  (void)size;
  for (i = 0; i < info->dlpi_phnum; i++) {
    const uint64_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    if (info->dlpi_phdr[i].p_type == PT_LOAD && entry->a < begin + info->dlpi_phdr[i].p_memsz && begin < entry->b)
      return 1;
  }
  return 0;
}

static void jcprof_retire(const struct jcprof_log_entry *module) {
  struct jcprof_log_head *const log = jcprof_recorder.log;
  jcprof_log_u64 *const functions = jcprof_in_log(log, log->functions_at);
  const jcprof_log_u64 number = jcprof_module_at(module->a);
  jcprof_log_u32 i;
  for (i = 0; i < log->functions; i++) {
    jcprof_log_u64 known = __atomic_load_n(functions + i, __ATOMIC_RELAXED);
    const jcprof_log_u64 gone = (number == 0 ? JCPROF_LOG_MODULE_MOST : number) << JCPROF_LOG_ADDRESS_BITS | known;
    if (known >= module->a && known < module->b)
      __atomic_compare_exchange_n(functions + i, &known, gone, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
  }
}

static void jcprof_retire_unloaded(void) {
  const struct jcprof_log_entry *entry = jcprof_next_entry(NULL);
  for (; entry != NULL; entry = jcprof_next_entry(entry)) {
    if (!jcprof_is_entry(entry, JCPROF_LOG_MODULE) || dl_iterate_phdr(jcprof_holds, (void *)entry)) continue;
    jcprof_retire(entry);
    __atomic_store_n((jcprof_log_u32 *)&entry->kind, JCPROF_LOG_GONE, __ATOMIC_RELEASE);
  }
}

__attribute__((__visibility__("default"))) int dlclose(void *library) {
  static int (*next)(void *);
  const unsigned long long before = jcprof_unloads();
  int result;
  if (next == NULL) *(void **)&next = dlsym(RTLD_NEXT, "dlclose");
  result = next(library);
  if (jcprof_recorder.log != NULL && jcprof_unloads() != before) jcprof_retire_unloaded();
  return result;
}

#endif

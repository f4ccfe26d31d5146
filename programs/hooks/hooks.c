/* SPDX-License-Identifier: Apache-2.0 */
/* The hooks of record mode as a library, to be preloaded into programs that know nothing of jcprof. */
#define _GNU_SOURCE
#define JCPROF 1
#define JCPROF_RECORD 1
#define JCPROF_HOOKS 1
#include "templates/jcprof.h"
#include "programs/hooks/stacks.h"

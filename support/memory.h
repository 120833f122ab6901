/* SPDX-License-Identifier: MIT
 * How much memory this process may take. */
#ifndef SUPPORT_MEMORY_H
#define SUPPORT_MEMORY_H

#include <stdint.h>

/* Bytes: the least of the machine's memory, what the control groups of the process leave it
 * (memory.max of version 2, memory.limit_in_bytes of version 1, those around them included), and
 * its limits of address space and data (ulimit -v, -d). */
uint64_t memory_limit(void);

/* What control groups leave: `groups` is the text of /proc/self/cgroup, `mounted` the folder that
 * stands for /sys/fs/cgroup.  UINT64_MAX: no bound. */
uint64_t memory_of_groups(const char *groups, const char *mounted);

#endif

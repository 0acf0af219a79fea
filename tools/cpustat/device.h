/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* /dev/perfmon, and what it can say about itself. */
#ifndef CPUSTAT_DEVICE_H
#define CPUSTAT_DEVICE_H

#include <stdbool.h>

#include <linux/perfmon.h>

#define DEVICE_PATH	"/dev/perfmon"

/* A file of our own, or -1 with errno. */
int device_open(void);

/*
 * Whether the device is there, may be opened, speaks our version and, where they are needed, has
 * hardware counters for us. Returns 0, or -1 after having said why not and what to do.
 */
int device_check(bool need_hardware);

/* The text of the file's last refusal, if it was one with this errno. */
bool device_error(int fd, int err, struct perfmon_error *error);

/* Who holds the CPU through cpc_shared_open(3). */
bool device_holder(int fd, int cpu, struct perfmon_holder *holder);

#endif

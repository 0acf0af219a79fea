/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The clock that samples are taken by: CLOCK_MONOTONIC in nanoseconds. */
#ifndef CPUSTAT_CLOCK_H
#define CPUSTAT_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NSEC_PER_SEC	1000000000LL

static inline int64_t clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

#endif

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which of its architecture's events an ARMv8 CPU counts. It has registers that say so, and the
 * kernel shows names for just those that are set: the numbers below 0x40, all of which it has names
 * for. A raw code is not checked by anybody, and one that is left out counts nothing.
 */
#include <string.h>

#include <linux/perf_event.h>

#include "internal.h"

#define N_ARCHITECTED	0x40

static bool is_armv8(const struct pme_pmu *pmu)
{
	return !strncmp(pmu->name, "armv8_", 6);
}

static int add(const char *pmu, const char *event, void *arg)
{
	unsigned long long *mask = arg;
	struct perfmon_event ev;
	char terms[256];

	memset(&ev, 0, sizeof(ev));
	if (!pme_sysfs_read(terms, sizeof(terms), "%s/events/%s", pmu, event) &&
	    !pme_terms(pmu, terms, &ev, NULL) && ev.config < N_ARCHITECTED)
		*mask |= 1ULL << ev.config;
	return 0;
}

unsigned long long pme_architected(void)
{
	struct pme_pmu pmus[PME_MAX_PMUS];
	unsigned int n = pme_cpu_pmus(pmus), i;
	unsigned long long mask = 0;

	/* Where CPUs differ, one that counts the event is enough. */
	for (i = 0; i < n; i++) {
		if (is_armv8(&pmus[i]))
			pme_sysfs_events(pmus[i].name, add, &mask);
	}
	return mask ? mask : ~0ULL;
}

bool pme_left_out(const struct perfmon_event *ev, unsigned long long architected)
{
	return ev->type == PERF_TYPE_RAW && ev->config < N_ARCHITECTED &&
	       !(architected >> ev->config & 1);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* Every event there is, generic names first. */
#include <string.h>

#include "internal.h"

bool pme_same(const struct perfmon_event *a, const struct perfmon_event *b)
{
	return a->type == b->type && a->config == b->config && a->config1 == b->config1;
}

int pme_emit(const struct pme_walk *walk, const struct perfmon_event *ev, const char *name,
	     const char *desc, const char *group)
{
	struct pme_info info = { .name = name, .desc = desc ? desc : "", .group = group };

	if (walk->only && !pme_same(walk->only, ev))
		return 0;
	if (walk->pattern && !strcasestr(info.name, walk->pattern) &&
	    !strcasestr(info.desc, walk->pattern))
		return 0;
	return walk->fn(&info, walk->arg);
}

int pme_walk(const char *pattern, int (*fn)(const struct pme_info *info, void *arg), void *arg)
{
	const struct pme_walk walk = { .pattern = pattern, .fn = fn, .arg = arg };
	struct pme_pmu pmus[PME_MAX_PMUS];
	bool hardware = pme_cpu_pmus(pmus) > 0;
	int rc = 0;

	if (hardware)
		rc = pme_generic_walk(&walk, false);
	if (!rc)
		rc = pme_generic_walk(&walk, true);
	if (!rc && hardware)
		rc = pme_pfm_walk(&walk);
	if (!rc && hardware)
		rc = pme_sysfs_walk(&walk);
	return rc;
}

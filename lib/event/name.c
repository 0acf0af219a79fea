// SPDX-License-Identifier: LGPL-2.1-or-later
/* Encodings -> names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#include "internal.h"

struct search {
	const struct perfmon_event *ev;
	char *name;
};

static bool means(const char *name, const struct perfmon_event *ev)
{
	struct perfmon_event other;

	return !pme_resolve(name, &other, NULL) && pme_same(&other, ev);
}

static int compare(const struct pme_info *info, void *arg)
{
	struct search *s = arg;

	if (!means(info->name, s->ev))
		return 0;
	s->name = strdup(info->name);
	return 1;
}

/* The kernel may use a generic name for an event of the CPU's, and then that is what it means. */
static const char *generic_name(const struct perfmon_event *ev)
{
	const char *name;
	unsigned int n;

	for (n = 0; (name = pme_generic_name(ev, n)); n++) {
		if (means(name, ev))
			return name;
	}
	return NULL;
}

static char *vendor_name(const struct perfmon_event *ev)
{
	struct search s = { .ev = ev };
	struct pme_walk walk = { .only = ev, .fn = compare, .arg = &s };

	if (!pme_pfm_walk(&walk))
		pme_sysfs_walk(&walk);
	return s.name;
}

/* "cpu_atom/config=0xc0,config1=0x1/": for what has no name. */
static char *spelt_out(const struct perfmon_event *ev)
{
	char pmu[PME_PMU_LEN], *text;
	int rc;

	pme_pmu_of_type(ev->type, pmu);
	rc = asprintf(&text, "%s/config=0x%llx,config1=0x%llx/", pmu,
		      (unsigned long long)ev->config, (unsigned long long)ev->config1);
	return rc < 0 ? NULL : text;
}

char *pme_name(const struct perfmon_event *ev)
{
	const char *generic = generic_name(ev);
	char *name;

	if (generic)
		return strdup(generic);
	name = vendor_name(ev);
	if (name)
		return name;
	if (ev->type != PERF_TYPE_RAW || ev->config1)
		return spelt_out(ev);
	return asprintf(&name, "0x%llx", (unsigned long long)ev->config) < 0 ? NULL : name;
}

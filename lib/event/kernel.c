// SPDX-License-Identifier: LGPL-2.1-or-later
/* The kernel's own event names, alone or as "PMU/name/" and "PMU/field=value,.../". */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "internal.h"

struct lookup {
	const char *name;
	char terms[256];
};

static int match(const char *pmu, const char *event, void *arg)
{
	struct lookup *l = arg;

	if (strcasecmp(event, l->name))
		return 0;
	return !pme_sysfs_read(l->terms, sizeof(l->terms), "%s/events/%s", pmu, event);
}

/* Terms with a '?' wait for a value from the user, who can give it as "PMU/field=value/". */
static int encode(const char *pmu, unsigned int type, const char *terms, const char *name,
		  struct perfmon_event *ev, char **why)
{
	if (strchr(terms, '?'))
		return pme_fail(why, EINVAL, "event \"%s\" needs values: write %s/%s/", name, pmu,
				terms);
	memset(ev, 0, sizeof(*ev));
	ev->type = type;
	return pme_terms(pmu, terms, ev, why);
}

static int resolve_bare(const char *name, struct perfmon_event *ev, char **why)
{
	struct pme_pmu pmus[PME_MAX_PMUS];
	unsigned int n = pme_cpu_pmus(pmus), i;
	struct lookup l = { .name = name };

	for (i = 0; i < n; i++) {
		if (pme_sysfs_events(pmus[i].name, match, &l))
			return encode(pmus[i].name, pmus[i].type, l.terms, name, ev, why);
	}
	return PME_UNKNOWN;
}

static int resolve_in(const char *pmu, const char *inside, const char *name,
		      struct perfmon_event *ev, char **why)
{
	struct lookup l = { .name = inside };
	unsigned int type;

	if (!pme_pmu_type(pmu, &type))
		return pme_fail(why, EINVAL, "there is no PMU \"%s\" on this machine", pmu);
	if (pme_sysfs_events(pmu, match, &l))
		return encode(pmu, type, l.terms, name, ev, why);
	return encode(pmu, type, inside, name, ev, why);
}

/* "PMU/inside/": the closing slash is needed, and a PMU's name is one directory. */
static int resolve_slashed(const char *name, struct perfmon_event *ev, char **why)
{
	const char *open = strchr(name, '/'), *close = strrchr(name, '/');
	char pmu[PME_PMU_LEN];
	char *inside;
	int rc;

	if (close == open || close[1] || open == name || name[0] == '.' ||
	    (size_t)(open - name) >= sizeof(pmu) || memchr(open + 1, '/', close - open - 1))
		return PME_UNKNOWN;
	snprintf(pmu, sizeof(pmu), "%.*s", (int)(open - name), name);
	inside = strndup(open + 1, close - open - 1);
	if (!inside)
		return pme_fail(why, ENOMEM, "out of memory");
	rc = resolve_in(pmu, inside, name, ev, why);
	free(inside);
	return rc;
}

int pme_sysfs_resolve(const char *name, struct perfmon_event *ev, char **why)
{
	return strchr(name, '/') ? resolve_slashed(name, ev, why) : resolve_bare(name, ev, why);
}

struct listing {
	const struct pme_walk *walk;
	unsigned int type;
	bool first;			/* of the CPU PMUs: its events need no prefix */
};

static int list(const char *pmu, const char *event, void *arg)
{
	const struct listing *l = arg;
	char terms[256], name[2 * PME_PMU_LEN + 256], desc[320];
	struct perfmon_event ev;

	if (pme_sysfs_read(terms, sizeof(terms), "%s/events/%s", pmu, event) ||
	    encode(pmu, l->type, terms, event, &ev, NULL))
		return 0;
	if (l->first && pme_pfm_knows(event))
		return 0;
	if (l->first)
		snprintf(name, sizeof(name), "%s", event);
	else
		snprintf(name, sizeof(name), "%s/%s/", pmu, event);
	snprintf(desc, sizeof(desc), "kernel's name for %s", terms);
	return pme_emit(l->walk, &ev, name, desc, pmu);
}

int pme_sysfs_walk(const struct pme_walk *walk)
{
	struct pme_pmu pmus[PME_MAX_PMUS];
	unsigned int n = pme_cpu_pmus(pmus), i;
	int rc = 0;

	for (i = 0; !rc && i < n; i++) {
		struct listing l = {
			.walk = walk,
			.type = pmus[i].type,
			.first = i == 0,
		};

		rc = pme_sysfs_events(pmus[i].name, list, &l);
	}
	return rc;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* The order in which a name is looked up, and what every encoding must satisfy. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#include "internal.h"

static const char mode_letters[] = "uk";

/* The modes that a text of nothing but letters asks for; 0 if it is something else. */
static unsigned int modes_of(const char *text, size_t len)
{
	unsigned int modes = 0;
	size_t i;

	for (i = 0; i < len; i++) {
		if (!strchr(mode_letters, text[i]))
			return 0;
		modes |= text[i] == 'u' ? PERFMON_EVENT_USER : PERFMON_EVENT_KERNEL;
	}
	return modes;
}

/* Cuts ":u", ":u:k", or what follows perf's closing slash off the name. */
static unsigned int cut_modes(char *name)
{
	unsigned int modes = 0;

	for (;;) {
		char *colon = strrchr(name, ':');
		unsigned int more;

		if (!colon || colon == name || !colon[1])
			break;
		more = modes_of(colon + 1, strlen(colon + 1));
		if (!more)
			break;
		modes |= more;
		*colon = '\0';
	}
	if (!modes) {
		char *slash = strrchr(name, '/');

		if (slash && slash != strchr(name, '/') && slash[1]) {
			modes = modes_of(slash + 1, strlen(slash + 1));
			if (modes)
				slash[1] = '\0';
		}
	}
	return modes;
}

static int resolve_plain(const char *name, struct perfmon_event *ev, char **why)
{
	int rc;

	rc = pme_sysfs_resolve(name, ev, why);
	if (rc == PME_UNKNOWN)
		rc = pme_generic_resolve(name, ev, why);
	if (rc == PME_UNKNOWN)
		rc = pme_raw_resolve(name, ev, why);
	return rc;
}

static int resolve_with_modes(const char *name, struct perfmon_event *ev, char **why)
{
	char *plain = strdup(name);
	unsigned int modes;
	int rc, err;

	if (!plain)
		return pme_fail(why, ENOMEM, "out of memory");
	modes = cut_modes(plain);
	rc = resolve_plain(plain, ev, why);
	if (!rc)
		ev->flags = modes;
	err = errno;
	free(plain);
	errno = err;
	return rc;
}

static int unknown(const char *name, char **why)
{
	char *close;
	int rc;

	if (!why)
		return pme_fail(NULL, EINVAL, "unknown");
	close = pme_suggest(name);
	if (close)
		rc = pme_fail(why, EINVAL, "unknown event \"%s\"; did you mean %s?", name, close);
	else
		rc = pme_fail(why, EINVAL, "unknown event \"%s\"", name);
	free(close);
	errno = EINVAL;
	return rc;
}

bool pme_needs_cpu_pmu(const struct perfmon_event *ev)
{
	return ev->type == PERF_TYPE_HARDWARE || ev->type == PERF_TYPE_HW_CACHE ||
	       ev->type == PERF_TYPE_RAW;
}

static bool happens_in_kernel(const struct perfmon_event *ev)
{
	return ev->type == PERF_TYPE_SOFTWARE || ev->type == PERF_TYPE_TRACEPOINT;
}

static int check(const char *name, struct perfmon_event *ev, char **why)
{
	struct pme_pmu pmus[PME_MAX_PMUS];

	if (happens_in_kernel(ev) && !ev->flags)
		ev->flags = PERFMON_EVENT_USER | PERFMON_EVENT_KERNEL;
	if (pme_needs_cpu_pmu(ev) && !pme_cpu_pmus(pmus))
		return pme_fail(why, ENOTSUP,
				"%s needs a hardware counter, and the kernel found none on this "
				"machine (a virtual machine without a PMU?); software events such "
				"as context-switches can be counted", name);
	if (!pme_countable(ev))
		return pme_fail(why, ENOTSUP, "%s is not counted by this machine's CPU", name);
	return 0;
}

int pme_resolve(const char *name, struct perfmon_event *ev, char **why)
{
	int rc;

	if (why)
		*why = NULL;
	memset(ev, 0, sizeof(*ev));
	if (!*name)
		return pme_fail(why, EINVAL, "an event name is missing");
	rc = pme_pfm_resolve(name, ev, why);
	if (rc == PME_UNKNOWN)
		rc = resolve_with_modes(name, ev, why);
	if (rc == PME_UNKNOWN)
		rc = unknown(name, why);
	return rc ? rc : check(name, ev, why);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libpfm4's tables: the vendors' event names of the CPUs of this machine, with unit masks and
 * modifiers. Its copies of perf's generic names are left to generic.c, and its raw codes to raw.c,
 * so that those mean the same on a CPU that libpfm4 does not know.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>

#include "internal.h"

#define NAME_LEN	256

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool usable;
/* Encoding may go through tables that libpfm4 fills as it needs them. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void init(void)
{
	usable = pfm_initialize() == PFM_SUCCESS;
}

static bool ready(void)
{
	pthread_once(&once, init);
	return usable;
}

/* Whether the event, by libpfm4's index, belongs to perf itself and not to hardware. */
static bool is_generic(int idx)
{
	pfm_event_info_t event = { .size = sizeof(event) };
	pfm_pmu_info_t pmu = { .size = sizeof(pmu) };

	if (pfm_get_event_info(idx, PFM_OS_NONE, &event) != PFM_SUCCESS ||
	    pfm_get_pmu_info(event.pmu, &pmu) != PFM_SUCCESS)
		return true;
	return pmu.type == PFM_PMU_TYPE_OS_GENERIC;
}

/* The index of the event that a name starts with: all before its first single colon. */
static int find_base(const char *name)
{
	const char *skip = strstr(name, "::");
	const char *end = strchr(skip ? skip + 2 : name, ':');
	char base[NAME_LEN];

	snprintf(base, sizeof(base), "%.*s", end ? (int)(end - name) : (int)strlen(name), name);
	return pfm_find_event(base);
}

static int encode(const char *name, struct perf_event_attr *attr, int *idx)
{
	pfm_perf_encode_arg_t arg = { .attr = attr, .size = sizeof(arg) };
	int rc;

	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	pthread_mutex_lock(&lock);
	/* No default modes: what is not excluded afterwards was asked for by a modifier. */
	rc = pfm_get_os_event_encoding(name, 0, PFM_OS_PERF_EVENT, &arg);
	pthread_mutex_unlock(&lock);
	*idx = arg.idx;
	return rc;
}

/* The unit masks an event takes, "A, B, C", or "" */
static void list_umasks(int idx, char *text, size_t size)
{
	pfm_event_info_t event = { .size = sizeof(event) };
	size_t used = 0;
	int i;

	*text = '\0';
	if (pfm_get_event_info(idx, PFM_OS_NONE, &event) != PFM_SUCCESS)
		return;
	for (i = 0; i < event.nattrs; i++) {
		pfm_event_attr_info_t attr = { .size = sizeof(attr) };
		int n;

		if (pfm_get_event_attr_info(idx, i, PFM_OS_NONE, &attr) != PFM_SUCCESS ||
		    attr.type != PFM_ATTR_UMASK)
			continue;
		n = snprintf(text + used, size - used, "%s%s", used ? ", " : "", attr.name);
		if (n < 0 || (size_t)n >= size - used)
			break;
		used += n;
	}
	text[used] = '\0';
}

/* The event exists, but not with these unit masks and modifiers. */
static int refuse_attributes(const char *name, int idx, int rc, char **why)
{
	char umasks[400];

	list_umasks(idx, umasks, sizeof(umasks));
	if (!*umasks)
		return pme_fail(why, EINVAL, "event \"%s\": %s; it has no unit masks", name,
				pfm_strerror(rc));
	return pme_fail(why, EINVAL, "event \"%s\": %s; its unit masks are %s", name,
			pfm_strerror(rc), umasks);
}

/* Modifiers that would ask for something that struct perfmon_event cannot say. */
static int check_modifiers(const char *name, const struct perf_event_attr *attr, char **why)
{
	const char *colon = strstr(name, ":h");

	if (colon && (!colon[2] || colon[2] == ':' || colon[2] == '='))
		return pme_fail(why, EINVAL, "event \"%s\": hypervisor mode cannot be counted",
				name);
	if (attr->config2 || attr->exclude_host)
		return pme_fail(why, ENOTSUP,
				"event \"%s\" needs settings beyond config and config1", name);
	return 0;
}

static void convert(const struct perf_event_attr *attr, struct perfmon_event *ev)
{
	ev->type = attr->type;
	ev->config = attr->config;
	ev->config1 = attr->config1;
	ev->flags = (attr->exclude_user ? 0 : PERFMON_EVENT_USER) |
		    (attr->exclude_kernel ? 0 : PERFMON_EVENT_KERNEL);
}

int pme_pfm_resolve(const char *name, struct perfmon_event *ev, char **why)
{
	struct perf_event_attr attr;
	int rc, idx, base;

	if (!ready() || strlen(name) >= NAME_LEN)
		return PME_UNKNOWN;
	rc = encode(name, &attr, &idx);
	if (rc != PFM_SUCCESS) {
		base = find_base(name);
		if (base < 0 || is_generic(base))
			return PME_UNKNOWN;
		return refuse_attributes(name, base, rc, why);
	}
	if (is_generic(idx) && attr.type != PERF_TYPE_TRACEPOINT)
		return PME_UNKNOWN;
	if (check_modifiers(name, &attr, why))
		return -1;
	convert(&attr, ev);
	if (pme_left_out(ev, pme_architected()))
		return pme_fail(why, ENOTSUP, "%s is not counted by this machine's CPU", name);
	return 0;
}

bool pme_pfm_knows(const char *name)
{
	int idx;

	if (!ready())
		return false;
	idx = pfm_find_event(name);
	return idx >= 0 && !is_generic(idx);
}

static bool is_cpu(pfm_pmu_t id, pfm_pmu_info_t *pmu)
{
	memset(pmu, 0, sizeof(*pmu));
	pmu->size = sizeof(*pmu);
	return pfm_get_pmu_info(id, pmu) == PFM_SUCCESS && pmu->is_present &&
	       pmu->type == PFM_PMU_TYPE_CORE;
}

/*
 * Machines have one or several core PMUs; Intel's architectural one is present beside the model's
 * own, and has the same events under fewer names.
 */
const char *pme_pfm_cpu(void)
{
	pfm_pmu_info_t pmu;
	const char *desc = NULL;
	pfm_pmu_t id;

	if (!ready())
		return NULL;
	pfm_for_all_pmus(id) {
		if (!is_cpu(id, &pmu))
			continue;
		if (!desc || pmu.is_dfl)
			desc = pmu.desc;
	}
	return desc;
}

struct pfm_walk {
	const struct pme_walk *walk;
	const pfm_pmu_info_t *pmu;
	unsigned long long architected;
};

/*
 * A name that two PMUs have means the first one's event; for the other it needs the PMU before it.
 * Only names that encode are listed, for some unit masks exist in combinations alone, and only what
 * the CPU counts.
 */
static int emit_name(const struct pfm_walk *w, const pfm_event_info_t *event, const char *umask,
		     const char *desc)
{
	bool shadowed = pfm_find_event(event->name) != event->idx;
	struct perf_event_attr attr;
	struct perfmon_event ev;
	char name[NAME_LEN];
	int idx, n;

	n = snprintf(name, sizeof(name), "%s%s%s%s%s", shadowed ? w->pmu->name : "",
		     shadowed ? "::" : "", event->name, umask ? ":" : "", umask ? umask : "");
	if (n < 0 || (size_t)n >= sizeof(name) || encode(name, &attr, &idx) != PFM_SUCCESS)
		return 0;
	convert(&attr, &ev);
	if (pme_left_out(&ev, w->architected))
		return 0;
	return pme_emit(w->walk, &ev, name, desc, w->pmu->name);
}

static int emit_event(const struct pfm_walk *w, const pfm_event_info_t *event)
{
	bool plain = true;
	char desc[512];
	int i, rc;

	for (i = 0; i < event->nattrs; i++) {
		pfm_event_attr_info_t attr = { .size = sizeof(attr) };

		if (pfm_get_event_attr_info(event->idx, i, PFM_OS_NONE, &attr) != PFM_SUCCESS ||
		    attr.type != PFM_ATTR_UMASK)
			continue;
		plain = false;
		snprintf(desc, sizeof(desc), "%s: %s", event->desc, attr.desc);
		rc = emit_name(w, event, attr.name, desc);
		if (rc)
			return rc;
	}
	return plain ? emit_name(w, event, NULL, event->desc) : 0;
}

static int walk_pmu(const struct pfm_walk *w)
{
	int idx, rc = 0;

	for (idx = w->pmu->first_event; !rc && idx != -1; idx = pfm_get_event_next(idx)) {
		pfm_event_info_t event = { .size = sizeof(event) };

		if (pfm_get_event_info(idx, PFM_OS_NONE, &event) == PFM_SUCCESS)
			rc = emit_event(w, &event);
	}
	return rc;
}

int pme_pfm_walk(const struct pme_walk *walk)
{
	pfm_pmu_info_t pmu;
	struct pfm_walk w = { .walk = walk, .pmu = &pmu };
	pfm_pmu_t id;
	int rc = 0;

	if (!ready())
		return 0;
	w.architected = pme_architected();
	pfm_for_all_pmus(id) {
		if (!rc && is_cpu(id, &pmu))
			rc = walk_pmu(&w);
	}
	return rc;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Event names -> encodings, for every library and tool of this project.
 *
 * A name is looked up, in this order, as a libpfm4 name with its umasks and modifiers; as a name
 * of the kernel's own (/sys/bus/event_source/devices/PMU/events); as a generic name (FreeBSD's
 * aliases, Solaris' PAPI_*, perf's hardware and software names); as a raw code ("0x11", "17",
 * "r11": the whole string must parse, 0 is valid). Case does not matter. Any of them may end in
 * ":u", ":k" or ":uk" for user mode, the kernel, or both. "PMU/name/" and "PMU/field=value,.../"
 * name an event of one PMU, in the manner of perf(1).
 *
 * Everything here may be called from any number of threads at once.
 */
#ifndef PERFMON_LIB_EVENT_H
#define PERFMON_LIB_EVENT_H

#include <stdint.h>
#include <linux/perfmon.h>

/*
 * Fills type, config, config1 of *ev; flags are set to those a modifier of the name asked for
 * (":u", ":k"), else 0, for the caller to default; but software events always come with flags,
 * both where no modifier says otherwise: they happen in the kernel, and counting them in user mode
 * alone would give a silent zero. Returns 0, or -1 with errno EINVAL (unknown, with *why a malloc'd
 * sentence that holds suggestions), ENOTSUP (a real name, but this machine's PMU does not have it),
 * ENOMEM. `why` may be NULL; the sentence has neither capital nor full stop nor newline.
 */
int pme_resolve(const char *name, struct perfmon_event *ev, char **why);

/*
 * The way back: a malloc'd name that pme_resolve() turns into the same type, config and config1,
 * the friendliest there is, without modifiers. NULL only when memory is short.
 */
char *pme_name(const struct perfmon_event *ev);

struct pme_info {
	const char *name;	/* as pme_resolve() takes it */
	const char *desc;	/* a sentence, never NULL, may be "" */
	const char *group;	/* "generic", "software", or the PMU's name */
};

/*
 * Calls fn for every event this machine can count, generic names first, until it returns
 * non-zero, which is then returned. `pattern`, where not NULL, keeps events whose name or
 * description contains it, case-blind.
 */
int pme_walk(const char *pattern, int (*fn)(const struct pme_info *info, void *arg), void *arg);

/* One counter of a specification. */
struct pme_request {
	unsigned int pic;		/* counter number, unique in the spec */
	char *name;			/* event as written, without attributes */
	struct perfmon_event event;	/* flags filled: default is user only */
};

#define PME_MAX_PIC	8

struct pme_spec {
	char *text;			/* as given */
	unsigned int n;
	struct pme_request req[PME_MAX_PIC];	/* ascending pic */
};

/*
 * Cuts the next item off a comma-separated specification, like strsep(3), but a pair of slashes
 * protects the commas in between ("cpu/event=0xc0,umask=1/"). NULL when nothing is left.
 */
char *pme_next_item(char **rest);

/*
 * Parses the -c argument of cpustat(1) and cputrack(1):
 *	[picN=]event[,attr[N][=val]]...[,[picN=]event...]  nouser[N] sys[N]
 * attributes: the fields of the CPU's raw encoding as the kernel names them (x86: umask cmask inv
 * edge ...), for events that have such an encoding. picnum is not one. A counter that would count
 * in no mode is refused. Returns 0, or -1 with errno and *why as pme_resolve(). pme_spec_clear()
 * frees the inside.
 */
int pme_spec_parse(const char *text, struct pme_spec *spec, char **why);
void pme_spec_clear(struct pme_spec *spec);

/* One line about the counters of this machine, static storage: "arm Cortex A57 (armv8_pmuv3_0)". */
const char *pme_cpu_name(void);

#endif

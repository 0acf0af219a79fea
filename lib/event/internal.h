/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of lib/event share. */
#ifndef PERFMON_LIB_EVENT_INTERNAL_H
#define PERFMON_LIB_EVENT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "event.h"

/* A source of names answers 0 (found), -1 (found but refused: errno and *why), or this. */
#define PME_UNKNOWN	1

/* Sets errno to err and *why, where why is not NULL, to the sentence. Returns -1. */
int pme_fail(char **why, int err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The sources, in the order of pme_resolve(). Names come without modifiers, save to libpfm4. */
int pme_pfm_resolve(const char *name, struct perfmon_event *ev, char **why);
int pme_sysfs_resolve(const char *name, struct perfmon_event *ev, char **why);
int pme_generic_resolve(const char *name, struct perfmon_event *ev, char **why);
int pme_raw_resolve(const char *name, struct perfmon_event *ev, char **why);

bool pme_same(const struct perfmon_event *a, const struct perfmon_event *b);

/* A walk in progress; the sources hand each event to pme_emit() and stop when it says so. */
struct pme_walk {
	const struct perfmon_event *only;	/* the encoding that is looked for, or NULL: any */
	const char *pattern;			/* or NULL */
	int (*fn)(const struct pme_info *info, void *arg);
	void *arg;
};

int pme_emit(const struct pme_walk *walk, const struct perfmon_event *ev, const char *name,
	     const char *desc, const char *group);
int pme_generic_walk(const struct pme_walk *walk, bool software);
int pme_pfm_walk(const struct pme_walk *walk);
int pme_sysfs_walk(const struct pme_walk *walk);

/* libpfm4's view of the CPU: its description or NULL, and whether an event has that name. */
const char *pme_pfm_cpu(void);
bool pme_pfm_knows(const char *name);

/* The nth generic name of an encoding, from 0, or NULL. */
const char *pme_generic_name(const struct perfmon_event *ev, unsigned int n);

/* Whether perf knows how to count this here. True where that cannot be found out. */
bool pme_countable(const struct perfmon_event *ev);

/* The closest names to one that does not exist, "a, b or c", malloc'd; NULL if none is close. */
char *pme_suggest(const char *name);

/*
 * Sysfs. The root is a variable for the tests' sake only.
 */
#define PME_PMU_LEN	64
#define PME_MAX_PMUS	16

extern const char *pme_sysfs_root;
bool pme_sysfs_is_real(void);

struct pme_pmu {
	char name[PME_PMU_LEN];
	unsigned int type;
};

/* The PMUs of the CPUs: one, or several where the CPUs differ. Returns how many. */
unsigned int pme_cpu_pmus(struct pme_pmu pmus[PME_MAX_PMUS]);

/* Its number, by name; a number as name is itself. False when there is no such PMU. */
bool pme_pmu_type(const char *name, unsigned int *type);
/* The name of any PMU, also one of no CPU, by its number; the number where there is none. */
void pme_pmu_of_type(unsigned int type, char name[PME_PMU_LEN]);

/* Whether the event, by its type, needs one of them. */
bool pme_needs_cpu_pmu(const struct perfmon_event *ev);

/* Calls fn for each event file of the PMU until it returns non-zero, which is then returned. */
int pme_sysfs_events(const char *pmu, int (*fn)(const char *pmu, const char *event, void *arg),
		     void *arg);

/*
 * Bit n: the CPU counts its architecture's event n. Of use on CPUs that say so, where a vendor's
 * table may list events that this chip, or this virtual machine, leaves out; else all bits.
 */
unsigned long long pme_architected(void);
/* Does the CPU, by those bits, leave out the event? */
bool pme_left_out(const struct perfmon_event *ev, unsigned long long architected);

/* Reads a file below the root, without its newline. 0, or -1 when there is none. */
int pme_sysfs_read(char *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* A field of an encoding, as a PMU's format directory describes it. */
struct pme_field {
	unsigned int word;		/* 0: config, 1: config1 */
	unsigned int width;		/* bits */
	unsigned char bit[64];		/* where each goes */
};

int pme_field_find(const char *pmu, const char *name, struct pme_field *field);
bool pme_field_set(const struct pme_field *field, unsigned long long value,
		   struct perfmon_event *ev);
/* Applies "field=value,field,..." to *ev. */
int pme_terms(const char *pmu, const char *terms, struct perfmon_event *ev, char **why);
/* The bits of config that mean something to the PMU; all where it does not say. */
unsigned long long pme_config_mask(const char *pmu);

/* The whole string as a number in the given base (0: C's rules). No sign, no blanks. */
bool pme_number(const char *text, int base, unsigned long long *value);

#endif

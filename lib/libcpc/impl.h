/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of libcpc share. */
#ifndef LIBCPC_IMPL_H
#define LIBCPC_IMPL_H

#include <stdbool.h>

#include <libcpc.h>

#include "event.h"

/* The library hides everything that is not marked so. */
#define CPC_API		__attribute__((visibility("default")))

#define CPC_DEVICE	"/dev/perfmon"

/* A message for the program's error function. */
void cpc_complain(const char *fn, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * A kind of CPU: how its specifications read, and where its control bits are.
 */
struct cpc_flag {
	const char *name;
	uint64_t bit;
	bool clears;			/* the flag says that the bit is not set */
	bool unprinted;			/* taken, but not needed to say anything */
};

struct cpc_cpu {
	const char *(*name)(int cpuver);
	const char *ref;
	const char *usage;
	unsigned int npic;
	bool numbered;			/* flags may have a counter's number */
	bool masks;			/* there are umask and cmask */
	const struct cpc_flag *flags;	/* in the order of the canonical form; NULL ends them */

	/* The control word that holds a counter's flags. */
	uint64_t (*word)(const cpc_event_t *event, unsigned int pic);
	void (*set_word)(cpc_event_t *event, unsigned int pic, uint64_t word);

	/* Puts an event on a counter. 0, or -1 with errno and *why. */
	int (*encode)(cpc_event_t *event, unsigned int pic, const char *name, char **why);
	/* The malloc'd name of what a counter counts, without flags and masks. */
	char *(*decode)(const cpc_event_t *event, unsigned int pic);
	void (*walk)(int cpuver, unsigned int pic, void *arg,
		     void (*action)(void *arg, int regno, const char *name, uint8_t bits));
};

/* NULL for a number without tables that is not this machine's. */
const struct cpc_cpu *cpc_cpu_of(int cpuver);

extern const struct cpc_cpu cpc_cpu_p6;
extern const struct cpc_cpu cpc_cpu_ultra;
extern const struct cpc_cpu cpc_cpu_native;

/* A table of events, for the CPUs that have one. */
struct cpc_name {
	const char *name;
	uint8_t code;
	uint8_t pics;			/* bit n: counter n can count it */
};

const struct cpc_name *cpc_name_find(const struct cpc_name *table, const char *name,
				     unsigned int pic);
/* A number from 0 to max, in C's notation. */
bool cpc_parse_number(const char *text, unsigned long max, unsigned long *value);
char *cpc_name_of(const struct cpc_name *table, uint8_t code, unsigned int pic);
void cpc_name_walk(const struct cpc_name *table, unsigned int pic, void *arg,
		   void (*action)(void *arg, int regno, const char *name, uint8_t bits));

/* The control word of the CPUs that have one per counter. */
uint64_t cpc_pes_word(const cpc_event_t *event, unsigned int pic);
void cpc_pes_set_word(cpc_event_t *event, unsigned int pic, uint64_t word);

/* Which counters of an event are used. */
unsigned int cpc_used(const cpc_event_t *event);

/* The fields of ce_pes[] that this machine's raw encoding has, mode bits not among them. */
uint32_t cpc_native_fields(void);
/* The event of a counter as the driver takes it. 0, or -1 with errno and *why. */
int cpc_native_event(const cpc_event_t *event, unsigned int pic, struct perfmon_event *out,
		     char **why);

#endif

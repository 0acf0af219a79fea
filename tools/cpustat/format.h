/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What cpustat prints, as strings: Solaris' columns. Each function returns malloc'd text that
 * ends in a newline, or NULL when memory is short.
 */
#ifndef CPUSTAT_FORMAT_H
#define CPUSTAT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "event.h"

/* -T */
enum stamp { STAMP_NONE, STAMP_NUMBER, STAMP_DATE };

struct line {
	enum stamp stamp;
	time_t now;		/* for the stamp */
	int64_t time;		/* ns since the start */
	int cpu;		/* of a total: how many CPUs */
	const char *event;	/* "tick" or "total" */
	const uint64_t *ticks;	/* NULL: no such column */
	unsigned int n;
	const uint64_t *value;	/* [n] */
	const char *spec;	/* NULL: only one set is measured */
};

char *format_title(const struct pme_spec *spec, bool ticks);
char *format_line(const struct line *line);

/* CPU numbers as the kernel lists them, without a newline: "0-2,5". `cpus` ascends. */
char *format_cpus(const int *cpus, size_t n);

#endif

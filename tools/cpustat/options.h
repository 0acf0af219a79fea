/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command line of cpustat. */
#ifndef CPUSTAT_OPTIONS_H
#define CPUSTAT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "event.h"
#include "format.h"

/* What cpustat can end with; cpustat(1) documents them. */
enum { STATUS_OK = 0, STATUS_FAILED = 1, STATUS_USAGE = 2 };

enum action { ACTION_COUNT, ACTION_LIST, ACTION_VERSION };

struct options {
	enum action action;
	const char *pattern;		/* of ACTION_LIST, NULL for all */
	struct pme_spec *sets;		/* -c, in the order given */
	unsigned int nsets;
	bool cycling;			/* -p was given */
	bool ticks;			/* -t */
	bool title;			/* not -n */
	bool soak;			/* -s */
	enum stamp stamp;		/* -T */
	int64_t interval;		/* ns */
	int64_t period;			/* ns, of -p */
	uint64_t count;			/* samples, with -p cycles; 0: no end */
};

/* Returns 0, or a status to end with after having said why. */
int options_parse(struct options *opt, int argc, char **argv);

void options_clear(struct options *opt);

/* How the command is used, many lines. */
extern const char options_usage[];

#endif

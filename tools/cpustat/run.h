/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The measurement of all CPUs, from start to totals. */
#ifndef CPUSTAT_RUN_H
#define CPUSTAT_RUN_H

#include "options.h"

/* Returns the status to end with. */
int run_count(const struct options *opt);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What cpustat has to say on stderr. */
#ifndef CPUSTAT_MESSAGE_H
#define CPUSTAT_MESSAGE_H

#include <stdbool.h>

extern bool message_debug;	/* -D: name the function */

/* "cpustat: [fn: ]text" and a newline, in one write: lines of several threads do not mix. */
void message(const char *fn, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif

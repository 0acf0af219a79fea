/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* -h: the events of this machine. */
#ifndef CPUSTAT_LIST_H
#define CPUSTAT_LIST_H

/* Prints usage and all events, or the events with `pattern` in them. Returns the status. */
int list_events(const char *pattern);

#endif

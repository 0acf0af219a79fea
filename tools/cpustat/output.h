/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines on stdout. */
#ifndef CPUSTAT_OUTPUT_H
#define CPUSTAT_OUTPUT_H

#include <stdbool.h>

/*
 * Writes a line with one write(2) and frees it; NULL stands for a line that memory was too short
 * for. False: there is no use in writing more. A reader that has gone is no failure of ours, for
 * anything else the reason has been said and output_failed() is true from then on.
 */
bool output_line(char *line);
bool output_failed(void);

/* Keeps files that we open from becoming stdin, stdout or stderr where those are closed. */
void output_guard(void);

#endif

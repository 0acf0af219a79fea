/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Refusals of one CPU, in words: each leaves err and a sentence in cpu->why, and returns -1. */
#ifndef CPUSTAT_WHY_H
#define CPUSTAT_WHY_H

#include "cpu.h"

int why_not(struct cpu *cpu, const char *what, int err);
int why_not_open(struct cpu *cpu, int err);
int why_not_bound(struct cpu *cpu, const struct pme_spec *spec, unsigned int fit, int err);
int why_offline(struct cpu *cpu);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The counters of one CPU.
 *
 * Sets with a hardware event use the CPU as cpc_shared_open(3) does: one holder, and the caller
 * must be bound to the CPU. Sets of nothing but software events need no such thing and work on a
 * machine without counters too; they are raw sets of perfmon(4).
 */
#ifndef CPUSTAT_CPU_H
#define CPUSTAT_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "event.h"

#define CPU_WHY_LEN	512

struct cpu {
	int id;
	int fd;				/* -1: closed */
	bool raw;
	const struct pme_spec *bound;	/* what counts, NULL for nothing */
	int err;			/* errno of the last failure */
	char why[CPU_WHY_LEN];		/* the last failure, a sentence for the user */
};

struct cpu_sample {
	int64_t time;			/* ns, CLOCK_MONOTONIC */
	uint64_t ticks;
	uint64_t value[PME_MAX_PIC];
	uint32_t bad;			/* bit n: value[n] does not count as it should */
	bool lost;			/* the CPU went away: these are its last values */
};

/* All return 0, or -1 with err and why filled. */
int cpu_open(struct cpu *cpu, int id, bool raw);
int cpu_bind(struct cpu *cpu, const struct pme_spec *spec);
int cpu_sample(struct cpu *cpu, struct cpu_sample *sample);

void cpu_release(struct cpu *cpu);
void cpu_close(struct cpu *cpu);

/* Binds the calling thread to a CPU. Returns 0, or -1 with errno. */
int cpu_pin(int id);

/* The CPUs this process may use and that are online, ascending, malloc'd; NULL with errno. */
int *cpu_list(size_t *n);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One CPU: the thread that is bound to it, and what it has counted. */
#ifndef CPUSTAT_WORKER_H
#define CPUSTAT_WORKER_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "cpu.h"
#include "options.h"
#include "soak.h"

/* What all threads share. */
struct run {
	const struct options *opt;
	bool raw;			/* software events only, see cpu.h */
	int64_t start;			/* ns, CLOCK_MONOTONIC; set before any thread counts */
	atomic_bool stop;		/* take a last sample and end */
	sem_t event;			/* the main thread has something to look at */
};

enum phase { PREPARING, READY, DONE };

/* One set on one CPU, all samples together. */
struct tally {
	uint64_t samples;
	int64_t time;			/* of the last sample */
	uint64_t ticks;
	uint64_t value[PME_MAX_PIC];
};

/*
 * While the thread runs, others may look at `phase` and post `wake`. What is below `phase` is
 * theirs once it is DONE.
 */
struct worker {
	struct run *run;
	int id;				/* of the CPU */
	pthread_t thread;
	bool started;
	sem_t wake;			/* posted: READY -> count, or look at run->stop */
	atomic_int phase;
	bool failed;
	bool warned;			/* of a counter that does not count */
	struct cpu cpu;
	struct soaker soaker;
	int64_t goal;			/* when the next sample is due */
	struct cpu_sample last;		/* what the next delta is relative to */
	struct tally *tally;		/* [opt->nsets] */
};

/*
 * Starts the thread, which binds all sets once to see that they can be counted. It is then READY
 * and counts after the next post of `wake`, or it is DONE with `failed` set and cpu.why filled.
 * Returns 0 or an errno.
 */
int worker_start(struct worker *worker, struct run *run, int id);
void worker_wake(struct worker *worker);
void worker_join(struct worker *worker);

#endif

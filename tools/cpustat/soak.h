/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * -s: a thread that keeps a CPU from being idle, at the lowest priority there is and in user mode,
 * so that a count of system mode has no idle loop in it.
 */
#ifndef CPUSTAT_SOAK_H
#define CPUSTAT_SOAK_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

struct soaker {
	bool running;
	pthread_t thread;
	sem_t wake;
	atomic_int mode;
};

/* The thread runs where the caller is bound to, resting at first. Returns 0 or an errno. */
int soaker_start(struct soaker *soaker);

/* Both do nothing for one that was not started. */
void soaker_set(struct soaker *soaker, bool spin);
void soaker_end(struct soaker *soaker);

#endif

// SPDX-License-Identifier: LGPL-2.1-or-later
/* -s: a thread that keeps a CPU from being idle. */
#include <sched.h>

#include "soak.h"

enum { REST, SPIN, END };

static void *soak(void *arg)
{
	struct soaker *soaker = arg;
	struct sched_param param = { .sched_priority = 0 };

	/* Without it the thread would only be ruder than meant. */
	sched_setscheduler(0, SCHED_IDLE, &param);
	while (atomic_load(&soaker->mode) != END) {
		while (atomic_load_explicit(&soaker->mode, memory_order_relaxed) == SPIN)
			;
		sem_wait(&soaker->wake);
	}
	return NULL;
}

static void set_mode(struct soaker *soaker, int mode)
{
	if (!soaker->running || atomic_exchange(&soaker->mode, mode) == mode)
		return;
	sem_post(&soaker->wake);
}

int soaker_start(struct soaker *soaker)
{
	int err;

	sem_init(&soaker->wake, 0, 0);
	atomic_store(&soaker->mode, REST);
	err = pthread_create(&soaker->thread, NULL, soak, soaker);
	soaker->running = !err;
	return err;
}

void soaker_set(struct soaker *soaker, bool spin)
{
	set_mode(soaker, spin ? SPIN : REST);
}

void soaker_end(struct soaker *soaker)
{
	if (!soaker->running)
		return;
	set_mode(soaker, END);
	pthread_join(soaker->thread, NULL);
	soaker->running = false;
}

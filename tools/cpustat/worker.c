// SPDX-License-Identifier: LGPL-2.1-or-later
/* One CPU: the thread that is bound to it, and what it has counted. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "message.h"
#include "output.h"
#include "why.h"
#include "worker.h"

static bool rotates(const struct options *opt)
{
	return opt->nsets > 1 || opt->cycling;
}

static bool system_only(const struct pme_spec *spec)
{
	unsigned int i;

	for (i = 0; i < spec->n; i++)
		if (spec->req[i].event.flags != PERFMON_EVENT_KERNEL)
			return false;
	return true;
}

static bool fail(struct worker *w, const char *fn)
{
	w->failed = true;
	message(fn, "CPU %d: %s", w->id, w->cpu.why);
	return false;
}

static void stop_everything(struct run *run)
{
	atomic_store(&run->stop, true);
	sem_post(&run->event);
}

/* ---- samples ---- */

static void warn_contended(struct worker *w, uint32_t bad)
{
	const struct pme_spec *spec = w->cpu.bound;
	unsigned int i;

	if (w->warned)
		return;
	w->warned = true;
	w->failed = true;
	for (i = 0; i < spec->n; i++)
		if (bad & (1u << i))
			message("CPC_IOC_SAMPLE",
				"CPU %d: %s (pic%u) lost its counter to another user of perf: "
				"its counts are too low", w->id, spec->req[i].name,
				spec->req[i].pic);
}

/* What was counted since the last sample; it becomes part of the total. */
static struct cpu_sample take_delta(struct worker *w, struct tally *tally,
				    const struct cpu_sample *now)
{
	struct cpu_sample delta = *now;
	unsigned int i;

	delta.ticks -= w->last.ticks;
	tally->ticks += delta.ticks;
	for (i = 0; i < PME_MAX_PIC; i++) {
		delta.value[i] -= w->last.value[i];
		tally->value[i] += delta.value[i];
	}
	tally->time = now->time;
	tally->samples++;
	w->last = *now;
	return delta;
}

static bool print_sample(struct worker *w, const struct pme_spec *spec,
			 const struct cpu_sample *delta)
{
	const struct options *opt = w->run->opt;
	struct line line = {
		.stamp = opt->stamp,
		.now = time(NULL),
		.time = delta->time - w->run->start,
		.cpu = w->id,
		.event = "tick",
		.ticks = opt->ticks ? &delta->ticks : NULL,
		.n = spec->n,
		.value = delta->value,
		.spec = opt->nsets > 1 ? spec->text : NULL,
	};

	if (output_line(format_line(&line)))
		return true;
	stop_everything(w->run);
	return false;
}

/* ---- time ---- */

/* Sleeps until the goal, or until all is to stop. */
static void wait_for(struct worker *w, int64_t goal)
{
	struct timespec until = { goal / NSEC_PER_SEC, goal % NSEC_PER_SEC };

	while (!atomic_load(&w->run->stop))
		if (sem_clockwait(&w->wake, CLOCK_MONOTONIC, &until) && errno == ETIMEDOUT)
			return;
}

/* One interval on; those that have gone by already are left out. */
static int64_t next_goal(int64_t goal, int64_t interval)
{
	int64_t late;

	goal += interval;
	late = clock_now() - goal;
	return late < 0 ? goal : goal + (late / interval + 1) * interval;
}

/* The rest of a period that began at `begin`. Returns when the next one begins. */
static int64_t rest(struct worker *w, int64_t begin)
{
	begin += w->run->opt->period;
	if (begin <= w->goal)
		return w->goal;
	wait_for(w, begin);
	w->goal = begin;
	return begin;
}

/* ---- counting ---- */

static int bind_set(struct worker *w, const struct pme_spec *spec)
{
	if (cpu_bind(&w->cpu, spec))
		return -1;
	memset(&w->last, 0, sizeof(w->last));
	return 0;
}

/* One interval of one set. False: this CPU is through, for good or bad. */
static bool measure_set(struct worker *w, unsigned int i)
{
	const struct options *opt = w->run->opt;
	const struct pme_spec *spec = &opt->sets[i];
	struct cpu_sample sample, delta;

	if (w->cpu.bound != spec && bind_set(w, spec))
		return fail(w, "CPC_IOC_BIND");
	soaker_set(&w->soaker, system_only(spec));
	w->goal = next_goal(w->goal, opt->interval);
	wait_for(w, w->goal);
	if (cpu_sample(&w->cpu, &sample))
		return fail(w, "CPC_IOC_SAMPLE");
	delta = take_delta(w, &w->tally[i], &sample);
	if (sample.bad && !sample.lost)
		warn_contended(w, sample.bad);
	if (rotates(opt)) {
		soaker_set(&w->soaker, false);
		cpu_release(&w->cpu);
	}
	if (!print_sample(w, spec, &delta))
		return false;
	if (sample.lost)
		return fail(w, "CPC_IOC_SAMPLE");
	return !atomic_load(&w->run->stop);
}

/* All sets once. Takes what it did off *left, where there is an end. */
static bool measure_round(struct worker *w, uint64_t *left)
{
	const struct options *opt = w->run->opt;
	unsigned int i;

	for (i = 0; i < opt->nsets; i++) {
		if (!measure_set(w, i))
			return false;
		if (opt->count && !opt->cycling && !--*left)
			return false;
	}
	return !opt->count || !opt->cycling || --*left;
}

/* Counting began when the set was bound, the measurement begins now. */
static bool take_baseline(struct worker *w)
{
	struct cpu_sample sample;

	if (cpu_sample(&w->cpu, &sample) || sample.lost)
		return fail(w, "CPC_IOC_SAMPLE");
	w->last = sample;
	return true;
}

static void measure(struct worker *w)
{
	const struct options *opt = w->run->opt;
	uint64_t left = opt->count;
	int64_t begin = w->run->start;

	w->goal = begin;
	if (!take_baseline(w))
		return;
	while (measure_round(w, &left)) {
		if (opt->cycling)
			begin = rest(w, begin);
		if (atomic_load(&w->run->stop))
			return;
	}
}

/* Binds every set, the first one last: it then counts already. */
static int try_sets(struct worker *w)
{
	const struct options *opt = w->run->opt;
	unsigned int i;

	for (i = opt->nsets; i-- > 0;) {
		if (bind_set(w, &opt->sets[i]))
			return -1;
		if (i > 0)
			cpu_release(&w->cpu);
	}
	return 0;
}

static int prepare(struct worker *w)
{
	int err;

	w->cpu = (struct cpu){ .id = w->id, .fd = -1 };
	if (cpu_pin(w->id))
		return errno == EINVAL ? why_offline(&w->cpu) :
					 why_not(&w->cpu, "cannot run there", errno);
	if (cpu_open(&w->cpu, w->id, w->run->raw) || try_sets(w))
		return -1;
	if (!w->run->opt->soak)
		return 0;
	err = soaker_start(&w->soaker);
	return err ? why_not(&w->cpu, "cannot start the thread of -s", err) : 0;
}

static void set_phase(struct worker *w, enum phase phase)
{
	atomic_store(&w->phase, phase);
	sem_post(&w->run->event);
}

static void *work(void *arg)
{
	struct worker *w = arg;

	if (prepare(w)) {
		w->failed = true;
	} else {
		set_phase(w, READY);
		while (sem_wait(&w->wake))
			;
		measure(w);
		soaker_end(&w->soaker);
	}
	cpu_close(&w->cpu);
	set_phase(w, DONE);
	return NULL;
}

int worker_start(struct worker *worker, struct run *run, int id)
{
	int err;

	worker->run = run;
	worker->id = id;
	worker->tally = calloc(run->opt->nsets, sizeof(*worker->tally));
	if (!worker->tally)
		return ENOMEM;
	sem_init(&worker->wake, 0, 0);
	atomic_store(&worker->phase, PREPARING);
	err = pthread_create(&worker->thread, NULL, work, worker);
	worker->started = !err;
	return err;
}

void worker_wake(struct worker *worker)
{
	sem_post(&worker->wake);
}

void worker_join(struct worker *worker)
{
	if (worker->started)
		pthread_join(worker->thread, NULL);
}

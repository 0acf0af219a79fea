// SPDX-License-Identifier: LGPL-2.1-or-later
/* The measurement of all CPUs, from start to totals. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#include "clock.h"
#include "device.h"
#include "message.h"
#include "output.h"
#include "run.h"
#include "worker.h"

/* For the signal handler. */
static struct run *running;

struct crew {
	struct worker *worker;
	size_t n;
};

/* ---- being told to stop ---- */

/*
 * The first signal asks for an end in order; one that comes when that has had its time, for any
 * end. One that comes with the first is the same: sudo(8) and timeout(1) pass on what the terminal
 * has sent already.
 */
static void on_signal(int sig)
{
	static int64_t first;

	if (!first) {
		first = clock_now();
		atomic_store(&running->stop, true);
		sem_post(&running->event);
	} else if (clock_now() - first > NSEC_PER_SEC) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
}

static const int stop_signals[] = { SIGINT, SIGTERM, SIGHUP };

/* One that our parent ignores (nohup, a shell's background job) stays ignored. */
static void catch_signals(struct run *run)
{
	struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct sigaction old;
	size_t i;

	running = run;
	signal(SIGPIPE, SIG_IGN);
	for (i = 0; i < sizeof(stop_signals) / sizeof(*stop_signals); i++)
		if (!sigaction(stop_signals[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(stop_signals[i], &act, NULL);
}

/* ---- the crew ---- */

static void free_crew(struct crew *crew)
{
	size_t i;

	for (i = 0; i < crew->n; i++)
		free(crew->worker[i].tally);
	free(crew->worker);
}

static void join_crew(struct crew *crew)
{
	size_t i;

	for (i = 0; i < crew->n; i++)
		worker_join(&crew->worker[i]);
}

/* The threads leave all signals to the main thread. */
static void start_crew(struct crew *crew, struct run *run, const int *cpus)
{
	sigset_t all, old;
	size_t i;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	for (i = 0; i < crew->n; i++) {
		struct worker *w = &crew->worker[i];

		err = worker_start(w, run, cpus[i]);
		if (!err)
			continue;
		w->failed = true;
		snprintf(w->cpu.why, sizeof(w->cpu.why), "cannot start a thread: %s",
			 strerror(err));
		atomic_store(&w->phase, DONE);
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static size_t count_phase(const struct crew *crew, enum phase least)
{
	size_t i, n = 0;

	for (i = 0; i < crew->n; i++)
		n += atomic_load(&crew->worker[i].phase) >= (int)least;
	return n;
}

static void wake_crew(struct crew *crew)
{
	size_t i;

	for (i = 0; i < crew->n; i++)
		if (crew->worker[i].started)
			worker_wake(&crew->worker[i]);
}

static void wait_phase(const struct crew *crew, struct run *run, enum phase phase)
{
	while (count_phase(crew, phase) < crew->n)
		sem_wait(&run->event);
}

/* Once all count: until all have done so, or are told to stop. */
static void wait_done(struct crew *crew, struct run *run)
{
	while (count_phase(crew, DONE) < crew->n && !atomic_load(&run->stop))
		sem_wait(&run->event);
	wake_crew(crew);
}

/* ---- what has become of it ---- */

/* CPUs that cannot be counted: one line for all that have the same reason. */
static void report_unready(const struct crew *crew)
{
	int *cpus = malloc(crew->n * sizeof(*cpus));
	size_t i, k, n;

	for (i = 0; cpus && i < crew->n; i++) {
		const char *why = crew->worker[i].cpu.why;
		bool first = true;
		char *list;

		if (atomic_load(&crew->worker[i].phase) != DONE)
			continue;
		for (k = 0, n = 0; k < crew->n; k++) {
			if (atomic_load(&crew->worker[k].phase) != DONE ||
			    strcmp(why, crew->worker[k].cpu.why))
				continue;
			first = first && k >= i;
			cpus[n++] = crew->worker[k].id;
		}
		if (!first)
			continue;
		list = format_cpus(cpus, n);
		message("prepare", "CPU %s: %s", list ? list : "?", why);
		free(list);
	}
	free(cpus);
}

static bool any_failed(const struct crew *crew)
{
	size_t i;

	for (i = 0; i < crew->n; i++)
		if (crew->worker[i].failed)
			return true;
	return false;
}

/* The sum of one set over the CPUs that have counted it; returns how many did. */
static int add_up(const struct crew *crew, unsigned int set, struct tally *sum)
{
	unsigned int pic;
	int cpus = 0;
	size_t i;

	memset(sum, 0, sizeof(*sum));
	for (i = 0; i < crew->n; i++) {
		const struct tally *t;

		if (!crew->worker[i].started)
			continue;
		t = &crew->worker[i].tally[set];
		if (!t->samples)
			continue;
		cpus++;
		sum->ticks += t->ticks;
		if (t->time > sum->time)
			sum->time = t->time;
		for (pic = 0; pic < PME_MAX_PIC; pic++)
			sum->value[pic] += t->value[pic];
	}
	return cpus;
}

static bool print_total(const struct run *run, const struct crew *crew, unsigned int set)
{
	const struct options *opt = run->opt;
	const struct pme_spec *spec = &opt->sets[set];
	struct tally sum;
	int cpus = add_up(crew, set, &sum);
	struct line line = {
		.cpu = cpus,
		.time = sum.time - run->start,
		.event = "total",
		.ticks = opt->ticks ? &sum.ticks : NULL,
		.n = spec->n,
		.value = sum.value,
		.spec = opt->nsets > 1 ? spec->text : NULL,
	};

	if (cpus)
		return output_line(format_line(&line));
	message("total", "%s was not counted: its turn did not come", spec->text);
	return true;
}

static void print_totals(const struct run *run, const struct crew *crew)
{
	unsigned int i;

	for (i = 0; i < run->opt->nsets; i++)
		if (!print_total(run, crew, i))
			return;
}

static bool software_only(const struct options *opt)
{
	unsigned int i, k;

	for (i = 0; i < opt->nsets; i++)
		for (k = 0; k < opt->sets[i].n; k++)
			if (opt->sets[i].req[k].event.type != PERF_TYPE_SOFTWARE)
				return false;
	return true;
}

/* Returns the status to end with. */
static int count_with(struct crew *crew, struct run *run, const int *cpus)
{
	const struct options *opt = run->opt;

	start_crew(crew, run, cpus);
	wait_phase(crew, run, READY);
	report_unready(crew);
	if (count_phase(crew, DONE) == crew->n) {
		join_crew(crew);
		return STATUS_FAILED;
	}
	if (opt->title && !output_line(format_title(&opt->sets[0], opt->ticks)))
		atomic_store(&run->stop, true);
	run->start = clock_now();
	wake_crew(crew);
	wait_done(crew, run);
	join_crew(crew);
	print_totals(run, crew);
	return any_failed(crew) || output_failed() ? STATUS_FAILED : STATUS_OK;
}

int run_count(const struct options *opt)
{
	struct run run = { .opt = opt, .raw = software_only(opt) };
	struct crew crew;
	int status;
	int *cpus;

	if (device_check(!run.raw))
		return STATUS_FAILED;
	cpus = cpu_list(&crew.n);
	if (!cpus) {
		message("sched_getaffinity", "cannot list the CPUs: %s", strerror(errno));
		return STATUS_FAILED;
	}
	crew.worker = calloc(crew.n, sizeof(*crew.worker));
	if (!crew.worker) {
		message("calloc", "%s", strerror(ENOMEM));
		free(cpus);
		return STATUS_FAILED;
	}
	sem_init(&run.event, 0, 0);
	catch_signals(&run);
	status = count_with(&crew, &run, cpus);
	free_crew(&crew);
	free(cpus);
	return status;
}

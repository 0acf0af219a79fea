// SPDX-License-Identifier: GPL-2.0-only
/*
 * A set that only one worker uses, so that it is known what it must say: while it counts, its
 * values do not go back; while it is stopped, they do not change; and a CPU that goes away, or
 * somebody who takes the counters, does not cost what has been counted.
 */
#include <sys/ioctl.h>

#include "request.h"

#define MAX_PRESET	(1ULL << 40)	/* far enough from where values wrap */

struct sample {
	struct perfmon_sample head;
	uint64_t value[PERFMON_MAX_EVENTS];
};

static int request(struct worker *w, unsigned long cmd, void *arg)
{
	int ret = ioctl(w->model.fd, cmd, arg) < 0 ? -errno : 0;

	/* The descriptor is good, the memory is, and nobody else has an interest in it. */
	if (ret == -EBADF || ret == -EFAULT || ret == -ENOTTY)
		broken(w, "model: request %#lx gives %d", cmd, ret);
	return ret;
}

static void forget(struct model *m)
{
	memset(m->cpu, 0, sizeof(m->cpu));
}

static struct perfmon_event sane_event(struct worker *w)
{
	static const uint64_t software[] = {
		PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_COUNT_SW_PAGE_FAULTS,
	};
	int hardware = machine_hardware(any(&w->random));
	struct perfmon_event event = {
		.type = PERF_TYPE_SOFTWARE,
		.flags = PERFMON_EVENT_USER | PERFMON_EVENT_KERNEL,
		.config = software[below(&w->random, ARRAY_SIZE(software))],
		.preset = one_in(&w->random, 2) ? any64(&w->random) % MAX_PRESET : 0,
	};

	if (one_in(&w->random, 4) && hardware >= 0) {
		event.type = PERF_TYPE_HARDWARE;
		event.config = hardware;
	}
	return event;
}

static int program(struct worker *w)
{
	struct perfmon_event events[PERFMON_MAX_EVENTS];
	struct model *m = &w->model;
	struct perfmon_set set = {
		.size = sizeof(set),
		.flags = below(&w->random, 2),
		.cpu = one_in(&w->random, 2) ? -1 : (int)below(&w->random, machine_cpus()),
		.nevents = 1 + below(&w->random, one_in(&w->random, 16) ? PERFMON_MAX_EVENTS : 4),
		.events = (uintptr_t)events,
	};
	unsigned int i;
	int ret;

	for (i = 0; i < set.nevents; i++)
		events[i] = sane_event(w);
	if (!note(w, "model 1: CPU %lld, %llu events, flags %#llx", set.cpu, set.nevents,
		  set.flags))
		return NOTHING_DONE;
	if (m->fd < 0)
		m->fd = open(DEVICE, PERFMON_O_CONTROL | O_CLOEXEC);
	if (m->fd < 0)
		return -errno;
	forget(m);
	ret = request(w, PERFMON_IOC_SET_PROGRAM, &set);
	m->programmed = !ret;
	m->running = m->programmed && (set.flags & PERFMON_SET_STARTED);
	m->n = set.nevents;
	return ret;
}

static int start(struct worker *w)
{
	struct model *m = &w->model;
	unsigned int cpu;
	int ret = request(w, PERFMON_IOC_SET_START, NULL);

	m->running = !ret;
	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		memcpy(m->cpu[cpu].low, m->cpu[cpu].stopped, sizeof(m->cpu[cpu].low));
		m->cpu[cpu].exact = false;
	}
	return ret;
}

static int stop(struct worker *w)
{
	struct model *m = &w->model;
	unsigned int cpu;
	int ret = request(w, PERFMON_IOC_SET_STOP, NULL);

	if (ret)
		broken(w, "model: a programmed set cannot be stopped: %d", ret);
	m->running = false;
	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		memcpy(m->cpu[cpu].stopped, m->cpu[cpu].low, sizeof(m->cpu[cpu].low));
	return ret;
}

/* CPUs that the set does not have yet start from the preset, which is more than nothing. */
static int reset(struct worker *w)
{
	int ret = request(w, PERFMON_IOC_SET_RESET, NULL);
	struct model *m = &w->model;
	unsigned int cpu;

	if (ret)
		broken(w, "model: a programmed set cannot be reset: %d", ret);
	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		memset(m->cpu[cpu].low, 0, sizeof(m->cpu[cpu].low));
		memset(m->cpu[cpu].stopped, 0, sizeof(m->cpu[cpu].stopped));
		m->cpu[cpu].exact = m->cpu[cpu].known && !m->running;
	}
	return ret;
}

static void compare(struct worker *w, const struct sample *s)
{
	struct model *m = &w->model;
	unsigned int cpu = s->head.cpu, i;

	for (i = 0; i < m->n; i++) {
		uint64_t low = m->cpu[cpu].low[i];

		if (s->value[i] < low || (m->cpu[cpu].exact && s->value[i] != low))
			broken(w, "model: value %u of CPU %u: %llu, %llu; run %d state %u bad %#x",
			       i, cpu, (unsigned long long)low, (unsigned long long)s->value[i],
			       m->running, s->head.state, s->head.bad);
		m->cpu[cpu].low[i] = s->value[i];
		if (!m->running)
			m->cpu[cpu].stopped[i] = s->value[i];
	}
	m->cpu[cpu].known = true;
	m->cpu[cpu].exact = !m->running;
}

static void check_state(struct worker *w, const struct sample *s)
{
	uint32_t good = w->model.running ? PERFMON_STATE_COUNTING : PERFMON_STATE_OFF;

	if (s->head.state != good && s->head.state != PERFMON_STATE_LOST &&
	    s->head.state != PERFMON_STATE_CONTENDED)
		broken(w, "model: state %u, running %d", s->head.state, w->model.running);
	if ((s->head.state == good) != !s->head.bad)
		broken(w, "model: state %u, bad %#x", s->head.state, s->head.bad);
}

static int get(struct worker *w)
{
	unsigned int cpu = below(&w->random, machine_cpus());
	struct sample s;
	struct perfmon_read read = {
		.size = sizeof(read),
		.cpu = cpu,
		.bytes = sizeof(s),
		.records = (uintptr_t)&s,
	};
	int ret = request(w, PERFMON_IOC_SET_READ, &read);

	/* The set may have no counters there. */
	if (ret == -ENXIO && !w->model.cpu[cpu].known)
		return ret;
	if (ret) {
		broken(w, "model: CPU %u cannot be read: %d", cpu, ret);
		return ret;
	}
	if (s.head.nr != w->model.n || s.head.cpu != (int)cpu) {
		broken(w, "model: %u values of CPU %d, not %u of CPU %u", s.head.nr, s.head.cpu,
		       w->model.n, cpu);
		return ret;
	}
	check_state(w, &s);
	compare(w, &s);
	return ret;
}

/* Those that a set must have been programmed for. */
static int use(struct worker *w, unsigned int which)
{
	switch (which) {
	case 3:
	case 4:
		return start(w);
	case 5:
		return stop(w);
	case 6:
		return reset(w);
	default:
		return get(w);
	}
}

int op_model(struct worker *w)
{
	unsigned int which = below(&w->random, 24);

	if (which == 1 || which == 2)
		return program(w);
	if (!note(w, "model %llu", which))
		return NOTHING_DONE;
	if (which)
		return w->model.programmed ? use(w, which) : NOTHING_DONE;
	if (one_in(&w->random, 2))
		model_end(w);
	return 0;
}

void model_end(struct worker *w)
{
	if (w->model.fd >= 0)
		close(w->model.fd);
	w->model.fd = -1;
	w->model.programmed = false;
}

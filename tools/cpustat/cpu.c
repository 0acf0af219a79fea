// SPDX-License-Identifier: LGPL-2.1-or-later
/* The counters of one CPU. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/cpc.h>

#include "cpu.h"
#include "device.h"
#include "why.h"

#define MOST_CPUS	(1 << 20)

/* A sample as the driver writes it, with room for the largest set. */
union record {
	struct perfmon_sample head;
	char room[sizeof(struct perfmon_sample) + PME_MAX_PIC * sizeof(__u64)];
};

static int hold_shared(struct cpu *cpu)
{
	struct cpc_shared_open req = { .size = sizeof(req) };

	return ioctl(cpu->fd, CPC_IOC_SHARED_OPEN, &req);
}

int cpu_open(struct cpu *cpu, int id, bool raw)
{
	*cpu = (struct cpu){ .id = id, .raw = raw };
	cpu->fd = device_open();
	if (cpu->fd < 0)
		return why_not(cpu, "cannot open " DEVICE_PATH, errno);
	if (!raw && hold_shared(cpu)) {
		why_not_open(cpu, errno);
		cpu_close(cpu);
		return -1;
	}
	return 0;
}

static int bind_shared(int fd, const struct perfmon_event *events, unsigned int n)
{
	struct cpc_bind req = { .size = sizeof(req), .nevents = n, .events = (uintptr_t)events };

	return ioctl(fd, CPC_IOC_BIND, &req);
}

static int bind_raw(int fd, int id, const struct perfmon_event *events, unsigned int n)
{
	struct perfmon_set req = {
		.size = sizeof(req),
		.flags = PERFMON_SET_STARTED,
		.cpu = id,
		.nevents = n,
		.events = (uintptr_t)events,
	};

	return ioctl(fd, PERFMON_IOC_SET_PROGRAM, &req);
}

static int bind_events(struct cpu *cpu, const struct perfmon_event *events, unsigned int n)
{
	if (cpu->raw)
		return bind_raw(cpu->fd, cpu->id, events, n);
	return bind_shared(cpu->fd, events, n);
}

/*
 * After EAGAIN, this thread is no longer bound to the CPU. Either somebody moved it, then it goes
 * back and nothing is lost, or the kernel did because the CPU went offline, then it cannot.
 */
static int go_back(struct cpu *cpu)
{
	if (!cpu_pin(cpu->id))
		return 0;
	return errno == EINVAL ? why_offline(cpu) :
				 why_not(cpu, "cannot go back to the CPU", errno);
}

/* How many of the events can be counted together, when all of them cannot. */
static unsigned int count_fitting(struct cpu *cpu, const struct perfmon_event *events,
				  unsigned int n)
{
	while (--n > 0) {
		if (!bind_events(cpu, events, n)) {
			cpu_release(cpu);
			break;
		}
	}
	return n;
}

static int bind_bound(struct cpu *cpu, const struct pme_spec *spec,
		      const struct perfmon_event *events)
{
	unsigned int fit = 0;
	int err;

	if (!bind_events(cpu, events, spec->n))
		return 0;
	err = errno;
	if (err == EAGAIN) {
		if (go_back(cpu))
			return -1;
		if (!bind_events(cpu, events, spec->n))
			return 0;
		err = errno;
	}
	if (err == EBUSY)
		fit = count_fitting(cpu, events, spec->n);
	return why_not_bound(cpu, spec, fit, err);
}

int cpu_bind(struct cpu *cpu, const struct pme_spec *spec)
{
	struct perfmon_event events[PME_MAX_PIC];
	unsigned int i;

	for (i = 0; i < spec->n; i++)
		events[i] = spec->req[i].event;
	if (bind_bound(cpu, spec, events))
		return -1;
	cpu->bound = spec;
	return 0;
}

static int sample_once(struct cpu *cpu, union record *record)
{
	struct perfmon_read req = {
		.size = sizeof(req),
		.cpu = cpu->id,
		.bytes = sizeof(*record),
		.records = (uintptr_t)record,
	};

	memset(record, 0, sizeof(*record));
	record->head.nr = PME_MAX_PIC;
	if (cpu->raw)
		return ioctl(cpu->fd, PERFMON_IOC_SET_READ, &req);
	return ioctl(cpu->fd, CPC_IOC_SAMPLE, record);
}

static int sample_bound(struct cpu *cpu, union record *record)
{
	if (!sample_once(cpu, record))
		return 0;
	if (errno == EAGAIN) {
		if (go_back(cpu))
			return -1;
		if (!sample_once(cpu, record))
			return 0;
	}
	return why_not(cpu, "cannot read the counters", errno);
}

int cpu_sample(struct cpu *cpu, struct cpu_sample *sample)
{
	union record record;

	if (sample_bound(cpu, &record))
		return -1;
	/* What the driver did not write would look like counts of zero. */
	if (record.head.nr != cpu->bound->n)
		return why_not(cpu, "the driver returned another set", EPROTO);
	sample->time = record.head.time;
	sample->ticks = record.head.ticks;
	sample->bad = record.head.bad;
	sample->lost = record.head.state == PERFMON_STATE_LOST;
	memcpy(sample->value, record.room + sizeof(record.head), sizeof(sample->value));
	if (sample->lost)
		why_offline(cpu);
	return 0;
}

void cpu_release(struct cpu *cpu)
{
	/* Fails only where there is nothing to release. */
	if (cpu->fd >= 0)
		ioctl(cpu->fd, cpu->raw ? PERFMON_IOC_SET_STOP : CPC_IOC_RELE);
	cpu->bound = NULL;
}

void cpu_close(struct cpu *cpu)
{
	if (cpu->fd >= 0)
		close(cpu->fd);
	cpu->fd = -1;
	cpu->bound = NULL;
}

int cpu_pin(int id)
{
	cpu_set_t *set = CPU_ALLOC(id + 1);
	size_t size = CPU_ALLOC_SIZE(id + 1);
	int ret;

	if (!set) {
		errno = ENOMEM;
		return -1;
	}
	CPU_ZERO_S(size, set);
	CPU_SET_S(id, size, set);
	ret = sched_setaffinity(0, size, set);
	CPU_FREE(set);
	return ret;
}

/* The mask of this process, without those that are offline; its size is found by trying. */
static cpu_set_t *read_affinity(size_t *size)
{
	int n;

	for (n = 1024; n <= MOST_CPUS; n *= 2) {
		cpu_set_t *set = CPU_ALLOC(n);

		if (!set)
			return NULL;
		*size = CPU_ALLOC_SIZE(n);
		if (!sched_getaffinity(0, *size, set))
			return set;
		CPU_FREE(set);
		if (errno != EINVAL)
			return NULL;
	}
	return NULL;
}

int *cpu_list(size_t *n)
{
	size_t size, i, k = 0;
	cpu_set_t *set = read_affinity(&size);
	int *list;

	if (!set)
		return NULL;
	*n = CPU_COUNT_S(size, set);
	list = malloc(*n * sizeof(*list));
	for (i = 0; list && k < *n; i++)
		if (CPU_ISSET_S(i, size, set))
			list[k++] = i;
	CPU_FREE(set);
	return list;
}

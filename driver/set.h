/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The engine, as the faces see it: sets of counters, the same n on every CPU that the set covers.
 *
 * Hardware is taken when a set is created and kept until it is destroyed: start, stop and reset
 * only move the base that values are relative to, so they cost a read and cannot lose a counter
 * to somebody else in between.
 *
 * Who calls: each set has one owner, who calls everything here under one mutex of its own, but for
 * reading a single CPU.
 */
#ifndef PERFMON_SET_H
#define PERFMON_SET_H

#include <linux/mutex.h>
#include <linux/perfmon.h>

#include "counter.h"
#include "fault.h"

/*
 * A sample with room for the largest set, and one that is cheap to have on the stack and to copy
 * out whole: a copy of constant size is not checked at run time. Few hold most sets.
 */
struct pm_sample {
	struct perfmon_sample head;
	u64 value[PERFMON_MAX_EVENTS];
};

#define PM_FEW	8

struct pm_sample_few {
	struct perfmon_sample head;
	u64 value[PM_FEW];
};

/*
 * For a struct pm_sample_few that is filled by a read and pm_sample_pad(): many kernels are built
 * to clear every variable on the stack first, which costs as much as two counters.
 */
#if __has_attribute(uninitialized)
#define __pm_uninitialized	__attribute__((uninitialized))
#else
#define __pm_uninitialized
#endif

/* After a read that found no more than PM_FEW values: the rest of what is copied out is zero. */
static inline void pm_sample_pad(struct pm_sample_few *sample)
{
	unsigned int i;

	for (i = sample->head.nr; i < PM_FEW; i++) {
		sample->value[i] = 0;
		/* No call of memset() for a word or two. */
		OPTIMIZER_HIDE_VAR(i);
	}
}

static inline size_t pm_sample_size(unsigned int n)
{
	return sizeof(struct perfmon_sample) + n * sizeof(u64);
}

/**
 * pm_set_create - program n counters on one CPU or on every online one
 * @events: what to count; checked here
 * @n: 1 to PERFMON_MAX_EVENTS
 * @cpu: a CPU number or PM_ALL_CPUS
 * @owner: the mutex that is held here and at every other call for this set
 * @watch: told when a CPU of the set goes away
 * @fault: takes the reason of a refusal
 *
 * All counters are programmed on all CPUs and verified, or none is. The set is stopped, each
 * value at its preset. Runs in the caller's context, because perf's policy is applied to it.
 *
 * Return: the set, or an ERR_PTR: -EINVAL bad argument or unknown event, -E2BIG too many events,
 * -ENXIO no such PMU or CPU offline, -EBUSY no counter free, -EACCES perf's policy, -EOPNOTSUPP
 * the PMU cannot count this way, -ENOMEM.
 */
struct pm_set *pm_set_create(const struct perfmon_event *events, unsigned int n, int cpu,
			     struct mutex *owner, struct pm_watch *watch,
			     struct pm_fault *fault);
void pm_set_destroy(struct pm_set *set);

/**
 * pm_set_start - count on, from where the last stop left the values
 * @set: stopped or running
 * @fault: takes the reason of a refusal
 *
 * CPUs that came (back) since the set was created are programmed first.
 *
 * Return: 0, or as pm_set_create(), then the set is stopped everywhere.
 */
int pm_set_start(struct pm_set *set, struct pm_fault *fault);
void pm_set_stop(struct pm_set *set);

/* Zeroes the values; a running set counts on from zero. */
void pm_set_reset(struct pm_set *set);

/* CPUs that the set covers, online or not: the records of pm_set_read_all(). */
unsigned int pm_set_cpus(const struct pm_set *set);

/* A CPU of the set went away and has not been started again. */
bool pm_set_lost(const struct pm_set *set);

/**
 * pm_set_read_cpu - the set's values on one CPU
 * @set: running or not
 * @cpu: a CPU number
 * @sample: takes the values, when it has room for all of them, else only their number
 * @room: values that @sample can hold
 * @timed: the sample's time and ticks are wanted
 *
 * Needs no mutex, if the set cannot be destroyed meanwhile.
 *
 * Return: 0, -ENXIO when the set does not cover @cpu.
 */
int pm_set_read_cpu(struct pm_set *set, int cpu, struct perfmon_sample *sample, unsigned int room,
		    bool timed);

/**
 * pm_set_read_all - the set's values on each of its CPUs, in one round
 * @set: running or not
 * @size: takes the size of what is returned
 *
 * Return: pm_set_cpus() records that follow each other, valid until the owner's mutex is dropped.
 */
const void *pm_set_read_all(struct pm_set *set, size_t *size);

/*
 * The set's part of a CPU, or NULL, for a reader that has interrupts off on that CPU and knows that
 * the set is only destroyed after an interrupt there: see pm_on_cpu() and pm_part_read().
 */
struct pm_part *pm_set_part(struct pm_set *set, int cpu);

/*
 * Runs fn on a CPU with interrupts off; there when the CPU is online, here when it is not, since
 * then nobody else can be at what that CPU owns.
 */
void pm_on_cpu(int cpu, void (*fn)(void *arg), void *arg);

#endif

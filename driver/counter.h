/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The engine: sets of counters on CPUs. counter.c is the only file that knows perf_event.
 *
 * A set is n counters, the same on every CPU that it covers; a part is its share of one CPU.
 * Hardware is taken when a set is created and kept until it is destroyed: start, stop and reset
 * only move the base that values are relative to, so they cost a read and cannot lose a counter
 * to somebody else in between.
 *
 * Who calls: each set has one owner, who calls everything here under one mutex of its own, but for
 * reading a single CPU.
 */
#ifndef PERFMON_COUNTER_H
#define PERFMON_COUNTER_H

#include <linux/mutex.h>
#include <linux/perfmon.h>
#include <linux/wait.h>

#include "fault.h"

#define PM_ALL_CPUS	(-1)

struct pm_set;

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
 * @wait: woken with EPOLLPRI when a CPU of the set goes away
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
			     struct mutex *owner, wait_queue_head_t *wait,
			     struct pm_fault *fault);
void pm_set_destroy(struct pm_set *set);

/**
 * pm_set_start - count on, from where the last stop left the values
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
 * @sample: takes the values, when it has room for all of them, else only their number
 * @room: values that @sample can hold
 *
 * Needs no mutex, if the set cannot be destroyed meanwhile.
 *
 * Return: 0, -ENXIO when the set does not cover @cpu.
 */
int pm_set_read_cpu(struct pm_set *set, int cpu, struct perfmon_sample *sample, unsigned int room);

/**
 * pm_set_read_all - the set's values on each of its CPUs, in one round
 *
 * Return: pm_set_cpus() records that follow each other, @size bytes in all; valid until the owner's
 * mutex is dropped.
 */
const void *pm_set_read_all(struct pm_set *set, size_t *size);

/**
 * pm_set_read_here - pm_set_read_cpu() on the CPU that this runs on
 *
 * For a caller that has interrupts off and that knows that the set covers this CPU and is only
 * destroyed after an interrupt of this CPU (see pm_on_cpu()). Takes no lock.
 */
void pm_set_read_here(struct pm_set *set, struct perfmon_sample *sample, unsigned int room);

/*
 * Runs fn on a CPU with interrupts off; there when the CPU is online, here when it is not, since
 * then nobody else can be at what that CPU owns.
 */
void pm_on_cpu(int cpu, void (*fn)(void *arg), void *arg);

/**
 * pm_counter_probe - are there hardware counters that the current task may use?
 * @cpu: a CPU number, or PM_ALL_CPUS for any
 *
 * Return: 0, -ENXIO no PMU, -EACCES perf's policy, with the reason in @fault.
 */
int pm_counter_probe(int cpu, struct pm_fault *fault);

/* Is this an online CPU, or PM_ALL_CPUS? Else -EINVAL there is none, -ENXIO it is offline. */
int pm_cpu_or_all_check(int cpu, struct pm_fault *fault);

/* May the current task count CPUs at all (0 or -EACCES), and the kernel's own instructions? */
int pm_counter_allow_cpu(struct pm_fault *fault);
bool pm_counter_allow_kernel(void);

int pm_counter_init(void);
void pm_counter_exit(void);

#endif

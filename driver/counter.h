/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counters of one CPU, called a part (of a set, see set.h), and what perf says of the machine.
 * counter.c is the only file that knows perf_event.
 */
#ifndef PERFMON_COUNTER_H
#define PERFMON_COUNTER_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/perfmon.h>
#include <linux/smp.h>
#include <linux/timex.h>

#include "fault.h"
#include "watch.h"

#define PM_ALL_CPUS	(-1)

struct perf_event;
struct pm_set;

struct pm_slot {
	struct perf_event *event;
	u64 base;		/* of a running counter: what perf counted that is not ours */
	u64 value;		/* of a stopped one */
};

/*
 * @n, @cpu, @event, @watch, @lost, @set, @index, @record, @csd: fixed once the part is listed.
 * @node, *@lost: counter.c's list lock; *@lost may be read without.
 * @state, @bad, @origin, @ticks, @slot[].base, @slot[].value: the part's CPU, with interrupts off.
 *	While @state is LOST, the set's owner, who makes it OFF; others may then only read, through
 *	pm_part_values().
 * @slot[].event: the set's owner, and the part not listed.
 * @fn, @done: set.c, see pm_call_pair().
 */
struct pm_part {
	unsigned int n;
	int cpu;
	const struct perfmon_event *event;
	struct pm_watch *watch;		/* told when the CPU goes away */
	bool *lost;			/* set then */
	enum perfmon_state state;
	u32 bad;			/* counters that stood still at times, since the reset */
	struct list_head node;
	u64 origin;			/* time stamp counter at the start */
	u64 ticks;			/* of earlier runs */

	struct pm_set *set;
	unsigned int index;		/* in the order of coming */
	struct perfmon_sample *record;	/* its share of the set's records */
	struct __call_single_data csd;
	smp_call_func_t fn;
	int done;

	struct pm_slot slot[];
};

/* From any CPU. Who sees a part stopped or LOST with this sees the values that it stopped with. */
static inline enum perfmon_state pm_part_state(const struct pm_part *part)
{
	/* Pairs with the release in pm_part_stop() and its like. */
	return smp_load_acquire(&part->state);
}

/*
 * Takes the hardware: creates the events and lists the part, which is LOST before and OFF after.
 * In the caller's context, because perf's policy is applied to it. Whether perf has placed the
 * events is for pm_part_misplaced() to say. Errno: see pm_set_create().
 */
int pm_part_program(struct pm_part *part, struct pm_fault *fault);

/* Gives it back; there may be nothing to give. */
void pm_part_unprogram(struct pm_part *part);

/*
 * The index of a counter that perf has not placed, or -1; at any time. Elsewhere than on the part's
 * CPU with interrupts off it may be a matter of a moment: perf takes all counters of a CPU away and
 * brings them back when it places another one.
 */
int pm_part_misplaced(const struct pm_part *part);

/* On the part's CPU, with interrupts off: */

/* Makes it LOST, the values being those of the last stop, so that it can be programmed anew. */
void pm_part_abandon(struct pm_part *part);
void pm_part_start(struct pm_part *part);
void pm_part_stop(struct pm_part *part, enum perfmon_state state);
void pm_part_reset(struct pm_part *part);

/* @now: the time of the sample, ns; @cycles: the CPU's time stamp counter. */
void pm_part_read(struct pm_part *part, struct perfmon_sample *sample, u64 now, cycles_t cycles);

/* The values of a part that does not count; touches no hardware, so any CPU may ask for them. */
void pm_part_values(const struct pm_part *part, struct perfmon_sample *sample, u64 now);

/* No CPU is lost; one that leaves from now on will say so. */
void pm_parts_found(bool *lost);

/* The CPUs that can be counted on now; it may change at any time. */
const struct cpumask *pm_counter_cpus(void);

/* Is this one of them, or PM_ALL_CPUS? Else -EINVAL there is none such, -ENXIO it is offline. */
int pm_cpu_or_all_check(int cpu, struct pm_fault *fault);

/**
 * pm_counter_probe - are there hardware counters that the current task may use?
 * @cpu: a CPU number, or PM_ALL_CPUS for any
 * @fault: takes the reason of a refusal; may be NULL
 *
 * Return: 0, -ENXIO no PMU, -EACCES perf's policy.
 */
int pm_counter_probe(int cpu, struct pm_fault *fault);

/* May the current task count CPUs at all (0 or -EACCES), and the kernel's own instructions? */
int pm_counter_allow_cpu(void);
bool pm_counter_allow_kernel(void);

int pm_counter_init(void);
void pm_counter_exit(void);

#endif

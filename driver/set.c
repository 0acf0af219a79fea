// SPDX-License-Identifier: GPL-2.0-only
/* Sets of counters on one CPU or on many, see set.h. */
#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>

#include "set.h"

/*
 * @n, @cpu, @owner, @watch, @event[]: fixed at creation.
 * @part[]: the owner's mutex; an entry is set once, so readers need only not to miss its contents.
 * @lost: set by the hotplug callback, cleared by the owner's mutex before it looks for itself.
 * The rest: the owner's mutex; @records and @bad are also written by the CPUs that the owner has
 * asked to, while it waits.
 */
struct pm_set {
	unsigned int n;
	int cpu;		/* or PM_ALL_CPUS */
	struct mutex *owner;
	struct pm_watch *watch;
	struct perfmon_event event[PERFMON_MAX_EVENTS];

	cpumask_var_t mask;	/* CPUs with a part */
	unsigned int nparts;
	bool lost;		/* some part may be LOST */
	u64 now;		/* of the sample that is being taken */
	cycles_t cycles;
	void *records;		/* a sample a part, by index */
	struct pm_part *pair[2];	/* the first two parts */
	atomic_t bad;		/* CPU << 8 | index of a counter that is not placed, or -1 */
	struct pm_part *part[];	/* by CPU number */
};

/* ---- called on a CPU, with interrupts off ---- */

static struct pm_part *pm_this_part(struct pm_set *set)
{
	return set->part[smp_processor_id()];
}

static void pm_ipi_read(void *arg)
{
	struct pm_set *set = arg;
	struct pm_part *part = pm_this_part(set);

	pm_part_read(part, part->record, set->now, set->cycles);
}

static void pm_ipi_start(void *arg)
{
	struct pm_part *part = pm_this_part(arg);
	int index;

	if (part->state == PERFMON_STATE_LOST)
		return;
	index = pm_part_misplaced(part);
	if (index >= 0)
		atomic_set(&part->set->bad, part->cpu << 8 | index);
	else
		pm_part_start(part);
}

static void pm_ipi_abandon(void *arg)
{
	pm_part_abandon(arg);
}

static void pm_ipi_stop(void *arg)
{
	pm_part_stop(pm_this_part(arg), PERFMON_STATE_OFF);
}

static void pm_ipi_reset(void *arg)
{
	pm_part_reset(pm_this_part(arg));
}

/* ---- calling them ---- */

/*
 * Runs fn here with interrupts off, if here is @cpu. smp_call_function_single() would do the same
 * at more than twice the price.
 */
static __always_inline bool pm_call_here(int cpu, smp_call_func_t fn, void *arg)
{
	unsigned long flags;
	bool here;

	/* The first look spares a caller from elsewhere the rest; only the second one counts. */
	if (raw_smp_processor_id() != cpu)
		return false;
	local_irq_save(flags);
	here = smp_processor_id() == cpu;
	if (here)
		fn(arg);
	local_irq_restore(flags);
	return here;
}

static void pm_csd_call(void *arg)
{
	struct pm_part *part = arg;

	part->fn(part->set);
	/* Pairs with the acquire of who waits in pm_call_pair(). */
	smp_store_release(&part->done, 1);
}

/*
 * Runs fn on this CPU, if it is the set's, and on one other, at the same time. What
 * on_each_cpu_mask() does for any number of CPUs, without the search for them. With preemption
 * off the other CPU cannot go offline before it has answered; the csd is unlocked before fn runs
 * and not touched after it, so it is free when we go on, and so is the part.
 */
static void pm_call_pair(struct pm_set *set, smp_call_func_t fn, struct pm_part *other)
{
	int err;

	other->fn = fn;
	other->done = 0;
	err = smp_call_function_single_async(other->cpu, &other->csd);
	pm_call_here(smp_processor_id(), fn, set);
	if (!err)
		smp_cond_load_acquire(&other->done, VAL);
}

/* The one part that is not of this CPU, in a set of two of which this CPU has one; else NULL. */
static struct pm_part *pm_other_of_two(const struct pm_set *set)
{
	int cpu = smp_processor_id();

	if (set->nparts != 2 || !set->part[cpu])
		return NULL;
	return set->pair[!set->part[cpu]->index];
}

static void pm_call_all(struct pm_set *set, smp_call_func_t fn)
{
	struct pm_part *other;

	preempt_disable();
	other = pm_other_of_two(set);
	if (other)
		pm_call_pair(set, fn, other);
	else
		on_each_cpu_mask(set->mask, fn, set, true);
	preempt_enable();
}

/*
 * Runs fn on every CPU of the set, or on the one it has. Parts of CPUs that are offline are left
 * out: they are LOST, and what they hold is the owner's.
 */
static void pm_set_call(struct pm_set *set, smp_call_func_t fn)
{
	lockdep_assert_held(set->owner);
	if (set->cpu == PM_ALL_CPUS)
		pm_call_all(set, fn);
	else if (!pm_call_here(set->cpu, fn, set))
		smp_call_function_single(set->cpu, fn, set, 1);
}

void pm_on_cpu(int cpu, void (*fn)(void *arg), void *arg)
{
	unsigned long flags;

	cpus_read_lock();
	if (smp_call_function_single(cpu, fn, arg, 1)) {
		local_irq_save(flags);
		fn(arg);
		local_irq_restore(flags);
	}
	cpus_read_unlock();
}

/* ---- covering the CPUs ---- */

struct pm_look {
	const struct pm_part *part;
	int index;
};

static void pm_ipi_look(void *arg)
{
	struct pm_look *look = arg;

	look->index = pm_part_misplaced(look->part);
}

/* The index of a counter that perf has not placed, or -1, and not only for the moment. */
static int pm_part_find_misplaced(const struct pm_part *part)
{
	struct pm_look look = {
		.part = part,
		.index = pm_part_misplaced(part),
	};

	if (unlikely(look.index >= 0))
		pm_on_cpu(part->cpu, pm_ipi_look, &look);
	return look.index;
}

static struct pm_part *pm_part_alloc(struct pm_set *set, int cpu)
{
	struct pm_part *part;
	unsigned int i;

	part = kzalloc_node(struct_size(part, slot, set->n), GFP_KERNEL_ACCOUNT, cpu_to_node(cpu));
	if (!part)
		return NULL;
	part->n = set->n;
	part->cpu = cpu;
	part->event = set->event;
	part->watch = set->watch;
	part->lost = &set->lost;
	part->set = set;
	part->index = set->nparts++;
	part->record = set->records + part->index * pm_sample_size(set->n);
	if (part->index < ARRAY_SIZE(set->pair))
		set->pair[part->index] = part;
	INIT_CSD(&part->csd, pm_csd_call, part);
	part->state = PERFMON_STATE_LOST;
	INIT_LIST_HEAD(&part->node);
	for (i = 0; i < set->n; i++)
		part->slot[i].value = set->event[i].preset;
	/* Pairs with the acquire in pm_set_part(). */
	smp_store_release(&set->part[cpu], part);
	cpumask_set_cpu(cpu, set->mask);
	return part;
}

static int pm_events_check(const struct perfmon_event *events, unsigned int n,
			   struct pm_fault *fault)
{
	unsigned int i;

	if (!n)
		return pm_fault(fault, -EINVAL, -1, -1, "a set needs at least one event");
	if (n > PERFMON_MAX_EVENTS)
		return pm_fault(fault, -E2BIG, -1, -1, "%u events, a set takes %u", n,
				PERFMON_MAX_EVENTS);
	for (i = 0; i < n; i++) {
		if (events[i].flags & ~(PERFMON_EVENT_USER | PERFMON_EVENT_KERNEL))
			return pm_fault(fault, -EINVAL, i, -1, "event %u: unknown flags %#x", i,
					events[i].flags);
		if (events[i].type == PERF_TYPE_TRACEPOINT ||
		    events[i].type == PERF_TYPE_BREAKPOINT)
			return pm_fault(fault, -EINVAL, i, -1,
					"event %u: tracepoints and breakpoints are not counters",
					i);
		if ((events[i].flags & PERFMON_EVENT_KERNEL) && !pm_counter_allow_kernel())
			return pm_fault(fault, -EACCES, i, -1,
					"counting in kernel mode needs root or CAP_PERFMON");
	}
	return 0;
}

static int pm_part_place(struct pm_part *part, struct pm_fault *fault)
{
	int index, err;

	pm_part_unprogram(part);
	err = pm_events_check(part->event, part->n, fault);
	if (!err)
		err = pm_part_program(part, fault);
	if (err)
		return err;
	index = pm_part_find_misplaced(part);
	if (pm_part_state(part) == PERFMON_STATE_LOST)
		return pm_fault(fault, -ENXIO, -1, part->cpu, "CPU %d went offline", part->cpu);
	if (index < 0)
		return 0;
	return pm_fault(fault, -EBUSY, index, part->cpu,
			"CPU %d has no free counter for event %d of %u",
			part->cpu, index, part->n);
}

/*
 * Sees to it that the set has its counters on this CPU. What perf has put off for others it would
 * bring back before all that came later, and take their counters, so it is created anew instead.
 */
static int pm_set_cover(struct pm_set *set, int cpu, struct pm_fault *fault)
{
	struct pm_part *part = set->part[cpu];

	if (!part)
		part = pm_part_alloc(set, cpu);
	if (!part)
		return pm_fault(fault, -ENOMEM, -1, cpu, "out of memory");
	if (pm_part_state(part) != PERFMON_STATE_LOST) {
		if (pm_part_find_misplaced(part) < 0)
			return 0;
		pm_on_cpu(cpu, pm_ipi_abandon, part);
	}
	return pm_part_place(part, fault);
}

static int pm_set_cover_online(struct pm_set *set, struct pm_fault *fault)
{
	int cpu, err;

	if (set->cpu != PM_ALL_CPUS) {
		err = pm_cpu_or_all_check(set->cpu, fault);
		return err ?: pm_set_cover(set, set->cpu, fault);
	}
	for_each_cpu(cpu, pm_counter_cpus()) {
		err = pm_set_cover(set, cpu, fault);
		/* A CPU that left meanwhile is none of the online ones. */
		if (err && cpumask_test_cpu(cpu, pm_counter_cpus()))
			return err;
	}
	return 0;
}

static int pm_set_cover_all(struct pm_set *set, struct pm_fault *fault)
{
	int err;

	/* First: a CPU that leaves from now on says so itself. */
	pm_parts_found(&set->lost);
	err = pm_set_cover_online(set, fault);
	if (pm_set_lost(set))
		WRITE_ONCE(set->lost, true);
	return err;
}

/*
 * Starts what has been found placed. That it is not any more can only be because somebody took it
 * in between.
 */
static int pm_set_start_placed(struct pm_set *set, struct pm_fault *fault)
{
	int bad;

	atomic_set(&set->bad, -1);
	pm_set_call(set, pm_ipi_start);
	bad = atomic_read(&set->bad);
	if (bad < 0)
		return 0;
	return pm_fault(fault, -EBUSY, bad & 0xff, bad >> 8,
			"somebody took a counter of CPU %d: start again", bad >> 8);
}

/* ---- a set ---- */

static struct pm_set *pm_set_alloc(const struct perfmon_event *events, unsigned int n, int cpu)
{
	unsigned int records = cpu == PM_ALL_CPUS ? num_possible_cpus() : 1;
	struct pm_set *set;

	set = kvzalloc(struct_size(set, part, nr_cpu_ids), GFP_KERNEL_ACCOUNT);
	if (!set)
		return NULL;
	set->records = kvcalloc(records, pm_sample_size(n), GFP_KERNEL_ACCOUNT);
	if (!set->records || !zalloc_cpumask_var(&set->mask, GFP_KERNEL)) {
		kvfree(set->records);
		kvfree(set);
		return NULL;
	}
	set->n = n;
	set->cpu = cpu;
	memcpy(set->event, events, n * sizeof(*events));
	return set;
}

struct pm_set *pm_set_create(const struct perfmon_event *events, unsigned int n, int cpu,
			     struct mutex *owner, struct pm_watch *watch, struct pm_fault *fault)
{
	struct pm_set *set;
	int err;

	err = pm_events_check(events, n, fault);
	if (!err)
		err = pm_cpu_or_all_check(cpu, fault);
	if (err)
		return ERR_PTR(err);

	set = pm_set_alloc(events, n, cpu);
	if (!set)
		return ERR_PTR(pm_fault(fault, -ENOMEM, -1, -1, "out of memory"));
	set->owner = owner;
	set->watch = watch;

	pm_watch_clear(watch);
	err = pm_set_cover_all(set, fault);
	if (!err && cpu != PM_ALL_CPUS && pm_set_lost(set))
		err = pm_fault(fault, -ENXIO, -1, cpu, "CPU %d went offline", cpu);
	if (err) {
		pm_set_destroy(set);
		return ERR_PTR(err);
	}
	return set;
}

void pm_set_destroy(struct pm_set *set)
{
	int cpu;

	for_each_cpu(cpu, set->mask) {
		pm_part_unprogram(set->part[cpu]);
		kfree(set->part[cpu]);
	}
	free_cpumask_var(set->mask);
	kvfree(set->records);
	kvfree(set);
}

static bool pm_set_misplaced(const struct pm_set *set)
{
	int cpu;

	for_each_cpu(cpu, set->mask) {
		const struct pm_part *part = set->part[cpu];

		if (pm_part_state(part) != PERFMON_STATE_LOST &&
		    pm_part_find_misplaced(part) >= 0)
			return true;
	}
	return false;
}

int pm_set_start(struct pm_set *set, struct pm_fault *fault)
{
	int err;

	/* To place a counter anew is to stop the set, and must not cost what it has counted. */
	if (unlikely(pm_set_misplaced(set)))
		pm_set_stop(set);
	pm_watch_clear(set->watch);
	err = pm_set_cover_all(set, fault);
	if (!err)
		err = pm_set_start_placed(set, fault);
	if (err)
		pm_set_stop(set);
	return err;
}

void pm_set_stop(struct pm_set *set)
{
	pm_set_call(set, pm_ipi_stop);
}

void pm_set_reset(struct pm_set *set)
{
	int cpu;

	pm_set_call(set, pm_ipi_reset);
	for_each_cpu(cpu, set->mask)
		if (pm_part_state(set->part[cpu]) == PERFMON_STATE_LOST)
			pm_part_reset(set->part[cpu]);
}

unsigned int pm_set_cpus(const struct pm_set *set)
{
	return set->nparts;
}

bool pm_set_lost(const struct pm_set *set)
{
	int cpu;

	for_each_cpu(cpu, set->mask)
		if (pm_part_state(set->part[cpu]) == PERFMON_STATE_LOST)
			return true;
	return false;
}

/* ---- reading ---- */

struct pm_part *pm_set_part(struct pm_set *set, int cpu)
{
	if (cpu < 0 || cpu >= nr_cpu_ids)
		return NULL;
	/* Pairs with the release in pm_part_alloc(). */
	return smp_load_acquire(&set->part[array_index_nospec(cpu, nr_cpu_ids)]);
}

struct pm_read {
	struct pm_part *part;
	struct perfmon_sample *sample;
	bool timed;
};

static void pm_ipi_read_cpu(void *arg)
{
	struct pm_read *read = arg;

	if (read->timed)
		pm_part_read(read->part, read->sample, ktime_get_ns(), get_cycles());
	else
		pm_part_read(read->part, read->sample, 0, 0);
}

int pm_set_read_cpu(struct pm_set *set, int cpu, struct perfmon_sample *sample, unsigned int room,
		    bool timed)
{
	struct pm_read read = { .sample = sample, .timed = timed };

	read.part = pm_set_part(set, cpu);
	if (!read.part)
		return -ENXIO;
	sample->nr = set->n;
	if (unlikely(set->n > room))
		return 0;
	if (pm_call_here(cpu, pm_ipi_read_cpu, &read))
		return 0;
	/* Of a CPU that is offline the last values are here. */
	if (smp_call_function_single(cpu, pm_ipi_read_cpu, &read, 1))
		pm_part_values(read.part, sample, ktime_get_ns());
	return 0;
}

static void pm_set_read_lost(struct pm_set *set)
{
	int cpu;

	for_each_cpu(cpu, set->mask) {
		struct pm_part *part = set->part[cpu];

		if (pm_part_state(part) == PERFMON_STATE_LOST)
			pm_part_values(part, part->record, set->now);
	}
}

const void *pm_set_read_all(struct pm_set *set, size_t *size)
{
	set->now = ktime_get_ns();
	set->cycles = get_cycles();
	pm_set_call(set, pm_ipi_read);
	if (unlikely(READ_ONCE(set->lost)))
		pm_set_read_lost(set);
	*size = set->nparts * pm_sample_size(set->n);
	return set->records;
}

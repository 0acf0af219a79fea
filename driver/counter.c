// SPDX-License-Identifier: GPL-2.0-only
/*
 * The engine: sets of counters on CPUs, see counter.h. The only file that touches perf core.
 *
 * Counters are pinned kernel counters of perf, one CPU each, always enabled. What a CPU's part
 * holds is read and changed on that CPU with interrupts off, which is how perf itself keeps order:
 * nothing on that CPU can run in between, and no lock is needed to read.
 */
#include <linux/bits.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <linux/timex.h>

#include "compat.h"
#include "counter.h"

static bool trust_node;
module_param(trust_node, bool, 0444);
MODULE_PARM_DESC(trust_node,
		 "whoever may open /dev/perfmon may count, whatever perf's policy says (default: no)");

struct pm_slot {
	struct perf_event *event;
	u64 base;		/* of a running counter: what perf counted that is not ours */
	u64 value;		/* of a stopped one */
};

/*
 * @set, @cpu, @index, @record, @csd: fixed once the part is listed.
 * @fn, @done: the owner's mutex; pm_call_others() and the CPU that it calls.
 * @node: pm_parts_lock.
 * @state, @origin, @ticks, @slot[].base, @slot[].value: the part's CPU, with interrupts off; while
 *	that CPU is offline, the owner's mutex.
 * @slot[].event: the owner's mutex, and the part not listed.
 */
struct pm_part {
	struct pm_set *set;
	int cpu;
	unsigned int index;	/* in the order of coming */
	struct perfmon_sample *record;	/* its share of the set's records */
	enum perfmon_state state;
	struct list_head node;
	struct __call_single_data csd;
	smp_call_func_t fn;
	int done;
	u64 origin;		/* time stamp counter at the start */
	u64 ticks;		/* of earlier runs */
	struct pm_slot slot[];
};

/*
 * @n, @cpu, @owner, @wait, @event[]: fixed at creation.
 * @part[]: the owner's mutex; an entry is set once, so readers need only not to miss its contents.
 * @lost: set by the hotplug callback, cleared by the owner's mutex before it looks for itself.
 * The rest: the owner's mutex; @records and @bad are also written by the CPUs that the owner has
 * asked to, while it waits.
 */
struct pm_set {
	unsigned int n;
	int cpu;		/* or PM_ALL_CPUS */
	struct mutex *owner;
	wait_queue_head_t *wait;
	struct perfmon_event event[PERFMON_MAX_EVENTS];

	cpumask_var_t mask;	/* CPUs with a part */
	unsigned int nparts;
	bool lost;		/* some part may be LOST */
	u64 now;		/* of the sample that is being taken */
	cycles_t cycles;
	void *records;		/* a sample a part, by index */
	struct pm_part *pair[2];	/* the first two parts */
	atomic_t bad;		/* CPU << 8 | index of a counter that perf has not placed, or -1 */
	struct pm_part *part[];	/* by CPU number */
};

/*
 * Every part that is programmed, and the CPUs that may have one, for the hotplug callbacks; both
 * under pm_parts_lock. A CPU leaves the mask before perf takes its counters away.
 */
static LIST_HEAD(pm_parts);
static struct cpumask pm_cpus;
static DEFINE_SPINLOCK(pm_parts_lock);

static enum cpuhp_state pm_hotplug_state;

/* ---- one event ---- */

/*
 * With trust_node the node's permission is the only key: perf's policy then looks at the kernel's
 * credentials. Balanced by pm_trust_end().
 */
static const struct cred *pm_trust_begin(struct cred **kernel)
{
	*kernel = NULL;
	if (!trust_node)
		return NULL;
	*kernel = prepare_kernel_cred(&init_task);
	if (!*kernel)
		return NULL;
	return override_creds(*kernel);
}

static void pm_trust_end(const struct cred *old, struct cred *kernel)
{
	if (!kernel)
		return;
	revert_creds(old);
	put_cred(kernel);
}

static struct perf_event *pm_event_try(struct perf_event_attr *attr, int cpu)
{
	struct perf_event *event;
	const struct cred *old;
	struct cred *kernel;

	old = pm_trust_begin(&kernel);
	event = perf_event_create_kernel_counter(attr, cpu, NULL, NULL, NULL);
	pm_trust_end(old, kernel);
	return event;
}

static bool pm_excludes_failed(int err)
{
	return err == -EINVAL || err == -EOPNOTSUPP;
}

/* Would the PMU take the event if it need not tell user from kernel mode? */
static bool pm_event_lacks_modes(struct perf_event_attr *attr, int cpu)
{
	struct perf_event *event;

	if (!attr->exclude_user && !attr->exclude_kernel)
		return false;
	attr->exclude_user = 0;
	attr->exclude_kernel = 0;
	attr->exclude_hv = 0;
	attr->disabled = 1;
	event = pm_event_try(attr, cpu);
	if (IS_ERR(event))
		return false;
	perf_event_release_kernel(event);
	return true;
}

static struct perf_event *pm_event_create(const struct perfmon_event *e, int cpu)
{
	struct perf_event_attr attr = {
		.type = e->type,
		.size = sizeof(attr),
		.config = e->config,
		.config1 = e->config1,
		.pinned = 1,
		.exclude_user = !(e->flags & PERFMON_EVENT_USER),
		.exclude_kernel = !(e->flags & PERFMON_EVENT_KERNEL),
		.exclude_hv = !(e->flags & PERFMON_EVENT_KERNEL),
		.exclude_guest = 1,
	};
	struct perf_event *event;

	event = pm_event_try(&attr, cpu);
	if (!IS_ERR(event) || !pm_excludes_failed(PTR_ERR(event)))
		return event;
	/* A PMU that knows no guests counts all there is. */
	attr.exclude_guest = 0;
	event = pm_event_try(&attr, cpu);
	if (IS_ERR(event) && pm_excludes_failed(PTR_ERR(event)) && pm_event_lacks_modes(&attr, cpu))
		return ERR_PTR(-EOPNOTSUPP);
	return event;
}

/* perf's errno of a creation, as the faces' manuals name it. */
static int pm_event_errno(int err, const struct perfmon_event *e, int index, int cpu,
			  struct pm_fault *fault)
{
	switch (err) {
	case -EACCES:
	case -EPERM:
		return pm_fault(fault, -EACCES, index, cpu,
				"kernel.perf_event_paranoid keeps you from counting CPUs: be root, or have CAP_PERFMON");
	case -ENODEV:
		if (!cpu_online(cpu))
			return pm_fault(fault, -ENXIO, index, cpu, "CPU %d is offline", cpu);
		fallthrough;
	case -ENOENT:
		if (e->type == PERF_TYPE_RAW || e->type >= PERF_TYPE_MAX)
			return pm_fault(fault, -ENXIO, index, cpu,
					"CPU %d has no PMU that counts events of type %u", cpu, e->type);
		if (pm_counter_probe(cpu, fault) == -ENXIO && e->type != PERF_TYPE_SOFTWARE)
			return -ENXIO;
		return pm_fault(fault, -EINVAL, index, cpu,
				"the PMU of CPU %d does not know event %#llx of type %u", cpu,
				e->config, e->type);
	case -EOPNOTSUPP:
		return pm_fault(fault, err, index, cpu,
				"the PMU of CPU %d cannot tell user from kernel mode: ask for both", cpu);
	case -ENOMEM:
		return pm_fault(fault, err, index, cpu, "out of memory");
	case -EBUSY:
	case -ENOSPC:
		return pm_fault(fault, -EBUSY, index, cpu, "perf has no counter for it on CPU %d", cpu);
	default:
		return pm_fault(fault, -EINVAL, index, cpu,
				"the PMU of CPU %d refuses event %#llx of type %u (errno %d)", cpu,
				e->config, e->type, -err);
	}
}

/*
 * Reading on the event's CPU through pmu->read() is only right for a PMU that counts what that CPU
 * does; one of a package or of a device keeps its events elsewhere.
 */
static bool pm_event_of_cpu(const struct perf_event *event)
{
	int nr = event->pmu->task_ctx_nr;

	return nr == perf_hw_context || nr == perf_sw_context;
}

/* What perf has counted; on the event's CPU with interrupts off. False: it is not counting. */
static __always_inline bool pm_event_read(struct perf_event *event, u64 *count)
{
	bool active = likely(READ_ONCE(event->state) == PERF_EVENT_STATE_ACTIVE);

	if (active)
		event->pmu->read(event);
	*count = local64_read(&event->count);
	return active;
}

/* ---- one part, on its CPU with interrupts off ---- */

/* The values of a part that does not count; touches no hardware, so any CPU may ask for them. */
static noinline void pm_part_values(const struct pm_part *part, struct perfmon_sample *sample,
				    u64 now)
{
	unsigned int i, n = part->set->n;

	sample->nr = n;
	sample->cpu = part->cpu;
	sample->time = now;
	sample->ticks = part->ticks;
	sample->state = part->state;
	sample->bad = part->state == PERFMON_STATE_LOST ? GENMASK(n - 1, 0) : 0;
	for (i = 0; i < n; i++)
		sample->value[i] = part->slot[i].value;
}

/* The values of a part on its CPU; @cycles is its time stamp counter, @now the time. */
static __always_inline void pm_part_read(struct pm_part *part, struct perfmon_sample *sample,
					 u64 now, cycles_t cycles)
{
	const struct pm_slot *slot = part->slot;
	unsigned int n = part->set->n;
	const struct pm_slot *end = slot + n;
	u64 *value = sample->value;
	u32 bad = 0;

	if (unlikely(part->state != PERFMON_STATE_COUNTING)) {
		pm_part_values(part, sample, now);
		return;
	}
	do {
		u64 count;

		if (unlikely(!pm_event_read(slot->event, &count)))
			bad |= BIT(slot - part->slot);
		*value++ = count - slot->base;
	} while (++slot != end);
	sample->nr = n;
	sample->bad = bad;
	sample->cpu = part->cpu;
	sample->state = likely(!bad) ? PERFMON_STATE_COUNTING : PERFMON_STATE_CONTENDED;
	sample->time = now;
	sample->ticks = part->ticks + cycles - part->origin;
}

/* The index of a counter that perf has not placed, or -1. */
static int pm_part_misplaced(const struct pm_part *part)
{
	unsigned int i;

	for (i = 0; i < part->set->n; i++) {
		const struct perf_event *event = part->slot[i].event;

		if (READ_ONCE(event->state) != PERF_EVENT_STATE_ACTIVE)
			return i;
	}
	return -1;
}

static void pm_part_start(struct pm_part *part)
{
	unsigned int i;
	u64 count;

	for (i = 0; i < part->set->n; i++) {
		struct pm_slot *slot = &part->slot[i];

		pm_event_read(slot->event, &count);
		slot->base = count - slot->value;
	}
	if (part->state == PERFMON_STATE_COUNTING)
		part->ticks += get_cycles() - part->origin;
	part->origin = get_cycles();
	part->state = PERFMON_STATE_COUNTING;
}

static void pm_part_stop(struct pm_part *part, enum perfmon_state state)
{
	unsigned int i;
	u64 count;

	if (part->state == PERFMON_STATE_COUNTING) {
		for (i = 0; i < part->set->n; i++) {
			struct pm_slot *slot = &part->slot[i];

			pm_event_read(slot->event, &count);
			slot->value = count - slot->base;
		}
		part->ticks += get_cycles() - part->origin;
	}
	if (part->state != PERFMON_STATE_LOST)
		part->state = state;
}

static void pm_part_reset(struct pm_part *part)
{
	unsigned int i;
	u64 count;

	for (i = 0; i < part->set->n; i++) {
		struct pm_slot *slot = &part->slot[i];

		slot->value = 0;
		if (part->state == PERFMON_STATE_COUNTING) {
			pm_event_read(slot->event, &count);
			slot->base = count;
		}
	}
	part->ticks = 0;
	part->origin = get_cycles();
}

/* ---- the same, called on a CPU ---- */

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

static void pm_ipi_verify(void *arg)
{
	struct pm_set *set = arg;
	struct pm_part *part = pm_this_part(set);
	int index;

	if (part->state == PERFMON_STATE_LOST)
		return;
	index = pm_part_misplaced(part);
	if (index >= 0)
		atomic_set(&set->bad, part->cpu << 8 | index);
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

static void pm_ipi_stop(void *arg)
{
	pm_part_stop(pm_this_part(arg), PERFMON_STATE_OFF);
}

static void pm_ipi_reset(void *arg)
{
	pm_part_reset(pm_this_part(arg));
}

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
	smp_store_release(&part->done, 1);
}

/*
 * Runs fn on this CPU, if it is the set's, and on one other, at the same time. What
 * on_each_cpu_mask() does for any number of CPUs, without the search for them.
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

/* ---- programming ---- */

static void pm_part_unlist(struct pm_part *part)
{
	spin_lock(&pm_parts_lock);
	list_del_init(&part->node);
	spin_unlock(&pm_parts_lock);
}

static void pm_part_unprogram(struct pm_part *part)
{
	unsigned int i;

	pm_part_unlist(part);
	for (i = 0; i < part->set->n; i++) {
		if (part->slot[i].event)
			perf_event_release_kernel(part->slot[i].event);
		part->slot[i].event = NULL;
	}
}

static int pm_part_program_events(struct pm_part *part, struct pm_fault *fault)
{
	struct perf_event *event;
	unsigned int i;

	for (i = 0; i < part->set->n; i++) {
		const struct perfmon_event *e = &part->set->event[i];

		event = pm_event_create(e, part->cpu);
		if (IS_ERR(event))
			return pm_event_errno(PTR_ERR(event), e, i, part->cpu, fault);
		part->slot[i].event = event;
		if (!pm_event_of_cpu(event))
			return pm_fault(fault, -EOPNOTSUPP, i, part->cpu,
					"event %u is of a PMU that counts no CPU", i);
	}
	return 0;
}

/*
 * Takes the hardware on the part's CPU. A CPU that is still in the mask when the part is listed has
 * kept the events, and its hotplug callback will find the part.
 */
static int pm_part_program(struct pm_part *part, struct pm_fault *fault)
{
	int err;

	err = pm_part_program_events(part, fault);
	if (err)
		return err;
	spin_lock(&pm_parts_lock);
	if (cpumask_test_cpu(part->cpu, &pm_cpus)) {
		part->state = PERFMON_STATE_OFF;
		list_add(&part->node, &pm_parts);
	} else {
		err = -ENXIO;
	}
	spin_unlock(&pm_parts_lock);
	if (err)
		return pm_fault(fault, err, -1, part->cpu, "CPU %d went offline", part->cpu);
	return 0;
}

static struct pm_part *pm_part_alloc(struct pm_set *set, int cpu)
{
	struct pm_part *part;
	unsigned int i;

	part = kzalloc_node(struct_size(part, slot, set->n), GFP_KERNEL, cpu_to_node(cpu));
	if (!part)
		return NULL;
	part->set = set;
	part->cpu = cpu;
	part->index = set->nparts++;
	part->record = set->records + part->index * pm_sample_size(set->n);
	if (part->index < ARRAY_SIZE(set->pair))
		set->pair[part->index] = part;
	INIT_CSD(&part->csd, pm_csd_call, part);
	part->state = PERFMON_STATE_LOST;
	INIT_LIST_HEAD(&part->node);
	for (i = 0; i < set->n; i++)
		part->slot[i].value = set->event[i].preset;
	/* Pairs with the acquire in pm_set_read_cpu(). */
	smp_store_release(&set->part[cpu], part);
	cpumask_set_cpu(cpu, set->mask);
	return part;
}

/* perf put it off for somebody else and never tries again by itself. */
static void pm_part_retry(struct pm_part *part)
{
	unsigned int i;

	for (i = 0; i < part->set->n; i++)
		if (READ_ONCE(part->slot[i].event->state) == PERF_EVENT_STATE_ERROR)
			perf_event_enable(part->slot[i].event);
}

int pm_cpu_or_all_check(int cpu, struct pm_fault *fault)
{
	if (cpu == PM_ALL_CPUS)
		return 0;
	if (cpu < 0 || cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return pm_fault(fault, -EINVAL, -1, cpu, "there is no CPU %d", cpu);
	if (!cpumask_test_cpu(cpu, &pm_cpus))
		return pm_fault(fault, -ENXIO, -1, cpu, "CPU %d is offline", cpu);
	return 0;
}

/* Sees to it that the set has its counters on this CPU. */
static int pm_set_cover(struct pm_set *set, int cpu, struct pm_fault *fault)
{
	struct pm_part *part = set->part[cpu];

	if (!part)
		part = pm_part_alloc(set, cpu);
	if (!part)
		return pm_fault(fault, -ENOMEM, -1, cpu, "out of memory");
	if (READ_ONCE(part->state) != PERFMON_STATE_LOST) {
		pm_part_retry(part);
		return 0;
	}
	pm_part_unprogram(part);
	return pm_part_program(part, fault);
}

static int pm_set_cover_online(struct pm_set *set, struct pm_fault *fault)
{
	int cpu, err;

	if (set->cpu != PM_ALL_CPUS) {
		err = pm_cpu_or_all_check(set->cpu, fault);
		return err ?: pm_set_cover(set, set->cpu, fault);
	}
	for_each_cpu(cpu, &pm_cpus) {
		err = pm_set_cover(set, cpu, fault);
		/* A CPU that left meanwhile is none of the online ones. */
		if (err && cpumask_test_cpu(cpu, &pm_cpus))
			return err;
	}
	return 0;
}

static int pm_set_cover_all(struct pm_set *set, struct pm_fault *fault)
{
	int err;

	/* In this order: a CPU that leaves from now on says so itself. */
	WRITE_ONCE(set->lost, false);
	err = pm_set_cover_online(set, fault);
	if (pm_set_lost(set))
		WRITE_ONCE(set->lost, true);
	return err;
}

/* After fn = verify or start: did every CPU find its counters placed? */
static int pm_set_verdict(struct pm_set *set, struct pm_fault *fault)
{
	int bad = atomic_read(&set->bad);

	if (bad < 0)
		return 0;
	return pm_fault(fault, -EBUSY, bad & 0xff, bad >> 8,
			"CPU %d has no free counter for event %d of %u: others hold them, or it has fewer",
			bad >> 8, bad & 0xff, set->n);
}

static int pm_set_call_verified(struct pm_set *set, smp_call_func_t fn, struct pm_fault *fault)
{
	atomic_set(&set->bad, -1);
	pm_set_call(set, fn);
	return pm_set_verdict(set, fault);
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
		if (events[i].type == PERF_TYPE_TRACEPOINT || events[i].type == PERF_TYPE_BREAKPOINT)
			return pm_fault(fault, -EINVAL, i, -1,
					"event %u: tracepoints and breakpoints are not counters", i);
		if ((events[i].flags & PERFMON_EVENT_KERNEL) && !pm_counter_allow_kernel())
			return pm_fault(fault, -EACCES, i, -1,
					"counting in kernel mode needs root or CAP_PERFMON");
	}
	return 0;
}

static struct pm_set *pm_set_alloc(const struct perfmon_event *events, unsigned int n, int cpu)
{
	unsigned int records = cpu == PM_ALL_CPUS ? num_possible_cpus() : 1;
	struct pm_set *set;

	set = kvzalloc(struct_size(set, part, nr_cpu_ids), GFP_KERNEL);
	if (!set)
		return NULL;
	set->records = kvcalloc(records, pm_sample_size(n), GFP_KERNEL);
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
			     struct mutex *owner, wait_queue_head_t *wait, struct pm_fault *fault)
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
	set->wait = wait;

	err = pm_set_cover_all(set, fault);
	if (!err)
		err = pm_set_call_verified(set, pm_ipi_verify, fault);
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

int pm_set_start(struct pm_set *set, struct pm_fault *fault)
{
	int err;

	err = pm_set_cover_all(set, fault);
	if (!err)
		err = pm_set_call_verified(set, pm_ipi_start, fault);
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
		if (READ_ONCE(set->part[cpu]->state) == PERFMON_STATE_LOST)
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
		if (READ_ONCE(set->part[cpu]->state) == PERFMON_STATE_LOST)
			return true;
	return false;
}

/* ---- reading ---- */

struct pm_read {
	struct pm_part *part;
	struct perfmon_sample *sample;
};

static void pm_ipi_read_cpu(void *arg)
{
	struct pm_read *read = arg;

	pm_part_read(read->part, read->sample, ktime_get_ns(), get_cycles());
}

void pm_set_read_here(struct pm_set *set, struct perfmon_sample *sample, unsigned int room)
{
	lockdep_assert_irqs_disabled();
	sample->nr = set->n;
	if (likely(set->n <= room))
		pm_part_read(pm_this_part(set), sample, ktime_get_ns(), get_cycles());
}

int pm_set_read_cpu(struct pm_set *set, int cpu, struct perfmon_sample *sample, unsigned int room)
{
	struct pm_read read = { .sample = sample };

	if (cpu < 0 || cpu >= nr_cpu_ids)
		return -ENXIO;
	read.part = smp_load_acquire(&set->part[cpu]);
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

		if (READ_ONCE(part->state) == PERFMON_STATE_LOST)
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

/* ---- the machine ---- */

static int pm_probe_event(u32 type, u64 config, int cpu)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.disabled = 1,
		.pinned = 1,
	};
	struct perf_event *event;

	event = pm_event_try(&attr, cpu);
	if (IS_ERR(event))
		return PTR_ERR(event);
	perf_event_release_kernel(event);
	return 0;
}

static int pm_probe_cpu(int cpu)
{
	static const u64 config[] = { PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS };
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(config); i++) {
		err = pm_probe_event(PERF_TYPE_HARDWARE, config[i], cpu);
		if (!err || err == -EACCES || err == -EPERM)
			return err;
	}
	return -ENXIO;
}

int pm_counter_probe(int cpu, struct pm_fault *fault)
{
	int c, err = -ENXIO;

	if (cpu != PM_ALL_CPUS) {
		err = pm_probe_cpu(cpu);
	} else {
		for_each_online_cpu(c) {
			err = pm_probe_cpu(c);
			if (err != -ENXIO)
				break;
		}
	}
	switch (err) {
	case 0:
		return 0;
	case -ENXIO:
		return pm_fault(fault, -ENXIO, -1, cpu,
				"no PMU that perf can use: the CPU or its virtual machine has none; software events still count");
	default:
		return pm_fault(fault, -EACCES, -1, cpu,
				"kernel.perf_event_paranoid keeps you from counting CPUs: be root, or have CAP_PERFMON");
	}
}

int pm_counter_allow_cpu(struct pm_fault *fault)
{
	int err = pm_probe_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, raw_smp_processor_id());

	if (err == -EACCES || err == -EPERM)
		return pm_fault(fault, -EACCES, -1, -1,
				"kernel.perf_event_paranoid keeps you from counting CPUs: be root, or have CAP_PERFMON");
	return 0;
}

bool pm_counter_allow_kernel(void)
{
	return trust_node || pm_compat_allow_kernel();
}

static int pm_cpu_online(unsigned int cpu)
{
	spin_lock(&pm_parts_lock);
	cpumask_set_cpu(cpu, &pm_cpus);
	spin_unlock(&pm_parts_lock);
	return 0;
}

static void pm_part_lose(struct pm_part *part)
{
	unsigned long flags;

	local_irq_save(flags);
	pm_part_stop(part, PERFMON_STATE_LOST);
	WRITE_ONCE(part->set->lost, true);
	local_irq_restore(flags);
	wake_up_interruptible_poll(part->set->wait, EPOLLPRI);
}

/*
 * Runs on the CPU that leaves, before perf takes its counters away: the last chance to read them.
 * The events themselves stay until the owner lets go, since releasing some of them takes the
 * hotplug lock.
 */
static int pm_cpu_offline(unsigned int cpu)
{
	struct pm_part *part;

	spin_lock(&pm_parts_lock);
	cpumask_clear_cpu(cpu, &pm_cpus);
	list_for_each_entry(part, &pm_parts, node)
		if (part->cpu == cpu)
			pm_part_lose(part);
	spin_unlock(&pm_parts_lock);
	return 0;
}

int pm_counter_init(void)
{
	int state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "misc/perfmon:online", pm_cpu_online,
				      pm_cpu_offline);

	if (state < 0)
		return state;
	pm_hotplug_state = state;
	return 0;
}

void pm_counter_exit(void)
{
	cpuhp_remove_state_nocalls(pm_hotplug_state);
}

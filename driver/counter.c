// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters of one CPU, see counter.h. The only file that touches perf core.
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
#include <linux/moduleparam.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

#include "compat.h"
#include "counter.h"

#define PM_NO_PMU \
	"no PMU that perf can use: the CPU or its virtual machine has none; software events still count"
#define PM_NO_RIGHT \
	"kernel.perf_event_paranoid keeps you from counting CPUs: be root, or have CAP_PERFMON"

static bool trust_node;
module_param(trust_node, bool, 0444);
MODULE_PARM_DESC(trust_node,
		 "whoever may open /dev/perfmon may count, whatever perf's policy says (default: no)");

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
 * credentials. Not for a type that another PMU has brought, which may do more than count.
 */
static bool pm_trusts(const struct perf_event_attr *attr)
{
	return trust_node && attr->type < PERF_TYPE_MAX;
}

static struct perf_event *pm_event_try(struct perf_event_attr *attr, int cpu)
{
	const struct cred *old = NULL;
	struct perf_event *event;

	if (pm_trusts(attr))
		old = override_creds(rcu_dereference_raw(init_task.cred));
	event = perf_event_create_kernel_counter(attr, cpu, NULL, NULL, NULL);
	if (old)
		revert_creds(old);
	return event;
}

static bool pm_excludes_failed(int err)
{
	return err == -EINVAL || err == -EOPNOTSUPP;
}

/*
 * The errno of an event that the PMU refuses with @err: -EOPNOTSUPP if it would take it, need it
 * not tell user from kernel mode.
 */
static int pm_event_modes_errno(struct perf_event_attr *attr, int cpu, int err)
{
	struct perf_event *event;

	if (!attr->exclude_user && !attr->exclude_kernel)
		return err;
	attr->exclude_user = 0;
	attr->exclude_kernel = 0;
	attr->exclude_hv = 0;
	attr->disabled = 1;
	event = pm_event_try(attr, cpu);
	if (IS_ERR(event))
		return event == ERR_PTR(-ENOMEM) ? -ENOMEM : err;
	perf_event_release_kernel(event);
	return -EOPNOTSUPP;
}

/* A PMU that knows no guests counts all there is. */
static struct perf_event *pm_event_try_host(struct perf_event_attr *attr, int cpu)
{
	struct perf_event *event;

	attr->exclude_guest = 1;
	event = pm_event_try(attr, cpu);
	if (!IS_ERR(event) || !pm_excludes_failed(PTR_ERR(event)))
		return event;
	attr->exclude_guest = 0;
	return pm_event_try(attr, cpu);
}

/*
 * Where CPUs differ, raw events are one PMU's, and those of the others need the type of the PMU
 * that counts what this CPU does. -ENOENT: there is no such PMU.
 */
static struct perf_event *pm_event_try_core(struct perf_event_attr *attr, int cpu)
{
	struct perf_event_attr cycles = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(cycles),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.disabled = 1,
		.pinned = 1,
	};
	struct perf_event *event;

	event = pm_event_try_host(&cycles, cpu);
	if (IS_ERR(event))
		return event == ERR_PTR(-ENOMEM) ? event : ERR_PTR(-ENOENT);
	attr->type = event->pmu->type;
	perf_event_release_kernel(event);
	return attr->type > PERF_TYPE_RAW ? pm_event_try_host(attr, cpu) : ERR_PTR(-ENOENT);
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
	};
	struct perf_event *event;

	event = pm_event_try_host(&attr, cpu);
	if (event == ERR_PTR(-ENOENT) && e->type == PERF_TYPE_RAW)
		event = pm_event_try_core(&attr, cpu);
	if (IS_ERR(event) && pm_excludes_failed(PTR_ERR(event)))
		return ERR_PTR(pm_event_modes_errno(&attr, cpu, PTR_ERR(event)));
	return event;
}

/* No PMU takes it: because there is none, or because it does not know it? */
static int pm_event_unknown(const struct perfmon_event *e, int index, int cpu,
			    struct pm_fault *fault)
{
	int err = 0;

	if (e->type == PERF_TYPE_RAW || e->type >= PERF_TYPE_MAX)
		return pm_fault(fault, -ENXIO, index, cpu,
				"CPU %d has no PMU that counts events of type %u", cpu, e->type);
	if (e->type != PERF_TYPE_SOFTWARE)
		err = pm_counter_probe(cpu, NULL);
	if (err == -ENXIO)
		return pm_fault(fault, err, index, cpu, PM_NO_PMU);
	if (err == -ENOMEM)
		return pm_fault(fault, err, index, cpu, "out of memory");
	return pm_fault(fault, -EINVAL, index, cpu,
			"the PMU of CPU %d does not know event %#llx of type %u", cpu, e->config,
			e->type);
}

/* perf's errno of a creation, as the faces' manuals name it. */
static int pm_event_errno(int err, const struct perfmon_event *e, int index, int cpu,
			  struct pm_fault *fault)
{
	switch (err) {
	case -EACCES:
	case -EPERM:
		return pm_fault(fault, -EACCES, index, cpu, PM_NO_RIGHT);
	case -ENODEV:
		if (!cpu_online(cpu))
			return pm_fault(fault, -ENXIO, index, cpu, "CPU %d is offline", cpu);
		fallthrough;
	case -ENOENT:
		return pm_event_unknown(e, index, cpu, fault);
	case -EOPNOTSUPP:
		return pm_fault(fault, err, index, cpu,
				"the PMU of CPU %d cannot tell user from kernel mode: ask for both",
				cpu);
	case -ENOMEM:
		return pm_fault(fault, err, index, cpu, "out of memory");
	case -EBUSY:
	case -ENOSPC:
		return pm_fault(fault, -EBUSY, index, cpu, "perf has no counter for it on CPU %d",
				cpu);
	default:
		return pm_fault(fault, -EINVAL, index, cpu,
				"the PMU of CPU %d refuses event %#llx of type %u (errno %d)", cpu,
				e->config, e->type, -err);
	}
}

/*
 * Reading on the event's CPU through pmu->read() is only right for a PMU that counts what that CPU
 * does; one of a package or of a device keeps its events elsewhere, a trace is no count, and a
 * probe in somebody's code is more than one.
 */
static bool pm_event_counts_cpu(const struct perf_event *event)
{
	const struct pmu *pmu = event->pmu;

#ifdef CONFIG_EVENT_TRACING
	if (event->tp_event)
		return false;
#endif
	if (pmu->capabilities & (PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE))
		return false;
	return pmu->task_ctx_nr == perf_hw_context || pmu->task_ctx_nr == perf_sw_context;
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

void pm_part_values(const struct pm_part *part, struct perfmon_sample *sample, u64 now)
{
	enum perfmon_state state = pm_part_state(part);
	unsigned int i, n = part->n;

	sample->nr = n;
	sample->cpu = part->cpu;
	sample->time = now;
	sample->ticks = part->ticks;
	sample->bad = part->bad;
	sample->state = part->bad ? PERFMON_STATE_CONTENDED : state;
	if (state == PERFMON_STATE_LOST) {
		sample->bad = GENMASK(n - 1, 0);
		sample->state = state;
	}
	for (i = 0; i < n; i++)
		sample->value[i] = part->slot[i].value;
}

void pm_part_read(struct pm_part *part, struct perfmon_sample *sample, u64 now, cycles_t cycles)
{
	const struct pm_slot *slot = part->slot;
	const struct pm_slot *end = slot + part->n;
	u64 *value = sample->value;
	u32 bad = part->bad;

	if (unlikely(READ_ONCE(part->state) != PERFMON_STATE_COUNTING)) {
		pm_part_values(part, sample, now);
		return;
	}
	sample->nr = part->n;
	sample->cpu = part->cpu;
	sample->time = now;
	sample->ticks = part->ticks + cycles - part->origin;
	do {
		u64 count;

		if (unlikely(!pm_event_read(slot->event, &count)))
			bad |= BIT(slot - part->slot);
		*value++ = count - slot->base;
	} while (++slot != end);
	sample->bad = bad;
	sample->state = likely(!bad) ? PERFMON_STATE_COUNTING : PERFMON_STATE_CONTENDED;
}

int pm_part_misplaced(const struct pm_part *part)
{
	unsigned int i;

	for (i = 0; i < part->n; i++) {
		const struct perf_event *event = part->slot[i].event;

		if (READ_ONCE(event->state) != PERF_EVENT_STATE_ACTIVE)
			return i;
	}
	return -1;
}

void pm_part_start(struct pm_part *part)
{
	unsigned int i;
	u64 count;

	for (i = 0; i < part->n; i++) {
		struct pm_slot *slot = &part->slot[i];

		pm_event_read(slot->event, &count);
		slot->base = count - slot->value;
	}
	part->origin = get_cycles();
	WRITE_ONCE(part->state, PERFMON_STATE_COUNTING);
}

void pm_part_stop(struct pm_part *part, enum perfmon_state state)
{
	unsigned int i;
	u64 count;

	if (part->state == PERFMON_STATE_LOST)
		return;
	if (part->state == PERFMON_STATE_COUNTING) {
		for (i = 0; i < part->n; i++) {
			struct pm_slot *slot = &part->slot[i];

			if (!pm_event_read(slot->event, &count))
				part->bad |= BIT(i);
			slot->value = count - slot->base;
		}
		part->ticks += get_cycles() - part->origin;
	}
	/* Pairs with the acquire in pm_part_state(). */
	smp_store_release(&part->state, state);
}

void pm_part_abandon(struct pm_part *part)
{
	/* Pairs with the acquire in pm_part_state(). */
	smp_store_release(&part->state, PERFMON_STATE_LOST);
}

void pm_part_reset(struct pm_part *part)
{
	unsigned int i;
	u64 count;

	for (i = 0; i < part->n; i++) {
		struct pm_slot *slot = &part->slot[i];

		slot->value = 0;
		if (part->state == PERFMON_STATE_COUNTING) {
			pm_event_read(slot->event, &count);
			slot->base = count;
		}
	}
	part->bad = 0;
	part->ticks = 0;
	part->origin = get_cycles();
}

/* ---- one part, its hardware ---- */

static void pm_part_unlist(struct pm_part *part)
{
	spin_lock(&pm_parts_lock);
	list_del_init(&part->node);
	spin_unlock(&pm_parts_lock);
}

void pm_part_unprogram(struct pm_part *part)
{
	unsigned int i;

	pm_part_unlist(part);
	for (i = 0; i < part->n; i++) {
		if (part->slot[i].event)
			perf_event_release_kernel(part->slot[i].event);
		part->slot[i].event = NULL;
	}
}

static int pm_part_program_events(struct pm_part *part, struct pm_fault *fault)
{
	struct perf_event *event;
	unsigned int i;

	for (i = 0; i < part->n; i++) {
		const struct perfmon_event *e = &part->event[i];

		event = pm_event_create(e, part->cpu);
		if (IS_ERR(event))
			return pm_event_errno(PTR_ERR(event), e, i, part->cpu, fault);
		part->slot[i].event = event;
		if (!pm_event_counts_cpu(event))
			return pm_fault(fault, -EOPNOTSUPP, i, part->cpu,
					"event %u is of a PMU that does not count CPUs", i);
	}
	return 0;
}

/* A CPU that is still in the mask when the part is listed has kept the events. */
int pm_part_program(struct pm_part *part, struct pm_fault *fault)
{
	int err;

	err = pm_part_program_events(part, fault);
	if (err) {
		/* Some of the events are of no use to the owner, but to others. */
		pm_part_unprogram(part);
		return err;
	}
	spin_lock(&pm_parts_lock);
	if (cpumask_test_cpu(part->cpu, &pm_cpus)) {
		/* Pairs with the acquire in pm_part_state(). */
		smp_store_release(&part->state, PERFMON_STATE_OFF);
		list_add(&part->node, &pm_parts);
	} else {
		err = -ENXIO;
	}
	spin_unlock(&pm_parts_lock);
	if (err)
		return pm_fault(fault, err, -1, part->cpu, "CPU %d went offline", part->cpu);
	return 0;
}

/* ---- the machine ---- */

const struct cpumask *pm_counter_cpus(void)
{
	return &pm_cpus;
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

	event = pm_event_try_host(&attr, cpu);
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
		if (!err || err == -EACCES || err == -EPERM || err == -ENOMEM)
			return err;
	}
	return -ENXIO;
}

static int pm_refused(int err, struct pm_fault *fault)
{
	if (err == -ENOMEM)
		return pm_fault(fault, err, -1, -1, "out of memory");
	return pm_fault(fault, -EACCES, -1, -1, PM_NO_RIGHT);
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
		return pm_fault(fault, -ENXIO, -1, cpu, PM_NO_PMU);
	default:
		return pm_refused(err, fault);
	}
}

int pm_counter_allow_cpu(void)
{
	int tries, err = -ENODEV;

	/* -ENODEV: the CPU went away just now. */
	for (tries = 0; err == -ENODEV && tries < 3; tries++)
		err = pm_probe_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY,
				     raw_smp_processor_id());
	return err ? pm_refused(err, NULL) : 0;
}

bool pm_counter_allow_kernel(void)
{
	return trust_node || pm_compat_allow_kernel();
}

void pm_parts_found(bool *lost)
{
	spin_lock(&pm_parts_lock);
	WRITE_ONCE(*lost, false);
	spin_unlock(&pm_parts_lock);
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
	local_irq_restore(flags);
	WRITE_ONCE(*part->lost, true);
	pm_watch_notify(part->watch);
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

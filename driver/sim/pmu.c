// SPDX-License-Identifier: GPL-2.0-only
/*
 * What perf calls. All but sim_event_init() runs on the CPU concerned, with interrupts off.
 */
#include <linux/lockdep.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "compat.h"
#include "sim.h"

/* A read that takes longer than this would only be taken for a lock-up. */
#define SIM_SLOWEST_NS	100000000U

DEFINE_PER_CPU(struct sim_cpu, sim_cpus);
struct sim_faults sim_faults;

static struct sim_cpu *sim_this_cpu(void)
{
	lockdep_assert_irqs_disabled();
	return this_cpu_ptr(&sim_cpus);
}

/* CLOCK_MONOTONIC, in whatever context. */
u64 sim_now(void)
{
	return ktime_get_mono_fast_ns();
}

/* ---- faults ---- */

static bool sim_stuck(const struct sim_cpu *cpu, const struct sim_event *e)
{
	return (READ_ONCE(cpu->faults.stuck) | READ_ONCE(sim_faults.stuck)) & BIT(e->counter);
}

static bool sim_loses_overflows(const struct sim_cpu *cpu)
{
	return READ_ONCE(cpu->faults.lose_overflows) || READ_ONCE(sim_faults.lose_overflows);
}

static bool sim_take(atomic_t *left)
{
	int n = atomic_read(left);

	do {
		if (n <= 0)
			return n < 0;
	} while (!atomic_try_cmpxchg(left, &n, n - 1));
	return true;
}

static bool sim_add_fails(struct sim_cpu *cpu)
{
	return sim_take(&cpu->faults.fail_add) || sim_take(&sim_faults.fail_add);
}

static void sim_be_slow(const struct sim_cpu *cpu)
{
	u32 ns = max(READ_ONCE(cpu->faults.slow_read), READ_ONCE(sim_faults.slow_read));
	u64 since;

	if (likely(!ns))
		return;
	since = sim_now();
	while (sim_now() - since < min(ns, SIM_SLOWEST_NS))
		cpu_relax();
}

/* ---- counting ---- */

/* What the register has gone on by, as far as its width can tell. */
static void sim_update_register(struct perf_event *event)
{
	struct sim_event *e = sim_event(event);
	u64 before = local64_read(&event->hw.prev_count);

	local64_add((e->reg - before) & sim_mask(), &event->count);
	local64_set(&event->hw.prev_count, e->reg);
}

/*
 * A real counter interrupts when it wraps, and its driver then brings the count up to date. Here
 * that is done for all wraps at once, unless the interrupts are to be lost.
 */
static void sim_count_register(struct sim_cpu *cpu, struct perf_event *event, u64 n)
{
	struct sim_event *e = sim_event(event);
	bool wraps = n > sim_mask() - e->reg;

	if (wraps && !sim_loses_overflows(cpu)) {
		sim_update_register(event);
		local64_add(n, &event->count);
		e->reg = (e->reg + n) & sim_mask();
		local64_set(&event->hw.prev_count, e->reg);
	} else {
		e->reg = (e->reg + n) & sim_mask();
	}
}

/*
 * Begins a period, which what the last one was too late by shortens: perf's own arithmetic. It also
 * sets period_left to zero to begin anew, and changes sample_period.
 */
static void sim_begin_period(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	s64 left = local64_read(&hwc->period_left);
	s64 period = hwc->sample_period;

	if (left > 0)
		return;
	left = left <= -period ? period : left + period;
	local64_set(&hwc->period_left, left);
	hwc->last_period = period;
}

static void sim_count_period(struct sim_cpu *cpu, struct perf_event *event, u64 n)
{
	struct hw_perf_event *hwc = &event->hw;
	u64 left = local64_read(&hwc->period_left), rest;

	local64_add(n, &event->count);
	if (n < left) {
		local64_sub(n, &hwc->period_left);
		return;
	}
	sim_event(event)->owed += 1 + div64_u64_rem(n - left, hwc->sample_period, &rest);
	local64_set(&hwc->period_left, hwc->sample_period - rest);
	hwc->last_period = hwc->sample_period;
	if (sim_loses_overflows(cpu)) {
		atomic64_add(sim_event(event)->owed, &cpu->lost);
		sim_event(event)->owed = 0;
	}
}

void sim_count(struct sim_cpu *cpu, struct perf_event *event, u64 n)
{
	if (!n || sim_stuck(cpu, sim_event(event)))
		return;
	if (is_sampling_event(event))
		sim_count_period(cpu, event, n);
	else
		sim_count_register(cpu, event, n);
}

void sim_update(struct sim_cpu *cpu, struct perf_event *event)
{
	struct sim_event *e = sim_event(event);
	u64 now = sim_now();

	/* That clock may step back by a little while it is being adjusted. */
	if (e->rate && (s64)(now - e->then) > 0) {
		sim_count(cpu, event, sim_rate_count(e, e->then, now));
		e->then = now;
	}
	if (!is_sampling_event(event))
		sim_update_register(event);
}

static void sim_read(struct perf_event *event)
{
	struct sim_cpu *cpu = sim_this_cpu();

	if (!sim_running(event))
		return;
	sim_be_slow(cpu);
	sim_update(cpu, event);
}

/* ---- start and stop ---- */

static void sim_start(struct perf_event *event, int flags)
{
	struct sim_cpu *cpu = sim_this_cpu();

	if (sim_running(event))
		return;
	if (is_sampling_event(event))
		sim_begin_period(event);
	sim_event(event)->then = sim_now();
	event->hw.state = 0;
	perf_event_update_userpage(event);
	if (!cpu->disabled)
		sim_interrupt_arm(cpu);
}

static void sim_stop(struct perf_event *event, int flags)
{
	if (!sim_running(event))
		return;
	sim_update(sim_this_cpu(), event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

/* ---- on a counter and off it ---- */

static u64 sim_start_value(const struct sim_cpu *cpu)
{
	return (READ_ONCE(cpu->faults.start) ?: READ_ONCE(sim_faults.start)) & sim_mask();
}

/* After a placing, which may have moved others. */
static void sim_number_counters(struct sim_cpu *cpu)
{
	struct perf_event *event;
	unsigned int i;

	sim_for_each_event(event, i, cpu)
		sim_event(event)->counter = i;
}

static int sim_add(struct perf_event *event, int flags)
{
	struct sim_event *e = sim_event(event);
	struct sim_cpu *cpu = sim_this_cpu();
	int err;

	if (sim_add_fails(cpu))
		return -EAGAIN;
	err = sim_place(&cpu->layout, event);
	if (err)
		return err;
	sim_number_counters(cpu);
	e->reg = sim_start_value(cpu);
	local64_set(&event->hw.prev_count, e->reg);
	e->owed = 0;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		sim_start(event, PERF_EF_RELOAD);
	return 0;
}

static void sim_del(struct perf_event *event, int flags)
{
	struct sim_event *e = sim_event(event);
	struct sim_cpu *cpu = sim_this_cpu();

	sim_stop(event, PERF_EF_UPDATE);
	atomic64_add(e->owed, &cpu->lost);
	cpu->layout.taken &= ~BIT(e->counter);
	cpu->layout.event[e->counter] = NULL;
	perf_event_update_userpage(event);
}

/* The timer is set once for all that changed in between. Counters go on meanwhile: time does. */
static void sim_disable(struct pmu *pmu)
{
	sim_this_cpu()->disabled = true;
}

static void sim_enable(struct pmu *pmu)
{
	struct sim_cpu *cpu = sim_this_cpu();

	cpu->disabled = false;
	sim_interrupt_arm(cpu);
}

/* ---- a new event ---- */

/* The config of an event as our own encoding has it; -ENOENT: it is for another PMU. */
static int sim_encode(const struct perf_event *event, u64 *config)
{
	const struct perf_event_attr *attr = &event->attr;
	int code;

	if (attr->type == sim_pmu.type) {
		*config = attr->config;
		return sim_config_valid(*config) && !attr->config1 && !attr->config2 ? 0 : -EINVAL;
	}
	if (!sim_is_cpu_pmu())
		return -ENOENT;
	if (attr->type == PERF_TYPE_HARDWARE)
		code = sim_code_of_hardware(attr->config);
	else if (attr->type == PERF_TYPE_HW_CACHE)
		code = sim_code_of_cache(attr->config);
	else
		code = -ENOENT;
	*config = code;
	return code < 0 ? code : 0;
}

static int sim_check_attr(const struct perf_event_attr *attr)
{
	if (attr->precise_ip || attr->exclude_idle || attr->exclude_host ||
	    (attr->sample_type & PERF_SAMPLE_BRANCH_STACK))
		return -EOPNOTSUPP;
	if (attr->sample_period && !attr->freq && (s64)attr->sample_period < 0)
		return -EINVAL;
	return 0;
}

/* Can the events of a group ever be on counters together? */
static int sim_check_group(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	struct sim_layout layout = {};
	int err;

	err = sim_place(&layout, event);
	if (err || leader == event)
		return err ? -EINVAL : 0;
	if (leader->pmu == &sim_pmu)
		err = sim_place(&layout, leader);
	for_each_sibling_event(sibling, leader) {
		if (!err && sibling->pmu == &sim_pmu)
			err = sim_place(&layout, sibling);
	}
	return err ? -EINVAL : 0;
}

static void sim_event_destroy(struct perf_event *event)
{
	kfree(sim_event(event));
	event->pmu_private = NULL;
}

static struct sim_event *sim_event_alloc(const struct perf_event_attr *attr, u64 config)
{
	struct sim_event *e = kzalloc(sizeof(*e), GFP_KERNEL);
	u16 code = config;

	if (!e)
		return NULL;
	e->select = sim_select(config);
	e->select.user = !attr->exclude_user;
	e->select.kernel = !attr->exclude_kernel;
	e->fits = sim_fits(code);
	e->rate = sim_rate_of(code);
	if (e->rate)
		e->step = sim_rate_step(e->rate, &e->select);
	return e;
}

static int sim_event_init(struct perf_event *event)
{
	u64 config;
	int err;

	err = sim_encode(event, &config);
	if (!err)
		err = sim_check_attr(&event->attr);
	if (err)
		return err;
	event->pmu_private = sim_event_alloc(&event->attr, config);
	if (!event->pmu_private)
		return -ENOMEM;
	err = sim_check_group(event);
	if (err) {
		sim_event_destroy(event);
		return err;
	}
	event->hw.config = config;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	event->destroy = sim_event_destroy;
	return 0;
}

struct pmu sim_pmu = {
	.module = THIS_MODULE,
	.capabilities = SIM_COMPAT_CAPABILITIES,
	.task_ctx_nr = perf_hw_context,
	.attr_groups = sim_attr_groups,
	.pmu_enable = sim_enable,
	.pmu_disable = sim_disable,
	.event_init = sim_event_init,
	.add = sim_add,
	.del = sim_del,
	.start = sim_start,
	.stop = sim_stop,
	.read = sim_read,
};

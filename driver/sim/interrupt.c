// SPDX-License-Identifier: GPL-2.0-only
/*
 * What happens in hard interrupt context: overflows, which are told to whoever samples, and what
 * debugfs has asked for.
 *
 * perf_event_overflow() is not exported, so the event's handler is called directly, and what perf
 * does around it is missing: throttling, of which there is our own, the limit of
 * PERF_EVENT_IOC_REFRESH, and SIGTRAP.
 */
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/smp.h>

#include <asm/irq_regs.h>

#include "compat.h"
#include "sim.h"

/* Overflows that are told in one interrupt; those of an advance must not be so few. */
#define SIM_TELL_RATE		100
#define SIM_TELL_ADVANCE	1000

/* Between two interrupts, and after one that had to leave some untold. */
#define SIM_INTERVAL_NS		50000
#define SIM_PAUSE_NS		10000000

/* One request at a time; on its CPU the timer takes it from sim_cpu.request, and completes it. */
static DEFINE_MUTEX(sim_request_lock);
static DECLARE_COMPLETION(sim_request_done);

/* ---- overflows ---- */

/* Nobody may see the kernel's registers who did not ask to count the kernel, nor the other way. */
static struct pt_regs *sim_sample_regs(const struct perf_event *event, struct pt_regs *regs)
{
	bool user = regs && user_mode(regs);

	if (regs && !(user ? event->attr.exclude_user : event->attr.exclude_kernel))
		return regs;
	if (!user && !event->attr.exclude_user && current->mm && !(current->flags & PF_KTHREAD))
		return task_pt_regs(current);
	return NULL;
}

/* False: it was too much, and some were left out. */
static bool sim_tell(struct sim_cpu *cpu, struct perf_event *event, u64 most)
{
	struct pt_regs *regs = sim_sample_regs(event, get_irq_regs());
	struct sim_event *e = sim_event(event);
	u64 n = regs ? min(e->owed, most) : 0;
	struct perf_sample_data data;
	bool all = e->owed <= most;
	perf_overflow_handler_t tell;

	atomic64_add(e->owed - n, &cpu->lost);
	e->owed = 0;
	while (n--) {
		perf_sample_data_init(&data, 0, event->hw.last_period);
		tell = READ_ONCE(event->overflow_handler);
		tell(event, &data, regs);
	}
	return all;
}

static u64 sim_next_overflow(const struct sim_cpu *cpu, u64 now)
{
	struct perf_event *event;
	u64 next = KTIME_MAX;
	unsigned int i;

	sim_for_each_event(event, i, cpu) {
		const struct sim_event *e = sim_event(event);

		if (!e->rate || !is_sampling_event(event) || !sim_running(event))
			continue;
		if (e->owed)
			next = now;
		else
			next = min(next, sim_rate_deadline(e, e->then,
							   local64_read(&event->hw.period_left)));
	}
	return next;
}

void sim_interrupt_arm(struct sim_cpu *cpu)
{
	u64 now = sim_now();
	u64 next = sim_next_overflow(cpu, now);

	if (next == KTIME_MAX)
		return;
	next = max3(next, now, cpu->not_before);
	hrtimer_start(&cpu->overflow, ns_to_ktime(next), HRTIMER_MODE_ABS_PINNED_HARD);
}

/* A timer outlives its CPU, on another one. What it was for is gone then. */
static bool sim_is_here(const struct sim_cpu *cpu)
{
	return cpu == this_cpu_ptr(&sim_cpus);
}

static enum hrtimer_restart sim_overflow_timer(struct hrtimer *timer)
{
	struct sim_cpu *cpu = container_of(timer, struct sim_cpu, overflow);
	struct perf_event *event;
	bool all = true;
	unsigned int i;
	u64 now, next;

	if (!sim_is_here(cpu))
		return HRTIMER_NORESTART;
	sim_for_each_event(event, i, cpu) {
		if (!is_sampling_event(event) || !sim_running(event))
			continue;
		sim_update(cpu, event);
		all &= sim_tell(cpu, event, SIM_TELL_RATE);
	}
	now = sim_now();
	cpu->not_before = now + (all ? SIM_INTERVAL_NS : SIM_PAUSE_NS);
	next = sim_next_overflow(cpu, now);
	if (next == KTIME_MAX)
		return HRTIMER_NORESTART;
	hrtimer_set_expires(timer, ns_to_ktime(max(next, cpu->not_before)));
	return HRTIMER_RESTART;
}

/* ---- requests ---- */

static void sim_do_advance(struct sim_cpu *cpu, struct perf_event *event,
			   const struct sim_advance *a)
{
	sim_count(cpu, event, sim_advance_count(sim_event(event), a));
	if (is_sampling_event(event))
		sim_tell(cpu, event, SIM_TELL_ADVANCE);
}

/* An overflow that no count led to; a period begins. */
static void sim_do_overflow(struct sim_cpu *cpu, struct perf_event *event, u32 counters)
{
	if (!(counters & BIT(sim_event(event)->counter)) || !is_sampling_event(event))
		return;
	sim_update(cpu, event);
	sim_event(event)->owed++;
	local64_set(&event->hw.period_left, event->hw.sample_period);
	event->hw.last_period = event->hw.sample_period;
	sim_tell(cpu, event, SIM_TELL_ADVANCE);
}

static enum hrtimer_restart sim_request_timer(struct hrtimer *timer)
{
	struct sim_cpu *cpu = container_of(timer, struct sim_cpu, interrupt);
	const struct sim_request *request = cpu->request;
	struct perf_event *event;
	unsigned int i;

	if (!request)
		return HRTIMER_NORESTART;
	sim_for_each_event(event, i, cpu) {
		if (!sim_running(event))
			continue;
		if (request->kind == SIM_ADVANCE)
			sim_do_advance(cpu, event, &request->advance);
		else
			sim_do_overflow(cpu, event, request->counters);
	}
	cpu->request = NULL;
	complete(&sim_request_done);
	return HRTIMER_NORESTART;
}

static void sim_ipi_request(void *arg)
{
	struct sim_cpu *cpu = this_cpu_ptr(&sim_cpus);

	cpu->request = arg;
	hrtimer_start(&cpu->interrupt, 0, HRTIMER_MODE_ABS_PINNED_HARD);
}

/* An IPI to the own CPU is a mere call, so only a timer gives an interrupt everywhere. */
int sim_interrupt(int cpu, struct sim_request *request)
{
	int err;

	mutex_lock(&sim_request_lock);
	/* The CPU cannot leave before its timer has come. */
	cpus_read_lock();
	reinit_completion(&sim_request_done);
	err = smp_call_function_single(cpu, sim_ipi_request, request, 1);
	if (!err)
		wait_for_completion(&sim_request_done);
	cpus_read_unlock();
	mutex_unlock(&sim_request_lock);
	return err;
}

void sim_interrupt_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		sim_compat_timer_init(&per_cpu(sim_cpus, cpu).overflow, sim_overflow_timer);
		sim_compat_timer_init(&per_cpu(sim_cpus, cpu).interrupt, sim_request_timer);
	}
}

void sim_interrupt_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		hrtimer_cancel(&per_cpu(sim_cpus, cpu).overflow);
		hrtimer_cancel(&per_cpu(sim_cpus, cpu).interrupt);
	}
}

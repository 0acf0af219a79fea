/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon_sim: a PMU made of software, whose counts can be predicted, and which fails when told to.
 *
 * main.c		parameters, and as which PMU it registers
 * pmu.c		what perf calls
 * event.c		what an event counts
 * place.c		which event gets which counter
 * interrupt.c	overflows, and whatever else happens in hard interrupt context
 * control.c	debugfs
 * sysfs.c		what user space is told of the PMU
 *
 * Who protects what: the counters of a CPU belong to that CPU with its interrupts off. perf calls
 * us there and like this, the timers fire there, and everybody else gets there with an IPI. So
 * there are no locks, and an event's state moves with it.
 */
#ifndef PERFMON_SIM_H
#define PERFMON_SIM_H

#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#define SIM_MAX_COUNTERS	32
#define SIM_MIN_WIDTH		16

/* ---- main.c: fixed once the PMU is registered ---- */

extern struct pmu sim_pmu;
extern unsigned int sim_counters;
extern unsigned int sim_width;

/* The counters that events of this code can be on: a mask. */
u32 sim_fits(u16 code);

static inline bool sim_is_cpu_pmu(void)
{
	return sim_pmu.type == PERF_TYPE_RAW;
}

static inline u64 sim_mask(void)
{
	return GENMASK_ULL(sim_width - 1, 0);
}

/* ---- event.c ---- */

/* What happens at a constant rate: @step times at the first of each @period ns. */
struct sim_rate {
	u16 code;
	u16 step;
	u16 period;	/* divides a microsecond */
};

enum sim_generic {
	SIM_CYCLES,
	SIM_INSTRUCTIONS,
	SIM_CACHE_REFERENCES,
	SIM_CACHE_MISSES,
	SIM_BRANCHES,
	SIM_BRANCH_MISSES,
	SIM_BUS_CYCLES,
	SIM_GENERICS,
};

extern const struct sim_rate sim_rates[SIM_GENERICS];

/* The event select register of x86, and in which modes it counts. */
struct sim_select {
	u8 event;
	u8 umask;
	u8 cmask;
	bool edge;
	bool invert;
	bool user;
	bool kernel;
};

/*
 * An event's part that is ours.
 * @select, @rate, @step, @fits: fixed.
 * The rest: the CPU that it is on. @reg is the counter's register as far as it is implemented, and
 * hw.prev_count what it was when event->count was last brought up to date; a sampling event is
 * counted down in hw.period_left instead.
 */
struct sim_event {
	struct sim_select select;
	const struct sim_rate *rate;	/* NULL: a manual event */
	unsigned int step;		/* counts in each period of the rate */
	u32 fits;

	unsigned int counter;
	u64 reg;
	u64 then;			/* until when the rate has been counted */
	u64 owed;			/* overflows that nobody has been told of */
	bool asserted;			/* the condition that edges are edges of */
};

static inline struct sim_event *sim_event(const struct perf_event *event)
{
	return event->pmu_private;
}

/* Something that happens because somebody wants it: a run of clocks that are all the same. */
struct sim_advance {
	u8 event;
	u8 umask;
	bool kernel;
	u64 clocks;
	u64 each;	/* occurrences in each clock */
};

bool sim_config_valid(u64 config);
struct sim_select sim_select(u64 config);
u64 sim_config(const struct sim_select *select);

const struct sim_rate *sim_rate_of(u16 code);
/* The code of a PERF_TYPE_HARDWARE or PERF_TYPE_HW_CACHE event, or -ENOENT. */
int sim_code_of_hardware(u64 config);
int sim_code_of_cache(u64 config);

/* Counts in each period of the rate. */
unsigned int sim_rate_step(const struct sim_rate *rate, const struct sim_select *select);
/* Counts from @then to @now, and when the @left next ones will have come; both ns. */
u64 sim_rate_count(const struct sim_event *e, u64 then, u64 now);
u64 sim_rate_deadline(const struct sim_event *e, u64 then, u64 left);

/* What the advance adds to the counter. */
u64 sim_advance_count(struct sim_event *e, const struct sim_advance *a);

/* ---- place.c ---- */

/* Who is on which counter. */
struct sim_layout {
	u32 taken;
	struct perf_event *event[SIM_MAX_COUNTERS];
};

/* -EAGAIN: there is no counter for it, wherever the others would go. */
int sim_place(struct sim_layout *layout, struct perf_event *event);

/* ---- one CPU ---- */

/* Written by debugfs at any time. Those of all CPUs and those of one CPU both hold. */
struct sim_faults {
	u32 stuck;		/* these counters stand still */
	u32 slow_read;		/* what a read takes, ns */
	bool lose_overflows;	/* the interrupt does not come */
	atomic_t fail_add;	/* so many times more; less than 0: always */
	u64 start;		/* what a counter's register begins with */
};

struct sim_request;

struct sim_cpu {
	struct sim_layout layout;
	bool disabled;			/* between pmu_disable() and pmu_enable() */
	u64 not_before;			/* when overflows may be told again */
	struct hrtimer overflow;	/* tells of what a rate has done */
	struct hrtimer interrupt;	/* does a request */
	struct sim_request *request;
	atomic64_t lost;		/* overflows that nobody is told of */
	struct sim_faults faults;
};

DECLARE_PER_CPU(struct sim_cpu, sim_cpus);
extern struct sim_faults sim_faults;

/* That of the counter *@i, or of the next one that has any. */
static inline struct perf_event *sim_event_from(const struct sim_cpu *cpu, unsigned int *i)
{
	while (*i < sim_counters && !cpu->layout.event[*i])
		++*i;
	return *i < sim_counters ? cpu->layout.event[*i] : NULL;
}

#define sim_for_each_event(_event, _i, _cpu) \
	for ((_i) = 0; ((_event) = sim_event_from(_cpu, &(_i))); (_i)++)

/* ---- pmu.c; all on the CPU, with interrupts off ---- */

u64 sim_now(void);

static inline bool sim_running(const struct perf_event *event)
{
	return !event->hw.state;
}

/* Adds to the counter; what overflows is owed. */
void sim_count(struct sim_cpu *cpu, struct perf_event *event, u64 n);
/* Brings event->count up to date. */
void sim_update(struct sim_cpu *cpu, struct perf_event *event);

/* ---- interrupt.c ---- */

enum sim_request_kind {
	SIM_ADVANCE,
	SIM_OVERFLOW,
};

struct sim_request {
	enum sim_request_kind kind;
	struct sim_advance advance;
	u32 counters;		/* that overflow */
};

/* Does it on that CPU, in hard interrupt context, and waits. -ENXIO: the CPU is offline. */
int sim_interrupt(int cpu, struct sim_request *request);

/* On the CPU, with interrupts off: has the timer come when the next overflow is due. */
void sim_interrupt_arm(struct sim_cpu *cpu);

void sim_interrupt_init(void);
void sim_interrupt_exit(void);

/* ---- control.c, sysfs.c ---- */

void sim_control_init(void);
void sim_control_exit(void);
extern const struct attribute_group *sim_attr_groups[];

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between kernels. PERFMON_HAVE_* come from the probes in Kbuild, not from version
 * numbers, because stable series and distributions backport.
 */
#ifndef PERFMON_SIM_COMPAT_H
#define PERFMON_SIM_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/perf_event.h>

/* A timer that fires on the CPU that started it, in hard interrupt context on every kernel. */
static inline void sim_compat_timer_init(struct hrtimer *timer,
					 enum hrtimer_restart (*fn)(struct hrtimer *timer))
{
#ifdef PERFMON_HAVE_HRTIMER_SETUP
	hrtimer_setup(timer, fn, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
	timer->function = fn;
#endif
}

/*
 * Kernels before 6.2 keep the events of all hardware PMUs in one context. Two things follow: they
 * warn when there is a second such PMU, which also a reloaded one is, unless CPUs may differ; and
 * when one PMU is short of counters, events of the other one lose their place. So beside a real
 * PMU we go where software events are, which are in nobody's way.
 */
#ifdef PERF_PMU_CAP_HETEROGENEOUS_CPUS
#define SIM_COMPAT_CAPABILITIES		PERF_PMU_CAP_HETEROGENEOUS_CPUS
#define SIM_COMPAT_SECOND_CONTEXT	perf_sw_context
#else
#define SIM_COMPAT_CAPABILITIES		0
#define SIM_COMPAT_SECOND_CONTEXT	perf_hw_context
#endif

#endif

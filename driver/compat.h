/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only file that knows that kernels differ. PERFMON_HAVE_* come from the probes in Kbuild,
 * not from version numbers, because stable series and distributions backport.
 */
#ifndef PERFMON_COMPAT_H
#define PERFMON_COMPAT_H

#include <linux/capability.h>
#include <linux/perf_event.h>

/*
 * May the current task count what the kernel does? perf's own answer where it can be asked; before
 * 6.12 perf_allow_kernel() is not exported, and only the capability opens the door.
 */
static inline bool pm_compat_allow_kernel(void)
{
	if (perfmon_capable())
		return true;
#ifdef PERFMON_ALLOW_KERNEL_VOID
	return perf_allow_kernel() == 0;
#elif defined(PERFMON_HAVE_ALLOW_KERNEL)
	struct perf_event_attr attr = { .size = sizeof(attr) };

	return perf_allow_kernel(&attr) == 0;
#else
	return false;
#endif
}

#endif

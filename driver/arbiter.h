/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who holds what: the list of holders, and the interlock of cpc_shared_open(3), one holder a CPU.
 */
#ifndef PERFMON_ARBITER_H
#define PERFMON_ARBITER_H

#include <linux/list.h>
#include <linux/perfmon.h>
#include <linux/pid.h>

#include "fault.h"

/* Part of an open file. All members: the arbiter's mutex, from pm_hold() to pm_unhold(). */
struct pm_holder {
	struct list_head node;
	struct pid *pid;	/* of the process that took hold */
	char comm[PERFMON_COMM_LEN];
	enum perfmon_face face;
	int cpu;
	unsigned int counters;
	u64 since;
	bool shared;		/* holds its CPU through cpc_shared_open(3) */
};

void pm_holder_init(struct pm_holder *holder);

/* Lists the holder in the name of the current process; listed already: changes what it holds. */
void pm_hold(struct pm_holder *holder, enum perfmon_face face, int cpu, unsigned int counters);

/* Gives everything back; nothing happens if the holder is not listed. */
void pm_unhold(struct pm_holder *holder);

/*
 * pm_hold(), as the one shared holder of a CPU until pm_unhold(). -EAGAIN: somebody else is, whom
 * @fault names.
 */
int pm_hold_shared(struct pm_holder *holder, int cpu, struct pm_fault *fault);

/* CPUs that are held so. */
unsigned int pm_shared_count(void);

/* Copies up to @room holders; returns how many there are. */
unsigned int pm_holders_get(struct perfmon_holder *out, unsigned int room);

#endif

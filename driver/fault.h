/* SPDX-License-Identifier: GPL-2.0-only */
/* Why a request was refused, kept for PERFMON_IOC_ERROR. */
#ifndef PERFMON_FAULT_H
#define PERFMON_FAULT_H

#include <linux/perfmon.h>
#include <linux/spinlock.h>

/* Two threads may be refused on one file at once. */
struct pm_fault {
	spinlock_t lock;	/* protects the rest */
	int err;
	int index;
	int cpu;
	char text[PERFMON_TEXT_LEN];
};

void pm_fault_init(struct pm_fault *fault);

/*
 * Notes the refusal and returns @err, so that a refusal is one line. @index, @cpu: -1 for none.
 * @fault may be NULL, for a question whose answer nobody is refused by.
 */
__printf(5, 6)
int pm_fault(struct pm_fault *fault, int err, int index, int cpu, const char *fmt, ...);

/* The same for a bad pointer. */
int pm_fault_address(struct pm_fault *fault);

/* What the engine calls event 0 of a set of one is counter @index to the caller. */
void pm_fault_reindex(struct pm_fault *fault, int index);

void pm_fault_get(struct pm_fault *fault, struct perfmon_error *out);

#endif

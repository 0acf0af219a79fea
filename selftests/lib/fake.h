/* SPDX-License-Identifier: GPL-2.0-only */
/* A made-up /sys/bus/event_source/devices in a temporary directory. */
#ifndef SELFTESTS_LIB_FAKE_H
#define SELFTESTS_LIB_FAKE_H

struct fake_file {
	const char *name;
	const char *text;
};

/*
 * Points lib/event at an empty tree and keeps libpfm4 from looking at the CPU of the host, unless
 * `pmu` names one of its tables. To be called before anything of lib/event.
 */
void fake_start(const char *pmu);
void fake_end(void);

/* Empties the tree. */
void fake_clear(void);
/* Adds a PMU: lists end with a NULL name. */
void fake_pmu(const char *name, unsigned int type, const struct fake_file *formats,
	      const struct fake_file *events);
void fake_file(const char *pmu, const char *name, const char *text);

/* The machines that the tests know. */
void fake_x86(void);		/* "cpu", type 4 */
void fake_arm64(void);		/* "armv8_pmuv3_0", type 8, with a list of CPUs */
void fake_riscv64(void);	/* "cpu", type 4, without events */
void fake_hybrid(void);		/* "cpu_core" and "cpu_atom" */
void fake_no_pmu(void);		/* what a virtual machine has: msr, software, tracepoint */

#endif

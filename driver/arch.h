/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between CPUs: which fields of perfmon(4)'s struct pmc their raw encoding has, and
 * their time stamp counter.
 */
#ifndef PERFMON_ARCH_H
#define PERFMON_ARCH_H

#include <linux/bits.h>
#include <linux/perfmon.h>
#include <linux/timex.h>
#include <linux/types.h>

#if defined(CONFIG_X86)
#include <asm/tsc.h>

#define PM_ARCH_FIELDS	(PERFMON_CAP_UNIT | PERFMON_CAP_EDGE | PERFMON_CAP_INVERT | \
			 PERFMON_CAP_CMASK)

/* The architectural event select register. */
static inline u64 pm_arch_config(u8 event, u8 unit, u8 mask, bool edge, bool invert)
{
	return event | unit << 8 | (edge ? BIT(18) : 0) | (invert ? BIT(23) : 0) | (u64)mask << 24;
}

/* MHz, 0: the time stamp counter is of no use. */
static inline unsigned int pm_arch_tstamp_rate(void)
{
	return tsc_khz / 1000;
}

#elif defined(CONFIG_ARM64)
#include <asm/sysreg.h>

/* An event number of 16 bits is all there is; pmc_unit is its upper half. */
#define PM_ARCH_FIELDS	PERFMON_CAP_UNIT

static inline u64 pm_arch_config(u8 event, u8 unit, u8 mask, bool edge, bool invert)
{
	return event | unit << 8;
}

static inline unsigned int pm_arch_tstamp_rate(void)
{
	return read_sysreg(cntfrq_el0) / 1000000;
}

#elif defined(CONFIG_RISCV)
#include <asm/delay.h>

/* What firmware takes as a raw event selector. */
#define PM_ARCH_FIELDS	PERFMON_CAP_UNIT

static inline u64 pm_arch_config(u8 event, u8 unit, u8 mask, bool edge, bool invert)
{
	return event | unit << 8;
}

static inline unsigned int pm_arch_tstamp_rate(void)
{
	return riscv_timebase / 1000000;
}

#else
#error "perfmon knows x86, arm64 and riscv"
#endif

static inline u32 pm_arch_caps(void)
{
	return PM_ARCH_FIELDS | (pm_arch_tstamp_rate() ? PERFMON_CAP_TSTAMP : 0);
}

static inline u64 pm_arch_tstamp(void)
{
	return get_cycles();
}

#endif

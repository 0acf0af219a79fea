/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cpc_event_t, what libcpc counts and what it has counted; see cpc_event(3). */
#ifndef _SYS_CPC_EVENT_H
#define _SYS_CPC_EVENT_H

#include <inttypes.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef long long hrtime_t;		/* ns, CLOCK_MONOTONIC */

/*
 * CPUs, for ce_cpuver. cpc_getcpuver() says which this is. Solaris' own numbers first, then those
 * that its compilers gave to later CPUs.
 */
#define CPC_ULTRA1		1000
#define CPC_ULTRA2		1001
#define CPC_ULTRA3		1002
#define CPC_ULTRA3_PLUS		1003
#define CPC_ULTRA3_I		1004
#define CPC_ULTRA4_PLUS		1005
#define CPC_PENTIUM		2000
#define CPC_PENTIUM_MMX		2001
#define CPC_PENTIUM_PRO		2002
#define CPC_PENTIUM_PRO_MMX	2003
#define CPC_SPARC64_III		3000
#define CPC_SPARC64_V		3002

#define CPC_PENTIUM_4		2017
#define CPC_PENTIUM_4_HT	2027
#define CPC_INTEL_CORE2		2028
#define CPC_INTEL_NEHALEM	2040
#define CPC_INTEL_WESTMERE	2042
#define CPC_INTEL_SANDYBRIDGE	2045
#define CPC_INTEL_IVYBRIDGE	2047
#define CPC_INTEL_ATOM		2050
#define CPC_INTEL_HASWELL	2060
#define CPC_INTEL_BROADWELL	2070
#define CPC_INTEL_SKYLAKE	2080
#define CPC_INTEL_UNKNOWN	2499
#define CPC_AMD_K8C		2500
#define CPC_AMD_FAM_10H		2501
#define CPC_AMD_FAM_11H		2502
#define CPC_AMD_FAM_15H		2503

/* CPUs that Solaris never knew: one number an architecture, for they differ in names only. */
#define CPC_LINUX_X86		9000	/* any other x86 */
#define CPC_LINUX_ARM64		9001
#define CPC_LINUX_RISCV64	9002
#define CPC_LINUX_OTHER		9099

#define CPC_MAX_PIC		8	/* counters in one event, pic0 to pic7 */

/*
 * Bits of ce_pes[]. Event 7:0 and unit mask 15:8 are one number of 16 bits on arm64 and riscv,
 * which have none of the fields marked x86.
 */
#define CPC_PES_EVENT		0x000000ffu
#define CPC_PES_UMASK		0x0000ff00u
#define CPC_PES_USR		0x00010000u	/* count in user mode */
#define CPC_PES_OS		0x00020000u	/* count in the kernel */
#define CPC_PES_E		0x00040000u	/* x86: count occurrences, not duration */
#define CPC_PES_PC		0x00080000u	/* pin control: no perf event has it, ENOTSUP */
#define CPC_PES_INT		0x00100000u	/* has no effect: perf sees to interrupts */
#define CPC_PES_EN		0x00400000u	/* has no effect: bind starts, release stops */
#define CPC_PES_INV		0x00800000u	/* x86: fewer than CMASK, not at least so many */
#define CPC_PES_CMASK		0xff000000u	/* x86: cycles with at least so many events */

/* perf's code of an event that does not fit ce_pes[]. */
struct _cpc_code {
	uint32_t type;
	uint32_t reserved;
	uint64_t config;
	uint64_t config1;
};

/* A sample as the kernel wrote it; what a program needs of it is in ce_hrt, ce_tick, ce_pic[]. */
struct _cpc_sample {
	uint32_t nr;
	uint32_t bad;
	int32_t cpu;
	uint32_t state;
	uint64_t time;
	uint64_t ticks;
	uint64_t value[CPC_MAX_PIC];
};

/*
 * cpc_strtoevent() fills one, or a program does: zero it, set ce_cpuver to cpc_getcpuver(), and
 * give the counters that are to count a ce_pes[] that is not 0. ce_pcr is read for UltraSPARC
 * numbers only, and no Linux machine has one of those.
 */
typedef struct _cpc_event {
	int ce_cpuver;			/* CPC_*: whose control bits these are; must be set */
	hrtime_t ce_hrt;		/* when the counters were read, gethrtime() */
	__extension__ union {
		uint64_t ce_tick;	/* ticks of the CPU's time stamp counter while counting */
		uint64_t ce_tsc;
	};
	uint64_t ce_pic[CPC_MAX_PIC];	/* counts; for bind, the values to start from */
	uint64_t ce_pcr;		/* control bits, UltraSPARC */
	uint32_t ce_pes[CPC_MAX_PIC];	/* control bits, one word a counter, CPC_PES_* */

	/* The rest is the library's, and zero in an event that a program makes. */
	uint32_t ce_used;		/* bit n: counter n counts, whatever ce_pes[n] says */
	uint32_t ce_coded;		/* bit n: the event of counter n is ce_code[n] */
	struct _cpc_code ce_code[CPC_MAX_PIC];
	struct _cpc_sample ce_sample;
} cpc_event_t;

#define ce_cesr			ce_pes[0]

#define CPC_TICKREG(ev)		((ev)->ce_tick)
#if defined(__x86_64__) || defined(__i386__)
#define CPC_TICKREG_NAME	"tsc"
#else
#define CPC_TICKREG_NAME	"tick"
#endif

#ifdef __cplusplus
}
#endif

#endif

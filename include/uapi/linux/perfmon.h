/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * perfmon - performance counters of a whole machine, held exclusively
 *
 * What every face of /dev/perfmon shares, the raw sets, and perfmon(4). Programs written for
 * FreeBSD include <machine/perfmon.h>, which adds the original's short names to this.
 * The manual is perfmon(4).
 */
#ifndef _UAPI_LINUX_PERFMON_H
#define _UAPI_LINUX_PERFMON_H

#include <linux/ioctl.h>
#include <linux/types.h>

/*
 * How /dev/perfmon is opened says what it is:
 *   O_RDONLY, O_WRONLY, O_RDWR   perfmon(4): any number of readers, one writer
 *   PERFMON_O_CONTROL            neither: a file that takes PERFMON_IOC_*, and that becomes a
 *                                raw set or a shared cpc set with the first such request
 * The last is Linux' access mode 3, "for ioctl only": it asks for read and write permission.
 */
#define PERFMON_O_CONTROL	3

#define PERFMON_VERSION		0x00010000	/* major << 16 | minor */
#define PERFMON_MAX_EVENTS	32		/* counters in one set */
#define PERFMON_COMM_LEN	16
#define PERFMON_TEXT_LEN	168

#define PERFMON_IOC_MAGIC	0xBB

/* What a counter is doing. */
enum perfmon_state {
	PERFMON_STATE_OFF = 0,		/* not started, or stopped: the value stands */
	PERFMON_STATE_COUNTING = 1,
	PERFMON_STATE_FROZEN = 2,	/* stopped by its overflow */
	PERFMON_STATE_REVOKED = 3,	/* taken away by a system-wide use */
	PERFMON_STATE_LOST = 4,		/* its CPU went away; start it again when it is back */
	PERFMON_STATE_CONTENDED = 5,	/* perf had no counter for it: the value is too low */
	PERFMON_STATE_GONE = 6,		/* its target ended */
};

/* Which interface of /dev/perfmon a file uses. */
enum perfmon_face {
	PERFMON_FACE_CONTROL = 0,
	PERFMON_FACE_PMIO = 1,		/* perfmon(4) */
	PERFMON_FACE_RAW = 2,		/* raw set */
	PERFMON_FACE_CPC = 3,		/* cpc_shared_open(3) */
};

/*
 * What the machine and this module can do. `size` is that of the structure, here and everywhere:
 * a larger one than the module knows is taken as long as the rest is zero. Members that are not
 * said to be input are output.
 */
struct perfmon_info {
	__u32 size;		/* in */
	__u32 flags;		/* in: 0 */
	__u32 version;		/* PERFMON_VERSION */
	__u32 caps;		/* PERFMON_CAP_* */
	__u32 npmc;		/* counters of perfmon(4) */
	__u32 max_events;	/* counters in one set */
	__u32 ncpus;		/* one more than the highest possible CPU number */
	__u32 shared_opens;	/* CPUs held through cpc_shared_open(3) */
};

#define PERFMON_CAP_HARDWARE	0x01	/* the CPUs have counters that perf can use */
#define PERFMON_CAP_UNIT	0x02	/* events have a unit mask (PMIOSETUP: pmc_unit) */
#define PERFMON_CAP_EDGE	0x04	/* PMCF_E */
#define PERFMON_CAP_INVERT	0x08	/* PMCF_INV */
#define PERFMON_CAP_CMASK	0x10	/* pmc_mask */
#define PERFMON_CAP_TSTAMP	0x20	/* PMIOTSTAMP */

/* The last request of this file that was refused, in words. */
struct perfmon_error {
	__u32 size;		/* in */
	__u32 flags;		/* in: 0 */
	__s32 err;		/* errno value, 0 when nothing was refused yet */
	__s32 index;		/* of the counter or event at fault, else -1 */
	__s32 cpu;		/* the CPU at fault, else -1 */
	__u32 reserved;		/* 0 */
	char text[PERFMON_TEXT_LEN];
};

/* Somebody who has /dev/perfmon open and holds, or may hold, counters. */
struct perfmon_holder {
	__s32 pid;		/* as the caller sees it, 0 when it cannot */
	__u32 face;		/* enum perfmon_face */
	__s32 cpu;		/* -1: all */
	__u32 counters;		/* programmed, on each CPU */
	__u64 since;		/* ns, CLOCK_MONOTONIC */
	char comm[PERFMON_COMM_LEN];
};

struct perfmon_holders {
	__u32 size;		/* in */
	__u32 flags;		/* in: 0 */
	__u32 count;		/* in: room at holders; out: how many there are */
	__u32 reserved;		/* in: 0 */
	__u64 holders;		/* in: pointer to struct perfmon_holder[count] */
};

/* What one counter counts: perf's type and config, and whose instructions. */
struct perfmon_event {
	__u32 type;		/* PERF_TYPE_*, or a PMU's own from sysfs */
	__u32 flags;		/* PERFMON_EVENT_* */
	__u64 config;
	__u64 config1;
	__u64 preset;		/* the value that counting starts from */
};

#define PERFMON_EVENT_USER	0x1
#define PERFMON_EVENT_KERNEL	0x2

/*
 * Raw sets. Any number of events on one CPU or on each online one, programmed all or not at all,
 * started, stopped and read together. One set a file; programming again replaces it.
 */
struct perfmon_set {
	__u32 size;		/* in */
	__u32 flags;		/* in: PERFMON_SET_* */
	__s32 cpu;		/* in: -1 for every online CPU */
	__u32 nevents;		/* in */
	__u64 events;		/* in: pointer to struct perfmon_event[nevents] */
};

#define PERFMON_SET_STARTED	0x1	/* count at once, without PERFMON_IOC_SET_START */

/*
 * The counters of one CPU, taken together with its interrupts off: 32 bytes and the values. Where
 * nr is input, value[] beyond the values there are may be zeroed up to that.
 */
struct perfmon_sample {
	__u32 nr;		/* in: room in value[]; out: values there are */
	__u32 bad;		/* bit n: counter n stood, or stands, still: see state */
	__s32 cpu;
	__u32 state;		/* enum perfmon_state, of the set; the worst of its counters */
	__u64 time;		/* ns, CLOCK_MONOTONIC */
	__u64 ticks;		/* of the CPU's time stamp counter while counting */
	__u64 value[];
};

/*
 * Reads one CPU (cpu >= 0) or all of a set (-1). The records follow each other without a gap, each
 * with exactly the set's values, as many as there is room for. All of one call bear the same time.
 * Of one CPU's, the bytes behind it may be zeroed, up to 96 from the start and to the room given.
 */
struct perfmon_read {
	__u32 size;		/* in */
	__u32 flags;		/* in: 0 */
	__s32 cpu;		/* in */
	__u32 bytes;		/* in: room at records; out: bytes that all records have */
	__u64 records;		/* in: pointer to struct perfmon_sample, one a CPU */
};

#define PERFMON_IOC_INFO	_IOWR(PERFMON_IOC_MAGIC, 0x00, struct perfmon_info)
#define PERFMON_IOC_ERROR	_IOWR(PERFMON_IOC_MAGIC, 0x01, struct perfmon_error)
#define PERFMON_IOC_HOLDERS	_IOWR(PERFMON_IOC_MAGIC, 0x02, struct perfmon_holders)
#define PERFMON_IOC_SET_PROGRAM	_IOW(PERFMON_IOC_MAGIC, 0x10, struct perfmon_set)
#define PERFMON_IOC_SET_START	_IO(PERFMON_IOC_MAGIC, 0x11)
#define PERFMON_IOC_SET_STOP	_IO(PERFMON_IOC_MAGIC, 0x12)
#define PERFMON_IOC_SET_RESET	_IO(PERFMON_IOC_MAGIC, 0x13)
#define PERFMON_IOC_SET_READ	_IOWR(PERFMON_IOC_MAGIC, 0x14, struct perfmon_read)

/*
 * perfmon(4). Layouts, numbers and errno rules are FreeBSD's. quad_t is what a ported program
 * calls the 64-bit members; glibc's own spelling of it exists under every -std.
 */
#if defined(__KERNEL__)
typedef __s64 __perfmon_quad_t;
#else
#include <sys/types.h>
#ifdef __GLIBC__
typedef __quad_t __perfmon_quad_t;
#else
typedef long long __perfmon_quad_t;
#endif
#endif

#define PMIO_NPMC	4

struct pmc {
	int pmc_num;			/* 0 to PMIO_NPMC - 1 */
	union {
		struct {
			unsigned char pmcus_event;
			unsigned char pmcus_unit;
			unsigned char pmcus_flags;	/* PMCF_* */
			unsigned char pmcus_mask;
		} pmcu_s;
		unsigned int pmcu_val;
	} pmc_pmcu;
};

struct pmc_data {
	int pmcd_num;			/* in */
	__perfmon_quad_t pmcd_value;
};

struct pmc_tstamp {
	int pmct_rate;			/* MHz, a hint only */
	__perfmon_quad_t pmct_value;
};

#define PMCF_USR	0x01		/* count in user mode */
#define PMCF_OS		0x02		/* count in kernel mode */
#define PMCF_E		0x04		/* count occurrences, not duration */
#define PMCF_PC		0x08		/* pin control: refused, no perf event has it */
#define PMCF_INT	0x10		/* cleared without a word, as ever */
#define PMCF_EN		0x40		/* cleared; PMIOGET: the counter runs */
#define PMCF_INV	0x80		/* invert the comparison with pmc_mask */
#define PMCF_SYS_FLAGS	(PMCF_INT | PMCF_EN)

#define PMIOSETUP	_IOW('5', 1, struct pmc)
#define PMIOSTART	_IOW('5', 2, int)
#define PMIOSTOP	_IOW('5', 3, int)
#define PMIOREAD	_IOWR('5', 4, struct pmc_data)
#define PMIORESET	_IOW('5', 5, int)
#define PMIOTSTAMP	_IOR('5', 6, struct pmc_tstamp)
#define PMIOGET		_IOWR('5', 7, struct pmc)

/*
 * Linux additions for machines of many CPUs. Without PMIOSETCPU a counter counts on every online
 * CPU and PMIOREAD gives the sum. With it, the writer's later PMIOSETUPs count on that CPU only,
 * and PMIOREAD of this file reads that CPU only. -1 undoes it.
 */
struct pmc_cpu {
	__u32 pmcc_size;		/* in */
	__u32 pmcc_flags;		/* in: 0 */
	__s32 pmcc_cpu;			/* in */
	__u32 pmcc_reserved;		/* in: 0 */
};

struct pmc_cpu_value {
	__s32 pmcv_cpu;
	__u32 pmcv_state;		/* enum perfmon_state */
	__s64 pmcv_value;
};

struct pmc_cpu_data {
	__u32 pmcx_size;		/* in */
	__u32 pmcx_flags;		/* in: 0 */
	__s32 pmcx_num;			/* in: the counter */
	__u32 pmcx_ncpus;		/* in: room in values; out: CPUs there are */
	__u64 pmcx_values;		/* in: pointer to struct pmc_cpu_value[] */
};

#define PMIOSETCPU	_IOW('5', 8, struct pmc_cpu)
#define PMIOREADCPUS	_IOWR('5', 9, struct pmc_cpu_data)

#endif

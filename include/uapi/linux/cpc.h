/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * cpc - counters in the manner of Solaris' cpc device, used by libcpc
 *
 * A file opened with PERFMON_O_CONTROL becomes, with CPC_IOC_SHARED_OPEN, the one holder of the
 * CPU that its caller is bound to. Bind, sample and release must come from a thread that is still
 * bound to that CPU (EAGAIN). See cpc_shared_open(3).
 */
#ifndef _UAPI_LINUX_CPC_H
#define _UAPI_LINUX_CPC_H

#include <linux/perfmon.h>

struct cpc_shared_open {
	__u32 size;		/* in */
	__u32 flags;		/* in: 0 */
	__s32 cpu;		/* the CPU that is now held */
	__u32 reserved;		/* in: 0 */
};

/* Programs the events, all or none, and starts them; replaces what was bound before. */
struct cpc_bind {
	__u32 size;		/* in */
	__u32 flags;		/* in: 0 */
	__u32 nevents;		/* in: 1 to PERFMON_MAX_EVENTS */
	__u32 reserved;		/* in: 0 */
	__u64 events;		/* in: pointer to struct perfmon_event[nevents] */
};

#define CPC_IOC_SHARED_OPEN	_IOWR(PERFMON_IOC_MAGIC, 0x20, struct cpc_shared_open)
#define CPC_IOC_BIND		_IOW(PERFMON_IOC_MAGIC, 0x21, struct cpc_bind)
/* value[nr] of the sample must have room for what is bound, else EINVAL */
#define CPC_IOC_SAMPLE		_IOWR(PERFMON_IOC_MAGIC, 0x22, struct perfmon_sample)
#define CPC_IOC_RELE		_IO(PERFMON_IOC_MAGIC, 0x23)

#endif

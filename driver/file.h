/* SPDX-License-Identifier: GPL-2.0-only */
/* An open file of /dev/perfmon and the faces that it can have. */
#ifndef PERFMON_FILE_H
#define PERFMON_FILE_H

#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/uaccess.h>

#include "arbiter.h"
#include "fault.h"
#include "watch.h"

struct pm_file;

/*
 * An interface of the device. ioctl passes a request that is not its own to pm_services_ioctl(),
 * and may be called by several threads at once; release is not.
 */
struct pm_face {
	enum perfmon_face id;
	long (*ioctl)(struct pm_file *f, unsigned int cmd, void __user *arg);
	void (*release)(struct pm_file *f);
};

/*
 * @face, @priv: set once, under @lock, when the file gets its face; before that a control file.
 * @may_count, @may_kernel, @writable: the opener's rights, fixed at open.
 * @holder, @fault: see there.
 */
struct pm_file {
	struct mutex lock;	/* and for what a face says that it protects */
	const struct pm_face *face;
	void *priv;
	bool writable;
	int may_count;		/* 0 or -EACCES */
	bool may_kernel;
	struct pm_watch watch;
	struct pm_holder holder;
	struct pm_fault fault;
};

/* Gives a control file its face; with f->lock held. */
void pm_file_become(struct pm_file *f, const struct pm_face *face, void *priv);

/* What every file answers: PERFMON_IOC_*. Anything else is -ENOTTY. */
long pm_services_ioctl(struct pm_file *f, unsigned int cmd, void __user *arg);

/*
 * May this file's opener count these events? Else -EACCES. The engine checks the caller's rights.
 */
int pm_file_allowed(struct pm_file *f, const struct perfmon_event *events, unsigned int n);

/* The rest of pm_copy_in(), for a size that is not the known one. */
int pm_copy_in_other(struct pm_file *f, void *to, size_t known, void __user *from);

/*
 * Copies a structure that begins with its size. Return: 0, -EFAULT, -EINVAL too small, -E2BIG
 * larger than known and not zero there.
 */
static __always_inline int pm_copy_in(struct pm_file *f, void *to, size_t known,
				      void __user *from)
{
	if (copy_from_user(to, from, known))
		return pm_fault_address(&f->fault);
	return likely(*(u32 *)to == known) ? 0 : pm_copy_in_other(f, to, known, from);
}

/* Copies the events of a set to new memory, which the caller frees; else an ERR_PTR. */
struct perfmon_event *pm_events_in(struct pm_file *f, u64 from, unsigned int n);

/* perfmon(4): a file opened for it has no other face. */
int pm_pmio_open(struct pm_file *f);
long pm_pmio_compat_ioctl(struct pm_file *f, unsigned int cmd, void __user *arg);

/* First requests of a control file: it becomes a raw set or a shared cpc set. */
long pm_rawset_program(struct pm_file *f, void __user *arg);
long pm_cpc_shared_open(struct pm_file *f, void __user *arg);

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon: performance counters of a whole machine through /dev/perfmon, see perfmon(4).
 *
 * A request goes from here to the face of its file (pmio.c, rawset.c, cpc.c), and from there to
 * arbiter.c, which knows who holds what, and counter.c, which knows perf. Nothing calls back.
 * Locks, outermost first: a file's lock, pmio's lock, cpu_hotplug_lock, the arbiter's lock, the
 * locks of parts and faults.
 */
#include <linux/compat.h>
#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <linux/cpc.h>

#include "arch.h"
#include "counter.h"
#include "file.h"

void pm_file_become(struct pm_file *f, const struct pm_face *face, void *priv)
{
	lockdep_assert_held(&f->lock);
	f->priv = priv;
	/* Pairs with the acquire in pm_file_face(): who sees the face sees priv. */
	smp_store_release(&f->face, face);
}

static const struct pm_face *pm_file_face(struct pm_file *f)
{
	return smp_load_acquire(&f->face);
}

int pm_file_allowed(struct pm_file *f, const struct perfmon_event *events, unsigned int n)
{
	unsigned int i;

	if (f->may_count)
		return pm_fault(&f->fault, f->may_count, -1, -1,
				"whoever opened this file may not count CPUs");
	for (i = 0; i < n; i++)
		if ((events[i].flags & PERFMON_EVENT_KERNEL) && !f->may_kernel)
			return pm_fault(&f->fault, -EACCES, i, -1,
					"whoever opened this file may not count in kernel mode");
	return 0;
}

int pm_copy_in_other(struct pm_file *f, void *to, size_t known, void __user *from)
{
	u32 size = *(u32 *)to;
	int err;

	if (size < known)
		return pm_fault(&f->fault, -EINVAL, -1, -1, "size is %u, at least %zu is needed",
				size, known);
	if (size > PAGE_SIZE)
		return pm_fault(&f->fault, -E2BIG, -1, -1, "size is %u, %zu is known", size, known);
	err = copy_struct_from_user(to, known, from, size);
	if (err == -E2BIG)
		return pm_fault(&f->fault, err, -1, -1,
				"size is %u, %zu is known, and the rest is not zero", size, known);
	return err ? pm_fault_address(&f->fault) : 0;
}

struct perfmon_event *pm_events_in(struct pm_file *f, u64 from, unsigned int n)
{
	struct perfmon_event *events;
	int err = 0;

	if (!n)
		err = pm_fault(&f->fault, -EINVAL, -1, -1, "a set needs at least one event");
	if (n > PERFMON_MAX_EVENTS)
		err = pm_fault(&f->fault, -E2BIG, -1, -1, "%u events, a set takes %u", n,
			       PERFMON_MAX_EVENTS);
	if (err)
		return ERR_PTR(err);
	events = memdup_user(u64_to_user_ptr(from), n * sizeof(*events));
	if (PTR_ERR_OR_ZERO(events) == -EFAULT)
		pm_fault_address(&f->fault);
	else if (IS_ERR(events))
		pm_fault(&f->fault, PTR_ERR(events), -1, -1, "out of memory");
	return events;
}

static long pm_ioc_info(struct pm_file *f, void __user *arg)
{
	struct perfmon_info info;
	int err;

	err = pm_copy_in(f, &info, sizeof(info), arg);
	if (err)
		return err;
	if (info.flags)
		return pm_fault(&f->fault, -EINVAL, -1, -1, "unknown flags %#x", info.flags);
	info.size = sizeof(info);
	info.version = PERFMON_VERSION;
	info.caps = pm_arch_caps();
	if (!pm_counter_probe(PM_ALL_CPUS, NULL))
		info.caps |= PERFMON_CAP_HARDWARE;
	info.npmc = PMIO_NPMC;
	info.max_events = PERFMON_MAX_EVENTS;
	info.ncpus = nr_cpu_ids;
	info.shared_opens = pm_shared_count();
	return copy_to_user(arg, &info, sizeof(info)) ? pm_fault_address(&f->fault) : 0;
}

static long pm_ioc_error(struct pm_file *f, void __user *arg)
{
	struct perfmon_error error;
	int err;

	err = pm_copy_in(f, &error, sizeof(error), arg);
	if (err)
		return err;
	if (error.flags)
		return pm_fault(&f->fault, -EINVAL, -1, -1, "unknown flags %#x", error.flags);
	memset(&error, 0, sizeof(error));
	error.size = sizeof(error);
	pm_fault_get(&f->fault, &error);
	return copy_to_user(arg, &error, sizeof(error)) ? pm_fault_address(&f->fault) : 0;
}

static long pm_holders_out(struct pm_file *f, struct perfmon_holders *req)
{
	/* More than there are now would be room for nobody. */
	unsigned int room = min(req->count, pm_holders_get(NULL, 0));
	struct perfmon_holder *list;
	unsigned int n;
	long err = 0;

	list = kvcalloc(max(room, 1U), sizeof(*list), GFP_KERNEL);
	if (!list)
		return pm_fault(&f->fault, -ENOMEM, -1, -1, "out of memory");
	n = pm_holders_get(list, room);
	req->count = n;
	if (copy_to_user(u64_to_user_ptr(req->holders), list, min(n, room) * sizeof(*list)))
		err = pm_fault_address(&f->fault);
	kvfree(list);
	return err;
}

static long pm_ioc_holders(struct pm_file *f, struct perfmon_holders __user *arg)
{
	struct perfmon_holders req;
	long err;

	err = pm_copy_in(f, &req, sizeof(req), arg);
	if (err)
		return err;
	if (req.flags || req.reserved)
		return pm_fault(&f->fault, -EINVAL, -1, -1, "flags and reserved must be 0");
	err = pm_holders_out(f, &req);
	if (err)
		return err;
	return put_user(req.count, &arg->count) ? pm_fault_address(&f->fault) : 0;
}

/* And what only a file without a face answers. */
long pm_ioctl_any(struct pm_file *f, unsigned int cmd, void __user *arg)
{
	bool control = !pm_file_face(f);

	switch (cmd) {
	case PERFMON_IOC_INFO:
		return pm_ioc_info(f, arg);
	case PERFMON_IOC_ERROR:
		return pm_ioc_error(f, arg);
	case PERFMON_IOC_HOLDERS:
		return pm_ioc_holders(f, arg);
	case PERFMON_IOC_SET_PROGRAM:
		if (control)
			return pm_rawset_program(f, arg);
		break;
	case CPC_IOC_SHARED_OPEN:
		if (control)
			return pm_cpc_shared_open(f, arg);
		break;
	}
	return pm_fault(&f->fault, -ENOTTY, -1, -1, "not a request for a file opened like this one");
}

static long pm_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct pm_file *f = file->private_data;
	const struct pm_face *face = pm_file_face(f);

	if (likely(face))
		return face->ioctl(f, cmd, (void __user *)arg);
	return pm_ioctl_any(f, cmd, (void __user *)arg);
}

#ifdef CONFIG_COMPAT
static long pm_compat_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct pm_file *f = file->private_data;
	const struct pm_face *face = pm_file_face(f);

	if (face && face->id == PERFMON_FACE_PMIO) {
		long ret = pm_pmio_compat_ioctl(f, cmd, compat_ptr(arg));

		if (ret != -ENOIOCTLCMD)
			return ret;
	}
	return pm_ioctl(file, cmd, (unsigned long)compat_ptr(arg));
}
#endif

static __poll_t pm_poll(struct file *file, poll_table *wait)
{
	struct pm_file *f = file->private_data;

	poll_wait(file, &f->watch.wait, wait);
	return READ_ONCE(f->watch.news) ? EPOLLPRI : 0;
}

static int pm_open(struct inode *inode, struct file *file)
{
	struct pm_file *f;
	int err = 0;

	f = kzalloc(sizeof(*f), GFP_KERNEL);
	if (!f)
		return -ENOMEM;
	mutex_init(&f->lock);
	pm_watch_init(&f->watch);
	pm_holder_init(&f->holder);
	pm_fault_init(&f->fault);
	f->writable = file->f_mode & FMODE_WRITE;
	f->may_count = pm_counter_allow_cpu();
	f->may_kernel = pm_counter_allow_kernel();

	if (f->may_count && f->may_count != -EACCES)
		err = f->may_count;
	else if ((file->f_flags & O_ACCMODE) != PERFMON_O_CONTROL)
		err = pm_pmio_open(f);
	if (err) {
		kfree(f);
		return err;
	}
	file->private_data = f;
	return nonseekable_open(inode, file);
}

static int pm_release(struct inode *inode, struct file *file)
{
	struct pm_file *f = file->private_data;

	if (f->face)
		f->face->release(f);
	pm_unhold(&f->holder);
	mutex_destroy(&f->lock);
	kfree(f);
	return 0;
}

static const struct file_operations pm_fops = {
	.owner = THIS_MODULE,
	.open = pm_open,
	.release = pm_release,
	.poll = pm_poll,
	.unlocked_ioctl = pm_ioctl,
#ifdef CONFIG_COMPAT
	.compat_ioctl = pm_compat_ioctl,
#endif
};

static struct miscdevice pm_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "perfmon",
	.fops = &pm_fops,
	.mode = 0600,	/* nothing is open before udev has run */
};

static int __init pm_init(void)
{
	int err;

	err = pm_counter_init();
	if (err)
		return err;
	err = misc_register(&pm_misc);
	if (err)
		goto err_counter;
	return 0;

err_counter:
	pm_counter_exit();
	return err;
}

static void __exit pm_exit(void)
{
	misc_deregister(&pm_misc);
	pm_counter_exit();
}

module_init(pm_init);
module_exit(pm_exit);

MODULE_DESCRIPTION("Performance counters of a whole machine: perfmon(4) and cpc_shared_open(3)");
MODULE_LICENSE("GPL");

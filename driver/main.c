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
#include <linux/init.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <linux/cpc.h>

#include "counter.h"
#include "file.h"

static const struct pm_face *pm_file_face(struct pm_file *f)
{
	/* Pairs with the release in pm_file_become(): who sees the face sees priv. */
	return smp_load_acquire(&f->face);
}

/* A control file: its first request may give it a face. */
static long pm_control_ioctl(struct pm_file *f, unsigned int cmd, void __user *arg)
{
	switch (cmd) {
	case PERFMON_IOC_SET_PROGRAM:
		return pm_rawset_program(f, arg);
	case CPC_IOC_SHARED_OPEN:
		return pm_cpc_shared_open(f, arg);
	default:
		return pm_services_ioctl(f, cmd, arg);
	}
}

static long pm_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct pm_file *f = file->private_data;
	const struct pm_face *face = pm_file_face(f);

	if (likely(face))
		return face->ioctl(f, cmd, (void __user *)arg);
	return pm_control_ioctl(f, cmd, (void __user *)arg);
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

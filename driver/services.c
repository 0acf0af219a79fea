// SPDX-License-Identifier: GPL-2.0-only
/* What every file of /dev/perfmon answers: what there is, why not, and who holds what. */
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "arch.h"
#include "counter.h"
#include "file.h"

static long pm_ioc_info(struct pm_file *f, void __user *arg)
{
	struct perfmon_info info;
	int err;

	err = pm_copy_in(f, &info, sizeof(info), arg);
	if (err)
		return err;
	if (info.flags)
		return pm_fault(&f->fault, -EINVAL, -1, -1, "unknown flags %#x", info.flags);
	err = pm_counter_probe(PM_ALL_CPUS, NULL);
	if (err == -ENOMEM)
		return pm_fault(&f->fault, err, -1, -1, "out of memory");
	info.size = sizeof(info);
	info.version = PERFMON_VERSION;
	info.caps = pm_arch_caps();
	if (!err)
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

long pm_services_ioctl(struct pm_file *f, unsigned int cmd, void __user *arg)
{
	switch (cmd) {
	case PERFMON_IOC_INFO:
		return pm_ioc_info(f, arg);
	case PERFMON_IOC_ERROR:
		return pm_ioc_error(f, arg);
	case PERFMON_IOC_HOLDERS:
		return pm_ioc_holders(f, arg);
	default:
		return pm_fault(&f->fault, -ENOTTY, -1, -1,
				"not a request for a file opened like this one");
	}
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Raw sets: any events on one CPU or on all, programmed, started, stopped and read together. What
 * the tools use where no original has a word for it, and all that a machine without a PMU can do.
 */
#include <linux/err.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "file.h"
#include "set.h"

static_assert(sizeof(struct perfmon_event) == 32);
static_assert(sizeof(struct perfmon_set) == 24);
static_assert(sizeof(struct perfmon_read) == 24);
static_assert(sizeof(struct perfmon_sample) == 32);

/*
 * @set: changed under f->lock, which owns the set; readers of one CPU only hold rcu_read_lock().
 * NULL when programming another one failed.
 */
struct rawset {
	struct pm_set __rcu *set;
};

static struct rawset *rawset(struct pm_file *f)
{
	return f->priv;
}

static struct pm_set *rawset_owned(struct pm_file *f)
{
	return rcu_dereference_protected(rawset(f)->set, lockdep_is_held(&f->lock));
}

static int rawset_unprogrammed(struct pm_file *f)
{
	return pm_fault(&f->fault, -EINVAL, -1, -1,
			"nothing is programmed: PERFMON_IOC_SET_PROGRAM first");
}

/* -EINVAL where there is no such CPU, else -ENXIO. */
static int rawset_uncovered(struct pm_file *f, int cpu)
{
	int err = pm_cpu_or_all_check(cpu, &f->fault);

	if (err)
		return err;
	return pm_fault(&f->fault, -ENXIO, -1, cpu, "the set has no counters on CPU %d", cpu);
}

/* Takes the set out of the readers' reach. */
static void rawset_drop(struct pm_file *f)
{
	struct pm_set *set = rawset_owned(f);

	if (!set)
		return;
	rcu_assign_pointer(rawset(f)->set, NULL);
	synchronize_rcu();
	pm_set_destroy(set);
	pm_unhold(&f->holder);
	pm_watch_clear(&f->watch);
}

static struct pm_set *rawset_create(struct pm_file *f, const struct perfmon_set *req,
				    const struct perfmon_event *events)
{
	struct pm_set *set;
	int err;

	set = pm_set_create(events, req->nevents, req->cpu, &f->lock, &f->watch, &f->fault);
	if (IS_ERR(set) || !(req->flags & PERFMON_SET_STARTED))
		return set;
	err = pm_set_start(set, &f->fault);
	if (!err)
		return set;
	pm_set_destroy(set);
	return ERR_PTR(err);
}

static const struct pm_face rawset_face;

static int rawset_become(struct pm_file *f)
{
	struct rawset *raw;

	if (f->face == &rawset_face)
		return 0;
	if (f->face)
		return pm_fault(&f->fault, -EBUSY, -1, -1,
				"another thread gave this file another use");
	raw = kzalloc(sizeof(*raw), GFP_KERNEL);
	if (!raw)
		return pm_fault(&f->fault, -ENOMEM, -1, -1, "out of memory");
	pm_file_become(f, &rawset_face, raw);
	return 0;
}

static int rawset_program(struct pm_file *f, const struct perfmon_set *req,
			  const struct perfmon_event *events)
{
	struct pm_set *set;
	int err;

	err = rawset_become(f);
	if (err)
		return err;
	/* The old one first: there may not be hardware for both. */
	rawset_drop(f);
	set = rawset_create(f, req, events);
	if (IS_ERR(set))
		return PTR_ERR(set);
	rcu_assign_pointer(rawset(f)->set, set);
	pm_hold(&f->holder, PERFMON_FACE_RAW, req->cpu, req->nevents);
	return 0;
}

static int rawset_check_events(struct pm_file *f, const struct perfmon_event *events,
			       unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!events[i].flags)
			return pm_fault(&f->fault, -EINVAL, i, -1,
					"event %u counts neither user nor kernel mode", i);
	return pm_file_allowed(f, events, n);
}

/* For a control file and for one that is a raw set already. */
long pm_rawset_program(struct pm_file *f, void __user *arg)
{
	struct perfmon_event *events;
	struct perfmon_set req;
	int err;

	err = pm_copy_in(f, &req, sizeof(req), arg);
	if (err)
		return err;
	if (req.flags & ~PERFMON_SET_STARTED)
		return pm_fault(&f->fault, -EINVAL, -1, -1, "unknown flags %#x", req.flags);
	events = pm_events_in(f, req.events, req.nevents);
	if (IS_ERR(events))
		return PTR_ERR(events);

	err = rawset_check_events(f, events, req.nevents);
	if (!err)
		err = pm_cpu_or_all_check(req.cpu, &f->fault);
	if (!err) {
		mutex_lock(&f->lock);
		err = rawset_program(f, &req, events);
		mutex_unlock(&f->lock);
	}
	kfree(events);
	return err;
}

static int rawset_start(struct pm_set *set, struct pm_fault *fault)
{
	return pm_set_start(set, fault);
}

static int rawset_stop(struct pm_set *set, struct pm_fault *fault)
{
	pm_set_stop(set);
	return 0;
}

static int rawset_reset(struct pm_set *set, struct pm_fault *fault)
{
	pm_set_reset(set);
	return 0;
}

static long rawset_control(struct pm_file *f,
			   int (*act)(struct pm_set *set, struct pm_fault *fault))
{
	struct pm_set *set;
	int err;

	mutex_lock(&f->lock);
	set = rawset_owned(f);
	err = set ? act(set, &f->fault) : rawset_unprogrammed(f);
	mutex_unlock(&f->lock);
	return err;
}

static __always_inline int rawset_sample(struct pm_file *f, int cpu, struct perfmon_sample *head,
					 unsigned int room)
{
	struct pm_set *set;
	int err = -EINVAL;

	rcu_read_lock();
	set = rcu_dereference(rawset(f)->set);
	if (likely(set))
		err = pm_set_read_cpu(set, cpu, head, room, true);
	rcu_read_unlock();
	if (unlikely(err == -EINVAL))
		return rawset_unprogrammed(f);
	return unlikely(err) ? rawset_uncovered(f, cpu) : 0;
}

/* A large set, or a caller with little room. Return: bytes there are, or an errno. */
static noinline int rawset_read_many(struct pm_file *f, const struct perfmon_read *req)
{
	struct pm_sample sample = {};
	size_t size;
	int err;

	err = rawset_sample(f, req->cpu, &sample.head, PERFMON_MAX_EVENTS);
	if (err)
		return err;
	size = pm_sample_size(sample.head.nr);
	if (size > req->bytes)
		return size;
	if (copy_to_user(u64_to_user_ptr(req->records), &sample, size))
		return pm_fault_address(&f->fault);
	return size;
}

static int rawset_read_cpu(struct pm_file *f, const struct perfmon_read *req)
{
	struct pm_sample_few sample __pm_uninitialized;
	int err;

	if (unlikely(req->bytes < sizeof(sample)))
		return rawset_read_many(f, req);
	err = rawset_sample(f, req->cpu, &sample.head, PM_FEW);
	if (unlikely(err))
		return err;
	if (unlikely(sample.head.nr > PM_FEW))
		return rawset_read_many(f, req);
	pm_sample_pad(&sample);
	if (copy_to_user(u64_to_user_ptr(req->records), &sample, sizeof(sample)))
		return pm_fault_address(&f->fault);
	return pm_sample_size(sample.head.nr);
}

/* Copies whole records, under the lock, since they are the set's. */
static int rawset_read_set(struct pm_file *f, const struct perfmon_read *req, struct pm_set *set)
{
	const void *records;
	size_t size, room;

	records = pm_set_read_all(set, &size);
	room = size;
	if (unlikely(req->bytes < size))
		room = rounddown(req->bytes, size / pm_set_cpus(set));
	if (copy_to_user(u64_to_user_ptr(req->records), records, room))
		return pm_fault_address(&f->fault);
	return size;
}

static int rawset_read_all(struct pm_file *f, const struct perfmon_read *req)
{
	struct pm_set *set;
	int ret;

	mutex_lock(&f->lock);
	set = rawset_owned(f);
	ret = likely(set) ? rawset_read_set(f, req, set) : rawset_unprogrammed(f);
	mutex_unlock(&f->lock);
	return ret;
}

static long rawset_read(struct pm_file *f, struct perfmon_read __user *arg)
{
	struct perfmon_read req;
	int ret;

	ret = pm_copy_in(f, &req, sizeof(req), arg);
	if (ret)
		return ret;
	if (req.flags)
		return pm_fault(&f->fault, -EINVAL, -1, -1, "unknown flags %#x", req.flags);
	ret = req.cpu == PM_ALL_CPUS ? rawset_read_all(f, &req) : rawset_read_cpu(f, &req);
	if (ret < 0)
		return ret;
	if (ret == req.bytes)
		return 0;
	return put_user(ret, &arg->bytes) ? pm_fault_address(&f->fault) : 0;
}

static long rawset_ioctl(struct pm_file *f, unsigned int cmd, void __user *arg)
{
	/* What is called often comes first. */
	if (likely(cmd == PERFMON_IOC_SET_READ))
		return rawset_read(f, arg);
	switch (cmd) {
	case PERFMON_IOC_SET_START:
		return rawset_control(f, rawset_start);
	case PERFMON_IOC_SET_STOP:
		return rawset_control(f, rawset_stop);
	case PERFMON_IOC_SET_RESET:
		return rawset_control(f, rawset_reset);
	case PERFMON_IOC_SET_PROGRAM:
		return pm_rawset_program(f, arg);
	default:
		return pm_services_ioctl(f, cmd, arg);
	}
}

/* Nobody reads any more, so there is nobody to wait for. */
static void rawset_release(struct pm_file *f)
{
	struct pm_set *set;

	mutex_lock(&f->lock);
	set = rawset_owned(f);
	if (set)
		pm_set_destroy(set);
	mutex_unlock(&f->lock);
	kfree(rawset(f));
}

static const struct pm_face rawset_face = {
	.id = PERFMON_FACE_RAW,
	.ioctl = rawset_ioctl,
	.release = rawset_release,
};

// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpc sets, shared: the one holder of a CPU binds, samples and releases a set on it, from threads
 * that are bound to that CPU. The meaning is that of cpc_shared_open(3).
 */
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/timex.h>
#include <linux/uaccess.h>

#include <linux/cpc.h>

#include "file.h"
#include "set.h"

static_assert(sizeof(struct cpc_shared_open) == 16);
static_assert(sizeof(struct cpc_bind) == 24);

/*
 * @cpu: fixed.
 * @set: f->lock.
 * @part: the set's part of @cpu; changed there with interrupts off, by a holder of f->lock. So a
 *	sampler, which runs there with interrupts off, reads it without a lock, and a set that has
 *	been taken out is not in anybody's hands.
 */
struct cpc_shared {
	int cpu;
	struct pm_set *set;
	struct pm_part *part;
};

static const struct pm_face cpc_shared_face;

/* Others may unbind a thread, or bind it, at any time. */
static __always_inline bool cpc_is_bound(void)
{
	return READ_ONCE(current->nr_cpus_allowed) == 1;
}

/* The CPU that the current thread is bound to, or -1; it runs there, or will in a moment. */
static int cpc_bound_cpu(void)
{
	return cpc_is_bound() ? task_cpu(current) : -1;
}

static int cpc_unbound(struct pm_file *f, int cpu)
{
	return pm_fault(&f->fault, -EAGAIN, -1, cpu,
			"the thread is not bound to CPU %d any more: close and open again", cpu);
}

static int cpc_check_bound(struct pm_file *f, const struct cpc_shared *shared)
{
	return cpc_bound_cpu() == shared->cpu ? 0 : cpc_unbound(f, shared->cpu);
}

static void cpc_publish_there(void *arg)
{
	struct cpc_shared *shared = arg;

	shared->part = shared->set ? pm_set_part(shared->set, shared->cpu) : NULL;
}

/* Puts a set, or NULL, in place of the present one, which is then the caller's. */
static struct pm_set *cpc_swap(struct pm_file *f, struct pm_set *set)
{
	struct cpc_shared *shared = f->priv;
	struct pm_set *old = shared->set;

	lockdep_assert_held(&f->lock);
	shared->set = set;
	pm_on_cpu(shared->cpu, cpc_publish_there, shared);
	return old;
}

/* Return: was there a set? */
static bool cpc_drop(struct pm_file *f)
{
	struct pm_set *old = cpc_swap(f, NULL);

	if (old)
		pm_set_destroy(old);
	pm_watch_clear(&f->watch);
	return old;
}

static int cpc_bind_locked(struct pm_file *f, const struct perfmon_event *events, unsigned int n)
{
	struct cpc_shared *shared = f->priv;
	struct pm_set *set;
	int err;

	/* The old set first: there may not be hardware for both. */
	cpc_drop(f);
	pm_hold(&f->holder, PERFMON_FACE_CPC, shared->cpu, 0);
	set = pm_set_create(events, n, shared->cpu, &f->lock, &f->watch, &f->fault);
	if (IS_ERR(set))
		return PTR_ERR(set);
	err = pm_set_start(set, &f->fault);
	if (err) {
		pm_set_destroy(set);
		return err;
	}
	cpc_swap(f, set);
	pm_hold(&f->holder, PERFMON_FACE_CPC, shared->cpu, n);
	return 0;
}

static long cpc_bind(struct pm_file *f, void __user *arg)
{
	struct perfmon_event *events;
	struct cpc_bind req;
	int err;

	err = cpc_check_bound(f, f->priv);
	if (!err)
		err = pm_copy_in(f, &req, sizeof(req), arg);
	if (err)
		return err;
	if (req.flags || req.reserved)
		return pm_fault(&f->fault, -EINVAL, -1, -1, "flags and reserved must be 0");
	events = pm_events_in(f, req.events, req.nevents);
	if (IS_ERR(events))
		return PTR_ERR(events);

	err = pm_file_allowed(f, events, req.nevents);
	if (!err) {
		mutex_lock(&f->lock);
		err = cpc_bind_locked(f, events, req.nevents);
		mutex_unlock(&f->lock);
	}
	kfree(events);
	/* A CPU that went offline took the thread's binding with it. */
	if (err == -ENXIO && cpc_check_bound(f, f->priv))
		err = -EAGAIN;
	return err;
}

static int cpc_nothing_bound(struct pm_file *f)
{
	return pm_fault(&f->fault, -EINVAL, -1, -1, "nothing is bound");
}

/*
 * Reads the set on this CPU, if the thread is bound to it. head.nr: what is bound, which may be
 * more than there was room for. No lock, see struct cpc_shared.
 */
static __always_inline int cpc_read(struct pm_file *f, struct cpc_shared *shared,
				    struct perfmon_sample *head, unsigned int room)
{
	struct pm_part *part = NULL;
	unsigned long flags;
	bool bound;

	local_irq_save(flags);
	bound = smp_processor_id() == shared->cpu && cpc_is_bound();
	if (likely(bound))
		part = shared->part;
	if (likely(part)) {
		head->nr = part->n;
		if (likely(part->n <= room))
			pm_part_read(part, head, ktime_get_ns(), get_cycles());
	}
	local_irq_restore(flags);

	if (likely(part))
		return 0;
	return bound ? cpc_nothing_bound(f) : cpc_unbound(f, shared->cpu);
}

/* A large set, or a caller with little room. */
static noinline long cpc_sample_many(struct pm_file *f, struct perfmon_sample __user *arg,
				     u32 room)
{
	struct pm_sample sample = {};
	int err;

	err = cpc_read(f, f->priv, &sample.head, PERFMON_MAX_EVENTS);
	if (err)
		return err;
	if (room < sample.head.nr)
		return pm_fault(&f->fault, -EINVAL, -1, -1, "room for %u values, %u are bound",
				room, sample.head.nr);
	return copy_to_user(arg, &sample, pm_sample_size(sample.head.nr)) ?
		pm_fault_address(&f->fault) : 0;
}

static long cpc_sample(struct pm_file *f, struct perfmon_sample __user *arg)
{
	struct cpc_shared *shared = f->priv;
	struct pm_sample_few sample __pm_uninitialized;
	u32 room;
	int err;

	if (get_user(room, &arg->nr))
		return cpc_check_bound(f, shared) ?: pm_fault_address(&f->fault);
	if (unlikely(room < PM_FEW))
		return cpc_sample_many(f, arg, room);
	err = cpc_read(f, shared, &sample.head, PM_FEW);
	if (unlikely(err))
		return err;
	if (unlikely(sample.head.nr > PM_FEW))
		return cpc_sample_many(f, arg, room);
	pm_sample_pad(&sample);
	return copy_to_user(arg, &sample, sizeof(sample)) ? pm_fault_address(&f->fault) : 0;
}

static long cpc_rele(struct pm_file *f)
{
	struct cpc_shared *shared = f->priv;
	bool dropped;
	int err;

	err = cpc_check_bound(f, shared);
	if (err)
		return err;
	mutex_lock(&f->lock);
	dropped = cpc_drop(f);
	pm_hold(&f->holder, PERFMON_FACE_CPC, shared->cpu, 0);
	mutex_unlock(&f->lock);
	return dropped ? 0 : cpc_nothing_bound(f);
}

static long cpc_ioctl(struct pm_file *f, unsigned int cmd, void __user *arg)
{
	/* What is called often comes first. */
	if (likely(cmd == CPC_IOC_SAMPLE))
		return cpc_sample(f, arg);
	switch (cmd) {
	case CPC_IOC_BIND:
		return cpc_bind(f, arg);
	case CPC_IOC_RELE:
		return cpc_rele(f);
	default:
		return pm_services_ioctl(f, cmd, arg);
	}
}

static void cpc_release(struct pm_file *f)
{
	mutex_lock(&f->lock);
	cpc_drop(f);
	mutex_unlock(&f->lock);
	pm_unhold(&f->holder);
	kfree(f->priv);
}

static const struct pm_face cpc_shared_face = {
	.id = PERFMON_FACE_CPC,
	.ioctl = cpc_ioctl,
	.release = cpc_release,
};

/* In the order of the original's device: privilege, counters, binding, holder. */
static int cpc_shared_hold(struct pm_file *f, int cpu)
{
	int err;

	err = pm_file_allowed(f, NULL, 0);
	if (!err)
		err = pm_counter_probe(PM_ALL_CPUS, &f->fault);
	if (err)
		return err;
	if (cpu < 0)
		return pm_fault(&f->fault, -EINVAL, -1, -1,
				"the thread must be bound to one CPU: processor_bind() or sched_setaffinity() first");
	err = pm_counter_probe(cpu, &f->fault);
	return err ?: pm_hold_shared(&f->holder, cpu, &f->fault);
}

static int cpc_shared_open_locked(struct pm_file *f, int cpu)
{
	struct cpc_shared *shared;
	int err;

	if (f->face)
		return pm_fault(&f->fault, -EBUSY, -1, -1, "another thread gave this file a use");
	shared = kzalloc(sizeof(*shared), GFP_KERNEL);
	if (!shared)
		return pm_fault(&f->fault, -ENOMEM, -1, -1, "out of memory");
	err = cpc_shared_hold(f, cpu);
	if (err) {
		kfree(shared);
		return err;
	}
	shared->cpu = cpu;
	pm_file_become(f, &cpc_shared_face, shared);
	return 0;
}

long pm_cpc_shared_open(struct pm_file *f, void __user *ptr)
{
	struct cpc_shared_open __user *arg = ptr;
	struct cpc_shared_open req;
	int cpu, err;

	err = pm_copy_in(f, &req, sizeof(req), arg);
	if (err)
		return err;
	if (req.flags || req.reserved)
		return pm_fault(&f->fault, -EINVAL, -1, -1, "flags and reserved must be 0");

	/* Told before it is held: a holder that does not know would be none. */
	cpu = cpc_bound_cpu();
	if (put_user(cpu, &arg->cpu))
		return pm_fault_address(&f->fault);

	mutex_lock(&f->lock);
	err = cpc_shared_open_locked(f, cpu);
	mutex_unlock(&f->lock);
	return err;
}

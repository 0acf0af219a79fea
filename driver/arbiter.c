// SPDX-License-Identifier: GPL-2.0-only
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "arbiter.h"

/* Protects the list, every holder on it, and the count. Innermost: nothing is locked under it. */
static DEFINE_MUTEX(pm_arbiter_lock);
static LIST_HEAD(pm_holders);
static unsigned int pm_shared;

void pm_holder_init(struct pm_holder *holder)
{
	INIT_LIST_HEAD(&holder->node);
}

static void pm_hold_locked(struct pm_holder *holder, enum perfmon_face face, int cpu,
			   unsigned int counters)
{
	lockdep_assert_held(&pm_arbiter_lock);
	if (list_empty(&holder->node)) {
		holder->pid = get_task_pid(current->group_leader, PIDTYPE_TGID);
		get_task_comm(holder->comm, current->group_leader);
		holder->since = ktime_get_ns();
		list_add_tail(&holder->node, &pm_holders);
	}
	holder->face = face;
	holder->cpu = cpu;
	holder->counters = counters;
}

void pm_hold(struct pm_holder *holder, enum perfmon_face face, int cpu, unsigned int counters)
{
	mutex_lock(&pm_arbiter_lock);
	pm_hold_locked(holder, face, cpu, counters);
	mutex_unlock(&pm_arbiter_lock);
}

void pm_unhold(struct pm_holder *holder)
{
	mutex_lock(&pm_arbiter_lock);
	if (!list_empty(&holder->node)) {
		list_del_init(&holder->node);
		put_pid(holder->pid);
		if (holder->shared)
			WRITE_ONCE(pm_shared, pm_shared - 1);
		holder->shared = false;
	}
	mutex_unlock(&pm_arbiter_lock);
}

static struct pm_holder *pm_shared_holder(int cpu)
{
	struct pm_holder *holder;

	lockdep_assert_held(&pm_arbiter_lock);
	list_for_each_entry(holder, &pm_holders, node)
		if (holder->shared && holder->cpu == cpu)
			return holder;
	return NULL;
}

int pm_hold_shared(struct pm_holder *holder, int cpu, struct pm_fault *fault)
{
	struct pm_holder *other;
	int err = 0;

	mutex_lock(&pm_arbiter_lock);
	other = pm_shared_holder(cpu);
	if (other) {
		err = pm_fault(fault, -EAGAIN, -1, cpu, "CPU %d is held by process %d (%s)", cpu,
			       pid_vnr(other->pid), other->comm);
	} else {
		pm_hold_locked(holder, PERFMON_FACE_CPC, cpu, 0);
		holder->shared = true;
		WRITE_ONCE(pm_shared, pm_shared + 1);
	}
	mutex_unlock(&pm_arbiter_lock);
	return err;
}

unsigned int pm_shared_count(void)
{
	return READ_ONCE(pm_shared);
}

static void pm_holder_get(const struct pm_holder *holder, struct perfmon_holder *out)
{
	out->pid = pid_vnr(holder->pid);
	out->face = holder->face;
	out->cpu = holder->cpu;
	out->counters = holder->counters;
	out->since = holder->since;
	memcpy(out->comm, holder->comm, sizeof(out->comm));
}

unsigned int pm_holders_get(struct perfmon_holder *out, unsigned int room)
{
	struct pm_holder *holder;
	unsigned int n = 0;

	mutex_lock(&pm_arbiter_lock);
	list_for_each_entry(holder, &pm_holders, node) {
		if (n < room)
			pm_holder_get(holder, &out[n]);
		n++;
	}
	mutex_unlock(&pm_arbiter_lock);
	return n;
}

// SPDX-License-Identifier: GPL-2.0-only
/* What the faces do alike with a file and its requests, see file.h. */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "file.h"

void pm_file_become(struct pm_file *f, const struct pm_face *face, void *priv)
{
	lockdep_assert_held(&f->lock);
	f->priv = priv;
	/* Pairs with the acquire in main.c. */
	smp_store_release(&f->face, face);
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

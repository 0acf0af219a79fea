// SPDX-License-Identifier: GPL-2.0-only
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "fault.h"

void pm_fault_init(struct pm_fault *fault)
{
	spin_lock_init(&fault->lock);
	fault->err = 0;
	fault->index = -1;
	fault->cpu = -1;
	fault->text[0] = '\0';
}

int pm_fault(struct pm_fault *fault, int err, int index, int cpu, const char *fmt, ...)
{
	va_list ap;

	if (!fault)
		return err;
	spin_lock(&fault->lock);
	fault->err = -err;
	fault->index = index;
	fault->cpu = cpu;
	va_start(ap, fmt);
	vsnprintf(fault->text, sizeof(fault->text), fmt, ap);
	va_end(ap);
	spin_unlock(&fault->lock);
	return err;
}

void pm_fault_reindex(struct pm_fault *fault, int index)
{
	spin_lock(&fault->lock);
	if (fault->index >= 0)
		fault->index = index;
	spin_unlock(&fault->lock);
}

int pm_fault_address(struct pm_fault *fault)
{
	return pm_fault(fault, -EFAULT, -1, -1, "an argument is not a valid address");
}

void pm_fault_get(struct pm_fault *fault, struct perfmon_error *out)
{
	spin_lock(&fault->lock);
	out->err = fault->err;
	out->index = fault->index;
	out->cpu = fault->cpu;
	strscpy(out->text, fault->text, sizeof(out->text));
	spin_unlock(&fault->lock);
}

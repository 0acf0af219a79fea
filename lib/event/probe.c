// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What perf can count here. Only generic hardware names are asked about: perf maps them to the
 * CPU's own events, and says at once when there is none. Nothing is ever started.
 */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "internal.h"

static bool is_generic_hardware(const struct perfmon_event *ev)
{
	return ev->type == PERF_TYPE_HARDWARE || ev->type == PERF_TYPE_HW_CACHE;
}

/* 0 or the errno of the attempt. */
static int try_open(const struct perfmon_event *ev, bool exclude_kernel)
{
	struct perf_event_attr attr;
	long fd;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = ev->type;
	attr.config = ev->config;
	attr.disabled = 1;
	attr.exclude_kernel = exclude_kernel;
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

bool pme_countable(const struct perfmon_event *ev)
{
	int saved = errno, err;

	if (!is_generic_hardware(ev) || !pme_sysfs_is_real())
		return true;
	/* An unprivileged caller may ask for user mode only; some PMUs cannot do only that. */
	err = try_open(ev, true);
	if (err == EINVAL)
		err = try_open(ev, false);
	errno = saved;
	return err != ENOENT && err != EINVAL;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* cpustat: counts events on every CPU. The manual is cpustat(1). */
#include <stdio.h>
#include <sys/resource.h>

#include <linux/perfmon.h>

#include "device.h"
#include "list.h"
#include "options.h"
#include "output.h"
#include "run.h"

/* One file for each CPU; where the most is not enough, open() will say so. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int print_version(void)
{
	printf("cpustat (perfmon for Linux) %d.%d\n", PERFMON_VERSION >> 16,
	       PERFMON_VERSION & 0xffff);
	return fflush(stdout) ? STATUS_FAILED : STATUS_OK;
}

static int act(const struct options *opt)
{
	switch (opt->action) {
	case ACTION_LIST:
		return list_events(opt->pattern);
	case ACTION_VERSION:
		return print_version();
	default:
		return run_count(opt);
	}
}

int main(int argc, char **argv)
{
	struct options opt;
	int status;

	output_guard();
	raise_file_limit();
	status = options_parse(&opt, argc, argv);
	if (!status)
		status = act(&opt);
	options_clear(&opt);
	return status;
}

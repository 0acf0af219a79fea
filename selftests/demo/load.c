// SPDX-License-Identifier: GPL-2.0-only
/* A known load: keeps one CPU busy with additions, until it is killed. Usage: load CPU */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <err.h>
#include <sched.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	volatile unsigned long sum = 0;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(argc > 1 ? atoi(argv[1]) : 0, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "cannot run there");
	for (;;)
		sum++;
}

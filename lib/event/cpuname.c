// SPDX-License-Identifier: LGPL-2.1-or-later
/* What to call this machine's counters. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "internal.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char cpu_name[256];

/* The value after "key  : " of /proc/cpuinfo's first CPU. */
static bool cpuinfo(const char *key, char *value, size_t size)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	bool found = false;
	char line[512];

	while (f && !found && fgets(line, sizeof(line), f)) {
		char *colon = strchr(line, ':');

		if (!colon || strncmp(line, key, strlen(key)))
			continue;
		snprintf(value, size, "%s", colon + 1 + strspn(colon + 1, " \t"));
		value[strcspn(value, "\n")] = '\0';
		found = *value;
	}
	if (f)
		fclose(f);
	return found;
}

/* riscv says "uarch" for the model; there and elsewhere the machine is better than nothing. */
static void model(char *text, size_t size)
{
	const char *desc = pme_pfm_cpu();
	struct utsname uts;

	if (desc)
		snprintf(text, size, "%s", desc);
	else if (!cpuinfo("model name", text, size) && !cpuinfo("uarch", text, size))
		snprintf(text, size, "%s", uname(&uts) ? "CPU" : uts.machine);
}

static void append(const char *text)
{
	strncat(cpu_name, text, sizeof(cpu_name) - 1 - strlen(cpu_name));
}

static void init(void)
{
	struct pme_pmu pmus[PME_MAX_PMUS];
	unsigned int n = pme_cpu_pmus(pmus), i;

	model(cpu_name, sizeof(cpu_name) / 2);
	if (!n)
		append(" (no hardware counters)");
	for (i = 0; i < n; i++) {
		append(i ? ", " : " (");
		append(pmus[i].name);
	}
	if (n)
		append(")");
}

const char *pme_cpu_name(void)
{
	pthread_once(&once, init);
	return cpu_name;
}

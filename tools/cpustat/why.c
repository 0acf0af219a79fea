// SPDX-License-Identifier: LGPL-2.1-or-later
/* Refusals of one CPU, in words. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device.h"
#include "why.h"

/*
 * The driver names the CPU in its text; here many CPUs often have the same to say, and are then
 * named together in front of it.
 */
static void put_without_cpu(char *to, size_t len, const char *text, int id)
{
	char name[24];
	const char *at;

	snprintf(name, sizeof(name), "CPU %d", id);
	at = strstr(text, name);
	if (!at || (at[strlen(name)] >= '0' && at[strlen(name)] <= '9'))
		snprintf(to, len, "%s", text);
	else
		snprintf(to, len, "%.*sthe CPU%s", (int)(at - text), text, at + strlen(name));
}

static void put_end(struct cpu *cpu, const char *text)
{
	size_t len = strlen(cpu->why);

	snprintf(cpu->why + len, sizeof(cpu->why) - len, "%s", text);
}

int why_not(struct cpu *cpu, const char *what, int err)
{
	struct perfmon_error error;
	int n;

	cpu->err = err;
	n = snprintf(cpu->why, sizeof(cpu->why), "%s: ", what);
	if (cpu->fd >= 0 && device_error(cpu->fd, err, &error))
		put_without_cpu(cpu->why + n, sizeof(cpu->why) - n, error.text, cpu->id);
	else
		snprintf(cpu->why + n, sizeof(cpu->why) - n, "%s", strerror(err));
	if ((err == EACCES || err == EPERM) && geteuid())
		put_end(cpu, ": run cpustat with sudo, or see perfmon(4)");
	return -1;
}

int why_not_open(struct cpu *cpu, int err)
{
	struct perfmon_holder holder;

	if (err != EAGAIN)
		return why_not(cpu, "cannot use the counters", err);
	if (!device_holder(cpu->fd, cpu->id, &holder))
		return why_not(cpu, "busy", err);
	cpu->err = err;
	if (holder.pid)
		snprintf(cpu->why, sizeof(cpu->why),
			 "busy: pid %d (%.*s) is counting there; stop it or wait for its end",
			 holder.pid, PERFMON_COMM_LEN, holder.comm);
	else
		snprintf(cpu->why, sizeof(cpu->why),
			 "busy: %.*s, of another pid namespace, is counting there",
			 PERFMON_COMM_LEN, holder.comm);
	return -1;
}

static bool nmi_watchdog_on(void)
{
	FILE *f = fopen("/proc/sys/kernel/nmi_watchdog", "re");
	int c = f ? fgetc(f) : EOF;

	if (f)
		fclose(f);
	return c == '1';
}

int why_not_bound(struct cpu *cpu, const struct pme_spec *spec, unsigned int fit, int err)
{
	struct perfmon_error error;
	const char *name = spec->text;

	if (device_error(cpu->fd, err, &error) && error.index >= 0 &&
	    (unsigned int)error.index < spec->n)
		name = spec->req[error.index].name;
	if (err != EBUSY)
		return why_not(cpu, name, err);
	cpu->err = err;
	snprintf(cpu->why, sizeof(cpu->why),
		 "no free counter for %s: %u of %u events fit beside what others count; "
		 "divide them between several -c", name, fit, spec->n);
	if (nmi_watchdog_on())
		put_end(cpu, "; the NMI watchdog has one (until sysctl kernel.nmi_watchdog=0)");
	return -1;
}

int why_offline(struct cpu *cpu)
{
	cpu->err = ENXIO;
	snprintf(cpu->why, sizeof(cpu->why),
		 "went offline and is counted no more; the total has what was seen of it");
	return -1;
}

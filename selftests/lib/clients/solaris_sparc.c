// SPDX-License-Identifier: GPL-2.0-only
/* A program as one writes it for libcpc v1 on SPARC: an event by name, on each CPU in turn. */
#include <libcpc.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static uint_t n_names;

static void print_error(const char *fn, const char *fmt, va_list ap)
{
	(void) fprintf(stderr, "%s: ", fn);
	(void) vfprintf(stderr, fmt, ap);
}

static void count_name(void *arg, int regno, const char *name, uint8_t bits)
{
	uint_t *n = (uint_t *)arg;

	if (regno == 0 && strcmp(name, "Instr_cnt") == 0 && bits < 255)
		(*n)++;
}

static int measure(processorid_t cpu, cpc_event_t *event, cpc_event_t *total)
{
	hrtime_t start = gethrtime();
	cpc_event_t sample;
	int fd, rc = -1;

	if (processor_bind(P_LWPID, P_MYID, cpu, NULL) == -1)
		return -1;
	if ((fd = cpc_shared_open()) == -1)
		return -1;
	if (cpc_shared_bind_event(fd, event, 0) == 0) {
		(void) sleep(1);
		rc = cpc_shared_take_sample(fd, &sample);
	}
	if (rc == 0) {
		cpc_event_accum(total, &sample);
		(void) printf("%d %lld %" PRIu64 " %s %" PRIu64 " pcr %" PRIx64 "\n", cpu,
		    (long long)(sample.ce_hrt - start), CPC_TICKREG(&sample), CPC_TICKREG_NAME,
		    sample.ce_tick, sample.ce_pcr);
	}
	cpc_shared_close(fd);
	return rc;
}

int main(int argc, char *argv[])
{
	const char *spec = argc > 1 ? argv[1] : "pic0=Cycle_cnt,pic1=Instr_cnt";
	int cpuver = cpc_getcpuver();
	cpc_event_t event, total;
	char *text;
	uint_t i;

	cpc_seterrfn(print_error);
	if (cpc_access() == -1)
		return 1;
	if (cpc_strtoevent(cpuver, spec, &event) != 0) {
		(void) fprintf(stderr, "%s: usage: %s; %s\n", cpc_getcciname(cpuver),
		    cpc_getusage(cpuver), cpc_getcpuref(cpuver));
		return 1;
	}
	if ((text = cpc_eventtostr(&event)) != NULL) {
		(void) printf("%s\n", text);
		free(text);
	}
	for (i = 0; i < cpc_getnpic(cpuver); i++)
		cpc_walk_names(cpuver, (int)i, &n_names, count_name);
	(void) memset(&total, 0, sizeof (total));
	for (i = 0; i < (uint_t)sysconf(_SC_NPROCESSORS_ONLN); i++) {
		if (measure((processorid_t)i, &event, &total) == -1)
			perror("measure");
	}
	(void) processor_bind(P_PID, P_MYID, PBIND_NONE, NULL);
	return event.ce_cpuver == CPC_ULTRA1 || (CPC_BIND_LWP_INHERIT | CPC_BIND_EMT_OVF) != 3;
}

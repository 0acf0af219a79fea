// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an operation costs: ours and perf_event_open(2)'s, in the same run. Meant for a guest under
 * -icount shift=0, where a nanosecond of CLOCK_MONOTONIC is an instruction (of all CPUs together)
 * and the figures repeat. Prints TSV: operation, ours, perf's, ratio, what must be reached.
 *
 * Usage: bench EVENT EVENT (two raw event codes that any counter of the CPU can count)
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <linux/cpc.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <libcpc.h>
#include <machine/perfmon.h>

#define ROUNDS	1000
#define TRIES	7
#define N	6
#define MAX_CPU	64

static uint64_t codes[2];
static int ncpus;

static void die(const char *what)
{
	fprintf(stderr, "bench: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* The cheapest of several tries: an interrupt in between is not what is measured. */
#define COST(op) ({ \
	uint64_t best = UINT64_MAX; \
	for (int k = 0; k < TRIES; k++) { \
		uint64_t t = now(); \
		for (int i = 0; i < ROUNDS; i++) { \
			if ((op) < 0) \
				die(#op); \
		} \
		t = now() - t; \
		if (t < best) \
			best = t; \
	} \
	(double)best / ROUNDS; \
})

/* `limit` is of ours alone when it is above 2, else of the ratio. */
static void row(const char *op, double ours, double perf, double limit)
{
	double ratio = perf ? ours / perf : 0;
	double reached = limit > 2 ? ours : ratio;

	printf("%s\t%.0f\t", op, ours);
	if (perf)
		printf("%.0f\t%.3f\t", perf, ratio);
	else
		printf("-\t-\t");
	if (limit)
		printf("<= %g\t%s\n", limit, reached <= limit ? "met" : "MISSED");
	else
		printf("-\t-\n");
	fflush(stdout);
}

/* ---- perf ---- */

static int perf_open(uint64_t code, int cpu, int group, uint64_t format)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_RAW,
		.config = code,
		.read_format = format,
		.pinned = group == -1,
	};

	return syscall(SYS_perf_event_open, &attr, -1, cpu, group, 0);
}

static void perf_group_open(int *fd, int n, int cpu)
{
	for (int i = 0; i < n; i++) {
		fd[i] = perf_open(codes[i % 2], cpu, i ? fd[0] : -1, PERF_FORMAT_GROUP);
		if (fd[i] < 0)
			die("perf_event_open");
	}
}

static void perf_group_close(int *fd, int n)
{
	while (n--)
		close(fd[n]);
}

static double perf_group_read(int n, int cpu)
{
	uint64_t buf[2 + 2 * N];
	double cost;
	int fd[N];

	perf_group_open(fd, n, cpu);
	cost = COST(read(fd[0], buf, sizeof(buf)));
	perf_group_close(fd, n);
	return cost;
}

static double perf_single_read(void)
{
	uint64_t value;
	double cost;
	int fd = perf_open(codes[0], 0, -1, 0);

	if (fd < 0)
		die("perf_event_open");
	cost = COST(read(fd, &value, sizeof(value)));
	close(fd);
	return cost;
}

static double perf_all_read(void)
{
	int fd[MAX_CPU][N];
	uint64_t buf[2 + 2 * N];
	double cost;

	for (int cpu = 0; cpu < ncpus; cpu++)
		perf_group_open(fd[cpu], N, cpu);
	cost = COST(({
		int ret = 0;

		for (int cpu = 0; cpu < ncpus && ret >= 0; cpu++)
			ret = read(fd[cpu][0], buf, sizeof(buf));
		ret;
	}));
	for (int cpu = 0; cpu < ncpus; cpu++)
		perf_group_close(fd[cpu], N);
	return cost;
}

static double perf_toggle(void)
{
	double cost;
	int fd[N];

	perf_group_open(fd, N, 0);
	cost = COST(ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0) |
		    ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0));
	perf_group_close(fd, N);
	return cost;
}

static double perf_openclose(void)
{
	return COST(({
		int fd = perf_open(codes[0], 0, -1, 0);

		fd < 0 ? fd : close(fd);
	}));
}

/* ---- ours ---- */

static void events_fill(struct perfmon_event *ev, int n)
{
	memset(ev, 0, n * sizeof(*ev));
	for (int i = 0; i < n; i++) {
		ev[i].type = PERF_TYPE_RAW;
		ev[i].config = codes[i % 2];
		ev[i].flags = PERFMON_EVENT_USER | PERFMON_EVENT_KERNEL;
	}
}

static int control_open(void)
{
	int fd = open(_PATH_PERFMON, PERFMON_O_CONTROL);

	if (fd < 0)
		die(_PATH_PERFMON);
	return fd;
}

static int set_open(int n, int cpu)
{
	struct perfmon_event ev[N];
	struct perfmon_set set = {
		.size = sizeof(set),
		.flags = PERFMON_SET_STARTED,
		.cpu = cpu,
		.nevents = n,
		.events = (uintptr_t)ev,
	};
	int fd = control_open();

	events_fill(ev, n);
	if (ioctl(fd, PERFMON_IOC_SET_PROGRAM, &set))
		die("PERFMON_IOC_SET_PROGRAM");
	return fd;
}

static double set_read(int n, int cpu)
{
	uint64_t buf[MAX_CPU * (4 + N)];
	struct perfmon_read req = {
		.size = sizeof(req),
		.cpu = cpu,
		.bytes = sizeof(buf),
		.records = (uintptr_t)buf,
	};
	int fd = set_open(n, cpu);
	double cost = COST((req.bytes = sizeof(buf), ioctl(fd, PERFMON_IOC_SET_READ, &req)));

	close(fd);
	return cost;
}

static double set_toggle(void)
{
	int fd = set_open(N, 0);
	double cost = COST(ioctl(fd, PERFMON_IOC_SET_STOP) | ioctl(fd, PERFMON_IOC_SET_START));

	close(fd);
	return cost;
}

static double set_openclose(void)
{
	return COST(close(set_open(1, 0)));
}

static double cpc_sample(int n)
{
	struct { struct perfmon_sample head; uint64_t value[8]; } sample = { .head.nr = 8 };
	struct cpc_shared_open open = { .size = sizeof(open) };
	struct perfmon_event ev[N];
	struct cpc_bind bind = {
		.size = sizeof(bind), .nevents = n, .events = (uintptr_t)ev,
	};
	int fd = control_open();
	double cost;

	events_fill(ev, n);
	if (ioctl(fd, CPC_IOC_SHARED_OPEN, &open) || ioctl(fd, CPC_IOC_BIND, &bind))
		die("CPC_IOC_BIND");
	cost = COST((sample.head.nr = 8, ioctl(fd, CPC_IOC_SAMPLE, &sample)));
	close(fd);
	return cost;
}

static double libcpc_sample(void)
{
	char spec[128] = "";
	cpc_event_t event;
	double cost;
	int fd;

	for (int i = 0; i < N; i++)
		sprintf(spec + strlen(spec), "%spic%d=%#llx", i ? "," : "", i,
			(unsigned long long)codes[i % 2]);
	strcat(spec, ",sys");
	if (cpc_strtoevent(cpc_getcpuver(), spec, &event))
		exit(1);
	fd = cpc_shared_open();
	if (fd < 0)
		die("cpc_shared_open");
	if (cpc_shared_bind_event(fd, &event, 0))
		die("cpc_shared_bind_event");
	cost = COST(cpc_shared_take_sample(fd, &event));
	cpc_shared_close(fd);
	return cost;
}

static double pmio_read(int cpu)
{
	struct pmc_cpu bind = { .pmcc_size = sizeof(bind), .pmcc_cpu = cpu };
	struct pmc_data data = { .pmcd_num = 0 };
	struct pmc pmc = { .pmc_num = 0 };
	int fd = open(_PATH_PERFMON, O_RDWR);
	int num = 0;
	double cost;

	if (fd < 0)
		die(_PATH_PERFMON);
	pmc.pmc_event = codes[0];
	pmc.pmc_flags = PMCF_USR | PMCF_OS;
	if (ioctl(fd, PMIOSETCPU, &bind) || ioctl(fd, PMIOSETUP, &pmc) ||
	    ioctl(fd, PMIOSTART, &num))
		die("PMIOSETUP");
	cost = COST(ioctl(fd, PMIOREAD, &data));
	close(fd);
	return cost;
}

static double refused(void)
{
	int fd = open("/dev/null", O_RDWR);
	double cost = COST((ioctl(fd, PMIOREAD, NULL), 0));

	close(fd);
	return cost;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

int main(int argc, char **argv)
{
	char name[64];
	double perf;

	if (argc != 3) {
		fprintf(stderr, "usage: bench EVENT EVENT\n");
		return 2;
	}
	codes[0] = strtoull(argv[1], NULL, 0);
	codes[1] = strtoull(argv[2], NULL, 0);
	ncpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (ncpus > MAX_CPU)
		ncpus = MAX_CPU;
	pin(0);

	printf("operation\tours\tperf\tratio\tmust reach\tverdict\n");
	row("a system call that does nothing (getppid)", COST(syscall(SYS_getppid)), 0, 0);
	row("an ioctl that is refused (/dev/null)", refused(), 0, 0);
	perf = perf_group_read(N, 0);
	row("take_sample of 6 counters, own CPU (CPC_IOC_SAMPLE)", cpc_sample(N), perf, 2060);
	row("take_sample of 6 counters, own CPU (libcpc)", libcpc_sample(), perf, 2060);
	row("sample of 6 counters, own CPU (raw set)", set_read(N, 0), perf, 0);
	row("sample of 1 counter, own CPU (CPC_IOC_SAMPLE)", cpc_sample(1), perf_group_read(1, 0),
	    0);
	row("read one counter, own CPU (PMIOREAD, fd bound)", pmio_read(0), perf_group_read(1, 0),
	    0.62);
	row("  the same against perf's read without a group", pmio_read(0), perf_single_read(), 0);
	if (ncpus > 1) {
		row("sample of 6 counters, another CPU", set_read(N, 1), perf_group_read(N, 1),
		    0.80);
		row("read one counter, another CPU (PMIOREAD)", pmio_read(1),
		    perf_group_read(1, 1), 0);
	}
	snprintf(name, sizeof(name), "all %d CPUs x 6 counters in one call", ncpus);
	row(name, set_read(N, -1), perf_all_read(), ncpus == 1 ? 0 : ncpus < 8 ? 0.60 : 0.50);
	row("stop + start of a set of 6", set_toggle(), perf_toggle(), 1.0);
	row("open + program 1 counter + close", set_openclose(), perf_openclose(), 0);
	return 0;
}

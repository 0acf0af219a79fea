// SPDX-License-Identifier: GPL-2.0-only
/* What this machine has. */
#include <dirent.h>
#include <sys/syscall.h>
#include <time.h>

#include "fuzz.h"

#define PMUS	"/sys/bus/event_source/devices"

static unsigned int cpus;
static uint32_t types[32];
static unsigned int ntypes;
static unsigned int hardware[PERF_COUNT_HW_MAX];
static unsigned int nhardware;

unsigned int machine_cpus(void)
{
	return cpus;
}

uint32_t machine_pmu_type(unsigned int n)
{
	return ntypes ? types[n % ntypes] : 0;
}

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, text, strlen(text));
	if (n < 0)
		n = -errno;
	close(fd);
	return n < 0 ? n : 0;
}

int cpu_set_online(unsigned int cpu, bool online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	return write_text(path, online ? "1" : "0");
}

int machine_hardware(unsigned int n)
{
	return nhardware ? (int)hardware[n % nhardware] : -1;
}

static int open_event(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.disabled = 1,
	};

	return syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
}

static bool is_hardware(unsigned int config)
{
	int fd = open_event(PERF_TYPE_HARDWARE, config);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/*
 * The first user of a software event has the kernel patch its own code, and so has the last. For an
 * emulator nothing is as dear as that, and it is perf's and not ours: somebody always uses them.
 */
static void hold_software_events(void)
{
	unsigned int n;

	for (n = 0; n < PERF_COUNT_SW_MAX; n++)
		open_event(PERF_TYPE_SOFTWARE, n);
}

void machine_slow_rcu(bool slow)
{
	write_text("/sys/kernel/rcu_expedited", slow ? "0" : "1");
}

static void add_type(const char *pmu)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), PMUS "/%s/type", pmu);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fscanf(file, "%u", &types[ntypes]) == 1)
		ntypes++;
	fclose(file);
}

static int compare(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void machine_init(void)
{
	DIR *dir = opendir(PMUS);
	struct dirent *de;
	unsigned int n;

	cpus = sysconf(_SC_NPROCESSORS_CONF);
	if (cpus > MAX_CPUS) {
		fprintf(stderr, "fuzz: made for up to %u CPUs\n", MAX_CPUS);
		exit(2);
	}
	hold_software_events();
	for (n = 0; n < PERF_COUNT_HW_MAX; n++)
		if (is_hardware(n))
			hardware[nhardware++] = n;
	while (dir && ntypes < ARRAY_SIZE(types) && (de = readdir(dir)))
		if (de->d_name[0] != '.')
			add_type(de->d_name);
	if (dir)
		closedir(dir);
	qsort(types, ntypes, sizeof(types[0]), compare);
}

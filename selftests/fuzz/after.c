// SPDX-License-Identifier: GPL-2.0-only
/* When nobody has the device open, everything is free, and the module can go. */
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz.h"

#define PATIENCE	(5 * NSEC_PER_SEC)
#define KMEMLEAK	"/sys/kernel/debug/kmemleak"

static unsigned int counters[MAX_CPUS];

static int perf_open(unsigned int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.pinned = 1,
	};

	return syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Counters of a CPU that are free: how many pinned events it takes. */
static unsigned int counters_free(unsigned int cpu)
{
	int fd[PERFMON_MAX_EVENTS];
	unsigned int n, i;
	uint64_t count;

	for (n = 0; n < ARRAY_SIZE(fd); n++) {
		fd[n] = perf_open(cpu);
		if (fd[n] < 0)
			break;
		/* One that has not been placed reads as the end of a file. */
		if (read(fd[n], &count, sizeof(count)) != sizeof(count)) {
			close(fd[n]);
			break;
		}
	}
	for (i = 0; i < n; i++)
		close(fd[i]);
	return n;
}

static int holders(void)
{
	struct perfmon_holders list = { .size = sizeof(list) };
	int fd = open(DEVICE, PERFMON_O_CONTROL | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = ioctl(fd, PERFMON_IOC_HOLDERS, &list) ? -errno : (int)list.count;
	close(fd);
	return ret;
}

static void all_online(void)
{
	unsigned int cpu;
	int err;

	for (cpu = 1; cpu < machine_cpus(); cpu++) {
		err = cpu_set_online(cpu, true);
		if (err && err != -EINVAL && err != -ENOENT)
			broken(NULL, "CPU %u does not come online: %d", cpu, err);
	}
}

void after_init(void)
{
	unsigned int cpu;

	all_online();
	for (cpu = 0; cpu < machine_cpus(); cpu++)
		counters[cpu] = counters_free(cpu);
}

/* Descriptors that are on their way are closed by the kernel a moment later. */
static void check_holders(void)
{
	uint64_t end = now_ns() + PATIENCE;
	int n;

	while ((n = holders()) > 0 && now_ns() < end)
		usleep(20000);
	if (n)
		broken(NULL, "%d holders are left", n);
}

/* perf releases what is closed after a while, too. */
static void check_counters(unsigned int cpu)
{
	uint64_t end = now_ns() + PATIENCE;
	unsigned int n;

	while ((n = counters_free(cpu)) != counters[cpu] && now_ns() < end)
		usleep(20000);
	if (n != counters[cpu])
		broken(NULL, "CPU %u has %u free counters, it had %u", cpu, n, counters[cpu]);
}

void after_round(void)
{
	unsigned int cpu;

	all_online();
	check_holders();
	for (cpu = 0; cpu < machine_cpus(); cpu++)
		check_counters(cpu);
}

static int run(char *const argv[])
{
	int status;
	pid_t pid;

	if (posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ) ||
	    waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A file that the kernel still closes keeps it for a moment. */
static int unload(void)
{
	uint64_t end = now_ns() + PATIENCE;
	int err;

	do {
		err = syscall(SYS_delete_module, "perfmon", O_NONBLOCK) ? errno : 0;
		if (err != EAGAIN && err != EBUSY)
			break;
		usleep(20000);
	} while (now_ns() < end);
	return err;
}

static void check_module(void)
{
	int err = unload();

	/* ENOENT: it is built in. */
	if (err == ENOENT)
		return;
	if (err) {
		broken(NULL, "the module cannot be removed: %s", strerror(err));
		return;
	}
	if (run((char *[]){ "modprobe", "perfmon", NULL }))
		broken(NULL, "the module cannot be loaded again");
}

/* Where the kernel looks for memory that nobody knows any more; it takes two looks to be sure. */
static void check_leaks(void)
{
	char line[256];
	FILE *file;
	int n = 0;

	if (access(KMEMLEAK, W_OK))
		return;
	write_text(KMEMLEAK, "scan");
	sleep(6);
	write_text(KMEMLEAK, "scan");
	file = fopen(KMEMLEAK, "re");
	while (file && fgets(line, sizeof(line), file)) {
		fputs(line, stderr);
		n++;
	}
	if (file)
		fclose(file);
	if (n)
		broken(NULL, "the kernel has lost memory, see above");
}

void after_all(void)
{
	if (!options.keep_module)
		check_module();
	check_leaks();
	if (!options.keep_module)
		after_round();
}

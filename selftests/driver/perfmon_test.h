/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the programs here share. They run as root on a machine with the module loaded; what needs
 * counters is skipped where there are none.
 */
#ifndef PERFMON_TEST_H
#define PERFMON_TEST_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/cpc.h>
#include <linux/perf_event.h>
#include <linux/perfmon.h>

#include "kselftest_harness.h"

#define DEVICE		"/dev/perfmon"
#define NOBODY		65534
#define ANY_MODE	(PERFMON_EVENT_USER | PERFMON_EVENT_KERNEL)
#define NSEC_PER_SEC	1000000000ULL

/* Seconds, for tests that take long where the kernel checks itself: not a time that is waited. */
#define SLOW		120

/* No process has memory there. */
#define BAD_ADDRESS	((void *)8)

/* What the module must not have written is still this. */
#define PATTERN		0xa5

extern char **environ;

/* ---- requests: the result, or a negative errno ---- */

static inline int request(int fd, unsigned long cmd, void *arg)
{
	int ret = ioctl(fd, cmd, arg);

	return ret < 0 ? -errno : ret;
}

static inline int device_open(int flags)
{
	int fd = open(DEVICE, flags | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static inline int control_open(void)
{
	return device_open(PERFMON_O_CONTROL);
}

static inline struct perfmon_error last_error(int fd)
{
	struct perfmon_error error = { .size = sizeof(error) };

	/* A value that no errno has, so that a comparison with one fails. */
	if (ioctl(fd, PERFMON_IOC_ERROR, &error))
		error.err = -1;
	return error;
}

static inline bool last_error_has(int fd, const char *words)
{
	return strstr(last_error(fd).text, words);
}

static inline bool last_error_says(int fd, const char *words)
{
	bool found = last_error_has(fd, words);

	if (!found)
		fprintf(stderr, "# the text is: %s\n", last_error(fd).text);
	return found;
}

/* A request is refused, and PERFMON_IOC_ERROR knows of it, in words. */
#define EXPECT_REFUSED(_errno, _fd, _request) do { \
	EXPECT_EQ(-(_errno), (_request)); \
	EXPECT_EQ((_errno), last_error(_fd).err); \
	EXPECT_NE('\0', last_error(_fd).text[0]); \
} while (0)

static inline struct perfmon_info machine(void)
{
	struct perfmon_info info = { .size = sizeof(info) };
	int fd = control_open();

	if (fd < 0 || ioctl(fd, PERFMON_IOC_INFO, &info)) {
		perror("# " DEVICE);
		exit(KSFT_FAIL);
	}
	close(fd);
	return info;
}

static inline bool have_hardware(void)
{
	return machine().caps & PERFMON_CAP_HARDWARE;
}

/* Holders there are, or a negative errno; up to room of them are copied. */
static inline int holders_get(int fd, struct perfmon_holder *list, unsigned int room)
{
	struct perfmon_holders req = {
		.size = sizeof(req),
		.count = room,
		.holders = (uintptr_t)list,
	};
	int err = request(fd, PERFMON_IOC_HOLDERS, &req);

	return err ?: (int)req.count;
}

static inline int holders_count(void)
{
	int fd = control_open();
	int n = holders_get(fd, NULL, 0);

	close(fd);
	return n;
}

/* ---- a program that makes no sense everywhere ---- */

/* Runs before main(), as the harness' own registration of tests does. */
#define PROGRAM_NEEDS(_condition, _reason) \
	static void __attribute__((constructor)) program_needs(void) \
	{ \
		if (!(_condition)) { \
			ksft_print_header(); \
			ksft_exit_skip(_reason "\n"); \
		} \
	}

#define NO_GOOD_COUNTERS	"this machine has no hardware counters, or they cannot do enough"

#define PROGRAM_NEEDS_HARDWARE()	PROGRAM_NEEDS(have_good_counters(), NO_GOOD_COUNTERS)

#define NEEDS(_condition, _reason) do { \
	if (!(_condition)) \
		SKIP(return, _reason); \
} while (0)

#define NEEDS_HARDWARE()	NEEDS(have_good_counters(), NO_GOOD_COUNTERS)
#define NEEDS_TWO_CPUS()	NEEDS(cpus_online() >= 2, "needs two CPUs")

/* ---- CPUs ---- */

static inline int cpus_online(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
}

static inline int bind_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

static inline int unbind_cpu(void)
{
	cpu_set_t set;

	memset(&set, 0xff, sizeof(set));
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

/* Nothing but the kernel interrupts the caller from here on, unless it waits. */
static inline int be_alone(void)
{
	struct sched_param param = { .sched_priority = 1 };

	return sched_setscheduler(0, SCHED_FIFO, &param) ? -errno : 0;
}

static inline uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

/* Keeps the CPU busy, in user mode but for the clock. */
static inline void burn_ms(unsigned int ms)
{
	uint64_t end = now_ns() + ms * 1000000ULL;
	volatile unsigned int i;

	do {
		for (i = 0; i < 1000; i++)
			;
	} while (now_ns() < end);
}

/* ---- files ---- */

static inline int write_text(const char *path, const char *text)
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

/* The number that a file begins with; -1000 when there is none. */
static inline int read_number(const char *path)
{
	FILE *file = fopen(path, "re");
	int number;

	if (!file)
		return -1000;
	if (fscanf(file, "%d", &number) != 1)
		number = -1000;
	fclose(file);
	return number;
}

#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"
#define CPU_FILE	"/sys/devices/system/cpu/cpu%d/%s"
#define CPU1_ONLINE	"/sys/devices/system/cpu/cpu1/online"

/* Writes to a file that sysfs has for each CPU. */
static inline int cpu_write(int cpu, const char *file, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), CPU_FILE, cpu, file);
	return write_text(path, text);
}

static inline int cpu_set_online(int cpu, bool online)
{
	return cpu_write(cpu, "online", online ? "1" : "0");
}

static inline int cpu1_set_online(bool online)
{
	return cpu_set_online(1, online);
}

static inline bool cpu1_is_online(void)
{
	return read_number(CPU1_ONLINE) == 1;
}

static inline bool cpu1_can_go(void)
{
	return access(CPU1_ONLINE, W_OK) == 0 && cpus_online() >= 2;
}

/* ---- the environment ---- */

/* A number that whoever runs the test may choose. */
static inline unsigned int number_from_environment(const char *name, unsigned int otherwise)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 0) : otherwise;
}

/* ---- processes ---- */

static inline int exit_status(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Runs a program to its end; its exit status. */
static inline int run_program(char *const argv[])
{
	pid_t pid;

	if (posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ))
		return -1;
	return exit_status(pid);
}

/* What fn returns in a process of its own, 0 to 255. */
static inline int in_child(int (*fn)(void *arg), void *arg)
{
	pid_t pid = fork();

	if (!pid)
		_exit(fn(arg));
	return exit_status(pid);
}

static inline int become_nobody(void)
{
	return setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
	       setresuid(NOBODY, NOBODY, NOBODY);
}

/* The same as an unprivileged user; 255 when the user cannot be changed. */
static inline int as_nobody(int (*fn)(void *arg), void *arg)
{
	pid_t pid = fork();

	if (!pid)
		_exit(become_nobody() ? 255 : fn(arg));
	return exit_status(pid);
}

/*
 * Another process that does its part, tells about it, and waits: what it reports is read with
 * peer_hear(), which returns -1000 when it died instead. It ends when it is killed.
 */
struct peer {
	pid_t pid;
	int sock;
};

static inline void peer_tell(int sock, int value)
{
	if (write(sock, &value, sizeof(value)) != sizeof(value))
		_exit(1);
}

static inline int peer_hear(int sock)
{
	int value;

	return read(sock, &value, sizeof(value)) == sizeof(value) ? value : -1000;
}

static inline int peer_start(struct peer *peer, int (*fn)(int sock, void *arg), void *arg)
{
	int sock[2];

	*peer = (struct peer){ .pid = -1, .sock = -1 };
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sock))
		return -errno;
	peer->pid = fork();
	if (!peer->pid) {
		/* Also when the test fails and leaves it behind. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(sock[0]);
		peer_tell(sock[1], fn(sock[1], arg));
		for (;;)
			pause();
	}
	close(sock[1]);
	peer->sock = sock[0];
	return peer->pid < 0 ? -errno : 0;
}

static inline void peer_kill(struct peer *peer)
{
	if (peer->pid > 0) {
		kill(peer->pid, SIGKILL);
		waitpid(peer->pid, NULL, 0);
	}
	close(peer->sock);
}

/* ---- descriptors that go from process to process ---- */

static inline int send_fd(int sock, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = {};
	struct iovec iov = { .iov_base = &fd, .iov_len = 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(int));
	return sendmsg(sock, &msg, 0) == 1 ? 0 : -errno;
}

static inline int receive_fd(int sock)
{
	char control[CMSG_SPACE(sizeof(int))], byte;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg;
	int fd;

	if (recvmsg(sock, &msg, MSG_CMSG_CLOEXEC) != 1)
		return -EPIPE;
	cmsg = CMSG_FIRSTHDR(&msg);
	if (!cmsg || cmsg->cmsg_type != SCM_RIGHTS)
		return -EBADMSG;
	memcpy(&fd, CMSG_DATA(cmsg), sizeof(int));
	return fd;
}

/* ---- perf_event_open(2), the other user of the counters ---- */

static inline int perf_open_attr(struct perf_event_attr *attr, int cpu)
{
	int fd = syscall(SYS_perf_event_open, attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static inline int perf_open(__u32 type, __u64 config, int cpu, bool enabled)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.disabled = !enabled,
		.pinned = 1,
	};

	return perf_open_attr(&attr, cpu);
}

/* A pinned event that perf could not place reads as the end of a file. */
static inline bool perf_counts(int fd)
{
	__u64 count;

	return read(fd, &count, sizeof(count)) == sizeof(count);
}

/* ---- events ---- */

static inline struct perfmon_event event_of(__u32 type, __u64 config, __u32 flags)
{
	return (struct perfmon_event){ .type = type, .config = config, .flags = flags };
}

static inline struct perfmon_event event_soft(__u64 config)
{
	return event_of(PERF_TYPE_SOFTWARE, config, ANY_MODE);
}

/* What perfmon(4) calls the clock, and something that never happens. */
#if defined(__aarch64__) || defined(__arm__)
#define RAW_CYCLES	0x11
#define RAW_NOTHING	0x00	/* software increment: by an instruction that nobody uses */
#elif defined(__x86_64__) || defined(__i386__)
#define RAW_CYCLES	0x3c
#define RAW_NOTHING	0x00
#else
#define RAW_CYCLES	0x01
#define RAW_NOTHING	0x00
#endif

static inline struct perfmon_event event_cycles(__u32 flags)
{
	return event_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, flags);
}

/* Three of the clock of CPU 0, one as a raw code and one of user mode alone: do they all count? */
static inline bool counters_are_good_on_cpu0(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW, .size = sizeof(attr), .config = RAW_CYCLES, .pinned = 1,
		.exclude_kernel = 1, .exclude_hv = 1,
	};
	int i, fd[3] = {
		perf_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, true),
		perf_open(PERF_TYPE_RAW, RAW_CYCLES, 0, true),
		perf_open_attr(&attr, 0),
	};
	bool good = true;
	__u64 count;

	burn_ms(1);
	for (i = 0; i < 3; i++) {
		good = good && read(fd[i], &count, sizeof(count)) == sizeof(count) && count;
		close(fd[i]);
	}
	return good;
}

/* Some emulated PMUs can do less than that: then what needs it is left out. */
static inline bool have_good_counters(void)
{
	static int known = -1;
	cpu_set_t before;

	if (known < 0) {
		sched_getaffinity(0, sizeof(before), &before);
		known = !bind_cpu(0) && counters_are_good_on_cpu0();
		sched_setaffinity(0, sizeof(before), &before);
	}
	return known;
}

/* Goes on while the CPU does anything, on every machine. */
static inline struct perfmon_event event_any(void)
{
	return have_good_counters() ? event_cycles(ANY_MODE) : event_soft(PERF_COUNT_SW_CPU_CLOCK);
}

/* ---- sets ---- */

/* A sample with room for the largest set. */
struct sample {
	struct perfmon_sample head;
	__u64 value[PERFMON_MAX_EVENTS];
};

static inline __u32 sample_size(unsigned int n)
{
	return sizeof(struct perfmon_sample) + n * sizeof(__u64);
}

static inline int set_program(int fd, int cpu, const struct perfmon_event *events, unsigned int n,
			      __u32 flags)
{
	struct perfmon_set set = {
		.size = sizeof(set),
		.flags = flags,
		.cpu = cpu,
		.nevents = n,
		.events = (uintptr_t)events,
	};

	return request(fd, PERFMON_IOC_SET_PROGRAM, &set);
}

/* *bytes: room, then what there is. */
static inline int set_read_bytes(int fd, int cpu, void *records, __u32 *bytes)
{
	struct perfmon_read read = {
		.size = sizeof(read),
		.cpu = cpu,
		.bytes = *bytes,
		.records = (uintptr_t)records,
	};
	int err = request(fd, PERFMON_IOC_SET_READ, &read);

	*bytes = read.bytes;
	return err;
}

static inline int set_read(int fd, int cpu, struct sample *sample)
{
	__u32 bytes = sizeof(*sample);

	return set_read_bytes(fd, cpu, sample, &bytes);
}

/* n times the same event. */
static inline int set_program_same(int fd, int cpu, struct perfmon_event event, unsigned int n)
{
	struct perfmon_event events[PERFMON_MAX_EVENTS];
	unsigned int i;

	for (i = 0; i < n; i++)
		events[i] = event;
	return set_program(fd, cpu, events, n, PERFMON_SET_STARTED);
}

static inline int set_start(int fd)
{
	return request(fd, PERFMON_IOC_SET_START, NULL);
}

static inline int set_stop(int fd)
{
	return request(fd, PERFMON_IOC_SET_STOP, NULL);
}

static inline int set_reset(int fd)
{
	return request(fd, PERFMON_IOC_SET_RESET, NULL);
}

static inline int shared_open(int fd)
{
	struct cpc_shared_open req = { .size = sizeof(req), .cpu = -1 };
	int err = request(fd, CPC_IOC_SHARED_OPEN, &req);

	return err ?: req.cpu;
}

static inline int shared_bind(int fd, const struct perfmon_event *events, unsigned int n)
{
	struct cpc_bind req = { .size = sizeof(req), .nevents = n, .events = (uintptr_t)events };

	return request(fd, CPC_IOC_BIND, &req);
}

static inline int shared_bind_same(int fd, struct perfmon_event event, unsigned int n)
{
	struct perfmon_event events[PERFMON_MAX_EVENTS];
	unsigned int i;

	for (i = 0; i < n; i++)
		events[i] = event;
	return shared_bind(fd, events, n);
}

static inline int shared_sample(int fd, struct sample *sample)
{
	sample->head.nr = PERFMON_MAX_EVENTS;
	return request(fd, CPC_IOC_SAMPLE, sample);
}

static inline int shared_rele(int fd)
{
	return request(fd, CPC_IOC_RELE, NULL);
}

/* ---- all counters of a CPU ---- */

struct perf_events {
	unsigned int n;
	int fd[PERFMON_MAX_EVENTS];
};

static inline void perf_close(struct perf_events *p)
{
	while (p->n)
		close(p->fd[--p->n]);
}

/* Takes every counter of a CPU that is free; p->n is how many these were. */
static inline void perf_take_all(struct perf_events *p, int cpu)
{
	int fd;

	for (p->n = 0; p->n < PERFMON_MAX_EVENTS; p->n++) {
		fd = perf_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, cpu, true);
		if (fd < 0)
			return;
		if (!perf_counts(fd)) {
			close(fd);
			return;
		}
		p->fd[p->n] = fd;
	}
}

/* Counters of a CPU that nobody uses, as perf sees it. */
static inline unsigned int counters_free(int cpu)
{
	struct perf_events p;
	unsigned int n;

	perf_take_all(&p, cpu);
	n = p.n;
	perf_close(&p);
	return n;
}

/* Nobody holds anything: all that there is can be had. */
static inline void expect_all_free(struct __test_metadata *_metadata, const char *name,
				   unsigned int all)
{
	int cpu, fd;

	EXPECT_EQ(0, holders_count()) {
		TH_LOG("after %s", name);
	}
	EXPECT_EQ(0, machine().shared_opens);
	for (cpu = 0; cpu < cpus_online(); cpu++) {
		EXPECT_EQ(all, counters_free(cpu)) {
			TH_LOG("after %s, on CPU %d", name, cpu);
		}
	}
	if (!have_good_counters())
		return;
	fd = device_open(O_RDWR);
	EXPECT_LE(0, fd);
	close(fd);
	fd = control_open();
	EXPECT_EQ(0, bind_cpu(0));
	EXPECT_EQ(0, shared_open(fd));
	close(fd);
	unbind_cpu();
}

/* ---- memory ---- */

/* Is there nothing but PATTERN? */
static inline bool untouched(const void *from, size_t n)
{
	const unsigned char *byte = from;

	while (n--)
		if (*byte++ != PATTERN)
			return false;
	return true;
}

static inline bool all_zero(const void *from, size_t n)
{
	const unsigned char *byte = from;

	while (n--)
		if (*byte++)
			return false;
	return true;
}

static inline bool zeroed_or_untouched(const void *from, size_t n)
{
	const unsigned char *byte = from;

	for (; n--; byte++)
		if (*byte && *byte != PATTERN)
			return false;
	return true;
}

/* The last n bytes before an address that is bad. */
static inline void *end_of_memory(size_t n)
{
	long page = sysconf(_SC_PAGESIZE);
	char *map;

	map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED || munmap(map + page, page))
		return NULL;
	return map + page - n;
}

/* A copy that cannot be written to. */
static inline void *read_only(const void *from, size_t n)
{
	void *map = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		return NULL;
	memcpy(map, from, n);
	return mprotect(map, n, PROT_READ) ? NULL : map;
}

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * What ends: files with the processes that have them, whatever these are doing, and the module with
 * the last file.
 */
#include "perfmon_test.h"

#include <pthread.h>
#include <sys/resource.h>

/* ---- what a process can be doing ---- */

static int open_reader(void)
{
	return device_open(O_RDONLY);
}

static int open_writer(void)
{
	return device_open(O_RDWR);
}

static int setup_writer(void)
{
	struct pmc pmc = {};
	int err, fd = open_writer();

	pmc.pmc_pmcu.pmcu_s.pmcus_event = RAW_CYCLES;
	pmc.pmc_pmcu.pmcu_s.pmcus_flags = PMCF_USR | PMCF_OS;
	for (; pmc.pmc_num < PMIO_NPMC; pmc.pmc_num++) {
		err = request(fd, PMIOSETUP, &pmc);
		if (err)
			return err;
	}
	return fd;
}

static int run_writer(void)
{
	int num, err, fd = setup_writer();

	for (num = 0; num < PMIO_NPMC; num++) {
		err = request(fd, PMIOSTART, &num);
		if (err)
			return err;
	}
	return fd;
}

static int program_set(void)
{
	struct perfmon_event events[2] = { event_any(), event_soft(PERF_COUNT_SW_CPU_CLOCK) };
	int fd = control_open();

	return set_program(fd, -1, events, 2, 0) ?: fd;
}

static int run_set(void)
{
	int fd = program_set();

	return request(fd, PERFMON_IOC_SET_START, NULL) ?: fd;
}

static int open_shared(void)
{
	int err, fd = control_open();

	err = bind_cpu(0) ?: shared_open(fd);
	return err < 0 ? err : fd;
}

static int bind_shared(void)
{
	int fd = open_shared();

	return shared_bind_same(fd, event_cycles(ANY_MODE), 3) ?: fd;
}

/* Threads that are inside of requests at any time. */
static void *read_for_ever(void *arg)
{
	int fd = *(int *)arg;
	struct sample sample[64];
	__u32 bytes;

	for (;;) {
		bytes = sizeof(sample);
		set_read_bytes(fd, -1, sample, &bytes);
		set_read(fd, cpus_online() - 1, sample);
	}
	return NULL;
}

static void *restart_for_ever(void *arg)
{
	int fd = *(int *)arg;

	for (;;) {
		set_program_same(fd, -1, event_any(), 2);
		request(fd, PERFMON_IOC_SET_STOP, NULL);
		request(fd, PERFMON_IOC_SET_START, NULL);
	}
	return NULL;
}

static int be_busy(void)
{
	static int fd;
	pthread_t thread;

	fd = run_set();
	if (fd < 0 || pthread_create(&thread, NULL, read_for_ever, &fd) ||
	    pthread_create(&thread, NULL, restart_for_ever, &fd))
		return -1;
	/* Some of the work is done when this is heard. */
	read_number(PARANOID);
	return fd;
}

static int open_many(void)
{
	int i, fd = -1;

	for (i = 0; i < 100; i++) {
		fd = run_set();
		if (fd < 0)
			return fd;
		/* With hardware there is room for few. */
		if (have_hardware() && i == 3)
			break;
	}
	return fd;
}

struct state {
	const char *name;
	int (*enter)(void);	/* a file, or a negative errno */
	bool hardware;
	bool holder;		/* at any moment */
};

static const struct state states[] = {
	{ "a control file", control_open },
	{ "a programmed set", program_set, .holder = true },
	{ "a running set", run_set, .holder = true },
	{ "many sets", open_many, .holder = true },
	{ "busy threads", be_busy },
	{ "a reader", open_reader, .hardware = true },
	{ "a writer", open_writer, .hardware = true, .holder = true },
	{ "a writer that has set up", setup_writer, .hardware = true, .holder = true },
	{ "a writer that counts", run_writer, .hardware = true, .holder = true },
	{ "an open CPU", open_shared, .hardware = true, .holder = true },
	{ "a bound CPU", bind_shared, .hardware = true, .holder = true },
};

static int enter(int sock, void *arg)
{
	const struct state *state = arg;

	(void)sock;
	return state->enter();
}

/* Nobody holds anything: all that there is can be had. */
static void expect_all_free(struct __test_metadata *_metadata, const char *name, unsigned int all)
{
	int cpu, fd;

	EXPECT_EQ(0, holders_count()) {
		TH_LOG("after %s", name);
	}
	EXPECT_EQ(0, machine().shared_opens);
	for (cpu = 0; cpu < cpus_online(); cpu++) {
		EXPECT_EQ(all, counters_free(cpu)) {
			TH_LOG("after %s", name);
		}
	}
	if (!have_hardware())
		return;
	fd = device_open(O_RDWR);
	EXPECT_LE(0, fd);
	close(fd);
	fd = open_shared();
	EXPECT_LE(0, fd);
	close(fd);
	unbind_cpu();
}

static void kill_in(struct __test_metadata *_metadata, const struct state *state)
{
	unsigned int all = counters_free(0);
	struct peer peer;

	ASSERT_EQ(0, peer_start(&peer, enter, (void *)state));
	ASSERT_LE(0, peer_hear(peer.sock)) {
		TH_LOG("cannot become %s", state->name);
	}
	EXPECT_TRUE(!state->holder || holders_count() > 0) {
		TH_LOG("%s", state->name);
	}
	peer_kill(&peer);
	expect_all_free(_metadata, state->name, all);
}

TEST(killed_in_any_state)
{
	unsigned int i, round;

	for (round = 0; round < 2; round++) {
		for (i = 0; i < ARRAY_SIZE(states); i++) {
			if (!states[i].hardware || have_hardware())
				kill_in(_metadata, &states[i]);
		}
	}
}

static int enter_and_exit(void *arg)
{
	const struct state *state = arg;

	return state->enter() < 0;
}

TEST(exits_in_any_state)
{
	unsigned int i, all = counters_free(0);

	for (i = 0; i < ARRAY_SIZE(states); i++) {
		if (states[i].hardware && !have_hardware())
			continue;
		EXPECT_EQ(0, in_child(enter_and_exit, (void *)&states[i]));
		expect_all_free(_metadata, states[i].name, all);
	}
}

TEST(file_in_flight_is_open)
{
	int sock[2], fd = run_set();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sock));
	ASSERT_EQ(0, send_fd(sock[0], fd));
	close(fd);
	EXPECT_EQ(1, holders_count());
	fd = receive_fd(sock[1]);
	EXPECT_EQ(0, request(fd, PERFMON_IOC_SET_START, NULL));
	ASSERT_EQ(0, send_fd(sock[0], fd));
	close(fd);
	EXPECT_EQ(1, holders_count());
	/* Nobody will ever take it out. */
	close(sock[0]);
	close(sock[1]);
	EXPECT_EQ(0, holders_count());
}

TEST(no_descriptor_left)
{
	struct rlimit old, limit = { .rlim_cur = 3, .rlim_max = 1024 };
	unsigned int all = counters_free(0);

	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &old));
	limit.rlim_max = old.rlim_max;
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	EXPECT_EQ(-EMFILE, device_open(O_RDWR));
	EXPECT_EQ(-EMFILE, control_open());
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &old));
	expect_all_free(_metadata, "too many files", all);
}

/* ---- the module ---- */

static int module_remove(void)
{
	return syscall(SYS_delete_module, "perfmon", O_NONBLOCK) ? -errno : 0;
}

static int module_load(char *parameter)
{
	char *const load[] = { "modprobe", "perfmon", parameter, NULL };
	char *const settle[] = { "udevadm", "settle", NULL };

	return run_program(load) ?: run_program(settle);
}

static bool module_is_loaded(void)
{
	return access("/sys/module/perfmon", F_OK) == 0;
}

static bool module_is_installed(void)
{
	char *const dry_run[] = { "modprobe", "-n", "perfmon", NULL };

	return run_program(dry_run) == 0;
}

#define NEEDS_INSTALLED_MODULE() \
	NEEDS(module_is_installed(), "the module is not where modprobe finds it")

FIXTURE(module) {
};

FIXTURE_SETUP(module)
{
}

FIXTURE_TEARDOWN(module)
{
	EXPECT_TRUE(module_is_loaded() || module_load(NULL) == 0);
}

TEST_F_TIMEOUT(module, stays_while_a_file_is_open, SLOW)
{
	unsigned int i;
	int fd;

	NEEDS_INSTALLED_MODULE();
	for (i = 0; i < ARRAY_SIZE(states); i++) {
		if ((states[i].hardware && !have_hardware()) || states[i].enter == be_busy ||
		    states[i].enter == open_many)
			continue;
		fd = states[i].enter();
		ASSERT_LE(0, fd);
		EXPECT_EQ(-EWOULDBLOCK, module_remove()) {
			TH_LOG("while there is %s", states[i].name);
		}
		EXPECT_EQ(states[i].holder, holders_count());
		close(fd);
	}
	EXPECT_EQ(0, module_remove());
	EXPECT_FALSE(module_is_loaded());
	EXPECT_EQ(-ENOENT, control_open());
}

TEST_F_TIMEOUT(module, stays_while_a_child_has_the_file, SLOW)
{
	struct peer peer;

	NEEDS_INSTALLED_MODULE();
	ASSERT_EQ(0, peer_start(&peer, enter, (void *)&states[2]));
	ASSERT_LE(0, peer_hear(peer.sock));
	EXPECT_EQ(-EWOULDBLOCK, module_remove());
	peer_kill(&peer);
	EXPECT_EQ(0, module_remove());
}

TEST_F_TIMEOUT(module, comes_and_goes, SLOW)
{
	struct stat st;
	int i, fd;

	NEEDS_INSTALLED_MODULE();
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, module_remove());
		EXPECT_EQ(-1, access(DEVICE, F_OK));
		ASSERT_EQ(0, module_load(NULL));
		ASSERT_EQ(0, stat(DEVICE, &st));
		EXPECT_EQ(0600, st.st_mode & 07777);
		fd = run_set();
		EXPECT_LE(0, fd);
		close(fd);
	}
}

/* Before udev has seen the node it is root's already. */
TEST_F_TIMEOUT(module, node_is_never_open_to_users, SLOW)
{
	char *const load[] = { "modprobe", "perfmon", NULL };
	char *const hold_udev[] = { "udevadm", "control", "--stop-exec-queue", NULL };
	char *const let_udev[] = { "udevadm", "control", "--start-exec-queue", NULL };
	struct stat st = {};

	NEEDS_INSTALLED_MODULE();
	ASSERT_EQ(0, module_remove());
	EXPECT_EQ(0, run_program(hold_udev));
	EXPECT_EQ(0, run_program(load));
	EXPECT_EQ(0, stat(DEVICE, &st));
	EXPECT_EQ(0, run_program(let_udev));
	EXPECT_EQ(0600, st.st_mode & 07777);
	EXPECT_EQ(0, st.st_uid);
	EXPECT_EQ(0, st.st_gid);
}

/* ---- trust_node=1: the node's permission is the only key ---- */

static int user_counts(void *arg)
{
	struct perfmon_event event = event_soft(PERF_COUNT_SW_CPU_CLOCK);
	struct sample sample;
	int fd = control_open();

	(void)arg;
	return set_program(fd, -1, &event, 1, PERFMON_SET_STARTED) || set_read(fd, 0, &sample);
}

static int user_holds(void *arg)
{
	(void)arg;
	return bind_shared() < 0;
}

static int user_writes(void *arg)
{
	(void)arg;
	return run_writer() < 0;
}

static int user_traces(void *arg)
{
	struct perfmon_event event = event_of(PERF_TYPE_TRACEPOINT, 1, ANY_MODE);

	event.type = *(__u32 *)arg;
	return -set_program(control_open(), 0, &event, 1, 0);
}

TEST_F_TIMEOUT(module, trusts_the_node_when_it_is_told_to, SLOW)
{
	__u32 tracepoint = PERF_TYPE_TRACEPOINT;
	__u32 probe = read_number("/sys/bus/event_source/devices/kprobe/type");
	char value[2] = {};
	FILE *file;

	NEEDS_INSTALLED_MODULE();
	ASSERT_EQ(0, module_remove());
	ASSERT_EQ(0, module_load("trust_node=1"));
	file = fopen("/sys/module/perfmon/parameters/trust_node", "re");
	ASSERT_NE(NULL, file);
	EXPECT_EQ(1, fread(value, 1, 1, file));
	fclose(file);
	EXPECT_STREQ("Y", value);

	EXPECT_EQ(1, as_nobody(user_counts, NULL));
	EXPECT_EQ(0, chmod(DEVICE, 0666));
	EXPECT_EQ(0, as_nobody(user_counts, NULL));
	if (have_hardware()) {
		EXPECT_EQ(0, as_nobody(user_holds, NULL));
		EXPECT_EQ(0, as_nobody(user_writes, NULL));
	}
	/* That is for counting only. */
	EXPECT_EQ(EINVAL, as_nobody(user_traces, &tracepoint));
	if ((int)probe > 0) {
		EXPECT_NE(0, as_nobody(user_traces, &probe));
	}

	ASSERT_EQ(0, module_remove());
	ASSERT_EQ(0, module_load(NULL));
	EXPECT_EQ(0, chmod(DEVICE, 0666));
	EXPECT_EQ(1, as_nobody(user_counts, NULL));
	EXPECT_EQ(0, chmod(DEVICE, 0600));
}

TEST_HARNESS_MAIN

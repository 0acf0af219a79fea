// SPDX-License-Identifier: GPL-2.0-only
/*
 * What ends: files with the processes that have them, whatever these are doing, and the module with
 * the last file.
 */
#include "module.h"
#include "random.h"
#include "states.h"

#include <sys/resource.h>

static int enter(int sock, void *arg)
{
	const struct state *state = arg;

	(void)sock;
	return state->enter();
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
			if (state_is_possible(&states[i]))
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
		if (!state_is_possible(&states[i]))
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
	EXPECT_EQ(0, set_start(fd));
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

FIXTURE(module) {
};

FIXTURE_SETUP(module)
{
	/* A case that was ended by its time has had no teardown. */
	ASSERT_TRUE(module_is_loaded() || module_load(NULL) == 0);
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
		if (!state_is_possible(&states[i]) || !state_is_plain(&states[i]))
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

/* Opens, uses and closes what it can, which is nothing when the module is away. */
static int open_and_close_for_ever(int sock, void *arg)
{
	struct random *random = arg;
	const struct state *state;
	int fd;

	(void)sock;
	for (;;) {
		state = &states[below(random, ARRAY_SIZE(states))];
		if (!state_is_possible(state) || !state_is_plain(state))
			continue;
		fd = state->enter();
		if (fd >= 0) {
			use_all(fd, state->what);
			close(fd);
		}
		/* Else there would be a file at any moment. */
		random_pause(random, 20000);
	}
	return 0;
}

#define PEERS	2

/* It can be removed when there is no file, and at no other moment. */
TEST_F_TIMEOUT(module, comes_and_goes_while_files_do, SLOW)
{
	uint32_t seed = random_seed("LIFETIME_SEED");
	unsigned int i, removed = 0, busy = 0, all = counters_free(0);
	struct random random[PEERS];
	struct peer peers[PEERS];
	int err;

	NEEDS_INSTALLED_MODULE();
	for (i = 0; i < PEERS; i++) {
		random[i].state = seed + i;
		ASSERT_EQ(0, peer_start(&peers[i], open_and_close_for_ever, &random[i]));
	}
	while (removed < 8 || !busy) {
		err = module_remove();
		removed += !err;
		busy += err == -EWOULDBLOCK;
		ASSERT_TRUE(!err || err == -EWOULDBLOCK) {
			TH_LOG("%d", err);
		}
		if (!err) {
			EXPECT_FALSE(module_is_loaded());
			ASSERT_EQ(0, modprobe(NULL));
		}
		random_pause(&random[0], 2000);
	}
	for (i = 0; i < PEERS; i++)
		peer_kill(&peers[i]);
	EXPECT_EQ(0, module_load(NULL));
	expect_all_free(_metadata, "all that", all);
}

/* Before udev has seen the node it is root's already. */
TEST_F_TIMEOUT(module, node_is_never_open_to_users, SLOW)
{
	char *const hold_udev[] = { "udevadm", "control", "--stop-exec-queue", NULL };
	char *const let_udev[] = { "udevadm", "control", "--start-exec-queue", NULL };
	struct stat st = {};

	NEEDS_INSTALLED_MODULE();
	ASSERT_EQ(0, module_remove());
	EXPECT_EQ(0, run_program(hold_udev));
	EXPECT_EQ(0, modprobe(NULL));
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
	if (have_good_counters()) {
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

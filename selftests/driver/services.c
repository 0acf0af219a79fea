// SPDX-License-Identifier: GPL-2.0-only
/* What every file of the device answers; services_hw.c has the files that need counters. */
#include "services.h"

FIXTURE_VARIANT_ADD(file, control) {
	.flags = PERFMON_O_CONTROL, .become = stay,
};

FIXTURE_VARIANT_ADD(file, raw_set) {
	.flags = PERFMON_O_CONTROL, .become = become_raw,
};

/* ---- PERFMON_IOC_HOLDERS ---- */

FIXTURE(holders) {
	int fd;
};

FIXTURE_SETUP(holders)
{
	self->fd = control_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, holders_count());
}

FIXTURE_TEARDOWN(holders)
{
	close(self->fd);
}

TEST_F(holders, nobody)
{
	struct perfmon_holder list[4];
	int other = control_open();

	memset(list, PATTERN, sizeof(list));
	EXPECT_EQ(0, holders_get(self->fd, list, ARRAY_SIZE(list)));
	EXPECT_TRUE(untouched(list, sizeof(list)));
	EXPECT_EQ(0, holders_get(self->fd, BAD_ADDRESS, 4));
	close(other);
}

TEST_F(holders, raw_sets)
{
	const char *name = program_invocation_short_name;
	struct perfmon_event events[3];
	struct perfmon_holder list[8];
	int i, fd[5];
	uint64_t before = now_ns();

	for (i = 0; i < 3; i++)
		events[i] = event_soft(PERF_COUNT_SW_DUMMY);
	for (i = 0; i < 5; i++) {
		fd[i] = control_open();
		ASSERT_EQ(0, set_program(fd[i], i % 2 ? -1 : 0, events, 1 + i % 3, 0));
	}
	memset(list, PATTERN, sizeof(list));
	ASSERT_EQ(5, holders_get(self->fd, list, ARRAY_SIZE(list)));
	for (i = 0; i < 5; i++) {
		EXPECT_EQ(getpid(), list[i].pid);
		EXPECT_EQ(PERFMON_FACE_RAW, list[i].face);
		EXPECT_EQ(i % 2 ? -1 : 0, list[i].cpu);
		EXPECT_EQ(1 + i % 3, list[i].counters);
		EXPECT_LE(before, list[i].since);
		EXPECT_STREQ(name, list[i].comm);
		EXPECT_TRUE(all_zero(list[i].comm + strlen(name),
				     sizeof(list[i].comm) - strlen(name)));
		before = list[i].since;
	}
	EXPECT_GE(now_ns(), before);
	EXPECT_TRUE(untouched(&list[5], 3 * sizeof(list[0])));
	close(fd[2]);
	ASSERT_EQ(4, holders_get(self->fd, list, ARRAY_SIZE(list)));
	EXPECT_EQ(1, list[2].counters);
	for (i = 0; i < 5; i++)
		close(fd[i]);
	EXPECT_EQ(0, holders_count());
}

TEST_F(holders, room)
{
	struct perfmon_holder list[8];
	int i, fd[4];

	for (i = 0; i < 4; i++) {
		fd[i] = control_open();
		ASSERT_EQ(0, become_raw(fd[i]));
	}
	for (i = 0; i <= 8; i++) {
		int n = i < 4 ? i : 4;

		memset(list, PATTERN, sizeof(list));
		EXPECT_EQ(4, holders_get(self->fd, list, i));
		EXPECT_TRUE(untouched(&list[n], (8 - n) * sizeof(list[0])));
		EXPECT_TRUE(!n || list[n - 1].pid == getpid());
	}
	EXPECT_EQ(4, holders_get(self->fd, list, 0xffffffff));
	EXPECT_EQ(4, holders_get(self->fd, BAD_ADDRESS, 0));
	EXPECT_REFUSED(EFAULT, self->fd, holders_get(self->fd, BAD_ADDRESS, 1));
	EXPECT_REFUSED(EFAULT, self->fd, holders_get(self->fd, NULL, 0xffffffff));
	EXPECT_REFUSED(EFAULT, self->fd,
		       holders_get(self->fd, end_of_memory(3 * sizeof(list[0])), 4));
	EXPECT_EQ(4, holders_get(self->fd, end_of_memory(3 * sizeof(list[0])), 3));
	for (i = 0; i < 4; i++)
		close(fd[i]);
}

TEST_F(holders, many)
{
	struct perfmon_holder list[200];
	int i, fd[200];

	for (i = 0; i < 200; i++) {
		fd[i] = control_open();
		ASSERT_EQ(0, become_raw(fd[i]));
	}
	EXPECT_EQ(200, holders_get(self->fd, list, 200));
	EXPECT_EQ(getpid(), list[199].pid);
	while (i)
		close(fd[--i]);
	EXPECT_EQ(0, holders_count());
}

TEST_F(holders, reserved_is_zero)
{
	struct perfmon_holders req = { .size = sizeof(req), .reserved = 1 };

	EXPECT_REFUSED(EINVAL, self->fd, request(self->fd, PERFMON_IOC_HOLDERS, &req));
}

static int hold_raw(int sock, void *arg)
{
	int fd = control_open();

	(void)sock;
	(void)arg;
	return become_raw(fd);
}

/* What the first holder of a list looks like from another process: its pid, or 255 for none. */
static int first_pid(void *arg)
{
	struct perfmon_holder list;

	return holders_get(*(int *)arg, &list, 1) == 1 ? list.pid : 255;
}

static int first_pid_in_new_namespace(void *arg)
{
	return unshare(CLONE_NEWPID) ? 254 : in_child(first_pid, arg);
}

TEST_F(holders, pid_is_as_the_caller_sees_it)
{
	struct perfmon_holder list[1];
	struct peer peer;

	ASSERT_EQ(0, peer_start(&peer, hold_raw, NULL));
	ASSERT_EQ(0, peer_hear(peer.sock));
	ASSERT_EQ(1, holders_get(self->fd, list, 1));
	EXPECT_EQ(peer.pid, list[0].pid);
	EXPECT_EQ(0, in_child(first_pid_in_new_namespace, &self->fd));
	peer_kill(&peer);
	EXPECT_EQ(0, holders_count());
}

/* ---- the machine ---- */

TEST(hardware_as_perf_sees_it)
{
	int fd = perf_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, true);

	EXPECT_EQ(fd >= 0, have_hardware());
	close(fd);
}

TEST(pmio_opens_follow_the_hardware)
{
	int fd = device_open(O_RDONLY);

	EXPECT_EQ(have_hardware(), fd >= 0);
	EXPECT_TRUE(fd >= 0 || fd == -ENXIO);
	close(fd);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The simulated PMU as one of its own name, on any machine: it is in nobody's way, and raw sets
 * count its events by its type.
 */
#include "sim_test.h"

#define PMU	PMUS "perfmon_sim/"

static bool loads_beside(void)
{
	return sim_load("raw=0", "counters=3", SIM_FIT) == 0;
}

PROGRAM_NEEDS(loads_beside(), "perfmon_sim is not there");

FIXTURE(beside) {
	int fd;
	int type;
};

FIXTURE_SETUP(beside)
{
	sim_heal();
	self->type = read_number(PMU "type");
	ASSERT_LT(PERF_TYPE_MAX, self->type);
	self->fd = control_open();
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(beside)
{
	close(self->fd);
}

TEST_F(beside, describes_itself)
{
	EXPECT_EQ(0, access(PMU "format/cmask", R_OK));
	EXPECT_EQ(0, access(PMU "events/cpu-cycles", R_OK));
	EXPECT_EQ(3, read_number(PMU "caps/counters"));
	EXPECT_EQ(48, read_number(PMU "caps/width"));
	EXPECT_FALSE(sim_is_cpu_pmu());
}

TEST_F(beside, counts)
{
	struct perfmon_event events[2] = {
		event_of(self->type, MANUAL, ANY_MODE),
		event_of(self->type, MANUAL, PERFMON_EVENT_KERNEL),
	};
	struct sample sample;

	ASSERT_EQ(0, set_program(self->fd, 0, events, 2, PERFMON_SET_STARTED));
	ASSERT_EQ(0, sim_advance("cpu=0 mode=u event=0xa0 clocks=5 each=4"));
	ASSERT_EQ(0, sim_advance("cpu=0 mode=k event=0xa0 clocks=2 each=1"));
	ASSERT_EQ(0, set_read(self->fd, 0, &sample));
	EXPECT_EQ(22, sample.value[0]);
	EXPECT_EQ(2, sample.value[1]);
	EXPECT_EQ(PERFMON_STATE_COUNTING, sample.head.state);
}

TEST_F(beside, has_no_more_than_its_counters)
{
	struct perfmon_event event = event_of(self->type, MANUAL, ANY_MODE);
	unsigned int real = counters_free(0);

	EXPECT_REFUSED(EBUSY, self->fd, set_program_same(self->fd, 0, event, 4));
	EXPECT_EQ(3, last_error(self->fd).index);
	EXPECT_EQ(0, set_program_same(self->fd, 0, event, 3));
	EXPECT_EQ(real, counters_free(0));
}

/* Being short of these must not cost the machine's own PMU its counters. */
TEST_F(beside, does_not_disturb_the_real_one)
{
	struct perfmon_event event = event_of(self->type, MANUAL, ANY_MODE);
	int other = control_open(), fd[8];
	struct sample sample;
	unsigned int i;

	NEEDS(have_good_counters(), "there is no real PMU beside it");
	for (i = 0; i < ARRAY_SIZE(fd); i++) {
		fd[i] = perf_open(self->type, MANUAL, 0, true);
		ASSERT_LE(0, fd[i]);
	}
	ASSERT_EQ(0, set_program_same(other, 0, event_cycles(ANY_MODE), 2));
	EXPECT_EQ(-EBUSY, set_program_same(self->fd, 0, event, 1));
	burn_ms(1);
	ASSERT_EQ(0, set_read(other, 0, &sample));
	EXPECT_EQ(PERFMON_STATE_COUNTING, sample.head.state);
	EXPECT_LT(0, sample.value[1]);
	for (i = 0; i < ARRAY_SIZE(fd); i++)
		close(fd[i]);
	close(other);
}

/* Generic and raw events are not its business. */
TEST_F(beside, takes_no_others_events)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
	};
	int fd;

	NEEDS(!have_hardware(), "the machine has a PMU for them");
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
	EXPECT_EQ(-1, fd);
	EXPECT_EQ(ENOENT, errno);
}

TEST_F(beside, task_counts_too)
{
	struct perf_event_attr attr = {
		.type = self->type,
		.size = sizeof(attr),
		.config = MANUAL,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	__u64 count = 0;

	ASSERT_LE(0, fd);
	ASSERT_EQ(sizeof(count), read(fd, &count, sizeof(count)));
	EXPECT_EQ(0, count);
	close(fd);
}

TEST_F(beside, goes_when_unused)
{
	struct perfmon_event event = event_of(self->type, MANUAL, ANY_MODE);

	ASSERT_EQ(0, set_program_same(self->fd, -1, event, 1));
	EXPECT_NE(0, sim_unload());
	close(self->fd);
	EXPECT_EQ(0, sim_unload());
	EXPECT_NE(0, access(PMU, F_OK));
	EXPECT_TRUE(loads_beside());
	self->fd = control_open();
}

TEST_HARNESS_MAIN

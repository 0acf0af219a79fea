// SPDX-License-Identifier: GPL-2.0-only
/* Counters are few, some events fit only some of them, and others want them too. */
#include "sim_test.h"

PROGRAM_NEEDS_SIM();

#define COUNTERS	4

FIXTURE(place) {
	struct perf_events perf;
	int fd;
};

FIXTURE_SETUP(place)
{
	ASSERT_EQ(0, sim_load("counters=4", SIM_FIT, NULL));
	memset(&self->perf, 0, sizeof(self->perf));
	self->fd = device_open(O_RDWR);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(place)
{
	perf_close(&self->perf);
	close(self->fd);
	EXPECT_EQ(0, sim_counters_used(0));
	EXPECT_EQ(0, sim_counters_used(1));
}

static int setup(int fd, int num, __u8 event)
{
	return pmio_setup(fd, num, event, 0, BOTH, 0);
}

/* One of perf's pinned events, as the NMI watchdog has one. */
static int perf_hold(struct perf_events *perf, __u64 config, int cpu, bool enabled)
{
	int fd = perf_open(PERF_TYPE_RAW, config, cpu, enabled);

	if (fd >= 0)
		perf->fd[perf->n++] = fd;
	return fd < 0 ? fd : 0;
}

TEST_F(place, as_many_as_there_are)
{
	struct perfmon_event events[COUNTERS + 1];
	int set = control_open();
	unsigned int i;

	for (i = 0; i <= COUNTERS; i++)
		events[i] = event_raw(MANUAL);
	EXPECT_REFUSED(EBUSY, set, set_program(set, -1, events, COUNTERS + 1, 0));
	EXPECT_EQ(COUNTERS, last_error(set).index);
	EXPECT_EQ(0, sim_counters_used(0));
	EXPECT_EQ(0, sim_counters_used(1));
	EXPECT_EQ(0, set_program(set, -1, events, COUNTERS, 0));
	EXPECT_EQ(COUNTERS, sim_counters_used(0));
	EXPECT_EQ(COUNTERS, sim_counters_used(1));
	EXPECT_REFUSED(EBUSY, self->fd, setup(self->fd, 0, MANUAL));
	EXPECT_EQ(COUNTERS, sim_counters_used(0));
	close(set);
	EXPECT_EQ(0, setup(self->fd, 0, MANUAL));
	EXPECT_EQ(1, sim_counters_used(0));
}

TEST_F(place, bound_to_one_counter)
{
	struct sim_counter c;

	ASSERT_EQ(0, setup(self->fd, 0, BOUND));
	EXPECT_REFUSED(EBUSY, self->fd, setup(self->fd, 1, BOUND));
	EXPECT_EQ(1, last_error(self->fd).index);
	EXPECT_TRUE(last_error_says(self->fd, "no free counter"));
	EXPECT_EQ(0, setup(self->fd, 1, MANUAL));
	ASSERT_EQ(2, sim_counters(0, &c, 1));
	EXPECT_EQ(0, c.counter);
	EXPECT_EQ(BOUND, c.config);
	/* The same event in its own place. */
	EXPECT_EQ(0, setup(self->fd, 0, BOUND));
}

/* Others move for it, and lose nothing. */
TEST_F(place, others_move)
{
	struct sim_counter c[COUNTERS];
	int num;

	for (num = 0; num < 3; num++) {
		ASSERT_EQ(0, setup(self->fd, num, num ? MANUAL : BOUND_TO_TWO));
		ASSERT_EQ(0, pmio_start(self->fd, num));
	}
	ASSERT_EQ(0, sim_advance("event=0xa0 clocks=5; event=0xa3 clocks=7"));
	ASSERT_EQ(0, setup(self->fd, 3, BOUND));
	ASSERT_EQ(0, pmio_start(self->fd, 3));
	ASSERT_EQ(COUNTERS, sim_counters(0, c, COUNTERS));
	EXPECT_EQ(BOUND, c[0].config);
	EXPECT_EQ(BOUND_TO_TWO, c[1].config);
	ASSERT_EQ(0, sim_advance("event=0xa0 clocks=50; event=0xa3 clocks=70; event=0xa2"));
	EXPECT_EQ(77 * cpus_online(), pmio_value(self->fd, 0));
	EXPECT_EQ(55 * cpus_online(), pmio_value(self->fd, 1));
	EXPECT_EQ(55 * cpus_online(), pmio_value(self->fd, 2));
	EXPECT_EQ(cpus_online(), pmio_value(self->fd, 3));
	EXPECT_EQ(PERFMON_STATE_COUNTING, pmio_on_cpu(self->fd, 1, 0).pmcv_state);
}

TEST_F(place, too_many_for_two_counters)
{
	ASSERT_EQ(0, setup(self->fd, 0, BOUND_TO_TWO));
	ASSERT_EQ(0, setup(self->fd, 1, BOUND));
	EXPECT_REFUSED(EBUSY, self->fd, setup(self->fd, 2, BOUND_TO_TWO));
	EXPECT_EQ(0, setup(self->fd, 2, MANUAL));
	EXPECT_EQ(0, setup(self->fd, 3, MANUAL));
}

TEST_F(place, competitor_holds_one)
{
	int set = control_open();

	ASSERT_EQ(0, perf_hold(&self->perf, MANUAL, 1, true));
	EXPECT_EQ(-EBUSY, set_program_same(set, -1, event_raw(MANUAL), COUNTERS));
	EXPECT_EQ(1, last_error(set).cpu);
	EXPECT_EQ(COUNTERS - 1, last_error(set).index);
	EXPECT_EQ(0, sim_counters_used(0));
	EXPECT_EQ(1, sim_counters_used(1));
	ASSERT_EQ(0, set_program_same(set, -1, event_raw(MANUAL), COUNTERS - 1));
	EXPECT_TRUE(perf_counts(self->perf.fd[0]));
	close(set);
}

TEST_F(place, competitor_holds_the_one_that_it_needs)
{
	ASSERT_EQ(0, perf_hold(&self->perf, BOUND, 0, true));
	EXPECT_REFUSED(EBUSY, self->fd, setup(self->fd, 0, BOUND));
	EXPECT_EQ(0, last_error(self->fd).cpu);
	EXPECT_EQ(0, setup(self->fd, 0, MANUAL));
	EXPECT_TRUE(perf_counts(self->perf.fd[0]));
}

/* A counter that counts says so and has it all; one that does not says that. */
static bool counts_or_says_so(int fd, int num, __s64 before, __s64 after)
{
	struct pmc_cpu_value v = pmio_on_cpu(fd, num, 0);

	if (v.pmcv_state == PERFMON_STATE_COUNTING)
		return v.pmcv_value == after;
	return v.pmcv_state == PERFMON_STATE_CONTENDED && v.pmcv_value == before;
}

/*
 * One of perf's that was there first, and wakes up while ours count. perf then places all anew, in
 * the order of their coming, and after the first that it cannot place it tries no more of them.
 */
TEST_F(place, contention_while_counting)
{
	int num;

	ASSERT_EQ(0, perf_hold(&self->perf, BOUND, 0, false));
	ASSERT_EQ(0, setup(self->fd, 0, MANUAL));
	ASSERT_EQ(0, setup(self->fd, 1, BOUND));
	ASSERT_EQ(0, setup(self->fd, 2, MANUAL));
	for (num = 0; num < 3; num++) {
		ASSERT_EQ(0, pmio_start(self->fd, num));
	}
	ASSERT_EQ(0, sim_advance("event=0xa2 clocks=100; event=0xa0 clocks=100"));
	ASSERT_EQ(0, ioctl(self->perf.fd[0], PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(0, sim_advance("event=0xa2 clocks=20; event=0xa0 clocks=20"));

	EXPECT_EQ(PERFMON_STATE_COUNTING, pmio_on_cpu(self->fd, 0, 0).pmcv_state);
	EXPECT_EQ(120, pmio_on_cpu(self->fd, 0, 0).pmcv_value);
	EXPECT_EQ(PERFMON_STATE_CONTENDED, pmio_on_cpu(self->fd, 1, 0).pmcv_state);
	EXPECT_EQ(100, pmio_on_cpu(self->fd, 1, 0).pmcv_value);
	EXPECT_TRUE(counts_or_says_so(self->fd, 2, 100, 120));
	for (num = 0; num < 3; num++) {
		EXPECT_EQ(PERFMON_STATE_COUNTING, pmio_on_cpu(self->fd, num, 1).pmcv_state);
		EXPECT_EQ(120, pmio_on_cpu(self->fd, num, 1).pmcv_value);
	}

	EXPECT_REFUSED(EBUSY, self->fd, pmio_start(self->fd, 1));
	EXPECT_EQ(0, last_error(self->fd).cpu);
	EXPECT_EQ(100, pmio_on_cpu(self->fd, 1, 0).pmcv_value);
	EXPECT_TRUE(perf_counts(self->perf.fd[0]));
	perf_close(&self->perf);
	ASSERT_EQ(0, pmio_start(self->fd, 1));
	ASSERT_EQ(0, sim_advance("event=0xa2 clocks=3"));
	EXPECT_EQ(103, pmio_on_cpu(self->fd, 1, 0).pmcv_value);
	/* 20 of its clocks were missed, and it says so until it begins anew. */
	EXPECT_EQ(PERFMON_STATE_CONTENDED, pmio_on_cpu(self->fd, 1, 0).pmcv_state);
	ASSERT_EQ(0, pmio_reset(self->fd, 1));
	EXPECT_EQ(PERFMON_STATE_COUNTING, pmio_on_cpu(self->fd, 1, 0).pmcv_state);
}

/* perf's own groups are checked when they are made. */
TEST_F(place, group_that_never_fits)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = BOUND,
	};
	int leader = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	int fd;

	ASSERT_LE(0, leader);
	EXPECT_EQ(-1, syscall(SYS_perf_event_open, &attr, 0, -1, leader, 0));
	EXPECT_EQ(EINVAL, errno);
	attr.config = BOUND_TO_TWO;
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, leader, 0);
	EXPECT_LE(0, fd);
	EXPECT_EQ(-1, syscall(SYS_perf_event_open, &attr, 0, -1, leader, 0));
	close(fd);
	close(leader);
}

TEST_F(place, not_unloaded_while_used)
{
	EXPECT_EQ(0, setup(self->fd, 0, MANUAL));
	EXPECT_NE(0, sim_unload());
	EXPECT_TRUE(sim_loaded());
	EXPECT_EQ(0, pmio_value(self->fd, 0));
}

TEST_F(place, cpu_goes_and_comes)
{
	NEEDS(cpu1_can_go(), "CPU 1 cannot go offline");
	ASSERT_EQ(0, setup(self->fd, 0, MANUAL));
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	ASSERT_EQ(0, sim_advance("event=0xa0 clocks=11"));
	ASSERT_EQ(0, cpu1_set_online(false));
	EXPECT_EQ(-ENXIO, sim_advance("cpu=1 event=0xa0"));
	EXPECT_EQ(0, sim_advance("event=0xa0 clocks=100"));
	EXPECT_EQ(PERFMON_STATE_LOST, pmio_on_cpu(self->fd, 0, 1).pmcv_state);
	EXPECT_EQ(11, pmio_on_cpu(self->fd, 0, 1).pmcv_value);
	EXPECT_EQ(111, pmio_on_cpu(self->fd, 0, 0).pmcv_value);
	ASSERT_EQ(0, cpu1_set_online(true));
	EXPECT_EQ(0, sim_counters_used(1));
	ASSERT_EQ(0, pmio_stop(self->fd, 0));
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	ASSERT_EQ(0, sim_advance("event=0xa0 clocks=2"));
	EXPECT_EQ(13, pmio_on_cpu(self->fd, 0, 1).pmcv_value);
	EXPECT_EQ(1, sim_counters_used(1));
}

TEST_HARNESS_MAIN

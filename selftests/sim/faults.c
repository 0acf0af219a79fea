// SPDX-License-Identifier: GPL-2.0-only
/* Hardware that fails: what the module says of it, and that nothing is left of it afterwards. */
#include "sim_test.h"

PROGRAM_NEEDS_SIM();

FIXTURE(faults) {
	int fd;
};

FIXTURE_SETUP(faults)
{
	sim_heal();
	self->fd = device_open(O_RDWR);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(faults)
{
	sim_heal();
	close(self->fd);
	EXPECT_EQ(0, sim_counters_used(0));
	EXPECT_EQ(0, sim_counters_used(1));
}

static int setup(int fd, int num)
{
	return pmio_setup(fd, num, MANUAL, 0, BOTH, 0);
}

/* ---- add ---- */

TEST_F(faults, add_fails_at_setup)
{
	ASSERT_EQ(0, sim_set("all/fail_add", "1"));
	EXPECT_REFUSED(EBUSY, self->fd, setup(self->fd, 1));
	EXPECT_EQ(1, last_error(self->fd).index);
	EXPECT_EQ(0, sim_counters_used(0));
	EXPECT_EQ(0, sim_counters_used(1));
	EXPECT_EQ(0, setup(self->fd, 1));
	EXPECT_EQ(0, pmio_value(self->fd, 1));
}

TEST_F(faults, add_fails_on_the_second_cpu)
{
	NEEDS_TWO_CPUS();
	ASSERT_EQ(0, sim_set("cpu1/fail_add", "-1"));
	EXPECT_REFUSED(EBUSY, self->fd, setup(self->fd, 0));
	EXPECT_EQ(1, last_error(self->fd).cpu);
	EXPECT_EQ(0, sim_counters_used(0));
	EXPECT_EQ(0, sim_counters_used(1));
	ASSERT_EQ(0, pmio_choose_cpu(self->fd, 0));
	EXPECT_EQ(0, setup(self->fd, 0));
	ASSERT_EQ(0, sim_set("cpu1/fail_add", "0"));
	ASSERT_EQ(0, pmio_choose_cpu(self->fd, -1));
	EXPECT_EQ(0, setup(self->fd, 0));
}

/* Each event of a set, and the set is refused as a whole. */
TEST_F(faults, add_fails_for_each_of_a_set)
{
	int set = control_open(), skip;

	/* Each event that is enabled makes perf place anew all that are there. */
	for (skip = 0; skip < 4; skip++) {
		ASSERT_EQ(0, set_program_same(set, 0, event_raw(MANUAL), skip + 1));
		ASSERT_EQ(0, sim_set("cpu0/fail_add", "-1"));
		EXPECT_REFUSED(EBUSY, set, set_program_same(set, 0, event_raw(MANUAL), 4));
		EXPECT_EQ(0, sim_counters_used(0));
		EXPECT_EQ(0, holders_count() - 1);
		ASSERT_EQ(0, sim_set("cpu0/fail_add", "0"));
		EXPECT_EQ(0, set_program_same(set, 0, event_raw(MANUAL), 4));
		EXPECT_EQ(4, sim_counters_used(0));
	}
	close(set);
}

/* What counts is taken off and put back when somebody comes, and there it fails. */
TEST_F(faults, add_fails_while_counting)
{
	int fd;

	ASSERT_EQ(0, setup(self->fd, 0));
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	ASSERT_EQ(0, sim_advance("event=0xa0 clocks=40"));
	ASSERT_EQ(0, sim_set("cpu0/fail_add", "-1"));
	fd = perf_open(PERF_TYPE_RAW, OTHER, 0, true);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, sim_advance("event=0xa0 clocks=2"));
	EXPECT_EQ(PERFMON_STATE_CONTENDED, pmio_on_cpu(self->fd, 0, 0).pmcv_state);
	EXPECT_EQ(40, pmio_on_cpu(self->fd, 0, 0).pmcv_value);
	EXPECT_EQ(PERFMON_STATE_COUNTING, pmio_on_cpu(self->fd, 0, 1).pmcv_state);
	EXPECT_EQ(42, pmio_on_cpu(self->fd, 0, 1).pmcv_value);
	EXPECT_EQ(82, pmio_value(self->fd, 0));
	EXPECT_REFUSED(EBUSY, self->fd, pmio_start(self->fd, 0));
	ASSERT_EQ(0, sim_set("cpu0/fail_add", "0"));
	EXPECT_EQ(0, pmio_start(self->fd, 0));
	ASSERT_EQ(0, sim_advance("event=0xa0"));
	EXPECT_EQ(41, pmio_on_cpu(self->fd, 0, 0).pmcv_value);
	close(fd);
}

/* ---- stuck ---- */

/* Which of them is on the counter that is stuck does not matter. */
static __s64 both_on_cpu0(int fd)
{
	return pmio_on_cpu(fd, 0, 0).pmcv_value + pmio_on_cpu(fd, 1, 0).pmcv_value;
}

/*
 * Nobody can tell a counter that stands still from an event that does not happen. What must not be
 * is that others suffer, or that it is taken for more than it counted.
 */
TEST_F(faults, stuck_counter_stands_still)
{
	struct sim_counter c[2];

	ASSERT_EQ(0, setup(self->fd, 0));
	ASSERT_EQ(0, setup(self->fd, 1));
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	ASSERT_EQ(0, pmio_start(self->fd, 1));
	ASSERT_EQ(0, sim_set("cpu0/stuck", "0x1"));
	ASSERT_EQ(0, sim_advance("event=0xa0 clocks=8"));
	ASSERT_EQ(2, sim_counters(0, c, 2));
	EXPECT_EQ(0, c[0].count);
	EXPECT_EQ(8, c[1].count);
	EXPECT_EQ(8, both_on_cpu0(self->fd));
	EXPECT_EQ(8, pmio_on_cpu(self->fd, 0, 1).pmcv_value);
	EXPECT_EQ(8, pmio_on_cpu(self->fd, 1, 1).pmcv_value);
	ASSERT_EQ(0, sim_set("cpu0/stuck", "0"));
	ASSERT_EQ(0, sim_advance("event=0xa0 clocks=8"));
	EXPECT_EQ(24, both_on_cpu0(self->fd));
}

TEST_F(faults, stuck_everywhere)
{
	ASSERT_EQ(0, pmio_setup(self->fd, 0, RAW_CYCLES, 0, BOTH, 0));
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	ASSERT_EQ(0, sim_set("all/stuck", "0xffffffff"));
	ASSERT_EQ(0, pmio_reset(self->fd, 0));
	burn_ms(10);
	EXPECT_EQ(0, pmio_value(self->fd, 0));
	ASSERT_EQ(0, sim_set("all/stuck", "0"));
	burn_ms(1);
	EXPECT_LT(0, pmio_value(self->fd, 0));
}

/* ---- slow ---- */

TEST_F(faults, slow_read)
{
	__u64 before;

	ASSERT_EQ(0, setup(self->fd, 0));
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	ASSERT_EQ(0, sim_advance("event=0xa0 clocks=8"));
	ASSERT_EQ(0, sim_set("cpu1/slow_read", "20000000"));
	before = now_ns();
	EXPECT_EQ(16, pmio_value(self->fd, 0));
	EXPECT_LE(20000000, now_ns() - before);
	ASSERT_EQ(0, pmio_choose_cpu(self->fd, 0));
	EXPECT_EQ(8, pmio_value(self->fd, 0));
	ASSERT_EQ(0, sim_set("cpu1/slow_read", "0"));
	ASSERT_EQ(0, sim_set("all/slow_read", "30000000"));
	before = now_ns();
	EXPECT_EQ(8, pmio_value(self->fd, 0));
	EXPECT_LE(30000000, now_ns() - before);
}

/* Values of one sample are those of one moment, as near as the hardware lets them be. */
TEST_F(faults, slow_read_of_a_set)
{
	struct perfmon_event events[2] = { event_raw(RAW_CYCLES), event_raw(RAW_CYCLES) };
	int set = control_open();
	struct sample sample;
	__u64 apart = now_ns();

	ASSERT_EQ(0, set_program(set, 0, events, 2, PERFMON_SET_STARTED));
	/* That one was started before the other. */
	apart = now_ns() - apart;
	ASSERT_EQ(0, sim_set("cpu0/slow_read", "5000000"));
	ASSERT_EQ(0, set_read(set, 0, &sample));
	EXPECT_LE(sample.value[0] + 5000000, sample.value[1] + apart);
	close(set);
}

TEST_HARNESS_MAIN

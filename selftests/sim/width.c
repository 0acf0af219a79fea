// SPDX-License-Identifier: GPL-2.0-only
/* Counters wrap at their width, and counts of 64 bits go on. */
#include "sim_test.h"

PROGRAM_NEEDS_SIM();

FIXTURE(width) {
	int fd;
	__u64 mask;	/* of the register */
};

FIXTURE_VARIANT(width) {
	unsigned int bits;
};

FIXTURE_VARIANT_ADD(width, of_16) { .bits = 16 };
FIXTURE_VARIANT_ADD(width, of_32) { .bits = 32 };
FIXTURE_VARIANT_ADD(width, of_40) { .bits = 40 };
FIXTURE_VARIANT_ADD(width, of_48) { .bits = 48 };
FIXTURE_VARIANT_ADD(width, of_64) { .bits = 64 };

FIXTURE_SETUP(width)
{
	char parameter[16];

	snprintf(parameter, sizeof(parameter), "width=%u", variant->bits);
	ASSERT_EQ(0, sim_load(parameter, NULL, NULL));
	self->mask = ~0ULL >> (64 - variant->bits);
	/* 10 before the wrap. */
	ASSERT_EQ(0, sim_set("all/start", "%#llx", self->mask - 9));
	self->fd = device_open(O_RDWR);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pmio_choose_cpu(self->fd, 0));
	ASSERT_EQ(0, pmio_setup(self->fd, 0, MANUAL, 0, BOTH, 0));
	ASSERT_EQ(0, pmio_start(self->fd, 0));
}

FIXTURE_TEARDOWN(width)
{
	close(self->fd);
}

static int advance(__u64 n)
{
	return sim_advance("cpu=0 event=0xa0 clocks=%llu", n);
}

static __u64 reg(void)
{
	struct sim_counter c = {};

	sim_counters(0, &c, 1);
	return c.reg;
}

TEST_F(width, counts_across_the_wrap)
{
	__u64 far = self->mask >> 1;
	struct sim_counter c = {};

	EXPECT_EQ(self->mask - 9, reg());
	ASSERT_EQ(0, advance(9));
	EXPECT_EQ(self->mask, reg());
	EXPECT_EQ(9, pmio_value(self->fd, 0));
	ASSERT_EQ(0, advance(1));
	EXPECT_EQ(0, reg());
	EXPECT_EQ(10, pmio_value(self->fd, 0));
	ASSERT_EQ(0, advance(5));
	EXPECT_EQ(15, pmio_value(self->fd, 0));

	/* Without a read in between: half of it, thrice. */
	ASSERT_EQ(0, advance(far));
	ASSERT_EQ(0, advance(far));
	if (variant->bits < 64) {
		ASSERT_EQ(0, advance(far));
		EXPECT_EQ(15 + 3 * far, (__u64)pmio_value(self->fd, 0));
	}
	ASSERT_EQ(1, sim_counters(0, &c, 1));
	EXPECT_GE(self->mask, c.reg);
}

TEST_F(width, more_than_it_holds_at_once)
{
	NEEDS(variant->bits < 60, "a register of 64 bits holds it all");
	ASSERT_EQ(0, advance(7 * (self->mask + 1) + 3));
	EXPECT_EQ(7 * (self->mask + 1) + 3, (__u64)pmio_value(self->fd, 0));
	EXPECT_EQ(((self->mask - 9) + 3) & self->mask, reg());
	ASSERT_EQ(0, pmio_stop(self->fd, 0));
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	ASSERT_EQ(0, advance(1));
	EXPECT_EQ(7 * (self->mask + 1) + 4, (__u64)pmio_value(self->fd, 0));
}

/* What a PMU does whose interrupts are lost, so that nobody trusts one that reads too rarely. */
TEST_F(width, lost_overflow_loses_a_turn)
{
	NEEDS(variant->bits < 60, "a register of 64 bits holds it all");
	ASSERT_EQ(0, sim_set("cpu0/lose_overflows", "1"));
	ASSERT_EQ(0, advance(self->mask + 4));
	EXPECT_EQ(3, pmio_value(self->fd, 0));
	/* One wrap between two reads is no loss. */
	ASSERT_EQ(0, advance(self->mask));
	EXPECT_EQ(self->mask + 3, (__u64)pmio_value(self->fd, 0));
}

/* A clock of 1 GHz, which wraps at 16 bits every 65 microseconds. */
TEST_F(width, clock_goes_on)
{
	__u64 before, started, read, after;

	ASSERT_EQ(0, pmio_setup(self->fd, 1, RAW_CYCLES, 0, BOTH, 0));
	before = now_ns();
	ASSERT_EQ(0, pmio_start(self->fd, 1));
	started = now_ns();
	burn_ms(50);
	read = now_ns();
	EXPECT_LE(read - started, (__u64)pmio_value(self->fd, 1));
	ASSERT_EQ(0, pmio_stop(self->fd, 1));
	after = now_ns();
	EXPECT_GE(after - before, (__u64)pmio_value(self->fd, 1));
}

/* The other user of the counters sees the same. */
TEST_F(width, perf_counts_the_same)
{
	int fd = perf_open(PERF_TYPE_RAW, MANUAL, 0, true);
	__u64 count;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, advance(self->mask >> 1));
	ASSERT_EQ(0, advance(12));
	ASSERT_EQ(sizeof(count), read(fd, &count, sizeof(count)));
	EXPECT_EQ((self->mask >> 1) + 12, count);
	EXPECT_EQ(count, (__u64)pmio_value(self->fd, 0));
	close(fd);
}

FIXTURE(parameters) {
};

FIXTURE_SETUP(parameters)
{
}

/* Whatever came of it, the simulator is there as it was. */
FIXTURE_TEARDOWN(parameters)
{
	EXPECT_EQ(0, sim_load(NULL, NULL, NULL));
}

TEST_F_TIMEOUT(parameters, are_checked, SLOW)
{
	static const char *const bad[] = {
		"counters=0", "counters=33", "counters=x", "width=15", "width=65",
		"fit=0xa0", "fit=0xa0:0", "fit=0xa0:0x100", "fit=0x10000:1", "fit=:1", "fit=x:1",
		"fit=0xa0:1,0xa1",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_NE(0, sim_load(bad[i], NULL, NULL)) {
			TH_LOG("%s", bad[i]);
		}
		EXPECT_FALSE(sim_loaded());
	}
	EXPECT_EQ(0, sim_load("counters=32", "fit=0xa0:0x80000000", NULL));
	EXPECT_EQ(32, counters_free(0));
	EXPECT_EQ(0, sim_load("counters=1", "width=16", NULL));
	EXPECT_EQ(1, counters_free(0));
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon(4) end to end, with exact values: what PMIOSETUP takes is what the event select register
 * of x86 would count.
 */
#include "sim_test.h"

PROGRAM_NEEDS_SIM();

/* What happens: runs of clocks that are all the same. */
struct run {
	char mode;
	__u8 umask;
	unsigned int clocks;
	unsigned int each;
};

static const struct run runs[] = {
	{ 'u', 1, 10, 2 },
	{ 'u', 1, 5, 0 },
	{ 'k', 1, 7, 3 },
	{ 'k', 2, 3, 1 },
	{ 'u', 3, 4, 1 },
	{ 'k', 1, 2, 0 },
	{ 'u', 2, 3, 5 },
	{ 'k', 0, 6, 1 },
	{ 'u', 1, 1, 255 },
	{ 'u', 1, 2, 254 },
};

static int happen_on(int cpu)
{
	char text[4096] = "";
	unsigned int i;
	size_t n = 0;

	for (i = 0; i < ARRAY_SIZE(runs); i++)
		n += snprintf(text + n, sizeof(text) - n,
			      "cpu=%d event=%#x mode=%c umask=%u clocks=%u each=%u\n", cpu, MANUAL,
			      runs[i].mode, runs[i].umask, runs[i].clocks, runs[i].each);
	return sim_advance("%s", text);
}

/* What the counter does in one clock. */
static __s64 clock_counts(__u8 flags, __u8 mask, unsigned int occurrences, bool *before)
{
	bool now = occurrences > 0, rises;

	if (mask)
		now = flags & PMCF_INV ? occurrences < mask : occurrences >= mask;
	rises = now && !*before;
	*before = now;
	if (flags & PMCF_E)
		return rises;
	return mask ? now : occurrences;
}

/* Clock by clock, as the manual of the processor describes it. */
static __s64 expected(__u8 unit, __u8 flags, __u8 mask)
{
	bool before = false;
	unsigned int i, clock;
	__s64 count = 0;

	for (i = 0; i < ARRAY_SIZE(runs); i++) {
		const struct run *run = &runs[i];

		if (!(flags & (run->mode == 'u' ? PMCF_USR : PMCF_OS)))
			continue;
		if (!(unit & run->umask) && unit != run->umask)
			continue;
		for (clock = 0; clock < run->clocks; clock++)
			count += clock_counts(flags, mask, run->each, &before);
	}
	return count;
}

FIXTURE(fields) {
	int fd;
};

FIXTURE_SETUP(fields)
{
	sim_heal();
	self->fd = device_open(O_RDWR);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pmio_choose_cpu(self->fd, 0));
}

FIXTURE_TEARDOWN(fields)
{
	close(self->fd);
}

/* By hand, so that the model above is not the only witness. */
TEST_F(fields, some_by_hand)
{
	static const struct {
		__u8 unit, flags, mask;
		__s64 count;
	} cases[] = {
		{ 1, BOTH, 0, 20 + 21 + 4 + 255 + 508 },
		{ 1, PMCF_USR, 0, 20 + 4 + 255 + 508 },
		{ 1, PMCF_OS, 0, 21 },
		{ 2, BOTH, 0, 3 + 4 + 15 },
		{ 0, BOTH, 0, 6 },
		{ 1, 0, 0, 0 },
		{ 1, PMCF_USR, 1, 10 + 4 + 3 },
		{ 1, PMCF_USR, 2, 10 + 3 },
		{ 1, PMCF_USR, 255, 1 },
		{ 1, PMCF_USR | PMCF_INV, 1, 5 },
		{ 1, PMCF_USR | PMCF_INV, 2, 5 + 4 },
		{ 1, PMCF_OS | PMCF_INV, 4, 7 + 2 },
		{ 1, PMCF_USR | PMCF_E, 0, 2 },
		{ 1, PMCF_USR | PMCF_E, 2, 2 },
		{ 1, PMCF_USR | PMCF_E, 255, 1 },
		{ 1, PMCF_USR | PMCF_E | PMCF_INV, 255, 2 },
		{ 1, PMCF_USR | PMCF_INV, 0, 20 + 4 + 255 + 508 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		ASSERT_EQ(0, pmio_setup(self->fd, 0, MANUAL, cases[i].unit, cases[i].flags,
					cases[i].mask));
		ASSERT_EQ(0, pmio_start(self->fd, 0));
		ASSERT_EQ(0, happen_on(0));
		EXPECT_EQ(cases[i].count, pmio_value(self->fd, 0)) {
			TH_LOG("case %u", i);
		}
	}
}

TEST_F(fields, every_combination)
{
	static const __u8 masks[] = { 0, 1, 2, 3, 254, 255 };
	static const __u8 bits[] = { PMCF_USR, PMCF_OS, PMCF_E, PMCF_INV };
	unsigned int i, combination, num, n = 0;
	struct { __u8 unit, flags, mask; } c[NPMC];

	/* Unit, flags and mask, as many at a time as there are counters. */
	for (combination = 0; combination < 4 * 16 * ARRAY_SIZE(masks); combination++) {
		c[n].unit = combination & 3;
		c[n].flags = 0;
		for (i = 0; i < ARRAY_SIZE(bits); i++)
			c[n].flags |= combination >> (2 + i) & 1 ? bits[i] : 0;
		c[n].mask = masks[combination >> 6];
		if (++n < NPMC)
			continue;
		n = 0;
		for (num = 0; num < NPMC; num++) {
			ASSERT_EQ(0, pmio_setup(self->fd, num, MANUAL, c[num].unit, c[num].flags,
						c[num].mask));
			ASSERT_EQ(0, pmio_start(self->fd, num));
		}
		ASSERT_EQ(0, happen_on(0));
		for (num = 0; num < NPMC; num++) {
			EXPECT_EQ(expected(c[num].unit, c[num].flags, c[num].mask),
				  pmio_value(self->fd, num)) {
				TH_LOG("unit %u flags %#x mask %u", c[num].unit, c[num].flags,
				       c[num].mask);
			}
		}
	}
}

/* What reaches the hardware is what was asked for, field by field. */
TEST_F(fields, encoding)
{
	struct sim_counter c;

	ASSERT_EQ(0, pmio_setup(self->fd, 0, 0xab, 0xcd, PMCF_USR | PMCF_E | PMCF_INV, 0xef));
	ASSERT_EQ(1, sim_counters(0, &c, 1));
	EXPECT_EQ(0xef84cdab, c.config);
	EXPECT_STREQ("u", c.modes);
	ASSERT_EQ(0, pmio_setup(self->fd, 0, 0xff, 0, PMCF_OS, 0));
	ASSERT_EQ(1, sim_counters(0, &c, 1));
	EXPECT_EQ(0xff, c.config);
	EXPECT_STREQ("k", c.modes);
	ASSERT_EQ(0, pmio_setup(self->fd, 0, 0, 0xff, BOTH, 0xff));
	ASSERT_EQ(1, sim_counters(0, &c, 1));
	EXPECT_EQ(0xff00ff00, c.config);
	EXPECT_STREQ("uk", c.modes);
}

TEST_F(fields, another_event_is_not_counted)
{
	ASSERT_EQ(0, pmio_setup(self->fd, 0, OTHER, 1, BOTH, 0));
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	ASSERT_EQ(0, happen_on(0));
	EXPECT_EQ(0, pmio_value(self->fd, 0));
}

TEST_F(fields, only_what_happens_while_it_runs)
{
	ASSERT_EQ(0, pmio_setup(self->fd, 0, MANUAL, 1, BOTH, 0));
	ASSERT_EQ(0, sim_advance("cpu=0 event=0xa0 umask=1 clocks=1000"));
	EXPECT_EQ(0, pmio_value(self->fd, 0));
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	ASSERT_EQ(0, sim_advance("cpu=0 event=0xa0 umask=1 clocks=3"));
	EXPECT_EQ(3, pmio_value(self->fd, 0));
	ASSERT_EQ(0, pmio_stop(self->fd, 0));
	ASSERT_EQ(0, sim_advance("cpu=0 event=0xa0 umask=1 clocks=1000"));
	EXPECT_EQ(3, pmio_value(self->fd, 0));
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	ASSERT_EQ(0, sim_advance("cpu=0 event=0xa0 umask=1 clocks=4"));
	EXPECT_EQ(7, pmio_value(self->fd, 0));
	/* A start of a running one falls back to the last stop, exactly. */
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	EXPECT_EQ(3, pmio_value(self->fd, 0));
	ASSERT_EQ(0, pmio_reset(self->fd, 0));
	EXPECT_EQ(0, pmio_value(self->fd, 0));
	ASSERT_EQ(0, sim_advance("cpu=0 event=0xa0 umask=1 clocks=5"));
	EXPECT_EQ(5, pmio_value(self->fd, 0));
}

TEST_F(fields, each_cpu_counts_its_own)
{
	NEEDS_TWO_CPUS();
	ASSERT_EQ(0, pmio_choose_cpu(self->fd, -1));
	ASSERT_EQ(0, pmio_setup(self->fd, 0, MANUAL, 1, BOTH, 0));
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	ASSERT_EQ(0, sim_advance("cpu=0 event=0xa0 umask=1 clocks=30"));
	ASSERT_EQ(0, sim_advance("cpu=1 event=0xa0 umask=1 clocks=4"));
	EXPECT_EQ(34, pmio_value(self->fd, 0));
	EXPECT_EQ(30, pmio_on_cpu(self->fd, 0, 0).pmcv_value);
	EXPECT_EQ(4, pmio_on_cpu(self->fd, 0, 1).pmcv_value);
	ASSERT_EQ(0, sim_advance("event=0xa0 umask=1"));
	EXPECT_EQ(34 + cpus_online(), pmio_value(self->fd, 0));
}

TEST_HARNESS_MAIN

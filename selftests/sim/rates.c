// SPDX-License-Identifier: GPL-2.0-only
/* Events of constant rate: what they count is the time between two requests. */
#include "sim_test.h"

PROGRAM_NEEDS_SIM();

/* Architectural events of x86: code, and how many ns one takes. Instructions take half of one. */
static const struct {
	__u8 event, unit;
	unsigned int ns;
} rates[] = {
	{ 0x3c, 0x00, 1 },
	{ 0x2e, 0x4f, 100 },
	{ 0x2e, 0x41, 1000 },
	{ 0xc4, 0x00, 5 },
	{ 0xc5, 0x00, 250 },
	{ 0x3c, 0x01, 10 },
};

FIXTURE(rates) {
	int fd;
};

FIXTURE_SETUP(rates)
{
	sim_heal();
	self->fd = device_open(O_RDWR);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pmio_choose_cpu(self->fd, 0));
}

FIXTURE_TEARDOWN(rates)
{
	close(self->fd);
}

/* A count of so many in a time that was at least this and at most that. */
#define EXPECT_RATE(_count, _ns, _least, _most) do { \
	EXPECT_LE((_least) / (_ns), (__u64)(_count) + 1); \
	EXPECT_GE((_most) / (_ns) + 1, (__u64)(_count)); \
} while (0)

TEST_F(rates, count_the_time)
{
	__u64 before, started, stopping, after;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		ASSERT_EQ(0, pmio_setup(self->fd, 0, rates[i].event, rates[i].unit, BOTH, 0));
		before = now_ns();
		ASSERT_EQ(0, pmio_start(self->fd, 0));
		started = now_ns();
		burn_ms(20);
		stopping = now_ns();
		ASSERT_EQ(0, pmio_stop(self->fd, 0));
		after = now_ns();
		EXPECT_RATE(pmio_value(self->fd, 0), rates[i].ns, stopping - started,
			    after - before);
	}
}

/* Nothing is lost between stops, and nothing is counted twice. */
TEST_F(rates, many_stops)
{
	__u64 outer = 0, inner = 0, t[4];
	int i;

	ASSERT_EQ(0, pmio_setup(self->fd, 0, 0x3c, 0, BOTH, 0));
	for (i = 0; i < 200; i++) {
		t[0] = now_ns();
		ASSERT_EQ(0, pmio_start(self->fd, 0));
		t[1] = now_ns();
		t[2] = now_ns();
		ASSERT_EQ(0, pmio_stop(self->fd, 0));
		t[3] = now_ns();
		outer += t[3] - t[0];
		inner += t[2] - t[1];
	}
	EXPECT_RATE(pmio_value(self->fd, 0), 1, inner, outer);
}

/*
 * Counters of a set are started one after the other, and read so: two of them count the same time,
 * but for as long as the requests took. That is short, unless the machine has something else to do.
 */
static int count_100_ms(struct perfmon_event *events, unsigned int n, struct sample *sample,
			__u64 *apart)
{
	int err, fd = control_open();
	__u64 before = now_ns();

	err = set_program(fd, 0, events, n, PERFMON_SET_STARTED);
	*apart = now_ns() - before;
	burn_ms(100);
	before = now_ns();
	err = err ?: set_read(fd, 0, sample);
	*apart += now_ns() - before;
	close(fd);
	return err;
}

#define EXPECT_APART(_x, _y, _most) EXPECT_GE((__s64)(_most), llabs((__s64)((_x) - (_y))))

/* Even microseconds are user mode and odd ones are kernel mode. */
TEST_F(rates, modes_share_the_time)
{
	struct perfmon_event events[3] = {
		event_of(PERF_TYPE_RAW, 0x3c, PERFMON_EVENT_USER),
		event_of(PERF_TYPE_RAW, 0x3c, PERFMON_EVENT_KERNEL),
		event_of(PERF_TYPE_RAW, 0x3c, ANY_MODE),
	};
	struct sample sample;
	__u64 apart;

	ASSERT_EQ(0, count_100_ms(events, 3, &sample, &apart));
	EXPECT_LT(40000000, sample.value[0]);
	EXPECT_LT(40000000, sample.value[1]);
	EXPECT_APART(sample.value[0] + sample.value[1], sample.value[2], 2 * apart + 2000);
	EXPECT_APART(sample.value[0], sample.value[1], apart + 2000);
}

TEST_F(rates, instructions_are_two_a_cycle)
{
	struct perfmon_event events[2] = {
		event_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, ANY_MODE),
		event_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, ANY_MODE),
	};
	struct sample sample;
	__u64 apart;

	ASSERT_EQ(0, count_100_ms(events, 2, &sample, &apart));
	EXPECT_LE(100000000, sample.value[0]);
	EXPECT_APART(sample.value[1], 2 * sample.value[0], 2 * apart);
	EXPECT_EQ(0, sample.value[1] % 2);
}

/* A clock is a nanosecond, and all of a rate's occurrences are in the first one of its period. */
TEST_F(rates, fields_apply)
{
	static const struct {
		__u8 event, flags, mask;
		unsigned int ns;	/* that one takes, 0: never */
	} cases[] = {
		{ 0xc0, BOTH, 2, 1 },			/* a clock with two */
		{ 0xc0, BOTH, 3, 0 },
		{ 0xc0, BOTH | PMCF_INV, 3, 1 },
		{ 0xc0, BOTH | PMCF_E, 1, 0 },		/* always true */
		{ 0xc4, BOTH | PMCF_E, 1, 5 },
		{ 0xc4, BOTH | PMCF_E | PMCF_INV, 1, 5 },
		{ 0xc4, BOTH, 2, 0 },
		{ 0x3c, 0, 0, 0 },
	};
	__u64 before, started, stopping, after;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		ASSERT_EQ(0, pmio_setup(self->fd, 0, cases[i].event, 0, cases[i].flags,
					cases[i].mask));
		before = now_ns();
		ASSERT_EQ(0, pmio_start(self->fd, 0));
		started = now_ns();
		burn_ms(5);
		stopping = now_ns();
		ASSERT_EQ(0, pmio_stop(self->fd, 0));
		after = now_ns();
		if (!cases[i].ns) {
			EXPECT_EQ(0, pmio_value(self->fd, 0)) {
				TH_LOG("case %u", i);
			}
			continue;
		}
		EXPECT_RATE(pmio_value(self->fd, 0), cases[i].ns, stopping - started,
			    after - before);
	}
}

TEST_F(rates, cannot_be_advanced)
{
	EXPECT_EQ(-EINVAL, sim_advance("event=0x3c"));
	EXPECT_EQ(-EINVAL, sim_advance("event=0x2e umask=0x41"));
	EXPECT_EQ(0, sim_advance("event=0x2e umask=0x42"));
}

/* ---- what debugfs takes ---- */

TEST_F(rates, advance_checks_what_it_is_told)
{
	static const char *const bad[] = {
		"umask=1", "event", "event=", "event=1 umask=", "event=1 mode=x", "event=1 mode=uk",
		"event=1 cpu=-1", "event=1 cpu=100000", "event=1 clocks=-1", "event=1 each=x",
		"event=1 counters=1", "event=1 =1", "nothing=1 event=1", "=",
		"event=1\nevent", "event=1;x",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(-EINVAL, sim_advance("%s", bad[i])) {
			TH_LOG("%s", bad[i]);
		}
	}
	EXPECT_EQ(-ERANGE, sim_advance("event=0x100"));
	EXPECT_EQ(-ERANGE, sim_advance("event=1 umask=256"));
	EXPECT_EQ(-ERANGE, sim_advance("event=1 clocks=0x8000000000000000"));
	EXPECT_EQ(-ERANGE, sim_advance("event=1 clocks=0x100000000 each=0x80000000"));
	EXPECT_EQ(0, sim_advance("event=1 clocks=0 each=0"));
	EXPECT_EQ(0, sim_advance("  event=1\t clocks=2 ;; \n\n event=2"));
	EXPECT_EQ(-EINVAL, sim_set("overflow", "event=1"));
	EXPECT_EQ(0, sim_set("overflow", "cpu=0 counters=0xff"));
}

TEST_HARNESS_MAIN

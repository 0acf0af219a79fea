// SPDX-License-Identifier: GPL-2.0-only
/* Raw sets: any events on one CPU or on all. Software events are counted without a PMU, too. */
#include "perfmon_test.h"

#include <limits.h>
#include <pthread.h>

/* Counts nothing, so that it shows what it started from. */
static struct perfmon_event still(__u64 preset)
{
	struct perfmon_event event = event_soft(PERF_COUNT_SW_DUMMY);

	event.preset = preset;
	return event;
}

static int program_one(int fd, int cpu, struct perfmon_event event)
{
	return set_program(fd, cpu, &event, 1, 0);
}

/* The first value on a CPU; ~0 when it cannot be read. */
static __u64 value_on(int fd, int cpu)
{
	struct sample sample;

	return set_read(fd, cpu, &sample) ? ~0ULL : sample.value[0];
}

/* A record of a set of one event. */
struct record {
	struct perfmon_sample head;
	__u64 value;
};

#define CPUS	64
#define TICK_NS	(NSEC_PER_SEC / 100)	/* as long as any kernel's */

/* Reads all CPUs of such a set; how many there are, or a negative errno. */
static int read_all(int fd, struct record *records)
{
	__u32 bytes = CPUS * sizeof(*records);
	int err = set_read_bytes(fd, -1, records, &bytes);

	return err ?: (int)(bytes / sizeof(*records));
}

FIXTURE(raw) {
	int fd;
	struct perfmon_event any;
};

FIXTURE_SETUP(raw)
{
	self->fd = control_open();
	ASSERT_LE(0, self->fd);
	self->any = event_any();
}

FIXTURE_TEARDOWN(raw)
{
	close(self->fd);
}

/* ---- what can be programmed ---- */

TEST_F(raw, nothing_before_it_is_programmed)
{
	struct sample sample;

	EXPECT_REFUSED(ENOTTY, self->fd, set_start(self->fd));
	EXPECT_REFUSED(ENOTTY, self->fd, set_stop(self->fd));
	EXPECT_REFUSED(ENOTTY, self->fd, set_reset(self->fd));
	EXPECT_REFUSED(ENOTTY, self->fd, set_read(self->fd, 0, &sample));
}

TEST_F(raw, program_checks_its_structure)
{
	struct perfmon_event event = still(0);
	struct perfmon_set good = {
		.size = sizeof(good), .cpu = -1, .nevents = 1, .events = (uintptr_t)&event,
	};
	struct { struct perfmon_set req; __u64 more; } arg = { .req = good };

	EXPECT_REFUSED(EFAULT, self->fd, request(self->fd, PERFMON_IOC_SET_PROGRAM, NULL));
	arg.req.size = 0;
	EXPECT_REFUSED(EINVAL, self->fd, request(self->fd, PERFMON_IOC_SET_PROGRAM, &arg));
	arg.req.size = sizeof(arg.req) - 1;
	EXPECT_REFUSED(EINVAL, self->fd, request(self->fd, PERFMON_IOC_SET_PROGRAM, &arg));
	arg.req.size = sizeof(arg);
	arg.more = 1ULL << 63;
	EXPECT_REFUSED(E2BIG, self->fd, request(self->fd, PERFMON_IOC_SET_PROGRAM, &arg));
	arg.req.size = INT_MAX;
	EXPECT_REFUSED(E2BIG, self->fd, request(self->fd, PERFMON_IOC_SET_PROGRAM, &arg));
	arg.req = good;
	arg.req.flags = 2;
	EXPECT_REFUSED(EINVAL, self->fd, request(self->fd, PERFMON_IOC_SET_PROGRAM, &arg));
	arg.req.flags = 0x80000001;
	EXPECT_REFUSED(EINVAL, self->fd, request(self->fd, PERFMON_IOC_SET_PROGRAM, &arg));
	arg.req = good;
	arg.req.size = sizeof(arg);
	arg.more = 0;
	EXPECT_EQ(0, request(self->fd, PERFMON_IOC_SET_PROGRAM, &arg));
}

TEST_F(raw, number_of_events)
{
	struct perfmon_event events[PERFMON_MAX_EVENTS + 1];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		events[i] = still(i);
	EXPECT_REFUSED(EINVAL, self->fd, set_program(self->fd, 0, events, 0, 0));
	EXPECT_REFUSED(E2BIG, self->fd, set_program(self->fd, 0, events, i, 0));
	EXPECT_REFUSED(E2BIG, self->fd, set_program(self->fd, 0, events, 0xffffffff, 0));
	EXPECT_REFUSED(E2BIG, self->fd, set_program(self->fd, 0, events, 0x08000001, 0));
	EXPECT_REFUSED(EFAULT, self->fd, set_program(self->fd, 0, NULL, 1, 0));
	EXPECT_REFUSED(EFAULT, self->fd,
		       set_program(self->fd, 0, end_of_memory(sizeof(events[0]) + 8), 2, 0));
	EXPECT_EQ(0, set_program(self->fd, 0, events, PERFMON_MAX_EVENTS, 0));
}

TEST_F(raw, events_that_are_none)
{
	struct perfmon_event event = still(0);

	event.flags = 0;
	EXPECT_REFUSED(EINVAL, self->fd, program_one(self->fd, 0, event));
	EXPECT_EQ(0, last_error(self->fd).index);
	event.flags = ANY_MODE | 0x80000000;
	EXPECT_REFUSED(EINVAL, self->fd, program_one(self->fd, 0, event));
	event = event_of(PERF_TYPE_TRACEPOINT, 1, ANY_MODE);
	EXPECT_REFUSED(EINVAL, self->fd, program_one(self->fd, 0, event));
	event = event_of(PERF_TYPE_BREAKPOINT, 0, ANY_MODE);
	EXPECT_REFUSED(EINVAL, self->fd, program_one(self->fd, 0, event));
	event = event_soft(PERF_COUNT_SW_MAX);
	EXPECT_REFUSED(EINVAL, self->fd, program_one(self->fd, 0, event));
	event = event_soft(~0ULL);
	EXPECT_REFUSED(EINVAL, self->fd, program_one(self->fd, 0, event));
	event = event_of(0x7fffffff, 0, ANY_MODE);
	EXPECT_REFUSED(ENXIO, self->fd, program_one(self->fd, 0, event));
	event = event_of(0xffffffff, 0, ANY_MODE);
	EXPECT_REFUSED(ENXIO, self->fd, program_one(self->fd, 0, event));
	event = event_of(PERF_TYPE_HARDWARE, 0xffff, ANY_MODE);
	EXPECT_REFUSED(have_hardware() ? EINVAL : ENXIO, self->fd,
		       program_one(self->fd, 0, event));
	event = event_of(PERF_TYPE_HW_CACHE, 0xffffff, ANY_MODE);
	EXPECT_REFUSED(have_hardware() ? EINVAL : ENXIO, self->fd,
		       program_one(self->fd, 0, event));
}

/* They reach perf through types of their own, and are no counters for that. */
TEST_F(raw, probes)
{
	int type = read_number("/sys/bus/event_source/devices/kprobe/type");
	struct perfmon_event event = event_of(type, 0, ANY_MODE);
	int err;

	NEEDS(type > 0, "this kernel has no probes");
	event.config1 = (uintptr_t)"vfs_read";
	err = program_one(self->fd, 0, event);
	/* It may also be that perf takes none on this machine. */
	EXPECT_TRUE(err == -EOPNOTSUPP || err == -EINVAL);
	EXPECT_EQ(0, last_error(self->fd).index);
	/* And is not left behind in the kernel. */
	EXPECT_EQ(0, holders_count());
	event.config1 = (uintptr_t)BAD_ADDRESS;
	EXPECT_EQ(-EINVAL, program_one(self->fd, 0, event));
}

TEST_F(raw, event_at_fault_is_named)
{
	struct perfmon_event events[4] = { still(0), still(0), still(0), still(0) };

	events[3].flags = 0;
	EXPECT_REFUSED(EINVAL, self->fd, set_program(self->fd, 0, events, 4, 0));
	EXPECT_EQ(3, last_error(self->fd).index);
	events[2].config = PERF_COUNT_SW_MAX;
	events[3] = still(0);
	EXPECT_REFUSED(EINVAL, self->fd, set_program(self->fd, 0, events, 4, 0));
	EXPECT_EQ(2, last_error(self->fd).index);
	EXPECT_EQ(0, last_error(self->fd).cpu);
}

TEST_F(raw, cpus_that_do_not_exist)
{
	int bad[] = { -2, INT_MIN, INT_MAX, machine().ncpus };
	struct sample sample;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_REFUSED(EINVAL, self->fd, program_one(self->fd, bad[i], still(0)));
		EXPECT_EQ(bad[i], last_error(self->fd).cpu);
	}
	ASSERT_EQ(0, program_one(self->fd, -1, still(0)));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_REFUSED(EINVAL, self->fd, set_read(self->fd, bad[i], &sample));
		EXPECT_EQ(bad[i], last_error(self->fd).cpu);
	}
}

/* ---- one CPU and all ---- */

TEST_F(raw, stopped_until_it_is_started)
{
	struct sample sample;

	self->any.preset = 17;
	ASSERT_EQ(0, program_one(self->fd, 0, self->any));
	burn_ms(1);
	memset(&sample, PATTERN, sizeof(sample));
	ASSERT_EQ(0, set_read(self->fd, 0, &sample));
	EXPECT_EQ(1, sample.head.nr);
	EXPECT_EQ(0, sample.head.bad);
	EXPECT_EQ(0, sample.head.cpu);
	EXPECT_EQ(PERFMON_STATE_OFF, sample.head.state);
	EXPECT_EQ(0, sample.head.ticks);
	EXPECT_EQ(17, sample.value[0]);
	ASSERT_EQ(0, set_start(self->fd));
	ASSERT_EQ(0, set_read(self->fd, 0, &sample));
	EXPECT_EQ(PERFMON_STATE_COUNTING, sample.head.state);
	EXPECT_LE(17, sample.value[0]);
}

TEST_F(raw, started_with_the_program)
{
	struct sample first, second;

	ASSERT_EQ(0, set_program(self->fd, 0, &self->any, 1, PERFMON_SET_STARTED));
	ASSERT_EQ(0, set_read(self->fd, 0, &first));
	EXPECT_EQ(PERFMON_STATE_COUNTING, first.head.state);
	ASSERT_EQ(0, bind_cpu(0));
	burn_ms(1);
	ASSERT_EQ(0, set_read(self->fd, 0, &second));
	EXPECT_LT(first.value[0], second.value[0]);
}

TEST_F(raw, stop_start_reset)
{
	__u64 stopped, running;

	ASSERT_EQ(0, bind_cpu(0));
	self->any.preset = 1000;
	ASSERT_EQ(0, set_program(self->fd, 0, &self->any, 1, PERFMON_SET_STARTED));
	burn_ms(1);
	ASSERT_EQ(0, set_stop(self->fd));
	stopped = value_on(self->fd, 0);
	EXPECT_LT(1000, stopped);
	burn_ms(1);
	ASSERT_EQ(0, set_stop(self->fd));
	EXPECT_EQ(stopped, value_on(self->fd, 0));

	ASSERT_EQ(0, set_start(self->fd));
	burn_ms(100);
	running = value_on(self->fd, 0);
	EXPECT_LT(stopped, running);
	/* A second start falls back to the last stop. */
	ASSERT_EQ(0, set_start(self->fd));
	EXPECT_LE(stopped, value_on(self->fd, 0));
	EXPECT_GT(running, value_on(self->fd, 0));

	burn_ms(100);
	running = value_on(self->fd, 0);
	ASSERT_EQ(0, set_reset(self->fd));
	EXPECT_GT(running, value_on(self->fd, 0));
	EXPECT_LT(0, value_on(self->fd, 0));
	ASSERT_EQ(0, set_stop(self->fd));
	ASSERT_EQ(0, set_reset(self->fd));
	EXPECT_EQ(0, value_on(self->fd, 0));
}

TEST_F(raw, one_cpu_is_read_from_any)
{
	int cpu, from, n = cpus_online();
	struct sample sample;

	for (cpu = 0; cpu < n; cpu++) {
		ASSERT_EQ(0, program_one(self->fd, cpu, still(100 + cpu)));
		ASSERT_EQ(0, set_start(self->fd));
		for (from = 0; from < n; from++) {
			ASSERT_EQ(0, bind_cpu(from));
			ASSERT_EQ(0, set_read(self->fd, cpu, &sample));
			EXPECT_EQ(cpu, sample.head.cpu);
			EXPECT_EQ(PERFMON_STATE_COUNTING, sample.head.state);
			EXPECT_EQ(100 + cpu, sample.value[0]);
		}
	}
}

TEST_F(raw, cpu_that_is_not_the_sets)
{
	struct sample sample;

	NEEDS_TWO_CPUS();
	ASSERT_EQ(0, program_one(self->fd, 1, still(0)));
	EXPECT_REFUSED(ENXIO, self->fd, set_read(self->fd, 0, &sample));
	EXPECT_EQ(0, last_error(self->fd).cpu);
	EXPECT_TRUE(last_error_says(self->fd, "no counters on CPU 0"));
	EXPECT_EQ(0, set_read(self->fd, 1, &sample));
}

TEST_F(raw, all_cpus_in_one_call)
{
	struct record records[CPUS];
	int i, round, n = cpus_online();
	uint64_t before, last = 0;

	self->any.preset = 5;
	ASSERT_EQ(0, set_program(self->fd, -1, &self->any, 1, PERFMON_SET_STARTED));
	for (round = 0; round < 500; round++) {
		ASSERT_EQ(0, bind_cpu(round % n));
		before = now_ns();
		memset(records, PATTERN, sizeof(records));
		ASSERT_EQ(n, read_all(self->fd, records));
		EXPECT_LE(before, records[0].head.time);
		EXPECT_GE(now_ns(), records[0].head.time);
		EXPECT_LT(last, records[0].head.time);
		last = records[0].head.time;
		for (i = 0; i < n; i++) {
			EXPECT_EQ(i, records[i].head.cpu);
			EXPECT_EQ(1, records[i].head.nr);
			EXPECT_EQ(0, records[i].head.bad);
			EXPECT_EQ(PERFMON_STATE_COUNTING, records[i].head.state);
			EXPECT_EQ(last, records[i].head.time);
			EXPECT_LE(5, records[i].value);
		}
		ASSERT_TRUE(untouched(&records[n], (CPUS - n) * sizeof(records[0])));
	}
}

TEST_F(raw, all_cpus_agree_with_each_of_them)
{
	struct record records[CPUS];
	struct sample sample;
	int i, n;

	ASSERT_EQ(0, set_program(self->fd, -1, &self->any, 1, PERFMON_SET_STARTED));
	burn_ms(1);
	ASSERT_EQ(0, set_stop(self->fd));
	n = read_all(self->fd, records);
	ASSERT_EQ(cpus_online(), n);
	for (i = 0; i < n; i++) {
		ASSERT_EQ(0, set_read(self->fd, i, &sample));
		EXPECT_EQ(PERFMON_STATE_OFF, sample.head.state);
		EXPECT_EQ(records[i].value, sample.value[0]);
		EXPECT_EQ(records[i].head.ticks, sample.head.ticks);
	}
}

TEST_F(raw, never_goes_backwards)
{
	struct record last[CPUS], next[CPUS];
	int i, round, n;

	ASSERT_EQ(0, set_program(self->fd, -1, &self->any, 1, PERFMON_SET_STARTED));
	n = read_all(self->fd, last);
	ASSERT_LT(0, n);
	for (round = 0; round < 1000; round++) {
		ASSERT_EQ(n, read_all(self->fd, next));
		for (i = 0; i < n; i++) {
			ASSERT_LE(last[i].value, next[i].value);
			ASSERT_LE(last[i].head.ticks, next[i].head.ticks);
		}
		memcpy(last, next, sizeof(last));
	}
}

/* What perf itself counted from before to after is no less, and from inside to inside no more. */
TEST_F(raw, counts_as_perf_does)
{
	__u64 p[4], ours;
	int cpu, perf;

	for (cpu = 0; cpu < cpus_online(); cpu++) {
		perf = perf_open(self->any.type, self->any.config, cpu, true);
		ASSERT_LE(0, perf);
		ASSERT_EQ(0, program_one(self->fd, cpu, self->any));
		ASSERT_EQ(8, read(perf, &p[0], 8));
		ASSERT_EQ(0, set_start(self->fd));
		ASSERT_EQ(8, read(perf, &p[1], 8));
		burn_ms(20);
		ASSERT_EQ(8, read(perf, &p[2], 8));
		ASSERT_EQ(0, set_stop(self->fd));
		ASSERT_EQ(8, read(perf, &p[3], 8));
		ours = value_on(self->fd, cpu);
		EXPECT_GE(p[3] - p[0], ours);
		EXPECT_LE(p[2] - p[1], ours);
		close(perf);
	}
}

/* ---- room ---- */

TEST_F(raw, room_for_whole_records)
{
	int n = cpus_online();
	__u32 bytes, need = n * sample_size(3), one = sample_size(3);
	unsigned char buffer[4096];

	ASSERT_LE(need + 64, sizeof(buffer));
	ASSERT_EQ(0, set_program_same(self->fd, -1, still(3), 3));
	for (bytes = 0; bytes <= need + 64; bytes += 8) {
		__u32 got = bytes, whole = bytes < need ? bytes / one * one : need;

		memset(buffer, PATTERN, sizeof(buffer));
		ASSERT_EQ(0, set_read_bytes(self->fd, -1, buffer, &got));
		EXPECT_EQ(need, got);
		EXPECT_TRUE(untouched(buffer + whole, sizeof(buffer) - whole));
		EXPECT_TRUE(!whole || ((struct sample *)buffer)->value[2] == 3);
		EXPECT_TRUE(whole != need ||
			    ((struct sample *)(buffer + need - one))->head.cpu == n - 1);
	}
}

TEST_F(raw, room_for_one_cpu)
{
	unsigned int n;
	__u32 bytes, got;
	unsigned char buffer[512];

	for (n = 1; n <= 12; n++) {
		ASSERT_EQ(0, set_program_same(self->fd, 0, still(n), n));
		for (bytes = 0; bytes <= 256; bytes += 4) {
			got = bytes;
			memset(buffer, PATTERN, sizeof(buffer));
			ASSERT_EQ(0, set_read_bytes(self->fd, 0, buffer, &got));
			ASSERT_EQ(sample_size(n), got);
			/* Beyond what there is room for, and where there is too little. */
			ASSERT_TRUE(untouched(buffer + bytes, sizeof(buffer) - bytes));
			if (bytes < got) {
				ASSERT_TRUE(untouched(buffer, bytes));
				continue;
			}
			ASSERT_EQ(n, ((struct sample *)buffer)->value[n - 1]);
			ASSERT_TRUE(zeroed_or_untouched(buffer + got, bytes - got));
		}
	}
}

TEST_F(raw, memory_that_ends)
{
	__u32 bytes, one = sample_size(2), need = cpus_online() * one;

	ASSERT_EQ(0, set_program_same(self->fd, -1, still(0), 2));
	bytes = one;
	EXPECT_EQ(0, set_read_bytes(self->fd, 0, end_of_memory(one), &bytes));
	bytes = need;
	EXPECT_EQ(0, set_read_bytes(self->fd, -1, end_of_memory(need), &bytes));
	bytes = one;
	EXPECT_REFUSED(EFAULT, self->fd,
		       set_read_bytes(self->fd, 0, end_of_memory(one - 8), &bytes));
	bytes = need;
	EXPECT_REFUSED(EFAULT, self->fd,
		       set_read_bytes(self->fd, -1, end_of_memory(need - 8), &bytes));
	bytes = 0xffffffff;
	EXPECT_REFUSED(EFAULT, self->fd, set_read_bytes(self->fd, 0, BAD_ADDRESS, &bytes));
	bytes = 0xffffffff;
	EXPECT_REFUSED(EFAULT, self->fd, set_read_bytes(self->fd, -1, BAD_ADDRESS, &bytes));
	/* Without room nothing is written, so the address does not matter. */
	bytes = 0;
	EXPECT_EQ(0, set_read_bytes(self->fd, -1, BAD_ADDRESS, &bytes));
	EXPECT_EQ(need, bytes);
	bytes = 0;
	EXPECT_EQ(0, set_read_bytes(self->fd, 0, BAD_ADDRESS, &bytes));
	EXPECT_EQ(one, bytes);
}

TEST_F(raw, read_checks_its_structure)
{
	struct { struct perfmon_read req; __u64 more; } arg = {
		.req = { .size = sizeof(arg), .cpu = -1 },
	};

	ASSERT_EQ(0, program_one(self->fd, -1, still(0)));
	EXPECT_EQ(0, request(self->fd, PERFMON_IOC_SET_READ, &arg));
	EXPECT_EQ(cpus_online() * sample_size(1), arg.req.bytes);
	arg.more = 1;
	EXPECT_REFUSED(E2BIG, self->fd, request(self->fd, PERFMON_IOC_SET_READ, &arg));
	arg.req.size = sizeof(arg.req) - 4;
	EXPECT_REFUSED(EINVAL, self->fd, request(self->fd, PERFMON_IOC_SET_READ, &arg));
	arg.req.size = sizeof(arg.req);
	arg.req.flags = 1;
	EXPECT_REFUSED(EINVAL, self->fd, request(self->fd, PERFMON_IOC_SET_READ, &arg));
	EXPECT_REFUSED(EFAULT, self->fd, request(self->fd, PERFMON_IOC_SET_READ, NULL));
}

/* ---- programming again ---- */

TEST_F(raw, program_replaces)
{
	struct record records[CPUS];
	struct sample sample;

	ASSERT_EQ(0, set_program_same(self->fd, 0, still(1), 12));
	ASSERT_EQ(0, set_program_same(self->fd, -1, still(2), 1));
	ASSERT_EQ(cpus_online(), read_all(self->fd, records));
	EXPECT_EQ(2, records[0].value);
	ASSERT_EQ(0, set_program_same(self->fd, 0, still(3), 2));
	ASSERT_EQ(0, set_read(self->fd, 0, &sample));
	EXPECT_EQ(2, sample.head.nr);
	EXPECT_EQ(3, sample.value[1]);
}

TEST_F(raw, refusal_leaves_a_usable_file)
{
	struct sample sample;

	ASSERT_EQ(0, set_program_same(self->fd, 0, still(1), 2));
	EXPECT_EQ(-EINVAL, program_one(self->fd, 0, event_soft(PERF_COUNT_SW_MAX)));
	EXPECT_REFUSED(EINVAL, self->fd, set_read(self->fd, 0, &sample));
	EXPECT_REFUSED(EINVAL, self->fd, set_read(self->fd, -1, &sample));
	EXPECT_REFUSED(EINVAL, self->fd, set_start(self->fd));
	EXPECT_REFUSED(EINVAL, self->fd, set_stop(self->fd));
	EXPECT_REFUSED(EINVAL, self->fd, set_reset(self->fd));
	EXPECT_EQ(0, holders_count());
	ASSERT_EQ(0, program_one(self->fd, 0, still(8)));
	EXPECT_EQ(8, value_on(self->fd, 0));
	EXPECT_EQ(1, holders_count());
}

/* Also when the very first one is refused: it cannot become anything else, but programmed. */
TEST_F(raw, first_refusal_leaves_a_usable_file)
{
	EXPECT_EQ(-EINVAL, program_one(self->fd, 0, event_soft(PERF_COUNT_SW_MAX)));
	ASSERT_EQ(0, program_one(self->fd, 0, still(8)));
	EXPECT_EQ(8, value_on(self->fd, 0));
}

TEST_F(raw, all_or_nothing)
{
	unsigned int all = counters_free(0);

	NEEDS_HARDWARE();
	EXPECT_REFUSED(EBUSY, self->fd,
		       set_program_same(self->fd, 0, event_cycles(ANY_MODE), all + 1));
	EXPECT_EQ((int)all, last_error(self->fd).index);
	EXPECT_EQ(0, last_error(self->fd).cpu);
	EXPECT_EQ(all, counters_free(0));
	EXPECT_EQ(0, set_program_same(self->fd, -1, event_cycles(ANY_MODE), all));
	EXPECT_EQ(0, counters_free(0));
	EXPECT_EQ(0, counters_free(cpus_online() - 1));
	/* In place of what it has itself. */
	EXPECT_EQ(0, set_program_same(self->fd, -1, event_cycles(ANY_MODE), all));
}

TEST_F(raw, all_cpus_or_none)
{
	unsigned int all = counters_free(0);
	struct perf_events perf;

	NEEDS_HARDWARE();
	NEEDS_TWO_CPUS();
	perf_take_all(&perf, 1);
	EXPECT_REFUSED(EBUSY, self->fd,
		       set_program_same(self->fd, -1, event_cycles(ANY_MODE), 1));
	EXPECT_EQ(1, last_error(self->fd).cpu);
	EXPECT_EQ(all, counters_free(0));
	EXPECT_EQ(0, set_program_same(self->fd, 0, event_cycles(ANY_MODE), all));
	perf_close(&perf);
}

TEST_F(raw, contended_counter_says_so)
{
	unsigned int all = counters_free(0);
	struct perf_events perf;
	struct sample sample, later;

	NEEDS_HARDWARE();
	for (perf.n = 0; perf.n < 3; perf.n++) {
		perf.fd[perf.n] = perf_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0,
					    false);
		ASSERT_LE(0, perf.fd[perf.n]);
	}
	ASSERT_EQ(0, set_program_same(self->fd, 0, event_cycles(ANY_MODE), all));
	while (perf.n) {
		ASSERT_EQ(0, ioctl(perf.fd[--perf.n], PERF_EVENT_IOC_ENABLE, 0));
	}
	ASSERT_EQ(0, set_read(self->fd, 0, &sample));
	EXPECT_EQ(PERFMON_STATE_CONTENDED, sample.head.state);
	EXPECT_EQ(7U << (all - 3), sample.head.bad);
	ASSERT_EQ(0, set_read(self->fd, -1, &later));
	EXPECT_EQ(PERFMON_STATE_CONTENDED, later.head.state);
	EXPECT_EQ(7U << (all - 3), later.head.bad);
	EXPECT_EQ(sample.value[all - 1], later.value[all - 1]);

	/* What was counted is kept, whether a new start is refused or not, and so is the mark. */
	EXPECT_REFUSED(EBUSY, self->fd, set_start(self->fd));
	EXPECT_EQ(0, last_error(self->fd).cpu);
	ASSERT_EQ(0, set_read(self->fd, 0, &sample));
	EXPECT_EQ(PERFMON_STATE_CONTENDED, sample.head.state);
	EXPECT_EQ(7U << (all - 3), sample.head.bad);
	EXPECT_EQ(later.value[all - 1], sample.value[all - 1]);
	EXPECT_LE(later.value[0], sample.value[0]);
	perf.n = 3;
	perf_close(&perf);
	EXPECT_EQ(0, set_start(self->fd));
	ASSERT_EQ(0, set_read(self->fd, 0, &later));
	EXPECT_EQ(PERFMON_STATE_CONTENDED, later.head.state);
	EXPECT_LE(sample.value[0], later.value[0]);
	EXPECT_LE(sample.value[all - 1], later.value[all - 1]);
	EXPECT_EQ(0, set_reset(self->fd));
	ASSERT_EQ(0, set_read(self->fd, 0, &sample));
	EXPECT_EQ(PERFMON_STATE_COUNTING, sample.head.state);
	EXPECT_EQ(0, sample.head.bad);
}

/* A set that comes back places itself behind those who came meanwhile. */
TEST_F(raw, start_takes_nothing_from_others)
{
	unsigned int all = counters_free(0);
	int perf, other = control_open();
	struct sample sample;

	NEEDS_HARDWARE();
	perf = perf_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, false);
	ASSERT_LE(0, perf);
	ASSERT_EQ(0, set_program_same(self->fd, 0, event_cycles(ANY_MODE), all));
	ASSERT_EQ(0, ioctl(perf, PERF_EVENT_IOC_ENABLE, 0));
	close(perf);
	/* The counter that perf had is free, and the set above does not know yet. */
	ASSERT_EQ(0, set_program_same(other, 0, event_cycles(ANY_MODE), 1));
	EXPECT_REFUSED(EBUSY, self->fd, set_start(self->fd));
	ASSERT_EQ(0, set_read(other, 0, &sample));
	EXPECT_EQ(PERFMON_STATE_COUNTING, sample.head.state);
	EXPECT_EQ(0, set_start(other));
	close(other);
	EXPECT_EQ(0, set_start(self->fd));
}

/* ---- software events, of which it is known how often they happened ---- */

static void touch_fresh_pages(struct __test_metadata *_metadata, int n)
{
	long page = sysconf(_SC_PAGESIZE);
	volatile char *map;
	int i;

	map = mmap(NULL, n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_TRUE(map != MAP_FAILED);
	madvise((void *)map, n * page, MADV_NOHUGEPAGE);
	for (i = 0; i < n; i++)
		map[i * page] = 1;
	munmap((void *)map, n * page);
}

/* Nobody else runs on the CPU meanwhile, so the number is exact. */
TEST_F(raw, page_faults_are_counted)
{
	struct perfmon_event event = event_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS,
					      PERFMON_EVENT_USER);
	int cpu, n;
	__u64 before, after;

	ASSERT_EQ(0, be_alone());
	for (cpu = 0; cpu < cpus_online(); cpu++) {
		ASSERT_EQ(0, bind_cpu(cpu));
		ASSERT_EQ(0, set_program(self->fd, cpu, &event, 1, PERFMON_SET_STARTED));
		/* What the code itself needs is there after a first time. */
		touch_fresh_pages(_metadata, 1);
		before = value_on(self->fd, cpu);
		for (n = 0; n <= 256; n += 64) {
			before = value_on(self->fd, cpu);
			if (n)
				touch_fresh_pages(_metadata, n);
			after = value_on(self->fd, cpu);
			EXPECT_EQ(n, after - before);
		}
	}
}

TEST_F(raw, page_faults_elsewhere_are_not)
{
	struct perfmon_event event = event_soft(PERF_COUNT_SW_PAGE_FAULTS);
	struct record before[CPUS], after[CPUS];
	__u64 here, there;

	NEEDS_TWO_CPUS();
	ASSERT_EQ(0, be_alone());
	ASSERT_EQ(0, bind_cpu(1));
	ASSERT_EQ(0, set_program(self->fd, -1, &event, 1, PERFMON_SET_STARTED));
	ASSERT_LE(2, read_all(self->fd, before));
	touch_fresh_pages(_metadata, 2000);
	ASSERT_LE(2, read_all(self->fd, after));
	here = after[1].value - before[1].value;
	there = after[0].value - before[0].value;
	EXPECT_LE(2000, here);
	EXPECT_GT(2000, there);
}

struct ping_pong {
	int to[2], from[2];
	int rounds;
};

static void *pong(void *arg)
{
	struct ping_pong *p = arg;
	char byte;

	while (read(p->to[0], &byte, 1) == 1)
		if (write(p->from[1], &byte, 1) != 1)
			break;
	return NULL;
}

TEST_F(raw, context_switches_are_counted)
{
	struct perfmon_event event = event_soft(PERF_COUNT_SW_CONTEXT_SWITCHES);
	int i, cpu = cpus_online() - 1;
	struct ping_pong p;
	pthread_t thread;
	__u64 before, after;
	char byte = 0;

	ASSERT_EQ(0, bind_cpu(cpu));
	ASSERT_EQ(0, be_alone());
	ASSERT_EQ(0, pipe(p.to));
	ASSERT_EQ(0, pipe(p.from));
	ASSERT_EQ(0, set_program(self->fd, cpu, &event, 1, PERFMON_SET_STARTED));
	ASSERT_EQ(0, pthread_create(&thread, NULL, pong, &p));
	before = value_on(self->fd, cpu);
	for (i = 0; i < 200; i++) {
		ASSERT_EQ(1, write(p.to[1], &byte, 1));
		ASSERT_EQ(1, read(p.from[0], &byte, 1));
	}
	after = value_on(self->fd, cpu);
	close(p.to[1]);
	pthread_join(thread, NULL);
	/* There and back, and not much besides. */
	EXPECT_LE(2 * 200, after - before);
	EXPECT_GE(3 * 200, after - before);
}

TEST_F(raw, cpu_clock_is_the_time_between)
{
	struct perfmon_event event = event_soft(PERF_COUNT_SW_CPU_CLOCK);
	uint64_t t[4], value;
	int cpu = cpus_online() - 1;

	ASSERT_EQ(0, program_one(self->fd, cpu, event));
	t[0] = now_ns();
	ASSERT_EQ(0, set_start(self->fd));
	t[1] = now_ns();
	burn_ms(200);
	t[2] = now_ns();
	ASSERT_EQ(0, set_stop(self->fd));
	t[3] = now_ns();
	value = value_on(self->fd, cpu);
	/*
	 * Two clocks of the kernel, one of which is adjusted. The other is corrected with each tick
	 * where the CPU's is not reliable, and may be off by most of one in between, at both ends.
	 */
	EXPECT_LE((t[2] - t[1]) * 95 / 100, value + 2 * TICK_NS);
	EXPECT_GE((t[3] - t[0]) * 105 / 100 + 2 * TICK_NS, value);
}

TEST_F(raw, every_software_event)
{
	struct sample first, second;
	__u64 config;

	for (config = 0; config < PERF_COUNT_SW_MAX; config++) {
		struct perfmon_event event = event_soft(config);

		ASSERT_EQ(0, set_program(self->fd, 0, &event, 1, PERFMON_SET_STARTED));
		ASSERT_EQ(0, set_read(self->fd, 0, &first));
		ASSERT_EQ(0, set_read(self->fd, 0, &second));
		EXPECT_EQ(PERFMON_STATE_COUNTING, second.head.state);
		EXPECT_LE(first.value[0], second.value[0]);
	}
}

TEST_F(raw, hardware_and_software_together)
{
	struct perfmon_event events[] = {
		event_soft(PERF_COUNT_SW_CPU_CLOCK), event_cycles(ANY_MODE), still(77),
		event_cycles(PERFMON_EVENT_USER),
	};
	struct sample sample;

	NEEDS_HARDWARE();
	ASSERT_EQ(0, bind_cpu(0));
	ASSERT_EQ(0, set_program(self->fd, 0, events, ARRAY_SIZE(events), PERFMON_SET_STARTED));
	burn_ms(1);
	ASSERT_EQ(0, set_read(self->fd, 0, &sample));
	EXPECT_EQ(4, sample.head.nr);
	EXPECT_LT(0, sample.value[0]);
	EXPECT_LT(sample.value[3], sample.value[1]);
	EXPECT_EQ(77, sample.value[2]);
	EXPECT_LT(0, sample.value[3]);
}

/* ---- several threads at one set ---- */

struct crowd {
	int fd;
	int cpu;		/* what the thread reads */
	atomic_bool stop;
	atomic_int reads;
	int unexpected;
};

/* The sets that alternate have one value of 111, or ten of 333. */
static bool is_one_of_two(const struct perfmon_sample *s)
{
	unsigned int i;

	if (s->bad || (s->state != PERFMON_STATE_COUNTING && s->state != PERFMON_STATE_OFF))
		return false;
	if (s->nr == 1)
		return s->value[0] == 111;
	for (i = 0; i < s->nr; i++)
		if (s->value[i] != 333)
			return false;
	return s->nr == 10;
}

static bool all_are_one_of_two(const unsigned char *buffer, __u32 bytes)
{
	const struct perfmon_sample *s = (const void *)buffer;
	__u32 size = sample_size(s->nr);
	__u32 at;

	if (bytes % size)
		return false;
	for (at = 0; at < bytes; at += size)
		if (!is_one_of_two((const void *)(buffer + at)))
			return false;
	return true;
}

#define GROUP	31

/* A group of one hardware counter and many events that need none, all of them disabled. */
static int open_group(int *fd, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
	};
	int i;

	fd[0] = perf_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, cpu, false);
	if (fd[0] < 0)
		return fd[0];
	for (i = 1; i < GROUP; i++) {
		fd[i] = syscall(SYS_perf_event_open, &attr, -1, cpu, fd[0], PERF_FLAG_FD_CLOEXEC);
		if (fd[i] < 0)
			return -errno;
	}
	return 0;
}

/*
 * With each event of a group that is enabled, perf takes all counters of the CPU away and brings
 * them back, so that for who looks from elsewhere they are away half of the time.
 */
static void *move_all_the_time(void *arg)
{
	struct crowd *crowd = arg;
	int i, fd[GROUP];

	memset(fd, -1, sizeof(fd));
	bind_cpu(crowd->cpu);
	if (open_group(fd, crowd->cpu))
		crowd->unexpected++;
	while (!crowd->stop) {
		if (ioctl(fd[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) ||
		    ioctl(fd[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP))
			crowd->unexpected++;
		crowd->reads++;
	}
	for (i = 0; i < GROUP; i++)
		close(fd[i]);
	return NULL;
}

/* Who has counters enough need not care who else has some: perf moves all of them for a moment. */
TEST_F_TIMEOUT(raw, others_come_and_go_on_the_cpu, SLOW)
{
	struct perfmon_event events[] = {
		event_soft(PERF_COUNT_SW_CPU_CLOCK), event_cycles(ANY_MODE),
		event_cycles(ANY_MODE), event_cycles(ANY_MODE), event_cycles(ANY_MODE),
	};
	struct crowd crowd = { .cpu = 1 };
	struct sample sample;
	pthread_t thread;
	uint64_t before;
	unsigned int i;
	int fd;

	NEEDS_HARDWARE();
	NEEDS_TWO_CPUS();
	NEEDS(counters_free(1) >= 6, "CPU 1 has too few counters");
	/* The more there are, the longer the moment. */
	ASSERT_EQ(0, set_program(self->fd, 1, events, ARRAY_SIZE(events), PERFMON_SET_STARTED));
	ASSERT_EQ(0, bind_cpu(0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, move_all_the_time, &crowd));
	while (!crowd.reads)
		sched_yield();
	for (i = 0; i < 300; i++) {
		fd = control_open();
		EXPECT_EQ(0, set_program_same(fd, 1, event_cycles(ANY_MODE), 1));
		EXPECT_EQ(0, set_start(self->fd));
		close(fd);
	}
	crowd.stop = true;
	pthread_join(thread, NULL);
	EXPECT_EQ(0, crowd.unexpected);
	/*
	 * A start falls back to the last stop, and there was none. One that had mistaken the set's
	 * counters for lost, and placed them anew without being refused, would have made one.
	 */
	before = now_ns();
	EXPECT_EQ(0, set_start(self->fd));
	EXPECT_EQ(0, set_read(self->fd, 1, &sample));
	/* See cpu_clock_is_the_time_between. */
	EXPECT_GE((now_ns() - before) * 105 / 100 + 2 * TICK_NS, sample.value[0]);
}

static void *read_all_the_time(void *arg)
{
	struct crowd *crowd = arg;
	unsigned char buffer[CPUS * 112] __attribute__((aligned(8)));
	__u32 bytes;
	int err;

	while (!crowd->stop) {
		bytes = sizeof(buffer);
		err = set_read_bytes(crowd->fd, crowd->cpu, buffer, &bytes);
		if (err ? err != -EINVAL : !all_are_one_of_two(buffer, bytes))
			crowd->unexpected++;
		crowd->reads += !err;
	}
	return NULL;
}

TEST_F(raw, many_read_while_one_changes)
{
	struct crowd crowd[3] = {
		{ .fd = self->fd, .cpu = 0 },
		{ .fd = self->fd, .cpu = cpus_online() - 1 },
		{ .fd = self->fd, .cpu = -1 },
	};
	pthread_t thread[ARRAY_SIZE(crowd)];
	unsigned int i;

	ASSERT_EQ(0, set_program_same(self->fd, -1, still(111), 1));
	for (i = 0; i < ARRAY_SIZE(crowd); i++) {
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, read_all_the_time, &crowd[i]));
	}
	/* On few CPUs it may be all over before a thread has had its first turn. */
	for (i = 0; i < ARRAY_SIZE(crowd); i++)
		while (!crowd[i].reads)
			sched_yield();
	for (i = 0; i < 200; i++) {
		if (i % 20 == 19) {
			EXPECT_EQ(0, set_program_same(self->fd, -1, still(i % 40 == 19 ? 333 : 111),
						      i % 40 == 19 ? 10 : 1));
		} else {
			EXPECT_EQ(0, i % 2 ? set_start(self->fd) : set_stop(self->fd));
		}
	}
	for (i = 0; i < ARRAY_SIZE(crowd); i++) {
		crowd[i].stop = true;
		pthread_join(thread[i], NULL);
		EXPECT_EQ(0, crowd[i].unexpected);
	}
}

TEST_HARNESS_MAIN

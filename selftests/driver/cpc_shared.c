// SPDX-License-Identifier: GPL-2.0-only
/* Shared cpc sets: one holder a CPU, who must be bound to it. The rules of cpc_shared_open(3). */
#include "perfmon_test.h"

#include <pthread.h>

PROGRAM_NEEDS_HARDWARE();

#define HOLDER_NAME	"holder-of-a-cpu"	/* as long as a name can be */

/* In a process of its own: holds the CPU of that number. */
static int hold(int sock, void *arg)
{
	int fd;

	(void)sock;
	if (prctl(PR_SET_NAME, HOLDER_NAME) || bind_cpu(*(int *)arg))
		return -1;
	fd = control_open();
	return fd < 0 ? fd : shared_open(fd);
}

/* Opens the CPU that the caller is bound to for as long as it takes; 0 or a negative errno. */
static int try_shared(void)
{
	int fd = control_open();
	int err = shared_open(fd);

	close(fd);
	return err < 0 ? err : 0;
}

static struct perfmon_event nothing(__u64 preset)
{
	struct perfmon_event event = event_of(PERF_TYPE_RAW, RAW_NOTHING, ANY_MODE);

	event.preset = preset;
	return event;
}

FIXTURE(cpc) {
	int fd;		/* holds CPU 0, to which the test is bound */
	int cpu;
};

FIXTURE_SETUP(cpc)
{
	ASSERT_EQ(0, bind_cpu(0));
	self->fd = control_open();
	ASSERT_LE(0, self->fd);
	self->cpu = shared_open(self->fd);
	ASSERT_EQ(0, self->cpu);
}

FIXTURE_TEARDOWN(cpc)
{
	close(self->fd);
}

/* ---- open ---- */

TEST(open_needs_a_bound_thread)
{
	int fd = control_open();

	NEEDS_TWO_CPUS();
	ASSERT_EQ(0, unbind_cpu());
	EXPECT_REFUSED(EINVAL, fd, shared_open(fd));
	EXPECT_TRUE(last_error_says(fd, "bound to one CPU"));
	ASSERT_EQ(0, bind_cpu(1));
	EXPECT_EQ(1, shared_open(fd));
	close(fd);
}

TEST(open_checks_its_structure)
{
	struct { struct cpc_shared_open req; __u64 more; } arg = { .req = { .size = sizeof(arg) } };
	int fd = control_open();
	void *told;

	ASSERT_EQ(0, bind_cpu(0));
	EXPECT_REFUSED(EFAULT, fd, request(fd, CPC_IOC_SHARED_OPEN, NULL));
	arg.more = 1;
	EXPECT_REFUSED(E2BIG, fd, request(fd, CPC_IOC_SHARED_OPEN, &arg));
	arg.req.size = sizeof(arg.req) - 4;
	EXPECT_REFUSED(EINVAL, fd, request(fd, CPC_IOC_SHARED_OPEN, &arg));
	arg.req.size = sizeof(arg.req);
	arg.req.flags = 1;
	EXPECT_REFUSED(EINVAL, fd, request(fd, CPC_IOC_SHARED_OPEN, &arg));
	arg.req.flags = 0;
	arg.req.reserved = 1;
	EXPECT_REFUSED(EINVAL, fd, request(fd, CPC_IOC_SHARED_OPEN, &arg));
	arg.req.reserved = 0;
	/* Who cannot be told does not become the holder. */
	told = read_only(&arg.req, sizeof(arg.req));
	EXPECT_REFUSED(EFAULT, fd, request(fd, CPC_IOC_SHARED_OPEN, told));
	EXPECT_EQ(0, machine().shared_opens);
	arg.req.cpu = 0x5a5a;
	EXPECT_EQ(0, request(fd, CPC_IOC_SHARED_OPEN, &arg));
	EXPECT_EQ(0, arg.req.cpu);
	EXPECT_EQ(sizeof(arg.req), arg.req.size);
	EXPECT_EQ(1, arg.more);
	close(fd);
}

TEST_F(cpc, file_is_opened_once)
{
	EXPECT_REFUSED(ENOTTY, self->fd, shared_open(self->fd));
	EXPECT_EQ(1, machine().shared_opens);
}

TEST_F(cpc, one_holder_a_cpu)
{
	int other = control_open();
	char who[64];

	EXPECT_REFUSED(EAGAIN, other, shared_open(other));
	EXPECT_EQ(0, last_error(other).cpu);
	snprintf(who, sizeof(who), "process %d (%s)", getpid(), program_invocation_short_name);
	EXPECT_TRUE(last_error_says(other, who));
	EXPECT_EQ(1, machine().shared_opens);
	/* The file is still good for something. */
	close(self->fd);
	EXPECT_EQ(0, shared_open(other));
	close(other);
}

TEST(holder_is_named)
{
	int cpu = 0, fd = control_open();
	struct peer peer;
	char who[64];

	ASSERT_EQ(0, bind_cpu(cpu));
	ASSERT_EQ(0, peer_start(&peer, hold, &cpu));
	ASSERT_EQ(0, peer_hear(peer.sock));
	EXPECT_REFUSED(EAGAIN, fd, shared_open(fd));
	snprintf(who, sizeof(who), "process %d (" HOLDER_NAME ")", peer.pid);
	EXPECT_TRUE(last_error_says(fd, who));
	peer_kill(&peer);
	EXPECT_EQ(0, shared_open(fd));
	close(fd);
}

TEST_F(cpc, many_cpus_at_once)
{
	struct sample sample;
	int other, cpu = 1;
	struct peer peer;

	NEEDS_TWO_CPUS();
	ASSERT_EQ(0, peer_start(&peer, hold, &cpu));
	EXPECT_EQ(1, peer_hear(peer.sock));
	EXPECT_EQ(2, machine().shared_opens);
	peer_kill(&peer);
	EXPECT_EQ(1, machine().shared_opens);

	/* And from one thread, which binds itself to one after the other. */
	other = control_open();
	ASSERT_EQ(0, bind_cpu(1));
	EXPECT_EQ(1, shared_open(other));
	EXPECT_EQ(0, shared_bind_same(other, nothing(1), 1));
	EXPECT_EQ(-EAGAIN, shared_bind_same(self->fd, nothing(2), 1));
	ASSERT_EQ(0, bind_cpu(0));
	EXPECT_EQ(0, shared_bind_same(self->fd, nothing(2), 1));
	EXPECT_EQ(0, shared_sample(self->fd, &sample));
	EXPECT_EQ(0, sample.head.cpu);
	EXPECT_EQ(2, sample.value[0]);
	ASSERT_EQ(0, bind_cpu(1));
	EXPECT_EQ(0, shared_sample(other, &sample));
	EXPECT_EQ(1, sample.head.cpu);
	EXPECT_EQ(1, sample.value[0]);
	close(other);
}

/* ---- bound, and still bound ---- */

TEST_F(cpc, bound_elsewhere)
{
	struct sample sample;

	NEEDS_TWO_CPUS();
	ASSERT_EQ(0, shared_bind_same(self->fd, nothing(7), 1));
	ASSERT_EQ(0, bind_cpu(1));
	EXPECT_REFUSED(EAGAIN, self->fd, shared_bind_same(self->fd, nothing(8), 1));
	EXPECT_REFUSED(EAGAIN, self->fd, shared_sample(self->fd, &sample));
	EXPECT_REFUSED(EAGAIN, self->fd, shared_rele(self->fd));
	EXPECT_EQ(0, last_error(self->fd).cpu);
	EXPECT_TRUE(last_error_says(self->fd, "not bound to CPU 0"));
	ASSERT_EQ(0, bind_cpu(0));
	EXPECT_EQ(0, shared_sample(self->fd, &sample));
	EXPECT_EQ(7, sample.value[0]);
	EXPECT_EQ(0, shared_rele(self->fd));
}

TEST_F(cpc, unbound)
{
	struct sample sample;

	NEEDS_TWO_CPUS();
	ASSERT_EQ(0, shared_bind_same(self->fd, nothing(7), 1));
	ASSERT_EQ(0, unbind_cpu());
	EXPECT_REFUSED(EAGAIN, self->fd, shared_bind_same(self->fd, nothing(8), 1));
	EXPECT_REFUSED(EAGAIN, self->fd, shared_sample(self->fd, &sample));
	EXPECT_REFUSED(EAGAIN, self->fd, shared_rele(self->fd));
	ASSERT_EQ(0, bind_cpu(0));
	EXPECT_EQ(0, shared_sample(self->fd, &sample));
	EXPECT_EQ(7, sample.value[0]);
}

TEST_F(cpc, binding_is_checked_before_the_arguments)
{
	NEEDS_TWO_CPUS();
	ASSERT_EQ(0, unbind_cpu());
	EXPECT_EQ(-EAGAIN, request(self->fd, CPC_IOC_BIND, BAD_ADDRESS));
	EXPECT_EQ(-EAGAIN, request(self->fd, CPC_IOC_SAMPLE, BAD_ADDRESS));
	EXPECT_EQ(-EAGAIN, shared_rele(self->fd));
}

/* ---- bind ---- */

TEST_F(cpc, nothing_is_bound)
{
	struct sample sample;

	memset(&sample, PATTERN, sizeof(sample));
	EXPECT_REFUSED(EINVAL, self->fd, shared_sample(self->fd, &sample));
	EXPECT_TRUE(untouched(sample.value, sizeof(sample.value)));
	EXPECT_REFUSED(EINVAL, self->fd, shared_rele(self->fd));
	EXPECT_TRUE(last_error_says(self->fd, "nothing is bound"));
}

TEST_F(cpc, rele_gives_back)
{
	unsigned int all = counters_free(0);
	struct sample sample;

	ASSERT_EQ(0, shared_bind_same(self->fd, event_cycles(ANY_MODE), 3));
	EXPECT_EQ(all - 3, counters_free(0));
	EXPECT_EQ(0, shared_rele(self->fd));
	EXPECT_EQ(all, counters_free(0));
	EXPECT_EQ(-EINVAL, shared_sample(self->fd, &sample));
	EXPECT_EQ(-EINVAL, shared_rele(self->fd));
	/* The CPU is still held. */
	EXPECT_EQ(-EAGAIN, try_shared());
	EXPECT_EQ(0, shared_bind_same(self->fd, event_cycles(ANY_MODE), all));
}

TEST_F(cpc, bind_replaces)
{
	unsigned int all = counters_free(0);
	struct sample sample;

	ASSERT_EQ(0, shared_bind_same(self->fd, event_cycles(ANY_MODE), all));
	ASSERT_EQ(0, shared_bind_same(self->fd, event_cycles(ANY_MODE), all));
	ASSERT_EQ(0, shared_bind_same(self->fd, nothing(5), 2));
	EXPECT_EQ(all - 2, counters_free(0));
	ASSERT_EQ(0, shared_sample(self->fd, &sample));
	EXPECT_EQ(2, sample.head.nr);
	EXPECT_EQ(5, sample.value[0]);
	EXPECT_EQ(5, sample.value[1]);
}

TEST_F(cpc, all_or_nothing)
{
	unsigned int all = counters_free(0);
	struct sample sample;

	TH_LOG("CPU 0 has %u counters", all);
	ASSERT_LT(all, PERFMON_MAX_EVENTS);
	EXPECT_REFUSED(EBUSY, self->fd,
		       shared_bind_same(self->fd, event_cycles(ANY_MODE), all + 1));
	EXPECT_EQ((int)all, last_error(self->fd).index);
	EXPECT_EQ(0, last_error(self->fd).cpu);
	EXPECT_EQ(all, counters_free(0));
	EXPECT_EQ(-EINVAL, shared_sample(self->fd, &sample));
	EXPECT_REFUSED(EBUSY, self->fd,
		       shared_bind_same(self->fd, event_cycles(ANY_MODE), PERFMON_MAX_EVENTS));
	EXPECT_EQ(0, shared_bind_same(self->fd, event_cycles(ANY_MODE), all));
	EXPECT_EQ(0, counters_free(0));
	ASSERT_EQ(0, shared_sample(self->fd, &sample));
	EXPECT_EQ(all, sample.head.nr);
	EXPECT_EQ(0, sample.head.bad);
	EXPECT_EQ(PERFMON_STATE_COUNTING, sample.head.state);
}

#ifdef __aarch64__
/* Of the emulated CPU's seven counters one counts the clock only. */
TEST_F(cpc, counters_of_the_clock_and_others)
{
	unsigned int all = counters_free(0);

	EXPECT_EQ(-EBUSY, shared_bind_same(self->fd, nothing(0), all));
	EXPECT_EQ((int)all - 1, last_error(self->fd).index);
	EXPECT_EQ(0, shared_bind_same(self->fd, nothing(0), all - 1));
}
#endif

TEST_F(cpc, bind_checks_its_structure)
{
	struct perfmon_event event = nothing(0);
	struct cpc_bind good = {
		.size = sizeof(good), .nevents = 1, .events = (uintptr_t)&event,
	};
	struct { struct cpc_bind req; __u64 more; } arg = { .req = good };

	EXPECT_REFUSED(EFAULT, self->fd, request(self->fd, CPC_IOC_BIND, NULL));
	EXPECT_REFUSED(EFAULT, self->fd, request(self->fd, CPC_IOC_BIND, BAD_ADDRESS));
	arg.req.size = sizeof(arg);
	EXPECT_EQ(0, request(self->fd, CPC_IOC_BIND, &arg));
	arg.more = 1;
	EXPECT_REFUSED(E2BIG, self->fd, request(self->fd, CPC_IOC_BIND, &arg));
	arg.req.size = 0xffffffff;
	EXPECT_REFUSED(E2BIG, self->fd, request(self->fd, CPC_IOC_BIND, &arg));
	arg.req.size = sizeof(arg.req) - 8;
	EXPECT_REFUSED(EINVAL, self->fd, request(self->fd, CPC_IOC_BIND, &arg));
	arg.req.size = 0;
	EXPECT_REFUSED(EINVAL, self->fd, request(self->fd, CPC_IOC_BIND, &arg));
	arg.req = good;
	arg.req.flags = 1;
	EXPECT_REFUSED(EINVAL, self->fd, request(self->fd, CPC_IOC_BIND, &arg));
	arg.req = good;
	arg.req.reserved = 1;
	EXPECT_REFUSED(EINVAL, self->fd, request(self->fd, CPC_IOC_BIND, &arg));
}

TEST_F(cpc, bind_checks_its_events)
{
	struct perfmon_event event = nothing(0);

	EXPECT_REFUSED(EINVAL, self->fd, shared_bind(self->fd, &event, 0));
	EXPECT_REFUSED(E2BIG, self->fd, shared_bind(self->fd, &event, PERFMON_MAX_EVENTS + 1));
	EXPECT_REFUSED(E2BIG, self->fd, shared_bind(self->fd, &event, 0xffffffff));
	/* 2^32 / 32: the size of the events overflows. */
	EXPECT_REFUSED(E2BIG, self->fd, shared_bind(self->fd, &event, 0x08000001));
	EXPECT_REFUSED(EFAULT, self->fd, shared_bind(self->fd, NULL, 1));
	EXPECT_REFUSED(EFAULT, self->fd, shared_bind(self->fd, BAD_ADDRESS, 1));
	EXPECT_REFUSED(EFAULT, self->fd, shared_bind(self->fd, end_of_memory(sizeof(event)), 2));
	event.flags = ANY_MODE | 4;
	EXPECT_REFUSED(EINVAL, self->fd, shared_bind(self->fd, &event, 1));
	EXPECT_EQ(0, last_error(self->fd).index);
	event = event_of(PERF_TYPE_TRACEPOINT, 1, ANY_MODE);
	EXPECT_REFUSED(EINVAL, self->fd, shared_bind(self->fd, &event, 1));
	event = event_of(0x12345, 0, ANY_MODE);
	EXPECT_REFUSED(ENXIO, self->fd, shared_bind(self->fd, &event, 1));
	event = event_of(PERF_TYPE_HARDWARE, 0x1234, ANY_MODE);
	EXPECT_REFUSED(EINVAL, self->fd, shared_bind(self->fd, &event, 1));
}

TEST_F(cpc, refused_event_is_named)
{
	struct perfmon_event events[3] = { nothing(0), event_cycles(ANY_MODE), nothing(0) };

	events[1] = event_of(PERF_TYPE_HARDWARE, 0x1234, ANY_MODE);
	EXPECT_REFUSED(EINVAL, self->fd, shared_bind(self->fd, events, 3));
	EXPECT_EQ(1, last_error(self->fd).index);
	events[1] = nothing(0);
	events[2].flags = 0x80;
	EXPECT_REFUSED(EINVAL, self->fd, shared_bind(self->fd, events, 3));
	EXPECT_EQ(2, last_error(self->fd).index);
}

TEST_F(cpc, presets_are_where_counting_starts)
{
	struct perfmon_event events[4] = {
		nothing(12345), nothing(~0ULL), event_cycles(ANY_MODE), event_cycles(ANY_MODE),
	};
	struct sample sample;

	events[2].preset = 1ULL << 40;
	events[3].preset = -10000ULL;	/* wraps */
	ASSERT_EQ(0, shared_bind(self->fd, events, 4));
	burn_ms(1);
	ASSERT_EQ(0, shared_sample(self->fd, &sample));
	EXPECT_EQ(12345, sample.value[0]);
	EXPECT_EQ(~0ULL, sample.value[1]);
	EXPECT_LT(1ULL << 40, sample.value[2]);
	EXPECT_GT(2ULL << 40, sample.value[2]);
	EXPECT_GT(1ULL << 40, sample.value[3]);
}

/* ---- sample ---- */

TEST_F(cpc, room_of_a_sample)
{
	unsigned int n, all = counters_free(0) - 1;
	struct sample sample;

	ASSERT_EQ(0, shared_bind_same(self->fd, nothing(9), all));
	for (n = 0; n < all; n++) {
		memset(&sample, PATTERN, sizeof(sample));
		sample.head.nr = n;
		EXPECT_REFUSED(EINVAL, self->fd, request(self->fd, CPC_IOC_SAMPLE, &sample));
		EXPECT_EQ(n, sample.head.nr);
		EXPECT_TRUE(untouched(&sample.head.bad, sizeof(sample) - sizeof(__u32)));
	}
	for (; n <= 2 * all; n++) {
		memset(&sample, PATTERN, sizeof(sample));
		sample.head.nr = n;
		ASSERT_EQ(0, request(self->fd, CPC_IOC_SAMPLE, &sample));
		EXPECT_EQ(all, sample.head.nr);
		EXPECT_EQ(9, sample.value[all - 1]);
		/* What there was room for beyond the values may be zero. */
		EXPECT_TRUE(untouched(&sample.value[n], sizeof(sample) - sample_size(n)));
		EXPECT_TRUE(zeroed_or_untouched(&sample.value[all], (n - all) * sizeof(__u64)));
	}
	sample.head.nr = 0xffffffff;
	EXPECT_EQ(0, request(self->fd, CPC_IOC_SAMPLE, &sample));
}

/* Software events go beyond what hardware has, and beyond what is copied in one piece. */
TEST_F(cpc, large_sample)
{
	struct sample sample;
	unsigned int n;

	for (n = 7; n <= PERFMON_MAX_EVENTS; n++) {
		struct perfmon_event event = event_soft(PERF_COUNT_SW_DUMMY);

		event.preset = n;
		ASSERT_EQ(0, shared_bind_same(self->fd, event, n));
		memset(&sample, PATTERN, sizeof(sample));
		sample.head.nr = n;
		ASSERT_EQ(0, request(self->fd, CPC_IOC_SAMPLE, &sample));
		EXPECT_EQ(n, sample.head.nr);
		EXPECT_EQ(n, sample.value[0]);
		EXPECT_EQ(n, sample.value[n - 1]);
		EXPECT_TRUE(untouched(&sample.value[n], sizeof(sample) - sample_size(n)));
	}
}

TEST_F(cpc, sample_at_the_end_of_memory)
{
	struct perfmon_sample *sample = end_of_memory(sample_size(2));

	ASSERT_EQ(0, shared_bind_same(self->fd, nothing(3), 2));
	sample->nr = 2;
	EXPECT_EQ(0, request(self->fd, CPC_IOC_SAMPLE, sample));
	EXPECT_EQ(2, sample->nr);
	ASSERT_EQ(0, shared_bind_same(self->fd, nothing(3), 3));
	sample->nr = 3;
	EXPECT_REFUSED(EFAULT, self->fd, request(self->fd, CPC_IOC_SAMPLE, sample));
	EXPECT_REFUSED(EFAULT, self->fd, request(self->fd, CPC_IOC_SAMPLE, BAD_ADDRESS));
	EXPECT_REFUSED(EFAULT, self->fd, request(self->fd, CPC_IOC_SAMPLE, NULL));
}

TEST_F(cpc, never_goes_backwards)
{
	struct sample last, next;
	uint64_t before;
	int i;

	ASSERT_EQ(0, shared_bind_same(self->fd, event_cycles(ANY_MODE), 2));
	ASSERT_EQ(0, shared_sample(self->fd, &last));
	for (i = 0; i < 2000; i++, last = next) {
		before = now_ns();
		ASSERT_EQ(0, shared_sample(self->fd, &next));
		ASSERT_LE(before, next.head.time);
		ASSERT_GE(now_ns(), next.head.time);
		ASSERT_LT(last.head.time, next.head.time);
		ASSERT_LE(last.head.ticks, next.head.ticks);
		ASSERT_LT(last.value[0], next.value[0]);
		ASSERT_LT(last.value[1], next.value[1]);
	}
	EXPECT_LT(0, last.head.ticks);
}

#ifdef __aarch64__
static uint64_t ticks_now(void)
{
	uint64_t ticks;

	asm volatile("isb; mrs %0, cntvct_el0" : "=r" (ticks));
	return ticks;
}

TEST_F(cpc, ticks_are_those_since_the_bind)
{
	uint64_t before_bind, after_bind, before;
	struct sample sample;

	before_bind = ticks_now();
	ASSERT_EQ(0, shared_bind_same(self->fd, nothing(0), 1));
	after_bind = ticks_now();
	burn_ms(2);
	before = ticks_now();
	ASSERT_EQ(0, shared_sample(self->fd, &sample));
	EXPECT_LE(before - after_bind, sample.head.ticks);
	EXPECT_GE(ticks_now() - before_bind, sample.head.ticks);
}
#endif

TEST_F(cpc, counts_everybody_on_its_cpu)
{
	struct sample before, after;
	int pid;

	ASSERT_EQ(0, shared_bind_same(self->fd, event_cycles(PERFMON_EVENT_USER), 1));
	ASSERT_EQ(0, shared_sample(self->fd, &before));
	pid = fork();
	if (!pid) {
		burn_ms(50);
		_exit(0);
	}
	/* The child has this CPU to itself. */
	ASSERT_EQ(0, exit_status(pid));
	ASSERT_EQ(0, shared_sample(self->fd, &after));
	EXPECT_LT(before.value[0], after.value[0]);
}

/* ---- lifetime ---- */

TEST(close_frees_the_cpu)
{
	unsigned int all = counters_free(0);
	int i, fd;

	ASSERT_EQ(0, bind_cpu(0));
	for (i = 0; i < 20; i++) {
		fd = control_open();
		ASSERT_EQ(0, shared_open(fd));
		if (i % 2) {
			ASSERT_EQ(0, shared_bind_same(fd, event_cycles(ANY_MODE), all));
		}
		ASSERT_EQ(-EAGAIN, try_shared());
		close(fd);
	}
	EXPECT_EQ(0, machine().shared_opens);
	EXPECT_EQ(all, counters_free(0));
}

TEST(kill_frees_the_cpu)
{
	int i, cpu = 0;
	struct peer peer;

	ASSERT_EQ(0, bind_cpu(0));
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, peer_start(&peer, hold, &cpu));
		ASSERT_EQ(0, peer_hear(peer.sock));
		ASSERT_EQ(-EAGAIN, try_shared());
		peer_kill(&peer);
		ASSERT_EQ(0, try_shared());
	}
}

TEST(holders_are_listed)
{
	struct perfmon_holder list[4];
	struct perfmon_event event = event_cycles(ANY_MODE);
	uint64_t before = now_ns();
	struct peer peer;
	int cpu = 0, fd;

	ASSERT_EQ(0, holders_count());
	ASSERT_EQ(0, peer_start(&peer, hold, &cpu));
	ASSERT_EQ(0, peer_hear(peer.sock));
	fd = control_open();
	ASSERT_EQ(1, holders_get(fd, list, ARRAY_SIZE(list)));
	EXPECT_EQ(peer.pid, list[0].pid);
	EXPECT_STREQ(HOLDER_NAME, list[0].comm);
	EXPECT_EQ(PERFMON_FACE_CPC, list[0].face);
	EXPECT_EQ(0, list[0].cpu);
	EXPECT_EQ(0, list[0].counters);
	EXPECT_LE(before, list[0].since);
	EXPECT_GE(now_ns(), list[0].since);
	peer_kill(&peer);
	ASSERT_EQ(0, holders_get(fd, list, ARRAY_SIZE(list)));

	ASSERT_EQ(0, bind_cpu(0));
	ASSERT_EQ(0, shared_open(fd));
	ASSERT_EQ(0, shared_bind_same(fd, event, 3));
	ASSERT_EQ(1, holders_get(fd, list, ARRAY_SIZE(list)));
	EXPECT_EQ(getpid(), list[0].pid);
	EXPECT_EQ(3, list[0].counters);
	ASSERT_EQ(0, shared_rele(fd));
	ASSERT_EQ(1, holders_get(fd, list, ARRAY_SIZE(list)));
	EXPECT_EQ(0, list[0].counters);
	ASSERT_EQ(0, shared_bind_same(fd, event, 2));
	ASSERT_EQ(1, holders_get(fd, list, ARRAY_SIZE(list)));
	EXPECT_EQ(2, list[0].counters);
	close(fd);
	EXPECT_EQ(0, holders_count());
}

/* ---- one file, several processes and threads ---- */

/* Takes a file from its parent, is bound, and samples. */
static int sample_received(int sock, void *arg)
{
	struct sample sample;
	int fd = receive_fd(sock);

	(void)arg;
	if (fd < 0 || bind_cpu(0) || shared_sample(fd, &sample))
		return -1;
	return sample.value[0];
}

TEST_F(cpc, file_goes_to_another_process)
{
	struct peer peer;

	ASSERT_EQ(0, shared_bind_same(self->fd, nothing(4711), 1));
	ASSERT_EQ(0, peer_start(&peer, sample_received, NULL));
	ASSERT_EQ(0, send_fd(peer.sock, self->fd));
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(4711, peer_hear(peer.sock));
	EXPECT_EQ(-EAGAIN, try_shared());
	peer_kill(&peer);
	EXPECT_EQ(0, try_shared());
}

struct shared_call {
	int fd;
	int cpu;	/* to be bound to, or -1 */
};

static int sample_in_child(void *arg)
{
	struct shared_call *call = arg;
	struct sample sample;

	if (call->cpu < 0 ? unbind_cpu() : bind_cpu(call->cpu))
		return 255;
	return -shared_sample(call->fd, &sample);
}

static int bind_in_child(void *arg)
{
	struct shared_call *call = arg;

	if (bind_cpu(call->cpu))
		return 255;
	return -shared_bind_same(call->fd, event_cycles(PERFMON_EVENT_USER), 1);
}

static int bind_kernel_in_child(void *arg)
{
	struct shared_call *call = arg;

	if (bind_cpu(call->cpu))
		return 255;
	return -shared_bind_same(call->fd, event_cycles(ANY_MODE), 1);
}

TEST_F(cpc, child_inherits_the_file_but_must_be_bound)
{
	struct shared_call call = { .fd = self->fd };

	NEEDS_TWO_CPUS();
	ASSERT_EQ(0, shared_bind_same(self->fd, nothing(0), 1));
	EXPECT_EQ(0, in_child(sample_in_child, &call));
	EXPECT_EQ(0, in_child(bind_in_child, &call));
	call.cpu = 1;
	EXPECT_EQ(EAGAIN, in_child(sample_in_child, &call));
	EXPECT_EQ(EAGAIN, in_child(bind_in_child, &call));
	call.cpu = -1;
	EXPECT_EQ(EAGAIN, in_child(sample_in_child, &call));
	/* What the child bound is what the parent samples. */
	call.cpu = 0;
	EXPECT_EQ(0, in_child(bind_in_child, &call));
	EXPECT_EQ(0, sample_in_child(&call));
}

TEST_F(cpc, inherited_file_gives_users_no_right)
{
	struct shared_call call = { .fd = self->fd };

	NEEDS(read_number(PARANOID) >= 1, "perf's policy lets everybody count CPUs");
	EXPECT_EQ(EACCES, as_nobody(bind_in_child, &call));
	EXPECT_TRUE(last_error_says(self->fd, "CAP_PERFMON"));
	EXPECT_EQ(EACCES, as_nobody(bind_kernel_in_child, &call));
	EXPECT_TRUE(last_error_says(self->fd, "kernel mode"));
	EXPECT_EQ(0, in_child(bind_kernel_in_child, &call));
}

struct crowd {
	int fd;
	atomic_bool stop;
	pid_t sampler;
	int unexpected;		/* results of the sampler that must not be */
	atomic_int samples;
};

/* Two sets alternate: one value of 111, or three of 333. */
static bool is_one_of_two(const struct sample *s)
{
	if (s->head.state != PERFMON_STATE_COUNTING || s->head.bad || s->head.cpu)
		return false;
	if (s->head.nr == 1)
		return s->value[0] == 111;
	return s->head.nr == 3 && s->value[0] == 333 && s->value[1] == 333 && s->value[2] == 333;
}

static void *sample_all_the_time(void *arg)
{
	struct crowd *crowd = arg;
	struct sample sample;
	int err;

	while (!crowd->stop) {
		err = shared_sample(crowd->fd, &sample);
		if (err ? err != -EINVAL : !is_one_of_two(&sample))
			crowd->unexpected++;
		crowd->samples += !err;
		/* Both are bound to one CPU, so whoever does not yield is alone. */
		if (crowd->samples % 4 == 0)
			sched_yield();
	}
	return NULL;
}

TEST_F(cpc, one_samples_while_another_binds)
{
	struct crowd crowd = { .fd = self->fd };
	pthread_t thread;
	int i;

	/* The thread inherits that it is bound. */
	ASSERT_EQ(0, pthread_create(&thread, NULL, sample_all_the_time, &crowd));
	/* On until the thread had its turn. */
	for (i = 0; i < 300 || !crowd.samples || i % 3; i++) {
		if (i % 3 == 2) {
			EXPECT_EQ(0, shared_rele(self->fd));
		} else {
			EXPECT_EQ(0, shared_bind_same(self->fd, nothing(i % 3 ? 333 : 111),
						      i % 3 ? 3 : 1));
		}
		sched_yield();
	}
	crowd.stop = true;
	pthread_join(thread, NULL);
	EXPECT_EQ(0, crowd.unexpected);
}

static void *push_around(void *arg)
{
	struct crowd *crowd = arg;
	cpu_set_t set;
	int i;

	for (i = 0; !crowd->stop; i++) {
		CPU_ZERO(&set);
		CPU_SET(i % 2, &set);
		/* A third of the time it is bound to none. */
		if (i % 3 == 2)
			CPU_SET(!(i % 2), &set);
		sched_setaffinity(crowd->sampler, sizeof(set), &set);
	}
	return NULL;
}

/* However the thread is pushed around, it gets a sample of CPU 0 or is told. */
TEST_F(cpc, thread_is_moved_while_it_samples)
{
	struct crowd crowd = { .fd = self->fd, .sampler = gettid() };
	int i, err, good = 0, told = 0;
	struct sample sample;
	pthread_t thread;

	NEEDS_TWO_CPUS();
	ASSERT_EQ(0, shared_bind_same(self->fd, nothing(111), 1));
	ASSERT_EQ(0, unbind_cpu());
	ASSERT_EQ(0, pthread_create(&thread, NULL, push_around, &crowd));
	/* On until both were seen: the thread may need a while to have its first turn. */
	for (i = 0; i < 3000 || !good || !told; i++) {
		err = shared_sample(self->fd, &sample);
		if (err == -EAGAIN)
			told++;
		else if (!err && is_one_of_two(&sample))
			good++;
	}
	crowd.stop = true;
	pthread_join(thread, NULL);
	EXPECT_EQ(i, good + told);
}

/* ---- beside the other users of the counters ---- */

TEST_F(cpc, beside_perf)
{
	struct perf_events perf;
	unsigned int all;

	perf_take_all(&perf, 0);
	all = perf.n;
	EXPECT_REFUSED(EBUSY, self->fd, shared_bind_same(self->fd, event_cycles(ANY_MODE), 1));
	close(perf.fd[--perf.n]);
	EXPECT_EQ(0, shared_bind_same(self->fd, event_cycles(ANY_MODE), 1));
	EXPECT_EQ(-EBUSY, shared_bind_same(self->fd, event_cycles(ANY_MODE), 2));
	EXPECT_TRUE(perf_counts(perf.fd[0]));
	perf_close(&perf);
	EXPECT_EQ(0, shared_bind_same(self->fd, event_cycles(ANY_MODE), all));
}

TEST_F(cpc, beside_a_raw_set)
{
	unsigned int all = counters_free(0);
	int set = control_open();

	ASSERT_EQ(0, set_program_same(set, -1, event_cycles(ANY_MODE), all - 1));
	EXPECT_EQ(0, shared_bind_same(self->fd, event_cycles(ANY_MODE), 1));
	EXPECT_EQ(-EBUSY, shared_bind_same(self->fd, event_cycles(ANY_MODE), 2));
	EXPECT_EQ(0, shared_bind_same(self->fd, event_cycles(ANY_MODE), 1));
	EXPECT_EQ(-EBUSY, set_program_same(set, -1, event_cycles(ANY_MODE), all));
	close(set);
}

/* The set says so when perf takes a counter away, see pmio.c for how it can. */
TEST_F(cpc, contended_counter_says_so)
{
	unsigned int all = counters_free(0);
	struct sample sample, later;
	int perf;

	perf = perf_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, false);
	ASSERT_LE(0, perf);
	ASSERT_EQ(0, shared_bind_same(self->fd, event_cycles(ANY_MODE), all));
	ASSERT_EQ(0, ioctl(perf, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(0, shared_sample(self->fd, &sample));
	EXPECT_EQ(PERFMON_STATE_CONTENDED, sample.head.state);
	EXPECT_EQ(1U << (all - 1), sample.head.bad);
	burn_ms(1);
	ASSERT_EQ(0, shared_sample(self->fd, &later));
	EXPECT_EQ(sample.value[all - 1], later.value[all - 1]);
	EXPECT_LT(sample.value[0], later.value[0]);
	EXPECT_REFUSED(EBUSY, self->fd, shared_bind_same(self->fd, event_cycles(ANY_MODE), all));
	close(perf);
	EXPECT_EQ(0, shared_bind_same(self->fd, event_cycles(ANY_MODE), all));
}

TEST_HARNESS_MAIN

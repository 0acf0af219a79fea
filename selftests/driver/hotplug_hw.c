// SPDX-License-Identifier: GPL-2.0-only
/* perfmon(4) and shared cpc sets while CPU 1 goes offline and comes back. */
#include "pmio.h"

#include <pthread.h>

#include <machine/perfmon.h>

PROGRAM_NEEDS(have_good_counters() && cpu1_can_go(),
	      NO_GOOD_COUNTERS ", or CPU 1 cannot go offline");

#define CPUS	64

static bool has_news(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLPRI };

	return poll(&p, 1, 0) == 1 && p.revents == POLLPRI;
}

/* ---- perfmon(4) ---- */

/* The state and the value on CPU 1; -1 when the counter has none there. */
static int state_of_cpu1(int fd, int num, __s64 *val)
{
	struct pmc_cpu_value on_cpu1 = pmio_on_cpu(fd, num, 1);

	if (on_cpu1.pmcv_state >= 0)
		*val = on_cpu1.pmcv_value;
	return on_cpu1.pmcv_state;
}

FIXTURE(perfmon4) {
	int fd;
	int reader;
};

FIXTURE_SETUP(perfmon4)
{
	ASSERT_EQ(0, cpu1_set_online(true));
	ASSERT_EQ(0, bind_cpu(0));
	self->fd = device_open(O_RDWR);
	ASSERT_LE(0, self->fd);
	self->reader = device_open(O_RDONLY);
	ASSERT_LE(0, self->reader);
	ASSERT_EQ(0, pmio_setup_cycles(self->fd, 0));
	ASSERT_EQ(0, pmio_start(self->fd, 0));
}

FIXTURE_TEARDOWN(perfmon4)
{
	close(self->fd);
	close(self->reader);
	EXPECT_EQ(0, cpu1_set_online(true));
}

TEST_F(perfmon4, sum_never_goes_backwards)
{
	__s64 last = 0, next, kept, val;
	int i;

	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, cpu1_set_online(false));
		next = pmio_value(self->fd, 0);
		EXPECT_LE(last, next);
		EXPECT_EQ(PERFMON_STATE_LOST, state_of_cpu1(self->reader, 0, &kept));
		ASSERT_EQ(0, cpu1_set_online(true));
		EXPECT_EQ(PERFMON_STATE_LOST, state_of_cpu1(self->reader, 0, &val));
		EXPECT_EQ(kept, val);
		last = pmio_value(self->fd, 0);
		EXPECT_LE(next, last);
		/* To fall back to the last stop is what a start does, so stop. */
		ASSERT_EQ(0, request(self->fd, PMIOSTOP, &(int){ 0 }));
		ASSERT_EQ(0, pmio_start(self->fd, 0));
		EXPECT_EQ(PERFMON_STATE_COUNTING, state_of_cpu1(self->reader, 0, &val));
		EXPECT_LE(kept, val);
	}
}

TEST_F(perfmon4, writer_is_told)
{
	EXPECT_FALSE(has_news(self->fd));
	ASSERT_EQ(0, cpu1_set_online(false));
	EXPECT_TRUE(has_news(self->fd));
	EXPECT_FALSE(has_news(self->reader));
	ASSERT_EQ(0, cpu1_set_online(true));
	EXPECT_TRUE(has_news(self->fd));
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	EXPECT_FALSE(has_news(self->fd));
}

TEST_F(perfmon4, kept_value_is_read)
{
	__s64 kept;

	ASSERT_EQ(0, pmio_choose_cpu(self->reader, 1));
	ASSERT_EQ(0, cpu1_set_online(false));
	EXPECT_EQ(PERFMON_STATE_LOST, state_of_cpu1(self->fd, 0, &kept));
	EXPECT_EQ(kept, pmio_value(self->reader, 0));
	ASSERT_EQ(0, cpu1_set_online(true));
	EXPECT_EQ(kept, pmio_value(self->reader, 0));
	ASSERT_EQ(0, bind_cpu(1));
	EXPECT_EQ(kept, pmio_value(self->reader, 0));
}

TEST_F(perfmon4, offline_cpu_is_refused)
{
	ASSERT_EQ(0, pmio_choose_cpu(self->fd, 1));
	ASSERT_EQ(0, pmio_setup_cycles(self->fd, 1));
	ASSERT_EQ(0, cpu1_set_online(false));
	EXPECT_REFUSED(ENXIO, self->fd, pmio_start(self->fd, 1));
	EXPECT_EQ(1, last_error(self->fd).cpu);
	EXPECT_REFUSED(ENXIO, self->reader, pmio_choose_cpu(self->reader, 1));
	EXPECT_EQ(1, last_error(self->reader).cpu);
	EXPECT_EQ(0, pmio_value(self->fd, 1));
	/* Where setting up fails, the counter is no longer set up. */
	EXPECT_REFUSED(ENXIO, self->fd, pmio_setup_cycles(self->fd, 1));
	EXPECT_EQ(-EBUSY, pmio_value(self->fd, 1));
	/* What has all CPUs counts on the others. */
	EXPECT_EQ(0, pmio_start(self->fd, 0));
	ASSERT_EQ(0, pmio_choose_cpu(self->fd, -1));
	EXPECT_EQ(0, pmio_setup_cycles(self->fd, 1));
	EXPECT_EQ(0, pmio_start(self->fd, 1));
}

TEST_F(perfmon4, close_while_it_is_away)
{
	unsigned int all = counters_free(0) + 1;

	ASSERT_EQ(0, cpu1_set_online(false));
	close(self->fd);
	EXPECT_EQ(-EBUSY, pmio_value(self->reader, 0));
	ASSERT_EQ(0, cpu1_set_online(true));
	EXPECT_EQ(all, counters_free(0));
	EXPECT_EQ(all, counters_free(1));
	self->fd = device_open(O_RDWR);
	EXPECT_LE(0, self->fd);
}

/* perf was faster on the CPU that came back. */
TEST_F(perfmon4, start_when_others_took_the_counters)
{
	struct perf_events perf;
	__s64 kept, val;

	ASSERT_EQ(0, cpu1_set_online(false));
	ASSERT_EQ(PERFMON_STATE_LOST, state_of_cpu1(self->fd, 0, &kept));
	ASSERT_EQ(0, cpu1_set_online(true));
	perf_take_all(&perf, 1);
	EXPECT_REFUSED(EBUSY, self->fd, pmio_start(self->fd, 0));
	EXPECT_EQ(1, last_error(self->fd).cpu);
	EXPECT_NE(-1, state_of_cpu1(self->fd, 0, &val));
	EXPECT_EQ(kept, val);
	EXPECT_TRUE(perf_counts(perf.fd[0]));
	perf_close(&perf);
	EXPECT_EQ(0, pmio_start(self->fd, 0));
	EXPECT_EQ(PERFMON_STATE_COUNTING, state_of_cpu1(self->fd, 0, &val));
	EXPECT_LE(kept, val);
}

/* ---- shared cpc sets ---- */

FIXTURE(cpc) {
	int fd;		/* holds CPU 1, to which the test is bound */
	struct sample before;
};

FIXTURE_SETUP(cpc)
{
	ASSERT_EQ(0, cpu1_set_online(true));
	ASSERT_EQ(0, bind_cpu(1));
	self->fd = control_open();
	ASSERT_EQ(1, shared_open(self->fd));
	ASSERT_EQ(0, shared_bind_same(self->fd, event_cycles(ANY_MODE), 2));
	ASSERT_EQ(0, shared_sample(self->fd, &self->before));
}

FIXTURE_TEARDOWN(cpc)
{
	close(self->fd);
	EXPECT_EQ(0, cpu1_set_online(true));
}

TEST_F(cpc, thread_lost_its_binding)
{
	struct sample sample;

	ASSERT_EQ(0, cpu1_set_online(false));
	EXPECT_TRUE(has_news(self->fd));
	EXPECT_REFUSED(EAGAIN, self->fd, shared_sample(self->fd, &sample));
	EXPECT_REFUSED(EAGAIN, self->fd,
		       shared_bind_same(self->fd, event_cycles(ANY_MODE), 1));
	EXPECT_REFUSED(EAGAIN, self->fd, shared_rele(self->fd));
	ASSERT_EQ(0, bind_cpu(0));
	EXPECT_REFUSED(EAGAIN, self->fd, shared_sample(self->fd, &sample));
	/* That the CPU is back does not bind the thread again. */
	ASSERT_EQ(0, cpu1_set_online(true));
	ASSERT_EQ(0, unbind_cpu());
	EXPECT_REFUSED(EAGAIN, self->fd, shared_sample(self->fd, &sample));
}

TEST_F(cpc, counters_are_lost_until_they_are_bound_again)
{
	struct sample kept, again;

	ASSERT_EQ(0, cpu1_set_online(false));
	ASSERT_EQ(0, cpu1_set_online(true));
	ASSERT_EQ(0, bind_cpu(1));
	ASSERT_EQ(0, shared_sample(self->fd, &kept));
	EXPECT_EQ(PERFMON_STATE_LOST, kept.head.state);
	EXPECT_EQ(3, kept.head.bad);
	EXPECT_LE(self->before.value[0], kept.value[0]);
	EXPECT_LE(self->before.value[1], kept.value[1]);
	EXPECT_LE(self->before.head.ticks, kept.head.ticks);
	burn_ms(1);
	ASSERT_EQ(0, shared_sample(self->fd, &again));
	EXPECT_EQ(kept.value[0], again.value[0]);
	EXPECT_EQ(kept.head.ticks, again.head.ticks);
	EXPECT_TRUE(has_news(self->fd));

	ASSERT_EQ(0, shared_bind_same(self->fd, event_cycles(ANY_MODE), 2));
	EXPECT_FALSE(has_news(self->fd));
	ASSERT_EQ(0, shared_sample(self->fd, &again));
	EXPECT_EQ(PERFMON_STATE_COUNTING, again.head.state);
	EXPECT_EQ(0, again.head.bad);
	EXPECT_LT(0, again.value[0]);
}

TEST_F(cpc, rele_of_what_was_lost)
{
	struct sample sample;

	ASSERT_EQ(0, cpu1_set_online(false));
	ASSERT_EQ(0, cpu1_set_online(true));
	ASSERT_EQ(0, bind_cpu(1));
	EXPECT_EQ(0, shared_rele(self->fd));
	EXPECT_EQ(-EINVAL, shared_sample(self->fd, &sample));
	EXPECT_FALSE(has_news(self->fd));
	EXPECT_EQ(counters_free(0), counters_free(1));
}

TEST_F(cpc, cpu_is_held_while_it_is_away)
{
	int other = control_open();

	ASSERT_EQ(0, cpu1_set_online(false));
	EXPECT_EQ(1, holders_count());
	ASSERT_EQ(0, cpu1_set_online(true));
	ASSERT_EQ(0, bind_cpu(1));
	EXPECT_REFUSED(EAGAIN, other, shared_open(other));
	ASSERT_EQ(0, cpu1_set_online(false));
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(0, holders_count());
	ASSERT_EQ(0, cpu1_set_online(true));
	ASSERT_EQ(0, bind_cpu(1));
	EXPECT_EQ(1, shared_open(other));
	EXPECT_EQ(0, shared_bind_same(other, event_cycles(ANY_MODE), counters_free(1)));
	close(other);
}

TEST_F(cpc, other_cpus_count_on)
{
	struct sample first, second;
	int other = control_open();

	ASSERT_EQ(0, bind_cpu(0));
	ASSERT_EQ(0, shared_open(other));
	ASSERT_EQ(0, shared_bind_same(other, event_cycles(ANY_MODE), 1));
	ASSERT_EQ(0, shared_sample(other, &first));
	ASSERT_EQ(0, cpu1_set_online(false));
	ASSERT_EQ(0, shared_sample(other, &second));
	EXPECT_EQ(PERFMON_STATE_COUNTING, second.head.state);
	EXPECT_LT(first.value[0], second.value[0]);
	EXPECT_FALSE(has_news(other));
	close(other);
}

/* ---- all at once ---- */

struct storm {
	atomic_bool stop;
	int fd;
	int rounds;
	int unexpected;
};

static void *pmio_in_the_storm(void *arg)
{
	struct storm *storm = arg;

	do {
		storm->unexpected += pmio_setup_cycles(storm->fd, 0) != 0;
		storm->unexpected += pmio_start(storm->fd, 0) != 0;
		storm->unexpected += pmio_value(storm->fd, 0) < 0;
		storm->rounds++;
	} while (!storm->stop);
	return NULL;
}

/* The thread loses its binding, and tries to get it back. */
static void *shared_in_the_storm(void *arg)
{
	struct storm *storm = arg;
	struct sample sample;
	int err;

	do {
		bind_cpu(1);
		err = shared_bind_same(storm->fd, event_cycles(ANY_MODE), 2);
		storm->unexpected += err && err != -EAGAIN;
		err = shared_sample(storm->fd, &sample);
		storm->unexpected += err && err != -EAGAIN && err != -EINVAL;
		storm->unexpected += !err && (sample.head.nr != 2 || sample.head.cpu != 1);
		err = shared_rele(storm->fd);
		storm->unexpected += err && err != -EAGAIN && err != -EINVAL;
		storm->rounds++;
	} while (!storm->stop);
	return NULL;
}

TEST_F_TIMEOUT(cpc, storm, SLOW)
{
	static void *(*const fn[])(void *) = { pmio_in_the_storm, shared_in_the_storm };
	struct storm storm[ARRAY_SIZE(fn)] = {};
	pthread_t thread[ARRAY_SIZE(fn)];
	unsigned int i;

	ASSERT_EQ(0, bind_cpu(0));
	storm[0].fd = device_open(O_RDWR);
	storm[1].fd = self->fd;
	for (i = 0; i < ARRAY_SIZE(fn); i++) {
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, fn[i], &storm[i]));
	}
	for (i = 0; i < 8; i++) {
		EXPECT_EQ(0, cpu1_set_online(false));
		EXPECT_EQ(0, cpu1_set_online(true));
	}
	for (i = 0; i < ARRAY_SIZE(fn); i++) {
		storm[i].stop = true;
		pthread_join(thread[i], NULL);
		EXPECT_EQ(0, storm[i].unexpected);
		EXPECT_LT(0, storm[i].rounds);
	}
	close(storm[0].fd);
}

TEST_HARNESS_MAIN

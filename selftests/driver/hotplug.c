// SPDX-License-Identifier: GPL-2.0-only
/* Raw sets while CPU 1 goes offline and comes back. hotplug_hw.c has what needs counters. */
#include "perfmon_test.h"

#include <pthread.h>

PROGRAM_NEEDS(cpu1_can_go(), "CPU 1 cannot go offline");

#define CPUS	64

struct record {
	struct perfmon_sample head;
	__u64 value;
};

static int read_all(int fd, struct record *records)
{
	__u32 bytes = CPUS * sizeof(*records);
	int err = set_read_bytes(fd, -1, records, &bytes);

	return err ?: (int)(bytes / sizeof(*records));
}

static bool has_news(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLPRI };

	return poll(&p, 1, 0) == 1 && p.revents == POLLPRI;
}

/* On all CPUs, or on CPU 1 alone; running or stopped. */
FIXTURE(lost) {
	int fd;
	struct perfmon_event any;
};

FIXTURE_VARIANT(lost) {
	int cpu;
	bool started;
};

FIXTURE_VARIANT_ADD(lost, all_cpus) {
	.cpu = -1, .started = true,
};

FIXTURE_VARIANT_ADD(lost, one_cpu) {
	.cpu = 1, .started = true,
};

FIXTURE_VARIANT_ADD(lost, all_cpus_stopped) {
	.cpu = -1,
};

FIXTURE_VARIANT_ADD(lost, one_cpu_stopped) {
	.cpu = 1,
};

FIXTURE_SETUP(lost)
{
	ASSERT_EQ(0, cpu1_set_online(true));
	ASSERT_EQ(0, bind_cpu(0));
	self->fd = control_open();
	ASSERT_LE(0, self->fd);
	self->any = event_any();
	self->any.preset = 1000;
	ASSERT_EQ(0, set_program(self->fd, variant->cpu, &self->any, 1,
				 variant->started ? PERFMON_SET_STARTED : 0));
}

FIXTURE_TEARDOWN(lost)
{
	close(self->fd);
	EXPECT_EQ(0, cpu1_set_online(true));
}

/* Finds CPU 1 among the records of the set; there must be n. */
static void find_cpu1(struct __test_metadata *_metadata, int fd, int n, struct record *record)
{
	struct record records[CPUS];
	int i;

	ASSERT_EQ(n, read_all(fd, records));
	for (i = 0; i < n && records[i].head.cpu != 1; i++)
		;
	ASSERT_LT(i, n);
	memcpy(record, &records[i], sizeof(*record));
}

TEST_F(lost, keeps_its_value_and_counts_on)
{
	int n = variant->cpu < 0 ? cpus_online() : 1;
	struct sample before, kept, again;
	struct record record;

	ASSERT_EQ(0, set_read(self->fd, 1, &before));
	EXPECT_FALSE(has_news(self->fd));
	ASSERT_EQ(0, cpu1_set_online(false));
	EXPECT_TRUE(has_news(self->fd));

	ASSERT_EQ(0, set_read(self->fd, 1, &kept));
	EXPECT_EQ(PERFMON_STATE_LOST, kept.head.state);
	EXPECT_EQ(1, kept.head.bad);
	EXPECT_EQ(1, kept.head.cpu);
	EXPECT_LE(before.value[0], kept.value[0]);
	EXPECT_LE(before.head.ticks, kept.head.ticks);
	EXPECT_TRUE(variant->started || kept.value[0] == 1000);
	find_cpu1(_metadata, self->fd, n, &record);
	EXPECT_EQ(PERFMON_STATE_LOST, record.head.state);
	EXPECT_EQ(1, record.head.bad);
	EXPECT_EQ(kept.value[0], record.value);
	EXPECT_EQ(kept.head.ticks, record.head.ticks);

	/* It comes back by a start only. */
	ASSERT_EQ(0, cpu1_set_online(true));
	EXPECT_TRUE(has_news(self->fd));
	ASSERT_EQ(0, set_read(self->fd, 1, &again));
	EXPECT_EQ(PERFMON_STATE_LOST, again.head.state);
	EXPECT_EQ(kept.value[0], again.value[0]);
	find_cpu1(_metadata, self->fd, n, &record);
	EXPECT_EQ(PERFMON_STATE_LOST, record.head.state);
	EXPECT_EQ(kept.value[0], record.value);

	ASSERT_EQ(0, set_start(self->fd));
	EXPECT_FALSE(has_news(self->fd));
	ASSERT_EQ(0, set_read(self->fd, 1, &again));
	EXPECT_EQ(PERFMON_STATE_COUNTING, again.head.state);
	EXPECT_EQ(0, again.head.bad);
	EXPECT_LE(kept.value[0], again.value[0]);
	find_cpu1(_metadata, self->fd, n, &record);
	EXPECT_EQ(PERFMON_STATE_COUNTING, record.head.state);
	EXPECT_LE(again.value[0], record.value);
}

/* Read on the CPU itself, too, when it is back. */
TEST_F(lost, reads_the_same_from_its_cpu)
{
	struct sample kept, again;

	ASSERT_EQ(0, cpu1_set_online(false));
	ASSERT_EQ(0, set_read(self->fd, 1, &kept));
	ASSERT_EQ(0, cpu1_set_online(true));
	ASSERT_EQ(0, bind_cpu(1));
	ASSERT_EQ(0, set_read(self->fd, 1, &again));
	EXPECT_EQ(PERFMON_STATE_LOST, again.head.state);
	EXPECT_EQ(kept.value[0], again.value[0]);
	ASSERT_EQ(0, set_start(self->fd));
	burn_ms(1);
	ASSERT_EQ(0, set_read(self->fd, 1, &again));
	EXPECT_EQ(PERFMON_STATE_COUNTING, again.head.state);
	EXPECT_LT(kept.value[0], again.value[0]);
}

TEST_F(lost, start_while_it_is_away)
{
	struct record records[CPUS];
	int i, n;

	ASSERT_EQ(0, cpu1_set_online(false));
	if (variant->cpu == 1) {
		EXPECT_REFUSED(ENXIO, self->fd, set_start(self->fd));
		EXPECT_EQ(1, last_error(self->fd).cpu);
		EXPECT_TRUE(last_error_says(self->fd, "offline"));
	} else {
		EXPECT_EQ(0, set_start(self->fd));
	}
	n = read_all(self->fd, records);
	for (i = 0; i < n; i++) {
		EXPECT_EQ(records[i].head.cpu == 1 ? PERFMON_STATE_LOST : PERFMON_STATE_COUNTING,
			  records[i].head.state);
	}
	ASSERT_EQ(0, cpu1_set_online(true));
	EXPECT_EQ(0, set_start(self->fd));
	find_cpu1(_metadata, self->fd, n, &records[0]);
	EXPECT_EQ(PERFMON_STATE_COUNTING, records[0].head.state);
}

TEST_F(lost, stop_and_reset)
{
	struct sample kept, again;

	ASSERT_EQ(0, cpu1_set_online(false));
	ASSERT_EQ(0, set_read(self->fd, 1, &kept));
	EXPECT_EQ(0, set_stop(self->fd));
	ASSERT_EQ(0, set_read(self->fd, 1, &again));
	EXPECT_EQ(PERFMON_STATE_LOST, again.head.state);
	EXPECT_EQ(kept.value[0], again.value[0]);
	EXPECT_EQ(0, set_reset(self->fd));
	ASSERT_EQ(0, set_read(self->fd, 1, &again));
	EXPECT_EQ(PERFMON_STATE_LOST, again.head.state);
	EXPECT_EQ(0, again.value[0]);
	EXPECT_EQ(0, again.head.ticks);
}

TEST_F(lost, close_while_it_is_away)
{
	unsigned int all = counters_free(0);

	ASSERT_EQ(0, cpu1_set_online(false));
	close(self->fd);
	EXPECT_EQ(0, holders_count());
	ASSERT_EQ(0, cpu1_set_online(true));
	self->fd = control_open();
	EXPECT_EQ(0, set_program(self->fd, 1, &self->any, 1, PERFMON_SET_STARTED));
	EXPECT_LE(all, counters_free(0));
}

TEST_F(lost, close_when_it_is_back)
{
	ASSERT_EQ(0, cpu1_set_online(false));
	ASSERT_EQ(0, cpu1_set_online(true));
	close(self->fd);
	EXPECT_EQ(0, holders_count());
	EXPECT_EQ(counters_free(0), counters_free(1));
	self->fd = control_open();
}

TEST_F(lost, twice)
{
	struct sample first, second;
	int i;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, cpu1_set_online(false));
		ASSERT_EQ(0, set_read(self->fd, 1, &first));
		ASSERT_EQ(0, cpu1_set_online(true));
	}
	ASSERT_EQ(0, set_start(self->fd));
	ASSERT_EQ(0, cpu1_set_online(false));
	ASSERT_EQ(0, set_read(self->fd, 1, &second));
	EXPECT_EQ(PERFMON_STATE_LOST, second.head.state);
	EXPECT_LE(first.value[0], second.value[0]);
	EXPECT_TRUE(has_news(self->fd));
}

static void *wait_for_news(void *arg)
{
	struct pollfd p = { .fd = *(int *)arg, .events = POLLPRI };

	return (void *)(long)(poll(&p, 1, -1) == 1 && p.revents == POLLPRI);
}

TEST_F(lost, wakes_who_waits)
{
	pthread_t thread;
	void *heard;

	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_for_news, &self->fd));
	ASSERT_EQ(0, cpu1_set_online(false));
	ASSERT_EQ(0, pthread_join(thread, &heard));
	EXPECT_NE(NULL, heard);
}

TEST_F(lost, others_are_not_told)
{
	struct perfmon_event event = event_soft(PERF_COUNT_SW_DUMMY);
	int control = control_open(), other = control_open();

	ASSERT_EQ(0, set_program(other, 0, &event, 1, PERFMON_SET_STARTED));
	ASSERT_EQ(0, cpu1_set_online(false));
	EXPECT_TRUE(has_news(self->fd));
	EXPECT_FALSE(has_news(control));
	EXPECT_FALSE(has_news(other));
	close(control);
	close(other);
}

/* ---- a CPU that sets out to go, and stays ---- */

#define HOTPLUG_STATES	"/sys/devices/system/cpu/hotplug/states"

/* The number of a step that a CPU takes when it goes, or -1. */
static int step_number(const char *name)
{
	FILE *file = fopen(HOTPLUG_STATES, "re");
	char line[128];
	int number = -1;

	while (file && number < 0 && fgets(line, sizeof(line), file))
		if (strstr(line, name))
			number = atoi(line);
	if (file)
		fclose(file);
	return number;
}

/* Has that step of CPU 1 fail once, -1: none. */
static int step_will_fail(int step)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", step);
	return cpu_write(1, "hotplug/fail", text);
}

/* The kernel takes back what it has done, and the CPU is there again: as if it had been away. */
static void cpu_stays(struct __test_metadata *_metadata, int fd, int step)
{
	struct sample before, kept, again;

	ASSERT_EQ(0, set_read(fd, 1, &before));
	EXPECT_EQ(-EAGAIN, cpu1_set_online(false)) {
		TH_LOG("step %d", step);
	}
	ASSERT_EQ(0, set_read(fd, 1, &kept));
	EXPECT_EQ(PERFMON_STATE_LOST, kept.head.state);
	EXPECT_LE(before.value[0], kept.value[0]);
	EXPECT_TRUE(has_news(fd));
	ASSERT_EQ(0, set_start(fd));
	ASSERT_EQ(0, set_read(fd, 1, &again));
	EXPECT_EQ(PERFMON_STATE_COUNTING, again.head.state);
	EXPECT_LE(kept.value[0], again.value[0]);
	EXPECT_FALSE(has_news(fd));
}

TEST_F(lost, cpu_stays_when_a_step_fails)
{
	static const char *const names[] = { "workqueue:online", "smpboot/threads:online" };
	int step, tried = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		step = step_number(names[i]);
		if (step < 0 || step_will_fail(step))
			continue;
		cpu_stays(_metadata, self->fd, step);
		ASSERT_EQ(0, set_stop(self->fd));
		tried++;
	}
	step_will_fail(-1);
	NEEDS(tried, "no step can fail here");
}

/* ---- CPUs that are away from the beginning ---- */

FIXTURE(offline) {
	int fd;
};

FIXTURE_SETUP(offline)
{
	ASSERT_EQ(0, bind_cpu(0));
	self->fd = control_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, cpu1_set_online(false));
}

FIXTURE_TEARDOWN(offline)
{
	close(self->fd);
	EXPECT_EQ(0, cpu1_set_online(true));
}

TEST_F(offline, cannot_be_programmed)
{
	struct perfmon_event event = event_any();
	struct sample sample;

	EXPECT_REFUSED(ENXIO, self->fd, set_program(self->fd, 1, &event, 1, 0));
	EXPECT_EQ(1, last_error(self->fd).cpu);
	EXPECT_TRUE(last_error_says(self->fd, "CPU 1 is offline"));
	EXPECT_REFUSED(EINVAL, self->fd,
		       set_program(self->fd, machine().ncpus, &event, 1, 0));
	ASSERT_EQ(0, set_program(self->fd, -1, &event, 1, 0));
	EXPECT_REFUSED(ENXIO, self->fd, set_read(self->fd, 1, &sample));
}

TEST_F(offline, joins_a_set_with_its_next_start)
{
	struct perfmon_event event = event_soft(PERF_COUNT_SW_DUMMY);
	struct record records[CPUS];
	struct sample sample;
	int n = cpus_online();

	event.preset = 42;
	ASSERT_EQ(0, set_program(self->fd, -1, &event, 1, PERFMON_SET_STARTED));
	EXPECT_EQ(n, read_all(self->fd, records));
	ASSERT_EQ(0, cpu1_set_online(true));
	EXPECT_EQ(n, read_all(self->fd, records));
	EXPECT_EQ(-ENXIO, set_read(self->fd, 1, &sample));
	EXPECT_FALSE(has_news(self->fd));
	ASSERT_EQ(0, set_start(self->fd));
	EXPECT_EQ(n + 1, read_all(self->fd, records));
	ASSERT_EQ(0, set_read(self->fd, 1, &sample));
	EXPECT_EQ(PERFMON_STATE_COUNTING, sample.head.state);
	EXPECT_EQ(42, sample.value[0]);
	/* And can be lost like the others. */
	ASSERT_EQ(0, cpu1_set_online(false));
	EXPECT_TRUE(has_news(self->fd));
	EXPECT_EQ(n + 1, read_all(self->fd, records));
}

/* ---- all at once ---- */

struct storm {
	atomic_bool stop;
	int fd;
	int rounds;
	int unexpected;
};

/* Values of the sets below are 42 for ever. */
static void *read_in_the_storm(void *arg)
{
	struct storm *storm = arg;
	struct record records[CPUS];
	int i, n;

	do {
		n = read_all(storm->fd, records);
		storm->unexpected += n < 1;
		for (i = 0; i < n; i++)
			storm->unexpected += records[i].value != 42 || records[i].head.nr != 1;
		storm->rounds++;
	} while (!storm->stop);
	return NULL;
}

static void *read_cpu1_in_the_storm(void *arg)
{
	struct storm *storm = arg;
	struct sample sample;

	do {
		storm->unexpected += set_read(storm->fd, 1, &sample) || sample.value[0] != 42;
		storm->rounds++;
	} while (!storm->stop);
	return NULL;
}

static void *start_in_the_storm(void *arg)
{
	struct storm *storm = arg;

	do {
		storm->unexpected += set_start(storm->fd) != 0;
		storm->unexpected += set_stop(storm->fd) != 0;
		storm->rounds++;
	} while (!storm->stop);
	return NULL;
}

/* A file of its own: all CPUs must do, and CPU 1 may be away. */
static void *program_in_the_storm(void *arg)
{
	struct perfmon_event event = event_any();
	struct storm *storm = arg;
	int err;

	do {
		err = set_program(storm->fd, -1, &event, 1, PERFMON_SET_STARTED);
		storm->unexpected += err != 0;
		err = set_program(storm->fd, 1, &event, 1, PERFMON_SET_STARTED);
		storm->unexpected += err && err != -ENXIO;
		storm->rounds++;
	} while (!storm->stop);
	return NULL;
}

TEST_F_TIMEOUT(offline, storm, SLOW)
{
	static void *(*const fn[])(void *) = {
		read_in_the_storm, read_cpu1_in_the_storm, start_in_the_storm,
		program_in_the_storm,
	};
	struct perfmon_event event = event_soft(PERF_COUNT_SW_DUMMY);
	struct storm storm[ARRAY_SIZE(fn)] = {};
	pthread_t thread[ARRAY_SIZE(fn)];
	unsigned int i;
	int other = control_open();

	event.preset = 42;
	ASSERT_EQ(0, cpu1_set_online(true));
	ASSERT_EQ(0, unbind_cpu());
	ASSERT_EQ(0, set_program(self->fd, -1, &event, 1, PERFMON_SET_STARTED));
	for (i = 0; i < ARRAY_SIZE(fn); i++) {
		storm[i].fd = fn[i] == program_in_the_storm ? other : self->fd;
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
	close(other);
	ASSERT_EQ(0, set_start(self->fd));
	EXPECT_FALSE(has_news(self->fd));
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs go off and on, several at a time, while files are opened, set up, read, sampled and closed
 * on all of them. What a set had counted on a CPU that went away is never less than before, and is
 * called lost; and in the end every counter of every CPU can be had.
 */
#include "random.h"
#include "pmio.h"

#include <pthread.h>

#define CPUS		64
#define ROUNDS		8

/* That many counters of a CPU are in use at once. */
#define COUNTERS	4

PROGRAM_NEEDS(have_good_counters() && counters_free(0) >= COUNTERS && cpu1_can_go(),
	      NO_GOOD_COUNTERS ", or CPU 1 cannot go offline");

/* ---- those who have no part in it but to be there ---- */

struct actor {
	const char *name;
	void (*act)(struct actor *actor);
	pthread_t thread;
	struct random random;
	atomic_bool *stop;
	atomic_uint rounds;
	int fd;				/* of the watched set */
	int cpu;
	__u64 last[CPUS];
	unsigned int unexpected;
	const char *what;		/* was unexpected */
	__s64 result;
};

static void expect(struct actor *actor, bool expected, const char *what, __s64 result)
{
	if (expected)
		return;
	actor->unexpected++;
	actor->what = what;
	actor->result = result;
}

/* The values of all CPUs, the one of perfmon(4) and the others, must not fall. */
static void read_pmio(struct actor *actor, int fd)
{
	struct pmc_cpu_value list[CPUS];
	int i, n = pmio_read_cpus(fd, 0, list, CPUS);

	expect(actor, n > 0, "PMIOREADCPUS", n);
	for (i = 0; i < n; i++) {
		expect(actor, list[i].pmcv_state == PERFMON_STATE_COUNTING ||
		       list[i].pmcv_state == PERFMON_STATE_LOST, "state", list[i].pmcv_state);
		expect(actor, (__u64)list[i].pmcv_value >= actor->last[list[i].pmcv_cpu], "value",
		       list[i].pmcv_value);
		actor->last[list[i].pmcv_cpu] = list[i].pmcv_value;
	}
}

static void write_and_close(struct actor *actor)
{
	int i, fd = device_open(O_RDWR);

	expect(actor, fd >= 0, "open", fd);
	memset(actor->last, 0, sizeof(actor->last));
	i = pmio_setup_cycles(fd, 0);
	expect(actor, !i, "PMIOSETUP", i);
	i = pmio_start(fd, 0);
	expect(actor, !i, "PMIOSTART", i);
	for (i = below(&actor->random, 20); i; i--)
		read_pmio(actor, fd);
	close(fd);
}

static void read_and_close(struct actor *actor)
{
	int fd = device_open(O_RDONLY);
	__s64 value = pmio_value(fd, 0);

	expect(actor, fd >= 0, "open", fd);
	/* Whatever the writer does at the moment. */
	expect(actor, value >= 0 || value == -EBUSY, "PMIOREAD", value);
	close(fd);
}

static void program_and_close(struct actor *actor)
{
	int cpu = (int)below(&actor->random, cpus_online() + 1) - 1;
	int err, fd = control_open();
	struct sample sample;

	expect(actor, fd >= 0, "open", fd);
	err = set_program_same(fd, cpu, event_cycles(ANY_MODE), 1);
	expect(actor, !err || (cpu > 0 && err == -ENXIO), "SET_PROGRAM", err);
	if (!err) {
		err = set_read(fd, cpu < 0 ? 0 : cpu, &sample);
		expect(actor, !err, "SET_READ", err);
		expect(actor, sample.head.state == PERFMON_STATE_COUNTING ||
		       (cpu > 0 && sample.head.state == PERFMON_STATE_LOST), "state",
		       sample.head.state);
	}
	close(fd);
}

/* The CPU may take the thread's binding with it, or come back without. */
static bool bound_or_told(struct actor *actor, const char *what, int err)
{
	expect(actor, !err || err == -EAGAIN || err == -EINVAL || err == -ENXIO, what, err);
	return !err;
}

static void sample_and_close(struct actor *actor)
{
	struct sample sample;
	int i, fd;

	if (bind_cpu(actor->cpu)) {
		usleep(1000);
		return;
	}
	fd = control_open();
	expect(actor, fd >= 0, "open", fd);
	i = shared_open(fd);
	if (bound_or_told(actor, "SHARED_OPEN", i < 0 ? i : 0) &&
	    bound_or_told(actor, "BIND", shared_bind_same(fd, event_cycles(ANY_MODE), 1))) {
		for (i = below(&actor->random, 20); i; i--)
			if (bound_or_told(actor, "SAMPLE", shared_sample(fd, &sample)))
				expect(actor, sample.head.cpu == actor->cpu, "CPU",
				       sample.head.cpu);
	}
	close(fd);
}

/* ---- the set that is watched: the clock, and something that is always 42 ---- */

struct record {
	struct perfmon_sample head;
	__u64 clock;
	__u64 constant;
};

static int program_watched(int fd)
{
	struct perfmon_event events[2] = {
		event_cycles(ANY_MODE), event_soft(PERF_COUNT_SW_DUMMY),
	};

	events[1].preset = 42;
	return set_program(fd, -1, events, 2, PERFMON_SET_STARTED);
}

static int read_record(int fd, int cpu, struct record *record)
{
	__u32 bytes = sizeof(*record);

	return set_read_bytes(fd, cpu, record, &bytes);
}

static void check_record(struct actor *actor, const struct record *record)
{
	__u64 *last = &actor->last[record->head.cpu];

	expect(actor, record->head.nr == 2, "number", record->head.nr);
	/* Stopped for a moment, before a start. */
	expect(actor, record->head.state == PERFMON_STATE_COUNTING ||
	       record->head.state == PERFMON_STATE_LOST || record->head.state == PERFMON_STATE_OFF,
	       "state", record->head.state);
	expect(actor, record->constant == 42, "constant", record->constant);
	expect(actor, record->clock >= *last, "clock", record->clock - *last);
	*last = record->clock;
}

static void read_watched(struct actor *actor)
{
	struct record records[CPUS];
	__u32 bytes = sizeof(records);
	unsigned int i, err = set_read_bytes(actor->fd, -1, records, &bytes);

	expect(actor, !err, "SET_READ", err);
	for (i = 0; !err && i < bytes / sizeof(records[0]); i++)
		check_record(actor, &records[i]);
}

static void *act_for_ever(void *arg)
{
	struct actor *actor = arg;

	do {
		actor->act(actor);
		actor->rounds++;
	} while (!*actor->stop);
	return NULL;
}

/* ---- CPUs ---- */

FIXTURE(storm) {
	int fd;
	int cpus;
	unsigned int all;
	struct random random;
	atomic_bool stop;
	struct actor actors[CPUS + 4];
	unsigned int nr_actors;
	struct record kept[CPUS];
};

static void add_actor(FIXTURE_DATA(storm) *self, const char *name, int cpu,
		      void (*act)(struct actor *actor))
{
	self->actors[self->nr_actors++] = (struct actor){
		.name = name, .act = act, .cpu = cpu, .fd = self->fd, .stop = &self->stop,
		.random = { any(&self->random) },
	};
}

FIXTURE_SETUP(storm)
{
	int cpu;

	self->random.state = random_seed("STORM_SEED");
	self->cpus = cpus_online();
	ASSERT_GT(CPUS, self->cpus);
	self->all = counters_free(0);
	ASSERT_EQ(0, bind_cpu(0));
	self->fd = control_open();
	ASSERT_EQ(0, program_watched(self->fd));
	add_actor(self, "reads the set", -1, read_watched);
	add_actor(self, "writes", -1, write_and_close);
	add_actor(self, "reads", -1, read_and_close);
	add_actor(self, "programs sets", -1, program_and_close);
	for (cpu = 0; cpu < self->cpus; cpu++)
		add_actor(self, "samples", cpu, sample_and_close);
}

FIXTURE_TEARDOWN(storm)
{
	int cpu;

	for (cpu = 1; cpu < self->cpus; cpu++)
		cpu_set_online(cpu, true);
	close(self->fd);
}

static void expect_lost(struct __test_metadata *_metadata, FIXTURE_DATA(storm) *self, int cpu,
			const struct record *record)
{
	EXPECT_EQ(PERFMON_STATE_LOST, record->head.state) {
		TH_LOG("CPU %d", cpu);
	}
	EXPECT_EQ(3, record->head.bad);
	EXPECT_EQ(42, record->constant);
	EXPECT_LE(self->kept[cpu].clock, record->clock);
}

static void cpu_goes(struct __test_metadata *_metadata, FIXTURE_DATA(storm) *self, int cpu)
{
	struct record before, after;

	ASSERT_EQ(0, read_record(self->fd, cpu, &before));
	EXPECT_EQ(PERFMON_STATE_COUNTING, before.head.state);
	self->kept[cpu] = before;
	ASSERT_EQ(0, cpu_set_online(cpu, false));
	ASSERT_EQ(0, read_record(self->fd, cpu, &after));
	expect_lost(_metadata, self, cpu, &after);
	self->kept[cpu] = after;
}

/* It is as it was when it went: it counts again with the next start, and no sooner. */
static void cpu_comes(struct __test_metadata *_metadata, FIXTURE_DATA(storm) *self, int cpu)
{
	struct record record;

	ASSERT_EQ(0, cpu_set_online(cpu, true));
	ASSERT_EQ(0, read_record(self->fd, cpu, &record));
	expect_lost(_metadata, self, cpu, &record);
	EXPECT_EQ(self->kept[cpu].clock, record.clock);
}

static void expect_counting(struct __test_metadata *_metadata, FIXTURE_DATA(storm) *self, int cpu)
{
	struct record first, second;

	ASSERT_EQ(0, read_record(self->fd, cpu, &first));
	ASSERT_EQ(0, read_record(self->fd, cpu, &second));
	EXPECT_EQ(PERFMON_STATE_COUNTING, first.head.state) {
		TH_LOG("CPU %d", cpu);
	}
	EXPECT_EQ(0, first.head.bad);
	EXPECT_LE(self->kept[cpu].clock, first.clock);
	EXPECT_LT(first.clock, second.clock);
}

/* Some of the CPUs, but not the first one. */
static void some_go_and_come(struct __test_metadata *_metadata, FIXTURE_DATA(storm) *self)
{
	bool goes[CPUS] = {};
	int cpu;

	for (cpu = 1; cpu < self->cpus; cpu++)
		goes[cpu] = one_in(&self->random, 2);
	goes[1 + below(&self->random, self->cpus - 1)] = true;
	for (cpu = 1; cpu < self->cpus; cpu++) {
		if (goes[cpu])
			cpu_goes(_metadata, self, cpu);
	}
	random_pause(&self->random, 20000);
	/* A start while they are away leaves them so. */
	if (one_in(&self->random, 3)) {
		EXPECT_EQ(0, set_stop(self->fd) ?: set_start(self->fd));
	}
	for (cpu = 1; cpu < self->cpus; cpu++) {
		if (goes[cpu])
			cpu_comes(_metadata, self, cpu);
	}
	/* A start falls back to the last stop. */
	ASSERT_EQ(0, set_stop(self->fd));
	ASSERT_EQ(0, set_start(self->fd));
	for (cpu = 0; cpu < self->cpus; cpu++)
		expect_counting(_metadata, self, cpu);
}

static bool all_had_a_turn(FIXTURE_DATA(storm) *self)
{
	unsigned int i;

	for (i = 0; i < self->nr_actors; i++)
		if (!self->actors[i].rounds)
			return false;
	return true;
}

static void end_actor(struct __test_metadata *_metadata, struct actor *actor)
{
	pthread_join(actor->thread, NULL);
	EXPECT_EQ(0, actor->unexpected) {
		TH_LOG("who %s, CPU %d: %s is %lld", actor->name, actor->cpu, actor->what,
		       (long long)actor->result);
	}
	fprintf(TH_LOG_STREAM, "# who %s, CPU %d: %u rounds\n", actor->name, actor->cpu,
		actor->rounds);
}

/* Not only free, but good for counting. */
static void take_all(struct __test_metadata *_metadata, FIXTURE_DATA(storm) *self)
{
	struct sample samples[CPUS];
	struct sample sample;
	__u32 bytes = sizeof(samples);
	int cpu, fd = control_open();

	EXPECT_EQ(0, set_program_same(fd, -1, event_cycles(ANY_MODE), self->all));
	EXPECT_EQ(0, set_read_bytes(fd, -1, samples, &bytes));
	EXPECT_EQ(self->cpus * sample_size(self->all), bytes);
	for (cpu = 0; cpu < self->cpus; cpu++) {
		EXPECT_EQ(0, set_read(fd, cpu, &sample));
		EXPECT_EQ(PERFMON_STATE_COUNTING, sample.head.state);
		EXPECT_LT(0, sample.value[self->all - 1]);
	}
	close(fd);
}

TEST_F_TIMEOUT(storm, cpus_come_and_go, 10 * SLOW)
{
	uint64_t since = now_ns();
	unsigned int i, rounds;

	for (i = 0; i < self->nr_actors; i++) {
		ASSERT_EQ(0, pthread_create(&self->actors[i].thread, NULL, act_for_ever,
					    &self->actors[i]));
	}
	for (rounds = 0; more_rounds(rounds, ROUNDS, since) || !all_had_a_turn(self); rounds++)
		some_go_and_come(_metadata, self);
	self->stop = true;
	for (i = 0; i < self->nr_actors; i++)
		end_actor(_metadata, &self->actors[i]);
	fprintf(TH_LOG_STREAM, "# %d CPUs: %u rounds\n", self->cpus, rounds);
	EXPECT_LT(2, rounds);
	close(self->fd);
	self->fd = -1;
	expect_all_free(_metadata, "the storm", self->all);
	take_all(_metadata, self);
}

TEST_HARNESS_MAIN

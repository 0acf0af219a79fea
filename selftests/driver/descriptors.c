// SPDX-License-Identifier: GPL-2.0-only
/*
 * One open file in many hands: another process has it when its opener is dead, a child has it from
 * its parent, threads use it all at once. lifetime.c has what ends with the last of them.
 */
#include "random.h"
#include "states.h"

FIXTURE(descriptors) {
};

FIXTURE_SETUP(descriptors)
{
}

FIXTURE_TEARDOWN(descriptors)
{
	unbind_cpu();
}

/* ---- many processes ---- */

static int open_and_send(int sock, void *arg)
{
	const struct state *state = arg;
	int fd = state->enter();

	return fd < 0 ? fd : send_fd(sock, fd);
}

/* What the file holds: as long as anybody has it, that is what it was. */
static void expect_held(struct __test_metadata *_metadata, const struct state *state,
			unsigned int free)
{
	EXPECT_EQ(state->holder, holders_count()) {
		TH_LOG("%s", state->name);
	}
	EXPECT_EQ(free, counters_free(0)) {
		TH_LOG("%s", state->name);
	}
}

static void use_of_the_dead(struct __test_metadata *_metadata, const struct state *state)
{
	unsigned int all = counters_free(0), free;
	struct peer opener;
	int fd;

	ASSERT_EQ(0, peer_start(&opener, open_and_send, (void *)state));
	fd = receive_fd(opener.sock);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, peer_hear(opener.sock));
	free = counters_free(0);
	peer_kill(&opener);
	expect_held(_metadata, state, free);
	/* What holds a CPU is for threads that are bound to it. */
	EXPECT_EQ(0, bind_cpu(0));
	EXPECT_STREQ("", use_all(fd, state->what));
	/* Again: nothing that the first time left behind is in the way. */
	EXPECT_STREQ("", use_all(fd, state->what));
	close(fd);
	expect_all_free(_metadata, state->name, all);
}

TEST_F_TIMEOUT(descriptors, used_after_its_openers_death, SLOW)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(states); i++) {
		if (state_is_possible(&states[i]) && state_is_plain(&states[i]))
			use_of_the_dead(_metadata, &states[i]);
	}
}

struct inherited {
	int fd;
	const struct state *state;
};

static int do_nothing(void *arg)
{
	(void)arg;
	return 0;
}

static int use_inherited(void *arg)
{
	struct inherited *inherited = arg;

	return use_all(inherited->fd, inherited->state->what)[0] != '\0';
}

/* Once while the parent has it, and again when it is told that the parent has not. */
static int use_twice(int sock, void *arg)
{
	peer_tell(sock, use_inherited(arg));
	return peer_hear(sock) ?: use_inherited(arg);
}

static void fork_with(struct __test_metadata *_metadata, const struct state *state)
{
	struct inherited inherited = { .state = state };
	unsigned int all = counters_free(0), free;
	struct peer child;

	inherited.fd = state->enter();
	ASSERT_LE(0, inherited.fd);
	/* A child that ends takes nothing with it. */
	free = counters_free(0);
	EXPECT_EQ(0, in_child(do_nothing, &inherited));
	expect_held(_metadata, state, free);
	EXPECT_EQ(0, in_child(use_inherited, &inherited));
	EXPECT_EQ(state->holder, holders_count());
	EXPECT_EQ(0, use_inherited(&inherited));

	ASSERT_EQ(0, peer_start(&child, use_twice, &inherited));
	EXPECT_EQ(0, peer_hear(child.sock));
	EXPECT_EQ(0, use_inherited(&inherited));
	free = counters_free(0);
	close(inherited.fd);
	expect_held(_metadata, state, free);
	peer_tell(child.sock, 0);
	EXPECT_EQ(0, peer_hear(child.sock));
	peer_kill(&child);
	expect_all_free(_metadata, state->name, all);
}

TEST_F_TIMEOUT(descriptors, forked_with_an_open_file, SLOW)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(states); i++) {
		if (state_is_possible(&states[i]) && state_is_plain(&states[i]))
			fork_with(_metadata, &states[i]);
	}
}

/* ---- many threads ---- */

#define THREADS		3
#define REQUESTS	150

struct crowd {
	int fd;
	unsigned int what;
};

struct member {
	const struct crowd *crowd;
	pthread_t thread;
	struct random random;
	atomic_uint done;		/* requests */
	const char *unexpected;		/* request, or "" */
	int err;
};

/* Returns false when there is no file any more. */
static bool use_at_random(struct member *m)
{
	const struct use *use = &uses[below(&m->random, ARRAY_SIZE(uses))];
	int err;

	if (!(use->files & m->crowd->what))
		return true;
	err = use->request(m->crowd->fd);
	m->done++;
	/* poll(2) has no such errno. */
	if (err == -EBADF)
		return false;
	if (err && err != use->may_be && err != use->races) {
		m->unexpected = use->name;
		m->err = err;
	}
	return true;
}

/* Until somebody closes the file. */
static void *use_for_ever(void *arg)
{
	while (use_at_random(arg))
		;
	return NULL;
}

static void use_in_a_crowd(struct __test_metadata *_metadata, const struct state *state,
			   uint32_t seed)
{
	struct crowd crowd = { .fd = state->enter(), .what = state->what };
	struct member members[THREADS] = {};
	unsigned int i;

	ASSERT_LE(0, crowd.fd);
	/* What is not set up cannot be started, but after this it is. */
	ASSERT_STREQ("", use_all(crowd.fd, crowd.what));
	for (i = 0; i < THREADS; i++) {
		members[i] = (struct member){
			.crowd = &crowd, .random = { seed + i }, .unexpected = "",
		};
		ASSERT_EQ(0, pthread_create(&members[i].thread, NULL, use_for_ever, &members[i]));
	}
	for (i = 0; i < THREADS; i++) {
		while (members[i].done < REQUESTS)
			usleep(1000);
	}
	/* Some of them are in the middle of a request. */
	close(crowd.fd);
	for (i = 0; i < THREADS; i++) {
		pthread_join(members[i].thread, NULL);
		EXPECT_STREQ("", members[i].unexpected) {
			TH_LOG("%s: errno %d", state->name, -members[i].err);
		}
	}
}

TEST_F_TIMEOUT(descriptors, threads_do_everything_at_once, SLOW)
{
	uint32_t seed = random_seed("DESCRIPTORS_SEED");
	unsigned int i, all = counters_free(0);

	for (i = 0; i < ARRAY_SIZE(states); i++) {
		if (!state_is_possible(&states[i]) || !state_is_plain(&states[i]))
			continue;
		use_in_a_crowd(_metadata, &states[i], seed + i * THREADS);
		expect_all_free(_metadata, states[i].name, all);
	}
}

/* ---- what a file becomes ---- */

struct racer {
	atomic_uint *ready;
	int cpu;
	int fd;
	int (*become)(int fd);
	int result;
};

static void *race(void *arg)
{
	struct racer *racer = arg;

	bind_cpu(racer->cpu);
	/* Who sleeps until the other is there comes too late. */
	++*racer->ready;
	while (*racer->ready < 2)
		;
	racer->result = racer->become(racer->fd);
	return NULL;
}

/* Who comes late is told so, and the file is what the first one made of it. */
TEST_F_TIMEOUT(descriptors, threads_race_for_what_it_becomes, SLOW)
{
	unsigned int round, i, all = counters_free(0);
	struct racer racers[2];
	pthread_t thread;

	NEEDS_HARDWARE();
	NEEDS_TWO_CPUS();
	for (round = 0; round < 60; round++) {
		atomic_uint ready = 0;
		int fd = control_open();

		for (i = 0; i < 2; i++)
			racers[i] = (i + round) % 2 ?
				(struct racer){ &ready, 0, fd, shared_open } :
				(struct racer){ &ready, 1, fd, program_any };
		ASSERT_EQ(0, pthread_create(&thread, NULL, race, &racers[0]));
		race(&racers[1]);
		pthread_join(thread, NULL);
		/* What was opened is for who is on that CPU. */
		ASSERT_EQ(0, bind_cpu(0));
		i = racers[0].result != 0;
		EXPECT_EQ(0, racers[i].result);
		EXPECT_TRUE(racers[!i].result == -EBUSY || racers[!i].result == -ENOTTY) {
			TH_LOG("%d", racers[!i].result);
		}
		EXPECT_STREQ("", use_all(fd, racers[i].become == shared_open ? SHARED : SET));
		close(fd);
		EXPECT_EQ(0, holders_count());
	}
	expect_all_free(_metadata, "races", all);
}

TEST_HARNESS_MAIN

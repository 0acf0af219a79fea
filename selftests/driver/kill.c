// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes that hold counters are killed at any moment, in the middle of whatever they do. After
 * each round nobody holds anything. lifetime.c kills them in all the states that they can be in.
 */
#include "random.h"
#include "states.h"

#define PEERS	3
#define ROUNDS	16

/* What the threads of a process share. */
struct worker {
	struct random random;
	atomic_int fd;
	atomic_uint what;
};

static void use_one(struct worker *w, struct random *random)
{
	const struct use *use = &uses[below(random, ARRAY_SIZE(uses))];

	if (use->files & w->what)
		use->request(w->fd);
}

/* Beside the other thread, at the file that it has at the moment. */
static void *use_for_ever(void *arg)
{
	struct worker *w = arg;
	struct random random = { w->random.state + 1 };

	for (;;)
		use_one(w, &random);
	return NULL;
}

/* One state after the other; those that others do not leave room for are passed over. */
static void work_once(struct worker *w)
{
	const struct state *state = &states[below(&w->random, ARRAY_SIZE(states))];
	unsigned int i;

	if (!state_is_possible(state) || !state_is_plain(state))
		return;
	w->fd = state->enter();
	w->what = state->what;
	for (i = below(&w->random, 10); i; i--)
		use_one(w, &w->random);
	close(w->fd);
	unbind_cpu();
}

static int work_for_ever(int sock, void *arg)
{
	struct worker *w = arg;
	pthread_t thread;

	(void)sock;
	w->fd = -1;
	w->what = CONTROL;
	if (one_in(&w->random, 2))
		pthread_create(&thread, NULL, use_for_ever, w);
	for (;;)
		work_once(w);
	return 0;
}

static void kill_all(struct __test_metadata *_metadata, struct random *random)
{
	struct worker workers[PEERS] = {};
	struct peer peers[PEERS];
	unsigned int i;

	for (i = 0; i < PEERS; i++) {
		workers[i].random.state = any(random);
		ASSERT_EQ(0, peer_start(&peers[i], work_for_ever, &workers[i]));
	}
	for (i = 0; i < PEERS; i++) {
		random_pause(random, 20000);
		peer_kill(&peers[i]);
	}
}

FIXTURE(kill) {
};

FIXTURE_SETUP(kill)
{
}

FIXTURE_TEARDOWN(kill)
{
}

TEST_F_TIMEOUT(kill, storm, 10 * SLOW)
{
	struct random random = { random_seed("KILL_SEED") };
	unsigned int rounds, all = counters_free(0);
	uint64_t since = now_ns();

	for (rounds = 0; more_rounds(rounds, ROUNDS, since); rounds++) {
		kill_all(_metadata, &random);
		expect_all_free(_metadata, "a round", all);
		ASSERT_EQ(all, counters_free(0));
	}
	fprintf(TH_LOG_STREAM, "# %u rounds, %u processes killed\n", rounds, rounds * PEERS);
	EXPECT_LT(0, rounds);
}

TEST_HARNESS_MAIN

/* SPDX-License-Identifier: GPL-2.0-only */
/* Random numbers, the same for each seed. */
#ifndef RANDOM_H
#define RANDOM_H

#include "perfmon_test.h"

struct random {
	uint64_t state;
};

static inline uint32_t any(struct random *r)
{
	r->state = r->state * 6364136223846793005ULL + 1442695040888963407ULL;
	return r->state >> 33;
}

static inline uint32_t below(struct random *r, uint32_t n)
{
	return any(r) % n;
}

static inline bool one_in(struct random *r, uint32_t n)
{
	return !below(r, n);
}

/* Up to so long, and mostly much shorter. */
static inline void random_pause(struct random *r, uint32_t most_us)
{
	usleep(below(r, 1 + below(r, most_us)));
}

/*
 * A run differs from the last, unless whoever runs it says which it shall be; it tells which it
 * is, for those who want to see it again.
 */
static inline uint32_t random_seed(const char *variable)
{
	uint32_t seed = number_from_environment(variable, now_ns());

	fprintf(stderr, "# %s=%u\n", variable, seed);
	return seed;
}

/* Seconds that there are for what could go on for ever; 0: the suite has time for a few rounds. */
static inline unsigned int storm_seconds(void)
{
	return number_from_environment("STORM_SECONDS", 0);
}

static inline bool more_rounds(unsigned int done, unsigned int rounds, uint64_t since)
{
	unsigned int seconds = storm_seconds();

	return seconds ? now_ns() - since < seconds * NSEC_PER_SEC : done < rounds;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Random numbers that are the same for each seed, and numbers that programs get wrong. */
#ifndef FUZZ_RANDOM_H
#define FUZZ_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct random {
	uint64_t state;
};

/* Every bit of the result depends on every bit of the argument. */
static inline uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93ULL;
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93ULL;
	return x ^ x >> 32;
}

static inline uint64_t mix2(uint64_t a, uint64_t b)
{
	return mix(mix(a + 0x9e3779b97f4a7c15ULL) + b);
}

static inline uint64_t any64(struct random *r)
{
	r->state += 0x9e3779b97f4a7c15ULL;
	return mix(r->state);
}

static inline uint32_t any(struct random *r)
{
	return any64(r) >> 32;
}

/* 0 to n - 1 */
static inline uint32_t below(struct random *r, uint32_t n)
{
	return (uint64_t)any(r) * n >> 32;
}

static inline bool one_in(struct random *r, uint32_t n)
{
	return !below(r, n);
}

/* A number that is at the edge of something. */
uint32_t edge_number(struct random *r);
uint64_t edge_number64(struct random *r);
/* One below n, but for every 16th time. */
uint32_t small_number(struct random *r, uint32_t n);
/* 0, but for every 24th time. */
uint32_t zero_mostly(struct random *r);

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * How often each operation is done in a round. That differs from round to round, since much is
 * found only where something is never done, or nothing else: who always closes never has many open.
 *
 * A mix has a level for each kind of operation. Where the kernel tells what it ran (kcov.c), mixes
 * with which it ran something new are kept, and most rounds try one like these. So a round is
 * repeated with its seed, its number and its mix, which the log says.
 */
#include "fuzz.h"

#define LEVELS	5
#define USUAL	'2'
#define KEPT	32

static const unsigned int factors[LEVELS] = { 0, 1, 4, 16, 64 };

static struct {
	struct mix mix;
	uint64_t found;
} kept[KEPT];

static unsigned int nkept;
static unsigned int chances[MAX_KINDS];
static unsigned int sum;
static uint64_t ran_before;

struct mix round_mix;

static void set_chances(void)
{
	unsigned int k;

	for (sum = 0, k = 0; k < nkinds; k++) {
		chances[k] = kinds[k].weight * factors[round_mix.level[k] - '0'];
		sum += chances[k];
	}
}

static void usual(void)
{
	memset(round_mix.level, USUAL, nkinds);
	round_mix.level[nkinds] = '\0';
}

static char any_level(struct random *r)
{
	return '0' + below(r, LEVELS);
}

static void any_mix(struct random *r)
{
	unsigned int k;

	for (k = 0; k < nkinds; k++)
		round_mix.level[k] = any_level(r);
}

static void like_one_kept(struct random *r)
{
	unsigned int n;

	round_mix = kept[below(r, nkept)].mix;
	for (n = 1 + below(r, 4); n; n--)
		round_mix.level[below(r, nkinds)] = any_level(r);
}

bool mix_parse(const char *text)
{
	if (strlen(text) != nkinds || strspn(text, "01234") != nkinds)
		return false;
	memcpy(options.mix.level, text, nkinds);
	return true;
}

void mix_begin(uint64_t round)
{
	struct random r = { .state = mix2(~options.seed, round) };

	usual();
	if (options.mix.level[0])
		round_mix = options.mix;
	else if (nkept && !one_in(&r, 4))
		like_one_kept(&r);
	else if (one_in(&r, 2))
		any_mix(&r);
	set_chances();
	/* Nothing at all is no round. */
	if (!sum) {
		usual();
		set_chances();
	}
	ran_before = kcov_edges();
}

/* In place of the one that found least. */
void mix_end(void)
{
	uint64_t found = kcov_edges() - ran_before;
	unsigned int i, at = 0;

	if (!found)
		return;
	for (i = 0; i < nkept; i++)
		if (kept[i].found < kept[at].found)
			at = i;
	if (nkept < KEPT)
		at = nkept++;
	kept[at].mix = round_mix;
	kept[at].found = found;
}

unsigned int mix_choose(struct random *r)
{
	unsigned int k, n = below(r, sum);

	for (k = 0; n >= chances[k]; k++)
		n -= chances[k];
	return k;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* The names that somebody may have meant. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define MAX_LEN		64
#define N_BEST		3
#define FAR		1000

struct best {
	const char *wanted;
	unsigned int n;
	struct {
		unsigned int distance;
		char name[MAX_LEN + 1];
	} candidate[N_BEST];
};

/* People mix up these, and upper and lower case, without meaning another name. */
static int fold(char c)
{
	return c == '-' || c == '.' || c == ' ' ? '_' : tolower((unsigned char)c);
}

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int m = a < b ? a : b;

	return m < c ? m : c;
}

/* Insertions, deletions and replacements between two names of at most MAX_LEN. */
static unsigned int edits(const char *a, const char *b)
{
	unsigned int row[MAX_LEN + 1], len = strlen(b), i, j;

	for (j = 0; j <= len; j++)
		row[j] = j;
	for (i = 0; a[i]; i++) {
		unsigned int diagonal = row[0];

		row[0] = i + 1;
		for (j = 1; j <= len; j++) {
			unsigned int above = row[j];

			row[j] = min3(above + 1, row[j - 1] + 1,
				      diagonal + (fold(a[i]) != fold(b[j - 1])));
			diagonal = above;
		}
	}
	return row[len];
}

/*
 * A name that contains what was written, or is contained in it, is close whatever its length: half
 * the price of what is missing. Short words occur in too many names for that.
 */
static unsigned int distance(const char *wanted, const char *name)
{
	size_t a = strlen(wanted), b = strlen(name);

	if (a > MAX_LEN || b > MAX_LEN)
		return FAR;
	if (a >= 4 && strcasestr(name, wanted))
		return 1 + (b - a) / 8;
	if (b >= 4 && strcasestr(wanted, name))
		return 1 + (a - b) / 4;
	return edits(wanted, name);
}

static void insert(struct best *best, const char *name, unsigned int d)
{
	unsigned int at = best->n;

	while (at > 0 && d < best->candidate[at - 1].distance)
		at--;
	if (at == N_BEST)
		return;
	if (best->n < N_BEST)
		best->n++;
	memmove(&best->candidate[at + 1], &best->candidate[at],
		(best->n - 1 - at) * sizeof(best->candidate[0]));
	best->candidate[at].distance = d;
	snprintf(best->candidate[at].name, sizeof(best->candidate[at].name), "%s", name);
}

static int consider(const struct pme_info *info, void *arg)
{
	struct best *best = arg;
	unsigned int d = distance(best->wanted, info->name);

	/* Two names with a third of their letters in error have nothing in common. */
	if (d <= (strlen(best->wanted) + 2) / 3)
		insert(best, info->name, d);
	return 0;
}

char *pme_suggest(const char *name)
{
	struct best best = { .wanted = name };
	char *text;
	int n = -1;

	pme_walk(NULL, consider, &best);
	if (best.n == 1)
		return strdup(best.candidate[0].name);
	if (best.n == 2)
		n = asprintf(&text, "%s or %s", best.candidate[0].name, best.candidate[1].name);
	if (best.n == 3)
		n = asprintf(&text, "%s, %s or %s", best.candidate[0].name,
			     best.candidate[1].name, best.candidate[2].name);
	return n < 0 ? NULL : text;
}

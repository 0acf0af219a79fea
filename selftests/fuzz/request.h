/* SPDX-License-Identifier: GPL-2.0-only */
/* A request, its memory, and what must be true of both afterwards. */
#ifndef FUZZ_REQUEST_H
#define FUZZ_REQUEST_H

#include "fuzz.h"

enum place {
	GOOD,		/* all of it is memory */
	STRADDLING,	/* its end is not */
	READ_ONLY,
	BAD,
	RACING,		/* others write there meanwhile: anything may come of it */
};

struct buffer {
	enum place place;
	void *at;
	size_t size;
	size_t writable;	/* bytes at its beginning that the kernel may change */
};

struct request {
	unsigned long cmd;
	struct buffer arg;
	struct buffer data;	/* what arg points to; size 0: nothing */
	bool invalid;		/* must not succeed, whatever the file is */
};

/* Memory that is no memory, and the like; the same in all processes. */
void memory_init(void);
int area_init(struct area *area);
void area_free(struct area *area);

/*
 * Puts a copy of `size` bytes at `from` somewhere in the area, or nowhere that is good, and says
 * where. The rest of the area holds a pattern.
 */
void put(struct worker *w, struct area *area, struct buffer *b, const void *from, size_t size);

/*
 * The argument of a request whose structure begins with its size, of which the module knows
 * `known` bytes: sets the size to something, adds bytes, puts it, and finds whether it is invalid.
 */
void put_sized(struct worker *w, struct request *rq, void *arg, size_t known);

/* Does it; checks the errno, rq->invalid and all memory. */
int do_request(struct worker *w, int fd, struct request *rq);

static inline bool is_good(const struct buffer *b)
{
	return b->place == GOOD;
}

/* Whoever reads it as a whole, or writes it, must fail. */
static inline bool never_good(const struct buffer *b, bool write)
{
	return b->place == BAD || b->place == STRADDLING || (write && b->place == READ_ONLY);
}

/* An event, right or almost. */
struct perfmon_event random_event(struct worker *w);
int random_cpu(struct worker *w);	/* -1: all */

#endif

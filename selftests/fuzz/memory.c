// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory that requests point to. What they point to lies in a page of its own between two that
 * are bad, at the beginning, at the end or amid a pattern, so that a byte too many is noticed.
 */
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "request.h"

#define PAGE		4096
#define PATTERN		0xa5
#define MARGIN		64	/* looked at on both sides after each request */
#define MOST_SAID	160	/* bytes of a buffer */
#define ALL_OF_IT	128	/* requests between two looks at the whole page */

static unsigned char *read_only;
static unsigned char *racing;

static void *map(size_t size, int prot, int flags)
{
	void *at = mmap(NULL, size, prot, flags | MAP_ANONYMOUS, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

void memory_init(void)
{
	read_only = map(PAGE, PROT_READ, MAP_PRIVATE);
	racing = map(PAGE, PROT_READ | PROT_WRITE, MAP_SHARED);
	if (!read_only || !racing) {
		perror("fuzz: mmap");
		exit(2);
	}
}

int area_init(struct area *area)
{
	unsigned char *at = map(3 * PAGE, PROT_NONE, MAP_PRIVATE);

	area->copy = map(PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	if (!at || !area->copy || mprotect(at + PAGE, PAGE, PROT_READ | PROT_WRITE))
		return -errno;
	area->page = at + PAGE;
	area->size = 0;
	memset(area->page, PATTERN, PAGE);
	return 0;
}

void area_free(struct area *area)
{
	munmap(area->page - PAGE, 3 * PAGE);
	munmap(area->copy, PAGE);
}

/* Where nothing is, or nothing for us. */
static void *bad_address(struct worker *w, const struct area *area)
{
	static const uintptr_t bad[] = {
		0, 8, 0xfff, (uintptr_t)-1, (uintptr_t)-4096, (uintptr_t)-4097,
		~(UINTPTR_MAX >> 1), (UINTPTR_MAX >> 8) + 1,
#if UINTPTR_MAX > UINT32_MAX
		/* Of 32 bits these are where the stack is. */
		~(UINTPTR_MAX >> 16),
#endif
	};
	unsigned int n = below(&w->random, ARRAY_SIZE(bad) + 2);

	if (n < ARRAY_SIZE(bad))
		return (void *)bad[n];
	return area->page + (n == ARRAY_SIZE(bad) ? PAGE : -PAGE);
}

static size_t good_offset(struct worker *w, size_t size)
{
	size_t room = PAGE - size, at;

	switch (below(&w->random, 4)) {
	case 0:
		return 0;
	case 1:
		return room;
	default:
		at = below(&w->random, room + 1);
		return one_in(&w->random, 8) ? at : at & ~7UL;
	}
}

static enum place random_place(struct worker *w)
{
	static const enum place hostile[] = {
		STRADDLING, STRADDLING, READ_ONLY, BAD, BAD, RACING, RACING,
	};

	return one_in(&w->random, 16) ? hostile[below(&w->random, ARRAY_SIZE(hostile))] : GOOD;
}

static void put_good(struct area *area, struct buffer *b, const void *from, size_t at, size_t size)
{
	memcpy(area->page + at, from, size);
	area->at = at;
	area->size = size;
	b->at = area->page + at;
}

void put(struct worker *w, struct area *area, struct buffer *b, const void *from, size_t size)
{
	memset(area->page + area->at, PATTERN, area->size);
	area->size = 0;
	if (size <= PAGE)
		memcpy(area->copy, from, size);
	b->place = size > PAGE || !size ? BAD : random_place(w);
	b->size = size;
	b->writable = 0;
	switch (b->place) {
	case GOOD:
		put_good(area, b, from, good_offset(w, size), size);
		break;
	case STRADDLING:
		size = below(&w->random, size);
		put_good(area, b, from, PAGE - size, size);
		break;
	case READ_ONLY:
		b->at = read_only + good_offset(w, size);
		break;
	case BAD:
		b->at = bad_address(w, area);
		break;
	case RACING:
		b->at = racing + good_offset(w, size);
		memcpy(b->at, from, size);
		break;
	}
}

/* The first byte between two that is not of the pattern, or `to`. */
static size_t find_change(const struct area *area, size_t from, size_t to)
{
	while (from < to && area->page[from] == PATTERN)
		from++;
	return from;
}

static bool all_pattern(const struct area *area, size_t from, size_t to)
{
	/* Each is like the one after it. */
	return from >= to || (area->page[from] == PATTERN &&
			      !memcmp(area->page + from, area->page + from + 1, to - from - 1));
}

static void check_around(struct worker *w, struct area *area, const char *what, size_t margin)
{
	size_t end = area->at + area->size, from, to, at;

	from = area->at > margin ? area->at - margin : 0;
	to = PAGE - end > margin ? end + margin : PAGE;
	if (all_pattern(area, from, area->at) && all_pattern(area, end, to))
		return;
	at = find_change(area, from, area->at);
	if (at == area->at)
		at = find_change(area, end, to);
	broken(w, "%s: byte %ld, of %zu, is %#x", what, (long)at - (long)area->at, area->size,
	       area->page[at]);
	memset(area->page, PATTERN, area->at);
	memset(area->page + end, PATTERN, PAGE - end);
}

/* Is all of the page as it was, but for what may have been written? */
static void check_area(struct worker *w, struct area *area, const struct buffer *b,
		       const char *what)
{
	size_t at = b->writable;

	check_around(w, area, what, w->op % ALL_OF_IT ? MARGIN : PAGE);
	while (at < area->size && area->page[area->at + at] == area->copy[at])
		at++;
	if (at < area->size)
		broken(w, "%s: byte %zu, of %zu, of which %zu may change, was %#x and is %#x",
		       what, at, b->size, b->writable, area->copy[at], area->page[area->at + at]);
}

/* errno values that perfmon(4) names, and what a descriptor gives that is not of the device. */
static bool is_documented(int err)
{
	static const int documented[] = {
		E2BIG, EACCES, EAGAIN, EBADF, EBUSY, EFAULT, EINVAL, ENOMEM, ENOTTY, ENXIO,
		EOPNOTSUPP, EPERM,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(documented); i++)
		if (documented[i] == err)
			return true;
	return false;
}

/* Where it is, so that it is the same in each run; of what is no memory, the address. */
static uint64_t offset_of(const struct area *area, const struct buffer *b)
{
	uintptr_t at = (uintptr_t)b->at;

	if (!b->size)
		return at;
	switch (b->place) {
	case READ_ONLY:
		return at - (uintptr_t)read_only;
	case RACING:
		return at - (uintptr_t)racing;
	case BAD:
		if (at - (uintptr_t)area->page + PAGE > 2 * PAGE)
			return at;
		break;
	default:
		break;
	}
	return at - (uintptr_t)area->page;
}

/* So that two runs can be compared, and a request can be done again by hand. */
static void say_bytes(struct worker *w, const char *what, const struct area *area,
		      const struct buffer *b)
{
	size_t i, n = b->size < MOST_SAID ? b->size : MOST_SAID;
	char text[2 * MOST_SAID + 1] = "";

	for (i = 0; i < n; i++)
		sprintf(text + 2 * i, "%02x", area->copy[i]);
	say(w, "%s %s%s", what, text, n < b->size ? "..." : "");
}

static bool note_request(struct worker *w, const struct request *rq)
{
	bool do_it = note(w, "ioctl(slot %lld, %#llx, %llu bytes, place %llu at %#llx, "
			  "data %llu bytes, place %llu at %#llx) invalid %llu",
			  w->slot, rq->cmd, rq->arg.size, rq->arg.place,
			  offset_of(&w->arg, &rq->arg), rq->data.size, rq->data.place,
			  offset_of(&w->data, &rq->data), rq->invalid);

	if (!options.replay && !options.dump)
		return true;
	if (rq->arg.size)
		say_bytes(w, "argument", &w->arg, &rq->arg);
	if (rq->data.size && rq->data.size <= PAGE)
		say_bytes(w, "data", &w->data, &rq->data);
	return do_it;
}

int do_request(struct worker *w, int fd, struct request *rq)
{
	int ret;

	if (!note_request(w, rq))
		return NOTHING_DONE;
	ret = ioctl(fd, rq->cmd, rq->arg.at);
	if (ret < 0)
		ret = -errno;
	if (ret > 0)
		broken(w, "a request gives %d", ret);
	if (ret < 0 && !is_documented(-ret))
		broken(w, "errno %d is not one of the manual's", -ret);
	if (!ret && rq->invalid && rq->arg.place != RACING && rq->data.place != RACING)
		broken(w, "an invalid request succeeds");
	if (rq->arg.size)
		check_area(w, &w->arg, &rq->arg, "the argument");
	if (rq->data.size)
		check_area(w, &w->data, &rq->data, "what it points to");
	return ret;
}

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
		(uintptr_t)1 << 63, (uintptr_t)0xffff << 48, (uintptr_t)1 << 56,
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
	memcpy(area->copy + at, from, size);
	b->at = area->page + at;
}

void put(struct worker *w, struct area *area, struct buffer *b, const void *from, size_t size)
{
	memset(area->page, PATTERN, PAGE);
	memset(area->copy, PATTERN, PAGE);
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

static bool same(const unsigned char *a, const unsigned char *b, size_t from, size_t to, size_t *at)
{
	for (*at = from; *at < to; ++*at)
		if (a[*at] != b[*at])
			return false;
	return true;
}

/* Is all of the page as it was, but for what may have been written? */
static void check_area(struct worker *w, const struct area *area, const struct buffer *b,
		       const char *what)
{
	size_t at = 0, from = 0, to = 0;
	bool mine = b->place == GOOD || b->place == STRADDLING;

	if (mine) {
		from = (unsigned char *)b->at - area->page;
		to = from + b->writable < PAGE ? from + b->writable : PAGE;
	}
	/* Most of the time there is nothing to look for. */
	if (!memcmp(area->page, area->copy, from) &&
	    !memcmp(area->page + to, area->copy + to, PAGE - to))
		return;
	if (same(area->page, area->copy, 0, from, &at) ||
	    same(area->page, area->copy, to, PAGE, &at))
		return;
	broken(w, "%s: byte %ld of %zu, of which %zu may change, was %#x and is %#x", what,
	       (long)at - (long)from, b->size, b->writable, area->copy[at], area->page[at]);
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

int do_request(struct worker *w, int fd, struct request *rq)
{
	int ret;

	note(w, "ioctl(%d, %#lx, %p %zu/%d data %p %zu/%d)%s", fd, rq->cmd, rq->arg.at,
	     rq->arg.size, rq->arg.place, rq->data.at, rq->data.size, rq->data.place,
	     rq->invalid ? " invalid" : "");
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

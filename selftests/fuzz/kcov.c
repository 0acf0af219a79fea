// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the driver ran: pairs of places that were run one after the other, as a kernel tells that
 * was built with KCOV, of a driver that was built with it. Elsewhere nothing is known, which is
 * none.
 */
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <linux/kcov.h>

#include "fuzz.h"

#define FILE_NAME	"/sys/kernel/debug/kcov"
#define ROOM		16384		/* places of one operation */

bool kcov_is_there(void)
{
	return !access(FILE_NAME, W_OK);
}

/* Of the calling thread alone, until it ends. */
void kcov_start(struct worker *w)
{
	unsigned long *places = MAP_FAILED;

	w->kcov_fd = open(FILE_NAME, O_RDWR | O_CLOEXEC);
	if (w->kcov_fd < 0)
		return;
	if (!ioctl(w->kcov_fd, KCOV_INIT_TRACE, ROOM))
		places = mmap(NULL, ROOM * sizeof(*places), PROT_READ | PROT_WRITE, MAP_SHARED,
			      w->kcov_fd, 0);
	if (places == MAP_FAILED)
		return;
	if (ioctl(w->kcov_fd, KCOV_ENABLE, KCOV_TRACE_PC))
		munmap(places, ROOM * sizeof(*places));
	else
		w->places = places;
}

void kcov_end(struct worker *w)
{
	if (w->places) {
		ioctl(w->kcov_fd, KCOV_DISABLE, 0);
		munmap(w->places, ROOM * sizeof(*w->places));
	}
	if (w->kcov_fd >= 0)
		close(w->kcov_fd);
	w->places = NULL;
	w->kcov_fd = -1;
}

void kcov_begin_op(struct worker *w)
{
	if (w->places)
		__atomic_store_n(&w->places[0], 0, __ATOMIC_RELAXED);
}

static void add_edge(uint64_t from, uint64_t to)
{
	unsigned int n = mix2(from, to) % EDGES;
	uint64_t bit = 1ULL << n % 64;

	if (shared->edges[n / 64] & bit || atomic_fetch_or(&shared->edges[n / 64], bit) & bit)
		return;
	atomic_fetch_add(&shared->nedges, 1);
}

void kcov_end_op(struct worker *w)
{
	unsigned long i, n;

	if (!w->places)
		return;
	n = __atomic_load_n(&w->places[0], __ATOMIC_RELAXED);
	for (i = 1; i <= n && i < ROOM; i++)
		add_edge(i > 1 ? w->places[i - 1] : w->kind, w->places[i]);
}

uint64_t kcov_edges(void)
{
	return shared->nedges;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Parts of requests, right or almost. */
#include "request.h"

#define MOST	1024	/* bytes of a structure, with what follows it */

/* A size that is not the known one. */
static uint32_t other_size(struct worker *w, size_t known)
{
	switch (below(&w->random, 4)) {
	case 0:
		return below(&w->random, known);
	case 1:
		return edge_number(&w->random);
	default:
		return known + 1 + below(&w->random, MOST - known);
	}
}

void put_sized(struct worker *w, struct request *rq, void *arg, size_t known)
{
	unsigned char whole[MOST] = { 0 };
	uint32_t size = one_in(&w->random, 12) ? other_size(w, known) : known;
	size_t there = size > known && size <= MOST ? size : known;

	memcpy(whole, arg, known);
	memcpy(whole, &size, sizeof(size));
	if (there > known && one_in(&w->random, 2)) {
		whole[known + below(&w->random, there - known)] = 1 + below(&w->random, 255);
		rq->invalid = true;
	}
	put(w, &w->arg, &rq->arg, whole, there);
	if (size < known || size > 4096 || never_good(&rq->arg, false))
		rq->invalid = true;
	/* What follows it is a pattern, or nothing. */
	if (size > there)
		rq->invalid = true;
	/* It is a page of zeros. */
	if (rq->arg.place == READ_ONLY)
		rq->invalid = true;
}

int random_cpu(struct worker *w)
{
	return (int)small_number(&w->random, machine_cpus() + 1) - 1;
}

static uint64_t random_config(struct worker *w, uint32_t type)
{
	static const uint16_t raw[] = { 0x11, 0x08, 0x00, 0x1b, 0x04, 0x3c, 0xc0, 0x10 };

	if (one_in(&w->random, 16))
		return edge_number64(&w->random);
	switch (type) {
	case PERF_TYPE_HW_CACHE:
		return below(&w->random, 8) | below(&w->random, 4) << 8 |
		       below(&w->random, 3) << 16;
	case PERF_TYPE_RAW:
		return raw[below(&w->random, ARRAY_SIZE(raw))];
	default:
		return below(&w->random, 14);
	}
}

/* One that this machine should have, if it has counters. */
static struct perfmon_event good_event(struct worker *w)
{
	int hardware = machine_hardware(any(&w->random));
	struct perfmon_event event = {
		.type = PERF_TYPE_SOFTWARE,
		.flags = 1 + below(&w->random, 3),
		.config = below(&w->random, 9),
	};

	if (one_in(&w->random, 2) && hardware >= 0) {
		event.type = one_in(&w->random, 2) ? PERF_TYPE_RAW : PERF_TYPE_HARDWARE;
		event.config = event.type == PERF_TYPE_RAW ? random_config(w, PERF_TYPE_RAW) :
			       (uint64_t)hardware;
	}
	if (one_in(&w->random, 4))
		event.preset = edge_number64(&w->random);
	return event;
}

static struct perfmon_event any_event(struct worker *w)
{
	static const uint32_t types[] = {
		PERF_TYPE_SOFTWARE, PERF_TYPE_HARDWARE, PERF_TYPE_RAW, PERF_TYPE_HW_CACHE,
		PERF_TYPE_TRACEPOINT, PERF_TYPE_BREAKPOINT,
	};
	struct perfmon_event event = { 0 };

	event.type = types[below(&w->random, ARRAY_SIZE(types))];
	if (one_in(&w->random, 2))
		event.type = machine_pmu_type(any(&w->random));
	if (one_in(&w->random, 16))
		event.type = edge_number(&w->random);
	event.config = random_config(w, event.type);
	event.flags = one_in(&w->random, 8) ? edge_number(&w->random) : 1 + below(&w->random, 3);
	if (one_in(&w->random, 4))
		event.config1 = edge_number64(&w->random);
	event.preset = edge_number64(&w->random);
	return event;
}

struct perfmon_event random_event(struct worker *w)
{
	return one_in(&w->random, 30) ? any_event(w) : good_event(w);
}

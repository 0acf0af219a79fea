// SPDX-License-Identifier: GPL-2.0-only
/* Raw sets and shared cpc sets. */
#include "request.h"

#define EVENTS_ROOM	40
#define MODES		(PERFMON_EVENT_USER | PERFMON_EVENT_KERNEL)

static size_t sample_size(unsigned int n)
{
	return sizeof(struct perfmon_sample) + n * sizeof(uint64_t);
}

static bool is_event_valid(const struct perfmon_event *event)
{
	return event->flags && !(event->flags & ~MODES) && event->type != PERF_TYPE_TRACEPOINT &&
	       event->type != PERF_TYPE_BREAKPOINT;
}

/* Puts them, and finds how many the request says there are. */
static unsigned int put_events(struct worker *w, struct request *rq, bool zero_modes)
{
	unsigned int n = one_in(&w->random, 16) ? edge_number(&w->random) :
						  1 + below(&w->random, 5);
	struct perfmon_event events[EVENTS_ROOM] = { 0 };
	unsigned int there, i;

	there = n < EVENTS_ROOM ? n : 1;
	for (i = 0; i < there; i++) {
		events[i] = random_event(w);
		if (!events[i].flags && zero_modes)
			continue;
		rq->invalid |= !is_event_valid(&events[i]);
	}
	put(w, &w->data, &rq->data, events, there * sizeof(events[0]));
	if (!n || n > PERFMON_MAX_EVENTS || never_good(&rq->data, false))
		rq->invalid = true;
	/* It holds zeros, which are events that count in no mode. */
	if (rq->data.place == READ_ONLY)
		rq->invalid = !zero_modes;
	return n;
}

int op_set_program(struct worker *w)
{
	struct request rq = { .cmd = PERFMON_IOC_SET_PROGRAM };
	struct perfmon_set set = {
		.flags = zero_mostly(&w->random) | below(&w->random, 2),
		.cpu = random_cpu(w),
	};

	set.nevents = put_events(w, &rq, false);
	set.events = (uintptr_t)rq.data.at;
	if (set.flags & ~PERFMON_SET_STARTED || set.cpu < -1 || set.cpu >= (int)machine_cpus())
		rq.invalid = true;
	put_sized(w, &rq, &set, sizeof(set));
	return do_request(w, fd_for(w, RAW), &rq);
}

/* Mostly from a thread that is bound to the CPU that the slot holds. */
static int do_bound(struct worker *w, int fd, struct request *rq)
{
	int cpu = crew.held[w->slot];

	if (!one_in(&w->random, 8))
		bind_to(w, cpu);
	return do_request(w, fd, rq);
}

static int plain(struct worker *w, unsigned long cmd, enum role role)
{
	struct request rq = { .cmd = cmd };

	rq.arg.at = (void *)(uintptr_t)edge_number64(&w->random);
	if (role == CPC)
		return do_bound(w, fd_for(w, role), &rq);
	return do_request(w, fd_for(w, role), &rq);
}

int op_set_start(struct worker *w)
{
	return plain(w, PERFMON_IOC_SET_START, RAW);
}

int op_set_stop(struct worker *w)
{
	return plain(w, PERFMON_IOC_SET_STOP, RAW);
}

int op_set_reset(struct worker *w)
{
	return plain(w, PERFMON_IOC_SET_RESET, RAW);
}

int op_rele(struct worker *w)
{
	return plain(w, CPC_IOC_RELE, CPC);
}

static void check_sample(struct worker *w, const struct perfmon_sample *s, uint64_t before)
{
	uint32_t counters = s->nr < 32 ? (1U << s->nr) - 1 : ~0U;

	if (!s->nr || s->nr > PERFMON_MAX_EVENTS || s->cpu < 0 || s->cpu >= (int)machine_cpus() ||
	    s->state > PERFMON_STATE_GONE || s->bad & ~counters)
		broken(w, "a sample of CPU %d: %u values, bad %#x, state %u", s->cpu, s->nr, s->bad,
		       s->state);
	if (s->time < before || s->time > now_ns())
		broken(w, "a sample of time %llu, asked for at %llu", (unsigned long long)s->time,
		       (unsigned long long)before);
}

/* All records are of as many values and of one time, each of another CPU. */
static void check_records(struct worker *w, const struct request *rq, uint32_t room, int cpu,
			  uint64_t before)
{
	struct perfmon_sample first, s;
	struct perfmon_read read;
	uint64_t seen = 0;
	size_t at, size;

	memcpy(&read, rq->arg.at, sizeof(read));
	memcpy(&first, rq->data.at, sizeof(first));
	size = sample_size(first.nr);
	check_sample(w, &first, before);
	if (read.bytes < size || read.bytes % size || (cpu >= 0 && read.bytes != size))
		broken(w, "SET_READ: %u bytes of records of %zu", read.bytes, size);
	if (cpu >= 0 && first.cpu != cpu)
		broken(w, "SET_READ: of CPU %d, asked for %d", first.cpu, cpu);
	for (at = 0; at + size <= room && at + size <= read.bytes; at += size) {
		memcpy(&s, (char *)rq->data.at + at, sizeof(s));
		check_sample(w, &s, before);
		if (s.nr != first.nr || s.time != first.time || seen >> (s.cpu & 63) & 1)
			broken(w, "SET_READ: record at %zu: CPU %d, %u values", at, s.cpu, s.nr);
		seen |= 1ULL << (s.cpu & 63);
	}
}

int op_set_read(struct worker *w)
{
	static const unsigned char zeros[2048];
	static const unsigned short rooms[] = {
		0, 8, 32, 39, 40, 48, 80, 95, 96, 97, 128, 288, 576,
	};
	struct request rq = { .cmd = PERFMON_IOC_SET_READ };
	uint32_t room = rooms[below(&w->random, ARRAY_SIZE(rooms))];
	struct perfmon_read read = {
		.flags = zero_mostly(&w->random),
		.cpu = random_cpu(w),
	};
	uint64_t before = now_ns();
	int ret;

	if (one_in(&w->random, 4))
		room = below(&w->random, sizeof(zeros));
	put(w, &w->data, &rq.data, zeros, room);
	rq.data.writable = room;
	read.bytes = room;
	read.records = (uintptr_t)rq.data.at;
	rq.invalid = read.flags || read.cpu < -1 || read.cpu >= (int)machine_cpus() ||
		     (room >= sample_size(PERFMON_MAX_EVENTS) &&
		      (rq.data.place == BAD || rq.data.place == READ_ONLY));
	put_sized(w, &rq, &read, sizeof(read));
	rq.arg.writable = sizeof(read);
	ret = do_request(w, fd_for(w, RAW), &rq);
	if (!ret && is_good(&rq.arg) && is_good(&rq.data) &&
	    room >= sample_size(PERFMON_MAX_EVENTS))
		check_records(w, &rq, room, read.cpu, before);
	return ret;
}

int op_shared_open(struct worker *w)
{
	struct request rq = { .cmd = CPC_IOC_SHARED_OPEN };
	struct cpc_shared_open open = {
		.flags = zero_mostly(&w->random),
		.cpu = random_cpu(w),
		.reserved = zero_mostly(&w->random),
	};
	int ret;

	rq.invalid = open.flags || open.reserved;
	put_sized(w, &rq, &open, sizeof(open));
	rq.invalid |= rq.arg.place == READ_ONLY;
	rq.arg.writable = sizeof(open);
	if (!one_in(&w->random, 8))
		bind_to(w, below(&w->random, machine_cpus()));
	ret = do_request(w, fd_for(w, CPC), &rq);
	if (!ret && is_good(&rq.arg)) {
		memcpy(&open, rq.arg.at, sizeof(open));
		if (open.cpu < 0 || open.cpu >= (int)machine_cpus())
			broken(w, "SHARED_OPEN: CPU %d", open.cpu);
		crew.held[w->slot] = open.cpu;
	}
	return ret;
}

int op_bind(struct worker *w)
{
	struct request rq = { .cmd = CPC_IOC_BIND };
	struct cpc_bind bind = {
		.flags = zero_mostly(&w->random),
		.reserved = zero_mostly(&w->random),
	};

	bind.nevents = put_events(w, &rq, true);
	bind.events = (uintptr_t)rq.data.at;
	rq.invalid |= bind.flags || bind.reserved;
	put_sized(w, &rq, &bind, sizeof(bind));
	return do_bound(w, fd_for(w, CPC), &rq);
}

/* The argument is as long as it says, or longer than any sample. */
int op_sample(struct worker *w)
{
	struct request rq = { .cmd = CPC_IOC_SAMPLE };
	struct {
		struct perfmon_sample head;
		uint64_t value[PERFMON_MAX_EVENTS + 8];
	} sample = { 0 };
	uint32_t nr = below(&w->random, PERFMON_MAX_EVENTS + 8);
	uint64_t before = now_ns();
	int ret;

	sample.head.nr = nr;
	if (nr > PERFMON_MAX_EVENTS && one_in(&w->random, 2))
		sample.head.nr = edge_number(&w->random) | 64;
	put(w, &w->arg, &rq.arg, &sample, sample_size(nr));
	rq.arg.writable = sample_size(nr < PERFMON_MAX_EVENTS ? nr : PERFMON_MAX_EVENTS);
	rq.invalid = !nr || rq.arg.place == BAD || rq.arg.place == READ_ONLY;
	ret = do_bound(w, fd_for(w, CPC), &rq);
	if (!ret && is_good(&rq.arg)) {
		memcpy(&sample, rq.arg.at, sizeof(sample.head));
		check_sample(w, &sample.head, before);
		if (sample.head.nr > nr)
			broken(w, "SAMPLE: %u values, room for %u", sample.head.nr, nr);
	}
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-only
/* What every file of the device answers, and what none does. */
#include <linux/ioctl.h>

#include "request.h"

/* INFO and ERROR: size, flags, and the rest is output. */
static int service(struct worker *w, unsigned long cmd, size_t size, void *out)
{
	struct request rq = { .cmd = cmd };
	struct {
		uint32_t size;
		uint32_t flags;
		unsigned char rest[256];
	} arg = { .flags = zero_mostly(&w->random) };
	int ret;

	rq.invalid = arg.flags;
	put_sized(w, &rq, &arg, size);
	rq.arg.writable = size;
	ret = do_request(w, random_fd(w), &rq);
	if (ret || !is_good(&rq.arg))
		return ret ? ret : NOTHING_DONE;
	memcpy(out, rq.arg.at, size);
	return 0;
}

static int done(int ret)
{
	return ret == NOTHING_DONE ? 0 : ret;
}

int op_info(struct worker *w)
{
	struct perfmon_info info;
	int ret = service(w, PERFMON_IOC_INFO, sizeof(info), &info);

	if (!ret && (info.size != sizeof(info) || info.flags || info.version != PERFMON_VERSION ||
		     info.npmc != PMIO_NPMC || info.max_events != PERFMON_MAX_EVENTS ||
		     info.ncpus < 1 || info.shared_opens > info.ncpus || info.caps & ~0x3fU))
		broken(w, "INFO: size %u version %#x caps %#x npmc %u max %u ncpus %u shared %u",
		       info.size, info.version, info.caps, info.npmc, info.max_events, info.ncpus,
		       info.shared_opens);
	return done(ret);
}

int op_error(struct worker *w)
{
	struct perfmon_error error;
	int ret = service(w, PERFMON_IOC_ERROR, sizeof(error), &error);
	size_t len;

	if (ret)
		return done(ret);
	len = strnlen(error.text, sizeof(error.text));
	if (len == sizeof(error.text))
		broken(w, "ERROR: the text does not end");
	if (error.size != sizeof(error) || error.flags || error.reserved || error.err < 0 ||
	    error.err >= MAX_ERRNO || !error.err != !len)
		broken(w, "ERROR: size %u flags %u reserved %u err %d text of %zu", error.size,
		       error.flags, error.reserved, error.err, len);
	for (; len < sizeof(error.text); len++)
		if (error.text[len])
			broken(w, "ERROR: something follows the text");
	return 0;
}

static void check_holder(struct worker *w, const struct perfmon_holder *h)
{
	if (h->pid < 0 || h->face > PERFMON_FACE_CPC || h->cpu < -1 ||
	    h->cpu >= (int)machine_cpus() || h->counters > PERFMON_MAX_EVENTS ||
	    h->since > now_ns() || strnlen(h->comm, sizeof(h->comm)) == sizeof(h->comm))
		broken(w, "HOLDERS: pid %d face %u cpu %d counters %u since %llu", h->pid, h->face,
		       h->cpu, h->counters, (unsigned long long)h->since);
}

static void check_holders(struct worker *w, const struct request *rq, unsigned int room)
{
	struct perfmon_holders list;
	struct perfmon_holder h;
	unsigned int i;

	memcpy(&list, rq->arg.at, sizeof(list));
	/* Between the two looks of the kernel there may have come more than it has room for. */
	for (i = 0; i < room && i < list.count; i++) {
		memcpy(&h, (char *)rq->data.at + i * sizeof(h), sizeof(h));
		if (!h.since)
			break;
		check_holder(w, &h);
	}
}

int op_holders(struct worker *w)
{
	static const struct perfmon_holder none[100];
	unsigned int room = one_in(&w->random, 16) ? ARRAY_SIZE(none) :
			    small_number(&w->random, 8) % (ARRAY_SIZE(none) + 1);
	struct request rq = { .cmd = PERFMON_IOC_HOLDERS };
	struct perfmon_holders list = {
		.flags = zero_mostly(&w->random),
		.reserved = zero_mostly(&w->random),
		.count = room,
	};
	int ret;

	put(w, &w->data, &rq.data, none, room * sizeof(none[0]));
	rq.data.writable = rq.data.size;
	/* There are never so many, of slots, models, and on their way, that this matters. */
	if (rq.data.place == GOOD && room == ARRAY_SIZE(none) && one_in(&w->random, 2))
		list.count = edge_number(&w->random) | 128;
	list.holders = (uintptr_t)rq.data.at;
	rq.invalid = list.flags || list.reserved;
	put_sized(w, &rq, &list, sizeof(list));
	rq.arg.writable = sizeof(list);
	ret = do_request(w, random_fd(w), &rq);
	if (!ret && is_good(&rq.arg) && is_good(&rq.data))
		check_holders(w, &rq, room);
	return ret;
}

/* Structures with a long long, of which a program of 32 bits may use either layout. */
static bool has_layouts(unsigned long cmd)
{
	return _IOC_TYPE(cmd) == _IOC_TYPE(PMIOREAD) &&
	       (_IOC_NR(cmd) == _IOC_NR(PMIOREAD) || _IOC_NR(cmd) == _IOC_NR(PMIOTSTAMP));
}

/* Has somebody given the number a meaning? */
static bool is_known(unsigned long cmd)
{
	static const unsigned long known[] = {
		PMIOSETUP, PMIOGET, PMIOSTART, PMIOSTOP, PMIORESET, PMIOREAD, PMIOTSTAMP,
		PMIOSETCPU, PMIOREADCPUS, PERFMON_IOC_INFO, PERFMON_IOC_ERROR,
		PERFMON_IOC_HOLDERS, PERFMON_IOC_SET_PROGRAM, PERFMON_IOC_SET_START,
		PERFMON_IOC_SET_STOP, PERFMON_IOC_SET_RESET, PERFMON_IOC_SET_READ,
		CPC_IOC_SHARED_OPEN, CPC_IOC_BIND, CPC_IOC_SAMPLE, CPC_IOC_RELE,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (cmd == known[i])
			return true;
	return has_layouts(cmd);
}

int op_unknown(struct worker *w)
{
	static const unsigned char types[] = { PERFMON_IOC_MAGIC, '5' };
	static const unsigned char zeros[64];
	struct request rq = { 0 };
	unsigned int dir = below(&w->random, 4), size = below(&w->random, 300);

	rq.cmd = _IOC(dir, types[below(&w->random, 2)], small_number(&w->random, 0x30) & 0xff,
		      size);
	if (is_known(rq.cmd))
		return NOTHING_DONE;
	put(w, &w->arg, &rq.arg, zeros, sizeof(zeros));
	rq.invalid = true;
	return do_request(w, random_fd(w), &rq);
}

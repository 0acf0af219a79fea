// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The CPU of this machine. Its events are those of lib/event. One whose code fits the control word
 * of a counter goes there, so that programs find in ce_pes[] what they know; any other (generic
 * and software events, codes with a second word) goes to ce_code[], and the control word says only
 * in which modes it counts.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <linux/perf_event.h>

#include "impl.h"
#include "internal.h"

#define MODES	(CPC_PES_USR | CPC_PES_OS)
/* Bits that ask for what perf does anyway. */
#define IDLE	(CPC_PES_INT | CPC_PES_EN)

static const struct cpc_flag flags[] = {
	{ .name = "nouser", .bit = CPC_PES_USR, .clears = true },
	{ .name = "sys", .bit = CPC_PES_OS },
#if defined(__x86_64__) || defined(__i386__)
	{ .name = "edge", .bit = CPC_PES_E },
	{ .name = "noedge", .bit = CPC_PES_E, .clears = true, .unprinted = true },
	{ .name = "int", .bit = CPC_PES_INT },
	{ .name = "inv", .bit = CPC_PES_INV },
	{ .name = "pc", .bit = CPC_PES_PC },
#endif
	{ .name = NULL },
};

uint32_t cpc_native_fields(void)
{
#if defined(__x86_64__) || defined(__i386__)
	int cpuver = cpc_getcpuver();

	/* The Pentium 4 selects its events in another way altogether. */
	if (cpuver == CPC_PENTIUM_4 || cpuver == CPC_PENTIUM_4_HT)
		return 0;
	return CPC_PES_EVENT | CPC_PES_UMASK | CPC_PES_E | CPC_PES_INV | CPC_PES_CMASK;
#else
	return CPC_PES_EVENT | CPC_PES_UMASK;
#endif
}

uint64_t cpc_pes_word(const cpc_event_t *event, unsigned int pic)
{
	return event->ce_pes[pic];
}

void cpc_pes_set_word(cpc_event_t *event, unsigned int pic, uint64_t word)
{
	event->ce_pes[pic] = word;
}

static bool is_coded(const cpc_event_t *event, unsigned int pic)
{
	return event->ce_coded >> pic & 1;
}

static bool fits_word(const struct perfmon_event *ev)
{
	return ev->type == PERF_TYPE_RAW && !ev->config1 && !(ev->config & ~cpc_native_fields());
}

static int encode(cpc_event_t *event, unsigned int pic, const char *name, char **why)
{
	struct _cpc_code *code = &event->ce_code[pic];
	struct perfmon_event ev;

	if (pme_resolve(name, &ev, why))
		return -1;
	if (!ev.flags)
		ev.flags = PERFMON_EVENT_USER;
	event->ce_used |= 1u << pic;
	event->ce_pes[pic] = (ev.flags & PERFMON_EVENT_USER ? CPC_PES_USR : 0) |
			     (ev.flags & PERFMON_EVENT_KERNEL ? CPC_PES_OS : 0);
	if (fits_word(&ev)) {
		event->ce_pes[pic] |= ev.config;
		return 0;
	}
	event->ce_coded |= 1u << pic;
	code->type = ev.type;
	code->config = ev.config;
	code->config1 = ev.config1;
	return 0;
}

static char *decode(const cpc_event_t *event, unsigned int pic)
{
	struct perfmon_event ev = {
		.type = PERF_TYPE_RAW,
		.config = event->ce_pes[pic] & (CPC_PES_EVENT | CPC_PES_UMASK),
	};

	if (is_coded(event, pic)) {
		ev.type = event->ce_code[pic].type;
		ev.config = event->ce_code[pic].config;
		ev.config1 = event->ce_code[pic].config1;
	}
	return pme_name(&ev);
}

static int refuse_bits(unsigned int pic, uint32_t bits, char **why)
{
	return pme_fail(why, ENOTSUP, "pic%u: bits 0x%x of the control word mean nothing to %s",
			pic, bits, pme_cpu_name());
}

/* Solaris let such a counter stand still. It is a mistake that nobody would notice. */
static int refuse_no_mode(unsigned int pic, char **why)
{
	return pme_fail(why, EINVAL, "pic%u would count neither in user mode nor in the kernel",
			pic);
}

int cpc_native_event(const cpc_event_t *event, unsigned int pic, struct perfmon_event *out,
		     char **why)
{
	uint32_t word = event->ce_pes[pic], fields = cpc_native_fields();

	memset(out, 0, sizeof(*out));
	out->flags = (word & CPC_PES_USR ? PERFMON_EVENT_USER : 0) |
		     (word & CPC_PES_OS ? PERFMON_EVENT_KERNEL : 0);
	out->preset = event->ce_pic[pic];
	if (is_coded(event, pic)) {
		out->type = event->ce_code[pic].type;
		out->config = event->ce_code[pic].config;
		out->config1 = event->ce_code[pic].config1;
		fields = 0;
	} else {
		out->type = PERF_TYPE_RAW;
		out->config = word & fields;
	}
	word &= ~(fields | MODES | IDLE);
	if (word)
		return refuse_bits(pic, word, why);
	return out->flags ? 0 : refuse_no_mode(pic, why);
}

/* cpc_walk_names() promises names that stay. */
static struct {
	struct {
		char *name;
		uint8_t bits;
	} *entry;
	size_t n;
	size_t room;
} list;
static pthread_once_t list_once = PTHREAD_ONCE_INIT;

static int add_name(const struct pme_info *info, void *arg)
{
	struct perfmon_event ev;
	char *copy;

	(void)arg;
	if (pme_resolve(info->name, &ev, NULL))
		return 0;
	if (list.n == list.room) {
		size_t room = list.room ? 2 * list.room : 128;
		void *more = realloc(list.entry, room * sizeof(*list.entry));

		if (!more)
			return -1;
		list.entry = more;
		list.room = room;
	}
	copy = strdup(info->name);
	if (!copy)
		return -1;
	list.entry[list.n].name = copy;
	list.entry[list.n++].bits = ev.type == PERF_TYPE_RAW ? ev.config & CPC_PES_EVENT : 0;
	return 0;
}

static void make_list(void)
{
	pme_walk(NULL, add_name, NULL);
}

/* perf finds a counter for an event by itself: each of ours can count each event. */
static void walk(int cpuver, unsigned int pic, void *arg,
		 void (*action)(void *arg, int regno, const char *name, uint8_t bits))
{
	size_t i;

	(void)cpuver;
	pthread_once(&list_once, make_list);
	for (i = 0; i < list.n; i++)
		action(arg, pic, list.entry[i].name, list.entry[i].bits);
}

static const char *name(int cpuver)
{
	(void)cpuver;
	return pme_cpu_name();
}

const struct cpc_cpu cpc_cpu_native = {
	.name = name,
	.ref = "See the CPU vendor's manual for the events of this CPU; \"cpustat -h\" lists them. "
	       "Generic names mean what perf_event_open(2) says.",
#if defined(__x86_64__) || defined(__i386__)
	.usage = "[picN=]<event>[,[picN=]<event>]... [,sys[N]] [,nouser[N]] [,edge[N]] "
		 "[,noedge[N]] [,int[N]] [,inv[N]] [,pc[N]] [,cmask[N]=<0-255>] "
		 "[,umask[N]=<0-255>]",
	.masks = true,
#else
	.usage = "[picN=]<event>[,[picN=]<event>]... [,sys[N]] [,nouser[N]]",
#endif
	.npic = CPC_MAX_PIC,
	.numbered = true,
	.flags = flags,
	.word = cpc_pes_word,
	.set_word = cpc_pes_set_word,
	.encode = encode,
	.decode = decode,
	.walk = walk,
};

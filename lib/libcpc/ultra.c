// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * UltraSPARC I and II, for specifications and events that come from such a machine. One control
 * register serves both counters, so that its modes are common to them.
 */
#include <errno.h>

#include "impl.h"
#include "internal.h"

#define PIC0		1
#define PIC1		2

#define PCR_SYS		0x2
#define PCR_USR		0x4
#define PCR_SELECT	0xf

static const struct cpc_name names[] = {
	{ "Cycle_cnt", 0x0, PIC0 },
	{ "Instr_cnt", 0x1, PIC0 },
	{ "Dispatch0_IC_miss", 0x2, PIC0 },
	{ "Dispatch0_storeBuf", 0x3, PIC0 },
	{ "IC_ref", 0x8, PIC0 },
	{ "DC_rd", 0x9, PIC0 },
	{ "DC_wr", 0xa, PIC0 },
	{ "Load_use", 0xb, PIC0 },
	{ "EC_ref", 0xc, PIC0 },
	{ "EC_write_hit_RDO", 0xd, PIC0 },
	{ "EC_snoop_inv", 0xe, PIC0 },
	{ "EC_rd_hit", 0xf, PIC0 },
	{ "Cycle_cnt", 0x0, PIC1 },
	{ "Instr_cnt", 0x1, PIC1 },
	{ "Dispatch0_mispred", 0x2, PIC1 },
	{ "Dispatch0_FP_use", 0x3, PIC1 },
	{ "IC_hit", 0x8, PIC1 },
	{ "DC_rd_hit", 0x9, PIC1 },
	{ "DC_wr_hit", 0xa, PIC1 },
	{ "Load_use_RAW", 0xb, PIC1 },
	{ "EC_hit", 0xc, PIC1 },
	{ "EC_wb", 0xd, PIC1 },
	{ "EC_snoop_cb", 0xe, PIC1 },
	{ "EC_ic_hit", 0xf, PIC1 },
	{ NULL, 0, 0 },
};

static const struct cpc_flag flags[] = {
	{ .name = "nouser", .bit = PCR_USR, .clears = true },
	{ .name = "sys", .bit = PCR_SYS },
	{ NULL, 0, false, false },
};

static const char *name(int cpuver)
{
	(void)cpuver;
	return "UltraSPARC I&II";
}

static unsigned int select_shift(unsigned int pic)
{
	return pic ? 11 : 4;
}

static uint64_t word(const cpc_event_t *event, unsigned int pic)
{
	(void)pic;
	return event->ce_pcr;
}

static void set_word(cpc_event_t *event, unsigned int pic, uint64_t value)
{
	(void)pic;
	event->ce_pcr = value;
}

static int encode(cpc_event_t *event, unsigned int pic, const char *text, char **why)
{
	const struct cpc_name *entry = cpc_name_find(names, text, pic);
	unsigned long code;

	if (entry)
		code = entry->code;
	else if (!cpc_parse_number(text, PCR_SELECT, &code))
		return pme_fail(why, EINVAL, "\"%s\" is no event that counter %u can count", text,
				pic);
	event->ce_pcr |= (uint64_t)code << select_shift(pic) | PCR_USR;
	event->ce_used |= 1u << pic;
	return 0;
}

static char *decode(const cpc_event_t *event, unsigned int pic)
{
	return cpc_name_of(names, event->ce_pcr >> select_shift(pic) & PCR_SELECT, pic);
}

static void walk(int cpuver, unsigned int pic, void *arg,
		 void (*action)(void *arg, int regno, const char *name, uint8_t bits))
{
	(void)cpuver;
	cpc_name_walk(names, pic, arg, action);
}

const struct cpc_cpu cpc_cpu_ultra = {
	.name = name,
	.ref = "See the \"UltraSPARC I/II User's Manual\", Appendix B",
	.usage = "[pic0=]<event0>[,[pic1=]<event1>] [,sys] [,nouser]",
	.npic = 2,
	.flags = flags,
	.word = word,
	.set_word = set_word,
	.encode = encode,
	.decode = decode,
	.walk = walk,
};

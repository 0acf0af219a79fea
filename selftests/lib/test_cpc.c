// SPDX-License-Identifier: GPL-2.0-only
/* libcpc without a driver: numbers of CPUs, specifications, arithmetic, refusals. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>
#include <libcpc.h>
#include <linux/perf_event.h>

#include "internal.h"
#include "fake.h"

#define USR	CPC_PES_USR
#define OS	CPC_PES_OS
#define E	CPC_PES_E
#define SEED	19990401

/* The last message, as the default error function would print it. */
static char message[512];
static unsigned int messages;

static void catch(const char *fn, const char *fmt, va_list ap)
{
	int n = snprintf(message, sizeof(message), "%s: ", fn);

	vsnprintf(message + n, sizeof(message) - n, fmt, ap);
	messages++;
}

static int native;		/* this machine's number */

static void start_machine(void)
{
#if defined(__aarch64__)
	fake_arm64();
#else
	fake_x86();
#endif
}

static void versions(void **state)
{
	(void)state;
	assert_int_equal(cpc_version(0), 1);
	assert_int_equal(cpc_version(1), 1);
	assert_int_equal(cpc_version(2), 0);
	assert_int_equal(cpc_version(-1), 0);
	assert_int_equal(CPC_VER_CURRENT, 1);
}

static void cpus(void **state)
{
	static const int unknown[] = { -1, 0, 1, 1002, 1005, 2000, 2001, 2004, 3000, 8999, 9003 };
	static const int known[] = { 1000, 1001, 2002, 2003 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		assert_null(cpc_getcciname(unknown[i]));
		assert_null(cpc_getcpuref(unknown[i]));
		assert_null(cpc_getusage(unknown[i]));
		assert_int_equal(cpc_getnpic(unknown[i]), 0);
	}
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		assert_non_null(cpc_getcpuref(known[i]));
		assert_non_null(cpc_getusage(known[i]));
		assert_int_equal(cpc_getnpic(known[i]), 2);
	}
	assert_string_equal(cpc_getcciname(CPC_ULTRA1), "UltraSPARC I&II");
	assert_string_equal(cpc_getcciname(CPC_ULTRA2), "UltraSPARC I&II");
	assert_string_equal(cpc_getcciname(CPC_PENTIUM_PRO), "Pentium Pro, Pentium II");
	assert_string_equal(cpc_getcciname(CPC_PENTIUM_PRO_MMX),
			    "Pentium Pro with MMX, Pentium II");
	assert_true(native >= 2000);
	assert_int_equal(cpc_getcpuver(), native);
	assert_string_equal(cpc_getcciname(native), pme_cpu_name());
	assert_int_equal(cpc_getnpic(native), 8);
#if defined(__aarch64__)
	assert_int_equal(native, CPC_LINUX_ARM64);
#endif
	print_message("# cpc_getcpuver() is %d: %s\n", native, cpc_getcciname(native));
}

static void usages(void **state)
{
	const int all[] = { CPC_ULTRA1, CPC_PENTIUM_PRO, native };
	size_t i;

	(void)state;
	/* words that a caller may wrap */
	for (i = 0; i < 3; i++) {
		assert_null(strstr(cpc_getusage(all[i]), "  "));
		assert_null(strchr(cpc_getusage(all[i]), '\n'));
		assert_non_null(strstr(cpc_getusage(all[i]), "nouser"));
	}
}

struct seen {
	int n;
	int regno;
	const char *first;
	const char *last;
	int last_bits;
};

static void see(void *arg, int regno, const char *name, uint8_t bits)
{
	struct seen *seen = arg;

	if (!seen->n++)
		seen->first = name;
	seen->regno = regno;
	seen->last = name;
	seen->last_bits = bits;
}

static struct seen walk_names(int cpuver, int regno)
{
	struct seen seen = { .regno = -1 };

	cpc_walk_names(cpuver, regno, &seen, see);
	return seen;
}

static void walks(void **state)
{
	struct seen s;

	(void)state;
	s = walk_names(CPC_ULTRA1, 0);
	assert_int_equal(s.n, 12);
	assert_string_equal(s.first, "Cycle_cnt");
	assert_string_equal(s.last, "EC_rd_hit");
	assert_int_equal(s.last_bits, 0xf);
	s = walk_names(CPC_ULTRA1, 1);
	assert_int_equal(s.n, 12);
	assert_int_equal(s.regno, 1);
	assert_string_equal(s.last, "EC_ic_hit");
	assert_int_equal(walk_names(CPC_ULTRA1, 2).n, 0);
	assert_int_equal(walk_names(CPC_ULTRA1, -1).n, 0);
	assert_int_equal(walk_names(CPC_ULTRA3, 0).n, 0);
	assert_int_equal(walk_names(-1, 0).n, 0);
	/* 68 events, three of them on one counter only, three on the other; 10 more with MMX */
	assert_int_equal(walk_names(CPC_PENTIUM_PRO, 0).n, walk_names(CPC_PENTIUM_PRO, 1).n);
	assert_int_equal(walk_names(CPC_PENTIUM_PRO_MMX, 0).n,
			 walk_names(CPC_PENTIUM_PRO, 0).n + 10);
	assert_string_equal(walk_names(CPC_PENTIUM_PRO_MMX, 0).last, "ret_seg_renames");
	assert_true(walk_names(native, 0).n > 20);
	assert_int_equal(walk_names(native, 0).n, walk_names(native, 7).n);
	assert_int_equal(walk_names(native, 8).n, 0);
}

static void check_word(int cpuver, const char *spec, uint32_t pes0, uint32_t pes1)
{
	cpc_event_t event;

	memset(&event, 0xa5, sizeof(event));
	messages = 0;
	if (cpc_strtoevent(cpuver, spec, &event))
		fail_msg("%s: %s", spec, message);
	assert_int_equal(messages, 0);
	assert_int_equal(event.ce_cpuver, cpuver);
	assert_int_equal(event.ce_pic[0], 0);
	assert_int_equal(event.ce_pic[7], 0);
	assert_int_equal(event.ce_hrt, 0);
	if (event.ce_pes[0] != pes0 || event.ce_pes[1] != pes1)
		fail_msg("%s: 0x%x 0x%x", spec, event.ce_pes[0], event.ce_pes[1]);
}

static void check_pcr(const char *spec, uint64_t pcr)
{
	cpc_event_t event;

	assert_int_equal(cpc_strtoevent(CPC_ULTRA1, spec, &event), 0);
	if (event.ce_pcr != pcr)
		fail_msg("%s: 0x%" PRIx64, spec, event.ce_pcr);
}

static void refuse(int cpuver, const char *spec, const char *says)
{
	cpc_event_t event;

	messages = 0;
	message[0] = '\0';
	if (cpc_strtoevent(cpuver, spec, &event) != 1)
		fail_msg("%s: accepted", spec);
	if (messages != 1 || strncmp(message, "strtoevent: ", 12) || !strstr(message, says) ||
	    message[strlen(message) - 1] != '\n')
		fail_msg("%s: %u messages: %s", spec, messages, message);
}

static void parse_ultra(void **state)
{
	(void)state;
	check_pcr("pic0=Cycle_cnt,pic1=Instr_cnt", 1 << 11 | 4);
	check_pcr("pic0=EC_ref,pic1=EC_hit", 0xc << 4 | 0xc << 11 | 4);
	check_pcr("pic0=Instr_cnt,pic1=Cycle_cnt,nouser,sys", 1 << 4 | 2);
	check_pcr("pic1=0x4,pic0=Instr_cnt", 1 << 4 | 4 << 11 | 4);
	check_pcr("sys,EC_ref,EC_hit", 0xc << 4 | 0xc << 11 | 6);
	check_pcr(&"EC_hit,pic0=EC_ref,nouser"[7], 0xc << 4);
	refuse(CPC_ULTRA1, "EC_hit", "EC_hit");			/* of the other counter */
	refuse(CPC_ULTRA1, "pic0=Instr_cnt,nouser0", "nouser0");	/* the modes are common */
	refuse(CPC_ULTRA1, "pic0=16", "16");
	refuse(CPC_ULTRA1, "pic0=1,pic1=1,umask0=1", "umask0");
}

static void parse_p6(void **state)
{
	const int p6 = CPC_PENTIUM_PRO;

	(void)state;
	check_word(p6, "pic0=l2_ld,pic1=bus_drdy_clocks,umask1=0x20,nouser1",
		   0x29 | USR | E, 0x2062 | E);
	check_word(p6, "inst_retired,inst_retired,nouser1,sys1", 0xc0 | USR | E, 0xc0 | OS | E);
	check_word(p6, "pic1=inst_retired,uops_retired", 0xc2 | USR | E, 0xc0 | USR | E);
	check_word(p6, "flops,mul,noedge", 0xc1 | USR, 0x12 | USR);
	check_word(p6, "pic0=0xc0,pic1=010,cmask0=2,inv0,int,pc1",
		   0xc0 | USR | E | 2 << 24 | CPC_PES_INV | CPC_PES_INT,
		   8 | USR | E | CPC_PES_INT | CPC_PES_PC);
	check_word(p6, "sys,inst_retired,0", 0xc0 | USR | OS | E, USR | OS | E);
	/* one counter is enough here */
	check_word(p6, "inst_retired", 0xc0 | USR | E, 0);
	check_word(CPC_PENTIUM_PRO_MMX, "mmx_instr_exec", 0xb0 | USR | E, 0);
	refuse(p6, "mmx_instr_exec", "mmx_instr_exec");
	refuse(p6, "pic1=flops,pic0=inst_retired", "flops");
	refuse(p6, "mul,inst_retired", "mul");
	refuse(p6, "256", "256");
	refuse(p6, "-1", "-1");
	refuse(p6, "3abc", "3abc");
	refuse(p6, "pic0=inst_retired,pic0=inst_retired", "its counter has an event");
	refuse(p6, "inst_retired,pic0=inst_retired", "its counter has an event");
	refuse(p6, "0,1,2", "more events than counters");
	refuse(p6, "pic2=0", "no such counter");
	refuse(p6, "0,1,nouser=1", "takes no value");
	refuse(p6, "0,1,umask0", "needs a value");
	refuse(p6, "0,1,umask0=", "needs a value");
	refuse(p6, "0,1,umask0=256", "from 0 to 255");
	refuse(p6, "0,1,umask0=x", "from 0 to 255");
	refuse(p6, "0,1,umask2=1", "umask2=1");
	refuse(p6, "0,nouser1", "nothing counts on pic1");
	refuse(p6, "pic0=", "\"\"");
	refuse(p6, "", "\"\"");
	refuse(p6, "nouser", "no event is named");
	refuse(p6, "inst_retired, uops_retired", " uops_retired");
}

static void parse_unknown(void **state)
{
	cpc_event_t event;

	(void)state;
	messages = 0;
	assert_int_equal(cpc_strtoevent(native, NULL, &event), 1);
	assert_int_equal(cpc_strtoevent(-1, "0,1", &event), 1);
	assert_int_equal(cpc_strtoevent(CPC_ULTRA3, "Cycle_cnt,Instr_cnt", &event), 1);
	assert_int_equal(cpc_strtoevent(0, "0,1", &event), 1);
	assert_int_equal(messages, 0);
}

static void check_code(const cpc_event_t *event, unsigned int pic, uint32_t type, uint64_t config,
		       uint32_t modes)
{
	assert_int_equal(event->ce_coded >> pic & 1, 1);
	assert_int_equal(event->ce_used >> pic & 1, 1);
	assert_int_equal(event->ce_code[pic].type, type);
	assert_int_equal(event->ce_code[pic].config, config);
	assert_int_equal(event->ce_pes[pic], modes);
}

static void parse_native(void **state)
{
	cpc_event_t event;

	(void)state;
	check_word(native, "0x11,0x1234", 0x11 | USR, 0x1234 | USR);
	check_word(native, "pic1=17,18,sys1,nouser0,sys0", 18 | OS, 17 | USR | OS);
	check_word(native, "0", USR, 0);
	check_word(native, "r11:k", 0x11 | OS, 0);
	/* a bare event takes the lowest free counter */
	assert_int_equal(cpc_strtoevent(native, "pic1=1,2,3,pic7=4,nouser7", &event), 0);
	assert_int_equal(event.ce_used, 0x87);
	assert_int_equal(event.ce_pes[0], 2 | USR);
	assert_int_equal(event.ce_pes[1], 1 | USR);
	assert_int_equal(event.ce_pes[2], 3 | USR);
	assert_int_equal(event.ce_pes[7], 4);
	/* generic and software events have a code of their own */
	assert_int_equal(cpc_strtoevent(native, "cycles,Instr_cnt,pic4=context-switches,sys1",
					&event), 0);
	check_code(&event, 0, PERF_TYPE_HARDWARE, 0, USR);
	check_code(&event, 1, PERF_TYPE_HARDWARE, 1, USR | OS);
	check_code(&event, 4, PERF_TYPE_SOFTWARE, 3, USR | OS);
	refuse(native, "instuctions", "did you mean");
	refuse(native, "0,1,2,3,4,5,6,7,8", "more events than counters");
	refuse(native, "pic8=0", "no such counter");
	refuse(native, "0,nouser3", "nothing counts on pic3");
	refuse(native, "PAPI_fp_ops", "not counted");
	refuse(native, "0,nouser8", "nouser8");
}

static void parse_native_fields(void **state)
{
	(void)state;
#if defined(__x86_64__) || defined(__i386__)
	check_word(native, "0xc5,umask0=0x11,cmask0=2,inv,edge",
		   0x20011c5 | USR | E | CPC_PES_INV, 0);
	check_word(native, "instructions,cache-misses", 0xc0 | USR, 0x412e | USR);
	check_word(native, "cpu/event=0xc5,umask=1,edge/k,0", 0x1c5 | OS | E, USR);
	check_word(native, "cpu/event=0xc5,edge/,noedge", 0xc5 | USR, 0);
	check_word(native, "0xc5,int,pc", 0xc5 | USR | CPC_PES_INT | CPC_PES_PC, 0);
	check_word(native, "0xc5,umask=3", 0x3c5 | USR, 0);
	refuse(native, "cycles,umask0=1", "does not apply to the event of pic0");
	refuse(native, "cycles,edge", "does not apply");
	refuse(native, "0xc5,umask0=0x100", "from 0 to 255");
#else
	refuse(native, "0x11,umask0=1", "umask0=1");
	refuse(native, "0x11,inv", "inv");
	refuse(native, "0x11,edge", "edge");
#endif
}

static void check_text(cpc_event_t *event, const char *expected)
{
	char *text = cpc_eventtostr(event);

	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static void check_canonical(int cpuver, const char *spec, const char *expected)
{
	cpc_event_t event;

	assert_int_equal(cpc_strtoevent(cpuver, spec, &event), 0);
	check_text(&event, expected);
}

static void canonical(void **state)
{
	const int p6 = CPC_PENTIUM_PRO;

	(void)state;
	check_canonical(CPC_ULTRA1, "EC_ref,pic1=0xc,sys", "pic0=EC_ref,pic1=EC_hit,sys");
	check_canonical(CPC_ULTRA1, "nouser,sys,1,0", "pic0=Instr_cnt,pic1=Cycle_cnt,nouser,sys");
	check_canonical(CPC_ULTRA1, "pic1=4", "pic1=0x4");
	check_canonical(p6, "inst_retired,inst_retired,nouser1,sys1",
			"pic0=inst_retired,pic1=inst_retired,nouser1,sys1");
	check_canonical(p6, "umask1=0x20,l2_ld,bus_drdy_clocks,nouser,cmask0=16",
			"pic0=l2_ld,pic1=bus_drdy_clocks,cmask0=0x10,umask1=0x20,nouser");
	check_canonical(p6, "0xff,193,noedge0,int,inv,pc1",
			"pic0=0xff,pic1=0xc1,noedge0,int,inv,pc1");
	check_canonical(p6, "193,0x12,sys0", "pic0=flops,pic1=mul,sys0");
	check_canonical(native, "cycles,PAPI_br_ins,sys", "pic0=cycles,pic1=branches,sys");
	check_canonical(native, "pic7=cycles,0x7777,nouser7,sys7",
			"pic0=0x7777,pic7=cycles,nouser7,sys7");
	check_canonical(native, "cs", "pic0=context-switches");
	check_canonical(native, "cs:k,cycles,sys1", "pic0=context-switches:k,pic1=cycles,sys1");
	check_canonical(native, "cs,nouser0", "pic0=context-switches:k");
	check_canonical(native, "cs:u,nouser", "pic0=context-switches:u,nouser");
#if defined(__x86_64__) || defined(__i386__)
	check_canonical(native, "0xc0,edge,cmask=1,inv", "pic0=instructions,cmask0=0x1,edge,inv");
#endif
}

static void canonical_refused(void **state)
{
	cpc_event_t event;

	(void)state;
	memset(&event, 0, sizeof(event));
	assert_null(cpc_eventtostr(&event));
	event.ce_pes[0] = 0xc0 | USR;
	event.ce_cpuver = CPC_ULTRA3;
	assert_null(cpc_eventtostr(&event));
	event.ce_cpuver = native;
	check_text(&event, native == CPC_LINUX_ARM64 ? "pic0=0xc0" : "pic0=instructions");
	event.ce_pes[0] = 0;
	assert_null(cpc_eventtostr(&event));
}

/* ---- properties ---- */

static uint32_t random_bits(uint32_t mask)
{
	return ((uint32_t)random() ^ (uint32_t)random() << 16) & mask;
}

static unsigned int used_of(const cpc_event_t *event)
{
	unsigned int used = event->ce_used, i;

	for (i = 0; i < CPC_MAX_PIC; i++)
		used |= (event->ce_pes[i] != 0) << i;
	return used;
}

static void check_round_trip(cpc_event_t *event)
{
	char *text = cpc_eventtostr(event), *again;
	cpc_event_t back;
	unsigned int i;

	assert_non_null(text);
	if (cpc_strtoevent(event->ce_cpuver, text, &back))
		fail_msg("%s: %s", text, message);
	if (used_of(&back) != used_of(event) || back.ce_coded != event->ce_coded ||
	    back.ce_pcr != event->ce_pcr || memcmp(back.ce_pes, event->ce_pes, sizeof(back.ce_pes)))
		fail_msg("%s: another event comes back", text);
	for (i = 0; i < CPC_MAX_PIC; i++) {
		if (!(event->ce_coded >> i & 1))
			continue;
		assert_int_equal(back.ce_code[i].type, event->ce_code[i].type);
		assert_int_equal(back.ce_code[i].config, event->ce_code[i].config);
		assert_int_equal(back.ce_code[i].config1, event->ce_code[i].config1);
	}
	again = cpc_eventtostr(&back);
	assert_string_equal(again, text);
	free(again);
	free(text);
}

static void round_trips_p6(void **state)
{
	const uint32_t bits = ~(uint32_t)(CPC_PES_EN | 0x00200000);
	unsigned int i;

	(void)state;
	srandom(SEED);
	print_message("# seed %d\n", SEED);
	for (i = 0; i < 20000; i++) {
		cpc_event_t event;

		memset(&event, 0, sizeof(event));
		event.ce_cpuver = random() & 1 ? CPC_PENTIUM_PRO : CPC_PENTIUM_PRO_MMX;
		event.ce_used = 1 + random() % 3;
		if (event.ce_used & 1)
			event.ce_pes[0] = random_bits(bits);
		if (event.ce_used & 2)
			event.ce_pes[1] = random_bits(bits);
		check_round_trip(&event);
	}
}

static void round_trips_ultra(void **state)
{
	unsigned int i;

	(void)state;
	srandom(SEED);
	for (i = 0; i < 5000; i++) {
		cpc_event_t event;

		memset(&event, 0, sizeof(event));
		event.ce_cpuver = random() & 1 ? CPC_ULTRA1 : CPC_ULTRA2;
		event.ce_used = 1 + random() % 3;
		event.ce_pcr = random_bits(6);
		if (event.ce_used & 1)
			event.ce_pcr |= random_bits(0xf << 4);
		if (event.ce_used & 2)
			event.ce_pcr |= random_bits(0xf << 11);
		check_round_trip(&event);
	}
}

static const char *names[2000];
static unsigned int n_names;

static void keep_name(void *arg, int regno, const char *name, uint8_t bits)
{
	(void)arg;
	(void)regno;
	(void)bits;
	if (n_names < sizeof(names) / sizeof(names[0]))
		names[n_names++] = name;
}

/* What a program does by hand, or a name; and any modes. */
static void random_pic(cpc_event_t *event, unsigned int pic)
{
	uint32_t fields = CPC_PES_EVENT | CPC_PES_UMASK;
	cpc_event_t one;

#if defined(__x86_64__) || defined(__i386__)
	fields |= E | CPC_PES_INV | CPC_PES_CMASK | CPC_PES_PC | CPC_PES_INT;
#endif
	event->ce_used |= 1u << pic;
	if (random() & 1) {
		event->ce_pes[pic] = random_bits(fields | USR | OS);
		return;
	}
	assert_int_equal(cpc_strtoevent(native, names[random() % n_names], &one), 0);
	event->ce_code[pic] = one.ce_code[0];
	event->ce_coded |= (one.ce_coded & 1) << pic;
	event->ce_pes[pic] = (one.ce_pes[0] & ~(USR | OS)) | random_bits(USR | OS);
}

static void round_trips_native(void **state)
{
	unsigned int i, pic;

	(void)state;
	srandom(SEED);
	n_names = 0;
	cpc_walk_names(native, 0, NULL, keep_name);
	assert_true(n_names > 20);
	for (i = 0; i < 500; i++) {
		unsigned int used = 1 + random() % 255;
		cpc_event_t event;

		memset(&event, 0, sizeof(event));
		event.ce_cpuver = native;
		for (pic = 0; pic < CPC_MAX_PIC; pic++) {
			if (used >> pic & 1)
				random_pic(&event, pic);
		}
		check_round_trip(&event);
	}
}

static void random_event(cpc_event_t *event)
{
	unsigned int i;

	memset(event, 0, sizeof(*event));
	event->ce_cpuver = random();
	event->ce_hrt = random();
	event->ce_tick = (uint64_t)random() << 40 | random();
	for (i = 0; i < CPC_MAX_PIC; i++)
		event->ce_pic[i] = (uint64_t)random() << 40 | random();
	event->ce_pes[3] = random();
	event->ce_pcr = random();
}

static void arithmetic(void **state)
{
	unsigned int i, k;

	(void)state;
	srandom(SEED);
	for (i = 0; i < 1000; i++) {
		cpc_event_t a, b, sum, diff;

		random_event(&a);
		random_event(&b);
		sum = a;
		cpc_event_accum(&sum, &b);
		assert_true(sum.ce_hrt == (a.ce_hrt > b.ce_hrt ? a.ce_hrt : b.ce_hrt));
		/* control bits are not touched */
		assert_int_equal(sum.ce_cpuver, a.ce_cpuver);
		assert_int_equal(sum.ce_pes[3], a.ce_pes[3]);
		assert_int_equal(sum.ce_pcr, a.ce_pcr);
		/* (a + b) - b = a */
		memset(&diff, 0x5a, sizeof(diff));
		cpc_event_diff(&diff, &sum, &b);
		assert_true(diff.ce_hrt == sum.ce_hrt);
		assert_true(diff.ce_tick == a.ce_tick);
		for (k = 0; k < CPC_MAX_PIC; k++) {
			assert_true(sum.ce_pic[k] == a.ce_pic[k] + b.ce_pic[k]);
			assert_true(diff.ce_pic[k] == a.ce_pic[k]);
		}
		assert_int_equal(diff.ce_cpuver, 0x5a5a5a5a);
		/* the result may be an operand; modulo 2^64 */
		diff = b;
		cpc_event_diff(&diff, &a, &diff);
		sum = a;
		cpc_event_diff(&sum, &sum, &b);
		for (k = 0; k < CPC_MAX_PIC; k++) {
			assert_true(diff.ce_pic[k] == a.ce_pic[k] - b.ce_pic[k]);
			assert_true(sum.ce_pic[k] == a.ce_pic[k] - b.ce_pic[k]);
		}
		assert_true(diff.ce_tick == a.ce_tick - b.ce_tick);
	}
}

/* Nothing that a program may write crashes the parser. */
static void noise(void **state)
{
	static const char *const words[] = {
		"pic0=", "pic", "9", "=", ",", ",", "cycles", "sys", "nouser", "umask0", "1", "/",
		"cpu/", "edge", ":u", "0x1", "inst_retired", "\xfe", "noedge1", "int",
	};
	const int cpuver[] = { CPC_ULTRA1, CPC_PENTIUM_PRO, native };
	unsigned int i, accepted = 0;

	(void)state;
	srandom(SEED);
	for (i = 0; i < 3000; i++) {
		cpc_event_t event;
		char spec[256] = "", *text;
		int n = 1 + random() % 8;

		while (n--)
			strcat(spec, words[random() % (sizeof(words) / sizeof(words[0]))]);
		if (cpc_strtoevent(cpuver[random() % 3], spec, &event))
			continue;
		accepted++;
		text = cpc_eventtostr(&event);
		assert_non_null(text);
		free(text);
	}
	assert_true(accepted > 20);
}

/* ---- without a driver ---- */

static bool have_driver(void)
{
	return !access("/dev/perfmon", F_OK);
}

static void no_driver(void **state)
{
	(void)state;
	if (have_driver())
		skip();
	errno = 0;
	assert_int_equal(cpc_shared_open(), -1);
	assert_int_equal(errno, ENXIO);
	assert_non_null(strstr(cpc_shared_why(-1), "modprobe perfmon"));
	assert_string_equal(cpc_shared_why(5), "");
	messages = 0;
	assert_int_equal(cpc_access(), -1);
	assert_int_equal(errno, ENOSYS);
	assert_int_equal(messages, 1);
	assert_int_equal(strncmp(message, "access: ", 8), 0);
}

static void bad_descriptors(void **state)
{
	int fd[] = { -1, 9999, INT32_MAX, open("/dev/null", O_RDWR) };
	int err[] = { EBADF, EBADF, EBADF, EINVAL };
	cpc_event_t event;
	unsigned int i;

	(void)state;
	memset(&event, 0, sizeof(event));
	event.ce_cpuver = native;
	event.ce_pes[0] = 0xc0 | USR;
	for (i = 0; i < 4; i++) {
		errno = 0;
		assert_int_equal(cpc_shared_bind_event(fd[i], &event, 0), -1);
		assert_int_equal(errno, err[i]);
		assert_int_equal(cpc_shared_take_sample(fd[i], &event), -1);
		assert_int_equal(errno, err[i]);
		assert_int_equal(cpc_shared_rele(fd[i]), -1);
		assert_int_equal(errno, err[i]);
		assert_int_equal(cpc_shared_bind_event(fd[i], NULL, 0), -1);
		assert_int_equal(errno, err[i]);
		assert_true(*cpc_shared_why(fd[i]));
		/* what is not ours stays open */
		errno = 77;
		cpc_shared_close(fd[i]);
		assert_int_equal(errno, 77);
	}
	assert_int_equal(close(fd[3]), 0);
}

/* ---- what ported programs want of the system ---- */

static void hrtime(void **state)
{
	hrtime_t a, b;

	(void)state;
	a = gethrtime();
	usleep(2000);
	b = gethrtime();
	assert_true(b - a >= 2000000 && b - a < 60000000000LL);
	assert_int_equal(sizeof(hrtime_t), 8);
}

static int cpus_allowed(void)
{
	cpu_set_t set;

	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	return CPU_COUNT(&set);
}

static void binding(void **state)
{
	int before = cpus_allowed(), cpu = sched_getcpu();
	processorid_t old = 12345;

	(void)state;
	if (before < 2)
		skip();
	assert_int_equal(processor_bind(P_LWPID, P_MYID, PBIND_QUERY, &old), 0);
	assert_int_equal(old, PBIND_NONE);
	assert_int_equal(processor_bind(P_LWPID, P_MYID, cpu, &old), 0);
	assert_int_equal(old, PBIND_NONE);
	assert_int_equal(cpus_allowed(), 1);
	assert_int_equal(sched_getcpu(), cpu);
	assert_int_equal(processor_bind(P_LWPID, P_MYID, cpu ? 0 : 1, &old), 0);
	assert_int_equal(old, cpu);
	assert_int_equal(processor_bind(P_LWPID, gettid(), PBIND_QUERY, &old), 0);
	assert_int_equal(old, cpu ? 0 : 1);
	assert_int_equal(cpus_allowed(), 1);
	assert_int_equal(processor_bind(P_LWPID, P_MYID, PBIND_NONE, NULL), 0);
	assert_int_equal(cpus_allowed(), before);
	assert_int_equal(processor_bind(P_LWPID, P_MYID, PBIND_NONE, &old), 0);
	assert_int_equal(old, PBIND_NONE);
	/* the whole process */
	assert_int_equal(processor_bind(P_PID, P_MYID, cpu, &old), 0);
	assert_int_equal(old, PBIND_NONE);
	assert_int_equal(processor_bind(P_PID, getpid(), PBIND_QUERY, &old), 0);
	assert_int_equal(old, cpu);
	assert_int_equal(processor_bind(P_PID, P_MYID, PBIND_NONE, NULL), 0);
	assert_int_equal(cpus_allowed(), before);
}

static void check_binding_error(int idtype, id_t id, processorid_t cpu, int err)
{
	int before = cpus_allowed();
	processorid_t old = 12345;

	errno = 0;
	assert_int_equal(processor_bind((idtype_t)idtype, id, cpu, &old), -1);
	assert_int_equal(errno, err);
	assert_int_equal(old, 12345);
	assert_int_equal(cpus_allowed(), before);
}

static void binding_refused(void **state)
{
	(void)state;
	check_binding_error(P_LWPID, P_MYID, 8191, EINVAL);
	check_binding_error(P_LWPID, P_MYID, 100000, EINVAL);
	check_binding_error(P_LWPID, P_MYID, -3, EINVAL);
	check_binding_error(P_ALL, P_MYID, 0, EINVAL);
	check_binding_error(P_LWPID, 0x3ffffff0, 0, ESRCH);
	check_binding_error(P_PID, 0x3ffffff0, 0, ESRCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions),
		cmocka_unit_test(cpus),
		cmocka_unit_test(usages),
		cmocka_unit_test(walks),
		cmocka_unit_test(parse_ultra),
		cmocka_unit_test(parse_p6),
		cmocka_unit_test(parse_unknown),
		cmocka_unit_test(parse_native),
		cmocka_unit_test(parse_native_fields),
		cmocka_unit_test(canonical),
		cmocka_unit_test(canonical_refused),
		cmocka_unit_test(round_trips_p6),
		cmocka_unit_test(round_trips_ultra),
		cmocka_unit_test(round_trips_native),
		cmocka_unit_test(arithmetic),
		cmocka_unit_test(noise),
		cmocka_unit_test(no_driver),
		cmocka_unit_test(bad_descriptors),
		cmocka_unit_test(hrtime),
		cmocka_unit_test(binding),
		cmocka_unit_test(binding_refused),
	};
	int rc;

	fake_start(NULL);
	start_machine();
	native = cpc_getcpuver();
	cpc_seterrfn(catch);
	rc = cmocka_run_group_tests_name("cpc", tests, NULL, NULL);
	fake_end();
	return rc;
}

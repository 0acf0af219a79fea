// SPDX-License-Identifier: GPL-2.0-only
/* Event names on machines that are made up: what they encode to, and what is refused and how. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <linux/perf_event.h>

#include "internal.h"
#include "fake.h"

#define U	PERFMON_EVENT_USER
#define K	PERFMON_EVENT_KERNEL

struct golden {
	const char *name;
	uint32_t type;
	uint64_t config;
	uint64_t config1;
	uint32_t flags;
};

static void check_golden(const struct golden *g, size_t n)
{
	for (; n; n--, g++) {
		struct perfmon_event ev;
		char *why;

		if (pme_resolve(g->name, &ev, &why))
			fail_msg("%s: %s", g->name, why ? why : strerror(errno));
		if (ev.type != g->type || ev.config != g->config || ev.config1 != g->config1 ||
		    ev.flags != g->flags)
			fail_msg("%s: type %u config 0x%llx config1 0x%llx flags %u", g->name,
				 ev.type, ev.config, ev.config1, ev.flags);
		assert_null(why);
		assert_int_equal(ev.preset, 0);
	}
}

#define CHECK_GOLDEN(list)	check_golden(list, sizeof(list) / sizeof((list)[0]))

struct refused {
	const char *name;
	int err;
	const char *says;		/* a part of the sentence */
};

static void check_refused(const struct refused *r, size_t n)
{
	for (; n; n--, r++) {
		struct perfmon_event ev;
		char *why = NULL;

		errno = 0;
		if (!pme_resolve(r->name, &ev, &why))
			fail_msg("%s: accepted", r->name);
		if (errno != r->err)
			fail_msg("%s: errno %d, not %d (%s)", r->name, errno, r->err, why);
		assert_non_null(why);
		if (!strstr(why, r->says))
			fail_msg("%s: \"%s\" does not say \"%s\"", r->name, why, r->says);
		free(why);
		errno = 0;
		assert_int_equal(pme_resolve(r->name, &ev, NULL), -1);
		assert_int_equal(errno, r->err);
	}
}

#define CHECK_REFUSED(list)	check_refused(list, sizeof(list) / sizeof((list)[0]))

#define CACHE(id, op, result)	((id) | (op) << 8 | (result) << 16)

static void generic(void **state)
{
	static const struct golden list[] = {
		{ "branches", 0, 4, 0, 0 },
		{ "branch-mispredicts", 0, 5, 0, 0 },
		{ "cycles", 0, 0, 0, 0 },
		{ "dc-misses", 3, CACHE(0, 0, 1), 0, 0 },
		{ "ic-misses", 3, CACHE(1, 0, 1), 0, 0 },
		{ "unhalted-cycles", 0, 0, 0, 0 },
		{ "PAPI_tot_cyc", 0, 0, 0, 0 },
		{ "PAPI_tot_ins", 0, 1, 0, 0 },
		{ "papi_TOT_ins", 0, 1, 0, 0 },
		{ "PAPI_br_ins", 0, 4, 0, 0 },
		{ "PAPI_br_msp", 0, 5, 0, 0 },
		{ "PAPI_tlb_im", 3, CACHE(4, 0, 1), 0, 0 },
		{ "Cycle_cnt", 0, 0, 0, 0 },
		{ "Instr_cnt", 0, 1, 0, 0 },
		{ "bus-cycles", 0, 6, 0, 0 },
		{ "ref-cycles", 0, 9, 0, 0 },
		{ "L1-dcache-load-misses", 3, CACHE(0, 0, 1), 0, 0 },
		{ "LLC-stores", 3, CACHE(2, 1, 0), 0, 0 },
		{ "cycles:u", 0, 0, 0, U },
		{ "cycles:k", 0, 0, 0, K },
		{ "cycles:uk", 0, 0, 0, U | K },
		{ "cycles:k:u", 0, 0, 0, U | K },
	};

	(void)state;
	fake_riscv64();
	CHECK_GOLDEN(list);
}

static void software(void **state)
{
	static const struct golden list[] = {
		{ "context-switches", 1, 3, 0, U | K },
		{ "cs", 1, 3, 0, U | K },
		{ "cpu-migrations", 1, 4, 0, U | K },
		{ "page-faults", 1, 2, 0, U | K },
		{ "minor-faults", 1, 5, 0, U | K },
		{ "major-faults", 1, 6, 0, U | K },
		{ "cpu-clock", 1, 0, 0, U | K },
		{ "task-clock", 1, 1, 0, U | K },
		{ "page-faults:u", 1, 2, 0, U },
		{ "Context-Switches:k", 1, 3, 0, K },
	};

	(void)state;
	fake_no_pmu();
	CHECK_GOLDEN(list);
}

static void raw(void **state)
{
	static const struct golden list[] = {
		{ "0", 4, 0, 0, 0 },
		{ "0x0", 4, 0, 0, 0 },
		{ "17", 4, 17, 0, 0 },
		{ "0x11", 4, 0x11, 0, 0 },
		{ "0X11", 4, 0x11, 0, 0 },
		{ "r11", 4, 0x11, 0, 0 },
		{ "R11", 4, 0x11, 0, 0 },
		{ "r0", 4, 0, 0, 0 },
		{ "010", 4, 8, 0, 0 },
		{ "r1b:u", 4, 0x1b, 0, U },
		{ "0x412e:k", 4, 0x412e, 0, K },
	};
	static const struct refused bad[] = {
		{ "0x", EINVAL, "unknown event" },
		{ "r", EINVAL, "unknown event" },
		{ "4abc", EINVAL, "unknown event" },
		{ "17 ", EINVAL, "unknown event" },
		{ " 17", EINVAL, "unknown event" },
		{ "-1", EINVAL, "unknown event" },
		{ "+1", EINVAL, "unknown event" },
		{ "r0x11", EINVAL, "unknown event" },
		{ "r-1", EINVAL, "unknown event" },
		{ "08", EINVAL, "unknown event" },
		{ "0x10000000000000000", EINVAL, "unknown event" },
		{ "18446744073709551616", EINVAL, "unknown event" },
	};

	(void)state;
	fake_x86();
	CHECK_GOLDEN(list);
	CHECK_REFUSED(bad);
}

/* A bit that the kernel would drop would make the counter count something else. */
static void raw_bits(void **state)
{
	static const struct refused x86[] = {
		{ "0x4300c0", EINVAL, "0x430000" }, { "0x100000000", EINVAL, "0x100000000" },
	};
	static const struct refused arm64[] = { { "0x10008", EINVAL, "0x10000" } };
	static const struct golden good[] = { { "0xffff", 4, 0xffff, 0, 0 } };

	(void)state;
	fake_x86();
	CHECK_REFUSED(x86);
	fake_arm64();
	CHECK_REFUSED(arm64);
	CHECK_GOLDEN(good);
}

static void sysfs_x86(void **state)
{
	static const struct golden list[] = {
		{ "cpu-cycles", 4, 0x3c, 0, 0 },
		{ "CPU-Cycles", 4, 0x3c, 0, 0 },
		{ "instructions", 4, 0xc0, 0, 0 },
		{ "cache-misses:uk", 4, 0x412e, 0, U | K },
		{ "topdown-slots", 4, 0x0400, 0, 0 },
		{ "cpu/instructions/", 4, 0xc0, 0, 0 },
		{ "cpu/instructions/u", 4, 0xc0, 0, U },
		{ "cpu/event=0xc5,umask=0x11,cmask=2,inv,edge/uk", 4, 0x28411c5, 0, U | K },
		{ "cpu/event=0xb7,umask=1,offcore_rsp=0x10001/", 4, 0x1b7, 0x10001, 0 },
		{ "cpu/config=0xc0/", 4, 0xc0, 0, 0 },
		{ "msr/tsc/", 10, 0, 0, 0 },
		{ "10/config=7,config1=8/", 10, 7, 8, 0 },
	};
	static const struct refused bad[] = {
		{ "tsc", EINVAL, "unknown event" },
		{ "topdown-slots.scale", EINVAL, "unknown event" },
		{ "mem-loads", EINVAL, "\"ldlat\"" },
		{ "cpu/event=0x100/", EINVAL, "does not fit the 8 bits" },
		{ "cpu/inv=2/", EINVAL, "does not fit the 1 bits" },
		{ "cpu/event=xyz/", EINVAL, "\"xyz\" is no value" },
		{ "cpu/event=/", EINVAL, "\"\" is no value" },
		{ "cpu/nothing/", EINVAL, "no event or field \"nothing\"" },
		{ "cpu//", EINVAL, "no event or field" },
		{ "nopmu/event=1/", EINVAL, "no PMU \"nopmu\"" },
		{ "../cpu/instructions/", EINVAL, "unknown event" },
		{ "cpu/instructions", EINVAL, "unknown event" },
		{ "/instructions/", EINVAL, "unknown event" },
		{ "cpu/../events/", EINVAL, "unknown event" },
	};

	(void)state;
	fake_x86();
	CHECK_GOLDEN(list);
	CHECK_REFUSED(bad);
}

static void sysfs_arm64(void **state)
{
	static const struct golden list[] = {
		{ "cpu_cycles", 8, 0x11, 0, 0 },
		{ "INST_RETIRED", 8, 0x08, 0, 0 },
		{ "sw_incr", 8, 0, 0, 0 },
		{ "armv8_pmuv3_0/inst_retired,long/", 8, 0, 0, 0 },
	};

	(void)state;
	fake_arm64();
	check_golden(list, 3);
	fake_file("armv8_pmuv3_0", "events/waits", "event=0x12,threshold=?");
	CHECK_REFUSED(((const struct refused[]) {
		{ "waits", EINVAL, "armv8_pmuv3_0/event=0x12,threshold=?/" },
	}));
}

/* The PMU that raw codes are for owns the bare names; each can be named. */
static void sysfs_hybrid(void **state)
{
	static const struct golden list[] = {
		{ "instructions", 4, 0xc0, 0, 0 },
		{ "cpu_core/instructions/", 4, 0xc0, 0, 0 },
		{ "cpu_atom/event=0x3c/k", 11, 0x3c, 0, K },
	};

	(void)state;
	fake_hybrid();
	CHECK_GOLDEN(list);
}

/* Fields may be scattered, and a value's bits with them. */
static void scattered_field(void **state)
{
	static const struct fake_file formats[] = {
		{ "event", "config:0-7,32-35" }, { "odd", "config1:63,0" },
		{ "far", "config3:0-7" }, { "broken", "config:7-0" }, { "wide", "config:0-70" },
		{ NULL, NULL },
	};
	static const struct golden list[] = {
		{ "cpu/event=0xabc/", 4, 0xa000000bc, 0, 0 },
		{ "cpu/event=0x1,odd=1/", 4, 1, 1ULL << 63, 0 },
		{ "cpu/event=0x1,odd=2/", 4, 1, 1, 0 },
		{ "0xa000000bc", 4, 0xa000000bc, 0, 0 },
	};
	static const struct refused bad[] = {
		{ "cpu/event=0x1000/", EINVAL, "12 bits" },
		{ "cpu/far=1/", EINVAL, "\"far\"" },
		{ "cpu/broken=1/", EINVAL, "\"broken\"" },
		{ "cpu/wide=1/", EINVAL, "\"wide\"" },
		{ "0x100", EINVAL, "0x100" },
	};

	(void)state;
	fake_clear();
	fake_pmu("cpu", 4, formats, NULL);
	CHECK_GOLDEN(list);
	CHECK_REFUSED(bad);
}

static void no_pmu(void **state)
{
	static const struct refused list[] = {
		{ "instructions", ENOTSUP, "context-switches can be counted" },
		{ "PAPI_tot_cyc", ENOTSUP, "PMU" },
		{ "0x11", ENOTSUP, "PMU" },
		{ "nonsense", EINVAL, "unknown event" },
	};

	(void)state;
	fake_no_pmu();
	CHECK_REFUSED(list);
}

static void known_but_missing(void **state)
{
	static const struct refused list[] = {
		{ "PAPI_fp_ops", ENOTSUP, "PAPI_fp_ops is not counted" },
		{ "PAPI_l2_dcm", ENOTSUP, "not counted" },
		{ "interrupts", ENOTSUP, "not counted" },
		{ "PAPI_nonsense", EINVAL, "unknown event" },
		{ "PAPI_l4_tcm", EINVAL, "unknown event" },
	};

	(void)state;
	fake_x86();
	CHECK_REFUSED(list);
}

static void suggestions(void **state)
{
	static const struct refused list[] = {
		{ "instuctions", EINVAL, "did you mean instructions" },
		{ "cpu_cycels", EINVAL, "cpu-cycles" },
		{ "PAPI_tot_inst", EINVAL, "PAPI_tot_ins" },
		{ "icache", EINVAL, "L1-icache-loads" },
		{ "", EINVAL, "missing" },
		{ ":u", EINVAL, "unknown event" },
		{ "cycles:x", EINVAL, "unknown event" },
	};
	struct perfmon_event ev;
	char *why, text[5000];

	(void)state;
	fake_x86();
	CHECK_REFUSED(list);
	assert_int_equal(pme_resolve("zzzzqqqqzzzz", &ev, &why), -1);
	assert_string_equal(why, "unknown event \"zzzzqqqqzzzz\"");
	free(why);
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(pme_resolve(text, &ev, &why), -1);
	assert_int_equal(errno, EINVAL);
	free(why);
}

struct seen {
	unsigned int n, generic, software, other, stop_at;
	int disorder;
};

static int see(const struct pme_info *info, void *arg)
{
	struct seen *seen = arg;
	struct perfmon_event ev;

	assert_non_null(info->desc);
	assert_int_equal(pme_resolve(info->name, &ev, NULL), 0);
	if (!strcmp(info->group, "generic")) {
		seen->generic++;
		seen->disorder += seen->software || seen->other;
	} else if (!strcmp(info->group, "software")) {
		seen->software++;
		seen->disorder += seen->other;
	} else {
		seen->other++;
	}
	return ++seen->n == seen->stop_at ? 77 : 0;
}

static void walk(void **state)
{
	struct seen all = { 0 }, none = { 0 }, soft = { 0 }, some = { 0 }, two = { .stop_at = 2 };

	(void)state;
	fake_arm64();
	assert_int_equal(pme_walk(NULL, see, &all), 0);
	assert_true(all.generic > 10 && all.software > 5 && all.other == 5);
	assert_int_equal(all.disorder, 0);
	assert_int_equal(pme_walk("no such thing", see, &none), 0);
	assert_int_equal(none.n, 0);
	assert_int_equal(pme_walk("RETIRED", see, &some), 0);
	assert_int_equal(some.n, 1);
	assert_int_equal(pme_walk(NULL, see, &two), 77);
	assert_int_equal(two.n, 2);
	fake_no_pmu();
	assert_int_equal(pme_walk(NULL, see, &soft), 0);
	assert_int_equal(soft.n, soft.software);
	fake_hybrid();
	assert_int_equal(pme_walk("cpu_atom/instr", see, &some), 0);
	assert_int_equal(some.n, 2);
}

static void check_name(uint32_t type, uint64_t config, uint64_t config1, const char *expected)
{
	struct perfmon_event ev = { .type = type, .config = config, .config1 = config1 }, back;
	char *name = pme_name(&ev), *why = NULL;

	assert_string_equal(name, expected);
	if (pme_resolve(name, &back, &why))
		fail_msg("%s: %s", name, why);
	assert_int_equal(back.type, type);
	assert_int_equal(back.config, config);
	assert_int_equal(back.config1, config1);
	free(name);
}

static void names(void **state)
{
	(void)state;
	fake_x86();
	check_name(0, 0, 0, "cycles");
	check_name(1, 3, 0, "context-switches");
	check_name(3, CACHE(0, 0, 1), 0, "L1-dcache-load-misses");
	check_name(4, 0xc0, 0, "instructions");
	/* which is therefore no name of the generic event */
	check_name(0, 1, 0, "PAPI_tot_ins");
	check_name(4, 0xc1, 0, "0xc1");
	check_name(4, 0, 0, "0x0");
	check_name(4, 0x1b7, 0x10001, "cpu/config=0x1b7,config1=0x10001/");
	check_name(10, 0, 0, "msr/config=0x0,config1=0x0/");
	fake_arm64();
	check_name(8, 8, 0, "inst_retired");
	check_name(8, 0x1234, 0, "armv8_pmuv3_0/config=0x1234,config1=0x0/");
	check_name(4, 8, 1, "4/config=0x8,config1=0x1/");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generic),
		cmocka_unit_test(software),
		cmocka_unit_test(raw),
		cmocka_unit_test(raw_bits),
		cmocka_unit_test(sysfs_x86),
		cmocka_unit_test(sysfs_arm64),
		cmocka_unit_test(sysfs_hybrid),
		cmocka_unit_test(scattered_field),
		cmocka_unit_test(no_pmu),
		cmocka_unit_test(known_but_missing),
		cmocka_unit_test(suggestions),
		cmocka_unit_test(walk),
		cmocka_unit_test(names),
	};
	int rc;

	fake_start(NULL);
	rc = cmocka_run_group_tests_name("event", tests, NULL, NULL);
	fake_end();
	return rc;
}

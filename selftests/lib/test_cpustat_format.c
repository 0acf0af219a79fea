// SPDX-License-Identifier: GPL-2.0-only
/* The columns of cpustat, to the character. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../tools/cpustat/format.c"

static void check(char *text, const char *expected)
{
	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static void test_title(void **state)
{
	struct pme_spec spec = { .n = 2, .req = { { .pic = 0 }, { .pic = 1 } } };

	(void)state;
	check(format_title(&spec, false), "   time cpu event      pic0      pic1 \n");
	spec.req[1].pic = 12;
	check(format_title(&spec, false), "   time cpu event      pic0      pic12\n");
#if defined(__i386__) || defined(__x86_64__)
	check(format_title(&spec, true), "   time cpu event       tsc      pic0      pic12\n");
#else
	check(format_title(&spec, true), "   time cpu event     %tick      pic0      pic12\n");
#endif
}

/* The example of Solaris' manual. */
static void test_line(void **state)
{
	uint64_t value[] = { 69284, 1647 };
	struct line line = { .time = 1008000000, .cpu = 0, .event = "tick", .n = 2,
			     .value = value };

	(void)state;
	check(format_line(&line), "  1.008   0  tick     69284      1647 \n");
	line.time = 3008499999;
	line.cpu = 2;
	line.event = "total";
	value[0] = 651077;
	value[1] = 18204;
	check(format_line(&line), "  3.008   2 total    651077     18204 \n");
}

static void test_line_with_more(void **state)
{
	uint64_t value[] = { 0, UINT64_MAX };
	uint64_t ticks = 123456;
	struct line line = {
		.time = 1234567000000, .cpu = 1023, .event = "tick", .ticks = &ticks,
		.n = 2, .value = value, .spec = "pic0=cycles,sys",
	};

	(void)state;
	check(format_line(&line), "1234.567 1023  tick    123456         0 18446744073709551615 "
				  " # pic0=cycles,sys\n");
	line.ticks = NULL;
	line.n = 1;
	line.spec = NULL;
	check(format_line(&line), "1234.567 1023  tick         0 \n");
}

/* A stamp belongs to its line: both are one text, for one write. */
static void test_stamp(void **state)
{
	uint64_t value = 7;
	struct line line = {
		.stamp = STAMP_NUMBER, .now = 951782400, .time = 0, .cpu = 3, .event = "tick",
		.n = 1, .value = &value,
	};

	(void)state;
	setenv("TZ", "UTC0", 1);
	tzset();
	check(format_line(&line), "951782400\n  0.000   3  tick         7 \n");
	line.stamp = STAMP_DATE;
	check(format_line(&line), "Tue Feb 29 00:00:00 UTC 2000\n  0.000   3  tick         7 \n");
}

static void test_cpus(void **state)
{
	static const int cpus[] = { 0, 1, 2, 5, 7, 8 };

	(void)state;
	check(format_cpus(cpus, 0), "");
	check(format_cpus(cpus, 1), "0");
	check(format_cpus(cpus, 2), "0-1");
	check(format_cpus(cpus, 4), "0-2,5");
	check(format_cpus(cpus, 6), "0-2,5,7-8");
	check(format_cpus(cpus + 3, 2), "5,7");
}

/* Reads "0-2,5" back into a set. */
static uint32_t read_cpus(const char *text)
{
	uint32_t set = 0;

	while (*text) {
		char *end;
		unsigned long first = strtoul(text, &end, 10);
		unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;

		for (; first <= last; first++)
			set |= 1u << first;
		text = *end ? end + 1 : end;
	}
	return set;
}

static void test_cpus_round_trip(void **state)
{
	uint32_t set;
	int cpus[12];

	(void)state;
	for (set = 0; set < 1u << 12; set++) {
		size_t n = 0;
		char *text;
		int i;

		for (i = 0; i < 12; i++)
			if (set & 1u << i)
				cpus[n++] = i;
		text = format_cpus(cpus, n);
		assert_non_null(text);
		assert_int_equal(read_cpus(text), set);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_title),
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_line_with_more),
		cmocka_unit_test(test_stamp),
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_cpus_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* The command line of cpustat: what is taken, what is refused and with which status. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../tools/cpustat/message.c"
#include "../../tools/cpustat/options.c"

#define MOST_ARGS	16

/* Parses a command line, words between single blanks. */
static int parse(struct options *opt, const char *line)
{
	static char words[256];
	char *argv[MOST_ARGS + 1] = { "cpustat" };
	char *rest = words, *word;
	int argc = 1;

	snprintf(words, sizeof(words), "%s", line);
	while ((word = strsep(&rest, " ")) && argc < MOST_ARGS)
		argv[argc++] = word;
	optind = 0;		/* glibc: start anew */
	return options_parse(opt, argc, argv);
}

static void check_refused(const char *line, int status)
{
	struct options opt;
	int got = parse(&opt, line);

	options_clear(&opt);
	if (got != status)
		fail_msg("'%s' gives %d, not %d", line, got, status);
}

static void test_defaults(void **state)
{
	struct options opt;

	(void)state;
	assert_int_equal(parse(&opt, "-c page-faults"), 0);
	assert_int_equal(opt.action, ACTION_COUNT);
	assert_int_equal(opt.nsets, 1);
	assert_int_equal(opt.sets[0].n, 1);
	assert_int_equal(opt.interval, 5 * NSEC_PER_SEC);
	assert_int_equal(opt.count, 0);
	assert_int_equal(opt.stamp, STAMP_NONE);
	assert_true(opt.title);
	assert_false(opt.cycling || opt.ticks || opt.soak);
	options_clear(&opt);
}

static void test_everything(void **state)
{
	struct options opt;

	(void)state;
	assert_int_equal(parse(&opt, "-nst -T d -p 60 -c page-faults -c cs,cpu-clock 0.25 7"), 0);
	assert_int_equal(opt.nsets, 2);
	assert_int_equal(opt.sets[1].n, 2);
	assert_int_equal(opt.interval, NSEC_PER_SEC / 4);
	assert_int_equal(opt.count, 7);
	assert_true(opt.cycling);
	assert_int_equal(opt.period, 60 * NSEC_PER_SEC);
	assert_int_equal(opt.stamp, STAMP_DATE);
	assert_false(opt.title);
	assert_true(opt.ticks && opt.soak);
	options_clear(&opt);
}

static void test_numbers(void **state)
{
	static const char *const refused[] = {
		"0", "-1", "x", "1x", "", "nan", "inf", "1e30", "0.0001", "1 0", "1 -1", "1 1.5",
		"1 x", "1 +1", "1 99999999999999999999", "1 1 1",
	};
	char line[64];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		snprintf(line, sizeof(line), "-c page-faults -- %s", refused[i]);
		check_refused(line, STATUS_USAGE);
	}
	check_refused("-c page-faults -p -1", STATUS_USAGE);
	check_refused("-c page-faults -p x", STATUS_USAGE);
}

static void test_refused(void **state)
{
	(void)state;
	check_refused("1 1", STATUS_USAGE);
	check_refused("-c", STATUS_USAGE);
	check_refused("-z", STATUS_USAGE);
	check_refused("--zz", STATUS_USAGE);
	check_refused("-T x -c page-faults", STATUS_USAGE);
	check_refused("-c no-such-event", STATUS_USAGE);
	check_refused("-c page-faults -c no-such-event", STATUS_USAGE);
	check_refused("-h one two", STATUS_USAGE);
}

static void test_list(void **state)
{
	struct options opt;

	(void)state;
	assert_int_equal(parse(&opt, "-h"), 0);
	assert_int_equal(opt.action, ACTION_LIST);
	assert_null(opt.pattern);
	assert_int_equal(parse(&opt, "--help cache"), 0);
	assert_int_equal(opt.action, ACTION_LIST);
	assert_string_equal(opt.pattern, "cache");
	assert_int_equal(parse(&opt, "--version"), 0);
	assert_int_equal(opt.action, ACTION_VERSION);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_everything),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* The command line of cpustat. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "message.h"
#include "options.h"

#define SHORTEST	0.001		/* s; below this the tool would measure itself */
#define LONGEST		1e9		/* s, 31 years: keeps nanoseconds within 64 bits */

const char options_usage[] =
	"usage: cpustat -c SPEC [-c SPEC]... [-p PERIOD] [-T u|d] [-sntD] [INTERVAL [COUNT]]\n"
	"       cpustat -h [PATTERN]\n"
	"\n"
	"Counts events on every CPU of the machine, whatever runs there.\n"
	"\n"
	"  -c SPEC   events to count together; several -c are measured in turn\n"
	"  -p SEC    start a new round of all -c every SEC seconds; COUNT is then in rounds\n"
	"  -T u|d    a line with the time before each sample, as a number or as date(1) does\n"
	"  -s        keep idle CPUs busy while a SPEC counts in system mode only\n"
	"  -n        no title\n"
	"  -t        a column with the ticks of each CPU's time stamp counter\n"
	"  -D        name the function at fault in messages\n"
	"  -h        this text and the events of this machine, those with PATTERN in them\n"
	"  --version\n"
	"\n"
	"  INTERVAL  seconds between samples, fractions allowed (5)\n"
	"  COUNT     samples to take (until interrupted)\n"
	"\n"
	"  SPEC      [picN=]EVENT[,ATTR[N][=VALUE]]...[,[picN=]EVENT[,ATTR...]]...\n"
	"            N numbers the columns, 0 to 7. ATTR is for column N, without N for all:\n"
	"            nouser, sys, and what the CPU's encoding has (x86: umask, cmask, inv, edge).\n"
	"            Without \"sys\" only user mode is counted; of software events, both.\n"
	"\n"
	"  cpustat -c cycles,instructions 1 5\n"
	"  cpustat -c cycles,instructions,sys -c cache-misses,sys 2\n";

static const struct option long_options[] = {
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

static int usage_error(const char *fn, const char *text, const char *arg)
{
	if (arg)
		message(fn, "%s: %s; see cpustat -h", arg, text);
	else
		message(fn, "%s; see cpustat -h", text);
	return STATUS_USAGE;
}

/* Seconds, possibly a fraction, from min on; -1 when it is none. */
static int64_t parse_seconds(const char *text, double min)
{
	char *end;
	double sec;

	errno = 0;
	sec = strtod(text, &end);
	if (end == text || *end || errno || !isfinite(sec) || sec < min || sec > LONGEST)
		return -1;
	return sec * NSEC_PER_SEC + 0.5;
}

static uint64_t parse_count(const char *text)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno)
		return 0;
	return n;
}

static int parse_stamp(struct options *opt, const char *text)
{
	if (!strcmp(text, "u"))
		opt->stamp = STAMP_NUMBER;
	else if (!strcmp(text, "d"))
		opt->stamp = STAMP_DATE;
	else
		return usage_error("options", "-T takes u or d", text);
	return 0;
}

static int add_set(struct options *opt, const char *text)
{
	struct pme_spec *sets = reallocarray(opt->sets, opt->nsets + 1, sizeof(*sets));
	char *why = NULL;
	int err;

	if (!sets) {
		message("options", "-c %s: %s", text, strerror(ENOMEM));
		return STATUS_FAILED;
	}
	opt->sets = sets;
	if (!pme_spec_parse(text, &sets[opt->nsets], &why)) {
		opt->nsets++;
		return 0;
	}
	err = errno;
	message("pme_spec_parse", "-c %s: %s", text, why ? why : strerror(err));
	free(why);
	/* ENOTSUP and ENOMEM: the user is right, it is the machine that cannot */
	return err == EINVAL ? STATUS_USAGE : STATUS_FAILED;
}

/* `c` is what getopt made of it, `arg` the argument it looked at. */
static int bad_option(int c, const char *arg)
{
	char name[3] = { '-', (char)optopt };

	return usage_error("options", c == ':' ? "needs an argument" : "no such option",
			   optopt ? name : arg);
}

static int parse_option(struct options *opt, int c)
{
	switch (c) {
	case 'c':
		return add_set(opt, optarg);
	case 'p':
		opt->cycling = true;
		opt->period = parse_seconds(optarg, 0);
		return opt->period < 0 ? usage_error("options", "-p takes seconds", optarg) : 0;
	case 'T':
		return parse_stamp(opt, optarg);
	case 's':
		opt->soak = true;
		return 0;
	case 'n':
		opt->title = false;
		return 0;
	case 't':
		opt->ticks = true;
		return 0;
	case 'D':
		message_debug = true;
		return 0;
	case 'h':
		opt->action = ACTION_LIST;
		return 0;
	default:
		opt->action = ACTION_VERSION;
		return 0;
	}
}

static int parse_operands(struct options *opt, int n, char **arg)
{
	if (opt->action == ACTION_LIST) {
		if (n > 1)
			return usage_error("options", "-h takes one pattern", NULL);
		opt->pattern = n ? arg[0] : NULL;
		return 0;
	}
	if (opt->action == ACTION_VERSION)
		return 0;
	if (!opt->nsets)
		return usage_error("options", "nothing to count: give at least one -c", NULL);
	if (n > 2)
		return usage_error("options", "one operand too many", arg[2]);
	if (n > 0) {
		opt->interval = parse_seconds(arg[0], SHORTEST);
		if (opt->interval < 0)
			return usage_error("options", "the interval is seconds, 0.001 or more",
					   arg[0]);
	}
	if (n > 1) {
		opt->count = parse_count(arg[1]);
		if (!opt->count)
			return usage_error("options", "the count is a number, 1 or more", arg[1]);
	}
	return 0;
}

int options_parse(struct options *opt, int argc, char **argv)
{
	int status;
	int c;

	*opt = (struct options){ .title = true, .interval = 5 * NSEC_PER_SEC };
	opterr = 0;		/* getopt would begin its messages with argv[0] */
	while ((c = getopt_long(argc, argv, ":c:p:T:sntDh", long_options, NULL)) != -1) {
		status = c == '?' || c == ':' ? bad_option(c, argv[optind - 1]) :
						parse_option(opt, c);
		if (status)
			return status;
	}
	return parse_operands(opt, argc - optind, argv + optind);
}

void options_clear(struct options *opt)
{
	while (opt->nsets)
		pme_spec_clear(&opt->sets[--opt->nsets]);
	free(opt->sets);
	opt->sets = NULL;
}

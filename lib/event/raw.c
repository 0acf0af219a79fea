// SPDX-License-Identifier: LGPL-2.1-or-later
/* Raw codes: "0x11", "17", "r11". */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include <linux/perf_event.h>

#include "internal.h"

bool pme_number(const char *text, int base, unsigned long long *value)
{
	char *end;

	/* strtoull() itself would take a sign, and blanks before it. */
	if (!isxdigit((unsigned char)*text))
		return false;
	errno = 0;
	*value = strtoull(text, &end, base);
	return !errno && !*end;
}

static bool parse(const char *name, unsigned long long *code)
{
	if (*name == 'r' || *name == 'R') {
		/* "r0x11" is not perf's syntax; strtoull() would take it. */
		if (name[1] == '0' && tolower((unsigned char)name[2]) == 'x')
			return false;
		return pme_number(name + 1, 16, code);
	}
	return pme_number(name, 0, code);
}

/*
 * The kernel drops bits that the CPU's encoding does not have, and counts something else than what
 * was asked for. So they are refused here.
 */
static int check_bits(const char *name, unsigned long long code, char **why)
{
	struct pme_pmu pmus[PME_MAX_PMUS];
	unsigned long long extra;

	if (!pme_cpu_pmus(pmus))
		return 0;
	extra = code & ~pme_config_mask(pmus[0].name);
	if (!extra)
		return 0;
	return pme_fail(why, EINVAL, "raw code %s has bits that mean nothing to the PMU %s: 0x%llx",
			name, pmus[0].name, extra);
}

int pme_raw_resolve(const char *name, struct perfmon_event *ev, char **why)
{
	unsigned long long code;

	if (!parse(name, &code))
		return PME_UNKNOWN;
	if (check_bits(name, code, why))
		return -1;
	ev->type = PERF_TYPE_RAW;
	ev->config = code;
	return 0;
}

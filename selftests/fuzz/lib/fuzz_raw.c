// SPDX-License-Identifier: GPL-2.0-only
/* Raw codes and numbers: pme_raw_resolve(), pme_number(), and the items of a list. */
#include <ctype.h>

#include <linux/perf_event.h>

#include "target.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	target_machine();
	return 0;
}

/* What is written in hexadecimal is the same number. */
static void check_number(const char *text, int base)
{
	unsigned long long value, again;
	char number[32];

	if (!pme_number(text, base, &value))
		return;
	MUST(isxdigit((unsigned char)*text), text);
	snprintf(number, sizeof(number), "%llx", value);
	MUST(pme_number(number, 16, &again) && again == value, text);
}

static void check_raw(const char *text)
{
	struct perfmon_event ev = { .flags = 0 };
	char *why = NULL;
	int rc = pme_raw_resolve(text, &ev, &why);

	if (rc < 0) {
		target_refused(text, why);
		return;
	}
	MUST(!why, text);
	MUST(rc == 0 || rc == PME_UNKNOWN, text);
	if (!rc)
		MUST(ev.type == PERF_TYPE_RAW && !ev.config1 && !ev.flags, text);
}

/* The items, with commas in between, are the list. */
static void check_items(char *text)
{
	char *copy = strdup(text), *rest = text, *item;
	size_t at = 0;

	if (!copy)
		abort();
	while ((item = pme_next_item(&rest))) {
		MUST(!strncmp(copy + at, item, strlen(item)), copy);
		at += strlen(item);
		MUST(copy[at] == (rest ? ',' : '\0'), copy);
		at++;
	}
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = target_text(data, size);

	check_number(text, 0);
	check_number(text, 10);
	check_number(text, 16);
	check_raw(text);
	check_items(text);
	free(text);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
#include "target.h"

static const struct {
	const char *name;
	void (*make)(void);
} machines[] = {
	{ "x86", fake_x86 },
	{ "arm64", fake_arm64 },
	{ "riscv64", fake_riscv64 },
	{ "hybrid", fake_hybrid },
	{ "no-pmu", fake_no_pmu },
};

void target_machine(void)
{
	const char *name = getenv("FUZZ_MACHINE");
	size_t i;

	fake_start(getenv("FUZZ_TABLE"));
	atexit(fake_end);
	if (!name)
		name = "x86";
	for (i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		if (!strcmp(machines[i].name, name)) {
			machines[i].make();
			return;
		}
	}
	fprintf(stderr, "there is no machine \"%s\"\n", name);
	exit(1);
}

static bool seldom;

bool target_seldom(void)
{
	return seldom;
}

static bool is_chosen(const uint8_t *data, size_t size)
{
	unsigned int sum = size;

	while (size--)
		sum = sum * 31 + data[size];
	return !(sum * 0x9e3779b9 >> 27);
}

/*
 * The linker puts it in the place of the library's. To look for names that are close is to look at
 * all there are.
 */
char *__real_pme_suggest(const char *name);
char *__wrap_pme_suggest(const char *name);

char *__wrap_pme_suggest(const char *name)
{
	return seldom ? __real_pme_suggest(name) : NULL;
}

char *target_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		abort();
	seldom = is_chosen(data, size);
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

void target_refused(const char *text, char *why)
{
	int err = errno;

	MUST(err == EINVAL || err == ENOTSUP, text);
	MUST(why && *why, text);
	MUST(why[strlen(why) - 1] != '\n', text);
	free(why);
}

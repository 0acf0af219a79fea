// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel says in sysfs: a line for a file of format/, a line for a file of events/, a line
 * for type, a value for the field. pme_field_find(), pme_field_set(), pme_terms() and who calls
 * them.
 */
#include <unistd.h>

#include "target.h"

#define PMU	"armv8_pmuv3_0"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	setenv("FUZZ_MACHINE", "arm64", 1);
	target_machine();
	return 0;
}

static uint64_t word_of(const struct pme_field *field, const struct perfmon_event *ev)
{
	return field->word ? ev->config1 : ev->config;
}

/* Where no two bits of a field fall together, what is put there can be found there. */
static void check_set(const struct pme_field *field, uint64_t value, const char *text)
{
	struct perfmon_event ev = { .config = ~0ULL, .config1 = 0 };
	uint64_t used = 0, found = 0;
	unsigned int i;

	if (!pme_field_set(field, value, &ev)) {
		MUST(field->width < 64 && value >> field->width, text);
		return;
	}
	for (i = 0; i < field->width; i++) {
		if (used >> field->bit[i] & 1)
			return;
		used |= 1ULL << field->bit[i];
		found |= (word_of(field, &ev) >> field->bit[i] & 1) << i;
	}
	MUST(found == value, text);
}

static void check_field(const char *text, uint64_t value)
{
	struct pme_field field;
	unsigned int i;

	if (pme_field_find(PMU, "fuzz", &field))
		return;
	MUST(field.word <= 1 && field.width >= 1 && field.width <= 64, text);
	for (i = 0; i < field.width; i++)
		MUST(field.bit[i] < 64, text);
	check_set(&field, value, text);
	MUST(pme_config_mask(PMU), text);
}

static void resolve(const char *name, const char *text)
{
	struct perfmon_event ev;
	char *why;

	if (pme_resolve(name, &ev, &why))
		target_refused(text, why);
}

/* The next line, which ends the one before; "" when there is none. */
static char *line(char **rest)
{
	char *text = strsep(rest, "\n");
	static char none[1];

	return text ? text : none;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *all = target_text(data, size), *rest = all;
	const char *format = line(&rest), *event = line(&rest), *type = line(&rest);
	char path[512];

	fake_file(PMU, "format/fuzz", format);
	fake_file(PMU, "events/fuzz", event);
	fake_file(PMU, "type", *type ? type : "8");
	check_field(format, strtoull(line(&rest), NULL, 0));
	resolve("fuzz", event);
	resolve(PMU "/fuzz/", event);
	resolve(PMU "/fuzz=3,event=1/", format);
	resolve("0x11", format);
	snprintf(path, sizeof(path), "%s/" PMU "/format/fuzz", pme_sysfs_root);
	unlink(path);
	free(all);
	return 0;
}

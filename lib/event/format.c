// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The fields of an encoding, as a PMU's format directory gives them: "config:0-7,32-35" says that
 * the low 8 bits of a value go to bits 0 to 7 of config, and the next 4 to bits 32 to 35.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static bool add_bits(struct pme_field *field, unsigned int from, unsigned int to)
{
	if (to < from || to > 63 || field->width + (to - from) + 1 > 64)
		return false;
	for (; from <= to; from++)
		field->bit[field->width++] = from;
	return true;
}

/* "0-7,32-35" or "23" */
static bool parse_ranges(const char *text, struct pme_field *field)
{
	for (;;) {
		unsigned int from, to;
		int n = 0, m = 0;

		if (sscanf(text, "%u%n", &from, &n) != 1)
			return false;
		text += n;
		to = from;
		if (*text == '-' && sscanf(text, "-%u%n", &to, &m) != 1)
			return false;
		text += m;
		if (!add_bits(field, from, to))
			return false;
		if (!*text)
			return true;
		if (*text++ != ',')
			return false;
	}
}

static bool parse_format(const char *text, struct pme_field *field)
{
	memset(field, 0, sizeof(*field));
	if (!strncmp(text, "config:", 7))
		return parse_ranges(text + 7, field);
	field->word = 1;
	return !strncmp(text, "config1:", 8) && parse_ranges(text + 8, field);
}

/* perf's names for whole words, which every PMU has. */
static bool whole_word(const char *name, struct pme_field *field)
{
	memset(field, 0, sizeof(*field));
	field->word = !strcmp(name, "config1");
	return (field->word || !strcmp(name, "config")) && add_bits(field, 0, 63);
}

/* 0; or -1: the PMU has no such field, or keeps it where struct perfmon_event has no room. */
int pme_field_find(const char *pmu, const char *name, struct pme_field *field)
{
	char text[256];

	if (!*name || strchr(name, '/') || name[0] == '.')
		return -1;
	if (!pme_sysfs_read(text, sizeof(text), "%s/format/%s", pmu, name))
		return parse_format(text, field) ? 0 : -1;
	return whole_word(name, field) ? 0 : -1;
}

/* Replaces what the field held. False when the value does not fit. */
bool pme_field_set(const struct pme_field *field, unsigned long long value,
		   struct perfmon_event *ev)
{
	unsigned long long word = field->word ? ev->config1 : ev->config;
	unsigned int i;

	if (field->width < 64 && value >> field->width)
		return false;
	for (i = 0; i < field->width; i++) {
		word &= ~(1ULL << field->bit[i]);
		word |= (value >> i & 1) << field->bit[i];
	}
	if (field->word)
		ev->config1 = word;
	else
		ev->config = word;
	return true;
}

/* One "field=value"; a field alone is 1. */
static int apply(const char *pmu, char *term, struct perfmon_event *ev, char **why)
{
	unsigned long long value = 1;
	char *text = strchr(term, '=');
	struct pme_field field;

	if (text)
		*text++ = '\0';
	if (pme_field_find(pmu, term, &field))
		return pme_fail(why, EINVAL, "PMU %s has no event or field \"%s\"", pmu, term);
	if (text && !pme_number(text, 0, &value))
		return pme_fail(why, EINVAL, "\"%s\" is no value for field %s", text, term);
	if (!pme_field_set(&field, value, ev))
		return pme_fail(why, EINVAL, "%s=0x%llx does not fit the %u bits of the field",
				term, value, field.width);
	return 0;
}

int pme_terms(const char *pmu, const char *terms, struct perfmon_event *ev, char **why)
{
	char *copy = strdup(terms), *rest = copy, *term;
	int rc = 0, err;

	if (!copy)
		return pme_fail(why, ENOMEM, "out of memory");
	while (!rc && (term = strsep(&rest, ",")))
		rc = apply(pmu, term, ev, why);
	err = errno;
	free(copy);
	errno = err;
	return rc;
}

unsigned long long pme_config_mask(const char *pmu)
{
	unsigned long long mask = 0;
	struct pme_field field;
	struct dirent *de;
	char path[512];
	DIR *dir;

	snprintf(path, sizeof(path), "%s/%s/format", pme_sysfs_root, pmu);
	dir = opendir(path);
	while (dir && (de = readdir(dir))) {
		unsigned int i;

		if (de->d_name[0] == '.' || pme_field_find(pmu, de->d_name, &field) || field.word)
			continue;
		for (i = 0; i < field.width; i++)
			mask |= 1ULL << field.bit[i];
	}
	if (dir)
		closedir(dir);
	return mask ? mask : ~0ULL;
}

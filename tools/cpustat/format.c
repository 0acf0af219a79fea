// SPDX-License-Identifier: LGPL-2.1-or-later
/* What cpustat prints, as strings: Solaris' columns. */
#include <inttypes.h>
#include <stdio.h>

#include "format.h"

#if defined(__i386__) || defined(__x86_64__)
#define TICK_NAME	"tsc"
#else
#define TICK_NAME	"%tick"
#endif

static void put_stamp(FILE *f, enum stamp stamp, time_t now)
{
	char text[64];
	struct tm tm;

	if (stamp == STAMP_NUMBER) {
		fprintf(f, "%lld\n", (long long)now);
	} else if (stamp == STAMP_DATE) {
		localtime_r(&now, &tm);
		strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Z %Y", &tm);
		fprintf(f, "%s\n", text);
	}
}

char *format_title(const struct pme_spec *spec, bool ticks)
{
	char *text = NULL;
	unsigned int i;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	fprintf(f, "%7s %3s %5s ", "time", "cpu", "event");
	if (ticks)
		fprintf(f, "%9s ", TICK_NAME);
	for (i = 0; i < spec->n; i++)
		fprintf(f, "%8s%-2u", "pic", spec->req[i].pic);
	fputc('\n', f);
	return fclose(f) ? NULL : text;
}

char *format_line(const struct line *line)
{
	char *text = NULL;
	unsigned int i;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	put_stamp(f, line->stamp, line->now);
	fprintf(f, "%7.3f %3d %5s ", line->time / 1e9, line->cpu, line->event);
	if (line->ticks)
		fprintf(f, "%9" PRIu64 " ", *line->ticks);
	for (i = 0; i < line->n; i++)
		fprintf(f, "%9" PRIu64 " ", line->value[i]);
	if (line->spec)
		fprintf(f, " # %s", line->spec);
	fputc('\n', f);
	return fclose(f) ? NULL : text;
}

char *format_cpus(const int *cpus, size_t n)
{
	char *text = NULL;
	size_t len, first, last;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	for (first = 0; first < n; first = last + 1) {
		for (last = first; last + 1 < n && cpus[last + 1] == cpus[last] + 1; last++)
			;
		fprintf(f, "%s%d", first ? "," : "", cpus[first]);
		if (last > first)
			fprintf(f, "-%d", cpus[last]);
	}
	return fclose(f) ? NULL : text;
}

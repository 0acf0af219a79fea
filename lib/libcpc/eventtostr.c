// SPDX-License-Identifier: LGPL-2.1-or-later
/* Events -> specifications, in the one form that Solaris gave them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <linux/perf_event.h>

#include "impl.h"

/*
 * Software events count in both modes unless their name says otherwise, so that theirs are said
 * behind the name.
 */
static unsigned int says_its_modes(const cpc_event_t *event, unsigned int pic)
{
	const struct _cpc_code *code = &event->ce_code[pic];

	return (event->ce_coded >> pic & 1) &&
	       (code->type == PERF_TYPE_SOFTWARE || code->type == PERF_TYPE_TRACEPOINT);
}

static const char *modes_behind(const cpc_event_t *event, unsigned int pic)
{
	uint32_t modes = event->ce_pes[pic] & (CPC_PES_USR | CPC_PES_OS);

	if (!says_its_modes(event, pic) || modes == (CPC_PES_USR | CPC_PES_OS))
		return "";
	return modes == CPC_PES_OS ? ":k" : ":u";
}

static int put_event(FILE *out, const struct cpc_cpu *cpu, const cpc_event_t *event,
		     unsigned int pic, bool first)
{
	char *name = cpu->decode(event, pic);

	if (!name)
		return -1;
	fprintf(out, "%spic%u=%s%s", first ? "" : ",", pic, name, modes_behind(event, pic));
	free(name);
	return 0;
}

static int put_events(FILE *out, const struct cpc_cpu *cpu, const cpc_event_t *event)
{
	unsigned int used = cpc_used(event), pic;
	bool first = true;

	for (pic = 0; pic < cpu->npic; pic++) {
		if (!(used >> pic & 1))
			continue;
		if (put_event(out, cpu, event, pic, first))
			return -1;
		first = false;
	}
	return 0;
}

static void put_mask(FILE *out, const struct cpc_cpu *cpu, const cpc_event_t *event,
		     const char *name, uint32_t field)
{
	unsigned int used = cpc_used(event), pic;

	for (pic = 0; pic < cpu->npic; pic++) {
		uint32_t value = (event->ce_pes[pic] & field) / (field & -field);

		if ((used >> pic & 1) && value)
			fprintf(out, ",%s%u=0x%x", name, pic, value);
	}
}

/* A flag's counters; a mode that the event's name has said is not among them. */
static unsigned int flagged(const struct cpc_cpu *cpu, const cpc_event_t *event,
			    const struct cpc_flag *flag)
{
	unsigned int used = cpc_used(event), pic, set = 0;

	for (pic = 0; pic < cpu->npic; pic++) {
		bool on = cpu->word(event, pic) & flag->bit;
		bool said = says_its_modes(event, pic);

		if (!(used >> pic & 1) || on == flag->clears)
			continue;
		/* No mode at all cannot be said behind a name: ":u" was, and is taken back. */
		if (said && (!flag->clears || (event->ce_pes[pic] & CPC_PES_OS)))
			continue;
		set |= 1u << pic;
	}
	return set;
}

/* Without a number a flag changes all counters: only if it is to, and all agree. */
static void put_flag(FILE *out, const struct cpc_cpu *cpu, const cpc_event_t *event,
		     const struct cpc_flag *flag)
{
	unsigned int set = flagged(cpu, event, flag), pic;

	if (set && (set == cpc_used(event) || !cpu->numbered)) {
		fprintf(out, ",%s", flag->name);
		return;
	}
	for (pic = 0; pic < cpu->npic; pic++) {
		if (set >> pic & 1)
			fprintf(out, ",%s%u", flag->name, pic);
	}
}

/* On a CPU with names for whole codes, the unit mask is in the event already. */
static void put_masks(FILE *out, const struct cpc_cpu *cpu, const cpc_event_t *event)
{
	if (!cpu->masks)
		return;
	put_mask(out, cpu, event, "cmask", CPC_PES_CMASK);
	if (cpu != &cpc_cpu_native)
		put_mask(out, cpu, event, "umask", CPC_PES_UMASK);
}

static int put(FILE *out, const struct cpc_cpu *cpu, const cpc_event_t *event)
{
	const struct cpc_flag *flag;

	if (put_events(out, cpu, event))
		return -1;
	put_masks(out, cpu, event);
	for (flag = cpu->flags; flag->name; flag++) {
		if (!flag->unprinted)
			put_flag(out, cpu, event, flag);
	}
	return 0;
}

CPC_API char *cpc_eventtostr(cpc_event_t *event)
{
	const struct cpc_cpu *cpu = cpc_cpu_of(event->ce_cpuver);
	char *text = NULL;
	size_t size;
	FILE *out;
	int rc;

	if (!cpu || !cpc_used(event)) {
		errno = EINVAL;
		return NULL;
	}
	out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	rc = put(out, cpu, event);
	if (fclose(out) || rc) {
		free(text);
		errno = ENOMEM;
		return NULL;
	}
	return text;
}

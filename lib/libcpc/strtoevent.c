// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Specifications -> events. Two passes over the items: events first, then what modifies them, for
 * a flag may stand before the events that it is for.
 */
#include <errno.h>
#include <stdlib.h>

#include "impl.h"
#include "internal.h"

#define ALL	(-1)

struct parser {
	const struct cpc_cpu *cpu;
	cpc_event_t *event;
};

enum kind { EVENT, FLAG, MASK };

struct item {
	enum kind kind;
	int pic;			/* or ALL */
	const char *name;
	const char *value;		/* after '=', or NULL */
	const struct cpc_flag *flag;
	unsigned int shift;		/* of a mask */
};

static void complain_about(const char *text, const char *what)
{
	cpc_complain("strtoevent", "\"%s\": %s\n", text, what);
}

static bool is_mask(const struct cpc_cpu *cpu, struct item *item)
{
	bool umask = !strcmp(item->name, "umask");

	if (!cpu->masks || (!umask && strcmp(item->name, "cmask")))
		return false;
	item->kind = MASK;
	item->shift = umask ? 8 : 24;
	return true;
}

static bool is_flag(const struct cpc_cpu *cpu, struct item *item)
{
	const struct cpc_flag *flag;

	for (flag = cpu->flags; flag->name; flag++) {
		if (strcmp(flag->name, item->name))
			continue;
		item->kind = FLAG;
		item->flag = flag;
		return true;
	}
	return false;
}

/* Is it one, with a counter's digit behind its name? */
static bool is_numbered(const struct cpc_cpu *cpu, struct item *item, char *text)
{
	size_t len = strlen(text);
	char digit;

	if (!cpu->numbered || !len)
		return false;
	digit = text[len - 1];
	if (digit < '0' || digit >= (char)('0' + cpu->npic))
		return false;
	text[len - 1] = '\0';
	item->pic = digit - '0';
	if (is_flag(cpu, item) || is_mask(cpu, item))
		return true;
	text[len - 1] = digit;
	item->pic = ALL;
	return false;
}

/* "picN=event". A number that no counter has is for the caller to refuse. */
static bool is_pic(struct item *item)
{
	unsigned long n;

	if (!item->value || strncmp(item->name, "pic", 3) ||
	    !cpc_parse_number(item->name + 3, 999, &n))
		return false;
	item->kind = EVENT;
	item->pic = n;
	item->name = item->value;
	return true;
}

/* Takes the text apart in place, and leaves it whole if it is an event. */
static void classify(const struct cpc_cpu *cpu, char *text, struct item *item)
{
	char *equals = strchr(text, '=');

	*item = (struct item){ .kind = EVENT, .pic = ALL, .name = text };
	if (equals) {
		*equals = '\0';
		item->value = equals + 1;
	}
	if (is_pic(item) || is_flag(cpu, item) || is_mask(cpu, item) ||
	    is_numbered(cpu, item, text))
		return;
	if (equals)
		*equals = '=';
}

static int lowest_free(const struct parser *p)
{
	unsigned int pic = 0;

	while (p->event->ce_used >> pic & 1)
		pic++;
	return pic;
}

static int add_event(struct parser *p, const struct item *item)
{
	int pic = item->pic == ALL ? lowest_free(p) : item->pic;
	char *why = NULL;

	if ((unsigned int)pic >= p->cpu->npic) {
		complain_about(item->name, item->pic == ALL ? "more events than counters" :
							      "there is no such counter");
		return 1;
	}
	if (p->event->ce_used >> pic & 1) {
		complain_about(item->name, "its counter has an event already");
		return 1;
	}
	if (!p->cpu->encode(p->event, pic, item->name, &why))
		return 0;
	cpc_complain("strtoevent", "%s\n", why ? why : strerror(errno));
	free(why);
	return 1;
}

static uint64_t with_flag(uint64_t word, const struct cpc_flag *flag)
{
	return flag->clears ? word & ~flag->bit : word | flag->bit;
}

/* An event that is not in the control word leaves room for modes there, and nothing else. */
static bool fits_coded(const struct item *item)
{
	return item->kind == FLAG && !(item->flag->bit & ~(uint64_t)(CPC_PES_USR | CPC_PES_OS));
}

static int modify_one(struct parser *p, const struct item *item, unsigned int pic,
		      unsigned long mask)
{
	uint64_t word = p->cpu->word(p->event, pic);

	if ((p->event->ce_coded >> pic & 1) && !fits_coded(item)) {
		cpc_complain("strtoevent", "\"%s\" does not apply to the event of pic%u, which has "
			     "no fields\n", item->name, pic);
		return 1;
	}
	if (item->kind == FLAG)
		word = with_flag(word, item->flag);
	else
		word |= (uint64_t)mask << item->shift;
	p->cpu->set_word(p->event, pic, word);
	return 0;
}

static int check_value(const struct item *item, unsigned long *mask)
{
	if (item->kind == FLAG && item->value)
		complain_about(item->name, "takes no value");
	else if (item->kind == MASK && (!item->value || !*item->value))
		complain_about(item->name, "needs a value");
	else if (item->kind == MASK && !cpc_parse_number(item->value, 0xff, mask))
		complain_about(item->value, "is no value from 0 to 255");
	else
		return 0;
	return 1;
}

static int modify(struct parser *p, const struct item *item)
{
	unsigned long mask = 0;
	unsigned int pic;

	if (check_value(item, &mask))
		return 1;
	if (item->pic != ALL && !(p->event->ce_used >> item->pic & 1)) {
		cpc_complain("strtoevent", "\"%s%d\": nothing counts on pic%d\n", item->name,
			     item->pic, item->pic);
		return 1;
	}
	for (pic = 0; pic < p->cpu->npic; pic++) {
		if (item->pic != ALL ? item->pic != (int)pic : !(p->event->ce_used >> pic & 1))
			continue;
		if (modify_one(p, item, pic, mask))
			return 1;
	}
	return 0;
}

static int pass(struct parser *p, const char *spec, bool events)
{
	char *copy = strdup(spec), *rest = copy, *text;
	int errors = 0;

	if (!copy) {
		cpc_complain("strtoevent", "out of memory\n");
		return 1;
	}
	while (!errors && (text = pme_next_item(&rest))) {
		struct item item;

		classify(p->cpu, text, &item);
		if ((item.kind == EVENT) == events)
			errors = events ? add_event(p, &item) : modify(p, &item);
	}
	free(copy);
	return errors;
}

CPC_API int cpc_strtoevent(int cpuver, const char *spec, cpc_event_t *event)
{
	struct parser p = { .cpu = cpc_cpu_of(cpuver), .event = event };

	if (!spec || !p.cpu)
		return 1;
	memset(event, 0, sizeof(*event));
	event->ce_cpuver = cpuver;
	if (pass(&p, spec, true))
		return 1;
	if (!event->ce_used) {
		cpc_complain("strtoevent", "no event is named\n");
		return 1;
	}
	return pass(&p, spec, false);
}

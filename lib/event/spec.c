// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The specifications of cpustat(1) and cputrack(1). Two passes over the items: the first finds the
 * events and gives them counters, the second applies what modifies them, because a modifier may
 * stand before the event that it modifies.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#include "internal.h"

#define ALL		(-1)
#define PIC_LIMIT	9999	/* what is larger is no number of a counter at all */

struct parser {
	struct pme_spec *spec;
	struct pme_pmu pmu;		/* whose fields the attributes are; no name: none */
	int last;			/* highest counter used, -1 at first */
	char **why;
};

enum kind { EVENT, NOUSER, SYS, FIELD };

struct item {
	enum kind kind;
	int pic;			/* ALL, or the number behind the name or after "pic" */
	const char *name;		/* of the event or field */
	const char *value;		/* of the field, or NULL */
	struct pme_field field;
};

static bool is_field(const struct parser *p, const char *name, struct pme_field *field)
{
	/* The event is no attribute of itself; whole words would overwrite it. */
	if (!*p->pmu.name || !strcmp(name, "event") || !strncmp(name, "config", 6))
		return false;
	return !pme_field_find(p->pmu.name, name, field);
}

/* What a name without number is, if not an event. */
static bool is_modifier(const struct parser *p, struct item *item, const char *name)
{
	item->name = name;
	if (!strcmp(name, "nouser"))
		item->kind = NOUSER;
	else if (!strcmp(name, "sys"))
		item->kind = SYS;
	else if (is_field(p, name, &item->field))
		item->kind = FIELD;
	else
		return false;
	return true;
}

/* A name that ends in digits may be a modifier with a counter's number behind it. */
static bool is_numbered(const struct parser *p, struct item *item, char *text)
{
	size_t at = strlen(text);
	unsigned long long n;
	char digit;

	while (at > 0 && isdigit((unsigned char)text[at - 1]))
		at--;
	if (!pme_number(text + at, 10, &n) || n > PME_MAX_PIC)
		return false;
	digit = text[at];
	text[at] = '\0';
	if (is_modifier(p, item, text)) {
		item->pic = n;
		return true;
	}
	text[at] = digit;
	return false;
}

static bool is_pic(struct item *item, const char *text)
{
	unsigned long long n;

	if (!item->value || strncmp(text, "pic", 3) || !pme_number(text + 3, 10, &n) ||
	    n > PIC_LIMIT)
		return false;
	item->kind = EVENT;
	item->pic = n;
	item->name = item->value;
	return true;
}

/* Takes the text apart in place, and leaves it whole if it is an event. */
static void classify(const struct parser *p, char *text, struct item *item)
{
	char *equals = strchr(text, '=');

	*item = (struct item){ .kind = EVENT, .pic = ALL, .name = text };
	if (equals) {
		*equals = '\0';
		item->value = equals + 1;
	}
	if (is_pic(item, text) || is_modifier(p, item, text) || is_numbered(p, item, text))
		return;
	if (equals)
		*equals = '=';
}

static struct pme_request *find(struct pme_spec *spec, unsigned int pic)
{
	unsigned int i;

	for (i = 0; i < spec->n; i++) {
		if (spec->req[i].pic == pic)
			return &spec->req[i];
	}
	return NULL;
}

static int choose_pic(struct parser *p, struct item *item)
{
	if (item->pic == ALL)
		item->pic = p->last + 1;
	if (item->pic >= PME_MAX_PIC)
		return pme_fail(p->why, EINVAL, "there is no pic%d: counters are pic0 to pic%d",
				item->pic, PME_MAX_PIC - 1);
	if (find(p->spec, item->pic))
		return pme_fail(p->why, EINVAL, "pic%d is used twice", item->pic);
	if (item->pic > p->last)
		p->last = item->pic;
	return 0;
}

/* Opens a place that keeps the requests in ascending order. */
static struct pme_request *add(struct pme_spec *spec, unsigned int pic)
{
	unsigned int at = spec->n++;

	while (at > 0 && spec->req[at - 1].pic > pic) {
		spec->req[at] = spec->req[at - 1];
		at--;
	}
	memset(&spec->req[at], 0, sizeof(spec->req[at]));
	spec->req[at].pic = pic;
	return &spec->req[at];
}

static bool looks_like_attribute(const char *name)
{
	return strchr(name, '=') && !strpbrk(name, ":/");
}

static int add_event(struct parser *p, struct item *item)
{
	struct perfmon_event event;
	struct pme_request *req;

	if (looks_like_attribute(item->name))
		return pme_fail(p->why, EINVAL, "\"%s\" is neither an event nor an attribute of %s",
				item->name, *p->pmu.name ? p->pmu.name : "this machine's counters");
	if (choose_pic(p, item) || pme_resolve(item->name, &event, p->why))
		return -1;
	req = add(p->spec, item->pic);
	req->event = event;
	if (!req->event.flags)
		req->event.flags = PERFMON_EVENT_USER;
	req->name = strdup(item->name);
	return req->name ? 0 : pme_fail(p->why, ENOMEM, "out of memory");
}

/* Generic names have no fields: perf chooses their encoding. */
static int set_field(const struct parser *p, const struct item *item, struct pme_request *req)
{
	unsigned long long value = 1;

	/* PERF_TYPE_RAW is the number of the CPU's PMU, besides its own from sysfs. */
	if (req->event.type != PERF_TYPE_RAW && req->event.type != p->pmu.type)
		return pme_fail(p->why, EINVAL, "%s does not apply to %s, which has no encoding "
				"of its own", item->name, req->name);
	if (item->value && !pme_number(item->value, 0, &value))
		return pme_fail(p->why, EINVAL, "\"%s\" is no value for %s", item->value,
				item->name);
	if (!pme_field_set(&item->field, value, &req->event))
		return pme_fail(p->why, EINVAL, "%s=0x%llx does not fit its %u bits", item->name,
				value, item->field.width);
	return 0;
}

static int modify_one(const struct parser *p, const struct item *item, struct pme_request *req)
{
	if (item->kind == FIELD)
		return set_field(p, item, req);
	if (item->kind == SYS)
		req->event.flags |= PERFMON_EVENT_KERNEL;
	else
		req->event.flags &= ~PERFMON_EVENT_USER;
	return 0;
}

static int modify(struct parser *p, struct item *item)
{
	struct pme_request *req;
	unsigned int i;

	if (item->pic != ALL) {
		req = find(p->spec, item->pic);
		if (!req)
			return pme_fail(p->why, EINVAL, "%s%d: nothing counts on pic%d", item->name,
					item->pic, item->pic);
		return modify_one(p, item, req);
	}
	for (i = 0; i < p->spec->n; i++) {
		if (modify_one(p, item, &p->spec->req[i]))
			return -1;
	}
	return 0;
}

static int pass(struct parser *p, bool events)
{
	char *copy = strdup(p->spec->text), *rest = copy, *text;
	int rc = 0, err;

	if (!copy)
		return pme_fail(p->why, ENOMEM, "out of memory");
	while (!rc && (text = pme_next_item(&rest))) {
		struct item item;

		classify(p, text, &item);
		if ((item.kind == EVENT) == events)
			rc = events ? add_event(p, &item) : modify(p, &item);
	}
	err = errno;
	free(copy);
	errno = err;
	return rc;
}

/* A counter that can never count is a mistake, not a measurement. */
static int check_modes(struct parser *p)
{
	unsigned int i;

	if (!p->spec->n)
		return pme_fail(p->why, EINVAL, "no event is named");
	for (i = 0; i < p->spec->n; i++) {
		if (!p->spec->req[i].event.flags)
			return pme_fail(p->why, EINVAL,
					"pic%u would count neither user nor system mode: with "
					"nouser goes sys", p->spec->req[i].pic);
	}
	return 0;
}

static int parse(struct parser *p)
{
	if (pass(p, true) || pass(p, false))
		return -1;
	return check_modes(p);
}

int pme_spec_parse(const char *text, struct pme_spec *spec, char **why)
{
	struct parser p = { .spec = spec, .last = -1, .why = why };
	struct pme_pmu pmus[PME_MAX_PMUS];
	int err;

	if (why)
		*why = NULL;
	memset(spec, 0, sizeof(*spec));
	if (pme_cpu_pmus(pmus))
		p.pmu = pmus[0];
	spec->text = strdup(text);
	if (!spec->text)
		return pme_fail(why, ENOMEM, "out of memory");
	if (!parse(&p))
		return 0;
	err = errno;
	pme_spec_clear(spec);
	errno = err;
	return -1;
}

void pme_spec_clear(struct pme_spec *spec)
{
	unsigned int i;

	for (i = 0; i < spec->n; i++)
		free(spec->req[i].name);
	free(spec->text);
	memset(spec, 0, sizeof(*spec));
}

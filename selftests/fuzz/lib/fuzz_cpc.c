// SPDX-License-Identifier: GPL-2.0-only
/*
 * Specifications of libcpc, for each kind of CPU that it knows: cpc_strtoevent(), and
 * cpc_eventtostr() back. The first byte says which kind; if it is above 0x7f, the rest is no
 * specification but an event.
 */
#include <libcpc.h>

#include "target.h"

#define KINDS	5

static int cpuvers[KINDS] = {
	CPC_ULTRA1, CPC_ULTRA2, CPC_PENTIUM_PRO, CPC_PENTIUM_PRO_MMX,
};

static unsigned int messages;

static __attribute__((format(printf, 2, 0)))
void listen(const char *fn, const char *fmt, va_list ap)
{
	char text[1024];

	MUST(!strcmp(fn, "strtoevent"), fn);
	vsnprintf(text, sizeof(text), fmt, ap);
	MUST(*text && strchr(fmt, '\n'), text);
	messages++;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	target_machine();
	cpuvers[KINDS - 1] = cpc_getcpuver();
	cpc_seterrfn(listen);
	return 0;
}

static int parse(int cpuver, const char *text, cpc_event_t *event)
{
	int errors;

	messages = 0;
	errors = cpc_strtoevent(cpuver, text, event);
	MUST(errors >= 0, text);
	MUST(cpuver == -1 || errors == (int)messages, text);
	return errors;
}

static bool same_control(const cpc_event_t *a, const cpc_event_t *b)
{
	return a->ce_cpuver == b->ce_cpuver && a->ce_pcr == b->ce_pcr &&
	       !memcmp(a->ce_pes, b->ce_pes, sizeof(a->ce_pes)) && a->ce_used == b->ce_used &&
	       a->ce_coded == b->ce_coded && !memcmp(a->ce_code, b->ce_code, sizeof(a->ce_code));
}

static void check_spec(int cpuver, const char *text)
{
	cpc_event_t event, again;
	char *canonical, *twice;

	if (parse(cpuver, text, &event))
		return;
	canonical = cpc_eventtostr(&event);
	MUST(canonical, text);
	MUST(!parse(cpuver, canonical, &again), canonical);
	MUST(same_control(&event, &again), canonical);
	twice = cpc_eventtostr(&again);
	MUST(twice && !strcmp(canonical, twice), canonical);
	free(canonical);
	free(twice);
}

/* Any event at all: it has a text, or is refused. */
static void check_event(int cpuver, const uint8_t *data, size_t size)
{
	cpc_event_t event;
	char *text;

	memset(&event, 0, sizeof(event));
	memcpy(&event, data, size < sizeof(event) ? size : sizeof(event));
	event.ce_cpuver = cpuver;
	errno = 0;
	text = cpc_eventtostr(&event);
	MUST(text || errno == EINVAL, "an event");
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int cpuver;
	char *text;

	if (!size)
		return 0;
	cpuver = cpuvers[*data % KINDS];
	if (*data > 0x7f) {
		check_event(cpuver, data + 1, size - 1);
		return 0;
	}
	text = target_text(data + 1, size - 1);
	check_spec(cpuver, text);
	free(text);
	return 0;
}

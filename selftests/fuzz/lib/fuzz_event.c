// SPDX-License-Identifier: GPL-2.0-only
/* Names of events: pme_resolve(), and pme_name() back. */
#include "target.h"

#define MODES	(PERFMON_EVENT_USER | PERFMON_EVENT_KERNEL)

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	target_machine();
	return 0;
}

/* The name that an encoding is given means that encoding. */
static void check_name(const struct perfmon_event *ev, const char *text)
{
	struct perfmon_event again;
	char *name = pme_name(ev);

	MUST(name && *name, text);
	MUST(!pme_resolve(name, &again, NULL), name);
	MUST(pme_same(&again, ev), name);
	free(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = target_text(data, size), *why = text;
	struct perfmon_event ev;

	if (!pme_resolve(text, &ev, &why)) {
		MUST(!why, text);
		MUST(!(ev.flags & ~MODES), text);
		if (target_seldom())
			check_name(&ev, text);
	} else {
		target_refused(text, why);
	}
	free(text);
	return 0;
}

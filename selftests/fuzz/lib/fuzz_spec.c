// SPDX-License-Identifier: GPL-2.0-only
/* Specifications of cpustat(1): pme_spec_parse(). */
#include "target.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	target_machine();
	return 0;
}

static void check_spec(const struct pme_spec *spec, const char *text)
{
	unsigned int i;

	MUST(spec->text && !strcmp(spec->text, text), text);
	MUST(spec->n >= 1 && spec->n <= PME_MAX_PIC, text);
	for (i = 0; i < spec->n; i++) {
		const struct pme_request *req = &spec->req[i];

		MUST(req->pic < PME_MAX_PIC, text);
		MUST(!i || req->pic > spec->req[i - 1].pic, text);
		MUST(req->name && *req->name, text);
		MUST(req->event.flags, text);
		MUST(!(req->event.flags & ~(PERFMON_EVENT_USER | PERFMON_EVENT_KERNEL)), text);
		MUST(!req->event.preset, text);
	}
}

/* After a refusal there is nothing to free, and to free it does no harm. */
static void check_cleared(struct pme_spec *spec, const char *text)
{
	static const struct pme_spec none;

	MUST(!memcmp(spec, &none, sizeof(none)), text);
	pme_spec_clear(spec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = target_text(data, size), *why = text;
	struct pme_spec spec;

	if (!pme_spec_parse(text, &spec, &why)) {
		MUST(!why, text);
		check_spec(&spec, text);
		pme_spec_clear(&spec);
	} else {
		target_refused(text, why);
		check_cleared(&spec, text);
	}
	free(text);
	return 0;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* Arithmetic on events. */
#include "impl.h"

/*
 * A program that fills ce_pes[] itself says so with it alone. Both counters of an UltraSPARC
 * always count something.
 */
unsigned int cpc_used(const cpc_event_t *event)
{
	const struct cpc_cpu *cpu = cpc_cpu_of(event->ce_cpuver);
	unsigned int used = event->ce_used, pic;

	if (!cpu)
		return 0;
	if (cpu == &cpc_cpu_ultra)
		return used ? used & 3 : 3;
	for (pic = 0; pic < CPC_MAX_PIC; pic++) {
		if (event->ce_pes[pic])
			used |= 1u << pic;
	}
	return used & ((1u << cpu->npic) - 1);
}

CPC_API void cpc_event_accum(cpc_event_t *accum, cpc_event_t *event)
{
	unsigned int pic;

	if (accum->ce_hrt < event->ce_hrt)
		accum->ce_hrt = event->ce_hrt;
	accum->ce_tick += event->ce_tick;
	for (pic = 0; pic < CPC_MAX_PIC; pic++)
		accum->ce_pic[pic] += event->ce_pic[pic];
}

CPC_API void cpc_event_diff(cpc_event_t *diff, cpc_event_t *after, cpc_event_t *before)
{
	unsigned int pic;

	diff->ce_hrt = after->ce_hrt;
	diff->ce_tick = after->ce_tick - before->ce_tick;
	for (pic = 0; pic < CPC_MAX_PIC; pic++)
		diff->ce_pic[pic] = after->ce_pic[pic] - before->ce_pic[pic];
}

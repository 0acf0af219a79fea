// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an event counts: arithmetic only, which knows neither CPUs nor counters.
 *
 * The encoding is that of x86 on every machine: event, unit mask, edge, invert, counter mask. What
 * the architecture's programs call their clock, though, is a clock here too.
 */
#include <linux/bitfield.h>
#include <linux/math64.h>

#include "sim.h"

#define SIM_EVENT	GENMASK_ULL(7, 0)
#define SIM_UMASK	GENMASK_ULL(15, 8)
#define SIM_EDGE	BIT_ULL(18)
#define SIM_INVERT	BIT_ULL(23)
#define SIM_CMASK	GENMASK_ULL(31, 24)

#define SIM_MODE_NS	1000U

/* ---- codes ---- */

#if defined(CONFIG_ARM64)
/* The common events of the architecture. */
#define SIM_CODE(x86, arm64, other)	(arm64)
#elif defined(CONFIG_X86)
/* The architectural events. */
#define SIM_CODE(x86, arm64, other)	(x86)
#else
#define SIM_CODE(x86, arm64, other)	(other)
#endif

const struct sim_rate sim_rates[SIM_GENERICS] = {
	[SIM_CYCLES] =		 { SIM_CODE(0x003c, 0x11, 1), .step = 1, .period = 1 },
	[SIM_INSTRUCTIONS] =	 { SIM_CODE(0x00c0, 0x08, 2), .step = 2, .period = 1 },
	[SIM_CACHE_REFERENCES] = { SIM_CODE(0x4f2e, 0x04, 3), .step = 1, .period = 100 },
	[SIM_CACHE_MISSES] =	 { SIM_CODE(0x412e, 0x03, 4), .step = 1, .period = 1000 },
	[SIM_BRANCHES] =	 { SIM_CODE(0x00c4, 0x21, 5), .step = 1, .period = 5 },
	[SIM_BRANCH_MISSES] =	 { SIM_CODE(0x00c5, 0x10, 6), .step = 1, .period = 250 },
	[SIM_BUS_CYCLES] =	 { SIM_CODE(0x013c, 0x1d, 7), .step = 1, .period = 10 },
};

const struct sim_rate *sim_rate_of(u16 code)
{
	unsigned int i;

	for (i = 0; i < SIM_GENERICS; i++)
		if (sim_rates[i].code == code)
			return &sim_rates[i];
	return NULL;
}

int sim_code_of_hardware(u64 config)
{
	static const u8 generic[] = {
		[PERF_COUNT_HW_CPU_CYCLES] = SIM_CYCLES,
		[PERF_COUNT_HW_INSTRUCTIONS] = SIM_INSTRUCTIONS,
		[PERF_COUNT_HW_CACHE_REFERENCES] = SIM_CACHE_REFERENCES,
		[PERF_COUNT_HW_CACHE_MISSES] = SIM_CACHE_MISSES,
		[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = SIM_BRANCHES,
		[PERF_COUNT_HW_BRANCH_MISSES] = SIM_BRANCH_MISSES,
		[PERF_COUNT_HW_BUS_CYCLES] = SIM_BUS_CYCLES,
	};

	if (config >= ARRAY_SIZE(generic))
		return -ENOENT;
	return sim_rates[generic[config]].code;
}

/* Loads of the last level of cache are all there is. */
int sim_code_of_cache(u64 config)
{
	const u64 load = PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_OP_READ << 8;

	if (config == (load | PERF_COUNT_HW_CACHE_RESULT_ACCESS << 16))
		return sim_rates[SIM_CACHE_REFERENCES].code;
	if (config == (load | PERF_COUNT_HW_CACHE_RESULT_MISS << 16))
		return sim_rates[SIM_CACHE_MISSES].code;
	return -ENOENT;
}

bool sim_config_valid(u64 config)
{
	return !(config & ~(SIM_EVENT | SIM_UMASK | SIM_EDGE | SIM_INVERT | SIM_CMASK));
}

struct sim_select sim_select(u64 config)
{
	return (struct sim_select){
		.event = FIELD_GET(SIM_EVENT, config),
		.umask = FIELD_GET(SIM_UMASK, config),
		.cmask = FIELD_GET(SIM_CMASK, config),
		.edge = config & SIM_EDGE,
		.invert = config & SIM_INVERT,
	};
}

u64 sim_config(const struct sim_select *select)
{
	return FIELD_PREP(SIM_EVENT, select->event) | FIELD_PREP(SIM_UMASK, select->umask) |
	       FIELD_PREP(SIM_CMASK, select->cmask) | (select->edge ? SIM_EDGE : 0) |
	       (select->invert ? SIM_INVERT : 0);
}

/* ---- what a clock does to a counter ---- */

/* Does the event select register compare, or count occurrences? Edges are edges of a comparison. */
static bool sim_compares(const struct sim_select *select)
{
	return select->cmask || select->edge;
}

/*
 * The result of the comparison in a clock with so many occurrences. Without a mask nothing is
 * inverted, as in hardware.
 */
static bool sim_condition(const struct sim_select *select, u64 occurrences)
{
	if (!select->cmask)
		return occurrences;
	return (occurrences >= select->cmask) != select->invert;
}

unsigned int sim_rate_step(const struct sim_rate *rate, const struct sim_select *select)
{
	bool first = sim_condition(select, rate->step);
	bool others = sim_condition(select, 0);

	if (!sim_compares(select))
		return rate->step;
	if (select->edge)
		return rate->period > 1 && first != others;
	return first + others * (rate->period - 1);
}

static bool sim_advance_concerns(const struct sim_select *select, const struct sim_advance *a)
{
	if (select->event != a->event || !(a->kernel ? select->kernel : select->user))
		return false;
	/* Each bit is a kind of the event; zero is one of its own. */
	return (select->umask & a->umask) || select->umask == a->umask;
}

/* A clock that does not concern the counter does not exist for it, and makes no edge. */
u64 sim_advance_count(struct sim_event *e, const struct sim_advance *a)
{
	const struct sim_select *select = &e->select;
	bool condition, rises;

	if (e->rate || !a->clocks || !sim_advance_concerns(select, a))
		return 0;
	condition = sim_condition(select, a->each);
	rises = condition && !e->asserted;
	e->asserted = condition;
	if (select->edge)
		return rises;
	if (select->cmask)
		return condition ? a->clocks : 0;
	return a->clocks * a->each;
}

/* ---- rates ---- */

/*
 * How much of the time from 0 to @now passed in the modes that the event counts: even microseconds
 * are user mode and odd ones are kernel mode.
 */
static u64 sim_mode_time(const struct sim_select *select, u64 now)
{
	u64 slice, time = 0;
	u32 rest;

	if (select->user && select->kernel)
		return now;
	slice = div_u64_rem(now, SIM_MODE_NS, &rest);
	if (select->user)
		time = (slice + 1) / 2 * SIM_MODE_NS + (slice & 1 ? 0 : rest);
	else if (select->kernel)
		time = slice / 2 * SIM_MODE_NS + (slice & 1 ? rest : 0);
	return time;
}

/* When so much time will have passed in those modes, at the latest. */
static u64 sim_mode_time_end(const struct sim_select *select, u64 time)
{
	u64 slice;
	u32 rest;

	if (select->user && select->kernel)
		return time;
	slice = div_u64_rem(time, SIM_MODE_NS, &rest);
	return (2 * slice + !select->user) * SIM_MODE_NS + rest;
}

static u64 sim_rate_periods(const struct sim_event *e, u64 now)
{
	return div_u64(sim_mode_time(&e->select, now), e->rate->period);
}

/* From zero to @now, less from zero to @then: nothing is lost in between, however often it ends. */
u64 sim_rate_count(const struct sim_event *e, u64 then, u64 now)
{
	if (!e->step)
		return 0;
	return (sim_rate_periods(e, now) - sim_rate_periods(e, then)) * e->step;
}

/* Far enough away that nothing overflows when something is added. */
#define SIM_NEVER	(U64_MAX / 4)

u64 sim_rate_deadline(const struct sim_event *e, u64 then, u64 left)
{
	u64 periods;

	if (!e->step || !(e->select.user || e->select.kernel))
		return SIM_NEVER;
	periods = div_u64(left - 1, e->step) + 1;
	if (periods > SIM_NEVER / 2 / SIM_MODE_NS)
		return SIM_NEVER;
	periods += sim_rate_periods(e, then);
	return sim_mode_time_end(&e->select, periods * e->rate->period);
}

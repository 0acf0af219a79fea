/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the programs here share: the simulated PMU, loaded as each test wants it. They run as root
 * on a machine with the modules installed and debugfs mounted.
 */
#ifndef SIM_TEST_H
#define SIM_TEST_H

#include "pmio.h"

#include <stdarg.h>

#include <machine/perfmon.h>

#define SIM		"/sys/kernel/debug/perfmon_sim/"
#define SIM_PARAMETERS	"/sys/module/perfmon_sim/parameters/"
#define PMUS		"/sys/bus/event_source/devices/"

/* Events that nothing but an advance makes happen. */
#define MANUAL		0xa0
#define OTHER		0xa1
#define BOUND		0xa2	/* to counter 0, see SIM_FIT */
#define BOUND_TO_TWO	0xa3	/* counters 0 and 1 */
#define SIM_FIT		"fit=0xa2:0x1,0xa3:0x3"

#define BOTH		(PMCF_USR | PMCF_OS)

/* ---- the module ---- */

static inline bool sim_loaded(void)
{
	return access("/sys/module/perfmon_sim", F_OK) == 0;
}

/* The exit status of the program, 0 when it did what it should. */
static inline int sim_unload(void)
{
	char *argv[] = { "rmmod", "perfmon_sim", NULL };

	return sim_loaded() ? run_program(argv) : 0;
}

/* Loads it anew, with up to three parameters. */
static inline int sim_load(const char *first, const char *second, const char *third)
{
	char *argv[] = {
		"modprobe", "perfmon_sim", (char *)first, (char *)second, (char *)third, NULL,
	};

	return sim_unload() ?: run_program(argv);
}

/*
 * When a program ends, the module is there, or not, as it was before. The processes that the tests
 * run in end without this.
 */
static bool sim_was_loaded;

static void __attribute__((constructor(101))) sim_remember(void)
{
	sim_was_loaded = sim_loaded();
}

static void __attribute__((destructor)) sim_restore(void)
{
	if (sim_was_loaded)
		sim_load(NULL, NULL, NULL);
	else
		sim_unload();
}

/* Is it what counts the CPUs? */
static inline bool sim_is_cpu_pmu(void)
{
	char name[16] = "";
	FILE *file = fopen(PMUS "cpu/caps/pmu_name", "re");

	if (!file)
		return false;
	if (!fgets(name, sizeof(name), file))
		name[0] = '\0';
	fclose(file);
	return strncmp(name, "perfmon_sim", 11) == 0;
}

static inline bool sim_can_be_cpu_pmu(void)
{
	return sim_load(NULL, NULL, NULL) == 0 && sim_is_cpu_pmu();
}

/* For programs whose events are those of the CPUs, in the encoding of x86. */
#if defined(__x86_64__) || defined(__i386__)
#define PROGRAM_NEEDS_SIM() \
	PROGRAM_NEEDS(sim_can_be_cpu_pmu(), "perfmon_sim is not there, or is not the CPUs' PMU")
#else
#define PROGRAM_NEEDS_SIM() \
	PROGRAM_NEEDS(false, "events of this machine are encoded in another way")
#endif

/* ---- debugfs ---- */

static inline int sim_set(const char *file, const char *format, ...)
{
	char path[128], text[4096];
	va_list args;

	snprintf(path, sizeof(path), SIM "%s", file);
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return write_text(path, text);
}

#define sim_advance(...)	sim_set("advance", __VA_ARGS__)

/* Every fault away. */
static inline void sim_heal(void)
{
	static const char *const files[] = {
		"stuck", "slow_read", "lose_overflows", "fail_add", "start",
	};
	char name[64];
	unsigned int i;
	int cpu;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		for (cpu = 0; cpu < cpus_online(); cpu++) {
			snprintf(name, sizeof(name), "cpu%d/%s", cpu, files[i]);
			sim_set(name, "0");
		}
		snprintf(name, sizeof(name), "all/%s", files[i]);
		sim_set(name, "0");
	}
}

/* One line of SIM "counters". */
struct sim_counter {
	unsigned int counter;
	unsigned long long config;
	char modes[4];
	unsigned long long reg;
	unsigned long long count;
	unsigned long long period;
};

/* The counters of a CPU that are in use, up to room of them; how many there are. */
static inline int sim_counters(int cpu, struct sim_counter *list, unsigned int room)
{
	FILE *file = fopen(SIM "counters", "re");
	struct sim_counter c;
	char line[256];
	int on, n = 0;

	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%d %u %llx %3s %llx %llu %llu", &on, &c.counter, &c.config,
			   c.modes, &c.reg, &c.count, &c.period) != 7 || on != cpu)
			continue;
		if (n < (int)room)
			list[n] = c;
		n++;
	}
	fclose(file);
	return n;
}

static inline int sim_counters_used(int cpu)
{
	return sim_counters(cpu, NULL, 0);
}

/* ---- raw sets ---- */

static inline struct perfmon_event event_raw(__u64 config)
{
	return event_of(PERF_TYPE_RAW, config, ANY_MODE);
}

#endif

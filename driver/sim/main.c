// SPDX-License-Identifier: GPL-2.0-only
/* Parameters, and as which PMU the module registers: see perfmon_sim(4). */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/string.h>

#include "compat.h"
#include "sim.h"

unsigned int sim_counters = 6;
module_param_named(counters, sim_counters, uint, 0444);
MODULE_PARM_DESC(counters, "counters of each CPU, 1 to 32 (default: 6)");

unsigned int sim_width = 48;
module_param_named(width, sim_width, uint, 0444);
MODULE_PARM_DESC(width, "bits of a counter, 16 to 64 (default: 48)");

static bool raw = true;
module_param(raw, bool, 0444);
MODULE_PARM_DESC(raw, "be the CPUs' own PMU where they have none (default: yes)");

#define SIM_MAX_FITS	16

static char *fit[SIM_MAX_FITS];
static unsigned int nr_fits;
module_param_array(fit, charp, &nr_fits, 0444);
MODULE_PARM_DESC(fit, "CODE:MASK,... events that fit some counters only (default: none)");

static struct {
	u16 code;
	u32 counters;
} sim_fit[SIM_MAX_FITS];

/* ---- parameters ---- */

static u32 sim_all_counters(void)
{
	return GENMASK(sim_counters - 1, 0);
}

/* A code of one byte is meant with any unit mask. */
static bool sim_fit_concerns(u16 which, u16 code)
{
	return which == code || which == (code & 0xff);
}

u32 sim_fits(u16 code)
{
	unsigned int i;

	for (i = 0; i < nr_fits; i++)
		if (sim_fit_concerns(sim_fit[i].code, code))
			return sim_fit[i].counters;
	return sim_all_counters();
}

static int sim_parse_fit(char *text, unsigned int i)
{
	char *code = strsep(&text, ":");

	if (!text || kstrtou16(code, 0, &sim_fit[i].code) ||
	    kstrtou32(text, 0, &sim_fit[i].counters) ||
	    !sim_fit[i].counters || (sim_fit[i].counters & ~sim_all_counters()))
		return -EINVAL;
	return 0;
}

static int sim_parse_fits(void)
{
	unsigned int i;

	for (i = 0; i < nr_fits; i++) {
		if (sim_parse_fit(fit[i], i)) {
			pr_err("fit=%s: CODE:MASK is wanted, with counters that there are\n",
			       fit[i]);
			return -EINVAL;
		}
	}
	return 0;
}

static int sim_check_parameters(void)
{
	if (!sim_counters || sim_counters > SIM_MAX_COUNTERS) {
		pr_err("counters=%u: 1 to %u is possible\n", sim_counters, SIM_MAX_COUNTERS);
		return -EINVAL;
	}
	if (sim_width < SIM_MIN_WIDTH || sim_width > 64) {
		pr_err("width=%u: %u to 64 is possible\n", sim_width, SIM_MIN_WIDTH);
		return -EINVAL;
	}
	return sim_parse_fits();
}

/* ---- registering ---- */

/* Does anybody take this event on that CPU? Or an errno. */
static int sim_event_is_somebodys(u32 type, u64 config, int cpu)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.disabled = 1,
		.exclude_guest = 1,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	if (event == ERR_PTR(-ENOMEM))
		return -ENOMEM;
	if (IS_ERR(event))
		return event != ERR_PTR(-ENOENT) && cpu_online(cpu);
	perf_event_release_kernel(event);
	return true;
}

/* perf has no list of PMUs for us; asking for events is the way. */
static int sim_cpus_have_pmu(void)
{
	int cpu, ret;

	for_each_online_cpu(cpu) {
		ret = sim_event_is_somebodys(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, cpu);
		if (!ret)
			ret = sim_event_is_somebodys(PERF_TYPE_RAW, sim_rates[SIM_CYCLES].code,
						     cpu);
		if (ret)
			return ret;
	}
	return false;
}

static int sim_register(void)
{
	int have = raw ? sim_cpus_have_pmu() : true;

	if (have < 0)
		return have;
	if (!have)
		return perf_pmu_register(&sim_pmu, "cpu", PERF_TYPE_RAW);
	sim_pmu.task_ctx_nr = SIM_COMPAT_SECOND_CONTEXT;
	return perf_pmu_register(&sim_pmu, KBUILD_MODNAME, -1);
}

static int __init sim_init(void)
{
	int err;

	err = sim_check_parameters();
	if (err)
		return err;
	sim_interrupt_init();
	err = sim_register();
	if (err)
		return err;
	sim_control_init();
	pr_info("%u simulated counters of %u bits, PMU %s of type %d\n", sim_counters, sim_width,
		sim_pmu.name, sim_pmu.type);
	return 0;
}

/* Events hold the module, so there are none. */
static void __exit sim_exit(void)
{
	sim_control_exit();
	perf_pmu_unregister(&sim_pmu);
	sim_interrupt_exit();
}

module_init(sim_init);
module_exit(sim_exit);

MODULE_DESCRIPTION("A simulated PMU for tests");
MODULE_LICENSE("GPL");

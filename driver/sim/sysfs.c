// SPDX-License-Identifier: GPL-2.0-only
/*
 * What user space is told of the PMU: how events are encoded, names of some, and what it has.
 * There is no cpumask, which only PMUs have that count something else than a CPU.
 */
#include <linux/device.h>
#include <linux/sysfs.h>

#include "sim.h"

PMU_FORMAT_ATTR(event, "config:0-7");
PMU_FORMAT_ATTR(umask, "config:8-15");
PMU_FORMAT_ATTR(edge, "config:18");
PMU_FORMAT_ATTR(inv, "config:23");
PMU_FORMAT_ATTR(cmask, "config:24-31");

static struct attribute *sim_format_attrs[] = {
	&format_attr_event.attr,
	&format_attr_umask.attr,
	&format_attr_edge.attr,
	&format_attr_inv.attr,
	&format_attr_cmask.attr,
	NULL,
};

static const struct attribute_group sim_format_group = {
	.name = "format",
	.attrs = sim_format_attrs,
};

static ssize_t sim_event_show(struct device *dev, struct device_attribute *attr, char *page)
{
	const struct perf_pmu_events_attr *event;
	u16 code;

	event = container_of(attr, struct perf_pmu_events_attr, attr);
	code = sim_rates[event->id].code;
	return sysfs_emit(page, "event=0x%02x,umask=0x%02x\n", code & 0xff, code >> 8);
}

static struct attribute *sim_event_attrs[] = {
	PMU_EVENT_ATTR_ID(cpu-cycles, sim_event_show, SIM_CYCLES),
	PMU_EVENT_ATTR_ID(instructions, sim_event_show, SIM_INSTRUCTIONS),
	PMU_EVENT_ATTR_ID(cache-references, sim_event_show, SIM_CACHE_REFERENCES),
	PMU_EVENT_ATTR_ID(cache-misses, sim_event_show, SIM_CACHE_MISSES),
	PMU_EVENT_ATTR_ID(branch-instructions, sim_event_show, SIM_BRANCHES),
	PMU_EVENT_ATTR_ID(branch-misses, sim_event_show, SIM_BRANCH_MISSES),
	PMU_EVENT_ATTR_ID(bus-cycles, sim_event_show, SIM_BUS_CYCLES),
	NULL,
};

static const struct attribute_group sim_event_group = {
	.name = "events",
	.attrs = sim_event_attrs,
};

static ssize_t counters_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return sysfs_emit(page, "%u\n", sim_counters);
}
static DEVICE_ATTR_RO(counters);

static ssize_t width_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return sysfs_emit(page, "%u\n", sim_width);
}
static DEVICE_ATTR_RO(width);

static ssize_t pmu_name_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return sysfs_emit(page, KBUILD_MODNAME "\n");
}
static DEVICE_ATTR_RO(pmu_name);

static struct attribute *sim_caps_attrs[] = {
	&dev_attr_counters.attr,
	&dev_attr_width.attr,
	&dev_attr_pmu_name.attr,
	NULL,
};

static const struct attribute_group sim_caps_group = {
	.name = "caps",
	.attrs = sim_caps_attrs,
};

const struct attribute_group *sim_attr_groups[] = {
	&sim_format_group,
	&sim_event_group,
	&sim_caps_group,
	NULL,
};

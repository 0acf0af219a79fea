// SPDX-License-Identifier: GPL-2.0-only
/*
 * debugfs: what shall happen, what shall fail, and who is on which counter. Without debugfs the
 * rates are what there is.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "sim.h"

#define SIM_EVERY_CPU	(-1)

static struct dentry *sim_dir;

/* ---- one line: KEY=VALUE... ---- */

struct sim_line {
	int cpu;
	bool has_event;
	struct sim_request request;
};

static int sim_parse_mode(const char *value, bool *kernel)
{
	if (strcmp(value, "u") && strcmp(value, "k"))
		return -EINVAL;
	*kernel = value[0] == 'k';
	return 0;
}

static int sim_parse_advance_key(struct sim_line *line, const char *key, const char *value)
{
	struct sim_advance *a = &line->request.advance;

	if (!strcmp(key, "mode"))
		return sim_parse_mode(value, &a->kernel);
	if (!strcmp(key, "event")) {
		line->has_event = true;
		return kstrtou8(value, 0, &a->event);
	}
	if (!strcmp(key, "umask"))
		return kstrtou8(value, 0, &a->umask);
	if (!strcmp(key, "clocks"))
		return kstrtou64(value, 0, &a->clocks);
	if (!strcmp(key, "each"))
		return kstrtou64(value, 0, &a->each);
	return -EINVAL;
}

static int sim_parse_key(struct sim_line *line, const char *key, const char *value)
{
	if (!strcmp(key, "cpu")) {
		int err = kstrtoint(value, 0, &line->cpu);

		return err ?: line->cpu < 0 || line->cpu >= nr_cpu_ids ? -EINVAL : 0;
	}
	if (line->request.kind == SIM_ADVANCE)
		return sim_parse_advance_key(line, key, value);
	if (!strcmp(key, "counters"))
		return kstrtou32(value, 0, &line->request.counters);
	return -EINVAL;
}

static int sim_check_line(const struct sim_line *line)
{
	const struct sim_advance *a = &line->request.advance;
	u64 product;

	if (line->request.kind != SIM_ADVANCE)
		return 0;
	/* What has a rate cannot be told to do something else. */
	if (!line->has_event || sim_rate_of(a->event | a->umask << 8))
		return -EINVAL;
	return check_mul_overflow(a->clocks, a->each, &product) || (s64)product < 0 ? -ERANGE : 0;
}

static int sim_parse_line(char *text, enum sim_request_kind kind, struct sim_line *line)
{
	char *word;
	int err;

	*line = (struct sim_line){
		.cpu = SIM_EVERY_CPU,
		.request = {
			.kind = kind,
			.advance = { .clocks = 1, .each = 1 },
			.counters = U32_MAX,
		},
	};
	while ((word = strsep(&text, " \t"))) {
		char *key = strsep(&word, "=");

		if (!*key && !word)
			continue;
		err = word ? sim_parse_key(line, key, word) : -EINVAL;
		if (err)
			return err;
	}
	return sim_check_line(line);
}

static int sim_do_line(struct sim_line *line)
{
	int cpu, err;

	if (line->cpu != SIM_EVERY_CPU)
		return sim_interrupt(line->cpu, &line->request);
	for_each_online_cpu(cpu) {
		err = sim_interrupt(cpu, &line->request);
		/* It left meanwhile. */
		if (err && err != -ENXIO)
			return err;
	}
	return 0;
}

static int sim_do_text(char *text, enum sim_request_kind kind)
{
	struct sim_line line;
	char *next;
	int err;

	while ((next = strsep(&text, "\n;"))) {
		next = strim(next);
		if (!*next)
			continue;
		err = sim_parse_line(next, kind, &line);
		if (!err)
			err = sim_do_line(&line);
		if (err)
			return err;
	}
	return 0;
}

static ssize_t sim_write(const char __user *from, size_t n, enum sim_request_kind kind)
{
	char *text;
	int err;

	if (n >= PAGE_SIZE)
		return -E2BIG;
	text = memdup_user_nul(from, n);
	if (IS_ERR(text))
		return PTR_ERR(text);
	err = sim_do_text(text, kind);
	kfree(text);
	return err ?: n;
}

static ssize_t sim_advance_write(struct file *file, const char __user *from, size_t n, loff_t *pos)
{
	return sim_write(from, n, SIM_ADVANCE);
}

static const struct file_operations sim_advance_fops = {
	.owner = THIS_MODULE,
	.write = sim_advance_write,
};

static ssize_t sim_overflow_write(struct file *file, const char __user *from, size_t n,
				  loff_t *pos)
{
	return sim_write(from, n, SIM_OVERFLOW);
}

static const struct file_operations sim_overflow_fops = {
	.owner = THIS_MODULE,
	.write = sim_overflow_write,
};

/* ---- who is on which counter ---- */

struct sim_seen {
	bool used;
	bool user;
	bool kernel;
	u64 config;
	u64 reg;
	u64 count;
	u64 period;
};

static void sim_ipi_look(void *arg)
{
	struct sim_cpu *cpu = this_cpu_ptr(&sim_cpus);
	struct sim_seen *seen = arg;
	struct perf_event *event;
	unsigned int i;

	sim_for_each_event(event, i, cpu) {
		const struct sim_event *e = sim_event(event);

		if (sim_running(event))
			sim_update(cpu, event);
		seen[i] = (struct sim_seen){
			.used = true,
			.user = e->select.user,
			.kernel = e->select.kernel,
			.config = sim_config(&e->select),
			.reg = e->reg,
			.count = local64_read(&event->count),
			.period = event->hw.sample_period,
		};
	}
}

static void sim_show_cpu(struct seq_file *m, int cpu, const struct sim_seen *seen)
{
	unsigned int i;

	for (i = 0; i < sim_counters; i++)
		if (seen[i].used)
			seq_printf(m, "%d %u %#llx %s%s %#llx %llu %llu\n", cpu, i, seen[i].config,
				   seen[i].user ? "u" : "", seen[i].kernel ? "k" : "",
				   seen[i].reg, seen[i].count, seen[i].period);
}

static int sim_counters_show(struct seq_file *m, void *v)
{
	struct sim_seen *seen;
	int cpu;

	seen = kmalloc_array(sim_counters, sizeof(*seen), GFP_KERNEL);
	if (!seen)
		return -ENOMEM;
	seq_puts(m, "cpu counter config modes register count period\n");
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		memset(seen, 0, sim_counters * sizeof(*seen));
		smp_call_function_single(cpu, sim_ipi_look, seen, 1);
		sim_show_cpu(m, cpu, seen);
	}
	cpus_read_unlock();
	kfree(seen);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(sim_counters);

/* ---- files ---- */

static int sim_lost_get(void *lost, u64 *value)
{
	*value = atomic64_read(lost);
	return 0;
}

static int sim_lost_set(void *lost, u64 value)
{
	atomic64_set(lost, value);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(sim_lost_fops, sim_lost_get, sim_lost_set, "%llu\n");

static struct dentry *sim_create_faults(const char *name, struct sim_faults *faults)
{
	struct dentry *dir = debugfs_create_dir(name, sim_dir);

	debugfs_create_x32("stuck", 0600, dir, &faults->stuck);
	debugfs_create_u32("slow_read", 0600, dir, &faults->slow_read);
	debugfs_create_bool("lose_overflows", 0600, dir, &faults->lose_overflows);
	debugfs_create_atomic_t("fail_add", 0600, dir, &faults->fail_add);
	debugfs_create_x64("start", 0600, dir, &faults->start);
	return dir;
}

void sim_control_init(void)
{
	char name[16];
	int cpu;

	sim_dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("advance", 0200, sim_dir, NULL, &sim_advance_fops);
	debugfs_create_file("overflow", 0200, sim_dir, NULL, &sim_overflow_fops);
	debugfs_create_file("counters", 0400, sim_dir, NULL, &sim_counters_fops);
	sim_create_faults("all", &sim_faults);
	for_each_possible_cpu(cpu) {
		struct sim_cpu *c = per_cpu_ptr(&sim_cpus, cpu);
		struct dentry *dir;

		snprintf(name, sizeof(name), "cpu%d", cpu);
		dir = sim_create_faults(name, &c->faults);
		debugfs_create_file_unsafe("lost", 0600, dir, &c->lost, &sim_lost_fops);
	}
}

void sim_control_exit(void)
{
	debugfs_remove(sim_dir);
}

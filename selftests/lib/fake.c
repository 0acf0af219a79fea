// SPDX-License-Identifier: GPL-2.0-only
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"
#include "fake.h"

static char root[256];

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void make_dir(const char *path)
{
	if (mkdir(path, 0755))
		die(path);
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fprintf(f, "%s\n", text) < 0 || fclose(f))
		die(path);
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	return ftw->level ? remove(path) : 0;
}

void fake_clear(void)
{
	nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

void fake_start(const char *pmu)
{
	const char *tmp = getenv("TMPDIR");

	setenv("LIBPFM_FORCE_PMU", pmu ? pmu : "perf", 1);
	snprintf(root, sizeof(root), "%s/perfmon-test-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(root))
		die(root);
	pme_sysfs_root = root;
}

void fake_end(void)
{
	fake_clear();
	rmdir(root);
}

static void write_dir(const char *pmu, const char *dir, const struct fake_file *files)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s/%s", root, pmu, dir);
	make_dir(path);
	for (; files->name; files++) {
		snprintf(path, sizeof(path), "%s/%s/%s/%s", root, pmu, dir, files->name);
		write_file(path, files->text);
	}
}

void fake_file(const char *pmu, const char *name, const char *text)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s/%s", root, pmu, name);
	write_file(path, text);
}

void fake_pmu(const char *name, unsigned int type, const struct fake_file *formats,
	      const struct fake_file *events)
{
	char path[512], number[16];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	make_dir(path);
	snprintf(number, sizeof(number), "%u", type);
	fake_file(name, "type", number);
	if (formats)
		write_dir(name, "format", formats);
	if (events)
		write_dir(name, "events", events);
}

static const struct fake_file x86_formats[] = {
	{ "event", "config:0-7" }, { "umask", "config:8-15" }, { "edge", "config:18" },
	{ "pc", "config:19" }, { "any", "config:21" }, { "inv", "config:23" },
	{ "cmask", "config:24-31" }, { "offcore_rsp", "config1:0-63" },
	{ "frontend", "config1:0-23" },
	{ NULL, NULL },
};

static const struct fake_file x86_events[] = {
	{ "cpu-cycles", "event=0x3c" }, { "instructions", "event=0xc0" },
	{ "cache-misses", "event=0x2e,umask=0x41" },
	{ "topdown-slots", "event=0x00,umask=0x04" }, { "topdown-slots.scale", "2" },
	{ "mem-loads", "event=0xcd,umask=0x1,ldlat=3" },
	{ NULL, NULL },
};

static const struct fake_file arm64_formats[] = {
	{ "event", "config:0-15" }, { "long", "config1:0" }, { "rdpmc", "config1:1" },
	{ NULL, NULL },
};

static const struct fake_file arm64_events[] = {
	{ "cpu_cycles", "event=0x0011" }, { "inst_retired", "event=0x0008" },
	{ "sw_incr", "event=0x0000" }, { "l1d_cache", "event=0x0004" },
	{ "br_mis_pred", "event=0x0010" },
	{ NULL, NULL },
};

static const struct fake_file riscv64_formats[] = {
	{ "event", "config:0-47" }, { "firmware", "config:62-63" }, { NULL, NULL },
};

static const struct fake_file msr_formats[] = {
	{ "event", "config:0-63" }, { NULL, NULL },
};

static const struct fake_file msr_events[] = {
	{ "tsc", "event=0x00" }, { NULL, NULL },
};

static void add_others(void)
{
	fake_pmu("software", 1, NULL, NULL);
	fake_pmu("tracepoint", 2, NULL, NULL);
}

void fake_x86(void)
{
	fake_clear();
	add_others();
	fake_pmu("msr", 10, msr_formats, msr_events);
	fake_pmu("cpu", 4, x86_formats, x86_events);
}

void fake_arm64(void)
{
	fake_clear();
	add_others();
	fake_pmu("armv8_pmuv3_0", 8, arm64_formats, arm64_events);
	fake_file("armv8_pmuv3_0", "cpus", "0-1");
}

void fake_riscv64(void)
{
	fake_clear();
	add_others();
	fake_pmu("cpu", 4, riscv64_formats, NULL);
}

void fake_hybrid(void)
{
	fake_clear();
	add_others();
	fake_pmu("cpu_core", 4, x86_formats, x86_events);
	fake_file("cpu_core", "cpus", "0-7");
	fake_pmu("cpu_atom", 11, x86_formats, x86_events);
	fake_file("cpu_atom", "cpus", "8-15");
}

void fake_no_pmu(void)
{
	fake_clear();
	add_others();
	fake_pmu("msr", 10, msr_formats, msr_events);
}

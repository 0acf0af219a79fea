// SPDX-License-Identifier: LGPL-2.1-or-later
/* The PMUs that the kernel shows below /sys/bus/event_source/devices. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "internal.h"

static const char real_root[] = "/sys/bus/event_source/devices";

const char *pme_sysfs_root = real_root;

bool pme_sysfs_is_real(void)
{
	return pme_sysfs_root == real_root;
}

static bool make_path(char *path, size_t size, const char *fmt, va_list ap)
{
	int n = snprintf(path, size, "%s/", pme_sysfs_root);

	if (n < 0 || (size_t)n >= size)
		return false;
	size -= n;
	path += n;
	n = vsnprintf(path, size, fmt, ap);
	return n >= 0 && (size_t)n < size;
}

int pme_sysfs_read(char *buf, size_t size, const char *fmt, ...)
{
	char path[512];
	va_list ap;
	ssize_t n;
	bool fits;
	int fd;

	va_start(ap, fmt);
	fits = make_path(path, sizeof(path), fmt, ap);
	va_end(ap);
	if (!fits)
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, buf, size - 1);
	close(fd);
	if (n < 0)
		return -1;
	buf[n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return 0;
}

static DIR *open_dir(const char *fmt, ...)
{
	char path[512];
	va_list ap;
	bool fits;

	va_start(ap, fmt);
	fits = make_path(path, sizeof(path), fmt, ap);
	va_end(ap);
	return fits ? opendir(path) : NULL;
}

/*
 * A CPU's PMU is called "cpu" ("cpum_cf" on s390), or, where CPUs may differ, has a list of those
 * it serves: "cpus". Uncore PMUs have "cpumask" instead.
 */
static bool serves_cpus(const char *pmu)
{
	char buf[256];

	return !strcmp(pmu, "cpu") || !strcmp(pmu, "cpum_cf") ||
	       !pme_sysfs_read(buf, sizeof(buf), "%s/cpus", pmu);
}

bool pme_pmu_type(const char *name, unsigned int *type)
{
	unsigned long long number;
	char buf[32];

	if (!pme_number(name, 10, &number) &&
	    (pme_sysfs_read(buf, sizeof(buf), "%s/type", name) || !pme_number(buf, 10, &number)))
		return false;
	*type = number;
	return number <= UINT_MAX;
}

/* The next directory that may be a PMU. */
static bool next_pmu(DIR *dir, char name[PME_PMU_LEN])
{
	struct dirent *de;

	while ((de = readdir(dir))) {
		size_t size = strlen(de->d_name) + 1;

		if (de->d_name[0] != '.' && size <= PME_PMU_LEN) {
			memcpy(name, de->d_name, size);
			return true;
		}
	}
	return false;
}

void pme_pmu_of_type(unsigned int type, char name[PME_PMU_LEN])
{
	DIR *dir = open_dir("%s", "");
	unsigned int t;

	while (dir && next_pmu(dir, name)) {
		if (pme_pmu_type(name, &t) && t == type) {
			closedir(dir);
			return;
		}
	}
	if (dir)
		closedir(dir);
	snprintf(name, PME_PMU_LEN, "%u", type);
}

/*
 * The one that perf takes raw codes for comes first: bare names mean its events. It is that of the
 * performance cores where there are two kinds.
 */
static int by_rank(const void *left, const void *right)
{
	const struct pme_pmu *a = left, *b = right;

	if ((a->type == PERF_TYPE_RAW) != (b->type == PERF_TYPE_RAW))
		return a->type == PERF_TYPE_RAW ? -1 : 1;
	return strcmp(a->name, b->name);
}

unsigned int pme_cpu_pmus(struct pme_pmu pmus[PME_MAX_PMUS])
{
	DIR *dir = open_dir("%s", "");
	unsigned int n = 0;

	if (!dir)
		return 0;
	while (n < PME_MAX_PMUS && next_pmu(dir, pmus[n].name)) {
		if (serves_cpus(pmus[n].name) && pme_pmu_type(pmus[n].name, &pmus[n].type))
			n++;
	}
	closedir(dir);
	qsort(pmus, n, sizeof(*pmus), by_rank);
	return n;
}

/* "EVENT.scale" and the like say how to print EVENT; they are no events. */
static bool is_event_file(const char *name)
{
	static const char *const extra[] = { ".scale", ".unit", ".snapshot", ".per-pkg" };
	size_t len = strlen(name), i;

	if (*name == '.')
		return false;
	for (i = 0; i < sizeof(extra) / sizeof(extra[0]); i++) {
		size_t n = strlen(extra[i]);

		if (len > n && !strcmp(name + len - n, extra[i]))
			return false;
	}
	return true;
}

int pme_sysfs_events(const char *pmu, int (*fn)(const char *pmu, const char *event, void *arg),
		     void *arg)
{
	DIR *dir = open_dir("%s/events", pmu);
	struct dirent *de;
	int rc = 0;

	if (!dir)
		return 0;
	while (!rc && (de = readdir(dir))) {
		if (is_event_file(de->d_name))
			rc = fn(pmu, de->d_name, arg);
	}
	closedir(dir);
	return rc;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* processor_bind(2) on CPU affinity. */
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "impl.h"

#define MAX_CPUS	8192		/* the most that any kernel is built for */
#define WORD_BITS	(8 * sizeof(unsigned long))

struct cpus {
	unsigned long word[MAX_CPUS / WORD_BITS];
};

/* What the calling thread could use before it bound itself. */
static __thread struct cpus before;
static __thread bool have_before;

/* The C library's wrappers are for masks of 1024 CPUs. */
static int get_affinity(pid_t tid, struct cpus *cpus)
{
	memset(cpus, 0, sizeof(*cpus));
	return syscall(SYS_sched_getaffinity, tid, sizeof(*cpus), cpus) < 0 ? -1 : 0;
}

static int set_affinity(pid_t tid, const struct cpus *cpus)
{
	return syscall(SYS_sched_setaffinity, tid, sizeof(*cpus), cpus) < 0 ? -1 : 0;
}

static processorid_t only_cpu(const struct cpus *cpus)
{
	processorid_t cpu = PBIND_NONE;
	unsigned int i;

	for (i = 0; i < MAX_CPUS; i++) {
		if (!(cpus->word[i / WORD_BITS] >> i % WORD_BITS & 1))
			continue;
		if (cpu != PBIND_NONE)
			return PBIND_NONE;
		cpu = i;
	}
	return cpu;
}

static bool is_self(pid_t tid)
{
	return !tid || tid == (pid_t)syscall(SYS_gettid);
}

static int bind_to(pid_t tid, processorid_t cpu, const struct cpus *present)
{
	struct cpus one = { { 0 } };

	one.word[cpu / WORD_BITS] = 1UL << cpu % WORD_BITS;
	if (set_affinity(tid, &one))
		return -1;
	if (is_self(tid) && only_cpu(present) == PBIND_NONE) {
		before = *present;
		have_before = true;
	}
	return 0;
}

static int unbind(pid_t tid, const struct cpus *present)
{
	struct cpus all;

	if (only_cpu(present) == PBIND_NONE)
		return 0;
	memset(&all, 0xff, sizeof(all));
	return set_affinity(tid, is_self(tid) && have_before ? &before : &all);
}

static int bind_thread(pid_t tid, processorid_t cpu, processorid_t *old)
{
	struct cpus present;

	if (get_affinity(tid, &present))
		return -1;
	*old = only_cpu(&present);
	if (cpu == PBIND_QUERY)
		return 0;
	return cpu == PBIND_NONE ? unbind(tid, &present) : bind_to(tid, cpu, &present);
}

/* A thread that ends meanwhile need not be bound. */
static int bind_each(DIR *dir, processorid_t cpu, processorid_t *old)
{
	struct dirent *de;
	bool first = true;

	while ((de = readdir(dir))) {
		processorid_t one;
		pid_t tid = atoi(de->d_name);

		if (tid <= 0)
			continue;
		if (bind_thread(tid, cpu, &one)) {
			if (errno == ESRCH)
				continue;
			return -1;
		}
		*old = first || *old == one ? one : PBIND_NONE;
		first = false;
	}
	return 0;
}

static int bind_process(pid_t pid, processorid_t cpu, processorid_t *old)
{
	char path[64];
	DIR *dir;
	int rc, err;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir) {
		if (errno == ENOENT)
			errno = ESRCH;
		return -1;
	}
	rc = bind_each(dir, cpu, old);
	err = errno;
	closedir(dir);
	errno = err;
	return rc;
}

CPC_API int processor_bind(idtype_t idtype, id_t id, processorid_t cpu, processorid_t *obind)
{
	bool me = id == P_MYID;
	processorid_t old = PBIND_NONE;
	int rc;

	if (cpu < PBIND_QUERY || cpu >= MAX_CPUS ||
	    (idtype != P_LWPID && idtype != P_PID)) {
		errno = EINVAL;
		return -1;
	}
	if (idtype == P_LWPID)
		rc = bind_thread(me ? 0 : (pid_t)id, cpu, &old);
	else
		rc = bind_process(me ? getpid() : (pid_t)id, cpu, &old);
	if (!rc && obind)
		*obind = old;
	return rc;
}

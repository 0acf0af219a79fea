// SPDX-License-Identifier: GPL-2.0-only
/* What goes on around the requests: CPUs come and go, threads move, processes come and die. */
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "fuzz.h"

#define CHILD_OPS	1000
#define NOBODY		65534

int bind_to(struct worker *w, int cpu)
{
	cpu_set_t set;

	if (options.dump)
		return 0;
	/* A CPU that goes away takes the binding with it, and nobody tells. */
	if (cpu >= 0 && cpu == w->bound && sched_getcpu() == cpu && w->op % 16)
		return 0;
	CPU_ZERO(&set);
	if (cpu < 0)
		memset(&set, 0xff, sizeof(set));
	else
		CPU_SET(cpu, &set);
	w->bound = cpu;
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

int op_affinity(struct worker *w)
{
	int cpu = (int)below(&w->random, machine_cpus() + 1) - 1;

	if (!note(w, "affinity %lld", cpu))
		return NOTHING_DONE;
	return bind_to(w, cpu);
}

/* CPU 0 stays: not every machine can do without it. */
int op_hotplug(struct worker *w)
{
	unsigned int cpu = 1 + below(&w->random, machine_cpus() > 1 ? machine_cpus() - 1 : 1);
	bool online = !one_in(&w->random, 6);
	uint64_t last = shared->hotplugged, now = now_ns();

	if (!note(w, "CPU %llu online %llu", cpu, online) || !options.hotplug_ms ||
	    machine_cpus() < 2 || now - last < options.hotplug_ms * NSEC_PER_MSEC ||
	    !atomic_compare_exchange_strong(&shared->hotplugged, &last, now))
		return NOTHING_DONE;
	return cpu_set_online(cpu, online);
}

int op_signal(struct worker *w)
{
	unsigned int n = below(&w->random, options.threads);
	pid_t tid = crew.tid[n];

	if (!note(w, "signal to thread %llu", n) || !tid || w->child)
		return NOTHING_DONE;
	return syscall(SYS_tgkill, getpid(), tid, SIGUSR1) ? -errno : 0;
}

/* Lets others run, or keeps them from it. */
int op_work(struct worker *w)
{
	unsigned int n = below(&w->random, 2000);
	volatile unsigned int i;

	if (!note(w, "work %llu", n))
		return NOTHING_DONE;
	if (one_in(&w->random, 8))
		return usleep(n) ? -errno : 0;
	for (i = 0; i < n; i++)
		;
	return 0;
}

static void kill_child(struct worker *w, unsigned int n)
{
	if (w->children[n] <= 0)
		return;
	kill(w->children[n], SIGKILL);
	while (waitpid(w->children[n], NULL, 0) < 0 && errno == EINTR)
		;
	w->children[n] = 0;
}

void kill_children(struct worker *w)
{
	unsigned int n;

	for (n = 0; n < MAX_CHILDREN; n++)
		kill_child(w, n);
}

static void __attribute__((noreturn))
child(unsigned int id, uint64_t stream, uint64_t ops, bool nobody)
{
	struct worker c;

	forget_slots();
	if (nobody && (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
		       setresuid(NOBODY, NOBODY, NOBODY)))
		_exit(1);
	if (worker_start(&c, id, stream, true))
		_exit(1);
	worker_run(&c, ops);
	worker_end(&c);
	_exit(0);
}

/* A process that does some operations of its own with our descriptors. */
int op_fork(struct worker *w)
{
	unsigned int n = below(&w->random, MAX_CHILDREN);
	uint64_t stream = any64(&w->random), ops = below(&w->random, CHILD_OPS);
	bool nobody = one_in(&w->random, 3);
	pid_t parent = getpid(), pid;

	if (!note(w, "fork child %llu, %llu operations, nobody %llu, stream %#llx", n, ops, nobody,
		  stream))
		return NOTHING_DONE;
	kill_child(w, n);
	pid = fork();
	if (!pid) {
		/* It must not survive us. */
		if (getppid() != parent)
			_exit(1);
		child(w->id + 1 + n, stream, ops, nobody);
	}
	w->children[n] = pid;
	return pid < 0 ? -errno : 0;
}

/* At any point of what it does. */
int op_kill(struct worker *w)
{
	unsigned int n = below(&w->random, MAX_CHILDREN), us = below(&w->random, 3000);

	if (!note(w, "kill child %llu", n) || w->children[n] <= 0)
		return NOTHING_DONE;
	if (one_in(&w->random, 2))
		usleep(us);
	kill_child(w, n);
	return 0;
}

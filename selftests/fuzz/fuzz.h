/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of the fuzzer share, see main.c.
 *
 * A run is a sequence of rounds. In a round some processes, with some threads each, do operations
 * at random on descriptors of /dev/perfmon that a process' threads have in common; everybody who
 * does so is a worker. What operation number n of a worker is depends on the seed, the round and
 * its mix, the worker and n alone, and on no result, so that it can be done again.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include <linux/cpc.h>
#include <linux/perf_event.h>
#include <linux/perfmon.h>

#include "random.h"

#define DEVICE		"/dev/perfmon"
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define NSEC_PER_SEC	1000000000ULL
#define NSEC_PER_MSEC	1000000ULL

#define MAX_PROCESSES	4
#define MAX_THREADS	8
#define MAX_CHILDREN	2	/* of a thread, at a time */
#define PER_THREAD	(1 + MAX_CHILDREN)
#define MAX_WORKERS	(MAX_PROCESSES * MAX_THREADS * PER_THREAD)
#define MAX_CPUS	64	/* on which values are watched */

/*
 * Descriptors of the device in a process, each most of the time of one interface. Any may be used
 * by anybody for anything, but mostly they are used for what they are.
 */
enum role { PMIO, RAW, CPC, ROLES };

#define OF_ROLE		2
#define SLOTS		(ROLES * OF_ROLE)
#define WRITER_SLOT	(PMIO * OF_ROLE)	/* of the first process */
#define PERF_SLOTS	3	/* and of perf_event_open(2) */

/* The result of an operation that did not take place. */
#define NOTHING_DONE	(-4096)
#define MAX_ERRNO	256
#define MAX_KINDS	64
#define EDGES		65536

/* How often each kind of operation is done, see mix.c: text, of a digit for each. */
struct mix {
	char level[MAX_KINDS];
};

/* ---- options, see main.c ---- */

struct options {
	uint64_t seed;
	uint64_t ops;			/* 0: no limit */
	uint64_t seconds;		/* 0: no limit */
	uint64_t per_round;		/* operations of a thread */
	uint64_t round;			/* the first */
	unsigned int processes;
	unsigned int threads;
	int only;			/* a worker, or -1 */
	unsigned int hotplug_ms;	/* between two changes; 0: none */
	unsigned int slow_rcu;		/* of so many rounds, one; 0: none */
	bool dump;			/* say the operations, and do not do them */
	bool replay;			/* say each operation before it is done */
	struct mix mix;			/* empty: found for each round */
	bool keep_module;
};

extern struct options options;

/* ---- what everybody sees, in memory that processes share ---- */

#define RING		32
#define MOST_ARGS	12

/* What one operation was asked and told; only who wants to see it makes text of it. */
struct record {
	uint64_t op;
	unsigned int kind;
	int result;
	bool done;
	const char *format;		/* NULL: it did not come so far */
	uint64_t arg[MOST_ARGS];	/* for a format that takes long longs, and nothing else */
};

struct stats {
	uint64_t ops;
	uint64_t ok[MAX_KINDS];
	uint64_t nothing[MAX_KINDS];
	uint64_t err[MAX_KINDS][MAX_ERRNO];
};

/* Written by one worker, but for what main.c resets between rounds. */
struct track {
	_Atomic uint64_t op;		/* that it is at */
	_Atomic bool ended;
	struct record ring[RING];
	struct stats stats;
};

struct shared {
	_Atomic unsigned int broken;	/* invariants */
	_Atomic bool stop;
	_Atomic uint64_t hotplugged;	/* when, ns */
	_Atomic uint64_t round;
	_Atomic uint64_t nedges;	/* that are in edges */
	_Atomic uint64_t edges[EDGES / 64];	/* a bit for each */
	struct track track[MAX_WORKERS];
};

extern struct shared *shared;

/* ---- a process ---- */

struct crew {
	unsigned int process;
	_Atomic int fd[SLOTS];
	_Atomic int held[SLOTS];	/* the CPU that the last shared set was opened on */
	_Atomic int perf[PERF_SLOTS];
	int sock[2];			/* descriptors travel through it */
	pid_t tid[MAX_THREADS];
};

extern struct crew crew;

/* ---- a worker ---- */

/*
 * A page of memory between two that are bad. It holds a pattern, but for what has been put there,
 * of which there is a copy.
 */
struct area {
	unsigned char *page;
	unsigned char *copy;
	size_t at;			/* in the page: what has been put there */
	size_t size;
};

/* A set of the worker's own, whose values are watched, see model.c. */
struct model {
	int fd;				/* -1: not open */
	bool programmed;
	bool running;
	unsigned int n;
	struct {
		bool known;
		bool exact;		/* stopped and read: the next value is the same */
		uint64_t low[PERFMON_MAX_EVENTS];
		uint64_t stopped[PERFMON_MAX_EVENTS];
	} cpu[MAX_CPUS];
};

struct worker {
	unsigned int id;
	bool child;
	uint64_t stream;		/* with the operation's number: its random numbers */
	uint64_t op;
	unsigned int kind;
	struct random random;
	int slot;			/* that the operation uses */
	int bound;			/* the CPU that it was last bound to, or -1 */
	struct area arg;
	struct area data;
	struct model model;
	struct track *track;
	struct record *record;		/* of the operation that it is at */
	int kcov_fd;
	unsigned long *places;		/* that the kernel ran, after their number; or NULL */
	pid_t children[MAX_CHILDREN];
};

int worker_start(struct worker *w, unsigned int id, uint64_t stream, bool child);
void worker_end(struct worker *w);
/* Does operations until there have been so many, or everybody is to stop. */
void worker_run(struct worker *w, uint64_t ops);
int random_slot(struct worker *w);
/* The descriptor of a slot at random, or, most of the time, of one with that role; open or not. */
int random_fd(struct worker *w);
int fd_for(struct worker *w, enum role role);
/* For what only the writer may do. */
int fd_for_writer(struct worker *w);

/* ---- the machine ---- */

unsigned int machine_cpus(void);		/* possible ones */
uint32_t machine_pmu_type(unsigned int n);	/* of PMUs in sysfs, in turn */
/* Generic hardware events that perf knows here, in turn; -1: none. */
int machine_hardware(unsigned int n);
uint64_t now_ns(void);
int write_text(const char *path, const char *text);
/* Puts a CPU on or off. */
int cpu_set_online(unsigned int cpu, bool online);
void machine_init(void);
/* How long the kernel takes to wait for those who may still read. */
void machine_slow_rcu(bool slow);

/* ---- log.c ---- */

void log_init(void);
void kernel_log(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/*
 * What the operation that the worker is at is about to do: integers, whose format is that of long
 * longs. False: it shall not be done.
 */
#define note(w, format, ...)								\
	note_args(w, format, (const uint64_t []){ __VA_ARGS__ },			\
		  sizeof((const uint64_t []){ __VA_ARGS__ }) / sizeof(uint64_t))
bool note_args(struct worker *w, const char *format, const uint64_t *args, unsigned int n);
/* Says it of the present operation: to the kernel's log, or, of one that is not done, to stdout. */
void say(const struct worker *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* An invariant does not hold. w may be NULL: not of one operation. */
void broken(struct worker *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void log_progress(void);
void print_stats(void);
uint64_t ops_done(void);

/* ---- operations ---- */

/* The result: 0 or more, a negative errno, or NOTHING_DONE. */
typedef int (*op_fn)(struct worker *w);

struct kind {
	const char *name;
	unsigned int weight;
	op_fn fn;
	bool not_in_child;
};

extern struct kind kinds[];
extern const unsigned int nkinds;

/* ---- mix.c ---- */

extern struct mix round_mix;

bool mix_parse(const char *text);
void mix_begin(uint64_t round);
void mix_end(void);
/* A kind of operation. */
unsigned int mix_choose(struct random *r);

/* ---- kcov.c ---- */

bool kcov_is_there(void);
void kcov_start(struct worker *w);
void kcov_end(struct worker *w);
void kcov_begin_op(struct worker *w);
void kcov_end_op(struct worker *w);
uint64_t kcov_edges(void);

/* pmio.c */
int op_setup(struct worker *w);
int op_get(struct worker *w);
int op_start(struct worker *w);
int op_stop(struct worker *w);
int op_reset(struct worker *w);
int op_read(struct worker *w);
int op_tstamp(struct worker *w);
int op_setcpu(struct worker *w);
int op_readcpus(struct worker *w);
/* set.c */
int op_set_program(struct worker *w);
int op_set_start(struct worker *w);
int op_set_stop(struct worker *w);
int op_set_reset(struct worker *w);
int op_set_read(struct worker *w);
int op_shared_open(struct worker *w);
int op_bind(struct worker *w);
int op_sample(struct worker *w);
int op_rele(struct worker *w);
/* services.c */
int op_info(struct worker *w);
int op_error(struct worker *w);
int op_holders(struct worker *w);
int op_unknown(struct worker *w);
/* file.c */
/* Opens all slots as their roles want it. */
void open_slots(void);
/* After a fork: fork(2) copies descriptors first and memory, which knows of later ones, then. */
void forget_slots(void);
int op_open(struct worker *w);
int op_close(struct worker *w);
int op_dup(struct worker *w);
int op_send(struct worker *w);
int op_receive(struct worker *w);
int op_poll(struct worker *w);
int op_misuse(struct worker *w);
int op_perf_open(struct worker *w);
int op_perf_close(struct worker *w);
/* world.c */
/* Binds the thread to a CPU; -1: to all. Return: 0 or a negative errno. */
int bind_to(struct worker *w, int cpu);
int op_affinity(struct worker *w);
int op_hotplug(struct worker *w);
int op_signal(struct worker *w);
int op_fork(struct worker *w);
int op_kill(struct worker *w);
int op_work(struct worker *w);
void kill_children(struct worker *w);
/* model.c */
int op_model(struct worker *w);
void model_end(struct worker *w);

/* ---- after.c: what must be so when nobody has the device open ---- */

void after_init(void);
void after_round(void);
void after_all(void);

#endif

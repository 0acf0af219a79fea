/* SPDX-License-Identifier: GPL-2.0-only */
/* What a process can be doing with a file, and what it can do next. */
#ifndef STATES_H
#define STATES_H

#include "pmio.h"

#include <pthread.h>

/* ---- becoming: a file, or a negative errno and no file ---- */

/* The file, unless what was done with it failed. */
static inline int file_if(int fd, int err)
{
	if (err)
		close(fd);
	return err ?: fd;
}

static int open_reader(void)
{
	return device_open(O_RDONLY);
}

static int open_writer(void)
{
	return device_open(O_RDWR);
}

static int setup_writer(void)
{
	int num, err = 0, fd = open_writer();

	if (fd < 0)
		return fd;
	for (num = 0; num < PMIO_NPMC && !err; num++)
		err = pmio_setup_cycles(fd, num);
	return file_if(fd, err);
}

static int run_writer(void)
{
	int num, err = 0, fd = setup_writer();

	if (fd < 0)
		return fd;
	for (num = 0; num < PMIO_NPMC && !err; num++)
		err = pmio_start(fd, num);
	return file_if(fd, err);
}

static int program_any(int fd)
{
	struct perfmon_event events[2] = { event_any(), event_soft(PERF_COUNT_SW_CPU_CLOCK) };

	return set_program(fd, -1, events, 2, 0);
}

static int program_set(void)
{
	int fd = control_open();

	return fd < 0 ? fd : file_if(fd, program_any(fd));
}

static int run_set(void)
{
	int fd = program_set();

	return fd < 0 ? fd : file_if(fd, set_start(fd));
}

static int open_shared(void)
{
	int fd = control_open();

	if (fd < 0)
		return fd;
	/* The CPU that it holds is 0. */
	return file_if(fd, bind_cpu(0) ?: shared_open(fd));
}

static int bind_cycles(int fd)
{
	return shared_bind_same(fd, event_cycles(ANY_MODE), 3);
}

static int bind_shared(void)
{
	int fd = open_shared();

	return fd < 0 ? fd : file_if(fd, bind_cycles(fd));
}

/* Threads that are inside of requests at any time. */
static void *read_for_ever(void *arg)
{
	int fd = *(int *)arg;
	struct sample sample[64];
	__u32 bytes;

	for (;;) {
		bytes = sizeof(sample);
		set_read_bytes(fd, -1, sample, &bytes);
		set_read(fd, cpus_online() - 1, sample);
	}
	return NULL;
}

static void *restart_for_ever(void *arg)
{
	int fd = *(int *)arg;

	for (;;) {
		set_program_same(fd, -1, event_any(), 2);
		set_stop(fd);
		set_start(fd);
	}
	return NULL;
}

static int be_busy(void)
{
	static int fd;
	pthread_t thread;

	fd = run_set();
	if (fd < 0 || pthread_create(&thread, NULL, read_for_ever, &fd) ||
	    pthread_create(&thread, NULL, restart_for_ever, &fd))
		return -1;
	/* Some of the work is done when this is heard. */
	read_number(PARANOID);
	return fd;
}

static int open_many(void)
{
	int i, fd = -1;

	for (i = 0; i < 100; i++) {
		fd = run_set();
		if (fd < 0)
			return fd;
		/* With hardware there is room for few. */
		if (have_good_counters() && i == 3)
			break;
	}
	return fd;
}

/* ---- requests that make sense, by what a file is ---- */

enum what {
	CONTROL = 0x01,
	READER = 0x02,
	WRITER = 0x04,
	SET = 0x08,
	SHARED = 0x10,
	ANYTHING = 0x1f,
};

static int use_info(int fd)
{
	struct perfmon_info info = { .size = sizeof(info) };

	return request(fd, PERFMON_IOC_INFO, &info);
}

static int use_error(int fd)
{
	struct perfmon_error error = { .size = sizeof(error) };

	return request(fd, PERFMON_IOC_ERROR, &error);
}

static int use_holders(int fd)
{
	struct perfmon_holder list[4];
	int n = holders_get(fd, list, ARRAY_SIZE(list));

	return n < 0 ? n : 0;
}

static int use_poll(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLPRI };

	return poll(&p, 1, 0) < 0 ? -errno : 0;
}

static int use_time(int fd)
{
	struct pmc_tstamp ts;

	return request(fd, PMIOTSTAMP, &ts);
}

static int use_choose_all(int fd)
{
	return pmio_choose_cpu(fd, -1);
}

static int use_setup(int fd)
{
	return pmio_setup_cycles(fd, 0);
}

static int use_start(int fd)
{
	return pmio_start(fd, 0);
}

static int use_reset(int fd)
{
	return pmio_reset(fd, 0);
}

static int use_get(int fd)
{
	struct pmc pmc = { .pmc_num = 0 };

	return request(fd, PMIOGET, &pmc);
}

static int use_value(int fd)
{
	__s64 value = pmio_value(fd, 0);

	return value < 0 ? value : 0;
}

static int use_values(int fd)
{
	struct pmc_cpu_value list[8];
	int n = pmio_read_cpus(fd, 0, list, ARRAY_SIZE(list));

	return n < 0 ? n : 0;
}

static int use_stop(int fd)
{
	return pmio_stop(fd, 0);
}

static int use_read_cpu(int fd)
{
	struct sample sample;

	return set_read(fd, 0, &sample);
}

static int use_read_all(int fd)
{
	struct sample samples[8];
	__u32 bytes = sizeof(samples);

	return set_read_bytes(fd, -1, samples, &bytes);
}

static int use_sample(int fd)
{
	struct sample sample;

	return shared_sample(fd, &sample);
}

/*
 * In an order in which all of them succeed, but for what may_be says. @races: what else a request
 * may be told when others make theirs in between.
 */
static const struct use {
	const char *name;
	unsigned int files;
	int (*request)(int fd);
	int may_be;
	int races;
} uses[] = {
	{ "INFO", ANYTHING, use_info },
	{ "ERROR", ANYTHING, use_error },
	{ "HOLDERS", ANYTHING, use_holders },
	{ "poll", ANYTHING, use_poll },
	{ "PMIOTSTAMP", READER | WRITER, use_time },
	{ "PMIOSETCPU", READER | WRITER, use_choose_all },
	{ "PMIOSETUP", WRITER, use_setup },
	{ "PMIOSTART", WRITER, use_start },
	{ "PMIORESET", WRITER, use_reset },
	{ "PMIOGET", WRITER, use_get },
	{ "PMIOREAD", WRITER, use_value },
	{ "PMIOREADCPUS", WRITER, use_values },
	{ "PMIOSTOP", WRITER, use_stop },
	/* What there is to be read is the writer's affair. */
	{ "PMIOREAD", READER, use_value, -EBUSY },
	{ "PMIOREADCPUS", READER, use_values, -EBUSY },
	{ "SET_PROGRAM", SET, program_any },
	{ "SET_START", SET, set_start },
	{ "SET_RESET", SET, set_reset },
	{ "SET_READ", SET, use_read_cpu, 0, -EINVAL },
	{ "SET_READ of all", SET, use_read_all },
	{ "SET_STOP", SET, set_stop },
	{ "BIND", SHARED, bind_cycles },
	{ "SAMPLE", SHARED, use_sample, 0, -EINVAL },
	{ "RELE", SHARED, shared_rele, 0, -EINVAL },
};

/* One after the other; the name of what did not do what it should, or none. */
static inline const char *use_all(int fd, unsigned int what)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(uses); i++) {
		if (!(uses[i].files & what))
			continue;
		err = uses[i].request(fd);
		if (err && err != uses[i].may_be)
			return uses[i].name;
	}
	return "";
}

/* ---- all of it ---- */

struct state {
	const char *name;
	int (*enter)(void);
	unsigned int what;
	bool hardware;
	bool holder;		/* at any moment */
};

static const struct state states[] = {
	{ "a control file", control_open, CONTROL },
	{ "a programmed set", program_set, SET, .holder = true },
	{ "a running set", run_set, SET, .holder = true },
	{ "many sets", open_many, SET, .holder = true },
	{ "busy threads", be_busy, SET },
	{ "a reader", open_reader, READER, .hardware = true },
	{ "a writer", open_writer, WRITER, .hardware = true, .holder = true },
	{ "a writer that has set up", setup_writer, WRITER, .hardware = true, .holder = true },
	{ "a writer that counts", run_writer, WRITER, .hardware = true, .holder = true },
	{ "an open CPU", open_shared, SHARED, .hardware = true, .holder = true },
	{ "a bound CPU", bind_shared, SHARED, .hardware = true, .holder = true },
};

static inline bool state_is_possible(const struct state *state)
{
	return !state->hardware || have_good_counters();
}

/* One file, and nothing that goes on by itself. */
static inline bool state_is_plain(const struct state *state)
{
	return state->enter != be_busy && state->enter != open_many;
}

#endif

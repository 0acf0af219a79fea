/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every file of the device answers, whatever it has become: tests for the kinds of files that
 * the program which includes this adds as variants of the fixture "file".
 */
#ifndef SERVICES_H
#define SERVICES_H

#include "perfmon_test.h"

/* A file of each kind. */
FIXTURE(file) {
	int fd;
};

FIXTURE_VARIANT(file) {
	int flags;
	int (*become)(int fd);
};

static int stay(int fd)
{
	(void)fd;
	return 0;
}

static int become_raw(int fd)
{
	struct perfmon_event event = event_soft(PERF_COUNT_SW_DUMMY);

	return set_program(fd, -1, &event, 1, PERFMON_SET_STARTED);
}

static int become_shared(int fd)
{
	return bind_cpu(0) ?: shared_open(fd);
}

FIXTURE_SETUP(file)
{
	self->fd = device_open(variant->flags);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, variant->become(self->fd));
}

FIXTURE_TEARDOWN(file)
{
	close(self->fd);
}

/* ---- PERFMON_IOC_INFO ---- */

TEST_F(file, info)
{
	struct perfmon_info info;

	memset(&info, PATTERN, sizeof(info));
	info.size = sizeof(info);
	info.flags = 0;
	ASSERT_EQ(0, request(self->fd, PERFMON_IOC_INFO, &info));
	EXPECT_EQ(sizeof(info), info.size);
	EXPECT_EQ(0, info.flags);
	EXPECT_EQ(PERFMON_VERSION, info.version);
	EXPECT_EQ(PMIO_NPMC, info.npmc);
	EXPECT_EQ(PERFMON_MAX_EVENTS, info.max_events);
	EXPECT_LE(sysconf(_SC_NPROCESSORS_CONF), (long)info.ncpus);
	EXPECT_EQ(0, info.caps & ~0x3f);
	EXPECT_EQ(variant->become == become_shared ? 1 : 0, info.shared_opens);
}

TEST_F(file, info_does_not_touch_the_last_error)
{
	struct perfmon_info info = { .size = sizeof(info) };

	EXPECT_EQ(0, last_error(self->fd).err);
	ASSERT_EQ(0, request(self->fd, PERFMON_IOC_INFO, &info));
	EXPECT_EQ(0, last_error(self->fd).err);
	EXPECT_EQ(-ENOTTY, request(self->fd, 0, NULL));
	ASSERT_EQ(0, request(self->fd, PERFMON_IOC_INFO, &info));
	EXPECT_EQ(ENOTTY, last_error(self->fd).err);
}

/* ---- PERFMON_IOC_ERROR ---- */

TEST_F(file, nothing_was_refused_yet)
{
	struct perfmon_error error;

	memset(&error, PATTERN, sizeof(error));
	error.size = sizeof(error);
	error.flags = 0;
	ASSERT_EQ(0, request(self->fd, PERFMON_IOC_ERROR, &error));
	EXPECT_EQ(sizeof(error), error.size);
	EXPECT_EQ(0, error.flags);
	EXPECT_EQ(0, error.err);
	EXPECT_EQ(-1, error.index);
	EXPECT_EQ(-1, error.cpu);
	EXPECT_EQ(0, error.reserved);
	EXPECT_TRUE(all_zero(error.text, sizeof(error.text)));
}

TEST_F(file, error_ends_with_zeroes)
{
	struct perfmon_error error;
	size_t len;

	/* A long text first, of which nothing may be left behind a short one. */
	EXPECT_EQ(-ENOTTY, request(self->fd, 0, NULL));
	EXPECT_EQ(-EFAULT, request(self->fd, PERFMON_IOC_INFO, NULL));
	memset(&error, PATTERN, sizeof(error));
	error.size = sizeof(error);
	error.flags = 0;
	ASSERT_EQ(0, request(self->fd, PERFMON_IOC_ERROR, &error));
	EXPECT_EQ(EFAULT, error.err);
	len = strnlen(error.text, sizeof(error.text));
	ASSERT_LT(len, sizeof(error.text));
	EXPECT_TRUE(all_zero(error.text + len, sizeof(error.text) - len));
}

TEST_F(file, success_does_not_touch_the_last_error)
{
	EXPECT_EQ(-ENOTTY, request(self->fd, 0, NULL));
	EXPECT_LE(0, holders_get(self->fd, NULL, 0));
	EXPECT_EQ(ENOTTY, last_error(self->fd).err);
	/* To ask twice gives the same. */
	EXPECT_EQ(ENOTTY, last_error(self->fd).err);
}

/* Each file has its own. */
TEST_F(file, errors_are_the_files)
{
	int other = control_open();

	EXPECT_EQ(-ENOTTY, request(self->fd, 0, NULL));
	EXPECT_EQ(0, last_error(other).err);
	close(other);
}

/* ---- the rules of sizes, flags and addresses ---- */

struct service {
	unsigned long cmd;
	__u32 size;
};

static const struct service services[] = {
	{ PERFMON_IOC_INFO, sizeof(struct perfmon_info) },
	{ PERFMON_IOC_ERROR, sizeof(struct perfmon_error) },
	{ PERFMON_IOC_HOLDERS, sizeof(struct perfmon_holders) },
};

/* Each begins with a size and flags. */
union any_request {
	struct {
		__u32 size;
		__u32 flags;
	};
	unsigned char bytes[8192];
};

static int ask(int fd, const struct service *s, union any_request *arg, __u32 size)
{
	arg->size = size;
	return request(fd, s->cmd, arg);
}

TEST_F(file, sizes_of_requests)
{
	static union any_request arg;
	const struct service *s;
	__u32 size;

	for (s = services; s < services + ARRAY_SIZE(services); s++) {
		for (size = 0; size < s->size; size++) {
			memset(&arg, 0, sizeof(arg));
			ASSERT_EQ(-EINVAL, ask(self->fd, s, &arg, size));
		}
		for (; size <= 4096; size += s->size) {
			memset(&arg, 0, sizeof(arg));
			ASSERT_EQ(0, ask(self->fd, s, &arg, size));
			/* What the module does not know is not its to change. */
			ASSERT_TRUE(all_zero(arg.bytes + s->size, sizeof(arg) - s->size));
		}
		memset(&arg, 0, sizeof(arg));
		EXPECT_REFUSED(E2BIG, self->fd, ask(self->fd, s, &arg, 0xffffffff));
		EXPECT_REFUSED(E2BIG, self->fd, ask(self->fd, s, &arg, 0x80000000));
		arg.bytes[s->size + 9] = 1;
		EXPECT_REFUSED(E2BIG, self->fd, ask(self->fd, s, &arg, s->size + 10));
		memset(&arg, 0, sizeof(arg));
		arg.bytes[s->size + 10] = 1;
		EXPECT_EQ(0, ask(self->fd, s, &arg, s->size + 10));
	}
}

TEST_F(file, unknown_flags)
{
	static union any_request arg;
	const struct service *s;
	unsigned int bit;

	for (s = services; s < services + ARRAY_SIZE(services); s++) {
		for (bit = 0; bit < 32; bit++) {
			memset(&arg, 0, sizeof(arg));
			arg.flags = 1U << bit;
			EXPECT_EQ(-EINVAL, ask(self->fd, s, &arg, s->size));
		}
	}
}

TEST_F(file, bad_addresses)
{
	const struct service *s;
	union any_request *arg;

	for (s = services; s < services + ARRAY_SIZE(services); s++) {
		EXPECT_REFUSED(EFAULT, self->fd, request(self->fd, s->cmd, NULL));
		EXPECT_REFUSED(EFAULT, self->fd, request(self->fd, s->cmd, BAD_ADDRESS));
		EXPECT_REFUSED(EFAULT, self->fd, request(self->fd, s->cmd, (void *)-4096L));
		/* It says how large it is, and that there is no memory there. */
		arg = end_of_memory(s->size);
		arg->flags = 0;
		EXPECT_EQ(0, ask(self->fd, s, arg, s->size));
		memset(arg, 0, s->size);
		EXPECT_REFUSED(EFAULT, self->fd, ask(self->fd, s, arg, s->size + 8));
		arg = end_of_memory(s->size - 4);
		arg->flags = 0;
		EXPECT_REFUSED(EFAULT, self->fd, ask(self->fd, s, arg, s->size));
	}
}

/* Memory that can be read, and not be written. */
TEST_F(file, results_need_writable_memory)
{
	static union any_request arg;
	const struct service *s;

	for (s = services; s < services + ARRAY_SIZE(services); s++) {
		memset(&arg, 0, sizeof(arg));
		arg.size = s->size;
		EXPECT_REFUSED(EFAULT, self->fd,
			       request(self->fd, s->cmd, read_only(&arg, s->size)));
	}
}

/* ---- what is not for this file ---- */

static const unsigned long pmio_cmds[] = {
	PMIOSETUP, PMIOSTART, PMIOSTOP, PMIORESET, PMIOREAD, PMIOGET, PMIOTSTAMP, PMIOSETCPU,
	PMIOREADCPUS,
};

static const unsigned long set_cmds[] = {
	PERFMON_IOC_SET_START, PERFMON_IOC_SET_STOP, PERFMON_IOC_SET_RESET, PERFMON_IOC_SET_READ,
};

static const unsigned long shared_cmds[] = { CPC_IOC_BIND, CPC_IOC_SAMPLE, CPC_IOC_RELE };

/* Those of a list that are not refused as unknown. */
static unsigned int known(int fd, const unsigned long *cmd, unsigned int n)
{
	char room[256] = {};
	unsigned int i, answered = 0;

	for (i = 0; i < n; i++)
		answered += request(fd, cmd[i], room) != -ENOTTY;
	return answered;
}

TEST_F(file, requests_of_other_files)
{
	bool control = variant->flags == PERFMON_O_CONTROL;
	unsigned long cmd;

	EXPECT_EQ(control ? 0 : ARRAY_SIZE(pmio_cmds),
		  known(self->fd, pmio_cmds, ARRAY_SIZE(pmio_cmds)));
	EXPECT_EQ(variant->become == become_raw ? ARRAY_SIZE(set_cmds) : 0,
		  known(self->fd, set_cmds, ARRAY_SIZE(set_cmds)));
	EXPECT_EQ(variant->become == become_shared ? ARRAY_SIZE(shared_cmds) : 0,
		  known(self->fd, shared_cmds, ARRAY_SIZE(shared_cmds)));
	/* The two that give a file its use: each once, and the raw set again. */
	cmd = CPC_IOC_SHARED_OPEN;
	EXPECT_EQ(control && variant->become == stay ? 1 : 0, known(self->fd, &cmd, 1));
	cmd = PERFMON_IOC_SET_PROGRAM;
	EXPECT_EQ(control && variant->become != become_shared ? 1 : 0, known(self->fd, &cmd, 1));
}

TEST_F(file, unknown_numbers)
{
	unsigned int nr;
	char room[256] = {};

	for (nr = 0; nr < 256; nr++) {
		/* Ours have other sizes. */
		ASSERT_EQ(-ENOTTY, request(self->fd, _IOWR(PERFMON_IOC_MAGIC, nr, char[5]), room));
		ASSERT_EQ(-ENOTTY, request(self->fd, _IOR('5', nr, char[5]), room));
	}
	EXPECT_TRUE(all_zero(room, sizeof(room)));
}

TEST_F(file, has_no_news)
{
	struct pollfd p = { .fd = self->fd, .events = POLLPRI | POLLIN | POLLOUT };

	EXPECT_EQ(0, poll(&p, 1, 0));
}

#endif

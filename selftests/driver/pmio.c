// SPDX-License-Identifier: GPL-2.0-only
/* perfmon(4): the original's requests, and the two that are ours. */
#include "pmio.h"

#include <limits.h>

#include <machine/perfmon.h>

PROGRAM_NEEDS_HARDWARE();

/* FreeBSD's layouts, and its numbers as Linux encodes them. */
_Static_assert(NPMC == 4, "counters");
_Static_assert(sizeof(struct pmc) == 8, "struct pmc");
_Static_assert(PMIOSETUP == 0x40083501, "PMIOSETUP");
_Static_assert(PMIOSTART == 0x40043502, "PMIOSTART");
_Static_assert(PMIOSTOP == 0x40043503, "PMIOSTOP");
_Static_assert(PMIORESET == 0x40043505, "PMIORESET");
_Static_assert(PMIOGET == 0xc0083507, "PMIOGET");
/* Where 64-bit members are aligned to 4 bytes, these are smaller, there as here. */
#ifdef __i386__
_Static_assert(sizeof(struct pmc_data) == 12, "struct pmc_data");
_Static_assert(sizeof(struct pmc_tstamp) == 12, "struct pmc_tstamp");
_Static_assert(PMIOREAD == 0xc00c3504, "PMIOREAD");
_Static_assert(PMIOTSTAMP == 0x800c3506, "PMIOTSTAMP");
#else
_Static_assert(sizeof(struct pmc_data) == 16, "struct pmc_data");
_Static_assert(sizeof(struct pmc_tstamp) == 16, "struct pmc_tstamp");
_Static_assert(PMIOREAD == 0xc0103504, "PMIOREAD");
_Static_assert(PMIOTSTAMP == 0x80103506, "PMIOTSTAMP");
#endif

#define BOTH	(PMCF_USR | PMCF_OS)

static int setup_event(int fd, int num, int event, int flags)
{
	return pmio_setup(fd, num, event & 0xff, event >> 8, flags, 0);
}

/* The flags that a counter has, or a negative errno. */
static int flags(int fd, int num)
{
	struct pmc pmc = { .pmc_num = num };
	int err = request(fd, PMIOGET, &pmc);

	return err ?: pmc.pmc_flags;
}

#define CPUS	64	/* room for more than any machine here has */

FIXTURE(perfmon4) {
	int fd;
	int reader;
};

FIXTURE_SETUP(perfmon4)
{
	self->fd = device_open(O_RDWR);
	ASSERT_LE(0, self->fd);
	self->reader = device_open(O_RDONLY);
	ASSERT_LE(0, self->reader);
}

FIXTURE_TEARDOWN(perfmon4)
{
	close(self->fd);
	close(self->reader);
}

/* ---- open and close ---- */

TEST_F(perfmon4, one_writer)
{
	EXPECT_EQ(-EBUSY, device_open(O_RDWR));
	EXPECT_EQ(-EBUSY, device_open(O_WRONLY));
	close(self->fd);
	self->fd = device_open(O_WRONLY);
	ASSERT_LE(0, self->fd);
	EXPECT_EQ(-EBUSY, device_open(O_RDWR));
	EXPECT_EQ(-EBUSY, device_open(O_WRONLY));
}

TEST_F(perfmon4, any_number_of_readers)
{
	int fd[100];
	unsigned int i;

	ASSERT_EQ(0, pmio_setup_cycles(self->fd, 0));
	for (i = 0; i < ARRAY_SIZE(fd); i++) {
		fd[i] = device_open(O_RDONLY);
		ASSERT_LE(0, fd[i]);
		EXPECT_EQ(0, pmio_value(fd[i], 0));
	}
	while (i)
		close(fd[--i]);
	EXPECT_EQ(0, pmio_value(self->reader, 0));
}

TEST_F(perfmon4, write_only_file_does_it_all)
{
	struct pmc_tstamp ts;

	close(self->fd);
	self->fd = device_open(O_WRONLY);
	ASSERT_LE(0, self->fd);
	EXPECT_EQ(0, pmio_setup_cycles(self->fd, 3));
	EXPECT_EQ(BOTH, flags(self->fd, 3));
	EXPECT_EQ(0, pmio_start(self->fd, 3));
	EXPECT_LT(0, pmio_value(self->fd, 3));
	EXPECT_EQ(0, pmio_stop(self->fd, 3));
	EXPECT_EQ(0, pmio_reset(self->fd, 3));
	EXPECT_EQ(0, pmio_value(self->fd, 3));
	EXPECT_EQ(0, request(self->fd, PMIOTSTAMP, &ts));
}

TEST_F(perfmon4, close_of_the_writer_gives_all_back)
{
	unsigned int before = counters_free(0);
	int num;

	for (num = 0; num < NPMC; num++) {
		ASSERT_EQ(0, pmio_setup_cycles(self->fd, num));
		ASSERT_EQ(0, pmio_start(self->fd, num));
	}
	EXPECT_EQ(before - NPMC, counters_free(0));
	close(self->fd);
	EXPECT_EQ(before, counters_free(0));
	for (num = 0; num < NPMC; num++) {
		EXPECT_REFUSED(EBUSY, self->reader, pmio_value(self->reader, num));
	}
	self->fd = device_open(O_RDWR);
	ASSERT_LE(0, self->fd);
	for (num = 0; num < NPMC; num++) {
		EXPECT_REFUSED(EBUSY, self->fd, pmio_start(self->fd, num));
	}
}

TEST_F(perfmon4, close_of_a_reader_changes_nothing)
{
	ASSERT_EQ(0, pmio_setup_cycles(self->fd, 0));
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	close(self->reader);
	EXPECT_EQ(BOTH | PMCF_EN, flags(self->fd, 0));
	EXPECT_EQ(-EBUSY, device_open(O_RDWR));
	self->reader = device_open(O_RDONLY);
	EXPECT_EQ(BOTH | PMCF_EN, flags(self->reader, 0));
}

TEST_F(perfmon4, duplicate_keeps_it_open)
{
	int copy = dup(self->fd);

	ASSERT_LE(0, copy);
	ASSERT_EQ(0, pmio_setup_cycles(self->fd, 0));
	close(self->fd);
	self->fd = copy;
	EXPECT_EQ(-EBUSY, device_open(O_RDWR));
	EXPECT_EQ(0, pmio_value(self->reader, 0));
	EXPECT_EQ(0, pmio_start(copy, 0));
}

static int setup_and_tell(int sock, void *arg)
{
	(void)sock;
	return pmio_setup_cycles(*(int *)arg, 1);
}

TEST_F(perfmon4, fork_keeps_it_open)
{
	struct peer peer;

	ASSERT_EQ(0, pmio_setup_cycles(self->fd, 0));
	ASSERT_EQ(0, peer_start(&peer, setup_and_tell, &self->fd));
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(0, peer_hear(peer.sock));
	EXPECT_EQ(0, pmio_value(self->reader, 0));
	EXPECT_EQ(0, pmio_value(self->reader, 1));
	EXPECT_EQ(-EBUSY, device_open(O_RDWR));
	peer_kill(&peer);
	EXPECT_EQ(-EBUSY, pmio_value(self->reader, 0));
	self->fd = device_open(O_RDWR);
	EXPECT_LE(0, self->fd);
}

/* ---- the order of checks ---- */

TEST_F(perfmon4, readers_may_not_write)
{
	struct pmc_tstamp ts;
	int num;

	ASSERT_EQ(0, pmio_setup_cycles(self->fd, 0));
	for (num = -1; num <= NPMC; num++) {
		EXPECT_REFUSED(EPERM, self->reader, pmio_setup_cycles(self->reader, num));
		EXPECT_REFUSED(EPERM, self->reader, pmio_start(self->reader, num));
		EXPECT_REFUSED(EPERM, self->reader, pmio_stop(self->reader, num));
		EXPECT_REFUSED(EPERM, self->reader, pmio_reset(self->reader, num));
	}
	EXPECT_EQ(BOTH, flags(self->reader, 0));
	EXPECT_EQ(0, pmio_value(self->reader, 0));
	EXPECT_EQ(0, request(self->reader, PMIOTSTAMP, &ts));
	EXPECT_EQ(0, pmio_choose_cpu(self->reader, 0));
}

TEST_F(perfmon4, bad_address_comes_first)
{
	static const unsigned long cmd[] = {
		PMIOSETUP, PMIOGET, PMIOSTART, PMIOSTOP, PMIORESET, PMIOREAD, PMIOTSTAMP,
		PMIOSETCPU, PMIOREADCPUS,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cmd); i++) {
		EXPECT_REFUSED(EFAULT, self->reader, request(self->reader, cmd[i], BAD_ADDRESS));
		EXPECT_REFUSED(EFAULT, self->reader, request(self->reader, cmd[i], NULL));
		EXPECT_REFUSED(EFAULT, self->fd, request(self->fd, cmd[i], BAD_ADDRESS));
	}
}

TEST_F(perfmon4, result_that_does_not_fit_is_a_bad_address)
{
	struct pmc_data *data = end_of_memory(offsetof(struct pmc_data, pmcd_value));
	struct pmc_tstamp *ts = end_of_memory(offsetof(struct pmc_tstamp, pmct_value));

	ASSERT_EQ(0, pmio_setup_cycles(self->fd, 0));
	data->pmcd_num = 0;
	EXPECT_REFUSED(EFAULT, self->fd, request(self->fd, PMIOREAD, data));
	EXPECT_REFUSED(EFAULT, self->fd, request(self->fd, PMIOTSTAMP, ts));
}

TEST_F(perfmon4, numbers_beyond_are_invalid)
{
	static const int bad[] = { PMC_ALL, -2, NPMC, NPMC + 1, INT_MIN, INT_MAX };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_REFUSED(EINVAL, self->fd, pmio_setup_cycles(self->fd, bad[i]));
		EXPECT_REFUSED(EINVAL, self->fd, flags(self->fd, bad[i]));
		EXPECT_REFUSED(EINVAL, self->fd, pmio_start(self->fd, bad[i]));
		EXPECT_REFUSED(EINVAL, self->fd, pmio_stop(self->fd, bad[i]));
		EXPECT_REFUSED(EINVAL, self->fd, pmio_reset(self->fd, bad[i]));
		EXPECT_REFUSED(EINVAL, self->fd, pmio_value(self->fd, bad[i]));
		EXPECT_REFUSED(EINVAL, self->fd, pmio_read_cpus(self->fd, bad[i], NULL, 0));
		EXPECT_REFUSED(EINVAL, self->reader, pmio_value(self->reader, bad[i]));
	}
}

/* The original's reversed sense of the word. */
TEST_F(perfmon4, not_set_up_is_busy)
{
	int num;

	for (num = 0; num < NPMC; num++) {
		EXPECT_REFUSED(EBUSY, self->fd, flags(self->fd, num));
		EXPECT_REFUSED(EBUSY, self->fd, pmio_start(self->fd, num));
		EXPECT_REFUSED(EBUSY, self->fd, pmio_stop(self->fd, num));
		EXPECT_REFUSED(EBUSY, self->fd, pmio_reset(self->fd, num));
		EXPECT_REFUSED(EBUSY, self->fd, pmio_read_cpus(self->fd, num, NULL, 0));
		EXPECT_REFUSED(EBUSY, self->reader, pmio_value(self->reader, num));
		EXPECT_EQ(num, last_error(self->reader).index);
		EXPECT_TRUE(last_error_says(self->reader, "has not been set up"));
	}
}

TEST_F(perfmon4, unknown_requests)
{
	static const unsigned long cmd[] = {
		_IO('5', 0), _IO('5', 1), _IOW('5', 10, int), _IOR('5', 4, struct pmc_data),
		_IOWR('5', 4, int), _IOW('5', 2, char), _IO('T', 1), 0, 0xffffffff,
		/* What a FreeBSD binary would ask. */
		0x80083501, 0x80043502, 0x40103506,
		PERFMON_IOC_SET_PROGRAM, PERFMON_IOC_SET_READ, PERFMON_IOC_SET_START,
		CPC_IOC_SHARED_OPEN, CPC_IOC_BIND, CPC_IOC_SAMPLE, CPC_IOC_RELE,
	};
	char room[256] = {};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cmd); i++) {
		EXPECT_REFUSED(ENOTTY, self->fd, request(self->fd, cmd[i], room));
		EXPECT_REFUSED(ENOTTY, self->reader, request(self->reader, cmd[i], room));
	}
	EXPECT_TRUE(all_zero(room, sizeof(room)));
}

/* ---- PMIOSETUP and PMIOGET ---- */

TEST_F(perfmon4, get_returns_what_was_set_up)
{
	struct pmc pmc = { .pmc_num = 2 };

	pmc.pmc_event = 0x34;
	pmc.pmc_unit = 0x12;
	pmc.pmc_flags = PMCF_OS;
	ASSERT_EQ(0, request(self->fd, PMIOSETUP, &pmc));
	pmc.pmc_val = 0xffffffff;
	EXPECT_EQ(0, request(self->reader, PMIOGET, &pmc));
	EXPECT_EQ(2, pmc.pmc_num);
	EXPECT_EQ(0x00021234, pmc.pmc_val);
}

TEST_F(perfmon4, runs_as_get_says)
{
	ASSERT_EQ(0, pmio_setup_cycles(self->fd, 1));
	EXPECT_EQ(BOTH, flags(self->reader, 1));
	ASSERT_EQ(0, pmio_start(self->fd, 1));
	EXPECT_EQ(BOTH | PMCF_EN, flags(self->reader, 1));
	ASSERT_EQ(0, pmio_reset(self->fd, 1));
	EXPECT_EQ(BOTH | PMCF_EN, flags(self->reader, 1));
	ASSERT_EQ(0, pmio_stop(self->fd, 1));
	EXPECT_EQ(BOTH, flags(self->reader, 1));
	ASSERT_EQ(0, pmio_stop(self->fd, 1));
	EXPECT_EQ(BOTH, flags(self->reader, 1));
}

TEST_F(perfmon4, system_flags_are_cleared_silently)
{
	ASSERT_EQ(0, setup_event(self->fd, 0, RAW_CYCLES, PMCF_SYS_FLAGS | PMCF_USR));
	EXPECT_EQ(PMCF_USR, flags(self->fd, 0));
	burn_ms(1);
	EXPECT_EQ(0, pmio_value(self->fd, 0));
}

TEST_F(perfmon4, flags_that_no_event_has)
{
	EXPECT_REFUSED(EINVAL, self->fd, setup_event(self->fd, 1, RAW_CYCLES, BOTH | 0x20));
	EXPECT_TRUE(last_error_says(self->fd, "0x20"));
	EXPECT_EQ(1, last_error(self->fd).index);
	EXPECT_REFUSED(EINVAL, self->fd, setup_event(self->fd, 1, RAW_CYCLES, BOTH | PMCF_PC));
	EXPECT_TRUE(last_error_says(self->fd, "0x8"));
	EXPECT_EQ(-EBUSY, pmio_value(self->fd, 1));
}

/* A field that the hardware does not have is refused, and not ignored. */
TEST_F(perfmon4, fields_that_the_cpu_lacks)
{
	__u32 caps = machine().caps;
	struct pmc pmc = { .pmc_num = 3 };
	int err;

	pmc.pmc_event = RAW_CYCLES;
	pmc.pmc_flags = BOTH | PMCF_E;
	err = request(self->fd, PMIOSETUP, &pmc);
	EXPECT_EQ(caps & PERFMON_CAP_EDGE ? 0 : -EINVAL, err);
	EXPECT_TRUE(!err || last_error_says(self->fd, "PMCF_E"));

	pmc.pmc_flags = BOTH | PMCF_INV;
	err = request(self->fd, PMIOSETUP, &pmc);
	EXPECT_EQ(caps & PERFMON_CAP_INVERT ? 0 : -EINVAL, err);
	EXPECT_TRUE(!err || last_error_says(self->fd, "PMCF_INV"));

	pmc.pmc_flags = BOTH;
	pmc.pmc_mask = 1;
	err = request(self->fd, PMIOSETUP, &pmc);
	EXPECT_EQ(caps & PERFMON_CAP_CMASK ? 0 : -EINVAL, err);
	EXPECT_TRUE(!err || last_error_says(self->fd, "pmc_mask"));
	EXPECT_TRUE(!err || last_error(self->fd).index == 3);
}

#ifdef __aarch64__
TEST_F(perfmon4, arm64_has_none_of_them)
{
	EXPECT_EQ(PERFMON_CAP_UNIT | PERFMON_CAP_TSTAMP | PERFMON_CAP_HARDWARE, machine().caps);
}
#endif

/* The unit is the upper half of the event: the clock's number there is another event. */
TEST_F(perfmon4, unit_is_part_of_the_event)
{
	NEEDS(RAW_CYCLES == 0x11, "for events of 16 bits");
	ASSERT_EQ(0, setup_event(self->fd, 0, RAW_CYCLES, BOTH));
	ASSERT_EQ(0, setup_event(self->fd, 1, RAW_CYCLES << 8, BOTH));
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	ASSERT_EQ(0, pmio_start(self->fd, 1));
	burn_ms(1);
	EXPECT_LT(0, pmio_value(self->fd, 0));
	EXPECT_EQ(0, pmio_value(self->fd, 1));
}

TEST_F(perfmon4, setup_again_stops_and_zeroes)
{
	ASSERT_EQ(0, pmio_setup_cycles(self->fd, 0));
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	EXPECT_LT(0, pmio_value(self->fd, 0));
	ASSERT_EQ(0, setup_event(self->fd, 0, RAW_CYCLES, PMCF_USR));
	EXPECT_EQ(PMCF_USR, flags(self->fd, 0));
	EXPECT_EQ(0, pmio_value(self->fd, 0));
	burn_ms(1);
	EXPECT_EQ(0, pmio_value(self->fd, 0));
}

TEST_F(perfmon4, refused_arguments_change_nothing)
{
	ASSERT_EQ(0, pmio_setup_cycles(self->fd, 0));
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	EXPECT_EQ(-EINVAL, setup_event(self->fd, 0, RAW_CYCLES, BOTH | 0x20));
	EXPECT_EQ(BOTH | PMCF_EN, flags(self->fd, 0));
}

/* ---- counting ---- */

/* How much is certainly more than what passes between two requests. */
#define LONG_MS		100

TEST_F(perfmon4, does_not_count_before_the_start)
{
	ASSERT_EQ(0, pmio_setup_cycles(self->fd, 0));
	burn_ms(1);
	EXPECT_EQ(0, pmio_value(self->fd, 0));
}

TEST_F(perfmon4, never_goes_backwards)
{
	__s64 last = 0, next = 0;
	int i;

	ASSERT_EQ(0, pmio_setup_cycles(self->fd, 0));
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	for (i = 0; i < 2000; i++, last = next) {
		next = pmio_value(i % 2 ? self->fd : self->reader, 0);
		ASSERT_LE(last, next);
	}
	EXPECT_LT(0, last);
}

TEST_F(perfmon4, stop_keeps_and_start_continues)
{
	__s64 first, second;
	int i;

	ASSERT_EQ(0, pmio_setup_cycles(self->fd, 0));
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	burn_ms(1);
	ASSERT_EQ(0, pmio_stop(self->fd, 0));
	first = pmio_value(self->fd, 0);
	EXPECT_LT(0, first);
	burn_ms(1);
	for (i = 0; i < 100; i++) {
		EXPECT_EQ(first, pmio_value(self->reader, 0));
	}
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	second = pmio_value(self->fd, 0);
	EXPECT_LE(first, second);
	burn_ms(1);
	EXPECT_LT(second, pmio_value(self->fd, 0));
}

/* What ran since the last start is dropped, as in the original. */
TEST_F(perfmon4, start_of_a_running_one_falls_back)
{
	__s64 stopped, running, again;

	ASSERT_EQ(0, pmio_setup_cycles(self->fd, 0));
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	ASSERT_EQ(0, pmio_stop(self->fd, 0));
	stopped = pmio_value(self->fd, 0);
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	burn_ms(LONG_MS);
	running = pmio_value(self->fd, 0);
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	again = pmio_value(self->fd, 0);
	EXPECT_LT(stopped, running);
	EXPECT_LE(stopped, again);
	EXPECT_LT(again, running);
}

TEST_F(perfmon4, reset_zeroes)
{
	__s64 before, after;

	ASSERT_EQ(0, pmio_setup_cycles(self->fd, 0));
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	burn_ms(LONG_MS);
	before = pmio_value(self->fd, 0);
	ASSERT_EQ(0, pmio_reset(self->fd, 0));
	after = pmio_value(self->fd, 0);
	EXPECT_LT(after, before);
	EXPECT_LT(0, after);
	ASSERT_EQ(0, pmio_stop(self->fd, 0));
	EXPECT_LE(after, pmio_value(self->fd, 0));
	ASSERT_EQ(0, pmio_reset(self->fd, 0));
	EXPECT_EQ(0, pmio_value(self->fd, 0));
	EXPECT_EQ(0, pmio_value(self->reader, 0));
}

TEST_F(perfmon4, readers_see_the_writers_counters)
{
	int num;

	for (num = 0; num < NPMC; num++) {
		ASSERT_EQ(0, pmio_setup_cycles(self->fd, num));
		ASSERT_EQ(0, pmio_start(self->fd, num));
	}
	for (num = NPMC; num--; ) {
		ASSERT_EQ(0, pmio_stop(self->fd, num));
	}
	for (num = 0; num < NPMC; num++) {
		EXPECT_LT(0, pmio_value(self->reader, num));
		EXPECT_EQ(pmio_value(self->fd, num), pmio_value(self->reader, num));
	}
	/* The first was started first and stopped last. */
	for (num = 1; num < NPMC; num++) {
		EXPECT_LT(pmio_value(self->fd, num), pmio_value(self->fd, num - 1));
	}
}

TEST_F(perfmon4, counts_the_modes_it_was_told)
{
	ASSERT_EQ(0, setup_event(self->fd, 0, RAW_CYCLES, PMCF_USR));
	ASSERT_EQ(0, setup_event(self->fd, 1, RAW_CYCLES, PMCF_OS));
	ASSERT_EQ(0, setup_event(self->fd, 2, RAW_CYCLES, BOTH));
	/* The one of both modes runs before and after the others. */
	ASSERT_EQ(0, pmio_start(self->fd, 2));
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	ASSERT_EQ(0, pmio_start(self->fd, 1));
	burn_ms(LONG_MS);
	ASSERT_EQ(0, pmio_stop(self->fd, 1));
	ASSERT_EQ(0, pmio_stop(self->fd, 0));
	ASSERT_EQ(0, pmio_stop(self->fd, 2));
	EXPECT_LT(0, pmio_value(self->fd, 0));
	EXPECT_LT(0, pmio_value(self->fd, 1));
	EXPECT_GE(pmio_value(self->fd, 2), pmio_value(self->fd, 0) + pmio_value(self->fd, 1));
}

TEST_F(perfmon4, neither_mode_counts_nothing)
{
	struct pmc_cpu_value list[CPUS];
	int i, n;

	ASSERT_EQ(0, setup_event(self->fd, 0, RAW_CYCLES, 0));
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	EXPECT_EQ(PMCF_EN, flags(self->fd, 0));
	burn_ms(1);
	EXPECT_EQ(0, pmio_value(self->fd, 0));
	n = pmio_read_cpus(self->fd, 0, list, CPUS);
	EXPECT_EQ(cpus_online(), n);
	for (i = 0; i < n; i++) {
		EXPECT_EQ(PERFMON_STATE_OFF, list[i].pmcv_state);
		EXPECT_EQ(0, list[i].pmcv_value);
	}
}

/* ---- many CPUs ---- */

TEST_F(perfmon4, value_is_the_sum_of_the_cpus)
{
	struct pmc_cpu_value list[CPUS];
	__s64 sum = 0;
	int i, n;

	ASSERT_EQ(0, pmio_setup_cycles(self->fd, 0));
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	n = pmio_read_cpus(self->reader, 0, list, CPUS);
	ASSERT_EQ(cpus_online(), n);
	for (i = 0; i < n; i++) {
		EXPECT_EQ(PERFMON_STATE_COUNTING, list[i].pmcv_state);
	}
	burn_ms(1);
	ASSERT_EQ(0, pmio_stop(self->fd, 0));

	n = pmio_read_cpus(self->reader, 0, list, CPUS);
	ASSERT_EQ(cpus_online(), n);
	for (i = 0; i < n; i++) {
		EXPECT_EQ(i, list[i].pmcv_cpu);
		EXPECT_EQ(PERFMON_STATE_OFF, list[i].pmcv_state);
		sum += list[i].pmcv_value;
	}
	EXPECT_LT(0, sum);
	EXPECT_EQ(sum, pmio_value(self->reader, 0));
}

TEST_F(perfmon4, values_beyond_the_room_stay_away)
{
	struct pmc_cpu_value list[CPUS];
	int n = cpus_online();

	ASSERT_EQ(0, pmio_setup_cycles(self->fd, 0));
	memset(list, PATTERN, sizeof(list));
	EXPECT_EQ(n, pmio_read_cpus(self->fd, 0, list, 0));
	EXPECT_EQ(n, pmio_read_cpus(self->fd, 0, BAD_ADDRESS, 0));
	EXPECT_TRUE(untouched(list, sizeof(list)));
	EXPECT_EQ(n, pmio_read_cpus(self->fd, 0, list, 1));
	EXPECT_EQ(0, list[0].pmcv_cpu);
	EXPECT_TRUE(untouched(&list[1], sizeof(list) - sizeof(list[0])));
	EXPECT_EQ(n, pmio_read_cpus(self->fd, 0, list, 0xffffffff));
	EXPECT_EQ(n - 1, list[n - 1].pmcv_cpu);
	EXPECT_TRUE(untouched(&list[n], sizeof(list) - n * sizeof(list[0])));
	EXPECT_REFUSED(EFAULT, self->fd, pmio_read_cpus(self->fd, 0, BAD_ADDRESS, 1));
	EXPECT_REFUSED(EFAULT, self->fd, pmio_read_cpus(self->fd, 0, end_of_memory(8), 1));
}

TEST_F(perfmon4, readcpus_checks_its_structure)
{
	struct { struct pmc_cpu_data req; __u64 more; } arg = {
		.req = { .pmcx_size = sizeof(arg) },
	};

	ASSERT_EQ(0, pmio_setup_cycles(self->fd, 0));
	EXPECT_EQ(0, request(self->fd, PMIOREADCPUS, &arg));
	arg.more = 1;
	EXPECT_REFUSED(E2BIG, self->fd, request(self->fd, PMIOREADCPUS, &arg));
	arg.req.pmcx_size = sizeof(arg.req) - 1;
	EXPECT_REFUSED(EINVAL, self->fd, request(self->fd, PMIOREADCPUS, &arg));
	arg.req.pmcx_size = sizeof(arg.req);
	arg.req.pmcx_flags = 1;
	EXPECT_REFUSED(EINVAL, self->fd, request(self->fd, PMIOREADCPUS, &arg));
}

TEST_F(perfmon4, setcpu_checks_its_structure)
{
	struct { struct pmc_cpu req; __u64 more; } arg = { .req = { .pmcc_size = sizeof(arg) } };

	EXPECT_EQ(0, request(self->fd, PMIOSETCPU, &arg));
	arg.more = 1;
	EXPECT_REFUSED(E2BIG, self->fd, request(self->fd, PMIOSETCPU, &arg));
	arg.req.pmcc_size = 0;
	EXPECT_REFUSED(EINVAL, self->fd, request(self->fd, PMIOSETCPU, &arg));
	arg.req.pmcc_size = sizeof(arg.req);
	arg.req.pmcc_flags = 1;
	EXPECT_REFUSED(EINVAL, self->fd, request(self->fd, PMIOSETCPU, &arg));
	arg.req.pmcc_flags = 0;
	arg.req.pmcc_reserved = 1;
	EXPECT_REFUSED(EINVAL, self->fd, request(self->fd, PMIOSETCPU, &arg));
}

TEST_F(perfmon4, cpus_that_do_not_exist)
{
	int bad[] = { -2, INT_MIN, INT_MAX, machine().ncpus };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_REFUSED(EINVAL, self->fd, pmio_choose_cpu(self->fd, bad[i]));
		EXPECT_EQ(bad[i], last_error(self->fd).cpu);
	}
}

TEST_F(perfmon4, reader_of_one_cpu_gets_its_value)
{
	struct pmc_cpu_value list[CPUS];
	int i, n;

	ASSERT_EQ(0, pmio_setup_cycles(self->fd, 0));
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	burn_ms(1);
	ASSERT_EQ(0, pmio_stop(self->fd, 0));
	n = pmio_read_cpus(self->fd, 0, list, CPUS);
	for (i = 0; i < n; i++) {
		ASSERT_EQ(0, pmio_choose_cpu(self->reader, i));
		EXPECT_EQ(list[i].pmcv_value, pmio_value(self->reader, 0));
	}
	/* The choice is the reader's own, and the sum comes back with -1. */
	ASSERT_EQ(0, pmio_choose_cpu(self->reader, -1));
	EXPECT_EQ(pmio_value(self->fd, 0), pmio_value(self->reader, 0));
	/* It does not concern what PMIOREADCPUS gives. */
	ASSERT_EQ(0, pmio_choose_cpu(self->reader, 0));
	EXPECT_EQ(n, pmio_read_cpus(self->reader, 0, list, CPUS));
}

TEST_F(perfmon4, setup_after_setcpu_counts_there_only)
{
	struct pmc_cpu_value list[CPUS];

	NEEDS_TWO_CPUS();
	ASSERT_EQ(0, pmio_setup_cycles(self->fd, 0));
	ASSERT_EQ(0, pmio_choose_cpu(self->fd, 1));
	ASSERT_EQ(0, pmio_setup_cycles(self->fd, 1));
	ASSERT_EQ(0, pmio_start(self->fd, 1));
	ASSERT_EQ(0, bind_cpu(1));
	burn_ms(1);
	ASSERT_EQ(0, pmio_stop(self->fd, 1));

	EXPECT_EQ(1, pmio_read_cpus(self->reader, 1, list, CPUS));
	EXPECT_EQ(1, list[0].pmcv_cpu);
	EXPECT_LT(0, list[0].pmcv_value);
	EXPECT_EQ(list[0].pmcv_value, pmio_value(self->fd, 1));
	EXPECT_EQ(list[0].pmcv_value, pmio_value(self->reader, 1));
	ASSERT_EQ(0, pmio_choose_cpu(self->reader, 0));
	EXPECT_REFUSED(ENXIO, self->reader, pmio_value(self->reader, 1));
	EXPECT_EQ(0, last_error(self->reader).cpu);
	EXPECT_EQ(1, last_error(self->reader).index);
	/* The one that was set up before still has all CPUs. */
	EXPECT_EQ(cpus_online(), pmio_read_cpus(self->fd, 0, list, CPUS));
	ASSERT_EQ(0, pmio_choose_cpu(self->fd, -1));
	ASSERT_EQ(0, pmio_setup_cycles(self->fd, 1));
	EXPECT_EQ(cpus_online(), pmio_read_cpus(self->fd, 1, list, CPUS));
}

/* Whoever looks for counters on a CPU must find who has them. */
TEST_F(perfmon4, holder_has_the_cpus_of_its_counters)
{
	struct perfmon_holder holder;

	NEEDS_TWO_CPUS();
	ASSERT_EQ(0, pmio_choose_cpu(self->fd, 1));
	ASSERT_EQ(0, pmio_setup_cycles(self->fd, 0));
	ASSERT_EQ(1, holders_get(self->reader, &holder, 1));
	EXPECT_EQ(1, holder.cpu);
	EXPECT_EQ(1, holder.counters);
	ASSERT_EQ(0, pmio_choose_cpu(self->fd, -1));
	ASSERT_EQ(0, pmio_setup_cycles(self->fd, 1));
	ASSERT_EQ(1, holders_get(self->reader, &holder, 1));
	EXPECT_EQ(-1, holder.cpu);
	EXPECT_EQ(2, holder.counters);
	/* A choice for later takes nothing back. */
	ASSERT_EQ(0, pmio_choose_cpu(self->fd, 1));
	ASSERT_EQ(1, holders_get(self->reader, &holder, 1));
	EXPECT_EQ(-1, holder.cpu);
	/* Nor does a reader's concern the writer. */
	ASSERT_EQ(0, pmio_choose_cpu(self->reader, 0));
	ASSERT_EQ(1, holders_get(self->reader, &holder, 1));
	EXPECT_EQ(-1, holder.cpu);
}

TEST_F(perfmon4, work_is_counted_where_it_was_done)
{
	struct pmc_cpu_value before[CPUS], after[CPUS];
	int cpu, n = cpus_online();

	ASSERT_EQ(0, setup_event(self->fd, 0, RAW_CYCLES, PMCF_USR));
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	for (cpu = 0; cpu < n; cpu++) {
		ASSERT_EQ(0, bind_cpu(cpu));
		ASSERT_EQ(n, pmio_read_cpus(self->fd, 0, before, CPUS));
		burn_ms(10);
		ASSERT_EQ(n, pmio_read_cpus(self->fd, 0, after, CPUS));
		EXPECT_LT(before[cpu].pmcv_value, after[cpu].pmcv_value);
	}
}

/* ---- PMIOTSTAMP ---- */

#ifdef __aarch64__
static __u64 ticks_now(void)
{
	__u64 ticks;

	asm volatile("isb; mrs %0, cntvct_el0" : "=r" (ticks));
	return ticks;
}

TEST_F(perfmon4, time_stamp_is_the_virtual_counter)
{
	struct pmc_tstamp ts;
	__u64 before, rate;

	asm volatile("mrs %0, cntfrq_el0" : "=r" (rate));
	before = ticks_now();
	ASSERT_EQ(0, request(self->reader, PMIOTSTAMP, &ts));
	EXPECT_LE(before, (__u64)ts.pmct_value);
	EXPECT_GE(ticks_now(), (__u64)ts.pmct_value);
	EXPECT_EQ(rate / 1000000, (__u64)ts.pmct_rate);
}
#endif

TEST_F(perfmon4, time_stamp_increases)
{
	struct pmc_tstamp ts, last = {};
	int i;

	for (i = 0; i < 1000; i++, last = ts) {
		memset(&ts, PATTERN, sizeof(ts));
		ASSERT_EQ(0, request(i % 2 ? self->fd : self->reader, PMIOTSTAMP, &ts));
		ASSERT_LE(last.pmct_value, ts.pmct_value);
		ASSERT_LT(0, ts.pmct_rate);
		/* Between the members there is room, and nothing of the kernel in it. */
		ASSERT_TRUE(all_zero(&ts.pmct_rate + 1, offsetof(struct pmc_tstamp, pmct_value) -
				     sizeof(ts.pmct_rate)));
	}
}

TEST_F(perfmon4, read_writes_the_value_only)
{
	struct pmc_data data;

	ASSERT_EQ(0, pmio_setup_cycles(self->fd, 1));
	memset(&data, PATTERN, sizeof(data));
	data.pmcd_num = 1;
	ASSERT_EQ(0, request(self->fd, PMIOREAD, &data));
	EXPECT_EQ(1, data.pmcd_num);
	EXPECT_EQ(0, data.pmcd_value);
	EXPECT_TRUE(untouched(&data.pmcd_num + 1, offsetof(struct pmc_data, pmcd_value) -
			      sizeof(data.pmcd_num)));
}

/* ---- when there is not enough hardware ---- */

FIXTURE(short_of) {
	struct perf_events perf;
	int fd;
};

FIXTURE_SETUP(short_of)
{
	self->fd = device_open(O_RDWR);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(short_of)
{
	perf_close(&self->perf);
	close(self->fd);
}

TEST_F(short_of, setup_when_perf_has_it_all)
{
	unsigned int all = counters_free(0);
	struct perfmon_holder holder[8];

	NEEDS_TWO_CPUS();
	perf_take_all(&self->perf, 1);
	ASSERT_EQ(all, self->perf.n);
	EXPECT_REFUSED(EBUSY, self->fd, pmio_setup_cycles(self->fd, 2));
	EXPECT_EQ(1, last_error(self->fd).cpu);
	EXPECT_EQ(2, last_error(self->fd).index);
	EXPECT_TRUE(last_error_says(self->fd, "no free counter"));

	/* Nothing is left of it, on the CPU that had counters either. */
	EXPECT_EQ(-EBUSY, pmio_value(self->fd, 2));
	EXPECT_TRUE(last_error_says(self->fd, "has not been set up"));
	EXPECT_EQ(all, counters_free(0));
	ASSERT_EQ(1, holders_get(self->fd, holder, ARRAY_SIZE(holder)));
	EXPECT_EQ(0, holder[0].counters);
	EXPECT_TRUE(perf_counts(self->perf.fd[0]));

	ASSERT_EQ(0, pmio_choose_cpu(self->fd, 0));
	EXPECT_EQ(0, pmio_setup_cycles(self->fd, 0));
	ASSERT_EQ(0, pmio_choose_cpu(self->fd, -1));
	perf_close(&self->perf);
	EXPECT_EQ(0, pmio_setup_cycles(self->fd, 2));
	EXPECT_EQ(0, pmio_value(self->fd, 2));
}

TEST_F(short_of, refused_again_is_gone)
{
	NEEDS_TWO_CPUS();
	ASSERT_EQ(0, pmio_choose_cpu(self->fd, 0));
	ASSERT_EQ(0, pmio_setup_cycles(self->fd, 0));
	ASSERT_EQ(0, pmio_choose_cpu(self->fd, -1));
	perf_take_all(&self->perf, cpus_online() - 1);
	EXPECT_EQ(-EBUSY, pmio_setup_cycles(self->fd, 0));
	EXPECT_EQ(-EBUSY, pmio_start(self->fd, 0));
	EXPECT_TRUE(last_error_says(self->fd, "has not been set up"));
}

TEST_F(short_of, setup_beside_a_raw_set)
{
	unsigned int all = counters_free(0);
	int set = control_open();

	ASSERT_LE(0, set);
	ASSERT_LE(3, all);
	ASSERT_EQ(0, set_program_same(set, 0, event_cycles(ANY_MODE), all - 2));
	EXPECT_EQ(0, pmio_setup_cycles(self->fd, 0));
	EXPECT_EQ(0, pmio_setup_cycles(self->fd, 1));
	EXPECT_REFUSED(EBUSY, self->fd, pmio_setup_cycles(self->fd, 2));
	EXPECT_EQ(0, last_error(self->fd).cpu);
	/* Another event in its place needs no other counter. */
	EXPECT_EQ(0, setup_event(self->fd, 1, RAW_NOTHING, BOTH));
	close(set);
	EXPECT_EQ(0, pmio_setup_cycles(self->fd, 2));
}

/*
 * perf's pinned events that were opened first go first when they are enabled, and ours lose their
 * place: the one way that perf can take it.
 */
TEST_F(short_of, contended_counter_says_so)
{
	struct pmc_cpu_value list[CPUS];
	unsigned int i, all = counters_free(0);
	struct perf_events *perf = &self->perf;
	__s64 last;

	for (perf->n = 0; perf->n < all; perf->n++) {
		perf->fd[perf->n] = perf_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0,
					      false);
		ASSERT_LE(0, perf->fd[perf->n]);
	}
	ASSERT_EQ(0, pmio_setup_cycles(self->fd, 0));
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	burn_ms(1);
	for (i = 0; i < all; i++) {
		ASSERT_EQ(0, ioctl(perf->fd[i], PERF_EVENT_IOC_ENABLE, 0));
	}

	ASSERT_EQ(cpus_online(), pmio_read_cpus(self->fd, 0, list, CPUS));
	EXPECT_EQ(0, list[0].pmcv_cpu);
	EXPECT_EQ(PERFMON_STATE_CONTENDED, list[0].pmcv_state);
	last = list[0].pmcv_value;
	for (i = 1; i < (unsigned int)cpus_online(); i++) {
		EXPECT_EQ(PERFMON_STATE_COUNTING, list[i].pmcv_state);
	}
	burn_ms(1);
	ASSERT_EQ(cpus_online(), pmio_read_cpus(self->fd, 0, list, CPUS));
	EXPECT_EQ(last, list[0].pmcv_value);

	/* A stop does not make it good. */
	ASSERT_EQ(0, pmio_stop(self->fd, 0));
	ASSERT_EQ(cpus_online(), pmio_read_cpus(self->fd, 0, list, CPUS));
	EXPECT_EQ(PERFMON_STATE_CONTENDED, list[0].pmcv_state);
	EXPECT_EQ(last, list[0].pmcv_value);

	/* perf keeps what it took, and ours keeps its value. */
	EXPECT_REFUSED(EBUSY, self->fd, pmio_start(self->fd, 0));
	EXPECT_EQ(0, last_error(self->fd).cpu);
	EXPECT_EQ(BOTH, flags(self->fd, 0));
	for (i = 0; i < all; i++) {
		EXPECT_TRUE(perf_counts(perf->fd[i]));
	}
	perf_close(perf);
	ASSERT_EQ(0, pmio_start(self->fd, 0));
	burn_ms(1);
	ASSERT_EQ(cpus_online(), pmio_read_cpus(self->fd, 0, list, CPUS));
	EXPECT_LE(last, list[0].pmcv_value);
	/* The value is still too low, until it begins anew. */
	EXPECT_EQ(PERFMON_STATE_CONTENDED, list[0].pmcv_state);
	ASSERT_EQ(0, pmio_reset(self->fd, 0));
	ASSERT_EQ(cpus_online(), pmio_read_cpus(self->fd, 0, list, CPUS));
	EXPECT_EQ(PERFMON_STATE_COUNTING, list[0].pmcv_state);
}

TEST_HARNESS_MAIN

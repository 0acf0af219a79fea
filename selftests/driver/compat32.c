// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program of 32 bits on a kernel of 64: the same requests, with the layouts that its compiler
 * gives them.
 */
#include "perfmon_test.h"

#include <machine/perfmon.h>

#if __SIZEOF_POINTER__ == 4
#define IS_32_BIT	true
#else
#define IS_32_BIT	false
#endif

PROGRAM_NEEDS(IS_32_BIT, "there was no compiler for 32-bit programs");

/* The structures of i386, for every machine: a 64-bit kernel takes them from any program. */
struct pmc_data12 {
	int num;
	__s64 value;
} __attribute__((packed));

struct pmc_tstamp12 {
	int rate;
	__s64 value;
} __attribute__((packed));

#define PMIOREAD12	_IOWR('5', 4, struct pmc_data12)
#define PMIOTSTAMP12	_IOR('5', 6, struct pmc_tstamp12)

_Static_assert(sizeof(struct pmc_data12) == 12, "struct pmc_data12");
_Static_assert(PMIOREAD12 == 0xc00c3504, "PMIOREAD12");
_Static_assert(PMIOTSTAMP12 == 0x800c3506, "PMIOTSTAMP12");

/* All others are the same as for 64 bits. */
_Static_assert(sizeof(struct pmc) == 8, "struct pmc");
_Static_assert(PMIOSETUP == 0x40083501, "PMIOSETUP");
_Static_assert(PMIOSTART == 0x40043502, "PMIOSTART");
_Static_assert(PMIOGET == 0xc0083507, "PMIOGET");
_Static_assert(sizeof(struct pmc_cpu) == 16, "struct pmc_cpu");
_Static_assert(sizeof(struct pmc_cpu_value) == 16, "struct pmc_cpu_value");
_Static_assert(sizeof(struct pmc_cpu_data) == 24, "struct pmc_cpu_data");
_Static_assert(sizeof(struct perfmon_info) == 32, "struct perfmon_info");
_Static_assert(sizeof(struct perfmon_error) == 192, "struct perfmon_error");
_Static_assert(sizeof(struct perfmon_holder) == 40, "struct perfmon_holder");
_Static_assert(sizeof(struct perfmon_holders) == 24, "struct perfmon_holders");
_Static_assert(sizeof(struct perfmon_event) == 32, "struct perfmon_event");
_Static_assert(sizeof(struct perfmon_set) == 24, "struct perfmon_set");
_Static_assert(sizeof(struct perfmon_sample) == 32, "struct perfmon_sample");
_Static_assert(sizeof(struct perfmon_read) == 24, "struct perfmon_read");
_Static_assert(sizeof(struct cpc_shared_open) == 16, "struct cpc_shared_open");
_Static_assert(sizeof(struct cpc_bind) == 24, "struct cpc_bind");

#define CPUS	64
#define BOTH	(PMCF_USR | PMCF_OS)

static int setup(int fd, int num, int event, int flags)
{
	struct pmc pmc = { .pmc_num = num };

	pmc.pmc_event = event;
	pmc.pmc_flags = flags;
	return request(fd, PMIOSETUP, &pmc);
}

static __s64 value(int fd, int num)
{
	struct pmc_data data = { .pmcd_num = num, .pmcd_value = -12345 };
	int err = request(fd, PMIOREAD, &data);

	return err ?: data.pmcd_value;
}

static __s64 value12(int fd, int num)
{
	struct pmc_data12 data = { .num = num, .value = -12345 };
	int err = request(fd, PMIOREAD12, &data);

	return err ?: data.value;
}

/* ---- what works on every machine ---- */

TEST(services)
{
	struct perfmon_info info = { .size = sizeof(info) };
	struct perfmon_holder list[4];
	int fd = control_open();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, request(fd, PERFMON_IOC_INFO, &info));
	EXPECT_EQ(PERFMON_VERSION, info.version);
	EXPECT_EQ(0, last_error(fd).err);
	EXPECT_REFUSED(ENOTTY, fd, request(fd, PMIOTSTAMP12, list));
	EXPECT_REFUSED(EFAULT, fd, request(fd, PERFMON_IOC_INFO, BAD_ADDRESS));
	EXPECT_REFUSED(EFAULT, fd, request(fd, PERFMON_IOC_INFO, (void *)-4096L));
	EXPECT_EQ(0, holders_get(fd, list, ARRAY_SIZE(list)));
	close(fd);
}

TEST(raw_set)
{
	struct perfmon_event event = event_soft(PERF_COUNT_SW_CPU_CLOCK);
	struct perfmon_holder list[4];
	struct sample records[CPUS];
	__u32 bytes = sizeof(records);
	struct sample sample;
	int fd = control_open();

	event.preset = 1ULL << 40;
	ASSERT_EQ(0, set_program(fd, -1, &event, 1, PERFMON_SET_STARTED));
	ASSERT_EQ(0, set_read_bytes(fd, -1, records, &bytes));
	EXPECT_EQ(cpus_online() * sample_size(1), bytes);
	ASSERT_EQ(0, set_read(fd, 0, &sample));
	EXPECT_EQ(PERFMON_STATE_COUNTING, sample.head.state);
	EXPECT_LE(1ULL << 40, sample.value[0]);
	EXPECT_EQ(0, request(fd, PERFMON_IOC_SET_STOP, NULL));
	EXPECT_EQ(0, request(fd, PERFMON_IOC_SET_RESET, NULL));
	ASSERT_EQ(0, set_read(fd, 0, &sample));
	EXPECT_EQ(0, sample.value[0]);
	EXPECT_EQ(1, holders_get(fd, list, ARRAY_SIZE(list)));
	EXPECT_EQ(getpid(), list[0].pid);
	EXPECT_STREQ("compat32", list[0].comm);
	close(fd);
}

/* An address of 64 bits is not cut to its lower half. */
TEST(addresses_of_64_bits)
{
	struct perfmon_event event = event_soft(PERF_COUNT_SW_DUMMY);
	struct perfmon_set set = {
		.size = sizeof(set), .nevents = 1,
		.events = (uintptr_t)&event | 1ULL << 40,
	};
	struct sample sample;
	struct perfmon_read read = {
		.size = sizeof(read), .bytes = sizeof(sample),
		.records = (uintptr_t)&sample | 1ULL << 40,
	};
	int fd = control_open();

	EXPECT_REFUSED(EFAULT, fd, request(fd, PERFMON_IOC_SET_PROGRAM, &set));
	ASSERT_EQ(0, set_program(fd, 0, &event, 1, 0));
	EXPECT_REFUSED(EFAULT, fd, request(fd, PERFMON_IOC_SET_READ, &read));
	close(fd);
}

TEST(no_pmu)
{
	int fd = control_open();

	NEEDS(!have_hardware(), "this machine has hardware counters");
	EXPECT_EQ(-ENXIO, device_open(O_RDONLY));
	EXPECT_EQ(-ENXIO, device_open(O_RDWR));
	ASSERT_EQ(0, bind_cpu(0));
	EXPECT_REFUSED(ENXIO, fd, shared_open(fd));
	close(fd);
}

/* ---- perfmon(4) on a machine with counters ---- */

FIXTURE(pmio) {
	int fd;
	int reader;
};

FIXTURE_SETUP(pmio)
{
	self->fd = -1;
	self->reader = -1;
	if (!have_hardware())
		return;
	self->fd = device_open(O_RDWR);
	ASSERT_LE(0, self->fd);
	self->reader = device_open(O_RDONLY);
	ASSERT_LE(0, self->reader);
}

FIXTURE_TEARDOWN(pmio)
{
	close(self->fd);
	close(self->reader);
}

TEST_F(pmio, counts)
{
	struct pmc pmc = { .pmc_num = 1 };
	int num = 1;
	__s64 val;

	NEEDS_HARDWARE();
	ASSERT_EQ(0, setup(self->fd, 1, RAW_CYCLES, BOTH));
	EXPECT_EQ(0, value(self->fd, 1));
	EXPECT_EQ(0, value12(self->fd, 1));
	ASSERT_EQ(0, request(self->fd, PMIOSTART, &num));
	burn_ms(1);
	val = value(self->reader, 1);
	EXPECT_LT(0, val);
	EXPECT_LE(val, value12(self->reader, 1));
	EXPECT_EQ(0, request(self->fd, PMIOGET, &pmc));
	EXPECT_EQ(BOTH | PMCF_EN, pmc.pmc_flags);
	ASSERT_EQ(0, request(self->fd, PMIOSTOP, &num));
	val = value(self->fd, 1);
	EXPECT_EQ(val, value12(self->reader, 1));
	ASSERT_EQ(0, request(self->fd, PMIORESET, &num));
	EXPECT_EQ(0, value12(self->reader, 1));
	EXPECT_REFUSED(EPERM, self->reader, request(self->reader, PMIOSTART, &num));
}

TEST_F(pmio, refusals)
{
	struct pmc_data12 *data = end_of_memory(4);

	NEEDS_HARDWARE();
	EXPECT_REFUSED(EBUSY, self->reader, value12(self->reader, 0));
	EXPECT_REFUSED(EINVAL, self->reader, value12(self->reader, NPMC));
	EXPECT_REFUSED(EINVAL, self->reader, value12(self->reader, -1));
	EXPECT_REFUSED(EFAULT, self->reader, request(self->reader, PMIOREAD12, BAD_ADDRESS));
	EXPECT_REFUSED(EFAULT, self->reader, request(self->reader, PMIOTSTAMP12, BAD_ADDRESS));
	EXPECT_REFUSED(EFAULT, self->reader, request(self->reader, PMIOREAD, NULL));
	ASSERT_EQ(0, setup(self->fd, 0, RAW_CYCLES, BOTH));
	memset(data, 0, 4);
	EXPECT_REFUSED(EFAULT, self->fd, request(self->fd, PMIOREAD12, data));
	EXPECT_REFUSED(ENOTTY, self->fd, request(self->fd, _IOWR('5', 4, char[13]), data));
}

/* Nothing is written beyond the 12 bytes. */
TEST_F(pmio, small_structures_stay_small)
{
	union {
		struct pmc_data12 data;
		struct pmc_tstamp12 ts;
		unsigned char bytes[32];
	} arg;

	NEEDS_HARDWARE();
	ASSERT_EQ(0, setup(self->fd, 2, RAW_NOTHING, BOTH));
	memset(&arg, PATTERN, sizeof(arg));
	arg.data.num = 2;
	ASSERT_EQ(0, request(self->fd, PMIOREAD12, &arg));
	EXPECT_EQ(2, arg.data.num);
	EXPECT_EQ(0, arg.data.value);
	EXPECT_TRUE(untouched(arg.bytes + 12, sizeof(arg) - 12));
	memset(&arg, PATTERN, sizeof(arg));
	ASSERT_EQ(0, request(self->fd, PMIOTSTAMP12, &arg));
	EXPECT_LT(0, arg.ts.rate);
	EXPECT_TRUE(untouched(arg.bytes + 12, sizeof(arg) - 12));
}

TEST_F(pmio, time_stamps_of_both_sizes)
{
	struct pmc_tstamp ts, later;
	struct pmc_tstamp12 small;

	NEEDS_HARDWARE();
	ASSERT_EQ(0, request(self->reader, PMIOTSTAMP, &ts));
	ASSERT_EQ(0, request(self->reader, PMIOTSTAMP12, &small));
	ASSERT_EQ(0, request(self->reader, PMIOTSTAMP, &later));
	EXPECT_EQ(ts.pmct_rate, small.rate);
	EXPECT_LE(ts.pmct_value, small.value);
	EXPECT_LE(small.value, later.pmct_value);
}

TEST_F(pmio, many_cpus)
{
	struct pmc_cpu cpu = { .pmcc_size = sizeof(cpu), .pmcc_cpu = cpus_online() - 1 };
	struct pmc_cpu_value list[CPUS];
	struct pmc_cpu_data data = {
		.pmcx_size = sizeof(data), .pmcx_ncpus = CPUS, .pmcx_values = (uintptr_t)list,
	};
	__s64 sum = 0;
	unsigned int i;
	int num = 0;

	NEEDS_HARDWARE();
	ASSERT_EQ(0, setup(self->fd, 0, RAW_CYCLES, BOTH));
	ASSERT_EQ(0, request(self->fd, PMIOSTART, &num));
	burn_ms(1);
	ASSERT_EQ(0, request(self->fd, PMIOSTOP, &num));
	ASSERT_EQ(0, request(self->reader, PMIOREADCPUS, &data));
	ASSERT_EQ(cpus_online(), data.pmcx_ncpus);
	for (i = 0; i < data.pmcx_ncpus; i++)
		sum += list[i].pmcv_value;
	EXPECT_EQ(sum, value12(self->reader, 0));
	ASSERT_EQ(0, request(self->reader, PMIOSETCPU, &cpu));
	EXPECT_EQ(list[i - 1].pmcv_value, value(self->reader, 0));
	EXPECT_EQ(list[i - 1].pmcv_value, value12(self->reader, 0));
}

TEST(shared_cpc)
{
	struct perfmon_event event = event_cycles(ANY_MODE);
	struct sample sample;
	int fd = control_open();

	NEEDS_HARDWARE();
	event.preset = 1ULL << 48;
	ASSERT_EQ(0, bind_cpu(0));
	ASSERT_EQ(0, shared_open(fd));
	ASSERT_EQ(0, shared_bind(fd, &event, 1));
	burn_ms(1);
	ASSERT_EQ(0, shared_sample(fd, &sample));
	EXPECT_EQ(PERFMON_STATE_COUNTING, sample.head.state);
	EXPECT_LT(1ULL << 48, sample.value[0]);
	EXPECT_EQ(0, shared_rele(fd));
	close(fd);
}

TEST_HARNESS_MAIN

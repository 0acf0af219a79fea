// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests at random, from several threads and a user without rights, at the same files, while a
 * CPU comes and goes. Whatever they are told, it is an errno of the manual; the kernel reports
 * nothing; and when the files are closed, everything is free.
 */
#include "perfmon_test.h"
#include "random.h"

#include <pthread.h>

#define FILES		6
#define THREADS		3
#define REQUESTS	1500	/* of each thread */

/* ---- requests that are almost right ---- */

/* What the pointers in them point to: memory up to an end that the kernel would notice. */
#define ARENA	4096

struct fuzzer {
	struct random random;
	int *files;
	void *arena;
	unsigned int told[256];		/* how often each errno */
	unsigned int unexpected;
};

static uint32_t any_number(struct fuzzer *z)
{
	static const uint32_t numbers[] = {
		0, 1, 2, 3, 4, 7, 8, 9, 31, 32, 33, 64, 96, 4096,
		0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
	};

	return one_in(&z->random, 20) ? any(&z->random) :
	       numbers[below(&z->random, ARRAY_SIZE(numbers))];
}

/* Often one that is right: a small number, or none. */
static uint32_t small_number(struct fuzzer *z, uint32_t n)
{
	return one_in(&z->random, 8) ? any_number(z) : below(&z->random, n);
}

static uint32_t zero_mostly(struct fuzzer *z)
{
	return one_in(&z->random, 16) ? any_number(z) : 0;
}

static int any_cpu(struct fuzzer *z)
{
	return (int)small_number(z, cpus_online() + 1) - 1;
}

static uint64_t any_pointer(struct fuzzer *z)
{
	if (one_in(&z->random, 16))
		return (uint64_t)any_number(z) << below(&z->random, 33);
	return (uintptr_t)z->arena + (one_in(&z->random, 8) ? below(&z->random, ARENA) : 0);
}

static struct perfmon_event any_event(struct fuzzer *z)
{
	static const uint32_t types[] = {
		PERF_TYPE_SOFTWARE, PERF_TYPE_SOFTWARE, PERF_TYPE_SOFTWARE, PERF_TYPE_HARDWARE,
		PERF_TYPE_RAW, PERF_TYPE_TRACEPOINT, PERF_TYPE_HW_CACHE, PERF_TYPE_BREAKPOINT, 77,
	};
	struct perfmon_event event = event_of(types[below(&z->random, ARRAY_SIZE(types))],
					      small_number(z, 12), 1 + below(&z->random, 3));

	if (one_in(&z->random, 16))
		event.flags = any_number(z);
	if (one_in(&z->random, 4))
		event.preset = any_number(z);
	/* Not for user space to say where, so it is a number like any other. */
	if (one_in(&z->random, 16))
		event.config1 = any_number(z);
	return event;
}

static void fill_arena(struct fuzzer *z)
{
	struct perfmon_event *event = z->arena;
	unsigned int i;

	for (i = 0; i < 8; i++)
		event[i] = any_event(z);
}

union argument {
	__u32 size;
	int num;
	struct pmc pmc;
	struct pmc_data data;
	struct pmc_tstamp ts;
	struct pmc_cpu cpu;
	struct pmc_cpu_data cpus;
	struct perfmon_info info;
	struct perfmon_error error;
	struct perfmon_holders holders;
	struct perfmon_set set;
	struct perfmon_read read;
	struct cpc_shared_open open;
	struct cpc_bind bind;
	struct sample sample;
};

static void make_plain(struct fuzzer *z, union argument *arg)
{
	arg->size = one_in(&z->random, 8) ? any_number(z) : arg->size;
}

static void make_num(struct fuzzer *z, union argument *arg)
{
	arg->num = small_number(z, PMIO_NPMC);
}

static void make_pmc(struct fuzzer *z, union argument *arg)
{
	make_num(z, arg);
	arg->pmc.pmc_pmcu.pmcu_val = any(&z->random);
	if (!one_in(&z->random, 4))
		arg->pmc.pmc_pmcu.pmcu_val &= 0x000300ff;
}

static void make_cpu(struct fuzzer *z, union argument *arg)
{
	arg->cpu.pmcc_flags = zero_mostly(z);
	arg->cpu.pmcc_cpu = any_cpu(z);
	arg->cpu.pmcc_reserved = zero_mostly(z);
}

static void make_cpus(struct fuzzer *z, union argument *arg)
{
	arg->cpus.pmcx_flags = zero_mostly(z);
	arg->cpus.pmcx_num = small_number(z, PMIO_NPMC);
	arg->cpus.pmcx_ncpus = small_number(z, 4);
	arg->cpus.pmcx_values = any_pointer(z);
}

static void make_holders(struct fuzzer *z, union argument *arg)
{
	arg->holders.flags = zero_mostly(z);
	arg->holders.count = small_number(z, 10);
	arg->holders.holders = any_pointer(z);
}

static void make_set(struct fuzzer *z, union argument *arg)
{
	fill_arena(z);
	arg->set.flags = zero_mostly(z) | below(&z->random, 2);
	arg->set.cpu = any_cpu(z);
	arg->set.nevents = small_number(z, 5);
	arg->set.events = any_pointer(z);
}

static void make_read(struct fuzzer *z, union argument *arg)
{
	arg->read.flags = zero_mostly(z);
	arg->read.cpu = any_cpu(z);
	arg->read.bytes = small_number(z, ARENA);
	arg->read.records = any_pointer(z);
}

static void make_open(struct fuzzer *z, union argument *arg)
{
	arg->open.flags = zero_mostly(z);
	arg->open.reserved = zero_mostly(z);
}

static void make_bind(struct fuzzer *z, union argument *arg)
{
	fill_arena(z);
	arg->bind.flags = zero_mostly(z);
	arg->bind.nevents = small_number(z, 5);
	arg->bind.reserved = zero_mostly(z);
	arg->bind.events = any_pointer(z);
}

static void make_sample(struct fuzzer *z, union argument *arg)
{
	arg->sample.head.nr = small_number(z, PERFMON_MAX_EVENTS);
}

static const struct kind {
	unsigned long cmd;
	__u32 size;
	void (*make)(struct fuzzer *z, union argument *arg);
} kinds[] = {
	{ PMIOSETUP, 0, make_pmc },
	{ PMIOGET, 0, make_pmc },
	{ PMIOSTART, 0, make_num },
	{ PMIOSTOP, 0, make_num },
	{ PMIORESET, 0, make_num },
	{ PMIOREAD, 0, make_num },
	{ PMIOTSTAMP, 0, make_num },
	{ PMIOSETCPU, sizeof(struct pmc_cpu), make_cpu },
	{ PMIOREADCPUS, sizeof(struct pmc_cpu_data), make_cpus },
	{ PERFMON_IOC_INFO, sizeof(struct perfmon_info), make_plain },
	{ PERFMON_IOC_ERROR, sizeof(struct perfmon_error), make_plain },
	{ PERFMON_IOC_HOLDERS, sizeof(struct perfmon_holders), make_holders },
	{ PERFMON_IOC_SET_PROGRAM, sizeof(struct perfmon_set), make_set },
	{ PERFMON_IOC_SET_START, 0, make_num },
	{ PERFMON_IOC_SET_STOP, 0, make_num },
	{ PERFMON_IOC_SET_RESET, 0, make_num },
	{ PERFMON_IOC_SET_READ, sizeof(struct perfmon_read), make_read },
	{ CPC_IOC_SHARED_OPEN, sizeof(struct cpc_shared_open), make_open },
	{ CPC_IOC_BIND, sizeof(struct cpc_bind), make_bind },
	{ CPC_IOC_SAMPLE, 0, make_sample },
	{ CPC_IOC_RELE, 0, make_num },
};

static const int documented[] = {
	0, E2BIG, EACCES, EAGAIN, EBUSY, EFAULT, EINVAL, ENOMEM, ENOTTY, ENXIO, EOPNOTSUPP, EPERM,
};

static bool is_documented(int err)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(documented); i++)
		if (documented[i] == err)
			return true;
	return false;
}

static void fuzz_once(struct fuzzer *z)
{
	const struct kind *kind = &kinds[below(&z->random, ARRAY_SIZE(kinds))];
	int err, fd = z->files[below(&z->random, FILES)];
	union argument arg = { .size = kind->size };
	void *ptr = &arg;

	kind->make(z, &arg);
	if (one_in(&z->random, 64))
		ptr = (void *)(uintptr_t)any_pointer(z);
	if (one_in(&z->random, 16))
		bind_cpu(below(&z->random, 2));
	err = -request(fd, kind->cmd, ptr);
	z->told[err & 0xff]++;
	if (!is_documented(err)) {
		z->unexpected++;
		fprintf(stderr, "# request %#lx: errno %d\n", kind->cmd, err);
	}
}

static void *fuzz(void *arg)
{
	struct fuzzer *z = arg;
	unsigned int i;

	for (i = 0; i < REQUESTS; i++)
		fuzz_once(z);
	return NULL;
}

/* ---- everybody ---- */

FIXTURE(fuzz) {
	int files[FILES];
	struct fuzzer fuzzers[THREADS + 1];
	unsigned int all;
};

static void fuzzer_init(struct fuzzer *z, int *files, uint64_t seed)
{
	*z = (struct fuzzer){ .random = { seed }, .files = files, .arena = end_of_memory(ARENA) };
}

FIXTURE_SETUP(fuzz)
{
	/* For somebody who wants others than those of every run. */
	const char *seed = getenv("FUZZ_SEED");
	unsigned int i;

	self->all = counters_free(0);
	for (i = 0; i < FILES; i++) {
		self->files[i] = control_open();
		ASSERT_LE(0, self->files[i]);
	}
	if (have_hardware()) {
		close(self->files[0]);
		close(self->files[1]);
		self->files[0] = device_open(O_RDWR);
		self->files[1] = device_open(O_RDONLY);
		/* One is a set, one holds a CPU; of the rest, chance decides. */
		ASSERT_EQ(0, bind_cpu(0));
		ASSERT_EQ(0, shared_open(self->files[2]));
	}
	ASSERT_EQ(0, set_program_same(self->files[3], -1, event_any(), 1));
	for (i = 0; i <= THREADS; i++)
		fuzzer_init(&self->fuzzers[i], self->files, (seed ? atoll(seed) : 0) * 16 + i);
}

FIXTURE_TEARDOWN(fuzz)
{
	int cpu;
	unsigned int i;

	if (access(CPU1_ONLINE, W_OK) == 0) {
		EXPECT_EQ(0, cpu1_set_online(true));
	}
	for (i = 0; i < FILES; i++)
		close(self->files[i]);
	EXPECT_EQ(0, holders_count());
	for (cpu = 0; cpu < cpus_online(); cpu++) {
		EXPECT_EQ(self->all, counters_free(cpu));
	}
}

static int fuzz_as_nobody(int sock, void *arg)
{
	struct fuzzer *z = arg;

	(void)sock;
	if (become_nobody())
		return -1;
	fuzz(z);
	return z->unexpected;
}

static void *come_and_go(void *arg)
{
	atomic_bool *stop = arg;

	while (!*stop) {
		cpu1_set_online(false);
		cpu1_set_online(true);
	}
	return NULL;
}

static void fuzz_all(struct __test_metadata *_metadata, FIXTURE_DATA(fuzz) *self)
{
	pthread_t thread[THREADS];
	struct peer peer;
	unsigned int i;

	ASSERT_EQ(0, peer_start(&peer, fuzz_as_nobody, &self->fuzzers[THREADS]));
	for (i = 0; i < THREADS; i++) {
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, fuzz, &self->fuzzers[i]));
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		EXPECT_EQ(0, self->fuzzers[i].unexpected);
		/* It was not all noise: much of it was understood. */
		EXPECT_LT(REQUESTS / 20, self->fuzzers[i].told[0]);
	}
	EXPECT_EQ(0, peer_hear(peer.sock));
	peer_kill(&peer);
}

TEST_F_TIMEOUT(fuzz, requests, SLOW)
{
	fuzz_all(_metadata, self);
}

TEST_F_TIMEOUT(fuzz, requests_while_a_cpu_comes_and_goes, SLOW)
{
	atomic_bool stop = false;
	pthread_t thread;

	NEEDS(cpu1_can_go(), "CPU 1 cannot go offline");
	ASSERT_EQ(0, pthread_create(&thread, NULL, come_and_go, &stop));
	fuzz_all(_metadata, self);
	stop = true;
	pthread_join(thread, NULL);
}

TEST_HARNESS_MAIN

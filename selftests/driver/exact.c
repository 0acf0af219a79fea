// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exactness: loops of a known number of instructions are counted to the instruction, plus what
 * the two requests around them cost in user mode, which is always the same. It takes a machine
 * whose counter of instructions is exact, such as an emulated one that counts its own.
 */
#include "perfmon_test.h"

#include <machine/perfmon.h>

#ifdef __aarch64__

#define RAW_INSTRUCTIONS	0x08	/* retired, by architecture */

/*
 * The loop has 2 instructions a round, and what is around it 2: a branch over the padding, and the
 * mov. The padding is there because it must not matter where in memory the loop is.
 */
#define LOOP(_name, _padding) \
	static __attribute__((noinline)) void _name(unsigned long rounds) \
	{ \
		asm volatile("b 1f\n" \
			     ".balign 64\n" \
			     ".fill " #_padding ", 4, 0xd503201f\n"	/* nop */ \
			     "1: mov x9, %0\n" \
			     "2: subs x9, x9, #1\n" \
			     "b.ne 2b\n" : : "r" (rounds) : "x9", "cc"); \
	}

#define AROUND_THE_LOOP		2

LOOP(loop_aligned, 0)
LOOP(loop_by_4, 1)
LOOP(loop_by_28, 7)
LOOP(loop_by_60, 15)

#else

#define RAW_INSTRUCTIONS	0
#define AROUND_THE_LOOP		0

static void loop_aligned(unsigned long rounds)
{
	(void)rounds;
}

#define loop_by_4	loop_aligned
#define loop_by_28	loop_aligned
#define loop_by_60	loop_aligned

#endif

static void (*const loops[])(unsigned long rounds) = {
	loop_aligned, loop_by_4, loop_by_28, loop_by_60,
};

static const unsigned long sizes[] = { 1, 2, 10, 1000, 4096, 100000, 2000000 };

#define REPETITIONS	5

/* The faces of the module: each opens a file that counts user mode instructions of CPU 0. */

static int cpc_open(void)
{
	struct perfmon_event event = event_of(PERF_TYPE_RAW, RAW_INSTRUCTIONS, PERFMON_EVENT_USER);
	int fd = control_open();
	int err = shared_open(fd);

	return (err < 0 ? err : shared_bind(fd, &event, 1)) ?: fd;
}

static int cpc_read(int fd, __u64 *count)
{
	struct sample sample;

	sample.head.nr = PERFMON_MAX_EVENTS;
	if (ioctl(fd, CPC_IOC_SAMPLE, &sample))
		return -errno;
	*count = sample.value[0];
	return 0;
}

static int pmio_open(void)
{
	struct pmc_cpu cpu = { .pmcc_size = sizeof(cpu), .pmcc_cpu = 0 };
	struct pmc pmc = {};
	int num = 0, fd = device_open(O_RDWR);

	pmc.pmc_event = RAW_INSTRUCTIONS;
	pmc.pmc_flags = PMCF_USR;
	return request(fd, PMIOSETCPU, &cpu) ?: request(fd, PMIOSETUP, &pmc) ?:
	       request(fd, PMIOSTART, &num) ?: fd;
}

static int pmio_read(int fd, __u64 *count)
{
	struct pmc_data data = {};

	if (ioctl(fd, PMIOREAD, &data))
		return -errno;
	*count = data.pmcd_value;
	return 0;
}

static int raw_open(void)
{
	struct perfmon_event event = event_of(PERF_TYPE_RAW, RAW_INSTRUCTIONS, PERFMON_EVENT_USER);
	int fd = control_open();

	return set_program(fd, 0, &event, 1, PERFMON_SET_STARTED) ?: fd;
}

static int raw_read(int fd, __u64 *count)
{
	struct sample sample;
	int err = set_read(fd, 0, &sample);

	*count = sample.value[0];
	return err;
}

FIXTURE(exact) {
	int fd;
};

FIXTURE_VARIANT(exact) {
	const char *name;
	int (*open)(void);
	int (*read)(int fd, __u64 *count);
};

FIXTURE_VARIANT_ADD(exact, cpc) {
	.name = "cpc", .open = cpc_open, .read = cpc_read,
};

FIXTURE_VARIANT_ADD(exact, pmio) {
	.name = "pmio", .open = pmio_open, .read = pmio_read,
};

FIXTURE_VARIANT_ADD(exact, raw) {
	.name = "raw", .open = raw_open, .read = raw_read,
};

/* All CPUs but the first; one that does not go disturbs, and will be seen. */
static void set_others_online(bool online)
{
	char path[64];
	int cpu;

	for (cpu = 1; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
		write_text(path, online ? "1" : "0");
	}
}

FIXTURE_SETUP(exact)
{
	/*
	 * Nobody else's instructions on this CPU; and none on another: an emulator that runs them
	 * in turns has one count of instructions for all.
	 */
	set_others_online(false);
	ASSERT_EQ(0, bind_cpu(0));
	ASSERT_EQ(0, be_alone());
	self->fd = variant->open();
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(exact)
{
	close(self->fd);
	set_others_online(true);
}

/* Counted instructions from one read to the next with a loop between; ~0 for an error. */
static __attribute__((noinline)) __u64 counted(int (*read)(int fd, __u64 *count), int fd,
					       void (*loop)(unsigned long rounds),
					       unsigned long rounds)
{
	__u64 before, after;

	if (read(fd, &before))
		return ~0ULL;
	loop(rounds);
	if (read(fd, &after))
		return ~0ULL;
	return after - before;
}

/* What was counted beyond the loop's own instructions. */
static __s64 overhead(int (*read)(int fd, __u64 *count), int fd,
		      void (*loop)(unsigned long rounds), unsigned long rounds)
{
	return counted(read, fd, loop, rounds) - 2 * rounds - AROUND_THE_LOOP;
}

/* Counters of instructions that do not count: not this machine's to be exact. */
static bool counts_instructions(void)
{
	__u64 count = 0;
	int fd = -1;

	if (RAW_INSTRUCTIONS && have_hardware() && !bind_cpu(0)) {
		fd = raw_open();
		count = counted(raw_read, fd, loop_aligned, 1000);
		close(fd);
	}
	return fd >= 0 && count >= 2000;
}

PROGRAM_NEEDS(counts_instructions(), "this machine does not count instructions");

TEST_F(exact, every_loop_to_the_instruction)
{
	unsigned int loop, size, round;
	__s64 first, over;

	/* Whatever is slow once only: pages, and code that the linker finds late. */
	for (loop = 0; loop < ARRAY_SIZE(loops); loop++)
		overhead(variant->read, self->fd, loops[loop], 1);
	first = overhead(variant->read, self->fd, loop_aligned, 1);
	fprintf(TH_LOG_STREAM, "# exact: %s overhead %lld instructions\n", variant->name,
		(long long)first);
	for (round = 0; round < REPETITIONS; round++) {
		for (size = 0; size < ARRAY_SIZE(sizes); size++) {
			for (loop = 0; loop < ARRAY_SIZE(loops); loop++) {
				over = overhead(variant->read, self->fd, loops[loop], sizes[size]);
				EXPECT_EQ(first, over) {
					TH_LOG("loop %u of %lu rounds", loop, sizes[size]);
				}
			}
		}
	}
}

/* Long enough for many interrupts, whose instructions are not the user's. */
TEST_F(exact, interrupts_do_not_count)
{
	__s64 first = overhead(variant->read, self->fd, loop_aligned, 1);

	first = overhead(variant->read, self->fd, loop_aligned, 1);
	EXPECT_EQ(first, overhead(variant->read, self->fd, loop_aligned, 50000000));
}

/* The number of counters that count at once does not matter, nor what they count. */
TEST_F(exact, other_counters_do_not_matter)
{
	int other = control_open();
	__s64 first;

	overhead(variant->read, self->fd, loop_aligned, 1);
	first = overhead(variant->read, self->fd, loop_aligned, 1);
	ASSERT_EQ(0, set_program_same(other, -1, event_cycles(ANY_MODE), counters_free(0)));
	EXPECT_EQ(first, overhead(variant->read, self->fd, loop_aligned, 1));
	EXPECT_EQ(first, overhead(variant->read, self->fd, loop_aligned, 100000));
	close(other);
	EXPECT_EQ(first, overhead(variant->read, self->fd, loop_aligned, 100000));
}

TEST_HARNESS_MAIN

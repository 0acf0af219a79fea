// SPDX-License-Identifier: GPL-2.0-only
/* A machine without a PMU: what needs one says so, and software events count. */
#include "perfmon_test.h"

PROGRAM_NEEDS(!have_hardware(), "this machine has hardware counters");

TEST(pmio_opens)
{
	int i;

	for (i = 0; i < 3; i++) {
		EXPECT_EQ(-ENXIO, device_open(O_RDONLY));
		EXPECT_EQ(-ENXIO, device_open(O_WRONLY));
		EXPECT_EQ(-ENXIO, device_open(O_RDWR));
	}
	EXPECT_EQ(0, holders_count());
}

TEST(shared_opens)
{
	int fd = control_open();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, bind_cpu(0));
	EXPECT_REFUSED(ENXIO, fd, shared_open(fd));
	EXPECT_TRUE(last_error_says(fd, "no PMU"));
	EXPECT_TRUE(last_error_says(fd, "software events"));
	/* There are none on any CPU, so it does not matter where the caller is. */
	ASSERT_EQ(0, unbind_cpu());
	EXPECT_REFUSED(ENXIO, fd, shared_open(fd));
	EXPECT_EQ(0, machine().shared_opens);
	EXPECT_EQ(0, holders_count());
	close(fd);
}

TEST(hardware_events)
{
	static const __u32 types[] = { PERF_TYPE_HARDWARE, PERF_TYPE_HW_CACHE, PERF_TYPE_RAW };
	struct perfmon_event events[2];
	int fd = control_open();
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		events[0] = event_soft(PERF_COUNT_SW_DUMMY);
		events[1] = event_of(types[i], 0, ANY_MODE);
		EXPECT_REFUSED(ENXIO, fd, set_program(fd, 0, events, 2, 0));
		EXPECT_TRUE(last_error_says(fd, "PMU"));
		EXPECT_EQ(1, last_error(fd).index);
		EXPECT_EQ(0, last_error(fd).cpu);
	}
	EXPECT_EQ(0, holders_count());
	close(fd);
}

TEST(refused_file_can_count_software_events)
{
	struct perfmon_event event = event_soft(PERF_COUNT_SW_CPU_CLOCK);
	int fd = control_open();
	struct sample sample;

	ASSERT_EQ(0, bind_cpu(0));
	ASSERT_EQ(-ENXIO, shared_open(fd));
	ASSERT_EQ(0, set_program(fd, 0, &event, 1, PERFMON_SET_STARTED));
	burn_ms(1);
	ASSERT_EQ(0, set_read(fd, 0, &sample));
	EXPECT_LE(1000000, sample.value[0]);
	close(fd);
}

TEST_HARNESS_MAIN

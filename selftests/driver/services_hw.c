// SPDX-License-Identifier: GPL-2.0-only
/* What the files answer that need counters. */
#include "services.h"

PROGRAM_NEEDS(have_hardware(), "this machine has no hardware counters");

FIXTURE_VARIANT_ADD(file, shared_cpc) {
	.flags = PERFMON_O_CONTROL, .become = become_shared,
};

FIXTURE_VARIANT_ADD(file, reader) {
	.flags = O_RDONLY, .become = stay,
};

FIXTURE_VARIANT_ADD(file, writer) {
	.flags = O_RDWR, .become = stay,
};

TEST(writer_is_a_holder_but_no_reader)
{
	struct perfmon_holder list[4];
	int reader, writer;

	reader = device_open(O_RDONLY);
	ASSERT_LE(0, reader);
	EXPECT_EQ(0, holders_count());
	writer = device_open(O_WRONLY);
	ASSERT_LE(0, writer);
	ASSERT_EQ(1, holders_get(reader, list, ARRAY_SIZE(list)));
	EXPECT_EQ(PERFMON_FACE_PMIO, list[0].face);
	EXPECT_EQ(-1, list[0].cpu);
	EXPECT_EQ(0, list[0].counters);
	close(writer);
	EXPECT_EQ(0, holders_get(reader, list, ARRAY_SIZE(list)));
	close(reader);
}

TEST(control_files_take_no_place)
{
	int writer, other;

	writer = device_open(O_RDWR);
	ASSERT_LE(0, writer);
	other = control_open();
	EXPECT_LE(0, other);
	close(writer);
	writer = device_open(O_RDWR);
	EXPECT_LE(0, writer);
	close(writer);
	close(other);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only
/* What the PMU says of itself in sysfs, for whoever makes events of it, and names that perf has. */
#include "sim_test.h"

PROGRAM_NEEDS_SIM();

#define PMU	PMUS "cpu/"

/* The first line of a file, "" when there is none. */
static const char *line_of(const char *path)
{
	static char line[128];
	FILE *file = fopen(path, "re");

	line[0] = '\0';
	if (!file)
		return line;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	line[strcspn(line, "\n")] = '\0';
	return line;
}

TEST(fields)
{
	EXPECT_STREQ("config:0-7", line_of(PMU "format/event"));
	EXPECT_STREQ("config:8-15", line_of(PMU "format/umask"));
	EXPECT_STREQ("config:18", line_of(PMU "format/edge"));
	EXPECT_STREQ("config:23", line_of(PMU "format/inv"));
	EXPECT_STREQ("config:24-31", line_of(PMU "format/cmask"));
}

TEST(events)
{
	EXPECT_STREQ("event=0x3c,umask=0x00", line_of(PMU "events/cpu-cycles"));
	EXPECT_STREQ("event=0xc0,umask=0x00", line_of(PMU "events/instructions"));
	EXPECT_STREQ("event=0x2e,umask=0x4f", line_of(PMU "events/cache-references"));
	EXPECT_STREQ("event=0x2e,umask=0x41", line_of(PMU "events/cache-misses"));
	EXPECT_STREQ("event=0xc4,umask=0x00", line_of(PMU "events/branch-instructions"));
	EXPECT_STREQ("event=0xc5,umask=0x00", line_of(PMU "events/branch-misses"));
	EXPECT_STREQ("event=0x3c,umask=0x01", line_of(PMU "events/bus-cycles"));
}

#define CACHE(_cache, _result) \
	(PERF_COUNT_HW_CACHE_##_cache | PERF_COUNT_HW_CACHE_OP_READ << 8 | \
	 PERF_COUNT_HW_CACHE_RESULT_##_result << 16)

static __u64 count_for(int fd, unsigned int ms)
{
	__u64 count = 0;

	burn_ms(ms);
	return read(fd, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

/* Loads of the last level are one in 100 ns, and misses one in 1000. */
TEST(caches)
{
	int loads = perf_open(PERF_TYPE_HW_CACHE, CACHE(LL, ACCESS), 0, true);
	int misses = perf_open(PERF_TYPE_HW_CACHE, CACHE(LL, MISS), 0, true);

	ASSERT_LE(0, loads);
	ASSERT_LE(0, misses);
	EXPECT_LE(10 * 1000000 / 1000 - 1, count_for(misses, 10));
	EXPECT_LE(10 * 1000000 / 100 - 1, count_for(loads, 1));
	close(loads);
	close(misses);
	EXPECT_EQ(-ENOENT, perf_open(PERF_TYPE_HW_CACHE, CACHE(L1D, ACCESS), 0, true));
}

/* What cannot be read is no request. */
TEST(bad_address)
{
	int fd = open(SIM "advance", O_WRONLY | O_CLOEXEC);

	ASSERT_LE(0, fd);
	EXPECT_EQ(-1, write(fd, end_of_memory(1), 2));
	EXPECT_EQ(EFAULT, errno);
	close(fd);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only
/* Overflows: perf's own consumers get as many samples as periods have passed. */
#include "sim_test.h"

PROGRAM_NEEDS_SIM();

#define PAGES	64	/* of the ring, a power of two */

struct ring {
	int fd;
	struct perf_event_mmap_page *page;
};

static size_t ring_bytes(void)
{
	return (PAGES + 1) * sysconf(_SC_PAGESIZE);
}

/* It counts when the ring is there, since what comes earlier is told to nobody. */
static int ring_open(struct ring *ring, __u64 config, __u64 period, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = config,
		.sample_period = period,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD,
		.wakeup_events = 1,
		.disabled = 1,
	};

	ring->fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (ring->fd < 0)
		return -errno;
	ring->page = mmap(NULL, ring_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	if (ring->page == MAP_FAILED || ioctl(ring->fd, PERF_EVENT_IOC_ENABLE, 0))
		return -errno;
	return 0;
}

static void ring_close(struct ring *ring)
{
	munmap(ring->page, ring_bytes());
	close(ring->fd);
}

struct samples {
	unsigned int n;		/* samples */
	unsigned int others;	/* records of another kind */
	__u64 period;		/* all together */
};

/* What has come since the last time. */
static struct samples ring_take(struct ring *ring)
{
	char *data = (char *)ring->page + ring->page->data_offset;
	__u64 head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	struct samples s = {};
	__u64 tail;

	for (tail = ring->page->data_tail; tail != head; ) {
		/* Records are of 24 bytes, and the header of 8 is never split. */
		__u64 size = ring->page->data_size;
		struct perf_event_header *h = (void *)(data + tail % size);

		if (h->type == PERF_RECORD_SAMPLE) {
			s.n++;
			s.period += *(__u64 *)(data + (tail + 16) % size);
		} else {
			s.others++;
		}
		tail += h->size;
	}
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
	return s;
}

static __u64 ring_count(const struct ring *ring)
{
	__u64 count = 0;

	return read(ring->fd, &count, sizeof(count)) == sizeof(count) ? count : ~0ULL;
}

FIXTURE(sampling) {
	struct ring ring;
};

FIXTURE_SETUP(sampling)
{
	sim_heal();
	ASSERT_EQ(0, sim_set("cpu0/lost", "0"));
}

FIXTURE_TEARDOWN(sampling)
{
	sim_heal();
}

static int advance(unsigned int n)
{
	return sim_advance("cpu=0 mode=k event=0xa0 clocks=%u", n);
}

TEST_F(sampling, one_for_each_period)
{
	struct samples s;

	ASSERT_EQ(0, ring_open(&self->ring, MANUAL, 100, 0));
	ASSERT_EQ(0, advance(99));
	EXPECT_EQ(0, ring_take(&self->ring).n);
	ASSERT_EQ(0, advance(1));
	s = ring_take(&self->ring);
	EXPECT_EQ(1, s.n);
	EXPECT_EQ(100, s.period);
	EXPECT_EQ(0, s.others);
	ASSERT_EQ(0, advance(1050));
	EXPECT_EQ(10, ring_take(&self->ring).n);
	ASSERT_EQ(0, advance(49));
	EXPECT_EQ(0, ring_take(&self->ring).n);
	ASSERT_EQ(0, advance(1));
	EXPECT_EQ(1, ring_take(&self->ring).n);
	EXPECT_EQ(1200, ring_count(&self->ring));
	ring_close(&self->ring);
}

TEST_F(sampling, wakes_who_polls)
{
	struct pollfd p = { .events = POLLIN };

	ASSERT_EQ(0, ring_open(&self->ring, MANUAL, 10, 0));
	p.fd = self->ring.fd;
	EXPECT_EQ(0, poll(&p, 1, 0));
	ASSERT_EQ(0, advance(10));
	EXPECT_EQ(1, poll(&p, 1, 5000));
	ring_close(&self->ring);
}

/* In the middle of a period, too. */
TEST_F(sampling, period_can_be_changed)
{
	__u64 period = 7;

	ASSERT_EQ(0, ring_open(&self->ring, MANUAL, 1000, 0));
	ASSERT_EQ(0, advance(500));
	ASSERT_EQ(0, ioctl(self->ring.fd, PERF_EVENT_IOC_PERIOD, &period));
	ASSERT_EQ(0, advance(6));
	EXPECT_EQ(0, ring_take(&self->ring).n);
	ASSERT_EQ(0, advance(1));
	EXPECT_EQ(1, ring_take(&self->ring).n);
	ASSERT_EQ(0, advance(70));
	EXPECT_EQ(10, ring_take(&self->ring).n);
	EXPECT_EQ(577, ring_count(&self->ring));
	ring_close(&self->ring);
}

TEST_F(sampling, stopped_one_keeps_its_place_in_the_period)
{
	ASSERT_EQ(0, ring_open(&self->ring, MANUAL, 100, 0));
	ASSERT_EQ(0, advance(60));
	ASSERT_EQ(0, ioctl(self->ring.fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(0, advance(1000));
	ASSERT_EQ(0, ioctl(self->ring.fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(0, advance(39));
	EXPECT_EQ(0, ring_take(&self->ring).n);
	ASSERT_EQ(0, advance(1));
	EXPECT_EQ(1, ring_take(&self->ring).n);
	EXPECT_EQ(100, ring_count(&self->ring));
	ring_close(&self->ring);
}

TEST_F(sampling, on_demand)
{
	ASSERT_EQ(0, ring_open(&self->ring, MANUAL, 1000, 0));
	ASSERT_EQ(0, advance(999));
	ASSERT_EQ(0, sim_set("overflow", "cpu=0 counters=0x1"));
	EXPECT_EQ(1, ring_take(&self->ring).n);
	EXPECT_EQ(999, ring_count(&self->ring));
	/* It began a period. */
	ASSERT_EQ(0, advance(999));
	EXPECT_EQ(0, ring_take(&self->ring).n);
	ASSERT_EQ(0, sim_set("overflow", "counters=0x2"));
	ASSERT_EQ(0, sim_set("overflow", "cpu=1"));
	EXPECT_EQ(0, ring_take(&self->ring).n);
	ring_close(&self->ring);
}

TEST_F(sampling, lost_overflows)
{
	ASSERT_EQ(0, ring_open(&self->ring, MANUAL, 10, 0));
	ASSERT_EQ(0, sim_set("cpu0/lose_overflows", "1"));
	ASSERT_EQ(0, advance(105));
	EXPECT_EQ(0, ring_take(&self->ring).n);
	EXPECT_EQ(10, read_number(SIM "cpu0/lost"));
	ASSERT_EQ(0, sim_set("cpu0/lose_overflows", "0"));
	ASSERT_EQ(0, advance(5));
	EXPECT_EQ(1, ring_take(&self->ring).n);
	EXPECT_EQ(110, ring_count(&self->ring));
	ring_close(&self->ring);
}

/* So many would keep the CPU from anything else. The count is right nevertheless. */
TEST_F(sampling, too_many_are_lost)
{
	ASSERT_EQ(0, ring_open(&self->ring, MANUAL, 1, 0));
	ASSERT_EQ(0, advance(1000000));
	EXPECT_EQ(1000, ring_take(&self->ring).n);
	EXPECT_EQ(999000, read_number(SIM "cpu0/lost"));
	EXPECT_EQ(1000000, ring_count(&self->ring));
	ring_close(&self->ring);
}

/* A clock of 1 GHz, and a sample each 5 ms of it. */
TEST_F(sampling, rate)
{
	struct samples s;
	__u64 count;

	ASSERT_EQ(0, ring_open(&self->ring, RAW_CYCLES, 5000000, 0));
	usleep(300000);
	ASSERT_EQ(0, ioctl(self->ring.fd, PERF_EVENT_IOC_DISABLE, 0));
	s = ring_take(&self->ring);
	count = ring_count(&self->ring);
	EXPECT_LE(300000000, count);
	/* One that was due when it was stopped is told of never. */
	EXPECT_LE(count / 5000000 - 1, s.n + read_number(SIM "cpu0/lost"));
	EXPECT_GE(count / 5000000, s.n);
	EXPECT_EQ(s.n * 5000000ULL, s.period);
	ring_close(&self->ring);
}

TEST_F(sampling, rate_in_one_mode)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = RAW_CYCLES,
		.sample_period = 1000000,
		.exclude_kernel = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	__u64 count = 0;

	ASSERT_LE(0, fd);
	burn_ms(100);
	ASSERT_EQ(sizeof(count), read(fd, &count, sizeof(count)));
	EXPECT_LT(20000000, count);
	EXPECT_LE(0, poll(&p, 1, 0));
	close(fd);
}

/* Who only counts beside it is told nothing, and what counts in no mode has nothing to tell. */
TEST_F(sampling, rate_beside_others)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = RAW_CYCLES,
		.sample_period = 1000000,
		.exclude_user = 1,
		.exclude_kernel = 1,
	};
	int counts = perf_open(PERF_TYPE_RAW, RAW_CYCLES, 0, true), none = perf_open_attr(&attr, 0);
	__u64 count;

	ASSERT_LE(0, counts);
	ASSERT_LE(0, none);
	ASSERT_EQ(0, ring_open(&self->ring, RAW_CYCLES, 5000000, 0));
	burn_ms(100);
	EXPECT_LT(0, ring_take(&self->ring).n);
	ASSERT_EQ(sizeof(count), read(counts, &count, sizeof(count)));
	EXPECT_LE(100000000, count);
	ASSERT_EQ(sizeof(count), read(none, &count, sizeof(count)));
	EXPECT_EQ(0, count);
	ring_close(&self->ring);
	close(counts);
	close(none);
}

/* The worst that one can ask for: the machine lives. */
TEST_F(sampling, rate_that_is_too_much)
{
	__u64 before = now_ns();

	ASSERT_EQ(0, ring_open(&self->ring, RAW_CYCLES, 1, 0));
	ASSERT_EQ(0, bind_cpu(0));
	burn_ms(300);
	EXPECT_LT(0, ring_take(&self->ring).n);
	EXPECT_LE(300000000, ring_count(&self->ring));
	EXPECT_GT(60 * NSEC_PER_SEC, now_ns() - before);
	ring_close(&self->ring);
}

TEST_F(sampling, what_the_pmu_does_not_have)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.sample_period = 1000,
		.precise_ip = 1,
	};

	EXPECT_EQ(-1, syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0));
	EXPECT_EQ(EOPNOTSUPP, errno);
	attr.precise_ip = 0;
	attr.config = 1 << 16;
	EXPECT_EQ(-1, syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0));
	EXPECT_EQ(EINVAL, errno);
	attr.config = 0;
	attr.config1 = 1;
	EXPECT_EQ(-1, syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0));
	EXPECT_EQ(EINVAL, errno);
	attr.type = PERF_TYPE_HARDWARE;
	attr.config1 = 0;
	attr.config = PERF_COUNT_HW_STALLED_CYCLES_BACKEND;
	EXPECT_EQ(-1, syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0));
	EXPECT_EQ(ENOENT, errno);
}

TEST_HARNESS_MAIN

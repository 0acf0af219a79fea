// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every allocation of a request fails once, the first, the second and so on, and every copy from
 * and to the caller: the request is refused with the errno for that, or did without; what is held
 * is what the list of holders says; and the next try works. It takes a kernel that can fail on
 * demand, with FAULT_INJECTION_DEBUG_FS, FAILSLAB, and best FAIL_PAGE_ALLOC, too.
 */
#include "module.h"
#include "random.h"
#include "states.h"

#include <limits.h>

#define FAIL_NTH	"/proc/thread-self/fail-nth"
#define DEBUGFS		"/sys/kernel/debug/"
#define KMEMLEAK	DEBUGFS "kmemleak"

/* What can fail fails wherever it is, and without a report of each time. */
static bool can_fail(void)
{
	static const char *const settings[][2] = {
		{ "fail_page_alloc/ignore-gfp-wait", "N" },
		{ "fail_page_alloc/ignore-gfp-highmem", "N" },
		{ "fail_page_alloc/min-order", "0" },
		{ "fail_page_alloc/verbose", "0" },
		{ "fail_usercopy/verbose", "0" },
		{ "fail_futex/verbose", "0" },
		{ "failslab/verbose", "0" },
		{ "failslab/ignore-gfp-wait", "N" },
	};
	char path[80];
	unsigned int i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		snprintf(path, sizeof(path), DEBUGFS "%s", settings[i][0]);
		/* The last ones are there on all of these kernels. */
		err = write_text(path, settings[i][1]);
	}
	return access(FAIL_NTH, W_OK) == 0 && !err;
}

PROGRAM_NEEDS(can_fail(), "this kernel cannot fail on demand");

/* ---- failing ---- */

/* Has the nth thing that can fail from here on fail; 0: none. */
static void fail_nth(int fd, unsigned int nth)
{
	char text[16];
	int tries, len = snprintf(text, sizeof(text), "%u", nth);

	/* This itself may be what fails. */
	for (tries = 0; tries < 3; tries++)
		if (pwrite(fd, text, len, 0) == len)
			return;
	exit(KSFT_FAIL);
}

/* The kernel says how many are left; when that fails, it was the first one that could. */
static bool has_failed(int fd)
{
	char text[16] = {};

	return pread(fd, text, sizeof(text) - 1, 0) > 0 && atoi(text) == 0;
}

static bool is_failure(int err)
{
	return err == -ENOMEM || (err == -EFAULT && access(DEBUGFS "fail_usercopy", F_OK) == 0);
}

/* ---- requests, each with what must be done before: a file that is closed afterwards ---- */

static int no_file(void)
{
	return -1;
}

static int ask_nothing(int fd)
{
	(void)fd;
	return 0;
}

static int open_control(int fd)
{
	(void)fd;
	return control_open();
}

static int open_to_read(int fd)
{
	(void)fd;
	return open_reader();
}

static int open_to_write(int fd)
{
	(void)fd;
	return open_writer();
}

static int setup_of_cpu0(int fd)
{
	return pmio_choose_cpu(fd, 0) ?: use_setup(fd);
}

static int program_hardware(int fd)
{
	return set_program_same(fd, -1, event_cycles(ANY_MODE), 3);
}

static int program_cpu0(int fd)
{
	return set_program_same(fd, 0, event_cycles(ANY_MODE), 3);
}

static int program_software(int fd)
{
	struct perfmon_event events[3] = {
		event_soft(PERF_COUNT_SW_CPU_CLOCK), event_soft(PERF_COUNT_SW_PAGE_FAULTS),
		event_soft(PERF_COUNT_SW_DUMMY),
	};

	return set_program(fd, -1, events, 3, PERFMON_SET_STARTED);
}

static int hardware_set(void)
{
	int fd = control_open();

	return file_if(fd, program_hardware(fd));
}

static int software_set(void)
{
	int fd = control_open();

	return file_if(fd, program_software(fd));
}

/* Its CPU was lost and is back, so that a start programs. */
static int lost_set(void)
{
	int fd = hardware_set();

	return file_if(fd, cpu1_set_online(false) ?: cpu1_set_online(true));
}

/* With one counter, so that one start starts all that it has. */
static int lost_writer(void)
{
	int fd = open_writer();

	return file_if(fd, use_setup(fd) ?: cpu1_set_online(false) ?: cpu1_set_online(true));
}

static int set_without_cpu1(void)
{
	int fd = hardware_set();

	return file_if(fd, cpu1_set_online(false));
}

static int send_cpu1_off(int fd)
{
	(void)fd;
	return cpu1_set_online(false);
}

static int get_cpu1_on(int fd)
{
	(void)fd;
	return cpu1_set_online(true);
}

/* Whatever became of the CPU, and of the counters there, a start counts on all. */
static int counts_again(int fd)
{
	struct sample sample;
	int cpu, err = cpu1_set_online(true) ?: set_start(fd);

	for (cpu = 0; cpu < 2 && !err; cpu++) {
		err = set_read(fd, cpu, &sample);
		if (!err && sample.head.state != PERFMON_STATE_COUNTING)
			err = -1000;
	}
	return err;
}

/* That there are no counters is no answer to a want of memory. */
static int ask_caps(int fd)
{
	struct perfmon_info info = { .size = sizeof(info) };
	int err = request(fd, PERFMON_IOC_INFO, &info);

	return err ?: info.caps & PERFMON_CAP_HARDWARE ? 0 : -1000;
}

/* A list that is not there is not an empty one. */
static int ask_holders(int fd)
{
	struct perfmon_holder list[4] = {};
	int n = holders_get(fd, list, ARRAY_SIZE(list));

	return n < 0 ? n : n == 1 && list[0].pid == getpid() ? 0 : -1000;
}

#define LOSES_CPU1	0x1	/* the part of CPU 1 may be without counters */
#define SOFTWARE	0x2	/* what it holds are no counters of the CPU */
#define CLOSES		0x4

static const struct kind {
	const char *name;
	int (*before)(void);
	int (*request)(int fd);
	unsigned int flags;
	int (*after)(int fd);
	unsigned int step;	/* not every failure: they are the kernel's, and take long */
} kinds[] = {
	{ "open a control file", no_file, open_control },
	{ "open a reader", no_file, open_to_read },
	{ "open the writer", no_file, open_to_write },
	{ "close a control file", control_open, close, CLOSES },
	{ "close a writer", run_writer, close, CLOSES },
	{ "close a set", hardware_set, close, CLOSES },
	{ "close a lost set", lost_set, close, CLOSES },
	{ "close a CPU", bind_shared, close, CLOSES },
	{ "INFO", control_open, ask_caps },
	{ "ERROR", control_open, use_error },
	{ "HOLDERS", hardware_set, ask_holders },
	{ "PMIOSETUP", open_writer, use_setup },
	{ "PMIOSETUP again", setup_writer, use_setup },
	{ "PMIOSETUP on a CPU", open_writer, setup_of_cpu0 },
	{ "PMIOSTART", setup_writer, use_start },
	{ "PMIOSTART of what was lost", lost_writer, use_start, LOSES_CPU1 },
	{ "PMIOGET", setup_writer, use_get },
	{ "PMIOREAD", run_writer, use_value },
	{ "PMIOREADCPUS", run_writer, use_values },
	{ "PMIORESET", run_writer, use_reset },
	{ "PMIOSTOP", run_writer, use_stop },
	{ "PMIOTSTAMP", open_reader, use_time },
	{ "SET_PROGRAM", control_open, program_hardware },
	{ "SET_PROGRAM again", hardware_set, program_hardware },
	{ "SET_PROGRAM on a CPU", control_open, program_cpu0 },
	{ "SET_PROGRAM of software", control_open, program_software, SOFTWARE },
	{ "SET_START", hardware_set, set_start },
	{ "SET_START of what was lost", lost_set, set_start, LOSES_CPU1 },
	{ "SET_READ", hardware_set, use_read_cpu },
	{ "SET_READ of all", hardware_set, use_read_all },
	{ "SET_RESET", hardware_set, set_reset },
	{ "SET_STOP", software_set, set_stop, SOFTWARE },
	{ "SHARED_OPEN", control_open, shared_open },
	{ "BIND", open_shared, bind_cycles },
	{ "BIND again", bind_shared, bind_cycles },
	{ "SAMPLE", bind_shared, use_sample },
	{ "RELE", bind_shared, shared_rele },
	{ "CPU 1 off", hardware_set, send_cpu1_off, LOSES_CPU1, counts_again, 4 },
	{ "CPU 1 on", set_without_cpu1, get_cpu1_on, LOSES_CPU1, counts_again, 4 },
};

/* ---- what is held ---- */

/* By what the list of holders says. */
static unsigned int counters_held(int cpu)
{
	struct perfmon_holder list[8];
	int i, fd = control_open(), n = holders_get(fd, list, ARRAY_SIZE(list));
	unsigned int held = 0;

	close(fd);
	for (i = 0; i < n; i++)
		if (list[i].cpu < 0 || list[i].cpu == cpu)
			held += list[i].counters;
	return held;
}

static void expect_held(struct __test_metadata *_metadata, const struct kind *kind,
			unsigned int nth, unsigned int all)
{
	int cpu, cpus = sysconf(_SC_NPROCESSORS_CONF);
	unsigned int used, held;

	for (cpu = 0; cpu < cpus; cpu++) {
		if (cpu == 1 && !cpu1_is_online())
			continue;
		used = all - counters_free(cpu);
		held = kind->flags & SOFTWARE ? 0 : counters_held(cpu);
		/* Half of what a file holds would be of no use to it, nor to anybody else. */
		EXPECT_TRUE(used == held || (!used && cpu == 1 && kind->flags & LOSES_CPU1)) {
			TH_LOG("%s, failure %u: CPU %d: %u counters are used, and %u held",
			       kind->name, nth, cpu, used, held);
		}
	}
}

#define MOST	2000	/* things that can fail in a request, certainly */

/* Returns whether the request came to its nth failure. */
static bool fail_one(struct __test_metadata *_metadata, const struct kind *kind, int fail,
		     unsigned int nth, unsigned int all)
{
	int err, result, fd = kind->before();
	bool failed;

	ASSERT_LE(-1, fd) {
		TH_LOG("before %s: %d", kind->name, fd);
	}
	fail_nth(fail, nth);
	result = kind->request(fd);
	failed = has_failed(fail);
	fail_nth(fail, 0);
	EXPECT_TRUE(result >= 0 || (failed && is_failure(result))) {
		TH_LOG("%s, failure %u: %d", kind->name, nth, result);
	}
	expect_held(_metadata, kind, nth, all);
	/* The next try, and what must be possible then. */
	err = (result < 0 && !(kind->flags & CLOSES) ? kind->request(fd) : 0);
	EXPECT_LE(0, err) {
		TH_LOG("%s, after failure %u: %d", kind->name, nth, err);
	}
	err = (kind->after ?: ask_nothing)(fd);
	EXPECT_EQ(0, err) {
		TH_LOG("%s, after failure %u: %d", kind->name, nth, err);
	}
	if (kind->before == no_file)
		close(result < 0 ? err : result);
	else if (!(kind->flags & CLOSES))
		close(fd);
	EXPECT_EQ(0, holders_count()) {
		TH_LOG("%s, failure %u", kind->name, nth);
	}
	return failed;
}

/* ---- leaks, as the kernel sees them ---- */

static void leaks_forget(void)
{
	write_text(KMEMLEAK, "clear");
}

/* Lines of the report that name the module. */
static int leaks_of_module(void)
{
	FILE *file;
	char line[256];
	int n = 0;

	/* It does not report what is younger than 5 s. */
	if (access(KMEMLEAK, W_OK) || (sleep(6), write_text(KMEMLEAK, "scan")))
		return 0;
	file = fopen(KMEMLEAK, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (strstr(line, "[perfmon"))
			fprintf(stderr, "# leak: %d: %s", ++n, line);
	}
	if (file)
		fclose(file);
	return n;
}

FIXTURE(nomem) {
	int fail;
	unsigned int all;
};

FIXTURE_SETUP(nomem)
{
	self->fail = open(FAIL_NTH, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->fail);
	ASSERT_EQ(0, bind_cpu(0));
	self->all = counters_free(0);
	/* Else a page of the program could be what is wanting. */
	EXPECT_EQ(0, mlockall(MCL_CURRENT | MCL_FUTURE));
	leaks_forget();
}

FIXTURE_TEARDOWN(nomem)
{
	fail_nth(self->fail, 0);
	EXPECT_TRUE(access(CPU1_ONLINE, W_OK) || cpu1_set_online(true) == 0);
}

TEST_F_TIMEOUT(nomem, every_allocation_of_every_request, 10 * SLOW)
{
	unsigned int i, nth;
	uint64_t since;

	NEEDS_HARDWARE();
	NEEDS(cpu1_can_go(), "CPU 1 cannot go offline");
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		since = now_ns();
		for (nth = 1; nth < MOST; nth += kinds[i].step ?: 1)
			if (!fail_one(_metadata, &kinds[i], self->fail, nth, self->all))
				break;
		EXPECT_LT(nth, MOST);
		expect_held(_metadata, &kinds[i], 0, self->all);
		fprintf(TH_LOG_STREAM, "# %s: %u failures in %u ms\n", kinds[i].name, nth - 1,
			(unsigned int)((now_ns() - since) / 1000000));
	}
	expect_all_free(_metadata, "all that", self->all);
	EXPECT_EQ(0, leaks_of_module());
}

/* ---- the modules themselves ---- */

FIXTURE(load) {
	int fail;
	int file;
	bool was_loaded;
};

FIXTURE_VARIANT(load) {
	const char *name;
	const char *shows;	/* a file that is there while the module is */
	int own;		/* so many of what can fail are its own, the last ones */
	int step;		/* how many of them are one, when there is little time */
};

FIXTURE_VARIANT_ADD(load, perfmon) {
	.name = "perfmon", .shows = DEVICE, .own = 60, .step = 1,
};

FIXTURE_VARIANT_ADD(load, perfmon_sim) {
	.name = "perfmon_sim", .shows = DEBUGFS "perfmon_sim", .own = 250,
	/* Most are of the files that a CPU has in debugfs, one like the other. */
	.step = 7,
};

/* The module as a file, open. */
static int open_module(const char *name)
{
	char line[PATH_MAX] = "";
	FILE *pipe;

	snprintf(line, sizeof(line), "modinfo -n %s", name);
	pipe = popen(line, "re");
	if (!pipe)
		return -errno;
	if (!fgets(line, sizeof(line), pipe))
		line[0] = '\0';
	pclose(pipe);
	line[strcspn(line, "\n")] = '\0';
	return open(line, O_RDONLY | O_CLOEXEC);
}

static int load_module(int file)
{
	return syscall(SYS_finit_module, file, "", 0) ? -errno : 0;
}

FIXTURE_SETUP(load)
{
	self->fail = open(FAIL_NTH, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->fail);
	self->file = open_module(variant->name);
	ASSERT_EQ(0, bind_cpu(0));
	self->was_loaded = module_is_loaded_named(variant->name);
	if (self->was_loaded) {
		ASSERT_EQ(0, module_remove_named(variant->name));
	}
}

FIXTURE_TEARDOWN(load)
{
	fail_nth(self->fail, 0);
	if (module_is_loaded_named(variant->name)) {
		EXPECT_EQ(0, module_remove_named(variant->name));
	}
	/* Programs that come later need the one for its node, and the other for its counters. */
	if (strcmp(variant->name, "perfmon") == 0) {
		EXPECT_EQ(0, module_load(NULL));
	} else if (self->was_loaded) {
		EXPECT_EQ(0, load_module(self->file));
	}
}

/* How much can fail on the way. */
static int count_failures(FIXTURE_DATA(load) *self)
{
	const int many = 100000;
	char text[16] = {};
	int err;

	fail_nth(self->fail, many);
	err = load_module(self->file);
	pread(self->fail, text, sizeof(text) - 1, 0);
	fail_nth(self->fail, 0);
	return err ?: many - atoi(text);
}

/* Returns whether it came to the nth failure; *err: 0 if it was loaded nevertheless. */
static bool fail_to_load(FIXTURE_DATA(load) *self, unsigned int nth, int *err)
{
	bool failed;

	fail_nth(self->fail, nth);
	*err = load_module(self->file);
	failed = has_failed(self->fail);
	fail_nth(self->fail, 0);
	return failed;
}

/*
 * What is left is nothing, so that the next time it can be loaded. Before the module's own turn
 * the kernel reads and places it, which is not what is tested here.
 */
TEST_F_TIMEOUT(load, every_allocation, 10 * SLOW)
{
	int i, err, nth, n, refused = 0, step = storm_seconds() ? 1 : variant->step;
	bool failed = true;

	NEEDS(self->file >= 0, "the module is not where modprobe finds it");
	/* The first time there is more, which the kernel keeps. */
	for (i = 0; i < 2; i++) {
		n = count_failures(self);
		ASSERT_LT(0, n);
		ASSERT_EQ(0, module_remove_named(variant->name));
	}
	for (nth = n > variant->own ? n - variant->own : 1; failed && nth < 2 * n; nth += step) {
		failed = fail_to_load(self, nth, &err);
		EXPECT_TRUE(!err || (failed && is_failure(err))) {
			TH_LOG("failure %d of %d: %d", nth, n, err);
		}
		refused += !!err;
		EXPECT_EQ(!err, module_is_loaded_named(variant->name));
		if (err) {
			EXPECT_EQ(-1, access(variant->shows, F_OK));
			ASSERT_EQ(0, load_module(self->file));
			EXPECT_EQ(0, access(variant->shows, F_OK));
		}
		ASSERT_EQ(0, module_remove_named(variant->name));
		EXPECT_EQ(-1, access(variant->shows, F_OK));
	}
	fprintf(TH_LOG_STREAM, "# %d of %d failures, refused %d times\n", nth - step, n, refused);
	EXPECT_FALSE(failed);
	EXPECT_LT(0, refused);
}

TEST_HARNESS_MAIN

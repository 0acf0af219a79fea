// SPDX-License-Identifier: GPL-2.0-only
/* Vendors' names through libpfm4: encodings that the vendors' manuals give. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "internal.h"
#include "fake.h"

#define U	PERFMON_EVENT_USER
#define K	PERFMON_EVENT_KERNEL

struct golden {
	const char *name;
	uint64_t config;
	uint32_t flags;
};

struct refused {
	const char *name;
	const char *says;
};

#if defined(__x86_64__) || defined(__i386__)
#define TABLE	"skl"
static const struct golden goldens[] = {
	{ "INST_RETIRED", 0xc0, 0 },
	{ "inst_retired:any_p", 0xc0, 0 },
	{ "INST_RETIRED:u", 0xc0, U },
	{ "INST_RETIRED:k:u", 0xc0, U | K },
	{ "INST_RETIRED:u=1:k=0", 0xc0, U },
	{ "skl::INST_RETIRED", 0xc0, 0 },
	{ "L2_RQSTS:MISS", 0x3f24, 0 },
	{ "L2_RQSTS:REFERENCES:k", 0xff24, K },
	{ "UOPS_ISSUED:c=1:i", 0x180010e, 0 },
	{ "BR_MISP_RETIRED:ALL_BRANCHES", 0xc5, 0 },
	{ "interrupts", 0x1cb, 0 },
	{ "PAPI_l2_tcm", 0x3f24, 0 },
};

static const struct refused refusals[] = {
	{ "L2_RQSTS:NOPE", "its unit masks are" },
	{ "INST_RETIRED:precise=1", "INST_RETIRED" },
	{ "UNHALTED_CORE_CYCLES:NOPE", "no unit masks" },
	{ "INST_RETIRED:", "INST_RETIRED" },
	{ "INST_RETIRE", "did you mean INST_RETIRED" },
	{ "glm::INST_RETIRED", "unknown event" },
};
#elif defined(__aarch64__)
#define TABLE	"arm_ac57"
static const struct golden goldens[] = {
	{ "INST_RETIRED", 0x08, 0 },
	{ "inst_retired:u", 0x08, U },
	{ "CPU_CYCLES:k:u", 0x11, U | K },
	{ "L1D_CACHE_ACCESS", 0x04, 0 },
	{ "EXCEPTION_IRQ", 0x86, 0 },
	{ "interrupts", 0x86, 0 },
};

static const struct refused refusals[] = {
	{ "INST_RETIRED:NOPE", "no unit masks" },
	{ "INST_RETIRED:h", "hypervisor" },
	{ "INST_RETIRE", "did you mean INST_RETIRED" },
};
#else
#define TABLE	NULL
static const struct golden goldens[0];
static const struct refused refusals[0];
#endif

static void start_arch(void)
{
#if defined(__aarch64__)
	fake_arm64();
#else
	fake_x86();
#endif
}

static void encodings(void **state)
{
	size_t i;

	(void)state;
	start_arch();
	for (i = 0; i < sizeof(goldens) / sizeof(goldens[0]); i++) {
		const struct golden *g = &goldens[i];
		struct perfmon_event ev;
		char *why;

		if (pme_resolve(g->name, &ev, &why))
			fail_msg("%s: %s", g->name, why);
		if (ev.type != 4 || ev.config != g->config || ev.config1 || ev.flags != g->flags)
			fail_msg("%s: type %u config 0x%llx config1 0x%llx flags %u", g->name,
				 ev.type, ev.config, ev.config1, ev.flags);
	}
}

static void refused(void **state)
{
	size_t i;

	(void)state;
	start_arch();
	for (i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		const struct refused *r = &refusals[i];
		struct perfmon_event ev;
		char *why = NULL;

		if (!pme_resolve(r->name, &ev, &why))
			fail_msg("%s: accepted", r->name);
		if (errno != EINVAL || !why || !strstr(why, r->says))
			fail_msg("%s: errno %d, %s", r->name, errno, why);
		free(why);
	}
}

static int resolves(const struct pme_info *info, void *arg)
{
	struct perfmon_event ev, back;
	unsigned int *n = arg;
	char *why = NULL, *name;

	if (pme_resolve(info->name, &ev, &why))
		fail_msg("%s: %s", info->name, why);
	/* The way back is slow for thousands of names: a sample will do. */
	if (++*n % 37 == 0) {
		name = pme_name(&ev);
		assert_int_equal(pme_resolve(name, &back, NULL), 0);
		assert_true(back.type == ev.type && back.config == ev.config &&
			    back.config1 == ev.config1);
		free(name);
	}
	return 0;
}

/* Whatever is listed can be used. */
static void listed(void **state)
{
	unsigned int n = 0;

	(void)state;
	start_arch();
	assert_int_equal(pme_walk(NULL, resolves, &n), 0);
	assert_true(n > 50);
}

/* No CPU counters, but a CPU that libpfm4 knows: a virtual machine. */
static void without_pmu(void **state)
{
	struct perfmon_event ev;
	char *why;

	(void)state;
	if (!TABLE)
		skip();
	fake_no_pmu();
	assert_int_equal(pme_resolve("INST_RETIRED", &ev, &why), -1);
	assert_int_equal(errno, ENOTSUP);
	assert_non_null(strstr(why, "virtual machine"));
	free(why);
}

/* What an ARMv8 PMU does not show it does not count: the fake one has no L1D_CACHE_REFILL. */
#if defined(__aarch64__)
static void left_out(void **state)
{
	struct perfmon_event ev;
	char *why;

	(void)state;
	fake_arm64();
	assert_int_equal(pme_resolve("L1D_CACHE_REFILL", &ev, &why), -1);
	assert_int_equal(errno, ENOTSUP);
	assert_non_null(strstr(why, "not counted"));
	free(why);
}
#endif

static void architected(void **state)
{
	struct perfmon_event ev = { .type = 4, .config = 3 };

	(void)state;
	fake_x86();
	assert_true(pme_architected() == ~0ULL);
	assert_false(pme_left_out(&ev, pme_architected()));
	fake_arm64();
	assert_true(pme_architected() == (1 << 0x11 | 1 << 8 | 1 << 0 | 1 << 4 | 1 << 0x10));
	assert_true(pme_left_out(&ev, pme_architected()));
	ev.config = 4;
	assert_false(pme_left_out(&ev, pme_architected()));
	ev.config = 0x86;
	assert_false(pme_left_out(&ev, pme_architected()));
}

static void cpu_name(void **state)
{
	(void)state;
	start_arch();
	assert_non_null(strstr(pme_cpu_name(), "("));
	print_message("# %s\n", pme_cpu_name());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(encodings),
		cmocka_unit_test(refused),
		cmocka_unit_test(listed),
		cmocka_unit_test(without_pmu),
		cmocka_unit_test(architected),
#if defined(__aarch64__)
		cmocka_unit_test(left_out),
#endif
		cmocka_unit_test(cpu_name),
	};
	int rc;

	fake_start(TABLE);
	rc = cmocka_run_group_tests_name("pfm", tests, NULL, NULL);
	fake_end();
	return rc;
}

// SPDX-License-Identifier: GPL-2.0-only
/* The specifications of cpustat(1): which event goes to which counter, and what modifies it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <linux/perf_event.h>

#include "internal.h"
#include "fake.h"

#define U	PERFMON_EVENT_USER
#define K	PERFMON_EVENT_KERNEL

struct want {
	unsigned int pic;
	const char *name;
	uint64_t config;
	uint32_t flags;
};

static void check(const char *text, const struct want *want, unsigned int n)
{
	struct pme_spec spec;
	unsigned int i;
	char *why;

	if (pme_spec_parse(text, &spec, &why))
		fail_msg("%s: %s", text, why);
	assert_null(why);
	assert_string_equal(spec.text, text);
	if (spec.n != n)
		fail_msg("%s: %u requests, not %u", text, spec.n, n);
	for (i = 0; i < n; i++) {
		const struct pme_request *r = &spec.req[i];

		if (r->pic != want[i].pic || strcmp(r->name, want[i].name) ||
		    r->event.config != want[i].config || r->event.flags != want[i].flags)
			fail_msg("%s: pic%u %s config 0x%llx flags %u", text, r->pic, r->name,
				 r->event.config, r->event.flags);
	}
	pme_spec_clear(&spec);
	assert_null(spec.text);
	assert_int_equal(spec.n, 0);
}

#define CHECK(text, ...) do { \
	const struct want want_[] = { __VA_ARGS__ }; \
	check(text, want_, sizeof(want_) / sizeof(want_[0])); \
} while (0)

static void refuse(const char *text, int err, const char *says)
{
	struct pme_spec spec;
	char *why = NULL;

	errno = 0;
	if (!pme_spec_parse(text, &spec, &why))
		fail_msg("%s: accepted", text);
	if (errno != err || !why || !strstr(why, says))
		fail_msg("%s: errno %d, \"%s\"", text, errno, why);
	assert_int_equal(spec.n, 0);
	assert_null(spec.text);
	free(why);
	assert_int_equal(pme_spec_parse(text, &spec, NULL), -1);
	assert_int_equal(errno, err);
}

static void counters(void **state)
{
	(void)state;
	fake_x86();
	CHECK("cycles", { 0, "cycles", 0, U });
	CHECK("cycles,instructions", { 0, "cycles", 0, U }, { 1, "instructions", 0xc0, U });
	CHECK("pic0=cycles,pic1=0x11", { 0, "cycles", 0, U }, { 1, "0x11", 0x11, U });
	/* ascending, whatever the order of writing */
	CHECK("pic5=cycles,pic2=17", { 2, "17", 17, U }, { 5, "cycles", 0, U });
	/* a bare event goes above the highest used */
	CHECK("pic3=cycles,17", { 3, "cycles", 0, U }, { 4, "17", 17, U });
	CHECK("17,pic4=18,19", { 0, "17", 17, U }, { 4, "18", 18, U }, { 5, "19", 19, U });
	CHECK("0,1,2,3,4,5,6,7",
	      { 0, "0", 0, U }, { 1, "1", 1, U }, { 2, "2", 2, U }, { 3, "3", 3, U },
	      { 4, "4", 4, U }, { 5, "5", 5, U }, { 6, "6", 6, U }, { 7, "7", 7, U });
	CHECK("cpu/event=0xc5,umask=1/u,r11", { 0, "cpu/event=0xc5,umask=1/u", 0x1c5, U },
	      { 1, "r11", 0x11, U });
}

static void modes(void **state)
{
	(void)state;
	fake_x86();
	CHECK("17,sys", { 0, "17", 17, U | K });
	CHECK("17,nouser,sys", { 0, "17", 17, K });
	CHECK("sys,17,18,nouser1", { 0, "17", 17, U | K }, { 1, "18", 18, K });
	CHECK("sys0,17,18", { 0, "17", 17, U | K }, { 1, "18", 18, U });
	/* a value is ignored */
	CHECK("17,sys=0,nouser=no", { 0, "17", 17, K });
	CHECK("17:k", { 0, "17:k", 17, K });
	CHECK("17:k,18", { 0, "17:k", 17, K }, { 1, "18", 18, U });
	CHECK("context-switches", { 0, "context-switches", 3, U | K });
	refuse("17,nouser", EINVAL, "neither user nor system");
	refuse("17,18,nouser1", EINVAL, "pic1");
	refuse("17,sys1", EINVAL, "nothing counts on pic1");
	refuse("17,sys9", EINVAL, "unknown event \"sys9\"");
}

static void attributes(void **state)
{
	(void)state;
	fake_x86();
	CHECK("0xc5,umask=0x10", { 0, "0xc5", 0x10c5, U });
	CHECK("0xc5,0xc6,umask0=1,umask1=2", { 0, "0xc5", 0x1c5, U }, { 1, "0xc6", 0x2c6, U });
	CHECK("0xc5,umask=1,cmask=3,inv,edge=1", { 0, "0xc5", 0x38401c5, U });
	CHECK("umask=1,0xc5,0xc6", { 0, "0xc5", 0x1c5, U }, { 1, "0xc6", 0x1c6, U });
	/* what the user says replaces what the name says */
	CHECK("cache-misses,umask=2", { 0, "cache-misses", 0x22e, U });
	CHECK("0x84c5,umask=0", { 0, "0x84c5", 0xc5, U });
	CHECK("pic2=0xc5,inv2", { 2, "0xc5", 0x8000c5, U });
	refuse("cycles,umask=1", EINVAL, "umask does not apply to cycles");
	refuse("0xc5,umask=0x100", EINVAL, "does not fit its 8 bits");
	refuse("0xc5,umask=", EINVAL, "\"\" is no value");
	refuse("0xc5,umask=1x", EINVAL, "\"1x\" is no value");
	refuse("0xc5,umask=-1", EINVAL, "\"-1\" is no value");
	refuse("0xc5,umask3=1", EINVAL, "nothing counts on pic3");
	refuse("0xc5,color=1", EINVAL, "\"color=1\" is neither an event nor an attribute of cpu");
	refuse("0xc5,picnum=1", EINVAL, "neither");
	refuse("0xc5,event=1", EINVAL, "neither");
	refuse("0xc5,config=1", EINVAL, "neither");
	fake_arm64();
	CHECK("inst_retired,long", { 0, "inst_retired", 8, U });
	refuse("inst_retired,umask=1", EINVAL, "attribute of armv8_pmuv3_0");
	refuse("inst_retired,edge", EINVAL, "unknown event \"edge\"");
}

static void mistakes(void **state)
{
	(void)state;
	fake_x86();
	refuse("", EINVAL, "missing");
	refuse(",", EINVAL, "missing");
	refuse("17,", EINVAL, "missing");
	refuse("17,,18", EINVAL, "missing");
	refuse("pic0=", EINVAL, "missing");
	refuse("sys", EINVAL, "no event");
	refuse("pic0=17,pic0=18", EINVAL, "pic0 is used twice");
	refuse("17,pic0=18", EINVAL, "pic0 is used twice");
	refuse("pic8=17", EINVAL, "no pic8: counters are pic0 to pic7");
	refuse("pic7=17,18", EINVAL, "no pic8");
	refuse("pic=17", EINVAL, "neither");
	refuse("pic99999999999999999999=17", EINVAL, "neither");
	refuse("pic-1=17", EINVAL, "neither");
	refuse("instuctions", EINVAL, "did you mean instructions");
	refuse("17, 18", EINVAL, "unknown event \" 18\"");
	refuse("PAPI_fp_ops", ENOTSUP, "not counted");
	fake_no_pmu();
	refuse("cycles", ENOTSUP, "PMU");
	CHECK("cpu-clock,cs", { 0, "cpu-clock", 0, U | K }, { 1, "cs", 3, U | K });
}

/* Any bytes are an answer, never a crash. The seed is printed, and fixed. */
static void noise(void **state)
{
	static const char *const words[] = {
		"pic0", "pic", "=", ",", "cycles", "sys", "nouser", "umask", "1", "/", "cpu", ":",
		"u", "0x", "17", "\xff", "event", "config", "r", "\n",
	};
	const unsigned int seed = 20240229;
	unsigned int i, accepted = 0;

	(void)state;
	print_message("# seed %u\n", seed);
	srandom(seed);
	fake_x86();
	for (i = 0; i < 3000; i++) {
		struct pme_spec spec;
		char text[256] = "";
		int n = random() % 9;

		while (n--)
			strcat(text, words[random() % (sizeof(words) / sizeof(words[0]))]);
		if (!pme_spec_parse(text, &spec, NULL)) {
			accepted++;
			assert_true(spec.n >= 1 && spec.n <= PME_MAX_PIC);
			pme_spec_clear(&spec);
		}
	}
	assert_true(accepted > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters),
		cmocka_unit_test(modes),
		cmocka_unit_test(attributes),
		cmocka_unit_test(mistakes),
		cmocka_unit_test(noise),
	};
	int rc;

	fake_start(NULL);
	rc = cmocka_run_group_tests_name("spec", tests, NULL, NULL);
	fake_end();
	return rc;
}

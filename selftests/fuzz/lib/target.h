/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the targets of libFuzzer share. Each is given texts of any kind, and stops the program where
 * a parser does what it must not; the sanitizers find the rest. The environment says which machine
 * the made-up sysfs is: FUZZ_MACHINE is x86, arm64, riscv64, hybrid or no-pmu, and FUZZ_TABLE a
 * table of libpfm4.
 */
#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "internal.h"

/* Of libFuzzer; a program defines them. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition, text) do { \
	if (!(condition)) { \
		fprintf(stderr, "%s:%d: not so: %s: \"%s\"\n", __FILE__, __LINE__, #condition, \
			text); \
		abort(); \
	} \
} while (0)

/* Makes the machine; at exit it is taken away. */
void target_machine(void);

/* The input as a string of its own, so that a byte too many is noticed. The caller frees it. */
char *target_text(const uint8_t *data, size_t size);

/* One input in 32, the same ones every time: for what takes long. Of the present input. */
bool target_seldom(void);

/* A refusal has one of the errno values of event.h, and words. Frees them. */
void target_refused(const char *text, char *why);

#endif

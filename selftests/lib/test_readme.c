// SPDX-License-Identifier: GPL-2.0-only
/* The programs in README.md compile and link, without a warning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define FENCE_C		"```c\n"
#define FENCE		"```\n"

static char build[1024];		/* what this program was built in */
static char root[1024];			/* what it was built from */

/* The first directory from `from` upwards that holds our sources. */
static int find_root(const char *from)
{
	char file[1100];
	char *slash;

	snprintf(root, sizeof(root), "%s", from);
	do {
		snprintf(file, sizeof(file), "%s/include/libcpc.h", root);
		if (!access(file, R_OK))
			return 0;
		slash = strrchr(root, '/');
		if (slash)
			*slash = '\0';
	} while (slash);
	return -1;
}

/* Builds are made inside the sources, or else somebody stands in them. */
static int setup(void **state)
{
	ssize_t len = readlink("/proc/self/exe", build, sizeof(build) - 1);
	char here[1024];
	int up;

	(void)state;
	assert_true(len > 0);
	build[len] = '\0';
	for (up = 0; up < 3; up++)
		*strrchr(build, '/') = '\0';
	if (find_root(build) && getcwd(here, sizeof(here)) && find_root(here))
		root[0] = '\0';
	return 0;
}

static FILE *open_readme(void)
{
	char file[1100];

	snprintf(file, sizeof(file), "%s/README.md", root);
	return fopen(file, "re");
}

/* Copies the next program to a new file. False when there is none left. */
static int extract(FILE *readme, const char *to)
{
	char *line = NULL;
	size_t size = 0;
	int inside = 0;
	FILE *out;

	while (!inside && getline(&line, &size, readme) >= 0)
		inside = !strcmp(line, FENCE_C);
	if (inside) {
		out = fopen(to, "we");
		assert_non_null(out);
		while (getline(&line, &size, readme) >= 0 && strcmp(line, FENCE))
			fputs(line, out);
		fclose(out);
	}
	free(line);
	return inside;
}

static void compile(const char *dir, int n)
{
	char command[8192];

	snprintf(command, sizeof(command),
		 "cc -Wall -Wextra -Werror -I'%s/include' -I'%s/include/uapi' -o '%s/out' "
		 "'%s/in.c' '%s/lib/libcpc.a' -lpfm -lpthread", root, root, dir, dir, build);
	if (system(command))
		fail_msg("program %d of README.md does not compile", n);
}

static void test_programs(void **state)
{
	char dir[] = "/tmp/test_readme.XXXXXX";
	char file[64], out[64];
	FILE *readme;
	int n = 0;

	(void)state;
	if (!root[0])
		skip();
	readme = open_readme();
	assert_non_null(readme);
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/in.c", dir);
	snprintf(out, sizeof(out), "%s/out", dir);
	while (extract(readme, file))
		compile(dir, ++n);
	fclose(readme);
	unlink(file);
	unlink(out);
	rmdir(dir);
	assert_true(n >= 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}

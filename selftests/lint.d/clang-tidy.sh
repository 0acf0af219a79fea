# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # for ../lint
# What clang knows of programs, for the libraries, the tools and their unit tests.

prepare_clang_tidy() {
	PACKAGES+=(clang-tidy libc6-dev libcmocka-dev libpfm4-dev libcap-dev)
}

TIDY_CHECKS=(
	'-*' 'bugprone-*' 'cert-*' 'clang-analyzer-*' 'concurrency-*' 'misc-*' 'performance-*'
	'portability-*' 'readability-*'
	# Interfaces that others have made long ago, and two ints are not always one too many.
	-bugprone-easily-swappable-parameters
	# It wants memcpy_s() and its like, which glibc does not have.
	-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling
	# C converts between integers; where a value may not fit, the code asks before.
	-bugprone-narrowing-conversions
	# It goes by name. strerror() is safe since glibc 2.32; getopt() is called before there are
	# threads.
	-concurrency-mt-unsafe
	# Other names of bugprone-reserved-identifier.
	-cert-dcl37-c -cert-dcl51-cpp
	# The kernel's style is another one: no braces around one line, short names, int a, b.
	-readability-braces-around-statements -readability-identifier-length
	-readability-isolate-declaration
	# Bits and sizes of a table or an encoding are best read where they are used.
	-readability-magic-numbers
	# 0ull is what the kernel writes, too.
	-readability-uppercase-literal-suffix
)

# As it comes, cert-err33-c wants every printf() looked at: what matters is whether the stream is
# good in the end.
TIDY_MUST_USE='::malloc;::calloc;::realloc;::strdup;::strndup;::fopen;::fdopen;::opendir;::fflush'
TIDY_MUST_USE+=';::fread;::fgets;::fseek;::strtol;::strtoul;::strtoull;::strtod;::sscanf'
# !strcmp() is how C says "equal".
TIDY_CONFIG="{CheckOptions: [
	{key: cert-err33-c.CheckedFunctions, value: '$TIDY_MUST_USE'},
	{key: bugprone-suspicious-string-compare.WarnOnImplicitComparison, value: false}]}"

# One file at a time: with several, clang-analyzer-valist takes va_start() for another function from
# the second one on.
run_tidy() { # FILE...
	local file checks rc=0

	checks=$(IFS=,; printf '%s' "${TIDY_CHECKS[*]}")
	for file; do
		clang-tidy --quiet --checks="$checks" --config="$TIDY_CONFIG" \
			--header-filter='.*' "$file" -- -std=gnu11 -D_GNU_SOURCE -Iinclude \
			-Iinclude/uapi -Ilib/event -Ilib/libcpc || rc=$?
	done
	return "$rc"
}

check_clang_tidy() {
	local rc=0

	select_files 'lib/*.c' 'tools/*.c' 'selftests/lib/*.c'
	share_out run_tidy "${SELECTED[@]}" >"$SCRATCH/found" 2>&1 || rc=$?
	# "/top/file:line:column: warning: text [type,another-name]" and the lines of code
	sed -nE "s|^$PWD/||
		s|^selftests/lib/\.\./\.\./||
		s/^([^: ]+:[0-9]+):[0-9]+: (warning|error): (.*) \[([^],]*)[^]]*\]$/\1: \4: \3/p
		t
		/(^|[: ])error: /p" "$SCRATCH/found" | sort -u | judge clang-tidy
	return "$rc"
}

defect_clang_tidy() {
	cat >>lib/event/fail.c <<-'C'
		int pme_defect(char *a);
		int pme_defect(char *a)
		{
			char *b = malloc(4);

			if (a)
				return sizeof(a) == 3;
			strcpy(b, "12345");
			free(b);
			return *b;
		}
	C
	sed -i '1a #include <stdlib.h>\n#include <string.h>' lib/event/fail.c
	FILES=(lib/event/fail.c)
	EXPECTED=('clang-analyzer-unix.Malloc: Use of memory after it is freed'
		'clang-analyzer-unix.Malloc: Potential leak of memory'
		'clang-analyzer-security.insecureAPI.strcpy')
}

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The public headers under every dialect, the programs of clients/, and what libcpc.so shows.
# The Makefile fills in how to compile: @CC@, @ROOT@, @O@.

read -ra CC <<<'@CC@'
ROOT='@ROOT@'
O='@O@'
CXX=("${CC[@]}")
CXX[0]=${CC[0]/%gcc/g++}
CXX[0]=${CXX[0]/%cc/c++}
INCLUDE=(-I"$ROOT/include" -I"$ROOT/include/uapi")
STRICT=(-Wall -Wextra -Werror)
n=0
failed=0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

result() { # status, description
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		head -n 40 "$tmp/log" | sed 's/^/# /'
		failed=1
	fi
}

skip() { # description, reason
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

compiles() { # description, file, compiler and flags...
	local what=$1 file=$2

	shift 2
	"$@" "${STRICT[@]}" "${INCLUDE[@]}" -c -o "$tmp/out.o" "$file" >"$tmp/log" 2>&1
	result $? "$what"
}

includes() { # header...
	printf '#include <%s>\n' "$@"
	echo 'int nothing;'
}

# Each header must need no other before it, and bear being read twice.
for header in libcpc.h machine/cpu.h machine/perfmon.h sys/cpc_event.h sys/cpc_impl.h \
		sys/processor.h linux/perfmon.h linux/cpc.h; do
	includes $header $header >"$tmp/h.c"
	compiles "$header, gnu89" "$tmp/h.c" "${CC[@]}" -std=gnu89
	for mode in gnu99 gnu11 c99 c11; do
		compiles "$header, $mode" "$tmp/h.c" "${CC[@]}" -std=$mode -pedantic
	done
done

# What programs may include beside them.
for mode in gnu11 c99; do
	for order in "libcpc.h sys/wait.h" "sys/wait.h libcpc.h" "machine/perfmon.h libcpc.h" \
			"sys/types.h machine/perfmon.h sys/types.h"; do
		read -ra headers <<<"$order"
		includes "${headers[@]}" >"$tmp/h.c"
		compiles "$order, $mode" "$tmp/h.c" "${CC[@]}" -std=$mode
	done
done

# The names that the C library does not have in its strict modes.
cat >"$tmp/h.c" <<'END'
#include <machine/perfmon.h>
#include <libcpc.h>
quad_t q = 1; u_char u = 255; uint_t v; hrtime_t h; processorid_t p; id_t i;
int f(void);
int f(void) { return processor_bind(P_PID, P_MYID, PBIND_QUERY, &p); }
END
for mode in gnu11 c99; do
	compiles "types of ported programs, $mode" "$tmp/h.c" "${CC[@]}" -std=$mode -pedantic
done

for client in "$ROOT"/selftests/lib/clients/*.c; do
	name=$(basename "$client" .c)
	for mode in gnu99 gnu11 gnu17; do
		compiles "$name, $mode" "$client" "${CC[@]}" -std=$mode -D_GNU_SOURCE
	done
	"${CC[@]}" "${INCLUDE[@]}" -o "$tmp/client" "$client" -L"$O/lib" -lcpc >"$tmp/log" 2>&1
	result $? "$name links with libcpc.so"
done

for name in solaris_x86 solaris_sparc; do
	"${CC[@]}" "${INCLUDE[@]}" -o "$tmp/client" "$ROOT/selftests/lib/clients/$name.c" \
		"$O/lib/libcpc.a" -lpfm -lpthread >"$tmp/log" 2>&1
	result $? "$name links with libcpc.a"
done

echo 'int main(void) { return 0; }' >"$tmp/h.c"
if "${CXX[@]}" -x c++ -o "$tmp/have" "$tmp/h.c" 2>/dev/null; then
	for name in solaris_x86 solaris_sparc freebsd_perfmon; do
		for mode in gnu++11 c++17; do
			compiles "$name as C++, $mode" "$ROOT/selftests/lib/clients/$name.c" \
				"${CXX[@]}" -x c++ -std=$mode
		done
	done
	includes libcpc.h >"$tmp/h.c"
	compiles "libcpc.h, pedantic C++" "$tmp/h.c" "${CXX[@]}" -x c++ -std=c++17 -pedantic
else
	skip "C++" "no ${CXX[0]}"
fi

# None of our headers may hide one of the C library's or the kernel's. Ours may be installed.
cd "$ROOT/include" || exit 1
for header in *.h machine/*.h sys/*.h linux/perfmon.h linux/cpc.h; do
	found=$(echo "#include <$header>" | "${CC[@]}" -M -x c - 2>/dev/null | tr ' ' '\n' |
		grep "/$header\$" | head -n 1)
	[ -z "$found" ] || ! dpkg -S "$(readlink -f "$found")" >"$tmp/log" 2>&1
	result $? "$header hides no header of the system"
done

nm=${CC[0]/%gcc/nm}
command -v "$nm" >/dev/null && [ "$nm" != "${CC[0]}" ] || nm="nm"
"$nm" -D --defined-only "$O/lib/libcpc.so.1" |
	awk '{ sub(/@.*/, "", $3); if ($2 != "A") print $3 }' | sort >"$tmp/shown"
printf '%s\n' cpc_access cpc_event_accum cpc_event_diff cpc_eventtostr cpc_getcciname \
	cpc_getcpuref cpc_getcpuver cpc_getnpic cpc_getusage cpc_seterrfn cpc_shared_bind_event \
	cpc_shared_close cpc_shared_open cpc_shared_rele cpc_shared_take_sample cpc_shared_why \
	cpc_strtoevent cpc_version cpc_walk_names gethrtime processor_bind >"$tmp/promised"
diff "$tmp/promised" "$tmp/shown" >"$tmp/log"
result $? "libcpc.so shows what is promised and nothing else"
while read -r name; do
	grep -q "$name(" "$ROOT/include/libcpc.h" "$ROOT/include/sys/processor.h" || echo "$name"
done <"$tmp/shown" >"$tmp/log"
[ ! -s "$tmp/log" ]
result $? "what libcpc.so shows is declared"

# perfmon(4)'s layouts and numbers, also for 32-bit programs.
echo "#include \"$ROOT/selftests/lib/perfmon_numbers.h\"" >"$tmp/numbers.c"
compiles "perfmon(4) numbers" "$tmp/numbers.c" "${CC[@]}" -std=gnu11
includes sys/ioctl.h >"$tmp/h.c"
narrow=()
for cc in "${CC[*]} -m32" "${CC[*]} -m32 -idirafter /usr/include/x86_64-linux-gnu" \
		i686-linux-gnu-gcc arm-linux-gnueabihf-gcc; do
	read -ra try <<<"$cc"
	if "${try[@]}" -c -o "$tmp/h.o" "$tmp/h.c" 2>/dev/null; then
		narrow=("${try[@]}")
		break
	fi
done
if [ ${#narrow[@]} -gt 0 ]; then
	compiles "perfmon(4) numbers, ${narrow[*]}" "$tmp/numbers.c" "${narrow[@]}" -std=gnu11
else
	skip "perfmon(4) numbers, 32 bits" "no compiler"
fi

echo "1..$n"
exit $failed

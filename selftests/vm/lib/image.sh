# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The copy of the userland that is booted: without what only a compiler or a reader needs.

image_item() {
	local recipe

	recipe=$(declare -f build_image strip_image drop_unused_libraries needed_by)
	printf 'image-%s-%s-%s\n' "$SUITE" "$ARCH" \
		"$(key_of "$(root_item)" "$recipe" "${KEEP_LIBRARIES[@]}")"
}

build_image() { # DIRECTORY
	cp -al "$CACHE/$(root_item)" "$1/root"
	strip_image "$1/root"
	(cd "$1/root" && find . -print0 | sort -z |
		cpio --quiet --null -o -H newc --owner=0:0) >"$1/root.cpio"
	rm -rf "$1/root"
}

# Boot time is the image's size: leave out what no test of ours reads.
strip_image() { # DIRECTORY
	local usr=$1/usr lib=$1/usr/lib/$TUPLE

	rm -rf "${1:?}"/{boot,var/cache,var/lib} "$usr"/{include,games,share} \
		"$usr"/bin/{python*,perl5*,dpkg*,localedef,lsblk,systemctl,systemd-analyze} \
		"$usr"/bin/x86_64* "$usr"/sbin/{dmsetup,sgdisk}
	(cd "$usr/lib" && rm -rf bfd-plugins compat-ld dpkg gcc gold-ld init kernel python3* \
		tmpfiles.d traceevent valgrind udev/hwdb.d perf-core/{tests,scripts} \
		systemd/{catalog,system,system-generators,user,user-generators,ntp-units.d})
	(cd "$lib" && rm -rf cryptsetup engines-3 gawk gconv glib-2.0 libcap2 ossl-modules \
		perl/[0-9]* security systemd/libsystemd-core*)
	# Of systemd, only what start-up runs.
	find "$usr/lib/systemd" -maxdepth 1 -type f ! -name systemd-modules-load \
		! -name systemd-udevd -delete
	find "$usr/lib" \( -name '*.a' -o -name '*.o' \) -delete
	drop_unused_libraries "$1" "$lib"
	mkdir -p "$1"/{dev,proc,sys,run,tmp,root,home/user,var/tmp,mnt}
	chmod 1777 "$1/tmp" "$1/var/tmp"
}

# What a program under test may need though no program of the image does, and what systemd loads
# only when it needs it.
KEEP_LIBRARIES=(libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1 libgcc_s.so.1 libpfm.so.4
	libcap.so.2 libcmocka.so.0 libkmod.so.2 libnss_files.so.2)

# needed_by FILE...: the libraries that these programs name; scripts name none.
needed_by() {
	{ "$TUPLE-readelf" -d "$@" 2>/dev/null || true; } |
		sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u
}

# drop_unused_libraries ROOT LIBRARY-DIRECTORY: keep what the programs need, and what that needs.
drop_unused_libraries() {
	local root=$1 lib=$2 name file
	local -A keep=()
	local -a names files

	# It complains about every script, so that its own absence would go unnoticed.
	command -v "$TUPLE-readelf" >/dev/null || die "there is no $TUPLE-readelf"
	mapfile -t files < <(find "$root/usr" -type f ! -path "$lib/lib*" \
		\( -perm /111 -o -name '*.so*' \))
	names=("${KEEP_LIBRARIES[@]}")
	while [ ${#files[@]} -gt 0 ]; do
		mapfile -t -O ${#names[@]} names < <(needed_by "${files[@]}")
		files=()
		for name in "${names[@]}"; do
			if [ -n "${keep[$name]:-}" ] || [ ! -e "$lib/$name" ]; then
				continue
			fi
			file=$(readlink -f "$lib/$name")
			keep[$name]=1
			keep[${file##*/}]=1
			files+=("$file")
		done
		names=()
	done
	for file in "$lib"/lib*.so*; do
		[ -n "${keep[${file##*/}]:-}" ] || rm "$file"
	done
}

# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The guest's userland: a Debian root which serves as the compiler's sysroot, and the stripped copy
# of it that is booted.

# Real udev, kmod and systemd-modules-load, as they run on a real installation; libraries and their
# headers; perf to compare with; what test scripts call.
ROOT_PACKAGES=(
	base-passwd bash busybox-static coreutils dash diffutils findutils grep gawk hostname
	kmod libc-bin libc6 libcap2 libpfm4 login mount passwd perl-base procps psmisc sed
	strace systemd udev util-linux linux-perf
	libc6-dev libcap-dev libpfm4-dev libcmocka-dev)

root_packages() {
	printf '%s\n' "${ROOT_PACKAGES[@]}"
}

root_item() {
	printf 'root-%s-%s-%s\n' "$SUITE" "$ARCH" \
		"$(key_of "$(declare -f build_root settle_root)" "${ROOT_PACKAGES[@]}")"
}

image_item() {
	printf 'image-%s-%s-%s\n' "$SUITE" "$ARCH" \
		"$(key_of "$(root_item)" "$(declare -f build_image strip_image drop_unused_libraries needed_by)" "${KEEP_LIBRARIES[@]}")"
}

sysroot_dir() {
	printf '%s/%s\n' "$CACHE" "$(root_item)"
}

build_root() { # DIRECTORY
	use_apt "$SUITE" "$DEB_ARCH"
	fetch_closure root "${ROOT_PACKAGES[@]}"
	unpack_into "$1" root
	settle_root "$1"
}

# What the packages' installation scripts would have done, as far as a test machine needs it.
settle_root() { # DIRECTORY
	local etc=$1/etc link target

	cp "$1/usr/share/base-passwd/passwd.master" "$etc/passwd"
	cp "$1/usr/share/base-passwd/group.master" "$etc/group"
	sed -i 's|^root:\*:|root:x:|' "$etc/passwd"
	printf '%s\n' 'user:x:1000:1000:an ordinary user:/home/user:/bin/bash' >>"$etc/passwd"
	printf '%s\n' 'user:x:1000:' >>"$etc/group"
	# udev's own rules name these.
	printf '%s\n' 'input:x:101:' 'kvm:x:102:' 'render:x:103:' 'sgx:x:104:' >>"$etc/group"
	printf '%s\n' 'root:*:19000::::::' 'user:*:19000::::::' >"$etc/shadow"
	printf '127.0.0.1 localhost\n' >"$etc/hosts"
	printf '%s\n' "passwd: files" "group: files" "hosts: files" >"$etc/nsswitch.conf"
	ln -sf dash "$1/usr/bin/sh"
	ln -sf gawk "$1/usr/bin/awk"
	# A sysroot must not name the host's files: make the absolute links relative.
	find "$1/usr/lib" "$1/usr/include" -type l -lname '/*' -printf '%p %l\n' |
		while read -r link target; do
			ln -sfn -r "$1$target" "$link"
		done
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

	rm -rf "$usr"/{include,games,share} "${1:?}"/{boot,var/cache,var/lib} \
		"$usr"/lib/{bfd-plugins,compat-ld,dpkg,gcc,gold-ld,init,kernel,python3*,tmpfiles.d} \
		"$usr"/lib/{udev/hwdb.d,perf-core/tests,perf-core/scripts,traceevent,valgrind} \
		"$usr"/lib/systemd/{catalog,system,system-generators,user,user-generators,ntp-units.d} \
		"$usr"/bin/{python*,dpkg*,localedef,systemctl,systemd-analyze,x86_64*,lsblk,perl5*} \
		"$usr"/sbin/{dmsetup,sgdisk} \
		"$lib"/{systemd/libsystemd-core*,libcap2,gconv,perl/[0-9]*,cryptsetup,engines-3,ossl-modules,gawk,glib-2.0,security}
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
	{ "$TUPLE-readelf" -d "$@" 2>/dev/null || true; } | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u
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

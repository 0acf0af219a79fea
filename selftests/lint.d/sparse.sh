# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # for ../lint
# The module's address spaces, locks and byte orders.

SPARSE_ARCHES=(arm64 x86_64)

# What a guest's kernel needs is for vm to know, and to say what it fetches.
prepare_sparse() {
	local arch

	# libelf is for objtool.
	PACKAGES+=(make sparse libelf1)
	for arch in "${SPARSE_ARCHES[@]}"; do
		run_child "$VM_DIR/vm" kdir --arch "$arch" >/dev/null
	done
}

check_sparse() {
	local arch failed=0

	for arch in "${SPARSE_ARCHES[@]}"; do
		sparse_arch "$arch" || failed=1
	done
	return "$failed"
}

sparse_arch() { # ARCH
	local kdir rc=0 build=$BUILD_ROOT/lint/$1

	[ -z "$SELF_TEST" ] || build=$PWD/build/$1
	set_arch "$1"
	kdir=$("$VM_DIR/vm" kdir --arch "$1" 2>/dev/null) || return
	mkdir -p "$build" || return
	# What a make that runs us has been told is not for this one.
	env -u MAKEFLAGS -u MFLAGS make -s -k --no-print-directory -j"$(nproc)" O="$build" \
		ARCH="$KARCH" CROSS_COMPILE="$TUPLE-" KDIR="$kdir" C=2 CF=-Wsparse-error modules \
		>"$SCRATCH/found" 2>&1 || rc=$?
	# There is no image of that kernel, which is no matter here.
	sed -e '/^Skipping BTF generation/d' -e "s|^$build/module/||" "$SCRATCH/found"
	return "$rc"
}

defect_sparse() {
	cat >>driver/fault.c <<-'C'
		#ifdef CONFIG_X86
		int pm_defect_of_x86(const int __user *p) { return *p; }
		#else
		int pm_defect_of_arm64(const int __user *p) { return *p; }
		#endif
	C
	EXPECTED=("symbol 'pm_defect_of_arm64' was not declared"
		"symbol 'pm_defect_of_x86' was not declared" 'dereference of noderef expression')
}

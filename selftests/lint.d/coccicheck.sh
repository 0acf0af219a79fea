# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # for ../lint
# The kernel's semantic patches, on the module, as its scripts/coccicheck applies them.

prepare_coccicheck() {
	# What is found is reported by scripts in Python, whose library is looked for by the name
	# that only the package for developers has.
	PACKAGES+=(coccinelle libpython3-dev)
	KTOOLS=1
}

# These need an OCaml compiler, which is large: the one is about another driver, and a pointer that
# is compared with 0 is found by sparse, too.
COCCI_LEFT_OUT='/(check_bq27xxx_data|badzero)\.cocci$'

run_spatches() { # SEMANTIC-PATCH...
	local patch options rc=0

	for patch; do
		read -r -a options < <(sed -n 's/.*Options: *//p;T;q' "$patch")
		spatch -D report --no-show-diff --very-quiet --cocci-file "$patch" \
			"${options[@]}" -I include/uapi "${SELECTED[@]}" || rc=$?
	done
	return "$rc"
}

check_coccicheck() {
	local patches rc=0

	mapfile -t patches < <(find "$(ktools_dir)/scripts/coccinelle" -name '*.cocci' |
		grep -vE "$COCCI_LEFT_OUT" | sort)
	[ ${#patches[@]} -gt 50 ] || die "coccicheck: the kernel's semantic patches are not there"
	select_files 'driver/*.c'
	share_out run_spatches "${patches[@]}" >"$SCRATCH/found" || rc=$?
	# About the semantic patch itself.
	sed '/^warning: line [0-9]*: should .* be a metavariable?$/d' "$SCRATCH/found"
	return "$rc"
}

defect_coccicheck() {
	cat >>driver/fault.c <<-'C'
		int pm_defect(struct pm_fault *fault)
		{
			int rc = 0;

			if (!fault)
				fault->err = 1;
			if (fault)
				kfree(fault);
			return rc;
		}
	C
	FILES=(driver/fault.c)
	EXPECTED=('Unneeded variable: "rc"' 'NULL check before some freeing functions'
		'fault is NULL but dereferenced')
}

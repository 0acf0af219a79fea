# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # its variables are for those who source it
# One run of a guest: its initramfs, QEMU, the command's output as it comes, the exit status.

# make_stage DIRECTORY: what this run adds to the cached image.
make_stage() {
	local stage=$1 kver

	kver=$(cat "$(kernel_dir)/version")
	mkdir -p "$stage/usr" "$stage/vm"
	cp -al "$(kernel_dir)/boot/." "$stage/" 2>/dev/null ||
		cp -a "$(kernel_dir)/boot/." "$stage/"
	[ ! -d "$BUILD/root" ] || stage_tree "$BUILD/root" "$stage"
	stage_added "$stage"
	rm -f "$stage/usr/lib/modules/$kver"/modules.{dep,alias,symbols,softdep,devname}*
	ln -s usr/lib "$stage/lib"
	depmod -b "$stage" "$kver"
	rm "$stage/lib"
	cp "$VM_DIR/guest/init" "$stage/init"
	write_config >"$stage/vm/config"
	[ ${#COMMAND[@]} -eq 0 ] || printf '%q ' "${COMMAND[@]}" >"$stage/vm/command"
}

# The image has a merged /usr: what would land in /lib and the like belongs below /usr.
stage_tree() { # FROM STAGE
	local name

	for name in "$1"/*; do
		case ${name##*/} in
		bin | sbin | lib)
			mkdir -p "$2/usr/${name##*/}"
			cp -a "$name/." "$2/usr/${name##*/}/"
			;;
		*)
			cp -a "$name" "$2/"
			;;
		esac
	done
}

stage_added() { # STAGE
	local spec file dest

	for spec in "${ADDED[@]}"; do
		file=${spec%%:*}
		dest=/root/
		[ "$file" = "$spec" ] || dest=${spec#*:}
		[ -e "$file" ] || die "--add: there is no $file"
		case $dest in
		/*) ;;
		*) dest=/root/$dest ;;
		esac
		[ "${dest%/}" = "$dest" ] || dest=$dest${file##*/}
		case $dest in
		/bin/* | /sbin/* | /lib/*) dest=/usr$dest ;;
		esac
		mkdir -p "$1$(dirname "$dest")"
		cp -aLT "$file" "$1$dest"
	done
}

write_config() {
	printf 'VM_HOSTNAME=%q\n' "perfmon-${ARCH//_/-}"
	printf 'VM_NO_LOAD=%q\n' "$NO_LOAD"
	printf 'VM_SHELL=%q\n' "$SHELL_MODE"
	printf 'VM_GET=%q\n' "${GET%%:*}"
	if [ -n "$SHELL_MODE" ]; then
		printf 'VM_ROWS=%q VM_COLUMNS=%q TERM=%q\n' "$(tput lines)" "$(tput cols)" \
			"${TERM:-linux}"
	fi
}

make_initrd() { # RUN-DIRECTORY
	make_stage "$1/stage"
	cp "$CACHE/$(image_item)/root.cpio" "$1/initrd"
	(cd "$1/stage" && find . -mindepth 1 -print0 |
		cpio --quiet --null -o -H newc --owner=0:0) >>"$1/initrd"
	rm -rf "$1/stage"
}

# add_icount RUN-DIRECTORY: instructions are time, and the CPUs take turns.
#
# QEMU 7.2 is unfair about the turns: a CPU runs until the next timer of the machine is due, and
# when it used all of that, the CPU after it gets nothing. A program that never sleeps can keep
# another CPU from running anything but its timer interrupt, for minutes. So each CPU of the guest
# is followed by one that the guest does not know of, which takes the empty turn; and a timer that
# fires every millisecond keeps the turns short: that of a packet filter which has no packets.
add_icount() {
	QEMU_COMMAND+=(-icount "shift=0,sleep=off")
	[ "$ARCH" = arm64 ] && [ "$SMP" -gt 1 ] || return 0
	QEMU_COMMAND+=(-smp "$((2 * SMP))" -netdev "hubport,id=turns,hubid=0"
		-object "filter-buffer,id=turn,netdev=turns,interval=1000")
	[ "$SMP" -le 4 ] || QEMU_COMMAND+=(-machine gic-version=3)
	"${QEMU_COMMAND[@]}" -machine "dumpdtb=$1/dtb" >"$1/qemu" 2>&1 || cat "$1/qemu" >&2
	hide_cpus "$1/dtb"
	QEMU_COMMAND+=(-dtb "$1/dtb")
}

# hide_cpus DTB: every second CPU of that description of a machine.
hide_cpus() {
	local cpus i

	mapfile -t cpus < <(fdtget -l "$1" /cpus | grep '^cpu@')
	fdtput -r "$1" /cpus/cpu-map
	for ((i = 1; i < ${#cpus[@]}; i += 2)); do
		fdtput -r "$1" "/cpus/${cpus[i]}"
	done
}

# qemu_command RUN-DIRECTORY: fills QEMU_COMMAND. A file takes what a port says, never a pipe: a
# reader that stops reading would stop the guest inside its driver, which then reports a lock-up.
qemu_command() {
	local name

	QEMU_COMMAND=("${QEMU[@]}" -smp "$SMP" -m "$MEMORY" -nodefaults -no-reboot -display none
		-kernel "$(kernel_dir)/vmlinuz" -initrd "$1/initrd"
		-append "console=$CONSOLE panic=-1 oops=panic rdinit=/init $APPEND"
		-chardev "file,id=log,path=$1/log" -serial chardev:log
		-device "virtio-serial-pci,max_ports=8")
	if [ "$ARCH" = arm64 ] && [ "$SMP" -gt 8 ]; then
		QEMU_COMMAND+=(-machine gic-version=3)
	fi
	[ -z "$ICOUNT" ] || add_icount "$1"
	if [ -n "$SHELL_MODE" ]; then
		QEMU_COMMAND+=(-chardev "stdio,id=console,signal=off"
			-device "virtconsole,chardev=console")
	fi
	for name in out err status get; do
		: >"$1/$name"
		QEMU_COMMAND+=(-chardev "file,id=$name,path=$1/$name"
			-device "virtserialport,chardev=$name,name=vm.$name")
	done
}

# follow FILE PID: copy FILE as it grows, until process PID is gone.
follow() {
	exec tail -q -n +1 -s 0.1 -f --pid="$2" "$1"
}

# Seconds until the kernel has said something, on a machine that does other things, too.
KERNEL_BEGINS=120

# kernel_begins RUN-DIRECTORY PID: waits for the kernel's first words. Fails when there are none.
kernel_begins() {
	local i

	for ((i = 0; i < KERNEL_BEGINS * 5; i++)); do
		! grep -aqs 'Linux version' "$1/log" || return 0
		kill -0 "$2" 2>/dev/null || return 0
		sleep 0.2
	done
	return 1
}

# Does this machine hang now and then, long before anything of ours is in it? The emulated firmware
# of riscv64 does. So does Linux 6.1 with PROVE_RCU: when its first task is interrupted while it
# makes the thread of RCU-tasks, it waits for a mutex that the thread keeps while it waits for work.
may_not_begin() {
	[ "$ARCH" = riscv64 ] || [ "$KERNEL" = debug ]
}

# start_machine RUN-DIRECTORY: CHILD is its process. A machine that is known to hang before it says
# anything is started again. No other one is: what hangs there is to be seen.
start_machine() {
	local try

	for try in 1 2 3; do
		start_child exec setpriv --pdeathsig TERM timeout -k 5 "$TIMEOUT" \
			"${QEMU_COMMAND[@]}" </dev/null >"$1/qemu" 2>&1
		if ! may_not_begin || [ "$try" -eq 3 ] || kernel_begins "$1" "$CHILD"; then
			return 0
		fi
		say "vm: the machine has not begun after $KERNEL_BEGINS seconds; starting it again"
		kill -TERM -- "-$CHILD"
		wait_child "$CHILD" || true
	done
}

# boot RUN-DIRECTORY: run the guest to its end. Its exit status is in $1/status, if it lived to
# write one; that of this function is timeout(1)'s.
boot() {
	local dir=$1 guest out err rc=0

	start_machine "$dir"
	guest=$CHILD
	start_child follow "$dir/out" "$guest"
	out=$CHILD
	start_child follow "$dir/err" "$guest" >&2
	err=$CHILD
	wait_child "$guest" || rc=$?
	wait_child "$out" || true
	wait_child "$err" || true
	return "$rc"
}

boot_shell() {
	say "(the kernel's log is $1/log, later $LOG; leave with exit)"
	setpriv --pdeathsig TERM "${QEMU_COMMAND[@]}"
}

# Whatever ends this run, its log remains.
keep_log() {
	[ -z "$GET" ] || [ ! -s "$RUN/get" ] || mv -f "$RUN/get" "${GET#*:}"
	[ ! -e "$RUN/log" ] || mv -f "$RUN/log" "$LOG"
}

# run_guest: everything from the cached items to the exit status, which it returns.
run_guest() {
	local rc=0

	RUN=$(mktemp -d "${TMPDIR:-/tmp}/perfmon-vm.XXXXXX")
	TEMP_PATHS+=("$RUN")
	AT_EXIT=keep_log
	mkdir -p "$(dirname "$LOG")"
	make_initrd "$RUN"
	unlock_build
	qemu_command "$RUN"
	if [ -n "$SHELL_MODE" ]; then
		boot_shell "$RUN" || rc=$?
	else
		boot "$RUN" || rc=$?
	fi
	judge "$RUN" "$rc"
}

# judge RUN-DIRECTORY QEMU-STATUS: say what went wrong with the machine; else the command's status.
judge() {
	local status defects

	# 137: it did not even heed the first signal.
	if [ "$2" -eq "$EXIT_TIMEOUT" ] || [ "$2" -eq 137 ]; then
		show_log "$1/log"
		say "vm: the guest did not end within $TIMEOUT seconds"
		return "$EXIT_TIMEOUT"
	fi
	if [ "$2" -ne 0 ]; then
		cat "$1/qemu" >&2
		die "qemu failed with exit status $2"
	fi
	if defects=$(log_defects "$1/log"); then
		show_log "$1/log" "${defects%%$'\n'*}"
		say "vm: the kernel reported:"
		say "$defects"
		return "$EXIT_BROKEN"
	fi
	status=$(cat "$1/status")
	if [ -z "$status" ]; then
		show_log "$1/log"
		say "vm: the guest died before the command ended"
		return "$EXIT_BROKEN"
	fi
	return "$status"
}

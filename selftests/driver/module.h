/* SPDX-License-Identifier: GPL-2.0-only */
/* The module, for programs that load it and remove it. */
#ifndef MODULE_H
#define MODULE_H

#include "perfmon_test.h"

static inline int module_remove(void)
{
	return syscall(SYS_delete_module, "perfmon", O_NONBLOCK) ? -errno : 0;
}

static inline int modprobe(char *parameter)
{
	char *const load[] = { "modprobe", "perfmon", parameter, NULL };

	return run_program(load);
}

/* And waits until udev has seen the node. */
static inline int module_load(char *parameter)
{
	char *const settle[] = { "udevadm", "settle", NULL };

	return modprobe(parameter) ?: run_program(settle);
}

static inline bool module_is_loaded(void)
{
	return access("/sys/module/perfmon", F_OK) == 0;
}

static inline bool module_is_installed(void)
{
	char *const dry_run[] = { "modprobe", "-n", "perfmon", NULL };

	return run_program(dry_run) == 0;
}

#define NEEDS_INSTALLED_MODULE() \
	NEEDS(module_is_installed(), "the module is not where modprobe finds it")

#endif

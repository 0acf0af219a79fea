// SPDX-License-Identifier: LGPL-2.1-or-later
/* /dev/perfmon, and what it can say about itself. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "device.h"
#include "message.h"

#define MAJOR(version)	((version) >> 16)

int device_open(void)
{
	return open(DEVICE_PATH, PERFMON_O_CONTROL | O_CLOEXEC);
}

/* Says why the device cannot be opened, and what to do. */
static void explain_open(int err)
{
	const char *advice;

	switch (err) {
	case ENOENT:
		if (!access("/sys/module/perfmon", F_OK))
			advice = ": the module is loaded, but udev has not made the node";
		else
			advice = ": the module is not loaded: sudo modprobe perfmon";
		break;
	case ENXIO:
	case ENODEV:
		advice = ": the node is there, its module is not: sudo modprobe perfmon";
		break;
	case EACCES:
	case EPERM:
		if (geteuid())
			advice = ": the device is root's: run cpustat with sudo";
		else
			advice = ": root may not either: the container or its policy forbids it";
		break;
	case EMFILE:
		advice = ": raise the limit, ulimit -n";
		break;
	default:
		advice = "";
	}
	message("open", DEVICE_PATH ": %s%s", strerror(err), advice);
}

static int read_info(int fd, struct perfmon_info *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	if (ioctl(fd, PERFMON_IOC_INFO, info)) {
		message("PERFMON_IOC_INFO", DEVICE_PATH " does not answer as perfmon does: %s",
			strerror(errno));
		return -1;
	}
	if (MAJOR(info->version) != MAJOR(PERFMON_VERSION)) {
		message("PERFMON_IOC_INFO",
			"the module speaks version %u, cpustat %u: install both from one source",
			MAJOR(info->version), MAJOR(PERFMON_VERSION));
		return -1;
	}
	return 0;
}

/* The driver has tried them when it was asked for its info, and keeps the reason. */
static int explain_no_hardware(int fd)
{
	struct perfmon_error error;

	if (device_error(fd, EACCES, &error))
		message("PERFMON_IOC_INFO", "%s", error.text);
	else
		message("PERFMON_IOC_INFO", "%s: cpustat -c context-switches,page-faults",
			device_error(fd, ENXIO, &error) ? error.text :
			"this machine has no hardware counters, only software events");
	return -1;
}

int device_check(bool need_hardware)
{
	struct perfmon_info info;
	int fd = device_open();
	int ret;

	if (fd < 0) {
		explain_open(errno);
		return -1;
	}
	ret = read_info(fd, &info);
	if (!ret && need_hardware && !(info.caps & PERFMON_CAP_HARDWARE))
		ret = explain_no_hardware(fd);
	close(fd);
	return ret;
}

bool device_error(int fd, int err, struct perfmon_error *error)
{
	memset(error, 0, sizeof(*error));
	error->size = sizeof(*error);
	return !ioctl(fd, PERFMON_IOC_ERROR, error) && error->err == err && error->text[0];
}

/* All holders, malloc'd; NULL when there are none to be had. */
static struct perfmon_holder *read_holders(int fd, unsigned int *n)
{
	struct perfmon_holders req = { .size = sizeof(req), .count = 64 };
	struct perfmon_holder *holders = NULL;
	unsigned int room;

	do {
		struct perfmon_holder *more = reallocarray(holders, req.count, sizeof(*more));

		if (!more) {
			free(holders);
			return NULL;
		}
		holders = more;
		room = req.count;
		req.holders = (uintptr_t)holders;
		if (ioctl(fd, PERFMON_IOC_HOLDERS, &req)) {
			free(holders);
			return NULL;
		}
	} while (req.count > room);
	*n = req.count;
	return holders;
}

bool device_holder(int fd, int cpu, struct perfmon_holder *holder)
{
	struct perfmon_holder *holders;
	bool found = false;
	unsigned int i, n;

	holders = read_holders(fd, &n);
	if (!holders)
		return false;
	for (i = 0; i < n && !found; i++) {
		found = holders[i].face == PERFMON_FACE_CPC && holders[i].cpu == cpu;
		if (found)
			*holder = holders[i];
	}
	free(holders);
	return found;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* Can the counters be used? */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "impl.h"

static int refuse(int err, const char *text)
{
	cpc_complain("access", "%s\n", text);
	errno = err;
	return -1;
}

static int refuse_open(int err)
{
	if (err == ENOENT || err == ENXIO || err == ENODEV)
		return refuse(ENOSYS, "there is no " CPC_DEVICE ": is the perfmon module loaded?");
	if (err == EPERM)
		err = EACCES;
	return refuse(err, strerror(err));
}

static int check(const struct perfmon_info *info)
{
	if (!(info->caps & PERFMON_CAP_HARDWARE))
		return refuse(ENOSYS, "the CPUs of this machine have no performance counters that "
				      "the kernel can use");
	if (info->shared_opens)
		return refuse(EAGAIN, "the performance counters are in use system-wide");
	return 0;
}

CPC_API int cpc_access(void)
{
	struct perfmon_info info = { .size = sizeof(info) };
	int fd, rc;

	fd = open(CPC_DEVICE, PERFMON_O_CONTROL | O_CLOEXEC);
	if (fd < 0)
		return refuse_open(errno);
	rc = ioctl(fd, PERFMON_IOC_INFO, &info);
	close(fd);
	/* Something else has taken the driver's place. */
	if (rc)
		return refuse(ENOSYS, CPC_DEVICE " is not the perfmon driver");
	return check(&info);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* Why a call failed, in words, for the thread that made it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>

#include "shared.h"

static __thread struct {
	int fd;
	char text[256];
} why;

CPC_API const char *cpc_shared_why(int fd)
{
	return why.fd == fd ? why.text : "";
}

void cpc_forget_why(int fd)
{
	if (why.fd == fd)
		why.text[0] = '\0';
}

int cpc_refuse(int fd, int err, const char *fmt, ...)
{
	va_list ap;

	why.fd = fd;
	va_start(ap, fmt);
	vsnprintf(why.text, sizeof(why.text), fmt, ap);
	va_end(ap);
	errno = err;
	return -1;
}

int cpc_refuse_fd(int fd)
{
	if (fcntl(fd, F_GETFD) < 0)
		return cpc_refuse(fd, EBADF, "descriptor %d is not open", fd);
	return cpc_refuse(fd, EINVAL, "descriptor %d is not from cpc_shared_open()", fd);
}

/* The kernel counts events in the order in which they were bound; programs know counters. */
static int pic_of(int index, unsigned int used)
{
	int pic;

	for (pic = 0; pic < CPC_MAX_PIC; pic++) {
		if ((used >> pic & 1) && index-- == 0)
			return pic;
	}
	return -1;
}

int cpc_refuse_as_kernel(int fd, int from, int err, unsigned int used)
{
	struct perfmon_error error = { .size = sizeof(error) };
	int pic;

	if (ioctl(from, PERFMON_IOC_ERROR, &error) || !error.err)
		return cpc_refuse(fd, err, "%s", strerror(err));
	pic = pic_of(error.index, used);
	if (pic >= 0)
		return cpc_refuse(fd, err, "pic%d: %.*s", pic, (int)sizeof(error.text), error.text);
	return cpc_refuse(fd, err, "%.*s", (int)sizeof(error.text), error.text);
}

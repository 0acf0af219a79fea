// SPDX-License-Identifier: LGPL-2.1-or-later
/* The life of a CPU's counters: open, bind, release, close. Samples are in sample.c. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/cpc.h>

#include "shared.h"

static int cannot_open(int err)
{
	switch (err) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
		return cpc_refuse(-1, ENXIO, "there is no " CPC_DEVICE
				  ": load the module with \"modprobe perfmon\"");
	case EPERM:
	case EACCES:
		return cpc_refuse(-1, EACCES, "you may not open " CPC_DEVICE
				  ": as shipped, only root may");
	default:
		return cpc_refuse(-1, err, CPC_DEVICE ": %s", strerror(err));
	}
}

static int open_errno(int err)
{
	switch (err) {
	case EPERM:
		return EACCES;
	case ENOTTY:			/* what is open is not our driver */
	case ENODEV:
		return ENXIO;
	default:
		return err;
	}
}

static int take_cpu(int fd)
{
	struct cpc_shared_open req = { .size = sizeof(req) };

	if (ioctl(fd, CPC_IOC_SHARED_OPEN, &req))
		return cpc_refuse_as_kernel(-1, fd, open_errno(errno), 0);
	if (cpc_fd_open(fd))
		return cpc_refuse(-1, ENOMEM, "out of memory");
	return 0;
}

CPC_API int cpc_shared_open(void)
{
	int fd, err;

	fd = open(CPC_DEVICE, PERFMON_O_CONTROL | O_CLOEXEC);
	if (fd < 0)
		return cannot_open(errno);
	if (take_cpu(fd)) {
		err = errno;
		close(fd);
		errno = err;
		return -1;
	}
	cpc_forget_why(fd);
	cpc_forget_why(-1);
	return fd;
}

/* The table first: once closed, the number may be another thread's new descriptor. */
CPC_API void cpc_shared_close(int fd)
{
	int saved = errno;
	struct cpc_fd *f = cpc_fd_lock(fd);

	if (f) {
		ioctl(fd, CPC_IOC_RELE);
		cpc_fd_close(f);
		cpc_fd_unlock(f);
		close(fd);
	}
	errno = saved;
}

static int bind_errno(int err)
{
	switch (err) {
	case EPERM:
		return EACCES;
	case ENOTTY:
		return EINVAL;
	default:
		return err;
	}
}

static int release(int fd)
{
	if (ioctl(fd, CPC_IOC_RELE))
		return cpc_refuse_as_kernel(fd, fd, bind_errno(errno), 0);
	return 0;
}

CPC_API int cpc_shared_rele(int fd)
{
	struct cpc_fd *f = cpc_fd_lock(fd);
	int rc;

	if (!f)
		return -1;
	rc = release(fd);
	cpc_fd_unlock(f);
	return rc;
}

/* The events of the used counters, in ascending order. Returns how many, or -1 with errno. */
static int collect(int fd, const cpc_event_t *event, unsigned int used,
		   struct perfmon_event list[CPC_MAX_PIC])
{
	char *why = NULL;
	int n = 0, pic, err;

	for (pic = 0; pic < CPC_MAX_PIC; pic++) {
		if (!(used >> pic & 1))
			continue;
		if (cpc_native_event(event, pic, &list[n++], &why)) {
			err = errno;
			cpc_refuse(fd, err, "%s", why ? why : strerror(err));
			free(why);
			errno = err;
			return -1;
		}
	}
	return n;
}

static void remember(struct cpc_fd *f, const cpc_event_t *event)
{
	f->used = event->ce_used;
	f->dense = (f->used & (f->used + 1)) ? 0 : __builtin_popcount(f->used);
	f->coded = event->ce_coded;
	memcpy(f->control, (const char *)event + CPC_CONTROL_AT, CPC_CONTROL_SIZE);
	memcpy(f->code, event->ce_code, CPC_CODE_SIZE);
}

static int program(int fd, struct cpc_fd *f, const cpc_event_t *event,
		   const struct perfmon_event *list, unsigned int n)
{
	struct cpc_bind req = {
		.size = sizeof(req),
		.nevents = n,
		.events = (uintptr_t)list,
	};
	int rc = 0;

	cpc_fd_begin_write(f);
	if (ioctl(fd, CPC_IOC_BIND, &req))
		rc = cpc_refuse_as_kernel(fd, fd, bind_errno(errno), event->ce_used);
	else
		remember(f, event);
	cpc_fd_end_write(f);
	return rc;
}

static int bind_locked(int fd, struct cpc_fd *f, cpc_event_t *event)
{
	struct perfmon_event list[CPC_MAX_PIC];
	int n;

	if (event->ce_cpuver != f->cpuver)
		return cpc_refuse(fd, EINVAL, "ce_cpuver is %d, this machine's is %d",
				  event->ce_cpuver, f->cpuver);
	event->ce_used = cpc_used(event);
	if (!event->ce_used)
		return cpc_refuse(fd, EINVAL, "the event uses no counter");
	n = collect(fd, event, event->ce_used, list);
	return n < 0 ? -1 : program(fd, f, event, list, n);
}

static int bind_event(int fd, struct cpc_fd *f, const cpc_event_t *event, int flags)
{
	cpc_event_t copy;

	/* No event means to release; that nothing is bound is then no error. */
	if (!event)
		return release(fd) && errno != EINVAL ? -1 : 0;
	if (flags)
		return cpc_refuse(fd, EINVAL, "flags 0x%x: a CPU's counters take none", flags);
	if (!cpc_readable(event, sizeof(*event)))
		return cpc_refuse(fd, EFAULT, "the event's address is bad");
	copy = *event;
	return bind_locked(fd, f, &copy);
}

CPC_API int cpc_shared_bind_event(int fd, cpc_event_t *event, int flags)
{
	struct cpc_fd *f = cpc_fd_lock(fd);
	int rc;

	if (!f)
		return -1;
	rc = bind_event(fd, f, event, flags);
	cpc_fd_unlock(f);
	return rc;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Descriptors: opened, closed while others use them, copied, sent from one process to another and
 * used after their opener's death; and those of the other user of the counters.
 */
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "request.h"

/* Puts a descriptor, or a negative errno, in place of what was there. */
static int replace(_Atomic int *slot, int fd)
{
	int old = atomic_exchange(slot, fd < 0 ? -1 : fd);

	if (old >= 0)
		close(old);
	return fd < 0 ? fd : 0;
}

/* There can be one writer on the machine, which is the first process, most of the time. */
static int mode_of(int slot)
{
	if (slot / OF_ROLE != PMIO)
		return PERFMON_O_CONTROL;
	return crew.process || slot % OF_ROLE ? O_RDONLY : O_RDWR;
}

void open_slots(void)
{
	int slot;

	for (slot = 0; slot < SLOTS; slot++)
		crew.fd[slot] = open(DEVICE, mode_of(slot) | O_CLOEXEC);
}

static void forget(_Atomic int *slot)
{
	if (*slot >= 0 && fcntl(*slot, F_GETFD) < 0)
		*slot = -1;
}

void forget_slots(void)
{
	int slot;

	for (slot = 0; slot < SLOTS; slot++)
		forget(&crew.fd[slot]);
	for (slot = 0; slot < PERF_SLOTS; slot++)
		forget(&crew.perf[slot]);
}

int op_open(struct worker *w)
{
	static const int extra[] = { O_NONBLOCK, O_APPEND, O_TRUNC, O_CREAT, O_PATH };
	int slot = random_slot(w), flags = mode_of(slot) | O_CLOEXEC, fd;

	if (one_in(&w->random, 16))
		flags = below(&w->random, 4) | O_CLOEXEC;
	if (one_in(&w->random, 16))
		flags |= extra[below(&w->random, ARRAY_SIZE(extra))];
	if (!note(w, "slot %lld = open(%#llx)", slot, flags))
		return NOTHING_DONE;
	fd = open(DEVICE, flags, 0600);
	if (fd < 0) {
		fd = -errno;
		if (fd != -EBUSY && fd != -EACCES && fd != -ENOMEM && fd != -ENXIO && fd != -EMFILE)
			broken(w, "open gives %d", fd);
	}
	/* What can be had no better stays. */
	return fd < 0 ? fd : replace(&crew.fd[slot], fd);
}

int op_close(struct worker *w)
{
	int slot = random_slot(w);

	if (!note(w, "close slot %lld", slot))
		return NOTHING_DONE;
	return replace(&crew.fd[slot], -1) == -1 ? 0 : NOTHING_DONE;
}

int op_dup(struct worker *w)
{
	int from = random_slot(w), to = from - from % OF_ROLE + below(&w->random, OF_ROLE), fd;

	if (!note(w, "slot %lld = dup of slot %lld", to, from) || from == to)
		return NOTHING_DONE;
	fd = fcntl(crew.fd[from], F_DUPFD_CLOEXEC, 3);
	return fd < 0 ? -errno : replace(&crew.fd[to], fd);
}

union control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(sizeof(int))];
};

int op_send(struct worker *w)
{
	int slot = random_slot(w), fd = crew.fd[slot];
	union control control = { .bytes = { 0 } };
	char byte = 0;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	if (!note(w, "send slot %lld", slot) || fd < 0)
		return NOTHING_DONE;
	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(int));
	return sendmsg(crew.sock[0], &msg, MSG_DONTWAIT) < 0 ? -errno : 0;
}

int op_receive(struct worker *w)
{
	union control control;
	char byte;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	int slot = random_slot(w), fd;
	struct cmsghdr *cmsg;

	if (!note(w, "receive into slot %lld", slot))
		return NOTHING_DONE;
	if (recvmsg(crew.sock[1], &msg, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) < 0)
		return -errno;
	cmsg = CMSG_FIRSTHDR(&msg);
	if (!cmsg || cmsg->cmsg_type != SCM_RIGHTS)
		return NOTHING_DONE;
	memcpy(&fd, CMSG_DATA(cmsg), sizeof(int));
	return replace(&crew.fd[slot], fd);
}

int op_poll(struct worker *w)
{
	struct pollfd p = { .fd = random_fd(w), .events = any(&w->random) };
	unsigned int ms = below(&w->random, 16);
	int ret;

	/* Most do not wait: those who do keep nobody busy. */
	if (!note(w, "poll slot %lld for %#llx, %llu ms", w->slot, p.events, ms < 3 ? ms : 0))
		return NOTHING_DONE;
	ret = poll(&p, 1, ms < 3 ? ms : 0);
	return ret < 0 ? -errno : ret;
}

/* What the device has no meaning for. */
int op_misuse(struct worker *w)
{
	int fd = random_fd(w), which = below(&w->random, 5);
	char buf[64] = { 0 };
	ssize_t ret = -1;
	void *at;

	if (!note(w, "misuse %lld of slot %lld", which, w->slot))
		return NOTHING_DONE;
	switch (which) {
	case 0:
		ret = read(fd, buf, sizeof(buf));
		break;
	case 1:
		ret = write(fd, buf, sizeof(buf));
		break;
	case 2:
		at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
		ret = at == MAP_FAILED ? -1 : 0;
		break;
	case 3:
		ret = pread(fd, buf, sizeof(buf), edge_number(&w->random));
		break;
	case 4:
		ret = fcntl(fd, F_SETFL, any(&w->random) & (O_NONBLOCK | O_APPEND | O_ASYNC));
		return ret < 0 ? -errno : 0;
	}
	/*
	 * The number may by now be another thread's: of a file in sysfs that is being written, or
	 * of an event of perf, which can be read.
	 */
	return ret < 0 ? -errno : 0;
}

int op_perf_open(struct worker *w)
{
	struct perf_event_attr attr = {
		.type = one_in(&w->random, 4) ? PERF_TYPE_SOFTWARE : PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = below(&w->random, PERF_COUNT_HW_MAX),
		.pinned = !one_in(&w->random, 4),
		.disabled = one_in(&w->random, 4),
		.exclude_kernel = one_in(&w->random, 4),
	};
	int hardware = machine_hardware(any(&w->random));
	bool task = one_in(&w->random, 4);
	int slot = below(&w->random, PERF_SLOTS), cpu = below(&w->random, machine_cpus());
	int fd;

	if (attr.type == PERF_TYPE_HARDWARE && hardware >= 0)
		attr.config = hardware;
	if (!note(w, "perf slot %lld: type %llu config %llu CPU %lld pinned %llu disabled %llu",
		  slot, attr.type, attr.config, task ? -1 : cpu, attr.pinned, attr.disabled))
		return NOTHING_DONE;
	fd = syscall(SYS_perf_event_open, &attr, task ? 0 : -1, task ? -1 : cpu, -1,
		     PERF_FLAG_FD_CLOEXEC);
	return replace(&crew.perf[slot], fd < 0 ? -errno : fd);
}

int op_perf_close(struct worker *w)
{
	int slot = below(&w->random, PERF_SLOTS);

	if (!note(w, "close perf slot %lld", slot))
		return NOTHING_DONE;
	return replace(&crew.perf[slot], -1) == -1 ? 0 : NOTHING_DONE;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Is a pointer good? The original's kernel copied events in and out and said EFAULT. Here the
 * library reads them, and asks the kernel first by letting it read or write there: system calls
 * that do nothing else.
 */
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shared.h"

#define SIGSET_BYTES	(_NSIG / 8)
#define NO_SUCH_HOW	(-1)		/* the set is read first, and then not used */

static bool can_read(const void *at)
{
	return syscall(SYS_rt_sigprocmask, NO_SUCH_HOW, at, NULL, SIGSET_BYTES) == 0 ||
	       errno != EFAULT;
}

bool cpc_readable(const void *at, size_t size)
{
	int saved = errno;
	bool yes;

	/* No object of ours is so large that it has a page between its first and its last. */
	yes = at && can_read(at) && can_read((const char *)at + size - SIGSET_BYTES);
	errno = saved;
	return yes;
}

bool cpc_writable(uint32_t *at)
{
	return syscall(SYS_getcpu, at, NULL, NULL) == 0;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lines on stdout. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "output.h"

static atomic_bool failed;

/* Returns 0 or an errno. A pipe or a terminal may take a line in pieces. */
static int write_all(const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(STDOUT_FILENO, text, len);

		if (n < 0 && errno != EINTR)
			return errno;
		if (n > 0) {
			text += n;
			len -= n;
		}
	}
	return 0;
}

bool output_line(char *line)
{
	int err = line ? write_all(line, strlen(line)) : ENOMEM;

	free(line);
	if (!err)
		return true;
	/* of many threads that fail at once, one says why */
	if (err != EPIPE && !atomic_exchange(&failed, true))
		message("write", "cannot write the counts: %s", strerror(err));
	return false;
}

bool output_failed(void)
{
	return failed;
}

void output_guard(void)
{
	int fd;

	do {
		/* the wrong way round for use, so that using one still gives EBADF */
		fd = open("/dev/null", O_RDONLY);
		if (fd == STDIN_FILENO) {
			close(fd);
			fd = open("/dev/null", O_WRONLY);
		}
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

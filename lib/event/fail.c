// SPDX-License-Identifier: LGPL-2.1-or-later
/* Refusals in words. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "internal.h"

int pme_fail(char **why, int err, const char *fmt, ...)
{
	va_list ap;

	if (why) {
		va_start(ap, fmt);
		if (vasprintf(why, fmt, ap) < 0)
			*why = NULL;
		va_end(ap);
	}
	errno = err;
	return -1;
}

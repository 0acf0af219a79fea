// SPDX-License-Identifier: LGPL-2.1-or-later
/* What cpustat has to say on stderr. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "message.h"

bool message_debug;

void message(const char *fn, const char *fmt, ...)
{
	char text[2048];
	size_t len;
	va_list ap;

	snprintf(text, sizeof(text), "cpustat: %s%s", message_debug ? fn : "",
		 message_debug ? ": " : "");
	len = strlen(text);
	va_start(ap, fmt);
	vsnprintf(text + len, sizeof(text) - len - 1, fmt, ap);
	va_end(ap);
	len = strlen(text);
	text[len++] = '\n';
	if (write(STDERR_FILENO, text, len) < 0)
		return;		/* nowhere is left to say it */
}

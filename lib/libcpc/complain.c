// SPDX-License-Identifier: LGPL-2.1-or-later
/* Messages. */
#include <stdio.h>

#include "impl.h"

static __attribute__((format(printf, 2, 0)))
void to_stderr(const char *fn, const char *fmt, va_list ap)
{
	fprintf(stderr, "libcpc: %s: ", fn);
	vfprintf(stderr, fmt, ap);
}

static cpc_errfn_t *error_function = to_stderr;

CPC_API void cpc_seterrfn(cpc_errfn_t *errfn)
{
	error_function = errfn ? errfn : to_stderr;
}

void cpc_complain(const char *fn, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	error_function(fn, fmt, ap);
	va_end(ap);
}

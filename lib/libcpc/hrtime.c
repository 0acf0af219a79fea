// SPDX-License-Identifier: LGPL-2.1-or-later
#include <time.h>

#include "impl.h"

CPC_API hrtime_t gethrtime(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

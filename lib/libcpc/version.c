// SPDX-License-Identifier: LGPL-2.1-or-later
#include "impl.h"

CPC_API uint_t cpc_version(uint_t ver)
{
	return ver == CPC_VER_NONE || ver == CPC_VER_CURRENT ? CPC_VER_CURRENT : CPC_VER_NONE;
}

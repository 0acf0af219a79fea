// SPDX-License-Identifier: LGPL-2.1-or-later
/* The items of a specification. */
#include <stdbool.h>

#include "internal.h"

char *pme_next_item(char **rest)
{
	char *item = *rest, *p;
	bool inside = false;

	if (!item)
		return NULL;
	for (p = item; *p; p++) {
		if (*p == '/')
			inside = !inside;
		else if (*p == ',' && !inside)
			break;
	}
	*rest = *p ? p + 1 : NULL;
	*p = '\0';
	return item;
}

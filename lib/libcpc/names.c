// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tables of events. */
#include <stdio.h>

#include "impl.h"
#include "internal.h"

const struct cpc_name *cpc_name_find(const struct cpc_name *table, const char *name,
				     unsigned int pic)
{
	for (; table->name; table++) {
		if ((table->pics >> pic & 1) && !strcmp(table->name, name))
			return table;
	}
	return NULL;
}

bool cpc_parse_number(const char *text, unsigned long max, unsigned long *value)
{
	unsigned long long n;

	if (!pme_number(text, 0, &n) || n > max)
		return false;
	*value = n;
	return true;
}

char *cpc_name_of(const struct cpc_name *table, uint8_t code, unsigned int pic)
{
	char *text;

	for (; table->name; table++) {
		if ((table->pics >> pic & 1) && table->code == code)
			return strdup(table->name);
	}
	return asprintf(&text, "0x%x", code) < 0 ? NULL : text;
}

void cpc_name_walk(const struct cpc_name *table, unsigned int pic, void *arg,
		   void (*action)(void *arg, int regno, const char *name, uint8_t bits))
{
	for (; table->name; table++) {
		if (table->pics >> pic & 1)
			action(arg, pic, table->name, table->code);
	}
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* -h: the events of this machine. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "event.h"
#include "list.h"
#include "message.h"
#include "options.h"

#define NAME_COLUMN	2
#define TEXT_COLUMN	28
#define NARROWEST	60
#define WIDEST		110

struct list {
	int width;
	unsigned long events;
	char group[64];		/* of the last event */
};

static int page_width(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return 80;
	if (size.ws_col < NARROWEST)
		return NARROWEST;
	return size.ws_col < WIDEST ? size.ws_col : WIDEST;
}

/* Words that begin in column `at`, continued at TEXT_COLUMN; ends the line. */
static void put_wrapped(const char *text, int at, int width)
{
	int column = at;

	while (*(text += strspn(text, " \t\n"))) {
		int len = strcspn(text, " \t\n");

		if (column > at && column + 1 + len > width) {
			printf("\n%*s", TEXT_COLUMN, "");
			at = TEXT_COLUMN;
			column = at;
		}
		column += printf("%s%.*s", column > at ? " " : "", len, text);
		text += len;
	}
	putchar('\n');
}

static void put_group(struct list *list, const char *group)
{
	if (!strncmp(list->group, group, sizeof(list->group) - 1))
		return;
	snprintf(list->group, sizeof(list->group), "%s", group);
	printf("%s%s events:\n", list->events ? "\n" : "", group);
}

static int put_event(const struct pme_info *info, void *arg)
{
	struct list *list = arg;
	int column;

	put_group(list, info->group);
	list->events++;
	column = printf("%*s%s", NAME_COLUMN, "", info->name);
	if (!info->desc[0]) {
		putchar('\n');
		return 0;
	}
	if (column > TEXT_COLUMN - 2) {
		putchar('\n');
		column = 0;
	}
	printf("%*s", TEXT_COLUMN - column, "");
	put_wrapped(info->desc, TEXT_COLUMN, list->width);
	return ferror(stdout);		/* there is no use in going on then */
}

int list_events(const char *pattern)
{
	struct list list = { .width = page_width() };

	if (!pattern)
		printf("%s\nCPU: %s\n\n", options_usage, pme_cpu_name());
	pme_walk(pattern, put_event, &list);
	if (fflush(stdout) || ferror(stdout)) {
		message("list", "cannot write the list: %s", strerror(errno));
		return STATUS_FAILED;
	}
	if (list.events)
		return STATUS_OK;
	if (pattern)
		message("pme_walk", "no event of this machine has \"%s\" in it", pattern);
	else
		message("pme_walk", "no event of this machine is known by name");
	return STATUS_FAILED;
}

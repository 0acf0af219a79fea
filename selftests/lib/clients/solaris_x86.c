// SPDX-License-Identifier: GPL-2.0-only
/* A program as one writes it for libcpc v1 on x86: one CPU, an event made by hand. */
#include <libcpc.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define INST_RETIRED	0xc0
#define CLK_UNHALTED	0x79
#define USR		(1 << 16)
#define OS		(1 << 17)

static int bind_again(cpc_event_t *event, int *fd)
{
	cpc_shared_close(*fd);
	*fd = cpc_shared_open();
	return *fd < 0 ? -1 : cpc_shared_bind_event(*fd, event, 0);
}

int main(void)
{
	cpc_event_t event, before, after, diff;
	processorid_t old;
	int fd, i;

	if (cpc_version(CPC_VER_CURRENT) != CPC_VER_CURRENT) {
		fprintf(stderr, "version mismatch\n");
		return 1;
	}
	if (cpc_getcpuver() == -1) {
		fprintf(stderr, "no performance counters\n");
		return 1;
	}
	if (processor_bind(P_LWPID, P_MYID, 0, &old) != 0) {
		perror("processor_bind");
		return 1;
	}
	if ((fd = cpc_shared_open()) == -1) {
		perror("cpc_shared_open");
		return 1;
	}
	(void) memset(&event, 0, sizeof (event));
	event.ce_cpuver = cpc_getcpuver();
	event.ce_pes[0] = INST_RETIRED | USR | OS;
	event.ce_pes[1] = CLK_UNHALTED | USR | OS;
	event.ce_pic[0] = event.ce_pic[1] = 0;
	if (cpc_shared_bind_event(fd, &event, 0) == -1) {
		perror("cpc_shared_bind_event");
		return 1;
	}
	(void) memset(&before, 0, sizeof (before));
	for (i = 0; i < 10; i++) {
		(void) sleep(1);
		if (cpc_shared_take_sample(fd, &after) == -1) {
			if (errno != EAGAIN || bind_again(&event, &fd) == -1)
				break;
			continue;
		}
		cpc_event_diff(&diff, &after, &before);
		(void) printf("%lld: %" PRId64 " %" PRId64 " tsc %" PRIu64 "\n",
		    (long long)diff.ce_hrt, (int64_t)diff.ce_pic[0], (int64_t)diff.ce_pic[1],
		    diff.ce_tsc);
		before = after;
	}
	(void) cpc_shared_rele(fd);
	cpc_shared_close(fd);
	return event.ce_cesr != (INST_RETIRED | USR | OS);
}

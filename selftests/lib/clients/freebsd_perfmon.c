// SPDX-License-Identifier: GPL-2.0-only
/* A program as one writes it for FreeBSD's perfmon(4): counts an event around a command. */
#include <sys/types.h>
#include <sys/ioctl.h>
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <machine/cpu.h>
#include <machine/perfmon.h>

static void usage(const char *) __dead2;

static void usage(const char *me)
{
	fprintf(stderr, "usage: %s [-eiou] [-c command] [-l loops] [-m mask] [-s seconds] "
		"[-U unit] event\n", me);
	exit(1);
}

static u_char byte(const char *text)
{
	long n = strtol(text, NULL, 0);

	if (n < 0 || n > 255)
		errx(1, "%s: not from 0 to 255", text);
	return n;
}

static void wait_a_while(const char *command, unsigned int seconds)
{
	if (!command)
		sleep(seconds);
	else if (system(command) < 0)
		err(1, "%s", command);
}

int main(int argc, char **argv)
{
	int fd, c, i, loops = 50, counter = 0;
	struct pmc pmc;
	struct pmc_data data;
	struct pmc_tstamp before, after;
	const char *command = NULL;
	unsigned int seconds = 1;
	quad_t total = 0;

	pmc.pmc_num = 0;
	pmc.pmc_val = 0;
	while ((c = getopt(argc, argv, "c:eil:m:os:uU:")) != -1) {
		switch (c) {
		case 'c': command = optarg; break;
		case 'e': pmc.pmc_flags |= PMCF_E; break;
		case 'i': pmc.pmc_flags |= PMCF_INV; break;
		case 'l': loops = atoi(optarg); break;
		case 'm': pmc.pmc_mask = byte(optarg); break;
		case 'o': pmc.pmc_flags |= PMCF_OS; break;
		case 's': seconds = atoi(optarg); break;
		case 'u': pmc.pmc_flags |= PMCF_USR; break;
		case 'U': pmc.pmc_unit = byte(optarg); break;
		default: usage(argv[0]);
		}
	}
	if (optind != argc - 1 || loops < 1)
		usage(argv[0]);
	pmc.pmc_event = byte(argv[optind]);

	fd = open(_PATH_PERFMON, O_RDWR, 0);
	if (fd < 0)
		err(1, "open: %s", _PATH_PERFMON);
	if (ioctl(fd, PMIOSETUP, &pmc) < 0)
		err(1, "ioctl(PMIOSETUP)");
	if (ioctl(fd, PMIOTSTAMP, &before) < 0)
		err(1, "ioctl(PMIOTSTAMP)");
	if (ioctl(fd, PMIOSTART, &counter) < 0)
		err(1, "ioctl(PMIOSTART)");
	for (i = 0; i < loops; i++) {
		wait_a_while(command, seconds);
		if (ioctl(fd, PMIOSTOP, &counter) < 0)
			err(1, "ioctl(PMIOSTOP)");
		data.pmcd_num = 0;
		if (ioctl(fd, PMIOREAD, &data) < 0)
			err(1, "ioctl(PMIOREAD)");
		if (ioctl(fd, PMIORESET, &counter) < 0)
			err(1, "ioctl(PMIORESET)");
		if (ioctl(fd, PMIOSTART, &counter) < 0)
			err(1, "ioctl(PMIOSTART)");
		printf("%d: %lld\n", i, (long long)data.pmcd_value);
		total += data.pmcd_value;
	}
	if (ioctl(fd, PMIOGET, &pmc) < 0)
		err(1, "ioctl(PMIOGET)");
	if (ioctl(fd, PMIOSTOP, &counter) < 0)
		err(1, "ioctl(PMIOSTOP)");
	if (ioctl(fd, PMIOTSTAMP, &after) < 0)
		err(1, "ioctl(PMIOTSTAMP)");
	printf("total: %lld\nmean: %lld\n", (long long)total, (long long)(total / loops));
	printf("clocks at %d MHz: %lld\n", before.pmct_rate,
	       (long long)(after.pmct_value - before.pmct_value));
	return PMC_ALL == -1 && NPMC >= 2 && PMC6_INST_RETIRED == 0xc0 ? 0 : 1;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which event gets which counter, where events do not fit everywhere. An event is refused only
 * when there is no way to place them all: those that are there already move for it, as perf does
 * it with the hardware of x86.
 */
#include <linux/bits.h>

#include "sim.h"

#define SIM_NEWCOMER	0xff

/*
 * Looks for a free counter along the shortest chain of moves. from[c] is the counter whose event
 * would move to c. Return: the free counter, or -1.
 */
static int sim_find_chain(const struct sim_layout *layout, u32 fits, u8 *from)
{
	u8 queue[SIM_MAX_COUNTERS];
	unsigned int head = 0, tail = 0;
	u8 mover = SIM_NEWCOMER;
	u32 seen = 0;

	for (;;) {
		u32 more = fits & ~seen;

		seen |= more;
		for (; more; more &= more - 1) {
			queue[tail] = __ffs(more);
			from[queue[tail++]] = mover;
		}
		if (head == tail)
			return -1;
		mover = queue[head++];
		if (!(layout->taken & BIT(mover)))
			return mover;
		fits = sim_event(layout->event[mover])->fits;
	}
}

int sim_place(struct sim_layout *layout, struct perf_event *event)
{
	u8 from[SIM_MAX_COUNTERS];
	int counter = sim_find_chain(layout, sim_event(event)->fits, from);

	if (counter < 0)
		return -EAGAIN;
	layout->taken |= BIT(counter);
	for (; from[counter] != SIM_NEWCOMER; counter = from[counter])
		layout->event[counter] = layout->event[from[counter]];
	layout->event[counter] = event;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>

#include "random.h"

uint32_t edge_number(struct random *r)
{
	static const uint32_t numbers[] = {
		0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 96, 127, 128, 255,
		256, 4095, 4096, 4097, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7ffffffe, 0x7fffffff,
		0x80000000, 0x80000001, 0xfffffff0, 0xfffffffe, 0xffffffff,
	};

	return one_in(r, 8) ? any(r) : numbers[below(r, sizeof(numbers) / sizeof(numbers[0]))];
}

uint64_t edge_number64(struct random *r)
{
	switch (below(r, 4)) {
	case 0:
		return edge_number(r);
	case 1:
		return (uint64_t)edge_number(r) << below(r, 33);
	case 2:
		return -(uint64_t)edge_number(r);
	default:
		return any64(r);
	}
}

uint32_t small_number(struct random *r, uint32_t n)
{
	return one_in(r, 16) ? edge_number(r) : below(r, n);
}

uint32_t zero_mostly(struct random *r)
{
	return one_in(r, 24) ? edge_number(r) : 0;
}

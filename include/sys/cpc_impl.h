/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flags of cpc_bind_event(3) and its family. Included by <libcpc.h>. */
#ifndef _SYS_CPC_IMPL_H
#define _SYS_CPC_IMPL_H

/* Both are of the per-thread interface: cpc_shared_bind_event() refuses them, EINVAL. */
#define CPC_BIND_LWP_INHERIT	0x1
#define CPC_BIND_EMT_OVF	0x2

#endif

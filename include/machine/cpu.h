/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs written for FreeBSD's perfmon(4) include this file; they need nothing of it. */

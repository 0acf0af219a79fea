// SPDX-License-Identifier: LGPL-2.1-or-later
/* The Pentium Pro family, with the names that Solaris gave its events. */
#include <errno.h>

#include "impl.h"
#include "internal.h"

#define PIC0	1
#define PIC1	2
#define BOTH	(PIC0 | PIC1)

static const struct cpc_name p6_names[] = {
	{ "data_mem_refs", 0x43, BOTH },
	{ "dcu_lines_in", 0x45, BOTH },
	{ "dcu_m_lines_in", 0x46, BOTH },
	{ "dcu_m_lines_out", 0x47, BOTH },
	{ "dcu_miss_outstanding", 0x48, BOTH },
	{ "ifu_ifetch", 0x80, BOTH },
	{ "ifu_ifetch_miss", 0x81, BOTH },
	{ "itlb_miss", 0x85, BOTH },
	{ "ifu_mem_stall", 0x86, BOTH },
	{ "ild_stall", 0x87, BOTH },
	{ "l2_ads", 0x21, BOTH },
	{ "l2_dbus_busy", 0x22, BOTH },
	{ "l2_dbus_busy_rd", 0x23, BOTH },
	{ "l2_lines_in", 0x24, BOTH },
	{ "l2_m_lines_inm", 0x25, BOTH },
	{ "l2_lines_out", 0x26, BOTH },
	{ "l2_m_lines_outm", 0x27, BOTH },
	{ "l2_ifetch", 0x28, BOTH },
	{ "l2_ld", 0x29, BOTH },
	{ "l2_st", 0x2a, BOTH },
	{ "l2_rqsts", 0x2e, BOTH },
	{ "bus_req_outstanding", 0x60, BOTH },
	{ "bus_bnr_drv", 0x61, BOTH },
	{ "bus_drdy_clocks", 0x62, BOTH },
	{ "bus_lock_clocks", 0x63, BOTH },
	{ "bus_data_rcv", 0x64, BOTH },
	{ "bus_tran_brd", 0x65, BOTH },
	{ "bus_tran_rfo", 0x66, BOTH },
	{ "bus_trans_wb", 0x67, BOTH },
	{ "bus_tran_ifetch", 0x68, BOTH },
	{ "bus_tran_inval", 0x69, BOTH },
	{ "bus_tran_pwr", 0x6a, BOTH },
	{ "bus_trans_p", 0x6b, BOTH },
	{ "bus_trans_io", 0x6c, BOTH },
	{ "bus_tran_def", 0x6d, BOTH },
	{ "bus_tran_burst", 0x6e, BOTH },
	{ "bus_tran_mem", 0x6f, BOTH },
	{ "bus_tran_any", 0x70, BOTH },
	{ "bus_hit_drv", 0x7a, BOTH },
	{ "bus_hitm_drv", 0x7b, BOTH },
	{ "bus_snoop_stall", 0x7e, BOTH },
	{ "flops", 0xc1, PIC0 },
	{ "fp_comp_ops_exe", 0x10, PIC0 },
	{ "fp_assist", 0x11, PIC1 },
	{ "mul", 0x12, PIC1 },
	{ "div", 0x13, PIC1 },
	{ "cycles_div_busy", 0x14, PIC0 },
	{ "ld_blocks", 0x03, BOTH },
	{ "sb_drains", 0x04, BOTH },
	{ "misalign_mem_ref", 0x05, BOTH },
	{ "segment_reg_loads", 0x06, BOTH },
	{ "cpu_clk_unhalted", 0x79, BOTH },
	{ "resource_stalls", 0xa2, BOTH },
	{ "inst_retired", 0xc0, BOTH },
	{ "uops_retired", 0xc2, BOTH },
	{ "br_inst_retired", 0xc4, BOTH },
	{ "br_miss_pred_retired", 0xc5, BOTH },
	{ "cycles_int_masked", 0xc6, BOTH },
	{ "cycles_int_pending_and_masked", 0xc7, BOTH },
	{ "hw_int_rx", 0xc8, BOTH },
	{ "br_taken_retired", 0xc9, BOTH },
	{ "br_miss_pred_taken_ret", 0xca, BOTH },
	{ "inst_decoder", 0xd0, BOTH },
	{ "partial_rat_stalls", 0xd2, BOTH },
	{ "br_inst_decoded", 0xe0, BOTH },
	{ "btb_misses", 0xe2, BOTH },
	{ "br_bogus", 0xe4, BOTH },
	{ "baclears", 0xe6, BOTH },
	{ NULL, 0, 0 },
};

static const struct cpc_name mmx_names[] = {
	{ "mmx_instr_exec", 0xb0, BOTH },
	{ "mmx_sat_instr_exec", 0xb1, BOTH },
	{ "mmx_uops_exec", 0xb2, BOTH },
	{ "mmx_instr_type_exec", 0xb3, BOTH },
	{ "fp_mmx_trans", 0xcc, BOTH },
	{ "mmx_assists", 0xcd, BOTH },
	{ "mmx_instr_ret", 0xce, BOTH },
	{ "seg_rename_stalls", 0xd4, BOTH },
	{ "seg_reg_renames", 0xd5, BOTH },
	{ "ret_seg_renames", 0xd6, BOTH },
	{ NULL, 0, 0 },
};

static const struct cpc_flag flags[] = {
	{ .name = "nouser", .bit = CPC_PES_USR, .clears = true },
	{ .name = "sys", .bit = CPC_PES_OS },
	{ .name = "noedge", .bit = CPC_PES_E, .clears = true },
	{ .name = "int", .bit = CPC_PES_INT },
	{ .name = "inv", .bit = CPC_PES_INV },
	{ .name = "pc", .bit = CPC_PES_PC },
	{ NULL, 0, false, false },
};

static bool has_mmx(int cpuver)
{
	return cpuver == CPC_PENTIUM_PRO_MMX;
}

static const char *name(int cpuver)
{
	return has_mmx(cpuver) ? "Pentium Pro with MMX, Pentium II" :
				 "Pentium Pro, Pentium II";
}

static bool find_code(const cpc_event_t *event, unsigned int pic, const char *text,
		      unsigned long *code)
{
	const struct cpc_name *entry = cpc_name_find(p6_names, text, pic);

	if (!entry && has_mmx(event->ce_cpuver))
		entry = cpc_name_find(mmx_names, text, pic);
	if (entry)
		*code = entry->code;
	return entry || cpc_parse_number(text, 0xff, code);
}

static int encode(cpc_event_t *event, unsigned int pic, const char *text, char **why)
{
	unsigned long code;

	if (!find_code(event, pic, text, &code))
		return pme_fail(why, EINVAL, "\"%s\" is no event that counter %u can count", text,
				pic);
	/* Solaris counted occurrences on these CPUs, if not told otherwise. */
	event->ce_pes[pic] = code | CPC_PES_USR | CPC_PES_E;
	event->ce_used |= 1u << pic;
	return 0;
}

static char *decode(const cpc_event_t *event, unsigned int pic)
{
	uint8_t code = event->ce_pes[pic] & CPC_PES_EVENT;
	const struct cpc_name *entry;

	for (entry = mmx_names; has_mmx(event->ce_cpuver) && entry->name; entry++) {
		if (entry->code == code)
			return strdup(entry->name);
	}
	return cpc_name_of(p6_names, code, pic);
}

static void walk(int cpuver, unsigned int pic, void *arg,
		 void (*action)(void *arg, int regno, const char *name, uint8_t bits))
{
	cpc_name_walk(p6_names, pic, arg, action);
	if (has_mmx(cpuver))
		cpc_name_walk(mmx_names, pic, arg, action);
}

const struct cpc_cpu cpc_cpu_p6 = {
	.name = name,
	.ref = "See Appendix A of the \"Intel Architecture Software Developer's Manual, Volume 3: "
	       "System Programming Guide\", 243192",
	.usage = "[pic0=]<event0>[,[pic1=]<event1>] [,sys[0|1]] [,nouser[0|1]] [,noedge[0|1]] "
		 "[,int[0|1]] [,inv[0|1]] [,pc[0|1]] [,cmask[0|1]=<0-255>] [,umask[0|1]=<0-255>]",
	.npic = 2,
	.numbered = true,
	.masks = true,
	.flags = flags,
	.word = cpc_pes_word,
	.set_word = cpc_pes_set_word,
	.encode = encode,
	.decode = decode,
	.walk = walk,
};

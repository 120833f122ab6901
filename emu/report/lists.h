/* SPDX-License-Identifier: MIT
 * The parts of a report that are lists. */
#ifndef EMU_REPORT_LISTS_H
#define EMU_REPORT_LISTS_H

#include "emu/report/report.h"

/* Energy of the kernel: datapath, front end and static; its micro-ops. */
uint64_t report_kernel_energy_fj(const struct report_run *run);
uint64_t report_kernel_micro_ops(const struct report_run *run);
/* Loading, the kernel, and the transfers of data so far. */
struct report_sum {
    bool known;
    uint64_t time_ps, energy_fj;
};
struct report_sum report_end_to_end(const struct report_run *run);
/* Where time and energy went: micro-ops by kind, transfers, front end, static, host. */
void report_by_component(const struct report_run *run, struct figures *figures);
/* By mnemonic and width, in the order of opcodes. */
void report_by_instruction(const struct report_run *run, struct figures *figures);
/* By source line, in the order of file and line; what has no line is left out. */
void report_by_line(const struct report_run *run, struct figures *figures);
/* By kernel, in the order in which they were launched first; nothing where the machine does not say
 * what places of kernels took.  Where it has figures of its own of them also by line of kernels and
 * of the sources behind these. */
void report_by_kernel(const struct report_run *run, struct figures *figures);
struct dp_place_cost report_all_places(const struct control_kernel_stats *kernel);
/* The line without blanks around it, as far as a table has room; "" where the source is not there.
 */
void report_source_line(const char *file, uint32_t line, struct diag *sources, struct str *out);
void report_by_region(const struct report_run *run, struct figures *figures);

/* Area by component, of an MPU and of the chip. */
void report_area(const struct report_run *run, struct figures *figures);
/* Sizes of the parts of an MPU's front end and what they take; empty where costs are unknown, and
 * where there is none. */
void report_front_end(const struct report_run *run, struct figures *figures);
/* Null where the machine has no rows. */
void report_wear(const struct report_run *run, struct figures *figures);

#endif

/* SPDX-License-Identifier: MIT
 * What the program itself takes to go over the host's link, before it can start. */
#ifndef EMU_REPORT_LOAD_H
#define EMU_REPORT_LOAD_H

#include "emu/report/report.h"

/* Loading the program: text and recipe table, one transfer by HOST_SERIAL each.  They go over the
 * link once, and all MPUs take them from it at the same time. */
struct report_load {
    bool cost_known;
    uint64_t text_bytes;         /* 4 an instruction */
    uint64_t recipe_table_bytes; /* templates and pointers, counted in bits and rounded up */
    struct control_established established; /* of the machine, behind these transfers */
    uint64_t time_ps, energy_fj;            /* of all */
};
struct report_load report_load(const struct report_run *run);

#endif

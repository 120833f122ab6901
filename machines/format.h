/* SPDX-License-Identifier: MIT
 * The forms in which a kind of machine writes its micro-ops out, a line each.  What the lines say
 * of a micro-op itself comes from the run half (datapath_ops.format). */
#ifndef MACHINES_FORMAT_H
#define MACHINES_FORMAT_H

#include "isa-spec/isa.h"
#include "target/target.h"

/* Columns that are the same for every machine, before its own. */
enum machine_columns {
    MACHINE_NO_COLUMNS,
    MACHINE_VRF_COLUMNS,  /* number of the instruction, batch, time_ps, mpu, rfh, vrf, vrfs */
    MACHINE_INSN_COLUMNS, /* behind these: index of the instruction, order in it */
};

/* The first of every machine is text for people, DP_TEXT: under a line for each instruction, with
 * time, unit and VRFs before it. */
struct machine_format {
    const char *name; /* "csv" */
    /* NULL, or why a target's micro-ops cannot be written so; may be NULL. */
    const char *(*refuses)(const struct target *t);
    /* NULL, or why a program with such an instruction cannot; may be NULL. */
    const char *(*refuses_op)(enum isa_op op);
    enum machine_columns columns;
    const char *heading; /* the first line, behind the names of these columns; or "" */
    /* No lines: the machine writes all of it itself (datapath_ops.write), columns and heading
     * aside. */
    bool whole;
};

/* Those of the target's kind, ended by a name of NULL; NULL if it has no micro-ops. */
const struct machine_format *machine_formats(const struct target *target);

#endif

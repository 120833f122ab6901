/* SPDX-License-Identifier: MIT
 * -fspill: variables lie in VRFs of their own, and are brought to a register for each ensemble that
 * uses them.  The group `g.spill` has the extents of g; in front of an ensemble that uses such a
 * variable stands a move of all its elements to a register of g, and behind it, if the ensemble may
 * write it, one back.  Moves take elements from where they lie. */
#ifndef EZPIM_IR_SPILL_H
#define EZPIM_IR_SPILL_H

#include "ezpim/ir/registers.h"

/* Moves variables, those with the fewest transfers first, until all have registers within the room;
 * `home`: that they have in VRFs of their own; splits: single registers of an array are brought
 * where a statement names no others.  Where no more can be moved, what stands for a variable at a
 * node is one of that node alone.  The program's statements must be ensembles apart.
 *  False if that is not possible, or if *work, to which the variables times steps that are looked
 * at are added, comes to `most`.  `lives`: the lives of what comes of it. */
bool ir_spill(struct ir_program *program, struct ir_room room, struct ir_room home, bool splits,
              uint64_t *work, uint64_t most, const struct diag *diag, struct ir_lives *lives);
/* Gives each node stand-ins of its own, as far as there may be so many moves; false if all have. */
bool ir_spill_part(struct ir_program *program);
/* True of a program that is no grid of MPUs: no part of it runs on some of them alone. */
bool ir_is_one_text(const struct ir_program *program);
/* What lies in VRFs of its own in a program. */
struct ir_spills {
    uint32_t homes, named; /* variables, and those of them that the source names */
    const char *names[3];  /* of the first of these */
    uint64_t transfers;    /* in a run, each of a register of all elements */
    bool more;             /* loops of which nobody knows are counted as IR_LAPS iterations */
};
void ir_find_spills(const struct ir_program *program, struct ir_spills *out);
/* "`x`, `y` and 3 more lie in VRFs of their own: 12 transfers in a run". */
void ir_append_spills(const struct ir_spills *spills, struct str *out);
/* What was moved, and where it is brought: warnings. */
void ir_report_spills(const struct ir_program *program, enum warning w, struct diag *diag);

#endif

/* SPDX-License-Identifier: MIT
 * What slices of a trace are called: the instruction, and what it was about with it
 * ("ADD.32: waits for section"). */
#ifndef EMU_OBSERVE_SLICE_H
#define EMU_OBSERVE_SLICE_H

#include "emu/observe/insn_text.h"
#include "emu/timing/span.h"

/* Of one instruction, escaped as between the quotes of JSON; "" where there is none. */
struct slice_insn {
    char *text; /* as assembly writes it */
    char *name; /* its first word: "ADD.32" */
    char *args; /* members of the details, without braces */
};
struct slice_names {
    struct text_names names;
    struct slice_insn **insns; /* [text.len + 1], once needed */
};

void observe_slices_open(struct slice_names *slices, const struct object *program,
                         const struct package *package);
void observe_slices_close(struct slice_names *slices);
/* Kept until the names are closed. */
const struct slice_insn *observe_slice_insn(struct slice_names *slices, uint32_t index);

/* What a unit's instruction is about: "batch", "waits for fetch".  Of a bar whose micro-ops moved
 * the end it is what most of its time went to, of equals the first of issue, section, port and the
 * end of what had been issued. */
const char *observe_slice_what(const struct timing_span *span);

#endif

/* SPDX-License-Identifier: MIT
 * A log of what each instruction wrote in chosen elements, one write a line (docs/trace.md). */
#ifndef EMU_OBSERVE_VALUES_H
#define EMU_OBSERVE_VALUES_H

#include "emu/observe/insn_text.h"
#include "emu/observe/watch.h"
#include "support/file.h"

/* An element that is looked at. */
struct value_spot {
    const char *name; /* as the log writes it: "y[77]" */
    uint32_t group;   /* NO_INDEX: lane `number` of the VRF `vrf` */
    uint32_t vrf;
    uint64_t number; /* as linker/package/element_place.h has them */
};

/* The most elements of one log. */
#define VALUE_SPOTS 64

struct value_log;
/* `here`: the package as the round at work sees it, looked at before each step.  All but the spots,
 * which are copied with their names, outlive it.  The control path must have config.step_each. */
struct value_log *observe_values_new(const struct text_names *names, const struct target *target,
                                     struct datapath *dp, const struct package *const *here,
                                     const struct value_spot *spots, uint32_t count,
                                     struct file_stream *out);
struct listener observe_values_listener(struct value_log *values);
void observe_values_free(struct value_log *values);

#endif

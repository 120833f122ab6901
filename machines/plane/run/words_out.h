/* SPDX-License-Identifier: MIT
 * What a crossbar in a tree carries out, as the 64-bit words of its host (docs/trace.md "Words of
 * PyPIM's host"): gates of one word together, in columns that do not change during the run, and
 * ranges where what follows needs them. */
#ifndef MACHINES_PLANE_RUN_WORDS_OUT_H
#define MACHINES_PLANE_RUN_WORDS_OUT_H

#include "machines/plane/run/plane.h"

/* Somebody is told of micro-ops, or words are written. */
static inline bool plane_is_told(const struct plane_machine *machine) {
    return machine->observer || machine->writers;
}

/* The datapath's functions of these names. */
bool plane_write(struct datapath *dp, unsigned format, dp_sink *sink, void *context,
                 struct diag *diag);
bool plane_write_end(struct datapath *dp, const void *context, struct diag *diag);

/* M and valid of VRFs begin anew, which no micro-op does. */
void plane_write_bound(struct plane_machine *machine, const struct dp_binding *bindings,
                       size_t count);
/* Code on all VRFs of a set. */
void plane_write_code(struct plane_machine *machine, const struct dp_code *code,
                      struct vrf_set set);
/* A gate of an instruction of the machine's own (sent.h), or another word, where `at` says. */
void plane_write_gate(struct plane_machine *machine, const struct plane_selection *at,
                      const struct uop *uop);
void plane_write_side(struct plane_machine *machine, const struct plane_selection *at,
                      const struct plane_side_word *word);
void plane_write_close(struct plane_machine *machine);

#endif

/* SPDX-License-Identifier: MIT
 * The clock of a plane machine, computed from its micro-ops, never stated.
 *
 * Bit-pipelined (docs/targets.md "Timing"): each section issues one micro-op a datapath cycle in
 * the order of the list; a micro-op that reads a buffer waits for the one that wrote it; a buffer
 * is not overwritten before its last reader has run; a micro-op marked pipelined follows the same
 * micro-op of the previous section by at least one cycle and takes no issue slot after the first;
 * every other one waits for its own slot of the front end, one slot a front-end cycle, one more
 * per instruction.  Without sections everything is serial.
 *
 * A run of instructions is scheduled once, against an empty machine.  The result says for each
 * resource (sections, incoming buffers, C, M, the issue stream) when the run first needs it and
 * when it lets it go, so that runs can follow one another as rigid blocks:
 * start(B) = max over resources of release(A) - first(B). */
#ifndef RECIPE_TIMING_H
#define RECIPE_TIMING_H

#include "recipe/recipe.h"

#define TIMING_MAX_SECTIONS 64
/* section s; 64 + s: buffer from the previous section; 128 + s: from the next; then issue, and
 * writers and readers of C and M (readers do not exclude one another) */
#define TIMING_RESOURCES (3 * TIMING_MAX_SECTIONS + 5)
#define TIMING_ISSUE     (3 * TIMING_MAX_SECTIONS)
#define TIMING_C         (3 * TIMING_MAX_SECTIONS + 1)
#define TIMING_C_READ    (TIMING_C + 1)
#define TIMING_M         (3 * TIMING_MAX_SECTIONS + 3)
#define TIMING_M_READ    (TIMING_M + 1)
#define TIMING_UNUSED    UINT64_MAX

struct timing_profile {
    uint64_t first_ps[TIMING_RESOURCES]; /* TIMING_UNUSED: not needed */
    uint64_t release_ps[TIMING_RESOURCES];
    uint64_t done_ps; /* when all bits are there */
    uint32_t used_count;
    uint8_t used[TIMING_RESOURCES]; /* [used_count], ascending: those that are needed */
};

/* Schedules uops[0..n); instructions[i] is the index of the first micro-op of instruction i.
 * instruction_done_ps[i]: when all bits of instructions 0 .. i are there; may be NULL.  False with
 * a message in *error if no order exists in which one buffer per direction suffices. */
bool recipe_timing_schedule(const struct target *t, const struct uop *uops, size_t n,
                            const uint32_t *instructions, size_t instruction_count,
                            struct timing_profile *out, uint64_t *instruction_done_ps,
                            const char **error);

/* When each micro-op of the same list begins, from the start of the run: start_ps [n].  False where
 * recipe_timing_schedule fails. */
bool recipe_timing_starts(const struct target *t, const struct uop *uops, size_t n,
                          const uint32_t *instructions, size_t instruction_count,
                          uint64_t *start_ps);
/* How long micro-op u of the target occupies its section, all of its repetitions together; stops at
 * UINT64_MAX. */
uint64_t recipe_timing_duration(const struct target *t, const struct uop *u);

/* When a run with this profile may start, not before start_ps, behind the runs whose releases are
 * in release_ps [TIMING_RESOURCES] (absolute; all 0 = an idle machine); updates release_ps.  A run
 * that only reads C or M waits for writers alone.  Times stop at UINT64_MAX. */
uint64_t recipe_timing_follow(const struct timing_profile *p, uint64_t start_ps,
                              uint64_t *release_ps);

#endif

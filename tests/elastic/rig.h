/* SPDX-License-Identifier: MIT
 * Machines that programs in assembly are run on, again and again with other numbers, and what a run
 * took by the emulator and by the reference. */
#ifndef TESTS_ELASTIC_RIG_H
#define TESTS_ELASTIC_RIG_H

#include "emu/control/control.h"
#include "tests/elastic/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* A target with its library, and a copy of its numbers as the file has them.  Numbers that recipes
 * do not depend on may be changed in *target. */
struct rig {
    bool may_lack_rows; /* programs may be refused for want of rows */
    struct target *target;
    struct machine_library *library;
    struct target usual;
    bool allowed[OP_COUNT];
};
/* Small: few MPUs, RFHs, VRFs and lanes; then the changes. */
void rig_open(struct rig *r, const char *target, const struct target_override *set, size_t count);
void rig_reset(struct rig *r); /* numbers as they were */
void rig_close(struct rig *r);

/* A program, ready for the rig. */
struct rig_program {
    struct object *object;
    struct package *package;
};
void rig_assemble(const struct rig *r, const char *text, struct rig_program *out);
/* The same of an object that was compiled, or is linked already; it becomes the program's. */
void rig_link(const struct rig *r, struct object *object, struct rig_program *out);
void rig_take(const struct rig *r, struct object *object, struct rig_program *out);
void rig_program_close(struct rig_program *p);

struct rig_outcome {
    enum control_end end;
    struct control_stats stats; /* numbers alone */
    struct str figures;         /* with rig_way.figures: all of them, one a line */
    uint64_t mpu_ps[64];        /* of MPUs 0 .. */
    struct ref_times reference; /* with rig_way.reference, of a program that ended */
};
struct rig_way {
    uint64_t seed;  /* of what registers hold at the start */
    bool reference; /* the run is logged and played */
    bool figures;
    uint32_t issue_queue; /* of the reference alone; 0: the target's */
    /* Runs of vector instructions are cut before one instruction of so many, drawn from seed; 1:
     * before each; 0: where they end anyway. */
    uint32_t cuts;
    uint64_t answer_ps; /* the machine says itself whether a mask is empty, in so long; 0: not */
};
void rig_outcome_free(struct rig_outcome *x);
struct rig_outcome rig_run(struct rig *r, const struct rig_program *p, const struct rig_way *way);
/* All in one, on the rig as it is; fails the test if the program does not end. */
struct rig_outcome rig_run_text(struct rig *r, const char *text);

#endif

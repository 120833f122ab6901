/* SPDX-License-Identifier: MIT
 * The verification matrix, as its own files see it: forms of instructions, values of lanes, and a
 * machine whose every bit is known before and after. */
#ifndef MACHINES_VERIFY_MATRIX_H
#define MACHINES_VERIFY_MATRIX_H

#include "machines/plane/run/plane.h"
#include "machines/verify/verify.h"

/* Registers of a rig: r0 is never an operand, the others are those of rs, rt and rd. */
#define RIG_REGISTERS 4
/* Lanes that work at once: all pairs of two bytes are one run. */
#define RIG_WORDS 1024
#define RIG_LANES ((uint64_t)RIG_WORDS * 64)
#define NO_FIELD  0xff

/* One instruction with its registers and constant, masked or not. */
struct form {
    struct insn insn;
    bool masked; /* predication is on */
    const struct isa_info *info;
    unsigned w;        /* 1 where the instruction has none */
    unsigned rs_width; /* ZEXT and SEXT: the width of the source */
    /* Distinct registers, those that are read first. */
    uint8_t used[3];
    unsigned used_count, read_count;
    uint8_t index[3]; /* of rs, rt and rd in `used`, or NO_FIELD */
};
/* Registers of fields that the instruction has not are 0. */
void form_fill(struct form *f, const struct insn *insn, bool masked);
static inline bool form_is_predicated(const struct form *f) {
    return f->masked && !(f->info->flags & ISA_UNMASKED);
}
/* "ADD.8 r1 r2 r3, masked" */
void form_print(const struct form *f, struct str *out);

/* Which values the lanes hold in the registers that a form uses. */
struct value_plan {
    bool all; /* lane e holds in the k-th register read bits k*w .. k*w+w-1 of e; else edges of
                 every kind against one another, then random values of several kinds */
    unsigned w, reads;
    uint64_t seed;
};
/* values[k]: of used register k; one that is only written holds anything. */
void plan_lane(const struct value_plan *p, uint64_t lane, uint64_t values[3]);
/* Lanes before the first random one. */
#define EDGE_COUNT 20
#define EDGE_LANES (EDGE_COUNT * EDGE_COUNT)

/* A plane machine of RIG_WORDS VRFs of 64 lanes with the target's ops, and a second copy of its
 * state as the ISA wants it. */
struct rig {
    const struct recipe_set *set; /* says what user instructions do */
    struct target target;         /* the caller's, but for the geometry */
    struct plane_library library; /* of set */
    struct datapath *dp;
    struct plane_machine *machine;
    size_t tiles;            /* of the machine's state */
    uint64_t *want;          /* [tiles][slots][PLANE_TILE_WORDS] */
    struct rig_chunk *block; /* lanes that are tried at once */
};
/* `s` may be NULL: then the machine runs lists of micro-ops only.  False after reporting. */
bool rig_open(struct rig *r, const struct target *t, const struct recipe_set *s, struct diag *d);
void rig_close(struct rig *r);
/* Every bit anew. */
void rig_reset(struct rig *r, uint64_t seed);
/* Forms that differ in their masking alone, and the code of each. */
struct rig_trial {
    const struct form *form;
    const struct dp_code *code;
};
/* Runs each on the first `lanes` lanes of the plan and compares every bit of the machine; false
 * after reporting the first lane that differs. */
bool rig_try(struct rig *r, const struct rig_trial *trials, unsigned count,
             const struct value_plan *p, uint64_t lanes, struct diag *d);

/* All forms of one instruction at the given effort. */
struct matrix {
    struct rig *rig;
    const struct verify_options *options;
    struct verify_count count;
    struct diag *diag;
    uint64_t seed;
};
bool matrix_instruction(struct matrix *m, enum mpu_op op);

#endif

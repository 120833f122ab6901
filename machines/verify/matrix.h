/* SPDX-License-Identifier: MIT
 * The verification matrix, as its own files see it: forms of instructions, values of lanes, and a
 * machine whose every bit is known before and after. */
#ifndef MACHINES_VERIFY_MATRIX_H
#define MACHINES_VERIFY_MATRIX_H

#include "machines/verify/verify.h"
#include "support/arena.h"
#include "support/str.h"
#include "support/vec.h"

#define NO_FIELD 0xff

/* One instruction with its registers and constant, masked or not. */
struct insn_form {
    struct insn insn;
    bool masked; /* predication is on */
    const struct isa_info *info;
    unsigned w;                  /* 1 where the instruction has none */
    unsigned rs_width, rt_width; /* of sources; ZEXT, SEXT, CVT and MULP have their own */
    /* Distinct registers, those that are read first. */
    uint8_t used[3];
    unsigned used_count, read_count;
    uint8_t index[3]; /* of rs, rt and rd in `used`, or NO_FIELD */
};
/* Registers of fields that the instruction has not are 0. */
void verify_form_fill(struct insn_form *form, const struct insn *insn, bool masked);
static inline bool form_is_predicated(const struct insn_form *form) {
    return form->masked && !(form->info->flags & ISA_UNMASKED);
}
/* "ADD.8 r1 r2 r3, masked" */
void verify_form_print(const struct insn_form *form, struct str *out);

/* Which values the lanes hold in the registers that a form uses. */
struct value_plan {
    bool all; /* lane e holds in the k-th register read bits k*w .. k*w+w-1 of e; else edges of
                 every kind against one another, then random values of several kinds */
    unsigned w, reads;
    bool constant;     /* the instruction has one: values are also chosen near to it */
    unsigned edges[2]; /* bits that the first two operands have */
    int32_t imm;
    struct ieee_format format; /* of the values; exponent_bits is 0 where they are integers */
    uint64_t seed;
    unsigned source; /* of a conversion: the bits that it reads of its one operand, which alone are
                        counted up; what lies above is random.  0: no conversion */
};
/* The plan of a form, but for `all`, which takes 2^*log_lanes lanes. */
struct value_plan verify_plan_fill(const struct insn_form *form, uint64_t seed,
                                   unsigned *log_lanes);
/* values[k]: of used register k; one that is only written holds anything. */
void verify_plan_lane(const struct value_plan *plan, uint64_t lane, uint64_t values[3]);
/* Lanes before the first random one. */
#define EDGE_COUNT 20
#define EDGE_LANES (EDGE_COUNT * EDGE_COUNT)

/* What the ISA sees of a lane.  r0 is never an operand, the others are those of rs, rt and rd. */
enum { RIG_REGISTERS = 4, RIG_C = RIG_REGISTERS, RIG_M, RIG_VALID, RIG_PARTS };
/* Lanes that are drawn, and go in and out, at once; and of a VRF where that is free. */
#define RIG_CHUNK 256
/* Lanes that work at once, about: enough that calls do not count, few enough that all that is known
 * of them stays in a core's own cache.  With one more VRF they are a tile of a plane machine. */
#define RIG_LANES (23 * RIG_CHUNK)

/* A machine whose every lane is known: VRFs for RIG_LANES lanes, and one more that never works. */
struct rig {
    const struct verify_machine *machine;
    struct target target; /* the machine's, but for the geometry */
    struct datapath *dp;
    uint32_t vrfs;
    uint64_t pass;             /* lanes of all VRFs but the last */
    uint64_t *want[RIG_PARTS]; /* [lanes of all VRFs]: what they should hold */
    struct rig_block *block;   /* lanes that are tried at once */
    uint64_t prepared;         /* micro-ops, and forms, since the machine was opened */
    struct arena tables;       /* of LUTs, which code may refer to */
};
/* How many tables LUT is tried with at width w, and the table number `index` of them, another for
 * each seed; thorough: with up to 2^16 elements. */
unsigned verify_table_count(unsigned w, bool thin, bool thorough);
const struct isa_lut *verify_table_make(struct arena *arena, unsigned w, unsigned index,
                                        bool thorough, uint64_t *seed);
/* False after reporting. */
bool verify_rig_open(struct rig *rig, const struct verify_machine *machine, struct diag *diag);
void verify_rig_close(struct rig *rig);
/* Every bit anew. */
void verify_rig_reset(struct rig *rig, uint64_t seed);

/* Code belongs to the machine and goes with it.  Opens the machine anew, in the same state, when it
 * has prepared much; all code is then gone.  False after reporting. */
bool verify_rig_make_room(struct rig *rig, struct diag *diag);
/* As datapath_ops.prepare, of one instruction. */
struct dp_code *verify_rig_prepare(struct rig *rig, const struct insn *insn, bool masked,
                                   struct diag *diag);
uint64_t verify_rig_micro_ops(const struct rig *rig, const struct dp_code *code); /* per VRF */

/* Forms that differ in their masking alone, and the code of each. */
struct rig_trial {
    const struct insn_form *form;
    const struct dp_code *code;
};
/* Runs each on the first `lanes` lanes of the plan, and compares every bit of the VRFs that worked
 * and of the next one; false after reporting the first lane that differs. */
bool verify_rig_try(struct rig *rig, const struct rig_trial *trials, unsigned count,
                    const struct value_plan *plan, uint64_t lanes, struct diag *diag);
/* Compares every bit of the machine after forms of `op`; false after reporting. */
bool verify_rig_compare_all(struct rig *rig, enum isa_op op, struct diag *diag);

/* All forms of one instruction at the given effort. */
struct matrix {
    struct rig *rig;
    const struct verify_options *options;
    struct verify_count count;
    struct diag *diag;
    uint64_t seed;
};
bool verify_matrix_instruction(struct matrix *matrix, enum isa_op op);

#endif

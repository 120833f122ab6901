/* SPDX-License-Identifier: MIT
 * What instructions compute from a thread's operands: PTX's semantics, each once.  Results depend
 * on nothing of the host; nothing traps.  What PTX leaves open is settled in docs/ptx.md. */
#ifndef PTX_ALU_H
#define PTX_ALU_H

#include "ptx/program.h"

/* Operands and results are bits, zero-extended from their types' widths; a float is its pattern. */
struct ptx_alu {
    const struct ptx_modifiers *m;
    enum ptx_op op;
    bool carry; /* of a thread: read and written by add.cc and its kin */
    uint64_t in[4];
    uint64_t out;
    uint64_t second; /* q of setp p|q */
};

/* What lanes of a warp compute together: shfl, vote, match, redux; of other ops nothing. */
struct ptx_meeting {
    const struct ptx_modifiers *m;
    enum ptx_op op;
    uint32_t lanes;           /* bits: those that are there */
    uint64_t in[3][PTX_WARP]; /* operands but for the mask, of these lanes, */
    uint64_t out[PTX_WARP];   /* and results; zeros at first */
    uint32_t second;          /* bits: p of shfl d|p */
};
void ptx_alu_meet(struct ptx_meeting *meeting);

ptx_compute ptx_alu_add;
ptx_compute ptx_alu_sub;
ptx_compute ptx_alu_mul;
ptx_compute ptx_alu_mul24;
ptx_compute ptx_alu_sad;
ptx_compute ptx_alu_div;
ptx_compute ptx_alu_sign;
ptx_compute ptx_alu_min;
ptx_compute ptx_alu_count;
ptx_compute ptx_alu_brev;
ptx_compute ptx_alu_bfe;
ptx_compute ptx_alu_bfi;
ptx_compute ptx_alu_dp4a;
ptx_compute ptx_alu_float_add;
ptx_compute ptx_alu_float_sub;
ptx_compute ptx_alu_float_mul;
ptx_compute ptx_alu_float_div;
ptx_compute ptx_alu_float_sign;
ptx_compute ptx_alu_float_min;
ptx_compute ptx_alu_float_root;
ptx_compute ptx_alu_fma;
ptx_compute ptx_alu_testp;
ptx_compute ptx_alu_copysign;
ptx_compute ptx_alu_approx;
ptx_compute ptx_alu_compare;
ptx_compute ptx_alu_select;
ptx_compute ptx_alu_logic;
ptx_compute ptx_alu_lop3;
ptx_compute ptx_alu_shift;
ptx_compute ptx_alu_funnel;
ptx_compute ptx_alu_permute;
ptx_compute ptx_alu_convert;

/* New value of an atomic's place, from its old one and the operands. */
uint64_t ptx_atomic(enum ptx_operation operation, enum ptx_type type, uint64_t old, uint64_t b,
                    uint64_t c);

#endif

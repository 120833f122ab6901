/* SPDX-License-Identifier: MIT
 * The one micro-op record of all plane machines, and how planes are named in it. */
#ifndef RECIPE_SET_UOP_H
#define RECIPE_SET_UOP_H

#include <stdint.h>

/* A plane: one bit of every lane.  class 31:28, section 27:16 (SCRATCH, BUFFER), number 15:0
 * (REGISTER: reg << 6 | bit; SCRATCH: row; BUFFER: incoming direction << 8 | carry variable). */
enum plane_class {
    PLANE_REGISTER, /* visible */
    PLANE_C,        /* visible: the condition latch */
    PLANE_M,        /* visible: the mask at the row lines */
    PLANE_VALID,    /* read only */
    PLANE_CONST,    /* number 0 or 1: a constant row; read only */
    PLANE_SCRATCH,  /* holds nothing between instructions */
    PLANE_BUFFER,   /* a section's incoming buffer; holds nothing between instructions.  Carry
                       variables are kept apart by number; the timing proves that they can share
                       the one physical buffer per direction */
    PLANE_NONE = 15,
};
#define PLANE(class, section, number)                                                              \
    ((uint32_t)(class) << 28 | (uint32_t)(section) << 16 | (uint32_t)(number))
#define PLANE_CLASS(p)   ((enum plane_class)((p) >> 28))
#define PLANE_SECTION(p) ((p) >> 16 & 0xfff)
#define PLANE_NUMBER(p)  ((p)&0xffff)

#define UOP_MAX 6 /* sources; results */

/* One op `kind` of the target on these planes. */
struct uop {
    uint16_t kind;    /* index into target.ops */
    uint16_t section; /* where it issues */
    uint8_t nsrc, ndst;
    uint8_t pipelined; /* 1: forwarded from the previous section, or of one word with the micro-op
                          before (recipe/set/words.h); 0: takes an issue slot */
    uint8_t insn;      /* free for the user of the list */
    uint32_t src[UOP_MAX];
    uint32_t dst[UOP_MAX];
    /* PLANE(PLANE_M, 0, 0), or PLANE_NONE << 28.  Visible destinations change only in lanes where
     * it is 1; scratch and buffers, which nobody sees in the other lanes, change in all. */
    uint32_t predicate;
    /* Micro-ops back in the list to the same one of the previous section, 1 to that of the same
     * word; 0: not pipelined. */
    uint32_t forwarded;
};

#endif

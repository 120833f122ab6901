/* SPDX-License-Identifier: MIT
 * control.order=paper: ensembles between two fences in an order that the paper allows, though not
 * the program's (docs/order.md).
 *
 * The MPU paper lets compute ensembles run side by side, without looking at what they share
 * (section V-A), carries out one transfer ensemble of an MPU at a time, to completion (section
 * V-B), and names MPU_SYNC as the fence between them.  A *stretch* is the ensembles that an MPU
 * comes to without meeting a fence.  In it compute ensembles may be carried out in any order,
 * transfer ensembles in that of the program, and the two may be mixed in any way: the order is
 * drawn from control.order_seed. */
#ifndef EMU_CONTROL_ORDER_H
#define EMU_CONTROL_ORDER_H

#include "emu/control/flow.h"
#include "object/text.h"
#include "support/vec.h"

/* Most ensembles of a stretch; a longer one is cut, as by a fence. */
#define ORDER_MOST_ENSEMBLES 256

enum order_kind { ORDER_COMPUTE, ORDER_TRANSFER, ORDER_MOVE };

/* An ensemble of a stretch, with the state of the top level's flow when it came to it. */
struct order_item {
    enum order_kind kind;
    uint32_t pc, body;       /* of the header, and behind it; the same for a GMOVE */
    uint32_t base;           /* entries of the return stack in use */
    struct call_frame frame; /* ORDER_MOVE: the loops around it; else empty */
    uint32_t region, region_after;
};

struct control;
struct ensemble_order {
    bool paper;      /* else nothing here is used */
    bool in_order;   /* this is the reference: stretches are carried out in program order */
    uint64_t random; /* state of splitmix64 */
    VEC(struct order_item) now;              /* the stretch at work, in program order */
    uint32_t sequence[ORDER_MOST_ENSEMBLES]; /* how it is carried out: indices of `now` */
    struct control_flag
        *flags;       /* flag A of each MPU, as the last ensemble in program order set it */
    bool carried_out; /* the step just taken carried `now` out */

    /* With --check: the same program in program order, on a machine of its own, a step behind. */
    struct control *reference;
    uint32_t *lanes; /* [VRFs]: lanes of each that can hold something; 0: the VRF is not used */
};

/* Registers r0 to r63, and C as number 64. */
#define ORDER_C 64
struct order_registers {
    uint64_t data;
    bool c;
};
static inline bool order_has(struct order_registers registers, unsigned reg) {
    return reg == ORDER_C ? registers.c : registers.data >> reg & 1;
}

/* Registers of a VRF that an ensemble of a stretch computes with ... */
struct order_use {
    uint32_t vrf, item;
    struct order_registers reads, writes;
};
/* ... and a register that it copies, or fills without a source (src_vrf is NO_INDEX). */
struct order_copy {
    uint32_t dst_vrf, item, src_vrf;
    uint8_t dst_reg, src_reg;
};
struct order_table {
    VEC(struct order_use)
    uses; /* ascending by VRF, then item, once control_order_table_sort was called */
    VEC(struct order_copy) copies; /* ascending by dst_vrf, then item */
};

/* Adds what item number `item` of the stretch can read and write in the MPUs of the stream at work,
 * whichever way through its body it takes. */
void control_order_table_add(struct control *control, uint32_t item, struct order_table *table);
void control_order_table_sort(struct order_table *table);
void control_order_table_free(struct order_table *table);

#endif

/* SPDX-License-Identifier: MIT */
#include "tests/plane/hand.h"

#include <string.h>

static const struct target_op hand_ops[HAND_OPS] = {
    [HAND_NOR] = {.name = "NOR",
                  .class = OPCLASS_LOGIC,
                  .nsrc = 2,
                  .ndst = 1,
                  .truth = {0x1},
                  .energy = 8000},
    [HAND_OR] = {.name = "OR",
                 .class = OPCLASS_LOGIC,
                 .nsrc = 2,
                 .ndst = 1,
                 .truth = {0xe},
                 .energy = 7000},
    [HAND_COPY] = {.name = "COPY",
                   .class = OPCLASS_COPY,
                   .nsrc = 1,
                   .ndst = 1,
                   .truth = {0x2},
                   .energy = 500},
    [HAND_BUF] = {.name = "BUF",
                  .class = OPCLASS_CROSSING,
                  .nsrc = 1,
                  .ndst = 1,
                  .truth = {0x2},
                  .energy = 30},
};

struct plane_target hand_planes(void) {
    return (struct plane_target){
        .sections = 64, .rows = 128, .ops = hand_ops, .op_count = HAND_OPS};
}

struct target hand_target(uint32_t lanes, struct plane_target *planes) {
    return (struct target){
        .name = "hand",
        .kind = &technology_target_kind,
        .lanes = lanes,
        .own = planes,
        .vrf_per_rfh = 8,
        .rfh_per_mpu = 8,
        .mpus = 4,
        .datapath_ps = 3000,
        .front_end_ps = 1000,
        .register_ps = 48000,
        .network_fj_per_bit = 11,
    };
}

struct datapath *hand_open(const struct target *t, const struct plane_kernels *kernels,
                           unsigned bits, uint64_t memory_limit, struct diag *d) {
    uint8_t reg_bits[64];
    memset(reg_bits, (int)bits, sizeof reg_bits);
    struct dp_setup setup = {
        .target = t, .mpus = t->mpus, .reg_bits = reg_bits, .memory_limit = memory_limit};
    return plane_open_with(&setup, kernels, false, d);
}

struct uop hand_uop2(enum hand_op op, uint32_t a, uint32_t b, uint32_t d) {
    return (struct uop){.kind = (uint16_t)op,
                        .nsrc = hand_ops[op].nsrc,
                        .ndst = 1,
                        .src = {a, b, (uint32_t)PLANE_NONE << 28},
                        .dst = {d, (uint32_t)PLANE_NONE << 28, (uint32_t)PLANE_NONE << 28},
                        .predicate = (uint32_t)PLANE_NONE << 28};
}

struct uop hand_uop1(enum hand_op op, uint32_t a, uint32_t d) {
    return hand_uop2(op, a, (uint32_t)PLANE_NONE << 28, d);
}

static uint32_t scratch(unsigned section, unsigned row) {
    return PLANE(PLANE_SCRATCH, section, row);
}

void hand_adder(struct uop_list *out, unsigned w, unsigned a, unsigned b, unsigned d, bool masked) {
    for (unsigned j = 0; j < w; j++) {
        uint32_t c = PLANE(PLANE_BUFFER, j, 0);
        uint32_t t[8], none = PLANE(PLANE_CONST, 0, 0);
        for (unsigned i = 0; i < 8; i++)
            t[i] = scratch(j, i);
        if (j == 0)
            vec_push(out, hand_uop1(HAND_COPY, none, c));
        vec_push(out, hand_uop2(HAND_NOR, hand_reg(a, j), hand_reg(b, j), t[0]));
        vec_push(out, hand_uop2(HAND_NOR, hand_reg(a, j), t[0], t[1]));
        vec_push(out, hand_uop2(HAND_NOR, hand_reg(b, j), t[0], t[2]));
        vec_push(out, hand_uop2(HAND_NOR, t[1], t[2], t[3]));
        vec_push(out, hand_uop2(HAND_NOR, t[3], c, t[4]));
        vec_push(out, hand_uop2(HAND_NOR, t[0], t[4], t[5]));
        if (j + 1 < w)
            vec_push(out, hand_uop1(HAND_BUF, t[5], PLANE(PLANE_BUFFER, j + 1, 0)));
        vec_push(out, hand_uop2(HAND_NOR, t[3], t[4], t[6]));
        vec_push(out, hand_uop2(HAND_NOR, c, t[4], t[7]));
        vec_push(out, hand_uop2(HAND_NOR, t[6], t[7], hand_reg(d, j)));
        if (masked)
            vec_last(out).predicate = PLANE(PLANE_M, 0, 0);
    }
}

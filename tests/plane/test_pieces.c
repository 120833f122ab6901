/* SPDX-License-Identifier: MIT
 * Golden with VRFs of many lanes, of which few are used: what it keeps, and that nobody sees which
 * lanes it keeps. */
#include "hand.h"
#include "support/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define LANES 30000u
#define VRFS  3
#define REGS  3

/* What every lane holds, written out. */
struct lane {
    uint64_t reg[REGS];
    bool m, valid, c;
};
struct both {
    struct datapath *dp;
    struct diag *diag;
    struct lane (*vrf)[LANES]; /* [VRFS] */
    uint64_t seed;
};

static const uint8_t bits_of[64] = {64, 20, 1};

static uint32_t draw(struct both *x, uint32_t n) {
    return (uint32_t)(splitmix64(&x->seed) >> 20) % n;
}

static struct datapath *open_golden(struct target *t, uint32_t lanes, enum dp_init init,
                                    uint64_t limit, struct diag *d) {
    struct dp_setup setup = {.target = t,
                             .mpus = 1,
                             .lanes = lanes,
                             .reg_bits = bits_of,
                             .init = init,
                             .seed = 5,
                             .memory_limit = limit};
    struct datapath *dp = golden_ops.open(&setup, d);
    assert_non_null(dp);
    return dp;
}

static struct both open_both(struct target *t, enum dp_init init) {
    struct both x = {.diag = diag_new(NULL, NULL), .seed = 77};
    x.dp = open_golden(t, LANES, init, 0, x.diag);
    x.vrf = xcalloc(VRFS, sizeof *x.vrf);
    for (uint32_t v = 0; v < VRFS && init == DP_INIT_RANDOM; v++)
        for (uint32_t i = 0; i < LANES; i++) {
            for (unsigned r = 0; r < REGS; r++)
                x.vrf[v][i].reg[r] = state_init_value(5, v, r, i) & low_bits(bits_of[r]);
            x.vrf[v][i].c = state_init_value(5, v, DP_INIT_C, i) & 1;
        }
    return x;
}

static void close_both(struct both *x) {
    x->dp->ops->close(x->dp);
    diag_free(x->diag);
    free(x->vrf);
}

static void compare(struct both *x) {
    uint64_t values[DP_PIECE_LANES];
    for (uint32_t v = 0; v < VRFS; v++)
        for (uint32_t done = 0, n; done < LANES; done += n) {
            const struct lane *l = &x->vrf[v][done];
            n = dp_piece(done, LANES);
            for (unsigned r = 0; r < REGS; r++) {
                x->dp->ops->get(x->dp, v, DP_REGISTER, r, done, n, values);
                for (uint32_t i = 0; i < n; i++)
                    assert_int_equal(values[i], l[i].reg[r]);
            }
            x->dp->ops->get(x->dp, v, DP_VALID, 0, done, n, values);
            for (uint32_t i = 0; i < n; i++)
                assert_int_equal(values[i], l[i].valid);
            x->dp->ops->get(x->dp, v, DP_M, 0, done, n, values);
            for (uint32_t i = 0; i < n; i++)
                assert_int_equal(values[i], l[i].m);
        }
}

/* ---- what may happen to a VRF ---- */

static void bind_some(struct both *x) {
    struct dp_binding b = {.vrf = draw(x, VRFS), .valid_lanes = draw(x, draw(x, 4) ? 9000 : 30001)};
    x->dp->ops->bind(x->dp, &b, 1);
    for (uint32_t i = 0; i < LANES; i++)
        x->vrf[b.vrf][i].valid = x->vrf[b.vrf][i].m = i < b.valid_lanes;
}

static void put_some(struct both *x) {
    uint64_t values[50];
    uint32_t v = draw(x, VRFS), first = draw(x, draw(x, 5) ? 9000 : 29950);
    uint32_t count = 1 + draw(x, 50);
    unsigned r = draw(x, REGS), width = 1 + draw(x, 64);
    uint64_t kept = low_bits(width < bits_of[r] ? width : bits_of[r]);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t *at = &x->vrf[v][first + i].reg[r];
        values[i] = splitmix64(&x->seed);
        *at = (*at & ~kept) | (values[i] & kept);
    }
    x->dp->ops->put(x->dp, v, DP_REGISTER, r, width, first, count, values);
}

/* LI of a register, in every lane or under the mask. */
static void execute_some(struct both *x) {
    bool masked = draw(x, 2);
    uint32_t v = draw(x, VRFS);
    struct vrf_range range = {v, 1};
    const struct insn insn = {.op = OP_LI, .width = 12, .rd = 1, .imm = (int32_t)draw(x, 2000)};
    const struct dp_run run = {&insn, 1, masked, 0};
    struct dp_code *code = x->dp->ops->prepare(x->dp, &run, x->diag);
    assert_non_null(code);
    x->dp->ops->execute(x->dp, code, (struct vrf_set){&range, 1}, (struct dp_moment){0}, NULL);
    for (uint32_t i = 0; i < LANES; i++) {
        uint64_t *at = &x->vrf[v][i].reg[1];
        if (!masked || x->vrf[v][i].m)
            *at = (*at & ~low_bits(12)) | (uint64_t)insn.imm;
    }
}

/* Two copies, one of every lane or of some, into different registers of one width. */
static void copy_some(struct both *x) {
    struct dp_copy copies[2];
    struct dp_cost cost = {0};
    struct lane(*before)[LANES] = xcalloc(VRFS, sizeof *before);
    memcpy(before, x->vrf, VRFS * sizeof *before);
    uint8_t width = (uint8_t)(1 + draw(x, 64));
    size_t count = 1 + draw(x, 2);
    for (size_t k = 0; k < count; k++) {
        struct dp_copy *c = &copies[k];
        *c = (struct dp_copy){.src_vrf = draw(x, VRFS),
                              .dst_vrf = draw(x, VRFS),
                              .src_reg = (uint8_t)draw(x, REGS),
                              .dst_reg = (uint8_t)k,
                              .width = width,
                              .source = draw(x, 4) ? DP_FROM_REGISTER : DP_FROM_CONSTANT,
                              .value = splitmix64(&x->seed)};
        if (draw(x, 2)) {
            c->count = 1 + draw(x, 3000);
            c->src_step = -2;
            c->dst_step = 3;
            c->src_first = 2 * c->count + draw(x, LANES - 2 * c->count);
            c->dst_first = draw(x, LANES - 3 * c->count);
        }
        uint64_t kept = low_bits(width < bits_of[k] ? width : bits_of[k]);
        for (uint32_t i = 0; i < (c->count ? c->count : LANES); i++) {
            uint32_t from = c->count ? c->src_first - 2 * i : i;
            uint64_t *at = &x->vrf[c->dst_vrf][c->count ? c->dst_first + 3 * i : i].reg[k];
            uint64_t value =
                c->source == DP_FROM_REGISTER ? before[c->src_vrf][from].reg[c->src_reg] : c->value;
            *at = (*at & ~kept) | (value & kept);
        }
    }
    hand_transfer(x->dp, copies, count, &cost);
    free(before);
}

/* Saved, changed, and taken back. */
static void save_and_restore(struct both *x) {
    struct str state = {0};
    struct dp_binding b = {.vrf = draw(x, VRFS), .valid_lanes = draw(x, 20000)};
    assert_true(x->dp->ops->snapshot(x->dp, false, &state));
    x->dp->ops->bind(x->dp, &b, 1);
    assert_true(x->dp->ops->snapshot(x->dp, true, &state));
    assert_int_equal(state.len, 0);
    str_free(&state);
}

static void nobody_sees_what_is_kept(enum dp_init init) {
    static void (*const steps[])(struct both *) = {bind_some, put_some, execute_some, copy_some,
                                                   save_and_restore};
    struct plane_target planes = hand_planes();
    struct target t = hand_target(LANES, &planes);
    for (unsigned trial = 0; trial < 12; trial++) {
        struct both x = open_both(&t, init);
        x.seed += trial;
        for (unsigned n = 0; n < 14; n++) {
            steps[draw(&x, 5)](&x);
            compare(&x);
        }
        close_both(&x);
    }
}

static void nobody_sees_what_is_kept_of_zeros(void **state) {
    (void)state;
    nobody_sees_what_is_kept(DP_INIT_ZERO);
}

static void nobody_sees_what_is_kept_of_random_values(void **state) {
    (void)state;
    nobody_sees_what_is_kept(DP_INIT_RANDOM);
}

/* Three elements in a VRF of 2^24 lanes take a page or two, 10,000 a little more. */
static void few_lanes_take_little_memory(void **state) {
    (void)state;
    struct plane_target planes = hand_planes();
    struct target t = hand_target(64, &planes);
    struct diag *d = diag_new(NULL, NULL);
    struct datapath *dp = open_golden(&t, 1u << 24, DP_INIT_ZERO, 700000, d);
    struct dp_binding b[] = {{0, 3, 0, 0}, {1, 10000, 0, 0}};
    uint64_t values[] = {1, 2, 3}, got[3];
    struct dp_cost cost = {0};
    const struct dp_copy whole = {.src_vrf = 0, .dst_vrf = 1, .width = 64};
    dp->ops->bind(dp, b, 2);
    dp->ops->put(dp, 0, DP_REGISTER, 0, 64, 0, 3, values);
    hand_copy(dp, &whole, &cost);
    dp->ops->get(dp, 1, DP_REGISTER, 0, 1, 3, got);
    assert_int_equal(got[0], 2);
    assert_int_equal(got[2], 0);
    dp->ops->get(dp, 1, DP_REGISTER, 0, (1u << 24) - 3, 3, got);
    assert_int_equal(got[2], 0);
    assert_null(dp->failure);
    dp->ops->put(dp, 1, DP_REGISTER, 0, 64, (1u << 24) - 3, 3, values);
    assert_non_null(dp->failure);
    dp->ops->close(dp);
    diag_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_sees_what_is_kept_of_zeros),
        cmocka_unit_test(nobody_sees_what_is_kept_of_random_values),
        cmocka_unit_test(few_lanes_take_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

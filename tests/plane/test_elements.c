/* SPDX-License-Identifier: MIT
 * Elements of arrays in lanes, many at once, against the same lane by lane: on planes with VRFs
 * that fill their words and such that do not, on golden, and on both at once. */
#include "hand.h"
#include "support/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { REGS = 4, VRFS = 192, GUARD = 16 };
static const uint8_t map_bits[64] = {1, 13, 32, 64};

enum kind { ON_PLANES, ON_GOLDEN, KINDS };

struct pair {
    struct plane_target planes;
    struct target target;
    struct diag *diag;
    struct datapath *dp, *slow; /* slow: is asked lane by lane */
    uint64_t seed;
};

static uint64_t draw(struct pair *x, uint64_t n) {
    return (splitmix64(&x->seed) >> 16) % n;
}

static struct datapath *open_one(struct pair *x, enum kind kind) {
    struct dp_setup setup = {
        .target = &x->target, .mpus = 3, .reg_bits = map_bits, .init = DP_INIT_RANDOM, .seed = 5};
    struct datapath *dp = kind == ON_PLANES ? plane_open_with(&setup, NULL, false, x->diag)
                                            : golden_ops.open(&setup, x->diag);
    assert_non_null(dp);
    return dp;
}

static void open_pair(struct pair *x, enum kind kind, uint32_t lanes) {
    *x = (struct pair){.planes = hand_planes(), .seed = lanes * 2 + kind};
    x->target = hand_target(lanes, &x->planes);
    x->diag = diag_new(NULL, NULL);
    x->dp = open_one(x, kind);
    x->slow = open_one(x, kind);
}

static void close_pair(struct pair *x) {
    assert_null(diag_first(x->diag));
    x->dp->ops->close(x->dp);
    x->slow->ops->close(x->slow);
    diag_free(x->diag);
}

/* Some elements and where they are to lie; room: bytes of the array from data on. */
static struct dp_elements random_elements(struct pair *x, bool put, size_t *room) {
    struct dp_elements e = {.reg = (uint8_t)draw(x, REGS), .bytes = (uint8_t)(1u << draw(x, 4))};
    uint32_t most = 8u * e.bytes < map_bits[e.reg] + 3u ? 8u * e.bytes : map_bits[e.reg] + 3u;
    e.bits = (uint8_t)(1 + draw(x, most));
    e.sign = draw(x, 2);
    e.lanes = draw(x, 3) ? x->target.lanes : 1 + (uint32_t)draw(x, x->target.lanes);
    e.vrf = (uint32_t)draw(x, VRFS);
    uint64_t longest = (uint64_t)(VRFS - e.vrf) * e.lanes;
    e.count = draw(x, 4) ? draw(x, longest < 3000 ? longest : 3000) : draw(x, longest);
    e.step = draw(x, 3) ? 1 : draw(x, 5);
    if (!put && e.step == 0)
        e.step = 2;
    *room = (e.count * e.step + 1) * e.bytes;
    return e;
}

static uint64_t load(const struct dp_elements *e, uint64_t i) {
    uint64_t x = 0;
    memcpy(&x, e->data + i * e->step * e->bytes, e->bytes);
    return x;
}

/* Every lane of the register on both machines. */
static void compare_machines(struct pair *x, unsigned reg) {
    uint32_t lanes = x->target.lanes;
    uint64_t *a = xcalloc(lanes, sizeof *a), *b = xcalloc(lanes, sizeof *b);
    for (uint32_t v = 0; v < VRFS; v++) {
        x->dp->ops->get(x->dp, v, DP_REGISTER, reg, 0, lanes, a);
        x->slow->ops->get(x->slow, v, DP_REGISTER, reg, 0, lanes, b);
        assert_memory_equal(a, b, lanes * sizeof *a);
    }
    free(a);
    free(b);
}

static void try_put(struct pair *x) {
    size_t room, skew = draw(x, 8);
    struct dp_elements e = random_elements(x, true, &room);
    unsigned char *array = xmalloc(room + skew);
    for (size_t i = 0; i < room + skew; i++)
        array[i] = (unsigned char)splitmix64(&x->seed);
    e.data = array + skew;
    datapath_put_elements(x->dp, &e);
    for (uint64_t i = 0; i < e.count; i++) {
        uint64_t value = load(&e, i);
        x->slow->ops->put(x->slow, e.vrf + (uint32_t)(i / e.lanes), DP_REGISTER, e.reg, e.bits,
                          (uint32_t)(i % e.lanes), 1, &value);
    }
    compare_machines(x, e.reg);
    free(array);
}

/* What element i should be, and that nothing between and behind the elements was written. */
static void check_got(struct pair *x, const struct dp_elements *e, size_t room) {
    uint64_t all = low_bits(8u * e->bytes), value;
    for (uint64_t i = 0; i < e->count; i++) {
        x->slow->ops->get(x->slow, e->vrf + (uint32_t)(i / e->lanes), DP_REGISTER, e->reg,
                          (uint32_t)(i % e->lanes), 1, &value);
        value &= low_bits(e->bits);
        if (e->sign)
            value = (uint64_t)sign_extend(value, e->bits) & all;
        assert_true(load(e, i) == value);
        memset(e->data + i * e->step * e->bytes, 0x5a, e->bytes);
    }
    for (size_t i = 0; i < room + GUARD; i++)
        assert_int_equal(e->data[i], 0x5a);
}

static void try_get(struct pair *x) {
    size_t room, skew = draw(x, 8);
    struct dp_elements e = random_elements(x, false, &room);
    unsigned char *array = xmalloc(room + skew + GUARD);
    memset(array, 0x5a, room + skew + GUARD);
    e.data = array + skew;
    datapath_get_elements(x->dp, &e);
    check_got(x, &e, room);
    free(array);
}

static void like_lane_by_lane(void **state) {
    static const uint32_t lanes[] = {1, 50, 64, 65, 128, 256, 1000};
    (void)state;
    for (enum kind kind = ON_PLANES; kind < KINDS; kind++)
        for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++) {
            struct pair x;
            open_pair(&x, kind, lanes[i]);
            for (unsigned n = 0; n < (kind == ON_PLANES ? 40 : 10); n++) {
                try_put(&x);
                try_get(&x);
            }
            close_pair(&x);
        }
}

/* Beyond the memory limit lanes read as 0 and keep nothing. */
static void without_memory(void **state) {
    struct pair x = {.planes = hand_planes()};
    unsigned char ones[64 * 4], got[64 * 4];
    (void)state;
    x.target = hand_target(64, &x.planes);
    x.diag = diag_new(NULL, NULL);
    struct dp_setup setup = {
        .target = &x.target, .mpus = 3, .reg_bits = map_bits, .memory_limit = 100};
    x.dp = plane_open_with(&setup, NULL, false, x.diag);
    memset(ones, 1, sizeof ones);
    memset(got, 1, sizeof got);
    struct dp_elements e = {
        .lanes = 64, .reg = 2, .bits = 32, .bytes = 4, .count = 64, .step = 1, .data = ones};
    datapath_put_elements(x.dp, &e);
    e.data = got;
    datapath_get_elements(x.dp, &e);
    for (size_t i = 0; i < sizeof got; i++)
        assert_int_equal(got[i], 0);
    assert_non_null(x.dp->failure);
    x.dp->ops->close(x.dp);
    diag_free(x.diag);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(like_lane_by_lane),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

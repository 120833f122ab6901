/* SPDX-License-Identifier: MIT
 * The strict engine against a reference that keeps every plane apart: random programs of micro-ops
 * of random gates, with scratch, buffers, masks, old values, several destinations and such
 * as are tied to sources; and every way of functions of four and five planes. */
#include "support/bits.h"
#include "tests/plane/hand.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define REGS    4
#define BITS    6
#define LOCALS  12 /* scratch planes, then buffers */
#define VISIBLE (REGS * BITS + 2)
#define OPS     30
#define VRFS    128
#define NONE    ((uint32_t)PLANE_NONE << 28)

/* --- a random technology --- */

/* One of the destinations before, or its opposite, or anything. */
static uint32_t random_truth(const struct target_op *op, unsigned k, uint64_t *seed) {
    uint64_t way = splitmix64(seed) % 4;
    return k > 0 && way == 0   ? op->truth[k - 1]
           : k > 0 && way == 1 ? ~op->truth[k - 1]
                               : (uint32_t)splitmix64(seed);
}

static void random_ops(struct target_op *ops, uint64_t *seed) {
    for (unsigned k = 0; k < OPS; k++) {
        uint8_t nsrc = (uint8_t)(k % 6);
        ops[k] = (struct target_op){
            .name = "op",
            .class = (enum op_class)(k % 3),
            .nsrc = nsrc,
            .ndst = (uint8_t)(splitmix64(seed) % 2 ? 1 + splitmix64(seed) % OP_MAX_DESTS : 1),
            .reads_old = splitmix64(seed) % 4 == 0 && nsrc < OP_MAX_SOURCES,
            .energy = k};
        for (unsigned i = 0; i < OP_MAX_DESTS; i++)
            ops[k].truth[i] = random_truth(&ops[k], i, seed);
        for (uint8_t i = 0; i < nsrc && i < ops[k].ndst && splitmix64(seed) % 2; i++)
            ops[k].tied[i] = (uint8_t)(i + 1);
    }
}

/* --- the reference: planes of one word --- */

struct reference {
    uint64_t visible[VISIBLE]; /* registers, C, M */
    uint64_t valid;
    uint64_t local[LOCALS];
};

static uint32_t plane_number(unsigned index) {
    if (index < REGS * BITS)
        return hand_reg(index / BITS, index % BITS);
    if (index < VISIBLE)
        return PLANE(index == VISIBLE - 2 ? PLANE_C : PLANE_M, 0, 0);
    index -= VISIBLE;
    return index < 8 ? PLANE(PLANE_SCRATCH, index / 2, 60 + index % 2)
                     : PLANE(PLANE_BUFFER, index % 2, (index / 2 % 2) << 8 | 3);
}

static uint64_t *find(struct reference *r, uint32_t plane) {
    for (unsigned i = 0; i < VISIBLE + LOCALS; i++)
        if (plane_number(i) == plane)
            return i < VISIBLE ? &r->visible[i] : &r->local[i - VISIBLE];
    return PLANE_CLASS(plane) == PLANE_VALID ? &r->valid : NULL;
}

static uint64_t read_plane(struct reference *r, uint32_t plane) {
    if (PLANE_CLASS(plane) == PLANE_CONST)
        return PLANE_NUMBER(plane) ? UINT64_MAX : 0;
    return *find(r, plane);
}

static bool is_local(uint32_t plane) {
    return PLANE_CLASS(plane) == PLANE_SCRATCH || PLANE_CLASS(plane) == PLANE_BUFFER;
}

static uint64_t apply(uint32_t truth, const uint64_t *in, unsigned inputs) {
    uint64_t out = 0;
    for (unsigned lane = 0; lane < 64; lane++) {
        unsigned i = 0;
        for (unsigned s = 0; s < inputs; s++)
            i |= (unsigned)(in[s] >> lane & 1) << s;
        out |= (uint64_t)(truth >> i & 1) << lane;
    }
    return out;
}

/* All destinations change at once; the predicate is for visible ones. */
static void reference_one(struct reference *r, const struct target_op *op, const struct uop *u) {
    uint64_t in[UOP_MAX + 1] = {0}, out[UOP_MAX] = {0};
    uint64_t mask =
        PLANE_CLASS(u->predicate) == PLANE_NONE ? UINT64_MAX : read_plane(r, u->predicate);
    for (unsigned s = 0; s < u->nsrc; s++)
        in[s] = read_plane(r, u->src[s]);
    for (unsigned k = 0; k < u->ndst; k++) {
        if (u->dst[k] == NONE)
            continue;
        in[u->nsrc] = *find(r, u->dst[k]);
        uint64_t held = is_local(u->dst[k]) ? UINT64_MAX : mask;
        out[k] = (held & apply(op->truth[k], in, u->nsrc + op->reads_old)) | (~held & in[u->nsrc]);
    }
    for (unsigned k = 0; k < u->ndst; k++)
        if (u->dst[k] != NONE)
            *find(r, u->dst[k]) = out[k];
}

static void reference_run(struct reference *r, const struct target_op *ops,
                          const struct uop_list *list) {
    for (size_t i = 0; i < list->len; i++)
        reference_one(r, &ops[list->data[i].kind], &list->data[i]);
}

/* --- random programs --- */

struct generator {
    uint64_t seed;
    bool defined[LOCALS];
};

static unsigned draw(struct generator *g, unsigned n) {
    return (unsigned)(splitmix64(&g->seed) % n);
}

static uint32_t random_source(struct generator *g) {
    switch (draw(g, 8)) {
    case 0:
        return PLANE(PLANE_CONST, 0, draw(g, 2));
    case 1:
        return PLANE(PLANE_VALID, 0, 0);
    case 2:
    case 3:
        return plane_number(draw(g, VISIBLE));
    default:
        break;
    }
    unsigned i = draw(g, LOCALS);
    return plane_number(g->defined[i] ? VISIBLE + i : draw(g, VISIBLE));
}

/* One that holds something and may be written. */
static uint32_t random_place(struct generator *g) {
    unsigned i = draw(g, LOCALS);
    return plane_number(g->defined[i] ? VISIBLE + i : draw(g, VISIBLE));
}

/* Distinct destinations; one that keeps its old value must hold something. */
static uint32_t random_dest(struct generator *g, bool keeps) {
    unsigned i = draw(g, LOCALS);
    if (draw(g, 3) == 0 || (keeps && !g->defined[i]))
        return plane_number(draw(g, VISIBLE));
    return plane_number(VISIBLE + i);
}

static void define(struct generator *g, uint32_t plane) {
    for (unsigned i = 0; i < LOCALS; i++)
        g->defined[i] |= plane_number(VISIBLE + i) == plane;
}

static void random_uop(struct generator *g, const struct target_op *ops, struct uop_list *list) {
    unsigned kind = draw(g, OPS);
    const struct target_op *op = &ops[kind];
    struct uop u = {.kind = (uint16_t)kind,
                    .nsrc = op->nsrc,
                    .ndst = op->ndst,
                    .src = {NONE, NONE, NONE, NONE, NONE, NONE},
                    .dst = {NONE, NONE, NONE, NONE, NONE, NONE},
                    .predicate = draw(g, 3) ? NONE : PLANE(PLANE_M, 0, 0)};
    bool keeps = op->reads_old;
    for (unsigned s = 0; s < u.nsrc; s++)
        u.src[s] = random_source(g);
    for (unsigned k = 0; k < u.ndst; k++) {
        u.dst[k] = k > 0 && draw(g, 4) == 0 ? NONE : random_dest(g, keeps);
        if (op->tied[k])
            u.dst[k] = u.src[k] = random_place(g);
        for (unsigned before = 0; before < k; before++)
            if (u.dst[before] == u.dst[k])
                u.dst[k] = NONE;
    }
    for (unsigned k = 0; k < u.ndst; k++)
        define(g, u.dst[k]);
    vec_push(list, u);
}

/* Bits of registers one after another. */
static void random_row_of_bits(struct generator *g, const struct target_op *ops,
                               struct uop_list *list) {
    unsigned kind = draw(g, OPS);
    struct uop u = {.kind = (uint16_t)kind,
                    .nsrc = ops[kind].nsrc,
                    .ndst = ops[kind].ndst,
                    .src = {NONE, NONE, NONE, NONE, NONE, NONE},
                    .dst = {NONE, NONE, NONE, NONE, NONE, NONE},
                    .predicate = NONE};
    unsigned count = 1 + draw(g, BITS), from[UOP_MAX];
    bool down = draw(g, 2);
    for (unsigned s = 0; s < u.nsrc; s++)
        from[s] = draw(g, REGS);
    for (unsigned i = 0; i < count; i++) {
        unsigned bit = down ? count - 1 - i : i;
        for (unsigned s = 0; s < u.nsrc; s++)
            u.src[s] = hand_reg(from[s], bit);
        for (unsigned k = 0; k < u.ndst; k++)
            u.dst[k] = k < REGS ? hand_reg(k, bit) : NONE;
        vec_push(list, u);
    }
}

static struct uop_list random_list(struct generator *g, const struct target_op *ops) {
    struct uop_list list = {0};
    memset(g->defined, 0, sizeof g->defined);
    for (unsigned n = 1 + draw(g, 60); n > 0; n--)
        if (draw(g, 8) == 0)
            random_row_of_bits(g, ops, &list);
        else
            random_uop(g, ops, &list);
    return list;
}

/* --- comparing --- */

static uint64_t get_word(struct datapath *dp, uint32_t v, enum dp_what what, unsigned reg,
                         unsigned bit) {
    uint64_t lanes[64], word = 0;
    dp->ops->get(dp, v, what, reg, 0, 64, lanes);
    for (unsigned lane = 0; lane < 64; lane++)
        word |= (lanes[lane] >> bit & 1) << lane;
    return word;
}

static void read_state(struct datapath *dp, uint32_t v, struct reference *r) {
    for (unsigned i = 0; i < REGS * BITS; i++)
        r->visible[i] = get_word(dp, v, DP_REGISTER, i / BITS, i % BITS);
    r->visible[VISIBLE - 2] = get_word(dp, v, DP_C, 0, 0);
    r->visible[VISIBLE - 1] = get_word(dp, v, DP_M, 0, 0);
    r->valid = get_word(dp, v, DP_VALID, 0, 0);
}

static struct datapath *open_machine(const struct target *t, const struct plane_kernels *k,
                                     struct diag *d) {
    uint8_t bits[64] = {0};
    memset(bits, BITS, REGS);
    struct dp_setup setup = {
        .target = t, .mpus = 2, .reg_bits = bits, .init = DP_INIT_RANDOM, .seed = 11};
    struct datapath *dp = plane_open_with(&setup, k, false, d);
    for (uint32_t v = 0; v < VRFS; v++) {
        struct dp_binding b = {.vrf = v, .valid_lanes = v % 65};
        dp->ops->bind(dp, &b, 1);
    }
    return dp;
}

/* Runs one list on a random range; VRFs in it change as the reference says, others stay. */
static void try_list(struct generator *g, struct datapath *dp, const struct target *t) {
    struct diag *d = diag_new(NULL, NULL);
    struct uop_list list = random_list(g, plane_target(t)->ops);
    struct dp_code *code = plane_prepare_uops(dp, list.data, list.len, d);
    assert_null(diag_first(d));
    struct vrf_range range = {draw(g, VRFS), 0};
    range.count = 1 + draw(g, VRFS - range.first);
    static struct reference want[VRFS];
    for (uint32_t v = 0; v < VRFS; v++) {
        read_state(dp, v, &want[v]);
        if (v >= range.first && v - range.first < range.count)
            reference_run(&want[v], plane_target(t)->ops, &list);
    }
    dp->ops->execute(dp, code, (struct vrf_set){&range, 1}, (struct dp_moment){0}, NULL);
    for (uint32_t v = 0; v < VRFS; v++) {
        struct reference got;
        read_state(dp, v, &got);
        assert_memory_equal(got.visible, want[v].visible, sizeof got.visible);
        assert_int_equal(got.valid, want[v].valid);
    }
    vec_free(&list);
    diag_free(d);
}

static void random_programs(void **state) {
    size_t builds;
    const struct plane_kernels *const *all = plane_kernels_all(&builds);
    struct diag *d = diag_new(NULL, NULL);
    (void)state;
    for (uint64_t round = 0; round < 24; round++) {
        struct target_op ops[OPS];
        struct generator g = {.seed = round};
        struct plane_target planes = hand_planes();
        struct target t = hand_target(64, &planes);
        random_ops(ops, &g.seed);
        planes.ops = ops;
        planes.op_count = OPS;
        struct datapath *dp = open_machine(&t, all[round % builds], d);
        for (unsigned i = 0; i < 12; i++)
            try_list(&g, dp, &t);
        dp->ops->close(dp);
    }
    diag_free(d);
}

/* --- functions of four and five planes --- */

/* Lane i of plane s holds bit s of i: all rows of a table stand side by side. */
static const uint64_t planes_of_rows[5] = {0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc,
                                           0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00,
                                           0xffff0000ffff0000};

static void put_plane(struct datapath *dp, unsigned reg, uint64_t plane) {
    uint64_t lanes[64];
    for (unsigned lane = 0; lane < 64; lane++)
        lanes[lane] = plane >> lane & 1;
    dp->ops->put(dp, 0, DP_REGISTER, reg, 1, 0, 64, lanes);
}

/* Runs many functions of the same planes, destinations cycling through some registers. */
static void try_functions(struct datapath *dp, struct target_op *op, unsigned inputs,
                          const uint32_t *truths, unsigned count, struct diag *d) {
    enum { FIRST = 8, CHECKED = 32 };
    struct vrf_range one = {0, 1};
    for (unsigned i = 0; i < count; i++) {
        struct uop u = {.nsrc = (uint8_t)inputs, .ndst = 1, .predicate = NONE};
        for (unsigned s = 0; s < inputs; s++)
            u.src[s] = hand_reg(s, 0);
        u.dst[0] = hand_reg(FIRST + i % CHECKED, 0);
        *op = (struct target_op){.name = "op", .nsrc = (uint8_t)inputs, .ndst = 1};
        op->truth[0] = truths[i];
        struct dp_code *code = plane_prepare_uops(dp, &u, 1, d);
        assert_non_null(code);
        dp->ops->execute(dp, code, (struct vrf_set){&one, 1}, (struct dp_moment){0}, NULL);
        uint32_t got = (uint32_t)get_word(dp, 0, DP_REGISTER, FIRST + i % CHECKED, 0);
        uint32_t rows = inputs == 5 ? UINT32_MAX : 0xffff;
        assert_int_equal(got & rows, truths[i] & rows);
        if (i % 256 == 255)
            plane_codes_free(plane_of(dp));
    }
}

/* All 65,536 functions of four planes; of five those with one row, all but one, the majority, and
 * random ones. */
static void wide_functions(void **state) {
    enum { FOUR = 65536, FIVE = 20000 };
    struct diag *d = diag_new(NULL, NULL);
    struct plane_target planes = hand_planes();
    struct target t = hand_target(64, &planes);
    struct target_op op = {.name = "op", .ndst = 1};
    uint32_t *truths = xcalloc(FOUR, sizeof *truths);
    uint64_t seed = 3;
    (void)state;
    planes.ops = &op;
    planes.op_count = 1;
    struct datapath *dp = hand_open(&t, plane_kernels_widest(), 1, 0, d);
    for (unsigned s = 0; s < 5; s++)
        put_plane(dp, s, planes_of_rows[s]);
    for (uint32_t i = 0; i < FOUR; i++)
        truths[i] = i;
    try_functions(dp, &op, 4, truths, FOUR, d);
    for (uint32_t i = 0; i < FIVE; i++)
        truths[i] = i < 32 ? 1u << i : i < 64 ? ~(1u << i % 32) : (uint32_t)splitmix64(&seed);
    for (unsigned row = truths[64] = 0; row < 32; row++)
        truths[64] |= (uint32_t)(__builtin_popcount(row) >= 3) << row;
    try_functions(dp, &op, 5, truths, FIVE, d);
    free(truths);
    dp->ops->close(dp);
    diag_free(d);
}

/* --- the adder of nine NORs --- */

static void adder(void **state) {
    static const uint32_t lanes[] = {64, 100, 512};
    struct diag *d = diag_new(NULL, NULL);
    (void)state;
    for (size_t l = 0; l < 3; l++) {
        struct plane_target planes = hand_planes();
        struct target t = hand_target(lanes[l], &planes);
        struct datapath *dp = hand_open(&t, plane_kernels_widest(), 64, 0, d);
        struct uop_list list = {0};
        hand_adder(&list, 64, 1, 2, 3, false);
        struct dp_code *code = plane_prepare_uops(dp, list.data, list.len, d);
        uint64_t a[512], b[512], sum[512], seed = 5;
        for (uint32_t v = 0; v < 50; v++) {
            for (uint32_t i = 0; i < lanes[l]; i++)
                a[i] = splitmix64(&seed), b[i] = v % 2 ? splitmix64(&seed) : ~a[i] + v;
            dp->ops->put(dp, v, DP_REGISTER, 1, 64, 0, lanes[l], a);
            dp->ops->put(dp, v, DP_REGISTER, 2, 64, 0, lanes[l], b);
        }
        struct vrf_range all = {0, 50};
        dp->ops->execute(dp, code, (struct vrf_set){&all, 1}, (struct dp_moment){0}, NULL);
        for (uint32_t v = 0; v < 50; v++) {
            dp->ops->get(dp, v, DP_REGISTER, 1, 0, lanes[l], a);
            dp->ops->get(dp, v, DP_REGISTER, 2, 0, lanes[l], b);
            dp->ops->get(dp, v, DP_REGISTER, 3, 0, lanes[l], sum);
            for (uint32_t i = 0; i < lanes[l]; i++)
                assert_int_equal(sum[i], a[i] + b[i]);
        }
        struct dp_description about;
        dp->ops->describe(dp, code, &about);
        assert_int_equal(about.uops[HAND_NOR], 9 * 64);
        assert_int_equal(about.uops[HAND_BUF], 63);
        assert_int_equal(about.energy_fj[OPCLASS_LOGIC], 9 * 64 * 8000);
        assert_int_equal(about.energy_fj[OPCLASS_COPY], 500);
        assert_int_equal(about.energy_fj[OPCLASS_CROSSING], 63 * 30);
        vec_free(&list);
        dp->ops->close(dp);
    }
    diag_free(d);
}

/* --- calls on disjoint sets at the same time --- */

struct half {
    struct datapath *dp;
    const struct dp_code *code;
    uint32_t first; /* VRFs first, first + 2, ... */
};

/* Every other VRF, one by one: both threads work in the same tiles, from their first use on. */
static void *run_half(void *context) {
    const struct half *h = context;
    for (uint32_t v = h->first; v < 256; v += 2) {
        struct vrf_range range = {v, 1};
        h->dp->ops->execute(h->dp, h->code, (struct vrf_set){&range, 1}, (struct dp_moment){0},
                            NULL);
    }
    return NULL;
}

static void two_threads(void **state) {
    struct diag *d = diag_new(NULL, NULL);
    struct plane_target planes = hand_planes();
    struct target t = hand_target(64, &planes);
    uint8_t bits[64] = {16, 16, 16};
    struct dp_setup setup = {
        .target = &t, .mpus = t.mpus, .reg_bits = bits, .init = DP_INIT_RANDOM, .seed = 9};
    struct datapath *dp = plane_open_with(&setup, plane_kernels_widest(), false, d);
    struct uop_list list = {0};
    uint64_t sum[64];
    pthread_t thread;
    (void)state;
    hand_adder(&list, 16, 0, 1, 2, false);
    struct dp_code *code = plane_prepare_uops(dp, list.data, list.len, d);
    struct half halves[2] = {{dp, code, 0}, {dp, code, 1}};
    assert_int_equal(pthread_create(&thread, NULL, run_half, &halves[1]), 0);
    run_half(&halves[0]);
    pthread_join(thread, NULL);
    for (uint32_t v = 0; v < 256; v++) {
        dp->ops->get(dp, v, DP_REGISTER, 2, 0, 64, sum);
        for (uint32_t i = 0; i < 64; i++)
            assert_int_equal(sum[i], (state_init_value(9, v, 0, i) + state_init_value(9, v, 1, i)) &
                                         0xffff);
    }
    vec_free(&list);
    dp->ops->close(dp);
    diag_free(d);
}

/* Which build executes a tile is found out by trying: sums are right while that goes on, and then
 * one is chosen. */
static void builds_are_tried(void **state) {
    struct diag *d = diag_new(NULL, NULL);
    struct plane_target planes = hand_planes();
    struct target t = hand_target(64, &planes);
    struct datapath *dp = hand_open(&t, NULL, 32, 0, d);
    struct uop_list list = {0};
    struct vrf_range range = {0, 256};
    uint64_t one[64], sum[64];
    (void)state;
    hand_adder(&list, 32, 0, 1, 0, false);
    struct dp_code *code = plane_prepare_uops(dp, list.data, list.len, d);
    for (uint32_t v = 0; v < range.count; v++) {
        for (uint32_t i = 0; i < 64; i++)
            one[i] = v * 64 + i;
        dp->ops->put(dp, v, DP_REGISTER, 1, 32, 0, 64, one);
    }
    for (uint64_t pass = 1; pass <= PLANE_MAX_BUILDS * PLANE_TURNS; pass++) {
        dp->ops->execute(dp, code, (struct vrf_set){&range, 1}, (struct dp_moment){0}, NULL);
        for (uint32_t v = 0; v < range.count; v += 17) {
            dp->ops->get(dp, v, DP_REGISTER, 0, 0, 64, sum);
            for (uint32_t i = 0; i < 64; i++)
                assert_int_equal(sum[i], pass * (v * 64 + i));
        }
    }
    assert_non_null(atomic_load(&plane_of(dp)->choice.chosen));
    vec_free(&list);
    dp->ops->close(dp);
    diag_free(d);
}

/* Nine temporaries and a carry in 64 sections share a handful of slots. */
static void scratch_is_shared(void **state) {
    struct diag *d = diag_new(NULL, NULL);
    struct plane_target planes = hand_planes();
    struct target t = hand_target(64, &planes);
    struct datapath *dp = hand_open(&t, plane_kernels_widest(), 64, 0, d);
    struct uop_list list = {0};
    (void)state;
    hand_adder(&list, 64, 1, 2, 3, true);
    struct dp_code *code = plane_prepare_uops(dp, list.data, list.len, d);
    assert_non_null(code);
    assert_in_range(code->scratch_slots, SLOT_FIRST + 1, SLOT_FIRST + 6);
    assert_int_equal(code->step_count, list.len);
    vec_free(&list);
    dp->ops->close(dp);
    diag_free(d);
}

/* A scratch plane that is read for the last time, as a source and as the predicate at once. */
static void scratch_as_predicate(void **state) {
    struct diag *d = diag_new(NULL, NULL);
    struct plane_target planes = hand_planes();
    struct target t = hand_target(64, &planes);
    struct datapath *dp = hand_open(&t, plane_kernels_widest(), 1, 0, d);
    struct dp_binding all = {0, 64, 0, 0};
    struct vrf_range one = {0, 1};
    uint32_t temp = PLANE(PLANE_SCRATCH, 0, 64);
    struct uop u[] = {hand_uop1(HAND_COPY, hand_reg(1, 0), temp),
                      hand_uop1(HAND_COPY, temp, hand_reg(2, 0))};
    uint64_t bit[64];
    (void)state;
    u[1].predicate = temp;
    struct dp_code *code = plane_prepare_uops(dp, u, 2, d);
    if (!code)
        fail_msg("%s", diag_first(d));
    dp->ops->bind(dp, &all, 1);
    for (unsigned lane = 0; lane < 64; lane++)
        bit[lane] = lane % 3 == 0;
    dp->ops->put(dp, 0, DP_REGISTER, 1, 1, 0, 64, bit);
    dp->ops->execute(dp, code, (struct vrf_set){&one, 1}, (struct dp_moment){0}, NULL);
    dp->ops->get(dp, 0, DP_REGISTER, 2, 0, 64, bit);
    for (unsigned lane = 0; lane < 64; lane++)
        assert_int_equal(bit[lane], lane % 3 == 0);
    dp->ops->close(dp);
    diag_free(d);
}

/* --- what a machine refuses --- */

static void refuse(struct datapath *dp, struct uop u, const char *why) {
    struct diag *d = diag_new(NULL, NULL);
    assert_null(plane_prepare_uops(dp, &u, 1, d));
    assert_non_null(diag_first(d));
    if (!strstr(diag_first(d), why))
        fail_msg("'%s' does not say '%s'", diag_first(d), why);
    diag_free(d);
}

static void refusals(void **state) {
    struct diag *d = diag_new(NULL, NULL);
    struct plane_target planes = hand_planes();
    struct target t = hand_target(64, &planes);
    struct datapath *dp = hand_open(&t, plane_kernels_widest(), 8, 0, d);
    uint32_t r = hand_reg(1, 0), one = PLANE(PLANE_CONST, 0, 1), temp = PLANE(PLANE_SCRATCH, 3, 70);
    (void)state;
    refuse(dp, hand_uop1(HAND_COPY, hand_reg(1, 8), r), "register map gives it 8 bits");
    refuse(dp, hand_uop1(HAND_COPY, r, one), "read only");
    refuse(dp, hand_uop1(HAND_COPY, r, PLANE(PLANE_VALID, 0, 0)), "read only");
    refuse(dp, hand_uop1(HAND_COPY, temp, r), "has not written");
    refuse(dp, hand_uop1(HAND_COPY, PLANE(PLANE_CONST, 0, 2), r), "does not have");
    struct uop u = hand_uop1(HAND_COPY, r, r);
    u.kind = HAND_OPS;
    refuse(dp, u, "operands of its op");
    u.kind = HAND_NOR;
    refuse(dp, u, "operands of its op");
    dp->ops->close(dp);
    struct target_op ops[HAND_OPS];
    memcpy(ops, plane_target(&t)->ops, sizeof ops);
    ops[HAND_COPY].reads_old = true;
    planes.ops = ops;
    dp = hand_open(&t, plane_kernels_widest(), 8, 0, d);
    refuse(dp, hand_uop1(HAND_COPY, r, temp), "keeps scratch");
    dp->ops->close(dp);
    diag_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs),
        cmocka_unit_test(wide_functions),
        cmocka_unit_test(adder),
        cmocka_unit_test(two_threads),
        cmocka_unit_test(builds_are_tried),
        cmocka_unit_test(scratch_is_shared),
        cmocka_unit_test(refusals),
        cmocka_unit_test(scratch_as_predicate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

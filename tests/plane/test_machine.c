/* SPDX-License-Identifier: MIT
 * State: what is put is got, over all geometries, in the plane machine and in golden alike. */
#include "support/bits.h"
#include "support/str.h"
#include "tests/plane/hand.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define MAX_LANES 512

static const uint32_t geometries[] = {64, 100, 512, 1, 63, 130};
#define GEOMETRIES (sizeof geometries / sizeof *geometries)

/* Registers 0..3 have 64, 17, 1 and 9 bits, the others none. */
static const uint8_t map_bits[64] = {64, 17, 1, 9};

struct opened {
    struct plane_target planes;
    struct target target;
    struct diag *diag;
    struct datapath *dp;
};

static void open_on(struct opened *x, unsigned kind, uint32_t lanes, enum dp_init init,
                    uint64_t limit) {
    x->planes = hand_planes();
    x->target = hand_target(lanes, &x->planes);
    x->diag = diag_new(NULL, NULL);
    struct dp_setup setup = {.target = &x->target,
                             .mpus = 3,
                             .reg_bits = map_bits,
                             .init = init,
                             .seed = 77,
                             .memory_limit = limit};
    x->dp = kind == 0 ? plane_open_with(&setup, plane_kernels_widest(), false, x->diag)
                      : golden_ops.open(&setup, x->diag);
    assert_non_null(x->dp);
}

static void close_it(struct opened *x) {
    assert_null(diag_first(x->diag));
    x->dp->ops->close(x->dp);
    diag_free(x->diag);
}

/* --- registers --- */

static void random_values(uint64_t *values, uint32_t count, uint64_t seed) {
    for (uint32_t i = 0; i < count; i++)
        values[i] = splitmix64(&seed);
}

/* Puts a part of a register and compares the whole with a model. */
static void try_put(struct opened *x, uint32_t v, unsigned reg, unsigned width, uint32_t first,
                    uint32_t count, uint64_t seed) {
    uint32_t lanes = x->target.lanes;
    uint64_t model[MAX_LANES], values[MAX_LANES], got[MAX_LANES];
    x->dp->ops->get(x->dp, v, DP_REGISTER, reg, 0, lanes, model);
    random_values(values, count, seed);
    x->dp->ops->put(x->dp, v, DP_REGISTER, reg, width, first, count, values);
    uint64_t changes = low_bits(width) & (map_bits[reg] ? low_bits(map_bits[reg]) : 0);
    for (uint32_t i = 0; i < count; i++)
        model[first + i] = (model[first + i] & ~changes) | (values[i] & changes);
    x->dp->ops->get(x->dp, v, DP_REGISTER, reg, 0, lanes, got);
    assert_memory_equal(got, model, lanes * sizeof *got);
    x->dp->ops->get(x->dp, v, DP_REGISTER, reg, first, count, got);
    assert_memory_equal(got, model + first, count * sizeof *got);
}

static void put_and_get(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < 2; kind++)
        for (size_t g = 0; g < GEOMETRIES; g++) {
            struct opened x;
            uint64_t seed = g;
            open_on(&x, kind, geometries[g], DP_INIT_RANDOM, 0);
            for (unsigned i = 0; i < 300; i++) {
                uint32_t v = (uint32_t)(splitmix64(&seed) % 192);
                unsigned reg = (unsigned)(splitmix64(&seed) % 5);
                unsigned width = 1 + (unsigned)(splitmix64(&seed) % 64);
                uint32_t first = (uint32_t)(splitmix64(&seed) % geometries[g]);
                uint32_t count = (uint32_t)(splitmix64(&seed) % (geometries[g] - first + 1));
                try_put(&x, v, reg, width, first, count, seed);
            }
            close_it(&x);
        }
}

static void start_values(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < 2; kind++)
        for (unsigned init = 0; init < 2; init++)
            for (size_t g = 0; g < GEOMETRIES; g++) {
                struct opened x;
                uint64_t got[MAX_LANES];
                uint32_t lanes = geometries[g], v = 191;
                open_on(&x, kind, lanes, (enum dp_init)init, 0);
                x.dp->ops->get(x.dp, v, DP_REGISTER, 1, 0, lanes, got);
                for (uint32_t i = 0; i < lanes; i++)
                    assert_int_equal(got[i], init ? state_init_value(77, v, 1, i) & 0x1ffff : 0);
                x.dp->ops->get(x.dp, v, DP_C, 0, 0, lanes, got);
                for (uint32_t i = 0; i < lanes; i++)
                    assert_int_equal(got[i], init ? state_init_value(77, v, DP_INIT_C, i) : 0);
                x.dp->ops->get(x.dp, v, DP_M, 0, 0, lanes, got);
                for (uint32_t i = 0; i < lanes; i++)
                    assert_int_equal(got[i], 0);
                close_it(&x);
            }
}

/* The values are spread: no lane, register or VRF repeats another's. */
static void start_values_differ(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 200; i++)
        for (uint32_t j = 0; j < i; j++) {
            assert_true(state_init_value(1, i, 0, 0) != state_init_value(1, j, 0, 0));
            assert_true(state_init_value(1, 0, 0, i) != state_init_value(1, 0, 0, j));
            assert_true(state_init_value(i, 0, 0, 0) != state_init_value(j, 0, 0, 0));
            assert_true(state_init_value(1, 0, i % 64, i) != state_init_value(1, 0, j % 64, j));
        }
    assert_true(state_init_value(5, 1, DP_INIT_C, 1) <= 1);
}

/* --- masks --- */

static void bind_and_any(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < 2; kind++)
        for (size_t g = 0; g < GEOMETRIES; g++) {
            struct opened x;
            uint32_t lanes = geometries[g];
            uint64_t got[MAX_LANES], one = 1, zero = 0;
            uint8_t bits[6];
            open_on(&x, kind, lanes, DP_INIT_ZERO, 0);
            const struct dp_binding b[] = {{.vrf = 5, .valid_lanes = lanes},
                                           {.vrf = 6, .valid_lanes = lanes / 2},
                                           {.vrf = 100, .valid_lanes = 1}};
            x.dp->ops->bind(x.dp, b, 3);
            for (unsigned i = 0; i < 3; i++) {
                x.dp->ops->get(x.dp, b[i].vrf, DP_VALID, 0, 0, lanes, got);
                for (uint32_t k = 0; k < lanes; k++)
                    assert_int_equal(got[k], k < b[i].valid_lanes);
                x.dp->ops->get(x.dp, b[i].vrf, DP_M, 0, 0, lanes, got);
                for (uint32_t k = 0; k < lanes; k++)
                    assert_int_equal(got[k], k < b[i].valid_lanes);
            }
            const struct vrf_range ranges[] = {{4, 3}, {99, 3}};
            const struct vrf_set set = {ranges, 2};
            const uint8_t all[] = {0, 1, lanes / 2 > 0, 0, 1, 0};
            x.dp->ops->any(x.dp, DP_ANY_M, set, bits, NULL);
            assert_memory_equal(bits, all, sizeof all);
            x.dp->ops->put(x.dp, 100, DP_C, 0, 1, 0, 1, &one);
            x.dp->ops->put(x.dp, 5, DP_C, 0, 1, lanes - 1, 1, &one);
            const uint8_t without_c[] = {0, lanes > 1, lanes / 2 > 0, 0, 0, 0};
            x.dp->ops->any(x.dp, DP_ANY_M_AND_NOT_C, set, bits, NULL);
            assert_memory_equal(bits, without_c, sizeof without_c);
            x.dp->ops->put(x.dp, 100, DP_M, 0, 1, 0, 1, &zero);
            x.dp->ops->any(x.dp, DP_ANY_M, set, bits, NULL);
            assert_int_equal(bits[4], 0);
            close_it(&x);
        }
}

/* --- copies --- */

static void copy_registers(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < 2; kind++)
        for (size_t g = 0; g < GEOMETRIES; g++) {
            struct opened x;
            uint32_t lanes = geometries[g];
            uint64_t src[MAX_LANES], before[MAX_LANES], after[MAX_LANES];
            open_on(&x, kind, lanes, DP_INIT_RANDOM, 0);
            for (unsigned width = 8; width <= 64; width *= 2) {
                const struct dp_copy c = {.src_vrf = 3,
                                          .dst_vrf = 150,
                                          .src_reg = 1,
                                          .dst_reg = 0,
                                          .width = (uint8_t)width};
                struct dp_cost cost = {0};
                x.dp->ops->get(x.dp, 3, DP_REGISTER, 1, 0, lanes, src);
                x.dp->ops->get(x.dp, 150, DP_REGISTER, 0, 0, lanes, before);
                hand_copy(x.dp, &c, &cost);
                x.dp->ops->get(x.dp, 150, DP_REGISTER, 0, 0, lanes, after);
                for (uint32_t i = 0; i < lanes; i++)
                    assert_int_equal(after[i],
                                     (before[i] & ~low_bits(width)) | (src[i] & low_bits(width)));
                assert_int_equal(cost.known, kind == 0);
                if (kind == 0) {
                    assert_int_equal(cost.ps, 48000);
                    assert_int_equal(cost.transfer_fj, 11ull * width * lanes);
                }
            }
            close_it(&x);
        }
}

/* --- snapshots --- */

static void snapshots(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < 2; kind++)
        for (size_t g = 0; g < GEOMETRIES; g++) {
            struct opened x, other;
            uint32_t lanes = geometries[g];
            uint64_t first[MAX_LANES], got[MAX_LANES], fresh[MAX_LANES];
            struct str block = {0}, damaged = {0};
            const struct dp_binding b = {.vrf = 9, .valid_lanes = lanes};
            open_on(&x, kind, lanes, DP_INIT_RANDOM, 0);
            open_on(&other, kind, lanes + 1, DP_INIT_RANDOM, 0);
            x.dp->ops->bind(x.dp, &b, 1);
            x.dp->ops->get(x.dp, 9, DP_REGISTER, 0, 0, lanes, first);
            x.dp->ops->get(x.dp, 180, DP_REGISTER, 0, 0, lanes, fresh);
            str_append(&block, "before");
            assert_true(x.dp->ops->snapshot(x.dp, false, &block));

            random_values(got, lanes, 1);
            x.dp->ops->put(x.dp, 9, DP_REGISTER, 0, 64, 0, lanes, got);
            x.dp->ops->put(x.dp, 180, DP_REGISTER, 0, 64, 0, lanes, got);
            str_append_n(&damaged, block.text, block.len - 1);
            assert_false(x.dp->ops->snapshot(x.dp, true, &damaged));
            assert_false(other.dp->ops->snapshot(other.dp, true, &block));
            assert_true(x.dp->ops->snapshot(x.dp, true, &block));
            assert_string_equal(str_text(&block), "before");
            assert_false(x.dp->ops->snapshot(x.dp, true, &block));

            x.dp->ops->get(x.dp, 9, DP_REGISTER, 0, 0, lanes, got);
            assert_memory_equal(got, first, lanes * sizeof *got);
            x.dp->ops->get(x.dp, 180, DP_REGISTER, 0, 0, lanes, got);
            assert_memory_equal(got, fresh, lanes * sizeof *got);
            x.dp->ops->get(x.dp, 9, DP_M, 0, 0, lanes, got);
            assert_int_equal(got[lanes - 1], 1);
            str_free(&block);
            str_free(&damaged);
            close_it(&x);
            close_it(&other);
        }
}

/* --- numbers --- */

/* value + i where M is 1, modulo 2^64, whatever lane it begins at. */
static void try_count(struct opened *x, const struct dp_copy *c, uint32_t valid) {
    uint64_t model[MAX_LANES], got[MAX_LANES];
    struct dp_cost cost = {0};
    uint64_t changes = low_bits(c->width) & low_bits(map_bits[c->dst_reg]);
    x->dp->ops->get(x->dp, c->dst_vrf, DP_REGISTER, c->dst_reg, 0, x->target.lanes, model);
    for (uint32_t i = 0; i < c->count; i++)
        if (c->dst_first + i < valid)
            model[c->dst_first + i] =
                (model[c->dst_first + i] & ~changes) | ((c->value + i) & changes);
    hand_copy(x->dp, c, &cost);
    x->dp->ops->get(x->dp, c->dst_vrf, DP_REGISTER, c->dst_reg, 0, x->target.lanes, got);
    assert_memory_equal(got, model, x->target.lanes * sizeof *got);
}

static void numbers_are_counted(void **state) {
    static const uint64_t values[] = {
        0,  1,          63,         64,        UINT64_MAX, UINT64_MAX - 63,
        99, 1ull << 37, 0xffffffff, 0x1ffffff, 12345678901};
    (void)state;
    for (unsigned kind = 0; kind < 2; kind++)
        for (size_t g = 0; g < GEOMETRIES; g++) {
            struct opened x;
            uint64_t seed = g;
            open_on(&x, kind, geometries[g], DP_INIT_RANDOM, 0);
            for (unsigned i = 0; i < 300; i++) {
                uint32_t lanes = geometries[g], first = (uint32_t)(splitmix64(&seed) % lanes);
                struct dp_copy c = {.dst_vrf = (uint32_t)(splitmix64(&seed) % 192),
                                    .dst_reg = i % 3 ? i % 3 == 1 ? 1 : 3 : 0,
                                    .width = (uint8_t)(1 + splitmix64(&seed) % 64),
                                    .source = DP_FROM_COUNT,
                                    .value = values[i % (sizeof values / sizeof *values)] +
                                             (i % 2 ? splitmix64(&seed) % 200 : 0),
                                    .count = 1 + (uint32_t)(splitmix64(&seed) % (lanes - first)),
                                    .dst_first = first,
                                    .dst_step = 1};
                struct dp_binding b = {c.dst_vrf, (uint32_t)(splitmix64(&seed) % (lanes + 1)), 0,
                                       0};
                x.dp->ops->bind(x.dp, &b, 1);
                try_count(&x, &c, b.valid_lanes);
            }
            close_it(&x);
        }
}

/* --- limits --- */

static void memory_limit(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < 2; kind++) {
        struct opened x;
        uint64_t values[64] = {1, 2, 3};
        open_on(&x, kind, 64, DP_INIT_ZERO, kind == 0 ? 100000 : 5000);
        x.dp->ops->put(x.dp, 0, DP_REGISTER, 0, 64, 0, 3, values);
        assert_null(x.dp->failure);
        for (uint32_t v = 1; v < 192; v++)
            x.dp->ops->put(x.dp, v, DP_REGISTER, 0, 64, 0, 3, values);
        assert_non_null(x.dp->failure);
        assert_non_null(strstr(x.dp->failure, "limit of"));
        x.dp->ops->get(x.dp, 191, DP_REGISTER, 0, 0, 64, values);
        assert_int_equal(values[2], 0);
        x.dp->ops->get(x.dp, 0, DP_REGISTER, 0, 0, 64, values);
        assert_int_equal(values[2], 3);
        close_it(&x);
    }
}

static void impossible_machines(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < 2; kind++) {
        struct plane_target planes = hand_planes();
        struct target t = hand_target(64, &planes);
        struct diag *d = diag_new(NULL, NULL);
        struct dp_setup setup = {.target = &t, .mpus = 1u << 30, .reg_bits = map_bits};
        struct datapath *dp = kind == 0 ? plane_open_with(&setup, plane_kernels_widest(), false, d)
                                        : golden_ops.open(&setup, d);
        assert_null(dp);
        assert_non_null(strstr(diag_first(d), "more VRFs than can be numbered"));
        diag_free(d);
    }
}

/* --- observers --- */

struct seen {
    struct datapath *dp;
    unsigned events, nors, vrfs;
    uint32_t last_bit;
    struct str text; /* of the last */
};

static void see(void *context, const struct dp_event *e) {
    struct seen *s = context;
    const struct uop *u = e->record;
    s->events++;
    s->nors += e->kind == HAND_NOR;
    s->vrfs += e->vrf_count;
    assert_int_equal(e->kind, u->kind);
    assert_int_equal(e->unit, e->kind == HAND_NOR ? 0 : 8);
    if (e->kind == HAND_NOR)
        s->last_bit = PLANE_NUMBER(u->dst[0]) & 63;
    str_clear(&s->text);
    s->dp->ops->format(s->dp, e, DP_TEXT, &s->text);
}

static void observers(void **state) {
    struct opened x;
    struct seen s = {0};
    (void)state;
    open_on(&x, 0, 64, DP_INIT_RANDOM, 0);
    struct uop u[18];
    for (unsigned i = 0; i < 17; i++)
        u[i] = hand_uop2(HAND_NOR, hand_reg(1, i), hand_reg(0, i), hand_reg(0, i));
    u[17] = hand_uop1(HAND_COPY, hand_reg(2, 0), hand_reg(3, 8));
    u[17].section = 8;
    s.dp = x.dp;
    struct dp_code *code = plane_prepare_uops(x.dp, u, 18, x.diag);
    const struct vrf_range ranges[] = {{1, 2}, {90, 20}};
    const struct vrf_set set = {ranges, 2};
    x.dp->ops->observe(x.dp, see, &s);
    x.dp->ops->execute(x.dp, code, set, (struct dp_moment){0}, NULL);
    x.dp->ops->observe(x.dp, NULL, NULL);
    x.dp->ops->execute(x.dp, code, set, (struct dp_moment){0}, NULL);
    assert_int_equal(s.events, 36);
    assert_int_equal(s.nors, 34);
    assert_int_equal(s.vrfs, 18 * 22);
    assert_int_equal(s.last_bit, 16);
    assert_string_equal(str_text(&s.text), "COPY r3[8] <- r2[0]");
    struct dp_description about;
    x.dp->ops->describe(x.dp, code, &about);
    assert_int_equal(about.form, DP_COST_FIXED);
    assert_int_equal(about.micro_ops, 18);
    assert_int_equal(about.insn_micro_ops[0], 18);
    assert_int_equal(about.insn_energy_fj[0], 17 * 8000 + 500);
    str_free(&s.text);
    close_it(&x);
}

/* Cells have the name of their row and the section that it lies in. */
static void cells(void **state) {
    static const struct {
        uint32_t cell;
        const char *name;
        uint32_t section;
    } known[] = {{PLANE(PLANE_REGISTER, 0, 5 << 6 | 3), "r5[3]", 3},
                 {PLANE(PLANE_C, 7, 0), "C", 7},
                 {PLANE(PLANE_M, 0, 0), "M", 0},
                 {PLANE(PLANE_SCRATCH, 9, 12), "scratch 12", 9},
                 {PLANE(PLANE_BUFFER, 4, 1 << 8), "buffer 1", 4}};
    struct opened x;
    (void)state;
    open_on(&x, 0, 64, DP_INIT_ZERO, 0);
    assert_true(x.dp->has_cells);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct str name = {0};
        uint32_t section = UINT32_MAX;
        x.dp->ops->cell_text(x.dp, known[i].cell, &name, &section);
        assert_string_equal(str_text(&name), known[i].name);
        assert_int_equal(section, known[i].section);
        str_free(&name);
    }
    close_it(&x);
}

/* Counts of kinds and parts are those of the micro-ops, and following a run changes no bit. */
static void descriptions_add_up(void **state) {
    struct opened x;
    struct dp_description about;
    struct dp_times times = {0};
    uint64_t before[MAX_LANES], after[MAX_LANES];
    (void)state;
    open_on(&x, 0, 64, DP_INIT_RANDOM, 0);
    struct uop_list list = {0};
    hand_adder(&list, 9, 0, 1, 3, true);
    struct dp_code *code = plane_prepare_uops(x.dp, list.data, list.len, x.diag);
    assert_int_equal(x.dp->tables.kind_count, HAND_OPS);
    x.dp->ops->describe(x.dp, code, &about);
    uint64_t all = 0, energy = 0;
    for (unsigned k = 0; k < HAND_OPS; k++)
        all += about.uops[k];
    for (unsigned k = 0; k < x.dp->tables.part_count; k++)
        energy += about.energy_fj[k];
    assert_int_equal(all, list.len);
    assert_int_equal(about.micro_ops, list.len);
    assert_int_equal(energy, about.insn_energy_fj[0]);
    x.dp->ops->get(x.dp, 1, DP_REGISTER, 3, 0, 64, before);
    x.dp->ops->follow(x.dp, code, &about, &(struct dp_issue){.after_ps = 1000}, &times);
    x.dp->ops->get(x.dp, 1, DP_REGISTER, 3, 0, 64, after);
    assert_memory_equal(before, after, 64 * sizeof *before);
    assert_true(times.issued_ps >= 1000 && times.done_ps >= times.issued_ps);
    vec_free(&list);
    close_it(&x);
}

/* VRFs that were never used take no place between those that were. */
static void places_are_taken_by_use(void **state) {
    struct opened x;
    uint64_t value = 5;
    (void)state;
    open_on(&x, 0, 64, DP_INIT_ZERO, 0);
    uint64_t tile = (uint64_t)plane_of(x.dp)->slots * PLANE_STRIDE;
    for (uint32_t v = 0; v < 192; v += 2 * PLANE_BLOCK_WORDS)
        x.dp->ops->put(x.dp, v, DP_REGISTER, 0, 64, 0, 1, &value);
    assert_int_equal(plane_of(x.dp)->bytes, tile);
    for (uint32_t v = 0; v < 192; v++)
        x.dp->ops->put(x.dp, v, DP_REGISTER, 0, 64, 63, 1, &value);
    assert_int_equal(plane_of(x.dp)->bytes, 2 * tile);
    close_it(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(put_and_get),
        cmocka_unit_test(start_values),
        cmocka_unit_test(start_values_differ),
        cmocka_unit_test(bind_and_any),
        cmocka_unit_test(copy_registers),
        cmocka_unit_test(snapshots),
        cmocka_unit_test(memory_limit),
        cmocka_unit_test(impossible_machines),
        cmocka_unit_test(observers),
        cmocka_unit_test(cells),
        cmocka_unit_test(numbers_are_counted),
        cmocka_unit_test(descriptions_add_up),
        cmocka_unit_test(places_are_taken_by_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 * The generic library as logic, without any target: every vector instruction of the sets base, S,
 * H and C is there, says what it computes, and does on 64 lanes what its golden function says. */
#include "generic.h"
#include "logic.h"

#include "machines/verify/matrix.h"
#include "recipe/verify/computes.h"
#include "support/bits.h"

#ifdef MPU_SANITIZED
#define LIGHT 1
#else
#define LIGHT 0
#endif

static bool is_wanted(enum isa_op op) {
    const struct isa_info *info = isa_info(op);
    bool in_sets =
        info->set == SET_BASE || info->set == SET_S || info->set == SET_H || info->set == SET_C;
    return in_sets && info->flags & ISA_VECTOR && !(info->flags & ISA_RESERVED);
}

/* --- one instruction --- */

struct trial {
    struct generic *f;
    const struct recipe *recipe;
    const struct isa_info *info;
    struct insn insn;
    int role; /* of its constant */
    unsigned w;
    uint64_t seed;
};

static void fill(struct trial *t, const struct value_plan *plan, uint64_t first,
                 struct golden_lane *lanes) {
    for (unsigned i = 0; i < 64; i++) {
        uint64_t v[3], any = splitmix64(&t->seed);
        unsigned k = 0;
        struct golden_lane *x = &lanes[i];
        verify_plan_lane(plan, first + i, v);
        *x = (struct golden_lane){.w = t->w, .imm = t->insn.imm};
        x->rs = t->info->flags & READS_RS ? v[k++] : 0;
        x->rt = t->info->flags & READS_RT ? v[k++] : 0;
        x->rd = t->info->flags & READS_RD ? v[k++] : any & low_bits(t->w);
        x->c = any >> 61 & 1;
        x->valid = any >> 62 & 1;
        x->m = x->valid && any >> 63;
        if (t->role == ROLE_SRCWIDTH)
            x->rs &= low_bits((unsigned)t->insn.imm);
    }
}

static void to_planes(const struct golden_lane *x, struct logic_lanes *p) {
    memset(p, 0, sizeof *p);
    for (unsigned i = 0; i < 64; i++) {
        p->registers[FIELD_RS][i] = x[i].rs;
        p->registers[FIELD_RT][i] = x[i].rt;
        p->registers[FIELD_RD][i] = x[i].rd;
        p->c |= (uint64_t)x[i].c << i;
        p->m |= (uint64_t)x[i].m << i;
        p->valid |= (uint64_t)x[i].valid << i;
    }
    for (unsigned r = 0; r < 3; r++)
        bits_transpose64(p->registers[r]);
}

static uint64_t result_of(const struct logic_lanes *p, uint8_t field, unsigned lane) {
    if (field == FIELD_C || field == FIELD_M)
        return (field == FIELD_C ? p->c : p->m) >> lane & 1;
    return p->registers[field][lane];
}

static uint64_t golden_result(const struct golden_lane *x, uint8_t field) {
    const uint64_t values[] = {x->rs, x->rt, x->rd, x->c, x->m};
    return values[field] & low_bits(field >= FIELD_C ? 1 : x->w);
}

static void want(const struct trial *t, const char *what, const struct golden_lane *x, uint64_t got,
                 uint64_t expected) {
    if (got == expected)
        return;
    fail_msg("%s.%u: %s: rs %llx rt %llx rd %llx constant %lld C %d M %d valid %d: got %llx, "
             "expected %llx",
             t->info->name, x->w, what, (unsigned long long)x->rs, (unsigned long long)x->rt,
             (unsigned long long)x->rd, (long long)x->imm, x->c, x->m, x->valid,
             (unsigned long long)got, (unsigned long long)expected);
}

static void compare(const struct trial *t, const struct golden_lane *before,
                    const struct logic_lanes *after) {
    struct signature s;
    notation_signature(t->insn.op, &s);
    for (unsigned i = 0; i < 64; i++) {
        struct golden_lane golden = before[i];
        t->info->golden(&golden);
        for (unsigned k = 0; k < s.out_count; k++) {
            uint64_t expected = golden_result(&golden, s.out[k]);
            want(t, t->recipe->unit.out[k].name, &before[i], result_of(after, s.out[k], i),
                 expected);
            want(t, "computes", &before[i],
                 recipe_computes_eval(t->recipe, recipe_computes_of(t->recipe, s.out[k]),
                                      &before[i]),
                 expected);
        }
    }
}

/* Lanes first .. first + 63 of the plan. */
static void run_lanes(struct trial *t, const struct value_plan *plan, uint64_t first) {
    struct golden_lane before[64];
    struct logic_lanes planes;
    char error[300];
    fill(t, plan, first, before);
    to_planes(before, &planes);
    if (!logic_run(t->f->set, t->recipe, &t->insn, &planes, error, sizeof error))
        fail_msg("%s.%u constant %d: %s", t->info->name, t->w, t->insn.imm, error);
    for (unsigned r = 0; r < 3; r++)
        bits_transpose64(planes.registers[r]);
    compare(t, before, &planes);
}

/* --- constants --- */

static bool next_constant(struct trial *t, unsigned i) {
    const int32_t counts[] = {
        0, 1, 2, 63, (int32_t)t->w / 2, (int32_t)t->w - 1, (int32_t)t->w & 63};
    const int32_t widths[] = {1, (int32_t)t->w, ((int32_t)t->w + 1) / 2};
    static const int32_t values[] = {0,    1,     -1,    2,    3,    -3,    2047,  -2048,
                                     1365, -1366, -2047, 1024, 1536, 0x800, 0xfff, 100};
    int32_t random = (int32_t)(splitmix64(&t->seed) % 4096) - 2048;
    unsigned count = 1;
    if (t->role == ROLE_COUNT) {
        count = 7;
        t->insn.imm = counts[i % 7];
    } else if (t->role == ROLE_SRCWIDTH) {
        count = 3;
        t->insn.imm = widths[i % 3];
    } else if (t->role == ROLE_IMM) {
        count = 20;
        t->insn.imm = i < 16 ? values[i] : random;
    }
    return i < count;
}

/* Runs every constant that makes a legal word; returns how many do. */
static unsigned run_constants(struct trial *t, const struct value_plan *plan, uint64_t lanes) {
    unsigned runs = 0;
    for (unsigned i = 0; next_constant(t, i); i++) {
        if (!recipe_applies(&t->insn))
            continue;
        for (uint64_t first = 0; first < lanes; first += 64)
            run_lanes(t, plan, first);
        runs++;
    }
    return runs;
}

static unsigned registers_read(const struct trial *t) {
    uint32_t f = t->info->flags;
    return (f & READS_RS ? 1u : 0u) + (f & READS_RT ? 1u : 0u) + (f & READS_RD ? 1u : 0u);
}

static void set_width(struct trial *t, unsigned w) {
    bool sized = t->info->flags & ISA_WIDTH;
    t->w = sized ? w : 1;
    t->insn.width = sized ? (uint8_t)w : 0;
}

/* --- tests --- */

static void for_all(void **state, void (*test)(struct trial *t)) {
    struct generic *f = *state;
    for (int op = 0; op < OP_COUNT; op++) {
        struct trial t = {.f = f, .info = isa_info((enum isa_op)op), .seed = 1};
        t.role = isa_constant_role(t.info);
        t.recipe = recipe_chosen(f->set, op);
        t.insn = (struct insn){.op = (enum isa_op)op};
        t.insn.rs = t.info->flags & (READS_RS | WRITES_RS) ? 1 : 0;
        t.insn.rt = t.info->flags & (READS_RT | WRITES_RT) ? 2 : 0;
        t.insn.rd = t.info->flags & (READS_RD | WRITES_RD) ? 3 : 0;
        if (is_wanted((enum isa_op)op))
            test(&t);
    }
}

/* No instruction of the sets is missing, none is there by another choice, and none is silent about
 * what it computes. */
static void test_complete(void **state) {
    struct generic *f = *state;
    unsigned count = 0;
    for (int op = 0; op < OP_COUNT; op++) {
        const struct recipe *c = recipe_chosen(f->set, op);
        if (!is_wanted((enum isa_op)op))
            continue;
        if (!c)
            fail_msg("no generic recipe for %s", isa_info((enum isa_op)op)->name);
        assert_int_equal(c->choice, CHOICE_GENERIC);
        if (!recipe_computes_check(c, f->diag))
            fail_msg("%s", diag_first(f->diag));
        if (!recipe_computes_is_complete(c))
            fail_msg("%s does not say what it computes for '%s'", c->unit.name,
                     recipe_computes_missing(c));
        count++;
    }
    assert_true(count >= 70);
}

static void try_all_values(struct trial *t) {
    unsigned reads = registers_read(t), runs = 0;
    for (unsigned w = 1; w <= (LIGHT && reads == 3 ? 3 : 5); w++) {
        set_width(t, w);
        const struct value_plan plan = {.all = true, .w = t->w, .reads = reads, .seed = w};
        runs += run_constants(t, &plan, (uint64_t)1 << (reads * t->w));
    }
    assert_true(runs > 0 || t->role == ROLE_IMM); /* LIKk takes at least 13 bits */
}

static void test_all_values(void **state) {
    for_all(state, try_all_values);
}

static void try_mixed_values(struct trial *t) {
    static const uint8_t widths[] = {6, 7, 8, 13, 16, 31, 32, 33, 63, 64};
    unsigned runs = 0;
    for (size_t i = 0; i < sizeof widths; i++) {
        set_width(t, widths[i]);
        const struct value_plan plan = {
            .w = t->w, .edges = {t->w, t->w}, .reads = registers_read(t), .seed = i};
        runs += run_constants(t, &plan, LIGHT ? 128 : EDGE_LANES + 112);
    }
    assert_true(runs > 0);
}

static void test_mixed_values(void **state) {
    for_all(state, try_mixed_values);
}

static void try_every_width(struct trial *t) {
    for (unsigned w = 1; w <= 64; w += LIGHT ? 7 : 1) {
        set_width(t, w);
        const struct value_plan plan = {.w = t->w, .reads = registers_read(t), .seed = w};
        next_constant(t, w % 3);
        if (recipe_applies(&t->insn))
            run_lanes(t, &plan, EDGE_LANES);
    }
}

static void test_every_width(void **state) {
    for_all(state, try_every_width);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_complete),
        cmocka_unit_test(test_all_values),
        cmocka_unit_test(test_mixed_values),
        cmocka_unit_test(test_every_width),
    };
    return cmocka_run_group_tests(tests, open_generic, close_generic);
}

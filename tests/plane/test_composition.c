/* SPDX-License-Identifier: MIT
 * Composed steps beside those that they are made of, where test_fused.c seldom comes: pieces of any
 * number of words from any word on, with all around them, by each build of the kernels; steps with
 * one wrong bit, and without one of them, of which each is told from the right ones; and what is
 * larger than a program's author means. */
#include "tests/draws.h"

#include "isa-spec/isa.h"
#include "machines/plane/run/native_patterns.h"
#include "machines/plane/run/insn_forms.h"
#include "machines/plane/run/functions.h"
#include "recipe/set/set.h"
#include "support/bits.h"
#include "tests/plane/pair.h"

#include <stdio.h>
#include <string.h>

/* ---- pieces ---- */

#define MOST_WORDS 200

static void one_piece(struct pair *p) {
    struct insn insns[2] = {
        recipe_usual_insn(OP_ADD, 1 + pair_below(p, 16)),
        recipe_usual_insn(pair_below(p, 2) ? OP_MUL : OP_CMPLT, 1 + pair_below(p, 6))};
    const struct dp_run run = {insns, 1 + pair_below(p, 2), pair_below(p, 2), 0};
    const struct plane_machine *m = plane_of(p->strict);
    uint32_t most = MOST_WORDS / m->words_per_vrf;
    struct vrf_range r = {0, 1 + pair_below(p, most < m->vrfs ? most : m->vrfs)};
    r.first = pair_below(p, m->vrfs - r.count + 1);
    pair_execute(p->strict, pair_prepare(p, p->strict, &run), r);
    const struct dp_code *code = pair_prepare(p, p->fused, &run);
    pair_execute(p->fused, code, r);
    if (plane_of(p->fused)->vectors == PLANE_VECTORS_NONE)
        assert_non_null(atomic_load(&code->fused));
    else
        assert_non_null(atomic_load(&code->parts));
    if (!pair_same(p))
        fail_msg("%s: other bits than strict after %s.%u and so on in VRFs %u to %u",
                 p->on.target->name, isa_info(insns[0].op)->name, insns[0].width, r.first,
                 r.first + r.count - 1);
}

extern const struct plane_kernels plane_kernels_portable;

static void test_pieces(void **state) {
    static const char *const targets[] = {"racer", "pypim"};
    (void)state;
    size_t count;
    const struct plane_kernels *const *builds = plane_kernels_all(&count);
    const enum plane_vectors most = plane_code_vectors();
    /* By steps of each build and word by word; by code. */
    for (size_t i = 0; i < 2 * (count + 1 + most); i++) {
        struct pair p = {.on = target_bench_open(targets[i % 2], NULL, 0), .seed = 4800 + i};
        pair_open(&p, i / 2 < count ? builds[i / 2] : &plane_kernels_portable, 16);
        if (i / 2 > count)
            plane_of(p.fused)->vectors = (unsigned)(i / 2 - count);
        pair_bind(&p, plane_of(p.strict)->vrfs);
        for (unsigned k = 0; k < draws(DRAWS_FUSED_PIECES); k++)
            one_piece(&p);
        pair_close(&p);
        target_bench_close(&p.on);
    }
}

/* ---- mutants ---- */

/* A sum whose carries and bits have all values somewhere: whatever is done otherwise is seen. */
#define MUTANT_VRFS 256

struct mutants {
    unsigned bits, stores, caught_bits, caught_stores;
};

static bool is_caught(struct pair *p, const struct dp_code *code) {
    const struct vrf_range all = {0, MUTANT_VRFS};
    plane_tiles_reset(plane_of(p->fused));
    pair_bind(p, MUTANT_VRFS);
    pair_execute(p->fused, code, all);
    return !pair_same(p);
}

/* The step with the function's value in row `row` turned; false where its operands never have these
 * values, since some are zeros. */
static bool turn_bit(struct plane_step *step, unsigned row) {
    struct step_list made = {0};
    uint32_t operands[3];
    uint8_t f = (uint8_t)step->kernel;
    bool there = true;
    for (unsigned k = 0; k < 3; k++)
        operands[plane_order[f][k]] = step->src[k];
    for (unsigned k = 0; k < 3; k++)
        there &= !(row >> k & 1) || operands[k] != scratch_operand(SLOT_ZERO);
    for (unsigned k = 0; there && k < 3; k++)
        for (unsigned i = 0; i < k; i++)
            there &= operands[i] != operands[k] || (row >> i & 1) == (row >> k & 1);
    if (there) {
        plane_emit(&made, f ^ 1u << row, operands, 3, step->dst, step->kernel & PLANE_MASKED,
                   step->mask);
        *step = made.data[0];
    }
    vec_free(&made);
    return there;
}

/* Each step in turn without its work: it writes a plane that nobody reads. */
static void drop_step(struct plane_step *step) {
    *step = (struct plane_step){.dst = scratch_operand(SLOT_RESULT),
                                .src = {scratch_operand(SLOT_ZERO), scratch_operand(SLOT_ZERO),
                                        scratch_operand(SLOT_ZERO)}};
}

static void try_mutants(struct pair *p, const struct dp_code *code, struct mutants *n) {
    struct plane_fused *made = atomic_load(&code->fused);
    for (size_t i = 0; i < made->count; i++) {
        const struct plane_step right = made->steps[i];
        for (unsigned row = 0; row < 8; row++) {
            if (!turn_bit(&made->steps[i], row))
                continue;
            n->bits++;
            n->caught_bits += is_caught(p, code);
            made->steps[i] = right;
        }
        drop_step(&made->steps[i]);
        n->stores++;
        n->caught_stores += is_caught(p, code);
        made->steps[i] = right;
    }
    assert_false(is_caught(p, code));
}

static void test_mutants(void **state) {
    (void)state;
    const struct insn insns[] = {{.op = OP_ADD, .width = 4, .rs = 0, .rt = 1, .rd = 2},
                                 {.op = OP_CMPLT, .width = 4, .rs = 1, .rt = 0},
                                 {.op = OP_XOR, .width = 4, .rs = 0, .rt = 2, .rd = 3}};
    for (size_t i = 0; i < sizeof insns / sizeof *insns; i++) {
        struct pair p = {.on = target_bench_open("racer", NULL, 0), .seed = 48 + i};
        struct mutants n = {0};
        const struct dp_run run = {&insns[i], 1, false, 0};
        pair_open(&p, NULL, 4);
        pair_bind(&p, MUTANT_VRFS);
        pair_execute(p.strict, pair_prepare(&p, p.strict, &run),
                     (struct vrf_range){0, MUTANT_VRFS});
        const struct dp_code *code = pair_prepare(&p, p.fused, &run);
        assert_false(is_caught(&p, code));
        try_mutants(&p, code, &n);
        assert_true(n.bits >= 4 * n.stores && n.stores >= 4);
        if (n.caught_stores < n.stores || n.caught_bits < n.bits)
            fail_msg("%s: %u of %u wrong bits and %u of %u missing steps are seen",
                     isa_info(insns[i].op)->name, n.caught_bits, n.bits, n.caught_stores, n.stores);
        pair_close(&p);
        target_bench_close(&p.on);
    }
}

/* ---- much ---- */

/* Micro-ops of an instruction again and again, at least `most`. */
static struct uop_list long_list(struct pair *p, enum isa_op op, size_t most) {
    const struct insn insn = recipe_usual_insn(op, 16);
    struct uop_list list = {0};
    while (list.len < most)
        assert_true(
            recipe_expand(plane_recipes(p->on.library), &insn, pair_below(p, 2), &list, p->d));
    return list;
}

/* As many micro-ops as an instruction may have, which are composed, and more than is composed,
 * which are carried out as they are. */
static void test_long(void **state) {
    static const size_t lengths[] = {1u << 18, (1u << 19) + 1};
    (void)state;
    struct pair p = {.on = target_bench_open("racer", NULL, 0), .seed = 18};
    for (size_t i = 0; i < 2; i++) {
        pair_open(&p, NULL, 16);
        pair_bind(&p, 3);
        struct uop_list list = long_list(&p, i ? OP_XOR : OP_MUL, lengths[i]);
        struct dp_code *by_code = plane_prepare_uops(p.fused, list.data, list.len, p.d);
        struct dp_code *strict = plane_prepare_uops(p.strict, list.data, list.len, p.d);
        struct dp_code *fused = plane_prepare_uops(p.fused, list.data, list.len, p.d);
        assert_true(strict && fused && by_code);
        pair_execute(p.strict, strict, (struct vrf_range){0, 3});
        pair_execute(p.fused, fused, (struct vrf_range){0, 3});
        assert_true(pair_same(&p));
        const struct plane_fused *made = atomic_load(&fused->fused);
        if (i)
            assert_null(made->steps);
        else
            assert_true(made->count < fused->step_count / 2);
        plane_of(p.fused)->vectors = plane_code_vectors();
        pair_execute(p.strict, strict, (struct vrf_range){0, 3});
        pair_execute(p.fused, by_code, (struct vrf_range){0, 3});
        assert_true(pair_same(&p));
        vec_free(&list);
        pair_close(&p);
    }
    target_bench_close(&p.on);
}

/* Many forms in one program: composed as long as there is room for that, strict from then on; what
 * is forgotten makes room again. */
static void test_many(void **state) {
    (void)state;
    struct pair p = {.on = target_bench_open("racer", NULL, 0), .seed = 10000};
    const unsigned forms = draws(DRAWS_FUSED_FORMS);
    unsigned composed = 0;
    struct dp_code *first = NULL;
    pair_open(&p, NULL, 16);
    pair_bind(&p, 2);
    plane_of(p.fused)->compose_room = UINT64_C(28) * 3 * forms;
    for (unsigned i = 0; i < forms; i++) {
        struct insn insn = recipe_usual_insn(i % 2 ? OP_ADD : OP_CMPLT, 1 + i / 64 % 16);
        insn.rs = i & 3, insn.rt = i >> 2 & 3, insn.rd = i >> 4 & 3;
        const struct dp_run run = {&insn, 1, i / 1024 % 2, 0};
        struct dp_code *code = pair_prepare(&p, p.fused, &run);
        pair_execute(p.strict, pair_prepare(&p, p.strict, &run), (struct vrf_range){0, 2});
        pair_execute(p.fused, code, (struct vrf_range){0, 2});
        const struct plane_fused *made = atomic_load(&code->fused);
        composed += made && made->steps;
        first = !first && made && made->steps ? code : first;
    }
    assert_true(pair_same(&p));
    assert_true(composed > 0 && composed < forms);
    uint64_t room = plane_of(p.fused)->compose_room;
    p.fused->ops->forget(p.fused, first);
    assert_true(plane_of(p.fused)->compose_room > room);
    pair_close(&p);
    target_bench_close(&p.on);
}

/* The same of code: what no code uses any more makes room, and what is used keeps it. */
static void test_many_by_code(void **state) {
    const unsigned forms = draws(DRAWS_FUSED_FORMS);
    unsigned made = 0, late = 0;
    (void)state;
    if (plane_code_vectors() == PLANE_VECTORS_NONE)
        skip();
    struct pair p = {.on = target_bench_open("racer", NULL, 0), .seed = 10001};
    pair_open(&p, NULL, 16);
    pair_bind(&p, 2);
    plane_of(p.fused)->vectors = plane_code_vectors();
    plane_of(p.fused)->pattern_room = 300000;
    for (unsigned i = 0; i < forms; i++) {
        struct insn insn = recipe_usual_insn(i % 2 ? OP_ADD : OP_CMPLT, 1 + i / 8 % 16);
        insn.rs = i & 3, insn.rt = i >> 2 & 3, insn.rd = i >> 4 & 3;
        const struct dp_run run = {&insn, 1, i / 128 % 2, 0};
        struct dp_code *code = pair_prepare(&p, p.fused, &run);
        pair_execute(p.strict, pair_prepare(&p, p.strict, &run), (struct vrf_range){0, 2});
        pair_execute(p.fused, code, (struct vrf_range){0, 2});
        const struct plane_part *part = atomic_load(&code->parts);
        bool has = part->pattern && plane_pattern_made(part->pattern, plane_code_kind_of(code));
        made += has;
        late += has && i > forms / 2;
        if (i > forms / 2) /* from there on there is room again */
            p.fused->ops->forget(p.fused, code);
        else if (i == forms / 2)
            while (plane_of(p.fused)->codes)
                p.fused->ops->forget(p.fused, plane_of(p.fused)->codes);
    }
    assert_true(pair_same(&p));
    assert_true(made > 20 && made < forms && late > forms / 3);
    pair_close(&p);
    target_bench_close(&p.on);
}

/* A pattern of names: these tests alone. */
int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces), cmocka_unit_test(test_mutants), cmocka_unit_test(test_long),
        cmocka_unit_test(test_many), cmocka_unit_test(test_many_by_code)};
    cmocka_set_test_filter(argc > 1 ? argv[1] : NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 * What there is no room for in memory, steps of runs and forms that no library keeps: made for each
 * execution, with the same planes and events; and what forms are said to take. */
#include "tests/draws.h"

#include "isa-spec/isa.h"
#include "machines/plane/run/insn_forms.h"
#include "machines/plane/run/native.h"
#include "recipe/set/set.h"
#include "support/bits.h"
#include "tests/plane/pair.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SHAPES 4

/* What there is no room for: steps; forms, of which none are the library's; both; both on a device,
 * whose registers move. */
static void take_room(struct datapath *dp, unsigned shape) {
    struct plane_machine *m = plane_of(dp);
    if (shape != 1)
        m->step_room = 0;
    if (shape != 0) {
        m->forms = NULL;
        m->form_room = 0;
    }
}

/* Two of mimdram's, where runs are told by stretches, or of racer's. */
static struct dp_run draw_run(struct pair *p, struct insn *insns, unsigned most) {
    static const enum isa_op ops[] = {OP_ADD, OP_MUL, OP_CMPLT, OP_SETMASK, OP_XOR, OP_UNMASK};
    struct dp_run run = {insns, 1 + pair_below(p, most), pair_below(p, 2), 0};
    for (size_t i = 0; i < run.count; i++) {
        insns[i] = recipe_usual_insn(ops[pair_below(p, 6)], 1 + pair_below(p, 12));
        insns[i].rs = (uint8_t)pair_below(p, 4), insns[i].rt = (uint8_t)pair_below(p, 4);
        if (isa_info(insns[i].op)->flags & WRITES_RD)
            insns[i].rd = (uint8_t)pair_below(p, 4);
    }
    return run;
}

struct seen_words {
    uint64_t digest, count;
};
static void see(void *context, const struct dp_event *event) {
    struct seen_words *seen = context;
    const struct uop *uop = event->record;
    const uint64_t parts[] = {event->vrf_first, event->vrf_count, event->insn, event->start_ps,
                              event->kind,      uop->nsrc,        uop->src[0], uop->dst[0]};
    seen->digest = seen->digest * 31 + hash_bytes(parts, sizeof parts);
    seen->count++;
}

static void one_without_room(struct pair *p, unsigned k) {
    struct insn insns[24];
    const struct dp_run run = draw_run(p, insns, pair_below(p, 4) ? 4 : 24);
    struct seen_words seen[2] = {{0}};
    struct datapath *const both[] = {p->strict, p->fused};
    struct vrf_range r = {0, 1 + pair_below(p, 40)};
    r.first = pair_below(p, 60);
    for (unsigned i = 0; i < 2; i++) {
        uint64_t lanes[25] = {0};
        struct dp_outcome out = {.lanes = lanes};
        const struct dp_code *code = pair_prepare(p, both[i], &run);
        if (k % 3 == 0)
            both[i]->ops->observe(both[i], see, &seen[i]);
        for (unsigned again = 0; again < 2; again++)
            both[i]->ops->execute(both[i], code, (struct vrf_set){&r, 1}, (struct dp_moment){0},
                                  code->insn_lane_fj ? &out : NULL);
        both[i]->ops->observe(both[i], NULL, NULL);
        if (i == 1 && k % 2)
            both[i]->ops->forget(both[i], (struct dp_code *)(uintptr_t)code);
    }
    assert_memory_equal(&seen[0], &seen[1], sizeof seen[0]);
    assert_true(k % 3 || seen[0].count > 0);
}

/* By steps, composed and by code: the same planes and the same events, twice. */
static void test_no_room(void **state) {
    static const char *const targets[] = {"racer", "mimdram"};
    const enum plane_vectors most = plane_code_vectors();
    (void)state;
    for (unsigned i = 0; i < 2 * SHAPES * 3; i++) {
        struct pair p = {.on = target_bench_open(targets[i % 2], NULL, 0), .seed = 600 + i};
        unsigned shape = i / 2 % SHAPES, way = i / 2 / SHAPES;
        pair_open_of(&p, NULL, 16, shape == 3 ? 100 : 0);
        take_room(p.fused, shape);
        plane_of(p.fused)->compose_at = way == 0 ? UINT64_MAX : 0;
        plane_of(p.fused)->vectors = way == 2 ? most : PLANE_VECTORS_NONE;
        pair_bind(&p, 100 < plane_of(p.strict)->vrfs ? 100 : plane_of(p.strict)->vrfs);
        for (unsigned k = 0; k < draws(DRAWS_FUSED_PIECES); k++)
            one_without_room(&p, k);
        if (!pair_same(&p))
            fail_msg("%s, without room of shape %u, way %u: other bits", targets[i % 2], shape,
                     way);
        assert_true(shape == 1 || plane_of(p.fused)->step_room == 0);
        pair_close(&p);
        target_bench_close(&p.on);
    }
}

/* What a form takes is what it is said to take, and a run that has no room takes what its counts
 * do, however long its instructions are. */
static void test_bytes(void **state) {
    (void)state;
    struct pair p = {.on = target_bench_open("racer", NULL, 0), .seed = 5};
    pair_open(&p, NULL, 64);
    const struct insn insn = recipe_usual_insn(OP_MUL, 64);
    const struct dp_run run = {&insn, 1, false, 0};
    const struct dp_code *kept = pair_prepare(&p, p.strict, &run);
    const struct plane_form *form = kept->forms[0];
    const size_t lists[] = {malloc_usable_size(form->uops), malloc_usable_size(form->steps),
                            malloc_usable_size(form->kinds), malloc_usable_size(form->needs),
                            malloc_usable_size(form->writes)};
    size_t bytes = sizeof *form;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        bytes += lists[i];
    /* A list takes a multiple of 16, and one that grew up to twice what it needs. */
    assert_true(bytes <= plane_form_bytes(form) + form->write_count * sizeof *form->writes + 160);
    assert_true(plane_form_bytes(form) <= bytes + 160);
    plane_of(p.fused)->forms = NULL;
    uint64_t room = plane_of(p.fused)->form_room = plane_form_bytes(form) * 5 / 2;
    for (unsigned i = 0; i < 6; i++) {
        struct dp_code *code = pair_prepare(&p, p.fused, &run);
        struct dp_description about;
        p.fused->ops->describe(p.fused, code, &about);
        assert_true((code->origins != NULL) == (i >= 2));
        assert_true(plane_form_bytes(code->forms[0]) < 10000 || i < 2);
    }
    while (plane_of(p.fused)->codes)
        p.fused->ops->forget(p.fused, plane_of(p.fused)->codes);
    assert_int_equal(plane_of(p.fused)->form_room, room);
    pair_close(&p);
    target_bench_close(&p.on);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_room),
                                       cmocka_unit_test(test_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 * What the regions of a body do to the virtual registers of the regions around them. */
#include "ezpim/ir_touched.h"

struct walk {
    struct ir_code *code;
    struct ir_touched *t;
    uint32_t region;
};

static void note(void *context, uint32_t *vreg, bool writes) {
    struct walk *w = context;
    uint32_t home = w->code->vregs.data[*vreg].home;
    for (uint32_t r = w->region; r != home && r != IR_NONE; r = w->code->regions.data[r].parent)
        if (writes)
            vec_push(&w->t->written[r], *vreg);
        else
            vec_push(&w->t->read[r], *vreg);
}

uint32_t ir_region_behind(const struct ir_code *code, const struct ir_insn *i, uint32_t region) {
    if (i->op == IR_END)
        return code->regions.data[i->region].parent;
    return ir_opens(i->op) ? i->region : region;
}

void ir_touched_find(struct ir_code *code, struct ir_touched *t) {
    struct walk w = {code, t, 0};
    t->count = code->regions.len;
    t->written = xcalloc(t->count, sizeof *t->written);
    t->read = xcalloc(t->count, sizeof *t->read);
    for (size_t i = 0; i < code->insns.len; i++) {
        ir_visit(&code->insns.data[i], note, &w);
        w.region = ir_region_behind(code, &code->insns.data[i], w.region);
    }
}

void ir_touched_free(struct ir_touched *t) {
    for (size_t r = 0; r < t->count; r++) {
        vec_free(&t->written[r]);
        vec_free(&t->read[r]);
    }
    free(t->written);
    free(t->read);
}

uint64_t ir_weight_mul(uint64_t a, uint64_t b) {
    return a > UINT32_MAX / b ? UINT32_MAX : a * b;
}

uint64_t ir_region_weight(const struct ir_code *code, uint32_t region) {
    uint64_t weight = 1;
    for (uint32_t r = region; r != IR_NONE; r = code->regions.data[r].parent)
        if (code->regions.data[r].op == IR_LOOP || code->regions.data[r].op == IR_REPEAT)
            weight = ir_weight_mul(weight, IR_LAPS);
    return weight;
}

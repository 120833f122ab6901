/* SPDX-License-Identifier: MIT
 * What the regions of a body do to the virtual registers of the regions around them. */
#include "ezpim/ir/touched.h"

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

void ir_touched_find(struct ir_code *code, struct ir_touched *touched) {
    struct walk w = {code, touched, 0};
    *touched = (struct ir_touched){0};
    if (code->regions.len == 1) /* nothing is around it */
        return;
    touched->count = code->regions.len;
    touched->written = xcalloc(touched->count, sizeof *touched->written);
    touched->read = xcalloc(touched->count, sizeof *touched->read);
    for (size_t i = 0; i < code->insns.len; i++) {
        ir_visit(&code->insns.data[i], note, &w);
        w.region = ir_region_behind(code, &code->insns.data[i], w.region);
    }
}

void ir_touched_free(struct ir_touched *touched) {
    for (size_t r = 0; r < touched->count; r++) {
        vec_free(&touched->written[r]);
        vec_free(&touched->read[r]);
    }
    free(touched->written);
    free(touched->read);
}

uint64_t ir_weight_mul(uint64_t left, uint64_t right) {
    return left > UINT32_MAX / right ? UINT32_MAX : left * right;
}

uint64_t ir_region_weight(const struct ir_code *code, uint32_t region) {
    uint64_t weight = 1;
    for (uint32_t r = region; r != IR_NONE; r = code->regions.data[r].parent)
        if (code->regions.data[r].op == IR_LOOP || code->regions.data[r].op == IR_REPEAT)
            weight = ir_weight_mul(weight, IR_LAPS);
    return weight;
}

/* SPDX-License-Identifier: MIT
 * What the host is told of a stage kernel. */
#include "machines/core/dpu/runs/stage_layout.h"
#include "support/alloc.h"

#include <string.h>

static uint32_t parameter_number(const struct stage_stage *s, const struct stage_param *of) {
    uint32_t n = 0;
    for (const struct stage_param *q = s->params; q; q = q->next, n++)
        if (q == of)
            return n;
    return NO_INDEX;
}
static void plan_part(struct dpu_stage_layout *l, size_t i) {
    const struct scalar_stage_array *a = dpu_stage_array_of(l, i);
    struct dpu_stage_part part = {.parameter = NO_INDEX, .at = l->cursor[i]};
    part.bytes = dpu_stage_up8((uint64_t)a->count * a->bytes);
    uint32_t n = 0;
    for (const struct stage_stage *s = l->loop->kernel->stages; s; s = s->next, n++) {
        const uint32_t p = a->kind == SCALAR_GATHERED ? parameter_number(s, a->of) : NO_INDEX;
        if (p == NO_INDEX && a->of != s)
            continue;
        part.stage = n;
        part.parameter = p;
    }
    vec_push(&l->plan->parts, part);
}
static void plan_kept(struct dpu_stage_layout *l, size_t i) {
    const struct scalar_stage_array *a = dpu_stage_array_of(l, i);
    uint32_t n = 0;
    struct dpu_stage_block b = {.array = a->index, .at = l->cursor[i], .kept = 1};
    b.row_bytes = dpu_stage_kept_bytes(l, a);
    for (const struct stage_stage *s = l->loop->kernel->stages; s; s = s->next, n++)
        for (const struct stage_param *q = s->params; q; q = q->next)
            if (s->pattern == STAGE_FILTER && q->role == STAGE_OUT && q->array == a->index)
                b.stage = n;
    vec_push(&l->plan->blocks, b);
}
static void plan_sites(struct dpu_stage_layout *l) {
    for (size_t i = 0; i < l->s->sites.len; i++) {
        const struct scalar_stage_site *s = &l->s->sites.data[i];
        const char *name = s->name ? s->name->text : "";
        vec_push(&l->plan->sites, ((struct dpu_stage_site){.line = s->line,
                                                           .group = s->stage->unit > 1,
                                                           .per = l->s->per[s->stage->units],
                                                           .unit = s->unit,
                                                           .is_signed = s->type.kind == TYPE_INT,
                                                           .bits = s->type.bits,
                                                           .count = s->count,
                                                           .bound = s->bound,
                                                           .name = xstrndup(name, strlen(name))}));
    }
}
void dpu_stage_make_plan(struct dpu_stage_layout *l) {
    struct dpu_stage_plan *p = l->plan;
    p->tasklets = l->tasklets;
    p->row = l->s->row;
    p->rows_beyond = l->s->rows_beyond;
    p->own_at = l->shared_end;
    p->own_each = l->own_bytes;
    p->end_at = DPU_STAGE_OWN_END;
    p->wrong_at = DPU_STAGE_OWN_WRONG;
    p->counter = l->registers;
    for (size_t i = 0; i < l->s->arrays.len; i++) {
        const struct scalar_stage_array *a = dpu_stage_array_of(l, i);
        if (a->kind == SCALAR_BLOCK)
            vec_push(&p->blocks,
                     ((struct dpu_stage_block){.array = a->index,
                                               .at = l->cursor[i],
                                               .row_bytes = dpu_stage_row_bytes(a),
                                               .beyond_bytes = dpu_stage_beyond_bytes(a)}));
        if (a->kind == SCALAR_KEPT_AT)
            plan_kept(l, i);
        if (a->kind == SCALAR_SEEN)
            vec_push(&p->seen, ((struct dpu_stage_seen){.array = a->index,
                                                        .at = l->cursor[i],
                                                        .bytes_at = l->length_at[i],
                                                        .element_bytes = a->bytes,
                                                        .count = a->count}));
        if (a->kind == SCALAR_GATHERED || a->kind == SCALAR_KEPT)
            plan_part(l, i);
        if (a->kind == SCALAR_LEFT)
            vec_push(&p->left, ((struct dpu_stage_number){a->index, l->at[i]}));
    }
    plan_sites(l);
}

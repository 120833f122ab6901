/* SPDX-License-Identifier: MIT
 * What maps and filters make of all lanes. */
#include "ezpim/stage/planner.h"

#include <string.h>

/* Elements of a group's lanes go into the buffer, as many as there are. */
static void store_elements(struct stage_planner *p, uint32_t array, const char *from,
                           uint32_t length) {
    struct stage_stand_in *b = stage_stand_in_of(p, array);
    const struct stage_home *h = &p->homes[length];
    if (!b || strcmp(b->name, from) == 0)
        return;
    if (!b->group) {
        str_printf(stage_out_of(p), "move %s = %s[0];\n", b->name, from);
        return;
    }
    if (h->exact && !stage_lies_there(p, array, h->group)) {
        b->keeps = true;
        str_printf(stage_out_of(p), "move %s[%si] = %s[%si];\n", b->name, p->w.o->prefix, from,
                   p->w.o->prefix);
        return;
    }
    /* what lies behind stays as it is */
    b->keeps = true;
    const char *to = stage_variable(p, "z", p->w.o->kernel->arrays[array]->type, 0, b->group);
    str_printf(stage_out_of(p), "move %s[%si] = %s[%si] else %s;\n", to, p->w.o->prefix, from,
               p->w.o->prefix, stage_zero_of(p, p->w.o->kernel->arrays[array]->type));
    str_printf(stage_out_of(p), "compute %s { if (index() < u64(%s)) { %s = %s; } }\n", b->group,
               h->count, b->name, to);
}

void stage_end_map(struct stage_planner *p, const struct stage_stage *s) {
    uint32_t i = 0;
    for (const struct stage_param *q = s->params; q; q = q->next, i++) {
        if (q->role != STAGE_OUT && q->role != STAGE_INOUT)
            continue;
        p->arrays[q->array].name = p->w.places[i].name;
        store_elements(p, q->array, p->w.places[i].name, s->units);
    }
}

/* Whether a group is kept, for each of its elements. */
static void spread(struct stage_planner *p, const struct stage_stage *s, const char *to) {
    str_printf(stage_out_of(p), "compute %s { %s = false; }\n", p->homes[s->length].group, to);
    for (uint32_t k = 0; k < s->unit; k++)
        str_printf(stage_out_of(p), "move %s[%u * %si + %u] = %s[%si];\n", to, (unsigned)s->unit,
                   p->w.o->prefix, (unsigned)k, p->w.keeps, p->w.o->prefix);
}

static const char *kept_elements(struct stage_planner *p, const struct stage_stage *s,
                                 const struct stage_param *q, uint32_t i, const char *group) {
    if (q->from == NO_INDEX)
        return p->w.places[i].name;
    const struct stage_param *from = s->params;
    for (uint32_t k = 0; k < q->from; k++)
        from = from->next;
    const char *name = stage_variable(p, "y", q->type, 0, group);
    str_printf(stage_out_of(p), "compute %s { %s = %s; }\n", group, name,
               stage_elements_of(p, from->array));
    return name;
}

/* What is kept comes together in the buffer. */
static void store_kept(struct stage_planner *p, const struct stage_param *q, const char *from,
                       const struct stage_home *h) {
    struct stage_stand_in *b = stage_stand_in_of(p, q->array);
    if (!b)
        return;
    b->keeps = true;
    const char *first = stage_variable(p, "c", q->type, 0, h->group);
    str_printf(stage_out_of(p), "compact %s = %s where %s;\n", first, from, h->keeps);
    if (stage_lies_there(p, q->array, h->group)) {
        str_printf(stage_out_of(p), "compute %s { %s = %s; }\n", h->group, b->name, first);
        return;
    }
    const char *count = stage_variable(p, "n", (struct lane_type){TYPE_UINT, 64}, 0, NULL);
    str_printf(stage_out_of(p), "%s = length(%s);\n", count, first);
    if (!b->group) {
        const char *one = stage_variable(p, "z", q->type, 0, NULL);
        str_printf(stage_out_of(p), "move %s = %s[0];\nif (%s > 0) { %s = %s; }\n", one, first,
                   count, b->name, one);
        return;
    }
    const char *to = stage_variable(p, "z", q->type, 0, b->group);
    str_printf(stage_out_of(p),
               "move %s[%si] = %s[%si] else %s;\ncompute %s { if (index() < %s) { %s = %s; } }\n",
               to, p->w.o->prefix, first, p->w.o->prefix, stage_zero_of(p, q->type), b->group,
               count, b->name, to);
}

void stage_end_filter(struct stage_planner *p, const struct stage_stage *s) {
    const struct stage_kernel *k = p->w.o->kernel;
    const char *spread_for = NULL;
    uint32_t i = 0;
    for (const struct stage_param *q = s->params; q; q = q->next, i++) {
        if (q->role == STAGE_COUNT) {
            const char *n = stage_variable(p, "n", (struct lane_type){TYPE_UINT, 64}, 0, NULL);
            str_printf(stage_out_of(p), "%s = count(%s);\n", n, p->w.keeps);
            struct stage_stand_in *b = stage_stand_in_of(p, q->array);
            b->keeps |= b->group || b->registers;
            if (b->group)
                str_printf(stage_out_of(p), "compute %s { if (index() == 0) { %s = %s(%s); } }\n",
                           b->group, b->name, stage_type_text(p, q->type), n);
            else
                str_printf(stage_out_of(p), b->registers ? "%s[0] = %s(%s);\n" : "%s = %s(%s);\n",
                           b->name, stage_type_text(p, q->type), n);
        }
        if (q->role != STAGE_OUT)
            continue;
        const struct stage_home *h = &p->homes[k->arrays[q->array]->length];
        if (strcmp(h->keeps, p->w.keeps) != 0 && h->keeps != spread_for) {
            spread(p, s, h->keeps);
            spread_for = h->keeps;
        }
        const char *from = kept_elements(p, s, q, i, h->group);
        p->arrays[q->array].name = from;
        store_kept(p, q, from, h);
    }
}

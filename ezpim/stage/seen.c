/* SPDX-License-Identifier: MIT
 * What comes to each lane, and the body there. */
#include "ezpim/stage/planner.h"

#include <inttypes.h>
#include <string.h>

/* ---- what a body sees ---- */

/* Elements of a buffer that lies elsewhere come to the lanes of the length's group. */
static const char *bring(struct stage_planner *p, uint32_t array, const char *group) {
    const struct stage_stand_in *b = stage_stand_in_of(p, array);
    struct lane_type type = p->w.o->kernel->arrays[array]->type;
    const char *name = stage_variable(p, "x", type, 0, group);
    if (b->group)
        str_printf(stage_out_of(p), "move %s[%si] = %s[%si] else %s;\n", name, p->w.o->prefix,
                   b->name, p->w.o->prefix, stage_value_text(p, type, 0));
    else
        str_printf(stage_out_of(p), "compute %s { %s = %s; }\n", group, name, b->name);
    return name;
}

bool stage_lies_there(const struct stage_planner *p, uint32_t array, const char *group) {
    const struct stage_stand_in *b = stage_stand_in_of(p, array);
    return b && b->group && strcmp(b->group, group) == 0;
}

const char *stage_elements_of(struct stage_planner *p, uint32_t array) {
    struct stage_array_place *a = &p->arrays[array];
    const char *group = p->homes[p->w.o->kernel->arrays[array]->length].group;
    if (a->name)
        return a->name;
    stage_stand_in_of(p, array)->keeps = true;
    a->name = stage_lies_there(p, array, group) ? stage_stand_in_of(p, array)->name
                                                : bring(p, array, group);
    return a->name;
}

const char *stage_zero_of(struct stage_planner *p, struct lane_type type) {
    return stage_value_text(p, type, 0);
}

/* A window or a group: a register for each element that is seen. */
static struct stage_place see_unit(struct stage_planner *p, const struct stage_stage *s,
                                   const struct stage_param *q) {
    const char *from = stage_elements_of(p, q->array), *prefix = p->w.o->prefix;
    const char *to = stage_variable(p, "w", q->type, q->count, p->homes[s->units].group);
    str_printf(stage_out_of(p), "move %s[%si, %sk] = %s[%u * %si + %sk] else %s;\n", to, prefix,
               prefix, from, (unsigned)s->unit, prefix, prefix, stage_zero_of(p, q->type));
    if (q->tail == NO_INDEX)
        return (struct stage_place){to, q->count};
    struct stage_stand_in *tail = stage_stand_in_of(p, q->tail);
    tail->keeps = true;
    const char *count = p->homes[s->length].count;
    if (tail->group)
        str_printf(stage_out_of(p), "move %s[%si, %sk] = %s[%u * %si + %sk - %s];\n", to, prefix,
                   prefix, tail->name, (unsigned)s->unit, prefix, prefix, count);
    for (uint32_t k = 0; !tail->group && k < q->count; k++)
        for (uint32_t t = 0; t < (tail->registers ? tail->registers : 1); t++) {
            str_printf(stage_out_of(p),
                       "compute %s { if (index() * %u + %u == u64(%s) + %u) { %s[%u] = %s",
                       p->homes[s->units].group, (unsigned)s->unit, (unsigned)k, count, (unsigned)t,
                       to, (unsigned)k, tail->name);
            str_printf(stage_out_of(p), tail->registers ? "[%u]; } }\n" : "; } }\n", (unsigned)t);
        }
    return (struct stage_place){to, q->count};
}

/* Elements that a body sees of it, in registers of its lane; 0: of what is no such array. */
static uint64_t seen_of(const struct stage_planner *p, const struct stage_param *q) {
    const struct stage_given *bound = q->bound == NO_INDEX ? NULL : &p->w.o->given[q->bound];
    return q->role == STAGE_IN || q->role == STAGE_INOUT ? q->count
           : q->role != STAGE_WHOLE                      ? 0
           : bound                                       ? bound->extent.value
                                                         : q->count;
}

static bool too_many(struct stage_planner *p, const struct stage_stage *s,
                     const struct stage_param *q) {
    const uint64_t count = seen_of(p, q);
    uint64_t all = 0;
    for (const struct stage_param *x = s->params; x && x != q->next; x = x->next)
        all += seen_of(p, x);
    if (count > MOST_SEEN)
        stage_cannot(&p->w, q->at,
                     "a body sees %" PRIu64 " elements of '%s', and a lane has registers for %d",
                     count, q->text, MOST_SEEN);
    else if (all > MOST_TOGETHER)
        stage_cannot(&p->w, q->at,
                     "a body sees %" PRIu64
                     " elements, those of '%s' among them, and a lane has registers for %d of all "
                     "arrays together",
                     all, q->text, MOST_TOGETHER);
    return p->w.failed;
}

static struct stage_place see_input(struct stage_planner *p, const struct stage_stage *s,
                                    const struct stage_param *q) {
    if (too_many(p, s, q))
        return (struct stage_place){.name = ""};
    if (q->count == 1)
        return (struct stage_place){stage_elements_of(p, q->array), 0};
    return see_unit(p, s, q);
}

static struct stage_place see_whole(struct stage_planner *p, const struct stage_stage *s,
                                    const struct stage_param *q) {
    struct stage_stand_in *b = stage_stand_in_of(p, q->array);
    b->keeps = true;
    const struct stage_given *bound = q->bound == NO_INDEX ? NULL : &p->w.o->given[q->bound];
    const uint64_t count = seen_of(p, q);
    if (bound && !bound->constant)
        stage_cannot(&p->w, q->at,
                     "how many elements of '%s' are seen is no constant, and registers are",
                     q->text);
    else if (!count)
        stage_cannot(&p->w, q->at, "no element of '%s' is seen", q->text);
    if (p->w.failed || too_many(p, s, q))
        return (struct stage_place){.name = ""};
    if (!b->group && (!b->registers || b->registers >= count))
        return (struct stage_place){b->name, b->registers};
    const char *name =
        stage_variable(p, "v", q->type, count > 1 ? (uint32_t)count : 0, p->homes[s->units].group);
    if (count > 1)
        str_printf(stage_out_of(p), "move %s[%si, %sk] = %s[%sk];\n", name, p->w.o->prefix,
                   p->w.o->prefix, b->name, p->w.o->prefix);
    else
        str_printf(stage_out_of(p), "move %s[%si] = %s[0];\n", name, p->w.o->prefix, b->name);
    return (struct stage_place){name, count > 1 ? (uint32_t)count : 0};
}

/* What is made is in variables of the units' group: the buffer's own if that lies there and all of
 * it is made. */
static struct stage_place make_output(struct stage_planner *p, const struct stage_stage *s,
                                      const struct stage_param *q) {
    const char *group = p->homes[s->units].group;
    bool own = s->pattern == STAGE_MAP && stage_lies_there(p, q->array, group);
    if (own && !p->homes[s->units].exact)
        stage_stand_in_of(p, q->array)->keeps = true;
    return (struct stage_place){
        own ? stage_stand_in_of(p, q->array)->name : stage_variable(p, "y", q->type, 0, group), 0};
}

struct stage_place stage_see(struct stage_planner *p, const struct stage_stage *s,
                             const struct stage_param *q) {
    switch (q->role) {
    case STAGE_IN:
    case STAGE_INOUT:
        return see_input(p, s, q);
    case STAGE_OUT:
        return q->from == NO_INDEX ? make_output(p, s, q) : (struct stage_place){.name = ""};
    case STAGE_WHOLE:
        return see_whole(p, s, q);
    case STAGE_ACC:
        return (struct stage_place){
            stage_variable(p, "r", q->type, q->count > 1 && !stage_is_large(q) ? q->count : 0,
                           p->homes[s->units].group),
            stage_is_large(q) || q->count == 1 ? 0 : q->count};
    default:
        return (struct stage_place){.name = ""};
    }
}

/* ---- bodies ---- */

static void put_begin(struct stage_planner *p, struct stage_place at, const char *value) {
    if (!at.registers)
        str_printf(stage_out_of(p), "%s = %s;\n", at.name, value);
    for (uint32_t i = 0; i < at.registers; i++)
        str_printf(stage_out_of(p), "%s[%u] = %s;\n", at.name, (unsigned)i, value);
}

/* Before lanes without an element are left out: what they have all the same. */
static void begin_lanes(struct stage_planner *p, const struct stage_stage *s) {
    uint32_t i = 0;
    for (const struct stage_param *q = s->params; q; q = q->next, i++) {
        bool stands =
            q->role == STAGE_OUT && q->from == NO_INDEX &&
            strcmp(p->w.places[i].name,
                   stage_stand_in_of(p, q->array) ? stage_stand_in_of(p, q->array)->name : "") == 0;
        if (q->role == STAGE_ACC && (!p->w.binned || p->w.binned == q))
            put_begin(p, p->w.places[i], stage_value_text(p, q->type, q->begin));
        else if (q->role == STAGE_OUT && q->from == NO_INDEX && !stands)
            put_begin(p, p->w.places[i], stage_zero_of(p, q->type));
    }
    if (p->w.keeps)
        str_printf(stage_out_of(p), "%s = false;\n", p->w.keeps);
}

static void begin_elements(struct stage_planner *p, const struct stage_stage *s) {
    uint32_t i = 0;
    for (const struct stage_param *q = s->params; q; q = q->next, i++)
        if (q->role == STAGE_OUT && q->from == NO_INDEX)
            put_begin(p, p->w.places[i], stage_zero_of(p, q->type));
}

void stage_put_compute(struct stage_planner *p, const struct stage_stage *s) {
    const char *there = stage_is_there(p, s->units);
    const char *kept = p->homes[s->length].keeps;
    str_printf(stage_out_of(p), "compute %s {\n", p->homes[s->units].group);
    begin_lanes(p, s);
    if (kept)
        there = kept;
    if (there[0])
        str_printf(stage_out_of(p), "if (%s) {\n", there);
    begin_elements(p, s);
    stage_put_body(&p->w, s->body);
    stage_mark(&p->w, s->at);
    str_append(stage_out_of(p), there[0] ? "}\n}\n" : "}\n");
}

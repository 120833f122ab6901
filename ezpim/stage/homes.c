/* SPDX-License-Identifier: MIT
 * Where arrays of each length lie: variables, groups, and which lanes have an element. */
#include "ezpim/stage/planner.h"

#include <inttypes.h>

/* ---- small things ---- */

const char *stage_text(struct stage_writer *w, const char *format, ...) {
    struct str text = {0};
    va_list args;
    va_start(args, format);
    str_vprintf(&text, format, args);
    va_end(args);
    const char *made = arena_strdup(&w->arena, str_text(&text));
    str_free(&text);
    return made;
}

const char *stage_made_name(struct stage_writer *w, const char *what) {
    return stage_text(w, "%s%s%u", w->o->prefix, what, (unsigned)++w->number);
}

void stage_mark(struct stage_writer *w, struct span at) {
    const struct stage_mark mark = {w->o->statements.len, at};
    vec_push(&w->o->marks, mark);
}

bool stage_cannot(struct stage_writer *w, struct span at, const char *format, ...) {
    va_list args;
    if (!w->failed) {
        va_start(args, format);
        str_vprintf(&w->o->why, format, args);
        va_end(args);
        w->o->why_at = at;
    }
    w->failed = true;
    return false;
}

uint32_t stage_param_index(const struct stage_stage *stage, const struct stage_param *param) {
    uint32_t i = 0;
    for (const struct stage_param *q = stage->params; q && q != param; q = q->next)
        i++;
    return i;
}

bool stage_is_large(const struct stage_param *acc) {
    return acc->count > MOST_GATHERED;
}

const char *stage_type_text(struct stage_planner *p, struct lane_type type) {
    char text[8];
    object_type_text(type, text);
    return arena_strdup(&p->w.arena, text);
}

const char *stage_value_text(struct stage_planner *p, struct lane_type type, uint64_t value) {
    struct str text = {0};
    stage_put_value(&text, type, value);
    const char *made = arena_strdup(&p->w.arena, str_text(&text));
    str_free(&text);
    return made;
}

struct str *stage_out_of(struct stage_planner *p) {
    return &p->w.o->statements;
}

const char *stage_variable(struct stage_planner *p, const char *what, struct lane_type type,
                           uint32_t registers, const char *group) {
    const char *name = stage_made_name(&p->w, what);
    str_printf(&p->w.o->declarations, "var %s: %s", name, stage_type_text(p, type));
    if (registers)
        str_printf(&p->w.o->declarations, "[%u]", (unsigned)registers);
    if (group)
        str_printf(&p->w.o->declarations, " @ %s", group);
    str_append(&p->w.o->declarations, ";\n");
    return name;
}

struct stage_stand_in *stage_stand_in_of(const struct stage_planner *p, uint32_t array) {
    const struct stage_array *a = p->w.o->kernel->arrays[array];
    return a->parameter == NO_INDEX ? NULL : p->w.o->given[a->parameter].buffer;
}

/* ---- lengths ---- */

static bool same_extent(const struct extent *extent, const struct stage_given *given) {
    if (!given->constant && given->extent.size == NO_INDEX)
        return false;
    return extent->size == given->extent.size && extent->value == given->extent.value;
}

/* A group of so many elements as the buffers have, if that is how many there are. */
static const char *group_of_buffers(struct stage_planner *p, const struct stage_given *length) {
    const struct stage_kernel *k = p->w.o->kernel;
    for (const struct stage_stage *s = k->stages; s; s = s->next)
        for (const struct stage_param *q = s->params; q; q = q->next) {
            const struct stage_stand_in *b = stage_stand_in_of(p, q->array);
            bool elements = q->role == STAGE_IN || q->role == STAGE_INOUT || q->role == STAGE_OUT;
            if (elements && b && b->group && same_extent(&b->extent, length))
                return b->group;
        }
    return NULL;
}

static const char *new_group(struct stage_planner *p, const char *count) {
    const char *name = stage_made_name(&p->w, "g");
    str_printf(&p->w.o->declarations, "group %s[max(%s, 1)];\n", name, count);
    return name;
}

static void place_all(struct stage_planner *p, struct stage_home *h) {
    const struct stage_kernel *k = p->w.o->kernel;
    const struct stage_given value = {.extent = {NO_INDEX, k->length_value},
                                      .constant = true,
                                      .text = stage_text(&p->w, "%" PRIu64, k->length_value)};
    const struct stage_given *length =
        k->length_parameter == NO_INDEX ? &value : &p->w.o->given[k->length_parameter];
    h->count = length->text;
    h->constant = length->constant;
    h->number = length->extent.value;
    h->group = group_of_buffers(p, length);
    h->exact = h->group != NULL || (length->constant && h->number > 0);
    if (!h->group)
        h->group = new_group(p, h->constant && !h->number ? "1" : h->count);
}

static void place_units(struct stage_planner *p, const struct stage_length *l,
                        struct stage_home *h) {
    const struct stage_home *of = &p->homes[l->of];
    uint64_t seen = (uint64_t)l->unit + l->overlap;
    h->constant = of->constant;
    h->number = of->constant ? stage_units(of->number, l->unit, l->overlap) : 0;
    if (h->constant) {
        h->count = stage_text(&p->w, "%" PRIu64, h->number);
    } else {
        const char *m = stage_made_name(&p->w, "m");
        if (!l->overlap)
            str_printf(&p->w.o->declarations, "size %s = %s / %u;\n", m, of->count,
                       (unsigned)l->unit);
        else
            str_printf(&p->w.o->declarations, "size %s = max((%s - %" PRIu64 ") / %u + 1, 0);\n", m,
                       of->count, seen, (unsigned)l->unit);
        h->count = m;
    }
    if (l->unit == 1) {
        h->group = of->group;
        h->exact = false; /* a window without a tail makes fewer */
        return;
    }
    h->group = new_group(p, h->count);
    h->exact = h->constant && h->number > 0;
}

void stage_place_lengths(struct stage_planner *p) {
    const struct stage_kernel *k = p->w.o->kernel;
    place_all(p, &p->homes[0]);
    for (uint32_t i = 1; i < k->length_count; i++) {
        const struct stage_length *l = &k->lengths[i];
        struct stage_home *h = &p->homes[i];
        if (l->kind == STAGE_UNITS) {
            place_units(p, l, h);
            continue;
        }
        /* groups that are kept whole are elements where they came from */
        *h = p->homes[l->unit > 1 ? k->lengths[l->of].of : l->of];
        h->exact = false;
        h->keeps = stage_variable(p, "keep", (struct lane_type){TYPE_BOOL, 1}, 0, h->group);
    }
}

const char *stage_is_there(struct stage_planner *p, uint32_t length) {
    const struct stage_home *h = &p->homes[length];
    if (h->keeps)
        return h->keeps;
    return h->exact ? "" : stage_text(&p->w, "index() < u64(%s)", h->count);
}

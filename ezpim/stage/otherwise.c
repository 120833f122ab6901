/* SPDX-License-Identifier: MIT
 * Stages: where arrays lie, what comes to each lane, and what is made of all lanes.
 *
 * Elements of a length lie in the lanes of a group, from the first one on.  A window's units lie
 * with the elements that they begin with; a group's units in a group of their own.  What a filter
 * keeps stays where it is, beside a variable that says whether it is kept: what reads it asks that,
 * and `compact` brings it together when it goes into a buffer. */
#include "ezpim/stage/writer.h"

#include <inttypes.h>
#include <string.h>

/* Where elements of a length lie. */
struct home {
    const char *group;
    const char *count; /* how many there are, a formula; of KEPT unused */
    const char *keeps; /* of KEPT: the variable that says which; else NULL */
    bool constant;     /* the count is `number` */
    uint64_t number;
    bool exact; /* each element of the group is one */
};
/* Where an array is between stages; NULL: nowhere yet. */
struct array_place {
    const char *name; /* a variable of its length's group */
};
struct planner {
    struct stage_writer w;
    struct home *homes; /* [length_count] */
    struct array_place *arrays;
};

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

static const char *type_text(struct planner *p, struct lane_type type) {
    char text[8];
    object_type_text(type, text);
    return arena_strdup(&p->w.arena, text);
}

static const char *value_text(struct planner *p, struct lane_type type, uint64_t value) {
    struct str text = {0};
    stage_put_value(&text, type, value);
    const char *made = arena_strdup(&p->w.arena, str_text(&text));
    str_free(&text);
    return made;
}

static struct str *out_of(struct planner *p) {
    return &p->w.o->statements;
}

/* A variable of a group, or without one (NULL); registers 0: of one value. */
static const char *variable(struct planner *p, const char *what, struct lane_type type,
                            uint32_t registers, const char *group) {
    const char *name = stage_made_name(&p->w, what);
    str_printf(&p->w.o->declarations, "var %s: %s", name, type_text(p, type));
    if (registers)
        str_printf(&p->w.o->declarations, "[%u]", (unsigned)registers);
    if (group)
        str_printf(&p->w.o->declarations, " @ %s", group);
    str_append(&p->w.o->declarations, ";\n");
    return name;
}

static struct stage_stand_in *stand_in(const struct planner *p, uint32_t array) {
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
static const char *group_of_buffers(struct planner *p, const struct stage_given *length) {
    const struct stage_kernel *k = p->w.o->kernel;
    for (const struct stage_stage *s = k->stages; s; s = s->next)
        for (const struct stage_param *q = s->params; q; q = q->next) {
            const struct stage_stand_in *b = stand_in(p, q->array);
            bool elements = q->role == STAGE_IN || q->role == STAGE_INOUT || q->role == STAGE_OUT;
            if (elements && b && b->group && same_extent(&b->extent, length))
                return b->group;
        }
    return NULL;
}

static const char *new_group(struct planner *p, const char *count) {
    const char *name = stage_made_name(&p->w, "g");
    str_printf(&p->w.o->declarations, "group %s[max(%s, 1)];\n", name, count);
    return name;
}

static void place_all(struct planner *p, struct home *h) {
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

static void place_units(struct planner *p, const struct stage_length *l, struct home *h) {
    const struct home *of = &p->homes[l->of];
    uint64_t seen = (uint64_t)l->unit + l->overlap;
    h->constant = of->constant;
    h->number = of->constant ? stage_units(of->number, l->unit, l->overlap, l->tail) : 0;
    if (h->constant) {
        h->count = stage_text(&p->w, "%" PRIu64, h->number);
    } else {
        const char *m = stage_made_name(&p->w, "m");
        if (l->tail)
            str_printf(&p->w.o->declarations, "size %s = %s / %u;\n", m, of->count,
                       (unsigned)l->unit);
        else
            str_printf(&p->w.o->declarations, "size %s = max((%s - %" PRIu64 ") / %u + 1, 0);\n", m,
                       of->count, seen, (unsigned)l->unit);
        h->count = m;
    }
    if (l->unit == 1) {
        h->group = of->group;
        h->exact = l->tail && of->exact;
        return;
    }
    h->group = new_group(p, h->count);
    h->exact = h->constant && h->number > 0;
}

static void place_lengths(struct planner *p) {
    const struct stage_kernel *k = p->w.o->kernel;
    place_all(p, &p->homes[0]);
    for (uint32_t i = 1; i < k->length_count; i++) {
        const struct stage_length *l = &k->lengths[i];
        struct home *h = &p->homes[i];
        if (l->kind == STAGE_UNITS) {
            place_units(p, l, h);
            continue;
        }
        /* groups that are kept whole are elements where they came from */
        *h = p->homes[l->unit > 1 ? k->lengths[l->of].of : l->of];
        h->exact = false;
        h->keeps = variable(p, "keep", (struct lane_type){TYPE_BOOL, 1}, 0, h->group);
    }
}

/* Whether the lane has an element of that length; empty: all have. */
static const char *is_there(struct planner *p, uint32_t length) {
    const struct home *h = &p->homes[length];
    if (h->keeps)
        return h->keeps;
    return h->exact ? "" : stage_text(&p->w, "index() < u64(%s)", h->count);
}

/* ---- what a body sees ---- */

/* Elements of a buffer that lies elsewhere come to the lanes of the length's group. */
static const char *bring(struct planner *p, uint32_t array, const char *group) {
    const struct stage_stand_in *b = stand_in(p, array);
    struct lane_type type = p->w.o->kernel->arrays[array]->type;
    const char *name = variable(p, "x", type, 0, group);
    if (b->group)
        str_printf(out_of(p), "move %s[%si] = %s[%si] else %s;\n", name, p->w.o->prefix, b->name,
                   p->w.o->prefix, value_text(p, type, 0));
    else
        str_printf(out_of(p), "compute %s { %s = %s; }\n", group, name, b->name);
    return name;
}

static bool lies_there(const struct planner *p, uint32_t array, const char *group) {
    const struct stage_stand_in *b = stand_in(p, array);
    return b && b->group && strcmp(b->group, group) == 0;
}

static const char *elements_of(struct planner *p, uint32_t array) {
    struct array_place *a = &p->arrays[array];
    const char *group = p->homes[p->w.o->kernel->arrays[array]->length].group;
    if (a->name)
        return a->name;
    stand_in(p, array)->keeps = true;
    a->name = lies_there(p, array, group) ? stand_in(p, array)->name : bring(p, array, group);
    return a->name;
}

static const char *zero_of(struct planner *p, struct lane_type type) {
    return value_text(p, type, 0);
}

/* A window or a group: a register for each element that is seen. */
static struct stage_place see_unit(struct planner *p, const struct stage_stage *s,
                                   const struct stage_param *q) {
    const char *from = elements_of(p, q->array), *prefix = p->w.o->prefix;
    const char *to = variable(p, "w", q->type, q->count, p->homes[s->units].group);
    str_printf(out_of(p), "move %s[%si, %sk] = %s[%u * %si + %sk] else %s;\n", to, prefix, prefix,
               from, (unsigned)s->unit, prefix, prefix, zero_of(p, q->type));
    if (q->tail == NO_INDEX)
        return (struct stage_place){to, q->count};
    struct stage_stand_in *tail = stand_in(p, q->tail);
    tail->keeps = true;
    const char *count = p->homes[s->length].count;
    if (tail->group)
        str_printf(out_of(p), "move %s[%si, %sk] = %s[%u * %si + %sk - %s];\n", to, prefix, prefix,
                   tail->name, (unsigned)s->unit, prefix, prefix, count);
    for (uint32_t k = 0; !tail->group && k < q->count; k++)
        for (uint32_t t = 0; t < (tail->registers ? tail->registers : 1); t++) {
            str_printf(out_of(p),
                       "compute %s { if (index() * %u + %u == u64(%s) + %u) { %s[%u] = %s",
                       p->homes[s->units].group, (unsigned)s->unit, (unsigned)k, count, (unsigned)t,
                       to, (unsigned)k, tail->name);
            str_printf(out_of(p), tail->registers ? "[%u]; } }\n" : "; } }\n", (unsigned)t);
        }
    return (struct stage_place){to, q->count};
}

static bool too_many(struct planner *p, const struct stage_param *q, uint64_t count) {
    return count > MOST_SEEN && !stage_cannot(&p->w, q->at,
                                              "a body sees %" PRIu64
                                              " elements of '%s', and a lane has registers for %d",
                                              count, q->text, MOST_SEEN);
}

static struct stage_place see_input(struct planner *p, const struct stage_stage *s,
                                    const struct stage_param *q) {
    if (too_many(p, q, q->count))
        return (struct stage_place){.name = ""};
    if (q->count == 1)
        return (struct stage_place){elements_of(p, q->array), 0};
    return see_unit(p, s, q);
}

static struct stage_place see_whole(struct planner *p, const struct stage_stage *s,
                                    const struct stage_param *q) {
    struct stage_stand_in *b = stand_in(p, q->array);
    b->keeps = true;
    const struct stage_given *bound = q->bound == NO_INDEX ? NULL : &p->w.o->given[q->bound];
    uint64_t count = bound ? bound->extent.value : q->count;
    if (bound && !bound->constant)
        stage_cannot(&p->w, q->at,
                     "how many elements of '%s' are seen is no constant, and registers are",
                     q->text);
    else if (!count)
        stage_cannot(&p->w, q->at, "no element of '%s' is seen", q->text);
    if (p->w.failed || too_many(p, q, count))
        return (struct stage_place){.name = ""};
    if (!b->group && (!b->registers || b->registers >= count))
        return (struct stage_place){b->name, b->registers};
    const char *name =
        variable(p, "v", q->type, count > 1 ? (uint32_t)count : 0, p->homes[s->units].group);
    if (count > 1)
        str_printf(out_of(p), "move %s[%si, %sk] = %s[%sk];\n", name, p->w.o->prefix,
                   p->w.o->prefix, b->name, p->w.o->prefix);
    else
        str_printf(out_of(p), "move %s[%si] = %s[0];\n", name, p->w.o->prefix, b->name);
    return (struct stage_place){name, count > 1 ? (uint32_t)count : 0};
}

/* What is made is in variables of the units' group: the buffer's own if that lies there and all of
 * it is made. */
static struct stage_place make_output(struct planner *p, const struct stage_stage *s,
                                      const struct stage_param *q) {
    const char *group = p->homes[s->units].group;
    bool own = s->pattern == STAGE_MAP && lies_there(p, q->array, group);
    if (own && !p->homes[s->units].exact)
        stand_in(p, q->array)->keeps = true;
    return (struct stage_place){
        own ? stand_in(p, q->array)->name : variable(p, "y", q->type, 0, group), 0};
}

static struct stage_place see(struct planner *p, const struct stage_stage *s,
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
        return (struct stage_place){variable(p, "r", q->type,
                                             q->count > 1 && !stage_is_large(q) ? q->count : 0,
                                             p->homes[s->units].group),
                                    stage_is_large(q) || q->count == 1 ? 0 : q->count};
    default:
        return (struct stage_place){.name = ""};
    }
}

/* ---- bodies ---- */

static void put_begin(struct planner *p, struct stage_place at, const char *value) {
    if (!at.registers)
        str_printf(out_of(p), "%s = %s;\n", at.name, value);
    for (uint32_t i = 0; i < at.registers; i++)
        str_printf(out_of(p), "%s[%u] = %s;\n", at.name, (unsigned)i, value);
}

/* Before lanes without an element are left out: what they have all the same. */
static void begin_lanes(struct planner *p, const struct stage_stage *s) {
    uint32_t i = 0;
    for (const struct stage_param *q = s->params; q; q = q->next, i++) {
        bool stands = q->role == STAGE_OUT && q->from == NO_INDEX &&
                      strcmp(p->w.places[i].name,
                             stand_in(p, q->array) ? stand_in(p, q->array)->name : "") == 0;
        if (q->role == STAGE_ACC && (!p->w.binned || p->w.binned == q))
            put_begin(p, p->w.places[i], value_text(p, q->type, q->begin));
        else if (q->role == STAGE_OUT && q->from == NO_INDEX && !stands)
            put_begin(p, p->w.places[i], zero_of(p, q->type));
    }
    if (p->w.keeps)
        str_printf(out_of(p), "%s = false;\n", p->w.keeps);
}

static void begin_elements(struct planner *p, const struct stage_stage *s) {
    uint32_t i = 0;
    for (const struct stage_param *q = s->params; q; q = q->next, i++)
        if (q->role == STAGE_OUT && q->from == NO_INDEX)
            put_begin(p, p->w.places[i], zero_of(p, q->type));
}

/* compute g { if (there) { body } } */
static void put_compute(struct planner *p, const struct stage_stage *s) {
    const char *there = is_there(p, s->units);
    const char *kept = p->homes[s->length].keeps;
    str_printf(out_of(p), "compute %s {\n", p->homes[s->units].group);
    begin_lanes(p, s);
    if (kept)
        there = kept;
    if (there[0])
        str_printf(out_of(p), "if (%s) {\n", there);
    begin_elements(p, s);
    stage_put_body(&p->w, s->body);
    stage_mark(&p->w, s->at);
    str_append(out_of(p), there[0] ? "}\n}\n" : "}\n");
}

/* ---- what is made ---- */

/* Elements of a group's lanes go into the buffer, as many as there are. */
static void store_elements(struct planner *p, uint32_t array, const char *from, uint32_t length) {
    struct stage_stand_in *b = stand_in(p, array);
    const struct home *h = &p->homes[length];
    if (!b || strcmp(b->name, from) == 0)
        return;
    if (!b->group) {
        str_printf(out_of(p), "move %s = %s[0];\n", b->name, from);
        return;
    }
    if (h->exact && !lies_there(p, array, h->group)) {
        b->keeps = true;
        str_printf(out_of(p), "move %s[%si] = %s[%si];\n", b->name, p->w.o->prefix, from,
                   p->w.o->prefix);
        return;
    }
    /* what lies behind stays as it is */
    b->keeps = true;
    const char *to = variable(p, "z", p->w.o->kernel->arrays[array]->type, 0, b->group);
    str_printf(out_of(p), "move %s[%si] = %s[%si] else %s;\n", to, p->w.o->prefix, from,
               p->w.o->prefix, zero_of(p, p->w.o->kernel->arrays[array]->type));
    str_printf(out_of(p), "compute %s { if (index() < u64(%s)) { %s = %s; } }\n", b->group,
               h->count, b->name, to);
}

static void end_map(struct planner *p, const struct stage_stage *s) {
    uint32_t i = 0;
    for (const struct stage_param *q = s->params; q; q = q->next, i++) {
        if (q->role != STAGE_OUT && q->role != STAGE_INOUT)
            continue;
        p->arrays[q->array].name = p->w.places[i].name;
        store_elements(p, q->array, p->w.places[i].name, s->units);
    }
}

/* Whether a group is kept, for each of its elements. */
static void spread(struct planner *p, const struct stage_stage *s, const char *to) {
    str_printf(out_of(p), "compute %s { %s = false; }\n", p->homes[s->length].group, to);
    for (uint32_t k = 0; k < s->unit; k++)
        str_printf(out_of(p), "move %s[%u * %si + %u] = %s[%si];\n", to, (unsigned)s->unit,
                   p->w.o->prefix, (unsigned)k, p->w.keeps, p->w.o->prefix);
}

static const char *kept_elements(struct planner *p, const struct stage_stage *s,
                                 const struct stage_param *q, uint32_t i, const char *group) {
    if (q->from == NO_INDEX)
        return p->w.places[i].name;
    const struct stage_param *from = s->params;
    for (uint32_t k = 0; k < q->from; k++)
        from = from->next;
    const char *name = variable(p, "y", q->type, 0, group);
    str_printf(out_of(p), "compute %s { %s = %s; }\n", group, name, elements_of(p, from->array));
    return name;
}

/* What is kept comes together in the buffer. */
static void store_kept(struct planner *p, const struct stage_param *q, const char *from,
                       const struct home *h) {
    struct stage_stand_in *b = stand_in(p, q->array);
    if (!b)
        return;
    b->keeps = true;
    const char *first = variable(p, "c", q->type, 0, h->group);
    str_printf(out_of(p), "compact %s = %s where %s;\n", first, from, h->keeps);
    if (lies_there(p, q->array, h->group)) {
        str_printf(out_of(p), "compute %s { %s = %s; }\n", h->group, b->name, first);
        return;
    }
    const char *count = variable(p, "n", (struct lane_type){TYPE_UINT, 64}, 0, NULL);
    str_printf(out_of(p), "%s = length(%s);\n", count, first);
    if (!b->group) {
        const char *one = variable(p, "z", q->type, 0, NULL);
        str_printf(out_of(p), "move %s = %s[0];\nif (%s > 0) { %s = %s; }\n", one, first, count,
                   b->name, one);
        return;
    }
    const char *to = variable(p, "z", q->type, 0, b->group);
    str_printf(out_of(p),
               "move %s[%si] = %s[%si] else %s;\ncompute %s { if (index() < %s) { %s = %s; } }\n",
               to, p->w.o->prefix, first, p->w.o->prefix, zero_of(p, q->type), b->group, count,
               b->name, to);
}

static void end_filter(struct planner *p, const struct stage_stage *s) {
    const struct stage_kernel *k = p->w.o->kernel;
    const char *spread_for = NULL;
    uint32_t i = 0;
    for (const struct stage_param *q = s->params; q; q = q->next, i++) {
        if (q->role == STAGE_COUNT) {
            const char *n = variable(p, "n", (struct lane_type){TYPE_UINT, 64}, 0, NULL);
            str_printf(out_of(p), "%s = count(%s);\n", n, p->w.keeps);
            struct stage_stand_in *b = stand_in(p, q->array);
            b->keeps |= b->group || b->registers;
            if (b->group)
                str_printf(out_of(p), "compute %s { if (index() == 0) { %s = %s(%s); } }\n",
                           b->group, b->name, type_text(p, q->type), n);
            else
                str_printf(out_of(p), b->registers ? "%s[0] = %s(%s);\n" : "%s = %s(%s);\n",
                           b->name, type_text(p, q->type), n);
        }
        if (q->role != STAGE_OUT)
            continue;
        const struct home *h = &p->homes[k->arrays[q->array]->length];
        if (strcmp(h->keeps, p->w.keeps) != 0 && h->keeps != spread_for) {
            spread(p, s, h->keeps);
            spread_for = h->keeps;
        }
        const char *from = kept_elements(p, s, q, i, h->group);
        p->arrays[q->array].name = from;
        store_kept(p, q, from, h);
    }
}

/* ---- reductions ---- */

static const char *fold_word(const struct stage_param *q) {
    switch (q->fold) {
    case STAGE_ADD:
        return "sum";
    case STAGE_MUL:
        return "prod";
    case STAGE_AND:
        return q->type.kind == TYPE_BOOL ? "all" : "and";
    case STAGE_OR:
        return q->type.kind == TYPE_BOOL ? "any" : "or";
    case STAGE_XOR:
        return "xor";
    case STAGE_MIN:
        return "min";
    default:
        return "max";
    }
}

static const char *register_of(struct planner *p, struct stage_place at, uint32_t k) {
    return at.registers ? stage_text(&p->w, "%s[%u]", at.name, (unsigned)k) : at.name;
}

/* old OP new, as an expression. */
static const char *put_in(struct planner *p, const struct stage_param *q, const char *old,
                          const char *one) {
    if (q->fold == STAGE_MIN || q->fold == STAGE_MAX)
        return stage_text(&p->w, "%s(%s, %s)", stage_op_text(q->fold), old, one);
    return stage_text(&p->w, "(%s %s %s)", old, stage_op_text(q->fold), one);
}

/* Element `at` of the result, which is what it was and `one`; with `all` it is `one`. */
static void store_result(struct planner *p, const struct stage_param *q, const char *at,
                         bool number, const char *one, bool all) {
    struct stage_stand_in *b = stand_in(p, q->array);
    b->keeps |= !q->has || b->group || b->registers;
    const char *place = b->registers ? stage_text(&p->w, "%s[%s]", b->name, at) : b->name;
    const char *old = q->has ? value_text(p, q->type, q->value) : place;
    const char *value = all ? one : put_in(p, q, old, one);
    if (b->group)
        str_printf(out_of(p), "compute %s { if (index() == %s) { %s = %s; } }\n", b->group, at,
                   b->name, value);
    else if (number)
        str_printf(out_of(p), "%s = %s;\n", place, value);
    else
        stage_cannot(&p->w, q->at, "'%s' has more elements than a variable without a group has",
                     q->text);
}

/* Reductions that stand beside each other are folded together, as many as share their steps well.
 */
enum { FOLDED_TOGETHER = 4 };

static void fold_param(struct planner *p, const struct stage_param *q, struct stage_place at) {
    const char *ones[FOLDED_TOGETHER];
    for (uint32_t i = 0; i < FOLDED_TOGETHER && i < q->count; i++)
        ones[i] = variable(p, "s", q->type, 0, NULL);
    for (uint32_t k = 0; k < q->count; k += FOLDED_TOGETHER) {
        uint32_t count = q->count - k < FOLDED_TOGETHER ? q->count - k : FOLDED_TOGETHER;
        for (uint32_t i = 0; i < count; i++)
            str_printf(out_of(p), "%s = %s(%s);\n", ones[i], fold_word(q),
                       register_of(p, at, k + i));
        for (uint32_t i = 0; i < count; i++)
            store_result(p, q, stage_text(&p->w, "%u", (unsigned)(k + i)), true, ones[i], false);
    }
}

static void fold_registers(struct planner *p, const struct stage_stage *s) {
    uint32_t i = 0;
    for (const struct stage_param *q = s->params; q; q = q->next, i++)
        if (q->role == STAGE_ACC && !stage_is_large(q))
            fold_param(p, q, p->w.places[i]);
}

/* An accumulator of many elements: all lanes gather one of them after the other. */
static void fold_one_by_one(struct planner *p, const struct stage_stage *s,
                            const struct stage_param *q, struct stage_place at) {
    const struct lane_type count = {TYPE_UINT, 64};
    const char *one = variable(p, "s", q->type, 0, NULL);
    p->w.bin = variable(p, "b", count, 0, NULL);
    p->w.binned = q;
    str_printf(out_of(p), "%s = 0;\nrepeat (%u) {\n", p->w.bin, (unsigned)q->count);
    put_compute(p, s);
    str_printf(out_of(p), "%s = %s(%s);\n", one, fold_word(q), at.name);
    store_result(p, q, p->w.bin, false, one, false);
    str_printf(out_of(p), "%s = %s + 1;\n}\n", p->w.bin, p->w.bin);
    p->w.binned = NULL;
}

static void put_combine(struct planner *p, const struct stage_stage *s) {
    str_printf(out_of(p), "compute %s {\n", p->homes[s->units].group);
    stage_put_body(&p->w, s->combine);
    stage_mark(&p->w, s->at);
    str_append(out_of(p), "}\n");
}

/* Neighbours take in each other until one part is left. */
static void combine_neighbours(struct planner *p, const struct stage_stage *s,
                               const struct stage_place *gathered) {
    const char *left = variable(p, "n", (struct lane_type){TYPE_UINT, 64}, 0, NULL);
    const char *prefix = p->w.o->prefix;
    str_printf(out_of(p), "%s = u64(%s);\nwhile (%s > 1) {\n", left, p->homes[s->units].count,
               left);
    for (unsigned side = 0; side < 2; side++) {
        uint32_t i = 0;
        for (const struct stage_param *q = s->params; q; q = q->next, i++) {
            const char *begin = value_text(p, q->type, q->begin);
            struct stage_place to = side ? p->w.others[i] : gathered[i], at = p->w.places[i];
            for (uint32_t k = 0; q->role == STAGE_ACC && k < q->count; k++) {
                const char *index = at.registers ? stage_text(&p->w, ", %u", (unsigned)k) : "";
                str_printf(out_of(p), "move %s[%si%s] = %s[2 * %si + %u%s] else %s;\n", to.name,
                           prefix, index, at.name, prefix, side, index, begin);
            }
        }
    }
    uint32_t i = 0;
    str_printf(out_of(p), "compute %s {\n", p->homes[s->units].group);
    for (const struct stage_param *q = s->params; q; q = q->next, i++)
        for (uint32_t k = 0; q->role == STAGE_ACC && k < q->count; k++)
            str_printf(out_of(p), "%s = %s;\n", register_of(p, p->w.places[i], k),
                       register_of(p, gathered[i], k));
    str_append(out_of(p), "}\n");
    put_combine(p, s);
    str_printf(out_of(p), "%s = (%s + 1) / 2;\n}\n", left, left);
}

/* What the buffer holds takes part, as the part in front. */
static void combine_old(struct planner *p, const struct stage_stage *s) {
    uint32_t i = 0;
    bool any = false;
    for (const struct stage_param *q = s->params; q; q = q->next, i++) {
        const struct stage_stand_in *b = stand_in(p, q->array);
        struct stage_place at = p->w.places[i], other = p->w.others[i];
        if (q->role != STAGE_ACC)
            continue;
        any |= !q->has;
        for (uint32_t k = 0; k < q->count; k++) {
            const char *index = at.registers ? stage_text(&p->w, ", %u", (unsigned)k) : "";
            str_printf(out_of(p), "compute %s { %s = %s; }\n", p->homes[s->units].group,
                       register_of(p, other, k), register_of(p, at, k));
            if (q->has)
                str_printf(out_of(p), "compute %s { %s = %s; }\n", p->homes[s->units].group,
                           register_of(p, at, k), value_text(p, q->type, q->value));
            else if (b->group)
                str_printf(out_of(p), "move %s[%si%s] = %s[%u];\n", at.name, p->w.o->prefix, index,
                           b->name, (unsigned)k);
            else
                str_printf(out_of(p), "compute %s { %s = %s%s; }\n", p->homes[s->units].group,
                           register_of(p, at, k), b->name,
                           b->registers ? stage_text(&p->w, "[%u]", (unsigned)k) : "");
        }
    }
    if (any)
        put_combine(p, s);
}

static void combine_all(struct planner *p, const struct stage_stage *s) {
    struct stage_place *mine = ARENA_ARRAY(&p->w.arena, s->param_count + 1, struct stage_place);
    const char *group = p->homes[s->units].group;
    uint32_t i = 0;
    for (const struct stage_param *q = s->params; q; q = q->next, i++) {
        if (q->role != STAGE_ACC)
            continue;
        if (stage_is_large(q)) {
            stage_cannot(&p->w, q->at,
                         "parts of '%s' have %u elements, and a lane has registers for %d", q->text,
                         (unsigned)q->count, MOST_GATHERED);
            return;
        }
        uint32_t registers = p->w.places[i].registers;
        mine[i] = (struct stage_place){variable(p, "a", q->type, registers, group), registers};
        p->w.others[i] =
            (struct stage_place){variable(p, "o", q->type, registers, group), registers};
    }
    combine_neighbours(p, s, mine);
    bool old = false;
    for (const struct stage_param *q = s->params; q; q = q->next)
        old |= q->role == STAGE_ACC && !q->has;
    if (old)
        combine_old(p, s);
    i = 0;
    for (const struct stage_param *q = s->params; q; q = q->next, i++) {
        const char *one = q->role == STAGE_ACC ? variable(p, "s", q->type, 0, NULL) : NULL;
        for (uint32_t k = 0; one && k < q->count; k++) {
            struct stage_place at = p->w.places[i];
            str_printf(out_of(p), "move %s = %s[0%s];\n", one, at.name,
                       at.registers ? stage_text(&p->w, ", %u", (unsigned)k) : "");
            store_result(p, q, stage_text(&p->w, "%u", (unsigned)k), true, one, true);
        }
    }
}

static void put_reduce(struct planner *p, const struct stage_stage *s) {
    uint32_t i = 0;
    bool small = false;
    for (const struct stage_param *q = s->params; q; q = q->next)
        small |= q->role == STAGE_ACC && !stage_is_large(q);
    p->w.skip_large = true;
    if (s->combine)
        for (const struct stage_param *q = s->params; q; q = q->next)
            if (q->role == STAGE_ACC && stage_is_large(q)) {
                stage_cannot(&p->w, q->at,
                             "parts of '%s' have %u elements, and a lane has registers for %d",
                             q->text, (unsigned)q->count, MOST_GATHERED);
                return;
            }
    if (small)
        put_compute(p, s);
    if (s->combine) {
        combine_all(p, s);
        return;
    }
    fold_registers(p, s);
    for (const struct stage_param *q = s->params; q; q = q->next, i++)
        if (q->role == STAGE_ACC && stage_is_large(q))
            fold_one_by_one(p, s, q, p->w.places[i]);
}

/* ---- stages ---- */

static void put_stage(struct planner *p, const struct stage_stage *s) {
    const struct stage_kernel *k = p->w.o->kernel;
    uint32_t i = 0;
    stage_mark(&p->w, s->at);
    p->w.stage = s;
    p->w.places = ARENA_ARRAY(&p->w.arena, s->param_count + 1, struct stage_place);
    p->w.others = ARENA_ARRAY(&p->w.arena, s->param_count + 1, struct stage_place);
    p->w.keeps = NULL;
    p->w.skip_large = false;
    for (const struct stage_param *q = s->params; q && !p->w.failed; q = q->next)
        p->w.places[i++] = see(p, s, q);
    if (p->w.failed)
        return;
    if (s->pattern == STAGE_REDUCE) {
        put_reduce(p, s);
        return;
    }
    if (s->pattern == STAGE_FILTER) {
        for (uint32_t l = 0; l < k->length_count && !p->w.keeps; l++)
            if (k->lengths[l].kind == STAGE_KEPT && k->lengths[l].of == s->units &&
                k->lengths[l].unit == 1)
                for (const struct stage_param *q = s->params; q; q = q->next)
                    if (q->role == STAGE_OUT && k->arrays[q->array]->length == l)
                        p->w.keeps = p->homes[l].keeps;
        if (!p->w.keeps)
            p->w.keeps =
                variable(p, "keep", (struct lane_type){TYPE_BOOL, 1}, 0, p->homes[s->units].group);
    }
    put_compute(p, s);
    if (s->pattern == STAGE_FILTER)
        end_filter(p, s);
    else
        end_map(p, s);
}

/* A buffer for two parameters, one of which is written. */
static void check_aliases(struct planner *p) {
    const struct stage_kernel *k = p->w.o->kernel;
    for (uint32_t i = 0; i < k->array_count; i++)
        for (uint32_t j = i + 1; j < k->array_count; j++) {
            const struct stage_stand_in *a = stand_in(p, i), *b = stand_in(p, j);
            if (a && a == b)
                stage_cannot(&p->w, k->arrays[j]->at, "'%s' and '%s' are one buffer",
                             k->arrays[i]->text, k->arrays[j]->text);
        }
}

bool stage_write_otherwise(struct stage_otherwise *o) {
    struct planner p = {.w = {.o = o, .laps = 1}};
    const struct stage_kernel *k = o->kernel;
    p.homes = ARENA_ARRAY(&p.w.arena, k->length_count + 1, struct home);
    p.arrays = ARENA_ARRAY(&p.w.arena, k->array_count + 1, struct array_place);
    memset(p.homes, 0, (k->length_count + 1) * sizeof *p.homes);
    memset(p.arrays, 0, (k->array_count + 1) * sizeof *p.arrays);
    check_aliases(&p);
    if (!p.w.failed)
        place_lengths(&p);
    for (const struct stage_stage *s = k->stages; s && !p.w.failed; s = s->next)
        put_stage(&p, s);
    arena_free(&p.w.arena);
    return !p.w.failed;
}

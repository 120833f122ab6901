/* SPDX-License-Identifier: MIT
 * Copies that the expansion itself needs: one micro-op, or where none copies, the sequence that the
 * mapping has found. */
#include "recipe/expand/expand.h"

#include "recipe/map/derive.h"
#include "recipe/map/map.h"

#include "support/alloc.h"

#include <stdlib.h>

static bool is_row(uint32_t place) {
    return PLANE_CLASS(place) != PLANE_BUFFER;
}

static struct sym_uop start_step(const struct expansion *expansion, unsigned kind, int here) {
    const struct target_op *op = &plane_target(expansion->set->target)->ops[kind];
    struct sym_uop u = {.kind = (uint16_t)kind, .section = (uint16_t)here};
    u.nsrc = op->nsrc;
    u.ndst = op->ndst;
    u.counterpart = NO_UOP;
    return u;
}

static void add_step(const struct expansion *expansion, struct sym_uop uop, struct copy_list *out) {
    const struct target_op *op = &plane_target(expansion->set->target)->ops[uop.kind];
    for (unsigned k = 0; k < op->ndst; k++) {
        if (!plane_op_presets(op, k))
            continue;
        struct sym_uop before = start_step(expansion, op->preset - 1u, uop.section);
        before.dst[0] = uop.dst[k];
        out->preset[out->count] = true;
        out->uops[out->count++] = before;
    }
    out->preset[out->count] = false;
    out->uops[out->count++] = uop;
}

void expand_copy_step(const struct expansion *expansion, unsigned kind, const uint32_t *src,
                      uint32_t to, int here, struct copy_list *out) {
    struct sym_uop u = start_step(expansion, kind, here);
    u.copies = plane_op_is_copy(&plane_target(expansion->set->target)->ops[kind]);
    for (unsigned i = 0; i < u.nsrc; i++)
        u.src[i] = src[i];
    u.dst[0] = to;
    add_step(expansion, u, out);
}

/* --- presets --- */

static bool sets_for(const struct target_op *op, const struct sym_uop *before,
                     const struct sym_uop *uop) {
    bool found = false;
    for (unsigned k = 0; k < uop->ndst; k++)
        found |= plane_op_presets(op, k) && before->dst[0] == uop->dst[k];
    return found && before->kind + 1u == op->preset;
}

uint32_t expand_group_start(const struct expansion *expansion, uint32_t index) {
    const struct sym_uop *uops = expansion->list.uops.data;
    const unsigned most = plane_target(expansion->set->target)->most_presets;
    for (uint32_t i = index; most && i < expansion->list.uops.len && i <= index + most; i++) {
        if (uops[i].kind == COPY_LATER)
            continue;
        const struct target_op *op = &plane_target(expansion->set->target)->ops[uops[i].kind];
        uint32_t count = plane_op_preset_count(op);
        if (count && i <= index + count && i >= count &&
            (i == index || sets_for(op, &uops[index], &uops[i])))
            return i - count;
    }
    return index;
}

/* --- rows for computing --- */

/* A class of one row: a recipe may call it by name and keep something there. */
static bool has_name(const struct row_class *class) {
    return class->latch || class->first == class->last;
}

static bool is_named_row(const struct uop_value *value, unsigned class, unsigned section) {
    return value->named && value->class == class + 1 && value->section == section;
}

/* The value that stands for the one row of a class in a section, or NOWHERE. */
static uint32_t find_named(const struct expansion *expansion, unsigned class, unsigned section) {
    for (uint32_t v = 0; v < expansion->list.values.len; v++)
        if (is_named_row(&expansion->list.values.data[v], class, section))
            return PLACE(PLANE_SCRATCH, v);
    return PLACE_NOWHERE;
}

static uint32_t row_place(struct expansion *expansion, unsigned class, unsigned section) {
    bool named = has_name(&plane_target(expansion->set->target)->row_classes[class]);
    uint32_t place = named ? find_named(expansion, class, section) : PLACE_NOWHERE;
    if (place != PLACE_NOWHERE)
        return place;
    uint32_t v = expand_new_scratch(expansion, section, NULL, class, -1);
    expansion->list.values.data[v].class = (uint16_t)(class + 1);
    expansion->list.values.data[v].named = named;
    return PLACE(PLANE_SCRATCH, v);
}

static bool reads(const struct expansion *expansion, const struct sym_uop *uop, uint32_t place) {
    bool found = false, later = uop->kind == COPY_LATER;
    for (unsigned k = 0; k < uop->nsrc; k++)
        found |= uop->src[k] == place;
    for (unsigned k = 0; k < uop->ndst && !later; k++)
        found |= uop->dst[k] == place &&
                 plane_op_uses_old(&plane_target(expansion->set->target)->ops[uop->kind], k);
    return found;
}

/* Does a micro-op from `index` on read what the place holds there? */
static bool is_live(const struct expansion *expansion, uint32_t place, size_t index) {
    for (size_t i = index; i < expansion->list.uops.len; i++) {
        const struct sym_uop *u = &expansion->list.uops.data[i];
        if (reads(expansion, u, place))
            return true;
        for (unsigned k = 0; k < u->ndst; k++)
            if (u->dst[k] == place)
                return false;
    }
    return false;
}

/* May the sequence write its rows before micro-op `index`? */
static bool rows_are_free(const struct expansion *expansion, const struct op_frame *f,
                          const struct step_template *template, unsigned section, size_t index) {
    for (unsigned s = 0; s < template->step_count; s++)
        for (unsigned d = 0; d < template->steps[s].ndst; d++) {
            const struct frame_place *p = &f->places[template->steps[s].dst[d]];
            uint32_t row = p->kind == FRAME_ROW ? find_named(expansion, (unsigned)p->class, section)
                                                : PLACE_NOWHERE;
            if (row != PLACE_NOWHERE && is_live(expansion, row, index))
                return false;
        }
    return true;
}

/* --- sequences --- */

/* Places of the sequence; its temporaries are new values. */
static void fill_places(struct expansion *expansion, const struct op_frame *f,
                        const struct step_template *template, uint32_t from, uint32_t to, int here,
                        uint32_t *places) {
    for (unsigned i = 0; i < f->count; i++)
        places[i] = f->places[i].kind == FRAME_CONST ? PLACE(PLANE_CONST, f->places[i].number)
                                                     : PLACE_NOWHERE;
    places[0] = from;
    places[template->out] = to;
    for (unsigned s = 0; s < template->step_count; s++)
        for (unsigned d = 0; d < template->steps[s].ndst; d++) {
            unsigned to_fill = template->steps[s].dst[d];
            uint32_t *place = &places[to_fill];
            if (*place == PLACE_NOWHERE && f->places[to_fill].kind == FRAME_ROW)
                *place = row_place(expansion, (unsigned)f->places[to_fill].class, (unsigned)here);
            else if (*place == PLACE_NOWHERE)
                *place =
                    PLACE(PLANE_SCRATCH, expand_new_scratch(expansion, (unsigned)here, template,
                                                            template->steps[s].dst[d], -1));
        }
}

static void add_sequence(struct expansion *expansion, const struct op_frame *f,
                         const struct step_template *template, uint32_t from, uint32_t to, int here,
                         struct copy_list *out) {
    uint32_t places[FRAME_MAX];
    fill_places(expansion, f, template, from, to, here, places);
    for (unsigned s = 0; s < template->step_count; s++) {
        const struct op_use *use = &template->steps[s];
        struct sym_uop u = start_step(expansion, use->op, here);
        for (unsigned i = 0; i < use->nsrc; i++)
            u.src[i] = places[use->src[i]];
        for (unsigned d = 0; d < use->ndst; d++)
            u.dst[d] = places[use->dst[d]];
        add_step(expansion, u, out);
    }
}

/* Does the sequence work as well where its input lies in a buffer? */
static bool takes_buffer(const struct expansion *expansion, const struct step_template *template) {
    const struct op_frame *f = mapping_frame(expansion->set);
    for (unsigned s = 0; s < template->step_count; s++) {
        const struct op_use *use = &template->steps[s];
        const struct target_op *op = &plane_target(expansion->set->target)->ops[use->op];
        struct where_place at[OP_MAX_SOURCES + OP_MAX_DESTS];
        bool reads = false;
        for (unsigned i = 0; i < use->nsrc + (unsigned)use->ndst; i++) {
            unsigned place = i < use->nsrc ? use->src[i] : use->dst[i - use->nsrc];
            at[i] = mapping_frame_where(f, place, f->homes[f->home_count - 1]);
            reads |= place == 0;
            if (place == 0)
                at[i].class = CLASS_BUFFER;
        }
        if (reads && !technology_where_holds(op->where, at, 0))
            return false;
    }
    return true;
}

static bool may_copy(const struct expansion *expansion, const struct step_template *template,
                     uint32_t from, uint32_t to) {
    return template && is_row(to) && (is_row(from) || takes_buffer(expansion, template));
}

/* What copies where no micro-op does: a sequence, or two that invert. */
struct copy_way {
    const struct step_template *sequences[2];
    unsigned count;
};

/* The first sequence that may stand before micro-op `index`; those in temporaries may anywhere. */
static const struct step_template *find_sequence(const struct expansion *expansion, bool inverting,
                                                 bool rows, uint32_t from, uint32_t to, int here,
                                                 size_t index) {
    const struct step_template *t;
    for (unsigned n = 0; (t = mapping_copy_sequence(expansion->set, inverting, rows, n)); n++)
        if (may_copy(expansion, t, from, to) &&
            (!rows ||
             rows_are_free(expansion, mapping_frame(expansion->set), t, (unsigned)here, index)))
            return t;
    return NULL;
}

static const struct step_template *find_inverting(const struct expansion *expansion, bool rows,
                                                  uint32_t from, uint32_t to, int here,
                                                  size_t index) {
    const struct step_template *t = find_sequence(expansion, true, false, from, to, here, index);
    return t || !rows ? t : find_sequence(expansion, true, true, from, to, here, index);
}

/* `rows`: by way of rows for computing. */
static bool find_way(const struct expansion *expansion, bool rows, uint32_t from, uint32_t to,
                     int here, size_t index, struct copy_way *way) {
    way->sequences[0] = find_sequence(expansion, false, rows, from, to, here, index);
    way->count = 1;
    if (way->sequences[0])
        return true;
    way->sequences[0] = find_inverting(expansion, rows, from, to, here, index);
    way->sequences[1] = find_inverting(expansion, rows, to, to, here, index); /* from a row */
    way->count = 2;
    return way->sequences[0] && way->sequences[1];
}

static void add_way(struct expansion *expansion, const struct copy_way *way, uint32_t from,
                    uint32_t to, int here, struct copy_list *out) {
    const struct op_frame *f = mapping_frame(expansion->set);
    uint32_t between = to;
    if (way->count > 1)
        between = PLACE(PLANE_SCRATCH, expand_new_scratch(expansion, (unsigned)here,
                                                          way->sequences[0], FRAME_MAX, -1));
    add_sequence(expansion, f, way->sequences[0], from, between, here, out);
    if (way->count > 1)
        add_sequence(expansion, f, way->sequences[1], between, to, here, out);
}

bool expand_can_copy(const struct expansion *expansion, uint32_t from, uint32_t to, int here) {
    struct copy_way w;
    return expand_find_copy(expansion, from, to, here) >= 0 ||
           find_way(expansion, false, from, to, here, 0, &w);
}

bool expand_can_row_copy(const struct expansion *expansion, uint32_t from, uint32_t to, int here,
                         size_t index) {
    struct copy_way w;
    return find_way(expansion, true, from, to, here, index, &w);
}

bool expand_copies_by_rows(const struct expansion *expansion) {
    return mapping_copy_sequence(expansion->set, false, true, 0) ||
           mapping_copy_sequence(expansion->set, true, true, 0);
}

bool expand_make_row_copy(struct expansion *expansion, uint32_t from, uint32_t to, int here,
                          size_t index, struct copy_list *out) {
    struct copy_way w;
    out->count = 0;
    if (!find_way(expansion, true, from, to, here, index, &w))
        return false;
    add_way(expansion, &w, from, to, here, out);
    return true;
}

bool expand_make_copy(struct expansion *expansion, uint32_t from, uint32_t to, int here,
                      struct copy_list *out) {
    int kind = expand_find_copy(expansion, from, to, here);
    struct copy_way w;
    out->count = 0;
    if (kind >= 0)
        expand_copy_step(expansion, (unsigned)kind, &from, to, here, out);
    else if (find_way(expansion, false, from, to, here, 0, &w))
        add_way(expansion, &w, from, to, here, out);
    return out->count > 0;
}

/* The steps stand where micro-op `index` does. */
static void add_steps(const struct copy_list *steps, const struct sym_uop *like,
                      struct sym_list *list) {
    for (unsigned i = 0; i < steps->count; i++) {
        struct sym_uop u = steps->uops[i];
        u.path = like->path;
        u.stmt = like->stmt;
        u.unit = like->unit;
        vec_push(&list->uops, u);
    }
}

static bool cannot_copy(struct expansion *expansion, const struct sym_uop *like) {
    expand_error(
        expansion, like->unit, like->stmt->at,
        "a value must be copied here, but no micro-ops of '%s' that may work here ('where') copy it",
        expansion->set->target->name);
    return false;
}

bool expand_copy(struct expansion *expansion, size_t index, uint32_t from, uint32_t to,
                 unsigned section, struct sym_list *list) {
    const struct sym_uop *like = &expansion->list.uops.data[index];
    struct copy_list steps;
    if (!expand_make_copy(expansion, from, to, (int)section, &steps) &&
        !expand_make_row_copy(expansion, from, to, (int)section, index, &steps))
        return cannot_copy(expansion, like);
    add_steps(&steps, like, list);
    return true;
}

/* --- from class to class --- */

/* A sequence between two classes of rows. */
struct class_way {
    const struct step_template *sequence; /* NULL: none */
    const struct op_frame *frame;
    uint32_t cost;
};

static void try_between(const struct expansion *expansion, unsigned from, unsigned to, int here,
                        size_t index, struct class_way *best) {
    struct class_way w;
    for (unsigned n = 0;
         (w.sequence = mapping_copy_between(expansion->set, from, to, n, &w.cost, &w.frame)); n++)
        if ((!best->sequence || w.cost < best->cost) &&
            rows_are_free(expansion, w.frame, w.sequence, (unsigned)here, index)) {
            *best = w;
            return;
        }
}

/* The cheapest sequence from one of the classes to another one of the others, if no micro-op does
 * that at once. */
static bool find_between(const struct expansion *expansion, const struct class_sets *classes,
                         int here, size_t index, struct class_way *way) {
    const struct target *t = expansion->set->target;
    *way = (struct class_way){NULL, NULL, 0};
    for (unsigned from = 0; from < plane_target(t)->row_class_count; from++)
        for (unsigned to = 0; to < plane_target(t)->row_class_count; to++) {
            if (from == to || !(classes->from >> from & 1) || !(classes->to >> to & 1))
                continue;
            if (mapping_frame_copies(t, (int)from, (int)to)) {
                way->sequence = NULL;
                return false;
            }
            try_between(expansion, from, to, here, index, way);
        }
    return way->sequence != NULL;
}

bool expand_can_copy_between(const struct expansion *expansion, const struct class_sets *classes,
                             int here, size_t index) {
    struct class_way w;
    return find_between(expansion, classes, here, index, &w);
}

bool expand_copy_between(struct expansion *expansion, size_t index, uint32_t from, uint32_t to,
                         const struct class_sets *classes, unsigned section,
                         struct sym_list *list) {
    const struct sym_uop *like = &expansion->list.uops.data[index];
    struct copy_list steps = {.count = 0};
    struct class_way w;
    if (!find_between(expansion, classes, (int)section, index, &w))
        return expand_copy(expansion, index, from, to, section, list);
    add_sequence(expansion, w.frame, w.sequence, from, to, (int)section, &steps);
    add_steps(&steps, like, list);
    return true;
}

static bool resolve(struct expansion *expansion, size_t index, struct sym_list *list) {
    const struct sym_uop *u = &expansion->list.uops.data[index];
    struct copy_list steps;
    if (!expand_make_row_copy(expansion, u->src[0], u->dst[0], u->section, index, &steps))
        return cannot_copy(expansion, u);
    add_steps(&steps, u, list);
    return true;
}

static bool has_later(const struct expansion *expansion) {
    for (size_t i = 0; i < expansion->list.uops.len; i++)
        if (expansion->list.uops.data[i].kind == COPY_LATER)
            return true;
    return false;
}

bool expand_resolve_copies(struct expansion *expansion) {
    struct sym_list made = {0};
    if (!has_later(expansion))
        return true;
    uint32_t *moved = xcalloc(expansion->list.uops.len, sizeof *moved);
    bool fine = true;
    for (size_t i = 0; i < expansion->list.uops.len && fine; i++) {
        struct sym_uop u = expansion->list.uops.data[i];
        moved[i] = (uint32_t)made.uops.len;
        if (u.counterpart != NO_UOP)
            u.counterpart = moved[u.counterpart];
        if (u.kind == COPY_LATER)
            fine = resolve(expansion, i, &made);
        else
            vec_push(&made.uops, u);
    }
    vec_free(&expansion->list.uops);
    expansion->list.uops.data = made.uops.data;
    expansion->list.uops.len = made.uops.len;
    expansion->list.uops.cap = made.uops.cap;
    free(moved);
    return fine;
}

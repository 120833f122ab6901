/* SPDX-License-Identifier: MIT
 * Scratch rows: each value gets the lowest row of its class and section that is free from the
 * micro-op that makes it to the last one that reads it, unless homes.c has chosen one.  A
 * destination never shares a row with a source that it is not tied to.  Rows with a name are their
 * own. */
#include "recipe/expand/expand.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

struct row_map {
    uint32_t rows;        /* of a section */
    unsigned char *taken; /* [section][row] */
    uint32_t in_use[64];  /* by section */
    uint32_t most;
};

static void find_last_uses(struct expansion *x) {
    for (size_t v = 0; v < x->list.values.len; v++)
        x->list.values.data[v].last_use = NO_UOP;
    for (uint32_t i = 0; i < x->list.uops.len; i++) {
        const struct sym_uop *u = &x->list.uops.data[i];
        for (unsigned k = 0; k < u->nsrc; k++)
            if (PLANE_CLASS(u->src[k]) == PLANE_SCRATCH)
                x->list.values.data[PLACE_PAYLOAD(u->src[k])].last_use = i;
        for (unsigned k = 0; k < u->ndst; k++)
            if (PLANE_CLASS(u->dst[k]) == PLANE_SCRATCH)
                x->list.values.data[PLACE_PAYLOAD(u->dst[k])].last_use = i;
    }
}

static bool take_row(const struct target *t, struct row_map *m, struct uop_value *v) {
    if (!v->class)
        return false;
    const struct row_class *c = &plane_target(t)->row_classes[v->class - 1];
    unsigned char *taken = m->taken + (size_t)v->section * m->rows;
    const unsigned char *free_row =
        c->scratch_rows ? memchr(taken + c->first_scratch, 0, c->scratch_rows) : NULL;
    if (v->named)
        free_row = taken + c->first_scratch;
    if (v->placed)
        free_row = taken + v->row;
    if (!free_row)
        return false;
    v->row = (uint16_t)(free_row - taken);
    taken[v->row] = 1;
    if (++m->in_use[v->section] > m->most)
        m->most = m->in_use[v->section];
    return true;
}

static bool no_row(struct expansion *x, const struct sym_uop *u, const struct uop_value *v) {
    const struct target *t = x->set->target;
    const struct row_class *c = v->class ? &plane_target(t)->row_classes[v->class - 1] : NULL;
    if (!c || expand_classes_are_plain(t))
        expand_error(x, u->unit, u->stmt->at,
                     "needs more scratch rows in section %u than the %u that target '%s' has",
                     v->section, plane_target(t)->scratch_rows, t->name);
    else
        expand_error(x, u->unit, u->stmt->at,
                     "needs more rows of class '%s' in section %u than the %u that target '%s' "
                     "has",
                     c->name, v->section, c->scratch_rows, t->name);
    return false;
}

/* A row that is called by name is that value's alone, wherever in the list it is used. */
static void reserve_named(const struct expansion *x, struct row_map *m) {
    for (size_t i = 0; i < x->list.values.len; i++) {
        const struct uop_value *v = &x->list.values.data[i];
        if (v->named)
            m->taken[(size_t)v->section * m->rows +
                     plane_target(x->set->target)->row_classes[v->class - 1].first_scratch] = 1;
    }
}

/* Values that this micro-op makes get a row; one that it also reads (an op that reads the old
 * value) has one. */
static bool take_rows(struct expansion *x, struct row_map *m, unsigned char *placed, uint32_t i) {
    const struct sym_uop *u = &x->list.uops.data[i];
    for (unsigned k = 0; k < u->ndst; k++) {
        uint32_t v = PLACE_PAYLOAD(u->dst[k]);
        if (PLANE_CLASS(u->dst[k]) != PLANE_SCRATCH || placed[v])
            continue;
        placed[v] = 1;
        if (!take_row(x->set->target, m, &x->list.values.data[v]))
            return no_row(x, u, &x->list.values.data[v]);
    }
    return true;
}

static void release_rows(struct expansion *x, struct row_map *m, unsigned char *placed,
                         uint32_t i) {
    const struct sym_uop *u = &x->list.uops.data[i];
    for (unsigned k = 0; k < u->nsrc + (unsigned)u->ndst; k++) {
        uint32_t place = k < u->nsrc ? u->src[k] : u->dst[k - u->nsrc], v = PLACE_PAYLOAD(place);
        if (PLANE_CLASS(place) != PLANE_SCRATCH || x->list.values.data[v].last_use != i ||
            placed[v] == 2)
            continue;
        const struct uop_value *value = &x->list.values.data[v];
        m->taken[(size_t)value->section * m->rows + value->row] = value->named;
        m->in_use[value->section]--;
        placed[v] = 2;
    }
}

bool expand_rows(struct expansion *x) {
    const struct target *t = x->set->target;
    struct row_map m = {.rows = plane_target(t)->scratch_rows};
    unsigned char *placed = xcalloc(x->list.values.len + 1, 1);
    m.taken = xcalloc((size_t)plane_target(t)->sections * m.rows + 1, 1);
    expand_homes(x);
    find_last_uses(x);
    reserve_named(x, &m);
    bool fine = true;
    for (uint32_t i = 0; i < x->list.uops.len && fine; i++) {
        fine = take_rows(x, &m, placed, i);
        if (fine)
            release_rows(x, &m, placed, i);
    }
    x->scratch_rows = m.most;
    free(m.taken);
    free(placed);
    return fine;
}

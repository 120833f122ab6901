/* SPDX-License-Identifier: MIT
 * Scratch rows: each value gets the lowest row of its class and section that is free from the
 * micro-op that makes it to the last one that reads it, unless homes.c or columns.c has chosen one.
 * A destination never shares a row with a source that it is not tied to.  Rows with a name are
 * their own. */
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

static void find_last_uses(struct expansion *expansion) {
    for (size_t v = 0; v < expansion->list.values.len; v++)
        expansion->list.values.data[v].last_use = NO_UOP;
    for (uint32_t i = 0; i < expansion->list.uops.len; i++) {
        const struct sym_uop *u = &expansion->list.uops.data[i];
        for (unsigned k = 0; k < u->nsrc; k++)
            if (PLANE_CLASS(u->src[k]) == PLANE_SCRATCH)
                expansion->list.values.data[PLACE_PAYLOAD(u->src[k])].last_use = i;
        for (unsigned k = 0; k < u->ndst; k++)
            if (PLANE_CLASS(u->dst[k]) == PLANE_SCRATCH)
                expansion->list.values.data[PLACE_PAYLOAD(u->dst[k])].last_use = i;
    }
}

static bool take_row(const struct target *target, struct row_map *map, struct uop_value *value) {
    if (!value->class)
        return false;
    const struct row_class *c = &plane_target(target)->row_classes[value->class - 1];
    unsigned char *taken = map->taken + (size_t)value->section * map->rows;
    const unsigned char *free_row =
        c->scratch_rows ? memchr(taken + c->first_scratch, 0, c->scratch_rows) : NULL;
    if (value->named)
        free_row = taken + c->first_scratch;
    if (value->placed)
        free_row = taken + value->row;
    if (!free_row)
        return false;
    value->row = (uint16_t)(free_row - taken);
    taken[value->row] = 1;
    if (++map->in_use[value->section] > map->most)
        map->most = map->in_use[value->section];
    return true;
}

static bool no_row(struct expansion *expansion, const struct sym_uop *uop,
                   const struct uop_value *value) {
    const struct target *t = expansion->set->target;
    const struct row_class *c =
        value->class ? &plane_target(t)->row_classes[value->class - 1] : NULL;
    bool plain = !c || expand_classes_are_plain(t);
    const char *place = c && c->place ? c->place : "", *apart = *place ? ": " : "";
    expansion->short_of = value->class;
    if (plain)
        expand_error(expansion, uop->unit, uop->stmt->at,
                     "needs more scratch rows in section %u than the %u that target '%s' has "
                     "(%s%s'scratch' in its 'rows')",
                     value->section, plane_target(t)->scratch_rows, t->name, place, apart);
    else
        expand_error(expansion, uop->unit, uop->stmt->at,
                     "needs more rows of class '%s' in section %u than the %u that target '%s' "
                     "has (%s%s'%s' of that class in its 'rows')",
                     c->name, value->section, c->scratch_rows, t->name, place, apart,
                     c->registers ? "scratch" : "range");
    return false;
}

/* A row that is called by name is that value's alone, wherever in the list it is used. */
static void reserve_named(const struct expansion *expansion, struct row_map *map) {
    for (size_t i = 0; i < expansion->list.values.len; i++) {
        const struct uop_value *v = &expansion->list.values.data[i];
        if (v->named)
            map->taken[(size_t)v->section * map->rows + plane_target(expansion->set->target)
                                                            ->row_classes[v->class - 1]
                                                            .first_scratch] = 1;
    }
}

/* Values that this micro-op makes get a row; one that it also reads (an op that reads the old
 * value) has one. */
static bool take_rows(struct expansion *expansion, struct row_map *map, unsigned char *placed,
                      uint32_t index) {
    const struct sym_uop *u = &expansion->list.uops.data[index];
    for (unsigned k = 0; k < u->ndst; k++) {
        uint32_t v = PLACE_PAYLOAD(u->dst[k]);
        if (PLANE_CLASS(u->dst[k]) != PLANE_SCRATCH || placed[v])
            continue;
        placed[v] = 1;
        if (!take_row(expansion->set->target, map, &expansion->list.values.data[v]))
            return no_row(expansion, u, &expansion->list.values.data[v]);
    }
    return true;
}

static void release_rows(struct expansion *expansion, struct row_map *map, unsigned char *placed,
                         uint32_t index) {
    const struct sym_uop *u = &expansion->list.uops.data[index];
    for (unsigned k = 0; k < u->nsrc + (unsigned)u->ndst; k++) {
        uint32_t place = k < u->nsrc ? u->src[k] : u->dst[k - u->nsrc], v = PLACE_PAYLOAD(place);
        if (PLANE_CLASS(place) != PLANE_SCRATCH ||
            expansion->list.values.data[v].last_use != index || placed[v] == 2)
            continue;
        const struct uop_value *value = &expansion->list.values.data[v];
        map->taken[(size_t)value->section * map->rows + value->row] = value->named;
        map->in_use[value->section]--;
        placed[v] = 2;
    }
}

bool expand_rows(struct expansion *expansion) {
    const struct target *t = expansion->set->target;
    struct row_map m = {.rows = plane_target(t)->scratch_rows};
    unsigned char *placed = xcalloc(expansion->list.values.len + 1, 1);
    m.taken = xcalloc((size_t)plane_target(t)->sections * m.rows + 1, 1);
    expand_homes(expansion);
    expand_columns(expansion);
    find_last_uses(expansion);
    reserve_named(expansion, &m);
    bool fine = true;
    for (uint32_t i = 0; i < expansion->list.uops.len && fine; i++) {
        fine = take_rows(expansion, &m, placed, i);
        if (fine)
            release_rows(expansion, &m, placed, i);
    }
    expansion->scratch_rows = m.most;
    free(m.taken);
    free(placed);
    return fine;
}

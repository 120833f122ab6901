/* SPDX-License-Identifier: MIT
 * Rows of values where sections can be joined: what micro-ops of one word read and write lies in
 * the same row of each section, so such values get their rows together.  Where no row is free for
 * all of them they lie apart, and the word becomes several; where a section is full, they lie in
 * another one. */
#include "recipe/expand/expand.h"

#include "recipe/set/words.h"
#include "support/alloc.h"

#include <stdlib.h>

#define MOST_TOGETHER 1024

struct column_life {
    uint32_t begin, end; /* micro-ops; NO_UOP: never written */
    uint32_t next;       /* value that lies in the same row, a ring */
    uint32_t count;      /* of those */
};

struct row_use {
    uint32_t begin, end;
};
struct row_uses {
    VEC(struct row_use) list;
};

struct columns {
    struct expansion *x;
    const struct plane_target *t;
    struct column_life *lives; /* by value */
    struct row_uses *rows;     /* [section][scratch row] */
};

static struct uop_value *value_at(const struct columns *columns, uint32_t value) {
    return &columns->x->list.values.data[value];
}

static void find_lives(struct columns *columns) {
    const struct sym_list *list = &columns->x->list;
    for (uint32_t v = 0; v < list->values.len; v++)
        columns->lives[v] = (struct column_life){NO_UOP, NO_UOP, v, 1};
    for (uint32_t i = 0; i < list->uops.len; i++) {
        const struct sym_uop *u = &list->uops.data[i];
        for (unsigned k = 0; k < u->nsrc + (unsigned)u->ndst; k++) {
            uint32_t place = k < u->nsrc ? u->src[k] : u->dst[k - u->nsrc];
            struct column_life *l = &columns->lives[PLACE_PAYLOAD(place)];
            if (PLANE_CLASS(place) != PLANE_SCRATCH)
                continue;
            l->begin = l->begin == NO_UOP ? i : l->begin;
            l->end = i;
        }
    }
}

/* --- which lie in the same row --- */

static bool meet(const struct columns *columns, uint32_t left, uint32_t right) {
    const struct column_life *a = &columns->lives[left], *b = &columns->lives[right];
    return value_at(columns, left)->section == value_at(columns, right)->section &&
           a->begin <= b->end && b->begin <= a->end;
}

/* False if they are together already, or if two of them would be in one place at a time. */
static bool may_lie_together(const struct columns *columns, uint32_t left, uint32_t right) {
    if (columns->lives[left].count + columns->lives[right].count > MOST_TOGETHER ||
        value_at(columns, left)->class != value_at(columns, right)->class ||
        value_at(columns, left)->named || value_at(columns, right)->named)
        return false;
    uint32_t a = left;
    do {
        uint32_t b = right;
        do {
            if (a == b || meet(columns, a, b))
                return false;
        } while ((b = columns->lives[b].next) != right);
    } while ((a = columns->lives[a].next) != left);
    return true;
}

static void lie_together(struct columns *columns, uint32_t left, uint32_t right) {
    uint32_t count = columns->lives[left].count + columns->lives[right].count;
    uint32_t next = columns->lives[left].next;
    columns->lives[left].next = columns->lives[right].next;
    columns->lives[right].next = next;
    uint32_t v = left;
    do
        columns->lives[v].count = count;
    while ((v = columns->lives[v].next) != left);
}

/* The micro-op as if all scratch lay in one row. */
static struct uop in_one_row(const struct columns *columns, const struct sym_uop *u) {
    struct uop made = {.kind = u->kind, .nsrc = u->nsrc, .ndst = u->ndst};
    for (unsigned k = 0; k < u->nsrc + (unsigned)u->ndst; k++) {
        uint32_t place = k < u->nsrc ? u->src[k] : u->dst[k - u->nsrc];
        if (PLANE_CLASS(place) == PLANE_SCRATCH)
            place = PLANE(PLANE_SCRATCH, value_at(columns, PLACE_PAYLOAD(place))->section, 0);
        *(k < u->nsrc ? &made.src[k] : &made.dst[k - u->nsrc]) = place;
    }
    return made;
}

static void join(struct columns *columns, const struct sym_uop *before, const struct sym_uop *u) {
    for (unsigned k = 0; k < u->nsrc + (unsigned)u->ndst; k++) {
        uint32_t left = k < u->nsrc ? before->src[k] : before->dst[k - u->nsrc];
        uint32_t right = k < u->nsrc ? u->src[k] : u->dst[k - u->nsrc];
        if (PLANE_CLASS(left) == PLANE_SCRATCH &&
            may_lie_together(columns, PLACE_PAYLOAD(left), PLACE_PAYLOAD(right)))
            lie_together(columns, PLACE_PAYLOAD(left), PLACE_PAYLOAD(right));
    }
}

static void find_words(struct columns *columns) {
    const struct sym_list *list = &columns->x->list;
    struct uop pair[2];
    unsigned step = 0;
    for (size_t i = 0; i < list->uops.len; i++) {
        pair[1] = in_one_row(columns, &list->uops.data[i]);
        if (i && recipe_word_joins(columns->x->set->target, pair, 1, &step))
            join(columns, &list->uops.data[i - 1], &list->uops.data[i]);
        pair[0] = pair[1];
    }
}

/* --- rows --- */

static struct row_uses *uses_of(const struct columns *columns, uint32_t value, uint32_t row) {
    return &columns
                ->rows[(size_t)value_at(columns, value)->section * columns->t->scratch_rows + row];
}

/* Values come in the order of their lives' begins: what ended before `now` is of no use. */
static bool is_free(const struct columns *columns, uint32_t value, uint32_t row, uint32_t now) {
    struct row_uses *uses = uses_of(columns, value, row);
    const struct column_life *l = &columns->lives[value];
    size_t kept = 0;
    bool fine = true;
    for (size_t i = 0; i < uses->list.len; i++) {
        struct row_use use = uses->list.data[i];
        fine &= use.end < l->begin || use.begin > l->end;
        if (use.end >= now)
            uses->list.data[kept++] = use;
    }
    uses->list.len = kept;
    return fine;
}

static bool is_free_for_all(const struct columns *columns, uint32_t value, uint32_t row,
                            uint32_t now) {
    uint32_t v = value;
    do
        if (!is_free(columns, v, row, now))
            return false;
    while ((v = columns->lives[v].next) != value);
    return true;
}

static void take(const struct columns *columns, uint32_t value, uint32_t row) {
    const struct row_use use = {columns->lives[value].begin, columns->lives[value].end};
    vec_push(&uses_of(columns, value, row)->list, use);
    value_at(columns, value)->row = (uint16_t)row;
    value_at(columns, value)->placed = true;
}

/* In one of the first `rows` rows of its class. */
static bool place_together(const struct columns *columns, uint32_t value, uint32_t rows) {
    const struct row_class *c = &columns->t->row_classes[value_at(columns, value)->class - 1];
    uint32_t now = columns->lives[value].begin, row = c->first_scratch, v = value;
    while (row < c->first_scratch + rows && !is_free_for_all(columns, value, row, now))
        row++;
    if (row == c->first_scratch + rows)
        return false;
    do
        take(columns, v, row);
    while ((v = columns->lives[v].next) != value);
    return true;
}

static void part(struct columns *columns, uint32_t value) {
    for (uint32_t v = value, next; columns->lives[v].next != v; v = next) {
        next = columns->lives[v].next;
        columns->lives[v].next = v;
    }
}

/* Every micro-op that uses the value may work on it where it lies. */
static bool suits(const struct columns *columns, uint32_t value) {
    const struct column_life *l = &columns->lives[value];
    const uint32_t place = PLACE(PLANE_SCRATCH, value);
    for (uint32_t i = l->begin; i <= l->end; i++) {
        const struct sym_uop *u = &columns->x->list.uops.data[i];
        bool uses = false;
        for (unsigned k = 0; k < u->nsrc + (unsigned)u->ndst; k++)
            uses |= (k < u->nsrc ? u->src[k] : u->dst[k - u->nsrc]) == place;
        if (uses && !expand_classes_allow(columns->x, &columns->t->ops[u->kind], u->src, u->dst,
                                          u->section))
            return false;
    }
    return true;
}

/* In the nearest other section that has a row. */
static bool place_elsewhere(struct columns *columns, uint32_t value, uint32_t rows) {
    int home = value_at(columns, value)->section, sections = (int)columns->t->sections;
    for (int far = 1; far < sections; far++)
        for (int side = -1; side <= 1; side += 2) {
            int section = home + side * far;
            if (section < 0 || section >= sections)
                continue;
            value_at(columns, value)->section = (uint16_t)section;
            if (suits(columns, value) && place_together(columns, value, rows))
                return true;
        }
    value_at(columns, value)->section = (uint16_t)home;
    return false;
}

/* Rows of a class that values take before they lie in other sections: registers have what no section
 * needs.  Gates of tables stand together only by chance: words of theirs take no more either.  The
 * fewer rows they have the shorter tables of functions got, down to a quarter of pypim's. */
static uint32_t few_rows(const struct columns *columns, uint32_t rows) {
    return columns->x->insn->op == OP_LUT ? rows / 3 : (rows + 1) / 2;
}

/* A value that belongs to no word rather lies in another section than in the other rows. */
static bool place_alone(struct columns *columns, uint32_t value, uint32_t rows) {
    uint32_t few = few_rows(columns, rows);
    return place_together(columns, value, few) || place_elsewhere(columns, value, few) ||
           place_together(columns, value, rows) || place_elsewhere(columns, value, rows);
}

static bool place_value(struct columns *columns, uint32_t place) {
    uint32_t v = PLACE_PAYLOAD(place);
    if (PLANE_CLASS(place) != PLANE_SCRATCH || value_at(columns, v)->named ||
        value_at(columns, v)->placed)
        return true;
    if (!value_at(columns, v)->class)
        return false;
    uint32_t rows = columns->t->row_classes[value_at(columns, v)->class - 1].scratch_rows;
    uint32_t together = columns->x->insn->op == OP_LUT ? few_rows(columns, rows) : rows;
    if (columns->lives[v].count > 1 && place_together(columns, v, together))
        return true;
    part(columns, v);
    return place_alone(columns, v, rows);
}

static bool place_all(struct columns *columns) {
    const struct sym_list *list = &columns->x->list;
    bool fine = true;
    for (size_t i = 0; i < list->uops.len; i++)
        for (unsigned k = 0; k < list->uops.data[i].ndst && fine; k++)
            fine = place_value(columns, list->uops.data[i].dst[k]);
    return fine;
}

void expand_columns(struct expansion *expansion) {
    struct columns c = {.x = expansion, .t = plane_target(expansion->set->target)};
    size_t rows = (size_t)c.t->sections * c.t->scratch_rows;
    if (!c.t->partitioned)
        return;
    c.lives = xcalloc(expansion->list.values.len + 1, sizeof *c.lives);
    c.rows = xcalloc(rows + 1, sizeof *c.rows);
    find_lives(&c);
    find_words(&c);
    if (!place_all(&c)) /* the rows do not suffice: who gives them out one by one says where */
        for (size_t v = 0; v < expansion->list.values.len; v++)
            expansion->list.values.data[v].placed = false;
    for (size_t i = 0; i < rows; i++)
        vec_free(&c.rows[i].list);
    free(c.rows);
    free(c.lives);
}

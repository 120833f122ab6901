/* SPDX-License-Identifier: MIT
 * Rows of values where all bits of a register lie in one section: a name that means a value at each
 * position gets rows side by side, in the order of the positions, so that what a loop's laps work
 * on lies a row apart from lap to lap, and a recipe table can hold the lap once.  What two values
 * of a name and a position hold at the same time lies in blocks of their own. */
#include "recipe/expand/expand.h"

#include "support/alloc.h"
#include "support/map.h"

#include <stdlib.h>
#include <string.h>

/* Fewer rows than this are given out one by one: they are for computing. */
#define FEWEST_ROWS 16u
#define POSITIONS   64u
#define GENERATIONS 8u
#define FEW_AT_ONCE 4u
#define MOST_NAMES  2048u

/* The values of one name. */
struct family {
    uint32_t begin, end;  /* micro-ops: from the first that writes one to the last that reads one */
    unsigned low, high;   /* positions */
    unsigned generations; /* at most so many of one position at a time */
    unsigned most;        /* at most so many at a time */
    bool spread;          /* values of different positions are wanted at the same time */
    uint32_t rows, base;  /* its block */
    /* Last micro-op that wants the generation's value of each position, and one more. */
    uint32_t busy[GENERATIONS][POSITIONS];
};

struct life {
    uint32_t begin, end; /* NO_UOP: never written */
    uint32_t family;
    uint16_t position;
    uint8_t generation;
};

struct homes {
    struct expansion *x;
    uint16_t class; /* 1 + row class that is looked at */
    struct life *lives;
    VEC(struct family *) families;
    struct map names;
};

/* ---- lives ---- */

static struct uop_value *value_of(const struct homes *h, uint32_t place) {
    return PLANE_CLASS(place) == PLANE_SCRATCH ? &h->x->list.values.data[PLACE_PAYLOAD(place)]
                                               : NULL;
}

/* The bit that a place says itself, or -1. */
static int bit_of(const struct homes *h, uint32_t place) {
    const struct uop_value *v = value_of(h, place);
    if (PLANE_CLASS(place) == PLANE_REGISTER)
        return (int)(PLACE_PAYLOAD(place) & 63);
    return v && v->redirected ? v->position : -1;
}

/* Where a micro-op works: at the bit that it writes, else reads, else where the one before does. */
static int position_of(const struct homes *h, const struct sym_uop *u, int before) {
    for (unsigned k = 0; k < u->ndst; k++)
        if (bit_of(h, u->dst[k]) >= 0)
            return bit_of(h, u->dst[k]);
    for (unsigned k = 0; k < u->nsrc; k++)
        if (bit_of(h, u->src[k]) >= 0)
            return bit_of(h, u->src[k]);
    return before;
}

static void find_lives(struct homes *h) {
    int position = 0;
    for (uint32_t i = 0; i < h->x->list.uops.len; i++) {
        const struct sym_uop *u = &h->x->list.uops.data[i];
        position = position_of(h, u, position);
        for (unsigned k = 0; k < u->nsrc + (unsigned)u->ndst; k++) {
            uint32_t place = k < u->nsrc ? u->src[k] : u->dst[k - u->nsrc];
            const struct uop_value *v = value_of(h, place);
            struct life *l = v ? &h->lives[PLACE_PAYLOAD(place)] : NULL;
            if (l && l->begin == NO_UOP) {
                l->begin = i;
                l->position = (uint16_t)(v->position >= 0 ? v->position : position);
            }
            if (l)
                l->end = i;
        }
    }
}

/* ---- families ---- */

static struct family *family_of(struct homes *h, const struct uop_value *v, struct life *l) {
    struct {
        const void *owner;
        uint64_t name;
    } key = {v->owner, v->name};
    const uint64_t *known = map_get_n(&h->names, (const char *)&key, sizeof key);
    l->family = known ? (uint32_t)*known : (uint32_t)h->families.len;
    if (known)
        return h->families.data[*known];
    struct family *f = xcalloc(1, sizeof *f);
    *f = (struct family){.begin = l->begin, .end = l->end, .low = l->position, .high = l->position};
    map_put_n(&h->names, (const char *)&key, sizeof key, h->families.len);
    vec_push(&h->families, f);
    return f;
}

/* A value joins its family; values come in the order in which they are written. */
static bool join_family(struct family *f, struct life *l) {
    unsigned at_once = 1;
    for (unsigned p = f->low; p <= f->high; p++)
        for (unsigned g = 0; g < f->generations; g++)
            at_once += p != l->position && f->busy[g][p] > l->begin;
    f->spread |= at_once > 1;
    f->most = at_once > f->most ? at_once : f->most;
    f->begin = l->begin < f->begin ? l->begin : f->begin;
    f->end = l->end > f->end ? l->end : f->end;
    f->low = l->position < f->low ? l->position : f->low;
    f->high = l->position > f->high ? l->position : f->high;
    while (l->generation < GENERATIONS && f->busy[l->generation][l->position] > l->begin)
        l->generation++;
    if (l->generation == GENERATIONS)
        return false;
    f->busy[l->generation][l->position] = l->end + 1;
    if (f->generations <= l->generation)
        f->generations = l->generation + 1u;
    return true;
}

static bool in_class(const struct homes *h, uint32_t v) {
    return h->x->list.values.data[v].class == h->class && h->lives[v].begin != NO_UOP;
}

static int by_begin(const void *a, const void *b) {
    const struct life *const *x = a, *const *y = b;
    if ((*x)->begin != (*y)->begin)
        return (*x)->begin < (*y)->begin ? -1 : 1;
    return (*x > *y) - (*x < *y);
}

/* Those of the class in the order in which they are written; the caller frees them. */
static struct life **sort_lives(const struct homes *h, size_t *count) {
    size_t n = h->x->list.values.len;
    struct life **sorted = xcalloc(n + 1, sizeof *sorted);
    *count = 0;
    for (uint32_t v = 0; v < n; v++)
        if (in_class(h, v))
            sorted[(*count)++] = &h->lives[v];
    qsort(sorted, *count, sizeof *sorted, by_begin);
    return sorted;
}

static bool find_families(struct homes *h) {
    size_t count;
    struct life **sorted = sort_lives(h, &count);
    bool fine = true;
    for (size_t i = 0; i < count && fine; i++) {
        const struct uop_value *v = &h->x->list.values.data[sorted[i] - h->lives];
        struct family *f = family_of(h, v, sorted[i]);
        fine = !v->named && h->families.len <= MOST_NAMES && join_family(f, sorted[i]);
    }
    free(sorted);
    return fine;
}

/* ---- blocks ---- */

static unsigned span_of(const struct family *f) {
    return f->spread ? f->high - f->low + 1 : 1;
}

/* Marks the rows of families that live at the same time as the last of `count`. */
static void mark_taken(const struct homes *h, size_t count, unsigned char *taken) {
    const struct family *f = h->families.data[count - 1];
    for (size_t i = 0; i + 1 < count; i++) {
        const struct family *o = h->families.data[i];
        if (o->begin <= f->end && f->begin <= o->end)
            memset(taken + o->base, 1, o->rows);
    }
}

/* The lowest rows side by side that are free as long as the family lives. */
static bool place_family(const struct homes *h, size_t number, uint32_t rows) {
    struct family *f = h->families.data[number];
    unsigned char *taken = xcalloc(rows + 1, 1);
    uint32_t run = 0, at = 0;
    f->rows = span_of(f) * f->generations;
    mark_taken(h, number + 1, taken);
    for (; at < rows && run < f->rows; at++)
        run = taken[at] ? 0 : run + 1;
    f->base = at - run;
    free(taken);
    return run == f->rows;
}

static void place_values(const struct homes *h, uint32_t first_row) {
    for (uint32_t v = 0; v < h->x->list.values.len; v++) {
        const struct life *l = &h->lives[v];
        if (!in_class(h, v))
            continue;
        const struct family *f = h->families.data[l->family];
        uint32_t place = f->spread ? l->position - f->low : 0;
        h->x->list.values.data[v].row =
            (uint16_t)(first_row + f->base + l->generation * span_of(f) + place);
        h->x->list.values.data[v].placed = true;
    }
}

/* Of families without positions of their own generations are those of the name as a whole. */
static bool count_generations(struct homes *h) {
    size_t count;
    struct life **sorted = sort_lives(h, &count);
    bool fine = true;
    for (size_t i = 0; i < h->families.len; i++)
        if (!h->families.data[i]->spread)
            memset(h->families.data[i]->busy, 0, sizeof h->families.data[i]->busy);
    for (size_t i = 0; i < count && fine; i++) {
        struct life *l = sorted[i];
        struct family *f = h->families.data[l->family];
        if (f->spread)
            continue;
        l->generation = 0;
        l->position = (uint16_t)f->low;
        fine = join_family(f, l);
    }
    free(sorted);
    return fine;
}

static bool place_families(struct homes *h, uint32_t rows) {
    bool fine = count_generations(h);
    for (size_t i = 0; i < h->families.len && fine; i++)
        fine = place_family(h, i, rows);
    return fine;
}

/* Where rows are scarce: names of which few values are wanted at a time have no positions. */
static void gather_families(struct homes *h) {
    for (size_t i = 0; i < h->families.len; i++) {
        struct family *f = h->families.data[i];
        if (f->spread && f->most <= FEW_AT_ONCE) {
            f->spread = false;
            f->generations = 0;
        }
    }
}

static void place_class(struct homes *h, uint32_t class) {
    const struct row_class *c = &plane_target(h->x->set->target)->row_classes[class];
    h->class = (uint16_t)(class + 1);
    bool fine = find_families(h);
    bool placed = fine && place_families(h, c->scratch_rows);
    if (fine && !placed) {
        gather_families(h);
        placed = place_families(h, c->scratch_rows);
    }
    if (placed)
        place_values(h, c->first_scratch);
    for (size_t i = 0; i < h->families.len; i++)
        free(h->families.data[i]);
    h->families.len = 0;
    map_free(&h->names);
    h->names = (struct map){0};
}

void expand_homes(struct expansion *x) {
    const struct target *t = x->set->target;
    struct homes h = {.x = x};
    if (plane_target(t)->sections != 1)
        return;
    h.lives = xcalloc(x->list.values.len + 1, sizeof *h.lives);
    for (size_t v = 0; v < x->list.values.len; v++)
        h.lives[v].begin = NO_UOP;
    find_lives(&h);
    for (uint32_t c = 0; c < plane_target(t)->row_class_count; c++)
        if (plane_target(t)->row_classes[c].scratch_rows >= FEWEST_ROWS)
            place_class(&h, c);
    vec_free(&h.families);
    free(h.lives);
}

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

/* A value of a family as long as something wants it. */
struct wanted_value {
    uint32_t end; /* last micro-op that wants it, and one more */
    uint16_t position;
};
/* More of other positions than are ever asked about, and all of one. */
#define MOST_WANTED (FEW_AT_ONCE + GENERATIONS + 1)

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
    /* What of them is wanted, as long as that is asked (`counts_values`). */
    struct wanted_value wanted[MOST_WANTED];
    unsigned wanted_count;
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
    VEC(uint32_t) order; /* values in the order of their lives' begins, then of their numbers */
    VEC(struct family *) families;
    struct map names;
};

/* ---- lives ---- */

static struct uop_value *value_of(const struct homes *homes, uint32_t place) {
    return PLANE_CLASS(place) == PLANE_SCRATCH ? &homes->x->list.values.data[PLACE_PAYLOAD(place)]
                                               : NULL;
}

/* The bit that a place says itself, or -1. */
static int bit_of(const struct homes *homes, uint32_t place) {
    const struct uop_value *v = value_of(homes, place);
    if (PLANE_CLASS(place) == PLANE_REGISTER)
        return (int)(PLACE_PAYLOAD(place) & 63);
    return v && v->redirected ? v->position : -1;
}

/* Where a micro-op works: at the bit that it writes, else reads, else where the one before does. */
static int position_of(const struct homes *homes, const struct sym_uop *uop, int before) {
    for (unsigned k = 0; k < uop->ndst; k++)
        if (bit_of(homes, uop->dst[k]) >= 0)
            return bit_of(homes, uop->dst[k]);
    for (unsigned k = 0; k < uop->nsrc; k++)
        if (bit_of(homes, uop->src[k]) >= 0)
            return bit_of(homes, uop->src[k]);
    return before;
}

static void begin_life(struct homes *homes, uint32_t value, uint32_t begin) {
    size_t at = homes->order.len;
    homes->lives[value].begin = begin;
    vec_push(&homes->order, value);
    for (uint32_t *o = homes->order.data;
         at > 0 && homes->lives[o[at - 1]].begin == begin && o[at - 1] > value; at--) {
        o[at] = o[at - 1];
        o[at - 1] = value;
    }
}

static void find_lives(struct homes *homes) {
    int position = 0;
    for (uint32_t i = 0; i < homes->x->list.uops.len; i++) {
        const struct sym_uop *u = &homes->x->list.uops.data[i];
        position = position_of(homes, u, position);
        for (unsigned k = 0; k < u->nsrc + (unsigned)u->ndst; k++) {
            uint32_t place = k < u->nsrc ? u->src[k] : u->dst[k - u->nsrc];
            const struct uop_value *v = value_of(homes, place);
            struct life *l = v ? &homes->lives[PLACE_PAYLOAD(place)] : NULL;
            if (l && l->begin == NO_UOP) {
                begin_life(homes, PLACE_PAYLOAD(place), i);
                l->position = (uint16_t)(v->position >= 0 ? v->position : position);
            }
            if (l)
                l->end = i;
        }
    }
}

/* ---- families ---- */

static struct family *family_of(struct homes *homes, const struct uop_value *value,
                                struct life *life) {
    struct {
        const void *owner;
        uint64_t name;
    } key = {value->owner, value->name};
    const uint64_t *known = map_get_n(&homes->names, (const char *)&key, sizeof key);
    life->family = known ? (uint32_t)*known : (uint32_t)homes->families.len;
    if (known)
        return homes->families.data[*known];
    struct family *f = xcalloc(1, sizeof *f);
    *f = (struct family){
        .begin = life->begin, .end = life->end, .low = life->position, .high = life->position};
    map_put_n(&homes->names, (const char *)&key, sizeof key, homes->families.len);
    vec_push(&homes->families, f);
    return f;
}

/* Is it still asked how many values are wanted at a time?  More than a few are as good as many. */
static bool counts_values(const struct family *family) {
    return !family->spread || family->most <= FEW_AT_ONCE;
}

/* The values of other positions that are wanted when this one is written, and itself. */
static unsigned count_at_once(struct family *family, const struct life *life) {
    unsigned left = 0, others = 0;
    for (unsigned i = 0; i < family->wanted_count; i++)
        if (family->wanted[i].end > life->begin) {
            others += family->wanted[i].position != life->position;
            family->wanted[left++] = family->wanted[i];
        }
    family->wanted_count = left;
    return others + 1;
}

static void note_wanted(struct family *family, const struct life *life) {
    if (counts_values(family) && family->wanted_count < MOST_WANTED)
        family->wanted[family->wanted_count++] =
            (struct wanted_value){life->end + 1, life->position};
}

/* A value joins its family; values come in the order in which they are written. */
static bool join_family(struct family *family, struct life *life) {
    unsigned at_once = counts_values(family) ? count_at_once(family, life) : 1;
    family->spread |= at_once > 1;
    family->most = at_once > family->most ? at_once : family->most;
    family->begin = life->begin < family->begin ? life->begin : family->begin;
    family->end = life->end > family->end ? life->end : family->end;
    family->low = life->position < family->low ? life->position : family->low;
    family->high = life->position > family->high ? life->position : family->high;
    while (life->generation < GENERATIONS &&
           family->busy[life->generation][life->position] > life->begin)
        life->generation++;
    if (life->generation == GENERATIONS)
        return false;
    family->busy[life->generation][life->position] = life->end + 1;
    note_wanted(family, life);
    if (family->generations <= life->generation)
        family->generations = life->generation + 1u;
    return true;
}

static bool in_class(const struct homes *homes, uint32_t value) {
    return homes->x->list.values.data[value].class == homes->class &&
           homes->lives[value].begin != NO_UOP;
}

/* Those of the class in the order in which they are written; the caller frees them. */
static struct life **sort_lives(const struct homes *homes, size_t *count) {
    struct life **sorted = xcalloc(homes->order.len + 1, sizeof *sorted);
    *count = 0;
    for (size_t i = 0; i < homes->order.len; i++)
        if (in_class(homes, homes->order.data[i]))
            sorted[(*count)++] = &homes->lives[homes->order.data[i]];
    return sorted;
}

static bool find_families(struct homes *homes) {
    size_t count;
    struct life **sorted = sort_lives(homes, &count);
    bool fine = true;
    for (size_t i = 0; i < count && fine; i++) {
        const struct uop_value *v = &homes->x->list.values.data[sorted[i] - homes->lives];
        struct family *f = family_of(homes, v, sorted[i]);
        fine = !v->named && homes->families.len <= MOST_NAMES && join_family(f, sorted[i]);
    }
    free(sorted);
    return fine;
}

/* ---- blocks ---- */

static unsigned span_of(const struct family *family) {
    return family->spread ? family->high - family->low + 1 : 1;
}

/* Marks the rows of families that live at the same time as the last of `count`. */
static void mark_taken(const struct homes *homes, size_t count, unsigned char *taken) {
    const struct family *f = homes->families.data[count - 1];
    for (size_t i = 0; i + 1 < count; i++) {
        const struct family *o = homes->families.data[i];
        if (o->begin <= f->end && f->begin <= o->end)
            memset(taken + o->base, 1, o->rows);
    }
}

/* The lowest rows side by side that are free as long as the family lives. */
static bool place_family(const struct homes *homes, size_t number, uint32_t rows) {
    struct family *f = homes->families.data[number];
    unsigned char *taken = xcalloc(rows + 1, 1);
    uint32_t run = 0, at = 0;
    f->rows = span_of(f) * f->generations;
    mark_taken(homes, number + 1, taken);
    for (; at < rows && run < f->rows; at++)
        run = taken[at] ? 0 : run + 1;
    f->base = at - run;
    free(taken);
    return run == f->rows;
}

static void place_values(const struct homes *homes, uint32_t first_row) {
    for (uint32_t v = 0; v < homes->x->list.values.len; v++) {
        const struct life *l = &homes->lives[v];
        if (!in_class(homes, v))
            continue;
        const struct family *f = homes->families.data[l->family];
        uint32_t place = f->spread ? l->position - f->low : 0;
        homes->x->list.values.data[v].row =
            (uint16_t)(first_row + f->base + l->generation * span_of(f) + place);
        homes->x->list.values.data[v].placed = true;
    }
}

/* Of families without positions of their own generations are those of the name as a whole. */
static bool count_generations(struct homes *homes) {
    size_t count;
    struct life **sorted = sort_lives(homes, &count);
    bool fine = true;
    for (size_t i = 0; i < homes->families.len; i++)
        if (!homes->families.data[i]->spread) {
            memset(homes->families.data[i]->busy, 0, sizeof homes->families.data[i]->busy);
            homes->families.data[i]->wanted_count = 0;
        }
    for (size_t i = 0; i < count && fine; i++) {
        struct life *l = sorted[i];
        struct family *f = homes->families.data[l->family];
        if (f->spread)
            continue;
        l->generation = 0;
        l->position = (uint16_t)f->low;
        fine = join_family(f, l);
    }
    free(sorted);
    return fine;
}

static bool place_families(struct homes *homes, uint32_t rows) {
    bool fine = count_generations(homes);
    for (size_t i = 0; i < homes->families.len && fine; i++)
        fine = place_family(homes, i, rows);
    return fine;
}

/* Where rows are scarce: names of which few values are wanted at a time have no positions. */
static void gather_families(struct homes *homes) {
    for (size_t i = 0; i < homes->families.len; i++) {
        struct family *f = homes->families.data[i];
        if (f->spread && f->most <= FEW_AT_ONCE) {
            f->spread = false;
            f->generations = 0;
        }
    }
}

static void place_class(struct homes *homes, uint32_t class) {
    const struct row_class *c = &plane_target(homes->x->set->target)->row_classes[class];
    homes->class = (uint16_t)(class + 1);
    bool fine = find_families(homes);
    bool placed = fine && place_families(homes, c->scratch_rows);
    if (fine && !placed) {
        gather_families(homes);
        placed = place_families(homes, c->scratch_rows);
    }
    if (placed)
        place_values(homes, c->first_scratch);
    for (size_t i = 0; i < homes->families.len; i++)
        free(homes->families.data[i]);
    homes->families.len = 0;
    map_free(&homes->names);
    homes->names = (struct map){0};
}

void expand_homes(struct expansion *expansion) {
    const struct target *t = expansion->set->target;
    struct homes h = {.x = expansion};
    if (plane_target(t)->sections != 1)
        return;
    h.lives = xcalloc(expansion->list.values.len + 1, sizeof *h.lives);
    for (size_t v = 0; v < expansion->list.values.len; v++)
        h.lives[v].begin = NO_UOP;
    find_lives(&h);
    for (uint32_t c = 0; c < plane_target(t)->row_class_count; c++)
        if (plane_target(t)->row_classes[c].scratch_rows >= FEWEST_ROWS)
            place_class(&h, c);
    vec_free(&h.families);
    vec_free(&h.order);
    free(h.lives);
}

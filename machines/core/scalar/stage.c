/* SPDX-License-Identifier: MIT
 * Stages of a kernel as scalar IR: what a later stage wants of an earlier one is computed there. */
#include "machines/core/scalar/stage.h"
#include "support/alloc.h"
#include "support/common_divisor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ROW 4096u

bool scalar_stage_refuse(struct scalar_staging *g, uint32_t line, const char *format, ...) {
    va_list args;
    if (g->failed)
        return false;
    g->failed = true;
    g->s->line = line;
    va_start(args, format);
    str_vprintf(&g->s->wrong, format, args);
    va_end(args);
    return false;
}

/* ---- rows ---- */

static uint32_t number_of_stage(const struct stage_kernel *k, const struct stage_stage *stage) {
    uint32_t n = 0;
    for (const struct stage_stage *s = k->stages; s != stage; s = s->next)
        n++;
    return n;
}
uint32_t scalar_stage_largest(const struct scalar_stage *s) {
    uint32_t n = 0, line = 0;
    size_t most = 0;
    for (const struct stage_stage *x = s->kernel->stages; x; x = x->next, n++)
        if (s->sizes[n] >= most) {
            most = s->sizes[n];
            line = x->line;
        }
    return line;
}

static bool refuse(struct scalar_stage *s, const char *what) {
    str_append(&s->wrong, what);
    return false;
}
/* Base elements of an element of each length; what a filter has kept is counted as if it kept
 * all. */
bool scalar_stage_open(struct scalar_stage *s, const struct stage_kernel *kernel) {
    *s = (struct scalar_stage){.kernel = kernel, .row = 1};
    s->per = xcalloc((size_t)kernel->length_count + 1, sizeof *s->per);
    s->sizes = xcalloc(number_of_stage(kernel, NULL) + UINT64_C(1), sizeof *s->sizes);
    for (uint32_t i = 0; i < kernel->length_count; i++) {
        const struct stage_length *l = &kernel->lengths[i];
        uint64_t n = l->kind == STAGE_ALL     ? 1
                     : l->kind == STAGE_UNITS ? (uint64_t)s->per[l->of] * l->unit
                                              : s->per[l->of] / l->unit;
        if (l->kind == STAGE_UNITS && kernel->lengths[l->of].kind == STAGE_KEPT)
            return refuse(s, "windows and groups of what a filter has kept are not in the code of "
                             "cores");
        if (n > MOST_ROW)
            return refuse(s, "groups are too large for the code of cores");
        s->per[i] = (uint32_t)n;
        s->row = s->row / (uint32_t)common_divisor(s->row, s->per[i]) * s->per[i];
        if (s->row > MOST_ROW)
            return refuse(s, "groups are too large for the code of cores");
    }
    for (uint32_t i = 0; i < kernel->length_count; i++)
        s->per[i] = s->row / s->per[i];
    return true;
}

void scalar_stage_close(struct scalar_stage *s) {
    free(s->per);
    free(s->sizes);
    vec_free(&s->arrays);
    vec_free(&s->sites);
    vec_free(&s->rooms);
    vec_free(&s->loops);
    str_free(&s->wrong);
}

uint32_t scalar_stage_per(const struct scalar_stage *s, uint32_t array) {
    uint32_t length = s->kernel->arrays[array]->length;
    return length == NO_INDEX ? 0 : s->per[length];
}

/* ---- arrays of the IR ---- */

uint32_t scalar_stage_array(struct scalar_stage *s, enum scalar_stage_kind kind, uint32_t index,
                            const void *of, struct lane_type type, uint32_t count) {
    for (uint32_t i = 0; i < s->arrays.len; i++) {
        const struct scalar_stage_array *a = &s->arrays.data[i];
        if (a->kind == kind && a->index == index && a->of == of)
            return i;
    }
    vec_push(&s->arrays, ((struct scalar_stage_array){.kind = kind,
                                                      .index = index,
                                                      .of = of,
                                                      .type = type,
                                                      .bytes = object_element_bytes(type),
                                                      .count = count}));
    return (uint32_t)s->arrays.len - 1;
}
bool scalar_stage_has_room(const struct scalar_stage *s, const void *of) {
    for (size_t i = 0; i < s->rooms.len; i++)
        if (s->rooms.data[i] == of)
            return true;
    return false;
}

scalar_id scalar_stage_load(struct scalar_staging *g, uint32_t array, uint32_t element) {
    struct scalar_body *b = g->b;
    struct scalar_stage_array *a = &g->s->arrays.data[array];
    const uint32_t before = b->element;
    a->loaded = true;
    b->element = element;
    scalar_id id = scalar_load(b, array, a->bytes, 8 * a->bytes);
    b->element = before;
    return scalar_stage_loaded(b, a->type, id);
}
static void store(struct scalar_staging *g, scalar_id mask, uint32_t array, uint32_t element,
                  scalar_id value) {
    struct scalar_body *b = g->b;
    struct scalar_stage_array *a = &g->s->arrays.data[array];
    a->stored = true;
    b->element = element;
    scalar_store_if(b, mask, array, a->bytes, scalar_stage_clean(b, a->type, value));
    b->element = 0;
}
static const struct lane_type word_type = {TYPE_UINT, 32};
static scalar_id word_at(struct scalar_staging *g, enum scalar_stage_kind kind, uint32_t index,
                         const void *of) {
    return scalar_stage_load(g, scalar_stage_array(g->s, kind, index, of, word_type, 1), 0);
}

/* ---- masks ---- */

scalar_id scalar_stage_both(struct scalar_body *b, scalar_id x, scalar_id y) {
    scalar_id r = !x ? y : !y ? x : scalar_two(b, SCALAR_AND, x, y);
    return r && scalar_at(b, r)->op == SCALAR_CONST && scalar_at(b, r)->k ? 0 : r;
}
bool scalar_stage_never(const struct scalar_body *b, scalar_id mask) {
    return mask && scalar_at(b, mask)->op == SCALAR_CONST && scalar_at(b, mask)->k == 0;
}

/* The unit with its body carried out. */
static struct scalar_unit *unit_of(struct scalar_staging *g, const struct stage_stage *stage,
                                   uint32_t unit);

/* ---- which elements are there ---- */

/* *beyond, if somebody asks: how many elements behind the last. */
static scalar_id is_left(struct scalar_staging *g, uint32_t length, uint32_t i, scalar_id *beyond) {
    struct scalar_body *b = g->b;
    const uint32_t per = g->s->per[length];
    scalar_id counter =
        scalar_address(b, scalar_stage_array(g->s, SCALAR_COUNTER, 0, NULL, word_type, 1));
    scalar_id row = scalar_two(b, SCALAR_ADD, counter, word_at(g, SCALAR_END, 0, NULL));
    scalar_id at = scalar_two(b, SCALAR_MUL, row, scalar_const(b, per, false));
    at = scalar_two(b, SCALAR_ADD, at, scalar_const(b, i, false));
    scalar_id left = word_at(g, SCALAR_LEFT, length, NULL);
    if (beyond)
        *beyond = scalar_two(b, SCALAR_SUB, at, left);
    return scalar_two(b, SCALAR_LTU, at, left);
}

/* In a lap of which everything is there, what windows see is. */
static bool is_there(struct scalar_staging *g, uint32_t length, uint32_t i) {
    const uint32_t per = g->s->per[length], row = i / per;
    if (g->some)
        return false;
    if (row >= g->rows && row + 1 - g->rows > g->s->rows_beyond)
        g->s->rows_beyond = row + 1 - g->rows;
    return true;
}

/* Of what a filter has kept: the stage. */
static const struct stage_stage *filter_of(const struct scalar_staging *g, uint32_t length) {
    const struct stage_kernel *k = g->s->kernel;
    for (const struct stage_stage *s = k->stages; s; s = s->next)
        for (const struct stage_param *q = s->params; q; q = q->next)
            if (s->pattern == STAGE_FILTER && q->role == STAGE_OUT &&
                k->arrays[q->array]->length == length)
                return s;
    return NULL;
}

static scalar_id is_valid(struct scalar_staging *g, uint32_t length, uint32_t i) {
    const struct stage_length *l = &g->s->kernel->lengths[length];
    if (l->kind == STAGE_KEPT) {
        const struct scalar_unit *u = unit_of(g, filter_of(g, length), i / l->unit);
        return scalar_stage_both(g->b, u->valid, u->keep);
    }
    if (is_there(g, length, i))
        return 0;
    return is_left(g, length, i, NULL);
}

/* ---- elements of arrays ---- */

static const struct stage_param *param_at(const struct stage_stage *s, uint32_t index) {
    const struct stage_param *q = s->params;
    while (index--)
        q = q->next;
    return q;
}
static const struct stage_param *made_by(const struct stage_stage *s, uint32_t array) {
    for (const struct stage_param *q = s->params; q; q = q->next)
        if (q->array == array && (q->role == STAGE_OUT || q->role == STAGE_INOUT))
            return q;
    return NULL;
}
static scalar_id in_memory(struct scalar_staging *g, uint32_t array, uint32_t element) {
    const struct stage_array *a = g->s->kernel->arrays[array];
    const uint32_t per = scalar_stage_per(g->s, array), own = g->rows * per;
    uint32_t number = scalar_stage_array(g->s, SCALAR_BLOCK, array, NULL, a->type, per);
    struct scalar_stage_array *block = &g->s->arrays.data[number];
    if (element >= own && element - own >= block->beyond)
        block->beyond = element - own + 1;
    return scalar_stage_load(g, number, element);
}
/* The stage that has made it before this one comes; NULL: it lies in memory. */
static const struct stage_stage *maker(struct scalar_staging *g, const struct stage_stage *by,
                                       uint32_t array) {
    const struct stage_stage *made = NULL;
    for (const struct stage_stage *s = g->s->kernel->stages; s != by; s = s->next)
        made = made_by(s, array) ? s : made;
    return made;
}
bool scalar_stage_in_memory(struct scalar_staging *g, const struct stage_stage *stage,
                            uint32_t unit, const struct stage_param *q, uint32_t *array,
                            uint32_t *first) {
    if (maker(g, stage, q->array) || q->tail != NO_INDEX)
        return false;
    const struct stage_array *a = g->s->kernel->arrays[q->array];
    *first = unit * stage->unit;
    in_memory(g, q->array, *first + q->count - 1);
    *array = scalar_stage_array(g->s, SCALAR_BLOCK, q->array, NULL, a->type,
                                scalar_stage_per(g->s, q->array));
    return true;
}
/* As the stage finds it. */
static scalar_id found(struct scalar_staging *g, const struct stage_stage *by, uint32_t array,
                       uint32_t element) {
    const struct stage_stage *made = maker(g, by, array);
    if (!made)
        return in_memory(g, array, element);
    const struct stage_param *q = made_by(made, array);
    if (made->pattern == STAGE_FILTER && q->from != NO_INDEX)
        return scalar_stage_input(g, made, element / made->unit, param_at(made, q->from),
                                  element % made->unit);
    const struct scalar_unit *u = unit_of(g, made, element);
    scalar_id v = u->slots[q->slot];
    return v ? v : scalar_const(g->b, 0, q->type.bits > 32);
}

scalar_id scalar_stage_input(struct scalar_staging *g, const struct stage_stage *stage,
                             uint32_t unit, const struct stage_param *q, uint32_t index) {
    struct scalar_body *b = g->b;
    const uint32_t element = unit * stage->unit + index;
    scalar_id inner = found(g, stage, q->array, element), beyond = 0;
    if (q->tail == NO_INDEX || index < stage->unit || is_there(g, stage->length, element))
        return inner;
    scalar_id is = is_left(g, stage->length, element, &beyond);
    scalar_id most = scalar_const(b, stage->overlap, false), zero = scalar_const(b, 0, false);
    beyond = scalar_select(b, scalar_two(b, SCALAR_LTU, beyond, most), beyond, zero);
    uint32_t tail = scalar_stage_array(g->s, SCALAR_SEEN, q->tail, NULL, q->type, stage->overlap);
    struct scalar_stage_array *a = &g->s->arrays.data[tail];
    a->loaded = true;
    a->count = a->count > stage->overlap ? a->count : stage->overlap;
    scalar_id behind = scalar_lookup(b, tail, a->bytes, 8 * a->bytes, beyond);
    return scalar_select(b, is, inner, scalar_stage_loaded(b, q->type, behind));
}

/* ---- units ---- */

static void begin_unit(struct scalar_staging *g, struct scalar_unit *u) {
    for (const struct stage_param *q = u->stage->params; q; q = q->next)
        if (q->role == STAGE_INOUT)
            u->slots[q->slot] = found(g, u->stage, q->array, u->unit);
}

static struct scalar_unit *unit_of(struct scalar_staging *g, const struct stage_stage *stage,
                                   uint32_t unit) {
    for (size_t i = 0; i < g->units.len; i++)
        if (g->units.data[i]->stage == stage && g->units.data[i]->unit == unit)
            return g->units.data[i];
    struct scalar_unit *u = xcalloc(1, sizeof *u);
    *u = (struct scalar_unit){.stage = stage, .unit = unit};
    bool reduces = stage->pattern == STAGE_REDUCE;
    u->slots = reduces ? g->gathered[number_of_stage(g->s->kernel, stage)]
                       : xcalloc((size_t)stage->slots + 1, sizeof *u->slots);
    const size_t before = g->b->values.len, others = g->inner;
    g->inner = 0;
    vec_push(&g->units, u);
    u->keep = scalar_const(g->b, 0, false);
    u->valid = is_valid(g, stage->units, unit);
    const uint16_t source = g->b->source;
    scalar_stage_is_for(g->b, stage->line);
    begin_unit(g, u);
    struct scalar_frame f = {.g = g, .unit = u, .path = reduces ? u->valid : 0};
    scalar_stage_body(&f, stage->body);
    g->b->source = source;
    g->s->sizes[number_of_stage(g->s->kernel, stage)] += g->b->values.len - before - g->inner;
    g->inner = others + g->b->values.len - before;
    return u;
}

/* ---- what remains of a lap ---- */

static void end_map(struct scalar_staging *g, const struct scalar_unit *u) {
    for (const struct stage_param *q = u->stage->params; q; q = q->next) {
        const struct stage_array *a = g->s->kernel->arrays[q->array];
        if ((q->role != STAGE_OUT && q->role != STAGE_INOUT) || a->parameter == NO_INDEX)
            continue;
        bool last = true;
        for (const struct stage_stage *s = u->stage->next; s; s = s->next)
            last = last && !made_by(s, q->array);
        if (!last)
            continue;
        uint32_t number = scalar_stage_array(g->s, SCALAR_BLOCK, q->array, NULL, a->type,
                                             scalar_stage_per(g->s, q->array));
        scalar_id v = u->slots[q->slot];
        store(g, u->valid, number, u->unit, v ? v : scalar_const(g->b, 0, a->type.bits > 32));
    }
}

/* What is kept of the unit goes behind what was kept before. */
static void keep_array(struct scalar_staging *g, const struct scalar_unit *u,
                       const struct stage_param *q, scalar_id keep) {
    struct scalar_body *b = g->b;
    const struct stage_array *a = g->s->kernel->arrays[q->array];
    const uint32_t count = q->from == NO_INDEX ? 1 : u->stage->unit;
    const uint32_t bytes = object_element_bytes(a->type);
    uint32_t at = scalar_stage_array(g->s, SCALAR_KEPT_AT, q->array, NULL, word_type, count);
    scalar_id *now = &g->gathered[number_of_stage(g->s->kernel, u->stage)][q->slot];
    if (!*now)
        *now = scalar_stage_load(g, at, 0);
    scalar_id to = *now;
    /* What is not kept may be written, too: the next goes over it, and its room is there. */
    for (uint32_t i = 0; i < count; i++) {
        scalar_id v = q->from != NO_INDEX
                          ? scalar_stage_input(g, u->stage, u->unit, param_at(u->stage, q->from), i)
                          : u->slots[q->slot];
        v = v ? v : scalar_const(b, 0, a->type.bits > 32);
        scalar_put(b, g->s->kept_alone ? keep : 0, bytes,
                   scalar_two(b, SCALAR_ADD, to, scalar_const(b, i * bytes, false)),
                   scalar_stage_clean(b, a->type, v));
    }
    const uint32_t all = count * bytes;
    scalar_id mask = keep ? keep : scalar_const(b, 1, false);
    *now = all & (all - 1)
               ? scalar_two(b, SCALAR_ADD, to,
                            scalar_two(b, SCALAR_MUL, mask, scalar_const(b, all, false)))
               : scalar_scaled(b, to, mask, (unsigned)__builtin_ctz(all));
}

static void end_filter(struct scalar_staging *g, const struct scalar_unit *u, scalar_id *kept) {
    struct scalar_body *b = g->b;
    scalar_id keep = scalar_stage_both(b, u->valid, u->keep);
    for (const struct stage_param *q = u->stage->params; q; q = q->next)
        if (q->role == STAGE_OUT && g->s->kernel->arrays[q->array]->parameter != NO_INDEX)
            keep_array(g, u, q, keep);
    if (!*kept)
        *kept = word_at(g, SCALAR_KEPT, 0, u->stage);
    *kept = scalar_two(b, SCALAR_ADD, *kept, keep ? keep : scalar_const(b, 1, false));
}

/* What was gathered, and where kept elements go on. */
static void end_stage(struct scalar_staging *g, const struct stage_stage *s, scalar_id kept) {
    const scalar_id *slots = g->gathered[number_of_stage(g->s->kernel, s)];
    for (const struct stage_param *q = s->params; q; q = q->next) {
        const struct stage_array *a = g->s->kernel->arrays[q->array];
        if (q->role == STAGE_ACC && !scalar_stage_has_room(g->s, q))
            for (uint32_t i = 0; i < q->count; i++)
                if (slots[q->slot + i])
                    store(g, 0, scalar_stage_array(g->s, SCALAR_GATHERED, 0, q, q->type, q->count),
                          i, slots[q->slot + i]);
        if (s->pattern == STAGE_FILTER && q->role == STAGE_OUT && a->parameter != NO_INDEX &&
            slots[q->slot])
            store(g, 0, scalar_stage_array(g->s, SCALAR_KEPT_AT, q->array, NULL, word_type, 1), 0,
                  slots[q->slot]);
    }
    if (kept)
        store(g, 0, scalar_stage_array(g->s, SCALAR_KEPT, 0, s, word_type, 1), 0, kept);
}

/* What a map changes was loaded when its unit began, before it is stored here. */
static void all_rows(struct scalar_staging *g, scalar_id *kept) {
    for (uint32_t r = 0; r < g->rows; r++) {
        uint32_t n = 0;
        for (const struct stage_stage *s = g->s->kernel->stages; s; s = s->next, n++) {
            const uint32_t per = g->s->per[s->units];
            for (uint32_t i = r * per; i < (r + 1) * per && !g->failed && !g->again; i++) {
                scalar_stage_is_for(g->b, s->line);
                const struct scalar_unit *u = unit_of(g, s, i);
                if (s->pattern == STAGE_MAP)
                    end_map(g, u);
                if (s->pattern == STAGE_FILTER)
                    end_filter(g, u, &kept[n]);
            }
        }
    }
}

void scalar_stage_forget(struct scalar_staging *g, size_t count) {
    for (size_t i = count; i < g->units.len; i++) {
        if (g->units.data[i]->stage->pattern != STAGE_REDUCE)
            free(g->units.data[i]->slots);
        free(g->units.data[i]);
    }
    g->units.len = count;
}
static void free_units(struct scalar_staging *g) {
    scalar_stage_forget(g, 0);
    vec_free(&g->units);
}

/* False where it has to be made once more, or failed. */
static bool try_lap(struct scalar_staging *g) {
    const struct stage_kernel *k = g->s->kernel;
    uint32_t count = 0, n = 0;
    for (const struct stage_stage *s = k->stages; s; s = s->next)
        count++;
    scalar_id *kept = xcalloc((size_t)count + 1, sizeof *kept);
    g->gathered = xcalloc((size_t)count + 1, sizeof *g->gathered);
    g->cells = 0;
    for (const struct stage_stage *s = k->stages; s; s = s->next)
        g->gathered[n++] = xcalloc((size_t)s->slots + 1, sizeof **g->gathered);
    all_rows(g, kept);
    n = 0;
    for (const struct stage_stage *s = k->stages; s && !g->failed && !g->again; s = s->next, n++) {
        scalar_stage_is_for(g->b, s->line);
        end_stage(g, s, kept[n]);
    }
    for (n = 0; n < count; n++)
        free(g->gathered[n]);
    free(g->gathered);
    free(kept);
    free_units(g);
    return !g->failed && !g->again;
}

/* What people multiply is often small (SCALAR_MUL). */
static void note_products(struct scalar_body *b) {
    for (size_t i = 0; i < b->values.len; i++)
        if (b->values.data[i].op == SCALAR_MUL)
            b->values.data[i].k = 1;
}

bool scalar_from_stage(struct scalar_body *b, struct scalar_stage *s, uint32_t rows, bool some) {
    struct scalar_staging g = {.s = s, .b = b, .rows = rows, .some = some};
    const size_t sites = s->sites.len;
    for (;;) {
        g.again = false;
        b->calls = s->calls;
        if (try_lap(&g)) {
            note_products(b);
            return true;
        }
        if (g.failed)
            return false;
        scalar_clear(b);
        memset(s->sizes, 0, number_of_stage(s->kernel, NULL) * sizeof *s->sizes);
        s->sites.len = sites;
    }
}

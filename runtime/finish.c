/* SPDX-License-Identifier: MIT
 * Reductions that the host finishes: when a program has ended, the host reads the elements and
 * folds them; who asks for the output gets what it made.  In rounds it reads after each of them. */
#include "runtime/internal.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <stdlib.h>

static bool by_host(const mpu_session *s, size_t i) {
    return s->package->finish.by_host[i];
}

/* The register as a variable. */
static struct variable register_of(const struct finish_record *r) {
    return (struct variable){.name = "",
                             .type = r->type,
                             .count = 1,
                             .group = r->group,
                             .reg = r->reg,
                             .place = {NO_INDEX, 0, 0}};
}

/* The first record that reads what record i reads. */
static size_t reader_of(const mpu_session *s, size_t i) {
    const struct finish_record *all = s->object->finishes.data;
    for (size_t k = 0; k < i; k++)
        if (by_host(s, k) && all[k].group == all[i].group && all[k].reg == all[i].reg &&
            all[k].type.kind == all[i].type.kind && all[k].type.bits == all[i].type.bits)
            return k;
    return i;
}

static void forget(mpu_session *s) {
    for (size_t i = 0; s->finish_elements && i < s->object->finishes.len; i++)
        array_free(&s->finish_elements[i]);
}

mpu_result finish_begin(mpu_session *s, struct diag *d) {
    size_t n = s->object->finishes.len;
    bool room = true;
    s->finish_done = false;
    if (!s->finish_elements) {
        s->finish_elements = xcalloc(n + 1, sizeof *s->finish_elements);
        s->finish_values = xcalloc(n + 1, sizeof *s->finish_values);
    }
    forget(s);
    for (size_t i = 0; i < n && room; i++) {
        const struct finish_record *r = &s->object->finishes.data[i];
        uint64_t elements = group_size(s, r->group);
        if (by_host(s, i) && reader_of(s, i) == i)
            room = array_make(&s->finish_elements[i], host_type(r->type), 1, &elements);
    }
    if (room)
        return MPU_OK;
    diag_error(d, NO_SPAN,
               "the elements of a reduction that the host finishes take more bytes "
               "than an array can have");
    return MPU_REJECTED;
}

void finish_collect(mpu_session *s) {
    for (size_t i = 0; i < s->object->finishes.len; i++) {
        struct variable v = register_of(&s->object->finishes.data[i]);
        if (!by_host(s, i) || reader_of(s, i) != i)
            continue;
        each_row(s, &v, &s->finish_elements[i], datapath_get_elements);
        host_charge_group(s, s->here, &v, HOST_OUT, UINT64_MAX);
    }
}

static bool less(bool with_sign, uint64_t a, uint64_t b) {
    return with_sign ? (int64_t)a < (int64_t)b : a < b;
}

/* The number of the first of the least or greatest. */
static uint64_t best_of(const struct array *a, bool with_sign, bool least) {
    uint64_t best = 0, value = array_get(a, 0);
    for (uint64_t i = 1; i < a->count; i++) {
        uint64_t x = array_get(a, i);
        if (least ? !less(with_sign, x, value) : !less(with_sign, value, x))
            continue;
        best = i;
        value = x;
    }
    return best;
}

static uint64_t step(enum finish_kind kind, uint64_t so_far, uint64_t x) {
    switch (kind) {
    case FINISH_SUM:
        return so_far + x;
    case FINISH_AND:
        return so_far & x;
    case FINISH_OR:
        return so_far | x;
    case FINISH_XOR:
        return so_far ^ x;
    default: /* any, all and count: how many are not 0 */
        return so_far + (x != 0);
    }
}

/* Groups have elements. */
static uint64_t fold(const struct finish_record *r, const struct array *a) {
    bool with_sign = r->type.kind == TYPE_INT;
    bool least = r->kind == FINISH_MIN || r->kind == FINISH_ARGMIN;
    uint64_t value = r->kind == FINISH_AND ? UINT64_MAX : 0;
    if (r->kind == FINISH_ARGMIN || r->kind == FINISH_ARGMAX)
        return best_of(a, with_sign, least);
    if (r->kind == FINISH_MIN || r->kind == FINISH_MAX)
        return array_get(a, best_of(a, with_sign, least));
    for (uint64_t i = 0; i < a->count; i++)
        value = step(r->kind, value, array_get(a, i));
    if (r->kind == FINISH_ANY)
        return value != 0;
    return r->kind == FINISH_ALL ? value == a->count : value;
}

/* As the output's register would hold it. */
static uint64_t held(uint64_t value, struct mpu_type t) {
    value &= low_bits(t.bits);
    return t.kind == TYPE_INT ? (uint64_t)sign_extend(value, t.bits) : value;
}

void finish_give(const mpu_session *s, const struct variable *v, struct array *a) {
    for (size_t i = 0; s->finish_done && i < s->object->finishes.len; i++) {
        const struct finish_record *r = &s->object->finishes.data[i];
        if (by_host(s, i) && &s->object->vars.data[r->variable] == v)
            array_set(a, r->element, s->finish_values[i]);
    }
}

void finish_end(mpu_session *s) {
    const struct object *o = s->object;
    for (size_t i = 0; i < o->finishes.len; i++) {
        const struct finish_record *r = &o->finishes.data[i];
        if (by_host(s, i))
            s->finish_values[i] =
                held(fold(r, &s->finish_elements[reader_of(s, i)]), o->vars.data[r->variable].type);
    }
    s->finish_done = true;
    forget(s);
}

void finish_close(mpu_session *s) {
    forget(s);
    free(s->finish_elements);
    free(s->finish_values);
}

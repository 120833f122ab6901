/* SPDX-License-Identifier: MIT
 * Sections that few programs have: what is different about some variables and moves, and what the
 * host may finish. */
#include "object/bytes.h"
#include "object/read.h"

bool object_read_extent(const unsigned char *bytes, struct extent *extent) {
    *extent = (struct extent){get_u32(bytes), get_u64(bytes + 8)};
    return !get_u32(bytes + 4) && (extent->size == NO_INDEX || !extent->value);
}

bool object_read_shape(const unsigned char *bytes, struct array_form *form) {
    bool fine = form->ndim <= FORM_MAX_DIMS;
    for (uint32_t i = 0; i < FORM_MAX_DIMS && fine; i++, bytes += 16) {
        struct extent e = {get_u32(bytes), get_u64(bytes + 8)};
        bool unused = i >= form->ndim || e.size != NO_INDEX;
        fine =
            !get_u32(bytes + 4) && !(unused && e.value) && (i < form->ndim || e.size == NO_INDEX);
        if (i < form->ndim)
            form->shape[i] = e;
    }
    return fine;
}

/* In the order of their variables, each at most once, and none of a plain array. */
void object_read_forms(struct object_reader *reader) {
    size_t count = object_read_count(reader, OBJECT_FORMS), next = 0;
    for (size_t i = 0; i < count && reader->ok; i++) {
        const unsigned char *b = object_read_record(reader, OBJECT_FORMS, i);
        uint32_t variable = get_u32(b);
        struct array_form f = {.type = {(enum type_kind)b[4], b[5]},
                               .order = (enum form_order)b[6],
                               .shaped = b[7] & 1,
                               .ndim = get_u32(b + 8)};
        if (variable < next || variable >= reader->o->vars.len || b[7] > 1 || get_u32(b + 12) ||
            !object_read_shape(b + 16, &f) || object_form_plain(&f)) {
            object_read_fail(
                reader, offset_of(reader, OBJECT_FORMS, i),
                "a record for the form of an array names no variable, or says no form");
            return;
        }
        reader->o->vars.data[variable].form = f;
        next = (size_t)variable + 1;
    }
}

/* Records from `first` on that are of the same variable or move. */
static size_t scope_records(const struct object_reader *reader, size_t first, size_t count) {
    size_t n = 1;
    const unsigned char *b = object_read_record(reader, OBJECT_SCOPES, first);
    while (first + n < count &&
           get_u64(object_read_record(reader, OBJECT_SCOPES, first + n)) == get_u64(b))
        n++;
    return n;
}

/* Whether the record of `right` stands behind that of `left`. */
static bool scope_before(const unsigned char *left, const unsigned char *right) {
    return get_u32(left) != get_u32(right) ? get_u32(left) < get_u32(right)
                                           : get_u32(left + 4) < get_u32(right + 4);
}

/* What a record is of; NULL if it is not there. */
static struct group_scope *scoped(struct object_reader *reader, const unsigned char *bytes) {
    uint32_t kind = get_u32(bytes), index = get_u32(bytes + 4);
    if (kind == SCOPE_OF_VARIABLE && index < reader->o->vars.len)
        return &reader->o->vars.data[index].scope;
    if (kind == SCOPE_OF_MOVE && index < reader->o->moves.len)
        return &reader->o->moves.data[index].scope;
    return NULL;
}

/* Variables before moves, each in the order of its table; the groups of each ascend, which
 * object_check looks at. */
void object_read_scopes(struct object_reader *reader) {
    size_t count = object_read_count(reader, OBJECT_SCOPES);
    for (size_t i = 0, n; i < count && reader->ok; i += n) {
        const unsigned char *b = object_read_record(reader, OBJECT_SCOPES, i);
        struct group_scope *s = scoped(reader, b);
        n = scope_records(reader, i, count);
        if (!s || s->count || (i && !scope_before(b - 12, b))) {
            object_read_fail(reader, offset_of(reader, OBJECT_SCOPES, i),
                             "a scope is of no variable or move, or out of order");
            return;
        }
        uint32_t *groups = ARENA_ARRAY(&reader->o->arena, n, uint32_t);
        for (size_t k = 0; k < n; k++)
            groups[k] = get_u32(object_read_record(reader, OBJECT_SCOPES, i + k) + 8);
        *s = (struct group_scope){(uint32_t)n, groups};
    }
}

void object_read_finishes(struct object_reader *reader) {
    size_t count = object_read_count(reader, OBJECT_FINISHES);
    for (size_t i = 0; i < count && reader->ok; i++) {
        const unsigned char *b = object_read_record(reader, OBJECT_FINISHES, i);
        struct finish_record x = {.variable = get_u32(b),
                                  .element = get_u32(b + 4),
                                  .kind = (enum finish_kind)b[8],
                                  .reg = b[9],
                                  .type = {(enum type_kind)b[10], b[11]},
                                  .group = get_u32(b + 12),
                                  .first = get_u32(b + 16),
                                  .last = get_u32(b + 20),
                                  .place = get_place(b + 24)};
        if (get_u32(b + 36))
            object_read_fail(reader, offset_of(reader, OBJECT_FINISHES, i),
                             "a reserved field is not 0");
        vec_push(&reader->o->finishes, x);
    }
}

void object_read_numbers(struct object_reader *reader) {
    size_t count = object_read_count(reader, OBJECT_NUMBERS);
    for (size_t i = 0; i < count && reader->ok; i++) {
        const unsigned char *b = object_read_record(reader, OBJECT_NUMBERS, i);
        struct number_record x = {.index = get_u32(b),
                                  .every = {get_u32(b + 8), get_u64(b + 16)},
                                  .below = {get_u32(b + 24), get_u64(b + 32)}};
        if (get_u32(b + 4) || get_u32(b + 12) || get_u32(b + 28))
            object_read_fail(reader, offset_of(reader, OBJECT_NUMBERS, i),
                             "a reserved field is not 0");
        vec_push(&reader->o->numbers, x);
    }
}

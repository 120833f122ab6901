/* SPDX-License-Identifier: MIT
 * Sections that few programs have: what is different about some variables. */
#include "object/bytes.h"
#include "object/read.h"

/* False if what is not used is not as it is written. */
static bool get_shape(const unsigned char *b, struct array_form *f) {
    bool fine = f->ndim <= FORM_MAX_DIMS;
    for (uint32_t i = 0; i < FORM_MAX_DIMS && fine; i++, b += 16) {
        struct extent e = {get_u32(b), get_u64(b + 8)};
        bool unused = i >= f->ndim || e.size != NO_INDEX;
        fine = !get_u32(b + 4) && !(unused && e.value) && (i < f->ndim || e.size == NO_INDEX);
        if (i < f->ndim)
            f->shape[i] = e;
    }
    return fine;
}

/* In the order of their variables, each at most once, and none of a plain array. */
void read_forms(struct reader *r) {
    size_t count = read_count(r, OBJECT_FORMS), next = 0;
    for (size_t i = 0; i < count && r->ok; i++) {
        const unsigned char *b = read_record(r, OBJECT_FORMS, i);
        uint32_t variable = get_u32(b);
        struct array_form f = {.type = {(enum type_kind)b[4], b[5]},
                               .order = (enum form_order)b[6],
                               .shaped = b[7] & 1,
                               .ndim = get_u32(b + 8)};
        if (variable < next || variable >= r->o->vars.len || b[7] > 1 || get_u32(b + 12) ||
            !get_shape(b + 16, &f) || form_plain(&f)) {
            read_fail(r, offset_of(r, OBJECT_FORMS, i),
                      "the form of an array is of no variable, or not one");
            return;
        }
        r->o->vars.data[variable].form = f;
        next = (size_t)variable + 1;
    }
}

/* SPDX-License-Identifier: MIT
 * What INDEXes count instead of elements. */
#include "object/check_object.h"

#include <inttypes.h>

const struct number_record *object_number_at(const struct object *object, uint32_t index) {
    size_t low = 0, high = object->numbers.len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (object->numbers.data[middle].index < index)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < object->numbers.len && object->numbers.data[low].index == index;
    return found ? &object->numbers.data[low] : NULL;
}

static bool is_nothing(const struct extent *extent) {
    return extent->size == NO_INDEX && extent->value == 0;
}

static void put_part(const struct object *object, const char *word, const struct extent *extent,
                     struct str *out) {
    if (extent->size != NO_INDEX)
        str_printf(out, " %s %s", word, object->sizes.data[extent->size].name);
    else
        str_printf(out, " %s %" PRIu64, word, extent->value);
}

void object_number_text(const struct object *object, const struct number_record *record,
                        struct str *out) {
    put_part(object, "every", &record->every, out);
    if (!is_nothing(&record->below))
        put_part(object, "below", &record->below, out);
}

static bool is_index(const struct object *object, uint32_t index) {
    struct insn insn;
    return index < object->text.len && isa_decode(object->text.data[index], &insn) == ISA_OK &&
           insn.op == OP_INDEX;
}

void object_check_numbers(struct check *check) {
    uint64_t next = 0;
    for (size_t i = 0; i < check->o->numbers.len && check->ok; i++) {
        const struct number_record *r = &check->o->numbers.data[i];
        if (r->index < next || !is_index(check->o, r->index))
            object_check_fail(check, "numbering %zu is of no INDEX, or out of order", i);
        else if (!object_extent_ok(check->o, &r->every) ||
                 (!is_nothing(&r->below) && !object_extent_ok(check->o, &r->below)))
            object_check_fail(check, "the INDEX at %" PRIu32 " counts by no number", r->index);
        next = (uint64_t)r->index + 1;
    }
}

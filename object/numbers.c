/* SPDX-License-Identifier: MIT
 * What INDEXes count instead of elements. */
#include "object/object.h"

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

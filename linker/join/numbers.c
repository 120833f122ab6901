/* SPDX-License-Identifier: MIT
 * What INDEXes count, through a link. */
#include "linker/join/link.h"

void link_append_numbers(struct link *link, const struct link_input *in) {
    for (size_t i = 0; i < in->o->numbers.len; i++) {
        struct number_record r = in->o->numbers.data[i];
        r.index += in->text_base;
        r.every.size = link_size_out(in, r.every.size);
        r.below.size = link_size_out(in, r.below.size);
        vec_push(&link->out->numbers, r);
    }
}

void link_drop_numbers(struct object *object, const uint32_t *moved) {
    size_t kept = 0;
    for (size_t i = 0; i < object->numbers.len; i++) {
        struct number_record r = object->numbers.data[i];
        bool stays = moved[r.index] < moved[r.index + 1];
        r.index = moved[r.index];
        if (stays)
            object->numbers.data[kept++] = r;
    }
    object->numbers.len = kept;
}

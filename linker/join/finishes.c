/* SPDX-License-Identifier: MIT
 * Reductions that the host may finish, through a link. */
#include "linker/join/link.h"

#include <stdlib.h>

/* One that another input has, too. */
static void finished_twice(struct link *link, const struct link_input *in,
                           const struct finish_record *record) {
    diag_error(link->d, object_span(link->out, record->place, link->d),
               "the host may finish '%s' in %s and in an input before it",
               link->out->vars.data[record->variable].name, link_input_name(in));
}

static bool has_finish(const struct object *object, const struct finish_record *record) {
    for (size_t i = 0; i < object->finishes.len; i++)
        if (object->finishes.data[i].variable == record->variable &&
            object->finishes.data[i].element == record->element)
            return true;
    return false;
}

void link_append_finishes(struct link *link, const struct link_input *in) {
    for (size_t i = 0; i < in->o->finishes.len; i++) {
        struct finish_record r = in->o->finishes.data[i];
        r.variable = in->vars[r.variable];
        r.group = in->groups[r.group];
        r.first += in->text_base;
        r.last += in->text_base;
        r.place = link_place_out(in, r.place);
        if (has_finish(link->out, &r))
            finished_twice(link, in, &r);
        vec_push(&link->out->finishes, r);
    }
}

void link_drop_finishes(struct object *object, const uint32_t *moved) {
    size_t kept = 0;
    for (size_t i = 0; i < object->finishes.len; i++) {
        struct finish_record r = object->finishes.data[i];
        r.first = moved[r.first];
        r.last = moved[r.last];
        if (r.first < r.last)
            object->finishes.data[kept++] = r;
    }
    object->finishes.len = kept;
}

void link_sort_finishes(struct object *object) {
    if (object->finishes.len)
        qsort(object->finishes.data, object->finishes.len, sizeof *object->finishes.data,
              object_finish_compare);
}

/* SPDX-License-Identifier: MIT
 * Reductions that the host may finish, through a link. */
#include "linker/link.h"

#include <stdlib.h>

/* One that another input has, too. */
static void finished_twice(struct link *l, const struct link_input *in,
                           const struct finish_record *r) {
    diag_error(l->d, object_span(l->out, r->place, l->d),
               "the host may finish '%s' in %s and in an input before it",
               l->out->vars.data[r->variable].name, link_input_name(in));
}

static bool has_finish(const struct object *o, const struct finish_record *r) {
    for (size_t i = 0; i < o->finishes.len; i++)
        if (o->finishes.data[i].variable == r->variable &&
            o->finishes.data[i].element == r->element)
            return true;
    return false;
}

void link_append_finishes(struct link *l, const struct link_input *in) {
    for (size_t i = 0; i < in->o->finishes.len; i++) {
        struct finish_record r = in->o->finishes.data[i];
        r.variable = in->vars[r.variable];
        r.group = in->groups[r.group];
        r.first += in->text_base;
        r.last += in->text_base;
        r.place = link_place_out(in, r.place);
        if (has_finish(l->out, &r))
            finished_twice(l, in, &r);
        vec_push(&l->out->finishes, r);
    }
}

void link_drop_finishes(struct object *o, const uint32_t *moved) {
    size_t kept = 0;
    for (size_t i = 0; i < o->finishes.len; i++) {
        struct finish_record r = o->finishes.data[i];
        r.first = moved[r.first];
        r.last = moved[r.last];
        if (r.first < r.last)
            o->finishes.data[kept++] = r;
    }
    o->finishes.len = kept;
}

void link_sort_finishes(struct object *o) {
    if (o->finishes.len)
        qsort(o->finishes.data, o->finishes.len, sizeof *o->finishes.data, object_finish_compare);
}

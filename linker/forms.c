/* SPDX-License-Identifier: MIT
 * Shapes of arrays against the registers that they go to, when the sizes are known. */
#include "linker/pack.h"

#include <inttypes.h>

/* Elements of the registers; 0 if they are more than a program can have. */
static uint64_t register_elements(const struct object *o, const int64_t *sizes,
                                  const struct variable *v) {
    return v->count * (v->group == NO_INDEX ? 1 : link_group_elements(o, sizes, v->group));
}

static bool form_fits(const struct object *o, const int64_t *sizes, const struct variable *v,
                      struct diag *d) {
    uint64_t have = v->form.shaped ? object_form_elements(&v->form, sizes) : 0;
    uint64_t want = v->form.shaped ? register_elements(o, sizes, v) : 0;
    if (have == want || !want) /* too large a group is refused as a group */
        return have == want;
    if (d)
        diag_error(d, object_span(o, v->place, d),
                   "the shape of '%s' has %" PRIu64 " elements, and its registers hold %" PRIu64,
                   v->name, have, want);
    return false;
}

bool package_forms_fit(const struct object *o, const int64_t *sizes, struct diag *d) {
    bool fit = true;
    for (size_t i = 0; i < o->vars.len; i++)
        fit &= form_fits(o, sizes, &o->vars.data[i], d);
    return fit;
}

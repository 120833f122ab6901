/* SPDX-License-Identifier: MIT
 * Shapes of arrays against the registers that they go to, when the sizes are known. */
#include "linker/package/pack.h"

#include <inttypes.h>

/* Elements of the registers; 0 if they are more than a program can have. */
static uint64_t register_elements(const struct object *object, const int64_t *sizes,
                                  const struct variable *variable) {
    return variable->count *
           (variable->group == NO_INDEX ? 1 : link_group_elements(object, sizes, variable->group));
}

static bool form_fits(const struct object *object, const int64_t *sizes,
                      const struct variable *variable, struct diag *diag) {
    uint64_t have = variable->form.shaped ? object_form_elements(&variable->form, sizes) : 0;
    uint64_t want = variable->form.shaped ? register_elements(object, sizes, variable) : 0;
    if (have == want || !want) /* too large a group is refused as a group */
        return have == want;
    if (diag)
        diag_error(diag, object_span(object, variable->place, diag),
                   "the shape of '%s' has %" PRIu64 " elements, and its registers hold %" PRIu64,
                   variable->name, have, want);
    return false;
}

bool package_forms_fit(const struct object *object, const int64_t *sizes, struct diag *diag) {
    bool fit = true;
    for (size_t i = 0; i < object->vars.len; i++)
        fit &= form_fits(object, sizes, &object->vars.data[i], diag);
    return fit;
}

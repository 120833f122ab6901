/* SPDX-License-Identifier: MIT
 * Why something cannot be done, taken from the message of an attempt. */
#include "recipe/set.h"

#include "support/str.h"

#include <string.h>

struct first_reason {
    struct str *out;
    const char *name; /* that messages begin with */
    bool found;
};

static void keep_text(void *context, const struct diag *d, const struct message *message) {
    struct first_reason *reason = context;
    size_t n = strlen(reason->name);
    const char *text = message->text;
    (void)d;
    if (reason->found || message->severity != SEVERITY_ERROR)
        return;
    if (strncmp(text, reason->name, n) == 0 && strncmp(text + n, ": ", 2) == 0)
        text += n + 2;
    str_append(reason->out, text);
    reason->found = true;
}

bool recipe_reason(const struct recipe_set *set, enum isa_op op, struct str *out) {
    const struct recipe *generic = (unsigned)op < RECIPE_OPS ? set->generic[op] : NULL;
    struct first_reason reason = {.out = out, .name = generic ? generic->unit.name : ""};
    struct diag *quiet = diag_new(keep_text, &reason);
    if (recipe_origin(set, op))
        recipe_of(set, op, quiet);
    diag_free(quiet);
    return reason.found;
}

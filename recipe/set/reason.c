/* SPDX-License-Identifier: MIT
 * Why something cannot be done, taken from the message of an attempt. */
#include "recipe/set/set.h"

#include "isa-spec/builtin.h"
#include "support/str.h"

#include <string.h>

struct first_reason {
    struct str *out;
    const char *name; /* that messages begin with */
    bool places;      /* in files of the user's are told, and notes that tell some */
    bool found;
};

/* "my.recipe:3:1: "; nothing of a file that came with the tools. */
static void append_place(const struct diag *d, struct span at, struct str *out) {
    const char *name = diag_source_name(d, at.source);
    uint32_t line, column;
    if (!name || isa_builtin_find(name))
        return;
    diag_position(d, at, &line, &column);
    str_visible(out, name);
    if (line)
        str_printf(out, ":%u:%u", line, column);
    str_append(out, ": ");
}

static void keep_text(void *context, const struct diag *d, const struct message *message) {
    struct first_reason *reason = context;
    size_t n = strlen(reason->name);
    const char *text = message->text;
    if (reason->found || message->severity != SEVERITY_ERROR)
        return;
    if (strncmp(text, reason->name, n) == 0 && strncmp(text + n, ": ", 2) == 0)
        text += n + 2;
    if (reason->places)
        append_place(d, message->at, reason->out);
    str_append(reason->out, text);
    for (size_t i = 0; reason->places && i < message->note_count; i++)
        if (message->notes[i].at.source == 0)
            str_printf(reason->out, "; %s", message->notes[i].text);
    reason->found = true;
}

bool recipe_fits(const struct recipe_set *set, const struct insn *insn, struct str *problem) {
    struct first_reason reason = {
        .out = problem, .name = isa_users_name(&set->users, insn->op), .places = true};
    struct diag *quiet = diag_new(keep_text, &reason);
    struct uop_list list = {0};
    bool fine = recipe_expand(set, insn, false, &list, quiet) &&
                recipe_expand(set, insn, true, &list, quiet);
    vec_free(&list);
    diag_free(quiet);
    return fine;
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

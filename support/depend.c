/* SPDX-License-Identifier: MIT
 * One rule: targets, a colon, what they depend on.  Names are quoted as make reads them. */
#include "support/depend.h"

#include "support/str.h"

#include <string.h>

bool depend_take(struct depend *depend, const struct option_value *value) {
    switch (value->id) {
    case DEPEND_WRITE:
        depend->wanted = true;
        return true;
    case DEPEND_FILE:
        depend->file = value->value;
        return true;
    case DEPEND_TARGET:
        vec_push(&depend->targets, value->value);
        return true;
    case DEPEND_PHONY:
        depend->phony = true;
        return true;
    default:
        return false;
    }
}

const char *depend_complete(struct depend *depend, const char *output, struct command_line *cl) {
    bool stream = strcmp(output, "-") == 0, said = depend->file;
    if (!depend->wanted)
        return depend->file || depend->targets.len || depend->phony
                   ? "-MF, -MT and -MP belong to -MD"
                   : NULL;
    if (stream && (!depend->file || !depend->targets.len))
        return "-MD needs -MF and -MT where the output has no name";
    if (!depend->file)
        depend->file = tool_output_name(&cl->arena, output, "d");
    file_uses_write(&cl->files, depend->file, said ? "-MF" : "-MD");
    return NULL;
}

/* As GNU make takes it back, on the left of a colon or behind it; ninja reads it alike.
 * Backslashes are special in front of what is quoted alone, and are doubled there. */
static void put_name(struct str *out, const char *name, bool is_target) {
    const char *quoted = is_target ? " #:%" : " #:|";
    size_t slashes = 0;
    for (const char *p = name; *p; p++) {
        for (size_t i = 0; strchr(quoted, *p) && i <= slashes; i++)
            str_char(out, '\\');
        if (*p == '$')
            str_char(out, '$');
        str_char(out, *p);
        slashes = *p == '\\' ? slashes + 1 : 0;
    }
}

static bool is_given(const char *path, const char *const *inputs, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(inputs[i], path) == 0)
            return true;
    return false;
}

/* Standard input and response files are nothing that make could look at. */
static bool is_needed(const struct file_use *use) {
    return !use->written && !use->role && strcmp(use->path, "-") != 0;
}

/* What make has no way to write on both sides of a colon: it ends a rule, sets a variable, stands
 * for other files; NULL if a name has nothing of it. */
static const char *no_rule_holds(const char *name) {
    size_t n = strlen(name);
    if (strpbrk(name, "\n\r"))
        return "the end of a line";
    if (strchr(name, '\t'))
        return "a tab";
    if (strpbrk(name, ";=*?["))
        return "one of ; = * ? [";
    if (name[0] == '~')
        return "'~' at its head";
    if (n && name[n - 1] == ')' && strchr(name, '('))
        return "a part in parentheses at its end";
    if (n && name[n - 1] == '\\')
        return "a backslash at its end";
    return n && name[n - 1] == '&' ? "'&' at its end" : NULL;
}

static bool name_fits(const char *name, const struct command_line *cl) {
    const char *what = no_rule_holds(name);
    if (what)
        diag_error(cl->diag, NO_SPAN, "'%s' has %s in its name: no rule that make reads holds it",
                   name, what);
    return !what;
}

static bool names_fit(const struct depend *depend, const char *output,
                      const struct command_line *cl) {
    for (size_t i = 0; i < depend->targets.len; i++)
        if (!name_fits(depend->targets.data[i], cl))
            return false;
    for (size_t i = 0; i < cl->files.list.len; i++)
        if (is_needed(&cl->files.list.data[i]) && !name_fits(cl->files.list.data[i].path, cl))
            return false;
    return depend->targets.len || name_fits(output, cl);
}

static void put_targets(const struct depend *depend, const char *output, struct str *rule) {
    for (size_t i = 0; i < depend->targets.len; i++) {
        str_append(rule, i ? " " : "");
        put_name(rule, depend->targets.data[i], true);
    }
    if (!depend->targets.len)
        put_name(rule, output, true);
    str_char(rule, ':');
}

bool depend_rule(const struct depend *depend, const char *output, const char *const *inputs,
                 size_t count, const struct command_line *cl, struct str *rule) {
    if (!names_fit(depend, output, cl))
        return false;
    put_targets(depend, output, rule);
    for (size_t i = 0; i < cl->files.list.len; i++)
        if (is_needed(&cl->files.list.data[i])) {
            str_append(rule, " \\\n  ");
            put_name(rule, cl->files.list.data[i].path, false);
        }
    str_char(rule, '\n');
    for (size_t i = 0; depend->phony && i < cl->files.list.len; i++) {
        const struct file_use *u = &cl->files.list.data[i];
        if (!is_needed(u) || is_given(u->path, inputs, count))
            continue;
        str_char(rule, '\n');
        put_name(rule, u->path, true);
        str_append(rule, ":\n");
    }
    return true;
}

void depend_free(struct depend *depend) {
    vec_free(&depend->targets);
}

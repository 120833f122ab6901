/* SPDX-License-Identifier: MIT
 * One rule: targets, a colon, what they depend on.  Names are quoted as make reads them, which
 * ninja reads alike. */
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

/* As GNU make and ninja take it back.  Backslashes are special in front of a blank or a '#' alone,
 * and are doubled there. */
static void put_name(struct str *out, const char *name) {
    size_t slashes = 0;
    for (const char *p = name; *p; p++) {
        bool blank = *p == ' ' || *p == '\t';
        for (size_t i = 0; (blank || *p == '#') && i < slashes; i++)
            str_char(out, '\\');
        if (blank || *p == '#')
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

static bool names_fit(const struct command_line *cl) {
    for (size_t i = 0; i < cl->files.list.len; i++) {
        const struct file_use *u = &cl->files.list.data[i];
        if (is_needed(u) && strpbrk(u->path, "\n\r")) {
            diag_error(cl->diag, NO_SPAN,
                       "'%s' has the end of a line in its name: no rule holds it", u->path);
            return false;
        }
    }
    return true;
}

static void put_targets(const struct depend *depend, const char *output, struct str *rule) {
    for (size_t i = 0; i < depend->targets.len; i++) {
        str_append(rule, i ? " " : "");
        put_name(rule, depend->targets.data[i]);
    }
    if (!depend->targets.len)
        put_name(rule, output);
    str_char(rule, ':');
}

bool depend_rule(const struct depend *depend, const char *output, const char *const *inputs,
                 size_t count, const struct command_line *cl, struct str *rule) {
    if (!names_fit(cl))
        return false;
    put_targets(depend, output, rule);
    for (size_t i = 0; i < cl->files.list.len; i++)
        if (is_needed(&cl->files.list.data[i])) {
            str_append(rule, " \\\n  ");
            put_name(rule, cl->files.list.data[i].path);
        }
    str_char(rule, '\n');
    for (size_t i = 0; depend->phony && i < cl->files.list.len; i++) {
        const struct file_use *u = &cl->files.list.data[i];
        if (!is_needed(u) || is_given(u->path, inputs, count))
            continue;
        str_char(rule, '\n');
        put_name(rule, u->path);
        str_append(rule, ":\n");
    }
    return true;
}

void depend_free(struct depend *depend) {
    vec_free(&depend->targets);
}

/* SPDX-License-Identifier: MIT */
#include "tests/ezpim/build.h"

#include "linker/linker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void append_message(const struct diag *d, const struct message *m, struct str *out) {
    static const char *const words[] = {"note", "warning", "error"};
    uint32_t line = 0, column = 0;
    if (m->at.source)
        diag_position(d, m->at, &line, &column);
    str_printf(out, "%s%u:%u: %s: %s", m->severity == SEVERITY_NOTE ? "  " : "", line, column,
               words[m->severity], m->text);
    if (m->warning >= 0)
        str_printf(out, " [-W%s]", diag_warning_table[m->warning].name);
    for (size_t i = 0; i < m->fixit_count; i++)
        str_printf(out, " {%s}", m->fixits[i].text);
    str_char(out, '\n');
    for (size_t i = 0; i < m->note_count; i++)
        append_message(d, &m->notes[i], out);
}

void collect_messages(void *context, const struct diag *d, const struct message *m) {
    append_message(d, m, context);
}

static struct object *compile(const char *source, const struct ez_options *options,
                              struct str *messages) {
    struct diag *d = diag_new(messages ? collect_messages : NULL, messages);
    struct object *o = ez_compile("test.ez", source, strlen(source), options, d);
    diag_free(d);
    return o;
}

struct object *build_object(const char *source, int level, struct str *messages) {
    const struct ez_options options = {.optimize = level, .debug = true};
    return compile(source, &options, messages);
}

static struct object *link_one(struct object *o, struct str *messages) {
    struct diag *d = diag_new(collect_messages, messages);
    const struct object *inputs[] = {o};
    struct link_options options = {0};
    struct object *program = link_objects(inputs, 1, &options, d);
    diag_free(d);
    return program;
}

void fail_with(const char *what, mpu_error *e) {
    char text[2000];
    snprintf(text, sizeof text, "%s", e ? mpu_error_text(e) : "failed without a message");
    mpu_error_free(e);
    fail_msg("%s: %s", what, text);
}

static mpu_program *load(const struct object *program, struct str *messages) {
    struct str bytes = {0};
    mpu_error *e = NULL;
    object_write(program, &bytes);
    mpu_program *p = mpu_program_load(bytes.text, bytes.len, &e);
    if (!p)
        str_append(messages, e ? mpu_error_text(e) : "loading failed without a message");
    mpu_error_free(e);
    str_free(&bytes);
    return p;
}

mpu_program *try_program_with(const char *source, const struct ez_options *options,
                              struct str *messages) {
    struct object *o = compile(source, options, messages);
    struct object *program = o ? link_one(o, messages) : NULL;
    mpu_program *p = program ? load(program, messages) : NULL;
    object_free(o);
    object_free(program);
    return p;
}

mpu_program *try_program(const char *source, int level, struct str *messages) {
    const struct ez_options options = {.optimize = level, .debug = true};
    return try_program_with(source, &options, messages);
}

mpu_program *build_program(const char *source, int level) {
    struct str messages = {0};
    mpu_program *p = try_program(source, level, &messages);
    if (!p)
        print_error("%s\n%s", source, str_text(&messages));
    assert_non_null(p);
    str_free(&messages);
    return p;
}

/* SPDX-License-Identifier: MIT */
#include "tests/erc/import.h"

#include "linker/linker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* "line:col: error: text", notes indented below. */
static void collect(void *context, const struct diag *d, const struct message *m) {
    static const char *const words[] = {"note", "warning", "error"};
    uint32_t line = 0, column = 0;
    if (m->at.source)
        diag_position(d, m->at, &line, &column);
    str_printf(context, "%s%u:%u: %s: %s\n", m->severity == SEVERITY_NOTE ? "  " : "", line, column,
               words[m->severity], m->text);
    for (size_t i = 0; i < m->note_count; i++)
        collect(context, d, &m->notes[i]);
}

struct object *import_object(const char *source, const struct erc_options *options,
                             struct str *messages) {
    struct diag *d = diag_new(messages ? collect : NULL, messages);
    struct object *o = erc_compile("test.erc", source, strlen(source), options, d);
    diag_free(d);
    return o;
}

void import_fail(const char *what, mpu_error *e) {
    char text[2000];
    snprintf(text, sizeof text, "%s", e ? mpu_error_text(e) : "failed without a message");
    mpu_error_free(e);
    fail_msg("%s: %s", what, text);
}

static void refused(const char *source, const struct str *messages) {
    fputs(source, stderr);
    fputs(str_text(messages), stderr);
    fail_msg("the program above is refused");
}

mpu_program *import_programs(const char *const *sources, size_t count,
                             const struct erc_options *options) {
    struct str messages = {0}, bytes = {0};
    struct object *objects[4] = {0};
    struct link_options link = {0};
    uint64_t sent = 0;
    for (size_t i = 0; i < count; i++)
        sent |= erc_sent(sources[i], strlen(sources[i]), options);
    for (size_t i = 0; i < count; i++) {
        struct erc_options one = *options;
        one.has_mpu = one.knows_sent = count > 1;
        one.sent = sent;
        one.mpu = (uint32_t)i;
        objects[i] = import_object(sources[i], &one, &messages);
        if (!objects[i])
            refused(sources[i], &messages);
    }
    struct diag *d = diag_new(collect, &messages);
    struct object *linked = link_objects((const struct object *const *)objects, count, &link, d);
    diag_free(d);
    if (!linked)
        refused(sources[0], &messages);
    object_write(linked, &bytes);
    mpu_error *e = NULL;
    mpu_program *p = mpu_program_load(bytes.text, bytes.len, &e);
    if (!p)
        import_fail(sources[0], e);
    for (size_t i = 0; i < count; i++)
        object_free(objects[i]);
    object_free(linked);
    str_free(&bytes);
    str_free(&messages);
    return p;
}

void import_put(mpu_session *s, const char *reg, const uint64_t *values, size_t count) {
    mpu_error *e = NULL;
    uint64_t copy[64];
    memcpy(copy, values, count * sizeof *values);
    mpu_array a = {.type = MPU_U64, .ndim = 1, .shape = {count}, .data = copy};
    if (mpu_session_put(s, reg, &a, &e) != MPU_OK)
        import_fail(reg, e);
}

void import_get(mpu_session *s, const char *reg, uint64_t *values, size_t count) {
    mpu_error *e = NULL;
    mpu_array a = {0};
    if (mpu_session_get(s, reg, &a, &e) != MPU_OK)
        import_fail(reg, e);
    assert_int_equal(a.type, MPU_U64);
    assert_true(a.shape[0] >= count);
    memcpy(values, a.data, count * sizeof *values);
    mpu_array_free(&a);
}

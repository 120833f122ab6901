/* SPDX-License-Identifier: MIT
 * Errors of the public API: the messages as the tools print them, one a line. */
#include "runtime/internal.h"

#include "support/alloc.h"

#include <stdlib.h>

static const char *const severity_name[] = {"note", "warning", "error"};

static void append_message(struct str *out, const struct diag *d, const struct message *m) {
    if (m->at.source) {
        uint32_t line, column;
        diag_position(d, m->at, &line, &column);
        str_printf(out, "%s:%u:%u: ", diag_source_name(d, m->at.source), (unsigned)line,
                   (unsigned)column);
    }
    str_printf(out, "%s: %s\n", severity_name[m->severity], m->text);
    for (size_t i = 0; i < m->note_count; i++)
        append_message(out, d, &m->notes[i]);
}

static void collect(void *context, const struct diag *d, const struct message *m) {
    append_message(context, d, m);
}

void call_begin(struct call *c) {
    *c = (struct call){0};
    c->d = diag_new(collect, &c->text);
}

mpu_result call_end(struct call *c, mpu_result r, mpu_error **error) {
    diag_free(c->d);
    if (r != MPU_OK && error) {
        *error = xcalloc(1, sizeof **error);
        (*error)->code = r;
        (*error)->text = c->text;
    } else {
        str_free(&c->text);
    }
    return r;
}

mpu_result mpu_error_code(const mpu_error *e) {
    return e ? e->code : MPU_OK;
}

const char *mpu_error_text(const mpu_error *e) {
    return e ? str_text(&e->text) : "";
}

void mpu_error_free(mpu_error *e) {
    if (!e)
        return;
    str_free(&e->text);
    free(e);
}

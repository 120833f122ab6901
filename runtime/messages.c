/* SPDX-License-Identifier: MIT
 * Messages of the public API: to the caller's sink, as the text of an error, or both. */
#include "runtime/internal.h"
#include "runtime/message.h"

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

/* ---- sinks ---- */

static void consume(void *context, const struct diag *d, const struct message *m) {
    const struct mpu_messages *sink = context;
    if (sink->text)
        append_message(sink->text, d, m);
    if (sink->consumer)
        message_tell(sink->consumer, sink->context, d, m);
}

mpu_messages *mpu_messages_new(mpu_message_function *consumer, void *context) {
    mpu_messages *m = xcalloc(1, sizeof *m);
    m->consumer = consumer;
    m->context = context;
    m->d = diag_new(consume, m);
    return m;
}

void mpu_messages_free(mpu_messages *m) {
    if (!m)
        return;
    diag_free(m->d);
    free(m);
}

mpu_result mpu_messages_set_warning(mpu_messages *m, const char *flag) {
    return diag_set_warning(m->d, flag) ? MPU_OK : MPU_USAGE;
}

void mpu_messages_set_max_errors(mpu_messages *m, uint32_t most) {
    diag_set_max_errors(m->d, most);
}

void mpu_messages_add(mpu_messages *m, mpu_severity severity, const char *text) {
    if (severity == MPU_NOTE)
        diag_note(m->d, NO_SPAN, "%s", text);
    else if (severity == MPU_WARNING)
        diag_plain_warning(m->d, NO_SPAN, "%s", text);
    else
        diag_error(m->d, NO_SPAN, "%s", text);
}

void mpu_messages_flush(mpu_messages *m) {
    diag_flush(m->d);
}

uint32_t mpu_messages_errors(const mpu_messages *m) {
    return diag_errors(m->d);
}

char *text_out(struct str *s) {
    char *text = s->text ? s->text : xstrdup("");
    *s = (struct str){0};
    return text;
}

/* ---- calls ---- */

void call_begin(struct call *c, mpu_messages *sink, mpu_error **error) {
    *c = (struct call){
        .sink = sink ? sink : mpu_messages_new(NULL, NULL), .owned = !sink, .error = error};
    c->d = c->sink->d;
    if (!error)
        return;
    diag_flush(c->d); /* what came before is none of this call's */
    c->sink->text = &c->text;
}

mpu_result call_end(struct call *c, mpu_result r) {
    const struct message *last = c->error ? diag_waiting(c->d) : NULL;
    if (last) /* the sink's consumer gets it with its notes later */
        append_message(&c->text, c->d, last);
    c->sink->text = NULL;
    if (c->owned)
        mpu_messages_free(c->sink);
    if (r != MPU_OK && c->error) {
        *c->error = xcalloc(1, sizeof **c->error);
        **c->error = (struct mpu_error){r, c->text};
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

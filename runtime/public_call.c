/* SPDX-License-Identifier: MIT
 * Messages of the public API: to the caller's sink, as the text of an error, or both. */
#include "runtime/public.h"
#include "runtime/public_message.h"

#include "support/alloc.h"

#include <stdlib.h>

static const char *const severity_name[] = {"note", "warning", "error"};

static void append_message(struct str *out, const struct diag *diag,
                           const struct message *message) {
    if (message->at.source) {
        uint32_t line, column;
        diag_position(diag, message->at, &line, &column);
        str_visible(out, diag_source_name(diag, message->at.source));
        str_printf(out, ":%u:%u: ", (unsigned)line, (unsigned)column);
    }
    str_printf(out, "%s: %s\n", severity_name[message->severity], message->text);
    for (size_t i = 0; i < message->note_count; i++)
        append_message(out, diag, &message->notes[i]);
}

/* ---- sinks ---- */

static void consume(void *context, const struct diag *diag, const struct message *message) {
    const struct mpu_messages *sink = context;
    if (sink->text)
        append_message(sink->text, diag, message);
    if (sink->consumer)
        public_message_tell(sink->consumer, sink->context, diag, message);
}

static mpu_messages *messages_new(mpu_message_function *consumer, void *context) {
    mpu_messages *m = xcalloc(1, sizeof *m);
    m->consumer = consumer;
    m->context = context;
    m->d = diag_new(consume, m);
    return m;
}

mpu_messages *mpu_messages_new(mpu_message_function *consumer, void *context) {
    PUBLIC_ENTRY(NULL, NULL);
    return messages_new(consumer, context);
}

void mpu_messages_free(mpu_messages *messages) {
    if (!messages)
        return;
    diag_free(messages->d);
    free(messages);
}

mpu_result mpu_messages_set_warning(mpu_messages *messages, const char *flag) {
    PUBLIC_ENTRY(NULL, MPU_CAPACITY);
    return diag_set_warning(messages->d, flag) ? MPU_OK : MPU_USAGE;
}

void mpu_messages_set_max_errors(mpu_messages *messages, uint32_t most) {
    diag_set_max_errors(messages->d, most);
}

void mpu_messages_add(mpu_messages *messages, mpu_severity severity, const char *text) {
    PUBLIC_ENTRY(NULL, );
    if (severity == MPU_NOTE)
        diag_note(messages->d, NO_SPAN, "%s", text);
    else if (severity == MPU_WARNING)
        diag_plain_warning(messages->d, NO_SPAN, "%s", text);
    else
        diag_error(messages->d, NO_SPAN, "%s", text);
}

void mpu_messages_flush(mpu_messages *messages) {
    PUBLIC_ENTRY(NULL, );
    diag_flush(messages->d);
}

uint32_t mpu_messages_errors(const mpu_messages *messages) {
    return diag_errors(messages->d);
}

char *public_text_out(struct str *str) {
    char *text = str->text ? str->text : xstrdup("");
    *str = (struct str){0};
    return text;
}

/* ---- calls ---- */

static char no_memory_text[] = "error: out of memory\n";
static const struct mpu_error no_memory = {
    MPU_CAPACITY, {.text = no_memory_text, .len = sizeof no_memory_text - 1}};

void public_no_memory(mpu_error **error) {
    if (error)
        *error = (mpu_error *)(uintptr_t)&no_memory;
}

/* The call's own variables are gone. */
static void leave_sink(void *context) {
    struct public_call *call = context;
    call->sink->text = NULL;
}

void public_call_begin(struct public_call *call, mpu_messages *sink, mpu_error **error) {
    *call = (struct public_call){
        .sink = sink ? sink : messages_new(NULL, NULL), .owned = !sink, .error = error};
    call->d = call->sink->d;
    alloc_undo_begin(&call->undo, leave_sink, call);
    if (!error)
        return;
    diag_flush(call->d); /* what came before is none of this call's */
    call->sink->text = &call->text;
}

mpu_result public_call_end(struct public_call *call, mpu_result result) {
    const struct message *last = call->error ? diag_waiting(call->d) : NULL;
    if (last) /* the sink's consumer gets it with its notes later */
        append_message(&call->text, call->d, last);
    call->sink->text = NULL;
    alloc_undo_end(&call->undo);
    if (call->owned)
        mpu_messages_free(call->sink);
    if (result != MPU_OK && call->error) {
        *call->error = xcalloc(1, sizeof **call->error);
        **call->error = (struct mpu_error){result, call->text};
    } else {
        str_free(&call->text);
    }
    return result;
}

mpu_result mpu_error_code(const mpu_error *error) {
    return error ? error->code : MPU_OK;
}

const char *mpu_error_text(const mpu_error *error) {
    return error ? str_text(&error->text) : "";
}

void mpu_error_free(mpu_error *error) {
    if (!error || error == &no_memory)
        return;
    str_free(&error->text);
    free(error);
}

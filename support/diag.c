/* SPDX-License-Identifier: MIT */
#include "support/diag_place.h"
#include "support/diag_state.h"
#include "support/str.h"

#include <string.h>

enum { DEFAULT_MAX_ERRORS = 20 };

struct diag *diag_new(diag_consumer *consumer, void *context) {
    struct diag *d = xcalloc(1, sizeof *d);
    d->consumer = consumer;
    d->context = context;
    d->max_errors = DEFAULT_MAX_ERRORS;
    diag_default_warnings(d);
    return d;
}

void diag_free(struct diag *d) {
    if (!d)
        return;
    diag_flush(d);
    diag_free_sources(d);
    vec_free(&d->pending.notes);
    vec_free(&d->pending.fixits);
    free(d->first);
    free(d);
}

uint32_t diag_errors(const struct diag *d) {
    return d->error_count;
}

uint32_t diag_warnings(const struct diag *d) {
    return d->warning_count;
}

bool diag_full(const struct diag *d) {
    return d->max_errors && d->error_count >= d->max_errors;
}

const char *diag_first(const struct diag *d) {
    return d->first;
}

void diag_set_max_errors(struct diag *d, uint32_t max) {
    d->max_errors = max;
}

static void keep_first(struct diag *d, struct span at, const char *text) {
    struct source_place p = diag_place(d, at);
    struct str s = {0};
    if (p.name)
        str_append(&s, p.name);
    if (p.line)
        str_printf(&s, ":%u", p.line);
    if (p.line && p.column)
        str_printf(&s, ":%u", p.column);
    if (p.name)
        str_append(&s, ": ");
    str_append(&s, text);
    d->first = s.text;
}

/* Longer messages quote something that no one reads to its end. */
enum { MAX_TEXT = 2000 };

static void cut(char *text) {
    if (strnlen(text, MAX_TEXT + 1) <= MAX_TEXT)
        return;
    size_t end = MAX_TEXT - 3;
    for (int i = 0; i < 3 && ((unsigned char)text[end] & 0xc0) == 0x80; i++)
        end--; /* not within a UTF-8 sequence */
    memcpy(text + end, "...", 4);
}

/* A message quotes what stands in files: newlines would break its one-line form, and other
 * control characters would reach the terminal. */
static char *one_line(struct arena *a, const char *format, va_list args) {
    char *text = arena_vprintf(a, format, args);
    cut(text);
    for (char *p = text; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            *p = *p == '\n' || *p == '\r' || *p == '\t' ? ' ' : '?';
    return text;
}

/* Starts a message; false if it comes after the last error that is to be shown. */
static bool start(struct diag *d, enum severity severity, int warning, struct span at,
                  const char *format, va_list args) {
    diag_flush(d);
    struct pending *p = &d->pending;
    p->dropping = diag_full(d);
    if (p->dropping)
        return false;
    p->active = true;
    char *text = one_line(&p->arena, format, args);
    p->message = (struct message){.severity = severity, .warning = warning, .at = at, .text = text};
    if (severity == SEVERITY_ERROR && !d->first)
        keep_first(d, at, text);
    return true;
}

static void count_up(uint32_t *counter) {
    *counter += *counter < UINT32_MAX;
}

static void error_limit_note(struct diag *d) {
    if (d->max_errors > 1)
        diag_note(d, NO_SPAN, "no more errors are shown after %u (--max-errors)", d->max_errors);
}

void diag_verror(struct diag *d, struct span at, const char *format, va_list args) {
    start(d, SEVERITY_ERROR, -1, at, format, args);
    count_up(&d->error_count);
}

void diag_error(struct diag *d, struct span at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    diag_verror(d, at, format, args);
    va_end(args);
}

static bool is_error(const struct diag *d, enum warning w) {
    if (d->warnings[w].as_error == AS_GENERAL)
        return d->all_are_errors;
    return d->warnings[w].as_error == AS_ERROR;
}

void diag_warning(struct diag *d, enum warning w, struct span at, const char *format, ...) {
    if (!d->warnings[w].on) {
        diag_flush(d);
        d->pending.dropping = true;
        return;
    }
    va_list args;
    va_start(args, format);
    bool error = is_error(d, w);
    start(d, error ? SEVERITY_ERROR : SEVERITY_WARNING, (int)w, at, format, args);
    va_end(args);
    count_up(error ? &d->error_count : &d->warning_count);
}

void diag_plain_warning(struct diag *d, struct span at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    start(d, SEVERITY_WARNING, -1, at, format, args);
    va_end(args);
    count_up(&d->warning_count);
}

static bool takes_notes(const struct diag *d) {
    return d->pending.active && !d->pending.dropping;
}

void diag_note(struct diag *d, struct span at, const char *format, ...) {
    if (!takes_notes(d))
        return;
    va_list args;
    va_start(args, format);
    const char *text = one_line(&d->pending.arena, format, args);
    va_end(args);
    struct message note = {.severity = SEVERITY_NOTE, .warning = -1, .at = at, .text = text};
    vec_push(&d->pending.notes, note);
}

void diag_fixit(struct diag *d, struct span at, const char *replacement) {
    if (!takes_notes(d))
        return;
    struct fixit f = {at, arena_strdup(&d->pending.arena, replacement)};
    vec_push(&d->pending.fixits, f);
}

void diag_suggest(struct diag *d, struct span at, const char *name, const char *const *candidates,
                  size_t count) {
    const char *near = takes_notes(d) ? nearest_name(name, candidates, count) : NULL;
    if (!near)
        return;
    struct arena *a = &d->pending.arena;
    diag_note(d, at, "did you mean '%s'?", near);
    if (!at.source)
        return;
    struct fixit *f = ARENA_NEW(a, struct fixit);
    *f = (struct fixit){at, arena_strdup(a, near)};
    struct message *note = &vec_last(&d->pending.notes);
    note->fixits = f;
    note->fixit_count = 1;
}

const struct message *diag_waiting(struct diag *d) {
    struct pending *p = &d->pending;
    if (!p->active)
        return NULL;
    p->message.fixits = p->fixits.data;
    p->message.fixit_count = p->fixits.len;
    p->message.notes = p->notes.data;
    p->message.note_count = p->notes.len;
    return &p->message;
}

static void deliver(struct diag *d) {
    if (diag_full(d))
        error_limit_note(d);
    d->consumer(d->context, d, diag_waiting(d));
}

void diag_flush(struct diag *d) {
    struct pending *p = &d->pending;
    if (p->active && d->consumer)
        deliver(d);
    p->active = false;
    vec_clear(&p->notes);
    vec_clear(&p->fixits);
    arena_free(&p->arena);
}

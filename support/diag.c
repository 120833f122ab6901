/* SPDX-License-Identifier: MIT
 * Counts what is reported, up to a bound on errors, and hands it on. */
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

void diag_free(struct diag *diag) {
    if (!diag)
        return;
    diag_flush(diag);
    diag_free_sources(diag);
    vec_free(&diag->pending.notes);
    vec_free(&diag->pending.fixits);
    free(diag->first);
    map_free(&diag->said);
    vec_free(&diag->quiet);
    free(diag);
}

uint32_t diag_errors(const struct diag *diag) {
    return diag->error_count;
}

uint32_t diag_warnings(const struct diag *diag) {
    return diag->warning_count;
}

bool diag_full(const struct diag *diag) {
    return diag->max_errors && diag->error_count >= diag->max_errors;
}

const char *diag_first(const struct diag *diag) {
    return diag->first;
}

void diag_set_max_errors(struct diag *diag, uint32_t max) {
    diag->max_errors = max;
}

void diag_set_once(struct diag *diag, bool once) {
    diag->once = once;
    map_free(&diag->said);
}

static void keep_first(struct diag *diag, struct span at, const char *text) {
    struct source_place p = diag_place(diag, at);
    struct str s = {0};
    if (p.name)
        str_visible(&s, p.name);
    if (p.line)
        str_printf(&s, ":%u", p.line);
    if (p.line && p.column)
        str_printf(&s, ":%u", p.column);
    if (p.name)
        str_append(&s, ": ");
    str_append(&s, text);
    diag->first = s.text;
}

void diag_hush(struct diag *diag) {
    diag_flush(diag);
    diag->hushed = true;
    diag->errors_before = diag->error_count;
    diag->warnings_before = diag->warning_count;
}

void diag_hush_end(struct diag *diag) {
    diag_flush(diag);
    diag->hushed = false;
    diag->error_count = diag->errors_before;
    diag->warning_count = diag->warnings_before;
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
static char *one_line(struct arena *arena, const char *format, va_list args) {
    char *text = arena_vprintf(arena, format, args);
    cut(text);
    for (char *p = text; *p; p++)
        for (size_t n = str_control(p); n; p += --n != 0)
            *p = *p == '\n' || *p == '\r' || *p == '\t' ? ' ' : '?';
    return text;
}

/* Starts a message; false if it comes after the last error that is to be shown. */
static bool start(struct diag *diag, enum severity severity, int warning, struct span at,
                  const char *format, va_list args) {
    diag_flush(diag);
    struct pending *p = &diag->pending;
    p->dropping = diag->hushed || diag_full(diag);
    if (p->dropping)
        return false;
    p->active = true;
    char *text = one_line(&p->arena, format, args);
    p->message = (struct message){.severity = severity, .warning = warning, .at = at, .text = text};
    if (severity == SEVERITY_ERROR && !diag->first)
        keep_first(diag, at, text);
    return true;
}

static void count_up(uint32_t *counter) {
    *counter += *counter < UINT32_MAX;
}

static void error_limit_note(struct diag *diag) {
    if (diag->max_errors > 1)
        diag_note(diag, NO_SPAN, "no more errors are shown after %u (--max-errors)",
                  diag->max_errors);
}

void diag_verror(struct diag *diag, struct span at, const char *format, va_list args) {
    start(diag, SEVERITY_ERROR, -1, at, format, args);
    count_up(&diag->error_count);
}

void diag_error(struct diag *diag, struct span at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    diag_verror(diag, at, format, args);
    va_end(args);
}

bool diag_refuse(struct diag *diag, const char *format, ...) {
    va_list args;
    va_start(args, format);
    diag_verror(diag, NO_SPAN, format, args);
    va_end(args);
    return false;
}

/* Sources may be registered again, so a place is the name of one and a position. */
static void write_place(const struct diag *diag, struct span at, struct str *out) {
    struct source_place p = diag_place(diag, at);
    str_printf(out, "%s:%u:%u:", p.name ? p.name : "", p.line, p.column);
}

/* Drops the warning that was started if it was said before. */
static bool drop_said(struct diag *diag) {
    struct pending *p = &diag->pending;
    struct str key = {0};
    if (!diag->once || !p->active || p->message.severity != SEVERITY_WARNING)
        return false;
    write_place(diag, p->message.at, &key);
    str_append(&key, p->message.text);
    bool said = !map_put_n(&diag->said, key.text, key.len, 1);
    str_free(&key);
    p->dropping = said;
    p->active = !said;
    return said;
}

static bool is_error(const struct diag *diag, enum warning w) {
    if (diag->warnings[w].as_error == AS_GENERAL)
        return diag->all_are_errors;
    return diag->warnings[w].as_error == AS_ERROR;
}

void diag_set_quiet(struct diag *diag, uint32_t source) {
    vec_push(&diag->quiet, source);
}

static bool is_quiet(const struct diag *diag, uint32_t source) {
    for (size_t i = 0; i < diag->quiet.len; i++)
        if (diag->quiet.data[i] == source)
            return true;
    return false;
}

void diag_warning(struct diag *diag, enum warning w, struct span at, const char *format, ...) {
    if (!diag->warnings[w].on || is_quiet(diag, at.source)) {
        diag_flush(diag);
        diag->pending.dropping = true;
        return;
    }
    va_list args;
    va_start(args, format);
    bool error = is_error(diag, w);
    start(diag, error ? SEVERITY_ERROR : SEVERITY_WARNING, (int)w, at, format, args);
    va_end(args);
    if (!drop_said(diag))
        count_up(error ? &diag->error_count : &diag->warning_count);
}

void diag_plain_warning(struct diag *diag, struct span at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    start(diag, SEVERITY_WARNING, -1, at, format, args);
    va_end(args);
    if (!drop_said(diag))
        count_up(&diag->warning_count);
}

static bool takes_notes(const struct diag *diag) {
    return diag->pending.active && !diag->pending.dropping;
}

void diag_note(struct diag *diag, struct span at, const char *format, ...) {
    if (!takes_notes(diag))
        return;
    va_list args;
    va_start(args, format);
    const char *text = one_line(&diag->pending.arena, format, args);
    va_end(args);
    struct message note = {.severity = SEVERITY_NOTE, .warning = -1, .at = at, .text = text};
    vec_push(&diag->pending.notes, note);
}

void diag_fixit(struct diag *diag, struct span at, const char *replacement) {
    if (!takes_notes(diag))
        return;
    struct fixit f = {at, arena_strdup(&diag->pending.arena, replacement)};
    vec_push(&diag->pending.fixits, f);
}

struct span diag_text_line(struct diag *diag, const char *name, const char *text, size_t size,
                           uint32_t line) {
    const char *begin = text, *end = text + size, *newline;
    if (!line)
        return NO_SPAN;
    for (uint32_t i = 1; i < line && begin < end; i++) {
        newline = memchr(begin, '\n', (size_t)(end - begin));
        begin = newline ? newline + 1 : end;
    }
    newline = memchr(begin, '\n', (size_t)(end - begin));
    return (struct span){diag_source(diag, name, text, size), (uint32_t)(begin - text),
                         (uint32_t)((newline ? newline : end) - text)};
}

void diag_suggest(struct diag *diag, struct span at, const char *name,
                  const char *const *candidates, size_t count) {
    const char *near = takes_notes(diag) ? nearest_name(name, candidates, count) : NULL;
    if (!near)
        return;
    struct arena *a = &diag->pending.arena;
    diag_note(diag, at, "did you mean '%s'?", near);
    if (!at.source)
        return;
    struct fixit *f = ARENA_NEW(a, struct fixit);
    *f = (struct fixit){at, arena_strdup(a, near)};
    struct message *note = &vec_last(&diag->pending.notes);
    note->fixits = f;
    note->fixit_count = 1;
}

const struct message *diag_waiting(struct diag *diag) {
    struct pending *p = &diag->pending;
    if (!p->active)
        return NULL;
    p->message.fixits = p->fixits.data;
    p->message.fixit_count = p->fixits.len;
    p->message.notes = p->notes.data;
    p->message.note_count = p->notes.len;
    return &p->message;
}

static void deliver(struct diag *diag) {
    if (diag_full(diag))
        error_limit_note(diag);
    diag->consumer(diag->context, diag, diag_waiting(diag));
}

void diag_flush(struct diag *diag) {
    struct pending *p = &diag->pending;
    if (p->active && diag->consumer)
        deliver(diag);
    p->active = false;
    vec_clear(&p->notes);
    vec_clear(&p->fixits);
    arena_free(&p->arena);
}

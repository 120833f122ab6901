/* SPDX-License-Identifier: MIT
 * Lines of a kernel's text that are the machine's and no assembler's: ".split x UNIT HALO",
 * ".same x", ".each x" say how a buffer lies in MRAM; one that none names is the symbol itself. */
#include "machines/core/dpu/link/dpu_link.h"

#include <stdlib.h>
#include <string.h>

struct words {
    const char *at, *end; /* of a line */
};

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == ',';
}

static size_t next(struct words *w, const char **word) {
    while (w->at < w->end && is_blank(*w->at))
        w->at++;
    *word = w->at;
    while (w->at < w->end && !is_blank(*w->at))
        w->at++;
    return (size_t)(w->at - *word);
}

static bool is(const char *word, size_t n, const char *name) {
    return strlen(name) == n && memcmp(word, name, n) == 0;
}

static bool take_number(struct words *w, uint64_t *out) {
    const char *word;
    size_t n = next(w, &word);
    return n && number_parse_u64(word, n, out);
}

/* False with *what, of a line that begins as one of these and is none. */
static bool take(struct words w, struct dpu_lies *out, bool *found, struct str *what) {
    const char *word, *name;
    size_t n = next(&w, &word);
    *out = (struct dpu_lies){.name = NULL};
    out->lies.layout = is(word, n, ".split")  ? LAYOUT_SPLIT
                       : is(word, n, ".same") ? LAYOUT_SAME
                       : is(word, n, ".each") ? LAYOUT_EACH
                                              : LAYOUT_FLAT;
    *found = out->lies.layout != LAYOUT_FLAT;
    if (!*found)
        return true;
    bool split = out->lies.layout == LAYOUT_SPLIT;
    size_t length = next(&w, &name);
    if (length &&
        (!split || (take_number(&w, &out->lies.unit) && take_number(&w, &out->lies.halo))) &&
        !next(&w, &word)) {
        out->name = xstrndup(name, length);
        return true;
    }
    str_append(what, "expected .split NAME UNIT HALO, .same NAME or .each NAME");
    return false;
}

bool dpu_text_read(const char *text, size_t size, struct dpu_text *out,
                   struct machine_kernel_fault *fault) {
    uint32_t number = 0;
    bool fine = true;
    for (const char *at = text, *end = text + size; fine && at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *to = newline ? newline : end;
        struct dpu_lies x;
        bool found;
        fault->line = ++number;
        fine = take((struct words){at, to}, &x, &found, &fault->what);
        x.line = number;
        if (fine && found)
            vec_push(&out->layouts, x);
        else
            str_append_n(&out->text, at, (size_t)(to - at));
        if (newline)
            str_char(&out->text, '\n');
        at = newline ? newline + 1 : end;
    }
    fault->line = fine ? 0 : number;
    return fine;
}

void dpu_text_free(struct dpu_text *text) {
    for (size_t i = 0; i < text->layouts.len; i++)
        free(text->layouts.data[i].name);
    vec_free(&text->layouts);
    str_free(&text->text);
}

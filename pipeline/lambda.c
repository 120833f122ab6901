/* SPDX-License-Identifier: MIT
 * Texts of functions: parameters and bodies. */
#include "pipeline/lambda.h"

#include <ctype.h>
#include <string.h>

/* ---- words ---- */

static bool in_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

const char *pipeline_skip(const char *at) {
    for (;;) {
        const char *end = NULL;
        if (isspace((unsigned char)*at))
            end = at + 1;
        else if (strncmp(at, "//", 2) == 0)
            end = at + strcspn(at, "\n");
        else if (strncmp(at, "/*", 2) == 0 && (end = strstr(at + 2, "*/")))
            end += 2;
        if (!end)
            return at;
        at = end;
    }
}

size_t pipeline_word_length(const char *at) {
    size_t n = 0;
    while (in_word(at[n]))
        n++;
    return n;
}

bool pipeline_is_word(const char *at, size_t n, const char *word) {
    return strlen(word) == n && memcmp(at, word, n) == 0;
}

bool pipeline_is_name(const char *text) {
    return *text && !isdigit((unsigned char)*text) && !text[pipeline_word_length(text)];
}

const char *pipeline_rename(struct arena *arena, const char *text, const char *const *from,
                            const char *const *to, size_t count) {
    struct str out = {0};
    while (*text) {
        const char *code = pipeline_skip(text);
        size_t n = pipeline_word_length(code), i = 0;
        while (i < count && !(n && pipeline_is_word(code, n, from[i])))
            i++;
        str_append_n(&out, text, (size_t)(code - text));
        if (i < count)
            str_append(&out, to[i]);
        else
            str_append_n(&out, code, n ? n : *code != '\0');
        text = code + (n ? n : *code != '\0');
    }
    const char *made = arena_strdup(arena, str_text(&out));
    str_free(&out);
    return made;
}

bool pipeline_has_word(const char *text, const char *word) {
    while (*(text = pipeline_skip(text))) {
        size_t n = pipeline_word_length(text);
        if (n && pipeline_is_word(text, n, word))
            return true;
        text += n ? n : 1;
    }
    return false;
}

/* ---- types ---- */

struct type_words {
    bool is_unsigned, is_signed, is_short, is_char, is_int;
    unsigned longs;
    struct lane_type exact;
    bool unknown;
};

static void take_word(struct type_words *w, const char *at, size_t n) {
    static const struct {
        const char *word;
        struct lane_type type;
    } all[] = {{"bool", {TYPE_BOOL, 1}},
               {"float", {TYPE_FLOAT, 32}},
               {"double", {TYPE_FLOAT, 64}},
               {"size_t", {TYPE_UINT, 64}}};
    char fixed[16];
    w->is_unsigned |= pipeline_is_word(at, n, "unsigned");
    w->is_signed |= pipeline_is_word(at, n, "signed");
    w->is_short |= pipeline_is_word(at, n, "short");
    w->is_char |= pipeline_is_word(at, n, "char");
    w->is_int |= pipeline_is_word(at, n, "int");
    w->longs += pipeline_is_word(at, n, "long");
    if (pipeline_is_word(at, n, "unsigned") || pipeline_is_word(at, n, "signed") ||
        pipeline_is_word(at, n, "short") || pipeline_is_word(at, n, "char") ||
        pipeline_is_word(at, n, "int") || pipeline_is_word(at, n, "long") ||
        pipeline_is_word(at, n, "const") || pipeline_is_word(at, n, "volatile") ||
        pipeline_is_word(at, n, "std"))
        return;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (pipeline_is_word(at, n, all[i].word)) {
            w->exact = all[i].type;
            return;
        }
    for (unsigned bits = 8; bits <= 64; bits *= 2)
        for (int sign = 0; sign < 2; sign++) {
            snprintf(fixed, sizeof fixed, "%sint%u_t", sign ? "" : "u", bits);
            if (pipeline_is_word(at, n, fixed)) {
                w->exact = (struct lane_type){sign ? TYPE_INT : TYPE_UINT, (uint8_t)bits};
                return;
            }
        }
    if (!object_type_parse(at, n, &w->exact))
        w->unknown = true;
}

/* As C has it on hosts of 64 bits. */
static struct lane_type type_of(const char *at, const char *end) {
    struct type_words w = {.longs = 0};
    for (at = pipeline_skip(at); at < end; at = pipeline_skip(at)) {
        size_t n = pipeline_word_length(at);
        if (n)
            take_word(&w, at, n);
        at += n ? n : 1;
    }
    if (w.unknown || w.exact.bits)
        return w.unknown ? (struct lane_type){TYPE_BOOL, 0} : w.exact;
    if (!(w.is_unsigned || w.is_signed || w.is_short || w.is_char || w.is_int || w.longs))
        return (struct lane_type){TYPE_BOOL, 0};
    return (struct lane_type){w.is_unsigned ? TYPE_UINT : TYPE_INT, w.is_char    ? 8
                                                                    : w.is_short ? 16
                                                                    : w.longs    ? 64
                                                                                 : 32};
}

/* ---- functions ---- */

const char *pipeline_partner(const char *at, const char *end) {
    char open[64];
    size_t depth = 0;
    for (; at < end; at++) {
        const char *code = pipeline_skip(at);
        if (code >= end)
            return NULL;
        at = code;
        const char *close = strchr("()[]{}", *at);
        if (!close)
            continue;
        if (strchr("([{", *at)) {
            if (depth == sizeof open)
                return NULL;
            open[depth++] = close[1];
        } else if (!depth || open[--depth] != *at) {
            return NULL;
        } else if (!depth) {
            return at + 1;
        }
    }
    return NULL;
}

/* `T *name`. */
static bool parse_parameter(const char *at, const char *end, struct arena *arena,
                            struct pipeline_function *f, struct str *wrong) {
    const char *star = memchr(at, '*', (size_t)(end - at)), *name = NULL;
    size_t length = 0;
    for (const char *p = star ? pipeline_skip(star + 1) : end; p < end; p = pipeline_skip(p)) {
        size_t n = pipeline_word_length(p);
        if (n && !pipeline_is_word(p, n, "const") && !pipeline_is_word(p, n, "__restrict"))
            name = p, length = n;
        p += n ? n : 1;
    }
    at = pipeline_skip(at);
    while (end > at && isspace((unsigned char)end[-1]))
        end--;
    if (!name) {
        str_printf(wrong,
                   "parameter `%.*s` of its function is no pointer with a name: write `T *x`",
                   (int)(end - at), at);
        return false;
    }
    vec_push(&f->parameters,
             ((struct pipeline_parameter){arena_strndup(arena, name, length), type_of(at, star)}));
    return true;
}

static bool parse_parameters(const char *at, const char *end, struct arena *arena,
                             struct pipeline_function *f, struct str *wrong) {
    if (pipeline_skip(at) >= end)
        return true;
    for (;;) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        if (!parse_parameter(at, comma ? comma : end, arena, f, wrong))
            return false;
        if (!comma)
            return true;
        at = comma + 1;
    }
}

bool pipeline_parse_function(const char *text, struct arena *arena,
                             struct pipeline_function *function, struct str *wrong) {
    static const char form[] = "its function is not `[](T *x, ..) { .. }`";
    const char *at = pipeline_skip(text), *end = text + strlen(text), *close;
    *function = (struct pipeline_function){.body = NULL};
    /* Parentheses around all of it are a macro's. */
    while (*at == '(' && strchr("([", *pipeline_skip(at + 1)) && *pipeline_skip(at + 1) &&
           (close = pipeline_partner(at, end)) && *pipeline_skip(close) == '\0') {
        at = pipeline_skip(at + 1);
        end = close - 1;
    }
    if (*at == '[') {
        close = pipeline_partner(at, end);
        if (close && pipeline_skip(at + 1) != close - 1) {
            str_append(wrong, "its function captures variables, which the machine does not have: "
                              "pass them as scalars");
            return false;
        }
        at = close ? pipeline_skip(close) : end;
    }
    const char *parameters = at;
    close = at < end && *at == '(' ? pipeline_partner(at, end) : NULL;
    at = close ? pipeline_skip(close) : end;
    /* `-> bool`, `noexcept`, `mutable`. */
    while (at < end && *at != '{')
        at = pipeline_skip(at + 1);
    const char *behind = at < end ? pipeline_partner(at, end) : NULL;
    if (!behind || pipeline_skip(behind) < end) {
        str_append(wrong, form);
        return false;
    }
    function->body = arena_strndup(arena, at + 1, (size_t)(behind - 1 - (at + 1)));
    if (!parse_parameters(parameters + 1, close - 1, arena, function, wrong))
        return false;
    if (function->parameters.len > PIPELINE_MAX_PARAMETERS) {
        str_printf(wrong, "its function has more than %d parameters", PIPELINE_MAX_PARAMETERS);
        return false;
    }
    return true;
}

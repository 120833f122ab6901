/* SPDX-License-Identifier: MIT
 * Texts with several kernels, their entries, and buffers that these share:
 *
 *     .data 0, 10
 *     .buffer table: i64[4]
 *     .entry scale(x: i64[], a: i64)
 *             ..
 *     .entry add(x: i64[], n: u64)
 *             ..
 *
 * Words of 8 bytes behind .data are what entries share; in which register they find the address of
 * the first, the kind says.  A buffer is the last parameter of each entry behind it.  The code of
 * an entry stands in the lines up to the next one; its labels are its own. */
#include "machines/stored/link/stored.h"

#include <string.h>

struct text_line {
    const char *at, *end;
    uint32_t number;
};

/* The next one; false: there is none. */
static bool next_line(const char *text, size_t size, struct text_line *line) {
    const char *end = text + size, *from = line->number ? line->end + 1 : text;
    if (from >= end)
        return false;
    const char *newline = memchr(from, '\n', (size_t)(end - from));
    *line = (struct text_line){from, newline ? newline : end, line->number + 1};
    return true;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip(struct text_line *line) {
    while (line->at < line->end && is_blank(*line->at))
        line->at++;
}

static bool take(struct text_line *line, const char *text) {
    size_t n = strlen(text);
    skip(line);
    if ((size_t)(line->end - line->at) < n || memcmp(line->at, text, n) != 0)
        return false;
    line->at += n;
    return true;
}

static bool take_word(struct text_line *line, const char **word, size_t *n) {
    skip(line);
    *word = line->at;
    while (line->at < line->end && !is_blank(*line->at) && !strchr("(),:[]", *line->at))
        line->at++;
    *n = (size_t)(line->at - *word);
    return *n != 0;
}

/* A directive: its name, and a blank. */
static bool take_directive(struct text_line *line, const char *name) {
    struct text_line rest = *line;
    if (!take(&rest, name) || rest.at == rest.end || !is_blank(*rest.at))
        return false;
    *line = rest;
    return true;
}

static bool ends(struct text_line *line) {
    skip(line);
    return line->at == line->end;
}

/* ---- declarations ---- */

/* NAME: TYPE */
static bool take_typed(struct text_line *line, struct arena *arena, const char **name,
                       struct lane_type *type) {
    const char *word;
    size_t n;
    if (!take_word(line, &word, &n))
        return false;
    *name = arena_strndup(arena, word, n);
    return object_name_ok(*name) && take(line, ":") && take_word(line, &word, &n) &&
           object_type_parse(word, n, type);
}

static bool take_buffer(struct text_line *line, struct machine_entries *out) {
    struct buffer_decl b = {.direction = VAR_IN | VAR_OUT,
                            .ndim = 1,
                            .shape = {{NO_INDEX, 0}},
                            .place = {NO_INDEX, 0, 0}};
    const char *word;
    size_t n;
    if (!take_typed(line, &out->arena, &b.name, &b.type) || !take(line, "[") ||
        !take_word(line, &word, &n) || !number_parse_u64(word, n, &b.shape[0].value) ||
        b.shape[0].value < 1 || b.shape[0].value > OBJECT_MAX_EXTENT || !take(line, "]") ||
        !ends(line))
        return false;
    vec_push(&out->buffers, b);
    return true;
}

/* 5, -7, 0x10; appended, 8 bytes each (to NULL: nobody asks). */
static bool take_data(struct text_line *line, struct str *out) {
    do {
        const char *word;
        size_t n;
        uint64_t number;
        bool minus = take(line, "-");
        if (!take_word(line, &word, &n) || !number_parse_u64(word, n, &number))
            return false;
        for (unsigned i = 0; out && i < 8; i++)
            str_char(out, (char)((minus ? 0 - number : number) >> 8 * i));
    } while (take(line, ","));
    return ends(line);
}

bool stored_data(const struct machine_library *l, const struct module_decl *module, struct str *out,
                 struct str *addresses, struct machine_kernel_fault *fault) {
    struct text_line line = {.number = 0};
    (void)l, (void)addresses, (void)fault; /* stored_declare has found what is wrong */
    while (next_line(module->bytes, module->size, &line)) {
        struct text_line rest = line;
        if (take_directive(&rest, ".entry"))
            break;
        if (take_directive(&rest, ".data"))
            take_data(&rest, out);
    }
    return true;
}

/* [24, 4] */
static bool take_bytes(struct text_line *line, struct kernel_parameter *p) {
    const char *word;
    size_t n;
    uint64_t bytes, align;
    if (!take(line, "[") || !take_word(line, &word, &n) || !number_parse_u64(word, n, &bytes) ||
        !take(line, ",") || !take_word(line, &word, &n) || !number_parse_u64(word, n, &align) ||
        !take(line, "]") || bytes < 1 || bytes > KERNEL_MAX_PARAMETER_BYTES || align > 16)
        return false;
    p->kind = PARAMETER_BYTES;
    p->bytes = (uint16_t)bytes;
    p->align = (uint8_t)align;
    return align && !(align & (align - 1));
}

/* p: bytes[24, 4], x: i64[] or n: u64 */
static bool take_parameter(struct text_line *line, struct arena *arena,
                           struct kernel_parameter *p) {
    struct text_line rest = *line;
    const char *word;
    size_t n;
    *p = (struct kernel_parameter){.name = NULL};
    if (take_word(&rest, &word, &n) && take(&rest, ":") && take(&rest, "bytes")) {
        p->name = arena_strndup(arena, word, n);
        *line = rest;
        return object_name_ok(p->name) && take_bytes(line, p);
    }
    if (!take_typed(line, arena, &p->name, &p->type))
        return false;
    p->kind = take(line, "[") ? PARAMETER_BUFFER : PARAMETER_NUMBER;
    return p->kind == PARAMETER_NUMBER || take(line, "]");
}

/* The buffers of the text behind them. */
static bool take_parameters(struct text_line *line, struct machine_entries *out,
                            struct machine_entry *entry) {
    struct kernel_parameter *list =
        ARENA_ARRAY(&out->arena, KERNEL_MAX_PARAMETERS, struct kernel_parameter);
    uint32_t count = 0;
    if (!take(line, "("))
        return false;
    for (bool more = !take(line, ")"); more; more = !take(line, ")")) {
        struct kernel_parameter *p = &list[count];
        if ((count && !take(line, ",")) || ++count > KERNEL_MAX_PARAMETERS - out->buffers.len ||
            !take_parameter(line, &out->arena, p))
            return false;
    }
    for (size_t i = 0; i < out->buffers.len; i++)
        list[count++] = (struct kernel_parameter){.name = out->buffers.data[i].name,
                                                  .kind = PARAMETER_BUFFER,
                                                  .type = out->buffers.data[i].type};
    entry->parameters = list;
    entry->parameter_count = count;
    return ends(line);
}

static bool is_there(const struct machine_entries *entries, const char *name) {
    for (size_t i = 0; i < entries->entries.len; i++)
        if (strcmp(entries->entries.data[i].name, name) == 0)
            return true;
    return false;
}

static bool take_entry(struct text_line *line, struct machine_entries *out, struct str *what) {
    struct machine_entry e = {.line = line->number};
    const char *word;
    size_t n;
    if (!take_word(line, &word, &n))
        return false;
    e.name = arena_strndup(&out->arena, word, n);
    if (is_there(out, e.name))
        str_printf(what, "entry '%s' is declared twice", e.name);
    if (what->len || !object_name_ok(e.name) || !take_parameters(line, out, &e))
        return false;
    vec_push(&out->entries, e);
    return true;
}

bool stored_declare(const char *text, size_t size, struct machine_entries *out,
                    struct machine_kernel_fault *fault) {
    struct text_line line = {.number = 0};
    while (!fault->what.len && next_line(text, size, &line)) {
        struct text_line rest = line;
        fault->line = line.number;
        if (take_directive(&rest, ".entry")) {
            if (!take_entry(&rest, out, &fault->what) && !fault->what.len)
                str_append(&fault->what, "expected .entry NAME(x: i64[], n: u64)");
        } else if (!out->entries.len && take_directive(&rest, ".buffer")) {
            if (!take_buffer(&rest, out))
                str_append(&fault->what, "expected .buffer NAME: i64[8]");
        } else if (!out->entries.len && take_directive(&rest, ".data")) {
            if (!take_data(&rest, NULL))
                str_append(&fault->what, "expected .data 1, 2, ..");
        } else if (!out->entries.len && !ends(&rest)) {
            str_append(&fault->what, "this stands before the first .entry");
        }
    }
    if (fault->what.len)
        return false;
    fault->line = 0;
    if (!out->entries.len)
        str_append(&fault->what, "it has no .entry NAME(x: i64[], n: u64)");
    return out->entries.len != 0;
}

/* ---- the text of an entry ---- */

static void entry_text(const char *text, size_t size, const char *entry, struct str *out) {
    struct text_line line = {.number = 0};
    bool inside = false;
    while (next_line(text, size, &line)) {
        struct text_line rest = line;
        const char *word;
        size_t n;
        if (take_directive(&rest, ".entry")) {
            inside =
                take_word(&rest, &word, &n) && strlen(entry) == n && memcmp(entry, word, n) == 0;
        } else if (inside) {
            str_append_n(out, line.at, (size_t)(line.end - line.at));
        }
        str_char(out, '\n');
    }
}

const char *stored_kernel_text(const struct kernel_decl *kernel, struct str *own) {
    if (!kernel->entry)
        return kernel->bytes;
    entry_text(kernel->bytes, kernel->size, kernel->entry, own);
    return str_text(own);
}

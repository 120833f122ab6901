/* SPDX-License-Identifier: MIT
 * Names of C++ as compilers encode them (the Itanium ABI): those of functions with usual types of
 * parameters.  What is not understood is no such name. */
#include "ptx/entries.h"

#include <stdio.h>
#include <string.h>

#define MAX_SUBSTITUTES 256
#define MAX_ARGUMENTS   32
#define MAX_DEPTH       64

struct type {
    bool pointer, constant; /* constant: it is, or of a pointer what it points to */
    struct lane_type lane;  /* of it, or of what it points to; bits 0: none */
    const char *text;
};

struct reader {
    const char *at;
    struct arena *arena;
    struct type substitute[MAX_SUBSTITUTES], argument[MAX_ARGUMENTS];
    uint32_t substitutes, arguments;
    unsigned depth;
};

static bool take(struct reader *r, char c) {
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static bool keep(struct reader *r, const struct type *t) {
    if (r->substitutes == MAX_SUBSTITUTES)
        return false;
    r->substitute[r->substitutes++] = *t;
    return true;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* S_ is number 0, S0_ 1, SZ_ 36; likewise T_. */
static bool take_sequence(struct reader *r, uint32_t *number) {
    uint32_t n = 0;
    if (take(r, '_')) {
        *number = 0;
        return true;
    }
    while (is_digit(*r->at) || (*r->at >= 'A' && *r->at <= 'Z')) {
        n = n * 36 + (uint32_t)(is_digit(*r->at) ? *r->at - '0' : *r->at - 'A' + 10);
        if (n > MAX_SUBSTITUTES)
            return false;
        r->at++;
    }
    *number = n + 1;
    return take(r, '_');
}

/* 4axpy */
static bool take_source_name(struct reader *r, const char **name) {
    size_t n = 0;
    while (is_digit(*r->at) && n < 10000)
        n = n * 10 + (size_t)(*r->at++ - '0');
    if (n == 0 || n > strlen(r->at))
        return false;
    *name = arena_strndup(r->arena, r->at, n);
    r->at += n;
    if (strncmp(*name, "_GLOBAL__N", 10) == 0)
        *name = "(anonymous namespace)";
    return true;
}

static bool take_type(struct reader *r, struct type *t);

/* Li16E */
static bool take_literal(struct reader *r, const char **text) {
    struct type of;
    if (!take_type(r, &of))
        return false;
    bool minus = take(r, 'n');
    size_t n = strspn(r->at, "0123456789");
    if (!n)
        return false;
    *text = arena_printf(r->arena, "%s%.*s", minus ? "-" : "", (int)n, r->at);
    r->at += n;
    return take(r, 'E');
}

/* I..E behind a name: "<float, 16>"; the arguments of a function's own name are what T_ means. */
static bool take_arguments(struct reader *r, bool own, const char **text) {
    const char *all = "";
    for (uint32_t i = 0; !take(r, 'E'); i++) {
        struct type t = {.text = NULL};
        if (i == MAX_ARGUMENTS || (take(r, 'L') ? !take_literal(r, &t.text) : !take_type(r, &t)))
            return false;
        all = arena_printf(r->arena, "%s%s%s", all, i ? ", " : "", t.text);
        if (own) {
            r->argument[i] = t;
            r->arguments = i + 1;
        }
    }
    *text = arena_printf(r->arena, "<%s>", all);
    return true;
}

/* A name, of a type or of the function itself, with namespaces; *last: without them.  *templated:
 * arguments stand at its end. */
static bool take_name(struct reader *r, bool own, const char **text, const char **last,
                      bool *templated) {
    bool nested = take(r, 'N');
    const char *name, *arguments;
    *text = "";
    *templated = false;
    do {
        struct type prefix = {.text = NULL};
        if (!take_source_name(r, &name))
            return false;
        *text = arena_printf(r->arena, "%s%s%s", *text, **text ? "::" : "", name);
        *last = name;
        *templated = *r->at == 'I';
        prefix.text = *text;
        bool more = nested && *r->at != 'E';
        if ((more || *templated || !own) && !keep(r, &prefix))
            return false;
        if (take(r, 'I')) {
            if (!take_arguments(r, own, &arguments))
                return false;
            *text = arena_printf(r->arena, "%s%s", *text, arguments);
            prefix.text = *text;
            if ((!own || (nested && *r->at != 'E')) && !keep(r, &prefix))
                return false;
        }
    } while (nested && *r->at != 'E');
    return !nested || take(r, 'E');
}

static bool take_builtin(struct reader *r, struct type *t) {
    static const struct {
        char code;
        struct lane_type lane;
        const char *text;
    } known[] = {{'v', {TYPE_UINT, 0}, "void"},
                 {'b', {TYPE_UINT, 8}, "bool"},
                 {'c', {TYPE_INT, 8}, "char"},
                 {'a', {TYPE_INT, 8}, "signed char"},
                 {'h', {TYPE_UINT, 8}, "unsigned char"},
                 {'s', {TYPE_INT, 16}, "short"},
                 {'t', {TYPE_UINT, 16}, "unsigned short"},
                 {'i', {TYPE_INT, 32}, "int"},
                 {'j', {TYPE_UINT, 32}, "unsigned int"},
                 {'l', {TYPE_INT, 64}, "long"},
                 {'m', {TYPE_UINT, 64}, "unsigned long"},
                 {'x', {TYPE_INT, 64}, "long long"},
                 {'y', {TYPE_UINT, 64}, "unsigned long long"},
                 {'n', {TYPE_INT, 0}, "__int128"},
                 {'o', {TYPE_UINT, 0}, "unsigned __int128"},
                 {'w', {TYPE_INT, 32}, "wchar_t"},
                 {'f', {TYPE_FLOAT, 32}, "float"},
                 {'d', {TYPE_FLOAT, 64}, "double"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (take(r, known[i].code)) {
            *t = (struct type){.lane = known[i].lane, .text = known[i].text};
            return true;
        }
    return false;
}

static bool take_pointer(struct reader *r, struct type *t) {
    struct type to;
    if (!take_type(r, &to))
        return false;
    *t = (struct type){.pointer = true,
                       .constant = to.constant && !to.pointer,
                       .lane = to.pointer ? (struct lane_type){TYPE_UINT, 64} : to.lane,
                       .text = arena_printf(r->arena, "%s*", to.text)};
    return keep(r, t);
}

static bool take_qualified(struct reader *r, const char *word, struct type *t) {
    if (!take_type(r, t))
        return false;
    t->text = arena_printf(r->arena, "%s %s", t->text, word);
    t->constant |= word[0] == 'c' && !t->pointer;
    return keep(r, t);
}

static bool take_substitute(struct reader *r, struct type *t) {
    uint32_t n;
    if (!take_sequence(r, &n) || n >= r->substitutes)
        return false;
    *t = r->substitute[n];
    return true;
}

static bool take_argument(struct reader *r, struct type *t) {
    uint32_t n;
    if (!take_sequence(r, &n) || n >= r->arguments)
        return false;
    *t = r->argument[n];
    return keep(r, t);
}

static bool take_named(struct reader *r, struct type *t) {
    const char *last;
    bool templated;
    *t = (struct type){.text = NULL};
    if (!take_name(r, false, &t->text, &last, &templated))
        return false;
    if (strcmp(t->text, "__half") == 0)
        t->lane = (struct lane_type){TYPE_FLOAT, 16};
    /* what it was kept as does not know that */
    r->substitute[r->substitutes - 1] = *t;
    return true;
}

static bool take_type(struct reader *r, struct type *t) {
    bool fine = false;
    if (++r->depth > MAX_DEPTH)
        return false;
    if (take(r, 'P'))
        fine = take_pointer(r, t);
    else if (take(r, 'K'))
        fine = take_qualified(r, "const", t);
    else if (take(r, 'V'))
        fine = take_qualified(r, "volatile", t);
    else if (take(r, 'S'))
        fine = take_substitute(r, t);
    else if (take(r, 'T'))
        fine = take_argument(r, t);
    else if (is_digit(*r->at) || *r->at == 'N')
        fine = take_named(r, t);
    else
        fine = take_builtin(r, t);
    r->depth--;
    return fine;
}

static bool take_parameters(struct reader *r, struct ptx_named *out) {
    const char *all = "";
    struct type t;
    if (strcmp(r->at, "v") == 0)
        r->at++;
    while (*r->at) {
        uint32_t i = out->parameter_count;
        if (i == KERNEL_MAX_PARAMETERS || !take_type(r, &t))
            return false;
        out->parameter[i].pointer = t.pointer;
        out->parameter[i].constant = t.constant;
        out->parameter[i].type = t.lane;
        out->parameter_count++;
        all = arena_printf(r->arena, "%s%s%s", all, i ? ", " : "", t.text);
    }
    out->text = arena_printf(r->arena, "%s(%s)", out->qualified, all);
    return true;
}

bool ptx_name_read(const char *symbol, struct arena *arena, struct ptx_named *out) {
    struct reader r = {.at = symbol + 2, .arena = arena};
    struct type result;
    bool templated;
    out->parameter_count = 0;
    out->whole = NULL;
    if (strncmp(symbol, "_Z", 2) != 0 || strlen(symbol) >= 4096 ||
        !take_name(&r, true, &out->qualified, &out->name, &templated) ||
        (templated && !take_type(&r, &result)) || !take_parameters(&r, out))
        return false;
    if (templated)
        out->whole = arena_printf(arena, "%s %s", result.text, out->text);
    return true;
}

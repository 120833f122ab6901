/* SPDX-License-Identifier: MIT
 * Response files: @file on the command line stands for the arguments in the file. */
#include "support/options_table.h"

#include "support/file.h"
#include "support/str.h"

#include <errno.h>
#include <string.h>

/* Bounds on files that name each other. */
enum { MAX_NESTING = 16, MAX_FILES = 1000 };

struct argument_expansion {
    struct command_line *cl;
    struct arg_list *args;
    unsigned depth, files;
    bool options_ended; /* "--" was seen: what follows is taken as it stands */
    int exit_code;
};

/* A response file that is being split. */
struct response_reader {
    const char *text;
    size_t size, at;
    uint32_t source;
};

static bool expand(struct argument_expansion *x, const char *arg, struct span at);

static bool fail(struct argument_expansion *x, int exit_code) {
    x->exit_code = exit_code;
    return false;
}

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool unterminated(struct argument_expansion *x, const struct response_reader *r,
                         size_t begin) {
    struct span at = {r->source, (uint32_t)begin, (uint32_t)r->size};
    diag_error(x->cl->diag, at, "this quote is never closed");
    return fail(x, EXIT_USAGE);
}

/* The rest of a quoted part; r->at is behind the opening quote.  In "..." a backslash protects
 * a quote and a backslash; in '...' nothing is special. */
static bool read_quoted(struct argument_expansion *x, struct response_reader *r, char quote,
                        struct str *arg) {
    size_t begin = r->at - 1;
    while (r->at < r->size && r->text[r->at] != quote) {
        if (quote == '"' && r->text[r->at] == '\\' && r->at + 1 < r->size &&
            (r->text[r->at + 1] == '"' || r->text[r->at + 1] == '\\'))
            r->at++;
        str_char(arg, r->text[r->at++]);
    }
    if (r->at == r->size)
        return unterminated(x, r, begin);
    r->at++;
    return true;
}

/* One argument, from its first byte to the white space behind it. */
static bool read_argument(struct argument_expansion *x, struct response_reader *r,
                          struct str *arg) {
    while (r->at < r->size && !is_space(r->text[r->at])) {
        char c = r->text[r->at++];
        if (c == '\'' || c == '"') {
            if (!read_quoted(x, r, c, arg))
                return false;
        } else if (c == '\\' && r->at < r->size) {
            str_char(arg, r->text[r->at++]);
        } else {
            str_char(arg, c);
        }
    }
    return true;
}

static bool split(struct argument_expansion *x, struct response_reader *r) {
    struct str arg = {0};
    bool ok = true;
    while (ok) {
        while (r->at < r->size && is_space(r->text[r->at]))
            r->at++;
        if (r->at == r->size)
            break;
        struct span at = {r->source, (uint32_t)r->at, 0};
        str_clear(&arg);
        ok = read_argument(x, r, &arg);
        at.end = (uint32_t)r->at;
        ok = ok && expand(x, arena_strndup(&x->cl->arena, str_text(&arg), arg.len), at);
    }
    str_free(&arg);
    return ok;
}

static bool has_nul(struct argument_expansion *x, const struct response_reader *r) {
    const char *nul = memchr(r->text, '\0', r->size);
    if (!nul)
        return false;
    uint32_t offset = (uint32_t)(nul - r->text);
    diag_error(x->cl->diag, (struct span){r->source, offset, offset + 1},
               "a response file is text, and this is a NUL byte");
    x->exit_code = EXIT_USAGE;
    return true;
}

static bool expand_text(struct argument_expansion *x, const char *name, const char *text,
                        size_t size) {
    struct response_reader r = {.text = text, .size = size};
    r.source = diag_source(x->cl->diag, name, text, size);
    x->depth++;
    bool ok = !has_nul(x, &r) && split(x, &r);
    x->depth--;
    return ok;
}

static bool expand_file(struct argument_expansion *x, const char *name, struct span at) {
    if (x->depth == MAX_NESTING || x->files++ == MAX_FILES) {
        diag_error(x->cl->diag, at, "response files are nested too deep at '@%s'", name);
        return fail(x, EXIT_USAGE);
    }
    size_t size;
    char *text = file_read(name, &size);
    if (!text) {
        diag_error(x->cl->diag, at, "cannot read the response file '%s': %s", name,
                   strerror(errno));
        return fail(x, EXIT_FILE);
    }
    bool ok = expand_text(x, name, text, size);
    free(text);
    return ok;
}

static bool expand(struct argument_expansion *x, const char *arg, struct span at) {
    if (arg[0] == '@' && arg[1] && !x->options_ended)
        return expand_file(x, arg + 1, at);
    if (strcmp(arg, "--") == 0)
        x->options_ended = true;
    vec_push(x->args, arg);
    return true;
}

bool option_expand_arguments(struct command_line *cl, int argc, char **argv, struct arg_list *args,
                             int *exit_code) {
    struct argument_expansion x = {.cl = cl, .args = args};
    for (int i = 1; i < argc; i++) {
        if (!expand(&x, arena_strdup(&cl->arena, argv[i]), NO_SPAN)) {
            *exit_code = x.exit_code;
            return false;
        }
    }
    return true;
}

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

static bool expand(struct argument_expansion *expansion, const char *arg, struct span at);

static bool fail(struct argument_expansion *expansion, int exit_code) {
    expansion->exit_code = exit_code;
    return false;
}

static bool is_space(char character) {
    return character == ' ' || (character >= '\t' && character <= '\r');
}

static bool unterminated(struct argument_expansion *expansion, const struct response_reader *reader,
                         size_t begin) {
    struct span at = {reader->source, (uint32_t)begin, (uint32_t)reader->size};
    diag_error(expansion->cl->diag, at, "this quote is never closed");
    return fail(expansion, EXIT_USAGE);
}

/* The rest of a quoted part; r->at is behind the opening quote.  In "..." a backslash protects
 * a quote and a backslash; in '...' nothing is special. */
static bool read_quoted(struct argument_expansion *expansion, struct response_reader *reader,
                        char quote, struct str *arg) {
    size_t begin = reader->at - 1;
    while (reader->at < reader->size && reader->text[reader->at] != quote) {
        if (quote == '"' && reader->text[reader->at] == '\\' && reader->at + 1 < reader->size &&
            (reader->text[reader->at + 1] == '"' || reader->text[reader->at + 1] == '\\'))
            reader->at++;
        str_char(arg, reader->text[reader->at++]);
    }
    if (reader->at == reader->size)
        return unterminated(expansion, reader, begin);
    reader->at++;
    return true;
}

/* One argument, from its first byte to the white space behind it. */
static bool read_argument(struct argument_expansion *expansion, struct response_reader *reader,
                          struct str *arg) {
    while (reader->at < reader->size && !is_space(reader->text[reader->at])) {
        char c = reader->text[reader->at++];
        if (c == '\'' || c == '"') {
            if (!read_quoted(expansion, reader, c, arg))
                return false;
        } else if (c == '\\' && reader->at < reader->size) {
            str_char(arg, reader->text[reader->at++]);
        } else {
            str_char(arg, c);
        }
    }
    return true;
}

static bool split(struct argument_expansion *expansion, struct response_reader *reader) {
    struct str arg = {0};
    bool ok = true;
    while (ok) {
        while (reader->at < reader->size && is_space(reader->text[reader->at]))
            reader->at++;
        if (reader->at == reader->size)
            break;
        struct span at = {reader->source, (uint32_t)reader->at, 0};
        str_clear(&arg);
        ok = read_argument(expansion, reader, &arg);
        at.end = (uint32_t)reader->at;
        ok = ok &&
             expand(expansion, arena_strndup(&expansion->cl->arena, str_text(&arg), arg.len), at);
    }
    str_free(&arg);
    return ok;
}

static bool has_nul(struct argument_expansion *expansion, const struct response_reader *reader) {
    const char *nul = memchr(reader->text, '\0', reader->size);
    if (!nul)
        return false;
    uint32_t offset = (uint32_t)(nul - reader->text);
    diag_error(expansion->cl->diag, (struct span){reader->source, offset, offset + 1},
               "a response file is text, and this is a NUL byte");
    expansion->exit_code = EXIT_USAGE;
    return true;
}

static bool expand_text(struct argument_expansion *expansion, const char *name, const char *text,
                        size_t size) {
    struct response_reader r = {.text = text, .size = size};
    r.source = diag_source(expansion->cl->diag, name, text, size);
    expansion->depth++;
    bool ok = !has_nul(expansion, &r) && split(expansion, &r);
    expansion->depth--;
    return ok;
}

static bool expand_file(struct argument_expansion *expansion, const char *name, struct span at) {
    if (expansion->depth == MAX_NESTING || expansion->files++ == MAX_FILES) {
        diag_error(expansion->cl->diag, at, "response files are nested too deep at '@%s'", name);
        return fail(expansion, EXIT_USAGE);
    }
    size_t size;
    char *text = file_read_text(name, FILE_MAX_TARGET, &size);
    if (!text) {
        diag_error(expansion->cl->diag, at, "cannot read the response file '%s': %s", name,
                   file_problem(errno));
        return fail(expansion, EXIT_FILE);
    }
    file_uses_read_options(&expansion->cl->files, name);
    bool ok = expand_text(expansion, name, text, size);
    free(text);
    return ok;
}

static bool expand(struct argument_expansion *expansion, const char *arg, struct span at) {
    if (arg[0] == '@' && arg[1] && !expansion->options_ended)
        return expand_file(expansion, arg + 1, at);
    if (strcmp(arg, "--") == 0)
        expansion->options_ended = true;
    vec_push(expansion->args, arg);
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

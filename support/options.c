/* SPDX-License-Identifier: MIT
 * Reads a command line by its table; what is not in the table is refused with the nearest that is.
 */
#include "support/options.h"

#include "support/options_table.h"
#include "support/str.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

struct option_parser {
    const struct tool *tool;
    struct command_line *cl;
    struct arg_list args;
    size_t next; /* index of the argument to look at next */
    struct {
        struct option_value *data;
        size_t len, cap;
    } values;
    bool leave; /* parsing has ended with exit_code */
    int exit_code;
};

static void try_help(const struct command_line *cl) {
    diag_note(cl->diag, NO_SPAN, "try '%s --help'", cl->printer.prefix);
    diag_flush(cl->diag);
}

int tool_usage_error(const struct command_line *cl, const char *format, ...) {
    va_list args;
    va_start(args, format);
    diag_verror(cl->diag, NO_SPAN, format, args);
    va_end(args);
    try_help(cl);
    return EXIT_USAGE;
}

int tool_write_error(const struct command_line *cl, const char *path) {
    const char *quote = strcmp(path, "-") == 0 ? "" : "'";
    if (errno != EPIPE)
        diag_error(cl->diag, NO_SPAN, "cannot write %s%s%s: %s", quote,
                   *quote ? path : "standard output", quote, strerror(errno));
    return EXIT_FILE;
}

bool tool_files_differ(const struct command_line *cl) {
    if (file_uses_check(&cl->files, cl->diag))
        return true;
    diag_flush(cl->diag);
    return false;
}

static void leave(struct option_parser *parser, int exit_code) {
    parser->leave = true;
    parser->exit_code = exit_code;
}

/* A usage error with the nearest of some names. */
static void reject(struct option_parser *parser, const char *name, const char *const *names,
                   size_t count, const char *format, ...) __attribute__((format(printf, 5, 6)));
static void reject(struct option_parser *parser, const char *name, const char *const *names,
                   size_t count, const char *format, ...) {
    va_list args;
    va_start(args, format);
    diag_verror(parser->cl->diag, NO_SPAN, format, args);
    va_end(args);
    diag_suggest(parser->cl->diag, NO_SPAN, name, names, count);
    try_help(parser->cl);
    leave(parser, EXIT_USAGE);
}

/* Unknown option: the candidates are all names of all options. */
static void reject_option(struct option_parser *parser, const char *name) {
    struct arg_list names = {0};
    const struct option *o;
    for (size_t i = 0; (o = option_at(parser->tool, i)); i++) {
        struct option_name n;
        for (const char *rest = o->names; option_next_name(&rest, &n);)
            if (!is_short_name(n))
                vec_push(&names, arena_strndup(&parser->cl->arena, n.text, n.len));
    }
    reject(parser, name, names.data, names.len, "unknown option '%s'", name);
    vec_free(&names);
}

static const struct option *find_option(const struct tool *tool, const char *name, size_t len) {
    const struct option *o;
    for (size_t i = 0; (o = option_at(tool, i)); i++) {
        struct option_name n;
        for (const char *rest = o->names; option_next_name(&rest, &n);)
            if (n.len == len && memcmp(n.text, name, len) == 0)
                return o;
    }
    return NULL;
}

/* The long name of `option` that begins with `prefix`, or one with len 0. */
static struct option_name abbreviated(const struct option *option, const char *prefix, size_t len) {
    struct option_name n;
    for (const char *rest = option->names; option_next_name(&rest, &n);)
        if (n.len > len && len > 2 && memcmp(n.text, "--", 2) == 0 &&
            memcmp(n.text, prefix, len) == 0)
            return n;
    return (struct option_name){"", 0};
}

/* The one option that the prefix can mean; NULL after reporting several, or if there is none. */
static const struct option *find_abbreviation(struct option_parser *parser, const char *prefix,
                                              size_t len) {
    const struct option *o, *found = NULL;
    struct str all = {0};
    unsigned matches = 0;
    for (size_t i = 0; (o = option_at(parser->tool, i)); i++) {
        struct option_name n = abbreviated(o, prefix, len);
        if (!n.len ||
            (i >= parser->tool->option_count && find_option(parser->tool, n.text, n.len) != o))
            continue;
        found = o;
        str_printf(&all, "%s%.*s", matches++ ? ", " : "", (int)n.len, n.text);
    }
    if (matches > 1) {
        leave(parser, tool_usage_error(parser->cl, "option '%.*s' is ambiguous: %s", (int)len,
                                       prefix, all.text));
        found = NULL;
    }
    str_free(&all);
    return found;
}

/* Index of text among the choices, or -1 after reporting. */
static int choose(struct option_parser *parser, const char *option, const char *text,
                  const char *const *choices, size_t count) {
    struct str list = {0};
    for (size_t i = 0; i < count; i++) {
        if (strcmp(text, choices[i]) == 0) {
            str_free(&list);
            return (int)i;
        }
        str_printf(&list, "%s%s", i == 0 ? "" : i + 1 == count ? " or " : ", ", choices[i]);
    }
    reject(parser, text, choices, count, "'%s' takes %s, not '%s'", option, list.text, text);
    str_free(&list);
    return -1;
}

static void set_diagnostics(struct option_parser *parser, const char *name, const char *value) {
    static const char *const formats[] = {"text", "json"};
    int choice = choose(parser, name, value, formats, 2);
    if (choice >= 0)
        parser->cl->printer.format = choice ? DIAG_JSON : DIAG_TEXT;
}

static void set_color(struct option_parser *parser, const char *name, const char *value) {
    static const char *const whens[] = {"auto", "always", "never"};
    int choice = choose(parser, name, value, whens, 3);
    if (choice >= 0)
        parser->cl->printer.color =
            choice == 0 ? diag_color_wanted(parser->cl->printer.out) : choice == 1;
}

/* The name in a -W flag, for looking up what was meant. */
static const char *bare_warning(const char *flag) {
    if (strncmp(flag, "no-", 3) == 0)
        flag += 3;
    return strncmp(flag, "error=", 6) == 0 ? flag + 6 : flag;
}

static void set_warning(struct option_parser *parser, const char *flag) {
    if (diag_set_warning(parser->cl->diag, flag)) {
        vec_push(&parser->cl->warnings, flag);
        return;
    }
    const char *names[WARNING_COUNT + 2] = {"all", "error"};
    for (int w = 0; w < WARNING_COUNT; w++)
        names[w + 2] = diag_warning_table[w].name;
    reject(parser, bare_warning(flag), names, WARNING_COUNT + 2, "unknown warning '-W%s'", flag);
}

static void set_max_errors(struct option_parser *parser, const char *name, const char *value) {
    uint64_t max;
    if (!number_parse_u64(value, strlen(value), &max) || max > UINT32_MAX) {
        leave(parser, tool_usage_error(parser->cl, "'%s' takes a number, not '%s'", name, value));
        return;
    }
    parser->cl->errors_limited = true;
    parser->cl->max_errors = (uint32_t)max;
    diag_set_max_errors(parser->cl->diag, parser->cl->max_errors);
}

/* Text on standard output, then the end. */
static void answer(struct option_parser *parser, const char *text) {
    if (fputs(text, stdout) != EOF && fflush(stdout) != EOF) {
        leave(parser, EXIT_DONE);
        return;
    }
    leave(parser, tool_write_error(parser->cl, "-"));
}

static void answer_help(struct option_parser *parser) {
    struct str text = {0};
    tool_help(parser->tool, &text);
    answer(parser, text.text);
    str_free(&text);
}

static void answer_version(struct option_parser *parser) {
    struct str text = {0};
    str_printf(&text, "%s (MPU toolchain) %s\n", parser->tool->name, tool_version_text());
    answer(parser, text.text);
    str_free(&text);
}

static void apply(struct option_parser *parser, const struct option *option, const char *name,
                  const char *value) {
    switch (option->id) {
    case OPTION_HELP:
        answer_help(parser);
        break;
    case OPTION_VERSION:
        answer_version(parser);
        break;
    case OPTION_VERBOSE:
        parser->cl->verbose = true;
        break;
    case OPTION_DIAGNOSTICS:
        set_diagnostics(parser, name, value);
        break;
    case OPTION_COLOR:
        set_color(parser, name, value);
        break;
    case OPTION_WARNING:
        set_warning(parser, value);
        break;
    case OPTION_MAX_ERRORS:
        set_max_errors(parser, name, value);
        break;
    default:
        vec_push(&parser->values, ((struct option_value){option->id, name, value}));
    }
}

/* An option with the value that is written together with it, or NULL. */
static void take(struct option_parser *parser, const struct option *option, const char *name,
                 const char *value) {
    if (option->arg == ARG_NONE && value) {
        leave(parser, tool_usage_error(parser->cl, "option '%s' takes no value", name));
        return;
    }
    if (option->arg == ARG_REQUIRED && !value) {
        if (parser->next == parser->args.len) {
            leave(parser, tool_usage_error(parser->cl, "option '%s' needs a value: %s", name,
                                           option->metavar));
            return;
        }
        value = parser->args.data[parser->next++];
    }
    apply(parser, option, name, value);
}

/* "-x", "-xVALUE", and "-xyz" for several options without values. */
static void parse_short(struct option_parser *parser, const char *arg) {
    for (const char *c = arg + 1; *c && !parser->leave; c++) {
        char *name = arena_printf(&parser->cl->arena, "-%c", *c);
        const struct option *o = find_option(parser->tool, name, 2);
        if (!o && c == arg + 1) {
            reject_option(parser, arena_strndup(&parser->cl->arena, arg, strcspn(arg, "=")));
        } else if (!o) {
            leave(parser, tool_usage_error(parser->cl, "unknown option '%s' in '%s'", name, arg));
        } else if (o->arg == ARG_NONE) {
            take(parser, o, name, NULL);
        } else {
            take(parser, o, name, c[1] ? c + 1 : NULL);
            return;
        }
    }
}

static void parse_option(struct option_parser *parser, const char *arg) {
    size_t len = strcspn(arg, "=");
    const char *value = arg[len] ? arg + len + 1 : NULL;
    bool two_dashes = arg[1] == '-';
    const struct option *o = len > 2 ? find_option(parser->tool, arg, len) : NULL;
    if (!o && two_dashes)
        o = find_abbreviation(parser, arg, len);
    char *name = arena_strndup(&parser->cl->arena, arg, len);
    if (o)
        take(parser, o, name, value);
    else if (!two_dashes)
        parse_short(parser, arg);
    else if (!parser->leave)
        reject_option(parser, name);
}

static void parse_arguments(struct option_parser *parser) {
    bool operands_only = false;
    while (parser->next < parser->args.len && !parser->leave) {
        const char *arg = parser->args.data[parser->next++];
        if (operands_only || arg[0] != '-' || !arg[1])
            vec_push(&parser->values, ((struct option_value){0, arg, arg}));
        else if (strcmp(arg, "--") == 0)
            operands_only = true;
        else
            parse_option(parser, arg);
    }
}

static void keep_values(struct option_parser *parser) {
    struct command_line *cl = parser->cl;
    cl->count = parser->values.len;
    cl->values = ARENA_ARRAY(&cl->arena, cl->count, struct option_value);
    if (cl->count)
        memcpy(cl->values, parser->values.data, cl->count * sizeof *cl->values);
}

bool command_line_parse(const struct tool *tool, int argc, char **argv, struct command_line *cl,
                        int *exit_code) {
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    *cl = (struct command_line){0};
    cl->printer = (struct diag_printer){
        .out = stderr, .color = diag_color_wanted(stderr), .prefix = tool->name};
    cl->diag = diag_new(diag_print, &cl->printer);
    struct option_parser p = {.tool = tool, .cl = cl};
    if (option_expand_arguments(cl, argc, argv, &p.args, &p.exit_code))
        parse_arguments(&p);
    else
        p.leave = true;
    keep_values(&p);
    vec_free(&p.args);
    vec_free(&p.values);
    *exit_code = p.exit_code;
    if (p.leave)
        command_line_free(cl);
    return !p.leave;
}

const char *option_last(const struct command_line *cl, int id) {
    for (size_t i = cl->count; i-- > 0;)
        if (cl->values[i].id == id)
            return cl->values[i].value ? cl->values[i].value : cl->values[i].name;
    return NULL;
}

const char *tool_output_name(struct arena *arena, const char *input, const char *suffix) {
    const char *name = strcmp(input, "-") == 0 ? "a" : input;
    const char *slash = strrchr(name, '/'), *dot = strrchr(name, '.');
    size_t n = dot && dot > (slash ? slash + 1 : name) ? (size_t)(dot - name) : strlen(name);
    return arena_printf(arena, "%.*s.%s", (int)n, name, suffix);
}

void tool_say(const struct command_line *cl, const char *format, ...) {
    if (!cl->verbose || cl->printer.format != DIAG_TEXT)
        return;
    va_list args;
    va_start(args, format);
    fprintf(cl->printer.out, "%s: ", cl->printer.prefix);
    vfprintf(cl->printer.out, format, args);
    fputc('\n', cl->printer.out);
    va_end(args);
}

void command_line_free(struct command_line *cl) {
    diag_free(cl->diag);
    vec_free(&cl->warnings);
    file_uses_free(&cl->files);
    arena_free(&cl->arena);
    *cl = (struct command_line){0};
}

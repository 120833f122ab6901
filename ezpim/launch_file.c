/* SPDX-License-Identifier: MIT
 * A program around a text of kernels: in assembly, to which the text itself is added. */
#include "ezpim/launch_file.h"

#include "linker/join/kernel_file.h"
#include "support/map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct launch_buffer {
    const char *name, *type; /* ": f32[n]" */
};

struct launch_file {
    const struct driver_launches *given;
    struct link_declared declared;
    struct map sizes, buffers; /* names that were declared */
    struct map written;        /* buffers that some kernel may write */
    VEC(struct launch_buffer) list;
    struct arena names;
    struct str size_lines, main;
    struct diag *diag;
    bool rows;  /* a buffer that the text adds has a row for each unit, */
    bool words; /* the text is a file of words */
    bool wrong; /* something was reported */
};
/* The size that says how many rows such buffers have, and how many units work. */
#define UNITS "units"

bool driver_declares_kernels(const char *suffix) {
    return link_kernel_declares(suffix);
}

/* ---- words of a launch ---- */

static bool begins_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '$';
}

static bool goes_on(char c) {
    return begins_name(c) || (c >= '0' && c <= '9');
}

/* The next name in at .. end, its length; NULL: there is none.  What begins with a digit is a
 * number. */
static const char *next_name(const char *at, const char *end, size_t *length) {
    while (at < end) {
        const char *word = at;
        while (at < end && goes_on(*at))
            at++;
        if (at > word && begins_name(*word)) {
            *length = (size_t)(at - word);
            return word;
        }
        at += at == word;
    }
    return NULL;
}

/* Declares the names in a formula as sizes. */
static void declare_sizes(struct launch_file *f, const char *at, const char *end) {
    size_t n;
    for (const char *word; (word = next_name(at, end, &n)); at = word + n) {
        if (map_get_n(&f->sizes, word, n) || map_get_n(&f->buffers, word, n))
            continue;
        map_put_n(&f->sizes, word, n, 1);
        str_printf(&f->size_lines, "        .size %.*s\n", (int)n, word);
    }
}

/* ---- buffers ---- */

static bool is_input(const struct launch_file *f, const char *name, size_t n) {
    for (size_t i = 0; i < f->given->input_count; i++)
        if (strlen(f->given->inputs[i]) == n && memcmp(f->given->inputs[i], name, n) == 0)
            return true;
    return false;
}

static void declare_buffer(struct launch_file *f, const char *name, size_t n, const char *type) {
    map_put_n(&f->buffers, name, n, 1);
    vec_push(&f->list, ((struct launch_buffer){arena_printf(&f->names, "%.*s", (int)n, name),
                                               arena_strdup(&f->names, type)}));
}

/* Once all launches are known: what gets data, and kernels only read, is an input alone. */
static void write_buffers(const struct launch_file *f, struct str *out) {
    for (size_t i = 0; i < f->list.len; i++) {
        const struct launch_buffer *b = &f->list.data[i];
        const size_t n = strlen(b->name);
        str_printf(out, "        .buffer %s %s%s\n",
                   !is_input(f, b->name, n)              ? "out"
                   : map_get_n(&f->written, b->name, n) ? "inout"
                                                         : "in",
                   b->name, b->type);
    }
}

/* "y: f32[n]": names between the brackets are sizes. */
static void declare_given(struct launch_file *f) {
    for (size_t i = 0; i < f->given->buffer_count; i++) {
        const char *text = f->given->buffers[i], *open = strchr(text, '[');
        size_t n = strcspn(text, ": ");
        declare_buffer(f, text, n, text + n);
        if (open)
            declare_sizes(f, open, text + strlen(text));
    }
}

/* Those that the text itself adds. */
static void declare_added(struct launch_file *f) {
    for (size_t i = 0; i < f->declared.buffers.len && f->given->launch_count; i++) {
        struct str line = {0};
        const struct buffer_decl *b = &f->declared.buffers.data[i];
        size_t n = strlen(b->name);
        if (map_get_n(&f->buffers, b->name, n))
            continue;
        object_buffer_text(NULL, b, &line); /* with its direction, and the name */
        map_put_n(&f->written, b->name, n, 1);
        const char *type = strchr(str_text(&line), ':'), *row = strstr(type, "[0");
        if (b->ndim && !b->shape[0].value && row) { /* a row for each unit */
            struct str rows = {0};
            str_append_n(&rows, type, (size_t)(row + 1 - type));
            str_printf(&rows, UNITS "%s", row + 2);
            declare_buffer(f, b->name, n, str_text(&rows));
            str_free(&rows);
            f->rows = true;
        } else {
            declare_buffer(f, b->name, n, type);
        }
        str_free(&line);
    }
    if (f->rows)
        declare_sizes(f, UNITS, UNITS + strlen(UNITS));
}

/* A buffer that is an argument: its type is the parameter's. */
static void declare_argument(struct launch_file *f, const struct kernel_parameter *parameter,
                             const char *at, const char *end) {
    size_t n;
    const char *word = next_name(at, end, &n);
    if (!word)
        return;
    if (!parameter->constant)
        map_put_n(&f->written, word, n, 1);
    if (!map_get_n(&f->buffers, word, n)) {
        struct str type = {0};
        char letters[8];
        object_type_text(parameter->type, letters);
        str_printf(&type, ": %s[%.*s.length]", letters, (int)n, word);
        str_printf(&f->size_lines, "        .size %.*s.length\n", (int)n, word);
        declare_buffer(f, word, n, str_text(&type));
        str_free(&type);
    }
    declare_sizes(f, word + n, end); /* from a byte on */
}

/* ---- launches ---- */

/* A name may have a list of parameters behind it, "axpy(float*, int)<<<..": it ends where the
 * geometry begins, or where there is none the arguments. */
static size_t name_length(const char *launch) {
    const char *geometry = strstr(launch, "<<<"), *behind = strstr(launch, ">>>");
    size_t n = geometry && behind && geometry < behind ? (size_t)(geometry - launch)
                                                       : strcspn(launch, "<( ");
    while (n && launch[n - 1] == ' ')
        n--;
    return n;
}

static const struct kernel_decl *kernel_of(struct launch_file *f, const char *launch) {
    struct str problem = {0};
    const struct kernel_decl *k =
        link_declared_kernel(&f->declared, launch, name_length(launch), &problem);
    if (problem.len) {
        diag_error(f->diag, NO_SPAN, "%s: --launch '%s'", str_text(&problem), launch);
        f->wrong = true;
    }
    str_free(&problem);
    return k;
}

/* Behind the parenthesis that opens at `at`, or the end. */
static const char *behind(const char *at, const char *end) {
    int depth = 0;
    for (; at < end; at++) {
        depth += (*at == '(') - (*at == ')');
        if (depth == 0)
            return at + 1;
    }
    return end;
}

/* To the comma or parenthesis behind an argument. */
static const char *argument_end(const char *at, const char *end) {
    while (at < end && *at != ',' && *at != ')')
        at = *at == '(' ? behind(at, end) : at + 1;
    return at;
}

/* A parameter that the text has a buffer for gets that. */
static bool is_added(const struct launch_file *f, const struct kernel_parameter *parameter) {
    for (size_t i = 0; i < f->declared.buffers.len; i++)
        if (strcmp(f->declared.buffers.data[i].name, parameter->name) == 0)
            return true;
    return false;
}

static void add_rest(struct launch_file *f, const struct kernel_decl *kernel, bool first) {
    for (uint32_t p = 0; kernel && p < kernel->parameter_count; p++)
        if (is_added(f, &kernel->parameters[p])) {
            str_printf(&f->main, "%s%s", first ? "" : ", ", kernel->parameters[p].name);
            first = false;
        }
}

/* Between the parentheses of a whole list. */
static uint32_t count_arguments(const char *at, const char *end) {
    uint32_t n = 0;
    if (at + strspn(at, " ") >= end)
        return 0;
    for (; at <= end; at = argument_end(at, end) + 1)
        n++;
    return n;
}

/* Those that the text adds come by themselves. */
static void check_count(struct launch_file *f, const struct kernel_decl *kernel, uint32_t given,
                        const char *launch) {
    uint32_t wanted = 0;
    for (uint32_t p = 0; p < kernel->parameter_count; p++)
        wanted += !is_added(f, &kernel->parameters[p]);
    if (given == wanted)
        return;
    diag_error(f->diag, NO_SPAN, "kernel '%s' has %u parameter%s, and gets %u: --launch '%s'",
               kernel->name, (unsigned)wanted, wanted == 1 ? "" : "s", (unsigned)given, launch);
    f->wrong = true;
}

static const struct asm_define *define_of(const struct launch_file *f, const char *name, size_t n) {
    for (size_t i = 0; i < f->given->define_count; i++)
        if (strlen(f->given->defines[i].name) == n &&
            memcmp(f->given->defines[i].name, name, n) == 0)
            return &f->given->defines[i];
    return NULL;
}

/* The launch with numbers in the place of names that are defined, behind the kernel's name. */
static void put_defines(const struct launch_file *f, const char *launch, struct str *out) {
    const char *at = launch + name_length(launch), *end = at + strlen(at);
    size_t n;
    str_append_n(out, launch, (size_t)(at - launch));
    for (const char *word; (word = next_name(at, end, &n)); at = word + n) {
        const struct asm_define *d = define_of(f, word, n);
        str_append_n(out, at, (size_t)(word - at));
        if (d && d->real)
            str_append(out, d->real);
        else if (d)
            str_printf(out, "%" PRId64, d->value);
        else
            str_append_n(out, word, n);
    }
    str_append(out, at);
}

static void add_launch(struct launch_file *f, const char *launch) {
    const struct kernel_decl *k = kernel_of(f, launch);
    const char *end = launch + strlen(launch), *open = strstr(launch, ">>>");
    open = open ? strchr(open, '(') : strchr(launch, '(');
    const char *close = open ? behind(open, end) : end, *at = open ? open + 1 : end;
    const size_t name = name_length(launch);
    declare_sizes(f, launch + name, open ? open : end);
    for (uint32_t p = 0; k && p < k->parameter_count && at < close; p++) {
        const struct kernel_parameter *x = &k->parameters[p];
        if (is_added(f, x))
            continue;
        const char *comma = argument_end(at, close);
        if (x->kind == PARAMETER_BUFFER)
            declare_argument(f, x, at, comma);
        else if (x->kind == PARAMETER_NUMBER)
            declare_sizes(f, at, comma);
        at = comma + 1;
    }
    const bool whole = open && close > open + 1 && close[-1] == ')';
    const char *cut = whole ? close - 1 : close;
    if (k && whole)
        check_count(f, k, count_arguments(open + 1, cut), launch);
    str_append(&f->main, "        .launch ");
    str_append_n(&f->main, k ? k->name : launch, k ? strlen(k->name) : name);
    str_append_n(&f->main, launch + name, (size_t)(cut - launch) - name);
    if (whole) {
        bool none = strspn(open + 1, " ") == (size_t)(cut - open - 1);
        add_rest(f, k, none);
        str_char(&f->main, ')');
    }
    bool said = close && next_name(close, end, &(size_t){0});
    str_printf(&f->main, "%s%s\n", close, f->rows && !said ? " units " UNITS : "");
}

/* ---- the program ---- */

static void report(const char *name, const char *text, size_t size,
                   const struct link_declared *declared, struct diag *diag) {
    diag_error(diag, diag_text_line(diag, name, text, size, declared->problem_line), "%s%s%s",
               declared->problem_line ? "" : name, declared->problem_line ? "" : ": ",
               str_text(&declared->problem));
}

/* Its entries are those of a module, whose text is put in its place afterwards.  Without launches
 * it is what others launch. */
static void write_program(struct launch_file *f, const char *name, struct str *out) {
    const char *module = link_kernel_module(&f->declared.arena, name);
    declare_given(f);
    declare_added(f);
    for (size_t i = 0; i < f->given->launch_count; i++) {
        struct str launch = {0};
        put_defines(f, f->given->launches[i], &launch);
        add_launch(f, str_text(&launch));
        str_free(&launch);
    }
    str_append(out, str_text(&f->size_lines));
    write_buffers(f, out);
    str_printf(out, "        .module %s %s = \"-\"\n", module, f->declared.form);
    for (size_t i = 0; i < f->declared.kernels.len; i++) {
        str_append(out, "        .kernel ");
        object_kernel_text(NULL, &f->declared.kernels.data[i], out);
        str_printf(out, " in %s\n", module);
    }
    if (f->given->launch_count)
        str_printf(out, "main:\n%s        HALT\n", str_text(&f->main));
}

static void add_text(struct object *o, const char *name, const char *text, size_t size,
                     bool words) {
    struct module_decl *m = &o->modules.data[0];
    m->bytes = arena_copy(&o->arena, text, size);
    m->size = size;
    m->words = words;
    m->place = (struct place){object_file(o, name), 1, 0};
    m->first_line = !words;
    for (size_t i = 0; i < o->kernels.len; i++)
        object_kernel_join(o, &o->kernels.data[i]);
    o->source = arena_strdup(&o->arena, name);
}

static struct object *build(struct launch_file *f, const char *name, const char *text, size_t size,
                            struct diag *diag) {
    struct str program = {0};
    const struct asm_options options = {.debug = true};
    write_program(f, name, &program);
    struct object *o =
        f->wrong ? NULL
                 : asm_assemble(OBJECT_LAUNCHES_FILE, program.text, program.len, &options, diag);
    if (o)
        add_text(o, name, text, size, f->words);
    str_free(&program);
    return o;
}

/* The text becomes that of a module; false after reporting one that can be none. */
static bool is_module(const struct launch_file *f, const char *name, const char *text, size_t size,
                      struct diag *diag) {
    const struct module_decl m = {
        .form = f->declared.form, .words = f->words, .bytes = text, .size = size};
    const char *problem = object_module_problem(&m);
    if (problem)
        diag_error(diag, (struct span){diag_source(diag, name, NULL, 0), 0, 0}, "the file %s",
                   problem);
    return problem == NULL;
}

static void nothing(const char *name, const struct kernel_decl *kernels, size_t count,
                    struct diag *diag) {
    struct str list = {0};
    for (size_t i = 0; i < count; i++)
        str_printf(&list, "%s%s", i ? ", " : "", kernels[i].name);
    diag_error(diag, NO_SPAN, "%s: none of its kernels is launched", name);
    diag_note(diag, NO_SPAN, "they are %s; --launch '%s<<<GRID, BLOCK>>>(...)' launches one",
              str_text(&list), kernels[0].name);
    str_free(&list);
}

void driver_report_kernels(const char *name, const struct object *object, struct diag *diag) {
    nothing(name, object->kernels.data, object->kernels.len, diag);
}

void driver_report_launches(const char *name, struct diag *diag) {
    diag_error(diag, NO_SPAN, "%s: launches are for a file of kernels, and this is a program",
               name);
}

/* False after reporting one that is no line of its own. */
static bool are_lines(const char *what, const char *const *texts, size_t count, struct diag *diag) {
    for (size_t i = 0; i < count; i++)
        if (strpbrk(texts[i], "\n\r")) {
            diag_error(diag, NO_SPAN, "a %s is one line", what);
            return false;
        }
    return true;
}

static struct object *launch_program(const char *name, const char *suffix, const char *text,
                                     size_t size, const struct driver_launches *launches,
                                     struct diag *diag) {
    struct launch_file f = {
        .given = launches, .words = link_kernel_is_words(suffix, text, size), .diag = diag};
    struct object *o = NULL;
    if (!are_lines("launch", launches->launches, launches->launch_count, diag) ||
        !are_lines("buffer", launches->buffers, launches->buffer_count, diag))
        return NULL;
    if (!link_kernel_declare(suffix, text, size, &f.declared))
        report(name, text, size, &f.declared, diag);
    else if (!launches->launch_count && !launches->parts)
        nothing(name, f.declared.kernels.data, f.declared.kernels.len, diag);
    else if (is_module(&f, name, text, size, diag))
        o = build(&f, name, text, size, diag);
    link_declared_free(&f.declared);
    map_free(&f.sizes);
    map_free(&f.buffers);
    str_free(&f.size_lines);
    map_free(&f.written);
    vec_free(&f.list);
    arena_free(&f.names);
    str_free(&f.main);
    return o;
}

struct object *driver_launch_program(const char *name, const char *suffix, const char *text,
                                     size_t size, const struct driver_launches *launches,
                                     struct diag *diag) {
    struct str padded = {0}; /* a file of words is a whole number of them */
    if (size % 8 == 0 || !link_kernel_is_words(suffix, text, size))
        return launch_program(name, suffix, text, size, launches, diag);
    str_append_n(&padded, text, size);
    while (padded.len % 8)
        str_char(&padded, '\0');
    struct object *o = launch_program(name, suffix, padded.text, padded.len, launches, diag);
    str_free(&padded);
    return o;
}

/* Whether it is what driver_launch_program makes without launches: kernels of one module, and no
 * program. */
static bool has_kernels_alone(const struct object *object) {
    bool fine = object->modules.len == 1 && object->kernels.len && !object->text.len;
    for (size_t i = 0; i < object->kernels.len; i++)
        fine &= object->kernels.data[i].entry != NULL;
    return fine && link_kernel_suffix_of(object->modules.data[0].form);
}

struct object *driver_launch_object(const char *name, struct object *object,
                                    const struct driver_launches *launches, struct diag *diag) {
    struct object *o = NULL;
    if (has_kernels_alone(object)) {
        const struct module_decl *m = &object->modules.data[0];
        const char *file = m->place.file == NO_INDEX ? name : object->files.data[m->place.file];
        o = driver_launch_program(file, link_kernel_suffix_of(m->form), m->bytes, m->size, launches,
                                  diag);
    } else if (object->text.len || !object->kernels.len) {
        driver_report_launches(name, diag);
    } else {
        diag_error(
            diag, NO_SPAN,
            "%s: launches are for kernels of one file, and these are of several, or of a form "
            "whose files declare none",
            name);
    }
    object_free(object);
    return o;
}

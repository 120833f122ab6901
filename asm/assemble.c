/* SPDX-License-Identifier: MIT
 * Statements: labels, then a directive, an instruction or a macro. */
#include "asm/builder_state.h"
#include "asm/assembler.h"

#include <inttypes.h>
#include <string.h>

static void define_label(struct assembler *a, const struct asm_token *t) {
    const char *name;
    if (t->kind == TOKEN_NUMBER) {
        name = arena_printf(&a->arena, "%" PRIu64, t->number);
        a->numeric_labels = true;
    } else {
        name = asm_label_name(a, asm_token_text(a, t), token_length(t));
        if (asm_token_text(a, t)[0] != '.' && asm_token_text(a, t)[0] != '$')
            a->scope = name;
    }
    if (strlen(name) > OBJECT_MAX_NAME) {
        asm_error_token(a, t, "this name is longer than %d bytes", OBJECT_MAX_NAME);
        return;
    }
    if (map_get(&a->constant_names, name)) {
        asm_error_token(a, t, "'%s' is a constant and cannot be a label as well", name);
        return;
    }
    asm_tell_builder(a, t->begin, t->end);
    builder_bind(a->b, builder_label(a->b, name));
}

/* Names and numbers with a colon behind; afterwards the current token is what follows. */
static void take_labels(struct assembler *a) {
    while ((a->token.kind == TOKEN_NAME || a->token.kind == TOKEN_NUMBER) &&
           asm_scan_peek(a) == ':') {
        struct asm_token t = a->token;
        asm_scan(a); /* the colon */
        if (t.kind == TOKEN_NAME && token_length(&t) == 1 && asm_token_text(a, &t)[0] == '.')
            asm_error_token(a, &t, "'.' is the current index and cannot be a label");
        else
            define_label(a, &t);
        asm_scan(a);
        a->statement = a->token.begin;
    }
}

static void take_operation(struct assembler *a) {
    switch (a->token.kind) {
    case TOKEN_END:
    case TOKEN_BAD:
        return;
    case TOKEN_NAME:
        if (asm_token_text(a, &a->token)[0] == '.')
            asm_directive(a);
        else
            asm_instruction(a);
        return;
    default:
        asm_error_token(a, &a->token,
                        "a statement begins with a label, an instruction, a macro "
                        "or a directive");
    }
}

static void begin_statement(struct assembler *a) {
    const struct asm_input *in = a->in;
    a->expression_depth = 0;
    a->taken_line = false;
    a->statement = a->token.begin;
    a->statement_line = in->line;
    a->statement_column = (uint32_t)(a->token.begin - in->line_start) + 1;
}

/* A statement that pushed a text has already been read to its end (see finish_statement), so its
 * rest is skipped in the text in which it stands. */
static void assemble_statement(struct assembler *a) {
    uint32_t first = (uint32_t)a->o->text.len;
    size_t line = a->in->pos;
    a->failed = !asm_condition_active(a); /* what is passed over may be anything */
    asm_scan(a);
    begin_statement(a);
    if (asm_condition_directive(a) || !asm_condition_active(a)) {
        asm_scan_skip(a);
        return;
    }
    struct asm_input *in = a->in;
    take_labels(a);
    take_operation(a);
    if (a->options->listing)
        asm_listing_note(a, in, line, first);
    if (a->in == in && !a->taken_line)
        asm_scan_skip(a);
}

void asm_statements(struct assembler *a) {
    while (a->depth && !a->stop && !diag_full(a->d)) {
        if (a->in->pos >= a->in->size)
            asm_input_pop(a);
        else
            assemble_statement(a);
    }
}

static void define_options(struct assembler *a) {
    for (size_t i = 0; i < a->options->define_count; i++) {
        const struct asm_define *d = &a->options->defines[i];
        struct asm_constant c = {.name = asm_keep(a, d->name, strlen(d->name)),
                                 .value = d->value,
                                 .place = {NO_INDEX, 0, 0}};
        map_put(&a->constant_names, c.name, a->constants.len);
        vec_push(&a->constants, c);
    }
}

/* The names of .global, which may stand before what they name. */
static void make_global(struct assembler *a, const struct global_name *g) {
    const uint64_t *constant = map_get(&a->constant_names, g->name);
    uint32_t label;
    builder_span(a->b, g->at);
    if (!constant) {
        builder_global(a->b, g->name);
        return;
    }
    wide value = a->constants.data[*constant].value;
    struct place p = a->constants.data[*constant].place;
    builder_place(a->b, p.file == NO_INDEX ? NULL : a->o->files.data[p.file], p.line, p.column);
    if (value > INT64_MAX)
        diag_error(a->d, g->at, "a global constant is at most 2^63 - 1");
    else if (!builder_find(a->b, g->name, &label))
        builder_absolute(a->b, g->name, (int64_t)value, true);
}

/* See struct numeric_jump. */
static void resolve_numeric_jumps(struct assembler *a) {
    for (size_t i = 0; i < a->numeric_jumps.len; i++) {
        const struct numeric_jump *j = &a->numeric_jumps.data[i];
        struct reloc *r = &a->o->relocs.data[j->reloc];
        builder_span(a->b, j->at);
        if (a->numeric_labels) {
            char name[24];
            snprintf(name, sizeof name, "%" PRIu64, j->number);
            r->target = builder_label(a->b, name);
            builder_use(a->b, r->target);
        } else if (j->number <= a->o->text.len) {
            r->target = builder_label_at(a->b, (uint32_t)j->number);
        } else {
            diag_error(a->d, j->at,
                       "the jump goes to instruction %" PRIu64 ", but there are only %zu",
                       j->number, a->o->text.len);
        }
    }
}

static void check_open_sub(struct assembler *a) {
    if (!a->sub)
        return;
    diag_error(a->d, a->sub_at, "subroutine '%s' is not closed", a->sub);
    diag_note(a->d, a->last, "a line '.endsub' is missing before the end of the file");
}

static void begin(struct assembler *a) {
    a->b = builder_new(a->d);
    a->o = builder_object(a->b);
    a->o->debug_lines = a->options->debug;
    define_options(a);
}

static void release(struct assembler *a) {
    for (size_t i = 0; i < a->texts.len; i++)
        free(a->texts.data[i]);
    vec_free(&a->texts);
    vec_free(&a->constants);
    vec_free(&a->macros);
    vec_free(&a->conditions);
    vec_free(&a->numeric_jumps);
    vec_free(&a->structure.repeats);
    vec_free(&a->outside.repeats);
    vec_free(&a->marks);
    vec_free(&a->listed);
    vec_free(&a->globals);
    for (size_t i = 0; i < a->data.len; i++)
        vec_free(&a->data.data[i].values);
    vec_free(&a->data);
    vec_free(&a->data_index);
    map_free(&a->constant_names);
    map_free(&a->macro_names);
    map_free(&a->variable_names);
    map_free(&a->value_names);
    map_free(&a->group_names);
    map_free(&a->size_names);
    map_free(&a->move_names);
    arena_free(&a->arena);
    free(a);
}

static void finish_program(struct assembler *a) {
    if (diag_full(a->d) || a->stop)
        return;
    check_open_sub(a);
    asm_check_open_finish(a);
    asm_structure_end(a);
    asm_finish_data(a);
    for (size_t i = 0; i < a->globals.len; i++)
        make_global(a, &a->globals.data[i]);
    resolve_numeric_jumps(a);
}

/* Warnings may have been made errors. */
static struct object *end(struct assembler *a) {
    uint32_t errors = diag_errors(a->d);
    struct object *o = builder_finish(a->b);
    if (!o)
        return NULL;
    asm_check_lane_dependence(a, o);
    if (diag_errors(a->d) != errors) {
        object_free(o);
        return NULL;
    }
    if (a->options->listing)
        asm_listing_write(a, o, a->options->listing);
    return o;
}

struct object *asm_assemble(const char *name, const char *text, size_t size,
                            const struct asm_options *options, struct diag *d) {
    struct assembler *a = xcalloc(1, sizeof *a);
    a->d = d;
    a->options = options;
    begin(a);
    a->o->source = arena_strdup(&a->o->arena, name);
    asm_input_push(a, INPUT_FILE, asm_keep(a, name, strlen(name)), text, size);
    size_t from = size ? size - 1 : 0;
    a->last = (struct span){a->in->source, (uint32_t)from, (uint32_t)size};
    asm_statements(a);
    finish_program(a);
    struct object *o = end(a);
    release(a);
    return o;
}

/* SPDX-License-Identifier: MIT
 * Statements: labels, then a directive, an instruction or a macro. */
#include "asm/builder_state.h"
#include "asm/assembler.h"

#include <inttypes.h>
#include <string.h>

static void define_label(struct assembler *assembler, const struct asm_token *token) {
    const char *name;
    if (token->kind == TOKEN_NUMBER) {
        name = arena_printf(&assembler->arena, "%" PRIu64, token->number);
        assembler->numeric_labels = true;
    } else {
        name = asm_label_name(assembler, asm_token_text(assembler, token), token_length(token));
        if (asm_token_text(assembler, token)[0] != '.' &&
            asm_token_text(assembler, token)[0] != '$')
            assembler->scope = name;
    }
    if (strlen(name) > OBJECT_MAX_NAME) {
        asm_error_token(assembler, token, "this name is longer than %d bytes", OBJECT_MAX_NAME);
        return;
    }
    if (map_get(&assembler->constant_names, name)) {
        asm_error_token(assembler, token, "'%s' is a constant and cannot be a label as well", name);
        return;
    }
    asm_tell_builder(assembler, token->begin, token->end);
    builder_bind(assembler->b, builder_label(assembler->b, name));
}

/* Names and numbers with a colon behind; afterwards the current token is what follows. */
static void take_labels(struct assembler *assembler) {
    while ((assembler->token.kind == TOKEN_NAME || assembler->token.kind == TOKEN_NUMBER) &&
           asm_scan_peek(assembler) == ':') {
        struct asm_token t = assembler->token;
        asm_scan(assembler); /* the colon */
        if (t.kind == TOKEN_NAME && token_length(&t) == 1 &&
            asm_token_text(assembler, &t)[0] == '.')
            asm_error_token(assembler, &t, "'.' is the current index and cannot be a label");
        else
            define_label(assembler, &t);
        asm_scan(assembler);
        assembler->statement = assembler->token.begin;
    }
}

static void take_operation(struct assembler *assembler) {
    switch (assembler->token.kind) {
    case TOKEN_END:
    case TOKEN_BAD:
        return;
    case TOKEN_NAME:
        if (asm_token_text(assembler, &assembler->token)[0] == '.')
            asm_directive(assembler);
        else
            asm_instruction(assembler);
        return;
    default:
        asm_error_token(assembler, &assembler->token,
                        "a statement begins with a label, an instruction, a macro "
                        "or a directive");
    }
}

static void begin_statement(struct assembler *assembler) {
    const struct asm_input *in = assembler->in;
    assembler->expression_depth = 0;
    assembler->taken_line = false;
    assembler->statement = assembler->token.begin;
    assembler->statement_line = in->line;
    assembler->statement_column = (uint32_t)(assembler->token.begin - in->line_start) + 1;
}

/* A statement that pushed a text has already been read to its end (see finish_statement), so its
 * rest is skipped in the text in which it stands. */
static void assemble_statement(struct assembler *assembler) {
    uint32_t first = (uint32_t)assembler->o->text.len;
    size_t line = assembler->in->pos;
    assembler->failed = !asm_condition_active(assembler); /* what is passed over may be anything */
    asm_scan(assembler);
    assembler->in->filled |= assembler->token.kind != TOKEN_END || assembler->failed;
    begin_statement(assembler);
    if (asm_condition_directive(assembler) || !asm_condition_active(assembler)) {
        asm_scan_skip(assembler);
        return;
    }
    struct asm_input *in = assembler->in;
    take_labels(assembler);
    take_operation(assembler);
    if (assembler->options->listing)
        asm_listing_note(assembler, in, line, first);
    if (assembler->in == in && !assembler->taken_line)
        asm_scan_skip(assembler);
}

static void asm_statements(struct assembler *assembler) {
    while (assembler->depth && !assembler->stop && !diag_full(assembler->d)) {
        if (assembler->in->pos >= assembler->in->size)
            asm_input_pop(assembler);
        else
            assemble_statement(assembler);
    }
}

static void define_options(struct assembler *assembler) {
    for (size_t i = 0; i < assembler->options->define_count; i++) {
        const struct asm_define *d = &assembler->options->defines[i];
        struct asm_constant c = {.name = asm_keep(assembler, d->name, strlen(d->name)),
                                 .value = d->value,
                                 .place = {NO_INDEX, 0, 0}};
        map_put(&assembler->constant_names, c.name, assembler->constants.len);
        vec_push(&assembler->constants, c);
    }
}

/* The names of .global, which may stand before what they name. */
static void make_global(struct assembler *assembler, const struct global_name *name) {
    const uint64_t *constant = map_get(&assembler->constant_names, name->name);
    uint32_t label;
    builder_span(assembler->b, name->at);
    if (!constant) {
        builder_global(assembler->b, name->name);
        return;
    }
    wide value = assembler->constants.data[*constant].value;
    struct place p = assembler->constants.data[*constant].place;
    builder_place(assembler->b, p.file == NO_INDEX ? NULL : assembler->o->files.data[p.file],
                  p.line, p.column);
    if (value > INT64_MAX)
        diag_error(assembler->d, name->at, "a global constant is at most 2^63 - 1");
    else if (!builder_find(assembler->b, name->name, &label))
        builder_absolute(assembler->b, name->name, (int64_t)value, true);
}

/* See struct numeric_jump. */
static void resolve_numeric_jumps(struct assembler *assembler) {
    for (size_t i = 0; i < assembler->numeric_jumps.len; i++) {
        const struct numeric_jump *j = &assembler->numeric_jumps.data[i];
        struct reloc *r = &assembler->o->relocs.data[j->reloc];
        builder_span(assembler->b, j->at);
        if (assembler->numeric_labels) {
            char name[24];
            snprintf(name, sizeof name, "%" PRIu64, j->number);
            r->target = builder_label(assembler->b, name);
            builder_use(assembler->b, r->target);
        } else if (j->number <= assembler->o->text.len) {
            r->target = builder_label_at(assembler->b, (uint32_t)j->number);
        } else {
            diag_error(assembler->d, j->at,
                       "the jump goes to instruction %" PRIu64 ", but there are only %zu",
                       j->number, assembler->o->text.len);
        }
    }
}

static void check_open_sub(struct assembler *assembler) {
    if (!assembler->sub)
        return;
    diag_error(assembler->d, assembler->sub_at, "subroutine '%s' is not closed", assembler->sub);
    diag_note(assembler->d, assembler->last,
              "a line '.endsub' is missing before the end of the file");
}

static void begin(struct assembler *assembler) {
    assembler->b = builder_new(assembler->d);
    assembler->o = builder_object(assembler->b);
    assembler->o->debug_lines = assembler->options->debug;
    define_options(assembler);
}

static void release(struct assembler *assembler) {
    for (size_t i = 0; i < assembler->texts.len; i++)
        free(assembler->texts.data[i]);
    vec_free(&assembler->texts);
    vec_free(&assembler->constants);
    vec_free(&assembler->macros);
    vec_free(&assembler->conditions);
    vec_free(&assembler->numeric_jumps);
    vec_free(&assembler->structure.repeats);
    vec_free(&assembler->outside.repeats);
    vec_free(&assembler->marks);
    vec_free(&assembler->listed);
    vec_free(&assembler->globals);
    for (size_t i = 0; i < assembler->data.len; i++)
        vec_free(&assembler->data.data[i].values);
    vec_free(&assembler->data);
    vec_free(&assembler->data_index);
    map_free(&assembler->constant_names);
    map_free(&assembler->said_wrong);
    map_free(&assembler->macro_names);
    map_free(&assembler->variable_names);
    map_free(&assembler->value_names);
    map_free(&assembler->group_names);
    map_free(&assembler->size_names);
    map_free(&assembler->move_names);
    map_free(&assembler->lut_names);
    map_free(&assembler->product_names);
    map_free(&assembler->buffer_names);
    map_free(&assembler->module_names);
    map_free(&assembler->kernel_names);
    for (size_t i = 0; i < assembler->luts.len; i++) {
        vec_free(&assembler->luts.data[i].entries);
        vec_free(&assembler->luts.data[i].fills);
    }
    vec_free(&assembler->luts);
    arena_free(&assembler->arena);
    free(assembler);
}

static void finish_program(struct assembler *assembler) {
    if (diag_full(assembler->d) || assembler->stop)
        return;
    check_open_sub(assembler);
    asm_check_open_finish(assembler);
    asm_structure_end(assembler);
    asm_finish_data(assembler);
    asm_finish_luts(assembler);
    for (size_t i = 0; i < assembler->globals.len; i++)
        make_global(assembler, &assembler->globals.data[i]);
    resolve_numeric_jumps(assembler);
}

/* Warnings may have been made errors. */
static struct object *end(struct assembler *assembler) {
    uint32_t errors = diag_errors(assembler->d);
    struct object *o = builder_finish(assembler->b);
    if (!o)
        return NULL;
    asm_check_lane_dependence(assembler, o);
    if (diag_errors(assembler->d) != errors) {
        object_free(o);
        return NULL;
    }
    if (assembler->options->listing)
        asm_listing_write(assembler, o, assembler->options->listing);
    return o;
}

struct object *asm_assemble(const char *name, const char *text, size_t size,
                            const struct asm_options *options, struct diag *diag) {
    if (size > MAX_EXPANSION) {
        diag_error(diag, (struct span){diag_source(diag, name, NULL, 0), 0, 0},
                   "the source is larger than %u MiB", MAX_EXPANSION >> 20);
        return NULL;
    }
    struct assembler *a = xcalloc(1, sizeof *a);
    a->d = diag;
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

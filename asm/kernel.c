/* SPDX-License-Identifier: MIT
 * .buffer, .kernel, and RECIPE of a kernel (docs/assembly.md, "Kernels"). */
#include "asm/builder_state.h"
#include "asm/operand.h"

#include <string.h>

/* A new name of a table; NULL after reporting that it is there already. */
static const char *new_name(struct assembler *assembler, const char *what, const struct map *names,
                            const struct asm_token *name) {
    const char *text = asm_keep(assembler, asm_token_text(assembler, name), token_length(name));
    if (!map_get(names, text))
        return text;
    asm_error_token(assembler, name, "%s '%s' is declared twice", what, text);
    return NULL;
}

/* ---- .buffer in x: u32[n, 4] ---- */

static bool parse_shape(struct assembler *assembler, struct buffer_decl *buffer) {
    if (!asm_take_operator(assembler, '['))
        return true;
    do {
        if (buffer->ndim == FORM_MAX_DIMS) {
            asm_error_token(assembler, &assembler->token, "a buffer has at most %d dimensions",
                            FORM_MAX_DIMS);
            return false;
        }
        if (!asm_parse_extent(assembler, &buffer->shape[buffer->ndim++]))
            return false;
    } while (asm_take_operator(assembler, ','));
    return asm_expect_char(assembler, ']');
}

void asm_declare_buffer(struct assembler *assembler) {
    struct buffer_decl b = {.direction = asm_take_direction(assembler)};
    struct asm_token name;
    if (!asm_take_name(assembler, "the name of a buffer", &name))
        return;
    b.name = new_name(assembler, "buffer", &assembler->buffer_names, &name);
    b.place = asm_place(assembler, name.begin);
    if (!b.name || !asm_expect_char(assembler, ':') || !asm_parse_type(assembler, &b.type) ||
        !parse_shape(assembler, &b))
        return;
    const char *problem = object_buffer_problem(assembler->o, &b);
    if (problem) {
        asm_error_token(assembler, &name, "buffer '%s' %s", b.name, problem);
        return;
    }
    map_put(&assembler->buffer_names, b.name, assembler->o->buffers.len);
    builder_buffer(assembler->b, &b);
}

/* ---- .kernel f FORM(x: u32[], n: u64) else g ---- */

static bool parse_parameter(struct assembler *assembler, struct kernel_parameter *parameter) {
    struct asm_token name;
    if (!asm_take_name(assembler, "the name of a parameter", &name) ||
        !asm_expect_char(assembler, ':') || !asm_parse_type(assembler, &parameter->type))
        return false;
    parameter->name = asm_keep(assembler, asm_token_text(assembler, &name), token_length(&name));
    parameter->kind = PARAMETER_NUMBER;
    if (!asm_take_operator(assembler, '['))
        return true;
    parameter->kind = PARAMETER_BUFFER;
    return asm_expect_char(assembler, ']');
}

static bool parse_parameters(struct assembler *assembler, struct kernel_parameter *list,
                             struct kernel_decl *kernel) {
    kernel->parameters = list;
    if (!asm_expect_char(assembler, '('))
        return false;
    while (!asm_take_operator(assembler, ')')) {
        if (kernel->parameter_count && !asm_expect_char(assembler, ','))
            return false;
        if (kernel->parameter_count == KERNEL_MAX_PARAMETERS) {
            asm_error_token(assembler, &assembler->token, "a kernel has at most %d parameters",
                            KERNEL_MAX_PARAMETERS);
            return false;
        }
        if (!parse_parameter(assembler, &list[kernel->parameter_count++]))
            return false;
    }
    return true;
}

static bool parse_else(struct assembler *assembler, struct kernel_decl *kernel) {
    struct asm_token name;
    kernel->otherwise = NO_INDEX;
    if (!asm_at_name(assembler, "else"))
        return true;
    asm_scan(assembler);
    if (!asm_take_name(assembler, "the label of a subroutine", &name))
        return false;
    kernel->otherwise =
        builder_label(assembler->b, asm_label_name(assembler, asm_token_text(assembler, &name),
                                                   token_length(&name)));
    return true;
}

/* What stands on the line itself: line 3 = "text", "text". */
static bool parse_pieces(struct assembler *assembler, struct kernel_decl *kernel,
                         struct str *text) {
    const char *piece;
    wide line = 0;
    if (asm_at_name(assembler, "line")) {
        asm_scan(assembler);
        if (!asm_parse_number_in(assembler, "the line", 1, UINT32_MAX, &line))
            return false;
    }
    kernel->first_line = (uint32_t)line;
    if (!asm_expect_char(assembler, '='))
        return false;
    do {
        if (!asm_take_text(assembler, "a piece of the kernel's text", &piece))
            return false;
        str_append(text, piece);
    } while (asm_take_operator(assembler, ','));
    return true;
}

/* Numbers, with blanks, commas and comments between them. */
static bool read_words(struct assembler *assembler, const struct asm_token *at, const char *body,
                       size_t size, struct str *out) {
    const char *p = body, *end = body + size;
    while (p < end) {
        size_t n = 0;
        uint64_t word;
        while (p + n < end && !strchr(" \t\r\n,;", p[n]))
            n++;
        if (*p == ';')
            while (p < end && *p != '\n')
                p++;
        else if (n == 0)
            p++;
        else if (!number_parse_u64(p, n, &word)) {
            asm_error_token(assembler, at, "'%.*s' is no word of 64 bits", (int)(n < 40 ? n : 40),
                            p);
            return false;
        } else {
            for (unsigned i = 0; i < 8; i++)
                str_char(out, (char)(word >> 8 * i));
            p += n;
        }
    }
    return true;
}

/* The lines up to .endkernel. */
static bool take_block(struct assembler *assembler, const struct asm_token *directive,
                       struct kernel_decl *kernel, struct str *text) {
    const char *body;
    size_t size;
    bool ok = !assembler->failed, in_file = !asm_in_expansion(assembler);
    uint32_t line = assembler->statement_line + 1;
    if (!asm_take_body(assembler, ".kernel", ".endkernel", directive, &body, &size))
        return false;
    assembler->taken_line = true;
    if (!ok)
        return false;
    if (kernel->words)
        return read_words(assembler, directive, body, size, text);
    kernel->first_line = in_file && !assembler->places_given ? line : 0;
    str_append_n(text, body, size);
    return true;
}

static void keep_kernel(struct assembler *assembler, const struct asm_token *name,
                        struct kernel_decl *kernel, const struct str *text) {
    kernel->bytes = str_text(text);
    kernel->size = text->len;
    const char *problem = object_kernel_problem(kernel);
    if (!problem && assembler->o->kernels.len == OBJECT_MAX_KERNELS)
        problem = "is one too many: a program has at most 4096";
    if (problem) {
        asm_error_token(assembler, name, "kernel '%s' %s", kernel->name, problem);
        return;
    }
    map_put(&assembler->kernel_names, kernel->name, assembler->o->kernels.len);
    builder_kernel(assembler->b, kernel);
}

static bool parse_head(struct assembler *assembler, struct kernel_parameter *parameters,
                       struct asm_token *name, struct kernel_decl *kernel) {
    struct asm_token form;
    if (!asm_take_name(assembler, "the name of a kernel", name))
        return false;
    kernel->name = new_name(assembler, "kernel", &assembler->kernel_names, name);
    kernel->place = asm_place(assembler, name->begin);
    asm_tell_builder(assembler, name->begin, name->end);
    if (!kernel->name || !asm_take_name(assembler, "the form of the kernel", &form))
        return false;
    kernel->form = asm_keep(assembler, asm_token_text(assembler, &form), token_length(&form));
    if (!parse_parameters(assembler, parameters, kernel) || !parse_else(assembler, kernel))
        return false;
    kernel->words = asm_at_name(assembler, "words");
    if (kernel->words)
        asm_scan(assembler);
    return true;
}

/* Of a head that was refused: whether a text stands on its line. */
static bool stands_on_line(const struct assembler *assembler) {
    const struct asm_input *in = assembler->in;
    const char *at = in->text + assembler->statement, *end = in->text + in->size;
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return memchr(at, '"', (size_t)((newline ? newline : end) - at)) != NULL;
}

/* A block is passed over in any case. */
void asm_declare_kernel(struct assembler *assembler, const struct asm_token *directive) {
    struct kernel_parameter parameters[KERNEL_MAX_PARAMETERS];
    struct kernel_decl k = {.otherwise = NO_INDEX};
    struct asm_token name = *directive;
    struct str text = {0};
    bool good = parse_head(assembler, parameters, &name, &k);
    if (good && !k.words && assembler->token.kind != TOKEN_END) {
        good = parse_pieces(assembler, &k, &text);
    } else if (good || !stands_on_line(assembler)) {
        if (good)
            asm_expect_end(assembler);
        good = take_block(assembler, directive, &k, &text);
    }
    if (good)
        keep_kernel(assembler, &name, &k, &text);
    str_free(&text);
}

/* ---- RECIPE f<<<n, 16>>>(x, n, 3) units 8 from 16 ---- */

const struct kernel_decl *asm_named_kernel(struct assembler *assembler, uint32_t *index) {
    const struct asm_token *t = &assembler->token;
    const uint64_t *known =
        t->kind == TOKEN_NAME
            ? map_get_n(&assembler->kernel_names, asm_token_text(assembler, t), token_length(t))
            : NULL;
    *index = known ? (uint32_t)*known : NO_INDEX;
    return known ? &assembler->o->kernels.data[*known] : NULL;
}

static bool parse_buffer(struct assembler *assembler, struct kernel_argument *argument) {
    struct asm_token name;
    if (!asm_take_name(assembler, "the name of a buffer", &name))
        return false;
    const uint64_t *known =
        map_get_n(&assembler->buffer_names, asm_token_text(assembler, &name), token_length(&name));
    if (!known) {
        asm_error_token(assembler, &name, "there is no buffer '%.*s'", (int)token_length(&name),
                        asm_token_text(assembler, &name));
        asm_suggest(assembler, &name, &assembler->buffer_names);
        return false;
    }
    argument->buffer = (uint32_t)*known;
    return true;
}

static bool parse_integer(struct assembler *assembler, struct lane_type type,
                          struct kernel_argument *argument) {
    struct asm_token first = assembler->token;
    struct asm_value v;
    wide most = ((wide)1 << (type.kind == TYPE_INT ? type.bits - 1 : type.bits)) - 1;
    wide least = type.kind == TYPE_INT ? -most - 1 : 0;
    if (!asm_parse_formula(assembler, &v))
        return false;
    if (v.kind == VALUE_SIZE || v.kind == VALUE_FORMULA)
        return asm_value_size(assembler, &first, &v, &argument->size);
    if (v.kind == VALUE_LABEL && !asm_label_number(assembler, &v))
        return false;
    first.end = assembler->previous_end;
    if (v.kind != VALUE_NUMBER)
        asm_error_token(assembler, &first, "expected a number or a size");
    else if (v.number < least || v.number > most)
        asm_report_out_of_range(assembler, &first, "the argument", v.number, least, most);
    argument->number = (uint64_t)v.number;
    return !assembler->failed;
}

static bool parse_argument(struct assembler *assembler, const struct kernel_parameter *parameter,
                           struct kernel_argument *argument) {
    struct asm_token first = assembler->token;
    wide real = 0;
    *argument = (struct kernel_argument){NO_INDEX, NO_INDEX, 0};
    bool fine = true;
    if (parameter->kind == PARAMETER_BUFFER)
        fine = parse_buffer(assembler, argument);
    else if (object_type_is_float(parameter->type))
        fine = asm_parse_real(assembler, parameter->type, &real);
    else
        fine = parse_integer(assembler, parameter->type, argument);
    if (object_type_is_float(parameter->type) && parameter->kind == PARAMETER_NUMBER)
        argument->number = (uint64_t)real;
    if (!fine)
        return false;
    const char *problem = object_argument_problem(assembler->o, parameter, argument);
    if (problem)
        asm_error_token(assembler, &first, "parameter '%s' %s", parameter->name, problem);
    return !problem;
}

/* A dimension, or [x, y, z]. */
static bool parse_dims(struct assembler *assembler, const char *what,
                       struct extent dims[LAUNCH_DIMS]) {
    unsigned n = 0;
    if (!asm_take_operator(assembler, '['))
        return asm_parse_extent(assembler, &dims[0]);
    do {
        if (n == LAUNCH_DIMS) {
            asm_error_token(assembler, &assembler->token, "a %s has at most %d dimensions", what,
                            LAUNCH_DIMS);
            return false;
        }
        if (!asm_parse_extent(assembler, &dims[n++]))
            return false;
    } while (asm_take_operator(assembler, ','));
    return asm_expect_char(assembler, ']');
}

/* An extent; 0 is what holds where nothing is said. */
static bool parse_extent_or_0(struct assembler *assembler, struct extent *extent) {
    if (assembler->token.kind != TOKEN_NUMBER || assembler->token.number != 0)
        return asm_parse_extent(assembler, extent);
    asm_scan(assembler);
    return true;
}

/* <<<grid, block, bytes>>>, the last two of which may be left out. */
static bool parse_geometry(struct assembler *assembler, struct extent extent[LAUNCH_EXTENTS]) {
    if (!asm_take_operator(assembler, OP_LAUNCH))
        return true;
    if (!parse_dims(assembler, "grid", &extent[LAUNCH_GRID]))
        return false;
    if (asm_take_operator(assembler, ',') &&
        (!parse_dims(assembler, "block", &extent[LAUNCH_BLOCK]) ||
         (asm_take_operator(assembler, ',') &&
          !parse_extent_or_0(assembler, &extent[LAUNCH_BYTES]))))
        return false;
    if (asm_take_operator(assembler, OP_LAUNCH_END))
        return true;
    asm_error_token(assembler, &assembler->token, "expected '>>>' behind <<<grid, block, bytes>>>");
    return false;
}

/* units N from FIRST */
static bool parse_units(struct assembler *assembler, struct extent extent[LAUNCH_EXTENTS]) {
    if (!asm_at_name(assembler, "units"))
        return true;
    asm_scan(assembler);
    if (!asm_parse_extent(assembler, &extent[LAUNCH_UNITS]))
        return false;
    if (!asm_at_name(assembler, "from"))
        return true;
    asm_scan(assembler);
    return parse_extent_or_0(assembler, &extent[LAUNCH_FIRST]);
}

static bool parse_arguments(struct assembler *assembler, const struct kernel_decl *kernel,
                            struct kernel_argument *arguments) {
    if (!asm_expect_char(assembler, '('))
        return false;
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        if ((i && !asm_expect_char(assembler, ',')) ||
            !parse_argument(assembler, &kernel->parameters[i], &arguments[i]))
            return false;
    if (asm_take_operator(assembler, ')'))
        return true;
    asm_error_token(assembler, &assembler->token, "kernel '%s' has %u parameter%s", kernel->name,
                    (unsigned)kernel->parameter_count, kernel->parameter_count == 1 ? "" : "s");
    return false;
}

static void call_kernel(struct assembler *assembler, const struct asm_token *at, uint32_t kernel) {
    const struct kernel_decl *k = &assembler->o->kernels.data[kernel];
    struct kernel_argument arguments[KERNEL_MAX_PARAMETERS];
    struct launch_geometry geometry;
    struct asm_token name = assembler->token;
    bool said = false;
    for (unsigned i = 0; i < LAUNCH_EXTENTS; i++)
        geometry.extent[i] = (struct extent){NO_INDEX, 0};
    asm_scan(assembler);
    if (!parse_geometry(assembler, geometry.extent) || !parse_arguments(assembler, k, arguments) ||
        !parse_units(assembler, geometry.extent))
        return;
    for (unsigned i = 0; i < LAUNCH_EXTENTS; i++)
        said |= launch_said(&geometry.extent[i]);
    asm_tell_builder(assembler, at->begin, name.end);
    asm_structure_launch(assembler, at);
    if (!assembler->failed)
        builder_kernel_call(assembler->b, kernel, arguments, said ? &geometry : NULL);
}

void asm_launch(struct assembler *assembler, const struct asm_token *at) {
    uint32_t kernel;
    struct asm_token name = assembler->token;
    if (asm_named_kernel(assembler, &kernel)) {
        call_kernel(assembler, at, kernel);
        return;
    }
    if (!asm_take_name(assembler, "the name of a kernel", &name))
        return;
    asm_error_token(assembler, &name, "there is no kernel '%.*s'", (int)token_length(&name),
                    asm_token_text(assembler, &name));
    asm_suggest(assembler, &name, &assembler->kernel_names);
}

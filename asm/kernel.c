/* SPDX-License-Identifier: MIT
 * .buffer, .kernel, and RECIPE of a kernel (docs/assembly.md, "Kernels"); kernel_text.c has the
 * texts. */
#include "asm/builder_state.h"
#include "asm/operand.h"
#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

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
    b.name = asm_new_name(assembler, "buffer", &assembler->buffer_names, &name);
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

/* bytes[24], bytes[24, 4] */
static bool parse_bytes_parameter(struct assembler *assembler, struct kernel_parameter *parameter) {
    struct asm_token at;
    wide bytes = 0, align = 0;
    asm_scan(assembler);
    at = assembler->token;
    if (!asm_expect_char(assembler, '[') ||
        !asm_parse_number_in(assembler, "the number of bytes", 1, KERNEL_MAX_PARAMETER_BYTES,
                             &bytes))
        return false;
    if (asm_take_operator(assembler, ',') &&
        !asm_parse_number_in(assembler, "the alignment", 1, 16, &align))
        return false;
    if (align & (align - 1)) {
        asm_error_token(assembler, &at, "an alignment is 1, 2, 4, 8 or 16");
        return false;
    }
    if (!align)
        align = object_bytes_align((uint32_t)bytes);
    parameter->kind = PARAMETER_BYTES;
    parameter->bytes = (uint16_t)bytes;
    parameter->align = (uint8_t)align;
    return asm_expect_char(assembler, ']');
}

static bool parse_parameter(struct assembler *assembler, struct kernel_parameter *parameter) {
    struct asm_token name;
    if (!asm_take_name(assembler, "the name of a parameter", &name) ||
        !asm_expect_char(assembler, ':'))
        return false;
    parameter->name = asm_keep(assembler, asm_token_text(assembler, &name), token_length(&name));
    if (asm_at_name(assembler, "bytes"))
        return parse_bytes_parameter(assembler, parameter);
    if (!asm_parse_type(assembler, &parameter->type))
        return false;
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

/* else SUB; *label is NO_INDEX without it. */
static bool parse_else(struct assembler *assembler, uint32_t *label) {
    struct asm_token name;
    *label = NO_INDEX;
    if (!asm_at_name(assembler, "else"))
        return true;
    asm_scan(assembler);
    if (!asm_take_name(assembler, "the label of a subroutine", &name))
        return false;
    *label = builder_label(assembler->b, asm_label_name(assembler, asm_token_text(assembler, &name),
                                                        token_length(&name)));
    return true;
}

static void keep_kernel(struct assembler *assembler, const struct asm_token *name,
                        struct kernel_decl *kernel, const struct module_decl *own) {
    if (!kernel->entry) {
        kernel->bytes = own->bytes;
        kernel->size = own->size;
        kernel->first_line = own->first_line;
    }
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

/* in MODULE entry ENTRY; the entry may have the kernel's own name.  That it is one is known even
 * where the module is not: it has no block. */
static bool parse_entry(struct assembler *assembler, const struct asm_token *form,
                        struct kernel_decl *kernel) {
    struct asm_token name;
    kernel->entry = kernel->name;
    asm_scan(assembler);
    if (!asm_take_name(assembler, "the name of a module", &name))
        return false;
    const uint64_t *known =
        map_get_n(&assembler->module_names, asm_token_text(assembler, &name), token_length(&name));
    if (!known) {
        asm_error_token(assembler, &name, "there is no module '%.*s'", (int)token_length(&name),
                        asm_token_text(assembler, &name));
        asm_suggest(assembler, &name, &assembler->module_names);
        return false;
    }
    kernel->module = (uint32_t)*known;
    if (asm_at_name(assembler, "entry")) {
        asm_scan(assembler);
        if (!asm_take_name(assembler, "the name of an entry", &name))
            return false;
        kernel->entry = asm_keep(assembler, asm_token_text(assembler, &name), token_length(&name));
    }
    const char *said = kernel->form;
    object_kernel_join(assembler->o, kernel);
    if (strcmp(said, kernel->form) == 0)
        return true;
    asm_error_token(assembler, form, "kernel '%s' is of form '%s', and module '%s' of form '%s'",
                    kernel->name, said, assembler->o->modules.data[kernel->module].name,
                    kernel->form);
    return false;
}

static bool parse_head(struct assembler *assembler, struct kernel_parameter *parameters,
                       struct asm_token *name, struct kernel_decl *kernel) {
    struct asm_token form;
    if (!asm_take_name(assembler, "the name of a kernel", name))
        return false;
    kernel->name = asm_new_name(assembler, "kernel", &assembler->kernel_names, name);
    kernel->place = asm_place(assembler, name->begin);
    asm_tell_builder(assembler, name->begin, name->end);
    if (!kernel->name || !asm_take_name(assembler, "the form of the kernel", &form))
        return false;
    kernel->form = asm_keep(assembler, asm_token_text(assembler, &form), token_length(&form));
    if (!parse_parameters(assembler, parameters, kernel) ||
        !parse_else(assembler, &kernel->otherwise))
        return false;
    if (asm_at_name(assembler, "in"))
        return parse_entry(assembler, &form, kernel);
    kernel->words = asm_at_name(assembler, "words");
    if (kernel->words)
        asm_scan(assembler);
    return true;
}

/* A block is passed over in any case. */
void asm_declare_kernel(struct assembler *assembler, const struct asm_token *directive) {
    struct kernel_parameter *parameters = xcalloc(KERNEL_MAX_PARAMETERS, sizeof *parameters);
    struct kernel_decl k = {.otherwise = NO_INDEX};
    struct module_decl own = {.size = 0};
    struct asm_token name = *directive;
    struct str text = {0};
    bool good = parse_head(assembler, parameters, &name, &k);
    own.words = k.words;
    if (good && k.entry)
        asm_expect_end(assembler);
    else if (!k.entry)
        good =
            asm_take_kernel_text(assembler, directive, ".kernel", ".endkernel", good, &own, &text);
    if (good && !assembler->failed)
        keep_kernel(assembler, &name, &k, &own);
    str_free(&text);
    free(parameters);
}

/* ---- RECIPE f<<<n, 16>>>(x, n, 3) units 8 from 16 else g ---- */

const struct kernel_decl *asm_named_kernel(struct assembler *assembler, uint32_t *index) {
    const struct asm_token *t = &assembler->token;
    const uint64_t *known =
        t->kind == TOKEN_NAME
            ? map_get_n(&assembler->kernel_names, asm_token_text(assembler, t), token_length(t))
            : NULL;
    *index = known ? (uint32_t)*known : NO_INDEX;
    return known ? &assembler->o->kernels.data[*known] : NULL;
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

static bool parse_number(struct assembler *assembler, struct lane_type type,
                         struct kernel_argument *argument) {
    wide real = 0;
    if (!object_type_is_float(type))
        return parse_integer(assembler, type, argument);
    if (!asm_parse_real(assembler, type, &real))
        return false;
    argument->number = (uint64_t)real;
    return true;
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
    return !asm_take_operator(assembler, '+') ||
           parse_integer(assembler, (struct lane_type){TYPE_UINT, 40}, argument);
}

/* bytes(u64 5, f32 1.5): each where its own size lets it lie; zeros behind the last. */
static bool parse_bytes(struct assembler *assembler, const struct kernel_parameter *parameter,
                        struct kernel_argument *argument) {
    struct asm_token at = assembler->token;
    unsigned char *bytes =
        (unsigned char *)ARENA_ARRAY(&assembler->o->arena, parameter->bytes, unsigned char);
    uint32_t end = 0;
    argument->bytes = bytes;
    if (!asm_at_name(assembler, "bytes")) {
        asm_error_token(assembler, &at, "parameter '%s' takes bytes(...)", parameter->name);
        return false;
    }
    asm_scan(assembler);
    if (!asm_expect_char(assembler, '('))
        return false;
    do {
        struct kernel_parameter member = {.kind = PARAMETER_NUMBER};
        struct kernel_argument value = {NO_INDEX, NO_INDEX, 0, NULL};
        at = assembler->token;
        if (!asm_parse_type(assembler, &member.type) ||
            !parse_number(assembler, member.type, &value))
            return false;
        uint32_t size = object_parameter_bytes(&member);
        end = object_parameter_offset(&member, end) + size;
        if (end > parameter->bytes || value.size != NO_INDEX) {
            asm_error_token(assembler, &at,
                            value.size != NO_INDEX ? "a size is no part of bytes"
                                                   : "parameter '%s' has no more than %u bytes",
                            parameter->name, parameter->bytes);
            return false;
        }
        for (uint32_t i = 0; i < size; i++)
            bytes[end - size + i] = (unsigned char)(value.number >> 8 * i);
    } while (asm_take_operator(assembler, ','));
    return asm_expect_char(assembler, ')');
}

static bool parse_argument(struct assembler *assembler, const struct kernel_parameter *parameter,
                           struct kernel_argument *argument) {
    struct asm_token first = assembler->token;
    *argument = (struct kernel_argument){NO_INDEX, NO_INDEX, 0, NULL};
    if (!(parameter->kind == PARAMETER_BUFFER ? parse_buffer(assembler, argument)
          : parameter->kind == PARAMETER_BYTES
              ? parse_bytes(assembler, parameter, argument)
              : parse_number(assembler, parameter->type, argument)))
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

/* <<<grid, block, bytes>>>, the last two of which may be left out. */
static bool parse_geometry(struct assembler *assembler, struct extent extent[LAUNCH_EXTENTS]) {
    if (!asm_take_operator(assembler, OP_LAUNCH))
        return true;
    if (!parse_dims(assembler, "grid", &extent[LAUNCH_GRID]))
        return false;
    if (asm_take_operator(assembler, ',') &&
        (!parse_dims(assembler, "block", &extent[LAUNCH_BLOCK]) ||
         (asm_take_operator(assembler, ',') &&
          !asm_parse_extent_or_0(assembler, &extent[LAUNCH_BYTES]))))
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
    return asm_parse_extent_or_0(assembler, &extent[LAUNCH_FIRST]);
}

/* The list ends before a parameter has its argument. */
static bool lacks_argument(struct assembler *assembler, const struct kernel_decl *kernel,
                           uint32_t parameter) {
    if (!asm_at_operator(assembler, ')'))
        return false;
    asm_error_token(assembler, &assembler->token,
                    "kernel '%s' has %u parameter%s; '%s' gets no argument", kernel->name,
                    (unsigned)kernel->parameter_count, kernel->parameter_count == 1 ? "" : "s",
                    kernel->parameters[parameter].name);
    return true;
}

static bool parse_arguments(struct assembler *assembler, const struct kernel_decl *kernel,
                            struct kernel_argument *arguments) {
    if (!asm_expect_char(assembler, '('))
        return false;
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        if (lacks_argument(assembler, kernel, i) || (i && !asm_expect_char(assembler, ',')) ||
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
    struct kernel_argument *arguments =
        ARENA_ARRAY(&assembler->o->arena, k->parameter_count + 1, struct kernel_argument);
    struct launch_geometry geometry;
    struct asm_token name = assembler->token;
    uint32_t otherwise;
    bool said = false;
    for (unsigned i = 0; i < LAUNCH_EXTENTS; i++)
        geometry.extent[i] = (struct extent){NO_INDEX, 0};
    asm_scan(assembler);
    if (!parse_geometry(assembler, geometry.extent) || !parse_arguments(assembler, k, arguments) ||
        !parse_units(assembler, geometry.extent) || !parse_else(assembler, &otherwise))
        return;
    for (unsigned i = 0; i < LAUNCH_EXTENTS; i++)
        said |= launch_said(&geometry.extent[i]);
    asm_tell_builder(assembler, at->begin, name.end);
    asm_structure_launch(assembler, at);
    if (!assembler->failed)
        builder_kernel_call(assembler->b, kernel, arguments, said ? &geometry : NULL, otherwise);
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

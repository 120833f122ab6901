/* SPDX-License-Identifier: MIT
 * launch f<<<grid, block, bytes>>>(x + 8 * n, n, -3, bytes(u32(7), f32(1.5))) units n from first */
#include "ezpim/ez/check_kernel.h"
#include "ezpim/ez/check_size.h"

#include <string.h>

/* ---- arguments ---- */

static const struct ez_kernel *kernel_of(struct checker *checker, struct ez_name name,
                                         uint32_t *index) {
    struct ez_unit *u = checker->u;
    const uint64_t *known = map_get(&u->kernel_names, name.text);
    if (known) {
        *index = (uint32_t)*known;
        u->kernels.data[*index].used = true;
        return &u->kernels.data[*index];
    }
    VEC(const char *) near = {0};
    for (size_t i = 0; i < u->kernels.len; i++)
        vec_push(&near, u->kernels.data[i].decl.name);
    diag_error(u->diag, name.at, "there is no kernel `%s`", name.text);
    diag_suggest(u->diag, name.at, name.text, near.data, near.len);
    vec_free(&near);
    return NULL;
}

/* What the number is: "u64", or what kind of number without a type. */
static void report_type(struct checker *checker, const struct expr *expr,
                        const struct kernel_parameter *parameter) {
    diag_error(checker->u->diag, expr->at, "parameter `%s` is of type %s, and this is %s",
               parameter->name, ez_type_name(checker, parameter->type),
               ez_what_it_is(checker, expr));
}

static bool number_argument(struct checker *checker, struct expr *expr,
                            const struct kernel_parameter *parameter, struct kernel_argument *out) {
    struct lane_type type = parameter->type;
    ez_check_expr(checker, expr);
    if (expr->type.state == STATE_ERROR)
        return false;
    if (expr->type.state == STATE_NUMBER && !expr->is_constant && !expr->type.real) {
        if (object_type_is_float(type)) {
            diag_error(checker->u->diag, expr->at, "parameter `%s` is no integer, and gets a size",
                       parameter->name);
            return false;
        }
        if (!ez_check_size(checker, expr))
            return false;
        out->size = expr->symbol->index;
        return true;
    }
    ez_coerce(checker, expr, type, false);
    if (expr->type.state != STATE_TYPED)
        return false;
    if (expr->type.type.kind != type.kind || expr->type.type.bits > type.bits) {
        report_type(checker, expr, parameter);
        return false;
    }
    if (!expr->is_constant) {
        diag_error(checker->u->diag, expr->at,
                   "what a kernel gets is known when the program is packaged: a number, a size or "
                   "a formula of sizes");
        return false;
    }
    out->number = (uint64_t)ez_value(ez_pattern(expr->value, type), type);
    return true;
}

/* bytes(u32(7), f32(1.5)): each where its own size lets it lie, zeros behind the last. */
static bool bytes_argument(struct checker *checker, struct expr *expr,
                           const struct kernel_parameter *parameter, struct kernel_argument *out) {
    unsigned char *bytes = ARENA_ARRAY(&checker->u->arena, parameter->bytes, unsigned char);
    uint32_t end = 0;
    out->bytes = bytes;
    memset(bytes, 0, parameter->bytes);
    if (expr->kind != EXPR_CALL || strcmp(expr->name.text, "bytes") != 0) {
        diag_error(checker->u->diag, expr->at, "parameter `%s` takes `bytes(u32(7), f32(1.5))`",
                   parameter->name);
        return false;
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        struct expr *e = expr->args[i];
        ez_check_expr(checker, e);
        if (e->type.state == STATE_ERROR)
            return false;
        if (e->type.state != STATE_TYPED || !e->is_constant) {
            diag_error(checker->u->diag, e->at,
                       "a part of bytes is a number with a type, as in `u32(7)`");
            return false;
        }
        const struct kernel_parameter member = {.kind = PARAMETER_NUMBER, .type = e->type.type};
        uint32_t size = object_parameter_bytes(&member);
        end = object_parameter_offset(&member, end) + size;
        if (end > parameter->bytes) {
            diag_error(checker->u->diag, e->at, "parameter `%s` has no more than %u bytes",
                       parameter->name, (unsigned)parameter->bytes);
            return false;
        }
        uint64_t pattern = ez_pattern(e->value, member.type);
        for (uint32_t b = 0; b < size; b++)
            bytes[end - size + b] = (unsigned char)(pattern >> 8 * b);
    }
    return true;
}

/* Of x + a + b the name x, and a + b; *offset is NULL of x alone.  NULL: it is no such sum. */
static const struct expr *buffer_name(struct checker *checker, struct expr *expr,
                                      struct expr **offset) {
    *offset = NULL;
    if (expr->kind == EXPR_NAME)
        return expr;
    if (expr->kind != EXPR_BINARY || expr->op != BINARY_ADD)
        return NULL;
    const struct expr *name = buffer_name(checker, expr->args[0], offset);
    if (!*offset) {
        *offset = expr->args[1];
        return name;
    }
    struct expr *sum = ARENA_NEW(&checker->u->arena, struct expr);
    *sum = *expr;
    sum->args = ARENA_ARRAY(&checker->u->arena, 2, struct expr *);
    sum->args[0] = *offset;
    sum->args[1] = expr->args[1];
    sum->at = (struct span){expr->at.source, (*offset)->at.begin, expr->at.end};
    *offset = sum;
    return name;
}

static struct ez_buffer *find_buffer(struct checker *checker, const struct expr *name) {
    struct ez_unit *u = checker->u;
    const uint64_t *known = map_get(&u->buffer_names, name->name.text);
    if (known)
        return &u->buffers.data[*known];
    VEC(const char *) near = {0};
    for (size_t i = 0; i < u->buffers.len; i++)
        vec_push(&near, u->buffers.data[i].decl.name);
    diag_error(u->diag, name->at, "there is no buffer `%s`", name->name.text);
    diag_suggest(u->diag, name->at, name->name.text, near.data, near.len);
    const struct ez_symbol *s = ez_unit_find(u, name->name.text);
    if (s && s->kind == SYMBOL_EZ_VARIABLE)
        diag_note(u->diag, s->name.at,
                  "a kernel works on buffers: `buffer .. %s: ..;` declares one, for which the "
                  "variable stands",
                  name->name.text);
    vec_free(&near);
    return NULL;
}

static bool buffer_argument(struct checker *checker, struct expr *expr,
                            const struct kernel_parameter *parameter, struct kernel_argument *out) {
    static const ez_number LAST_BYTE = (ez_number)OBJECT_MAX_EXTENT - 1;
    struct expr *offset;
    const struct expr *name = buffer_name(checker, expr, &offset);
    if (!name) {
        diag_error(checker->u->diag, expr->at,
                   "parameter `%s` takes a buffer, or one from a byte on: `x + 8 * n`",
                   parameter->name);
        return false;
    }
    struct ez_buffer *b = find_buffer(checker, name);
    if (!b)
        return false;
    b->used = true;
    out->buffer = (uint32_t)(b - checker->u->buffers.data);
    if (!ez_type_same(b->decl.type, parameter->type)) {
        diag_error(checker->u->diag, name->at,
                   "parameter `%s` takes a buffer of %s, and `%s` has "
                   "%s",
                   parameter->name, ez_type_name(checker, parameter->type), b->decl.name,
                   ez_type_name(checker, b->decl.type));
        return false;
    }
    if (!offset)
        return true;
    ez_check_expr(checker, offset);
    if (!ez_check_size(checker, offset))
        return ez_check_integer(checker, offset, 0, LAST_BYTE, "the first byte", &out->number);
    out->size = offset->symbol->index;
    return true;
}

static bool argument(struct checker *checker, struct expr *expr,
                     const struct kernel_parameter *parameter, struct kernel_argument *out) {
    switch (parameter->kind) {
    case PARAMETER_BUFFER:
        return buffer_argument(checker, expr, parameter, out);
    case PARAMETER_BYTES:
        return bytes_argument(checker, expr, parameter, out);
    default:
        return number_argument(checker, expr, parameter, out);
    }
}

/* The buffer that the kernel's own file has for the parameter, or NO_INDEX. */
static uint32_t added_buffer(const struct checker *checker, const struct ez_kernel *kernel,
                             const struct kernel_parameter *parameter) {
    const uint64_t *known = parameter->kind == PARAMETER_BUFFER && kernel->included
                                ? map_get(&checker->u->buffer_names, parameter->name)
                                : NULL;
    const struct ez_buffer *b = known ? &checker->u->buffers.data[*known] : NULL;
    return b && b->added && b->module == kernel->decl.module ? (uint32_t)*known : NO_INDEX;
}

static void report_count(struct checker *checker, const struct stmt *stmt,
                         const struct ez_kernel *kernel, uint32_t wanted) {
    diag_error(checker->u->diag, stmt->at, "kernel `%s` has %u parameter%s, and here %s %u",
               kernel->decl.name, (unsigned)wanted, wanted == 1 ? "" : "s",
               stmt->operand_count == 1 ? "is" : "are", (unsigned)stmt->operand_count);
    diag_note(checker->u->diag, kernel->name.at, "it is declared here");
}

static void arguments(struct checker *checker, struct stmt *stmt, const struct ez_kernel *kernel,
                      struct ez_launch *launch) {
    const struct kernel_decl *k = &kernel->decl;
    uint32_t wanted = 0, at = 0;
    for (uint32_t i = 0; i < k->parameter_count; i++)
        wanted += added_buffer(checker, kernel, &k->parameters[i]) == NO_INDEX;
    if (wanted != stmt->operand_count) {
        report_count(checker, stmt, kernel, wanted);
        return;
    }
    launch->arguments =
        ARENA_ARRAY(&checker->u->arena, k->parameter_count + 1, struct kernel_argument);
    for (uint32_t i = 0; i < k->parameter_count; i++) {
        uint32_t added = added_buffer(checker, kernel, &k->parameters[i]);
        launch->arguments[i] = (struct kernel_argument){added, NO_INDEX, 0, NULL};
        if (added == NO_INDEX)
            argument(checker, stmt->operands[at++], &k->parameters[i], &launch->arguments[i]);
    }
}

/* ---- geometry ---- */

/* A dimension, or [x, y, z]. */
static void dims(struct checker *checker, struct expr *expr, const char *what,
                 struct extent out[LAUNCH_DIMS]) {
    struct expr **list = expr->kind == EXPR_LIST ? expr->args : &expr;
    uint32_t count = expr->kind == EXPR_LIST ? expr->arg_count : 1;
    if (count > LAUNCH_DIMS) {
        diag_error(checker->u->diag, list[LAUNCH_DIMS]->at, "%s has at most %d dimensions", what,
                   LAUNCH_DIMS);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        ez_check_extent(checker, list[i], 1, what, &out[i]);
}

/* An extent; 0 is what holds where nothing is said. */
static void extent_or_0(struct checker *checker, struct expr *expr, const char *what,
                        struct extent *out) {
    if (expr->kind == EXPR_LIST)
        diag_error(checker->u->diag, expr->at, "%s is one number", what);
    else if (!ez_check_extent(checker, expr, 0, what, out))
        *out = (struct extent){NO_INDEX, 0};
}

static void geometry(struct checker *checker, const struct stmt *stmt, struct ez_launch *launch) {
    struct extent *e = launch->geometry.extent;
    const struct expr *g = stmt->target;
    if (g && g->arg_count > 3)
        diag_error(checker->u->diag, g->args[3]->at,
                   "a geometry is a grid, a block, and bytes that each block has");
    if (g)
        dims(checker, g->args[0], "the grid", &e[LAUNCH_GRID]);
    if (g && g->arg_count > 1)
        dims(checker, g->args[1], "the block", &e[LAUNCH_BLOCK]);
    if (g && g->arg_count > 2)
        extent_or_0(checker, g->args[2], "the bytes of a block", &e[LAUNCH_BYTES]);
    if (stmt->value)
        ez_check_extent(checker, stmt->value, 1, "the number of units", &e[LAUNCH_UNITS]);
    if (stmt->last)
        extent_or_0(checker, stmt->last, "the first unit", &e[LAUNCH_FIRST]);
    for (unsigned i = 0; i < LAUNCH_EXTENTS; i++)
        launch->said |= launch_said(&e[i]);
}

/* ---- launches ---- */

void ez_check_launch(struct checker *checker, struct stmt *stmt) {
    struct ez_launch *launch = ARENA_NEW(&checker->u->arena, struct ez_launch);
    *launch = (struct ez_launch){.kernel = NO_INDEX};
    for (unsigned i = 0; i < LAUNCH_EXTENTS; i++)
        launch->geometry.extent[i] = (struct extent){NO_INDEX, 0};
    stmt->launch = launch;
    if (checker->launch) {
        diag_error(checker->u->diag, stmt->word,
                   "behind the `else` of a launch stands what is done without kernels");
        return;
    }
    if (!checker->u->launched.source)
        checker->u->launched = stmt->word;
    const struct ez_kernel *kernel = kernel_of(checker, stmt->name, &launch->kernel);
    if (kernel)
        arguments(checker, stmt, kernel, launch);
    geometry(checker, stmt, launch);
}

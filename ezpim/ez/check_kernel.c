/* SPDX-License-Identifier: MIT
 * buffer, module, kernel: arrays in a machine's memory, and programs in its own language. */
#include "ezpim/ez/check_kernel.h"
#include "ezpim/ez/check_size.h"
#include "ezpim/ez/walk.h"

#include <inttypes.h>
#include <string.h>

/* False after reporting that the map has the name. */
static bool is_new(struct checker *checker, const struct map *names, const char *what,
                   struct ez_name name) {
    if (!map_get(names, name.text))
        return true;
    diag_error(checker->u->diag, name.at, "%s `%s` is declared twice", what, name.text);
    return false;
}

/* ---- buffer in x: i64[n, 4]; ---- */

static bool buffer_shape(struct checker *checker, const struct decl *decl,
                         struct buffer_decl *buffer) {
    bool good = true;
    if (decl->extents.count > FORM_MAX_DIMS) {
        diag_error(checker->u->diag, decl->extents.items[FORM_MAX_DIMS]->at,
                   "a buffer has at most %d dimensions", FORM_MAX_DIMS);
        return false;
    }
    buffer->ndim = decl->extents.count;
    for (uint32_t i = 0; i < buffer->ndim; i++)
        good &= ez_check_extent(checker, decl->extents.items[i], 1, "an extent", &buffer->shape[i]);
    return good;
}

/* A variable of the name stands for it; nothing else has it. */
static bool buffer_name_is_free(struct checker *checker, struct ez_name name) {
    const struct ez_symbol *s = ez_unit_find(checker->u, name.text);
    if (!is_new(checker, &checker->u->buffer_names, "buffer", name))
        return false;
    return (s && s->kind == SYMBOL_EZ_VARIABLE) || ez_name_is_free(checker, name);
}

static void add_buffer(struct checker *checker, struct ez_name name, struct buffer_decl buffer) {
    struct ez_unit *u = checker->u;
    if (!buffer_name_is_free(checker, name))
        return;
    if (u->buffers.len == OBJECT_MAX_BUFFERS) {
        diag_error(u->diag, name.at, "a program has at most %d buffers", OBJECT_MAX_BUFFERS);
        return;
    }
    struct ez_buffer b = {.decl = buffer, .name = name, .module = NO_INDEX};
    b.decl.name = name.text;
    map_put(&u->buffer_names, name.text, u->buffers.len);
    vec_push(&u->buffers, b);
}

void ez_decl_buffer(struct checker *checker, struct decl *decl) {
    struct buffer_decl b = {.direction = decl->direction};
    if (decl->buffer)
        return; /* ez_add_buffers */
    bool good = ez_resolve_type(checker, decl->type->name, &b.type);
    if (buffer_shape(checker, decl, &b) && good)
        for (uint32_t i = 0; i < decl->name_count; i++)
            add_buffer(checker, decl->names[i], b);
}

/* What the text says of the buffer holds for one that the program declares, but for its direction;
 * else it is an output. */
static void add_from_file(struct checker *checker, const struct decl *decl) {
    struct ez_unit *u = checker->u;
    const uint64_t *known = map_get(&u->buffer_names, decl->names[0].text);
    const uint64_t *module = map_get(&u->module_names, decl->module.text);
    struct buffer_decl b = *decl->buffer;
    b.direction = known ? u->buffers.data[*known].decl.direction : VAR_OUT;
    if (!known)
        add_buffer(checker, decl->names[0], b);
    else if (!object_buffer_same(&u->buffers.data[*known].decl, &b)) {
        diag_error(u->diag, u->buffers.data[*known].name.at,
                   "the buffer `%s` is declared differently by the file of its kernels", b.name);
        diag_note(u->diag, decl->at, "there it is %s[%" PRIu64 "]", ez_type_name(checker, b.type),
                  object_buffer_elements(&b, NULL));
        return;
    }
    known = map_get(&u->buffer_names, decl->names[0].text);
    if (!known)
        return;
    u->buffers.data[*known].used = u->buffers.data[*known].added = true;
    u->buffers.data[*known].module = module ? (uint32_t)*module : NO_INDEX;
}

void ez_add_buffers(struct checker *checker) {
    for (const struct decl *d = checker->u->tree->decls; d; d = d->next)
        if (d->buffer)
            add_from_file(checker, d);
}

const struct ez_buffer *ez_buffer_of(const struct ez_unit *unit, const struct ez_symbol *symbol) {
    const uint64_t *known =
        symbol->kind == SYMBOL_EZ_VARIABLE ? map_get(&unit->buffer_names, symbol->name.text) : NULL;
    return known ? &unit->buffers.data[*known] : NULL;
}

/* ---- module m core { .. } ---- */

/* The bytes of the text, and where they stand. */
static const char *text_of(struct checker *checker, const struct form_text *own, size_t *size,
                           struct span *at) {
    if (own->bytes) {
        *size = own->size;
        *at = (struct span){own->source, 0, 0};
        return own->bytes;
    }
    size_t all;
    *at = own->at;
    *size = own->at.end - own->at.begin;
    return diag_source_text(checker->u->diag, own->at.source, &all) + own->at.begin;
}

/* False after reporting a text that cannot be one, in words that follow "kernel `f`". */
static bool text_is_fine(struct checker *checker, const char *what, struct ez_name name,
                         const struct module_decl *module) {
    const char *problem = object_module_problem(module);
    if (problem)
        diag_error(checker->u->diag, name.at, "%s `%s` %s", what, name.text, problem);
    return !problem;
}

void ez_decl_module(struct checker *checker, struct decl *decl) {
    struct ez_unit *u = checker->u;
    struct ez_module m = {.decl = {.name = decl->names[0].text, .form = decl->own.form.text}};
    m.decl.bytes = text_of(checker, &decl->own, &m.decl.size, &m.at);
    m.used = decl->included;
    if (!is_new(checker, &u->module_names, "module", decl->names[0]) ||
        !text_is_fine(checker, "module", decl->names[0], &m.decl))
        return;
    if (u->modules.len == OBJECT_MAX_MODULES) {
        diag_error(u->diag, decl->names[0].at, "a program has at most %d modules",
                   OBJECT_MAX_MODULES);
        return;
    }
    map_put(&u->module_names, m.decl.name, u->modules.len);
    vec_push(&u->modules, m);
}

/* ---- kernel f core(x: i64[], n: u64) { .. } ---- */

/* bytes[24], bytes[24, 4] */
static bool bytes_parameter(struct checker *checker, struct decl *decl,
                            struct kernel_parameter *parameter) {
    struct expr **part = decl->extents.items;
    uint64_t bytes = 0, align = 0;
    if (decl->extents.count == 0 || decl->extents.count > 2) {
        diag_error(checker->u->diag, decl->at,
                   "`bytes[24, 4]` are 24 bytes that lie at a multiple of 4");
        return false;
    }
    ez_check_expr(checker, part[0]);
    if (!ez_check_integer(checker, part[0], 1, KERNEL_MAX_PARAMETER_BYTES, "the number of bytes",
                          &bytes))
        return false;
    align = object_bytes_align((uint32_t)bytes);
    if (decl->extents.count == 2) {
        ez_check_expr(checker, part[1]);
        if (!ez_check_integer(checker, part[1], 1, 16, "the alignment", &align))
            return false;
    }
    if (align & (align - 1)) {
        diag_error(checker->u->diag, part[1]->at, "an alignment is 1, 2, 4, 8 or 16");
        return false;
    }
    parameter->kind = PARAMETER_BYTES;
    parameter->bytes = (uint16_t)bytes;
    parameter->align = (uint8_t)align;
    return true;
}

static bool parameter(struct checker *checker, struct decl *decl, struct kernel_parameter *out) {
    *out = (struct kernel_parameter){.name = decl->names[0].text, .kind = PARAMETER_NUMBER};
    if (strcmp(decl->type->name.text, "bytes") == 0 && !decl->is_buffer)
        return bytes_parameter(checker, decl, out);
    if (decl->is_buffer)
        out->kind = PARAMETER_BUFFER;
    if (!decl->extents.count)
        return ez_resolve_type(checker, decl->type->name, &out->type);
    diag_error(checker->u->diag, decl->at,
               "a buffer of any length is written `%s: %s[]`, a number `%s: %s`",
               decl->names[0].text, decl->type->name.text, decl->names[0].text,
               decl->type->name.text);
    return false;
}

static bool parameters(struct checker *checker, const struct decl *decl, struct kernel_decl *out) {
    uint32_t count = 0;
    bool good = true;
    for (const struct decl *d = decl->params; d; d = d->next)
        count++;
    struct kernel_parameter *list =
        ARENA_ARRAY(&checker->u->arena, count + 1, struct kernel_parameter);
    out->parameters = list;
    for (struct decl *d = decl->params; d; d = d->next)
        good &= parameter(checker, d, &list[out->parameter_count++]);
    return good;
}

/* in m entry e; */
static bool join_module(struct checker *checker, const struct decl *decl, struct ez_kernel *out) {
    struct ez_unit *u = checker->u;
    const uint64_t *known = map_get(&u->module_names, decl->module.text);
    if (!known) {
        VEC(const char *) near = {0};
        for (size_t i = 0; i < u->modules.len; i++)
            vec_push(&near, u->modules.data[i].decl.name);
        diag_error(u->diag, decl->module.at, "there is no module `%s`", decl->module.text);
        diag_suggest(u->diag, decl->module.at, decl->module.text, near.data, near.len);
        vec_free(&near);
        return false;
    }
    struct ez_module *m = &u->modules.data[*known];
    m->used = true;
    out->decl.module = (uint32_t)*known;
    out->decl.entry = decl->kernel       ? decl->kernel->entry
                      : decl->entry.text ? decl->entry.text
                                         : decl->names[0].text;
    out->at = m->at;
    if (!decl->kernel && strcmp(decl->own.form.text, m->decl.form) != 0) {
        diag_error(u->diag, decl->own.form.at,
                   "kernel `%s` is of form `%s`, and module `%s` of form `%s`", decl->names[0].text,
                   decl->own.form.text, m->decl.name, m->decl.form);
        return false;
    }
    out->decl.form = m->decl.form;
    out->decl.bytes = m->decl.bytes;
    out->decl.size = m->decl.size;
    return true;
}

static bool own_text(struct checker *checker, const struct decl *decl, struct ez_kernel *out) {
    struct module_decl own = {.form = decl->own.form.text};
    own.bytes = text_of(checker, &decl->own, &own.size, &out->at);
    out->decl.form = own.form;
    out->decl.bytes = own.bytes;
    out->decl.size = own.size;
    return text_is_fine(checker, "kernel", decl->names[0], &own);
}

void ez_decl_kernel(struct checker *checker, struct decl *decl) {
    struct ez_unit *u = checker->u;
    struct ez_kernel k = {.name = decl->names[0], .included = decl->included};
    bool good = is_new(checker, &u->kernel_names, "kernel", k.name);
    if (decl->kernel)
        k.decl = *decl->kernel;
    else
        good &= parameters(checker, decl, &k.decl);
    k.decl.name = k.name.text;
    k.decl.otherwise = NO_INDEX;
    good &= decl->module.text ? join_module(checker, decl, &k) : own_text(checker, decl, &k);
    const char *problem = good ? object_kernel_problem(&k.decl) : NULL;
    if (!problem && u->kernels.len == OBJECT_MAX_KERNELS)
        problem = "is one too many: a program has at most 4096";
    if (problem)
        diag_error(u->diag, k.name.at, "kernel `%s` %s", k.name.text, problem);
    /* One that was refused is known, so that its launches are not reported, too. */
    k.used = !good || problem;
    if (!map_get(&u->kernel_names, k.name.text)) {
        map_put(&u->kernel_names, k.name.text, u->kernels.len);
        vec_push(&u->kernels, k);
    }
}

/* ---- when all is known ---- */

static bool same_extents(const struct extent *left, const struct extent *right, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (left[i].size != right[i].size || left[i].value != right[i].value)
            return false;
    return true;
}

/* The shape of the variable's array. */
static uint32_t shape_of(const struct ez_symbol *symbol, struct extent *shape) {
    const struct ez_symbol *g = symbol->var.group;
    uint32_t ndim = g ? g->layout.ndim : 0;
    if (g)
        memcpy(shape, g->layout.extents, ndim * sizeof *shape);
    if (symbol->has_k)
        shape[ndim++] = (struct extent){NO_INDEX, symbol->count};
    return ndim;
}

static void check_stand_in(struct checker *checker, const struct ez_buffer *buffer,
                           const struct ez_symbol *symbol) {
    const struct buffer_decl *b = &buffer->decl;
    struct extent shape[GROUP_MAX_DIMS + 1];
    bool on_mpus = symbol->var.group && symbol->var.group->layout.on_mpus;
    const char *what = NULL;
    if (symbol->type.state == STATE_ERROR)
        return;
    if ((symbol->var.direction & ~VAR_CONSUMED) != b->direction)
        what = "direction";
    else if (!ez_type_same(symbol->var.outer, b->type))
        what = "type";
    else if (on_mpus || shape_of(symbol, shape) != b->ndim ||
             !same_extents(shape, b->shape, b->ndim))
        what = "shape";
    if (!what)
        return;
    diag_error(checker->u->diag, buffer->name.at,
               "the buffer `%s` and the variable of its name differ in %s", b->name, what);
    diag_note(checker->u->diag, symbol->name.at,
              "the variable stands for the buffer where a target carries out no kernels");
}

struct stand_in_search {
    struct checker *checker;
    bool reported;
};

/* Where kernels are launched the buffer has the values, and the variable none. */
static void refuse_stand_in(void *context, struct expr *expr) {
    struct stand_in_search *s = context;
    struct ez_unit *u = s->checker->u;
    const struct ez_symbol *symbol = expr->kind == EXPR_NAME || expr->kind == EXPR_INDEX
                                         ? ez_unit_find(u, expr->name.text)
                                         : NULL;
    if (s->reported || !symbol || !ez_buffer_of(u, symbol))
        return;
    s->reported = true;
    diag_error(u->diag, expr->at,
               "`%s` stands for the buffer of its name, and has its values behind the `else` of a "
               "launch alone",
               symbol->name.text);
    diag_note(u->diag, symbol->name.at,
              "where the target launches kernels, what `%s` is given lies in the buffer",
              symbol->name.text);
}

/* All statements but those behind the `else` of a launch. */
static void find_stand_ins(const struct walker *walker, const struct stmt *stmt) {
    for (; stmt; stmt = stmt->next) {
        if (stmt->kind == STMT_LAUNCH)
            continue;
        struct stmt alone = *stmt;
        alone.next = alone.body = alone.otherwise = NULL;
        alone.lap_count = 0;
        ez_walk_stmts(walker, &alone);
        find_stand_ins(walker, stmt->body);
        find_stand_ins(walker, stmt->otherwise);
    }
}

static void check_stand_ins(struct checker *checker) {
    struct stand_in_search s = {checker, false};
    const struct walker w = {&s, NULL, refuse_stand_in};
    struct ez_unit *u = checker->u;
    for (size_t i = 0; i < u->buffers.len; i++) {
        const struct ez_symbol *symbol = ez_unit_find(u, u->buffers.data[i].decl.name);
        if (symbol && symbol->kind == SYMBOL_EZ_VARIABLE)
            check_stand_in(checker, &u->buffers.data[i], symbol);
    }
    if (u->main)
        find_stand_ins(&w, u->main->body);
    for (size_t i = 0; i < u->subs.items.len; i++)
        find_stand_ins(&w, u->subs.items.data[i]->decl->body);
}

static void warn_unused(struct checker *checker) {
    struct ez_unit *u = checker->u;
    static const char text[] = "%s `%s` is never %s";
    for (size_t i = 0; i < u->buffers.len; i++)
        if (!u->buffers.data[i].used)
            diag_warning(u->diag, W_UNUSED, u->buffers.data[i].name.at, text, "the buffer",
                         u->buffers.data[i].decl.name, "given to a kernel");
    for (size_t i = 0; i < u->kernels.len; i++)
        if (!u->kernels.data[i].used && !u->kernels.data[i].included)
            diag_warning(u->diag, W_UNUSED, u->kernels.data[i].name.at, text, "the kernel",
                         u->kernels.data[i].decl.name, "launched");
}

void ez_check_kernels_end(struct checker *checker) {
    struct ez_unit *u = checker->u;
    if (u->roles && u->launched.source)
        diag_error(u->diag, u->launched,
                   "a program whose MPUs have parts of their own (`on`) launches no kernels: the "
                   "whole machine carries one out");
    check_stand_ins(checker);
    warn_unused(checker);
}

/* SPDX-License-Identifier: MIT
 * The interpreter's program: names, declarations, variables. */
#include "tests/ezpim/interp.h"

#include "tests/ezpim/interp_parts.h"

#include <stdarg.h>
#include <string.h>

void interp_fail(struct interp *it, const char *format, ...) {
    va_list args;
    if (it->error)
        return;
    va_start(args, format);
    it->error = arena_vprintf(&it->arena, format, args);
    va_end(args);
}

const char *interp_error(const struct interp *it) {
    return it->error;
}

bool interp_step(struct interp *it) {
    if (it->error)
        return false;
    if (it->steps-- > 0)
        return true;
    it->steps = 0;
    interp_fail(it, "the program takes too many steps");
    return false;
}

/* Every name of the tree becomes the one copy of its text, so that addresses can be compared. */
static const char *intern(struct interp *it, const char *text) {
    if (!text)
        return NULL;
    uint64_t *old = map_get(&it->names, text);
    if (old)
        return (const char *)(uintptr_t)*old;
    const char *copy = arena_strdup(&it->arena, text);
    map_put(&it->names, text, (uintptr_t)copy);
    return copy;
}

static void intern_expr(struct interp *it, struct expr *e) {
    if (!e)
        return;
    e->name.text = intern(it, e->name.text);
    for (uint32_t i = 0; i < e->arg_count; i++)
        intern_expr(it, e->args[i]);
}

static void intern_type(struct interp *it, struct type_syntax *t) {
    if (!t)
        return;
    t->name.text = intern(it, t->name.text);
    t->group.text = intern(it, t->group.text);
    t->inner.text = intern(it, t->inner.text);
    intern_expr(it, t->count);
}

static void intern_stmts(struct interp *it, struct stmt *s) {
    for (; s; s = s->next) {
        s->name.text = intern(it, s->name.text);
        intern_type(it, s->type);
        intern_expr(it, s->target);
        intern_expr(it, s->value);
        intern_expr(it, s->last);
        intern_expr(it, s->fill);
        for (uint32_t i = 0; i < s->operand_count; i++)
            intern_expr(it, s->operands[i]);
        intern_stmts(it, s->body);
        intern_stmts(it, s->otherwise);
    }
}

static void intern_decls(struct interp *it, struct decl *d) {
    for (; d; d = d->next) {
        for (uint32_t i = 0; i < d->name_count; i++)
            d->names[i].text = intern(it, d->names[i].text);
        for (uint32_t i = 0; i < d->extents.count; i++)
            intern_expr(it, d->extents.items[i]);
        d->like.text = intern(it, d->like.text);
        d->on.text = intern(it, d->on.text);
        intern_expr(it, d->value);
        intern_type(it, d->type);
        intern_decls(it, d->params);
        intern_stmts(it, d->body);
    }
}

struct interp *interp_new(struct ez_program *p) {
    struct interp *it = calloc(1, sizeof *it);
    if (!it)
        abort();
    it->program = p;
    intern_decls(it, p->decls);
    return it;
}

void interp_free(struct interp *it) {
    for (size_t i = 0; i < it->variables.len; i++)
        free(it->variables.data[i].cells);
    map_free(&it->names);
    map_free(&it->sizes);
    vec_free(&it->globals);
    vec_free(&it->variables);
    vec_free(&it->groups);
    vec_free(&it->locals);
    vec_free(&it->messages);
    arena_free(&it->arena);
    free(it);
}

void interp_size(struct interp *it, const char *name, uint64_t value) {
    map_put(&it->sizes, name, value);
}

const struct interp_binding *interp_lookup(struct interp *it, const char *name) {
    for (size_t i = it->locals.len; i-- > it->frame;)
        if (it->locals.data[i].name == name)
            return &it->locals.data[i];
    for (size_t i = 0; i < it->globals.len; i++)
        if (it->globals.data[i].name == name)
            return &it->globals.data[i];
    return NULL;
}

const struct interp_binding *interp_find(struct interp *it, const char *name) {
    const struct interp_binding *b = interp_lookup(it, name);
    if (!b)
        interp_fail(it, "`%s` is not known", name);
    return b;
}

bool interp_type(struct interp *it, const char *name, struct rtype *t) {
    unsigned bits = 0;
    (void)it;
    if (strcmp(name, "bool") == 0) {
        *t = (struct rtype){.is_bool = true, .bits = 1};
        return true;
    }
    if (name[0] == 'f')
        return interp_float_type(name, t);
    if (name[0] != 'u' && name[0] != 'i')
        return false;
    const char *p = name + 1;
    for (; *p >= '0' && *p <= '9' && bits <= 64; p++)
        bits = bits * 10 + (unsigned)(*p - '0');
    *t = (struct rtype){.is_signed = name[0] == 'i', .bits = bits};
    return *p == '\0' && bits >= (t->is_signed ? 2u : 1u) && bits <= 64;
}

struct rtype interp_type_of(const struct interp *it, const struct interp_binding *b) {
    return b->kind == BOUND_VARIABLE ? it->variables.data[b->variable].type : b->number.type;
}

struct interp_cell *interp_cells(struct interp *it, const struct interp_binding *b) {
    if (b->kind == BOUND_CELLS)
        return b->cells;
    if (b->kind != BOUND_VARIABLE) {
        interp_fail(it, "`%s` is no variable", b->name);
        return NULL;
    }
    const struct interp_variable *v = &it->variables.data[b->variable];
    if (it->element >= v->elements) {
        interp_fail(it, "`%s` has no element %llu", b->name, (unsigned long long)it->element);
        return NULL;
    }
    return v->cells + it->element * v->count;
}

struct interp_cell *interp_place(struct interp *it, const struct expr *e, struct rtype *t) {
    const struct interp_binding *b = interp_find(it, e->name.text);
    struct interp_cell *cells = b ? interp_cells(it, b) : NULL;
    if (!cells)
        return NULL;
    *t = interp_type_of(it, b);
    if (e->kind != EXPR_INDEX)
        return cells;
    uint32_t count = b->count;
    ez_number i = interp_eval(it, e->args[0]).v;
    if (i >= 0 && i < count)
        return cells + i;
    interp_fail(it, "an index of `%s` out of range", e->name.text);
    return NULL;
}

static void bind(struct interp *it, struct interp_binding b) {
    vec_push(&it->globals, b);
}

static void ready_size(struct interp *it, const struct decl *d) {
    const uint64_t *bound = map_get(&it->sizes, d->names[0].text);
    ez_number value = bound ? (ez_number)*bound : d->value ? interp_eval(it, d->value).v : 0;
    if (value < 1)
        interp_fail(it, "the size `%s` is not bound", d->names[0].text);
    bind(it, (struct interp_binding){
                 .name = d->names[0].text, .kind = BOUND_NUMBER, .number = interp_number(value)});
}

static void ready_const(struct interp *it, const struct decl *d) {
    struct interp_binding b = {.name = d->names[0].text, .kind = BOUND_NUMBER};
    struct rtype t;
    bool typed = d->type && interp_type(it, d->type->name.text, &t);
    if (d->value->kind == EXPR_LIST) {
        b.kind = BOUND_TABLE;
        b.number.type = t;
        b.table = d->value;
        b.count = d->value->arg_count;
    } else {
        b.number = interp_eval(it, d->value);
        if (typed)
            b.number = interp_typed(interp_as(it, b.number, t), t);
    }
    bind(it, b);
}

const struct interp_group *interp_group(struct interp *it, const char *name) {
    for (size_t i = 0; i < it->groups.len; i++)
        if (it->groups.data[i].name == name)
            return &it->groups.data[i];
    interp_fail(it, "there is no group `%s`", name);
    return NULL;
}

static void add_extents(struct interp *it, struct interp_group *g, const struct decl *d) {
    for (uint32_t i = 0; i < d->extents.count && g->ndim < 8; i++) {
        ez_number n = interp_eval(it, d->extents.items[i]).v;
        if (n < 1 || n > 100000)
            interp_fail(it, "an extent of `%s` is no number of elements", g->name);
        g->shape[g->ndim++] = (uint64_t)n;
        g->elements = g->elements * (uint64_t)n % 1000000;
    }
}

static void ready_grid(struct interp *it, const struct decl *d) {
    it->grid = (struct interp_group){.name = d->names[0].text, .elements = 1};
    add_extents(it, &it->grid, d);
}

/* That of the variable, of which its length says how many elements there are. */
static struct interp_group group_counted_by(struct interp *it, const char *name) {
    struct interp_group g = {.elements = 1};
    for (const struct decl *d = it->program->decls; d; d = d->next)
        for (uint32_t i = 0; d->kind == DECL_VAR && i < d->name_count; i++)
            if (d->names[i].text == name && d->type->group.text)
                g = *interp_group(it, d->type->group.text);
    g.counted_by = name;
    return g;
}

static void ready_group(struct interp *it, const struct decl *d) {
    struct interp_group g = {.elements = 1};
    const struct interp_group *like = d->like.text ? interp_group(it, d->like.text) : NULL;
    if (d->on.text && it->grid.name == d->on.text)
        g = it->grid;
    g.on_grid = d->on.text != NULL;
    if (like && d->extents.count == 0)
        g = *like;
    else if (like && like->on_grid)
        g = it->grid;
    g.on_grid = like ? like->on_grid : g.on_grid;
    bool counted = d->extents.count == 1 && interp_asks_length(d->extents.items[0]);
    if (counted)
        g = group_counted_by(it, d->extents.items[0]->args[0]->name.text);
    g.name = d->names[0].text;
    if (!counted)
        add_extents(it, &g, d);
    vec_push(&it->groups, g);
}

/* Those without a group have a copy per element: what one lane makes of it no other sees. */
static void ready_variable(struct interp *it, const struct decl *d, const char *name) {
    struct interp_variable v = {.name = name, .direction = d->direction, .count = 1};
    const struct interp_group *g =
        d->type->group.text ? interp_group(it, d->type->group.text) : NULL;
    bool good = interp_type(it, d->type->name.text, &v.outside);
    v.type = v.outside;
    if (d->type->inner.text)
        good &= interp_type(it, d->type->inner.text, &v.type);
    v.group = d->type->group.text;
    v.has_k = d->type->count != NULL;
    if (v.has_k)
        v.count = (uint32_t)interp_eval(it, d->type->count).v;
    for (uint32_t i = 0; g && i < g->ndim; i++)
        v.shape[v.ndim++] = g->shape[i];
    v.elements = g ? g->elements : 0;
    v.counted_by = g ? g->counted_by : NULL;
    for (size_t i = 0; !g && i < it->groups.len; i++)
        if (it->groups.data[i].elements > v.elements)
            v.elements = it->groups.data[i].elements;
    if (!good || v.count < 1 || v.count > 64)
        interp_fail(it, "the type of `%s`", name);
    v.cells = calloc(v.elements * v.count + 1, sizeof *v.cells);
    if (!v.cells)
        abort();
    bind(it, (struct interp_binding){.name = name,
                                     .kind = BOUND_VARIABLE,
                                     .variable = it->variables.len,
                                     .count = v.count,
                                     .has_k = v.has_k});
    vec_push(&it->variables, v);
}

/* A link-time value is what an input without a group is, or has its default. */
static void ready_value(struct interp *it, const struct decl *d) {
    ready_variable(it, d, d->names[0].text);
    struct interp_variable *v = &vec_last(&it->variables);
    v->is_value = true;
    v->direction = d->value ? 0 : VAR_IN;
    for (uint64_t i = 0; d->value && !it->error && i < v->elements * v->count; i++) {
        bool list = d->value->kind == EXPR_LIST;
        const struct expr *e = list ? d->value->args[i % v->count] : d->value;
        struct interp_value x = interp_typed(interp_as(it, interp_eval(it, e), v->type), v->type);
        v->cells[i] = (struct interp_cell){(uint64_t)x.v & rtype_mask(v->type), true};
    }
}

static void ready_decl(struct interp *it, const struct decl *d) {
    switch (d->kind) {
    case DECL_SIZE:
        ready_size(it, d);
        break;
    case DECL_CONST:
        ready_const(it, d);
        break;
    case DECL_GROUP:
        ready_group(it, d);
        break;
    case DECL_MPUS:
        ready_grid(it, d);
        break;
    case DECL_SUB:
        bind(it, (struct interp_binding){.name = d->names[0].text, .kind = BOUND_SUB, .sub = d});
        break;
    case DECL_MAIN:
    case DECL_VAR:
    case DECL_BUFFER:
    case DECL_KERNEL:
    case DECL_HOST:
        break;
    default:
        interp_fail(it, "a declaration that the interpreter does not know");
    }
}

bool interp_ready(struct interp *it) {
    it->steps = 100000;
    for (const struct decl *d = it->program->decls; d && !it->error; d = d->next)
        ready_decl(it, d);
    for (const struct decl *d = it->program->decls; d && !it->error; d = d->next)
        for (uint32_t i = 0; d->kind == DECL_VAR && i < d->name_count && !it->error; i++)
            ready_variable(it, d, d->names[i].text);
    for (const struct decl *d = it->program->decls; d && !it->error; d = d->next)
        if (d->kind == DECL_HOST)
            ready_value(it, d);
    for (const struct decl *d = it->program->decls; d && !it->error; d = d->next)
        if (d->kind == DECL_MAIN)
            interp_ready_lengths(it, d->body);
    return !it->error;
}

size_t interp_variable_count(const struct interp *it) {
    return it->variables.len;
}

const struct interp_variable *interp_variable(const struct interp *it, size_t index) {
    return &it->variables.data[index];
}

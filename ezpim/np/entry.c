/* SPDX-License-Identifier: MIT
 * The function that a program is made of: which one, its parameters, its results. */
#include "ezpim/np/unit.h"

#include <string.h>

/* ---- which function ---- */

static bool names_function(const struct np_expr *e, const char *name) {
    if (!e)
        return false;
    if (e->kind == NP_EXPR_NAME && strcmp(e->name, name) == 0)
        return true;
    for (const struct np_expr *x = e->items; x; x = x->next)
        if (names_function(x, name))
            return true;
    return names_function(e->a, name) || names_function(e->b, name) || names_function(e->c, name);
}

static bool calls(const struct np_stmt *s, const char *name) {
    for (; s; s = s->next)
        if (names_function(s->value, name) || names_function(s->target, name) ||
            calls(s->body, name) || calls(s->otherwise, name))
            return true;
    return false;
}

static bool is_called(const struct np_unit *u, const struct np_stmt *f) {
    for (const struct np_stmt *s = u->module->first; s; s = s->next)
        if (s != f && calls(s->kind == NP_STMT_DEF ? s->body : s, f->name))
            return true;
    return false;
}

static bool asked_for(struct np_unit *u) {
    const char *names[64];
    size_t n = 0;
    for (const struct np_stmt *s = u->module->first; s; s = s->next) {
        if (s->kind != NP_STMT_DEF)
            continue;
        if (strcmp(s->name, u->options->entry) == 0)
            u->entry = s;
        if (n < sizeof names / sizeof *names)
            names[n++] = s->name;
    }
    if (u->entry)
        return true;
    np_error(u, (struct span){u->source, 0, 0}, "the file has no function `%s`", u->options->entry);
    np_suggest(u, NO_SPAN, u->options->entry, names, n);
    return false;
}

static bool find_entry(struct np_unit *u) {
    const struct np_stmt *second = NULL, *any = NULL;
    if (u->options->entry)
        return asked_for(u);
    for (const struct np_stmt *s = u->module->first; s; s = s->next) {
        if (s->kind != NP_STMT_DEF)
            continue;
        any = s;
        if (is_called(u, s))
            continue;
        second = u->entry && !second ? s : second;
        u->entry = u->entry ? u->entry : s;
    }
    if (!second && (u->entry || any)) {
        u->entry = u->entry ? u->entry : any;
        return true;
    }
    if (!second) {
        np_error(u, (struct span){u->source, 0, 0}, "the file has no function");
        return false;
    }
    np_error(u, second->name_at,
             "several functions are called by no other: --entry says which "
             "one is meant");
    for (const struct np_stmt *s = u->module->first; s; s = s->next)
        if (s->kind == NP_STMT_DEF && !is_called(u, s))
            np_note(u, s->name_at, "--entry %s", s->name);
    return false;
}

/* ---- types of parameters ---- */

static bool type_name(struct np_unit *u, const struct np_expr *e, struct np_port *port) {
    static const char *const known[] = {"bool", "u8",  "u16", "u32", "u64",
                                        "i8",   "i16", "i32", "i64"};
    if (e->kind != NP_EXPR_NAME) {
        np_error(u, e->at, "a type is written `i32`, `i32[N]` or `host_i32[N]`");
        return false;
    }
    bool host = strncmp(e->name, "host_", 5) == 0;
    const char *name = e->name + (host ? 5 : 0);
    port->place = host ? NP_PLACE_HOST : NP_PLACE_LANES;
    if (strcmp(name, "bool_") != 0 && strlen(name) < 5 && np_type_parse(name, &port->own.type))
        return true;
    if (strcmp(name, "f16") == 0 || strcmp(name, "f32") == 0 || strcmp(name, "f64") == 0)
        np_error(u, e->at, "`%s` needs floating point, which no target has yet", name);
    else
        np_error(u, e->at, "`%s` is no type of an element", name);
    if (np_type_parse(name, &port->own.type)) {
        np_offer(u, e->at, "%s%s", host ? "host_" : "", np_type_short(port->own.type));
        return false;
    }
    np_suggest(u, e->at, name, known, sizeof known / sizeof *known);
    return false;
}

static bool param_extents(struct np_unit *u, const struct np_expr *e, struct np_port *port) {
    uint32_t most = port->place == NP_PLACE_HOST ? VALUE_MAX_DIMS : ARRAY_DIMS;
    if (e->count > most) {
        np_error(u, e->at, "at most %u axes", most);
        return false;
    }
    for (const struct np_expr *x = e->items; x; x = x->next) {
        struct np_value v = np_eval(u, x);
        if (!np_extent(u, &v, &port->own.shape[port->own.ndim]))
            return false;
        port->extents[port->own.ndim++] = x->kind == NP_EXPR_NAME ? x->name : NULL;
    }
    uint64_t elements = array_elements(port->own.ndim, port->own.shape);
    if (elements <= (port->place == NP_PLACE_HOST ? VALUE_MAX_ELEMENTS : OBJECT_MAX_EXTENT))
        return true;
    np_error(u, e->at, "the array has too many elements");
    return false;
}

bool np_param_type(struct np_unit *u, const struct np_expr *e, struct np_port *port) {
    if (e->kind == NP_EXPR_INDEX)
        return type_name(u, e->a, port) && param_extents(u, e, port);
    if (!type_name(u, e, port))
        return false;
    if (port->place == NP_PLACE_HOST) {
        np_error(u, e->at, "a host table has extents, as in `%s[9]`", e->name);
        return false;
    }
    port->place = NP_PLACE_SCALAR;
    return true;
}

/* ---- parameters ---- */

static void find_params(struct np_unit *u) {
    for (const struct np_param *x = u->entry->params; x; x = x->next) {
        struct np_port port = {.own = {.name = x->name, .at = x->at}};
        if (!x->type)
            np_error(u, x->at, "`%s` lacks its type, as in `%s: i32[N]`", x->name, x->name);
        else
            np_param_type(u, x->type, &port);
        vec_push(&u->params, port);
    }
}

static struct np_value value_of_host(struct np_unit *u, const struct array_port *x, bool scalar) {
    struct ir_program *p = u->arrays.b.p;
    struct value_decl v = {
        .name = x->name, .type = x->type, .ndim = x->ndim, .place = ir_place(&u->arrays.b, x->at)};
    const struct array_known table = {.linked = true,
                                      .link = (uint32_t)p->values.len,
                                      .count = (uint32_t)array_elements(x->ndim, x->shape)};
    for (uint32_t d = 0; d < x->ndim; d++)
        v.shape[d] = (uint32_t)x->shape[d];
    vec_push(&p->values, v);
    if (scalar)
        return np_array_value(array_linked(&u->arrays, x->type, table.link, x->at), x->at);
    return np_array_value(array_table(&u->arrays, &table, x->type, x->ndim, x->shape,
                                      array_type_range(x->type), x->at),
                          x->at);
}

static struct np_value value_of_param(struct np_unit *u, struct np_port *x) {
    if (x->place != NP_PLACE_LANES)
        return value_of_host(u, &x->own, x->place == NP_PLACE_SCALAR);
    x->own.direction = x->changed ? VAR_IN | VAR_OUT : VAR_IN | VAR_CONSUMED;
    struct array_ref *a = array_input(&u->arrays, &x->own);
    x->storage = a->root;
    np_note_name(u, x->own.name, a->root);
    return np_array_value(a, x->own.at);
}

/* ---- results ---- */

static bool is_taken(const struct np_unit *u, const char *name) {
    for (size_t i = 0; i < u->params.len; i++)
        if (strcmp(u->params.data[i].own.name, name) == 0)
            return true;
    for (size_t i = 0; i < u->results.len; i++)
        if (strcmp(u->results.data[i].own.name, name) == 0)
            return true;
    return false;
}

/* The name that is returned, else result, result0, .. */
static const char *result_name(struct np_unit *u, const struct np_expr *e, uint32_t i,
                               uint32_t count) {
    if (e && e->kind == NP_EXPR_NAME && !is_taken(u, e->name))
        return e->name;
    const char *name = count == 1 ? "result" : arena_printf(&u->arena, "result%u", i);
    while (is_taken(u, name))
        name = arena_printf(&u->arena, "%s_", name);
    return name;
}

static struct np_port *param_of(struct np_unit *u, const struct array_storage *s) {
    for (size_t i = 0; i < u->params.len; i++)
        if (s && u->params.data[i].storage == s)
            return &u->params.data[i];
    return NULL;
}

static bool is_result(const struct np_unit *u, uint32_t serial) {
    for (size_t i = 0; i < u->results.len; i++)
        if (u->results.data[i].serial == serial)
            return true;
    return false;
}

/* The array in a storage that is nothing but this result.  Both walks come to the same. */
static struct array_ref *own_storage(struct np_unit *u, struct array_ref *a, uint32_t i,
                                     struct span at) {
    bool whole = a->root && array_is_storage(a);
    bool own = whole && !param_of(u, a->root) && np_readable(u, a, at);
    if (own && u->checks)
        own = !is_result(u, a->root->serial);
    else if (own)
        own = u->results.data[i].serial == a->root->serial;
    return own ? a : np_fresh(u, a, at);
}

static const struct np_expr *returned(const struct np_stmt *s, const struct np_expr *found) {
    for (; s; s = s->next) {
        found = returned(s->body, found);
        found = returned(s->otherwise, found);
        if (s->kind == NP_STMT_RETURN && s->value)
            found = s->value;
    }
    return found;
}

/* The elements of x[mask], then zeros, as many as x has. */
static struct array_ref *chosen(struct np_unit *u, const struct np_value *v, uint32_t i) {
    struct mpu_type type = array_count_type(array_elements(v->array->ndim, v->array->shape));
    uint32_t length =
        u->checks ? ir_local(&u->arrays.b, NO_INDEX, type, 1) : u->results.data[i].length;
    struct array_ref *x = np_lined(u, v->array, v->at);
    struct array_ref *mask = np_lined(u, (struct array_ref *)(uintptr_t)v->mask, v->at);
    if (!x || !mask || !np_readable(u, x, v->at) || !np_readable(u, mask, v->at))
        return NULL;
    return array_chosen(&u->arrays, x, mask, length, v->at);
}

static struct array_ref *result_array(struct np_unit *u, const struct np_value *v, uint32_t i) {
    if (v->kind == NP_ARRAY && v->mask)
        return chosen(u, v, i);
    struct array_ref *a = np_need_array(u, v, "return");
    return a ? own_storage(u, a, i, v->at) : NULL;
}

static void add_result(struct np_unit *u, const struct np_value *v, const struct np_expr *e,
                       uint32_t i, uint32_t count) {
    struct array_ref *a = result_array(u, v, i);
    if (!a || !u->checks)
        return;
    struct np_port r = {.own = {.name = result_name(u, e, i, count),
                                .at = v->at,
                                .direction = VAR_OUT,
                                .type = a->type,
                                .ndim = a->ndim},
                        .storage = a->root,
                        .chosen = v->mask != NULL,
                        .serial = a->root->serial};
    memcpy(r.own.shape, a->shape, sizeof r.own.shape);
    vec_push(&u->results, r);
}

/* "i32[:n]", where n stands for as many as a mask has. */
static bool is_open(const struct np_expr *type) {
    const struct np_expr *x = type->items;
    return type->kind == NP_EXPR_INDEX && type->count == 1 && x->kind == NP_EXPR_SLICE && !x->a &&
           !x->c && x->b && x->b->kind == NP_EXPR_NAME;
}

/* "-> i32[H, W]" of one result. */
static void check_result(struct np_unit *u, const struct np_expr *type, const struct np_value *v) {
    struct np_port port = {.own = {.name = "result", .at = type->at}};
    bool open = is_open(type);
    if (v->kind != NP_ARRAY ||
        !(open ? type_name(u, type->a, &port) : np_param_type(u, type, &port)))
        return;
    const struct array_ref *a = v->array;
    if (array_same_type(a->type, port.own.type) && open == (v->mask != NULL) &&
        (open || array_same_shape(a->ndim, a->shape, port.own.ndim, port.own.shape)))
        return;
    np_error(u, v->at, "%s is returned, and the function says `%s`", np_value_text(u, v),
             np_source_text(u, type->at));
    np_note(u, type->at, "the result is declared here");
}

static void take_results(struct np_unit *u, const struct np_value *v) {
    bool many = np_is_list(v);
    uint32_t count = many ? v->count : 1;
    const struct np_expr *e = returned(u->entry->body, NULL), *type = u->entry->type;
    bool typed = type && (type->kind == NP_EXPR_TUPLE) == many && (!many || type->count == count);
    if (type && !typed && v->kind != NP_ERROR && v->kind != NP_NONE)
        np_error(u, v->at, "the function says `%s`, and returns %u value%s",
                 np_source_text(u, type->at), count, count == 1 ? "" : "s");
    if (v->kind == NP_NONE)
        return;
    const struct np_expr *x = many && e && e->kind == NP_EXPR_TUPLE ? e->items : many ? NULL : e;
    const struct np_expr *t = !typed ? NULL : many ? type->items : type;
    for (uint32_t i = 0; i < count; i++) {
        const struct np_value *r = many ? &v->items[i] : v;
        if (t)
            check_result(u, t, r);
        add_result(u, r, x, i, count);
        x = x && many ? x->next : NULL;
        t = t && many ? t->next : NULL;
    }
}

static bool has_output(struct np_unit *u) {
    bool some = u->results.len > 0;
    for (size_t i = 0; i < u->params.len; i++)
        some |= u->params.data[i].changed;
    if (!some && !np_failed(u))
        np_error(u, u->entry->name_at, "`%s` returns nothing and changes no parameter",
                 u->entry->name);
    return some;
}

/* ---- constants from outside ---- */

void np_define(struct np_unit *u, const struct np_expr *target, struct np_value *v) {
    for (size_t i = 0; i < u->options->define_count; i++) {
        const struct asm_define *d = &u->options->defines[i];
        if (target->kind != NP_EXPR_NAME || strcmp(d->name, target->name) != 0)
            continue;
        if (v->kind != NP_INT && v->kind != NP_BOOL)
            np_error(u, target->at, "-D sets `%s`, which is %s", d->name, np_value_text(u, v));
        v->number = d->value;
    }
}

static void check_defines(struct np_unit *u) {
    for (size_t i = 0; i < u->options->define_count && u->checks; i++) {
        const char *names[64], *name = u->options->defines[i].name;
        size_t n = 0;
        if (np_find(u, name))
            continue;
        for (size_t k = 0; k < u->file.names.len && n < 64; k++)
            if (u->file.names.data[k].value.kind == NP_INT)
                names[n++] = u->file.names.data[k].name;
        np_error(u, (struct span){u->source, 0, 0},
                 "-D sets `%s`, and the file has no such "
                 "constant",
                 name);
        np_suggest(u, NO_SPAN, name, names, n);
    }
}

/* ---- a walk ---- */

/* After the first walk: which parameters were written, and which results are those of a reduction
 * that nobody reads. */
static void find_uses(struct np_unit *u) {
    for (size_t i = 0; i < u->params.len; i++) {
        struct np_port *x = &u->params.data[i];
        x->changed = x->storage && x->storage->version > 0;
    }
    for (size_t i = 0; i < u->results.len; i++) {
        struct np_port *x = &u->results.data[i];
        x->own.alone = x->own.ndim == 0 && x->storage->total && !x->storage->read;
    }
}

static void declare_results(struct np_unit *u) {
    for (size_t i = 0; i < u->results.len; i++) {
        struct np_port *x = &u->results.data[i];
        uint32_t variable = array_output(&u->arrays, &x->own, x->serial);
        if (x->chosen)
            x->length =
                array_output_length(&u->arrays, arena_printf(&u->arena, "%s.length", x->own.name),
                                    variable, x->own.shape[0], x->own.at);
    }
}

static void evaluate(struct np_unit *u) {
    np_run(u, u->module->first);
    check_defines(u);
    if (np_failed(u))
        return;
    if (u->checks)
        find_params(u);
    if (np_failed(u))
        return;
    struct np_value *args = ARENA_ARRAY(&u->arena, u->params.len + 1, struct np_value);
    for (size_t i = 0; i < u->params.len; i++)
        args[i] = value_of_param(u, &u->params.data[i]);
    declare_results(u);
    struct np_value v =
        np_call_function(u, u->entry, args, (uint32_t)u->params.len, u->entry->name_at);
    if (!np_failed(u))
        take_results(u, &v);
    array_catch_up(&u->arrays);
}

void np_walk(struct np_unit *u, struct compile_lowering how, struct ir_program *p) {
    struct ir_image image = {.mpu_count = 1};
    u->checks = !u->arrays.chosen;
    u->separate = how.separate;
    u->laps = u->file.loops = 0;
    u->copies = 1;
    u->counted = u->counted_codes = 0;
    u->walked = 0;
    u->frame = &u->file;
    vec_clear(&u->file.names);
    vec_clear(&u->entangled);
    u->file.returned = false;
    if (!u->entry && !find_entry(u))
        return;
    p->at = u->entry->name_at;
    p->start = u->entry->at;
    arrays_begin(&u->arrays, p, how, u->diag);
    u->arrays.b.end = &image.nodes;
    evaluate(u);
    vec_push(&p->images, image);
    if (u->checks && !np_failed(u))
        find_uses(u);
    arrays_end(&u->arrays, !np_failed(u) && (!u->checks || has_output(u)));
}

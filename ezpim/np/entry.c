/* SPDX-License-Identifier: MIT
 * The function that a program is made of: which one, its parameters, its results. */
#include "ezpim/np/unit.h"
#include "support/str.h"

#include <string.h>

/* ---- which function ---- */

/* Names that statements of the file mention, to the number of the statement, or MANY. */
#define MANY UINT64_MAX

static void mention(struct map *names, const struct np_expr *expr, uint64_t number) {
    if (!expr)
        return;
    if (expr->kind == NP_EXPR_NAME) {
        uint64_t *known = map_add_n(names, expr->name, strlen(expr->name), number);
        *known = *known == number ? number : MANY;
    }
    for (const struct np_expr *x = expr->items; x; x = x->next)
        mention(names, x, number);
    mention(names, expr->a, number);
    mention(names, expr->b, number);
    mention(names, expr->c, number);
}

/* The statement, and with `all` those behind it in its block. */
static void mention_in(struct map *names, const struct np_stmt *stmt, bool all, uint64_t number) {
    for (; stmt; stmt = all ? stmt->next : NULL) {
        mention(names, stmt->value, number);
        mention(names, stmt->target, number);
        mention_in(names, stmt->body, true, number);
        mention_in(names, stmt->otherwise, true, number);
    }
}

/* Some other statement of the file names the function, which is the one of that number. */
static bool is_called(const struct map *names, const struct np_stmt *stmt, uint64_t number) {
    const uint64_t *by = map_get(names, stmt->name);
    return by && *by != number;
}

static bool asked_for(struct np_unit *unit) {
    const char *names[64];
    size_t n = 0;
    for (const struct np_stmt *s = unit->module->first; s; s = s->next) {
        if (s->kind != NP_STMT_DEF)
            continue;
        if (strcmp(s->name, unit->options->entry) == 0)
            unit->entry = s;
        if (n < sizeof names / sizeof *names)
            names[n++] = s->name;
    }
    if (unit->entry)
        return true;
    np_error(unit, (struct span){unit->source, 0, 0}, "the file has no function `%s`",
             unit->options->entry);
    np_suggest(unit, NO_SPAN, unit->options->entry, names, n);
    return false;
}

enum { MOST_ENTRIES_SHOWN = 20 };

static void offer_entries(struct np_unit *unit, const struct map *names) {
    uint64_t number = 0;
    uint32_t shown = 0;
    for (const struct np_stmt *s = unit->module->first; s; s = s->next, number++)
        if (s->kind == NP_STMT_DEF && shown < MOST_ENTRIES_SHOWN && !is_called(names, s, number)) {
            np_note(unit, s->name_at, "--entry %s", s->name);
            shown++;
        }
}

static bool find_only_entry(struct np_unit *unit, const struct map *names) {
    const struct np_stmt *second = NULL, *any = NULL;
    uint64_t number = 0;
    for (const struct np_stmt *s = unit->module->first; s; s = s->next, number++) {
        if (s->kind != NP_STMT_DEF)
            continue;
        any = s;
        if (is_called(names, s, number))
            continue;
        second = unit->entry && !second ? s : second;
        unit->entry = unit->entry ? unit->entry : s;
    }
    if (!second && (unit->entry || any)) {
        unit->entry = unit->entry ? unit->entry : any;
        return true;
    }
    if (!second) {
        np_error(unit, (struct span){unit->source, 0, 0}, "the file has no function");
        return false;
    }
    np_error(unit, second->name_at,
             "several functions are called by no other: --entry says which "
             "one is meant");
    offer_entries(unit, names);
    return false;
}

static bool find_entry(struct np_unit *unit) {
    struct map names = {0};
    uint64_t number = 0;
    if (unit->options->entry)
        return asked_for(unit);
    for (const struct np_stmt *s = unit->module->first; s; s = s->next)
        mention_in(&names, s, false, number++);
    bool found = find_only_entry(unit, &names);
    map_free(&names);
    return found;
}

/* ---- types of parameters ---- */

static bool type_name(struct np_unit *unit, const struct np_expr *expr, struct np_port *port) {
    static const char *const known[] = {"bool", "u8",  "u16", "u32", "u64", "i8",
                                        "i16",  "i32", "i64", "f16", "f32", "f64"};
    if (expr->kind != NP_EXPR_NAME) {
        np_error(unit, expr->at, "a type is written `i32`, `i32[N]` or `host_i32[N]`");
        return false;
    }
    bool host = strncmp(expr->name, "host_", 5) == 0;
    const char *name = expr->name + (host ? 5 : 0);
    port->place = host ? NP_PLACE_HOST : NP_PLACE_LANES;
    if (strcmp(name, "bool_") != 0 && strlen(name) < 5 && np_type_parse(name, &port->own.type))
        return true;
    np_error(unit, expr->at, "`%s` is no type of an element", name);
    if (np_type_parse(name, &port->own.type)) {
        np_offer(unit, expr->at, "%s%s", host ? "host_" : "", np_type_short(port->own.type));
        return false;
    }
    np_suggest(unit, expr->at, name, known, sizeof known / sizeof *known);
    return false;
}

static bool param_extents(struct np_unit *unit, const struct np_expr *expr, struct np_port *port) {
    uint32_t most = port->place == NP_PLACE_HOST ? VALUE_MAX_DIMS : ARRAY_DIMS;
    if (expr->count > most) {
        np_error(unit, expr->at, "at most %u axes", most);
        return false;
    }
    for (const struct np_expr *x = expr->items; x; x = x->next) {
        struct np_value v = np_eval(unit, x);
        if (!np_extent(unit, &v, &port->own.shape[port->own.ndim]))
            return false;
        port->extents[port->own.ndim++] = x->kind == NP_EXPR_NAME ? x->name : NULL;
    }
    uint64_t elements = array_elements(port->own.ndim, port->own.shape);
    if (elements <= (port->place == NP_PLACE_HOST ? VALUE_MAX_ELEMENTS : OBJECT_MAX_EXTENT))
        return true;
    np_error(unit, expr->at, "the array has too many elements");
    return false;
}

bool np_is_param_type(const struct np_expr *expr) {
    static const char *const pythons[] = {"int", "float", "list", "tuple", "str", "object"};
    const struct np_expr *name = expr->kind == NP_EXPR_INDEX ? expr->a : expr;
    for (size_t i = 0; name->kind == NP_EXPR_NAME && i < sizeof pythons / sizeof *pythons; i++)
        if (strcmp(pythons[i], name->name) == 0)
            return false;
    return name->kind == NP_EXPR_NAME;
}

bool np_param_type(struct np_unit *unit, const struct np_expr *expr, struct np_port *port) {
    if (expr->kind == NP_EXPR_INDEX)
        return type_name(unit, expr->a, port) && param_extents(unit, expr, port);
    if (!type_name(unit, expr, port))
        return false;
    if (port->place == NP_PLACE_HOST) {
        np_error(unit, expr->at, "a host table has extents, as in `%s[9]`", expr->name);
        return false;
    }
    port->place = NP_PLACE_SCALAR;
    return true;
}

/* ---- parameters ---- */

/* `rounds=3`, `rounds: int = 3`: a number that is known, and no input. */
static bool is_known_param(const struct np_param *param) {
    const struct np_expr *type = param->type;
    return param->value &&
           (!type || (type->kind == NP_EXPR_NAME &&
                      (strcmp(type->name, "int") == 0 || strcmp(type->name, "float") == 0)));
}

static void find_params(struct np_unit *unit) {
    for (const struct np_param *x = unit->entry->params; x; x = x->next) {
        struct np_port port = {.own = {.name = x->name, .at = x->at}, .value = x->value};
        if (is_known_param(x))
            continue;
        if (!x->type)
            np_error(unit, x->at, "`%s` lacks its type, as in `%s: i32[N]`", x->name, x->name);
        else if (np_param_type(unit, x->type, &port) && x->value && port.place != NP_PLACE_SCALAR)
            np_error(unit, x->value->at,
                     "a value that is there without an input is that of a "
                     "parameter without dimension");
        vec_push(&unit->params, port);
    }
}

/* The bits of what a parameter is without an input, as programs keep them; NULL after reporting. */
static const uint64_t *default_bits(struct np_unit *unit, const struct np_port *port) {
    struct np_value v = np_eval(unit, port->value);
    struct array_ref *x = np_is_number(&v) ? np_fitting(unit, &v, port->own.type, v.at) : NULL;
    uint64_t *bits = ARENA_NEW(&unit->arena, uint64_t);
    if (!x) {
        if (v.kind != NP_ERROR && !np_is_number(&v))
            np_error(unit, port->value->at, "a value that is there without an input is a number");
        return NULL;
    }
    *bits = x->uniform->pattern;
    unsigned above = 64 - port->own.type.bits;
    if (port->own.type.kind == TYPE_INT)
        *bits = (uint64_t)((int64_t)(*bits << above) >> above);
    return bits;
}

static struct np_value value_of_host(struct np_unit *unit, const struct np_port *whole) {
    struct ir_program *p = unit->arrays.b.p;
    const struct array_port *port = &whole->own;
    const bool scalar = whole->place == NP_PLACE_SCALAR;
    struct value_decl v = {.name = port->name,
                           .type = port->type,
                           .ndim = port->ndim,
                           .place = ir_place(&unit->arrays.b, port->at)};
    const struct array_known table = {.linked = true,
                                      .link = (uint32_t)p->values.len,
                                      .count = (uint32_t)array_elements(port->ndim, port->shape)};
    for (uint32_t d = 0; d < port->ndim; d++)
        v.shape[d] = (uint32_t)port->shape[d];
    if (whole->value)
        v.elements = default_bits(unit, whole);
    vec_push(&p->values, v);
    if (scalar)
        return np_array_value(array_linked(&unit->arrays, port->type, table.link, port->at),
                              port->at);
    return np_array_value(array_table(&unit->arrays, &table, port->type, port->ndim, port->shape,
                                      array_type_range(port->type), port->at),
                          port->at);
}

static struct np_value value_of_param(struct np_unit *unit, struct np_port *port) {
    if (port->place != NP_PLACE_LANES)
        return value_of_host(unit, port);
    port->own.direction = port->changed ? VAR_IN | VAR_OUT : VAR_IN | VAR_CONSUMED;
    struct array_ref *a = array_input(&unit->arrays, &port->own);
    port->storage = a->root;
    np_note_name(unit, port->own.name, a->root);
    return np_array_value(a, port->own.at);
}

/* ---- results ---- */

static bool is_taken(const struct np_unit *unit, const char *name) {
    for (size_t i = 0; i < unit->params.len; i++)
        if (strcmp(unit->params.data[i].own.name, name) == 0)
            return true;
    for (size_t i = 0; i < unit->results.len; i++)
        if (strcmp(unit->results.data[i].own.name, name) == 0)
            return true;
    return false;
}

/* The name that is returned, else result, result0, .. */
static const char *result_name(struct np_unit *unit, const struct np_expr *expr, uint32_t index,
                               uint32_t count) {
    if (expr && expr->kind == NP_EXPR_NAME && !is_taken(unit, expr->name))
        return expr->name;
    const char *name = count == 1 ? "result" : arena_printf(&unit->arena, "result%u", index);
    while (is_taken(unit, name))
        name = arena_printf(&unit->arena, "%s_", name);
    return name;
}

static struct np_port *param_of(struct np_unit *unit, const struct array_storage *storage) {
    for (size_t i = 0; i < unit->params.len; i++)
        if (storage && unit->params.data[i].storage == storage)
            return &unit->params.data[i];
    return NULL;
}

static bool is_result(const struct np_unit *unit, uint32_t serial) {
    for (size_t i = 0; i < unit->results.len; i++)
        if (unit->results.data[i].serial == serial)
            return true;
    return false;
}

/* The array in a storage that is nothing but this result.  Both walks come to the same. */
static struct array_ref *own_storage(struct np_unit *unit, struct array_ref *ref, uint32_t index,
                                     struct span at) {
    bool whole = ref->root && array_is_storage(ref);
    bool own = whole && !param_of(unit, ref->root) && np_readable(unit, ref, at);
    if (own && unit->checks)
        own = !is_result(unit, ref->root->serial);
    else if (own)
        own = unit->results.data[index].serial == ref->root->serial;
    return own ? ref : np_fresh(unit, ref, at);
}

static const struct np_expr *returned(const struct np_stmt *stmt, const struct np_expr *found) {
    for (; stmt; stmt = stmt->next) {
        found = returned(stmt->body, found);
        found = returned(stmt->otherwise, found);
        if (stmt->kind == NP_STMT_RETURN && stmt->value)
            found = stmt->value;
    }
    return found;
}

/* The elements of x[mask], then zeros, as many as x has. */
static struct array_ref *chosen(struct np_unit *unit, const struct np_value *value,
                                uint32_t index) {
    struct lane_type type =
        array_count_type(array_elements(value->array->ndim, value->array->shape));
    uint32_t length = unit->checks ? ir_local(&unit->arrays.b, NO_INDEX, type, 1)
                                   : unit->results.data[index].length;
    struct array_ref *x = np_lined(unit, value->array, value->at);
    struct array_ref *mask = np_lined(unit, (struct array_ref *)(uintptr_t)value->mask, value->at);
    if (!x || !mask || !np_readable(unit, x, value->at) || !np_readable(unit, mask, value->at))
        return NULL;
    return array_chosen(&unit->arrays, x, mask, length, value->at);
}

static struct array_ref *result_array(struct np_unit *unit, const struct np_value *value,
                                      uint32_t index) {
    if (value->kind == NP_ARRAY && value->mask)
        return chosen(unit, value, index);
    struct array_ref *a = np_need_array(unit, value, "return");
    return a ? own_storage(unit, a, index, value->at) : NULL;
}

static void add_result(struct np_unit *unit, const struct np_value *value,
                       const struct np_expr *expr, uint32_t index, uint32_t count) {
    struct array_ref *a = result_array(unit, value, index);
    if (!a || !unit->checks)
        return;
    struct np_port r = {.own = {.name = result_name(unit, expr, index, count),
                                .at = value->at,
                                .direction = VAR_OUT,
                                .type = a->type,
                                .ndim = a->ndim},
                        .storage = a->root,
                        .chosen = value->mask != NULL,
                        .serial = a->root->serial};
    memcpy(r.own.shape, a->shape, sizeof r.own.shape);
    vec_push(&unit->results, r);
}

/* "i32[:n]", where n stands for as many as a mask has. */
static bool is_open(const struct np_expr *type) {
    const struct np_expr *x = type->items;
    return type->kind == NP_EXPR_INDEX && type->count == 1 && x->kind == NP_EXPR_SLICE && !x->a &&
           !x->c && x->b && x->b->kind == NP_EXPR_NAME;
}

/* "-> i32[H, W]" of one result. */
static void check_result(struct np_unit *unit, const struct np_expr *type,
                         const struct np_value *value) {
    struct np_port port = {.own = {.name = "result", .at = type->at}};
    bool open = is_open(type);
    if (value->kind != NP_ARRAY ||
        !(open ? type_name(unit, type->a, &port) : np_param_type(unit, type, &port)))
        return;
    const struct array_ref *a = value->array;
    if (array_same_type(a->type, port.own.type) && open == (value->mask != NULL) &&
        (open || array_same_shape(a->ndim, a->shape, port.own.ndim, port.own.shape)))
        return;
    np_error(unit, value->at, "%s is returned, and the function says `%s`",
             np_value_text(unit, value), np_source_text(unit, type->at));
    np_note(unit, type->at, "the result is declared here");
}

static void take_results(struct np_unit *unit, const struct np_value *value) {
    bool many = np_is_list(value);
    uint32_t count = many ? value->count : 1;
    const struct np_expr *e = returned(unit->entry->body, NULL), *type = unit->entry->type;
    bool generic = type && type->kind == NP_EXPR_INDEX && type->a->kind == NP_EXPR_NAME &&
                   strcmp(type->a->name, "tuple") == 0; /* tuple[A, B] */
    bool typed =
        type && (generic || type->kind == NP_EXPR_TUPLE) == many && (!many || type->count == count);
    if (type && !typed && value->kind != NP_ERROR && value->kind != NP_NONE)
        np_error(unit, value->at, "the function says `%s`, and returns %u value%s",
                 np_source_text(unit, type->at), count, count == 1 ? "" : "s");
    if (value->kind == NP_NONE)
        return;
    const struct np_expr *x = many && e && e->kind == NP_EXPR_TUPLE ? e->items : many ? NULL : e;
    const struct np_expr *t = !typed ? NULL : many ? type->items : type;
    for (uint32_t i = 0; i < count; i++) {
        const struct np_value *r = many ? &value->items[i] : value;
        if (t)
            check_result(unit, t, r);
        add_result(unit, r, x, i, count);
        x = x && many ? x->next : NULL;
        t = t && many ? t->next : NULL;
    }
}

static bool has_output(struct np_unit *unit) {
    bool some = unit->results.len > 0;
    for (size_t i = 0; i < unit->params.len; i++)
        some |= unit->params.data[i].changed;
    if (!some && !np_failed(unit))
        np_error(unit, unit->entry->name_at, "`%s` returns nothing and changes no parameter",
                 unit->entry->name);
    return some;
}

/* ---- constants from outside ---- */

void np_define(struct np_unit *unit, const struct np_expr *target, struct np_value *given) {
    for (size_t i = 0; i < unit->options->define_count; i++) {
        const struct asm_define *d = &unit->options->defines[i];
        if (target->kind != NP_EXPR_NAME || strcmp(d->name, target->name) != 0)
            continue;
        if (given->kind == NP_REAL) {
            given->real = (double)d->value;
            if (d->real)
                number_parse_double(d->real, strlen(d->real), &given->real);
            continue;
        }
        if (given->kind != NP_INT && given->kind != NP_BOOL)
            np_error(unit, target->at, "-D sets `%s`, which is %s", d->name,
                     np_value_text(unit, given));
        if (d->real)
            np_error(unit, target->at, "-D sets `%s` to %s, which is no integer", d->name, d->real);
        given->number = d->value;
    }
}

static void check_defines(struct np_unit *unit) {
    for (size_t i = 0; i < unit->options->define_count && unit->checks; i++) {
        const char *names[64], *name = unit->options->defines[i].name;
        size_t n = 0;
        if (np_find(unit, name))
            continue;
        for (size_t k = 0; k < unit->file.names.len && n < 64; k++)
            if (unit->file.names.data[k].value.kind == NP_INT)
                names[n++] = unit->file.names.data[k].name;
        np_error(unit, (struct span){unit->source, 0, 0},
                 "-D sets `%s`, and the file has no such "
                 "constant",
                 name);
        np_suggest(unit, NO_SPAN, name, names, n);
    }
}

/* ---- a walk ---- */

/* After the first walk: which parameters were written, and which results are those of a reduction
 * that nobody reads. */
static void find_uses(struct np_unit *unit) {
    for (size_t i = 0; i < unit->params.len; i++) {
        struct np_port *x = &unit->params.data[i];
        x->changed = x->storage && x->storage->version > 0;
    }
    for (size_t i = 0; i < unit->results.len; i++) {
        struct np_port *x = &unit->results.data[i];
        x->own.alone = x->own.ndim == 0 && x->storage->total && !x->storage->read;
    }
}

static void declare_results(struct np_unit *unit) {
    for (size_t i = 0; i < unit->results.len; i++) {
        struct np_port *x = &unit->results.data[i];
        uint32_t variable = array_output(&unit->arrays, &x->own, x->serial);
        if (x->chosen)
            x->length = array_output_length(&unit->arrays,
                                            arena_printf(&unit->arena, "%s.length", x->own.name),
                                            variable, x->own.shape[0], x->own.at);
    }
}

static void evaluate(struct np_unit *unit) {
    np_run(unit, unit->module->first);
    check_defines(unit);
    if (np_failed(unit))
        return;
    if (unit->checks)
        find_params(unit);
    if (np_failed(unit))
        return;
    uint32_t count = 0, next = 0;
    for (const struct np_param *x = unit->entry->params; x; x = x->next)
        count++;
    struct np_value *args = ARENA_ARRAY(&unit->arena, count + 1, struct np_value);
    count = 0;
    for (const struct np_param *x = unit->entry->params; x; x = x->next, count++)
        if (!is_known_param(x))
            args[count] = value_of_param(unit, &unit->params.data[next++]);
    declare_results(unit);
    const struct np_value entry = {.kind = NP_FUNCTION, .function = unit->entry};
    struct np_value v = np_call_function(unit, &entry, args, count, unit->entry->name_at);
    if (!np_failed(unit))
        take_results(unit, &v);
    array_catch_up(&unit->arrays);
}

void np_walk(struct np_unit *unit, struct compile_lowering how, struct ir_program *program) {
    struct ir_image image = {.mpu_count = 1};
    unit->checks = !unit->arrays.chosen;
    unit->separate = how.separate;
    unit->laps = unit->file.loops = 0;
    unit->copies = 1;
    unit->counted = unit->counted_codes = 0;
    unit->walked = 0;
    unit->frame = &unit->file;
    vec_clear(&unit->file.names);
    map_free(&unit->file.numbers);
    unit->file.numbered = 0;
    vec_clear(&unit->entangled);
    unit->file.returned = false;
    if (!unit->entry && !find_entry(unit))
        return;
    program->at = unit->entry->name_at;
    program->start = unit->entry->at;
    arrays_begin(&unit->arrays, program, how, unit->diag);
    unit->arrays.b.function = ez_library_call;
    unit->arrays.b.end = &image.nodes;
    evaluate(unit);
    vec_push(&program->images, image);
    if (unit->checks && !np_failed(unit))
        find_uses(unit);
    arrays_end(&unit->arrays, !np_failed(unit) && (!unit->checks || has_output(unit)));
}

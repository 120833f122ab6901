/* SPDX-License-Identifier: MIT
 * Declarations, and what can be said of a program when all of it is known. */
#include "ezpim/ez/check.h"
#include "ezpim/ez/check_decl.h"
#include "ezpim/ez/check_host.h"
#include "ezpim/ez/check_kernel.h"
#include "ezpim/ez/check_size.h"
#include "ezpim/ir/ir.h"

#include <string.h>

enum { MAX_TABLE = 1 << 16 };

static bool const_type(struct checker *checker, struct decl *decl, struct lane_type *type) {
    if (!ez_resolve_type(checker, decl->type->name, type))
        return false;
    if (!decl->type->count && !decl->type->group.text)
        return true;
    diag_error(checker->u->diag, decl->type->at, "a constant is a single value");
    return false;
}

static bool const_value(struct checker *checker, struct decl *decl) {
    struct expr *e = decl->value;
    struct lane_type t;
    ez_check_expr(checker, e);
    if (decl->type &&
        (!const_type(checker, decl, &t) || !ez_check_assignable(checker, e, t, decl->names[0].at)))
        return false;
    if (decl->type && e->is_constant)
        ez_set_constant(e, e->value, t);
    if (e->type.real && ez_is_real_constant(e))
        return true;
    if (e->type.state == STATE_ERROR || e->is_constant)
        return e->is_constant;
    diag_error(checker->u->diag, e->at, "this is not known at compile time");
    if (!decl->type && !e->type.real)
        diag_note(checker->u->diag, e->at, "`~` needs a type: `const %s: u32 = ...`",
                  decl->names[0].text);
    return false;
}

static const struct asm_define *find_define(const struct ez_unit *unit, const char *name) {
    for (size_t i = unit->define_count; i-- > 0;)
        if (strcmp(unit->defines[i].name, name) == 0)
            return &unit->defines[i];
    return NULL;
}

static struct expr defined(const struct asm_define *define, struct span at) {
    struct expr e = {.kind = EXPR_NUMBER, .at = at, .number = define->value, .depth = 1};
    if (define->real) {
        e.kind = EXPR_REAL;
        e.name = (struct ez_name){define->real, at};
        e.type = (struct value_type){.state = STATE_NUMBER, .real = true};
    }
    return e;
}

/* A constant of the command line takes the place of the declared value. */
static void apply_define(struct checker *checker, struct decl *decl) {
    const struct asm_define *define = find_define(checker->u, decl->names[0].text);
    if (!define)
        return;
    struct expr *e = ARENA_NEW(&checker->u->arena, struct expr);
    *e = defined(define, decl->value->at);
    decl->value = e;
}

/* Constants of the command line that the program does not declare itself. */
void ez_declare_defines(struct checker *checker) {
    for (size_t i = 0; i < checker->u->define_count; i++) {
        const struct asm_define *define = &checker->u->defines[i];
        if (ez_unit_find(checker->u, define->name))
            continue;
        struct ez_symbol *s =
            ez_declare(checker, SYMBOL_EZ_CONST, (struct ez_name){define->name, NO_SPAN}, NULL);
        if (!s)
            continue;
        s->type = TYPE_NUMBER;
        s->value = find_define(checker->u, define->name)->value;
        s->predefined = true;
        if (!find_define(checker->u, define->name)->real)
            continue;
        struct expr *e = ARENA_NEW(&checker->u->arena, struct expr);
        *e = defined(find_define(checker->u, define->name), NO_SPAN);
        s->type.real = true;
        s->real = e;
    }
}

/* The type of a table's elements; false after reporting. */
static bool table_type(struct checker *checker, struct decl *decl, struct lane_type *type) {
    uint32_t count = 0;
    if (!decl->type) {
        diag_error(checker->u->diag, decl->names[0].at,
                   "a table needs a type: `const %s: u32[%u] = ...`", decl->names[0].text,
                   decl->value->arg_count);
        return false;
    }
    if (!ez_resolve_type(checker, decl->type->name, type))
        return false;
    uint64_t length = decl->value->arg_count;
    if (decl->type->count) {
        ez_check_expr(checker, decl->type->count);
        if (!ez_check_integer(checker, decl->type->count, 1, MAX_TABLE, "the length of a table",
                              &length))
            return false;
    }
    count = (uint32_t)length;
    if (!decl->type->group.text && count == decl->value->arg_count)
        return true;
    diag_error(checker->u->diag, decl->value->at, "`%s` has %u values, and here are %u",
               decl->names[0].text, count, decl->value->arg_count);
    return false;
}

static void decl_table(struct checker *checker, struct decl *decl) {
    struct lane_type t = {TYPE_UINT, 1};
    bool good = table_type(checker, decl, &t);
    uint64_t *table = ARENA_ARRAY(&checker->u->arena, decl->value->arg_count, uint64_t);
    for (uint32_t i = 0; good && i < decl->value->arg_count; i++) {
        struct expr *e = decl->value->args[i];
        ez_check_expr(checker, e);
        good = ez_check_assignable(checker, e, t, decl->names[0].at);
        if (good && !e->is_constant)
            diag_error(checker->u->diag, e->at, "this is not known at compile time");
        good = good && e->is_constant;
        table[i] = good ? ez_pattern(e->value, t) : 0;
    }
    struct ez_symbol *s = ez_declare(checker, SYMBOL_EZ_CONST, decl->names[0], decl);
    if (!s)
        return;
    s->type = good ? ez_type_of(t) : TYPE_ERROR;
    s->table = table;
    s->count = decl->value->arg_count;
    vec_push(&checker->u->others.items, s);
}

static void decl_const(struct checker *checker, struct decl *decl) {
    if (decl->value->kind == EXPR_LIST) {
        decl_table(checker, decl);
        return;
    }
    apply_define(checker, decl);
    bool good = const_value(checker, decl);
    struct ez_symbol *s = ez_declare(checker, SYMBOL_EZ_CONST, decl->names[0], decl);
    if (!s)
        return;
    s->type = good ? decl->value->type : TYPE_ERROR;
    s->value = good ? decl->value->value : 0;
    s->real = s->type.real ? decl->value : NULL;
    vec_push(&checker->u->others.items, s);
}

/* "RFH1" with prefix "RFH" gives 1. */
static bool place_number(struct checker *checker, struct ez_name name, const char *prefix,
                         uint32_t last, uint32_t *number) {
    uint64_t n;
    size_t length = strlen(prefix);
    if (strncmp(name.text, prefix, length) == 0 &&
        number_parse_u64(name.text + length, strlen(name.text + length), &n) && n <= last) {
        *number = (uint32_t)n;
        return true;
    }
    diag_error(checker->u->diag, name.at, "expected %s0 to %s%u, found `%s`", prefix, prefix, last,
               name.text);
    return false;
}

/* What the fields of COMPUTE rfh vrf hold (isa-spec: 12 and 6 bits would be more than any
 * register file holder has; a VRF number is below 64). */
enum { LAST_RFH = 63, LAST_VRF = 63 };

static void group_extent(struct checker *checker, struct ez_symbol *symbol, struct expr *expr) {
    ez_check_extent(checker, expr, 1, "an extent", &symbol->layout.extents[symbol->layout.ndim++]);
}

static void group_extents(struct checker *checker, struct ez_symbol *symbol, struct decl *decl) {
    if (decl->extents.count > GROUP_MAX_DIMS)
        diag_error(checker->u->diag, decl->extents.items[GROUP_MAX_DIMS]->at,
                   "a group has at most %d dimensions", GROUP_MAX_DIMS);
    for (uint32_t i = 0; i < decl->extents.count && i < GROUP_MAX_DIMS; i++)
        group_extent(checker, symbol, decl->extents.items[i]);
}

static void group_like(struct checker *checker, struct ez_symbol *symbol, struct decl *decl) {
    struct ez_symbol *base = ez_find_group(checker, decl->like);
    if (!base)
        return;
    if (base == symbol) {
        diag_error(checker->u->diag, decl->like.at, "a group is not like itself");
        return;
    }
    symbol->layout.like = base;
    symbol->layout.on_mpus = base->layout.on_mpus;
    if (!decl->extents.count) {
        memcpy(symbol->layout.extents, base->layout.extents, sizeof symbol->layout.extents);
        symbol->layout.ndim = base->layout.ndim;
    }
}

/* The array of MPUs of that name; false after reporting. */
static bool is_grid(struct checker *checker, struct ez_name name) {
    struct ez_symbol *s = ez_find_symbol(checker, name.text);
    if (!s)
        ez_report_unknown(checker, name, "array of MPUs", NULL, 0);
    else if (s->kind != SYMBOL_EZ_MPUS)
        diag_error(checker->u->diag, name.at, "`%s` is no array of MPUs", name.text);
    else
        s->read = true;
    return s && s->kind == SYMBOL_EZ_MPUS;
}

static void decl_mpus(struct checker *checker, struct decl *decl) {
    struct ez_symbol *s = ez_declare(checker, SYMBOL_EZ_MPUS, decl->names[0], decl);
    uint64_t count = 1, all = 1;
    if (checker->u->mpus) {
        diag_error(checker->u->diag, decl->at, "a program has one array of MPUs");
        diag_note(checker->u->diag, checker->u->mpus->name.at, "it is declared here");
        return;
    }
    if (decl->extents.count > GRID_MAX_DIMS) {
        diag_error(checker->u->diag, decl->at, "an array of MPUs has at most %d dimensions",
                   GRID_MAX_DIMS);
        return;
    }
    checker->u->mpus = s;
    for (uint32_t i = 0; i < decl->extents.count; i++) {
        ez_check_expr(checker, decl->extents.items[i]);
        if (!ez_check_integer(checker, decl->extents.items[i], 1, OBJECT_MAX_MPUS, "an extent",
                              &count))
            count = 1;
        checker->u->grid[checker->u->grid_dims++] = (uint32_t)count;
        all *= count;
    }
    if (all > OBJECT_MAX_MPUS)
        diag_error(checker->u->diag, decl->at, "a program has at most %d MPUs", OBJECT_MAX_MPUS);
    if (s)
        vec_push(&checker->u->others.items, s);
}

/* `group h[length(y)];`: it stands for the first elements of y's group. */
static void count_group(struct checker *checker, struct ez_symbol *symbol, struct decl *decl) {
    const struct expr *of = decl->extents.items[0]->args[0];
    struct ez_symbol *v = of->kind == EXPR_NAME ? ez_find_symbol(checker, of->name.text) : NULL;
    if (!v || v->kind != SYMBOL_EZ_VARIABLE || !v->var.group || v->var.direction == VAR_IN)
        diag_error(checker->u->diag, of->at,
                   "`length` of a group is that of a variable that `compact` fills, which is "
                   "declared in front of it");
    else if (v->var.group->layout.on_mpus || v->var.group->layout.ndim != 1)
        diag_error(checker->u->diag, of->at,
                   "`%s` is of a group with several dimensions, or on MPUs: it has no length",
                   v->name.text);
    else if (decl->like.text || decl->at_rfh.text || decl->on.text)
        diag_error(checker->u->diag, decl->extents.items[0]->at,
                   "a group of that length lies where `%s` does", v->name.text);
    else
        symbol->layout.counted_by = v;
    if (!symbol->layout.counted_by)
        checker->incomplete = true;
    else
        vec_push(&checker->u->others.items, symbol);
}

static void decl_group(struct checker *checker, struct decl *decl) {
    struct ez_symbol *g = ez_declare(checker, SYMBOL_EZ_GROUP, decl->names[0], decl);
    if (!g)
        return;
    if (decl->extents.count == 1 && ez_asks_length(decl->extents.items[0])) {
        count_group(checker, g, decl);
        if (g->layout.counted_by)
            return;
        decl->extents.count = 0; /* what is of it is reported no more */
        g->layout.extents[g->layout.ndim++] = (struct extent){.value = 1, .size = NO_INDEX};
        g->index = (uint32_t)checker->u->groups.items.len;
        vec_push(&checker->u->groups.items, g);
        return;
    }
    g->index = (uint32_t)checker->u->groups.items.len;
    vec_push(&checker->u->groups.items, g);
    group_extents(checker, g, decl);
    if (decl->on.text)
        g->layout.on_mpus = is_grid(checker, decl->on);
    if (decl->like.text && decl->at_rfh.text)
        diag_error(checker->u->diag, decl->like.at, "a group has either `like` or `at`");
    else if (decl->like.text)
        group_like(checker, g, decl);
    else if (!decl->extents.count)
        diag_error(checker->u->diag, decl->at, "a group needs extents: `group %s[n];`",
                   g->name.text);
    if (decl->at_rfh.text &&
        place_number(checker, decl->at_rfh, "RFH", LAST_RFH, &g->layout.at_rfh))
        place_number(checker, decl->at_vrf, "VRF", LAST_VRF, &g->layout.at_vrf);
}

static struct ez_symbol *variable_group(struct checker *checker, struct ez_name name, bool *good) {
    if (!name.text)
        return NULL;
    struct ez_symbol *g = ez_find_group(checker, name);
    *good &= g != NULL;
    return g;
}

/* The type inside of `i64 as u6`; without `as` it is the one outside. */
static bool inner_type(struct checker *checker, const struct decl *decl, struct lane_type outer,
                       struct lane_type *inner) {
    struct ez_name name = decl->type->inner;
    if (!name.text)
        return true;
    if (!ez_resolve_type(checker, name, inner))
        return false;
    if (decl->direction == VAR_LOCAL)
        diag_error(checker->u->diag, name.at,
                   "`var` is not seen outside, so that it has one type: write `%s`", name.text);
    else if (!object_type_holds(outer, *inner))
        diag_error(checker->u->diag, name.at,
                   "`%s` has values that `%s`, the type outside, does not have", name.text,
                   decl->type->name.text);
    else
        return true;
    return false;
}

static void decl_variable(struct checker *checker, struct decl *decl, struct ez_name name,
                          struct value_type type, struct lane_type outer, uint32_t count,
                          struct ez_symbol *group) {
    struct ez_symbol *s = ez_declare(checker, SYMBOL_EZ_VARIABLE, name, decl);
    if (!s)
        return;
    s->type = type;
    s->count = count;
    s->has_k = decl->type->count != NULL;
    s->var.direction = decl->direction;
    s->var.group = group;
    s->var.counted_by = ez_counted_by(checker, decl->type->group);
    s->var.outer = outer;
    s->var.written = decl->direction & VAR_IN ? UINT64_MAX : 0;
    s->index = (uint32_t)checker->u->variables.items.len;
    vec_push(&checker->u->variables.items, s);
}

static void decl_variables(struct checker *checker, struct decl *decl) {
    struct lane_type outer = {TYPE_UINT, 1};
    uint32_t count = 1;
    bool good = ez_resolve_type(checker, decl->type->name, &outer);
    struct lane_type type = outer;
    good = good && inner_type(checker, decl, outer, &type);
    if (decl->type->count)
        good &= ez_resolve_count(checker, decl->type->count, &count);
    struct ez_symbol *group = variable_group(checker, decl->type->group, &good);
    for (uint32_t i = 0; i < decl->name_count; i++)
        decl_variable(checker, decl, decl->names[i], good ? ez_type_of(type) : TYPE_ERROR, outer,
                      count, group);
    if (ez_counted_by(checker, decl->type->group) && decl->direction & VAR_IN)
        diag_error(checker->u->diag, decl->type->group.at,
                   "an input has all elements of its group: `%s` has as many as are chosen",
                   decl->type->group.text);
}

static void decl_main(struct checker *checker, struct decl *decl) {
    if (checker->u->main) {
        diag_error(checker->u->diag, decl->word, "`main` is there twice");
        diag_note(checker->u->diag, checker->u->main->word, "the first one is here");
        return;
    }
    checker->u->main = decl;
    if (decl->on.text)
        is_grid(checker, decl->on);
}

void ez_check_decl(struct checker *checker, struct decl *decl) {
    switch (decl->kind) {
    case DECL_SIZE:
        ez_decl_size(checker, decl);
        break;
    case DECL_HOST:
        ez_decl_host(checker, decl);
        break;
    case DECL_CONST:
        decl_const(checker, decl);
        break;
    case DECL_GROUP:
        decl_group(checker, decl);
        break;
    case DECL_VAR:
        decl_variables(checker, decl);
        break;
    case DECL_MAIN:
        decl_main(checker, decl);
        break;
    case DECL_SUB:
        ez_declare_sub(checker, decl);
        break;
    case DECL_BUFFER:
        ez_decl_buffer(checker, decl);
        break;
    case DECL_MODULE:
        ez_decl_module(checker, decl);
        break;
    case DECL_KERNEL:
        ez_decl_kernel(checker, decl);
        break;
    case DECL_PIPELINE:
        ez_decl_pipeline(checker, decl);
        break;
    case DECL_INCLUDE:
    case DECL_RECIPE:
        break; /* the unit has them already */
    case DECL_MPUS:
        decl_mpus(checker, decl);
        break;
    }
}

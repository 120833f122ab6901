/* SPDX-License-Identifier: MIT
 * Declarations, and what can be said of a program when all of it is known. */
#include "ezpim/ez/check.h"
#include "ezpim/ez/check_decl.h"
#include "ezpim/ez/check_host.h"
#include "ezpim/ez/check_size.h"
#include "ezpim/ir.h"

#include <string.h>

static const ez_number MAX_EXTENT = (ez_number)1 << 40; /* object.h */

enum { MAX_TABLE = 1 << 16 };

static bool const_type(struct checker *c, struct decl *d, struct mpu_type *t) {
    if (!resolve_type(c, d->type->name, t))
        return false;
    if (!d->type->count && !d->type->group.text)
        return true;
    diag_error(c->u->diag, d->type->at, "a constant is a single value");
    return false;
}

static bool const_value(struct checker *c, struct decl *d) {
    struct expr *e = d->value;
    struct mpu_type t;
    check_expr(c, e);
    if (d->type && (!const_type(c, d, &t) || !check_assignable(c, e, t, d->names[0].at)))
        return false;
    if (d->type && e->is_constant)
        set_constant(e, e->value, t);
    if (e->type.state == STATE_ERROR || e->is_constant)
        return e->is_constant;
    diag_error(c->u->diag, e->at, "this is not known at compile time");
    if (!d->type)
        diag_note(c->u->diag, e->at, "`~` needs a type: `const %s: u32 = ...`", d->names[0].text);
    return false;
}

static const struct asm_define *find_define(const struct unit *u, const char *name) {
    for (size_t i = u->define_count; i-- > 0;)
        if (strcmp(u->defines[i].name, name) == 0)
            return &u->defines[i];
    return NULL;
}

/* A constant of the command line takes the place of the declared value. */
static void apply_define(struct checker *c, struct decl *d) {
    const struct asm_define *define = find_define(c->u, d->names[0].text);
    if (!define)
        return;
    struct expr *e = ARENA_NEW(&c->u->arena, struct expr);
    *e = (struct expr){.kind = EXPR_NUMBER, .at = d->value->at, .number = define->value};
    d->value = e;
}

/* Constants of the command line that the program does not declare itself. */
void declare_defines(struct checker *c) {
    for (size_t i = 0; i < c->u->define_count; i++) {
        const struct asm_define *define = &c->u->defines[i];
        if (unit_find(c->u, define->name))
            continue;
        struct ez_symbol *s =
            declare(c, SYMBOL_EZ_CONST, (struct name){define->name, NO_SPAN}, NULL);
        if (!s)
            continue;
        s->type = TYPE_NUMBER;
        s->value = find_define(c->u, define->name)->value;
        s->predefined = true;
    }
}

/* The type of a table's elements; false after reporting. */
static bool table_type(struct checker *c, struct decl *d, struct mpu_type *t) {
    uint32_t count = 0;
    if (!d->type) {
        diag_error(c->u->diag, d->names[0].at, "a table needs a type: `const %s: u32[%u] = ...`",
                   d->names[0].text, d->value->arg_count);
        return false;
    }
    if (!resolve_type(c, d->type->name, t))
        return false;
    uint64_t length = d->value->arg_count;
    if (d->type->count) {
        check_expr(c, d->type->count);
        if (!check_integer(c, d->type->count, 1, MAX_TABLE, "the length of a table", &length))
            return false;
    }
    count = (uint32_t)length;
    if (!d->type->group.text && count == d->value->arg_count)
        return true;
    diag_error(c->u->diag, d->value->at, "`%s` has %u values, and here are %u", d->names[0].text,
               count, d->value->arg_count);
    return false;
}

static void decl_table(struct checker *c, struct decl *d) {
    struct mpu_type t = {TYPE_UINT, 1};
    bool good = table_type(c, d, &t);
    uint64_t *table = ARENA_ARRAY(&c->u->arena, d->value->arg_count, uint64_t);
    for (uint32_t i = 0; good && i < d->value->arg_count; i++) {
        struct expr *e = d->value->args[i];
        check_expr(c, e);
        good = check_assignable(c, e, t, d->names[0].at);
        if (good && !e->is_constant)
            diag_error(c->u->diag, e->at, "this is not known at compile time");
        good = good && e->is_constant;
        table[i] = good ? ez_pattern(e->value, t) : 0;
    }
    struct ez_symbol *s = declare(c, SYMBOL_EZ_CONST, d->names[0], d);
    if (!s)
        return;
    s->type = good ? type_of(t) : TYPE_ERROR;
    s->table = table;
    s->count = d->value->arg_count;
    vec_push(&c->u->others.items, s);
}

static void decl_const(struct checker *c, struct decl *d) {
    if (d->value->kind == EXPR_LIST) {
        decl_table(c, d);
        return;
    }
    apply_define(c, d);
    bool good = const_value(c, d);
    struct ez_symbol *s = declare(c, SYMBOL_EZ_CONST, d->names[0], d);
    if (!s)
        return;
    s->type = good ? d->value->type : TYPE_ERROR;
    s->value = good ? d->value->value : 0;
    vec_push(&c->u->others.items, s);
}

/* "RFH1" with prefix "RFH" gives 1. */
static bool place_number(struct checker *c, struct name name, const char *prefix, uint32_t last,
                         uint32_t *number) {
    uint64_t n;
    size_t length = strlen(prefix);
    if (strncmp(name.text, prefix, length) == 0 &&
        number_parse_u64(name.text + length, strlen(name.text + length), &n) && n <= last) {
        *number = (uint32_t)n;
        return true;
    }
    diag_error(c->u->diag, name.at, "expected %s0 to %s%u, found `%s`", prefix, prefix, last,
               name.text);
    return false;
}

/* What the fields of COMPUTE rfh vrf hold (isa-spec: 12 and 6 bits would be more than any
 * register file holder has; a VRF number is below 64). */
enum { LAST_RFH = 63, LAST_VRF = 63 };

static void group_extent(struct checker *c, struct ez_symbol *g, struct expr *e) {
    struct extent *x = &g->layout.extents[g->layout.ndim++];
    *x = (struct extent){NO_INDEX, 1};
    check_expr(c, e);
    if (check_size(c, e))
        *x = (struct extent){e->symbol->index, 0};
    else
        check_integer(c, e, 1, MAX_EXTENT, "an extent", &x->value);
}

static void group_extents(struct checker *c, struct ez_symbol *g, struct decl *d) {
    if (d->extents.count > GROUP_MAX_DIMS)
        diag_error(c->u->diag, d->extents.items[GROUP_MAX_DIMS]->at,
                   "a group has at most %d dimensions", GROUP_MAX_DIMS);
    for (uint32_t i = 0; i < d->extents.count && i < GROUP_MAX_DIMS; i++)
        group_extent(c, g, d->extents.items[i]);
}

static void group_like(struct checker *c, struct ez_symbol *g, struct decl *d) {
    struct ez_symbol *base = find_group(c, d->like);
    if (!base)
        return;
    if (base == g) {
        diag_error(c->u->diag, d->like.at, "a group is not like itself");
        return;
    }
    g->layout.like = base;
    g->layout.on_mpus = base->layout.on_mpus;
    if (!d->extents.count) {
        memcpy(g->layout.extents, base->layout.extents, sizeof g->layout.extents);
        g->layout.ndim = base->layout.ndim;
    }
}

/* The array of MPUs of that name; false after reporting. */
static bool is_grid(struct checker *c, struct name name) {
    struct ez_symbol *s = find_symbol(c, name.text);
    if (!s)
        report_unknown(c, name, "array of MPUs", NULL, 0);
    else if (s->kind != SYMBOL_EZ_MPUS)
        diag_error(c->u->diag, name.at, "`%s` is no array of MPUs", name.text);
    else
        s->read = true;
    return s && s->kind == SYMBOL_EZ_MPUS;
}

static void decl_mpus(struct checker *c, struct decl *d) {
    struct ez_symbol *s = declare(c, SYMBOL_EZ_MPUS, d->names[0], d);
    uint64_t count = 1, all = 1;
    if (c->u->mpus) {
        diag_error(c->u->diag, d->at, "a program has one array of MPUs");
        diag_note(c->u->diag, c->u->mpus->name.at, "it is declared here");
        return;
    }
    if (d->extents.count > GRID_MAX_DIMS) {
        diag_error(c->u->diag, d->at, "an array of MPUs has at most %d dimensions", GRID_MAX_DIMS);
        return;
    }
    c->u->mpus = s;
    for (uint32_t i = 0; i < d->extents.count; i++) {
        check_expr(c, d->extents.items[i]);
        if (!check_integer(c, d->extents.items[i], 1, OBJECT_MAX_MPUS, "an extent", &count))
            count = 1;
        c->u->grid[c->u->grid_dims++] = (uint32_t)count;
        all *= count;
    }
    if (all > OBJECT_MAX_MPUS)
        diag_error(c->u->diag, d->at, "a program has at most %d MPUs", OBJECT_MAX_MPUS);
    if (s)
        vec_push(&c->u->others.items, s);
}

static void decl_group(struct checker *c, struct decl *d) {
    struct ez_symbol *g = declare(c, SYMBOL_EZ_GROUP, d->names[0], d);
    if (!g)
        return;
    g->index = (uint32_t)c->u->groups.items.len;
    vec_push(&c->u->groups.items, g);
    group_extents(c, g, d);
    if (d->on.text)
        g->layout.on_mpus = is_grid(c, d->on);
    if (d->like.text && d->at_rfh.text)
        diag_error(c->u->diag, d->like.at, "a group has either `like` or `at`");
    else if (d->like.text)
        group_like(c, g, d);
    else if (!d->extents.count)
        diag_error(c->u->diag, d->at, "a group needs extents: `group %s[n];`", g->name.text);
    if (d->at_rfh.text && place_number(c, d->at_rfh, "RFH", LAST_RFH, &g->layout.at_rfh))
        place_number(c, d->at_vrf, "VRF", LAST_VRF, &g->layout.at_vrf);
}

static struct ez_symbol *variable_group(struct checker *c, struct name name, bool *good) {
    if (!name.text)
        return NULL;
    struct ez_symbol *g = find_group(c, name);
    *good &= g != NULL;
    return g;
}

/* The type inside of `i64 as u6`; without `as` it is the one outside. */
static bool inner_type(struct checker *c, const struct decl *d, struct mpu_type outer,
                       struct mpu_type *inner) {
    struct name name = d->type->inner;
    if (!name.text)
        return true;
    if (!resolve_type(c, name, inner))
        return false;
    if (d->direction == VAR_LOCAL)
        diag_error(c->u->diag, name.at,
                   "`var` is not seen outside, so that it has one type: write `%s`", name.text);
    else if (!object_type_holds(outer, *inner))
        diag_error(c->u->diag, name.at,
                   "`%s` has values that `%s`, the type outside, does not have", name.text,
                   d->type->name.text);
    else
        return true;
    return false;
}

static void decl_variable(struct checker *c, struct decl *d, struct name name, struct value_type t,
                          struct mpu_type outer, uint32_t count, struct ez_symbol *group) {
    struct ez_symbol *s = declare(c, SYMBOL_EZ_VARIABLE, name, d);
    if (!s)
        return;
    s->type = t;
    s->count = count;
    s->has_k = d->type->count != NULL;
    s->var.direction = d->direction;
    s->var.group = group;
    s->var.outer = outer;
    s->var.written = d->direction & VAR_IN ? UINT64_MAX : 0;
    s->index = (uint32_t)c->u->variables.items.len;
    vec_push(&c->u->variables.items, s);
}

static void decl_variables(struct checker *c, struct decl *d) {
    struct mpu_type outer = {TYPE_UINT, 1};
    uint32_t count = 1;
    bool good = resolve_type(c, d->type->name, &outer);
    struct mpu_type type = outer;
    good = good && inner_type(c, d, outer, &type);
    if (d->type->count)
        good &= resolve_count(c, d->type->count, &count);
    struct ez_symbol *group = variable_group(c, d->type->group, &good);
    for (uint32_t i = 0; i < d->name_count; i++)
        decl_variable(c, d, d->names[i], good ? type_of(type) : TYPE_ERROR, outer, count, group);
}

static void decl_main(struct checker *c, struct decl *d) {
    if (c->u->main) {
        diag_error(c->u->diag, d->word, "`main` is there twice");
        diag_note(c->u->diag, c->u->main->word, "the first one is here");
        return;
    }
    c->u->main = d;
    if (d->on.text)
        is_grid(c, d->on);
}

void check_decl(struct checker *c, struct decl *d) {
    switch (d->kind) {
    case DECL_SIZE:
        decl_size(c, d);
        break;
    case DECL_HOST:
        decl_host(c, d);
        break;
    case DECL_CONST:
        decl_const(c, d);
        break;
    case DECL_GROUP:
        decl_group(c, d);
        break;
    case DECL_VAR:
        decl_variables(c, d);
        break;
    case DECL_MAIN:
        decl_main(c, d);
        break;
    case DECL_SUB:
        declare_sub(c, d);
        break;
    case DECL_INCLUDE:
    case DECL_RECIPE:
        break; /* the unit has them already */
    case DECL_MPUS:
        decl_mpus(c, d);
        break;
    }
}

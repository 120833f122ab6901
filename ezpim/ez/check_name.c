/* SPDX-License-Identifier: MIT
 * Names: what they are declared as, and the order in which variables are written and read. */
#include "ezpim/ez/check.h"
#include "ezpim/ir/ir.h"

#include <string.h>

uint32_t ez_bare_register(const char *name) {
    uint64_t n;
    size_t length = strlen(name);
    if (name[0] != 'r' || length < 2 || length > 3 || strspn(name + 1, "0123456789") + 1 != length)
        return IR_NONE;
    if (!number_parse_u64(name + 1, length - 1, &n) || n >= IR_REGISTERS)
        return IR_NONE;
    return (uint32_t)n;
}

static struct ez_symbol *as_symbol(const uint64_t *value) {
    return value ? (struct ez_symbol *)(uintptr_t)*value : NULL;
}

struct ez_symbol *ez_unit_find(const struct ez_unit *unit, const char *name) {
    return as_symbol(map_get(&unit->names, name));
}

struct ez_symbol *ez_find_symbol(struct checker *checker, const char *name) {
    struct ez_symbol *s = as_symbol(map_get(&checker->locals, name));
    return s ? s : ez_unit_find(checker->u, name);
}

void ez_report_unknown(struct checker *checker, struct ez_name name, const char *what,
                       const char *const *more, size_t more_count) {
    VEC(const char *) near = {0};
    if (map_get(&checker->u->unknown, name.text))
        return; /* the first message about a name is enough */
    map_put(&checker->u->unknown, name.text, 1);
    for (size_t i = 0; i < checker->locals.len; i++)
        if (strcmp(checker->locals.entries[i].key, name.text) != 0) /* one that has ended */
            vec_push(&near, checker->locals.entries[i].key);
    for (size_t i = 0; i < checker->u->names.len; i++)
        vec_push(&near, checker->u->names.entries[i].key);
    for (size_t i = 0; i < more_count; i++)
        vec_push(&near, more[i]);
    diag_error(checker->u->diag, name.at, "there is no %s `%s`", what, name.text);
    diag_suggest(checker->u->diag, name.at, name.text, near.data, near.len);
    vec_free(&near);
}

bool ez_name_is_free(struct checker *checker, struct ez_name name) {
    struct lane_type t;
    const struct ez_symbol *old = ez_find_symbol(checker, name.text);
    bool hides = checker->sub && old &&
                 old == ez_unit_find(checker->u, name.text); /* it does not see them */
    if (old && !old->predefined && !hides) {
        diag_error(checker->u->diag, name.at, "`%s` is declared twice", name.text);
        diag_note(checker->u->diag, old->name.at, "it was declared here");
    } else if (object_type_parse(name.text, strlen(name.text), &t)) {
        diag_error(checker->u->diag, name.at, "`%s` is the name of a type", name.text);
    } else if (ez_bare_register(name.text) != IR_NONE) {
        diag_error(checker->u->diag, name.at, "`%s` is the name of a register", name.text);
    } else {
        return true;
    }
    return false;
}

struct ez_symbol *ez_symbol_new(struct checker *checker, enum ez_symbol_kind kind,
                                struct ez_name name) {
    struct ez_symbol *s = ARENA_NEW(&checker->u->arena, struct ez_symbol);
    s->kind = kind;
    s->name = name;
    s->count = 1;
    if (kind == SYMBOL_EZ_GROUP)
        s->layout.at_rfh = s->layout.at_vrf = NO_INDEX;
    return s;
}

struct ez_symbol *ez_declare(struct checker *checker, enum ez_symbol_kind kind, struct ez_name name,
                             struct decl *decl) {
    if (!ez_name_is_free(checker, name))
        return NULL;
    struct ez_symbol *s = ez_symbol_new(checker, kind, name);
    s->decl = decl;
    map_put(&checker->u->names, name.text, (uintptr_t)s);
    return s;
}

struct ez_symbol *ez_declare_local(struct checker *checker, enum ez_symbol_kind kind,
                                   struct ez_name name) {
    if (!ez_name_is_free(checker, name))
        return NULL;
    struct ez_symbol *s = ez_symbol_new(checker, kind, name);
    if (kind == SYMBOL_EZ_LOCAL)
        s->var.group = checker->group;
    map_put(&checker->locals, name.text, (uintptr_t)s);
    vec_push(&checker->local_list.items, s);
    return s;
}

static const char *kind_text(enum ez_symbol_kind kind) {
    switch (kind) {
    case SYMBOL_EZ_SIZE:
        return "a size";
    case SYMBOL_EZ_CONST:
        return "a constant";
    case SYMBOL_EZ_HOST:
        return "a link-time value";
    case SYMBOL_EZ_GROUP:
        return "a group";
    case SYMBOL_EZ_COUNTER:
        return "the counter of a loop";
    case SYMBOL_EZ_SUB:
        return "a subroutine";
    case SYMBOL_EZ_MPUS:
        return "an array of MPUs";
    default:
        return "a variable";
    }
}

struct ez_symbol *ez_find_group(struct checker *checker, struct ez_name name) {
    struct ez_symbol *s = ez_find_symbol(checker, name.text);
    if (!s) {
        ez_report_unknown(checker, name, "group", NULL, 0);
    } else if (s->kind != SYMBOL_EZ_GROUP) {
        diag_error(checker->u->diag, name.at, "`%s` is %s, not a group", name.text,
                   kind_text(s->kind));
        diag_note(checker->u->diag, s->name.at, "it is declared here");
    } else {
        s->read = true;
        return s->layout.counted_by ? s->layout.counted_by->var.group : s;
    }
    return NULL;
}

struct ez_symbol *ez_counted_by(struct checker *checker, struct ez_name name) {
    const struct ez_symbol *s = name.text ? ez_find_symbol(checker, name.text) : NULL;
    return s && s->kind == SYMBOL_EZ_GROUP ? s->layout.counted_by : NULL;
}

static bool is_variable(struct checker *checker, const struct ez_symbol *symbol,
                        struct ez_name name) {
    if (!symbol) {
        ez_report_unknown(checker, name, checker->lane ? "variable" : "size or constant", NULL, 0);
    } else if (symbol->kind != SYMBOL_EZ_VARIABLE && symbol->kind != SYMBOL_EZ_LOCAL) {
        diag_error(checker->u->diag, name.at, "`%s` is %s, not a variable", name.text,
                   kind_text(symbol->kind));
        diag_note(checker->u->diag, symbol->name.at, "it is declared here");
    } else {
        return true;
    }
    return false;
}

static bool is_in_group(struct checker *checker, const struct ez_symbol *symbol,
                        struct ez_name name) {
    if (!checker->lane) {
        diag_error(checker->u->diag, name.at,
                   "`%s` is no constant: a variable has its value inside of "
                   "`compute` only",
                   name.text);
        return false;
    }
    if (!symbol->var.group || symbol->var.group == checker->group)
        return true;
    if (checker->sub)
        diag_error(checker->u->diag, name.at,
                   "`%s` belongs to the group `%s`: a subroutine gets it as a parameter", name.text,
                   symbol->var.group->name.text);
    else
        diag_error(checker->u->diag, name.at,
                   "`%s` belongs to the group `%s`, and this is `compute %s`", name.text,
                   symbol->var.group->name.text, checker->group->name.text);
    diag_note(checker->u->diag, symbol->name.at, "it is declared here");
    return false;
}

static void note_register_choice(struct checker *checker, const struct expr *index,
                                 const struct ez_symbol *symbol) {
    const char *name = symbol->name.text, *x = ez_source_text(checker, index->at);
    if (symbol->count > 1)
        diag_note(
            checker->u->diag, index->at,
            "`select(%s == 0, %s[0], %s[1])` chooses between registers; a table of constants, "
            "`const T: u8[4] = { .. };`, takes any index",
            x, name, name);
}

bool ez_find_register(struct checker *checker, struct expr *expr, const struct ez_symbol *symbol,
                      uint32_t *element) {
    uint64_t index = 0;
    if (expr->kind == EXPR_NAME && symbol->has_k) {
        diag_error(checker->u->diag, expr->at, "`%s` is an array: write `%s[0]` to `%s[%u]`",
                   symbol->name.text, symbol->name.text, symbol->name.text, symbol->count - 1);
        return false;
    }
    if (expr->kind == EXPR_NAME)
        return true;
    if (!symbol->has_k || expr->arg_count != 1) {
        diag_error(checker->u->diag, expr->at,
                   symbol->has_k ? "`%s` has one index" : "`%s` is no array and has no index",
                   symbol->name.text);
        return false;
    }
    ez_check_expr(checker, expr->args[0]);
    if (!ez_check_integer(checker, expr->args[0], 0, symbol->count - 1, "the index of a register",
                          &index)) {
        if (ez_type_is_integer(expr->args[0]->type) && !expr->args[0]->is_constant)
            note_register_choice(checker, expr->args[0], symbol);
        return false;
    }
    *element = (uint32_t)index;
    return true;
}

struct ez_symbol *ez_check_element(struct checker *checker, struct expr *expr, uint32_t *element) {
    struct ez_symbol *s = ez_find_symbol(checker, expr->name.text);
    *element = 0;
    ez_poison(expr);
    if (!is_variable(checker, s, expr->name))
        return NULL;
    s->read |= s->type.state == STATE_ERROR;
    if (s->type.state == STATE_ERROR || !is_in_group(checker, s, expr->name) ||
        !ez_find_register(checker, expr, s, element))
        return NULL;
    expr->symbol = s;
    expr->element = *element;
    expr->type = s->type;
    expr->varies = s->kind == SYMBOL_EZ_LOCAL ? s->var.varies : s->var.group != NULL;
    return s;
}

static void check_written(struct checker *checker, struct expr *expr, struct ez_symbol *symbol) {
    uint64_t bit = (uint64_t)1 << expr->element;
    if ((symbol->var.written & bit) || checker->incomplete || checker->unreachable)
        return;
    if (symbol->var.maybe & bit) {
        diag_warning(checker->u->diag, W_UNINITIALIZED, expr->at,
                     "`%s` may be read before it is written", ez_source_text(checker, expr->at));
        ez_note_written(checker, symbol, bit);
        return;
    }
    if (checker->loop) { /* a lap before this one may have written it: see ez_check_early_reads */
        struct early_read r = {expr, symbol, symbol->var.assignments};
        vec_push(&checker->early, r);
        ez_note_written(checker, symbol, bit);
        return;
    }
    diag_error(checker->u->diag, expr->at, "`%s` is read before it is written",
               ez_source_text(checker, expr->at));
    diag_note(checker->u->diag, symbol->name.at, "it is declared here, without a value");
    ez_note_written(checker, symbol, bit); /* once is enough */
}

void ez_check_early_reads(struct checker *checker) {
    for (size_t i = 0; i < checker->early.len; i++) {
        const struct early_read *r = &checker->early.data[i];
        const char *text = ez_source_text(checker, r->at->at);
        if (r->symbol->var.assignments > r->assignments)
            diag_warning(checker->u->diag, W_UNINITIALIZED, r->at->at,
                         "`%s` may be read before it is written", text);
        else
            diag_error(checker->u->diag, r->at->at, "`%s` is read before it is written", text);
    }
    vec_clear(&checker->early);
}

static void report_elsewhere(struct checker *checker, struct expr *expr,
                             const struct ez_symbol *symbol, const struct ez_symbol *assigned,
                             const struct ez_symbol *read) {
    diag_error(checker->u->diag, expr->at,
               "`%s` is assigned in `compute %s` and has no value in `%s`", symbol->name.text,
               assigned->name.text, read->name.text);
    diag_note(checker->u->diag, symbol->name.at,
              "a variable without a group lies in the VRFs of every group");
}

/* A variable without a group has its new value only in the VRFs of the group that assigned it. */
static void check_shared_read(struct checker *checker, struct expr *expr,
                              struct ez_symbol *symbol) {
    if (symbol->var.group || !checker->group)
        return;
    if (symbol->var.assigned_in && symbol->var.assigned_in != checker->group)
        report_elsewhere(checker, expr, symbol, symbol->var.assigned_in, checker->group);
    if (checker->repeat_depth &&
        (symbol->var.read_stamp != checker->repeat_stamp || !symbol->var.read_in)) {
        symbol->var.read_stamp = checker->repeat_stamp;
        symbol->var.read_in = checker->group;
    }
}

/* In a loop, what was read in another group before is read there again afterwards. */
static void check_shared_write(struct checker *checker, struct expr *expr,
                               struct ez_symbol *symbol) {
    if (symbol->var.group || symbol->kind == SYMBOL_EZ_LOCAL)
        return;
    if (checker->sub) {
        diag_error(checker->u->diag, expr->at,
                   "a subroutine does not assign `%s`: it is no parameter", symbol->name.text);
        return;
    }
    symbol->var.assigned_in = checker->taken_out ? NULL : checker->group;
    if (checker->taken_out)
        return;
    if (checker->repeat_depth && symbol->var.read_stamp == checker->repeat_stamp &&
        symbol->var.read_in != checker->group)
        report_elsewhere(checker, expr, symbol, checker->group, symbol->var.read_in);
}

void ez_check_read(struct checker *checker, struct expr *expr) {
    uint32_t element;
    struct ez_symbol *s = ez_check_element(checker, expr, &element);
    if (!s)
        return;
    s->read = true;
    check_written(checker, expr, s);
    check_shared_read(checker, expr, s);
}

void ez_note_partly(const struct checker *checker, struct ez_symbol *symbol, uint64_t bits) {
    if (!checker->in_front)
        symbol->var.partly &= ~bits;
    else
        symbol->var.partly |= bits & ~symbol->var.written;
}

void ez_check_write(struct checker *checker, struct expr *expr) {
    uint32_t element;
    struct ez_symbol *s = ez_check_element(checker, expr, &element);
    if (!s)
        return;
    if (s->kind == SYMBOL_EZ_VARIABLE && s->var.direction == VAR_IN) {
        diag_error(checker->u->diag, expr->at, "`%s` is an input and cannot be assigned",
                   s->name.text);
        diag_note(checker->u->diag, s->name.at, "it is declared here; `inout` makes it both");
        return;
    }
    if (s->var.fixed) {
        diag_error(checker->u->diag, expr->at,
                   "`%s` is the counter of a loop and cannot be assigned", s->name.text);
        return;
    }
    ez_note_partly(checker, s, (uint64_t)1 << element);
    ez_note_written(checker, s, (uint64_t)1 << element);
    s->var.assigned = true;
    s->var.assignments++;
    check_shared_write(checker, expr, s);
}

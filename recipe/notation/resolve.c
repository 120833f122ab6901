/* SPDX-License-Identifier: MIT
 * Names: of instructions and their operands, of micro-ops and subs, of what a body defines. */
#include "recipe/set/set.h"

#include "support/alloc.h"
#include "support/str.h"

#include <string.h>

struct name_resolver {
    struct recipe_set *set;
    struct recipe_unit *unit;
    struct diag *diag;
};

static void complain(struct name_resolver *resolver, struct span at, const char *what,
                     const char *name) {
    diag_error(resolver->diag, at, "%s '%s'", what, name);
    resolver->unit->broken = true;
}

/* --- scopes --- */

static int find_symbol(const struct scope *scope, const char *name) {
    for (uint32_t i = 0; i < scope->count; i++)
        if (strcmp(scope->names[i], name) == 0)
            return (int)i;
    return -1;
}

static uint32_t define(struct name_resolver *resolver, const char *name) {
    struct scope *s = &resolver->unit->scope;
    int found = find_symbol(s, name);
    if (found >= 0)
        return (uint32_t)found;
    if (s->count == s->cap) {
        uint32_t cap = s->cap ? 2 * s->cap : 16;
        const char **names = ARENA_ARRAY(&resolver->set->arena, cap, const char *);
        if (s->count)
            memcpy(names, s->names, s->count * sizeof *names);
        s->names = names;
        s->cap = cap;
    }
    s->names[s->count] = name;
    return s->count++;
}

static void define_fixed(struct name_resolver *resolver) {
    static const char *const fixed[SYMBOL_FIXED] = {"w", "C", "M", "valid", "zero", "one"};
    for (int i = 0; i < SYMBOL_FIXED; i++)
        define(resolver, fixed[i]);
}

/* The class of one row that a name means, or -1. */
static int find_row(const struct target *target, const char *name) {
    for (uint32_t i = 0; i < plane_target(target)->row_class_count; i++) {
        const struct row_class *c = &plane_target(target)->row_classes[i];
        if (c->first == c->last && (c->value >= 0 || c->scratch_rows == 1) &&
            strcmp(c->name, name) == 0)
            return (int)i;
    }
    return -1;
}

static int find_group(const struct target *target, const char *name) {
    for (uint32_t i = 0; i < plane_target(target)->group_count; i++)
        if (strcmp(plane_target(target)->groups[i].name, name) == 0)
            return (int)i;
    return -1;
}

static const struct row_name *row_of_symbol(const struct recipe_unit *unit, uint32_t symbol) {
    for (uint32_t i = 0; i < unit->row_count; i++)
        if (unit->rows[i].symbol == symbol)
            return &unit->rows[i];
    return NULL;
}

/* Every row of the target has its name from the start: a body never gives it to something else.
 * The scope has names of operands already. */
static void define_rows(struct name_resolver *resolver) {
    const struct target *t = resolver->set->target;
    struct recipe_unit *u = resolver->unit;
    uint32_t named = u->scope.count;
    u->rows = ARENA_ARRAY(&resolver->set->arena,
                          plane_target(t)->row_class_count + plane_target(t)->group_count + 1,
                          struct row_name);
    for (uint32_t i = 0; i < plane_target(t)->row_class_count + plane_target(t)->group_count; i++) {
        bool group = i >= plane_target(t)->row_class_count;
        const char *name = group
                               ? plane_target(t)->groups[i - plane_target(t)->row_class_count].name
                               : plane_target(t)->row_classes[i].name;
        int index = group ? find_group(t, name) : find_row(t, name);
        int known = find_symbol(&u->scope, name);
        if (index < 0 || (known >= 0 && (uint32_t)known < named))
            continue;
        struct row_name made = {define(resolver, name), (uint16_t)index, group};
        if (!row_of_symbol(u, made.symbol))
            u->rows[u->row_count++] = made;
    }
}

static void define_params(struct name_resolver *resolver, struct param *list, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        list[i].symbol = define(resolver, list[i].name);
}

/* --- expressions --- */

static int find_op(const struct target *target, const char *name) {
    for (uint32_t i = 0; i < plane_target(target)->op_count; i++)
        if (strcmp(plane_target(target)->ops[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* The last one of that name: a user's hides a built-in one, but for what came with the tools. */
static int find_sub(const struct name_resolver *resolver, const char *name) {
    for (size_t i = resolver->set->ast.subs.len; i-- > 0;)
        if ((resolver->unit->file->own || !resolver->set->ast.subs.data[i]->unit.file->own) &&
            strcmp(resolver->set->ast.subs.data[i]->unit.name, name) == 0)
            return (int)i;
    return -1;
}

/* Reports that no micro-op and no sub has the name. */
static void unknown_call(struct name_resolver *resolver, const struct recipe_expr *expr) {
    const struct target *t = resolver->set->target;
    const char *known[PLANE_MAX_OPS + 64];
    size_t n = 0;
    for (uint32_t i = 0; i < plane_target(t)->op_count; i++)
        known[n++] = plane_target(t)->ops[i].name;
    for (size_t i = resolver->set->ast.subs.len; i-- > 0 && n < PLANE_MAX_OPS + 64;)
        known[n++] = resolver->set->ast.subs.data[i]->unit.name;
    diag_error(resolver->diag, expr->name_at, "neither a micro-op of target '%s' nor a sub: '%s'",
               t->name, expr->name);
    diag_suggest(resolver->diag, expr->name_at, expr->name, known, n);
    resolver->unit->broken = true;
}

static void resolve_call(struct name_resolver *resolver, struct recipe_expr *expr) {
    int op = find_op(resolver->set->target, expr->name), sub = find_sub(resolver, expr->name);
    if (op >= 0) {
        expr->ref = (uint32_t)op;
    } else if (sub < 0) {
        unknown_call(resolver, expr);
    } else {
        struct recipe_unit *u = &resolver->set->ast.subs.data[sub]->unit;
        expr->ref = SUB_REF + (uint32_t)sub;
        if (u->generic)
            complain(resolver, expr->name_at, "only generic recipes call the generic sub",
                     expr->name);
        else
            notation_resolve_unit(resolver->set, u, resolver->diag);
    }
}

static void resolve_name(struct name_resolver *resolver, struct recipe_expr *expr) {
    const struct scope *s = &resolver->unit->scope;
    int found = find_symbol(s, expr->name);
    if (found >= 0) {
        expr->ref = (uint32_t)found;
        return;
    }
    complain(resolver, expr->name_at, "nothing here is called", expr->name);
    diag_suggest(resolver->diag, expr->name_at, expr->name, s->names, s->count);
}

/* What is called where only numbers and places may stand: a call inside an operand. */
static void resolve_expr(struct name_resolver *resolver, struct recipe_expr *expr) {
    if (!expr || expr->kind == EXPR_NUMBER)
        return;
    if (expr->kind == EXPR_CALL) {
        complain(resolver, expr->at,
                 "a micro-op stands for itself, not inside an operand:", expr->name);
        return;
    }
    if (expr->kind == EXPR_NAME || expr->kind == EXPR_INDEX || expr->kind == EXPR_AT)
        resolve_name(resolver, expr);
    for (unsigned i = 0; i < expr->count; i++)
        resolve_expr(resolver, expr->args[i]);
}

static void resolve_value(struct name_resolver *resolver, struct recipe_expr *expr) {
    if (!expr || expr->kind != EXPR_CALL) {
        resolve_expr(resolver, expr);
        return;
    }
    resolve_call(resolver, expr);
    for (unsigned i = 0; i < expr->count; i++)
        resolve_expr(resolver, expr->args[i]);
}

/* --- logic --- */

static const char *const logic_names[LOGIC_COUNT] = {"mux", "maj", "full"};
#define LOGIC_OPERANDS 3 /* of each function */

enum logic_function notation_function_named(const char *name) {
    int i = 0;
    while (i < LOGIC_COUNT && strcmp(logic_names[i], name) != 0)
        i++;
    return (enum logic_function)i;
}

static void resolve_logic(struct name_resolver *resolver, struct recipe_expr *expr);

/* `whole`: the call is all that stands on the right of the statement. */
static void resolve_function(struct name_resolver *resolver, struct recipe_expr *expr, bool whole) {
    enum logic_function f = notation_function_named(expr->name);
    expr->ref = f;
    if (f == LOGIC_COUNT && find_sub(resolver, expr->name) >= 0) {
        complain(resolver, expr->at, "the call of a sub is a statement of its own:", expr->name);
    } else if (f == LOGIC_COUNT) {
        complain(resolver, expr->name_at,
                 find_op(resolver->set->target, expr->name) >= 0
                     ? "a generic recipe is logic, not micro-ops:"
                     : "neither a function of logic nor a sub:",
                 expr->name);
        diag_suggest(resolver->diag, expr->name_at, expr->name, logic_names, LOGIC_COUNT);
    } else if (f == LOGIC_FULL && !whole) {
        complain(resolver, expr->at,
                 "'s, c = full(x, y, z)' is a statement of its own:", expr->name);
    } else if (expr->count != LOGIC_OPERANDS) {
        diag_error(resolver->diag, expr->at, "%s takes %d operands, not %u", expr->name,
                   LOGIC_OPERANDS, expr->count);
        resolver->unit->broken = true;
    }
    for (unsigned i = 0; i < expr->count; i++)
        resolve_logic(resolver, expr->args[i]);
}

static void resolve_bit(struct name_resolver *resolver, struct recipe_expr *expr) {
    resolve_expr(resolver, expr);
    if (expr->kind != EXPR_NAME || expr->ref >= SYMBOL_FIXED)
        return;
    if (expr->ref == SYMBOL_W)
        complain(resolver, expr->at, "logic is made of bits, and this is a number:", expr->name);
    else if (expr->ref == SYMBOL_ZERO || expr->ref == SYMBOL_ONE)
        complain(resolver, expr->at, "logic says 0 and 1, not", expr->name);
}

static bool is_logic_operator(const struct recipe_expr *expr) {
    return expr->kind == EXPR_UNARY ? expr->op == '!' || expr->op == '~'
                                    : expr->op == '&' || expr->op == '|' || expr->op == '^';
}

/* An expression of one bit. */
static void resolve_logic(struct name_resolver *resolver, struct recipe_expr *expr) {
    switch (expr->kind) {
    case EXPR_NUMBER:
        if (expr->number != 0 && expr->number != 1) {
            diag_error(resolver->diag, expr->at, "the only numbers in logic are 0 and 1");
            resolver->unit->broken = true;
        }
        return;
    case EXPR_CALL:
        resolve_function(resolver, expr, false);
        return;
    case EXPR_UNARY:
    case EXPR_BINARY:
        if (!is_logic_operator(expr)) {
            diag_error(resolver->diag, expr->at,
                       "logic is made of 0, 1, bits, ! & | ^, mux(s, x, y) and maj(x, y, z)");
            resolver->unit->broken = true;
        }
        for (unsigned i = 0; i < expr->count; i++)
            resolve_logic(resolver, expr->args[i]);
        return;
    default:
        resolve_bit(resolver, expr);
    }
}

static void resolve_assignment(struct name_resolver *resolver, struct recipe_stmt *stmt) {
    struct recipe_expr *e = stmt->value;
    bool full = e->kind == EXPR_CALL && notation_function_named(e->name) == LOGIC_FULL;
    if (stmt->target_count != (full ? 2u : 1u)) {
        diag_error(resolver->diag, stmt->at,
                   full ? "full has two results: 's, c = full(x, y, z)'"
                        : "logic has one result; only full(x, y, z) has two");
        resolver->unit->broken = true;
    }
    for (unsigned i = 0; i < stmt->target_count; i++)
        if (stmt->targets[i]->kind == EXPR_AT)
            complain(resolver, stmt->targets[i]->at,
                     "a carry is handed to the neighbour: write it without '@':",
                     stmt->targets[i]->name);
    if (full)
        resolve_function(resolver, e, true);
    else
        resolve_logic(resolver, e);
}

/* Subs that logic calls are logic. */
static void resolve_logic_call(struct name_resolver *resolver, struct recipe_expr *expr) {
    int i = find_sub(resolver, expr->name);
    if (i < 0) {
        if (notation_function_named(expr->name) != LOGIC_COUNT)
            complain(resolver, expr->at, "its result goes nowhere: write x =", expr->name);
        else
            resolve_function(resolver, expr, false);
        return;
    }
    struct recipe_unit *u = &resolver->set->ast.subs.data[i]->unit;
    expr->ref = SUB_REF + (uint32_t)i;
    if (!u->generic)
        complain(resolver, expr->name_at,
                 "a generic recipe calls generic subs, and this one is not:", expr->name);
    else
        notation_resolve_unit(resolver->set, u, resolver->diag);
    for (unsigned k = 0; k < expr->count; k++)
        resolve_expr(resolver, expr->args[k]);
}

/* --- indices and bounds --- */

/* Degree of a bound or an index in w, loop variables and the immediate; 2: not affine. */
static int degree(const struct recipe_expr *expr) {
    if (expr->kind == EXPR_NUMBER)
        return 0;
    if (expr->kind == EXPR_NAME)
        return 1;
    if (expr->kind == EXPR_UNARY && expr->op == '-')
        return degree(expr->args[0]);
    if (expr->kind != EXPR_BINARY)
        return 2;
    int a = degree(expr->args[0]), b = degree(expr->args[1]);
    if (expr->op == '+' || expr->op == '-')
        return a > b ? a : b;
    if (expr->op == '*')
        return a + b > 2 ? 2 : a + b;
    return a + b == 0 ? 0 : 2;
}

static void want_affine(struct name_resolver *resolver, const struct recipe_expr *expr,
                        const char *what) {
    if (!expr || degree(expr) < 2)
        return;
    diag_error(resolver->diag, expr->at,
               "%s must be affine: sums of names and of names times numbers", what);
    resolver->unit->broken = true;
}

static void check_indices(struct name_resolver *resolver, const struct recipe_expr *expr) {
    if (!expr)
        return;
    if (expr->kind == EXPR_INDEX || expr->kind == EXPR_AT)
        want_affine(resolver, expr->args[0], expr->kind == EXPR_INDEX ? "an index" : "a section");
    for (unsigned i = 0; i < expr->count; i++)
        check_indices(resolver, expr->args[i]);
}

/* --- statements --- */

/* A command that activates rows. */
static void resolve_arrow(struct name_resolver *resolver, struct recipe_expr *call) {
    if (find_op(resolver->set->target, call->name) < 0 && find_sub(resolver, call->name) >= 0)
        complain(resolver, call->name_at, "an arrow is for micro-ops, not for the sub", call->name);
    else
        resolve_value(resolver, call);
}

static void define_stmts(struct name_resolver *resolver, const struct recipe_stmt *stmt) {
    for (; stmt; stmt = stmt->next) {
        for (unsigned i = 0; i < stmt->target_count; i++)
            if (stmt->targets[i]->kind == EXPR_NAME)
                define(resolver, stmt->targets[i]->name);
        define_stmts(resolver, stmt->body);
        define_stmts(resolver, stmt->otherwise);
    }
}

static void resolve_right(struct name_resolver *resolver, struct recipe_stmt *stmt) {
    bool call = stmt->kind == STMT_CALL, carry = stmt->kind == STMT_CARRY && stmt->value;
    if (stmt->kind == STMT_LOGIC)
        resolve_assignment(resolver, stmt);
    else if (stmt->kind == STMT_ARROW)
        resolve_arrow(resolver, stmt->value);
    else if (carry && resolver->unit->generic)
        resolve_logic(resolver, stmt->value);
    else if (call && resolver->unit->generic)
        resolve_logic_call(resolver, stmt->value);
    else if (call || carry)
        resolve_value(resolver, stmt->value);
    else
        resolve_expr(resolver, stmt->value);
}

static void resolve_stmts(struct name_resolver *resolver, struct recipe_stmt *stmt) {
    for (; stmt; stmt = stmt->next) {
        for (unsigned i = 0; i < stmt->target_count; i++)
            resolve_expr(resolver, stmt->targets[i]);
        resolve_right(resolver, stmt);
        resolve_expr(resolver, stmt->first);
        resolve_expr(resolver, stmt->last);
        resolve_expr(resolver, stmt->step);
        for (unsigned i = 0; i < stmt->target_count; i++)
            check_indices(resolver, stmt->targets[i]);
        if (stmt->kind != STMT_IF)
            check_indices(resolver, stmt->value);
        if (!stmt->par) { /* its laps are no loop of the table */
            want_affine(resolver, stmt->first, "a bound");
            want_affine(resolver, stmt->last, "a bound");
        }
        resolve_stmts(resolver, stmt->body);
        resolve_stmts(resolver, stmt->otherwise);
    }
}

void notation_resolve_unit(struct recipe_set *set, struct recipe_unit *unit, struct diag *diag) {
    struct name_resolver r = {.set = set, .unit = unit, .diag = diag};
    if (unit->resolved || unit->broken)
        return;
    unit->resolved = true;
    notation_read_body(&set->ast, unit, set->target, diag);
    if (unit->broken)
        return;
    define_fixed(&r);
    define_params(&r, unit->in, unit->in_count);
    define_params(&r, unit->out, unit->out_count);
    if (!unit->generic)
        define_rows(&r);
    define_stmts(&r, unit->body);
    resolve_stmts(&r, unit->body);
}

/* --- heads --- */

/* C and M keep their names; an output that is also an input has one name. */
static bool param_fits(const struct recipe_unit *unit, const struct signature *signature,
                       unsigned index, bool out) {
    const struct param *x = out ? &unit->out[index] : &unit->in[index];
    uint8_t f = out ? signature->out[index] : signature->in[index];
    bool is_c = strcmp(x->name, "C") == 0, is_m = strcmp(x->name, "M") == 0;
    if (is_c != (f == FIELD_C) || is_m != (f == FIELD_M))
        return false;
    for (unsigned k = 0; out && k < signature->in_count; k++)
        if ((signature->in[k] == f) != (strcmp(unit->in[k].name, x->name) == 0))
            return false;
    return true;
}

static bool fits(const struct recipe_unit *unit, const struct signature *signature) {
    if (unit->in_count != signature->in_count || unit->out_count != signature->out_count)
        return false;
    for (unsigned i = 0; i < signature->in_count; i++)
        if (!param_fits(unit, signature, i, false))
            return false;
    for (unsigned i = 0; i < signature->out_count; i++)
        if (!param_fits(unit, signature, i, true))
            return false;
    return true;
}

static const char *field_name(uint8_t field) {
    static const char *const names[] = {"a", "b", "d", "C", "M", "imm"};
    return field < sizeof names / sizeof names[0] ? names[field] : "?";
}

/* "ADD(a, b) -> d" */
static void note_form(struct name_resolver *resolver, enum isa_op op) {
    struct signature s;
    notation_signature(op, &s);
    struct str text = {0};
    str_printf(&text, "%s(", isa_users_name(&resolver->set->users, op));
    for (unsigned i = 0; i < s.in_count; i++)
        str_printf(&text, "%s%s", i ? ", " : "", field_name(s.in[i]));
    str_append(&text, ") -> ");
    for (unsigned i = 0; i < s.out_count; i++)
        str_printf(&text, "%s%s", i ? ", " : "", field_name(s.out[i]));
    diag_note(resolver->diag, resolver->unit->at, "its operands are: %s", str_text(&text));
    str_free(&text);
}

/* The opcodes that the operands of an instruction of one's own belong to. */
static void note_opcodes(struct name_resolver *resolver) {
    struct signature s;
    for (int op = OP_USER_C0; op <= OP_USER_FF; op++) {
        int last = op;
        notation_signature((enum isa_op)op, &s);
        if (!fits(resolver->unit, &s))
            continue;
        while (last < OP_USER_FF &&
               (notation_signature((enum isa_op)(last + 1), &s), fits(resolver->unit, &s)))
            last++;
        diag_note(resolver->diag, resolver->unit->at,
                  "these operands are those of opcodes 0x%02X to 0x%02X",
                  isa_info((enum isa_op)op)->opcode, isa_info((enum isa_op)last)->opcode);
        op = last;
    }
}

static bool check_distinct(struct name_resolver *resolver, const struct param *list,
                           unsigned count) {
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < i; k++)
            if (strcmp(list[i].name, list[k].name) == 0) {
                complain(resolver, list[i].at, "two operands are called", list[i].name);
                return false;
            }
    return true;
}

static bool check_reserved(struct name_resolver *resolver, const struct param *list,
                           unsigned count) {
    static const char *const reserved[] = {"w", "valid", "zero", "one"};
    for (unsigned i = 0; i < count; i++)
        for (size_t k = 0; k < 4; k++)
            if (strcmp(list[i].name, reserved[k]) == 0) {
                complain(resolver, list[i].at, "an operand cannot be called", list[i].name);
                return false;
            }
    return true;
}

static void no_instruction(struct name_resolver *resolver, const struct recipe_unit *unit) {
    size_t count;
    const char *const *known = isa_mnemonics(&count);
    const char **names = ARENA_ARRAY(&resolver->set->arena, count + ISA_USERS, const char *);
    memcpy(names, known, count * sizeof *names);
    count += isa_users_names(&resolver->set->users, names + count);
    complain(resolver, unit->at, "no instruction is called", unit->name);
    diag_suggest(resolver->diag, unit->at, unit->name, names, count);
}

static enum isa_op next_form(enum isa_op op) {
    return op == OP_MASKED ? OP_COUNT : isa_next_form(op);
}

bool notation_resolve_head(struct recipe_set *set, struct recipe *recipe, struct diag *diag) {
    struct name_resolver r = {.set = set, .unit = &recipe->unit, .diag = diag};
    const struct recipe_unit *u = &recipe->unit;
    enum isa_op first = isa_users_find(&set->users, u->name, strlen(u->name));
    if (strcmp(u->name, recipe_info(OP_MASKED)->name) == 0)
        first = OP_MASKED;
    if (first == OP_COUNT) {
        no_instruction(&r, u);
        return false;
    }
    if (!(recipe_info(first)->flags & ISA_VECTOR)) {
        complain(&r, u->at, "not an instruction that recipes carry out:", u->name);
        return false;
    }
    if (!check_distinct(&r, u->in, u->in_count) || !check_distinct(&r, u->out, u->out_count) ||
        !check_reserved(&r, u->in, u->in_count) || !check_reserved(&r, u->out, u->out_count))
        return false;
    struct signature s;
    for (enum isa_op op = first; op != OP_COUNT; op = next_form(op)) {
        notation_signature(op, &s);
        recipe->op = op;
        if (recipe_info(op)->flags & ISA_VECTOR && fits(u, &s))
            return true;
    }
    complain(&r, u->at, "these are not the operands of", u->name);
    for (enum isa_op op = first; op != OP_COUNT; op = next_form(op))
        note_form(&r, op);
    if (recipe_info(first)->flags & ISA_USER && recipe->opcode)
        note_opcodes(&r);
    return false;
}

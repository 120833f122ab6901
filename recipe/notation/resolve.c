/* SPDX-License-Identifier: MIT
 * Names: of instructions and their operands, of micro-ops and subs, of what a body defines. */
#include "recipe/set.h"

#include "support/alloc.h"
#include "support/str.h"

#include <string.h>

struct name_resolver {
    struct recipe_set *set;
    struct recipe_unit *unit;
    struct diag *diag;
};

static void complain(struct name_resolver *r, struct span at, const char *what, const char *name) {
    diag_error(r->diag, at, "%s '%s'", what, name);
    r->unit->broken = true;
}

/* --- scopes --- */

static int find_symbol(const struct scope *s, const char *name) {
    for (uint32_t i = 0; i < s->count; i++)
        if (strcmp(s->names[i], name) == 0)
            return (int)i;
    return -1;
}

static uint32_t define(struct name_resolver *r, const char *name) {
    struct scope *s = &r->unit->scope;
    int found = find_symbol(s, name);
    if (found >= 0)
        return (uint32_t)found;
    if (s->count == s->cap) {
        uint32_t cap = s->cap ? 2 * s->cap : 16;
        const char **names = ARENA_ARRAY(&r->set->arena, cap, const char *);
        if (s->count)
            memcpy(names, s->names, s->count * sizeof *names);
        s->names = names;
        s->cap = cap;
    }
    s->names[s->count] = name;
    return s->count++;
}

static void define_fixed(struct name_resolver *r) {
    static const char *const fixed[SYMBOL_FIXED] = {"w", "C", "M", "valid", "zero", "one"};
    for (int i = 0; i < SYMBOL_FIXED; i++)
        define(r, fixed[i]);
}

/* The class of one row that a name means, or -1. */
static int find_row(const struct target *t, const char *name) {
    for (uint32_t i = 0; i < plane_target(t)->row_class_count; i++) {
        const struct row_class *c = &plane_target(t)->row_classes[i];
        if (c->first == c->last && (c->value >= 0 || c->scratch_rows == 1) &&
            strcmp(c->name, name) == 0)
            return (int)i;
    }
    return -1;
}

static int find_group(const struct target *t, const char *name) {
    for (uint32_t i = 0; i < plane_target(t)->group_count; i++)
        if (strcmp(plane_target(t)->groups[i].name, name) == 0)
            return (int)i;
    return -1;
}

static const struct row_name *row_of_symbol(const struct recipe_unit *u, uint32_t symbol) {
    for (uint32_t i = 0; i < u->row_count; i++)
        if (u->rows[i].symbol == symbol)
            return &u->rows[i];
    return NULL;
}

/* Every row of the target has its name from the start: a body never gives it to something else.
 * The scope has names of operands already. */
static void define_rows(struct name_resolver *r) {
    const struct target *t = r->set->target;
    struct recipe_unit *u = r->unit;
    uint32_t named = u->scope.count;
    u->rows = ARENA_ARRAY(&r->set->arena,
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
        struct row_name made = {define(r, name), (uint16_t)index, group};
        if (!row_of_symbol(u, made.symbol))
            u->rows[u->row_count++] = made;
    }
}

static void define_params(struct name_resolver *r, struct param *list, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        list[i].symbol = define(r, list[i].name);
}

/* --- expressions --- */

static int find_op(const struct target *t, const char *name) {
    for (uint32_t i = 0; i < plane_target(t)->op_count; i++)
        if (strcmp(plane_target(t)->ops[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* The last one of that name: a user's hides a built-in one. */
static int find_sub(const struct name_resolver *r, const char *name) {
    for (size_t i = r->set->ast.subs.len; i-- > 0;)
        if (strcmp(r->set->ast.subs.data[i]->unit.name, name) == 0)
            return (int)i;
    return -1;
}

/* Reports that no micro-op and no sub has the name. */
static void unknown_call(struct name_resolver *r, const struct recipe_expr *e) {
    const struct target *t = r->set->target;
    const char *known[PLANE_MAX_OPS + 64];
    size_t n = 0;
    for (uint32_t i = 0; i < plane_target(t)->op_count; i++)
        known[n++] = plane_target(t)->ops[i].name;
    for (size_t i = r->set->ast.subs.len; i-- > 0 && n < PLANE_MAX_OPS + 64;)
        known[n++] = r->set->ast.subs.data[i]->unit.name;
    diag_error(r->diag, e->name_at, "neither a micro-op of target '%s' nor a sub: '%s'", t->name,
               e->name);
    diag_suggest(r->diag, e->name_at, e->name, known, n);
    r->unit->broken = true;
}

static void resolve_call(struct name_resolver *r, struct recipe_expr *e) {
    int op = find_op(r->set->target, e->name), sub = find_sub(r, e->name);
    if (op >= 0) {
        e->ref = (uint32_t)op;
    } else if (sub < 0) {
        unknown_call(r, e);
    } else {
        struct recipe_unit *u = &r->set->ast.subs.data[sub]->unit;
        e->ref = SUB_REF + (uint32_t)sub;
        if (u->generic)
            complain(r, e->name_at, "only generic recipes call the generic sub", e->name);
        else
            notation_resolve_unit(r->set, u, r->diag);
    }
}

static void resolve_name(struct name_resolver *r, struct recipe_expr *e) {
    const struct scope *s = &r->unit->scope;
    int found = find_symbol(s, e->name);
    if (found >= 0) {
        e->ref = (uint32_t)found;
        return;
    }
    complain(r, e->name_at, "nothing here is called", e->name);
    diag_suggest(r->diag, e->name_at, e->name, s->names, s->count);
}

/* What is called where only numbers and places may stand: a call inside an operand. */
static void resolve_expr(struct name_resolver *r, struct recipe_expr *e) {
    if (!e || e->kind == EXPR_NUMBER)
        return;
    if (e->kind == EXPR_CALL) {
        complain(r, e->at, "a micro-op stands for itself, not inside an operand:", e->name);
        return;
    }
    if (e->kind == EXPR_NAME || e->kind == EXPR_INDEX || e->kind == EXPR_AT)
        resolve_name(r, e);
    for (unsigned i = 0; i < e->count; i++)
        resolve_expr(r, e->args[i]);
}

static void resolve_value(struct name_resolver *r, struct recipe_expr *e) {
    if (!e || e->kind != EXPR_CALL) {
        resolve_expr(r, e);
        return;
    }
    resolve_call(r, e);
    for (unsigned i = 0; i < e->count; i++)
        resolve_expr(r, e->args[i]);
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

static void resolve_logic(struct name_resolver *r, struct recipe_expr *e);

/* `whole`: the call is all that stands on the right of the statement. */
static void resolve_function(struct name_resolver *r, struct recipe_expr *e, bool whole) {
    enum logic_function f = notation_function_named(e->name);
    e->ref = f;
    if (f == LOGIC_COUNT && find_sub(r, e->name) >= 0) {
        complain(r, e->at, "the call of a sub is a statement of its own:", e->name);
    } else if (f == LOGIC_COUNT) {
        complain(r, e->name_at,
                 find_op(r->set->target, e->name) >= 0 ? "a generic recipe is logic, not micro-ops:"
                                                       : "neither a function of logic nor a sub:",
                 e->name);
        diag_suggest(r->diag, e->name_at, e->name, logic_names, LOGIC_COUNT);
    } else if (f == LOGIC_FULL && !whole) {
        complain(r, e->at, "'s, c = full(x, y, z)' is a statement of its own:", e->name);
    } else if (e->count != LOGIC_OPERANDS) {
        diag_error(r->diag, e->at, "%s takes %d operands, not %u", e->name, LOGIC_OPERANDS,
                   e->count);
        r->unit->broken = true;
    }
    for (unsigned i = 0; i < e->count; i++)
        resolve_logic(r, e->args[i]);
}

static void resolve_bit(struct name_resolver *r, struct recipe_expr *e) {
    resolve_expr(r, e);
    if (e->kind != EXPR_NAME || e->ref >= SYMBOL_FIXED)
        return;
    if (e->ref == SYMBOL_W)
        complain(r, e->at, "logic is made of bits, and this is a number:", e->name);
    else if (e->ref == SYMBOL_ZERO || e->ref == SYMBOL_ONE)
        complain(r, e->at, "logic says 0 and 1, not", e->name);
}

static bool is_logic_operator(const struct recipe_expr *e) {
    return e->kind == EXPR_UNARY ? e->op == '!' || e->op == '~'
                                 : e->op == '&' || e->op == '|' || e->op == '^';
}

/* An expression of one bit. */
static void resolve_logic(struct name_resolver *r, struct recipe_expr *e) {
    switch (e->kind) {
    case EXPR_NUMBER:
        if (e->number != 0 && e->number != 1) {
            diag_error(r->diag, e->at, "the only numbers in logic are 0 and 1");
            r->unit->broken = true;
        }
        return;
    case EXPR_CALL:
        resolve_function(r, e, false);
        return;
    case EXPR_UNARY:
    case EXPR_BINARY:
        if (!is_logic_operator(e)) {
            diag_error(r->diag, e->at,
                       "logic is made of 0, 1, bits, ! & | ^, mux(s, x, y) and maj(x, y, z)");
            r->unit->broken = true;
        }
        for (unsigned i = 0; i < e->count; i++)
            resolve_logic(r, e->args[i]);
        return;
    default:
        resolve_bit(r, e);
    }
}

static void resolve_assignment(struct name_resolver *r, struct recipe_stmt *s) {
    struct recipe_expr *e = s->value;
    bool full = e->kind == EXPR_CALL && notation_function_named(e->name) == LOGIC_FULL;
    if (s->target_count != (full ? 2u : 1u)) {
        diag_error(r->diag, s->at,
                   full ? "full has two results: 's, c = full(x, y, z)'"
                        : "logic has one result; only full(x, y, z) has two");
        r->unit->broken = true;
    }
    for (unsigned i = 0; i < s->target_count; i++)
        if (s->targets[i]->kind == EXPR_AT)
            complain(
                r, s->targets[i]->at,
                "a carry is handed to the neighbour: write it without '@':", s->targets[i]->name);
    if (full)
        resolve_function(r, e, true);
    else
        resolve_logic(r, e);
}

/* Subs that logic calls are logic. */
static void resolve_logic_call(struct name_resolver *r, struct recipe_expr *e) {
    int i = find_sub(r, e->name);
    if (i < 0) {
        if (notation_function_named(e->name) != LOGIC_COUNT)
            complain(r, e->at, "its result goes nowhere: write x =", e->name);
        else
            resolve_function(r, e, false);
        return;
    }
    struct recipe_unit *u = &r->set->ast.subs.data[i]->unit;
    e->ref = SUB_REF + (uint32_t)i;
    if (!u->generic)
        complain(r, e->name_at,
                 "a generic recipe calls generic subs, and this one is not:", e->name);
    else
        notation_resolve_unit(r->set, u, r->diag);
    for (unsigned k = 0; k < e->count; k++)
        resolve_expr(r, e->args[k]);
}

/* --- indices and bounds --- */

/* Degree of a bound or an index in w, loop variables and the immediate; 2: not affine. */
static int degree(const struct recipe_expr *e) {
    if (e->kind == EXPR_NUMBER)
        return 0;
    if (e->kind == EXPR_NAME)
        return 1;
    if (e->kind == EXPR_UNARY && e->op == '-')
        return degree(e->args[0]);
    if (e->kind != EXPR_BINARY)
        return 2;
    int a = degree(e->args[0]), b = degree(e->args[1]);
    if (e->op == '+' || e->op == '-')
        return a > b ? a : b;
    if (e->op == '*')
        return a + b > 2 ? 2 : a + b;
    return a + b == 0 ? 0 : 2;
}

static void want_affine(struct name_resolver *r, const struct recipe_expr *e, const char *what) {
    if (!e || degree(e) < 2)
        return;
    diag_error(r->diag, e->at, "%s must be affine: sums of names and of names times numbers", what);
    r->unit->broken = true;
}

static void check_indices(struct name_resolver *r, const struct recipe_expr *e) {
    if (!e)
        return;
    if (e->kind == EXPR_INDEX || e->kind == EXPR_AT)
        want_affine(r, e->args[0], e->kind == EXPR_INDEX ? "an index" : "a section");
    for (unsigned i = 0; i < e->count; i++)
        check_indices(r, e->args[i]);
}

/* --- statements --- */

/* A command that activates rows. */
static void resolve_arrow(struct name_resolver *r, struct recipe_expr *call) {
    if (find_op(r->set->target, call->name) < 0 && find_sub(r, call->name) >= 0)
        complain(r, call->name_at, "an arrow is for micro-ops, not for the sub", call->name);
    else
        resolve_value(r, call);
}

static void define_stmts(struct name_resolver *r, const struct recipe_stmt *s) {
    for (; s; s = s->next) {
        for (unsigned i = 0; i < s->target_count; i++)
            if (s->targets[i]->kind == EXPR_NAME)
                define(r, s->targets[i]->name);
        define_stmts(r, s->body);
        define_stmts(r, s->otherwise);
    }
}

static void resolve_right(struct name_resolver *r, struct recipe_stmt *s) {
    bool call = s->kind == STMT_CALL, carry = s->kind == STMT_CARRY && s->value;
    if (s->kind == STMT_LOGIC)
        resolve_assignment(r, s);
    else if (s->kind == STMT_ARROW)
        resolve_arrow(r, s->value);
    else if (carry && r->unit->generic)
        resolve_logic(r, s->value);
    else if (call && r->unit->generic)
        resolve_logic_call(r, s->value);
    else if (call || carry)
        resolve_value(r, s->value);
    else
        resolve_expr(r, s->value);
}

static void resolve_stmts(struct name_resolver *r, struct recipe_stmt *s) {
    for (; s; s = s->next) {
        for (unsigned i = 0; i < s->target_count; i++)
            resolve_expr(r, s->targets[i]);
        resolve_right(r, s);
        resolve_expr(r, s->first);
        resolve_expr(r, s->last);
        for (unsigned i = 0; i < s->target_count; i++)
            check_indices(r, s->targets[i]);
        if (s->kind != STMT_IF)
            check_indices(r, s->value);
        want_affine(r, s->first, "a bound");
        want_affine(r, s->last, "a bound");
        resolve_stmts(r, s->body);
        resolve_stmts(r, s->otherwise);
    }
}

void notation_resolve_unit(struct recipe_set *set, struct recipe_unit *u, struct diag *d) {
    struct name_resolver r = {.set = set, .unit = u, .diag = d};
    if (u->resolved || u->broken)
        return;
    u->resolved = true;
    define_fixed(&r);
    define_params(&r, u->in, u->in_count);
    define_params(&r, u->out, u->out_count);
    if (!u->generic)
        define_rows(&r);
    define_stmts(&r, u->body);
    resolve_stmts(&r, u->body);
}

/* --- heads --- */

/* C and M keep their names; an output that is also an input has one name. */
static bool param_fits(const struct recipe_unit *u, const struct signature *s, unsigned i,
                       bool out) {
    const struct param *x = out ? &u->out[i] : &u->in[i];
    uint8_t f = out ? s->out[i] : s->in[i];
    bool is_c = strcmp(x->name, "C") == 0, is_m = strcmp(x->name, "M") == 0;
    if (is_c != (f == FIELD_C) || is_m != (f == FIELD_M))
        return false;
    for (unsigned k = 0; out && k < s->in_count; k++)
        if ((s->in[k] == f) != (strcmp(u->in[k].name, x->name) == 0))
            return false;
    return true;
}

static bool fits(const struct recipe_unit *u, const struct signature *s) {
    if (u->in_count != s->in_count || u->out_count != s->out_count)
        return false;
    for (unsigned i = 0; i < s->in_count; i++)
        if (!param_fits(u, s, i, false))
            return false;
    for (unsigned i = 0; i < s->out_count; i++)
        if (!param_fits(u, s, i, true))
            return false;
    return true;
}

static const char *field_name(uint8_t f) {
    static const char *const names[] = {"a", "b", "d", "C", "M", "imm"};
    return f < sizeof names / sizeof names[0] ? names[f] : "?";
}

/* "ADD(a, b) -> d" */
static void note_form(struct name_resolver *r, enum mpu_op op) {
    struct signature s;
    notation_signature(op, &s);
    struct str text = {0};
    str_printf(&text, "%s(", isa_users_name(&r->set->users, op));
    for (unsigned i = 0; i < s.in_count; i++)
        str_printf(&text, "%s%s", i ? ", " : "", field_name(s.in[i]));
    str_append(&text, ") -> ");
    for (unsigned i = 0; i < s.out_count; i++)
        str_printf(&text, "%s%s", i ? ", " : "", field_name(s.out[i]));
    diag_note(r->diag, r->unit->at, "its operands are: %s", str_text(&text));
    str_free(&text);
}

/* The opcodes that the operands of an instruction of one's own belong to. */
static void note_opcodes(struct name_resolver *r) {
    struct signature s;
    for (int op = OP_USER_C0; op <= OP_USER_FF; op++) {
        int last = op;
        notation_signature((enum mpu_op)op, &s);
        if (!fits(r->unit, &s))
            continue;
        while (last < OP_USER_FF &&
               (notation_signature((enum mpu_op)(last + 1), &s), fits(r->unit, &s)))
            last++;
        diag_note(r->diag, r->unit->at, "these operands are those of opcodes 0x%02X to 0x%02X",
                  isa_info((enum mpu_op)op)->opcode, isa_info((enum mpu_op)last)->opcode);
        op = last;
    }
}

static bool check_distinct(struct name_resolver *r, const struct param *list, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < i; k++)
            if (strcmp(list[i].name, list[k].name) == 0) {
                complain(r, list[i].at, "two operands are called", list[i].name);
                return false;
            }
    return true;
}

static bool check_reserved(struct name_resolver *r, const struct param *list, unsigned count) {
    static const char *const reserved[] = {"w", "valid", "zero", "one"};
    for (unsigned i = 0; i < count; i++)
        for (size_t k = 0; k < 4; k++)
            if (strcmp(list[i].name, reserved[k]) == 0) {
                complain(r, list[i].at, "an operand cannot be called", list[i].name);
                return false;
            }
    return true;
}

static void no_instruction(struct name_resolver *r, const struct recipe_unit *u) {
    size_t count;
    const char *const *known = isa_mnemonics(&count);
    const char **names = ARENA_ARRAY(&r->set->arena, count + ISA_USERS, const char *);
    memcpy(names, known, count * sizeof *names);
    count += isa_users_names(&r->set->users, names + count);
    complain(r, u->at, "no instruction is called", u->name);
    diag_suggest(r->diag, u->at, u->name, names, count);
}

static enum mpu_op next_form(enum mpu_op op) {
    return op == OP_MASKED ? OP_COUNT : isa_next_form(op);
}

bool notation_resolve_head(struct recipe_set *set, struct recipe *c, struct diag *d) {
    struct name_resolver r = {.set = set, .unit = &c->unit, .diag = d};
    const struct recipe_unit *u = &c->unit;
    enum mpu_op first = isa_users_find(&set->users, u->name, strlen(u->name));
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
    for (enum mpu_op op = first; op != OP_COUNT; op = next_form(op)) {
        notation_signature(op, &s);
        c->op = op;
        if (recipe_info(op)->flags & ISA_VECTOR && fits(u, &s))
            return true;
    }
    complain(&r, u->at, "these are not the operands of", u->name);
    for (enum mpu_op op = first; op != OP_COUNT; op = next_form(op))
        note_form(&r, op);
    if (recipe_info(first)->flags & ISA_USER && c->opcode)
        note_opcodes(&r);
    return false;
}

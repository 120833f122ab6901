/* SPDX-License-Identifier: MIT
 * Statements, one after the other, as Python carries them out.  Loops whose laps are known are
 * walked lap by lap. */
#include "ezpim/np/advice.h"
#include "ezpim/np/loop.h"
#include "ezpim/np/promotion.h"

#include <string.h>

/* Instructions that a kernel may come to. */
static const size_t MOST_INSTRUCTIONS = (size_t)1 << 21;

/* Laps of all loops that are walked: some of them have no instructions. */
static const size_t MOST_LAPS = (size_t)1 << 18;

/* ---- assignments ---- */

static void assign_items(struct np_unit *unit, const struct np_expr *target,
                         struct np_value given) {
    uint32_t i = 0;
    if (!np_is_list(&given)) {
        if (given.kind != NP_ERROR)
            np_error(unit, target->at, "%u names are bound to %s", target->count,
                     np_value_text(unit, &given));
        given = (struct np_value){.kind = NP_ERROR, .at = given.at};
    } else if (given.count != target->count) {
        np_error(unit, target->at, "%u names are bound to %u value%s", target->count, given.count,
                 given.count == 1 ? "" : "s");
        given = (struct np_value){.kind = NP_ERROR, .at = given.at};
    }
    for (const struct np_expr *x = target->items; x; x = x->next, i++)
        np_assign(unit, x, given.kind == NP_ERROR ? given : given.items[i]);
}

static void store_in_list(struct np_unit *unit, struct np_value base, const struct np_value *items,
                          uint32_t count, struct np_value value) {
    np_int i;
    if (count != 1 || !np_static_int(unit, &items[0], "an index of a list", &i))
        return;
    if (i < -(np_int)base.count || i >= (np_int)base.count)
        np_error(unit, items[0].at, "the index is outside of the list");
    else
        base.items[i < 0 ? i + (np_int)base.count : i] = value;
}

void np_assign(struct np_unit *unit, const struct np_expr *target, struct np_value value) {
    uint32_t count;
    if (target->kind == NP_EXPR_NAME) {
        np_bind(unit, target->name, value);
    } else if (target->kind == NP_EXPR_TUPLE || target->kind == NP_EXPR_LIST) {
        assign_items(unit, target, value);
    } else if (target->kind == NP_EXPR_INDEX) {
        struct np_value base = np_eval(unit, target->a),
                        *items = np_eval_indices(unit, target, &count);
        if (base.kind == NP_LIST)
            store_in_list(unit, base, items, count, value);
        else
            np_store(unit, base, items, count, value, target->at);
    } else if (target->kind != NP_EXPR_ERROR) {
        np_error(unit, target->at, "nothing is stored here: a target is a name or `x[..]`");
    }
}

/* Whether some statement stores elements under that name, or computes it in place. */
static bool is_written(const struct np_stmt *stmt, const char *name) {
    for (; stmt; stmt = stmt->next) {
        const struct np_expr *t = stmt->kind == NP_STMT_DEF ? NULL : stmt->target;
        bool stores = t && t->kind == NP_EXPR_INDEX, computes = stmt->kind == NP_STMT_COMPUTE;
        const struct np_expr *of = stores ? t->a : computes ? t : NULL;
        if ((of && of->kind == NP_EXPR_NAME && strcmp(of->name, name) == 0) ||
            is_written(stmt->body, name) || is_written(stmt->otherwise, name))
            return true;
    }
    return false;
}

/* `a = np.array([1, 2])` is a table, and an array of lanes where the function writes it. */
static struct np_value written_table(struct np_unit *unit, const struct np_stmt *stmt,
                                     struct np_value value) {
    const struct np_stmt *function = unit->frame->function;
    bool table = value.kind == NP_ARRAY && value.array->table && !value.array->table->linked &&
                 stmt->value->kind == NP_EXPR_CALL && stmt->target->kind == NP_EXPR_NAME;
    if (!table || !function || !is_written(function->body, stmt->target->name))
        return value;
    struct array_ref *x = np_any_array(unit, &value, "=");
    return np_array_value(x ? np_fresh(unit, x, value.at) : NULL, value.at);
}

/* What stands for count_nonzero keeps being a Python int. */
static void run_assign(struct np_unit *unit, const struct np_stmt *stmt) {
    struct np_value v = written_table(unit, stmt, np_eval(unit, stmt->value));
    if (!unit->frame->function)
        np_define(unit, stmt->target, &v);
    if (v.kind == NP_NONE) {
        np_error(unit, stmt->value->at, "this gives no value");
        v.kind = NP_ERROR;
    }
    np_assign(unit, stmt->target, v);
}

/* In how many places of it the value stands, itself among them; 2 are many. */
static unsigned places_in(const struct np_value *list, const struct np_value *value) {
    unsigned n =
        list->kind == value->kind && list->array == value->array && list->items == value->items;
    for (uint32_t i = 0; n < 2 && np_is_list(list) && i < list->count; i++)
        n += places_in(&list->items[i], value);
    return n;
}

/* Whether an array or a list, which stands in one place, stands in another one, too. */
static bool has_other_name(const struct np_unit *unit, const struct np_value *value) {
    const struct np_frame *last = NULL;
    unsigned n = 0;
    for (const struct np_frame *f = unit->frame; f; last = f, f = f->caller)
        for (size_t i = 0; i < f->names.len; i++)
            n += places_in(&f->names.data[i].value, value);
    for (size_t i = 0; last != &unit->file && i < unit->file.names.len; i++)
        n += places_in(&unit->file.names.data[i].value, value);
    return n > 1;
}

/* Whether `x = x op y` is what `x op= y` is, where x has no other name. */
static bool keeps_type(enum np_operator op, const struct np_value *left,
                       const struct np_value *right) {
    struct lane_type type = left->array->type;
    bool bits = op == NP_OP_AND || op == NP_OP_OR || op == NP_OP_XOR;
    if (right->kind == NP_ARRAY)
        return array_same_type(right->array->type, type) && !(array_is_bool(type) && !bits);
    return array_is_float(type)  ? right->kind == NP_INT || right->kind == NP_REAL
           : array_is_bool(type) ? right->kind == NP_BOOL && bits
                                 : right->kind == NP_INT && op != NP_OP_DIV;
}

/* False after reporting why an operator with `=` does not change what stands there. */
static bool may_compute(struct np_unit *unit, const struct np_stmt *stmt,
                        const struct np_value *left, const struct np_value *right) {
    const char *target = np_source_text(unit, stmt->target->at);
    if (left->mask) {
        np_error(unit, stmt->target->at, "x[mask] is not written");
        if (keeps_type(stmt->op, left, right) && !has_other_name(unit, left))
            np_offer(unit, stmt->at, "%s = %s %s %s", target, target, np_operator_text(stmt->op),
                     np_operand_text(unit, stmt->value->at));
    } else if (left->kind == NP_LIST && has_other_name(unit, left)) {
        np_error(unit, stmt->at, "this changes the list under all its names");
        np_note(unit, stmt->at, "`x = x + y` binds the name anew");
    } else if (left->is_object) {
        np_error(unit, stmt->at,
                 "this is an array without dimension, and an operator with `=` would "
                 "change it under all its names");
        np_note(unit, left->array->at, "it is made here; `x = x + y` binds the name anew");
    } else if (left->kind == NP_ARRAY && left->array->root && left->array->ndim &&
               left->array->is_view) {
        np_no_view(unit, left->array, stmt->target->at);
    } else {
        return true;
    }
    return false;
}

/* What `a op= b` leaves where a was: arrays are computed in place, other values are new ones. */
static struct np_value compute(struct np_unit *unit, const struct np_stmt *stmt,
                               struct np_value left, struct np_value right) {
    struct array_ref *x = left.array;
    bool in_place = left.kind == NP_ARRAY && x->root && x->ndim;
    if (left.kind == NP_ERROR || right.kind == NP_ERROR || !may_compute(unit, stmt, &left, &right))
        return left;
    unit->computed = stmt;
    struct np_value v = np_binary(unit, stmt->op, left, right, in_place ? x->root : NULL, stmt->at);
    unit->computed = NULL;
    if (in_place && v.kind == NP_ARRAY && array_same_type(v.array->type, x->type))
        x->range = v.array->range;
    return in_place ? left : v;
}

static void run_compute(struct np_unit *unit, const struct np_stmt *stmt) {
    uint32_t count;
    if (stmt->op == NP_OP_MATMUL) {
        np_error(unit, stmt->word, "`@=` is not taken in kernels; write `x = x @ y`");
        return;
    }
    if (stmt->target->kind == NP_EXPR_NAME && np_find(unit, stmt->target->name) &&
        !np_is_own(unit, stmt->target->name)) {
        np_error(unit, stmt->target->at,
                 "`%s` is no name of this function, and an operator with `=` would bind it",
                 stmt->target->name);
        np_note(unit, stmt->target->at,
                "NumPy stops here; what a function changes is its parameter");
        return;
    }
    if (stmt->target->kind == NP_EXPR_NAME) {
        struct np_value a = np_eval(unit, stmt->target);
        np_bind(unit, stmt->target->name, compute(unit, stmt, a, np_eval(unit, stmt->value)));
        return;
    }
    if (stmt->target->kind != NP_EXPR_INDEX) {
        np_error(unit, stmt->target->at, "nothing is stored here: a target is a name or `x[..]`");
        return;
    }
    struct np_value base = np_eval(unit, stmt->target->a),
                    *items = np_eval_indices(unit, stmt->target, &count);
    struct np_value b = np_eval(unit, stmt->value);
    unit->computed = stmt;
    bool masked = np_compute_masked(unit, base, items, count, stmt->op, b, stmt->at);
    unit->computed = NULL;
    if (masked)
        return;
    struct np_value a = np_index(unit, base, items, count, stmt->target->at);
    if (a.kind == NP_ERROR || b.kind == NP_ERROR)
        return;
    if (base.kind == NP_LIST) {
        store_in_list(unit, base, items, count, compute(unit, stmt, a, b));
        return;
    }
    unit->computed = stmt;
    b = np_binary(unit, stmt->op, a, b, NULL, stmt->at);
    unit->computed = NULL;
    if (base.kind == NP_ARRAY && b.kind == NP_ARRAY && !b.counts &&
        !np_same_kind(b.array->type, base.array->type)) {
        np_not_in_place(unit, b.array->type, base.array->type, stmt->at);
        return;
    }
    np_store(unit, base, items, count, b, stmt->at);
}

/* ---- flow ---- */

/* What is behind the last code is counted once, or a loop of many laps took their square. */
static size_t instructions(struct np_unit *unit) {
    const struct ir_program *p = unit->arrays.b.p;
    while (unit->counted_codes + 1 < p->codes.len)
        unit->counted += p->codes.data[unit->counted_codes++]->insns.len;
    return unit->counted + p->moves.len + (p->codes.len ? vec_last(&p->codes)->insns.len : 0);
}

bool np_walks_on(struct np_unit *unit, struct span at) {
    if (++unit->walked <= MOST_LAPS)
        return true;
    np_error(unit, at, "loops are walked for more than %zu iterations, one by one", MOST_LAPS);
    return false;
}

bool np_goes_on(struct np_unit *unit, const struct np_stmt *stmt) {
    enum np_leaving left = unit->frame->left;
    unit->frame->left = NP_STAYS;
    if (left == NP_BREAKS || unit->frame->returned || np_failed(unit))
        return false;
    if (instructions(unit) < MOST_INSTRUCTIONS)
        return np_walks_on(unit, stmt->word);
    np_error(unit, stmt->word, "the iterations of this loop come to more than %zu instructions",
             MOST_INSTRUCTIONS);
    return false;
}

/* Beyond this it does not matter how many laps there are. */
static const np_int MANY = (np_int)1 << 40;

static void run_range(struct np_unit *unit, const struct np_stmt *stmt,
                      const struct np_value *range) {
    np_int first = range->items[0].number, last = range->items[1].number,
           step = range->items[2].number;
    np_int laps = (last - first + (step > 0 ? step - 1 : step + 1)) / step, copies = unit->copies;
    if (laps > 0 && stmt->target->kind == NP_EXPR_NAME && np_repeats(unit, stmt, laps)) {
        np_run_repeat(unit, stmt, range, laps);
        return;
    }
    unit->copies = laps < 1 ? copies : copies * (laps > MANY ? MANY : laps);
    unit->copies = unit->copies > MANY ? MANY : unit->copies;
    for (np_int i = first; step > 0 ? i < last : i > last; i += step) {
        np_assign(unit, stmt->target, np_int_value(i, stmt->target->at));
        np_run(unit, stmt->body);
        if (!np_goes_on(unit, stmt))
            break;
    }
    unit->copies = copies;
}

static void run_for(struct np_unit *unit, const struct np_stmt *stmt) {
    struct np_stmt *made = np_left_early(unit, (struct np_stmt *)(uintptr_t)stmt);
    if (made) {
        np_run(unit, made);
        np_forget_known(unit, stmt);
        return;
    }
    struct np_value v = np_eval(unit, stmt->value);
    if (v.kind == NP_RANGE) {
        run_range(unit, stmt, &v);
    } else if (v.kind != NP_ERROR) {
        struct np_value *items;
        uint32_t count = np_sequence(unit, &v, &items);
        for (uint32_t i = 0; i < count; i++) {
            np_assign(unit, stmt->target, items[i]);
            np_run(unit, stmt->body);
            if (!np_goes_on(unit, stmt))
                return;
        }
    }
}

/* On data the branches are loops of at most one lap. */
static void run_if(struct np_unit *unit, const struct np_stmt *stmt) {
    struct np_stmt *made = np_branches(unit, (struct np_stmt *)(uintptr_t)stmt);
    if (made) {
        np_run(unit, made);
        return;
    }
    struct np_value c = np_eval(unit, stmt->value);
    if (c.kind == NP_ARRAY && c.array->ndim == 0) {
        np_depends(unit, stmt);
        return;
    }
    bool known, truth = np_truth(unit, &c, &known);
    if (known)
        np_run(unit, truth ? stmt->body : stmt->otherwise);
}

static void run_leaving(struct np_unit *unit, const struct np_stmt *stmt) {
    bool breaks = stmt->kind == NP_STMT_BREAK;
    if (!unit->frame->around)
        np_error(unit, stmt->at, "`%s` stands in a loop", breaks ? "break" : "continue");
    unit->frame->left = breaks ? NP_BREAKS : NP_CONTINUES;
}

static void run_assert(struct np_unit *unit, const struct np_stmt *stmt) {
    struct np_value c = np_eval(unit, stmt->value);
    bool known, truth = np_truth(unit, &c, &known);
    if (known && !truth)
        np_error(unit, stmt->at, "this does not hold");
}

/* `l.append(x)` and `l.extend(y)` are `l += [x]` and `l += y`.  False: it is none of them. */
static bool run_growth(struct np_unit *unit, const struct np_stmt *stmt) {
    const struct np_expr *call = stmt->value, *method = call->a;
    if (call->kind != NP_EXPR_CALL || method->kind != NP_EXPR_ATTRIBUTE || call->count != 1 ||
        call->items->kind == NP_EXPR_KEYWORD)
        return false;
    bool one = strcmp(method->name, "append") == 0;
    if (!one && strcmp(method->name, "extend") != 0)
        return false;
    struct np_value list = np_eval(unit, method->a);
    if (list.kind != NP_LIST)
        return list.kind == NP_ERROR;
    struct np_expr *items = ARENA_NEW(&unit->arena, struct np_expr);
    *items = (struct np_expr){
        .kind = NP_EXPR_LIST, .at = call->items->at, .items = call->items, .count = 1};
    struct np_stmt grow = *stmt;
    grow.kind = NP_STMT_COMPUTE;
    grow.op = NP_OP_ADD;
    grow.target = method->a;
    grow.value = one ? items : call->items;
    run_compute(unit, &grow);
    return true;
}

static void run_value(struct np_unit *unit, const struct np_stmt *stmt) {
    if (stmt->value->kind == NP_EXPR_TEXT || stmt->value->kind == NP_EXPR_ELLIPSIS ||
        run_growth(unit, stmt))
        return;
    struct np_value v = np_eval(unit, stmt->value);
    if (v.kind != NP_ERROR && v.kind != NP_NONE)
        np_error(unit, stmt->at, "nobody uses this value");
}

static void run_return(struct np_unit *unit, const struct np_stmt *stmt) {
    if (!unit->frame->function) {
        np_error(unit, stmt->at, "`return` stands in a function");
        return;
    }
    if (unit->frame->loops) {
        np_error(unit, stmt->at,
                 "`return` stands behind a loop whose number of iterations depends on data");
        return;
    }
    unit->frame->result = (struct np_value){.kind = NP_NONE, .at = stmt->at};
    if (stmt->value)
        unit->frame->result = np_eval(unit, stmt->value);
    unit->frame->returned = true;
}

static void run_import(struct np_unit *unit, const struct np_stmt *stmt) {
    if (stmt->kind == NP_STMT_FROM) {
        if (strcmp(stmt->name, "__future__") != 0 || strcmp(stmt->as_name, "annotations") != 0)
            np_error(unit, stmt->name_at, "a kernel imports `numpy` alone");
    } else if (strcmp(stmt->name, "math") == 0) {
        np_bind(unit, stmt->as_name,
                (struct np_value){.kind = NP_MODULE, .at = stmt->at, .text = "math"});
    } else if (strcmp(stmt->name, "numpy") != 0) {
        np_error(unit, stmt->name_at,
                 "a kernel imports `numpy` and `math` alone, as in `import numpy as np`");
    } else {
        np_bind(unit, stmt->as_name, (struct np_value){.kind = NP_MODULE, .at = stmt->at});
        unit->numpy = stmt->as_name;
    }
}

static void run_one(struct np_unit *unit, const struct np_stmt *stmt) {
    switch (stmt->kind) {
    case NP_STMT_ASSIGN:
        run_assign(unit, stmt);
        break;
    case NP_STMT_COMPUTE:
        run_compute(unit, stmt);
        break;
    case NP_STMT_FOR:
        unit->frame->around++;
        run_for(unit, stmt);
        unit->frame->around--;
        break;
    case NP_STMT_IF:
        run_if(unit, stmt);
        break;
    case NP_STMT_WHILE:
        unit->frame->around++;
        np_run_while(unit, stmt);
        unit->frame->around--;
        break;
    case NP_STMT_RETURN:
        run_return(unit, stmt);
        break;
    case NP_STMT_ASSERT:
        run_assert(unit, stmt);
        break;
    case NP_STMT_VALUE:
        run_value(unit, stmt);
        break;
    case NP_STMT_DEF:
        np_bind(unit, stmt->name, np_function_value(unit, stmt));
        break;
    case NP_STMT_IMPORT:
    case NP_STMT_FROM:
        run_import(unit, stmt);
        break;
    case NP_STMT_BREAK:
    case NP_STMT_CONTINUE:
        run_leaving(unit, stmt);
        break;
    case NP_STMT_PASS:
        break;
    }
}

void np_run(struct np_unit *unit, const struct np_stmt *stmt) {
    for (; stmt && !unit->frame->returned && !unit->frame->left && !unit->again &&
           !diag_full(unit->diag);
         stmt = stmt->next) {
        if (unit->separate)
            unit->arrays.b.last = NULL;
        unit->fresh = unit->arrays.serials;
        run_one(unit, stmt);
    }
}

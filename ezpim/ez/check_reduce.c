/* SPDX-License-Identifier: MIT
 * Statements at top level that look at all elements: reductions, and conditions with any and all.
 */
#include "ezpim/array/fold.h"
#include "ezpim/ez/check_top.h"
#include "ezpim/ez/move.h"
#include "ezpim/ez/walk.h"

#include <string.h>

static const char *const reduction_names[REDUCE_KINDS] = {
    [REDUCE_SUM] = "sum",     [REDUCE_PROD] = "prod",     [REDUCE_MIN] = "min",
    [REDUCE_MAX] = "max",     [REDUCE_AND] = "and",       [REDUCE_OR] = "or",
    [REDUCE_XOR] = "xor",     [REDUCE_ANY] = "any",       [REDUCE_ALL] = "all",
    [REDUCE_COUNT] = "count", [REDUCE_ARGMIN] = "argmin", [REDUCE_ARGMAX] = "argmax"};

enum reduction_kind ez_find_reduction(const char *name) {
    enum reduction_kind k = REDUCE_SUM;
    while (k < REDUCE_KINDS && strcmp(reduction_names[k], name) != 0)
        k++;
    return k;
}

/* What a scan may go by. */
static bool scans(enum reduction_kind kind) {
    return kind <= REDUCE_ALL || kind == REDUCE_PROD;
}

static bool is_scan(const struct expr *expr) {
    return expr->kind == EXPR_CALL && strcmp(expr->name.text, "scan") == 0;
}

struct group_search {
    struct checker *c;
    struct ez_symbol *group;
    const struct expr *asked; /* the argument of length(...), of whatever group */
};

static void find_group_of(void *context, struct expr *expr) {
    struct group_search *s = context;
    if (ez_asks_length(expr))
        s->asked = expr->args[0];
    if ((expr->kind != EXPR_NAME && expr->kind != EXPR_INDEX) || expr == s->asked)
        return;
    const struct ez_symbol *v = ez_find_symbol(s->c, expr->name.text);
    if (v && v->kind == SYMBOL_EZ_VARIABLE && v->var.group && !s->group)
        s->group = v->var.group;
}

/* The group of a variable that stands in the expression, or NULL. */
static struct ez_symbol *group_in(struct checker *checker, struct expr *expr) {
    struct group_search search = {checker, NULL, NULL};
    struct walker w = {&search, NULL, find_group_of};
    ez_walk_expr(&w, expr);
    return search.group;
}

struct ez_symbol *ez_check_over_group(struct checker *checker, struct expr *expr) {
    struct ez_symbol *group = group_in(checker, expr);
    if (!group) {
        diag_error(checker->u->diag, expr->at, "no variable of a group stands in this");
        ez_poison(expr);
        return NULL;
    }
    group->read = true;
    checker->group = group;
    checker->lane = true;
    ez_check_expr(checker, expr);
    checker->lane = false;
    checker->group = NULL;
    return expr->type.state == STATE_ERROR ? NULL : group;
}

/* min and max of two values that have no group. */
static bool is_pair_of_values(struct checker *checker, const struct expr *call,
                              enum reduction_kind kind) {
    return (kind == REDUCE_MIN || kind == REDUCE_MAX) && call->arg_count == 2 &&
           !group_in(checker, call->args[0]) && !group_in(checker, call->args[1]);
}

static bool value_fits(struct checker *checker, const struct ez_reduction *reduction,
                       const char *name) {
    bool wants_bool = reduction->kind == REDUCE_ANY || reduction->kind == REDUCE_ALL ||
                      reduction->kind == REDUCE_COUNT;
    bool bits = reduction->kind == REDUCE_AND || reduction->kind == REDUCE_OR ||
                reduction->kind == REDUCE_XOR;
    struct value_type t = reduction->value->type;
    if (t.state == STATE_NUMBER) {
        diag_error(checker->u->diag, reduction->value->at, "this number has no type");
        return false;
    }
    if (wants_bool)
        return ez_check_bool(checker, reduction->value,
                             arena_printf(&checker->u->arena, "`%s`", name));
    if (bits && !ez_refuse_float_bits(
                    checker, reduction->value,
                    arena_printf(&checker->u->arena, "`%s` takes integers and bools", name)))
        return false;
    if (!ez_type_is_bool(t) || bits)
        return true;
    diag_error(checker->u->diag, reduction->value->at, "`%s` takes numbers, not bool", name);
    return false;
}

static struct lane_type result_type(const struct ez_reduction *reduction) {
    static const struct lane_type u64 = {TYPE_UINT, 64};
    bool indexes = reduction->kind == REDUCE_ARGMIN || reduction->kind == REDUCE_ARGMAX;
    if (reduction->kind == REDUCE_COUNT || indexes)
        return u64;
    return reduction->value->type.type;
}

/* Of a group of one dimension one element is left, in each MPU that has elements of its own. */
static bool is_without_axis(const struct ez_symbol *to, const struct ez_symbol *from,
                            uint32_t axis) {
    static const struct extent one = {NO_INDEX, 1};
    bool same = to->layout.on_mpus == from->layout.on_mpus;
    if (from->layout.ndim == 1)
        return same && to->layout.ndim == 1 && ez_same_extent(to->layout.extents[0], one);
    same = same && to->layout.ndim + 1 == from->layout.ndim;
    for (uint32_t d = 0; same && d < to->layout.ndim; d++)
        same = ez_same_extent(to->layout.extents[d], from->layout.extents[d + (d >= axis)]);
    return same;
}

static bool report_group(struct checker *checker, const struct stmt *stmt,
                         const struct ez_reduction *reduction, const struct ez_symbol *symbol) {
    const struct ez_symbol *from = reduction->group;
    const char *group = from->name.text, *name = symbol->name.text;
    if (reduction->scan)
        diag_error(checker->u->diag, stmt->target->at,
                   "a scan has a value for each element: `%s` is not of the group `%s`", name,
                   group);
    else if (reduction->axis == ARRAY_ALL)
        diag_error(checker->u->diag, stmt->target->at, "the result is one value: `%s` has a group",
                   name);
    else
        diag_error(checker->u->diag, stmt->target->at,
                   "along dimension %u of `%s` the result is of a group with %s%s, not `%s`",
                   reduction->axis, group,
                   from->layout.ndim == 1 ? "the extent 1" : "the other extents, in their order",
                   from->layout.on_mpus ? ", on MPUs" : "", name);
    return false;
}

/* Whether there is a place in the target for each result. */
static bool check_target_group(struct checker *checker, const struct stmt *stmt,
                               const struct ez_reduction *reduction,
                               const struct ez_symbol *symbol) {
    bool fits = reduction->scan ? symbol->var.group == reduction->group
                : reduction->axis == ARRAY_ALL
                    ? symbol->var.group == NULL
                    : symbol->var.group &&
                          is_without_axis(symbol->var.group, reduction->group, reduction->axis);
    return fits || report_group(checker, stmt, reduction, symbol);
}

struct ez_symbol *ez_check_result(struct checker *checker, struct stmt *stmt, uint32_t *element) {
    struct ez_symbol *t = ez_find_symbol(checker, stmt->target->name.text);
    if (!t) {
        ez_report_unknown(checker, stmt->target->name, "variable", NULL, 0);
        return NULL;
    }
    if (t->kind != SYMBOL_EZ_VARIABLE) {
        diag_error(checker->u->diag, stmt->target->at, "the result is stored in a variable");
        return NULL;
    }
    if (t->type.state != STATE_TYPED || !ez_find_register(checker, stmt->target, t, element))
        return NULL;
    if (t->var.direction == VAR_IN) {
        diag_error(checker->u->diag, stmt->target->at, "`%s` is an input and cannot be assigned",
                   t->name.text);
        return NULL;
    }
    return t;
}

void ez_note_result(struct checker *checker, struct ez_symbol *symbol, uint32_t element,
                    bool front) {
    checker->in_front = front;
    ez_note_partly(checker, symbol, (uint64_t)1 << element);
    checker->in_front = false;
    ez_note_written(checker, symbol, (uint64_t)1 << element);
    symbol->var.assigned = true;
    symbol->var.assigned_in = NULL; /* it is in the VRFs of every group */
}

/* How a variable for the result is declared, where there is none. */
static void note_declaration(struct checker *checker, const struct stmt *stmt,
                             const struct ez_reduction *reduction) {
    const char *name = stmt->target->name.text;
    if (ez_find_symbol(checker, name) || (!reduction->scan && reduction->axis != ARRAY_ALL))
        return;
    diag_note(checker->u->diag, stmt->target->at,
              "declare it in front of `main`: `var %s: %s%s%s;`", name,
              ez_type_name(checker, result_type(reduction)), reduction->scan ? " @ " : "",
              reduction->scan ? reduction->group->name.text : "");
}

/* What the reduction is stored in. */
static bool check_target(struct checker *checker, struct stmt *stmt,
                         struct ez_reduction *reduction) {
    struct ez_symbol *t = ez_check_result(checker, stmt, &reduction->element);
    if (!t)
        note_declaration(checker, stmt, reduction);
    if (!t || !check_target_group(checker, stmt, reduction, t))
        return false;
    struct lane_type from = result_type(reduction), to = t->type.type;
    if (from.kind != to.kind || from.bits > to.bits) {
        diag_error(checker->u->diag, stmt->value->at, "this is %s, and `%s` is %s",
                   ez_type_name(checker, from), t->name.text, ez_type_name(checker, to));
        if (reduction->kind == REDUCE_COUNT)
            diag_note(checker->u->diag, stmt->value->at, "write `sum(%s(...))` to count in %s",
                      ez_type_name(checker, to), ez_type_name(checker, to));
        return false;
    }
    reduction->target = t;
    ez_note_result(checker, t, reduction->element, reduction->scan && reduction->front.count);
    return true;
}

enum { LONGEST_RUN = 16 };

static void find_target(void *context, struct expr *expr) {
    const struct ez_reduction **run = context;
    if (!*run || (expr->kind != EXPR_NAME && expr->kind != EXPR_INDEX))
        return;
    for (const struct ez_reduction *r = (*run)->first; r; r = r->next)
        if (r->target == expr->symbol) {
            *run = NULL;
            return;
        }
}

static bool folds_with_others(const struct ez_reduction *reduction) {
    return !reduction->scan && reduction->kind != REDUCE_ARGMIN && reduction->kind != REDUCE_ARGMAX;
}

/* Of several in what they are stored in, the last one counts: they are not folded together. */
static bool is_target(const struct ez_reduction *run, const struct ez_reduction *reduction) {
    for (const struct ez_reduction *k = run->first; k; k = k->next)
        if (k->target == reduction->target && k->element == reduction->element)
            return true;
    return false;
}

/* `reduction` goes on with the run in front of it if it can, else it begins one. */
static void join_run(struct checker *checker, struct ez_reduction *reduction) {
    const struct ez_reduction *run = checker->run;
    const struct walker w = {&run, NULL, find_target};
    bool joins = run && run->group == reduction->group && run->axis == reduction->axis &&
                 folds_with_others(run) && folds_with_others(reduction) &&
                 run->first->run_length < LONGEST_RUN && !is_target(run, reduction);
    if (joins)
        ez_walk_expr(&w, reduction->value);
    reduction->first = joins && run ? checker->run->first : reduction;
    if (reduction->first != reduction)
        checker->run->next = reduction;
    reduction->place = reduction->first->run_length++;
    checker->run = reduction;
}

/* Of no elements at all, as in front of the first one, the result of these is not 0 and depends on
 * the type. */
static bool shows_type(const struct ez_reduction *reduction) {
    return (reduction->scan ? reduction->exclusive : reduction->front.count) &&
           (reduction->kind == REDUCE_MIN || reduction->kind == REDUCE_MAX ||
            reduction->kind == REDUCE_AND);
}

/* The type at which it works: the result is what it gives, extended. */
static struct lane_type working_type(const struct ez_unit *unit,
                                     const struct ez_reduction *reduction) {
    struct lane_type type = reduction->value->type.type,
                     value = ez_value_type(unit, reduction->group, reduction->value);
    uint64_t most =
        reduction->axis == ARRAY_ALL
            ? ez_most_elements(unit, reduction->group)
            : ez_most_in_extent(unit, reduction->group->layout.extents[reduction->axis]);
    if (reduction->kind == REDUCE_PROD)
        return type;
    if (reduction->kind == REDUCE_COUNT)
        return ez_type_up_to(most, 64);
    if (reduction->kind == REDUCE_SUM)
        return array_sum_type(value, most, type);
    return shows_type(reduction) ? type : value;
}

/* min and max of two arguments are values of a lane. */
static void find_reduction_in(void *context, struct expr *expr) {
    bool *found = context;
    enum reduction_kind kind =
        expr->kind == EXPR_CALL ? ez_find_reduction(expr->name.text) : REDUCE_KINDS;
    bool of_two = expr->arg_count == 2 && kind != REDUCE_MIN && kind != REDUCE_MAX;
    *found |= ez_is_array_call(expr) || is_scan(expr) ||
              (kind != REDUCE_KINDS && (expr->arg_count == 1 || of_two));
}

bool ez_mentions_reduction(struct expr *expr) {
    bool found = false;
    const struct walker w = {&found, NULL, find_reduction_in};
    ez_walk_expr(&w, expr);
    return found;
}

static bool check_axis(struct checker *checker, struct expr *expr, struct ez_reduction *reduction) {
    uint64_t axis;
    ez_check_expr(checker, expr);
    if (!ez_check_integer(checker, expr, 0, reduction->group->layout.ndim - 1, "the dimension",
                          &axis))
        return false;
    reduction->axis = (uint32_t)axis;
    return true;
}

/* What stands behind the value of a scan. */
struct scan_words {
    bool kind, axis;
};

static bool report_word(struct checker *checker, const struct expr *expr, const char *what) {
    diag_error(checker->u->diag, expr->at, "`scan` has %s already", what);
    return false;
}

static bool check_scan_kind(struct checker *checker, const struct expr *expr,
                            struct ez_reduction *reduction, struct scan_words *words) {
    enum reduction_kind kind = ez_find_reduction(expr->name.text);
    if (!scans(kind)) {
        diag_error(checker->u->diag, expr->at,
                   "`scan` goes by sum, prod, min, max, and, or, xor, any or all, not `%s`",
                   expr->name.text);
        return false;
    }
    if (words->kind)
        return report_word(checker, expr, "a kind");
    words->kind = true;
    reduction->kind = kind;
    return true;
}

static bool check_scan_word(struct checker *checker, struct expr *expr,
                            struct ez_reduction *reduction, struct scan_words *words) {
    bool names = expr->kind == EXPR_NAME;
    if (names && strcmp(expr->name.text, "exclusive") == 0) {
        if (reduction->exclusive)
            return report_word(checker, expr, "`exclusive`");
        return reduction->exclusive = true;
    }
    if (names && (ez_find_reduction(expr->name.text) != REDUCE_KINDS ||
                  !ez_find_symbol(checker, expr->name.text)))
        return check_scan_kind(checker, expr, reduction, words);
    if (words->axis)
        return report_word(checker, expr, "a dimension");
    words->axis = true;
    return check_axis(checker, expr, reduction);
}

static bool check_scan_words(struct checker *checker, struct expr *expr,
                             struct ez_reduction *reduction) {
    struct scan_words w = {0};
    bool right = true;
    for (uint32_t i = 1; i < expr->arg_count; i++)
        right &= check_scan_word(checker, expr->args[i], reduction, &w);
    return right;
}

/* The arguments: the value and, if wanted, the dimension; of a scan its kind and `exclusive`, too.
 * False after reporting. */
static bool check_arguments(struct checker *checker, struct expr *expr,
                            struct ez_reduction *reduction) {
    if (expr->arg_count == 0 || expr->arg_count > (reduction->scan ? 4 : 2)) {
        diag_error(checker->u->diag, expr->at, "`%s` takes %s here, not %u", expr->name.text,
                   reduction->scan ? "a value and, if wanted, a kind, a dimension and `exclusive`"
                                   : "a value and, if wanted, a dimension",
                   expr->arg_count);
        return false;
    }
    reduction->group = ez_check_over_group(checker, expr->args[0]);
    if (!reduction->group || expr->arg_count == 1)
        return reduction->group != NULL;
    return reduction->scan ? check_scan_words(checker, expr, reduction)
                           : check_axis(checker, expr->args[1], reduction);
}

bool ez_check_reduction(struct checker *checker, struct stmt *stmt) {
    struct expr *e = stmt->value;
    if (e->kind != EXPR_CALL || stmt->compound)
        return false;
    bool scan = is_scan(e);
    enum reduction_kind kind = scan ? REDUCE_SUM : ez_find_reduction(e->name.text);
    if (kind == REDUCE_KINDS || is_pair_of_values(checker, e, kind))
        return false;
    struct ez_reduction *r = ARENA_NEW(&checker->u->arena, struct ez_reduction);
    *r = (struct ez_reduction){.kind = kind, .scan = scan, .axis = ARRAY_ALL};
    bool right = check_arguments(checker, e, r);
    if (right) {
        r->value = e->args[0];
        r->front = ez_check_front(checker, r->value, NULL, NULL, NULL);
    }
    if (!right || !value_fits(checker, r, scan ? reduction_names[r->kind] : e->name.text) ||
        !check_target(checker, stmt, r)) {
        checker->incomplete = true;
        checker->run = NULL;
        return true;
    }
    if (checker->on)
        diag_error(checker->u->diag, stmt->at, "a %s waits for all MPUs: it stands outside of `on`",
                   scan ? "scan" : "reduction");
    r->type = working_type(checker->u, r);
    r->value = ez_without_widening(r->value);
    join_run(checker, r);
    stmt->reduction = r;
    return true;
}

/* any(c), all(c), !any(c), !all(c): what stands inside, and whether the jump is taken when some
 * element has it. */
bool ez_check_any(struct checker *checker, struct stmt *stmt) {
    bool always = true;
    struct expr *e = ez_gather_question(checker, stmt->value, &always);
    stmt->opposite = false;
    while (e->kind == EXPR_UNARY && e->op == UNARY_NOT) {
        stmt->opposite = !stmt->opposite;
        e = e->args[0];
    }
    bool all = e->kind == EXPR_CALL && strcmp(e->name.text, "all") == 0;
    bool any = e->kind == EXPR_CALL && strcmp(e->name.text, "any") == 0;
    if ((!all && !any) || e->arg_count != 1)
        return false;
    stmt->whole = all;
    stmt->opposite ^= all;
    stmt->value = e->args[0];
    stmt->symbol = ez_check_over_group(checker, stmt->value);
    stmt->front = ez_check_front(checker, stmt->value, NULL, NULL, NULL);
    if (stmt->front.count && !always)
        diag_error(checker->u->diag, stmt->value->at,
                   "elements with a length may be none: `%s` of them stands alone here",
                   all ? "all" : "any");
    if (stmt->symbol && !ez_check_bool(checker, stmt->value, all ? "`all`" : "`any`"))
        stmt->symbol = NULL;
    if (checker->on)
        diag_error(checker->u->diag, stmt->at, "`%s` waits for all MPUs: it stands outside of `on`",
                   all ? "all" : "any");
    checker->incomplete |= !stmt->symbol;
    return true;
}

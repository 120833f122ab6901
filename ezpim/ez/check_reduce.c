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

enum reduction_kind find_reduction(const char *name) {
    enum reduction_kind k = REDUCE_SUM;
    while (k < REDUCE_KINDS && strcmp(reduction_names[k], name) != 0)
        k++;
    return k;
}

/* What a scan may go by. */
static bool scans(enum reduction_kind kind) {
    return kind <= REDUCE_ALL || kind == REDUCE_PROD;
}

static bool is_scan(const struct expr *e) {
    return e->kind == EXPR_CALL && strcmp(e->name.text, "scan") == 0;
}

struct group_search {
    struct checker *c;
    struct ez_symbol *group;
    const struct expr *asked; /* the argument of length(...), of whatever group */
};

static void find_group_of(void *context, struct expr *e) {
    struct group_search *s = context;
    if (asks_length(e))
        s->asked = e->args[0];
    if ((e->kind != EXPR_NAME && e->kind != EXPR_INDEX) || e == s->asked)
        return;
    const struct ez_symbol *v = find_symbol(s->c, e->name.text);
    if (v && v->kind == SYMBOL_EZ_VARIABLE && v->var.group && !s->group)
        s->group = v->var.group;
}

struct ez_symbol *check_over_group(struct checker *c, struct expr *e) {
    struct group_search search = {c, NULL, NULL};
    struct walker w = {&search, NULL, find_group_of};
    walk_expr(&w, e);
    if (!search.group) {
        diag_error(c->u->diag, e->at, "no variable of a group stands in this");
        poison(e);
        return NULL;
    }
    search.group->read = true;
    c->group = search.group;
    c->lane = true;
    check_expr(c, e);
    c->lane = false;
    c->group = NULL;
    return e->type.state == STATE_ERROR ? NULL : search.group;
}

static bool value_fits(struct checker *c, const struct ez_reduction *r, const char *name) {
    bool wants_bool = r->kind == REDUCE_ANY || r->kind == REDUCE_ALL || r->kind == REDUCE_COUNT;
    bool bits = r->kind == REDUCE_AND || r->kind == REDUCE_OR || r->kind == REDUCE_XOR;
    struct value_type t = r->value->type;
    if (t.state == STATE_NUMBER) {
        diag_error(c->u->diag, r->value->at, "this number has no type");
        return false;
    }
    if (wants_bool)
        return check_bool(c, r->value, arena_printf(&c->u->arena, "`%s`", name));
    if (!type_is_bool(t) || bits)
        return true;
    diag_error(c->u->diag, r->value->at, "`%s` takes numbers, not bool", name);
    return false;
}

static struct mpu_type result_type(const struct ez_reduction *r) {
    static const struct mpu_type u64 = {TYPE_UINT, 64};
    bool indexes = r->kind == REDUCE_ARGMIN || r->kind == REDUCE_ARGMAX;
    if (r->kind == REDUCE_COUNT || indexes)
        return u64;
    return r->value->type.type;
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

static bool report_group(struct checker *c, const struct stmt *s, const struct ez_reduction *r,
                         const struct ez_symbol *t) {
    const struct ez_symbol *from = r->group;
    const char *group = from->name.text, *name = t->name.text;
    if (r->scan)
        diag_error(c->u->diag, s->target->at,
                   "a scan has a value for each element: `%s` is not of the group `%s`", name,
                   group);
    else if (r->axis == ARRAY_ALL)
        diag_error(c->u->diag, s->target->at, "the result is one value: `%s` has a group", name);
    else
        diag_error(c->u->diag, s->target->at,
                   "along dimension %u of `%s` the result is of a group with %s%s, not `%s`",
                   r->axis, group,
                   from->layout.ndim == 1 ? "the extent 1" : "the other extents, in their order",
                   from->layout.on_mpus ? ", on MPUs" : "", name);
    return false;
}

/* Whether there is a place in the target for each result. */
static bool check_target_group(struct checker *c, const struct stmt *s,
                               const struct ez_reduction *r, const struct ez_symbol *t) {
    bool fits = r->scan ? t->var.group == r->group
                : r->axis == ARRAY_ALL
                    ? t->var.group == NULL
                    : t->var.group && is_without_axis(t->var.group, r->group, r->axis);
    return fits || report_group(c, s, r, t);
}

struct ez_symbol *check_result(struct checker *c, struct stmt *s, uint32_t *element) {
    struct ez_symbol *t = find_symbol(c, s->target->name.text);
    if (!t || t->kind != SYMBOL_EZ_VARIABLE) {
        diag_error(c->u->diag, s->target->at, "the result is stored in a variable");
        return NULL;
    }
    if (t->type.state != STATE_TYPED || !find_register(c, s->target, t, element))
        return NULL;
    if (t->var.direction == VAR_IN) {
        diag_error(c->u->diag, s->target->at, "`%s` is an input and cannot be assigned",
                   t->name.text);
        return NULL;
    }
    return t;
}

void note_result(struct checker *c, struct ez_symbol *t, uint32_t element, bool front) {
    c->in_front = front;
    note_partly(c, t, (uint64_t)1 << element);
    c->in_front = false;
    note_written(c, t, (uint64_t)1 << element);
    t->var.assigned = true;
    t->var.assigned_in = NULL; /* it is in the VRFs of every group */
}

/* What the reduction is stored in. */
static bool check_target(struct checker *c, struct stmt *s, struct ez_reduction *r) {
    struct ez_symbol *t = check_result(c, s, &r->element);
    if (!t || !check_target_group(c, s, r, t))
        return false;
    struct mpu_type from = result_type(r), to = t->type.type;
    if (from.kind != to.kind || from.bits > to.bits) {
        diag_error(c->u->diag, s->value->at, "this is %s, and `%s` is %s", type_name(c, from),
                   t->name.text, type_name(c, to));
        if (r->kind == REDUCE_COUNT)
            diag_note(c->u->diag, s->value->at, "write `sum(%s(...))` to count in %s",
                      type_name(c, to), type_name(c, to));
        return false;
    }
    r->target = t;
    note_result(c, t, r->element, r->scan && r->front.count);
    return true;
}

enum { LONGEST_RUN = 16 };

static void find_target(void *context, struct expr *e) {
    const struct ez_reduction **run = context;
    if (!*run || (e->kind != EXPR_NAME && e->kind != EXPR_INDEX))
        return;
    for (const struct ez_reduction *r = (*run)->first; r; r = r->next)
        if (r->target == e->symbol) {
            *run = NULL;
            return;
        }
}

static bool folds_with_others(const struct ez_reduction *r) {
    return !r->scan && r->kind != REDUCE_ARGMIN && r->kind != REDUCE_ARGMAX;
}

/* Of several in what they are stored in, the last one counts: they are not folded together. */
static bool is_target(const struct ez_reduction *run, const struct ez_reduction *r) {
    for (const struct ez_reduction *k = run->first; k; k = k->next)
        if (k->target == r->target && k->element == r->element)
            return true;
    return false;
}

/* r goes on with the run in front of it if it can, else it begins one. */
static void join_run(struct checker *c, struct ez_reduction *r) {
    const struct ez_reduction *run = c->run;
    const struct walker w = {&run, NULL, find_target};
    bool joins = run && run->group == r->group && run->axis == r->axis && folds_with_others(run) &&
                 folds_with_others(r) && run->first->run_length < LONGEST_RUN && !is_target(run, r);
    if (joins)
        walk_expr(&w, r->value);
    r->first = joins && run ? c->run->first : r;
    if (r->first != r)
        c->run->next = r;
    r->place = r->first->run_length++;
    c->run = r;
}

/* Of no elements at all, as in front of the first one, the result of these is not 0 and depends on
 * the type. */
static bool shows_type(const struct ez_reduction *r) {
    return (r->scan ? r->exclusive : r->front.count) &&
           (r->kind == REDUCE_MIN || r->kind == REDUCE_MAX || r->kind == REDUCE_AND);
}

/* The type at which it works: the result is what it gives, extended. */
static struct mpu_type working_type(const struct unit *u, const struct ez_reduction *r) {
    struct mpu_type type = r->value->type.type, value = ez_value_type(u, r->group, r->value);
    uint64_t most = r->axis == ARRAY_ALL ? ez_most_elements(u, r->group)
                                         : ez_most_in_extent(u, r->group->layout.extents[r->axis]);
    if (r->kind == REDUCE_PROD)
        return type;
    if (r->kind == REDUCE_COUNT)
        return ez_type_up_to(most, 64);
    if (r->kind == REDUCE_SUM)
        return array_sum_type(value, most, type);
    return shows_type(r) ? type : value;
}

/* min and max of two arguments are values of a lane. */
static void find_reduction_in(void *context, struct expr *e) {
    bool *found = context;
    enum reduction_kind kind = e->kind == EXPR_CALL ? find_reduction(e->name.text) : REDUCE_KINDS;
    bool of_two = e->arg_count == 2 && kind != REDUCE_MIN && kind != REDUCE_MAX;
    *found |=
        is_array_call(e) || is_scan(e) || (kind != REDUCE_KINDS && (e->arg_count == 1 || of_two));
}

bool mentions_reduction(struct expr *e) {
    bool found = false;
    const struct walker w = {&found, NULL, find_reduction_in};
    walk_expr(&w, e);
    return found;
}

static bool check_axis(struct checker *c, struct expr *e, struct ez_reduction *r) {
    uint64_t axis;
    check_expr(c, e);
    if (!check_integer(c, e, 0, r->group->layout.ndim - 1, "the dimension", &axis))
        return false;
    r->axis = (uint32_t)axis;
    return true;
}

/* What stands behind the value of a scan. */
struct scan_words {
    bool kind, axis;
};

static bool report_word(struct checker *c, const struct expr *e, const char *what) {
    diag_error(c->u->diag, e->at, "`scan` has %s already", what);
    return false;
}

static bool check_scan_kind(struct checker *c, const struct expr *e, struct ez_reduction *r,
                            struct scan_words *w) {
    enum reduction_kind kind = find_reduction(e->name.text);
    if (!scans(kind)) {
        diag_error(c->u->diag, e->at,
                   "`scan` goes by sum, prod, min, max, and, or, xor, any or all, not `%s`",
                   e->name.text);
        return false;
    }
    if (w->kind)
        return report_word(c, e, "a kind");
    w->kind = true;
    r->kind = kind;
    return true;
}

static bool check_scan_word(struct checker *c, struct expr *e, struct ez_reduction *r,
                            struct scan_words *w) {
    bool names = e->kind == EXPR_NAME;
    if (names && strcmp(e->name.text, "exclusive") == 0) {
        if (r->exclusive)
            return report_word(c, e, "`exclusive`");
        return r->exclusive = true;
    }
    if (names && (find_reduction(e->name.text) != REDUCE_KINDS || !find_symbol(c, e->name.text)))
        return check_scan_kind(c, e, r, w);
    if (w->axis)
        return report_word(c, e, "a dimension");
    w->axis = true;
    return check_axis(c, e, r);
}

static bool check_scan_words(struct checker *c, struct expr *e, struct ez_reduction *r) {
    struct scan_words w = {0};
    bool right = true;
    for (uint32_t i = 1; i < e->arg_count; i++)
        right &= check_scan_word(c, e->args[i], r, &w);
    return right;
}

/* The arguments: the value and, if wanted, the dimension; of a scan its kind and `exclusive`, too.
 * False after reporting. */
static bool check_arguments(struct checker *c, struct expr *e, struct ez_reduction *r) {
    if (e->arg_count == 0 || e->arg_count > (r->scan ? 4 : 2)) {
        diag_error(c->u->diag, e->at, "`%s` takes %s here, not %u", e->name.text,
                   r->scan ? "a value and, if wanted, a kind, a dimension and `exclusive`"
                           : "a value and, if wanted, a dimension",
                   e->arg_count);
        return false;
    }
    r->group = check_over_group(c, e->args[0]);
    if (!r->group || e->arg_count == 1)
        return r->group != NULL;
    return r->scan ? check_scan_words(c, e, r) : check_axis(c, e->args[1], r);
}

bool check_reduction(struct checker *c, struct stmt *s) {
    struct expr *e = s->value;
    if (e->kind != EXPR_CALL || s->compound)
        return false;
    bool scan = is_scan(e);
    enum reduction_kind kind = scan ? REDUCE_SUM : find_reduction(e->name.text);
    if (kind == REDUCE_KINDS)
        return false;
    struct ez_reduction *r = ARENA_NEW(&c->u->arena, struct ez_reduction);
    *r = (struct ez_reduction){.kind = kind, .scan = scan, .axis = ARRAY_ALL};
    bool right = check_arguments(c, e, r);
    if (right) {
        r->value = e->args[0];
        r->front = check_front(c, r->value, NULL, NULL);
    }
    if (!right || !value_fits(c, r, scan ? reduction_names[r->kind] : e->name.text) ||
        !check_target(c, s, r)) {
        c->incomplete = true;
        c->run = NULL;
        return true;
    }
    if (c->on)
        diag_error(c->u->diag, s->at, "a %s waits for all MPUs: it stands outside of `on`",
                   scan ? "scan" : "reduction");
    r->type = working_type(c->u, r);
    r->value = ez_without_widening(r->value);
    join_run(c, r);
    s->reduction = r;
    return true;
}

/* any(c), all(c), !any(c), !all(c): what stands inside, and whether the jump is taken when some
 * element has it. */
bool check_any(struct checker *c, struct stmt *s) {
    struct expr *e = s->value;
    s->opposite = false;
    while (e->kind == EXPR_UNARY && e->op == UNARY_NOT) {
        s->opposite = !s->opposite;
        e = e->args[0];
    }
    bool all = e->kind == EXPR_CALL && strcmp(e->name.text, "all") == 0;
    bool any = e->kind == EXPR_CALL && strcmp(e->name.text, "any") == 0;
    if ((!all && !any) || e->arg_count != 1)
        return false;
    s->whole = all;
    s->opposite ^= all;
    s->value = e->args[0];
    s->symbol = check_over_group(c, s->value);
    s->front = check_front(c, s->value, NULL, NULL);
    if (s->symbol && !check_bool(c, s->value, all ? "`all`" : "`any`"))
        s->symbol = NULL;
    if (c->on)
        diag_error(c->u->diag, s->at, "`%s` waits for all MPUs: it stands outside of `on`",
                   all ? "all" : "any");
    c->incomplete |= !s->symbol;
    return true;
}

/* SPDX-License-Identifier: MIT
 * Types of expressions.  Numbers take the type of what they meet; a narrower type becomes a wider
 * one of the same sign by itself, and all else is written.  What is constant is worked out. */
#include "stage/checker.h"

#include "support/ieee_text.h"

#include <inttypes.h>
#include <string.h>

static const struct lane_type truth = {TYPE_BOOL, 1};
static const struct lane_type longest = {TYPE_INT, 64};

static bool is_untyped(const struct stage_expr *e) {
    return e->type.bits == 0;
}

static const char *type_name(struct lane_type type, char out[8]) {
    if (type.bits == 0)
        return type.kind == TYPE_FLOAT ? "number with a point" : "number";
    object_type_text(type, out);
    return out;
}

/* ---- constants ---- */

static void become_number(struct stage_expr *e, uint64_t value) {
    e->kind = STAGE_NUMBER;
    e->value = value;
    stage_set_range(e);
}

static bool is_number(const struct stage_expr *e) {
    return e->kind == STAGE_NUMBER;
}

static void fold(struct stage_expr *e) {
    const struct stage_expr *a = e->args[0], *b = e->args[1];
    stage_set_range(e);
    if (e->kind == STAGE_UNARY && is_number(a))
        become_number(e, stage_unary(e->op, a->type, a->value));
    else if (e->kind == STAGE_BINARY && is_number(a) && is_number(b))
        become_number(e, stage_binary(e->op, a->type, a->value, b->value));
    else if (e->kind == STAGE_CAST && is_number(a))
        become_number(e, stage_convert(a->type, e->type, a->value));
    else if (e->kind == STAGE_CHOICE && is_number(a) && is_number(b) && is_number(e->args[2]))
        become_number(e, a->value ? b->value : e->args[2]->value);
}

static struct stage_expr *cast(struct stage_checker *c, struct stage_expr *value,
                               struct lane_type type) {
    struct stage_expr *e = ARENA_NEW(c->arena, struct stage_expr);
    *e = (struct stage_expr){.kind = STAGE_CAST,
                             .op = STAGE_NO_OP,
                             .type = type,
                             .at = value->at,
                             .line = value->line,
                             .depth = value->depth + 1,
                             .next = value->next,
                             .args = {value, NULL, NULL}};
    fold(e);
    return e;
}

/* ---- fitting ---- */

static bool fit_integer(struct stage_checker *c, struct stage_expr *e, struct lane_type type) {
    int64_t value = (int64_t)e->value;
    char name[8];
    bool fine;
    if (object_type_is_float(type)) {
        struct ieee_format format = object_type_format(type);
        e->value = ieee_from_signed(format, value);
        fine = ieee_to_signed(format, e->value, 64, false) == (uint64_t)value;
    } else {
        struct stage_range range = stage_type_range(type);
        fine = range.known ? value >= range.least && value <= range.most : value >= 0;
    }
    e->type = type;
    stage_set_range(e);
    return fine || stage_wrong(c, e->at, "%" PRId64 " is no number of type %s", value,
                               type_name(type, name));
}

static bool fit_real(struct stage_checker *c, struct stage_expr *e, struct lane_type type) {
    char name[8];
    if (!object_type_is_float(type))
        return stage_wrong(c, e->at, "a number with a point is none of type %s",
                           type_name(type, name));
    enum ieee_reading reading =
        ieee_parse(object_type_format(type), e->text, strlen(e->text), &e->value);
    e->type = type;
    e->range.known = false;
    return reading == IEEE_NUMBER ||
           stage_wrong(c, e->at, "'%s' is no number of type %s", e->text, type_name(type, name));
}

/* Without a word between them. */
static bool becomes(struct lane_type from, struct lane_type to) {
    if (from.kind == TYPE_BOOL)
        return stage_is_integer(to);
    if (object_type_is_float(from))
        return to.kind == TYPE_FLOAT && from.bits < to.bits;
    return from.kind == to.kind && from.bits <= to.bits;
}

bool stage_fit(struct stage_checker *c, struct stage_expr **at, struct lane_type type) {
    struct stage_expr *e = *at;
    char from[8], to[8];
    if (is_untyped(e) && e->kind == STAGE_CHOICE) {
        e->type = type;
        if (!stage_fit(c, &e->args[1], type) || !stage_fit(c, &e->args[2], type))
            return false;
        fold(e);
        return true;
    }
    if (is_untyped(e))
        return e->type.kind == TYPE_FLOAT ? fit_real(c, e, type) : fit_integer(c, e, type);
    if (stage_same_type(e->type, type))
        return true;
    if (!becomes(e->type, type)) {
        type_name(type, to);
        return stage_wrong(c, e->at, "a value of type %s becomes no %s by itself: write (%s)",
                           type_name(e->type, from), to, to);
    }
    *at = cast(c, e, type);
    return true;
}

/* A choice between numbers has no value to work with before it has a type. */
static bool settle(struct stage_checker *c, struct stage_expr **at) {
    const struct lane_type wide = {TYPE_FLOAT, 64};
    struct stage_expr *e = *at;
    return !is_untyped(e) || is_number(e) ||
           stage_fit(c, at, e->type.kind == TYPE_FLOAT ? wide : longest);
}

/* ---- operations ---- */

static bool fold_untyped(struct stage_checker *c, struct stage_expr *e) {
    int64_t l = (int64_t)e->args[0]->value, r = (int64_t)e->args[1]->value, sum = 0;
    bool over = e->op == STAGE_ADD   ? __builtin_add_overflow(l, r, &sum)
                : e->op == STAGE_SUB ? __builtin_sub_overflow(l, r, &sum)
                : e->op == STAGE_MUL ? __builtin_mul_overflow(l, r, &sum)
                                     : false;
    if (e->op == STAGE_SHL)
        over = r < 0 || r > 62 || l < 0 || l > INT64_MAX >> r;
    if (over)
        return stage_wrong(c, e->at, "the constant has more than 64 bits");
    e->type = e->op >= STAGE_EQ ? truth : (struct lane_type){TYPE_INT, 0};
    become_number(e, stage_binary(e->op, longest, (uint64_t)l, (uint64_t)r));
    e->range = (struct stage_range){true, (int64_t)e->value, (int64_t)e->value};
    return true;
}

static bool mixed(struct stage_checker *c, const struct stage_expr *e) {
    char left[8], right[8];
    type_name(e->args[0]->type, left);
    type_name(e->args[1]->type, right);
    return stage_wrong(c, e->at, "%s and %s are mixed: write (%s) or (%s) where it is meant", left,
                       right, left, right);
}

/* Both operands of one type. */
static bool level(struct stage_checker *c, struct stage_expr *e, struct stage_expr **left,
                  struct stage_expr **right) {
    const struct lane_type wide = {TYPE_FLOAT, 64};
    struct lane_type l = (*left)->type, r = (*right)->type;
    if (l.bits == 0 && r.bits == 0)
        return stage_fit(c, left, wide) && stage_fit(c, right, wide);
    if (l.bits == 0)
        return stage_fit(c, left, r);
    if (r.bits == 0)
        return stage_fit(c, right, l);
    if (stage_same_type(l, r))
        return true;
    if (becomes(l, r))
        return stage_fit(c, left, r);
    return becomes(r, l) ? stage_fit(c, right, l) : mixed(c, e);
}

static bool takes(enum stage_op op, struct lane_type type) {
    bool is_float = object_type_is_float(type), is_truth = type.kind == TYPE_BOOL;
    switch (op) {
    case STAGE_ADD:
    case STAGE_SUB:
    case STAGE_MUL:
    case STAGE_DIV:
    case STAGE_MIN:
    case STAGE_MAX:
    case STAGE_NEGATE:
    case STAGE_ABS:
    case STAGE_LT:
    case STAGE_LE:
    case STAGE_GT:
    case STAGE_GE:
        return !is_truth;
    case STAGE_SQRT:
        return is_float;
    case STAGE_AND:
    case STAGE_OR:
    case STAGE_XOR:
    case STAGE_EQ:
    case STAGE_NE:
        return !is_float || op >= STAGE_EQ;
    default:
        return !is_float && !is_truth;
    }
}

static bool refuse(struct stage_checker *c, const struct stage_expr *e, struct lane_type type) {
    char name[8];
    return stage_wrong(c, e->at, "there is no `%s` of type %s", stage_op_text(e->op),
                       type_name(type, name));
}

static bool check_shift(struct stage_checker *c, struct stage_expr *e) {
    struct stage_expr **left = &e->args[0], **right = &e->args[1];
    if (is_untyped(*left) && !stage_fit(c, left, is_untyped(*right) ? longest : (*right)->type))
        return false;
    if (is_untyped(*right) && !stage_fit(c, right, longest))
        return false;
    e->type = (*left)->type;
    return stage_is_integer((*right)->type) ? takes(e->op, e->type) || refuse(c, e, e->type)
                                            : refuse(c, e, (*right)->type);
}

/* Of operands that are checked. */
static bool check_operation(struct stage_checker *c, struct stage_expr *e) {
    struct stage_expr **left = &e->args[0], **right = &e->args[1];
    if (is_untyped(*left) && is_untyped(*right) && (!settle(c, left) || !settle(c, right)))
        return false;
    bool integers = is_untyped(*left) && is_untyped(*right) && (*left)->type.kind == TYPE_INT &&
                    (*right)->type.kind == TYPE_INT;
    if (integers)
        return fold_untyped(c, e);
    if (e->op == STAGE_SHL || e->op == STAGE_SHR) {
        if (!check_shift(c, e))
            return false;
    } else if (!level(c, e, left, right)) {
        return false;
    } else if (!takes(e->op, (*left)->type)) {
        return refuse(c, e, (*left)->type);
    } else {
        e->type = e->op >= STAGE_EQ ? truth : (*left)->type;
    }
    fold(e);
    return true;
}

struct stage_expr *stage_operate(struct stage_checker *c, struct span at, uint32_t line,
                                 enum stage_op op, struct stage_expr *left,
                                 struct stage_expr *right) {
    struct stage_expr *e = ARENA_NEW(c->arena, struct stage_expr);
    *e = (struct stage_expr){.kind = STAGE_BINARY,
                             .op = op,
                             .at = at,
                             .line = line,
                             .depth = (left->depth > right->depth ? left : right)->depth + 1,
                             .args = {left, right, NULL}};
    return check_operation(c, e) ? e : NULL;
}

static bool check_binary(struct stage_checker *c, struct stage_expr *e) {
    if (e->op == STAGE_BOTH || e->op == STAGE_EITHER) {
        bool fine = stage_check_condition(c, &e->args[0]);
        fine &= stage_check_condition(c, &e->args[1]);
        e->type = truth;
        if (fine)
            fold(e);
        return fine;
    }
    return stage_check_value(c, &e->args[0]) && stage_check_value(c, &e->args[1]) &&
           check_operation(c, e);
}

/* -3, and what other operations make of numbers that have no type yet. */
static bool check_untyped_unary(struct stage_checker *c, struct stage_expr *e) {
    const struct stage_expr *a = e->args[0];
    if (a->type.kind == TYPE_FLOAT && e->op == STAGE_NEGATE) {
        e->kind = STAGE_NUMBER;
        e->type = a->type;
        e->text = a->text[0] == '-' ? a->text + 1 : arena_printf(c->arena, "-%s", a->text);
        return true;
    }
    if (a->type.kind == TYPE_FLOAT) {
        if (!stage_fit(c, &e->args[0], (struct lane_type){TYPE_FLOAT, 64}))
            return false;
        e->type = e->args[0]->type;
        return takes(e->op, e->type) ? (fold(e), true) : refuse(c, e, e->type);
    }
    if (e->op == STAGE_SQRT)
        return stage_wrong(c, e->at, "there is no `sqrt` of a number without a point");
    e->type = (struct lane_type){TYPE_INT, 0};
    become_number(e, stage_unary(e->op, longest, a->value));
    e->range = (struct stage_range){true, (int64_t)e->value, (int64_t)e->value};
    return true;
}

static bool check_unary(struct stage_checker *c, struct stage_expr *e) {
    if (e->op == STAGE_NOT) {
        e->type = truth;
        return stage_check_condition(c, &e->args[0]) ? (fold(e), true) : false;
    }
    if (!stage_check_value(c, &e->args[0]) || !settle(c, &e->args[0]))
        return false;
    if (is_untyped(e->args[0]))
        return check_untyped_unary(c, e);
    e->type = e->args[0]->type;
    if (!takes(e->op, e->type))
        return refuse(c, e, e->type);
    fold(e);
    return true;
}

static bool check_choice(struct stage_checker *c, struct stage_expr *e) {
    if (!stage_check_condition(c, &e->args[0]) || !stage_check_value(c, &e->args[1]) ||
        !stage_check_value(c, &e->args[2]))
        return false;
    if (is_untyped(e->args[1]) && is_untyped(e->args[2])) { /* as the type around it says */
        bool real = e->args[1]->type.kind == TYPE_FLOAT || e->args[2]->type.kind == TYPE_FLOAT;
        e->type = (struct lane_type){real ? TYPE_FLOAT : TYPE_INT, 0};
        stage_set_range(e);
        return true;
    }
    struct stage_expr pair = {.at = e->at, .args = {e->args[1], e->args[2], NULL}};
    if (!level(c, &pair, &e->args[1], &e->args[2]))
        return false;
    e->type = e->args[1]->type;
    fold(e);
    return true;
}

static bool check_cast(struct stage_checker *c, struct stage_expr *e) {
    struct lane_type type = e->type, from;
    char name[8], to[8];
    if (!stage_check_value(c, &e->args[0]))
        return false;
    if (is_untyped(e->args[0]) &&
        !stage_fit(c, &e->args[0],
                   e->args[0]->type.kind == TYPE_INT ? longest
                   : object_type_is_float(type)      ? type
                                                     : (struct lane_type){TYPE_FLOAT, 64}))
        return false;
    from = e->args[0]->type;
    bool truths = from.kind == TYPE_BOOL || type.kind == TYPE_BOOL;
    if (truths && (object_type_is_float(from) || object_type_is_float(type))) {
        type_name(type, to);
        return stage_wrong(c, e->at, "a value of type %s makes no %s", type_name(from, name), to);
    }
    fold(e);
    return true;
}

/* ---- names ---- */

static bool check_name(struct stage_checker *c, struct stage_expr *e) {
    e->of = stage_find(c, e->text, e->at);
    if (!e->of)
        return false;
    if (e->of->kind != STAGE_LOCAL && e->of->kind != STAGE_SCALAR)
        return stage_wrong(c, e->at,
                           "pointers are not kept: '%s' is an array, and %s[k] an element of it",
                           e->text, e->text);
    e->type = e->of->type;
    if (e->of->kind == STAGE_LOCAL && e->of->constant && e->of->elements)
        become_number(e, e->of->elements[0]);
    else
        stage_set_range(e);
    return true;
}

/* What may be of these elements. */
static uint64_t elements_of(const struct stage_name *name) {
    return name->kind == STAGE_PARAM || name->kind == STAGE_OTHER
               ? name->param->count ? name->param->count : UINT64_MAX
               : name->count;
}

static bool check_element(struct stage_checker *c, struct stage_expr *e) {
    e->of = stage_find(c, e->text, e->at);
    if (!e->of)
        return false;
    if (e->of->kind == STAGE_LOCAL || e->of->kind == STAGE_SCALAR)
        return stage_wrong(c, e->at, "'%s' is a number: it has no elements", e->text);
    if (!stage_check_value(c, &e->args[0]))
        return false;
    if (!stage_is_integer(e->args[0]->type))
        return stage_wrong(c, e->args[0]->at, "an index is an integer");
    if (is_untyped(e->args[0]) && !stage_fit(c, &e->args[0], longest))
        return false;
    struct stage_range index = e->args[0]->range;
    uint64_t count = elements_of(e->of);
    e->type = e->of->type;
    if (is_number(e->args[0]) && !index.known)
        return stage_wrong(c, e->args[0]->at, "nothing has this many elements");
    if (index.known && (index.most < 0 || (index.least >= 0 && (uint64_t)index.least >= count)))
        return stage_wrong(
            c, e->args[0]->at,
            "index %" PRId64 " is outside of '%s', of which %" PRIu64 " element%s can be seen",
            index.most < 0 ? index.most : index.least, e->text, count, count == 1 ? "" : "s");
    e->inside =
        index.known && index.least >= 0 && (uint64_t)index.most < count && count != UINT64_MAX;
    if (is_number(e->args[0]) && e->of->constant && e->of->elements)
        become_number(e, e->of->elements[e->args[0]->value]);
    else
        stage_set_range(e);
    return true;
}

bool stage_check_value(struct stage_checker *c, struct stage_expr **at) {
    struct stage_expr *e = *at;
    switch (e->kind) {
    case STAGE_NUMBER:
        if (!is_untyped(e))
            stage_set_range(e);
        return true;
    case STAGE_NAME:
        return check_name(c, e);
    case STAGE_ELEMENT:
        if (!check_element(c, e))
            return false;
        if (e->kind == STAGE_ELEMENT && e->of->param && e->of->param->role == STAGE_ACC)
            e->of->param->reads++;
        return true;
    case STAGE_UNARY:
        return check_unary(c, e);
    case STAGE_BINARY:
        return check_binary(c, e);
    case STAGE_CHOICE:
        return check_choice(c, e);
    case STAGE_CAST:
        return check_cast(c, e);
    default: /* a call, which was reported */
        return false;
    }
}

bool stage_check_as(struct stage_checker *c, struct stage_expr **at, struct lane_type type) {
    return stage_check_value(c, at) && stage_fit(c, at, type);
}

bool stage_check_condition(struct stage_checker *c, struct stage_expr **at) {
    if (!stage_check_value(c, at) || !settle(c, at))
        return false;
    struct stage_expr *e = *at;
    if (e->type.kind == TYPE_BOOL)
        return true;
    if (object_type_is_float(e->type))
        return stage_wrong(c, e->at, "a float is no condition: write what it is compared with");
    if (is_untyped(e)) {
        e->type = truth;
        become_number(e, e->value != 0);
        return true;
    }
    struct stage_expr *zero = ARENA_NEW(c->arena, struct stage_expr);
    *zero = (struct stage_expr){
        .kind = STAGE_NUMBER, .op = STAGE_NO_OP, .type = e->type, .at = e->at, .line = e->line};
    stage_set_range(zero);
    *at = stage_operate(c, e->at, e->line, STAGE_NE, e, zero);
    return *at != NULL;
}

bool stage_check_target(struct stage_checker *c, struct stage_expr *e) {
    if (e->kind == STAGE_NAME) {
        e->of = stage_find(c, e->text, e->at);
        if (!e->of)
            return false;
        if (e->of->kind != STAGE_LOCAL && e->of->kind != STAGE_SCALAR)
            return stage_wrong(c, e->at, "'%s' is an array: %s[k] is an element of it", e->text,
                               e->text);
        e->type = e->of->type;
        e->of->assigned = true;
        stage_set_range(e);
        return (e->of->kind == STAGE_LOCAL && !e->of->constant) ||
               stage_wrong(c, e->at, "'%s' is not changed by a body", e->text);
    }
    if (!check_element(c, e))
        return false;
    const struct stage_name *n = e->of;
    bool reads =
        n->kind == STAGE_OTHER ||
        (n->kind == STAGE_PARAM && (n->param->role == STAGE_IN || n->param->role == STAGE_WHOLE));
    if (n->constant || reads || e->kind == STAGE_NUMBER)
        return stage_wrong(c, e->at, "'%s' is only read here%s", n->text,
                           n->kind == STAGE_PARAM && n->param->role == STAGE_IN
                               ? ": `inout` is an array of a map that is changed"
                               : "");
    if (n->kind == STAGE_PARAM && c->in_combine && n->param->role != STAGE_ACC)
        return stage_wrong(c, e->at, "`combine` changes accumulators alone");
    e->of->assigned = true;
    return true;
}

bool stage_check_constant(struct stage_checker *c, struct stage_expr **at, const char *what,
                          int64_t least, int64_t most, int64_t *value) {
    if (!stage_check_value(c, at))
        return false;
    if (!is_number(*at) || object_type_is_float((*at)->type) || (*at)->type.kind == TYPE_BOOL)
        return stage_wrong(c, (*at)->at, "%s is a constant integer", what);
    if (!(*at)->range.known || (*at)->range.least < least || (*at)->range.most > most)
        return stage_wrong(c, (*at)->at, "%s is from %" PRId64 " to %" PRId64, what, least, most);
    *value = (*at)->range.least;
    return true;
}

bool stage_same_expr(const struct stage_expr *left, const struct stage_expr *right) {
    if (!left || !right)
        return left == right;
    if (left->kind != right->kind || left->op != right->op || left->of != right->of ||
        !stage_same_type(left->type, right->type) ||
        (left->kind == STAGE_NUMBER && left->value != right->value))
        return false;
    for (unsigned i = 0; i < 3 && left->kind != STAGE_NUMBER; i++)
        if (!stage_same_expr(left->args[i], right->args[i]))
            return false;
    return true;
}

/* SPDX-License-Identifier: MIT
 * Operations element by element: what they are in instructions, and between which numbers their
 * results lie. */
#include "ezpim/np/unit.h"
#include "support/bits.h"

#include <string.h>

static const struct mpu_type one_bit = {TYPE_UINT, 1};

/* ---- instructions ---- */

static uint32_t put(struct np_unit *u, enum ir_op op, struct mpu_type type, uint32_t dst,
                    uint32_t a, uint32_t b, struct span at) {
    return ir_operation(&u->b, op, type, dst, a, b, IR_NONE, 0, at);
}

/* By 0 NumPy gives 0. */
static uint32_t divide(struct np_unit *u, enum ir_op op, struct mpu_type type, const uint32_t *args,
                       uint32_t dst, struct span at) {
    uint32_t value = put(u, op, type, IR_NONE, args[0], args[1], at);
    uint32_t zero = ir_constant(&u->b, type, 0, IR_NONE, at);
    uint32_t none = put(u, IR_EQ, type, IR_NONE, args[1], zero, at);
    return ir_operation(&u->b, IR_SELECT, type, dst, none, zero, value, 0, at);
}

static uint32_t sign(struct np_unit *u, struct mpu_type type, uint32_t a, uint32_t dst,
                     struct span at) {
    uint32_t zero = ir_constant(&u->b, type, 0, IR_NONE, at);
    uint32_t more = put(u, IR_NE, type, IR_NONE, a, zero, at);
    if (type.kind == TYPE_UINT)
        return ir_convert(&u->b, more, one_bit, type, dst, at);
    uint32_t less = put(u, IR_LT, type, IR_NONE, a, zero, at);
    uint32_t one = ir_convert(&u->b, more, one_bit, type, IR_NONE, at);
    uint32_t minus = ir_constant(&u->b, type, low_bits(type.bits), IR_NONE, at);
    return ir_operation(&u->b, IR_SELECT, type, dst, less, minus, one, 0, at);
}

/* By squares; dst is written last. */
static uint32_t power(struct np_unit *u, struct mpu_type type, uint32_t a, uint64_t n, uint32_t dst,
                      struct span at) {
    uint32_t result = IR_NONE;
    if (n == 0)
        return ir_constant(&u->b, type, 1, dst, at);
    if (n == 1)
        return ir_convert(&u->b, a, type, type, dst, at);
    for (; n > 1 || result == IR_NONE; n /= 2) {
        if (n & 1)
            result = result == IR_NONE ? a : put(u, IR_MUL, type, IR_NONE, result, a, at);
        if (n == 1)
            break;
        a = put(u, IR_MUL, type, n == 2 && result == IR_NONE ? dst : IR_NONE, a, a, at);
        if (n == 2 && result == IR_NONE)
            return a;
    }
    return put(u, IR_MUL, type, dst, result, a, at);
}

static uint32_t cast(struct np_unit *u, uint32_t a, struct mpu_type from, struct mpu_type to,
                     uint32_t dst, struct span at) {
    if (np_is_bool(to) && !np_is_bool(from))
        return put(u, IR_NE, from, dst, a, ir_constant(&u->b, from, 0, IR_NONE, at), at);
    return ir_convert(&u->b, a, np_is_bool(from) ? one_bit : from, to, dst, at);
}

static enum ir_op ir_op_of(enum np_operator op, bool is_bool) {
    static const uint8_t ops[] = {[NP_OP_ADD] = IR_ADD,      [NP_OP_SUB] = IR_SUB,
                                  [NP_OP_MUL] = IR_MUL,      [NP_OP_AND] = IR_AND,
                                  [NP_OP_OR] = IR_OR,        [NP_OP_XOR] = IR_XOR,
                                  [NP_OP_SHL] = IR_SHL,      [NP_OP_SHR] = IR_SHR,
                                  [NP_OP_EQ] = IR_EQ,        [NP_OP_NE] = IR_NE,
                                  [NP_OP_LT] = IR_LT,        [NP_OP_LE] = IR_LE,
                                  [NP_OP_GT] = IR_GT,        [NP_OP_GE] = IR_GE,
                                  [NP_OP_NEG] = IR_NEG,      [NP_OP_MIN] = IR_MIN,
                                  [NP_OP_MAX] = IR_MAX,      [NP_OP_INVERT] = IR_NOT,
                                  [NP_OP_MOD] = IR_FLOORMOD, [NP_OP_FLOORDIV] = IR_FLOORDIV};
    if (is_bool && (op == NP_OP_MIN || op == NP_OP_MAX))
        return op == NP_OP_MIN ? IR_AND : IR_OR;
    return (enum ir_op)ops[op];
}

uint32_t np_emit(struct np_unit *u, enum np_operator op, struct mpu_type operand,
                 struct mpu_type result, const uint32_t *args, uint64_t exponent, uint32_t dst,
                 struct span at) {
    struct mpu_type type = operand;
    if (np_is_bool(type) && op >= NP_OP_EQ && op <= NP_OP_GE)
        type = one_bit;
    switch (op) {
    case NP_OP_FLOORDIV:
    case NP_OP_MOD:
        return divide(u, ir_op_of(op, false), type, args, dst, at);
    case NP_OP_PLUS:
        return ir_convert(&u->b, args[0], type, type, dst, at);
    case NP_OP_NEG:
    case NP_OP_INVERT:
        return put(u, ir_op_of(op, false), type, dst, args[0], IR_NONE, at);
    case NP_OP_ABS:
        if (type.kind != TYPE_INT)
            return ir_convert(&u->b, args[0], type, type, dst, at);
        return put(u, IR_MAX, type, dst, args[0],
                   put(u, IR_NEG, type, IR_NONE, args[0], IR_NONE, at), at);
    case NP_OP_SIGN:
        return sign(u, type, args[0], dst, at);
    case NP_OP_POW:
        return power(u, type, args[0], exponent, dst, at);
    case NP_OP_CAST:
        return cast(u, args[0], operand, result, dst, at);
    case NP_OP_WHERE:
        return ir_operation(&u->b, IR_SELECT, result, dst, args[0], args[1], args[2], 0, at);
    default:
        return put(u, ir_op_of(op, np_is_bool(type)), type, dst, args[0], args[1], at);
    }
}

static unsigned args_of(const struct np_uniform *x) {
    unsigned n = 0;
    while (n < 3 && x->args[n])
        n++;
    return n;
}

uint32_t np_put_uniform(struct np_unit *u, const struct np_uniform *x, uint32_t dst,
                        struct span at) {
    uint32_t args[3] = {IR_NONE, IR_NONE, IR_NONE};
    if (x->kind == NP_UNIFORM_CONSTANT)
        return ir_constant(&u->b, x->type, x->pattern, dst, at);
    if (x->kind == NP_UNIFORM_LINK) {
        dst =
            ir_operation(&u->b, IR_VALUE, x->type, dst, IR_NONE, IR_NONE, IR_NONE, x->element, at);
        vec_last(&u->b.code->insns).size = x->link;
        return dst;
    }
    if (x->kind == NP_UNIFORM_COUNTER)
        return ir_convert(&u->b, ir_element(&u->b, x->link, 0), x->type, x->type, dst, at);
    for (unsigned i = 0; i < args_of(x); i++)
        args[i] = np_put_uniform(u, x->args[i], IR_NONE, at);
    return np_emit(u, x->op, x->operand, x->type, args, x->exponent, dst, at);
}

/* ---- ranges ---- */

/* Products of what 64 bits hold may not fit; what is beyond the type is its whole range. */
static struct np_range hull(const np_int *v, unsigned n) {
    struct np_range r = {v[0], v[0]};
    for (unsigned i = 1; i < n; i++) {
        r.low = v[i] < r.low ? v[i] : r.low;
        r.high = v[i] > r.high ? v[i] : r.high;
    }
    return r;
}

static struct np_range of_product(struct np_range a, struct np_range b) {
    const np_int most = (np_int)1 << 62;
    if (a.low < -most || a.high > most || b.low < -most || b.high > most)
        return (struct np_range){-2 * most * most, 2 * most * most};
    return hull((const np_int[]){a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high},
                4);
}

static np_int floor_div(np_int a, np_int b) {
    np_int q = a / b;
    return q * b > a ? q - 1 : q;
}

/* By one positive divisor. */
static bool divisor_of(struct np_range b, np_int *d) {
    *d = b.low;
    return b.low == b.high && b.low > 0;
}

static np_int ones_above(np_int v) {
    np_int x = 1;
    while (x <= v)
        x *= 2;
    return x - 1;
}

static struct np_range of_bits(enum np_operator op, struct np_range a, struct np_range b,
                               struct np_range all) {
    bool plain = a.low >= 0 && b.low >= 0;
    if (op == NP_OP_AND && (a.low >= 0 || b.low >= 0)) {
        np_int x = a.low < 0 ? b.high : b.low < 0 ? a.high : a.high < b.high ? a.high : b.high;
        return (struct np_range){0, x};
    }
    if (plain)
        return (struct np_range){0, ones_above(a.high > b.high ? a.high : b.high)};
    return all;
}

static struct np_range of_shift(enum np_operator op, struct np_range a, struct np_range b,
                                struct np_range all) {
    np_int by = b.low;
    if (b.low != b.high || by < 0 || by > 62)
        return op == NP_OP_SHR && a.low >= 0 ? (struct np_range){0, a.high} : all;
    if (op == NP_OP_SHR)
        return (struct np_range){a.low >> by, a.high >> by};
    return of_product(a, (struct np_range){(np_int)1 << by, (np_int)1 << by});
}

static struct np_range exact_range(enum np_operator op, const struct np_range *r,
                                   struct np_range all) {
    np_int d, most;
    switch (op) {
    case NP_OP_ADD:
        return (struct np_range){r[0].low + r[1].low, r[0].high + r[1].high};
    case NP_OP_SUB:
        return (struct np_range){r[0].low - r[1].high, r[0].high - r[1].low};
    case NP_OP_MUL:
        return of_product(r[0], r[1]);
    case NP_OP_FLOORDIV:
        if (divisor_of(r[1], &d))
            return (struct np_range){floor_div(r[0].low, d), floor_div(r[0].high, d)};
        return all;
    case NP_OP_MOD:
        if (divisor_of(r[1], &d))
            return (struct np_range){0, r[0].low >= 0 && r[0].high < d ? r[0].high : d - 1};
        return all;
    case NP_OP_AND:
    case NP_OP_OR:
    case NP_OP_XOR:
        return of_bits(op, r[0], r[1], all);
    case NP_OP_SHL:
    case NP_OP_SHR:
        return of_shift(op, r[0], r[1], all);
    case NP_OP_NEG:
        return (struct np_range){-r[0].high, -r[0].low};
    case NP_OP_PLUS:
    case NP_OP_CAST:
        return r[0];
    case NP_OP_ABS:
        most = r[0].high > -r[0].low ? r[0].high : -r[0].low;
        return (struct np_range){r[0].low > 0 ? r[0].low : 0, most};
    case NP_OP_SIGN:
        return (struct np_range){r[0].low < 0 ? -1 : 0, 1};
    case NP_OP_MIN:
        return (struct np_range){r[0].low < r[1].low ? r[0].low : r[1].low,
                                 r[0].high < r[1].high ? r[0].high : r[1].high};
    case NP_OP_MAX:
        return (struct np_range){r[0].low > r[1].low ? r[0].low : r[1].low,
                                 r[0].high > r[1].high ? r[0].high : r[1].high};
    case NP_OP_WHERE:
        return hull((const np_int[]){r[1].low, r[1].high, r[2].low, r[2].high}, 4);
    default:
        return all;
    }
}

static struct np_range range_of(enum np_operator op, uint32_t count, struct np_array *const *args,
                                struct mpu_type result) {
    struct np_range r[3] = {{0, 0}, {0, 0}, {0, 0}}, all = np_type_range(result);
    for (uint32_t i = 0; i < count; i++)
        r[i] = args[i]->range;
    struct np_range x = exact_range(op, r, all);
    return np_range_within(x, all) ? x : all;
}

/* ---- shapes ---- */

void np_goes_not_into(struct np_unit *u, const struct np_array *x, uint32_t ndim,
                      const uint64_t *shape, struct span at) {
    struct str into = {0};
    np_shape_text(ndim, shape, &into);
    np_error(u, at, "shape %s does not go into shape %s", np_shape_string(u, x), str_text(&into));
    np_note(u, x->at, "shape %s is made here", np_shape_string(u, x));
    str_free(&into);
}

static void shapes_differ(struct np_unit *u, const struct np_array *a, const struct np_array *b,
                          struct span at) {
    struct str x = {0}, y = {0};
    np_shape_text(a->ndim, a->shape, &x);
    np_shape_text(b->ndim, b->shape, &y);
    np_error(u, at, "shapes %s and %s do not go together", str_text(&x), str_text(&y));
    np_note(u, a->at, "shape %s is made here", str_text(&x));
    np_note(u, b->at, "shape %s is made here", str_text(&y));
    str_free(&x);
    str_free(&y);
}

/* From the last axis on: equal, or one of them 1. */
bool np_broadcast(struct np_unit *u, uint32_t count, struct np_array *const *args, uint32_t *ndim,
                  uint64_t *shape, struct span at) {
    const struct np_array *widest = args[0];
    for (uint32_t i = 1; i < count; i++)
        widest = args[i]->ndim > widest->ndim ? args[i] : widest;
    *ndim = widest->ndim;
    memcpy(shape, widest->shape, sizeof widest->shape);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t v = 0; v < args[i]->ndim; v++) {
            uint64_t *n = &shape[v + *ndim - args[i]->ndim], own = args[i]->shape[v];
            if (*n != own && *n != 1 && own != 1) {
                shapes_differ(u, args[i], i || count < 2 ? args[0] : args[1], at);
                return false;
            }
            *n = *n == 1 ? own : *n;
        }
    if (np_elements(*ndim, shape) <= OBJECT_MAX_EXTENT)
        return true;
    np_error(u, at, "the result has more than 2^40 elements");
    return false;
}

/* ---- arrays ---- */

static bool all_uniform(uint32_t count, struct np_array *const *args) {
    for (uint32_t i = 0; i < count; i++)
        if (!args[i]->uniform)
            return false;
    return true;
}

/* What an operation works on: of `where` what it chooses between. */
static struct mpu_type operand_type(enum np_operator op, struct np_array *const *args) {
    return op == NP_OP_WHERE ? args[1]->type : args[0]->type;
}

static struct np_array *put_off(struct np_unit *u, enum np_operator op, uint32_t count,
                                struct np_array *const *args, struct mpu_type result,
                                uint64_t exponent, struct span at) {
    struct np_uniform *x = ARENA_NEW(&u->arena, struct np_uniform);
    *x = (struct np_uniform){.kind = NP_UNIFORM_OPERATION,
                             .type = result,
                             .op = op,
                             .operand = operand_type(op, args),
                             .exponent = exponent};
    for (uint32_t i = 0; i < count; i++)
        x->args[i] = args[i]->uniform;
    struct np_array *a = np_uniform_array(u, x, at);
    a->range = range_of(op, count, args, result);
    return a;
}

/* An operation at work. */
struct operation {
    enum np_operator op;
    uint32_t count;
    struct np_array *args[3];
    struct mpu_type operand, result;
    uint64_t exponent;
    struct span at;
};

/* One register of the result, over its lanes. */
static bool put_result(struct np_unit *u, const struct operation *o, struct np_storage *s,
                       uint32_t register_, uint32_t ndim, const uint64_t *shape) {
    uint32_t variable[3], element[3], vregs[3] = {IR_NONE, IR_NONE, IR_NONE};
    for (uint32_t i = 0; i < o->count; i++)
        if (!o->args[i]->uniform &&
            !np_fetch(u, o->args[i], ndim, shape, o->at, &variable[i], &element[i]))
            return false;
    np_begin(u, ndim, shape, o->at);
    for (uint32_t i = 0; i < o->count; i++)
        vregs[i] = o->args[i]->uniform ? np_put_uniform(u, o->args[i]->uniform, IR_NONE, o->at)
                                       : ir_element(&u->b, variable[i], element[i]);
    np_emit(u, o->op, o->operand, o->result, vregs, o->exponent,
            ir_element(&u->b, s->variable, register_), o->at);
    return true;
}

bool np_put_register(struct np_unit *u, const struct np_array *from, struct np_storage *into,
                     uint32_t element, struct span at) {
    uint64_t shape[NP_DIMS];
    const struct operation copy = {.op = NP_OP_PLUS,
                                   .count = 1,
                                   .args = {(struct np_array *)(uintptr_t)from},
                                   .operand = from->type,
                                   .result = from->type,
                                   .at = at};
    uint32_t ndim = np_lane_shape(into, shape);
    bool good = put_result(u, &copy, into, element, ndim, shape);
    np_touch(u, into, at);
    return good;
}

/* Each register by itself.  What is written must not be read by another register's turn. */
static bool put_results(struct np_unit *u, const struct operation *o, struct np_storage *s) {
    struct operation part = *o, whole = *o;
    uint64_t shape[NP_DIMS];
    uint32_t ndim = np_lane_shape(s, shape);
    for (uint32_t i = 0; i < o->count; i++)
        if (s->lay.count > 1 && o->args[i]->root == s && !np_is_storage(o->args[i])) {
            if (!np_readable(u, o->args[i], o->at))
                return false;
            whole.args[i] = np_kept(u, o->args[i], o->at);
        }
    for (uint32_t j = 0; j < s->lay.count; j++) {
        for (uint32_t i = 0; i < o->count; i++)
            part.args[i] = np_part(u, whole.args[i], s, j);
        if (!put_result(u, &part, s, j, ndim, shape))
            return false;
    }
    return true;
}

static void note_operands(struct np_unit *u, uint32_t count, struct np_array *const *args,
                          const struct np_storage *y) {
    for (uint32_t i = 0; i < count; i++) {
        int target[NP_DIMS];
        for (uint32_t v = 0; v < NP_DIMS; v++)
            target[v] = (int)(v + y->ndim - args[i]->ndim);
        np_note_meeting(u, args[i], y, target);
    }
}

struct np_array *np_elementwise(struct np_unit *u, enum np_operator op, uint32_t count,
                                struct np_array *const *args, struct mpu_type result,
                                uint64_t exponent, struct np_storage *into, struct span at) {
    struct operation o = {.op = op, .count = count, .result = result, .exponent = exponent};
    uint32_t ndim;
    uint64_t shape[NP_DIMS];
    if (!into && all_uniform(count, args))
        return put_off(u, op, count, args, result, exponent, at);
    if (!np_broadcast(u, count, args, &ndim, shape, at))
        return NULL;
    if (into)
        np_catch_up(u);
    o.at = at;
    o.operand = operand_type(op, args);
    memcpy(o.args, args, count * sizeof *args);
    struct np_range range = range_of(op, count, args, result);
    struct np_array *a = into ? np_whole(u, into, at) : np_free_array(u, result, ndim, shape, at);
    note_operands(u, count, args, a->root);
    if (!put_results(u, &o, a->root))
        return NULL;
    if (into)
        np_touch(u, into, at);
    a->range = range;
    return a;
}

struct np_array *np_cast(struct np_unit *u, struct np_array *a, struct mpu_type type,
                         struct span at) {
    return np_elementwise(u, NP_OP_CAST, 1, &a, type, 0, NULL, at);
}

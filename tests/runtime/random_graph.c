/* SPDX-License-Identifier: MIT
 * All operations element by element as the host works them out, and steps that draw them. */
#include "random_graph.h"
#include "tests/float/functions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what operations are, by the host ---- */

bool graph_is_float(mpu_vtype t) {
    return t.kind >= MPU_KIND_FLOAT;
}

struct ieee_format graph_format_of(mpu_vtype t) {
    return t.kind == MPU_KIND_BFLOAT ? IEEE_BFLOAT16 : ieee_binary(t.bits);
}

graph_wide graph_number(uint64_t x, mpu_vtype t) {
    return t.kind == MPU_KIND_INT ? (graph_wide)sign_extend(x, t.bits) : (graph_wide)x;
}

static graph_wide floor_div(graph_wide a, graph_wide b) {
    graph_wide q = a / b;
    return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

static graph_wide divide(mpu_op op, graph_wide a, graph_wide b) {
    if (b == 0)
        return op == MPU_OP_DIV || op == MPU_OP_FLOORDIV ? -1 : a;
    return op == MPU_OP_DIV        ? a / b
           : op == MPU_OP_REM      ? a % b
           : op == MPU_OP_FLOORDIV ? floor_div(a, b)
                                   : a - b * floor_div(a, b);
}

static bool compare(mpu_op op, int order) {
    switch (op) {
    case MPU_OP_EQ:
        return order == 0;
    case MPU_OP_NE:
        return order != 0;
    case MPU_OP_LT:
        return order < 0;
    case MPU_OP_LE:
        return order <= 0;
    case MPU_OP_GT:
        return order > 0;
    default:
        return order >= 0;
    }
}

/* NumPy's: by 0 they are 0. */
static graph_wide divide_or_zero(mpu_op op, graph_wide a, graph_wide b) {
    mpu_op of = op == MPU_OP_FLOOR_DIVIDE   ? MPU_OP_FLOORDIV
                : op == MPU_OP_REMAINDER    ? MPU_OP_FLOORMOD
                : op == MPU_OP_TRUNC_DIVIDE ? MPU_OP_DIV
                                            : MPU_OP_REM;
    return b == 0 ? 0 : divide(of, a, b);
}

static uint64_t power_of(uint64_t x, uint64_t n) {
    uint64_t product = 1;
    for (; n; n >>= 1, x *= x)
        product *= n & 1 ? x : 1;
    return product;
}

static uint64_t on_integers(mpu_op op, mpu_vtype t, uint64_t x, uint64_t y) {
    graph_wide a = graph_number(x, t), b = graph_number(y, t);
    switch (op) {
    case MPU_OP_ADD:
        return (uint64_t)(a + b);
    case MPU_OP_SUB:
        return (uint64_t)(a - b);
    case MPU_OP_MUL:
        return x * y;
    case MPU_OP_SHL:
        return y >= t.bits ? 0 : x << y;
    case MPU_OP_SHR:
        return (uint64_t)(a >> (y >= 64 ? 64 : y));
    case MPU_OP_AND:
        return x & y;
    case MPU_OP_OR:
        return x | y;
    case MPU_OP_XOR:
        return x ^ y;
    case MPU_OP_NOT:
        return ~x;
    case MPU_OP_NEG:
        return 0 - x;
    case MPU_OP_ABS:
        return (uint64_t)(a < 0 ? -a : a);
    case MPU_OP_MIN:
    case MPU_OP_MINIMUM:
        return a < b ? x : y;
    case MPU_OP_MAX:
    case MPU_OP_MAXIMUM:
        return a > b ? x : y;
    case MPU_OP_SIGN:
        return (uint64_t)((a > 0) - (a < 0));
    case MPU_OP_POW:
        return power_of(x, y);
    case MPU_OP_POWER:
        return power_of(x, y & low_bits(t.bits - (t.kind == MPU_KIND_INT ? 1u : 0u)));
    case MPU_OP_FLOOR_DIVIDE:
    case MPU_OP_REMAINDER:
    case MPU_OP_FMOD:
    case MPU_OP_TRUNC_DIVIDE:
        return (uint64_t)divide_or_zero(op, a, b);
    case MPU_OP_POPCOUNT:
        return (uint64_t)__builtin_popcountll(x);
    case MPU_OP_DIV:
    case MPU_OP_REM:
    case MPU_OP_FLOORDIV:
    case MPU_OP_FLOORMOD:
        return (uint64_t)divide(op, a, b);
    default:
        return compare(op, (a > b) - (a < b));
    }
}

static bool compare_floats(mpu_op op, struct ieee_format f, uint64_t x, uint64_t y) {
    if (ieee_unordered(f, x, y))
        return op == MPU_OP_NE;
    return compare(op, ieee_equal(f, x, y) ? 0 : ieee_less(f, x, y) ? -1 : 1);
}

/* By way of doubles, which have all of their results. */
static uint64_t rounded(mpu_op op, struct ieee_format f, uint64_t x) {
    const struct ieee_format wide_format = ieee_binary(64);
    uint64_t pattern = ieee_convert(f, wide_format, x);
    double value;
    memcpy(&value, &pattern, sizeof value);
    value = op == MPU_OP_FLOOR   ? floor(value)
            : op == MPU_OP_CEIL  ? ceil(value)
            : op == MPU_OP_TRUNC ? trunc(value)
                                 : rint(value);
    memcpy(&pattern, &value, sizeof value);
    return ieee_is_nan(f, x) ? x : ieee_convert(wide_format, f, pattern);
}

static uint64_t with_nan(mpu_op op, struct ieee_format f, uint64_t x, uint64_t y) {
    if (ieee_unordered(f, x, y))
        return ieee_nan(f);
    return op == MPU_OP_MINIMUM ? ieee_min(f, x, y) : ieee_max(f, x, y);
}

/* Squares from the lowest digit of the exponent up; of 16 bits in 32. */
static uint64_t float_power(struct ieee_format f, unsigned bits, uint64_t x, uint64_t n) {
    bool half = bits == 16 && n > 2;
    struct ieee_format g = half ? ieee_binary(32) : f;
    uint64_t square = half ? ieee_convert(f, g, x) : x, product = 0;
    bool any = false;
    if (n == 0)
        return ieee_from_unsigned(f, 1);
    for (; n; n >>= 1, square = n ? ieee_mul(g, square, square) : square)
        if (n & 1) {
            product = any ? ieee_mul(g, product, square) : square;
            any = true;
        }
    return half ? ieee_convert(g, f, product) : product;
}

/* Of ezpim/lib/float.ez. */
static bool is_function(mpu_op op) {
    return op >= MPU_OP_EXP && op <= MPU_OP_RSQRT;
}

static uint64_t function(mpu_op op, mpu_vtype t, uint64_t x) {
    size_t count;
    const struct floats_function *f = floats_all(&count);
    unsigned fraction = graph_format_of(t).fraction_bits;
    while (floats_formats[f->format].precision != fraction + 1 ||
           strcmp(f->name, mpu_op_name(op)) != 0 || !f->value)
        f++;
    return f->value(f, x);
}

static uint64_t on_floats(mpu_op op, mpu_vtype t, uint64_t x, uint64_t y) {
    struct ieee_format f = graph_format_of(t);
    uint64_t sign = UINT64_C(1) << (t.bits - 1);
    uint64_t infinity = ieee_div(f, ieee_from_unsigned(f, 1), 0);
    if (is_function(op))
        return function(op, t, x);
    switch (op) {
    case MPU_OP_ADD:
        return ieee_add(f, x, y);
    case MPU_OP_SUB:
        return ieee_sub(f, x, y);
    case MPU_OP_MUL:
        return ieee_mul(f, x, y);
    case MPU_OP_DIV:
        return ieee_div(f, x, y);
    case MPU_OP_MIN:
        return ieee_min(f, x, y);
    case MPU_OP_MAX:
        return ieee_max(f, x, y);
    case MPU_OP_SQRT:
        return ieee_sqrt(f, x);
    case MPU_OP_NEG:
        return x ^ sign;
    case MPU_OP_ABS:
        return x & ~sign;
    case MPU_OP_UNORDERED:
        return ieee_unordered(f, x, y);
    case MPU_OP_SIGNBIT:
        return (x & sign) != 0;
    case MPU_OP_ISZERO:
        return (x & ~sign) == 0;
    case MPU_OP_FLOOR:
    case MPU_OP_CEIL:
    case MPU_OP_TRUNC:
    case MPU_OP_RINT:
        return rounded(op, f, x);
    case MPU_OP_SIGN:
        return ieee_is_nan(f, x) ? x : (x & ~sign) ? (x & sign) | ieee_from_unsigned(f, 1) : 0;
    case MPU_OP_ISNAN:
        return ieee_is_nan(f, x);
    case MPU_OP_ISINF:
        return (x & ~sign) == infinity;
    case MPU_OP_ISFINITE:
        return (x & ~sign) < infinity;
    case MPU_OP_COPYSIGN:
        return (x & ~sign) | (y & sign);
    case MPU_OP_MINIMUM:
    case MPU_OP_MAXIMUM:
        return with_nan(op, f, x, y);
    case MPU_OP_POW:
        return float_power(f, t.bits, x, y);
    default:
        return compare_floats(op, f, x, y);
    }
}

uint64_t graph_cast(uint64_t x, mpu_vtype from, mpu_vtype to) {
    if (from.kind == to.kind && from.bits == to.bits)
        return x;
    if (to.kind == MPU_KIND_BOOL)
        return graph_is_float(from) ? !ieee_is_zero(graph_format_of(from), x) : x != 0;
    if (graph_is_float(from) && graph_is_float(to))
        return ieee_convert(graph_format_of(from), graph_format_of(to), x);
    if (graph_is_float(from))
        return to.kind == MPU_KIND_INT ? ieee_to_signed(graph_format_of(from), x, to.bits, false)
                                       : ieee_to_unsigned(graph_format_of(from), x, to.bits, false);
    if (!graph_is_float(to))
        return (uint64_t)graph_number(x, from);
    return from.kind == MPU_KIND_INT
               ? ieee_from_signed(graph_format_of(to), (int64_t)graph_number(x, from))
               : ieee_from_unsigned(graph_format_of(to), x);
}

uint64_t graph_result(mpu_op op, mpu_vtype t, mpu_vtype from, const uint64_t *x) {
    uint64_t bit = UINT64_C(1) << (op == MPU_OP_BIT ? x[1] : op == MPU_OP_SETBIT ? x[2] : 0) % 64;
    switch (op) {
    case MPU_OP_COPY:
    case MPU_OP_BITCAST:
        return x[0];
    case MPU_OP_SELECT:
        return x[0] ? x[1] : x[2];
    case MPU_OP_CLIP:
        bit = graph_result(MPU_OP_MAXIMUM, t, t, x);
        return graph_result(MPU_OP_MINIMUM, t, t, (const uint64_t[]){bit, x[2], 0});
    case MPU_OP_CAST:
        return graph_cast(x[0], from, t);
    case MPU_OP_BIT:
        return (x[0] & bit) != 0;
    case MPU_OP_SETBIT:
        return x[1] ? x[0] | bit : x[0] & ~bit;
    default:
        return graph_is_float(t) ? on_floats(op, t, x[0], x[1]) : on_integers(op, t, x[0], x[1]);
    }
}

/* ---- random graphs ---- */

uint64_t graph_roll(struct play *play, uint64_t below) {
    return splitmix64(&play->seed) % below;
}

static mpu_vtype random_type(struct play *play) {
    if (play->types)
        return play->types[graph_roll(play, play->type_count)];
    static const mpu_vtype floats[] = {
        {MPU_KIND_FLOAT, 16}, {MPU_KIND_BFLOAT, 16}, {MPU_KIND_FLOAT, 32}, {MPU_KIND_FLOAT, 64}};
    static const uint8_t widths[] = {1, 2, 5, 8, 8, 13, 16, 16, 32, 32, 33, 64};
    uint8_t bits = widths[graph_roll(play, sizeof widths)];
    if (play->floats && graph_roll(play, 3) == 0)
        return floats[graph_roll(play, sizeof floats / sizeof *floats)];
    if (graph_roll(play, 6) == 0)
        return (mpu_vtype){MPU_KIND_BOOL, 1};
    return bits == 1 || graph_roll(play, 2) ? (mpu_vtype){MPU_KIND_UINT, bits}
                                            : (mpu_vtype){MPU_KIND_INT, bits};
}

/* Often near the ends of the type. */
static uint64_t random_pattern(struct play *play, mpu_vtype type) {
    uint64_t x = splitmix64(&play->seed);
    if (graph_is_float(type) && graph_roll(play, 4) == 0)
        return ieee_edge(graph_format_of(type), (unsigned)graph_roll(play, IEEE_EDGES)) &
               low_bits(type.bits);
    if (graph_roll(play, 3) == 0)
        x = (graph_roll(play, 2) ? UINT64_C(1) << (type.bits - 1) : 0) + graph_roll(play, 5) - 2;
    return x & low_bits(type.bits);
}

static unsigned char *bytes_of(const struct play *play, const uint64_t *x, mpu_vtype type) {
    uint32_t bytes = mpu_vtype_bytes(type);
    unsigned char *data = malloc((size_t)play->n * bytes + 1);
    for (uint64_t i = 0; i < play->n; i++) {
        uint64_t value = type.kind == MPU_KIND_INT ? (uint64_t)sign_extend(x[i], type.bits) : x[i];
        memcpy(data + i * bytes, &value, bytes);
    }
    return data;
}

void graph_check(struct play *play, struct mirror *m) {
    uint32_t bytes = mpu_vtype_bytes(m->type);
    unsigned char *want = bytes_of(play, m->x, m->type), *have = malloc((size_t)play->n * bytes);
    fine(mpu_vector_get(m->v, 0, play->n, have, &play->e), play->e);
    for (uint64_t i = 0; i < play->n; i++)
        if (memcmp(want + i * bytes, have + i * bytes, bytes) != 0) {
            uint64_t w = 0, h = 0;
            memcpy(&w, want + i * bytes, bytes);
            memcpy(&h, have + i * bytes, bytes);
            fail_msg("%s: element %llu of %llu, kind %u bits %u: 0x%llx, not 0x%llx",
                     m->made_by ? m->made_by : "put", (unsigned long long)i,
                     (unsigned long long)play->n, (unsigned)m->type.kind, (unsigned)m->type.bits,
                     (unsigned long long)h, (unsigned long long)w);
        }
    free(want);
    free(have);
}

void graph_put_random(struct play *play, struct mirror *m, uint64_t first, uint64_t count) {
    for (uint64_t i = first; i < first + count; i++)
        m->x[i] = random_pattern(play, m->type);
    unsigned char *data = bytes_of(play, m->x, m->type);
    fine(mpu_vector_put(m->v, first, count, data + first * mpu_vtype_bytes(m->type), &play->e),
         play->e);
    free(data);
}

void graph_drop(struct mirror *m) {
    mpu_vector_release(m->v);
    free(m->x);
    *m = (struct mirror){0};
}

void graph_fill(struct play *play, struct mirror *m, mpu_vtype type) {
    graph_drop(m);
    m->type = type;
    m->x = calloc(play->n + 1, sizeof *m->x);
    m->v = mpu_vector_new(play->d, type, play->n, &play->e);
    if (graph_roll(play, 8))
        graph_put_random(play, m, 0, play->n);
}

/* A vector of the type: one that is there, or the place of another, in which one is made. */
static struct mirror *of_type(struct play *play, mpu_vtype type, uint32_t busy) {
    uint64_t at = graph_roll(play, GRAPH_POOL);
    for (unsigned k = 0; k < GRAPH_POOL; k++) {
        struct mirror *m = &play->pool[(at + k) % GRAPH_POOL];
        if (m->v && m->type.kind == type.kind && m->type.bits == type.bits)
            return m;
    }
    while (busy >> at & 1)
        at = (at + 1) % GRAPH_POOL;
    graph_fill(play, &play->pool[at], type);
    return &play->pool[at];
}

static mpu_vtype operand_type(struct play *play, mpu_op op, mpu_vtype type, unsigned k) {
    if ((op == MPU_OP_SELECT && k == 0) || (op == MPU_OP_SETBIT && k == 1))
        return (mpu_vtype){MPU_KIND_BOOL, 1};
    if (op == MPU_OP_CAST)
        return random_type(play);
    if (op == MPU_OP_BITCAST)
        return type.bits == 1 ? (mpu_vtype){MPU_KIND_BOOL, 1}
                              : (mpu_vtype){MPU_KIND_UINT, type.bits};
    return type;
}

static bool has_op(mpu_op op, mpu_vtype t) {
    bool is_bool = t.kind == MPU_KIND_BOOL;
    if (op == MPU_OP_POWER) /* 2 bits - 1 products: those of narrow numbers do */
        return !graph_is_float(t) && !is_bool && t.bits <= 12;
    if (is_function(op))
        return graph_is_float(t) && t.bits <= 32;
    if (op == MPU_OP_SQRT || op == MPU_OP_UNORDERED || op == MPU_OP_SIGNBIT ||
        op == MPU_OP_ISZERO || (op >= MPU_OP_FLOOR && op <= MPU_OP_RINT) ||
        (op >= MPU_OP_ISNAN && op <= MPU_OP_COPYSIGN))
        return graph_is_float(t);
    if (op == MPU_OP_REM || op == MPU_OP_FLOORDIV || op == MPU_OP_FLOORMOD || op == MPU_OP_SHL ||
        op == MPU_OP_SHR || op == MPU_OP_TRUNC_DIVIDE ||
        (op >= MPU_OP_FLOOR_DIVIDE && op <= MPU_OP_FMOD))
        return !graph_is_float(t) && !is_bool;
    if (op == MPU_OP_AND || op == MPU_OP_OR || op == MPU_OP_XOR || op == MPU_OP_NOT ||
        op == MPU_OP_POPCOUNT)
        return !graph_is_float(t);
    if (op == MPU_OP_ADD || op == MPU_OP_SUB || op == MPU_OP_MUL || op == MPU_OP_DIV ||
        op == MPU_OP_NEG || op == MPU_OP_ABS || op == MPU_OP_SIGN || op == MPU_OP_POW)
        return !is_bool;
    return true;
}

static bool gives_bool(mpu_op op) {
    return (op >= MPU_OP_EQ && op <= MPU_OP_GE) || op == MPU_OP_BIT || op == MPU_OP_UNORDERED ||
           op == MPU_OP_SIGNBIT || op == MPU_OP_ISZERO ||
           (op >= MPU_OP_ISNAN && op <= MPU_OP_ISFINITE);
}

/* An operand that is no data: the number of a bit, or an exponent, now and then a large one. */
static bool is_number(mpu_op op, uint32_t k) {
    return ((op == MPU_OP_BIT || op == MPU_OP_POW) && k == 1) || (op == MPU_OP_SETBIT && k == 2);
}

static uint64_t random_number(struct play *play, mpu_op op, mpu_vtype type) {
    if (op != MPU_OP_POW)
        return graph_roll(play, type.bits);
    return type.bits <= 16 && graph_roll(play, 6) == 0 ? splitmix64(&play->seed)
                                                       : graph_roll(play, 12);
}

static mpu_op random_op(struct play *play) {
    unsigned op = (unsigned)graph_roll(play, MPU_OPS - 2); /* not of folds */
    op = op < MPU_OP_ARGMIN ? op : op + 2;
    bool again = is_function((mpu_op)op) && graph_roll(play, 4); /* these are large */
    return again ? random_op(play) : (mpu_op)op;
}

/* z = op of vectors and scalars, in any place of the pool that is not an operand's. */
static void apply_random(struct play *play, mpu_op op, mpu_vtype type) {
    mpu_operand operands[3] = {{0}};
    mpu_vtype types[3];
    struct mirror *from[3] = {0}, z = {0};
    uint32_t count = mpu_op_operands(op), busy = 0;
    if (!has_op(op, type))
        return;
    for (uint32_t k = 0; k < count; k++) {
        bool number = is_number(op, k);
        types[k] = operand_type(play, op, type, k);
        operands[k].bits = number ? random_number(play, op, type) : random_pattern(play, types[k]);
        if (op == MPU_OP_CAST || op == MPU_OP_BITCAST || (!number && graph_roll(play, 4))) {
            from[k] = of_type(play, types[k], busy);
            busy |= 1u << (from[k] - play->pool);
            operands[k].v = from[k]->v;
        }
    }
    z.type = gives_bool(op) ? (mpu_vtype){MPU_KIND_BOOL, 1} : type;
    z.x = calloc(play->n + 1, sizeof *z.x);
    z.made_by = mpu_op_name(op);
    z.v = mpu_apply(play->d, op, type, play->n, operands, count, &play->e);
    if (!z.v)
        fail_msg("%s: %s", mpu_op_name(op), mpu_error_text(play->e));
    for (uint64_t i = 0; i < play->n; i++) {
        uint64_t x[3] = {0};
        for (uint32_t k = 0; k < count; k++)
            x[k] = from[k] ? from[k]->x[i] : operands[k].bits;
        z.x[i] = graph_result(op, type, types[0], x) & low_bits(z.type.bits);
    }
    struct mirror *place = &play->pool[graph_roll(play, GRAPH_POOL)];
    graph_drop(place);
    *place = z;
}

static void step(struct play *play) {
    struct mirror *m = &play->pool[graph_roll(play, GRAPH_POOL)];
    uint64_t what = graph_roll(play, 40);
    if (what == 0 && m->v)
        graph_check(play, m);
    else if (what == 1 && m->v)
        graph_put_random(play, m, graph_roll(play, play->n), 1);
    else if (what == 2)
        graph_fill(play, m, random_type(play));
    else
        apply_random(play, random_op(play), random_type(play));
    if (play->flushes && graph_roll(play, play->flushes) == 0)
        fine(mpu_device_flush(play->d, &play->e), play->e);
}

static void end_play(struct play *play) {
    for (unsigned k = 0; k < GRAPH_POOL; k++) {
        if (play->pool[k].v)
            graph_check(play, &play->pool[k]);
        graph_drop(&play->pool[k]);
    }
}

void graph_play(struct play play, unsigned steps) {
    char label[24] = "";
    for (unsigned k = 0; k < steps; k++) {
        if (play.labels)
            snprintf(label, sizeof label, "step%u", k % play.labels);
        if (play.labels)
            assert_int_equal(mpu_device_label(play.d, label), MPU_OK);
        step(&play);
    }
    end_play(&play);
}

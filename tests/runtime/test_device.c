/* SPDX-License-Identifier: MIT
 * Vectors on a device: random graphs of all operations against a host that works each of them out
 * by itself, with flushes anywhere, cold and warm, in chunks and spilled. */
#include "device.h"
#include "support/bits.h"
#include "support/ieee.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifndef MPU_SANITIZED
#define MPU_SANITIZED 0
#endif

static const char *const targets[] = {"golden", "racer", "mimdram", "duality-cache", "pypim"};
enum { TARGETS = sizeof targets / sizeof *targets };

/* ---- what operations are, by the host ---- */

__extension__ typedef __int128 wide;

static bool is_float(mpu_vtype t) {
    return t.kind >= MPU_KIND_FLOAT;
}

static struct ieee_format format_of(mpu_vtype t) {
    return t.kind == MPU_KIND_BFLOAT ? IEEE_BFLOAT16 : ieee_binary(t.bits);
}

static wide number(uint64_t x, mpu_vtype t) {
    return t.kind == MPU_KIND_INT ? (wide)sign_extend(x, t.bits) : (wide)x;
}

static wide floor_div(wide a, wide b) {
    wide q = a / b;
    return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

static wide divide(mpu_op op, wide a, wide b) {
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
static wide divide_or_zero(mpu_op op, wide a, wide b) {
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
    wide a = number(x, t), b = number(y, t);
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

static uint64_t on_floats(mpu_op op, mpu_vtype t, uint64_t x, uint64_t y) {
    struct ieee_format f = format_of(t);
    uint64_t sign = UINT64_C(1) << (t.bits - 1);
    uint64_t infinity = ieee_div(f, ieee_from_unsigned(f, 1), 0);
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

static uint64_t cast(uint64_t x, mpu_vtype from, mpu_vtype to) {
    if (from.kind == to.kind && from.bits == to.bits)
        return x;
    if (to.kind == MPU_KIND_BOOL)
        return is_float(from) ? !ieee_is_zero(format_of(from), x) : x != 0;
    if (is_float(from) && is_float(to))
        return ieee_convert(format_of(from), format_of(to), x);
    if (is_float(from))
        return to.kind == MPU_KIND_INT ? ieee_to_signed(format_of(from), x, to.bits, false)
                                       : ieee_to_unsigned(format_of(from), x, to.bits, false);
    if (!is_float(to))
        return (uint64_t)number(x, from);
    return from.kind == MPU_KIND_INT ? ieee_from_signed(format_of(to), (int64_t)number(x, from))
                                     : ieee_from_unsigned(format_of(to), x);
}

/* z = op(a, b, c) at type t; operand 0 has the type `from`. */
static uint64_t carry_out(mpu_op op, mpu_vtype t, mpu_vtype from, const uint64_t *x) {
    uint64_t bit = UINT64_C(1) << (op == MPU_OP_BIT ? x[1] : op == MPU_OP_SETBIT ? x[2] : 0) % 64;
    switch (op) {
    case MPU_OP_COPY:
    case MPU_OP_BITCAST:
        return x[0];
    case MPU_OP_SELECT:
        return x[0] ? x[1] : x[2];
    case MPU_OP_CLIP:
        bit = carry_out(MPU_OP_MAXIMUM, t, t, x);
        return carry_out(MPU_OP_MINIMUM, t, t, (const uint64_t[]){bit, x[2], 0});
    case MPU_OP_CAST:
        return cast(x[0], from, t);
    case MPU_OP_BIT:
        return (x[0] & bit) != 0;
    case MPU_OP_SETBIT:
        return x[1] ? x[0] | bit : x[0] & ~bit;
    default:
        return is_float(t) ? on_floats(op, t, x[0], x[1]) : on_integers(op, t, x[0], x[1]);
    }
}

/* ---- random graphs ---- */

enum { POOL = 10 };

/* A vector and what it should hold. */
struct mirror {
    mpu_vector *v;
    mpu_vtype type;
    uint64_t *x;         /* [n]: patterns */
    const char *made_by; /* for messages */
};

struct play {
    mpu_device *d;
    uint64_t n, seed;
    bool floats;
    unsigned flushes; /* of so many steps about one is a flush; 0: none */
    struct mirror pool[POOL];
    mpu_error *e;
};

static uint64_t roll(struct play *play, uint64_t below) {
    return splitmix64(&play->seed) % below;
}

static mpu_vtype random_type(struct play *play) {
    static const mpu_vtype floats[] = {
        {MPU_KIND_FLOAT, 16}, {MPU_KIND_BFLOAT, 16}, {MPU_KIND_FLOAT, 32}, {MPU_KIND_FLOAT, 64}};
    static const uint8_t widths[] = {1, 2, 5, 8, 8, 13, 16, 16, 32, 32, 33, 64};
    uint8_t bits = widths[roll(play, sizeof widths)];
    if (play->floats && roll(play, 3) == 0)
        return floats[roll(play, sizeof floats / sizeof *floats)];
    if (roll(play, 6) == 0)
        return (mpu_vtype){MPU_KIND_BOOL, 1};
    return bits == 1 || roll(play, 2) ? (mpu_vtype){MPU_KIND_UINT, bits}
                                      : (mpu_vtype){MPU_KIND_INT, bits};
}

/* Often near the ends of the type. */
static uint64_t random_pattern(struct play *play, mpu_vtype type) {
    uint64_t x = splitmix64(&play->seed);
    if (is_float(type) && roll(play, 4) == 0)
        return ieee_edge(format_of(type), (unsigned)roll(play, IEEE_EDGES)) & low_bits(type.bits);
    if (roll(play, 3) == 0)
        x = (roll(play, 2) ? UINT64_C(1) << (type.bits - 1) : 0) + roll(play, 5) - 2;
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

static void check_vector(struct play *play, struct mirror *m) {
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

static void put_random(struct play *play, struct mirror *m, uint64_t first, uint64_t count) {
    for (uint64_t i = first; i < first + count; i++)
        m->x[i] = random_pattern(play, m->type);
    unsigned char *data = bytes_of(play, m->x, m->type);
    fine(mpu_vector_put(m->v, first, count, data + first * mpu_vtype_bytes(m->type), &play->e),
         play->e);
    free(data);
}

static void drop(struct mirror *m) {
    mpu_vector_release(m->v);
    free(m->x);
    *m = (struct mirror){0};
}

static void fill(struct play *play, struct mirror *m, mpu_vtype type) {
    drop(m);
    m->type = type;
    m->x = calloc(play->n + 1, sizeof *m->x);
    m->v = mpu_vector_new(play->d, type, play->n, &play->e);
    if (roll(play, 8))
        put_random(play, m, 0, play->n);
}

/* A vector of the type: one that is there, or the place of another, in which one is made. */
static struct mirror *of_type(struct play *play, mpu_vtype type, uint32_t busy) {
    uint64_t at = roll(play, POOL);
    for (unsigned k = 0; k < POOL; k++) {
        struct mirror *m = &play->pool[(at + k) % POOL];
        if (m->v && m->type.kind == type.kind && m->type.bits == type.bits)
            return m;
    }
    while (busy >> at & 1)
        at = (at + 1) % POOL;
    fill(play, &play->pool[at], type);
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
        return !is_float(t) && !is_bool && t.bits <= 12;
    if (op == MPU_OP_SQRT || op == MPU_OP_UNORDERED || op == MPU_OP_SIGNBIT ||
        op == MPU_OP_ISZERO || (op >= MPU_OP_FLOOR && op <= MPU_OP_RINT) ||
        (op >= MPU_OP_ISNAN && op <= MPU_OP_COPYSIGN))
        return is_float(t);
    if (op == MPU_OP_REM || op == MPU_OP_FLOORDIV || op == MPU_OP_FLOORMOD || op == MPU_OP_SHL ||
        op == MPU_OP_SHR || op == MPU_OP_TRUNC_DIVIDE ||
        (op >= MPU_OP_FLOOR_DIVIDE && op <= MPU_OP_FMOD))
        return !is_float(t) && !is_bool;
    if (op == MPU_OP_AND || op == MPU_OP_OR || op == MPU_OP_XOR || op == MPU_OP_NOT ||
        op == MPU_OP_POPCOUNT)
        return !is_float(t);
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
        return roll(play, type.bits);
    return type.bits <= 16 && roll(play, 6) == 0 ? splitmix64(&play->seed) : roll(play, 12);
}

static mpu_op random_op(struct play *play) {
    unsigned op = (unsigned)roll(play, MPU_OPS - 2); /* not of folds */
    return (mpu_op)(op < MPU_OP_ARGMIN ? op : op + 2);
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
        if (op == MPU_OP_CAST || op == MPU_OP_BITCAST || (!number && roll(play, 4))) {
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
        z.x[i] = carry_out(op, type, types[0], x) & low_bits(z.type.bits);
    }
    struct mirror *place = &play->pool[roll(play, POOL)];
    drop(place);
    *place = z;
}

static void step(struct play *play) {
    struct mirror *m = &play->pool[roll(play, POOL)];
    uint64_t what = roll(play, 40);
    if (what == 0 && m->v)
        check_vector(play, m);
    else if (what == 1 && m->v)
        put_random(play, m, roll(play, play->n), 1);
    else if (what == 2)
        fill(play, m, random_type(play));
    else
        apply_random(play, random_op(play), random_type(play));
    if (play->flushes && roll(play, play->flushes) == 0)
        fine(mpu_device_flush(play->d, &play->e), play->e);
}

static void end_play(struct play *play) {
    for (unsigned k = 0; k < POOL; k++) {
        if (play->pool[k].v)
            check_vector(play, &play->pool[k]);
        drop(&play->pool[k]);
    }
}

static void play_on(mpu_device *device, uint64_t n, uint64_t seed, unsigned steps, bool floats,
                    unsigned flushes) {
    struct play p = {.d = device, .n = n, .seed = seed, .floats = floats, .flushes = flushes};
    for (unsigned k = 0; k < steps; k++)
        step(&p);
    end_play(&p);
}

/* Cold, then warm: the second time no program is new. */
static void graphs(void **state) {
    static const uint64_t lengths[] = {1, 63, 513, 4099};
    (void)state;
    for (unsigned t = 0; t < TARGETS; t++) {
        mpu_target *target;
        mpu_device *d = open_device(targets[t], NULL, NULL, &target);
        /* Under sanitizers every other length, the others on the next target, and a third of the
         * steps. */
        for (unsigned k = MPU_SANITIZED ? t % 2 : 0; k < 4; k += MPU_SANITIZED ? 2 : 1) {
            const unsigned steps = MPU_SANITIZED ? 20 : 60;
            play_on(d, lengths[k], 100 * t + k, steps, false, k * 5);
            uint64_t made = figure(d, "graph.programs");
            play_on(d, lengths[k], 100 * t + k, steps, false, k * 5);
            assert_true(figure(d, "graph.programs") <= made + 60);
        }
        close_device(d, target);
    }
}

static void floats(void **state) {
    (void)state;
    for (unsigned t = 0; t < 2; t++) {
        mpu_target *target;
        mpu_device *d = open_device(targets[t], NULL, NULL, &target);
        play_on(d, 130, 7 + t, 60, true, 20);
        close_device(d, target);
    }
}

/* ---- operations on several elements ---- */

struct source {
    mpu_device *d;
    mpu_vector *v;
    mpu_vtype type;
    uint64_t n, *x;
    mpu_error *e;
};

static struct source source_of(mpu_device *device, mpu_vtype type, uint64_t n, uint64_t seed) {
    struct play p = {.d = device, .n = n, .seed = seed};
    struct source s = {
        device, mpu_vector_new(device, type, n, NULL), type, n, calloc(n, sizeof *s.x), NULL};
    struct mirror m = {.v = s.v, .type = type, .x = s.x};
    put_random(&p, &m, 0, n);
    return s;
}

static void close_source(struct source *source) {
    mpu_vector_release(source->v);
    free(source->x);
}

/* Releases the vector and `want`. */
static void expect(struct source *source, mpu_vector *v, mpu_vtype type, uint64_t n, uint64_t *want,
                   const char *what) {
    struct play p = {.d = source->d, .n = n, .e = source->e};
    struct mirror m = {.v = v, .type = type, .x = want, .made_by = what};
    if (!v)
        fail_msg("%s: %s", what, mpu_error_text(source->e));
    assert_int_equal(mpu_vector_length(v), n);
    for (uint64_t i = 0; i < n; i++)
        want[i] &= low_bits(type.bits);
    check_vector(&p, &m);
    drop(&m);
}

static uint64_t combine(mpu_op op, mpu_vtype type, uint64_t x, uint64_t y) {
    const uint64_t both[3] = {x, y};
    return carry_out(op, type, type, both) & low_bits(type.bits);
}

static uint64_t fold_host(mpu_op op, mpu_vtype from, mpu_vtype type, const uint64_t *x,
                          uint64_t n) {
    uint64_t *y = calloc(n, sizeof *y);
    for (uint64_t i = 0; i < n; i++)
        y[i] = cast(x[i], from, type) & low_bits(type.bits);
    for (; n > 1; n = (n + 1) / 2)
        for (uint64_t i = 0; i < n; i += 2)
            y[i / 2] = i + 1 < n ? combine(op, type, y[i], y[i + 1]) : y[i];
    uint64_t result = y[0];
    free(y);
    return result;
}

static void fold_one(struct source *source, mpu_op op, mpu_vtype type, uint64_t segment) {
    uint64_t count = source->n / segment * segment, n = count / segment;
    uint64_t first = source->n - count, *want = calloc(n, sizeof *want);
    for (uint64_t i = 0; i < n; i++)
        want[i] = fold_host(op, source->type, type, source->x + first + i * segment, segment);
    expect(source, mpu_fold(source->v, op, type, first, count, segment, &source->e), type, n, want,
           "fold");
}

/* Whether y takes the place of x as the first of the largest, or (MPU_OP_ARGMIN) least. */
static bool wins(mpu_op op, mpu_vtype type, uint64_t x, uint64_t y) {
    if (is_float(type) && ieee_is_nan(format_of(type), x))
        return false;
    if (is_float(type) && ieee_is_nan(format_of(type), y))
        return true;
    return carry_out(op == MPU_OP_ARGMIN ? MPU_OP_LT : MPU_OP_GT, type, type,
                     (const uint64_t[]){y, x, 0});
}

static void place_one(struct source *source, mpu_op op, uint64_t segment) {
    static const mpu_vtype type = {MPU_KIND_INT, 64};
    uint64_t n = source->n / segment, *want = calloc(n, sizeof *want);
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t k = 1; k < segment; k++)
            if (wins(op, source->type, source->x[i * segment + want[i]],
                     source->x[i * segment + k]))
                want[i] = k;
    expect(source, mpu_fold(source->v, op, type, 0, n * segment, segment, &source->e), type, n,
           want, "place");
}

/* -0 is before +0, and what is not a number last. */
static bool before(mpu_vtype type, uint64_t x, uint64_t y) {
    if (!is_float(type))
        return number(x, type) < number(y, type);
    if (ieee_is_nan(format_of(type), x) || ieee_is_nan(format_of(type), y))
        return !ieee_is_nan(format_of(type), x);
    if (ieee_is_zero(format_of(type), x) && ieee_is_zero(format_of(type), y))
        return x > y;
    return ieee_less(format_of(type), x, y);
}

static void sort_one(struct source *source, uint64_t segment) {
    uint64_t n = source->n, *want = calloc(n, sizeof *want);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t k = i, x = source->x[i];
        if (is_float(source->type) && ieee_is_nan(format_of(source->type), x) && segment > 1)
            x = ieee_nan(format_of(source->type));
        for (; k % segment && before(source->type, x, want[k - 1]); k--)
            want[k] = want[k - 1];
        want[k] = x;
    }
    expect(source, mpu_sort(source->v, segment, &source->e), source->type, n, want, "sort");
}

/* Takes in the element before, the one two before, four before: the order matters to floats. */
static void scan_segment(mpu_op op, mpu_vtype type, uint64_t *x, uint64_t n) {
    if (is_float(type) && n > 1 && ieee_is_nan(format_of(type), x[0]))
        x[0] = ieee_nan(format_of(type));
    for (uint64_t step = 1; step < n; step *= 2)
        for (uint64_t i = n; i-- > step;)
            x[i] = combine(op, type, x[i - step], x[i]);
}

static void scan_segments(struct source *source, mpu_op op, mpu_vtype type, uint64_t segment) {
    uint64_t *want = calloc(source->n, sizeof *want);
    for (uint64_t i = 0; i < source->n; i++)
        want[i] = cast(source->x[i], source->type, type) & low_bits(type.bits);
    for (uint64_t i = 0; i < source->n; i += segment)
        scan_segment(op, type, want + i, segment);
    mpu_vector *v = segment == source->n
                        ? mpu_scan(source->v, op, type, &source->e)
                        : mpu_scan_segments(source->v, op, type, segment, &source->e);
    expect(source, v, type, source->n, want, "scan");
}

static void scan_one(struct source *source, mpu_op op, mpu_vtype type) {
    scan_segments(source, op, type, source->n);
}

/* Along an axis: `segment` goes into the length. */
static void ordered(struct source *source, uint64_t segment) {
    mpu_op op = segment % 2 ? MPU_OP_ARGMIN : MPU_OP_ARGMAX;
    place_one(source, op, source->n);
    place_one(source, op == MPU_OP_ARGMIN ? MPU_OP_ARGMAX : MPU_OP_ARGMIN, segment);
    fold_one(source, MPU_OP_MINIMUM, source->type, source->n);
    fold_one(source, MPU_OP_MAXIMUM, source->type, segment);
    scan_segments(source, MPU_OP_ADD, source->type, segment);
    sort_one(source, source->n);
    sort_one(source, segment);
}

static void move_one(struct source *source, const mpu_dim *dims, uint32_t ndim, int64_t offset,
                     bool wrap) {
    uint64_t n = 1, fill = 0x123456789abcdef;
    int64_t length = (int64_t)source->n;
    for (uint32_t k = 0; k < ndim; k++)
        n *= dims[k].count;
    uint64_t *want = calloc(n, sizeof *want);
    for (uint64_t i = 0; i < n; i++) {
        int64_t place = offset;
        uint64_t rest = i;
        for (uint32_t k = ndim; k-- > 0; rest /= dims[k].count)
            place += (int64_t)(rest % dims[k].count) * dims[k].step;
        bool inside = place >= 0 && place < length;
        want[i] = wrap || inside ? source->x[((place % length) + length) % length] : fill;
    }
    expect(source, mpu_move(source->v, dims, ndim, offset, wrap, fill, &source->e), source->type, n,
           want, "move");
}

static void moves_of(struct source *source) {
    int64_t n = (int64_t)source->n, rows = n >= 60 ? 6 : 1, columns = n / rows;
    uint64_t length = source->n;
    for (int wrap = 0; wrap < 2; wrap++) {
        move_one(source, (mpu_dim[]){{length, 1}}, 1, 1, wrap);
        move_one(source, (mpu_dim[]){{length, 1}}, 1, -3, wrap);
        move_one(source, (mpu_dim[]){{length, -1}}, 1, n - 1, wrap);
        move_one(source, (mpu_dim[]){{length + 7, 1}}, 1, -2, wrap);
        move_one(source, (mpu_dim[]){{3, 0}, {length, 1}}, 2, 0, wrap);
        move_one(source, (mpu_dim[]){{(uint64_t)columns, 1}, {(uint64_t)rows, columns}}, 2, 0,
                 wrap);
        move_one(source, (mpu_dim[]){{(uint64_t)rows, columns}, {5, 3}, {2, -1}}, 3, -4, wrap);
    }
    move_one(source, (mpu_dim[]){{4, 2}}, 1, n + 10, false);
}

static void take_one(struct source *source, uint64_t entries) {
    uint16_t *table = calloc(entries, sizeof *table);
    uint64_t *want = calloc(source->n, sizeof *want);
    mpu_array a = {.type = MPU_U16, .ndim = 1, .shape = {entries}, .data = table};
    for (uint64_t i = 0; i < entries; i++)
        table[i] = (uint16_t)(i * 40503 + 1);
    for (uint64_t i = 0; i < source->n; i++)
        want[i] = source->x[i] < entries ? table[source->x[i]] : 0;
    expect(source, mpu_take(source->v, &a, &source->e), (mpu_vtype){MPU_KIND_UINT, 16}, source->n,
           want, "take");
    free(table);
}

static void numbers_of(struct source *source) {
    static const mpu_op ops[] = {MPU_OP_ADD, MPU_OP_MUL, MPU_OP_MIN, MPU_OP_MAX,
                                 MPU_OP_AND, MPU_OP_OR,  MPU_OP_XOR};
    static const mpu_vtype types[] = {{MPU_KIND_INT, 64}, {MPU_KIND_UINT, 16}};
    for (unsigned k = 0; k < 7; k++) {
        mpu_vtype type = k % 3 ? source->type : types[k / 3 % 2];
        fold_one(source, ops[k], type, source->n);
        fold_one(source, ops[k], source->type, source->n >= 16 ? 8 : 1);
        if (source->n < 1000 || k < 2)
            scan_one(source, ops[k], source->type);
    }
    fold_one(source, MPU_OP_ADD, types[0], source->n >= 100 ? 50 : 1);
    fold_one(source, MPU_OP_MAX, source->type, source->n > 2 ? source->n - 1 : 1);
    if (source->n < 65)
        ordered(source, source->n % 8 ? 1 : 8);
}

/* Lines of 2^k lanes that need more rows of VRFs than the vector has, and its neighbours in them.
 */
static void sorts_of_lines(void **state) {
    static const struct {
        uint64_t lines, segment;
    } shapes[] = {{3, 300}, {2, 560}, {1, 1100}, {5, 129}, {300, 3}, {1, 600}};
    static const mpu_vtype types[] = {
        {MPU_KIND_INT, 8}, {MPU_KIND_UINT, 5}, {MPU_KIND_BOOL, 1}, {MPU_KIND_FLOAT, 16}};
    (void)state;
    for (unsigned t = 0; t < 2; t++) {
        mpu_target *target;
        mpu_device *d = open_device(t ? "golden" : "racer", NULL, NULL, &target);
        for (unsigned k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            uint64_t n = shapes[k].lines * shapes[k].segment;
            struct source before = source_of(d, types[0], n, 2 * k);
            struct source s = source_of(d, types[(k + t) % 4], n, k), after;
            after = source_of(d, types[0], 700, 3 * k);
            sort_one(&s, shapes[k].segment);
            struct source *const others[] = {&before, &s, &after};
            for (unsigned i = 0; i < 3; i++) {
                struct play p = {.d = d, .n = others[i]->n};
                struct mirror m = {.v = others[i]->v, .type = others[i]->type, .x = others[i]->x};
                check_vector(&p, &m);
                close_source(others[i]);
            }
        }
        mpu_device_close(d);
        mpu_target_close(target);
    }
}

struct product_shape {
    uint64_t rows, inner, columns;
};

/* Blocks take in every so manyth factor each, then they are folded in pairs; a matrix and a vector
 * have a block for each factor. */
static uint64_t product_blocks(const struct product_shape *shape) {
    uint64_t blocks = 1;
    if (shape->rows == 1 || shape->columns == 1)
        return shape->inner;
    while (2 * blocks <= shape->inner && 2 * blocks * shape->rows * shape->columns <= 65536)
        blocks *= 2;
    return blocks;
}

static uint64_t product_at(const struct source *left, const struct source *right,
                           const struct product_shape *shape, uint64_t row, uint64_t column) {
    uint64_t blocks = product_blocks(shape), *sums = calloc(blocks, sizeof *sums);
    for (uint64_t i = 0; i < shape->inner; i++) {
        uint64_t *sum = &sums[i % blocks];
        uint64_t v = combine(MPU_OP_MUL, left->type, left->x[row * shape->inner + i],
                             right->x[i * shape->columns + column]);
        *sum = i < blocks ? v : combine(MPU_OP_ADD, left->type, *sum, v);
    }
    uint64_t all = fold_host(MPU_OP_ADD, left->type, left->type, sums, blocks);
    free(sums);
    return all;
}

static void product_one(mpu_device *device, mpu_vtype type, struct product_shape shape,
                        uint64_t seed) {
    struct source left = source_of(device, type, shape.rows * shape.inner, seed);
    struct source right = source_of(device, type, shape.inner * shape.columns, seed + 1);
    uint64_t n = shape.rows * shape.columns, *want = calloc(n, sizeof *want);
    for (uint64_t i = 0; i < n; i++)
        want[i] = product_at(&left, &right, &shape, i / shape.columns, i % shape.columns);
    expect(&left, mpu_matmul(left.v, right.v, shape.rows, shape.inner, shape.columns, &left.e),
           type, n, want, "matmul");
    close_source(&left);
    close_source(&right);
}

/* With many products in lanes at once, in blocks, and of vectors; on chips where matrices lie in
 * chunks the host multiplies. */
static void products(void **state) {
    static const struct product_shape shapes[] = {{3, 4, 5}, {2, 3, 2},  {1, 7, 3},  {5, 9, 1},
                                                  {1, 6, 1}, {4, 1, 3},  {1, 1, 4},  {3, 1, 1},
                                                  {1, 1, 1}, {7, 13, 6}, {2, 100, 2}};
    static const mpu_vtype types[] = {
        {MPU_KIND_INT, 8}, {MPU_KIND_FLOAT, 32}, {MPU_KIND_UINT, 5}, {MPU_KIND_FLOAT, 16}};
    enum { SHAPES = sizeof shapes / sizeof *shapes };
    static const char *const small[] = {"machine.mpus=1", NULL};
    (void)state;
    for (unsigned t = 0; t < TARGETS; t++) {
        mpu_target *target;
        mpu_device *d = open_device(targets[t], NULL, NULL, &target);
        for (unsigned k = 0; k < 2 * SHAPES; k++)
            product_one(d, types[(k + k / SHAPES + t) % 4], shapes[k % SHAPES], 30 * t + k);
        assert_true(figure(d, "ways.matmul.machine") >= 2);
        assert_int_equal(figure(d, "ways.matmul.host"), 0);
        close_device(d, target);
    }
    mpu_target *target;
    mpu_device *d = open_device("racer", small, NULL, &target);
    product_one(d, types[3], (struct product_shape){34001, 3, 2}, 99);
    assert_int_equal(figure(d, "ways.matmul.host"), 1);
    close_device(d, target);
}

/* Under sanitizers every other length, the others on the next target. */
static void several(void **state) {
    const unsigned apart = MPU_SANITIZED ? 2 : 1, part = MPU_SANITIZED ? 3 : 1;
    static const uint64_t lengths[] = {1, 2, 97, 64, 1536};
    static const mpu_vtype types[] = {{MPU_KIND_INT, 8}, {MPU_KIND_UINT, 5}, {MPU_KIND_INT, 32}};
    (void)state;
    for (unsigned t = 0; t < TARGETS; t++) {
        mpu_target *target;
        const mpu_config config = {.size = sizeof config,
                                   .finish = mpu_config_word("finish", t % 3)};
        mpu_device *d = open_device(targets[t], NULL, &config, &target);
        for (unsigned k = t % apart; k < 5; k += apart) {
            struct source s = source_of(d, types[(k + t) % 3], lengths[k], 10 * t + k);
            moves_of(&s);
            numbers_of(&s);
            take_one(&s, 1);
            take_one(&s, 200);
            close_source(&s);
        }
        assert_true(figure(d, "ways.move.machine") > 50 / part);
        if (t % 3 == 1) /* "device" */
            assert_true(figure(d, "ways.fold.machine") > 20 / part);
        if (t % 3 == 2)
            assert_true(figure(d, "ways.fold.partial") + figure(d, "ways.fold.host") > 20 / part);
        if (t % 3 == 2)
            assert_int_equal(figure(d, "ways.fold.machine"), 0);
        assert_true(figure(d, "ways.scan.machine") > 10 / part);
        assert_int_equal(figure(d, "ways.move.host"), 0);
        assert_int_equal(figure(d, "ways.scan.host"), 0);
        assert_int_equal(figure(d, "ways.sort.host"), 0);
        assert_int_equal(figure(d, "ways.take.host"), 0);
        close_device(d, target);
    }
}

/* Folds in pairs of neighbours, wherever they are made; scans by doubling.  Under sanitizers each
 * target has one of the types. */
static void float_folds(void **state) {
    static const mpu_vtype types[] = {{MPU_KIND_FLOAT, 32}, {MPU_KIND_FLOAT, 64}};
    static const mpu_op ops[] = {MPU_OP_ADD, MPU_OP_MUL, MPU_OP_MIN, MPU_OP_MAX};
    (void)state;
    for (unsigned t = 0; t < 3; t++)
        for (unsigned k = MPU_SANITIZED ? t % 2 : 0; k < 6; k += MPU_SANITIZED ? 2 : 1) {
            mpu_target *target;
            const mpu_config config = {.size = sizeof config,
                                       .finish = mpu_config_word("finish", k / 2)};
            mpu_device *d = open_device(targets[t], NULL, &config, &target);
            struct source s = source_of(d, types[k % 2], 97, 10 * t + k);
            for (unsigned i = 0; i < 4; i++) {
                fold_one(&s, ops[i], s.type, i == k % 4 ? 97 : 8);
                if (i == k % 2)
                    scan_one(&s, ops[i], s.type);
            }
            fold_one(&s, MPU_OP_ADD, types[(k + 1) % 2], 97);
            close_source(&s);
            s = source_of(d, types[k % 2], 60, 10 * t + k);
            ordered(&s, k % 2 ? 12 : 5);
            close_source(&s);
            close_device(d, target);
        }
}

/* ---- room ---- */

static const mpu_vtype i32 = {MPU_KIND_INT, 32};

/* What the host scans has the machine's bits. */
static void scan_from_nan(mpu_device *device, uint64_t n) {
    static const mpu_vtype f32 = {MPU_KIND_FLOAT, 32};
    static const uint32_t nan = 0xffc12345;
    struct source s = source_of(device, f32, n, 77);
    s.x[0] = nan;
    fine(mpu_vector_put(s.v, 0, 1, &nan, &s.e), s.e);
    scan_one(&s, MPU_OP_MAX, f32);
    assert_int_equal(figure(device, "ways.scan.host"), 1);
    close_source(&s);
}

static void segments_by_host(mpu_device *device, uint64_t n) {
    struct source s = source_of(device, (mpu_vtype){MPU_KIND_FLOAT, 32}, n, 78);
    scan_segments(&s, MPU_OP_ADD, s.type, 4);
    sort_one(&s, 4);
    place_one(&s, MPU_OP_ARGMIN, 4);
    assert_int_equal(figure(device, "ways.sort.host"), 1);
    close_source(&s);
}

/* A chip of one MPU: vectors that it has no lanes for lie in chunks. */
static void chunks(void **state) {
    static const char *const small[] = {"machine.mpus=1", NULL};
    static const char *const names[] = {"racer", "mimdram", "duality-cache"};
    static const uint64_t lengths[] = {100003, 400001, 300001};
    (void)state;
    for (unsigned t = 0; t < 3; t++) {
        mpu_target *target;
        mpu_device *d = open_device(names[t], small, NULL, &target);
        play_on(d, lengths[t], 5 + t, 8, false, 3);
        assert_true(figure(d, "graph.runs") > figure(d, "graph.flushes"));
        struct source s = source_of(d, i32, lengths[t], 9);
        fold_one(&s, MPU_OP_ADD, i32, s.n);
        move_one(&s, (mpu_dim[]){{s.n, -1}}, 1, (int64_t)s.n - 1, false);
        close_source(&s);
        if (t == 0) {
            scan_from_nan(d, lengths[t]);
            segments_by_host(d, lengths[t] & ~UINT64_C(3));
        }
        close_device(d, target);
    }
}

/* MPUs keep the recipes of the programs before: the second of two equal flushes loads none. */
static void warm(void **state) {
    (void)state;
    for (unsigned t = 1; t < TARGETS; t++) {
        mpu_target *target;
        mpu_device *d = open_device(targets[t], NULL, NULL, &target);
        mpu_error *e = NULL;
        int32_t x[600] = {1, 2, 3};
        uint64_t ps[4], loads[4];
        mpu_vector *a = mpu_vector_new(d, i32, 600, &e);
        fine(mpu_vector_put(a, 0, 600, x, &e), e);
        for (unsigned k = 0; k < 4; k++) {
            mpu_device_reset_stats(d);
            mpu_vector *z =
                mpu_apply(d, MPU_OP_ADD, i32, 600, (mpu_operand[]){{a, 0}, {a, 0}}, 2, &e);
            mpu_vector *sum = mpu_fold(z, MPU_OP_MAX, i32, 0, 600, 600, &e);
            fine(mpu_device_flush(d, &e), e);
            loads[k] = figure(d, "total.template_loads");
            ps[k] = figure(d, "total.time_ps");
            mpu_vector_release(z);
            mpu_vector_release(sum);
        }
        if (loads[0]) /* not where the machine has no recipes */
            assert_true(ps[1] < ps[0]);
        for (unsigned k = 1; k < 4; k++) {
            assert_int_equal(loads[k], 0);
            assert_int_equal(ps[k], ps[1]);
        }
        if (t == 1)
            assert_true(loads[0] > 0);
        mpu_vector_release(a);
        close_device(d, target);
    }
}

/* Programs of many ensembles, where vectors of other types and lengths lay before. */
static void on_used_rows(mpu_device *device, uint64_t seed) {
    static const mpu_vtype types[] = {
        {MPU_KIND_UINT, 13}, {MPU_KIND_INT, 32}, {MPU_KIND_BOOL, 1}, {MPU_KIND_INT, 8}};
    struct play p = {.d = device, .seed = seed};
    for (unsigned k = 0; k < 8; k++) {
        mpu_vtype type = types[roll(&p, 4)];
        struct source s = source_of(device, type, 1 + roll(&p, 70), seed + k);
        scan_one(&s, MPU_OP_MAX, type);
        fold_one(&s, MPU_OP_AND, type, s.n);
        sort_one(&s, s.n);
        place_one(&s, MPU_OP_ARGMAX, s.n);
        close_source(&s);
        play_on(device, 1 + roll(&p, 70), seed + k, 4, false, 1);
    }
}

/* Every program beside golden, register by register. */
static void checked(void **state) {
    const mpu_config config = {.size = sizeof config, .check = 1};
    (void)state;
    for (unsigned t = 1; t < 3; t++) {
        mpu_target *target;
        mpu_device *d = open_device(targets[t], NULL, &config, &target);
        for (unsigned k = 0; k < 3; k++)
            play_on(d, 100 + k, 1003 + k, 60, k == 1, 4 * k);
        on_used_rows(d, 20 + t);
        close_device(d, target);
    }
}

/* Columns of a crossbar are few: what a scan takes of them beside its registers counts. */
static void scans_of_crossbars(void **state) {
    static const mpu_vtype types[] = {{MPU_KIND_INT, 32}, {MPU_KIND_UINT, 8}};
    mpu_target *target;
    mpu_device *d = open_device("pypim", NULL, NULL, &target);
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        struct source s = source_of(d, types[k], 100000, 50 + k);
        scan_one(&s, MPU_OP_ADD, s.type);
        close_source(&s);
    }
    assert_int_equal(figure(d, "ways.scan.host"), 0);
    close_device(d, target);
}

static void large(void **state) {
    static const char *const names[] = {"racer", "mimdram"};
    (void)state;
    for (unsigned t = 0; t < 2; t++) {
        mpu_target *target;
        mpu_device *d = open_device(names[t], NULL, NULL, &target);
        play_on(d, 1000003, 17 + t, 4, false, 0);
        close_device(d, target);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs),
        cmocka_unit_test(floats),
        cmocka_unit_test(sorts_of_lines),
        cmocka_unit_test(several),
        cmocka_unit_test(products),
        cmocka_unit_test(float_folds),
        cmocka_unit_test(chunks),
        cmocka_unit_test(checked),
        cmocka_unit_test(warm),
        cmocka_unit_test(large),
        cmocka_unit_test(scans_of_crossbars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

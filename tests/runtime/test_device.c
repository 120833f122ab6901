/* SPDX-License-Identifier: MIT
 * Vectors on a device: random graphs of all operations against a host that works each of them out
 * by itself, with flushes anywhere, cold and warm, in chunks and spilled. */
#include "support/bits.h"
#include "support/ieee.h"

#include <mpu/mpu.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *const targets[] = {"golden", "racer", "mimdram", "duality-cache", "pypim"};
enum { TARGETS = sizeof targets / sizeof *targets };

/* The error is looked at when the call is over. */
#define fine(result, error)                                                                        \
    do {                                                                                           \
        if ((result) != MPU_OK)                                                                    \
            fail_msg("%s", mpu_error_text(error));                                                 \
    } while (0)

static mpu_device *open_device(const char *name, const char *const *set, const mpu_config *config,
                               mpu_target **target) {
    mpu_error *e = NULL;
    *target = mpu_target_open(name, set, &e);
    if (!*target)
        fail_msg("%s", mpu_error_text(e));
    mpu_device *d = mpu_device_open(*target, config, &e);
    if (!d)
        fail_msg("%s", mpu_error_text(e));
    return d;
}

static void close_device(mpu_device *device, mpu_target *target) {
    mpu_device_close(device);
    mpu_target_close(target);
}

static uint64_t figure(mpu_device *device, const char *path) {
    uint64_t value = 0;
    assert_int_equal(mpu_device_figure(device, path, &value), MPU_OK);
    return value;
}

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
        return a < b ? x : y;
    case MPU_OP_MAX:
        return a > b ? x : y;
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

static uint64_t on_floats(mpu_op op, mpu_vtype t, uint64_t x, uint64_t y) {
    struct ieee_format f = format_of(t);
    uint64_t sign = UINT64_C(1) << (t.bits - 1);
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
    if (op == MPU_OP_SQRT || op == MPU_OP_UNORDERED || op == MPU_OP_SIGNBIT || op == MPU_OP_ISZERO)
        return is_float(t);
    if (op == MPU_OP_REM || op == MPU_OP_FLOORDIV || op == MPU_OP_FLOORMOD || op == MPU_OP_SHL ||
        op == MPU_OP_SHR)
        return !is_float(t) && !is_bool;
    if (op == MPU_OP_AND || op == MPU_OP_OR || op == MPU_OP_XOR || op == MPU_OP_NOT ||
        op == MPU_OP_POPCOUNT)
        return !is_float(t);
    if (op == MPU_OP_ADD || op == MPU_OP_SUB || op == MPU_OP_MUL || op == MPU_OP_DIV ||
        op == MPU_OP_NEG || op == MPU_OP_ABS)
        return !is_bool;
    return true;
}

static bool gives_bool(mpu_op op) {
    return (op >= MPU_OP_EQ && op <= MPU_OP_GE) || op == MPU_OP_BIT || op == MPU_OP_UNORDERED ||
           op == MPU_OP_SIGNBIT || op == MPU_OP_ISZERO;
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
        bool number = (op == MPU_OP_BIT && k == 1) || (op == MPU_OP_SETBIT && k == 2);
        types[k] = operand_type(play, op, type, k);
        operands[k].bits = number ? roll(play, type.bits) : random_pattern(play, types[k]);
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
        apply_random(play, (mpu_op)roll(play, MPU_OPS), random_type(play));
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
        for (unsigned k = 0; k < 4; k++) {
            play_on(d, lengths[k], 100 * t + k, 60, false, k * 5);
            uint64_t made = figure(d, "graph.programs");
            play_on(d, lengths[k], 100 * t + k, 60, false, k * 5);
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

/* Takes in the element before, the one two before, four before: the order matters to floats. */
static void scan_one(struct source *source, mpu_op op, mpu_vtype type) {
    uint64_t *want = calloc(source->n, sizeof *want);
    for (uint64_t i = 0; i < source->n; i++)
        want[i] = cast(source->x[i], source->type, type) & low_bits(type.bits);
    if (is_float(type) && source->n > 1 && ieee_is_nan(format_of(type), want[0]))
        want[0] = ieee_nan(format_of(type));
    for (uint64_t step = 1; step < source->n; step *= 2)
        for (uint64_t i = source->n; i-- > step;)
            want[i] = combine(op, type, want[i - step], want[i]);
    expect(source, mpu_scan(source->v, op, type, &source->e), type, source->n, want, "scan");
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
}

static void several(void **state) {
    static const uint64_t lengths[] = {1, 2, 97, 64, 1536};
    static const mpu_vtype types[] = {{MPU_KIND_INT, 8}, {MPU_KIND_UINT, 5}, {MPU_KIND_INT, 32}};
    (void)state;
    for (unsigned t = 0; t < TARGETS; t++) {
        mpu_target *target;
        const mpu_config config = {.size = sizeof config,
                                   .finish = mpu_config_word("finish", t % 3)};
        mpu_device *d = open_device(targets[t], NULL, &config, &target);
        for (unsigned k = 0; k < 5; k++) {
            struct source s = source_of(d, types[(k + t) % 3], lengths[k], 10 * t + k);
            moves_of(&s);
            numbers_of(&s);
            take_one(&s, 1);
            take_one(&s, 200);
            close_source(&s);
        }
        assert_true(figure(d, "ways.move.machine") > 50);
        if (t % 3 == 1) /* "device" */
            assert_true(figure(d, "ways.fold.machine") > 20);
        if (t % 3 == 2)
            assert_true(figure(d, "ways.fold.partial") + figure(d, "ways.fold.host") > 20);
        if (t % 3 == 2)
            assert_int_equal(figure(d, "ways.fold.machine"), 0);
        assert_true(figure(d, "ways.scan.machine") > 10);
        assert_int_equal(figure(d, "ways.move.host"), 0);
        assert_int_equal(figure(d, "ways.scan.host"), 0);
        assert_int_equal(figure(d, "ways.take.host"), 0);
        close_device(d, target);
    }
}

/* Folds in pairs of neighbours, wherever they are made; scans by doubling. */
static void float_folds(void **state) {
    static const mpu_vtype types[] = {{MPU_KIND_FLOAT, 32}, {MPU_KIND_FLOAT, 64}};
    static const mpu_op ops[] = {MPU_OP_ADD, MPU_OP_MUL, MPU_OP_MIN, MPU_OP_MAX};
    (void)state;
    for (unsigned t = 0; t < 3; t++)
        for (unsigned k = 0; k < 6; k++) {
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
            close_device(d, target);
        }
}

/* ---- room ---- */

static const mpu_vtype i32 = {MPU_KIND_INT, 32}, u8 = {MPU_KIND_UINT, 8};

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
        if (t == 0)
            scan_from_nan(d, lengths[t]);
        close_device(d, target);
    }
}

/* More vectors than a lane has rows. */
static void spills(void **state) {
    static const char *const small[] = {"machine.mpus=1", "machine.vrf_per_rfh=1", NULL};
    const mpu_config never = {.size = sizeof never, .spill = "never"};
    mpu_target *target;
    mpu_device *d = open_device("racer", small, NULL, &target);
    mpu_error *e = NULL;
    mpu_vector *v[100];
    int32_t x[10], sum = 0;
    (void)state;
    for (int32_t k = 0; k < 100; k++) {
        for (int i = 0; i < 10; i++)
            x[i] = 1000 * k + i;
        v[k] = mpu_vector_new(d, i32, 10, &e);
        fine(mpu_vector_put(v[k], 0, 10, x, &e), e);
        sum += x[3];
    }
    assert_true(figure(d, "host.spills") >= 36);
    for (int k = 1; k < 100; k++) {
        mpu_vector *z =
            mpu_apply(d, MPU_OP_ADD, i32, 10, (mpu_operand[]){{v[0], 0}, {v[k], 0}}, 2, &e);
        mpu_vector_release(v[0]);
        mpu_vector_release(v[k]);
        v[0] = z;
    }
    fine(mpu_vector_get(v[0], 3, 1, x, &e), e);
    assert_int_equal(x[0], sum);
    assert_true(figure(d, "host.restores") >= 36);
    mpu_vector_release(v[0]);
    close_device(d, target);

    d = open_device("racer", small, &never, &target);
    for (int k = 0; k < 100; k++) {
        v[k] = mpu_vector_new(d, i32, 10, &e);
        mpu_result r = mpu_vector_put(v[k], 0, 10, x, &e);
        if (r == MPU_OK)
            continue;
        assert_int_equal(r, MPU_CAPACITY);
        assert_non_null(strstr(mpu_error_text(e), "rows"));
        mpu_error_free(e);
        mpu_vector_release(v[k]);
        while (k-- > 0)
            mpu_vector_release(v[k]);
        break;
    }
    assert_int_equal(figure(d, "host.spills"), 0);
    close_device(d, target);
}

static void count_moves(void *context, const mpu_message *m) {
    const char *warning = mpu_message_warning(m);
    assert_non_null(warning);
    assert_string_equal(warning, "moves");
    assert_non_null(strstr(mpu_message_text(m), "vectors of 1000 elements"));
    ++*(unsigned *)context;
}

/* Two slabs of one length: what is in the other one is moved, and that is said once. */
static void slabs(void **state) {
    mpu_target *target;
    unsigned warnings = 0;
    mpu_messages *messages = mpu_messages_new(count_moves, &warnings);
    const mpu_config config = {.size = sizeof config, .messages = messages};
    mpu_device *d = open_device("racer", NULL, &config, &target);
    mpu_error *e = NULL;
    mpu_vector *v[100];
    int32_t x[1000], sum[1000] = {0};
    (void)state;
    for (int32_t k = 0; k < 100; k++) {
        for (int i = 0; i < 1000; i++)
            sum[i] += x[i] = 1000 * k + i * k;
        v[k] = mpu_vector_new(d, i32, 1000, &e);
        fine(mpu_vector_put(v[k], 0, 1000, x, &e), e);
    }
    assert_true(figure(d, "slabs.1.vectors") > 30);
    mpu_messages_flush(messages);
    assert_int_equal(warnings, 0);
    for (int k = 0; k < 50; k++) {
        mpu_vector *z =
            mpu_apply(d, MPU_OP_ADD, i32, 1000, (mpu_operand[]){{v[k], 0}, {v[99 - k], 0}}, 2, &e);
        mpu_vector_release(v[k]);
        v[k] = z;
    }
    for (int k = 1; k < 50; k++) {
        mpu_vector *z =
            mpu_apply(d, MPU_OP_ADD, i32, 1000, (mpu_operand[]){{v[0], 0}, {v[k], 0}}, 2, &e);
        mpu_vector_release(v[0]);
        v[0] = z;
    }
    fine(mpu_vector_get(v[0], 0, 1000, x, &e), e);
    assert_memory_equal(x, sum, sizeof x);
    assert_true(figure(d, "graph.slab_copies") > 10);
    assert_int_equal(figure(d, "host.spills"), 0);
    assert_int_equal(figure(d, "host.gets"), 1);
    mpu_messages_flush(messages);
    assert_int_equal(warnings, 1);
    for (int k = 0; k < 100; k++)
        mpu_vector_release(v[k]);
    close_device(d, target);
    mpu_messages_free(messages);
}

static void temporaries(void **state) {
    mpu_target *target;
    mpu_device *d = open_device("mimdram", NULL, NULL, &target);
    mpu_error *e = NULL;
    mpu_vector *one = mpu_vector_new(d, i32, 64, &e), *sum = mpu_vector_new(d, i32, 64, &e);
    int32_t x[64];
    (void)state;
    for (int i = 0; i < 64; i++)
        x[i] = i;
    fine(mpu_vector_put(one, 0, 64, x, &e), e);
    fine(mpu_vector_put(sum, 0, 64, x, &e), e);
    uint64_t rows = figure(d, "slabs.0.rows");
    for (unsigned k = 0; k < 1000000; k++) {
        mpu_vector *z = mpu_apply(d, k % 50 ? MPU_OP_XOR : MPU_OP_ADD, i32, 64,
                                  (mpu_operand[]){{sum, 0}, {one, 0}}, 2, &e);
        if (!z)
            fail_msg("%s", mpu_error_text(e));
        if (k % 50 == 0)
            fine(mpu_vector_set(sum, z, &e), e);
        mpu_vector_release(z);
    }
    fine(mpu_vector_get(sum, 0, 64, x, &e), e);
    for (int i = 0; i < 64; i++)
        assert_int_equal(x[i], 20001 * i);
    assert_int_equal(figure(d, "slabs.0.rows"), rows);
    assert_int_equal(figure(d, "slabs.0.vectors"), 2);
    assert_int_equal(figure(d, "graph.dropped") + figure(d, "graph.operations"), 1000000);
    assert_true(figure(d, "graph.operations") <= 20010);
    mpu_vector_release(one);
    mpu_vector_release(sum);
    close_device(d, target);
}

/* ---- failures ---- */

static void stops(void **state) {
    volatile int interrupted = 0;
    const mpu_config config = {.size = sizeof config, .interrupted = &interrupted};
    mpu_target *target;
    mpu_device *d = open_device("racer", NULL, &config, &target);
    mpu_error *e = NULL;
    uint8_t x[4] = {1, 2, 3, 4}, y[4];
    mpu_vector *a = mpu_vector_new(d, u8, 4, &e);
    (void)state;
    fine(mpu_vector_put(a, 0, 4, x, &e), e);
    mpu_vector *b = mpu_apply(d, MPU_OP_ADD, u8, 4, (mpu_operand[]){{a, 0}, {NULL, 5}}, 2, &e);
    fine(mpu_vector_get(b, 0, 4, y, &e), e);
    mpu_vector *c = mpu_apply(d, MPU_OP_MUL, u8, 4, (mpu_operand[]){{b, 0}, {a, 0}}, 2, &e);
    mpu_vector *f = mpu_fold(c, MPU_OP_ADD, u8, 0, 4, 4, &e);
    interrupted = 1;
    assert_int_equal(mpu_vector_get(f, 0, 1, y, &e), MPU_STOPPED);
    char *why = strdup(mpu_error_text(e));
    mpu_error_free(e);
    interrupted = 0;
    /* Both failed for good and say the same again; what was there before is as it was. */
    assert_int_equal(mpu_vector_get(c, 0, 4, y, &e), MPU_STOPPED);
    assert_string_equal(mpu_error_text(e), why);
    mpu_error_free(e);
    assert_null(mpu_apply(d, MPU_OP_NOT, u8, 4, (mpu_operand[]){{c, 0}}, 1, &e));
    assert_int_equal(mpu_error_code(e), MPU_STOPPED);
    mpu_error_free(e);
    e = NULL;
    fine(mpu_vector_get(b, 0, 4, y, &e), e);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(y[i], x[i] + 5);
    fine(mpu_vector_set(c, b, &e), e);
    fine(mpu_vector_get(c, 0, 4, y, &e), e);
    assert_int_equal(y[3], 9);
    free(why);
    mpu_vector_release(a);
    mpu_vector_release(b);
    mpu_vector_release(c);
    mpu_vector_release(f);
    close_device(d, target);
}

static void refuse(mpu_vector *v, mpu_error **e, const char *text) {
    assert_null(v);
    assert_int_equal(mpu_error_code(*e), MPU_USAGE);
    if (!strstr(mpu_error_text(*e), text))
        fail_msg("'%s' does not say '%s'", mpu_error_text(*e), text);
    mpu_error_free(*e);
    *e = NULL;
}

static void refusals(void **state) {
    mpu_target *target, *other_target;
    mpu_device *d = open_device("golden", NULL, NULL, &target);
    mpu_device *other = open_device("golden", NULL, NULL, &other_target);
    mpu_error *e = NULL;
    mpu_vector *x = mpu_vector_new(d, u8, 4, &e), *y = mpu_vector_new(other, u8, 4, &e);
    mpu_vector *z = mpu_vector_new(d, i32, 4, &e);
    const mpu_dim none = {0, 1}, far = {UINT64_C(1) << 30, INT64_MAX / 4};
    const mpu_array table = {.type = MPU_U8, .ndim = 2, .shape = {2, 2}, .data = &e};
    (void)state;
    refuse(mpu_vector_new(d, (mpu_vtype){MPU_KIND_INT, 1}, 4, &e), &e, "no type");
    refuse(mpu_vector_new(d, (mpu_vtype){77, 8}, 4, &e), &e, "no type");
    refuse(mpu_vector_new(d, (mpu_vtype){MPU_KIND_FLOAT, 24}, 4, &e), &e, "no type");
    refuse(mpu_vector_new(d, u8, 0, &e), &e, "1 to 2^40");
    refuse(mpu_vector_new(d, u8, UINT64_MAX, &e), &e, "1 to 2^40");
    refuse(mpu_apply(d, (mpu_op)99, u8, 4, NULL, 0, &e), &e, "no operation");
    refuse(mpu_apply(d, MPU_OP_ADD, u8, 4, (mpu_operand[]){{x, 0}}, 1, &e), &e, "2 operands");
    refuse(mpu_apply(d, MPU_OP_SQRT, u8, 4, (mpu_operand[]){{x, 0}}, 1, &e), &e, "of u8");
    refuse(mpu_apply(d, MPU_OP_ADD, u8, 4, (mpu_operand[]){{x, 0}, {y, 0}}, 2, &e), &e, "another");
    refuse(mpu_apply(d, MPU_OP_ADD, u8, 4, (mpu_operand[]){{x, 0}, {z, 0}}, 2, &e), &e, "is i32");
    refuse(mpu_apply(d, MPU_OP_NOT, u8, 5, (mpu_operand[]){{x, 0}}, 1, &e), &e, "not 5");
    refuse(mpu_apply(d, MPU_OP_BIT, u8, 4, (mpu_operand[]){{x, 0}, {NULL, 8}}, 2, &e), &e, "bit 8");
    refuse(mpu_apply(d, MPU_OP_BITCAST, i32, 4, (mpu_operand[]){{x, 0}}, 1, &e), &e, "u8");
    refuse(mpu_move(x, &none, 1, 0, 0, 0, &e), &e, "axes");
    refuse(mpu_move(x, &far, 1, 0, 0, 0, &e), &e, "63 bits");
    refuse(mpu_fold(x, MPU_OP_SUB, u8, 0, 4, 4, &e), &e, "a fold is by");
    refuse(mpu_fold(x, MPU_OP_ADD, u8, 1, 4, 4, &e), &e, "not in a vector of 4");
    refuse(mpu_fold(x, MPU_OP_ADD, u8, 0, 4, 3, &e), &e, "segments of 3");
    refuse(mpu_take(x, &table, &e), &e, "one dimension");
    assert_int_equal(mpu_vector_set(x, z, NULL), MPU_USAGE);
    assert_int_equal(mpu_vector_set(x, y, NULL), MPU_USAGE);
    assert_int_equal(mpu_vector_put(x, 3, 2, "ab", NULL), MPU_USAGE);
    assert_int_equal(mpu_vector_get(x, UINT64_MAX, 2, NULL, NULL), MPU_USAGE);
    assert_null(mpu_device_stats(d, "xml", NULL));
    mpu_vector_release(y);
    close_device(other, other_target);
    mpu_device_close(d); /* before its vectors */
    assert_int_equal(mpu_vector_put(x, 0, 2, "ab", NULL), MPU_USAGE);
    refuse(mpu_scan(x, MPU_OP_ADD, u8, &e), &e, "closed");
    mpu_vector_release(x);
    mpu_vector_release(z);
    mpu_target_close(target);
}

/* ---- cost ---- */

static const char *write_target(const char *name, const char *text) {
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    return name;
}

/* What programs, transfers and loads take adds up, whatever is asked in between; a warm program
 * loads nothing, one with another scalar a few words. */
static void adds_up_on(const char *name, uint64_t launch_ps) {
    static const char *const paths[] = {
        "total.time_ps",   "total.energy_fj", "host.time_ps",   "total.end_to_end_time_ps",
        "total.micro_ops", "load.time_ps",    "launch.time_ps", "host.transpose_time_ps"};
    enum { PATHS = sizeof paths / sizeof *paths };
    uint64_t sum[PATHS] = {0}, all[PATHS];
    mpu_error *e = NULL;
    for (unsigned turn = 0; turn < 2; turn++) {
        mpu_target *target;
        mpu_device *d = open_device(name, NULL, NULL, &target);
        int32_t x[600] = {0};
        mpu_vector *a = mpu_vector_new(d, i32, 600, &e);
        fine(mpu_vector_put(a, 0, 600, x, &e), e);
        for (unsigned k = 0; k < 6; k++) {
            uint64_t scalar = k < 3 ? 77 : 77 + k;
            mpu_vector *z =
                mpu_apply(d, MPU_OP_ADD, i32, 600, (mpu_operand[]){{a, 0}, {NULL, scalar}}, 2, &e);
            fine(mpu_vector_get(z, 0, 600, x, &e), e);
            assert_int_equal(x[599], scalar);
            mpu_vector_release(z);
            if (turn && k) {
                if (k < 3 || !launch_ps) /* of a target of a file recipes are made for constants */
                    assert_int_equal(figure(d, "load.text_bytes"), 0);
                assert_int_equal(figure(d, "graph.hits"), 1);
                assert_true(figure(d, "load.patched_bytes") <= (k < 3 ? 0 : 12));
            }
            fine(mpu_device_flush(d, &e), e); /* nothing waits: it takes nothing */
            if (turn)
                assert_int_equal(figure(d, "launch.count"), 1);
            for (unsigned i = 0; turn && i < PATHS; i++)
                sum[i] += figure(d, paths[i]);
            if (turn)
                mpu_device_reset_stats(d);
        }
        for (unsigned i = 0; !turn && i < PATHS; i++)
            all[i] = figure(d, paths[i]);
        mpu_vector_release(a);
        close_device(d, target);
    }
    for (unsigned i = 0; i < PATHS; i++)
        assert_int_equal(sum[i], all[i]);
    assert_int_equal(all[6], 6 * launch_ps);
    assert_int_equal(all[3], all[0] + all[2] + all[5] + all[6] + all[7]);
}

static void adds_up(void **state) {
    static const char launched[] = "name: started\nextends: racer\ncontrol: {launch_ps: 7000}\n";
    (void)state;
    adds_up_on("racer", 0);
    adds_up_on(write_target("started.yaml", launched), 7000);
    remove("started.yaml");
}

/* Recipes go over the link once, whatever programs they are of. */
static void recipes(void **state) {
    mpu_target *target;
    mpu_device *d = open_device("racer", NULL, NULL, &target);
    mpu_error *e = NULL;
    uint64_t bytes[3];
    (void)state;
    for (unsigned k = 0; k < 3; k++) {
        uint64_t n = k ? 70 : 64;
        mpu_vector *a = mpu_vector_new(d, i32, n, &e);
        int32_t x[70] = {0};
        fine(mpu_vector_put(a, 0, n, x, &e), e);
        mpu_vector *z = mpu_apply(d, k < 2 ? MPU_OP_ADD : MPU_OP_MUL, i32, n,
                                  (mpu_operand[]){{a, 0}, {a, 0}}, 2, &e);
        fine(mpu_device_flush(d, &e), e);
        bytes[k] = figure(d, "load.recipe_table_bytes");
        mpu_vector_release(a);
        mpu_vector_release(z);
    }
    assert_true(bytes[0] > 0);
    assert_int_equal(bytes[1], bytes[0]);
    assert_true(bytes[2] > bytes[1]);
    assert_int_equal(figure(d, "load.programs"), 3);
    close_device(d, target);
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

/* Every program beside golden, register by register. */
static void checked(void **state) {
    const mpu_config config = {.size = sizeof config, .check = 1};
    (void)state;
    for (unsigned t = 1; t < 3; t++) {
        mpu_target *target;
        mpu_device *d = open_device(targets[t], NULL, &config, &target);
        for (unsigned k = 0; k < 3; k++)
            play_on(d, 100 + k, 1003 + k, 60, k == 1, 4 * k);
        close_device(d, target);
    }
}

static const char subroutines[] =
    "sub mix(x: u8, y: u8): u8 { return x * y + 3; }\n"
    "sub steps(n: u16): u16 { let k: u16 = 0; while (n > 1) {"
    " if ((n & 1) == 0) { n = n / 2; } else { n = n * 3 + 1; } k = k + 1; } return k; }\n";

static mpu_program *build_parts(void) {
    mpu_error *e = NULL;
    mpu_source *source = mpu_source_new(NULL);
    mpu_source_set_parts(source);
    mpu_source_add_text(source, "parts.ez", subroutines, sizeof subroutines - 1);
    mpu_program *p = mpu_source_build(source, &e);
    if (!p)
        fail_msg("%s", mpu_error_text(e));
    mpu_source_free(source);
    return p;
}

static uint64_t steps_of(uint64_t n) {
    uint64_t k = 0;
    for (; n > 1; k++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return k;
}

/* Subroutines with and without loops, among other operations. */
static void calls(void **state) {
    static const mpu_vtype u16 = {MPU_KIND_UINT, 16};
    mpu_program *p = build_parts();
    (void)state;
    for (unsigned t = 0; t < 3; t++) {
        mpu_target *target;
        mpu_device *d = open_device(targets[t], NULL, NULL, &target);
        mpu_error *e = NULL;
        uint8_t x[70], z[70];
        uint16_t k[70];
        mpu_vector *v = mpu_vector_new(d, u8, 70, &e);
        for (unsigned i = 0; i < 70; i++)
            x[i] = (uint8_t)(1 + i);
        fine(mpu_vector_put(v, 0, 70, x, &e), e);
        mpu_vector *a = mpu_call(d, p, "mix", 70, (mpu_operand[]){{v, 0}, {NULL, 7}}, 2, &e);
        mpu_vector *b = mpu_apply(d, MPU_OP_XOR, u8, 70, (mpu_operand[]){{a, 0}, {v, 0}}, 2, &e);
        mpu_vector *c = mpu_call(d, p, "mix", 70, (mpu_operand[]){{b, 0}, {a, 0}}, 2, &e);
        mpu_vector *w = mpu_apply(d, MPU_OP_CAST, u16, 70, (mpu_operand[]){{v, 0}}, 1, &e);
        mpu_vector *n = mpu_call(d, p, "steps", 70, (mpu_operand[]){{w, 0}}, 1, &e);
        if (!n || !c)
            fail_msg("%s", mpu_error_text(e));
        fine(mpu_vector_get(c, 0, 70, z, &e), e);
        fine(mpu_vector_get(n, 0, 70, k, &e), e);
        for (unsigned i = 0; i < 70; i++) {
            uint8_t first = (uint8_t)(x[i] * 7 + 3);
            assert_int_equal(z[i], (uint8_t)((first ^ x[i]) * first + 3));
            assert_int_equal(k[i], steps_of(x[i]));
        }
        refuse(mpu_call(d, p, "max", 70, NULL, 0, &e), &e, "no subroutine 'max'");
        refuse(mpu_call(d, p, "mix", 70, (mpu_operand[]){{v, 0}}, 1, &e), &e, "1 operands");
        refuse(mpu_call(d, p, "steps", 70, (mpu_operand[]){{v, 0}}, 1, &e), &e, "is u8, not u16");
        refuse(mpu_call(d, p, "steps", 71, (mpu_operand[]){{w, 0}}, 1, &e), &e, "not 71");
        assert_null(mpu_session_new(p, target, NULL, &e));
        assert_non_null(strstr(mpu_error_text(e), "subroutines alone"));
        mpu_error_free(e);
        mpu_vector *all[] = {v, a, b, c, w, n};
        for (unsigned i = 0; i < 6; i++)
            mpu_vector_release(all[i]);
        close_device(d, target);
    }
    mpu_program_free(p);
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
        cmocka_unit_test(graphs),      cmocka_unit_test(floats),  cmocka_unit_test(several),
        cmocka_unit_test(chunks),      cmocka_unit_test(spills),  cmocka_unit_test(slabs),
        cmocka_unit_test(temporaries), cmocka_unit_test(stops),   cmocka_unit_test(refusals),
        cmocka_unit_test(adds_up),     cmocka_unit_test(recipes), cmocka_unit_test(checked),
        cmocka_unit_test(warm),        cmocka_unit_test(large),   cmocka_unit_test(calls),
        cmocka_unit_test(float_folds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 * Every operation on floats and every conversion, in every format, on every plane machine: a
 * program of one instruction run on pairs of every class and random ones, against LLVM's APFloat;
 * roots against exact integers, FMIN and FMAX against their definition.  With `arith: flush` the
 * same with zeros in the place of subnormal operands and results. test_floats [FIRST COUNT [PAIRS
 * [SEED]]]: of the runs, which are counted on from the first again; test_floats --all TARGET:
 * FADD.16 and FMUL.16 of all pairs that there are, some 20 minutes. */
#include "tests/draws.h"
#include "mpu/mpu.h"
#include "support/alloc.h"
#include "support/bits.h"
#include "support/ieee.h"
#include "support/llvm/apfloat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAIRS draws(DRAWS_FLOAT_PAIRS)
#ifdef MPU_SANITIZED
enum { RUNS = 1 };
#else
enum { RUNS = 16 };
#endif

__extension__ typedef unsigned __int128 wide;

static const struct {
    const char *target;
    bool flush;
} runs[] = {{"racer", false},       {"racer-magic", false}, {"racer-felix", false},
            {"racer-ideal", false}, {"racer-oscar", false}, {"mimdram", false},
            {"simdram", false},     {"ambit", false},       {"duality-cache", false},
            {"pypim", false},       {"racer", true},        {"racer-magic", true},
            {"racer-ideal", true},  {"mimdram", true},      {"pypim", true},
            {"golden", true}};

struct format {
    const char *name;   /* of the type */
    const char *prefix; /* of the mnemonics */
    mpu_type type;
    struct ieee_format ieee;
};
static const struct format formats[] = {{"f16", "", MPU_F16, {5, 10, false, IEEE_NEAREST}},
                                        {"bf16", "B", MPU_BF16, {8, 7, false, IEEE_NEAREST}},
                                        {"f32", "", MPU_F32, {8, 23, false, IEEE_NEAREST}},
                                        {"f64", "", MPU_F64, {11, 52, false, IEEE_NEAREST}}};
#define FORMATS (sizeof formats / sizeof *formats)

enum operation { ADD, SUB, MUL, DIV, SQRT, EQ, LT, LE, UN, MIN, MAX, NEG, ABS, SIGN, ZERO };
static const struct {
    const char *name;
    unsigned operands;
    bool compares;
} operations[] = {{"FADD", 2, 0},   {"FSUB", 2, 0},   {"FMUL", 2, 0},   {"FDIV", 2, 0},
                  {"FSQRT", 1, 0},  {"FCMPEQ", 2, 1}, {"FCMPLT", 2, 1}, {"FCMPLE", 2, 1},
                  {"FCMPUN", 2, 1}, {"FMIN", 2, 0},   {"FMAX", 2, 0},   {"FNEG", 1, 0},
                  {"FABS", 1, 0},   {"FSIGN", 1, 0},  {"FZERO", 1, 0}};
#define OPERATIONS (sizeof operations / sizeof *operations)

/* --- what is right --- */

static bool is_nan(const struct format *f, uint64_t v) {
    return apfloat_is_nan(f->ieee.exponent_bits, f->ieee.fraction_bits, v);
}

static enum apfloat_order order(const struct format *f, uint64_t x, uint64_t y) {
    return apfloat_compare(f->ieee.exponent_bits, f->ieee.fraction_bits, x, y);
}

/* Where the format flushes, the zero of its sign in the place of a subnormal number. */
static uint64_t flushed(const struct format *f, uint64_t v) {
    uint64_t sign = ieee_sign_bit(f->ieee);
    bool small = (v & (sign - 1)) >> f->ieee.fraction_bits == 0;
    return f->ieee.flush && small ? v & sign : v;
}

/* significand * 2^*exponent, for a number above 0. */
static uint64_t parts(const struct format *f, uint64_t v, int *exponent) {
    uint64_t field = v >> f->ieee.fraction_bits, hidden = (uint64_t)1 << f->ieee.fraction_bits;
    int bias = (1 << (f->ieee.exponent_bits - 1)) - 1;
    *exponent = (int)(field ? field : 1) - bias - f->ieee.fraction_bits;
    return (v & (hidden - 1)) | (field ? hidden : 0);
}

/* Whether r is the number nearest to the root of x: the squares of the points half a unit below and
 * above r lie on either side of x.  A root is never subnormal and never such a point. */
static bool is_root(const struct format *f, uint64_t x, uint64_t r) {
    int ex, er;
    uint64_t mx = parts(f, x, &ex), mr = parts(f, r, &er);
    wide low = (wide)(2 * mr - 1) * (2 * mr - 1), high = (wide)(2 * mr + 1) * (2 * mr + 1);
    int shift = ex - 2 * (er - 1); /* x in units of the squares */
    if (shift < 0 || shift > 64 + 60)
        return false;
    wide square = (wide)mx << shift;
    return square >> shift == mx && low < square && square < high;
}

static bool root_is_right(const struct format *f, uint64_t x, uint64_t got) {
    uint64_t sign = ieee_sign_bit(f->ieee);
    if ((x & (sign - 1)) == 0)
        return got == x;
    if (is_nan(f, x) || x & sign)
        return got == ieee_nan(f->ieee);
    if (x == ieee_infinity(f->ieee, false))
        return got == x;
    return got < ieee_infinity(f->ieee, false) && is_root(f, x, got);
}

static uint64_t extreme(const struct format *f, uint64_t x, uint64_t y, bool more) {
    bool first = (x & ieee_sign_bit(f->ieee)) != 0; /* of equal ones: -0 is the smaller */
    switch (order(f, x, y)) {
    case APFLOAT_LESS:
        return more ? y : x;
    case APFLOAT_GREATER:
        return more ? x : y;
    case APFLOAT_EQUAL:
        return first != more ? x : y;
    case APFLOAT_UNORDERED:
        break;
    }
    return is_nan(f, x) && is_nan(f, y) ? ieee_nan(f->ieee) : is_nan(f, x) ? y : x;
}

static uint64_t arithmetic(enum operation op, const struct format *f, uint64_t x, uint64_t y) {
    unsigned e = f->ieee.exponent_bits, m = f->ieee.fraction_bits;
    uint64_t r = op == ADD   ? apfloat_add(e, m, x, y)
                 : op == SUB ? apfloat_sub(e, m, x, y)
                 : op == MUL ? apfloat_mul(e, m, x, y)
                             : apfloat_div(e, m, x, y);
    return is_nan(f, r) ? ieee_nan(f->ieee) : flushed(f, r);
}

static bool is_right(enum operation op, const struct format *f, uint64_t x, uint64_t y,
                     uint64_t got) {
    if (op != NEG && op != ABS && op != SIGN) {
        x = flushed(f, x);
        y = flushed(f, y);
    }
    enum apfloat_order o = order(f, x, y);
    uint64_t sign = ieee_sign_bit(f->ieee);
    switch (op) {
    case ADD:
    case SUB:
    case MUL:
    case DIV:
        return got == arithmetic(op, f, x, y);
    case SQRT:
        return root_is_right(f, x, got);
    case EQ:
        return got == (o == APFLOAT_EQUAL);
    case LT:
        return got == (o == APFLOAT_LESS);
    case LE:
        return got == (o == APFLOAT_EQUAL || o == APFLOAT_LESS);
    case UN:
        return got == (o == APFLOAT_UNORDERED);
    case MIN:
    case MAX:
        return got == extreme(f, x, y, op == MAX);
    case NEG:
        return got == (x ^ sign);
    case ABS:
        return got == (x & (sign - 1));
    case SIGN:
        return got == (x & sign) / sign;
    case ZERO:
        return got == ((x & (sign - 1)) == 0);
    }
    return false;
}

/* --- programs and their runs --- */

struct run {
    mpu_program *program;
    mpu_session *session;
    uint64_t count;
    uint64_t *x, *y;
};

static void stop(mpu_error *e, const char *what) {
    fprintf(stderr, "%s: %s\n", what, e ? mpu_error_text(e) : "failed");
    exit(1);
}

static mpu_program *build(const char *text) {
    mpu_error *e = NULL;
    mpu_source *s = mpu_source_new(NULL);
    mpu_source_add_text(s, "float.s", text, strlen(text));
    mpu_program *p = mpu_source_build(s, &e);
    mpu_source_free(s);
    if (!p)
        stop(e, text);
    return p;
}

static mpu_program *make_program(const struct format *f, enum operation op) {
    char text[512];
    unsigned w = ieee_width(f->ieee);
    bool bits = operations[op].compares || op == SIGN || op == ZERO;
    char unsigned_type[8];
    snprintf(unsigned_type, sizeof unsigned_type, "u%u", w);
    snprintf(text, sizeof text,
             ".size n\n.group g[n]\n.var in x: %s @g = r0\n.var in y: %s @g = r1\n"
             ".var out z: %s @g = r2\nCOMPUTEG @g\n%s%s.%u r0 %s%s\n%sCOMPUTE_DONE\nHALT\n",
             f->name, f->name, bits ? unsigned_type : f->name, f->prefix, operations[op].name, w,
             operations[op].operands == 2 ? "r1 " : "", operations[op].compares ? "" : "r2",
             operations[op].compares ? "INIT0 r2\nGETC.1 r2\n" : "");
    return build(text);
}

static uint64_t element(const void *data, unsigned bytes, uint64_t index) {
    uint64_t v = 0;
    memcpy(&v, (const char *)data + index * bytes, bytes);
    return v;
}

/* Values of a type of that many bits. */
static void put(const struct run *run, mpu_type type, unsigned bits, const char *name,
                const uint64_t *values) {
    unsigned bytes = bits / 8;
    char *data = xcalloc(run->count, bytes);
    for (uint64_t i = 0; i < run->count; i++)
        memcpy(data + i * bytes, &values[i], bytes); /* little-endian, as files are */
    mpu_error *e = NULL;
    mpu_array a = {type, 1, {run->count}, data};
    if (mpu_session_put(run->session, name, &a, &e) != MPU_OK)
        stop(e, name);
    free(data);
}

/* How many results are wrong; the first is shown. */
static uint64_t compare(const struct run *run, const char *target, const struct format *f,
                        enum operation op) {
    mpu_error *e = NULL;
    mpu_array z;
    uint64_t wrong = 0;
    if (mpu_session_get(run->session, "z", &z, &e) != MPU_OK)
        stop(e, "z");
    for (uint64_t i = 0; i < run->count; i++) {
        uint64_t got = element(z.data, ieee_width(f->ieee) / 8, i);
        if (!is_right(op, f, run->x[i], run->y[i], got) && wrong++ == 0)
            fprintf(stderr, "%s on %s: %s of %llx and %llx is %llx\n", f->name, target,
                    operations[op].name, (unsigned long long)run->x[i],
                    (unsigned long long)run->y[i], (unsigned long long)got);
    }
    mpu_array_free(&z);
    return wrong;
}

static void draw(struct run *run, const struct format *f, uint64_t seed) {
    for (uint64_t i = 0; i < run->count; i++) {
        uint64_t pair[2];
        ieee_random_pair(f->ieee, &seed, pair);
        if (i < IEEE_EDGES * IEEE_EDGES) {
            pair[0] = ieee_edge(f->ieee, (unsigned)i % IEEE_EDGES);
            pair[1] = ieee_edge(f->ieee, (unsigned)i / IEEE_EDGES);
        }
        run->x[i] = pair[0];
        run->y[i] = pair[1];
    }
}

/* Some pairs whose product or quotient lies beside the least normal number, and may be rounded to
 * it. */
static void draw_least(struct run *run, const struct format *f, enum operation op) {
    uint64_t least = (uint64_t)1 << f->ieee.fraction_bits;
    unsigned e = f->ieee.exponent_bits, m = f->ieee.fraction_bits;
    for (uint64_t i = IEEE_EDGES * IEEE_EDGES; i < run->count; i += 8)
        if (op == MUL)
            run->y[i] = apfloat_div(e, m, least, run->x[i]);
        else if (op == DIV)
            run->x[i] = apfloat_mul(e, m, least, run->y[i]);
}

static void open_run(struct run *run, mpu_target *target, mpu_program *program) {
    mpu_error *e = NULL;
    const mpu_config config = {.size = sizeof config, .unhashed = 1};
    run->program = program;
    run->session = mpu_session_new(run->program, target, &config, &e);
    if (!run->session || mpu_session_bind_size(run->session, "n", run->count, &e) != MPU_OK)
        stop(e, "session");
}

static void execute(struct run *run) {
    mpu_error *e = NULL;
    if (mpu_session_run(run->session, &e) != MPU_OK)
        stop(e, "run");
}

static void close_run(struct run *run) {
    mpu_session_free(run->session);
    mpu_program_free(run->program);
}

static uint64_t try_operation(mpu_target *target, const struct format *f, enum operation op,
                              struct run *run) {
    open_run(run, target, make_program(f, op));
    put(run, f->type, ieee_width(f->ieee), "x", run->x);
    put(run, f->type, ieee_width(f->ieee), "y", run->y);
    execute(run);
    uint64_t wrong = compare(run, mpu_target_name(target), f, op);
    close_run(run);
    return wrong;
}

/* --- conversions --- */

/* One form of CVT: to format `own`, or of it to integers of its width. */
struct conversion {
    const struct format *own, *from; /* from: NULL where the source is an integer */
    bool to_integer, is_signed, nearest;
};

static bool conversion_of(const struct format *own, const struct format *others, unsigned code,
                          struct conversion *c) {
    bool other = code >= 8 && code < 12;
    *c = (struct conversion){.own = own, .is_signed = code % 2 == 0, .nearest = code >= 4};
    c->to_integer = code >= 2 && code < 6;
    if (other)
        c->from = &others[code - 8] /* from_f16, from_bf16, from_f32, from_f64 */;
    else if (c->to_integer)
        c->from = own;
    return code < 6 || other;
}

/* By way of binary64, where numbers that are subnormal before are none: LLVM 14 narrows these to
 * the least number instead of 0.  What is subnormal in binary64 is nothing in every other format.
 */
static uint64_t rounded(struct ieee_format from, struct ieee_format to, uint64_t x) {
    const struct ieee_format most = {11, 52, false, IEEE_NEAREST};
    uint64_t sign = ieee_sign_bit(most), wide_x = x;
    if (from.exponent_bits < most.exponent_bits)
        wide_x = apfloat_convert(from.exponent_bits, from.fraction_bits, most.exponent_bits,
                                 most.fraction_bits, x);
    if (to.exponent_bits < most.exponent_bits && (wide_x & (sign - 1)) >> most.fraction_bits == 0)
        return wide_x & sign ? ieee_sign_bit(to) : 0;
    return apfloat_convert(most.exponent_bits, most.fraction_bits, to.exponent_bits,
                           to.fraction_bits, wide_x);
}

static uint64_t converted(const struct conversion *c, uint64_t x) {
    struct ieee_format f = c->own->ieee;
    unsigned e = f.exponent_bits, m = f.fraction_bits, w = ieee_width(f);
    if (c->from)
        x = flushed(c->from, x);
    if (c->to_integer)
        return apfloat_to_integer(e, m, x, w, c->is_signed, c->nearest);
    if (!c->from)
        return apfloat_from_integer(e, m, c->is_signed ? (uint64_t)sign_extend(x, w) : x,
                                    c->is_signed);
    uint64_t r = rounded(c->from->ieee, f, x);
    return is_nan(c->own, r) ? ieee_nan(f) : flushed(c->own, r);
}

static mpu_type integer_type(unsigned w, bool is_signed) {
    return w == 16   ? (is_signed ? MPU_I16 : MPU_U16)
           : w == 32 ? (is_signed ? MPU_I32 : MPU_U32)
                     : (is_signed ? MPU_I64 : MPU_U64);
}

static mpu_program *make_conversion(const struct conversion *c, unsigned code) {
    char text[512], integer[8];
    unsigned w = ieee_width(c->own->ieee);
    snprintf(integer, sizeof integer, "%c%u", c->is_signed ? 'i' : 'u', w);
    snprintf(text, sizeof text,
             ".size n\n.group g[n]\n.var in x: %s @g = r0\n.var out z: %s @g = r2\n"
             "COMPUTEG @g\nCVT.%u r0 %u r2\nCOMPUTE_DONE\nHALT\n",
             c->from ? c->from->name : integer, c->to_integer ? integer : c->own->name, w,
             code + (c->own->type == MPU_BF16 ? 16 : 0));
    return build(text);
}

/* Integers of every length. */
static void draw_source(struct run *run, const struct conversion *c, uint64_t seed) {
    if (c->from) {
        draw(run, c->from, seed);
        return;
    }
    unsigned w = ieee_width(c->own->ieee);
    for (uint64_t i = 0; i < run->count; i++) {
        uint64_t v = splitmix64(&seed) & low_bits(w);
        v >>= splitmix64(&seed) % w;
        run->x[i] = (splitmix64(&seed) & 1 ? 0 - v : v) & low_bits(w);
    }
}

static uint64_t try_conversion(mpu_target *target, const struct conversion *c, unsigned code,
                               struct run *run) {
    mpu_error *e = NULL;
    mpu_array z;
    unsigned w = ieee_width(c->own->ieee);
    uint64_t wrong = 0;
    open_run(run, target, make_conversion(c, code));
    put(run, c->from ? c->from->type : integer_type(w, c->is_signed),
        c->from ? ieee_width(c->from->ieee) : w, "x", run->x);
    execute(run);
    if (mpu_session_get(run->session, "z", &z, &e) != MPU_OK)
        stop(e, "z");
    for (uint64_t i = 0; i < run->count; i++) {
        uint64_t got = element(z.data, w / 8, i);
        if (got != converted(c, run->x[i]) && wrong++ == 0)
            fprintf(stderr, "%s on %s: conversion %u of %llx is %llx\n", c->own->name,
                    mpu_target_name(target), code, (unsigned long long)run->x[i],
                    (unsigned long long)got);
    }
    mpu_array_free(&z);
    close_run(run);
    return wrong;
}

static uint64_t try_conversions(mpu_target *target, const struct format *own,
                                const struct format *others, struct run *run, uint64_t seed) {
    struct conversion c;
    uint64_t wrong = 0;
    for (unsigned code = 0; code < 12; code++)
        if (conversion_of(own, others, code, &c)) {
            draw_source(run, &c, splitmix64(&seed));
            wrong += try_conversion(target, &c, code, run);
        }
    return wrong;
}

static uint64_t try_target(const char *name, bool flush, uint64_t pairs, uint64_t seed) {
    static const char *const set[] = {"arith=flush", NULL};
    mpu_error *e = NULL;
    mpu_target *target = mpu_target_open(name, flush ? set : NULL, &e);
    struct run run = {.count = pairs};
    struct format all[FORMATS];
    uint64_t wrong = 0;
    if (!target)
        stop(e, name);
    run.x = xcalloc(pairs, sizeof *run.x);
    run.y = xcalloc(pairs, sizeof *run.y);
    memcpy(all, formats, sizeof all);
    for (size_t f = 0; f < FORMATS; f++)
        all[f].ieee.flush = flush;
    for (size_t f = 0; f < FORMATS; f++) {
        for (size_t op = 0; op < OPERATIONS; op++) {
            draw(&run, &all[f], splitmix64(&seed));
            draw_least(&run, &all[f], (enum operation)op);
            wrong += try_operation(target, &all[f], (enum operation)op, &run);
        }
        wrong += try_conversions(target, &all[f], all, &run, splitmix64(&seed));
    }
    free(run.x);
    free(run.y);
    mpu_target_close(target);
    return wrong;
}

/* --- all pairs --- */

/* By the host's float, which has more than twice the bits of binary16 and two more, so that
 * rounding twice is rounding once; as LLVM takes too long for so many. */
static uint64_t by_host(enum operation op, const float *numbers, uint64_t x, uint64_t y) {
    float r = op == ADD ? numbers[x] + numbers[y] : numbers[x] * numbers[y];
    uint32_t bits;
    memcpy(&bits, &r, sizeof bits);
    return ieee_convert(ieee_binary(32), ieee_binary(16), bits);
}

static float *make_numbers(void) {
    float *numbers = xcalloc(65536, sizeof *numbers);
    for (uint32_t i = 0; i < 65536; i++) {
        uint32_t bits = (uint32_t)ieee_convert(ieee_binary(16), ieee_binary(32), i);
        memcpy(&numbers[i], &bits, sizeof bits);
    }
    return numbers;
}

static uint64_t compare_all(const struct run *run, enum operation op, const float *numbers) {
    mpu_error *e = NULL;
    mpu_array z;
    uint64_t wrong = 0;
    if (mpu_session_view(run->session, "z", &z, &e) != MPU_OK)
        stop(e, "z");
    const uint16_t *got = z.data;
    for (uint64_t i = 0; i < run->count; i++)
        wrong += got[i] != by_host(op, numbers, run->x[i], run->y[i]);
    return wrong;
}

/* A chunk has so many values of x, each with all of y. */
enum { CHUNK = 16 };

static uint64_t all_pairs(mpu_target *target, enum operation op) {
    const struct format *f = &formats[0];
    struct run run = {.count = (uint64_t)CHUNK << 16};
    uint64_t wrong = 0;
    float *numbers = make_numbers();
    run.x = xcalloc(run.count, sizeof *run.x);
    run.y = xcalloc(run.count, sizeof *run.y);
    open_run(&run, target, make_program(f, op));
    for (uint64_t chunk = 0; chunk < 65536 / CHUNK; chunk++) {
        for (uint64_t i = 0; i < run.count; i++) {
            run.x[i] = chunk * CHUNK + (i >> 16);
            run.y[i] = i & 0xFFFF;
        }
        put(&run, f->type, 16, "x", run.x);
        put(&run, f->type, 16, "y", run.y);
        execute(&run);
        wrong += compare_all(&run, op, numbers);
    }
    close_run(&run);
    free(numbers);
    free(run.x);
    free(run.y);
    return wrong;
}

static int try_all(const char *name) {
    static const enum operation ops[] = {ADD, MUL};
    mpu_error *e = NULL;
    mpu_target *target = mpu_target_open(name, NULL, &e);
    uint64_t wrong = 0;
    if (!target)
        stop(e, name);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        uint64_t bad = all_pairs(target, ops[i]);
        printf("%s.16 on %s: all 2^32 pairs, %llu wrong\n", operations[ops[i]].name, name,
               (unsigned long long)bad);
        fflush(stdout);
        wrong += bad;
    }
    mpu_target_close(target);
    return wrong != 0;
}

static uint64_t argument(int argc, char **argv, int index, uint64_t otherwise) {
    return argc > index ? strtoull(argv[index], NULL, 10) : otherwise;
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "--all") == 0)
        return try_all(argv[2]);
    const uint64_t all = sizeof runs / sizeof *runs;
    uint64_t first = argument(argc, argv, 1, 0), count = argument(argc, argv, 2, RUNS);
    uint64_t pairs = argument(argc, argv, 3, PAIRS), wrong = 0;
    for (uint64_t i = first; i < first + count; i++) {
        const char *name = runs[i % all].target;
        uint64_t bad =
            try_target(name, runs[i % all].flush, pairs, argument(argc, argv, 4, pairs) + i);
        printf("%s%s: %zu operations and 10 conversions in %zu formats on %llu pairs each, %llu "
               "wrong\n",
               name, runs[i % all].flush ? ", arith: flush" : "", OPERATIONS, FORMATS,
               (unsigned long long)pairs, (unsigned long long)bad);
        wrong += bad;
    }
    return wrong != 0;
}

/* SPDX-License-Identifier: MIT
 * Every operation on floats, in every format, on every plane machine: a program of one instruction
 * run on pairs of every class and random ones, against LLVM's APFloat; roots against exact
 * integers, FMIN and FMAX against their definition.
 * test_floats FIRST COUNT [PAIRS]: of the targets. */
#include "mpu/mpu.h"
#include "support/alloc.h"
#include "support/bits.h"
#include "support/ieee.h"
#include "support/llvm/apfloat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

static const char *const targets[] = {"racer",       "racer-magic", "racer-felix",
                                      "racer-ideal", "racer-oscar", "mimdram",
                                      "simdram",     "ambit",       "duality-cache"};

struct format {
    const char *name;   /* of the type */
    const char *prefix; /* of the mnemonics */
    mpu_type type;
    struct ieee_format ieee;
};
static const struct format formats[] = {{"f16", "", MPU_F16, {5, 10}},
                                        {"bf16", "B", MPU_BF16, {8, 7}},
                                        {"f32", "", MPU_F32, {8, 23}},
                                        {"f64", "", MPU_F64, {11, 52}}};

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
    return is_nan(f, r) ? ieee_nan(f->ieee) : r;
}

static bool is_right(enum operation op, const struct format *f, uint64_t x, uint64_t y,
                     uint64_t got) {
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
    mpu_error *e = NULL;
    mpu_source *s = mpu_source_new(NULL);
    mpu_source_add_text(s, "float.s", text, strlen(text));
    mpu_program *p = mpu_source_build(s, &e);
    mpu_source_free(s);
    if (!p)
        stop(e, text);
    return p;
}

static uint64_t element(const void *data, unsigned bytes, uint64_t index) {
    uint64_t v = 0;
    memcpy(&v, (const char *)data + index * bytes, bytes);
    return v;
}

static void put(const struct run *run, const struct format *f, const char *name,
                const uint64_t *values) {
    unsigned bytes = ieee_width(f->ieee) / 8;
    char *data = xcalloc(run->count, bytes);
    for (uint64_t i = 0; i < run->count; i++)
        memcpy(data + i * bytes, &values[i], bytes); /* little-endian, as files are */
    mpu_error *e = NULL;
    mpu_array a = {f->type, 1, {run->count}, data};
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

static uint64_t try_operation(mpu_target *target, const struct format *f, enum operation op,
                              struct run *run) {
    mpu_error *e = NULL;
    const mpu_config config = {.size = sizeof config, .unhashed = 1};
    run->program = make_program(f, op);
    run->session = mpu_session_new(run->program, target, &config, &e);
    if (!run->session || mpu_session_bind_size(run->session, "n", run->count, &e) != MPU_OK)
        stop(e, operations[op].name);
    put(run, f, "x", run->x);
    put(run, f, "y", run->y);
    if (mpu_session_run(run->session, &e) != MPU_OK)
        stop(e, operations[op].name);
    uint64_t wrong = compare(run, mpu_target_name(target), f, op);
    mpu_session_free(run->session);
    mpu_program_free(run->program);
    return wrong;
}

static uint64_t try_target(const char *name, uint64_t pairs, uint64_t seed) {
    mpu_error *e = NULL;
    mpu_target *target = mpu_target_open(name, NULL, &e);
    struct run run = {.count = pairs};
    uint64_t wrong = 0;
    if (!target)
        stop(e, name);
    run.x = xcalloc(pairs, sizeof *run.x);
    run.y = xcalloc(pairs, sizeof *run.y);
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        for (size_t op = 0; op < OPERATIONS; op++) {
            draw(&run, &formats[f], splitmix64(&seed));
            wrong += try_operation(target, &formats[f], (enum operation)op, &run);
        }
    free(run.x);
    free(run.y);
    mpu_target_close(target);
    return wrong;
}

int main(int argc, char **argv) {
    size_t first = argc > 1 ? strtoul(argv[1], NULL, 10) : 0,
           count = sizeof targets / sizeof *targets;
    size_t end = argc > 2 ? first + strtoul(argv[2], NULL, 10) : count;
    uint64_t pairs = argc > 3 ? strtoull(argv[3], NULL, 10) : 100000, wrong = 0;
    for (size_t i = first; i < end && i < count; i++) {
        uint64_t bad = try_target(targets[i], pairs, pairs + i);
        printf("%s: %zu operations in %zu formats on %llu pairs each, %llu wrong\n", targets[i],
               OPERATIONS, sizeof formats / sizeof *formats, (unsigned long long)pairs,
               (unsigned long long)bad);
        wrong += bad;
    }
    return wrong != 0;
}

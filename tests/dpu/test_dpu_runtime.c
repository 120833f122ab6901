/* SPDX-License-Identifier: MIT
 * The runtime library on a DPU: each routine beside what the host computes, and tasklets that meet.
 */
#include "machines/core/dpu/run/core.h"
#include "tests/draws.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

static uint64_t random_bits(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 32 ^ *seed << 32;
}
/* Numbers of all sizes, and edges. */
static uint64_t number(uint64_t *seed, unsigned bits) {
    uint64_t r = random_bits(seed), v = random_bits(seed);
    unsigned width = 1 + (unsigned)(r >> 8) % bits;
    v &= width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    if (r % 16 == 0)
        v = UINT64_C(1) << (bits - 1);
    if (r % 16 == 1)
        v = UINT64_MAX;
    if (r % 4 == 2)
        v = -v;
    return bits == 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

struct rig {
    struct dpu_program *p;
    struct dpu_core *core;
};
static struct rig rig_of(const char *text) {
    struct diag *d = diag_new(NULL, NULL);
    struct rig r = {.p = dpu_assemble("test.s", text, strlen(text), d)};
    if (!r.p)
        fail_msg("%s", diag_first(d));
    r.core = dpu_core_new(&DPU_TIME_MEASURED);
    dpu_core_load(r.core, r.p);
    diag_free(d);
    return r;
}
static void end(struct rig *r) {
    dpu_core_free(r->core);
    dpu_program_free(r->p);
}
static void run(struct rig *r) {
    if (!dpu_core_run(r->core, 10000000)) {
        struct str what = {0};
        dpu_core_explain(r->core, r->p, &what);
        fail_msg("%s", what.text);
    }
}
static uint32_t at(const struct rig *r, const char *name) {
    const struct dpu_symbol *s = dpu_program_symbol(r->p, name);
    assert_non_null(s);
    return s->value;
}
static uint32_t word_of(const struct rig *r, const char *name, uint32_t index) {
    uint8_t raw[4];
    assert_true(dpu_core_wram_get(r->core, at(r, name) + 4 * index, raw, 4));
    return raw[0] | (uint32_t)raw[1] << 8 | (uint32_t)raw[2] << 16 | (uint32_t)raw[3] << 24;
}

/* ---- routines ---- */

struct operands {
    uint64_t a, b;
};
/* Calls it with pairs (high words in even registers) or words; what is in r0, or d0. */
struct called {
    struct rig rig;
    bool wide;
};
static struct called called_of(const char *name, bool wide) {
    char text[300];
    snprintf(text, sizeof text,
             "main: ld d0, zero, a\n ld d2, zero, b\n move r22, stack\n %scall r23, %s\n"
             " sd zero, a, d0\nend: stop true, end\n.data\n.balign 8\na: .quad 0\nb: .quad 0\n"
             ".bss\nstack: .space 1024\n",
             wide ? "" : "move r0, r1\n move r1, r3\n ", name);
    return (struct called){rig_of(text), wide};
}
static uint64_t call(struct called *c, uint64_t a, uint64_t b) {
    uint64_t in[2] = {a, b}, out;
    assert_true(dpu_core_wram_put(c->rig.core, at(&c->rig, "a"), in, 16));
    run(&c->rig);
    assert_true(dpu_core_wram_get(c->rig.core, at(&c->rig, "a"), &out, 8));
    return c->wide ? out : out >> 32; /* r0 is the high word */
}
static void same(const char *name, uint64_t a, uint64_t b, uint64_t got, uint64_t wanted) {
    if (got != wanted)
        fail_msg("%s of %016" PRIx64 ", %016" PRIx64 ": %016" PRIx64 ", not %016" PRIx64, name, a,
                 b, got, wanted);
}

enum whole { MUL, UDIV, UMOD, SDIV, SMOD };
static uint64_t host(enum whole what, uint64_t a, uint64_t b, unsigned bits) {
    const uint64_t mask = bits == 64 ? UINT64_MAX : UINT32_MAX;
    const int64_t x = bits == 64 ? (int64_t)a : (int32_t)a,
                  y = bits == 64 ? (int64_t)b : (int32_t)b;
    switch (what) {
    case MUL:
        return a * b & mask;
    case UDIV:
        return b ? a / b : mask;
    case UMOD:
        return b ? a % b : a;
    case SDIV:
        return (y == -1 ? 0 - (uint64_t)x : (uint64_t)(x / y)) & mask;
    default:
        return y == -1 ? 0 : (uint64_t)(x % y) & mask;
    }
}
static void whole_numbers(void **state) {
    (void)state;
    static const struct {
        const char *name;
        enum whole what;
        unsigned bits;
    } routines[] = {{"__mulsi3", MUL, 32},   {"__udivsi3", UDIV, 32}, {"__umodsi3", UMOD, 32},
                    {"__divsi3", SDIV, 32},  {"__modsi3", SMOD, 32},  {"__muldi3", MUL, 64},
                    {"__udivdi3", UDIV, 64}, {"__umoddi3", UMOD, 64}, {"__divdi3", SDIV, 64},
                    {"__moddi3", SMOD, 64}};
    uint64_t seed = 43;
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++) {
        struct called c = called_of(routines[i].name, routines[i].bits == 64);
        for (uint32_t n = 0; n < draws(DRAWS_DPU_RUNTIME); n++) {
            uint64_t a = number(&seed, routines[i].bits), b = number(&seed, routines[i].bits);
            if (!b && routines[i].what >= SDIV)
                continue;
            same(routines[i].name, a, b, call(&c, a, b),
                 host(routines[i].what, a, b, routines[i].bits));
        }
        end(&c.rig);
    }
}

/* ---- floating point ---- */

/* All classes of numbers, and pairs that are near each other. */
static uint64_t any_float(uint64_t *seed, uint64_t near, bool wide) {
    const unsigned fraction = wide ? 52 : 23, width = wide ? 64 : 32;
    const uint64_t mask = wide ? UINT64_MAX : UINT32_MAX, sign = UINT64_C(1) << (width - 1);
    const uint64_t infinity = (sign - 1) >> fraction << fraction;
    uint64_t r = random_bits(seed), v = random_bits(seed) & mask;
    switch (r % 12) {
    case 0:
        return v & sign;
    case 1:
        return infinity | (v & sign);
    case 2:
        return infinity | v;
    case 3:
        return v & ~infinity;
    case 4:
        return (near + r / 12 % 3 - 1) & mask;
    case 5:
        return near ^ sign;
    case 6:
    case 7:
    case 8: /* exponents near 0 */
        return (v & ~infinity) | ((infinity / 2 + ((r / 12 % 130) << fraction)) & infinity);
    case 9:
        return (near & ~(((UINT64_C(1) << fraction) - 1))) | (v & ((UINT64_C(1) << fraction) - 1));
    default:
        return v;
    }
}
static double f64_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static float f32_of(uint64_t bits) {
    uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, sizeof x);
    return x;
}
static uint64_t of_f64(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return isnan(x) ? UINT64_C(0x7ff8000000000000) : bits;
}
static uint64_t of_f32(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return isnan(x) ? 0x7fc00000 : bits;
}
/* The nearest number of an integer's type: x is whole or to be cut. */
static uint64_t whole_of(double x, bool sign, unsigned bits) {
    const double most = ldexp(1, (int)(bits - sign)), least = sign ? -most : 0;
    const uint64_t mask = bits == 64 ? UINT64_MAX : UINT32_MAX;
    if (isnan(x))
        return 0;
    x = trunc(x);
    if (x >= most)
        return mask >> sign;
    if (x <= least)
        return sign ? UINT64_C(1) << (bits - 1) : 0;
    return (sign ? (uint64_t)(int64_t)x : (uint64_t)x) & mask;
}
static uint64_t order(uint64_t a, uint64_t b, bool wide, int none) {
    double x = wide ? f64_of(a) : (double)f32_of(a), y = wide ? f64_of(b) : (double)f32_of(b);
    return (uint32_t)(isnan(x) || isnan(y) ? none : x < y ? -1 : x > y);
}
/* What the host says of routine `name`. */
static uint64_t host_float(const char *name, uint64_t a, uint64_t b, bool wide) {
    const double x = wide ? f64_of(a) : 0, y = wide ? f64_of(b) : 0;
    const float p = f32_of(a), q = f32_of(b);
#define IS(text) (strncmp(name, text, strlen(text)) == 0)
    if (IS("__add"))
        return wide ? of_f64(x + y) : of_f32(p + q);
    if (IS("__sub"))
        return wide ? of_f64(x - y) : of_f32(p - q);
    if (IS("__mul"))
        return wide ? of_f64(x * y) : of_f32(p * q);
    if (IS("__div"))
        return wide ? of_f64(x / y) : of_f32(p / q);
    if (IS("__sqrt"))
        return wide ? of_f64(sqrt(x)) : of_f32(sqrtf(p));
    if (IS("__unord"))
        return wide ? isnan(x) || isnan(y) : isnan(p) || isnan(q);
    if (IS("__g"))
        return order(a, b, wide, -1);
    if (IS("__fixuns"))
        return whole_of(wide ? x : (double)p, false, strstr(name, "di") ? 64 : 32);
    if (IS("__fix"))
        return whole_of(wide ? x : (double)p, true, strstr(name, "di") ? 64 : 32);
    if (IS("__extend"))
        return of_f64((double)p);
    if (IS("__trunc"))
        return of_f32((float)x);
    return order(a, b, wide, 1);
#undef IS
}
static const struct {
    const char *name;
    bool wide, wide_result;
} float_routines[] = {
    {"__addsf3", false, false},    {"__subsf3", false, false},     {"__mulsf3", false, false},
    {"__divsf3", false, false},    {"__sqrtsf2", false, false},    {"__adddf3", true, true},
    {"__subdf3", true, true},      {"__muldf3", true, true},       {"__divdf3", true, true},
    {"__sqrtdf2", true, true},     {"__eqsf2", false, false},      {"__nesf2", false, false},
    {"__ltsf2", false, false},     {"__lesf2", false, false},      {"__gtsf2", false, false},
    {"__gesf2", false, false},     {"__unordsf2", false, false},   {"__eqdf2", true, false},
    {"__nedf2", true, false},      {"__ltdf2", true, false},       {"__ledf2", true, false},
    {"__gtdf2", true, false},      {"__gedf2", true, false},       {"__unorddf2", true, false},
    {"__fixsfsi", false, false},   {"__fixunssfsi", false, false}, {"__fixdfdi", true, true},
    {"__fixunsdfdi", true, true},  {"__fixdfsi", true, false},     {"__fixunsdfsi", true, false},
    {"__fixsfdi", false, true},    {"__fixunssfdi", false, true},  {"__extendsfdf2", false, true},
    {"__truncdfsf2", true, false},
};
static void floats(void **state) {
    (void)state;
    uint64_t seed = 45;
    for (size_t i = 0; i < sizeof float_routines / sizeof *float_routines; i++) {
        const char *name = float_routines[i].name;
        const bool wide = float_routines[i].wide;
        struct called c = called_of(name, wide);
        c.wide = float_routines[i].wide_result;
        for (uint32_t n = 0; n < draws(DRAWS_DPU_RUNTIME); n++) {
            uint64_t b = any_float(&seed, random_bits(&seed), wide), a = any_float(&seed, b, wide);
            a &= wide ? UINT64_MAX : UINT32_MAX;
            b &= wide ? UINT64_MAX : UINT32_MAX;
            same(name, a, b, call(&c, a, b), host_float(name, a, b, wide));
        }
        end(&c.rig);
    }
}
static void floats_of_whole_numbers(void **state) {
    (void)state;
    static const char *const names[] = {"__floatsisf",   "__floatunsisf", "__floatsidf",
                                        "__floatunsidf", "__floatdidf",   "__floatundidf"};
    uint64_t seed = 46;
    for (unsigned i = 0; i < 6; i++) {
        struct called c = called_of(names[i], i >= 4);
        c.wide = i >= 2;
        for (uint32_t n = 0; n < draws(DRAWS_DPU_RUNTIME); n++) {
            uint64_t a = number(&seed, i >= 4 ? 64 : 32), wanted;
            if (i < 2)
                wanted = of_f32(i ? (float)(uint32_t)a : (float)(int32_t)a);
            else if (i < 4)
                wanted = of_f64(i == 3 ? (double)(uint32_t)a : (double)(int32_t)a);
            else
                wanted = of_f64(i == 5 ? (double)a : (double)(int64_t)a);
            same(names[i], a, 0, call(&c, a, 0), wanted);
        }
        end(&c.rig);
    }
}
/* What DaPPA's paper says of DPUs (its section 2): products and quotients take 32 steps, floats
 * from tens to 2,000 cycles, of which a full pipeline has one for each instruction. */
static uint64_t instructions_of(struct called *c, uint64_t a, uint64_t b) {
    struct dpu_counters before, now;
    dpu_core_totals(c->rig.core, &before);
    call(c, a, b);
    dpu_core_totals(c->rig.core, &now);
    return now.instructions - before.instructions;
}
static void numbers_of_the_paper(void **state) {
    static const char *const steps[] = {"__mulsi3", "__udivsi3"};
    static const char *const all[] = {"__addsf3", "__subsf3", "__mulsf3", "__divsf3",
                                      "__adddf3", "__subdf3", "__muldf3", "__divdf3"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct called c = called_of(steps[i], false);
        /* A step is an instruction. */
        uint64_t most = instructions_of(&c, UINT32_MAX, i ? 3 : UINT32_MAX);
        assert_true(most >= 32 && most <= 32 + 24);
        end(&c.rig);
    }
    uint64_t seed = 47;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bool wide = i >= 4;
        struct called c = called_of(all[i], wide);
        for (int n = 0; n < 20; n++) {
            uint64_t x = random_bits(&seed), y = random_bits(&seed);
            uint64_t a = wide ? of_f64(1.0 + (double)x) : of_f32(1.0f + (float)x),
                     b = wide ? of_f64(-3.0 - (double)y) : of_f32(-3.0f - (float)y),
                     took = instructions_of(&c, a, b);
            if (took < 10 || took > 2000)
                fail_msg("%s takes %" PRIu64 " instructions", all[i], took);
        }
        end(&c.rig);
    }
}
/* Transfers are of 8 to 2,048 bytes, and no other: what stands before and behind stays. */
static void sizes_of_transfers(void **state) {
    (void)state;
    for (uint32_t bytes = 8; bytes <= 2048; bytes += 8) {
        char text[400];
        uint8_t got[2064];
        snprintf(text, sizeof text,
                 "main: move r0, there\n move r1, from\n ldma r0, r1, %" PRIu32
                 "\nend: stop true, end\n.bss\n.balign 8\nroom: .space 8\nthere: .space 2056\n"
                 ".mram\nfrom: .rept 2064\n .byte 0xa5\n .endr\n",
                 bytes / 8 - 1);
        struct rig r = rig_of(text);
        run(&r);
        assert_true(dpu_core_wram_get(r.core, at(&r, "room"), got, sizeof got));
        for (uint32_t i = 0; i < sizeof got; i++)
            assert_int_equal(got[i], i >= 8 && i < 8 + bytes ? 0xa5 : 0);
        end(&r);
    }
}
static void shifts(void **state) {
    (void)state;
    static const char *const names[] = {"__ashldi3", "__lshrdi3", "__ashrdi3"};
    uint64_t seed = 44;
    for (unsigned i = 0; i < 3; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "main: ld d0, zero, a\n lw r2, zero, b\n call r23, %s\n sd zero, a, d0\n"
                 "end: stop true, end\n.data\n.balign 8\na: .quad 0\nb: .quad 0\n",
                 names[i]);
        struct called c = {rig_of(text), true};
        for (uint32_t n = 0; n < 300; n++) {
            uint64_t a = number(&seed, 64), by = n % 64;
            uint64_t right = a >> by;
            if (i == 2 && a >> 63 && by)
                right |= UINT64_MAX << (64 - by);
            same(names[i], a, by, call(&c, a, by), i == 0 ? a << by : right);
        }
        end(&c.rig);
    }
}

/* ---- tasklets ---- */

#define PROGRAM "    .set NR_TASKLETS, %u\n    jump __bootstrap\n"
static struct rig tasklets(unsigned count, const char *body) {
    struct str text = {0};
    str_printf(&text, PROGRAM, count);
    str_append(&text, body);
    struct rig r = rig_of(text.text);
    str_free(&text);
    return r;
}
/* Each lap all wait for all: a tasklet that went ahead would find a count that is no multiple. */
static void barriers(void **state) {
    (void)state;
    static const char body[] =
        "main: move r14, 20\n move r15, r23\n"
        "lap: move r0, lock\n call r23, mutex_lock\n lw r1, zero, count\n add r1, r1, 1\n"
        " sw zero, count, r1\n move r0, lock\n call r23, mutex_unlock\n"
        " move r0, meeting\n call r23, barrier_wait\n"
        " lw r1, zero, count\n move r2, 21\n sub r2, r2, r14\n move r0, NR_TASKLETS\n"
        " mul_ul_ul r2, r2, r0\n jneq r1, r2, wrong\n"
        " move r0, meeting\n call r23, barrier_wait\n"
        " add r14, r14, -1, nz, lap\n jump r15\nwrong: fault 7\n"
        ".data\ncount: .word 0\nmeeting: .byte 255, NR_TASKLETS, NR_TASKLETS, bit\n"
        ".section .atomic\nlock: .space 1\nbit: .space 1\n";
    for (unsigned n = 1; n <= 24; n++) {
        struct rig r = tasklets(n, body);
        for (int launch = 0; launch < 2; launch++) { /* the second finds barriers as the first */
            const uint32_t none = 0;
            dpu_core_wram_put(r.core, at(&r, "count"), &none, 4);
            run(&r);
            assert_int_equal(word_of(&r, "count", 0), 20 * n);
        }
        end(&r);
    }
}
/* A buffer of three places between tasklets that give and those that take. */
static void semaphores(void **state) {
    (void)state;
    static const char body[] =
        "main: move r15, r23\n move r14, 30\n move r0, id\n and r0, r0, 1\n jnz r0, take\n"
        "give: move r0, room\n call r23, sem_take\n call r23, count_up\n move r0, items\n"
        " call r23, sem_give\n add r14, r14, -1, nz, give\n jump r15\n"
        "take: move r0, items\n call r23, sem_take\n call r23, count_down\n move r0, room\n"
        " call r23, sem_give\n add r14, r14, -1, nz, take\n jump r15\n"
        "count_up: acquire zero, bit, nz, .\n lw r1, zero, held\n add r1, r1, 1\n"
        " sw zero, held, r1\n jgtu r1, 3, wrong\n release zero, bit, nz, . + 1\n jump r23\n"
        "count_down: acquire zero, bit, nz, .\n lw r1, zero, held\n jz r1, wrong\n"
        " add r1, r1, -1\n sw zero, held, r1\n lw r1, zero, taken\n add r1, r1, 1\n"
        " sw zero, taken, r1\n release zero, bit, nz, . + 1\n jump r23\nwrong: fault 8\n"
        ".data\nheld: .word 0\ntaken: .word 0\nroom: .byte 255, 3, 3, bit_a\n"
        "items: .byte 255, 0, 0, bit_b\n.section .atomic\nbit: .space 1\nbit_a: .space 1\n"
        "bit_b: .space 1\n";
    for (unsigned n = 2; n <= 24; n += 2) {
        struct rig r = tasklets(n, body);
        run(&r);
        assert_int_equal(word_of(&r, "held", 0), 0);
        assert_int_equal(word_of(&r, "taken", 0), 15 * n);
        end(&r);
    }
}
/* A chain: each adds its number to the sum of those before it, in order. */
static void handshakes(void **state) {
    (void)state;
    static const char body[] =
        "main: move r15, r23\n jz id, add\n add r0, id, -1\n call r23, handshake_wait_for\n"
        " jnz r0, wrong\n"
        "add: lw r1, zero, sum\n lsl r2, id, 2\n add r1, r1, r2\n sw id4, sums, r1\n"
        " sw zero, sum, r1\n jeq id, NR_TASKLETS - 1, self\n call r23, handshake_notify\n jump r15\n"
        "self: move r0, id\n call r23, handshake_wait_for\n jeq r0, 1, fine\nwrong: fault 9\n"
        "fine: jump r15\n.data\nsum: .word 0\nsums: .space 96\n";
    for (unsigned n = 1; n <= 24; n++) {
        struct rig r = tasklets(n, body);
        run(&r);
        for (unsigned i = 0; i < n; i++)
            assert_int_equal(word_of(&r, "sums", i), 4 * (i * (i + 1) / 2));
        end(&r);
    }
}
/* Blocks of all tasklets are apart, behind the program's own data and below the end of WRAM. */
static void allocation(void **state) {
    (void)state;
    struct rig r = tasklets(16, "main: move r15, r23\n add r0, id, 5\n call r23, mem_alloc\n"
                                " sw id4, where, r0\n jump r15\n.data\nwhere: .space 64\n");
    uint32_t first = UINT32_MAX, last = 0;
    run(&r);
    for (unsigned i = 0; i < 16; i++) {
        uint32_t a = word_of(&r, "where", i);
        assert_int_equal(a % 8, 0);
        assert_true(a >= at(&r, "__sys_heap_begin") && a + i + 5 <= 65536);
        for (unsigned k = 0; k < i; k++) {
            uint32_t b = word_of(&r, "where", k);
            assert_true(a + i + 5 <= b || b + k + 5 <= a);
        }
        first = a < first ? a : first;
        last = a > last ? a : last;
    }
    assert_int_equal(first, at(&r, "__sys_heap_begin"));
    assert_true(last < first + 16 * 24);
    for (size_t i = 0; i < r.p->sections.len; i++)
        if (r.p->sections.data[i].space == DPU_IN_WRAM)
            assert_true(r.p->sections.data[i].address + r.p->sections.data[i].size <= first);
    end(&r);
    r = tasklets(1, "main: move r15, r23\n call r23, mem_reset\n move r14, r0\n move r0, 100\n"
                    " call r23, mem_alloc\n call r23, mem_reset\n move r0, 100\n"
                    " call r23, mem_alloc\n jneq r0, r14, wrong\n move r0, 65536\n"
                    " call r23, mem_alloc\nwrong: fault 5\n");
    assert_false(dpu_core_run(r.core, 100000));
    assert_int_equal(dpu_core_trouble(r.core)->fault, DPU_FAULT_PROGRAM);
    assert_int_equal(dpu_core_trouble(r.core)->address, 1);
    end(&r);
}
/* Lengths around what one transfer takes. */
static void transfers(void **state) {
    (void)state;
    static const uint32_t lengths[] = {0, 8, 16, 2040, 2048, 2056, 4096, 6152};
    struct rig r = tasklets(1, "main: move r15, r23\n move r0, source\n move r1, middle\n"
                               " lw r2, zero, bytes\n call r23, mram_read\n move r0, middle\n"
                               " move r1, target\n lw r2, zero, bytes\n call r23, mram_write\n"
                               " jump r15\n.data\nbytes: .word 0\n.bss\n.balign 8\n"
                               "middle: .space 8192\n.mram\nsource: .space 8192\n"
                               "target: .space 8192\n");
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        uint8_t from[8192], to[8192], before[8192];
        for (unsigned k = 0; k < sizeof from; k++) {
            from[k] = (uint8_t)(k * 7 + k / 256 + i);
            before[k] = (uint8_t)~from[k];
        }
        uint32_t a = at(&r, "source") - DPU_AT_MRAM, b = at(&r, "target") - DPU_AT_MRAM;
        dpu_core_mram_put(r.core, a, from, sizeof from);
        dpu_core_mram_put(r.core, b, before, sizeof before);
        dpu_core_wram_put(r.core, at(&r, "bytes"), &lengths[i], 4);
        run(&r);
        dpu_core_mram_get(r.core, b, to, sizeof to);
        assert_memory_equal(to, from, lengths[i]);
        assert_memory_equal(to + lengths[i], before + lengths[i], sizeof to - lengths[i]);
    }
    end(&r);
}
static void counting(void **state) {
    (void)state;
    struct rig r = tasklets(1, "main: move r15, r23\n move r0, 1\n move r1, 1\n"
                               " call r23, perfcounter_config\n move r2, 100\n"
                               "lap: add r2, r2, -1, nz, lap\n call r23, perfcounter_get\n"
                               " sd zero, count, d0\n jump r15\n.data\n.balign 8\n"
                               "count: .space 8\n");
    run(&r);
    uint32_t cycles = word_of(&r, "count", 0);
    assert_int_equal(word_of(&r, "count", 1), 0);
    assert_true(cycles % 16 == 0 && cycles >= 1100 && cycles < 1160);
    end(&r);
}

/* ---- blocks that are given back ---- */

#define HEAP 4096u
enum buddy_op { BUDDY_INIT, BUDDY_ALLOC, BUDDY_FREE, BUDDY_REALLOC, BUDDY_RESET };
static const char buddies[] =
    "main: move r22, stack\n lw r0, zero, x\n lw r1, zero, y\n lw r2, zero, op\n"
    " jz r2, init\n jeq r2, 1, alloc\n jeq r2, 2, free\n jeq r2, 3, realloc\n"
    " call r23, buddy_reset\n jump done\ninit: call r23, buddy_init\n jump done\n"
    "alloc: call r23, buddy_alloc\n jump done\nfree: call r23, buddy_free\n jump done\n"
    "realloc: call r23, buddy_realloc\ndone: sw zero, x, r0\nend: stop true, end\n"
    ".data\n.balign 4\nop: .word 0\nx: .word 0\ny: .word 0\n.bss\nstack: .space 256\n"
    ".globl __sys_heap_begin\n";
static uint32_t buddy(struct rig *r, enum buddy_op op, uint32_t x, uint32_t y) {
    const uint32_t in[3] = {op, x, y};
    assert_true(dpu_core_wram_put(r->core, at(r, "op"), in, 12));
    run(r);
    return word_of(r, "x", 0);
}
struct buddy_block {
    uint32_t at, size, room; /* room: of its block; 0: there is none */
    uint8_t mark;
};
static uint32_t room_of(uint32_t size) {
    uint32_t room = 16;
    while (room < size)
        room *= 2;
    return room;
}
/* Whether a block of that order can lie somewhere. */
static bool room_is_left(const struct buddy_block *blocks, uint32_t count, uint32_t base,
                         uint32_t room) {
    for (uint32_t at_ = 0; room <= HEAP && at_ < HEAP; at_ += room) {
        bool free_ = true;
        for (uint32_t i = 0; i < count && free_; i++)
            free_ = !blocks[i].room || blocks[i].at - base >= at_ + room ||
                    blocks[i].at - base + blocks[i].room <= at_;
        if (free_)
            return true;
    }
    return false;
}
static void mark(struct rig *r, struct buddy_block *b, bool check, uint32_t bytes) {
    uint8_t raw[HEAP], wanted[HEAP];
    memset(wanted, b->mark, sizeof wanted);
    if (!check)
        assert_true(dpu_core_wram_put(r->core, b->at, wanted, bytes));
    assert_true(dpu_core_wram_get(r->core, b->at, raw, bytes));
    assert_memory_equal(raw, wanted, bytes);
}
/* The new block, if there had to be one; it has `bytes` bytes of what was in it before. */
static void check_block(struct rig *r, struct buddy_block *all, uint32_t count,
                        struct buddy_block *b, uint32_t base, uint32_t got, uint32_t size,
                        uint32_t bytes) {
    b->room = size && size <= HEAP && got ? room_of(size) : 0;
    if (!b->room)
        return;
    assert_true(got >= base && got + b->room <= base + HEAP && (got - base) % b->room == 0);
    for (uint32_t i = 0; i < count; i++)
        assert_true(&all[i] == b || !all[i].room || all[i].at >= got + b->room ||
                    all[i].at + all[i].room <= got);
    b->at = got;
    b->size = size;
    mark(r, b, true, bytes);
    mark(r, b, false, size);
}
static void buddy_blocks(void **state) {
    enum { MOST = 24 };
    struct rig r = rig_of(buddies);
    struct buddy_block all[MOST] = {0};
    uint64_t seed = 3;
    (void)state;
    assert_int_equal(buddy(&r, BUDDY_ALLOC, 16, 0), 0); /* nothing was set up */
    buddy(&r, BUDDY_INIT, HEAP, 0);
    const uint32_t base = buddy(&r, BUDDY_ALLOC, HEAP, 0);
    assert_true(base && base % 8 == 0);
    assert_int_equal(buddy(&r, BUDDY_ALLOC, 1, 0), 0);
    buddy(&r, BUDDY_FREE, base + 64, 0); /* anywhere in it */
    for (uint32_t lap = 0; lap < draws(DRAWS_DPU_BUDDY); lap++) {
        struct buddy_block *b = &all[random_bits(&seed) % MOST];
        uint32_t size = (uint32_t)random_bits(&seed) % (random_bits(&seed) % 4 ? 200 : HEAP + 9);
        const struct buddy_block was = *b;
        if (lap % 500 == 499) {
            buddy(&r, BUDDY_RESET, 0, 0);
            memset(all, 0, sizeof all);
        } else if (!was.room) {
            b->mark = (uint8_t)lap;
            uint32_t got = buddy(&r, BUDDY_ALLOC, size, 0);
            assert_int_equal(got != 0, size && room_is_left(all, MOST, base, room_of(size)));
            check_block(&r, all, MOST, b, base, got, size, 0);
        } else if (random_bits(&seed) % 3) {
            mark(&r, b, true, b->size);
            buddy(&r, BUDDY_FREE, b->at + (uint32_t)random_bits(&seed) % b->size / 8 * 8, 0);
            b->room = 0;
        } else if (size) {
            uint32_t got = buddy(&r, BUDDY_REALLOC, b->at, size);
            assert_true(got || size > was.room);
            if (!got || (got == was.at && room_of(size) != was.room))
                assert_false(room_is_left(all, MOST, base, room_of(size)));
            if (got)
                check_block(&r, all, MOST, b, base, got, size, size < was.size ? size : was.size);
            if (got == was.at)
                b->room = was.room;
        }
    }
    /* What is nobody's block changes nothing. */
    buddy(&r, BUDDY_RESET, 0, 0);
    assert_int_equal(buddy(&r, BUDDY_REALLOC, 0, 100), base);
    buddy(&r, BUDDY_FREE, base + 4, 0);
    buddy(&r, BUDDY_FREE, base + HEAP, 0);
    buddy(&r, BUDDY_FREE, base + 128, 0);
    buddy(&r, BUDDY_FREE, 0, 0);
    assert_int_equal(buddy(&r, BUDDY_ALLOC, HEAP / 2, 0), base + HEAP / 2);
    assert_int_equal(buddy(&r, BUDDY_REALLOC, base, 0), base);
    assert_int_equal(buddy(&r, BUDDY_ALLOC, 65, 0), base);
    /* Less of a block, where all are taken, is the block. */
    buddy(&r, BUDDY_RESET, 0, 0);
    assert_int_equal(buddy(&r, BUDDY_ALLOC, HEAP, 0), base);
    assert_int_equal(buddy(&r, BUDDY_REALLOC, base, 16), base);
    assert_int_equal(buddy(&r, BUDDY_REALLOC, base, HEAP + 1), 0);
    assert_int_equal(buddy(&r, BUDDY_ALLOC, 1, 0), 0);
    end(&r);
}
/* Tasklets that take, fill, look at and give back blocks at the same time. */
static void buddy_blocks_of_tasklets(void **state) {
    (void)state;
    struct rig r = rig_of(
        ".set NR_TASKLETS, 16\n.set STACK_SIZE, 64\n jump __bootstrap\n"
        "main: sd r22, 0, d22\n add r22, r22, 8\n jnz id, wait\n move r0, 2048\n"
        " call r23, buddy_init\nwait: move r0, meet\n call r23, barrier_wait\n move r20, 50\n"
        "lap: lsl r0, r20, 1\n and r0, r0, 63\n add r0, r0, 8\n move r18, r0\n"
        " call r23, buddy_alloc\n jz r0, next\n move r19, r0\n move r1, 0\n move r4, id\n"
        "fill: add r2, r19, r1\n sb r2, 0, r4\n add r1, r1, 1\n jltu r1, r18, fill\n move r1, 0\n"
        "look: add r2, r19, r1\n lbu r3, r2, 0\n jneq r3, r4, wrong\n add r1, r1, 1\n"
        " jltu r1, r18, look\n move r0, r19\n call r23, buddy_free\n"
        "next: add r20, r20, -1, nz, lap\n add r22, r22, -8\n ld d22, r22, 0\n jump r23\n"
        "wrong: fault 7\n.data\nmeet: .byte 255, 16, 16, bit\n.section .atomic\nbit: .space 1\n");
    run(&r);
    end(&r);
}

/* ---- readers of MRAM ---- */

static void readers_of_mram(void **state) {
    static const uint32_t sizes[] = {32, 64, 128, 256, 512, 1024};
    static uint8_t bytes[1 << 16];
    uint64_t seed = 9;
    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)random_bits(&seed);
    for (size_t s = 0; s < 6; s++) {
        char text[900];
        snprintf(
            text, sizeof text,
            ".set SEQREAD_CACHE_SIZE, %u\nmain: call r23, mem_reset\n move r0, 24\n"
            " call r23, mem_alloc\n call r23, seqread_alloc\n lw r1, zero, first\n"
            " move r2, reader\n call r23, seqread_init\n move r14, 0\n"
            "loop: lbu r3, r0, 0\n sb r14, out, r3\n move r15, r0\n move r1, reader\n"
            " call r23, seqread_tell\n sw zero, told, r0\n add r14, r14, 1\n"
            " lw r3, zero, count\n jeq r14, r3, end\n move r0, r15\n lw r1, zero, step\n"
            " move r2, reader\n call r23, seqread_get\n lw r3, zero, seek\n"
            " jneq r14, 100, loop\n move r0, r3\n move r1, reader\n call r23, seqread_seek\n"
            " jump loop\nend: stop true, end\n.data\n.balign 8\nfirst: .word 0\nstep: .word 0\n"
            "count: .word 0\nseek: .word 0\ntold: .word 0\n.balign 8\nreader: .space 8\n"
            "out: .space 300\n",
            sizes[s]);
        struct rig r = rig_of(text);
        for (uint32_t lap = 0; lap < 12; lap++) {
            /* The last bytes of MRAM are read, too. */
            const uint32_t room = lap % 3 ? 0 : (64u << 20) - (uint32_t)sizeof bytes,
                           step = 1 + (uint32_t)random_bits(&seed) %
                                          (sizes[s] < 200 ? sizes[s] - 1 : 200),
                           from = room ? (uint32_t)sizeof bytes - 1 - 199 * step : lap * 37,
                           seek = from + 100 * step + (lap % 2 ? 0 : 3 - 4 * (lap / 2 % 2));
            const uint32_t in[4] = {room + from + (lap % 2 ? 0x08000000u : 0), step, 200,
                                    room + seek - (room ? 8 : 0) + (lap % 2 ? 0x08000000u : 0)};
            uint8_t got[200];
            assert_true(dpu_core_mram_put(r.core, room, bytes, sizeof bytes));
            assert_true(dpu_core_wram_put(r.core, at(&r, "first"), in, 16));
            run(&r);
            assert_true(dpu_core_wram_get(r.core, at(&r, "out"), got, 200));
            for (uint32_t i = 0; i < 200; i++)
                assert_int_equal(
                    got[i],
                    bytes[i < 100 ? from + i * step : seek - (room ? 8 : 0) + (i - 100) * step]);
            assert_int_equal(word_of(&r, "told", 0), in[3] + 99 * step);
        }
        end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buddy_blocks),
        cmocka_unit_test(buddy_blocks_of_tasklets),
        cmocka_unit_test(readers_of_mram),
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(floats),
        cmocka_unit_test(floats_of_whole_numbers),
        cmocka_unit_test(shifts),
        cmocka_unit_test(barriers),
        cmocka_unit_test(semaphores),
        cmocka_unit_test(handshakes),
        cmocka_unit_test(allocation),
        cmocka_unit_test(transfers),
        cmocka_unit_test(counting),
        cmocka_unit_test(numbers_of_the_paper),
        cmocka_unit_test(sizes_of_transfers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

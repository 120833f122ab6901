/* SPDX-License-Identifier: MIT
 * What programs compile to, and what they do on golden and on racer's micro-ops. */
#include "asm/asm.h"
#include "disasm/disasm.h"
#include "ezpim/array/operations.h"
#include "support/file.h"
#include "tests/ezpim/build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The instructions of a program, one a line. */
static void listing(const char *source, int level, struct str *out) {
    struct str messages = {0};
    struct object *o = build_object(source, level, &messages);
    if (!o)
        fail_msg("%s", str_text(&messages));
    for (size_t i = 0; i < o->text.len; i++) {
        struct insn insn;
        assert_int_equal(isa_decode(o->text.data[i], &insn), ISA_OK);
        isa_format_insn(&insn, NULL, out);
        str_char(out, '\n');
    }
    object_free(o);
    str_free(&messages);
}

static void expect_listing(const char *source, int level, const char *want) {
    struct str got = {0};
    listing(source, level, &got);
    assert_string_equal(str_text(&got), want);
    str_free(&got);
}

#define AROUND(declarations, body)                                                                 \
    "size n;\ngroup g[n];\n" declarations "\nmain { compute g {\n" body "\n} }\n"
#define XYZ(type) "in x, y: " type " @ g; out z: " type " @ g;"

static void axpy_is_two_instructions(void **state) {
    (void)state;
    size_t size;
    char *source = file_read(MPU_SOURCE_DIR "/examples/axpy.ez", &size);
    assert_non_null(source);
    expect_listing(source, 1,
                   "COMPUTEG @0\nMUL.32 r0 r1 r3\nADD.32 r3 r2 r3\nCOMPUTE_DONE\nHALT\n");
    free(source);
}

static void cheaper_forms(void **state) {
    (void)state;
    static const struct {
        const char *body;
        int level;
        const char *want;
    } cases[] = {
        {"z = x * 8;", 1, "SHLI.16 r0 3 r2\n"},
        {"z = x / 8;", 1, "SHRI.16 r0 3 r2\n"},
        {"z = x % 8;", 1, "LI.16 7 r2\nAND.16 r0 r2 r2\n"},
        {"z = (x & 127) % 5;", 1,
         "LI.7 -1 r2\nAND.7 r0 r2 r2\nLI.7 5 r3\nRDIV.7 r2 r3 r2\nZEXT.16 r2 7 r2\n"},
        {"z = u16(i16(x >> 9) / 4);", 1, "SHRI.16 r0 9 r2\nSHRI.16 r2 2 r2\n"},
        {"z = u16((x >> 12) < 16);", 1, "LI.16 1 r2\n"},
        {"z = x * 1 + 0;", 1, "MOV.16 r0 r2\n"},
        {"z = x * 0 + y;", 1, "MOV.16 r1 r2\n"},
        {"z = x - x;", 1, "LI.16 0 r2\n"},
        {"z = x * 5;", 2, "SHLI.16 r0 2 r2\nADD.16 r2 r0 r2\n"},
        {"z = x * 7;", 2, "SHLI.16 r0 3 r2\nSUB.16 r2 r0 r2\n"},
        {"z = x ^ 65535;", 1, "INV.16 r0 r2\n"},
        {"z = x >> 16;", 1, "LI.16 0 r2\n"},
        {"z = 3 * (1 << 4) + x * (7 - 6);", 1, "LI.16 48 r2\nADD.16 r0 r2 r2\n"},
        {"z = x + y; z = x * y;", 1, "MUL.16 r0 r1 r2\n"},
        {"let a = x + y; let b = x + y; z = a * b;", 1, "ADD.16 r0 r1 r2\nMUL.16 r2 r2 r2\n"},
        {"let a = x; let b = a; z = b + b;", 1, "ADD.16 r0 r0 r2\n"},
        {"z = u16(u8(x));", 1, "ZEXT.16 r0 8 r2\n"},
        {"z = select(1 < 2, x, y);", 1, "MOV.16 r0 r2\n"},
        {"z = select(x < y, x, y);", 1, "CMPLT.16 r0 r1\nGETC.1 r2\nSEL.16 r0 r1 r2\n"},
        {"z = u16(x != y);", 1, "CMPNE.16 r0 r1\nGETC.1 r2\nZEXT.16 r2 1 r2\n"},
        {"z = u16(x == 9);", 1, "CMPEQI.16 r0 9\nGETC.1 r2\nZEXT.16 r2 1 r2\n"},
        {"z = u16(x >= 65535);", 1, "CMPLTI.16 r0 -1\nGETC.1 r2\nINV.1 r2 r2\nZEXT.16 r2 1 r2\n"},
        {"z = u16(x < 4000);", 1,
         "LI.16 -96 r2\nLIK1.16 0x0 r2\nCMPLT.16 r0 r2\nGETC.1 r2\nZEXT.16 r2 1 r2\n"},
        {"z = x + y - 3;", 1, "ADD.16 r0 r1 r2\nADDI.16 -3 r2\n"},
        {"z = popc(x & y);", 1, "AND.16 r0 r1 r2\nPOPC.16 r2 r2\n"},
        {"asm in(x, y) out(z) { ADD x y z; ADD x y z; MOV z z; ADD.7 x y r40; } z = x;", 1,
         "ADD.16 r0 r1 r2\nADD.16 r0 r1 r2\nADD.7 r0 r1 r40\nMOV.16 r0 r2\n"},
        {"ADD.9 x y r40; MOV.9 r40 r41; z = x;", 1,
         "ADD.9 r0 r1 r40\nMOV.9 r40 r41\nMOV.16 r0 r2\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct str source = {0}, want = {0};
        str_printf(&source, AROUND("in x, y: u16 @ g; inout z: u16 @ g;", "%s"), cases[i].body);
        str_printf(&want, "COMPUTEG @0\n%sCOMPUTE_DONE\nHALT\n", cases[i].want);
        expect_listing(str_text(&source), cases[i].level, str_text(&want));
        str_free(&source);
        str_free(&want);
    }
}

static void statements_outside_of_lanes(void **state) {
    (void)state;
    expect_listing("size n; size k = 5; group g[n]; inout x: u8 @ g;\n"
                   "main { repeat (k) { compute g { x += 1; } repeat (3) { compute g { } } } }",
                   1,
                   "REPEAT 0\nCOMPUTEG @0\nADDI.8 1 r0\nCOMPUTE_DONE\nREPEAT 3\n"
                   "COMPUTEG @0\nCOMPUTE_DONE\nREPEAT_END\nREPEAT_END\nHALT\n");
}

/* Variables of groups at different places may share registers; one without a group lies where it
 * is read, and registers that a program names itself belong to nobody. */
static void registers_of_variables(void **state) {
    (void)state;
    struct object *o =
        build_object("size n; group g[n]; group h[n]; group k like g; group f[4] at RFH0.VRF3;\n"
                     "in a: u8; in b: u8[2] @ g; in c: u8 @ h; in d: u8 @ k; in e: u8 @ f;\n"
                     "main { compute g { MOV a r1; } }",
                     1, NULL);
    assert_non_null(o);
    static const uint8_t want[] = {0, 2, 0, 4, 0}; /* r1 is the program's own */
    for (size_t i = 0; i < sizeof want; i++)
        assert_int_equal(o->vars.data[i].reg, want[i]);
    assert_int_equal(o->groups.data[2].like, 0);
    assert_int_equal(o->groups.data[3].at_vrf, 3);
    object_free(o);
}

/* The text that -S writes makes the same object. */
static void assembly_comes_back(const char *source) {
    struct str text = {0}, first = {0}, second = {0};
    struct object *o = build_object(source, 1, NULL);
    assert_non_null(o);
    disasm_reassemble(o, &text);
    struct diag *d = diag_new(NULL, NULL);
    struct asm_options options = {0};
    struct object *again = asm_assemble("test.s", str_text(&text), text.len, &options, d);
    if (!again)
        fail_msg("%s\n%s", diag_first(d), str_text(&text));
    object_write(o, &first);
    object_write(again, &second);
    assert_int_equal(first.len, second.len);
    assert_memory_equal(first.text, second.text, first.len);
    diag_free(d);
    object_free(o);
    object_free(again);
    str_free(&text);
    str_free(&first);
    str_free(&second);
}

static void test_assembly(void **state) {
    (void)state;
    static const char *const examples[] = {"axpy", "brightness", "popcount", "dot", "poly"};
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        char path[4096];
        size_t size;
        snprintf(path, sizeof path, MPU_SOURCE_DIR "/examples/%s.ez", examples[i]);
        char *source = file_read(path, &size);
        assert_non_null(source);
        assembly_comes_back(source);
        free(source);
    }
    assembly_comes_back("size n = 7; group g[n, 3]; group h like g; group f[64] at RFH1.VRF2;\n"
                        "inout x: i13[3] @ h; var t: bool @ f; in a: u64;\n"
                        "main { repeat (n) { compute h { x[1] += 3; x[2] = i13(n); } }\n"
                        "compute f { t = a == 3; } }");
}

/* A kernel over u32 arrays x and y of four elements; z is what it gives. */
struct kernel {
    const char *source;
    uint32_t x[4], y[4], z[4];
};

#define KERNEL(body) AROUND("in x, y: u32 @ g; out z: u32 @ g;", body)

#define CALLS(body) "sub next(inout v: u32): u32 { v += 1; return v; }\n" KERNEL(body)

static const struct kernel kernels[] = {
    /* select into one of its own sources, and into its condition's source */
    {KERNEL("z = x; z = select(x < y, z, y);"), {1, 9, 3, 7}, {2, 8, 3, 0}, {1, 8, 3, 0}},
    {KERNEL("z = y; z = select(x < y, x, z);"), {1, 9, 3, 7}, {2, 8, 3, 0}, {1, 8, 3, 0}},
    {KERNEL("let c: bool = x < y; let d = c; c = select(c, false, true); z = u32(c) + u32(d) * 2;"),
     {1, 9, 3, 7},
     {2, 8, 3, 0},
     {2, 1, 1, 1}},
    /* values swap, and each keeps its own */
    {KERNEL("let a = x; let b = y; let t = a; a = b; b = t; z = a - b;"),
     {1, 9, 3, 7},
     {2, 8, 3, 0},
     {1, UINT32_MAX, 0, (uint32_t)-7}},
    /* a value is made anew after its source changed */
    {KERNEL("z = x; let a = z + y; z = y; let b = z + y; z = a * 16 + b;"),
     {1, 2, 3, 4},
     {5, 6, 7, 8},
     {106, 140, 174, 208}},
    /* instructions that write their sources */
    {KERNEL("let a = x; let b = y; CAS a b; z = a * 256 + b;"),
     {1, 9, 3, 7},
     {2, 8, 3, 0},
     {258, 2057, 771, 7}},
    {KERNEL("z = y; MAC x y z; z += 1;"), {1, 9, 3, 7}, {2, 8, 3, 0}, {5, 81, 13, 1}},
    {KERNEL("z = mac(x, y, x) + x;"), {1, 9, 3, 7}, {2, 8, 3, 0}, {4, 90, 15, 14}},
    {KERNEL("z = mux(x, y, y);"), {1, 9, 3, 7}, {2, 8, 3, 0}, {0, 8, 3, 0}},
    /* instructions of floating point, on patterns and on numbers */
    {KERNEL("FADD x y z; FSUB.16 x y z;"),
     {0x3fc00000, 0x7f800000, 0x80000000, 0x7fc00001},
     {0x40100000, 0xff800000, 0x80000000, 0},
     {0x40700000, 0x7fc00000, 0x80000000, 0x7fc00001}},
    {KERNEL("z = as_u32(fmul(as_f32(x), as_f32(y))) + u32(fcmpun(as_f32(x), as_f32(y)));"),
     {0x3fc00000, 0x7f800000, 0x80000000, 0x3f800000},
     {0x40100000, 0x00000000, 0x3f800000, 0xffc00000},
     {0x40580000, 0x7fc00000, 0x80000000, 0x7fc00001}},
    {KERNEL("let a = as_bf16(u16(x >> 16)); z = u32(as_u16(bfadd(a, 1.5)));"),
     {0x3fc00000, 0x7f800000, 0xbfc00000, 0},
     {0, 0, 0, 0},
     {0x4040, 0x7f80, 0, 0x3fc0}},
    {KERNEL("z = fsign(as_f32(x)) * 2 + fzero(as_f32(x));"),
     {0x3fc00000, 0x80000000, 0xff800000, 0},
     {0, 0, 0, 0},
     {0, 3, 2, 1}},
    {KERNEL("CVT x from_int z; CVT z to_unsigned_nearest z;"),
     {5, (uint32_t)-3, 0x01000001, 7},
     {0, 0, 0, 0},
     {5, 0, 0x01000000, 7}},
    {KERNEL("let h: f16; CVT x from_f32 h; z = u32(as_u16(h));"),
     {0x3fc00000, 0x7f800000, 0x477fefff, 0x33000001},
     {0, 0, 0, 0},
     {0x3e00, 0x7c00, 0x7bff, 1}},
    /* numbers of floating point where integers stand: one for all lanes, tables, link-time values,
     * subroutines, counters, sizes */
    {"size n; group g[n]; in x, y: u32 @ g; var m: f32; var v: f32 @ g; out z: u32 @ g;\n"
     "main { m = sum(as_f32(x)); while (m > 1) { m = m / 2; } if (m < 0.75) { m = -m; }\n"
     "compute g { v = m; } move v[i] = v[i - 1] else 1e-3; compute g { z = as_u32(v) + y; } }",
     {0x3fc00000, 0x40200000, 0x40400000, 0x40800000},
     {0, 0, 1, 0},
     {0x3a83126f, 0xbf300000, 0xbf300001, 0xbf300000}},
    {"size n <= 16; group g[n]; in x, y: u32 @ g; out z: u32 @ g; host k: f32[2] = { 0.5, -8 };\n"
     "const T: f32[4] = { 1, 2.5, inf, -1e-3 }; const HALF = 0.5; const QUARTER = HALF * HALF;\n"
     "sub line(a: f32, b: f32, t: f32): f32 { return a + (b - a) * t; }\n"
     "main { compute g { let s: f32 = 0; for i: 0 .. 4 { s += i; }\n"
     "z = as_u32(line(T[x & 3], n, QUARTER) * k[0] + k[1] + s) + y; } }",
     {0, 1, 2, 1},
     {0, 0, 0, 1},
     {0xbf900000, 0xbf100000, 0x7fc00000, 0xbf100001}},
    /* each lane leaves on its own; conditions of what is no number */
    {KERNEL("let v = as_f32(x); let laps: u32 = 0; while (v >= 2) { v = v * 0.5; laps += 1; }\n"
            "if (!(v < 2)) { laps = 99; } else { if (v != v) { laps = 98; } } z = laps;"),
     {0x41000000, 0x3f800000, 0x7fc00000, 0xff800000},
     {0, 0, 0, 0},
     {3, 0, 99, 0}},
    /* part of a register */
    {KERNEL("z = 0xffffff00; ADD.8 x y z;"),
     {1, 255, 256, 7},
     {2, 1, 3, 0},
     {0xffffff03, 0xffffff00, 0xffffff03, 0xffffff07}},
    {KERNEL("let t: u32 = x; MOV.4 y t; z = t;"),
     {0x10, 0x20, 0x3f, 0},
     {1, 2, 3, 0x1f},
     {0x11, 0x22, 0x33, 15}},
    /* the condition, registers by name, functions of instructions */
    {KERNEL("CMPLT x y; let t: bool; GETC t; z = u32(t);"),
     {1, 9, 3, 7},
     {2, 8, 3, 0},
     {1, 0, 0, 0}},
    {KERNEL("ADD.32 x y r50; ADD.32 r50 r50 r51; MOV.32 r51 z;"),
     {1, 9, 3, 7},
     {2, 8, 3, 0},
     {6, 34, 12, 14}},
    {KERNEL("z = u32(cmpeq(x, y)) + relu(x) * 2;"),
     {1, 9, 3, 0x80000000},
     {2, 8, 3, 0},
     {2, 18, 7, 0}},
    /* instructions as they are, also under conditions */
    {KERNEL("z = y; asm in(x) inout(z) { ADD x z z; ADD x z z; ADDI 1 z; }"),
     {1, 9, 3, 7},
     {2, 8, 3, 0},
     {5, 27, 10, 15}},
    {KERNEL("z = y; if (x > y) { asm in(x, y) out(z) { LI 100 r40; MOV x z; ADD z r40 z; } } "
            "else { asm out(z) { LI 5 z; } }"),
     {1, 9, 3, 7},
     {2, 8, 3, 0},
     {5, 109, 5, 107}},
    /* arrays in lanes */
    {KERNEL("let v: u32[3]; v[0] = x; v[1] = y; v[2] = v[0] * v[1]; v[0] += v[2]; z = v[0];"),
     {1, 9, 3, 7},
     {2, 8, 3, 0},
     {3, 81, 12, 7}},
    /* sizes in expressions */
    {KERNEL("z = x + u32(n) * 10 + u32(n + 1);"), {1, 9, 3, 7}, {0, 0, 0, 0}, {46, 54, 48, 52}},
    /* several ensembles and a loop around them */
    {"size n; group g[n]; in x, y: u32 @ g; var t: u32 @ g; out z: u32 @ g;\n"
     "main { compute g { t = x; z = 0; } repeat (3) { compute g { z += t; } compute g { t *= 2; } } "
     "compute g { z += y; } }",
     {1, 9, 3, 7},
     {2, 8, 3, 0},
     {9, 71, 24, 49}},
    /* operands are looked at from left to right, also when a call writes what stands on its left */
    {CALLS("z = x; z = z * 16 + next(z);"), {1, 2, 3, 4}, {0, 0, 0, 0}, {18, 35, 52, 69}},
    {CALLS("let v = x; z = 0; z += next(v) * v + min(v, next(v)) - next(v);"),
     {1, 2, 3, 4},
     {0, 0, 0, 0},
     {2, 7, 14, 23}},
    {CALLS("let v = x; let c = v > 2 && next(v) > 4; let d = v < 4 || next(v) == 6;\n"
           "z = v * 4 + u32(c) * 2 + u32(d);"),
     {1, 2, 3, 4},
     {0, 0, 0, 0},
     {5, 9, 20, 27}},
    {CALLS("let v = x; let c = select(v > 2, v, next(v)); z = c << next(v) + v;"),
     {1, 2, 3, 4},
     {0, 0, 0, 0},
     {128, 768, 3072, 16384}},
    /* more loops in each other than REPEAT allows; the size is 4 */
    {KERNEL("z = 0; for a: 0 .. 2 { for b: 0 .. 1 { repeat (n) { for c: 0 .. 1 {\n"
            "for d: 0 .. 3 { if (x == 2) { continue; } repeat (n) { z += x + u32(d); } } } } } }"),
     {1, 2, 3, 4},
     {0, 0, 0, 0},
     {192, 0, 384, 480}},
    /* a sum over rows of which one has no partner */
    {"size n; group g[n]; group h[3, n]; in x, y: u32 @ g; var t: u32 @ h; var s: u32;\n"
     "out z: u32 @ g;\nmain { compute h { t = 1; } s = sum(t); compute g { z = s + x - y; } }",
     {1, 2, 3, 4},
     {1, 2, 3, 4},
     {12, 12, 12, 12}},
    /* more variables than registers, but not at the same time */
    {"size n; group g[n]; in x, y: u32 @ g; var a, b, c, d: u32[20] @ g; out z: u32 @ g;\n"
     "main { compute g { for k: 0 .. 20 { a[k] = x + k; } }\n"
     "compute g { for k: 0 .. 20 { b[k] = a[k] * 2; } }\n"
     "compute g { for k: 0 .. 20 { c[k] = b[k] + y; } }\n"
     "repeat (1) { compute g { for k: 0 .. 20 { d[k] = c[k] + 1; } } }\n"
     "compute g { z = 0; for k: 0 .. 20 { z += d[k]; } } }",
     {1, 2, 3, 4},
     {0, 1, 2, 3},
     {440, 500, 560, 620}},
    /* one value for all lanes, computed once */
    {"size n; group g[n]; in x, y: u32 @ g; var c: u32; out z: u32 @ g;\n"
     "const K: u32 = 10;\nmain { compute g { c = K * 3; c += 1; } compute g { z = x * c + y; } }",
     {1, 2, 3, 4},
     {0, 1, 2, 3},
     {31, 63, 95, 127}},
    /* min and max of values without a group are no reductions */
    {"size n; group g[n]; in x, y: u32 @ g; var s, t: u32; out z: u32 @ g;\n"
     "main { s = sum(x); t = max(y); s = min(s, 7); t = max(s, t + 6); compute g { z = x * s + t; } }",
     {1, 2, 3, 4},
     {0, 1, 2, 3},
     {16, 23, 30, 37}},
};

static void put_u32(mpu_session *s, const char *name, uint32_t *data) {
    mpu_array a = {.type = MPU_U32, .ndim = 1, .shape = {4}, .data = data};
    mpu_error *e = NULL;
    if (mpu_session_put(s, name, &a, &e) != MPU_OK)
        fail_with(name, e);
}

static void run_kernel(const struct kernel *k, const mpu_program *p, const mpu_target *t,
                       const char *init) {
    struct kernel copy = *k;
    mpu_error *e = NULL;
    mpu_config config = {.size = sizeof config, .init = init};
    mpu_session *s = mpu_session_new(p, t, &config, &e);
    if (!s)
        fail_with(k->source, e);
    put_u32(s, "x", copy.x);
    put_u32(s, "y", copy.y);
    if (mpu_session_run(s, &e) != MPU_OK)
        fail_with(k->source, e);
    mpu_array z = {0};
    if (mpu_session_get(s, "z", &z, &e) != MPU_OK)
        fail_with(k->source, e);
    if (memcmp(z.data, k->z, sizeof k->z) != 0) {
        const uint32_t *got = z.data;
        fail_msg("%s: %x %x %x %x on %s", k->source, got[0], got[1], got[2], got[3],
                 mpu_target_name(t));
    }
    mpu_array_free(&z);
    mpu_session_free(s);
}

static void test_kernels(void **state) {
    (void)state;
    mpu_target *golden = mpu_target_open("golden", NULL, NULL);
    assert_non_null(golden);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        for (int level = 0; level <= 2; level++) {
            mpu_program *p = build_program(kernels[i].source, level);
            run_kernel(&kernels[i], p, golden, "zero");
            run_kernel(&kernels[i], p, golden, "random:3");
            mpu_program_free(p);
        }
    mpu_target_close(golden);
}

/* Kernels of instructions that every target has. */
static void test_kernels_on_racer(void **state) {
    (void)state;
    mpu_target *racer = mpu_target_open("racer", NULL, NULL);
    assert_non_null(racer);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        const char *source = kernels[i].source;
        if (strstr(source, "CAS") || strstr(source, "MAC") || strstr(source, "mac(") ||
            strstr(source, "relu"))
            continue; /* no recipe yet */
        mpu_program *p = build_program(source, 1);
        run_kernel(&kernels[i], p, racer, "random:3");
        mpu_program_free(p);
    }
    mpu_target_close(racer);
}

/* What takes the rows of a target that has too few is said in variables, of whatever type. */
static void too_large_is_said(void **state) {
    (void)state;
    mpu_target *mimdram = mpu_target_open("mimdram", NULL, NULL);
    mpu_error *e = NULL;
    assert_non_null(mimdram);
    mpu_program *p = build_program(
        "group g[8]; in x: f64[10] @ g; in y: f64[8] @ g; out z: f64 @ g;\n"
        "main { compute g { z = 0; for k: 0 .. 8 { z += x[k] * y[k]; } z = z / x[9]; } }",
        1);
    mpu_session *s = mpu_session_new(p, mimdram, NULL, &e);
    assert_true(!s || mpu_session_prepare(s, &e) != MPU_OK);
    const char *text = mpu_error_text(e);
    assert_non_null(strstr(text, "and target 'mimdram' has 1006"));
    assert_non_null(strstr(text, "`x`, f64[10]: 640 rows"));
    assert_non_null(strstr(text, "`y`, f64[8]: 512 rows"));
    assert_non_null(strstr(text, "`z`, f64: 64 rows"));
    mpu_error_free(e);
    mpu_session_free(s);
    mpu_program_free(p);
    mpu_target_close(mimdram);
}

/* Forty values that are used again far behind do not fit when all are kept; they are made again. */
static void pressure_is_relieved(void **state) {
    (void)state;
    struct str source = {0};
    str_append(&source, "size n; group g[n]; in x: u32[40] @ g; inout z: u32 @ g;\n"
                        "main { compute g {\n");
    for (unsigned round = 0; round < 3; round++)
        for (unsigned i = 0; i + 1 < 40; i++)
            str_printf(&source, "z += x[%u] * x[%u] ^ z;\n", i, i + 1);
    str_append(&source, "} }");
    struct str messages = {0};
    struct object *o = build_object(str_text(&source), 1, &messages);
    assert_string_equal(str_text(&messages), "");
    assert_non_null(o);
    object_free(o);
    str_free(&source);
    str_free(&messages);
}

/* Places of instructions point into the source. */
static void test_line_table(void **state) {
    (void)state;
    struct object *o = build_object("size n;\ngroup g[n];\nin x: u8 @ g;\nout z: u8 @ g;\n"
                                    "main {\n    compute g {\n        z = x + 1;\n    }\n}\n",
                                    0, NULL);
    assert_non_null(o);
    assert_int_equal(object_place(o, 0).line, 6);
    assert_int_equal(object_place(o, 2).line, 7);
    assert_int_equal(object_place(o, 2).column, 13);
    object_free(o);
}

static void test_defines(void **state) {
    (void)state;
    static const char source[] = AROUND(XYZ("u16") " const K = 3;", "z = x + K + L;");
    static const struct asm_define defines[] = {{"K", 100, NULL}, {"L", 11, NULL}};
    struct ez_options options = {.optimize = 1, .defines = defines, .define_count = 2};
    struct diag *d = diag_new(NULL, NULL);
    struct object *o = ez_compile("test.ez", source, sizeof source - 1, &options, d);
    assert_null(diag_first(d));
    struct insn insn;
    assert_int_equal(isa_decode(o->text.data[1], &insn), ISA_OK);
    assert_int_equal(insn.imm, 100);
    object_free(o);
    diag_free(d);
}

/* A decimal, too, declared or not. */
static void test_real_defines(void **state) {
    (void)state;
    static const struct asm_define defines[] = {{"K", 1, "0.1"}, {"L", 1, "-2.5e-3"}};
    static const char *const sources[] = {
        AROUND(XYZ("f32") " const K = 3;", "z = x * K + L;"),
        AROUND(XYZ("f32") " const K = 0.1; const L = -0.0025;", "z = x * K + L;")};
    struct object *o[2];
    for (unsigned i = 0; i < 2; i++) {
        struct diag *d = diag_new(NULL, NULL);
        struct ez_options options = {.optimize = 1, .defines = defines, .define_count = i ? 0 : 2};
        o[i] = ez_compile("test.ez", sources[i], strlen(sources[i]), &options, d);
        assert_null(diag_first(d));
        diag_free(d);
    }
    assert_int_equal(o[0]->text.len, o[1]->text.len);
    assert_memory_equal(o[0]->text.data, o[1]->text.data, o[0]->text.len * sizeof *o[0]->text.data);
    object_free(o[0]);
    object_free(o[1]);
}

/* Of what the table of all front ends takes, the language leaves out the order of bool and its
 * least and largest, and the sign and the inversion of bool, which is `!`. */
static bool left_out(enum array_op op, struct lane_type type) {
    bool order = op == ARRAY_OP_LT || op == ARRAY_OP_LE || op == ARRAY_OP_GT || op == ARRAY_OP_GE;
    return type.kind == TYPE_BOOL &&
           (order || op == ARRAY_OP_MIN || op == ARRAY_OP_MAX || op == ARRAY_OP_NOT);
}

static void expect_taken(const char *text, enum array_op op, struct lane_type type) {
    struct str source = {0}, messages = {0};
    char name[8], result[8];
    object_type_text(type, name);
    object_type_text(array_op_info(op)->gives_bool ? (struct lane_type){TYPE_BOOL, 1} : type,
                     result);
    str_printf(&source, "size n;\ngroup g[n];\nin x, y: %s @ g; in c: bool @ g; out z: %s @ g;\n",
               name, result);
    str_printf(&source, "main { compute g { z = %s; } }\n", text);
    struct object *o = build_object(str_text(&source), 1, &messages);
    bool want = array_op_takes(op, type) && !left_out(op, type);
    if (want != (o != NULL))
        fail_msg("%s of %s is %s: %s", text, name, o ? "taken" : "refused", str_text(&messages));
    object_free(o);
    str_free(&source);
    str_free(&messages);
}

/* Operators and functions take the types that the table says. */
static void types_are_those_of_the_table(void **state) {
    static const struct {
        const char *text;
        enum array_op op;
    } operators[] = {
        {"x + y", ARRAY_OP_ADD},  {"x - y", ARRAY_OP_SUB}, {"x * y", ARRAY_OP_MUL},
        {"x / y", ARRAY_OP_DIV},  {"x % y", ARRAY_OP_REM}, {"x << 1", ARRAY_OP_SHL},
        {"x >> 1", ARRAY_OP_SHR}, {"x & y", ARRAY_OP_AND}, {"x | y", ARRAY_OP_OR},
        {"x ^ y", ARRAY_OP_XOR},  {"~x", ARRAY_OP_NOT},    {"-x", ARRAY_OP_NEG},
        {"x == y", ARRAY_OP_EQ},  {"x != y", ARRAY_OP_NE}, {"x < y", ARRAY_OP_LT},
        {"x <= y", ARRAY_OP_LE},  {"x > y", ARRAY_OP_GT},  {"x >= y", ARRAY_OP_GE},
    };
    static const enum array_op functions[] = {
        ARRAY_OP_MIN,   ARRAY_OP_MAX,   ARRAY_OP_SELECT,   ARRAY_OP_FLOORDIV, ARRAY_OP_FLOORMOD,
        ARRAY_OP_SQRT,  ARRAY_OP_FLOOR, ARRAY_OP_CEIL,     ARRAY_OP_TRUNC,    ARRAY_OP_RINT,
        ARRAY_OP_ISNAN, ARRAY_OP_ISINF, ARRAY_OP_ISFINITE, ARRAY_OP_SIGNBIT,
    };
    static const char *const arguments[] = {"", "x", "x, y", "c, x, y"};
    static const struct lane_type types[] = {{TYPE_BOOL, 1},  {TYPE_UINT, 8},   {TYPE_INT, 32},
                                             {TYPE_UINT, 64}, {TYPE_FLOAT, 16}, {TYPE_BFLOAT, 16}};
    (void)state;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
            expect_taken(operators[i].text, operators[i].op, types[t]);
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
            const struct array_op_info *info = array_op_info(functions[i]);
            char text[64];
            snprintf(text, sizeof text, "%s(%s)", info->name, arguments[info->operands]);
            expect_taken(text, functions[i], types[t]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axpy_is_two_instructions),
        cmocka_unit_test(cheaper_forms),
        cmocka_unit_test(statements_outside_of_lanes),
        cmocka_unit_test(registers_of_variables),
        cmocka_unit_test(test_assembly),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_kernels_on_racer),
        cmocka_unit_test(too_large_is_said),
        cmocka_unit_test(pressure_is_relieved),
        cmocka_unit_test(test_line_table),
        cmocka_unit_test(test_defines),
        cmocka_unit_test(test_real_defines),
        cmocka_unit_test(types_are_those_of_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

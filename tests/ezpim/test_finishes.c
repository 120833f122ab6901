/* SPDX-License-Identifier: MIT
 * Reductions into outputs: which of them the host may finish, and that it makes the same of the
 * elements as the machine. */
#include "tests/ezpim/against.h"
#include "tests/ezpim/build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define HEAD "size n = 1000;\ngroup g[n];\ngroup h[7, 9];\n"

/* What stands behind that, and how many of its reductions the host may finish. */
static const struct {
    const char *text;
    size_t count;
} programs[] = {
    {"in x: i16 @ g; out s: i32; main { s = sum(i32(x)); }", 1},
    {"in x: i16 @ g; out s: i32; main { s = sum(x); }", 0}, /* modulo 2^16 */
    {"in x: i16 @ g; out s: i16; main { s = sum(x); }", 1},
    {"in x: i16 @ g; out s: i32; out t: i32; main { s = sum(i32(x)); t = max(x); }", 2},
    {"in x: i16 @ g; in m: i16 @ h; out s: u64; out t: u64; main { s = argmin(m); t = count(x == 3); }",
     2},
    {"in m: i16 @ h; out s: i32; main { s = sum(i32(m) * m); }", 1},
    {"in x: i16 @ g; out s: i32; var w: i16 @ g; main { compute g { w = x + 1; } s = min(w); }", 1},
    {"in x: i16 @ g; out s: i32; out y: i16 @ g; var w: i16 @ g; main { compute g { w = x + 1; } s = min(w); compute g { w = 0; y = w; } }",
     0},
    {"in x: i16 @ g; out s: i32; var w: i16 @ g; main { compute g { w = x + 1; } s = min(w); repeat (2) { compute g { w += 1; } } }",
     0},
    {"in x: i16 @ g; out s: i32; out y: i16 @ g; main { s = sum(i32(x)); compute g { y = i16(s); } }",
     0},
    {"in x: i16 @ g; out s: i32; main { repeat (2) { s = sum(i32(x)); } }", 0},
    {"in x: i16 @ g; out s: i32; main { compute g { s = 1; } s = sum(i32(x)); }", 0},
    {"in x: i16 @ g; out s: i32; main { s = sum(i32(x)); s = sum(i32(x) + 1); }", 0},
    {"in x: i16 @ g; out p: u64[3]; main { p[0] = count(x == 3); p[1] = argmin(x); p[2] = argmax(x); }",
     3},
    {"in x: i16 @ g; out p: i32[3]; out y: i16 @ g; main { p[0] = sum(i32(x)); compute g { y = x; } p[2] = max(y); }",
     2},
    {"in x: i16 @ g; out p: i32[3]; out y: i16 @ g; main { p[0] = sum(i32(x)); compute g { y = x + 1; } p[1] = max(y); p[2] = sum(i32(y > 3)); }",
     3},
    {"in x: i16 @ g; out s: i32; var w: i16 @ g; main { compute g { w = x; } move w[i] = w[i - 1] else 3; s = sum(i32(w)); }",
     1},
    /* Behind `else`, which machines with the kernel do not come to, in place; along an axis, too.
     */
    {"in m: i16 @ h; out s: i32; group row[7]; out rows: i32 @ row; buffer in m: i16[7, 9]; "
     "buffer out s: i32; kernel k core(m: i16[], s: i32[]) { end } "
     "main { launch k<<<1>>>(m, s) else { s = sum(i32(m)); rows = sum(i32(m), 1); } }",
     0},
};

static void expect_count(const char *text, const char *what, size_t count) {
    struct str messages = {0};
    struct object *o = build_object(text, 2, &messages);
    if (!o)
        fail_msg("%s: %s", what, str_text(&messages));
    if (o->finishes.len != count)
        fail_msg("%s: the host may finish %zu, not %zu", what, o->finishes.len, count);
    object_free(o);
    str_free(&messages);
}

/* w = x OP y, and what all of it comes to: as many registers as that. */
static void put_round(struct str *text, const char *name, const char *op, unsigned result) {
    str_append(text, "compute g { ");
    for (unsigned k = 0; k < 14; k++)
        str_printf(text, "%s[%u] = x[%u] %s y[%u]; ", name, k, k, op, k);
    str_printf(text, "p[%u] = 0", result);
    for (unsigned k = 0; k < 14; k++)
        str_printf(text, " ^ %s[%u]", name, k);
    str_append(text, "; }\n");
}

/* A program whose variables have room only where some have the registers of others; s is of what is
 * there from the beginning, t of what is made, and held, for it. */
static void put_crowded(struct str *text) {
    str_append(text, HEAD "in x: i16[20] @ g; in y: i16[16] @ g; out s: i16; out t: i16;\n"
                          "out p: i16[2] @ g; var v: i16 @ g; var w: i16[14] @ g;\n"
                          "var u: i16[14] @ g;\nmain {\n");
    put_round(text, "w", "*", 0);
    str_append(text, "compute g { v = x[3] + y[2]; }\n");
    put_round(text, "u", "+", 1);
    str_append(text, "s = sum(x[1]); t = max(v);\ncompute g { p[0] += 3; }\n}\n");
}

/* Of floating point the host knows no order of sums, and hands on what is no number. */
static const struct {
    const char *text;
    size_t count;
} floats[] = {
    {"in x: f32 @ g; out s: f32; main { s = sum(x); }", 0},
    {"in x: f16 @ g; out s: f16; main { s = max(x); }", 0},
    {"in x: bf16 @ g; out s: u64; out t: u64; main { s = argmin(x); t = count(x < 3); }", 2},
};

static void where_registers_are_shared(void **state) {
    struct str text = {0};
    (void)state;
    put_crowded(&text);
    expect_count(str_text(&text), "crowded", 2);
    str_free(&text);
}

static void outputs_that_nothing_else_needs(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct str text = {0};
        str_printf(&text, "%s%s\n", HEAD, programs[i].text);
        expect_count(str_text(&text), programs[i].text, programs[i].count);
        str_free(&text);
    }
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
        struct str text = {0};
        str_printf(&text, "%s%s\n", HEAD, floats[i].text);
        expect_count(str_text(&text), floats[i].text, floats[i].count);
        str_free(&text);
    }
}

/* Batches go with ways to finish (against.c). */
static void all_make_the_same(void **state) {
    static const char *const names[] = {"golden", "racer", "mimdram", "duality-cache"};
    (void)state;
    for (size_t t = 0; t < sizeof names / sizeof *names; t++) {
        mpu_error *e = NULL;
        mpu_target *target = mpu_target_open(names[t], NULL, &e);
        if (!target)
            fail_with(names[t], e);
        for (size_t i = 0; i <= sizeof programs / sizeof *programs; i++) {
            bool last = i == sizeof programs / sizeof *programs;
            struct str text = {0}, why = {0};
            const struct against_setup setups[] = {{target, 2, "one", "random:5", 0, 0, false},
                                                   {target, 2, "all", "zero", 0, 0, false},
                                                   {target, 2, "target", "zero", 0, 0, false}};
            if (last)
                put_crowded(&text);
            else
                str_printf(&text, "%s%s\n", HEAD, programs[i].text);
            if (against(str_text(&text), i + 1, setups, 3, &why) != AGAINST_SAME)
                fail_msg("%s: %s", str_text(&text), str_text(&why));
            str_free(&text);
            str_free(&why);
        }
        mpu_target_close(target);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(outputs_that_nothing_else_needs),
                                       cmocka_unit_test(where_registers_are_shared),
                                       cmocka_unit_test(all_make_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 * -fspill: programs with more variables than registers give what the interpreter says. */
#include "tests/draws.h"
#include "tests/ezpim/against.h"
#include "tests/ezpim/build.h"
#include "tests/ezpim/program_gen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PROGRAMS draws(DRAWS_EZPIM_SPILL)

enum { VARIABLES = 80 };

static mpu_target *open_target(const char *name) {
    mpu_error *e = NULL;
    mpu_target *t = mpu_target_open(name, NULL, &e);
    if (!t)
        fail_with("target", e);
    return t;
}

/* Variables that all live from the first statements to the end, written in part of the lanes, in
 * a loop, moved and added up. */
static void write_many(struct str *text, const char *declarations, const char *move) {
    str_append(text, declarations);
    for (unsigned v = 0; v < VARIABLES; v++)
        str_printf(text, "out v%u: i32 @ g;\n", v);
    str_append(text, "in x: i32 @ g;\nout y, z: i32 @ g;\nout s: i32;\nout a: u8[3] @ g;\n"
                     "sub step(inout w: i32, by: i32) { if (w > by) { w -= by; } }\nmain {\n");
    for (unsigned v = 0; v < VARIABLES; v++)
        str_printf(text, "compute g { v%u = x * %u + %u; }\n", v, v + 1, v);
    str_append(text, "compute g { y = 0; z = 0; a[0] = 1; a[1] = 2; a[2] = 3; }\nrepeat (3) {\n");
    for (unsigned v = 0; v < VARIABLES; v++)
        str_printf(text, "compute g { if (x > %u) { v%u += %u; } y += v%u; step(v%u, %u); }\n", v,
                   v, v, v, v, 3 * v);
    str_append(text, "if (any(v7 > 9)) { compute g { v8 = v7; a[1] += u8(v8 & 3); } }\n}\n");
    str_printf(text, "%s\ns = sum(v6 + y);\n}\n", move);
}

static const char alone[] = "group g[50];\n";
static const char plain_move[] =
    "move z[i] = v5[i - 1] wrap;\nmove v4[i] = v3[49 - i];\nv9 = scan(v10);";
/* A scan in blocks writes its target by the coordinates of another group. */
static const char in_blocks[] = "group g[600];\n";
static const char block_scan[] = "v9 = scan(v10, max);\nv11 = scan(v12, exclusive);";
static const char on_ring[] = "mpus ring[3];\ngroup g[20] on ring;\n";
static const char ring_move[] = "move z[k, i] = v5[k - 1, i] wrap;\nmove v4[k, i] = v3[k, i];";

static void equals_interpreter(const char *text, const struct against_setup *setups, size_t count) {
    struct str why = {0};
    if (against(text, 3, setups, count, &why) != AGAINST_SAME)
        fail_msg("%s", str_text(&why));
    str_free(&why);
}

static void many_variables_run(void **state) {
    mpu_target *golden = open_target("golden"), *racer = open_target("racer");
    const struct against_setup setups[] = {{golden, 0, "target", "random:5", 64, 0, false},
                                           {golden, 1, "one", "random:5", 64, 0, false},
                                           {golden, 2, "all", "zero", 64, 0, false},
                                           {golden, 1, "one", "random:7", 20, 0, false},
                                           {racer, 1, "target", "random:5", 64, 0, false},
                                           {racer, 1, "one", "random:6", 64, 0, false}};
    struct str text = {0}, ring = {0}, blocks = {0}, why = {0};
    (void)state;
    write_many(&blocks, in_blocks, block_scan);
    equals_interpreter(blocks.text, setups, sizeof setups / sizeof *setups);
    str_free(&blocks);
    write_many(&text, alone, plain_move);
    equals_interpreter(text.text, setups, sizeof setups / sizeof *setups);
    write_many(&ring, on_ring, ring_move);
    equals_interpreter(ring.text, setups, sizeof setups / sizeof *setups);
    /* Where there are too few registers that goes without the option. */
    const struct against_setup without = {golden, 1, "target", "zero", 0, 0, false};
    const struct ez_options plain = {.optimize = 1};
    equals_interpreter(text.text, &without, 1);
    mpu_program_free(try_program_with(text.text, &plain, &why));
    assert_non_null(strstr(why.text, "there are fewer registers than the program needs: `v"));
    str_free(&why);
    str_free(&ring);
    str_free(&text);
    mpu_target_close(golden);
    mpu_target_close(racer);
}

static bool spills(const char *text, unsigned registers) {
    const struct ez_options options = {.optimize = 1, .spill = true, .registers = registers};
    struct str messages = {0};
    mpu_program_free(try_program_with(text, &options, &messages));
    bool found = messages.text && strstr(messages.text, "[-Wspill]");
    str_free(&messages);
    return found;
}

/* As few registers for variables as they can do with, from 2 on. */
static void random_programs_spill(void **state) {
    static const char *const batches[] = {"target", "one", "all"};
    mpu_target *const targets[] = {open_target("golden"), open_target("racer")};
    struct str text = {0};
    unsigned spilled = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        const struct program_options options = {.all_operations = seed % 4 != 0,
                                                .work = seed % 4 ? 400 : 60};
        const struct against_setup setup = {targets[seed % 4 == 0],
                                            (int)(seed % 3),
                                            batches[seed / 3 % 3],
                                            seed % 2 ? "zero" : "random:5",
                                            2 + (unsigned)(seed % 14) +
                                                AGAINST_SPLIT * (unsigned)(seed / 2 % 6),
                                            0,
                                            false};
        struct str why = {0};
        program_random(seed, &options, &text);
        if (against(text.text, seed, &setup, 1, &why) != AGAINST_SAME)
            fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, str_text(&why), text.text);
        spilled += spills(text.text, setup.registers % AGAINST_SPLIT);
        str_free(&why);
    }
    if (spilled < PROGRAMS / 7)
        fail_msg("only %u programs spilled", spilled);
    str_free(&text);
    for (size_t i = 0; i < 2; i++)
        mpu_target_close(targets[i]);
}

/* In the columns of a crossbar.  What a statement in some of the lanes needs beside 64-bit
 * divisions has often no room: that is refused, and counted. */
static void random_programs_in_columns(void **state) {
    mpu_target *pypim = open_target("pypim");
    struct str text = {0};
    unsigned refused = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= PROGRAMS / 6; seed++) {
        const struct program_options options = {.all_operations = true, .work = 60};
        const struct against_setup setup = {pypim,
                                            (int)(seed % 3),
                                            seed % 2 ? "target" : "one",
                                            seed % 2 ? "zero" : "random:5",
                                            4 + (unsigned)(seed % 8) +
                                                AGAINST_SPLIT * (unsigned)(seed / 2 % 6),
                                            AGAINST_ROOM,
                                            false};
        struct str why = {0};
        program_random(seed, &options, &text);
        enum against_outcome outcome = against(text.text, seed, &setup, 1, &why);
        if (outcome != AGAINST_SAME && outcome != AGAINST_REFUSED)
            fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, str_text(&why), text.text);
        refused += outcome == AGAINST_REFUSED;
        str_free(&why);
    }
    if (refused > PROGRAMS / 6 * 2 / 3)
        fail_msg("%u programs refused", refused);
    str_free(&text);
    mpu_target_close(pypim);
}

/* A lane of few rows: variables lie in VRFs of their own by their bits. */
static void rows_are_enough(void **state) {
    mpu_target *golden = open_target("golden"), *racer = open_target("racer"),
               *mimdram = open_target("mimdram");
    enum { WORDS = 20, ROWS = 400 };
    const struct against_setup setups[] = {{golden, 0, "target", "random:5", 64, ROWS, false},
                                           {racer, 1, "one", "random:5", 64, ROWS, false},
                                           {mimdram, 2, "target", "zero", 64, ROWS, true}};
    const struct ez_options without = {.optimize = 1, .rows = ROWS};
    struct str text = {0}, messages = {0};
    (void)state;
    str_append(&text, "group g[50];\n");
    for (unsigned v = 0; v < WORDS; v++)
        str_printf(&text, "in a%u: u64 @ g;\nout z%u: u64 @ g;\n", v, v);
    str_append(&text, "main {\n");
    for (unsigned v = 0; v < WORDS; v++)
        str_printf(&text, "compute g { z%u = a%u * %u + a%u; }\n", v, v, v + 1, (v + 7) % WORDS);
    str_append(&text, "}\n");
    equals_interpreter(text.text, setups, sizeof setups / sizeof *setups);
    assert_null(try_program_with(text.text, &without, &messages));
    assert_non_null(strstr(messages.text, "the registers need"));
    str_free(&messages);
    str_free(&text);
    mpu_target_close(golden);
    mpu_target_close(racer);
    mpu_target_close(mimdram);
}

/* Statements of one `compute` are brought what each of them names: variables, registers of arrays,
 * and what was declared in it. */
static void statements_of_a_body_run(void **state) {
    mpu_target *racer = open_target("racer"), *pypim = open_target("pypim");
    const struct against_setup setups[] = {
        {racer, 1, "target", "random:5", 16 + AGAINST_SPLIT, 0, false},
        {racer, 2, "one", "random:5", 48 + AGAINST_SPLIT, 0, false},
        {pypim, 1, "target", "random:5", 16 + AGAINST_SPLIT, AGAINST_ROOM, false}};
    struct str text = {0};
    (void)state;
    str_append(&text, "group g[50];\nin x: u32 @ g;\nin a: u32[20] @ g;\nout y: u32[20] @ g;\n");
    for (unsigned v = 0; v < VARIABLES; v++)
        str_printf(&text, "out v%u: u32 @ g;\n", v);
    str_append(&text, "main {\ncompute g {\nlet last: u32 = 7;\n");
    for (unsigned v = 0; v < VARIABLES; v++)
        str_printf(&text,
                   "let t%u = a[%u] + last;\nif (t%u < x) { last = last ^ t%u; }\nv%u = last + "
                   "%u;\ny[%u] = v%u * t%u;\n",
                   v, v % 20, v, v, v, v, v % 20, v / 2, v);
    str_append(&text, "}\n}\n");
    equals_interpreter(text.text, setups, sizeof setups / sizeof *setups);
    str_free(&text);
    mpu_target_close(racer);
    mpu_target_close(pypim);
}

/* Arrays that take more columns than there are, with a group and without one, read and written by
 * registers, in loops of a body, by moves and by reductions. */
static void arrays_lie_by_the_lane(void **state) {
    mpu_target *racer = open_target("racer"), *pypim = open_target("pypim");
    const struct against_setup setups[] = {
        {racer, 1, "target", "random:5", 12 + 2 * AGAINST_SPLIT, 0, false},
        {pypim, 0, "one", "random:5", 64, AGAINST_ROOM, false},
        {pypim, 1, "target", "zero", 64, AGAINST_ROOM, false},
        {pypim, 2, "all", "random:6", 64, AGAINST_ROOM, false}};
    const char *text =
        "group g[70];\ngroup h[9, 5];\nin a, b: u16[24] @ g;\nin t: u32[20];\nout c: u16[24] @ g;\n"
        "out s, m: u32[24];\nout e: u16[24];\nout y: u16[30] @ h;\nout d: u32 @ g;\nvar z: u16[30] @ h;\nmain {\n"
        "compute g {\nlet u: u32 = 1;\nunroll for k: 0 .. 24 { c[k] = a[k] ^ b[23 - k]; }\n"
        "repeat (3) {\nunroll for k: 0 .. 20 { if (u16(u) < a[k]) { u += t[k]; c[k] += u16(u); } }\n"
        "repeat (2) { let w: u32 = u >> 3; u = u + w; c[5] = c[5] ^ u16(w); }\n}\nd = u;\n}\n"
        "for k: 0 .. 24 { s[k] = sum(u32(c[k])); m[k] = max(u32(a[k])); }\n"
        "compute g { unroll for k: 0 .. 24 { if (s[k] > m[k]) { c[k] = u16(s[k] - m[k]); } } }\n"
        "compute h { unroll for k: 0 .. 30 { z[k] = u16(index(0) * 40 + index(1) + k); } }\n"
        "move y[i, j, k] = z[i - 1, j, 29 - k] wrap;\nmove e[k] = c[7, k];\n"
        "move c[i, k] = a[i + 1, k + 1] else 5;\n}\n";
    (void)state;
    equals_interpreter(text, setups, sizeof setups / sizeof *setups);
    mpu_target_close(racer);
    mpu_target_close(pypim);
}

/* One statement that names all of them: what it works out lies elsewhere in between, where lanes
 * are left out and values printed too.  Instructions that are written out stay where they are: a
 * body that has some is one piece, which is refused and says so. */
static void write_long_statement(struct str *text, const char *before, const char *behind) {
    str_append(text, "group g[4];\nout y: i32 @ g;\n");
    for (unsigned v = 0; v < VARIABLES; v++)
        str_printf(text, "in v%u: i32 @ g;\n", v);
    str_printf(text, "main {\ncompute g {\n%sy = 0", before);
    for (unsigned v = 0; v < VARIABLES; v++)
        str_printf(text, " ^ v%u", v);
    str_printf(text, ";%s\n}\n}\n", behind);
}

static void one_statement_takes_all(void **state) {
    mpu_target *racer = open_target("racer");
    const struct against_setup setup = {racer, 1, "target", "random:5", 64, 0, false};
    const struct ez_options options = {.optimize = 1, .spill = true};
    struct str text = {0}, messages = {0};
    (void)state;
    write_long_statement(&text, "", "");
    equals_interpreter(text.text, &setup, 1);
    str_clear(&text);
    write_long_statement(&text, "y = 1;\nif (v0 < 0) { ", " }");
    equals_interpreter(text.text, &setup, 1);
    str_clear(&text);
    write_long_statement(&text, "y = 1;\nprint(v0);", "");
    equals_interpreter(text.text, &setup, 1);
    str_clear(&text);
    write_long_statement(&text, "y = 1;\nasm inout(y) { ADD y y y; }\n", "");
    assert_null(try_program_with(text.text, &options, &messages));
    assert_non_null(strstr(messages.text, "of 64 are taken"));
    assert_non_null(strstr(messages.text, "VRFs of their own does not help"));
    str_free(&messages);
    str_free(&text);
    mpu_target_close(racer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_variables_run),     cmocka_unit_test(random_programs_spill),
        cmocka_unit_test(rows_are_enough),        cmocka_unit_test(statements_of_a_body_run),
        cmocka_unit_test(arrays_lie_by_the_lane), cmocka_unit_test(random_programs_in_columns),
        cmocka_unit_test(one_statement_takes_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

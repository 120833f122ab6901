/* SPDX-License-Identifier: MIT
 * Consumed inputs: where their registers go, and that programs give what they gave. */
#include "tests/draws.h"
#include "support/bits.h"
#include "tests/ezpim/against.h"
#include "tests/ezpim/build.h"
#include "tests/ezpim/program_gen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PROGRAMS draws(DRAWS_EZPIM_CONSUMED)

static struct object *compile(const char *source) {
    struct str messages = {0};
    struct object *o = build_object(source, 1, &messages);
    if (!o)
        fail_msg("%s\n%s", str_text(&messages), source);
    str_free(&messages);
    return o;
}

static uint64_t registers_of(const struct variable *v) {
    return low_bits(v->count) << v->reg;
}

static uint64_t registers_in(uint32_t word) {
    struct insn insn;
    struct str text = {0};
    uint64_t mask = 0;
    assert_int_equal(isa_decode(word, &insn), ISA_OK);
    isa_format_insn(&insn, NULL, &text);
    for (const char *p = str_text(&text); (p = strstr(p, " r")); p += 2)
        mask |= (uint64_t)1 << (strtoul(p + 2, NULL, 10) & 63);
    str_free(&text);
    return mask;
}

/* How many registers the program needs: of variables, and those that instructions name. */
static unsigned registers(const char *source) {
    struct object *o = compile(source);
    uint64_t mask = 0;
    for (size_t i = 0; i < o->vars.len; i++)
        mask |= registers_of(&o->vars.data[i]);
    for (size_t i = 0; i < o->text.len; i++)
        mask |= registers_in(o->text.data[i]);
    object_free(o);
    return (unsigned)__builtin_popcountll(mask);
}

/* The text with other words for "in consumed". */
static void keep_inputs(const char *source, const char *word, struct str *out) {
    static const char consumed[] = "in consumed ";
    str_clear(out);
    for (const char *p = source, *next; *p; p = next) {
        const char *at = strstr(p, consumed);
        next = at ? at + strlen(consumed) : p + strlen(p);
        str_append_n(out, p, (size_t)((at ? at : next) - p));
        str_append(out, at ? word : "");
    }
}

#define TOP "group g[9];\n"

#define RING "mpus ring[2];\ngroup g[9] on ring;\nin consumed x, w: u32 @ g;\nout y: u32 @ g;\n"

/* What each program needs with its inputs consumed, and with them kept. */
static void registers_come_back(void **state) {
    static const struct {
        const char *source;
        unsigned consumed, kept;
    } cases[] = {
        /* within an ensemble, by locals and by what has no name */
        {TOP "in consumed x, y: u32 @ g;\nout z: u32 @ g;\n"
             "main { compute g { let a = x * y; let b = a / 3; z = (b + a) * (b ^ a); } }\n",
         3, 5},
        /* in a later ensemble that does not name it */
        {TOP "in consumed x: u32 @ g;\nin y: u32 @ g;\nout z, w: u32 @ g;\n"
             "main { compute g { z = x; } sync;\n"
             "compute g { let a = y * y; w = (a + 1) * a; } }\n",
         4, 5},
        /* one register of an array after the other */
        {TOP "in consumed v: u16[4] @ g;\nout z: u16 @ g;\n"
             "main { compute g { z = v[0] * v[1]; } sync;\n"
             "compute g { let a = z * v[2]; z = (a + v[3]) * (a ^ v[3]) - a; } }\n",
         5, 7},
        /* not in a loop whose next lap reads it */
        {TOP "in consumed x, y: u32 @ g;\nout z: u32 @ g;\n"
             "main { compute g { z = 0; } repeat (3) {\n"
             "compute g { let a = x * z; z = (a + y) * (a ^ 5); } } }\n",
         5, 5},
        /* behind the loop */
        {TOP "in consumed x, y: u32 @ g;\nout z: u32 @ g;\n"
             "main { compute g { z = 0; } repeat (3) { compute g { z = z * x + y; } }\n"
             "compute g { let a = z * z; z = (a + 3) * (a ^ 5); } }\n",
         3, 5},
        /* a move still reads it */
        {TOP "in consumed x: u32 @ g;\nout y, z: u32 @ g;\n"
             "main { compute g { let a = x * x; z = (a + 3) * (a ^ 5); }\n"
             "move y[i] = x[i - 1] wrap; }\n",
         5, 5},
        /* what is sent, which another MPU waits for; what is moved, where MPUs have own texts */
        {RING
         "main on ring { on ring[0] { send x to ring[1]; } on ring[1] { recv y from ring[0]; }\n"
         "compute g { let a = w * w; y += (a + 1) * (a ^ 3); } }\n",
         4, 6},
        {RING "main on ring { on ring[0] { compute g { y = w; } } move y[k, i] = x[k, i];\n"
              "compute g { let a = w * w; y += (a + 1) * (a ^ 3); } }\n",
         4, 6},
        {RING "main on ring { move y[k, i] = x[k, i];\n"
              "compute g { let a = w * w; y += (a + 1) * (a ^ 3); } }\n",
         4, 6},
        /* a loop of a lane */
        {TOP "in consumed x, y: u8 @ g;\nout z: u8 @ g;\n"
             "main { compute g { z = 0; while (z < x) { let a = z * 3; z = (a ^ y) | (a + 1); } "
             "} }\n",
         6, 6},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct str kept = {0};
        keep_inputs(cases[i].source, "in ", &kept);
        unsigned a = registers(cases[i].source), b = registers(str_text(&kept));
        if (a != cases[i].consumed || b != cases[i].kept)
            fail_msg("case %zu: %u registers, %u when inputs are kept", i, a, b);
        str_free(&kept);
    }
}

/* A subroutine that is called looks at its variables in every call. */
static void called_subroutines_use_them(void **state) {
    static const char source[] =
        TOP "in consumed c: u16;\nin consumed x: u16 @ g;\nout z: u16 @ g;\n"
            "sub plus(a: u16): u16 { return a + c; }\n"
            "main { compute g { z = c; } compute g { let a = x * 3; let b = a * a;\n"
            "z = plus((a + b) * (a ^ b)); } compute g { z = plus(z * 3 + (z ^ 5)); } }\n";
    mpu_target *golden = mpu_target_open("golden", NULL, NULL);
    const struct against_setup setup = {golden, 0, "one", "zero", 0, 0, false};
    struct str why = {0};
    (void)state;
    if (against(source, 1, &setup, 1, &why) != AGAINST_SAME)
        fail_msg("%s", str_text(&why));
    str_free(&why);
    mpu_target_close(golden);
}

/* 34 inputs and as many outputs, one after the other. */
static void write_many(const char *word, struct str *text) {
    str_append(text, TOP);
    for (unsigned i = 0; i < 34; i++)
        str_printf(text, "%s x%u: u8 @ g;\nout z%u: u8 @ g;\n", word, i, i);
    str_append(text, "main {\n");
    for (unsigned i = 0; i < 34; i++)
        str_printf(text, "compute g { z%u = x%u * 3; }\n", i, i);
    str_append(text, "}\n");
}

/* Which variables are consumed, as bits by their number. */
static uint64_t consumed_by(const char *text, struct str *messages) {
    struct object *o = build_object(text, 1, messages);
    uint64_t mask = 0;
    assert_non_null(o);
    for (size_t i = 0; i < 64; i++)
        if (o->vars.data[i].direction & VAR_CONSUMED)
            mask |= (uint64_t)1 << i;
    object_free(o);
    return mask;
}

/* More variables than registers: what shares with an input has consumed it. */
static void shared_registers_consume(void **state) {
    struct str text = {0}, messages = {0};
    (void)state;
    write_many("in", &text);
    assert_true(consumed_by(str_text(&text), &messages) & 1);
    assert_non_null(strstr(str_text(&messages), "`x0` is consumed: there are too few registers"));
    assert_non_null(strstr(str_text(&messages), "[-Wconsumed]"));
    str_clear(&text);
    str_clear(&messages);
    write_many("in consumed", &text);
    assert_true(consumed_by(str_text(&text), &messages) == UINT64_MAX / 3);
    assert_string_equal(str_text(&messages), "");
    str_clear(&text);
    write_many("inout", &text); /* nothing is free for the others, which lie elsewhere */
    assert_true(consumed_by(str_text(&text), &messages) == 0);
    assert_null(strstr(str_text(&messages), "consumed"));
    assert_non_null(strstr(str_text(&messages), "[-Wspill]"));
    str_free(&text);
    str_free(&messages);
}

static mpu_target *open_target(const char *name) {
    mpu_error *e = NULL;
    mpu_target *t = mpu_target_open(name, NULL, &e);
    if (!t)
        fail_with(name, e);
    return t;
}

/* Some programs have more bits of registers than mimdram has rows. */
static bool runs(const char *text, uint64_t seed, const struct against_setup *setup) {
    struct str why = {0};
    enum against_outcome outcome = against(text, seed, setup, 1, &why);
    bool lacks_rows = outcome != AGAINST_SAME && strstr(str_text(&why), "rows of a VRF");
    if (outcome != AGAINST_SAME && !lacks_rows)
        fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, str_text(&why), text);
    str_free(&why);
    return !lacks_rows;
}

/* Random programs on micro-ops with golden beside; with inputs kept they need more registers. */
static void random_programs(void **state) {
    static const char *const batches[] = {"target", "one", "all"};
    mpu_target *const targets[] = {open_target("mimdram"), open_target("racer")};
    const struct program_options options = {.all_operations = false, .work = 60};
    struct str text = {0}, kept = {0};
    unsigned fewer = 0, more = 0, ran[2] = {0}; /* by target */
    (void)state;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        const struct against_setup setup = {
            targets[seed % 2], (int)(seed / 2 % 3), batches[seed / 6 % 3], "random:5", 0, 0, true};
        program_random(seed, &options, &text);
        ran[seed % 2] += runs(text.text, seed, &setup);
        keep_inputs(text.text, "inout ", &kept);
        unsigned a = registers(text.text), b = registers(kept.text);
        fewer += a < b;
        more += a > b;
    }
    /* More where what is kept needs another plan, in which variables share; that takes most of what
     * inputs give away from it, since no variable has a register before it holds something. */
    if (fewer < PROGRAMS / 12 || more > PROGRAMS / 20)
        fail_msg("%u programs need fewer registers, %u more", fewer, more);
    assert_true(ran[0] > PROGRAMS / 4 && ran[1] == (PROGRAMS + 1) / 2);
    str_free(&text);
    str_free(&kept);
    for (size_t i = 0; i < 2; i++)
        mpu_target_close(targets[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_come_back), cmocka_unit_test(called_subroutines_use_them),
        cmocka_unit_test(shared_registers_consume), cmocka_unit_test(random_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 * Random stage kernels as programs of ezpim: golden launches them, machines without the form do
 * what ezpim wrote in their place, and every byte of every buffer is the same.  Sizes are those of
 * the program or numbers, buffers larger than what is worked on. */
#include "tests/draws.h"
#include "runtime/include/mpu/mpu.h"
#include "support/bits.h"
#include "tests/stage/mistakes.h"
#include "tests/stage/random_kernel.h"
#include "tests/stage/sessions.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Integers on all; floats on those that have set F whole. */
static const char *const machines[] = {
    "golden", "racer", "mimdram", "duality-cache", "upmem", "simt", "pypim", "pluto-bsa", NULL};
enum { FLOAT_MACHINES = 6 };

static unsigned below(uint64_t *seed, unsigned n) {
    return (unsigned)(splitmix64(seed) % n);
}

/* ---- the program ---- */

static void put_program(const struct random_kernel *m, bool sized, struct str *out) {
    const struct launched *x = &m->launched;
    char type[8];
    if (sized)
        str_printf(out, "size n = %" PRIu64 ";\n", m->length);
    for (uint32_t i = 0; i < x->count; i++) {
        const struct kernel_parameter *p = &x->parameters[i];
        if (p->kind != PARAMETER_BUFFER)
            continue;
        uint64_t count = session_elements(&x->buffers[i], p->type);
        object_type_text(p->type, type);
        str_printf(out, "buffer %s %s: %s", session_is_zero(&x->buffers[i]) ? "out" : "inout",
                   p->name, type);
        if (sized && count == m->length)
            str_append(out, "[n];\n");
        else
            str_printf(out, "[%" PRIu64 "];\n", count ? count : 1);
    }
    str_append(out, "kernel f stage(");
    for (uint32_t i = 0; i < x->count; i++) {
        object_type_text(x->parameters[i].type, type);
        str_printf(out, "%s%s: %s%s", i ? ", " : "", x->parameters[i].name, type,
                   x->parameters[i].kind == PARAMETER_BUFFER ? "[]" : "");
    }
    str_printf(out, ") {\n%s}\nmain {\n    launch f(", str_text(&x->text));
    for (uint32_t i = 0; i < x->count; i++) {
        const char *name = x->parameters[i].name;
        str_append(out, i ? ", " : "");
        if (strcmp(name, "a") == 0)
            str_printf(out, "%" PRId64, (int64_t)m->scalar);
        else if (strcmp(name, "n") == 0 && !sized)
            str_printf(out, "%" PRIu64, m->length);
        else
            str_append(out, name);
    }
    str_append(out, ");\n}\n");
}

/* ---- runs ---- */

struct opened {
    mpu_target *targets[8];
    unsigned runs[8], refused[8]; /* by machine; what a lane has no room for */
};

static mpu_program *build(const struct str *text, uint64_t seed) {
    mpu_error *e = NULL;
    mpu_source *source = mpu_source_new(NULL);
    mpu_source_add_text(source, "random.ez", str_text(text), text->len);
    mpu_source_set_spill(source, 1);
    for (unsigned i = 1; machines[i]; i++)
        mpu_source_for_target(source, machines[i]);
    mpu_program *p = mpu_source_build(source, &e);
    if (!p)
        session_fails(seed, "ezpim", mpu_error_text(e), text);
    mpu_source_free(source);
    return p;
}

static void run_on(struct opened *o, unsigned machine, const mpu_program *p,
                   const struct launched *start, const struct launched *end, uint64_t seed,
                   const struct str *text) {
    mpu_error *e = NULL;
    const char *name = machines[machine];
    mpu_session *s = mpu_session_new(p, o->targets[machine], NULL, &e);
    if (!s)
        session_fails(seed, name, mpu_error_text(e), text);
    /* Before it is known where they lie, and whether the machine launches the kernel: */
    const bool early = seed % 2 != 0;
    if (early)
        session_put_all(s, start, seed, name, text);
    if (mpu_session_prepare(s, &e) != MPU_OK &&
        strstr(mpu_error_text(e), " of a VRF, and target")) {
        o->refused[machine]++;
        mpu_error_free(e);
        mpu_session_free(s);
        return;
    }
    o->runs[machine]++;
    if (!early)
        session_put_all(s, start, seed, name, text);
    if (mpu_session_run(s, &e) != MPU_OK)
        session_fails(seed, name, mpu_error_text(e), text);
    session_compare(s, end, seed, name, text);
    mpu_session_free(s);
}

static void one(struct opened *o, uint64_t seed) {
    static struct random_kernel start, end;
    struct str wrong = {0}, text = {0};
    random_kernel(&start, seed);
    random_kernel(&end, seed);
    launched_run(&end.launched, &wrong);
    if (wrong.len)
        session_fails(seed, "golden", str_text(&wrong), &end.launched.text);
    uint64_t own = seed;
    bool sized = start.length && below(&own, 2);
    put_program(&start, sized, &text);
    mpu_program *p = build(&text, seed);
    unsigned count =
        start.floats ? FLOAT_MACHINES : (unsigned)(sizeof machines / sizeof *machines - 1);
    for (unsigned i = 0; i < count; i++)
        run_on(o, i, p, &start.launched, &end.launched, seed, &text);
    mpu_program_free(p);
    random_kernel_free(&start);
    random_kernel_free(&end);
    str_free(&text);
    str_free(&wrong);
}

static void open_all(struct opened *o) {
    mpu_error *e = NULL;
    for (unsigned i = 0; machines[i]; i++) {
        o->targets[i] = mpu_target_open(machines[i], NULL, &e);
        if (!o->targets[i])
            fail_msg("%s", mpu_error_text(e));
    }
}

static void close_all(struct opened *o) {
    for (unsigned i = 0; machines[i]; i++)
        mpu_target_close(o->targets[i]);
}

static uint64_t first_seed = 1, last_seed;

static void test_same_bytes(void **state) {
    (void)state;
    struct opened o = {.runs = {0}};
    open_all(&o);
    for (uint64_t seed = first_seed; seed <= last_seed; seed++)
        one(&o, seed);
    /* pypim's lanes have 30 columns, mimdram's 1,003 rows: some do not go there */
    for (unsigned i = 0; machines[i]; i++) {
        print_message("%s: %u, and %u without room\n", machines[i], o.runs[i], o.refused[i]);
        assert_true(o.refused[i] <=
                    o.runs[i] * (strcmp(machines[i], "pypim") == 0 ? 16 : 1) / 4 + 3);
    }
    close_all(&o);
}

/* ---- seeded mistakes ---- */

static void put_mistaken(const struct mistaken *x, struct str *out) {
    str_printf(out, "buffer in x: i32[%u];\nbuffer out y: i32[%u];\n", x->elements, x->elements);
    str_printf(out, "kernel f stage(x: i32[], y: i32[]) {%s}\nmain { launch f(x, y); }\n",
               str_text(&x->launched.text));
}

/* The program is refused with the line of the text, or stops with it and the element. */
static void mistake(const mpu_target *target, const struct mistaken *x, const struct str *text) {
    char where[64], element[32];
    mpu_error *e = NULL;
    mpu_source *source = mpu_source_new(NULL);
    mpu_source_add_text(source, "random.ez", str_text(text), text->len);
    mpu_program *p = mpu_source_build(source, &e);
    mpu_session *s = p ? mpu_session_new(p, target, NULL, &e) : NULL;
    snprintf(where, sizeof where, "random.ez:%u", x->line + 2);
    snprintf(element, sizeof element, "[%u] = ", x->element);
    if (s) {
        session_put_all(s, &x->launched, 0, "racer", text);
        assert_int_not_equal(mpu_session_run(s, &e), MPU_OK);
    }
    const char *said = mpu_error_text(e);
    const char *what = x->refused ? x->refused : x->endless ? x->stops : "index is outside of";
    if (!p != !!x->refused || !strstr(said, where) || !strstr(said, "kernel 'f'") ||
        !strstr(said, what) || (x->stops && !strstr(said, element)) ||
        strncmp(said, where, strlen(where)) != 0) {
        fputs(str_text(text), stderr);
        fail_msg("'%s' has not '%s', '%s', '%s'", said, where, what, element);
    }
    mpu_error_free(e);
    mpu_session_free(s);
    mpu_program_free(p);
    mpu_source_free(source);
}

static void test_mistakes(void **state) {
    (void)state;
    uint64_t seed = 5;
    bool all = draws(DRAWS_STAGE_ELSE_MISTAKES) >= 200;
    mpu_target *target = mpu_target_open("racer", NULL, NULL);
    for (unsigned i = 0; i < draws(DRAWS_STAGE_ELSE_MISTAKES); i++) {
        struct mistaken x;
        struct str text = {0};
        mistaken_kernel(&x, i, &seed);
        put_mistaken(&x, &text);
        if (!x.endless || (all && i < 36)) /* four million laps of the machine's own */
            mistake(target, &x, &text);
        str_free(&text);
        launched_free(&x.launched);
    }
    mpu_target_close(target);
}

/* ---- what the ISA cannot hold ---- */

struct none {
    const char *stages, *arguments, *why;
};
static const struct none nones[] = {
    {"window 41 (in x, out y) { y[0] = x[40]; }", "x, y, z, w, 50, 7",
     "a body sees 41 elements of 'x', and a lane has registers for 40"},
    {"map (in x, whole z[60], out y) { y[0] = z[0]; }", "x, y, z, w, 50, 7",
     "a body sees 60 elements of 'z'"},
    {"window 34 (in x, whole z[33], out y) { i32 v = 0; for (u32 i = 0; i < 33; i++) "
     "v += x[i] * z[i]; y[0] = v; }",
     "x, y, z, w, 50, 7",
     "a body sees 67 elements, those of 'z' among them, and a lane has registers for 56"},
    {"map (in x, whole z[m], out y) { y[0] = z[0]; }", "x, y, z, w, 50, n",
     "how many elements of 'z' are seen is no constant"},
    {"map (in x, out y) { i32 t[33]; t[x[0] & 31] = 1; y[0] = t[3]; }", "x, y, z, w, 50, 7",
     "'t' has 33 elements, and a lane has registers for arrays of 32"},
    {"reduce (in x, acc z[17]) { z[0] = x[0]; } combine (o) { z[0] = o[0]; }", "x, y, z, w, 50, 7",
     "parts of 'z' have 17 elements, and a lane has registers for 16"},
    {"map (in x, out y) { y[0] = x[0]; }", "x + 8, y, z, w, 40, 7",
     "what 'x' gets is not a whole buffer of one dimension"},
    {"map (in k, out y) { y[0] = k[0]; }", "x, y, z, k, 50, 7",
     "what 'k' gets is not a whole buffer of one dimension"},
    {"map (in x, in y, out z) { z[0] = x[0] + y[0]; }", "x, x, z, w, 50, 7", "are one buffer"},
};

static void note_text(void *context, const mpu_message *m) {
    str_printf(context, "%s\n", mpu_message_text(m));
}

/* It is said why, golden launches the kernel all the same, and other targets refuse it by name. */
static void test_without(void **state) {
    (void)state;
    mpu_target *golden = mpu_target_open("golden", NULL, NULL);
    mpu_target *racer = mpu_target_open("racer", NULL, NULL);
    for (size_t i = 0; i < sizeof nones / sizeof *nones; i++) {
        struct str text = {0}, said = {0};
        mpu_messages *messages = mpu_messages_new(note_text, &said);
        mpu_source *source = mpu_source_new(messages);
        mpu_error *e = NULL;
        str_printf(&text,
                   "size n = 7;\nbuffer inout x: i32[60];\nbuffer inout y: i32[60];\n"
                   "buffer inout z: i32[60];\nbuffer inout k: i32[10, 6];buffer inout w: i32[60];\n"
                   "kernel f stage(x: i32[], y: i32[], z: i32[], k: i32[], l: u32, m: u32) {\n"
                   "length l;\n%s\n}\nmain { launch f(%s); }\n",
                   nones[i].stages, nones[i].arguments);
        mpu_source_add_text(source, "none.ez", str_text(&text), text.len);
        mpu_program *p = mpu_source_build(source, &e);
        if (!p)
            fail_msg("%s", mpu_error_text(e));
        mpu_messages_flush(messages);
        if (!strstr(str_text(&said), nones[i].why) || !strstr(str_text(&said), "has no `else`"))
            fail_msg("'%s' is not in '%s'", nones[i].why, str_text(&said));
        mpu_session *s = mpu_session_new(p, golden, NULL, &e);
        assert_int_equal(mpu_session_prepare(s, &e), MPU_OK);
        mpu_session_free(s);
        s = mpu_session_new(p, racer, NULL, &e);
        assert_true(!s || mpu_session_prepare(s, &e) != MPU_OK);
        assert_non_null(strstr(mpu_error_text(e), "'f'"));
        mpu_error_free(e);
        mpu_session_free(s);
        mpu_program_free(p);
        mpu_source_free(source);
        mpu_messages_free(messages);
        str_free(&text);
        str_free(&said);
    }
    mpu_target_close(golden);
    mpu_target_close(racer);
}

/* What is written has names that the program does not have. */
static void test_names(void **state) {
    static const char text[] =
        "size n = 4;\ngroup else_group0[n];\nvar else0_s1: u8 @ else_group0;\n"
        "buffer in x: u8[n];\nbuffer out s: u32;\n"
        "kernel f stage(x: u8[], s: u32[], n: u64) {\nlength n;\n"
        "reduce (in x, acc s = 0) { s[0] += x[0]; }\n}\n"
        "main { compute else_group0 { else0_s1 = 1; } launch f(x, s, n); }\n";
    (void)state;
    mpu_source *source = mpu_source_new(NULL);
    mpu_error *e = NULL;
    mpu_source_add_text(source, "names.ez", text, sizeof text - 1);
    mpu_program *p = mpu_source_build(source, &e);
    if (!p)
        fail_msg("%s", mpu_error_text(e));
    mpu_program_free(p);
    mpu_source_free(source);
}

int main(int argc, char **argv) {
    last_seed = draws(DRAWS_STAGE_ELSE);
    if (argc > 1)
        first_seed = last_seed = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        last_seed = strtoull(argv[2], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bytes), cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_without), cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

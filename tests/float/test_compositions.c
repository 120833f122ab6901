/* SPDX-License-Identifier: MIT
 * Programs of several functions of the library have room on every built-in machine, and do there
 * what the algorithm in C does: functions of functions, with other values that are still needed. */
#include "tests/draws.h"
#include "mpu/mpu.h"
#include "support/alloc.h"
#include "support/str.h"
#include "tests/float/functions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 1;

/* xorshift64* (Vigna, An experimental exploration of Marsaglia's xorshift generators, 2016). */
static uint64_t draw(void) {
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return seed * 2685821657736338717u;
}

/* Where rows or columns are few, and one of each other kind. */
static const char *const machines[] = {"pypim", "ambit", "mimdram", "duality-cache",
                                       "racer", "upmem", "simt"};
enum { MACHINES = sizeof machines / sizeof *machines, NUMBERS = 64, DEEPEST = 3, OUTPUTS = 2 };

/* y is functions of one another of x, z is the same of w. */
struct composition {
    const struct floats_function *functions[OUTPUTS][DEEPEST];
    unsigned depth[OUTPUTS];
    const char *format;
};

/* One that has a name in that format. */
static const struct floats_function *any_of(const char *format) {
    size_t count;
    const struct floats_function *all = floats_all(&count);
    for (;;) {
        const struct floats_function *f = &all[(draw() >> 33) % count];
        if (f->value && strcmp(floats_formats[f->format].name, format) == 0)
            return f;
    }
}

static struct composition draw_composition(void) {
    static const char *const formats[] = {"f32", "f16", "bf16", "f32"};
    struct composition c = {.format = formats[(draw() >> 33) % 4]};
    for (unsigned i = 0; i < OUTPUTS; i++) {
        c.depth[i] = 1 + (unsigned)((draw() >> 33) % (DEEPEST - i));
        for (unsigned k = 0; k < c.depth[i]; k++)
            c.functions[i][k] = any_of(c.format);
    }
    return c;
}

static void put_output(const struct composition *composition, unsigned i, struct str *out) {
    str_printf(out, "%c = ", "yz"[i]);
    for (unsigned k = composition->depth[i]; k-- > 0;)
        str_printf(out, "%s_%s(", composition->format, composition->functions[i][k]->name);
    str_printf(out, "%c", "xw"[i]);
    for (unsigned k = 0; k < composition->depth[i]; k++)
        str_char(out, ')');
    str_append(out, "; ");
}

static uint64_t value_of(const struct composition *composition, unsigned i, uint64_t x) {
    for (unsigned k = 0; k < composition->depth[i]; k++)
        x = composition->functions[i][k]->value(composition->functions[i][k], x);
    return x;
}

static void need(bool good, const char *what, const char *text, mpu_error *error) {
    if (!good)
        fail_msg("%s: %s, of\n%s", what, error ? mpu_error_text(error) : "no message", text);
}

static void put(mpu_session *session, const char *name, const char *format, void *data) {
    mpu_error *e = NULL;
    mpu_array a = {.type = strcmp(format, "f32") == 0   ? MPU_F32
                           : strcmp(format, "f16") == 0 ? MPU_F16
                                                        : MPU_BF16,
                   .ndim = 1,
                   .data = data};
    a.shape[0] = NUMBERS;
    need(mpu_session_put(session, name, &a, &e) == MPU_OK, name, "an input", e);
}

static uint64_t pattern_of(const void *data, unsigned bits, size_t i) {
    return bits == 16 ? ((const uint16_t *)data)[i] : ((const uint32_t *)data)[i];
}

static void check_output(const struct composition *composition, mpu_session *session, unsigned i,
                         const void *data, const char *machine, const char *text) {
    unsigned bits = strcmp(composition->format, "f32") == 0 ? 32 : 16;
    const char name[] = {"yz"[i], '\0'};
    mpu_array got = {0};
    mpu_error *e = NULL;
    need(mpu_session_get(session, name, &got, &e) == MPU_OK, machine, text, e);
    for (size_t k = 0; k < NUMBERS; k++) {
        uint64_t x = pattern_of(data, bits, k), want = value_of(composition, i, x);
        if (pattern_of(got.data, bits, k) != want)
            fail_msg("%s: %s of %#llx is %#llx, not %#llx, of\n%s", machine, name,
                     (unsigned long long)x, (unsigned long long)pattern_of(got.data, bits, k),
                     (unsigned long long)want, text);
    }
    mpu_array_free(&got);
}

static void run_on(const struct composition *composition, const char *text, size_t length,
                   const char *machine) {
    uint32_t x[OUTPUTS][NUMBERS];
    mpu_error *e = NULL;
    mpu_source *source = mpu_source_new(NULL);
    mpu_source_add_text(source, "composition.ez", text, length);
    mpu_source_for_target(source, machine);
    mpu_program *p = mpu_source_build(source, &e);
    need(p != NULL, machine, text, e);
    mpu_target *t = mpu_target_open(machine, NULL, &e);
    need(t != NULL, machine, text, e);
    mpu_session *s = mpu_session_new(p, t, NULL, &e);
    need(s != NULL, machine, text, e);
    for (unsigned i = 0; i < OUTPUTS; i++) {
        for (size_t k = 0; k < NUMBERS; k++)
            x[i][k] = (uint32_t)(draw() >> 32);
        put(s, i ? "w" : "x", composition->format, x[i]);
    }
    need(mpu_session_run(s, &e) == MPU_OK, machine, text, e);
    for (unsigned i = 0; i < OUTPUTS; i++)
        check_output(composition, s, i, x[i], machine, text);
    mpu_session_free(s);
    mpu_target_close(t);
    mpu_program_free(p);
    mpu_source_free(source);
}

static void compositions_have_room(void **state) {
    (void)state;
    for (unsigned n = 0; n < draws(DRAWS_FLOAT_COMPOSITIONS); n++) {
        const struct composition c = draw_composition();
        struct str text = {0};
        str_printf(&text,
                   "include \"float.ez\";\nsize n;\ngroup g[n];\nin x, w: %s @ g;\n"
                   "out y, z: %s @ g;\nmain { compute g { ",
                   c.format, c.format);
        for (unsigned i = 0; i < OUTPUTS; i++)
            put_output(&c, i, &text);
        str_append(&text, "} }\n");
        for (size_t m = 0; m < MACHINES; m++)
            if (m == 0 || draws_takes(n + m, MACHINES))
                run_on(&c, str_text(&text), text.len, machines[m]);
        str_free(&text);
    }
}

/* A wave under a bell: two functions of one argument, and the first result is kept. */
static void an_envelope_has_room(void **state) {
    (void)state;
    static const char text[] =
        "include \"float.ez\";\nsize n;\ngroup g[n];\nin x: f32 @ g;\nout y: f32 @ g;\n"
        "main { compute g { y = f32_exp(0.0 - x * x) * f32_cos(x); } }\n";
    mpu_error *e = NULL;
    mpu_source *source = mpu_source_new(NULL);
    mpu_source_add_text(source, "envelope.ez", text, strlen(text));
    mpu_source_for_target(source, "pypim");
    mpu_program *p = mpu_source_build(source, &e);
    need(p != NULL, "pypim", text, e);
    mpu_program_free(p);
    mpu_source_free(source);
}

int main(int argc, char **argv) {
    if (argc > 1)
        seed = strtoull(argv[1], NULL, 10) | 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compositions_have_room),
        cmocka_unit_test(an_envelope_has_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 * Programs in which MPUs have parts of their own, and messages between them. */
#include "tests/ezpim/build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Two VRFs in each MPU, the second one partly filled. */
enum { MPUS = 6, ELEMENTS = 70, BITS = 11 };

/* In MPU p element i of x is 100 p + i, and y becomes what `want` says. */
struct program {
    const char *body;
    uint32_t (*want)(uint32_t p, uint32_t i);
};

static uint32_t x_of(uint32_t p, uint32_t i) {
    return 100 * p + i;
}

static uint32_t from_neighbour(uint32_t p, uint32_t i) {
    return p == 1 || p == 2 ? x_of(p - 1, i) : x_of(p, i);
}
static uint32_t summed_up(uint32_t p, uint32_t i) {
    uint32_t sum = 0;
    for (uint32_t q = 0; q <= p && p < 3; q++)
        sum += x_of(q, i);
    return p < 3 ? sum : x_of(p, i);
}
static uint32_t doubled(uint32_t p, uint32_t i) {
    return p == 5 ? 15 * x_of(0, i) & ((1u << BITS) - 1) : x_of(p, i);
}
static uint32_t swapped(uint32_t p, uint32_t i) {
    return p < 2 ? x_of(1 - p, i) : x_of(p, i);
}
static uint32_t both_ways(uint32_t p, uint32_t i) {
    return p == 3 ? x_of(4, i) + 1 : p == 4 ? x_of(3, i) + x_of(2, i) : x_of(p, i);
}
static uint32_t added_on_one(uint32_t p, uint32_t i) {
    uint32_t from = (p + MPUS - 1) % MPUS;
    return x_of(from, i) + (from == 2 ? 7 : 0);
}

static const struct program programs[] = {
    /* what arrives goes where the receiver says */
    {"on ring[0] { send x to ring[1]; } on ring[1] { send x to ring[2]; recv y from ring[0]; }\n"
     "on ring[2] { recv y from ring[1]; }",
     from_neighbour},
    /* a message is what the sender had then, and is there from the recv on */
    {"on ring[0] { send y to ring[1]; compute g { y = x; } }\n"
     "on ring[1] { recv t from ring[0]; compute g { y += t; } send y to ring[2]; }\n"
     "on ring[2] { recv t from ring[1]; compute g { y += t; } }",
     summed_up},
    /* in loops: more messages than a queue holds */
    {"on ring[0] { compute g { t = x; } repeat (4) { send t to ring[5]; compute g { t *= 2; } } }\n"
     "on ring[5] { compute g { y = 0; } repeat (4) { recv t from ring[0]; compute g { y += t; } } }",
     doubled},
    /* both send first: a queue holds one message */
    {"on ring[0] { send x to ring[1]; recv y from ring[1]; }\n"
     "on ring[1] { send x to ring[0]; recv y from ring[0]; }",
     swapped},
    /* two variables in one loop, others the other way, with parts for all in between */
    {"for k: 0 .. 2 {\n"
     "on ring[2] { if (k == 1) { send x to ring[4]; } }\n"
     "on ring[3] { if (k == 0) { send x to ring[4]; recv y from ring[4]; } }\n"
     "on ring[4] { if (k == 0) { recv y from ring[3]; compute g { t = x + 1; } send t to ring[3]; }\n"
     "  else { recv t from ring[2]; compute g { y += t; } } }\n"
     "sync; barrier; }",
     both_ways},
    /* no message: a part of its own, and a move for all */
    {"on ring[2] { compute g { y += 7; } } move y[p, i] = y[p - 1, i] wrap;", added_on_one},
};

static void run(const struct program *k, const char *text, const mpu_program *p,
                const mpu_target *t) {
    uint16_t x[MPUS][ELEMENTS];
    mpu_error *e = NULL;
    mpu_config config = {.size = sizeof config, .init = "random:5"};
    mpu_session *s = mpu_session_new(p, t, &config, &e);
    for (uint32_t q = 0; q < MPUS; q++)
        for (uint32_t i = 0; i < ELEMENTS; i++)
            x[q][i] = (uint16_t)x_of(q, i);
    mpu_array a = {.type = MPU_U16, .ndim = 2, .shape = {MPUS, ELEMENTS}, .data = x};
    if (!s || mpu_session_put(s, "x", &a, &e) != MPU_OK || mpu_session_run(s, &e) != MPU_OK ||
        mpu_session_get(s, "y", &a, &e) != MPU_OK)
        fail_with(text, e);
    const uint16_t *got = a.data;
    for (uint32_t q = 0; q < MPUS; q++)
        for (uint32_t i = 0; i < ELEMENTS; i++)
            if (got[q * ELEMENTS + i] != k->want(q, i))
                fail_msg("%s\non %s: y[%u, %u] is %u, not %u", text, mpu_target_name(t), q, i,
                         got[q * ELEMENTS + i], k->want(q, i));
    mpu_array_free(&a);
    mpu_session_free(s);
}

static void on_target(const char *name) {
    mpu_target *t = mpu_target_open(name, NULL, NULL);
    assert_non_null(t);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct str text = {0};
        str_printf(&text,
                   "mpus ring[%d];\ngroup g[%d] on ring;\nin x: u%d @ g;\nvar t: u%d @ g;\n"
                   "out y: u%d @ g;\nmain on ring {\ncompute g { y = x; t = 0; }\n%s\n"
                   "compute g { y |= t & 0; }\n}\n",
                   MPUS, ELEMENTS, BITS, BITS, BITS, programs[i].body);
        mpu_program *p = build_program(str_text(&text), 1);
        run(&programs[i], str_text(&text), p, t);
        mpu_program_free(p);
        str_free(&text);
    }
    mpu_target_close(t);
}

static void on_golden(void **state) {
    (void)state;
    on_target("golden");
}

static void on_racer(void **state) {
    (void)state;
    on_target("racer");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(on_golden), cmocka_unit_test(on_racer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

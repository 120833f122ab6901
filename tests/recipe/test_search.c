/* SPDX-License-Identifier: MIT
 * recipe/search.h: known minima, and everything small against plain enumeration. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "search_check.h"

#include "support/bits.h"

#include <string.h>

/* Under the sanitizers a part of the random problems is enough. */
#ifdef MPU_SANITIZED
#define PROBLEMS(n) ((n) / 8)
#else
#define PROBLEMS(n) (n)
#endif

#define A 0xAA
#define B 0xCC
#define C 0xF0

#define ROWS  SEARCH_IN(SEARCH_ROW)
#define READS (SEARCH_IN(SEARCH_ROW) | SEARCH_IN(SEARCH_CONST) | SEARCH_IN(SEARCH_BUFFER))
/* A gate of racer's kind: reads rows, constants and buffers, writes rows. */
#define GATE(n, table)                                                                             \
    { n, table, {READS, READS, READS}, ROWS, 1, 0 }

static const struct search_gate nor[] = {GATE(2, 0x1)};
static const struct search_gate nand[] = {GATE(2, 0x7)};
static const struct search_gate nor_or[] = {GATE(2, 0x1), GATE(2, 0xE), GATE(1, 0x2)};
static const struct search_gate imply[] = {GATE(2, 0xD), GATE(0, 0x0)};
static const struct search_gate majority[] = {GATE(3, 0xE8), GATE(1, 0x1)};
static const struct search_gate felix[] = {GATE(2, 0x1),  GATE(2, 0x7), GATE(3, 0x7F),
                                           GATE(3, 0x01), GATE(2, 0xE), GATE(3, 0x17)};

static void set_gates(struct search_problem *p, const struct search_gate *gates, size_t count) {
    p->gates = gates;
    p->gate_count = (unsigned)count;
}
#define SET_GATES(p, gates) set_gates((p), (gates), sizeof(gates) / sizeof *(gates))

static void add_value(struct search_problem *p, uint8_t truth, enum search_place place, bool late) {
    p->values[p->value_count++] = (struct search_value){truth, (uint8_t)place, late};
}

static void add_output(struct search_problem *p, uint8_t truth, enum search_place place,
                       bool early) {
    p->outputs[p->output_count++] = (struct search_output){truth, (uint8_t)place, early};
}

/* Three variables in rows, and the constants 0 and 1 if they are wanted. */
static struct search_problem three(const struct search_gate *gates, size_t count, bool zero,
                                   bool one) {
    struct search_problem p = {.budget = 0};
    set_gates(&p, gates, count);
    add_value(&p, A, SEARCH_ROW, false);
    add_value(&p, B, SEARCH_ROW, false);
    add_value(&p, C, SEARCH_ROW, false);
    if (zero)
        add_value(&p, 0x00, SEARCH_CONST, false);
    if (one)
        add_value(&p, 0xFF, SEARCH_CONST, false);
    return p;
}
#define THREE(gates, zero, one) three((gates), sizeof(gates) / sizeof *(gates), zero, one)

static void assert_cost(const struct search_problem *p, uint64_t cost) {
    struct search_program x;
    assert_true(search_minimal(p, &x));
    check_program(p, &x);
    assert_true(x.minimal);
    assert_int_equal(x.cost, cost);
}

static void assert_one(struct search_problem p, uint8_t truth, uint64_t cost) {
    add_output(&p, truth, SEARCH_ROW, false);
    assert_cost(&p, cost);
}

static void assert_adder(struct search_problem p, uint64_t cost) {
    add_output(&p, A ^ B ^ C, SEARCH_ROW, false);
    add_output(&p, 0xE8, SEARCH_ROW, false);
    assert_cost(&p, cost);
}

/* The figures of docs/targets.md, with NOR(x, x) and, just so, with NOR(x, 0) for NOT: a constant
 * changes none of them. */
static void nor_minima(void **state) {
    (void)state;
    for (unsigned zero = 0; zero < 2; zero++) {
        struct search_problem p = THREE(nor, zero, false);
        assert_one(p, A ^ B, 5);
        assert_one(p, 0xFF ^ A ^ B, 4);
        assert_one(p, A & B, 3);
        assert_one(p, A | B, 2);
        assert_one(p, (C & A) | (~C & B), 4);
        assert_one(p, 0xE8, 6);
        assert_adder(p, 9);
    }
}

/* Of the borrow's three inputs the one that comes in may stand for either result: k = a < b in
 * the bits so far. */
static void nor_less_than(void **state) {
    (void)state;
    for (unsigned zero = 0; zero < 2; zero++)
        assert_one(THREE(nor, zero, false), (uint8_t)((~A & B) | (~(A ^ B) & C)), 5);
}

static void nor_or_minima(void **state) {
    struct search_problem p = THREE(nor_or, true, true);
    (void)state;
    assert_one(p, A ^ B, 4);
    assert_one(p, 0xFF ^ A ^ B, 4);
    assert_one(p, A & B, 3);
    assert_one(p, A | B, 1);
    assert_one(p, A, 1);
    assert_one(p, 0x00, 1);
    assert_adder(p, 9);
}

static void other_adders(void **state) {
    (void)state;
    assert_adder(THREE(nand, false, false), 9);
    assert_adder(THREE(nand, false, true), 9);
    assert_adder(THREE(majority, false, false), 4);
    assert_adder(THREE(felix, true, true), 5);
    assert_adder(THREE(imply, false, false), 12);
}

/* The adder with the carry in a buffer and the carry out first. */
static void early_carry(void **state) {
    const struct search_gate *gates[] = {nor_or, nor, nand, majority};
    const size_t counts[] = {3, 1, 1, 2};
    const uint64_t chains[] = {2, 2, 2, 1};
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct search_problem p = {.budget = 0};
        struct search_program x;
        set_gates(&p, gates[i], counts[i]);
        add_value(&p, A, SEARCH_ROW, false);
        add_value(&p, B, SEARCH_ROW, false);
        add_value(&p, C, SEARCH_BUFFER, true);
        add_value(&p, 0x00, SEARCH_CONST, false);
        add_value(&p, 0xFF, SEARCH_CONST, false);
        add_output(&p, A ^ B ^ C, SEARCH_ROW, false);
        add_output(&p, 0xE8, SEARCH_ROW, true);
        assert_true(search_minimal(&p, &x));
        check_program(&p, &x);
        assert_true(x.minimal);
        assert_int_equal(x.cost, i < 3 ? 9 : 4);
        assert_int_equal(x.chain, chains[i]);
    }
}

/* Every function over the gate sets that targets have. */
static void all_functions(void **state) {
    const struct search_problem sets[] = {THREE(nor, true, false), THREE(nor_or, true, true),
                                          THREE(nand, false, false), THREE(majority, true, true),
                                          THREE(felix, true, true)};
    (void)state;
    for (unsigned i = 0; i < sizeof sets / sizeof *sets; i++)
        for (unsigned f = 0; f < 256; f++) {
            struct search_problem p = sets[i];
            struct search_program x;
            add_output(&p, (uint8_t)f, SEARCH_ROW, false);
            if (!search_minimal(&p, &x)) {
                fail_msg("set %u function %02x", i, f);
                return;
            }
            check_program(&p, &x);
            assert_true(x.minimal);
        }
}

static unsigned draw(uint64_t *seed, unsigned n) {
    return (unsigned)(splitmix64(seed) % n);
}

/* A gate set and values of every kind that the problem allows. */
struct random_problem {
    struct search_problem p;
    struct search_gate gates[4];
};

static void draw_gate(struct search_gate *g, uint64_t *seed, const uint32_t *costs,
                      unsigned cost_count) {
    static const uint8_t sources[] = {0, 1, 1, 2, 2, 2, 2, 3};
    memset(g, 0, sizeof *g);
    g->nsrc = sources[draw(seed, 8)];
    g->truth = (uint8_t)draw(seed, 256);
    for (unsigned i = 0; i < g->nsrc; i++)
        g->src_places[i] = (uint8_t)(draw(seed, 4) ? 0x3F : draw(seed, 64) | ROWS);
    g->dst_places = (uint8_t)(ROWS | (draw(seed, 2) ? SEARCH_IN(SEARCH_M) : 0u));
    if (!draw(seed, 6))
        g->dst_places = SEARCH_IN(SEARCH_M);
    g->cost = costs[draw(seed, cost_count)];
}

static void draw_problem(struct random_problem *r, uint64_t seed, const uint32_t *costs,
                         unsigned cost_count) {
    static const uint8_t truths[] = {A, B, C, 0x00, 0xFF, A, B, 0x3C};
    memset(r, 0, sizeof *r);
    r->p.gates = r->gates;
    r->p.gate_count = 1 + draw(&seed, 3);
    for (unsigned i = 0; i < r->p.gate_count; i++)
        draw_gate(&r->gates[i], &seed, costs, cost_count);
    for (unsigned i = 0, n = 2 + draw(&seed, 4); i < n; i++)
        add_value(&r->p, truths[i < 3 ? i : draw(&seed, 8)],
                  draw(&seed, 2) ? SEARCH_ROW : draw(&seed, 6), draw(&seed, 2));
}

static void compare(const struct search_problem *p, uint32_t cost, uint32_t most) {
    struct search_program x;
    if (!search_minimal(p, &x)) {
        assert_int_equal(cost, NO_COST);
        return;
    }
    check_program(p, &x);
    if (cost != NO_COST) {
        assert_true(x.minimal);
        assert_int_equal(x.cost, cost);
    } else {
        assert_true(x.cost > most || !x.minimal);
    }
}

/* Every function that the enumeration reached, and a few that it did not. */
static void compare_ones(const struct search_problem *p, const struct all_costs *a) {
    for (unsigned i = 0; i < 512; i++) {
        struct search_problem q = *p;
        uint32_t cost = a->one[i / 256][i % 256];
        add_output(&q, (uint8_t)i, i < 256 ? SEARCH_ROW : SEARCH_M, false);
        if (cost != NO_COST || i % 61 == 0)
            compare(&q, cost, a->most);
    }
}

static void compare_pairs(const struct search_problem *p, const struct all_costs *a,
                          uint64_t seed) {
    for (unsigned i = 0; i < 80; i++) {
        struct search_problem q = *p;
        unsigned f, g, m = draw(&seed, 2), tries = 0;
        do {
            f = draw(&seed, 256);
            g = draw(&seed, 256);
        } while (a->pair[m][f][g] == NO_COST && ++tries < 500);
        if (a->pair[m][f][g] == NO_COST && i % 8)
            continue;
        add_output(&q, (uint8_t)f, SEARCH_ROW, false);
        add_output(&q, (uint8_t)g, m ? SEARCH_M : SEARCH_ROW, false);
        compare(&q, a->pair[m][f][g], a->most);
    }
}

static void compare_with_enumeration(struct search_problem p, uint32_t most, uint64_t seed) {
    static struct all_costs a;
    a.most = most;
    all_costs(&p, &a);
    p.budget = 20000;
    compare_ones(&p, &a);
    compare_pairs(&p, &a, seed);
}

static void against_enumeration(void **state) {
    const uint32_t one[] = {1};
    (void)state;
    for (uint64_t seed = 0; seed < PROBLEMS(24); seed++) {
        struct random_problem r;
        draw_problem(&r, seed, one, 1);
        compare_with_enumeration(r.p, 4, seed);
    }
}

/* mimdram's AAP and AP take 49 and 45 ns. */
static void costs_against_enumeration(void **state) {
    const uint32_t two[] = {45, 49}, spread[] = {3, 4, 7, 20};
    (void)state;
    for (uint64_t seed = 0; seed < PROBLEMS(16); seed++) {
        struct random_problem r;
        draw_problem(&r, seed, seed % 2 ? spread : two, seed % 2 ? 4 : 2);
        compare_with_enumeration(r.p, seed % 2 ? 14 : 4 * 49, seed);
    }
}

/* Longer programs, over complete gate sets. */
static void deep_against_enumeration(void **state) {
    (void)state;
    compare_with_enumeration(THREE(nor, true, false), 5, 1);
    compare_with_enumeration(THREE(imply, false, false), 5, 2);
}

static bool in_rows(const struct search_problem *p, uint8_t f) {
    for (unsigned i = 0; i < p->value_count; i++)
        if (p->values[i].place == SEARCH_ROW && p->values[i].truth == f)
            return true;
    return false;
}

static bool triple(const struct search_problem *p) {
    for (unsigned i = 0; i < p->gate_count; i++)
        if (p->gates[i].nsrc == 3)
            return true;
    return false;
}

/* A function that steps can make and no row holds; an arbitrary one if it does not come up. */
static uint8_t draw_output(const struct search_problem *p, uint64_t *seed) {
    uint64_t set[4];
    unsigned f, tries = 0;
    search_closure(p, set);
    do
        f = draw(seed, 256);
    while ((!(set[f / 64] >> (f % 64) & 1) || in_rows(p, (uint8_t)f)) && ++tries < 1000);
    return (uint8_t)f;
}

static bool comparable(const struct search_problem *p, const struct search_program *x) {
    return !in_rows(p, p->outputs[0].truth) && !in_rows(p, p->outputs[1].truth) &&
           p->outputs[0].truth != p->outputs[1].truth && p->value_count <= 4 &&
           x->step_count <= (triple(p) ? 2 : 4);
}

/* The shortest chain of all programs of least cost, where all steps cost the same. */
static void chains_against_enumeration(void **state) {
    const uint32_t one[] = {1};
    unsigned compared = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 250; seed++) {
        struct random_problem r;
        struct search_program x;
        uint64_t cost, chain, draws = seed;
        draw_problem(&r, seed, one, 1);
        for (unsigned i = 0; i < r.p.gate_count; i++)
            r.gates[i].dst_places = ROWS;
        for (unsigned i = 0; i < 2; i++)
            add_output(&r.p, draw_output(&r.p, &draws), SEARCH_ROW, i == 0 || draw(&draws, 2));
        r.p.budget = 20000;
        if (!search_minimal(&r.p, &x) || !x.minimal || !comparable(&r.p, &x))
            continue;
        check_program(&r.p, &x);
        assert_true(best_program(&r.p, x.step_count, &cost, &chain));
        assert_int_equal(x.cost, cost);
        assert_int_equal(x.chain, chain);
        compared++;
    }
    assert_in_range(compared, 20, 250);
}

/* As racer's SETM: it alone writes M, a & valid. */
static void only_writer_of_mask(void **state) {
    const struct search_gate gates[] = {
        GATE(2, 0x1), {2, 0x8, {READS, SEARCH_IN(SEARCH_VALID)}, SEARCH_IN(SEARCH_M), 1, 7}};
    struct search_problem p = {.budget = 0};
    struct search_program x;
    (void)state;
    SET_GATES(&p, gates);
    add_value(&p, A, SEARCH_ROW, false);
    add_value(&p, B, SEARCH_ROW, false);
    add_value(&p, C, SEARCH_VALID, false);
    add_output(&p, A & B & C, SEARCH_M, false);
    assert_true(search_minimal(&p, &x));
    check_program(&p, &x);
    assert_int_equal(x.cost, 4);
    assert_int_equal(x.steps[3].tag, 7);
    p.outputs[0].truth = A & B;
    assert_false(search_minimal(&p, &x));
    p.outputs[0].truth = A & B & C;
    p.outputs[0].place = SEARCH_ROW;
    assert_false(search_minimal(&p, &x));
}

/* Old values of C are read before it is written. */
static void readers_before_writer(void **state) {
    const struct search_gate gates[] = {{2, 0x6, {READS, SEARCH_IN(SEARCH_C)}, ROWS, 1, 0},
                                        {1, 0x2, {READS, 0, 0}, SEARCH_IN(SEARCH_C), 1, 0}};
    struct search_problem p = {.budget = 0};
    struct search_program x;
    (void)state;
    SET_GATES(&p, gates);
    add_value(&p, A, SEARCH_ROW, true);
    add_value(&p, B, SEARCH_C, false);
    add_output(&p, A, SEARCH_C, true);
    add_output(&p, A ^ B, SEARCH_ROW, false);
    assert_true(search_minimal(&p, &x));
    check_program(&p, &x);
    assert_int_equal(x.cost, 2);
    assert_int_equal(x.steps[1].place, SEARCH_C);
}

/* An output has a step of its own even if its function is there already. */
static void own_steps(void **state) {
    struct search_problem p = THREE(nor_or, true, true);
    (void)state;
    add_output(&p, A, SEARCH_ROW, false);
    add_output(&p, A, SEARCH_ROW, false);
    assert_cost(&p, 2);
    p.outputs[0].truth = p.outputs[1].truth = A & B;
    assert_cost(&p, 4);
    p.outputs[0].early = p.outputs[1].early = true;
    p.values[0].late = true;
    assert_cost(&p, 4);
}

static void gives_best_within_budget(void **state) {
    struct search_problem p = THREE(nor_or, true, true);
    struct search_program x, y;
    (void)state;
    add_output(&p, A ^ B ^ C, SEARCH_ROW, false);
    add_output(&p, 0xE8, SEARCH_ROW, false);
    p.budget = 1;
    assert_true(search_minimal(&p, &x));
    check_program(&p, &x);
    assert_false(x.minimal);
    assert_in_range(x.cost, 9, 12);
    assert_in_range(x.states, 1, 2);
    assert_true(search_minimal(&p, &y));
    assert_memory_equal(&x, &y, sizeof x);
}

static void same_again(void **state) {
    struct search_program x, y;
    (void)state;
    for (uint64_t seed = 0; seed < PROBLEMS(40); seed++) {
        struct search_problem p = THREE(felix, true, false);
        uint64_t draws = seed;
        add_output(&p, (uint8_t)draw(&draws, 256), SEARCH_ROW, true);
        add_output(&p, (uint8_t)draw(&draws, 256), SEARCH_ROW, false);
        p.values[draw(&draws, 3)].late = true;
        p.budget = 3000;
        memset(&x, 0x11, sizeof x);
        memset(&y, 0xEE, sizeof y);
        assert_true(search_minimal(&p, &x));
        assert_true(search_minimal(&p, &y));
        check_program(&p, &x);
        assert_memory_equal(&x, &y, sizeof x);
    }
}

static unsigned closure_size(const struct search_problem *p, uint64_t set[4]) {
    search_closure(p, set);
    return (unsigned)(__builtin_popcountll(set[0]) + __builtin_popcountll(set[1]) +
                      __builtin_popcountll(set[2]) + __builtin_popcountll(set[3]));
}

static bool closed(const uint64_t set[4], unsigned f) {
    return set[f / 64] >> (f % 64) & 1;
}

static void closures(void **state) {
    const struct search_gate and_or[] = {GATE(2, 0x8), GATE(2, 0xE)}, not [] = {GATE(1, 0x1)},
                             odd[] = {GATE(3, 0x96)};
    struct search_problem p = THREE(nor, false, false);
    uint64_t set[4];
    (void)state;
    assert_int_equal(closure_size(&p, set), 256);
    p = THREE(and_or, false, false);
    assert_int_equal(closure_size(&p, set), 18); /* Dedekind's 20 less the constants */
    assert_true(closed(set, 0xE8) && closed(set, A) && !closed(set, 0xFF ^ A));
    p = THREE(not, false, false);
    assert_int_equal(closure_size(&p, set), 6);
    p = THREE(odd, false, false);
    assert_int_equal(closure_size(&p, set), 4);
    p.value_count = 0;
    assert_int_equal(closure_size(&p, set), 0);
    SET_GATES(&p, imply);
    assert_int_equal(closure_size(&p, set), 2);
}

/* The search finds programs for the closure's functions and for no others. */
static void closure_is_what_can_be_made(void **state) {
    const uint32_t one[] = {1};
    (void)state;
    for (uint64_t seed = 1000; seed < 1000 + PROBLEMS(16); seed++) {
        struct random_problem r;
        uint64_t set[4];
        draw_problem(&r, seed, one, 1);
        search_closure(&r.p, set);
        r.p.output_count = 1;
        r.p.budget = 500;
        for (unsigned f = 0; f < 256; f++) {
            struct search_program x;
            r.p.outputs[0] = (struct search_output){(uint8_t)f, SEARCH_ROW, false};
            assert_int_equal(search_minimal(&r.p, &x), closed(set, f));
        }
    }
}

static void odd_problems(void **state) {
    const struct search_gate bad_sources[] = {GATE(4, 0x1)},
                             free_gate[] = {{2, 1, {1, 1, 0}, 1, 0, 0}};
    struct search_problem p = THREE(nor, false, false);
    struct search_program x;
    uint64_t set[4] = {1, 1, 1, 1};
    (void)state;
    assert_true(search_minimal(&p, &x)); /* no outputs: nothing to do */
    assert_int_equal(x.step_count, 0);
    add_output(&p, A & B, SEARCH_ROW, false);
    p.gate_count = 0;
    assert_false(search_minimal(&p, &x));
    SET_GATES(&p, bad_sources);
    assert_false(search_minimal(&p, &x));
    assert_int_equal(closure_size(&p, set), 0);
    SET_GATES(&p, free_gate);
    assert_false(search_minimal(&p, &x));
    SET_GATES(&p, nor);
    p.outputs[0].place = 9;
    assert_false(search_minimal(&p, &x));
    p.value_count = 100;
    assert_false(search_minimal(&p, &x));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nor_minima),
        cmocka_unit_test(nor_less_than),
        cmocka_unit_test(nor_or_minima),
        cmocka_unit_test(other_adders),
        cmocka_unit_test(early_carry),
        cmocka_unit_test(all_functions),
        cmocka_unit_test(against_enumeration),
        cmocka_unit_test(costs_against_enumeration),
        cmocka_unit_test(deep_against_enumeration),
        cmocka_unit_test(chains_against_enumeration),
        cmocka_unit_test(only_writer_of_mask),
        cmocka_unit_test(readers_before_writer),
        cmocka_unit_test(own_steps),
        cmocka_unit_test(gives_best_within_budget),
        cmocka_unit_test(same_again),
        cmocka_unit_test(closures),
        cmocka_unit_test(closure_is_what_can_be_made),
        cmocka_unit_test(odd_problems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

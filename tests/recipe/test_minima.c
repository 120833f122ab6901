/* SPDX-License-Identifier: MIT
 * The least numbers of two-input NORs per bit (docs/targets.md): the search proves that there is
 * nothing shorter, and what the mapping makes of the generic recipes on a target that has NOR alone
 * takes just that many in each lap of its loop.  And what is handed from section to section on
 * racer is handed over as early as its gates allow. */
#include "made_up.h"

#include "recipe/map/map.h"
#include "recipe/search/search.h"
#include "tools/mpu-recipe/bounds.h"

/* One section, NOR, and what copies. */
static const char nor_yaml[] =
    YAML(CONSTANTS, "  NOR: { in: [a, b], out: d, fn: \"!(a | b)\", energy: e,\n"
                    "    where: \"" ROW("a") " && " ROW("b") " && " ROW("d") "\" }\n" MOVES);

#define A 0xAAu
#define B 0xCCu
#define C 0xF0u

static const struct {
    const char *function;
    uint8_t truth[2]; /* of three inputs; the second is 0 where there is one result */
} functions[] = {
    {"or", {A | B, 0}},
    {"and", {A & B, 0}},
    {"xnor", {0xFF ^ A ^ B, 0}},
    {"mux", {(C & A) | (0xFF ^ (C | (0xFF ^ B))), 0}},
    {"xor", {A ^ B, 0}},
    {"less-than step", {(0xFF ^ (A | (0xFF ^ B))) | (0xFF ^ ((A ^ B) | (0xFF ^ C))), 0}},
    {"majority", {(A & B) | (A & C) | (B & C), 0}},
    {"full adder", {A ^ B ^ C, (A & B) | (A & C) | (B & C)}},
};

static const uint8_t *truth_of(const struct nor_minimum *m) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].function, m->function) == 0)
            return functions[i].truth;
    fail_msg("%s: no truth table", m->function);
    return NULL;
}

/* With as many rows of constants as `constants`. */
static struct search_problem problem_of(const struct nor_minimum *m, unsigned constants) {
    static const struct search_gate nor = {.nsrc = 2,
                                           .truth = 1,
                                           .src_places = {0xFF, 0xFF, 0xFF},
                                           .dst_places = SEARCH_IN(SEARCH_ROW),
                                           .cost = 1};
    static const uint8_t values[] = {A, B, C, 0x00, 0xFF};
    const uint8_t *truth = truth_of(m);
    struct search_problem p = {.gates = &nor, .gate_count = 1, .value_count = 3 + constants};
    for (unsigned i = 0; i < p.value_count; i++)
        p.values[i] = (struct search_value){values[i], i < 3 ? SEARCH_ROW : SEARCH_CONST, false};
    p.output_count = truth[1] ? 2 : 1;
    for (unsigned i = 0; i < p.output_count; i++)
        p.outputs[i] = (struct search_output){truth[i], SEARCH_ROW, false};
    return p;
}

/* No bound on the search: what it says is exhaustive. */
static void test_search(void **state) {
    (void)state;
    for (size_t i = 0; i < bounds_nor_minima_count; i++)
        for (unsigned constants = 0; constants <= 2; constants++) {
            struct search_problem p = problem_of(&bounds_nor_minima[i], constants);
            struct search_program x;
            assert_true(search_minimal(&p, &x));
            if (!x.minimal || x.cost != bounds_nor_minima[i].nors)
                fail_msg("%s: %llu NORs", bounds_nor_minima[i].function,
                         (unsigned long long)x.cost);
        }
}

static uint64_t logic_of(const struct recipe_set *s, const struct recipe *c, unsigned w) {
    struct uop_list list = {0};
    struct insn insn = recipe_usual_insn(c->op, w);
    struct recipe_count n;
    const char *error;
    assert_true(recipe_expand_with(s, c, &insn, false, &list, NULL));
    assert_true(recipe_count_list(s->target, &list, &n, &error));
    vec_free(&list);
    return n.logic;
}

/* The instruction whose loop body the function is; a majority stands in none, so that one is made:
 * it computes no instruction, but is mapped like others. */
static const struct recipe *mapped_for(struct recipe_set *s, const struct nor_minimum *m,
                                       struct diag *d) {
    static const char majority[] = "recipe MUX(a, b, d) -> d   any w   generic\n"
                                   "{ for j in 0 .. w-1 { d[j] = maj(a[j], b[j], d[j]) } }\n";
    const struct recipe *c =
        m->op == OP_COUNT ? mapping_run(s, read_again(s, majority), d) : recipe_mapped(s, m->op, d);
    if (!c)
        fail_msg("%s: %s", m->function, diag_first(d));
    return c;
}

/* A lap more takes as many micro-ops of logic more; the first and the last may take fewer. */
static void test_loop_bodies(void **state) {
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = open_yaml(nor_yaml);
    struct recipe_set *s = recipe_set_open_mapped(t, d);
    (void)state;
    if (!s)
        fail_msg("%s", diag_first(d));
    for (size_t i = 0; i < bounds_nor_minima_count; i++) {
        const struct nor_minimum *m = &bounds_nor_minima[i];
        const struct recipe *c = mapped_for(s, m, d);
        uint64_t least = logic_of(s, c, 16), more = logic_of(s, c, 17);
        if (more - least != m->nors || least > 16 * m->nors)
            fail_msg("%s: %llu micro-ops of logic at 16 bits, %llu at 17", m->function,
                     (unsigned long long)least, (unsigned long long)more);
    }
    recipe_set_free(s);
    target_free(t);
    diag_free(d);
}

/* Cycles from one section to the next on racer where a bit is handed up or down: BUF, and of the
 * gates no more than wait for the bit that comes in.  A majority of it takes two NORs, an OR or a
 * NOR with it one, the bit itself none. */
static const struct {
    enum isa_op op;
    unsigned cycles;
} handovers[] = {{OP_ADD, 3},    {OP_SUB, 3},   {OP_INC, 2},    {OP_DEC, 2},    {OP_NEG, 2},
                 {OP_ADDI, 2},   {OP_CMPEQ, 2}, {OP_CMPNE, 2},  {OP_CMPLT, 3},  {OP_CMPGT, 3},
                 {OP_CMPGE, 3},  {OP_CMPLE, 3}, {OP_CMPLTS, 3}, {OP_CMPGTS, 3}, {OP_CMPGES, 3},
                 {OP_CMPLES, 3}, {OP_FUZZY, 2}, {OP_CMPEQI, 2}, {OP_CMPLTI, 2}, {OP_CMPGTI, 2},
                 {OP_RELU, 1},   {OP_SEL, 1},   {OP_LSHIFT, 1}};

static struct recipe_count usual_count(const struct recipe_set *s, enum isa_op op, unsigned w) {
    struct insn insn = recipe_usual_insn(op, w);
    struct recipe_count n;
    if (!recipe_count(s, &insn, false, &n))
        fail_msg("%s.%u cannot be counted", isa_info(op)->name, w);
    return n;
}

/* Handed over early, and pipelined: the next instruction may follow after what a section or two
 * take, not after all 64, where queues are long enough for what waits for the last section. */
static void test_handovers(void **state) {
    struct diag *d = diag_new(NULL, NULL);
    const struct target_override long_queues = {"control.issue_queue", "256"};
    struct target *t = target_open("racer", &long_queues, 1, d);
    struct recipe_set *s = recipe_set_open(t, d);
    (void)state;
    for (size_t i = 0; i < sizeof handovers / sizeof *handovers; i++) {
        enum isa_op op = handovers[i].op;
        struct recipe_count half = usual_count(s, op, 32), whole = usual_count(s, op, 64);
        if (whole.latency_cycles - half.latency_cycles != 32 * handovers[i].cycles)
            fail_msg("%s: %u cycles for 32 bits more", isa_info(op)->name,
                     (unsigned)(whole.latency_cycles - half.latency_cycles));
        if (whole.interval_cycles > 12)
            fail_msg("%s: again after %u cycles", isa_info(op)->name,
                     (unsigned)whole.interval_cycles);
    }
    recipe_set_free(s);
    target_free(t);
    diag_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_search),
        cmocka_unit_test(test_loop_bodies),
        cmocka_unit_test(test_handovers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

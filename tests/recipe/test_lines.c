/* SPDX-License-Identifier: MIT
 * The lines of a target file: their order chooses among equals, never whether; one micro-op more
 * takes nothing away; and what is refused says why. */
#include "made_up.h"

#include "recipe/map/derive.h"
#include "tests/draws.h"

#ifndef MPU_SANITIZED
#define MPU_SANITIZED 0
#endif

static const uint8_t widths[] = {1, 2, 3, 4};

/* What a check says of an instruction: "" where its recipe holds; the caller frees it. */
static char *refusal_of(const struct recipe_set *s, enum isa_op op, struct diag *d) {
    static const uint8_t float_widths[] = {16};
    struct recipe_forms forms = {0};
    const struct recipe *r = s ? recipe_of(s, op, d) : NULL;
    bool held = r && (op == OP_FSQRT ? recipe_check_forms(s, r, float_widths, 1, &forms, d)
                                     : recipe_check_forms(s, r, widths, sizeof widths, &forms, d));
    diag_flush(d);
    char *text = strdup(held ? "" : diag_first(d));
    assert_non_null(text);
    return text;
}

static void check_all_hold(const char *yaml, const enum isa_op *ops, size_t count) {
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = open_yaml(yaml);
    struct recipe_set *s = recipe_set_open(t, d);
    for (size_t i = 0; i < count; i++) {
        char *refusal = refusal_of(s, ops[i], d);
        if (*refusal)
            fail_msg("%s: %s\n%s", recipe_info(ops[i])->name, refusal, yaml);
        free(refusal);
    }
    recipe_set_free(s);
    target_free(t);
    diag_free(d);
}

static void check_holds(const char *yaml, enum isa_op op) {
    check_all_hold(yaml, &op, 1);
}

static void check_refused(const char *yaml, const char *why) {
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = open_yaml(yaml);
    struct recipe_set *s = recipe_set_open(t, d);
    char *refusal = refusal_of(s, OP_INV, d);
    if (!strstr(refusal, why))
        fail_msg("'%s' lacks '%s'", refusal, why);
    free(refusal);
    recipe_set_free(s);
    target_free(t);
    diag_free(d);
}

/* --- order, and one line more --- */

#define IMPLY "  G: { in: [a], out: q, fn: \"!a | q\", energy: e }\n"
#define FALSE "  S: { out: d, fn: \"0\", energy: e }\n"

/* A name that gets its own inverse: what it held is no place to begin the copy from. */
static void test_order(void **state) {
    (void)state;
    check_holds(YAML(CONSTANTS, IMPLY FALSE), OP_FMUL);
    if (!MPU_SANITIZED || draws_all())
        check_holds(YAML(CONSTANTS, FALSE IMPLY), OP_FMUL);
}

#define PARITY                                                                                     \
    "  odd:  { range: \"1..509:2\" }\n"                                                            \
    "  zero: { row: 510, value: 0 }\n  one:  { row: 511, value: 1 }\n"
#define XCOPY                                                                                      \
    "  XCOPY: { in: [a], out: d, fn: \"a\", where: \"class(d) != class(a)\", energy: e }\n"
#define SCOPY                                                                                      \
    "  SCOPY: { in: [a], out: d, fn: \"a\", where: \"class(d) == class(a)\", energy: e }\n"
#define COPY "  COPY: { in: [a], out: d, fn: \"a\", energy: e }\n"
#define NAND                                                                                       \
    "  NAND: { in: [a, b], out: d, fn: \"!(a & b)\", energy: e,\n"                                 \
    "    where: \"class(a) == class(b) && class(d) != class(a)\" }\n"

/* YAML() with rows of both parities. */
static void check_parity(const char *ops) {
    static const enum isa_op all[] = {OP_INC, OP_DEC, OP_MUL, OP_ADD, OP_MIN};
    struct str text = {0};
    const char *yaml = YAML("", "@"), *rows = strstr(yaml, "  rows: {"),
               *rest = strchr(rows, '\n') + 1, *at = strchr(rest, '@');
    str_append_n(&text, yaml, (size_t)(rows - yaml));
    str_append(&text, "  even: { range: \"0..509:2\" }\n" PARITY);
    str_append_n(&text, rest, (size_t)(at - rest));
    str_append(&text, ops);
    str_append(&text, at + 1);
    check_all_hold(str_text(&text), all, sizeof all / sizeof *all);
    str_free(&text);
}

/* A copy between rows of two kinds, taken first where the value must lie in rows of one kind. */
static void test_copies(void **state) {
    (void)state;
    check_parity(NAND COPY);
    check_parity(XCOPY SCOPY NAND);
    if (MPU_SANITIZED && !draws_all())
        return; /* the same code in other orders */
    check_parity(XCOPY NAND COPY);
    check_parity(NAND COPY XCOPY);
    check_parity(SCOPY XCOPY NAND);
}

#define IN_ROWS(x) "class(" x ") == comp"
#define DCC(where)                                                                                 \
    "schema: 1\nname: made-up\nkind: plane\n"                                                      \
    "array: { rows: 1024, lanes: 64, sections: 1 }\n"                                              \
    "machine: { vrf_per_rfh: 8, rfh_per_mpu: 8, mpus: 4, active_vrf_per_rfh: 8 }\n"                \
    "rows:\n  cells: { range: \"0..1015\" }\n"                                                     \
    "  comp: { range: \"1016..1021\", use: compute }\n"                                            \
    "  zero: { row: 1022, value: 0 }\n  one: { row: 1023, value: 1 }\nmask: { by: gate }\n"        \
    "clocks: { datapath_ps: 3000 }\nenergy: { per: lane, e: 50 }\n"                                \
    "network: { intra: p2p, setup_ps: 1000, register_ps: 16000, energy_fj_per_bit: 40 }\n"         \
    "host: { bytes_per_s: 19200000000, fj_per_bit: 4000, transpose: host }\n"                      \
    "front_end: mpu-paper\nops:\n"                                                                 \
    "  COPY: { in: [a], out: d, fn: \"a\", class: copy, energy: e }\n"                             \
    "  TRA: { in: [p, q, r], out: [p, q, r], fn: \"maj(p, q, r)\", energy: e,\n"                   \
    "    where: \"" IN_ROWS("p") " && " IN_ROWS("q") " && " IN_ROWS(                               \
        "r") "\" }\n"                                                                              \
             "  NOT: { in: [a], out: d, fn: \"!a\", energy: e, where: \"" where "\" }\n"

/* Where an inversion may begin or end in the few rows for computing, a value that is held for long
 * must not take one of these because what is gone at once has chosen before it. */
static void test_few_rows(void **state) {
    (void)state;
    check_holds(DCC(IN_ROWS("d") " || " IN_ROWS("a")), OP_FSQRT);
    if (!MPU_SANITIZED || draws_all())
        check_holds(DCC(IN_ROWS("a")), OP_FSQRT);
}

/* --- reasons --- */

#define DNOR3                                                                                      \
    "  DNOR3: { in: [a, b, c], out: [d, a, b, c], energy: e,\n"                                    \
    "    fn: { d: \"!(a | b | c)\", a: \"0\", b: \"0\", c: \"0\" } }\n"

/* Four rows at once, all of them written. */
static void test_wide(void **state) {
    (void)state;
    check_holds(YAML(CONSTANTS, COPY DNOR3), OP_ADD);
    check_refused("search_steps: 3\n" YAML(CONSTANTS, COPY DNOR3),
                  "make no !x that was found within 3 steps of search (the target's key "
                  "'search_steps' takes more)");
}

#define IN_SECTION(x) "section(" x ") == section(d)"
#define COMPUTED      "class(d) == comp && " IN_SECTION("a")

/* Gates make it in rows that nothing of their section copies: however long the search is, it finds
 * nothing, for it looks for logic in one section. */
static void test_within(void **state) {
    (void)state;
    check_refused(
        "schema: 1\nname: made-up\nkind: plane\n"
        "array: { rows: 512, lanes: 64, sections: 3 }\n"
        "machine: { vrf_per_rfh: 8, rfh_per_mpu: 8, mpus: 4, active_vrf_per_rfh: 8 }\n"
        "rows:\n  cells: { range: \"0..503\" }\n"
        "  comp: { range: \"504..509\", use: compute }\n" CONSTANTS "mask: { by: select }\n"
        "clocks: { datapath_ps: 3000 }\nenergy: { per: lane, e: 50 }\n"
        "network: { intra: p2p, setup_ps: 1000, register_ps: 16000, energy_fj_per_bit: 40 }\n"
        "host: { bytes_per_s: 19200000000, fj_per_bit: 4000, transpose: host }\n"
        "front_end: mpu-paper\nops:\n"
        "  COPY: { in: [a], out: d, fn: \"a\", class: copy, energy: e, where: \"" COMPUTED "\" }\n"
        "  NAND: { in: [a, b], out: d, fn: \"!(a & b)\", energy: e,\n"
        "    where: \"" COMPUTED " && " IN_SECTION(
            "b") "\" }\n"
                 "  PASS: { in: [a], out: d, fn: \"a\", class: crossing, energy: e,\n"
                 "    where: \"section(d) == section(a) + 1 || section(d) == section(a) - 1\" }\n",
        "make no !x within one section ('where'), and logic is not made by way of others");
}

/* Three inversions by way of the section's own buffer would make it: gates are looked for in rows.
 */
static void test_own_buffer(void **state) {
    (void)state;
    check_refused(
        "schema: 1\nname: made-up\nkind: plane\n"
        "array: { rows: 512, lanes: 64, sections: 3 }\n"
        "machine: { vrf_per_rfh: 8, rfh_per_mpu: 8, mpus: 4, active_vrf_per_rfh: 8 }\n"
        "rows:\n  even: { range: \"0..509:2\" }\n" PARITY "mask: { by: gate }\n"
        "clocks: { datapath_ps: 3000 }\nenergy: { per: lane, e: 50 }\n"
        "network: { intra: p2p, setup_ps: 1000, register_ps: 16000, energy_fj_per_bit: 40 }\n"
        "host: { bytes_per_s: 19200000000, fj_per_bit: 4000, transpose: host }\n"
        "front_end: mpu-paper\nops:\n"
        "  NOR: { in: [a, b], out: d, fn: \"!(a | b)\", energy: e, where: \"class(b) == class(a) "
        "&& class(d) != class(a) && section(a) == section(d) && section(b) == section(d)\" }\n"
        "  COPY: { in: [a], out: d, fn: \"a\", class: copy, energy: e,\n"
        "    where: \"class(d) == class(a) && section(a) == section(d)\" }\n"
        "  PASS: { in: [a], out: d, fn: \"a\", class: crossing, energy: e,\n"
        "    where: \"section(d) == section(a) + 1 || section(d) == section(a) - 1\" }\n",
        "make no !x within one section ('where'), and logic is not made by way of others or of "
        "buffers");
}

#define IN_COMP(x)   "class(" x ") == comp && section(" x ") == section(d)"
#define BEHIND(x, y) "row(" x ") == row(" y ") + 1"
#define NOR5                                                                                                                                                   \
    "schema: 1\nname: made-up\nkind: plane\n"                                                                                                                  \
    "array: { rows: 1024, lanes: 64, sections: 2 }\n"                                                                                                          \
    "machine: { vrf_per_rfh: 8, rfh_per_mpu: 8, mpus: 4, active_vrf_per_rfh: 8 }\n"                                                                            \
    "rows:\n  cells: { range: \"0..1015\" }\n"                                                                                                                 \
    "  comp: { range: \"1016..1021\", use: compute }\n"                                                                                                        \
    "  zero: { row: 1022, value: 0 }\n  one: { row: 1023, value: 1 }\nmask: { by: gate }\n"                                                                    \
    "clocks: { datapath_ps: 3000 }\nenergy: { per: lane, e: 50 }\n"                                                                                            \
    "network: { intra: p2p, setup_ps: 1000, register_ps: 16000, energy_fj_per_bit: 40 }\n"                                                                     \
    "host: { bytes_per_s: 19200000000, fj_per_bit: 4000, transpose: host }\n"                                                                                  \
    "front_end: mpu-paper\nops:\n"                                                                                                                             \
    "  SET0: { out: d, fn: \"0\", energy: e }\n  SET1: { out: d, fn: \"1\", energy: e }\n"                                                                     \
    "  COPY: { in: [a], out: d, fn: \"a\", class: copy, energy: e,\n"                                                                                          \
    "    where: \"section(a) == section(d)\" }\n"                                                                                                              \
    "  NOR5: { in: [a, b, c, x, y], out: d, fn: \"!(a | b | c | x | y)\", energy: e,\n"                                                                        \
    "    where: \"class(d) == comp && " IN_COMP("a") " && " IN_COMP("b") " && " IN_COMP("c") " && " IN_COMP("x") " && " IN_COMP(                               \
        "y") " && " BEHIND("b",                                                                                                                                \
                           "a") " && " BEHIND("c",                                                                                                             \
                                              "b") " && " BEHIND("x",                                                                                          \
                                                                 "c") " && " BEHIND("y",                                                                       \
                                                                                    "x") "\" }\n"                                                              \
                                                                                         "  PASS: { in: [a], out: d, fn: \"a\", class: crossing, energy: e,\n" \
                                                                                         "    where: \"section(d) == section(a) + 1 || section(d) == section(a) - 1\" }\n"

/* A micro-op more leads the search astray: it is made once more without each. */
static void test_astray(void **state) {
    (void)state;
    static const enum isa_op ops[] = {OP_AND, OP_XOR};
    static const char astray[] =
        NOR5 "  TAKE: { in: [a], out: [d, a], fn: { d: \"!a\", a: \"0\" }, energy: e,\n"
             "    where: \"class(d) == comp && section(a) == section(d)\" }\n";
    check_all_hold(NOR5, ops, 2);
    if (draws_all() && !MPU_SANITIZED) /* the same code, for minutes */
        check_all_hold(astray, ops, 2);
}

#define DNOR2                                                                                      \
    "  DNOR2: { in: [a, b], out: [d, a, b], energy: e,\n"                                          \
    "    fn: { d: \"!(a | b)\", a: \"0\", b: \"0\" } }\n"
#define REPLACES "  FLIP: { in: [a], out: a, fn: \"!a\", energy: e }\n"
#define DMUX                                                                                       \
    "  DMUX: { in: [a, b, c], out: [d, a, b, c], energy: e,\n"                                     \
    "    fn: { d: \"(a & b) | (!a & c)\", a: \"0\", b: \"0\", c: \"0\" } }\n"
#define LATCHES    "  la: { latch: true }\n  lb: { latch: true }\n" CONSTANTS
#define LATCH_COPY "  CL: { in: [la], out: lb, fn: \"la\", energy: e }\n"
#define INTO_LATCH                                                                                 \
    "  IL: { in: [a], out: la, fn: \"a\", energy: e, where: \"class(a) != la && class(a) != lb\" }\n"
#define KEEPING                                                                                    \
    "  TAKE: { in: [a, b], out: [d, b], energy: e, fn: { d: \"!(a | b)\", b: \"0\" } }\n"

static void test_cannot(void **state) {
    (void)state;
    check_refused(YAML(CONSTANTS, COPY "  OR: { in: [a, b], out: d, fn: \"a | b\", energy: e }\n"),
                  "the micro-ops of target 'made-up' cannot make !x");
    /* A value is never in two places; copied, or left where it is read, it would be. */
    check_refused(YAML(CONSTANTS, FALSE DNOR2), "cannot make !x and keep its operands: each leaves "
                                                "what it reads in at most one place");
    check_refused(YAML(CONSTANTS, FALSE REPLACES DMUX), "cannot make !x and keep its operands");
    check_refused(YAML(LATCHES, FALSE LATCH_COPY DNOR2),
                  "cannot make !x without writing over a register that it reads");
    check_holds(YAML(LATCHES, FALSE INTO_LATCH LATCH_COPY DNOR2), OP_INV);
    check_holds(YAML(CONSTANTS, COPY DNOR2), OP_INV);
    check_holds(YAML(CONSTANTS, FALSE REPLACES DMUX KEEPING), OP_INV);
    struct target *t = open_yaml(YAML(CONSTANTS, COPY DNOR3));
    assert_true(mapping_is_possible(t, 0x55, 1, false));
    assert_true(mapping_is_possible(t, 0x66, 2, false));
    target_free(t);
}

/* A micro-op of the function whose bit i is its result where source s has bit (i >> s) & 1. */
static void add_function(struct str *text, unsigned number, unsigned truth) {
    const char *mark = "";
    str_printf(text, "  X%u: { in: [a, b, c], out: d, energy: e, fn: \"", number);
    for (unsigned row = 0; row < 8; row++)
        if (truth >> row & 1) {
            str_printf(text, "%s(%sa & %sb & %sc)", mark, row & 1 ? "" : "!", row & 2 ? "" : "!",
                       row & 4 ? "" : "!");
            mark = " | ";
        }
    str_append(text, "\" }\n");
}

/* All functions that are 0 where all sources are, and 1 where these are: none of them inverts. */
static void add_functions(struct str *text, unsigned times) {
    for (unsigned n = 0; n < 64 * times; n++)
        add_function(text, n, (n % 64) << 1 | 0x80);
}

/* However many micro-ops there are besides, and wherever they stand. */
static void test_many(void **state) {
    (void)state;
    static const char not [] = "  NOT: { in: [a], out: d, fn: \"!a\", energy: e }\n" COPY;
    const char *yaml = YAML("", "@"), *at = strchr(yaml, '@');
    for (unsigned first = 0; first < 2; first++) {
        struct str text = {0};
        str_append_n(&text, yaml, (size_t)(at - yaml));
        str_append(&text, first ? not : "");
        add_functions(&text, 3);
        str_append(&text, first ? "" : not );
        str_append(&text, at + 1);
        check_holds(str_text(&text), OP_INV);
        str_free(&text);
    }
}

#define LATCH "  la: { latch: true }\n" CONSTANTS
#define LATCHED                                                                                    \
    "  LD: { in: [x], out: la, fn: \"x\", energy: e, where: \"class(x) != la\" }\n"                \
    "  AN: { in: [x, la], out: la, fn: \"x & la\", energy: e, where: \"class(x) != la\" }\n"       \
    "  WR: { in: [la], out: d, fn: \"la\", energy: e, where: \"class(d) != la\" }\n"               \
    "  WN: { in: [la], out: d, fn: \"!la\", energy: e, where: \"class(d) != la\" }\n"

/* The only latch that inverts holds the mask. */
static void test_mask(void **state) {
    (void)state;
    struct str text = {0};
    const char *yaml = YAML(LATCH, LATCHED), *mask = strstr(yaml, "mask: {");
    str_append_n(&text, yaml, (size_t)(mask - yaml));
    str_append(&text, "mask: { by: latch, latch: la, and: AN, load: LD }\n");
    str_append(&text, strchr(mask, '\n') + 1);
    check_holds(yaml, OP_INV);
    check_refused(str_text(&text), "cannot make !x without latch 'la', which holds the mask");
    str_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),      cmocka_unit_test(test_copies),
        cmocka_unit_test(test_wide),       cmocka_unit_test(test_within),
        cmocka_unit_test(test_cannot),     cmocka_unit_test(test_mask),
        cmocka_unit_test(test_many),       cmocka_unit_test(test_astray),
        cmocka_unit_test(test_own_buffer), cmocka_unit_test(test_few_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 * Recipes for arrays that destroy what they read: rows with names, groups that are activated
 * together, operands that are tied or always the same, several classes of rows, masks that are no
 * lines of the array; and each way to be wrong. */
#include "made_up.h"
#include "text.h"

#include "machines/plane/verify/verify.h"
#include "recipe/map/map.h"

#define TOYS       MPU_SOURCE_DIR "/tests/recipe/targets/"
#define TECHNOLOGY MPU_SOURCE_DIR "/examples/technology/"

static struct target *open_named(const char *name) {
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = target_open(name, NULL, 0, d);
    if (!t)
        fail_msg("%s", diag_first(d));
    diag_free(d);
    return t;
}

static const char ambit[] = TOYS "ambit.yaml", adder[] = TOYS "adder.yaml",
                  latched[] = TOYS "latched.yaml", majority[] = TECHNOLOGY "majority5.yaml",
                  imply[] = TECHNOLOGY "imply.yaml";

/* SIMDRAM's adder, with commands and places in arrows. */
#define ADD_HEAD "recipe ADD(a, b) -> d   any w   needs AAP, AP\n{\n"
static const char add_text[] = ADD_HEAD "  AAP DCC1 <- C0\n"
                                        "  for j in 0 .. w-1 {\n"
                                        "    AAP B12 <- DCC1\n"
                                        "    AAP B10 <- a[j]\n"
                                        "    AAP DCC1 <- b[j]\n"
                                        "    AP B15\n"
                                        "    AAP B11 <- DCC1n\n"
                                        "    AP B12\n"
                                        "    AAP T1 <- b[j]\n"
                                        "    AAP d[j] <- B13\n"
                                        "  }\n"
                                        "  computes d == a + b\n"
                                        "  expect AAP == 6*w + 1, AP == 2*w, scratch == 5\n"
                                        "}\n";

/* The carry lies in a latch that the adder always has. */
static const char fadd_text[] = "recipe ADD(a, b) -> d   any w   needs FADD, CLRC\n"
                                "{\n"
                                "  CLRC()\n"
                                "  for j in 0 .. w-1 { d[j] = FADD(a[j], b[j]) }\n"
                                "  computes d == a + b\n"
                                "  expect FADD == w, CLRC == 1, scratch == 1\n"
                                "}\n";

/* Five places that all take the majority: four rows for computing and one of another class. */
static const char vote_text[] = "recipe AND(a, b) -> d   any w   needs VOTE, CLONE\n"
                                "{\n"
                                "  for j in 0 .. w-1 {\n"
                                "    p = CLONE(a[j])\n"
                                "    q = CLONE(b[j])\n"
                                "    r = CLONE(zero)\n"
                                "    s = CLONE(zero)\n"
                                "    d[j] = CLONE(one)\n"
                                "    p, q, r, s, d[j] = VOTE(p, q, r, s, d[j])\n"
                                "  }\n"
                                "  computes d == a & b\n"
                                "  expect VOTE == w, scratch == 4\n"
                                "}\n";

/* What IMPLY keeps a part of was written before. */
static const char imply_text[] = "recipe INV(a) -> d   any w   needs IMPLY\n"
                                 "{\n"
                                 "  for j in 0 .. w-1 {\n"
                                 "    d[j] = FALSE()\n"
                                 "    d[j] = IMPLY(a[j])\n"
                                 "  }\n"
                                 "  computes d == ~a\n"
                                 "  expect micro_ops == 2*w, scratch == 0\n"
                                 "}\n";

static void test_taken(void **state) {
    const struct {
        const char *target, *text;
    } recipes[] = {{ambit, add_text},
                   {"mimdram", add_text},
                   {adder, fadd_text},
                   {majority, vote_text},
                   {imply, imply_text}};
    (void)state;
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++) {
        struct target *t = open_named(recipes[i].target);
        want_taken(t, recipes[i].text);
        target_free(t);
    }
}

/* --- refused --- */

struct slip {
    const char *target, *text, *place, *words;
};

#define BIT(body)  ADD_HEAD body "\n}\n"
#define VOTE(body) "recipe AND(a, b) -> d any w needs VOTE, CLONE\n{\n" body "\n}\n"
#define FADD(body) "recipe ADD(a, b) -> d any w needs FADD\n{\n" body "\n}\n"

static const struct slip slips[] = {
    /* Rows hold nothing when a recipe begins. */
    {ambit, BIT("AAP d[0] <- T0"), "3:13", "row 'T0' is read before it is written"},
    {ambit, BIT("AAP d[0] <- B12"), "3:13", "row 'T0' is read before it is written"},
    {ambit, BIT("AAP B10 <- a[0] ; AAP T0 <- a[0]; AP B13"), "3:38", "row 'T1' is read before"},
    {ambit, BIT("AAP d[0] <- DCC1n"), "3:13", "row 'DCC1' is read before"},
    {adder, FADD("d[0] = FADD(a[0], b[0])"), "3:8", "row 'carry' is read before it is written"},
    /* What is activated first drives the bit lines. */
    {ambit, BIT("AAP B10 <- a[0] ; AAP d[0] <- B10"), "3:31",
     "'B10' is 2 rows: activated first, they drive the bit lines only if their values are the same"},
    {ambit, BIT("AAP B12 <- a[0] ; AAP B10 <- a[0] ; AAP B14 <- B12"), "3:41",
     "row 'T1' is in both addresses"},
    {ambit, BIT("AAP T0 <- a[0] ; AAP T0 <- T0"), "3:22", "row 'T0' is in both addresses"},
    {ambit, BIT("AAP T0 <- a[0] ; AP T0"), "3:18", "AP with one address takes several rows"},
    {ambit, BIT("AAP T0 <- a[0] ; AP T1 <- T0"), "3:18", "cannot activate these rows"},
    {ambit, BIT("AAP C0 <- a[0]"), "3:5", "row 'C0' is constant: it cannot be written"},
    {ambit, BIT("AAP zero <- a[0]"), "3:5", "'zero' cannot be written"},
    {ambit, BIT("AAP a[0] <- b[0]"), "3:5", "'a' is a source of this instruction"},
    {ambit, BIT("AAP valid <- b[0]"), "3:5", "'valid' cannot be written"},
    {ambit, BIT("AAP T5 <- b[0]"), "1:21", "bit 0 of 'd' is never written"},
    {ambit, BIT("AAP T0 <- T9"), "3:11", "nothing here is called 'T9'"},
    {ambit, BIT("ABP T0 <- a[0]"), "3:1", "neither a micro-op of target 'ambit-toy' nor a sub"},
    /* Groups stand beside arrows, rows also elsewhere. */
    {ambit, BIT("d[0] = AAP(B12)"), "3:12", "'B12' is a group of rows"},
    {ambit, BIT("B12 = AAP(a[0])"), "3:1", "'B12' is a group of rows"},
    {ambit, BIT("T0 = AAP(a[0]) ; d[0] = AAP(T0[1])"), "3:29", "'T0' is one bit, not a register"},
    {ambit, BIT("let T0 = a[0]"), "3:5", "'T0' is already something else"},
    {ambit, BIT("carry T0 = a[0]"), "3:7", "'T0' is already something else"},
    {ambit, BIT("for T0 in 0 .. 1 { }"), "3:5", "'T0' is already something else"},
    {ambit, BIT("AAP d[0] <- AAP(a[0])"), "3:13", "expected '=', found 'AAP'"},
    {ambit, BIT("AAP d[0] < -a[0]"), "3:10", "expected a statement or"},
    {ambit, "sub COPY(x) -> y { AAP y <- x }\n" ADD_HEAD "COPY d[0] <- a[0]\n}\n", "4:1",
     "an arrow is for micro-ops, not for the sub 'COPY'"},
    {ambit, "sub COPY(x) -> y { AAP x <- a ; AAP y <- x }\n" ADD_HEAD "d[0] = COPY(a[0])\n}\n",
     "1:29", "nothing here is called 'a'"},
    {ambit,
     "sub COPY(x, z) -> y { AAP x <- z ; AAP y <- x }\n" ADD_HEAD "d[0] = COPY(a[0], b[0])\n}\n",
     "1:27", "'x' is not a place that can be written"},
    {adder, FADD("FADD d[0] <- a[0]"), "3:1", "'FADD' does not activate rows: write x = FADD(y)"},
    {ambit, "recipe AND(a, b) -> d any w generic\n{\nAAP d[0] <- a[0]\n}\n", "3:1",
     "a generic recipe is logic, not micro-ops: 'AAP'"},
    /* Operands that are always the same are not written. */
    {adder, FADD("SETC() ; d[0], carry = FADD(a[0], b[0], carry)"), "3:24",
     "FADD takes 2 operands, not 3"},
    {adder, FADD("SETC() ; d[0], carry = FADD(a[0], b[0])"), "3:10", "FADD has 1 result, not 2"},
    {adder, FADD("carry = SETC()"), "3:1", "SETC has 0 results, not 1"},
    /* A gate that replaces what it reads. */
    {majority,
     VOTE("p = CLONE(a[0]) d[0] = CLONE(a[0])\n"
          "p, p, p, p, d[0] = VOTE(p, p, p, p, d[0])"),
     "4:1", "VOTE reads one place twice, which it destroys: a scratch value"},
    {majority,
     VOTE("p = CLONE(a[0]) q = CLONE(a[0]) r = CLONE(a[0]) s = CLONE(a[0])\n"
          "p, q, r, s, a[0] = VOTE(p, q, r, s, a[0])"),
     "4:13", "'a' is a source of this instruction: it must stay as it is"},
    {majority,
     VOTE("p = CLONE(a[0]) q = CLONE(a[0]) r = CLONE(a[0]) s = CLONE(a[0])\n"
          "p, q, r, s, one = VOTE(p, q, r, s, one)"),
     "4:13", "'one' cannot be written"},
    {majority,
     VOTE("p = CLONE(a[0]) q = CLONE(a[0]) r = CLONE(a[0]) s = CLONE(a[0])\n"
          "p, q, r, s, valid = VOTE(p, q, r, s, valid)"),
     "4:13", "'valid' cannot be written"},
    {majority,
     VOTE("p = CLONE(a[0]) q = CLONE(a[0]) r = CLONE(a[0]) s = CLONE(a[0]) d[0] = CLONE(one)\n"
          "q, p, r, s, d[0] = VOTE(p, q, r, s, d[0])"),
     "4:1", "this result of VOTE takes the place of its operand 1: write the same name"},
    {majority,
     VOTE("p = CLONE(a[0]) q = CLONE(a[0]) r = CLONE(a[0]) s = CLONE(a[0]) d[0] = CLONE(one)\n"
          "p, q, r, s = VOTE(p, q, r, s, d[0])"),
     "4:1", "VOTE has 5 results, not 4"},
    {ambit, BIT("T0 = AAP(a[0]) ; T0 = AAP(T0)"), "3:18", "AAP reads what it destroys: row 'T0'"},
    {"racer",
     "recipe INC(a) -> d any w needs NOR\n{\nd[0] = NOR(a[0], a[0])\n"
     "d[0] = NOR(d[0], a[0])\n}\n",
     "4:1", "NOR reads what it destroys: 'd[0]'"},
    /* What keeps a part of its result needs it. */
    {imply, "recipe INV(a) -> d any w needs IMPLY\n{\nd[0] = IMPLY(a[0])\n}\n", "3:1",
     "bit 0 of 'd' is read before it is written"},
    {imply, "recipe INV(a) -> d any w needs IMPLY\n{\nt = IMPLY(a[0])\n}\n", "3:1",
     "'t' is read in section 0 before it is written there"},
    /* Classes of rows. */
    {majority,
     VOTE("p = FLIP(a[0])\nq = CLONE(a[0]) r = CLONE(a[0]) s = CLONE(a[0])\n"
          "q, r, s, d[0], p = VOTE(q, r, s, d[0], p)"),
     "5:34", "bit 0 of 'd' is read before"},
    {majority,
     VOTE("p = FLIP(a[0])\nq = CLONE(a[0]) r = CLONE(a[0]) s = CLONE(a[0]) t = CLONE(a[0])\n"
          "q, r, s, t, p = VOTE(q, r, s, t, p) d[0] = CLONE(p)"),
     "5:1", "VOTE may not work on these places ('where')"},
    {majority, VOTE("d[0] = FLIP(a[0])"), "3:1",
     "FLIP in section 0 may not work on these places ('where')"},
    {majority,
     VOTE("p = FLIP(a[0]) q = FLIP(a[0]) r = FLIP(a[0]) s = FLIP(a[0])\nt = FLIP(a[0])\n"
          "u = CLONE(p) u = CLONE(q) u = CLONE(r) u = CLONE(s) d[0] = CLONE(t)"),
     "4:1", "needs more rows of class 'wells' in section 0 than the 4 that target"},
};

static void test_refused(void **state) {
    unsigned wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
        struct target *t = open_named(slips[i].target);
        wrong += !is_refused(t, slips[i].text, slips[i].place, slips[i].words);
        target_free(t);
    }
    assert_int_equal(wrong, 0);
}

static void note_texts(void *context, const struct diag *d, const struct message *m) {
    (void)d;
    for (size_t i = 0; i < m->note_count; i++)
        str_printf(context, "%s\n", m->notes[i].text);
}

/* The other place of a conflict is named, too. */
static void test_conflict_note(void **state) {
    struct str notes = {0};
    struct target *t = open_named(majority);
    struct diag *d = diag_new(note_texts, &notes);
    const char *text = VOTE("p = FLIP(a[0])\nq = CLONE(a[0]) r = CLONE(a[0]) s = CLONE(a[0]) u = "
                            "CLONE(a[0])\nq, r, s, u, p = VOTE(q, r, s, u, p) d[0] = CLONE(p)");
    (void)state;
    assert_null(recipe_set_open_with(t, "x.recipe", text, strlen(text), d));
    diag_flush(d);
    assert_non_null(strstr(diag_first(d), "no class of rows suits a value both here and where"));
    assert_non_null(strstr(str_text(&notes), "has it here"));
    diag_free(d);
    str_free(&notes);
    target_free(t);
}

/* --- masks and time --- */

static struct recipe_set *open_text(const struct target *t, const char *text) {
    struct diag *d = diag_new(NULL, NULL);
    struct recipe_set *s = recipe_set_open_with(t, "x.recipe", text, strlen(text), d);
    if (!s)
        fail_msg("%s", diag_first(d));
    diag_free(d);
    return s;
}

static const char merge_text[] = "recipe MASKED(a, d, M) -> d   any w   needs AAP, AP\n"
                                 "{\n"
                                 "  for j in 0 .. w-1 {\n"
                                 "    AAP B8 <- M ; AAP B9 <- C1 ; AAP B10 <- a[j]\n"
                                 "    AP B15 ; AP B14 ; AAP T1 <- d[j] ; AAP d[j] <- B13\n"
                                 "  }\n"
                                 "  computes d == select(M, a, d)\n"
                                 "  expect AAP == 5*w, AP == 2*w\n"
                                 "}\n";

/* A command takes its own time, one after the other, however often the instruction is repeated. */
static void test_select(void **state) {
    struct target *t = open_named(ambit);
    char both[sizeof add_text + sizeof merge_text];
    (void)state;
    snprintf(both, sizeof both, "%s%s", add_text, merge_text);
    struct recipe_set *s = open_text(t, both);
    for (unsigned w = 1; w <= 64; w++) {
        struct insn add = {.op = OP_ADD, .rs = 1, .rt = 2, .rd = 3, .width = (uint8_t)w};
        struct recipe_count plain, masked;
        assert_true(recipe_count(s, &add, false, &plain));
        assert_true(recipe_count(s, &add, true, &masked));
        assert_int_equal(plain.micro_ops, 8 * w + 1);
        assert_int_equal(plain.latency_cycles, 49 * (6 * w + 1) + 45 * 2 * w);
        assert_int_equal(plain.interval_cycles, plain.latency_cycles);
        assert_int_equal(masked.micro_ops, 15 * w + 1);
        assert_int_equal(masked.latency_cycles, 49 * (11 * w + 1) + 45 * 4 * w);
        assert_int_equal(plain.scratch_rows, 5);
        assert_int_equal(masked.scratch_rows, w + 6);
    }
    recipe_set_free(s);
    target_free(t);
}

/* Only bits that were written are merged, and the condition like a bit. */
static void test_merged_bits(void **state) {
    static const struct {
        struct insn insn;
        unsigned merges;
    } cases[] = {{{.op = OP_CMPLT, .rs = 1, .rt = 2, .width = 16}, 1},
                 {{.op = OP_LIK1, .rd = 3, .imm = 0x555, .width = 16}, 4},
                 {{.op = OP_CAS, .rs = 1, .rt = 2, .width = 4}, 8}};
    struct target *t = open_named(ambit);
    struct recipe_set *s = open_text(t, merge_text);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct recipe_count plain, masked;
        assert_true(recipe_count(s, &cases[i].insn, false, &plain));
        assert_true(recipe_count(s, &cases[i].insn, true, &masked));
        assert_int_equal(masked.micro_ops, plain.micro_ops + 7 * cases[i].merges);
    }
    recipe_set_free(s);
    target_free(t);
}

static bool writes_latch(const struct target *t, const struct uop *u) {
    uint32_t latch = PLANE(PLANE_SCRATCH, 0,
                           plane_target(t)->row_classes[plane_target(t)->mask_latch].first_scratch);
    return u->dst[0] == latch || (u->ndst > 1 && u->dst[1] == latch);
}

/* What goes into the latch is cut by the mask at once; the mask is back at the end. */
#define MOV_HEAD "recipe MOV(a) -> d any w needs LDT\n{\nfor j in 0 .. w-1 {\nLDT(a[j])\n"

static void test_latch(void **state) {
    struct target *t = open_named(latched);
    struct insn mov = {.op = OP_MOV, .rs = 1, .rd = 3, .width = 4};
    struct uop_list plain = {0}, masked = {0};
    struct diag *d = diag_new(NULL, NULL);
    (void)state;
    want_refused(t, MOV_HEAD "t = COPY(tag)\nd[j] = COPY(t)\n}\n}\n", "6:1",
                 "under a mask: COPY writes a result while 'tag', which masks it, holds something");
    struct recipe_set *s = open_text(t, MOV_HEAD "d[j] = COPY(tag)\n}\n}\n");
    assert_true(recipe_expand(s, &mov, false, &plain, NULL));
    assert_true(recipe_expand(s, &mov, true, &masked, NULL));
    assert_int_equal(plain.len, 2 * 4);
    assert_int_equal(masked.len, 3 * 4 + 1);
    for (size_t i = 0; i + 1 < masked.len; i++)
        if (masked.data[i].kind + 1u != plane_target(t)->mask_and &&
            writes_latch(t, &masked.data[i]))
            assert_int_equal(masked.data[i + 1].kind + 1u, plane_target(t)->mask_and);
    assert_int_equal(masked.data[masked.len - 1].kind + 1u, plane_target(t)->mask_load);
    assert_true(plane_verify_run(t, &mov, true, &masked, 1, d));
    if (!verify_list(t, &mov, true, &masked, true, d))
        fail_msg("%s", diag_first(d));
    masked.len--; /* the mask does not come back */
    assert_false(verify_list(t, &mov, true, &masked, true, d));
    diag_free(d);
    vec_free(&plain);
    vec_free(&masked);
    recipe_set_free(s);
    target_free(t);
}

/* --- borrowed recipes --- */

/* A target of one's own has the commands that built-in recipes need, and other rows. */
static void test_borrowed(void **state) {
    static const char same[] = "schema: 1\nname: mine\nextends: mimdram\n";
    static const char other[] = "schema: 1\nname: mine\nextends: mimdram\n"
                                "groups: { B15: [DCC1, T0, T2] }\n";
    struct insn add = {.op = OP_ADD, .rs = 1, .rt = 2, .rd = 3, .width = 8};
    struct target *m = open_named("mimdram"), *a = open_yaml(same), *b = open_yaml(other);
    struct recipe_set *sets[3];
    const struct target *targets[3] = {m, a, b};
    struct recipe_count counts[3];
    struct diag *d = diag_new(NULL, NULL);
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        sets[i] = recipe_set_open(targets[i], d);
        assert_non_null(sets[i]);
        assert_true(recipe_count(sets[i], &add, false, &counts[i]));
    }
    assert_int_equal(counts[0].micro_ops, counts[1].micro_ops);
    assert_true(counts[2].micro_ops > counts[0].micro_ops);
    assert_string_equal(recipe_origin(sets[1], OP_ADD), recipe_origin(sets[0], OP_ADD));
    assert_string_equal(recipe_origin(sets[2], OP_ADD), "generic");
    struct uop_list list = {0};
    assert_true(recipe_expand(sets[2], &add, true, &list, d));
    assert_true(plane_verify_run(b, &add, true, &list, 1, d));
    vec_free(&list);
    for (unsigned i = 0; i < 3; i++)
        recipe_set_free(sets[i]);
    /* A user's own recipe that does not hold is a mistake. */
    want_refused(b, add_text, "1:8", "but the ISA says");
    target_free(m);
    target_free(a);
    target_free(b);
    diag_free(d);
}

/* --- print --- */

static void test_printed(void **state) {
    struct target *t = open_named(ambit);
    struct recipe_set *s = open_text(t, add_text);
    struct str first = {0}, again = {0};
    (void)state;
    notation_print(s, recipe_of(s, OP_ADD, NULL), &first);
    assert_non_null(strstr(str_text(&first), "    AAP B11 <- DCC1n\n    AP B12\n"));
    notation_print(s, read_again(s, str_text(&first)), &again);
    assert_string_equal(str_text(&first), str_text(&again));
    str_free(&first);
    str_free(&again);
    recipe_set_free(s);
    target_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_taken),         cmocka_unit_test(test_refused),
        cmocka_unit_test(test_conflict_note), cmocka_unit_test(test_select),
        cmocka_unit_test(test_merged_bits),   cmocka_unit_test(test_latch),
        cmocka_unit_test(test_borrowed),      cmocka_unit_test(test_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

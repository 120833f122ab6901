/* SPDX-License-Identifier: MIT
 * The recipe notation: the examples of docs/recipes.md, and each way to be wrong. */
#include "text.h"

#include "recipe/timing/timing.h"

#include <stdio.h>

struct fixture {
    struct diag *diag;
    struct target *racer;
};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    f->diag = diag_new(NULL, NULL);
    f->racer = open_racer(f->diag);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    target_free(f->racer);
    diag_free(f->diag);
    free(f);
    return 0;
}

static const struct target *racer(void **state) {
    return ((struct fixture *)*state)->racer;
}

/* As it stands in docs/recipes.md. */
static const char add_text[] =
    "recipe ADD(a, b) -> d   any w   needs NOR, BUF       # racer and kin\n"
    "{\n"
    "  carry c = zero                      # one COPY in section 0; handed from section j to section j+1\n"
    "  for j in 0 .. w-1 {\n"
    "    t1 = NOR(a[j], b[j])\n"
    "    t2 = NOR(a[j], t1)\n"
    "    t3 = NOR(b[j], t1)\n"
    "    t4 = NOR(t2, t3)\n"
    "    t5 = NOR(t4, c)\n"
    "    t6 = NOR(t1, t5)                  # carry out, made early so that the next section may start\n"
    "    if j < w-1 { c = BUF(t6) }        # the only micro-op that crosses sections\n"
    "    t7 = NOR(t4, t5)\n"
    "    t8 = NOR(c@j, t5)                 # c@j: the carry that came in\n"
    "    d[j] = NOR(t7, t8)\n"
    "  }\n"
    "  computes d == a + b\n"
    "  expect NOR == 9*w, COPY == 1, BUF == w-1, handover == 3, scratch <= 9\n"
    "}\n";

static const char mimdram_text[] =
    "recipe ADD(a, b) -> d   any w   for mimdram          # majority, destructive, named row groups\n"
    "{\n"
    "  AAP DCC1 <- C0\n"
    "  for j in 0 .. w-1 {\n"
    "    AAP B12 <- DCC1 ; AAP B10 <- a[j] ; AAP DCC1 <- b[j]\n"
    "    AP B15 ; AAP B11 <- DCC1n ; AP B12 ; AAP T1 <- b[j] ; AAP d[j] <- B13\n"
    "  }\n"
    "  computes d == a + b\n"
    "  expect AAP == 6*w + 1, AP == 2*w\n"
    "}\n";

static const char generic_text[] =
    "recipe CMPLT(a, b) -> C   any w   generic            # logic only; mapped onto any technology's gates\n"
    "{\n"
    "  carry k = 0\n"
    "  for j in 0 .. w-1 { k = maj(!a[j], b[j], k) }\n"
    "  C = k\n"
    "  computes C == (a < b)\n"
    "}\n";

static void test_design_examples(void **state) {
    want_taken(racer(state), add_text);
    want_taken(racer(state), mimdram_text);
    want_taken(racer(state), generic_text);
}

/* The text with one piece replaced; the piece must be there. */
static const char *changed(const char *text, const char *old, const char *new, char *out,
                           size_t size) {
    const char *at = strstr(text, old);
    if (!at)
        fail_msg("'%s' is not in the text", old);
    snprintf(out, size, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
    return out;
}

/* One slip in a recipe that was right, and what is said about it. */
static void test_damaged(void **state) {
    static const struct {
        const char *old, *new, *place, *words;
    } slips[] = {
        {"t4 = NOR(t2, t3)", "t4 = OR(t2, t3)", "1:8", "but the ISA says"},
        {"t6 = NOR(t1, t5)", "t6 = NOR(t4, t5)", "1:8", "but the ISA says"},
        {"t3 = NOR(b[j], t1)", "t3 = NOR(a[j], t1)", "1:8", "but the ISA says"},
        {"carry c = zero", "carry c = one", "1:8", "but the ISA says"},
        {"carry c = zero", "carry c", "9:18", "carry 'c' has not come into section 0"},
        {"carry c = zero", "", "9:18", "'c' is read before it is written"},
        {"for j in 0 .. w-1", "for j in 0 .. w-2", "1:21", "bit 0 of 'd' is never written"},
        {"for j in 0 .. w-1", "for j in 1 .. w-1", "1:21", "bit 0 of 'd' is never written"},
        {"for j in 0 .. w-1", "for j in 0 .. w", "4:3",
         "outside of bits 0 .. 0; write 'serial for'"},
        {"if j < w-1 { c = BUF(t6) }", "c = BUF(t6)", "11:5", "handed beyond section 0"},
        {"if j < w-1 { c = BUF(t6) }", "if j < w-1 { c = NOR(t1, t5) }", "11:18",
         "NOR in section 0 may not work on these places"},
        {"NOR(a[j], b[j])", "NOR(a[j], b[w-1])", "5:5", "NOR in section 0 may not work"},
        {"NOR(a[j], b[j])", "NOR(a[j], b[j+1])", "5:20", "bit 1 of 'b', which has bits 0 .. 0"},
        {"NOR(a[j], b[j])", "NOR(a[j], t9)", "5:20", "nothing here is called 't9'"},
        {"NOR(a[j], b[j])", "NOR(a[j], t7)", "5:20", "before it is written"},
        {"NOR(a[j], b[j])", "NOR(a[j], d[j])", "5:20", "'d' is read before it is written"},
        {"NOR(a[j], b[j])", "NOR(a[j], C)", "5:20", "'C' is no input"},
        {"NOR(a[j], b[j])", "NOR(a[j])", "5:10", "NOR takes 2 operands, not 1"},
        {"NOR(a[j], b[j])", "NOT(a[j], b[j])", "5:10", "neither a micro-op of target 'racer'"},
        {"NOR(a[j], b[j])", "NOR(a, b[j])", "5:14", "'a' is a register: say which bit"},
        {"d[j] = NOR(t7, t8)", "a[j] = NOR(t7, t8)", "14:5", "'a' is a source"},
        {"t2 = NOR(a[j], t1)", "t2 = NOR(a[j*j], t1)", "6:16", "an index must be affine"},
        {"for j in 0 .. w-1", "for j in 0 .. w*w", "4:17", "a bound must be affine"},
        {"t1 = NOR", "serial for k in 0 .. 100000000 { } t1 = NOR", "5:5", "does not end"},
        {"t8 = NOR(c@j, t5)", "t8 = NOR(c, t5)", "13:14", "'c' has been handed on"},
        {"d[j] = NOR(t7, t8)", "d[j], t9 = NOR(t7, t8)", "14:5", "NOR has 1 result, not 2"},
        {"computes d == a + b", "computes d == a - b", "16:12", "'computes' is"},
        {"computes d == a + b", "computes d == a + q", "16:21", "no operand is called 'q'"},
        {"computes d == a + b", "computes a == a + b", "16:12", "names a result"},
        {"NOR == 9*w", "NOR == 8*w", "17:10", "at width 1 this is 9, expected 8"},
        {"handover == 3", "handover == 2", "17:45", "this is 3, expected 2"},
        {"scratch <= 9", "scratch <= 2", "17:60", "expected at most 2"},
        {"COPY == 1", "CPOY == 1", "17:22", "nothing is counted as 'CPOY'"},
        {"recipe ADD(a, b) -> d", "recipe ADD(a, b) -> C", "1:8", "these are not the operands"},
        {"recipe ADD(a, b) -> d", "recipe ADD(a) -> d", "1:8", "these are not the operands"},
        {"recipe ADD(a, b) -> d", "recipe ADDD(a, b) -> d", "1:8", "no instruction is called"},
        {"recipe ADD(a, b) -> d", "recipe JUMP(a, b) -> d", "1:8",
         "not an instruction that recipes"},
        {"needs NOR, BUF", "needs NOR, BUFF", "1:44", "has no micro-op 'BUFF'"},
        {"needs NOR, BUF", "wants NOR, BUF", "1:33",
         "expected 'needs', 'for', 'generic' or 'rows'"},
        {"t1 = NOR", "t1 := NOR", "5:8", "expected '='"},
        {"for j in 0 .. w-1 {", "for j in 0 w-1 {", "4:14", "expected '..' or 'downto'"},
        {"d[j] = NOR(t7, t8)\n  }", "d[j] = NOR(t7, t8)\n", "19:1", "the text ends here"},
    };
    char text[2000];
    bool fine = true;
    for (size_t i = 0; i < sizeof slips / sizeof slips[0]; i++)
        fine &= is_refused(racer(state),
                           changed(add_text, slips[i].old, slips[i].new, text, sizeof text),
                           slips[i].place, slips[i].words);
    assert_true(fine);
}

/* Two carries through the one buffer: in turn they can, at once they cannot. */
static const char two_carries[] = "recipe ADD(a, b) -> d any w needs NOR, OR, BUF {\n"
                                  "  carry c = zero\n"
                                  "  carry k = zero\n"
                                  "  for j in 0 .. w-1 {\n"
                                  "    x = COPY(c)\n"
                                  "    y = COPY(k)\n"
                                  "    t1 = NOR(a[j], b[j])\n"
                                  "    t2 = NOR(a[j], t1)\n"
                                  "    t3 = NOR(b[j], t1)\n"
                                  "    t4 = NOR(t2, t3)\n"
                                  "    t5 = NOR(t4, x)\n"
                                  "    t6 = NOR(t1, t5)\n"
                                  "    if j < w-1 { c = BUF(t6) k = BUF(y) }\n"
                                  "    t7 = NOR(t4, t5)\n"
                                  "    t8 = NOR(x, t5)\n"
                                  "    d[j] = NOR(t7, t8)\n"
                                  "  }\n"
                                  "  computes d == a + b\n"
                                  "}\n";

static void test_two_carries(void **state) {
    char text[2000];
    /* In section 0 both begin in the buffer of section 0, which cannot be. */
    want_refused(racer(state), two_carries, "1:8", "one buffer per direction does not suffice");
    changed(two_carries, "carry k = zero", "carry k", text, sizeof text);
    char more[2000];
    changed(text, "y = COPY(k)", "if j == 0 { y = COPY(zero) } else { y = COPY(k) }", more,
            sizeof more);
    want_taken(racer(state), more);
    /* Read the other way round, the first waits for the second and the second for the first. */
    changed(more, "x = COPY(c)\n", "\n", text, sizeof text);
    changed(text, "t1 = NOR(a[j], b[j])", "x = COPY(c) t1 = NOR(a[j], b[j])", more, sizeof more);
    want_refused(racer(state), more, "1:8", "one buffer per direction does not suffice");
}

static void test_notation(void **state) {
    /* Downward carry, a sub with several results, let, at, else if, downto, serial for. */
    want_taken(
        racer(state),
        "sub PAIR(x, y, flag) -> p, q {\n"
        "  if flag == 1 { p = OR(x, y) } else { p = NOR(x, y) }\n"
        "  q = NOR(x, zero)\n"
        "}\n"
        "recipe RELU(a) -> d any w needs NOR, OR, BUF {\n"
        "  carry down s @ w-1 = a[w-1]\n"
        "  for j in w-1 downto 0 {\n"
        "    if j > 0 { s = BUF(s) } else if w == 99 { t = COPY(one) } else { t = COPY(zero) }\n"
        "    t, n = PAIR(a[j], s@j, 1)\n"
        "    let x = n\n"
        "    if j == w-1 { d[j] = COPY(zero) } else { d[j] = NOR(x, s@j) }\n"
        "  }\n"
        "  serial for k in 1 .. 3 { at 0 { u = COPY(zero); u = OR(u, one) } }\n"
        "}\n");
    want_refused(racer(state), "recipe", "1:7", "expected a name, but the text ends here");
    want_refused(racer(state), "hello", "1:1",
                 "expected 'recipe', 'sub' or 'instruction', found 'hello'");
    want_refused(racer(state),
                 "sub F(x) -> y { y = F(x) }\n"
                 "recipe MOV(a) -> d any w needs COPY { for j in 0 .. w-1 { d[j] = F(a[j]) } }",
                 "1:21", "'F' calls itself?");
    want_refused(racer(state),
                 "recipe MOV(a) -> d any w needs COPY {\n"
                 "  for j in 0 .. w-1 { d[j] = COPY(a[j]) }\n}\n"
                 "recipe MOV(a) -> d any w needs COPY {\n"
                 "  for j in 0 .. w-1 { d[j] = COPY(a[j]) }\n}\n",
                 "4:8", "a second recipe for MOV");
    want_refused(racer(state),
                 "recipe MOV(a) -> d any w needs COPY {\n"
                 "  for j in 0 .. w-1 { t = COPY(a[j]) }\n"
                 "  for j in 0 .. w-1 { d[j] = COPY(t@0) }\n}",
                 "3:23", "may not work on these places");
}

/* More values alive in one section than it has rows. */
static void test_scratch_runs_out(void **state) {
    struct str text = {0};
    str_append(&text, "recipe MOV(a) -> d any w needs COPY, OR {\n  for j in 0 .. w-1 {\n");
    for (int i = 0; i < 63; i++)
        str_printf(&text, "    t%d = COPY(a[j])\n", i);
    str_append(&text, "    x = COPY(zero)\n");
    for (int i = 0; i < 63; i++)
        str_printf(&text, "    x = OR(x, t%d)\n", i);
    str_append(&text, "    d[j] = COPY(x)\n  }\n}\n");
    want_refused(racer(state), str_text(&text), "65:5", "the 62 that target 'racer' has");
    str_free(&text);
}

/* A user's recipe overrides the built-in one; the hash tells them apart. */
static void test_override(void **state) {
    struct diag *d = diag_new(NULL, NULL);
    struct recipe_set *own = recipe_set_open_with(racer(state), "x", add_text, strlen(add_text), d);
    struct recipe_set *built_in = recipe_set_open(racer(state), d);
    assert_non_null(own);
    assert_non_null(built_in);
    assert_string_not_equal(recipe_set_hash(own), recipe_set_hash(built_in));
    assert_true(recipe_exists(own, OP_MUL));
    recipe_set_free(own);
    recipe_set_free(built_in);
    diag_free(d);
}

static void test_no_recipe(void **state) {
    struct diag *d = diag_new(NULL, NULL);
    struct recipe_set *s = recipe_set_open(racer(state), d);
    struct uop_list list = {0};
    struct insn insn = {.op = OP_INDEX, .width = 8};
    assert_false(recipe_expand(s, &insn, false, &list, d));
    assert_non_null(strstr(diag_first(d), "target 'racer' has no recipe for INDEX"));
    assert_false(recipe_expand(s, &insn, false, &list, NULL));
    recipe_set_free(s);
    diag_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_design_examples),  cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_two_carries),      cmocka_unit_test(test_notation),
        cmocka_unit_test(test_scratch_runs_out), cmocka_unit_test(test_override),
        cmocka_unit_test(test_no_recipe),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

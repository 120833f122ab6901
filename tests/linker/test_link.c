/* SPDX-License-Identifier: MIT
 * Joining objects: symbols, declarations, records, -r, --gc-sections, the entry. */
#include "sources.h"

#define LINK_ERROR(text, ...)                                                                      \
    do {                                                                                           \
        const char *const list_[] = {__VA_ARGS__};                                                 \
        assert_link_error(list_, sizeof list_ / sizeof *list_, text);                              \
    } while (0)

static void jumps_find_their_symbols(void **state) {
    (void)state;
    static const char *const texts[] = {
        " .global main, f\nmain: NOP\n JUMP f\n GOTO end\nend: HALT\n",
        " .global f\n NOP\nend: NOP\n.sub f\n GOTO end1\nend1: RETURN\n.endsub\n JUMP f\n GOTO end\n"};
    struct object *o = link_ok(texts, 2, NULL);
    assert_true(o->linked);
    assert_int_equal(o->text.len, 10);
    assert_int_equal(insn_at(o, 1).imm, 6);
    assert_int_equal(insn_at(o, 2).imm, 3);
    assert_int_equal(insn_at(o, 6).imm, 7);
    assert_int_equal(insn_at(o, 8).imm, 6);
    assert_int_equal(insn_at(o, 9).imm, 5);
    assert_int_equal(value_of(o, "f"), 6);
    assert_int_equal(value_of(o, "end"), 3);
    assert_int_equal(value_of(o, "end.1"), 5); /* both are local: names stay apart */
    assert_int_equal(o->relocs.len, 0);
    assert_string_equal(o->files.data[object_place(o, 5).file], "b.s");
    assert_int_equal(object_place(o, 5).line, 3);
    object_free(o);
}

static void plain_indices_belong_to_their_object(void **state) {
    (void)state;
    static const char *const texts[] = {" NOP\n NOP\n", " NOP\n NOP\n GOTO 1\n"};
    struct object *o = link_ok(texts, 2, NULL);
    assert_int_equal(insn_at(o, 4).imm, 3);
    object_free(o);
    o = assemble("a.s", " NOP\n GOTO 0\n"); /* the same without a relocation */
    o->relocs.len = 0;
    const struct object *inputs[] = {o, o};
    struct diag *d = diag_new(NULL, NULL);
    struct object *p = link_objects(inputs, 2, NULL, d);
    assert_non_null(p);
    assert_int_equal(insn_at(p, 3).imm, 2);
    object_free(p);
    object_free(o);
    diag_free(d);
}

static void undefined_symbols(void **state) {
    (void)state;
    LINK_ERROR("a.s:2:2: symbol 'helper' is not defined",
               "main: NOP\n JUMP helper\n .global helper\n", " .global helpers\nhelpers: RETURN\n");
}

static void local_symbols_are_not_seen(void **state) {
    (void)state;
    LINK_ERROR("symbol 'f' is not defined", " .global f\n JUMP f\n HALT\n", "f: RETURN\n");
}

static void unused_declarations_do_no_harm(void **state) {
    (void)state;
    static const char *const texts[] = {" .global never\n NOP\n"};
    struct object *o = link_ok(texts, 1, NULL);
    assert_int_equal(o->symbols.len, 0);
    object_free(o);
}

static void duplicate_symbols(void **state) {
    (void)state;
    LINK_ERROR("b.s:2:1: symbol 'f' is defined in a.s and in b.s", " .global f\nf: NOP\n",
               " .global f\nf: NOP\n");
}

static void constants_are_no_targets(void **state) {
    (void)state;
    LINK_ERROR("'k' is a constant, not a place to jump to", " .global k\n JUMP k\n",
               " .equ k, 5\n .global k\n NOP\n");
}

static void declarations_are_shared(void **state) {
    (void)state;
    static const char *const texts[] = {
        " .size n = 5\n .group g[n]\n .var in x: u8 @g = r1\n COMPUTEG @g\n COMPUTE_DONE\n",
        " .size m\n .size n = 5\n .group h[m]\n .group g[n]\n .var in x: u8 @g = r1\n"
        " .var y: u9 @h = r2\n COMPUTEG @h\n COMPUTE_DONE\n COMPUTEG @g\n COMPUTE_DONE\n"
        " REPEAT size(m)\n REPEAT_END\n"};
    struct object *o = link_ok(texts, 2, NULL);
    assert_int_equal(o->sizes.len, 2);
    assert_int_equal(o->groups.len, 2);
    assert_int_equal(o->vars.len, 2);
    assert_int_equal(insn_at(o, 2).imm, 1);
    assert_int_equal(insn_at(o, 4).imm, 0);
    assert_int_equal(o->groups.data[1].extent[0].size, 1);
    assert_int_equal(o->vars.data[1].group, 1);
    assert_int_equal(o->relocs.len, 1); /* what depends on a size stays */
    assert_int_equal(o->relocs.data[0].index, 6);
    assert_int_equal(o->relocs.data[0].target, 1);
    object_free(o);
}

static void declarations_must_agree(void **state) {
    (void)state;
    LINK_ERROR("b.s:1:8: size 'n' is declared differently in b.s", " .size n = 5\n",
               " .size n = 6\n");
    LINK_ERROR("size 'n' is declared differently", " .size n\n", " .size n = 6\n");
    LINK_ERROR("b.s:1:9: group 'g' is declared differently in b.s", " .group g[5]\n",
               " .group g[5, 1]\n");
    LINK_ERROR("group 'g' is declared differently", " .group g[5]\n",
               " .group g[5] at RFH0.VRF0\n");
    LINK_ERROR("group 'g' is declared differently", " .group h[5]\n .group g[5] like h\n",
               " .group g[5]\n");
    LINK_ERROR("variable 'x' is declared differently", " .var x: u5 = r1\n", " .var x: u6 = r1\n");
    LINK_ERROR("variable 'x' is declared differently", " .var x: u5 = r1\n", " .var x: u5 = r2\n");
    LINK_ERROR("b.s has .geometry lanes=64 vrfs=64 rfhs=8, but a.s has lanes=32 vrfs=64 rfhs=8",
               " .geometry lanes=32\n NOP\n", " NOP\n");
}

static void initial_data_must_agree(void **state) {
    (void)state;
    static const char *const texts[] = {" .var x: u5[2] = r1\n .data x = 1, 2\n",
                                        " .var x: u5[2] = r1\n .data x = 1, 2\n"};
    struct object *o = link_ok(texts, 2, NULL);
    assert_int_equal(o->data.len, 1);
    object_free(o);
    LINK_ERROR("variable 'x' is given other initial contents by b.s", texts[0],
               " .var x: u5[2] = r1\n .data x = 1, 3\n");
}

static void debug_records_move(void **state) {
    (void)state;
    static const char *const texts[] = {" .mark \"one\"\n .print \"two\", r1: u8\n MARK 0\n",
                                        " .mark \"three\"\n MARK 0\n"};
    struct object *o = link_ok(texts, 2, NULL);
    assert_int_equal(o->debugs.len, 3);
    assert_int_equal(insn_at(o, 1).imm, 2);
    assert_string_equal(o->debugs.data[2].text, "three");
    object_free(o);
}

static void entries(void **state) {
    (void)state;
    static const char *const texts[] = {" NOP\nmain: HALT\nother: HALT\n"};
    struct link_options options = {.entry = "other"};
    struct object *o = link_ok(texts, 1, &options);
    assert_int_equal(o->entries.len, 1);
    assert_int_equal(o->symbols.data[o->entries.data[0].symbol].value, 2);
    object_free(o);
    struct diag *d = diag_new(NULL, NULL);
    options.entry = "othr";
    assert_null(link_texts(texts, 1, &options, d));
    assert_error(d, "the entry 'othr' is no label or subroutine of the program");
    diag_free(d);
    LINK_ERROR("two .mpu directives name MPU 2", " .mpu 0..3\n NOP\n", " .mpu 2\n NOP\n");
}

static void linked_programs_are_no_inputs(void **state) {
    (void)state;
    static const char *const texts[] = {" NOP\n"};
    struct object *o = link_ok(texts, 1, NULL);
    struct diag *d = diag_new(NULL, NULL);
    const struct object *inputs[] = {o};
    assert_null(link_objects(inputs, 1, NULL, d));
    assert_error(d, "'a.s' is already linked");
    diag_free(d);
    object_free(o);
    d = diag_new(NULL, NULL);
    assert_null(link_objects(NULL, 0, NULL, d));
    assert_error(d, "there is nothing to link");
    diag_free(d);
}

static const char program_a[] =
    " .size n = 3\n .group g[n]\n .global main, f, k\nmain: COMPUTEG @g\n"
    ".l: ADD r1 r2 r3\n GOTO .l\n COMPUTE_DONE\n JUMP f\n REPEAT size(n)\n"
    " REPEAT_END\n .equ k, 7\n .mark \"m\"\n MARK 0\n HALT\n";
static const char program_b[] =
    " .global f\n.sub f\n COMPUTE RFH0 VRF1\n.l: SUB r1 r2 r3\n GOTO .l\n"
    " COMPUTE_DONE\n RETURN\n.endsub\nlast:\n";

static void assert_same_bytes(const struct object *a, const struct object *b) {
    struct str x = {0}, y = {0};
    object_write(a, &x);
    object_write(b, &y);
    assert_int_equal(x.len, y.len);
    assert_memory_equal(x.text, y.text, x.len);
    str_free(&x);
    str_free(&y);
}

/* -r of one object is that object; linking a join is linking its parts. */
static void relocatable_links(void **state) {
    (void)state;
    static const char *const texts[] = {program_a, program_b};
    const struct link_options r = {.relocatable = true};
    struct object *one = link_ok(texts, 1, &r), *same = assemble("a.s", program_a);
    assert_same_bytes(one, same);
    struct object *joined = link_ok(texts, 2, &r), *direct = link_ok(texts, 2, NULL);
    assert_false(joined->linked);
    struct diag *d = diag_new(NULL, NULL);
    const struct object *inputs[] = {joined};
    struct object *later = link_objects(inputs, 1, NULL, d);
    assert_non_null(later);
    assert_same_bytes(later, direct);
    diag_free(d);
    object_free(one);
    object_free(same);
    object_free(joined);
    object_free(direct);
    object_free(later);
}

static const char collected[] =
    " .global main, used, deep, never, fall\nmain: JUMP used\n NOP\nhere: HALT\n"
    ".sub never\n SUB r1 r2 r3\n JUMP alone\n RETURN\n.endsub\n"
    ".sub used\n JUMP deep\n RETURN\n.endsub\n"
    ".sub alone\n GOTO 9\n RETURN\n.endsub\n"
    ".sub deep\n NOP\n.x: REPEAT 2\n REPEAT_END\n.endsub\n" /* runs into the next */
    ".sub fall\n ABS r1 r2\n RETURN\n.endsub\n GOTO here\n";

static void unused_subroutines_are_dropped(void **state) {
    (void)state;
    static const char *const texts[] = {collected};
    const struct link_options gc = {.gc_sections = true};
    struct object *all = link_ok(texts, 1, NULL), *o = link_ok(texts, 1, &gc);
    assert_int_equal(all->text.len, 16);
    assert_int_equal(o->text.len, 11);
    assert_int_equal(object_find_symbol(o, "never"), NO_INDEX);
    assert_int_equal(object_find_symbol(o, "alone"), NO_INDEX);
    assert_int_equal(value_of(o, "used"), 3);
    assert_int_equal(value_of(o, "deep"), 5);
    assert_int_equal(value_of(o, "fall"), 8);
    assert_int_equal(insn_at(o, 0).imm, 3);
    assert_int_equal(insn_at(o, 3).imm, 5);
    assert_int_equal(insn_at(o, 10).imm, 2);
    assert_int_equal(o->symbols.data[object_find_symbol(o, "deep")].length, 3);
    assert_int_equal(object_place(o, 3).line, 11);
    assert_int_equal(object_place(o, 9).line, 25);
    object_free(all);
    object_free(o);
}

static void globals_of_a_join_are_kept(void **state) {
    (void)state;
    static const char *const texts[] = {collected};
    const struct link_options gc = {.gc_sections = true, .relocatable = true};
    struct object *o = link_ok(texts, 1, &gc);
    assert_int_equal(o->text.len, 16);
    object_free(o);
}

static void undefined_in_dropped_text_is_no_error(void **state) {
    (void)state;
    static const char *const texts[] = {
        " .global gone\nmain: HALT\n.sub s\n JUMP gone\n RETURN\n.endsub\n"};
    const struct link_options gc = {.gc_sections = true};
    struct object *o = link_ok(texts, 1, &gc);
    assert_int_equal(o->text.len, 1);
    assert_int_equal(o->symbols.len, 1);
    object_free(o);
    LINK_ERROR("symbol 'gone' is not defined", texts[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jumps_find_their_symbols),
        cmocka_unit_test(plain_indices_belong_to_their_object),
        cmocka_unit_test(undefined_symbols),
        cmocka_unit_test(local_symbols_are_not_seen),
        cmocka_unit_test(unused_declarations_do_no_harm),
        cmocka_unit_test(duplicate_symbols),
        cmocka_unit_test(constants_are_no_targets),
        cmocka_unit_test(declarations_are_shared),
        cmocka_unit_test(declarations_must_agree),
        cmocka_unit_test(initial_data_must_agree),
        cmocka_unit_test(debug_records_move),
        cmocka_unit_test(entries),
        cmocka_unit_test(linked_programs_are_no_inputs),
        cmocka_unit_test(relocatable_links),
        cmocka_unit_test(unused_subroutines_are_dropped),
        cmocka_unit_test(globals_of_a_join_are_kept),
        cmocka_unit_test(undefined_in_dropped_text_is_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

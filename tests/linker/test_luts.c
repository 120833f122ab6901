/* SPDX-License-Identifier: MIT
 * Tables of LUTs over a link and in packages. */
#include "sources.h"

#include "machines/golden/link/golden.h"

#define GROUP      " .group g[4]\n"
#define BODY(text) " COMPUTEG @g\n" text " COMPUTE_DONE\n"

static const struct isa_lut *table_at(const struct object *o, uint32_t index) {
    struct insn i;
    assert_int_equal(object_decode(o, o->text.data[index], &i), ISA_OK);
    assert_int_equal(i.op, OP_LUT);
    assert_non_null(i.table);
    assert_int_equal(i.width, i.table->width);
    return i.table;
}

static void assert_table(const struct isa_lut *t, unsigned k, unsigned width,
                         const uint64_t *entries) {
    assert_int_equal(t->index_bits, k);
    assert_int_equal(t->width, width);
    assert_memory_equal(t->entries, entries, (sizeof *entries << k));
}

static void widths_make_tables(void **state) {
    static const char *const text[] = {
        GROUP " .lut t k=3 width=8 = 1, 2, 3, 255, -1\n .lut other k=1 width=1\n" BODY(
            " LUT.8 r1 t r2\n LUT.16 r1 t r2\n LUT.2 r3 t r4\n LUT.8 r5 t r6\n")};
    const uint64_t eight[] = {1, 2, 3, 255, 255, 0, 0, 0}, two[] = {1, 2, 3, 3};
    struct object *o = link_ok(text, 1, NULL);
    (void)state;
    assert_int_equal(o->luts.len, 3); /* `other` is named by nobody */
    assert_int_equal(o->relocs.len, 0);
    assert_true(o->sets >> SET_Q & 1);
    assert_table(table_at(o, 1), 3, 8, eight);
    assert_table(table_at(o, 2), 3, 16, eight);
    assert_table(table_at(o, 3), 2, 2, two);
    assert_ptr_equal(table_at(o, 4), table_at(o, 1));
    assert_string_equal(o->luts.data[0].name, "t");
    assert_string_equal(o->luts.data[1].name, "t.16");
    assert_string_equal(o->luts.data[2].name, "t.2");
    object_free(o);
}

/* What tables hold makes them one, not how they are called. */
static void equal_tables_are_one(void **state) {
    static const char *const texts[] = {
        GROUP " .lut t k=2 width=8 = 1, 2\n" BODY(" LUT.8 r1 t r2\n"), GROUP
        " .lut t k=2 width=8 = 1, 3\n .lut u k=2 width=8 = 1, 2, 0, 0\n"
        " .lut v k=3 width=8 = 1, 2\n .lut w k=2 width=4 = 1, 2\n" BODY(
            " LUT.8 r1 t r2\n LUT.8 r1 u r2\n LUT.8 r1 v r2\n LUT.8 r1 w r2\n LUT.4 r1 w r2\n")};
    struct object *o = link_ok(texts, 2, NULL);
    (void)state;
    assert_int_equal(o->luts.len, 4);
    assert_ptr_not_equal(table_at(o, 1), table_at(o, 4));
    assert_ptr_equal(table_at(o, 1), table_at(o, 5));
    assert_ptr_not_equal(table_at(o, 1), table_at(o, 6));
    assert_ptr_equal(table_at(o, 1), table_at(o, 7));
    assert_int_equal(table_at(o, 8)->width, 4);
    assert_string_equal(o->luts.data[1].name, "t_");
    object_free(o);
}

static void joins_keep_declarations(void **state) {
    static const char *const texts[] = {
        GROUP " .lut t k=2 width=8 = 5\n" BODY(" LUT.9 r1 t r2\n") " HALT\n", GROUP
        " .lut t k=2 width=8 = 1, 2\n .sub f\n" BODY(" LUT.16 r1 t r2\n") " RETURN\n .endsub\n"};
    const struct link_options join = {.relocatable = true}, drop = {.gc_sections = true};
    struct object *o = link_ok(texts, 2, &join);
    const struct object *inputs[] = {o};
    struct diag *d = diag_new(NULL, NULL);
    (void)state;
    assert_int_equal(o->luts.len, 2);
    assert_int_equal(o->luts.data[0].table.width, 8);
    struct object *p = link_objects(inputs, 1, NULL, d);
    assert_non_null(p);
    assert_int_equal(table_at(p, 1)->width, 9);
    assert_int_equal(table_at(p, 1)->entries[0], 5);
    assert_int_equal(table_at(p, 5)->width, 16);
    struct object *q = link_objects(inputs, 1, &drop, d);
    assert_non_null(q);
    assert_int_equal(q->luts.len, 1); /* with the subroutine its table went */
    assert_int_equal(table_at(q, 1)->width, 9);
    object_free(o);
    object_free(p);
    object_free(q);
    diag_free(d);
}

/* `count` tables that differ, each named at the widths 16 and, if `twice`, 17. */
static char *many_tables(unsigned count, unsigned first, bool twice) {
    struct str s = {0};
    str_append(&s, GROUP);
    for (unsigned i = 0; i < count; i++)
        str_printf(&s, " .lut t%u k=1 width=16 = %u\n", i, first + i);
    str_append(&s, " COMPUTEG @g\n");
    for (unsigned i = 0; i < count; i++)
        str_printf(&s, " LUT.16 r1 t%u r2\n%s", i, twice ? " LUT.17 r1 t0 r2\n" : "");
    str_append(&s, " COMPUTE_DONE\n");
    return s.text;
}

static void tables_have_a_number(void **state) {
    char *a = many_tables(2048, 0, false), *b = many_tables(2048, 2048, false),
         *c = many_tables(2048, 2048, true);
    const char *texts[] = {a, b};
    struct object *o = link_ok(texts, 2, NULL);
    (void)state;
    assert_int_equal(o->luts.len, 4096);
    object_free(o);
    texts[1] = c; /* one more, by its width */
    assert_link_error(texts, 2, "the program has more than 4096 tables");
    free(a);
    free(b);
    free(c);
}

static void elements_have_a_number(void **state) {
    struct str a = {0}, b = {0};
    struct str *const both[] = {&a, &b};
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        str_append(both[k], GROUP);
        for (unsigned i = 0; i < 33; i++)
            str_printf(both[k], " .lut t%u k=16 width=16 = %u, %u\n", i, i, k);
        str_append(both[k], " COMPUTEG @g\n");
        for (unsigned i = 0; i < 33; i++)
            str_printf(both[k], " LUT.16 r1 t%u r2\n", i);
        str_append(both[k], " COMPUTE_DONE\n");
    }
    const char *const texts[] = {a.text, b.text};
    assert_link_error(texts, 2, "tables of more than 2^22 elements together");
    str_free(&a);
    str_free(&b);
}

static const char filled[] =
    " .size n = 7\n .size m = n - 9\n .value v: u8[3] = 1, 2, 200\n .value s: i16 = -3\n" GROUP
    " .lut t k=3 width=8 = 9, size(n), size(n) + 1, size(m), value(v[1]), value(v[2])\n"
    " .lut t = value(s)\n" BODY(" LUT.8 r1 t r2\n LUT.12 r1 t r2\n LUT.2 r1 t r2\n");

static void elements_are_filled_in(void **state) {
    const char *const texts[] = {filled};
    const uint64_t eight[] = {9, 7, 8, 254, 2, 200, 253, 0}, two[] = {1, 3, 0, 2};
    const uint64_t other[] = {5, 6, 7};
    struct diag *d = diag_new(NULL, NULL);
    struct target *t;
    struct machine_library *l;
    (void)state;
    assert_int_equal(machine_open_target("golden", NULL, 0, d, &t, &l), TARGET_FINE);
    struct object *o = link_ok(texts, 1, NULL);
    struct package *p = package_build(o, t, l, NULL, 0, d);
    assert_non_null(p);
    assert_int_equal(p->luts.count, 3);
    assert_table(&p->luts.data[0], 3, 8, eight);
    assert_table(&p->luts.data[1], 3, 12, eight);
    assert_table(&p->luts.data[2], 2, 2, two);
    assert_int_equal(p->reg_bits[1], 12);
    assert_int_equal(p->reg_bits[2], 12);
    struct str bytes = {0};
    package_write(p, &bytes);
    struct package *q = package_read(o, bytes.text, bytes.len, d);
    assert_non_null(q);
    assert_table(&q->luts.data[0], 3, 8, eight);
    const struct size_binding bindings[] = {{"n", 255, NULL}, {"v", 0, other}};
    assert_false(package_fresh(q, o, t, l, bindings, 2));
    assert_true(package_fresh(q, o, t, l, NULL, 0));
    package_free(q);
    assert_null(package_build(o, t, l, bindings, 2, d));
    assert_non_null(strstr(
        diag_first(d), "element 2 of table 't' is 256, from size 'n', and does not fit 8 bits"));
    str_free(&bytes);
    package_free(p);
    object_free(o);
    machine_library_close(l);
    target_free(t);
    diag_free(d);
}

static void values_must_fit(void **state) {
    const char *const texts[] = {
        " .value v: i16[2] = 4, -200\n" GROUP
        " .lut t k=1 width=8 = value(v[0]), value(v[1])\n" BODY(" LUT.64 r1 t r2\n")};
    struct diag *d = diag_new(NULL, NULL);
    struct target *t;
    struct machine_library *l;
    (void)state;
    assert_int_equal(machine_open_target("golden", NULL, 0, d, &t, &l), TARGET_FINE);
    struct object *o = link_ok(texts, 1, NULL);
    assert_null(package_build(o, t, l, NULL, 0, d));
    assert_non_null(strstr(diag_first(d), "element 1 of table 't.64' is -200, from value v[1]"));
    object_free(o);
    machine_library_close(l);
    target_free(t);
    diag_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widths_make_tables),      cmocka_unit_test(equal_tables_are_one),
        cmocka_unit_test(joins_keep_declarations), cmocka_unit_test(tables_have_a_number),
        cmocka_unit_test(elements_have_a_number),  cmocka_unit_test(elements_are_filled_in),
        cmocka_unit_test(values_must_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

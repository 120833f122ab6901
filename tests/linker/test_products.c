/* SPDX-License-Identifier: MIT
 * Shapes of products over a link: equal ones are one, and a program has room for 64. */
#include "sources.h"

#define BODY(text) " .group g[4]\n COMPUTEG @g\n" text " COMPUTE_DONE\n"

static struct insn product_at(const struct object *o, uint32_t index) {
    struct insn i;
    assert_int_equal(object_decode(o, o->text.data[index], &i), ISA_OK);
    assert_int_equal(i.op, OP_MULP);
    return i;
}

static void assert_shape(const struct object *o, uint32_t index, unsigned a, unsigned b,
                         unsigned lo, unsigned width) {
    struct isa_product p;
    struct insn i = product_at(o, index);
    assert_true(isa_product_of(i.imm, i.width, &p));
    assert_int_equal(p.a, a);
    assert_int_equal(p.b, b);
    assert_int_equal(p.lo, lo);
    assert_int_equal(p.width, width);
}

static void equal_shapes_are_one(void **state) {
    static const char *const texts[] = {
        " .product p 16, 16, 0, 32, ss\n .product q 3, 4, 6, 2\n" BODY(
            " MULP p r1 r2 r3\n MULP.2 q r1 r2 r3\n"),
        " .product p 3, 4, 6, 2\n .product z 16, 16, 0, 32\n" BODY(
            " MULP z r1 r2 r3\n MULP p r1 r2 r3\n")};
    struct object *o = link_ok(texts, 2, NULL);
    (void)state;
    assert_int_equal(o->products.len, 3);
    assert_true(o->sets >> SET_P & 1);
    assert_shape(o, 1, 16, 16, 0, 32);
    assert_shape(o, 2, 3, 4, 6, 2);
    assert_shape(o, 5, 16, 16, 0, 32);
    assert_shape(o, 6, 3, 4, 6, 2);
    assert_int_equal(product_at(o, 2).shape, product_at(o, 6).shape);
    assert_int_not_equal(product_at(o, 1).shape, product_at(o, 5).shape); /* signs differ */
    object_free(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(equal_shapes_are_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 * The API that front ends emit through. */
#include "asm/builder.h"
#include "support/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
    struct diag *d;
    struct builder *b;
};

static struct fixture begin(void) {
    struct fixture f = {.d = diag_new(NULL, NULL)};
    f.b = builder_new(f.d);
    return f;
}

static struct object *finish_well(struct fixture *f) {
    struct object *o = builder_finish(f->b);
    if (!o)
        fail_msg("%s", diag_first(f->d));
    return o;
}

static void finish_badly(struct fixture *f, const char *wanted) {
    assert_null(builder_finish(f->b));
    if (!strstr(diag_first(f->d), wanted))
        fail_msg("'%s' does not contain '%s'", diag_first(f->d), wanted);
    diag_free(f->d);
}

/* What LI, LIKs and a shift leave in a register that held `before`. */
static uint64_t run_constants(const struct object *o, unsigned width, uint64_t before) {
    uint64_t reg = before;
    for (size_t i = 0; i < o->text.len; i++) {
        struct insn x;
        assert_int_equal(isa_decode(o->text.data[i], &x), ISA_OK);
        assert_int_equal(x.width, width);
        assert_int_equal(x.rd, 5);
        struct golden_lane lane = {
            .rs = reg & low_bits(width), .rd = reg & low_bits(width), .w = width, .imm = x.imm};
        isa_info(x.op)->golden(&lane);
        reg = (reg & ~low_bits(width)) | (lane.rd & low_bits(width));
    }
    return reg;
}

static size_t try_constant(unsigned width, uint64_t value) {
    struct fixture f = begin();
    uint64_t before = 0x5a5a123456789abc;
    builder_constant(f.b, width, 5, value);
    struct object *o = finish_well(&f);
    uint64_t want = (before & ~low_bits(width)) | (value & low_bits(width));
    assert_int_equal(run_constants(o, width, before), want);
    size_t count = o->text.len;
    object_free(o);
    diag_free(f.d);
    return count;
}

static void constants_of_every_width(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (unsigned w = 1; w <= 64; w++) {
        const uint64_t edges[] = {0,
                                  1,
                                  low_bits(w),
                                  low_bits(w) >> 1,
                                  low_bits(w) ^ 1,
                                  (uint64_t)1 << (w - 1),
                                  0x7ff,
                                  0x800,
                                  0xfff,
                                  0x1000};
        for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
            try_constant(w, edges[i]);
        for (int i = 0; i < 50; i++)
            try_constant(w, splitmix64(&seed) >> splitmix64(&seed) % 64);
    }
    assert_int_equal(try_constant(64, 0), 1);
    assert_int_equal(try_constant(64, UINT64_MAX), 1);
    assert_int_equal(try_constant(64, 0x7ff), 1);
    assert_int_equal(try_constant(64, 0x800), 2);
    assert_int_equal(try_constant(32, 0x12345678), 3);
    assert_int_equal(try_constant(64, 0x0123456789abcdef), 6);
}

static void labels_forward_and_back(void **state) {
    (void)state;
    struct fixture f = begin();
    uint32_t end = builder_label(f.b, NULL), top = builder_label(f.b, "top");
    assert_int_equal(builder_label(f.b, "top"), top);
    builder_bind(f.b, top);
    builder_jump(f.b, OP_GOTO, end);
    builder_plain(f.b, OP_NOP);
    builder_jump(f.b, OP_GOTO, top);
    builder_bind(f.b, end);
    builder_jump_to(f.b, OP_GOTO, top, 2);
    struct object *o = finish_well(&f);
    const uint32_t targets[] = {3, 0, 0, 2};
    for (size_t i = 0; i < 4; i++) {
        struct insn x;
        assert_int_equal(isa_decode(o->text.data[i], &x), ISA_OK);
        assert_int_equal(i == 1 ? 0 : x.imm, targets[i]);
    }
    assert_int_equal(o->relocs.len, 3);
    assert_int_equal(o->symbols.len, 2);
    assert_string_equal(o->symbols.data[0].name, "top");
    assert_string_equal(o->symbols.data[1].name, "$L3");
    assert_int_equal(o->relocs.data[2].addend, 2);
    object_free(o);
    diag_free(f.d);
}

/* A name that the program uses for something else is not taken for an anonymous label. */
static void anonymous_names_are_new(void **state) {
    (void)state;
    struct fixture f = begin();
    uint32_t far = builder_label(f.b, NULL);
    builder_bind(f.b, builder_label(f.b, "$L2"));
    builder_jump(f.b, OP_GOTO, far);
    builder_plain(f.b, OP_NOP);
    builder_bind(f.b, far);
    struct object *o = finish_well(&f);
    assert_string_equal(o->symbols.data[o->relocs.data[0].target].name, "$L2_");
    object_free(o);
    diag_free(f.d);
}

static void subroutines_have_lengths(void **state) {
    (void)state;
    struct fixture f = begin();
    builder_plain(f.b, OP_HALT);
    builder_symbol(f.b, "first", SYMBOL_SUB, true);
    builder_plain(f.b, OP_NOP);
    builder_plain(f.b, OP_RETURN);
    builder_symbol(f.b, "second", SYMBOL_SUB, false);
    builder_plain(f.b, OP_RETURN);
    builder_end_sub(f.b);
    builder_plain(f.b, OP_NOP);
    builder_absolute(f.b, "limit", -7, true);
    struct object *o = finish_well(&f);
    const struct symbol *first = &o->symbols.data[object_find_symbol(o, "first")];
    const struct symbol *second = &o->symbols.data[object_find_symbol(o, "second")];
    assert_int_equal(first->value, 1);
    assert_int_equal(first->length, 2);
    assert_true(first->global);
    assert_int_equal(second->length, 1);
    assert_int_equal(o->symbols.data[object_find_symbol(o, "limit")].value, -7);
    object_free(o);
    diag_free(f.d);
}

static void sizes_and_groups_get_relocations(void **state) {
    (void)state;
    struct fixture f = begin();
    const struct size_decl n = {.name = "n", .place = {NO_INDEX, 0, 0}};
    uint32_t size = builder_size(f.b, &n);
    const struct group g = {.name = "g",
                            .ndim = 1,
                            .extent = {{size, 0}},
                            .like = NO_INDEX,
                            .at_rfh = NO_INDEX,
                            .at_vrf = NO_INDEX,
                            .place = {NO_INDEX, 0, 0}};
    uint32_t group = builder_group(f.b, &g);
    const struct debug_record r = {.kind = DEBUG_MARK, .text = "here"};
    builder_compute_group(f.b, group);
    builder_size_constant(f.b, 32, 3, size, 5);
    builder_repeat(f.b, (struct extent){size, 0});
    builder_imm(f.b, OP_MARK, 0, 0, (int32_t)builder_debug(f.b, &r));
    struct object *o = finish_well(&f);
    const enum reloc_type types[] = {RELOC_GROUP, RELOC_IMM12, RELOC_IMM12,
                                     RELOC_IMM12, RELOC_COUNT, RELOC_DEBUG};
    assert_int_equal(o->relocs.len, 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(o->relocs.data[i].type, types[i]);
    assert_int_equal(o->relocs.data[3].piece, 2);
    assert_int_equal(o->relocs.data[3].addend, 5);
    assert_int_equal(o->sets, 1u << SET_L | 1u << SET_C | 1u << SET_R | 1u << SET_D);
    object_free(o);
    diag_free(f.d);
}

static void places_become_lines(void **state) {
    (void)state;
    struct fixture f = begin();
    builder_place(f.b, "k.ez", 3, 1);
    builder_plain(f.b, OP_NOP);
    builder_plain(f.b, OP_NOP);
    builder_place(f.b, "k.ez", 4, 9);
    builder_plain(f.b, OP_NOP);
    builder_place(f.b, NULL, 0, 0);
    builder_plain(f.b, OP_NOP);
    struct object *o = finish_well(&f);
    assert_int_equal(o->lines.len, 3);
    assert_int_equal(object_place(o, 1).line, 3);
    assert_int_equal(object_place(o, 2).column, 9);
    assert_int_equal(object_place(o, 3).file, NO_INDEX);
    object_free(o);
    diag_free(f.d);
}

static void bugs_become_messages(void **state) {
    (void)state;
    struct fixture f = begin();
    builder_rrr(f.b, OP_ADD, 65, 1, 2, 3);
    finish_badly(&f, "ADD cannot be encoded");
    f = begin();
    builder_rrr(f.b, OP_ADD, 8, 64, 2, 3);
    finish_badly(&f, "ADD cannot be encoded");
    f = begin();
    builder_jump(f.b, OP_GOTO, builder_label(f.b, NULL));
    finish_badly(&f, "never bound");
    f = begin();
    builder_jump(f.b, OP_GOTO, builder_label(f.b, "there"));
    finish_badly(&f, "'there' is not defined");
    f = begin();
    uint32_t label = builder_label(f.b, "x");
    builder_bind(f.b, label);
    builder_bind(f.b, label);
    finish_badly(&f, "'x' is defined twice");
    f = begin();
    builder_compute_group(f.b, 3);
    finish_badly(&f, "COMPUTEG");
    f = begin();
    label = builder_label(f.b, NULL);
    builder_bind(f.b, label);
    builder_jump_to(f.b, OP_GOTO, label, 5);
    finish_badly(&f, "leads out of the text");
    f = begin();
    builder_repeat(f.b, (struct extent){NO_INDEX, (uint64_t)1 << 40});
    finish_badly(&f, "REPEAT takes at most");
    f = begin();
    builder_imm(f.b, OP_GOTO, 0, 0, 7);
    finish_badly(&f, "there are only 1");
}

static void undefined_globals_stay(void **state) {
    (void)state;
    struct fixture f = begin();
    builder_jump(f.b, OP_JUMP, builder_label(f.b, "elsewhere"));
    builder_global(f.b, "elsewhere");
    builder_entry(f.b, 0, 4, builder_label(f.b, "elsewhere"));
    struct object *o = finish_well(&f);
    assert_int_equal(o->symbols.len, 1);
    assert_false(o->symbols.data[0].defined);
    assert_true(o->symbols.data[0].global);
    assert_int_equal(o->entries.data[0].mpu_count, 4);
    assert_int_equal(o->entries.data[0].symbol, 0);
    object_free(o);
    diag_free(f.d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_of_every_width),
        cmocka_unit_test(labels_forward_and_back),
        cmocka_unit_test(anonymous_names_are_new),
        cmocka_unit_test(subroutines_have_lengths),
        cmocka_unit_test(sizes_and_groups_get_relocations),
        cmocka_unit_test(places_become_lines),
        cmocka_unit_test(bugs_become_messages),
        cmocka_unit_test(undefined_globals_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

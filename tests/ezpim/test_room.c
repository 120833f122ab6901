/* SPDX-License-Identifier: MIT
 * Where there is no room beside what a body computes, that is known before there is code; and
 * nothing else is. */
#include "ezpim/code/room.h"
#include "ezpim/ir/build.h"
#include "ezpim/code/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { BITS = 64 };
static const struct lane_type words = {TYPE_UINT, BITS};
static const struct span nowhere = {0};

/* x[0] = x[0] op x[1] over a group, in registers 0 and 1 if `kept`; else nobody reads it. */
struct program {
    struct arena arena;
    struct ir_program p;
};

static void make(struct program *program, enum ir_op op, bool kept) {
    struct ir_program *p = &program->p;
    struct ir_image image = {.mpu_count = 1};
    struct group g = {.name = "g",
                      .ndim = 1,
                      .extent = {{NO_INDEX, BITS}},
                      .like = NO_INDEX,
                      .at_rfh = NO_INDEX,
                      .at_vrf = NO_INDEX};
    *program = (struct program){.p.consumed = IR_NONE};
    p->arena = &program->arena;
    vec_push(&p->groups, g);
    struct ir_builder b = {.p = p, .end = &image.nodes};
    uint32_t x = ir_local(&b, 0, words, 2);
    ir_begin_ensemble(&b, 0, nowhere);
    ir_operation(&b, op, words, ir_element(&b, x, 0), ir_element(&b, x, 0), ir_element(&b, x, 1),
                 IR_NONE, 0, nowhere);
    for (uint32_t v = 0; kept && v < b.code->vregs.len; v++)
        b.code->vregs.data[v].fixed = (int8_t)v;
    vec_push(&p->images, image);
    ir_builder_free(&b);
}

/* Registers that take so many rows, 64 bits each but for the last one. */
static struct rows_use use_of(uint32_t rows) {
    struct rows_use use = {{0}, {0}};
    for (unsigned r = 0; r < 64; r++) {
        use.bits[r] = (uint8_t)(rows < BITS ? rows : BITS);
        rows -= use.bits[r];
    }
    rows_use_count(&use);
    return use;
}

/* Targets with a row for each bit; those with columns have room for few of these registers. */
static uint32_t with_room(uint32_t taken) {
    const struct rows_use use = use_of(taken);
    return rows_targets(&use) & rows_targets_of_one_section();
}

static uint32_t with_room_beside(enum isa_op op, unsigned width, uint32_t taken) {
    const struct rows_use use = use_of(taken);
    const struct insn insn = {.op = op, .width = (uint8_t)width};
    return rows_targets_beside(&insn, &use) & rows_targets_of_one_section();
}

/* On each target of `must`, or (0) on some. */
static bool is_possible_on(enum ir_op op, bool kept, uint32_t taken, uint32_t must) {
    const struct rows_use use = use_of(taken);
    struct program program;
    make(&program, op, kept);
    const struct ir_code *code = program.p.codes.data[0];
    size_t insns = code->insns.len, vregs = code->vregs.len;
    bool possible =
        code_room_possible(&program.p, 1, false, &use, rows_targets_of_one_section(), must);
    assert_int_equal(code->insns.len, insns); /* the program stays as it is */
    assert_int_equal(code->vregs.len, vregs);
    assert_int_equal(code->insns.data[0].op, op);
    ir_free(&program.p);
    arena_free(&program.arena);
    return possible;
}

static bool is_possible(enum ir_op op, bool kept, uint32_t taken) {
    return is_possible_on(op, kept, taken, 0);
}

/* The most rows of variables for which some target has room. */
static uint32_t most_rows(void) {
    uint32_t rows = 0;
    while (with_room(rows + 1))
        rows++;
    return rows;
}

/* Beside its one instruction; and there is room without it where there is none with it. */
static void a_body_needs_what_its_instruction_needs(void **state) {
    (void)state;
    unsigned fewer = 0;
    for (uint32_t taken = 2 * BITS, most = most_rows(); taken <= most + 1; taken += 3) {
        bool possible = is_possible(IR_DIV, true, taken);
        assert_int_equal(possible, with_room_beside(OP_QDIV, BITS, taken) != 0);
        fewer += !possible && with_room(taken);
    }
    assert_int_not_equal(fewer, 0);
}

/* A target that must have room has it, or there is none. */
static void room_where_it_must_be(void **state) {
    (void)state;
    unsigned fewer = 0;
    for (uint32_t taken = 2 * BITS, most = most_rows(); taken <= most + 1; taken += 7) {
        uint32_t there = with_room_beside(OP_QDIV, BITS, taken);
        for (uint32_t t = 0, all = rows_targets_of_one_section(); t < ROWS_MOST_TARGETS; t++)
            if (all >> t & 1)
                assert_int_equal(is_possible_on(IR_DIV, true, taken, UINT32_C(1) << t),
                                 there >> t & 1);
        bool everywhere = is_possible_on(IR_DIV, true, taken, rows_targets_of_one_section());
        assert_int_equal(everywhere, there == rows_targets_of_one_section());
        fewer += there && !everywhere;
    }
    assert_int_not_equal(fewer, 0);
}

/* What instructions leave while they are made is what they leave at best with these operands. */
static void room_beside_what_is_made(void **state) {
    (void)state;
    static const enum isa_op ops[] = {OP_ADD, OP_MUL, OP_QDIV, OP_MUL};
    static const uint8_t widths[] = {8, 16, 64, 64};
    unsigned some = 0;
    for (uint32_t taken = 1; taken < 1100; taken += 7) {
        struct rows_made made;
        const struct rows_use use = use_of(taken);
        uint32_t beside = rows_targets(&use);
        rows_made_start(&made);
        assert_int_equal(rows_made_targets(&made, use.bits), beside);
        for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
            const struct insn x = {.op = ops[k], .width = widths[k], .rs = 0, .rt = 1, .rd = 2};
            rows_made_take(&made, &x);
            uint32_t now = rows_made_targets(&made, use.bits);
            beside &= rows_targets_beside(&x, &use);
            assert_int_equal(now & ~beside, 0);
            some += now && now != rows_targets(&use);
        }
    }
    assert_int_not_equal(some, 0);
}

static void few_rows_leave_room(void **state) {
    (void)state;
    assert_true(is_possible(IR_DIV, true, 2 * BITS));
}

/* What will be left out needs none. */
static void what_nobody_reads_needs_no_rows(void **state) {
    (void)state;
    for (uint32_t taken = 2 * BITS, most = most_rows(); taken <= most; taken += 3)
        assert_true(is_possible(IR_DIV, false, taken));
}

/* More rows are never room on more targets, and the least that an instruction leaves is not more
 * than there is. */
static void room_shrinks(void **state) {
    (void)state;
    static const enum isa_op ops[] = {OP_MOV, OP_ADD, OP_MUL, OP_QDIV, OP_CMPLT};
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
        for (unsigned width = 1; width <= BITS; width++)
            for (uint32_t taken = 1, before = UINT32_MAX; taken < 1100; taken += 7) {
                const struct rows_use use = use_of(taken);
                const struct insn x = {.op = ops[k], .width = (uint8_t)width};
                uint32_t now = rows_targets_beside(&x, &use);
                assert_int_equal(now & ~before, 0);
                assert_int_equal(now & ~rows_targets(&use), 0);
                before = now;
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_needs_what_its_instruction_needs),
        cmocka_unit_test(room_where_it_must_be),
        cmocka_unit_test(room_beside_what_is_made),
        cmocka_unit_test(few_rows_leave_room),
        cmocka_unit_test(what_nobody_reads_needs_no_rows),
        cmocka_unit_test(room_shrinks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 * What the ISA forbids jumps, REPEATs and ensembles to do, at link time. */
#include "sources.h"

/* The assembler refuses some of this already; the linker must not rely on it, so the words are
 * put into an object directly. */
static struct insn op(enum isa_op o) {
    return (struct insn){.op = o};
}
static struct insn jump(enum isa_op o, int32_t target) {
    return (struct insn){.op = o, .imm = target};
}
static struct insn compute(unsigned rfh, unsigned vrf) {
    return (struct insn){.op = OP_COMPUTE, .rfh = (uint16_t)rfh, .vrf = (uint16_t)vrf};
}
static struct insn repeat(int32_t n) {
    return (struct insn){.op = OP_REPEAT, .imm = n};
}

static struct object *object_of(const struct insn *insns, size_t count) {
    struct object *o = object_new();
    for (size_t i = 0; i < count; i++)
        add_insn(o, insns[i]);
    return o;
}

static void add_sub(struct object *o, const char *name, uint32_t first, uint32_t length) {
    struct symbol s = {.name = name,
                       .kind = SYMBOL_SUB,
                       .defined = true,
                       .value = first,
                       .length = length,
                       .place = NOWHERE};
    vec_push(&o->symbols, s);
}

/* error == NULL: the link must succeed. */
static void expect_link(struct object *o, const char *error) {
    struct diag *d = diag_new(NULL, NULL);
    const struct object *inputs[] = {o};
    struct object *p = link_objects(inputs, 1, NULL, d);
    if (!error && !p)
        fail_msg("%s", diag_first(d));
    if (error) {
        assert_null(p);
        assert_error(d, error);
    }
    object_free(p);
    object_free(o);
    diag_free(d);
}

#define CASE(error, ...)                                                                           \
    do {                                                                                           \
        const struct insn insns[] = {__VA_ARGS__};                                                 \
        expect_link(object_of(insns, sizeof insns / sizeof *insns), error);                        \
    } while (0)

static void jumps_and_repeats(void **state) {
    (void)state;
    CASE(NULL, repeat(3), op(OP_NOP), jump(OP_GOTO, 1), op(OP_REPEAT_END));
    CASE(NULL, jump(OP_GOTO, 1), repeat(3), op(OP_NOP),
         op(OP_REPEAT_END));                                    /* to the REPEAT itself */
    CASE(NULL, repeat(3), jump(OP_GOTO, 2), op(OP_REPEAT_END)); /* the next round */
    CASE("GOTO at instruction 0 jumps into a REPEAT", jump(OP_GOTO, 2), repeat(3), op(OP_NOP),
         op(OP_REPEAT_END));
    CASE("GOTO at instruction 0 jumps into a REPEAT", jump(OP_GOTO, 2), repeat(3),
         op(OP_REPEAT_END));
    CASE("GOTO at instruction 1 jumps out of a REPEAT", repeat(3), jump(OP_GOTO, 3),
         op(OP_REPEAT_END), op(OP_NOP));
    CASE("GOTO at instruction 1 jumps out of a REPEAT", repeat(3), jump(OP_GOTO, 0),
         op(OP_REPEAT_END));
    CASE("JUMP_ANY at instruction 2 jumps out of a REPEAT", repeat(3), repeat(3),
         jump(OP_JUMP_ANY, 4), op(OP_REPEAT_END), op(OP_REPEAT_END));
    CASE("GOTO at instruction 1 jumps into a REPEAT", repeat(2), jump(OP_GOTO, 4),
         op(OP_REPEAT_END), repeat(3), op(OP_NOP), op(OP_REPEAT_END));
    CASE("JUMP at instruction 0 jumps into a REPEAT", jump(OP_JUMP, 2), repeat(3), op(OP_NOP),
         op(OP_REPEAT_END));
    CASE(NULL, repeat(3), jump(OP_JUMP, 4), op(OP_REPEAT_END), op(OP_HALT), op(OP_RETURN));
}

static void repeats_are_balanced(void **state) {
    (void)state;
    CASE("REPEAT at instruction 1 has no REPEAT_END before the end of the text", op(OP_NOP),
         repeat(3));
    CASE("REPEAT_END at instruction 1 has no REPEAT in the same text", op(OP_NOP),
         op(OP_REPEAT_END));
    CASE("REPEAT at instruction 1 has no REPEAT_END before the end of the ensemble", compute(0, 0),
         repeat(3), op(OP_COMPUTE_DONE), op(OP_REPEAT_END));
    CASE("REPEAT_END at instruction 2 has no REPEAT in the same ensemble", repeat(2), compute(0, 0),
         op(OP_REPEAT_END), op(OP_COMPUTE_DONE));
    CASE(NULL, repeat(1), repeat(1), repeat(1), repeat(1), compute(0, 0), repeat(1), repeat(1),
         repeat(1), repeat(1), op(OP_REPEAT_END), op(OP_REPEAT_END), op(OP_REPEAT_END),
         op(OP_REPEAT_END), op(OP_COMPUTE_DONE), op(OP_REPEAT_END), op(OP_REPEAT_END),
         op(OP_REPEAT_END), op(OP_REPEAT_END));
    CASE("REPEAT at instruction 4 is nested more than 4 deep", repeat(1), repeat(1), repeat(1),
         repeat(1), repeat(1), op(OP_REPEAT_END), op(OP_REPEAT_END), op(OP_REPEAT_END),
         op(OP_REPEAT_END), op(OP_REPEAT_END));
}

static void jumps_and_ensembles(void **state) {
    (void)state;
    CASE(NULL, compute(0, 0), op(OP_NOP), jump(OP_JUMP_COND, 1), jump(OP_JUMP_NONE, 4),
         op(OP_COMPUTE_DONE));
    CASE("JUMP_COND at instruction 1 jumps out of its ensemble", compute(0, 0),
         jump(OP_JUMP_COND, 3), op(OP_COMPUTE_DONE), op(OP_NOP));
    CASE("GOTO at instruction 0 jumps into an ensemble", jump(OP_GOTO, 2), compute(0, 0),
         op(OP_NOP), op(OP_COMPUTE_DONE));
    CASE("GOTO at instruction 1 jumps out of its ensemble", compute(0, 0), jump(OP_GOTO, 0),
         op(OP_COMPUTE_DONE));
    CASE("JUMP_NONE at instruction 1 jumps from one ensemble into another", compute(0, 0),
         jump(OP_JUMP_NONE, 4), op(OP_COMPUTE_DONE), compute(0, 1), op(OP_NOP),
         op(OP_COMPUTE_DONE));
    CASE("JUMP_ANY at instruction 1 stands inside an ensemble", compute(0, 0), jump(OP_JUMP_ANY, 1),
         op(OP_COMPUTE_DONE));
    CASE(NULL, compute(0, 0), op(OP_COMPUTE_DONE), jump(OP_JUMP_ANY, 0));
    CASE(NULL, jump(OP_GOTO, 1)); /* to the end of the text */
    CASE("JUMP calls the end of the text", jump(OP_JUMP, 1));
}

static void moves_stand_at_top_level(void **state) {
    const struct insn inside[] = {compute(0, 0), op(OP_GMOVE), op(OP_COMPUTE_DONE)};
    const struct insn at_top[] = {compute(0, 0), op(OP_COMPUTE_DONE), op(OP_GMOVE)};
    struct move m = {.name = "m",
                     .dst_group = NO_INDEX,
                     .src_group = NO_INDEX,
                     .dst_count = 1,
                     .src_count = 1,
                     .width = 8,
                     .place = NOWHERE};
    (void)state;
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        m.first[d].size = m.last[d].size = m.source[d].size = NO_INDEX;
    struct object *o = object_of(inside, 3);
    vec_push(&o->moves, m);
    expect_link(o,
                "GMOVE at instruction 1 stands inside an ensemble; arrays are moved at top level");
    o = object_of(at_top, 3);
    vec_push(&o->moves, m);
    expect_link(o, NULL);
}

static void ensembles_are_whole(void **state) {
    (void)state;
    CASE("the compute ensemble that begins at instruction 1 has no COMPUTE_DONE", op(OP_NOP),
         compute(0, 0), compute(0, 1), op(OP_NOP));
    CASE("the transfer ensemble that begins at instruction 0 has no MOVE_DONE", op(OP_MOVE));
    CASE("COMPUTE_DONE at instruction 0 ends no compute ensemble", op(OP_COMPUTE_DONE));
    CASE("MOVE_DONE at instruction 1 ends no transfer ensemble", compute(0, 0), op(OP_MOVE_DONE),
         op(OP_COMPUTE_DONE));
    CASE(NULL, compute(0, 0), op(OP_COMPUTE_DONE), op(OP_MOVE), op(OP_MOVE_DONE));
}

static void vrfs_lie_in_the_geometry(void **state) {
    (void)state;
    CASE(NULL, compute(7, 63), op(OP_COMPUTE_DONE));
    CASE("RFH8 does not exist: .geometry has rfhs=8", compute(8, 0), op(OP_COMPUTE_DONE));
    CASE("RFH9 does not exist", {.op = OP_MOVE, .rfh = 1, .vrf = 9}, op(OP_MOVE_DONE));
    const struct insn insns[] = {op(OP_MOVE),
                                 {.op = OP_MEMCPY_8, .width = 8, .vrf_src = 3, .vrf_dst = 16},
                                 op(OP_MOVE_DONE)};
    struct object *o = object_of(insns, 3);
    o->geometry.vrfs = 16;
    expect_link(o, "VRF16 does not exist: .geometry has vrfs=16");
}

static void subroutines_hold_their_jumps(void **state) {
    (void)state;
    const struct insn insns[] = {jump(OP_JUMP, 2), op(OP_HALT),      jump(OP_GOTO, 3),
                                 op(OP_RETURN),    jump(OP_GOTO, 5), op(OP_RETURN)};
    struct object *o = object_of(insns, 6);
    add_sub(o, "f", 2, 2);
    add_sub(o, "g", 4, 2);
    expect_link(o, NULL);
    struct insn bad[6];
    static const struct {
        uint32_t index;
        int32_t target;
        const char *error;
    } cases[] = {{2, 5, "GOTO jumps from subroutine 'f' into 'g'"},
                 {2, 1, "GOTO jumps out of subroutine 'f'"},
                 {1, 3, "GOTO jumps into subroutine 'f'"},
                 {4, 6, "GOTO jumps out of subroutine 'g'"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memcpy(bad, insns, sizeof bad);
        bad[cases[i].index] = jump(OP_GOTO, cases[i].target);
        o = object_of(bad, 6);
        add_sub(o, "f", 2, 2);
        add_sub(o, "g", 4, 2);
        expect_link(o, cases[i].error);
    }
}

static void subroutines_are_apart_and_whole(void **state) {
    (void)state;
    const struct insn insns[] = {op(OP_NOP), op(OP_NOP), op(OP_NOP), op(OP_RETURN)};
    struct object *o = object_of(insns, 4);
    add_sub(o, "f", 0, 3);
    add_sub(o, "g", 2, 2);
    expect_link(o, "subroutines 'f' and 'g' overlap");
    o = object_of(insns, 4);
    add_sub(o, "f", 0, 4);
    add_sub(o, "also", 0, 4);
    expect_link(o, NULL);
    const struct insn open[] = {compute(0, 0), op(OP_NOP), op(OP_COMPUTE_DONE)};
    o = object_of(open, 3);
    add_sub(o, "f", 0, 2);
    expect_link(o, "has no COMPUTE_DONE before the end of the subroutine");
    const struct insn loops[] = {repeat(1),         repeat(1),         repeat(1),
                                 repeat(1),         op(OP_REPEAT_END), op(OP_REPEAT_END),
                                 op(OP_REPEAT_END), op(OP_REPEAT_END)};
    struct insn both[16];
    memcpy(both, loops, sizeof loops);
    memcpy(both + 8, loops, sizeof loops);
    o = object_of(both, 16); /* depth counts per subroutine */
    add_sub(o, "f", 8, 8);
    expect_link(o, NULL);
}

static void all_errors_have_places(void **state) {
    (void)state;
    static const char *const texts[] = {" NOP\nx: NOP\n", " .global x\n NOP\n NOP\n GOTO x+9\n"};
    struct diag *d = diag_new(NULL, NULL);
    assert_null(link_texts(texts, 2, NULL, d));
    assert_error(d, "b.s:4:2: symbol 'x' is not defined");
    diag_free(d);
    const char *const far[] = {" .global x\n NOP\nx: NOP\n", texts[1]};
    d = diag_new(NULL, NULL);
    assert_null(link_texts(far, 2, NULL, d));
    assert_error(d, "b.s:4:2: the jump to 'x' +9 leaves the text of 5 instructions");
    diag_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jumps_and_repeats),
        cmocka_unit_test(repeats_are_balanced),
        cmocka_unit_test(jumps_and_ensembles),
        cmocka_unit_test(moves_stand_at_top_level),
        cmocka_unit_test(ensembles_are_whole),
        cmocka_unit_test(vrfs_lie_in_the_geometry),
        cmocka_unit_test(subroutines_hold_their_jumps),
        cmocka_unit_test(subroutines_are_apart_and_whole),
        cmocka_unit_test(all_errors_have_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

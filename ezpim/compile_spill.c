/* SPDX-License-Identifier: MIT
 * Attempts whose variables lie in VRFs of their own: ever more of them. */
#include "ezpim/compile_attempt.h"
#include "ezpim/ir/split.h"

/* How hard code is made to do with the registers that n of variables leave. */
static unsigned effort_beside(const struct compilation *compilation, unsigned n) {
    if (n < 32 && !compilation->sections) /* widths apart take more registers, which are columns */
        return 3;
    return n < 40 ? 2 : n < 52 ? 1 : 0;
}

/* Variables within a room; false if that is not possible. */
static bool spill_to(struct compilation *compilation, struct ir_room room, struct ir_room whole,
                     unsigned split, struct compile_choice *best) {
    struct attempt a = {.folded = 1,
                        .level = compilation->options->optimize,
                        .effort = effort_beside(compilation, room.registers),
                        .spill = room,
                        .home = whole,
                        .put_in = split > 0,
                        .split = (uint8_t)split};
    a.home.bits = whole.bits * 3 / 4;
    a.home.columns = whole.columns / 2;
    compile_consider(compilation, &a, best);
    return compilation->lacks == IR_NONE;
}

static void spill_within(struct compilation *compilation, struct ir_room whole, unsigned split,
                         struct compile_choice *best) {
    for (unsigned n = IR_REGISTERS;
         n >= 8 && !(best->object && best->fit.all) && !compile_spilled_enough(compilation);
         n -= 4) {
        struct ir_room part = {n, whole.bits * n / IR_REGISTERS, whole.columns * n / IR_REGISTERS,
                               whole.sections};
        if (!spill_to(compilation, part, whole, split, best))
            break;
    }
}

struct compile_choice compile_find_spills(struct compilation *compilation, struct ir_room whole) {
    struct ir_room any = compile_whole_lane(compilation);
    struct compile_choice best = {0};
    if (compilation->options->registers) {
        any.registers = compilation->options->registers;
        spill_to(compilation, any, whole, compilation->options->split, &best);
    }
    for (unsigned split = 0; split <= IR_SPLIT_LANE_VALUES; split++)
        spill_within(compilation, whole, split, &best);
    for (any.registers = IR_REGISTERS;
         any.registers >= 8 && !best.object && !compile_spilled_enough(compilation);
         any.registers -= 4)
        if (!spill_to(compilation, any, whole, 0, &best))
            break;
    return best;
}

/* What most programs are left with (MUL.64; ADD.64 under a mask). */
enum { USUAL_ROWS = 870, USUAL_COLUMNS = 13 };

struct ir_room compile_room_for_spilling(const struct compilation *compilation,
                                         const struct compile_choice *plain) {
    const struct ez_options *o = compilation->options;
    struct ir_room room = {IR_REGISTERS, o->rows ? o->rows : USUAL_ROWS,
                           o->columns ? o->columns : USUAL_COLUMNS, compilation->sections};
    if (plain->object) {
        room.bits = plain->fit.rows;
        room.columns = plain->fit.columns;
    }
    return room;
}

/* SPDX-License-Identifier: MIT
 * Masks of regions.  Between two instructions M is the mask of the region at hand; of the levels
 * around it those that lanes leave early are kept in registers. */
#include "ezpim/code/mask.h"
#include "ezpim/ir/cost.h"
#include "ezpim/ir/touched.h"

#include <stdlib.h>

/* Micro-ops of a region above which it is worth to ask whether any lane needs it: JUMP_NONE waits
 * until all that was issued is done, which is some dozen to hundred cycles. */
enum { WORTH_A_JUMP = 1000 };

struct mask_level {
    bool masked;               /* lanes may leave it before its end: it has a mask of its own */
    bool writes_c;             /* of an IF: its first side overwrites C */
    bool nests;                /* there are masked regions in it */
    uint32_t saved;            /* virtual register with the mask, or IR_NONE while there is none */
    bool enters;               /* of a LOOP: its first lap begins at its test */
    uint32_t last_test;        /* index of its last TEST, or IR_NONE */
    uint64_t work[2];          /* of the region; of the second side of an IF */
    uint32_t enter, head, end; /* labels + 1; 0: not made */
    uint32_t condition; /* of an IF on a comparison: register that keeps what it said, for ELSE */
    bool in_c;          /* of an IF: C holds the condition up to ELSE */
    bool inverted;      /* ... or its opposite */
};

struct masks {
    struct ir_code *ir;
    struct code *out;
    struct mask_level *levels; /* by region */
    bool plain;                /* all valid lanes are enabled in region 0 */
    /* What the comparison in front of a mark left in C. */
    const struct ir_insn *taken;
    bool taken_inverted;
};

static const struct lane_type mask_type = {TYPE_BOOL, 1};

static bool overwrites_c(const struct ir_insn *insn) {
    if (insn->op == IR_MACHINE)
        return isa_info((enum isa_op)insn->machine)->flags & WRITES_C;
    return ir_op_compares(insn->op) || insn->op == IR_ASSERT || insn->op == IR_CALL ||
           insn->op == IR_TEST || insn->op == IR_ELSE;
}

/* Lanes leave the regions from the innermost one out to `target`. */
static void study_exit(struct masks *masks, uint32_t from, uint32_t target) {
    const struct ir_region *regions = masks->ir->regions.data;
    for (uint32_t r = from; r != regions[target].parent; r = regions[r].parent)
        masks->levels[r].masked = true;
}

static void study_mark(struct masks *masks, const struct ir_insn *insn, size_t index,
                       uint32_t region) {
    struct mask_level *l = &masks->levels[insn->region];
    if (insn->op == IR_IF || insn->op == IR_LOOP)
        l->masked = true;
    if (insn->op == IR_TEST) {
        l->masked = true;
        l->last_test = (uint32_t)index;
    }
    l->enters |= insn->op == IR_ENTER;
    if (insn->op == IR_EXIT)
        study_exit(masks, region, insn->region);
}

/* Adds the work of a region that ends to the one around it. */
static void study_end(struct masks *masks, uint32_t region, bool second_side) {
    uint32_t parent = masks->ir->regions.data[region].parent;
    struct mask_level *l = &masks->levels[region], *around = &masks->levels[parent];
    uint64_t work = l->work[0] + l->work[1];
    if (masks->ir->regions.data[region].op == IR_LOOP ||
        masks->ir->regions.data[region].op == IR_REPEAT)
        work *= 4; /* a guess */
    around->work[second_side] += work;
    around->nests |= l->masked || l->nests;
}

/* An instruction that writes C spoils the first sides of all IFs around it. */
static void study_condition(struct masks *masks, const struct ir_insn *insn, uint32_t region,
                            const bool *second) {
    const struct ir_region *regions = masks->ir->regions.data;
    if (!overwrites_c(insn))
        return;
    for (uint32_t r = insn->op == IR_ELSE ? regions[region].parent : region; r != IR_NONE;
         r = regions[r].parent)
        masks->levels[r].writes_c |= !second[r];
}

static void study(struct masks *masks) {
    bool *second = xcalloc(masks->ir->regions.len, sizeof *second);
    uint32_t region = 0;
    for (size_t k = 0; k < masks->ir->insns.len; k++) {
        const struct ir_insn *i = &masks->ir->insns.data[k];
        study_condition(masks, i, region, second);
        if (!ir_is_mark(i->op)) {
            masks->levels[region].work[second[region]] += ir_cost(i);
            continue;
        }
        study_mark(masks, i, k, region);
        if (i->op == IR_ELSE)
            second[i->region] = true;
        if (i->op == IR_END)
            study_end(masks, i->region, second[masks->ir->regions.data[i->region].parent]);
        region = ir_region_behind(masks->ir, i, region);
    }
    free(second);
}

struct masks *code_mask_open(struct ir_code *ir, struct code *out) {
    struct masks *m = xcalloc(1, sizeof *m);
    *m = (struct masks){.ir = ir, .out = out, .plain = !ir->is_sub};
    m->levels = xcalloc(ir->regions.len, sizeof *m->levels);
    free(out->stretches);
    out->stretches = xcalloc(ir->regions.len, sizeof *out->stretches);
    for (size_t r = 0; r < ir->regions.len; r++)
        m->levels[r].saved = m->levels[r].last_test = m->levels[r].condition = IR_NONE;
    study(m);
    return m;
}

void code_mask_close(struct masks *masks) {
    masks->out->stretches[0].end = (uint32_t)masks->out->insns.len;
    free(masks->levels);
    free(masks);
}

static struct code_insn *put(struct masks *masks, enum isa_op op, uint32_t rs, uint32_t rd,
                             struct span at) {
    return code_put(masks->out, op, isa_info(op)->flags & ISA_WIDTH ? 1 : 0, rs, IR_NONE, rd, at);
}

static uint32_t label(struct masks *masks, uint32_t *number) {
    if (!*number)
        *number = ++masks->out->labels;
    return *number - 1;
}

static void put_label(struct masks *masks, uint32_t *number, struct span at) {
    struct code_insn *i = put(masks, OP_NOP, IR_NONE, IR_NONE, at);
    i->kind = CODE_LABEL;
    i->value = label(masks, number);
}

static void put_jump(struct masks *masks, enum isa_op op, uint32_t *number, struct span at) {
    struct code_insn *i = put(masks, op, IR_NONE, IR_NONE, at);
    i->kind = CODE_JUMP;
    i->value = label(masks, number);
}

/* The region whose level `region` runs under. */
static uint32_t level_of(const struct masks *masks, uint32_t region) {
    while (region != 0 && !masks->levels[region].masked)
        region = masks->ir->regions.data[region].parent;
    return region;
}

static uint32_t level_around(const struct masks *masks, uint32_t region) {
    return level_of(masks, masks->ir->regions.data[region].parent);
}

static bool is_plain(const struct masks *masks, uint32_t level) {
    return level == 0 && masks->plain && !masks->levels[0].masked;
}

/* Keeps the mask of a level, which is M now. */
static void save(struct masks *masks, uint32_t level, struct span at) {
    struct mask_level *l = &masks->levels[level];
    if (is_plain(masks, level) || l->saved != IR_NONE)
        return;
    l->saved = ir_vreg(masks->ir, mask_type, NULL, at);
    masks->ir->vregs.data[l->saved].home = level;
    put(masks, OP_GETMASK, IR_NONE, l->saved, at)->every_lane = true;
}

static void restore(struct masks *masks, uint32_t level, struct span at) {
    if (is_plain(masks, level))
        put(masks, OP_UNMASK, IR_NONE, IR_NONE, at);
    else
        put(masks, OP_SETMASK, masks->levels[level].saved, IR_NONE, at);
}

/* M = M and the value, or not the value. */
static void narrow(struct masks *masks, const struct ir_insn *insn, bool opposite, struct span at) {
    if (masks->taken == insn)
        put(masks, opposite != masks->taken_inverted ? OP_ANDNMASK : OP_ANDMASK_COND, IR_NONE,
            IR_NONE, at);
    else if (!opposite)
        put(masks, OP_ANDMASK, insn->a, IR_NONE, at);
    else {
        put(masks, OP_SETC, insn->a, IR_NONE, at);
        put(masks, OP_ANDNMASK, IR_NONE, IR_NONE, at);
    }
}

void code_mask_take_condition(struct masks *masks, const struct ir_insn *mark, uint32_t value,
                              bool inverted) {
    masks->taken = mark;
    masks->taken_inverted = inverted;
    if (mark->op != IR_IF)
        return;
    struct mask_level *l = &masks->levels[mark->region];
    l->in_c = !l->writes_c;
    l->inverted = inverted;
    l->condition = value;
    if (l->in_c)
        return;
    put(masks, OP_GETC, IR_NONE, value, mark->at);
}

void code_mask_enable(struct masks *masks, const struct ir_insn *insn) {
    if (masks->taken != insn)
        put(masks, OP_SETMASK, insn->a, IR_NONE, insn->at);
    else
        put(masks, masks->taken_inverted ? OP_ANDNMASK : OP_SETMASK_COND, IR_NONE, IR_NONE,
            insn->at);
    masks->taken = NULL;
}

void code_mask_called(struct masks *masks, const struct ir_insn *insn) {
    if (insn->call->sub->masks && is_plain(masks, level_of(masks, masks->ir->region)))
        put(masks, OP_UNMASK, IR_NONE, IR_NONE, insn->at);
}

static void select_if(struct masks *masks, const struct ir_insn *insn) {
    struct mask_level *l = &masks->levels[insn->region];
    bool taken = masks->taken == insn;
    save(masks, level_around(masks, insn->region), insn->at);
    narrow(masks, insn, false, insn->at);
    if (!taken) {
        l->condition = IR_NONE;
        l->in_c = false;
        l->inverted = false;
    }
    if (l->work[0] >= WORTH_A_JUMP)
        put_jump(masks, OP_JUMP_NONE, &l->head, insn->at);
}

/* C is as IF left it in the lanes that come now, unless something in between wrote it. */
static void select_else(struct masks *masks, const struct ir_insn *insn) {
    struct mask_level *l = &masks->levels[insn->region];
    if (l->head)
        put_label(masks, &l->head, insn->at);
    restore(masks, level_around(masks, insn->region), insn->at);
    l->saved = IR_NONE;
    if (!l->in_c) /* what IF read may have been overwritten: ELSE says where it is now */
        put(masks, OP_SETC, l->condition == IR_NONE ? insn->a : l->condition, IR_NONE, insn->at);
    put(masks, l->inverted ? OP_ANDMASK_COND : OP_ANDNMASK, IR_NONE, IR_NONE, insn->at);
    if (l->work[1] >= WORTH_A_JUMP)
        put_jump(masks, OP_JUMP_NONE, &l->end, insn->at);
}

/* A loop begins at its test; where that takes no instructions, at its head. */
static void select_loop(struct masks *masks, const struct ir_insn *insn, size_t index) {
    struct mask_level *l = &masks->levels[insn->region];
    save(masks, level_around(masks, insn->region), insn->at);
    if (l->enters && masks->ir->insns.data[index + 1].op != IR_NEXT)
        put_jump(masks, OP_GOTO, &l->enter, insn->at);
    put_label(masks, &l->head, insn->at);
}

static void select_repeat(struct masks *masks, const struct ir_insn *insn) {
    if (masks->levels[insn->region].nests || masks->levels[insn->region].masked)
        save(masks, level_around(masks, insn->region), insn->at);
    struct code_insn *c = put(masks, OP_REPEAT, IR_NONE, IR_NONE, insn->at);
    c->kind = CODE_REPEAT;
    c->size = insn->size;
    c->value = insn->imm;
}

static void select_test(struct masks *masks, const struct ir_insn *insn, size_t index) {
    struct mask_level *l = &masks->levels[insn->region];
    narrow(masks, insn, insn->imm, insn->at);
    l->saved = IR_NONE;
    if (masks->ir->regions.data[insn->region].op == IR_LOOP)
        return;
    if (index == l->last_test && l->work[0] >= WORTH_A_JUMP)
        put_jump(masks, OP_JUMP_NONE, &l->end, insn->at);
}

/* Strikes the lanes from the levels between here and the region that they leave. */
static void select_exit(struct masks *masks, const struct ir_insn *insn) {
    uint32_t here = masks->ir->region;
    for (uint32_t r = here; r != insn->region;) {
        r = masks->ir->regions.data[r].parent;
        if (masks->levels[r].saved != IR_NONE)
            put(masks, OP_INIT0, IR_NONE, masks->levels[r].saved, insn->at);
    }
    if (masks->ir->regions.data[here].op == IR_LOOP) /* no lane is left in the loop */
        put_jump(masks, OP_GOTO, &masks->levels[here].end, insn->at);
}

/* True if what follows brings back a mask of its own, whatever M is. */
static bool restored_anyway(const struct masks *masks, const struct ir_insn *insn, size_t index) {
    const struct ir_insn *next = &masks->ir->insns.data[index + 1];
    uint32_t around = masks->ir->regions.data[insn->region].parent;
    if (index + 1 >= masks->ir->insns.len || next->region != around || !ir_is_mark(next->op))
        return false;
    return next->op == IR_ELSE || (next->op == IR_END && masks->levels[around].masked &&
                                   masks->ir->regions.data[around].op != IR_LOOP);
}

static void select_end(struct masks *masks, const struct ir_insn *insn, size_t index) {
    struct mask_level *l = &masks->levels[insn->region];
    uint8_t op = masks->ir->regions.data[insn->region].op;
    if (op == IR_LOOP)
        put_jump(masks, OP_JUMP_COND, &l->head, insn->at);
    if (op == IR_REPEAT)
        put(masks, OP_REPEAT_END, IR_NONE, IR_NONE, insn->at);
    if (l->end)
        put_label(masks, &l->end, insn->at);
    if (l->masked && !restored_anyway(masks, insn, index))
        restore(masks, level_around(masks, insn->region), insn->at);
    masks->out->stretches[insn->region].end = (uint32_t)masks->out->insns.len;
}

void code_mask_select(struct masks *masks, const struct ir_insn *insn, size_t index) {
    if (ir_opens(insn->op))
        masks->out->stretches[insn->region].begin = (uint32_t)masks->out->insns.len;
    switch ((enum ir_op)insn->op) {
    case IR_BLOCK:
        if (masks->levels[insn->region].masked)
            save(masks, level_around(masks, insn->region), insn->at);
        break;
    case IR_IF:
        select_if(masks, insn);
        break;
    case IR_ELSE:
        select_else(masks, insn);
        break;
    case IR_LOOP:
        select_loop(masks, insn, index);
        break;
    case IR_REPEAT:
        select_repeat(masks, insn);
        break;
    case IR_ENTER: /* the first lap has not been through the body */
        masks->levels[insn->region].saved = IR_NONE;
        if (masks->levels[insn->region].enter)
            put_label(masks, &masks->levels[insn->region].enter, insn->at);
        break;
    case IR_TEST:
        select_test(masks, insn, index);
        break;
    case IR_EXIT:
        select_exit(masks, insn);
        break;
    case IR_END:
        select_end(masks, insn, index);
        break;
    default:
        break;
    }
    masks->taken = NULL;
}

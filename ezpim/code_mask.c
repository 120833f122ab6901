/* SPDX-License-Identifier: MIT
 * Masks of regions.  Between two instructions M is the mask of the region at hand; of the levels
 * around it those that lanes leave early are kept in registers. */
#include "ezpim/code_mask.h"
#include "ezpim/ir_cost.h"
#include "ezpim/ir_touched.h"

#include <stdlib.h>

/* Micro-ops of a region above which it is worth to ask whether any lane needs it: JUMP_NONE waits
 * until all that was issued is done, which is some dozen to hundred cycles. */
enum { WORTH_A_JUMP = 1000 };

struct level {
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
    struct level *levels; /* by region */
    bool plain;           /* all valid lanes are enabled in region 0 */
    /* What the comparison in front of a mark left in C. */
    const struct ir_insn *taken;
    bool taken_inverted;
};

static const struct mpu_type mask_type = {TYPE_BOOL, 1};

static bool overwrites_c(const struct ir_insn *i) {
    if (i->op == IR_MACHINE)
        return isa_info((enum mpu_op)i->machine)->flags & WRITES_C;
    return ir_op_compares(i->op) || i->op == IR_ASSERT || i->op == IR_CALL || i->op == IR_TEST ||
           i->op == IR_ELSE;
}

/* Lanes leave the regions from the innermost one out to `target`. */
static void study_exit(struct masks *m, uint32_t from, uint32_t target) {
    const struct ir_region *regions = m->ir->regions.data;
    for (uint32_t r = from; r != regions[target].parent; r = regions[r].parent)
        m->levels[r].masked = true;
}

static void study_mark(struct masks *m, const struct ir_insn *i, size_t index, uint32_t region) {
    struct level *l = &m->levels[i->region];
    if (i->op == IR_IF || i->op == IR_LOOP)
        l->masked = true;
    if (i->op == IR_TEST) {
        l->masked = true;
        l->last_test = (uint32_t)index;
    }
    l->enters |= i->op == IR_ENTER;
    if (i->op == IR_EXIT)
        study_exit(m, region, i->region);
}

/* Adds the work of a region that ends to the one around it. */
static void study_end(struct masks *m, uint32_t region, bool second_side) {
    uint32_t parent = m->ir->regions.data[region].parent;
    struct level *l = &m->levels[region], *around = &m->levels[parent];
    uint64_t work = l->work[0] + l->work[1];
    if (m->ir->regions.data[region].op == IR_LOOP || m->ir->regions.data[region].op == IR_REPEAT)
        work *= 4; /* a guess */
    around->work[second_side] += work;
    around->nests |= l->masked || l->nests;
}

/* An instruction that writes C spoils the first sides of all IFs around it. */
static void study_condition(struct masks *m, const struct ir_insn *i, uint32_t region,
                            const bool *second) {
    const struct ir_region *regions = m->ir->regions.data;
    if (!overwrites_c(i))
        return;
    for (uint32_t r = i->op == IR_ELSE ? regions[region].parent : region; r != IR_NONE;
         r = regions[r].parent)
        m->levels[r].writes_c |= !second[r];
}

static void study(struct masks *m) {
    bool *second = xcalloc(m->ir->regions.len, sizeof *second);
    uint32_t region = 0;
    for (size_t k = 0; k < m->ir->insns.len; k++) {
        const struct ir_insn *i = &m->ir->insns.data[k];
        study_condition(m, i, region, second);
        if (!ir_is_mark(i->op)) {
            m->levels[region].work[second[region]] += ir_cost(i);
            continue;
        }
        study_mark(m, i, k, region);
        if (i->op == IR_ELSE)
            second[i->region] = true;
        if (i->op == IR_END)
            study_end(m, i->region, second[m->ir->regions.data[i->region].parent]);
        region = ir_region_behind(m->ir, i, region);
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

void code_mask_close(struct masks *m) {
    m->out->stretches[0].end = (uint32_t)m->out->insns.len;
    free(m->levels);
    free(m);
}

static struct code_insn *put(struct masks *m, enum mpu_op op, uint32_t rs, uint32_t rd,
                             struct span at) {
    return code_put(m->out, op, isa_info(op)->flags & ISA_WIDTH ? 1 : 0, rs, IR_NONE, rd, at);
}

static uint32_t label(struct masks *m, uint32_t *number) {
    if (!*number)
        *number = ++m->out->labels;
    return *number - 1;
}

static void put_label(struct masks *m, uint32_t *number, struct span at) {
    struct code_insn *i = put(m, OP_NOP, IR_NONE, IR_NONE, at);
    i->kind = CODE_LABEL;
    i->value = label(m, number);
}

static void put_jump(struct masks *m, enum mpu_op op, uint32_t *number, struct span at) {
    struct code_insn *i = put(m, op, IR_NONE, IR_NONE, at);
    i->kind = CODE_JUMP;
    i->value = label(m, number);
}

/* The region whose level `region` runs under. */
static uint32_t level_of(const struct masks *m, uint32_t region) {
    while (region != 0 && !m->levels[region].masked)
        region = m->ir->regions.data[region].parent;
    return region;
}

static uint32_t level_around(const struct masks *m, uint32_t region) {
    return level_of(m, m->ir->regions.data[region].parent);
}

static bool is_plain(const struct masks *m, uint32_t level) {
    return level == 0 && m->plain && !m->levels[0].masked;
}

/* Keeps the mask of a level, which is M now. */
static void save(struct masks *m, uint32_t level, struct span at) {
    struct level *l = &m->levels[level];
    if (is_plain(m, level) || l->saved != IR_NONE)
        return;
    l->saved = ir_vreg(m->ir, mask_type, NULL, at);
    m->ir->vregs.data[l->saved].home = level;
    put(m, OP_GETMASK, IR_NONE, l->saved, at)->every_lane = true;
}

static void restore(struct masks *m, uint32_t level, struct span at) {
    if (is_plain(m, level))
        put(m, OP_UNMASK, IR_NONE, IR_NONE, at);
    else
        put(m, OP_SETMASK, m->levels[level].saved, IR_NONE, at);
}

/* M = M and the value, or not the value. */
static void narrow(struct masks *m, const struct ir_insn *i, bool opposite, struct span at) {
    if (m->taken == i)
        put(m, opposite != m->taken_inverted ? OP_ANDNMASK : OP_ANDMASK_COND, IR_NONE, IR_NONE, at);
    else if (!opposite)
        put(m, OP_ANDMASK, i->a, IR_NONE, at);
    else {
        put(m, OP_SETC, i->a, IR_NONE, at);
        put(m, OP_ANDNMASK, IR_NONE, IR_NONE, at);
    }
}

void code_mask_take_condition(struct masks *m, const struct ir_insn *mark, uint32_t value,
                              bool inverted) {
    m->taken = mark;
    m->taken_inverted = inverted;
    if (mark->op != IR_IF)
        return;
    struct level *l = &m->levels[mark->region];
    l->in_c = !l->writes_c;
    l->inverted = inverted;
    l->condition = value;
    if (l->in_c)
        return;
    put(m, OP_GETC, IR_NONE, value, mark->at);
}

void code_mask_enable(struct masks *m, const struct ir_insn *i) {
    if (m->taken != i)
        put(m, OP_SETMASK, i->a, IR_NONE, i->at);
    else
        put(m, m->taken_inverted ? OP_ANDNMASK : OP_SETMASK_COND, IR_NONE, IR_NONE, i->at);
    m->taken = NULL;
}

void code_mask_called(struct masks *m, const struct ir_insn *i) {
    if (i->call->sub->masks && is_plain(m, level_of(m, m->ir->region)))
        put(m, OP_UNMASK, IR_NONE, IR_NONE, i->at);
}

static void select_if(struct masks *m, const struct ir_insn *i) {
    struct level *l = &m->levels[i->region];
    bool taken = m->taken == i;
    save(m, level_around(m, i->region), i->at);
    narrow(m, i, false, i->at);
    if (!taken) {
        l->condition = IR_NONE;
        l->in_c = false;
        l->inverted = false;
    }
    if (l->work[0] >= WORTH_A_JUMP)
        put_jump(m, OP_JUMP_NONE, &l->head, i->at);
}

/* C is as IF left it in the lanes that come now, unless something in between wrote it. */
static void select_else(struct masks *m, const struct ir_insn *i) {
    struct level *l = &m->levels[i->region];
    if (l->head)
        put_label(m, &l->head, i->at);
    restore(m, level_around(m, i->region), i->at);
    l->saved = IR_NONE;
    if (!l->in_c) /* what IF read may have been overwritten: ELSE says where it is now */
        put(m, OP_SETC, l->condition == IR_NONE ? i->a : l->condition, IR_NONE, i->at);
    put(m, l->inverted ? OP_ANDMASK_COND : OP_ANDNMASK, IR_NONE, IR_NONE, i->at);
    if (l->work[1] >= WORTH_A_JUMP)
        put_jump(m, OP_JUMP_NONE, &l->end, i->at);
}

/* A loop begins at its test; where that takes no instructions, at its head. */
static void select_loop(struct masks *m, const struct ir_insn *i, size_t index) {
    struct level *l = &m->levels[i->region];
    save(m, level_around(m, i->region), i->at);
    if (l->enters && m->ir->insns.data[index + 1].op != IR_NEXT)
        put_jump(m, OP_GOTO, &l->enter, i->at);
    put_label(m, &l->head, i->at);
}

static void select_repeat(struct masks *m, const struct ir_insn *i) {
    if (m->levels[i->region].nests || m->levels[i->region].masked)
        save(m, level_around(m, i->region), i->at);
    struct code_insn *c = put(m, OP_REPEAT, IR_NONE, IR_NONE, i->at);
    c->kind = CODE_REPEAT;
    c->size = i->size;
    c->value = i->imm;
}

static void select_test(struct masks *m, const struct ir_insn *i, size_t index) {
    struct level *l = &m->levels[i->region];
    narrow(m, i, i->imm, i->at);
    l->saved = IR_NONE;
    if (m->ir->regions.data[i->region].op == IR_LOOP)
        return;
    if (index == l->last_test && l->work[0] >= WORTH_A_JUMP)
        put_jump(m, OP_JUMP_NONE, &l->end, i->at);
}

/* Strikes the lanes from the levels between here and the region that they leave. */
static void select_exit(struct masks *m, const struct ir_insn *i) {
    uint32_t here = m->ir->region;
    for (uint32_t r = here; r != i->region;) {
        r = m->ir->regions.data[r].parent;
        if (m->levels[r].saved != IR_NONE)
            put(m, OP_INIT0, IR_NONE, m->levels[r].saved, i->at);
    }
    if (m->ir->regions.data[here].op == IR_LOOP) /* no lane is left in the loop */
        put_jump(m, OP_GOTO, &m->levels[here].end, i->at);
}

/* True if what follows brings back a mask of its own, whatever M is. */
static bool restored_anyway(const struct masks *m, const struct ir_insn *i, size_t index) {
    const struct ir_insn *next = &m->ir->insns.data[index + 1];
    uint32_t around = m->ir->regions.data[i->region].parent;
    if (index + 1 >= m->ir->insns.len || next->region != around || !ir_is_mark(next->op))
        return false;
    return next->op == IR_ELSE || (next->op == IR_END && m->levels[around].masked &&
                                   m->ir->regions.data[around].op != IR_LOOP);
}

static void select_end(struct masks *m, const struct ir_insn *i, size_t index) {
    struct level *l = &m->levels[i->region];
    uint8_t op = m->ir->regions.data[i->region].op;
    if (op == IR_LOOP)
        put_jump(m, OP_JUMP_COND, &l->head, i->at);
    if (op == IR_REPEAT)
        put(m, OP_REPEAT_END, IR_NONE, IR_NONE, i->at);
    if (l->end)
        put_label(m, &l->end, i->at);
    if (l->masked && !restored_anyway(m, i, index))
        restore(m, level_around(m, i->region), i->at);
    m->out->stretches[i->region].end = (uint32_t)m->out->insns.len;
}

void code_mask_select(struct masks *m, const struct ir_insn *i, size_t index) {
    if (ir_opens(i->op))
        m->out->stretches[i->region].begin = (uint32_t)m->out->insns.len;
    switch ((enum ir_op)i->op) {
    case IR_BLOCK:
        if (m->levels[i->region].masked)
            save(m, level_around(m, i->region), i->at);
        break;
    case IR_IF:
        select_if(m, i);
        break;
    case IR_ELSE:
        select_else(m, i);
        break;
    case IR_LOOP:
        select_loop(m, i, index);
        break;
    case IR_REPEAT:
        select_repeat(m, i);
        break;
    case IR_ENTER: /* the first lap has not been through the body */
        m->levels[i->region].saved = IR_NONE;
        if (m->levels[i->region].enter)
            put_label(m, &m->levels[i->region].enter, i->at);
        break;
    case IR_TEST:
        select_test(m, i, index);
        break;
    case IR_EXIT:
        select_exit(m, i);
        break;
    case IR_END:
        select_end(m, i, index);
        break;
    default:
        break;
    }
    m->taken = NULL;
}

/* SPDX-License-Identifier: MIT */
#include "tests/elastic/programs.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <stdlib.h>

enum { DATA_REGS = 6, LAST_REG = 18, SUBS = 2 };

struct draw {
    const struct ref_draw *what;
    uint64_t state;
    struct str *out;
    enum isa_op ops[OP_COUNT];
    uint32_t op_count;
    unsigned widths[3];
    unsigned next_reg; /* registers that a construct has to itself */
    uint32_t labels;
    uint32_t weight; /* how often what is drawn is carried out, about */
    int64_t budget;
    uint32_t subs; /* subroutines of bodies that may be called: from this one on */
};

static uint32_t below(struct draw *d, uint32_t n) {
    return (uint32_t)((splitmix64(&d->state) >> 33) % n);
}

static bool chance(struct draw *d, uint32_t percent) {
    return below(d, 100) < percent;
}

static unsigned reg(struct draw *d) {
    return below(d, DATA_REGS);
}

static unsigned width(struct draw *d) {
    return d->widths[below(d, 3)];
}

#define line(d, ...) str_printf((d)->out, __VA_ARGS__)

/* ---- vector instructions ---- */

/* Costly ones are kept narrow. */
static bool is_costly(enum isa_op op) {
    return op == OP_MUL || op == OP_MAC || op == OP_MULI || (op >= OP_QDIV && op <= OP_FLMOD);
}

static bool draws(const struct ref_draw *what, enum isa_op op) {
    const struct isa_info *info = isa_info(op);
    return what->allowed[op] && (info->flags & ISA_VECTOR) && !isa_has_table(op) &&
           !isa_has_shape(op) &&
           !(info->flags & (ISA_UNMASKED | ISA_RESERVED | ISA_USER | WRITES_M));
}

static void fill_operand(struct draw *d, struct insn *x, unsigned role) {
    switch (role) {
    case ROLE_RS:
        x->rs = (uint8_t)reg(d);
        break;
    case ROLE_RT:
        x->rt = (uint8_t)reg(d);
        break;
    case ROLE_RD:
        x->rd = (uint8_t)reg(d);
        break;
    case ROLE_COUNT:
        x->imm = (int32_t)below(d, 8);
        break;
    case ROLE_SRCWIDTH:
        x->imm = 1 + (int32_t)below(d, x->width);
        break;
    case ROLE_IMM:
        x->imm = (int32_t)below(d, 16);
        break;
    default:
        break;
    }
}

static bool try_insn(struct draw *d, enum isa_op op) {
    const struct isa_info *info = isa_info(op);
    struct insn x = {.op = op};
    uint32_t word;
    if (info->flags & ISA_WIDTH)
        x.width = (uint8_t)(is_costly(op) ? 1 + below(d, 4) : width(d));
    for (unsigned k = 0; k < info->operand_count; k++)
        fill_operand(d, &x, info->operands[k]);
    if (isa_encode(&x, &word) != ISA_OK)
        return false;
    isa_format_insn(&x, NULL, d->out);
    str_char(d->out, '\n');
    return true;
}

static void spend(struct draw *d) {
    d->budget -= d->weight;
}

static void vector(struct draw *d) {
    bool done = false;
    for (unsigned tries = 0; tries < 20 && !done; tries++)
        done = try_insn(d, d->ops[below(d, d->op_count)]);
    spend(d);
}

/* What decides nothing. */
static void bubble(struct draw *d) {
    switch (below(d, 6)) {
    case 0:
        line(d, "MARK \"m%u\"\n", (unsigned)below(d, 3));
        break;
    case 1:
        line(d, "PRINT \"p \" r%u:u4\n", reg(d));
        break;
    case 2:
        line(d, "CMPEQ.2 r0 r0\nASSERT \"is\"\n");
        break;
    default:
        line(d, "NOP\n");
    }
    spend(d);
}

static void straight(struct draw *d, uint32_t most) {
    for (uint32_t n = 1 + below(d, most); n && d->budget > 0; n--)
        if (chance(d, 12))
            bubble(d);
        else if (chance(d, 4))
            line(d, "INDEX.%u r%u\n", width(d), reg(d));
        else
            vector(d);
}

/* The same few instructions again and again. */
static void row(struct draw *d) {
    size_t from = d->out->len;
    straight(d, 3);
    struct str copy = {0};
    str_append_n(&copy, str_text(d->out) + from, d->out->len - from);
    for (uint32_t n = 2 + below(d, 20); n && d->budget > 0; n--) {
        str_append_n(d->out, copy.text, copy.len);
        spend(d);
    }
    str_free(&copy);
}

/* ---- bodies ---- */

static void block(struct draw *d, uint32_t depth);

static unsigned own_reg(struct draw *d) {
    return d->next_reg++;
}

/* M = M AND C, also where the target has no ANDMASK. */
static void narrow(struct draw *d, unsigned helper) {
    if (d->what->allowed[OP_ANDMASK_COND] && chance(d, 60))
        line(d, "ANDMASK cond\n");
    else
        line(d, "GETMASK.1 r%u\nGETC.1 r%u\nSETMASK r%u\n", helper, helper, helper);
}

static void if_block(struct draw *d, uint32_t depth) {
    static const char *const compares[] = {"CMPLT", "CMPGT", "CMPEQ"};
    unsigned saved = own_reg(d), helper = own_reg(d);
    uint32_t label = d->labels++;
    bool skips = chance(d, 75) && !d->what->straight;
    line(d, "GETMASK.1 r%u\n%s.%u r%u r%u\n", saved, compares[below(d, 3)], width(d), reg(d),
         reg(d));
    narrow(d, helper);
    if (skips)
        line(d, "JUMP_NONE L%u\n", (unsigned)label);
    block(d, depth + 1);
    line(d, "L%u: SETMASK r%u\n", (unsigned)label, saved);
}

/* Lanes go round as often as the two low bits of a register say. */
static void while_block(struct draw *d, uint32_t depth) {
    unsigned count = own_reg(d), limit = own_reg(d), saved = own_reg(d);
    uint32_t head = d->labels++, past = d->labels++;
    bool skips = chance(d, 50);
    line(d, "LI.3 3 r%u\nAND.3 r%u r%u r%u\nGETMASK.1 r%u\nLI.3 0 r%u\nCMPGT.3 r%u r%u\n", limit,
         reg(d), limit, count, saved, limit, count, limit);
    narrow(d, limit);
    if (skips)
        line(d, "JUMP_NONE L%u\n", (unsigned)past);
    line(d, "L%u:\n", (unsigned)head);
    d->weight *= 2;
    block(d, depth + 1);
    d->weight /= 2;
    line(d, "LI.3 1 r%u\nSUB.3 r%u r%u r%u\nLI.3 0 r%u\nCMPGT.3 r%u r%u\n", limit, count, limit,
         count, limit, count, limit);
    narrow(d, limit);
    line(d, "JUMP_COND L%u\nL%u: SETMASK r%u\n", (unsigned)head, (unsigned)past, saved);
}

static void repeat_block(struct draw *d, uint32_t depth) {
    uint32_t times = chance(d, 20) ? 5 + below(d, 30) : below(d, 5);
    times += !times && d->what->straight;
    uint32_t weight = d->weight;
    line(d, "REPEAT %u\n", (unsigned)times);
    d->weight *= times ? times : 1;
    if (chance(d, 50))
        straight(d, 4);
    else
        block(d, depth + 1);
    d->weight = weight;
    line(d, "REPEAT_END\n");
}

static void skip_forward(struct draw *d) {
    uint32_t label = d->labels++;
    line(d, "GOTO L%u\n", (unsigned)label);
    straight(d, 2);
    line(d, "L%u: NOP\n", (unsigned)label);
}

static void construct(struct draw *d, uint32_t depth) {
    uint32_t kind = below(d, 10);
    bool masks = d->next_reg + 3 <= LAST_REG;
    if (kind < 2 && masks)
        if_block(d, depth);
    else if (kind < 4 && masks && !d->what->straight)
        while_block(d, depth);
    else if (kind < 6)
        repeat_block(d, depth);
    else if (kind == 6)
        skip_forward(d);
    else if (kind == 7 && d->subs < SUBS)
        line(d, "JUMP sub%u\n", (unsigned)(d->subs + below(d, SUBS - d->subs)));
    else if (kind == 8)
        row(d);
}

static void block(struct draw *d, uint32_t depth) {
    for (uint32_t n = 1 + below(d, 3); n; n--) {
        straight(d, 4);
        if (depth < 3 && d->budget > 0)
            construct(d, depth);
    }
}

/* Registers of constructs are free again: what they held is over. */
static void body(struct draw *d) {
    d->next_reg = DATA_REGS;
    d->weight = 1;
    d->budget = d->budget > 4 ? d->budget : 4;
    for (uint32_t n = 1 + below(d, 3); n; n--) {
        block(d, 0);
        if (chance(d, 20))
            line(d, "UNMASK\n");
        else if (chance(d, 20))
            line(d, "SETMASK cond\n");
    }
}

/* Bit 0 and 1: the groups; the others: fixed VRFs. */
static void header(struct draw *d, uint32_t named) {
    named = named ? named : 1;
    if (named & 1)
        line(d, "COMPUTEG @g\n");
    if (named & 2)
        line(d, "COMPUTEG @h\n");
    for (unsigned i = 0; i < 4; i++)
        if (named >> (2 + i) & 1)
            line(d, "COMPUTE RFH%u VRF%u\n", i & 1, i >> 1);
}

static uint32_t any_header(struct draw *d) {
    return chance(d, 50) ? 1 + below(d, 3) : 1 + below(d, 63);
}

static void ensemble(struct draw *d) {
    header(d, any_header(d));
    body(d);
    line(d, "COMPUTE_DONE\n");
}

/* ---- between bodies ---- */

static void transfer(struct draw *d) {
    static const unsigned widths[] = {8, 16, 32, 64};
    for (uint32_t n = 1 + below(d, 3); n; n--)
        line(d, "MOVE RFH%u RFH%u\n", (unsigned)below(d, 2), (unsigned)below(d, 2));
    for (uint32_t n = 1 + below(d, 3); n; n--) {
        if (chance(d, 20))
            line(d, "LANE %s\n", chance(d, 50) ? "reverse" : "shift 1");
        if (chance(d, 20))
            line(d, "%s\n", chance(d, 50) ? "NOP" : "MARK \"t\"");
        bool twice = chance(d, 20);
        if (twice)
            line(d, "REPEAT 2\n");
        line(d, "MEMCPY.%u VRF%u r%u VRF%u r%u\n", widths[chance(d, 80) ? 0 : below(d, 4)],
             (unsigned)below(d, 2), reg(d), (unsigned)below(d, 2), reg(d));
        if (twice)
            line(d, "REPEAT_END\n");
    }
    line(d, "MOVE_DONE\n");
}

/* All send, then all receive; more than a queue holds go round in a cycle, which is broken. */
static void exchange(struct draw *d) {
    uint32_t count = 1 + below(d, 3), to = 1 + below(d, d->what->mpus);
    const char *round = chance(d, 70) ? " wrap" : "";
    for (uint32_t i = 0; i < count; i++) {
        line(d, "SEND MPU+%u%s\n", (unsigned)to, round);
        transfer(d);
        line(d, "SEND_DONE\n");
        if (chance(d, 30))
            ensemble(d);
    }
    for (uint32_t i = 0; i < count; i++)
        line(d, "RECV MPU-%u%s\n", (unsigned)to, round);
}

/* Ensembles until no lane of any MPU has work left. */
static void any_loop(struct draw *d) {
    uint32_t head = d->labels++, named = any_header(d);
    unsigned count = LAST_REG + 1, limit = LAST_REG + 2;
    header(d, named);
    line(d, "LI.3 3 r%u\nAND.3 r%u r%u r%u\nCOMPUTE_DONE\nL%u:\n", limit, reg(d), limit, count,
         (unsigned)head);
    header(d, named);
    line(d, "LI.3 0 r%u\nCMPGT.3 r%u r%u\nSETMASK cond\n", limit, count, limit);
    d->weight = 3;
    straight(d, 3);
    d->weight = 1;
    line(d, "LI.3 1 r%u\nSUB.3 r%u r%u r%u\nCOMPUTE_DONE\n", limit, count, limit, count);
    if (chance(d, 40))
        transfer(d);
    line(d, "JUMP_ANY L%u\n", (unsigned)head);
}

static void part(struct draw *d, uint32_t depth);

static void repeat_parts(struct draw *d, uint32_t depth) {
    uint32_t times = below(d, 4);
    line(d, "REPEAT %u\n", (unsigned)times);
    part(d, depth + 1);
    line(d, "REPEAT_END\n");
}

static void part(struct draw *d, uint32_t depth) {
    for (uint32_t n = 1 + below(d, 3); n; n--) {
        uint32_t kind = below(d, 12);
        if (kind < 2)
            transfer(d);
        else if (kind < 4 && d->what->mpus > 1)
            exchange(d);
        else if (kind == 4 && depth < 2)
            repeat_parts(d, depth);
        else if (kind == 5)
            any_loop(d);
        else if (kind == 6)
            line(d, "MPU_SYNC\n");
        else if (kind == 7)
            line(d, "GMOVE %s\n", chance(d, 50) ? "turn" : "twice");
        else if (kind == 8 && depth == 0)
            line(d, "JUMP top\n");
        else
            ensemble(d);
    }
}

static void declare(struct draw *d) {
    const struct ref_draw *w = d->what;
    uint32_t most = w->vrfs * w->lanes;
    line(d, "        .geometry lanes=%u, vrfs=2, rfhs=2, grid=[%u]\n",
         (unsigned)(1 + below(d, w->lanes)), (unsigned)w->mpus);
    line(d, "        .group g[%u]%s\n", (unsigned)(1 + below(d, most)),
         chance(d, 50) ? " per mpu" : "");
    line(d, "        .group h[%u]\n", (unsigned)(1 + below(d, w->lanes)));
    line(d, "        .var x: u8 @h = r0\n        .var y: u8 @h = r1\n");
    line(d, "        .move turn u8 x[i] = x[i - 1] wrap\n");
    line(d, "        .move twice u8 y[i] = x[2 * i] else 7\n");
}

/* A few of what there is: each costs the host more than to carry it out. */
static void choose_ops(struct draw *d) {
    enum { MOST = 8 };
    for (unsigned op = 0; op < OP_COUNT; op++)
        if (draws(d->what, (enum isa_op)op))
            d->ops[d->op_count++] = (enum isa_op)op;
    for (uint32_t i = 0; i < MOST && i < d->op_count; i++) {
        uint32_t k = i + below(d, d->op_count - i);
        enum isa_op op = d->ops[i];
        d->ops[i] = d->ops[k];
        d->ops[k] = op;
    }
    d->op_count = d->op_count < MOST ? d->op_count : MOST;
}

static void open_draw(struct draw *d) {
    static const unsigned widths[] = {1, 2, 3, 4, 5, 8, 8, 8, 12, 16, 16, 24, 32, 33, 64};
    choose_ops(d);
    for (unsigned i = 0; i < 3; i++)
        d->widths[i] = widths[below(d, sizeof widths / sizeof *widths)];
    d->subs = d->what->straight ? SUBS : 0;
    d->budget = 1 + below(d, d->what->budget);
    d->weight = 1;
}

static void subroutines(struct draw *d) {
    for (d->subs = 1; d->subs <= SUBS; d->subs++) {
        line(d, "sub%u:\n", (unsigned)(d->subs - 1));
        d->next_reg = LAST_REG; /* none of its own: whoever calls it may be in a loop */
        d->budget += 3;
        block(d, 2);
        line(d, "RETURN\n");
    }
    line(d, "top:\n");
    ensemble(d);
    line(d, "RETURN\n");
}

void ref_program_draw(const struct ref_draw *draw, struct str *out) {
    struct draw *d = xcalloc(1, sizeof *d);
    *d = (struct draw){.what = draw, .state = draw->seed, .out = out};
    open_draw(d);
    declare(d);
    if (!draw->straight)
        part(d, 0);
    ensemble(d);
    line(d, "HALT\n");
    if (!draw->straight)
        subroutines(d);
    free(d);
}

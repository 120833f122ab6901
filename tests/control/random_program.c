/* SPDX-License-Identifier: MIT */
#include "random_program.h"

#include "support/bits.h"

#include <stdlib.h>
#include <string.h>

/* Group 0 spans all MPUs and ends in a partly filled VRF; group 1 lies in MPU 1; group 2 lies on a
 * fixed VRF with more lanes than that has, and is always named together with it. */
static struct placement placements[] = {
    {0, 0, 0, 1, 0, 8},  {0, 0, 1, 1, 8, 8},  {0, 1, 0, 1, 16, 8},
    {0, 1, 1, 1, 24, 8}, {0, 2, 0, 0, 32, 8}, {0, 2, 1, 0, 40, 8},
    {0, 2, 0, 1, 48, 3}, {1, 1, 1, 2, 0, 5},  {2, 0, 0, 2, 0, 8},
};
static struct fixed_vrf fixed[] = {
    {0, 0, 0, 0, 0},
    {0, 7, 0, 0, 2}, /* not where its number says; group 2 lies there in MPU 0 */
    {1, 0, 0, 1, 0},
};

void bench_package(struct package *p) {
    *p = (struct package){.lanes = BENCH_LANES,
                          .mpus = BENCH_MPUS,
                          .image_count = BENCH_IMAGE,
                          .placements = placements,
                          .placement_count = sizeof placements / sizeof *placements,
                          .fixed = fixed,
                          .fixed_count = sizeof fixed / sizeof *fixed,
                          .rounds = 1};
    memset(p->reg_bits, 64, sizeof p->reg_bits);
}

/* ---- drawing ---- */

enum { DATA_REGS = 8, FIRST_OWN_REG = DATA_REGS, TOP_SUBS = 2, BODY_SUBS = 3, MAX_OPS = OP_COUNT };

struct draw {
    uint64_t state;
    struct object *o;
    enum isa_op ops[MAX_OPS]; /* that compute, drawn in straight code */
    uint32_t op_count;
    const bool *allowed;
    unsigned next_reg; /* registers that one construct has to itself */
    bool tested_any;
    struct {
        uint32_t word, sub;
    } calls[256];
    uint32_t call_count;
    uint32_t subs[TOP_SUBS + BODY_SUBS];
};

static uint32_t below(struct draw *r, uint32_t n) {
    return (uint32_t)(splitmix64(&r->state) >> 33) % n;
}

static bool chance(struct draw *r, uint32_t percent) {
    return below(r, 100) < percent;
}

static uint32_t here(const struct draw *r) {
    return (uint32_t)r->o->text.len;
}

static bool try_emit(struct draw *r, struct insn x) {
    uint32_t word;
    if (isa_encode(&x, &word) != ISA_OK)
        return false;
    vec_push(&r->o->text, word);
    return true;
}

static void emit(struct draw *r, struct insn x) {
    if (!try_emit(r, x))
        abort();
}

static void plain(struct draw *r, enum isa_op op) {
    emit(r, (struct insn){.op = op});
}

static void number(struct draw *r, enum isa_op op, uint32_t value) {
    emit(r, (struct insn){.op = op, .imm = (int32_t)value});
}

static void patch(struct draw *r, uint32_t at, uint32_t target) {
    struct insn x;
    if (isa_decode(r->o->text.data[at], &x) != ISA_OK)
        abort();
    x.imm = (int32_t)target;
    if (isa_encode(&x, &r->o->text.data[at]) != ISA_OK)
        abort();
}

static unsigned own_reg(struct draw *r) {
    return r->next_reg < 64 ? r->next_reg++ : 0;
}

static bool has_own_regs(const struct draw *r, unsigned n) {
    return r->next_reg + n <= 64;
}

static uint8_t width(struct draw *r) {
    static const uint8_t common[] = {1, 2, 3, 4, 5, 8, 8, 9, 12, 16, 33, 64};
    return chance(r, 88) ? common[below(r, sizeof common)] : (uint8_t)(1 + below(r, 64));
}

/* Costly ones are kept narrow, or the test would spend its time in them. */
static bool costly(enum isa_op op) {
    return op == OP_MUL || op == OP_MAC || op == OP_MULI || (op >= OP_QDIV && op <= OP_FLMOD);
}

/* A table of the program, or a new one; its width is that of the instruction. */
static uint16_t table(struct draw *r) {
    enum { TABLES = 12 };
    struct object *o = r->o;
    if (o->luts.len == TABLES)
        return (uint16_t)below(r, TABLES);
    uint8_t w = width(r), k = (uint8_t)(1 + below(r, w < 7 ? w : 7));
    uint64_t *entries = ARENA_ARRAY(&o->arena, (size_t)1 << k, uint64_t);
    for (size_t i = 0; i < (size_t)1 << k; i++)
        entries[i] = splitmix64(&r->state) & low_bits(w);
    struct lut_decl t = {.name = arena_name(&o->arena, "t", o->luts.len),
                         .table = {k, w, entries},
                         .element_bits = w,
                         .place = {NO_INDEX, 0, 0}};
    vec_push(&o->luts, t);
    return (uint16_t)(o->luts.len - 1);
}

/* A shape of the program, or a new one. */
static uint8_t shape(struct draw *r) {
    enum { SHAPES = 12 };
    struct object *o = r->o;
    if (o->products.len == SHAPES)
        return (uint8_t)below(r, SHAPES);
    struct product_decl p = {.name = arena_name(&o->arena, "p", o->products.len),
                             .product = {.a = (uint8_t)(1 + below(r, 12)),
                                         .b = (uint8_t)(1 + below(r, 12)),
                                         .width = width(r),
                                         .signed_a = chance(r, 50),
                                         .signed_b = chance(r, 50)},
                             .place = {NO_INDEX, 0, 0}};
    p.product.lo = (uint8_t)below(r, p.product.a + p.product.b);
    vec_push(&o->products, p);
    return (uint8_t)(o->products.len - 1);
}

static void straight_one(struct draw *r) {
    enum isa_op op = r->ops[below(r, r->op_count)];
    const struct isa_info *info = isa_info(op);
    for (unsigned tries = 0; tries < 50; tries++) {
        struct insn x = {.op = op, .rs = (uint8_t)below(r, DATA_REGS)};
        x.rt = (uint8_t)below(r, DATA_REGS);
        x.rd = (uint8_t)below(r, DATA_REGS);
        if (isa_has_table(op))
            x.lut = table(r);
        else if (isa_has_shape(op)) {
            x.shape = shape(r);
            isa_set_product(&x, &r->o->products.data[x.shape].product);
        } else if (info->flags & ISA_WIDTH)
            x.width = costly(op) ? (uint8_t)(1 + below(r, 6)) : width(r);
        for (unsigned k = 0; k < info->operand_count; k++) {
            if (info->operands[k] == ROLE_COUNT)
                x.imm = (int32_t)below(r, 64);
            else if (info->operands[k] == ROLE_CONVERSION)
                x.imm = (int32_t)below(r, CONVERSIONS);
            else if (info->operands[k] == ROLE_SRCWIDTH)
                x.imm = 1 + (int32_t)below(r, x.width);
            else if (info->operands[k] == ROLE_IMM)
                x.imm = (int32_t)below(r, chance(r, 50) ? 8 : 4096) - (chance(r, 50) ? 2048 : 0);
        }
        /* Fields that the instruction does not have must be 0. */
        bool rs = false, rt = false, rd = false;
        for (unsigned k = 0; k < info->operand_count; k++) {
            rs |= info->operands[k] == ROLE_RS;
            rt |= info->operands[k] == ROLE_RT;
            rd |= info->operands[k] == ROLE_RD;
        }
        x.rs = rs ? x.rs : 0;
        x.rt = rt ? x.rt : 0;
        x.rd = rd ? x.rd : 0;
        if (try_emit(r, x))
            return;
    }
}

static void straight(struct draw *r, uint32_t most) {
    for (uint32_t n = 1 + below(r, most); n > 0; n--) {
        if (chance(r, 5))
            plain(r, OP_NOP);
        else if (chance(r, 5))
            emit(r, (struct insn){
                        .op = OP_INDEX, .width = width(r), .rd = (uint8_t)below(r, DATA_REGS)});
        else
            straight_one(r);
    }
}

static void rrr(struct draw *r, enum isa_op op, unsigned w, unsigned rs, unsigned rt, unsigned rd) {
    emit(r, (struct insn){.op = op,
                          .width = (uint8_t)w,
                          .rs = (uint8_t)rs,
                          .rt = (uint8_t)rt,
                          .rd = (uint8_t)rd});
}

static void constant(struct draw *r, unsigned w, unsigned rd, int32_t value) {
    emit(r, (struct insn){.op = OP_LI, .width = (uint8_t)w, .rd = (uint8_t)rd, .imm = value});
}

/* M = M AND C, also where the target has no ANDMASK. */
static void narrow(struct draw *r, unsigned helper) {
    if (r->allowed[OP_ANDMASK_COND] && chance(r, 60)) {
        plain(r, OP_ANDMASK_COND);
        return;
    }
    emit(r, (struct insn){.op = OP_GETMASK, .width = 1, .rd = (uint8_t)helper});
    emit(r, (struct insn){.op = OP_GETC, .width = 1, .rd = (uint8_t)helper});
    emit(r, (struct insn){.op = OP_SETMASK, .rs = (uint8_t)helper});
}

static void block(struct draw *r, uint32_t depth, uint32_t first_sub);

static void save_mask(struct draw *r, unsigned reg) {
    emit(r, (struct insn){.op = OP_GETMASK, .width = width(r), .rd = (uint8_t)reg});
}

static void restore_mask(struct draw *r, unsigned reg) {
    emit(r, (struct insn){.op = OP_SETMASK, .rs = (uint8_t)reg});
}

static void jump_placeholder(struct draw *r, enum isa_op op) {
    number(r, op, 0);
}

/* A comparison of data, then the lanes where it holds; all others wait. */
static void if_block(struct draw *r, uint32_t depth, uint32_t first_sub) {
    static const enum isa_op compares[] = {OP_CMPLT, OP_CMPGT, OP_CMPEQ};
    unsigned saved = own_reg(r), helper = own_reg(r);
    save_mask(r, saved);
    rrr(r, compares[below(r, 3)], width(r), below(r, DATA_REGS), below(r, DATA_REGS), 0);
    narrow(r, helper);
    uint32_t jump = here(r);
    bool skips = chance(r, 80);
    if (skips)
        jump_placeholder(r, OP_JUMP_NONE);
    block(r, depth + 1, first_sub);
    if (skips)
        patch(r, jump, here(r));
    restore_mask(r, saved);
}

/* cnt = data AND 3, then once round for each. */
static void while_block(struct draw *r, uint32_t depth, uint32_t first_sub) {
    unsigned count = own_reg(r), limit = own_reg(r), saved = own_reg(r), helper = own_reg(r);
    constant(r, 8, limit, 3);
    rrr(r, OP_AND, 8, below(r, DATA_REGS), limit, count);
    save_mask(r, saved);
    constant(r, 8, limit, 0);
    rrr(r, OP_CMPGT, 8, count, limit, 0);
    narrow(r, helper);
    uint32_t jump = here(r);
    bool skips = chance(r, 50);
    if (skips)
        jump_placeholder(r, OP_JUMP_NONE);
    uint32_t head = here(r);
    block(r, depth + 1, first_sub);
    constant(r, 8, limit, 1);
    rrr(r, OP_SUB, 8, count, limit, count);
    constant(r, 8, limit, 0);
    rrr(r, OP_CMPGT, 8, count, limit, 0);
    narrow(r, helper);
    number(r, OP_JUMP_COND, head);
    if (skips)
        patch(r, jump, here(r));
    restore_mask(r, saved);
}

static void repeat_block(struct draw *r, uint32_t depth, uint32_t first_sub) {
    number(r, OP_REPEAT, below(r, 4));
    block(r, depth + 1, first_sub);
    plain(r, OP_REPEAT_END);
}

static void call(struct draw *r, uint32_t sub) {
    if (r->call_count == sizeof r->calls / sizeof *r->calls)
        return;
    r->calls[r->call_count].word = here(r);
    r->calls[r->call_count++].sub = sub;
    jump_placeholder(r, OP_JUMP);
}

static void skip_forward(struct draw *r) {
    uint32_t jump = here(r);
    jump_placeholder(r, OP_GOTO);
    straight(r, 2);
    patch(r, jump, here(r));
}

/* Part of a body.  Subroutines from first_sub on may be called: no recursion. */
static void block(struct draw *r, uint32_t depth, uint32_t first_sub) {
    for (uint32_t n = 1 + below(r, 3); n > 0; n--) {
        uint32_t kind = below(r, 10);
        straight(r, 3);
        if (depth >= 3)
            continue;
        if (kind < 2 && has_own_regs(r, 2))
            if_block(r, depth, first_sub);
        else if (kind < 4 && has_own_regs(r, 4))
            while_block(r, depth, first_sub);
        else if (kind == 4)
            repeat_block(r, depth, first_sub);
        else if (kind == 5 && first_sub < TOP_SUBS + BODY_SUBS)
            call(r, first_sub + below(r, TOP_SUBS + BODY_SUBS - first_sub));
        else if (kind == 6)
            skip_forward(r);
    }
}

/* Outside of all loops and conditions of a body the mask may be set at will. */
static void free_masks(struct draw *r) {
    switch (below(r, 6)) {
    case 0:
        plain(r, OP_UNMASK);
        break;
    case 1:
        plain(r, OP_SETMASK_COND);
        break;
    case 2:
        emit(r, (struct insn){.op = OP_SETMASK, .rs = (uint8_t)below(r, DATA_REGS)});
        break;
    case 3:
        emit(r, (struct insn){
                    .op = OP_GETMASK, .width = width(r), .rd = (uint8_t)below(r, DATA_REGS)});
        break;
    default:
        break;
    }
}

static void header(struct draw *r, uint32_t choice) {
    static const struct insn names[] = {{.op = OP_COMPUTE, .rfh = 0, .vrf = 0},
                                        {.op = OP_COMPUTE, .rfh = 1, .vrf = 0},
                                        {.op = OP_COMPUTEG, .imm = 0},
                                        {.op = OP_COMPUTEG, .imm = 1}};
    choice = choice ? choice : 1;
    for (uint32_t i = 0; i < 4; i++)
        if (choice >> i & 1)
            emit(r, names[i]);
    if (choice & 1) /* named twice */
        emit(r, names[0]);
    if (choice >> 4 & 1) {
        emit(r, (struct insn){.op = OP_COMPUTE, .rfh = 0, .vrf = 7});
        emit(r, (struct insn){.op = OP_COMPUTEG, .imm = 2});
    }
}

static void ensemble(struct draw *r) {
    header(r, below(r, 32));
    for (uint32_t n = 1 + below(r, 2); n > 0; n--) {
        block(r, 0, TOP_SUBS);
        free_masks(r);
    }
    plain(r, OP_COMPUTE_DONE);
}

/* Steps of more lanes than there are too. */
static void lane_map(struct draw *r) {
    struct insn x = {.op = OP_LANE, .mode = (uint8_t)below(r, LANE_MAPS)};
    int32_t k = chance(r, 90) ? (int32_t)below(r, BENCH_FIXED_LANES + 3) : (1 << 19) - 1;
    if (x.mode == LANE_GATHER || x.mode == LANE_SCATTER)
        x.imm = k ? k : 1;
    else if (x.mode == LANE_BROADCAST)
        x.imm = k;
    else if (x.mode == LANE_SHIFT || x.mode == LANE_ROTATE)
        x.imm = chance(r, 50) ? k : -k;
    emit(r, x);
}

static void transfer(struct draw *r) {
    static const enum isa_op copies[] = {OP_MEMCPY_8, OP_MEMCPY_16, OP_MEMCPY_32, OP_MEMCPY_64};
    uint32_t pairs = 1 + below(r, 3);
    for (uint32_t i = 0; i < pairs; i++)
        emit(r, (struct insn){
                    .op = OP_MOVE, .rfh = (uint16_t)below(r, 2), .vrf = (uint16_t)below(r, 2)});
    for (uint32_t n = 1 + below(r, 3); n > 0; n--) {
        enum isa_op op = copies[below(r, 4)];
        if (chance(r, 40))
            lane_map(r);
        emit(r, (struct insn){.op = op,
                              .width = isa_info(op)->fixed_width,
                              .rs = (uint8_t)below(r, DATA_REGS),
                              .rd = (uint8_t)below(r, DATA_REGS)});
        if (chance(r, 10))
            plain(r, OP_NOP);
    }
    plain(r, OP_MOVE_DONE);
}

/* Ensembles until no lane of any MPU has work left. */
static void any_loop(struct draw *r) {
    unsigned count = own_reg(r), helper = own_reg(r);
    uint32_t named = below(r, 32);
    header(r, named);
    constant(r, 8, helper, 3);
    rrr(r, OP_AND, 8, below(r, DATA_REGS), helper, count);
    plain(r, OP_COMPUTE_DONE);
    uint32_t head = here(r);
    header(r, named);
    constant(r, 8, helper, 0);
    rrr(r, OP_CMPGT, 8, count, helper, 0);
    plain(r, OP_SETMASK_COND);
    straight(r, 3);
    constant(r, 8, helper, 1);
    rrr(r, OP_SUB, 8, count, helper, count);
    plain(r, OP_COMPUTE_DONE);
    number(r, OP_JUMP_ANY, head);
}

static void top(struct draw *r, uint32_t depth, uint32_t first_sub) {
    for (uint32_t n = 1 + below(r, 3); n > 0; n--) {
        uint32_t kind = below(r, 10);
        if (kind < 2) {
            transfer(r);
        } else if (kind == 2 && depth < 2) {
            number(r, OP_REPEAT, below(r, 3));
            top(r, depth + 1, first_sub);
            plain(r, OP_REPEAT_END);
        } else if (kind == 3 && first_sub < TOP_SUBS) {
            call(r, first_sub + below(r, TOP_SUBS - first_sub));
        } else if (kind == 4 && has_own_regs(r, 2)) {
            any_loop(r);
        } else if (kind == 5) {
            plain(r, OP_MPU_SYNC);
        } else {
            ensemble(r);
        }
    }
}

static void subroutines(struct draw *r) {
    for (uint32_t i = 0; i < TOP_SUBS; i++) {
        r->subs[i] = here(r);
        top(r, 2, i + 1);
        plain(r, OP_RETURN);
    }
    for (uint32_t i = TOP_SUBS; i < TOP_SUBS + BODY_SUBS; i++) {
        r->subs[i] = here(r);
        block(r, 2, i + 1);
        plain(r, OP_RETURN);
    }
}

static bool draws(enum isa_op op, bool floats) {
    const struct isa_info *info = isa_info(op);
    uint32_t masks = ISA_UNMASKED | ISA_RESERVED | WRITES_M;
    masks |= floats ? 0 : ISA_FLOAT | ISA_BFLOAT;
    return (info->flags & ISA_VECTOR) && !(info->flags & (masks | ISA_USER));
}

static unsigned make(uint64_t seed, const bool allowed[OP_COUNT], bool floats, struct object *o) {
    struct draw r = {.state = seed, .o = o, .allowed = allowed, .next_reg = FIRST_OWN_REG};
    for (unsigned op = 0; op < OP_COUNT; op++)
        if (allowed[op] && draws((enum isa_op)op, floats))
            r.ops[r.op_count++] = (enum isa_op)op;
    o->geometry = (struct geometry){.lanes = BENCH_FIXED_LANES, .vrfs = 64, .rfhs = 8};
    top(&r, 0, 0);
    ensemble(&r);
    plain(&r, OP_HALT);
    subroutines(&r);
    for (uint32_t i = 0; i < r.call_count; i++)
        patch(&r, r.calls[i].word, r.subs[r.calls[i].sub]);
    return r.next_reg;
}

unsigned random_program(uint64_t seed, const bool allowed[OP_COUNT], struct object *o) {
    return make(seed, allowed, false, o);
}
unsigned random_program_of_floats(uint64_t seed, const bool allowed[OP_COUNT], struct object *o) {
    return make(seed, allowed, true, o);
}

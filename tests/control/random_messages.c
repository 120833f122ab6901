/* SPDX-License-Identifier: MIT */
#include "random_messages.h"

#include "support/bits.h"

#include <stdlib.h>

struct draw {
    uint64_t state;
    struct object *o;
    uint32_t mpus;
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

static void emit(struct draw *r, struct insn x) {
    uint32_t word;
    if (isa_encode(&x, &word) != ISA_OK)
        abort();
    vec_push(&r->o->text, word);
}

static void plain(struct draw *r, enum isa_op op) {
    emit(r, (struct insn){.op = op});
}

static void number(struct draw *r, enum isa_op op, uint32_t value) {
    emit(r, (struct insn){.op = op, .imm = (int32_t)value});
}

static void rrr(struct draw *r, enum isa_op op, unsigned w, unsigned rs, unsigned rt, unsigned rd) {
    emit(r, (struct insn){.op = op,
                          .width = (uint8_t)w,
                          .rs = (uint8_t)rs,
                          .rt = (uint8_t)rt,
                          .rd = (uint8_t)rd});
}

static unsigned reg(struct draw *r) {
    return below(r, NET_REGS);
}

static unsigned width(struct draw *r) {
    return chance(r, 50) ? 8 : 16;
}

/* ---- ensembles ---- */

/* Bit i: fixed VRF i; 4: the group per MPU; 5: the group that spans. */
static void header(struct draw *r, uint32_t named) {
    for (uint32_t i = 0; i < 4; i++)
        if (named >> i & 1)
            emit(r, (struct insn){.op = OP_COMPUTE, .rfh = i & 1, .vrf = (uint16_t)(i >> 1)});
    if (named >> 4 & 1)
        number(r, OP_COMPUTEG, 0);
    if (named >> 5 & 1)
        number(r, OP_COMPUTEG, 1);
}

static void straight(struct draw *r) {
    static const enum isa_op ops[] = {OP_ADD, OP_SUB, OP_XOR};
    for (uint32_t n = 1 + below(r, 3); n > 0; n--)
        rrr(r, ops[below(r, 3)], width(r), reg(r), reg(r), reg(r));
}

static void mask(struct draw *r, unsigned a, unsigned b) {
    rrr(r, OP_CMPLT, 8, a, b, 0);
    plain(r, OP_SETMASK_COND);
}

static void ensemble(struct draw *r) {
    header(r, 1 + below(r, 63));
    if (chance(r, 30))
        mask(r, reg(r), reg(r));
    straight(r);
    plain(r, OP_COMPUTE_DONE);
}

/* Where the lanes of the MEMCPYs that follow come from. */
static void lane_map(struct draw *r) {
    struct insn x = {.op = OP_LANE, .mode = (uint8_t)below(r, LANE_MAPS)};
    if (isa_lane_map_has_k(x.mode))
        x.imm = 1 + (int32_t)below(r, 7);
    if (x.imm && (x.mode == LANE_SHIFT || x.mode == LANE_ROTATE) && chance(r, 50))
        x.imm = -x.imm;
    emit(r, x);
}

static void transfer(struct draw *r) {
    for (uint32_t n = 1 + below(r, 2); n > 0; n--)
        emit(r, (struct insn){.op = OP_MOVE, .rfh = below(r, 2) & 1, .vrf = below(r, 2) & 1});
    for (uint32_t n = 1 + below(r, 2); n > 0; n--) {
        bool twice = chance(r, 20);
        if (chance(r, 25))
            lane_map(r);
        if (twice)
            number(r, OP_REPEAT, 2);
        enum isa_op op = chance(r, 50) ? OP_MEMCPY_8 : OP_MEMCPY_16;
        emit(r, (struct insn){.op = op,
                              .width = isa_info(op)->fixed_width,
                              .rs = (uint8_t)reg(r),
                              .rd = (uint8_t)reg(r),
                              .vrf_src = below(r, 2) & 1,
                              .vrf_dst = below(r, 2) & 1});
        if (twice)
            plain(r, OP_REPEAT_END);
    }
    plain(r, OP_MOVE_DONE);
}

/* ---- messages ---- */

struct partner {
    uint8_t mode;
    int32_t value;
};

static void message(struct draw *r, struct partner to) {
    emit(r, (struct insn){.op = OP_SEND, .mode = to.mode, .imm = to.value});
    transfer(r);
    plain(r, OP_SEND_DONE);
}

static void receive(struct draw *r, struct partner from) {
    emit(r, (struct insn){.op = OP_RECV, .mode = from.mode, .imm = from.value});
}

static struct partner in_grid(int32_t dx, int32_t dy) {
    return (struct partner){3, (dx & 0x7ff) << 11 | (dy & 0x7ff)};
}

/* A step to some neighbour, and the one back. */
static void draw_step(struct draw *r, struct partner *there, struct partner *back) {
    int32_t d = (int32_t)below(r, 5) - 2, e = (int32_t)below(r, 3) - 1;
    uint8_t mode = (uint8_t)(1 + below(r, 3));
    *there = mode == 3 ? in_grid(d, e) : (struct partner){mode, d};
    *back = mode == 3 ? in_grid(-d, -e) : (struct partner){mode, -d};
}

/* All MPUs send, then all receive: the more at once, the fuller the queues. */
static void exchange(struct draw *r) {
    struct partner there[3], back[3];
    uint32_t n = 1 + below(r, 3);
    for (uint32_t i = 0; i < n; i++) {
        draw_step(r, &there[i], &back[i]);
        if (i && chance(r, 30)) {
            there[i] = there[0];
            back[i] = back[0];
        }
        message(r, there[i]);
        if (chance(r, 20))
            ensemble(r);
    }
    uint32_t received = chance(r, 95) ? n : below(r, 5);
    for (uint32_t i = 0; i < received; i++)
        receive(r, back[i % n]);
}

/* Until no lane of any MPU has work left: at most three rounds. */
static void any_loop(struct draw *r, void (*inside)(struct draw *)) {
    emit(r, (struct insn){.op = OP_COMPUTE, .rfh = 0, .vrf = 0});
    emit(r, (struct insn){.op = OP_LI, .width = 8, .rd = 4, .imm = 3});
    rrr(r, OP_AND, 8, reg(r), 4, 5);
    plain(r, OP_COMPUTE_DONE);
    uint32_t head = here(r);
    emit(r, (struct insn){.op = OP_COMPUTE, .rfh = 0, .vrf = 0});
    emit(r, (struct insn){.op = OP_LI, .width = 8, .rd = 4, .imm = 0});
    mask(r, 4, 5);
    emit(r, (struct insn){.op = OP_LI, .width = 8, .rd = 4, .imm = 1});
    rrr(r, OP_SUB, 8, 5, 4, 5);
    rrr(r, OP_ADD, 16, 0, 1, 1);
    plain(r, OP_COMPUTE_DONE);
    inside(r);
    number(r, OP_JUMP_ANY, head);
}

/* To registers that the loop around does not count with, from fixed VRFs that it does not name. */
static void shift_by_one(struct draw *r) {
    emit(r, (struct insn){.op = OP_SEND, .mode = 2, .imm = 1});
    emit(r, (struct insn){.op = OP_MOVE, .rfh = 0, .vrf = 1});
    emit(r, (struct insn){.op = OP_MEMCPY_16, .width = 16, .rs = 1, .rd = 2});
    plain(r, OP_MOVE_DONE);
    plain(r, OP_SEND_DONE);
    receive(r, (struct partner){2, -1});
}

static void nothing(struct draw *r) {
    (void)r;
}

/* ---- one text for all ---- */

static void part(struct draw *r, uint32_t depth) {
    for (uint32_t n = 1 + below(r, 3); n > 0; n--) {
        uint32_t kind = below(r, 9);
        if (kind < 4) {
            exchange(r);
        } else if (kind == 4 && depth < 2) {
            number(r, OP_REPEAT, below(r, 4));
            part(r, depth + 1);
            plain(r, OP_REPEAT_END);
        } else if (kind == 5) {
            any_loop(r, chance(r, 50) ? shift_by_one : nothing);
        } else if (kind == 6) {
            transfer(r);
        } else if (kind == 7) {
            number(r, OP_GMOVE, 0);
        } else {
            ensemble(r);
        }
    }
}

static void patch(struct draw *r, uint32_t at, uint32_t target) {
    struct insn x;
    if (isa_decode(r->o->text.data[at], &x) != ISA_OK)
        abort();
    x.imm = (int32_t)target;
    if (isa_encode(&x, &r->o->text.data[at]) != ISA_OK)
        abort();
}

static void one_text(struct draw *r) {
    part(r, 0);
    uint32_t call = here(r);
    number(r, OP_JUMP, 0);
    part(r, 1);
    plain(r, OP_HALT);
    patch(r, call, here(r));
    exchange(r);
    ensemble(r);
    plain(r, OP_RETURN);
}

/* ---- a text for each ---- */

/* What happens in the program, in an order in which it could. */
struct event {
    uint32_t from, to; /* a message; equal: an ensemble of its own */
    bool any, move;    /* instead: all MPUs meet at a JUMP_ANY, or at the GMOVE */
};
enum { EVENTS = 24 };

static void add_entry(struct draw *r, uint32_t mpu) {
    char name[16];
    snprintf(name, sizeof name, "mpu%u", (unsigned)mpu);
    struct symbol s = {.name = arena_strdup(&r->o->arena, name),
                       .kind = SYMBOL_LABEL,
                       .defined = true,
                       .value = here(r),
                       .place = {NO_INDEX, 0, 0}};
    struct entry e = {mpu, 1, (uint32_t)r->o->symbols.len};
    vec_push(&r->o->symbols, s);
    vec_push(&r->o->entries, e);
}

static void text_of(struct draw *r, uint32_t mpu, const struct event *events, uint32_t count) {
    add_entry(r, mpu);
    for (uint32_t i = 0; i < count; i++) {
        const struct event *e = &events[i];
        if (e->any)
            number(r, OP_JUMP_ANY, here(r) + 1);
        else if (e->move)
            number(r, OP_GMOVE, 0);
        else if (e->from == e->to && e->from == mpu)
            ensemble(r);
        else if (e->from == mpu)
            message(r, (struct partner){0, (int32_t)e->to});
        else if (e->to == mpu)
            receive(r, (struct partner){0, (int32_t)e->from});
    }
    plain(r, OP_HALT);
}

/* Events that change places with their successor may keep two MPUs waiting for each other. */
static void many_texts(struct draw *r) {
    struct event events[EVENTS];
    for (uint32_t i = 0; i < EVENTS; i++)
        events[i] =
            (struct event){below(r, r->mpus), below(r, r->mpus), chance(r, 8), chance(r, 8)};
    for (uint32_t mpu = 0; mpu < r->mpus; mpu++) {
        struct event own[EVENTS];
        for (uint32_t i = 0; i < EVENTS; i++)
            own[i] = events[i];
        for (uint32_t n = chance(r, 30) ? 2 : 0; n > 0; n--) {
            uint32_t at = below(r, EVENTS - 1);
            struct event first = own[at];
            own[at] = own[at + 1];
            own[at + 1] = first;
        }
        text_of(r, mpu, own, EVENTS);
    }
}

/* ---- all ---- */

static void add_group(struct draw *r, const char *name, uint64_t elements, bool per_mpu) {
    struct group g = {.name = name,
                      .ndim = 1,
                      .extent = {{NO_INDEX, elements}},
                      .per_mpu = per_mpu,
                      .like = NO_INDEX,
                      .at_rfh = NO_INDEX,
                      .at_vrf = NO_INDEX,
                      .place = {NO_INDEX, 0, 0}};
    vec_push(&r->o->groups, g);
}

static void add_move(struct draw *r) {
    uint32_t column = r->o->geometry.grid_dims - 1;
    struct move m = {.name = "around",
                     .dst_reg = NET_MOVE_TO,
                     .src_reg = NET_MOVE_FROM,
                     .dst_count = 1,
                     .src_count = 1,
                     .width = 16,
                     .outside = MOVE_WRAP,
                     .place = {NO_INDEX, 0, 0}};
    for (uint32_t d = 0; d < MOVE_MAX_DIMS; d++) {
        m.first[d].size = m.last[d].size = m.source[d].size = NO_INDEX;
        m.source[d].coeff[d] = d <= column + 1;
    }
    m.source[column].offset = -1;
    vec_push(&r->o->moves, m);
}

void random_messages(uint64_t seed, struct object *o) {
    struct draw r = {.state = seed, .o = o};
    struct geometry *g = &o->geometry;
    *g = (struct geometry){.lanes = 6, .vrfs = 2, .rfhs = 2, .grid_dims = 1 + below(&r, 2)};
    g->grid[0] = 1 + below(&r, g->grid_dims == 1 ? NET_MPUS : 3);
    if (g->grid_dims == 2)
        g->grid[1] = 1 + below(&r, 3);
    r.mpus = grid_mpus(g);
    add_group(&r, "g", 1 + below(&r, 2 * NET_LANES), true);
    add_group(&r, "s", 1 + below(&r, 2 * NET_LANES * r.mpus), false);
    add_move(&r);
    if (chance(&r, 60))
        one_text(&r);
    else
        many_texts(&r);
    o->linked = true;
}

/* SPDX-License-Identifier: MIT
 * The interpreter: each MPU has a pc, a return stack and loop counters of its own, takes as many
 * steps as it likes, and stops where it must wait. */
#include "random_messages.h"

#include "support/bits.h"

#include <stdlib.h>
#include <string.h>

enum { STACK = 8, LOOPS = 8, PENDING = 4096 };

/* One register of one VRF in a message. */
struct item {
    uint32_t vrf;
    unsigned reg, width;
    uint16_t values[NET_LANES];
    bool has[NET_LANES]; /* other lanes keep theirs */
};
struct letter {
    uint32_t from, to;
    struct item items[16];
    uint32_t count;
};

struct proc {
    uint32_t pc, stack[STACK], depth;
    struct {
        uint32_t begin, left;
    } loops[LOOPS];
    uint32_t open;
    bool ended, waits, at_any, at_move, a;
};

struct net {
    struct net_state *s;
    const struct object *o;
    const struct package *p;
    uint32_t queue;
    struct proc procs[NET_MPUS];
    struct letter *letters[PENDING]; /* of all queues, oldest first */
    uint32_t pending;
    bool passed[NET_MPUS][NET_MPUS]; /* the oldest lies in the sender's buffer */
};

static struct insn at(const struct net *n, uint32_t pc) {
    struct insn x;
    if (pc >= n->o->text.len || isa_decode(n->o->text.data[pc], &x) != ISA_OK)
        x = (struct insn){.op = OP_HALT};
    return x;
}

static uint32_t mpus(const struct net *n) {
    return grid_mpus(&n->o->geometry);
}

static uint32_t vrf_of(uint32_t mpu, uint32_t rfh, uint32_t vrf) {
    return mpu * NET_PER_MPU + vrf * NET_RFHS + rfh;
}

/* ---- queues ---- */

static uint32_t waiting(const struct net *n, uint32_t from, uint32_t to) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < n->pending; i++)
        count += n->letters[i]->from == from && n->letters[i]->to == to;
    return count;
}

static bool full(const struct net *n, uint32_t from, uint32_t to) {
    return waiting(n, from, to) - n->passed[from][to] >= n->queue;
}

static struct letter *take(struct net *n, uint32_t from, uint32_t to) {
    for (uint32_t i = 0; i < n->pending; i++) {
        struct letter *l = n->letters[i];
        if (l->from != from || l->to != to)
            continue;
        memmove(&n->letters[i], &n->letters[i + 1], (--n->pending - i) * sizeof(struct letter *));
        n->passed[from][to] = false;
        return l;
    }
    return NULL;
}

/* NO_INDEX: nobody. */
static uint32_t partner(const struct net *n, const struct insn *x, uint32_t mpu) {
    int32_t all = (int32_t)mpus(n), other = (int32_t)mpu + x->imm;
    int32_t columns = n->o->geometry.grid_dims == 2 ? (int32_t)n->o->geometry.grid[1] : all;
    if (x->mode == 0)
        return (uint32_t)x->imm;
    if (x->mode == 1)
        return other < 0 || other >= all ? NO_INDEX : (uint32_t)other;
    if (x->mode == 2) {
        while (other < 0)
            other += all;
        return (uint32_t)(other % all);
    }
    int32_t dx = x->imm >> 11 & 0x7ff, dy = x->imm & 0x7ff;
    int32_t column = (int32_t)mpu % columns + (dx >= 1024 ? dx - 2048 : dx);
    int32_t row = (int32_t)mpu / columns + (dy >= 1024 ? dy - 2048 : dy);
    bool inside = column >= 0 && column < columns && row >= 0 && row < all / columns;
    return inside ? (uint32_t)(row * columns + column) : NO_INDEX;
}

/* ---- copies ---- */

static void write(struct net_lane *l, unsigned reg, unsigned w, uint32_t value) {
    uint32_t keep = 0xffffu << w & 0xffffu;
    l->reg[reg] = (uint16_t)((l->reg[reg] & keep) | (value & ~keep & 0xffffu));
}

static void copy(struct net *n, const struct item *item) {
    for (uint32_t i = 0; i < n->o->geometry.lanes; i++)
        if (item->has[i])
            write(&n->s->lanes[item->vrf][i], item->reg, item->width, item->values[i]);
}

/* The lane that lane l of a destination takes its value from; none if it is not below `lanes`. */
static int32_t source_lane(const struct insn *map, int32_t l, int32_t lanes) {
    int32_t k = map->imm;
    switch (map->mode) {
    case LANE_SHIFT:
        return l - k;
    case LANE_ROTATE:
        return ((l - k) % lanes + lanes) % lanes;
    case LANE_GATHER:
        return l * k;
    case LANE_SCATTER:
        return l % k ? -1 : l / k;
    case LANE_REVERSE:
        return lanes - 1 - l;
    case LANE_BROADCAST:
        return k;
    default:
        return l;
    }
}

static struct item read_item(const struct net *n, uint32_t src, uint32_t dst, const struct insn *x,
                             const struct insn *map) {
    struct item item = {.vrf = dst, .reg = x->rd, .width = isa_info(x->op)->fixed_width};
    int32_t lanes = (int32_t)n->o->geometry.lanes;
    for (int32_t i = 0; i < lanes; i++) {
        int32_t from = source_lane(map, i, lanes);
        item.has[i] = from >= 0 && from < lanes;
        if (item.has[i])
            item.values[i] = n->s->lanes[src][from].reg[x->rs];
    }
    return item;
}

/* From the first MOVE at *pc to behind MOVE_DONE; into `letter`, or at once if it is NULL. */
static void transfer(struct net *n, uint32_t mpu, uint32_t to, uint32_t *pc,
                     struct letter *letter) {
    uint32_t first = *pc, pairs = 0, times = 1;
    struct insn map = {.op = OP_LANE, .mode = LANE_IDENTITY};
    while (at(n, *pc).op == OP_MOVE) {
        pairs++;
        ++*pc;
    }
    for (struct insn x = at(n, *pc); x.op != OP_MOVE_DONE; x = at(n, ++*pc)) {
        if (x.op == OP_REPEAT)
            times = (uint32_t)x.imm;
        if (x.op == OP_REPEAT_END)
            times = 1;
        if (x.op == OP_LANE)
            map = x;
        if (x.op == OP_REPEAT || x.op == OP_REPEAT_END || x.op == OP_LANE)
            continue;
        for (uint32_t k = 0; k < times * pairs; k++) {
            struct insn pair = at(n, first + k % pairs);
            struct item item = read_item(n, vrf_of(mpu, pair.rfh, x.vrf_src),
                                         vrf_of(to, pair.vrf, x.vrf_dst), &x, &map);
            if (letter)
                letter->items[letter->count++] = item;
            else
                copy(n, &item);
        }
    }
    ++*pc;
}

/* ---- compute ensembles ---- */

static void lane_step(struct net_lane *l, const struct insn *x, bool masked) {
    uint32_t s = l->reg[x->rs], t = l->reg[x->rt], w = x->width;
    uint32_t low = w == 16 ? 0xffff : 0xff;
    if (x->op == OP_SETMASK_COND)
        l->m = l->c;
    else if (masked && !l->m)
        return;
    else if (x->op == OP_CMPLT)
        l->c = (s & low) < (t & low);
    else if (x->op == OP_LI)
        write(l, x->rd, w, (uint32_t)x->imm);
    else
        write(l, x->rd, w,
              x->op == OP_ADD   ? s + t
              : x->op == OP_SUB ? s - t
              : x->op == OP_XOR ? s ^ t
                                : s & t);
}

/* Valid lanes of each VRF of the MPU that the header at *pc names. */
static void header(const struct net *n, uint32_t mpu, uint32_t *pc, uint32_t valid[NET_PER_MPU]) {
    memset(valid, 0, NET_PER_MPU * sizeof *valid);
    for (struct insn x = at(n, *pc); x.op == OP_COMPUTE || x.op == OP_COMPUTEG; x = at(n, ++*pc)) {
        if (x.op == OP_COMPUTE)
            valid[vrf_of(0, x.rfh, x.vrf)] = n->o->geometry.lanes;
        for (size_t i = 0; x.op == OP_COMPUTEG && i < n->p->placement_count; i++) {
            const struct placement *q = &n->p->placements[i];
            if (q->group == (uint32_t)x.imm && q->mpu == mpu)
                valid[vrf_of(0, q->rfh, q->vrf)] = q->count;
        }
    }
}

static void compute(struct net *n, uint32_t mpu) {
    struct proc *p = &n->procs[mpu];
    uint32_t valid[NET_PER_MPU], body;
    header(n, mpu, &p->pc, valid);
    body = p->pc;
    p->a = false;
    for (uint32_t v = 0; v < NET_PER_MPU; v++)
        for (uint32_t i = 0; i < valid[v]; i++) {
            struct net_lane *l = &n->s->lanes[mpu * NET_PER_MPU + v][i];
            bool masked = false;
            l->m = true;
            p->pc = body;
            for (struct insn x = at(n, p->pc); x.op != OP_COMPUTE_DONE; x = at(n, ++p->pc)) {
                lane_step(l, &x, masked);
                masked |= x.op == OP_SETMASK_COND;
            }
            p->a |= l->m;
        }
    while (at(n, p->pc).op != OP_COMPUTE_DONE)
        p->pc++;
    p->pc++;
}

/* ---- steps ---- */

/* False if it waits. */
static bool send(struct net *n, uint32_t mpu, const struct insn *x) {
    struct proc *p = &n->procs[mpu];
    uint32_t to = partner(n, x, mpu);
    if (to == NO_INDEX) {
        while (at(n, p->pc).op != OP_SEND_DONE)
            p->pc++;
        p->pc++;
        return true;
    }
    if (full(n, mpu, to))
        return false;
    struct letter *l = calloc(1, sizeof *l);
    l->from = mpu;
    l->to = to;
    p->pc++;
    transfer(n, mpu, to, &p->pc, l);
    p->pc++;
    n->s->messages++;
    for (uint32_t i = 0; i < l->count; i++)
        for (uint32_t k = 0; k < n->o->geometry.lanes; k++)
            n->s->bytes += l->items[i].has[k] * l->items[i].width / 8;
    n->letters[n->pending++] = l;
    return true;
}

static bool receive(struct net *n, uint32_t mpu, const struct insn *x) {
    uint32_t from = partner(n, x, mpu);
    struct letter *l = from == NO_INDEX ? NULL : take(n, from, mpu);
    if (from != NO_INDEX && !l)
        return false;
    for (uint32_t i = 0; l && i < l->count; i++)
        copy(n, &l->items[i]);
    free(l);
    n->procs[mpu].pc++;
    return true;
}

static void repeat(struct net *n, struct proc *p, uint32_t count) {
    uint32_t deep = 1;
    if (count) {
        p->loops[p->open].begin = p->pc++;
        p->loops[p->open++].left = count;
        return;
    }
    while (deep) {
        enum isa_op op = at(n, ++p->pc).op;
        deep += op == OP_REPEAT;
        deep -= op == OP_REPEAT_END;
    }
    p->pc++;
}

static void repeat_end(struct proc *p) {
    if (--p->loops[p->open - 1].left) {
        p->pc = p->loops[p->open - 1].begin + 1;
    } else {
        p->open--;
        p->pc++;
    }
}

/* One step of an MPU; false if it waits or has ended. */
static bool step(struct net *n, uint32_t mpu) {
    struct proc *p = &n->procs[mpu];
    struct insn x = at(n, p->pc);
    switch (x.op) {
    case OP_SEND:
        p->waits = !send(n, mpu, &x);
        return !p->waits;
    case OP_RECV:
        p->waits = !receive(n, mpu, &x);
        return !p->waits;
    case OP_JUMP_ANY:
        p->at_any = true;
        return false;
    case OP_GMOVE:
        p->at_move = true;
        return false;
    case OP_HALT:
        p->ended = true;
        return false;
    case OP_MOVE:
        transfer(n, mpu, mpu, &p->pc, NULL);
        return true;
    case OP_JUMP:
        p->stack[p->depth++] = p->pc + 1;
        p->pc = (uint32_t)x.imm;
        return true;
    case OP_RETURN:
        p->pc = p->stack[--p->depth];
        return true;
    case OP_REPEAT:
        repeat(n, p, (uint32_t)x.imm);
        return true;
    case OP_REPEAT_END:
        repeat_end(p);
        return true;
    default:
        compute(n, mpu);
        return true;
    }
}

/* ---- all ---- */

/* True if all that have not ended met at a JUMP_ANY. */
static bool meet(struct net *n) {
    bool some = false;
    uint32_t met = 0;
    for (uint32_t i = 0; i < mpus(n); i++) {
        if (!n->procs[i].ended && !n->procs[i].at_any)
            return false;
        met += n->procs[i].at_any;
        some |= n->procs[i].at_any && n->procs[i].a;
    }
    for (uint32_t i = 0; i < mpus(n); i++) {
        struct proc *p = &n->procs[i];
        if (p->at_any)
            p->pc = some ? (uint32_t)at(n, p->pc).imm : p->pc + 1;
        p->at_any = false;
    }
    return met != 0;
}

static struct net_lane *lane_of(const struct net *n, uint64_t element) {
    for (size_t i = 0; i < n->p->placement_count; i++) {
        const struct placement *q = &n->p->placements[i];
        if (q->group == 0 && element >= q->first && element - q->first < q->count)
            return &n->s->lanes[vrf_of(q->mpu, q->rfh, q->vrf)][element - q->first];
    }
    abort();
}

/* True if all MPUs stand at the move: each then has in r3 what its left neighbour has in r1. */
static bool shift_columns(struct net *n) {
    const struct geometry *g = &n->o->geometry;
    uint32_t columns = g->grid[g->grid_dims - 1];
    uint64_t each = n->o->groups.data[0].extent[0].value;
    for (uint32_t i = 0; i < mpus(n); i++)
        if (!n->procs[i].at_move)
            return false;
    for (uint32_t mpu = 0; mpu < mpus(n); mpu++) {
        uint32_t left = mpu % columns ? mpu - 1 : mpu + columns - 1;
        for (uint64_t i = 0; i < each; i++)
            lane_of(n, mpu * each + i)->reg[NET_MOVE_TO] =
                lane_of(n, left * each + i)->reg[NET_MOVE_FROM];
        n->s->moved += left != mpu;
        n->s->moved_bytes += left != mpu ? 2 * each : 0;
        n->procs[mpu].at_move = false;
        n->procs[mpu].pc++;
    }
    return true;
}

static bool has_passed(const struct net *n, uint32_t mpu) {
    for (uint32_t to = 0; to < NET_MPUS; to++)
        if (n->passed[mpu][to])
            return true;
    return false;
}

static uint32_t blocked_by(const struct net *n, uint32_t mpu) {
    const struct proc *p = &n->procs[mpu];
    struct insn x = at(n, p->pc);
    return !p->ended && x.op == OP_SEND ? partner(n, &x, mpu) : NO_INDEX;
}

/* The lowest MPU of any cycle whose buffer is free. */
static bool pass_one(struct net *n) {
    for (uint32_t mpu = 0; mpu < mpus(n); mpu++) {
        uint32_t next = blocked_by(n, mpu);
        for (uint32_t k = 0; k < mpus(n) && next != NO_INDEX && next != mpu; k++)
            next = blocked_by(n, next);
        if (next != mpu || has_passed(n, mpu))
            continue;
        n->passed[mpu][blocked_by(n, mpu)] = true;
        n->s->passed++;
        return true;
    }
    return false;
}

static uint32_t start_of(const struct net *n, uint32_t mpu) {
    for (size_t i = 0; i < n->o->entries.len; i++)
        if (n->o->entries.data[i].first_mpu == mpu)
            return (uint32_t)n->o->symbols.data[n->o->entries.data[i].symbol].value;
    return 0;
}

static bool all_ended(const struct net *n) {
    bool ended = true;
    for (uint32_t i = 0; i < mpus(n); i++)
        ended &= n->procs[i].ended;
    return ended;
}

/* Lets each MPU in turn take some steps, as drawn; false if none could. */
static bool turn(struct net *n, uint64_t *order) {
    bool moved = false;
    uint32_t first = (uint32_t)(splitmix64(order) >> 40) % mpus(n);
    for (uint32_t i = 0; i < mpus(n); i++) {
        uint32_t mpu = (first + i) % mpus(n), steps = 1 + (splitmix64(order) >> 40) % 8;
        struct proc *p = &n->procs[mpu];
        while (steps-- && !p->ended && !p->at_any && !p->at_move && step(n, mpu))
            moved = true;
    }
    return moved;
}

static void finish(struct net *n) {
    n->s->deadlock = !all_ended(n);
    n->s->left = n->pending;
    for (uint32_t i = 0; i < NET_MPUS; i++)
        n->s->where[i] = i < mpus(n) && !n->procs[i].ended ? n->procs[i].pc : NO_INDEX;
    for (uint32_t i = 0; i < n->pending; i++)
        free(n->letters[i]);
}

void net_run(struct net_state *s, const struct object *o, const struct package *p, uint32_t queue,
             uint64_t order) {
    struct net *n = calloc(1, sizeof *n);
    n->s = s;
    n->o = o;
    n->p = p;
    n->queue = queue;
    for (uint32_t i = 0; i < mpus(n); i++)
        n->procs[i].pc = start_of(n, i);
    while (turn(n, &order) || (!all_ended(n) && (meet(n) || shift_columns(n) || pass_one(n)))) {
    }
    finish(n);
    free(n);
}

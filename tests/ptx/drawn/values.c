/* SPDX-License-Identifier: MIT
 * What random kernels leave in memory: statement after statement, each for all threads of a block
 * that come to it. */
#include "tests/ptx/drawn/drawn.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

enum jump { GOES_ON, BREAKS, CONTINUES, RETURNS };

/* Registers of a function, which is entered once at a time. */
struct frame {
    uint64_t reg[DRAWN_CLASS_COUNT][DRAWN_REGISTERS][DRAWN_BLOCK];
    uint32_t counter[DRAWN_LOOPS][DRAWN_BLOCK];
};
struct state {
    const struct drawn *drawn;
    uint32_t block; /* number of it */
    uint64_t *own, *sums;
    struct frame *frame;  /* of the function that is carried out, */
    unsigned function;    /* its number */
    struct frame *frames; /* of all */
    /* of the thread: how it leaves the statement, and how many loops */
    uint8_t jump[DRAWN_BLOCK], levels[DRAWN_BLOCK];
    bool ended[DRAWN_BLOCK];
    unsigned char each[DRAWN_BLOCK * DRAWN_SHARED_BYTES], kept[DRAWN_BLOCK][DRAWN_LOCAL_BYTES];
    uint32_t passing[DRAWN_BLOCK];
    uint64_t counted[DRAWN_SUMS];
    bool wrong;
};
/* Threads that come to a statement. */
struct threads {
    bool here[DRAWN_BLOCK];
};

static void run_block(struct state *x, const struct drawn_block *block, const struct threads *of);

static uint64_t cut(char class, uint64_t value) {
    unsigned bits = drawn_bits(class);
    return bits < 64 ? value & (((uint64_t)1 << bits) - 1) : value;
}

static uint64_t *reg(struct state *x, char class, unsigned number, uint32_t t) {
    return &x->frame
                ->reg[strchr(DRAWN_CLASSES, class) - DRAWN_CLASSES][number % DRAWN_REGISTERS][t];
}

static uint64_t source(struct state *x, char class, const struct drawn_source *s, uint32_t t) {
    return s->number ? s->value : *reg(x, class, s->reg, t);
}

static bool guarded_out(struct state *x, const struct drawn_statement *s, uint32_t t) {
    return s->guarded && (*reg(x, 'p', s->guard, t) != 0) == s->guard_not;
}

/* ---- instructions ---- */

static void compute(struct state *x, const struct drawn_statement *s, uint32_t t) {
    const struct drawn_op *op = &drawn_ops[s->op];
    uint64_t in[4] = {0};
    for (unsigned i = 0; op->sources[i]; i++)
        in[i] = source(x, op->sources[i], &s->src[i], t);
    *reg(x, s->class, s->dst, t) = drawn_compute(s->op, in);
}

static unsigned char *bytes_at(struct state *x, const struct drawn_statement *s, uint32_t t) {
    unsigned bytes = drawn_types[s->op].bytes * s->vector;
    uint64_t at = *reg(x, 'r', s->src[1].reg, t);
    uint32_t thread = x->block * x->drawn->threads + t;
    switch (s->space) {
    case DRAWN_INPUT:
        return (unsigned char *)x->drawn->input + (at & (DRAWN_INPUT_BYTES - bytes)) +
               s->number * bytes;
    case DRAWN_OWN:
        return (unsigned char *)(x->own + (size_t)thread * DRAWN_SLOTS +
                                 (bytes > 8 ? s->number & 6 : s->number));
    case DRAWN_SHARED:
        return x->each + t * DRAWN_SHARED_BYTES + s->number * bytes % DRAWN_SHARED_BYTES;
    case DRAWN_LOCAL:
        return x->kept[t] + (at & (DRAWN_LOCAL_BYTES - bytes));
    default:
        return (unsigned char *)x->drawn->table + (at & (DRAWN_TABLE_BYTES - bytes));
    }
}

static void access(struct state *x, const struct drawn_statement *s, uint32_t t) {
    const struct drawn_memory_type *type = &drawn_types[s->op];
    unsigned char *at = bytes_at(x, s, t);
    unsigned bits = 8u * type->bytes;
    for (unsigned i = 0; i < s->vector; i++, at += type->bytes) {
        uint64_t value = 0;
        if (s->kind == DRAWN_STORE) {
            value = s->src[0].number ? s->src[0].value : *reg(x, s->class, s->src[0].reg + i, t);
            memcpy(at, &value, type->bytes);
            continue;
        }
        memcpy(&value, at, type->bytes);
        if (type->is_signed && value >> (bits - 1) & 1)
            value |= ~(uint64_t)0 << (bits - 1);
        *reg(x, s->class, s->dst + i, t) = cut(s->class, value);
    }
}

static void atomic(struct state *x, const struct drawn_statement *s, uint32_t t) {
    uint64_t *place = (s->space == DRAWN_SHARED ? x->counted : x->sums) + 4 * s->op +
                      (*reg(x, 'r', s->src[1].reg, t) & 3);
    uint64_t old = 0, value;
    memcpy(&old, place, drawn_atomics[s->op].bytes);
    value = drawn_atomic_value(s->op, old, source(x, s->class, &s->src[0], t));
    memcpy(place, &value, drawn_atomics[s->op].bytes);
}

/* What one thread does by itself. */
static void run_thread(struct state *x, const struct drawn_statement *s, uint32_t t) {
    if (guarded_out(x, s, t))
        return;
    switch (s->kind) {
    case DRAWN_COMPUTE:
        compute(x, s, t);
        break;
    case DRAWN_COUNTER:
        *reg(x, 'r', s->dst, t) = x->frame->counter[s->number][t];
        break;
    case DRAWN_LOAD:
    case DRAWN_STORE:
        access(x, s, t);
        break;
    case DRAWN_ATOMIC:
        atomic(x, s, t);
        break;
    case DRAWN_RETURN:
        x->jump[t] = RETURNS;
        x->ended[t] = x->function == DRAWN_FUNCTIONS;
        break;
    default: /* DRAWN_BREAK, DRAWN_CONTINUE */
        x->jump[t] = s->kind == DRAWN_BREAK ? BREAKS : CONTINUES;
        x->levels[t] = (uint8_t)s->number;
    }
}

/* ---- together ---- */

/* All threads that have not ended come to it. */
static void want_all(struct state *x, const struct threads *of) {
    for (uint32_t t = 0; t < x->drawn->threads; t++)
        x->wrong |= of->here[t] == x->ended[t];
}

static void exchange(struct state *x, const struct drawn_statement *s, const struct threads *of) {
    uint32_t n = x->drawn->threads;
    want_all(x, of);
    for (uint32_t t = 0; t < n; t++)
        if (of->here[t])
            x->passing[t] = (uint32_t)*reg(x, 'r', s->src[0].reg, t);
    for (uint32_t t = 0; t < n; t++)
        if (of->here[t])
            *reg(x, 'r', s->dst, t) = x->passing[(t + s->number) % n];
}

static void barrier(struct state *x, const struct drawn_statement *s, const struct threads *of) {
    uint32_t all = 0, holds = 0;
    want_all(x, of);
    for (uint32_t t = 0; t < x->drawn->threads; t++) {
        all += of->here[t];
        holds += of->here[t] && *reg(x, 'p', s->src[0].reg, t);
    }
    for (uint32_t t = 0; t < x->drawn->threads && s->kind == DRAWN_BARRIER_REDUCE; t++)
        if (of->here[t])
            *reg(x, s->class, s->dst, t) = s->op == 0   ? holds
                                           : s->op == 1 ? holds == all
                                                        : holds != 0;
}

/* The lane that a lane asks, as PTX defines it; false: none. */
static bool asked(const struct drawn_statement *s, uint32_t lane, uint32_t b, uint32_t c,
                  uint32_t *from) {
    uint32_t segment = c >> 8 & 31, most = (lane & segment) | (c & 31 & ~segment);
    int32_t j;
    b &= 31;
    switch (s->op) {
    case 0:
        j = (int32_t)lane - (int32_t)b;
        *from = (uint32_t)j;
        return j >= (int32_t)most;
    case 1:
        *from = lane + b;
        break;
    case 2:
        *from = lane ^ b;
        break;
    default:
        *from = (lane & segment) | (b & ~segment);
    }
    return *from <= most;
}

static uint64_t reduced(unsigned op, uint64_t all, uint64_t value) {
    switch (op) {
    case 0:
        return all + value;
    case 1:
        return (int32_t)(uint32_t)value < (int32_t)(uint32_t)all ? value : all;
    case 2:
        return value > all ? value : all;
    case 3:
        return all & value;
    case 4:
        return all | value;
    default:
        return all ^ value;
    }
}

/* A warp, whose first thread is `first`; its lanes that are here. */
static void warp(struct state *x, const struct drawn_statement *s, uint32_t first, uint32_t lanes) {
    uint64_t out[32] = {0}, value[32] = {0};
    bool within[32] = {false};
    uint64_t all = 0;
    uint32_t ballot = 0, seen = 0;
    for (uint32_t i = 0; i < 32; i++) {
        if (!(lanes >> i & 1))
            continue;
        bool vote = s->kind == DRAWN_VOTE;
        value[i] = *reg(x, vote ? 'p' : 'r', s->src[0].reg, first + i) ^ (vote && s->negated);
        ballot |= (uint32_t)(value[i] & 1) << i;
        all = seen++ ? reduced(s->op, all, value[i]) : value[i];
    }
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t from = i;
        if (!(lanes >> i & 1))
            continue;
        if (s->kind == DRAWN_SHUFFLE) {
            within[i] = asked(s, i, (uint32_t)source(x, 'r', &s->src[1], first + i),
                              (uint32_t)source(x, 'r', &s->src[2], first + i), &from);
            out[i] = value[within[i] && lanes >> (from & 31) & 1 ? from : i];
        } else if (s->kind == DRAWN_VOTE) {
            out[i] = s->op == 0   ? ballot
                     : s->op == 1 ? ballot == lanes
                     : s->op == 2 ? ballot != 0
                                  : ballot == 0 || ballot == lanes;
        } else if (s->kind == DRAWN_MATCH) {
            for (uint32_t k = 0; k < 32; k++)
                out[i] |= (uint64_t)(lanes >> k & 1 && value[k] == value[i]) << k;
        } else {
            out[i] = all;
        }
    }
    for (uint32_t i = 0; i < 32; i++)
        if (lanes >> i & 1) {
            *reg(x, s->class, s->dst, first + i) = cut(s->class, out[i]);
            if (s->kind == DRAWN_SHUFFLE && s->has_second)
                *reg(x, 'p', s->second, first + i) = within[i];
        }
}

static void among_lanes(struct state *x, const struct drawn_statement *s,
                        const struct threads *of) {
    for (uint32_t first = 0; first < x->drawn->threads; first += 32) {
        uint32_t lanes = 0, live = 0;
        for (uint32_t i = 0; i < 32 && first + i < x->drawn->threads; i++) {
            lanes |= (uint32_t)of->here[first + i] << i;
            live |= (uint32_t)!x->ended[first + i] << i;
        }
        x->wrong |= lanes && lanes != (live & s->mask);
        warp(x, s, first, lanes);
    }
}

/* ---- control ---- */

static bool condition(struct state *x, const struct drawn_statement *s, uint32_t t) {
    bool holds = s->condition == DRAWN_BY_LANE    ? (t % 32) >> s->number & 1
                 : s->condition == DRAWN_BY_BLOCK ? (x->block & 1) == s->number
                                                  : *reg(x, 'p', s->src[0].reg, t) != 0;
    return holds != s->negated;
}

static void run_if(struct state *x, const struct drawn_statement *s, const struct threads *of) {
    struct threads part[2] = {*of, *of};
    for (uint32_t t = 0; t < x->drawn->threads; t++)
        if (of->here[t])
            part[condition(x, s, t)].here[t] = false;
    for (unsigned i = 0; i < 2; i++)
        if (s->part[i])
            run_block(x, s->part[i], &part[i]);
}

static void run_switch(struct state *x, const struct drawn_statement *s, const struct threads *of) {
    uint8_t to[DRAWN_BLOCK];
    struct threads now = {{false}};
    for (uint32_t t = 0; t < x->drawn->threads; t++)
        to[t] = (uint8_t)(*reg(x, 'r', s->src[0].reg, t) & 3);
    for (unsigned i = 0; i < 4; i++) {
        if (!s->part[i])
            continue;
        for (uint32_t t = 0; t < x->drawn->threads; t++)
            now.here[t] |= of->here[t] && to[t] == i;
        run_block(x, s->part[i], &now);
        if (!s->falls[i])
            now = (struct threads){{false}};
    }
}

/* After the body: who goes round once more. */
static void leave_body(struct state *x, struct threads *round) {
    for (uint32_t t = 0; t < x->drawn->threads; t++) {
        if (!round->here[t] || x->jump[t] == GOES_ON)
            continue;
        if (x->jump[t] == RETURNS) {
            round->here[t] = false;
        } else if (x->levels[t]) {
            x->levels[t]--;
            round->here[t] = false;
        } else {
            round->here[t] = x->jump[t] == CONTINUES;
            x->jump[t] = GOES_ON;
        }
    }
}

static void run_loop(struct state *x, const struct drawn_statement *s, const struct threads *of) {
    struct threads round = *of;
    uint32_t *counter = x->frame->counter[s->number], bound[DRAWN_BLOCK];
    bool some = true, first = true;
    for (uint32_t t = 0; t < x->drawn->threads; t++)
        if (of->here[t]) {
            counter[t] = 0;
            bound[t] = (uint32_t)source(x, 'r', &s->src[0], t) & 3;
        }
    for (; some; first = false) {
        some = false;
        for (uint32_t t = 0; t < x->drawn->threads; t++) {
            counter[t] += round.here[t] && !first;
            round.here[t] &= (s->down && first) || (of->here[t] && counter[t] < bound[t]);
            some |= round.here[t];
        }
        if (some)
            run_block(x, s->part[0], &round);
        leave_body(x, &round);
    }
}

static void initialise(struct frame *f) {
    for (unsigned c = 0; c < DRAWN_CLASS_COUNT; c++)
        for (unsigned i = 0; i < DRAWN_REGISTERS; i++)
            for (uint32_t t = 0; t < DRAWN_BLOCK; t++)
                f->reg[c][i][t] = drawn_initial(DRAWN_CLASSES[c], i);
}

static void call(struct state *x, const struct drawn_statement *s, const struct threads *of) {
    const struct drawn_function *f = &x->drawn->function[s->number];
    struct frame *caller = x->frame, *callee = &x->frames[s->number];
    unsigned from = x->function;
    initialise(callee);
    for (uint32_t t = 0; t < x->drawn->threads; t++)
        for (unsigned i = 0; i < f->parameters; i++) {
            uint64_t value = source(x, f->parameter[i], &s->src[i], t);
            x->frame = callee;
            *reg(x, f->parameter[i], i, t) = value;
            x->frame = caller;
        }
    x->frame = callee;
    x->function = s->number;
    run_block(x, f->body, of);
    for (uint32_t t = 0; t < x->drawn->threads; t++)
        if (of->here[t]) {
            uint64_t value = *reg(x, f->result, 0, t);
            x->frame = caller;
            *reg(x, f->result, s->dst, t) = value;
            x->frame = callee;
            x->jump[t] = GOES_ON;
        }
    x->frame = caller;
    x->function = from;
}

static void run_statement(struct state *x, const struct drawn_statement *s,
                          const struct threads *of) {
    switch (s->kind) {
    case DRAWN_IF:
        run_if(x, s, of);
        break;
    case DRAWN_SWITCH:
        run_switch(x, s, of);
        break;
    case DRAWN_LOOP:
        run_loop(x, s, of);
        break;
    case DRAWN_CALL:
        call(x, s, of);
        break;
    case DRAWN_EXCHANGE:
        exchange(x, s, of);
        break;
    case DRAWN_BARRIER:
    case DRAWN_BARRIER_REDUCE:
        barrier(x, s, of);
        break;
    case DRAWN_SHUFFLE:
    case DRAWN_VOTE:
    case DRAWN_MATCH:
    case DRAWN_REDUX:
        among_lanes(x, s, of);
        break;
    default:
        for (uint32_t t = 0; t < x->drawn->threads; t++)
            if (of->here[t])
                run_thread(x, s, t);
    }
}

static void run_block(struct state *x, const struct drawn_block *block, const struct threads *of) {
    for (size_t i = 0; i < block->list.len; i++) {
        struct threads now = *of;
        bool some = false;
        for (uint32_t t = 0; t < x->drawn->threads; t++) {
            now.here[t] &= x->jump[t] == GOES_ON;
            some |= now.here[t];
        }
        if (some)
            run_statement(x, &block->list.data[i], &now);
    }
}

/* ---- kernels ---- */

static uint64_t word_of(float f) {
    uint32_t word;
    memcpy(&word, &f, sizeof word);
    return word;
}

static void begin_thread(struct state *x, uint32_t t) {
    uint32_t all = x->block * x->drawn->threads + t;
    double wide = all;
    *reg(x, 'r', 0, t) = t;
    *reg(x, 'r', 1, t) = all;
    *reg(x, 'r', 2, t) = t % 32;
    *reg(x, 'r', 3, t) = x->drawn->n;
    *reg(x, 'r', 4, t) = x->drawn->passed[1];
    *reg(x, 'r', 5, t) = x->drawn->passed[2];
    *reg(x, 'f', 0, t) = word_of((float)t);
    memcpy(reg(x, 'g', 0, t), &wide, sizeof wide);
    *reg(x, 'd', 0, t) = (uint64_t)all * 2654435769u;
    *reg(x, 'h', 0, t) = t;
    *reg(x, 'p', 0, t) = t % 32 < 13;
}

static uint64_t folded(struct state *x, char class, uint32_t t) {
    uint64_t all = 0;
    for (unsigned i = 0; i < DRAWN_REGISTERS; i++)
        all = all * 31 + *reg(x, class, i, t);
    return drawn_bits(class) == 64 ? all : all & UINT32_MAX;
}

static void end_thread(struct state *x, uint32_t t) {
    static const char left[][3] = {"r0", "r1", "f1", "d0", "d1", "g0"};
    uint64_t *own = x->own + ((size_t)x->block * x->drawn->threads + t) * DRAWN_SLOTS;
    for (unsigned i = 0; i < DRAWN_CLASS_COUNT; i++)
        own[8 + i] = x->drawn->folds ? folded(x, DRAWN_CLASSES[i], t)
                                     : *reg(x, left[i][0], (unsigned)(left[i][1] - '0'), t);
    own[15] = x->counted[t % DRAWN_SUMS];
}

bool drawn_values(const struct drawn *drawn, uint64_t *own, uint64_t *sums) {
    struct state *x = xcalloc(1, sizeof *x);
    struct frame *frames = xcalloc(DRAWN_FUNCTIONS + 1, sizeof *frames);
    bool fine = true;
    memset(own, 0, (size_t)drawn->threads * drawn->blocks_of_grid * DRAWN_SLOTS * sizeof *own);
    memcpy(sums, drawn->sums, sizeof drawn->sums);
    for (uint32_t b = 0; b < drawn->blocks_of_grid; b++) {
        struct threads all = {{false}};
        memset(x, 0, sizeof *x);
        *x = (struct state){.drawn = drawn,
                            .block = b,
                            .own = own,
                            .sums = sums,
                            .frames = frames,
                            .frame = &frames[DRAWN_FUNCTIONS],
                            .function = DRAWN_FUNCTIONS};
        initialise(x->frame);
        for (uint32_t t = 0; t < drawn->threads; t++) {
            all.here[t] = true;
            begin_thread(x, t);
        }
        run_block(x, drawn->function[DRAWN_FUNCTIONS].body, &all);
        for (uint32_t t = 0; t < drawn->threads; t++)
            if (!x->ended[t])
                end_thread(x, t);
        fine &= !x->wrong;
    }
    free(frames);
    free(x);
    return fine;
}

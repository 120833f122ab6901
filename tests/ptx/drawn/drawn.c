/* SPDX-License-Identifier: MIT
 * Drawing kernels. */
#include "tests/ptx/drawn/drawn.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <stdlib.h>
#include <string.h>

/* Where a statement is drawn. */
struct place {
    struct drawn *drawn;
    uint64_t *seed;
    struct drawn_function *function;
    unsigned function_number;
    int *budget;          /* statements that may still be drawn */
    bool *returned;       /* threads of the kernel may have ended */
    unsigned depth;       /* of statements in statements, */
    unsigned loops;       /* loops around it that it may leave, */
    uint32_t inner[8];    /* and their numbers; of all, */
    unsigned inner_count; /* so many */
    bool warp, block;     /* all lanes of the mask, all threads of the block are there */
    bool turns;           /* it lies in a loop whose laps are the same for all */
    uint32_t mask;        /* lanes that come here */
    bool careless;        /* does as if all came, where they may not */
};

static unsigned below(const struct place *p, unsigned n) {
    return (unsigned)(splitmix64(p->seed) % n);
}
static bool one_of(const struct place *p, unsigned n) {
    return below(p, n) == 0;
}

/* ---- operands ---- */

static uint64_t any_number(const struct place *p, char class) {
    static const uint64_t whole[] = {0, 1, 2, 3, 5, 8, 15, 16, 31, 32, 33, 64, 255, 0x7fffffff};
    static const uint32_t singles[] = {0,          0x3f800000, 0xbf800000, 0x40490fdb, 0x3f000000,
                                       0x80000000, 0x7f800000, 0x7fffffff, 1,          0x4f000000};
    static const uint64_t doubles[] = {0,
                                       UINT64_C(0x3ff0000000000000),
                                       UINT64_C(0xc00921fb54442d18),
                                       UINT64_C(0x41e0000000000000),
                                       UINT64_C(0x7ff0000000000000),
                                       UINT64_C(0x3fd5555555555555)};
    uint64_t mask = low_bits(drawn_bits(class));
    if (class == 'f')
        return one_of(p, 3) ? (splitmix64(p->seed) & mask & ~(uint64_t)0x400000) & 0x5fffffff
                            : singles[below(p, sizeof singles / sizeof *singles)];
    if (class == 'g')
        return doubles[below(p, sizeof doubles / sizeof *doubles)];
    switch (below(p, 4)) {
    case 0:
        return splitmix64(p->seed) & mask;
    case 1:
        return (0 - whole[below(p, sizeof whole / sizeof *whole)]) & mask;
    default:
        return whole[below(p, sizeof whole / sizeof *whole)] & mask;
    }
}

static struct drawn_source any_register(const struct place *p) {
    return (struct drawn_source){false, (uint8_t)below(p, DRAWN_REGISTERS), 0};
}
static struct drawn_source any_source(const struct place *p, char class, bool may_be_number) {
    if (!may_be_number || class == 'p' || !one_of(p, 3))
        return any_register(p);
    return (struct drawn_source){true, 0, any_number(p, class)};
}

static void guard(const struct place *p, struct drawn_statement *s) {
    s->guarded = one_of(p, 4);
    s->guard_not = one_of(p, 2);
    s->guard = (uint8_t)below(p, DRAWN_REGISTERS);
}

/* ---- statements ---- */

static const struct drawn_block *draw_block(const struct place *p, int statements);

static struct drawn_block *new_block(struct drawn *drawn) {
    struct drawn_block *b = ARENA_NEW(&drawn->arena, struct drawn_block);
    vec_push(&drawn->blocks, b);
    return b;
}

/* Inside of a branch that only some take. */
static struct place apart(const struct place *p) {
    struct place inside = *p;
    inside.depth++;
    if (!p->careless || one_of(p, 3))
        inside.warp = inside.block = false;
    return inside;
}

static struct drawn_statement compute(const struct place *p) {
    struct drawn_statement s = {.kind = DRAWN_COMPUTE, .op = (uint8_t)below(p, drawn_op_count)};
    const struct drawn_op *op = &drawn_ops[s.op];
    bool whole = strchr(op->text, '{') == NULL; /* parts of a vector are registers */
    s.class = op->result;
    s.dst = (uint8_t)below(p, DRAWN_REGISTERS);
    for (unsigned i = 0; op->sources[i]; i++)
        s.src[i] = any_source(p, op->sources[i], whole && (i || one_of(p, 6)));
    guard(p, &s);
    s.guarded &= strchr(op->text, ';') == NULL; /* two instructions */
    return s;
}

static struct drawn_statement branch(const struct place *p) {
    struct drawn_statement s = {.kind = DRAWN_IF, .src = {any_register(p)}};
    struct place inside = apart(p);
    s.negated = one_of(p, 2);
    s.turned = one_of(p, 3);
    if (p->block && one_of(p, 4)) { /* by the block's number: all threads go one way */
        s.condition = DRAWN_BY_BLOCK;
        s.number = below(p, 2);
        inside.warp = p->warp;
        inside.block = true;
    } else if (p->warp && !*p->returned && one_of(p, 3)) { /* by a bit of the lane's */
        s.condition = DRAWN_BY_LANE;
        s.number = below(p, 5);
        inside.warp = true;
    }
    for (unsigned i = 0; i < 2; i++) {
        if (i && one_of(p, 2))
            break;
        if (s.condition == DRAWN_BY_LANE) {
            inside.mask = 0;
            for (unsigned lane = 0; lane < 32; lane++)
                if ((lane >> s.number & 1) != (i ^ s.negated))
                    inside.mask |= p->mask & (uint32_t)1 << lane;
        }
        if (s.condition != DRAWN_BY_LANE || inside.mask)
            s.part[i] = draw_block(&inside, 1 + (int)below(p, 5));
    }
    return s;
}

static struct drawn_statement choice(const struct place *p) {
    struct drawn_statement s = {.kind = DRAWN_SWITCH, .src = {any_register(p)}};
    struct place inside = apart(p);
    for (unsigned i = 0; i < 4; i++)
        if (i == 0 || !one_of(p, 4)) {
            s.part[i] = draw_block(&inside, 1 + (int)below(p, 3));
            s.falls[i] = one_of(p, 4);
        }
    return s;
}

static struct drawn_statement loop(const struct place *p) {
    struct drawn_statement s = {.kind = DRAWN_LOOP, .number = p->function->loops++};
    struct place inside = *p;
    bool same = p->block && one_of(p, 2);
    s.down = one_of(p, 2);
    s.src[0] = same ? (struct drawn_source){true, 0, below(p, 4)} : any_register(p);
    if (!same) {
        inside = apart(p);
        inside.turns = p->turns;
    } else {
        inside.depth++;
        inside.turns = true;
        inside.loops = 0;
    }
    inside.inner[inside.inner_count++] = s.number;
    inside.loops += !same;
    s.part[0] = draw_block(&inside, 1 + (int)below(p, 6));
    return s;
}

static struct drawn_statement leave(const struct place *p) {
    struct drawn_statement s = {.kind = one_of(p, 2) ? DRAWN_BREAK : DRAWN_CONTINUE};
    s.number = below(p, p->loops);
    guard(p, &s);
    s.guarded = true;
    return s;
}

static bool may_return(const struct place *p) {
    return p->function->together == 0 && !p->turns;
}

static struct drawn_statement come_back(const struct place *p) {
    struct drawn_statement s = {.kind = DRAWN_RETURN, .op = (uint8_t)below(p, 3)};
    guard(p, &s);
    s.guarded = true;
    if (p->function_number == DRAWN_FUNCTIONS)
        *p->returned = true;
    return s;
}

static struct drawn_statement call(const struct place *p) {
    struct drawn_statement s = {.kind = DRAWN_CALL};
    unsigned together = p->mask != UINT32_MAX || *p->returned || !p->warp ? 0 : p->block ? 2 : 1;
    s.number = below(p, p->function_number);
    const struct drawn_function *f = &p->drawn->function[s.number];
    if (f->together > together)
        return compute(p);
    s.class = f->result;
    s.dst = (uint8_t)below(p, DRAWN_REGISTERS);
    for (unsigned i = 0; i < f->parameters; i++)
        s.src[i] = any_source(p, f->parameter[i], true);
    return s;
}

static struct drawn_statement memory(const struct place *p) {
    struct drawn_statement s = {.kind = DRAWN_LOAD, .vector = 1};
    bool kernel = p->function_number == DRAWN_FUNCTIONS;
    s.op = (uint8_t)below(p, drawn_type_count);
    s.class = drawn_types[s.op].class;
    s.space = kernel ? (enum drawn_space)below(p, DRAWN_SPACES) : DRAWN_TABLE;
    if (s.space != DRAWN_TABLE && s.space != DRAWN_INPUT && one_of(p, 2))
        s.kind = DRAWN_STORE;
    s.src[0] = any_source(p, s.class, s.kind == DRAWN_STORE);
    s.src[1] = any_register(p);
    s.dst = (uint8_t)below(p, DRAWN_REGISTERS);
    s.number = below(p, 8);
    s.generic = one_of(p, 3);
    if (strchr("rfdg", s.class) && drawn_bits(s.class) == 8u * drawn_types[s.op].bytes &&
        one_of(p, 4) && !s.src[0].number)
        s.vector = drawn_types[s.op].bytes == 4 && one_of(p, 2) ? 4 : 2;
    guard(p, &s);
    return s;
}

static struct drawn_statement atomic(const struct place *p) {
    struct drawn_statement s = {.kind = DRAWN_ATOMIC, .op = (uint8_t)below(p, drawn_atomic_count)};
    s.class = drawn_atomics[s.op].class;
    s.src[0] = any_source(p, s.class, true);
    s.src[1] = any_register(p);
    s.space = one_of(p, 2) ? DRAWN_SHARED : DRAWN_OWN;
    s.generic = one_of(p, 3);
    s.turned = one_of(p, 2); /* red, and not atom */
    if (drawn_atomics[s.op].fixed)
        s.src[0] = (struct drawn_source){true, 0, s.class == 'f' ? 0x40400000 : 37};
    guard(p, &s);
    return s;
}

static struct drawn_statement exchange(const struct place *p) {
    struct drawn_statement s = {.kind = DRAWN_EXCHANGE, .class = 'r'};
    s.src[0] = any_register(p);
    s.dst = (uint8_t)below(p, DRAWN_REGISTERS);
    s.number = below(p, DRAWN_BLOCK);
    return s;
}

static struct drawn_statement barrier(const struct place *p) {
    struct drawn_statement s = {.kind = one_of(p, 2) ? DRAWN_BARRIER : DRAWN_BARRIER_REDUCE};
    s.op = (uint8_t)below(p, 3);
    s.class = s.op ? 'p' : 'r';
    s.dst = (uint8_t)below(p, DRAWN_REGISTERS);
    s.src[0] = any_register(p);
    s.number = below(p, 16);
    return s;
}

static struct drawn_statement among_lanes(const struct place *p) {
    struct drawn_statement s = {
        .kind = (enum drawn_kind)(DRAWN_SHUFFLE + below(p, 4)), .mask = p->mask, .class = 'r'};
    if (s.kind == DRAWN_SHUFFLE && *p->returned)
        s.kind = DRAWN_VOTE;
    s.dst = (uint8_t)below(p, DRAWN_REGISTERS);
    s.second = (uint8_t)below(p, DRAWN_REGISTERS);
    s.has_second = one_of(p, 2);
    s.op = (uint8_t)below(p, 4);
    s.negated = one_of(p, 3);
    s.generic = one_of(p, 2); /* the mask in a register */
    if (s.kind == DRAWN_VOTE && s.op)
        s.class = 'p';
    s.src[0] = any_register(p);
    if (s.kind == DRAWN_SHUFFLE) {
        static const uint64_t segments[] = {0, 0x1000, 0x1800, 0x1c00, 0x1e00};
        s.src[1] = one_of(p, 4) ? any_register(p) : (struct drawn_source){true, 0, below(p, 33)};
        s.src[2] =
            one_of(p, 8)
                ? any_register(p)
                : (struct drawn_source){true, 0, segments[below(p, 5)] | (s.op == 0 ? 0 : 31)};
    } else if (s.kind == DRAWN_REDUX) {
        s.op = (uint8_t)below(p, 6);
    }
    return s;
}

static struct drawn_statement draw_statement(const struct place *p) {
    bool deep = p->depth > 3 || *p->budget < 4;
    bool kernel = p->function_number == DRAWN_FUNCTIONS;
    switch (below(p, 24)) {
    case 0:
    case 1:
        return deep ? compute(p) : branch(p);
    case 2:
        return deep ? compute(p) : choice(p);
    case 3:
    case 4:
        return deep || p->function->loops == DRAWN_LOOPS || p->inner_count > 2 ? compute(p)
                                                                               : loop(p);
    case 5:
    case 6:
        return p->loops ? leave(p) : compute(p);
    case 7:
        return may_return(p) && one_of(p, 2) ? come_back(p) : compute(p);
    case 8:
        return p->function_number && p->inner_count < 2 ? call(p) : compute(p);
    case 9:
    case 10:
    case 11:
        return memory(p);
    case 12:
        return kernel ? atomic(p) : compute(p);
    case 13:
        return p->block && kernel ? exchange(p) : memory(p);
    case 14:
        return p->block && p->function->together != 1 ? barrier(p) : compute(p);
    case 15:
    case 16:
        return p->warp && (kernel || p->function->together) ? among_lanes(p) : compute(p);
    case 17:
        return p->inner_count
                   ? (struct drawn_statement){.kind = DRAWN_COUNTER,
                                              .class = 'r',
                                              .dst = (uint8_t)below(p, DRAWN_REGISTERS),
                                              .number = p->inner[below(p, p->inner_count)]}
                   : compute(p);
    default:
        return compute(p);
    }
}

static const struct drawn_block *draw_block(const struct place *p, int statements) {
    struct drawn_block *b = new_block(p->drawn);
    while (statements-- > 0 && *p->budget > 0) {
        --*p->budget;
        vec_push(&b->list, draw_statement(p));
    }
    return b;
}

/* ---- kernels ---- */

static void draw_function(struct place *p, unsigned number, int budget) {
    struct drawn_function *f = &p->drawn->function[number];
    bool kernel = number == DRAWN_FUNCTIONS;
    *f = (struct drawn_function){.result = "rdfg"[below(p, 4)],
                                 .parameters = kernel ? 0 : (uint8_t)below(p, 4),
                                 .together = kernel || one_of(p, 2) ? 0 : (uint8_t)below(p, 3)};
    for (unsigned i = 0; i < f->parameters; i++)
        f->parameter[i] = "rdfg"[below(p, 4)];
    p->function = f;
    p->function_number = number;
    p->warp = kernel || f->together;
    p->block = kernel || f->together == 2;
    *p->budget = budget;
    f->body = draw_block(p, budget);
}

/* So many threads and blocks in up to three dimensions. */
static void draw_geometry(const struct place *p) {
    static const uint32_t blocks[][3] = {{32, 1, 1}, {64, 1, 1}, {1, 1, 1},  {7, 1, 1},
                                         {33, 1, 1}, {96, 1, 1}, {8, 5, 1},  {4, 3, 5},
                                         {16, 4, 1}, {31, 1, 2}, {32, 2, 1}, {100, 1, 1}};
    static const uint32_t grids[][3] = {{1, 1, 1}, {2, 1, 1}, {3, 1, 1}, {2, 2, 1}, {1, 1, 2}};
    struct drawn *d = p->drawn;
    memcpy(d->block, blocks[below(p, sizeof blocks / sizeof *blocks)], sizeof d->block);
    memcpy(d->grid, grids[below(p, sizeof grids / sizeof *grids)], sizeof d->grid);
    d->threads = d->block[0] * d->block[1] * d->block[2];
    d->blocks_of_grid = d->grid[0] * d->grid[1] * d->grid[2];
    d->dynamic = 4 * (uint64_t)d->threads;
}

static void draw_bytes(const struct place *p, unsigned char *bytes, size_t n) {
    for (size_t i = 0; i < n; i += 4) {
        uint32_t word = (uint32_t)any_number(p, one_of(p, 3) ? 'f' : 'r');
        memcpy(bytes + i, &word, 4);
    }
}

static struct drawn *draw_kernel(uint64_t seed, bool careless) {
    struct drawn *d = xcalloc(1, sizeof *d);
    bool returned = false;
    int budget = 0;
    struct place p = {.drawn = d,
                      .seed = &seed,
                      .budget = &budget,
                      .returned = &returned,
                      .mask = UINT32_MAX,
                      .careless = careless};
    draw_geometry(&p);
    draw_bytes(&p, d->input, sizeof d->input);
    draw_bytes(&p, d->table, sizeof d->table);
    for (unsigned i = 0; i < DRAWN_SUMS; i++) /* those of float32 are 0 */
        d->sums[i] = drawn_atomics[i / 4].class == 'f' ? 0 : any_number(&p, 'd') >> 1;
    d->folds = one_of(&p, 3);
    d->n = (uint32_t)any_number(&p, 'r');
    for (unsigned i = 0; i < 3; i++)
        d->passed[i] = (uint32_t)any_number(&p, 'r');
    for (unsigned i = 0; i <= DRAWN_FUNCTIONS; i++)
        draw_function(&p, i,
                      i < DRAWN_FUNCTIONS ? 2 + (int)below(&p, 10) : 10 + (int)below(&p, 60));
    return d;
}

struct drawn *drawn_new(uint64_t seed) {
    return draw_kernel(seed, false);
}

struct drawn *drawn_new_careless(uint64_t seed) {
    return draw_kernel(seed, true);
}

void drawn_free(struct drawn *drawn) {
    for (size_t i = 0; i < drawn->blocks.len; i++)
        vec_free(&drawn->blocks.data[i]->list);
    vec_free(&drawn->blocks);
    arena_free(&drawn->arena);
    free(drawn);
}

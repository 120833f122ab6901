/* SPDX-License-Identifier: MIT
 * Random kernels in PTX, with what they leave in memory worked out beside: a kernel is drawn as
 * nested statements (drawn.c), written as a text (text.c), and carried out statement by statement
 * for all threads of a block at once (values.c), which knows neither branches nor registers of PTX,
 * nor the library.  Whatever order threads take, the results are the same: what one writes and
 * another reads lies on two sides of a barrier, and atomics commute. */
#ifndef TESTS_PTX_DRAWN_DRAWN_H
#define TESTS_PTX_DRAWN_DRAWN_H

#include "support/arena.h"
#include "support/str.h"
#include "support/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* Classes of registers: predicates, 16, 32 and 64 bits, float32, float64. */
#define DRAWN_CLASSES "phrdfg"
enum { DRAWN_CLASS_COUNT = 6, DRAWN_REGISTERS = 8, DRAWN_LOOPS = 16, DRAWN_FUNCTIONS = 3 };
unsigned drawn_bits(char class);

struct drawn_source {
    bool number; /* value; else a register */
    uint8_t reg;
    uint64_t value;
};

enum drawn_kind {
    DRAWN_COMPUTE,  /* an instruction of ops.def */
    DRAWN_IF,       /* part[0], else part[1] */
    DRAWN_SWITCH,   /* by src[0] & 3: part[..]; what falls through goes on in the next one */
    DRAWN_LOOP,     /* part[0], as often as src[0] says */
    DRAWN_COUNTER,  /* how often the loop went round */
    DRAWN_BREAK,    /* out of `number` loops more than the innermost */
    DRAWN_CONTINUE, /* likewise */
    DRAWN_RETURN,
    DRAWN_CALL,
    DRAWN_LOAD,
    DRAWN_STORE,
    DRAWN_ATOMIC,
    DRAWN_EXCHANGE, /* through shared memory, between two barriers */
    DRAWN_BARRIER,
    DRAWN_BARRIER_REDUCE,
    DRAWN_SHUFFLE,
    DRAWN_VOTE,
    DRAWN_MATCH,
    DRAWN_REDUX,
};
enum drawn_condition {
    DRAWN_BY_REGISTER, /* a predicate */
    DRAWN_BY_LANE,     /* a bit of the lane's number, */
    DRAWN_BY_BLOCK,    /* of the block's */
};
enum drawn_space {
    DRAWN_INPUT,  /* only read; by a register */
    DRAWN_OWN,    /* eight words of 64 bits of each thread, */
    DRAWN_SHARED, /* and 16 bytes in shared memory */
    DRAWN_LOCAL,  /* by a register */
    DRAWN_TABLE,  /* constants; by a register */
    DRAWN_SPACES,
};
enum {
    DRAWN_INPUT_BYTES = 1024,
    DRAWN_INPUT_ROOM = DRAWN_INPUT_BYTES + 128,
    DRAWN_SLOTS = 16, /* words of 64 bits that a thread leaves: its own eight, then registers */
    DRAWN_SHARED_BYTES = 16,
    DRAWN_LOCAL_BYTES = 64,
    DRAWN_TABLE_BYTES = 64,
    DRAWN_SUMS = 4 * 12, /* words of 64 bits for atomics: four for each of them */
    DRAWN_BLOCK = 256,   /* threads at most */
};

struct drawn_block;
struct drawn_statement {
    enum drawn_kind kind;
    uint8_t op; /* of ops.def, memory types, atomics, modes */
    char class; /* of the result */
    uint8_t dst, second;
    bool has_second;
    struct drawn_source src[4];
    bool guarded, guard_not;
    uint8_t guard;
    enum drawn_condition condition; /* of DRAWN_IF: src[0], or a bit, number */
    bool negated, turned, generic, down, falls[4];
    uint8_t vector; /* 1, 2, 4 */
    enum drawn_space space;
    uint32_t number, mask;
    const struct drawn_block *part[4];
};
struct drawn_block {
    VEC(struct drawn_statement) list;
};

struct drawn_function {
    char result, parameter[3]; /* classes; parameters and result are registers 0, 1, .. of theirs */
    uint8_t parameters;
    /* Called where: 0: anywhere; 1: all lanes of the warp are there; 2: all threads of the block */
    uint8_t together;
    uint8_t loops;
    const struct drawn_block *body;
};
struct drawn {
    struct arena arena;
    VEC(struct drawn_block *) blocks;                    /* all, to be freed */
    struct drawn_function function[DRAWN_FUNCTIONS + 1]; /* the last one: the kernel */
    uint32_t grid[3], block[3];
    uint32_t threads, blocks_of_grid;
    uint64_t dynamic; /* bytes of shared memory */
    bool folds;       /* it leaves what all registers hold, and not some */
    unsigned char input[DRAWN_INPUT_ROOM], table[DRAWN_TABLE_BYTES];
    uint64_t sums[DRAWN_SUMS];
    uint32_t n; /* parameters: a number, and a structure by value */
    uint32_t passed[3];
};

struct drawn *drawn_new(uint64_t seed);
/* One whose threads may come to barriers, shuffles and votes in parts. */
struct drawn *drawn_new_careless(uint64_t seed);
void drawn_free(struct drawn *drawn);
/* The text; its entry is k(input, own, sums, n, passed). */
void drawn_text(const struct drawn *drawn, struct str *out);
/* What is in memory afterwards: own[threads * blocks * DRAWN_SLOTS] and sums; they begin as 0 and
 * as drawn->sums.  False: the kernel does what it must not. */
bool drawn_values(const struct drawn *drawn, uint64_t *own, uint64_t *sums);

/* ---- ops.def ---- */
struct drawn_op {
    const char *text; /* "add.s32"; or, with $0 for the result and $1.. for sources, all of it */
    char result;
    const char *sources;
};
extern const struct drawn_op drawn_ops[];
extern const unsigned drawn_op_count;
uint64_t drawn_compute(unsigned op, const uint64_t *in);
/* What a register holds at first, in functions and in the kernel (text.c: begin_kernel has some
 * more). */
uint64_t drawn_initial(char class, unsigned reg);

struct drawn_memory_type {
    const char *text;
    char class;
    uint8_t bytes;
    bool is_signed;
};
extern const struct drawn_memory_type drawn_types[];
extern const unsigned drawn_type_count;

struct drawn_atomic {
    const char *text; /* "add.u32" */
    char class;
    uint8_t bytes;
    bool fixed; /* operands are all the same number; small ones of float32 */
};
extern const struct drawn_atomic drawn_atomics[];
extern const unsigned drawn_atomic_count;
uint64_t drawn_atomic_value(unsigned atomic, uint64_t old, uint64_t b);

#endif

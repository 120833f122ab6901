/* SPDX-License-Identifier: MIT
 * The scalar IR of cores: what is computed for one element, as values of 1 to 64 bits that are made
 * once.  Nothing here knows an instruction set.
 *
 * A value lies in a word (32 bits) or, where it has more bits, in a pair of words.  Bits above
 * those that it has mean nothing, unless `known` says that they are zeros: who needs them asks for
 * scalar_clean or scalar_signed.  A mask is a value that is 0 or 1.  Values stand in the order in
 * which they are computed; equal ones are one. */
#ifndef MACHINES_CORE_SCALAR_IR_H
#define MACHINES_CORE_SCALAR_IR_H

#include "support/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Operands are a, b, d; k is a constant.  "Wide": of a pair.  What is computed is what acts
 * (scalar_acts) and what that needs. */
enum scalar_op {
    SCALAR_CONST,      /* k */
    SCALAR_LOAD,       /* the low `bytes` bytes of the element of `array`, zeros above */
    SCALAR_LOADS,      /* the same, its sign above */
    SCALAR_LOOKUP,     /* entry a of table `array`; a is below the number of its entries */
    SCALAR_LOOKUP_FAR, /* the same, of a table in memory that comes by transfers */
    SCALAR_ADD,
    SCALAR_SUB,
    SCALAR_MUL, /* k: 1, a core may ask first whether both are small */
    SCALAR_AND,
    SCALAR_OR,
    SCALAR_XOR,
    SCALAR_NOT,
    SCALAR_SHL, /* by k, below the bits of the word or pair */
    SCALAR_SHR,
    SCALAR_SAR,
    SCALAR_SHLV, /* by b, a word; by that many bits or more: 0, or the sign */
    SCALAR_SHRV,
    SCALAR_SARV,
    SCALAR_EQ, /* masks from words or pairs, all of their bits */
    SCALAR_NE,
    SCALAR_LTU,
    SCALAR_GEU,
    SCALAR_LTS,
    SCALAR_GES,
    SCALAR_SELECT,      /* a ? b : d */
    SCALAR_ZERO_EXTEND, /* from the low k bits */
    SCALAR_SIGN_EXTEND,
    SCALAR_LOW,     /* a pair's low word */
    SCALAR_HIGH,    /* its high word */
    SCALAR_PAIR,    /* a: low word, b: high word */
    SCALAR_ONES,    /* how many bits are 1 */
    SCALAR_ZEROS,   /* of a word: how many bits above its highest 1 are 0 */
    SCALAR_DIVIDE,  /* a / b, all ones by 0; unsigned */
    SCALAR_REST,    /* a: a SCALAR_DIVIDE; what is left: by 0 the dividend */
    SCALAR_SCALED,  /* a + (b << k): of words, k below 32 */
    SCALAR_ADDRESS, /* of the element of `array`, a word */
    SCALAR_FETCH, /* `bytes` bytes at address a, zeros above; k: how many PUTs are in front of it */
    SCALAR_CELL,  /* likewise of the element of `array`, in which loops keep what they change */
    SCALAR_CALL,  /* routine k (routines.h) of a, and of b if it has two operands */
    SCALAR_ARGUMENT, /* of a routine: operand k */
    SCALAR_STORE,  /* b to the low `bytes` bytes of the element of `array`; a: only where it is 1 */
    SCALAR_PUT,    /* b to the low `bytes` bytes at address d; a: likewise */
    SCALAR_STOP,   /* the core stops, for reason k, with b in `array`; a: likewise */
    SCALAR_RESULT, /* of a routine: b */
    SCALAR_BEGIN,  /* a loop: what is in front of its SCALAR_AGAIN; a: it has a first lap */
    SCALAR_AGAIN,  /* one lap more of loop k; a: only if it is 1 */
    SCALAR_OPS
};
typedef uint32_t scalar_id; /* 0: none */

struct scalar_value {
    uint8_t op; /* enum scalar_op */
    bool wide;
    uint8_t known;  /* it is below 2^known, as it lies in its word or pair */
    uint8_t wanted; /* so many of its low bits are asked for (scalar_finish) */
    uint8_t bytes;
    bool tied;     /* computed with the value that uses it, where that is */
    uint32_t uses; /* of live values (scalar_finish) */
    scalar_id a, b, d;
    scalar_id guard; /* of a call: it may be left out where this mask is 0; 0: never */
    uint64_t k;
    uint32_t array, element;
    scalar_id alike; /* the one before it whose hash is the same */
    uint16_t source; /* scalar_body.source when it was built first */
};
struct scalar_body {
    VEC(struct scalar_value) values; /* values.data[id - 1] */
    VEC(scalar_id) last;             /* by hash; [0] until there is a value */
    uint64_t puts;                   /* SCALAR_PUT so far */
    scalar_id stored;                /* the last SCALAR_STORE; 0: none */
    uint32_t from;    /* equal values are looked for from here on, and among constants */
    uint32_t element; /* of the loop's lap that is being built */
    scalar_id mask;   /* under which what is built matters; 0: always */
    bool flush;       /* floats have no subnormal numbers (support/ieee.h) */
    /* Of routines (routines.h): those that are called, the others are computed in place; NULL:
     * all. */
    bool (*calls)(uint64_t routine);
    uint16_t source; /* what is built is for this: a number of the builder's; 0: for all */
};

static inline const struct scalar_value *scalar_at(const struct scalar_body *b, scalar_id id) {
    return &b->values.data[id - 1];
}
/* Bits of the word or pair. */
static inline unsigned scalar_room(const struct scalar_body *b, scalar_id id) {
    return scalar_at(b, id)->wide ? 64 : 32;
}

/* What is there for what it does, and not for its value. */
static inline bool scalar_acts(const struct scalar_value *v) {
    return v->op >= SCALAR_STORE;
}
static inline bool scalar_loops(const struct scalar_value *v) {
    return v->op == SCALAR_BEGIN || v->op == SCALAR_AGAIN;
}
/* It is of use: a store whose value is there already has no bytes. */
static inline bool scalar_is_live(const struct scalar_value *v) {
    return scalar_acts(v) ? v->bytes != 0 : v->uses != 0;
}

void scalar_free(struct scalar_body *b);
/* As if nothing had been built. */
void scalar_clear(struct scalar_body *b);
/* What is built from now on is of that lap: it shares constants alone with others. */
void scalar_next(struct scalar_body *b, uint32_t element);

scalar_id scalar_const(struct scalar_body *b, uint64_t k, bool wide);
/* a and c are both words or both pairs. */
scalar_id scalar_two(struct scalar_body *b, enum scalar_op op, scalar_id a, scalar_id c);
scalar_id scalar_not(struct scalar_body *b, scalar_id a);
scalar_id scalar_shift(struct scalar_body *b, enum scalar_op op, scalar_id a, unsigned k);
/* By a word; SCALAR_SHLV and the others. */
scalar_id scalar_shift_by(struct scalar_body *b, enum scalar_op op, scalar_id a, scalar_id count);
scalar_id scalar_select(struct scalar_body *b, scalar_id mask, scalar_id yes, scalar_id no);
/* With zeros, or the sign, above its low w bits. */
scalar_id scalar_clean(struct scalar_body *b, scalar_id a, unsigned w);
scalar_id scalar_signed(struct scalar_body *b, scalar_id a, unsigned w);
/* As a word, or as a pair with anything above. */
scalar_id scalar_word(struct scalar_body *b, scalar_id a);
scalar_id scalar_fit(struct scalar_body *b, scalar_id a, bool wide);
scalar_id scalar_high(struct scalar_body *b, scalar_id a);
scalar_id scalar_pair(struct scalar_body *b, scalar_id low, scalar_id high);
scalar_id scalar_ones(struct scalar_body *b, scalar_id a);
scalar_id scalar_zeros(struct scalar_body *b, scalar_id a); /* of a pair, too; a word */
scalar_id scalar_scaled(struct scalar_body *b, scalar_id a, scalar_id c, unsigned k);
scalar_id scalar_rest(struct scalar_body *b, scalar_id quotient);
/* `known` bits of them may be ones. */
scalar_id scalar_load(struct scalar_body *b, uint32_t array, unsigned bytes, unsigned known);
scalar_id scalar_lookup(struct scalar_body *b, uint32_t table, unsigned bytes, unsigned known,
                        scalar_id index);
scalar_id scalar_lookup_far(struct scalar_body *b, uint32_t table, unsigned bytes, unsigned known,
                            scalar_id index);
void scalar_store(struct scalar_body *b, uint32_t array, unsigned bytes, scalar_id value);
/* Under a mask; 0: always. */
void scalar_store_if(struct scalar_body *b, scalar_id mask, uint32_t array, unsigned bytes,
                     scalar_id value);
scalar_id scalar_address(struct scalar_body *b, uint32_t array);
scalar_id scalar_fetch(struct scalar_body *b, unsigned bytes, scalar_id address);
void scalar_put(struct scalar_body *b, scalar_id mask, unsigned bytes, scalar_id address,
                scalar_id value);
void scalar_stop(struct scalar_body *b, scalar_id mask, uint32_t array, uint64_t reason,
                 scalar_id value);
/* Operands have zeros above their bits where the routine says so. */
scalar_id scalar_call(struct scalar_body *b, uint64_t routine, bool wide, unsigned known,
                      scalar_id a, scalar_id c);
scalar_id scalar_argument(struct scalar_body *b, unsigned which, bool wide, unsigned known);
void scalar_result(struct scalar_body *b, scalar_id value);
/* What a lap leaves for the next one, and for what is behind the loop, is stored in cells: element
 * 0 of an array that nothing else is in.  Values that are made within are not known behind it. */
scalar_id scalar_cell(struct scalar_body *b, uint32_t array, unsigned bytes, unsigned known);
/* The number of the loop. */
scalar_id scalar_loop_begin(struct scalar_body *b, scalar_id mask);
void scalar_loop_end(struct scalar_body *b, scalar_id loop, scalar_id mask);

/* Counts uses, finds the bits that are wanted, leaves stores of what an array already has out, and
 * stores under masks what would be loaded to be stored again. */
void scalar_finish(struct scalar_body *b);

#endif

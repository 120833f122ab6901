/* SPDX-License-Identifier: MIT
 * Values of the scalar IR, and what they simplify to when they are made. */
#include "machines/core/scalar/ir.h"
#include "support/bits.h"

#include <stdlib.h>

void scalar_free(struct scalar_body *b) {
    vec_free(&b->values);
    vec_free(&b->last);
}

void scalar_clear(struct scalar_body *b) {
    scalar_free(b);
    *b = (struct scalar_body){.from = 0};
}

void scalar_next(struct scalar_body *b, uint32_t element) {
    b->from = (uint32_t)b->values.len;
    b->element = element;
    b->mask = 0;
}

static bool same(const struct scalar_value *x, const struct scalar_value *y) {
    return x->op == y->op && x->wide == y->wide && x->a == y->a && x->b == y->b && x->d == y->d &&
           x->k == y->k && x->array == y->array && x->bytes == y->bytes && x->element == y->element;
}
/* It is at the element that the body is at; a load with a sign is made from one. */
static bool is_placed(const struct scalar_value *v) {
    return v->op == SCALAR_LOAD || v->op == SCALAR_ADDRESS;
}

#define HASHES 4096u

static scalar_id *last_of(struct scalar_body *b, const struct scalar_value *v) {
    const uint64_t parts[] = {v->op * 2u + v->wide, v->a, v->b, v->d, v->k, v->array, v->element};
    uint64_t hash = v->bytes;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        hash = (hash ^ parts[i]) * UINT64_C(0x9e3779b97f4a7c15);
    while (b->last.len < HASHES)
        vec_push(&b->last, 0);
    return &b->last.data[hash >> 52];
}

/* A call under a mask may be left out; equal ones under two masks may not. */
static scalar_id value(struct scalar_body *b, struct scalar_value v) {
    if (is_placed(&v))
        v.element = b->element;
    scalar_id *last = last_of(b, &v);
    for (scalar_id i = *last; i; i = b->values.data[i - 1].alike) {
        struct scalar_value *old = &b->values.data[i - 1];
        if (i <= b->from && v.op != SCALAR_CONST)
            break;
        if (!same(old, &v))
            continue;
        if (old->guard != v.guard)
            old->guard = 0;
        return i;
    }
    v.alike = *last;
    v.source = b->source;
    vec_push(&b->values, v);
    return *last = (scalar_id)b->values.len;
}

static bool is_const(const struct scalar_body *b, scalar_id id, uint64_t k) {
    const struct scalar_value *v = scalar_at(b, id);
    return v->op == SCALAR_CONST && v->k == k;
}
static unsigned bits_of(uint64_t k) {
    return k ? 64 - (unsigned)__builtin_clzll(k) : 0;
}
static uint64_t room_mask(bool wide) {
    return low_bits(wide ? 64 : 32);
}

scalar_id scalar_const(struct scalar_body *b, uint64_t k, bool wide) {
    k &= room_mask(wide);
    return value(b, (struct scalar_value){
                        .op = SCALAR_CONST, .wide = wide, .k = k, .known = (uint8_t)bits_of(k)});
}

static uint64_t compared(enum scalar_op op, uint64_t x, uint64_t y, unsigned room) {
    int64_t sx = sign_extend(x, room), sy = sign_extend(y, room);
    switch (op) {
    case SCALAR_EQ:
        return x == y;
    case SCALAR_NE:
        return x != y;
    case SCALAR_LTU:
        return x < y;
    case SCALAR_GEU:
        return x >= y;
    case SCALAR_LTS:
        return sx < sy;
    default:
        return sx >= sy;
    }
}
static uint64_t computed(enum scalar_op op, uint64_t x, uint64_t y, unsigned room) {
    switch (op) {
    case SCALAR_ADD:
        return x + y;
    case SCALAR_SUB:
        return x - y;
    case SCALAR_MUL:
        return x * y;
    case SCALAR_AND:
        return x & y;
    case SCALAR_OR:
        return x | y;
    case SCALAR_XOR:
        return x ^ y;
    case SCALAR_DIVIDE:
        return y ? x / y : UINT64_MAX;
    default:
        return compared(op, x, y, room);
    }
}
static bool compares(enum scalar_op op) {
    return op >= SCALAR_EQ && op <= SCALAR_GES;
}
static bool commutes(enum scalar_op op) {
    return op == SCALAR_ADD || op == SCALAR_MUL || op == SCALAR_AND || op == SCALAR_OR ||
           op == SCALAR_XOR || op == SCALAR_EQ || op == SCALAR_NE;
}
static unsigned at_most(unsigned n, unsigned most) {
    return n < most ? n : most;
}
static unsigned at_least(unsigned n, unsigned least) {
    return n > least ? n : least;
}
static unsigned known_of_two(enum scalar_op op, unsigned x, unsigned y, unsigned room) {
    if (compares(op))
        return 1;
    switch (op) {
    case SCALAR_ADD:
        return at_most(at_least(x, y) + 1, room);
    case SCALAR_MUL:
        return at_most(x + y, room);
    case SCALAR_AND:
        return at_most(x, y);
    case SCALAR_OR:
    case SCALAR_XOR:
        return at_least(x, y);
    default:
        return room;
    }
}

/* Of an operation with a constant on the right; 0: nothing simpler. */
static scalar_id by_constant(struct scalar_body *b, enum scalar_op op, scalar_id a, uint64_t k) {
    bool wide = scalar_at(b, a)->wide;
    uint64_t all = room_mask(wide);
    if (k == 0 && (op == SCALAR_ADD || op == SCALAR_SUB || op == SCALAR_OR || op == SCALAR_XOR))
        return a;
    if (k == 0 && (op == SCALAR_AND || op == SCALAR_MUL || op == SCALAR_LTU))
        return scalar_const(b, 0, wide && op != SCALAR_LTU);
    if (k == 0 && op == SCALAR_GEU)
        return scalar_const(b, 1, false);
    if (k == 0 && op == SCALAR_NE && scalar_at(b, a)->known <= 1)
        return scalar_word(b, a);
    if (k == 0 && op == SCALAR_EQ && scalar_at(b, a)->known <= 1)
        return scalar_two(b, SCALAR_XOR, scalar_word(b, a), scalar_const(b, 1, false));
    if (op == SCALAR_SUB)
        return scalar_two(b, SCALAR_ADD, a, scalar_const(b, 0 - k, wide));
    if (op == SCALAR_XOR && k == all)
        return scalar_not(b, a);
    const struct scalar_value *x = scalar_at(b, a);
    if (op == SCALAR_XOR && x->op == SCALAR_XOR && scalar_at(b, x->b)->op == SCALAR_CONST)
        return scalar_two(b, SCALAR_XOR, x->a, scalar_const(b, k ^ scalar_at(b, x->b)->k, wide));
    if (op == SCALAR_OR && k == all)
        return scalar_const(b, k, wide);
    /* Ones from bit 0 on; so is the 1 of a mask. */
    if (op == SCALAR_AND && (k & (k + 1)) == 0)
        return scalar_clean(b, a, bits_of(k));
    if ((op == SCALAR_MUL || op == SCALAR_DIVIDE) && k && (k & (k - 1)) == 0)
        return scalar_shift(b, op == SCALAR_MUL ? SCALAR_SHL : SCALAR_SHR, a, bits_of(k) - 1);
    return 0;
}

scalar_id scalar_two(struct scalar_body *b, enum scalar_op op, scalar_id a, scalar_id c) {
    const struct scalar_value *x = scalar_at(b, a), *y = scalar_at(b, c);
    unsigned room = x->wide ? 64 : 32;
    if (x->op == SCALAR_CONST && y->op == SCALAR_CONST)
        return scalar_const(b, computed(op, x->k, y->k, room), x->wide && !compares(op));
    /* Constants, and factors of fewer bits, are on the right. */
    bool swap = op == SCALAR_MUL && x->known != y->known ? x->known < y->known : a > c;
    if (commutes(op) && (x->op == SCALAR_CONST || (y->op != SCALAR_CONST && swap)))
        return scalar_two(b, op, c, a);
    if (a == c && (op == SCALAR_AND || op == SCALAR_OR))
        return a;
    if (a == c && (op == SCALAR_SUB || op == SCALAR_XOR))
        return scalar_const(b, 0, x->wide);
    if (a == c && compares(op))
        return scalar_const(b, op == SCALAR_EQ || op == SCALAR_GEU || op == SCALAR_GES, false);
    scalar_id simple = y->op == SCALAR_CONST ? by_constant(b, op, a, y->k) : 0;
    if (simple)
        return simple;
    /* High words that are 0 decide nothing. */
    if (x->wide && x->known <= 32 && y->known <= 32 && compares(op))
        return scalar_two(b,
                          op == SCALAR_LTS   ? SCALAR_LTU
                          : op == SCALAR_GES ? SCALAR_GEU
                                             : op,
                          scalar_word(b, a), scalar_word(b, c));
    bool call = op == SCALAR_DIVIDE || op == SCALAR_MUL;
    return value(
        b, (struct scalar_value){.op = (uint8_t)op,
                                 .wide = x->wide && !compares(op),
                                 .a = a,
                                 .b = c,
                                 .guard = call ? b->mask : 0,
                                 .known = (uint8_t)known_of_two(op, x->known, y->known, room)});
}

scalar_id scalar_scaled(struct scalar_body *b, scalar_id a, scalar_id c, unsigned k) {
    if (k == 0 || scalar_at(b, c)->op == SCALAR_CONST)
        return scalar_two(b, SCALAR_ADD, a, scalar_shift(b, SCALAR_SHL, c, k));
    return value(b,
                 (struct scalar_value){.op = SCALAR_SCALED, .a = a, .b = c, .k = k, .known = 32});
}

scalar_id scalar_rest(struct scalar_body *b, scalar_id quotient) {
    const struct scalar_value *q = scalar_at(b, quotient);
    return value(
        b, (struct scalar_value){
               .op = SCALAR_REST, .wide = q->wide, .a = quotient, .known = q->wide ? 64 : 32});
}

scalar_id scalar_not(struct scalar_body *b, scalar_id a) {
    const struct scalar_value *x = scalar_at(b, a);
    if (x->op == SCALAR_CONST)
        return scalar_const(b, ~x->k, x->wide);
    if (x->op == SCALAR_NOT)
        return x->a;
    return value(b, (struct scalar_value){
                        .op = SCALAR_NOT, .wide = x->wide, .a = a, .known = x->wide ? 64 : 32});
}

static uint64_t shifted(enum scalar_op op, uint64_t x, uint64_t k, unsigned room) {
    if (op == SCALAR_SAR || op == SCALAR_SARV)
        return (uint64_t)(sign_extend(x, room) >> (k < room ? k : room - 1));
    if (k >= room)
        return 0;
    return op == SCALAR_SHL || op == SCALAR_SHLV ? x << k : x >> k;
}

scalar_id scalar_shift(struct scalar_body *b, enum scalar_op op, scalar_id a, unsigned k) {
    const struct scalar_value *x = scalar_at(b, a);
    unsigned room = x->wide ? 64 : 32, known = room;
    if (k == 0)
        return a;
    if (x->op == SCALAR_CONST)
        return scalar_const(b, shifted(op, x->k, k, room), x->wide);
    if (op == SCALAR_SAR && x->known < room)
        op = SCALAR_SHR;
    if (op == SCALAR_SHL)
        known = at_most(x->known + k, room);
    else if (op == SCALAR_SHR)
        known = x->known > k ? x->known - k : 0;
    if (known == 0)
        return scalar_const(b, 0, x->wide);
    return value(b,
                 (struct scalar_value){
                     .op = (uint8_t)op, .wide = x->wide, .a = a, .k = k, .known = (uint8_t)known});
}

scalar_id scalar_shift_by(struct scalar_body *b, enum scalar_op op, scalar_id a, scalar_id count) {
    const struct scalar_value *x = scalar_at(b, a), *c = scalar_at(b, count);
    unsigned room = x->wide ? 64 : 32;
    enum scalar_op fixed = op == SCALAR_SHLV   ? SCALAR_SHL
                           : op == SCALAR_SHRV ? SCALAR_SHR
                                               : SCALAR_SAR;
    if (c->op == SCALAR_CONST && c->k < room)
        return scalar_shift(b, fixed, a, (unsigned)c->k);
    if (c->op == SCALAR_CONST)
        return op == SCALAR_SARV ? scalar_shift(b, fixed, a, room - 1)
                                 : scalar_const(b, 0, x->wide);
    return value(b, (struct scalar_value){.op = (uint8_t)op,
                                          .wide = x->wide,
                                          .a = a,
                                          .b = count,
                                          .guard = x->wide ? b->mask : 0,
                                          .known = op == SCALAR_SHRV ? x->known : (uint8_t)room});
}

scalar_id scalar_select(struct scalar_body *b, scalar_id mask, scalar_id yes, scalar_id no) {
    const struct scalar_value *m = scalar_at(b, mask), *y = scalar_at(b, yes),
                              *n = scalar_at(b, no);
    if (m->op == SCALAR_CONST)
        return m->k & 1 ? yes : no;
    if (yes == no)
        return yes;
    if (n->op == SCALAR_SELECT && n->a == mask)
        return scalar_select(b, mask, yes, n->d);
    if (y->op == SCALAR_SELECT && y->a == mask)
        return scalar_select(b, mask, y->b, no);
    if (is_const(b, yes, 1) && is_const(b, no, 0) && !y->wide)
        return mask;
    return value(b, (struct scalar_value){.op = SCALAR_SELECT,
                                          .wide = y->wide,
                                          .a = mask,
                                          .b = yes,
                                          .d = no,
                                          .known = (uint8_t)at_least(y->known, n->known)});
}

/* Less of an element that was loaded may be loaded, where nothing was stored since. */
static bool is_there(const struct scalar_body *b, scalar_id load) {
    return load > b->stored;
}
/* Less of the element that is loaded there. */
static scalar_id again(struct scalar_body *b, const struct scalar_value *load, unsigned bytes,
                       unsigned known) {
    const uint32_t element = b->element, array = load->array;
    b->element = load->element;
    scalar_id id = scalar_load(b, array, bytes, known);
    b->element = element;
    return id;
}

scalar_id scalar_clean(struct scalar_body *b, scalar_id a, unsigned w) {
    const struct scalar_value *x = scalar_at(b, a);
    if (x->known <= w)
        return a;
    if (w == 0)
        return scalar_const(b, 0, x->wide);
    if (x->op == SCALAR_CONST)
        return scalar_const(b, x->k & low_bits(w), x->wide);
    if ((x->op == SCALAR_LOAD || x->op == SCALAR_LOADS) && w < 8u * x->bytes && w % 8 == 0 &&
        (w & (w - 1)) == 0 && is_there(b, a)) {
        bool wide = x->wide;
        return scalar_fit(b, again(b, x, w / 8, w), wide);
    }
    if ((x->op == SCALAR_ZERO_EXTEND || x->op == SCALAR_SIGN_EXTEND) && x->k >= w)
        return scalar_clean(b, x->a, w);
    return value(
        b, (struct scalar_value){
               .op = SCALAR_ZERO_EXTEND, .wide = x->wide, .a = a, .k = w, .known = (uint8_t)w});
}

scalar_id scalar_signed(struct scalar_body *b, scalar_id a, unsigned w) {
    const struct scalar_value *x = scalar_at(b, a);
    unsigned room = x->wide ? 64 : 32;
    if (w >= room || x->known < w)
        return a;
    if (x->op == SCALAR_CONST)
        return scalar_const(b, (uint64_t)sign_extend(x->k & low_bits(w), w), x->wide);
    if ((x->op == SCALAR_ZERO_EXTEND || x->op == SCALAR_SIGN_EXTEND) && x->k >= w)
        return x->op == SCALAR_SIGN_EXTEND && x->k == w ? a : scalar_signed(b, x->a, w);
    if (x->op == SCALAR_LOADS && 8u * x->bytes == w)
        return a;
    if (x->op == SCALAR_LOAD && !x->wide && 8u * x->bytes >= w && (w == 8 || w == 16) &&
        is_there(b, a)) {
        struct scalar_value v = *x;
        v.op = SCALAR_LOADS;
        v.bytes = (uint8_t)(w / 8);
        v.known = 32;
        return value(b, v);
    }
    return value(
        b, (struct scalar_value){
               .op = SCALAR_SIGN_EXTEND, .wide = x->wide, .a = a, .k = w, .known = (uint8_t)room});
}

scalar_id scalar_pair(struct scalar_body *b, scalar_id low, scalar_id high) {
    const struct scalar_value *l = scalar_at(b, low), *h = scalar_at(b, high);
    if (l->op == SCALAR_CONST && h->op == SCALAR_CONST)
        return scalar_const(b, h->k << 32 | l->k, true);
    if (l->op == SCALAR_LOW && h->op == SCALAR_HIGH && l->a == h->a)
        return l->a;
    return value(b, (struct scalar_value){.op = SCALAR_PAIR,
                                          .wide = true,
                                          .a = low,
                                          .b = high,
                                          .known = h->known ? 32 + h->known : l->known});
}

scalar_id scalar_word(struct scalar_body *b, scalar_id a) {
    const struct scalar_value *x = scalar_at(b, a);
    if (!x->wide)
        return a;
    if (x->op == SCALAR_CONST)
        return scalar_const(b, x->k, false);
    if (x->op == SCALAR_PAIR)
        return x->a;
    if (x->op == SCALAR_LOAD && is_there(b, a))
        return again(b, x, 4, at_most(x->known, 32));
    return value(b, (struct scalar_value){
                        .op = SCALAR_LOW, .a = a, .known = (uint8_t)at_most(x->known, 32)});
}

scalar_id scalar_high(struct scalar_body *b, scalar_id a) {
    const struct scalar_value *x = scalar_at(b, a);
    if (x->op == SCALAR_CONST)
        return scalar_const(b, x->k >> 32, false);
    if (x->op == SCALAR_PAIR)
        return x->b;
    if (x->known <= 32)
        return scalar_const(b, 0, false);
    return value(
        b, (struct scalar_value){.op = SCALAR_HIGH, .a = a, .known = (uint8_t)(x->known - 32)});
}

scalar_id scalar_fit(struct scalar_body *b, scalar_id a, bool wide) {
    if (!wide)
        return scalar_word(b, a);
    return scalar_at(b, a)->wide ? a : scalar_pair(b, a, scalar_const(b, 0, false));
}

scalar_id scalar_ones(struct scalar_body *b, scalar_id a) {
    const struct scalar_value *x = scalar_at(b, a);
    if (x->wide)
        return scalar_two(b, SCALAR_ADD, scalar_ones(b, scalar_word(b, a)),
                          scalar_ones(b, scalar_high(b, a)));
    if (x->op == SCALAR_CONST)
        return scalar_const(b, (uint64_t)__builtin_popcountll(x->k), false);
    return value(
        b, (struct scalar_value){.op = SCALAR_ONES, .a = a, .known = (uint8_t)bits_of(x->known)});
}

scalar_id scalar_zeros(struct scalar_body *b, scalar_id a) {
    const struct scalar_value *x = scalar_at(b, a);
    if (x->wide) {
        scalar_id high = scalar_high(b, a), low = scalar_zeros(b, scalar_word(b, a));
        scalar_id none = scalar_two(b, SCALAR_EQ, high, scalar_const(b, 0, false));
        scalar_id far = scalar_two(b, SCALAR_ADD, low, scalar_const(b, 32, false));
        return scalar_select(b, none, far, scalar_zeros(b, high));
    }
    if (x->op == SCALAR_CONST)
        return scalar_const(b, 32 - bits_of(x->k), false);
    return value(b, (struct scalar_value){.op = SCALAR_ZEROS, .a = a, .known = 6});
}

scalar_id scalar_load(struct scalar_body *b, uint32_t array, unsigned bytes, unsigned known) {
    return value(b, (struct scalar_value){.op = SCALAR_LOAD,
                                          .wide = bytes > 4,
                                          .bytes = (uint8_t)bytes,
                                          .array = array,
                                          .known = (uint8_t)known});
}

static scalar_id lookup(struct scalar_body *b, enum scalar_op op, uint32_t table, unsigned bytes,
                        unsigned known, scalar_id index) {
    return value(b, (struct scalar_value){.op = op,
                                          .wide = bytes > 4,
                                          .a = index,
                                          .bytes = (uint8_t)bytes,
                                          .array = table,
                                          .known = (uint8_t)known,
                                          .guard = bytes > 4 ? b->mask : 0});
}
scalar_id scalar_lookup(struct scalar_body *b, uint32_t table, unsigned bytes, unsigned known,
                        scalar_id index) {
    return lookup(b, SCALAR_LOOKUP, table, bytes, known, index);
}
scalar_id scalar_lookup_far(struct scalar_body *b, uint32_t table, unsigned bytes, unsigned known,
                            scalar_id index) {
    return lookup(b, SCALAR_LOOKUP_FAR, table, bytes, known, index);
}

void scalar_store_if(struct scalar_body *b, scalar_id mask, uint32_t array, unsigned bytes,
                     scalar_id id) {
    struct scalar_value v = {.op = SCALAR_STORE,
                             .a = mask,
                             .b = id,
                             .array = array,
                             .bytes = (uint8_t)bytes,
                             .element = b->element,
                             .source = b->source};
    vec_push(&b->values, v);
    b->stored = (scalar_id)b->values.len;
}
void scalar_store(struct scalar_body *b, uint32_t array, unsigned bytes, scalar_id id) {
    scalar_store_if(b, 0, array, bytes, id);
}

scalar_id scalar_address(struct scalar_body *b, uint32_t array) {
    return value(b, (struct scalar_value){.op = SCALAR_ADDRESS, .array = array, .known = 32});
}
scalar_id scalar_fetch(struct scalar_body *b, unsigned bytes, scalar_id address) {
    return value(b, (struct scalar_value){.op = SCALAR_FETCH,
                                          .wide = bytes > 4,
                                          .a = address,
                                          .bytes = (uint8_t)bytes,
                                          .k = b->puts,
                                          .known = (uint8_t)(8 * bytes)});
}
void scalar_put(struct scalar_body *b, scalar_id mask, unsigned bytes, scalar_id address,
                scalar_id id) {
    struct scalar_value v = {
        .op = SCALAR_PUT, .a = mask, .b = id, .d = address, .bytes = (uint8_t)bytes};
    vec_push(&b->values, v);
    b->puts++;
}
void scalar_stop(struct scalar_body *b, scalar_id mask, uint32_t array, uint64_t reason,
                 scalar_id id) {
    struct scalar_value v = {.op = SCALAR_STOP, .a = mask, .b = id, .array = array, .k = reason};
    v.bytes = scalar_at(b, id)->wide ? 8 : 4;
    vec_push(&b->values, v);
}

/* ---- routines ---- */

scalar_id scalar_call(struct scalar_body *b, uint64_t routine, bool wide, unsigned known,
                      scalar_id a, scalar_id c) {
    return value(b, (struct scalar_value){.op = SCALAR_CALL,
                                          .wide = wide,
                                          .a = a,
                                          .b = c,
                                          .k = routine,
                                          .guard = b->mask,
                                          .known = (uint8_t)known});
}
scalar_id scalar_argument(struct scalar_body *b, unsigned which, bool wide, unsigned known) {
    return value(b, (struct scalar_value){
                        .op = SCALAR_ARGUMENT, .wide = wide, .k = which, .known = (uint8_t)known});
}
void scalar_result(struct scalar_body *b, scalar_id id) {
    vec_push(&b->values, ((struct scalar_value){.op = SCALAR_RESULT, .b = id, .bytes = 4}));
}

/* ---- loops ---- */

scalar_id scalar_cell(struct scalar_body *b, uint32_t array, unsigned bytes, unsigned known) {
    return value(b, (struct scalar_value){.op = SCALAR_CELL,
                                          .wide = bytes > 4,
                                          .bytes = (uint8_t)bytes,
                                          .array = array,
                                          .k = b->puts,
                                          .known = (uint8_t)known});
}
/* What is fetched within is fetched in each lap. */
scalar_id scalar_loop_begin(struct scalar_body *b, scalar_id mask) {
    vec_push(&b->values, ((struct scalar_value){.op = SCALAR_BEGIN, .a = mask, .bytes = 4}));
    b->puts++;
    return (scalar_id)b->values.len;
}
void scalar_loop_end(struct scalar_body *b, scalar_id loop, scalar_id mask) {
    vec_push(&b->values,
             ((struct scalar_value){.op = SCALAR_AGAIN, .a = mask, .k = loop, .bytes = 4}));
    b->puts++;
    b->from = (uint32_t)b->values.len;
}

/* SPDX-License-Identifier: MIT
 * Classes are chosen value by value, as long as the condition hangs on more of them. */
#include "recipe/expand/allowed.h"

#include "support/alloc.h"
#include "support/hash_table.h"
#include "support/map.h"
#include "support/vec.h"

#include <stdlib.h>
#include <string.h>

/* Combinations of one micro-op that are tried; those with more wait until choices make them fewer,
 * and are checked at the end. */
#define MAX_COMBINATIONS 4096u

/* All that the answer depends on: the op, where its operands lie, which of them are one open value,
 * and the classes of these.  As few words as say it, since questions are many and mostly known. */
struct allowed_key {
    uint64_t words[1 + (ALLOWED_OPERANDS + 1) / 2 + 2 * ALLOWED_OPERANDS];
    size_t len;
};

struct allowed_sets {
    uint64_t fine[ALLOWED_OPERANDS];
};

#define LATE_ANSWERS 512u /* a power of two */
#define MOST_ANSWERS 20000

struct allowed_memo {
    struct map known; /* words of a key -> number of its answer */
    VEC(struct allowed_sets) answers;
    struct allowed_answer late[LATE_ANSWERS]; /* by hash: the one that was asked for last */
};

struct allowed_memo *expand_allowed_new(void) {
    return xcalloc(1, sizeof(struct allowed_memo));
}

bool expand_allowed_is_full(const struct allowed_memo *memo) {
    return memo->known.len > MOST_ANSWERS;
}

void expand_allowed_free(struct allowed_memo *memo) {
    if (!memo)
        return;
    map_free(&memo->known);
    vec_free(&memo->answers);
    free(memo);
}

/* --- questions --- */

/* Class and section of a place, or which value of the question it is: 32 bits. */
static uint32_t code_of(const struct expansion *expansion, uint32_t place, bool domains,
                        struct allowed_question *question) {
    uint32_t kind = (uint32_t)PLANE_CLASS(place) << 28, payload = PLACE_PAYLOAD(place);
    uint32_t sections = plane_target(expansion->set->target)->sections;
    if (PLANE_CLASS(place) == PLANE_REGISTER) {
        payload &= 63;
        return kind | (payload < sections ? payload : payload % sections);
    }
    if (PLANE_CLASS(place) == PLANE_BUFFER)
        return kind | payload >> 16;
    if (PLANE_CLASS(place) != PLANE_SCRATCH)
        return place;
    const struct uop_value *v = &expansion->list.values.data[payload];
    if (v->class && !domains)
        return kind | 1u << 27 | (uint32_t)v->class << 8 | v->section;
    unsigned i = 0;
    while (i < question->value_count && question->values[i] != payload)
        i++;
    question->values[i] = payload;
    question->value_count += i == question->value_count;
    return kind | i << 8 | v->section;
}

/* The result takes the place of a source, which says all of it. */
static bool is_in_source(const struct target_op *op, unsigned result, const uint32_t *src,
                         uint32_t place) {
    return op->tied[result] && src[op->tied[result] - 1] == place;
}

void expand_question_put(const struct expansion *expansion, const struct target_op *op,
                         const uint32_t *src, const uint32_t *dst, int here,
                         const uint64_t *domains, bool other, struct allowed_question *question) {
    unsigned n = 0;
    uint64_t tied = 0;
    question->value_count = 0;
    for (unsigned i = 0; i < op->nsrc + (unsigned)op->ndst; i++) {
        uint32_t place = i < op->nsrc ? src[i] : dst[i - op->nsrc];
        if (i >= op->nsrc && is_in_source(op, i - op->nsrc, src, place)) {
            tied |= (uint64_t)1 << (i - op->nsrc);
            continue;
        }
        uint64_t code = code_of(expansion, place, domains != NULL, question);
        if (n % 2)
            question->words[1 + n / 2] |= code << 32;
        else
            question->words[1 + n / 2] = code;
        n++;
    }
    question->words[0] = (uint64_t)(op - plane_target(expansion->set->target)->ops) << 32 |
                         (uint64_t)(uint16_t)here << 16 | tied << 2 | (uint64_t)other << 1 |
                         (domains != NULL);
    question->len = 1 + (n + 1) / 2;
    for (unsigned i = 0; domains && i < question->value_count; i++)
        question->words[question->len++] = domains[question->values[i]];
}

struct allowed_answer *expand_question_answer(struct allowed_memo *memo,
                                              const struct allowed_question *question,
                                              bool *known) {
    uint64_t hash = 0;
    for (unsigned i = 0; i < question->len; i++)
        hash = hash_step(hash, question->words[i]);
    struct allowed_answer *a = &memo->late[hash_place(hash, LATE_ANSWERS) & (LATE_ANSWERS - 1)];
    *known = a->len == question->len;
    for (unsigned i = 0; i < question->len && *known; i++)
        *known = a->words[i] == question->words[i];
    if (!*known) {
        memcpy(a->words, question->words, question->len * sizeof *a->words);
        a->len = (uint8_t)question->len;
    }
    return a;
}

/* --- combinations --- */

static void key_of(const struct expansion *expansion, const struct combinations *combinations,
                   struct allowed_key *key) {
    const struct open_places *o = combinations->places;
    uint64_t op = (uint64_t)(combinations->op - plane_target(expansion->set->target)->ops);
    key->words[0] = op << 32 | (uint64_t)(uint16_t)combinations->here << 16 |
                    (uint64_t)o->operands << 9 | (uint64_t)o->count << 1 | combinations->one;
    key->len = 1;
    for (unsigned i = 0; i < o->operands; i++) {
        uint64_t at =
            (uint64_t)(uint16_t)o->places[i].class << 16 | (uint64_t)(uint16_t)o->places[i].section;
        if (i % 2)
            key->words[key->len - 1] |= at << 32;
        else
            key->words[key->len++] = at;
    }
    for (unsigned i = 0; i < o->count; i++) {
        key->words[key->len++] = o->at[i];
        key->words[key->len++] = combinations->sets[i];
    }
}

static void set_class(struct open_places *places, unsigned index, int class) {
    for (uint32_t left = places->at[index]; left; left &= left - 1)
        places->places[__builtin_ctz(left)].class = class;
}

/* Whether the condition allows what is chosen of the values before `index`, in any class of the
 * others: -1 if it hangs on these, or on more than is looked at before all are chosen. */
static int is_allowed(const struct combinations *combinations, unsigned index) {
    const struct open_places *o = combinations->places;
    const struct where_expr *where = combinations->op->where;
    if (!where)
        return 1;
    if (index == o->count)
        return technology_where_holds(where, o->places, combinations->here);
    return where->classes ? -1 : technology_where_decided(where, o->places, combinations->here);
}

/* Allowed: what is chosen before `index`, and everything from there on.  True if that is enough. */
static bool take_classes(struct combinations *combinations, unsigned index) {
    bool all = true;
    for (unsigned k = 0; k < combinations->places->count; k++) {
        combinations->fine[k] |= k < index ? combinations->chosen[k] : combinations->sets[k];
        all &= combinations->fine[k] == combinations->sets[k];
    }
    return all || combinations->one;
}

/* Tries all combinations from value `index` on, up to those that are enough. */
static bool try_from(struct combinations *combinations, unsigned index) {
    int allowed = is_allowed(combinations, index);
    if (allowed >= 0)
        return allowed && take_classes(combinations, index);
    bool enough = false;
    for (uint64_t left = combinations->sets[index]; left && !enough; left &= left - 1) {
        combinations->chosen[index] = left & -left;
        set_class(combinations->places, index, __builtin_ctzll(left));
        enough = try_from(combinations, index + 1);
    }
    set_class(combinations->places, index, CLASS_UNKNOWN);
    return enough;
}

bool expand_combinations_too_many(const struct combinations *combinations) {
    uint64_t n = 1;
    for (unsigned i = 0; i < combinations->places->count && n <= MAX_COMBINATIONS; i++)
        n *= (unsigned)__builtin_popcountll(combinations->sets[i]);
    return n > MAX_COMBINATIONS;
}

static void try_all(struct combinations *combinations) {
    memset(combinations->fine, 0, sizeof combinations->fine);
    try_from(combinations, 0);
}

void expand_combinations_try(const struct expansion *expansion, struct combinations *combinations) {
    struct allowed_memo *memo = expansion->allowed;
    struct allowed_key key;
    for (unsigned i = 0; i < combinations->places->count; i++)
        set_class(combinations->places, i, CLASS_UNKNOWN);
    if (!memo) {
        try_all(combinations);
        return;
    }
    key_of(expansion, combinations, &key);
    size_t size = combinations->places->count * sizeof *combinations->fine;
    size_t known = memo->known.len;
    uint32_t number =
        map_number(&memo->known, (const char *)key.words, key.len * sizeof *key.words);
    if (number == known) {
        struct allowed_sets answer;
        try_all(combinations);
        memcpy(answer.fine, combinations->fine, sizeof answer.fine);
        vec_push(&memo->answers, answer);
    }
    memcpy(combinations->fine, memo->answers.data[number].fine, size);
}

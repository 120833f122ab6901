/* SPDX-License-Identifier: MIT
 * Classes are chosen value by value, as long as the condition hangs on more of them. */
#include "recipe/expand/allowed.h"

#include "support/alloc.h"
#include "support/hash_table.h"

#include <stdlib.h>
#include <string.h>

/* Combinations of one micro-op that are tried; those with more wait until choices make them fewer,
 * and are checked at the end. */
#define MAX_COMBINATIONS 4096u

/* All that the answer depends on. */
struct allowed_key {
    const struct target_op *op;
    int32_t here;
    uint16_t count, one;
    struct {
        int16_t class, section;
    } places[ALLOWED_OPERANDS];
    uint32_t at[ALLOWED_OPERANDS];
    uint64_t sets[ALLOWED_OPERANDS];
};

struct allowed_sets {
    uint64_t fine[ALLOWED_OPERANDS];
};

struct allowed_memo {
    HASH_TABLE(struct allowed_key, struct allowed_sets) known;
};

struct allowed_memo *expand_allowed_new(void) {
    return xcalloc(1, sizeof(struct allowed_memo));
}

void expand_allowed_free(struct allowed_memo *memo) {
    if (!memo)
        return;
    hash_table_free(&memo->known);
    free(memo);
}

static struct allowed_key key_of(const struct combinations *combinations) {
    const struct open_places *o = combinations->places;
    struct allowed_key key;
    memset(&key, 0, sizeof key);
    key.op = combinations->op;
    key.here = combinations->here;
    key.count = (uint16_t)o->count;
    key.one = combinations->one;
    for (unsigned i = 0; i < o->operands; i++) {
        key.places[i].class = (int16_t)o->places[i].class;
        key.places[i].section = (int16_t)o->places[i].section;
    }
    memcpy(key.at, o->at, o->count * sizeof *o->at);
    memcpy(key.sets, combinations->sets, o->count * sizeof *combinations->sets);
    return key;
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

void expand_combinations_try(const struct expansion *expansion, struct combinations *combinations) {
    struct allowed_memo *memo = expansion->allowed;
    size_t size = combinations->places->count * sizeof *combinations->fine;
    for (unsigned i = 0; i < combinations->places->count; i++)
        set_class(combinations->places, i, CLASS_UNKNOWN);
    struct allowed_key key = key_of(combinations);
    const struct allowed_sets *known = memo ? hash_table_get(&memo->known, &key) : NULL;
    if (known) {
        memcpy(combinations->fine, known->fine, size);
        return;
    }
    memset(combinations->fine, 0, sizeof combinations->fine);
    try_from(combinations, 0);
    if (memo)
        memcpy(((struct allowed_sets *)hash_table_put(&memo->known, &key))->fine,
               combinations->fine, size);
}

/* SPDX-License-Identifier: MIT
 * Cuts of bits, a table of all of them, and what is left of a circuit as SMT-LIB. */
#include "recipe/prove/fold.h"

#include "recipe/prove/smt_term.h"
#include "support/alloc.h"
#include "support/vec.h"

#include <string.h>

#define CANDIDATES 24 /* cuts of a new bit, by which it is found later */
#define CUTS       8  /* of them, those that what is made of the bit goes on from */
#define NO_PLANE   UINT32_MAX

/* Leaves ascending, each of which counts; bit i of truth is the value where leaf k is bit k of i.
 */
struct cut {
    uint64_t truth;
    uint32_t leaves[FOLD_LEAVES];
    uint32_t count;
};

struct node {
    struct cut cuts[CUTS]; /* the first is of the bit's sources */
    struct cut gained;     /* a later way to make the bit */
    uint8_t count;
    bool bound, closed, has_gained;
    uint32_t plane; /* NO_PLANE: no input */
};

/* A function of leaves that is a bit: the table is 0 where all leaves are. */
struct known {
    struct cut cut;
    uint32_t bit;
};

struct fold {
    VEC(struct node) nodes;
    VEC(struct known) known;
    uint32_t *slots; /* open addressing: number in known + 1, 0: empty */
    size_t slot_count;
    VEC(uint32_t) inputs; /* nodes of inputs */
    bool has_closed;
};

/* --- truth tables of six variables --- */

/* The variables themselves. */
static const uint64_t variable[FOLD_LEAVES] = {0xaaaaaaaaaaaaaaaau, 0xccccccccccccccccu,
                                               0xf0f0f0f0f0f0f0f0u, 0xff00ff00ff00ff00u,
                                               0xffff0000ffff0000u, 0xffffffff00000000u};

static uint64_t exchange_neighbours(uint64_t truth, unsigned i) {
    uint64_t only_low = variable[i] & ~variable[i + 1], only_high = variable[i + 1] & ~variable[i];
    unsigned by = 1u << i;
    return (truth & ~(only_low | only_high)) | (truth & only_low) << by | (truth & only_high) >> by;
}

static uint64_t when_true(uint64_t truth, unsigned i) {
    uint64_t half = truth & variable[i];
    return half | half >> (1u << i);
}

static uint64_t when_false(uint64_t truth, unsigned i) {
    uint64_t half = truth & ~variable[i];
    return half | half << (1u << i);
}

/* --- cuts --- */

/* Leaves that do not count go. */
static void reduce(struct cut *cut) {
    for (unsigned i = cut->count; i-- > 0;) {
        if (when_true(cut->truth, i) != when_false(cut->truth, i))
            continue;
        for (unsigned k = i; k + 1 < cut->count; k++) {
            cut->truth = exchange_neighbours(cut->truth, k);
            cut->leaves[k] = cut->leaves[k + 1];
        }
        cut->count--;
    }
}

static bool same_leaves(const struct cut *left, const struct cut *right) {
    return left->count == right->count &&
           memcmp(left->leaves, right->leaves, left->count * sizeof *left->leaves) == 0;
}

static bool contains(const struct cut *large, const struct cut *small) {
    unsigned i = 0;
    for (unsigned k = 0; k < large->count && i < small->count; k++)
        i += large->leaves[k] == small->leaves[i];
    return i == small->count;
}

/* The table, or its complement: that which is 0 where all leaves are. */
static uint64_t normal(uint64_t truth) {
    return truth & 1 ? ~truth : truth;
}

/* --- the table of cuts --- */

static uint64_t hash_cut(const struct cut *cut) {
    uint64_t h = normal(cut->truth) * 0x9e3779b97f4a7c15u;
    for (unsigned i = 0; i < cut->count; i++)
        h = (h ^ cut->leaves[i] ^ h >> 29) * 0xbf58476d1ce4e5b9u;
    return h ^ h >> 32;
}

/* Where the cut is, or where there is room for it. */
static size_t find_slot(const struct fold *fold, const struct cut *cut) {
    size_t slot = hash_cut(cut) & (fold->slot_count - 1);
    for (; fold->slots[slot]; slot = (slot + 1) & (fold->slot_count - 1)) {
        const struct cut *c = &fold->known.data[fold->slots[slot] - 1].cut;
        if (c->truth == normal(cut->truth) && same_leaves(c, cut))
            break;
    }
    return slot;
}

static void grow(struct fold *fold) {
    free(fold->slots);
    fold->slot_count = fold->slot_count ? 2 * fold->slot_count : 1024;
    fold->slots = xcalloc(fold->slot_count, sizeof *fold->slots);
    for (uint32_t i = 0; i < fold->known.len; i++)
        fold->slots[find_slot(fold, &fold->known.data[i].cut)] = i + 1;
}

/* A cut that two bits have stays the first one's. */
static void learn(struct fold *fold, const struct cut *cut, uint32_t bit) {
    if (2 * (fold->known.len + 1) > fold->slot_count)
        grow(fold);
    size_t slot = find_slot(fold, cut);
    if (fold->slots[slot])
        return;
    struct known k = {*cut, bit ^ (cut->truth & 1)};
    k.cut.truth = normal(cut->truth);
    vec_push(&fold->known, k);
    fold->slots[slot] = (uint32_t)fold->known.len;
}

/* The bit that the cut, which is reduced, stands for; false if there is none yet. */
static bool find_bit(const struct fold *fold, const struct cut *cut, uint32_t *bit) {
    if (cut->count == 0) {
        *bit = cut->truth & 1;
        return true;
    }
    if (cut->count == 1) {
        *bit = cut->leaves[0] << 1 | (cut->truth & 1);
        return true;
    }
    uint32_t number = fold->slots[find_slot(fold, cut)];
    if (number)
        *bit = fold->known.data[number - 1].bit ^ (cut->truth & 1);
    return number > 0;
}

/* --- new bits --- */

struct making {
    const struct fold *fold;
    uint64_t truth;
    const uint32_t *in;
    unsigned count;
    const struct cut *chosen[FOLD_LEAVES]; /* of each source, NULL: itself */
    struct cut candidates[CANDIDATES];
    unsigned candidate_count;
    uint32_t bit;
    bool found;
};

/* Adds leaves to those of `cut`, ascending; false if they are too many. */
static bool add_leaves(struct cut *cut, const uint32_t *leaves, unsigned count) {
    uint32_t merged[2 * FOLD_LEAVES];
    unsigned n = 0, i = 0, k = 0;
    while (i < cut->count || k < count) {
        bool left = k == count || (i < cut->count && cut->leaves[i] <= leaves[k]);
        bool both = left && k < count && cut->leaves[i] == leaves[k];
        merged[n++] = left ? cut->leaves[i] : leaves[k];
        i += left;
        k += !left || both;
    }
    if (n > FOLD_LEAVES)
        return false;
    memcpy(cut->leaves, merged, n * sizeof *merged);
    cut->count = n;
    return true;
}

static unsigned place_of(const struct cut *cut, uint32_t leaf) {
    unsigned i = 0;
    while (cut->leaves[i] != leaf)
        i++;
    return i;
}

/* The table of a source over the leaves of `cut`, which contain its own. */
static uint64_t stretch(const struct making *making, unsigned source, const struct cut *cut) {
    uint32_t bit = making->in[source];
    const struct cut *from = making->chosen[source];
    uint64_t flip = bit & 1 ? UINT64_MAX : 0;
    if (bit >> 1 == 0)
        return flip;
    if (!from)
        return variable[place_of(cut, bit >> 1)] ^ flip;
    uint64_t truth = from->truth;
    for (unsigned i = from->count; i-- > 0;)
        for (unsigned p = i, end = place_of(cut, from->leaves[i]); p < end; p++)
            truth = exchange_neighbours(truth, p);
    return truth ^ flip;
}

static void compute_truth(const struct making *making, struct cut *cut) {
    uint64_t in[FOLD_LEAVES];
    for (unsigned k = 0; k < making->count; k++)
        in[k] = stretch(making, k, cut);
    cut->truth = 0;
    for (unsigned row = 0; row < 1u << making->count; row++) {
        uint64_t product = making->truth >> row & 1 ? UINT64_MAX : 0;
        for (unsigned k = 0; k < making->count && product; k++)
            product &= row >> k & 1 ? in[k] : ~in[k];
        cut->truth |= product;
    }
}

/* Those that contain another are of no use; the first stays. */
static void add_candidate(struct making *making, const struct cut *cut) {
    for (unsigned i = 0; i < making->candidate_count; i++)
        if (contains(cut, &making->candidates[i]))
            return;
    unsigned kept = making->candidate_count > 0;
    for (unsigned i = 1; i < making->candidate_count; i++)
        if (!contains(&making->candidates[i], cut))
            making->candidates[kept++] = making->candidates[i];
    making->candidate_count = kept;
    if (kept < CANDIDATES)
        making->candidates[making->candidate_count++] = *cut;
}

static void finish(struct making *making, struct cut *cut) {
    compute_truth(making, cut);
    reduce(cut);
    making->found = find_bit(making->fold, cut, &making->bit);
    if (!making->found)
        add_candidate(making, cut);
}

static void combine(struct making *making, unsigned source, const struct cut *before);

static void follow(struct making *making, unsigned source, const struct cut *before,
                   const struct cut *chosen) {
    struct cut cut = *before;
    making->chosen[source] = chosen;
    if (!making->found && add_leaves(&cut, chosen->leaves, chosen->count))
        combine(making, source + 1, &cut);
}

/* Every choice of a cut for each source from `source` on, itself first. */
static void combine(struct making *making, unsigned source, const struct cut *before) {
    struct cut cut = *before;
    if (source == making->count) {
        finish(making, &cut);
        return;
    }
    uint32_t number = making->in[source] >> 1;
    const struct node *n = &making->fold->nodes.data[number];
    making->chosen[source] = NULL;
    if (add_leaves(&cut, &number, number != 0))
        combine(making, source + 1, &cut);
    for (unsigned i = 0; i < n->count && !n->bound; i++)
        follow(making, source, before, &n->cuts[i]);
    if (n->has_gained && !n->bound)
        follow(making, source, before, &n->gained);
}

static uint32_t add_node(struct fold *fold, const struct making *making) {
    struct node n = {.plane = NO_PLANE};
    n.cuts[n.count++] = making->candidates[0];
    for (unsigned size = 1; size <= FOLD_LEAVES; size++)
        for (unsigned i = 1; i < making->candidate_count && n.count < CUTS; i++)
            if (making->candidates[i].count == size)
                n.cuts[n.count++] = making->candidates[i];
    vec_push(&fold->nodes, n);
    return (uint32_t)(fold->nodes.len - 1) << 1;
}

/* A bit that is met by a new way of making it remembers the first such way: what is made of it may
 * go that way, too. */
static void gain(struct fold *fold, const struct making *making) {
    struct node *n = &fold->nodes.data[making->bit >> 1];
    if (n->has_gained || n->count == 0 || making->candidate_count == 0)
        return;
    n->gained = making->candidates[0];
    n->gained.truth ^= making->bit & 1 ? UINT64_MAX : 0;
    n->has_gained = true;
}

uint32_t prove_fold_apply(struct fold *fold, uint64_t truth, const uint32_t *in, unsigned count) {
    struct making m = {.fold = fold, .truth = truth, .in = in, .count = count};
    const struct cut none = {.count = 0};
    combine(&m, 0, &none);
    uint32_t bit = m.found ? m.bit : add_node(fold, &m);
    if (m.found)
        gain(fold, &m);
    for (unsigned i = 0; i < m.candidate_count; i++)
        learn(fold, &m.candidates[i], bit);
    return bit;
}

uint32_t prove_fold_choose(struct fold *fold, uint32_t sample, uint32_t left, uint32_t right) {
    const uint32_t in[] = {sample, left, right};
    return prove_fold_apply(fold, 0xD8, in, 3);
}

uint32_t prove_fold_nor(struct fold *fold, uint32_t left, uint32_t right) {
    const uint32_t in[] = {left, right};
    return prove_fold_apply(fold, 0x1, in, 2);
}

uint32_t prove_fold_half_add(struct fold *fold, uint32_t left, uint32_t right, uint32_t *carry) {
    uint32_t neither = prove_fold_nor(fold, left, right);
    *carry = prove_fold_nor(fold, prove_fold_not(left), prove_fold_not(right));
    return prove_fold_nor(fold, neither, *carry);
}

uint32_t prove_fold_input(struct fold *fold, uint32_t plane) {
    for (size_t i = 0; i < fold->inputs.len; i++)
        if (fold->nodes.data[fold->inputs.data[i]].plane == plane)
            return fold->inputs.data[i] << 1;
    uint32_t number = (uint32_t)fold->nodes.len;
    vec_push(&fold->nodes, (struct node){.plane = plane});
    vec_push(&fold->inputs, number);
    return number << 1;
}

void prove_fold_bound(struct fold *fold, uint32_t bit) {
    fold->nodes.data[bit >> 1].bound = true;
}

void prove_fold_close(struct fold *fold, uint32_t bit) {
    struct node *n = &fold->nodes.data[bit >> 1];
    n->closed = n->count > 0;
    fold->has_closed = true;
}

struct fold *prove_fold_new(void) {
    struct fold *fold = xcalloc(1, sizeof *fold);
    vec_push(&fold->nodes, (struct node){.plane = NO_PLANE}); /* false */
    grow(fold);
    return fold;
}

void prove_fold_free(struct fold *fold) {
    if (!fold)
        return;
    vec_free(&fold->nodes);
    vec_free(&fold->known);
    vec_free(&fold->inputs);
    free(fold->slots);
    free(fold);
}

/* --- text --- */

void prove_fold_print(const struct fold *fold, uint32_t bit, struct str *out) {
    const struct node *n = &fold->nodes.data[bit >> 1];
    if (bit <= FOLD_TRUE) {
        str_append(out, bit ? "true" : "false");
        return;
    }
    str_append(out, bit & 1 ? "(not " : "");
    if (n->plane != NO_PLANE)
        prove_smt_print_input(n->plane, out);
    else
        str_printf(out, "n%u", bit >> 1);
    str_append(out, bit & 1 ? ")" : "");
}

/* Few leaves, and these as far below as can be: what lies between needs no definition.  Where bits
 * are closed, the sources: what lies further below might be below these. */
static const struct cut *definition_of(const struct fold *fold, const struct node *node) {
    const struct cut *best = &node->cuts[0];
    for (unsigned i = 1; i < node->count && !fold->has_closed; i++) {
        const struct cut *c = &node->cuts[i];
        if (c->count <= 3 &&
            (best->count > 3 || c->leaves[c->count - 1] < best->leaves[best->count - 1]))
            best = c;
    }
    return best;
}

static void print_truth(const struct fold *fold, const struct cut *cut, uint64_t truth,
                        struct str *out);

/* "(<what> <leaf> <rest>)" */
static void print_pair(const struct fold *fold, const struct cut *cut, const char *what,
                       uint32_t leaf, uint64_t rest, struct str *out) {
    str_printf(out, "(%s ", what);
    prove_fold_print(fold, leaf, out);
    str_char(out, ' ');
    print_truth(fold, cut, rest, out);
    str_char(out, ')');
}

/* A function that is `yes` where the leaf is 1 and else `no`. */
static void print_split(const struct fold *fold, const struct cut *cut, uint32_t leaf, uint64_t yes,
                        uint64_t no, struct str *out) {
    if (yes == ~no && (no == 0 || yes == 0)) {
        prove_fold_print(fold, no ? prove_fold_not(leaf) : leaf, out);
    } else if (yes == ~no) {
        print_pair(fold, cut, "xor", leaf, no, out);
    } else if (yes == UINT64_MAX || no == UINT64_MAX) {
        print_pair(fold, cut, "or", no == UINT64_MAX ? prove_fold_not(leaf) : leaf, yes & no, out);
    } else if (yes == 0 || no == 0) {
        print_pair(fold, cut, "and", yes == 0 ? prove_fold_not(leaf) : leaf, yes | no, out);
    } else {
        str_append(out, "(ite ");
        prove_fold_print(fold, leaf, out);
        str_char(out, ' ');
        print_truth(fold, cut, yes, out);
        str_char(out, ' ');
        print_truth(fold, cut, no, out);
        str_char(out, ')');
    }
}

/* By the last leaf that counts. */
static void print_truth(const struct fold *fold, const struct cut *cut, uint64_t truth,
                        struct str *out) {
    unsigned i = cut->count;
    while (i > 0 && when_true(truth, i - 1) == when_false(truth, i - 1))
        i--;
    if (i == 0)
        str_append(out, truth & 1 ? "true" : "false");
    else
        print_split(fold, cut, cut->leaves[i - 1] << 1, when_true(truth, i - 1),
                    when_false(truth, i - 1), out);
}

static void define(const struct fold *fold, uint32_t number, struct str *out) {
    const struct node *n = &fold->nodes.data[number];
    if (n->closed) {
        str_printf(out, "(declare-const n%u Bool)\n", number);
    } else if (n->plane == NO_PLANE) {
        const struct cut *c = definition_of(fold, n);
        str_printf(out, "(define-fun n%u () Bool ", number);
        print_truth(fold, c, c->truth, out);
        str_append(out, ")\n");
    }
}

void prove_fold_write(const struct fold *fold, const uint32_t *bits, size_t count,
                      struct str *out) {
    bool *needed = xcalloc(fold->nodes.len, sizeof *needed);
    for (size_t i = 0; i < count; i++)
        needed[bits[i] >> 1] = true;
    for (size_t i = fold->nodes.len; i-- > 1;) {
        const struct node *n = &fold->nodes.data[i];
        if (!needed[i] || n->closed || n->plane != NO_PLANE)
            continue;
        const struct cut *c = definition_of(fold, n);
        for (unsigned k = 0; k < c->count; k++)
            needed[c->leaves[k]] = true;
    }
    for (uint32_t i = 1; i < fold->nodes.len; i++)
        if (needed[i])
            define(fold, i, out);
    free(needed);
}

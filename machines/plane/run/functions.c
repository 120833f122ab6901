/* SPDX-License-Identifier: MIT
 * Steps to a graph: constants, copies and equal functions fall together.  A node is looked for by
 * each of its functions, so that equal values are found also where they are made in other ways. */
#include "machines/plane/run/functions.h"

#include <string.h>

/* Truth tables of the three leaves themselves. */
static const uint8_t leaf_truth[3] = {0xaa, 0xcc, 0xf0};

/* --- functions of further leaves --- */

/* What the leaves cost, shared by their users. */
static uint64_t cut_flow(const struct plane_functions *functions, const struct plane_cut *cut) {
    uint64_t flow = 0;
    for (unsigned k = 0; k < cut->count; k++)
        flow = sat_add(flow, functions->nodes.data[cut->leaf[k]].share);
    return flow;
}

static bool same_cut(const struct plane_cut *left, const struct plane_cut *right) {
    return left->truth == right->truth && memcmp(left->leaf, right->leaf, sizeof left->leaf) == 0;
}

static bool has_cut(const struct plane_node *node, const struct plane_cut *cut) {
    for (unsigned i = 0; i < node->count; i++)
        if (same_cut(&node->cut[i], cut))
            return true;
    return false;
}

/* Keeps the cheapest functions, in this order behind the direct one; flow[i]: that of cut[i]. */
static void keep(const struct plane_functions *functions, struct plane_node *node, uint64_t *flow,
                 const struct plane_cut *cut) {
    uint64_t own = cut_flow(functions, cut);
    unsigned at = node->count;
    while (at > 1 && flow[at - 1] > own)
        at--;
    if (at == PLANE_CUTS)
        return;
    unsigned last = node->count < PLANE_CUTS ? node->count++ : PLANE_CUTS - 1;
    for (unsigned i = last; i > at; i--) {
        node->cut[i] = node->cut[i - 1];
        flow[i] = flow[i - 1];
    }
    node->cut[at] = *cut;
    flow[at] = own;
}

/* --- nodes --- */

/* The node that has this function already: zeros, a leaf, or one that is known; none otherwise. */
static uint32_t node_of(struct plane_functions *functions, const struct plane_cut *cut) {
    if (cut->count == 0)
        return 0;
    if (cut->count == 1) /* not 0 everywhere, and 0 where the leaf is */
        return cut->leaf[0];
    return plane_seen_node(&functions->seen, cut);
}

/* A leaf of the direct function: itself, or one of the functions that it is. */
struct cut_choices {
    struct plane_cut self;
    const struct plane_cut *cut[PLANE_CUTS + 1];
    uint32_t leaves[PLANE_CUTS + 1]; /* a bit for each leaf: by number modulo 32 */
    unsigned count;
};

static uint32_t leaf_bits(const struct plane_cut *cut) {
    uint32_t bits = 0;
    for (unsigned k = 0; k < cut->count; k++)
        bits |= (uint32_t)1 << (cut->leaf[k] & 31);
    return bits;
}

static void list_choices(const struct plane_functions *functions, uint32_t leaf,
                         struct cut_choices *out) {
    const struct plane_node *node = &functions->nodes.data[leaf];
    out->self = (struct plane_cut){{leaf}, 0xaa, 1};
    out->cut[0] = &out->self;
    out->count = 1 + node->count;
    for (unsigned i = 0; i < node->count; i++)
        out->cut[i + 1] = &node->cut[i];
    for (unsigned i = 0; i < out->count; i++)
        out->leaves[i] = leaf_bits(out->cut[i]);
}

static bool more_than_three(uint32_t bits) {
    bits &= bits - 1;
    bits &= bits - 1;
    return bits & (bits - 1);
}

/* Fills the cuts of a node from those of its leaves; the node that it is already, or none.  What
 * has more than three leaves by their bits is passed over at once. */
static uint32_t fill_cuts(struct plane_functions *functions, struct plane_node *node) {
    const struct plane_cut direct = node->cut[0];
    struct cut_choices choices[3] = {{.count = 1}, {.count = 1}, {.count = 1}};
    struct plane_cut composed;
    uint64_t flow[PLANE_CUTS];
    for (unsigned k = 0; k < direct.count; k++)
        list_choices(functions, direct.leaf[k], &choices[k]);
    const struct cut_choices *x = &choices[0], *y = &choices[1], *z = &choices[2];
    for (unsigned i = 0; i < x->count; i++)
        for (unsigned j = 0; j < y->count; j++) {
            uint32_t two = x->leaves[i] | y->leaves[j];
            for (unsigned k = 0; !more_than_three(two) && k < z->count; k++) {
                const struct plane_cut *const part[3] = {x->cut[i], y->cut[j], z->cut[k]};
                if (i + j + k == 0 || more_than_three(two | z->leaves[k]) ||
                    !plane_cut_compose(&direct, part, &composed) || has_cut(node, &composed))
                    continue;
                uint32_t same = node_of(functions, &composed);
                if (same != PLANE_VALUE_NONE)
                    return same;
                keep(functions, node, flow, &composed);
            }
        }
    return PLANE_VALUE_NONE;
}

/* One more node is computed from it. */
static void use(struct plane_node *node) {
    node->users++;
    node->share = node->flow / node->users;
}

static uint32_t add_node(struct plane_functions *functions, const struct plane_node *node) {
    uint32_t number = (uint32_t)functions->nodes.len;
    uint64_t least = UINT64_MAX;
    vec_push(&functions->nodes, *node);
    plane_seen_grow(&functions->seen, functions->nodes.len);
    struct plane_node *n = &functions->nodes.data[number];
    for (unsigned i = 0; i < n->count; i++) {
        uint64_t flow = cut_flow(functions, &n->cut[i]);
        least = flow < least ? flow : least;
        plane_seen_put(&functions->seen, &n->cut[i], number);
    }
    n->share = n->flow = n->count ? sat_add(least, PLANE_STEP_COST) : 0;
    for (unsigned k = 0; n->count && k < n->cut[0].count; k++)
        use(&functions->nodes.data[n->cut[0].leaf[k]]);
    return number;
}

/* The node of a function that is 0 where its leaves are. */
static uint32_t find_node(struct plane_functions *functions, struct plane_cut *cut) {
    plane_cut_shrink(cut);
    plane_cut_sort(cut);
    uint32_t node = node_of(functions, cut);
    if (node != PLANE_VALUE_NONE)
        return node;
    struct plane_node n = {.count = 1, .cut = {*cut}};
    node = fill_cuts(functions, &n);
    if (node == PLANE_VALUE_NONE)
        return add_node(functions, &n);
    plane_seen_put(&functions->seen, cut, node);
    return node;
}

/* f(in[0], in[1], in[2]) */
static plane_value value_of(struct plane_functions *functions, uint8_t f, const plane_value in[3]) {
    struct plane_cut cut = {.count = 0};
    uint8_t at[3] = {0};
    for (unsigned k = 0; k < 3; k++) {
        unsigned i = 0;
        while (i < cut.count && cut.leaf[i] != in[k] / 2)
            i++;
        if (i == cut.count && in[k] / 2)
            cut.leaf[cut.count++] = in[k] / 2;
        at[k] = (uint8_t)((in[k] / 2 ? leaf_truth[i] : 0) ^ (in[k] & 1 ? 0xff : 0));
    }
    cut.truth = plane_truth_apply(f, at[0], at[1], at[2]);
    uint8_t opposite = cut.truth & 1;
    cut.truth ^= opposite ? 0xff : 0;
    return 2 * find_node(functions, &cut) + opposite;
}

/* --- steps --- */

static plane_value first_value(struct plane_functions *functions, uint32_t operand) {
    if (operand == scratch_operand(SLOT_ZERO) || operand == scratch_operand(SLOT_ONE))
        return operand == scratch_operand(SLOT_ONE);
    functions->unknown |= operand & 1; /* scratch that nothing was written to */
    const struct plane_node n = {.plane = operand};
    return 2 * add_node(functions, &n);
}

static struct plane_content *content(struct plane_functions *functions, uint32_t operand) {
    return &(operand & 1 ? functions->scratch.data : functions->tile.data)[operand / PLANE_STRIDE];
}

/* What an operand holds now. */
static plane_value read_plane(struct plane_functions *functions, uint32_t operand) {
    struct plane_content *now = content(functions, operand);
    if (!now->known) {
        plane_value first = first_value(functions, operand);
        *now = (struct plane_content){.known = true, .value = first, .first = first};
    }
    return now->value;
}

static void write_plane(struct plane_functions *functions, uint32_t operand, plane_value value) {
    struct plane_content *now = content(functions, operand);
    if (!now->known)
        *now = (struct plane_content){.known = true, .first = PLANE_VALUE_NONE};
    if (!now->written && !(operand & 1))
        vec_push(&functions->written, operand);
    now->written = true;
    now->value = value;
}

/* dst = mask ? f(src) : dst, where the step has a mask. */
static void read_step(struct plane_functions *functions, const struct plane_step *step) {
    uint8_t f = (uint8_t)step->kernel;
    plane_value in[3];
    for (unsigned k = 0; k < 3; k++)
        in[plane_order[f][k]] = read_plane(functions, step->src[k]);
    plane_value value = value_of(functions, f, in);
    if (step->kernel & PLANE_MASKED) {
        const plane_value choice[3] = {read_plane(functions, step->dst), value,
                                       read_plane(functions, step->mask)};
        value = value_of(functions, 0xca, choice);
    }
    write_plane(functions, step->dst, value);
}

/* Nobody knows what the planes hold that these steps name. */
static void clear_planes(struct plane_functions *functions, const struct plane_step *steps,
                         size_t count) {
    size_t tile = 0, scratch = SLOT_FIRST;
    for (size_t i = 0; i < count; i++) {
        const struct plane_step *s = &steps[i];
        const uint32_t operands[] = {s->dst, s->mask, s->src[0], s->src[1], s->src[2]};
        for (size_t k = 0; k < sizeof operands / sizeof *operands; k++) {
            size_t *most = operands[k] & 1 ? &scratch : &tile;
            if (operands[k] / PLANE_STRIDE >= *most)
                *most = operands[k] / PLANE_STRIDE + 1;
        }
    }
    vec_reserve(&functions->tile, tile + 1);
    vec_reserve(&functions->scratch, scratch);
    memset(functions->tile.data, 0, tile * sizeof *functions->tile.data);
    memset(functions->scratch.data, 0, scratch * sizeof *functions->scratch.data);
}

void plane_functions_read(struct plane_functions *functions, const struct plane_step *steps,
                          size_t count) {
    const struct plane_node zeros = {.plane = scratch_operand(SLOT_ZERO)};
    vec_clear(&functions->nodes);
    vec_clear(&functions->written);
    vec_clear(&functions->results);
    plane_seen_clear(&functions->seen);
    clear_planes(functions, steps, count);
    functions->unknown = false;
    add_node(functions, &zeros);
    for (size_t i = 0; i < count; i++)
        read_step(functions, &steps[i]);
    for (size_t i = 0; i < functions->written.len; i++) {
        uint32_t plane = functions->written.data[i];
        const struct plane_content *now = plane_functions_content(functions, plane);
        const struct plane_result result = {plane, now->value};
        if (now->value != now->first)
            vec_push(&functions->results, result);
    }
}

void plane_functions_free(struct plane_functions *functions) {
    vec_free(&functions->nodes);
    vec_free(&functions->written);
    vec_free(&functions->todo);
    vec_free(&functions->results);
    plane_seen_free(&functions->seen);
    vec_free(&functions->tile);
    vec_free(&functions->scratch);
}

/* SPDX-License-Identifier: MIT
 * How the mask is applied: by the array's lines, by a latch that predicates, or by merging. */
#include "recipe/technology/read_plane.h"

#include <string.h>

struct mask_reader {
    struct target_text *x;
    struct target *t;
    const struct yaml_node *mask;
};

static bool mask_error(const struct mask_reader *reader, const struct yaml_node *node,
                       const char *key, const char *text) {
    target_error(reader->x, node, arena_printf(reader->x->arena, "mask.%s", key), "%s", text);
    return false;
}

static bool missing(const struct mask_reader *reader, const char *key) {
    return mask_error(reader, reader->mask, key, "is missing: mask by latch has latch, and, load");
}

static bool find_latch(struct mask_reader *reader) {
    const struct yaml_node *n = target_node_find(reader->mask, "latch");
    if (!n)
        return missing(reader, "latch");
    const char *known[64];
    size_t count = 0;
    for (uint32_t i = 0; i < plane_own(reader->t)->row_class_count; i++) {
        const struct row_class *c = &plane_own(reader->t)->row_classes[i];
        if (!c->latch)
            continue;
        plane_own(reader->t)->mask_latch = i;
        if (strcmp(c->name, n->text) == 0)
            return true;
        known[count++] = c->name;
    }
    mask_error(reader, n, "latch", "no row class of this name is a latch");
    diag_suggest(reader->x->diag, n->at, n->text, known, count);
    return false;
}

/* The one source that is not the latch and the function of it and the latch: over (other, latch),
 * other being input 0.  False if the op is not of that form. */
static bool latch_function(const struct target_op *op, uint32_t latch, unsigned *truth) {
    int other = -1, own = op->reads_old ? op->nsrc : -1;
    if (op->ndst != 1 || op->fixed[op->nsrc] != latch + 1)
        return false;
    for (unsigned i = 0; i < op->nsrc; i++)
        if (op->fixed[i] == latch + 1)
            own = (int)i;
        else if (other >= 0)
            return false;
        else
            other = (int)i;
    *truth = 0;
    for (unsigned row = 0; row < 4; row++) {
        unsigned at = (row & 1) << (other < 0 ? 0 : other);
        at |= own < 0 ? 0 : (row >> 1) << own;
        *truth |= (op->truth[0] >> at & 1) << row;
    }
    return other >= 0 && !op->fixed[other];
}

static bool find_op(struct mask_reader *reader, const char *key, unsigned wanted, const char *form,
                    uint16_t *index) {
    const struct yaml_node *n = target_node_find(reader->mask, key);
    const char *known[PLANE_MAX_OPS];
    unsigned truth;
    if (!n)
        return missing(reader, key);
    for (uint32_t i = 0; i < plane_own(reader->t)->op_count; i++) {
        const struct target_op *op = &plane_own(reader->t)->ops[i];
        known[i] = op->name;
        if (strcmp(op->name, n->text) != 0)
            continue;
        *index = (uint16_t)(i + 1);
        return (latch_function(op, plane_own(reader->t)->mask_latch, &truth) && truth == wanted) ||
               mask_error(reader, n, key, form);
    }
    mask_error(reader, n, key, "there is no micro-op of this name");
    diag_suggest(reader->x->diag, n->at, n->text, known, plane_own(reader->t)->op_count);
    return false;
}

/* Keys of another kind of mask. */
static bool check_kind(struct mask_reader *reader) {
    static const char *const of_latch[] = {"latch", "and", "load"};
    for (size_t i = 0; i < 3 && plane_own(reader->t)->mask_by != MASK_LATCH; i++) {
        const struct yaml_node *n = target_node_find(reader->mask, of_latch[i]);
        if (n)
            return mask_error(reader, n, of_latch[i], "goes with mask by latch alone");
    }
    const struct yaml_node *ops = target_node_find(reader->mask, "ops");
    return !ops || plane_own(reader->t)->mask_by == MASK_GATE ||
           mask_error(reader, ops, "ops", "goes with mask by gate alone");
}

bool technology_mask_fill(struct target_text *text, struct target *target) {
    struct mask_reader r = {text, target, target_node_find(text->root, "mask")};
    if (!r.mask)
        return true;
    if (!check_kind(&r))
        return false;
    if (plane_own(target)->mask_by != MASK_LATCH)
        return true;
    return find_latch(&r) &&
           find_op(&r, "and", 0x8, "this micro-op does not and its one source into the latch",
                   &plane_own(target)->mask_and) &&
           find_op(&r, "load", 0xa, "this micro-op does not load its one source into the latch",
                   &plane_own(target)->mask_load);
}

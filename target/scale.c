/* SPDX-License-Identifier: MIT
 * Numbers that go by the sizes of the arrays: a file states them of its own sizes, and --set, or a
 * file that extends it, may give others. */
#include "target/load.h"

#include "support/str.h"

#include <string.h>

__extension__ typedef unsigned __int128 scale128;

/* ---- sizes ---- */

/* 1: the file does not say, or says something that is found wrong later.  The bounds are those of
 * the keys; with them a product of all sizes is at most 2^64. */
static uint64_t size_at(struct yaml_node *root, const char *path, uint64_t most) {
    const struct yaml_node *n = target_find(root, path);
    uint64_t value;
    return n && n->kind == NODE_SCALAR && number_parse_u64(n->text, strlen(n->text), &value) &&
                   value && value <= most
               ? value
               : 1;
}

static struct target_sizes sizes_of(struct yaml_node *root) {
    return (struct target_sizes){.lanes = size_at(root, "array.lanes", 1u << 24),
                                 .sections = size_at(root, "array.sections", 64),
                                 .rows = size_at(root, "array.rows", 1u << 16),
                                 .vrfs = size_at(root, "machine.vrf_per_rfh", 64) *
                                         size_at(root, "machine.rfh_per_mpu", 4096)};
}

static void note_leaf(void *context, const char *path, struct yaml_node *leaf) {
    (void)path;
    if (!leaf->of)
        leaf->of = context;
}

void target_sizes_note(struct target_text *text, struct yaml_node *root) {
    struct target_sizes *sizes = ARENA_NEW(text->arena, struct target_sizes);
    *sizes = sizes_of(root);
    text->lanes = sizes->lanes; /* in the end of the file that extends the others */
    target_leaves(text->arena, root, "", note_leaf, sizes);
}

/* ---- what goes by what ---- */

enum scale_by { BY_LANES, BY_CELLS_OF_VRF, BY_CELLS_OF_MPU };
static const struct rule {
    const char *path; /* ends in a dot: all numbers of the block */
    const char *per;  /* the key that says whether they do */
    const char *word; /* the choice with which they do */
    enum scale_by by;
} rules[] = {
    {"area.arrays_um2", "area.per", "cell", BY_CELLS_OF_MPU},
    {"area.scratch_um2", "area.per", "cell", BY_CELLS_OF_MPU},
    {"array.area_um2", "area.per", "cell", BY_CELLS_OF_VRF},
    {"static.uw_per_mpu", "static.per", "cell", BY_CELLS_OF_MPU},
    {"network.register_ps", "network.per", "lane", BY_LANES},
    {"network.bit_ps", "network.per", "lane", BY_LANES},
    {"energy.", "energy.per", "array", BY_LANES},
};

static const struct rule *rule_of(const struct target_kind *kind, const char *path) {
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        size_t n = strlen(rules[i].path);
        bool block = rules[i].path[n - 1] == '.';
        if (kind && kind->scales_energies && strcmp(rules[i].per, "energy.per") == 0)
            continue;
        if (block ? strncmp(path, rules[i].path, n) == 0 : strcmp(path, rules[i].path) == 0)
            return target_key_settable(kind, path) ? &rules[i] : NULL;
    }
    return NULL;
}

static scale128 amount(const struct target_sizes *sizes, enum scale_by by) {
    if (by == BY_LANES)
        return sizes->lanes;
    scale128 cells = (scale128)sizes->lanes * sizes->sections * sizes->rows;
    return by == BY_CELLS_OF_VRF ? cells : cells * sizes->vrfs;
}

/* ---- scaling ---- */

struct scaling {
    struct target_text *x;
    struct target_sizes sizes; /* the target's */
    struct str left;           /* the numbers that stay and nothing says why */
};

/* Upper bound of the numbers that are scaled: beyond it a number is refused, and so is a product.
 */
static const uint64_t most = (uint64_t)1 << 40;

/* To the nearest, at most 2^62. */
static uint64_t scaled(uint64_t value, scale128 now, scale128 of) {
    const scale128 end = (scale128)1 << 62;
    scale128 whole = (value * now + of / 2) / of;
    return (uint64_t)(whole < end ? whole : end);
}

static void scale_leaf(void *context, const char *path, struct yaml_node *leaf) {
    struct scaling *s = context;
    const struct rule *rule = rule_of(s->x->kind, path);
    uint64_t value;
    if (!rule || !leaf->of || leaf->overridden || leaf->kind != NODE_SCALAR ||
        !number_parse_u64(leaf->text, strlen(leaf->text), &value) || !value || value > most)
        return;
    scale128 now = amount(&s->sizes, rule->by), of = amount(leaf->of, rule->by);
    const struct yaml_node *per = target_find(s->x->root, rule->per);
    if (now == of)
        return;
    if (!per) {
        str_printf(&s->left, "%s%s", s->left.len ? ", " : "", path);
    } else if (per->kind == NODE_SCALAR && strcmp(per->text, rule->word) == 0) {
        leaf->origin = arena_printf(s->x->arena, "%s; %s with the sizes of the file",
                                    leaf->origin ? leaf->origin : "assumed", leaf->text);
        leaf->text = arena_printf(s->x->arena, "%llu", (unsigned long long)scaled(value, now, of));
        leaf->exact = false;
    }
}

void target_scale(struct target_text *text) {
    struct scaling s = {.x = text, .sizes = sizes_of(text->root)};
    target_leaves(text->arena, text->root, "", scale_leaf, &s);
    if (s.left.len) {
        diag_warning(text->diag, W_UNSCALED, NO_SPAN,
                     "target '%s' has arrays of other sizes than those that these numbers are "
                     "stated of, and they stay as they are: %s",
                     text->name, str_text(&s.left));
        diag_note(
            text->diag, NO_SPAN,
            "area.per, static.per, network.per and energy.per in its file say how they go by sizes");
    }
    str_free(&s.left);
}

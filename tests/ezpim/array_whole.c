/* SPDX-License-Identifier: MIT
 * Programs about arrays: products and sorts. */
#include "tests/ezpim/array_parts.h"

#include <stdio.h>
#include <string.h>

/* ---- products ---- */

static bool same_extent(const struct agen_extent *a, const struct agen_extent *b) {
    return strcmp(a->text, b->text) == 0;
}

/* A group of these extents, often on the VRFs of the one before it. */
static void make_factor(struct agen *g, const char *name, const struct agen_extent *extents,
                        unsigned n, bool like) {
    struct agen_group *group = agen_new_group(g, name);
    agen_add(g, "group %s", name);
    for (unsigned d = 0; d < n; d++) {
        agen_add(g, "%s%s", d ? ", " : "[", extents[d].text);
        group->extents[group->ndim++] = extents[d];
        group->elements *= extents[d].value;
    }
    if (like)
        agen_add(g, "] like %s;\n", g->groups[g->group_count - 2].name);
    else
        agen_add(g, g->mpus ? "] on ring;\n" : "];\n");
}

/* Two matrices, or one and a vector on either side, and their product. */
void agen_make_factors(struct agen *g) {
    unsigned form = agen_below(g, 4), first = form == 1, last = form == 2;
    struct agen_extent e[] = {agen_extent(g, 12), agen_extent(g, agen_chance(g, 4) ? 70 : 9),
                              agen_extent(g, 9)};
    struct agen_extent product[] = {e[first ? 2 : 0], e[2]};
    if (g->group_count + 3 > AGEN_GROUPS)
        return;
    make_factor(g, "pa", e + first, 2 - first, false);
    make_factor(g, "pb", e + 1, 2 - last, agen_chance(g, 2));
    make_factor(g, "pc", product, 2 - first - last, agen_chance(g, 2));
}

/* Whether the product of both is of the group `to`; `lead`: coordinates of MPUs. */
static bool multiplies(const struct agen_group *a, const struct agen_group *b,
                       const struct agen_group *to, unsigned lead) {
    unsigned m = a->ndim - lead, n = b->ndim - lead;
    if (m > 2 || n > 2 || (m == 1 && n == 1) || to->ndim - lead != m + n - 2)
        return false;
    return same_extent(&a->extents[a->ndim - 1], &b->extents[lead]) &&
           (m == 1 || same_extent(&to->extents[lead], &a->extents[lead])) &&
           (n == 1 || same_extent(&to->extents[to->ndim - 1], &b->extents[b->ndim - 1]));
}

static bool extends_to(struct rtype from, struct rtype to) {
    return !from.is_bool && !to.is_bool && from.is_signed == to.is_signed && from.bits <= to.bits;
}

bool agen_may_multiply(const struct agen *g, struct rtype t) {
    return agen_has(g, ARRAY_PRODUCTS) && (t.bits <= 16 || !g->options->cheap);
}

void agen_product(struct agen *g) {
    for (unsigned i = 0; i < 200; i++) {
        struct agen_group *a = agen_group(g), *b = agen_group(g), *to = agen_group(g);
        struct agen_var *x = agen_readable(g, a, NULL), *y = agen_readable(g, b, NULL);
        struct agen_var *v = agen_writable(g, to, NULL);
        if (!multiplies(a, b, to, g->mpus != 0) || !x || !y || !v ||
            !extends_to(x->type, v->type) || !extends_to(y->type, v->type) ||
            !agen_may_multiply(g, v->type))
            continue;
        agen_line(g, "%s = product(%s, %s);", v->name, x->name, y->name);
        v->known = true;
        return;
    }
}

/* ---- sorts ---- */

/* Of sizes without a bound the number of stages is not known. */
static bool has_stages(const struct agen_group *group, unsigned first, unsigned last) {
    for (unsigned d = first; d < last; d++)
        if (group->extents[d].open)
            return false;
    return true;
}

void agen_sort(struct agen *g) {
    struct agen_group *group = agen_group(g);
    struct agen_var *v = agen_writable(g, group, NULL);
    unsigned lead = g->mpus != 0, d = lead + agen_below(g, group->ndim - lead);
    bool all = !lead && agen_chance(g, 2);
    if (v->type.is_bool || !has_stages(group, all ? 0 : d, all ? group->ndim : d + 1))
        return;
    agen_begin(g);
    agen_add(g, "%s = sort(", v->name);
    agen_expr(g, group, v->type, agen_below(g, 3));
    if (!all)
        agen_add(g, ", %u", d - lead);
    agen_add(g, ");\n");
    v->known = true;
}

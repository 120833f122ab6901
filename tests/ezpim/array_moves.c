/* SPDX-License-Identifier: MIT
 * Programs about arrays: moves, folds and scans. */
#include "tests/ezpim/array_parts.h"

#include <stdio.h>
#include <string.h>

static const char *const indices[] = {"i", "j", "q", "l"};

/* An index of the near side, the d-th if it has a name. */
static const char *index_name(const struct agen *g, unsigned d) {
    if (g->named[d])
        return indices[d];
    for (unsigned i = 0; i < AGEN_DIMS; i++)
        if (g->named[i])
            return indices[i];
    return "0";
}

/* A counter, times a number, is added where moves may know it. */
static void add_counter(struct agen *g) {
    if (!g->counter_count || agen_chance(g, 3))
        return;
    const struct agen_counter *k = &g->counters[agen_below(g, g->counter_count)];
    if (!k->is_number && !agen_has(g, ARRAY_STEPS))
        return;
    if (agen_chance(g, 3))
        agen_add(g, " %c %u * %s", agen_chance(g, 2) ? '+' : '-', 2 + agen_below(g, 3), k->name);
    else
        agen_add(g, " %c %s", agen_chance(g, 2) ? '+' : '-', k->name);
}

/* A coordinate of the far side along an extent, by an index of the near one. */
static void add_coordinate(struct agen *g, const char *index, const struct agen_extent *e) {
    unsigned c = agen_below(g, 4);
    switch (agen_below(g, 8)) {
    case 0:
        agen_add(g, "%s - %u", index, c + 1);
        break;
    case 1:
        agen_add(g, "%s - 1 - %s", e->text, index);
        break;
    case 2:
        agen_add(g, "%u * %s + %u", c + 2, index, c % 2);
        break;
    case 3:
        agen_add(g, "%llu", (unsigned long long)(c % e->value));
        break;
    case 4:
        agen_add(g, "%s + %u", index, c);
        break;
    default:
        agen_add(g, "%s", index);
    }
    add_counter(g);
}

static void add_far(struct agen *g, const struct agen_var *v, const struct agen_group *far,
                    unsigned near_dims) {
    agen_add(g, "%s[", v->name);
    for (unsigned d = 0; d < far->ndim; d++) {
        unsigned of = d < near_dims && !agen_chance(g, 4) ? d : agen_below(g, near_dims);
        agen_add(g, d ? ", " : "");
        add_coordinate(g, index_name(g, of), &far->extents[d]);
    }
    agen_add(g, "]");
}

/* A target's coordinate that is not its index alone; true if one was written.  *named becomes
 * false if there is no index in it. */
static bool add_stride(struct agen *g, const char *index, const struct agen_extent *e,
                       bool *named) {
    unsigned c = agen_below(g, 4);
    if (!agen_has(g, ARRAY_STEPS) || !agen_chance(g, 3))
        return false;
    switch (agen_below(g, 5)) {
    case 0:
        agen_add(g, "%s + %u", index, c);
        break;
    case 1:
        agen_add(g, "%s - 1 - %s", e->text, index);
        return true;
    case 2:
        agen_add(g, "%s - 1 - %u * %s", e->text, c + 1, index);
        break;
    case 3:
        agen_add(g, "%llu", (unsigned long long)(c % e->value));
        *named = false;
        return true;
    default:
        agen_add(g, "%u * %s + %u", c + 2, index, c);
    }
    add_counter(g);
    return true;
}

/* True when each element is named.  *strided: some have no range. */
static bool add_near(struct agen *g, const struct agen_var *v, const struct agen_group *near,
                     bool *strided) {
    bool all = true;
    agen_add(g, "%s[", v->name);
    for (unsigned d = 0; d < AGEN_DIMS; d++)
        g->named[d] = d < near->ndim;
    for (unsigned d = 0; d < near->ndim; d++) {
        agen_add(g, d ? ", " : "");
        bool stride = strided && add_stride(g, indices[d], &near->extents[d], &g->named[d]);
        if (!stride)
            agen_add(g, "%s", indices[d]);
        all = all && !stride;
    }
    agen_add(g, "]");
    if (strided)
        *strided = !all;
    return all;
}

/* A part of the plain indices of a group; false when there is one. */
static bool add_range(struct agen *g, const struct agen_group *near) {
    unsigned d = agen_below(g, near->ndim);
    const struct agen_extent *e = &near->extents[d];
    if (!agen_chance(g, 4))
        return true;
    if (e->value > 3 && agen_chance(g, 2))
        agen_add(g, " for %s: %u .. %s - %u", indices[d], agen_below(g, 2), e->text,
                 agen_below(g, 3));
    else
        agen_add(g, " for %s: 0 .. %s", indices[d], agen_chance(g, 2) ? "1" : e->text);
    return false;
}

/* `wrap` and its like, or nothing; true when every element gets a value. */
static bool add_outside(struct agen *g, bool indexed, bool fills) {
    uint32_t otherwise;
    switch (agen_below(g, indexed ? 4 : 3)) {
    case 0:
        agen_add(g, " wrap");
        return true;
    case 1:
        otherwise = agen_below(g, 2);
        if (fills)
            agen_add(g, " else %u", otherwise);
        return fills;
    case 2:
        return false;
    default:
        agen_add(g, " clip");
        return true;
    }
}

/* A source for v, in any group. */
static struct agen_var *choose_source(struct agen *g, const struct agen_var *v,
                                      struct agen_group **from) {
    for (unsigned i = 0; i < 8; i++) {
        *from = agen_group(g);
        struct agen_var *source = agen_readable(g, *from, &v->type);
        if (source)
            return source;
    }
    return NULL;
}

void agen_move(struct agen *g) {
    struct agen_group *to = agen_group(g), *from;
    struct agen_var *v = agen_writable(g, to, NULL), *source = choose_source(g, v, &from);
    bool strided;
    if (!source)
        return;
    agen_begin(g);
    agen_add(g, "move ");
    bool all = add_near(g, v, to, &strided);
    agen_add(g, " = ");
    add_far(g, source, from, to->ndim);
    all = add_outside(g, false, true) && all;
    all = (strided || add_range(g, to)) && all;
    agen_add(g, ";\n");
    v->known = v->known || all;
}

/* A variable of integers that lies beside the group's elements: of one with the same extents. */
static struct agen_var *choose_index(struct agen *g, const struct agen_group *near) {
    struct agen_var *found = NULL;
    for (unsigned i = 0; i < 6 && !found; i++) {
        struct agen_group *of = agen_group(g);
        if (of->like == near->like)
            found = agen_chance(g, 2) ? &of->vars[4] : agen_readable(g, of, NULL);
        if (found && !found->known)
            found = NULL;
    }
    return found;
}

/* The far side's coordinates, one of which is what `index` holds. */
static void add_indexed(struct agen *g, const struct agen_var *v, const struct agen_group *far,
                        const struct agen_var *index, unsigned near_dims) {
    unsigned at = agen_below(g, far->ndim);
    agen_add(g, "%s[", v->name);
    for (unsigned d = 0; d < far->ndim; d++) {
        unsigned of = d < near_dims ? d : agen_below(g, near_dims);
        agen_add(g, d ? ", " : "");
        if (d == at)
            add_near(g, index, &(struct agen_group){.ndim = near_dims}, NULL);
        else
            add_coordinate(g, index_name(g, of), &far->extents[d]);
    }
    agen_add(g, "]");
}

static void gather(struct agen *g, struct agen_var *v, struct agen_group *to) {
    struct agen_group *from;
    struct agen_var *source = choose_source(g, v, &from), *index = choose_index(g, to);
    if (!source || !index)
        return;
    agen_begin(g);
    agen_add(g, "move ");
    add_near(g, v, to, NULL);
    agen_add(g, " = ");
    add_indexed(g, source, from, index, to->ndim);
    bool all = add_outside(g, true, true);
    all = add_range(g, to) && all;
    agen_add(g, ";\n");
    v->known = v->known || all;
}

/* What nothing goes to keeps its value, so it must have one. */
static void scatter(struct agen *g, struct agen_var *v, struct agen_group *to) {
    struct agen_group *from;
    struct agen_var *source = choose_source(g, v, &from);
    struct agen_var *index = source ? choose_index(g, from) : NULL;
    if (!v->known || !index)
        return;
    agen_begin(g);
    for (unsigned d = 0; d < AGEN_DIMS; d++)
        g->named[d] = d < from->ndim;
    agen_add(g, "move ");
    add_indexed(g, v, to, index, from->ndim);
    agen_add(g, " = ");
    add_near(g, source, from, NULL);
    add_outside(g, true, false);
    add_range(g, from);
    agen_add(g, ";\n");
}

void agen_indexed(struct agen *g) {
    struct agen_group *to = agen_group(g);
    struct agen_var *v = agen_writable(g, to, NULL);
    if (agen_chance(g, 2))
        scatter(g, v, to);
    else
        gather(g, v, to);
}

/* ---- folds ---- */

/* A kind that gives values of type t; *of: the type of what it folds. */
static const char *choose_kind(struct agen *g, struct rtype t, struct rtype *of) {
    static const char *const numbers[] = {"sum", "min", "max", "and", "or", "xor", "prod"};
    static const char *const places[] = {"count", "argmin", "argmax"};
    *of = t;
    if (t.is_bool)
        return agen_chance(g, 2) ? "any" : "all";
    if (t.bits < 64 || t.is_signed || agen_chance(g, 4))
        return numbers[agen_below(g, agen_may_multiply(g, t) ? 7 : 6)];
    unsigned kind = agen_below(g, 3);
    *of = kind ? g->palette[agen_below(g, 3)] : (struct rtype){.is_bool = true, .bits = 1};
    return places[kind];
}

static void fold(struct agen *g, const struct agen_group *group, struct agen_var *v,
                 const char *along) {
    struct rtype of;
    const char *kind = choose_kind(g, v->type, &of);
    agen_begin(g);
    agen_add(g, "%s = %s(", v->name, kind);
    agen_expr(g, group, of, agen_below(g, 3));
    agen_add(g, "%s);\n", along);
}

/* Often several in a row. */
void agen_fold(struct agen *g) {
    const struct agen_group *group = agen_group(g);
    unsigned n = agen_chance(g, 2) ? 1 : 2 + agen_below(g, 3);
    for (unsigned i = 0; i < n; i++) {
        struct agen_var *v = &g->shared[agen_below(g, AGEN_SHARED)];
        fold(g, agen_chance(g, 4) ? agen_group(g) : group, v, "");
        v->known = true;
    }
}

/* Whether `to` has the extents of `from` without dimension d. */
static bool is_without(const struct agen_group *to, const struct agen_group *from, unsigned d) {
    bool same = to->ndim + 1 == from->ndim;
    for (unsigned i = 0; same && i < to->ndim; i++)
        same = strcmp(to->extents[i].text, from->extents[i + (i >= d)].text) == 0;
    return same;
}

void agen_fold_along(struct agen *g) {
    unsigned first = g->mpus != 0;
    for (unsigned i = 0; i < 8; i++) {
        struct agen_group *from = agen_group(g), *to = agen_group(g);
        unsigned d = agen_below(g, from->ndim);
        char along[8];
        if (d < first || !is_without(to, from, d))
            continue;
        struct agen_var *v = agen_writable(g, to, NULL);
        snprintf(along, sizeof along, ", %u", (d - first) % 10);
        fold(g, from, v, along);
        v->known = true;
        return;
    }
}

/* What stands behind the value. */
static void add_scan_words(struct agen *g, const struct agen_group *group, struct rtype t) {
    static const char *const kinds[] = {"",     "",      ", max", ", min", ", and",
                                        ", or", ", xor", ", sum", ", prod"};
    static const char *const of_bool[] = {", any", ", all", ", or", ", and", ", xor"};
    unsigned first = g->mpus != 0;
    agen_add(g, "%s",
             t.is_bool ? of_bool[agen_below(g, 5)]
                       : kinds[agen_below(g, agen_may_multiply(g, t) ? 9 : 8)]);
    if (agen_chance(g, 2))
        agen_add(g, ", %u", agen_below(g, group->ndim - first));
    if (agen_chance(g, 3))
        agen_add(g, ", exclusive");
}

void agen_scan(struct agen *g) {
    struct agen_group *group = agen_group(g);
    struct agen_var *v = agen_writable(g, group, NULL);
    if (!agen_has(g, ARRAY_SCANS) && (group->ndim > 1 || v->type.is_bool))
        return;
    agen_begin(g);
    agen_add(g, "%s = scan(", v->name);
    agen_expr(g, group, v->type, agen_below(g, 3));
    if (agen_has(g, ARRAY_SCANS))
        add_scan_words(g, group, v->type);
    agen_add(g, ");\n");
    v->known = true;
}

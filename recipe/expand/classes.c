/* SPDX-License-Identifier: MIT
 * In which class of rows each scratch value lies.
 *
 * Where several classes hold scratch, the `where` of the micro-ops that write and read a value
 * decides: every micro-op allows some combinations of classes, classes without a combination left
 * are ruled out, and that spreads from micro-op to micro-op.  What is then still free takes the
 * first class of the file, one of compute rows last; a choice that leads nowhere is taken back. */
#include "recipe/expand/expand.h"

#include "support/alloc.h"

#include <stdlib.h>

/* Combinations of one micro-op that are tried; those with more wait until choices make them fewer,
 * and are checked at the end. */
#define MAX_COMBINATIONS 4096u
/* Choices taken back before the list counts as unsolvable. */
#define MAX_RETREATS 10000u

/* --- one micro-op --- */

/* The places of a micro-op's operands, and the values among them whose class is open. */
struct open_places {
    struct where_place places[OP_MAX_SOURCES + OP_MAX_DESTS];
    unsigned operands, count;
    uint32_t values[OP_MAX_SOURCES + OP_MAX_DESTS];
    uint32_t at[OP_MAX_SOURCES + OP_MAX_DESTS]; /* bit k: operand k is this value */
};

/* `domains`: bit c of [v]: value v may lie in class c; NULL: what has no class may lie in all. */
static bool is_open(const struct expansion *x, uint32_t place, const uint64_t *domains) {
    uint32_t v = PLACE_PAYLOAD(place);
    if (PLANE_CLASS(place) != PLANE_SCRATCH)
        return false;
    return domains ? (domains[v] & (domains[v] - 1)) != 0 : !x->list.values.data[v].class;
}

static void add_open(struct open_places *o, uint32_t value, unsigned operand) {
    unsigned i = 0;
    while (i < o->count && o->values[i] != value)
        i++;
    if (i == o->count) {
        o->values[i] = value;
        o->at[i] = 0;
        o->count++;
    }
    o->at[i] |= 1u << operand;
}

static void find_open(const struct expansion *x, const struct target_op *op, const uint32_t *src,
                      const uint32_t *dst, int here, const uint64_t *domains,
                      struct open_places *o) {
    o->operands = op->nsrc + (unsigned)op->ndst;
    o->count = 0;
    for (unsigned i = 0; i < o->operands; i++) {
        uint32_t place = i < op->nsrc ? src[i] : dst[i - op->nsrc];
        o->places[i] = expand_place_of(x, place, here);
        if (is_open(x, place, domains))
            add_open(o, PLACE_PAYLOAD(place), i);
        else if (domains && PLANE_CLASS(place) == PLANE_SCRATCH)
            o->places[i].class = __builtin_ctzll(domains[PLACE_PAYLOAD(place)]);
    }
}

static void set_class(struct open_places *o, unsigned i, int class) {
    for (uint32_t left = o->at[i]; left; left &= left - 1)
        o->places[__builtin_ctz(left)].class = class;
}

/* Tries all combinations of `sets` from value i on; adds the classes of those that are allowed to
 * `fine` and stops when it has all of them. */
static bool try_from(struct open_places *o, const struct target_op *op, int here, unsigned i,
                     const uint64_t *sets, uint64_t *fine, uint64_t *chosen) {
    if (i == o->count) {
        if (!technology_where_holds(op->where, o->places, here))
            return false;
        bool all = true;
        for (unsigned k = 0; k < o->count; k++) {
            fine[k] |= chosen[k];
            all &= fine[k] == sets[k];
        }
        return all;
    }
    for (uint64_t left = sets[i]; left; left &= left - 1) {
        chosen[i] = left & -left;
        set_class(o, i, __builtin_ctzll(left));
        if (try_from(o, op, here, i + 1, sets, fine, chosen))
            return true;
    }
    return false;
}

static bool too_many(const struct open_places *o, const uint64_t *sets) {
    uint64_t n = 1;
    for (unsigned i = 0; i < o->count && n <= MAX_COMBINATIONS; i++)
        n *= (unsigned)__builtin_popcountll(sets[i]);
    return n > MAX_COMBINATIONS;
}

static uint64_t scratch_classes(const struct target *t) {
    uint64_t set = 0;
    for (uint32_t i = 0; i < plane_target(t)->row_class_count; i++)
        set |= (uint64_t)(plane_target(t)->row_classes[i].scratch_rows > 0) << i;
    return set;
}

bool expand_classes_allow(const struct expansion *x, const struct target_op *op,
                          const uint32_t *src, const uint32_t *dst, int here) {
    const struct target *t = x->set->target;
    struct open_places o;
    uint64_t sets[UOP_MAX * 2], fine[UOP_MAX * 2] = {0}, chosen[UOP_MAX * 2];
    if (!op->where)
        return true;
    find_open(x, op, src, dst, here, NULL, &o);
    if (o.count == 0 || expand_classes_are_plain(t))
        return technology_where_holds(op->where, o.places, here);
    for (unsigned i = 0; i < o.count; i++)
        sets[i] = scratch_classes(t);
    if (too_many(&o, sets))
        return true;
    try_from(&o, op, here, 0, sets, fine, chosen);
    return fine[0] != 0;
}

/* --- the list --- */

struct domain_change {
    uint32_t value;
    uint64_t before;
};

struct choice_made {
    uint32_t value;
    uint64_t class;
    size_t changes; /* before it */
};

struct class_solver {
    struct expansion *x;
    uint64_t *domains;
    uint32_t *cause;        /* [value]: micro-op that ruled classes out last, or NO_UOP */
    uint32_t *first, *uses; /* micro-ops that have value v: uses[first[v]] .. uses[first[v + 1]] */
    unsigned char *queued;  /* [micro-op] */
    VEC(uint32_t) queue;
    VEC(struct domain_change) changes;
    VEC(struct choice_made) choices;
    uint32_t conflict; /* micro-op of the latest failure */
};

static const struct target_op *op_of(const struct class_solver *s, uint32_t uop) {
    return &plane_target(s->x->set->target)->ops[s->x->list.uops.data[uop].kind];
}

static void find_places(const struct class_solver *s, uint32_t uop, struct open_places *o) {
    const struct sym_uop *u = &s->x->list.uops.data[uop];
    find_open(s->x, op_of(s, uop), u->src, u->dst, u->section, s->domains, o);
}

static void enqueue(struct class_solver *s, uint32_t uop) {
    if (s->queued[uop] || !op_of(s, uop)->where)
        return;
    s->queued[uop] = 1;
    vec_push(&s->queue, uop);
}

static void narrow(struct class_solver *s, uint32_t value, uint64_t domain, uint32_t because) {
    struct domain_change c = {value, s->domains[value]};
    if (c.before == domain)
        return;
    vec_push(&s->changes, c);
    s->domains[value] = domain;
    s->cause[value] = because;
    for (uint32_t i = s->first[value]; i < s->first[value + 1]; i++)
        if (s->uses[i] != because)
            enqueue(s, s->uses[i]);
}

/* The classes that the open values have in combinations that the micro-op allows; false if there
 * are none.  o->count is 0 where nothing is ruled out. */
static bool find_allowed(const struct class_solver *s, uint32_t uop, struct open_places *o,
                         uint64_t *fine) {
    const struct target_op *op = op_of(s, uop);
    int here = s->x->list.uops.data[uop].section;
    uint64_t sets[UOP_MAX * 2], chosen[UOP_MAX * 2];
    find_places(s, uop, o);
    if (o->count == 0)
        return technology_where_holds(op->where, o->places, here);
    for (unsigned i = 0; i < o->count; i++) {
        sets[i] = s->domains[o->values[i]];
        fine[i] = 0;
    }
    if (too_many(o, sets)) {
        o->count = 0;
        return true;
    }
    try_from(o, op, here, 0, sets, fine, chosen);
    return fine[0] != 0;
}

/* Rules out the classes that no allowed combination of the micro-op has. */
static bool revise(struct class_solver *s, uint32_t uop) {
    struct open_places o;
    uint64_t fine[UOP_MAX * 2];
    if (!find_allowed(s, uop, &o, fine)) {
        s->conflict = uop;
        return false;
    }
    for (unsigned i = 0; i < o.count; i++)
        narrow(s, o.values[i], fine[i], uop);
    return true;
}

static bool propagate(struct class_solver *s) {
    bool fine = true;
    while (s->queue.len > 0) {
        uint32_t uop = s->queue.data[--s->queue.len];
        s->queued[uop] = 0;
        fine = fine && revise(s, uop);
    }
    return fine;
}

static void undo(struct class_solver *s, size_t changes) {
    while (s->changes.len > changes) {
        const struct domain_change *c = &s->changes.data[--s->changes.len];
        s->domains[c->value] = c->before;
    }
}

/* The class that a free value takes: compute rows last. */
static uint64_t preferred(const struct target *t, uint64_t domain) {
    for (uint64_t left = domain; left; left &= left - 1)
        if (!plane_target(t)->row_classes[__builtin_ctzll(left)].compute)
            return left & -left;
    return domain & -domain;
}

/* Takes choices back until one of them has another class left that leads on. */
static bool retreat(struct class_solver *s, unsigned *retreats) {
    while (s->choices.len > 0 && ++*retreats <= MAX_RETREATS) {
        struct choice_made c = s->choices.data[--s->choices.len];
        undo(s, c.changes);
        uint64_t left = s->domains[c.value] & ~c.class;
        if (!left)
            continue;
        narrow(s, c.value, left, NO_UOP);
        if (propagate(s))
            return true;
    }
    return false;
}

static bool choose(struct class_solver *s) {
    unsigned retreats = 0;
    for (uint32_t v = 0; v < s->x->list.values.len;) {
        uint64_t domain = s->domains[v];
        if (!(domain & (domain - 1))) {
            v++;
            continue;
        }
        struct choice_made c = {v, preferred(s->x->set->target, domain), s->changes.len};
        vec_push(&s->choices, c);
        narrow(s, v, c.class, NO_UOP);
        if (propagate(s))
            continue;
        if (!retreat(s, &retreats))
            return false;
        v = 0;
    }
    return true;
}

/* --- set-up and end --- */

static void list_uses(struct class_solver *s) {
    const struct sym_list *l = &s->x->list;
    s->first = xcalloc(l->values.len + 2, sizeof *s->first);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < l->uops.len; i++) {
            const struct sym_uop *u = &l->uops.data[i];
            for (unsigned k = 0; k < u->nsrc + (unsigned)u->ndst; k++) {
                uint32_t place = k < u->nsrc ? u->src[k] : u->dst[k - u->nsrc];
                if (PLANE_CLASS(place) != PLANE_SCRATCH)
                    continue;
                /* Counted two places on, then filled one place on: the starts are then right. */
                if (pass == 0)
                    s->first[PLACE_PAYLOAD(place) + 2]++;
                else
                    s->uses[s->first[PLACE_PAYLOAD(place) + 1]++] = i;
            }
        }
        for (size_t v = 0; pass == 0 && v < l->values.len; v++)
            s->first[v + 2] += s->first[v + 1];
        if (pass == 0)
            s->uses = xcalloc((size_t)s->first[l->values.len + 1] + 1, sizeof *s->uses);
    }
}

static void start(struct class_solver *s, struct expansion *x) {
    const struct target *t = x->set->target;
    *s = (struct class_solver){.x = x, .conflict = NO_UOP};
    s->domains = xcalloc(x->list.values.len + 1, sizeof *s->domains);
    s->cause = xcalloc(x->list.values.len + 1, sizeof *s->cause);
    s->queued = xcalloc(x->list.uops.len + 1, 1);
    for (size_t v = 0; v < x->list.values.len; v++) {
        uint16_t class = x->list.values.data[v].class;
        s->domains[v] = class ? (uint64_t)1 << (class - 1) : scratch_classes(t);
        s->cause[v] = NO_UOP;
    }
    list_uses(s);
}

static void finish(struct class_solver *s, bool solved) {
    for (size_t v = 0; solved && v < s->x->list.values.len; v++)
        s->x->list.values.data[v].class = (uint16_t)(__builtin_ctzll(s->domains[v]) + 1);
    free(s->domains);
    free(s->cause);
    free(s->first);
    free(s->uses);
    free(s->queued);
    vec_free(&s->queue);
    vec_free(&s->changes);
    vec_free(&s->choices);
}

/* Would there be no conflict if this value could lie in any class? */
static bool is_culprit(struct class_solver *s, uint32_t value) {
    struct open_places o;
    uint64_t domain = s->domains[value], unused[UOP_MAX * 2];
    s->domains[value] = scratch_classes(s->x->set->target);
    bool fine = find_allowed(s, s->conflict, &o, unused);
    s->domains[value] = domain;
    return fine;
}

/* A value of the conflict's micro-op that other ones keep from where it should lie, or NO_UOP. */
static uint32_t find_culprit(struct class_solver *s) {
    const struct sym_uop *u = &s->x->list.uops.data[s->conflict];
    for (unsigned i = 0; i < u->nsrc + (unsigned)u->ndst; i++) {
        uint32_t place = i < u->nsrc ? u->src[i] : u->dst[i - u->nsrc], v = PLACE_PAYLOAD(place);
        if (PLANE_CLASS(place) == PLANE_SCRATCH && !s->x->list.values.data[v].named &&
            is_culprit(s, v))
            return v;
    }
    return NO_UOP;
}

/* The micro-op that rules out what the conflict's needs, if it is another one. */
static uint32_t other_side(struct class_solver *s) {
    uint32_t v = find_culprit(s);
    if (v == NO_UOP)
        return NO_UOP;
    if (s->cause[v] != NO_UOP && s->cause[v] != s->conflict)
        return s->cause[v];
    for (uint32_t i = s->first[v]; i < s->first[v + 1]; i++)
        if (s->uses[i] != s->conflict)
            return s->uses[i];
    return NO_UOP;
}

static void report(struct class_solver *s) {
    const struct expansion *x = s->x;
    const struct sym_uop *u = &x->list.uops.data[s->conflict];
    uint32_t other = other_side(s);
    if (other == NO_UOP) {
        expand_error(x, u->unit, u->stmt->at,
                     "%s in section %u may not work on these places ('where')",
                     op_of(s, s->conflict)->name, u->section);
        return;
    }
    const struct sym_uop *o = &x->list.uops.data[other];
    expand_error(x, u->unit, u->stmt->at,
                 "%s may not work on these places ('where'): no class of rows suits a value "
                 "both here and where %s has it",
                 op_of(s, s->conflict)->name, op_of(s, other)->name);
    expand_note(x, o->unit, o->stmt->at, "%s has it here", op_of(s, other)->name);
}

/* One class holds all scratch: there is nothing to solve.  Operands that were redirected to copies
 * lie elsewhere than when their micro-ops were checked. */
static bool take_plain(struct expansion *x) {
    uint16_t class = (uint16_t)(expand_plain_scratch_class(x->set->target) + 1);
    for (size_t v = 0; v < x->list.values.len; v++)
        if (!x->list.values.data[v].class)
            x->list.values.data[v].class = class;
    for (size_t i = 0; i < x->list.uops.len && x->aliased; i++) {
        const struct sym_uop *u = &x->list.uops.data[i];
        const struct target_op *op = &plane_target(x->set->target)->ops[u->kind];
        if (expand_classes_allow(x, op, u->src, u->dst, u->section))
            continue;
        expand_error(x, u->unit, u->stmt->at,
                     "%s in section %u may not work on the copy of an operand ('where')", op->name,
                     u->section);
        return false;
    }
    return true;
}

bool expand_classes(struct expansion *x) {
    struct class_solver s;
    if (expand_classes_are_plain(x->set->target))
        return take_plain(x);
    start(&s, x);
    for (uint32_t i = (uint32_t)x->list.uops.len; i-- > 0;)
        enqueue(&s, i);
    bool fine = propagate(&s) && choose(&s);
    if (!fine)
        report(&s);
    finish(&s, fine);
    return fine;
}

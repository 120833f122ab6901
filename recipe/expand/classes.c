/* SPDX-License-Identifier: MIT
 * In which class of rows each scratch value lies.
 *
 * Where several classes hold scratch, the `where` of the micro-ops that write and read a value
 * decides: every micro-op allows some combinations of classes, classes without a combination left
 * are ruled out, and that spreads from micro-op to micro-op.  What is then still free takes the
 * first class of the file, one of compute rows last; a choice that leads nowhere is taken back.
 * Values choose in the order in which they are made, or, where that takes more rows for computing
 * than there are, those first that are held the longest.
 * Copies for which any micro-op will do that copies are the first of the file that may do it as
 * long as that leads somewhere, else whichever suits the classes.  Where all of that leads nowhere,
 * and the expansion may, a value that contradicts is copied for the micro-op that contradicts. */
#include "recipe/expand/allowed.h"
#include "recipe/expand/lasting.h"
#include "recipe/expand/split.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Choices taken back before the list counts as unsolvable. */
#define MAX_RETREATS 10000u
/* Statements whose values are copied before that. */
#define MAX_SPLITS 48u

/* --- one micro-op --- */

/* `domains`: bit c of [v]: value v may lie in class c; NULL: what has no class may lie in all. */
static bool is_open(const struct expansion *expansion, uint32_t place, const uint64_t *domains) {
    uint32_t v = PLACE_PAYLOAD(place);
    if (PLANE_CLASS(place) != PLANE_SCRATCH)
        return false;
    return domains ? (domains[v] & (domains[v] - 1)) != 0 : !expansion->list.values.data[v].class;
}

static void add_open(struct open_places *places, uint32_t value, unsigned operand) {
    unsigned i = 0;
    while (i < places->count && places->values[i] != value)
        i++;
    if (i == places->count) {
        places->values[i] = value;
        places->at[i] = 0;
        places->count++;
    }
    places->at[i] |= 1u << operand;
}

static void find_open(const struct expansion *expansion, const struct target_op *op,
                      const uint32_t *src, const uint32_t *dst, int here, const uint64_t *domains,
                      struct open_places *places) {
    places->operands = op->nsrc + (unsigned)op->ndst;
    places->count = 0;
    for (unsigned i = 0; i < places->operands; i++) {
        uint32_t place = i < op->nsrc ? src[i] : dst[i - op->nsrc];
        places->places[i] = expand_place_of(expansion, place, here);
        if (is_open(expansion, place, domains))
            add_open(places, PLACE_PAYLOAD(place), i);
        else if (domains && PLANE_CLASS(place) == PLANE_SCRATCH)
            places->places[i].class = __builtin_ctzll(domains[PLACE_PAYLOAD(place)]);
    }
}

static uint64_t scratch_classes(const struct target *target) {
    uint64_t set = 0;
    for (uint32_t i = 0; i < plane_target(target)->row_class_count; i++)
        set |= (uint64_t)(plane_target(target)->row_classes[i].scratch_rows > 0) << i;
    return set;
}

static bool allows(const struct expansion *expansion, const struct target_op *op,
                   const uint32_t *src, const uint32_t *dst, int here) {
    const struct target *t = expansion->set->target;
    struct open_places o;
    uint64_t sets[UOP_MAX * 2];
    struct combinations c = {.places = &o, .op = op, .here = here, .sets = sets, .one = true};
    find_open(expansion, op, src, dst, here, NULL, &o);
    if (o.count == 0 || expand_classes_are_plain(t))
        return technology_where_holds(op->where, o.places, here);
    for (unsigned i = 0; i < o.count; i++)
        sets[i] = scratch_classes(t);
    if (expand_combinations_too_many(&c))
        return true;
    expand_combinations_try(expansion, &c);
    return c.fine[0] != 0;
}

bool expand_classes_allow(const struct expansion *expansion, const struct target_op *op,
                          const uint32_t *src, const uint32_t *dst, int here) {
    struct allowed_question q;
    bool known;
    if (!op->where)
        return true;
    if (!expansion->allowed)
        return allows(expansion, op, src, dst, here);
    expand_question_put(expansion, op, src, dst, here, NULL, false, &q);
    struct allowed_answer *a = expand_question_answer(expansion->allowed, &q, &known);
    if (!known)
        a->any = allows(expansion, op, src, dst, here);
    return a->any;
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
    bool any_copy;     /* a copy that may be another micro-op allows what any of these does */
};

static const struct target_op *op_of(const struct class_solver *solver, uint32_t uop) {
    return &plane_target(solver->x->set->target)->ops[solver->x->list.uops.data[uop].kind];
}

/* May another op that copies take the place of the micro-op? */
static bool may_be_other(const struct class_solver *solver, uint32_t uop) {
    return solver->any_copy && solver->x->list.uops.data[uop].copies;
}

/* It copies, and after the same presets. */
static bool is_option(const struct class_solver *solver, uint32_t uop, const struct target_op *op) {
    const struct target_op *own = op_of(solver, uop);
    return op == own || (may_be_other(solver, uop) && plane_op_is_copy(op) &&
                         op->preset == own->preset && op->presets == own->presets);
}

static void find_places(const struct class_solver *solver, uint32_t uop,
                        struct open_places *places) {
    const struct sym_uop *u = &solver->x->list.uops.data[uop];
    find_open(solver->x, op_of(solver, uop), u->src, u->dst, u->section, solver->domains, places);
}

static void enqueue(struct class_solver *solver, uint32_t uop) {
    if (solver->queued[uop] || !op_of(solver, uop)->where)
        return;
    solver->queued[uop] = 1;
    vec_push(&solver->queue, uop);
}

static void narrow(struct class_solver *solver, uint32_t value, uint64_t domain, uint32_t because) {
    struct domain_change c = {value, solver->domains[value]};
    if (c.before == domain)
        return;
    vec_push(&solver->changes, c);
    solver->domains[value] = domain;
    solver->cause[value] = because;
    for (uint32_t i = solver->first[value]; i < solver->first[value + 1]; i++)
        if (solver->uses[i] != because)
            enqueue(solver, solver->uses[i]);
}

/* What the micro-op allows if it is the op of the combinations; true: nothing that it allows can be
 * missing. */
static bool try_option(const struct class_solver *solver, uint32_t uop,
                       struct combinations *combinations, uint64_t *fine, bool *any) {
    struct open_places *o = combinations->places;
    combinations->here = solver->x->list.uops.data[uop].section;
    bool all = true;
    if (o->count == 0)
        return *any |=
               technology_where_holds(combinations->op->where, o->places, combinations->here);
    expand_combinations_try(solver->x, combinations);
    for (unsigned i = 0; i < o->count; i++) {
        fine[i] |= combinations->fine[i];
        all &= fine[i] == combinations->sets[i];
    }
    *any |= fine[0] != 0;
    return all;
}

/* The classes that the open values have in combinations that the micro-op allows; false if there
 * are none.  o->count is 0 where nothing is ruled out. */
static bool find_allowed(const struct class_solver *solver, uint32_t uop,
                         struct open_places *places, uint64_t *fine) {
    uint64_t sets[ALLOWED_OPERANDS];
    bool any = false, all = false;
    find_places(solver, uop, places);
    for (unsigned i = 0; i < places->count; i++) {
        sets[i] = solver->domains[places->values[i]];
        fine[i] = 0;
    }
    struct combinations c = {.places = places, .sets = sets};
    if (expand_combinations_too_many(&c)) {
        places->count = 0;
        return true;
    }
    c.op = op_of(solver, uop);
    if (!may_be_other(solver, uop))
        try_option(solver, uop, &c, fine, &any);
    for (uint32_t k = 0;
         may_be_other(solver, uop) && k < plane_target(solver->x->set->target)->op_count && !all;
         k++) {
        c.op = &plane_target(solver->x->set->target)->ops[k];
        all = is_option(solver, uop, c.op) && try_option(solver, uop, &c, fine, &any);
    }
    return any;
}

static bool conflict(struct class_solver *solver, uint32_t uop) {
    solver->conflict = uop;
    return false;
}

/* The answer for the micro-op's values in the order of the question. */
static void work_out(const struct class_solver *solver, uint32_t uop,
                     const struct allowed_question *question, struct allowed_answer *answer) {
    struct open_places o;
    uint64_t fine[ALLOWED_OPERANDS];
    answer->any = find_allowed(solver, uop, &o, fine);
    for (unsigned i = 0; i < question->value_count; i++)
        answer->fine[i] = solver->domains[question->values[i]];
    for (unsigned k = 0; k < o.count && answer->any; k++)
        for (unsigned i = 0; i < question->value_count; i++)
            if (question->values[i] == o.values[k])
                answer->fine[i] = fine[k];
}

/* Rules out the classes that no allowed combination of the micro-op has. */
static bool revise(struct class_solver *solver, uint32_t uop) {
    const struct sym_uop *u = &solver->x->list.uops.data[uop];
    struct allowed_question q;
    bool known;
    expand_question_put(solver->x, op_of(solver, uop), u->src, u->dst, u->section, solver->domains,
                        may_be_other(solver, uop), &q);
    struct allowed_answer *a = expand_question_answer(solver->x->allowed, &q, &known);
    if (!known)
        work_out(solver, uop, &q, a);
    if (!a->any)
        return conflict(solver, uop);
    for (unsigned i = 0; i < q.value_count; i++)
        narrow(solver, q.values[i], a->fine[i], uop);
    return true;
}

static bool propagate(struct class_solver *solver) {
    bool fine = true;
    while (solver->queue.len > 0) {
        uint32_t uop = solver->queue.data[--solver->queue.len];
        solver->queued[uop] = 0;
        fine = fine && revise(solver, uop);
    }
    return fine;
}

static void undo(struct class_solver *solver, size_t changes) {
    while (solver->changes.len > changes) {
        const struct domain_change *c = &solver->changes.data[--solver->changes.len];
        solver->domains[c->value] = c->before;
    }
}

/* The class that a free value takes: compute rows last. */
static uint64_t preferred(const struct target *target, uint64_t domain) {
    for (uint64_t left = domain; left; left &= left - 1)
        if (!plane_target(target)->row_classes[__builtin_ctzll(left)].compute)
            return left & -left;
    return domain & -domain;
}

/* Takes choices back until one of them has another class left that leads on. */
static bool retreat(struct class_solver *solver, unsigned *retreats) {
    while (solver->choices.len > 0 && ++*retreats <= MAX_RETREATS) {
        struct choice_made c = solver->choices.data[--solver->choices.len];
        undo(solver, c.changes);
        uint64_t left = solver->domains[c.value] & ~c.class;
        if (!left)
            continue;
        narrow(solver, c.value, left, NO_UOP);
        if (propagate(solver))
            return true;
    }
    return false;
}

/* `order`: of the values; NULL: that of their numbers. */
static bool choose(struct class_solver *solver, const uint32_t *order) {
    unsigned retreats = 0;
    for (uint32_t i = 0; i < solver->x->list.values.len;) {
        uint32_t v = order ? order[i] : i;
        uint64_t domain = solver->domains[v];
        if (!(domain & (domain - 1))) {
            i++;
            continue;
        }
        struct choice_made c = {v, preferred(solver->x->set->target, domain), solver->changes.len};
        vec_push(&solver->choices, c);
        narrow(solver, v, c.class, NO_UOP);
        if (propagate(solver))
            continue;
        if (!retreat(solver, &retreats))
            return false;
        i = 0;
    }
    return true;
}

/* --- set-up and end --- */

/* The operand is a result in a source's place, which stands there already. */
static bool is_tied(const struct target_op *op, unsigned operand) {
    return operand >= op->nsrc && op->tied[operand - op->nsrc];
}

static void list_uses(struct class_solver *solver) {
    const struct sym_list *l = &solver->x->list;
    solver->first = xcalloc(l->values.len + 2, sizeof *solver->first);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < l->uops.len; i++) {
            const struct sym_uop *u = &l->uops.data[i];
            const struct target_op *op = op_of(solver, i);
            for (unsigned k = 0; k < u->nsrc + (unsigned)u->ndst; k++) {
                uint32_t place = k < u->nsrc ? u->src[k] : u->dst[k - u->nsrc];
                if (PLANE_CLASS(place) != PLANE_SCRATCH || is_tied(op, k))
                    continue;
                /* Counted two places on, then filled one place on: the starts are then right. */
                if (pass == 0)
                    solver->first[PLACE_PAYLOAD(place) + 2]++;
                else
                    solver->uses[solver->first[PLACE_PAYLOAD(place) + 1]++] = i;
            }
        }
        for (size_t v = 0; pass == 0 && v < l->values.len; v++)
            solver->first[v + 2] += solver->first[v + 1];
        if (pass == 0)
            solver->uses =
                xcalloc((size_t)solver->first[l->values.len + 1] + 1, sizeof *solver->uses);
    }
}

static void start(struct class_solver *solver, struct expansion *expansion) {
    const struct target *t = expansion->set->target;
    *solver = (struct class_solver){.x = expansion, .conflict = NO_UOP};
    solver->domains = xcalloc(expansion->list.values.len + 1, sizeof *solver->domains);
    solver->cause = xcalloc(expansion->list.values.len + 1, sizeof *solver->cause);
    solver->queued = xcalloc(expansion->list.uops.len + 1, 1);
    for (size_t v = 0; v < expansion->list.values.len; v++) {
        uint16_t class = expansion->list.values.data[v].class;
        solver->domains[v] = class ? (uint64_t)1 << (class - 1) : scratch_classes(t);
        solver->cause[v] = NO_UOP;
    }
    vec_reserve(&solver->queue, expansion->list.uops.len);
    vec_reserve(&solver->changes, expansion->list.values.len);
    list_uses(solver);
}

/* The first micro-op that may do the copy where its values lie now. */
static void choose_option(struct class_solver *solver, uint32_t uop) {
    struct sym_uop *u = &solver->x->list.uops.data[uop];
    struct open_places o;
    find_places(solver, uop, &o);
    for (uint32_t k = u->kind, i = 0; i <= plane_target(solver->x->set->target)->op_count; k = i++)
        if (is_option(solver, uop, &plane_target(solver->x->set->target)->ops[k]) &&
            technology_where_holds(plane_target(solver->x->set->target)->ops[k].where, o.places,
                                   u->section)) {
            u->kind = (uint16_t)k;
            return;
        }
}

/* What is forwarded is the same micro-op as that of the section before. */
static void choose_options(struct class_solver *solver) {
    for (uint32_t i = 0; i < solver->x->list.uops.len; i++) {
        struct sym_uop *u = &solver->x->list.uops.data[i];
        choose_option(solver, i);
        if (u->counterpart != NO_UOP && solver->x->list.uops.data[u->counterpart].kind != u->kind)
            u->counterpart = NO_UOP;
    }
}

static void finish(struct class_solver *solver, bool solved) {
    if (solved && solver->any_copy)
        choose_options(solver);
    for (size_t v = 0; solved && v < solver->x->list.values.len; v++)
        solver->x->list.values.data[v].class = (uint16_t)(__builtin_ctzll(solver->domains[v]) + 1);
    free(solver->domains);
    free(solver->cause);
    free(solver->first);
    free(solver->uses);
    free(solver->queued);
    vec_free(&solver->queue);
    vec_free(&solver->changes);
    vec_free(&solver->choices);
}

/* The classes in which the value could lie without a conflict. */
static uint64_t fitting(struct class_solver *solver, uint32_t value) {
    struct open_places o;
    uint64_t domain = solver->domains[value], unused[UOP_MAX * 2], fits = 0;
    for (uint64_t left = scratch_classes(solver->x->set->target); left; left &= left - 1) {
        solver->domains[value] = left & -left;
        if (find_allowed(solver, solver->conflict, &o, unused))
            fits |= left & -left;
    }
    solver->domains[value] = domain;
    return fits;
}

/* A value of the conflict's micro-op that other ones keep from where it should lie, or NO_UOP. */
static uint32_t find_culprit(struct class_solver *solver) {
    const struct sym_uop *u = &solver->x->list.uops.data[solver->conflict];
    for (unsigned i = 0; i < u->nsrc + (unsigned)u->ndst; i++) {
        uint32_t place = i < u->nsrc ? u->src[i] : u->dst[i - u->nsrc], v = PLACE_PAYLOAD(place);
        if (PLANE_CLASS(place) == PLANE_SCRATCH && !solver->x->list.values.data[v].named &&
            fitting(solver, v))
            return v;
    }
    return NO_UOP;
}

/* The micro-op that rules out what the conflict's needs, if it is another one. */
static uint32_t other_side(struct class_solver *solver, uint32_t culprit) {
    if (culprit == NO_UOP)
        return NO_UOP;
    if (solver->cause[culprit] != NO_UOP && solver->cause[culprit] != solver->conflict)
        return solver->cause[culprit];
    for (uint32_t i = solver->first[culprit]; i < solver->first[culprit + 1]; i++)
        if (solver->uses[i] != solver->conflict)
            return solver->uses[i];
    return NO_UOP;
}

/* A source that a copy may stand for. */
struct split_point {
    uint32_t uop; /* NO_UOP: none */
    unsigned source;
    struct class_sets classes;
};

static bool find_source(const struct class_solver *solver, uint32_t uop, uint32_t value,
                        struct class_sets classes, struct split_point *point) {
    const struct sym_uop *u = &solver->x->list.uops.data[uop];
    for (unsigned i = 0; i < u->nsrc; i++)
        if (u->src[i] == PLACE(PLANE_SCRATCH, value) &&
            expand_can_split(solver->x, uop, i, &classes)) {
            *point = (struct split_point){uop, i, classes};
            return true;
        }
    return false;
}

/* The conflict's micro-op gets a copy, or the one that is against it, or another one that reads. */
static struct split_point find_split(struct class_solver *solver) {
    struct split_point p = {.uop = NO_UOP};
    uint32_t value = find_culprit(solver), other = other_side(solver, value);
    if (value == NO_UOP)
        return p;
    uint64_t here = fitting(solver, value), there = solver->domains[value];
    if (find_source(solver, solver->conflict, value, (struct class_sets){there, here}, &p) ||
        (other != NO_UOP &&
         find_source(solver, other, value, (struct class_sets){here, there}, &p)))
        return p;
    for (uint32_t i = solver->first[value]; i < solver->first[value + 1]; i++)
        if (find_source(solver, solver->uses[i], value, (struct class_sets){here, there}, &p))
            break;
    return p;
}

static void report(struct class_solver *solver) {
    const struct expansion *x = solver->x;
    const struct sym_uop *u = &x->list.uops.data[solver->conflict];
    uint32_t other = other_side(solver, find_culprit(solver));
    if (other == NO_UOP) {
        expand_error(x, u->unit, u->stmt->at,
                     "%s in section %u may not work on these places ('where')",
                     op_of(solver, solver->conflict)->name, u->section);
        return;
    }
    const struct sym_uop *o = &x->list.uops.data[other];
    expand_error(x, u->unit, u->stmt->at,
                 "%s may not work on these places ('where'): no class of rows suits a value "
                 "both here and where %s has it",
                 op_of(solver, solver->conflict)->name, op_of(solver, other)->name);
    expand_note(x, o->unit, o->stmt->at, "%s has it here", op_of(solver, other)->name);
}

/* One class holds all scratch: there is nothing to solve.  Operands that were redirected to copies
 * lie elsewhere than when their micro-ops were checked. */
static bool take_plain(struct expansion *expansion) {
    uint16_t class = (uint16_t)(expand_plain_scratch_class(expansion->set->target) + 1);
    for (size_t v = 0; v < expansion->list.values.len; v++)
        if (!expansion->list.values.data[v].class)
            expansion->list.values.data[v].class = class;
    for (size_t i = 0; i < expansion->list.uops.len && expansion->aliased; i++) {
        const struct sym_uop *u = &expansion->list.uops.data[i];
        const struct target_op *op = &plane_target(expansion->set->target)->ops[u->kind];
        if (expand_classes_allow(expansion, op, u->src, u->dst, u->section))
            continue;
        expand_error(expansion, u->unit, u->stmt->at,
                     "%s in section %u may not work on the copy of an operand ('where')", op->name,
                     u->section);
        return false;
    }
    return true;
}

/* `point`: where to split, if it may not be solved as it is; else NULL, and then `last` says that
 * an error is to be reported. */
static bool solve(struct expansion *expansion, bool any_copy, bool last,
                  struct split_point *point) {
    struct class_solver s;
    uint32_t *order = expansion->lasting_first ? expand_lasting_first(expansion) : NULL;
    start(&s, expansion);
    s.any_copy = any_copy;
    for (uint32_t i = (uint32_t)expansion->list.uops.len; i-- > 0;)
        enqueue(&s, i);
    bool fine = propagate(&s) && choose(&s, order);
    free(order);
    if (!fine && point)
        *point = find_split(&s);
    if (!fine && last && (!point || point->uop == NO_UOP))
        report(&s);
    finish(&s, fine);
    return fine;
}

/* Is there a copy that might be another micro-op? */
static bool has_options(const struct expansion *expansion) {
    const struct plane_target *t = plane_target(expansion->set->target);
    unsigned copies = 0;
    bool free = false;
    for (uint32_t i = 0; i < t->op_count; i++)
        copies += plane_op_is_copy(&t->ops[i]);
    for (size_t i = 0; i < expansion->list.uops.len && copies > 1 && !free; i++)
        free = expansion->list.uops.data[i].copies;
    return free;
}

bool expand_classes(struct expansion *expansion) {
    if (expand_classes_are_plain(expansion->set->target))
        return take_plain(expansion);
    for (unsigned splits = 0;; splits++) {
        struct split_point point = {.uop = NO_UOP};
        bool may = expansion->may_split && splits < MAX_SPLITS, options = has_options(expansion);
        if (solve(expansion, false, !options, may && !options ? &point : NULL) ||
            (options && solve(expansion, true, true, may ? &point : NULL)))
            return true;
        if (point.uop == NO_UOP ||
            !expand_split(expansion, point.uop, point.source, &point.classes))
            return false;
    }
}

/* SPDX-License-Identifier: MIT
 * Folds of all elements of a group or along a dimension, and prefix sums and their like. */
#include "tests/ezpim/interp_parts.h"

#include <string.h>

/* What a statement asks for: `exclusive` and the kind of a scan, a dimension, stand behind the
 * value. */
struct form {
    const char *kind; /* of the fold; of a scan what it folds with */
    bool scan, exclusive, along;
    uint32_t dimension; /* of the group, those of the grid before it */
};

/* Elements that are folded together: count of them, `step` apart. */
struct line {
    uint64_t first, step, count;
    uint64_t number; /* of the line: of the element of the result */
};

void interp_fold_in(struct interp_fold *f, const char *kind, struct interp_value v,
                    uint64_t element) {
    bool first = f->count++ == 0;
    bool less = strstr(kind, "min") ? v.v < f->value : v.v > f->value;
    if (strcmp(kind, "sum") == 0 || strcmp(kind, "count") == 0) {
        f->value += v.v;
    } else if (strcmp(kind, "prod") == 0) {
        f->value = first ? v.v : f->value * v.v;
    } else if (strcmp(kind, "and") == 0 || strcmp(kind, "all") == 0) {
        f->value = first ? v.v : f->value & v.v;
    } else if (strcmp(kind, "or") == 0 || strcmp(kind, "any") == 0) {
        f->value |= v.v;
    } else if (strcmp(kind, "xor") == 0) {
        f->value ^= v.v;
    } else if (first || less) {
        f->value = v.v;
        f->best = element;
    }
}

/* The result's cells: in all copies of a variable without a group. */
static void store_everywhere(struct interp *it, const struct expr *target, uint64_t pattern) {
    struct rtype t = {0};
    const struct interp_binding *b = interp_find(it, target->name.text);
    if (!b || b->kind != BOUND_VARIABLE)
        return;
    uint64_t elements = it->variables.data[b->variable].elements;
    for (it->element = 0; it->element < elements; it->element++) {
        struct interp_cell *c = interp_place(it, target, &t);
        if (c)
            *c = (struct interp_cell){pattern & rtype_mask(t), true};
    }
    it->element = 0;
}

static void store_at(struct interp *it, const struct expr *target, uint64_t element,
                     ez_number value) {
    struct rtype t = {0};
    uint64_t here = it->element;
    it->element = element;
    struct interp_cell *c = interp_place(it, target, &t);
    if (c)
        *c = (struct interp_cell){(uint64_t)value & rtype_mask(t), true};
    it->element = here;
}

/* At the type of what is folded; its sign is that of the target. */
static ez_number wrapped(ez_number v, struct rtype t) {
    return interp_typed((uint64_t)v & rtype_mask(t), t).v;
}

/* The largest and the smallest value, exactly. */
static ez_number most(struct rtype t) {
    return (ez_number)(rtype_mask(t) >> t.is_signed);
}

static ez_number least(struct rtype t) {
    return t.is_signed ? -most(t) - 1 : 0;
}

/* The result over no elements, of values of that type. */
static ez_number of_nothing(const char *kind, struct rtype t) {
    if (strcmp(kind, "min") == 0)
        return most(t);
    if (strcmp(kind, "max") == 0)
        return least(t);
    if (strcmp(kind, "prod") == 0)
        return 1;
    bool ones = strcmp(kind, "and") == 0 || strcmp(kind, "all") == 0;
    return ones ? wrapped((ez_number)rtype_mask(t), t) : 0;
}

uint64_t interp_part(struct interp *it, const struct interp_group *g, const struct expr *e) {
    uint64_t front = interp_front(it, e);
    return !g ? 0 : front < g->elements ? front : g->elements;
}

/* The word, or NULL if a scan cannot go by it. */
static const char *scan_kind(const char *word) {
    static const char *const kinds[] = {"sum", "prod", "min", "max", "and",
                                        "or",  "xor",  "any", "all"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i], word) == 0)
            return kinds[i];
    return NULL;
}

static void read_form(struct interp *it, const struct expr *call, struct form *f) {
    *f = (struct form){.kind = call->name.text, .scan = strcmp(call->name.text, "scan") == 0};
    if (f->scan)
        f->kind = "sum";
    for (uint32_t i = 1; i < call->arg_count; i++) {
        const struct expr *e = call->args[i];
        const char *word = e->kind == EXPR_NAME ? e->name.text : "";
        if (f->scan && strcmp(word, "exclusive") == 0) {
            f->exclusive = true;
        } else if (f->scan && scan_kind(word)) {
            f->kind = scan_kind(word);
        } else {
            f->along = true;
            f->dimension = (uint32_t)interp_eval(it, e).v;
        }
    }
}

/* What the line so far comes to is what a scan gives, with the element's own value or without. */
static void fold_line(struct interp *it, const struct stmt *s, const struct form *form,
                      const struct line *l) {
    const struct expr *e = s->value->args[0];
    struct interp_fold f = {.best = UINT64_MAX};
    it->element = l->first;
    struct rtype t = interp_eval(it, e).type;
    bool places = strncmp(form->kind, "arg", 3) == 0;
    if (strcmp(form->kind, "count") == 0)
        t = (struct rtype){.bits = 64};
    for (uint64_t j = 0; j < l->count && !it->error; j++) {
        it->element = l->first + j * l->step;
        struct interp_value v = interp_eval(it, e);
        ez_number before = j ? f.value : of_nothing(form->kind, t);
        interp_fold_in(&f, form->kind, v, j);
        f.value = wrapped(f.value, t);
        if (form->scan)
            store_at(it, s->target, it->element, form->exclusive ? before : f.value);
    }
    it->element = 0;
    if (l->count == 0)
        f.value = of_nothing(form->kind, t);
    if (form->scan || it->error)
        return;
    ez_number result = places ? (ez_number)f.best : f.value;
    if (form->along)
        store_at(it, s->target, l->number, result);
    else
        store_everywhere(it, s->target, (uint64_t)result);
}

static void fold_along(struct interp *it, const struct stmt *s, const struct form *form,
                       const struct interp_group *g) {
    uint32_t d = form->dimension + (g->on_grid ? it->grid.ndim : 0);
    uint64_t inner = 1;
    if (d >= g->ndim) {
        interp_fail(it, "there is no dimension %u", form->dimension);
        return;
    }
    for (uint32_t i = d + 1; i < g->ndim; i++)
        inner *= g->shape[i];
    uint64_t lines = g->elements / g->shape[d];
    for (uint64_t i = 0; i < lines && !it->error; i++) {
        struct line l = {.step = inner, .count = g->shape[d], .number = i};
        l.first = i / inner * inner * g->shape[d] + i % inner;
        fold_line(it, s, form, &l);
    }
}

void interp_reduce(struct interp *it, const struct stmt *s, const struct interp_group *g) {
    struct form form;
    read_form(it, s->value, &form);
    if (!g || it->error)
        return;
    struct line all = {.step = 1, .count = interp_part(it, g, s->value->args[0])};
    if (form.along)
        fold_along(it, s, &form, g);
    else
        fold_line(it, s, &form, &all);
}

/* SPDX-License-Identifier: MIT
 * Reductions that the host may finish. */
#include "object/check_object.h"

#include <inttypes.h>
#include <string.h>

static const char *const kinds[FINISH_KINDS] = {
    [FINISH_SUM] = "sum",       [FINISH_MIN] = "min",       [FINISH_MAX] = "max",
    [FINISH_AND] = "and",       [FINISH_OR] = "or",         [FINISH_XOR] = "xor",
    [FINISH_ANY] = "any",       [FINISH_ALL] = "all",       [FINISH_COUNT] = "count",
    [FINISH_ARGMIN] = "argmin", [FINISH_ARGMAX] = "argmax",
};

const char *object_finish_kind_text(enum finish_kind k) {
    return kinds[k];
}

bool object_finish_kind_parse(const char *text, size_t n, enum finish_kind *k) {
    for (unsigned i = 0; i < FINISH_KINDS; i++)
        if (strlen(kinds[i]) == n && memcmp(kinds[i], text, n) == 0) {
            *k = (enum finish_kind)i;
            return true;
        }
    return false;
}

const char *object_finish_problem(const struct object *o, const struct finish_record *r) {
    const struct variable *v = &o->vars.data[r->variable];
    if (v->direction != VAR_OUT || v->group != NO_INDEX)
        return "is not an output without a group";
    if (r->element >= v->count)
        return "has no such element";
    if (r->kind >= FINISH_KINDS)
        return "is made in no known way";
    if (r->group >= o->groups.len || r->reg > 63 || !object_type_ok(r->type))
        return "is made of no register of a group";
    return NULL;
}

void object_finish_text(const struct object *o, const struct finish_record *r, struct str *out) {
    const struct variable *v = &o->vars.data[r->variable];
    char type[8];
    object_type_text(r->type, type);
    str_append(out, v->name);
    if (v->has_k)
        str_printf(out, "[%" PRIu32 "]", r->element);
    str_printf(out, " = %s %s @%s r%u", kinds[r->kind], type, o->groups.data[r->group].name,
               (unsigned)r->reg);
}

static int by_number(uint32_t a, uint32_t b) {
    return (a > b) - (a < b);
}

int object_finish_compare(const void *x, const void *y) {
    const struct finish_record *a = x, *b = y;
    int c = by_number(a->first, b->first);
    c = c ? c : by_number(a->variable, b->variable);
    return c ? c : by_number(a->element, b->element);
}

static bool range_fine(const struct object *o, size_t i) {
    const struct finish_record *r = &o->finishes.data[i], *before = i ? r - 1 : NULL;
    if (r->first >= r->last || r->last > o->text.len)
        return false;
    if (!before)
        return true;
    bool same = before->first == r->first && before->last == r->last;
    return object_finish_compare(before, r) < 0 && (same || before->last <= r->first);
}

/* Each element of a variable at most once: a bit for each of its registers. */
static bool first_of_element(uint64_t *seen, const struct finish_record *r) {
    uint64_t bit = UINT64_C(1) << r->element;
    bool first = !(seen[r->variable] & bit);
    seen[r->variable] |= bit;
    return first;
}

static void check_finish(struct check *c, uint64_t *seen, size_t i) {
    const struct finish_record *r = &c->o->finishes.data[i];
    const char *name, *problem;
    if (r->variable >= c->o->vars.len) {
        object_check_fail(c, "what the host may finish is variable %u of %zu",
                          (unsigned)r->variable, c->o->vars.len);
        return;
    }
    name = c->o->vars.data[r->variable].name;
    problem = object_finish_problem(c->o, r);
    object_check_place(c, "the reduction to", name, &r->place);
    if (problem)
        object_check_fail(c, "the host cannot finish '%s', which %s", name, problem);
    else if (!range_fine(c->o, i))
        object_check_fail(
            c,
            "the text of the reduction to '%s' is empty, out of order or lies partly in "
            "another's",
            name);
    else if (!first_of_element(seen, r))
        object_check_fail(c, "the host may finish '%s' in two ways", name);
}

void object_check_finishes(struct check *c) {
    struct arena arena = {0};
    uint64_t *seen = ARENA_ARRAY(&arena, c->o->vars.len, uint64_t);
    if (c->o->finishes.len > OBJECT_MAX_FINISHES)
        object_check_fail(c, "the host may finish %zu reductions; the most is %d",
                          c->o->finishes.len, OBJECT_MAX_FINISHES);
    for (size_t i = 0; i < c->o->finishes.len && c->ok; i++)
        check_finish(c, seen, i);
    arena_free(&arena);
}

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

const char *object_finish_kind_text(enum finish_kind kind) {
    return kinds[kind];
}

bool object_finish_kind_parse(const char *text, size_t n, enum finish_kind *kind) {
    for (unsigned i = 0; i < FINISH_KINDS; i++)
        if (strlen(kinds[i]) == n && memcmp(kinds[i], text, n) == 0) {
            *kind = (enum finish_kind)i;
            return true;
        }
    return false;
}

/* Extremes do not depend on the order of elements; they are numbers of the elements' type, and
 * their places are integers. */
static const char *float_problem(const struct finish_record *record, struct lane_type to) {
    bool extreme = record->kind == FINISH_MIN || record->kind == FINISH_MAX;
    bool place = record->kind == FINISH_ARGMIN || record->kind == FINISH_ARGMAX;
    bool real = object_type_is_float(record->type), gives_real = object_type_is_float(to);
    if ((real || gives_real) && !extreme && !place)
        return "is of floating point, whose sums depend on their order";
    if (place)
        return gives_real ? "is of floating point, and the number of an element is none" : NULL;
    if (real != gives_real ||
        (real && (record->type.kind != to.kind || record->type.bits != to.bits)))
        return "is of another type than the elements, one of them of floating point";
    return NULL;
}

const char *object_finish_problem(const struct object *object, const struct finish_record *record) {
    const struct variable *v = &object->vars.data[record->variable];
    if (v->direction != VAR_OUT || v->group != NO_INDEX)
        return "is not an output without a group";
    if (record->element >= v->count)
        return "has no such element";
    if (record->kind >= FINISH_KINDS)
        return "is made in no known way";
    if (record->group >= object->groups.len || record->reg > 63 || !object_type_ok(record->type))
        return "is made of no register of a group";
    return float_problem(record, v->type);
}

void object_finish_text(const struct object *object, const struct finish_record *record,
                        struct str *out) {
    const struct variable *v = &object->vars.data[record->variable];
    char type[8];
    object_type_text(record->type, type);
    str_append(out, v->name);
    if (v->has_k)
        str_printf(out, "[%" PRIu32 "]", record->element);
    str_printf(out, " = %s %s @%s r%u", kinds[record->kind], type,
               object->groups.data[record->group].name, (unsigned)record->reg);
}

static int by_number(uint32_t left, uint32_t right) {
    return (left > right) - (left < right);
}

int object_finish_compare(const void *left, const void *right) {
    const struct finish_record *a = left, *b = right;
    int c = by_number(a->first, b->first);
    c = c ? c : by_number(a->variable, b->variable);
    return c ? c : by_number(a->element, b->element);
}

static bool range_fine(const struct object *object, size_t index) {
    const struct finish_record *r = &object->finishes.data[index], *before = index ? r - 1 : NULL;
    if (r->first >= r->last || r->last > object->text.len)
        return false;
    if (!before)
        return true;
    bool same = before->first == r->first && before->last == r->last;
    return object_finish_compare(before, r) < 0 && (same || before->last <= r->first);
}

/* Each element of a variable at most once: a bit for each of its registers. */
static bool first_of_element(uint64_t *seen, const struct finish_record *record) {
    uint64_t bit = UINT64_C(1) << record->element;
    bool first = !(seen[record->variable] & bit);
    seen[record->variable] |= bit;
    return first;
}

static void check_finish(struct check *check, uint64_t *seen, size_t index) {
    const struct finish_record *r = &check->o->finishes.data[index];
    const char *name, *problem;
    if (r->variable >= check->o->vars.len) {
        object_check_fail(check, "what the host may finish is variable %u of %zu",
                          (unsigned)r->variable, check->o->vars.len);
        return;
    }
    name = check->o->vars.data[r->variable].name;
    problem = object_finish_problem(check->o, r);
    object_check_place(check, "the reduction to", name, &r->place);
    if (problem)
        object_check_fail(check, "the host cannot finish '%s', which %s", name, problem);
    else if (!range_fine(check->o, index))
        object_check_fail(
            check,
            "the text of the reduction to '%s' is empty, out of order or lies partly in "
            "another's",
            name);
    else if (!first_of_element(seen, r))
        object_check_fail(check, "the host may finish '%s' in two ways", name);
}

void object_check_finishes(struct check *check) {
    struct arena arena = {0};
    uint64_t *seen = ARENA_ARRAY(&arena, check->o->vars.len, uint64_t);
    if (check->o->finishes.len > OBJECT_MAX_FINISHES)
        object_check_fail(check, "the host may finish %zu reductions; the most is %d",
                          check->o->finishes.len, OBJECT_MAX_FINISHES);
    for (size_t i = 0; i < check->o->finishes.len && check->ok; i++)
        check_finish(check, seen, i);
    arena_free(&arena);
}

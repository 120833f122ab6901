/* SPDX-License-Identifier: MIT
 * compact, and how many elements of the variables that it fills count. */
#include "tests/ezpim/interp_parts.h"

#include <string.h>

/* The variable of the program that a name stands for, or NULL. */
static struct interp_variable *variable(struct interp *it, const char *name) {
    const struct interp_binding *b = name ? interp_lookup(it, name) : NULL;
    return b && b->kind == BOUND_VARIABLE ? &it->variables.data[b->variable] : NULL;
}

void interp_ready_lengths(struct interp *it, const struct stmt *s) {
    for (; s; s = s->next) {
        struct interp_variable *v =
            s->kind == STMT_COMPACT ? variable(it, s->target->name.text) : NULL;
        if (v) {
            v->has_length = true;
            v->length = v->elements;
        }
        interp_ready_lengths(it, s->body);
        interp_ready_lengths(it, s->otherwise);
    }
    for (size_t i = 0; i < it->variables.len; i++) {
        struct interp_variable *v = &it->variables.data[i];
        if (!v->counted_by)
            continue;
        v->has_length = true;
        v->length = v->elements;
    }
}

/* Those whose number of elements follows that of `of`. */
static void follow_length(struct interp *it, const struct interp_variable *of) {
    for (size_t i = 0; i < it->variables.len; i++)
        if (it->variables.data[i].counted_by &&
            strcmp(it->variables.data[i].counted_by, of->name) == 0)
            it->variables.data[i].length = of->length;
}

bool interp_asks_length(const struct expr *e) {
    return e->kind == EXPR_CALL && e->arg_count == 1 && strcmp(e->name.text, "length") == 0;
}

uint64_t interp_front(struct interp *it, const struct expr *e) {
    uint64_t least = UINT64_MAX;
    if (!e || interp_asks_length(e))
        return least;
    const struct interp_variable *v =
        e->kind == EXPR_NAME || e->kind == EXPR_INDEX ? variable(it, e->name.text) : NULL;
    if (v && v->has_length)
        least = v->length;
    for (uint32_t i = 0; i < e->arg_count; i++) {
        uint64_t n = interp_front(it, e->args[i]);
        least = n < least ? n : least;
    }
    return least;
}

static uint64_t less(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

uint64_t interp_front_in(struct interp *it, const struct interp_group *g) {
    const struct interp_variable *v = g && g->counted_by ? variable(it, g->counted_by) : NULL;
    return v ? v->length : UINT64_MAX;
}

uint64_t interp_front_of(struct interp *it, const struct stmt *s) {
    uint64_t n = UINT64_MAX;
    for (; s; s = s->next) {
        const struct expr *parts[] = {s->target, s->value, s->last, s->fill};
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            n = less(n, interp_front(it, parts[i]));
        for (uint32_t i = 0; i < s->operand_count; i++)
            n = less(n, interp_front(it, s->operands[i]));
        n = less(n, interp_front_of(it, s->body));
        n = less(n, interp_front_of(it, s->otherwise));
    }
    return n;
}

bool interp_length(struct interp *it, const struct expr *e, struct interp_value *v) {
    const struct interp_variable *of = interp_asks_length(e) && e->args[0]->kind == EXPR_NAME
                                           ? variable(it, e->args[0]->name.text)
                                           : NULL;
    if (!of || !of->has_length)
        return false;
    *v = interp_typed(of->length, (struct rtype){.bits = 64});
    return true;
}

/* What the element at work gives: its own registers, those of another array, or a value. */
static void take(struct interp *it, const struct stmt *s, const struct interp_variable *to,
                 struct interp_cell *out) {
    const struct expr *e = s->value ? s->value : s->target;
    const struct interp_variable *from = !s->value || to->has_k ? variable(it, e->name.text) : NULL;
    if (!from) {
        *out = (struct interp_cell){interp_as(it, interp_eval(it, e), to->type), true};
        return;
    }
    for (uint32_t k = 0; k < to->count; k++) {
        out[k] = from->cells[it->element * from->count + k];
        if (!out[k].written)
            interp_fail(it, "`%s` is taken before it is written", from->name);
    }
}

void interp_compact(struct interp *it, const struct stmt *s) {
    struct interp_variable *to = variable(it, s->target->name.text);
    if (!to || !to->has_length) {
        interp_fail(it, "`compact` fills a variable");
        return;
    }
    uint64_t front =
        less(interp_front(it, s->value ? s->value : s->target), interp_front(it, s->last));
    struct interp_cell *chosen =
        ARENA_ARRAY(&it->arena, to->elements * to->count, struct interp_cell);
    uint64_t n = 0;
    it->group = interp_group(it, to->group);
    for (it->element = 0; it->element < to->elements && it->element < front && !it->error;
         it->element++)
        if (interp_true(it, s->last))
            take(it, s, to, &chosen[n++ * to->count]);
    it->element = 0;
    for (uint64_t i = 0; i < to->elements * to->count; i++)
        to->cells[i] = i < n * to->count ? chosen[i] : (struct interp_cell){0, true};
    to->length = n;
    follow_length(it, to);
}

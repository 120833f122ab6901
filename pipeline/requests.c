/* SPDX-License-Identifier: MIT
 * Stages as they are asked for: patterns, arguments, sizes and functions. */
#include "pipeline/adding.h"

#include <inttypes.h>
#include <string.h>

static const char *const pattern_names[] = {"map",           "filter",       "reduce",
                                            "window",        "group",        "window+group",
                                            "window+filter", "group+filter", "window+group+filter"};
static const char *const role_names[] = {"INPUT", "OUTPUT", "INOUT", "SCALAR", "REDUCE_OUT"};

const char *pipeline_pattern_name(enum pipeline_pattern pattern) {
    return pattern_names[pattern];
}

bool pipeline_wrong(struct pipeline_adding *a, const char *format, ...) {
    va_list args;
    va_start(args, format);
    str_vprintf(&a->wrong, format, args);
    va_end(args);
    return false;
}

const char *pipeline_argument_text(struct pipeline_adding *a, size_t i) {
    const char *name = a->asked->arguments[i].name;
    return name ? arena_printf(&a->p->arena, "`%s`", name)
                : arena_printf(&a->p->arena, "argument %zu", i + 1);
}

static bool may_stand(enum pipeline_pattern pattern, enum pipeline_role role) {
    switch (role) {
    case PIPELINE_OUTPUT:
        return pattern != PIPELINE_REDUCE;
    case PIPELINE_INOUT:
        return pattern == PIPELINE_MAP || pipeline_filters(pattern);
    case PIPELINE_REDUCE_OUT:
        return pattern == PIPELINE_REDUCE;
    default:
        return true;
    }
}

static bool check_sizes(struct pipeline_adding *a) {
    const struct pipeline_request *r = a->asked;
    const char *name = pattern_names[r->pattern];
    if (pipeline_windows(r->pattern) != (r->overlap != 0))
        return r->overlap
                   ? pipeline_wrong(
                         a, "a %s has no overlap: leave it out, or make the stage a window", name)
                   : pipeline_wrong(
                         a,
                         "a %s needs an overlap, how many elements it sees beyond its own: "
                         "stage(.., overlap, group)",
                         name);
    if (pipeline_groups(r->pattern) != (r->group != 0))
        return r->group ? pipeline_wrong(
                              a, "a %s has no group: leave it out, or make the stage a group", name)
                        : pipeline_wrong(a,
                                         "a %s needs the number of elements of a group: stage(.., "
                                         "overlap, group)",
                                         name);
    if (r->group > PIPELINE_MAX_GROUP || r->overlap > PIPELINE_MAX_GROUP)
        return pipeline_wrong(a, "a group or an overlap has %u elements at most",
                              PIPELINE_MAX_GROUP);
    if (a->p->length && r->overlap > a->p->length)
        return pipeline_wrong(a, "an overlap of %u is too long for %" PRIu64 " elements",
                              r->overlap, a->p->length);
    return true;
}

static bool check_type(struct pipeline_adding *a, const struct pipeline_argument *x, size_t i) {
    unsigned bits = x->type.bits;
    if (x->type.kind == TYPE_BOOL ? bits != 1 : bits != 8 && bits != 16 && bits != 32 && bits != 64)
        return pipeline_wrong(a, "%s has elements of no type with 1, 2, 4 or 8 bytes",
                              pipeline_argument_text(a, i));
    if ((unsigned)x->role >= PIPELINE_ROLES || !may_stand(a->asked->pattern, x->role))
        return pipeline_wrong(a, "%s is %s, which a %s does not have", pipeline_argument_text(a, i),
                              (unsigned)x->role < PIPELINE_ROLES ? role_names[x->role]
                                                                 : "of no kind",
                              pattern_names[a->asked->pattern]);
    if (!x->key)
        return pipeline_wrong(a, "%s has no array: each has an address, which says which it is",
                              pipeline_argument_text(a, i));
    if (x->tail && (x->role != PIPELINE_INPUT || !pipeline_windows(a->asked->pattern)))
        return pipeline_wrong(a, "%s has data for an overlap, which inputs of windows alone have",
                              pipeline_argument_text(a, i));
    if (x->tail && x->tail_elements != a->asked->overlap)
        return pipeline_wrong(a,
                              "%s has %" PRIu64 " elements for an overlap of %u: give it as many",
                              pipeline_argument_text(a, i), x->tail_elements, a->asked->overlap);
    if (x->elements > PIPELINE_MAX_SCALAR &&
        (x->role == PIPELINE_SCALAR || x->role == PIPELINE_REDUCE_OUT))
        return pipeline_wrong(a,
                              "%s has %" PRIu64 " elements that all DPUs need, which have room for "
                              "%u: make it an INPUT, or several pipelines",
                              pipeline_argument_text(a, i), x->elements, PIPELINE_MAX_SCALAR);
    return true;
}

static size_t count_role(const struct pipeline_adding *a, enum pipeline_role role) {
    size_t n = 0;
    for (size_t i = 0; i < a->asked->count; i++)
        n += a->asked->arguments[i].role == role;
    return n;
}

/* What a pattern has to have. */
static bool check_roles(struct pipeline_adding *a) {
    const struct pipeline_request *r = a->asked;
    const char *name = pattern_names[r->pattern];
    size_t outputs = count_role(a, PIPELINE_OUTPUT), both = count_role(a, PIPELINE_INOUT);
    for (size_t i = 0; i < r->count; i++)
        if (!check_type(a, &r->arguments[i], i))
            return false;
    if (count_role(a, PIPELINE_INPUT) + both == 0)
        return pipeline_wrong(a, "a %s needs an INPUT", name);
    if (r->pattern == PIPELINE_REDUCE)
        return count_role(a, PIPELINE_REDUCE_OUT) ||
               pipeline_wrong(a, "a reduce needs a REDUCE_OUT");
    if (outputs + both == 0)
        return pipeline_wrong(a, "a %s needs an OUTPUT", name);
    if (!pipeline_filters(r->pattern))
        return true;
    if (outputs + both != 1 || r->arguments[0].role == PIPELINE_INPUT ||
        r->arguments[0].role == PIPELINE_SCALAR)
        return pipeline_wrong(a, "a %s has one OUTPUT or INOUT, which comes first", name);
    if (outputs && (r->count < 2 || r->arguments[1].role != PIPELINE_INPUT))
        return pipeline_wrong(
            a, "what a %s keeps is its first INPUT, which stands behind the OUTPUT", name);
    if (outputs && (r->arguments[0].type.kind != r->arguments[1].type.kind ||
                    r->arguments[0].type.bits != r->arguments[1].type.bits))
        return pipeline_wrong(a, "what a %s keeps has the type of its first INPUT", name);
    return true;
}

/* A filter's OUTPUT is no parameter of its function. */
bool pipeline_is_passed(const struct pipeline_adding *a, size_t i) {
    return !pipeline_filters(a->asked->pattern) || a->asked->arguments[i].role != PIPELINE_OUTPUT;
}

static bool check_function(struct pipeline_adding *a) {
    const struct pipeline_request *r = a->asked;
    size_t passed = 0;
    if (!pipeline_parse_function(r->function, &a->p->arena, &a->function, &a->wrong))
        return false;
    for (size_t i = 0; i < r->count; i++)
        passed += pipeline_is_passed(a, i);
    if (passed != a->function.parameters.len)
        return pipeline_wrong(a, "its function has %zu parameter%s, and gets %zu argument%s",
                              a->function.parameters.len,
                              a->function.parameters.len == 1 ? "" : "s", passed,
                              passed == 1 ? "" : "s");
    for (size_t i = 0, k = 0; i < r->count; i++) {
        struct lane_type t = r->arguments[i].type;
        if (!pipeline_is_passed(a, i))
            continue;
        const struct pipeline_parameter *q = &a->function.parameters.data[k++];
        char text[8];
        object_type_text(t, text);
        if (q->type.bits && (q->type.kind != t.kind || q->type.bits != t.bits))
            return pipeline_wrong(
                a,
                "parameter '%s' of its function points to another type than %s, which "
                "the argument has",
                q->name, text);
    }
    return true;
}

static bool check_combine(struct pipeline_adding *a) {
    const struct pipeline_request *r = a->asked;
    if (!r->combine)
        return !r->init ||
               pipeline_wrong(a, "an initial value of parts goes with a combine function");
    if (r->pattern != PIPELINE_REDUCE || count_role(a, PIPELINE_REDUCE_OUT) != 1)
        return pipeline_wrong(a, "a combine function goes with a reduce that has one REDUCE_OUT");
    struct str own = {0};
    bool fine = pipeline_parse_function(r->combine, &a->p->arena, &a->combine, &own);
    if (!fine)
        pipeline_wrong(a, "combine: %s", str_text(&own));
    else if (a->combine.parameters.len != 2)
        fine = pipeline_wrong(
            a, "a combine function has two parameters: `[](T *into, T *other) { .. }`");
    str_free(&own);
    return fine;
}

bool pipeline_check_request(struct pipeline_adding *a) {
    if ((unsigned)a->asked->pattern >= PIPELINE_PATTERNS)
        return pipeline_wrong(a, "there is no such pattern");
    if (!a->asked->function)
        return pipeline_wrong(a, "it has no function");
    if (a->p->stages.len >= PIPELINE_MAX_STAGES || a->asked->count > PIPELINE_MAX_PARAMETERS)
        return pipeline_wrong(a, "a pipeline has %u stages, a stage %d arguments at most",
                              PIPELINE_MAX_STAGES, PIPELINE_MAX_PARAMETERS);
    return check_roles(a) && check_sizes(a) && check_function(a) && check_combine(a);
}

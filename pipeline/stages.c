/* SPDX-License-Identifier: MIT
 * Stages are added to a pipeline: what may stand where, which array is which, how long it is, and
 * where one pipeline has to end. */
#include "pipeline/adding.h"

#include <inttypes.h>
#include <string.h>

void pipeline_init(struct pipeline *pipeline, uint64_t length) {
    *pipeline = (struct pipeline){.length = length};
    vec_push(&pipeline->lengths, ((struct pipeline_length){PIPELINE_ALL, 0, 0}));
    vec_push(&pipeline->bases, 0);
}

void pipeline_free(struct pipeline *pipeline) {
    vec_free(&pipeline->lengths);
    vec_free(&pipeline->arrays);
    vec_free(&pipeline->stages);
    vec_free(&pipeline->bases);
    str_free(&pipeline->constants);
    arena_free(&pipeline->arena);
}

/* ---- arrays ---- */

uint32_t pipeline_find_made(const struct pipeline *pipeline, const void *key) {
    for (size_t i = pipeline->arrays.len; i-- > 0;)
        if (pipeline->arrays.data[i].key == key && pipeline->arrays.data[i].changed != NO_INDEX)
            return (uint32_t)i;
    return NO_INDEX;
}

bool pipeline_fetch(struct pipeline *pipeline, const void *key, struct diag *diag) {
    uint32_t k = pipeline_find_made(pipeline, key);
    if (k == NO_INDEX) {
        diag_error(diag, NO_SPAN,
                   "fetch: no stage makes or changes this array: fetch what is an OUTPUT, an INOUT "
                   "or a REDUCE_OUT, behind its stage");
        return false;
    }
    while (pipeline->arrays.data[k].maker == NO_INDEX &&
           pipeline->arrays.data[k].source != NO_INDEX)
        k = pipeline->arrays.data[k].source;
    pipeline->arrays.data[k].fetched = true;
    return true;
}

/* What its owner has written, used so. */
static uint32_t find_given(const struct pipeline *p, const void *key, enum pipeline_use use) {
    for (size_t i = p->arrays.len; i-- > 0;)
        if (p->arrays.data[i].key == key && p->arrays.data[i].use == use &&
            p->arrays.data[i].maker == NO_INDEX)
            return (uint32_t)i;
    return NO_INDEX;
}

static uint32_t find_input(const struct pipeline *p, const void *key) {
    uint32_t made = pipeline_find_made(p, key);
    return made != NO_INDEX ? made : find_given(p, key, PIPELINE_ELEMENTS);
}

static uint32_t segment_now(const struct pipeline_adding *a) {
    return (uint32_t)a->p->bases.len - 1;
}

/* Whether a stage of the segment at work makes or changes it. */
static bool is_here(const struct pipeline_adding *a, const struct pipeline_array *x) {
    return x->changed != NO_INDEX && a->p->stages.data[x->changed].segment == segment_now(a);
}

static uint32_t new_array(struct pipeline_adding *a, const struct pipeline_argument *x,
                          enum pipeline_use use, uint32_t length, uint32_t maker) {
    uint64_t elements = use != PIPELINE_ELEMENTS && !x->elements ? 1 : x->elements;
    vec_push(&a->p->arrays, ((struct pipeline_array){.key = x->key,
                                                     .use = use,
                                                     .type = x->type,
                                                     .length = length,
                                                     .elements = elements,
                                                     .maker = maker,
                                                     .changed = maker,
                                                     .source = NO_INDEX}));
    return (uint32_t)a->p->arrays.len - 1;
}

/* Groups of one size are as many wherever they are made; what filters keep is another number each
 * time. */
static uint32_t new_length(struct pipeline_adding *a, struct pipeline_length length) {
    for (uint32_t i = 0; length.kind == PIPELINE_UNITS && i < a->p->lengths.len; i++) {
        const struct pipeline_length *l = &a->p->lengths.data[i];
        if (l->kind == PIPELINE_UNITS && l->of == length.of && l->value == length.value)
            return i;
    }
    vec_push(&a->p->lengths, length);
    return (uint32_t)a->p->lengths.len - 1;
}

static void length_text(const struct pipeline *p, uint32_t length, struct str *out) {
    const struct pipeline_length *l = &p->lengths.data[length];
    if (l->kind == PIPELINE_ALL)
        str_printf(out, "%" PRIu64 " elements", p->length);
    else if (l->kind == PIPELINE_GIVEN)
        str_printf(out, "%" PRIu64 " elements", l->value);
    else if (l->kind == PIPELINE_UNITS)
        str_printf(out, "one for each group of %" PRIu64, l->value);
    else
        str_append(out, "what a filter has kept");
}

static bool same_type(struct pipeline_adding *a, const struct pipeline_argument *x, uint32_t array,
                      size_t i) {
    struct lane_type t = a->p->arrays.data[array].type;
    return (t.kind == x->type.kind && t.bits == x->type.bits) ||
           pipeline_wrong(a, "%s is an array that has elements of another type in an earlier stage",
                          pipeline_argument_text(a, i));
}

/* Why a stage cannot follow on in one pipeline: the first reason stays. */
static void cut(struct pipeline_adding *a, size_t i, const char *what) {
    if (!a->cut.len)
        str_printf(&a->cut,
                   "%s is %s: end this pipeline here and begin another one with the "
                   "result, or use PipelineFull (`full;` in ezpim)",
                   pipeline_argument_text(a, i), what);
}

/* An array of elements that goes in: it has the length of the others. */
static bool take_length(struct pipeline_adding *a, uint32_t array, size_t i) {
    struct str left = {0}, right = {0};
    uint32_t length = a->p->arrays.data[array].length;
    if (a->length == NO_INDEX || a->length == length) {
        a->length = length;
        return true;
    }
    length_text(a->p, a->length, &left);
    length_text(a->p, length, &right);
    pipeline_wrong(a, "%s has %s, those before it %s: all that goes into a stage has one length",
                   pipeline_argument_text(a, i), str_text(&right), str_text(&left));
    str_free(&left);
    str_free(&right);
    return false;
}

static bool check_said(struct pipeline_adding *a, const struct pipeline_argument *x,
                       uint32_t length, size_t i) {
    const struct pipeline_length *l = &a->p->lengths.data[length];
    uint64_t all = l->kind == PIPELINE_GIVEN ? l->value : a->p->length;
    if (x->elements == PIPELINE_NO_ELEMENTS && a->p->length)
        return pipeline_wrong(a,
                              "%s is an array without elements that no stage before has written: "
                              "fill it, or add the stage that makes it first",
                              pipeline_argument_text(a, i));
    if (!x->elements || (l->kind != PIPELINE_ALL && l->kind != PIPELINE_GIVEN) ||
        x->elements == all || x->elements == PIPELINE_NO_ELEMENTS)
        return true;
    return pipeline_wrong(a,
                          "%s has %" PRIu64 " elements, and the pipeline %" PRIu64
                          ": all arrays of a pipeline have its length",
                          pipeline_argument_text(a, i), x->elements, all);
}

/* What goes in, and does not depend on what this stage makes. */
static bool bind_input(struct pipeline_adding *a, size_t i) {
    const struct pipeline_argument *x = &a->asked->arguments[i];
    struct pipeline_bound *b = &a->stage.arguments[i];
    const uint32_t base = a->p->bases.data[segment_now(a)];
    uint32_t k = find_input(a->p, x->key);
    bool owned = k == NO_INDEX || a->p->arrays.data[k].changed == NO_INDEX;
    if (owned && !check_said(a, x, k == NO_INDEX ? base : a->p->arrays.data[k].length, i))
        return false;
    if (k == NO_INDEX)
        k = new_array(a, x, PIPELINE_ELEMENTS, base, NO_INDEX);
    const struct pipeline_array *y = &a->p->arrays.data[k];
    b->array = k;
    if (!same_type(a, x, k, i))
        return false;
    if (y->use == PIPELINE_RESULT)
        cut(a, i, "the result of a reduce, of which each DPU has a part");
    else if (y->kept && is_here(a, y) && a->asked->pattern != PIPELINE_FILTER &&
             a->asked->pattern != PIPELINE_REDUCE)
        cut(a, i,
            "what a filter has kept, of which no DPU knows where it lies in the whole, so that "
            "only filters and reductions may work on it");
    else if (y->length != base && !is_here(a, y))
        cut(a, i, "of another length than this pipeline's arrays");
    return a->cut.len || take_length(a, k, i);
}

static bool bind_scalar(struct pipeline_adding *a, size_t i) {
    const struct pipeline_argument *x = &a->asked->arguments[i];
    const uint64_t elements = x->elements ? x->elements : 1;
    uint32_t made = pipeline_find_made(a->p, x->key);
    uint32_t k = find_given(a->p, x->key, PIPELINE_WHOLE);
    if (made != NO_INDEX && is_here(a, &a->p->arrays.data[made])) {
        cut(a, i, "made by an earlier stage, and each DPU has a part of it, not all");
        return true;
    }
    if (k == NO_INDEX || a->p->arrays.data[k].elements != elements ||
        a->p->arrays.data[k].source != made)
        k = new_array(a, x, PIPELINE_WHOLE, 0, NO_INDEX);
    a->p->arrays.data[k].source = made;
    a->stage.arguments[i].array = k;
    return same_type(a, x, made == NO_INDEX ? k : made, i);
}

static bool bind_in(struct pipeline_adding *a) {
    for (size_t i = 0; i < a->asked->count && !a->cut.len; i++) {
        enum pipeline_role role = a->asked->arguments[i].role;
        if (role == PIPELINE_SCALAR                            ? !bind_scalar(a, i)
            : role == PIPELINE_INPUT || role == PIPELINE_INOUT ? !bind_input(a, i)
                                                               : false)
            return false;
        if (role == PIPELINE_REDUCE_OUT) {
            uint32_t k = pipeline_find_made(a->p, a->asked->arguments[i].key);
            if (k != NO_INDEX && is_here(a, &a->p->arrays.data[k]))
                cut(a, i, "begun with what an earlier stage of this pipeline makes");
        }
    }
    return true;
}

static bool check_divides(struct pipeline_adding *a) {
    const struct pipeline_length *l = &a->p->lengths.data[a->length];
    uint64_t before = 1; /* elements that are one by groups of earlier stages */
    for (; l->kind == PIPELINE_UNITS; l = &a->p->lengths.data[l->of])
        before *= l->value;
    if (a->asked->group > PIPELINE_MAX_LENGTH / before)
        return pipeline_wrong(a, "groups of groups have %" PRIu64 " elements at most",
                              PIPELINE_MAX_LENGTH);
    uint64_t all = (l->kind == PIPELINE_ALL ? a->p->length : l->value) / before;
    if (!a->asked->group || l->kind == PIPELINE_KEPT || all % a->asked->group == 0)
        return true;
    return pipeline_wrong(a,
                          "groups of %u do not divide %" PRIu64
                          " elements: fill the arrays up, or choose another group",
                          a->asked->group, all);
}

static void change(struct pipeline_adding *a, uint32_t array) {
    a->changed[a->changes] = array;
    a->before[a->changes++] = a->p->arrays.data[array].changed;
    a->p->arrays.data[array].changed = a->number;
}

/* What comes out. */
static void bind_out(struct pipeline_adding *a) {
    const bool filters = pipeline_filters(a->asked->pattern);
    uint32_t length = a->length;
    if (filters)
        length = new_length(a, (struct pipeline_length){PIPELINE_KEPT, length, 0});
    else if (a->asked->group)
        length = new_length(a, (struct pipeline_length){PIPELINE_UNITS, length, a->asked->group});
    for (size_t i = 0; i < a->asked->count; i++) {
        const struct pipeline_argument *x = &a->asked->arguments[i];
        struct pipeline_bound *b = &a->stage.arguments[i];
        b->tail = x->tail;
        if (x->role == PIPELINE_REDUCE_OUT) {
            uint32_t before = pipeline_find_made(a->p, x->key);
            b->array = new_array(a, x, PIPELINE_RESULT, 0, a->number);
            a->p->arrays.data[b->array].source = before;
        } else if (x->role == PIPELINE_OUTPUT || (x->role == PIPELINE_INOUT && filters))
            a->stage.made = new_array(a, x, PIPELINE_ELEMENTS, length, a->number);
        else if (x->role == PIPELINE_INOUT)
            change(a, b->array);
        if (x->role == PIPELINE_OUTPUT)
            b->array = a->stage.made;
    }
    if (filters)
        a->p->arrays.data[a->stage.made].kept = true;
    else
        a->stage.made = NO_INDEX;
}

/* ---- names in bodies ---- */

/* The word of a body's parameter: the grammar of stages has some for itself. */
static bool is_taken(const char *name) {
    static const char *const words[] = {"length", "array",   "map", "reduce", "filter", "window",
                                        "group",  "combine", "in",  "out",    "inout",  "whole",
                                        "acc",    "count",   "as",  "tail",   "from"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], name) == 0)
            return true;
    return false;
}

static void name_arguments(struct pipeline_adding *a) {
    const char *from[PIPELINE_MAX_PARAMETERS], *to[PIPELINE_MAX_PARAMETERS];
    size_t renamed = 0;
    for (size_t i = 0, k = 0; i < a->asked->count; i++) {
        if (!pipeline_is_passed(a, i))
            continue;
        const char *name = a->function.parameters.data[k++].name;
        a->stage.arguments[i].name = name;
        if (!is_taken(name))
            continue;
        from[renamed] = name;
        to[renamed] = a->stage.arguments[i].name = arena_printf(&a->p->arena, "%s_", name);
        renamed++;
    }
    a->stage.body = pipeline_rename(&a->p->arena, a->function.body, from, to, renamed);
}

/* The accumulator's name in the body is its name in combine. */
static bool name_combine(struct pipeline_adding *a) {
    const char *own = NULL;
    if (!a->asked->combine)
        return true;
    for (size_t i = 0; i < a->asked->count; i++)
        if (a->asked->arguments[i].role == PIPELINE_REDUCE_OUT)
            own = a->stage.arguments[i].name;
    const char *from[] = {a->combine.parameters.data[0].name, a->combine.parameters.data[1].name};
    const char *to[] = {own, "mpu_other"};
    bool is_one = strcmp(own, from[0]) == 0 || strcmp(own, from[1]) == 0;
    if (!is_one && pipeline_has_word(a->combine.body, own))
        return pipeline_wrong(
            a,
            "combine has a '%s' of its own, as the reduce's parameter is called: give it "
            "another name",
            own);
    a->stage.combine = pipeline_rename(&a->p->arena, a->combine.body, from, to, 2);
    a->stage.other = to[1];
    a->stage.init = a->asked->init ? arena_strdup(&a->p->arena, a->asked->init) : NULL;
    return true;
}

/* ---- adding ---- */

static void place_stage(struct pipeline_adding *a) {
    const struct pipeline_request *r = a->asked;
    a->number = (uint32_t)a->p->stages.len;
    a->stage = (struct pipeline_stage){
        .pattern = r->pattern,
        .count = r->count,
        .overlap = r->overlap,
        .group = r->group,
        .made = NO_INDEX,
        .place = r->file ? arena_printf(&a->p->arena, "stage %u (%s:%u)", a->number + 1, r->file,
                                        r->line)
                         : arena_printf(&a->p->arena, "stage %u", a->number + 1)};
    a->stage.arguments = ARENA_ARRAY(&a->p->arena, r->count + 1, struct pipeline_bound);
    for (size_t i = 0; i < r->count; i++)
        a->stage.arguments[i] =
            (struct pipeline_bound){.role = r->arguments[i].role, .array = NO_INDEX};
}

/* From now on the result of a reduce is an array of so many elements. */
static uint32_t result_as_elements(struct pipeline_adding *a, const struct pipeline_argument *x,
                                   uint32_t k) {
    const uint64_t elements = a->p->arrays.data[k].elements;
    uint32_t own = new_length(a, (struct pipeline_length){PIPELINE_GIVEN, 0, elements});
    uint32_t made = new_array(a, x, PIPELINE_ELEMENTS, own, NO_INDEX);
    a->p->arrays.data[made].changed = a->p->arrays.data[k].changed;
    a->p->arrays.data[made].source = k;
    return made;
}

/* A segment of its own begins, with what its first stage works on. */
static bool begin_segment(struct pipeline_adding *a) {
    uint32_t base = NO_INDEX;
    for (size_t i = 0; i < a->asked->count && base == NO_INDEX; i++) {
        const struct pipeline_argument *x = &a->asked->arguments[i];
        uint32_t k = x->role == PIPELINE_INPUT || x->role == PIPELINE_INOUT
                         ? find_input(a->p, x->key)
                         : NO_INDEX;
        if (k != NO_INDEX && a->p->arrays.data[k].use == PIPELINE_RESULT)
            k = result_as_elements(a, x, k);
        if (k != NO_INDEX)
            base = a->p->arrays.data[k].length;
    }
    vec_push(&a->p->bases, base == NO_INDEX ? 0 : base);
    a->length = NO_INDEX;
    str_clear(&a->cut);
    return bind_in(a);
}

static bool fill(struct pipeline_adding *a, struct diag *diag) {
    if (!pipeline_check_request(a) || !bind_in(a))
        return false;
    if (a->cut.len && (!a->p->full || !begin_segment(a)))
        return false;
    if (a->cut.len || !check_divides(a))
        return false;
    bind_out(a);
    name_arguments(a);
    if (!name_combine(a))
        return false;
    a->stage.segment = segment_now(a);
    vec_push(&a->p->stages, a->stage);
    return pipeline_check_stage(a->p, a->number, diag);
}

bool pipeline_add(struct pipeline *pipeline, const struct pipeline_request *request,
                  struct diag *diag) {
    const size_t lengths = pipeline->lengths.len, arrays = pipeline->arrays.len;
    const size_t stages = pipeline->stages.len, bases = pipeline->bases.len;
    struct pipeline_adding a = {.p = pipeline, .asked = request, .length = NO_INDEX};
    place_stage(&a);
    bool fine = fill(&a, diag);
    if (!fine) {
        const char *why = a.wrong.len ? str_text(&a.wrong) : str_text(&a.cut);
        if (*why)
            diag_error(diag, NO_SPAN, "%s: %s", a.stage.place, why);
        while (a.changes-- > 0)
            pipeline->arrays.data[a.changed[a.changes]].changed = a.before[a.changes];
        pipeline->lengths.len = lengths;
        pipeline->arrays.len = arrays;
        pipeline->stages.len = stages;
        pipeline->bases.len = bases;
    }
    vec_free(&a.function.parameters);
    vec_free(&a.combine.parameters);
    str_free(&a.wrong);
    str_free(&a.cut);
    return fine;
}

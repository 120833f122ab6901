/* SPDX-License-Identifier: MIT
 * Kernels as a whole: parameters, arrays, what each stage does with them, and their lengths. */
#include "stage/checker.h"

#include "support/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the kernel is called with ---- */

static void add_array(struct stage_checker *c, struct stage_array *a) {
    struct stage_kernel *k = c->kernel;
    for (uint32_t i = 0; i < k->array_count; i++)
        if (strcmp(k->arrays[i]->text, a->text) == 0)
            stage_wrong(c, a->at, "'%s' is declared twice", a->text);
    k->arrays[k->array_count++] = a;
}

static void add_parameter(struct stage_checker *c, uint32_t index,
                          const struct kernel_parameter *p) {
    if (p->kind == PARAMETER_BUFFER) {
        struct stage_array *a = ARENA_NEW(c->arena, struct stage_array);
        *a = (struct stage_array){
            .text = p->name, .type = p->type, .parameter = index, .length = NO_INDEX};
        add_array(c, a);
    } else if (p->kind == PARAMETER_NUMBER) {
        struct stage_name *n = stage_declare(c, STAGE_SCALAR, p->name, NO_SPAN, p->type);
        if (n)
            n->parameter = index;
    } else {
        stage_wrong(c, NO_SPAN,
                    "parameters of a stage kernel are numbers and buffers, and '%s' is bytes",
                    p->name);
    }
}

static void add_parameters(struct stage_checker *c, const struct stage_text *text) {
    const struct kernel_decl *decl = c->kernel->decl;
    size_t count = decl->parameter_count;
    uint32_t end = 0;
    for (const struct stage_array *a = text->arrays; a; a = a->next)
        count++;
    c->kernel->arrays = ARENA_ARRAY(c->arena, count + 1, struct stage_array *);
    for (uint32_t i = 0; i < decl->parameter_count; i++) {
        const struct kernel_parameter *p = &decl->parameters[i];
        c->kernel->offsets[i] = object_parameter_offset(p, end);
        end = c->kernel->offsets[i] + object_parameter_bytes(p);
        add_parameter(c, i, p);
    }
    c->kernel->parameter_bytes = end;
    for (struct stage_array *a = text->arrays; a; a = a->next)
        add_array(c, a);
}

static bool check_length(struct stage_checker *c, struct stage_text *text) {
    struct stage_kernel *k = c->kernel;
    int64_t value = 0;
    k->length_parameter = NO_INDEX;
    if (!text->length)
        return stage_wrong(c, NO_SPAN,
                           "the text says no `length`: that of the arrays, a parameter "
                           "or a constant");
    if (text->length->kind == STAGE_NAME) {
        struct stage_name *n = stage_find(c, text->length->text, text->length_at);
        if (!n)
            return false;
        if (n->kind == STAGE_SCALAR && stage_is_integer(n->type)) {
            k->length_parameter = n->parameter;
            return true;
        }
    }
    if (!stage_check_constant(c, &text->length, "the length", 0, INT64_MAX, &value))
        return false;
    k->length_value = (uint64_t)value;
    return true;
}

/* ---- lengths ---- */

static uint32_t add_length(struct stage_checker *c, struct stage_length length) {
    struct stage_kernel *k = c->kernel;
    for (uint32_t i = 0; i < k->length_count && length.kind == STAGE_UNITS; i++) {
        const struct stage_length *l = &k->lengths[i];
        if (l->kind == STAGE_UNITS && l->of == length.of && l->unit == length.unit &&
            l->overlap == length.overlap)
            return i;
    }
    k->lengths[k->length_count] = length;
    return k->length_count++;
}

/* That of all that goes in. */
static bool find_length(struct stage_checker *c, struct stage_stage *s) {
    const struct stage_array *known = NULL;
    s->length = NO_INDEX;
    for (const struct stage_param *q = s->params; q; q = q->next) {
        if (q->role != STAGE_IN && q->role != STAGE_INOUT)
            continue;
        const struct stage_array *a = c->kernel->arrays[q->array];
        if (a->length == NO_INDEX)
            continue;
        if (s->length != NO_INDEX && a->length != s->length)
            return stage_wrong(c, q->at, "'%s' and '%s' have not the same length", a->text,
                               known->text);
        s->length = a->length;
        known = a;
    }
    if (s->length == NO_INDEX)
        s->length = 0;
    for (const struct stage_param *q = s->params; q; q = q->next)
        if (q->role == STAGE_IN || q->role == STAGE_INOUT)
            c->kernel->arrays[q->array]->length = s->length;
    return true;
}

static bool find_units(struct stage_checker *c, struct stage_stage *s) {
    unsigned tails = 0, inputs = 0;
    for (const struct stage_param *q = s->params; q; q = q->next) {
        inputs += q->role == STAGE_IN;
        tails += q->tail != NO_INDEX;
    }
    if (tails && tails != inputs)
        return stage_wrong(c, s->at, "all that goes in has a tail, or none of it");
    /* With tails it does not matter how much a window sees. */
    const uint32_t overlap = tails ? 0 : s->overlap;
    s->units = s->unit == 1 && overlap == 0
                   ? s->length
                   : add_length(c, (struct stage_length){STAGE_UNITS, s->length, s->unit, overlap});
    return true;
}

static const struct stage_param *param_at(const struct stage_stage *s, uint32_t index) {
    const struct stage_param *q = s->params;
    while (index--)
        q = q->next;
    return q;
}

static void set_lengths(struct stage_checker *c, struct stage_stage *s) {
    uint32_t units = NO_INDEX, elements = NO_INDEX;
    for (const struct stage_param *q = s->params; q; q = q->next) {
        if (q->role != STAGE_OUT)
            continue;
        struct stage_array *a = c->kernel->arrays[q->array];
        bool filters = s->pattern == STAGE_FILTER, whole = q->from != NO_INDEX && s->unit > 1;
        uint32_t *kept = whole ? &elements : &units;
        if (filters && *kept == NO_INDEX)
            *kept =
                add_length(c, (struct stage_length){STAGE_KEPT, s->units, whole ? s->unit : 1, 0});
        a->length = filters ? *kept : s->units;
        a->kept = filters;
        a->written = true;
        a->writer = q->at;
    }
}

/* ---- what a stage does with an array ---- */

static bool find_array(struct stage_checker *c, const char *text, struct span at, uint32_t *index) {
    struct stage_kernel *k = c->kernel;
    VEC(const char *) names = {0};
    for (*index = 0; *index < k->array_count; ++*index) {
        if (strcmp(k->arrays[*index]->text, text) == 0) {
            vec_free(&names);
            return true;
        }
        vec_push(&names, k->arrays[*index]->text);
    }
    *index = NO_INDEX;
    stage_wrong(c, at, "no array is called '%s'", text);
    diag_suggest(c->diag, at, text, names.data, names.len);
    vec_free(&names);
    return false;
}

/* One use of an array: elements are worked on one by one, or seen as a whole, or it is a result. */
static bool use(struct stage_checker *c, const struct stage_param *q, uint32_t index,
                enum stage_use as) {
    struct stage_array *a = c->kernel->arrays[index];
    if (as != STAGE_ELEMENTS && a->parameter == NO_INDEX)
        return stage_wrong(c, q->at, "'%s' is no buffer that the kernel is called with", a->text);
    if (a->use == STAGE_RESULT && as == STAGE_RESULT)
        return stage_wrong(c, q->at, "'%s' is a result already", a->text);
    if (a->use == STAGE_RESULT)
        return stage_wrong(
            c, q->at, "'%s' is gathered, and known when the kernel has ended: no stage reads it",
            a->text);
    if (a->use != STAGE_UNUSED && a->use != as)
        return stage_wrong(
            c, q->at, "'%s' would lie in two ways: element by element, and whole for all", a->text);
    a->use = as;
    return true;
}

static bool check_in(struct stage_checker *c, struct stage_stage *s, struct stage_param *q) {
    struct stage_array *a = c->kernel->arrays[q->array];
    if (a->parameter == NO_INDEX && !a->written)
        return stage_wrong(c, q->at, "no stage before this one has written '%s'", a->text);
    if (a->kept && (s->pattern == STAGE_MAP || s->unit > 1 || s->overlap)) {
        stage_wrong(c, q->at, "what a filter has kept goes into filters and reductions alone");
        diag_note(c->diag, a->writer, "'%s' is written here", a->text);
        return false;
    }
    q->count = s->unit + s->overlap;
    if (q->role == STAGE_INOUT && (s->pattern != STAGE_MAP || s->unit > 1 || s->overlap))
        return stage_wrong(c, q->at, "`inout` is an array of a map without window or group");
    if (q->role == STAGE_INOUT)
        a->written = true;
    return true;
}

static bool check_tail(struct stage_checker *c, struct stage_stage *s, struct stage_param *q) {
    if (!q->tail_text)
        return true;
    if (!s->overlap)
        return stage_wrong(c, q->at, "nothing is seen beyond the end: a tail is of a window");
    if (!find_array(c, q->tail_text, q->at, &q->tail) || !use(c, q, q->tail, STAGE_WHOLE_USE))
        return false;
    return stage_same_type(c->kernel->arrays[q->tail]->type, q->type) ||
           stage_wrong(c, q->at, "'%s' and its tail have not the same type", q->array_text);
}

static bool check_out(struct stage_checker *c, struct stage_stage *s, struct stage_param *q) {
    const struct stage_array *a = c->kernel->arrays[q->array];
    if (s->pattern == STAGE_REDUCE)
        return stage_wrong(c, q->at, "a reduce gathers in `acc`: it has no `out`");
    if (a->written || a->length != NO_INDEX) {
        stage_wrong(c, q->at,
                    "'%s' is read or written already: each array is made once, and "
                    "`inout` of a map changes it",
                    a->text);
        return false;
    }
    q->count = 1;
    return true;
}

static bool check_from(struct stage_checker *c, struct stage_stage *s, struct stage_param *q) {
    uint32_t i = 0;
    if (!q->from_text)
        return true;
    if (s->pattern != STAGE_FILTER)
        return stage_wrong(c, q->at, "only a filter keeps what goes in");
    for (const struct stage_param *p = s->params; p; p = p->next, i++)
        if (p->role == STAGE_IN && strcmp(p->text, q->from_text) == 0)
            q->from = i;
    if (q->from == NO_INDEX)
        return stage_wrong(c, q->at, "nothing that goes in is called '%s'", q->from_text);
    return stage_same_type(param_at(s, q->from)->type, q->type) ||
           stage_wrong(c, q->at, "'%s' and '%s' have not the same type", q->array_text,
                       q->from_text);
}

/* How many can be seen: a constant, or a number of the launch. */
static bool check_whole(struct stage_checker *c, struct stage_param *q) {
    int64_t count = 0;
    if (q->extent->kind == STAGE_NAME) {
        struct stage_name *n = stage_find(c, q->extent->text, q->extent->at);
        if (!n)
            return false;
        if (n->kind == STAGE_SCALAR && stage_is_integer(n->type)) {
            q->bound = n->parameter;
            return true;
        }
    }
    if (!stage_check_constant(c, &q->extent, "the number of elements", 1, INT32_MAX, &count))
        return false;
    q->count = (uint32_t)count;
    return true;
}

static bool check_acc(struct stage_checker *c, const struct stage_stage *s, struct stage_param *q) {
    int64_t count = 1;
    if (s->pattern != STAGE_REDUCE)
        return stage_wrong(c, q->at, "an accumulator is a reduce's: here it would have no order");
    if (q->extent &&
        !stage_check_constant(c, &q->extent, "the number of elements", 1, STAGE_MAX_UNIT, &count))
        return false;
    q->count = (uint32_t)count;
    if (!q->init)
        return true;
    if (!stage_check_as(c, &q->init, q->type))
        return false;
    if (q->init->kind != STAGE_NUMBER)
        return stage_wrong(c, q->init->at, "what '%s' begins with is a constant", q->text);
    q->has = true;
    q->value = q->init->value;
    return true;
}

static bool check_count(struct stage_checker *c, const struct stage_stage *s,
                        const struct stage_param *q) {
    if (s->pattern != STAGE_FILTER)
        return stage_wrong(c, q->at, "only a filter counts what it keeps");
    for (const struct stage_param *p = s->params; p != q; p = p->next)
        if (p->role == STAGE_COUNT)
            return stage_wrong(c, q->at, "what is kept is counted once");
    return (stage_is_integer(q->type) && q->type.bits >= 32) ||
           stage_wrong(c, q->at, "a count is an integer of at least 32 bits");
}

static bool check_role(struct stage_checker *c, struct stage_stage *s, struct stage_param *q) {
    static const enum stage_use uses[] = {STAGE_ELEMENTS,  STAGE_ELEMENTS, STAGE_ELEMENTS,
                                          STAGE_WHOLE_USE, STAGE_RESULT,   STAGE_RESULT};
    if (!find_array(c, q->array_text, q->at, &q->array))
        return false;
    q->type = c->kernel->arrays[q->array]->type;
    for (const struct stage_param *p = s->params; p != q; p = p->next)
        if (p->array == q->array || p->tail == q->array)
            return stage_wrong(c, q->at, "a stage names '%s' twice", q->array_text);
    if (!use(c, q, q->array, uses[q->role]))
        return false;
    switch (q->role) {
    case STAGE_IN:
    case STAGE_INOUT:
        return check_in(c, s, q) && check_tail(c, s, q);
    case STAGE_OUT:
        return check_out(c, s, q);
    case STAGE_WHOLE:
        return check_whole(c, q);
    case STAGE_ACC:
        return check_acc(c, s, q);
    default:
        return check_count(c, s, q);
    }
}

static bool declare(struct stage_checker *c, struct stage_param *q) {
    if (q->role == STAGE_COUNT || q->from != NO_INDEX)
        return true; /* the body has nothing to do with it */
    q->name = stage_declare(c, STAGE_PARAM, q->text, q->at, q->type);
    if (!q->name)
        return false;
    q->name->param = q;
    q->name->count = q->count;
    bool slots = q->role == STAGE_OUT || q->role == STAGE_INOUT || q->role == STAGE_ACC;
    return !slots || stage_take_slots(c, q->at, q->count, &q->slot);
}

/* ---- stages ---- */

static bool check_unit(struct stage_checker *c, struct stage_stage *s) {
    int64_t window = 1, group = 1;
    s->windows = s->window_expr != NULL;
    s->groups = s->group_expr != NULL;
    if ((s->windows &&
         !stage_check_constant(c, &s->window_expr, "a window", 1, STAGE_MAX_UNIT / 2, &window)) ||
        (s->groups &&
         !stage_check_constant(c, &s->group_expr, "a group", 1, STAGE_MAX_UNIT / 2, &group)))
        return false;
    s->unit = (uint32_t)group;
    s->overlap = s->groups ? (s->windows ? (uint32_t)window : 0) : (uint32_t)window - 1;
    return true;
}

static bool has_role(const struct stage_stage *s, enum stage_role one, enum stage_role other) {
    for (const struct stage_param *q = s->params; q; q = q->next)
        if (q->role == one || q->role == other)
            return true;
    return false;
}

static bool check_roles(struct stage_checker *c, struct stage_stage *s) {
    bool fine = true;
    for (struct stage_param *q = s->params; q; q = q->next)
        fine = check_role(c, s, q) && fine;
    for (struct stage_param *q = s->params; q; q = q->next)
        fine = fine && (q->role != STAGE_OUT || check_from(c, s, q));
    if (!fine)
        return false;
    if (!has_role(s, STAGE_IN, STAGE_INOUT))
        return stage_wrong(c, s->at, "nothing goes into this stage: it needs an `in` or `inout`");
    if (s->pattern == STAGE_MAP && !has_role(s, STAGE_OUT, STAGE_INOUT))
        return stage_wrong(c, s->at, "nothing comes of this stage: it needs an `out` or `inout`");
    if (s->pattern == STAGE_FILTER && !has_role(s, STAGE_OUT, STAGE_COUNT))
        return stage_wrong(c, s->at, "nothing comes of this stage: it needs an `out` or `count`");
    if (s->pattern == STAGE_REDUCE && !has_role(s, STAGE_ACC, STAGE_ACC))
        return stage_wrong(c, s->at, "a reduce gathers in an `acc`");
    return find_length(c, s) && find_units(c, s);
}

static bool check_combine(struct stage_checker *c, struct stage_stage *s) {
    struct stage_expr *other = s->others;
    bool fine = true;
    if (!s->combine)
        return true;
    if (s->pattern != STAGE_REDUCE)
        return stage_wrong(c, s->combine->at, "`combine` is a reduce's");
    for (struct stage_param *q = s->params; q && fine; q = q->next) {
        if (q->role != STAGE_ACC)
            continue;
        if (!other)
            return stage_wrong(c, s->combine->at, "`combine` names another part of each `acc`");
        struct stage_name *mine = stage_declare(c, STAGE_PARAM, q->text, q->at, q->type);
        q->other = stage_declare(c, STAGE_OTHER, other->text, other->at, q->type);
        if (!mine || !q->other)
            return false;
        mine->param = q->other->param = q;
        mine->count = q->other->count = q->count;
        other = other->next;
    }
    if (other)
        return stage_wrong(c, other->at, "`combine` names more than there are of `acc`");
    c->in_combine = true;
    fine = stage_check_body(c, s->combine);
    c->in_combine = false;
    return fine;
}

static bool check_bodies(struct stage_checker *c, struct stage_stage *s) {
    struct stage_name *scope = c->scope;
    bool fine = true;
    c->stage = s;
    c->blocks = scope;
    for (struct stage_param *q = s->params; q; q = q->next)
        fine = declare(c, q) && fine;
    fine = fine && stage_check_body(c, s->body);
    c->scope = c->blocks = scope;
    if (fine && s->pattern == STAGE_FILTER && !stage_always_returns(s->body))
        fine = stage_wrong(c, s->at, "the body of this filter may end without `return`");
    fine = check_combine(c, s) && fine;
    c->scope = c->blocks = scope;
    s->slots = (uint32_t)c->slots;
    return fine && stage_check_folds(c, s);
}

static void check_stage(struct stage_checker *c, struct stage_stage *s, uint64_t constants) {
    c->slots = constants;
    if (check_unit(c, s) && check_roles(c, s)) {
        check_bodies(c, s);
        set_lengths(c, s);
        return;
    }
    for (const struct stage_param *q = s->params; q; q = q->next) /* later stages may read it */
        if (q->role == STAGE_OUT && q->array != NO_INDEX)
            c->kernel->arrays[q->array]->written = true;
}

static void check_text(struct stage_checker *c, struct stage_text *text) {
    size_t lengths = 1;
    struct stage_stage none = {.pattern = STAGE_MAP};
    c->stage = &none;
    for (const struct stage_stage *s = text->stages; s; s = s->next)
        lengths += 3;
    c->kernel->lengths = ARENA_ARRAY(c->arena, lengths, struct stage_length);
    add_length(c, (struct stage_length){.kind = STAGE_ALL, .unit = 1});
    add_parameters(c, text);
    for (struct stage_stmt *s = text->constants.first; s; s = s->next)
        if (stage_check_declaration(c, s) && !s->of->elements)
            stage_wrong(c, s->at, "'%s' is no constant", s->text);
    uint64_t constants = c->slots;
    check_length(c, text);
    if (!text->stages)
        stage_wrong(c, NO_SPAN, "the text has no stage");
    for (struct stage_stage *s = text->stages; s; s = s->next)
        check_stage(c, s, constants);
    c->kernel->stages = text->stages;
}

struct stage_kernel *stage_read(const struct kernel_decl *decl, const char *name,
                                struct diag *diag) {
    struct stage_kernel *k = xcalloc(1, sizeof *k);
    struct stage_checker c = {.arena = &k->arena, .diag = diag, .kernel = k};
    k->decl = decl;
    if (decl->words || decl->entry) {
        stage_wrong(&c, NO_SPAN, "a stage kernel is a text of its own");
    } else {
        uint32_t source = diag_source(diag, name, decl->bytes, decl->size);
        struct stage_text *text = stage_parse(&k->arena, diag, source);
        c.failed = !text;
        if (text)
            check_text(&c, text);
    }
    if (!c.failed)
        return k;
    stage_free(k);
    return NULL;
}

void stage_free(struct stage_kernel *kernel) {
    if (!kernel)
        return;
    arena_free(&kernel->arena);
    free(kernel);
}

/* SPDX-License-Identifier: MIT
 * The interpreter: stage by stage, unit by unit, in ascending order.  What a body assigns to
 * outputs it has in slots, and they go into the arrays when it has ended.
 *
 * All accesses are thread 0's, since nothing depends on an order; but for folds of floats, which
 * several threads (1 and 2) seem to write, and which go from the end where the launch says so. */
#include "object/bytes.h"
#include "portable/portable.h"
#include "stage/stage.h"
#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of all arrays that are no buffers. */
#define MOST_OWN_BYTES ((uint64_t)1 << 30)

enum { SETTLED, ONE_THREAD, OTHER_THREAD };

struct view {
    unsigned char *bytes; /* all of them, if they lie in one piece; else NULL */
    unsigned char *own;   /* of an array that is no buffer */
    uint64_t address, extent;
    struct lane_type type;
    unsigned size; /* of an element */
    bool written;
};

struct stage_runner {
    const struct stage_kernel *kernel;
    const struct portable_launch *launch;
    struct portable_fault *fault;
    const struct stage_stage *stage;
    struct view *views;     /* [array_count] */
    uint64_t *lengths;      /* [length_count]; what a filter keeps at most, until it is known */
    uint64_t *scalars;      /* [parameter_count] */
    uint64_t *slots;        /* of the body */
    const uint64_t *others; /* of `combine`: what the other part has in them */
    uint64_t unit, kept;    /* the one that is worked on; how many were kept */
    uint64_t steps, within; /* all of them, and those of the unit */
    bool keeps;             /* what the body returned */
    bool stopped;
};

enum stage_flow { FLOW_ON, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN };

/* ---- faults and steps ---- */

static void stop(struct stage_runner *r, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void stop(struct stage_runner *r, uint32_t line, const char *format, ...) {
    va_list args;
    if (r->stopped)
        return;
    r->stopped = true;
    r->fault->line = line;
    if (r->stage)
        str_printf(&r->fault->what, "%s %" PRIu64 ": ", r->stage->unit > 1 ? "group" : "element",
                   r->unit);
    va_start(args, format);
    str_vprintf(&r->fault->what, format, args);
    va_end(args);
}

/* False: it goes no further. */
static bool step(struct stage_runner *r, uint32_t line) {
    if (++r->within > STAGE_ELEMENT_STEPS)
        stop(r, line, "it does not end within %" PRIu64 " steps", STAGE_ELEMENT_STEPS);
    if (++r->steps % 1024 == 0 && !r->launch->go_on(r->launch->context, r->steps))
        r->stopped = true;
    return !r->stopped;
}

/* ---- arrays ---- */

static unsigned char *place(struct stage_runner *r, uint32_t array, uint64_t index, bool writes,
                            uint64_t thread, uint32_t line) {
    const struct view *v = &r->views[array];
    unsigned char *at = v->bytes ? v->bytes + index * v->size : NULL;
    if (!at && !v->own)
        at = r->launch->at(r->launch->context, v->address + index * v->size, v->size, writes,
                           thread, line);
    if (!at)
        stop(r, line, "'%s' has no element %" PRIu64 ": there are no %u bytes at 0x%" PRIx64,
             r->kernel->arrays[array]->text, index, v->size, v->address + index * v->size);
    return at;
}

static uint64_t load(struct stage_runner *r, uint32_t array, uint64_t index, uint64_t thread,
                     uint32_t line) {
    const struct view *v = &r->views[array];
    const unsigned char *at = place(r, array, index, false, thread, line);
    if (!at)
        return 0;
    uint64_t value = 0;
    for (unsigned i = 0; i < v->size; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return stage_normal(v->type, value);
}

static void store(struct stage_runner *r, uint32_t array, uint64_t index, uint64_t value,
                  uint64_t thread, uint32_t line) {
    unsigned char *at = place(r, array, index, true, thread, line);
    for (unsigned i = 0; at && i < r->views[array].size; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

/* All of the elements at once, if they lie in one piece. */
static void open_view(struct stage_runner *r, uint32_t array, uint64_t count, bool writes,
                      uint32_t line) {
    struct view *v = &r->views[array];
    uint64_t bytes;
    v->bytes = v->own;
    if (!v->own && count && !__builtin_mul_overflow(count, v->size, &bytes))
        v->bytes = r->launch->at(r->launch->context, v->address, bytes, writes, SETTLED, line);
}

/* ---- expressions ---- */

static uint64_t evaluate(struct stage_runner *r, const struct stage_expr *e);

/* How many elements of a parameter can be seen. */
static uint64_t seen(const struct stage_runner *r, const struct stage_param *q) {
    if (q->bound == NO_INDEX)
        return q->count;
    uint64_t count = r->scalars[q->bound];
    return r->kernel->decl->parameters[q->bound].type.kind == TYPE_INT && (int64_t)count < 0
               ? 0
               : count;
}

/* False after stopping. */
static bool index_of(struct stage_runner *r, const struct stage_expr *e, uint64_t *index) {
    const struct stage_name *n = e->of;
    uint64_t count = n->kind == STAGE_PARAM   ? seen(r, n->param)
                     : n->kind == STAGE_OTHER ? n->param->count
                                              : n->count;
    *index = evaluate(r, e->args[0]);
    if (r->stopped)
        return false;
    if (*index >= count) { /* a negative one is large */
        bool negative = e->args[0]->type.kind == TYPE_INT && (int64_t)*index < 0;
        stop(r, e->line,
             "index %s%" PRIu64 " is outside of '%s', of which %" PRIu64 " element%s can be seen",
             negative ? "-" : "", negative ? 0 - *index : *index, n->text, count,
             count == 1 ? "" : "s");
    }
    return !r->stopped;
}

static uint64_t input(struct stage_runner *r, const struct stage_param *q, uint64_t index,
                      uint32_t line) {
    if (q->role == STAGE_WHOLE)
        return load(r, q->array, index, SETTLED, line);
    uint64_t at = r->unit * r->stage->unit + index, length = r->lengths[r->stage->length];
    return at < length ? load(r, q->array, at, SETTLED, line)
                       : load(r, q->tail, at - length, SETTLED, line);
}

static uint64_t element(struct stage_runner *r, const struct stage_expr *e) {
    const struct stage_name *n = e->of;
    uint64_t index;
    if (!index_of(r, e, &index))
        return 0;
    if (n->kind == STAGE_TABLE)
        return n->constant ? n->elements[index] : r->slots[n->slot + index];
    const struct stage_param *q = n->param;
    if (n->kind == STAGE_OTHER)
        return r->others[q->slot + index];
    return q->role == STAGE_IN || q->role == STAGE_WHOLE ? input(r, q, index, e->line)
                                                         : r->slots[q->slot + index];
}

static uint64_t evaluate(struct stage_runner *r, const struct stage_expr *e) {
    if (r->stopped)
        return 0;
    switch (e->kind) {
    case STAGE_NUMBER:
        return e->value;
    case STAGE_NAME:
        return e->of->kind == STAGE_SCALAR ? r->scalars[e->of->parameter] : r->slots[e->of->slot];
    case STAGE_ELEMENT:
        return element(r, e);
    case STAGE_UNARY:
        return stage_unary(e->op, e->args[0]->type, evaluate(r, e->args[0]));
    case STAGE_CAST:
        return stage_convert(e->args[0]->type, e->type, evaluate(r, e->args[0]));
    case STAGE_CHOICE:
        return evaluate(r, evaluate(r, e->args[0]) ? e->args[1] : e->args[2]);
    default:
        break;
    }
    uint64_t left = evaluate(r, e->args[0]);
    if ((e->op == STAGE_BOTH && !left) || (e->op == STAGE_EITHER && left))
        return left;
    return stage_binary(e->op, e->args[0]->type, left, evaluate(r, e->args[1]));
}

/* ---- statements ---- */

static enum stage_flow carry_out(struct stage_runner *r, const struct stage_stmt *s);

static void declare(struct stage_runner *r, const struct stage_stmt *s) {
    uint64_t *slots = r->slots + s->of->slot, value = s->value ? evaluate(r, s->value) : 0;
    const struct stage_expr *e = s->list;
    if (s->of->kind == STAGE_TABLE && s->of->constant)
        return;
    for (uint32_t i = 0; i < s->of->count; i++, e = e ? e->next : NULL)
        slots[i] = e ? evaluate(r, e) : s->of->elements && !s->value ? s->of->elements[i] : value;
}

static void assign(struct stage_runner *r, const struct stage_stmt *s) {
    const struct stage_expr *target = s->target;
    uint64_t index = 0, value = evaluate(r, s->value);
    if (target->kind == STAGE_ELEMENT && !index_of(r, target, &index))
        return;
    uint32_t slot = target->of->kind == STAGE_PARAM ? target->of->param->slot : target->of->slot;
    if (!r->stopped)
        r->slots[slot + index] = value;
}

static enum stage_flow loop(struct stage_runner *r, const struct stage_stmt *s) {
    bool first = s->body_first;
    for (const struct stage_stmt *f = s->first; f; f = f->next)
        carry_out(r, f);
    while (step(r, s->line) && (first || !s->value || evaluate(r, s->value)) && !r->stopped) {
        enum stage_flow flow = carry_out(r, s->body);
        first = false;
        if (flow == FLOW_BREAK)
            break;
        if (flow == FLOW_RETURN)
            return flow;
        if (s->step)
            carry_out(r, s->step);
    }
    return FLOW_ON;
}

static enum stage_flow carry_out(struct stage_runner *r, const struct stage_stmt *s) {
    enum stage_flow flow = FLOW_ON;
    if (!step(r, s->line))
        return FLOW_RETURN;
    switch (s->kind) {
    case STAGE_BLOCK:
        for (const struct stage_stmt *one = s->body; one && flow == FLOW_ON && !r->stopped;
             one = one->next)
            flow = carry_out(r, one);
        return flow;
    case STAGE_DECLARE:
        declare(r, s);
        return FLOW_ON;
    case STAGE_ASSIGN:
        assign(r, s);
        return FLOW_ON;
    case STAGE_IF:
        if (evaluate(r, s->value))
            return carry_out(r, s->body);
        return s->otherwise ? carry_out(r, s->otherwise) : FLOW_ON;
    case STAGE_LOOP:
        return loop(r, s);
    case STAGE_RETURN:
        r->keeps = s->value && evaluate(r, s->value);
        return FLOW_RETURN;
    default:
        return s->kind == STAGE_BREAK ? FLOW_BREAK : FLOW_CONTINUE;
    }
}

/* ---- stages ---- */

/* What the unit begins with: zeros in what it makes, and the elements that it changes. */
static void begin_unit(struct stage_runner *r) {
    for (const struct stage_param *q = r->stage->params; q; q = q->next) {
        if (q->role == STAGE_INOUT)
            r->slots[q->slot] = load(r, q->array, r->unit, SETTLED, q->line);
        else if (q->role == STAGE_OUT && q->from == NO_INDEX)
            r->slots[q->slot] = 0;
    }
}

static const struct stage_param *param_at(const struct stage_stage *s, uint32_t index) {
    const struct stage_param *q = s->params;
    while (index--)
        q = q->next;
    return q;
}

/* Into place `to` of what the stage makes. */
static void end_unit(struct stage_runner *r, uint64_t to) {
    for (const struct stage_param *q = r->stage->params; q; q = q->next) {
        if (q->role == STAGE_INOUT || (q->role == STAGE_OUT && q->from == NO_INDEX))
            store(r, q->array, to, r->slots[q->slot], SETTLED, q->line);
        else if (q->role == STAGE_OUT)
            for (uint32_t i = 0; i < r->stage->unit && !r->stopped; i++)
                store(r, q->array, to * r->stage->unit + i,
                      input(r, param_at(r->stage, q->from), i, q->line), SETTLED, q->line);
    }
}

static void work_on_unit(struct stage_runner *r) {
    const struct stage_stage *s = r->stage;
    r->within = 0;
    begin_unit(r);
    r->keeps = false;
    if (!r->stopped)
        carry_out(r, s->body);
    if (r->stopped || s->pattern == STAGE_REDUCE)
        return;
    if (s->pattern == STAGE_MAP)
        end_unit(r, r->unit);
    else if (r->keeps)
        end_unit(r, r->kept++);
}

static void begin_results(struct stage_runner *r) {
    for (const struct stage_param *q = r->stage->params; q; q = q->next)
        for (uint32_t i = 0; q->role == STAGE_ACC && i < q->count && !r->stopped; i++)
            r->slots[q->slot + i] =
                q->has ? q->value
                       : load(r, q->array, i, q->unsettled ? ONE_THREAD : SETTLED, q->line);
}

static void store_result(struct stage_runner *r, const struct stage_param *q, uint64_t index,
                         uint64_t value) {
    if (!q->unsettled) {
        store(r, q->array, index, value, SETTLED, q->line);
        return;
    }
    store(r, q->array, index, value, ONE_THREAD, q->line);
    store(r, q->array, index, value, OTHER_THREAD, q->line);
}

static void end_results(struct stage_runner *r) {
    for (const struct stage_param *q = r->stage->params; q && !r->stopped; q = q->next) {
        for (uint32_t i = 0; q->role == STAGE_ACC && i < q->count && !r->stopped; i++)
            store_result(r, q, i, r->slots[q->slot + i]);
        if (q->role == STAGE_COUNT)
            store(r, q->array, 0, stage_normal(q->type, r->kept), SETTLED, q->line);
        if (q->role == STAGE_OUT && r->stage->pattern == STAGE_FILTER) {
            uint32_t length = r->kernel->arrays[q->array]->length;
            r->lengths[length] = r->kept * r->kernel->lengths[length].unit;
        }
    }
}

/* Results are stored one by one, so that each has its thread. */
static void open_arrays(struct stage_runner *r) {
    for (const struct stage_param *q = r->stage->params; q; q = q->next) {
        uint32_t length = r->kernel->arrays[q->array]->length;
        switch (q->role) {
        case STAGE_IN:
            open_view(r, q->array, r->lengths[length], false, q->line);
            if (q->tail != NO_INDEX)
                open_view(r, q->tail, r->stage->overlap, false, q->line);
            break;
        case STAGE_OUT:
        case STAGE_INOUT:
            open_view(r, q->array, r->stage->pattern == STAGE_FILTER ? 0 : r->lengths[length], true,
                      q->line);
            break;
        case STAGE_WHOLE:
            open_view(r, q->array, seen(r, q), false, q->line);
            break;
        default:
            r->views[q->array].bytes = NULL;
        }
    }
}

static bool is_unsettled(const struct stage_stage *s) {
    for (const struct stage_param *q = s->params; q; q = q->next)
        if (q->unsettled)
            return true;
    return false;
}

static void run_stage(struct stage_runner *r, const struct stage_stage *s) {
    uint64_t units = r->lengths[s->length];
    if (s->units != s->length)
        units = stage_units(units, s->unit, r->kernel->lengths[s->units].overlap);
    bool turned = r->launch->descending && is_unsettled(s);
    r->stage = s;
    r->kept = r->unit = 0;
    r->lengths[s->units] = units;
    r->slots = xcalloc((size_t)s->slots + 1, sizeof *r->slots);
    open_arrays(r);
    begin_results(r);
    for (uint64_t i = 0; i < units && !r->stopped; i++) {
        r->unit = turned ? units - 1 - i : i;
        work_on_unit(r);
    }
    r->unit = 0;
    end_results(r);
    free(r->slots);
}

/* ---- launches ---- */

static uint64_t times(uint64_t count, unsigned size) {
    uint64_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? UINT64_MAX : bytes;
}

/* So many bytes of each array the kernel has to do with. */
static void find_extents(struct stage_runner *r) {
    for (const struct stage_stage *s = r->kernel->stages; s; s = s->next)
        for (const struct stage_param *q = s->params; q; q = q->next) {
            struct view *v = &r->views[q->array];
            bool single = q->role == STAGE_ACC || q->role == STAGE_WHOLE;
            uint64_t count = q->role == STAGE_COUNT ? 1
                             : single               ? seen(r, q)
                                      : r->lengths[r->kernel->arrays[q->array]->length];
            uint64_t bytes = times(count, v->size);
            v->extent = bytes > v->extent ? bytes : v->extent;
            v->written |= q->role != STAGE_IN && q->role != STAGE_WHOLE;
            if (q->tail != NO_INDEX && times(s->overlap, v->size) > r->views[q->tail].extent)
                r->views[q->tail].extent = times(s->overlap, v->size);
        }
}

static bool overlap(const struct view *left, const struct view *right) {
    if (left->address > right->address)
        return overlap(right, left);
    return right->extent && right->address - left->address < left->extent;
}

/* What is written must be nobody else's: which element comes first is not said. */
static void check_overlap(struct stage_runner *r) {
    const struct stage_kernel *k = r->kernel;
    for (uint32_t i = 0; i < k->array_count; i++)
        for (uint32_t j = i + 1; j < k->array_count; j++) {
            const struct view *a = &r->views[i], *b = &r->views[j];
            if (k->arrays[i]->parameter != NO_INDEX && k->arrays[j]->parameter != NO_INDEX &&
                (a->written || b->written) && overlap(a, b))
                stop(r, 0,
                     "'%s' and '%s' overlap in memory, and the kernel writes there: it works on "
                     "%" PRIu64 " and %" PRIu64 " bytes of them",
                     k->arrays[i]->text, k->arrays[j]->text, a->extent, b->extent);
        }
}

static void make_own(struct stage_runner *r) {
    const struct stage_kernel *k = r->kernel;
    uint64_t all = 0;
    for (uint32_t i = 0; i < k->array_count && !r->stopped; i++) {
        struct view *v = &r->views[i];
        if (k->arrays[i]->parameter != NO_INDEX)
            continue;
        all = v->extent > MOST_OWN_BYTES ? v->extent : all + v->extent;
        if (all > MOST_OWN_BYTES)
            stop(r, 0,
                 "'%s' takes %" PRIu64 " bytes, and arrays that are no buffers at most %" PRIu64,
                 k->arrays[i]->text, v->extent, MOST_OWN_BYTES);
        else
            v->own = xcalloc((size_t)v->extent + 1, 1);
    }
}

static void take_arguments(struct stage_runner *r) {
    const struct stage_kernel *k = r->kernel;
    for (uint32_t i = 0; i < k->decl->parameter_count; i++) {
        const struct kernel_parameter *p = &k->decl->parameters[i];
        uint32_t bytes = object_parameter_bytes(p);
        for (uint32_t b = 0; b < bytes && b < 8; b++)
            r->scalars[i] |= (uint64_t)r->launch->parameters[k->offsets[i] + b] << 8 * b;
        if (p->kind == PARAMETER_NUMBER)
            r->scalars[i] = stage_normal(p->type, r->scalars[i]);
    }
    for (uint32_t i = 0; i < k->array_count; i++) {
        struct view *v = &r->views[i];
        v->type = k->arrays[i]->type;
        v->size = object_element_bytes(v->type);
        if (k->arrays[i]->parameter != NO_INDEX)
            v->address = r->scalars[k->arrays[i]->parameter];
    }
}

static void begin(struct stage_runner *r) {
    const struct stage_kernel *k = r->kernel;
    uint64_t n = k->length_value;
    take_arguments(r);
    if (k->length_parameter != NO_INDEX) {
        n = r->scalars[k->length_parameter];
        if (k->decl->parameters[k->length_parameter].type.kind == TYPE_INT && (int64_t)n < 0)
            stop(r, 0, "the length is %" PRId64, (int64_t)n);
    }
    if (r->stopped)
        return;
    stage_lengths_most(k, n, r->lengths);
    find_extents(r);
    check_overlap(r);
    make_own(r);
}

static bool goes_on(void *context, uint64_t steps) {
    (void)context, (void)steps;
    return true;
}

bool stage_join(const struct stage_kernel *kernel, const struct stage_stage *stage,
                const uint64_t *scalars, uint64_t *slots, const uint64_t *others,
                struct portable_fault *fault) {
    const struct portable_launch launch = {.go_on = goes_on};
    struct stage_runner r = {.kernel = kernel,
                             .launch = &launch,
                             .fault = fault,
                             .stage = stage,
                             .scalars = (uint64_t *)scalars,
                             .slots = slots,
                             .others = others};
    if (stage->combine) {
        carry_out(&r, stage->combine);
        return !r.stopped;
    }
    for (const struct stage_param *q = stage->params; q; q = q->next)
        for (uint32_t i = 0; q->role == STAGE_ACC && i < q->count; i++)
            slots[q->slot + i] =
                stage_binary(q->fold, q->type, slots[q->slot + i], others[q->slot + i]);
    return true;
}

bool stage_run(const struct stage_kernel *kernel, const struct portable_launch *launch,
               struct portable_fault *fault) {
    struct stage_runner r = {.kernel = kernel, .launch = launch, .fault = fault};
    r.views = xcalloc((size_t)kernel->array_count + 1, sizeof *r.views);
    r.lengths = xcalloc((size_t)kernel->length_count + 1, sizeof *r.lengths);
    r.scalars = xcalloc((size_t)kernel->decl->parameter_count + 1, sizeof *r.scalars);
    if (launch->parameter_bytes < kernel->parameter_bytes)
        stop(&r, 0, "it is called with %zu bytes, and takes %" PRIu32, launch->parameter_bytes,
             kernel->parameter_bytes);
    else
        begin(&r);
    for (const struct stage_stage *s = kernel->stages; s && !r.stopped; s = s->next)
        run_stage(&r, s);
    for (uint32_t i = 0; i < kernel->array_count; i++)
        free(r.views[i].own);
    free(r.views);
    free(r.lengths);
    free(r.scalars);
    return !r.stopped;
}

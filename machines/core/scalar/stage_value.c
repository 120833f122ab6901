/* SPDX-License-Identifier: MIT
 * Expressions of stage kernels as scalar IR.  What an operation means is said by the MPU
 * instruction of its name (run.c), so nothing is written twice; of floats all but signs are called
 * (routines.h). */
#include "machines/core/scalar/routines.h"
#include "machines/core/scalar/run.h"
#include "machines/core/scalar/stage.h"

#include <inttypes.h>

/* Elements among which an index that is data chooses one by one. */
#define MOST_CHOICES 64u
#define FEW_CHOICES  2u

static bool is_wide(struct lane_type t) {
    return t.bits > 32;
}
static scalar_id number(struct scalar_frame *f, struct lane_type t, uint64_t k) {
    return scalar_const(f->g->b, k, is_wide(t));
}

scalar_id scalar_stage_clean(struct scalar_body *b, struct lane_type t, scalar_id a) {
    return t.kind == TYPE_INT ? scalar_signed(b, a, t.bits) : scalar_clean(b, a, t.bits);
}

scalar_id scalar_stage_loaded(struct scalar_body *b, struct lane_type t, scalar_id a) {
    return t.kind == TYPE_BOOL ? scalar_clean(b, a, 1) : a;
}

/* ---- operations ---- */

static const struct {
    enum stage_op op;
    enum isa_op is_unsigned, is_signed, is_float, is_brain;
} instructions[] = {
    {STAGE_NEGATE, OP_NEG, OP_NEG, OP_FNEG, OP_BFNEG},
    {STAGE_INVERT, OP_INV, OP_INV, OP_COUNT, OP_COUNT},
    {STAGE_ABS, OP_MOV, OP_ABS, OP_FABS, OP_BFABS},
    {STAGE_SQRT, OP_COUNT, OP_COUNT, OP_FSQRT, OP_BFSQRT},
    {STAGE_ADD, OP_ADD, OP_ADD, OP_FADD, OP_BFADD},
    {STAGE_SUB, OP_SUB, OP_SUB, OP_FSUB, OP_BFSUB},
    {STAGE_MUL, OP_MUL, OP_MUL, OP_FMUL, OP_BFMUL},
    {STAGE_DIV, OP_QDIV, OP_SDIV, OP_FDIV, OP_BFDIV},
    {STAGE_REM, OP_RDIV, OP_SREM, OP_COUNT, OP_COUNT},
    {STAGE_AND, OP_AND, OP_AND, OP_COUNT, OP_COUNT},
    {STAGE_OR, OP_OR, OP_OR, OP_COUNT, OP_COUNT},
    {STAGE_XOR, OP_XOR, OP_XOR, OP_COUNT, OP_COUNT},
    {STAGE_MIN, OP_MIN, OP_MINS, OP_FMIN, OP_BFMIN},
    {STAGE_MAX, OP_MAX, OP_MAXS, OP_FMAX, OP_BFMAX},
    {STAGE_EQ, OP_CMPEQ, OP_CMPEQ, OP_FCMPEQ, OP_BFCMPEQ},
    {STAGE_LT, OP_CMPLT, OP_CMPLTS, OP_FCMPLT, OP_BFCMPLT},
    {STAGE_LE, OP_CMPLE, OP_CMPLES, OP_FCMPLE, OP_BFCMPLE},
};
static enum isa_op instruction_of(enum stage_op op, struct lane_type t) {
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++)
        if (instructions[i].op == op)
            return t.kind == TYPE_BFLOAT  ? instructions[i].is_brain
                   : t.kind == TYPE_FLOAT ? instructions[i].is_float
                   : t.kind == TYPE_INT   ? instructions[i].is_signed
                                          : instructions[i].is_unsigned;
    return OP_COUNT;
}

static bool is_called(enum stage_op op, struct lane_type type) {
    return object_type_is_float(type) && op != STAGE_NEGATE && op != STAGE_ABS;
}
/* 0: it is not in the IR. */
static scalar_id computed(struct scalar_body *b, enum stage_op op, struct lane_type type,
                          scalar_id a, scalar_id c) {
    const struct insn insn = {
        .op = instruction_of(op, type), .width = type.bits, .rs = 0, .rt = 1, .rd = 2};
    scalar_id r = insn.op == OP_COUNT   ? 0
                  : is_called(op, type) ? scalar_called_operation(b, insn.op, type, a, c)
                                        : scalar_instruction(b, &insn, a, c);
    return r && type.kind == TYPE_BOOL ? scalar_clean(b, r, 1) : r;
}
static scalar_id operation(struct scalar_frame *f, uint32_t line, enum stage_op op,
                           struct lane_type type, scalar_id a, scalar_id c) {
    scalar_id r = computed(f->g->b, op, type, a, c);
    if (r)
        return r;
    scalar_stage_refuse(f->g, line, "'%s' of this type is not in the code of cores",
                        stage_op_text(op));
    return number(f, type, 0);
}

scalar_id scalar_stage_fold(struct scalar_body *b, enum stage_op op, struct lane_type type,
                            scalar_id a, scalar_id c) {
    if (object_type_is_float(type)) {
        a = scalar_clean(b, a, type.bits);
        c = scalar_clean(b, c, type.bits);
    }
    scalar_id r = computed(b, op, type, a, c);
    return r ? scalar_stage_clean(b, type, r) : 0;
}

static scalar_id negation(struct scalar_frame *f, scalar_id mask) {
    return scalar_two(f->g->b, SCALAR_XOR, mask, scalar_const(f->g->b, 1, false));
}

/* A comparison that has no instruction of its own is another one turned, or the contrary. */
static scalar_id compared(struct scalar_frame *f, const struct stage_expr *e, scalar_id a,
                          scalar_id c) {
    const struct lane_type t = e->args[0]->type;
    switch (e->op) {
    case STAGE_NE: {
        scalar_id equal = operation(f, e->line, STAGE_EQ, t, a, c);
        const struct scalar_value *v = scalar_at(f->g->b, equal);
        return v->op == SCALAR_EQ ? scalar_two(f->g->b, SCALAR_NE, v->a, v->b) : negation(f, equal);
    }
    case STAGE_GT:
        return operation(f, e->line, STAGE_LT, t, c, a);
    case STAGE_GE:
        return operation(f, e->line, STAGE_LE, t, c, a);
    default:
        return operation(f, e->line, e->op, t, a, c);
    }
}

/* By as many bits as there are, or more: 0, or the sign. */
static scalar_id shifted(struct scalar_frame *f, const struct stage_expr *e, scalar_id a,
                         scalar_id count) {
    struct scalar_body *b = f->g->b;
    const struct lane_type t = e->args[0]->type;
    scalar_id n = scalar_stage_clean(b, e->args[1]->type, count);
    if (scalar_at(b, n)->wide)
        n = scalar_select(b, scalar_two(b, SCALAR_EQ, scalar_high(b, n), scalar_const(b, 0, false)),
                          scalar_word(b, n), scalar_const(b, 64, false));
    if (e->op == STAGE_SHR)
        a = scalar_stage_clean(b, t, a);
    return scalar_shift_by(b,
                           e->op == STAGE_SHL   ? SCALAR_SHLV
                           : t.kind == TYPE_INT ? SCALAR_SARV
                                                : SCALAR_SHRV,
                           a, n);
}

/* The right operand of && and || is not there where the left one decides. */
static scalar_id joined(struct scalar_frame *f, const struct stage_expr *e) {
    struct scalar_body *b = f->g->b;
    scalar_id left = scalar_stage_value(f, e->args[0]), path = f->path;
    const bool both = e->op == STAGE_BOTH;
    f->path = scalar_stage_both(b, path, both ? left : negation(f, left));
    if (scalar_stage_never(b, f->path)) {
        f->path = path;
        return scalar_const(b, !both, false);
    }
    scalar_id right = scalar_stage_value(f, e->args[1]);
    f->path = path;
    return scalar_two(b, both ? SCALAR_AND : SCALAR_OR, left, right);
}

static scalar_id chosen(struct scalar_frame *f, const struct stage_expr *e) {
    struct scalar_body *b = f->g->b;
    scalar_id mask = scalar_stage_value(f, e->args[0]), path = f->path, values[2];
    for (unsigned i = 0; i < 2; i++) {
        f->path = scalar_stage_both(b, path, i ? negation(f, mask) : mask);
        values[i] = scalar_stage_never(b, f->path) ? number(f, e->type, 0)
                                                   : scalar_stage_value(f, e->args[1 + i]);
    }
    f->path = path;
    return scalar_select(b, mask, values[0], values[1]);
}

/* ---- types ---- */

static scalar_id widened(struct scalar_body *b, struct lane_type from, unsigned bits, scalar_id a) {
    a = scalar_stage_clean(b, from, a);
    if (bits <= 32 || scalar_at(b, a)->wide)
        return a;
    return from.kind == TYPE_INT ? scalar_pair(b, a, scalar_shift(b, SCALAR_SAR, a, 31))
                                 : scalar_fit(b, a, true);
}
static scalar_id converted(struct scalar_frame *f, struct lane_type from, struct lane_type to,
                           scalar_id a) {
    struct scalar_body *b = f->g->b;
    const bool from_float = object_type_is_float(from);
    if (stage_same_type(from, to))
        return a;
    if (object_type_is_float(to) || from_float)
        return scalar_called_conversion(b, from, to,
                                        from_float ? scalar_clean(b, a, from.bits)
                                                   : scalar_stage_clean(b, from, a));
    if (to.kind == TYPE_BOOL) {
        a = scalar_stage_clean(b, from, a);
        return scalar_two(b, SCALAR_NE, a, scalar_const(b, 0, scalar_at(b, a)->wide));
    }
    return to.bits <= from.bits ? scalar_fit(b, a, is_wide(to)) : widened(b, from, to.bits, a);
}

/* ---- elements ---- */

/* Of an array of a body or an accumulator: its elements are in slots from here on. */
uint32_t scalar_stage_slot(const struct stage_name *n) {
    return n->kind == STAGE_PARAM ? n->param->slot : n->slot;
}
const void *scalar_stage_owner(const struct stage_name *n) {
    return n->kind == STAGE_PARAM ? (const void *)n->param : (const void *)n;
}
static bool is_input(const struct stage_name *n) {
    return n->kind == STAGE_PARAM && (n->param->role == STAGE_IN || n->param->role == STAGE_WHOLE);
}
uint32_t scalar_stage_count(const struct stage_name *n) {
    return n->kind == STAGE_PARAM ? n->param->count : n->count;
}

/* A number of the launch as a word: more than a word holds is as good as the most. */
static scalar_id bound_of(struct scalar_frame *f, const struct stage_param *q) {
    struct scalar_body *b = f->g->b;
    const struct lane_type t = f->g->s->kernel->decl->parameters[q->bound].type;
    uint32_t array = scalar_stage_array(f->g->s, SCALAR_NUMBER, q->bound, NULL, t, 1);
    scalar_id n = scalar_stage_clean(b, t, scalar_stage_load(f->g, array, 0));
    if (t.kind == TYPE_INT) {
        scalar_id zero = scalar_const(b, 0, is_wide(t));
        n = scalar_select(b, scalar_two(b, SCALAR_LTS, n, zero), zero, n);
    }
    if (!is_wide(t))
        return n;
    scalar_id small = scalar_two(b, SCALAR_EQ, scalar_high(b, n), scalar_const(b, 0, false));
    return scalar_select(b, small, scalar_word(b, n), scalar_const(b, UINT32_MAX, false));
}

static void note_site(struct scalar_frame *f, const struct stage_expr *e) {
    const struct stage_name *n = e->of;
    const bool bound = n->kind == STAGE_PARAM && n->param->bound != NO_INDEX;
    vec_push(&f->g->s->sites, ((struct scalar_stage_site){
                                  .stage = f->unit->stage,
                                  .line = e->line,
                                  .unit = f->unit->unit,
                                  .name = n,
                                  .type = e->args[0]->type,
                                  .count = bound ? NO_INDEX : scalar_stage_count(n),
                                  .bound = bound ? n->param->bound : NO_INDEX,
                              }));
}

void scalar_stage_stop(struct scalar_frame *f, scalar_id mask, scalar_id value) {
    uint32_t place =
        scalar_stage_array(f->g->s, SCALAR_WRONG, 0, NULL, (struct lane_type){TYPE_UINT, 64}, 1);
    f->g->s->arrays.data[place].stored = true;
    scalar_stop(f->g->b, mask, place, f->g->s->sites.len, value);
}

/* The index as a word below the number of elements: what is not stops the core where the element is
 * there, and is 0 where it is not. */
static scalar_id index_of(struct scalar_frame *f, const struct stage_expr *e) {
    struct scalar_body *b = f->g->b;
    const struct stage_name *n = e->of;
    const bool bound = n->kind == STAGE_PARAM && n->param->bound != NO_INDEX;
    scalar_id index = scalar_stage_clean(b, e->args[0]->type, scalar_stage_value(f, e->args[0]));
    scalar_id count = bound ? bound_of(f, n->param) : scalar_const(b, scalar_stage_count(n), false);
    const bool wide = scalar_at(b, index)->wide;
    scalar_id outside = scalar_two(b, SCALAR_GEU, index, scalar_fit(b, count, wide));
    scalar_id low = scalar_word(b, index), guard = scalar_stage_both(b, f->unit->valid, f->path);
    const struct scalar_value *v = scalar_at(b, low);
    if (scalar_stage_never(b, outside) ||
        (!bound && v->known < 32 && (UINT64_C(1) << v->known) <= scalar_stage_count(n) && !wide))
        return low;
    if (!e->inside) {
        scalar_id stops = scalar_stage_both(b, guard, outside);
        if (!scalar_stage_never(b, stops)) {
            note_site(f, e);
            scalar_stage_stop(f, stops, index);
        }
    }
    /* Behind a stop for sure there is no element, but one has a number. */
    if (!guard && scalar_at(b, outside)->op != SCALAR_CONST)
        return low;
    return scalar_select(b, outside, scalar_const(b, 0, false), low);
}

static bool is_constant(const struct scalar_body *b, scalar_id id, uint32_t *k) {
    const struct scalar_value *v = scalar_at(b, id);
    *k = (uint32_t)v->k;
    return v->op == SCALAR_CONST;
}

/* It lies in memory from now on: the lap is made once more. */
void scalar_stage_want_room(struct scalar_frame *f, const struct stage_name *n) {
    vec_push(&f->g->s->rooms, scalar_stage_owner(n));
    f->g->again = true;
}
static uint32_t room_of(struct scalar_frame *f, const struct stage_name *n) {
    struct scalar_stage *s = f->g->s;
    bool gathers = n->kind == STAGE_PARAM;
    uint32_t array = scalar_stage_array(s, gathers ? SCALAR_GATHERED : SCALAR_ROOM, 0,
                                        scalar_stage_owner(n), n->type, scalar_stage_count(n));
    s->arrays.data[array].loaded = s->arrays.data[array].stored = true;
    return array;
}
static scalar_id address_of(struct scalar_frame *f, uint32_t array, scalar_id index) {
    struct scalar_body *b = f->g->b;
    const uint32_t element = b->element, bytes = f->g->s->arrays.data[array].bytes;
    b->element = 0;
    scalar_id base = scalar_address(b, array);
    b->element = element;
    return scalar_two(b, SCALAR_ADD, base,
                      scalar_shift(b, SCALAR_SHL, index, (unsigned)__builtin_ctz(bytes)));
}

/* One of the first `count` by an index that is data: where it lies, or a choice among them. */
static scalar_id choice(struct scalar_frame *f, const struct stage_expr *e, scalar_id index) {
    struct scalar_body *b = f->g->b;
    const struct stage_param *q = e->of->param;
    uint32_t array, first;
    if (q->count > FEW_CHOICES &&
        scalar_stage_in_memory(f->g, f->unit->stage, f->unit->unit, q, &array, &first)) {
        const unsigned bytes = f->g->s->arrays.data[array].bytes;
        b->element = first;
        scalar_id base = scalar_address(b, array);
        b->element = 0;
        scalar_id offset = scalar_shift(b, SCALAR_SHL, index, (unsigned)__builtin_ctz(bytes));
        return scalar_stage_loaded(b, q->type,
                                   scalar_fetch(b, bytes, scalar_two(b, SCALAR_ADD, base, offset)));
    }
    if (q->count > MOST_CHOICES) {
        scalar_stage_refuse(f->g, e->line,
                            "which of %" PRIu32 " elements of '%s' is seen is data, and code of "
                            "cores chooses among %u",
                            q->count, e->of->text, MOST_CHOICES);
        return number(f, e->type, 0);
    }
    scalar_id value = scalar_stage_input(f->g, f->unit->stage, f->unit->unit, q, 0);
    for (uint32_t i = 1; i < q->count; i++) {
        scalar_id is = scalar_two(b, SCALAR_EQ, index, scalar_const(b, i, false));
        scalar_id one = scalar_stage_input(f->g, f->unit->stage, f->unit->unit, q, i);
        value = scalar_select(b, is, one, value);
    }
    return value;
}

/* Of what nobody changes. */
static scalar_id looked_up(struct scalar_frame *f, uint32_t array, scalar_id index) {
    struct scalar_stage_array *a = &f->g->s->arrays.data[array];
    uint32_t k;
    if (is_constant(f->g->b, index, &k))
        return scalar_stage_load(f->g, array, k);
    a->loaded = true;
    return scalar_stage_loaded(f->g->b, a->type,
                               scalar_lookup(f->g->b, array, a->bytes, 8 * a->bytes, index));
}

scalar_id scalar_stage_held(struct scalar_frame *f, const struct stage_name *n, uint32_t k) {
    scalar_id *slot = &f->unit->slots[scalar_stage_slot(n) + k];
    if (!*slot && n->kind == STAGE_PARAM && n->param->role == STAGE_ACC) {
        const uint32_t array =
            scalar_stage_array(f->g->s, SCALAR_GATHERED, 0, n->param, n->type, n->param->count);
        *slot = scalar_stage_load(f->g, array, k);
    }
    return *slot ? *slot : number(f, n->type, 0);
}

static scalar_id element(struct scalar_frame *f, const struct stage_expr *e) {
    struct scalar_stage *s = f->g->s;
    const struct stage_name *n = e->of;
    scalar_id index = index_of(f, e);
    uint32_t k;
    const bool constant = is_constant(f->g->b, index, &k);
    if (n->kind == STAGE_TABLE && n->constant) {
        if (constant)
            return number(f, e->type, n->elements[k]);
        return looked_up(f, scalar_stage_array(s, SCALAR_TABLE, 0, n, n->type, n->count), index);
    }
    if (is_input(n) && n->param->role == STAGE_WHOLE) {
        const struct stage_param *q = n->param;
        uint32_t array = scalar_stage_array(s, SCALAR_SEEN, q->array, NULL, q->type, q->count);
        if (q->count > s->arrays.data[array].count)
            s->arrays.data[array].count = q->count;
        s->arrays.data[array].bounded |= q->bound != NO_INDEX;
        return looked_up(f, array, index);
    }
    if (is_input(n))
        return constant ? scalar_stage_input(f->g, f->unit->stage, f->unit->unit, n->param, k)
                        : choice(f, e, index);
    if (scalar_stage_has_room(s, scalar_stage_owner(n))) {
        const uint32_t array = room_of(f, n);
        const unsigned bytes = s->arrays.data[array].bytes;
        return scalar_stage_loaded(f->g->b, n->type,
                                   scalar_fetch(f->g->b, bytes, address_of(f, array, index)));
    }
    if (!constant) {
        scalar_stage_want_room(f, n);
        return number(f, e->type, 0);
    }
    return scalar_stage_held(f, n, k);
}

void scalar_stage_assign(struct scalar_frame *f, const struct stage_expr *target, scalar_id value) {
    struct scalar_body *b = f->g->b;
    const struct stage_name *n = target->of;
    uint32_t k = 0;
    if (target->kind == STAGE_ELEMENT) {
        scalar_id index = index_of(f, target);
        if (scalar_stage_has_room(f->g->s, scalar_stage_owner(n))) {
            const uint32_t array = room_of(f, n), bytes = f->g->s->arrays.data[array].bytes;
            scalar_put(b, f->path, bytes, address_of(f, array, index),
                       scalar_stage_clean(b, n->type, value));
            return;
        }
        if (!is_constant(b, index, &k)) {
            scalar_stage_want_room(f, n);
            return;
        }
    }
    scalar_id *slot = &f->unit->slots[scalar_stage_slot(n) + k];
    if (f->path) {
        scalar_id old = *slot;
        if (!old && target->kind == STAGE_ELEMENT)
            old = element(f, target);
        old = old ? old : number(f, target->type, 0);
        value = scalar_select(b, f->path, value, old);
    }
    *slot = value;
}

/* ---- all ---- */

static scalar_id named(struct scalar_frame *f, const struct stage_expr *e) {
    const struct stage_name *n = e->of;
    if (n->kind == STAGE_SCALAR) {
        uint32_t array = scalar_stage_array(f->g->s, SCALAR_NUMBER, n->parameter, NULL, n->type, 1);
        return scalar_stage_load(f->g, array, 0);
    }
    if (n->constant && n->elements)
        return number(f, e->type, n->elements[0]);
    scalar_id v = f->unit->slots[n->slot];
    return v ? v : number(f, e->type, 0);
}

static scalar_id binary(struct scalar_frame *f, const struct stage_expr *e) {
    if (e->op == STAGE_BOTH || e->op == STAGE_EITHER)
        return joined(f, e);
    const struct lane_type t = e->args[0]->type;
    scalar_id a = scalar_stage_value(f, e->args[0]), c = scalar_stage_value(f, e->args[1]);
    if (e->op == STAGE_SHL || e->op == STAGE_SHR)
        return shifted(f, e, a, c);
    if (object_type_is_float(t)) {
        a = scalar_clean(f->g->b, a, t.bits);
        c = scalar_clean(f->g->b, c, t.bits);
    }
    return e->op >= STAGE_EQ ? compared(f, e, a, c) : operation(f, e->line, e->op, t, a, c);
}

scalar_id scalar_stage_value(struct scalar_frame *f, const struct stage_expr *e) {
    if (f->g->failed || f->g->again)
        return number(f, e->type, 0);
    switch (e->kind) {
    case STAGE_NUMBER:
        return number(f, e->type, e->value);
    case STAGE_NAME:
        return named(f, e);
    case STAGE_ELEMENT:
        return element(f, e);
    case STAGE_UNARY: {
        scalar_id a = scalar_stage_value(f, e->args[0]);
        return e->op == STAGE_NOT ? negation(f, a)
                                  : operation(f, e->line, e->op, e->args[0]->type,
                                              scalar_clean(f->g->b, a, e->args[0]->type.bits), 0);
    }
    case STAGE_CAST:
        return converted(f, e->args[0]->type, e->type, scalar_stage_value(f, e->args[0]));
    case STAGE_CHOICE:
        return chosen(f, e);
    default:
        return binary(f, e);
    }
}

/* SPDX-License-Identifier: MIT
 * Carries out a body: loops are unrolled, conditions decided, names bound to places. */
#include "recipe/expand.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum binding_kind {
    UNBOUND,
    BOUND_INT,
    BOUND_REG,
    BOUND_SCRATCH,
    BOUND_CARRY,
    BOUND_PLACE,
    BOUND_OUT
};

/* A scratch name means one value in each section. */
struct section_value {
    uint16_t section;
    uint32_t value;
};

struct frame;
struct binding {
    enum binding_kind kind;
    int64_t number;                   /* INT */
    uint32_t place;                   /* PLACE */
    uint8_t field;                    /* REG */
    uint16_t carry;                   /* CARRY: direction << 8 | number */
    bool by_let;
    VEC(struct section_value) values; /* SCRATCH */
    struct frame *frame;              /* OUT: where `target` is to be written */
    const struct expr *target;
};

/* One activation of the recipe or of a sub. */
struct frame {
    const struct unit *unit;
    struct frame *caller;
    struct binding *bindings;
    unsigned depth;
};

/* When (after how many micro-ops, plus 1) a carry was last written into the buffer of a section,
 * and last handed on from it. */
struct carry_state {
    uint32_t stmt_id;
    bool down;
    uint32_t written[64], handed[64];
};

struct prior_uop {
    uint64_t path;
    uint32_t index;
};

/* A pipelined loop: micro-ops of the iteration before, and of this one. */
struct lap {
    VEC(struct prior_uop) before, now;
    size_t next; /* in `before` */
};

struct machine {
    struct expansion *x;
    struct frame *frame;
    int section;
    bool in_section; /* inside a loop or an `at`: the section is meant */
    uint64_t path;
    struct lap *lap;
    uint32_t steps;
    struct carry_state *carries[2]; /* [direction][MAX_CARRIES] */
    unsigned carry_count[2];
    uint64_t written[3]; /* bits of rs, rt, rd that have been written */
    bool wrote_c, wrote_m;
    bool failed;
};

/* --- messages --- */

void recipe_error(struct diag *d, const struct recipe_file *file, struct span at,
                  const char *format, ...) {
    if (!d)
        return;
    va_list args;
    va_start(args, format);
    if (file)
        at.source = diag_source(d, file->name, file->text, file->size);
    diag_verror(d, at, format, args);
    va_end(args);
}

static void expansion_verror(const struct expansion *x, const struct unit *u, struct span at,
                             const char *format, va_list args) {
    if (!x->diag)
        return;
    struct arena scratch = {0};
    const struct unit *whole = &x->recipe->unit;
    recipe_error(x->diag, u->file, at, "%s: %s", whole->name,
                 arena_vprintf(&scratch, format, args));
    struct span head = whole->at;
    if (whole->file)
        head.source = diag_source(x->diag, whole->file->name, whole->file->text, whole->file->size);
    diag_note(x->diag, head, "at width %u", x->w);
    arena_free(&scratch);
}

void expansion_error(const struct expansion *x, const struct unit *u, struct span at,
                     const char *format, ...) {
    va_list args;
    va_start(args, format);
    expansion_verror(x, u, at, format, args);
    va_end(args);
}

/* Reports the first error of an expansion; always false. */
__attribute__((format(printf, 3, 4))) static bool fail(struct machine *m, struct span at,
                                                       const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (!m->failed)
        expansion_verror(m->x, m->frame->unit, at, format, args);
    va_end(args);
    m->failed = true;
    return false;
}

/* --- integers --- */

static struct binding *binding_of(struct machine *m, const struct expr *e) {
    return &m->frame->bindings[e->ref];
}

/* Bit of an immediate: those beyond its own are copies of its sign. */
static int64_t immediate_bit(int64_t number, int64_t bit) {
    return number >> (bit > 63 ? 63 : bit) & 1;
}

static bool eval(struct machine *m, const struct expr *e, int64_t *v);

static bool eval_name(struct machine *m, const struct expr *e, int64_t *v) {
    const struct binding *b = binding_of(m, e);
    if (b->kind != BOUND_INT)
        return fail(m, e->at, "'%s' is not a number", e->name);
    *v = b->number;
    if (e->kind == EXPR_NAME)
        return true;
    if (e->kind == EXPR_AT)
        return fail(m, e->at, "'%s' is a number: it has no sections", e->name);
    int64_t bit;
    if (!eval(m, e->args[0], &bit))
        return false;
    if (bit < 0)
        return fail(m, e->args[0]->at, "bit %lld of '%s'", (long long)bit, e->name);
    *v = immediate_bit(b->number, bit);
    return true;
}

/* && and || leave the right side alone where the left decides. */
static bool eval_binary(struct machine *m, const struct expr *e, int64_t *v) {
    int64_t b = 0;
    if (!eval(m, e->args[0], v))
        return false;
    if ((e->op == MARK2('&', '&') && !*v) || (e->op == MARK2('|', '|') && *v)) {
        *v = *v != 0;
        return true;
    }
    if (!eval(m, e->args[1], &b))
        return false;
    return expr_binary(e->op, *v, b, v) ||
           fail(m, e->at, "not a number: a division by zero, an overflow or a shift by too much");
}

static bool eval(struct machine *m, const struct expr *e, int64_t *v) {
    switch (e->kind) {
    case EXPR_NUMBER:
        *v = e->number;
        return true;
    case EXPR_UNARY:
        if (!eval(m, e->args[0], v))
            return false;
        *v = e->op == '!' ? !*v : e->op == '~' ? ~*v : *v == INT64_MIN ? *v : -*v;
        return true;
    case EXPR_BINARY:
        return eval_binary(m, e, v);
    case EXPR_CALL:
        return fail(m, e->at, "a micro-op is not a number");
    default:
        return eval_name(m, e, v);
    }
}

static int sections_of(const struct machine *m) {
    return (int)m->x->set->target->sections;
}

static bool eval_section(struct machine *m, const struct expr *e, int *section) {
    int64_t v;
    if (!eval(m, e, &v))
        return false;
    if (v < 0 || v >= (m->x->w > 1 ? (int64_t)m->x->w : 1))
        return fail(m, e->at, "section %lld lies outside of bits 0 .. %u", (long long)v,
                    m->x->w - 1);
    *section = (int)(v % sections_of(m));
    return true;
}

/* --- places that are read --- */

bool place_is_written(const struct expansion *x, uint8_t field) {
    static const uint32_t flags[] = {WRITES_RS, WRITES_RT, WRITES_RD, WRITES_C, WRITES_M};
    return x->info->flags & flags[field];
}

static bool field_is_read(const struct expansion *x, uint8_t field) {
    static const uint32_t flags[] = {READS_RS, READS_RT, READS_RD, READS_C, READS_M};
    return x->info->flags & flags[field];
}

/* ZEXT and SEXT read their source at its own width. */
static unsigned source_bits(const struct expansion *x, uint8_t field) {
    for (unsigned i = 0; field == FIELD_RS && i < x->info->operand_count; i++)
        if (x->info->operands[i] == ROLE_SRCWIDTH && x->insn->imm >= 1 && x->insn->imm <= 64)
            return (unsigned)x->insn->imm;
    return x->w;
}

static bool register_bit(struct machine *m, const struct expr *e, const struct binding *b,
                         unsigned bits, uint32_t *place) {
    int64_t bit;
    if (e->kind != EXPR_INDEX)
        return fail(m, e->at, "'%s' is a register: say which bit, like %s[j]", e->name, e->name);
    if (!eval(m, e->args[0], &bit))
        return false;
    if (bit < 0 || bit >= bits)
        return fail(m, e->at, "bit %lld of '%s', which has bits 0 .. %u", (long long)bit, e->name,
                    bits - 1);
    *place = PLACE(PLANE_REGISTER, (uint32_t)b->field << 6 | (uint32_t)bit);
    return true;
}

static bool read_register(struct machine *m, const struct expr *e, const struct binding *b,
                          uint32_t *place) {
    if (!register_bit(m, e, b, source_bits(m->x, b->field), place))
        return false;
    if (!field_is_read(m->x, b->field) && !(m->written[b->field] >> (*place & 63) & 1))
        return fail(m, e->at, "bit %u of '%s' is read before it is written", *place & 63, e->name);
    return true;
}

static const struct section_value *value_in(const struct binding *b, int section) {
    for (size_t i = 0; i < b->values.len; i++)
        if (b->values.data[i].section == section)
            return &b->values.data[i];
    return NULL;
}

static bool read_scratch(struct machine *m, const struct expr *e, const struct binding *b,
                         int section, uint32_t *place) {
    const struct section_value *v = value_in(b, section);
    if (!v)
        return fail(m, e->at, "'%s' is read in section %d before it is written there", e->name,
                    section);
    *place = PLACE(PLANE_SCRATCH, v->value);
    return true;
}

static bool read_carry(struct machine *m, const struct expr *e, const struct binding *b,
                       int section, uint32_t *place) {
    const struct carry_state *c = &m->carries[b->carry >> 8][b->carry & 0xff];
    if (!c->written[section])
        return fail(m, e->at, "carry '%s' has not come into section %d", e->name, section);
    if (e->kind == EXPR_NAME && c->handed[section] > c->written[section])
        return fail(m, e->at, "carry '%s' has been handed on; the one that came in is '%s@section'",
                    e->name, e->name);
    *place = PLACE(PLANE_BUFFER, (uint32_t)section << 16 | b->carry);
    return true;
}

static bool read_fixed(struct machine *m, const struct expr *e, uint32_t *place) {
    uint8_t field = e->ref == SYMBOL_C ? FIELD_C : FIELD_M;
    if (e->kind != EXPR_NAME)
        return fail(m, e->at, "'%s' is one bit and belongs to no section", e->name);
    switch (e->ref) {
    case SYMBOL_VALID:
        *place = PLACE(PLANE_VALID, 0);
        return true;
    case SYMBOL_ZERO:
    case SYMBOL_ONE:
        *place = PLACE(PLANE_CONST, e->ref == SYMBOL_ONE);
        return true;
    case SYMBOL_C:
    case SYMBOL_M:
        if (!field_is_read(m->x, field) && !(field == FIELD_C ? m->wrote_c : m->wrote_m))
            return fail(m, e->at, "'%s' is no input of this instruction", e->name);
        *place = PLACE(field == FIELD_C ? PLANE_C : PLANE_M, 0);
        return true;
    default:
        return fail(m, e->at, "a number stands where a place is meant");
    }
}

static bool read_place(struct machine *m, const struct expr *e, uint32_t *place);

/* An output of a sub is read where its caller has it. */
static bool read_out(struct machine *m, const struct binding *b, uint32_t *place) {
    struct frame *here = m->frame;
    m->frame = b->frame;
    bool fine = read_place(m, b->target, place);
    m->frame = here;
    return fine;
}

static bool read_bound(struct machine *m, const struct expr *e, const struct binding *b,
                       uint32_t *place) {
    int section = m->section;
    if (e->kind == EXPR_AT && !eval_section(m, e->args[0], &section))
        return false;
    if (b->kind == BOUND_REG)
        return read_register(m, e, b, place);
    if (e->kind == EXPR_INDEX)
        return fail(m, e->at, "'%s' is one bit, not a register", e->name);
    switch (b->kind) {
    case BOUND_SCRATCH:
        return read_scratch(m, e, b, section, place);
    case BOUND_CARRY:
        return read_carry(m, e, b, section, place);
    case BOUND_PLACE:
        *place = b->place;
        return true;
    case BOUND_OUT:
        return read_out(m, b, place);
    case BOUND_INT:
        return fail(m, e->at, "'%s' is a number, not a place", e->name);
    default:
        return fail(m, e->at, "'%s' is read before it is written", e->name);
    }
}

static bool read_place(struct machine *m, const struct expr *e, uint32_t *place) {
    if (e->kind != EXPR_NAME && e->kind != EXPR_INDEX && e->kind != EXPR_AT)
        return fail(m, e->at, "expected a place: a bit of a register, a name, zero or one");
    const struct binding *b = binding_of(m, e);
    if (b->kind == UNBOUND && e->ref < SYMBOL_FIXED)
        return read_fixed(m, e, place);
    return read_bound(m, e, b, place);
}

/* --- places that are written --- */

static bool write_register(struct machine *m, const struct expr *e, const struct binding *b,
                           uint32_t *place) {
    if (!place_is_written(m->x, b->field))
        return fail(m, e->at, "'%s' is a source of this instruction: it must stay as it is",
                    e->name);
    if (!register_bit(m, e, b, m->x->w, place))
        return false;
    m->written[b->field] |= (uint64_t)1 << (*place & 63);
    return true;
}

static uint32_t new_value(struct machine *m, int section) {
    struct value v = {.section = (uint16_t)section, .last_use = (uint32_t)m->x->list.uops.len};
    vec_push(&m->x->list.values, v);
    return (uint32_t)m->x->list.values.len - 1;
}

/* `keep`: the op also reads the old value, which must be there and stays the same value. */
static bool write_scratch(struct machine *m, const struct expr *e, struct binding *b, bool keep,
                          uint32_t *place) {
    if (e->kind != EXPR_NAME)
        return fail(m, e->at, "a name is written in the section at work, without index or '@'");
    b->kind = BOUND_SCRATCH;
    if (keep)
        return read_scratch(m, e, b, m->section, place);
    uint32_t value = new_value(m, m->section);
    *place = PLACE(PLANE_SCRATCH, value);
    for (size_t i = 0; i < b->values.len; i++)
        if (b->values.data[i].section == m->section) {
            b->values.data[i].value = value;
            return true;
        }
    struct section_value v = {(uint16_t)m->section, value};
    vec_push(&b->values, v);
    return true;
}

/* c = BUF(x) hands c to the next section in its direction. */
static bool write_carry(struct machine *m, const struct expr *e, const struct binding *b,
                        uint32_t *place) {
    struct carry_state *c = &m->carries[b->carry >> 8][b->carry & 0xff];
    int to = m->section + (c->down ? -1 : 1);
    if (e->kind != EXPR_NAME)
        return fail(m, e->at, "a carry is handed to the neighbour: write it without '@'");
    if (to < 0 || to >= sections_of(m) || to >= (int)m->x->w)
        return fail(m, e->at, "carry '%s' is handed beyond section %d, the last one", e->name,
                    m->section);
    uint32_t now = (uint32_t)m->x->list.uops.len + 1;
    c->handed[m->section] = now;
    c->written[to] = now;
    *place = PLACE(PLANE_BUFFER, (uint32_t)to << 16 | b->carry);
    return true;
}

static bool write_latch(struct machine *m, const struct expr *e, uint32_t *place) {
    bool c = e->ref == SYMBOL_C;
    if (e->kind != EXPR_NAME || (!c && e->ref != SYMBOL_M))
        return fail(m, e->at, "'%s' cannot be written", e->name);
    if (!place_is_written(m->x, c ? FIELD_C : FIELD_M))
        return fail(m, e->at, "'%s' is no result of this instruction", e->name);
    if (c)
        m->wrote_c = true;
    else
        m->wrote_m = true;
    *place = PLACE(c ? PLANE_C : PLANE_M, 0);
    return true;
}

static bool write_place(struct machine *m, const struct expr *e, bool keep, uint32_t *place) {
    struct binding *b = binding_of(m, e);
    if (e->ref < SYMBOL_FIXED && b->kind == UNBOUND)
        return write_latch(m, e, place);
    switch (b->kind) {
    case BOUND_REG:
        return write_register(m, e, b, place);
    case BOUND_CARRY:
        return write_carry(m, e, b, place);
    case UNBOUND:
    case BOUND_SCRATCH:
        return write_scratch(m, e, b, keep, place);
    case BOUND_OUT: {
        if (e->kind != EXPR_NAME)
            return fail(m, e->at, "'%s' is one bit", e->name);
        struct frame *here = m->frame;
        m->frame = b->frame;
        bool fine = write_place(m, b->target, keep, place);
        m->frame = here;
        return fine;
    }
    default:
        return fail(m, e->at, "'%s' is not a place that can be written", e->name);
    }
}

/* --- micro-ops --- */

static int class_of_row(const struct target *t, bool scratch, int value) {
    for (uint32_t i = 0; i < t->row_class_count; i++) {
        const struct row_class *c = &t->row_classes[i];
        if (value >= 0 ? c->value == value : (scratch ? c->scratch : c->registers))
            return (int)i;
    }
    return -1;
}

struct where_place place_of(const struct expansion *x, uint32_t place, int here) {
    const struct target *t = x->set->target;
    uint32_t payload = PLACE_PAYLOAD(place);
    switch (PLANE_CLASS(place)) {
    case PLANE_REGISTER:
        return (struct where_place){class_of_row(t, false, -1),
                                    (int)((payload & 63) % t->sections)};
    case PLANE_SCRATCH:
        return (struct where_place){class_of_row(t, true, -1),
                                    x->list.values.data[payload].section};
    case PLANE_CONST:
        return (struct where_place){class_of_row(t, false, (int)payload), here};
    case PLANE_BUFFER:
        return (struct where_place){CLASS_BUFFER, (int)(payload >> 16)};
    case PLANE_C:
        return (struct where_place){CLASS_C, -1};
    case PLANE_M:
        return (struct where_place){CLASS_M, -1};
    default:
        return (struct where_place){CLASS_VALID, -1};
    }
}

static bool op_allows(const struct expansion *x, const struct target_op *op, const uint32_t *src,
                      const uint32_t *dst, int here) {
    struct where_place places[OP_MAX_SOURCES + OP_MAX_DESTS];
    for (unsigned i = 0; i < op->nsrc; i++)
        places[i] = place_of(x, src[i], here);
    for (unsigned i = 0; i < op->ndst; i++)
        places[op->nsrc + i] = place_of(x, dst[i], here);
    return where_holds(op->where, places, here);
}

int find_copy(const struct expansion *x, uint32_t from, uint32_t to, int here) {
    const struct target *t = x->set->target;
    for (uint32_t i = 0; i < t->op_count; i++) {
        const struct target_op *op = &t->ops[i];
        if (op->nsrc == 1 && op->ndst == 1 && !op->reads_old && op->truth[0] == 2 &&
            op_allows(x, op, &from, &to, here))
            return (int)i;
    }
    return -1;
}

/* The same micro-op of the iteration before, if that one worked in a neighbouring section. */
static uint32_t find_counterpart(struct machine *m) {
    struct lap *lap = m->lap;
    if (!lap)
        return NO_UOP;
    for (size_t i = lap->next; i < lap->before.len; i++) {
        if (lap->before.data[i].path != m->path)
            continue;
        lap->next = i + 1;
        uint32_t index = lap->before.data[i].index;
        int distance = m->x->list.uops.data[index].section - m->section;
        return distance == 1 || distance == -1 ? index : NO_UOP;
    }
    return NO_UOP;
}

static void touch(struct machine *m, const uint32_t *places, unsigned count, uint32_t index) {
    for (unsigned i = 0; i < count; i++)
        if (PLANE_CLASS(places[i]) == PLANE_SCRATCH)
            m->x->list.values.data[PLACE_PAYLOAD(places[i])].last_use = index;
}

static bool check_constants(struct machine *m, struct span at, const uint32_t *src, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (PLANE_CLASS(src[i]) == PLANE_CONST &&
            class_of_row(m->x->set->target, false, (int)PLACE_PAYLOAD(src[i])) < 0)
            return fail(m, at, "target '%s' has no row of constant %u", m->x->set->target->name,
                        PLACE_PAYLOAD(src[i]));
    return true;
}

static bool emit(struct machine *m, const struct stmt *s, uint32_t kind, const uint32_t *src,
                 const uint32_t *dst) {
    const struct target_op *op = &m->x->set->target->ops[kind];
    struct sym_uop u = {.kind = (uint16_t)kind,
                        .section = (uint16_t)m->section,
                        .nsrc = op->nsrc,
                        .ndst = op->ndst,
                        .path = m->path,
                        .stmt = s,
                        .unit = m->frame->unit};
    memcpy(u.src, src, op->nsrc * sizeof *src);
    memcpy(u.dst, dst, op->ndst * sizeof *dst);
    uint32_t index = (uint32_t)m->x->list.uops.len;
    if (!check_constants(m, s->at, src, op->nsrc))
        return false;
    if (index == MAX_MICRO_OPS)
        return fail(m, s->at, "more than %u micro-ops", MAX_MICRO_OPS);
    if (!op_allows(m->x, op, src, dst, m->section))
        return fail(m, s->at, "%s in section %d may not work on these places ('where')", op->name,
                    m->section);
    u.counterpart = find_counterpart(m);
    touch(m, src, op->nsrc, index);
    touch(m, dst, op->ndst, index);
    vec_push(&m->x->list.uops, u);
    if (m->lap) {
        struct prior_uop p = {m->path, index};
        vec_push(&m->lap->now, p);
    }
    return true;
}

/* --- statements --- */

static bool run(struct machine *m, const struct stmt *s);

static uint64_t mix(uint64_t path, uint64_t with) {
    uint64_t state = path ^ (with + 1) * 0xd1342543de82ef95u;
    return splitmix64(&state);
}

static bool run_op(struct machine *m, const struct stmt *s, const struct expr *call,
                   const struct expr *const *targets, unsigned target_count) {
    const struct target_op *op = &m->x->set->target->ops[call->ref];
    uint32_t src[UOP_MAX], dst[UOP_MAX];
    if (call->count != op->nsrc)
        return fail(m, call->at, "%s takes %u operand%s, not %u", op->name, op->nsrc,
                    op->nsrc == 1 ? "" : "s", call->count);
    if (target_count != op->ndst)
        return fail(m, s->at, "%s has %u result%s, not %u", op->name, op->ndst,
                    op->ndst == 1 ? "" : "s", target_count);
    for (unsigned i = 0; i < op->nsrc; i++)
        if (!read_place(m, call->args[i], &src[i]))
            return false;
    for (unsigned i = 0; i < op->ndst; i++)
        if (!write_place(m, targets[i], op->reads_old, &dst[i]))
            return false;
    return emit(m, s, call->ref, src, dst);
}

/* What a sub's operand stands for: a number, a register, a carry, or one place. */
static bool bind_argument(struct machine *m, const struct expr *e, struct binding *to) {
    bool named = e->kind == EXPR_NAME || e->kind == EXPR_INDEX || e->kind == EXPR_AT;
    const struct binding *b = named ? binding_of(m, e) : NULL;
    if (!named || b->kind == BOUND_INT) {
        to->kind = BOUND_INT;
        return eval(m, e, &to->number);
    }
    if (e->kind == EXPR_NAME && (b->kind == BOUND_REG || b->kind == BOUND_CARRY)) {
        *to = *b;
        return true;
    }
    to->kind = BOUND_PLACE;
    return read_place(m, e, &to->place);
}

static struct binding *new_bindings(const struct unit *u) {
    return xcalloc(u->scope.count + 1, sizeof(struct binding));
}

static void free_bindings(const struct unit *u, struct binding *b) {
    for (uint32_t i = 0; i < u->scope.count; i++)
        if (b[i].kind == BOUND_SCRATCH)
            vec_free(&b[i].values);
    free(b);
}

static bool bind_sub(struct machine *m, const struct stmt *s, const struct expr *call,
                     const struct expr *const *targets, unsigned target_count, const struct unit *u,
                     struct binding *b) {
    if (call->count != u->in_count)
        return fail(m, call->at, "sub '%s' takes %u operands, not %u", u->name, u->in_count,
                    call->count);
    if (target_count != u->out_count)
        return fail(m, s->at, "sub '%s' has %u results, not %u", u->name, u->out_count,
                    target_count);
    b[SYMBOL_W] = m->frame->bindings[SYMBOL_W];
    for (unsigned i = 0; i < u->in_count; i++)
        if (!bind_argument(m, call->args[i], &b[u->in[i].symbol]))
            return false;
    for (unsigned i = 0; i < u->out_count; i++)
        b[u->out[i].symbol] =
            (struct binding){.kind = BOUND_OUT, .frame = m->frame, .target = targets[i]};
    return true;
}

static bool run_sub(struct machine *m, const struct stmt *s, const struct expr *call,
                    const struct expr *const *targets, unsigned target_count) {
    const struct unit *u = &m->x->set->ast.subs.data[call->ref - SUB_REF]->unit;
    struct frame f = {.unit = u, .caller = m->frame, .depth = m->frame->depth + 1};
    if (u->broken)
        return !(m->failed = true);
    if (f.depth > MAX_CALLS)
        return fail(m, call->at, "subs call one another more than %d deep: '%s' calls itself?",
                    MAX_CALLS, u->name);
    f.bindings = new_bindings(u);
    bool fine = bind_sub(m, s, call, targets, target_count, u, f.bindings);
    if (fine) {
        uint64_t path = m->path;
        m->frame = &f;
        m->path = mix(path, s->id);
        fine = run(m, u->body);
        m->frame = f.caller;
        m->path = path;
    }
    free_bindings(u, f.bindings);
    return fine;
}

static bool run_call(struct machine *m, const struct stmt *s, const struct expr *call,
                     const struct expr *const *targets, unsigned target_count) {
    if (call->ref >= SUB_REF)
        return run_sub(m, s, call, targets, target_count);
    uint64_t path = m->path;
    m->path = mix(path, s->id);
    bool fine = run_op(m, s, call, targets, target_count);
    m->path = path;
    return fine;
}

/* The carry of this statement: the same one each time it is met. */
static bool find_carry(struct machine *m, const struct stmt *s, uint16_t *carry) {
    struct carry_state *list = m->carries[s->down];
    unsigned i = 0;
    while (i < m->carry_count[s->down] && list[i].stmt_id != s->id)
        i++;
    if (i == MAX_CARRIES)
        return fail(m, s->at, "more than %d carries", MAX_CARRIES);
    if (i == m->carry_count[s->down]) {
        list[i].stmt_id = s->id;
        list[i].down = s->down;
        m->carry_count[s->down]++;
    }
    *carry = (uint16_t)(s->down << 8 | i);
    return true;
}

/* The first value goes into the buffer of the section itself. */
static bool start_carry(struct machine *m, const struct stmt *s, const struct binding *b) {
    struct carry_state *c = &m->carries[b->carry >> 8][b->carry & 0xff];
    const struct expr *call = s->value->kind == EXPR_CALL ? s->value : NULL;
    uint32_t src[UOP_MAX] = {0}, dst = PLACE(PLANE_BUFFER, (uint32_t)m->section << 16 | b->carry);
    int kind;
    if (call) {
        kind = (int)call->ref;
        if (call->ref >= SUB_REF)
            return fail(m, call->at, "a carry begins with an operand or a micro-op");
        const struct target_op *op = &m->x->set->target->ops[kind];
        if (op->nsrc != call->count || op->ndst != 1)
            return fail(m, call->at, "%s does not take these operands", op->name);
        for (unsigned i = 0; i < op->nsrc; i++)
            if (!read_place(m, call->args[i], &src[i]))
                return false;
    } else {
        if (!read_place(m, s->value, &src[0]))
            return false;
        if ((kind = find_copy(m->x, src[0], dst, m->section)) < 0)
            return fail(m, s->at, "target '%s' has no micro-op that copies this into a buffer",
                        m->x->set->target->name);
    }
    c->written[m->section] = (uint32_t)m->x->list.uops.len + 1;
    m->path = mix(m->path, s->id);
    return emit(m, s, (uint32_t)kind, src, &dst);
}

static bool run_carry(struct machine *m, const struct stmt *s) {
    struct binding *b = binding_of(m, s->targets[0]);
    uint16_t carry = 0;
    if (s->targets[0]->ref < SYMBOL_FIXED || (b->kind != UNBOUND && b->kind != BOUND_CARRY))
        return fail(m, s->targets[0]->at, "'%s' is already something else", s->targets[0]->name);
    if (!find_carry(m, s, &carry))
        return false;
    b->kind = BOUND_CARRY;
    b->carry = carry;
    if (!s->value)
        return true;
    int section = m->section;
    uint64_t path = m->path;
    bool fine = true;
    if (s->first)
        fine = eval_section(m, s->first, &m->section);
    else if (!m->in_section)
        m->section = s->down ? (int)((m->x->w - 1) % (unsigned)sections_of(m)) : 0;
    fine = fine && start_carry(m, s, b);
    m->section = section;
    m->path = path;
    return fine;
}

static bool run_let(struct machine *m, const struct stmt *s) {
    struct binding *b = binding_of(m, s->targets[0]), made = {0};
    if (s->targets[0]->ref < SYMBOL_FIXED || (b->kind != UNBOUND && !b->by_let))
        return fail(m, s->targets[0]->at, "'%s' is already something else", s->targets[0]->name);
    if (!bind_argument(m, s->value, &made))
        return false;
    if (made.kind == BOUND_CARRY) {
        made.kind = BOUND_PLACE; /* the carry as it comes in here and now */
        if (!read_place(m, s->value, &made.place))
            return false;
    }
    made.by_let = true;
    *b = made;
    return true;
}

static bool run_if(struct machine *m, const struct stmt *s) {
    int64_t v;
    return eval(m, s->value, &v) && run(m, v ? s->body : s->otherwise);
}

static bool run_at(struct machine *m, const struct stmt *s) {
    int section = m->section;
    bool in_section = m->in_section;
    bool fine = eval_section(m, s->first, &m->section);
    m->in_section = true;
    fine = fine && run(m, s->body);
    m->section = section;
    m->in_section = in_section;
    return fine;
}

static bool run_lap(struct machine *m, const struct stmt *s, int64_t v) {
    uint64_t path = m->path;
    struct binding *b = binding_of(m, s->targets[0]);
    *b = (struct binding){.kind = BOUND_INT, .number = v};
    if (s->serial) {
        m->path = mix(mix(path, s->id), (uint64_t)v);
    } else {
        if (v < 0 || v >= m->x->w)
            return fail(m, s->at,
                        "a pipelined loop runs over sections, and %lld lies outside of "
                        "bits 0 .. %u; write 'serial for'",
                        (long long)v, m->x->w - 1);
        m->section = (int)(v % sections_of(m));
        m->lap->before.len = 0;
        for (size_t i = 0; i < m->lap->now.len; i++)
            vec_push(&m->lap->before, m->lap->now.data[i]);
        m->lap->now.len = m->lap->next = 0;
    }
    bool fine = run(m, s->body);
    m->path = path;
    return fine;
}

static bool run_laps(struct machine *m, const struct stmt *s, int64_t first, int64_t last) {
    int64_t step = s->down ? -1 : 1;
    for (int64_t v = first; s->down ? v >= last : v <= last; v += step) {
        if (++m->steps > MAX_STEPS)
            return fail(m, s->at, "the loop does not end within %u statements", MAX_STEPS);
        if (!run_lap(m, s, v))
            return false;
        if (v == last)
            break; /* also where the next number would not fit */
    }
    return true;
}

static bool run_for(struct machine *m, const struct stmt *s) {
    int64_t first, last;
    struct binding *b = binding_of(m, s->targets[0]);
    if (s->targets[0]->ref < SYMBOL_FIXED || b->kind != UNBOUND)
        return fail(m, s->targets[0]->at, "'%s' is already something else", s->targets[0]->name);
    if (!eval(m, s->first, &first) || !eval(m, s->last, &last))
        return false;
    struct lap lap = {0}, *outer = m->lap;
    int section = m->section;
    bool in_section = m->in_section;
    if (!s->serial) {
        m->lap = &lap;
        m->in_section = true;
    }
    bool fine = run_laps(m, s, first, last);
    *b = (struct binding){0};
    m->lap = outer;
    m->section = section;
    m->in_section = in_section;
    vec_free(&lap.before);
    vec_free(&lap.now);
    return fine;
}

static bool run_stmt(struct machine *m, const struct stmt *s) {
    switch (s->kind) {
    case STMT_CALL:
        return run_call(m, s, s->value, (const struct expr *const *)s->targets, s->target_count);
    case STMT_CARRY:
        return run_carry(m, s);
    case STMT_FOR:
        return run_for(m, s);
    case STMT_IF:
        return run_if(m, s);
    case STMT_AT:
        return run_at(m, s);
    default:
        return run_let(m, s);
    }
}

static bool run(struct machine *m, const struct stmt *s) {
    for (; s; s = s->next) {
        if (++m->steps > MAX_STEPS)
            return fail(m, s->at, "the body does not end within %u statements", MAX_STEPS);
        if (!run_stmt(m, s))
            return false;
    }
    return true;
}

/* --- the recipe as a whole --- */

static void bind_params(struct machine *m, const struct param *list, const uint8_t *fields,
                        unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        struct binding *b = &m->frame->bindings[list[i].symbol];
        if (fields[i] == FIELD_IMM)
            *b = (struct binding){.kind = BOUND_INT, .number = m->x->insn->imm};
        else if (fields[i] <= FIELD_RD)
            *b = (struct binding){.kind = BOUND_REG, .field = fields[i]};
    }
}

/* A result that is no source must be written whole. */
static bool check_results(struct machine *m, const struct signature *s) {
    const struct unit *u = &m->x->recipe->unit;
    for (unsigned i = 0; i < s->out_count; i++) {
        uint8_t f = s->out[i];
        bool latch = (f == FIELD_C && !m->wrote_c) || (f == FIELD_M && !m->wrote_m);
        uint64_t missing =
            f <= FIELD_RD && !field_is_read(m->x, f) ? low_bits(m->x->w) & ~m->written[f] : 0;
        if (latch)
            return fail(m, u->out[i].at, "'%s' is never written", u->out[i].name);
        if (missing)
            return fail(m, u->out[i].at, "bit %d of '%s' is never written",
                        __builtin_ctzll(missing), u->out[i].name);
    }
    return true;
}

bool expand_body(struct expansion *x) {
    const struct unit *u = &x->recipe->unit;
    struct frame f = {.unit = u, .bindings = new_bindings(u)};
    struct machine m = {.x = x, .frame = &f, .path = 1};
    struct signature s;
    m.carries[0] = xcalloc(2 * MAX_CARRIES, sizeof *m.carries[0]);
    m.carries[1] = m.carries[0] + MAX_CARRIES;
    recipe_signature(x->recipe->op, &s);
    f.bindings[SYMBOL_W] = (struct binding){.kind = BOUND_INT, .number = x->w};
    bind_params(&m, u->in, s.in, s.in_count);
    bind_params(&m, u->out, s.out, s.out_count);
    bool fine = run(&m, u->body) && check_results(&m, &s);
    free(m.carries[0]);
    free_bindings(u, f.bindings);
    return fine;
}

void sym_list_free(struct sym_list *l) {
    vec_free(&l->uops);
    vec_free(&l->values);
}

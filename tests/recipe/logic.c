/* SPDX-License-Identifier: MIT */
#include "logic.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum binding_kind { NOTHING, NUMBER, REGISTER, SCRATCH, CARRY, OTHER };

/* What a name of one activation stands for. */
struct binding {
    enum binding_kind kind;
    int64_t number;        /* NUMBER */
    uint8_t field;         /* REGISTER */
    struct binding *other; /* OTHER: a name of the caller */
    /* SCRATCH, by position; CARRY: what came in there */
    uint64_t planes[64];
    uint64_t there; /* bit per position: written, come in */
    /* CARRY */
    bool down, has_final;
    uint64_t handed; /* bit per position: handed on what came in */
    uint64_t final;
};

struct frame {
    const struct recipe_unit *unit;
    struct binding *names;
};

struct logic {
    const struct recipe_set *set;
    const struct insn *insn;
    uint32_t flags;
    unsigned w, source_bits, positions;
    struct logic_lanes *lanes;
    struct frame *frame;
    int position;
    bool placed; /* inside a loop or an `at` */
    unsigned depth;
    uint64_t written[3];
    bool wrote_c, wrote_m, failed;
    char *error;
    size_t error_size;
};

/* --- messages --- */

static bool fail(struct logic *m, struct span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail(struct logic *m, struct span at, const char *format, ...) {
    const struct recipe_file *f = m->frame->unit->file;
    unsigned line = 1;
    for (uint32_t i = 0; i < at.begin && i < f->size; i++)
        line += f->text[i] == '\n';
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!m->failed)
        snprintf(m->error, m->error_size, "%s:%u, at position %d: %s", f->name, line, m->position,
                 text);
    m->failed = true;
    return false;
}

static struct binding *binding_of(struct logic *m, const struct recipe_expr *e) {
    struct binding *b = &m->frame->names[e->ref];
    while (b->kind == OTHER)
        b = b->other;
    return b;
}

static uint64_t bit_of(int position) {
    return (uint64_t)1 << position;
}

/* --- numbers --- */

static bool number(struct logic *m, const struct recipe_expr *e, int64_t *v);

static bool number_named(struct logic *m, const struct recipe_expr *e, int64_t *v) {
    const struct binding *b = binding_of(m, e);
    int64_t i = 0;
    if (b->kind != NUMBER || e->kind == EXPR_AT)
        return fail(m, e->at, "'%s' is not a number", e->name);
    *v = b->number;
    if (e->kind == EXPR_NAME)
        return true;
    if (!number(m, e->args[0], &i) || i < 0)
        return fail(m, e->at, "bit %lld of '%s'", (long long)i, e->name);
    *v = b->number >> (i > 63 ? 63 : i) & 1;
    return true;
}

static bool number_of_two(struct logic *m, const struct recipe_expr *e, int64_t *v) {
    int64_t b;
    bool both = e->op == MARK2('&', '&'), either = e->op == MARK2('|', '|');
    if (!number(m, e->args[0], v))
        return false;
    if ((both && !*v) || (either && *v)) {
        *v = *v != 0;
        return true;
    }
    if (!number(m, e->args[1], &b))
        return false;
    return notation_expr_binary(e->op, *v, b, v) || fail(m, e->at, "not a number");
}

static bool number(struct logic *m, const struct recipe_expr *e, int64_t *v) {
    switch (e->kind) {
    case EXPR_NUMBER:
        *v = e->number;
        return true;
    case EXPR_UNARY:
        if (!number(m, e->args[0], v))
            return false;
        *v = e->op == '!' ? !*v : e->op == '~' ? ~*v : -*v;
        return true;
    case EXPR_BINARY:
        return number_of_two(m, e, v);
    case EXPR_CALL:
        return fail(m, e->at, "a call is not a number");
    default:
        return number_named(m, e, v);
    }
}

static bool find_position(struct logic *m, const struct recipe_expr *e, int *position) {
    int64_t v;
    if (!number(m, e, &v))
        return false;
    if (v < 0 || v >= (int64_t)m->positions)
        return fail(m, e->at, "position %lld", (long long)v);
    *position = (int)v;
    return true;
}

/* --- bits that are read --- */

static bool reads_field(const struct logic *m, uint8_t field) {
    static const uint32_t flags[] = {READS_RS, READS_RT, READS_RD, READS_C, READS_M};
    return m->flags & flags[field];
}

static bool writes_field(const struct logic *m, uint8_t field) {
    static const uint32_t flags[] = {WRITES_RS, WRITES_RT, WRITES_RD, WRITES_C, WRITES_M};
    return m->flags & flags[field];
}

/* name[i]: i must be the position at work, for a register and for a name alike. */
static bool own_position(struct logic *m, const struct recipe_expr *e,
                         const struct recipe_expr *index) {
    int64_t i;
    if (!number(m, index, &i))
        return false;
    return i == m->position || fail(m, e->at, "'%s' of position %lld", e->name, (long long)i);
}

static bool read_register(struct logic *m, const struct recipe_expr *e, uint8_t field,
                          uint64_t *v) {
    unsigned bits = field == FIELD_RS ? m->source_bits : m->w;
    if (e->kind != EXPR_INDEX || !own_position(m, e, e->args[0]))
        return fail(m, e->at, "which bit of '%s'?", e->name);
    if (m->position >= (int)bits)
        return fail(m, e->at, "'%s' has %u bits", e->name, bits);
    if (!reads_field(m, field) && !(m->written[field] & bit_of(m->position)))
        return fail(m, e->at, "'%s' is read before it is written", e->name);
    *v = m->lanes->registers[field][m->position];
    return true;
}

static bool read_scratch(struct logic *m, const struct recipe_expr *e, const struct binding *b,
                         uint64_t *v) {
    if (e->kind == EXPR_AT || (e->kind == EXPR_INDEX && !own_position(m, e, e->args[0])))
        return fail(m, e->at, "'%s' is not a carry", e->name);
    if (!(b->there & bit_of(m->position)))
        return fail(m, e->at, "'%s' is read before it is written", e->name);
    *v = b->planes[m->position];
    return true;
}

static int last_position(const struct logic *m, const struct binding *carry) {
    return carry->down ? 0 : (int)m->positions - 1;
}

static bool read_carry(struct logic *m, const struct recipe_expr *e, const struct binding *b,
                       uint64_t *v) {
    uint64_t here = bit_of(m->position);
    if (e->kind == EXPR_INDEX || (e->kind == EXPR_AT && !own_position(m, e, e->args[0])))
        return fail(m, e->at, "'%s' is a carry", e->name);
    if (e->kind == EXPR_NAME && b->has_final && m->position == last_position(m, b)) {
        *v = b->final;
        return true;
    }
    if (!(b->there & here))
        return fail(m, e->at, "carry '%s' has not come in", e->name);
    if (e->kind == EXPR_NAME && b->handed & here)
        return fail(m, e->at, "carry '%s' has been handed on", e->name);
    *v = b->planes[m->position];
    return true;
}

static bool read_fixed(struct logic *m, const struct recipe_expr *e, uint64_t *v) {
    bool c = e->ref == SYMBOL_C;
    if (e->kind == EXPR_NAME && e->ref == SYMBOL_VALID) {
        *v = m->lanes->valid;
        return true;
    }
    if (e->kind != EXPR_NAME || (!c && e->ref != SYMBOL_M))
        return fail(m, e->at, "'%s' is not a bit", e->name);
    if (!reads_field(m, c ? FIELD_C : FIELD_M) && !(c ? m->wrote_c : m->wrote_m))
        return fail(m, e->at, "'%s' is no input", e->name);
    *v = c ? m->lanes->c : m->lanes->m;
    return true;
}

static bool read_named(struct logic *m, const struct recipe_expr *e, uint64_t *v) {
    const struct binding *b = binding_of(m, e);
    switch (b->kind) {
    case REGISTER:
        return read_register(m, e, b->field, v);
    case SCRATCH:
        return read_scratch(m, e, b, v);
    case CARRY:
        return read_carry(m, e, b, v);
    case NOTHING:
        if (e->ref < SYMBOL_FIXED)
            return read_fixed(m, e, v);
        return fail(m, e->at, "'%s' is read before it is written", e->name);
    default:
        return fail(m, e->at, "'%s' is a number", e->name);
    }
}

/* --- logic --- */

static bool evaluate(struct logic *m, const struct recipe_expr *e, uint64_t *v);

static bool evaluate_all(struct logic *m, const struct recipe_expr *e, uint64_t v[3]) {
    for (unsigned i = 0; i < e->count && i < 3; i++)
        if (!evaluate(m, e->args[i], &v[i]))
            return false;
    return true;
}

static uint64_t majority(const uint64_t v[3]) {
    return (v[0] & v[1]) | (v[0] & v[2]) | (v[1] & v[2]);
}

static bool evaluate_call(struct logic *m, const struct recipe_expr *e, uint64_t *v) {
    uint64_t x[3];
    enum logic_function f = notation_function_named(e->name);
    if (e->count != 3 || !evaluate_all(m, e, x) || (f != LOGIC_MUX && f != LOGIC_MAJ))
        return fail(m, e->at, "no function of logic");
    *v = f == LOGIC_MAJ ? majority(x) : (x[0] & x[1]) | (~x[0] & x[2]);
    return true;
}

static bool evaluate(struct logic *m, const struct recipe_expr *e, uint64_t *v) {
    uint64_t x[3];
    switch (e->kind) {
    case EXPR_NUMBER:
        *v = e->number ? UINT64_MAX : 0;
        return true;
    case EXPR_CALL:
        return evaluate_call(m, e, v);
    case EXPR_UNARY:
        if (!evaluate(m, e->args[0], v))
            return false;
        *v = ~*v;
        return true;
    case EXPR_BINARY:
        if (!evaluate_all(m, e, x))
            return false;
        *v = e->op == '&' ? x[0] & x[1] : e->op == '|' ? x[0] | x[1] : x[0] ^ x[1];
        return e->op == '&' || e->op == '|' || e->op == '^' || fail(m, e->at, "no logic");
    default:
        return read_named(m, e, v);
    }
}

/* --- bits that are written --- */

static bool write_register(struct logic *m, const struct recipe_expr *e, uint8_t field,
                           uint64_t v) {
    if (e->kind != EXPR_INDEX || !own_position(m, e, e->args[0]))
        return fail(m, e->at, "which bit of '%s'?", e->name);
    if (!writes_field(m, field))
        return fail(m, e->at, "'%s' is a source", e->name);
    if (m->position >= (int)m->w)
        return fail(m, e->at, "'%s' has %u bits", e->name, m->w);
    m->lanes->registers[field][m->position] = v;
    m->written[field] |= bit_of(m->position);
    return true;
}

/* Handed to the neighbour; beyond the last position it stays. */
static bool write_carry(struct logic *m, const struct recipe_expr *e, struct binding *b,
                        uint64_t v) {
    int to = m->position + (b->down ? -1 : 1);
    if (e->kind != EXPR_NAME)
        return fail(m, e->at, "'%s' is a carry", e->name);
    b->handed |= bit_of(m->position);
    if (m->position == last_position(m, b)) {
        b->final = v;
        b->has_final = true;
        return true;
    }
    b->planes[to] = v;
    b->there |= bit_of(to);
    b->handed &= ~bit_of(to);
    b->has_final &= to != last_position(m, b);
    return true;
}

static bool write_scratch(struct logic *m, const struct recipe_expr *e, struct binding *b,
                          uint64_t v) {
    if (e->kind == EXPR_AT || (e->kind == EXPR_INDEX && !own_position(m, e, e->args[0])))
        return fail(m, e->at, "'%s' is not a carry", e->name);
    b->kind = SCRATCH;
    b->planes[m->position] = v;
    b->there |= bit_of(m->position);
    return true;
}

static bool write_fixed(struct logic *m, const struct recipe_expr *e, uint64_t v) {
    bool c = e->ref == SYMBOL_C;
    if (e->kind != EXPR_NAME || (!c && e->ref != SYMBOL_M) ||
        !writes_field(m, c ? FIELD_C : FIELD_M))
        return fail(m, e->at, "'%s' is no result", e->name);
    *(c ? &m->lanes->c : &m->lanes->m) = v;
    *(c ? &m->wrote_c : &m->wrote_m) = true;
    return c || !(v & ~m->lanes->valid) || fail(m, e->at, "M is 1 in an invalid lane");
}

static bool write_named(struct logic *m, const struct recipe_expr *e, uint64_t v) {
    struct binding *b = binding_of(m, e);
    switch (b->kind) {
    case REGISTER:
        return write_register(m, e, b->field, v);
    case CARRY:
        return write_carry(m, e, b, v);
    case NOTHING:
        if (e->ref < SYMBOL_FIXED)
            return write_fixed(m, e, v);
        return write_scratch(m, e, b, v);
    case SCRATCH:
        return write_scratch(m, e, b, v);
    default:
        return fail(m, e->at, "'%s' is a number", e->name);
    }
}

/* --- statements --- */

static bool run(struct logic *m, const struct recipe_stmt *s);

/* The carry that an expression reads, or NULL. */
static const struct binding *carry_in(struct logic *m, const struct recipe_expr *e) {
    const struct binding *found = NULL;
    if (e->kind == EXPR_NAME)
        found = binding_of(m, e);
    else
        for (unsigned i = 0; i < e->count && !found; i++)
            found = e->kind == EXPR_INDEX ? NULL : carry_in(m, e->args[i]);
    return found && found->kind == CARRY ? found : NULL;
}

static bool run_logic(struct logic *m, const struct recipe_stmt *s) {
    uint64_t x[3], v[2];
    int position = m->position;
    const struct binding *carry = m->placed ? NULL : carry_in(m, s->value);
    if (carry)
        m->position = last_position(m, carry);
    bool full = s->target_count == 2;
    bool fine = full ? evaluate_all(m, s->value, x) : evaluate(m, s->value, &v[0]);
    if (fine && full) {
        v[0] = x[0] ^ x[1] ^ x[2];
        v[1] = majority(x);
    }
    for (unsigned i = 0; i < s->target_count; i++)
        fine = fine && write_named(m, s->targets[i], v[i]);
    m->position = position;
    return fine;
}

static bool run_carry(struct logic *m, const struct recipe_stmt *s) {
    struct binding *b = binding_of(m, s->targets[0]);
    int position = m->position;
    uint64_t v;
    if (b->kind != NOTHING && b->kind != CARRY)
        return fail(m, s->at, "'%s' is something else", s->targets[0]->name);
    b->kind = CARRY;
    b->down = s->down;
    if (!s->value)
        return true;
    if (s->first ? !find_position(m, s->first, &m->position) : false)
        return false;
    if (!s->first && !m->placed)
        m->position = s->down ? (int)m->w - 1 : 0;
    bool fine = evaluate(m, s->value, &v);
    if (fine) {
        b->planes[m->position] = v;
        b->there |= bit_of(m->position);
        b->handed &= ~bit_of(m->position);
        b->has_final &= m->position != last_position(m, b);
    }
    m->position = position;
    return fine;
}

static bool run_let(struct logic *m, const struct recipe_stmt *s) {
    struct binding *b = binding_of(m, s->targets[0]);
    if (b->kind != NOTHING && b->kind != NUMBER)
        return fail(m, s->at, "'%s' is something else", s->targets[0]->name);
    b->kind = NUMBER;
    return number(m, s->value, &b->number);
}

static bool run_for(struct logic *m, const struct recipe_stmt *s) {
    struct binding *b = binding_of(m, s->targets[0]);
    int64_t first, last, step = s->down ? -1 : 1;
    int position = m->position;
    bool placed = m->placed, fine = true;
    if (b->kind != NOTHING)
        return fail(m, s->at, "'%s' is something else", s->targets[0]->name);
    if (!number(m, s->first, &first) || !number(m, s->last, &last))
        return false;
    for (int64_t v = first; fine && (s->down ? v >= last : v <= last); v += step) {
        *b = (struct binding){.kind = NUMBER, .number = v};
        if (!s->serial && (v < 0 || v >= (int64_t)m->positions))
            return fail(m, s->at, "position %lld", (long long)v);
        m->position = s->serial ? position : (int)v;
        m->placed = placed || !s->serial;
        fine = run(m, s->body);
    }
    *b = (struct binding){0};
    m->position = position;
    m->placed = placed;
    return fine;
}

static bool run_at(struct logic *m, const struct recipe_stmt *s) {
    int position = m->position;
    bool placed = m->placed;
    bool fine = find_position(m, s->first, &m->position);
    m->placed = true;
    fine = fine && run(m, s->body);
    m->position = position;
    m->placed = placed;
    return fine;
}

static bool run_if(struct logic *m, const struct recipe_stmt *s) {
    int64_t v;
    return number(m, s->value, &v) && run(m, v ? s->body : s->otherwise);
}

/* A name of the caller, or a number. */
static bool bind(struct logic *m, const struct recipe_expr *e, struct binding *to) {
    if (e->kind == EXPR_NAME && binding_of(m, e)->kind != NUMBER) {
        if (e->ref < SYMBOL_FIXED && binding_of(m, e)->kind == NOTHING)
            return fail(m, e->at, "'%s' as an operand", e->name);
        *to = (struct binding){.kind = OTHER, .other = binding_of(m, e)};
        return true;
    }
    to->kind = NUMBER;
    return number(m, e, &to->number);
}

static bool bind_all(struct logic *m, const struct recipe_stmt *s, const struct recipe_unit *u,
                     struct binding *names) {
    const struct recipe_expr *call = s->value;
    if (call->count != u->in_count || s->target_count != u->out_count)
        return fail(m, s->at, "operands of '%s'", u->name);
    names[SYMBOL_W] = (struct binding){.kind = NUMBER, .number = m->w};
    for (unsigned i = 0; i < u->in_count; i++)
        if (!bind(m, call->args[i], &names[u->in[i].symbol]))
            return false;
    for (unsigned i = 0; i < u->out_count; i++) {
        const struct recipe_expr *e = s->targets[i];
        if (e->kind != EXPR_NAME || !bind(m, e, &names[u->out[i].symbol]))
            return fail(m, e->at, "a result of '%s'", u->name);
    }
    return true;
}

static bool run_call(struct logic *m, const struct recipe_stmt *s) {
    const struct recipe_unit *u = &m->set->ast.subs.data[s->value->ref - SUB_REF]->unit;
    struct frame *caller = m->frame;
    struct frame inner = {u, xcalloc(u->scope.count + 1, sizeof(struct binding))};
    if (!u->generic || u->broken || m->depth == 16) {
        free(inner.names);
        return fail(m, s->at, "sub '%s'", u->name);
    }
    bool fine = bind_all(m, s, u, inner.names);
    m->frame = &inner;
    m->depth++;
    fine = fine && run(m, u->body);
    m->depth--;
    m->frame = caller;
    free(inner.names);
    return fine;
}

static bool run_stmt(struct logic *m, const struct recipe_stmt *s) {
    switch (s->kind) {
    case STMT_LOGIC:
        return run_logic(m, s);
    case STMT_CARRY:
        return run_carry(m, s);
    case STMT_LET:
        return run_let(m, s);
    case STMT_FOR:
        return run_for(m, s);
    case STMT_AT:
        return run_at(m, s);
    case STMT_IF:
        return run_if(m, s);
    case STMT_CALL:
        return run_call(m, s);
    default:
        return fail(m, s->at, "no statement of generic recipes");
    }
}

static bool run(struct logic *m, const struct recipe_stmt *s) {
    for (; s; s = s->next)
        if (!run_stmt(m, s))
            return false;
    return true;
}

/* --- the recipe as a whole --- */

static void bind_operands(struct logic *m, const struct param *list, const uint8_t *fields,
                          unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        struct binding *b = &m->frame->names[list[i].symbol];
        if (fields[i] == FIELD_IMM)
            *b = (struct binding){.kind = NUMBER, .number = m->insn->imm};
        else if (fields[i] <= FIELD_RD)
            *b = (struct binding){.kind = REGISTER, .field = fields[i]};
    }
}

static bool check_results(struct logic *m, const struct recipe *c, const struct signature *s) {
    for (unsigned i = 0; i < s->out_count; i++) {
        uint8_t f = s->out[i];
        bool there = f == FIELD_C   ? m->wrote_c
                     : f == FIELD_M ? m->wrote_m
                                    : reads_field(m, f) || m->written[f] == low_bits(m->w);
        if (!there)
            return fail(m, c->unit.at, "'%s' is not written", c->unit.out[i].name);
    }
    return true;
}

bool logic_run(const struct recipe_set *set, const struct recipe *c, const struct insn *insn,
               struct logic_lanes *lanes, char *error, size_t error_size) {
    const struct isa_info *info = isa_info(insn->op);
    struct frame f = {&c->unit, xcalloc(c->unit.scope.count + 1, sizeof(struct binding))};
    struct logic m = {.set = set,
                      .insn = insn,
                      .flags = info->flags,
                      .w = info->flags & ISA_WIDTH ? insn->width : 1,
                      .lanes = lanes,
                      .frame = &f,
                      .error = error,
                      .error_size = error_size};
    struct signature s;
    notation_signature(insn->op, &s);
    m.source_bits = m.positions = m.w;
    for (unsigned i = 0; i < info->operand_count; i++) {
        if (info->operands[i] == ROLE_SRCWIDTH)
            m.source_bits = (unsigned)insn->imm;
        if (info->operands[i] == ROLE_CONVERSION)
            m.source_bits = isa_source_bits(insn);
        if (info->operands[i] == ROLE_CONVERSION && m.source_bits > m.w)
            m.positions = m.source_bits;
    }
    f.names[SYMBOL_W] = (struct binding){.kind = NUMBER, .number = m.w};
    bind_operands(&m, c->unit.in, s.in, s.in_count);
    bind_operands(&m, c->unit.out, s.out, s.out_count);
    bool fine = run(&m, c->unit.body) && check_results(&m, c, &s);
    free(f.names);
    return fine;
}

/* SPDX-License-Identifier: MIT
 * Carries out a body: loops are unrolled, conditions decided, names bound to places. */
#include "recipe/expand/walk.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <stdlib.h>

/* --- statements --- */

static bool run(struct section_machine *m, const struct recipe_stmt *s);

static uint64_t mix(uint64_t path, uint64_t with) {
    uint64_t state = path ^ (with + 1) * 0xd1342543de82ef95u;
    return splitmix64(&state);
}

/* Operands that a recipe writes: the others are always the same row. */
static unsigned written_sources(const struct target_op *op) {
    unsigned n = 0;
    for (unsigned i = 0; i < op->nsrc; i++)
        n += !op->fixed[i];
    return n;
}

static unsigned written_results(const struct target_op *op) {
    unsigned n = 0;
    for (unsigned k = 0; k < op->ndst; k++)
        n += !op->fixed[op->nsrc + k];
    return n;
}

static bool is_variant(const struct target *t, uint32_t op, uint32_t first) {
    return op < plane_target(t)->op_count &&
           plane_target(t)->ops[op].first_variant == plane_target(t)->ops[first].first_variant;
}

/* A call of a command that activates rows means a variant without negated wordlines: the first one
 * with that many operands. */
static uint32_t find_variant(const struct target *t, uint32_t ref, unsigned sources,
                             unsigned results) {
    for (uint32_t i = plane_target(t)->ops[ref].first_rows ? plane_target(t)->ops[ref].first_variant
                                                           : ref;
         plane_target(t)->ops[ref].first_rows && is_variant(t, i, ref); i++)
        if (!plane_target(t)->ops[i].first_inverted && !plane_target(t)->ops[i].second_inverted &&
            written_sources(&plane_target(t)->ops[i]) == sources &&
            written_results(&plane_target(t)->ops[i]) == results)
            return i;
    return ref;
}

/* Of the variants like this one the first that may work on these places. */
static uint32_t settle_variant(struct section_machine *m, uint32_t kind, const uint32_t *src,
                               const uint32_t *dst) {
    const struct target *t = m->x->set->target;
    const struct target_op *like = &plane_target(t)->ops[kind], *op = like;
    for (uint32_t i = kind; like->first_rows && is_variant(t, i, kind); i++) {
        op = &plane_target(t)->ops[i];
        if (op->nsrc == like->nsrc && op->ndst == like->ndst && !op->first_inverted &&
            !op->second_inverted &&
            expand_classes_allow(m->x, op, src, dst, section_at(m, m->position)))
            return i;
    }
    return kind;
}

/* All sources of an op: those of the call, and the rows that are always the same. */
static bool read_sources(struct section_machine *m, const struct target_op *op,
                         const struct recipe_expr *call, uint32_t *src) {
    unsigned next = 0;
    if (call->count != written_sources(op))
        return expand_walk_fail(m, call->at, "%s takes %u operand%s, not %u", op->name,
                                written_sources(op), written_sources(op) == 1 ? "" : "s",
                                call->count);
    for (unsigned i = 0; i < op->nsrc; i++)
        if (op->fixed[i] ? !expand_walk_read_row(m, call->at, op->fixed[i] - 1u, &src[i])
                         : !expand_walk_read(m, call->args[next++], &src[i]))
            return false;
    return true;
}

/* A result that takes the place of a source is written under the source's name. */
static bool write_tied(struct section_machine *m, const struct target_op *op,
                       const struct recipe_expr *target, unsigned source, uint32_t place) {
    uint32_t named;
    if (!expand_walk_read(m, target, &named))
        return false;
    if (named != place)
        return expand_walk_fail(m, target->at,
                                "this result of %s takes the place of its operand %u: "
                                "write the same name",
                                op->name, source + 1);
    return expand_walk_replace(m, target, place);
}

static bool write_results(struct section_machine *m, const struct target_op *op,
                          const struct recipe_expr *call, const struct recipe_expr *const *targets,
                          const uint32_t *src, uint32_t *dst) {
    unsigned next = 0;
    for (unsigned k = 0; k < op->ndst; k++) {
        uint8_t fixed = op->fixed[op->nsrc + k], tied = op->tied[k];
        bool fine;
        if (fixed) {
            fine = expand_walk_write_row(m, call->at, fixed - 1u, &dst[k]);
        } else if (tied) {
            dst[k] = src[tied - 1];
            fine = write_tied(m, op, targets[next++], tied - 1u, dst[k]);
        } else {
            fine = expand_walk_write(m, targets[next++], op->reads_old && !op->preset, &dst[k]);
        }
        if (!fine)
            return false;
    }
    return true;
}

static bool run_op(struct section_machine *m, const struct recipe_stmt *s,
                   const struct recipe_expr *call, const struct recipe_expr *const *targets,
                   unsigned target_count) {
    const struct target *t = m->x->set->target;
    uint32_t kind = find_variant(t, call->ref, call->count, target_count);
    const struct target_op *op = &plane_target(t)->ops[kind];
    uint32_t src[UOP_MAX], dst[UOP_MAX];
    if (!read_sources(m, op, call, src))
        return false;
    if (target_count != written_results(op))
        return expand_walk_fail(m, s->at, "%s has %u result%s, not %u", op->name,
                                written_results(op), written_results(op) == 1 ? "" : "s",
                                target_count);
    if (!write_results(m, op, call, targets, src, dst))
        return false;
    return expand_walk_emit(m, s, settle_variant(m, kind, src, dst), src, dst);
}

/* What a sub's operand stands for: a number, a register, a carry, or one place. */
static bool bind_argument(struct section_machine *m, const struct recipe_expr *e,
                          struct binding *to) {
    bool named = e->kind == EXPR_NAME || e->kind == EXPR_INDEX || e->kind == EXPR_AT;
    const struct binding *b = named ? binding_of(m, e) : NULL;
    if (!named || b->kind == BOUND_INT) {
        to->kind = BOUND_INT;
        return expand_walk_eval(m, e, &to->number);
    }
    if (e->kind == EXPR_NAME && (b->kind == BOUND_REG || b->kind == BOUND_CARRY)) {
        *to = *b;
        return true;
    }
    to->kind = BOUND_PLACE;
    return expand_walk_read(m, e, &to->place);
}

static struct binding *new_bindings(const struct recipe_unit *u) {
    struct binding *b = xcalloc(u->scope.count + 1, sizeof *b);
    for (uint32_t i = 0; i < u->row_count; i++)
        b[u->rows[i].symbol] = (struct binding){.kind = u->rows[i].group ? BOUND_GROUP : BOUND_ROW,
                                                .number = u->rows[i].index};
    return b;
}

static void free_bindings(const struct recipe_unit *u, struct binding *b) {
    for (uint32_t i = 0; i < u->scope.count; i++)
        if (b[i].kind == BOUND_SCRATCH)
            vec_free(&b[i].values);
    free(b);
}

static bool bind_sub(struct section_machine *m, const struct recipe_stmt *s,
                     const struct recipe_expr *call, const struct recipe_expr *const *targets,
                     unsigned target_count, const struct recipe_unit *u, struct binding *b) {
    if (call->count != u->in_count)
        return expand_walk_fail(m, call->at, "sub '%s' takes %u operands, not %u", u->name,
                                u->in_count, call->count);
    if (target_count != u->out_count)
        return expand_walk_fail(m, s->at, "sub '%s' has %u results, not %u", u->name, u->out_count,
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

static bool run_sub(struct section_machine *m, const struct recipe_stmt *s,
                    const struct recipe_expr *call, const struct recipe_expr *const *targets,
                    unsigned target_count) {
    const struct recipe_unit *u = &m->x->set->ast.subs.data[call->ref - SUB_REF]->unit;
    struct walk_frame f = {.unit = u, .caller = m->frame, .depth = m->frame->depth + 1};
    if (u->broken)
        return !(m->failed = true);
    if (f.depth > MAX_CALLS)
        return expand_walk_fail(m, call->at,
                                "subs call one another more than %d deep: '%s' calls itself?",
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

static bool run_call(struct section_machine *m, const struct recipe_stmt *s,
                     const struct recipe_expr *call, const struct recipe_expr *const *targets,
                     unsigned target_count) {
    if (call->ref >= SUB_REF)
        return run_sub(m, s, call, targets, target_count);
    uint64_t path = m->path;
    m->path = mix(path, s->id);
    bool fine = run_op(m, s, call, targets, target_count);
    m->path = path;
    return fine;
}

static bool run_arrow(struct section_machine *m, const struct recipe_stmt *s) {
    uint64_t path = m->path;
    m->path = mix(path, s->id);
    bool fine = expand_walk_arrow(m, s);
    m->path = path;
    return fine;
}

/* The carry of this statement: the same one each time it is met. */
static bool find_carry(struct section_machine *m, const struct recipe_stmt *s, uint16_t *carry) {
    struct carry_state *list = m->carries[s->down];
    unsigned i = 0;
    while (i < m->carry_count[s->down] && list[i].stmt_id != s->id)
        i++;
    if (i == MAX_CARRIES)
        return expand_walk_fail(m, s->at, "more than %d carries", MAX_CARRIES);
    if (i == m->carry_count[s->down]) {
        list[i].stmt_id = s->id;
        list[i].down = s->down;
        m->carry_count[s->down]++;
    }
    *carry = (uint16_t)((unsigned)s->down << 8 | i);
    return true;
}

/* The first value goes into the buffer of the section itself. */
static bool start_carry(struct section_machine *m, const struct recipe_stmt *s,
                        const struct binding *b) {
    const struct recipe_expr *call = s->value->kind == EXPR_CALL ? s->value : NULL;
    int section = section_at(m, m->position);
    uint32_t src[UOP_MAX] = {0}, dst = PLACE(PLANE_BUFFER, (uint32_t)section << 16 | b->carry);
    int kind;
    if (m->frame->unit->mapped && sections_of(m) == 1)
        return expand_walk_begin(m, s, b);
    if (call) {
        kind = (int)call->ref;
        if (call->ref >= SUB_REF)
            return expand_walk_fail(m, call->at, "a carry begins with an operand or a micro-op");
        const struct target_op *op = &plane_target(m->x->set->target)->ops[kind];
        if (op->ndst != 1 || op->tied[0] || op->fixed[op->nsrc] || (op->reads_old && !op->preset))
            return expand_walk_fail(m, call->at, "%s does not give a carry its first value",
                                    op->name);
        if (!read_sources(m, op, call, src))
            return false;
    } else {
        if (!expand_walk_read(m, s->value, &src[0]))
            return false;
        if ((kind = expand_find_copy(m->x, src[0], dst, section)) < 0)
            return expand_walk_fail(m, s->at,
                                    "target '%s' has no micro-op that copies this into a buffer",
                                    m->x->set->target->name);
    }
    expand_walk_come_in(m, b, m->position, dst);
    m->path = mix(m->path, s->id);
    return expand_walk_emit(m, s, (uint32_t)kind, src, &dst);
}

static bool run_carry(struct section_machine *m, const struct recipe_stmt *s) {
    struct binding *b = binding_of(m, s->targets[0]);
    uint16_t carry = 0;
    if (s->targets[0]->ref < SYMBOL_FIXED || (b->kind != UNBOUND && b->kind != BOUND_CARRY))
        return expand_walk_fail(m, s->targets[0]->at, "'%s' is already something else",
                                s->targets[0]->name);
    if (!find_carry(m, s, &carry))
        return false;
    b->kind = BOUND_CARRY;
    b->carry = carry;
    if (!s->value)
        return true;
    int position = m->position;
    uint64_t path = m->path;
    bool fine = true;
    if (s->first)
        fine = expand_walk_position(m, s->first, &m->position);
    else if (!m->in_section)
        m->position = s->down ? (int)m->x->w - 1 : 0;
    fine = fine && start_carry(m, s, b);
    m->position = position;
    m->path = path;
    return fine;
}

static bool run_let(struct section_machine *m, const struct recipe_stmt *s) {
    struct binding *b = binding_of(m, s->targets[0]), made = {0};
    if (s->targets[0]->ref < SYMBOL_FIXED || (b->kind != UNBOUND && !b->by_let))
        return expand_walk_fail(m, s->targets[0]->at, "'%s' is already something else",
                                s->targets[0]->name);
    if (!bind_argument(m, s->value, &made))
        return false;
    if (made.kind == BOUND_CARRY) {
        made.kind = BOUND_PLACE; /* the carry as it comes in here and now */
        if (!expand_walk_read(m, s->value, &made.place))
            return false;
    }
    made.by_let = true;
    *b = made;
    return true;
}

static bool run_if(struct section_machine *m, const struct recipe_stmt *s) {
    int64_t v;
    return expand_walk_eval(m, s->value, &v) && run(m, v ? s->body : s->otherwise);
}

static bool run_at(struct section_machine *m, const struct recipe_stmt *s) {
    int position = m->position;
    bool in_section = m->in_section;
    bool fine = expand_walk_position(m, s->first, &m->position);
    m->in_section = true;
    fine = fine && run(m, s->body);
    m->position = position;
    m->in_section = in_section;
    return fine;
}

static bool run_lap(struct section_machine *m, const struct recipe_stmt *s, int64_t v) {
    uint64_t path = m->path;
    struct binding *b = binding_of(m, s->targets[0]);
    *b = (struct binding){.kind = BOUND_INT, .number = v};
    if (s->serial) {
        m->path = mix(mix(path, s->id), (uint64_t)v);
    } else {
        if (v < 0 || v >= m->x->w)
            return expand_walk_fail(m, s->at,
                                    "a pipelined loop runs over sections, and %lld lies outside of "
                                    "bits 0 .. %u; write 'serial for'",
                                    (long long)v, m->x->w - 1);
        m->position = (int)v;
        m->lap->before.len = 0;
        for (size_t i = 0; i < m->lap->now.len; i++)
            vec_push(&m->lap->before, m->lap->now.data[i]);
        m->lap->now.len = m->lap->next = 0;
    }
    bool fine = run(m, s->body);
    m->path = path;
    return fine;
}

static bool run_laps(struct section_machine *m, const struct recipe_stmt *s, int64_t first,
                     int64_t last) {
    int64_t step = s->down ? -1 : 1;
    for (int64_t v = first; s->down ? v >= last : v <= last; v += step) {
        if (++m->steps > MAX_STEPS)
            return expand_walk_fail(m, s->at, "the loop does not end within %u statements",
                                    MAX_STEPS);
        if (!run_lap(m, s, v))
            return false;
        if (v == last)
            break; /* also where the next number would not fit */
    }
    return true;
}

static bool run_for(struct section_machine *m, const struct recipe_stmt *s) {
    int64_t first, last;
    struct binding *b = binding_of(m, s->targets[0]);
    if (s->targets[0]->ref < SYMBOL_FIXED || b->kind != UNBOUND)
        return expand_walk_fail(m, s->targets[0]->at, "'%s' is already something else",
                                s->targets[0]->name);
    if (!expand_walk_eval(m, s->first, &first) || !expand_walk_eval(m, s->last, &last))
        return false;
    struct pipelined_lap lap = {0}, *outer = m->lap;
    int position = m->position;
    bool in_section = m->in_section;
    if (!s->serial) {
        m->lap = &lap;
        m->in_section = true;
    }
    bool fine = run_laps(m, s, first, last);
    *b = (struct binding){0};
    m->lap = outer;
    m->position = position;
    m->in_section = in_section;
    vec_free(&lap.before);
    vec_free(&lap.now);
    return fine;
}

static bool run_stmt(struct section_machine *m, const struct recipe_stmt *s) {
    switch (s->kind) {
    case STMT_CALL:
        return run_call(m, s, s->value, (const struct recipe_expr *const *)s->targets,
                        s->target_count);
    case STMT_CARRY:
        return run_carry(m, s);
    case STMT_FOR:
        return run_for(m, s);
    case STMT_IF:
        return run_if(m, s);
    case STMT_AT:
        return run_at(m, s);
    case STMT_LET:
        return run_let(m, s);
    case STMT_ARROW:
        return run_arrow(m, s);
    case STMT_PASS:
        return expand_walk_pass(m, s);
    case STMT_LOGIC:
        break;
    }
    return expand_walk_fail(m, s->at, "logic stands in generic recipes alone");
}

static bool run(struct section_machine *m, const struct recipe_stmt *s) {
    for (; s; s = s->next) {
        if (++m->steps > MAX_STEPS)
            return expand_walk_fail(m, s->at, "the body does not end within %u statements",
                                    MAX_STEPS);
        if (!run_stmt(m, s))
            return false;
    }
    return true;
}

/* --- the recipe as a whole --- */

static void bind_params(struct section_machine *m, const struct param *list, const uint8_t *fields,
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
static bool check_results(struct section_machine *m, const struct signature *s) {
    const struct recipe_unit *u = &m->x->recipe->unit;
    for (unsigned i = 0; i < s->out_count; i++) {
        uint8_t f = s->out[i];
        bool latch = (f == FIELD_C && !m->wrote_c) || (f == FIELD_M && !m->wrote_m);
        uint64_t missing = f <= FIELD_RD && !expand_walk_field_is_read(m->x, f)
                               ? low_bits(m->x->w) & ~m->written[f]
                               : 0;
        if (latch)
            return expand_walk_fail(m, u->out[i].at, "'%s' is never written", u->out[i].name);
        if (missing)
            return expand_walk_fail(m, u->out[i].at, "bit %d of '%s' is never written",
                                    __builtin_ctzll(missing), u->out[i].name);
    }
    return true;
}

bool expand_body(struct expansion *x) {
    const struct recipe_unit *u = &x->recipe->unit;
    struct walk_frame f = {.unit = u, .bindings = new_bindings(u)};
    struct section_machine m = {.x = x, .frame = &f, .path = 1};
    struct signature s;
    m.carries[0] = xcalloc(2 * MAX_CARRIES, sizeof *m.carries[0]);
    m.carries[1] = m.carries[0] + MAX_CARRIES;
    notation_signature(x->recipe->op, &s);
    f.bindings[SYMBOL_W] = (struct binding){.kind = BOUND_INT, .number = x->w};
    bind_params(&m, u->in, s.in, s.in_count);
    bind_params(&m, u->out, s.out, s.out_count);
    bool fine = run(&m, u->body) && check_results(&m, &s);
    if (fine && u->mapped)
        expand_drop_dead(x);
    free(m.carries[0]);
    vec_free(&m.rows);
    free_bindings(u, f.bindings);
    return fine;
}

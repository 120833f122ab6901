/* SPDX-License-Identifier: MIT
 * Carries out a body: loops are unrolled, conditions decided, names bound to places. */
#include "recipe/expand/walk.h"
#include "recipe/map/map.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <stdlib.h>

/* --- statements --- */

static bool run(struct section_machine *machine, const struct recipe_stmt *stmt);

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

static bool is_variant(const struct target *target, uint32_t op, uint32_t first) {
    return op < plane_target(target)->op_count &&
           plane_target(target)->ops[op].first_variant ==
               plane_target(target)->ops[first].first_variant;
}

/* A call of a command that activates rows means a variant without negated wordlines: the first one
 * with that many operands. */
static uint32_t find_variant(const struct target *target, uint32_t ref, unsigned sources,
                             unsigned results) {
    for (uint32_t i = plane_target(target)->ops[ref].first_rows
                          ? plane_target(target)->ops[ref].first_variant
                          : ref;
         plane_target(target)->ops[ref].first_rows && is_variant(target, i, ref); i++)
        if (!plane_target(target)->ops[i].first_inverted &&
            !plane_target(target)->ops[i].second_inverted &&
            written_sources(&plane_target(target)->ops[i]) == sources &&
            written_results(&plane_target(target)->ops[i]) == results)
            return i;
    return ref;
}

/* Of the variants like this one the first that may work on these places. */
static uint32_t settle_variant(struct section_machine *machine, uint32_t kind, const uint32_t *src,
                               const uint32_t *dst) {
    const struct target *t = machine->x->set->target;
    const struct target_op *like = &plane_target(t)->ops[kind], *op = like;
    for (uint32_t i = kind; like->first_rows && is_variant(t, i, kind); i++) {
        op = &plane_target(t)->ops[i];
        if (op->nsrc == like->nsrc && op->ndst == like->ndst && !op->first_inverted &&
            !op->second_inverted &&
            expand_classes_allow(machine->x, op, src, dst, section_at(machine, machine->position)))
            return i;
    }
    return kind;
}

/* All sources of an op: those of the call, and the rows that are always the same. */
static bool read_sources(struct section_machine *machine, const struct target_op *op,
                         const struct recipe_expr *call, uint32_t *src) {
    unsigned next = 0;
    if (call->count != written_sources(op))
        return expand_walk_fail(machine, call->at, "%s takes %u operand%s, not %u", op->name,
                                written_sources(op), written_sources(op) == 1 ? "" : "s",
                                call->count);
    for (unsigned i = 0; i < op->nsrc; i++)
        if (op->fixed[i] ? !expand_walk_read_row(machine, call->at, op->fixed[i] - 1u, &src[i])
                         : !expand_walk_read(machine, call->args[next++], &src[i]))
            return false;
    return true;
}

/* A result that takes the place of a source is written under the source's name. */
static bool write_tied(struct section_machine *machine, const struct target_op *op,
                       const struct recipe_expr *target, unsigned source, uint32_t place) {
    uint32_t named;
    if (!expand_walk_read(machine, target, &named))
        return false;
    if (named != place)
        return expand_walk_fail(machine, target->at,
                                "this result of %s takes the place of its operand %u: "
                                "write the same name",
                                op->name, source + 1);
    return expand_walk_replace(machine, target, place);
}

static bool write_results(struct section_machine *machine, const struct target_op *op,
                          const struct recipe_expr *call, const struct recipe_expr *const *targets,
                          const uint32_t *src, uint32_t *dst) {
    unsigned next = 0;
    for (unsigned k = 0; k < op->ndst; k++) {
        uint8_t fixed = op->fixed[op->nsrc + k], tied = op->tied[k];
        bool fine;
        if (fixed) {
            fine = expand_walk_write_row(machine, call->at, fixed - 1u, &dst[k]);
        } else if (tied) {
            dst[k] = src[tied - 1];
            fine = write_tied(machine, op, targets[next++], tied - 1u, dst[k]);
        } else {
            fine = expand_walk_write(machine, targets[next++], plane_op_keeps_old(op, k), &dst[k]);
        }
        if (!fine)
            return false;
    }
    return true;
}

static bool run_op(struct section_machine *machine, const struct recipe_stmt *stmt,
                   const struct recipe_expr *call, const struct recipe_expr *const *targets,
                   unsigned target_count) {
    const struct target *t = machine->x->set->target;
    uint32_t kind = find_variant(t, call->ref, call->count, target_count);
    const struct target_op *op = &plane_target(t)->ops[kind];
    uint32_t src[UOP_MAX], dst[UOP_MAX];
    if (!read_sources(machine, op, call, src))
        return false;
    if (target_count != written_results(op))
        return expand_walk_fail(machine, stmt->at, "%s has %u result%s, not %u", op->name,
                                written_results(op), written_results(op) == 1 ? "" : "s",
                                target_count);
    if (!write_results(machine, op, call, targets, src, dst))
        return false;
    return expand_walk_emit(machine, stmt, settle_variant(machine, kind, src, dst), src, dst);
}

/* Outside of loops, where sections can be joined, a name is all of what it means in them. */
static bool is_whole_name(const struct section_machine *machine, const struct recipe_expr *expr,
                          const struct binding *binding) {
    return plane_target(machine->x->set->target)->partitioned && !machine->in_section &&
           expr->kind == EXPR_NAME &&
           (binding->kind == BOUND_SCRATCH || binding->kind == BOUND_OUT) &&
           !machine->frame->unit->mapped;
}

/* What a sub's operand stands for: a number, a register, a carry, or one place. */
static bool bind_argument(struct section_machine *machine, const struct recipe_expr *expr,
                          struct binding *to) {
    bool named = expr->kind == EXPR_NAME || expr->kind == EXPR_INDEX || expr->kind == EXPR_AT;
    const struct binding *b = named ? binding_of(machine, expr) : NULL;
    if (!named || b->kind == BOUND_INT) {
        to->kind = BOUND_INT;
        return expand_walk_eval(machine, expr, &to->number);
    }
    if (expr->kind == EXPR_NAME && (b->kind == BOUND_REG || b->kind == BOUND_CARRY)) {
        *to = *b;
        return true;
    }
    if (is_whole_name(machine, expr, b)) {
        *to = (struct binding){.kind = BOUND_OUT, .frame = machine->frame, .target = expr};
        return true;
    }
    to->kind = BOUND_PLACE;
    return expand_walk_read(machine, expr, &to->place);
}

/* What a sub's result stands for: a register as a whole, or what the caller's name is. */
static void bind_result(struct section_machine *machine, const struct recipe_expr *expr,
                        struct binding *to) {
    const struct binding *b = binding_of(machine, expr);
    if (expr->kind == EXPR_NAME && b->kind == BOUND_REG)
        *to = *b;
    else
        *to = (struct binding){.kind = BOUND_OUT, .frame = machine->frame, .target = expr};
}

static struct binding *new_bindings(const struct recipe_unit *unit) {
    struct binding *b = xcalloc(unit->scope.count + 1, sizeof *b);
    for (uint32_t i = 0; i < unit->row_count; i++)
        b[unit->rows[i].symbol] = (struct binding){
            .kind = unit->rows[i].group ? BOUND_GROUP : BOUND_ROW, .number = unit->rows[i].index};
    return b;
}

static void free_bindings(const struct recipe_unit *unit, struct binding *binding) {
    for (uint32_t i = 0; i < unit->scope.count; i++)
        if (binding[i].kind == BOUND_SCRATCH)
            vec_free(&binding[i].values);
    free(binding);
}

static bool bind_sub(struct section_machine *machine, const struct recipe_stmt *stmt,
                     const struct recipe_expr *call, const struct recipe_expr *const *targets,
                     unsigned target_count, const struct recipe_unit *unit,
                     struct binding *binding) {
    if (call->count != unit->in_count)
        return expand_walk_fail(machine, call->at, "sub '%s' takes %u operands, not %u", unit->name,
                                unit->in_count, call->count);
    if (target_count != unit->out_count)
        return expand_walk_fail(machine, stmt->at, "sub '%s' has %u results, not %u", unit->name,
                                unit->out_count, target_count);
    binding[SYMBOL_W] = machine->frame->bindings[SYMBOL_W];
    for (unsigned i = 0; i < unit->in_count; i++)
        if (!bind_argument(machine, call->args[i], &binding[unit->in[i].symbol]))
            return false;
    for (unsigned i = 0; i < unit->out_count; i++)
        bind_result(machine, targets[i], &binding[unit->out[i].symbol]);
    return true;
}

static bool run_sub(struct section_machine *machine, const struct recipe_stmt *stmt,
                    const struct recipe_expr *call, const struct recipe_expr *const *targets,
                    unsigned target_count) {
    const struct recipe_unit *u = &machine->x->set->ast.subs.data[call->ref - SUB_REF]->unit;
    struct walk_frame f = {.unit = u, .caller = machine->frame, .depth = machine->frame->depth + 1};
    if (u->broken)
        return !(machine->failed = true);
    if (f.depth > MAX_CALLS)
        return expand_walk_fail(machine, call->at,
                                "subs call one another more than %d deep: '%s' calls itself?",
                                MAX_CALLS, u->name);
    f.bindings = new_bindings(u);
    bool fine = bind_sub(machine, stmt, call, targets, target_count, u, f.bindings);
    if (fine) {
        uint64_t path = machine->path;
        machine->frame = &f;
        machine->path = mix(path, stmt->id);
        fine = run(machine, u->body);
        machine->frame = f.caller;
        machine->path = path;
    }
    free_bindings(u, f.bindings);
    return fine;
}

static bool run_call(struct section_machine *machine, const struct recipe_stmt *stmt,
                     const struct recipe_expr *call, const struct recipe_expr *const *targets,
                     unsigned target_count) {
    if (call->ref >= SUB_REF)
        return run_sub(machine, stmt, call, targets, target_count);
    uint64_t path = machine->path;
    machine->path = mix(path, stmt->id);
    bool fine = run_op(machine, stmt, call, targets, target_count);
    machine->path = path;
    return fine;
}

static bool run_arrow(struct section_machine *machine, const struct recipe_stmt *stmt) {
    uint64_t path = machine->path;
    machine->path = mix(path, stmt->id);
    bool fine = expand_walk_arrow(machine, stmt);
    machine->path = path;
    return fine;
}

/* The carry of this statement: the same one each time it is met. */
static bool find_carry(struct section_machine *machine, const struct recipe_stmt *stmt,
                       uint16_t *carry) {
    const size_t count = machine->carries[stmt->down].len;
    size_t i = 0;
    while (i < count && machine->carries[stmt->down].data[i].stmt_id != stmt->id)
        i++;
    if (i == MAX_CARRIES)
        return expand_walk_fail(machine, stmt->at, "more than %d carries", MAX_CARRIES);
    if (i == count) {
        const struct carry_state c = {.stmt_id = stmt->id, .down = stmt->down};
        vec_push(&machine->carries[stmt->down], c);
    }
    *carry = (uint16_t)((unsigned)stmt->down << 8 | i);
    return true;
}

/* The first value goes into the buffer of the section itself. */
static bool start_carry(struct section_machine *machine, const struct recipe_stmt *stmt,
                        const struct binding *binding) {
    const struct recipe_expr *call = stmt->value->kind == EXPR_CALL ? stmt->value : NULL;
    int section = section_at(machine, machine->position);
    uint32_t src[UOP_MAX] = {0}, dst = expand_walk_buffer(machine, binding, machine->position);
    int kind;
    if (machine->frame->unit->mapped && (!technology_sections_apart(machine->x->set->target) ||
                                         mapping_keeps_incoming(machine->x->set)))
        return expand_walk_begin(machine, stmt, binding);
    if (call) {
        kind = (int)call->ref;
        if (call->ref >= SUB_REF)
            return expand_walk_fail(machine, call->at,
                                    "a carry begins with an operand or a micro-op");
        const struct target_op *op = &plane_target(machine->x->set->target)->ops[kind];
        if (op->ndst != 1 || op->tied[0] || op->fixed[op->nsrc] || plane_op_keeps_old(op, 0))
            return expand_walk_fail(machine, call->at, "%s does not give a carry its first value",
                                    op->name);
        if (!read_sources(machine, op, call, src))
            return false;
    } else {
        if (!expand_walk_read(machine, stmt->value, &src[0]))
            return false;
        kind = expand_find_copy(machine->x, src[0], dst, section);
        if (kind < 0 && machine->frame->unit->mapped)
            return expand_walk_begin(machine, stmt, binding);
        if (kind < 0)
            return expand_walk_fail(machine, stmt->at,
                                    "target '%s' has no micro-op that copies this into a buffer",
                                    machine->x->set->target->name);
    }
    expand_walk_come_in(machine, binding, machine->position, dst);
    machine->path = mix(machine->path, stmt->id);
    return expand_walk_emit(machine, stmt, (uint32_t)kind, src, &dst);
}

static bool run_carry(struct section_machine *machine, const struct recipe_stmt *stmt) {
    struct binding *b = binding_of(machine, stmt->targets[0]);
    uint16_t carry = 0;
    if (stmt->targets[0]->ref < SYMBOL_FIXED || (b->kind != UNBOUND && b->kind != BOUND_CARRY))
        return expand_walk_fail(machine, stmt->targets[0]->at, "'%s' is already something else",
                                stmt->targets[0]->name);
    if (!find_carry(machine, stmt, &carry))
        return false;
    b->kind = BOUND_CARRY;
    b->carry = carry;
    if (!stmt->value)
        return true;
    int position = machine->position;
    uint64_t path = machine->path;
    bool fine = true;
    if (stmt->first)
        fine = expand_walk_position(machine, stmt->first, &machine->position);
    else if (!machine->in_section)
        machine->position = stmt->down ? (int)machine->x->w - 1 : 0;
    fine = fine && start_carry(machine, stmt, b);
    machine->position = position;
    machine->path = path;
    return fine;
}

static bool run_let(struct section_machine *machine, const struct recipe_stmt *stmt) {
    struct binding *b = binding_of(machine, stmt->targets[0]), made = {0};
    if (stmt->targets[0]->ref < SYMBOL_FIXED || (b->kind != UNBOUND && !b->by_let))
        return expand_walk_fail(machine, stmt->targets[0]->at, "'%s' is already something else",
                                stmt->targets[0]->name);
    if (!bind_argument(machine, stmt->value, &made))
        return false;
    if (made.kind == BOUND_CARRY) {
        made.kind = BOUND_PLACE; /* the carry as it comes in here and now */
        if (!expand_walk_read(machine, stmt->value, &made.place))
            return false;
    }
    made.by_let = true;
    *b = made;
    return true;
}

static bool run_if(struct section_machine *machine, const struct recipe_stmt *stmt) {
    int64_t v;
    return expand_walk_eval(machine, stmt->value, &v) &&
           run(machine, v ? stmt->body : stmt->otherwise);
}

static bool run_at(struct section_machine *machine, const struct recipe_stmt *stmt) {
    int position = machine->position;
    bool in_section = machine->in_section;
    bool fine = expand_walk_position(machine, stmt->first, &machine->position);
    machine->in_section = true;
    fine = fine && run(machine, stmt->body);
    machine->position = position;
    machine->in_section = in_section;
    return fine;
}

static bool run_lap(struct section_machine *machine, const struct recipe_stmt *stmt,
                    int64_t value) {
    uint64_t path = machine->path;
    struct binding *b = binding_of(machine, stmt->targets[0]);
    *b = (struct binding){.kind = BOUND_INT, .number = value};
    if (stmt->serial) {
        machine->path = mix(mix(path, stmt->id), (uint64_t)value);
    } else {
        int64_t count = expand_positions(machine->x);
        if (value < 0 || value >= count)
            return expand_walk_fail(machine, stmt->at,
                                    "a pipelined loop runs over sections, and %lld lies outside of "
                                    "bits 0 .. %lld; write 'serial for'",
                                    (long long)value, (long long)count - 1);
        machine->position = (int)value;
        vec_push(&machine->lap->starts, machine->x->list.uops.len);
        machine->lap->before.len = 0;
        for (size_t i = 0; i < machine->lap->now.len; i++)
            vec_push(&machine->lap->before, machine->lap->now.data[i]);
        machine->lap->now.len = machine->lap->next = 0;
    }
    bool fine = run(machine, stmt->body);
    machine->path = path;
    return fine;
}

static bool run_laps(struct section_machine *machine, const struct recipe_stmt *stmt, int64_t first,
                     int64_t last) {
    int64_t step = stmt->down ? -1 : 1;
    for (int64_t v = first; stmt->down ? v >= last : v <= last; v += step) {
        if (++machine->steps > MAX_STEPS)
            return expand_walk_fail(machine, stmt->at, "the loop does not end within %u statements",
                                    MAX_STEPS);
        if (!run_lap(machine, stmt, v))
            return false;
        if (v == last)
            break; /* also where the next number would not fit */
    }
    return true;
}

/* Laps of loops in mapped recipes may be words, where sections can be joined. */
static bool distributes(const struct section_machine *machine, const struct recipe_stmt *stmt) {
    return plane_target(machine->x->set->target)->partitioned && machine->frame->unit->mapped &&
           !stmt->serial && !machine->x->in_order;
}

static bool run_for(struct section_machine *machine, const struct recipe_stmt *stmt) {
    int64_t first, last;
    struct binding *b = binding_of(machine, stmt->targets[0]);
    if (stmt->targets[0]->ref < SYMBOL_FIXED || b->kind != UNBOUND)
        return expand_walk_fail(machine, stmt->targets[0]->at, "'%s' is already something else",
                                stmt->targets[0]->name);
    if (stmt->par)
        return expand_walk_par(machine, stmt, run);
    if (!expand_walk_eval(machine, stmt->first, &first) ||
        !expand_walk_eval(machine, stmt->last, &last))
        return false;
    struct pipelined_lap lap = {0}, *outer = machine->lap;
    int position = machine->position;
    bool in_section = machine->in_section;
    if (!stmt->serial) {
        machine->lap = &lap;
        machine->in_section = true;
    }
    bool fine = run_laps(machine, stmt, first, last);
    if (fine && distributes(machine, stmt))
        expand_walk_distribute(machine, &lap);
    *b = (struct binding){0};
    machine->lap = outer;
    machine->position = position;
    machine->in_section = in_section;
    vec_free(&lap.before);
    vec_free(&lap.now);
    vec_free(&lap.starts);
    return fine;
}

static bool run_stmt(struct section_machine *machine, const struct recipe_stmt *stmt) {
    switch (stmt->kind) {
    case STMT_CALL:
        return run_call(machine, stmt, stmt->value,
                        (const struct recipe_expr *const *)stmt->targets, stmt->target_count);
    case STMT_CARRY:
        return run_carry(machine, stmt);
    case STMT_FOR:
        return run_for(machine, stmt);
    case STMT_IF:
        return run_if(machine, stmt);
    case STMT_AT:
        return run_at(machine, stmt);
    case STMT_LET:
        return run_let(machine, stmt);
    case STMT_ARROW:
        return run_arrow(machine, stmt);
    case STMT_PASS:
        return expand_walk_pass(machine, stmt);
    case STMT_LOGIC:
        break;
    }
    return expand_walk_fail(machine, stmt->at, "logic stands in generic recipes alone");
}

static bool run(struct section_machine *machine, const struct recipe_stmt *stmt) {
    for (; stmt; stmt = stmt->next) {
        if (++machine->steps > MAX_STEPS)
            return expand_walk_fail(machine, stmt->at, "the body does not end within %u statements",
                                    MAX_STEPS);
        if (!run_stmt(machine, stmt))
            return false;
    }
    return true;
}

/* --- the recipe as a whole --- */

static void bind_params(struct section_machine *machine, const struct param *list,
                        const uint8_t *fields, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        struct binding *b = &machine->frame->bindings[list[i].symbol];
        if (fields[i] == FIELD_IMM)
            *b = (struct binding){.kind = BOUND_INT, .number = machine->x->insn->imm};
        else if (fields[i] <= FIELD_RD)
            *b = (struct binding){.kind = BOUND_REG, .field = fields[i]};
    }
}

/* A result that is no source must be written whole. */
static bool check_results(struct section_machine *machine, const struct signature *signature) {
    const struct recipe_unit *u = &machine->x->recipe->unit;
    for (unsigned i = 0; i < signature->out_count; i++) {
        uint8_t f = signature->out[i];
        bool latch = (f == FIELD_C && !machine->x->wrote_c) || (f == FIELD_M && !machine->wrote_m);
        uint64_t missing = f <= FIELD_RD && !expand_walk_field_is_read(machine->x, f)
                               ? low_bits(machine->x->w) & ~machine->written[f]
                               : 0;
        if (latch)
            return expand_walk_fail(machine, u->out[i].at, "'%s' is never written", u->out[i].name);
        if (missing)
            return expand_walk_fail(machine, u->out[i].at, "bit %d of '%s' is never written",
                                    __builtin_ctzll(missing), u->out[i].name);
    }
    return true;
}

bool expand_body(struct expansion *expansion) {
    const struct recipe_unit *u = &expansion->recipe->unit;
    struct walk_frame f = {.unit = u, .bindings = new_bindings(u)};
    struct section_machine m = {.x = expansion, .frame = &f, .path = 1};
    struct signature s;
    notation_signature(expansion->recipe->op, &s);
    expansion->wrote_c = false;
    f.bindings[SYMBOL_W] = (struct binding){.kind = BOUND_INT, .number = expansion->w};
    bind_params(&m, u->in, s.in, s.in_count);
    bind_params(&m, u->out, s.out, s.out_count);
    bool fine = run(&m, u->body) && check_results(&m, &s) && expand_resolve_copies(expansion);
    expansion->carries[0] = (unsigned)m.carries[0].len;
    expansion->carries[1] = (unsigned)m.carries[1].len;
    if (fine && u->mapped && technology_sections_apart(expansion->set->target))
        fine = expand_settle_buffers(expansion);
    if (fine && u->mapped)
        expand_drop_dead(expansion);
    vec_free(&m.carries[0]);
    vec_free(&m.carries[1]);
    vec_free(&m.rows);
    expand_walk_par_free(&m.par);
    free_bindings(u, f.bindings);
    return fine;
}

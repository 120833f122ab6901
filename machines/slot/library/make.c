/* SPDX-License-Identifier: MIT
 * A routine carried out for one width, slot and constant, statement by statement. */
#include "machines/slot/library/making.h"

#include "recipe/set/set.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 1 << 18 };

static void fail_with(struct row_making *m, struct span at, bool lacks, const char *format,
                      va_list args) {
    if (m->failed)
        return;
    m->failed = true;
    m->lacks = lacks;
    m->at = at;
    str_vprintf(m->problem, format, args);
}

void row_fail(struct row_making *m, struct span at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fail_with(m, at, false, format, args);
    va_end(args);
}

void row_lack(struct row_making *m, struct span at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fail_with(m, at, true, format, args);
    va_end(args);
}

/* ---- names ---- */

struct row_binding *row_find_name(const struct row_making *m, const char *name) {
    for (size_t i = m->names.len; i-- > m->floor;)
        if (!strcmp(m->names.data[i].name, name))
            return &m->names.data[i];
    return NULL;
}

struct row_binding *row_bind_name(struct row_making *m, const char *name, struct row_binding what) {
    what.name = name;
    vec_push(&m->names, what);
    return &vec_last(&m->names);
}

int row_name_at(const char *const *names, unsigned count, const char *name) {
    for (unsigned i = 0; i < count; i++)
        if (!strcmp(names[i], name))
            return (int)i;
    return -1;
}

/* ---- statements ---- */

/* Where an assignment to the name goes: a new value, the first time. */
static struct row_operand target(struct row_making *m, const char *name, struct span at) {
    struct row_binding *b = row_find_name(m, name);
    if (b && b->kind == BOUND_VALUE)
        return b->operand;
    if (b && !b->source) {
        row_fail(m, at, "'%s' is read only: a %s", name,
                 b->kind == BOUND_NUMBER  ? "number"
                 : b->kind == BOUND_TABLE ? "table"
                                          : "row that "
                                            "has another name");
        return (struct row_operand){.place = PLACE_NONE};
    }
    struct row_operand to = row_fresh(m);
    if (!b)
        row_bind_name(m, name, row_bound_value(to));
    return to;
}

/* A source that is a result too means the result from the first assignment on. */
static void turn_source(struct row_making *m, const char *name, struct row_operand to) {
    struct row_binding *b = row_find_name(m, name);
    if (b && b->kind == BOUND_ROW && b->source) {
        b->kind = BOUND_VALUE;
        b->operand = to;
    }
}

static void run_assign(struct row_making *m, const struct row_stmt *s) {
    struct row_operand to[ROW_MAX_NAMES];
    for (unsigned i = 0; i < s->name_count && !m->failed; i++) {
        for (unsigned j = 0; j < i; j++)
            if (!strcmp(s->names[i], s->names[j]))
                row_fail(m, s->at, "'%s' is written twice", s->names[i]);
        /* A name that is new is not there yet for what it is made from. */
        to[i] = target(m, s->names[i], s->at);
    }
    if (m->failed)
        return;
    if (s->name_count == 1)
        row_put_into(m, to[0], s->value);
    else if (s->value->kind == EXPR_CALL && strcmp(s->value->name, "lookup"))
        row_call_sub(m, s->value, to, s->name_count);
    else
        row_fail(m, s->at, "only a sub has several results");
    for (unsigned i = 0; i < s->name_count; i++)
        turn_source(m, s->names[i], to[i]);
}

static void run_let(struct row_making *m, const struct row_stmt *s) {
    struct row_binding b = row_is_number(m, s->value) ? row_bound_number(row_number_of(m, s->value))
                                                      : row_bound_row(row_of_expr(m, s->value));
    struct row_binding *old = row_find_name(m, s->names[0]);
    if (old && old->kind == BOUND_VALUE)
        row_fail(m, s->at, "'%s' is a row that is written already", s->names[0]);
    row_bind_name(m, s->names[0], b);
}

static void run_table(struct row_making *m, const struct row_stmt *s) {
    uint64_t *entries = xcalloc(s->element_count + 1, sizeof *entries);
    for (uint32_t i = 0; i < s->element_count; i++)
        entries[i] = row_number_of(m, s->elements[i]);
    vec_push(&m->arrays, entries);
    row_bind_name(m, s->names[0],
                  (struct row_binding){
                      .kind = BOUND_TABLE, .entries = entries, .entry_count = s->element_count});
}

/* Values that a lap makes have the same numbers in each, so that laps can be alike. */
static void run_for(struct row_making *m, const struct row_stmt *s) {
    int64_t first = (int64_t)row_number_of(m, s->first), last = (int64_t)row_number_of(m, s->last);
    int64_t step = s->down ? -1 : 1;
    VEC(size_t) starts = {0};
    uint32_t values = m->next_value, most = values;
    m->loops++;
    for (int64_t i = first; !m->failed && (s->down ? i >= last : i <= last); i += step) {
        size_t names = m->names.len;
        vec_push(&starts, m->items.len);
        m->next_value = values;
        row_bind_name(m, s->names[0], row_bound_number((uint64_t)i));
        row_run_block(m, s->body);
        m->names.len = names;
        most = m->next_value > most ? m->next_value : most;
    }
    m->next_value = most;
    m->loops--;
    if (!m->failed)
        row_roll(m, starts.data, starts.len);
    vec_free(&starts);
}

/* What a body leaves behind, to be taken back. */
struct row_mark {
    size_t items, names;
    uint32_t values;
    struct row_binding *saved;
};

static struct row_mark mark(const struct row_making *m) {
    struct row_mark x = {m->items.len, m->names.len, m->next_value,
                         xcalloc(m->names.len + 1, sizeof *x.saved)};
    memcpy(x.saved, m->names.data, m->names.len * sizeof *x.saved);
    return x;
}

static void take_back(struct row_making *m, const struct row_mark *x) {
    m->items.len = x->items;
    m->names.len = x->names;
    m->next_value = x->values;
    memcpy(m->names.data, x->saved, x->names * sizeof *x->saved);
}

/* A body that asks for what the target's match logic cannot do is left out of the choice. */
static bool leave_out(struct row_making *m, size_t problem) {
    bool left_out = m->failed && m->lacks;
    if (left_out) {
        m->failed = m->lacks = false;
        m->problem->len = problem;
        m->problem->text[problem] = '\0';
    }
    return left_out;
}

/* The cheapest body; of equal ones the first. */
static void run_choose(struct row_making *m, const struct row_stmt *s) {
    const struct row_stmt *best = s;
    uint64_t least = UINT64_MAX;
    struct row_mark before = mark(m);
    size_t problem = m->problem->len;
    for (const struct row_stmt *x = s; x && !m->failed; x = x->otherwise) {
        size_t floor = m->floor;
        unsigned depth = m->depth, loops = m->loops;
        row_run_block(m, x->body);
        bool there = !leave_out(m, problem);
        uint64_t cost = m->failed || !there ? 0 : row_items_cost(m, before.items);
        take_back(m, &before);
        m->floor = floor;
        m->depth = depth;
        m->loops = loops;
        if (there && cost < least) {
            least = cost;
            best = x;
        }
    }
    free(before.saved);
    row_run_block(m, best->body);
}

static void run_stmt(struct row_making *m, const struct row_stmt *s) {
    if (m->steps++ > MAX_STEPS)
        row_fail(m, s->at, "the body does not end within 2^18 statements");
    if (m->failed)
        return;
    switch (s->kind) {
    case ROW_ASSIGN:
        run_assign(m, s);
        break;
    case ROW_LET:
        run_let(m, s);
        break;
    case ROW_FOR:
        run_for(m, s);
        break;
    case ROW_IF:
        row_run_block(m, row_number_of(m, s->value) ? s->body : s->otherwise);
        break;
    case ROW_CHOOSE:
        run_choose(m, s);
        break;
    case ROW_TABLE:
        run_table(m, s);
        break;
    }
}

bool row_run_block(struct row_making *m, const struct row_stmt *s) {
    for (; s && !m->failed; s = s->next)
        run_stmt(m, s);
    return !m->failed;
}

/* ---- routines ---- */

static uint16_t row_of_field(uint8_t field) {
    static const uint16_t rows[] = {[FIELD_RS] = ROW_RS,
                                    [FIELD_RT] = ROW_RT,
                                    [FIELD_RD] = ROW_RD,
                                    [FIELD_C] = ROW_C,
                                    [FIELD_M] = ROW_M};
    return rows[field];
}

static struct row_binding constant_of(const struct row_making *m) {
    return row_bound_number((uint64_t)(int64_t)m->insn->imm);
}

static void bind_operands(struct row_making *m, const struct row_routine *unit,
                          const struct signature *signature) {
    const struct isa_lut *lut = m->insn->table;
    row_bind_name(m, "w", row_bound_number(m->w));
    row_bind_name(m, "slot", row_bound_number(m->slot));
    row_bind_name(m, "valid", row_bound_row(row_register(ROW_VALID)));
    for (unsigned i = 0; i < unit->in_count; i++) {
        bool table = isa_has_table(m->insn->op) && i == 1;
        if (table) {
            row_bind_name(m, "k", row_bound_number(lut->index_bits));
            row_bind_name(m, unit->in[i],
                          (struct row_binding){.kind = BOUND_TABLE,
                                               .entries = lut->entries,
                                               .entry_count = UINT32_C(1) << lut->index_bits});
        } else if (signature->in[i] == FIELD_IMM) {
            row_bind_name(m, unit->in[i], constant_of(m));
        } else {
            struct row_binding b = row_bound_row(row_register(row_of_field(signature->in[i])));
            b.source = row_name_at(unit->out, unit->out_count, unit->in[i]) >= 0;
            row_bind_name(m, unit->in[i], b);
        }
    }
}

static bool take_results(struct row_making *m, const struct row_routine *unit,
                         const struct signature *signature, struct row_result *results) {
    for (unsigned i = 0; i < unit->out_count && !m->failed; i++) {
        const struct row_binding *b = row_find_name(m, unit->out[i]);
        if (!b || b->kind != BOUND_VALUE)
            row_fail(m, unit->at, "result '%s' is not written", unit->out[i]);
        else
            results[i] = (struct row_result){row_of_field(signature->out[i]), b->operand.id};
    }
    return !m->failed;
}

bool row_make(struct row_making *m, const struct row_routine *unit, struct row_pool *pool,
              struct row_program *program) {
    struct row_result results[ROW_MAX_NAMES];
    struct signature signature;
    notation_signature(m->insn->op, &signature);
    bind_operands(m, unit, &signature);
    return row_run_block(m, unit->body) && take_results(m, unit, &signature, results) &&
           row_finish(m, results, unit->out_count, pool, program);
}

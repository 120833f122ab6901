/* SPDX-License-Identifier: MIT
 * A recipe table for people. */
#include "recipe/table/forms.h"
#include "recipe/table/parts.h"
#include "recipe/uop_text.h"

#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const roles[] = {"rs", "rt", "rd"};

/* ---- forms ---- */

/* The name of an operand: of the first one that is the same register. */
static const char *role_name(const struct recipe_form *f, enum operand_role role) {
    if (role == ROLE_RD && (f->alias & ALIAS_RS_RD))
        return roles[0];
    if (role == ROLE_RD && (f->alias & ALIAS_RT_RD))
        return roles[1];
    if (role == ROLE_RT && (f->alias & ALIAS_RS_RT))
        return roles[0];
    return role == ROLE_RS ? roles[0] : role == ROLE_RT ? roles[1] : roles[2];
}

void table_form_text(const struct recipe_form *f, const struct isa_users *users, struct str *out) {
    const struct isa_info *info = isa_info(table_form_op(f->opcode));
    str_append(out, users ? isa_users_name(users, table_form_op(f->opcode)) : info->name);
    if (f->width)
        str_printf(out, ".%u", f->width);
    for (unsigned i = 0; i < info->operand_count; i++) {
        enum operand_role role = info->operands[i];
        if (role == ROLE_RS || role == ROLE_RT || role == ROLE_RD)
            str_printf(out, " %s", role_name(f, role));
        else if (role == ROLE_COND)
            str_append(out, " cond");
        else if (f->constant == CONSTANT_ONE)
            str_printf(out, " %" PRId32, f->imm);
        else
            str_append(out, " imm");
    }
    if (f->masking != MASKING_ANY)
        str_append(out, f->masking == MASKING_ON ? ", masked" : ", not masked");
}

/* ---- templates ---- */

/* "j+3", "t-1" ...: sign times the position, base, and times the number of the lap around. */
static void index_text(int sign, int base, int outer, struct str *out) {
    str_append(out, "[");
    if (sign < 0)
        str_printf(out, "%d-j", base);
    else if (!sign)
        str_printf(out, "%d", base);
    else if (base)
        str_printf(out, "j%+d", base);
    else
        str_append(out, "j");
    if (outer == 1 || outer == -1)
        str_append(out, outer > 0 ? "+n" : "-n");
    else if (outer)
        str_printf(out, "%+dn", outer);
    str_append(out, "]");
}

static int sign_of(const struct table_operand *o) {
    if (o->mode == MODE_MIRRORED)
        return -1;
    return o->mode == MODE_FOLLOWS || (o->mode == MODE_PLAIN && o->class != PLANE_SCRATCH);
}

static void row_text(const struct target *t, const struct table_operand *o, struct str *out) {
    int base = o->number - (o->mode == MODE_FOLLOWS ? ROW_BIAS : 0);
    if (o->mode == MODE_PLAIN && !o->outer) {
        recipe_scratch_row_text(t, o->number, out);
        return;
    }
    str_append(out, "t");
    index_text(sign_of(o), base, o->outer, out);
}

static void offset_text(int offset, struct str *out) {
    if (offset)
        str_printf(out, "@j%+d", offset);
}

static void operand_text(const struct target *t, const struct table_operand *o, struct str *out) {
    static const char *const constants[] = {"zero", "one", "imm"};
    switch (o->class) {
    case PLANE_REGISTER:
        str_append(out, roles[o->number]);
        index_text(sign_of(o), o->offset, o->outer, out);
        break;
    case PLANE_C:
    case PLANE_M:
        str_append(out, o->class == PLANE_C ? "C" : "M");
        break;
    case PLANE_VALID:
        str_append(out, "valid");
        break;
    case PLANE_CONST:
        str_append(out, constants[o->number]);
        if (o->number == CONSTANT_BIT)
            index_text(sign_of(o), o->offset, o->outer, out);
        break;
    case PLANE_SCRATCH:
        row_text(t, o, out);
        offset_text(o->offset, out);
        break;
    default:
        str_printf(out, "%s%u", o->number >> 8 ? "down" : "up", o->number & 0xff);
        offset_text(o->offset, out);
        break;
    }
}

static void op_text(const struct table_layout *l, const struct table_entry *e, struct str *out) {
    const struct target_op *op = &plane_target(l->t)->ops[e->op];
    str_append(out, op->name);
    for (unsigned i = 0; i < op->ndst; i++) {
        str_append(out, i ? ", " : " ");
        str_append(out, recipe_operand_is_inverted(op, op->nsrc + i) ? "!" : "");
        operand_text(l->t, &e->operands[op->nsrc + i], out);
    }
    for (unsigned i = 0; i < op->nsrc; i++) {
        str_append(out, i ? ", " : " <- ");
        str_append(out, recipe_operand_is_inverted(op, i) ? "!" : "");
        operand_text(l->t, &e->operands[i], out);
    }
    if (e->forward == FORWARD_RULE)
        str_append(out, ", forwarded");
    else if (e->forward)
        str_printf(out, ", forwarded from %" PRIu32 " back", e->forward - FORWARD_FROM);
}

static void loop_text(const struct table_entry *e, struct str *out) {
    str_printf(out, "for %" PRIu32 " lap%s", e->loop.laps, e->loop.laps == 1 ? "" : "s");
    if (e->loop.change)
        str_printf(out, ", %+" PRId32 " each lap around it", e->loop.change);
    if (e->loop.step == 1 || e->loop.step == -1)
        str_append(out, e->loop.step == 1 ? ", up" : ", down");
    else if (e->loop.step)
        str_printf(out, ", by %" PRId32, e->loop.step);
    str_append(out, e->forward ? ", pipelined {" : " {");
}

static void move_text(const struct table_entry *e, struct str *out) {
    static const char *const from[] = {"", "lap ", "j "};
    if (e->move.mode == MOVE_TO)
        str_printf(out, "j = %" PRId32, e->move.value);
    else
        str_printf(out, "j = %s%c %" PRId32, from[e->move.mode], e->move.value < 0 ? '-' : '+',
                   e->move.value < 0 ? -e->move.value : e->move.value);
    if (e->move.change)
        str_printf(out, ", %+" PRId32 " each lap", e->move.change);
}

/* Which templates it leads to. */
static void pointer_text(uint32_t pointer, struct str *out) {
    uint32_t first = pointer >> 10, last = first + (pointer & 1023);
    str_printf(out, ": %" PRIu32, first);
    if (last > first)
        str_printf(out, " to %" PRIu32, last);
}

static void entry_text(const struct table_code *c, const struct table_entry *e, struct str *out) {
    switch (e->kind) {
    case ENTRY_OP:
        op_text(&c->layout, e, out);
        break;
    case ENTRY_LOOP:
        loop_text(e, out);
        break;
    case ENTRY_MOVE:
        move_text(e, out);
        break;
    default:
        str_printf(out, "-> pointer %" PRIu32, e->pointer);
        break;
    }
}

/* ---- costs ---- */

struct entry_cost {
    uint64_t micro_ops, energy_fj;
};

/* Of each entry of the table, when one form is carried out once. */
struct entry_costing {
    const struct table_code *code;
    struct table_run run;
    struct entry_cost *of;
};

static bool count_uop(void *context, const struct table_entry *e,
                      const struct table_course *course) {
    struct entry_costing *c = context;
    const struct table_entry *at = c->run.via ? c->run.via : e;
    struct entry_cost *cost = &c->of[at - c->code->entries.data];
    (void)course;
    cost->micro_ops++;
    cost->energy_fj += recipe_uop_energy(c->code->layout.t, e->op);
    return true;
}

/* The caller frees it.  The form was tried when the table was opened: the walk ends. */
static struct entry_cost *entry_costs(const struct recipe_table *table,
                                      const struct table_range *form) {
    const struct table_code *code = table->code;
    struct entry_costing c = {.code = code};
    c.of = xcalloc(code->entries.len + 1, sizeof *c.of);
    c.run = (struct table_run){.entries = code->entries.data,
                               .pointers = code->pointers,
                               .pointer_count = table->pointer_count,
                               .emit = count_uop,
                               .context = &c};
    table_walk(&c.run, form->first, form->count, 0);
    return c.of;
}

/* ---- listings ---- */

struct listing {
    const struct recipe_table *table;
    const struct entry_cost *costs;
    struct str *out;
    uint32_t at; /* template */
};

/* Width of the columns before a template's meaning. */
#define COLUMNS 39

static void list_word(struct listing *l, const struct entry_cost *cost) {
    str_printf(l->out, "%8" PRIu32 "  %06" PRIx32, l->at, l->table->templates[l->at]);
    if (cost && cost->micro_ops)
        str_printf(l->out, "%10" PRIu64 "%11" PRIu64 "  ", cost->micro_ops, cost->energy_fj);
    else
        str_printf(l->out, "%23s", "");
    l->at++;
}

static void list_entry(struct listing *l, uint32_t i, unsigned depth) {
    const struct table_entry *e = &l->table->code->entries.data[i];
    for (unsigned k = 1; k < e->words; k++) {
        list_word(l, NULL);
        str_printf(l->out, "%*s...\n", (int)(2 * depth), "");
    }
    list_word(l, &l->costs[i]);
    str_printf(l->out, "%*s", (int)(2 * depth), "");
    entry_text(l->table->code, e, l->out);
    if (e->kind == ENTRY_POINTER)
        pointer_text(l->table->pointers[e->pointer], l->out);
    str_char(l->out, '\n');
}

static void list_range(struct listing *l, uint32_t first, uint32_t end, unsigned depth) {
    for (uint32_t i = first; i < end; i++) {
        const struct table_entry *e = &l->table->code->entries.data[i];
        list_entry(l, i, depth);
        if (e->kind != ENTRY_LOOP)
            continue;
        list_range(l, i + 1, i + 1 + e->loop.entries, depth + 1);
        i += e->loop.entries;
        str_printf(l->out, "%*s}\n", (int)(COLUMNS + 2 * depth), "");
    }
}

void recipe_table_text(const struct recipe_table *table, const struct recipe_form *f,
                       struct str *out) {
    const struct table_range *r = &table->code->forms[f - table->forms];
    struct entry_cost *costs = entry_costs(table, r);
    struct listing l = {table, costs, out, f->first};
    str_append(out, "template  word   micro_ops  energy_fj  micro-op\n");
    list_range(&l, r->first, r->first + r->count, 0);
    free(costs);
}

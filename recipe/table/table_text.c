/* SPDX-License-Identifier: MIT
 * A recipe table for people. */
#include "recipe/table/forms.h"
#include "recipe/table/parts.h"
#include "recipe/set/uop_text.h"

#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const roles[] = {"rs", "rt", "rd"};

/* ---- forms ---- */

/* The name of an operand: of the first one that is the same register. */
static const char *role_name(const struct recipe_form *form, enum operand_role role) {
    if (role == ROLE_RD && (form->alias & ALIAS_RS_RD))
        return roles[0];
    if (role == ROLE_RD && (form->alias & ALIAS_RT_RD))
        return roles[1];
    if (role == ROLE_RT && (form->alias & ALIAS_RS_RT))
        return roles[0];
    return role == ROLE_RS ? roles[0] : role == ROLE_RT ? roles[1] : roles[2];
}

void table_form_text(const struct recipe_form *form, const struct isa_users *users,
                     struct str *out) {
    const struct isa_info *info = isa_info(table_form_op(form->opcode));
    str_append(out, users ? isa_users_name(users, table_form_op(form->opcode)) : info->name);
    if (form->width)
        str_printf(out, ".%u", form->width);
    for (unsigned i = 0; i < info->operand_count; i++) {
        enum operand_role role = info->operands[i];
        if (role == ROLE_RS || role == ROLE_RT || role == ROLE_RD)
            str_printf(out, " %s", role_name(form, role));
        else if (role == ROLE_COND)
            str_append(out, " cond");
        else if (form->constant == CONSTANT_ONE)
            str_printf(out, " %" PRId32, form->imm);
        else
            str_append(out, " imm");
    }
    if (form->masking != MASKING_ANY)
        str_append(out, form->masking == MASKING_ON ? ", masked" : ", not masked");
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

static int sign_of(const struct table_operand *operand) {
    if (operand->mode == MODE_MIRRORED)
        return -1;
    return operand->mode == MODE_FOLLOWS ||
           (operand->mode == MODE_PLAIN && operand->class != PLANE_SCRATCH);
}

static void row_text(const struct target *target, const struct table_operand *operand,
                     struct str *out) {
    int base = operand->number - (operand->mode == MODE_FOLLOWS ? ROW_BIAS : 0);
    if (operand->mode == MODE_PLAIN && !operand->outer) {
        recipe_scratch_row_text(target, operand->number, out);
        return;
    }
    str_append(out, "t");
    index_text(sign_of(operand), base, operand->outer, out);
}

static void offset_text(int offset, struct str *out) {
    if (offset)
        str_printf(out, "@j%+d", offset);
}

static void operand_text(const struct target *target, const struct table_operand *operand,
                         struct str *out) {
    static const char *const constants[] = {"zero", "one", "imm"};
    switch (operand->class) {
    case PLANE_REGISTER:
        str_append(out, roles[operand->number]);
        index_text(sign_of(operand), operand->offset, operand->outer, out);
        break;
    case PLANE_C:
    case PLANE_M:
        str_append(out, operand->class == PLANE_C ? "C" : "M");
        break;
    case PLANE_VALID:
        str_append(out, "valid");
        break;
    case PLANE_CONST:
        str_append(out, constants[operand->number]);
        if (operand->number == CONSTANT_BIT)
            index_text(sign_of(operand), operand->offset, operand->outer, out);
        break;
    case PLANE_SCRATCH:
        row_text(target, operand, out);
        offset_text(operand->offset, out);
        break;
    default:
        str_printf(out, "%s%u", operand->number >> 8 ? "down" : "up", operand->number & 0xff);
        offset_text(operand->offset, out);
        break;
    }
}

static void op_text(const struct table_layout *layout, const struct table_entry *entry,
                    struct str *out) {
    const struct target_op *op = &plane_target(layout->t)->ops[entry->op];
    str_append(out, op->name);
    for (unsigned i = 0; i < op->ndst; i++) {
        str_append(out, i ? ", " : " ");
        str_append(out, recipe_operand_is_inverted(op, op->nsrc + i) ? "!" : "");
        operand_text(layout->t, &entry->operands[op->nsrc + i], out);
    }
    for (unsigned i = 0; i < op->nsrc; i++) {
        str_append(out, i ? ", " : " <- ");
        str_append(out, recipe_operand_is_inverted(op, i) ? "!" : "");
        operand_text(layout->t, &entry->operands[i], out);
    }
    if (entry->forward == FORWARD_RULE)
        str_append(out, ", forwarded");
    else if (entry->forward)
        str_printf(out, ", forwarded from %" PRIu32 " back", entry->forward - FORWARD_FROM);
}

static void loop_text(const struct table_entry *entry, struct str *out) {
    str_printf(out, "for %" PRIu32 " lap%s", entry->loop.laps, entry->loop.laps == 1 ? "" : "s");
    if (entry->loop.change)
        str_printf(out, ", %+" PRId32 " each lap around it", entry->loop.change);
    if (entry->loop.step == 1 || entry->loop.step == -1)
        str_append(out, entry->loop.step == 1 ? ", up" : ", down");
    else if (entry->loop.step)
        str_printf(out, ", by %" PRId32, entry->loop.step);
    str_append(out, entry->forward ? ", pipelined {" : " {");
}

static void move_text(const struct table_entry *entry, struct str *out) {
    static const char *const from[] = {"", "lap ", "j "};
    if (entry->move.mode == MOVE_TO)
        str_printf(out, "j = %" PRId32, entry->move.value);
    else
        str_printf(out, "j = %s%c %" PRId32, from[entry->move.mode],
                   entry->move.value < 0 ? '-' : '+',
                   entry->move.value < 0 ? -entry->move.value : entry->move.value);
    if (entry->move.change)
        str_printf(out, ", %+" PRId32 " each lap", entry->move.change);
}

/* Which templates it leads to. */
static void pointer_text(uint32_t pointer, struct str *out) {
    uint32_t first = pointer >> 10, last = first + (pointer & 1023);
    str_printf(out, ": %" PRIu32, first);
    if (last > first)
        str_printf(out, " to %" PRIu32, last);
}

static void entry_text(const struct table_code *code, const struct table_entry *entry,
                       struct str *out) {
    switch (entry->kind) {
    case ENTRY_OP:
        op_text(&code->layout, entry, out);
        break;
    case ENTRY_LOOP:
        loop_text(entry, out);
        break;
    case ENTRY_MOVE:
        move_text(entry, out);
        break;
    default:
        str_printf(out, "-> pointer %" PRIu32, entry->pointer);
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

static bool count_uop(void *context, const struct table_entry *entry,
                      const struct table_course *course) {
    struct entry_costing *c = context;
    const struct table_entry *at = c->run.via ? c->run.via : entry;
    struct entry_cost *cost = &c->of[at - c->code->entries.data];
    (void)course;
    cost->micro_ops++;
    cost->energy_fj += recipe_uop_energy(c->code->layout.t, entry->op);
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

static void list_word(struct listing *listing, const struct entry_cost *cost) {
    str_printf(listing->out, "%8" PRIu32 "  %06" PRIx32, listing->at,
               listing->table->templates[listing->at]);
    if (cost && cost->micro_ops)
        str_printf(listing->out, "%10" PRIu64 "%11" PRIu64 "  ", cost->micro_ops, cost->energy_fj);
    else
        str_printf(listing->out, "%23s", "");
    listing->at++;
}

static void list_entry(struct listing *listing, uint32_t index, unsigned depth) {
    const struct table_entry *e = &listing->table->code->entries.data[index];
    for (unsigned k = 1; k < e->words; k++) {
        list_word(listing, NULL);
        str_printf(listing->out, "%*s...\n", (int)(2 * depth), "");
    }
    list_word(listing, &listing->costs[index]);
    str_printf(listing->out, "%*s", (int)(2 * depth), "");
    entry_text(listing->table->code, e, listing->out);
    if (e->kind == ENTRY_POINTER)
        pointer_text(listing->table->pointers[e->pointer], listing->out);
    str_char(listing->out, '\n');
}

static void list_range(struct listing *listing, uint32_t first, uint32_t end, unsigned depth) {
    for (uint32_t i = first; i < end; i++) {
        const struct table_entry *e = &listing->table->code->entries.data[i];
        list_entry(listing, i, depth);
        if (e->kind != ENTRY_LOOP)
            continue;
        list_range(listing, i + 1, i + 1 + e->loop.entries, depth + 1);
        i += e->loop.entries;
        str_printf(listing->out, "%*s}\n", (int)(COLUMNS + 2 * depth), "");
    }
}

void recipe_table_text(const struct recipe_table *table, const struct recipe_form *form,
                       struct str *out) {
    const struct table_range *r = &table->code->forms[form - table->forms];
    struct entry_cost *costs = entry_costs(table, r);
    struct listing l = {table, costs, out, form->first};
    str_append(out, "template  word   micro_ops  energy_fj  micro-op\n");
    list_range(&l, r->first, r->first + r->count, 0);
    free(costs);
}

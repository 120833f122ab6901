/* SPDX-License-Identifier: MIT
 * mpu-objdump --recipes: row programs as they are rolled, tables, and what they take. */
#include "machines/slot/link/link.h"

#include <inttypes.h>

/* Some kin comes to the instruction, and carries it out by the form. */
static bool is_served(const struct slot_code *c, const struct slot_form *f,
                      const struct machine_program *p, uint32_t index) {
    const struct insn *x = &p->text->insns[index];
    return insn_flags(x) & ISA_VECTOR && machine_kin_reaches(p, f->kin, index) &&
           slot_form_of(c, x, f->kin, f->masked) == f;
}

static void print_cost(const struct target *t, const struct slot_form *f, uint32_t rows,
                       const struct slot_tables *tables, const struct slot_room *room,
                       struct str *out) {
    const struct slot_step alone = {t, 1};
    struct row_cursor cursor = row_cursor(&f->program);
    struct row_command command;
    struct slot_cost all = {0};
    uint64_t count = 0;
    for (; row_next(&cursor, &command); count++) {
        enum slot_home home =
            command.kind == ROW_QUERY ? (enum slot_home)tables->homes[command.b] : SLOT_HOME_PAIR;
        struct slot_cost one = slot_price_at(&alone, command.kind, command.count, home, room),
                         load = slot_cost_load(t, command.count);
        slot_cost_add(&all, &one, rows);
        if (home == SLOT_HOME_QUERY) /* for all rows of a register */
            slot_cost_add(&all, &load, 1);
    }
    str_printf(out, "%" PRIu64 " command%s, ", count * rows, count * rows == 1 ? "" : "s");
    for (unsigned i = 0; i < SLOT_COMMANDS; i++)
        if (all.count[i])
            str_printf(out, "%" PRIu64 " %s, ", all.count[i], slot_command_names[i]);
    str_printf(out, "%" PRIu64 ".%03" PRIu64 " ns", all.ps / 1000, all.ps % 1000);
}

/* The first instruction of the text that the form serves, as it stands there but for registers. */
static void print_form(const struct slot_code *c, const struct machine_library *l,
                       const struct slot_form *f, const struct machine_program *p,
                       struct str *out) {
    const struct slot_kin *k = &c->kins.data[f->kin];
    uint32_t uses = 0;
    for (uint32_t i = 0; i < p->text->len; i++) {
        if (is_served(c, f, p, i) && uses++ == 0)
            isa_format_insn(&p->text->insns[i], NULL, out);
    }
    if (!uses)
        return;
    str_append(out, f->masked ? ", masked" : "");
    if (c->kins.len > 1)
        str_printf(out, ", in slots of %d", k->slot);
    str_append(out, ": ");
    struct slot_tables tables = slot_kin_tables(l->target, c, f->kin);
    const struct slot_room room = slot_kin_room(l->target, c, f->kin);
    print_cost(l->target, f, k->rows, &tables, &room, out);
    slot_tables_free(&tables);
    str_printf(out, ", of %" PRIu32 " instruction%s\n", uses, uses == 1 ? "" : "s");
    row_program_text(&f->program, &k->pool, NULL, out);
}

static void print_tables(const struct slot_code *c, uint32_t kin, const struct target *t,
                         struct str *out) {
    static const char *const where[] = {[SLOT_HOME_PAIR] = "",
                                        [SLOT_HOME_BANK] = "",
                                        [SLOT_HOME_RUN] = ", loaded with each run",
                                        [SLOT_HOME_QUERY] = ", loaded for each query"};
    const struct slot_kin *k = &c->kins.data[kin];
    struct slot_tables x = slot_kin_tables(t, c, kin);
    for (size_t i = 0; i < k->pool.tables.len; i++) {
        const struct row_table *table = &k->pool.tables.data[i];
        struct slot_table_shape shape = slot_table_shape(t, slot_table_rows(table));
        str_printf(out, "  lut%zu: %" PRIu64 " rows of elements of %d bits", i,
                   slot_table_rows(table), table->bits);
        if (shape.parts > 1)
            str_printf(out, ", in %" PRIu32 " subarrays", shape.parts);
        str_printf(out, "%s\n", where[x.homes[i]]);
    }
    slot_tables_free(&x);
}

void slot_print(const struct machine_code *code, const struct machine_library *l,
                const struct machine_program *p, struct str *out) {
    const struct slot_code *c = slot_code_of(code);
    str_printf(out, "row programs for target %s: %zu\n", l->target->name, c->forms.len);
    for (uint32_t i = 0; i < c->kins.len; i++) {
        const struct slot_kin *k = &c->kins.data[i];
        str_printf(out, "slots of %d bits: %" PRIu32 " lanes a row, %zu constants, %zu tables\n",
                   k->slot, slot_target_of(l->target)->row_bits / k->slot, k->pool.constants.len,
                   k->pool.tables.len);
        print_tables(c, i, l->target, out);
    }
    for (size_t i = 0; i < c->forms.len; i++)
        print_form(c, l, &c->forms.data[i], p, out);
}

const struct machine_format slot_formats[] = {
    [SLOT_FORMAT_TEXT] = {.name = "text", .columns = MACHINE_NO_COLUMNS, .heading = ""},
    [SLOT_FORMAT_CSV] = {.name = "csv",
                         .columns = MACHINE_INSN_COLUMNS,
                         .heading = "command,operands"},
    [SLOT_FORMAT_PLUTO] = {.name = "pluto", .columns = MACHINE_NO_COLUMNS, .heading = ""},
    {.name = NULL, .heading = ""},
};

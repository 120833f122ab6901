/* SPDX-License-Identifier: MIT
 * From instructions to recipes to micro-ops, as code has them. */
#include "machines/plane/link/plane.h"
#include "recipe/set/set.h"

#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>

/* Instructions of the text that a form serves: how many, and the first few. */
#define SHOWN 6
struct form_uses {
    uint32_t count, index[SHOWN];
};

static void take_use(const struct recipe_table *table, const struct recipe_form *form,
                     uint32_t index, struct form_uses *uses) {
    if (!form)
        return;
    struct form_uses *u = &uses[form - table->forms];
    if (u->count && u->count <= SHOWN && u->index[u->count - 1] == index)
        return; /* the masked form is the same */
    if (u->count < SHOWN)
        u->index[u->count] = index;
    u->count++;
}

/* The caller frees them. */
static struct form_uses *find_uses(const struct recipe_table *table, const struct text *text) {
    struct form_uses *uses = xcalloc(table->form_count + 1, sizeof *uses);
    for (uint32_t i = 0; i < text->len; i++) {
        const struct insn *insn = &text->insns[i];
        if (!(insn_flags(insn) & ISA_VECTOR))
            continue;
        const struct recipe_form *plain = recipe_table_find(table, insn, false),
                                 *masked = recipe_table_find(table, insn, true);
        take_use(table, plain, i, uses);
        if (masked != plain)
            take_use(table, masked, i, uses);
    }
    return uses;
}

static void print_uses(const struct form_uses *uses, struct str *out) {
    str_append(out, uses->count == 1 ? "  of instruction" : "  of instructions");
    for (uint32_t i = 0; i < uses->count && i < SHOWN; i++)
        str_printf(out, "%s %" PRIu32, i ? "," : "", uses->index[i]);
    if (uses->count > SHOWN)
        str_printf(out, " and %" PRIu32 " more", uses->count - SHOWN);
    str_char(out, '\n');
}

static void print_origin(const struct recipe_set *set, enum isa_op op, struct str *out) {
    const struct recipe *r = recipe_of(set, op, NULL);
    const char *origin = recipe_origin(set, op);
    if (r && r->unit.file && origin)
        str_printf(out, "  from %s: %s\n", r->unit.file->name, origin);
}

/* What one instruction costs, alone.  A table that was opened expands; its recipes were scheduled
 * when they were checked. */
static void print_cost(const struct recipe_table *table, const struct recipe_form *form,
                       const struct target *target, struct str *out) {
    struct insn insn = table_form_insn(form);
    struct uop_list list = {0};
    struct recipe_count n;
    const char *error;
    if (recipe_table_expand(table, &insn, form->masking == MASKING_ON, &list, NULL) &&
        recipe_count_list(target, &list, &n, &error))
        str_printf(out,
                   "  micro_ops  logic  copies  crossings  handover  latency_cycles  "
                   "interval_cycles   energy_fj  scratch_rows  templates\n"
                   "  %9" PRIu64 "  %5" PRIu64 "  %6" PRIu64 "  %9" PRIu64 "  %8" PRIu32
                   "  %14" PRIu64 "  %15" PRIu64 "  %10" PRIu64 "  %12" PRIu32 "  %9" PRIu32 "\n",
                   n.micro_ops, n.logic, n.copies, n.crossings, n.handover, n.latency_cycles,
                   n.interval_cycles, n.energy_fj, n.scratch_rows, form->count);
    vec_free(&list);
}

void plane_print(const struct machine_code *code, const struct machine_library *library,
                 const struct machine_program *program, struct str *out) {
    const struct recipe_table *table = plane_table(code);
    const struct recipe_set *recipes = plane_recipes(library);
    struct form_uses *uses = find_uses(table, program->text);
    str_printf(out,
               "recipes for target %s: %zu, in %zu of %d templates and %zu of %d pointers\n"
               "cycles are those of the datapath; energy is that of one VRF\n",
               library->target->name, table->form_count, table->template_count, TABLE_TEMPLATES,
               table->pointer_count, TABLE_POINTERS);
    for (size_t i = 0; i < table->form_count; i++) {
        const struct recipe_form *f = &table->forms[i];
        str_char(out, '\n');
        table_form_text(f, &recipes->users, out);
        str_char(out, '\n');
        print_uses(&uses[i], out);
        print_origin(recipes, table_form_insn(f).op, out);
        print_cost(table, f, library->target, out);
        recipe_table_text(table, f, out);
    }
    free(uses);
}

void plane_print_map(const struct machine_code *code, const struct isa_users *users,
                     struct str *out) {
    const struct recipe_table *t = plane_table(code);
    struct str form = {0};
    if (t->form_count)
        str_append(out, "  recipe table, templates\n");
    for (size_t i = 0; i < t->form_count; i++) {
        str_clear(&form);
        table_form_text(&t->forms[i], users, &form);
        str_printf(out, "    %-28s %6" PRIu32 "\n", str_text(&form), t->forms[i].count);
    }
    str_free(&form);
}

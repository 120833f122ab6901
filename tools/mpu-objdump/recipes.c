/* SPDX-License-Identifier: MIT
 * From instructions to recipes to micro-ops, as a package has them. */
#include "recipe/set.h"
#include "support/alloc.h"
#include "tools/mpu-objdump/packages.h"

#include <inttypes.h>
#include <stdlib.h>

/* Instructions of the text that a form serves: how many, and the first few. */
#define SHOWN 6
struct uses {
    uint32_t count, index[SHOWN];
};

static void take_use(const struct package *p, const struct recipe_form *f, uint32_t index,
                     struct uses *uses) {
    if (!f)
        return;
    struct uses *u = &uses[f - p->recipes->forms];
    if (u->count && u->count <= SHOWN && u->index[u->count - 1] == index)
        return; /* the masked form is the same */
    if (u->count < SHOWN)
        u->index[u->count] = index;
    u->count++;
}

/* The caller frees them. */
static struct uses *find_uses(const struct package *p) {
    struct uses *uses = xcalloc(p->recipes->form_count + 1, sizeof *uses);
    for (uint32_t i = 0; i < p->text_count; i++) {
        struct insn insn;
        if (isa_decode(p->text[i], &insn) != ISA_OK || !(isa_info(insn.op)->flags & ISA_VECTOR))
            continue;
        const struct recipe_form *plain = recipe_table_find(p->recipes, &insn, false),
                                 *masked = recipe_table_find(p->recipes, &insn, true);
        take_use(p, plain, i, uses);
        if (masked != plain)
            take_use(p, masked, i, uses);
    }
    return uses;
}

static void print_uses(const struct uses *u, struct str *out) {
    str_append(out, u->count == 1 ? "  of instruction" : "  of instructions");
    for (uint32_t i = 0; i < u->count && i < SHOWN; i++)
        str_printf(out, "%s %" PRIu32, i ? "," : "", u->index[i]);
    if (u->count > SHOWN)
        str_printf(out, " and %" PRIu32 " more", u->count - SHOWN);
    str_char(out, '\n');
}

static void print_origin(const struct recipe_set *s, enum mpu_op op, struct str *out) {
    const struct recipe *r = recipe_of(s, op, NULL);
    const char *origin = recipe_origin(s, op);
    if (r && r->unit.file && origin)
        str_printf(out, "  from %s: %s\n", r->unit.file->name, origin);
}

/* What one instruction costs, alone.  A table that was opened expands; its recipes were scheduled
 * when they were checked. */
static void print_cost(const struct recipe_table *table, const struct recipe_form *f,
                       const struct target *t, struct str *out) {
    struct insn insn = recipe_form_insn(f);
    struct uop_list list = {0};
    struct recipe_count n;
    const char *error;
    if (recipe_table_expand(table, &insn, f->masking == MASKING_ON, &list, NULL) &&
        recipe_count_list(t, &list, &n, &error))
        str_printf(out,
                   "  micro_ops  logic  copies  crossings  handover  latency_cycles  "
                   "interval_cycles   energy_fj  scratch_rows  templates\n"
                   "  %9" PRIu64 "  %5" PRIu64 "  %6" PRIu64 "  %9" PRIu64 "  %8" PRIu32
                   "  %14" PRIu64 "  %15" PRIu64 "  %10" PRIu64 "  %12" PRIu32 "  %9" PRIu32 "\n",
                   n.micro_ops, n.logic, n.copies, n.crossings, n.handover, n.latency_cycles,
                   n.interval_cycles, n.energy_fj, n.scratch_rows, f->count);
    vec_free(&list);
}

void recipes_show(const struct package *p, const struct open_target *t, struct str *out) {
    const struct recipe_table *table = p->recipes;
    if (!t->recipes) {
        str_printf(out, "target %s computes in host arithmetic and has no recipes\n", p->target);
        return;
    }
    struct uses *uses = find_uses(p);
    str_printf(out,
               "recipes for target %s: %zu, in %zu of %d templates and %zu of %d pointers\n"
               "cycles are those of the datapath; energy is that of one VRF\n",
               p->target, table->form_count, table->template_count, TABLE_TEMPLATES,
               table->pointer_count, TABLE_POINTERS);
    for (size_t i = 0; i < table->form_count; i++) {
        const struct recipe_form *f = &table->forms[i];
        str_char(out, '\n');
        recipe_form_text(f, &t->recipes->users, out);
        str_char(out, '\n');
        print_uses(&uses[i], out);
        print_origin(t->recipes, recipe_form_insn(f).op, out);
        print_cost(table, f, t->target, out);
        recipe_table_text(table, f, out);
    }
    free(uses);
}

/* SPDX-License-Identifier: MIT
 * What an instruction costs on each target, as a table of its entry in the reference. */
#include "isa-spec/gen/gen.h"

#include <string.h>

/* The widths that the reference shows; an instruction without a width stands under the first. */
static const unsigned widths[] = {8, 16, 32, 64};
#define WIDTHS (sizeof widths / sizeof *widths)

static const struct cost *find(const struct isa_table *table, const struct costs *costs,
                               const struct instruction *in, const char *target, unsigned width) {
    for (unsigned i = 0; i < costs->count; i++)
        if (costs->rows[i].width == width && strcmp(costs->rows[i].target, target) == 0 &&
            gen_costs_match(table, in, costs->rows[i].label))
            return &costs->rows[i];
    return NULL;
}

/* 8000 fJ is 8, 8500 is 8.5. */
static void add_picojoules(struct gen_text *out, uint64_t fj) {
    unsigned fraction = (unsigned)(fj % 1000);
    gen_text_printf(out, "%llu", (unsigned long long)(fj / 1000));
    if (fraction % 10)
        gen_text_printf(out, ".%03u", fraction);
    else if (fraction % 100)
        gen_text_printf(out, ".%02u", fraction / 10);
    else if (fraction)
        gen_text_printf(out, ".%u", fraction / 100);
}

/* The cells of one target behind its name. */
static const char *cells_of(const struct isa_table *table, const struct costs *costs,
                            const struct instruction *in, const char *target) {
    struct gen_text o = {.pool = table->pool};
    bool any = false;
    for (unsigned i = 0; i < (in->has_width ? WIDTHS : 1); i++) {
        const struct cost *cost = find(table, costs, in, target, in->has_width ? widths[i] : 1);
        any |= cost != NULL;
        if (!cost) {
            gen_text_add(&o, " - |");
            continue;
        }
        gen_text_printf(&o, " %llu / %llu / ", (unsigned long long)cost->micro_ops,
                        (unsigned long long)cost->latency_cycles);
        add_picojoules(&o, cost->energy_fj);
        gen_text_add(&o, " |");
    }
    return any ? o.data : NULL;
}

/* Targets whose cells are the same share a line. */
static void add_line(struct gen_text *out, const char *const *cells, const struct costs *costs,
                     unsigned first) {
    gen_text_printf(out, "| %s", costs->targets[first]);
    for (unsigned i = first + 1; i < costs->target_count; i++)
        if (cells[i] && strcmp(cells[i], cells[first]) == 0)
            gen_text_printf(out, ", %s", costs->targets[i]);
    gen_text_printf(out, " |%s\n", cells[first]);
}

static bool is_first(const char *const *cells, unsigned index) {
    for (unsigned i = 0; i < index; i++)
        if (cells[i] && strcmp(cells[i], cells[index]) == 0)
            return false;
    return true;
}

static void add_without(struct gen_text *out, const char *const *cells, const struct costs *costs) {
    const char *separator = "No recipe on ";
    for (unsigned i = 0; i < costs->target_count; i++)
        if (!cells[i]) {
            gen_text_printf(out, "%s%s", separator, costs->targets[i]);
            separator = ", ";
        }
    if (*separator == ',')
        gen_text_add(out, ".\n\n");
}

static void add_heading(struct gen_text *out, const struct instruction *in) {
    gen_text_add(out,
                 "[Cost](../recipe-counts.md) of one VRF: micro-ops / cycles / pJ\n\n| target |");
    for (unsigned i = 0; i < WIDTHS && in->has_width; i++)
        gen_text_printf(out, " w = %u |", widths[i]);
    gen_text_add(out, in->has_width ? "\n|---|" : " |\n|---|---|");
    for (unsigned i = 0; i < WIDTHS && in->has_width; i++)
        gen_text_add(out, "---|");
    gen_text_add(out, "\n");
}

void gen_emit_costs(struct gen_text *out, const struct isa_table *table, const struct costs *costs,
                    const struct instruction *in) {
    const char *cells[MAX_TARGETS];
    bool any = false;
    if (gen_find_field(&table->formats[in->format], "lut")) {
        gen_text_add(out, "What it costs depends on the table: [tables](../tables.md).\n\n");
        return;
    }
    for (unsigned i = 0; i < costs->target_count; i++) {
        cells[i] = cells_of(table, costs, in, costs->targets[i]);
        if (cells[i] && !any)
            add_heading(out, in);
        any |= cells[i] != NULL;
    }
    for (unsigned i = 0; i < costs->target_count; i++)
        if (cells[i] && is_first(cells, i))
            add_line(out, cells, costs, i);
    gen_text_add(out, any ? "\n" : "");
    add_without(out, cells, costs);
}

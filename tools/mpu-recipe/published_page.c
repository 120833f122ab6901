/* SPDX-License-Identifier: MIT
 * docs/published-counts.md: our counts beside published ones. */
#include "tools/mpu-recipe/bounds.h"
#include "tools/mpu-recipe/cost.h"
#include "tools/mpu-recipe/forms.h"
#include "tools/mpu-recipe/published.h"
#include "tools/mpu-recipe/sheet.h"

#include <string.h>

static const unsigned widths[] = {8, 16, 32, 64};
#define WIDTHS (sizeof widths / sizeof *widths)

struct published_writer {
    struct recipe_source source; /* of the target that is at work */
    struct str *out;
    struct diag *d;
};

static bool open_target(struct published_writer *writer, const char *name) {
    if (writer->source.target && strcmp(writer->source.target->name, name) == 0)
        return true;
    source_close(&writer->source);
    writer->source = (struct recipe_source){0};
    return source_open(&writer->source, name, &(struct source_choice){0}, writer->d) == EXIT_DONE;
}

static bool count_one(struct published_writer *writer, const char *target, enum isa_op op,
                      unsigned width, bool masked, struct recipe_count *count) {
    struct form_choice forms;
    struct insn insn;
    form_choice_init(&forms);
    bool fine = open_target(writer, target) && form_make(&forms, op, width, &insn) &&
                cost_count(&writer->source, &insn, masked, count, writer->d);
    form_choice_free(&forms);
    return fine;
}

/* "65 / 73": ours and what is published. */
static void pair(struct recipe_sheet *sheet, uint64_t ours, uint64_t theirs) {
    struct str cell = {0};
    str_printf(&cell, "%llu / %llu", (unsigned long long)ours, (unsigned long long)theirs);
    sheet_text(sheet, str_text(&cell));
    str_free(&cell);
}

static void heading(struct recipe_sheet *sheet, const char *const *names) {
    for (unsigned i = 0; i < sheet->columns; i++)
        sheet_text(sheet, names[i]);
}

static void finish_table(struct published_writer *writer, struct recipe_sheet *sheet) {
    sheet_print_markdown(sheet, writer->out);
    str_char(writer->out, '\n');
    sheet_free(sheet);
}

/* --- counts --- */

static void add_counts(struct published_writer *writer, struct recipe_sheet *sheet,
                       const struct published_count *count) {
    struct recipe_count n;
    sheet_text(sheet, count->target);
    sheet_text(sheet, isa_info(count->op)->name);
    sheet_text(sheet, count->formula);
    for (size_t i = 0; i < WIDTHS; i++)
        if (count->count(widths[i]) &&
            count_one(writer, count->target, count->op, widths[i], false, &n))
            pair(sheet, n.micro_ops, count->count(widths[i]));
        else
            sheet_text(sheet, "-");
    sheet_text(sheet, count->source);
}

static bool same_text(const char *left, const char *right) {
    return left == right || (left && right && strcmp(left, right) == 0);
}

/* What our instruction does besides, once for each instruction. */
static void list_besides(struct published_writer *writer) {
    const char *last = NULL;
    enum isa_op last_op = OP_COUNT;
    for (size_t i = 0; i < published_count_count; i++) {
        const struct published_count *p = &published_counts[i];
        if (p->besides && (!same_text(p->besides, last) || p->op != last_op))
            str_printf(writer->out, "* %s: %s. That is in our count, not in the published one.\n",
                       isa_info(p->op)->name, p->besides);
        last = p->besides;
        last_op = p->op;
    }
    str_char(writer->out, '\n');
}

static void write_counts(struct published_writer *writer) {
    static const char *const names[] = {"target",  "instruction", "published", "8 bits",
                                        "16 bits", "32 bits",     "64 bits",   "source"};
    struct recipe_sheet t = {.columns = sizeof names / sizeof *names};
    str_append(writer->out,
               "## Commands and cycles\n\nOurs / published, for n-bit operands in registers of "
               "their own, without a mask. simdram counts as mimdram does.\n\n");
    heading(&t, names);
    for (size_t i = 0; i < published_count_count; i++)
        add_counts(writer, &t, &published_counts[i]);
    finish_table(writer, &t);
    list_besides(writer);
}

/* --- masks --- */

static void add_mask(struct published_writer *writer, struct recipe_sheet *sheet,
                     const struct published_mask *mask) {
    struct recipe_count plain, masked;
    sheet_text(sheet, mask->target);
    sheet_text(sheet, isa_info(mask->op)->name);
    sheet_text(sheet, mask->formula);
    for (size_t i = 0; i < WIDTHS; i++)
        if (count_one(writer, mask->target, mask->op, widths[i], false, &plain) &&
            count_one(writer, mask->target, mask->op, widths[i], true, &masked))
            pair(sheet, masked.micro_ops - plain.micro_ops, mask->count(widths[i]));
        else
            sheet_text(sheet, "-");
}

static void write_masks(struct published_writer *writer) {
    static const char *const names[] = {"target",  "instruction", "price",  "8 bits",
                                        "16 bits", "32 bits",     "64 bits"};
    struct recipe_sheet t = {.columns = sizeof names / sizeof *names};
    str_append(writer->out,
               "## What a mask costs\n\nMore micro-ops than without one, ours / the price "
               "of the target's mask ([targets.md](targets.md)).\n\n");
    heading(&t, names);
    for (size_t i = 0; i < published_mask_count; i++)
        add_mask(writer, &t, &published_masks[i]);
    finish_table(writer, &t);
}

/* --- times --- */

static void add_time(struct published_writer *writer, struct recipe_sheet *sheet,
                     const struct published_time *time) {
    struct recipe_count n;
    sheet_text(sheet, time->target);
    sheet_text(sheet, isa_info(time->op)->name);
    sheet_number(sheet, time->width);
    if (count_one(writer, time->target, time->op, time->width, false, &n))
        sheet_number(sheet, n.latency_cycles * writer->source.target->datapath_ps / 1000);
    else
        sheet_text(sheet, "-");
    sheet_number(sheet, time->ns);
    sheet_text(sheet, time->counted);
}

static void write_times(struct published_writer *writer) {
    static const char *const names[] = {"target",    "instruction",  "bits",
                                        "ours (ns)", "Table 6 (ns)", "made of"};
    struct recipe_sheet t = {.columns = sizeof names / sizeof *names};
    str_append(writer->out,
               "## Times\n\nBeside Table 6 of the pLUTo paper, whose columns for SIMDRAM and Ambit "
               "are 49 ns an AAP and 45 ns an AP. Its products have 2n "
               "bits, its counts no zeros above them: they are not comparable.\n\n");
    heading(&t, names);
    for (size_t i = 0; i < published_time_count; i++)
        add_time(writer, &t, &published_times[i]);
    finish_table(writer, &t);
}

/* --- MASTODON --- */

static void add_mastodon(struct published_writer *writer, struct recipe_sheet *sheet,
                         const char *target, const struct mastodon_row *row,
                         enum mastodon_gates gates) {
    enum isa_op op = bounds_mastodon_op(row->name, NULL);
    struct recipe_count n;
    if (op == OP_COUNT || !row->of[gates].known ||
        !count_one(writer, target, op, row->width, false, &n))
        return;
    sheet_text(sheet, target);
    sheet_text(sheet, isa_info(op)->name);
    sheet_text(sheet, row->name);
    sheet_number(sheet, row->width);
    pair(sheet, n.logic, row->of[gates].logic);
    pair(sheet, n.crossings, row->of[gates].transfers);
    pair(sheet, n.latency_cycles, row->of[gates].latency);
}

static bool write_mastodon(struct published_writer *writer, const char *path) {
    static const char *const names[] = {"target", "instruction", "there",  "bits",
                                        "logic",  "crossings",   "latency"};
    static const struct {
        const char *target;
        enum mastodon_gates gates;
    } sets[] = {{"racer-magic", GATES_MAGIC}, {"racer-ideal", GATES_IDEAL}};
    struct mastodon_rows rows;
    struct recipe_sheet t = {.columns = sizeof names / sizeof *names};
    if (!bounds_mastodon_read(&rows, path, writer->d))
        return false;
    str_append(
        writer->out,
        "## Gate sets of MASTODON\n\nOurs / what the open release of MASTODON executes with "
        "the same gates ([mastodon.csv](mastodon.csv)); its FELIX\ntable is empty. Its IDEAL "
        "issues XOR twice, except in its adder; here XOR is a gate like the others.\n\n");
    heading(&t, names);
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++)
        for (size_t i = 0; i < rows.len; i++)
            add_mastodon(writer, &t, sets[s].target, &rows.data[i], sets[s].gates);
    finish_table(writer, &t);
    bounds_mastodon_free(&rows);
    return true;
}

bool published_page(const char *mastodon_path, struct str *out, struct diag *diag) {
    struct published_writer x = {.out = out, .d = diag};
    uint32_t errors = diag_errors(diag);
    str_append(
        out,
        "# Counts beside published ones\n\n"
        "<!-- Generated; do not edit: cmake --build build --target recipe-generate -->\n\n"
        "What the built-in recipes take on machines whose figures are published. None of ours is "
        "worse, but for\nwhat is said below each table. [recipe-counts.md](recipe-counts.md) has "
        "racer beside MASTODON's OSCAR.\n\n");
    write_counts(&x);
    write_masks(&x);
    write_times(&x);
    bool fine = write_mastodon(&x, mastodon_path);
    source_close(&x.source);
    return fine && diag_errors(diag) == errors;
}

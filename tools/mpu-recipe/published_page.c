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

static bool open_target(struct published_writer *x, const char *name) {
    if (x->source.target && strcmp(x->source.target->name, name) == 0)
        return true;
    recipe_source_close(&x->source);
    x->source = (struct recipe_source){0};
    return recipe_source_open(&x->source, name, false, false, NULL, x->d) == EXIT_DONE;
}

static bool count_one(struct published_writer *x, const char *target, enum mpu_op op,
                      unsigned width, bool masked, struct recipe_count *n) {
    struct form_choice forms;
    struct insn insn;
    form_choice_init(&forms);
    bool fine = open_target(x, target) && form_make(&forms, op, width, &insn) &&
                cost_count(&x->source, &insn, masked, n, x->d);
    form_choice_free(&forms);
    return fine;
}

/* "65 / 73": ours and what is published. */
static void pair(struct recipe_sheet *t, uint64_t ours, uint64_t theirs) {
    struct str cell = {0};
    str_printf(&cell, "%llu / %llu", (unsigned long long)ours, (unsigned long long)theirs);
    table_text(t, str_text(&cell));
    str_free(&cell);
}

static void heading(struct recipe_sheet *t, const char *const *names) {
    for (unsigned i = 0; i < t->columns; i++)
        table_text(t, names[i]);
}

static void finish_table(struct published_writer *x, struct recipe_sheet *t) {
    table_print_markdown(t, x->out);
    str_char(x->out, '\n');
    table_free(t);
}

/* --- counts --- */

static void add_counts(struct published_writer *x, struct recipe_sheet *t,
                       const struct published_count *p) {
    struct recipe_count n;
    table_text(t, p->target);
    table_text(t, isa_info(p->op)->name);
    table_text(t, p->formula);
    for (size_t i = 0; i < WIDTHS; i++)
        if (count_one(x, p->target, p->op, widths[i], false, &n))
            pair(t, n.micro_ops, p->count(widths[i]));
        else
            table_text(t, "-");
    table_text(t, p->source);
}

static bool same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* What our instruction does besides, once for each instruction. */
static void list_besides(struct published_writer *x) {
    const char *last = NULL;
    enum mpu_op last_op = OP_COUNT;
    for (size_t i = 0; i < published_count_count; i++) {
        const struct published_count *p = &published_counts[i];
        if (p->besides && (!same_text(p->besides, last) || p->op != last_op))
            str_printf(x->out, "* %s: %s. That is in our count, not in the published one.\n",
                       isa_info(p->op)->name, p->besides);
        last = p->besides;
        last_op = p->op;
    }
    str_char(x->out, '\n');
}

static void write_counts(struct published_writer *x) {
    static const char *const names[] = {"target",  "instruction", "published", "8 bits",
                                        "16 bits", "32 bits",     "64 bits",   "source"};
    struct recipe_sheet t = {.columns = sizeof names / sizeof *names};
    str_append(x->out,
               "## Commands and cycles\n\nOurs / published, for n-bit operands in registers of "
               "their own, without a mask. simdram counts as mimdram does.\n\n");
    heading(&t, names);
    for (size_t i = 0; i < published_count_count; i++)
        add_counts(x, &t, &published_counts[i]);
    finish_table(x, &t);
    list_besides(x);
}

/* --- masks --- */

static void add_mask(struct published_writer *x, struct recipe_sheet *t,
                     const struct published_mask *p) {
    struct recipe_count plain, masked;
    table_text(t, p->target);
    table_text(t, isa_info(p->op)->name);
    table_text(t, p->formula);
    for (size_t i = 0; i < WIDTHS; i++)
        if (count_one(x, p->target, p->op, widths[i], false, &plain) &&
            count_one(x, p->target, p->op, widths[i], true, &masked))
            pair(t, masked.micro_ops - plain.micro_ops, p->count(widths[i]));
        else
            table_text(t, "-");
}

static void write_masks(struct published_writer *x) {
    static const char *const names[] = {"target",  "instruction", "price",  "8 bits",
                                        "16 bits", "32 bits",     "64 bits"};
    struct recipe_sheet t = {.columns = sizeof names / sizeof *names};
    str_append(x->out, "## What a mask costs\n\nMore micro-ops than without one, ours / the price "
                       "of the target's mask ([targets.md](targets.md)).\n\n");
    heading(&t, names);
    for (size_t i = 0; i < published_mask_count; i++)
        add_mask(x, &t, &published_masks[i]);
    finish_table(x, &t);
}

/* --- times --- */

static void add_time(struct published_writer *x, struct recipe_sheet *t,
                     const struct published_time *p) {
    struct recipe_count n;
    table_text(t, p->target);
    table_text(t, isa_info(p->op)->name);
    table_number(t, p->width);
    if (count_one(x, p->target, p->op, p->width, false, &n))
        table_number(t, n.latency_cycles * x->source.target->datapath_ps / 1000);
    else
        table_text(t, "-");
    table_number(t, p->ns);
    table_text(t, p->counted);
}

static void write_times(struct published_writer *x) {
    static const char *const names[] = {"target",    "instruction",  "bits",
                                        "ours (ns)", "Table 6 (ns)", "made of"};
    struct recipe_sheet t = {.columns = sizeof names / sizeof *names};
    str_append(x->out,
               "## Times\n\nBeside Table 6 of the pLUTo paper, whose columns for SIMDRAM and Ambit "
               "are 49 ns an AAP and 45 ns an AP. Its products have 2n "
               "bits, its counts no zeros above them: they are not comparable.\n\n");
    heading(&t, names);
    for (size_t i = 0; i < published_time_count; i++)
        add_time(x, &t, &published_times[i]);
    finish_table(x, &t);
}

/* --- MASTODON --- */

static void add_mastodon(struct published_writer *x, struct recipe_sheet *t, const char *target,
                         const struct mastodon_row *r, enum mastodon_gates g) {
    enum mpu_op op = mastodon_op(r->name, NULL);
    struct recipe_count n;
    if (op == OP_COUNT || !r->of[g].known || !count_one(x, target, op, r->width, false, &n))
        return;
    table_text(t, target);
    table_text(t, isa_info(op)->name);
    table_text(t, r->name);
    table_number(t, r->width);
    pair(t, n.logic, r->of[g].logic);
    pair(t, n.crossings, r->of[g].transfers);
    pair(t, n.latency_cycles, r->of[g].latency);
}

static bool write_mastodon(struct published_writer *x, const char *path) {
    static const char *const names[] = {"target", "instruction", "there",  "bits",
                                        "logic",  "crossings",   "latency"};
    static const struct {
        const char *target;
        enum mastodon_gates gates;
    } sets[] = {{"racer-magic", GATES_MAGIC}, {"racer-ideal", GATES_IDEAL}};
    struct mastodon_rows rows;
    struct recipe_sheet t = {.columns = sizeof names / sizeof *names};
    if (!mastodon_read(&rows, path, x->d))
        return false;
    str_append(
        x->out,
        "## Gate sets of MASTODON\n\nOurs / what the open release of MASTODON executes with "
        "the same gates ([mastodon.csv](mastodon.csv)); its FELIX\ntable is empty. Its IDEAL "
        "issues XOR twice, except in its adder; here XOR is a gate like the others.\n\n");
    heading(&t, names);
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++)
        for (size_t i = 0; i < rows.len; i++)
            add_mastodon(x, &t, sets[s].target, &rows.data[i], sets[s].gates);
    finish_table(x, &t);
    mastodon_free(&rows);
    return true;
}

bool published_page(const char *mastodon_path, struct str *out, struct diag *d) {
    struct published_writer x = {.out = out, .d = d};
    uint32_t errors = diag_errors(d);
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
    recipe_source_close(&x.source);
    return fine && diag_errors(d) == errors;
}

/* SPDX-License-Identifier: MIT
 * Writes the page section by section, from recipes as they are now. */
#include "tools/mpu-recipe/page.h"

#include "recipe/set/set.h"
#include "tools/mpu-recipe/cost.h"
#include "tools/mpu-recipe/forms.h"
#include "tools/mpu-recipe/sheet.h"

#include <math.h>
#include <string.h>

/* --- the costs --- */

static bool is_hand_written(const struct recipe_source *source, enum isa_op op) {
    return recipe_exists(source->recipes, op) &&
           strncmp(recipe_origin(source->recipes, op), "generic", 7) != 0;
}

const struct recipe_source *page_hand(const struct recipe_page *page, enum isa_op op) {
    if (!recipe_exists(page->mapped.recipes, op))
        return NULL;
    if (is_hand_written(&page->used, op))
        return &page->used;
    for (size_t i = 0; i < page->hand_count; i++)
        if (is_hand_written(&page->hand[i], op))
            return &page->hand[i];
    return NULL;
}

#define COST_COLUMNS 13

static void cost_heading(struct recipe_sheet *sheet) {
    static const char *const names[COST_COLUMNS] = {
        "instruction", "bits",    "micro-ops", "logic",  "crossings",    "handover", "latency",
        "interval",    "scratch", "recipe",    "mapped", "hand-written", "ratio"};
    for (unsigned i = 0; i < COST_COLUMNS; i++)
        sheet_text(sheet, names[i]);
}

struct page_costing {
    struct recipe_page *page;
    enum isa_set set;
    struct recipe_sheet table;
};

static void mapped_cells(struct page_costing *costing, const struct insn *insn) {
    const struct recipe_source *hand = page_hand(costing->page, insn->op);
    struct recipe_count mapped, other;
    bool is_mapped = recipe_exists(costing->page->mapped.recipes, insn->op) &&
                     cost_count(&costing->page->mapped, insn, false, &mapped, costing->page->d);
    sheet_text(&costing->table,
               is_hand_written(&costing->page->used, insn->op) ? "hand-written" : "mapped");
    if (is_mapped)
        sheet_number(&costing->table, mapped.micro_ops);
    else
        sheet_text(&costing->table, "-");
    if (is_mapped && hand && cost_count(hand, insn, false, &other, costing->page->d)) {
        sheet_number(&costing->table, other.micro_ops);
        sheet_ratio(&costing->table, other.micro_ops, mapped.micro_ops);
    } else {
        sheet_text(&costing->table, "-");
        sheet_text(&costing->table, "-");
    }
}

static bool cost_row(void *context, const struct insn *insn) {
    struct page_costing *c = context;
    struct recipe_count n;
    if (isa_info(insn->op)->set != c->set || !recipe_exists(c->page->used.recipes, insn->op) ||
        !cost_count(&c->page->used, insn, false, &n, c->page->d))
        return true;
    struct str label = {0};
    form_label(insn, NULL, &label);
    sheet_text(&c->table, str_text(&label));
    str_free(&label);
    const uint64_t numbers[] = {
        cost_shown_width(insn), n.micro_ops,       n.logic,       n.crossings, n.handover,
        n.latency_cycles,       n.interval_cycles, n.scratch_rows};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sheet_number(&c->table, numbers[i]);
    mapped_cells(c, insn);
    return true;
}

static void without_recipe(struct recipe_page *page) {
    const char *separator = "Without a recipe: ";
    for (unsigned op = 0; op < OP_COUNT; op++) {
        const struct isa_info *info = isa_info((enum isa_op)op);
        if ((info->flags & (ISA_VECTOR | ISA_RESERVED | ISA_USER)) != ISA_VECTOR ||
            isa_has_table((enum isa_op)op) || recipe_exists(page->used.recipes, (enum isa_op)op))
            continue;
        str_printf(&page->out, "%s%s", separator, info->name);
        separator = ", ";
    }
    if (strcmp(separator, ", ") == 0)
        str_append(&page->out, ".\n\n");
}

static void page_costs(struct recipe_page *page) {
    struct form_choice forms;
    form_choice_init(&forms);
    for (unsigned set = 0; set < SET_COUNT; set++) {
        struct page_costing c = {page, (enum isa_set)set, {.columns = COST_COLUMNS}};
        cost_heading(&c.table);
        form_each(&forms, cost_row, &c, NULL);
        if (c.table.cells.len > COST_COLUMNS) {
            str_printf(&page->out, "### Set %s\n\n", isa_set_name((enum isa_set)set));
            sheet_print_markdown(&c.table, &page->out);
            str_char(&page->out, '\n');
        }
        sheet_free(&c.table);
    }
    form_choice_free(&forms);
    without_recipe(page);
}

/* --- mapped against hand-written --- */

struct ratio_sum {
    const struct recipe_page *page;
    double log_micro_ops, log_latency;
    double most_micro_ops, most_latency;
    size_t count;
};

static bool add_ratio(void *context, const struct insn *insn) {
    struct ratio_sum *r = context;
    const struct recipe_source *hand = page_hand(r->page, insn->op);
    struct recipe_count a, b;
    if (hand && cost_count(hand, insn, false, &a, r->page->d) &&
        cost_count(&r->page->mapped, insn, false, &b, r->page->d) && a.micro_ops && b.micro_ops) {
        double micro_ops = (double)b.micro_ops / (double)a.micro_ops;
        double latency = (double)b.latency_cycles / (double)a.latency_cycles;
        r->log_micro_ops += log(micro_ops);
        r->log_latency += log(latency);
        r->most_micro_ops = fmax(r->most_micro_ops, micro_ops);
        r->most_latency = fmax(r->most_latency, latency);
        r->count++;
    }
    return true;
}

struct page_ratios page_mapped_ratios(const struct recipe_page *page) {
    struct form_choice forms;
    struct ratio_sum r = {.page = page};
    form_choice_init(&forms);
    form_each(&forms, add_ratio, &r, NULL);
    form_choice_free(&forms);
    double n = r.count ? (double)r.count : 1;
    return (struct page_ratios){exp(r.log_micro_ops / n), exp(r.log_latency / n), r.most_micro_ops,
                                r.most_latency, r.count};
}

/* What has not been written by hand is not in the mean. */
static void without_hand(struct recipe_page *page) {
    const char *before = "Not in it, for want of a hand-written recipe: ";
    for (unsigned op = 0; op < OP_COUNT; op++)
        if (recipe_exists(page->used.recipes, (enum isa_op)op) &&
            !page_hand(page, (enum isa_op)op)) {
            str_printf(&page->out, "%s%s", before, isa_info((enum isa_op)op)->name);
            before = ", ";
        }
    if (before[0] == ',')
        str_append(&page->out, ".\n\n");
}

static void mapped_summary(struct recipe_page *page) {
    struct page_ratios r = page_mapped_ratios(page);
    if (r.count)
        str_printf(&page->out,
                   "Mapped against hand-written, geometric mean of %zu ratios: micro-ops **%.3f** "
                   "(at most %.2f),\nlatency %.3f. The largest: %.3f and %.3f.\n\n",
                   r.count, r.micro_ops, MAPPED_RATIO_LIMIT, r.latency, r.most_micro_ops,
                   r.most_latency);
    without_hand(page);
}

/* --- hand-written recipes in use --- */

/* "latency 31 %"; what is gained, or what it costs. */
static void shares(struct recipe_sheet *sheet, const struct gain *gain, bool costs) {
    static const char *const names[GAIN_FIGURES] = {"micro-ops", "latency", "interval"};
    struct str cell = {0};
    for (unsigned i = 0; i < GAIN_FIGURES; i++)
        if (gain->percent[i] != 0 && (gain->percent[i] < 0) == costs)
            str_printf(&cell, "%s%s %lld %%", cell.len ? ", " : "", names[i],
                       (long long)(costs ? -gain->percent[i] : gain->percent[i]));
    sheet_text(sheet, cell.len ? str_text(&cell) : "-");
    str_free(&cell);
}

static void override_rows(struct recipe_page *page, struct recipe_sheet *sheet, enum isa_op op) {
    const struct recipe *c = recipe_of(page->used.recipes, op, page->d);
    for (unsigned i = 0; c && i < c->gain_count; i++) {
        struct str name = {0};
        form_name(op, NULL, &name);
        sheet_text(sheet, str_text(&name));
        sheet_number(sheet, c->gains[i].width);
        shares(sheet, &c->gains[i], false);
        shares(sheet, &c->gains[i], true);
        str_free(&name);
    }
}

static void overrides(struct recipe_page *page) {
    static const char *const names[] = {"instruction", "bits", "gains", "costs"};
    struct recipe_sheet t = {.columns = 4};
    for (unsigned i = 0; i < 4; i++)
        sheet_text(&t, names[i]);
    for (unsigned op = 0; op < OP_COUNT; op++)
        if (is_hand_written(&page->used, (enum isa_op)op))
            override_rows(page, &t, (enum isa_op)op);
    if (t.cells.len > 4) {
        str_append(&page->out, "Hand-written recipes in use, against mapped ones:\n\n");
        sheet_print_markdown(&t, &page->out);
        str_char(&page->out, '\n');
    }
    sheet_free(&t);
}

/* --- aliases --- */

#define ALIAS_COLUMNS 5

struct aliasing {
    struct recipe_page *page;
    const struct form_choice *forms; /* with the alias */
    struct recipe_sheet table;
    size_t compared;
};

/* The same instruction with its operands apart. */
static bool apart(const struct insn *insn, struct insn *out) {
    struct form_choice forms;
    form_choice_init(&forms);
    bool fine = form_make(&forms, insn->op, insn->width, out);
    form_choice_free(&forms);
    return fine;
}

static bool alias_row(void *context, const struct insn *insn) {
    struct aliasing *a = context;
    struct recipe_count one, other;
    struct insn plain;
    if (!recipe_exists(a->page->used.recipes, insn->op) || !apart(insn, &plain) ||
        !cost_count(&a->page->used, insn, false, &one, a->page->d) ||
        !cost_count(&a->page->used, &plain, false, &other, a->page->d))
        return true;
    a->compared++;
    if (one.micro_ops == other.micro_ops && one.latency_cycles == other.latency_cycles)
        return true;
    struct str label = {0};
    form_label(insn, NULL, &label);
    sheet_text(&a->table, str_text(&label));
    str_free(&label);
    sheet_number(&a->table, other.micro_ops);
    sheet_number(&a->table, one.micro_ops);
    sheet_number(&a->table, other.latency_cycles);
    sheet_number(&a->table, one.latency_cycles);
    return true;
}

static void each_alias(struct aliasing *aliasing, const char *first, const char *second) {
    struct form_choice forms;
    form_choice_init(&forms);
    form_take_width(&forms, "32", 2);
    form_take_alias(&forms, first, strlen(first));
    if (second)
        form_take_alias(&forms, second, strlen(second));
    form_each(&forms, alias_row, aliasing, NULL);
    form_choice_free(&forms);
}

static void page_aliases(struct recipe_page *page) {
    static const char *const names[ALIAS_COLUMNS] = {"instruction", "micro-ops apart", "aliased",
                                                     "latency apart", "aliased"};
    struct aliasing a = {.page = page, .table = {.columns = ALIAS_COLUMNS}};
    for (unsigned i = 0; i < ALIAS_COLUMNS; i++)
        sheet_text(&a.table, names[i]);
    each_alias(&a, "rd=rs", NULL);
    each_alias(&a, "rd=rt", NULL);
    each_alias(&a, "rt=rs", NULL);
    each_alias(&a, "rt=rs", "rd=rs");
    size_t rows = a.table.cells.len / ALIAS_COLUMNS - 1;
    str_printf(&page->out,
               "## Aliases\n\nOperands may be one register. Of %zu such forms at 32 bits %zu cost "
               "as much as with registers\nof their own; these differ, by the copies that keep a "
               "bit until its last reader has run, or\nbecause a bit is copied onto itself:\n\n",
               a.compared, a.compared - rows);
    sheet_print_markdown(&a.table, &page->out);
    str_char(&page->out, '\n');
    sheet_free(&a.table);
}

/* --- the page --- */

static bool open_hand(struct recipe_page *page, const char *target, const char *path) {
    struct recipe_text text = {0};
    bool fine = source_text_read(&text, path, page->d) == EXIT_DONE &&
                source_open(&page->hand[page->hand_count], target,
                            &(struct source_choice){.file = &text}, page->d) == EXIT_DONE;
    source_text_free(&text);
    page->hand_count += fine;
    return fine;
}

bool page_open(struct recipe_page *page, const char *target, const struct page_files *files,
               struct diag *diag) {
    *page = (struct recipe_page){.d = diag};
    if (!bounds_mastodon_read(&page->mastodon, files->mastodon, diag))
        return false;
    const struct source_choice used = {0}, mapped = {.mapped = true};
    bool fine = source_open(&page->used, target, &used, diag) == EXIT_DONE &&
                source_open(&page->mapped, target, &mapped, diag) == EXIT_DONE;
    for (size_t i = 0; fine && i < files->hand_count && i < PAGE_HAND_FILES; i++)
        fine = open_hand(page, target, files->hand[i]);
    if (!fine)
        page_close(page);
    return fine;
}

void page_close(struct recipe_page *page) {
    source_close(&page->used);
    source_close(&page->mapped);
    for (size_t i = 0; i < page->hand_count; i++)
        source_close(&page->hand[i]);
    bounds_mastodon_free(&page->mastodon);
    str_free(&page->out);
}

bool page_write(struct recipe_page *page) {
    uint32_t errors = diag_errors(page->d);
    str_printf(
        &page->out,
        "# What recipes cost\n\n"
        "<!-- Generated; do not edit: cmake --build build --target recipe-generate -->\n\n"
        "Counts of the built-in recipes on `%s`, one VRF, operands in registers of their "
        "own, no mask.\n`mpu-recipe count` prints them for any target, width, constant, "
        "alias and under a mask\n([mpu-recipe.md](mpu-recipe.md)). "
        "[docs/isa](isa/README.md) has the costs on every target\nbeside each "
        "instruction.\n\n"
        "* Counted: micro-ops; those of them that are logic; those that cross from section "
        "to section\n  (the rest are copies).\n"
        "* Handover: cycles between the ends of two neighbouring sections' work. Latency: "
        "from the\n  first micro-op to the last. Interval: from start to start when the "
        "instruction is repeated.\n"
        "* Scratch: rows of the section that needs most.\n"
        "* Mapped: micro-ops of what the mapping makes of the generic recipe; hand-written: of "
        "the one that\n  is in use, or that stands in `tests/recipe/hand/` because it gains "
        "nothing; ratio: mapped to\n  hand-written.\n"
        "* Constants: a shift by 1, a source of half the width, an immediate of 0x555 cut "
        "to the\n  bits that fit.\n\n## Costs\n\n",
        page->used.target->name);
    mapped_summary(page);
    overrides(page);
    page_costs(page);
    page_aliases(page);
    page_mastodon(page);
    return diag_errors(page->d) == errors;
}

/* SPDX-License-Identifier: MIT
 * The part of docs/recipe-counts.md that stands beside MASTODON's figures. */
#include "recipe/timing/timing.h"
#include "tools/mpu-recipe/cost.h"
#include "tools/mpu-recipe/forms.h"
#include "tools/mpu-recipe/page.h"
#include "tools/mpu-recipe/sheet.h"

#include <string.h>

#define COLUMNS 10

/* MASTODON's clock for a recipe whose sections do the same: n micro-ops in each, f more in
 * section 0.  Its sections take turns: a section begins when the one before issues its last.  What
 * a lock brackets has a first micro-op and a last one, so n is at least 2. */
struct issue_turns {
    uint64_t n, f;
};

static struct issue_turns count_turns(const struct uop_list *list) {
    uint64_t per_section[TIMING_MAX_SECTIONS] = {0}, most = 0;
    for (size_t i = 0; i < list->len; i++)
        per_section[list->data[i].section % TIMING_MAX_SECTIONS]++;
    for (unsigned s = 1; s < TIMING_MAX_SECTIONS; s++)
        most = per_section[s] > most ? per_section[s] : most;
    struct issue_turns t = {most, per_section[0] > most ? per_section[0] - most : 0};
    t.n = t.n < 2 ? 2 : t.n;
    return t;
}

/* "72 / 7"; "72 / -" where the second is not known. */
static void pair(struct recipe_sheet *sheet, uint64_t left, bool known, uint64_t right) {
    struct str cell = {0};
    str_printf(&cell, "%llu / ", (unsigned long long)left);
    if (known)
        str_printf(&cell, "%llu", (unsigned long long)right);
    else
        str_char(&cell, '-');
    sheet_text(sheet, str_text(&cell));
    str_free(&cell);
}

/* A recipe for one width has no n and f. */
static void in_turns(struct recipe_sheet *sheet, const struct uop_list *list,
                     const struct mastodon_row *row) {
    struct issue_turns turns = count_turns(list);
    uint64_t before_last = turns.n - 1;
    if (row->of[GATES_MAGIC].interval)
        pair(sheet, before_last * row->width + 5 + turns.f, true, 2 * before_last + 1 + turns.f);
    else
        sheet_text(sheet, "-");
}

static bool prepare_insn(enum isa_op op, unsigned width, struct insn *insn) {
    struct form_choice forms;
    form_choice_init(&forms);
    bool fine = form_make(&forms, op, width, insn);
    form_choice_free(&forms);
    return fine;
}

static void row(struct recipe_page *page, struct recipe_sheet *sheet,
                const struct mastodon_row *row, enum isa_op op) {
    const struct mastodon_cost *oscar = &row->of[GATES_OSCAR], *magic = &row->of[GATES_MAGIC];
    struct uop_list list = {0};
    struct recipe_count n;
    struct insn insn;
    if (prepare_insn(op, row->width, &insn) &&
        cost_of(&page->used, &insn, false, &list, &n, page->d)) {
        sheet_text(sheet, isa_info(op)->name);
        sheet_text(sheet, row->name);
        sheet_number(sheet, row->width);
        pair(sheet, n.logic, true, n.crossings);
        pair(sheet, oscar->logic, true, oscar->transfers);
        pair(sheet, magic->logic, true, magic->transfers);
        pair(sheet, n.latency_cycles, true, n.interval_cycles);
        in_turns(sheet, &list, row);
        pair(sheet, oscar->latency, oscar->interval, oscar->interval);
        pair(sheet, magic->latency, magic->interval, magic->interval);
    }
    vec_free(&list);
}

static void compare(struct recipe_page *page) {
    static const char *const names[COLUMNS] = {
        "instruction",
        "there",
        "bits",
        "ours: logic / crossings",
        "OSCAR: logic / transfers",
        "MAGIC: logic / transfers",
        "ours: latency / interval",
        "ours, in turns",
        "OSCAR: latency / interval",
        "MAGIC: latency / interval",
    };
    struct recipe_sheet t = {.columns = COLUMNS};
    for (unsigned i = 0; i < COLUMNS; i++)
        sheet_text(&t, names[i]);
    for (size_t i = 0; i < page->mastodon.len; i++) {
        enum isa_op op = bounds_mastodon_op(page->mastodon.data[i].name, NULL);
        if (op != OP_COUNT)
            row(page, &t, &page->mastodon.data[i], op);
    }
    sheet_print_markdown(&t, &page->out);
    sheet_free(&t);
}

static bool is_first(const struct recipe_page *page, size_t index) {
    for (size_t i = 0; i < index; i++)
        if (strcmp(page->mastodon.data[i].name, page->mastodon.data[index].name) == 0)
            return false;
    return true;
}

static void not_comparable(struct recipe_page *page) {
    str_append(&page->out, "\nNot comparable:\n\n| there | why |\n|---|---|\n");
    for (size_t i = 0; i < page->mastodon.len; i++) {
        const char *why;
        if (is_first(page, i) && bounds_mastodon_op(page->mastodon.data[i].name, &why) == OP_COUNT)
            str_printf(&page->out, "| %s | %s |\n", page->mastodon.data[i].name, why);
    }
}

static void minima(struct recipe_page *page) {
    str_append(&page->out,
               "\n## Least numbers of two-input NORs\n\nBy exhaustive search, per bit; beside them "
               "the logic micro-ops per bit of the instruction whose\nloop body it is, at 64 bits. "
               "OSCAR's OR makes some of them smaller.\n\n"
               "| function | NORs | instruction | logic per bit |\n|---|---:|---|---:|\n");
    for (size_t i = 0; i < bounds_nor_minima_count; i++) {
        const struct nor_minimum *m = &bounds_nor_minima[i];
        struct recipe_count n;
        struct insn insn;
        str_printf(&page->out, "| %s | %u |", m->function, m->nors);
        if (m->op != OP_COUNT && prepare_insn(m->op, 64, &insn) &&
            cost_count(&page->used, &insn, false, &n, page->d))
            str_printf(&page->out, " %s | %.2f |\n", isa_info(m->op)->name, (double)n.logic / 64);
        else
            str_append(&page->out, " none | - |\n");
    }
}

void page_mastodon(struct recipe_page *page) {
    str_append(
        &page->out,
        "## Beside MASTODON\n\nThe recipes of the open release of MASTODON (ARCANA Research Group, "
        "2024), its gate sets OSCAR and\nMAGIC, as its own counters measure them "
        "([mastodon.csv](mastodon.csv)). Its CMPLT is CMPGT here, its\nCMPST is CMPLT. Micro-ops on "
        "the left, cycles on the right.\n\nThere sections take turns under a lock: for n micro-ops in each section and f "
        "more in section 0 a\nlatency of (n-1)w + 5 + f and an interval of 2(n-1) + 1 + f. Here they "
        "overlap, and the schedule is\ncomputed ([targets.md](targets.md)); \"in turns\" are our "
        "micro-ops under MASTODON's rule (n at least 2).\n\n");
    compare(page);
    not_comparable(page);
    minima(page);
}

/* SPDX-License-Identifier: MIT
 * The page docs/figures.md: what the figures are worth, then all of them by source. */
#include "tests/figures/figures.h"

#include <math.h>
#include <string.h>

/* A | would end the cell. */
static void cell(const char *text, struct str *out) {
    str_char(out, ' ');
    for (; *text; text++) {
        if (*text == '|')
            str_char(out, '\\');
        str_char(out, *text == '\n' ? ' ' : *text);
    }
    str_append(out, " |");
}

static void cell_of_status(const struct published_figure *f, struct str *out) {
    str_printf(out, " %s%s%s |", figure_status_names[f->status], *figure_basis_name(f) ? ", " : "",
               figure_basis_name(f));
}

static void page_row(const struct published_figure *f, struct str *out) {
    str_char(out, '|');
    cell(f->id, out);
    cell(f->figure, out);
    cell(f->published, out);
    cell(f->ours, out);
    cell(f->unit, out);
    cell_of_status(f, out);
    cell(f->tolerance, out);
    cell(f->note, out);
    str_char(out, '\n');
}

static void page_counts(const struct figure_list *l, struct str *out) {
    size_t counts[FIGURE_STATES] = {0};
    for (size_t i = 0; i < l->figures.len; i++)
        counts[l->figures.data[i].status]++;
    str_printf(out, "%zu figures: %zu equal, %zu bound, %zu shape, %zu no.\n", l->figures.len,
               counts[FIGURE_EQUAL], counts[FIGURE_BOUND], counts[FIGURE_SHAPE], counts[FIGURE_NO]);
}

/* Why what is equal is: only results say something about the models. */
static void page_bases(const struct figure_list *l, struct str *out) {
    static const char *const meanings[FIGURE_BASES] = {
        "numbers of the papers that stand in the target files, and come out again",
        "counts that follow from what the target files state",
        "a number of a target file was chosen so that it comes out",
        "what the models give, and might not"};
    str_append(
        out,
        "\n## What equal means\n\n| basis | figures | which | meaning |\n|---|---:|---|---|\n");
    for (size_t b = 0; b < FIGURE_BASES; b++) {
        struct str ids = {0};
        size_t count = 0;
        for (size_t i = 0; i < l->figures.len; i++) {
            const struct published_figure *f = &l->figures.data[i];
            if (f->status == FIGURE_EQUAL && f->basis == (enum figure_basis)b)
                str_printf(&ids, "%s%s", count++ ? ", " : "", f->id);
        }
        str_printf(out, "| %s | %zu | %s | %s |\n", figure_basis_names[b], count,
                   count ? str_text(&ids) : "", meanings[b]);
        str_free(&ids);
    }
}

/* Ours / published of the bounds of one source in one unit. */
struct bound_sum {
    double least, most, logs;
    size_t count, zero;
};

static void bound_add(struct bound_sum *sum, const struct published_figure *f) {
    double ours, published;
    if (!number_parse_double(f->ours, strlen(f->ours), &ours) ||
        !number_parse_double(f->published, strlen(f->published), &published))
        return;
    if (published <= 0 || ours <= 0) {
        sum->zero++;
        return;
    }
    double ratio = ours / published;
    sum->least = sum->count && sum->least < ratio ? sum->least : ratio;
    sum->most = sum->count && sum->most > ratio ? sum->most : ratio;
    sum->logs += log(ratio);
    sum->count++;
}

/* The first of the list with its source and unit. */
static bool is_first(const struct figure_list *l, size_t index) {
    const struct published_figure *f = &l->figures.data[index];
    for (size_t i = 0; i < index; i++) {
        const struct published_figure *x = &l->figures.data[i];
        if (x->status == FIGURE_BOUND && strcmp(x->source, f->source) == 0 &&
            strcmp(x->unit, f->unit) == 0)
            return false;
    }
    return f->status == FIGURE_BOUND;
}

static void bound_row(const struct figure_list *l, const struct published_figure *first,
                      struct str *out) {
    struct bound_sum sum = {0};
    for (size_t i = 0; i < l->figures.len; i++) {
        const struct published_figure *f = &l->figures.data[i];
        if (f->status == FIGURE_BOUND && strcmp(f->source, first->source) == 0 &&
            strcmp(f->unit, first->unit) == 0)
            bound_add(&sum, f);
    }
    str_printf(out, "| %s | %s | %zu | %zu |", first->source, first->unit, sum.count, sum.zero);
    if (sum.count)
        str_printf(out, " %.2f | %.2f | %.2f |\n", sum.least, exp(sum.logs / (double)sum.count),
                   sum.most);
    else
        str_append(out, " | | |\n");
}

static void page_bounds(const struct figure_list *l, struct str *out) {
    str_append(out,
               "\n## How far below the bounds\n\n"
               "Ours / published: least, geometric mean and most of those where neither is 0.\n\n"
               "| source | unit | figures | where one is 0 | least | mean | most |\n"
               "|---|---|---:|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < l->figures.len; i++)
        if (is_first(l, i))
            bound_row(l, &l->figures.data[i], out);
    str_append(
        out,
        "\nCounts of micro-ops and commands have no lower side: fewer are better, and a proof or a "
        "verified run says\nthat they do the work. Times have one, for a machine that is too fast is "
        "wrong. An instruction of w bits on a\nbit-pipelined machine takes at least w cycles, since "
        "section s begins s cycles after the first; a sum of n\nproducts of bits at least n (n + 1) / "
        "2 cycles on a machine that adds one row a cycle, a quotient n^2. MASTODON's\nlatency is that "
        "of another machine: its sections wait for one another, packet by packet, (n - 1) w + 5 + f "
        "cycles\nfor n micro-ops, where ours hand over bit by bit. The ratio of the latencies compares "
        "the machines, not the\nrecipes; the counts above them compare these.\n");
}

void figures_write_page(const struct figure_list *l, struct str *out) {
    const char *source = "";
    str_append(
        out,
        "# Published figures and ours\n\n"
        "<!-- Generated; do not edit: ./dev figures -->\n\n"
        "Each line of [figures.csv](figures.csv) is a figure of a paper, or of a program that came "
        "with\none, and the command that computes ours. `equal`: within the tolerance; `bound`: "
        "not above it, nor\nbelow `a` where the tolerance is `a..`; `shape`: within a range that is wider, "
        "for a reason that is given; `no`: not\nreproducible, with the reason, and ours beside it where "
        "there is one. `./dev figures` computes all of them anew.\n\n");
    page_counts(l, out);
    page_bases(l, out);
    page_bounds(l, out);
    for (size_t i = 0; i < l->figures.len; i++) {
        const struct published_figure *f = &l->figures.data[i];
        if (strcmp(f->source, source) != 0)
            str_printf(
                out,
                "\n## %s\n\n| id | figure | published | ours | unit | status | tolerance | note "
                "|\n|---|---|---:|---:|---|---|---|---|\n",
                f->source);
        source = f->source;
        page_row(f, out);
    }
}

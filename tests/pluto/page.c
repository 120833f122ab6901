/* SPDX-License-Identifier: MIT */
#include "page.h"

#include "machine.h"

#include <math.h>
#include <string.h>

/* 12345.6 as 12,345.6. */
static void put_number(struct str *out, double value, unsigned decimals) {
    struct str text = {0};
    str_printf(&text, "%.*f", (int)decimals, value);
    const char *at = str_text(&text);
    size_t whole = strcspn(at, ".");
    for (size_t i = 0; at[i]; i++) {
        if (i && i < whole && (whole - i) % 3 == 0 && at[i - 1] != '-')
            str_char(out, ',');
        str_char(out, at[i]);
    }
    str_free(&text);
}

void page_put_cell(struct str *out, double value, unsigned decimals) {
    str_char(out, ' ');
    if (!isnan(value))
        put_number(out, value, decimals);
    str_append(out, isnan(value) ? "|" : " |");
}

void page_put_rule(struct str *out, unsigned columns, unsigned texts) {
    str_char(out, '|');
    for (unsigned i = 0; i < columns; i++)
        str_append(out, i < texts ? "---|" : "---:|");
    str_char(out, '\n');
}

/* ---- facts of a figure ---- */

/* One digit more than is printed. */
static unsigned decimals_of(const struct fact *f) {
    unsigned decimals = fact_decimals(f);
    return decimals < 4 ? decimals + 1 : decimals;
}

static bool way_has(struct facts *all, const char *figure, enum way way) {
    for (size_t i = 0; i < all->list.len; i++) {
        const struct fact *f = &all->list.data[i];
        if (strcmp(f->figure, figure) == 0 && !isnan(figure_value(all, f, way)))
            return true;
    }
    return false;
}

static void put_setting(struct str *out, const char *setting) {
    for (; *setting; setting++)
        if (*setting == ';')
            str_append(out, ", ");
        else if (*setting == '=')
            str_char(out, ' ');
        else
            str_char(out, *setting);
}

static void put_fact(struct facts *all, const struct fact *f, const bool has[WAYS],
                     struct str *out) {
    str_printf(out, "| %s | %s | ", f->quantity, f->subject);
    put_setting(out, f->setting);
    str_printf(out, *f->setting ? " | %s %s |" : "| %s %s |", f->text, f->unit);
    for (unsigned w = 0; w < WAYS; w++)
        if (has[w])
            page_put_cell(out, figure_value(all, f, (enum way)w), decimals_of(f));
    str_printf(out, *f->note ? " %s |\n" : " |\n", f->note);
}

/* Of what is published: what was worked out apart is for the test. */
static void put_figure(struct facts *all, const char *figure, struct str *out) {
    bool has[WAYS];
    unsigned columns = 4;
    str_append(out, "| quantity | of | setting | published |");
    for (unsigned w = 0; w < WAYS; w++) {
        has[w] = way_has(all, figure, (enum way)w);
        columns += has[w];
        if (has[w])
            str_printf(out, " %s |", figure_ways[w]);
    }
    str_append(out, " note |\n|---|---|---|");
    for (unsigned i = 3; i < columns; i++)
        str_append(out, "---:|");
    str_append(out, "---|\n");
    for (size_t i = 0; i < all->list.len; i++) {
        const struct fact *f = &all->list.data[i];
        if (strcmp(f->figure, figure) == 0 && f->printed != FACT_GIVEN &&
            strcmp(f->source, "worked out") != 0)
            put_fact(all, f, has, out);
    }
}

static void put_table_5(struct facts *all, struct str *out) {
    put_figure(all, "Table 5", out);
}
static void put_table_7(struct facts *all, struct str *out) {
    put_figure(all, "Table 7", out);
}
static void put_figure_7(struct facts *all, struct str *out) {
    put_figure(all, "Fig. 7", out);
}
static void put_figure_8(struct facts *all, struct str *out) {
    put_figure(all, "Fig. 8", out);
}
static void put_figure_9(struct facts *all, struct str *out) {
    put_figure(all, "Fig. 9", out);
}
static void put_figure_10(struct facts *all, struct str *out) {
    put_figure(all, "Fig. 10", out);
}
static void put_figure_11(struct facts *all, struct str *out) {
    put_figure(all, "Fig. 11", out);
}
static void put_figure_13(struct facts *all, struct str *out) {
    put_figure(all, "Fig. 13", out);
}
static void put_figure_14(struct facts *all, struct str *out) {
    put_figure(all, "Fig. 14", out);
}

/* ---- how many figures agree ---- */

static bool first_of_figure(const struct facts *all, size_t i) {
    for (size_t j = 0; j < i; j++)
        if (strcmp(all->list.data[j].figure, all->list.data[i].figure) == 0)
            return false;
    return true;
}

static void put_agreement(struct facts *all, struct str *out) {
    str_append(out, "| figure | figures | release's rule gives | formulas give | machine gives "
                    "| none |\n");
    page_put_rule(out, 6, 1);
    for (size_t i = 0; i < all->list.len; i++) {
        unsigned count = 0, none = 0, ways[WAYS] = {0};
        if (!first_of_figure(all, i))
            continue;
        for (size_t j = i; j < all->list.len; j++) {
            const struct fact *f = &all->list.data[j];
            if (strcmp(f->figure, all->list.data[i].figure) != 0 || f->printed == FACT_GIVEN)
                continue;
            count++;
            none += f->none;
            for (unsigned w = 0; w < WAYS; w++)
                ways[w] += f->agrees[w];
        }
        if (count)
            str_printf(out, "| %s | %u | %u | %u | %u | %u |\n", all->list.data[i].figure, count,
                       ways[WAY_RELEASE], ways[WAY_FORMULA], ways[WAY_MACHINE], none);
    }
}

/* ---- the release's rule ---- */

static void put_operations(struct facts *all, struct str *out) {
    (void)all;
    str_append(out, "| operation | ACT | PRE | slots | energy, nJ |\n");
    page_put_rule(out, 5, 1);
    release_operations(out);
}

static void put_workloads(struct facts *all, struct str *out) {
    (void)all;
    str_append(out, "| workload | rows of 8 kB | AAP | SHIFT | AND | OR | XOR | query | reduction "
                    "|\n");
    page_put_rule(out, 9, 1);
    for (unsigned w = 0; w < RELEASE_WORKLOADS; w++)
        release_describe((enum release_workload)w, out);
}

static void put_results(struct facts *all, struct str *out) {
    (void)all;
    str_append(out, "| workload | GSA, us | BSA, us | GMC, us | BSA, nJ | by formula: GSA, us | "
                    "BSA, us | GMC, us | BSA, nJ |\n");
    page_put_rule(out, 9, 1);
    for (unsigned w = 0; w < RELEASE_WORKLOADS; w++) {
        str_printf(out, "| %s |", release_workload_name((enum release_workload)w));
        for (unsigned by = 0; by < 2; by++) {
            struct release_run r = {
                FORMULA_GSA, (enum release_workload)w,          RELEASE_DDR4, 16,
                0,           by ? RELEASE_ALL : RELEASE_NOTHING};
            for (unsigned d = 0; d < FORMULA_DESIGNS; d++) {
                r.design = (enum formula_design)d;
                page_put_cell(out, release_ns(&r) / 1000, 3);
            }
            r.design = FORMULA_BSA;
            page_put_cell(out, release_nj(&r), 1);
        }
        str_char(out, '\n');
    }
}

/* ---- its defects ---- */

static const struct defect {
    enum release_mend mend;
    const char *what, *seen;
    struct release_run run;
    bool energy;
} defects[] = {
    {RELEASE_SECONDS,
     "seconds of a reduction are added to nanoseconds",
     "128 MiB at 4 bytes a cycle of 2.3 GHz are 14.6 ms; they add 0.0146 to a checksum's time, and "
     "their energy in full",
     {FORMULA_BSA, RELEASE_CRC8, RELEASE_DDR4, 16, 0, 0},
     false},
    {RELEASE_IMAGE,
     "images have 16 rows",
     "its own table of data gives them 115, and no operation "
     "reads that; the operations take the size of the logic workload",
     {FORMULA_BSA, RELEASE_IMGBIN, RELEASE_DDR4, 16, 0, 0},
     false},
    {RELEASE_CHANNELS,
     "one channel of an image",
     "115 rows are 942,080 bytes: one of the three "
     "channels of 936,000 pixels in Table 4",
     {FORMULA_BSA, RELEASE_COLORGRADE, RELEASE_DDR4, 16, 0, 0},
     false},
    {RELEASE_VMPC_SUM,
     "VMPC's sums are over 16 rows",
     "its queries are over 65,536 rows; the sum's "
     "list of operations is that of the workload of sums, size and all",
     {FORMULA_BSA, RELEASE_VMPC, RELEASE_DDR4, 16, 0, 0},
     false},
    {RELEASE_CRC_BYTES,
     "checksums of 8, 16 and 32 bits cost the same",
     "one query of 256 rows "
     "each; a table of bytes gives one byte, so 16 and 32 bits need two and four",
     {FORMULA_BSA, RELEASE_CRC32, RELEASE_DDR4, 16, 0, 0},
     false},
    {RELEASE_LOGIC,
     "logic by a table of 256 rows",
     "Table 4 gives it 4 entries",
     {FORMULA_BSA, RELEASE_BITWISE, RELEASE_DDR4, 16, 0, 0},
     false},
    {RELEASE_ADD_TABLE,
     "sums of 4 bits without a table",
     "Table 4 has them by look-up; the list "
     "of operations is a prefix adder's, without a query, so that all designs cost the same",
     {FORMULA_BSA, RELEASE_ADD4, RELEASE_DDR4, 16, 0, 0},
     false},
    {RELEASE_LAST_STEP,
     "the first of a product's two sums is not finished",
     "the last shift and "
     "XOR stand once behind both",
     {FORMULA_BSA, RELEASE_MUL8, RELEASE_DDR4, 16, 0, 0},
     false},
    {RELEASE_DISTANCE,
     "a shift is one step, however far",
     "Table 2 shifts by a bit, or a byte, a "
     "step; a prefix adder shifts by 1, 2, 4 and more",
     {FORMULA_BSA, RELEASE_ADD8, RELEASE_DDR4, 16, 0, 0},
     false},
    {RELEASE_SHIFT_NJ,
     "SHIFT and NOT: time of one AAP, energy of two",
     "1.74 nJ are twice 0.871, "
     "and three slots are one AAP",
     {FORMULA_BSA, RELEASE_ADD8, RELEASE_DDR4, 16, 0, 0},
     true},
    {RELEASE_GSA_ONCE,
     "GSA takes 4 N slots",
     "Table 1 closes its sweep once: 3 N + 1, if to reload "
     "a row is an ACT and a PRE",
     {FORMULA_GSA, RELEASE_BITCOUNT, RELEASE_DDR4, 16, 0, 0},
     false},
    {RELEASE_PRECHARGE,
     "a PRE takes as long as an ACT",
     "3DS has 10.2 and 9.9 ns",
     {FORMULA_BSA, RELEASE_BITCOUNT, RELEASE_3DS, 512, 0, 0},
     false},
    {RELEASE_WHOLE,
     "parts of rows take parts of commands, and parts of a slot nothing",
     "LeNet's layer of 84 elements, 10.5 bytes at 1 bit, takes 0 of 512 slots",
     {FORMULA_BSA, RELEASE_LENET1, RELEASE_DDR4, 16, 0, 0},
     false},
    {RELEASE_ROW_NJ,
     "a row of 256 B takes the energy of 8 kB",
     "one table of energies for DDR4 and "
     "3DS, so that the same data cost 32 times as much",
     {FORMULA_BSA, RELEASE_BITCOUNT, RELEASE_3DS, 512, 0, 0},
     true},
    {RELEASE_WINDOW,
     "tFAW once in four slots of any kind",
     "PREs count, the number of subarrays that activate does not (if it is above 4); hence 80.95 % on every workload",
     {FORMULA_BSA, RELEASE_BITCOUNT, RELEASE_DDR4, 16, 13.328, 0},
     false},
    {RELEASE_ENDS,
     "a query neither opens its source nor moves its result",
     "left out by the equations of the paper, too: an ACT, an RBM of 8 ns, an ACT and a PRE",
     {FORMULA_BSA, RELEASE_BITCOUNT_SHORT, RELEASE_DDR4, 16, 0, 0},
     false},
};

static void put_defects(struct facts *all, struct str *out) {
    struct release_run mean = {FORMULA_BSA, RELEASE_CRC8, RELEASE_DDR4, 16, 0, RELEASE_NOTHING};
    str_append(out, "| the release | seen in | for example | as it is | mended | Fig. 7, BSA |\n");
    page_put_rule(out, 6, 3);
    for (size_t i = 0; i < sizeof defects / sizeof *defects; i++) {
        const struct defect *d = &defects[i];
        double (*of)(const struct release_run *) = d->energy ? release_nj : release_ns;
        struct release_run r = d->run;
        str_printf(out, "| %s | %s | %s, %s, %s, %s |", d->what, d->seen,
                   release_workload_name(r.workload), formula_designs[r.design],
                   release_memories[r.memory], d->energy ? "nJ" : "ns");
        page_put_cell(out, of(&r), 2);
        r.mended = d->mend;
        page_put_cell(out, of(&r), 2);
        mean.mended = d->mend;
        page_put_cell(out, figure_speedup(all, &mean), 1);
        str_char(out, '\n');
    }
    mean.mended = RELEASE_ALL;
    str_append(out, "| all of them | | | | |");
    page_put_cell(out, figure_speedup(all, &mean), 1);
    str_char(out, '\n');
}

/* ---- formulas over the rows of a table ---- */

static const unsigned least_rows = 2, most_rows = 512;

static void put_table_1(struct facts *all, struct str *out) {
    const struct formula_timing *t = formula_timing_of("DDR4-2400");
    (void)all;
    str_append(out, "| N | GMC | BSA |");
    for (unsigned r = 0; r < FORMULA_RELOADS; r++)
        str_printf(out, " GSA, %s |", formula_reloads[r].what);
    str_append(out, " release: GMC | BSA | GSA |\n");
    page_put_rule(out, 6 + FORMULA_RELOADS, 0);
    for (unsigned n = least_rows; n <= most_rows; n *= 2) {
        str_printf(out, "| %u |", n);
        page_put_cell(out, formula_query_ns(FORMULA_GMC, t, n, 0), 2);
        page_put_cell(out, formula_query_ns(FORMULA_BSA, t, n, 0), 2);
        for (unsigned r = 0; r < FORMULA_RELOADS; r++)
            page_put_cell(
                out, formula_query_ns(FORMULA_GSA, t, n, formula_reload_ns(&formula_reloads[r], t)),
                2);
        page_put_cell(out, release_query_ns(FORMULA_GMC, RELEASE_DDR4, n), 2);
        page_put_cell(out, release_query_ns(FORMULA_BSA, RELEASE_DDR4, n), 2);
        page_put_cell(out, release_query_ns(FORMULA_GSA, RELEASE_DDR4, n), 2);
        str_char(out, '\n');
    }
}

static void put_figure_12(struct facts *all, struct str *out) {
    const struct formula_timing *t = formula_timing_of("DDR4-2400");
    const struct formula_reload *reload = formula_reload_of("release");
    (void)all;
    str_append(out, "| N | GSA, G/s | BSA, G/s | GMC, G/s | GSA, nJ | BSA, nJ | GMC, nJ |\n");
    page_put_rule(out, 7, 0);
    for (unsigned n = least_rows; n <= most_rows; n *= 2) {
        str_printf(out, "| %u |", n);
        for (unsigned d = 0; d < FORMULA_DESIGNS; d++) {
            double ns =
                formula_query_ns((enum formula_design)d, t, n, formula_reload_ns(reload, t));
            page_put_cell(out, formula_per_second(n, ns) * 1e-9, 3);
        }
        for (unsigned d = 0; d < FORMULA_DESIGNS; d++)
            page_put_cell(out, formula_query_nj((enum formula_design)d, n, formula_ap_nj), 3);
        str_char(out, '\n');
    }
}

static void put_window(struct facts *all, struct str *out) {
    static const char *const windows[] = {"6.664", "13.328", "21.0"};
    static const unsigned subarrays[] = {1, 4, 16, 64, 256, 1024};
    str_append(out, "| subarrays | BSA, 6.664 ns | 13.328 ns | 21 ns | GMC, 6.664 ns | 13.328 ns | "
                    "21 ns |\n");
    page_put_rule(out, 7, 0);
    for (size_t s = 0; s < sizeof subarrays / sizeof *subarrays; s++) {
        str_printf(out, "| %u |", subarrays[s]);
        for (unsigned d = FORMULA_BSA; d <= FORMULA_GMC; d++)
            for (size_t w = 0; w < sizeof windows / sizeof *windows; w++) {
                struct str setting = {0};
                str_printf(&setting, "subarrays=%u;tfaw=%s", subarrays[s], windows[w]);
                const struct fact *f = fact_find(all, "Window", "relative performance",
                                                 formula_designs[d], str_text(&setting));
                page_put_cell(out, f ? figure_value(all, f, WAY_FORMULA) : NAN, 2);
                str_free(&setting);
            }
        str_char(out, '\n');
    }
}

/* ---- Table 6: two readings, then what is derived from it ---- */

static void put_table_6(struct facts *all, struct str *out) {
    str_append(out, "| operation | rows | published, ns | logic not shared | all shared |\n");
    page_put_rule(out, 5, 1);
    for (size_t i = 0; i < all->list.len; i++) {
        const struct fact *f = &all->list.data[i];
        unsigned rows = (unsigned)fact_number(all, f, "rows");
        if (strcmp(f->figure, "Table 6") != 0 || strcmp(f->subject, "BSA") != 0 || !rows)
            continue;
        unsigned operands = (unsigned)fact_number(all, f, "operands");
        str_printf(out, "| %s | %u | %s |", f->quantity, rows, f->text);
        page_put_cell(out, formula_table6_ns(rows, operands, FORMULA_UNSHARED), 1);
        page_put_cell(out, formula_table6_ns(rows, operands, FORMULA_SHARED), 1);
        str_char(out, '\n');
    }
}

static void put_others(struct facts *all, struct str *out) {
    str_append(out, "| quantity | of | setting | published | by formula | note |\n");
    str_append(out, "|---|---|---|---:|---:|---|\n");
    for (size_t i = 0; i < all->list.len; i++) {
        static const bool formula[WAYS] = {[WAY_FORMULA] = true};
        const struct fact *f = &all->list.data[i];
        if (strcmp(f->figure, "Table 6") == 0 && strcmp(f->subject, "BSA") != 0 &&
            f->printed != FACT_GIVEN && strcmp(f->source, "worked out") != 0)
            put_fact(all, f, formula, out);
    }
}

const struct page_table page_tables[PAGE_TABLES] = {{"agreement", put_agreement},
                                                    {"operations", put_operations},
                                                    {"workloads", put_workloads},
                                                    {"results", put_results},
                                                    {"defects", put_defects},
                                                    {"table 1", put_table_1},
                                                    {"table 5", put_table_5},
                                                    {"table 6", put_table_6},
                                                    {"others", put_others},
                                                    {"table 7", put_table_7},
                                                    {"fig. 7", put_figure_7},
                                                    {"fig. 8", put_figure_8},
                                                    {"fig. 9", put_figure_9},
                                                    {"fig. 10", put_figure_10},
                                                    {"fig. 11", put_figure_11},
                                                    {"fig. 12", put_figure_12},
                                                    {"fig. 13", put_figure_13},
                                                    {"fig. 14", put_figure_14},
                                                    {"window", put_window},
                                                    {"order", machine_put_order},
                                                    {"table 6 by machine", machine_put_table_6},
                                                    {"fig. 11 by machine", machine_put_figure_11},
                                                    {"fig. 12 by machine", machine_put_figure_12},
                                                    {"parallel", machine_put_parallel}};

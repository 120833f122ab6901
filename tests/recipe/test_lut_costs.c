/* SPDX-License-Identifier: MIT
 * What tables cost on each machine: docs/tables.csv, from which the tables and the plot of
 * docs/tables.md are made.  The test counts the small ones anew; MPU_WRITE_PAGE=1
 * test_recipe_lut_costs counts all, and writes the files. */
#include "lut_plot.h"
#include "luts.h"
#include "table.h"
#include "tests/examples/page.h"

#include "support/file.h"
#include "support/map.h"

#include <stdio.h>

#define COUNTS MPU_SOURCE_DIR "/docs/tables.csv"
#define PLOT   MPU_SOURCE_DIR "/docs/tables.svg"
#define PAGE   MPU_SOURCE_DIR "/docs/tables.md"
#define WRITER "test_recipe_lut_costs"
#define SMALL  4 /* bits of an index */

static const char *const machines[] = {"racer",       "racer-magic",   "racer-felix",
                                       "racer-ideal", "mimdram",       "simdram",
                                       "ambit",       "duality-cache", "pypim"};
#define MACHINES (sizeof machines / sizeof *machines)
static const unsigned widths[PLOT_WIDTHS] = {1, 4, 8};

static uint64_t tenth(uint32_t index, unsigned k) {
    (void)k;
    return index / 10;
}
static uint64_t root(uint32_t index, unsigned k) {
    uint64_t r = 0;
    while ((r + 1) * (r + 1) <= (uint64_t)index << k)
        r++;
    return r;
}
static uint64_t ones(uint32_t index, unsigned k) {
    (void)k;
    return (uint64_t)__builtin_popcount(index);
}

/* Tables of bytes, and the instruction that does the same. */
static const struct named_table {
    const char *name;
    luts_element *element;
    enum isa_op op; /* OP_COUNT: none */
} named[] = {{"S-box of AES", luts_aes, OP_COUNT},
             {"square", luts_square, OP_MUL},
             {"tenth", tenth, OP_QDIV},
             {"square root", root, OP_COUNT},
             {"ones", ones, OP_POPC},
             {"bits reversed", luts_reversed, OP_BFLIP}};
#define NAMED (sizeof named / sizeof *named)

/* --- counts --- */

/* What the file says, by the line up to the last comma, and what is counted now. */
struct counts {
    struct map before, now;
    bool all; /* to be counted */
};

static void read_counts(struct counts *counts) {
    size_t size = 0;
    char *file = file_read(COUNTS, &size);
    for (char *line = file; line && *line;) {
        char *end = strchr(line, '\n'), *comma = line;
        assert_non_null(end);
        for (char *c = line; c < end; c++)
            comma = *c == ',' ? c : comma;
        map_put_n(&counts->before, line, (size_t)(comma - line), strtoul(comma + 1, NULL, 10));
        line = end + 1;
    }
    free(file);
}

static void note(struct counts *counts, const struct table_fixture *f, const char *key,
                 const struct insn *insn, bool small) {
    struct str name = {0};
    struct recipe_count count;
    str_printf(&name, "%s,%s", f->t->name, key);
    const uint64_t *before = map_get(&counts->before, str_text(&name));
    uint64_t value = before ? *before : 0;
    if (counts->all || small) {
        if (!recipe_count(f->s, insn, false, &count))
            fail_msg("%s", str_text(&name));
        value = count.micro_ops;
    }
    map_put(&counts->now, str_text(&name), value);
    str_free(&name);
}

static void note_table(struct counts *counts, const struct table_fixture *f, const char *name,
                       unsigned bits, struct isa_lut *table) {
    struct insn insn = {.op = OP_LUT, .rs = 1, .rd = 2};
    struct str key = {0};
    isa_set_table(&insn, table);
    str_printf(&key, "%s,%u,%u", name, table->index_bits, bits);
    note(counts, f, str_text(&key), &insn, table->index_bits <= SMALL);
    str_free(&key);
    luts_free(table);
}

/* Elements of `bits` bits; a register has at least those of the index. */
static struct isa_lut *random_table(unsigned k, unsigned bits) {
    uint64_t seed = 100 * k + bits;
    struct isa_lut *table = luts_random(k, bits, &seed);
    table->width = (uint8_t)(k > bits ? k : bits);
    return table;
}

static void note_instruction(struct counts *counts, const struct table_fixture *f, enum isa_op op) {
    struct insn insn = table_insn(op, 8, 1);
    struct str key = {0};
    str_printf(&key, "%s,,8", isa_info(op)->name);
    note(counts, f, str_text(&key), &insn, true);
    str_free(&key);
}

static void count_machine(struct counts *counts, const char *machine) {
    struct table_fixture f = open_tables_of(machine);
    note_instruction(counts, &f, OP_ADD);
    for (size_t i = 0; i < NAMED; i++) {
        note_table(counts, &f, named[i].name, 8, luts_new(8, 8, named[i].element));
        if (named[i].op != OP_COUNT)
            note_instruction(counts, &f, named[i].op);
    }
    for (unsigned k = 1; k <= PLOT_SIZES; k++)
        for (unsigned w = 0; w < PLOT_WIDTHS; w++)
            note_table(counts, &f, "random", widths[w], random_table(k, widths[w]));
    close_tables(&f);
}

static uint64_t count_of(const struct counts *counts, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static uint64_t count_of(const struct counts *counts, const char *format, ...) {
    struct str key = {0};
    va_list args;
    va_start(args, format);
    str_vprintf(&key, format, args);
    va_end(args);
    const uint64_t *found = map_get(&counts->now, str_text(&key));
    if (!found)
        fail_msg("nothing was counted for %s", str_text(&key));
    str_free(&key);
    return *found;
}

/* --- what is made of them --- */

static void put_file(const struct counts *counts, struct str *out) {
    str_append(out, "machine,table or instruction,index bits,element bits,micro-ops\n");
    for (size_t i = 0; i < counts->now.len; i++)
        str_printf(out, "%s,%llu\n", counts->now.entries[i].key,
                   (unsigned long long)counts->now.entries[i].value);
}

static void put_named(const struct counts *counts, struct str *out) {
    str_append(out, "| machine | ADD.8 |");
    for (size_t i = 0; i < NAMED; i++) {
        str_printf(out, " %s |", named[i].name);
        if (named[i].op != OP_COUNT)
            str_printf(out, " %s.8 |", isa_info(named[i].op)->name);
    }
    str_append(out, "\n|---|---|");
    for (size_t i = 0; i < NAMED; i++)
        str_append(out, named[i].op == OP_COUNT ? "---|" : "---|---|");
    str_char(out, '\n');
    for (size_t n = 0; n < MACHINES; n++) {
        str_printf(out, "| %s | %llu |", machines[n],
                   (unsigned long long)count_of(counts, "%s,ADD,,8", machines[n]));
        for (size_t i = 0; i < NAMED; i++) {
            str_printf(
                out, " %llu |",
                (unsigned long long)count_of(counts, "%s,%s,8,8", machines[n], named[i].name));
            if (named[i].op != OP_COUNT)
                str_printf(out, " %llu |",
                           (unsigned long long)count_of(counts, "%s,%s,,8", machines[n],
                                                        isa_info(named[i].op)->name));
        }
        str_char(out, '\n');
    }
}

static void put_sizes(const struct counts *counts, struct str *out) {
    str_append(out, "| machine |");
    for (unsigned k = 1; k <= PLOT_SIZES; k++)
        str_printf(out, " k = %u |", k);
    str_append(out, "\n|---|---|---|---|---|---|---|---|---|\n");
    for (size_t n = 0; n < MACHINES; n++) {
        str_printf(out, "| %s |", machines[n]);
        for (unsigned k = 1; k <= PLOT_SIZES; k++)
            for (unsigned w = 0; w < PLOT_WIDTHS; w++)
                str_printf(out, "%s%llu%s", w ? " / " : " ",
                           (unsigned long long)count_of(counts, "%s,random,%u,%u", machines[n], k,
                                                        widths[w]),
                           w + 1 < PLOT_WIDTHS ? "" : " |");
        str_char(out, '\n');
    }
}

static void put_plot(const struct counts *counts, struct str *out) {
    static const char *const names[] = {"elements of 1 bit", "of 4 bits", "of 8 bits"};
    static const char *const lines[] = {"ADD.8", "MUL.8"};
    struct plot_panel panels[MACHINES];
    for (size_t n = 0; n < MACHINES; n++) {
        panels[n].title = machines[n];
        panels[n].lines[0] = (unsigned)count_of(counts, "%s,ADD,,8", machines[n]);
        panels[n].lines[1] = (unsigned)count_of(counts, "%s,MUL,,8", machines[n]);
        for (unsigned w = 0; w < PLOT_WIDTHS; w++)
            for (unsigned k = 0; k < PLOT_SIZES; k++)
                panels[n].counts[w][k] =
                    (unsigned)count_of(counts, "%s,random,%u,%u", machines[n], k + 1, widths[w]);
    }
    plot_panels(panels, MACHINES, names, lines, out);
}

static void check_file(const char *path, const struct str *text) {
    size_t size = 0;
    if (getenv("MPU_WRITE_PAGE"))
        assert_true(file_write(path, str_text(text), text->len));
    char *file = file_read(path, &size);
    if (!file || size != text->len || memcmp(file, str_text(text), size) != 0)
        fail_msg("%s is not what tables take; MPU_WRITE_PAGE=1 " WRITER " writes it", path);
    free(file);
}

static void test_costs(void **state) {
    (void)state;
    struct counts counts = {.all = getenv("MPU_WRITE_PAGE") != NULL};
    struct str file = {0}, plot = {0}, table = {0}, sizes = {0};
    read_counts(&counts);
    for (size_t n = 0; n < MACHINES; n++)
        count_machine(&counts, machines[n]);
    put_file(&counts, &file);
    check_file(COUNTS, &file);
    put_plot(&counts, &plot);
    check_file(PLOT, &plot);
    put_named(&counts, &table);
    page_check(PAGE, "costs", &table, WRITER);
    put_sizes(&counts, &sizes);
    page_check(PAGE, "sizes", &sizes, WRITER);
    map_free(&counts.before);
    map_free(&counts.now);
    str_free(&file);
    str_free(&plot);
    str_free(&table);
    str_free(&sizes);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_costs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 * How many templates each recipe takes in a recipe table, on every built-in target at widths from
 * one bit to all: as many as template_counts.csv says.  Counts may fall and should not rise, so the
 * test names those that rose; MPU_WRITE_PAGE=1 test_recipe_templates writes the file anew. */
#include "table.h"

#include "recipe/set/set.h"
#include "support/file.h"
#include "tools/mpu-recipe/forms.h"

#include <stdio.h>

#define COUNTS MPU_SOURCE_DIR "/tests/recipe/template_counts.csv"

static const unsigned widths[] = {1, 5, 8, 16, 32, 64};
#define WIDTHS (sizeof widths / sizeof *widths)

/* 1, where the instruction takes a constant. */
static struct insn counted_insn(enum isa_op op, unsigned width) {
    struct insn insn = table_insn(op, width, 1);
    if (!recipe_applies(&insn))
        insn.imm = 0;
    return insn;
}

/* "target,instruction,templates at each width"; nothing where the instruction has no such width. */
static void put_line(struct str *page, const struct table_fixture *f, enum isa_op op) {
    bool sized = isa_info(op)->flags & ISA_WIDTH;
    str_printf(page, "%s,", f->t->name);
    form_name(op, NULL, page);
    for (size_t w = 0; w < WIDTHS; w++) {
        struct insn insn = counted_insn(op, widths[w]);
        str_printf(page, ",");
        if ((w > 0 && !sized) || !recipe_applies(&insn))
            continue;
        struct recipe_table *table = build_table(f, &insn, 1);
        str_printf(page, "%zu", table->template_count);
        recipe_table_free(table);
    }
    str_printf(page, "\n");
}

static void put_counts(struct str *page) {
    size_t count;
    const char *const *names = target_names(&count);
    str_printf(page, "target,instruction");
    for (size_t w = 0; w < WIDTHS; w++)
        str_printf(page, ",%u", widths[w]);
    str_printf(page, "\n");
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], "golden") == 0)
            continue; /* without recipes */
        struct table_fixture f = open_tables_of(names[i]);
        for (int op = 0; op < OP_COUNT; op++)
            if (recipe_exists(f.s, (enum isa_op)op))
                put_line(page, &f, (enum isa_op)op);
        close_tables(&f);
    }
}

/* A line of the page and the one of the file that begins with the same `n` characters. */
static void say_more(const char *line, const char *before, size_t n) {
    const char *now = line + n;
    before += n;
    for (size_t w = 0; w < WIDTHS; w++) {
        if (atoi(now) > atoi(before))
            print_error("%.*s at width %u: %d templates, %d before\n", (int)n, line, widths[w],
                        atoi(now), atoi(before));
        now += strcspn(now, ",\n") + 1;
        before += strcspn(before, ",\n") + 1;
    }
}

static void say_changes(const char *page, const char *file) {
    for (const char *line = page; *line; line = strchr(line, '\n') + 1) {
        char begin[80];
        size_t n = (size_t)(strchr(strchr(line, ',') + 1, ',') + 1 - line);
        assert_true(n + 1 < sizeof begin);
        snprintf(begin, sizeof begin, "\n%.*s", (int)n, line);
        const char *before = strstr(file, begin);
        if (before)
            say_more(line, before + 1, n);
    }
}

static void test_no_more(void **state) {
    (void)state;
    struct str page = {0};
    size_t size = 0;
    put_counts(&page);
    if (getenv("MPU_WRITE_PAGE"))
        assert_true(file_write(COUNTS, str_text(&page), page.len));
    char *file = file_read(COUNTS, &size);
    assert_non_null(file);
    if (size != page.len || memcmp(file, str_text(&page), size) != 0) {
        say_changes(str_text(&page), file);
        fail_msg(
            "%s is not what the recipes take; MPU_WRITE_PAGE=1 test_recipe_templates writes it",
            COUNTS);
    }
    free(file);
    str_free(&page);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_more)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

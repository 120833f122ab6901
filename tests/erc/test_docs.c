/* SPDX-License-Identifier: MIT
 * docs/import.md: its table is that of the dialect, its programs are imported. */
#include "ezpim/erc/dialect.h"
#include "support/file.h"
#include "tests/erc/import.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void row(const struct erc_insn *insn, struct str *out) {
    bool optional = insn->flags & ERC_OPTIONAL;
    str_printf(out, "| `%s", insn->name);
    for (const char *c = insn->operands; *c; c++)
        str_printf(out, optional ? " [%c]" : " %c", *c);
    if (insn->becomes[0])
        str_printf(out, "` | `%s` | ", insn->becomes);
    else
        str_append(out, insn->does == DOES_REFUSE ? "` | an error | " : "` | nothing | ");
    str_printf(out, "%s |\n", insn->differs ? insn->differs : "");
}

static char *read_page(void) {
    size_t size;
    char *page = file_read(MPU_SOURCE_DIR "/docs/import.md", &size);
    assert_non_null(page);
    return page;
}

static void test_table(void **state) {
    (void)state;
    char *page = read_page();
    struct str rows = {0};
    str_append(&rows, "| instruction | becomes | differs |\n|---|---|---|\n");
    for (size_t i = 0; i < erc_insn_count; i++)
        row(&erc_insns[i], &rows);
    if (!strstr(page, str_text(&rows))) {
        fputs(str_text(&rows), stdout);
        fail_msg("the table of instructions should be the one above");
    }
    str_free(&rows);
    free(page);
}

static void test_programs(void **state) {
    (void)state;
    char *page = read_page(), *at = page;
    unsigned count = 0;
    const struct erc_options options = {.width = 16};
    while ((at = strstr(at, "```erc\n"))) {
        char *end = strstr(at += 7, "```");
        assert_non_null(end);
        *end = '\0';
        struct str messages = {0};
        struct object *o = import_object(at, &options, &messages);
        if (!o)
            fail_msg("%s\n%s", at, str_text(&messages));
        object_free(o);
        str_free(&messages);
        at = end + 1;
        count++;
    }
    assert_true(count > 0);
    free(page);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table),
                                       cmocka_unit_test(test_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 * docs/statistics.md holds the table of derived figures as it is; MPU_WRITE_PAGE=1 writes it anew.
 */
#include "emu/report/derived.h"
#include "support/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char page[] = MPU_SOURCE_DIR "/docs/statistics.md";
static const char heading[] = "| figure of `derived` |";

static void write_page(const char *text, const char *table, const char *end,
                       const struct str *want) {
    struct str out = {0};
    str_append_n(&out, text, (size_t)(table - text));
    str_append(&out, str_text(want));
    str_append(&out, end);
    assert_true(file_write(page, str_text(&out), out.len));
    str_free(&out);
}

static void page_is_fresh(void **state) {
    size_t size;
    char *text = file_read(page, &size);
    struct str want = {0};
    (void)state;
    assert_non_null(text);
    report_derived_page(&want);
    char *table = strstr(text, heading), *end = table ? strstr(table, "\n\n") : NULL;
    assert_non_null(end);
    end++;
    if (getenv("MPU_WRITE_PAGE"))
        write_page(text, table, end, &want);
    else if (want.len != (size_t)(end - table) || memcmp(table, want.text, want.len) != 0)
        fail_msg("%s is not what derived.c says; MPU_WRITE_PAGE=1 test_statistics_page writes it",
                 page);
    str_free(&want);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(page_is_fresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

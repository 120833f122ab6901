/* SPDX-License-Identifier: MIT
 * Markdown as man pages: what each form becomes, and that no text can be a request or an escape. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tools/man-gen/markdown.h"
#include "tools/man-gen/page.h"
#include "tools/man-gen/roff.h"

static void becomes(const char *markdown, const char *man) {
    struct str out = {0};
    markdown_to_man(&out, markdown, strlen(markdown), 2);
    assert_string_equal(str_text(&out), man);
    str_free(&out);
}

static void test_words(void **state) {
    (void)state;
    becomes("Two lines\nof one.\n\nNext.", ".PP\nTwo lines of one.\n.PP\nNext.\n");
    becomes("`a-b` **bold** *it*", ".PP\n\\fBa\\-b\\fR \\fBbold\\fR \\fIit\\fR\n");
    becomes("4 * i * j, a lone `", ".PP\n4 * i * j, a lone \\(ga\n");
    becomes("see [the `x` page](x.md#y) [1]", ".PP\nsee the \\fBx\\fR page [1]\n");
    becomes("\xc2\xb1 1", ".PP\n\\[u00B1] 1\n");
    becomes("cut \xc2", ".PP\ncut \\[uFFFD]\n");
}

static void test_no_requests(void **state) {
    (void)state;
    becomes(".so x", ".PP\n\\&.so x\n");
    becomes("`.so` x", ".PP\n\\fB.so\\fR x\n");
    becomes("'so \"x\" \\fB", ".PP\n\\&\\(aqso \\(dqx\\(dq \\efB\n");
    becomes("    .x\n\n    'y\n", ".PP\n.RS 4\n.nf\n\\&.x\n\n\\&\\(aqy\n.fi\n.RE\n");
    becomes("```c\n.x \\n\n```\n", ".PP\n.RS 4\n.nf\n\\&.x \\en\n.fi\n.RE\n");
}

static void test_blocks(void **state) {
    (void)state;
    becomes("# Title\n\n## With `--code`\n\nText\n\n### Sub\n\nMore\n",
            ".SH WITH \\fB\\-\\-code\\fR\nText\n.SS Sub\nMore\n");
    becomes("* one\n  and on\n* two\n1. first\n",
            ".IP \\(bu 2\none and on\n.IP \\(bu 2\ntwo\n.IP 1. 4\nfirst\n");
    becomes("* one\n  * within\n    it\n* two * three\n",
            ".IP \\(bu 2\none\n.RS 2\n.IP \\(bu 2\nwithin it\n.RE\n.IP \\(bu 2\ntwo * three\n");
    becomes("<!-- no -->\n```\nopen", ".PP\n.RS 4\n.nf\nopen\n.fi\n.RE\n");
}

static void test_tables(void **state) {
    (void)state;
    becomes("| a | b |\n|---|---|\n| `x\\|y` | why |\n| | z |\n",
            ".TP\n\\fBx|y\\fR\nwhy\n.TP\n\\&\nz\n");
    becomes("| a | b | c |\n|---|---|---|\n| 1 | .2 | 3 | 4 |\n| 5 |\n",
            ".PP\n.TS\nl l l.\n\\fIa\\fR\t\\fIb\\fR\t\\fIc\\fR\n\\&1\t\\&.2\t\\&3\n"
            "\\&5\t\\&\t\\&\n.TE\n");
    becomes("| [ADD](b.md) | set | syntax | operation |\n|---|---|---|---|\n"
            "| [ADD](b.md) | S | `ADD rs rd` | `rd = rs` |\n",
            ".TP\n\\fBADD rs rd\\fR\n\\fBrd = rs\\fR (set S)\n");
    becomes("|", "");
    becomes("| a", "");
}

/* Widths come to a line of 70: two gaps of three, a column of one and what is left in proportion.
 */
static void test_wide_table(void **state) {
    (void)state;
    struct str in = {0}, out = {0};
    str_append(&in, "| a | b | c |\n|---|---|---|\n| 1 |");
    for (int i = 0; i < 20; i++)
        str_append(&in, " word");
    str_append(&in, " | and");
    for (int i = 0; i < 20; i++)
        str_append(&in, " word");
    str_append(&in, " |\n");
    markdown_to_man(&out, in.text, in.len, 2);
    assert_non_null(strstr(out.text, "l lw(31n) lw(31n).\n"));
    assert_non_null(strstr(out.text, "\\&1\tT{\n\\&word word"));
    str_free(&in);
    str_free(&out);
}

/* A column that no line holds: a list in which every cell has its head. */
static void test_table_as_list(void **state) {
    (void)state;
    struct str in = {0}, out = {0};
    str_append(&in, "| a | b | c |\n|---|---|---|\n| 1 | 2 | ");
    for (int i = 0; i < 90; i++)
        str_char(&in, 'x');
    str_append(&in, " |\n| 4 | | 5 |\n| 6 | | |\n");
    markdown_to_man(&out, in.text, in.len, 2);
    assert_memory_equal(out.text, ".TP\n1\n\\&b: 2; c: xxx", 20);
    assert_non_null(strstr(out.text, "xxx\n.TP\n4\n\\&c: 5\n.TP\n6\n\\&\n"));
    str_free(&in);
    str_free(&out);
}

static void section_is(const char *text, const char *heading, const char *want) {
    size_t len = 0;
    const char *got = markdown_section(text, heading, &len);
    if (!want) {
        assert_null(got);
        return;
    }
    assert_non_null(got);
    assert_int_equal(len, strlen(want));
    assert_memory_equal(got, want, len);
}

static void test_sections(void **state) {
    (void)state;
    const char *page = "# T\nlead\n## A\na\n### B\nb\n```\n## C\n```\n## D\nd";
    section_is(page, "", "lead\n");
    section_is(page, "A", "a\n### B\nb\n```\n## C\n```\n");
    section_is(page, "B", "b\n```\n## C\n```\n");
    section_is(page, "D", "d");
    section_is(page, "C", NULL);
    section_is("", "", NULL);
}

static void refused(const char *file, const char *plan, const char *want) {
    struct str out = {0}, error = {0};
    assert_false(man_page(&out, file, plan, MPU_SOURCE_DIR "/docs", &error));
    if (!strstr(str_text(&error), want))
        fail_msg("'%s' does not say '%s'", str_text(&error), want);
    str_free(&out);
    str_free(&error);
}

static void test_plans(void **state) {
    (void)state;
    struct str out = {0}, error = {0};
    assert_true(man_page(&out, "x-y.7", "@name x-y - z\n## Description\nText\n@see a(1)\n",
                         MPU_SOURCE_DIR "/docs", &error));
    assert_non_null(strstr(out.text, ".TH X\\-Y 7 "));
    assert_non_null(
        strstr(out.text, ".SH NAME\nx\\-y \\- z\n.SH DESCRIPTION\nText\n.SH SEE ALSO\n"));
    str_free(&out);
    refused("x.1", "\n@tool mpu-none\n", "there is no tool 'mpu-none' (line 2)");
    refused("x.1", "@section cli.md: Nothing\n", "cli.md has no heading 'Nothing' (line 1)");
    refused("x.1", "@section cli.md\n", "FILE: HEADING");
    refused("x.1", "@page no-such.md\n", "no-such.md: No such file");
    refused("x.1", "@nonsense\n", "unknown '@nonsense'");
    refused("x", "", "no name of a man page");
    refused(".1", "", "no name of a man page");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),      cmocka_unit_test(test_no_requests),
        cmocka_unit_test(test_blocks),     cmocka_unit_test(test_tables),
        cmocka_unit_test(test_wide_table), cmocka_unit_test(test_table_as_list),
        cmocka_unit_test(test_sections),   cmocka_unit_test(test_plans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

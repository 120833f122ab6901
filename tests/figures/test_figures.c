/* SPDX-License-Identifier: MIT
 * The list of published figures: what is refused, how values are found, when a figure holds. */
#include "tests/figures/csv.h"
#include "tests/figures/figures.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define HEAD                                                                                       \
    "# a comment\nid,source,figure,unit,published,tolerance,status,ours,command,value,note,basis\n"

static void expect_mistake(const char *text, const char *part) {
    struct figure_list l = {0};
    struct str errors = {0};
    assert_false(figures_read(text, &l, &errors));
    if (!strstr(str_text(&errors), part))
        fail_msg("'%s' does not say '%s'", str_text(&errors), part);
    figures_list_free(&l);
    str_free(&errors);
}

static void mistakes_are_named(void **state) {
    (void)state;
    expect_mistake("", "heading");
    expect_mistake("id,source\n", "heading");
    expect_mistake(HEAD "a,b,c\n", "line 3: 3 fields instead of 12");
    expect_mistake(HEAD "a,b,c,x,1,0,same,,echo 1,,,\n", "line 3: a: unknown status");
    expect_mistake(HEAD "a,b,c,x,one,0,equal,,echo 1,,,result\n", "published is no number");
    expect_mistake(HEAD "a,b,c,x,1,0,equal,,,,,result\n", "no command");
    expect_mistake(HEAD "a,b,c,x,1,2,equal,,echo 1,,,result\n", "tolerance is");
    expect_mistake(HEAD "a,b,c,x,1,-2 %,equal,,echo 1,,,result\n", "tolerance is");
    expect_mistake(HEAD "a,b,c,x,1,3..2,shape,,echo 1,,why,\n", "a range a..b");
    expect_mistake(HEAD "a,b,c,x,1,2..3,shape,,echo 1,,,\n", "a shape needs a note");
    expect_mistake(HEAD "a,b,c,x,1,,no,,,,,\n", "says why");
    expect_mistake(HEAD ",b,c,x,1,,no,,,,why,\n", "must be there");
    expect_mistake(HEAD "a,b,c,x,1,,no,,,,why,\na,b,c,x,1,,no,,,,why,\n", "line 4: a: this id");
    expect_mistake(HEAD "a,b,c,x,1,0,equal,,echo 1,,,\n", "has a basis");
    expect_mistake(HEAD "a,b,c,x,1,0,equal,,echo 1,,,luck\n", "has a basis");
    expect_mistake(HEAD "a,b,c,x,1,0,bound,,echo 1,,,input\n", "nothing else has");
    expect_mistake(HEAD "a,b,c,ns,9,0,bound,,echo 1,,,\n", "needs a lower side");
    expect_mistake(HEAD "a,b,c,x,9,10..,bound,,echo 1,,,\n", "lower side is above");
    expect_mistake(HEAD "a,b,c,x,9,9..10,bound,,echo 1,,,\n", "a lower side a..");
    expect_mistake(HEAD "a,\"b,c\n", "has no end");
    expect_mistake(HEAD "a,b\"c\n", "quote in the middle");
    expect_mistake(HEAD "a,\"b\"c\n", "quote in the middle");
}

/* The figure of one line, computed. */
static bool compute_one(const char *line, struct figure_list *l, struct str *errors) {
    struct str text = {0};
    str_append(&text, HEAD);
    str_append(&text, line);
    if (!figures_read(str_text(&text), l, errors))
        fail_msg("%s", str_text(errors));
    str_free(&text);
    return figures_compute(l, "set -e", errors);
}

static void expect_ours(const char *line, const char *ours, bool holds) {
    struct figure_list l = {0};
    struct str errors = {0};
    if (!compute_one(line, &l, &errors))
        fail_msg("%s", str_text(&errors));
    assert_string_equal(l.figures.data[0].ours, ours);
    assert_int_equal(figures_hold(&l, &errors), holds);
    assert_int_equal(errors.len == 0, holds);
    figures_list_free(&l);
    str_free(&errors);
}

static void values_are_found_and_compared(void **state) {
    (void)state;
    expect_ours("a,b,c,x,1,0,equal,,echo 1,,,result\n", "1", true);
    expect_ours("a,b,c,x,1,0,equal,9,echo 1.5,,,result\n", "1.5", false);
    expect_ours("a,b,c,x,100,2 %,equal,,echo 102,,,result\n", "102", true);
    expect_ours("a,b,c,x,100,2 %,equal,,echo 98,,,result\n", "98", true);
    expect_ours("a,b,c,x,100,2 %,equal,,echo 103,,,result\n", "103", false);
    expect_ours("a,b,c,x,100,0,bound,,echo 7,,,\n", "7", true);
    expect_ours("a,b,c,x,100,0,bound,,echo 101,,,\n", "101", false);
    expect_ours("a,b,c,ns,100,20..,bound,,echo 20,,,\n", "20", true);
    expect_ours("a,b,c,ns,100,20..,bound,,echo 19,,,\n", "19", false);
    expect_ours("a,b,c,ns,100,20..,bound,,echo 101,,,\n", "101", false);
    expect_ours("a,b,c,ns,100,0,bound,,echo 1,,no lower side: why not,\n", "1", true);
    expect_ours("a,b,c,x,100,1..2,shape,,echo 2,,why,\n", "2", true);
    expect_ours("a,b,c,x,100,1..2,shape,,echo 3,,why,\n", "3", false);
    expect_ours("a,b,c,x,100,,no,,echo 3,,why,\n", "3", true);
    expect_ours("a,b,c,x,100,,no,5,,,why,\n", "", true);
    expect_ours("a,b,c,x,20,0,equal,,\"printf 'op,width,n\\nADD,8,10\\nADD,16,20\\n'\","
                "op=ADD width=16 n,,result\n",
                "20", true);
    expect_ours("a,b,c,x,2.5,0,equal,,\"printf 'n\\n10\\n'\",n /4,,result\n", "2.5", true);
}

static void expect_failure(const char *line, const char *part) {
    struct figure_list l = {0};
    struct str errors = {0};
    assert_false(compute_one(line, &l, &errors));
    if (!strstr(str_text(&errors), part))
        fail_msg("'%s' does not say '%s'", str_text(&errors), part);
    figures_list_free(&l);
    str_free(&errors);
}

static void failures_are_told(void **state) {
    (void)state;
    expect_failure("a,b,c,x,1,0,equal,1,false,,,result\n", "a: the command failed");
    expect_failure("a,b,c,x,1,0,equal,1,false; echo 1,,,result\n", "a: the command failed");
    expect_failure("a,b,c,x,1,0,equal,1,echo one,,,result\n", "does not write that value");
    expect_failure("a,b,c,x,1,0,equal,1,\"printf 'n\\n1\\n'\",m,,result\n",
                   "does not write that value");
    expect_failure("a,b,c,x,1,0,equal,1,\"printf 'n\\n1\\n'\",n=2 n,,result\n", "does not write");
    expect_failure("a,b,c,x,1,0,equal,1,\"printf 'n\\n1\\n'\",n /0,,result\n", "does not write");
}

/* What is written reads back as it was. */
static void the_list_is_written_as_it_was(void **state) {
    (void)state;
    static const char text[] = HEAD
        "a,\"b, \"\"c\"\"\",d,x,1,0,equal,1,\"echo '#,'\",n,,geometry\n\"#b\",s,d,x,,,no,,,,why | so,\n";
    struct figure_list l = {0};
    struct str errors = {0}, out = {0}, page = {0};
    assert_true(figures_read(text, &l, &errors));
    figures_write_csv(&l, &out);
    assert_string_equal(str_text(&out), text);
    figures_write_page(&l, &page);
    assert_non_null(strstr(str_text(&page), "why \\| so"));
    assert_non_null(strstr(str_text(&page), "2 figures: 1 equal, 0 bound, 0 shape, 1 no"));
    assert_non_null(strstr(str_text(&page), "| geometry | 1 | a |"));
    figures_list_free(&l);
    str_free(&errors);
    str_free(&out);
    str_free(&page);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(values_are_found_and_compared),
        cmocka_unit_test(failures_are_told),
        cmocka_unit_test(the_list_is_written_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

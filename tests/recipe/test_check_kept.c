/* SPDX-License-Identifier: MIT
 * mpu-recipe check keeps what held: the next time nothing is tried, and all that is printed is the
 * same.  Whatever counts makes it try again: the target, the recipes, what was asked for, damage.
 */
#define _GNU_SOURCE /* mkdtemp */
#include "made_up.h"

#include "support/cache.h"
#include "tools/mpu-recipe/commands.h"

#include <glob.h>
#include <sys/stat.h>

static char folder[] = MPU_BINARY_DIR "/test_check_kept-XXXXXX";
static char target_path[sizeof folder + 16];

static const char notation[] = "recipe INV(a) -> d   any w   needs NOT\n"
                               "{\n  for j in 0 .. w-1 { d[j] = NOT(a[j]) }\n}\n";

static const char target_text[] =
    YAML(CONSTANTS, MOVES "  NOT: { in: [a], out: d, fn: \"!a\", energy: e }\n"
                          "  NAND: { in: [a, b], out: d, fn: \"!(a & b)\", energy: e }\n");

static void write_target(const char *text) {
    assert_true(file_write(target_path, text, strlen(text)));
}

/* What one call says: what it prints, how it ends, how much it tried. */
struct answer {
    struct str out;
    int exit_code;
    size_t tried;
    char message[200];
};

struct question {
    const char *ops, *widths, *recipes; /* recipes: NULL, or the text of a file */
    bool uncached;
};

static void fill_options(const struct question *question, struct recipe_options *o) {
    *o = (struct recipe_options){.command = COMMAND_CHECK, .threads = 2, .output = "-"};
    form_choice_init(&o->forms);
    vec_push(&o->targets, target_path);
    assert_true(form_take_op(&o->forms, question->ops, strlen(question->ops)));
    assert_true(form_take_width(&o->forms, question->widths, strlen(question->widths)));
}

static struct answer ask(struct question question) {
    struct recipe_options o;
    fill_options(&question, &o);
    struct recipe_job j = {.o = &o, .d = diag_new(NULL, NULL)};
    j.cache = question.uncached ? NULL : cache_open(folder, CACHE_MOST_BYTES);
    if (question.recipes)
        j.file =
            (struct recipe_text){"x.recipe", strdup(question.recipes), strlen(question.recipes)};
    if (job_open(&j))
        command_check(&j);
    diag_flush(j.d);
    struct answer a = {.out = j.out, .exit_code = j.exit_code, .tried = j.tried};
    const char *first = diag_first(j.d);
    snprintf(a.message, sizeof a.message, "%s", first ? first : "");
    j.out = (struct str){0};
    job_close(&j);
    cache_close(j.cache);
    diag_free(j.d);
    vec_free(&o.targets);
    form_choice_free(&o.forms);
    return a;
}

static const struct question usual = {"ADD", "1..9", NULL, false};

/* The same answer, with or without work. */
static void want(struct question question, const struct answer *wanted, bool works) {
    struct answer a = ask(question);
    assert_string_equal(str_text(&a.out), str_text(&wanted->out));
    assert_string_equal(a.message, wanted->message);
    assert_int_equal(a.exit_code, wanted->exit_code);
    assert_int_equal(a.tried, works ? wanted->tried : 0);
    str_free(&a.out);
}

static void command(const char *format) {
    char text[4400];
    snprintf(text, sizeof text, format, folder);
    assert_int_equal(system(text), 0);
}

static void forget(void) {
    command("rm -f '%s'/check-*");
}

static void what_held_is_not_tried_again(void **state) {
    (void)state;
    write_target(target_text);
    forget();
    struct answer first = ask(usual);
    assert_int_equal(first.exit_code, EXIT_DONE);
    assert_int_equal(first.tried, 9);
    assert_non_null(strstr(str_text(&first.out), "1 recipe holds at 9 widths"));
    want(usual, &first, false);
    struct question uncached = usual;
    uncached.uncached = true;
    want(uncached, &first, true);
    str_free(&first.out);
}

/* Also where nothing of the file was checked, which is an error each time. */
static void another_question_is_another_entry(void **state) {
    static const struct question others[] = {
        {"SUB", "1..9", NULL, false},
        {"ADD", "2..10", NULL, false},
        {"ADD", "1..9", notation, false},
        {"INV", "1..9", notation, false},
    };
    (void)state;
    write_target(target_text);
    forget();
    struct answer first = ask(usual);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct answer a = ask(others[i]);
        assert_int_equal(a.tried, 9);
        want(others[i], &a, false);
        str_free(&a.out);
    }
    want(usual, &first, false);
    str_free(&first.out);
}

/* In the text, `from` is `to`. */
static void change_target(const char *before, const char *from, const char *to) {
    struct str text = {0};
    const char *at = strstr(before, from);
    assert_non_null(at);
    str_append_n(&text, before, (size_t)(at - before));
    str_printf(&text, "%s%s", to, at + strlen(from));
    write_target(str_text(&text));
    str_free(&text);
}

static void another_target_is_tried(void **state) {
    (void)state;
    write_target(target_text);
    forget();
    struct answer first = ask(usual);
    change_target(target_text, "e: 50", "e: 51");
    want(usual, &first, true);
    want(usual, &first, false);
    write_target(target_text);
    want(usual, &first, false);
    str_free(&first.out);
}

/* What does not hold is tried each time, for its messages. */
static void nothing_is_kept_of_what_fails(void **state) {
    static const char wrong[] = "recipe INV(a) -> d   any w   needs NOT\n"
                                "{\n  for j in 0 .. w-1 { if w == 6 { d[j] = COPY(a[j]) }\n"
                                "    else { d[j] = NOT(a[j]) } }\n}\n";
    const struct question question = {"INV", "1..9", wrong, false};
    (void)state;
    write_target(target_text);
    forget();
    struct answer first = ask(question);
    assert_int_equal(first.exit_code, EXIT_REJECTED);
    assert_non_null(strstr(first.message, "at width 6"));
    assert_int_equal(first.tried, 9);
    want(question, &first, true);
    str_free(&first.out);
}

/* An entry that says something else than it did, and one that is whole and says nothing. */
static void damage_is_tried_again(void **state) {
    static const char *const ways[] = {
        "for f in '%s'/check-*; do printf x >> \"$f\"; done",
        "for f in '%s'/check-*; do : > \"$f\"; done",
        "for f in '%s'/check-*; do printf 'mpu-cache 1\\n%%s\\n%%s' "
        "\"$(printf '7\\n' | sha256sum | cut -c1-64)\" '7\n' > \"$f\"; done",
    };
    (void)state;
    write_target(target_text);
    forget();
    struct answer first = ask(usual);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        command(ways[i]);
        want(usual, &first, true);
        want(usual, &first, false);
    }
    str_free(&first.out);
}

/* --- what the mapping searched for --- */

/* Gates that no built-in target has, so that nothing of them is known beforehand. */
static const char odd_text[] =
    YAML(CONSTANTS, MOVES "  BUT: { in: [a, b], out: d, fn: \"!a & b\", energy: e }\n");

/* The one entry of that kind. */
static void find_searches(char *path, size_t size) {
    glob_t found;
    char pattern[sizeof folder + 16];
    snprintf(pattern, sizeof pattern, "%s/search-*", folder);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 1);
    snprintf(path, size, "%s", found.gl_pathv[0]);
    globfree(&found);
}

/* A second name of the file: one that is written anew is another file. */
static void mark_path(char *path, size_t size) {
    snprintf(path, size, "%s/.mark", folder);
}

static void mark_searches(void) {
    char entry[sizeof folder + 128], mark[sizeof folder + 16];
    find_searches(entry, sizeof entry);
    mark_path(mark, sizeof mark);
    remove(mark);
    assert_int_equal(link(entry, mark), 0);
}

static bool searches_are_marked(void) {
    char entry[sizeof folder + 128], mark[sizeof folder + 16];
    struct stat one, other;
    find_searches(entry, sizeof entry);
    mark_path(mark, sizeof mark);
    assert_int_equal(stat(entry, &one) | stat(mark, &other), 0);
    return one.st_ino == other.st_ino;
}

static void searches_are_kept_by_gates(void **state) {
    (void)state;
    write_target(odd_text);
    forget();
    command("rm -f '%s'/search-*");
    struct answer first = ask(usual);
    mark_searches();
    change_target(odd_text, "e: 50", "e: 51");
    want(usual, &first, true);
    assert_true(searches_are_marked());
    /* Logic that nobody has asked for joins what is there. */
    struct question other = usual;
    other.ops = "MUX";
    struct answer more = ask(other);
    assert_false(searches_are_marked());
    mark_searches();
    forget();
    want(usual, &first, true);
    want(other, &more, true);
    assert_true(searches_are_marked());
    str_free(&first.out);
    str_free(&more.out);
}

/* One that is cut off, and one that is whole and names gates and values that are not there. */
static void damaged_searches_are_made_anew(void **state) {
    static const char *const ways[] = {
        "for f in '%s'/search-*; do printf x >> \"$f\"; done",
        "for f in '%s'/search-*; do d=$(printf '%%0400d' 0 | tr 0 '\\377' | sha256sum); "
        "{ printf 'mpu-cache 1\\n%%.64s\\n' \"$d\"; printf '%%0400d' 0 | tr 0 '\\377'; } "
        "> \"$f\"; done",
        "for f in '%s'/search-*; do d=$(printf '%%0400d' 0 | tr 0 '\\1' | sha256sum); "
        "{ printf 'mpu-cache 1\\n%%.64s\\n' \"$d\"; printf '%%0400d' 0 | tr 0 '\\1'; } "
        "> \"$f\"; done",
    };
    (void)state;
    write_target(odd_text);
    forget();
    command("rm -f '%s'/search-*");
    struct answer first = ask(usual);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        command(ways[i]);
        mark_searches();
        forget();
        want(usual, &first, true);
        assert_false(searches_are_marked());
        mark_searches();
        forget();
        want(usual, &first, true);
        assert_true(searches_are_marked());
    }
    str_free(&first.out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_held_is_not_tried_again),
        cmocka_unit_test(another_question_is_another_entry),
        cmocka_unit_test(another_target_is_tried),
        cmocka_unit_test(nothing_is_kept_of_what_fails),
        cmocka_unit_test(damage_is_tried_again),
        cmocka_unit_test(searches_are_kept_by_gates),
        cmocka_unit_test(damaged_searches_are_made_anew),
    };
    if (!mkdtemp(folder))
        return 1;
    snprintf(target_path, sizeof target_path, "%s/made-up.yaml", folder);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char text[4200];
    snprintf(text, sizeof text, "rm -r '%s'", folder);
    return system(text) || failed;
}

/* SPDX-License-Identifier: MIT
 * What docs/recipes.md and docs/targets.md show is true: blocks of recipes are taken (or refused,
 * where they say so), target files load, and the table of costs is what the recipes cost. */
#include "made_up.h"
#include "text.h"

#include "recipe/set.h"
#include "support/file.h"
#include "support/str.h"

#include <stdio.h>
#include <unistd.h>

static char *read_doc(const char *name) {
    char path[500];
    size_t size;
    snprintf(path, sizeof path, "%s/docs/%s", MPU_SOURCE_DIR, name);
    char *text = file_read(path, &size);
    if (!text)
        fail_msg("cannot read %s", path);
    return text;
}

/* Calls visit with each block that ``` and the word open. */
static unsigned for_blocks(const char *doc, const char *word, void (*visit)(const char *block)) {
    unsigned count = 0;
    char fence[40];
    snprintf(fence, sizeof fence, "\n```%s\n", word);
    for (const char *at = doc; (at = strstr(at, fence)); count++) {
        at += strlen(fence);
        const char *end = strstr(at, "\n```");
        assert_non_null(end);
        char *block = xstrndup(at, (size_t)(end + 1 - at));
        visit(block);
        free(block);
        at = end;
    }
    return count;
}

/* What the block's recipes say to gain over the mapping. */
static void want_gains(const struct target *t, const char *block) {
    struct diag *d = diag_new(NULL, NULL);
    struct recipe_set *s = recipe_set_open_with(t, "x.recipe", block, strlen(block), d);
    for (unsigned op = 0; op < OP_COUNT; op++)
        if (s->recipes[op] && s->recipes[op]->gain_count &&
            !recipe_check_gains(s, s->recipes[op], d))
            fail_msg("%s", diag_first(d));
    recipe_set_free(s);
    diag_free(d);
}

static void want_recipe(const char *block) {
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = open_racer(d);
    want_taken(t, block);
    want_gains(t, block);
    target_free(t);
    diag_free(d);
}

static void want_no_recipe(const char *block) {
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = open_racer(d);
    char message[400];
    assert_false(takes(t, block, message, sizeof message));
    target_free(t);
    diag_free(d);
}

static void want_for(const char *name, const char *block, bool taken) {
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = target_open(name, NULL, 0, d);
    char message[400];
    if (!t)
        fail_msg("%s", diag_first(d));
    if (takes(t, block, message, sizeof message) != taken)
        fail_msg("%s\n%s", message, block);
    target_free(t);
    diag_free(d);
}

static void want_for_mimdram(const char *block) {
    want_for("mimdram", block, true);
}
static void want_none_for_mimdram(const char *block) {
    want_for("mimdram", block, false);
}
static void want_for_duality_cache(const char *block) {
    want_for("duality-cache", block, true);
}

static void want_for_pypim(const char *block) {
    want_for("pypim", block, true);
}

static void want_target(const char *block) {
    const char *path = MPU_BINARY_DIR "/tests/docs-target.yaml";
    struct diag *d = diag_new(NULL, NULL);
    assert_true(file_write(path, block, strlen(block)));
    struct target *t = target_open(path, NULL, 0, d);
    if (!t)
        fail_msg("%s", diag_first(d));
    unlink(path);
    target_free(t);
    diag_free(d);
}

static void test_blocks(void **state) {
    (void)state;
    char *recipes = read_doc("recipes.md"), *targets = read_doc("targets.md");
    assert_int_equal(for_blocks(recipes, "recipe", want_recipe), 9);
    assert_int_equal(for_blocks(recipes, "recipe-refused", want_no_recipe), 1);
    assert_int_equal(for_blocks(recipes, "recipe-mimdram", want_for_mimdram), 1);
    assert_int_equal(for_blocks(recipes, "recipe-mimdram-refused", want_none_for_mimdram), 1);
    assert_int_equal(for_blocks(recipes, "recipe-duality-cache", want_for_duality_cache), 1);
    assert_int_equal(for_blocks(recipes, "recipe-pypim", want_for_pypim), 1);
    assert_int_equal(for_blocks(targets, "yaml", want_target), 8);
    free(recipes);
    free(targets);
}

/* The first target file shown is that of examples/technology, but for comments and sets. */
static void test_made_up(void **state) {
    (void)state;
    char path[1024];
    size_t size;
    char *doc = read_doc("targets.md"), *text = file_read(made_up_path(path, "mtj"), &size);
    assert_non_null(text);
    const char *shown = strstr(doc, "\n```yaml\n");
    const char *made_up = strchr(without_comments(text), '\n') + 1;
    assert_non_null(shown);
    shown += strlen("\n```yaml\n");
    size_t length = (size_t)(strstr(shown, "```\n") - shown);
    if (strncmp(shown, made_up, length) != 0 || strncmp(made_up + length, "sets:", 5) != 0)
        fail_msg("docs/targets.md does not show %s", path);
    free(text);
    free(doc);
}

/* "| ADD | 576 | 1 | 63 | 3 | 199 | 11 |", with "SHLI by 8" for a constant. */
static bool check_row(const struct recipe_set *s, const char *line) {
    char name[16];
    int by = 0;
    unsigned long long n[6];
    if (sscanf(line, "| %15[A-Z0-9] | %llu | %llu | %llu | %llu | %llu | %llu |", name, &n[0],
               &n[1], &n[2], &n[3], &n[4], &n[5]) != 7 &&
        sscanf(line, "| %15[A-Z0-9] by %d | %llu | %llu | %llu | %llu | %llu | %llu |", name, &by,
               &n[0], &n[1], &n[2], &n[3], &n[4], &n[5]) != 8)
        return false;
    struct insn insn = {.op = isa_find(name, strlen(name)), .width = 64, .rs = 1, .rt = 2, .rd = 3};
    struct recipe_count c;
    insn.imm = by;
    assert_true(recipe_count(s, &insn, false, &c));
    if (c.logic != n[0] || c.copies != n[1] || c.crossings != n[2] || c.handover != n[3] ||
        c.latency_cycles != n[4] || c.interval_cycles != n[5])
        fail_msg("docs/targets.md: %.*s\nis now | %llu | %llu | %llu | %u | %llu | %llu |",
                 (int)strcspn(line, "\n"), line, (unsigned long long)c.logic,
                 (unsigned long long)c.copies, (unsigned long long)c.crossings, c.handover,
                 (unsigned long long)c.latency_cycles, (unsigned long long)c.interval_cycles);
    return true;
}

static void test_table(void **state) {
    (void)state;
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = open_racer(d);
    struct recipe_set *s = recipe_set_open(t, d);
    char *doc = read_doc("targets.md");
    unsigned rows = 0;
    assert_non_null(s);
    for (const char *at = doc; (at = strstr(at, "\n| ")); at++)
        rows += check_row(s, at + 1);
    assert_int_equal(rows, 17);
    free(doc);
    recipe_set_free(s);
    target_free(t);
    diag_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_made_up),
        cmocka_unit_test(test_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

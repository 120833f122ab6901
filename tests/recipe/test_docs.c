/* SPDX-License-Identifier: MIT
 * What docs/recipes.md and docs/targets.md show is true: blocks of recipes are taken (or refused,
 * where they say so), target files load, and the table of costs is what the recipes cost. */
#include "made_up.h"
#include "text.h"

#include "recipe/set/set.h"
#include "recipe/technology/plane_target.h"
#include "support/file.h"
#include "support/str.h"
#include "target/kind.h"

#include <stdio.h>
#include <unistd.h>

static char *read_doc(const char *name) {
    char path[4096];
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
        if (recipe_chosen(s, op) && recipe_chosen(s, op)->gain_count &&
            !recipe_check_gains(s, recipe_chosen(s, op), d))
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

/* ---- the table of keys ---- */

/* A name in backticks of the row at *at, moved behind it; false at the end of the row's cell, or of
 * the row. */
static bool next_name(const char **at, bool row, char *name, size_t size) {
    size_t skip = strcspn(*at, row ? "`\n" : "`|\n"), length;
    if ((*at)[skip] != '`')
        return false;
    *at += skip + 1;
    length = strcspn(*at, "`");
    assert_true(length < size);
    memcpy(name, *at, length);
    name[length] = '\0';
    *at += length + 1;
    return true;
}

/* "machine.mpus" for `.mpus` behind `machine.vrf_per_rfh`. */
static void complete_name(char *name, const char *before, size_t size) {
    const char *dot = strrchr(before, '.');
    size_t block = dot ? (size_t)(dot - before) : 0, length = strlen(name);
    if (name[0] != '.')
        return;
    assert_true(block + length < size);
    memmove(name + block, name, length + 1);
    memcpy(name, before, block);
}

static const char *first_key(const char *doc) {
    const char *at = strstr(doc, "\n## Keys\n");
    assert_non_null(at);
    at = strstr(at, "|---|---|\n");
    assert_non_null(at);
    return strchr(at, '\n') + 1;
}

static const struct target_key_spec *find_key(const char *name) {
    const struct target_key_spec *s;
    for (size_t i = 0; (s = target_key_at(&technology_target_kind, i)); i++)
        if (strcmp(s->path, name) == 0)
            return s;
    return NULL;
}

/* Those of a map of the file's own names (`ops.NAME`) have pages' parts of their own. */
static void check_named(char *name) {
    char *own = strstr(name, ".NAME");
    if (own)
        *own = '\0';
    const struct target_key_spec *s = find_key(name);
    if (!s || (own && s->type != KEY_OPEN && s->type != KEY_BLOCK))
        fail_msg("docs/targets.md lists the key %s, which there is not", name);
}

/* A row lists a key, or what is meant by the block that it lists names it. */
static bool is_listed(const char *rows, const char *path) {
    const char *last = strrchr(path, '.');
    for (const char *row = rows; *row == '|'; row = strchr(row, '\n') + 1) {
        const char *at = row + 1;
        char name[100], before[100] = "";
        bool block = false;
        while (next_name(&at, false, name, sizeof name)) {
            complete_name(name, before, sizeof name);
            strcpy(before, name);
            block |= last && strncmp(path, name, strlen(name)) == 0 && path[strlen(name)] == '.';
            if (strcmp(name, path) == 0)
                return true;
        }
        while (block && next_name(&at, true, name, sizeof name))
            if (strcmp(name, last + 1) == 0)
                return true;
    }
    return false;
}

/* The page lists no key that there is not, and every key that there is, but the parts of what a
 * file or the front end names. */
static void test_keys(void **state) {
    (void)state;
    char *doc = read_doc("targets.md");
    const char *rows = first_key(doc);
    const struct target_key_spec *s;
    unsigned listed = 0;
    for (const char *row = rows; *row == '|'; row = strchr(row, '\n') + 1) {
        const char *at = row + 1;
        char name[100], before[100] = "";
        while (next_name(&at, false, name, sizeof name)) {
            complete_name(name, before, sizeof name);
            strcpy(before, name);
            check_named(name);
            listed++;
        }
    }
    assert_true(listed > 80);
    for (size_t i = 0; (s = target_key_at(&technology_target_kind, i)); i++)
        if (s->type != KEY_BLOCK && s->type != KEY_OPEN &&
            strncmp(s->path, "front_end.shares.", 17) != 0 && !is_listed(rows, s->path))
            fail_msg("docs/targets.md does not list the key %s", s->path);
    free(doc);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_made_up),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

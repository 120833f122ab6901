/* SPDX-License-Identifier: MIT
 * The list of known programs is what the search finds for the built-in targets, no more and no
 * less; and it serves the gates it was made for alone. */
#include "text.h"

#include "known_text.h"
#include "recipe/map/memo.h"
#include "support/file.h"
#include "tests/draws.h"

/* The suite searches for every fourth target. */
static void test_fresh(void **state) {
    (void)state;
    size_t count;
    const char *const *names = target_names(&count);
    for (size_t i = 0; i < count && !draws_all(); i += 4) {
        struct diag *d = diag_new(NULL, NULL);
        if (!known_are_listed(names[i], d))
            fail_msg("recipe/map/known_programs.inc is stale for %s: build the target "
                     "recipe-programs",
                     names[i]);
        diag_free(d);
    }
    if (!draws_all())
        return;
    struct diag *d = diag_new(NULL, NULL);
    struct str text = {0};
    size_t size;
    char *file = file_read(MPU_SOURCE_DIR "/recipe/map/known_programs.inc", &size);
    assert_non_null(file);
    assert_true(known_text(&text, d));
    if (size != text.len || memcmp(file, text.text, size) != 0)
        fail_msg("recipe/map/known_programs.inc is stale: build the target recipe-programs");
    str_free(&text);
    free(file);
    diag_free(d);
}

static bool is_known(const struct map_gates *g) {
    return mapping_known_find(g) != NULL;
}

/* racer's gates are known, and are not when any one thing about any of them is another. */
static void test_own_gates(void **state) {
    (void)state;
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = open_racer(d);
    struct recipe_set *s = recipe_set_open_mapped(t, d);
    assert_true(recipe_exists(s, OP_ADD));
    struct map_gates g = s->searches->gates;
    assert_true(is_known(&g));
    for (unsigned i = 0; i < g.count; i++) {
        struct search_gate *x = &g.gates[i], old = *x;
        struct search_gate others[] = {old, old, old, old, old};
        others[0].nsrc ^= 1;
        others[1].truth ^= 1;
        others[2].src_places[i % SEARCH_MAX_SRC] ^= 1;
        others[3].dst_places ^= 2;
        others[4].cost++;
        for (unsigned k = 0; k < 5; k++) {
            *x = others[k];
            assert_false(is_known(&g));
        }
        *x = old;
        x->tag++;
        assert_true(is_known(&g));
    }
    g.zero ^= true;
    assert_false(is_known(&g));
    g.zero ^= true;
    g.count--;
    assert_false(is_known(&g));
    recipe_set_free(s);
    target_free(t);
    diag_free(d);
}

/* On racer no search has ended by its budget: there is no cheaper program for any of the blocks
 * that the mapping asks for.  That the flag is the search's own, and not the list's word alone, is
 * test_fresh; that the search says it rightly, test_search. */
static void test_exhausted(void **state) {
    (void)state;
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = open_racer(d);
    struct recipe_set *s = recipe_set_open_mapped(t, d);
    unsigned programs = 0, minimal = 0;
    for (unsigned op = 0; op < OP_COUNT; op++)
        recipe_exists(s, (enum isa_op)op);
    for (const struct search_memory *x = s->searches->latest; x; x = x->next) {
        programs++;
        minimal += x->found && x->program.minimal;
    }
    assert_true(programs > 150);
    assert_int_equal(minimal, programs);
    recipe_set_free(s);
    target_free(t);
    diag_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fresh),
        cmocka_unit_test(test_own_gates),
        cmocka_unit_test(test_exhausted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

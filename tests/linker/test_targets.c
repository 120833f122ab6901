/* SPDX-License-Identifier: MIT
 * Packages for the built-in targets, with their recipes. */
#include "sources.h"

#include "recipe/set/recipe.h"

static struct package *pack_for(const char *target, const char *text, struct diag *d) {
    const char *const texts[] = {text};
    struct object *o = link_ok(texts, 1, NULL);
    struct target *t = target_open(target, NULL, 0, d);
    assert_non_null(t);
    struct machine_library *r = machine_library_open(t, NULL, 0, d);
    assert_non_null(r);
    struct package *p = package_build(o, t, r, NULL, 0, d);
    if (p)
        assert_true(package_fresh(p, o, t, r, NULL, 0));
    if (p && t->kind->costs) {
        static const char other[] = "# other recipes\n";
        const struct user_file file = {"other.recipe", other, sizeof other - 1};
        struct machine_library *changed = machine_library_open(t, &file, 1, d);
        assert_true(changed && !package_fresh(p, o, t, changed, NULL, 0)); /* other recipes */
        machine_library_close(changed);
    }
    machine_library_close(r);
    target_free(t);
    object_free(o);
    return p;
}

static void assert_packs(const char *target, const char *text) {
    struct diag *d = diag_new(NULL, NULL);
    struct package *p = pack_for(target, text, d);
    if (!p)
        fail_msg("%s", diag_first(d));
    package_free(p);
    diag_free(d);
}

static void assert_refused(const char *target, const char *text, const char *error,
                           uint32_t count) {
    struct diag *d = diag_new(NULL, NULL);
    assert_null(pack_for(target, text, d));
    assert_error(d, error);
    assert_int_equal(diag_errors(d), count);
    diag_free(d);
}

static const char whole_issue[] =
    " .group g[100000]\n COMPUTEG @g\n INIT0 r1\n INIT1 r1\n MOV r1 r2\n INV r1 r2\n AND r1 r2 r3\n"
    " OR r1 r2 r3\n XOR r1 r2 r3\n ADD.7 r1 r2 r3\n SUB r1 r2 r3\n MUL r1 r2 r3\n CMPEQ r1 r2\n"
    " CMPGT r1 r2\n CMPLT r1 r2\n MUX r1 r2 r3\n SEL r1 r2 r3\n MIN r1 r2 r3\n MAX r1 r2 r3\n"
    " GETMASK r1\n SETMASK r1\n SETMASK cond\n UNMASK\n GETC r1\n POPC r1 r2\n SHLI r1 3 r2\n"
    " SHRI r1 3 r2\n SARI r1 3 r2\n ZEXT r1 8 r2\n SEXT r1 8 r2\n LI 5 r1\n LIK1 5 r1\n LIK2 5 r1\n"
    " LIK3 5 r1\n LIK4 5 r1\n LIK5 5 r1\n COMPUTE_DONE\n";

static void what_the_targets_run(void **state) {
    (void)state;
    assert_packs("racer", whole_issue);
    assert_packs("golden", whole_issue);
    assert_packs("racer", " COMPUTE RFH0 VRF0\n SDIV r1 r2 r3\n SHL.9 r1 r2 r3\n COMPUTE_DONE\n");
    assert_packs("golden", " COMPUTE RFH0 VRF0\n SDIV r1 r2 r3\n COMPUTE_DONE\n");
}

/* Messages ask nothing of a target but that it has the MPUs. */
static void messages_run_everywhere(void **state) {
    static const char text[] = " .geometry grid=[13]\n SEND MPU4\n MOVE RFH1 RFH4\n MOVE_DONE\n"
                               " SEND_DONE\n RECV MPU1\n";
    (void)state;
    assert_packs("golden", text);
    assert_packs("racer", text);
    assert_refused("duality-cache", text,
                   "the program is for MPU12 too; target 'duality-cache' has 12 MPUs", 1);
}

/* A racer of two sections has rows for a short product's partial sums, and not for a long one's. */
static void recipes_that_do_not_fit(void **state) {
    const char *const wide[] = {" COMPUTE RFH0 VRF0\n MUL.8 r1 r2 r3\n MUL.64 r1 r2 r3\n"
                                " MUL.64 r2 r1 r3\n MUL.63 r1 r2 r3\n COMPUTE_DONE\n"};
    const struct target_override narrow = {"array.sections", "2"};
    struct diag *d = diag_new(NULL, NULL);
    struct object *o = link_ok(wide, 1, NULL);
    struct target *t = target_open("racer", &narrow, 1, d);
    assert_non_null(t);
    struct machine_library *r = machine_library_open(t, NULL, 0, d);
    assert_non_null(r);
    assert_null(package_build(o, t, r, NULL, 0, d));
    assert_error(d, "a.s:3:2: MUL (instruction 2) cannot be carried out on target 'racer': ");
    assert_int_equal(diag_errors(d), 2);
    machine_library_close(r);
    target_free(t);
    object_free(o);
    diag_free(d);
    (void)state;
}

static void golden_has_more_mpus(void **state) {
    (void)state;
    assert_packs("golden", " .group g[16285697]\n COMPUTEG @g\n COMPUTE_DONE\n");
    assert_refused("golden", " .group g[134217729]\n COMPUTEG @g\n COMPUTE_DONE\n JUMP_ANY 0\n",
                   "group 'g' needs 134217729 lanes; target 'golden' has 134217728 lanes", 1);
}

static void racer_has_a_capacity(void **state) {
    (void)state;
    assert_packs("racer", " .group g[16285696]\n COMPUTEG @g\n COMPUTE_DONE\n");
    assert_refused("racer", " .group g[16285697]\n COMPUTEG @g\n COMPUTE_DONE\n JUMP_ANY 0\n",
                   "a.s:1:9: group 'g' needs 16285697 lanes; target 'racer' has 16285696 lanes", 1);
    assert_refused(
        "racer",
        " .group g[16000000]\n .group h[300000]\n COMPUTEG @g\n COMPUTE_DONE\n JUMP_ANY 0\n",
        "a.s:2:9: group 'h' needs 300000 lanes", 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_targets_run),    cmocka_unit_test(messages_run_everywhere),
        cmocka_unit_test(recipes_that_do_not_fit), cmocka_unit_test(racer_has_a_capacity),
        cmocka_unit_test(golden_has_more_mpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

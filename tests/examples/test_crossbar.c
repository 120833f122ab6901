/* SPDX-License-Identifier: MIT
 * Every example on crossbars of few columns: as all targets run it, as it is compiled for the room
 * there, or with variables in VRFs of their own.  Runs are compared with the references and,
 * instruction by instruction, with golden. */
#include "runtime/include/mpu/mpu.h"
#include "runtime/program.h"
#include "tests/examples/list.h"
#include "tests/examples/page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static mpu_target *target;
static struct str table;

/* The text that `target` runs, in *own whether it is one of its own. */
static mpu_program *build(const struct example *x, bool spill, bool *own) {
    char path[4096];
    mpu_error *e = NULL;
    mpu_source *s = mpu_source_new(NULL);
    mpu_source_add_file(s, example_path(path, "", x->program));
    mpu_source_for_target(s, mpu_target_name(target));
    mpu_source_set_spill(s, spill);
    mpu_program *p = mpu_source_build(s, &e);
    need(p != NULL, x->program, e);
    *own = program_on(p, target) != p;
    mpu_source_free(s);
    return p;
}

/* False if the linker refuses it, which names columns then. */
static bool has_room(const struct example *x, const mpu_program *p) {
    mpu_error *e = NULL;
    mpu_session *s = mpu_session_new(p, target, NULL, &e);
    need(s != NULL, x->program, e);
    for (size_t i = 0; i < MAX_ARRAYS && x->in[i].name; i++)
        put(s, &x->in[i]);
    bool fits = mpu_session_prepare(s, &e) == MPU_OK;
    if (!fits && !strstr(mpu_error_text(e), " columns of a VRF, and target 'pypim' has "))
        fail_msg("%s: %s", x->program, mpu_error_text(e));
    mpu_error_free(e);
    mpu_session_free(s);
    return fits;
}

static uint64_t figure(mpu_session *s, const char *path) {
    uint64_t value = 0;
    assert_int_equal(mpu_session_figure(s, path, &value), MPU_OK);
    return value;
}

static void run(const struct example *x, const mpu_program *p, const char *text) {
    static const char *const paths[] = {"total.datapath_cycles", "total.micro_ops", "total.time_ps",
                                        "total.energy_fj"};
    const mpu_config config = {.size = sizeof config, .init = "random:1", .check = 1};
    mpu_session *s = example_run_as(x, p, target, &config);
    str_printf(&table, "| %s | %s |", x->program, text);
    for (size_t i = 0; i < 4; i++)
        str_printf(&table, " %llu |", (unsigned long long)figure(s, paths[i]));
    str_append(&table, "\n");
    mpu_session_free(s);
}

static void run_example(const struct example *x) {
    bool own;
    mpu_program *p = build(x, false, &own);
    const char *text = own ? "own" : "that of all targets";
    if (!has_room(x, p)) {
        mpu_program_free(p);
        p = build(x, true, &own);
        text = "own, `-fspill`";
    }
    if (!has_room(x, p))
        fail_msg("%s has no room", x->program);
    run(x, p, text);
    mpu_program_free(p);
}

static void examples_run(void **state) {
    (void)state;
    mpu_error *e = NULL;
    target = mpu_target_open("pypim", NULL, &e);
    need(target != NULL, "pypim", e);
    str_append(&table, "| example | text | cycles | micro-ops | time, ps | energy, fJ |\n"
                       "|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < EXAMPLES; i++)
        run_example(example_list[i]);
    run_example(&example_levels);
    page_check(MPU_SOURCE_DIR "/docs/examples.md", "crossbars", &table, "test_crossbar");
    str_free(&table);
    mpu_target_close(target);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(examples_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

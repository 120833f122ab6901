/* SPDX-License-Identifier: MIT
 * Which engine carries out a program: what MPU_ENGINE of the environment says where nobody names
 * one, for the command and for devices; its name in statistics and in messages of --check; and a
 * system that gives no pages to execute. */
#include "run_words.h"

#include "runtime/include/mpu/mpu.h"
#include "support/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define PROGRAM "--target racer engine.s --in x=iota --in y=3,-1,7,0 --print z"

static int set_up(void **state) {
    (void)state;
    unsetenv("MPU_ENGINE");
    unsetenv("MPU_CODE");
    if (chdir(MPU_BINARY_DIR "/tests") != 0)
        return -1;
    write_words("engine.s", "        .group g[4]\n"
                            "        .var in  x: i16 @ g = r0\n"
                            "        .var in  y: i16 @ g = r1\n"
                            "        .var out z: i16 @ g = r2\n"
                            "        COMPUTEG @g\n"
                            "        MUL.16 r0 r1 r2\n"
                            "        ADD.16 r2 r0 r2\n"
                            "        COMPUTE_DONE\n");
    /* Published routines divide otherwise than the ISA does. */
    write_words("engine_wrong.s", "        .group g[4]\n"
                                  "        .var in  x: i32 @ g = r0\n"
                                  "        .var in  y: i32 @ g = r1\n"
                                  "        .var out z: i32 @ g = r2\n"
                                  "        COMPUTEG @g\n"
                                  "        SDIV.32 r0 r1 r2\n"
                                  "        COMPUTE_DONE\n");
    return 0;
}

/* --- the environment --- */

/* value NULL: it says nothing; named: of the command line, or ""; engine: that of the statistics.
 */
static const struct {
    const char *value, *named, *engine;
} choices[] = {{NULL, "", "fused"},
               {"", "", "fused"},
               {"strict", "", "strict"},
               {"fused", "", "fused"},
               {"strict", "fused", "fused"},
               {"fused", "strict", "strict"},
               {"strict", "golden", "golden"},
               {"golden", "strict", "strict"}};

static void set_environment(const char *value) {
    assert_int_equal(value ? setenv("MPU_ENGINE", value, 1) : unsetenv("MPU_ENGINE"), 0);
}

static void the_environment_names_it(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        char words[200], want[40];
        const bool named = *choices[i].named;
        snprintf(words, sizeof words, PROGRAM "%s%s --stats csv", named ? " --engine " : "",
                 choices[i].named);
        snprintf(want, sizeof want, "provenance.engine,%s\n", choices[i].engine);
        set_environment(choices[i].value);
        const struct words_result *r = run_words(words);
        if (r->code != 0 || !strstr(r->out, "z = 0 0 16 3\n") || !strstr(r->out, want))
            fail_msg("%s, MPU_ENGINE=%s: exit %d, '%s', '%s'", words,
                     choices[i].value ? choices[i].value : "(unset)", r->code, r->out, r->err);
    }
    set_environment("turbo");
    words_end_with(PROGRAM, 2, "MPU_ENGINE in the environment is 'turbo', not strict or fused");
    set_environment("golden"); /* which knows no costs: nobody gets it without asking */
    words_end_with(PROGRAM, 2, "MPU_ENGINE in the environment is 'golden', not strict or fused");
    set_environment(NULL);
}

static void devices_ask_it_too(void **state) {
    (void)state;
    mpu_error *e = NULL;
    mpu_target *target = mpu_target_open("racer", NULL, &e);
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        const char *named = *choices[i].named ? choices[i].named : NULL;
        const mpu_config config = {.size = sizeof config, .engine = named};
        char want[40];
        snprintf(want, sizeof want, "\"engine\": \"%s\"", choices[i].engine);
        set_environment(choices[i].value);
        mpu_device *device = mpu_device_open(target, &config, &e);
        if (!device)
            fail_msg("%s", mpu_error_text(e));
        char *stats = mpu_device_stats(device, "json", &e);
        if (!stats || !strstr(stats, want))
            fail_msg("%s: %s", want, stats ? stats : mpu_error_text(e));
        mpu_string_free(stats);
        mpu_device_close(device);
    }
    set_environment("turbo");
    assert_null(mpu_device_open(target, NULL, &e));
    assert_non_null(strstr(mpu_error_text(e), "MPU_ENGINE in the environment is 'turbo'"));
    mpu_error_free(e);
    set_environment(NULL);
    mpu_target_close(target);
}

/* --- what it is called --- */

static void differences_name_it(void **state) {
#define WRONG                                                                                      \
    "-Wno-recipe-table -Wno-compat --target pypim --set arith=compat --check engine_wrong.s "      \
    "--in x=7,-7,5,-9 --in y=2,2,0,-4"
    (void)state;
    words_end_with(WRONG, 1, " on fused, 0x");
    words_end_with(WRONG " --engine fused", 1, " on fused, 0x");
    words_end_with(WRONG " --engine strict", 1, " on strict, 0x");
    set_environment("strict");
    words_end_with(WRONG, 1, " on strict, 0x");
    set_environment(NULL);
}

/* --- no pages to execute --- */

/* In a process that may not make executable what it has written (Linux from 6.3 on); 2: the system
 * cannot be told so, else 0: as it should be. */
static int run_without_pages(const char *want) {
    if (prctl(65 /* PR_SET_MDWE */, 1, 0, 0, 0))
        return 2;
    assert_int_equal(setenv("MPU_COMPOSE_AT", "0", 1), 0);
    const struct words_result *r = run_words(PROGRAM " -v --stats json:engine_none.json");
    if (r->code == 0 && strcmp(r->out, want) == 0 &&
        strstr(r->err, "engine fused: composed steps; there is no code, for want of AVX2 or of "
                       "pages that may be executed"))
        return 0;
    fprintf(stderr, "exit %d, '%s', '%s'\n", r->code, r->out, r->err);
    return 1;
}

/* The rest of the statistics is that of every engine. */
static void no_pages(void **state) {
    (void)state;
    char *want = xstrdup(run_words(PROGRAM)->out);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(run_without_pages(want));
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    free(want);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
        skip();
    assert_int_equal(status, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_environment_names_it), cmocka_unit_test(devices_ask_it_too),
        cmocka_unit_test(differences_name_it), cmocka_unit_test(no_pages)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}

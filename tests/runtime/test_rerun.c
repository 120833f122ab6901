/* SPDX-License-Identifier: MIT
 * mpu-run --rerun: recorded runs that are the same, and what makes them another. */
#include "tests/draws.h"
#include "run_words.h"

#include "support/bits.h"
#include "support/file.h"
#include "support/options.h"
#include "support/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define DAMAGES draws(DRAWS_RUN_RERUN)

#define PROGRAM                                                                                    \
    "        .size n\n"                                                                            \
    "        .group g[n]\n"                                                                        \
    "        .var in  x: u8 @ g = r0\n"                                                            \
    "        .var out z: u8 @ g = r1\n"                                                            \
    "        COMPUTEG @g\n"                                                                        \
    "        ADD.8 r0 r0 r1\n"                                                                     \
    "        PRINT \"z =\" r1:u8\n"                                                                \
    "        COMPUTE_DONE\n"

static void write_files(void) {
    write_words("rerun.s", PROGRAM);
    write_words("rerun_x.csv", "1,2,3\n");
    write_words("rerun_stop.s", "        COMPUTE RFH0 VRF0\n"
                                "        ASSERT \"never\"\n"
                                "        COMPUTE_DONE\n");
}

static int set_up(void **state) {
    (void)state;
    if (chdir(MPU_BINARY_DIR "/tests") != 0)
        return -1;
    write_files();
    return 0;
}

static void record(const char *words, int code) {
    char text[512];
    snprintf(text, sizeof text, "%s --stats json:rerun.json", words);
    const struct words_result *r = run_words(text);
    if (r->code != code)
        fail_msg("%s: exit %d, messages '%s'", words, r->code, r->err);
}

static void same_again(const char *words, int code) {
    record(words, code);
    const struct words_result *r = run_words("--rerun rerun.json");
    if (r->code != 0 || !strstr(r->out, " figures, all the same\n") ||
        strncmp(r->out, "rerun.json: ", 12) != 0)
        fail_msg("%s: exit %d, output '%s', messages '%s'", words, r->code, r->out, r->err);
}

#define RUN "--target racer rerun.s --in x=rerun_x.csv"

static void the_same_run(void **state) {
    (void)state;
    same_again(RUN, 0);
    same_again(RUN " --print z --print x --expect z=2,4,6", 0);
    same_again(RUN " --check --batch one --init random:7 --set array.lanes=64", 0);
    same_again("--target golden rerun.s --in x=rerun_x.csv", 0);
    same_again("--target racer,golden,mimdram rerun.s --in x=iota --size n=3,4", 0);
    same_again("--target racer rerun.s --in x=iota --size n=3 --resident x,RFH0.VRF0.r5 "
               "--stats-every 100",
               0);
    same_again("--target racer rerun.s --in x=iota --size n=3 --sensitivity 10%", 0);
    same_again(RUN " --max-cycles 1", EXIT_STOPPED);
    same_again("--target racer rerun_stop.s", EXIT_STOPPED);
    same_again(RUN " --expect z=2,4,7", EXIT_REJECTED);
}

/* Arrays are fetched, as that costs, but no file is written and nothing is printed. */
static void nothing_is_written(void **state) {
    (void)state;
    record(RUN " --out z=rerun_z.csv --out z=- --print z --trace rerun_t.json", 0);
    assert_int_equal(remove("rerun_z.csv"), 0);
    assert_int_equal(remove("rerun_t.json"), 0);
    const struct words_result *r = run_words("--rerun rerun.json -j 1");
    assert_int_equal(r->code, 0);
    assert_null(strstr(r->out, "z ="));
    assert_int_not_equal(access("rerun_z.csv", F_OK), 0);
    assert_int_not_equal(access("rerun_t.json", F_OK), 0);
}

/* Replaces the first `from` in rerun.json. */
static void change(const char *from, const char *to) {
    size_t size;
    char *text = file_read("rerun.json", &size), *at = strstr(text, from);
    struct str changed = {0};
    assert_non_null(at);
    str_append_n(&changed, text, (size_t)(at - text));
    str_append(&changed, to);
    str_append(&changed, at + strlen(from));
    write_words("rerun.json", str_text(&changed));
    str_free(&changed);
    free(text);
}

static void the_first_difference(void **state) {
    (void)state;
    record(RUN, 0);
    change("\"instructions\": 4", "\"instructions\": 5");
    change("\"gets\": 0", "\"gets\": 1");
    words_end_with("--rerun rerun.json", EXIT_REJECTED,
                   "error: total.instructions was 5 and is now 4");
    assert_null(strstr(run_words("--rerun rerun.json")->err, "host.gets"));
    record(RUN, 0);
    change("\"gets\": 0,", "");
    words_end_with("--rerun rerun.json", EXIT_REJECTED, "host.gets was not there and is now 0");
    record(RUN, 0);
    change("\"gets\": 0,", "\"gets\": 0, \"gots\": 7,");
    words_end_with("--rerun rerun.json", EXIT_REJECTED, "host.gots was 7 and is now not there");
    record(RUN, 0);
    change("\"component\": \"copy\"", "\"component\": \"cope\"");
    words_end_with("--rerun rerun.json", EXIT_REJECTED,
                   "by_component.1.component was 'cope' and is now 'copy'");
    record(RUN, 0);
    change("\"wear\": {", "\"wear\": null, \"were\": {");
    words_end_with("--rerun rerun.json", EXIT_REJECTED, "wear was null and is now an object");
    record(RUN, 0);
    change("\"overrides\": []", "\"overrides\": [1]");
    words_end_with("--rerun rerun.json", EXIT_REJECTED,
                   "provenance.overrides was a list of 1 and is now a list of 0");
}

static void another_version(void **state) {
    (void)state;
    record(RUN, 0);
    change("\"version\": \"", "\"version\": \"0");
    assert_int_equal(run_words("--rerun rerun.json")->code, 0);
    change("\"gets\": 0", "\"gets\": 1");
    words_end_with("--rerun rerun.json", EXIT_REJECTED, "the record is of version 0");
}

static void what_has_changed(void **state) {
    (void)state;
    record(RUN, 0);
    write_words("rerun_x.csv", "1,2,4\n");
    words_end_with("--rerun rerun.json", EXIT_REJECTED,
                   "'rerun_x.csv', the data of 'x', has changed: its SHA-256 is ");
    remove("rerun_x.csv");
    words_end_with("--rerun rerun.json", EXIT_FILE, "cannot read 'rerun_x.csv'");
    write_files();
    write_words("rerun.s", PROGRAM "        NOP\n");
    words_end_with("--rerun rerun.json", EXIT_REJECTED, "the program 'rerun.s' has changed");
    remove("rerun.s");
    words_end_with("--rerun rerun.json", EXIT_FILE,
                   "one without a folder is looked for in the working");
    write_files();
    assert_int_equal(run_words("--rerun rerun.json")->code, 0);
    remove("rerun_none.json");
    words_end_with("--rerun rerun_none.json", EXIT_FILE, "cannot read 'rerun_none.json'");
}

/* A record names files as the command did, wherever they lie. */
static void files_of_other_folders(void **state) {
    char words[4096];
    (void)state;
    mkdir("rerun-folder", 0777);
    write_words("rerun-folder/x.csv", "1,2,3\n");
    write_words("rerun-folder/rerun.s", PROGRAM);
    snprintf(words, sizeof words,
             "--target racer ../tests/rerun-folder/rerun.s --in \"x=%s/tests/rerun-folder/x.csv\"",
             MPU_BINARY_DIR);
    same_again(words, 0);
    write_words("rerun-folder/x.csv", "1,2,4\n");
    words_end_with("--rerun rerun.json", EXIT_REJECTED, "/rerun-folder/x.csv', the data of 'x'");
}

static void no_record(const char *text, const char *message) {
    write_words("rerun_bad.json", text);
    words_end_with("--rerun rerun_bad.json", EXIT_REJECTED, message);
}

static void what_is_no_record(void **state) {
    (void)state;
    no_record("{", "a key in quotes is missing");
    no_record("[]", "this holds no statistics of mpu-run");
    no_record("{\"schema\": \"other-1\"}", "this holds no statistics of mpu-run");
    no_record("{\"schema\": \"mpu-statistics-1\"}", "this is format 'mpu-statistics-1'");
#define RECORD(words) "{\"schema\": \"mpu-statistics-2\", \"provenance\": {\"command\": " words "}}"
    no_record(RECORD("[]"), "no command here that could be repeated");
    no_record(RECORD("[\"mpu-run\", 1]"), "no command here that could be repeated");
    no_record(RECORD("{}"), "no command here that could be repeated");
    no_record("{\"schema\": \"mpu-comparison-2\", \"records\": []}", "no command here");
    no_record(RECORD("[\"mpu-run\", \"--rerun\", \"rerun_bad.json\"]"), "runs no program");
    no_record(RECORD("[\"mpu-run\", \"--list-targets\"]"), "runs no program");
    no_record(RECORD("[\"mpu-run\", \"--target\", \"racer\"]"), "no program");
    no_record(RECORD("[\"mpu-run\", \"--target\", \"racer\", \"-\"]"),
              "the program came from standard input");
    no_record("{\"schema\": \"mpu-statistics-2\", \"provenance\": {\"command\": [\"mpu-run\", "
              "\"--target\", \"racer\", \"rerun.s\"], \"inputs\": [{\"name\": \"x\", "
              "\"source\": \"-\", \"sha256\": \"\"}]}}",
              "the data of x came from standard input");
    words_end_with("--rerun rerun.json --target racer", EXIT_USAGE, "takes everything but -j");
}

/* Damaged records: an exit code of the contract, whatever is in them. */
static void damaged_records(void **state) {
    uint64_t random = 11;
    size_t size;
    (void)state;
    record(RUN, 0);
    char *good = file_read("rerun.json", &size);
    for (unsigned i = 0; i < DAMAGES; i++) {
        struct str text = {0};
        str_append_n(&text, good, i % 3 ? size : splitmix64(&random) % size);
        for (unsigned k = 0; k < 4 && text.len; k++)
            text.text[splitmix64(&random) % text.len] =
                "{}[],:\"09ax\\ -"[splitmix64(&random) % 14];
        write_words("rerun_bad.json", str_text(&text));
        int code = run_words("--rerun rerun_bad.json")->code;
        assert_in_range(code, 0, 4);
        str_free(&text);
    }
    free(good);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_run),         cmocka_unit_test(nothing_is_written),
        cmocka_unit_test(the_first_difference), cmocka_unit_test(another_version),
        cmocka_unit_test(what_has_changed),     cmocka_unit_test(files_of_other_folders),
        cmocka_unit_test(what_is_no_record),    cmocka_unit_test(damaged_records),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}

/* SPDX-License-Identifier: MIT
 * The command mpu-run in process: options, exit codes, what it reads and writes. */
#include "run_words.h"

#include "tools/mpu-run/run.h"
#include "support/alloc.h"
#include "support/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* `out` may be what the last run wrote. */
static void expect(const char *words, int code, const char *out) {
    char *want = xstrdup(out);
    const struct words_result *r = run_words(words);
    if (r->code != code || strcmp(r->out, want) != 0)
        fail_msg("%s: exit %d, output '%s', messages '%s'", words, r->code, r->out, r->err);
    free(want);
}

#define AXPY "--target racer run_axpy.s"

static int set_up(void **state) {
    (void)state;
    if (chdir(MPU_BINARY_DIR "/tests") != 0)
        return -1;
    write_words("run_axpy.s", "        .size n\n"
                              "        .group g[n]\n"
                              "        .var in  a: i16 = r0\n"
                              "        .var in  x: i16 @ g = r1\n"
                              "        .var in  y: i16 @ g = r2\n"
                              "        .var out z: i16 @ g = r3\n"
                              "        COMPUTEG @g\n"
                              "        MUL.16 r0 r1 r3\n"
                              "        ADD.16 r3 r2 r3\n"
                              "        COMPUTE_DONE\n");
    write_words("run_stop.s", "        COMPUTE RFH0 VRF0\n"
                              "        INC.8 r0 r0\n"
                              "        ASSERT \"never\"\n"
                              "        COMPUTE_DONE\n");
    write_words("run_image.s", "        .group g[2, 3]\n"
                               "        .var in  p: u8 @ g = r0\n"
                               "        .var out q: u8 @ g = r1\n"
                               "        COMPUTEG @g\n"
                               "        INV.8 r0 r1\n"
                               "        PRINT \"p =\" r0:u8\n"
                               "        COMPUTE_DONE\n");
    write_words("run_print.s", "        .geometry lanes=4\n"
                               "        COMPUTE RFH0 VRF0\n"
                               "        LI.8 7 r0\n"
                               "        COMPUTE_DONE\n");
    return 0;
}

static void values_of_every_form(void **state) {
    (void)state;
    write_words("run_y.csv", "10,20,30\n");
    write_words("run_y.txt", "10 20\n30\n");
    expect(AXPY " --in a=2 --in x=1,2,-3 --in y=run_y.csv --print z", 0, "z = 12 24 24\n");
    expect(AXPY " --in a=0x10 --in x=iota --in y=run_y.txt --print z[1:]", 0, "z[1:3] = 36 62\n");
    expect(AXPY " --size n=5 --in a=1 --in x=iota --in y=zeros --print z[:2] --print a", 0,
           "z[0:2] = 0 1\na = 1\n");
    expect(AXPY " --size n=4 --in a=1 --in x=random:3:-2..2 --in y=zeros --expect z=1,-1,2,0", 0,
           "");
    expect("--target racer run_print.s --print RFH0.VRF0.r0:u8", 0, "RFH0.VRF0.r0:u8 = 7 7 7 7\n");
}

static void files_come_out_whole(void **state) {
    (void)state;
    write_words("run_p.pgm", "P2\n3 2\n255\n0 1 2\n253 254 255\n");
    expect("--target racer run_image.s --in p=run_p.pgm --out q=run_q.pgm --out q=run_q.npy "
           "--out q=run_q.raw --out q=run_q.csv --print q",
           0,
           "p[0, 0:3] = 0 1 2\np[1, 0:3] = 253 254 255\n"
           "q =\n  255 254 253\n  2 1 0\n");
    expect("--target racer run_image.s --in p=run_q.pgm --expect q=run_p.pgm", 0,
           "p[0, 0:3] = 255 254 253\np[1, 0:3] = 2 1 0\n");
    expect("--target racer run_image.s --in p=run_q.npy --expect q=run_p.pgm", 0,
           "p[0, 0:3] = 255 254 253\np[1, 0:3] = 2 1 0\n");
    expect("--target racer run_image.s --in p=run_q.raw --expect q=run_p.pgm", 0,
           "p[0, 0:3] = 255 254 253\np[1, 0:3] = 2 1 0\n");
    expect("--target racer run_image.s --in p=run_q.csv --expect q=run_p.pgm", 0,
           "p[0, 0:3] = 255 254 253\np[1, 0:3] = 2 1 0\n");
    remove("run_none.npy");
    words_end_with("--target racer run_stop.s --out RFH0.VRF0.r0=run_none.npy", EXIT_STOPPED,
                   "assertion failed: never");
    assert_int_not_equal(access("run_none.npy", F_OK), 0);
}

/* A loop whose length depends on which elements share a VRF: what -Wlane-dependent warns of. */
static void write_lane_dependent(void) {
    write_words("run_lanes.s", "        .group g[64]\n"
                               "        .var in  x: u8 @ g = r0\n"
                               "        .var out n: u8 @ g = r1\n"
                               "        COMPUTEG @g\n"
                               "again:  UNMASK\n"
                               "        INC.8 r1 r1\n"
                               "        CMPGTI.8 r0 0\n"
                               "        SETMASK cond\n"
                               "        ADDI.8 -1 r0\n"
                               "        JUMP_COND again\n"
                               "        COMPUTE_DONE\n");
    write_words("run_narrow.yaml", "schema: 1\n"
                                   "name: narrow\n"
                                   "kind: plane\n"
                                   "extends: racer\n"
                                   "array: { lanes: 32, source: assumed }\n");
}

static void targets_side_by_side(void **state) {
    (void)state;
    write_lane_dependent();
    const struct words_result *r =
        run_words("--target racer,golden --target racer-oscar run_image.s "
                  "--in p=1,2,3,4,5,6 --stats csv");
    assert_int_equal(r->code, 0);
    assert_non_null(strstr(r->out, "p[0, 0:3] = 1 2 3\np[1, 0:3] = 4 5 6\n"
                                   "target,elements,mpus,vrfs,lanes,cycles,micro_ops,time_ps,"));
    assert_non_null(strstr(r->out, "\nracer,6,1,1,64,"));
    assert_non_null(strstr(r->out, "\nracer-oscar,6,1,1,64,"));
    assert_non_null(strstr(r->out, "\ngolden,6,1,1,64,,,,,,,,,1,auto,packed,done,,,,,,,,"));
    r = run_words("--compare racer,golden run_image.s --in p=1,2,3,4,5,6 --check --stats json");
    assert_int_equal(r->code, 0);
    assert_non_null(strstr(r->out, "\"schema\": \"mpu-comparison-2\""));
    assert_non_null(strstr(r->out, "\"results\": \"equal\""));
    expect("--target racer,golden run_image.s --in p=1,2,3,4,5,6 --stats csv:run_t.csv --print q",
           0, "p[0, 0:3] = 1 2 3\np[1, 0:3] = 4 5 6\nq =\n  254 253 252\n  251 250 249\n");
    words_end_with("--target racer,run_narrow.yaml run_lanes.s --in x=iota", EXIT_REJECTED,
                   "'n' differs between targets 'racer' and 'narrow': n[0] is 64 and 32");
    assert_non_null(strstr(run_words("--target racer,run_narrow.yaml run_lanes.s --in x=iota")->err,
                           "32 of 64 elements differ"));
    words_end_with("--target golden,racer run_stop.s", EXIT_STOPPED, "that was on target 'racer'");
    assert_non_null(strstr(run_words("--target golden,racer run_stop.s")->out, "stopped"));
    r = run_words("--target golden,racer run_image.s --in p=1,2");
    assert_int_equal(r->code, EXIT_REJECTED);
    assert_string_equal(r->out, "");
    assert_null(strstr(r->err, "that was on"));
}

/* The product of all lists, in a fixed order: the last changes fastest. */
static void sweeps(void **state) {
    (void)state;
    const struct words_result *r =
        run_words("--target racer,golden run_axpy.s --in a=2 --in x=iota --in y=zeros "
                  "--size n=3,5 --set array.lanes=8,16 --stats csv --print z");
    assert_int_equal(r->code, 0);
    assert_string_equal(strtok(r->out, "\n"), "z = 0 2 4");
    assert_non_null(strstr(strtok(NULL, "\n"), "target,array.lanes,n,elements,"));
    static const char *const order[] = {"racer,8,3,3,1,1,8,",    "racer,8,5,5,1,1,8,",
                                        "racer,16,3,3,1,1,16,",  "racer,16,5,5,1,1,16,",
                                        "golden,8,3,3,1,1,8,",   "golden,8,5,5,1,1,8,",
                                        "golden,16,3,3,1,1,16,", "golden,16,5,5,1,1,16,"};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        const char *line = strtok(NULL, "\n");
        if (!line || strncmp(line, order[i], strlen(order[i])) != 0)
            fail_msg("line %zu is %s", i, line ? line : "missing");
    }
    assert_null(strtok(NULL, "\n"));
}

/* Runs with the same sizes are compared with each other; those with others are not. */
static void sweeps_compare_results(void **state) {
    (void)state;
    write_lane_dependent();
    words_end_with("--target racer --set array.lanes=64,32 run_lanes.s --in x=iota", EXIT_REJECTED,
                   "'n' differs between runs 'racer, array.lanes=64' and 'racer, array.lanes=32': "
                   "n[0] is 64 and 32");
    write_words("run_count.s", "        .size n\n"
                               "        .group g[64]\n"
                               "        .var out z: u8 @ g = r1\n"
                               "        COMPUTEG @g\n"
                               "        LI.8 size(n) r1\n"
                               "        COMPUTE_DONE\n");
    const struct words_result *r =
        run_words("--target racer,golden run_count.s --size n=1,2,3 --stats json");
    assert_int_equal(r->code, 0);
    assert_non_null(strstr(r->out, "\"results\": \"equal\""));
    assert_non_null(strstr(r->out, "\"schema\": \"mpu-statistics-2\""));
    words_end_with("--target racer run_stop.s --set array.lanes=64,128", EXIT_STOPPED,
                   "that was run 'racer, array.lanes=128'");
}

/* One comparison, however long the lists are, and no more runs than anybody waits for. */
static void sweeps_have_an_end(void **state) {
    char words[1024] = "--target racer run_axpy.s --size n=1";
    (void)state;
    for (unsigned i = 2; i <= 101; i++)
        snprintf(words + strlen(words), sizeof words - strlen(words), ",%u", i);
    snprintf(words + strlen(words), sizeof words - strlen(words), " --set array.lanes=1");
    for (unsigned i = 2; i <= 100; i++)
        snprintf(words + strlen(words), sizeof words - strlen(words), ",%u", i);
    words_end_with(words, EXIT_USAGE, "more than 10000 combinations");
}

static void differences_are_shown(void **state) {
    (void)state;
    words_end_with(AXPY " --in a=2 --in x=1,2 --in y=3,4 --expect z=5,9", EXIT_REJECTED,
                   "z[1] is 8, not 9");
    words_end_with(AXPY " --in a=2 --in x=1,2 --in y=3,4 --expect z=5,8,9", EXIT_REJECTED,
                   "of shape (3,)");
}

/* The ten lines name the outputs whose way to the host is in none of their figures: those that
 * nothing read and that do not stay on the machine. */
static void unread_outputs_are_named(void **state) {
    static const char *const reads[] = {"--print z", "--out z=run_z.npy", "--expect z=5,8",
                                        "--resident z"};
    char words[256];
    (void)state;
    write_words("run_two.ez", "group g[2];\nin x: u8 @ g;\nout y: u8 @ g;\ninout z: u8 @ g;\n"
                              "main { compute g { y = x + 1; z = z + x; } }\n");
    const struct words_result *r = run_words(AXPY " --in a=2 --in x=1,2 --in y=3,4 --stats text");
    assert_non_null(
        strstr(r->out, "\n  not read          z: its transfer is not in these figures"));
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
        snprintf(words, sizeof words, AXPY " --in a=2 --in x=1,2 --in y=3,4 --stats text %s",
                 reads[i]);
        assert_null(strstr(run_words(words)->out, "not read"));
    }
    r = run_words("--target racer run_two.ez --in x=1,2 --in z=1,2 --stats text:full");
    assert_non_null(strstr(r->out, "\n  not read          y, z: their transfers are not"));
    assert_non_null(strstr(r->out, "\n  not_read "));
    r = run_words("--target racer run_two.ez --in x=1,2 --in z=1,2 --stats text --print y");
    assert_non_null(strstr(r->out, "\n  not read          z: its transfer"));
    r = run_words("--target racer run_two.ez --in x=1,2 --in z=1,2 --stats json");
    assert_null(strstr(r->out, "not_read"));
}

/* A run that says nothing else says that it is done, and what was compared with golden. */
static void silence_is_broken(void **state) {
#define RUN AXPY " --in a=2 --in x=1,2 --in y=3,4"
    (void)state;
    expect(RUN, 0, "run_axpy.s on racer: done; results, which --print and --out show: z\n");
    expect("--target racer run_print.s", 0, "run_print.s on racer: done\n");
    expect(RUN " --out z=run_z.npy", 0, "");
    expect(RUN " --expect z=5,8", 0, "");
    expect(RUN " --stats text:run_stats.txt", 0, "");
    expect(RUN " --check", 0,
           "run_axpy.s on racer: done; after 1 ensemble every register, C and M of 2 elements "
           "agreed with golden\n");
    expect(RUN " --check --out z=run_z.npy --expect z=5,8", 0,
           "run_axpy.s on racer: done; after 1 ensemble every register, C and M of 2 elements "
           "agreed with golden; 'z' is as expected, 2 elements\n");
    expect(RUN " --check --print z", 0, "z = 5 8\n");
    expect("--target racer run_image.s --in p=iota --check", 0,
           "p[0, 0:3] = 0 1 2\n"
           "p[1, 0:3] = 3 4 5\n");
    expect("--target racer run_print.s --check", 0,
           "run_print.s on racer: done; after 1 ensemble every register, C and M of 4 elements "
           "agreed with golden\n");
#undef RUN
}

static void statistics_go_where_asked(void **state) {
    size_t size;
    char *json;
    (void)state;
    const struct words_result *r =
        run_words(AXPY " --in a=2 --in x=1,2 --in y=3,4 --stats json:run_stats.json "
                       "--stats csv");
    assert_int_equal(r->code, 0);
    assert_non_null(strstr(r->out, "figure,value\nschema,mpu-statistics-2\n"));
    assert_non_null(strstr(r->out, "\ntotal.instructions,4\n"));
    json = file_read("run_stats.json", &size);
    assert_non_null(json);
    assert_non_null(strstr(json, "\"schema\": \"mpu-statistics-2\""));
    assert_null(strstr(json, MPU_BINARY_DIR));
    free(json);
    r = run_words("--target racer run_stop.s --stats json");
    assert_int_equal(r->code, EXIT_STOPPED);
    assert_non_null(strstr(r->out, "\"end\": \"stopped\""));
    assert_non_null(strstr(r->err, "so far: "));
    r = run_words(AXPY " --in a=2 --in x=1,2 --in y=3,4 --out \"z=" MPU_BINARY_DIR
                       "/tests/run_z.npy\" "
                       "\"--stats=json:" MPU_BINARY_DIR "/tests/run_stats.json\" --stats csv");
    assert_int_equal(r->code, 0);
    /* A folder with a comma is quoted. */
    assert_non_null(strstr(r->out, "--stats=json:" MPU_BINARY_DIR "/tests/run_stats.json"));
}

/* Every name goes over the host's link once a run, whatever asks for it. */
static void a_variable_is_fetched_once(void **state) {
    (void)state;
    const char *const asks[] = {" --print z", " --expect z=5,8", " --out z=run_z.npy",
                                " --out z=run_z.npy --out z=run_z.csv --print z --expect z=5,8"};
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) {
        char words[512];
        snprintf(words, sizeof words, AXPY " --in a=2 --in x=1,2 --in y=3,4 --stats csv%s",
                 asks[i]);
        const struct words_result *r = run_words(words);
        assert_int_equal(r->code, 0);
        assert_non_null(strstr(r->out, "\nhost.gets,1\n"));
        assert_non_null(strstr(r->out, "\nhost.bytes_out,4\n"));
    }
}

static void refusals_come_before_warnings(void **state) {
    (void)state;
    write_words("run_large.s", "        .group g[99999999]\n"
                               "        .var in x: u8 @ g = r1\n"
                               "        COMPUTEG @g\n"
                               "        INV.8 r1 r2\n"
                               "        COMPUTE_DONE\n"
                               "        JUMP_ANY 0\n");
    const struct words_result *r = run_words("--target racer run_large.s");
    assert_int_equal(r->code, EXIT_REJECTED);
    assert_non_null(strstr(r->err, "needs 99999999 lanes"));
    assert_null(strstr(r->err, "no data was given"));
    assert_non_null(strstr(run_words(AXPY " --size n=2")->err, "no data was given for input 'x'"));
}

static void mistakes(void **state) {
    static const struct {
        const char *words;
        int code;
        const char *part;
    } cases[] = {
        {"", EXIT_USAGE, "no program"},
        {"run_axpy.s", EXIT_USAGE, "no --target"},
        {"--target racer, run_axpy.s", EXIT_USAGE, "is not of the form T or T,T..."},
        {"--target racer,golde run_axpy.s", EXIT_USAGE, "golde"},
        {"--target racr run_axpy.s", EXIT_USAGE, "did you mean 'racer'"},
        {"--target racer --set clocks.datapath=1 run_axpy.s", EXIT_USAGE, "clocks.datapath"},
        {"--target racer --set clocks run_axpy.s", EXIT_USAGE, "not of the form KEY=VALUE"},
        {"--target none.yaml run_axpy.s", EXIT_FILE, "none.yaml"},
        {"--target racer none.mpu", EXIT_FILE, "none.mpu"},
        {AXPY, EXIT_REJECTED, "size 'n'"},
        {AXPY " --size m=3", EXIT_USAGE, "no size 'm'"},
        {AXPY " --size m=3", EXIT_USAGE, "its sizes are: n"},
        {AXPY " --size n", EXIT_USAGE, "NAME=NUMBER"},
        {AXPY " --size n=1,", EXIT_USAGE, "is not of the form"},
        {AXPY " --size n=1,x", EXIT_USAGE, "a size is a number from 1 to 2^40, not 'x'"},
        {AXPY " --size n=1,2 --size n=3", EXIT_USAGE, "gives 'n' twice, once with a list"},
        {AXPY " --set array.lanes=1,,2", EXIT_USAGE, "is not of the form"},
        {AXPY " --set array.lanes=8 --set array.lanes=1,2", EXIT_USAGE, "twice, once with a list"},
        {AXPY " --set array.lanes=8,none", EXIT_USAGE, "array.lanes=none"},
        {AXPY " --size n=1,2 --trace run_t.json", EXIT_USAGE, "watch one run at a time"},
        {"--print-target racer --set array.lanes=8,16", EXIT_USAGE, "several values"},
        {AXPY " --size n=4,m=2", EXIT_USAGE, "no size 'm'"},
        {AXPY " --in w=1", EXIT_USAGE, "its variables are: a, x, y, z"},
        {AXPY " --print RFH0.VRF0.r64", EXIT_USAGE, "a VRF has r0 to r63"},
        {AXPY " --in x", EXIT_USAGE, "NAME=FILE"},
        {AXPY " --in q=1", EXIT_USAGE, "no variable 'q'"},
        {AXPY " --in x=1 --in x=2", EXIT_USAGE, "'x' twice"},
        {AXPY " --in x=none.npy", EXIT_FILE, "cannot read 'none.npy'"},
        {AXPY " --in x=run_axpy.s", EXIT_REJECTED, "run_axpy.s"},
        {AXPY " --in x=1,2,", EXIT_REJECTED, "not a list of numbers"},
        {AXPY " --in x=-1,18446744073709551615", EXIT_REJECTED, "fit neither"},
        {AXPY " --in x=1,40000", EXIT_REJECTED,
         "x[1] = 40000 does not fit i16, which holds -32768 to 32767"},
        {AXPY " --in x=iota", EXIT_REJECTED, "size 'n' has no value"},
        {AXPY " --size n=2 --in x=random:a", EXIT_USAGE, "random:SEED"},
        {AXPY " --size n=2 --in x=random:1:5..2", EXIT_USAGE, "random:SEED"},
        {AXPY " --size n=2 --in x=random:1:40000..99999", EXIT_REJECTED, "does not fit i16"},
        {AXPY " --in x=1,2 --in y=1,2,3", EXIT_REJECTED, "the variable has shape (2,)"},
        {AXPY " --out z=z.foo", EXIT_USAGE, "ends in none of"},
        {AXPY " --out zz=z.npy", EXIT_USAGE, "no variable 'zz'"},
        {AXPY " --print z[1", EXIT_USAGE, "NAME[a:b]"},
        {AXPY " --in a=1 --in x=1,2 --in y=1,2 --print z[3:]", EXIT_REJECTED, "first extent is 2"},
        {AXPY " --in a=1 --in x=1,2 --in y=1,2 --out z=none/z.npy", EXIT_FILE, "cannot write"},
        {AXPY " --stats xml", EXIT_USAGE, "there are: text, text:full, json, csv"},
        {AXPY " --engine turbo", EXIT_USAGE, "there are: fused, strict, golden"},
        {AXPY " --engine golden --check", EXIT_USAGE, "nothing to compare"},
        {AXPY " --batch some", EXIT_USAGE, "unknown batching"},
        {AXPY " --init random", EXIT_USAGE, "unknown initial state"},
        {AXPY " --max-cycles 0", EXIT_USAGE, "a number above 0"},
        {AXPY " --size n=4 --in a=1 --in x=iota --in y=iota --max-cycles 5", EXIT_STOPPED,
         "the limit of 5 cycles"},
        {AXPY " --size n=1099511627776 --in a=3 --in x=iota --in y=zeros", 1,
         "the array of 'x': 8796093022208 bytes beside 2 of other data; a run may take "},
        {"--list-keys nothing", EXIT_USAGE, "no target"},
        {"--print-target nothing", EXIT_USAGE, "no target"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        words_end_with(cases[i].words, cases[i].code, cases[i].part);
}

static void targets_are_listed(void **state) {
    (void)state;
    assert_non_null(strstr(run_words("--list-targets")->out, "racer"));
    assert_non_null(strstr(run_words("--list-targets -v")->out, "64 lanes per VRF"));
    assert_non_null(strstr(run_words("--list-keys racer")->out, "clocks.datapath_ps"));
    assert_non_null(strstr(run_words("--print-target racer")->out, "datapath_ps"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_every_form),
        cmocka_unit_test(files_come_out_whole),
        cmocka_unit_test(targets_side_by_side),
        cmocka_unit_test(sweeps),
        cmocka_unit_test(sweeps_compare_results),
        cmocka_unit_test(sweeps_have_an_end),
        cmocka_unit_test(differences_are_shown),
        cmocka_unit_test(unread_outputs_are_named),
        cmocka_unit_test(silence_is_broken),
        cmocka_unit_test(statistics_go_where_asked),
        cmocka_unit_test(a_variable_is_fetched_once),
        cmocka_unit_test(refusals_come_before_warnings),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(targets_are_listed),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}

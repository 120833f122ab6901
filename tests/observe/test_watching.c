/* SPDX-License-Identifier: MIT
 * What --trace, --log and --uops write, and what they refuse. */
#define _GNU_SOURCE /* posix_openpt */
#include "tests/observe/command.h"
#include "tests/observe/trace_read.h"
#include "tools/mpu-run/run.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#ifndef MPU_SANITIZED
#define MPU_SANITIZED 0
#endif

/* Tests run inside a folder of their own. */
static int set_up(void **state) {
    (void)state;
    mkdir(MPU_BINARY_DIR "/tests/watching", 0777);
    if (chdir(MPU_BINARY_DIR "/tests/watching"))
        return -1;
    write_source("small.s", "        COMPUTE RFH0 VRF0\n"
                            "        COMPUTE RFH1 VRF0\n"
                            "        INV.8 r0 r1\n"
                            "        MARK \"a \\\"part\\\"\"\n"
                            "        AND.8 r1 r0 r2\n"
                            "        COMPUTE_DONE\n"
                            "        MOVE RFH0 RFH1\n"
                            "        MEMCPY.8 VRF0 r2 VRF0 r3\n"
                            "        MOVE_DONE\n");
    write_source("ring.s", "        .geometry lanes=4, grid=[3]\n"
                           "main:   SEND MPU+1 wrap\n"
                           "        MOVE RFH0 RFH0\n"
                           "        MEMCPY.8 VRF0 r0 VRF0 r1\n"
                           "        MOVE_DONE\n"
                           "        SEND_DONE\n"
                           "        RECV MPU-1 wrap\n");
    write_source("stop.s", "        COMPUTE RFH0 VRF0\n"
                           "        INC.8 r0 r0\n"
                           "        ASSERT \"never\"\n"
                           "        COMPUTE_DONE\n");
    write_source("wide.s", "        .size n\n"
                           "        .group g[n]\n"
                           "        .var in  x: u8 @ g = r0\n"
                           "        .var out y: u8 @ g = r1\n"
                           "        COMPUTEG @g\n"
                           "again:  CMPGTI.8 r0 0\n"
                           "        SETMASK cond\n"
                           "        ADDI.8 -1 r0\n"
                           "        INC.8 r1 r1\n"
                           "        JUMP_COND again\n"
                           "        COMPUTE_DONE\n");
    return 0;
}

static void file_has(const char *path, const char *part) {
    char *text = read_whole(path, NULL);
    if (!strstr(text, part))
        fail_msg("%s has no '%s':\n%.2000s", path, part, text);
    free(text);
}

static void absent(const char *path) {
    if (access(path, F_OK) == 0)
        fail_msg("'%s' is there", path);
}

/* No temporary file lies about. */
static void nothing_half(void) {
    DIR *d = opendir(".");
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        if (strncmp(e->d_name, ".mpu-", 5) == 0)
            fail_msg("'%s' was left", e->d_name);
    closedir(d);
}

/* ---- traces ---- */

static void units_have_their_tracks(void **state) {
    (void)state;
    struct read_trace t;
    run_expecting(0, "--target racer --trace t.json small.s");
    trace_read(&t, "t.json");
    trace_check_tracks(&t);
    trace_read_free(&t);
    file_has("t.json", "{\"target\":\"racer\"}");
    file_has("t.json", "\"name\":\"MPU 0\"");
    file_has("t.json", "\"name\":\"precoder\"");
    file_has("t.json", "\"name\":\"controller 0\"");
    file_has("t.json", "\"name\":\"RFH 0\"");
    file_has("t.json", "\"name\":\"RFH 1\"");
    file_has("t.json", "\"name\":\"data-transfer controller\"");
    file_has("t.json", "\"name\":\"COMPUTE RFH0 VRF0: batch\",\"args\":{\"instruction\":0,"
                       "\"source\":\"small.s:1\",\"batch\":0,\"energy_fj\":");
    file_has("t.json", "\"name\":\"COMPUTE RFH0 VRF0: ensemble\"");
    file_has("t.json", "\"name\":\"COMPUTE RFH0 VRF0: issue\"");
    file_has("t.json", "\"name\":\"INV.8: waits for fetch\"");
    file_has("t.json", "\"name\":\"INV.8: waits for recipe\"");
    file_has("t.json", "\"name\":\"MOVE RFH0 RFH1: transfer\"");
    file_has("t.json", "\"name\":\"recipe-table misses\",\"args\":{\"controller 0\":2}}");
    run_expecting(0, "--target racer -Wno-messages --trace t.json ring.s");
    trace_read(&t, "t.json");
    trace_check_tracks(&t);
    assert_int_equal(trace_check_arrows(&t), 3);
    trace_read_free(&t);
    file_has("t.json", "\"name\":\"MPU 2\"");
    file_has("t.json", "\"name\":\"messages to MPU 1\"");
    nothing_half();
}

/* A GMOVE between MPUs sends messages as well; arrows end where the precoders wait for them. */
static void moves_have_arrows(void **state) {
    (void)state;
    struct read_trace t;
    write_source("turn.ez", "mpus ring[3];\nsize m = 8;\ngroup g[m] on ring;\nin b: u8 @ g;\n"
                            "out c: u8 @ g;\nmain on ring { move b[k, i] = b[k - 1, i] wrap;\n"
                            "compute g { c = b + 1; } }\n");
    run_expecting(0, "--target racer --in b=random:1:0..100 --trace t.json turn.ez");
    trace_read(&t, "t.json");
    trace_check_tracks(&t);
    assert_int_equal(trace_check_arrows(&t), 3);
    assert_true(trace_check_counters(&t, "active VRFs") == 1);
    assert_true(trace_check_counters(&t, "power in mW") > 0);
    trace_read_free(&t);
}

/* Inside of a batch: the bar of a source line, then those of its instructions, with what they did.
 */
static void batches_have_bars(void **state) {
    (void)state;
    struct read_trace t;
    size_t lines = 0, instructions = 0;
    write_source("two.ez", "group g[8];\nin x: u8 @ g;\nout y: u8 @ g;\nmain {\n compute g {\n"
                           "  y = x * x + 1;\n  y = y ^ x;\n } }\n");
    run_expecting(0, "--target racer --in x=iota --trace t.json two.ez");
    trace_read(&t, "t.json");
    trace_check_tracks(&t);
    for (size_t i = 0; i < t.spans.len; i++) {
        lines += strcmp(t.spans.data[i].name, "two.ez:6") == 0;
        instructions += strncmp(t.spans.data[i].name, "MUL.8: ", 7) == 0;
    }
    assert_true(lines > 0 && instructions >= lines);
    trace_read_free(&t);
    file_has("t.json", "\"source\":\"two.ez:6\",\"text\":\"MUL.8 r0 r0 r1\",\"part\":\"compute\",");
    file_has("t.json", "\"part\":\"recipe\",\"templates\":");
    file_has("t.json", "\"batch\":0,\"vrfs\":1,\"datapath_fj\":");
}

/* What waits for a section where there is one: mats do one command after the other, and the queue
 * is full. */
static void slots_wait_for_sections(void **state) {
    (void)state;
    run_expecting(0, "--target mimdram --in x=iota --trace t.json two.ez");
    file_has("t.json", "\"name\":\"MUL.8: waits for section\"");
    file_has("t.json", "\"name\":\"issue queue\",\"args\":{\"controller 0\":17}}");
    file_has("t.json", "\"section_ps\":");
}

static char *unpack(const char *path, size_t *size) {
    gzFile file = gzopen(path, "rb");
    size_t room = 1 << 22;
    char *text = malloc(room);
    assert_true(file && text);
    int n = gzread(file, text, (unsigned)room);
    assert_in_range(n, 1, room - 1);
    assert_int_equal(gzclose(file), Z_OK);
    *size = (size_t)n;
    return text;
}

/* A file of that ending holds the same, packed, and the same bytes each time. */
static void traces_are_packed(void **state) {
    (void)state;
    size_t sizes[4];
    run_expecting(0, "--target racer --size n=5000 --in x=random:1:0..90 --trace t.json wide.s");
    run_expecting(0, "--target racer --size n=5000 --in x=random:1:0..90 --trace t.json.gz wide.s");
    run_expecting(0, "--target racer --size n=5000 --in x=random:1:0..90 --trace u.json.gz wide.s");
    char *plain = read_whole("t.json", &sizes[0]), *packed = read_whole("t.json.gz", &sizes[1]),
         *again = read_whole("u.json.gz", &sizes[2]), *text = unpack("t.json.gz", &sizes[3]);
    assert_int_equal(sizes[3], sizes[0]);
    assert_memory_equal(text, plain, sizes[0]);
    assert_int_equal(sizes[2], sizes[1]);
    assert_memory_equal(again, packed, sizes[1]);
    assert_memory_equal(packed, "\x1f\x8b\x08\0\0\0\0\0", 8); /* no flags, no time */
    assert_true(sizes[1] * 15 < sizes[0]);
    free(plain);
    free(packed);
    free(again);
    free(text);
    nothing_half();
}

/* Each batch of an MPU has a span in each RFH that it uses. */
static void batches_follow_one_another(void **state) {
    (void)state;
    struct read_trace t;
    run_expecting(0, "--target racer --size n=5000 --in x=random:1:0..5 --trace t.json "
                     "--stats json:s.json --batch one wide.s");
    trace_read(&t, "t.json");
    trace_check_tracks(&t);
    file_has("t.json", "\"batch\":3,\"energy_fj\":");
    file_has("t.json", "\"name\":\"COMPUTEG @g: batch\"");
    trace_read_free(&t);
}

/* A program with more elements than the chip has lanes. */
static void rounds_follow_one_another(void **state) {
    (void)state;
    struct read_trace t;
    run_expecting(0, "--target racer --set mpus=1 --set vrf_per_rfh=1 --set rfh_per_mpu=1 "
                     "--size n=200 --in x=random:1:0..5 --trace t.json --log=insn:l.txt wide.s");
    trace_read(&t, "t.json");
    trace_check_tracks(&t);
    trace_read_free(&t);
}

static void texts_are_quoted(void **state) {
    (void)state;
    struct read_trace t;
    write_source("odd \x01\"\xff.s", "        MARK \"\\x01\\\"\xff\\\\\"\n");
    write_source("words.rsp", "'odd \x01\"\xff.s'");
    run_expecting(0, "--target racer --trace t.json --log=insn:l.txt @words.rsp");
    trace_read(&t, "t.json");
    assert_int_equal(t.spans.len, 1);
    trace_read_free(&t);
}

static void where_a_program_stops_a_trace_ends(void **state) {
    (void)state;
    struct read_trace t;
    struct run_signals interrupted = {.interrupted = 1};
    run_expecting(4, "--target racer --trace t.json --log=insn:l.txt --uops u.csv:csv stop.s");
    trace_read(&t, "t.json");
    trace_check_tracks(&t);
    assert_true(t.spans.len > 0);
    trace_read_free(&t);
    file_has("l.txt", "INC.8 r0 r0");
    file_has("u.csv", "micro_op");
    remove("t.json");
    struct outcome *r = run_command("--target racer --trace t.json small.s", &interrupted);
    assert_int_equal(r->code, 4);
    trace_read(&t, "t.json");
    assert_int_equal(t.spans.len, 0);
    trace_read_free(&t);
    nothing_half();
}

/* ---- logs ---- */

/* The part of a log whose lines begin with the numbers first .. last. */
static void cut_log(const char *log, unsigned first, unsigned last, struct str *out) {
    for (const char *next; *log; log = next) {
        unsigned long number = strtoul(log, NULL, 10);
        next = strchr(log, '\n') + 1;
        if (number >= first && number <= last)
            str_append_n(out, log, (size_t)(next - log));
    }
}

static void numbers_choose_a_part(void **state) {
    (void)state;
    const unsigned parts[][2] = {{1, 1}, {2, 3}, {3, 1}, {5, 200}, {100, 1}, {11, 7}};
    const char *words = "--target racer -j 1 --size n=300 --in x=random:1:0..3";
    run_expecting(0, "%s --log=insn,uop:all.txt wide.s", words);
    char *all = read_whole("all.txt", NULL);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct str want = {0};
        run_expecting(0, "%s --log=insn,uop:l.txt --log-from %u --log-count %u wide.s", words,
                      parts[i][0], parts[i][1]);
        cut_log(all, parts[i][0], parts[i][0] + parts[i][1] - 1, &want);
        char *part = read_whole("l.txt", NULL);
        assert_string_equal(part, str_text(&want));
        free(part);
        str_free(&want);
    }
    run_expecting(0, "%s --log=insn:l.txt --log-from 18446744073709551615 --log-count 2 wide.s",
                  words);
    size_t size;
    free(read_whole("l.txt", &size));
    assert_int_equal(size, 0);
    free(all);
}

static void logs_go_to_standard_error(void **state) {
    (void)state;
    struct outcome *r = run_expecting(0, "--target racer --log=insn small.s");
    assert_non_null(strstr(r->err, "INV.8 r0 r1"));
    assert_non_null(strstr(r->err, "small.s:3\n"));
    assert_non_null(strstr(r->err, "MARK \"a \\\"part\\\"\""));
    assert_null(strstr(r->err, "NOR"));
    assert_string_equal(r->out, "");
    r = run_expecting(0, "--target racer --log=uop:- small.s");
    assert_non_null(strstr(r->err, "r0[7]"));
    assert_null(strstr(r->err, "INV.8"));
    r = run_expecting(0, "--target golden --log=insn small.s");
    assert_non_null(strstr(r->err, " - 0        *         2  INV.8 r0 r1"));
    r = run_expecting(0, "--target racer --check --log=insn,uop small.s");
    assert_non_null(strstr(r->err, "r0[7]"));
}

/* ---- streams of micro-ops ---- */

static void streams_go_where_asked(void **state) {
    (void)state;
    struct outcome *r = run_expecting(0, "--target racer --uops -:text small.s");
    assert_non_null(strstr(r->out, ": AND.8 r1 r0 r2"));
    assert_non_null(strstr(r->out, "MPU0.RFH0.VRF0+1"));
    run_expecting(0, "--target mimdram --uops a:b.txt:text --uops c.csv:dram small.s");
    file_has("a:b.txt", "AAP");
    file_has("c.csv", ",AAP,");
}

/* r0 lies in rows 0 to 7 of class D, r1 behind it; the constants, the groups and the rows of one
 * have names. */
static void commands_have_row_addresses(void **state) {
    (void)state;
    run_expecting(0, "--target mimdram --uops d.csv:dram small.s");
    char *text = read_whole("d.csv", NULL);
    unsigned lines = 0, registers = 0;
    for (char *line = strchr(text, '\n') + 1, *next; *line; line = next, lines++) {
        char command[8], first[16], place[64];
        next = strchr(line, '\n');
        *next++ = '\0';
        if (sscanf(line, "%63[^A]%7[^,],%15[^,]", place, command, first) != 3)
            fail_msg("no command: %s", line);
        assert_true(strcmp(command, "AAP") == 0 || strcmp(command, "AP") == 0);
        assert_null(strchr(line, '?'));
        registers += first[0] == 'D' && first[1] >= '0' && first[1] <= '9' && atoi(first + 1) < 8;
    }
    free(text);
    assert_true(lines > 16);
    assert_true(registers >= 16); /* INV and AND read each of the 8 rows of r0 */
    file_has("d.csv", "AAP,D7,7,");
    file_has("d.csv", "C0,1006,");
    file_has("d.csv", ",B1");
}

/* ---- memory ---- */

static long resident_kb(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_maxrss;
}

/* A run that is 200 times as long takes no more of the host's memory for what is written of it. */
static void memory_does_not_grow_with_the_run(void **state) {
    (void)state;
    long kb[2];
    if (MPU_SANITIZED)
        skip(); /* the sanitizers keep what was freed */
    for (int large = 0; large < 2; large++) {
        char text[256];
        snprintf(text, sizeof text,
                 "        REPEAT %d\n"
                 "        REPEAT 200\n"
                 "        COMPUTE RFH0 VRF0\n"
                 "        INV.8 r0 r1\n"
                 "        COMPUTE_DONE\n"
                 "        REPEAT_END\n"
                 "        REPEAT_END\n",
                 large ? 200 : 1);
        write_source("loop.s", text);
        run_expecting(0, "--target racer -j 1 --trace /dev/null --log=insn,uop:/dev/null "
                         "--uops /dev/null:csv loop.s");
        kb[large] = resident_kb();
    }
    assert_in_range(kb[1] - kb[0], 0, 2000);
}

/* ---- what is refused ---- */

static void refusals(void **state) {
    static const struct {
        const char *words;
        int code;
        const char *part;
    } cases[] = {
        {"--trace no/t.json small.s", 3, "cannot write 'no/t.json': No such file or directory"},
        {"--trace . small.s", 3, "cannot write '.': Is a directory"},
        {"--trace /dev/full small.s", 3, "cannot write '/dev/full': No space left on device"},
        {"--trace full.json.gz small.s", 3, "cannot write 'full.json.gz': No space left on device"},
        {"--trace no/t.json.gz small.s", 3,
         "cannot write 'no/t.json.gz': No such file or directory"},
        {"--trace t.json.gz --target golden small.s", 2, "watch one run at a time"},
        {"--log=insn:/dev/full small.s", 3, "cannot write '/dev/full': No space left on device"},
        {"--uops /dev/full:csv small.s", 3, "cannot write '/dev/full': No space left on device"},
        {"--log=insn:no/l.txt small.s", 3, "cannot write 'no/l.txt'"},
        {"--uops no/u.csv:csv small.s", 3, "cannot write 'no/u.csv'"},
        {"--log=insns small.s", 2, "'insns' is none of: insn, uop"},
        {"--log= small.s", 2, "'' is none of: insn, uop"},
        {"--log=insn,:l.txt small.s", 2, "'' is none of: insn, uop"},
        {"--log=insn: small.s", 2, "is not of the form insn,uop or insn,uop:FILE"},
        {"--log=insn --log=uop small.s", 2, "--log is given twice"},
        {"--uops u.csv small.s", 2, "'u.csv' is not of the form FILE:FORMAT"},
        {"--uops :csv small.s", 2, "is not of the form FILE:FORMAT"},
        {"--uops u.csv: small.s", 2, "is not of the form FILE:FORMAT"},
        {"--uops u.csv:xml small.s", 2, "unknown format 'xml' of --uops; there are: text, csv"},
        {"--uops u.csv:pypim small.s", 2, "target 'racer' has no words of 64 bits"},
        {"--uops u.csv:dram small.s", 2, "target 'racer' has no commands that activate rows"},
        {"--uops u.csv:csv --engine golden small.s", 2, "engine golden executes no micro-ops"},
        {"--log=insn,uop --engine golden small.s", 2, "engine golden executes no micro-ops"},
        {"--trace t.json --engine golden small.s", 2, "engine golden knows no times"},
        {"--log-from 3 small.s", 2, "--log-from and --log-count choose what"},
        {"--log-count 3 --trace t.json small.s", 2, "--log-from and --log-count choose what"},
        {"--log-from 0 --log=insn small.s", 2, "takes a number above 0"},
        {"--target golden --trace t.json small.s", 2, "watch one run at a time"},
        {"--target golden --log=insn small.s", 2, "watch one run at a time"},
        {"--trace t.json --size n=1,2 wide.s", 2, "watch one run at a time"},
        {"--trace t.json none.s", 3, "cannot read 'none.s'"},
    };
    (void)state;
    remove("t.json");
    remove("t.json.gz");
    remove("u.csv");
    remove("full.json.gz");
    assert_int_equal(symlink("/dev/full", "full.json.gz"), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct outcome *r = run_expecting(cases[i].code, "--target racer %s", cases[i].words);
        if (!strstr(r->err, cases[i].part))
            fail_msg("%s: messages '%s'", cases[i].words, r->err);
    }
    absent("t.json");
    absent("t.json.gz");
    absent("u.csv");
    nothing_half();
}

/* A wrong format or place is found before anything runs; nothing appears for what then fails. */
static void nothing_appears_for_nothing(void **state) {
    (void)state;
    remove("t.json");
    run_expecting(3, "--target racer --trace t.json --log=insn:no/l.txt small.s");
    absent("t.json");
    run_expecting(2, "--target racer --trace t.json --size n=4 wide.s");
    absent("t.json");
    write_source("t.json", "old");
    run_expecting(3, "--target racer --trace t.json --uops no/u.csv:csv small.s");
    file_has("t.json", "old");
    nothing_half();
}

/* ---- the line on a terminal ---- */

/* A pseudo terminal; -1 where the system gives none, as in a chroot without /dev/pts. */
static int open_terminal(int *end) {
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    bool there = terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0;
    *end = there ? open(ptsname(terminal), O_RDWR | O_NOCTTY) : -1;
    if (*end >= 0)
        return terminal;
    if (terminal >= 0)
        close(terminal);
    return -1;
}

/* Runs with standard error on a terminal; what appears there goes to `shown`. */
static int run_on_terminal(const char *words, char *shown, size_t size) {
    int end, terminal = open_terminal(&end);
    if (terminal < 0) {
        print_message("no pseudo terminal here\n");
        skip();
    }
    int kept = dup(STDERR_FILENO);
    assert_true(kept >= 0);
    fflush(stderr);
    dup2(end, STDERR_FILENO);
    int code = run_command(words, NULL)->code;
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(end);
    size_t all = 0;
    for (ssize_t n; (n = read(terminal, shown + all, size - 1 - all)) > 0; all += (size_t)n)
        ; /* ends with an error, as nobody has the other end any more */
    shown[all] = '\0';
    close(terminal);
    close(kept);
    return code;
}

static void a_long_run_shows_how_far_it_is(void **state) {
    (void)state;
    char shown[4096];
    write_source("forever.s", "again:  COMPUTE RFH0 VRF0\n"
                              "        INC.64 r0 r0\n"
                              "        COMPUTE_DONE\n"
                              "        GOTO again\n");
    assert_int_equal(
        run_on_terminal("--target racer --max-seconds 2 forever.s", shown, sizeof shown), 4);
    const char *line = strstr(shown, "\r\033[Kmpu-run: ");
    if (!line || !strstr(line, " s, ") || !strstr(line, " ensembles, ") || !strstr(line, " cycles"))
        fail_msg("shown: '%s'", shown);
    size_t n = strlen(shown);
    assert_string_equal(shown + n - 4, "\r\033[K"); /* and it is gone at the end */
    assert_int_equal(run_on_terminal("--target racer small.s", shown, sizeof shown), 0);
    assert_string_equal(shown, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_have_their_tracks),
        cmocka_unit_test(moves_have_arrows),
        cmocka_unit_test(batches_have_bars),
        cmocka_unit_test(slots_wait_for_sections),
        cmocka_unit_test(traces_are_packed),
        cmocka_unit_test(batches_follow_one_another),
        cmocka_unit_test(rounds_follow_one_another),
        cmocka_unit_test(texts_are_quoted),
        cmocka_unit_test(where_a_program_stops_a_trace_ends),
        cmocka_unit_test(numbers_choose_a_part),
        cmocka_unit_test(logs_go_to_standard_error),
        cmocka_unit_test(streams_go_where_asked),
        cmocka_unit_test(commands_have_row_addresses),
        cmocka_unit_test(memory_does_not_grow_with_the_run),
        cmocka_unit_test(refusals),
        cmocka_unit_test(nothing_appears_for_nothing),
        cmocka_unit_test(a_long_run_shows_how_far_it_is),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}

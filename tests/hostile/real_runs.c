/* SPDX-License-Identifier: MIT
 * Real runs of every tool on damaged inputs: 200 a tool, fixed seeds.  Whatever the input, a tool
 * ends with one of its five exit codes, without a signal, in time, and leaves its output file
 * whole or not at all and nothing else behind.  (Thousands of further mutants are fed to the
 * libraries in process by the tests of each folder.) */
#include "support/bits.h"
#include "support/file.h"
#include "support/str.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Under sanitizers a process takes 25 ms to begin: what readers do with more damaged files is
 * tested there in one process (the tests hostile and mutants of each folder). */
#ifdef MPU_SANITIZED
enum { RUNS = 40 };
#else
enum { RUNS = 200 };
#endif
enum { MAX_ARGS = 12, LIMIT_S = 60 };

static const char ez_source[] =
    "size  n;\n"
    "group g[n];\n"
    "in    a: i32;\n"
    "in    x, y: i32 @ g;\n"
    "out   z: i32 @ g;\n"
    "\n"
    "main {\n"
    "    compute g { let t: i32 = max(x, y); z = a * x + select(x > y, t, 7); }\n"
    "}\n";

static const char s_source[] = ".size n = 100\n"
                               "main:\n"
                               "    COMPUTE RFH0 VRF0\n"
                               "    COMPUTE RFH1 VRF0\n"
                               "    LI.32 5 r3\n"
                               "    INIT0.32 r0\n"
                               "loop:\n"
                               "    LI.32 1 r1\n"
                               "    ADD.32 r0 r1 r0\n"
                               "    CMPLT.32 r0 r3\n"
                               "    SETMASK cond\n"
                               "    JUMP_COND loop\n"
                               "    UNMASK\n"
                               "    COMPUTE_DONE\n"
                               "    MOVE RFH0 RFH1\n"
                               "    MEMCPY.32 VRF0 r0 VRF0 r2\n"
                               "    MOVE_DONE\n"
                               "    HALT\n";

struct tool_case {
    const char *tool;
    const char *seed;   /* file to damage, made by set_up */
    const char *input;  /* name of the damaged copy */
    const char *output; /* the file that the tool writes; NULL: none */
    const char *args[MAX_ARGS];
};

static const struct tool_case cases[] = {
    {"ezpim", "seed.ez", "bad.ez", "out.mpu", {"bad.ez", "-o", "out.mpu"}},
    {"mpu-as", "seed.s", "bad.s", "out.o", {"bad.s", "-o", "out.o"}},
    {"mpu-ld", "seed.o", "bad.o", "out.mpu", {"bad.o", "-o", "out.mpu"}},
    {"mpu-objdump", "seed.mpu", "bad.mpu", NULL, {"-x", "-d", "-s", "-l", "-S", "bad.mpu"}},
    {"mpu-run",
     "seed.mpu",
     "bad.mpu",
     "out.npy",
     {"--target", "racer", "--max-cycles", "100000", "bad.mpu", "--out",
      "RFH0.VRF0.r0:u32=out.npy"}},
};

static char *folder;

/* Runs a tool in the folder; the exit code, or -1 for a signal, or -2 for a time-out. */
static int run_tool(const char *tool, const char *const *args) {
    char path[4096];
    snprintf(path, sizeof path, "%s/bin/%s", MPU_BINARY_DIR, tool);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        const char *argv[MAX_ARGS + 2] = {path};
        for (size_t i = 0; i < MAX_ARGS && args[i]; i++)
            argv[i + 1] = args[i];
        int null = open("/dev/null", O_RDWR);
        if (chdir(folder) != 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0)
            _exit(126);
        const struct rlimit limit = {LIMIT_S, LIMIT_S}; /* of work, however busy the machine is */
        if (setrlimit(RLIMIT_CPU, &limit) != 0)
            _exit(126);
        execv(path, (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    int status = 0;
    assert_true(waitpid(pid, &status, 0) == pid);
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL ? -2 : -1;
    return WEXITSTATUS(status);
}

static char *in_folder(const char *name) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* One to four damages: flipped or random bytes, a cut, a doubled or removed stretch. */
static void damage(struct str *s, uint64_t *seed) {
    uint64_t times = 1 + splitmix64(seed) % 4;
    for (uint64_t i = 0; i < times && s->len > 0; i++) {
        size_t at = (size_t)(splitmix64(seed) % s->len);
        size_t rest = s->len - at;
        size_t n = (size_t)(splitmix64(seed) % (rest < 64 ? rest : 64)) + 1;
        switch (splitmix64(seed) % 5) {
        case 0:
            s->text[at] = (char)(s->text[at] ^ (1 << splitmix64(seed) % 8));
            break;
        case 1:
            s->text[at] = (char)splitmix64(seed);
            break;
        case 2:
            s->len = splitmix64(seed) % 4 ? s->len : at;
            break;
        case 3: {
            struct str copy = {0};
            str_append_n(&copy, s->text, at + (n < rest ? n : rest));
            str_append_n(&copy, s->text + at, rest);
            str_free(s);
            *s = copy;
            break;
        }
        default:
            memmove(s->text + at, s->text + at + (n < rest ? n : rest),
                    rest - (n < rest ? n : rest));
            s->len -= n < rest ? n : rest;
        }
    }
}

static size_t files_in_folder(void) {
    DIR *d = opendir(folder);
    assert_non_null(d);
    size_t n = 0;
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

static void run_case(const struct tool_case *c, uint64_t *seed, int codes[5]) {
    size_t size;
    char *text = file_read(in_folder(c->seed), &size);
    assert_non_null(text);
    struct str s = {0};
    str_append_n(&s, text, size);
    free(text);
    damage(&s, seed);
    assert_true(file_write(in_folder(c->input), str_text(&s), s.len));
    str_free(&s);
    size_t before = files_in_folder();
    int code = run_tool(c->tool, c->args);
    if (code < 0 || code > 4)
        fail_msg("%s ended with %d on %s", c->tool, code, in_folder(c->input));
    codes[code]++;
    bool wrote = c->output && unlink(in_folder(c->output)) == 0;
    if (code == 0 && c->output)
        assert_true(wrote);
    if (wrote)
        assert_true(code == 0 || code == 4); /* a stopped program's state may still be asked for */
    assert_int_equal(files_in_folder(), before);
    unlink(in_folder(c->input));
}

static void test_tool(void **state) {
    const struct tool_case *c = *state;
    uint64_t seed = 20260 + (uint64_t)(c - cases);
    int codes[5] = {0};
    for (int i = 0; i < RUNS; i++)
        run_case(c, &seed, codes);
    print_message("%-12s exit codes 0..4: %d %d %d %d %d\n", c->tool, codes[0], codes[1], codes[2],
                  codes[3], codes[4]);
    assert_true(codes[1] > 0); /* the damage does reach the tool */
}

static int set_up(void **state) {
    (void)state;
    static char name[] = "real-runs-XXXXXX";
    folder = mkdtemp(name);
    assert_non_null(folder);
    assert_true(file_write(in_folder("seed.ez"), ez_source, sizeof ez_source - 1));
    assert_true(file_write(in_folder("seed.s"), s_source, sizeof s_source - 1));
    assert_int_equal(run_tool("mpu-as", (const char *[MAX_ARGS]){"-g", "seed.s", "-o", "seed.o"}),
                     0);
    assert_int_equal(run_tool("mpu-ld", (const char *[MAX_ARGS]){"seed.o", "-o", "seed.mpu",
                                                                 "--target", "racer"}),
                     0);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    static const char *const files[] = {"seed.ez", "seed.s", "seed.o", "seed.mpu"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(in_folder(files[i]));
    return rmdir(folder);
}

int main(void) {
    struct CMUnitTest tests[sizeof cases / sizeof *cases];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        tests[i] =
            (struct CMUnitTest){cases[i].tool, test_tool, NULL, NULL, (void *)(uintptr_t)&cases[i]};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

/* SPDX-License-Identifier: MIT
 * docs/limits.md held: files that are made to cost most, through the tools.  Each ends with an
 * exit code of a tool, in time, and takes no more memory than the page says for its size; one byte
 * more than a reader takes is refused before it is read; what a file names is no device and no
 * pipe; a signal ends a tool that waits. */
#include "support/file.h"
#include "support/str.h"

#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
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

enum { MAX_ARGS = 10, LIMIT_S = 60, BASE_MIB = 48 };
#define MIB ((size_t)1 << 20)

/* A row of the page: so many bytes of memory for a byte of the file. */
enum reader {
    ASSEMBLY = 36,
    LANGUAGE = 190,
    MOVES = 650, /* LANGUAGE, and 9 KiB for each of 20 bytes */
    OBJECT = 16,
    PLACED = 48, /* an object that is linked for a target */
    RECORD = 64,
    TABLE = 20,
    WORDS = 20,
    ARGUMENTS = 40,
    RECIPES = 52,
    SMALL = 0
};

struct bomb {
    const char *name;
    enum reader reader;
    size_t size;
    const char *head;
    const char *unit; /* again and again; with %d: the number of the repetition */
    const char *args[MAX_ARGS];
};

#define AS(name, head, unit)                                                                       \
    {                                                                                              \
        name, ASSEMBLY, 2 * MIB, head, unit, {                                                     \
            "mpu-as", "bomb.s", "-o", "out"                                                        \
        }                                                                                          \
    }
#define EZ(name, file, head, unit)                                                                 \
    {                                                                                              \
        name, LANGUAGE, MIB, head, unit, {                                                         \
            "ezpim", "-c", file, "-o", "out"                                                       \
        }                                                                                          \
    }
#define NP "from __future__ import annotations\nimport numpy as np\ndef f(x: u8[9]) -> u8[9]:\n"

static const struct bomb bombs[] = {
    AS("labels", "", "l%d:\n"),
    AS("jumps", "", "JUMP l%d\n"),
    AS("constants", "", ".equ c%d, 1\n"),
    AS("instructions", "", "NOP\n"),
    AS("groups", "", ".group g%d[1]\n"),
    AS("data", ".var in x: u8[1] = r1\n.data x = ", "1,"),
    AS("empty loops", ".rept 3000000\n.rept 16777216\n.endr\n.endr\n", "\n"),
    AS("loops of loops", ".rept 16777216\n.rept 16777216\n1\n.endr\n.endr\n", "\n"),
    AS("macros that vanish", ".macro v\n.rept 0\n.endr\n.endm\n.rept 9000000\nv\n.endr\n", "\n"),
    AS("moves", ".group g[9]\n.var in x:u8 @g=r1\n", ".move m%d u8 @g r1[i]=x[i]\n"),
    AS("files of places", "", ".file \"a%d\"\n"),
    EZ("constants", "bomb.ez", "", "const c%d=1;"),
    EZ("a long sum", "bomb.ez", "const a=", "1+"),
    EZ("groups", "bomb.ez", "", "group g%d[9];"),
    EZ("semicolons", "bomb.ez", "", ";"),
    EZ("brackets", "bomb.ez", "const a=", "("),
    EZ("statements in Python", "bomb.py", NP, "    x += x\n"),
    EZ("a long sum in Python", "bomb.py", "A = ", "1+"),
    EZ("a list in Python", "bomb.py", "A = [", "1,"),
    EZ("names in Python", "bomb.py", NP, "    a%d = x\n"),
    EZ("functions in Python", "bomb.py", "", "def f%d(): pass\n"),
    {"moves in Python",
     MOVES,
     MIB,
     NP,
     "    x[1:2] = x[2:3]\n",
     {"ezpim", "-c", "bomb.py", "-o", "out"}},
    EZ("pairs of RFHs in .erc", "bomb.erc", "", "MOVE 0 0\nMEM_COPY_RSHIFT 0 0 1 0 0\n"),
    EZ("loops in .erc", "bomb.erc", "", "for(i=0;i<9;i++){\n"),
    EZ("words in .erc", "bomb.erc", "", "a "),
    {"numbers in a record", RECORD, MIB, "[", "1,", {"mpu-run", "--rerun", "bomb.json"}},
    {"keys in a record", RECORD, MIB, "{", "\"k%d\":1,", {"mpu-run", "--rerun", "bomb.json"}},
    {"depth of a record", RECORD, MIB, "", "[", {"mpu-run", "--rerun", "bomb.json"}},
    {"a target of lists",
     SMALL,
     65000,
     "a: ",
     "[",
     {"mpu-run", "--target", "./bomb.yaml", "x.mpu"}},
    {"a target of references",
     SMALL,
     65000,
     "a: &a [x, x]\n",
     "a%d: [*a, *a]\n",
     {"mpu-run", "--target", "./bomb.yaml", "x.mpu"}},
    {"a recipe of subs",
     SMALL,
     MIB - 64,
     "",
     "sub S%d(x) -> y { y = COPY(x) }\n",
     {"mpu-recipe", "check", "--target", "racer", "bomb.recipe"}},
    {"statements of a recipe",
     RECIPES,
     MIB - 64,
     "sub S(x) -> y { y = COPY(x)\n",
     "y = COPY(x)\n",
     {"mpu-recipe", "check", "--target", "racer", "bomb.recipe"}},
    {"arguments", ARGUMENTS, 2 * MIB, "", "a ", {"mpu-as", "@bomb.args"}},
    {"words of a host",
     WORDS,
     2 * MIB,
     "",
     "1\n",
     {"mpu-run", "--target", "pypim", "bomb.pypimhex"}},
    {"a table",
     TABLE,
     2 * MIB,
     "",
     "1\n",
     {"mpu-run", "--target", "racer", "axpy.ez", "--in", "x=bomb.csv"}},
    {"a table of one line",
     TABLE,
     2 * MIB,
     "",
     "1,",
     {"mpu-run", "--target", "racer", "axpy.ez", "--in", "x=bomb.csv"}},
    {"a picture",
     TABLE,
     2 * MIB,
     "P2 999999999 999999999 255 ",
     "1 ",
     {"mpu-run", "--target", "racer", "axpy.ez", "--in", "x=bomb.pgm"}},
};

struct outcome {
    int code; /* -1: a signal */
    int signal;
    size_t peak_kib;
    char text[4096]; /* the beginning of what it said */
};

static char *folder;

static char *in_folder(const char *name) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* The child's side: nothing to read, its words into a file. */
static void become(const char *const *args, int said) {
    char tool[4096];
    const char *argv[MAX_ARGS + 1] = {0};
    snprintf(tool, sizeof tool, "%s/bin/%s", MPU_BINARY_DIR, args[0]);
    for (size_t i = 0; i < MAX_ARGS && args[i]; i++)
        argv[i] = args[i];
    int null = open("/dev/null", O_RDWR);
    if (chdir(folder) != 0 || dup2(null, 0) < 0 || dup2(said, 1) < 0 || dup2(said, 2) < 0)
        _exit(126);
    const struct rlimit limit = {LIMIT_S, LIMIT_S}; /* of work, however busy the machine is */
    if (setrlimit(RLIMIT_CPU, &limit) != 0)
        _exit(126);
    execv(tool, (char *const *)(uintptr_t)argv);
    _exit(127);
}

/* Waits until the tool reads from the pipe, of which it is then the only reader; true if it ends
 * before.  *end is the other end, from which nothing comes. */
static bool ends_unread(pid_t pid, const char *pipe, int *end) {
    siginfo_t ended = {0};
    while ((*end = open(in_folder(pipe), O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0) {
        assert_int_equal(waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT), 0);
        if (ended.si_pid == pid)
            return true;
        sched_yield();
    }
    return false;
}

/* Once it reads from `pipe` (NULL: never) the tool gets SIGTERM. */
static struct outcome run_killed(const char *const *args, const char *pipe) {
    struct outcome o = {0};
    int status, end = -1;
    struct rusage used;
    FILE *said = tmpfile();
    assert_non_null(said);
    pid_t pid = fork();
    if (pid == 0)
        become(args, fileno(said));
    if (pipe && !ends_unread(pid, pipe, &end))
        kill(pid, SIGTERM);
    assert_true(wait4(pid, &status, 0, &used) == pid);
    if (end >= 0)
        close(end);
    o.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    o.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    o.peak_kib = (size_t)used.ru_maxrss;
    rewind(said);
    o.text[fread(o.text, 1, sizeof o.text - 1, said)] = '\0';
    fclose(said);
    return o;
}

static struct outcome run(const char *const *args) {
    return run_killed(args, NULL);
}

/* The unit, with the number of the repetition in place of each %d, up to so many bytes or some
 * more. */
static void repeat(struct str *text, const char *unit, size_t size) {
    for (int i = 0; text->len < size; i++) {
        const char *rest = unit, *percent;
        for (; (percent = strstr(rest, "%d")); rest = percent + 2) {
            str_append_n(text, rest, (size_t)(percent - rest));
            str_u64(text, (uint64_t)i);
        }
        str_append(text, rest);
    }
}

static void make_bomb(const struct bomb *b, const char *name) {
    struct str text = {0};
    str_append(&text, b->head);
    repeat(&text, b->unit, b->size);
    assert_true(file_write(in_folder(name), text.text, b->size));
    str_free(&text);
}

/* The argument that names the bomb. */
static const char *bomb_name(const struct bomb *b) {
    for (size_t i = 0; b->args[i]; i++) {
        const char *at = strstr(b->args[i], "bomb.");
        if (at)
            return at;
    }
    fail_msg("%s names no bomb", b->name);
    return NULL;
}

static void bombs_are_bounded(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bombs / sizeof *bombs; i++) {
        const struct bomb *b = &bombs[i];
        make_bomb(b, bomb_name(b));
        struct outcome o = run(b->args);
        size_t bound = BASE_MIB * 1024 + (size_t)b->reader * b->size / 1024;
        /* What .rept and macros make counts as if it stood there. */
        if (strstr(b->name, "oops") || strstr(b->name, "macros"))
            bound = BASE_MIB * 1024 + ASSEMBLY * 64 * 1024;
        if (o.code < 0 || o.code > 3 || o.peak_kib > bound)
            fail_msg("%s: exit %d, signal %d, %zu KiB of %zu: %s", b->name, o.code, o.signal,
                     o.peak_kib, bound, o.text);
        unlink(in_folder(bomb_name(b)));
    }
}

/* What makes the objects that cost most, a line of it again and again. */
static const char *const object_units[] = {"NOP\n",
                                           ".size s%d=1\n",
                                           ".loc %d\nNOP\n",
                                           ".group g%d[1]\n",
                                           ".sub s%d\nRETURN\n.endsub\n",
                                           ".global g%d\ng%d:\n",
                                           ".group g%d[1]\n.var in x%d: u8 @g%d = r1\n"};

static void expect_bound(const char *const *args, const char *name, enum reader reader,
                         size_t size) {
    struct outcome o = run(args);
    size_t bound = BASE_MIB * 1024 + (size_t)reader * size / 1024;
    if (o.code < 0 || o.code > 4 || o.peak_kib > bound)
        fail_msg("%s of %s: exit %d, signal %d, %zu KiB of %zu: %s", args[0], name, o.code,
                 o.signal, o.peak_kib, bound, o.text);
}

static void make_whole(const char *unit, const char *name) {
    struct str text = {0};
    str_append(&text, ".file \"a\"\n");
    repeat(&text, unit, MIB);
    assert_true(file_write(in_folder(name), text.text, text.len));
    str_free(&text);
}

static void objects_are_bounded(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof object_units / sizeof *object_units; i++) {
        const char *name = object_units[i];
        struct stat o;
        make_whole(name, "bomb.s");
        struct outcome made =
            run((const char *[MAX_ARGS]){"mpu-as", "-g", "bomb.s", "-o", "bomb.o"});
        if (made.code || stat(in_folder("bomb.o"), &o))
            fail_msg("%s: %s", name, made.text);
        size_t size = (size_t)o.st_size;
        expect_bound(
            (const char *[MAX_ARGS]){"mpu-objdump", "-x", "-d", "-l", "bomb.o", "-o", "out"}, name,
            OBJECT, size);
        expect_bound((const char *[MAX_ARGS]){"mpu-objdump", "--reassemble", "bomb.o", "-o", "out"},
                     name, OBJECT, size);
        expect_bound((const char *[MAX_ARGS]){"mpu-ld", "-Map=out.map", "bomb.o", "-o", "out"},
                     name, OBJECT, size);
        expect_bound((const char *[MAX_ARGS]){"mpu-ld", "--target", "racer", "bomb.o", "-o", "out"},
                     name, PLACED, size);
        expect_bound((const char *[MAX_ARGS]){"mpu-run", "--target", "racer", "bomb.o"}, name,
                     PLACED, size);
    }
}

static void make_sparse(const char *name, off_t size) {
    int fd = open(in_folder(name), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    assert_true(fd >= 0 && ftruncate(fd, size) == 0 && close(fd) == 0);
}

/* Exit code, words, and no more memory than a tool takes for nothing. */
static void expect_small(const char *const *args, int code, const char *words) {
    struct outcome o = run(args);
    if (o.code != code || !strstr(o.text, words) || o.peak_kib > BASE_MIB * 1024)
        fail_msg("%s %s: exit %d, signal %d, %zu KiB: %s", args[0], args[1], o.code, o.signal,
                 o.peak_kib, o.text);
}

static void larger_files_are_refused_unread(void **state) {
    (void)state;
    static const struct {
        const char *name;
        size_t size;
        const char *args[MAX_ARGS];
    } rows[] = {
        {"big.s", FILE_MAX_SOURCE + 1, {"mpu-as", "big.s", "-o", "out"}},
        {"big.ez", FILE_MAX_LANGUAGE + 1, {"ezpim", "big.ez", "-o", "out"}},
        {"big.py", FILE_MAX_LANGUAGE + 1, {"ezpim", "big.py", "-o", "out"}},
        {"big.erc", FILE_MAX_LANGUAGE + 1, {"ezpim", "big.erc", "-o", "out"}},
        {"big.o", FILE_MAX_OBJECT + 1, {"mpu-ld", "big.o", "-o", "out"}},
        {"big.mpu", FILE_MAX_OBJECT + 1, {"mpu-objdump", "-h", "big.mpu"}},
        {"big.mpu", FILE_MAX_OBJECT + 1, {"mpu-run", "--target", "racer", "big.mpu"}},
        {"big.yaml", FILE_MAX_TARGET + 1, {"mpu-run", "--target", "./big.yaml", "x.mpu"}},
        {"big.json", FILE_MAX_SOURCE + 1, {"mpu-run", "--rerun", "big.json"}},
        {"big.recipe",
         FILE_MAX_TARGET + 1,
         {"mpu-recipe", "check", "--target", "racer", "big.recipe"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        make_sparse(rows[i].name, (off_t)rows[i].size);
        expect_small(rows[i].args, 3, "File too large");
        unlink(in_folder(rows[i].name));
    }
}

static void write_text(const char *name, const char *text) {
    assert_true(file_write(in_folder(name), text, strlen(text)));
}

static void what_a_file_names_is_a_file(void **state) {
    (void)state;
    static const char *const includes[] = {"/dev/zero", "pipe", "."};
    for (size_t i = 0; i < sizeof includes / sizeof *includes; i++) {
        char text[200];
        snprintf(text, sizeof text, ".include \"%s\"\n.recipe \"%s\"\n", includes[i], includes[i]);
        write_text("names.s", text);
        expect_small((const char *[MAX_ARGS]){"mpu-as", "names.s", "-o", "out"}, 1, "cannot read");
        snprintf(text, sizeof text, "include \"%s\";\nrecipes \"%s\";\nmain { }\n", includes[i],
                 includes[i]);
        write_text("names.ez", text);
        expect_small((const char *[MAX_ARGS]){"ezpim", "names.ez", "-o", "out"}, 1, "cannot read");
        snprintf(text, sizeof text, "extends: ./%s\n",
                 includes[i][0] == '/' ? "../../../../../../../../dev/zero" : includes[i]);
        write_text("names.yaml", text);
        expect_small((const char *[MAX_ARGS]){"mpu-run", "--target", "./names.yaml", "x.mpu"}, 1,
                     "cannot read");
    }
}

/* Debug records may name anything; the places are shown by name. */
static void sources_of_records_are_files(void **state) {
    (void)state;
    static const char *const names[] = {"/dev/zero", "pipe", "/dev/stdin", "-"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 ".debug_lines\n.file \"%s\"\n.loc 7\nmain: COMPUTE RFH0 VRF0\n.assert \"no\"\n"
                 ".loc 8\nINIT0.8 r1\nINIT1.8 r2\nCMPEQ.8 r1 r2\nASSERT 0\nCOMPUTE_DONE\nHALT\n",
                 names[i]);
        write_text("named.s", text);
        struct outcome o =
            run((const char *[MAX_ARGS]){"mpu-as", "-g", "named.s", "-o", "named.o"});
        if (o.code)
            fail_msg("%s", o.text);
        expect_small((const char *[MAX_ARGS]){"mpu-ld", "named.o", "-o", "named.mpu"}, 0, "");
        expect_small((const char *[MAX_ARGS]){"mpu-objdump", "-d", "-S", "named.mpu"}, 0, names[i]);
        expect_small((const char *[MAX_ARGS]){"mpu-run", "--target", "racer", "named.mpu"}, 4,
                     names[i]);
    }
}

/* A pipe that nobody writes: the user's own wish, and a signal ends it. */
static void signals_end_tools_that_wait(void **state) {
    (void)state;
    static const char *const rows[][MAX_ARGS] = {
        {"mpu-run", "--target", "racer", "axpy.ez", "--size", "n=4", "--in", "x=pipe.csv"},
        {"mpu-run", "--target", "racer", "pipe"},
        {"mpu-as", "pipe", "-o", "out"},
        {"mpu-ld", "pipe", "-o", "out"},
        {"ezpim", "pipe", "-o", "out"},
        {"mpu-objdump", "-h", "pipe"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct outcome o = run_killed(rows[i], i == 0 ? "pipe.csv" : "pipe");
        if (o.signal != SIGTERM)
            fail_msg("%s: exit %d, signal %d: %s", rows[i][0], o.code, o.signal, o.text);
    }
}

static void names_do_not_reach_the_terminal_raw(void **state) {
    (void)state;
    static const char name[] = "a\nb: error: forged\x1b[31m\xc2\x9b.s";
    write_text(name, "WHAT\n");
    struct outcome o = run((const char *[MAX_ARGS]){"mpu-as", name, "-o", "out"});
    assert_int_equal(o.code, 1);
    assert_non_null(strstr(o.text, "a\\x0ab: error: forged\\x1b[31m\\xc2\\x9b.s:1:1: error: "));
    assert_null(strchr(o.text, '\x1b'));
    unlink(in_folder(name));
    write_text("ctl.s", ".file \"x\\x0ay\\x1b[2J\"\n.loc 3\nmain: HALT\n.debug_lines\n");
    o = run((const char *[MAX_ARGS]){"mpu-as", "ctl.s", "-o", "ctl.o"});
    assert_int_equal(o.code, 0);
    o = run((const char *[MAX_ARGS]){"mpu-objdump", "-d", "-l", "-x", "ctl.o"});
    assert_int_equal(o.code, 0);
    assert_non_null(strstr(o.text, "; x\\x0ay\\x1b[2J:3\n"));
    assert_null(strchr(o.text, '\x1b'));
}

/* Twelve files of 6 MiB, or of 2 MiB, are too much together, and one under many names is one. */
static void includes_count_together(void **state) {
    (void)state;
    struct str s = {0}, ez = {0};
    for (int i = 0; i < 12; i++) {
        char name[20];
        snprintf(name, sizeof name, "i%d", i);
        make_bomb(&(struct bomb){.size = 6 * MIB, .head = "", .unit = "\n"}, name);
        str_printf(&s, ".include \"%s\"\n", name);
        str_printf(&ez, "include \"%s\";\n", name);
    }
    write_text("all.s", s.text);
    write_text("all.ez", ez.text);
    struct outcome o = run((const char *[MAX_ARGS]){"mpu-as", "all.s", "-o", "out"});
    if (o.code != 1 || !strstr(o.text, "64 MiB in all"))
        fail_msg("exit %d: %s", o.code, o.text);
    o = run((const char *[MAX_ARGS]){"ezpim", "all.ez", "-o", "out"});
    if (o.code != 1 || !strstr(o.text, "16 MiB together"))
        fail_msg("exit %d: %s", o.code, o.text);
    str_free(&s);
    str_free(&ez);
}

static void one_file_under_many_names_is_read_once(void **state) {
    (void)state;
    write_text("once.ez", "const a = 1;\n");
    assert_int_equal(
        link(in_folder("once.ez"), strcat(strcpy((char[4200]){0}, folder), "/same.ez")), 0);
    char text[1000];
    snprintf(text, sizeof text,
             "include \"once.ez\";\ninclude \"./once.ez\";\ninclude \".//./once.ez\";\n"
             "include \"same.ez\";\ninclude \"many.ez\";\ngroup g[a];\nout x: u8 @ g;\n"
             "main { compute g { x = 1; } }\n");
    write_text("many.ez", text);
    struct outcome o = run((const char *[MAX_ARGS]){"ezpim", "many.ez", "-o", "out"});
    if (o.code)
        fail_msg("%s", o.text);
}

/* A file with NULs is as long as it is. */
static void nuls_end_no_file(void **state) {
    (void)state;
    char text[5000] = "const a = 1;\n";
    assert_true(file_write(in_folder("nul.ez"), text, sizeof text));
    write_text("main.ez", "include \"nul.ez\";\nmain { }\n");
    expect_small((const char *[MAX_ARGS]){"ezpim", "main.ez", "-o", "out"}, 1, "nul.ez:2:1: error");
    assert_true(file_write(in_folder("nul.recipe"), text, sizeof text));
    expect_small((const char *[MAX_ARGS]){"mpu-recipe", "check", "--target", "racer", "nul.recipe"},
                 1, "error");
}

static int set_up(void **state) {
    (void)state;
    static char name[] = "bounds-XXXXXX";
    folder = mkdtemp(name);
    assert_non_null(folder);
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    assert_int_equal(mkfifo(in_folder("pipe.csv"), 0600), 0);
    size_t size;
    char *axpy = file_read(MPU_SOURCE_DIR "/examples/axpy.ez", &size);
    assert_non_null(axpy);
    assert_true(file_write(in_folder("axpy.ez"), axpy, size));
    free(axpy);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    char command[4200];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bombs_are_bounded),
        cmocka_unit_test(objects_are_bounded),
        cmocka_unit_test(larger_files_are_refused_unread),
        cmocka_unit_test(what_a_file_names_is_a_file),
        cmocka_unit_test(sources_of_records_are_files),
        cmocka_unit_test(signals_end_tools_that_wait),
        cmocka_unit_test(names_do_not_reach_the_terminal_raw),
        cmocka_unit_test(includes_count_together),
        cmocka_unit_test(nuls_end_no_file),
        cmocka_unit_test(one_file_under_many_names_is_read_once),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

/* SPDX-License-Identifier: MIT
 * Other people's readers accept our files: readelf without a warning, llvm-dwarfdump with exit
 * code 0.  A reader that is not installed is passed over, and the test says so. */
#include "support/file.h"
#include "tests/object/random_object.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define OBJECTS 6

static char object_path[4096];

/* The first candidate that can be run, or NULL. */
static const char *find_tool(const char *const *candidates, size_t count) {
    char command[512];
    for (size_t i = 0; i < count; i++) {
        snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", candidates[i]);
        if (system(command) == 0)
            return candidates[i];
    }
    return NULL;
}

/* Runs a command; what it prints on both outputs is appended.  Returns its exit code. */
static int run(const char *command, struct str *out) {
    char buffer[4096];
    size_t n;
    FILE *p = popen(command, "r");
    assert_non_null(p);
    while ((n = fread(buffer, 1, sizeof buffer, p)) > 0)
        str_append_n(out, buffer, n);
    int status = pclose(p);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void write_object(uint64_t seed) {
    struct object *o = random_object(seed);
    struct str bytes = {0};
    object_write(o, &bytes);
    assert_true(file_write(object_path, bytes.text, bytes.len));
    str_free(&bytes);
    object_free(o);
}

static void expect_quiet(const char *tool, const char *options, const char *wanted) {
    struct str out = {0};
    char command[8192];
    snprintf(command, sizeof command, "LC_ALL=C %s %s '%s' 2>&1", tool, options, object_path);
    int code = run(command, &out);
    if (code != 0 || strstr(str_text(&out), "arning") || strstr(str_text(&out), "rror:"))
        fail_msg("%s %s exits with %d and prints:\n%s", tool, options, code, str_text(&out));
    if (wanted && !strstr(str_text(&out), wanted))
        fail_msg("%s %s does not print '%s':\n%s", tool, options, wanted, str_text(&out));
    str_free(&out);
}

static void readelf_has_no_warnings(void **state) {
    (void)state;
    static const char *const names[] = {"readelf"};
    const char *tool = find_tool(names, 1);
    if (!tool) {
        print_message("readelf is not installed: passed over\n");
        return;
    }
    for (uint64_t seed = 1; seed <= OBJECTS; seed++) {
        write_object(seed);
        expect_quiet(tool, "-aW", ".note.mpu");
        expect_quiet(tool, "-nW", "MPU");
        expect_quiet(tool, "--debug-dump=rawline,decodedline", NULL);
    }
}

static void dwarfdump_reads_the_lines(void **state) {
    (void)state;
    static const char *const names[] = {"llvm-dwarfdump", "llvm-dwarfdump-14", "llvm-dwarfdump-16",
                                        "llvm-dwarfdump-19"};
    const char *tool = find_tool(names, sizeof names / sizeof *names);
    if (!tool) {
        print_message("llvm-dwarfdump is not installed: passed over\n");
        return;
    }
    for (uint64_t seed = 1; seed <= OBJECTS; seed++) {
        struct object *o = random_object(seed);
        bool lines = o->lines.len > 0;
        object_free(o);
        write_object(seed);
        expect_quiet(tool, "--debug-line", lines ? "end_sequence" : NULL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readelf_has_no_warnings),
        cmocka_unit_test(dwarfdump_reads_the_lines),
    };
    snprintf(object_path, sizeof object_path, "%s/tests/test_object_tools.%ld.o", MPU_BINARY_DIR,
             (long)getpid());
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(object_path);
    return failed;
}

/* SPDX-License-Identifier: MIT
 * Bounds of readers, what memory a process has, and texts on their way to a terminal. */
#include "support/file.h"
#include "support/json_read.h"
#include "support/memory.h"
#include "support/str.h"
#include "support/vec.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void expect_visible(const char *text, const char *shown) {
    struct str s = {0};
    str_visible(&s, text);
    assert_string_equal(str_text(&s), shown);
    str_free(&s);
}

static void control_characters_are_shown(void **state) {
    (void)state;
    expect_visible("", "");
    expect_visible("a \"b\\c\" \xc3\xa9\xe2\x82\xac", "a \"b\\c\" \xc3\xa9\xe2\x82\xac");
    expect_visible("a\nb\x1b[31m\t\x7f", "a\\x0ab\\x1b[31m\\x09\\x7f");
    expect_visible("\xc2\x9b"
                   "31m\xc2\xa0",
                   "\\xc2\\x9b31m\xc2\xa0");
    expect_visible("\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa6",
                   "\\xe2\\x80\\xae\\xe2\\x81\\xa6\xe2\x80\xa6");
    expect_visible("\xc2", "\xc2"); /* cut off */
    expect_visible("\xe2\x80", "\xe2\x80");
}

static void expect_named(const char *path, size_t most, int error) {
    size_t size;
    char *text = file_read_named(path, most, &size);
    if (error) {
        assert_null(text);
        assert_int_equal(errno, error);
    } else {
        assert_non_null(text);
    }
    free(text);
}

static void named_files_are_regular_and_bounded(void **state) {
    (void)state;
    size_t size;
    assert_true(file_write("five", "12345", 5));
    assert_int_equal(mkfifo("pipe", 0600), 0);
    expect_named("five", 5, 0);
    expect_named("five", 4, EFBIG);
    expect_named("pipe", 5, ENOTSUP);
    expect_named("/dev/zero", 5, ENOTSUP);
    expect_named(".", 5, EISDIR);
    expect_named("-", 5, ENOENT);
    char *text = file_read_most("five", 5, &size);
    assert_int_equal(size, 5);
    free(text);
    assert_null(file_read_most("five", 4, &size));
    assert_int_equal(errno, EFBIG);
    assert_null(file_read_most("/dev/zero", 1000000, &size));
    assert_int_equal(errno, EFBIG);
    remove("pipe");
    remove("five");
}

static void files_have_an_identity(void **state) {
    (void)state;
    struct str a = {0}, b = {0}, c = {0};
    assert_true(file_write("one", "1", 1) && file_write("two", "1", 1));
    assert_int_equal(link("one", "same"), 0);
    file_identity("./one", &a);
    file_identity("same", &b);
    file_identity("two", &c);
    assert_string_equal(a.text, b.text);
    assert_string_not_equal(a.text, c.text);
    str_clear(&a);
    file_identity("absent", &a);
    assert_string_equal(a.text, "absent");
    str_free(&a);
    str_free(&b);
    str_free(&c);
    remove("one");
    remove("two");
    remove("same");
}

static void put(const char *path, const char *text) {
    assert_true(file_write(path, text, strlen(text)));
}

/* A tree of control groups as the kernel shows it, of both versions. */
static void control_groups_bound_memory(void **state) {
    (void)state;
    static const char *const folders[] = {"cg",          "cg/a",       "cg/a/b",      "cg/memory",
                                          "cg/memory/x", "cg/unified", "cg/unified/u"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        assert_int_equal(mkdir(folders[i], 0700), 0);
    assert_true(memory_of_groups("0::/a/b\n", "cg") == UINT64_MAX);
    put("cg/a/b/memory.max", "max\n");
    assert_true(memory_of_groups("0::/a/b\n", "cg") == UINT64_MAX);
    put("cg/a/memory.max", "5000000\n");
    assert_int_equal(memory_of_groups("0::/a/b\n", "cg"), 5000000);
    put("cg/a/b/memory.max", "3000\n");
    assert_int_equal(memory_of_groups("0::/a/b\n", "cg"), 3000);
    assert_int_equal(memory_of_groups("0::/a\n", "cg"), 5000000);
    put("cg/memory.max", "700\n"); /* in a container: the path is the host's */
    assert_int_equal(memory_of_groups("0::/docker/0123\n", "cg"), 700);
    put("cg/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("cg/memory/x/memory.limit_in_bytes", "4096\n");
    assert_int_equal(memory_of_groups("3:cpu,memory:/x\n2:cpu:/x", "cg"), 4096);
    assert_int_equal(memory_of_groups("3:memory:/\n", "cg"), 9223372036854771712u);
    assert_true(memory_of_groups("3:memory2:/x\n2:cpu:/x\nnonsense\n\n", "cg") == UINT64_MAX);
    put("cg/unified/u/memory.max", "600\n");
    assert_int_equal(memory_of_groups("1:name=systemd:/u\n0::/u\n", "cg"), 600);
    assert_int_equal(system("rm -r cg"), 0);
}

static int in_child(uint64_t (*limit)(void), int resource, rlim_t bytes) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit r = {bytes, bytes};
        _exit(resource == RLIMIT_AS ? setrlimit(RLIMIT_AS, &r) || limit() != bytes
                                    : setrlimit(RLIMIT_DATA, &r) || limit() != bytes);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void resource_limits_bound_memory(void **state) {
    (void)state;
    uint64_t all = memory_limit();
    assert_true(all > (uint64_t)64 << 20 && all < UINT64_MAX);
#ifndef MPU_SANITIZED /* whose shadow is address space */
    assert_int_equal(in_child(memory_limit, RLIMIT_AS, (rlim_t)48 << 20), 0);
#endif
    assert_int_equal(in_child(memory_limit, RLIMIT_DATA, (rlim_t)32 << 20), 0);
}

static void json_has_a_bound_of_values(void **state) {
    (void)state;
    struct diag *d = diag_new(NULL, NULL);
    struct arena arena = {0};
    struct str text = {0};
    str_char(&text, '[');
    for (unsigned i = 0; i < 1u << 22; i++)
        str_append(&text, "1,");
    str_append(&text, "1]");
    assert_null(json_read(text.text, text.len, 0, &arena, d));
    assert_string_equal(diag_first(d), "more than 4,194,304 values");
    arena_free(&arena);
    str_free(&text);
    diag_free(d);
}

/* Tests run side by side: each in a folder of its own. */
static int enter(void **state) {
    static char name[] = "limits-XXXXXX";
    *state = name;
    return mkdtemp(name) ? chdir(name) : -1;
}

static int leave(void **state) {
    return chdir("..") || rmdir(*state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_characters_are_shown),
        cmocka_unit_test(named_files_are_regular_and_bounded),
        cmocka_unit_test(files_have_an_identity),
        cmocka_unit_test(control_groups_bound_memory),
        cmocka_unit_test(resource_limits_bound_memory),
        cmocka_unit_test(json_has_a_bound_of_values),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}

/* SPDX-License-Identifier: MIT */
#include "support/file.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[] = "support-file-XXXXXX";
static mode_t old_umask;

/* Tests run inside a folder of their own. */
static int set_up(void **state) {
    (void)state;
    old_umask = umask(022);
    return !mkdtemp(folder) || chdir(folder);
}

static int tear_down(void **state) {
    (void)state;
    umask(old_umask);
    DIR *d = opendir(".");
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.' || e->d_name[1] == 'm')
            remove(e->d_name);
    closedir(d);
    return chdir("..") || rmdir(folder);
}

static unsigned files_here(void) {
    unsigned count = 0;
    DIR *d = opendir(".");
    while (readdir(d))
        count++;
    closedir(d);
    return count - 2;
}

static unsigned mode_of(const char *path) {
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

static void check_content(const char *path, const void *data, size_t size) {
    size_t got;
    char *text = file_read(path, &got);
    assert_non_null(text);
    assert_int_equal(got, size);
    assert_memory_equal(text, data, size);
    assert_int_equal(text[size], '\0');
    free(text);
}

static void what_is_written_is_read(void **state) {
    (void)state;
    assert_true(file_write("a", "x\0y", 3));
    check_content("a", "x\0y", 3);
    assert_true(file_write("a", "", 0));
    check_content("a", "", 0);
    size_t size = 3000001;
    char *big = malloc(size);
    assert_non_null(big);
    memset(big, 'b', size);
    assert_true(file_write("./a", big, size));
    check_content("a", big, size);
    free(big);
    assert_int_equal(files_here(), 1);
    assert_int_equal(mode_of("a"), 0644);
    remove("a");
}

static void texts_are_settled(void **state) {
    (void)state;
    static const struct {
        const char *bytes, *text;
    } cases[] = {{"a\rb\r\nc\nd\r", "a\nb\nc\nd\n"},
                 {"\r\r\n\n\r", "\n\n\n\n"},
                 {"\xef\xbb\xbfx\ry", "x\ny"},
                 {"", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size;
        assert_true(file_write("a", cases[i].bytes, strlen(cases[i].bytes)));
        char *text = file_read_text("a", 100, &size);
        assert_non_null(text);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(size, strlen(cases[i].text));
        free(text);
    }
    static const char wide[][4] = {"\xff\xfe"
                                   "a",
                                   "\xfe\xff\0"
                                   "a",
                                   "a\0"
                                   "b",
                                   {'\0', 'a', '\0', 'b'}};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        size_t size;
        assert_true(file_write("a", wide[i], 4));
        assert_null(file_read_named_text("a", 100, &size));
        assert_int_equal(errno, EILSEQ);
        assert_non_null(strstr(file_problem(errno), "UTF-16"));
    }
    remove("a");
}

static void modes_are_kept(void **state) {
    (void)state;
    assert_true(file_write("m", "1", 1));
    assert_int_equal(chmod("m", 0600), 0);
    assert_true(file_write("m", "2", 1));
    assert_int_equal(mode_of("m"), 0600);
    assert_true(file_write_executable("m", "3", 1));
    assert_int_equal(mode_of("m"), 0755);
    check_content("m", "3", 1);
    remove("m");
}

static void links_are_followed(void **state) {
    (void)state;
    assert_true(file_write("target", "1", 1));
    assert_int_equal(symlink("target", "link"), 0);
    assert_true(file_write("link", "22", 2));
    check_content("target", "22", 2);
    struct stat st;
    assert_int_equal(lstat("link", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    remove("link");
    remove("target");
}

static void failures_set_errno_and_leave_nothing(void **state) {
    (void)state;
    size_t size;
    assert_null(file_read("absent", &size));
    assert_int_equal(errno, ENOENT);
    assert_null(file_read(".", &size));
    assert_int_equal(errno, EISDIR);
    assert_false(file_write(".", "x", 1));
    assert_int_equal(errno, EISDIR);
    assert_false(file_write("no-folder/x", "x", 1));
    assert_int_equal(errno, ENOENT);
    assert_false(file_write("", "x", 1));
    assert_false(file_write("/dev/full", "x", 1));
    assert_int_equal(errno, ENOSPC);
    assert_int_equal(files_here(), 0);
}

static void several_outputs_appear_all_or_none(void **state) {
    (void)state;
    size_t failed = 9;
    struct file_output two[] = {{"a", "1", 1}, {"no-folder/b", "2", 1}};
    assert_false(file_write_all(two, 2, &failed));
    assert_int_equal(errno, ENOENT);
    assert_int_equal(failed, 1);
    assert_int_equal(files_here(), 0);
    two[1].path = "/dev/full";
    assert_false(file_write_all(two, 2, &failed));
    assert_int_equal(errno, ENOSPC);
    assert_int_equal(files_here(), 0);
    two[1].path = "b";
    assert_true(file_write_all(two, 2, &failed));
    assert_int_equal(files_here(), 2);
    check_content("a", "1", 1);
    check_content("b", "2", 1);
    remove("a");
    remove("b");
}

/* A file of 4 GiB without a block on the disk. */
/* ---- streams ---- */

/* `size` bytes in pieces of all lengths up to 200 kB, more than the buffer holds. */
static void write_pieces(struct file_stream *s, const char *data, size_t size) {
    for (size_t at = 0, piece = 1; at < size; at += piece, piece = piece * 3 % 200003) {
        if (piece > size - at)
            piece = size - at;
        file_stream_write(s, data + at, piece);
    }
}

static void a_stream_appears_at_its_end(void **state) {
    (void)state;
    size_t size = 3000001, n;
    char *big = malloc(size);
    assert_non_null(big);
    for (size_t i = 0; i < size; i++)
        big[i] = (char)(i * 7 + i / 256);
    struct file_stream *s = file_stream_open("./stream");
    assert_non_null(s);
    write_pieces(s, big, size);
    assert_int_not_equal(access("stream", F_OK), 0);
    assert_true(file_stream_close(s));
    check_content("stream", big, size);
    assert_int_equal(mode_of("stream"), 0644);
    assert_int_equal(files_here(), 1);
    free(big);
    s = file_stream_open("stream"); /* what was there stays until the end, or for good */
    assert_non_null(s);
    file_stream_write(s, "new", 3);
    char *old = file_read("stream", &n);
    assert_int_equal(n, size);
    free(old);
    file_stream_drop(s);
    assert_int_equal(files_here(), 1);
    assert_int_equal(chmod("stream", 0600), 0);
    assert_int_equal(symlink("stream", "link"), 0);
    s = file_stream_open("link");
    assert_non_null(s);
    assert_true(file_stream_close(s));
    check_content("stream", "", 0);
    assert_int_equal(mode_of("stream"), 0600);
    remove("link");
    remove("stream");
    file_stream_drop(NULL);
}

static void a_stream_tells_what_failed(void **state) {
    (void)state;
    assert_null(file_stream_open("."));
    assert_int_equal(errno, EISDIR);
    assert_null(file_stream_open("no-folder/x"));
    assert_int_equal(errno, ENOENT);
    assert_null(file_stream_open(""));
    for (int large = 0; large < 2; large++) {
        static const char zeros[100000];
        struct file_stream *s = file_stream_open("/dev/full");
        assert_non_null(s);
        file_stream_write(s, zeros, large ? sizeof zeros : 1);
        file_stream_write(s, zeros, 1);
        assert_false(file_stream_close(s));
        assert_int_equal(errno, ENOSPC);
    }
    assert_int_equal(mkdir("gone", 0777), 0);
    struct file_stream *s = file_stream_open("gone/x");
    assert_non_null(s);
    if (rmdir("gone") == 0) { /* nothing lies in it yet */
        assert_false(file_stream_close(s));
        assert_int_equal(errno, ENOENT);
    } else {
        file_stream_drop(s);
        assert_int_equal(rmdir("gone"), 0);
    }
    assert_int_equal(files_here(), 0);
}

static void a_stream_goes_into_an_open_file(void **state) {
    (void)state;
    char text[8] = "";
    FILE *f = tmpfile();
    assert_non_null(f);
    struct file_stream *s = file_stream_over(f);
    file_stream_write(s, "ab", 2);
    file_stream_flush(s);
    assert_int_equal(ftell(f), 2);
    file_stream_write(s, "c", 1);
    assert_true(file_stream_close(s));
    rewind(f);
    assert_int_equal(fread(text, 1, sizeof text, f), 3);
    assert_string_equal(text, "abc");
    fclose(f);
}

/* A process that dies in the middle leaves nothing, where a file can be without a name. */
static void a_stream_without_an_end_leaves_nothing(void **state) {
    (void)state;
    struct file_stream *s = file_stream_open("probe");
    assert_non_null(s);
    bool unnamed = files_here() == 0;
    file_stream_drop(s);
    assert_int_equal(files_here(), 0);
    pid_t child = fork();
    if (child == 0) {
        s = file_stream_open("stream");
        file_stream_write(s, "half", 4);
        file_stream_flush(s);
        _exit(s ? 7 : 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), 7);
    assert_int_not_equal(access("stream", F_OK), 0);
    if (unnamed)
        assert_int_equal(files_here(), 0);
}

static void a_file_over_4_gib_is_refused(void **state) {
    (void)state;
    FILE *f = fopen("huge", "w");
    assert_non_null(f);
    if (ftruncate(fileno(f), (off_t)1 << 32) == 0) {
        size_t size;
        assert_null(file_read("huge", &size));
        assert_int_equal(errno, EFBIG);
    }
    fclose(f);
    remove("huge");
}

static void pipes_and_devices_are_written_in_place(void **state) {
    (void)state;
    assert_true(file_write("/dev/null", "x", 1));
    size_t size;
    char *text = file_read("/dev/null", &size);
    assert_non_null(text);
    assert_int_equal(size, 0);
    free(text);
    assert_int_equal(mkfifo("fifo", 0600), 0);
    enum { SIZE = 300000 }; /* more than a pipe holds at a time */
    char *data = malloc(SIZE);
    assert_non_null(data);
    memset(data, 'p', SIZE);
    pid_t child = fork();
    if (child == 0)
        _exit(file_write("fifo", data, SIZE) ? 0 : 1);
    check_content("fifo", data, SIZE);
    free(data);
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    struct stat st;
    assert_int_equal(stat("fifo", &st), 0);
    assert_true(S_ISFIFO(st.st_mode));
    remove("fifo");
}

static void dash_is_standard_input_and_output(void **state) {
    (void)state;
    assert_true(file_write("in", "standard", 8));
    pid_t child = fork();
    if (child == 0) {
        size_t size = 0;
        char *text = freopen("in", "r", stdin) ? file_read("-", &size) : NULL;
        bool ok = text && freopen("out", "w", stdout) && file_write("-", text, size);
        _exit(ok ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    check_content("out", "standard", 8);
    remove("in");
    remove("out");
}

/* FIPS 180-4's examples, and a million letters a. */
static void sha256_matches_the_standard(void **state) {
    (void)state;
    char hex[65];
    sha256_hex("abc", 3, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sha256_hex("", 0, hex);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    char *a = malloc(1000000);
    assert_non_null(a);
    memset(a, 'a', 1000000);
    sha256_hex(a, 1000000, hex);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(a);
}

static void kinds_of_files(void **state) {
    (void)state;
    assert_string_equal(file_kind("", 0), "an empty file");
    assert_string_equal(file_kind("\x93NUMPY\1\0", 8), "a NumPy array");
    assert_string_equal(file_kind("\x93NUM", 4), "text");
    assert_string_equal(file_kind("\x7f"
                                  "ELF",
                                  4),
                        "an ELF file");
    assert_string_equal(file_kind("P5\n2 2", 6), "a picture");
    assert_string_equal(file_kind("P5", 2), "text");
    assert_string_equal(file_kind("P5\0x", 4), "a binary file");
    assert_string_equal(file_kind("PRINT", 5), "text");
    assert_string_equal(file_kind("a\0b", 3), "a binary file");
}

static void lists_of_files_with_commas(void **state) {
    (void)state;
    assert_true(file_write("m,y.yaml", "x", 1));
    assert_true(file_write("m", "x", 1));
    assert_int_equal(file_list_piece("m,y.yaml"), 8);
    assert_int_equal(file_list_piece("m,y.yaml,racer"), 8);
    assert_int_equal(file_list_piece("m,y.yam"), 1);
    assert_int_equal(file_list_piece("racer,m,y.yaml"), 5);
    assert_int_equal(file_list_piece("racer"), 5);
    assert_int_equal(file_list_piece(",racer"), 0);
    assert_int_equal(file_list_piece(""), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(texts_are_settled),
        cmocka_unit_test(modes_are_kept),
        cmocka_unit_test(links_are_followed),
        cmocka_unit_test(failures_set_errno_and_leave_nothing),
        cmocka_unit_test(several_outputs_appear_all_or_none),
        cmocka_unit_test(a_stream_appears_at_its_end),
        cmocka_unit_test(a_stream_tells_what_failed),
        cmocka_unit_test(a_stream_goes_into_an_open_file),
        cmocka_unit_test(a_stream_without_an_end_leaves_nothing),
        cmocka_unit_test(a_file_over_4_gib_is_refused),
        cmocka_unit_test(pipes_and_devices_are_written_in_place),
        cmocka_unit_test(dash_is_standard_input_and_output),
        cmocka_unit_test(sha256_matches_the_standard),
        cmocka_unit_test(kinds_of_files),
        cmocka_unit_test(lists_of_files_with_commas),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

/* SPDX-License-Identifier: MIT
 * The cache: what was put comes back, damage counts as not there, and there is an end to it. */
#define _GNU_SOURCE /* setenv, mkdtemp, utimensat */
#include "support/cache.h"

#include "support/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[1024];

static char latest[2048]; /* the folder of the latest of these */

static struct cache *fresh(uint64_t most) {
    static unsigned next;
    snprintf(latest, sizeof latest, "%s/%u/below", folder, next++);
    return cache_open(latest, most);
}

static struct cache_key key_of(unsigned i) {
    return cache_key_of("test", &i, sizeof i);
}

static bool has(const struct cache *c, unsigned i, const char *wanted) {
    struct str got = {0};
    const struct cache_key key = key_of(i);
    bool there = cache_get(c, &key, &got);
    if (there && wanted)
        assert_string_equal(str_text(&got), wanted);
    str_free(&got);
    return there;
}

static void put(const struct cache *c, unsigned i, const char *text) {
    const struct cache_key key = key_of(i);
    cache_put(c, &key, text, strlen(text));
}

static void what_was_put_comes_back(void **state) {
    struct cache *c = fresh(CACHE_MOST_BYTES);
    (void)state;
    assert_false(has(c, 1, NULL));
    put(c, 1, "one");
    put(c, 2, "");
    assert_true(has(c, 1, "one"));
    assert_true(has(c, 2, ""));
    assert_false(has(c, 3, NULL));
    put(c, 1, "another one");
    assert_true(has(c, 1, "another one"));
    cache_close(c);
}

static void nothing_is_a_cache_too(void **state) {
    struct str got = {0};
    const struct cache_key key = key_of(1);
    (void)state;
    cache_put(NULL, &key, "x", 1);
    assert_false(cache_get(NULL, &key, &got));
    struct cache *c = cache_open("/dev/null/no/folder", CACHE_MOST_BYTES);
    put(c, 1, "x");
    assert_false(has(c, 1, NULL));
    cache_close(c);
}

/* The file of a folder's only entry. */
static void path_of_entry(char *path, size_t size) {
    DIR *d = opendir(latest);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.')
            snprintf(path, size, "%s/%s", latest, e->d_name);
    closedir(d);
}

/* Every byte of an entry changed, and every length: never other bytes, and the entry goes. */
static void damage_counts_as_not_there(void **state) {
    static const char text[] = "forty-two";
    char path[4096] = "";
    size_t size;
    (void)state;
    struct cache *c = fresh(CACHE_MOST_BYTES);
    put(c, 1, text);
    path_of_entry(path, sizeof path);
    char *bytes = file_read(path, &size);
    assert_non_null(bytes);
    for (size_t i = 0; i < 2 * size; i++) {
        char *damaged = malloc(size + 1);
        memcpy(damaged, bytes, size + 1);
        if (i < size)
            damaged[i] ^= 4;
        assert_true(file_write(path, damaged, i < size ? size : i - size));
        assert_false(has(c, 1, NULL));
        assert_int_not_equal(access(path, F_OK), 0);
        free(damaged);
    }
    put(c, 1, text);
    assert_true(has(c, 1, text));
    free(bytes);
    cache_close(c);
}

/* All entries together. */
static uint64_t all_bytes(void) {
    char path[4096];
    uint64_t sum = 0;
    struct stat info;
    DIR *d = opendir(latest);
    for (struct dirent *e; (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", latest, e->d_name);
        if (e->d_name[0] != '.' && stat(path, &info) == 0)
            sum += (uint64_t)info.st_size;
    }
    closedir(d);
    return sum;
}

/* Entry i was used i seconds after the epoch. */
static void make_old(unsigned i) {
    char path[4096];
    const struct cache_key key = key_of(i);
    const struct timespec at[2] = {{.tv_sec = i}, {.tv_sec = i}};
    snprintf(path, sizeof path, "%s/test-%s", latest, key.hash);
    assert_int_equal(utimensat(AT_FDCWD, path, at, 0), 0);
}

static void the_longest_unused_go(void **state) {
    enum { MOST = 10000 };
    char text[1001];
    (void)state;
    struct cache *c = fresh(MOST);
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (unsigned i = 0; i < 8; i++) {
        put(c, i, text);
        make_old(i);
    }
    assert_true(has(c, 0, text)); /* used now */
    put(c, 8, text);
    put(c, 9, text); /* beyond the most */
    assert_true(all_bytes() <= MOST);
    assert_true(has(c, 0, text));
    assert_true(has(c, 9, text));
    assert_false(has(c, 1, NULL));
    assert_true(has(c, 7, text));
    char large[MOST];
    memset(large, 'y', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    put(c, 10, large); /* of which nothing else would be left */
    assert_false(has(c, 10, NULL));
    cache_close(c);
}

/* Processes that put and get the same entries, in little room: each finds what was put or nothing.
 */
static void processes_share_a_folder(void **state) {
    struct cache *c = fresh(3000);
    (void)state;
    for (unsigned p = 0; p < 4; p++) {
        if (fork())
            continue;
        for (unsigned i = 0; i < 200; i++) {
            char text[500];
            memset(text, 'a' + (int)(i % 7), sizeof text - 1);
            text[sizeof text - 1] = '\0';
            put(c, i % 7, text);
            struct str got = {0};
            const struct cache_key key = key_of((i + p) % 7);
            memset(text, 'a' + (int)((i + p) % 7), sizeof text - 1);
            if (cache_get(c, &key, &got) && strcmp(got.text, text) != 0)
                _exit(1);
            str_free(&got);
        }
        _exit(0);
    }
    for (unsigned p = 0; p < 4; p++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    cache_close(c);
}

static void check_folder(const char *cache, const char *home, const char *wanted) {
    cache ? setenv("XDG_CACHE_HOME", cache, 1) : unsetenv("XDG_CACHE_HOME");
    home ? setenv("HOME", home, 1) : unsetenv("HOME");
    char *found = cache_user_folder();
    if (wanted)
        assert_string_equal(found, wanted);
    else
        assert_null(found);
    free(found);
}

static void whose_folder(void **state) {
    (void)state;
    check_folder("/c", "/h", "/c/mpu");
    check_folder(NULL, "/h", "/h/.cache/mpu");
    check_folder("", "/h", "/h/.cache/mpu");
    check_folder("relative", "/h", "/h/.cache/mpu");
    check_folder(NULL, NULL, NULL);
    check_folder(NULL, "relative", NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_comes_back),    cmocka_unit_test(nothing_is_a_cache_too),
        cmocka_unit_test(damage_counts_as_not_there), cmocka_unit_test(the_longest_unused_go),
        cmocka_unit_test(processes_share_a_folder),   cmocka_unit_test(whose_folder),
    };
    snprintf(folder, sizeof folder, "%s/test_cache-XXXXXX", MPU_BINARY_DIR);
    if (!mkdtemp(folder))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[4200];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command) || failed;
}

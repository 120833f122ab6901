/* SPDX-License-Identifier: MIT
 * One program per mistake: messages/NAME.ez gives exactly the messages in messages/NAME.err.
 * `test_ezpim_messages --rebase` writes what the compiler says now; read the diff.  Another front
 * end is tested likewise, and texts of --emit=layout: FOLDER, SUFFIX, WANTED and what compiles are
 * defined where this is built. */
#include "ezpim/np/np.h"
#include "tests/ezpim/build.h"

#include "support/file.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifndef FOLDER
#define FOLDER  MPU_SOURCE_DIR "/tests/ezpim/messages"
#define SUFFIX  ".ez"
#define COMPILE ez_compile
#endif
#ifndef WANTED
#define WANTED ".err"
#define LEAST  40
#define EMIT   EZ_EMIT_NONE
#endif
enum { MAX_CASES = 200 };

struct cases {
    char *names[MAX_CASES];
    size_t count;
};

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void find_cases(struct cases *c) {
    DIR *d = opendir(FOLDER);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        size_t n = strlen(e->d_name);
        if (n < 4 || strcmp(e->d_name + n - 3, SUFFIX) != 0)
            continue;
        assert_true(c->count < MAX_CASES);
        c->names[c->count++] = xstrndup(e->d_name, n - 3);
    }
    closedir(d);
    qsort(c->names, c->count, sizeof *c->names, compare_names);
}

static char *read_case(const char *name, const char *suffix, size_t *size) {
    char path[4096];
    snprintf(path, sizeof path, FOLDER "/%s%s", name, suffix);
    return file_read(path, size);
}

static void compile_case(const char *name, struct str *messages) {
    size_t size;
    char *source = read_case(name, SUFFIX, &size);
    assert_non_null(source);
    struct diag *d = diag_new(collect_messages, messages);
    diag_set_max_errors(d, 0);
    struct ez_options options = {.optimize = 1, .emit = EMIT, .emit_text = messages};
    struct object *o = COMPILE(name, source, size, &options, d);
    if ((o != NULL) != (EMIT == EZ_EMIT_NONE && diag_errors(d) == 0))
        fail_msg("%s: %s\n%s", name, o ? "is compiled" : "is not compiled", str_text(messages));
    if (o)
        object_free(o);
    diag_free(d);
    free(source);
}

static void test_cases(void **state) {
    struct cases *c = *state;
    unsigned failed = 0;
    for (size_t i = 0; i < c->count; i++) {
        struct str messages = {0};
        size_t size;
        compile_case(c->names[i], &messages);
        char *want = read_case(c->names[i], WANTED, &size);
        if (messages.len == 0 || !want || strcmp(want, str_text(&messages)) != 0) {
            fprintf(stderr, "%s" SUFFIX " now gives:\n%s", c->names[i], str_text(&messages));
            failed++;
        }
        free(want);
        str_free(&messages);
    }
    assert_true(c->count >= LEAST);
    assert_int_equal(failed, 0);
}

static int rebase(struct cases *c) {
    for (size_t i = 0; i < c->count; i++) {
        struct str messages = {0};
        char path[4096];
        compile_case(c->names[i], &messages);
        snprintf(path, sizeof path, FOLDER "/%s" WANTED, c->names[i]);
        if (!file_write(path, str_text(&messages), messages.len))
            return 3;
        str_free(&messages);
    }
    return 0;
}

int main(int argc, char **argv) {
    struct cases c = {0};
    find_cases(&c);
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(test_cases, &c)};
    bool writes = argc > 1 && strcmp(argv[1], "--rebase") == 0;
    int status = writes ? rebase(&c) : cmocka_run_group_tests(tests, NULL, NULL);
    for (size_t i = 0; i < c.count; i++)
        free(c.names[i]);
    return status;
}

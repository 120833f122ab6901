/* SPDX-License-Identifier: MIT
 * Target files, and recipe files for racer: the first byte chooses, '#' a recipe file. */
#define _GNU_SOURCE /* memfd_create */
#include "tests/fuzz/harness.h"

#include "recipe/set/recipe.h"
#include "support/alloc.h"
#include "target/target.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct target *racer(void) {
    static struct target *kept;
    struct diag *d = diag_new(NULL, NULL);
    if (!kept)
        kept = target_open("racer", NULL, 0, d);
    diag_free(d);
    return kept;
}

static void check_recipes(const char *text, size_t size) {
    struct diag *d = diag_new(NULL, NULL);
    struct recipe_set *s = recipe_set_open_with(racer(), "fuzz.recipe", text, size, d);
    diag_flush(d);
    REQUIRE((s != NULL) == (diag_errors(d) == 0));
    recipe_set_free(s);
    diag_free(d);
}

/* A target is opened by the name of a file. */
static void check_target(const uint8_t *bytes, size_t size) {
    char path[64];
    int fd = memfd_create("fuzz.yaml", 0);
    REQUIRE(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = target_open(path, NULL, 0, d);
    diag_flush(d);
    REQUIRE((t != NULL) == (diag_errors(d) == 0));
    target_free(t);
    diag_free(d);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (size && bytes[0] == '#') {
        char *copy = xcalloc(size + 1, 1); /* readers have a NUL behind their text */
        memcpy(copy, bytes, size);
        check_recipes(copy, size);
        free(copy);
    } else {
        check_target(bytes, size);
    }
    return 0;
}

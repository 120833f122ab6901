/* SPDX-License-Identifier: MIT
 * What the tests of recipe texts share: racer, a sink, and a set made of one text. */
#ifndef TESTS_RECIPE_TEXT_H
#define TESTS_RECIPE_TEXT_H

#include "recipe/set/recipe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static inline struct target *open_racer(struct diag *d) {
    struct target *t = target_open("racer", NULL, 0, d);
    if (!t)
        fail_msg("%s", diag_first(d));
    return t;
}

/* True if the text is taken; else the first message is in `message`. */
static inline bool takes(const struct target *t, const char *text, char *message, size_t size) {
    struct diag *d = diag_new(NULL, NULL);
    struct recipe_set *s = recipe_set_open_with(t, "x.recipe", text, strlen(text), d);
    diag_flush(d);
    const char *first = diag_first(d);
    strncpy(message, first ? first : "", size - 1);
    message[size - 1] = '\0';
    bool taken = s != NULL;
    if (taken != (diag_errors(d) == 0))
        fail_msg("the result and the messages disagree: %s", message);
    recipe_set_free(s);
    diag_free(d);
    return taken;
}

static inline void want_taken(const struct target *t, const char *text) {
    char message[400];
    if (!takes(t, text, message, sizeof message))
        fail_msg("refused: %s\n%s", message, text);
}

/* The first message begins with "x.recipe:line:col" as given and holds the words; else says so. */
static inline bool is_refused(const struct target *t, const char *text, const char *place,
                              const char *words) {
    char message[400];
    if (takes(t, text, message, sizeof message)) {
        print_error("taken, but '%s' was expected:\n%s\n", words, text);
        return false;
    }
    if (strncmp(message, "x.recipe:", 9) == 0 && strncmp(message + 9, place, strlen(place)) == 0 &&
        message[9 + strlen(place)] == ':' && strstr(message, words))
        return true;
    print_error("expected x.recipe:%s: ...%s..., got %s\n", place, words, message);
    return false;
}

static inline void want_refused(const struct target *t, const char *text, const char *place,
                                const char *words) {
    assert_true(is_refused(t, text, place, words));
}

#endif

/* SPDX-License-Identifier: MIT
 * A diag whose rendered messages are kept as text. */
#ifndef TESTS_SUPPORT_CAPTURED_H
#define TESTS_SUPPORT_CAPTURED_H

#include "support/diag.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

struct captured {
    struct diag *diag;
    struct diag_printer printer;
    char *text;
    size_t size;
};

static inline void capture(struct captured *c, enum diag_format format) {
    *c = (struct captured){0};
    FILE *out = open_memstream(&c->text, &c->size);
    assert_non_null(out);
    c->printer = (struct diag_printer){.out = out, .format = format, .prefix = "tool"};
    c->diag = diag_new(diag_print, &c->printer);
}

/* What was printed since the last call. */
static inline const char *captured_text(struct captured *c) {
    diag_flush(c->diag);
    fflush(c->printer.out);
    return c->text;
}

static inline void captured_clear(struct captured *c) {
    diag_flush(c->diag);
    rewind(c->printer.out);
    fflush(c->printer.out);
    if (c->text)
        c->text[0] = '\0';
}

static inline void captured_free(struct captured *c) {
    diag_free(c->diag);
    fclose(c->printer.out);
    free(c->text);
}

/* The messages so far are exactly `expected`. */
#define assert_messages(c, expected)                                                               \
    do {                                                                                           \
        assert_string_equal(captured_text(c), expected);                                           \
        captured_clear(c);                                                                         \
    } while (0)

#endif

/* SPDX-License-Identifier: MIT */
#include "tests/asm/assembling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct object *assemble_text(const char *text, struct diag *d) {
    struct diag *own = d ? NULL : diag_new(NULL, NULL);
    const struct asm_options options = {.debug = true};
    struct object *o = asm_assemble("t.s", text, strlen(text), &options, d ? d : own);
    diag_free(own);
    return o;
}

struct object *assemble_well(const char *text) {
    struct diag *d = diag_new(NULL, NULL);
    struct object *o = assemble_text(text, d);
    if (!o)
        fail_msg("refused: %s\n%s", diag_first(d), text);
    assert_int_equal(diag_errors(d), 0);
    diag_free(d);
    return o;
}

uint32_t assembled_word(const char *text, uint32_t index) {
    struct object *o = assemble_well(text);
    assert_true(index < o->text.len);
    uint32_t word = o->text.data[index];
    object_free(o);
    return word;
}

/* SPDX-License-Identifier: MIT
 * Objects written and read, disassembled and assembled. */
#include "tests/fuzz/compiled.h"

#include "asm/asm.h"
#include "disasm/disasm.h"
#include "linker/linker.h"

#include <string.h>

static bool same(const struct str *a, const struct str *b) {
    return a->len == b->len && memcmp(str_text(a), str_text(b), a->len) == 0;
}

/* Written, read and written again. */
static void check_bytes(const struct object *object, struct str *bytes) {
    struct diag *d = diag_new(NULL, NULL);
    struct str again = {0};
    object_write(object, bytes);
    struct object *back = object_read("back", bytes->text, bytes->len, d);
    if (!back)
        fprintf(stderr, "%s\n", diag_first(d));
    REQUIRE(back);
    object_write(back, &again);
    REQUIRE(same(bytes, &again));
    object_free(back);
    str_free(&again);
    diag_free(d);
}

/* What somebody else wrote may be text that the assembler refuses, a MEMCPY outside of transfers
 * for one: NULL then. */
static struct object *assemble_again(const struct str *text, bool linked, bool foreign) {
    const struct asm_options options = {.debug = false};
    struct diag *d = diag_new(NULL, NULL);
    struct object *o = asm_assemble("again.s", str_text(text), text->len, &options, d);
    const struct object *inputs[] = {o};
    struct object *p = o && linked ? link_objects(inputs, 1, NULL, d) : o;
    REQUIRE((p != NULL) == (diag_errors(d) == 0));
    if (!p && !foreign)
        fprintf(stderr, "%s\n%s\n", diag_first(d), str_text(text));
    REQUIRE(p || foreign);
    if (p != o)
        object_free(o);
    diag_free(d);
    return p;
}

/* Packages are no text: the file is compared without them. */
static void check_text(const struct object *object, bool foreign) {
    struct object portable = *object;
    struct str bytes = {0}, text = {0}, again = {0};
    portable.packages.len = 0;
    object_write(&portable, &bytes);
    disasm_reassemble(&portable, &text);
    struct object *o = assemble_again(&text, object->linked, foreign);
    if (o)
        object_write(o, &again);
    if (o && !foreign && !same(&bytes, &again))
        fprintf(stderr, "%s\n", str_text(&text));
    REQUIRE(!o || foreign || same(&bytes, &again));
    if (o && foreign)
        check_text(o, false);
    object_free(o);
    str_free(&bytes);
    str_free(&text);
    str_free(&again);
}

static void check_object(const struct object *object, bool foreign) {
    struct diag *d = diag_new(NULL, NULL);
    struct str bytes = {0};
    bool valid = object_check(object, d, NO_SPAN);
    if (!valid)
        fprintf(stderr, "%s\n", diag_first(d));
    REQUIRE(valid);
    check_bytes(object, &bytes);
    check_text(object, foreign);
    str_free(&bytes);
    diag_free(d);
}

void compiled_check_foreign(const struct object *object) {
    check_object(object, true);
}

void compiled_check(struct object *object, struct diag *diag) {
    diag_flush(diag);
    REQUIRE((object != NULL) == (diag_errors(diag) == 0));
    if (object)
        check_object(object, false);
    object_free(object);
    diag_free(diag);
}

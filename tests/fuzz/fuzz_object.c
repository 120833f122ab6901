/* SPDX-License-Identifier: MIT
 * Objects and programs: read, shown in every way, written, disassembled and assembled; the packages
 * in them read and written. */
#include "tests/fuzz/compiled.h"

#include "disasm/disasm.h"
#include "linker/linker.h"
#include "linker/package.h"

#include <string.h>

/* What may be used is what its writer writes; one that may not was refused with a word. */
static void check_package(const struct object *object, const struct package_blob *blob) {
    struct diag *d = diag_new(NULL, NULL);
    struct package *p = package_read(object, blob->bytes, blob->size, d);
    diag_flush(d);
    REQUIRE((p != NULL) == (diag_errors(d) + diag_warnings(d) == 0));
    struct str bytes = {0};
    if (p) {
        package_write(p, &bytes);
        REQUIRE(bytes.len == blob->size && memcmp(bytes.text, blob->bytes, bytes.len) == 0);
    }
    str_free(&bytes);
    package_free(p);
    diag_free(d);
}

static void show(const struct object *object, const uint8_t *bytes, size_t size) {
    struct diag *d = diag_new(NULL, NULL);
    struct str text = {0};
    disasm_dump(object, "fuzz.o", bytes, size, 0x1ff & ~(unsigned)DISASM_SOURCE, &text, d);
    if (object->linked)
        link_print_map(object, &text);
    str_free(&text);
    diag_free(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct diag *d = diag_new(NULL, NULL);
    struct object *o = object_read("fuzz.o", bytes, size, d);
    diag_flush(d);
    REQUIRE((o != NULL) == (diag_errors(d) == 0));
    if (o) {
        show(o, bytes, size);
        compiled_check_foreign(o);
        for (size_t i = 0; i < o->packages.len; i++)
            check_package(o, &o->packages.data[i]);
    }
    object_free(o);
    diag_free(d);
    return 0;
}

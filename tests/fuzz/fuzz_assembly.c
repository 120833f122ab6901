/* SPDX-License-Identifier: MIT
 * Assembly text. */
#include "tests/fuzz/compiled.h"

#include "asm/asm.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct diag *d = diag_new(NULL, NULL);
    struct str listing = {0};
    const struct asm_options options = {.debug = size % 2, .listing = &listing};
    compiled_check(asm_assemble("fuzz.s", (const char *)bytes, size, &options, d), d);
    str_free(&listing);
    return 0;
}

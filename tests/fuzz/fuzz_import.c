/* SPDX-License-Identifier: MIT
 * Programs of the published simulator; the first byte chooses .erc or .rc. */
#include "tests/fuzz/compiled.h"

#include "ezpim/erc/erc.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct diag *d = diag_new(NULL, NULL);
    const struct erc_options options = {.assembly = size && bytes[0] == ';', .debug = size % 2};
    compiled_check(erc_compile("fuzz.erc", (const char *)bytes, size, &options, d), d);
    return 0;
}

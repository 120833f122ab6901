/* SPDX-License-Identifier: MIT
 * Programs in ezpim. */
#include "tests/fuzz/compiled.h"

#include "ezpim/ezpim.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct diag *d = diag_new(NULL, NULL);
    const struct ez_options options = {
        .optimize = (int)(size % 3), .debug = size % 2, .spill = size % 5 == 0};
    compiled_check(ez_compile("fuzz.ez", (const char *)bytes, size, &options, d), d);
    return 0;
}

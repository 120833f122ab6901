/* SPDX-License-Identifier: MIT
 * Kernels in Python. */
#include "tests/fuzz/compiled.h"

#include "ezpim/np/np.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct diag *d = diag_new(NULL, NULL);
    const struct ez_options options = {.optimize = (int)(size % 3), .debug = size % 2};
    compiled_check(np_compile("fuzz.py", (const char *)bytes, size, &options, d), d);
    return 0;
}

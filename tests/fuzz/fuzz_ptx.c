/* SPDX-License-Identifier: MIT
 * Texts of PTX: any is refused with a place and a message, or printed back the same, and carried
 * out to its end or as far as the steps reach. */
#include "tests/fuzz/harness.h"
#include "tests/ptx/damaged.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    unsigned refused = 0;
    REQUIRE(ptx_damaged_wrong((const char *)bytes, size, &refused) == NULL);
    return 0;
}

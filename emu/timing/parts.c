/* SPDX-License-Identifier: MIT
 * The names of the parts of time, from one table. */
#include "emu/timing/parts.h"

const char *timing_part_name(enum timing_part part) {
#define NAME(id, name, meaning) name,
    static const char *const names[] = {TIMING_PART_LIST(NAME)};
#undef NAME
    return names[part];
}

/* SPDX-License-Identifier: MIT
 * Names and sizes of sections, and which names of things are allowed. */
#include "object/layout.h"

#include <string.h>

const struct section_layout object_section_layout[OBJECT_SECTION_COUNT] = {
#define X(id, name, size) {name, size},
    OBJECT_SECTIONS(X)
#undef X
};

static bool name_char(unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '$';
}

bool object_name_ok(const char *name) {
    size_t n = 0;
    for (; name[n]; n++)
        if (!name_char((unsigned char)name[n]))
            return false;
    return n >= 1 && n <= OBJECT_MAX_NAME;
}

/* Targets are named by the user's file names too: printable, without blanks and slashes. */
bool object_target_ok(const char *name) {
    size_t n = 0;
    for (; name[n]; n++)
        if (!name_char((unsigned char)name[n]) && !strchr("-:+", name[n]))
            return false;
    return n >= 1 && n <= OBJECT_MAX_NAME;
}

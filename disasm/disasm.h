/* SPDX-License-Identifier: MIT
 * The disassembler behind mpu-objdump. */
#ifndef DISASM_DISASM_H
#define DISASM_DISASM_H

#include "object/object.h"

enum disasm_action {
    DISASM_TEXT = 1 << 0,        /* -d */
    DISASM_HEADERS = 1 << 1,     /* -h */
    DISASM_CONTENTS = 1 << 2,    /* -s */
    DISASM_RELOCS = 1 << 3,      /* -r */
    DISASM_SYMBOLS = 1 << 4,     /* -t */
    DISASM_ALL_HEADERS = 1 << 5, /* -x */
    DISASM_SOURCE = 1 << 6,      /* -S, with -d */
    DISASM_LINES = 1 << 7,       /* -l, -d with places */
    DISASM_NO_RAW = 1 << 8,      /* --no-show-raw-insn */
};

/* Appends what `actions` ask for.  `bytes` is the file that object was read from (for -h and -s).
 */
void disasm_dump(const struct object *object, const char *name, const void *bytes, size_t size,
                 unsigned actions, struct str *out, struct diag *diag);
/* Source text that assembles to an object with the same bytes (a linked file: that links to
 * the same bytes). */
void disasm_reassemble(const struct object *object, struct str *out);

#endif

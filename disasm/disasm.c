/* SPDX-License-Identifier: MIT
 * The order of what a dump shows. */
#include "disasm/dump.h"

void disasm_dump(const struct object *o, const char *name, const void *bytes, size_t size,
                 unsigned actions, struct str *out, struct diag *d) {
    struct dump x = {.o = o, .bytes = bytes, .size = size, .actions = actions, .out = out, .d = d};
    if (actions & DISASM_ALL_HEADERS)
        x.actions |= DISASM_HEADERS | DISASM_SYMBOLS | DISASM_RELOCS;
    disasm_names_open(&x.names, o);
    str_printf(out, "\n%s:\tfile format elf64-mpu (%s)\n", name,
               o->linked ? "linked program" : "relocatable object");
    if (x.actions & DISASM_HEADERS) {
        disasm_program(&x);
        disasm_sections(&x);
    }
    if (x.actions & DISASM_ALL_HEADERS)
        disasm_records(&x);
    if (x.actions & DISASM_SYMBOLS)
        disasm_symbols(&x);
    if ((x.actions & DISASM_RELOCS) && !(x.actions & DISASM_TEXT))
        disasm_relocs(&x);
    if (x.actions & DISASM_CONTENTS)
        disasm_contents(&x);
    if (x.actions & DISASM_TEXT)
        disasm_text(&x);
    disasm_names_close(&x.names);
}

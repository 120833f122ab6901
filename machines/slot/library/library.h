/* SPDX-License-Identifier: MIT
 * The row library: instructions in the row notation (docs/row-notation.md), the tools' own and
 * those of a program, and the row programs that they come to. */
#ifndef MACHINES_SLOT_LIBRARY_LIBRARY_H
#define MACHINES_SLOT_LIBRARY_LIBRARY_H

#include "isa-spec/user.h"
#include "machines/slot/program/program.h"
#include "support/diag.h"

struct row_library;

/* The tools' own with what files add to it or put in its place; NULL after reporting.  Files may
 * hold recipes for other kinds of machines too, which are passed over. */
struct row_library *row_library_open(const struct user_file *files, size_t count,
                                     struct diag *diag);
void row_library_close(struct row_library *library); /* NULL: nothing */
/* SHA-256 of all texts, 64 digits. */
const char *row_library_hash(const struct row_library *library);
bool row_library_has(const struct row_library *library, enum isa_op op);
/* Where the routine comes from: NULL for the tools' own, else the file's name. */
const char *row_library_origin(const struct row_library *library, enum isa_op op);

/* The routine as it stands, without the subs that it calls; appended. */
void row_library_text(const struct row_library *library, enum isa_op op, struct str *out);

/* How a program is to be made. */
struct row_wanted {
    unsigned slot;       /* bits: 1, 2, 4 .. 64, at least the instruction's width */
    bool none_above;     /* no register that is written has bits above the instruction's width that
                            count; else these are kept, which takes three commands more */
    bool masked;         /* writes where M is ones alone */
    bool table2;         /* without xor and xnor */
    uint32_t max_rows;   /* of a table that can be looked up: 512 */
    unsigned match_bits; /* the one width that queries compare, a power of two; 0: any */
    struct row_costs costs; /* by which tables or logic are chosen */
};
/* The program of an instruction, whatever registers it names, which may be one and the same; its
 * constants and tables are added to the pool, which has the slot.  insn->table is that of a LUT.
 * False, with what is wrong appended to *problem and nothing to free, if there is none. */
bool row_program_for(const struct row_library *library, const struct insn *insn,
                     const struct row_wanted *wanted, struct row_pool *pool,
                     struct row_program *program, struct str *problem);

#endif

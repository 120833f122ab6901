/* SPDX-License-Identifier: MIT
 * How traces and logs name the instructions of a program. */
#ifndef EMU_OBSERVE_INSN_TEXT_H
#define EMU_OBSERVE_INSN_TEXT_H

#include "linker/package.h"

struct text_names {
    const struct object *program;
    const struct package *package;
    struct isa_users users;
    struct arena arena;
};

/* Program and package outlive it. */
void observe_names_open(struct text_names *names, const struct object *program,
                        const struct package *package);
void observe_names_close(struct text_names *names);

/* The instruction at `index` as assembly writes it, with the names of groups, moves and user
 * instructions, and the texts of MARK, PRINT and ASSERT. */
void observe_text_insn(const struct text_names *names, uint32_t index, struct str *out);
/* Appends where the instruction comes from: "axpy.ez:7".  False, and nothing appended, if the
 * program does not say. */
bool observe_text_place(const struct text_names *names, uint32_t index, struct str *out);

#endif

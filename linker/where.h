/* SPDX-License-Identifier: MIT
 * Where an instruction of linked text stands, for messages. */
#ifndef LINKER_WHERE_H
#define LINKER_WHERE_H

#include "object/object.h"

/* The line of instruction `index` if the line table has it, else its source file alone. */
struct span link_text_span(const struct object *o, uint32_t index, struct diag *d);
/* Behind a message at link_text_span: if the line is not known, the label before the instruction
 * and how to learn the line; else nothing. */
void link_note_where(const struct object *o, uint32_t index, struct diag *d);

#endif

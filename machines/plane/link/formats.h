/* SPDX-License-Identifier: MIT
 * How micro-ops of plane machines are written out (docs/trace.md); machines/plane/run/format.c
 * writes the lines. */
#ifndef MACHINES_PLANE_LINK_FORMATS_H
#define MACHINES_PLANE_LINK_FORMATS_H

#include "machines/format.h"

enum plane_format {
    PLANE_FORMAT_TEXT, /* the target's mnemonics and operands */
    PLANE_FORMAT_CSV,
    PLANE_FORMAT_DRAM,  /* commands of a DRAM with row addresses */
    PLANE_FORMAT_WORDS, /* the words of PyPIM's host, 8 bytes each; machines/plane/run/words_out.c
                         */
    PLANE_FORMAT_HEX,   /* a word a line */
    PLANE_FORMATS,
};
extern const struct machine_format plane_formats[PLANE_FORMATS + 1];

#endif

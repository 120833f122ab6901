/* SPDX-License-Identifier: MIT
 * Streams of micro-ops for other programs (docs/trace.md). */
#ifndef EMU_OBSERVE_UOPS_H
#define EMU_OBSERVE_UOPS_H

#include "emu/observe/names.h"
#include "emu/observe/watch.h"
#include "support/file.h"

enum uops_format {
    UOPS_TEXT, /* the target's mnemonics and operands, for people */
    UOPS_CSV,
    UOPS_DRAM, /* commands of a DRAM with row addresses, as CSV */
    UOPS_FORMATS,
};
const char *uops_format_name(enum uops_format f);

struct uops;
/* The target must have what the format writes (dram_refuses).  Names, target and stream outlive
 * it; the heading is written at once. */
struct uops *uops_new(enum uops_format f, const struct text_names *names, const struct target *t,
                      struct file_stream *out);
struct listener uops_listener(struct uops *u);
void uops_free(struct uops *u);

#endif

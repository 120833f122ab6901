/* SPDX-License-Identifier: MIT
 * Streams of micro-ops for other programs (docs/trace.md). */
#ifndef EMU_OBSERVE_UOPS_H
#define EMU_OBSERVE_UOPS_H

#include "emu/observe/insn_text.h"
#include "emu/observe/watch.h"
#include "support/file.h"

struct uops;
/* `format`: index into machine_formats(t), one that does not refuse the target.  Names, target,
 * machine and stream outlive it; the heading is written at once. */
struct uops *observe_uops_new(unsigned format, const struct text_names *names,
                              const struct target *t, const struct datapath *dp,
                              struct file_stream *out);
struct listener observe_uops_listener(struct uops *u);
void observe_uops_free(struct uops *u);

#endif

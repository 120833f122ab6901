/* SPDX-License-Identifier: MIT
 * A log of instructions, micro-ops or both, one a line (docs/trace.md). */
#ifndef EMU_OBSERVE_LOG_H
#define EMU_OBSERVE_LOG_H

#include "emu/observe/insn_text.h"
#include "emu/observe/watch.h"
#include "support/file.h"

struct log;
/* Names, target, machine and stream outlive it. */
struct log *observe_log_new(const struct text_names *names, const struct target *t,
                            const struct datapath *dp, struct file_stream *out);
struct listener observe_log_listener(struct log *l, bool insns, bool uops);
void observe_log_free(struct log *l);

#endif

/* SPDX-License-Identifier: MIT
 * A stage kernel as PTX. */
#ifndef MACHINES_CORE_SIMT_RUNS_STAGE_TEXT_H
#define MACHINES_CORE_SIMT_RUNS_STAGE_TEXT_H

#include "machines/core/scalar/stage.h"
#include "support/str.h"

/* Appends the kernel of rows; all_loops: no loop is written out.  False with *what, and *line of
 * the text or 0; *large: there is too much of it. */
bool simt_stage_text(const struct stage_kernel *kernel, bool all_loops, struct str *out,
                     bool *large, struct str *what, uint32_t *line);
/* Appends the kernel of one thread that stores what results begin with; false: there is none. */
bool simt_stage_begin_text(const struct stage_kernel *kernel, struct str *out);

#endif

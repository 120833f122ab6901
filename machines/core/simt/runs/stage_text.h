/* SPDX-License-Identifier: MIT
 * A stage kernel as PTX: each function appends one of its kernels (stage_words.h). */
#ifndef MACHINES_CORE_SIMT_RUNS_STAGE_TEXT_H
#define MACHINES_CORE_SIMT_RUNS_STAGE_TEXT_H

#include "machines/core/simt/runs/stage_words.h"

/* What the IR of a row is made with here. */
void simt_stage_rows_open(struct scalar_stage *s, bool all_loops);
/* That of rows or counts; all_loops: no loop is written out.  False with *what, and *line of the
 * text or 0; *large: there is too much of it. */
bool simt_stage_text(const struct stage_kernel *kernel, enum simt_stage_part part, bool all_loops,
                     struct str *out, bool *large, struct str *what, uint32_t *line);
/* That of one thread, in the beginning or in the end; false: there is none. */
bool simt_stage_single_text(const struct stage_kernel *kernel, enum simt_stage_part part,
                            struct str *out);
/* Each word becomes the sum of it and of the one so far in front; false: nothing is to be summed.
 */
bool simt_stage_scan_text(const struct stage_kernel *kernel, struct str *out);

#endif

/* SPDX-License-Identifier: MIT
 * What the DPU's instructions do, in the host's arithmetic, by their names in the text: written for
 * the tests, which compare the interpreter with it. */
#ifndef TESTS_DPU_REFERENCE_H
#define TESTS_DPU_REFERENCE_H

#include "machines/core/dpu/dpu.h"

/* A tasklet as the reference knows it. */
struct reference_state {
    uint32_t r[24], id, pc;
    bool zero, carry;
};
/* Of an instruction of two sources in the order of the text, and how far to shift; *carry is what
 * it takes, and leaves.  False: the reference does not know that name. */
bool reference_result(const char *name, uint32_t first, uint32_t second, uint32_t shift,
                      bool *carry, uint32_t *result);
/* Carries an instruction out that has a result with flags, pc too.  False: it is none such. */
bool reference_step(struct reference_state *s, const struct dpu_insn *insn);
uint32_t reference_register(const struct reference_state *s, uint32_t number);

#endif

/* SPDX-License-Identifier: MIT
 * Buffers, kernels, and what launches them. */
#ifndef EZPIM_EZ_CHECK_KERNEL_H
#define EZPIM_EZ_CHECK_KERNEL_H

#include "ezpim/ez/check.h"

void ez_decl_buffer(struct checker *checker, struct decl *decl);
/* Buffers of files that declare kernels, when the program's own are known. */
void ez_add_buffers(struct checker *checker);
void ez_decl_module(struct checker *checker, struct decl *decl);
void ez_decl_kernel(struct checker *checker, struct decl *decl);
void ez_decl_pipeline(struct checker *checker, struct decl *decl);
/* When all declarations are known: the pipeline's kernel, and the main that launches it. */
void ez_check_pipeline(struct checker *checker);
/* `else` of launches of stage kernels that have none, and variables that stand for their buffers.
 */
void ez_write_otherwise(struct checker *checker);
/* When it is checked: its places are those of the kernels' texts that it was made of. */
void ez_place_otherwise(struct checker *checker);
/* All of a launch but what stands behind `else`. */
void ez_check_launch(struct checker *checker, struct stmt *stmt);
/* When all of the program is known: variables that stand for buffers, and what nobody uses. */
void ez_check_kernels_end(struct checker *checker);
/* The buffer for which a variable stands, or NULL. */
const struct ez_buffer *ez_buffer_of(const struct ez_unit *unit, const struct ez_symbol *symbol);

#endif

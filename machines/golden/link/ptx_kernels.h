/* SPDX-License-Identifier: MIT
 * PTX modules as kernels: of target golden, and what all machines have of it. */
#ifndef MACHINES_GOLDEN_LINK_PTX_KERNELS_H
#define MACHINES_GOLDEN_LINK_PTX_KERNELS_H

#include "machines/machine.h"
#include "portable/portable.h"

extern const struct machine_form golden_ptx_form;

/* What any machine's form for PTX has: its entries, what they share, files. */
bool ptx_kernels_declare(const char *text, size_t size, struct machine_entries *out,
                         struct machine_kernel_fault *fault);
bool ptx_kernels_data(const struct machine_library *library, const struct module_decl *module,
                      struct str *out, struct str *addresses, struct machine_kernel_fault *fault);
/* A fault of PTX as one of a kernel; frees its text. */
void ptx_kernels_fault(struct portable_fault *from, struct machine_kernel_fault *to);

#endif

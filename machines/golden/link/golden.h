/* SPDX-License-Identifier: MIT
 * Golden at link time: it carries out every instruction of the ISA, and those that a program
 * declares by their contracts, in host arithmetic; there is nothing to place and nothing to load.
 */
#ifndef MACHINES_GOLDEN_LINK_GOLDEN_H
#define MACHINES_GOLDEN_LINK_GOLDEN_H

#include "machines/machine.h"

extern const struct target_kind golden_target_kind;
extern const struct machine golden_machine;

/* Portable forms (portable/) as forms of kernels of target golden, NULL at the end: each has the
 * name of one, and what GOLDEN_FORM says.  portable_forms.c. */
extern const struct machine_form *const golden_forms[];
#define GOLDEN_FORM(form)                                                                          \
    {                                                                                              \
        .name = form, .whole = true,                                                               \
        .takes = TAKES_GRID | TAKES_BLOCK | TAKES_BYTES | TAKES_UNITS, .declare = golden_declare,  \
        .compile = golden_compile_kernel, .print = golden_print_kernel                             \
    }
/* Texts with several kernels of a portable form, as machines/stored/link/module.c reads them; they
 * share no data. */
bool golden_declare(const char *text, size_t size, struct machine_entries *out,
                    struct machine_kernel_fault *fault);
/* The kernel as its form reads it: with a text of its own, that of its entry, each line where it
 * stood; in *own if it is not the kernel's.  Of a form that reads modules the kernel as it is. */
struct kernel_decl golden_own_text(const struct kernel_decl *kernel, struct str *own);
bool golden_compile_kernel(const struct machine_library *library,
                           const struct machine_launches *program, const struct kernel_decl *kernel,
                           struct machine_kernel *out, struct machine_kernel_fault *fault);
void golden_print_kernel(const struct machine_library *library, const void *code, size_t size,
                         const struct machine_lines *lines, struct str *out);

#endif

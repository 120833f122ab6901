/* SPDX-License-Identifier: MIT
 * Files whose text declares kernels: programs that launch some of them, one after another, and
 * end. */
#ifndef EZPIM_LAUNCH_FILE_H
#define EZPIM_LAUNCH_FILE_H

#include "asm/asm.h"
#include "object/object.h"
#include "support/diag.h"

/* What is launched, and what is known of the buffers. */
struct driver_launches {
    const char *const *launches; /* [launch_count]: "k<<<n / 16, 16>>>(x, y, n)" */
    size_t launch_count;
    const char *const *buffers; /* [buffer_count]: "y: f32[n]" */
    size_t buffer_count;
    const char *const *inputs; /* [input_count]: names of buffers that get data */
    size_t input_count;
    /* Names in launches that stand for numbers (-D). */
    const struct asm_define *defines; /* [define_count] */
    size_t define_count;
    bool parts; /* without launches: an object of the kernels, which others launch */
};

/* Whether texts of that suffix declare kernels. */
bool driver_declares_kernels(const char *suffix);
/* The program around a text of such a suffix.  Names in formulas are sizes of it; a buffer that
 * nobody declares has the type of its parameter and one dimension, the size "NAME.length".  NULL
 * after reporting. */
struct object *driver_launch_program(const char *name, const char *suffix, const char *text,
                                     size_t size, const struct driver_launches *launches,
                                     struct diag *diag);
/* The same of an object that was made so without launches.  Frees it. */
struct object *driver_launch_object(const char *name, struct object *object,
                                    const struct driver_launches *launches, struct diag *diag);
/* Reports that nothing launches the object's kernels, and that launches are given with a program.
 */
void driver_report_kernels(const char *name, const struct object *object, struct diag *diag);
void driver_report_launches(const char *name, struct diag *diag);

#endif

/* SPDX-License-Identifier: MIT
 * What mpu-objdump shows of a program's packages. */
#ifndef TOOLS_MPU_OBJDUMP_PACKAGES_H
#define TOOLS_MPU_OBJDUMP_PACKAGES_H

#include "tools/mpu-objdump/objdump_options.h"

/* What lies where for the targets of o->targets (open), and with o->recipes the recipes of these,
 * or if there is no --target those of the packages in the file.  Appends; EXIT_DONE, or another
 * code after reporting. */
enum exit_code objdump_packages_show(const struct objdump_options *options, struct object *program,
                                     struct str *out);

/* ---- pipelines.c ---- */
/* Of a program that is a pipeline, bytes[size], for the targets of options->targets (open): plans,
 * and with --recipes the code of its kernels.  Likewise. */
enum exit_code objdump_pipeline_show(const struct objdump_options *options, const char *name,
                                     const struct object *object, const char *bytes, size_t size,
                                     struct str *out);

#endif

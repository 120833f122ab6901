/* SPDX-License-Identifier: MIT
 * What mpu-objdump shows of a program's packages. */
#ifndef TOOLS_MPU_OBJDUMP_PACKAGES_H
#define TOOLS_MPU_OBJDUMP_PACKAGES_H

#include "linker/linker.h"
#include "tools/mpu-objdump/objdump_options.h"

#include <mpu/mpu.h>

/* What lies where for the targets of o->targets (open), and with o->recipes the recipes of these,
 * or if there is no --target those of the packages in the file.  Appends; EXIT_DONE, or another
 * code after reporting. */
enum exit_code objdump_packages_show(const struct objdump_options *options, struct object *program,
                                     struct str *out);

/* The text and the package of target number `target` of options->targets.  EXIT_DONE, or another
 * code after reporting; closed either way. */
struct package_view {
    struct object *text;
    struct package *package; /* NULL: there is none */
    const struct machine_library *library;
    struct program_library own;
    bool open;
};
enum exit_code objdump_package_open(const struct objdump_options *options,
                                    const struct object *program, size_t target,
                                    struct package_view *out);
void objdump_package_close(struct package_view *view);

/* ---- html.c ---- */
/* All of a linked program, bytes[size], for the targets of options->targets (open) as one page.
 * Likewise. */
enum exit_code objdump_html_show(const struct objdump_options *options, const char *name,
                                 const struct object *object, const char *bytes, size_t size,
                                 struct str *out);

/* ---- pipelines.c ---- */
/* A message of libmpu as one of the tool; the context is its objdump_options. */
void objdump_print_message(void *options, const mpu_message *message);
/* The exit code of what failed, which has been reported; releases it. */
enum exit_code objdump_failed(mpu_error *error);
/* Of a program that is a pipeline, bytes[size], for the targets of options->targets (open): plans,
 * and with --recipes the code of its kernels.  Likewise. */
enum exit_code objdump_pipeline_show(const struct objdump_options *options, const char *name,
                                     const struct object *object, const char *bytes, size_t size,
                                     struct str *out);

#endif

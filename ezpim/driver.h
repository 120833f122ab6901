/* SPDX-License-Identifier: MIT
 * One way from any source file to a linked program: used by the tools ezpim and mpu-run. */
#ifndef EZPIM_DRIVER_H
#define EZPIM_DRIVER_H

#include "asm/asm.h"
#include "ezpim/erc/erc.h"
#include "ezpim/ezpim.h"
#include "ezpim/launch_file.h"

/* A source in memory, which stands for the file of that name. */
struct driver_text {
    const char *path;
    const char *bytes; /* [size] */
    size_t size;
};

struct driver_options {
    struct ez_options ez;
    struct asm_options as;
    struct erc_options erc;
    const char *language; /* -x: "ez", "s", "erc", "rc", NULL = by suffix */
    const char *entry;
    struct driver_launches launches; /* of files whose texts declare kernels */
    bool parts; /* of driver_link: the result is an object with all that others may call */
    const struct driver_text *texts; /* [text_count]; others are read from files */
    size_t text_count;
    struct file_uses *files; /* every file that is read is added when not NULL */
    /* Called, unless NULL, for each file of `size` bytes that was read, with the object that was
     * made of it, if one was. */
    void (*loaded)(void *context, const char *path, const struct object *o, size_t size);
    void *context;
};

/* What -D says: NAME, which is 1, or NAME=NUMBER, an integer or a decimal.  The name is in the
 * arena. */
bool driver_define(const char *text, struct arena *arena, struct asm_define *out);
/* Whether -x takes the name. */
bool driver_language(const char *name);
/* Front end by suffix: .ez, .s, .erc, .rc; .o and .mpu are read.  *io_error is set (and reported)
 * when the file could not be read.  NULL after reporting. */
struct object *driver_load(const char *path, const struct driver_options *options,
                           struct diag *diag, bool *io_error);
/* Whether these inputs are one object: one file, or .ez files, which are one program. */
bool driver_is_one(const char *const *paths, size_t count, const struct driver_options *options);
/* Whether a file of that name is a text that declares kernels. */
bool driver_is_kernels(const char *path, const struct driver_options *options);
/* driver_load of such inputs. */
struct object *driver_load_all(const char *const *paths, size_t count,
                               const struct driver_options *options, struct diag *diag,
                               bool *io_error);
/* driver_load of each, but of several .ez files together as one program, and link; one .mpu alone
 * is returned as it is.  Of several .erc and .rc files MPU 0 runs the first, MPU 1 the second, and
 * so on. */
struct object *driver_link(const char *const *paths, size_t count,
                           const struct driver_options *options, struct diag *diag, bool *io_error);

#endif

/* SPDX-License-Identifier: MIT
 * The files that a command reads and writes: what it read, for who writes dependencies, and that no
 * output is an input or another output. */
#ifndef SUPPORT_FILE_USE_H
#define SUPPORT_FILE_USE_H

#include "support/arena.h"
#include "support/diag.h"
#include "support/vec.h"

struct file_use {
    const char *path; /* "-" is standard input, or output */
    const char *role; /* of an output: the option that names it, NULL: none did; of a file of
                         options "@", of other inputs NULL */
    bool written;
};

/* All zero is empty. */
struct file_uses {
    struct arena arena;
    VEC(struct file_use)
    list; /* in the order of use, each file that is read once by its spelling */
};

/* Texts are copied.  Without a list (NULL) nothing is kept. */
void file_uses_read(struct file_uses *uses, const char *path);
/* A file of options, which is nothing that an output is made of. */
void file_uses_read_options(struct file_uses *uses, const char *path);
void file_uses_write(struct file_uses *uses, const char *path, const char *role);
/* True if no output is an input, nor another output; else reports the first that is.  A file is
 * known by device and inode, and one that is not there yet by its folder and its name, so that
 * spelling and links do not matter.  Devices and pipes may have several uses, and standard output
 * may be named several times.  To be asked before the first output is written. */
bool file_uses_check(const struct file_uses *uses, struct diag *diag);
/* The same file, there or not. */
bool file_is_same(const char *one, const char *other);
void file_uses_free(struct file_uses *uses);

#endif

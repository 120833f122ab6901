/* SPDX-License-Identifier: MIT
 * Programs, and what they are made from. */
#ifndef RUNTIME_PROGRAM_H
#define RUNTIME_PROGRAM_H

#include "ezpim/driver.h"
#include "runtime/public.h"

/* The program as it is on targets that have no room for the text that all others get. */
struct program_variant {
    const char *target; /* its name, of texts; NULL: an own text of the object, on targets where
                           that has room */
    struct mpu_program *program;
};
struct mpu_program {
    struct object *object; /* of parts: not linked */
    bool borrowed;         /* the object is an own text of another one's */
    bool parts;            /* mpu_source_set_parts */
    char *name;            /* as given */
    char sha256[65];
    struct arena texts;          /* what functions about variables and sizes return */
    const char **variable_types; /* [object.vars.len + object.values.len] */
    const char **buffer_types;   /* [object.buffers.len] */
    const char **formulas;       /* [object.sizes.len], NULL: given */
    VEC(struct program_variant) variants;
};

/* What a program is made from. */
struct source_file {
    const char *path;
    char *bytes; /* NULL: of a file */
    size_t size;
};
struct source_shape {
    const char *parameter;
    const char *data; /* NULL: the shape stands here */
    struct ndarray like;
};
struct mpu_source {
    bool broken; /* PUBLIC_ENTRY_OF */
    mpu_messages *messages;
    struct arena arena; /* names and texts */
    VEC(struct source_file) files;
    VEC(struct asm_define) defines;
    VEC(struct source_shape) shapes;
    VEC(const char *) launches;   /* mpu_source_add_launch */
    VEC(const char *) buffers;    /* mpu_source_add_buffer */
    VEC(const char *) targets;    /* that it may get a text of its own for */
    bool spill;                   /* -fspill */
    bool keeps;                   /* mpu_source_use_cache */
    const char *language, *entry; /* or NULL */
    bool parts;                   /* mpu_source_set_parts */
    struct file_uses used;        /* the files of the latest mpu_source_build */
};

/* ---- program.c ---- */
/* Builds a program from inputs of any kind that the driver takes; it is named after the first. */
mpu_result program_build_diag(mpu_source *source, struct diag *diag, mpu_program **out);
mpu_result program_file_diag(const char *path, struct diag *diag, mpu_program **out);

/* What runs on the target: the program, or its variant there. */
const mpu_program *program_on(const mpu_program *program, const mpu_target *target);

/* ---- program_texts.c ---- */
/* Fills texts, variable_types, buffer_types and formulas of a program whose object is there. */
void program_list(mpu_program *program);

/* ---- program_defines.c ---- */
/* Constants of a source: those that were defined, and for a kernel in Python those that follow from
 * shapes. */
struct program_defines {
    VEC(struct asm_define) items;
    struct arena arena;
};
/* Fills an empty list, which program_defines_free releases after failures, too.  `options`: those
 * that the source is compiled with, but for the constants. */
mpu_result program_defines_find(const mpu_source *source, const struct driver_options *options,
                                struct program_defines *list, struct diag *diag);
void program_defines_free(struct program_defines *list);

#endif

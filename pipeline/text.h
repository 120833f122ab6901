/* SPDX-License-Identifier: MIT
 * A pipeline as a text, form `pipeline` of kernels (docs/dappa.md): items of stage kernels, whose
 * stages are planned as those of the other front ends are.  Its parameters are the buffers that the
 * text names, and numbers. */
#ifndef PIPELINE_TEXT_H
#define PIPELINE_TEXT_H

#include "pipeline/pipeline.h"
#include "portable/portable.h"

#define PIPELINE_FORM OBJECT_PIPELINE_FORM

/* A piece of the text; `text` NULL: it is not there. */
struct pipeline_piece {
    const char *text;
    size_t at; /* its first byte */
};
/* `whole` and `acc` are SCALAR and REDUCE_OUT. */
struct pipeline_named {
    enum pipeline_role role;
    struct pipeline_piece array, as, tail, from, extent, init;
};
struct pipeline_written {
    enum pipeline_pattern pattern;
    size_t at;
    struct pipeline_piece window, group, count, body, other, combine;
    VEC(struct pipeline_named) parameters;
};
/* An array between stages. */
struct pipeline_local {
    struct pipeline_piece name;
    struct lane_type type;
    char key; /* its address is the array's */
};
struct pipeline_text {
    struct arena arena;
    const struct kernel_decl *decl;
    const char *bytes; /* with a NUL behind them */
    struct pipeline_piece length, units, cpu_elements, mram_bytes, constants;
    bool full, no_fuse;
    VEC(struct pipeline_local) arrays;
    VEC(struct pipeline_written) stages;
};

/* What a parameter of the kernel is given. */
struct pipeline_given {
    bool known;      /* of a number: its value; of a buffer: elements.  Else nothing is checked */
    uint64_t number; /* a pattern of its type */
    void *data;      /* of a buffer: each has its own */
    uint64_t elements;
    uint8_t direction; /* VAR_IN | VAR_OUT */
};
/* How many elements a filter has kept goes into a buffer. */
struct pipeline_kept_count {
    uint32_t parameter; /* of the kernel */
    const void *key;    /* of what is kept */
    uint32_t group;     /* its elements in one unit */
};

/* ---- text_read.c ---- */
/* NULL with *fault set.  `decl` stays. */
struct pipeline_text *pipeline_text_read(const struct kernel_decl *decl,
                                         struct portable_fault *fault);
void pipeline_text_free(struct pipeline_text *text); /* NULL: nothing */
/* Sets *fault, with the line and column of a byte of the text; false. */
bool pipeline_text_wrong(const struct pipeline_text *text, size_t at, struct portable_fault *fault,
                         const char *format, ...) __attribute__((format(printf, 4, 5)));

/* ---- text_values.c ---- */
/* A number of the text, or that of a parameter; 0 where it is not known. */
bool pipeline_text_number(const struct pipeline_text *text, const struct pipeline_given *given,
                          const struct pipeline_piece *piece, const char *what, uint64_t most,
                          uint64_t *value, struct portable_fault *fault);
/* [count] what `count` asks for; in the text's arena. */
struct pipeline_kept_count *pipeline_text_counts(struct pipeline_text *text,
                                                 const struct pipeline_given *given, size_t *count);
/* What an accumulator begins with, `= e`: its pattern in *value and true, of parameter number i
 * that is no stage's accumulator, or has none, false. */
bool pipeline_text_begins(struct pipeline_text *text, const struct pipeline_given *given,
                          uint32_t parameter, uint64_t *value);

/* ---- text_stages.c ---- */
/* Adds all stages to a pipeline of the text's length, whose `full` and `every_one` are set, and
 * fetches what buffers take out.  given: [parameters of the kernel]; `file` is where the text
 * stands, its first line `first_line` (NULL: nobody knows). */
bool pipeline_text_add(struct pipeline_text *text, const struct pipeline_given *given,
                       const char *file, uint32_t first_line, struct pipeline *to,
                       struct portable_fault *fault);

/* ---- text_form.c ---- */
/* Golden reads such kernels; the host carries them out. */
extern const struct portable_form pipeline_form;

#endif

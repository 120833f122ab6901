/* SPDX-License-Identifier: MIT
 * The ezpim language: source text to object (docs/ezpim.md). */
#ifndef EZPIM_EZPIM_H
#define EZPIM_EZPIM_H

#include "asm/asm.h"
#include "object/object.h"

/* LAYOUT: where arrays lie, and what is moved.  SIGNATURE, of kernels in Python: parameters and
 * results, as JSON. */
/* Partitions of an array of which nobody says how many it has, as the linker's messages say too. */
enum { EZ_USUAL_PARTITIONS = 32 };

#define EZ_ALL_TARGETS UINT32_MAX

enum ez_emit { EZ_EMIT_NONE, EZ_EMIT_AST, EZ_EMIT_IR, EZ_EMIT_LAYOUT, EZ_EMIT_SIGNATURE };

struct ez_options {
    int optimize;  /* 0..2 */
    bool debug;    /* -g: the line table is written with the object */
    bool no_fuse;  /* --no-fuse: each stage of a pipeline is a launch of its own */
    bool spill;    /* -fspill: what has no register gets VRFs of its own */
    bool products; /* -fproducts: MULP where operands or results have fewer bits */
    uint32_t rows; /* of a lane for registers; 0: what every built-in target has */
    /* Of a lane for registers, each of `sections` bits of one; 0: no number. */
    uint32_t columns, sections;
    const char *target; /* a built-in one: there is room on that, or an error; NULL: where the lanes
                           of built-in targets have rows for bits, there is if it can be */
    uint32_t targets; /* the same of several: bit i, the i-th of rows_left (code/rows.h); 0: none */
    uint32_t own_texts;   /* of these targets, bits likewise: those without room for the text get
                             texts of their own; EZ_ALL_TARGETS: all built-in ones */
    uint64_t *spill_work; /* or NULL: what was looked at for variables that lie elsewhere is added,
                             variables times steps: below 2^32, however large the program */
    bool parts;           /* a program without `main` is an object with subroutines for others */
    bool tight;           /* for tests: as few rows as may be, however many there are */
    /* With spill, for tests: registers that variables get at first, 1 to 64; 0: as is best. */
    unsigned registers;
    /* With registers: bodies are split into ensembles, too, by enum ir_split_how. */
    unsigned split;
    const char *entry; /* of a kernel in Python: the function that is compiled; NULL: the one that
                          no other calls */
    enum ez_emit emit; /* text of that form appended to *emit_text */
    struct str *emit_text;
    /* -D: constants; they win over `const` declarations of the same name. */
    const char *const *include_dirs; /* [include_count]: searched after the file's own folder */
    size_t include_count;
    const struct asm_define *defines;
    size_t define_count;
    struct file_uses *files; /* what is included is added when not NULL */
};

struct ez_source {
    const char *name, *text; /* text[size]; the name is for messages */
    size_t size;
};
/* Compiles sources[0..count) as one program: the declarations of all of them in this order, as if
 * they stood in one file.  A source that another includes is read once.  NULL as below. */
struct object *ez_compile_all(const struct ez_source *sources, size_t count,
                              const struct ez_options *options, struct diag *diag);
/* Compiles text[0..size), named `name` in messages.  NULL after errors were reported (or when
 * emit stops before code). */
struct object *ez_compile(const char *name, const char *text, size_t size,
                          const struct ez_options *options, struct diag *diag);

struct ir_builder;
/* Puts the code of a subroutine of the library in: `function` of struct ir_builder (ir/build.h). */
uint32_t ez_library_call(struct ir_builder *builder, const char *file, const char *name,
                         const uint32_t *values, uint32_t dst, struct span at);

#endif

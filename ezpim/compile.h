/* SPDX-License-Identifier: MIT
 * From a program that a front end makes to an object: the order of the passes, and what is tried
 * when registers or rows do not do.  The front end makes the program anew for each attempt. */
#ifndef EZPIM_COMPILE_H
#define EZPIM_COMPILE_H

#include "ezpim/ezpim.h"
#include "ezpim/ir/ir.h"

/* How the front end makes the program: what takes fewer registers takes more time. */
struct compile_lowering {
    int level;      /* -O */
    bool separate;  /* statements of main are ensembles of their own */
    bool put_in;    /* larger subroutines are put in where they are called: a call passes what it
                       takes and gives in registers of its own */
    uint8_t folded; /* reductions of a run that are folded together, at most */
};

/* A variable of which no more than the low `bits` are ever set; bits 0: none. */
struct compile_narrow {
    uint32_t variable;
    uint8_t bits;
};

/* What messages say in the language of the front end. */
struct compile_words {
    const char *consumed; /* how to say that an input may be consumed */
    const char *narrower; /* what helps where rows are missing */
    const char *spill;    /* and that -fspill does; where it is not an option, "" */
    const char *no_spill; /* why -fspill did not help */
};

struct compile_front {
    void *context;
    /* Fills p (zeroed; its arena set); equal for equal `how`. */
    void (*lower)(void *context, struct compile_lowering how, struct ir_program *p);
    struct arena *arena;
    struct span at; /* where the program begins */
    struct compile_words words;
    bool roomy; /* results have registers of their own, as long as there are rows (ir_options) */
    /* Variables are vectors that outlive the program (docs/arrays.md): they keep their widths,
     * inputs their registers, and no text says what is lacking. */
    bool resident;
    /* Keeps its width, too, and counts as what it has where other machines should have room. */
    struct compile_narrow narrow;
    bool spills; /* variables may lie in VRFs of their own without -fspill: -Wmoves */
    const struct user_file *recipes; /* [recipe_count]: files that the program names */
    size_t recipe_count;
};

/* The object; NULL after reporting what is lacking, or when its text was asked for
 * (EZ_EMIT_IR, EZ_EMIT_LAYOUT). */
struct object *compile_program(const struct compile_front *front, const struct ez_options *options,
                               struct diag *diag);

#endif

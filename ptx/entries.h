/* SPDX-License-Identifier: MIT
 * Entries of a module as kernels: their names and parameters. */
#ifndef PTX_ENTRIES_H
#define PTX_ENTRIES_H

#include "ptx/ptx.h"

struct ptx_entry {
    const char *name; /* as people call it: "axpy"; the symbol where two would have the same */
    const char *const *also; /* its other names, NULL behind the last: symbol, those of C++ */
    uint32_t function;
    const struct kernel_parameter *parameters; /* [parameter_count] */
    uint32_t parameter_count;
    uint32_t line;
};
struct ptx_entries {
    struct arena arena; /* all that they point to */
    VEC(struct ptx_entry) list;
};
/* False with *fault set.  Freed by ptx_entries_free in any case. */
bool ptx_entries_read(const struct ptx_module *module, struct ptx_entries *out,
                      struct portable_fault *fault);
void ptx_entries_free(struct ptx_entries *entries);

/* The entry that is meant by a name: its symbol, the name without what C++ adds, or with its
 * parameters as C++ writes them.  PTX_NONE with *fault set: none is, or several. */
uint32_t ptx_entry_find(const struct ptx_module *module, const char *name,
                        struct portable_fault *fault);

/* ---- pointers.c: what is done with a parameter ---- */
struct ptx_use {
    bool pointer;       /* something lies at it */
    enum ptx_type type; /* as which it is read or written first; PTX_NO_TYPE: it is not */
};
/* [parameter_count] */
void ptx_find_pointers(const struct ptx_module *module, const struct ptx_function *entry,
                       struct ptx_use *uses);

/* ---- names.c: names of C++ ---- */
struct ptx_named {
    const char *name;      /* "axpy", in the arena */
    const char *qualified; /* "blas::axpy<float>" */
    const char *text;      /* "axpy(float*, float const*, float, int)" */
    const char *whole;     /* of a template with its result: "void axpy<float>(float*)"; or NULL */
    struct {
        bool pointer, constant; /* of what it points to */
        struct lane_type type;  /* bits 0: none that arrays have */
    } parameter[KERNEL_MAX_PARAMETERS];
    uint32_t parameter_count;
};
/* False: it is no such name, or one that is not understood. */
bool ptx_name_read(const char *symbol, struct arena *arena, struct ptx_named *out);

#endif

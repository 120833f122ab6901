/* SPDX-License-Identifier: MIT
 * Forms of kernels whose text says what is computed and not on which machine: golden carries them
 * out by a scalar interpreter, and what machines make of them is checked against it.  A form knows
 * no machine; it stands in a folder of its own, and in portable_list. */
#ifndef PORTABLE_PORTABLE_H
#define PORTABLE_PORTABLE_H

#include "object/object.h"
#include "support/str.h"

/* What is wrong, and the line of the text, from 1; 0: in no line.  The column, from 1; 0: not
 * known. */
struct portable_fault {
    struct str what;
    uint32_t line, column;
};

/* How a thread touches bytes of memory. */
enum {
    PORTABLE_READS,
    PORTABLE_WRITES,    /* and may have read them */
    PORTABLE_UNSETTLED, /* writes what depends on the order of threads */
    /* From here on: changes them so that they hold the same whichever thread comes first, as long
     * as all do it in the way of that number. */
    PORTABLE_COMMUTES,
};

/* What a kernel is called with. */
struct portable_launch {
    /* [parameter_bytes]: they lie as struct kernel_parameter says, little-endian; a buffer is the
     * address of its first byte. */
    const unsigned char *parameters;
    size_t parameter_bytes;
    uint64_t shared; /* address of what the entries of its module share; 0: nothing */
    /* As the program says; 0: nothing, and any will do. */
    uint32_t grid[LAUNCH_DIMS], block[LAUNCH_DIMS];
    uint64_t bytes;
    bool descending; /* the last thread first, and so on (portable_form.ordered) */
    /* The bytes at an address, which a thread touches at that line of the text, how says `access`;
     * NULL: no array has all of them. */
    unsigned char *(*at)(void *context, uint64_t address, uint64_t size, uint32_t access,
                         uint64_t thread, uint32_t line);
    /* Asked now and then with the steps since the beginning; false: it is to stop. */
    bool (*go_on)(void *context, uint64_t steps);
    void *context;
};

struct portable_kernel;
struct portable_form {
    const char *name;
    /* Its threads have an order that the text does not settle: they are carried out one after
     * another, the first one first, or the last. */
    bool ordered;
    /* What it reads is the text of a module, and the name of an entry of it (struct kernel_decl);
     * else the entry's own text. */
    bool modules;
    /* Of a form whose threads are: nothing of this kernel depends on it.  NULL: any may. */
    bool (*is_settled)(const struct portable_kernel *kernel);
    /* A kernel made ready; NULL with *fault set. */
    struct portable_kernel *(*read)(const struct kernel_decl *kernel, struct portable_fault *fault);
    void (*free)(struct portable_kernel *kernel);
    /* Whole, or false with *fault set; nothing is set where go_on said so. */
    bool (*run)(const struct portable_kernel *kernel, const struct portable_launch *launch,
                struct portable_fault *fault);
};

/* All of them, NULL at the end (machines/golden/link/portable_forms.c). */
extern const struct portable_form *const portable_list[];
/* NULL: no form of that name has an interpreter. */
const struct portable_form *portable_find(const char *name);

#endif

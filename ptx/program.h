/* SPDX-License-Identifier: MIT
 * A kernel made ready: its entry and all functions that it calls as one list of steps, with the
 * places of registers and variables.  Nothing calls itself, so that each function has its registers
 * and variables once in a thread. */
#ifndef PTX_PROGRAM_H
#define PTX_PROGRAM_H

#include "ptx/ptx.h"

/* Windows of generic addresses: what lies there is a place of that space.  Below lies memory. */
#define PTX_WINDOW_BYTES  ((uint64_t)1 << 40)
#define PTX_SHARED_WINDOW (1 * PTX_WINDOW_BYTES)
#define PTX_LOCAL_WINDOW  (2 * PTX_WINDOW_BYTES)
#define PTX_PARAM_WINDOW  (3 * PTX_WINDOW_BYTES)
/* 0 for spaces whose addresses are generic ones. */
uint64_t ptx_window(enum ptx_space space);
/* The space of a generic address, which becomes one of that space. */
enum ptx_space ptx_space_of(uint64_t *address);

#define PTX_MAX_THREADS 1024 /* of a block */
#define PTX_WARP        32
#define PTX_MAX_SLOTS   65536u                /* registers of a thread */
#define PTX_MAX_LOCAL   ((uint64_t)512 << 10) /* bytes of a thread */
#define PTX_MAX_SHARED  ((uint64_t)16 << 20)  /* bytes of a block */
#define PTX_DATA_BYTES  ((uint64_t)1 << 30)   /* of a module */
#define PTX_MAX_RESULTS 4

enum ptx_source_kind {
    PTX_FROM_SLOT,    /* a register: number of the slot */
    PTX_FROM_NUMBER,  /* this number */
    PTX_FROM_DATA,    /* this far behind the module's data */
    PTX_FROM_SPECIAL, /* enum ptx_special */
};
struct ptx_source {
    enum ptx_source_kind kind;
    uint8_t bits; /* of the operand's type, at most the register's */
    bool negated; /* a predicate */
    uint64_t number;
};
struct ptx_result {
    uint32_t slot; /* PTX_NONE: nobody wants it */
    uint8_t bits;  /* of the register */
};
struct ptx_copy { /* of a parameter or result, at a call */
    uint64_t from, to, bytes;
};

struct ptx_step {
    const struct ptx_insn *insn; /* NULL: the return behind a body's end */
    enum ptx_op op;
    uint32_t guard; /* slot; PTX_NONE: always */
    bool guard_not;
    uint8_t source_count, result_count;
    uint16_t function; /* that it stands in: of the program's */
    struct ptx_source source[5];
    struct ptx_result result[PTX_MAX_RESULTS];
    struct ptx_result second;      /* of d|p */
    bool wanted;                   /* of atom: some step reads the result */
    uint64_t added;                /* to the address */
    enum ptx_space space;          /* of the address */
    uint8_t address_bits;          /* of the register; sums wrap there */
    uint32_t target;               /* step: of a branch, a call */
    uint16_t callee;               /* of a call */
    const struct ptx_copy *copies; /* [copy_count]: arguments when it is called, */
    uint32_t copy_count;
    const struct ptx_copy *returned; /* [returned_count]: results when it comes back */
    uint32_t returned_count;
};

struct ptx_part { /* a function of the program */
    uint32_t function, first_step, first_slot;
};

struct ptx_program {
    const struct ptx_module *module;
    uint32_t entry;
    struct arena arena;
    VEC(struct ptx_part) parts; /* the entry first */
    VEC(struct ptx_step) steps;
    uint64_t *offsets; /* [variables of the module]: in their spaces */
    uint32_t slots;
    uint64_t parameter_bytes;           /* of the kernel: the first of .param */
    uint64_t param_bytes;               /* of .param, the kernel's first */
    uint64_t local_bytes, shared_bytes; /* without the launch's own */
    uint64_t shared_align;              /* of what is behind them */
};

/* NULL with *fault set.  The module stays the caller's. */
struct ptx_program *ptx_program_new(const struct ptx_module *module, uint32_t entry,
                                    struct portable_fault *fault);
void ptx_program_free(struct ptx_program *program);

/* ---- data.c: .global and .const, one behind the other, as the module says ---- */

/* Their places; *bytes of all. */
void ptx_data_offsets(const struct ptx_module *module, uint64_t *offsets, uint64_t *bytes);
/* As they are at first, appended; places of words to which the address of the first is added are
 * appended to *addresses, uint64_t each.  False with *fault set. */
bool ptx_data(const struct ptx_module *module, struct str *out, struct str *addresses,
              struct portable_fault *fault);

#endif

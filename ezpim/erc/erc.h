/* SPDX-License-Identifier: MIT
 * Import of programs of the published MPU simulator (MASTODON, its language .erc and its assembly
 * .rc): source text to object.  docs/import.md says what is accepted and how it is translated. */
#ifndef EZPIM_ERC_ERC_H
#define EZPIM_ERC_ERC_H

#include "asm/asm.h"
#include "object/object.h"

#define ERC_DEFAULT_WIDTH 64
#define ERC_DEFAULT_RFHS  8
#define ERC_MAX_RFHS      4096 /* what the fields of COMPUTE and MOVE hold */

struct erc_options {
    unsigned width; /* bits of a word, 1..64; 0: ERC_DEFAULT_WIDTH */
    unsigned rfhs;  /* RFHs of an MPU, 1..ERC_MAX_RFHS; 0: ERC_DEFAULT_RFHS */
    bool assembly;  /* the text is .rc: instructions and labels only */
    bool debug;     /* -g: the line table is written with the object */
    /* The MPU that runs the text, if several texts make one program; else it has no entry. */
    bool has_mpu;
    uint32_t mpu;
    /* Registers that messages of all texts of the program write, bit r; unless it is known, any. */
    bool knows_sent;
    uint64_t sent;
    const struct asm_define *defines; /* -D: they win over #define */
    size_t define_count;
};

/* Compiles text[0..size), named `name` in messages.  NULL after errors were reported. */
struct object *erc_compile(const char *name, const char *text, size_t size,
                           const struct erc_options *options, struct diag *diag);
/* Registers that messages of the text write in other MPUs, bit r; all, and nothing is reported,
 * where it cannot be read. */
uint64_t erc_sent(const char *text, size_t size, const struct erc_options *options);

#endif

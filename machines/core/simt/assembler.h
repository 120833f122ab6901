/* SPDX-License-Identifier: MIT
 * Reading code as text: assemble_operands.c has words and operands, assemble.c the rest. */
#ifndef MACHINES_CORE_SIMT_ASSEMBLER_H
#define MACHINES_CORE_SIMT_ASSEMBLER_H

#include "machines/core/simt/words.h"
#include "ptx/words.h"

struct simt_as_label {
    const char *name;
    uint32_t insn, line;
};
struct simt_assembler {
    struct simt_kernel *k;
    struct ptx_words w;
    struct portable_fault *fault;
    VEC(struct simt_insn) insns;
    VEC(struct simt_line) lines;
    VEC(uint32_t) text_lines;             /* of the insns */
    VEC(struct simt_as_label) labels;     /* that stand there */
    VEC(struct simt_as_label) wanted;     /* by branches: insn, PTX_NONE for none: targets, then */
    VEC(struct simt_as_label) reconverge; /* where lanes meet */
    VEC(struct simt_parameter) parameters;
    VEC(const char *) files, functions;
    struct simt_line line; /* of the next instruction */
};

enum simt_as_written { IS_REGISTER, IS_PREDICATE, IS_NUMBER, IS_SPECIAL, IS_LABEL };
struct simt_as_operand {
    enum simt_as_written is;
    uint8_t number; /* of the register, or enum ptx_special */
    bool negated, minus, narrow;
    uint64_t value;
    struct ptx_word at;
    uint8_t group; /* which operand of the text it is a part of */
};
#define SIMT_AS_MOST 12
struct simt_as_operands {
    struct simt_as_operand list[SIMT_AS_MOST];
    uint32_t count, groups;
    uint32_t parts[SIMT_AS_MOST]; /* of each group */
    uint8_t second;               /* d|p */
    bool address;                 /* one is in [ ] */
    uint8_t address_bits;
    int64_t offset;
};

/* Always false; the first fault counts. */
bool simt_as_wrong(struct simt_assembler *a, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool simt_as_unexpected(struct simt_assembler *a, const char *wanted);
bool simt_as_is(const struct simt_assembler *a, const char *text);
bool simt_as_accept(struct simt_assembler *a, const char *text);
bool simt_as_expect(struct simt_assembler *a, const char *text);
bool simt_as_number(struct simt_assembler *a, uint32_t *number);
bool simt_as_string(struct simt_assembler *a, const char **text); /* what str_quote wrote */
/* R4, RZ, P3, PT, %tid.x; else a label. */
void simt_as_name(struct simt_assembler *a, struct simt_as_operand *o);
/* Those of an instruction in that line. */
bool simt_as_operands(struct simt_assembler *a, uint32_t line, struct simt_as_operands *all);

#endif

/* SPDX-License-Identifier: MIT
 * What the files of the assembler share.  The text is read twice: the first time places labels,
 * which needs no values since each instruction is one word; the second time everything has its
 * value. */
#ifndef MACHINES_CORE_DPU_ASSEMBLY_H
#define MACHINES_CORE_DPU_ASSEMBLY_H

#include "machines/core/dpu/dpu.h"
#include "support/map.h"

/* A section while it is assembled. */
struct dpu_as_section {
    char *name;
    enum dpu_space space;
    bool zeros;  /* it has no bytes in the file */
    bool placed; /* its text says where it lies */
    uint32_t align;
    uint64_t at;   /* bytes so far; of code: instructions */
    uint32_t size; /* of the first reading */
    uint64_t base; /* its address, of code 0, of atomic bits the first one's number */
    struct str bytes;
};
/* A symbol; known from where it is defined on, in the second reading everywhere. */
struct dpu_as_symbol {
    const char *name; /* the key of the map */
    bool defined, redefined, global, function, object;
    uint8_t reading; /* in which it was defined last: 1 or 2 */
    int32_t section; /* -1: a number */
    int64_t value;   /* in the section */
    uint32_t size;
};
/* A file that is read, without its comments. */
struct dpu_as_file {
    char *name, *text;
    size_t size;
    uint32_t source;
    uint32_t counted, lines; /* line ends before text[counted] */
};
struct dpu_as_macro {
    char *names[64], *initial[64]; /* [count]; initial NULL: it has to be given */
    size_t count, size;
    char *body;
};
struct dpu_as_condition {
    bool taken, active, in_else;
    struct span at;
};
struct dpu_as_expansion;
struct dpu_assembly {
    struct diag *d;
    const struct machine_text_options *options; /* NULL: no files are included */
    uint32_t source;
    const char *text, *at, *end; /* the statement being read */
    bool second;
    VEC(struct dpu_as_section) sections;
    uint32_t section;   /* the one that is written */
    bool left_out;      /* what is read belongs to a section that no DPU loads */
    struct map names;   /* of symbols: their numbers */
    struct map numeric; /* labels that are numbers: how often this reading had each */
    VEC(struct dpu_as_symbol) symbols;
    struct dpu_program *p;
    /* texts.c */
    VEC(struct dpu_as_file) files; /* the first is the program's own */
    uint32_t file;                 /* that is read */
    const char *statement, *next, *text_end, *outermost;
    const struct dpu_as_expansion *expansion; /* NULL: a->text is a file's */
    VEC(struct dpu_as_macro) macros;
    struct map macro_names;
    VEC(struct dpu_as_condition) conditions;
    size_t outer_conditions, expansions, expanded;
    uint32_t depth;
    VEC(uint32_t) wanted, modules; /* names and modules of the runtime library */
    bool in_library, stop;
};

/* Reports at text[begin .. end); false. */
bool dpu_as_wrong(struct dpu_assembly *a, const char *begin, const char *end, const char *format,
                  ...) __attribute__((format(printf, 4, 5)));

/* Where that is; in an expansion, where that is used. */
struct span dpu_as_span(const struct dpu_assembly *a, const char *begin, const char *end);

/* ---- sources.c ---- */

/* Names of the first 8 bytes behind all that a program has in WRAM, and in MRAM. */
extern const char *const dpu_as_ends[2];

/* An instruction, whose operands follow. */
bool dpu_as_instruction(struct dpu_assembly *a, const char *name, size_t length);
/* Defines what the options say. */
void dpu_as_take_defines(struct dpu_assembly *a);

/* ---- texts.c ---- */

void dpu_as_open(struct dpu_assembly *a, const char *name, const char *text, size_t size);
/* One reading of all there is. */
void dpu_as_read(struct dpu_assembly *a);
void dpu_as_close(struct dpu_assembly *a);
/* Notes names of the runtime library in a->at .. a->end. */
void dpu_as_want_names(struct dpu_assembly *a);
/* Says what an expansion made of the statement, behind an error in one. */
void dpu_as_note_expansion(struct dpu_assembly *a);

/* ---- expression.c ---- */

/* Blanks and comments before `end`. */
void dpu_as_blanks(struct dpu_assembly *a);
/* A name at a->at, of letters, digits, _ . $; 0: none is there. */
size_t dpu_as_name(const struct dpu_assembly *a);
/* The symbol of that name, new or not; valid until the next one is new. */
struct dpu_as_symbol *dpu_as_symbol(struct dpu_assembly *a, const char *name, size_t length);

/* Whether this reading has defined it already. */
bool dpu_as_known(const struct dpu_assembly *a, const char *name, size_t length);

struct dpu_as_value {
    int64_t value;
    int32_t section; /* the address is relative to; -1: a number */
    bool known;      /* in the first reading not all is */
};
/* Reads an expression and moves a->at behind it; false after reporting. */
bool dpu_as_expression(struct dpu_assembly *a, struct dpu_as_value *out);
/* One that has to be a number, known when it is read. */
bool dpu_as_constant(struct dpu_assembly *a, int64_t *out);

/* The symbol of a label that is a number, as digits: the one that was read last, or the next one
 * (again: 1), as 1b and 1f name it. */
struct dpu_as_symbol *dpu_as_numeric(struct dpu_assembly *a, const char *digits, size_t length,
                                     uint64_t again);

/* ---- directive.c ---- */

/* Carries out the directive whose name is at..at + length, and whose operands follow. */
bool dpu_as_directive(struct dpu_assembly *a, const char *name, size_t length);
/* NAME = EXPRESSION, at its name. */
bool dpu_as_set(struct dpu_assembly *a, char between);
/* The character of an escape, behind whose \ a->at stands. */
bool dpu_as_escape(struct dpu_assembly *a, char *out);
/* A string in quotes, appended. */
bool dpu_as_string(struct dpu_assembly *a, struct str *out);
/* Defines a symbol; false after reporting that it is defined already. */
bool dpu_as_define(struct dpu_assembly *a, const char *name, size_t length, int32_t section,
                   int64_t value, bool again);
/* Where the section is written, in its units. */
static inline struct dpu_as_section *dpu_as_here(struct dpu_assembly *a) {
    return &a->sections.data[a->section];
}
/* The section of that name, made if it is new; UINT32_MAX after reporting. */
uint32_t dpu_as_section_number(struct dpu_assembly *a, const char *name, size_t length);

#endif

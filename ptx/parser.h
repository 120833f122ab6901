/* SPDX-License-Identifier: MIT
 * What the parts of the reader share. */
#ifndef PTX_PARSER_H
#define PTX_PARSER_H

#include "ptx/ptx.h"
#include "ptx/words.h"
#include "support/map.h"

#define PTX_MAX_SCOPES    64 /* of { } within each other */
#define PTX_MAX_REGISTERS ((uint64_t)1 << 20)
#define PTX_MAX_BYTES     ((uint64_t)1 << 32) /* of a variable */
#define PTX_MAX_OPERANDS  600

/* .reg .b32 %r<5>: %r0 .. %r4, each made when it is named. */
struct ptx_range {
    const char *prefix;
    size_t n;
    uint64_t count;
    enum ptx_type type;
};
enum ptx_name_kind { PTX_NAME_REGISTER, PTX_NAME_VARIABLE, PTX_NAME_FUNCTION };
/* Names between { and }; the first is the module's. */
struct ptx_scope {
    struct map names; /* to kind and index: name_value */
    VEC(struct ptx_range) ranges;
    struct map labels;
    uint32_t parent;
};
/* A label that an operand names: the operand's index is set when the function ends. */
struct ptx_label_use {
    struct ptx_operand *operand;
    const char *name;
    uint32_t scope, line;
};

struct ptx_parser {
    struct ptx_words words;
    const char *text;
    size_t size;
    struct ptx_module *module;
    struct portable_fault *fault;
    struct map forms; /* opcodes that came before: index of resolved */
    VEC(struct ptx_insn) resolved;
    VEC(struct ptx_scope) scopes; /* of the function, never fewer; [0] the module's */
    uint32_t scope;               /* the one that the text is in */
    uint32_t depth;
    VEC(struct ptx_label_use) uses;
    struct ptx_function *function; /* NULL: outside */
    uint32_t function_index;
    uint32_t file, source_line; /* of the last .loc */
};

/* ---- take.c ---- */
/* Always false; the first one counts.  `line` 0: that of the next word. */
bool ptx_wrong(struct ptx_parser *parser, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Likewise: something else stands there than what is wanted, "a name". */
bool ptx_unexpected(struct ptx_parser *parser, const char *wanted);
bool ptx_is(const struct ptx_parser *parser, const char *text);
bool ptx_accept(struct ptx_parser *parser, const char *text);
bool ptx_expect(struct ptx_parser *parser, const char *text);
/* The next word as it stands, in the arena, and the one behind it. */
const char *ptx_take(struct ptx_parser *parser);
bool ptx_take_name(struct ptx_parser *parser, const char **name);
/* A whole number without sign. */
bool ptx_take_count(struct ptx_parser *parser, uint64_t *number);
/* The words from `from` on up to the next one, with single blanks: as the text of an item. */
const char *ptx_text_since(struct ptx_parser *parser, const struct ptx_words *from);

/* Those as an item of the function, or the module. */
void ptx_keep_text(struct ptx_parser *parser, const struct ptx_words *from);

/* ---- scope.c ---- */
bool ptx_scope_open(struct ptx_parser *parser);
void ptx_scope_close(struct ptx_parser *parser);
/* Down to the module's. */
void ptx_scopes_end(struct ptx_parser *parser);
bool ptx_name_add(struct ptx_parser *parser, const char *name, enum ptx_name_kind kind,
                  uint32_t index, uint32_t line);
bool ptx_name_find(struct ptx_parser *parser, const char *name, enum ptx_name_kind *kind,
                   uint32_t *index);
bool ptx_registers_add(struct ptx_parser *parser, const char *prefix, uint64_t count,
                       enum ptx_type type);
bool ptx_register_add(struct ptx_parser *parser, const char *name, enum ptx_type type,
                      uint32_t line);
bool ptx_label_add(struct ptx_parser *parser, const char *name, uint32_t line);
void ptx_label_use(struct ptx_parser *parser, struct ptx_operand *operand, const char *name,
                   uint32_t line);
bool ptx_labels_resolve(struct ptx_parser *parser);

/* ---- parse_data.c ---- */
/* .align 4 .b8 name[16] = {..}, up to the semicolon, parenthesis or comma; added to the module and
 * the scope. */
bool ptx_parse_variable(struct ptx_parser *parser, enum ptx_space space, unsigned linkage,
                        uint32_t *index);
/* .u32, one that registers have. */
bool ptx_parse_type(struct ptx_parser *parser, enum ptx_type *type);

/* ---- parse_operand.c ---- */
bool ptx_parse_number(struct ptx_parser *parser, struct ptx_operand *out);
/* A name that nothing has is a label where one may stand. */
bool ptx_parse_operand(struct ptx_parser *parser, bool may_be_label, struct ptx_operand *out);

/* ---- parse_insn.c ---- */
bool ptx_parse_insn(struct ptx_parser *parser);

/* ---- parse_function.c ---- */
bool ptx_parse_function(struct ptx_parser *parser, unsigned linkage, const struct ptx_words *begin);
bool ptx_parse_location(struct ptx_parser *parser);

/* ---- check.c ---- */
/* Whether operands are as the form says. */
bool ptx_check_insn(struct ptx_parser *parser, const struct ptx_insn *insn);

#endif

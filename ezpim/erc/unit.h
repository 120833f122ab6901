/* SPDX-License-Identifier: MIT
 * Inside the import: the stages hand a unit on, lines -> blocks -> a flat list -> instructions. */
#ifndef EZPIM_ERC_UNIT_H
#define EZPIM_ERC_UNIT_H

#include "ezpim/erc/dialect.h"
#include "ezpim/erc/erc.h"
#include "support/map.h"

enum erc_token_kind { TOKEN_NUMBER, TOKEN_WORD, TOKEN_SIGN };
struct erc_token {
    enum erc_token_kind kind;
    uint32_t begin, end; /* bytes of the text */
};

/* What a line is.  Lines without a token are left out. */
enum line_kind {
    LINE_INSN, /* or a call of a func: which, is known when all funcs are */
    LINE_LABEL,
    LINE_DEFINE,
    LINE_FOR,
    LINE_IF,
    LINE_ELIF,
    LINE_ELSE,
    LINE_WHILE,
    LINE_FUNC,
    LINE_ENDFOR,
    LINE_ENDIF,
    LINE_ENDWHILE,
    LINE_ENDFUNC,
};
struct erc_line {
    enum line_kind kind;
    uint32_t number;       /* in the file, from 0: what JUMP of .rc counts */
    uint32_t first, count; /* tokens */
    uint32_t mate;         /* index of the line that closes a block, or opens it; else NO_INDEX */
    bool divided;          /* LINE_IF: elif or else in it; LINE_ELIF: another behind it */
};

/* Parameters of a func are the words between its parentheses. */
struct erc_func {
    const char *name;
    uint32_t line;
    uint32_t first_param, param_count; /* tokens; every second one is a comma */
    bool open;                         /* it is being expanded */
};

/* The flat list: loops unrolled, calls expanded, expressions computed. */
enum item_kind {
    ITEM_INSN,
    ITEM_LABEL,
    ITEM_IF,
    ITEM_ELIF,
    ITEM_ELSE,
    ITEM_ENDIF,
    ITEM_WHILE,
    ITEM_ENDWHILE,
    ITEM_END, /* the last of the list, and nowhere else */
};
struct erc_item {
    uint8_t kind;
    uint8_t relation; /* enum erc_relation: ITEM_IF, ELIF, WHILE */
    bool divided;     /* ITEM_IF, ELIF */
    uint32_t line;
    /* Index of an item.  Of jumps: where they go; of the parts of an `if`: the next part, or its
     * end; of WHILE: its end, and the other way round. */
    uint32_t target;
    const struct erc_insn *insn; /* ITEM_INSN */
    const char *name;            /* of a label; of a jump's target, NULL: a line number */
    /* As in the table; conditions: gm, m, a, b; ENDWHILE has those of its WHILE. */
    int32_t operand[ERC_OPERANDS];
};
/* Operands of a condition. */
enum { CONDITION_GM, CONDITION_M, CONDITION_A, CONDITION_B };

struct erc_unit {
    struct arena arena;
    struct diag *diag;
    uint32_t errors_before;
    uint32_t source; /* for spans */
    const char *text;
    size_t size;
    const struct erc_options *options;
    unsigned width, rfhs;
    VEC(struct erc_token) tokens;
    VEC(struct erc_line) lines;
    VEC(struct erc_func) funcs;
    struct map func_names; /* to their indices */
    VEC(struct erc_item) items;
    struct map macros; /* values of #define and -D, as int64_t */
    uint8_t *told;     /* [tokens]: something was said of it, once is enough */
    uint64_t used;     /* registers that the program names: bit r */
    size_t steps;
    uint32_t calls; /* that are open */
    bool too_long;  /* the list was cut off, after reporting it */
};

#define ERC_MAX_ITEMS ((size_t)1 << 20) /* of the flat list */
#define ERC_MAX_TEXT  ((size_t)1 << 22) /* instructions that it becomes */
#define ERC_MAX_STEPS ((size_t)1 << 22) /* lines and laps on the way there */
#define ERC_MAX_DEPTH 100               /* of blocks, and of calls */

/* The bytes of a token; its span, and that of a line's tokens. */
const char *erc_token_text(const struct erc_unit *unit, uint32_t token, size_t *size);
bool erc_token_is(const struct erc_unit *unit, uint32_t token, const char *text);
char *erc_token_name(struct erc_unit *unit, uint32_t token); /* of the arena */
struct span erc_token_span(const struct erc_unit *unit, uint32_t token);
struct span erc_line_span(const struct erc_unit *unit, uint32_t line);

/* Messages at a token or from there to the end of its line; one of each severity a token.  False
 * when there was one. */
bool erc_error(struct erc_unit *unit, uint32_t token, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* -Wdialect at a whole line. */
bool erc_warn(struct erc_unit *unit, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Whether it is, of what is said at a token; loops say the same thing over and over. */
bool erc_first_time(struct erc_unit *unit, uint32_t token, uint8_t severity);

/* Registers that the item names. */
uint64_t erc_item_registers(const struct erc_item *item);

/* Names of an expression: the innermost binding of a name counts, then the macros. */
struct erc_binding {
    const char *name;
    int64_t value;
};
struct erc_scope {
    VEC(struct erc_binding) bindings;
    size_t base; /* of the func at hand: what lies below is not seen */
};

/* Text to tokens and lines. */
void erc_scan(struct erc_unit *unit);
/* Kinds of lines, mates of blocks, funcs, macros. */
void erc_parse(struct erc_unit *unit);
/* Lines to the flat list. */
void erc_expand(struct erc_unit *unit);
/* An instruction or a condition of a block to the list. */
void erc_expand_insn(struct erc_unit *unit, const struct erc_scope *scope, uint32_t line);
void erc_expand_condition(struct erc_unit *unit, const struct erc_scope *scope, uint32_t line);
struct erc_item *erc_push_item(struct erc_unit *unit, enum item_kind kind, uint32_t line);
/* Where jumps go, and parts of blocks. */
void erc_resolve(struct erc_unit *unit);
/* The list to an object; NULL after reporting. */
struct object *erc_translate(struct erc_unit *unit);

bool erc_lookup(const struct erc_unit *unit, const struct erc_scope *scope, uint32_t token,
                int64_t *value);
/* Computes the expression that tokens *at.. begin with, up to `end` at most, and moves *at behind
 * it.  False after reporting. */
bool erc_compute(struct erc_unit *unit, const struct erc_scope *scope, uint32_t *at, uint32_t end,
                 int64_t *value);

#endif

/* SPDX-License-Identifier: MIT
 * isa-gen: from the tables isa-spec/ *.isa to C, reference pages and editor files.  It is built
 * first and depends on nothing but the C library. */
#ifndef ISA_SPEC_GEN_GEN_H
#define ISA_SPEC_GEN_GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory of one run, released at its end. */
struct gen_pool {
    struct pool_block *blocks;
};
/* Zeroed; ends the program with a message when there is no memory. */
void *gen_alloc(struct gen_pool *pool, size_t size);
char *gen_strndup(struct gen_pool *pool, const char *text, size_t n);
char *gen_printf(struct gen_pool *pool, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void gen_pool_free(struct gen_pool *pool);

/* A text that grows in a pool. */
struct gen_text {
    struct gen_pool *pool;
    char *data; /* NUL-terminated once something was added */
    size_t len, cap;
};
void gen_text_add(struct gen_text *out, const char *text);
void gen_text_add_n(struct gen_text *out, const char *text, size_t n);
void gen_text_printf(struct gen_text *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The file dir/name appears whole or not at all; its folders are made.  False after a message. */
bool gen_text_write(const struct gen_text *out, const char *dir, const char *name);
/* A whole file with a NUL behind it, or NULL after a message. */
char *gen_read_file(struct gen_pool *pool, const char *path, size_t *size);

/* Where a record began. */
struct record_place {
    const char *file;
    unsigned line;
};

#define MAX_FIELDS       6
#define MAX_OPERANDS     4
#define MAX_EXTENSIONS   16
#define MAX_FORMATS      16
#define MAX_WORDS        32
#define MAX_CLASSES      24
#define MAX_RESERVES     16
#define MAX_TOPICS       32
#define MAX_INSTRUCTIONS 256

struct extension {
    const char *name, *file, *title;
    struct record_place at;
};
struct field {
    const char *name;
    unsigned high, low;
};
struct format {
    const char *name;
    struct field fields[MAX_FIELDS];
    unsigned count;
    struct record_place at;
};
/* A word for an operand, with the field that holds it ("-": none). */
struct operand_word {
    const char *word, *field, *role, *syntax, *what;
    struct record_place at;
};
struct opclass {
    unsigned low, high;
    const char *title;
    struct record_place at;
};
struct reserve {
    unsigned low, high, set;
    const char *why;
    struct record_place at;
};
/* The lines below a record; "" where there is none. */
struct prose {
    const char *golden, *operation, *text, *decision, *reason;
};
struct topic {
    const char *title;
    struct prose prose;
    struct record_place at;
};

enum effect { EFFECT_RS = 1, EFFECT_RT = 2, EFFECT_RD = 4, EFFECT_C = 8, EFFECT_M = 16 };
enum attribute {
    ATTR_VECTOR = 1,
    ATTR_UNMASKED = 2,
    ATTR_PREDICATE_ON = 4,
    ATTR_PREDICATE_OFF = 8,
    ATTR_CUTS = 16,
    ATTR_MODES = 32,
    ATTR_DISTINCT = 64,
    ATTR_RESERVED = 128,
    ATTR_FLOAT = 256,
    ATTR_BFLOAT = 512,
    ATTR_USER = 1024, /* by a `user` record, not by a word of its own */
};
struct instruction {
    const char *name;    /* "MEMCPY" */
    const char *op_name; /* "MEMCPY_8", "SETMASK_COND": what follows OP_ */
    unsigned opcode, format, set;
    unsigned operands[MAX_OPERANDS], operand_count;
    bool has_width;
    unsigned fixed_width; /* 0: none */
    unsigned reads, writes, attributes, piece;
    unsigned user_first, user_last; /* the range of its `user` record */
    struct prose prose;
    struct record_place at;
};

struct isa_table {
    struct gen_pool *pool;
    unsigned errors;
    struct gen_text messages; /* "file:line: error: ..." lines, for the caller to print */
    struct extension extensions[MAX_EXTENSIONS];
    struct format formats[MAX_FORMATS];
    struct operand_word operands[MAX_WORDS];
    struct opclass classes[MAX_CLASSES];
    struct reserve reserves[MAX_RESERVES];
    struct topic topics[MAX_TOPICS];
    struct instruction instructions[MAX_INSTRUCTIONS]; /* by opcode once checked */
    unsigned extension_count, format_count, operand_count, class_count, reserve_count, topic_count,
        instruction_count;
    /* While parsing: the set in force, and where indented lines go. */
    int set;
    struct prose *prose;
    const char **line_of; /* the field that a continuation extends */
};

struct isa_table *gen_table_new(struct gen_pool *pool);
void gen_table_error(struct isa_table *table, struct record_place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reads one table; errors are counted in table. */
void gen_table_parse(struct isa_table *table, const char *path);
/* Everything that can only be said about all tables together; sorts the instructions. */
void gen_table_check(struct isa_table *table);

/* A word of a line, quotes removed. */
#define MAX_LINE_WORDS 24
struct line_words {
    const char *word[MAX_LINE_WORDS];
    unsigned count;
    bool overflow, open_quote;
};
/* Splits at blanks; "..." is one word; '|' is a word of its own. */
void gen_words_split(struct gen_pool *pool, const char *line, struct line_words *words);
bool gen_parse_number(const char *text, unsigned limit, unsigned *value);
/* "0x10..0x1F" */
bool gen_parse_range(const char *text, unsigned limit, unsigned *low, unsigned *high);
/* "23:18" */
bool gen_parse_bits(const char *text, unsigned *high, unsigned *low);

const struct field *gen_find_field(const struct format *format, const char *name);
/* Bits 23:0 that an instruction must leave zero. */
uint32_t gen_zero_bits(const struct isa_table *table, const struct instruction *in);
/* "ADD", "MEMCPY.8": how the mnemonic is written in headings. */
const char *gen_heading(const struct isa_table *table, const struct instruction *in);

/* Structural keywords of .ez, assembler directives and recipes: isa-spec/keywords.txt. */
#define MAX_KEYWORDS 128
struct keyword_list {
    const char *section; /* "ez-keyword" */
    const char *words[MAX_KEYWORDS];
    unsigned count;
};
#define MAX_KEYWORD_LISTS 16
struct keywords {
    struct keyword_list lists[MAX_KEYWORD_LISTS];
    unsigned count;
};
bool gen_keywords_parse(struct isa_table *table, const char *path, struct keywords *keywords);
const struct keyword_list *gen_keywords_find(const struct keywords *keywords, const char *section);
/* Distinct mnemonics of the tables, reserved and user ones left out, sorted; returns their number.
 */
unsigned gen_mnemonics(const struct isa_table *table, const char *out[MAX_INSTRUCTIONS]);

/* "ADD", "SETMASK cond": unique among the headings of all pages. */
const char *gen_title_of(const struct isa_table *table, const struct instruction *in);

/* What instructions cost on each target: isa-spec/costs.csv, as mpu-recipe count --csv prints it.
 */
#define MAX_COSTS   65536
#define MAX_TARGETS 64
struct cost {
    const char *target;
    const char *label; /* the title of an instruction, then perhaps a constant: "SHLI 1" */
    unsigned width;
    uint64_t micro_ops, latency_cycles, energy_fj; /* of one VRF, without a mask */
};
struct costs {
    struct cost *rows;
    unsigned count;
    const char *targets[MAX_TARGETS]; /* in the order of the file */
    unsigned target_count;
};
bool gen_costs_parse(struct isa_table *table, const char *path, struct costs *costs);
/* True if the label names the instruction. */
bool gen_costs_match(const struct isa_table *table, const struct instruction *in,
                     const char *label);

/* Each writes its files into dir; false after a message. */
bool gen_emit_c(const struct isa_table *table, const char *dir);
bool gen_emit_builtin(struct gen_pool *pool, const char *dir, const char *root, char *const *paths,
                      unsigned count);
bool gen_emit_docs(const struct isa_table *table, const struct costs *costs, const char *dir);
/* The costs of one instruction, as part of its entry. */
void gen_emit_costs(struct gen_text *out, const struct isa_table *table, const struct costs *costs,
                    const struct instruction *in);
bool gen_emit_vim(const struct isa_table *table, const struct keywords *keywords, const char *dir);
bool gen_emit_textmate(const struct isa_table *table, const struct keywords *keywords,
                       const char *dir);
bool gen_emit_emacs(const struct isa_table *table, const struct keywords *keywords,
                    const char *dir);

#endif

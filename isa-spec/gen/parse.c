/* SPDX-License-Identifier: MIT
 * Reads the tables.  A record begins in the first column; lines indented by two spaces say more
 * about it, lines indented by four or more continue the line before. */
#include "isa-spec/gen/gen.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct isa_table *gen_table_new(struct gen_pool *pool) {
    struct isa_table *t = gen_alloc(pool, sizeof *t);
    t->pool = pool;
    t->messages.pool = pool;
    return t;
}

void gen_table_error(struct isa_table *table, struct record_place at, const char *format, ...) {
    char line[256];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    gen_text_printf(&table->messages, "%s:%u: error: %s\n", at.file, at.line, line);
    table->errors++;
}

/* True if a table of `max` entries has room for another. */
static bool has_room(struct isa_table *table, struct record_place at, unsigned count,
                     unsigned max) {
    if (count < max)
        return true;
    gen_table_error(table, at, "too many records of this kind (at most %u)", max);
    return false;
}

static bool has_words(struct isa_table *table, struct record_place at,
                      const struct line_words *words, unsigned count) {
    if (words->count == count)
        return true;
    gen_table_error(table, at, "'%s' takes %u words, here are %u", words->word[0], count - 1,
                    words->count - 1);
    return false;
}

static void parse_extension(struct isa_table *table, struct record_place at,
                            const struct line_words *words) {
    if (!has_words(table, at, words, 4) ||
        !has_room(table, at, table->extension_count, MAX_EXTENSIONS))
        return;
    table->extensions[table->extension_count++] =
        (struct extension){words->word[1], words->word[2], words->word[3], at};
}

static void parse_format(struct isa_table *table, struct record_place at,
                         const struct line_words *words) {
    if (words->count % 2 != 0 || words->count > 2 + 2 * MAX_FIELDS) {
        gen_table_error(table, at, "'format' takes a name and pairs of field and bits");
        return;
    }
    if (!has_room(table, at, table->format_count, MAX_FORMATS))
        return;
    struct format *f = &table->formats[table->format_count++];
    *f = (struct format){.name = words->word[1], .at = at};
    for (unsigned i = 2; i < words->count; i += 2) {
        struct field *field = &f->fields[f->count++];
        field->name = words->word[i];
        if (!gen_parse_bits(words->word[i + 1], &field->high, &field->low))
            gen_table_error(table, at, "bad bits '%s' (HIGH:LOW within 23:0)", words->word[i + 1]);
    }
}

static void parse_operand(struct isa_table *table, struct record_place at,
                          const struct line_words *words) {
    if (!has_words(table, at, words, 6) || !has_room(table, at, table->operand_count, MAX_WORDS))
        return;
    table->operands[table->operand_count++] = (struct operand_word){
        words->word[1], words->word[2], words->word[3], words->word[4], words->word[5], at};
}

static void parse_class(struct isa_table *table, struct record_place at,
                        const struct line_words *words) {
    if (!has_words(table, at, words, 3) || !has_room(table, at, table->class_count, MAX_CLASSES))
        return;
    struct opclass *c = &table->classes[table->class_count++];
    *c = (struct opclass){.title = words->word[2], .at = at};
    if (!gen_parse_range(words->word[1], 255, &c->low, &c->high))
        gen_table_error(table, at, "bad range '%s'", words->word[1]);
}

static int find_extension(struct isa_table *table, struct record_place at, const char *name) {
    for (unsigned i = 0; i < table->extension_count; i++)
        if (strcmp(table->extensions[i].name, name) == 0)
            return (int)i;
    gen_table_error(table, at, "unknown set '%s'", name);
    return -1;
}

static void parse_reserve(struct isa_table *table, struct record_place at,
                          const struct line_words *words) {
    if (!has_words(table, at, words, 4) || !has_room(table, at, table->reserve_count, MAX_RESERVES))
        return;
    struct reserve *r = &table->reserves[table->reserve_count++];
    int set = find_extension(table, at, words->word[2]);
    *r = (struct reserve){.set = set < 0 ? 0 : (unsigned)set, .why = words->word[3], .at = at};
    if (!gen_parse_range(words->word[1], 255, &r->low, &r->high))
        gen_table_error(table, at, "bad range '%s'", words->word[1]);
}

static const struct prose no_prose = {"", "", "", "", ""};

static void parse_topic(struct isa_table *table, struct record_place at,
                        const struct line_words *words) {
    if (!has_words(table, at, words, 2) || !has_room(table, at, table->topic_count, MAX_TOPICS))
        return;
    struct topic *topic = &table->topics[table->topic_count++];
    *topic = (struct topic){.title = words->word[1], .prose = no_prose, .at = at};
    table->prose = &topic->prose;
}

static void parse_set(struct isa_table *table, struct record_place at,
                      const struct line_words *words) {
    if (has_words(table, at, words, 2))
        table->set = find_extension(table, at, words->word[1]);
}

/* The suffix of a mnemonic: none, ".w", or a fixed width. */
static void parse_mnemonic(struct isa_table *table, struct instruction *in, const char *word) {
    const char *dot = strchr(word, '.');
    size_t n = dot ? (size_t)(dot - word) : strlen(word);
    in->name = gen_strndup(table->pool, word, n);
    for (const char *c = in->name; *c; c++)
        if (!isupper((unsigned char)*c) && !isdigit((unsigned char)*c) && *c != '_')
            gen_table_error(table, in->at, "'%s' is no mnemonic", word);
    if (!dot)
        return;
    in->has_width = strcmp(dot, ".w") == 0;
    if (!in->has_width && !gen_parse_number(dot + 1, 64, &in->fixed_width))
        gen_table_error(table, in->at, "bad width '%s'", dot);
}

static unsigned find_format(struct isa_table *table, const struct instruction *in,
                            const char *name) {
    for (unsigned i = 0; i < table->format_count; i++)
        if (strcmp(table->formats[i].name, name) == 0)
            return i;
    gen_table_error(table, in->at, "unknown format '%s'", name);
    return 0;
}

static void parse_operand_use(struct isa_table *table, struct instruction *in, const char *word) {
    for (unsigned i = 0; i < table->operand_count; i++) {
        if (strcmp(table->operands[i].word, word) != 0)
            continue;
        if (in->operand_count == MAX_OPERANDS)
            gen_table_error(table, in->at, "more than %u operands", MAX_OPERANDS);
        else
            in->operands[in->operand_count++] = i;
        return;
    }
    gen_table_error(table, in->at, "unknown operand '%s'", word);
}

static unsigned parse_effect(struct isa_table *table, struct instruction *in, const char *word) {
    static const char *const names[] = {"rs", "rt", "rd", "C", "M"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], word) == 0)
            return 1u << i;
    if (strcmp(word, "-") != 0)
        gen_table_error(table, in->at, "unknown effect '%s'", word);
    return 0;
}

static const char *const attribute_names[] = {
    "vector", "unmasked", "predicate-on", "predicate-off", "cuts",
    "modes",  "distinct", "reserved",     "float",         "bfloat",
};

static void parse_attribute(struct isa_table *table, struct instruction *in, const char *word) {
    for (unsigned i = 0; i < sizeof attribute_names / sizeof *attribute_names; i++) {
        if (strcmp(attribute_names[i], word) == 0) {
            in->attributes |= 1u << i;
            return;
        }
    }
    if (strncmp(word, "piece=", 6) == 0 && gen_parse_number(word + 6, 5, &in->piece))
        return;
    if (strcmp(word, "-") != 0)
        gen_table_error(table, in->at, "unknown attribute '%s'", word);
}

/* The three parts of an instruction's line from word `first` on, parted by '|'. */
static void parse_parts(struct isa_table *table, struct instruction *in,
                        const struct line_words *words, unsigned first) {
    unsigned part = 0, arrows = 0;
    for (unsigned i = first; i < words->count; i++) {
        const char *word = words->word[i];
        if (strcmp(word, "|") == 0)
            part++;
        else if (part == 0)
            parse_operand_use(table, in, word);
        else if (part == 1 && strcmp(word, ">") == 0)
            arrows++;
        else if (part == 1)
            *(arrows ? &in->writes : &in->reads) |= parse_effect(table, in, word);
        else
            parse_attribute(table, in, word);
    }
    if (part != 2 || arrows != 1)
        gen_table_error(table, in->at, "expected: operands | reads > writes | attributes");
}

static void parse_instruction(struct isa_table *table, struct record_place at,
                              const struct line_words *words) {
    if (!has_room(table, at, table->instruction_count, MAX_INSTRUCTIONS))
        return;
    if (table->set < 0 || words->count < 3) {
        gen_table_error(table, at, "unknown record '%s'", words->word[0]);
        return;
    }
    struct instruction *in = &table->instructions[table->instruction_count++];
    *in = (struct instruction){.set = (unsigned)table->set, .prose = no_prose, .at = at};
    table->prose = &in->prose;
    parse_mnemonic(table, in, words->word[0]);
    if (!gen_parse_number(words->word[1], 255, &in->opcode))
        gen_table_error(table, at, "bad opcode '%s'", words->word[1]);
    in->format = find_format(table, in, words->word[2]);
    parse_parts(table, in, words, 3);
}

/* user LOW..HIGH FORMAT operands | effects | attributes: one instruction for each opcode, which a
 * program names and says the meaning of.  The lines below belong to the first. */
static void parse_user(struct isa_table *table, struct record_place at,
                       const struct line_words *words) {
    struct instruction first = {.prose = no_prose, .at = at, .attributes = ATTR_USER};
    unsigned low, high;
    if (table->set < 0 || words->count < 4 || !gen_parse_range(words->word[1], 255, &low, &high)) {
        gen_table_error(table, at,
                        "expected: user LOW..HIGH FORMAT operands | reads > writes | attributes");
        return;
    }
    first.set = (unsigned)table->set;
    first.has_width = true;
    first.user_first = low;
    first.user_last = high;
    first.format = find_format(table, &first, words->word[2]);
    parse_parts(table, &first, words, 3);
    for (unsigned opcode = low; opcode <= high; opcode++) {
        if (!has_room(table, at, table->instruction_count, MAX_INSTRUCTIONS))
            return;
        struct instruction *in = &table->instructions[table->instruction_count++];
        *in = first;
        in->opcode = opcode;
        in->name = gen_printf(table->pool, "USER_%02X", opcode);
        if (opcode == low)
            table->prose = &in->prose;
    }
}

static void parse_record(struct isa_table *table, struct record_place at, const char *line) {
    static const struct {
        const char *name;
        void (*parse)(struct isa_table *, struct record_place, const struct line_words *);
    } records[] = {
        {"extension", parse_extension},
        {"format", parse_format},
        {"operand", parse_operand},
        {"class", parse_class},
        {"reserve", parse_reserve},
        {"topic", parse_topic},
        {"set", parse_set},
        {"user", parse_user},
    };
    struct line_words w;
    gen_words_split(table->pool, line, &w);
    table->prose = NULL;
    table->line_of = NULL;
    if (w.open_quote || w.overflow) {
        gen_table_error(table, at, w.overflow ? "too many words" : "a quote is not closed");
        return;
    }
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        if (strcmp(records[i].name, w.word[0]) == 0) {
            records[i].parse(table, at, &w);
            return;
        }
    }
    parse_instruction(table, at, &w);
}

/* "  key: text" */
static void parse_prose(struct isa_table *table, struct record_place at, const char *line) {
    static const char *const keys[] = {
        "golden: ", "operation: ", "text: ", "decision: ", "reason: "};
    const char **fields[] = {&table->prose->golden, &table->prose->operation, &table->prose->text,
                             &table->prose->decision, &table->prose->reason};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        size_t n = strlen(keys[i]);
        if (strncmp(line, keys[i], n) != 0)
            continue;
        if (**fields[i])
            gen_table_error(table, at, "this line is given twice");
        *fields[i] = line + n;
        table->line_of = fields[i];
        return;
    }
    gen_table_error(table, at, "unknown key (golden, operation, text, decision, reason)");
}

static void parse_indented(struct isa_table *table, struct record_place at, const char *line) {
    size_t indent = strspn(line, " ");
    if (!table->prose)
        gen_table_error(table, at, "an indented line without a record");
    else if (indent == 2)
        parse_prose(table, at, line + 2);
    else if (indent >= 4 && table->line_of)
        *table->line_of = gen_printf(table->pool, "%s %s", *table->line_of, line + indent);
    else
        gen_table_error(table, at, "indent a line by two spaces, its continuation by four");
}

static void parse_line(struct isa_table *table, struct record_place at, const char *line) {
    size_t blank = strspn(line, " \t");
    if (line[blank] == '\0' || line[0] == '#')
        return;
    if (blank)
        parse_indented(table, at, line);
    else
        parse_record(table, at, line);
}

void gen_table_parse(struct isa_table *table, const char *path) {
    size_t size;
    char *text = gen_read_file(table->pool, path, &size);
    const char *slash = strrchr(path, '/');
    struct record_place at = {slash ? slash + 1 : path, 0};
    table->set = -1;
    table->prose = NULL;
    if (!text) {
        table->errors++;
        return;
    }
    for (char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        char *next = line + n + (line[n] == '\n');
        line[n] = '\0';
        at.line++;
        parse_line(table, at, line);
        line = next;
    }
}

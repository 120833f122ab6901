/* SPDX-License-Identifier: MIT
 * isa-gen refuses bad tables with file and line; the editor keywords agree with the scanners. */
#include "isa-spec/gen/gen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* A small model that is right; a case adds lines behind it (the first is line 13). */
static const char model[] = "extension base base \"Base\"\n"
                            "format R w 23:18 rd 17:12 rs 11:6 rt 5:0\n"
                            "format Z\n"
                            "operand rs rs RS \"rs\" \"source\"\n"
                            "operand rt rt RT \"rt\" \"source\"\n"
                            "operand rd rd RD \"rd\" \"destination\"\n"
                            "operand cond - COND \"cond\" \"C\"\n"
                            "class 0x00..0x0F \"First\"\n"
                            "class 0x10..0x1F \"Second\"\n"
                            "reserve 0x1F..0x1F base \"later\"\n"
                            "set base\n"
                            "# line 12\n";

/* The messages about model + lines, in the pool. */
static const char *messages_of(struct gen_pool *p, const char *lines) {
    const char *path = MPU_BINARY_DIR "/test_generator.isa";
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(model, f);
    fputs(lines, f);
    assert_int_equal(fclose(f), 0);
    struct isa_table *t = gen_table_new(p);
    gen_table_parse(t, path);
    if (!t->errors)
        gen_table_check(t);
    remove(path);
    assert_int_equal(t->errors != 0, t->messages.len != 0);
    return t->messages.data ? t->messages.data : "";
}

static void good_tables_pass(void **state) {
    (void)state;
    struct gen_pool p = {NULL};
    const char *m =
        messages_of(&p, "ADD.w 0x01 R rs rt rd | rs rt > rd | vector\n"
                        "  golden: x->rd = x->rs +\n    x->rt;\n"
                        "  operation: rd = rs + rt\n  text: Sum.\n  decision: d\n  reason: r\n"
                        "NOP 0x02 Z | - > - | reserved\n  operation: -\n  text: -\n");
    assert_string_equal(m, "");
    gen_pool_free(&p);
}

#define TEXT  "  operation: o\n  text: t\n"
#define PROSE TEXT "  decision: d\n  reason: r\n"

static const struct {
    const char *lines, *message;
} bad[] = {
    {"ADD.w 0x01 R rs rt rx | rs rt > rd | vector\n",
     "test_generator.isa:13: error: unknown operand 'rx'"},
    {"ADD.w 0x01 X rs | rs > - | -\n", ":13: error: unknown format 'X'"},
    {"ADD.w 0x100 R rs | rs > - | -\n", ":13: error: bad opcode '0x100'"},
    {"ADD.w 0x01 R rs | rx > - | -\n", ":13: error: unknown effect 'rx'"},
    {"ADD.w 0x01 R rs | rs > - | fast\n", ":13: error: unknown attribute 'fast'"},
    {"ADD.w 0x01 R rs | rs > -\n", ":13: error: expected: operands | reads > writes | attributes"},
    {"ADD.w 0x01 R rs | rs | -\n", ":13: error: expected: operands"},
    {"add.w 0x01 R rs | rs > - | -\n", ":13: error: 'add.w' is no mnemonic"},
    {"ADD.x 0x01 R rs | rs > - | -\n", ":13: error: bad width '.x'"},
    {"ADD\n", ":13: error: unknown record 'ADD'"},
    {"set T\n", ":13: error: unknown set 'T'"},
    {"class 0x20 \"x\"\n", ":13: error: bad range '0x20'"},
    {"class 0x20..0x10 \"x\"\n", ":13: error: bad range"},
    {"class 0x20..0x2F x y\n", ":13: error: 'class' takes 2 words, here are 3"},
    {"topic \"open\n", ":13: error: a quote is not closed"},
    {"topic \"T\"\n  text: x\n", ":13: error: a topic needs text:, decision: and reason:"},
    {"NOP 0x01 Z | - > - | -\n  note: x\n", ":14: error: unknown key"},
    {"NOP 0x01 Z | - > - | -\n   text: x\n", ":14: error: indent a line by two spaces"},
    {"NOP 0x01 Z | - > - | -\n  text: x\n  text: y\n", ":15: error: this line is given twice"},
    {"set base\n  text: x\n", ":14: error: an indented line without a record"},
    {"format Y a 23:12 b 12:0\n", ":13: error: field 'b' overlaps another"},
    {"format Y a 23:12\n", ":13: error: bits 000fff of format Y belong to no field"},
    {"format Y a 24:0\n", ":13: error: bad bits '24:0'"},
    {"format Y a\n", ":13: error: 'format' takes a name and pairs"},
    {"NOP 0x00 Z | - > - | -\n" PROSE, ":13: error: opcode 0 must stay illegal"},
    {"NOP 0x20 Z | - > - | -\n" PROSE, ":13: error: opcode 0x20 lies in 0 classes"},
    {"NOP 0x1F Z | - > - | -\n" PROSE, ":13: error: opcode 0x1F is reserved"},
    {"NOP 0x01 Z | - > - | -\n" PROSE "NIP 0x01 Z | - > - | -\n" PROSE,
     "error: opcode 0x01 is also N"},
    {"NOP 0x01 Z | - > - | -\n" PROSE "NOP 0x02 Z | - > - | -\n" PROSE,
     ":18: error: NOP is defined twice"},
    {"NOP 0x01 Z rs | rs > - | -\n" PROSE, ":13: error: format Z has no field 'rs'"},
    {"NOP.w 0x01 Z | - > - | -\n" PROSE, ":13: error: format Z has no width"},
    {"SET.w 0x01 R rs rs | rs > - | -\n" PROSE, ":13: error: field 'rs' is used twice"},
    {"SET.w 0x01 R rs | - > - | -\n" PROSE, ":13: error: rs is an operand without an effect"},
    {"SET.w 0x01 R rs | rs > rd | -\n" PROSE, ":13: error: rd is no operand"},
    {"NOP 0x01 Z | - > - | -\n  text: x\n", ":13: error: text: and operation: are needed"},
    {"NOP 0x01 Z | - > - | -\n  decision: x\n" TEXT,
     ":13: error: decision: and reason: belong together"},
    {"NOP 0x01 Z | - > - | -\n" TEXT, ":13: error: decision: and reason: are needed"},
    {"NOP 0x01 Z | - > - | vector\n" PROSE, ":13: error: a vector instruction needs golden:"},
    {"NOP 0x01 Z | - > - | -\n  golden: ;\n" PROSE,
     ":13: error: golden: is for vector instructions"},
    {"MOV.w 0x01 R rs rd | rs > rd | vector\n  golden: x->rd = x->rt;\n" PROSE,
     ":13: error: golden reads other things than the line says"},
    {"MOV.w 0x01 R rs rd | rs > rd | vector\n  golden: x->c = x->rs;\n" PROSE,
     ":13: error: golden writes other things than the line says"},
    {"MOV.w 0x01 R rs rd | rs > rd | vector\n  golden: x->rd = x->ry;\n" PROSE,
     ":13: error: golden uses 'x->ry', which does not exist"},
    {"MOV 0x01 R rs rd | rs > rd | vector\n  golden: x->rd = x->rs << x->w;\n" PROSE,
     ":13: error: golden uses a width that the instruction does not have"},
    {"MOV.w 0x01 R rs rd | rs > rd | vector\n  golden: x->rd = look_up(x->lut, x->rs);\n" PROSE,
     ":13: error: golden uses a table that the instruction does not have"},
};

static void bad_tables_are_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct gen_pool p = {NULL};
        const char *m = messages_of(&p, bad[i].lines);
        if (!strstr(m, bad[i].message))
            fail_msg("case %zu: '%s' instead of '%s'", i, m, bad[i].message);
        gen_pool_free(&p);
    }
}

static void tables_may_be_anything(void **state) {
    (void)state;
    static const char alphabet[] = "ADDrsrtrd|>-w.0x \"\n  :formatsettext#123";
    uint64_t seed = 7;
    for (unsigned i = 0; i < 2000; i++) {
        char lines[200];
        for (size_t k = 0; k + 1 < sizeof lines; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            lines[k] = alphabet[(seed >> 33) % (sizeof alphabet - 1)];
        }
        lines[sizeof lines - 1] = '\0';
        struct gen_pool p = {NULL};
        messages_of(&p, lines);
        gen_pool_free(&p);
    }
}

#define COLUMNS                                                                                    \
    "target,instruction,width,masked,micro_ops,logic,crossings,handover,latency_cycles,"           \
    "interval_cycles,energy_fj,scratch_rows\n"

/* A table with ADD.w and the two forms of SET, and costs read into it. */
static struct isa_table *costs_of(struct gen_pool *p, const char *lines, struct costs *c) {
    const char *tables = MPU_BINARY_DIR "/test_costs.isa", *path = MPU_BINARY_DIR "/test_costs.csv";
    const char *texts[] = {"ADD.w 0x01 R rs rt rd | rs rt > rd | vector\n"
                           "  golden: x->rd = x->rs + x->rt;\n" PROSE
                           "SET 0x02 R rs | rs > C | vector\n  golden: x->c = x->rs;\n" PROSE
                           "SET 0x03 Z cond | C > C | vector\n  golden: x->c = x->c;\n" PROSE,
                           lines};
    const char *paths[] = {tables, path};
    for (unsigned i = 0; i < 2; i++) {
        FILE *f = fopen(paths[i], "wb");
        assert_non_null(f);
        fprintf(f, "%s%s", i ? COLUMNS : model, texts[i]);
        assert_int_equal(fclose(f), 0);
    }
    struct isa_table *t = gen_table_new(p);
    gen_table_parse(t, tables);
    gen_table_check(t);
    if (t->errors)
        fail_msg("%s", t->messages.data);
    bool fine = gen_costs_parse(t, path, c);
    assert_int_equal(fine, t->errors == 0);
    remove(tables);
    remove(path);
    return t;
}

static void check_costs(const char *name, const char *lines, const char *expected) {
    struct gen_pool p = {NULL};
    struct costs c;
    struct isa_table *t = costs_of(&p, lines, &c);
    struct gen_text o = {.pool = &p};
    assert_int_equal(t->errors, 0);
    for (unsigned i = 0; i < t->instruction_count; i++)
        if (strcmp(gen_title_of(t, &t->instructions[i]), name) == 0)
            gen_emit_costs(&o, t, &c, &t->instructions[i]);
    const char *table = o.data ? o.data : "";
    if (*table == '[') /* what is counted */
        table = strstr(table, "\n\n") + 2;
    assert_string_equal(table, expected);
    gen_pool_free(&p);
}

static void costs_are_shown(void **state) {
    (void)state;
    /* Targets that cost the same share a line; energy in pJ; the masked form is left out. */
    check_costs(
        "ADD",
        "one,ADD,8,0,10,9,1,1,7,5,12500,2\ntwo,ADD,8,0,10,9,1,1,7,5,12500,2\n"
        "two,ADD,8,1,99,9,1,1,7,5,12500,2\nthree,ADD 5,64,0,1,1,0,0,1,1,1001,0\n",
        "| target | w = 8 | w = 16 | w = 32 | w = 64 |\n|---|---|---|---|---|\n"
        "| one, two | 10 / 7 / 12.5 | - | - | - |\n| three | - | - | - | 1 / 1 / 1.001 |\n\n");
    check_costs("SET cond",
                "one,SET rs,1,0,1,0,0,0,1,1,8000,0\ntwo,SET cond,1,0,2,0,0,0,3,1,10,0\n",
                "| target | |\n|---|---|\n| two | 2 / 3 / 0.01 |\n\nNo recipe on one.\n\n");
    check_costs("ADD", "one,SET rs,1,0,1,0,0,0,1,1,8000,0\n", "No recipe on one.\n\n");
}

static void bad_costs_are_refused(void **state) {
    static const char *const lines[][2] = {
        {"one,ADD,8,0,10\n", "test_costs.csv:2: error: not a line of costs"},
        {"one,ADD,65,0,1,1,0,0,1,1,8,0\n", "not a line of costs"},
        {"one,ADD,8,0,x,1,0,0,1,1,8,0\n", "not a line of costs"},
        {"one,ADD,8,0,1,1,0,0,1,1,8,0,9\n", "not a line of costs"},
        {"one,ADDX,8,0,1,1,0,0,1,1,8,0\n", "no instruction is called 'ADDX'"},
        {"one,SET,1,0,1,1,0,0,1,1,8,0\n", "no instruction is called 'SET'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct gen_pool p = {NULL};
        struct costs c;
        struct isa_table *t = costs_of(&p, lines[i][0], &c);
        if (!t->errors || !strstr(t->messages.data, lines[i][1]))
            fail_msg("case %zu: '%s'", i, t->messages.data ? t->messages.data : "");
        gen_pool_free(&p);
    }
}

static void load_keywords(struct gen_pool *p, struct keywords *k) {
    struct isa_table *t = gen_table_new(p);
    *k = (struct keywords){.count = 0};
    assert_true(gen_keywords_parse(t, MPU_SOURCE_DIR "/isa-spec/keywords.txt", k));
}

static bool listed(const struct keywords *k, const char *section, const char *word, size_t n) {
    const struct keyword_list *l = gen_keywords_find(k, section);
    for (unsigned i = 0; i < l->count; i++)
        if (strlen(l->words[i]) == n && strncmp(l->words[i], word, n) == 0)
            return true;
    return false;
}

/* Words that stand between quotes at the start of a line of ezpim's scanner, also as
 * alternatives: "asm"|"sync". */
static void ezpim_scanner_agrees(void **state) {
    (void)state;
    struct gen_pool p = {NULL};
    struct keywords k;
    size_t size;
    unsigned found = 0;
    load_keywords(&p, &k);
    char *text = gen_read_file(&p, MPU_SOURCE_DIR "/ezpim/ez/lexer.l", &size);
    assert_non_null(text);
    for (char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        while (*line == '"') {
            size_t n = strspn(line + 1, "abcdefghijklmnopqrstuvwxyz");
            if (n < 2 || line[n + 1] != '"')
                break;
            if (!listed(&k, "ez keyword", line + 1, n) && !listed(&k, "ez reserved", line + 1, n) &&
                !listed(&k, "ez constant", line + 1, n))
                fail_msg("'%.*s' is not in keywords.txt", (int)n, line + 1);
            found++;
            line += n + 2 + (line[n + 2] == '|');
        }
    }
    assert_int_equal(found, gen_keywords_find(&k, "ez keyword")->count +
                                gen_keywords_find(&k, "ez reserved")->count +
                                gen_keywords_find(&k, "ez constant")->count);
    gen_pool_free(&p);
}

/* Every word between `before` and `after` in a source file must be listed in one of the
 * sections; returns how many there are. */
static unsigned words_between(const struct keywords *k, const char *text, const char *before,
                              const char *after, const char *const *sections) {
    unsigned count = 0;
    for (const char *s = text; (s = strstr(s, before)) != NULL;) {
        bool known = false;
        s += strlen(before);
        size_t n = strcspn(s, "\"");
        if (strncmp(s + n, after, strlen(after)) != 0)
            continue;
        for (unsigned i = 0; sections[i]; i++)
            known |= listed(k, sections[i], s, n);
        if (!known)
            fail_msg("'%.*s' is not in keywords.txt", (int)n, s);
        count++;
    }
    return count;
}

/* Every word that the parser of recipes asks for, and no other. */
static void recipe_parser_agrees(void **state) {
    (void)state;
    static const char *const sections[] = {"recipe keyword", "recipe constant", NULL};
    struct gen_pool p = {NULL};
    struct keywords k;
    size_t size;
    load_keywords(&p, &k);
    const char *text = gen_read_file(&p, MPU_SOURCE_DIR "/recipe/notation/parse.c", &size);
    assert_non_null(text);
    unsigned count = words_between(&k, text, "_word(&parser->p, \"", "\"", sections) +
                     words_between(&k, text, "_word(&r.p, \"", "\"", sections) +
                     words_between(&k, text, "_word(p, \"", "\"", sections);
    assert_true(count > 10);
    const struct keyword_list *l = gen_keywords_find(&k, "recipe keyword");
    for (unsigned i = 0; i < l->count; i++)
        if (!strstr(text, gen_printf(&p, "\"%s\"", l->words[i])))
            fail_msg("no recipe uses the keyword '%s'", l->words[i]);
    gen_pool_free(&p);
}

/* The assembler's tables of directives and keywords.txt name the same ones. */
static void assembler_agrees(void **state) {
    (void)state;
    static const char *const sections[] = {"asm directive", NULL};
    struct gen_pool p = {NULL};
    struct keywords k;
    size_t size;
    load_keywords(&p, &k);
    const char *most = gen_read_file(&p, MPU_SOURCE_DIR "/asm/directive.c", &size);
    const char *conditions = gen_read_file(&p, MPU_SOURCE_DIR "/asm/condition.c", &size);
    assert_true(most && conditions);
    unsigned count = words_between(&k, most, "{\".", "\", do_", sections) +
                     words_between(&k, most, "{\".", "\", asm_do_", sections) +
                     words_between(&k, conditions, "{\".", "\", do_", sections);
    assert_int_equal(count, gen_keywords_find(&k, "asm directive")->count);
    gen_pool_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_tables_pass),       cmocka_unit_test(bad_tables_are_refused),
        cmocka_unit_test(tables_may_be_anything), cmocka_unit_test(costs_are_shown),
        cmocka_unit_test(bad_costs_are_refused),  cmocka_unit_test(ezpim_scanner_agrees),
        cmocka_unit_test(recipe_parser_agrees),   cmocka_unit_test(assembler_agrees),
    };
    return cmocka_run_group_tests_name("isa-gen", tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 * A Visual Studio Code extension without code: TextMate grammars, comments and brackets. */
#include "isa-spec/gen/editor.h"

static const char *const word_scopes[WORD_KINDS] = {
    [WORD_KEYWORD] = "keyword.control",
    [WORD_CONSTANT] = "constant.language",
    [WORD_FUNCTION] = "support.function",
    [WORD_DIRECTIVE] = "keyword.other.directive",
    [WORD_MNEMONIC] = "keyword.operator.mnemonic",
};
static const struct {
    const char *scope, *match;
} patterns[PATTERN_KINDS] = {
    [PATTERN_TYPE] = {"storage.type", "\\\\b(?:bool|[iu][0-9]+|b?f[0-9]+)\\\\b"},
    [PATTERN_REGISTER] = {"variable.language.register", "(?i)\\\\br[0-9]+\\\\b"},
    [PATTERN_PLACE] = {"support.constant.place", "(?i)\\\\b(?:RFH|VRF|MPU)[0-9]+"},
    [PATTERN_NUMBER] = {"constant.numeric",
                        "\\\\b(?:[0-9][0-9_]*\\\\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?|"
                        "[0-9]+[eE][-+][0-9]+|[0-9][0-9A-Za-z_]*)\\\\b"},
};

static void add_rule(struct gen_text *out, const struct editor_language *language,
                     const char *scope, const char *match) {
    gen_text_printf(out, "    { \"name\": \"%s.%s\", \"match\": \"%s\" },\n", scope, language->id,
                    match);
}

static void add_words(struct gen_text *out, const struct editor_language *language,
                      enum editor_word_kind kind) {
    struct gen_text match = {.pool = out->pool};
    if (!language->word_count[kind])
        return;
    gen_text_add(&match, kind == WORD_MNEMONIC && language->any_case ? "(?i)" : "");
    gen_text_add(&match, kind == WORD_DIRECTIVE ? "\\\\.(?:" : "\\\\b(?:");
    for (unsigned i = 0; i < language->word_count[kind]; i++)
        gen_text_printf(&match, "%s%s", i ? "|" : "", language->words[kind][i]);
    gen_text_add(&match, ")\\\\b");
    add_rule(out, language, word_scopes[kind], match.data);
}

static void add_comments(struct gen_text *out, const struct editor_language *language) {
    add_rule(out, language, "comment.line", gen_printf(out->pool, "%s.*$", language->line_comment));
    if (language->other_comment)
        add_rule(out, language, "comment.line",
                 gen_printf(out->pool, "%s.*$", language->other_comment));
    if (language->block_comments)
        gen_text_printf(out,
                        "    { \"name\": \"comment.block.%s\", \"begin\": \"/\\\\*\", \"end\": "
                        "\"\\\\*/\" },\n",
                        language->id);
    if (language->strings)
        gen_text_printf(
            out,
            "    { \"name\": \"string.quoted.double.%s\", \"begin\": \"\\\"\", \"end\": "
            "\"\\\"|$\",\n      \"patterns\": [{ \"name\": \"constant.character.escape.%s\", "
            "\"match\": \"\\\\\\\\.\" }] },\n",
            language->id, language->id);
}

static bool emit_grammar(const struct isa_table *table, const struct editor_language *language,
                         const char *dir) {
    struct gen_text o = {.pool = table->pool};
    gen_text_printf(
        &o,
        "{\n  \"information_for_contributors\": [\"Generated from isa-spec/ by isa-gen; edit "
        "the tables.\"],\n"
        "  \"name\": \"%s\",\n  \"scopeName\": \"source.%s\",\n  \"fileTypes\": [\"%s\"],\n"
        "  \"patterns\": [\n",
        language->title, language->id, language->suffix);
    add_comments(&o, language);
    for (unsigned k = 0; k < WORD_KINDS; k++)
        add_words(&o, language, (enum editor_word_kind)k);
    for (unsigned k = 0; k < PATTERN_KINDS; k++)
        if (language->has_pattern[k])
            add_rule(&o, language, patterns[k].scope, patterns[k].match);
    o.len -= 2; /* the last comma */
    gen_text_add(&o, "\n  ]\n}\n");
    return gen_text_write(
        &o, dir, gen_printf(table->pool, "vscode/syntaxes/%s.tmLanguage.json", language->id));
}

static bool emit_configuration(const struct isa_table *table,
                               const struct editor_language *language, const char *dir) {
    struct gen_text o = {.pool = table->pool};
    gen_text_printf(&o, "{\n  \"comments\": { \"lineComment\": \"%s\"%s },\n",
                    language->line_comment,
                    language->block_comments ? ", \"blockComment\": [\"/*\", \"*/\"]" : "");
    gen_text_add(&o, "  \"brackets\": [[\"{\", \"}\"], [\"[\", \"]\"], [\"(\", \")\"]],\n"
                     "  \"autoClosingPairs\": [\n"
                     "    { \"open\": \"{\", \"close\": \"}\" },\n"
                     "    { \"open\": \"[\", \"close\": \"]\" },\n"
                     "    { \"open\": \"(\", \"close\": \")\" }\n"
                     "  ]\n}\n");
    return gen_text_write(
        &o, dir, gen_printf(table->pool, "vscode/language-configuration.%s.json", language->id));
}

/* .s belongs to other assemblers too: there the first line tells, or who names the file. */
static const char any_assembler[] =
    "\"extensions\": [\".mpu.s\"],\n"
    "        \"firstLine\": \"^\\\\s*([0-9A-Za-z_.$]+:\\\\s*)*(COMPUTEG?\\\\s+(@|RFH[0-9])|"
    "\\\\.(geometry\\\\s+\\\\w+=|group\\\\s+\\\\w+\\\\[|signature\\\\s|recipe\\\\s))\"";

static void add_language(struct gen_text *out, const struct editor_language *language, bool last) {
    const char *files = language->any_case
                            ? any_assembler
                            : gen_printf(out->pool, "\"extensions\": [\".%s\"]", language->suffix);
    gen_text_printf(out,
                    "      { \"id\": \"%s\", \"aliases\": [\"%s\"], %s,\n"
                    "        \"configuration\": \"./language-configuration.%s.json\" }%s\n",
                    language->id, language->title, files, language->id, last ? "" : ",");
}

static void add_grammar(struct gen_text *out, const struct editor_language *language, bool last) {
    gen_text_printf(out,
                    "      { \"language\": \"%s\", \"scopeName\": \"source.%s\",\n"
                    "        \"path\": \"./syntaxes/%s.tmLanguage.json\" }%s\n",
                    language->id, language->id, language->id, last ? "" : ",");
}

static bool emit_package(const struct isa_table *table, const struct editor_language *languages,
                         const char *dir) {
    struct gen_text o = {.pool = table->pool};
    gen_text_add(&o, "{\n  \"name\": \"mpu-toolchain\",\n  \"displayName\": \"MPU toolchain\",\n"
                     "  \"description\": \"ezpim, MPU assembly and recipes\",\n"
                     "  \"publisher\": \"mpu-toolchain\",\n  \"version\": \"0.1.0\",\n"
                     "  \"license\": \"MIT\",\n  \"engines\": { \"vscode\": \"^1.60.0\" },\n"
                     "  \"categories\": [\"Programming Languages\"],\n  \"contributes\": {\n"
                     "    \"languages\": [\n");
    for (unsigned i = 0; i < LANGUAGES; i++)
        add_language(&o, &languages[i], i + 1 == LANGUAGES);
    gen_text_add(&o, "    ],\n    \"grammars\": [\n");
    for (unsigned i = 0; i < LANGUAGES; i++)
        add_grammar(&o, &languages[i], i + 1 == LANGUAGES);
    gen_text_add(&o, "    ]\n  }\n}\n");
    return gen_text_write(&o, dir, "vscode/package.json");
}

bool gen_emit_textmate(const struct isa_table *table, const struct keywords *keywords,
                       const char *dir) {
    struct editor_language languages[LANGUAGES];
    gen_languages_make(table, keywords, languages);
    bool ok = emit_package(table, languages, dir);
    for (unsigned i = 0; ok && i < LANGUAGES; i++)
        ok = emit_grammar(table, &languages[i], dir) &&
             emit_configuration(table, &languages[i], dir);
    return ok;
}

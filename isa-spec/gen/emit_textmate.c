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
    [PATTERN_NUMBER] = {"constant.numeric", "\\\\b[0-9][0-9A-Za-z_]*\\\\b"},
};

static void add_rule(struct gen_text *o, const struct editor_language *l, const char *scope,
                     const char *match) {
    gen_text_printf(o, "    { \"name\": \"%s.%s\", \"match\": \"%s\" },\n", scope, l->id, match);
}

static void add_words(struct gen_text *o, const struct editor_language *l,
                      enum editor_word_kind kind) {
    struct gen_text match = {.pool = o->pool};
    if (!l->word_count[kind])
        return;
    gen_text_add(&match, kind == WORD_MNEMONIC && l->any_case ? "(?i)" : "");
    gen_text_add(&match, kind == WORD_DIRECTIVE ? "\\\\.(?:" : "\\\\b(?:");
    for (unsigned i = 0; i < l->word_count[kind]; i++)
        gen_text_printf(&match, "%s%s", i ? "|" : "", l->words[kind][i]);
    gen_text_add(&match, ")\\\\b");
    add_rule(o, l, word_scopes[kind], match.data);
}

static void add_comments(struct gen_text *o, const struct editor_language *l) {
    add_rule(o, l, "comment.line", gen_printf(o->pool, "%s.*$", l->line_comment));
    if (l->other_comment)
        add_rule(o, l, "comment.line", gen_printf(o->pool, "%s.*$", l->other_comment));
    if (l->block_comments)
        gen_text_printf(o,
                        "    { \"name\": \"comment.block.%s\", \"begin\": \"/\\\\*\", \"end\": "
                        "\"\\\\*/\" },\n",
                        l->id);
    if (l->strings)
        gen_text_printf(
            o,
            "    { \"name\": \"string.quoted.double.%s\", \"begin\": \"\\\"\", \"end\": "
            "\"\\\"|$\",\n      \"patterns\": [{ \"name\": \"constant.character.escape.%s\", "
            "\"match\": \"\\\\\\\\.\" }] },\n",
            l->id, l->id);
}

static bool emit_grammar(const struct isa_table *t, const struct editor_language *l,
                         const char *dir) {
    struct gen_text o = {.pool = t->pool};
    gen_text_printf(
        &o,
        "{\n  \"information_for_contributors\": [\"Generated from isa-spec/ by isa-gen; edit "
        "the tables.\"],\n"
        "  \"name\": \"%s\",\n  \"scopeName\": \"source.%s\",\n  \"fileTypes\": [\"%s\"],\n"
        "  \"patterns\": [\n",
        l->title, l->id, l->suffix);
    add_comments(&o, l);
    for (unsigned k = 0; k < WORD_KINDS; k++)
        add_words(&o, l, (enum editor_word_kind)k);
    for (unsigned k = 0; k < PATTERN_KINDS; k++)
        if (l->has_pattern[k])
            add_rule(&o, l, patterns[k].scope, patterns[k].match);
    o.len -= 2; /* the last comma */
    gen_text_add(&o, "\n  ]\n}\n");
    return gen_text_write(&o, dir,
                          gen_printf(t->pool, "vscode/syntaxes/%s.tmLanguage.json", l->id));
}

static bool emit_configuration(const struct isa_table *t, const struct editor_language *l,
                               const char *dir) {
    struct gen_text o = {.pool = t->pool};
    gen_text_printf(&o, "{\n  \"comments\": { \"lineComment\": \"%s\"%s },\n", l->line_comment,
                    l->block_comments ? ", \"blockComment\": [\"/*\", \"*/\"]" : "");
    gen_text_add(&o, "  \"brackets\": [[\"{\", \"}\"], [\"[\", \"]\"], [\"(\", \")\"]],\n"
                     "  \"autoClosingPairs\": [\n"
                     "    { \"open\": \"{\", \"close\": \"}\" },\n"
                     "    { \"open\": \"[\", \"close\": \"]\" },\n"
                     "    { \"open\": \"(\", \"close\": \")\" }\n"
                     "  ]\n}\n");
    return gen_text_write(&o, dir,
                          gen_printf(t->pool, "vscode/language-configuration.%s.json", l->id));
}

static void add_language(struct gen_text *o, const struct editor_language *l, bool last) {
    gen_text_printf(o,
                    "      { \"id\": \"%s\", \"aliases\": [\"%s\"], \"extensions\": [\".%s\"],\n"
                    "        \"configuration\": \"./language-configuration.%s.json\" }%s\n",
                    l->id, l->title, l->suffix, l->id, last ? "" : ",");
}

static void add_grammar(struct gen_text *o, const struct editor_language *l, bool last) {
    gen_text_printf(o,
                    "      { \"language\": \"%s\", \"scopeName\": \"source.%s\",\n"
                    "        \"path\": \"./syntaxes/%s.tmLanguage.json\" }%s\n",
                    l->id, l->id, l->id, last ? "" : ",");
}

static bool emit_package(const struct isa_table *t, const struct editor_language *languages,
                         const char *dir) {
    struct gen_text o = {.pool = t->pool};
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

bool gen_emit_textmate(const struct isa_table *t, const struct keywords *k, const char *dir) {
    struct editor_language languages[LANGUAGES];
    gen_languages_make(t, k, languages);
    bool ok = emit_package(t, languages, dir);
    for (unsigned i = 0; ok && i < LANGUAGES; i++)
        ok = emit_grammar(t, &languages[i], dir) && emit_configuration(t, &languages[i], dir);
    return ok;
}

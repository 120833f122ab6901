/* SPDX-License-Identifier: MIT
 * Emacs: one file with a major mode for each language. */
#include "isa-spec/gen/editor.h"

static const char *const word_faces[WORD_KINDS] = {
    [WORD_KEYWORD] = "keyword",        [WORD_CONSTANT] = "constant",
    [WORD_FUNCTION] = "builtin",       [WORD_DIRECTIVE] = "preprocessor",
    [WORD_MNEMONIC] = "function-name",
};
static const struct {
    const char *face, *pattern;
} patterns[PATTERN_KINDS] = {
    [PATTERN_TYPE] = {"type", "\\\\_<\\\\(?:bool\\\\|[iu][0-9]+\\\\|b?f[0-9]+\\\\)\\\\_>"},
    [PATTERN_REGISTER] = {"variable-name", "\\\\_<[rR][0-9]+\\\\_>"},
    [PATTERN_PLACE] = {"constant", "\\\\_<\\\\(?:RFH\\\\|VRF\\\\|MPU\\\\)[0-9]+"},
    [PATTERN_NUMBER] =
        {"constant", "\\\\_<\\\\(?:[0-9][0-9_]*\\\\.[0-9][0-9_]*\\\\(?:[eE][-+]?[0-9]+\\\\)?\\\\|"
                     "[0-9]+[eE][-+][0-9]+\\\\|[0-9][0-9A-Za-z_]*\\\\)\\\\_>"},
};

static void add_words(struct gen_text *out, const struct editor_language *language,
                      enum editor_word_kind kind) {
    if (!language->word_count[kind])
        return;
    gen_text_printf(out, "    (,(%sregexp-opt\n       '(",
                    kind == WORD_DIRECTIVE ? "concat \"\\\\.\" (" : "");
    for (unsigned i = 0; i < language->word_count[kind]; i++)
        gen_text_printf(out, "%s\"%s\"",
                        i == 0  ? ""
                        : i % 8 ? " "
                                : "\n         ",
                        language->words[kind][i]);
    gen_text_printf(out, ")\n       '%s)%s . font-lock-%s-face)\n",
                    kind == WORD_DIRECTIVE ? "words" : "symbols", kind == WORD_DIRECTIVE ? ")" : "",
                    word_faces[kind]);
}

static void add_keywords(struct gen_text *out, const struct editor_language *language) {
    gen_text_printf(out, "(defconst %s-font-lock-keywords\n  `(\n", language->id);
    for (unsigned k = 0; k < WORD_KINDS; k++)
        add_words(out, language, (enum editor_word_kind)k);
    for (unsigned k = 0; k < PATTERN_KINDS; k++)
        if (language->has_pattern[k])
            gen_text_printf(out, "    (\"%s\" . font-lock-%s-face)\n", patterns[k].pattern,
                            patterns[k].face);
    gen_text_printf(out, "    )\n  \"What is highlighted in %s.\")\n\n", language->title);
}

static void add_syntax(struct gen_text *out, const struct editor_language *language) {
    gen_text_printf(out, "(defvar %s-mode-syntax-table\n  (let ((table (make-syntax-table)))\n",
                    language->id);
    if (language->other_comment)
        gen_text_printf(out, "    (modify-syntax-entry ?\\%s \"< b\" table)\n",
                        language->other_comment);
    gen_text_add(out, "    (modify-syntax-entry ?_ \"_\" table)\n"
                      "    (modify-syntax-entry ?\\n \">\" table)\n");
    if (language->block_comments)
        gen_text_add(out, "    (modify-syntax-entry ?/ \". 124b\" table)\n"
                          "    (modify-syntax-entry ?* \". 23\" table)\n"
                          "    (modify-syntax-entry ?\\n \"> b\" table)\n");
    else
        gen_text_printf(out, "    (modify-syntax-entry ?%s \"<\" table)\n", language->line_comment);
    gen_text_printf(out, "    table)\n  \"Syntax table of %s.\")\n\n", language->title);
}

static void add_mode(struct gen_text *out, const struct editor_language *language) {
    gen_text_printf(out,
                    ";;;###autoload\n"
                    "(define-derived-mode %s-mode prog-mode \"%s\"\n"
                    "  \"Major mode for %s.\"\n"
                    "  (setq-local comment-start \"%s \")\n"
                    "  (setq-local comment-end \"\")\n"
                    "  (setq-local indent-tabs-mode nil)\n"
                    "  (setq-local font-lock-defaults '(%s-font-lock-keywords nil %s)))\n\n",
                    language->id, language->title, language->title, language->line_comment,
                    language->id, language->any_case ? "t" : "nil");
}

/* .s belongs to other assemblers too: there the mode is chosen by hand or by the first line. */
static void add_choice(struct gen_text *out, const struct editor_language *language) {
    if (language->any_case)
        gen_text_printf(out,
                        ";; For .s files: M-x %s-mode, or -*- mode: %s -*- in the first line.\n\n",
                        language->id, language->id);
    else
        gen_text_printf(out,
                        ";;;###autoload\n"
                        "(add-to-list 'auto-mode-alist '(\"\\\\.%s\\\\'\" . %s-mode))\n\n",
                        language->suffix, language->id);
}

bool gen_emit_emacs(const struct isa_table *table, const struct keywords *keywords,
                    const char *dir) {
    struct editor_language languages[LANGUAGES];
    struct gen_text o = {.pool = table->pool};
    gen_languages_make(table, keywords, languages);
    gen_text_add(&o,
                 ";;; mpu-mode.el --- ezpim, MPU assembly and recipes -*- lexical-binding: t -*-\n"
                 ";; SPDX-License-Identifier: MIT\n"
                 ";; Generated from isa-spec/ by isa-gen; edit the tables.\n;;; Code:\n\n");
    for (unsigned i = 0; i < LANGUAGES; i++) {
        add_keywords(&o, &languages[i]);
        add_syntax(&o, &languages[i]);
        add_mode(&o, &languages[i]);
        add_choice(&o, &languages[i]);
    }
    gen_text_add(&o, "(provide 'mpu-mode)\n;;; mpu-mode.el ends here\n");
    return gen_text_write(&o, dir, "emacs/mpu-mode.el");
}

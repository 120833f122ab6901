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
    [PATTERN_NUMBER] = {"constant", "\\\\_<[0-9][0-9A-Za-z_]*\\\\_>"},
};

static void add_words(struct gen_text *o, const struct editor_language *l,
                      enum editor_word_kind kind) {
    if (!l->word_count[kind])
        return;
    gen_text_printf(o, "    (,(%sregexp-opt\n       '(",
                    kind == WORD_DIRECTIVE ? "concat \"\\\\.\" (" : "");
    for (unsigned i = 0; i < l->word_count[kind]; i++)
        gen_text_printf(o, "%s\"%s\"",
                        i == 0  ? ""
                        : i % 8 ? " "
                                : "\n         ",
                        l->words[kind][i]);
    gen_text_printf(o, ")\n       '%s)%s . font-lock-%s-face)\n",
                    kind == WORD_DIRECTIVE ? "words" : "symbols", kind == WORD_DIRECTIVE ? ")" : "",
                    word_faces[kind]);
}

static void add_keywords(struct gen_text *o, const struct editor_language *l) {
    gen_text_printf(o, "(defconst %s-font-lock-keywords\n  `(\n", l->id);
    for (unsigned k = 0; k < WORD_KINDS; k++)
        add_words(o, l, (enum editor_word_kind)k);
    for (unsigned k = 0; k < PATTERN_KINDS; k++)
        if (l->has_pattern[k])
            gen_text_printf(o, "    (\"%s\" . font-lock-%s-face)\n", patterns[k].pattern,
                            patterns[k].face);
    gen_text_printf(o, "    )\n  \"What is highlighted in %s.\")\n\n", l->title);
}

static void add_syntax(struct gen_text *o, const struct editor_language *l) {
    gen_text_printf(o, "(defvar %s-mode-syntax-table\n  (let ((table (make-syntax-table)))\n",
                    l->id);
    if (l->other_comment)
        gen_text_printf(o, "    (modify-syntax-entry ?\\%s \"< b\" table)\n", l->other_comment);
    gen_text_add(o, "    (modify-syntax-entry ?_ \"_\" table)\n"
                    "    (modify-syntax-entry ?\\n \">\" table)\n");
    if (l->block_comments)
        gen_text_add(o, "    (modify-syntax-entry ?/ \". 124b\" table)\n"
                        "    (modify-syntax-entry ?* \". 23\" table)\n"
                        "    (modify-syntax-entry ?\\n \"> b\" table)\n");
    else
        gen_text_printf(o, "    (modify-syntax-entry ?%s \"<\" table)\n", l->line_comment);
    gen_text_printf(o, "    table)\n  \"Syntax table of %s.\")\n\n", l->title);
}

static void add_mode(struct gen_text *o, const struct editor_language *l) {
    gen_text_printf(o,
                    ";;;###autoload\n"
                    "(define-derived-mode %s-mode prog-mode \"%s\"\n"
                    "  \"Major mode for %s.\"\n"
                    "  (setq-local comment-start \"%s \")\n"
                    "  (setq-local comment-end \"\")\n"
                    "  (setq-local indent-tabs-mode nil)\n"
                    "  (setq-local font-lock-defaults '(%s-font-lock-keywords nil %s)))\n\n",
                    l->id, l->title, l->title, l->line_comment, l->id, l->any_case ? "t" : "nil");
}

/* .s belongs to other assemblers too: there the mode is chosen by hand or by the first line. */
static void add_choice(struct gen_text *o, const struct editor_language *l) {
    if (l->any_case)
        gen_text_printf(o,
                        ";; For .s files: M-x %s-mode, or -*- mode: %s -*- in the first line.\n\n",
                        l->id, l->id);
    else
        gen_text_printf(o,
                        ";;;###autoload\n"
                        "(add-to-list 'auto-mode-alist '(\"\\\\.%s\\\\'\" . %s-mode))\n\n",
                        l->suffix, l->id);
}

bool gen_emit_emacs(const struct isa_table *t, const struct keywords *k, const char *dir) {
    struct editor_language languages[LANGUAGES];
    struct gen_text o = {.pool = t->pool};
    gen_languages_make(t, k, languages);
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

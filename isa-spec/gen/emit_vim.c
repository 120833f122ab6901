/* SPDX-License-Identifier: MIT
 * Vim: syntax, file type detection, comment strings. */
#include "isa-spec/gen/editor.h"

static const char banner[] = "\" Generated from isa-spec/ by isa-gen; edit the tables.\n";

/* Highlight groups by enum editor_word_kind and enum pattern_kind. */
static const char *const word_groups[WORD_KINDS][2] = {
    [WORD_KEYWORD] = {"Keyword", "Statement"},  [WORD_CONSTANT] = {"Constant", "Boolean"},
    [WORD_FUNCTION] = {"Function", "Function"}, [WORD_DIRECTIVE] = {"Directive", "PreProc"},
    [WORD_MNEMONIC] = {"Mnemonic", "Operator"},
};
static const struct {
    const char *group, *link, *pattern;
} patterns[PATTERN_KINDS] = {
    [PATTERN_TYPE] = {"Type", "Type", "\\<\\%(bool\\|[iu]\\d\\+\\|b\\=f\\d\\+\\)\\>"},
    [PATTERN_REGISTER] = {"Register", "Identifier", "\\c\\<r\\d\\+\\>"},
    [PATTERN_PLACE] = {"Place", "Special", "\\c\\<\\%(RFH\\|VRF\\|MPU\\)\\d\\+"},
    [PATTERN_NUMBER] = {"Number", "Number", "\\<\\d[0-9A-Za-z_]*\\>"},
};

/* Ten words to a line. */
static void add_word(struct gen_text *o, const struct editor_language *l,
                     enum editor_word_kind kind, unsigned i) {
    if (i % 10 == 0)
        gen_text_printf(o, "%ssyn keyword %s%s", i ? "\n" : "", l->id, word_groups[kind][0]);
    gen_text_printf(o, " %s", l->words[kind][i]);
}

static void add_words(struct gen_text *o, const struct editor_language *l,
                      enum editor_word_kind kind) {
    for (unsigned i = 0; i < l->word_count[kind]; i++) {
        if (kind == WORD_DIRECTIVE)
            gen_text_printf(o, "syn match %s%s \"\\.%s\\>\"\n", l->id, word_groups[kind][0],
                            l->words[kind][i]);
        else
            add_word(o, l, kind, i);
    }
    gen_text_add(o, l->word_count[kind] ? "\n" : "");
}

static void add_comments(struct gen_text *o, const struct editor_language *l) {
    gen_text_printf(o, "syn match %sComment \"%s.*$\" contains=@Spell\n", l->id, l->line_comment);
    if (l->other_comment)
        gen_text_printf(o, "syn match %sComment \"%s.*$\" contains=@Spell\n", l->id,
                        l->other_comment);
    if (l->block_comments)
        gen_text_printf(o, "syn region %sComment start=\"/\\*\" end=\"\\*/\" contains=@Spell\n",
                        l->id);
    if (l->strings)
        gen_text_printf(o, "syn region %sString start=+\"+ skip=+\\\\.+ end=+\"+ oneline\n", l->id);
}

static void add_links(struct gen_text *o, const struct editor_language *l) {
    gen_text_printf(o, "hi def link %sComment Comment\nhi def link %sString String\n", l->id,
                    l->id);
    for (unsigned k = 0; k < WORD_KINDS; k++)
        if (l->word_count[k])
            gen_text_printf(o, "hi def link %s%s %s\n", l->id, word_groups[k][0],
                            word_groups[k][1]);
    for (unsigned k = 0; k < PATTERN_KINDS; k++)
        if (l->has_pattern[k])
            gen_text_printf(o, "hi def link %s%s %s\n", l->id, patterns[k].group, patterns[k].link);
}

static bool emit_syntax(const struct isa_table *t, const struct editor_language *l,
                        const char *dir) {
    struct gen_text o = {.pool = t->pool};
    gen_text_printf(&o, "%sif exists(\"b:current_syntax\")\n  finish\nendif\n", banner);
    for (unsigned k = 0; k < PATTERN_KINDS; k++)
        if (l->has_pattern[k])
            gen_text_printf(&o, "syn match %s%s \"%s\"\n", l->id, patterns[k].group,
                            patterns[k].pattern);
    for (unsigned k = 0; k < WORD_KINDS; k++) {
        gen_text_add(&o, k == WORD_MNEMONIC && l->any_case ? "syn case ignore\n" : "");
        add_words(&o, l, (enum editor_word_kind)k);
    }
    gen_text_add(&o, l->any_case ? "syn case match\n" : "");
    add_comments(&o, l);
    add_links(&o, l);
    gen_text_printf(&o, "let b:current_syntax = \"%s\"\n", l->id);
    return gen_text_write(&o, dir, gen_printf(t->pool, "vim/syntax/%s.vim", l->id));
}

static bool emit_plugin(const struct isa_table *t, const struct editor_language *l,
                        const char *dir) {
    struct gen_text o = {.pool = t->pool};
    gen_text_printf(
        &o, "%sif exists(\"b:did_ftplugin\")\n  finish\nendif\nlet b:did_ftplugin = 1\n", banner);
    gen_text_printf(&o, "setlocal commentstring=%s\\ %%s comments=:%s\n", l->line_comment,
                    l->line_comment);
    gen_text_add(&o, "setlocal expandtab shiftwidth=4\n");
    gen_text_add(&o, "let b:undo_ftplugin = \"setlocal commentstring< comments< expandtab< "
                     "shiftwidth<\"\n");
    return gen_text_write(&o, dir, gen_printf(t->pool, "vim/ftplugin/%s.vim", l->id));
}

/* Other machines' assembly ends in .s too: what an MPU file says near its top decides. */
static bool emit_detect(const struct isa_table *t, const char *dir) {
    struct gen_text o = {.pool = t->pool};
    gen_text_printf(
        &o,
        "%s"
        "function! s:MpuAssembly()\n"
        "  for line in getline(1, 200)\n"
        "    if line =~? '^\\s*\\%%(\\d\\+:\\s*\\)\\=\\%%(COMPUTEG\\=\\|MOVE\\)\\s\\+\\%%(@\\|"
        "RFH\\d\\)'\n"
        "      setlocal filetype=mpuasm\n"
        "      return\n"
        "    endif\n"
        "  endfor\n"
        "endfunction\n"
        "autocmd BufNewFile,BufRead *.ez set filetype=ezpim\n"
        "autocmd BufNewFile,BufRead *.recipe set filetype=mpurecipe\n"
        "autocmd BufNewFile,BufRead *.s call s:MpuAssembly()\n",
        banner);
    return gen_text_write(&o, dir, "vim/ftdetect/mpu.vim");
}

bool gen_emit_vim(const struct isa_table *t, const struct keywords *k, const char *dir) {
    struct editor_language languages[LANGUAGES];
    gen_languages_make(t, k, languages);
    bool ok = emit_detect(t, dir);
    for (unsigned i = 0; ok && i < LANGUAGES; i++)
        ok = emit_syntax(t, &languages[i], dir) && emit_plugin(t, &languages[i], dir);
    return ok;
}

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
    [PATTERN_NUMBER] = {"Number", "Number",
                        "\\<\\%(\\d[0-9_]*\\.\\d[0-9_]*\\%([eE][-+]\\=\\d\\+\\)\\=\\|"
                        "\\d\\+[eE][-+]\\d\\+\\|\\d[0-9A-Za-z_]*\\)\\>"},
};

/* Ten words to a line. */
static void add_word(struct gen_text *out, const struct editor_language *language,
                     enum editor_word_kind kind, unsigned index) {
    if (index % 10 == 0)
        gen_text_printf(out, "%ssyn keyword %s%s", index ? "\n" : "", language->id,
                        word_groups[kind][0]);
    gen_text_printf(out, " %s", language->words[kind][index]);
}

static void add_words(struct gen_text *out, const struct editor_language *language,
                      enum editor_word_kind kind) {
    for (unsigned i = 0; i < language->word_count[kind]; i++) {
        if (kind == WORD_DIRECTIVE)
            gen_text_printf(out, "syn match %s%s \"\\.%s\\>\"\n", language->id,
                            word_groups[kind][0], language->words[kind][i]);
        else
            add_word(out, language, kind, i);
    }
    gen_text_add(out, language->word_count[kind] ? "\n" : "");
}

static void add_comments(struct gen_text *out, const struct editor_language *language) {
    gen_text_printf(out, "syn match %sComment \"%s.*$\" contains=@Spell\n", language->id,
                    language->line_comment);
    if (language->other_comment)
        gen_text_printf(out, "syn match %sComment \"%s.*$\" contains=@Spell\n", language->id,
                        language->other_comment);
    if (language->block_comments)
        gen_text_printf(out, "syn region %sComment start=\"/\\*\" end=\"\\*/\" contains=@Spell\n",
                        language->id);
    if (language->strings)
        gen_text_printf(out, "syn region %sString start=+\"+ skip=+\\\\.+ end=+\"+ oneline\n",
                        language->id);
}

static void add_links(struct gen_text *out, const struct editor_language *language) {
    gen_text_printf(out, "hi def link %sComment Comment\nhi def link %sString String\n",
                    language->id, language->id);
    for (unsigned k = 0; k < WORD_KINDS; k++)
        if (language->word_count[k])
            gen_text_printf(out, "hi def link %s%s %s\n", language->id, word_groups[k][0],
                            word_groups[k][1]);
    for (unsigned k = 0; k < PATTERN_KINDS; k++)
        if (language->has_pattern[k])
            gen_text_printf(out, "hi def link %s%s %s\n", language->id, patterns[k].group,
                            patterns[k].link);
}

static bool emit_syntax(const struct isa_table *table, const struct editor_language *language,
                        const char *dir) {
    struct gen_text o = {.pool = table->pool};
    gen_text_printf(&o, "%sif exists(\"b:current_syntax\")\n  finish\nendif\n", banner);
    for (unsigned k = 0; k < PATTERN_KINDS; k++)
        if (language->has_pattern[k])
            gen_text_printf(&o, "syn match %s%s \"%s\"\n", language->id, patterns[k].group,
                            patterns[k].pattern);
    for (unsigned k = 0; k < WORD_KINDS; k++) {
        gen_text_add(&o, k == WORD_MNEMONIC && language->any_case ? "syn case ignore\n" : "");
        add_words(&o, language, (enum editor_word_kind)k);
    }
    gen_text_add(&o, language->any_case ? "syn case match\n" : "");
    add_comments(&o, language);
    add_links(&o, language);
    gen_text_printf(&o, "let b:current_syntax = \"%s\"\n", language->id);
    return gen_text_write(&o, dir, gen_printf(table->pool, "vim/syntax/%s.vim", language->id));
}

static bool emit_plugin(const struct isa_table *table, const struct editor_language *language,
                        const char *dir) {
    struct gen_text o = {.pool = table->pool};
    gen_text_printf(
        &o, "%sif exists(\"b:did_ftplugin\")\n  finish\nendif\nlet b:did_ftplugin = 1\n", banner);
    gen_text_printf(&o, "setlocal commentstring=%s\\ %%s comments=:%s\n", language->line_comment,
                    language->line_comment);
    gen_text_add(&o, "setlocal expandtab shiftwidth=4\n");
    gen_text_add(&o, "let b:undo_ftplugin = \"setlocal commentstring< comments< expandtab< "
                     "shiftwidth<\"\n");
    return gen_text_write(&o, dir, gen_printf(table->pool, "vim/ftplugin/%s.vim", language->id));
}

/* Other machines' assembly ends in .s too: what an MPU file says near its top decides. */
static bool emit_detect(const struct isa_table *table, const char *dir) {
    struct gen_text o = {.pool = table->pool};
    gen_text_printf(
        &o,
        "%s"
        "let s:label = '^\\s*\\%%([0-9A-Za-z_.$]\\+:\\s*\\)*'\n"
        "let s:header = '\\%%(COMPUTEG\\=\\|MOVE\\)\\s\\+\\%%(@\\|RFH\\d\\)'\n"
        "let s:step = '\\%%(SEND\\|RECV\\)\\s\\+MPU\\|GMOVE\\s\\+@\\|COMPUTE_DONE\\>\\|MPU_SYNC\\>'\n"
        "let s:step .= '\\|SETMASK\\s\\|UNMASK\\>\\|REPEAT\\s\\+\\d\\|[0-9A-Za-z_.]\\+\\s\\+\\%%(-\\=\\d\\|r\\d\\)\\w*\\s\\+r\\d'\n"
        "let s:directive = '\\.\\%%(geometry\\s\\+\\w\\+=\\|group\\s\\+\\w\\+\\[\\|signature\\s\\|recipe\\s\\|sub\\s'\n"
        "let s:directive .= '\\|width\\s\\+\\d\\|size\\s\\+\\w\\+\\s*\\%%($\\|//\\|[=<]\\)\\)'\n"
        "function! s:MpuAssembly()\n"
        "  for line in getline(1, 200)\n"
        "    if line =~? s:label . '\\%%(' . s:header . '\\|' . s:step . '\\|' . s:directive . '\\)'\n"
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

bool gen_emit_vim(const struct isa_table *table, const struct keywords *keywords, const char *dir) {
    struct editor_language languages[LANGUAGES];
    gen_languages_make(table, keywords, languages);
    bool ok = emit_detect(table, dir);
    for (unsigned i = 0; ok && i < LANGUAGES; i++)
        ok = emit_syntax(table, &languages[i], dir) && emit_plugin(table, &languages[i], dir);
    return ok;
}

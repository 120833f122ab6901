/* SPDX-License-Identifier: MIT
 * Instructions. */
#include "ptx/parser.h"

#include <string.h>

/* Operands while their number is not known; labels point to them, so that they stay. */
struct operands {
    struct ptx_operand *list; /* [room] in the arena */
    uint32_t count, room;
};

static struct ptx_operand *next(struct ptx_parser *parser, struct operands *all) {
    if (all->count == PTX_MAX_OPERANDS) {
        ptx_wrong(parser, 0, "an instruction has at most %d operands", PTX_MAX_OPERANDS);
        return NULL;
    }
    if (all->count == all->room) {
        uint32_t room = all->room ? 2 * all->room : 4;
        struct ptx_operand *more = ARENA_ARRAY(&parser->module->arena, room, struct ptx_operand);
        if (all->count)
            memcpy(more, all->list, all->count * sizeof *more);
        all->list = more;
        all->room = room;
    }
    return &all->list[all->count++];
}

static bool parse_one(struct ptx_parser *parser, struct operands *all, bool may_be_label) {
    struct ptx_operand *o = next(parser, all);
    return o && ptx_parse_operand(parser, may_be_label, o);
}

/* (a, b), without the parenthesis in front */
static bool parse_list(struct ptx_parser *parser, struct operands *all) {
    if (ptx_accept(parser, ")"))
        return true;
    do {
        if (!parse_one(parser, all, false))
            return false;
    } while (ptx_accept(parser, ","));
    return ptx_expect(parser, ")");
}

/* (result), function, (arguments) */
static bool parse_call(struct ptx_parser *parser, struct ptx_insn *insn, struct operands *all) {
    if (ptx_accept(parser, "(")) {
        insn->has_results = true;
        if (!parse_list(parser, all) || !ptx_expect(parser, ","))
            return false;
        if (all->count > 8)
            return ptx_wrong(parser, 0, "a call has at most 8 results");
        insn->result_count = (uint8_t)all->count;
    }
    if (!parse_one(parser, all, false))
        return false;
    if (all->list[all->count - 1].kind != PTX_FUNCTION)
        return ptx_wrong(parser, insn->line, "indirect calls are not there");
    if (!ptx_accept(parser, ","))
        return true;
    insn->has_arguments = true;
    return ptx_expect(parser, "(") && parse_list(parser, all) &&
           (!ptx_is(parser, ",") ||
            ptx_wrong(parser, insn->line, "calls by a prototype are not there"));
}

static bool parse_operands(struct ptx_parser *parser, struct ptx_insn *insn, struct operands *all) {
    bool label = insn->form->op == PTX_OP_BRA;
    if (insn->form->op == PTX_OP_CALL)
        return parse_call(parser, insn, all);
    if (ptx_is(parser, ";"))
        return true;
    do {
        if (!parse_one(parser, all, label))
            return false;
    } while (ptx_accept(parser, ","));
    return true;
}

/* @p, @!p */
static bool parse_guard(struct ptx_parser *parser, struct ptx_insn *insn) {
    struct ptx_operand p;
    insn->guard = PTX_NONE;
    if (!ptx_accept(parser, "@"))
        return true;
    if (!ptx_parse_operand(parser, false, &p))
        return false;
    if (p.kind != PTX_REGISTER || p.second != PTX_NONE || p.address ||
        parser->function->registers.data[p.index].type != PTX_PRED)
        return ptx_wrong(parser, 0, "what guards an instruction is a predicate");
    insn->guard = p.index;
    insn->guard_not = p.negated;
    return true;
}

/* The form, looked up once for each opcode. */
static bool parse_opcode(struct ptx_parser *parser, struct ptx_insn *insn) {
    const struct ptx_word w = parser->words.word;
    if (w.kind != PTX_WORD_NAME)
        return ptx_wrong(parser, 0, "expected an instruction in place of '%.*s'", (int)w.n, w.text);
    const uint64_t *known = map_get_n(&parser->forms, w.text, w.n);
    if (!known) {
        struct ptx_insn made = {.name = NULL};
        struct str what = {0};
        made.form = ptx_form_find(w.text, w.n, &made.m, &what);
        if (!made.form)
            ptx_wrong(parser, 0, "%s", str_text(&what));
        str_free(&what);
        if (!made.form)
            return false;
        made.name = arena_strndup(&parser->module->arena, w.text, w.n);
        map_put_n(&parser->forms, w.text, w.n, parser->resolved.len);
        vec_push(&parser->resolved, made);
        known = map_get_n(&parser->forms, w.text, w.n);
    }
    const struct ptx_insn *found = &parser->resolved.data[*known];
    insn->form = found->form;
    insn->m = found->m;
    insn->name = found->name;
    ptx_words_next(&parser->words);
    return true;
}

bool ptx_parse_insn(struct ptx_parser *parser) {
    struct ptx_insn insn = {.file = parser->file, .source_line = parser->source_line};
    struct operands all = {NULL, 0, 0};
    if (!parse_guard(parser, &insn))
        return false;
    insn.line = parser->words.word.line;
    if (!parse_opcode(parser, &insn) || !parse_operands(parser, &insn, &all) ||
        !ptx_expect(parser, ";"))
        return false;
    insn.operands = all.list;
    insn.operand_count = all.count;
    struct ptx_item item = {PTX_ITEM_INSN, (uint32_t)parser->function->insns.len, NULL};
    vec_push(&parser->function->items, item);
    vec_push(&parser->function->insns, insn);
    return ptx_check_insn(parser, &insn);
}

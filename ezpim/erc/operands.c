/* SPDX-License-Identifier: MIT
 * Operands: of instructions by the table, of conditions by their form. */
#include "ezpim/erc/unit.h"

#include <string.h>

struct reader {
    struct erc_unit *u;
    const struct erc_scope *scope;
    uint32_t at, end;
};

/* What each letter of the table may be. */
struct operand_class {
    char letter;
    const char *name;
    int64_t last; /* the first is 0 */
};

static struct operand_class class_of(const struct erc_unit *u, char letter) {
    switch (letter) {
    case 'a':
    case 'b':
    case 'c':
        return (struct operand_class){letter, "register", 63};
    case 'f':
    case 'g':
        return (struct operand_class){letter, "RFH", (int64_t)u->rfhs - 1};
    case 'v':
    case 'w':
        return (struct operand_class){letter, "VRF", 63};
    case 'm':
        return (struct operand_class){letter, "MPU", OBJECT_MAX_MPUS - 1};
    case 'e':
        return (struct operand_class){letter, "element", 63};
    default:
        return (struct operand_class){letter, "number", INT32_MAX};
    }
}

/* [expr]: the brackets are there on both sides, and nothing else is between them. */
static bool read_bracket(struct reader *r, int64_t *value) {
    uint32_t first = r->at + 1, close = first, depth = 1;
    for (; close < r->end && depth; close++)
        depth +=
            (uint32_t)erc_token_is(r->u, close, "[") - (uint32_t)erc_token_is(r->u, close, "]");
    if (depth) {
        erc_error(r->u, r->at, "this '[' has no ']'");
        return false;
    }
    uint32_t at = first;
    r->at = close;
    if (!erc_compute(r->u, r->scope, &at, close - 1, value))
        return false;
    if (at == close - 1)
        return true;
    erc_error(r->u, at, "this does not belong to the expression before it");
    return false;
}

static bool is_register_name(const char *text, size_t size) {
    if (size < 2 || (text[0] != 'r' && text[0] != 'R'))
        return false;
    for (size_t i = 1; i < size; i++)
        if (text[i] < '0' || text[i] > '9')
            return false;
    return true;
}

static void refuse_word(struct reader *r) {
    struct erc_unit *u = r->u;
    size_t size;
    int64_t value;
    const char *text = erc_token_text(u, r->at, &size);
    const char *name = erc_token_name(u, r->at);
    if (erc_lookup(u, r->scope, r->at, &value)) {
        if (erc_error(u, r->at, "a name is replaced by its value in brackets alone"))
            diag_fixit(u->diag, erc_token_span(u, r->at), arena_printf(&u->arena, "[%s]", name));
    } else if (is_register_name(text, size)) {
        if (erc_error(u, r->at, "registers are plain numbers"))
            diag_fixit(u->diag, erc_token_span(u, r->at), name + 1);
    } else {
        erc_error(u, r->at, "expected a number or an expression in brackets, not '%s'", name);
    }
}

static bool read_number(struct reader *r, int64_t *value) {
    struct erc_unit *u = r->u;
    size_t size;
    if (r->at >= r->end) {
        erc_error(u, r->end - 1, "an operand is missing behind this");
        return false;
    }
    if (erc_token_is(u, r->at, "["))
        return read_bracket(r, value);
    const char *text = erc_token_text(u, r->at, &size);
    if (u->tokens.data[r->at].kind == TOKEN_NUMBER && number_parse_i64(text, size, value)) {
        r->at++;
        return true;
    }
    if (u->tokens.data[r->at].kind == TOKEN_WORD)
        refuse_word(r);
    else
        erc_error(u, r->at, "expected a number or an expression in brackets, not '%s'",
                  erc_token_name(u, r->at));
    return false;
}

static bool read_operand(struct reader *r, char letter, int32_t *out) {
    struct erc_unit *u = r->u;
    struct operand_class c = class_of(u, letter);
    uint32_t token = r->at;
    int64_t value;
    if (!read_number(r, &value))
        return false;
    if (value < 0 || value > c.last) {
        if (erc_error(u, token, "%s %lld does not exist: they are 0 to %lld", c.name,
                      (long long)value, (long long)c.last) &&
            (letter == 'f' || letter == 'g'))
            diag_note(u->diag, NO_SPAN, "'--rfhs %lld' gives the program that many RFHs",
                      (long long)value + 1);
        return false;
    }
    *out = (int32_t)value;
    if (letter >= 'a' && letter <= 'c')
        u->used |= UINT64_C(1) << value;
    return true;
}

/* A label's name, or a number: of a label or, in .rc, a line. */
static bool read_target(struct reader *r, struct erc_item *item) {
    struct erc_unit *u = r->u;
    if (r->at >= r->end || u->tokens.data[r->at].kind == TOKEN_SIGN) {
        erc_error(u, r->at < r->end ? r->at : r->end - 1, "expected the name of a label");
        return false;
    }
    item->name = erc_token_name(u, r->at++);
    return true;
}

static bool read_operands(struct reader *r, struct erc_item *item) {
    const struct erc_insn *insn = item->insn;
    for (size_t k = 0; insn->operands[k]; k++) {
        if (r->at >= r->end && (insn->flags & ERC_OPTIONAL))
            return true;
        if (insn->operands[k] == 'l' ? !read_target(r, item)
                                     : !read_operand(r, insn->operands[k], &item->operand[k]))
            return false;
        if (r->at < r->end && erc_token_is(r->u, r->at, ","))
            r->at++;
    }
    if (r->at == r->end)
        return true;
    erc_error(r->u, r->at, "'%s' takes %zu operand%s", insn->name, strlen(insn->operands),
              strlen(insn->operands) == 1 ? "" : "s");
    return false;
}

static void unknown_insn(struct erc_unit *u, uint32_t token) {
    const char *names[128];
    const char *name = erc_token_name(u, token);
    for (size_t i = 0; i < erc_insn_count; i++)
        names[i] = erc_insns[i].name;
    if (erc_error(u, token, "the dialect has no instruction '%s'", name))
        diag_suggest(u->diag, erc_token_span(u, token), name, names, erc_insn_count);
}

void erc_expand_insn(struct erc_unit *u, const struct erc_scope *s, uint32_t line) {
    const struct erc_line *l = &u->lines.data[line];
    struct reader r = {u, s, l->first + 1, l->first + l->count};
    struct erc_item item = {.kind = ITEM_INSN, .line = line, .target = NO_INDEX};
    size_t size, count;
    const char *text = erc_token_text(u, l->first, &size);
    item.insn = erc_find(text, size);
    if (!item.insn) {
        unknown_insn(u, l->first);
        return;
    }
    if (!read_operands(&r, &item))
        return;
    count = strlen(item.insn->operands);
    if ((item.insn->flags & ERC_LAST_DIFFERS) && item.operand[count - 1] == item.operand[count - 2])
        erc_error(u, l->first, "the last two registers of '%s' must differ: both take a result",
                  item.insn->name);
    vec_push(&u->items, item);
}

static bool expect(struct reader *r, const char *text) {
    if (r->at < r->end && erc_token_is(r->u, r->at, text)) {
        r->at++;
        return true;
    }
    erc_error(r->u, r->at < r->end ? r->at : r->end - 1,
              r->at < r->end ? "expected '%s'" : "expected '%s' behind this", text);
    return false;
}

static bool read_relation(struct reader *r, struct erc_item *item) {
    for (unsigned k = 0; k < RELATION_COUNT && r->at < r->end; k++)
        if (erc_token_is(r->u, r->at, erc_relations[k])) {
            item->relation = (uint8_t)k;
            r->at++;
            return true;
        }
    erc_error(r->u, r->at < r->end ? r->at : r->end - 1, "expected one of > < == >= <= !=");
    return false;
}

/* GM , M <- ( A REL B ); an elif has no GM. */
static bool read_condition(struct reader *r, struct erc_item *item) {
    if (item->kind != ITEM_ELIF &&
        (!read_operand(r, 'a', &item->operand[CONDITION_GM]) || !expect(r, ",")))
        return false;
    if (!read_operand(r, 'a', &item->operand[CONDITION_M]) || !expect(r, "<") || !expect(r, "-") ||
        !expect(r, "(") || !read_operand(r, 'a', &item->operand[CONDITION_A]) ||
        !read_relation(r, item) || !read_operand(r, 'a', &item->operand[CONDITION_B]) ||
        !expect(r, ")"))
        return false;
    if (r->at == r->end || (r->at + 1 == r->end && erc_token_is(r->u, r->at, ":")))
        return true;
    erc_error(r->u, r->at, "something stands behind the condition");
    return false;
}

void erc_expand_condition(struct erc_unit *u, const struct erc_scope *s, uint32_t line) {
    const struct erc_line *l = &u->lines.data[line];
    struct reader r = {u, s, l->first + 1, l->first + l->count};
    enum item_kind kind = l->kind == LINE_IF     ? ITEM_IF
                          : l->kind == LINE_ELIF ? ITEM_ELIF
                                                 : ITEM_WHILE;
    struct erc_item *item = erc_push_item(u, kind, line);
    item->divided = l->divided;
    read_condition(&r, item);
}

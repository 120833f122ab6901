/* SPDX-License-Identifier: MIT
 * The syntax tree as text: one node a line, children indented. */
#include "ezpim/ez/ast.h"

#include <inttypes.h>

struct printer {
    const struct diag *diag;
    struct str *out;
};

static void start(struct printer *p, unsigned depth, const char *word) {
    for (unsigned i = 0; i < depth; i++)
        str_append(p->out, "  ");
    str_append(p->out, word);
}

static void finish(struct printer *p, struct span at) {
    uint32_t line, column;
    diag_position(p->diag, at, &line, &column);
    str_printf(p->out, "  ; %" PRIu32 ":%" PRIu32 "\n", line, column);
}

static void print_expr(struct printer *p, const struct expr *e, unsigned depth) {
    static const char *const words[] = {
        [EXPR_ERROR] = "error",   [EXPR_NUMBER] = "number", [EXPR_BOOL] = "bool",
        [EXPR_NAME] = "name",     [EXPR_INDEX] = "index",   [EXPR_UNARY] = "unary",
        [EXPR_BINARY] = "binary", [EXPR_CALL] = "call",     [EXPR_LIST] = "list"};
    if (!e)
        return;
    start(p, depth, words[e->kind]);
    if (e->kind == EXPR_NUMBER || e->kind == EXPR_BOOL)
        str_printf(p->out, " %" PRIu64, (uint64_t)e->number);
    if (e->kind == EXPR_UNARY)
        str_printf(p->out, " %s", unary_text(e->op));
    if (e->kind == EXPR_BINARY)
        str_printf(p->out, " %s", binary_text(e->op));
    if (e->name.text)
        str_printf(p->out, " %s", e->name.text);
    finish(p, e->at);
    for (uint32_t i = 0; i < e->arg_count; i++)
        print_expr(p, e->args[i], depth + 1);
}

static void print_type(struct printer *p, const struct type_syntax *t, unsigned depth) {
    if (!t)
        return;
    start(p, depth, "type ");
    str_append(p->out, t->name.text);
    if (t->inner.text)
        str_printf(p->out, " as %s", t->inner.text);
    if (t->group.text)
        str_printf(p->out, " @ %s", t->group.text);
    finish(p, t->at);
    print_expr(p, t->count, depth + 1);
}

static void print_stmts(struct printer *p, const struct stmt *s, unsigned depth);

static void print_stmt(struct printer *p, const struct stmt *s, unsigned depth) {
    static const char *const words[] = {[STMT_ERROR] = "error",
                                        [STMT_COMPUTE] = "compute",
                                        [STMT_LET] = "let",
                                        [STMT_ASSIGN] = "assign",
                                        [STMT_INSN] = "instruction",
                                        [STMT_CALL] = "call",
                                        [STMT_IF] = "if",
                                        [STMT_WHILE] = "while",
                                        [STMT_FOR] = "for",
                                        [STMT_REPEAT] = "repeat",
                                        [STMT_MOVE] = "move",
                                        [STMT_BREAK] = "break",
                                        [STMT_CONTINUE] = "continue",
                                        [STMT_RETURN] = "return",
                                        [STMT_ASSERT] = "assert",
                                        [STMT_PRINT] = "print",
                                        [STMT_MARK] = "mark",
                                        [STMT_SYNC] = "sync",
                                        [STMT_ON] = "on",
                                        [STMT_COLLECTIVE] = "collective",
                                        [STMT_BARRIER] = "barrier",
                                        [STMT_ASM] = "asm",
                                        [STMT_SEND] = "send",
                                        [STMT_RECV] = "recv",
                                        [STMT_COMPACT] = "compact"};
    start(p, depth, s->unroll ? "unroll " : "");
    str_append(p->out, words[s->kind]);
    if (s->name.text)
        str_printf(p->out, " %s", s->name.text);
    if (s->text.text)
        str_printf(p->out, " \"%s\"", s->text.text);
    if (s->compound)
        str_printf(p->out, " %s=", binary_text(s->op));
    if (s->kind == STMT_COLLECTIVE)
        str_printf(p->out, " %s", collective_text((enum collective_kind)s->op));
    if (s->wrap)
        str_append(p->out, " wrap");
    if (s->clip)
        str_append(p->out, " clip");
    finish(p, s->at);
    print_type(p, s->type, depth + 1);
    print_expr(p, s->width, depth + 1);
    for (uint32_t i = 0; i < s->operand_count; i++)
        print_expr(p, s->operands[i], depth + 1);
    print_expr(p, s->target, depth + 1);
    print_expr(p, s->value, depth + 1);
    print_expr(p, s->last, depth + 1);
    print_expr(p, s->fill, depth + 1);
    print_stmts(p, s->body, depth + 1);
    if (s->otherwise) {
        start(p, depth, "else\n");
        print_stmts(p, s->otherwise, depth + 1);
    }
}

static void print_stmts(struct printer *p, const struct stmt *s, unsigned depth) {
    for (; s; s = s->next)
        print_stmt(p, s, depth);
}

static void print_names(struct printer *p, const struct decl *d) {
    for (uint32_t i = 0; i < d->name_count; i++)
        str_printf(p->out, "%s %s", i ? "," : "", d->names[i].text);
    if (d->text.text)
        str_printf(p->out, " \"%s\"", d->text.text);
    if (d->instead_of.text)
        str_printf(p->out, " instead of %s", d->instead_of.text);
    if (d->reg.text)
        str_printf(p->out, " in %s", d->reg.text);
    if (d->like.text)
        str_printf(p->out, " like %s", d->like.text);
    if (d->at_rfh.text)
        str_printf(p->out, " at %s.%s", d->at_rfh.text, d->at_vrf.text);
    if (d->on.text)
        str_printf(p->out, " on %s", d->on.text);
}

static void print_decl(struct printer *p, const struct decl *d, unsigned depth) {
    static const char *const words[] = {
        [DECL_SIZE] = "size",   [DECL_CONST] = "const",     [DECL_HOST] = "host",
        [DECL_GROUP] = "group", [DECL_MAIN] = "main",       [DECL_SUB] = "sub",
        [DECL_MPUS] = "mpus",   [DECL_INCLUDE] = "include", [DECL_RECIPE] = "recipe",
        [DECL_VAR] = "var"};
    start(p, depth,
          d->kind == DECL_VAR && d->direction ? object_direction_text(d->direction)
                                              : words[d->kind]);
    str_append(p->out, d->external ? " in another object" : "");
    print_names(p, d);
    finish(p, d->at);
    print_type(p, d->type, depth + 1);
    for (uint32_t i = 0; i < d->extents.count; i++)
        print_expr(p, d->extents.items[i], depth + 1);
    if (d->bound)
        start(p, depth + 1, "at most\n");
    print_expr(p, d->bound, depth + 2);
    print_expr(p, d->value, depth + 1);
    for (const struct decl *q = d->params; q; q = q->next)
        print_decl(p, q, depth + 1);
    print_stmts(p, d->body, depth + 1);
}

void ast_print(const struct program *tree, const struct diag *d, struct str *out) {
    struct printer p = {d, out};
    for (const struct decl *q = tree->decls; q; q = q->next)
        print_decl(&p, q, 0);
}

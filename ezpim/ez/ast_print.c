/* SPDX-License-Identifier: MIT
 * The syntax tree as text: one node a line, children indented. */
#include "ezpim/ez/ast.h"

#include <inttypes.h>

struct ast_printer {
    const struct diag *diag;
    struct str *out;
};

static void start(struct ast_printer *printer, unsigned depth, const char *word) {
    for (unsigned i = 0; i < depth; i++)
        str_append(printer->out, "  ");
    str_append(printer->out, word);
}

static void finish(struct ast_printer *printer, struct span at) {
    uint32_t line, column;
    diag_position(printer->diag, at, &line, &column);
    str_printf(printer->out, "  ; %" PRIu32 ":%" PRIu32 "\n", line, column);
}

static void print_expr(struct ast_printer *printer, const struct expr *expr, unsigned depth) {
    static const char *const words[] = {
        [EXPR_ERROR] = "error", [EXPR_NUMBER] = "number", [EXPR_REAL] = "real",
        [EXPR_BOOL] = "bool",   [EXPR_NAME] = "name",     [EXPR_INDEX] = "index",
        [EXPR_UNARY] = "unary", [EXPR_BINARY] = "binary", [EXPR_CALL] = "call",
        [EXPR_LIST] = "list"};
    if (!expr)
        return;
    start(printer, depth, words[expr->kind]);
    if (expr->kind == EXPR_NUMBER || expr->kind == EXPR_BOOL)
        str_printf(printer->out, " %" PRIu64, (uint64_t)expr->number);
    if (expr->kind == EXPR_UNARY)
        str_printf(printer->out, " %s", ez_unary_text(expr->op));
    if (expr->kind == EXPR_BINARY)
        str_printf(printer->out, " %s", ez_binary_text(expr->op));
    if (expr->name.text)
        str_printf(printer->out, " %s", expr->name.text);
    finish(printer, expr->at);
    for (uint32_t i = 0; i < expr->arg_count; i++)
        print_expr(printer, expr->args[i], depth + 1);
}

static void print_type(struct ast_printer *printer, const struct type_syntax *syntax,
                       unsigned depth) {
    if (!syntax)
        return;
    start(printer, depth, "type ");
    str_append(printer->out, syntax->name.text);
    if (syntax->inner.text)
        str_printf(printer->out, " as %s", syntax->inner.text);
    if (syntax->group.text)
        str_printf(printer->out, " @ %s", syntax->group.text);
    finish(printer, syntax->at);
    print_expr(printer, syntax->count, depth + 1);
}

static void print_stmts(struct ast_printer *printer, const struct stmt *stmt, unsigned depth);

static void print_stmt(struct ast_printer *printer, const struct stmt *stmt, unsigned depth) {
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
                                        [STMT_COMPACT] = "compact",
                                        [STMT_LAUNCH] = "launch"};
    start(printer, depth, stmt->unroll ? "unroll " : "");
    str_append(printer->out, words[stmt->kind]);
    if (stmt->name.text)
        str_printf(printer->out, " %s", stmt->name.text);
    if (stmt->text.text)
        str_printf(printer->out, " \"%s\"", stmt->text.text);
    if (stmt->compound)
        str_printf(printer->out, " %s=", ez_binary_text(stmt->op));
    if (stmt->kind == STMT_COLLECTIVE)
        str_printf(printer->out, " %s", ez_collective_text((enum collective_kind)stmt->op));
    if (stmt->wrap)
        str_append(printer->out, " wrap");
    if (stmt->clip)
        str_append(printer->out, " clip");
    finish(printer, stmt->at);
    print_type(printer, stmt->type, depth + 1);
    print_expr(printer, stmt->width, depth + 1);
    for (uint32_t i = 0; i < stmt->operand_count; i++)
        print_expr(printer, stmt->operands[i], depth + 1);
    print_expr(printer, stmt->target, depth + 1);
    print_expr(printer, stmt->value, depth + 1);
    print_expr(printer, stmt->last, depth + 1);
    print_expr(printer, stmt->fill, depth + 1);
    print_stmts(printer, stmt->body, depth + 1);
    if (stmt->otherwise || stmt->has_else) {
        start(printer, depth, "else\n");
        print_stmts(printer, stmt->otherwise, depth + 1);
    }
}

static void print_stmts(struct ast_printer *printer, const struct stmt *stmt, unsigned depth) {
    for (; stmt; stmt = stmt->next)
        print_stmt(printer, stmt, depth);
}

static void print_names(struct ast_printer *printer, const struct decl *decl) {
    for (uint32_t i = 0; i < decl->name_count; i++)
        str_printf(printer->out, "%s %s", i ? "," : "", decl->names[i].text);
    if (decl->text.text)
        str_printf(printer->out, " \"%s\"", decl->text.text);
    if (decl->instead_of.text)
        str_printf(printer->out, " instead of %s", decl->instead_of.text);
    if (decl->reg.text)
        str_printf(printer->out, " in %s", decl->reg.text);
    if (decl->like.text)
        str_printf(printer->out, " like %s", decl->like.text);
    if (decl->at_rfh.text)
        str_printf(printer->out, " at %s.%s", decl->at_rfh.text, decl->at_vrf.text);
    if (decl->on.text)
        str_printf(printer->out, " on %s", decl->on.text);
    if (decl->own.form.text)
        str_printf(printer->out, " of form %s", decl->own.form.text);
    if (decl->own.file.text)
        str_printf(printer->out, " from \"%s\"", decl->own.file.text);
    if (decl->module.text)
        str_printf(printer->out, " in %s", decl->module.text);
    if (decl->entry.text)
        str_printf(printer->out, " entry %s", decl->entry.text);
    if (decl->is_buffer)
        str_append(printer->out, " in memory");
}

static void print_decl(struct ast_printer *printer, const struct decl *decl, unsigned depth) {
    static const char *const words[] = {
        [DECL_SIZE] = "size",     [DECL_CONST] = "const",      [DECL_HOST] = "host",
        [DECL_GROUP] = "group",   [DECL_MAIN] = "main",        [DECL_SUB] = "sub",
        [DECL_MPUS] = "mpus",     [DECL_INCLUDE] = "include",  [DECL_RECIPE] = "recipe",
        [DECL_VAR] = "var",       [DECL_BUFFER] = "buffer",    [DECL_MODULE] = "module",
        [DECL_KERNEL] = "kernel", [DECL_PIPELINE] = "pipeline"};
    start(printer, depth,
          decl->kind == DECL_VAR && decl->direction ? object_direction_text(decl->direction)
                                                    : words[decl->kind]);
    str_append(printer->out, decl->external ? " in another object" : "");
    print_names(printer, decl);
    finish(printer, decl->at);
    print_type(printer, decl->type, depth + 1);
    for (uint32_t i = 0; i < decl->extents.count; i++)
        print_expr(printer, decl->extents.items[i], depth + 1);
    if (decl->bound)
        start(printer, depth + 1, "at most\n");
    print_expr(printer, decl->bound, depth + 2);
    print_expr(printer, decl->value, depth + 1);
    for (const struct decl *q = decl->params; q; q = q->next)
        print_decl(printer, q, depth + 1);
    print_stmts(printer, decl->body, depth + 1);
}

void ez_ast_print(const struct ez_program *tree, const struct diag *diag, struct str *out) {
    struct ast_printer p = {diag, out};
    for (const struct decl *q = tree->decls; q; q = q->next)
        print_decl(&p, q, 0);
}

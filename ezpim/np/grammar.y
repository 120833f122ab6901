/* SPDX-License-Identifier: MIT
 * The part of Python that kernels are written in.  Levels of rules instead of precedences, so that
 * each node knows its span; what parses and means nothing here is refused when it is evaluated. */
%code requires {
#include "ezpim/np/parser.h"
}
%code provides {
#define YYSTYPE NP_GRAMMAR_STYPE /* flex's header knows no prefix */
#define YYLTYPE NP_GRAMMAR_LTYPE
int np_grammar_lex(NP_GRAMMAR_STYPE *value, NP_GRAMMAR_LTYPE *at, struct np_parser *p);
}
%code {
static void np_grammar_error(const NP_GRAMMAR_LTYPE *at, struct np_parser *p, const char *text);
#define YYLLOC_DEFAULT(Current, Rhs, N)                                                            \
    (Current) = (N) ? np_join(YYRHSLOC(Rhs, 1), YYRHSLOC(Rhs, N))                                  \
                    : (struct span){YYRHSLOC(Rhs, 0).source, YYRHSLOC(Rhs, 0).end,                 \
                                    YYRHSLOC(Rhs, 0).end}
#define YYMAXDEPTH 20000
}

%define api.pure full
%define api.prefix {np_grammar_}
%define api.token.prefix {}
%define api.value.type union
%define api.location.type {struct span}
%locations
%define parse.error custom
%define parse.lac full
%define lr.type ielr
%expect 0
%param {struct np_parser *p}

%token T_END 0 "end of file"
%token T_NEWLINE "end of line" T_INDENT "indentation" T_DEDENT "end of the block"
%token T_NAME "name" T_NUMBER "number" T_REAL "number with a point" T_TEXT "text"
%token T_UNKNOWN "unknown character" T_OUTSIDE "word of Python"
%token T_DEF "def" T_RETURN "return" T_FOR "for" T_IN "in" T_IF "if" T_ELIF "elif" T_ELSE "else"
%token T_IS "is" T_WHILE "while" T_NOT "not" T_AND "and" T_OR "or" T_ASSERT "assert" T_PASS "pass"
%token T_IMPORT "import" T_FROM "from" T_AS "as" T_BREAK "break" T_CONTINUE "continue" T_LAMBDA "lambda"
%token T_POWER "**" T_ARROW "->" T_ELLIPSIS "..."
%token <enum np_operator> T_COMPOUND "compound assignment" T_COMPARE "comparison"
%token <enum np_operator> T_SHIFT "shift" T_TIMES "division"

%type <struct np_stmt_list> lines block simples semicolons assigned
%type <struct np_stmt *> line simple def if_rest
%type <struct np_param_list> params param_list names name_list
%type <struct np_param *> param name
%type <struct np_expr *> test choice or_test and_test not_test compare bits xor_bits and_bits shift
%type <struct np_expr *> targets sum product unary power primary atom tuple result_type index slice_part arg
%type <struct np_expr_list> target_list tests items args arg_list indices clauses

%%

file: lines { p->module->first = $1.first; } ;

lines:
    %empty { $$ = (struct np_stmt_list){0}; }
  | lines line { $$ = np_append_stmt($1, $2); }
  | lines simples T_NEWLINE { $$ = np_join_stmts($1, $2); }
  | lines T_NEWLINE { $$ = $1; }
  | lines error T_NEWLINE { $$ = $1; yyerrok; }
  | lines error T_NEWLINE T_INDENT lines T_DEDENT { $$ = $1; }
  ;

block:
    T_NEWLINE T_INDENT lines T_DEDENT { $$ = $3; }
  | simples T_NEWLINE
  ;

/* on one line */
simples: semicolons | semicolons ';' ;
semicolons:
    simple { $$ = np_append_stmt((struct np_stmt_list){0}, $1); }
  | assigned
  | semicolons ';' simple { $$ = np_append_stmt($1, $3); }
  | semicolons ';' assigned { $$ = np_join_stmts($1, $3); }
  ;

/* `a = b = v` is `b = v` and `a = b`. */
assigned:
    tuple '=' tuple { $$ = np_append_stmt((struct np_stmt_list){0}, np_make_assign(p, @$, @2, $1, $3)); }
  | tuple '=' assigned { $$ = np_assign_again(p, @$, @2, $1, $3); }
  ;

line:
    def
  | "if" test ':' block if_rest {
        $$ = np_make_stmt(p, NP_STMT_IF, @$, @1);
        $$->value = $2;
        $$->body = $4.first;
        $$->otherwise = $5;
    }
  | "for" targets "in" tuple ':' block {
        $$ = np_make_stmt(p, NP_STMT_FOR, @$, @1);
        $$->target = $2;
        $$->value = $4;
        $$->body = $6.first;
    }
  | "while" test ':' block {
        $$ = np_make_stmt(p, NP_STMT_WHILE, @$, @1);
        $$->value = $2;
        $$->body = $4.first;
    }
  ;

if_rest:
    %empty { $$ = NULL; }
  | "else" ':' block { $$ = $3.first; }
  | "elif" test ':' block if_rest {
        $$ = np_make_stmt(p, NP_STMT_IF, @$, @1);
        $$->value = $2;
        $$->body = $4.first;
        $$->otherwise = $5;
    }
  ;

def: "def" T_NAME '(' params ')' result_type ':' block {
        $$ = np_make_stmt(p, NP_STMT_DEF, @$, @1);
        $$->name = np_word(p, @2);
        $$->name_at = @2;
        $$->params = $4.first;
        $$->type = $6;
        $$->body = $8.first;
    } ;

result_type: %empty { $$ = NULL; } | "->" tuple { $$ = $2; } ;

params: %empty { $$ = (struct np_param_list){0}; } | param_list | param_list ',' { $$ = $1; } ;
param_list:
    param { $$ = np_append_param((struct np_param_list){0}, $1); }
  | param_list ',' param { $$ = np_append_param($1, $3); }
  ;
param:
    T_NAME { $$ = np_make_param(p, @1, NULL, NULL); }
  | T_NAME ':' test { $$ = np_make_param(p, @1, $3, NULL); }
  | T_NAME '=' test { $$ = np_make_param(p, @1, NULL, $3); }
  | T_NAME ':' test '=' test { $$ = np_make_param(p, @1, $3, $5); }
  ;

simple:
    tuple { $$ = np_make_stmt(p, NP_STMT_VALUE, @$, @1); $$->value = $1; }
  | tuple ':' test '=' tuple {
        $$ = np_make_stmt(p, NP_STMT_ASSIGN, @$, @4);
        $$->target = $1;
        $$->type = $3;
        $$->value = $5;
    }
  | tuple T_COMPOUND tuple {
        $$ = np_make_stmt(p, NP_STMT_COMPUTE, @$, @2);
        $$->op = $2;
        $$->target = $1;
        $$->value = $3;
    }
  | "return" { $$ = np_make_stmt(p, NP_STMT_RETURN, @$, @1); }
  | "return" tuple { $$ = np_make_stmt(p, NP_STMT_RETURN, @$, @1); $$->value = $2; }
  | "assert" test { $$ = np_make_stmt(p, NP_STMT_ASSERT, @$, @1); $$->value = $2; }
  | "assert" test ',' test { $$ = np_make_stmt(p, NP_STMT_ASSERT, @$, @1); $$->value = $2; }
  | "pass" { $$ = np_make_stmt(p, NP_STMT_PASS, @$, @1); }
  | "break" { $$ = np_make_stmt(p, NP_STMT_BREAK, @$, @1); }
  | "continue" { $$ = np_make_stmt(p, NP_STMT_CONTINUE, @$, @1); }
  | "import" T_NAME "as" T_NAME {
        $$ = np_make_stmt(p, NP_STMT_IMPORT, @$, @1);
        $$->name = np_word(p, @2);
        $$->name_at = @2;
        $$->as_name = np_word(p, @4);
    }
  | "import" T_NAME {
        $$ = np_make_stmt(p, NP_STMT_IMPORT, @$, @1);
        $$->name = $$->as_name = np_word(p, @2);
        $$->name_at = @2;
    }
  | "from" T_NAME "import" T_NAME {
        $$ = np_make_stmt(p, NP_STMT_FROM, @$, @1);
        $$->name = np_word(p, @2);
        $$->name_at = @2;
        $$->as_name = np_word(p, @4);
    }
  ;

tuple:
    tests { $$ = np_make_tuple(p, @$, $1, false); }
  | tests ',' { $$ = np_make_tuple(p, @$, $1, true); }
  ;
tests:
    test { $$ = np_append((struct np_expr_list){0}, $1); }
  | tests ',' test { $$ = np_append($1, $3); }
  ;
targets:
    target_list { $$ = np_make_tuple(p, @$, $1, false); }
  | target_list ',' { $$ = np_make_tuple(p, @$, $1, true); }
  ;
target_list:
    primary { $$ = np_append((struct np_expr_list){0}, $1); }
  | target_list ',' primary { $$ = np_append($1, $3); }
  ;
items: %empty { $$ = (struct np_expr_list){0}; } | tests | tests ',' { $$ = $1; } ;

test: choice | "lambda" names ':' test { $$ = np_make_lambda(p, @$, @1, $2, $4); } ;
names: %empty { $$ = (struct np_param_list){0}; } | name_list | name_list ',' { $$ = $1; } ;
name_list:
    name { $$ = np_append_param((struct np_param_list){0}, $1); }
  | name_list ',' name { $$ = np_append_param($1, $3); }
  ;
name:
    T_NAME { $$ = np_make_param(p, @1, NULL, NULL); }
  | T_NAME '=' test { $$ = np_make_param(p, @1, NULL, $3); }
  ;
choice:
    or_test
  | or_test "if" or_test "else" choice { $$ = np_make_over(p, NP_EXPR_CHOICE, @$, $1, $3, $5); }
  ;
or_test: and_test | or_test "or" and_test { $$ = np_make_over(p, NP_EXPR_OR, @$, $1, $3, NULL); $$->op_at = @2; } ;
and_test: not_test | and_test "and" not_test { $$ = np_make_over(p, NP_EXPR_AND, @$, $1, $3, NULL); $$->op_at = @2; } ;
not_test: compare | "not" not_test { $$ = np_make_over(p, NP_EXPR_NOT, @$, $2, NULL, NULL); $$->op_at = @1; } ;
compare:
    bits
  | compare T_COMPARE bits { $$ = np_make_compare(p, $2, @2, $1, $3); }
  | compare "in" bits { $$ = np_make_compare(p, NP_OP_IN, @2, $1, $3); }
  | compare "not" "in" bits { $$ = np_make_compare(p, NP_OP_NOT_IN, @2, $1, $4); }
  | compare "is" bits { $$ = np_make_compare(p, NP_OP_IS, @2, $1, $3); }
  | compare "is" "not" bits { $$ = np_make_compare(p, NP_OP_IS_NOT, @2, $1, $4); }
  ;
bits: xor_bits | bits '|' xor_bits { $$ = np_make_binary(p, NP_OP_OR, @2, $1, $3); } ;
xor_bits: and_bits | xor_bits '^' and_bits { $$ = np_make_binary(p, NP_OP_XOR, @2, $1, $3); } ;
and_bits: shift | and_bits '&' shift { $$ = np_make_binary(p, NP_OP_AND, @2, $1, $3); } ;
shift: sum | shift T_SHIFT sum { $$ = np_make_binary(p, $2, @2, $1, $3); } ;
sum:
    product
  | sum '+' product { $$ = np_make_binary(p, NP_OP_ADD, @2, $1, $3); }
  | sum '-' product { $$ = np_make_binary(p, NP_OP_SUB, @2, $1, $3); }
  ;
product:
    unary
  | product '*' unary { $$ = np_make_binary(p, NP_OP_MUL, @2, $1, $3); }
  | product T_TIMES unary { $$ = np_make_binary(p, $2, @2, $1, $3); }
  ;
unary:
    power
  | '-' unary { $$ = np_make_over(p, NP_EXPR_UNARY, @$, $2, NULL, NULL); $$->op = NP_OP_NEG; $$->op_at = @1; }
  | '+' unary { $$ = np_make_over(p, NP_EXPR_UNARY, @$, $2, NULL, NULL); $$->op = NP_OP_PLUS; $$->op_at = @1; }
  | '~' unary { $$ = np_make_over(p, NP_EXPR_UNARY, @$, $2, NULL, NULL); $$->op = NP_OP_INVERT; $$->op_at = @1; }
  ;
power: primary | primary "**" unary { $$ = np_make_binary(p, NP_OP_POW, @2, $1, $3); } ;

primary:
    atom
  | primary '.' T_NAME {
        $$ = np_make_over(p, NP_EXPR_ATTRIBUTE, @$, $1, NULL, NULL);
        $$->name = np_word(p, @3);
        $$->name_at = @3;
    }
  | primary '(' args ')' { $$ = np_make_items(p, NP_EXPR_CALL, @$, $1, $3); }
  | primary '[' indices ']' { $$ = np_make_items(p, NP_EXPR_INDEX, @$, $1, $3); }
  | primary '[' indices ',' ']' { $$ = np_make_items(p, NP_EXPR_INDEX, @$, $1, $3); }
  ;

args: %empty { $$ = (struct np_expr_list){0}; } | arg_list | arg_list ',' { $$ = $1; } ;
arg_list:
    arg { $$ = np_append((struct np_expr_list){0}, $1); }
  | arg_list ',' arg { $$ = np_append($1, $3); }
  ;
arg:
    test
  | test clauses { $$ = np_make_items(p, NP_EXPR_EACH, @$, $1, $2); }
  | T_NAME '=' test {
        $$ = np_make_over(p, NP_EXPR_KEYWORD, @$, $3, NULL, NULL);
        $$->name = np_word(p, @1);
        $$->name_at = @1;
    }
  ;

indices:
    index { $$ = np_append((struct np_expr_list){0}, $1); }
  | indices ',' index { $$ = np_append($1, $3); }
  ;
index:
    test
  | slice_part ':' slice_part { $$ = np_make_over(p, NP_EXPR_SLICE, @$, $1, $3, NULL); }
  | slice_part ':' slice_part ':' slice_part { $$ = np_make_over(p, NP_EXPR_SLICE, @$, $1, $3, $5); }
  ;
slice_part: %empty { $$ = NULL; } | test ;

atom:
    T_NAME { $$ = np_make_name(p, @1); }
  | T_NUMBER { $$ = np_make_number(p, @1); }
  | T_REAL { $$ = np_make(p, NP_EXPR_REAL, @1); }
  | T_TEXT { $$ = np_make(p, NP_EXPR_TEXT, @1); }
  | "..." { $$ = np_make(p, NP_EXPR_ELLIPSIS, @1); }
  | '(' ')' { $$ = np_make_items(p, NP_EXPR_TUPLE, @$, NULL, (struct np_expr_list){0}); }
  | '(' tests ')' { $$ = np_in_parentheses(p, np_make_tuple(p, @$, $2, false), @$); }
  | '(' tests ',' ')' { $$ = np_in_parentheses(p, np_make_tuple(p, @$, $2, true), @$); }
  | '[' items ']' { $$ = np_make_items(p, NP_EXPR_LIST, @$, NULL, $2); }
  | '[' test clauses ']' { $$ = np_make_items(p, NP_EXPR_EACH, @$, $2, $3); }
  | '(' test clauses ')' { $$ = np_make_items(p, NP_EXPR_EACH, @$, $2, $3); }
  ;

/* of a comprehension */
clauses:
    "for" targets "in" or_test {
        $$ = np_append((struct np_expr_list){0}, np_make_over(p, NP_EXPR_CLAUSE, @$, $2, $4, NULL));
    }
  | clauses "for" targets "in" or_test { $$ = np_append($1, np_make_over(p, NP_EXPR_CLAUSE, @$, $3, $5, NULL)); }
  | clauses "if" or_test { $$ = np_append($1, np_make_over(p, NP_EXPR_CLAUSE, @$, $3, NULL, NULL)); }
  ;

%%

static int yyreport_syntax_error(const yypcontext_t *context, struct np_parser *p) {
    yysymbol_kind_t found = yypcontext_token(context), wanted[YYNTOKENS];
    const char *text[YYNTOKENS];
    int n = yypcontext_expected_tokens(context, wanted, YYNTOKENS);
    for (int i = 0; i < n; i++)
        text[i] = yysymbol_name(wanted[i]);
    np_unexpected(p, *yypcontext_location(context),
                  found == YYSYMBOL_YYEMPTY ? "" : yysymbol_name(found), text, n > 0 ? (size_t)n : 0);
    return 0;
}

/* No mistake in the text: the stack is full. */
static void np_grammar_error(const NP_GRAMMAR_LTYPE *at, struct np_parser *p, const char *text) {
    (void)text;
    np_scan_error(p, *at, "the kernel is nested too deep");
}

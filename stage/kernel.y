/* SPDX-License-Identifier: MIT
 * Stages, and the part of C that their bodies are written in.  Levels of rules instead of
 * precedences, so that each node knows its span; what parses and means nothing is refused when
 * the kernel is checked. */
%code requires {
#include "stage/syntax.h"
}
%code provides {
#define YYSTYPE STAGE_GRAMMAR_STYPE /* flex's header knows no prefix */
#define YYLTYPE STAGE_GRAMMAR_LTYPE
int stage_grammar_lex(STAGE_GRAMMAR_STYPE *value, STAGE_GRAMMAR_LTYPE *at, struct stage_syntax *p);
}
%code {
static void stage_grammar_error(const STAGE_GRAMMAR_LTYPE *at, struct stage_syntax *p,
                                const char *text);
#define YYLLOC_DEFAULT(Current, Rhs, N)                                                            \
    (Current) = (N) ? stage_span_join(YYRHSLOC(Rhs, 1), YYRHSLOC(Rhs, N))                          \
                    : (struct span){YYRHSLOC(Rhs, 0).source, YYRHSLOC(Rhs, 0).end,                 \
                                    YYRHSLOC(Rhs, 0).end}
#define YYMAXDEPTH 20000
#define MAKE(kind, at, op, a, b, c) stage_make(p, kind, at, op, a, b, c)
}

%define api.pure full
%define api.prefix {stage_grammar_}
%define api.token.prefix {}
%define api.value.type union
%define api.location.type {struct span}
%locations
%define parse.error custom
%define parse.lac full
%define lr.type ielr
%expect 0
%param {struct stage_syntax *p}

%token T_END 0 "end of the text"
%token T_NAME "name" T_NUMBER "number" T_REAL "number with a point"
%token T_UNKNOWN "unknown character" T_OUTSIDE "word of C"
%token <struct stage_type_words> T_TYPE "type"
%token <bool> T_TRUTH "truth value"
%token T_LENGTH "length" T_ARRAY "array" T_MAP "map" T_REDUCE "reduce" T_FILTER "filter"
%token T_WINDOW "window" T_GROUP "group" T_COMBINE "combine" T_IN "in" T_OUT "out" T_INOUT "inout"
%token T_WHOLE "whole" T_ACC "acc" T_COUNT "count" T_AS "as" T_TAIL "tail" T_FROM "from"
%token T_CONST "const" T_IF "if" T_ELSE "else" T_FOR "for" T_WHILE "while" T_DO "do"
%token T_BREAK "break" T_CONTINUE "continue" T_RETURN "return" T_BOTH "&&" T_EITHER "||"
%token <enum stage_op> T_COMPOUND "compound assignment" T_STEP "++" T_EQUAL "comparison"
%token <enum stage_op> T_COMPARE "order" T_SHIFT "shift"

%type <struct stage_stage *> pattern
%type <struct stage_param *> param role
%type <struct stage_expr *> amount expr choice either both or_bits xor_bits and_bits equal compare
%type <struct stage_expr *> shift sum product unary primary extent begin condition index
%type <struct stage_exprs> args arg_list names
%type <struct stage_stmt *> block stmt open_stmt plain declared simple simple_or_none
%type <struct stage_list> stmts declaration constant declared_list
%type <struct stage_type_words> type

%%

text: items ;

items:
    %empty
  | items item
  | items error ';' { yyerrok; }
  | items error '}' { yyerrok; }
  ;

item:
    "length" expr ';' {
        if (p->made->length)
            stage_syntax_error(p, @1, "the length is said twice");
        p->made->length = $2;
        p->made->length_at = @2;
    }
  | "array" T_NAME ':' type ';' { stage_add_array(p, @2, $4); }
  | constant ';' {
        if ($1.first)
            p->made->constants = p->made->constants.first
                                     ? (p->made->constants.last->next = $1.first,
                                        (struct stage_list){p->made->constants.first, $1.last})
                                     : $1;
    }
  | stage
  ;

stage:
    pattern '(' params ')' block {
        $1->body = $5;
        stage_add_stage(p, $1);
    }
  | pattern '(' params ')' block "combine" '(' names ')' block {
        $1->body = $5;
        $1->others = $8.first;
        $1->combine = $10;
        stage_add_stage(p, $1);
    }
  ;

pattern:
    "map" { $$ = p->stage = stage_make_stage(p, STAGE_MAP, @1); }
  | "reduce" { $$ = p->stage = stage_make_stage(p, STAGE_REDUCE, @1); }
  | "filter" { $$ = p->stage = stage_make_stage(p, STAGE_FILTER, @1); }
  | "window" amount { $$ = p->stage = stage_make_stage(p, STAGE_MAP, @1); $$->window_expr = $2; }
  | "group" amount { $$ = p->stage = stage_make_stage(p, STAGE_MAP, @1); $$->group_expr = $2; }
  | "window" amount "group" amount {
        $$ = p->stage = stage_make_stage(p, STAGE_MAP, @1);
        $$->window_expr = $2;
        $$->group_expr = $4;
    }
  | "window" amount "filter" { $$ = p->stage = stage_make_stage(p, STAGE_FILTER, @1); $$->window_expr = $2; }
  | "group" amount "filter" { $$ = p->stage = stage_make_stage(p, STAGE_FILTER, @1); $$->group_expr = $2; }
  | "window" amount "group" amount "filter" {
        $$ = p->stage = stage_make_stage(p, STAGE_FILTER, @1);
        $$->window_expr = $2;
        $$->group_expr = $4;
    }
  ;

amount: T_NUMBER { $$ = stage_make_number(p, @1, false); } | T_NAME { $$ = stage_make_name(p, @1); } ;

params: added | params ',' added ;
added: param {
        *p->stage->params_end = $1;
        p->stage->params_end = &$1->next;
        p->stage->param_count++;
    } ;
param:
    role
  | role "as" T_NAME { $$ = $1; $$->text = stage_name_at(p, @3); }
  ;
role:
    "in" T_NAME { $$ = stage_make_param(p, STAGE_IN, @$, @2); }
  | "in" T_NAME "tail" T_NAME {
        $$ = stage_make_param(p, STAGE_IN, @$, @2);
        $$->tail_text = stage_name_at(p, @4);
    }
  | "out" T_NAME { $$ = stage_make_param(p, STAGE_OUT, @$, @2); }
  | "out" T_NAME "from" T_NAME {
        $$ = stage_make_param(p, STAGE_OUT, @$, @2);
        $$->from_text = stage_name_at(p, @4);
    }
  | "inout" T_NAME { $$ = stage_make_param(p, STAGE_INOUT, @$, @2); }
  | "whole" T_NAME '[' expr ']' {
        $$ = stage_make_param(p, STAGE_WHOLE, @$, @2);
        $$->extent = $4;
    }
  | "acc" T_NAME extent begin {
        $$ = stage_make_param(p, STAGE_ACC, @$, @2);
        $$->extent = $3;
        $$->init = $4;
    }
  | "count" T_NAME { $$ = stage_make_param(p, STAGE_COUNT, @$, @2); }
  ;
extent: %empty { $$ = NULL; } | '[' expr ']' { $$ = $2; } ;
begin: %empty { $$ = NULL; } | '=' expr { $$ = $2; } ;
names:
    T_NAME { $$ = stage_append((struct stage_exprs){0}, stage_make_name(p, @1)); }
  | names ',' T_NAME { $$ = stage_append($1, stage_make_name(p, @3)); }
  ;

type:
    T_TYPE
  | type T_TYPE { $$ = stage_join_types(p, @2, $1, $2); }
  ;

block: '{' stmts '}' {
        $$ = stage_make_stmt(p, STAGE_BLOCK, @$);
        $$->body = $2.first;
    } ;
stmts:
    %empty { $$ = (struct stage_list){0}; }
  | stmts stmt { $$ = stage_append_stmt($1, $2); }
  | stmts declaration ';' {
        $$ = $1.first ? ($1.last->next = $2.first, (struct stage_list){$1.first, $2.last}) : $2;
    }
  | stmts error ';' { $$ = $1; yyerrok; }
  ;

stmt: open_stmt | plain ;
open_stmt:
    "if" '(' expr ')' plain {
        $$ = stage_make_stmt(p, STAGE_IF, @1);
        $$->value = $3;
        $$->body = $5;
    }
  | "if" '(' expr ')' open_stmt {
        $$ = stage_make_stmt(p, STAGE_IF, @1);
        $$->value = $3;
        $$->body = $5;
    }
  | "if" '(' expr ')' plain "else" open_stmt {
        $$ = stage_make_stmt(p, STAGE_IF, @1);
        $$->value = $3;
        $$->body = $5;
        $$->otherwise = $7;
    }
  | "while" '(' expr ')' open_stmt {
        $$ = stage_make_stmt(p, STAGE_LOOP, @1);
        $$->value = $3;
        $$->body = $5;
    }
  | "for" '(' simple_or_none ';' condition ';' simple_or_none ')' open_stmt {
        $$ = stage_make_stmt(p, STAGE_LOOP, @1);
        $$->first = $3;
        $$->value = $5;
        $$->step = $7;
        $$->body = $9;
    }
  | "for" '(' declaration ';' condition ';' simple_or_none ')' open_stmt {
        $$ = stage_make_stmt(p, STAGE_LOOP, @1);
        $$->first = $3.first;
        $$->value = $5;
        $$->step = $7;
        $$->body = $9;
    }
  ;
plain:
    simple ';'
  | ';' { $$ = stage_make_stmt(p, STAGE_BLOCK, @1); }
  | block
  | "if" '(' expr ')' plain "else" plain {
        $$ = stage_make_stmt(p, STAGE_IF, @1);
        $$->value = $3;
        $$->body = $5;
        $$->otherwise = $7;
    }
  | "while" '(' expr ')' plain {
        $$ = stage_make_stmt(p, STAGE_LOOP, @1);
        $$->value = $3;
        $$->body = $5;
    }
  | "do" stmt "while" '(' expr ')' ';' {
        $$ = stage_make_stmt(p, STAGE_LOOP, @1);
        $$->value = $5;
        $$->body = $2;
        $$->body_first = true;
    }
  | "for" '(' simple_or_none ';' condition ';' simple_or_none ')' plain {
        $$ = stage_make_stmt(p, STAGE_LOOP, @1);
        $$->first = $3;
        $$->value = $5;
        $$->step = $7;
        $$->body = $9;
    }
  | "for" '(' declaration ';' condition ';' simple_or_none ')' plain {
        $$ = stage_make_stmt(p, STAGE_LOOP, @1);
        $$->first = $3.first;
        $$->value = $5;
        $$->step = $7;
        $$->body = $9;
    }
  | "break" ';' { $$ = stage_make_stmt(p, STAGE_BREAK, @1); }
  | "continue" ';' { $$ = stage_make_stmt(p, STAGE_CONTINUE, @1); }
  | "return" ';' { $$ = stage_make_stmt(p, STAGE_RETURN, @1); }
  | "return" expr ';' {
        $$ = stage_make_stmt(p, STAGE_RETURN, @$);
        $$->value = $2;
    }
  ;
condition: %empty { $$ = NULL; } | expr ;
simple_or_none: %empty { $$ = NULL; } | simple ;

constant: "const" type declared_list {
        $$ = $3;
        stage_set_types($3, $2.type, true);
    } ;
declaration:
    constant
  | type declared_list {
        $$ = $2;
        stage_set_types($2, $1.type, false);
    }
  ;
declared_list:
    declared { $$ = stage_append_stmt((struct stage_list){0}, $1); }
  | declared_list ',' declared { $$ = stage_append_stmt($1, $3); }
  ;
declared:
    T_NAME {
        $$ = stage_make_stmt(p, STAGE_DECLARE, @1);
        $$->text = stage_name_at(p, @1);
    }
  | T_NAME '=' expr {
        $$ = stage_make_stmt(p, STAGE_DECLARE, @1);
        $$->text = stage_name_at(p, @1);
        $$->value = $3;
    }
  | T_NAME index {
        $$ = stage_make_stmt(p, STAGE_DECLARE, @1);
        $$->text = stage_name_at(p, @1);
        $$->extent = $2;
        if (!$2)
            stage_syntax_error(p, @2, "an array without a list needs a number of elements");
    }
  | T_NAME index '=' '{' arg_list comma '}' {
        $$ = stage_make_stmt(p, STAGE_DECLARE, @1);
        $$->text = stage_name_at(p, @1);
        $$->extent = $2;
        $$->list = $5.first;
    }
  | '*' T_NAME {
        stage_syntax_error(p, @$, "pointers are not kept: write `%s[k]` where an element is meant",
                           "x");
        $$ = stage_make_stmt(p, STAGE_BLOCK, @$);
    }
  | '*' T_NAME '=' expr {
        stage_syntax_error(p, @$, "pointers are not kept: write `%s[k]` where an element is meant",
                           "x");
        $$ = stage_make_stmt(p, STAGE_BLOCK, @$);
    }
  ;
comma: %empty | ',' ;
index: '[' ']' { $$ = NULL; } | '[' expr ']' { $$ = $2; } ;

simple:
    unary '=' expr { $$ = stage_make_assign(p, @$, $1, STAGE_NO_OP, $3); }
  | unary T_COMPOUND expr { $$ = stage_make_assign(p, @$, $1, $2, $3); }
  | unary T_STEP { $$ = stage_make_step(p, @$, $1, $2); }
  | T_STEP unary { $$ = stage_make_step(p, @$, $2, $1); }
  | unary { $$ = stage_make_useless(p, $1); }
  ;

expr: choice ;
choice:
    either
  | either '?' expr ':' choice { $$ = MAKE(STAGE_CHOICE, @$, STAGE_NO_OP, $1, $3, $5); }
  ;
either: both | either "||" both { $$ = MAKE(STAGE_BINARY, @$, STAGE_EITHER, $1, $3, NULL); } ;
both: or_bits | both "&&" or_bits { $$ = MAKE(STAGE_BINARY, @$, STAGE_BOTH, $1, $3, NULL); } ;
or_bits: xor_bits | or_bits '|' xor_bits { $$ = MAKE(STAGE_BINARY, @$, STAGE_OR, $1, $3, NULL); } ;
xor_bits: and_bits | xor_bits '^' and_bits { $$ = MAKE(STAGE_BINARY, @$, STAGE_XOR, $1, $3, NULL); } ;
and_bits: equal | and_bits '&' equal { $$ = MAKE(STAGE_BINARY, @$, STAGE_AND, $1, $3, NULL); } ;
equal: compare | equal T_EQUAL compare { $$ = MAKE(STAGE_BINARY, @$, $2, $1, $3, NULL); } ;
compare: shift | compare T_COMPARE shift { $$ = MAKE(STAGE_BINARY, @$, $2, $1, $3, NULL); } ;
shift: sum | shift T_SHIFT sum { $$ = MAKE(STAGE_BINARY, @$, $2, $1, $3, NULL); } ;
sum:
    product
  | sum '+' product { $$ = MAKE(STAGE_BINARY, @$, STAGE_ADD, $1, $3, NULL); }
  | sum '-' product { $$ = MAKE(STAGE_BINARY, @$, STAGE_SUB, $1, $3, NULL); }
  ;
product:
    unary
  | product '*' unary { $$ = MAKE(STAGE_BINARY, @$, STAGE_MUL, $1, $3, NULL); }
  | product '/' unary { $$ = MAKE(STAGE_BINARY, @$, STAGE_DIV, $1, $3, NULL); }
  | product '%' unary { $$ = MAKE(STAGE_BINARY, @$, STAGE_REM, $1, $3, NULL); }
  ;
unary:
    primary
  | '-' unary { $$ = MAKE(STAGE_UNARY, @$, STAGE_NEGATE, $2, NULL, NULL); }
  | '+' unary { $$ = $2; }
  | '~' unary { $$ = MAKE(STAGE_UNARY, @$, STAGE_INVERT, $2, NULL, NULL); }
  | '!' unary { $$ = MAKE(STAGE_UNARY, @$, STAGE_NOT, $2, NULL, NULL); }
  | '*' unary { $$ = stage_make_star(p, @$, $2); }
  | '&' unary {
        stage_syntax_error(p, @$, "nothing has an address here: pointers are not kept");
        $$ = $2;
    }
  | '(' type ')' unary { $$ = stage_make_cast(p, @$, $2, $4); }
  ;
primary:
    T_NUMBER { $$ = stage_make_number(p, @1, false); }
  | T_REAL { $$ = stage_make_number(p, @1, true); }
  | T_TRUTH { $$ = stage_make_truth(p, @1, $1); }
  | T_NAME { $$ = stage_make_name(p, @1); }
  | T_NAME '(' args ')' { $$ = stage_make_call(p, @$, @1, $3); }
  | type '(' expr ')' { $$ = stage_make_cast(p, @$, $1, $3); }
  | primary '[' expr ']' { $$ = stage_make_element(p, @$, $1, $3); }
  | '(' expr ')' { $$ = $2; }
  ;
args: %empty { $$ = (struct stage_exprs){0}; } | arg_list ;
arg_list:
    expr { $$ = stage_append((struct stage_exprs){0}, $1); }
  | arg_list ',' expr { $$ = stage_append($1, $3); }
  ;

%%

static int yyreport_syntax_error(const yypcontext_t *context, struct stage_syntax *p) {
    yysymbol_kind_t found = yypcontext_token(context), wanted[YYNTOKENS];
    const char *text[YYNTOKENS];
    int n = yypcontext_expected_tokens(context, wanted, YYNTOKENS);
    for (int i = 0; i < n; i++)
        text[i] = yysymbol_name(wanted[i]);
    stage_unexpected(p, *yypcontext_location(context),
                     found == YYSYMBOL_YYEMPTY ? "" : yysymbol_name(found), text,
                     n > 0 ? (size_t)n : 0);
    return 0;
}

/* No mistake in the text: the stack is full. */
static void stage_grammar_error(const STAGE_GRAMMAR_LTYPE *at, struct stage_syntax *p,
                                const char *text) {
    (void)text;
    stage_syntax_error(p, *at, "the kernel is nested too deep");
}

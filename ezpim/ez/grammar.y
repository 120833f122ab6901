/* SPDX-License-Identifier: MIT
 * The grammar of ezpim.  Precedence is Python's, in levels of rules instead of declarations so
 * that each node knows its span; comparisons that chain parse, and the checker refuses them.
 * Control flow, moves, subroutines and MPU arrays have their full syntax here. */
%code requires {
#include "ezpim/ez/parser.h"
}
%code provides {
#define YYSTYPE EZ_GRAMMAR_STYPE /* flex's header knows no prefix */
#define YYLTYPE EZ_GRAMMAR_LTYPE
int ez_grammar_lex(EZ_GRAMMAR_STYPE *value, EZ_GRAMMAR_LTYPE *at, struct ez_parser *p);
}
%code {
static void ez_grammar_error(const EZ_GRAMMAR_LTYPE *at, struct ez_parser *p, const char *text);
#define YYLLOC_DEFAULT(Current, Rhs, N)                                                            \
    (Current) = (N) ? ez_span_join(YYRHSLOC(Rhs, 1), YYRHSLOC(Rhs, N))                                \
                    : (struct span){YYRHSLOC(Rhs, 0).source, YYRHSLOC(Rhs, 0).end,                 \
                                    YYRHSLOC(Rhs, 0).end}
#define YYMAXDEPTH 20000
}

%define api.pure full
%define api.prefix {ez_grammar_}
%define api.token.prefix {}
%define api.value.type union
%define api.location.type {struct span}
%locations
%define parse.error custom
%define parse.lac full
%define lr.type ielr
%expect 0
%param {struct ez_parser *p}

%token T_END 0 "end of file"
%token T_NAME "name" T_NUMBER "number"
%token T_UNKNOWN "unknown character" T_TEXT "text" T_CHARACTER "character"
%token T_EXTERN "extern" T_CLOBBERS "clobbers"
%token T_INCLUDE "include" T_RECIPE "recipe" T_SYNC "sync" T_ASSERT "assert" T_PRINT "print" T_MARK "mark"
%token T_SIZE "size" T_CONST "const" T_HOST "host" T_GROUP "group" T_MPUS "mpus" T_IN "in" T_OUT "out"
%token T_INOUT "inout" T_CONSUMED "consumed" T_AS "as" T_VAR "var" T_MAIN "main" T_SUB "sub" T_COMPUTE "compute" T_LET "let"
%token T_LIKE "like" T_AT "at" T_ON "on" T_IF "if" T_ELSE "else" T_WHILE "while" T_DO "do" T_FOR "for"
%token T_UNROLL "unroll" T_REPEAT "repeat" T_MOVE "move" T_WRAP "wrap" T_CLIP "clip" T_BREAK "break"
%token T_CONTINUE "continue" T_RETURN "return" T_TRUE "true" T_FALSE "false"
%token <enum binary_op> T_COMPOUND "compound assignment" T_COMPARE "comparison"
%token <enum binary_op> T_SHIFT "shift" T_DIVIDE "division"
%token <enum collective_kind> T_COLLECTIVE "collective" T_REDUCE "reduction"
%token T_COMPACT "compact" T_WHERE "where" T_BARRIER "barrier" T_SEND "send" T_RECV "recv" T_ASM "asm"
%token T_BUFFER "buffer" T_KERNEL "kernel" T_MODULE "module" T_LAUNCH "launch" T_FORM_TEXT "text of a form"
%token T_PIPELINE "pipeline"
%token T_LAUNCH_OPEN "<<<" T_LAUNCH_CLOSE ">>>"
%token T_ALL "&&" T_ANY "||" T_RANGE ".." T_AT_MOST "<="

%type <struct ez_name> name text group_suffix on_suffix like_suffix passed_in
%type <struct expr *> expr any_expr and_expr compare or_bits xor_bits and_bits shift sum product unary
%type <struct expr *> primary lvalue count_suffix initial operand width_suffix return_value
%type <struct expr *> step value_or_list let_value host_value size_bound
%type <struct expr *> geometry dims
%type <size_t> asm_operands root bounds bound_list args args_or_none names operands dims_list units
%type <struct extent_list> extents clobbers
%type <struct stmt *> block stmt simple_stmt loop_stmt if_stmt else_part launch
%type <struct stmt_list> stmts
%type <struct decl *> item size_decl const_decl host_decl group_decl mpus_decl var_decl main sub_decl plain_sub extern_sub param
%type <struct decl *> file_decl buffer_decl module_decl kernel_decl kernel_head kernel_param pipeline_decl
%type <struct decl_list> items params params_or_none kernel_params kernel_params_or_none
%type <struct type_syntax *> type outer_type let_type result_type
%type <uint8_t> direction buffer_direction
%type <struct form_text *> form_text

%%

program: items { p->program->decls = $1.first; } ;

items:
    %empty { $$ = (struct decl_list){0}; }
  | items item { $$ = ez_append_decl($1, $2); }
  | items error ';' { $$ = $1; ez_recovered(p); yyerrok; }
  | items error '}' { $$ = $1; ez_recovered(p); yyerrok; }
  ;

item:
    size_decl | const_decl | host_decl | group_decl | mpus_decl | var_decl | main | sub_decl | file_decl
  | buffer_decl | module_decl | kernel_decl | pipeline_decl
  ;

name: T_NAME { $$ = ez_make_identifier(p, @1); } ;
text: T_TEXT { $$ = ez_make_text(p, @1); } ;

file_decl:
    "include" text ';' {
        $$ = ez_make_decl(p, DECL_INCLUDE, ez_span_join(@1, @2), @1);
        $$->text = $2;
    }
  | "recipe" text ';' {
        $$ = ez_make_decl(p, DECL_RECIPE, ez_span_join(@1, @2), @1);
        $$->text = $2;
    }
  ;

size_decl: "size" name size_bound initial ';' {
        $$ = ez_make_decl(p, DECL_SIZE, ez_span_join(@1, @4), @1);
        ez_decl_name(p, $$, $2);
        $$->bound = $3;
        $$->value = $4;
    } ;

size_bound: %empty { $$ = NULL; } | "<=" or_bits { $$ = $2; } ;

initial: %empty { $$ = NULL; } | '=' expr { $$ = $2; } ;

const_decl: "const" name let_type '=' value_or_list ';' {
        $$ = ez_make_decl(p, DECL_CONST, ez_span_join(@1, @5), @1);
        ez_decl_name(p, $$, $2);
        $$->type = ez_text_type(p, $3, $5);
        $$->value = $5;
    } ;

host_decl: "host" name ':' type host_value ';' {
        $$ = ez_make_decl(p, DECL_HOST, ez_span_join(@1, @5), @1);
        ez_decl_name(p, $$, $2);
        $$->type = $4;
        $$->value = $5;
    } ;

host_value: %empty { $$ = NULL; } | '=' value_or_list { $$ = $2; } ;

value_or_list:
    expr
  | '{' args '}' { $$ = ez_make_list(p, @$, $2); }
  | '{' args ',' '}' { $$ = ez_make_list(p, @$, $2); }
  | T_TEXT { $$ = ez_make_characters(p, @1); }
  ;

group_decl:
    "group" name extents like_suffix on_suffix ';' {
        $$ = ez_make_decl(p, DECL_GROUP, ez_span_join(@1, @5), @1);
        ez_decl_group(p, $$, $2, $3, $4, $5);
    }
  | "group" name extents like_suffix "at" name '.' name on_suffix ';' {
        $$ = ez_make_decl(p, DECL_GROUP, ez_span_join(@1, @9), @1);
        ez_decl_group(p, $$, $2, $3, $4, $9);
        $$->at_rfh = $6;
        $$->at_vrf = $8;
    }
  ;

extents:
    %empty { $$ = (struct extent_list){0}; }
  | '[' args ']' { $$.items = ez_pool_take(p, $2, &$$.count); }
  ;

like_suffix: %empty { $$ = (struct ez_name){0}; } | "like" name { $$ = $2; } ;
on_suffix: %empty { $$ = (struct ez_name){0}; } | "on" name { $$ = $2; } ;

mpus_decl: "mpus" name '[' args ']' ';' {
        $$ = ez_make_decl(p, DECL_MPUS, ez_span_join(@1, @5), @1);
        ez_decl_name(p, $$, $2);
        $$->extents.items = ez_pool_take(p, $4, &$$->extents.count);
    } ;

direction:
    "in" { $$ = VAR_IN; }
  | "out" { $$ = VAR_OUT; }
  | "inout" { $$ = VAR_IN | VAR_OUT; }
  | "var" { $$ = VAR_LOCAL; }
  ;

var_decl: direction names ':' outer_type ';' {
        $$ = ez_make_decl(p, DECL_VAR, ez_span_join(@1, @4), @1);
        ez_decl_names(p, $$, $2);
        $$->direction = $1;
        $$->type = $4;
    }
  | direction "consumed" names ':' outer_type ';' {
        $$ = ez_make_decl(p, DECL_VAR, ez_span_join(@1, @5), @1);
        ez_decl_names(p, $$, $3);
        $$->direction = ez_consumed_direction(p, $1, @2);
        $$->type = $5;
    }
  ;

names:
    name { $$ = p->pool.len; vec_push(&p->pool, ez_make_name(p, $1)); }
  | names ',' name { $$ = $1; vec_push(&p->pool, ez_make_name(p, $3)); }
  ;

outer_type:
    type
  | name count_suffix "as" name group_suffix {
        $$ = ez_make_type(p, @$, $1, $2, $5);
        $$->inner = $4;
    }
  ;

type: name count_suffix group_suffix { $$ = ez_make_type(p, @$, $1, $2, $3); } ;
count_suffix: %empty { $$ = NULL; } | '[' expr ']' { $$ = $2; } ;
group_suffix: %empty { $$ = (struct ez_name){0}; } | '@' name { $$ = $2; } ;
let_type: %empty { $$ = NULL; } | ':' type { $$ = $2; } ;

main: "main" on_suffix block {
        $$ = ez_make_decl(p, DECL_MAIN, @1, @1);
        $$->on = $2;
        $$->body = $3;
    } ;

/* recipe NAME else sub ...: the instruction, and what stands for it elsewhere. */
sub_decl: plain_sub | extern_sub | "recipe" name "else" plain_sub { $$ = $4; $$->instead_of = $2; } ;

plain_sub: "sub" name '(' params_or_none ')' result_type block {
        $$ = ez_make_decl(p, DECL_SUB, ez_span_join(@1, @5), @1);
        ez_decl_name(p, $$, $2);
        $$->params = $4.first;
        $$->type = $6;
        $$->body = $7;
    } ;
/* A subroutine of another object: the registers through which it is called. */
extern_sub: "extern" "sub" name '(' params_or_none ')' result_type passed_in clobbers ';' {
        $$ = ez_make_decl(p, DECL_SUB, ez_span_join(@1, @6), @1);
        ez_decl_name(p, $$, $3);
        $$->external = true;
        $$->params = $5.first;
        $$->type = $7;
        $$->reg = $8;
        $$->extents = $9;
    } ;
passed_in: %empty { $$ = (struct ez_name){0}; } | "in" name { $$ = $2; } ;
clobbers:
    %empty { $$ = (struct extent_list){0}; }
  | "clobbers" names { $$.items = ez_pool_take(p, $2, &$$.count); }
  ;
result_type: %empty { $$ = NULL; } | ':' type { $$ = $2; } ;

params_or_none: %empty { $$ = (struct decl_list){0}; } | params ;
params:
    param { $$ = ez_append_decl((struct decl_list){0}, $1); }
  | params ',' param { $$ = ez_append_decl($1, $3); }
  ;
param:
    name ':' type passed_in { $$ = ez_make_param(p, @$, VAR_IN, $1, $3); $$->reg = $4; }
  | direction name ':' type passed_in { $$ = ez_make_param(p, @$, $1, $2, $4); $$->reg = $5; }
  ;

buffer_decl: "buffer" buffer_direction names ':' name extents ';' {
        $$ = ez_make_decl(p, DECL_BUFFER, ez_span_join(@1, @6), @1);
        ez_decl_names(p, $$, $3);
        $$->direction = $2;
        $$->type = ez_make_type(p, @5, $5, NULL, (struct ez_name){0});
        $$->extents = $6;
    } ;
buffer_direction: %empty { $$ = VAR_LOCAL; } | "in" { $$ = VAR_IN; } | "out" { $$ = VAR_OUT; } | "inout" { $$ = VAR_IN | VAR_OUT; } ;

/* module m core { .. }, module m core from "file"; */
module_decl: "module" name name form_text {
        $$ = ez_make_decl(p, DECL_MODULE, ez_span_join(@1, @3), @1);
        ez_decl_name(p, $$, $2);
        ez_decl_form($$, $4, $3);
    } ;
form_text:
    '{' T_FORM_TEXT '}' { $$ = ez_make_form_text(p, @2); }
  | name text ';' { $$ = ez_make_form_file(p, $1, $2); }
  ;

/* pipeline f { .. }: the program, without a main */
pipeline_decl: "pipeline" name form_text {
        $$ = ez_make_decl(p, DECL_PIPELINE, ez_span_join(@1, @2), @1);
        ez_decl_name(p, $$, $2);
        ez_decl_form($$, $3, $2);
    } ;

/* kernel f core(x: i64[], n: u64) { .. }, .. from "file"; and .. in m entry e; */
kernel_decl:
    kernel_head form_text { $$ = $1; ez_decl_form($$, $2, $1->own.form); }
  | kernel_head "in" name ';' { $$ = $1; $$->module = $3; }
  | kernel_head "in" name name name ';' { $$ = $1; ez_decl_entry(p, $$, $3, $4, $5); }
  ;
kernel_head: "kernel" name name '(' kernel_params_or_none ')' {
        $$ = ez_make_decl(p, DECL_KERNEL, ez_span_join(@1, @6), @1);
        ez_decl_name(p, $$, $2);
        $$->own.form = $3;
        $$->params = $5.first;
    } ;
kernel_params_or_none: %empty { $$ = (struct decl_list){0}; } | kernel_params ;
kernel_params:
    kernel_param { $$ = ez_append_decl((struct decl_list){0}, $1); }
  | kernel_params ',' kernel_param { $$ = ez_append_decl($1, $3); }
  ;
/* a number, a buffer, a structure: n: u64, x: i64[], p: bytes[24, 4] */
kernel_param:
    name ':' name { $$ = ez_make_kernel_param(p, @$, $1, $3); }
  | name ':' name '[' ']' { $$ = ez_make_kernel_param(p, @$, $1, $3); $$->is_buffer = true; }
  | name ':' name '[' args ']' {
        $$ = ez_make_kernel_param(p, @$, $1, $3);
        $$->extents.items = ez_pool_take(p, $5, &$$->extents.count);
    }
  ;

block:
    open stmts '}' { $$ = $2.first; p->blocks--; }
  | open stmts error '}' { $$ = $2.first; p->blocks--; ez_recovered(p); yyerrok; }
  ;
open: '{' { if (!ez_block_enter(p, @1)) YYABORT; } ;

stmts:
    %empty { $$ = (struct stmt_list){0}; }
  | stmts stmt { $$ = ez_append_stmt($1, $2); }
  | stmts error ';' { $$ = $1; ez_recovered(p); yyerrok; }
  ;

stmt:
    simple_stmt ';' | loop_stmt | if_stmt
  | launch ';'
  | launch "else" block { $$ = $1; $$->otherwise = $3; $$->has_else = true; }
  ;

/* launch f<<<grid, block, bytes>>>(arguments) units n from first */
launch: "launch" name geometry '(' args_or_none ')' units {
        $$ = ez_make_stmt(p, STMT_LAUNCH, @$, @1);
        $$->name = $2;
        $$->target = $3;
        ez_set_units(p, $$, $7);
        $$->operands = ez_pool_take(p, $5, &$$->operand_count);
    } ;
geometry: %empty { $$ = NULL; } | "<<<" dims_list ">>>" { $$ = ez_make_list(p, @$, $2); } ;
dims_list:
    dims { $$ = p->pool.len; vec_push(&p->pool, $1); }
  | dims_list ',' dims { $$ = $1; vec_push(&p->pool, $3); }
  ;
dims: expr | '[' args ']' { $$ = ez_make_list(p, @$, $2); } ;
/* Two expressions for each: the word, and the number. */
units:
    %empty { $$ = p->pool.len; }
  | units name or_bits {
        $$ = $1;
        vec_push(&p->pool, ez_make_name(p, $2));
        vec_push(&p->pool, $3);
    }
  ;

simple_stmt:
    "let" name let_type let_value {
        $$ = ez_make_stmt(p, STMT_LET, @$, @1);
        $$->name = $2;
        $$->type = $3;
        $$->value = $4;
    }
  | lvalue '=' expr { $$ = ez_make_assign(p, @$, $1, $3); }
  | lvalue T_COMPOUND expr {
        $$ = ez_make_assign(p, @$, $1, $3);
        $$->compound = true;
        $$->op = (uint8_t)$2;
    }
  | name width_suffix operands {
        $$ = ez_make_stmt(p, STMT_INSN, @$, @1);
        $$->name = $1;
        $$->width = $2;
        $$->operands = ez_pool_take(p, $3, &$$->operand_count);
    }
  | name '(' args_or_none ')' {
        $$ = ez_make_stmt(p, STMT_CALL, @$, @1);
        $$->value = ez_make_call(p, EXPR_CALL, @$, $1, $3);
    }
  | "move" lvalue '=' lvalue bounds { $$ = ez_make_move(p, @$, @1, $2, $4, $5); }
  | "move" lvalue '=' lvalue "wrap" bounds {
        $$ = ez_make_move(p, @$, @1, $2, $4, $6);
        $$->wrap = true;
    }
  | "move" lvalue '=' lvalue "clip" bounds {
        $$ = ez_make_move(p, @$, @1, $2, $4, $6);
        $$->clip = true;
    }
  | "move" lvalue '=' lvalue "else" expr bounds {
        $$ = ez_make_move(p, @$, @1, $2, $4, $7);
        $$->fill = $6;
    }
  | "compact" lvalue "where" expr { $$ = ez_make_compact(p, @$, @1, $2, NULL, $4); }
  | "compact" lvalue '=' expr "where" expr { $$ = ez_make_compact(p, @$, @1, $2, $4, $6); }
  | T_COLLECTIVE lvalue root {
        $$ = ez_make_collective(p, @$, @1, $1, $2, NULL);
        ez_set_root(p, $$, $3);
    }
  | T_COLLECTIVE lvalue '=' lvalue root {
        $$ = ez_make_collective(p, @$, @1, $1, $2, $4);
        ez_set_root(p, $$, $5);
    }
  | T_REDUCE name lvalue root {
        $$ = ez_make_collective(p, @$, @1, $1, $3, NULL);
        $$->name = $2;
        ez_set_root(p, $$, $4);
    }
  | T_REDUCE name lvalue '=' lvalue root {
        $$ = ez_make_collective(p, @$, @1, $1, $3, $5);
        $$->name = $2;
        ez_set_root(p, $$, $6);
    }
  | "send" lvalue root {
        $$ = ez_make_stmt(p, STMT_SEND, @$, @1);
        $$->target = $2;
        ez_set_root(p, $$, $3);
    }
  | "recv" lvalue root {
        $$ = ez_make_stmt(p, STMT_RECV, @$, @1);
        $$->target = $2;
        ez_set_root(p, $$, $3);
    }
  | "barrier" { $$ = ez_make_stmt(p, STMT_BARRIER, @$, @1); }
  | "sync" { $$ = ez_make_stmt(p, STMT_SYNC, @$, @1); }
  | "break" { $$ = ez_make_stmt(p, STMT_BREAK, @$, @1); }
  | "continue" { $$ = ez_make_stmt(p, STMT_CONTINUE, @$, @1); }
  | "return" return_value {
        $$ = ez_make_stmt(p, STMT_RETURN, @$, @1);
        $$->value = $2;
    }
  | "assert" '(' expr ')' {
        $$ = ez_make_stmt(p, STMT_ASSERT, @$, @1);
        $$->value = $3;
    }
  | "assert" '(' expr ',' text ')' {
        $$ = ez_make_stmt(p, STMT_ASSERT, @$, @1);
        $$->value = $3;
        $$->text = $5;
    }
  | "print" '(' expr ')' {
        $$ = ez_make_stmt(p, STMT_PRINT, @$, @1);
        $$->value = $3;
    }
  | "print" '(' expr ',' text ')' {
        $$ = ez_make_stmt(p, STMT_PRINT, @$, @1);
        $$->value = $3;
        $$->text = $5;
    }
  | "mark" text {
        $$ = ez_make_stmt(p, STMT_MARK, @$, @1);
        $$->text = $2;
    }
  ;

let_value: %empty { $$ = NULL; } | '=' value_or_list { $$ = $2; } ;

/* Two expressions: the word in front of it, and the MPU. */
root:
    %empty { $$ = p->pool.len; }
  | name lvalue {
        $$ = p->pool.len;
        vec_push(&p->pool, ez_make_name(p, $1));
        vec_push(&p->pool, $2);
    }
  ;

/* Three expressions each: the index, its first value, the one behind its last. */
bounds: %empty { $$ = p->pool.len; } | "for" bound_list { $$ = $2; } ;
bound_list:
    name ':' expr ".." expr { $$ = p->pool.len; ez_push_bound(p, $1, $3, $5); }
  | bound_list ',' name ':' expr ".." expr { $$ = $1; ez_push_bound(p, $3, $5, $7); }
  ;

return_value: %empty { $$ = NULL; } | expr ;

lvalue:
    name { $$ = ez_make_name(p, $1); }
  | name '[' args ']' { $$ = ez_make_call(p, EXPR_INDEX, @$, $1, $3); }
  ;

width_suffix:
    %empty { $$ = NULL; }
  | '.' T_NUMBER { $$ = ez_make_number(p, @2); }
  ;

operands:
    %empty { $$ = p->pool.len; }
  | operands operand { $$ = $1; vec_push(&p->pool, $2); }
  | operands ',' operand { $$ = $1; vec_push(&p->pool, $3); }
  ;
operand:
    lvalue
  | T_NUMBER { $$ = ez_make_number(p, @1); }
  | '-' T_NUMBER { $$ = ez_make_unary(p, @$, UNARY_NEG, ez_make_number(p, @2)); }
  ;

loop_stmt:
    "compute" name block {
        $$ = ez_make_stmt(p, STMT_COMPUTE, ez_span_join(@1, @2), @1);
        $$->name = $2;
        $$->body = $3;
    }
  | "while" '(' expr ')' block {
        $$ = ez_make_stmt(p, STMT_WHILE, ez_span_join(@1, @4), @1);
        $$->value = $3;
        $$->body = $5;
    }
  | "on" lvalue block {
        $$ = ez_make_stmt(p, STMT_ON, ez_span_join(@1, @2), @1);
        $$->name = $2->name;
        $$->operands = $2->args;
        $$->operand_count = $2->arg_count;
        $$->body = $3;
    }
  | "asm" asm_operands block {
        $$ = ez_make_stmt(p, STMT_ASM, @1, @1);
        $$->operands = ez_pool_take(p, $2, &$$->operand_count);
        $$->body = $3;
    }
  | "repeat" '(' expr ')' block {
        $$ = ez_make_stmt(p, STMT_REPEAT, ez_span_join(@1, @4), @1);
        $$->value = $3;
        $$->body = $5;
    }
  | "do" block "while" '(' expr ')' ';' {
        $$ = ez_make_stmt(p, STMT_WHILE, @1, @1);
        $$->value = $5;
        $$->body = $2;
        $$->asks_last = true;
    }
  | "for" name ':' expr ".." expr step block {
        $$ = ez_make_for(p, ez_span_join(@1, @6), @1, $2, $4, $6, $8);
        ez_set_step(p, $$, $7);
    }
  | "unroll" "for" name ':' expr ".." expr step block {
        $$ = ez_make_for(p, ez_span_join(@1, @7), @2, $3, $5, $7, $9);
        $$->unroll = true;
        ez_set_step(p, $$, $8);
    }
  ;

/* `step` is no word of the language. */
step:
    %empty { $$ = NULL; }
  | name unary { $$ = $2; ez_expect_word(p, $1, "step"); }
  ;

asm_operands:
    %empty { $$ = p->pool.len; }
  | asm_operands direction '(' names ')' { $$ = $1; ez_set_directions(p, $4, $2); }
  ;

if_stmt: "if" '(' expr ')' block else_part {
        $$ = ez_make_stmt(p, STMT_IF, ez_span_join(@1, @4), @1);
        $$->value = $3;
        $$->body = $5;
        $$->otherwise = $6;
    } ;
else_part: %empty { $$ = NULL; } | "else" block { $$ = $2; } | "else" if_stmt { $$ = $2; } ;

args_or_none: %empty { $$ = p->pool.len; } | args ;
args:
    expr { $$ = p->pool.len; vec_push(&p->pool, $1); }
  | args ',' expr { $$ = $1; vec_push(&p->pool, $3); }
  ;

expr:
    any_expr
  | any_expr '?' expr ':' expr { $$ = ez_make_choice(p, @$, $1, $3, $5); }
  ;
any_expr: and_expr | any_expr "||" and_expr { $$ = ez_make_binary(p, BINARY_ANY, $1, $3); } ;
and_expr: compare | and_expr "&&" compare { $$ = ez_make_binary(p, BINARY_ALL, $1, $3); } ;
compare:
    or_bits
  | compare T_COMPARE or_bits { $$ = ez_make_binary(p, $2, $1, $3); }
  | compare "<=" or_bits { $$ = ez_make_binary(p, BINARY_LE, $1, $3); }
  ;
or_bits: xor_bits | or_bits '|' xor_bits { $$ = ez_make_binary(p, BINARY_OR, $1, $3); } ;
xor_bits: and_bits | xor_bits '^' and_bits { $$ = ez_make_binary(p, BINARY_XOR, $1, $3); } ;
and_bits: shift | and_bits '&' shift { $$ = ez_make_binary(p, BINARY_AND, $1, $3); } ;
shift: sum | shift T_SHIFT sum { $$ = ez_make_binary(p, $2, $1, $3); } ;
sum:
    product
  | sum '+' product { $$ = ez_make_binary(p, BINARY_ADD, $1, $3); }
  | sum '-' product { $$ = ez_make_binary(p, BINARY_SUB, $1, $3); }
  ;
product:
    unary
  | product '*' unary { $$ = ez_make_binary(p, BINARY_MUL, $1, $3); }
  | product T_DIVIDE unary { $$ = ez_make_binary(p, $2, $1, $3); }
  ;
unary:
    primary
  | '-' unary { $$ = ez_make_unary(p, @$, UNARY_NEG, $2); }
  | '+' unary { $$ = $2; }
  | '~' unary { $$ = ez_make_unary(p, @$, UNARY_INVERT, $2); }
  | '!' unary { $$ = ez_make_unary(p, @$, UNARY_NOT, $2); }
  ;
primary:
    lvalue
  | T_NUMBER { $$ = ez_make_number(p, @1); }
  | T_CHARACTER { $$ = ez_make_character(p, @1); }
  | "true" { $$ = ez_make_bool(p, @1, true); }
  | "false" { $$ = ez_make_bool(p, @1, false); }
  | name '(' args_or_none ')' { $$ = ez_make_call(p, EXPR_CALL, @$, $1, $3); }
  | '(' expr ')' { $$ = ez_parenthesize(p, $2, @$); }
  ;

%%

static int yyreport_syntax_error(const yypcontext_t *context, struct ez_parser *p) {
    yysymbol_kind_t kinds[YYNTOKENS];
    const char *names[YYNTOKENS];
    int count = yypcontext_expected_tokens(context, kinds, YYNTOKENS);
    for (int i = 0; i < count; i++)
        names[i] = yysymbol_name(kinds[i]);
    yysymbol_kind_t found = yypcontext_token(context);
    ez_parser_syntax_error(p, *yypcontext_location(context),
                        found == YYSYMBOL_YYEMPTY ? "" : yysymbol_name(found), names,
                        count > 0 ? (size_t)count : 0);
    return 0;
}

/* What is no syntax error of the program: the parser's stack is full. */
static void ez_grammar_error(const EZ_GRAMMAR_LTYPE *at, struct ez_parser *p, const char *text) {
    (void)text;
    ez_parser_error(p, *at, "the program is nested too deep");
}

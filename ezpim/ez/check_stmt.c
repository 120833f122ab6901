/* SPDX-License-Identifier: MIT
 * Statements. */
#include "ezpim/ez/check.h"
#include "ezpim/ez/check_top.h"

static void end_ensemble(struct checker *checker) {
    for (size_t i = 0; i < checker->local_list.items.len &&
                       diag_errors(checker->u->diag) == checker->u->errors_before;
         i++)
        ez_warn_unused(checker, checker->local_list.items.data[i]);
    vec_clear(&checker->local_list.items);
    map_free(&checker->locals);
    checker->locals = (struct map){0};
    checker->group = NULL;
}

static void check_compute(struct checker *checker, struct stmt *stmt) {
    if (checker->lane) {
        if (checker->sub)
            diag_error(checker->u->diag, stmt->word, "`compute` stands in a subroutine of a lane");
        else
            diag_error(checker->u->diag, stmt->word, "`compute` stands inside of `compute %s`",
                       checker->group->name.text);
        return;
    }
    struct ez_symbol *g = ez_find_group(checker, stmt->name);
    if (g)
        ez_check_ensemble(checker, stmt, g, stmt->body);
}

void ez_check_ensemble(struct checker *checker, struct stmt *stmt, struct ez_symbol *group,
                       struct stmt *body) {
    stmt->symbol = group;
    checker->group = group;
    checker->compute = stmt;
    checker->lane = true;
    checker->unreachable = false;
    const struct ez_symbol *counted_by =
        stmt->kind == STMT_COMPUTE ? ez_counted_by(checker, stmt->name) : NULL;
    stmt->front = ez_check_front(checker, NULL, NULL, body, counted_by);
    checker->in_front = stmt->front.count > 0;
    checker->divergent += checker->in_front;
    ez_check_block(checker, body, false);
    checker->divergent -= checker->in_front;
    checker->in_front = false;
    checker->lane = checker->unreachable = false;
    end_ensemble(checker);
}

static bool local_type(struct checker *checker, struct stmt *stmt, struct value_type *value_type,
                       uint32_t *count) {
    struct lane_type type;
    if (!stmt->type)
        return true;
    if (stmt->type->group.text) {
        diag_error(checker->u->diag, stmt->type->group.at,
                   "`let` makes a value of this lane: it has no `@`");
        return false;
    }
    if (!ez_resolve_type(checker, stmt->type->name, &type))
        return false;
    *value_type = ez_type_of(type);
    return !stmt->type->count || ez_resolve_count(checker, stmt->type->count, count);
}

/* `let v = e;` takes the type of e. */
static bool infer_type(struct checker *checker, struct stmt *stmt, struct value_type *type) {
    if (stmt->value->type.state != STATE_NUMBER) {
        *type = stmt->value->type;
        return type->state == STATE_TYPED;
    }
    diag_error(checker->u->diag, stmt->value->at, "this number needs a type: `let %s: %s = ...`",
               stmt->name.text, stmt->value->type.real ? "f32" : "u32");
    return false;
}

/* { e, e }: a value for each register. */
static bool check_list(struct checker *checker, struct stmt *stmt, struct lane_type type,
                       uint32_t count) {
    struct expr *list = stmt->value;
    bool good = list->arg_count == count;
    if (!good)
        diag_error(checker->u->diag, list->at, "`%s` has %u values, and here are %u",
                   stmt->name.text, count, list->arg_count);
    list->type = ez_type_of(type);
    for (uint32_t i = 0; i < list->arg_count; i++) {
        struct expr *e = list->args[i];
        ez_check_expr(checker, e);
        good &= ez_check_assignable(checker, e, type, stmt->name.at);
        list->varies |= e->varies;
        list->writes |= e->writes;
    }
    return good;
}

static bool check_initial(struct checker *checker, struct stmt *stmt, struct value_type *type,
                          uint32_t count) {
    bool array = stmt->type && stmt->type->count;
    if (array && stmt->value->kind == EXPR_LIST)
        return check_list(checker, stmt, type->type, count);
    ez_check_expr(checker, stmt->value);
    if (array) {
        diag_error(checker->u->diag, stmt->value->at,
                   "an array has a list of values: `{ 1, 2, 3 }`, one for each register");
        return false;
    }
    return stmt->type ? ez_check_assignable(checker, stmt->value, type->type, stmt->name.at)
                      : infer_type(checker, stmt, type);
}

static void check_let(struct checker *checker, struct stmt *stmt) {
    struct value_type t = TYPE_ERROR;
    uint32_t count = 1;
    bool good = local_type(checker, stmt, &t, &count);
    if (good && stmt->value)
        good = check_initial(checker, stmt, &t, count);
    else if (stmt->value)
        ez_check_expr(checker, stmt->value);
    if (!stmt->type && !stmt->value) {
        diag_error(checker->u->diag, stmt->name.at, "`let %s` needs a type or a value",
                   stmt->name.text);
        good = false;
    }
    stmt->symbol = ez_declare_local(checker, SYMBOL_EZ_LOCAL, stmt->name);
    if (!stmt->symbol)
        return;
    stmt->symbol->type = good ? t : TYPE_ERROR;
    stmt->symbol->count = count;
    stmt->symbol->has_k = stmt->type && stmt->type->count;
    if (stmt->value)
        ez_note_written(checker, stmt->symbol, ez_all_elements(stmt->symbol));
    stmt->symbol->var.assigned = stmt->value != NULL;
    stmt->symbol->var.varies = !stmt->value || stmt->value->varies;
}

static bool check_uniform(struct checker *checker, const struct expr *target,
                          const struct expr *value) {
    bool shared =
        target->symbol && !target->symbol->var.group && target->symbol->kind == SYMBOL_EZ_VARIABLE;
    if (!shared || (!value->varies && !checker->divergent))
        return true;
    diag_error(checker->u->diag, value->at,
               value->varies ? "`%s` has no group: it is one value, but this may differ from "
                               "lane to lane"
                             : "`%s` has no group: it is one value, but not all lanes may get here",
               target->symbol->name.text);
    if (checker->in_front && !value->varies)
        diag_note(checker->u->diag, checker->compute->at,
                  "a variable that `compact` filled stands in this, so that only as many elements "
                  "take part");
    diag_note(checker->u->diag, target->symbol->name.at, "it is declared here");
    return false;
}

/* target op= value is target = target op value. */
static void expand_compound(struct checker *checker, struct stmt *stmt) {
    struct expr *e = ARENA_NEW(&checker->u->arena, struct expr);
    struct expr **args = ARENA_ARRAY(&checker->u->arena, 2, struct expr *);
    args[0] = ARENA_NEW(&checker->u->arena, struct expr);
    *args[0] = *stmt->target;
    args[0]->assigned = true;
    args[1] = stmt->value;
    *e = (struct expr){
        .kind = EXPR_BINARY, .op = stmt->op, .at = stmt->at, .args = args, .arg_count = 2};
    stmt->value = e;
}

static void check_assign(struct checker *checker, struct stmt *stmt) {
    if (stmt->compound)
        expand_compound(checker, stmt);
    ez_check_expr(checker, stmt->value);
    ez_check_write(checker, stmt->target);
    if (stmt->target->type.state != STATE_TYPED)
        return;
    check_uniform(checker, stmt->target, stmt->value);
    stmt->target->symbol->var.varies |= stmt->value->varies || checker->divergent;
    ez_check_assignable(checker, stmt->value, stmt->target->type.type, stmt->target->at);
}

static const char *word_text(struct checker *checker, const struct stmt *stmt) {
    return ez_source_text(checker, stmt->word);
}

static void check_call_stmt(struct checker *checker, struct stmt *stmt) {
    const struct ez_symbol *callee = ez_find_symbol(checker, stmt->value->name.text);
    if (callee && callee->kind == SYMBOL_EZ_SUB) {
        ez_check_sub_call(checker, stmt->value, ez_find_symbol(checker, stmt->value->name.text));
        return;
    }
    checker->incomplete = true;
    ez_check_expr(checker, stmt->value);
    if (stmt->value->type.state != STATE_ERROR)
        diag_error(checker->u->diag, stmt->at, "the value of `%s` is not used",
                   stmt->value->name.text);
}

/* "label: y", to which an index and the value are added: "label: y[77] = 154". */
static const char *printed_text(struct checker *checker, const struct expr *expr, const char *label,
                                const char *value) {
    bool one_word = expr->kind != EXPR_UNARY && expr->kind != EXPR_BINARY;
    return arena_printf(&checker->u->arena, "%s%s%s%s%s", label ? label : "", label ? ": " : "",
                        one_word ? "" : "(", value, one_word ? "" : ")");
}

/* assert(bool), print(value) */
static void check_debug(struct checker *checker, struct stmt *stmt) {
    ez_check_expr(checker, stmt->value);
    if (stmt->kind == STMT_ASSERT) {
        ez_check_bool(checker, stmt->value, "`assert`");
        ez_condition_overwritten(checker, stmt->at);
    } else if (stmt->value->type.state == STATE_NUMBER) {
        diag_error(checker->u->diag, stmt->value->at, "this number has no type");
        ez_suggest_cast(checker, stmt->value,
                        (struct lane_type){stmt->value->type.real ? TYPE_FLOAT : TYPE_UINT, 64});
    }
    const char *value = ez_source_text(checker, stmt->value->at), *text = stmt->text.text;
    if (stmt->kind == STMT_ASSERT)
        stmt->shown = text ? text : value;
    else
        stmt->shown = printed_text(checker, stmt->value, text, value);
}

static void check_inner(struct checker *checker, struct stmt *stmt) {
    switch (stmt->kind) {
    case STMT_ERROR:
        checker->incomplete = true;
        break;
    case STMT_COMPUTE:
        check_compute(checker, stmt);
        break;
    case STMT_LET:
        check_let(checker, stmt);
        break;
    case STMT_ASSIGN:
        check_assign(checker, stmt);
        break;
    case STMT_INSN:
        ez_check_insn(checker, stmt);
        break;
    case STMT_CALL:
        check_call_stmt(checker, stmt);
        break;
    case STMT_ASM:
        ez_check_asm(checker, stmt);
        break;
    case STMT_MARK:
    case STMT_SYNC:
    case STMT_ON:
    case STMT_COLLECTIVE:
    case STMT_BARRIER:
    case STMT_SEND:
    case STMT_RECV:
    case STMT_COMPACT:
    case STMT_LAUNCH:
        checker->incomplete = true;
        diag_error(checker->u->diag, stmt->word, "`%s` stands outside of `compute`",
                   word_text(checker, stmt));
        break;
    case STMT_ASSERT:
    case STMT_PRINT:
        check_debug(checker, stmt);
        break;
    case STMT_MOVE:
        diag_error(checker->u->diag, stmt->word, "`move` stands outside of `compute`");
        checker->incomplete = true;
        break;
    default:
        ez_check_flow_stmt(checker, stmt);
        break;
    }
}

/* z = 1; at top level: in which ensemble it stands. */
static void note_ensemble(struct checker *checker, const struct stmt *stmt) {
    const struct ez_symbol *v = ez_find_symbol(checker, stmt->target->name.text);
    const struct ez_symbol *g = v ? v->var.group : NULL;
    if (!v || v->kind != SYMBOL_EZ_VARIABLE)
        return;
    if (!g && checker->u->groups.items.len)
        g = checker->u->groups.items.data[0];
    if (g)
        diag_note(checker->u->diag, stmt->at, "write `compute %s { %s; }`", g->name.text,
                  ez_source_text(checker, stmt->at));
}

/* An assignment at top level can only be a reduction, or another call over whole groups. */
static void check_top_assign(struct checker *checker, struct stmt *stmt) {
    if (stmt->kind == STMT_ASSIGN &&
        (ez_check_reduction(checker, stmt) || ez_check_array_call(checker, stmt) ||
         ez_check_scalar(checker, stmt)))
        return;
    if (stmt->kind == STMT_ASSIGN && !ez_find_symbol(checker, stmt->target->name.text)) {
        ez_report_unknown(checker, stmt->target->name, "variable", NULL, 0);
        checker->incomplete = true;
        return;
    }
    diag_error(checker->u->diag, stmt->at, "this stands outside of `compute`");
    bool reduces = stmt->value && ez_mentions_reduction(stmt->value);
    if (stmt->value && ez_asks_length(stmt->value))
        diag_note(checker->u->diag, stmt->value->at,
                  "a length is a value that every lane has: a variable without a group gets it in "
                  "`compute`");
    if (stmt->kind == STMT_ASSIGN && !reduces)
        note_ensemble(checker, stmt);
    if (reduces)
        diag_note(
            checker->u->diag, stmt->value->at,
            "a reduction is a statement of its own, `s = sum(x);`: other work stands inside of "
            "it or in `compute`");
}

static void check_top(struct checker *checker, struct stmt *stmt) {
    if (stmt->kind != STMT_ASSIGN && stmt->kind != STMT_FOR)
        checker->run = NULL;
    if (ez_check_top_flow(checker, stmt))
        return;
    switch (stmt->kind) {
    case STMT_ERROR:
        checker->incomplete = true;
        break;
    case STMT_COMPUTE:
        check_compute(checker, stmt);
        break;
    case STMT_LET:
    case STMT_ASSIGN:
    case STMT_INSN:
        check_top_assign(checker, stmt);
        break;
    case STMT_CALL:
        check_call_stmt(checker, stmt);
        break;
    default:
        diag_error(checker->u->diag, stmt->at, "`%s` stands inside of `compute`",
                   word_text(checker, stmt));
        break;
    }
}

/* The names that a block of lane code declares end with it. */
static void check_lane_block(struct checker *checker, struct stmt *stmt) {
    size_t mark = checker->local_list.items.len;
    bool told = checker->unreachable; /* where the block itself stands */
    for (; stmt && !diag_full(checker->u->diag); stmt = stmt->next) {
        if (checker->unreachable && !told) {
            diag_warning(checker->u->diag, W_UNREACHABLE, stmt->at, "no lane gets here");
            told = true;
        }
        check_inner(checker, stmt);
    }
    for (size_t i = mark; i < checker->local_list.items.len; i++)
        map_put(&checker->locals, checker->local_list.items.data[i]->name.text, 0);
}

void ez_check_block(struct checker *checker, struct stmt *stmt, bool top) {
    if (!top)
        check_lane_block(checker, stmt);
    for (; top && stmt && !diag_full(checker->u->diag); stmt = stmt->next)
        check_top(checker, stmt);
}
